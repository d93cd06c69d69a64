"""The conditional agent: returns a favor exactly when it was granted. Of no paper."""

from __future__ import annotations

from negstats.games.favors import History
from negstats.simulate.favors.agent import FavorAgent


class Conditional(FavorAgent):
    """Tit for tat in favors.

    Examples
    --------
    Accepting everything is the best reply to it:

    >>> from negstats.games.favors import best_reply
    >>> reply = best_reply(CONDITIONAL)
    >>> reply.player, reply.agent
    (66.0, 66.0)
    """

    __slots__ = ()

    def returns(self, history: History) -> float:
        """Return 1 after a granted favor."""
        return float(history[-1].asked and history[-1].accepted)


CONDITIONAL = Conditional("conditional", "favor", "if granted")
