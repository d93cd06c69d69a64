"""Rows of means, sums and notes are no cases, whatever they are called; cases in which something is missing are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest

Computed: TypeAlias = Callable[["pd.Series[float]"], float]
MEAN: Computed = np.mean
NAMES = [("who", "arm", "score", "gift"), ("VP", "Bedingung", "Punkte", "Gabe"), ("c1", "c2", "c3", "c4")]


def people(ids: str = "P") -> pd.DataFrame:
    """Forty people, half of them in each arm."""
    rng = np.random.default_rng(3)
    names = [f"{ids}{person:02}" if ids else str(person) for person in range(1, 41)]
    table = {"who": names, "arm": ["high", "low"] * 20, "score": rng.normal(50, 8, 40).round(1)}
    return pd.DataFrame({**table, "gift": rng.integers(0, 21, 40)})


def computed(table: pd.DataFrame, label: str | None, of: Computed, digits: int = 2) -> pd.DataFrame:
    """Return a row with a statistic of both columns of numbers."""
    row = {"who": label, "arm": None, **{name: round(float(of(table[name])), digits) for name in ("score", "gift")}}
    return pd.DataFrame([row]).astype(object)


def below(table: pd.DataFrame, *rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows below those of a table."""
    return pd.concat([table.astype(object), *rows], ignore_index=True)


def loaded(folder: Path, table: pd.DataFrame, names: tuple[str, ...] = NAMES[0]) -> negstats.Study:
    log, mapping = folder / "log.csv", folder / "mapping.toml"
    table.set_axis(list(names), axis=1).to_csv(log, index=False)
    mapping.write_text(suggest(log), encoding="utf-8")
    return negstats.load(log, mapping=mapping)


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
@pytest.mark.parametrize("ids", ["P", ""])
@pytest.mark.parametrize("labels", [("Mittelwert", "SD"), ("Średnia", "odch."), ("x", "s")], ids=lambda of: of[1])
def test_means_and_deviations_below_people_are_excluded(
    tmp_path: Path, labels: tuple[str, str], ids: str, names: tuple[str, ...]
) -> None:
    table = people(ids)
    rows = [computed(table, label, of) for label, of in zip(labels, (MEAN, lambda of: of.std()), strict=True)]
    study = loaded(tmp_path, below(table, *rows), names)
    assert len(study.games) == 40
    assert len(study.provenance.left_out) == 2


@pytest.mark.slow
def test_means_among_people_are_excluded(tmp_path: Path) -> None:
    table = people()
    groups = [below(group, computed(group, "sum", lambda of: of.sum())) for _, group in table.groupby("arm")]
    study = loaded(tmp_path, pd.concat([*groups, computed(table, "sum", lambda of: of.sum())]))
    assert (len(study.games), len(study.provenance.left_out)) == (40, 3)


@pytest.mark.slow
def test_means_that_nothing_names_are_excluded(tmp_path: Path) -> None:
    table = people()
    assert len(loaded(tmp_path, below(table, computed(table, None, MEAN, 3))).games) == 40


def test_numbers_of_cases_and_notes_are_excluded_below_means(tmp_path: Path) -> None:
    table = people()
    note = pd.DataFrame([{"who": "* without pilot", "arm": None, "score": None, "gift": None}]).astype(object)
    study = loaded(tmp_path, below(table, computed(table, "M", MEAN), computed(table, "N", len, 0), note))
    assert (len(study.games), len(study.provenance.left_out)) == (40, 3)


@pytest.mark.parametrize(
    ("row", "column", "value"), [(39, "arm", None), (39, "score", None), (39, "gift", 50), (12, "who", "Anna")]
)
def test_people_of_whom_something_is_missing_are_people(
    tmp_path: Path, row: int, column: str, value: str | int | None
) -> None:
    table = people().astype(object)
    table.loc[row, column] = value
    assert len(loaded(tmp_path, table).games) == 40


@pytest.mark.slow
@pytest.mark.parametrize("answer", range(1, 6))
def test_a_person_who_always_gives_one_answer_is_no_mean(tmp_path: Path, answer: int) -> None:
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"id": range(1, 41), "arm": ["high", "low"] * 20}).astype(object)
    items = pd.DataFrame(rng.integers(1, 6, (40, 8)), columns=[f"item{item}" for item in range(1, 9)])
    items.loc[39] = answer
    table.loc[39, "arm"] = None
    assert len(loaded(tmp_path, table.join(items), (*table.columns, *items.columns)).games) == 40
