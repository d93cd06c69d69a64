"""
Simplex of three strategies
===========================

Paths of the replicator dynamics of a tournament, and its equilibria. Simulated agents.
"""

import numpy as np

from negstats import plots
from negstats.estimate import tournament
from negstats.simulate.dealornodeal import LogLinear, agents_with_agents, as_study, design

learned = design(rng=np.random.default_rng(1), corpus=200, games=512)
chosen = ["S", "r=selfish,p=S", "r=fair,p=fair"]
agents = {name: LogLinear(learned[name].theta) for name in chosen}
agents_game = tournament(as_study(agents_with_agents(agents, seed=1, games=60)).tables, seed=1)
starts = [
    (0.8, 0.1, 0.1),
    (0.1, 0.8, 0.1),
    (0.1, 0.1, 0.8),
    (1 / 3, 1 / 3, 1 / 3),
    (0.5, 0.45, 0.05),
    (0.05, 0.5, 0.45),
]
paths = [agents_game.replicator(start) for start in starts]
rests = agents_game.equilibria().pivot_table(index="equilibrium", columns="strategy", values="share", fill_value=0.0)
plots.strategy_simplex(
    paths,
    rests.reindex(columns=list(agents_game.strategies), fill_value=0.0),
    caption="Deal or No Deal between agents: replicator dynamics",
)
