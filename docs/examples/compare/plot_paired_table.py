"""
Table of paired answers
=======================

The same people in two conditions: those off the diagonal changed their answer, and McNemar's test compares them.
"""

import pandas as pd

from negstats import datasets, plots, stats

robot = datasets.robot()
people = robot.players.query("kind == 'human'").merge(robot.games[["game_id", "condition", "rounds"]])
short = people.dropna(subset="condition").pivot(index="participant_id", columns="condition", values="rounds") <= 8
counts = pd.crosstab(short["CL"].map({True: "yes", False: "no"}), short["FC"].map({True: "yes", False: "no"}))
counts = counts.loc[["yes", "no"], ["yes", "no"]].rename_axis(index="at most 8 rounds in CL", columns="in FC")
test = stats.mcnemar(counts.to_numpy())
plots.paired_table(counts, label="people", caption=test.apa())
