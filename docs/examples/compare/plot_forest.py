"""
Forest plot
===========

Each study with its interval and weight, the mean, and the interval in which the effect of a further study is
expected.
"""

from negstats import datasets, plots, stats

casino = datasets.casino()
svo = casino.answers.query("question == 'svo'")[["participant_id", "answer"]]
seats = casino.players.merge(svo, on="participant_id").drop_duplicates("game_id")
seats = seats[seats["answer"].isin(["prosocial", "proself"])].assign(part=lambda rows: range(len(rows)))
tests = [
    stats.t_test(part, "points", "answer", levels=["proself", "prosocial"])
    for _, part in seats.groupby(seats["part"] % 6)
]
analysis = stats.meta_analysis(
    [test.difference for test in tests],
    [(test.difference / test.statistic) ** 2 for test in tests],
    studies=[f"part {number}" for number in range(1, 7)],
)
plots.forest(
    analysis.to_frame(), label="proself minus prosocial (points)", caption="CaSiNo, one seat a talk, cut into six parts"
)
