"""Allocations of items, and additive values of them."""

from __future__ import annotations

import itertools
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.games import choice_utilities, choices, division_utilities, divisions, minkowski_sum
from negstats.games.allocations import additive_space, space_of

COUNTS = st.lists(st.integers(0, 4), min_size=0, max_size=4)


@given(counts=COUNTS, parties=st.integers(1, 3))
def test_divisions_are_all_there_and_give_everything_away(counts: list[int], parties: int) -> None:
    outcomes = divisions(counts, parties)
    # C(c + n - 1, n - 1) ways to divide c units among n parties (stars and bars).
    assert len(outcomes) == math.prod(math.comb(count + parties - 1, parties - 1) for count in counts)
    assert outcomes.shape[1:] == (parties, len(counts))
    assert (outcomes >= 0).all()
    assert (outcomes.sum(axis=1) == counts).all()
    flat = [tuple(outcome.ravel()) for outcome in outcomes]
    assert len(set(flat)) == len(flat)
    by_item = [tuple(outcome.T.ravel()) for outcome in outcomes]
    assert by_item == sorted(by_item)  # the order that the docstring promises


def test_two_parties_by_hand() -> None:
    # One book and two hats: what the first party may get, and the other the rest.
    mine = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    outcomes = divisions([1, 2])
    assert outcomes[:, 0].tolist() == mine
    assert outcomes[:, 1].tolist() == [[1 - book, 2 - hats] for book, hats in mine]


def test_three_parties_by_hand() -> None:
    assert divisions([2], 3)[:, :, 0].tolist() == [[0, 0, 2], [0, 1, 1], [0, 2, 0], [1, 0, 1], [1, 1, 0], [2, 0, 0]]


@given(sizes=st.lists(st.integers(1, 4), max_size=4))
def test_choices_are_the_product_of_options(sizes: list[int]) -> None:
    assert [tuple(row) for row in choices(sizes)] == list(itertools.product(*map(range, sizes)))


@given(counts=st.lists(st.integers(0, 3), max_size=3), parties=st.integers(2, 3), seed=st.integers(0, 99))
def test_division_utilities_against_loops(counts: list[int], parties: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(-3, 10, (2, parties, len(counts)))
    outcomes = divisions(counts, parties)
    batch = division_utilities(outcomes, values)
    assert batch.shape == (2, len(outcomes), parties)
    for game, outcome, party in np.ndindex(batch.shape):
        worth = sum(units * value for units, value in zip(outcomes[outcome, party], values[game, party], strict=True))
        assert batch[game, outcome, party] == worth
    np.testing.assert_array_equal(batch[1], division_utilities(outcomes, values[1]))


@given(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_choice_utilities_against_loops(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = [rng.integers(0, 10, (2, 3, options)) for options in sizes]
    outcomes = choices(sizes)
    batch = choice_utilities(outcomes, values)
    assert batch.shape == (2, len(outcomes), 3)
    for game, outcome, party in np.ndindex(batch.shape):
        chosen = zip(values, outcomes[outcome], strict=True)
        assert batch[game, outcome, party] == sum(issue[game, party, option] for issue, option in chosen)
    np.testing.assert_array_equal(batch[1], choice_utilities(outcomes, [issue[1] for issue in values]))


@given(seed=st.integers(0, 999))
def test_one_outcome_is_worth_to_the_last_bit_what_it_is_worth_in_the_space(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.random((5, 2, 4))  # fractions whose sums are rounded
    space = divisions([3, 2, 1, 4])
    whole = division_utilities(space, values)
    which = rng.integers(0, len(space), 5)
    alone = division_utilities(space[which][:, np.newaxis], values)[:, 0]
    np.testing.assert_array_equal(alone, whole[np.arange(5), which])
    issues = [rng.random((5, 2, options)) for options in (3, 2, 4)]
    settled = choices([3, 2, 4])
    picked = rng.integers(0, len(settled), 5)
    one = choice_utilities(settled[picked][:, np.newaxis], issues)[:, 0]
    np.testing.assert_array_equal(one, choice_utilities(settled, issues)[np.arange(5), picked])


def test_many_games_outcomes_with_values_that_they_share() -> None:
    chosen = np.array([[[0, 1]], [[1, 0]]])  # two games, one outcome each
    assert choice_utilities(chosen, [[[1, 2]], [[10, 20]]]).tolist() == [[[21]], [[12]]]


def test_both_kinds_of_issues_add_up() -> None:
    # One apple between two, and one issue with two options: 2 x 2 outcomes.
    apple = division_utilities(divisions([1]), [[3], [2]])
    place = choice_utilities(choices([2]), [[[0, 5], [4, 0]]])
    assert minkowski_sum(apple, place).tolist() == [[0, 6], [5, 2], [3, 4], [8, 0]]


def test_a_game_without_issues_has_one_outcome() -> None:
    assert divisions([], 2).shape == (1, 2, 0)
    assert choices([]).shape == (1, 0)
    assert division_utilities(divisions([], 2), np.zeros((2, 0))).tolist() == [[0.0, 0.0]]


def test_the_limit_can_be_raised_and_lowered() -> None:
    assert len(divisions([9], limit=10)) == 10


VALUES = [
    [{"low": 0.1, "mid": 0.2, "high": 0.5}, {"A": 0.0, "B": 0.4}],
    [{"low": 0.6, "mid": 0.3, "high": 0.0}, {"A": 0.25, "B": 0.125}],
]
BIDS = list(product(VALUES[0][0], VALUES[0][1]))


def worth(bid: tuple[str, ...]) -> list[float]:
    return [sum(issue[option] for issue, option in zip(party, bid, strict=True)) for party in VALUES]


def test_four_bids_identify_six_outcomes() -> None:
    """1 + (3 - 1) + (2 - 1) = 4 independent bids are enough."""
    values = [("low", "A"), ("mid", "A"), ("high", "B"), ("low", "B")]
    space = additive_space(values, [worth(bid) for bid in values])
    assert space is not None
    assert len(space.bids) == 6
    for bid in BIDS:
        assert space.of(bid) == pytest.approx(worth(bid), abs=1e-9)
    assert additive_space(values[:3], [worth(bid) for bid in values[:3]]) is None


def test_a_utility_that_is_not_additive() -> None:
    worths = [worth(bid) for bid in BIDS]
    assert additive_space(BIDS, worths) is not None
    worths[0][0] += 0.01
    assert additive_space(BIDS, worths) is None


def test_known_values_give_the_same_space() -> None:
    known, result = space_of(VALUES), additive_space(BIDS, [worth(bid) for bid in BIDS])
    assert result is not None
    assert known.bids == result.bids
    assert np.abs(known.utilities - result.utilities).max() < 1e-8


@settings(max_examples=30)
@given(st.lists(st.floats(-10, 10), min_size=5, max_size=5), st.floats(-5, 5), st.permutations(BIDS))
def test_neither_the_order_of_bids_nor_a_constant_matters(
    numbers: list[float], constant: float, bids: list[tuple[str, str]]
) -> None:
    values = dict(zip(["low", "mid", "high", "A", "B"], numbers, strict=True))
    one = [[values[first] + values[second]] for first, second in BIDS]
    other = [[values[first] + values[second] + constant] for first, second in bids]
    spaces = additive_space(BIDS, one), additive_space(bids, other)
    assert spaces[0] is not None
    assert spaces[1] is not None
    for bid in BIDS:
        assert spaces[1].of(bid)[0] - spaces[0].of(bid)[0] == pytest.approx(constant, abs=1e-7)
