"""Additive utilities from bids: what is identified, what is not, and that known values give the same space."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.games.allocations import additive_space, space_of

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
