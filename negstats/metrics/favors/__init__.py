"""Measures of the favor game (mell2015): favors and ledgers, states, and what pairs of negotiations came to.

Every function takes the tables ``games`` (with the factors `session` and `negotiation`), ``offers`` and ``players`` as
any frame that narwhals knows, and returns the kind that it was given.

Glossary
--------
session : the negotiations of one player with one agent; *ledger* : the favors and points owed in it; *pair* : the
negotiation for a favor and that for its return; *state* : what became of the favor of a pair.
"""

from negstats.metrics.favors.exchange import both_accepted, discovery_rates, full_exchange, pareto_over_time
from negstats.metrics.favors.ledger import acceptance_by_state, favor_state, favors, ledger, session_points

__all__ = [
    "acceptance_by_state",
    "both_accepted",
    "discovery_rates",
    "favor_state",
    "favors",
    "full_exchange",
    "ledger",
    "pareto_over_time",
    "session_points",
]
