"""Columns as codes say what the cells say one by one, and a fault is that of the first row that has it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import LogError
from negstats.loaders.files.cells import Row, rows_of
from negstats.loaders.files.coded import Coded, below
from negstats.loaders.files.tabular import Table

CELLS = st.lists(st.sampled_from(["", " ", "1", "2.0", " 3 ", "nan", "0", "x", "1e999", "true", "a, b"]), max_size=30)


def column(cells: list[str]) -> Coded:
    return Coded.of(pa.array(cells, pa.large_string()))


def fault(place: int, reason: str) -> LogError:
    return LogError(reason, row=place)


@given(CELLS, CELLS)
def test_texts_are_those_of_the_cells(upper: list[str], lower: list[str]) -> None:
    expected = [cell if cell.strip() else None for cell in [*upper, *lower]]
    assert below([column(upper), column(lower)]).texts().to_pylist() == expected
    assert column(upper).stripped().texts().to_pylist() == [cell.strip() or None for cell in upper]


@given(CELLS)
def test_numbers_and_faults_are_those_of_single_cells(cells: list[str]) -> None:
    table = Table(Path("t.csv"), ["a"], {"a": pa.array(cells, pa.large_string())}, range(len(cells)))
    singles = [read_single(row) for row in rows_of(table)]
    faults = [value for value in singles if isinstance(value, LogError)]
    if faults:
        with pytest.raises(LogError) as raised:
            column(cells).numbers(fault)
        assert (raised.value.row, raised.value.reason) == (faults[0].row, faults[0].reason)
    else:
        np.testing.assert_array_equal(column(cells).numbers(fault), np.array(singles, dtype=float))


def read_single(row: Row) -> float | LogError:
    try:
        value = row.number("a")
    except LogError as error:
        return error
    return math.nan if value is None else value


def test_many_texts_get_codes_that_hold_them() -> None:
    words = [f"p{number}" for number in range(40_000)]
    assert column(words).codes.dtype == np.int32
    assert below([column(words), column(["p7"])]).texts()[-1].as_py() == "p7"
    assert column(["a", "b"]).codes.dtype == np.int8
