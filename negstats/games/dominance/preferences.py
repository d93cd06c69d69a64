"""What one side prefers, the scores that follow, and how well the options serve two sides."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.games.dominance.domain import ANY, Domain, Option, Value
from negstats.games.dominance.statements import Pair, Statement

Scoring: TypeAlias = Literal["net", "count"]


@dataclass(frozen=True)
class Preferences:
    """For each criterion an order of its values.

    Parameters
    ----------
    domain
        What is talked about.
    orders
        For each criterion the pairs (less, more), with all that follow from them. `Preferences.of` takes orders.
    scoring
        ``"net"``: the values that are less preferred minus those that are more preferred. ``"count"``: the former only.

    Raises
    ------
    DesignError
        If a criterion has no pair (all its scores would be 0, and everything would be refused for ever), an order runs
        in a circle, or names a value that is not there.

    Examples
    --------
    >>> from negstats.games.dominance import restaurants
    >>> likes = Preferences.in_order(restaurants())  # as the values are listed
    >>> [likes.score("cuisine", value) for value in likes.ranked("cuisine")]
    [3, 1, -1, -3]
    >>> likes.option_score(("italian", "cheap", "quiet"))
    4
    >>> likes.ranked_options[0]
    ('french', 'cheap', 'quiet')
    """

    domain: Domain
    orders: tuple[frozenset[Pair], ...]
    scoring: Scoring = "net"

    def __post_init__(self) -> None:
        if self.scoring not in get_args(Scoring):
            raise DesignError(f"scoring is {shown(self.scoring)}; give {' or '.join(get_args(Scoring))}")
        if len(self.orders) != len(self.domain.criteria):
            raise DesignError(f"orders has {len(self.orders)} orders for {len(self.domain.criteria)} criteria")
        for (name, values), pairs in zip(self.domain.criteria, self.orders, strict=True):
            if not pairs:
                raise DesignError(f"orders: nothing is preferred in {shown(name)}; give at least one pair")
            for value in itertools.chain(*pairs):
                if value not in values:
                    raise DesignError(f"orders: {shown(value)} is not a value of {shown(name)}: {', '.join(values)}")
            circle = next((lower for lower, preferred in pairs if lower == preferred), None)
            if circle is not None:
                raise DesignError(f"orders: {shown(circle)} would be preferred to itself in {shown(name)}")

    @classmethod
    def of(
        cls,
        domain: Domain,
        orders: Mapping[str, Sequence[str] | Iterable[Pair]],
        *,
        scoring: Scoring = "net",
    ) -> Preferences:
        """Make preferences from an order for each criterion: all its values, best first, or pairs (less, more).

        Parameters
        ----------
        domain
            What the talk is about.
        orders
            For each criterion its order of values.
        scoring
            How an order becomes scores, as `Preferences` takes it.

        Raises
        ------
        DesignError
            As `Preferences` does, or if an order of values leaves one out or has one twice.

        Examples
        --------
        A partial order, of which its transitive closure is taken:

        >>> domain = Domain.of({"price": ["cheap", "fair", "high", "silly"]})
        >>> likes = Preferences.of(domain, {"price": [("high", "fair"), ("fair", "cheap")]})
        >>> [likes.score("price", value) for value in domain.values("price")]
        [2, 0, -2, 0]
        """
        for name in orders:
            if name not in domain.places:
                raise DesignError(f"orders: {shown(name)} is not a criterion; {meant(name, domain.names)}")
        for name in domain.names:
            if name not in orders:
                raise DesignError(f"orders: {shown(name)} has no order; every criterion needs one")
        return cls(domain, tuple(_pairs(domain, name, orders[name]) for name in domain.names), scoring)

    @classmethod
    def in_order(cls, domain: Domain, *, scoring: Scoring = "net") -> Preferences:
        """Return the preferences in which values are the better the earlier the domain lists them.

        Parameters
        ----------
        domain
            What the talk is about.
        scoring
            How an order becomes scores, as `Preferences` takes it.
        """
        return cls.of(domain, dict(domain.criteria), scoring=scoring)

    def prefers(self, criterion: str, more: str, less: str) -> bool:
        """Whether one value is preferred to another; with a partial order it may be neither this nor the reverse.

        Parameters
        ----------
        criterion
            The name of a criterion of the domain, such as ``"price"``.
        more, less
            Values of the criterion.

        Returns
        -------
        bool
            True if `more` is preferred to `less`.
        """
        return (less, more) in self.orders[self.domain.places[criterion]]

    def score(self, criterion: str, value: str) -> int:
        """Return the score of a value.

        Parameters
        ----------
        criterion
            The name of a criterion of the domain, such as ``"price"``.
        value
            A value of the criterion.

        Returns
        -------
        int
            The larger, the more preferred.

        Raises
        ------
        DesignError
            If there is no such criterion or value.
        """
        try:
            return self._scores[criterion][value]
        except KeyError:
            self.domain.check(Value(criterion, value))
            raise

    def option_score(self, option: Option) -> int:
        """Return the score of an option: the sum of its values'.

        Parameters
        ----------
        option
            One value a criterion.

        Returns
        -------
        int
            The larger, the more preferred.

        Raises
        ------
        DesignError
            If it is none of the domain's options.
        """
        try:
            return self.option_scores[option]
        except KeyError:
            self.domain.check(option)
            raise

    def ranked(self, criterion: str) -> tuple[str, ...]:
        """Return the values of a criterion, best first; of equals the first in the domain's order.

        Parameters
        ----------
        criterion
            The name of a criterion of the domain, such as ``"price"``.

        Returns
        -------
        tuple[str, ...]
            All values of the criterion.
        """
        return self._rankings[criterion]

    def best(self, criterion: str) -> str:
        """Return the value with the largest score.

        Parameters
        ----------
        criterion
            The name of a criterion of the domain, such as ``"price"``.

        Returns
        -------
        str
            The first of the values in `ranked`.
        """
        return self._rankings[criterion][0]

    def worst(self, criterion: str) -> str:
        """Return the value with the smallest score; of equals the first in the domain's order.

        Parameters
        ----------
        criterion
            The name of a criterion of the domain, such as ``"price"``.

        Returns
        -------
        str
            A value of the criterion.
        """
        return self._worst[criterion]

    def statements(self, criterion: str) -> tuple[Statement, ...]:
        """Return all that can be said of a criterion, in order: the best, the worst, then every pair.

        Pairs go by the rank of the preferred value, then of the other, best first.

        Parameters
        ----------
        criterion
            The name of a criterion of the domain, such as ``"price"``.

        Returns
        -------
        tuple[Statement, ...]
            Each statement once.

        Examples
        --------
        >>> from negstats.games.dominance import restaurants
        >>> [statement[1:] for statement in Preferences.in_order(restaurants()).statements("price")]
        [('*', 'cheap'), ('expensive', '*'), ('moderate', 'cheap'), ('expensive', 'cheap'), ('expensive', 'moderate')]
        """
        return self._statements[criterion]

    @cached_property
    def ranked_options(self) -> tuple[Option, ...]:
        """The options, best first: by score, then by the score of their first value, of the second and so on."""
        scores = [self._scores[name] for name in self.domain.names]

        def sort_key(option: Option) -> tuple[int, ...]:
            negative_scores = [-criterion_scores[value] for criterion_scores, value in zip(scores, option, strict=True)]
            return (sum(negative_scores), *negative_scores)

        return tuple(sorted(self.domain.options, key=sort_key))

    @cached_property
    def option_scores(self) -> dict[Option, int]:
        """The score of each option, in the domain's order."""
        scores = [self._scores[name] for name in self.domain.names]
        return {
            option: sum(criterion_scores[value] for criterion_scores, value in zip(scores, option, strict=True))
            for option in self.domain.options
        }

    @cached_property
    def _scores(self) -> dict[str, dict[str, int]]:
        is_net = self.scoring == "net"
        scores = {}
        for (name, values), pairs in zip(self.domain.criteria, self.orders, strict=True):
            criterion_scores = dict.fromkeys(values, 0)
            for lower, higher in pairs:
                criterion_scores[higher] += 1
                criterion_scores[lower] -= is_net
            scores[name] = criterion_scores
        return scores

    @cached_property
    def _rankings(self) -> dict[str, tuple[str, ...]]:
        return {
            name: tuple(sorted(scores, key=lambda value, scores=scores: -scores[value]))  # type: ignore[misc]
            for name, scores in self._scores.items()
        }

    @cached_property
    def _worst(self) -> dict[str, str]:
        return {
            name: min(criterion_scores, key=criterion_scores.__getitem__)
            for name, criterion_scores in self._scores.items()
        }

    @cached_property
    def _statements(self) -> dict[str, tuple[Statement, ...]]:
        return {name: tuple(self._build_statements(name)) for name in self.domain.names}

    def _build_statements(self, name: str) -> Iterator[Statement]:
        yield Statement(name, ANY, self.best(name))
        yield Statement(name, self.worst(name), ANY)
        for higher, lower in itertools.product(self.ranked(name), repeat=2):
            if self.prefers(name, higher, lower):
                yield Statement(name, lower, higher)


def every_order(domain: Domain, *, scoring: Scoring = "net") -> Iterator[Preferences]:
    """Yield the preferences with every strict total order of each criterion's values.

    Parameters
    ----------
    domain
        Criteria, values and options.
    scoring
        How values get their scores from an order.

    Yields
    ------
    Preferences
        One preference for each combination of orders.

    Examples
    --------
    >>> from negstats.games.dominance import restaurants
    >>> sum(1 for _ in every_order(restaurants()))
    288
    """
    for orders in itertools.product(*(itertools.permutations(values) for _, values in domain.criteria)):
        yield Preferences.of(domain, dict(zip(domain.names, orders, strict=True)), scoring=scoring)


def _pairs(domain: Domain, name: str, order: Sequence[str] | Iterable[Pair]) -> frozenset[Pair]:
    entries = tuple(order)
    values = domain.values(name)
    if entries and all(isinstance(entry, str) for entry in entries):
        if len(entries) != len(values) or set(entries) != set(values):
            raise DesignError(
                f"orders: {shown(entries)} is not an order of the values of {shown(name)}: "
                f"each of {', '.join(values)} once"
            )
        return frozenset((lower, higher) for higher, lower in itertools.combinations(entries, 2))  # type: ignore[misc]
    pairs: set[Pair] = set()
    for entry in entries:
        if isinstance(entry, str) or len(entry) != 2:
            raise DesignError(f"orders: {shown(entry)} of {shown(name)} is not a pair (less, more)")
        pairs.add((entry[0], entry[1]))
    for between, lesser, greater in itertools.product(values, repeat=3):  # Warshall: the transitive closure
        if (lesser, between) in pairs and (between, greater) in pairs:
            pairs.add((lesser, greater))
    return frozenset(pairs)


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
    smallest, largest = min(scores), max(scores)
    if smallest == largest:
        raise NotEstimable(f"all {len(scores)} options have the score {largest}; satisfaction has no scale")
    return (preferences.option_score(option) - smallest) / (largest - smallest)


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
    # The mean of the frontiers is the Minkowski mean: all edges, sorted by their slope.
    steps = np.concatenate(edges)
    steps = steps[np.argsort(steps[:, 1] / steps[:, 0])[::-1]]  # the flattest first: each costs the second side least
    sums = np.cumsum(np.concatenate([start[None], steps]), axis=0) / games
    # Steps are differences of utilities: each is known to the rounding of the largest of these.
    rounding = 8 * float(np.finfo(np.float64).eps) * largest * np.abs(steps).sum(axis=1)
    # A corner is kept only where the slope changes by more than rounding.
    corners_kept = [
        corner
        for corner in range(1, len(steps))
        if _cross(steps[corner - 1], steps[corner]) < -(rounding[corner - 1] + rounding[corner])
    ]
    return sums[[0, *corners_kept, *([len(steps)] if len(steps) else [])]]


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


def _cross(first: Numbers, second: Numbers) -> float:
    return float(first[0] * second[1] - first[1] * second[0])
