"""A comparison of two conditions in DuckDB beside the one line of SQL that gives its means and variances.

The line of SQL links nobody: that each game is a unit of its own, because no two of them share a person, is what the
comparison finds out first. Points have one decimal, two people play a game, and one of them is looked at.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from negstats.analysis import compare
from negstats.studies import Provenance, Study
from tests.benchmarks.peers import growth, ratio

GAMES = 500_000


def write_tables(folder: Path, games: int) -> Path:
    """Write the games and their players as Parquet."""
    rng = np.random.default_rng(1)
    place = np.arange(2 * games)
    folder.mkdir()
    names = "g" + pl.Series(place[:games]).cast(pl.String).str.zfill(8)
    condition = np.where(place[:games] % 2 == 0, "fair", "selfish")
    pl.DataFrame({"game_id": names, "ended": "agreement", "condition": condition}).write_parquet(
        folder / "games.parquet"
    )
    points = (50 + 20 * rng.random(2 * games) + 0.5 * (place // 2 % 2)).round(1)
    people = {"kind": "human", "participant_id": "p" + pl.Series(place).cast(pl.String).str.zfill(8), "points": points}
    seats = {"game_id": names.gather(place // 2), "player": np.where(place % 2 == 0, "A", "B")}
    pl.DataFrame({**seats, **people}).write_parquet(folder / "players.parquet")
    return folder


def compared(folder: Path) -> list[float]:
    """Return the means of both conditions."""
    files = {name: [folder / f"{name}.parquet"] for name in ("games", "players")}
    study = Study.of(files, Provenance("made up", "1"), engine="duckdb", memory="2GB")
    return [float(mean) for mean in compare(study, "points", "condition", who="A").table()["mean"]]


def by_sql(folder: Path) -> list[float]:
    """Return the same of SQL, with the variances that a test needs."""
    connection = duckdb.connect(config={"memory_limit": "2GB"})
    sums = "SELECT condition, count(points), avg(points), var_samp(points)"
    tables = f"'{folder}/players.parquet' JOIN '{folder}/games.parquet' USING (game_id)"
    query = f"{sums} FROM {tables} WHERE player = 'A' GROUP BY condition ORDER BY condition"
    rows = connection.execute(query).fetchall()
    return [float(row[2]) for row in rows]


def test_a_comparison_takes_few_times_its_sql(benchmark: Any, tmp_path: Path) -> None:
    few, many = (write_tables(tmp_path / str(games), games) for games in (GAMES // 10, GAMES))
    assert compared(many) == pytest.approx(by_sql(many), rel=1e-9)
    name = f"comparison of two conditions in DuckDB; {GAMES:,} games"
    taken = benchmark.pedantic(
        lambda: ratio(lambda: compared(many), lambda: by_sql(many), 4, name, against="DuckDB"), rounds=1
    )
    assert taken <= 14
    assert growth([lambda: compared(few), lambda: compared(many)], 10, 3, name) < 1.1
