"""Whether columns are a key, as each engine finds out: DuckDB by sorted hashes, whatever the hashes are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from negstats.analysis import compare
from negstats.studies import Provenance, Study, engines
from negstats.studies.engines import DuckDB, Memory

FLOATS = [0.0, -0.0, 1.5, math.nan, -math.nan, math.inf, None]
VALUES: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "text": (
        pl.String,
        st.none() | st.text("aé\x00 ", max_size=3) | st.integers(0, 5).map(lambda n: "long " * 9 + str(n)),
    ),
    "integer": (pl.Int64, st.none() | st.integers(-3, 3) | st.sampled_from([2**62, -(2**62)])),
    "number": (pl.Float64, st.sampled_from(FLOATS) | st.floats()),
    "boolean": (pl.Boolean, st.none() | st.booleans()),
    "time": (pl.Datetime("us"), st.none() | st.datetimes().map(lambda time: time.replace(microsecond=0))),
}


@pytest.fixture(scope="module")
def duckdb_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDB]:
    engine = DuckDB(tmp_path_factory.mktemp("spill"), "1GB")
    engine.connection.execute("CREATE MACRO one_hash(value) AS 7::UBIGINT, (a, b) AS 7::UBIGINT")
    engine.connection.execute("CREATE MACRO two_hashes(value) AS hash(value) % 2, (a, b) AS hash(a, b) % 2")
    yield engine
    engine.connection.close()


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """A table of one or two columns, which has equal rows or none."""
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=2))
    values = st.tuples(*(VALUES[kind][1] for kind in kinds))
    rows = draw(st.lists(values, max_size=12) | st.lists(values, max_size=12, unique_by=repr))
    names = ["rows", 'a "name"'][: len(kinds)]
    return pl.DataFrame(
        rows, schema={name: VALUES[kind][0] for name, kind in zip(names, kinds, strict=True)}, orient="row"
    )


def answers(engine: DuckDB, table: pl.DataFrame) -> tuple[bool, bool]:
    """What DuckDB and polars say of all columns of a table."""
    arrow = table.to_arrow()
    in_duckdb = engine.is_key(engine.connection.from_arrow(arrow), table.columns)
    return in_duckdb, Memory(engine.spill, "1GB").is_key(table.lazy(), table.columns)


@pytest.mark.slow
@pytest.mark.parametrize("function", ["hash", "one_hash", "two_hashes"])
@pytest.mark.parametrize(("first", "most"), [(100_000, 1000), (0, 1000), (1, 1)])
@pytest.mark.parametrize("in_memory", [0, 1000])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(table=tables())
def test_hashes_say_what_values_do(
    duckdb_engine: DuckDB,
    monkeypatch: pytest.MonkeyPatch,
    function: str,
    first: int,
    most: int,
    in_memory: int,
    table: pl.DataFrame,
) -> None:
    monkeypatch.setattr(engines, "HASH", function)
    monkeypatch.setattr(engines, "FIRST_ROWS", first)
    monkeypatch.setattr(engines, "MOST_HASHES", most)
    monkeypatch.setattr(engines, "HASHES_IN_MEMORY", in_memory)
    in_duckdb, in_polars = answers(duckdb_engine, table)
    assert in_duckdb == in_polars == (len(table.unique()) == len(table))


@pytest.mark.slow
@pytest.mark.parametrize("shares", [False, True])
def test_two_equal_rows_are_found_far_apart_among_many(duckdb_engine: DuckDB, shares: bool) -> None:
    ids = np.random.default_rng(1).permutation(400_000)
    ids[-1] = ids[0] if shares else 400_000
    assert answers(duckdb_engine, pl.DataFrame({"id": "p" + pl.Series(ids).cast(pl.String)})) == (not shares,) * 2


def test_values_that_are_equal_have_equal_hashes(duckdb_engine: DuckDB) -> None:
    """Else rows of equal values could be missed: zeros of both signs, and all that is not a number."""
    query = """SELECT a = b, hash(a) = hash(b), hash(a, 1) = hash(b, 1)
        FROM (VALUES (0.0::DOUBLE, -0.0::DOUBLE), ('nan'::DOUBLE, '-nan'::DOUBLE)) pairs(a, b)"""
    assert duckdb_engine.connection.sql(query).fetchall() == [(True, True, True)] * 2


def two_seats(folder: Path, role: pl.Expr) -> dict[str, list[Path]]:
    """Write twelve games of two strangers: A has as many points as games were before, B three more."""
    seats = [(f"g{game}", seat, float(game + 3 * place)) for game in range(12) for place, seat in enumerate("AB")]
    table = pl.DataFrame(seats, schema=["game_id", "player", "points"], orient="row")
    person = pl.concat_str("game_id", "player").alias("participant_id")
    table.with_columns(person, role=role, kind=pl.lit("human")).write_parquet(folder / "players.parquet")
    games = table.select("game_id").unique(maintain_order=True)
    condition = pl.Series(["fair", "selfish"] * 6)
    games.with_columns(ended=pl.lit("agreement"), condition=condition).write_parquet(folder / "games.parquet")
    return {name: [folder / f"{name}.parquet"] for name in ("games", "players")}


@pytest.mark.slow
@pytest.mark.parametrize(("role", "means"), [(pl.col("player"), [5, 6]), (pl.lit("A"), [6.5, 7.5])])
def test_a_side_of_one_seat_has_a_value_a_game_and_one_of_two_their_mean(
    tmp_path: Path, role: pl.Expr, means: list[float]
) -> None:
    files = two_seats(tmp_path, role)
    for engine in ("duckdb", "polars"):
        study = Study.of(files, Provenance("made up", "1"), engine=engine)
        table = compare(study, "points", "condition", who="A").table()
        assert list(table["mean"]) == means
        assert list(table["n"]) == [6, 6]
