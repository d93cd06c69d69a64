"""What it takes to load tables of many rows beside polars' bare reading of the same file, which checks nothing.

oTree's wide export is that of a real study of 16 people with 70 columns, its people and sessions renamed as often as it
takes; the table that a mapping reads is made up.
"""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import negstats
from tests.benchmarks.peers import growth, memory, ratio
from tests.conftest import DataFolder

PEOPLE = 20_000
OFFERS = 100_000
MAPPING = """row = "offer"
games.game_id = "game"
factors.condition = "cond"
[offers]
proposer = "who"
units_to_proposer = "mine"
total = 10
value_proposer = "keep"
time_s = "time"
response = "answer"
[levels.response]
accepted = ["yes"]
rejected = ["no"]
"""


def write_export(folder: Path, source: Path, people: int) -> Path:
    """Write a wide export of so many people."""
    with (source / "all_apps_wide.csv").open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    person, session = names.index("participant.code"), names.index("session.code")
    file = folder / f"wide_{people}.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(names)
        for place in range(people):
            row = list(rows[place % len(rows)])
            row[person], row[session] = f"p{place:06d}", f"s{place // len(rows):06d}"
            writer.writerow(row)
    return file


def write_offers(folder: Path, rows: int) -> Path:
    """Write ten offers a game, each in turn, the last of them accepted."""
    rng = np.random.default_rng(1)
    game, place = np.repeat(np.arange(rows // 10), 10), np.tile(np.arange(10), rows // 10)
    frame = pl.DataFrame(
        {
            "game": "g" + pl.Series(game).cast(pl.String).str.zfill(7),
            "cond": np.where(game % 2 == 0, "fair", "selfish"),
            "who": np.where(place % 2 == 0, "A", "B"),
            "time": place * 3.5 + rng.random(rows).round(3),
            "mine": rng.integers(0, 11, rows),
            "keep": rng.random(rows).round(4),
            "answer": np.where(place == 9, "yes", "no"),
        }
    )
    frame.write_csv(folder / f"offers_{rows}.csv")
    return folder / f"offers_{rows}.csv"


def test_otree_wide(benchmark: Any, real_data: DataFolder, tmp_path: Path) -> None:
    few, many = (write_export(tmp_path, real_data("otree_dyads"), people) for people in (PEOPLE // 4, PEOPLE))
    name = f"oTree's wide export, 70 columns; {PEOPLE:,} rows"
    read, load = partial(pl.read_csv, many), partial(negstats.load, many)
    assert benchmark.pedantic(lambda: ratio(load, read, 4, name, against="polars, reading alone"), rounds=1) <= 12
    assert growth([partial(negstats.load, few), load], 4, 3, name) < 1.25
    assert memory(load, PEOPLE, name) < 1500


def test_offers_by_a_mapping(benchmark: Any, tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(MAPPING, encoding="utf-8")
    few, many = (write_offers(tmp_path, rows) for rows in (OFFERS // 4, OFFERS))
    name = f"table of offers by a mapping, 7 columns; {OFFERS:,} rows"
    read, load = partial(pl.read_csv, many), partial(negstats.load, many, mapping=mapping)
    assert benchmark.pedantic(lambda: ratio(load, read, 4, name, against="polars, reading alone"), rounds=1) <= 5
    assert growth([partial(negstats.load, few, mapping=mapping), load], 4, 3, name) < 1.25
    assert memory(load, OFFERS, name) < 1500
