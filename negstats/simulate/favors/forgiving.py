"""The forgiving agent: makes good offers although one request was refused, not after a second. Of no paper."""

from __future__ import annotations

from negstats.games.favors import History
from negstats.simulate.favors.agent import FavorAgent


class Forgiving(FavorAgent):
    """Tit for two tats in favors.

    Examples
    --------
    One of the two favors can be refused and pays:

    >>> from negstats.games.favors import best_reply
    >>> reply = best_reply(FORGIVING)
    >>> reply.player, reply.joint
    (67.0, 109.0)
    """

    __slots__ = ()

    def returns(self, history: History) -> float:
        """Return 1 after a granted favor, and while no more than one request has been refused."""
        n_refusals = sum(not past.accepted for past in history[::2])
        return float(history[-1].accepted or n_refusals <= 1)


FORGIVING = Forgiving("forgiving", "favor", "one refusal forgiven")
