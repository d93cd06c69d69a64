"""
Acceptance by state
===================

The share of offers that are accepted, by the state of favors. Synthetic.
"""

from negstats.metrics import favors
from negstats.plots import state_acceptance
from negstats.simulate.favors import as_study, favor_cells

study = as_study(favor_cells(seed=2015))
rates = favors.acceptance_by_state(study.games, study.offers, study.players)
state_acceptance(rates, caption="Negotiation 3 by the state after 2, synthetic")
