"""The rules of the favor game: negotiations, outcomes and their sums; favors, what is owed, and the state it leads to.

Arrays (sessions, negotiations), negotiation 1 first, of 1, 0 or missing (NaN): `asked`, `good` (the offer gives the
player more than its BATNA) and `accepted`. Odd negotiations are slots for a favor, even ones slots to return it.
What follows from a missing value is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown
from negstats.games.pareto import minkowski_sum

Numbers = npt.NDArray[Any]
Points: TypeAlias = tuple[float, float]  # of the player and of the agent
Quality = Literal["poor", "good", "printed"]

PAIRS = ((1, 2), (3, 4))  # a slot for a favor, and the slot to return it in


@dataclass(frozen=True, slots=True)
class Negotiation:
    """One negotiation in which the agent makes a take-it-or-leave-it offer. Points are player : agent.

    Parameters
    ----------
    number
        Its place, from 1. Odd ones are slots for a favor, even ones slots to return it.
    batna
        What each seat gets if the player rejects.
    poor, good
        The agent's offer by quality: an offer is good if the player gets more than its BATNA, poor if less. None: the
        rules know no such offer here.

    Raises
    ------
    DesignError
        If the number is below 1, or an offer is not of the quality that it is called.

    Examples
    --------
    >>> second = Negotiation(2, batna=(8, 2), poor=(4, 8), good=(32, 1))
    >>> second.offer("good"), second.is_return
    ((32, 1), True)
    """

    number: int
    batna: Points
    poor: Points
    good: Points | None = None

    def __post_init__(self) -> None:
        if self.number < 1:
            raise DesignError(f"number is {self.number}; negotiations are counted from 1")
        if self.poor[0] >= self.batna[0]:
            raise DesignError(f"the poor offer {self.poor} must give the player less than its BATNA of {self.batna[0]}")
        if self.good is not None and self.good[0] <= self.batna[0]:
            raise DesignError(f"the good offer {self.good} must give the player more than its BATNA of {self.batna[0]}")

    @property
    def is_return(self) -> bool:
        """Whether this is the slot to return a favor in, not the one to ask for it."""
        return self.number % 2 == 0

    def offer(self, quality: Quality) -> Points:
        """Return the offer of a quality, ``"poor"`` or ``"good"``.

        Parameters
        ----------
        quality
            "poor" or "good".

        Returns
        -------
        Points
            Points of player and agent.

        Raises
        ------
        DesignError
            If the rules know no such offer in this negotiation.
        """
        points = {"poor": self.poor, "good": self.good}.get(quality)
        if points is None:
            raise DesignError(f"negotiation {self.number} has no {shown(quality)} offer")
        return points


def game_of(pairs: int = 2, *, benefit: float = 24, cost: float = 1) -> tuple[Negotiation, ...]:
    """Return the negotiations of a favor game with a number of pairs and the favor's benefit and cost.

    A favor costs its giver `cost` points (of a BATNA of 2) and brings the other `benefit` (above one of 8), in both
    directions. The poor offer in the slot of return is 4 : 8 as in Mell et al. (2015, Table 4).

    Parameters
    ----------
    pairs
        A request and its return are a pair.
    benefit, cost
        In points. Mell et al. have 24 and 1.

    Returns
    -------
    tuple[Negotiation, ...]
        The negotiations in their order, two a pair.

    Raises
    ------
    DesignError
        If a number is not above 0, or a favor costs all that its giver has.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> [negotiation.poor for negotiation in game_of(1, benefit=10)]
    [(1, 18), (4, 8)]
    """
    if pairs < 1 or benefit <= 0 or not 0 < cost <= LOW:
        raise DesignError(
            f"pairs is {pairs}, benefit {benefit:g}, cost {cost:g}; all are above 0 and the cost is at most {LOW}"
        )
    favor = (LOW - cost, HIGH + benefit)
    negotiations = []
    for number in range(1, 2 * pairs + 1, 2):
        negotiations.append(Negotiation(number, batna=(LOW, HIGH), poor=favor))
        negotiations.append(Negotiation(number + 1, batna=(HIGH, LOW), poor=POOR_RETURN, good=favor[::-1]))
    return tuple(negotiations)


LOW, HIGH = 2, 8  # BATNAs of the one who does the favor and of the one who gets it
POOR_RETURN = (4, 8)
STUDY = game_of()

START = (8, 8)  # negotiation 5, nothing traded


def _final() -> Numbers:
    """Return the 25 outcomes of negotiation 5, read only."""
    levels = 2 ** np.arange(5)
    grid = np.stack(np.meshgrid(levels, levels, indexing="ij"), axis=-1).reshape(-1, 2)
    grid.setflags(write=False)
    return grid


FINAL = _final()


def outcomes(negotiation: Negotiation, quality: Quality) -> Numbers:
    """Return the outcomes of a negotiation: the offer of a quality, or all that the rules know, and the BATNAs.

    Parameters
    ----------
    negotiation
        Which one.
    quality
        ``"poor"``, ``"good"``, or ``"printed"`` for every offer of the rules.

    Returns
    -------
    numpy.ndarray
        Points (outcomes, 2) of player and agent; the BATNAs are last.

    Raises
    ------
    DesignError
        If there is no such quality, or no such offer in this negotiation.

    Examples
    --------
    >>> outcomes(STUDY[1], "good").tolist(), outcomes(STUDY[1], "printed").tolist()
    ([[32, 1], [8, 2]], [[32, 1], [4, 8], [8, 2]])
    """
    if quality not in get_args(Quality):
        raise DesignError(f"quality is {shown(quality)}; give {', '.join(get_args(Quality))}")
    if quality == "printed":
        offers = [offer for offer in (negotiation.good, negotiation.poor) if offer is not None]
    else:
        offers = [negotiation.offer(quality)]
    return np.array([*offers, negotiation.batna])


def sums(qualities: Sequence[Quality], negotiations: Sequence[Negotiation] = STUDY) -> Numbers:
    """Return every distinct sum of one outcome from each of the first negotiations, one for each quality given.

    Pareto optimality over time (Mell et al., 2015, section 3) is that of these sums.

    Parameters
    ----------
    qualities
        The quality of the offer in each negotiation, in their order.
    negotiations
        Of the game; as many as there are qualities are taken.

    Returns
    -------
    numpy.ndarray
        Points (sums, 2), sorted.

    Raises
    ------
    DesignError
        If there are more qualities than negotiations, or `outcomes` refuses one.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    Where favors are returned, and never:

    >>> sums(["poor", "good"]).tolist()
    [[9, 34], [10, 10], [33, 33], [34, 9]]
    >>> sums(["poor", "poor"]).tolist()
    [[5, 40], [6, 16], [9, 34], [10, 10]]
    """
    if len(qualities) > len(negotiations):
        raise DesignError(f"{len(qualities)} qualities for {len(negotiations)} negotiations; one for each is needed")
    utility_sets = [
        outcomes(negotiation, quality) for negotiation, quality in zip(negotiations, qualities, strict=False)
    ]
    return minkowski_sum(*utility_sets, unique=True)


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
    is_second = np.arange(a.shape[-1]) % 2 == 1
    returned = np.where(is_second, owed_before * g, 0.0)
    betrayed = np.where(is_second, owed_before * (1 - g), 0.0)
    gift = np.where(is_second, (1 - owed_before) * g, 0.0)
    return Favors(granted, returned, betrayed, np.where(is_second, returned * y, 0.0), gift)


def points_ledger(points: npt.ArrayLike, batnas: npt.ArrayLike) -> Numbers:
    """Return the points that each seat has given to the other by favors.

    The favors are those of Mell, Lucas and Gratch [1]_.

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

    References
    ----------
    .. [1] Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
       negotiations. Proceedings of AAMAS 2015.

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
    codes = (np.where(is_known[..., np.newaxis], flags, 0) @ [4, 2, 1]).astype(np.intp)
    states: Numbers = names[codes]
    states[~is_known] = None
    return states
