"""A table with many columns of lists: a few are looked into, and the work does not grow with their product."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from negstats.loaders import mapping
from negstats.loaders.files.any_table import read_table
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.log_files import MOST_LISTS, find_logs


def table_of_lists(file: Path, columns: int) -> Path:
    draw = np.random.default_rng(1)
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["game", "p1", "p2", *(f"l{place}" for place in range(columns))])
        for row in range(8):
            lists = [
                json.dumps([{"by": "AB"[k % 2], "offer": int(draw.integers(0, 9))} for k in range(int(length))])
                for length in draw.integers(3, 12, columns)
            ]
            writer.writerow([row, f"a{row}", f"b{row}", *lists])
    return file


@pytest.mark.slow
def test_a_few_of_many_lists_are_looked_into(tmp_path: Path) -> None:
    file = table_of_lists(tmp_path / "lists.csv", 16)
    assert len(read_table(file.read_bytes(), file).names) == 19
    logs = list(find_logs(file, Asked()))
    assert sum(bool(log.lists) for log in logs) == MOST_LISTS
    text = mapping.suggest(file)
    assert "# lists that were not looked into, for others are longer:" in text
    few = mapping.suggest(table_of_lists(tmp_path / "few.csv", 3))
    assert "not looked into" not in few
