"""
Heat map of agents
==================

One row for each agent and one column for each opponent; here the levels are the social value orientations of the two
seats in CaSiNo.
"""

from negstats import datasets, plots

casino = datasets.casino()
svo = casino.answers.query("question == 'svo'")[["participant_id", "answer"]]
seats = casino.players.merge(svo, on="participant_id")
pairs = seats.merge(seats, on="game_id", suffixes=("", "_other")).query("player != player_other")
known = pairs[pairs["answer"].isin(["prosocial", "proself"]) & pairs["answer_other"].isin(["prosocial", "proself"])]
means = known.pivot_table(index="answer", columns="answer_other", values="points", aggfunc="mean")
counts = known.pivot_table(index="answer", columns="answer_other", values="points", aggfunc="size")
axes = {"index": "seat", "columns": "partner"}
plots.agent_heat_map(
    means.rename_axis(**axes), counts, label="points of the row's seat", caption="CaSiNo: orientation of both seats"
)
