"""The grim agent: returns favors until one request is refused, then never again. Of no paper."""

from __future__ import annotations

from negstats.games.favors import History
from negstats.simulate.favors.agent import FavorAgent


class Grim(FavorAgent):
    """The trigger strategy of repeated games.

    Examples
    --------
    >>> from negstats.games.favors import best_reply
    >>> best_reply(GRIM).answers
    {(True, True, True, True): 1.0}
    """

    __slots__ = ()

    def returns(self, history: History) -> float:
        """Return 1 while every request has been granted."""
        return float(all(past.accepted for past in history[::2]))


GRIM = Grim("grim", "favor", "until refused")
