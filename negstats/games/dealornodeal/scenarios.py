"""The scenarios of Deal or No Deal: what is divided and is worth to each, all their outcomes, and the reward of a deal.

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

from negstats.errors import DesignError, UsageError, shown
from negstats.games.allocations import division_utilities, divisions
from negstats.games.pareto import dominated

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
        whole_counts = item_counts.astype(np.int64)
        is_wrong = (whole_counts != item_counts) | (whole_counts < 0) | (whole_counts > MOST)
        if is_wrong.any() or (whole_counts.sum(axis=1) == 0).any():
            raise DesignError(
                f"counts hold {shown(item_counts[is_wrong.any(axis=1)].tolist())}; whole numbers 0 to {MOST}"
            )
        return cls(whole_counts, worth.astype(np.int64))

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, rows: Any) -> Scenarios:
        """Return some of them: one by its place, or several by a slice, places or truth values."""
        at: Any = [rows] if isinstance(rows, (int, np.integer)) else rows
        return Scenarios(self.counts[at], self.values[at])

    def __iter__(self) -> Iterator[Scenarios]:
        return (self[row] for row in range(len(self)))

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
        is_lawful = ((self.counts >= 1) & (self.counts <= MOST)).all(axis=1) & (total >= ITEMS[0]) & (total <= ITEMS[1])
        valued = self.values > 0
        is_lawful = is_lawful & (self.worth() == TOTAL).all(axis=1) & (self.values >= 0).all(axis=(1, 2))
        return np.asarray(is_lawful & np.all(valued.any(axis=1), axis=1) & np.any(valued.all(axis=1), axis=1))


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
        worth = [
            issue_values
            for issue_values in itertools.product(range(TOTAL + 1), repeat=3)
            if np.dot(issue_values, vector) == TOTAL
        ]
        pairs = [*itertools.product(worth, repeat=2)]
        counts += [vector] * len(pairs)
        values += pairs
    all_scenarios = Scenarios(np.array(counts, dtype=np.int64), np.array(values, dtype=np.int64))
    lawful = all_scenarios[all_scenarios.obey()]
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
    item_counts = range(1, MOST + 1)
    return [
        vector
        for vector in itertools.product(item_counts, item_counts, item_counts)
        if ITEMS[0] <= sum(vector) <= ITEMS[1]
    ]


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
    all_scenarios = scenarios()
    if isinstance(weights, str):
        if weights != "uniform":
            raise DesignError(f"weights is {shown(weights)}; give 'uniform' or {len(all_scenarios)} numbers")
        return all_scenarios[rng.integers(len(all_scenarios), size=n)]
    chance = np.asarray(weights, dtype=float)
    if chance.shape != (len(all_scenarios),):
        raise DesignError(
            f"weights have the shape {chance.shape}; one for each of the {len(all_scenarios)} scenarios is needed"
        )
    if not np.isfinite(chance).all() or (chance < 0).any() or not chance.any():
        raise DesignError("weights must be finite and at least 0, and not all 0")
    return all_scenarios[rng.choice(len(all_scenarios), size=n, p=chance / chance.sum())]


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


# The rows of Table 2: a, what being outdone costs, and b, what outdoing costs. The first two are used in the study.
REWARDS: dict[str, tuple[float, float]] = {
    "selfish": (0.0, 0.0),
    "fair": (0.75, 0.75),
    "outdone": (1.0, 0.0),
    "envious": (0.0, -1.0),  # enjoys being ahead; breaks the printed bound 0 ≤ b
}


def fehr_schmidt(x: npt.ArrayLike, y: npt.ArrayLike, a: float, b: float, *, strict: bool = False) -> npt.NDArray[Any]:
    """Return U = x - a max(0, y - x) - b max(0, x - y), the Fehr-Schmidt utility of two.

    Parameters
    ----------
    x, y
        One's own points and the other's.
    a, b
        What a point less, and a point more, than the other costs.
    strict
        Refuse parameters outside the printed bounds, b ≤ a and 0 ≤ b < 1.

    Returns
    -------
    ndarray
        Utilities, of the shape of both points together.

    Raises
    ------
    DesignError
        With `strict`, if a bound does not hold.

    Notes
    -----
    Equation 1 of Chawla et al. (2023). Their Table 2 prints b = -1 for the envious agent, outside their own bounds; so
    these are not checked unless asked.

    References
    ----------
    Chawla, K., Wu, I., Rong, Y., Lucas, G., & Gratch, J. (2023). Be selfish, but wisely: Investigating the impact of
    agent personality in mixed-motive human-agent interactions. Proceedings of EMNLP 2023.

    Examples
    --------
    >>> [fehr_schmidt(8, 0, *parameters).item() for parameters in REWARDS.values()]
    [8.0, 2.0, 8.0, 16.0]
    """
    if strict and not (b <= a and 0 <= b < 1):
        raise DesignError(f"a is {a:g} and b {b:g}; fehr1999 has b ≤ a and 0 ≤ b < 1")
    own_payoff, other_payoff = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return np.asarray(
        own_payoff - a * np.maximum(0, other_payoff - own_payoff) - b * np.maximum(0, own_payoff - other_payoff)
    )


def reward(name: str, x: npt.ArrayLike, y: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the value of a named reward for own points `x` and the partner's points `y`.

    Parameters
    ----------
    name
        Name of the reward.
    x
        Own points.
    y
        The partner's points.

    Returns
    -------
    ndarray
        Values, of the shape of both points together.

    Raises
    ------
    UsageError
        If there is no such reward.

    Examples
    --------
    >>> reward("fair", [8, 7], [0, 10]).tolist()
    [2.0, 4.75]
    """
    if name not in REWARDS:
        raise UsageError(f"reward is {shown(name)}; there are {', '.join(REWARDS)}")
    return fehr_schmidt(x, y, *REWARDS[name])


Floats = npt.NDArray[np.float64]


def references(scenarios: Scenarios) -> dict[str, Floats]:
    """Return points of reference of each scenario, arrays (scenarios,).

    Parameters
    ----------
    scenarios
        A batch of scenarios.

    Returns
    -------
    dict of str to numpy.ndarray
        `outcomes`; `joint`, the largest joint points; `product`, the largest product of points; `nash_joint`, the
        joint points where the product is largest (the largest of ties); `egalitarian`, the largest least points;
        `frontier` and `frontier_points`, Pareto optimal outcomes and their distinct points; `frontier_joint`, their
        mean joint points; `equal`, 1 where some division gives both the same; `kept`, the most that the other keeps
        when the first takes all its points; `fair`, the first's largest reward of the fair kind. Missing where there
        is no such outcome.

    Examples
    --------
    >>> result = references(Scenarios.of([1, 3, 1], [[2, 1, 5], [10, 0, 0]]))
    >>> {name: result[name].item() for name in ("outcomes", "joint", "product", "frontier_points", "fair")}
    {'outcomes': 16.0, 'joint': 18.0, 'product': 80.0, 'frontier_points': 2.0, 'fair': 6.5}
    """
    points = {name: np.full(len(scenarios), np.nan) for name in _compute_references(np.zeros((1, 1, 2)))}
    counts, kind = np.unique(scenarios.counts, axis=0, return_inverse=True)
    for kind_index, count in enumerate(counts):
        rows = np.flatnonzero(kind.reshape(-1) == kind_index)
        for name, values in _compute_references(division_utilities(divisions(count), scenarios.values[rows])).items():
            points[name][rows] = values
    return points


def _compute_references(points: npt.NDArray[np.float64]) -> dict[str, Floats]:
    """Return the same of scenarios whose outcomes are listed, points (scenarios, outcomes, 2)."""
    first_points, second_points = points[..., 0], points[..., 1]
    joint, product = first_points + second_points, first_points * second_points
    optimal = ~dominated(points, points[:, np.newaxis])
    largest = product.max(axis=1)
    distinct = [len(np.unique(point[mask], axis=0)) for point, mask in zip(points, optimal, strict=True)]
    # The most that one side can leave the other while it takes all that it values.
    largest_left = np.where(first_points == TOTAL, second_points, -1).max(axis=1).astype(float)
    return {
        "outcomes": np.full(len(points), float(points.shape[1])),
        "joint": joint.max(axis=1),
        "product": largest,
        "nash_joint": np.where(product == largest[:, np.newaxis], joint, -1).max(axis=1),
        "egalitarian": points.min(axis=2).max(axis=1),
        "frontier": optimal.sum(axis=1),
        "frontier_points": np.array(distinct),
        "frontier_joint": (joint * optimal).sum(axis=1) / optimal.sum(axis=1),
        "equal": (first_points == second_points).any(axis=1),
        "kept": np.where(largest_left < 0, np.nan, largest_left),
        "fair": reward("fair", first_points, second_points).max(axis=1),
    }
