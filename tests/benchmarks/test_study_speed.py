"""Opening a study of a million offers against reading its Parquet files, in the processors' time, both in turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from pytest_benchmark.fixture import BenchmarkFixture

from negstats.studies import Provenance, Study, open_study
from negstats.tables import conform
from tests.benchmarks.peers import ratio

OFFERS, EACH = 1_000_000, 10


def study() -> Study:
    rng, number = np.random.default_rng(1), OFFERS // EACH
    ids = np.char.add("g", np.arange(number).astype(str))
    turns = np.tile(["A", "B"], OFFERS // 2)
    offers = {
        "game_id": np.repeat(ids, EACH),
        "offer": np.tile(np.arange(1, EACH + 1), number),
        "proposer": turns,
        "responder": np.roll(turns, 1),
        "value_proposer": rng.random(OFFERS),
        "response": np.tile(["rejected"] * (EACH - 1) + ["accepted"], number),
    }
    seats = {"game_id": np.repeat(ids, 2), "player": np.tile(["A", "B"], number), "points": rng.random(2 * number)}
    return Study(
        games=conform("games", {"game_id": ids, "ended": ["agreement"] * number}),
        players=conform("players", seats),
        offers=conform("offers", offers),
        provenance=Provenance("benchmark", "1"),
    )


def test_open_study(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    place = study().save(tmp_path / "study")
    files = sorted(place.glob("*.parquet"))
    result = ratio(
        lambda: open_study(place),
        lambda: [pd.read_parquet(file) for file in files],
        rounds=9,
        name=f"opening a study, hashes and references checked; {OFFERS:,} offers",
        against="pandas, reading its files alone",
    )
    benchmark.pedantic(open_study, args=(place,), rounds=3)  # type: ignore[no-untyped-call]
    benchmark.extra_info["open_study / pandas.read_parquet, CPU"] = result
    assert result <= 2  # as much again as reading, for every hash and reference
