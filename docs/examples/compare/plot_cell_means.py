"""
Cell means
==========

One factor along the axis, one line for each level of the other. Where the lines are not parallel, the factors
interact.
"""

from negstats import datasets, plots, stats

robot = datasets.robot()
seats = robot.players.merge(robot.games[["game_id", "condition", "session"]]).dropna(subset="condition")
cells = stats.Cells.from_frame(seats, "points", ["session", "kind"])
plots.cell_means(cells, "session", "kind", label="points (0 to 1)", caption="Robot study")
