"""
Means of cells
==============

One factor along the axis, a line for each level of another. Where lines are not parallel, factors interact.
"""

from negstats import datasets, plots, stats

robot = datasets.robot()
seats = robot.players.merge(robot.games[["game_id", "condition", "session"]]).dropna(subset="condition")
cells = stats.Cells.from_frame(seats, "points", ["session", "kind"])
plots.cell_means(cells, "session", "kind", label="points (0 to 1)", caption="Robot study")
