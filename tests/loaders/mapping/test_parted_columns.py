"""Surveys in which each condition has a question of its own: the column that is filled says who saw what."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest

PEOPLE = 120
CONDITIONS = ("low", "mid", "high")
NAMES = {
    "words behind": ("rate_{}", "kept_{}"),
    "words before": ("{}_rate", "{}_kept"),
    "words alone": ("{}", "{}_T_1"),
}


def survey(names: tuple[str, ...], *, tell: bool = False) -> pd.DataFrame:
    """Each person answers the questions of one condition; a few answer nothing."""
    rng = np.random.default_rng(5)
    rows: list[dict[str, Any]] = []
    for person in range(PEOPLE):
        place = int(rng.integers(len(CONDITIONS)))
        row: dict[str, Any] = {"id": f"R_{person:04x}", "year": int(rng.integers(1960, 2005))}
        if person % 30:
            answers = np.clip(rng.normal(4 + place, 1.5, len(names)).round(), 1, 7).astype(int)
            row |= {name.format(CONDITIONS[place]): answer for name, answer in zip(names, answers, strict=True)}
        if tell:
            row["kind"] = CONDITIONS[place]
        rows.append(row)
    columns = [name.format(condition) for name, condition in itertools.product(names, CONDITIONS)]
    return pd.DataFrame(rows).reindex(columns=["id", *columns, "year", *(["kind"] if tell else [])])


def drafted(log: Path, answers: dict[str, str] | None = None) -> tuple[dict[str, Any], negstats.Study]:
    mapping = log.with_name("m.toml")
    mapping.write_text(suggest(log, answers=answers), encoding="utf-8")
    return tomllib.loads(mapping.read_text(encoding="utf-8")), negstats.load(log, mapping=mapping)


@pytest.mark.parametrize("names", NAMES)
def test_columns_of_which_each_person_has_one_are_one_measure_of_conditions(names: str, tmp_path: Path) -> None:
    frame, log = survey(NAMES[names]), tmp_path / "log.csv"
    frame.to_csv(log, index=False)
    keys, study = drafted(log, {"condition": "{round}"})
    question = next(each for each in keys["open"] if each["subject"] == "levels")
    assert question["likely"] == [2]
    games = study.games
    own = frame[[NAMES[names][0].format(each) for each in CONDITIONS]]
    measure = next(name for name in games if name in {"rate", "value"})
    assert len(games) == own.notna().any(axis=1).sum() == PEOPLE - PEOPLE // 30
    for condition, values in zip(CONDITIONS, own.to_numpy().T, strict=True):
        read = games.loc[games["condition"] == condition, measure].astype(float)
        assert sorted(read) == sorted(values[~np.isnan(values)])


def test_columns_stay_measures_where_a_column_tells_which_of_them_a_row_has(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    survey(NAMES["words behind"], tell=True).to_csv(log, index=False)
    questions = tomllib.loads(suggest(log)).get("open", [])
    assert all(each["likely"] == [1] for each in questions if each["subject"] == "levels")


def test_moments_at_a_page_and_the_clicks_there_are_no_rounds(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    pages = {f"{page}_{number}": column for page in "ABC" for number, column in enumerate(
        [*np.sort(rng.gamma(2, 5, (3, PEOPLE)).round(3), axis=0), rng.integers(1, 9, PEOPLE)], 1
    )}  # fmt: skip
    frame = pd.DataFrame({"id": [f"R_{each:04x}" for each in range(PEOPLE)], **pages})
    frame["arm"], frame["trust"] = rng.permutation(np.repeat(["x", "y"], PEOPLE // 2)), rng.integers(0, 101, PEOPLE)
    log = tmp_path / "log.csv"
    frame.to_csv(log, index=False)
    assert len(drafted(log)[1].games) == PEOPLE
