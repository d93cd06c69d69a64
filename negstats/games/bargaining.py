"""Bargaining solutions over a finite set of outcomes, by definition and under the names that other tools give them.

A solution is the set of outcomes that attain it: every tie is returned, compared exactly. Gains are utilities minus the
disagreement point, which is what each party gets without agreement (its BATNA).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable, UsageError, shown
from negstats.games.pareto import pareto_optimal

Numbers = npt.NDArray[Any]
Places = npt.NDArray[np.intp]
Tool: TypeAlias = Literal["genius", "negolog", "negmas"]
Solution: TypeAlias = Callable[[npt.ArrayLike, npt.ArrayLike], Places]


def nash(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Places:
    """Return the outcomes with the largest product of gains, among those where every party gains (Nash, 1950).

    Parameters
    ----------
    utilities
        (outcomes, parties).
    disagreement
        What each party gets without agreement, (parties,).

    Returns
    -------
    numpy.ndarray
        Places of all outcomes that attain it, rising.

    Raises
    ------
    NotEstimable
        If no outcome gives every party more than the disagreement point.
    DesignError
        If the shapes do not fit or a value is missing.

    References
    ----------
    Nash, J. F. (1950). The bargaining problem. Econometrica, 18, 155–162.

    Examples
    --------
    >>> nash([[10, 0], [6, 3], [4, 5], [0, 8]], [0, 0]).tolist()
    [2]
    """
    gains = _gains(utilities, disagreement)
    is_better = (gains > 0).all(axis=1)
    if not is_better.any():
        raise NotEstimable(
            f"no outcome gives every party more than the disagreement point {_format(disagreement)}: no Nash point"
        )
    return _best(np.where(is_better, _product(gains), -np.inf))


def utilitarian(utilities: npt.ArrayLike, disagreement: npt.ArrayLike = 0) -> Places:  # noqa: ARG001
    """Return the outcomes with the largest sum of utilities.

    Parameters
    ----------
    utilities
        As in `nash`.
    disagreement
        Makes no difference; it is there so that all solutions are called alike.

    Returns
    -------
    numpy.ndarray
        Places of all outcomes that attain it, rising.

    Raises
    ------
    DesignError
        If there is no outcome, the shapes do not fit or a value is missing.

    Examples
    --------
    >>> utilitarian([[10, 0], [6, 3], [4, 5], [0, 8]]).tolist()
    [0]
    """
    return _best(_sum(_gains(utilities, 0)))


def egalitarian(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Places:
    """Return the outcomes whose smallest gain is largest (Kalai, 1977, with equal weights).

    Ties may differ in what the better-off party gets: not every one of them need be Pareto optimal.

    Parameters
    ----------
    utilities, disagreement
        As in `nash`.

    Returns
    -------
    numpy.ndarray
        Places of all outcomes that attain it, rising.

    Raises
    ------
    DesignError
        If there is no outcome, the shapes do not fit or a value is missing.

    References
    ----------
    Kalai, E. (1977). Proportional solutions to bargaining situations: Interpersonal utility comparisons. Econometrica,
    45, 1623–1630.

    Examples
    --------
    >>> egalitarian([[10, 0], [6, 3], [4, 5], [0, 8]], [0, 0]).tolist()
    [2]
    """
    return _best(_gains(utilities, disagreement).min(axis=1))


def kalai_smorodinsky(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Places:
    """Return the outcomes whose smallest share of the ideal gains is largest (Kalai and Smorodinsky, 1975).

    A party's ideal gain is its largest over the outcomes where nobody falls below the disagreement point. On a
    comprehensive set the largest least share is the point of equal shares; on a finite set, where equal shares are
    rare, it is the largest share that every party can have.

    Parameters
    ----------
    utilities, disagreement
        As in `nash`.

    Returns
    -------
    numpy.ndarray
        Places of all outcomes that attain it, rising.

    Raises
    ------
    NotEstimable
        If no outcome leaves every party at or above the disagreement point, or a party's ideal gain is 0.
    DesignError
        If the shapes do not fit or a value is missing.

    References
    ----------
    Kalai, E., & Smorodinsky, M. (1975). Other solutions to Nash's bargaining problem. Econometrica, 43, 513–518.

    Examples
    --------
    >>> kalai_smorodinsky([[10, 0], [6, 3], [4, 5], [0, 8]], [0, 0]).tolist()
    [2]
    """
    gains, rational, ideal = _ideal(utilities, disagreement)
    shares = np.divide(gains, ideal).min(axis=1)
    return _best(np.where(rational, shares, -np.inf))


def bargaining_points(
    utilities: npt.ArrayLike, disagreement: npt.ArrayLike, *, compat: Tool | None = None
) -> dict[str, Places]:
    """Return every bargaining solution by name.

    Parameters
    ----------
    utilities, disagreement
        As in `nash`.
    compat
        None: `nash`, `utilitarian`, `egalitarian` and `kalai_smorodinsky` by definition. The name of a tool: the
        solutions that it computes, under its names and by its rules, but with all ties. Genius looks for the least
        difference in utility on the frontier and calls it ``kalai_smorodinsky``; NegoLog calls the utilitarian point
        ``kalai`` and takes no disagreement point; NegMAS calls the egalitarian point ``kalai`` and takes for ``ks``
        the most equal shares of the ideal gains, both on the frontier.

    Returns
    -------
    dict of str to numpy.ndarray
        Places of all outcomes that attain each.

    Raises
    ------
    UsageError
        If `compat` is not a tool that is known.
    DesignError, NotEstimable
        As the solutions.

    Examples
    --------
    >>> outcomes = [[10, 0], [6, 3], [4, 5], [0, 8]]
    >>> {name: places.tolist() for name, places in bargaining_points(outcomes, [0, 0]).items()}
    {'nash': [2], 'utilitarian': [0], 'egalitarian': [2], 'kalai_smorodinsky': [2]}
    >>> {name: places.tolist() for name, places in bargaining_points(outcomes, [0, 0], compat="negolog").items()}
    {'nash': [2], 'kalai': [0]}
    """
    return {name: solve(utilities, disagreement) for name, solve in solutions(compat).items()}


def solutions(compat: Tool | None) -> dict[str, Solution]:
    """Return the solutions of a tool by its names; raises UsageError for a tool that is not known."""
    if compat not in SOLUTIONS:
        names = ", ".join(shown(name) for name in SOLUTIONS)
        raise UsageError(f"compat is {shown(compat)}; known are {names}")
    return SOLUTIONS[compat]


def _product_on_frontier(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Places:
    """Largest product of gains on the frontier, whatever their signs: Genius' Nash point."""
    return _best(np.where(pareto_optimal(utilities), _product(_gains(utilities, disagreement)), -np.inf))


def _product_of_utilities(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Places:  # noqa: ARG001
    """Largest product of utilities: NegoLog's Nash point, which knows no disagreement point."""
    return _best(_product(_gains(utilities, 0)))


def _least_difference(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Places:  # noqa: ARG001
    """Least sum of absolute differences between parties on the frontier: Genius' Kalai-Smorodinsky point."""
    points = _gains(utilities, 0)
    differences = _sum(np.abs(points[:, :, np.newaxis] - points[:, np.newaxis]).reshape(len(points), -1))
    return _best(np.where(pareto_optimal(points), -differences, -np.inf))


def _negmas_nash(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Places:
    return _product_on_frontier(utilities, _floored(utilities, disagreement))


def _negmas_kalai(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Places:
    """Largest least gain on the frontier where nobody falls below the disagreement point."""
    gains, acceptable = _negmas_gains(utilities, disagreement)
    return _best(np.where(acceptable, gains.min(axis=1), -np.inf))


def _negmas_ks(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Places:
    """Least spread of the shares of the best gains, on the frontier where nobody falls below the disagreement point."""
    gains, acceptable = _negmas_gains(utilities, disagreement)
    best_gains = gains.max(axis=0)
    shares = gains / np.where(best_gains == 0, 1, best_gains)
    return _best(np.where(acceptable, -np.ptp(shares, axis=1), -np.inf))


def _negmas_gains(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    gains = _gains(utilities, _floored(utilities, disagreement))
    return gains, pareto_optimal(utilities) & _rational(gains, disagreement)


def _floored(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Numbers:
    """Raise the disagreement point to the least utilities: NegMAS counts gains from there if it is lower still."""
    gains = _gains(utilities, disagreement)
    floored: Numbers = np.asarray(disagreement, dtype=np.float64) + np.maximum(gains.min(axis=0), 0)
    return floored


# Read in the tools' sources: Genius' BidSpace (getNash, getKalaiSmorodinsky), NegoLog's nenv/BidSpace (nash_point,
# kalai_point), NegMAS' preferences/ops (nash_points, kalai_points, ks_points, max_welfare_points).
SOLUTIONS: dict[Tool | None, dict[str, Solution]] = {
    None: {
        "nash": nash,
        "utilitarian": utilitarian,
        "egalitarian": egalitarian,
        "kalai_smorodinsky": kalai_smorodinsky,
    },
    "genius": {"nash": _product_on_frontier, "kalai_smorodinsky": _least_difference},
    "negolog": {"nash": _product_of_utilities, "kalai": utilitarian},
    "negmas": {
        "nash": _negmas_nash,
        "kalai": _negmas_kalai,
        "ks": _negmas_ks,
        "max_welfare": utilitarian,
    },
}


def _gains(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> Numbers:
    table, point = np.asarray(utilities, dtype=np.float64), np.asarray(disagreement, dtype=np.float64)
    if table.ndim != 2 or not table.size or point.shape not in {(), table.shape[1:]}:
        raise DesignError(
            f"utilities have the shape {table.shape} and the disagreement point {point.shape}; "
            "(outcomes, parties) and (parties,) are needed, with at least one outcome"
        )
    if np.isnan(table).any() or np.isnan(point).any():
        raise DesignError("a utility or the disagreement point is missing; leave such games out")
    gains: Numbers = table - point
    return gains


def _rational(gains: Numbers, disagreement: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    rational = (gains >= 0).all(axis=1)
    if not rational.any():
        raise NotEstimable(f"every outcome leaves a party below the disagreement point {_format(disagreement)}")
    return np.asarray(rational)


def _ideal(utilities: npt.ArrayLike, disagreement: npt.ArrayLike) -> tuple[Numbers, npt.NDArray[np.bool_], Numbers]:
    gains = _gains(utilities, disagreement)
    rational = _rational(gains, disagreement)
    ideal: Numbers = gains[rational].max(axis=0)
    if (ideal == 0).any():
        party = int((ideal == 0).argmax())
        raise NotEstimable(
            f"party {party} (from 0) gains nothing in any outcome where nobody loses, so that its share is undefined"
        )
    return gains, rational, ideal


def _product(gains: Numbers) -> Numbers:
    """Multiply over parties in order of size: rounding does not depend on the order of the parties."""
    product: Numbers = np.sort(gains, axis=1).prod(axis=1)
    return product


def _sum(numbers: Numbers) -> Numbers:
    """Add up the columns in order of size, as in `_product`."""
    total: Numbers = np.sort(numbers, axis=1).sum(axis=1)
    return total


def _best(worth: Numbers) -> Places:
    return np.flatnonzero(worth == worth.max())


def _format(point: npt.ArrayLike) -> str:
    return shown(np.asarray(point).tolist())
