"""
Heat map of payoffs
===================

The mean payoff of each strategy against each other, with bootstrap intervals. Simulated agents that play each other.
"""

import numpy as np

from negstats import plots
from negstats.estimate import tournament
from negstats.simulate.dealornodeal import LogLinear, agents_with_agents, as_study, design

learned = design(rng=np.random.default_rng(1), corpus=200, games=512)
chosen = ["S", "r=selfish,p=S", "r=fair,p=fair"]
agents = {name: LogLinear(learned[name].theta) for name in chosen}
agents_game = tournament(as_study(agents_with_agents(agents, seed=1, games=60)).tables, seed=1)
plots.payoff_heat_map(
    agents_game.payoffs(),
    label="payoff of the row (points)",
    caption="Deal or No Deal; 95% bootstrap intervals over games",
)
