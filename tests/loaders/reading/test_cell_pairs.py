"""Cells that hold two things are told from ids, ages, dates and times, which look alike."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest
from negstats.loaders.reading.cell_pairs import find_pair
from negstats.loaders.reading.columns import build_column, text_cells

RNG = np.random.default_rng(17)
GRID = list(itertools.product(range(1, 9), range(1, 13)))
DRAWN = RNG.integers(0, 13, (200, 2)).tolist()


def separator(cells: Iterable[str], name: str = "c1") -> str | None:
    """Return what parts the cells of a column, None if nothing does."""
    pair = find_pair(build_column(name, text_cells(cells)))
    return None if pair is None else pair.separator


@pytest.mark.parametrize("between", [" vs. ", " gegen ", "+", "/", "_vs_", " – "])
@pytest.mark.parametrize("names", [("Ann", "Ben", "Cleo", "Dan"), ("gpt_4", "claude_3", "llama_2", "m_7")])
def test_names_that_stand_on_both_sides_are_of_those_who_met(between: str, names: tuple[str, ...]) -> None:
    cells = [f"{one}{between}{other}" for one, other in itertools.permutations(names, 2) for _ in range(3)]
    assert separator(cells) == between


@pytest.mark.parametrize("between", ["-", ":", " - "])
def test_numbers_from_zero_on_are_what_both_got(between: str) -> None:
    assert separator([f"{one}{between}{other}" for one, other in DRAWN]) == between


@pytest.mark.parametrize(
    "cells",
    [
        [f"{session}-{person}" for session, person in GRID],
        [f"{session}-{person}" for session, person in GRID for _ in range(5)],
        [f"{session}-{person}" for session, person in GRID for _ in range(1 + (session * person) % 7)],
        [f"S{session}-P{person}" for session, person in GRID],
        [f"G{group}-{round_}" for group, round_ in GRID],
        [f"image{image}_v{version}" for image, version in GRID],
        ["18-25", "26-35", "36-45", "46-60"] * 20,
        [f"{low}-{low + 10}" for low in range(0, 90, 3)] * 4,
        [f"{one}:{59 - other:02}" for one, other in DRAWN],
        [f"{one + 1}/{other + 1}" for one, other in DRAWN],
        [f"{one}/10" for one, _ in DRAWN],
        [f"{-one}" for one, _ in DRAWN],
        ["high-low", "low-high", "high-high", "low-low"] * 20,
        ["part-time", "full-time", "self-employed"] * 20,
        ["en-GB", "en-US", "de-DE", "fr-FR"] * 20,
        [f"u{person}@h{person % 4}.org" for person in range(80)],
        [f"{one:08x}-{other:04x}" for one, other in RNG.integers(0, 2**16, (80, 2)).tolist()],
    ],
)
def test_ids_ages_dates_and_times_are_one_thing(cells: list[str]) -> None:
    assert separator(cells) is None


def test_both_parts_of_cells_are_read(tmp_path: Path) -> None:
    pairs = list(itertools.permutations(("Boulware", "Conceder", "Hybrid", "Nice"), 2)) * 3
    log = pd.DataFrame({"Begegnung": [f"{one} gegen {other}" for one, other in pairs]})
    log["Ergebnis"] = [f"{one}:{other}" for one, other in RNG.integers(0, 9, (len(log), 2)).tolist()]
    log.to_csv(tmp_path / "log.csv", index=False)
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path / "log.csv"), encoding="utf-8")
    players = negstats.load(tmp_path / "log.csv", mapping=tmp_path / "mapping.toml").players
    assert list(zip(players["agent"][::2], players["agent"][1::2], strict=True)) == pairs
    assert [f"{one:.0f}:{other:.0f}" for one, other in players["points"].to_numpy().reshape(-1, 2)] == [
        *log["Ergebnis"]
    ]
