"""The agent with a line of credit: asks while it owes less, and repays when the line is used up. Of no paper."""

from __future__ import annotations

from dataclasses import dataclass

from negstats.games.favors import History, owed
from negstats.simulate.favors.agent import FavorAgent


@dataclass(frozen=True, slots=True)
class Credit(FavorAgent):
    """Asks for a favor while it owes fewer than `most`, and returns one when it owes so many.

    With ``most=1`` it does what the conditional agent does; with more a granted favor may go without its return.

    Examples
    --------
    >>> from negstats.games.favors import best_reply
    >>> reply = best_reply(Credit("credit", "favor", "when 2 are owed", most=2))
    >>> reply.player, reply.answers
    (42.0, {(True, False, True, True): 1.0})
    """

    most: int

    def asks(self, history: History) -> bool:
        """Whether fewer favors are owed than it may owe.

        Parameters
        ----------
        history
            The negotiations so far, first to last.

        Returns
        -------
        bool
            True if it asks.
        """
        return owed(history) < self.most

    def returns(self, history: History) -> float:
        """Return 1 when the last favor has used up the credit.

        Parameters
        ----------
        history
            The negotiations so far, first to last.

        Returns
        -------
        float
            1 or 0.
        """
        return float(history[-1].asked and history[-1].accepted and owed(history) >= self.most)
