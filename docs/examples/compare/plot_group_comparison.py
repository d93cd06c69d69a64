"""
Comparison of two groups
========================

How a group is drawn depends on its size: markers, a density, and the mean with its interval.
"""

from negstats import datasets, plots, stats

casino = datasets.casino()
svo = casino.answers.query("question == 'svo'")[["participant_id", "answer"]].rename(columns={"answer": "level"})
seats = casino.players.merge(svo, on="participant_id").rename(columns={"points": "value"})
values = seats[seats["level"].isin(["prosocial", "proself"])].drop_duplicates("game_id").head(200)
cells = stats.margins(values, "value", ["level"], specs="level")
summary = cells.to_frame().set_index("level")[["n", "mean", "low", "high"]]
plots.group_comparison(values, summary, label="points", unit="seat", caption="CaSiNo, one seat a talk, the first 200")
