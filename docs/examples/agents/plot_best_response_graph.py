"""
Best-response graph
===================

Arrows lead from a strategy to the best answer to it, with the share of bootstrap draws in which it is the best.
Simulated agents.
"""

import numpy as np

from negstats import plots
from negstats.estimate import tournament
from negstats.simulate.dealornodeal import LogLinear, agents_with_agents, as_study, design

learned = design(rng=np.random.default_rng(1), corpus=200, games=512)
chosen = ["S", "r=selfish,p=S", "r=fair,p=fair"]
agents = {name: LogLinear(learned[name].theta) for name in chosen}
agents_game = tournament(as_study(agents_with_agents(agents, seed=1, games=60)).tables, seed=1)
plots.best_response_graph(agents_game.best_responses(), caption="Deal or No Deal between agents")
