"""Numbers of rows are equal where the rows are, however large what they hold is."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from negstats.loaders.mapping.frames import are_distinct, packed

LARGE = st.sampled_from([-(2**62), -1, 0, 1, 2, 2**40, 2**61, 2**61 + 1])


@given(st.lists(st.tuples(LARGE, LARGE, LARGE), min_size=1, max_size=12))
def test_rows_have_one_number_if_and_only_if_they_are_equal(rows: list[tuple[int, int, int]]) -> None:
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    numbers = packed(columns).tolist()
    assert [one == numbers[0] for one in numbers] == [row == rows[0] for row in rows]
    assert are_distinct(columns) == (len(set(rows)) == len(rows))
