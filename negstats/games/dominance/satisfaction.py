"""How well the options serve two sides, and how much both could have on average over many pairs of preferences."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable
from negstats.games.dominance.domain import Option
from negstats.games.dominance.preferences import Preferences

Numbers = npt.NDArray[np.float64]


def satisfaction(preferences: Preferences, option: Option) -> float:
    """Return the score of an option on a scale from 0, the worst option there is, to 1, the best.

    Parameters
    ----------
    preferences
        Of the side that is asked.
    option
        One of the domain's options.

    Returns
    -------
    float
        A number from 0 to 1.

    Raises
    ------
    DesignError
        If it is none of the options; as NotEstimable if all have one score.

    Examples
    --------
    >>> from negstats.games.dominance import Preferences, restaurants
    >>> round(satisfaction(Preferences.in_order(restaurants()), ("italian", "cheap", "quiet")), 3)
    0.833
    """
    scores = preferences.option_scores.values()
    least, most = min(scores), max(scores)
    if least == most:
        raise NotEstimable(f"all {len(scores)} options have the score {most}; satisfaction has no scale")
    return (preferences.option_score(option) - least) / (most - least)


def satisfactions(one: Preferences, other: Preferences) -> Numbers:
    """Return both sides' satisfaction with each option: (options, 2), in the domain's order.

    Parameters
    ----------
    one
        Preferences of the first side.
    other
        Preferences of the second side, over the same domain.

    Returns
    -------
    Numbers
        Numbers from 0 to 1, a column a side.

    Raises
    ------
    DesignError
        If the two talk about different domains; as NotEstimable if one side's options have all one score.

    Examples
    --------
    >>> from negstats.games import pareto_optimal
    >>> from negstats.games.dominance import Preferences, restaurants
    >>> likes = Preferences.in_order(restaurants())
    >>> both = satisfactions(likes, likes)
    >>> both[pareto_optimal(both)].tolist()
    [[1.0, 1.0]]
    """
    if one.domain != other.domain:
        raise DesignError("the two sides' preferences are about different domains; one domain is needed")
    return np.array([[satisfaction(side, option) for side in (one, other)] for option in one.domain.options])


def mean_frontier(utilities: Iterable[npt.ArrayLike]) -> Numbers:
    """Return the frontier of mean utilities: what two sides can have on average over several games, by lotteries.

    Each game's efficient utilities, lotteries between options included, are the upper right part of the convex hull of
    its outcomes. Their mean over games is the Minkowski sum divided by the number of games: the edges of all games, one
    after the other by slope (de Berg et al., 2008, 13.2).

    Parameters
    ----------
    utilities
        For each game an array (outcomes, 2).

    Returns
    -------
    numpy.ndarray
        The corners (corners, 2), from the best for the second side to the best for the first.

    Raises
    ------
    DesignError
        If there is no game, or one is not a table with two columns.

    References
    ----------
    de Berg, M., Cheong, O., van Kreveld, M., & Overmars, M. (2008). Computational Geometry (3rd ed.). Springer.

    Examples
    --------
    Two games: one in which both can have 1, one in which they divide it.

    >>> mean_frontier([[[1, 1], [0, 0]], [[1, 0], [0, 1]]]).tolist()
    [[0.5, 1.0], [1.0, 0.5]]
    """
    start, edges, games, largest = np.zeros(2), [], 0, 0.0
    for game in utilities:
        table = np.asarray(game, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != 2 or not len(table):
            raise DesignError(f"utilities: a game has the shape {table.shape}; outcomes by 2 sides are needed")
        corners = _upper_right(table)
        start += corners[0]
        largest = max(largest, float(np.abs(table).max()))
        edges.append(np.diff(corners, axis=0))
        games += 1
    if not games:
        raise DesignError("utilities holds no game; at least one is needed")
    steps = np.concatenate(edges)
    steps = steps[np.argsort(steps[:, 1] / steps[:, 0])[::-1]]  # the flattest first: each costs the second side least
    sums = np.cumsum(np.concatenate([start[None], steps]), axis=0) / games
    # Steps are differences of utilities: each is known to the rounding of the largest of these.
    rounding = 8 * float(np.finfo(np.float64).eps) * largest * np.abs(steps).sum(axis=1)
    turns = [
        place
        for place in range(1, len(steps))
        if _cross(steps[place - 1], steps[place]) < -(rounding[place - 1] + rounding[place])
    ]
    return sums[[0, *turns, *([len(steps)] if len(steps) else [])]]


def _upper_right(table: Numbers) -> Numbers:
    """Return the corners of the efficient part of the convex hull, from the best for the second side on."""
    corners: list[Numbers] = []
    for point in table[np.lexsort((-table[:, 1], table[:, 0]))]:  # by the first side, the best for the second first
        while corners and point[1] >= corners[-1][1]:  # dominated
            corners.pop()
        while (
            len(corners) > 1 and _cross(corners[-1] - corners[-2], point - corners[-1]) >= 0
        ):  # below the line of its neighbours
            corners.pop()
        if not corners or point[0] > corners[-1][0]:
            corners.append(point)
    return np.array(corners)


def _cross(one: Numbers, other: Numbers) -> float:
    return float(one[0] * other[1] - one[1] * other[0])
