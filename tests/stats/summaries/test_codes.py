"""Codes are what `np.unique` gives, whichever way they are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from negstats.stats.summaries.frames import ascend, number_codes, recoded, whole_codes

WHOLE = st.one_of(st.integers(-5, 5), st.integers(-100, 3000), st.integers(-(2**62), 2**62))


@given(st.lists(WHOLE, min_size=1, max_size=60))
def test_whole_numbers_are_coded_by_size(values: list[int]) -> None:
    column = np.array(values)
    counted = whole_codes(column)
    distinct, places = np.unique(column, return_inverse=True)
    if counted is None:  # a range that is not a table's
        assert distinct[-1].item() - distinct[0].item() > 1000
    else:
        np.testing.assert_array_equal(counted[0], places)
        np.testing.assert_array_equal(counted[1], distinct)
        assert counted[1].dtype == column.dtype
    size, again = recoded(column)
    assert size == len(distinct)
    np.testing.assert_array_equal(again, places)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint64"])
def test_the_range_of_a_small_type_does_not_overflow(kind: str) -> None:
    limits = np.iinfo(kind)
    column = np.array([limits.max, limits.max - 200 if limits.bits > 8 else limits.min, limits.max], dtype=kind)
    counted = whole_codes(column)
    if kind == "uint64":
        assert counted is None
    else:
        assert counted is not None
        assert counted[0].tolist() == [1, 0, 1]
        assert counted[1].tolist() == sorted(set(column.tolist()))


@given(arrays.arrays(np.float64, st.integers(0, 50), elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1.5])))
def test_numbers_are_coded_by_size(y: np.ndarray) -> None:
    codes, values = number_codes(y)
    distinct, places = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(values, distinct)
    np.testing.assert_array_equal(codes, places)


FAR = st.floats(-1e6, 1e6) | st.floats(1e9, 1e9 + 1e-3) | st.sampled_from([0.0, -0.0, 1e-300, 1e300, -1e300])


@given(arrays.arrays(np.float64, st.integers(0, 80), elements=FAR))
def test_numbers_ascend_however_near_or_far_they_are(y: np.ndarray) -> None:
    order, ascending = ascend(y)
    np.testing.assert_array_equal(np.sort(order), np.arange(len(y)))
    np.testing.assert_array_equal(ascending, np.sort(y))
    np.testing.assert_array_equal(y[order], ascending)
