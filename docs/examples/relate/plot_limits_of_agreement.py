"""
Limits of agreement (Bland–Altman plot)
=======================================

The difference of two measures against their mean, with the limits between which 95 % of the differences lie.
"""

from negstats import datasets, plots, stats

robot = datasets.robot()
people = robot.players.query("kind == 'human'").merge(robot.games[["game_id", "session"]])
points = people.pivot(index="participant_id", columns="session", values="points").reset_index()
result = stats.bland_altman(points, "Session_1", "Session_2")
plots.limits_of_agreement(result, unit="points", caption="Robot study: a person's two sessions")
