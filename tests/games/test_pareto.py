"""Pareto optimality against brute force, its properties, and the rate printed for Deal or No Deal."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from negstats.games import (
    distance_to,
    distance_to_frontier,
    dominated,
    frontier,
    minkowski_sum,
    pareto_optimal,
)

Numbers = npt.NDArray[Any]


def brute_force(utilities: Numbers, weak: bool = False) -> list[bool]:
    """The definition, word by word."""

    def beats(other: Numbers, own: Numbers) -> bool:
        if weak:
            return all(b > a for a, b in zip(own, other, strict=True))
        return all(b >= a for a, b in zip(own, other, strict=True)) and any(
            b > a for a, b in zip(own, other, strict=True)
        )

    return [not any(beats(other, own) for other in utilities) for own in utilities]


def tables(least: int = 1, most: int = 4) -> st.SearchStrategy[Numbers]:
    """Outcomes of so many parties, with few distinct values, so that ties and duplicates abound."""
    return st.integers(least, most).flatmap(
        lambda n: hnp.arrays(np.int64, st.tuples(st.integers(0, 25), st.just(n)), elements=st.integers(0, 4))
    )


@given(utilities=tables(), weak=st.booleans())
def test_against_brute_force(utilities: Numbers, weak: bool) -> None:
    assert pareto_optimal(utilities, weak=weak).tolist() == brute_force(utilities, weak)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("weak", [False, True])
@pytest.mark.parametrize("spread", [7, 14])
def test_more_rows_than_one_block(weak: bool, spread: int) -> None:
    """Along a slope, so that what dominates a row is like it and may stand in any block."""
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 60, (2, 1500))
    utilities = np.stack([first, second, 80 - first - second + rng.integers(0, spread, 1500)], axis=1)
    expected = [not bool(dominated(own, utilities, weak=weak)) for own in utilities]
    assert 50 < sum(expected) < 1500
    assert pareto_optimal(utilities, weak=weak).tolist() == expected


@given(utilities=tables(), weak=st.booleans(), seed=st.integers(0, 99))
def test_the_order_of_outcomes_and_of_parties_does_not_matter(utilities: Numbers, weak: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    optimal = pareto_optimal(utilities, weak=weak)
    rows, columns = rng.permutation(len(utilities)), rng.permutation(utilities.shape[1])
    np.testing.assert_array_equal(pareto_optimal(utilities[rows], weak=weak), optimal[rows])
    np.testing.assert_array_equal(pareto_optimal(utilities[:, columns], weak=weak), optimal)


@given(utilities=tables(), scale=st.integers(1, 9), shift=st.integers(-50, 50), weak=st.booleans())
def test_affine_rescaling_changes_nothing(utilities: Numbers, scale: int, shift: int, weak: bool) -> None:
    rescaled = utilities * np.arange(scale, scale + utilities.shape[1]) + shift
    np.testing.assert_array_equal(pareto_optimal(rescaled, weak=weak), pareto_optimal(utilities, weak=weak))


@given(utilities=tables())
def test_weakly_optimal_holds_the_optimal(utilities: Numbers) -> None:
    assert (pareto_optimal(utilities, weak=True) | ~pareto_optimal(utilities)).all()
    assert pareto_optimal(utilities).any() == bool(len(utilities))


@given(utilities=tables(2, 3), weak=st.booleans())
def test_a_point_that_is_an_outcome_is_dominated_where_it_is_not_optimal(utilities: Numbers, weak: bool) -> None:
    batch = np.broadcast_to(utilities, (len(utilities), *utilities.shape))
    np.testing.assert_array_equal(~dominated(utilities, batch, weak=weak), pareto_optimal(utilities, weak=weak))


def test_comparison_is_exact() -> None:
    # 0.1 + 0.2 is a little more than 0.3: nothing here decides that it is not.
    assert pareto_optimal([[0.1 + 0.2, 1.0], [0.3, 1.0]]).tolist() == [True, False]
    assert pareto_optimal([[2**53, 0], [2**53 + 1, 0]]).tolist() == [False, True]
    assert pareto_optimal([[-0.0, 1.0], [0.0, 1.0]]).tolist() == [True, True]
    assert pareto_optimal(np.array([[np.inf, 0], [1, -np.inf], [0, 1]])).tolist() == [True, False, True]


def test_edges() -> None:
    assert pareto_optimal(np.empty((0, 2))).tolist() == []
    assert pareto_optimal(np.empty((0, 3))).tolist() == []
    assert pareto_optimal([[1, 2]]).tolist() == [True]
    assert pareto_optimal([[1], [3], [3]]).tolist() == [False, True, True]
    assert pareto_optimal([[5, 5]] * 4).all()


@pytest.mark.slow
@given(one=tables(2, 2), other=tables(2, 2))
def test_sums_of_outcomes(one: Numbers, other: Numbers) -> None:
    sums = [(a + b).tolist() for a, b in itertools.product(one, other)]
    assert minkowski_sum(one, other).tolist() == sums
    assert minkowski_sum(one, other, unique=True).tolist() == sorted(map(list, {*map(tuple, sums)}))


@pytest.mark.slow
@settings(max_examples=50)
@given(sets=st.integers(2, 3).flatmap(lambda n: st.lists(tables(n, n), min_size=1, max_size=3)))
def test_the_frontier_over_time_needs_the_frontiers_only(sets: list[Numbers]) -> None:
    np.testing.assert_array_equal(
        frontier(minkowski_sum(*sets)), frontier(minkowski_sum(*map(frontier, sets), unique=True))
    )


def test_as_many_sums_as_the_limit_are_listed() -> None:
    assert minkowski_sum(*[np.zeros((3, 2))] * 2, limit=9).shape == (9, 2)
    assert len(minkowski_sum(*[np.c_[np.arange(3), np.arange(3)]] * 2, unique=True, limit=9)) == 5


def test_trading_over_time_beats_an_even_split_in_each_game() -> None:
    # mell2015's reason to look over time: who gives way where it costs little is repaid where it matters.
    first, second = [[4, 1], [2, 2], [1, 3]], [[1, 4], [2, 2], [3, 1]]
    both = minkowski_sum(first, second)
    even = both.tolist().index([4, 4])
    assert pareto_optimal(first)[1]
    assert pareto_optimal(second)[1]
    assert not pareto_optimal(both)[even]  # [4, 1] + [1, 4] gives [5, 5]


def test_distances_by_hand() -> None:
    outcomes = [[10, 0], [6, 6], [0, 10], [3, 2]]
    assert distance_to([3, 2], [6, 6]) == 5.0  # 3-4-5
    assert distance_to([[3, 2], [6, 6]], [[6, 6], [3, 2]]).tolist() == [0.0, 0.0]
    assert distance_to([3, 2], [6, 6], scale=[3, 4]) == pytest.approx(np.sqrt(2), rel=1e-15)
    assert distance_to_frontier([3, 2], outcomes) == 5.0
    assert distance_to_frontier(outcomes, outcomes, scale="range").tolist() == pytest.approx([0, 0, 0, 0.5], rel=1e-15)
    assert np.isnan(distance_to([np.nan, 1], [1, 1]))


@pytest.mark.slow
def test_distances_in_parts() -> None:
    rng = np.random.default_rng(8)
    points, targets = rng.random((700, 2)), rng.random((2000, 2))
    nearest = [np.min(np.hypot(*(targets - point).T)) for point in points]
    np.testing.assert_allclose(distance_to(points, targets), nearest, rtol=1e-13)


@given(utilities=tables(1, 3))
def test_only_the_dominated_are_away_from_the_frontier(utilities: Numbers) -> None:
    if len(utilities):
        np.testing.assert_array_equal(distance_to_frontier(utilities, utilities) == 0, pareto_optimal(utilities))


@pytest.mark.slow
@pytest.mark.parametrize("weak", [False, True])
@pytest.mark.parametrize(("rows", "spread"), [(1001, 6), (1500, 40), (2047, 2000), (2049, 400)])
def test_many_rows_are_compared_rightly(rows: int, spread: int, weak: bool) -> None:
    rng = np.random.default_rng(rows)
    for parties in (1, 2, 3, 4):
        utilities = rng.integers(0, spread, (rows, parties))
        expected = [not bool(dominated(own, utilities, weak=weak)) for own in utilities]
        assert pareto_optimal(utilities, weak=weak).tolist() == expected
        assert pareto_optimal(utilities * 0.1, weak=weak).tolist() == expected


def test_infinite_utilities_are_compared_among_many_rows() -> None:
    utilities = np.random.default_rng(1).random((1500, 3))
    utilities[::500] = [[np.inf, -np.inf, 0.5], [-np.inf, np.inf, 0.5], [0.5, 0.5, np.inf]]
    optimal = pareto_optimal(utilities)
    assert optimal.tolist() == [not bool(dominated(own, utilities)) for own in utilities]
    assert optimal[::500].all()
