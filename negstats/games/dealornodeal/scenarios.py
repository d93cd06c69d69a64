"""The scenarios of Deal or No Deal: counts of three issues, and what a unit of each is worth to each player.

The rule was read off the public data of lewis2017, every context of which obeys it; chawla2023 prints only "fixed
quantities", "random values" and the maximum of 10: one to four units of each issue, five to seven in all; for each
player the worth of all items is exactly 10; every item is worth something to somebody, and one to both.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown
from negstats.games.allocations import division_utilities, divisions

Numbers = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]

ISSUES = ("book", "hat", "ball")
TOTAL = 10  # points that all items are worth to each player
MOST = 4  # units of an issue
ITEMS = (5, 7)  # fewest and most units in all


@dataclass(frozen=True, slots=True)
class Scenarios:
    """A batch of scenarios.

    Attributes
    ----------
    counts : numpy.ndarray
        Units of each issue, known to both players: integers (scenarios, 3).
    values : numpy.ndarray
        Points for one unit, known to its owner only: integers (scenarios, 2, 3).
    """

    counts: Integers
    values: Integers

    @classmethod
    def of(cls, counts: npt.ArrayLike, values: npt.ArrayLike) -> Scenarios:
        """Return scenarios whatever their values, or one from counts (3,) and values (2, 3).

        Parameters
        ----------
        counts
            How many units of each of the three items there are, (scenarios, 3).
        values
            Points for one unit of each item to each player, (scenarios, 2, 3).

        Raises
        ------
        DesignError
            If the shapes do not fit, a count is not 0 to 4, or there is no unit at all.

        Examples
        --------
        >>> one = Scenarios.of([1, 3, 1], [[2, 1, 5], [10, 0, 0]])
        >>> len(one), one.worth().tolist()
        (1, [[10, 10]])
        """
        item_counts, worth = np.asarray(counts), np.asarray(values)
        if item_counts.ndim == 1:
            item_counts, worth = item_counts[np.newaxis], worth[np.newaxis]
        if item_counts.shape[1:] != (len(ISSUES),) or worth.shape != (len(item_counts), 2, len(ISSUES)):
            raise DesignError(
                f"counts have the shape {item_counts.shape} and values {worth.shape}; (n, 3) and (n, 2, 3) are needed"
            )
        whole = item_counts.astype(np.int64)
        wrong = (whole != item_counts) | (whole < 0) | (whole > MOST)
        if wrong.any() or (whole.sum(axis=1) == 0).any():
            raise DesignError(
                f"counts hold {shown(item_counts[wrong.any(axis=1)].tolist())}; whole numbers 0 to {MOST}"
            )
        return cls(whole, worth.astype(np.int64))

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, rows: Any) -> Scenarios:
        """Return some of them: one by its place, or several by a slice, places or truth values."""
        at: Any = [rows] if isinstance(rows, (int, np.integer)) else rows
        return Scenarios(self.counts[at], self.values[at])

    def __iter__(self) -> Iterator[Scenarios]:
        return (self[place] for place in range(len(self)))

    def worth(self) -> Integers:
        """Return what all items are worth to each player, in points (scenarios, 2).

        Returns
        -------
        ndarray of int
            Points of a player who gets everything.
        """
        return np.asarray(np.einsum("gi,gpi->gp", self.counts, self.values))

    def outcomes(self) -> Integers:
        """Return how many divisions each scenario has, (scenarios,).

        Returns
        -------
        ndarray of int
            The product of the counts, each plus one.
        """
        return np.asarray(np.prod(self.counts + 1, axis=1))

    def obey(self) -> npt.NDArray[np.bool_]:
        """Return whether each obeys the rule of the data, (scenarios,).

        Returns
        -------
        ndarray of bool
            One truth value a scenario.
        """
        total = self.counts.sum(axis=1)
        fits = ((self.counts >= 1) & (self.counts <= MOST)).all(axis=1) & (total >= ITEMS[0]) & (total <= ITEMS[1])
        valued = self.values > 0
        fits = fits & (self.worth() == TOTAL).all(axis=1) & (self.values >= 0).all(axis=(1, 2))
        return np.asarray(fits & np.all(valued.any(axis=1), axis=1) & np.any(valued.all(axis=1), axis=1))


@cache
def scenarios() -> Scenarios:
    """Return the 5,295 scenarios that obey the rule, in lexicographic order of counts, first and second values.

    Examples
    --------
    >>> every = scenarios()
    >>> every.counts[0].tolist(), every.values[0].tolist()
    ([1, 1, 3], [[0, 1, 3], [1, 0, 3]])
    """
    counts, values = [], []
    for vector in count_vectors():
        worth = [v for v in itertools.product(range(TOTAL + 1), repeat=3) if np.dot(v, vector) == TOTAL]
        pairs = [*itertools.product(worth, repeat=2)]
        counts += [vector] * len(pairs)
        values += pairs
    every = Scenarios(np.array(counts, dtype=np.int64), np.array(values, dtype=np.int64))
    lawful = every[every.obey()]
    for array in (lawful.counts, lawful.values):
        array.setflags(write=False)  # they are shared by all who ask
    return lawful


def count_vectors() -> list[tuple[int, int, int]]:
    """Return the 28 ways to have one to four units of each of three issues and five to seven in all.

    Examples
    --------
    >>> len(count_vectors()), count_vectors()[0]
    (28, (1, 1, 3))
    """
    some = range(1, MOST + 1)
    return [c for c in itertools.product(some, some, some) if ITEMS[0] <= sum(c) <= ITEMS[1]]


def draw(n: int, *, rng: np.random.Generator, weights: Literal["uniform"] | npt.ArrayLike = "uniform") -> Scenarios:
    """Draw scenarios with replacement.

    Parameters
    ----------
    n
        How many.
    rng
        Source of randomness.
    weights
        "uniform", or a number of at least 0 for each of `scenarios` that its chance is proportional to.

    Returns
    -------
    Scenarios
        The scenarios that were drawn, in the order of the draws.

    Raises
    ------
    DesignError
        If there are not as many weights as scenarios, one is negative or not finite, or all are 0.

    Examples
    --------
    >>> len(draw(4, rng=np.random.default_rng(1)))
    4
    """
    every = scenarios()
    if isinstance(weights, str):
        if weights != "uniform":
            raise DesignError(f"weights is {shown(weights)}; give 'uniform' or {len(every)} numbers")
        return every[rng.integers(len(every), size=n)]
    chance = np.asarray(weights, dtype=float)
    if chance.shape != (len(every),):
        raise DesignError(
            f"weights have the shape {chance.shape}; one for each of the {len(every)} scenarios is needed"
        )
    if not np.isfinite(chance).all() or (chance < 0).any() or not chance.any():
        raise DesignError("weights must be finite and at least 0, and not all 0")
    return every[rng.choice(len(every), size=n, p=chance / chance.sum())]


def outcomes(scenario: Scenarios) -> tuple[Integers, Integers]:
    """Return every division of one scenario and its points.

    Parameters
    ----------
    scenario
        Exactly one scenario.

    Returns
    -------
    units : numpy.ndarray
        What each player takes, (outcomes, 2, 3), in lexicographic order of the first player's share.
    points : numpy.ndarray
        What it is worth to each, (outcomes, 2).

    Raises
    ------
    DesignError
        If there is not exactly one scenario.

    Examples
    --------
    >>> units, points = outcomes(Scenarios.of([1, 3, 1], [[2, 1, 5], [10, 0, 0]]))
    >>> len(units), points.sum(axis=1).max().item()
    (16, 18)
    """
    if len(scenario) != 1:
        raise DesignError(f"outcomes are listed for a single scenario; {len(scenario)} are given")
    units = divisions(scenario.counts[0])
    return units, division_utilities(units, scenario.values[0])
