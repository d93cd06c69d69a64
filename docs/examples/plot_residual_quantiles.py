"""
Residuals against the normal
============================

Marks inside the band are what a normal sample would show.
"""

from negstats import datasets, plots

robot = datasets.robot()
people = robot.players.query("kind == 'human'").merge(robot.games[["game_id", "condition"]]).dropna(subset="condition")
residuals = people["points"] - people.groupby("condition")["points"].transform("mean")
plots.residual_quantiles(residuals, label="residual (points)", caption="Robot study: points of people")
