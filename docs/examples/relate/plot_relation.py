"""
Scatter plot with a regression line
===================================

One marker for each unit, and the line with its band.
"""

from negstats import datasets, plots

robot = datasets.robot()
wide = robot.players.merge(robot.games[["game_id", "rounds", "condition"]]).query("kind == 'human'")
plots.relation(
    wide.dropna(subset="condition"),
    x="rounds",
    y="points",
    by="condition",
    labels=("rounds", "points of the human"),
    banded=True,
    caption="Robot study: longer talks, and what people get",
)
