"""The negotiations of the favor game: BATNAs, offers, outcomes, and sums over several negotiations."""

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
    parts = [outcomes(negotiation, quality) for negotiation, quality in zip(negotiations, qualities, strict=False)]
    return minkowski_sum(*parts, unique=True)
