"""People who were listed and never began: nothing of them is missing, for there was nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest

PEOPLE, ABSENT = 80, 12


def listed() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    began = np.arange(PEOPLE + ABSENT) < PEOPLE
    frame = pd.DataFrame({"code": [f"x{place:02}kq{place % 7}" for place in range(PEOPLE + ABSENT)]})
    frame["arm"] = np.resize(["talk", "silent"], len(frame))
    frame["payoff"] = np.where(began, rng.normal(10, 2, len(frame)).round(1), 0)
    for name, numbers in (("gave", rng.integers(0, 21, len(frame))), ("age", rng.integers(18, 60, len(frame)))):
        frame[name] = pd.Series(numbers).where(began).astype("Int64")
    frame["device"] = pd.Series(np.resize(["phone", "tablet", "desk"], len(frame))).where(began)
    frame.loc[3, "age"] = pd.NA
    return frame.sample(frac=1, random_state=2)


def study_of(frame: pd.DataFrame, folder: Path) -> negstats.Study:
    log, mapping = folder / "log.csv", folder / "m.toml"
    frame.to_csv(log, index=False)
    mapping.write_text(suggest(log), encoding="utf-8")
    return negstats.load(log, mapping=mapping)


def test_who_has_nothing_but_a_name_and_a_payoff_of_zero_never_began(tmp_path: Path) -> None:
    study = study_of(listed(), tmp_path)
    assert len(study.games) == PEOPLE
    assert [*study.provenance.reasons().values()] == [ABSENT]


@pytest.mark.parametrize("column", ["payoff", "both"])
def test_who_has_a_number_of_their_own_counts(column: str, tmp_path: Path) -> None:
    frame = listed()
    if column == "payoff":
        frame["payoff"] = np.random.default_rng(1).normal(10, 2, len(frame)).round(1)
    else:
        frame["gave"] = np.random.default_rng(1).integers(0, 21, len(frame))
    assert len(study_of(frame, tmp_path).games) == PEOPLE + ABSENT


def test_codes_that_a_program_made_are_no_likely_condition(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({"id": [f"P{place:03}" for place in range(PEOPLE)], "gave": rng.integers(0, 101, PEOPLE)})
    frame["hit"] = rng.permutation(np.resize(["35VN5BQM8VGHCME7JEF72KMW", "3PUN5J88E7Q1F6QW4EKD7X76"], PEOPLE))
    frame.to_csv(tmp_path / "log.csv", index=False)
    keys = tomllib.loads(suggest(tmp_path / "log.csv"))
    assert "hit" not in keys.get("factors", {})
