"""Files of a folder whose columns differ: what is lost is named, and what tells of the same rows stands beside them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.stacks import are_same_rows, find_parts
from negstats.loaders.mapping import suggest

PEOPLE = 60
ITEMS = [f"item_{number}" for number in range(1, 19)]


def people(seed: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"worker": [f"W{number:03d}" for number in rng.permutation(PEOPLE)]})
    table[ITEMS] = rng.integers(1, 8, (PEOPLE, len(ITEMS)))
    return table.assign(cond=rng.permutation(["loss", "gain"] * (PEOPLE // 2)))


def saved(folder: Path, **tables: pd.DataFrame) -> Path:
    logs = folder / "logs"
    logs.mkdir()
    for name, table in tables.items():
        table.to_csv(logs / f"{name}.csv", index=False)
    return logs


def test_a_file_with_other_columns_of_the_same_rows_stands_beside(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    drawn = people()
    raw = drawn.assign(started=rng.integers(1000, 9999, PEOPLE))
    result = drawn.assign(offer=rng.integers(0, 51, PEOPLE), started=rng.integers(1000, 9999, PEOPLE)).sample(
        PEOPLE - 2, random_state=1
    )
    logs = saved(tmp_path, data_prop=raw, result_prop=result)
    mapping = tmp_path / "m.toml"
    mapping.write_text(suggest(logs), encoding="utf-8")
    keys = tomllib.loads(mapping.read_text(encoding="utf-8"))
    assert isinstance(keys["files"], str)
    assert keys["measures"]["offer"] == "offer"
    assert len(negstats.load(logs, mapping=mapping).games) == PEOPLE - 2


@pytest.mark.parametrize("seeds", [(2, 3), (4, 5)])
def test_people_who_answer_twice_stand_below_each_other(seeds: tuple[int, int], tmp_path: Path) -> None:
    first, second = (people(seed) for seed in seeds)
    logs = saved(tmp_path, wave1=first, wave2=second.assign(remarks="none"))
    assert tomllib.loads(suggest(logs))["files"] == "*.csv"


def test_columns_that_some_files_lack_are_named(tmp_path: Path) -> None:
    first, second = people(), people(3)
    second["worker"] = second.worker.str.replace("W", "V")
    logs = saved(tmp_path, pd=first.assign(partner_gave=1.5), pgg=second.assign(partners_gave=2.5))
    text = suggest(logs)
    line = next(line for line in text.splitlines() if line.startswith("# Columns that some files lack"))
    assert line.endswith('"partner_gave" (in pd.csv), "partners_gave" (in pgg.csv)')


def test_a_file_with_a_column_of_its_own_is_no_part_of_another(tmp_path: Path) -> None:
    drawn = people()
    for name, table in {"long": drawn, "own": drawn[:30].assign(note="x"), "part": drawn[:30]}.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    paths = [tmp_path / f"{name}.csv" for name in ("long", "own", "part")]
    whole, own, part = (read_table(path.read_bytes(), path) for path in paths)
    assert find_parts([whole, own]) == []
    assert find_parts([whole, part]) == [1]
    assert are_same_rows(whole, own)
    assert not are_same_rows(whole, part)
