"""Favors asked, granted, returned and betrayed, what is owed, and the state that negotiation 3 is played in.

Arrays (sessions, negotiations), negotiation 1 first, of 1, 0 or missing (NaN): `asked`, `good` (the offer gives the
player more than its BATNA) and `accepted`. Odd negotiations are slots for a favor, even ones slots to return it.
What follows from a missing value is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown
from negstats.games.favors.rules import Numbers

Count = Literal["asked", "any"]

# mell2015, Table 5: (asked in 1, accepted in 1, good offer in 2).
STATES: dict[tuple[bool, bool, bool], str] = {
    (True, True, True): "favor returned",
    (True, True, False): "betrayal",
    (True, False, True): "altruistic",
    (True, False, False): "tit-for-tat",
    (False, True, True): "tit-for-tat",
    (False, True, False): "competitive",
    (False, False, True): "altruistic",
    (False, False, False): "tit-for-tat",
}


@dataclass(frozen=True, slots=True, eq=False)
class Favors:
    """What became of favors, 1, 0 or missing in each negotiation (sessions, negotiations).

    Attributes
    ----------
    granted
        In a slot for a favor: it was asked for and the offer accepted.
    returned, betrayed
        In a slot of return: after a granted favor the offer is good, or is not. Returned counts when it is made.
    realised
        Returned, and the player accepts.
    gift
        In a slot of return: the offer is good although no favor was granted.
    """

    granted: Numbers
    returned: Numbers
    betrayed: Numbers
    realised: Numbers
    gift: Numbers

    @property
    def ledger(self) -> Numbers:
        """Favors that the agent owes after each negotiation: granted less returned. Never negative."""
        return np.cumsum(self.granted - self.returned, axis=-1)


def favors(asked: npt.ArrayLike, good: npt.ArrayLike, accepted: npt.ArrayLike, *, count: Count = "asked") -> Favors:
    """Return whether a favor was asked for, granted, returned or betrayed in each negotiation.

    Parameters
    ----------
    asked, good, accepted
        (sessions, negotiations), or (negotiations,) of one session.
    count
        ``"asked"``: only what was asked for as a favor is one. ``"any"``: every accepted offer in a slot for a favor
        is, for agents that never ask (Mell et al., 2015, Table 5, class them too).

    Returns
    -------
    Favors
        Arrays (sessions, negotiations) of 1, 0 or missing.

    Raises
    ------
    DesignError
        If the shapes differ, or there is no such way to count.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    The betraying agent, everything accepted:

    >>> result = favors(asked=[1, 0, 1, 0], good=[0, 0, 0, 0], accepted=[1, 1, 1, 1])
    >>> result.ledger.tolist(), result.betrayed.tolist()
    ([1.0, 1.0, 2.0, 2.0], [0.0, 1.0, 0.0, 1.0])
    """
    if count not in get_args(Count):
        raise DesignError(f"count is {shown(count)}; give {' or '.join(get_args(Count))}")
    a, g, y = (np.asarray(values, dtype=np.float64) for values in (asked, good, accepted))
    if not a.shape == g.shape == y.shape or a.ndim < 1:
        raise DesignError(f"asked {a.shape}, good {g.shape} and accepted {y.shape} must have one shape")
    granted = np.zeros(a.shape)
    granted[..., ::2] = (a * y if count == "asked" else y)[..., ::2]
    owed_before = np.zeros(a.shape)  # the favor that is to be returned
    owed_before[..., 1::2] = granted[..., :-1:2]
    slot = np.arange(a.shape[-1]) % 2 == 1
    returned = np.where(slot, owed_before * g, 0.0)
    betrayed = np.where(slot, owed_before * (1 - g), 0.0)
    gift = np.where(slot, (1 - owed_before) * g, 0.0)
    return Favors(granted, returned, betrayed, np.where(slot, returned * y, 0.0), gift)


def points_ledger(points: npt.ArrayLike, batnas: npt.ArrayLike) -> Numbers:
    """Return the points that each seat has given to the other by favors.

    Parameters
    ----------
    points
        Realised points (..., negotiations, 2), player and agent.
    batnas
        (..., negotiations, 2).

    Returns
    -------
    numpy.ndarray
        (..., negotiations, 2) sums up to each negotiation: the player's BATNA less its points, the agent's points less
        its BATNA. Both 0 while everything is rejected.

    Examples
    --------
    >>> points_ledger([[1, 32], [32, 1]], [[2, 8], [8, 2]]).tolist()
    [[1.0, 24.0], [-23.0, 23.0]]
    """
    gains = np.asarray(points, dtype=np.float64) - np.asarray(batnas, dtype=np.float64)
    return np.cumsum(gains * [-1.0, 1.0] + 0.0, axis=-2)  # no negative zeros


def state(asked: npt.ArrayLike, accepted: npt.ArrayLike, good: npt.ArrayLike) -> Numbers:
    """Return the state after a pair of negotiations by Table 5 of Mell et al. (2015).

    Parameters
    ----------
    asked, accepted
        1, 0 or missing (sessions,): in the slot for a favor.
    good
        1, 0 or missing (sessions,): the offer in the slot of return.

    Returns
    -------
    numpy.ndarray
        Names (sessions,) of `STATES`; None where something is missing.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> state([1, 1, 0], [1, 1, 1], [1, 0, float("nan")]).tolist()
    ['favor returned', 'betrayal', None]
    """
    flags = np.stack(
        np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in (asked, accepted, good))), -1
    )
    is_known = ~np.isnan(flags).any(axis=-1)
    names = np.array([STATES[bool(i & 4), bool(i & 2), bool(i & 1)] for i in range(8)], dtype=object)
    place = (np.where(is_known[..., np.newaxis], flags, 0) @ [4, 2, 1]).astype(np.intp)
    states: Numbers = names[place]
    states[~is_known] = None
    return states
