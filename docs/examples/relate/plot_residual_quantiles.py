"""
Quantile plot of residuals
==========================

A normal sample would show its markers inside the band.
"""

from negstats import datasets, plots

robot = datasets.robot()
people = robot.players.query("kind == 'human'").merge(robot.games[["game_id", "condition"]]).dropna(subset="condition")
residuals = people["points"] - people.groupby("condition")["points"].transform("mean")
plots.residual_quantiles(residuals, label="residual (points)", caption="Robot study: points of people")
