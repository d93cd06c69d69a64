"""What each scenario holds, by listing its outcomes: the points of reference that play is measured against."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from negstats.games.allocations import division_utilities, divisions
from negstats.games.dealornodeal.rewards import reward
from negstats.games.dealornodeal.scenarios import TOTAL, Scenarios
from negstats.games.pareto import dominated

Numbers = npt.NDArray[np.float64]


def references(scenarios: Scenarios) -> dict[str, Numbers]:
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
    for place, count in enumerate(counts):
        rows = np.flatnonzero(kind.reshape(-1) == place)
        for name, values in _compute_references(division_utilities(divisions(count), scenarios.values[rows])).items():
            points[name][rows] = values
    return points


def _compute_references(points: npt.NDArray[np.float64]) -> dict[str, Numbers]:
    """Return the same of scenarios whose outcomes are listed, points (scenarios, outcomes, 2)."""
    first, second = points[..., 0], points[..., 1]
    joint, product = first + second, first * second
    optimal = ~dominated(points, points[:, np.newaxis])
    largest = product.max(axis=1)
    distinct = [len(np.unique(point[mask], axis=0)) for point, mask in zip(points, optimal, strict=True)]
    largest_left = np.where(first == TOTAL, second, -1).max(axis=1).astype(float)
    return {
        "outcomes": np.full(len(points), float(points.shape[1])),
        "joint": joint.max(axis=1),
        "product": largest,
        "nash_joint": np.where(product == largest[:, np.newaxis], joint, -1).max(axis=1),
        "egalitarian": points.min(axis=2).max(axis=1),
        "frontier": optimal.sum(axis=1),
        "frontier_points": np.array(distinct),
        "frontier_joint": (joint * optimal).sum(axis=1) / optimal.sum(axis=1),
        "equal": (first == second).any(axis=1),
        "kept": np.where(largest_left < 0, np.nan, largest_left),
        "fair": reward("fair", first, second).max(axis=1),
    }
