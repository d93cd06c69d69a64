"""
Outcome space with the Pareto frontier
======================================

The value of each deal to both sides, the Pareto frontier, the bargaining solutions, and the deals that were reached.
"""

import numpy as np
import pandas as pd

from negstats import datasets, games, plots

casino = datasets.casino()
values = casino.values.pivot_table(index=["game_id", "player"], columns="item", values="value")
game = next(name for name, worth in values.groupby(level=0) if worth.diff().abs().to_numpy()[1].sum() == 4)
worth = values.loc[game].to_numpy()  # what one wants most the other wants least
outcomes = games.divisions([3, 3, 3])
utilities = games.division_utilities(outcomes, worth)
space = pd.DataFrame(utilities, columns=["one", "two"]).assign(optimal=games.pareto_optimal(utilities))
points = casino.players.set_index("game_id").loc[[game], "points"].to_numpy(dtype=float)
plots.outcome_space(
    space,
    pd.DataFrame([points], columns=["one", "two"]),
    x="one",
    y="two",
    labels=("seat 1 (points)", "seat 2 (points)"),
    points={"Nash": np.asarray(utilities[games.nash(utilities, [5, 5])])[0], "no deal": (5, 5)},
    caption="CaSiNo: one talk, with the deal that was made",
)
