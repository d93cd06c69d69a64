"""Blocks of one table below each other in a sheet, each with a title: the title is a column."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import numpy as np
import pytest
from openpyxl import Workbook

import negstats
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.tabular import Form
from negstats.loaders.mapping import suggest

NAMES = ["pareja", "ronda", "oferta"]
TITLES = ["Sin comunicación", "Con comunicación", "Con comunicación y tiempo"]
ROUNDS = 6


def blocks(*, first_title: bool = True, gap: bool = False, pairs: int = 8) -> list[list[str]]:
    """Return the lines of a sheet: blocks of pairs of their own, each below a title."""
    rng = np.random.default_rng(5)
    lines: list[list[str]] = []
    for place, title in enumerate(TITLES):
        lines += [[title, "", ""]] if place or first_title else []
        lines += [["", "", ""]] * gap
        lines.append(NAMES)
        for pair in range(pairs):
            ids = f"P{place * pairs + pair:02d}"
            lines += [[ids, str(number + 1), str(rng.integers(0, 100))] for number in range(ROUNDS)]
        lines += [["", "", ""]] * gap
    return lines


def saved_csv(path: Path, lines: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    return path


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize("gap", [False, True])
def test_titles_of_blocks_are_a_condition(ending: str, *, gap: bool, tmp_path: Path) -> None:
    path, lines = tmp_path / f"hoja.{ending}", blocks(gap=gap)
    if ending == "csv":
        saved_csv(path, lines)
    else:
        book = Workbook()
        assert book.active is not None
        for line in lines:
            book.active.append([int(cell) if cell.isdecimal() else cell or None for cell in line])
        book.save(path)
    text = suggest(path)
    assert tomllib.loads(text)["factors"]["source"] == "source"
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    study = negstats.load(path, mapping=tmp_path / "m.toml")
    assert study.games["source"].value_counts().to_dict() == dict.fromkeys(TITLES, 8 * ROUNDS)
    assert study.provenance.reasons()["a title above the names of the columns"] == len(TITLES) - 1


def test_a_first_block_without_a_title_has_a_number(tmp_path: Path) -> None:
    path = saved_csv(tmp_path / "log.csv", blocks(first_title=False))
    titles = read_table(path.read_bytes(), path).column("source")
    assert list(dict.fromkeys(titles)) == ["1", *TITLES[1:]]


def test_titles_are_read_alone_and_beside_columns_in_which_none_stands(tmp_path: Path) -> None:
    path = saved_csv(tmp_path / "log.csv", blocks())
    whole = read_table(path.read_bytes(), path, Form(header=2))
    for names in (["source"], ["ronda", "source"], ["oferta"], ["pareja"]):
        table = read_table(path.read_bytes(), path, Form(header=2), names)
        assert set(table.cells) == set(names)
        for name in names:
            assert table.column(name).equals(whole.column(name))


def test_names_again_without_titles_are_files_put_together(tmp_path: Path) -> None:
    lines = [line for line in blocks() if line[0] not in TITLES]
    path = saved_csv(tmp_path / "log.csv", lines)
    assert "source" not in read_table(path.read_bytes(), path).names
