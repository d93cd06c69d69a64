"""The four agents of mell2015, a table of cases: language by whether the offers in 2 and 4 return the favor."""

from __future__ import annotations

from negstats.games.favors import History
from negstats.simulate.favors.agent import FavorAgent


class PrintedAgent(FavorAgent):
    """Its offers are a function of agent and negotiation alone; an answer changes words, never points.

    Examples
    --------
    >>> [(agent.name, agent.asks(()), agent.returns(())) for agent in PRINTED.values()][:2]
    [('favor-seeking', True, 1.0), ('betraying', True, 0.0)]
    """

    __slots__ = ()

    def returns(self, history: History) -> float:  # noqa: ARG002 - whatever happened
        """Return 1 or 0."""
        return float(self.returning == "returned")


# mell2015, section 4: the condition, its language and the quality of its offers in 2 and 4, and its participants.
_CASES = (
    ("favor-seeking", "favor", "returned", 38),
    ("betraying", "favor", "never returned", 40),
    ("cooperative", "generic", "returned", 48),
    ("competitive", "generic", "never returned", 41),
)

PRINTED = {name: PrintedAgent(name, language, returning) for name, language, returning, _ in _CASES}
SIZES = {name: size for name, *_, size in _CASES}
