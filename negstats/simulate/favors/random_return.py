"""The agent that returns a granted favor by chance. Of no paper."""

from __future__ import annotations

from dataclasses import dataclass

from negstats.games.favors import History
from negstats.simulate.favors.agent import FavorAgent


@dataclass(frozen=True, slots=True)
class RandomReturn(FavorAgent):
    """Returns a granted favor with probability `chance`, and makes no good offer otherwise.

    Examples
    --------
    Granting costs 1 point and brings 24 with that probability, so that it pays from 1/24 on:

    >>> from negstats.games.favors import best_reply
    >>> [round(best_reply(RandomReturn("random", "favor", "by chance", chance)).player, 2) for chance in (0.04, 0.05)]
    [20.0, 20.4]
    """

    chance: float

    def returns(self, history: History) -> float:
        """Return the probability after a granted favor, else 0.

        Parameters
        ----------
        history
            The negotiations so far, first to last.

        Returns
        -------
        float
            A probability, from 0 to 1.
        """
        return self.chance if history[-1].asked and history[-1].accepted else 0.0
