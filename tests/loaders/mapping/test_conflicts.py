"""Rows of one thing become one, and rows that contradict each other are told, as counting them one by one says."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import LogError
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.conflicts import refuse_repeated, settled
from negstats.loaders.mapping.model import Source
from negstats.loaders.mapping.rows import Places, Schema

Row = tuple[int | None, str | None, float | None]
WORDS, NUMBERS = st.sampled_from([None, "a", "b"]), st.sampled_from([None, 1.0, 2.0])
ROWS = st.lists(st.tuples(st.sampled_from([None, 0, 1, 2**40]), WORDS, NUMBERS), min_size=1, max_size=9)


def places_of(rows: list[Row]) -> Places:
    places = Places(Intake(Path("log.csv")))
    places.add(Table(Path("log.csv"), [], {}, range(2, len(rows) + 2)))
    return places


def frame_of(rows: list[Row], places: Places) -> pl.DataFrame:
    types: Schema = {"number": pl.Int64, "word": places.text, "value": pl.Float64}
    return pl.DataFrame(rows, types, orient="row").with_columns(at=pl.int_range(pl.len(), dtype=pl.Int64))


@given(ROWS)
def test_rows_with_the_same_keys_agree_or_are_told(rows: list[Row]) -> None:
    places = places_of(rows)
    frame, values = frame_of(rows, places), dict[tuple[int | None, str | None], list[float]]()
    for number, word, value in rows:
        values.setdefault((number, word), []).extend([] if value is None else [value])
    if any(len(set(of_key)) > 1 for of_key in values.values()):
        with pytest.raises(LogError, match="must agree on value"):
            settled(frame, ["number", "word"], {}, places)
        return
    one_per_key = settled(frame, ["number", "word"], {}, places)
    assert one_per_key.select("number", "word", "value").rows() == [
        (*key, of_key[0] if of_key else None) for key, of_key in values.items()
    ]
    assert one_per_key["at"].to_list() == [[row[:2] for row in rows].index(key) for key in values]


@given(ROWS, st.sampled_from(["min", "max", "sum", "first", "last"]))
def test_the_value_that_counts_is_taken(rows: list[Row], take: str) -> None:
    places = places_of(rows)
    values: dict[int | None, list[float]] = {}
    for number, _, value in rows:
        values.setdefault(number, []).extend([] if value is None else [value])
    how: dict[str, Callable[[list[float]], float]] = {"min": min, "max": max, "sum": sum}
    how |= {"first": itemgetter(0), "last": itemgetter(-1)}
    source = Source("value", "measures.value", (), take=take)
    taken = settled(frame_of(rows, places).drop("word"), ["number"], {"value": source}, places)
    assert taken["value"].to_list() == [how[take](of_key) if of_key else None for of_key in values.values()]


@given(ROWS)
def test_the_first_row_that_repeats_another_is_told(rows: list[Row]) -> None:
    places, keys = places_of(rows), [row[:2] for row in rows]
    again = next((at for at, key in enumerate(keys) if key in keys[:at]), None)
    if again is None:
        refuse_repeated(frame_of(rows, places), ["number", "word"], "each is once", places)
        return
    with pytest.raises(LogError, match=rf"row {again + 2}: .* row {keys.index(keys[again]) + 2} of .*; each is once"):
        refuse_repeated(frame_of(rows, places), ["number", "word"], "each is once", places)
