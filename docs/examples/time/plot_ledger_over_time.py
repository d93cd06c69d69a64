"""
Ledger of favors over time
==========================

The mean number of favors owed after each negotiation. Synthetic: no log of the favor game is public.
"""

from negstats.metrics import favors
from negstats.plots import ledger_over_time
from negstats.simulate.favors import as_study, favor_cells

study = as_study(favor_cells(seed=2015))
design = study.games.drop_duplicates("session")[["session", "condition"]]
ledgers = favors.ledger(study.games, study.offers, study.players).merge(design, on="session")
ledger_over_time(ledgers, "condition", caption="Favors owed after each negotiation, synthetic")
