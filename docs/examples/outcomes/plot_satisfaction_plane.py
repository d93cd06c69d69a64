"""
Satisfaction of two agents
==========================

Mean satisfaction of both over all preferences, and the frontier that no pair can exceed. Simulated agents.
"""

import pandas as pd

from negstats import plots
from negstats.games.dominance import Preferences, every_order, mean_frontier, restaurants, satisfactions
from negstats.simulate.dominance import as_study, every_profile

rows = []
for a, b in [("peer", "peer"), ("dominant", "dominant"), ("dominant", "submissive")]:
    study = as_study(every_profile(a, b))
    points = study.players.pivot(index="game_id", columns="player", values="points")
    mean = ((points + 6) / 12).mean()
    agreed = int((study.games["ended"] == "agreement").sum())
    rows.append((f"{a} – {b}", len(study.games), agreed, mean["A"], mean["B"]))
table = pd.DataFrame(rows, columns=["pair", "talks", "agreements", "a", "b"])
likes = Preferences.in_order(restaurants())
frontier = mean_frontier(satisfactions(likes, other) for other in every_order(restaurants()))
labels = ("mean satisfaction of A (0 to 1)", "mean satisfaction of B (0 to 1)")
plots.satisfaction_plane(table, frontier, x="a", y="b", labels=labels, caption="All preferences of B")
