"""Tables of a laboratory's program: numbers that begin anew in each session, period and list."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.plan.parse import parse
from negstats.analysis.preregistration.draft import draft
from negstats.loaders.mapping import draft_of, suggest
from negstats.loaders.mapping.forms import Asked


def subjects(sessions: int = 4, people: int = 6, periods: int = 3, *, age: str | None = "Age") -> pd.DataFrame:
    """Return z-Tree's table of subjects: groups of three, matched anew in each period."""
    rng = np.random.default_rng(3)
    rows = []
    for session in range(1, sessions + 1):
        ages = rng.integers(18, 40, people)
        for period in range(1, periods + 1):
            order = rng.permutation(people)
            rows += [
                {
                    "Session": session,
                    "Treatment": session % 2 + 1,
                    "Period": period,
                    "Subject": subject + 1,
                    "Group": int(order[subject]) // 3 + 1,
                    "Profit": round(rng.normal(20, 5), 2),
                    "Contribute": int(rng.integers(0, 21)),
                    "Others_1[1]": int(rng.integers(0, 21)),
                    "Others_2[1]": int(rng.integers(0, 21)),
                    "Others_3[1]": int(rng.integers(0, 21)),
                    **({age: int(ages[subject])} if age else {}),
                }
                for subject in range(people)
            ]
    return pd.DataFrame(rows)


def mapping_of(frame: pd.DataFrame, folder: Path) -> tuple[dict[str, Any], Path]:
    log, mapping = folder / "subjects.csv", folder / "mapping.toml"
    frame.to_csv(log, index=False)
    mapping.write_text(draft_of(log, Asked(None, None, None)).text, encoding="utf-8")
    return tomllib.loads(mapping.read_text(encoding="utf-8")), mapping


@pytest.mark.slow
def test_a_group_of_a_period_is_a_game(tmp_path: Path) -> None:
    content, mapping = mapping_of(subjects(), tmp_path)
    assert content["row"] == "player"
    assert content["games"]["game_id"] == ["Session", "Period", "Group"]
    assert content["players"] == {"player": "Subject", "participant_id": ["Session", "Subject"], "points": "Profit"}
    assert list(content["measures"]) == ["Contribute"]  # elements of a program's lists are not measures
    study = negstats.load(tmp_path / "subjects.csv", mapping=mapping)
    assert len(study.games) == 4 * 3 * 2
    assert study.players["participant_id"].nunique() == 4 * 6
    mapping.write_text(suggest(tmp_path / "subjects.csv", accept=True), encoding="utf-8")
    study = negstats.load(tmp_path / "subjects.csv", mapping=mapping)
    assert parse(draft(study)).questions["H1"].by == ("Treatment",)


@pytest.mark.slow
def test_without_an_age_the_person_is_a_question(tmp_path: Path) -> None:
    _, mapping = mapping_of(subjects(age=None), tmp_path)
    line = next(line for line in mapping.read_text(encoding="utf-8").splitlines() if line.startswith("participant_id"))
    assert line.startswith('participant_id = ["Session", "Subject"]')


@pytest.mark.slow
def test_one_person_in_several_sessions_stays_one(tmp_path: Path) -> None:
    frame = subjects()
    frame["Age"] = frame["Subject"] + 20  # the same in all sessions
    assert mapping_of(frame, tmp_path)[0]["players"]["participant_id"] == "Subject"


@pytest.mark.slow
@pytest.mark.parametrize("levels", [(2007, 2008), (2019, 2020, 2021)])
def test_a_year_is_no_quantity_and_no_condition(levels: tuple[int, ...], tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    offers = rng.integers(1, 10, 60)
    frame = pd.DataFrame({"year": [levels[place % len(levels)] for place in range(60)], "offer": offers})
    frame["accept"] = (offers + rng.normal(0, 3, 60) > 4).astype(int)
    content, mapping = mapping_of(frame, tmp_path)
    assert content["factors"] == {"year": "year"}
    assert "year" not in content.get("measures", {})
    plan = parse(draft(negstats.load(tmp_path / "subjects.csv", mapping=mapping)))
    assert "year" not in plan.questions["H1"].by


def test_a_person_of_ztree_is_a_subject_of_a_session(tmp_path: Path) -> None:
    """Groups are drawn anew in each period; the names of the files begin with the day, as those of sessions do."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for place in range(2):
        rng, session = np.random.default_rng(place), f"24030{place}_100{place}"
        lines = []
        for period in range(1, 4):
            groups = rng.permutation(8) // 4 + 1
            rows = [(period, subject, group, rng.integers(20)) for subject, group in enumerate(groups, 1)]
            lines += [("Period", "Subject", "Group", "Offer"), *rows]
        text = "\n".join("\t".join([session, "1", "subjects", *map(str, line)]) for line in lines)
        (logs / f"{session}.xls").write_text(text, encoding="utf-8")
    content = tomllib.loads(draft_of(logs, Asked(None, None, None)).text)
    assert content["games"]["game_id"] == ["session", "Period", "Group"]
    assert content["players"]["participant_id"] == ["session", "Subject"]


def test_what_all_members_of_a_group_get_alike_is_the_groups(tmp_path: Path) -> None:
    table = subjects()
    table["Profit"] = table.groupby(["Session", "Period", "Group"])["Contribute"].transform("sum")
    content, _ = mapping_of(table, tmp_path)
    assert content["measures"]["Profit"] == "Profit"
    assert "points" not in content["players"]


@pytest.mark.parametrize("name", ["Sold[{}]", "how much sold {}"])
def test_elements_of_a_programs_list_are_decisions_one_after_the_other(name: str, tmp_path: Path) -> None:
    table = subjects()
    table = table[table["Period"] == 1].drop(columns=["Others_1[1]", "Others_2[1]"])
    rng = np.random.default_rng(6)
    for place in range(1, 5):
        table[name.format(place)] = rng.integers(0, 30, len(table))
    content, mapping = mapping_of(table, tmp_path)
    names = [name.format(place) for place in range(1, 5)]
    stem = name.partition("[")[0].removesuffix(" {}")
    assert content["answers"][stem] == {"mean": names}
    assert {*names} < {*content["answers"]}
    study = negstats.load(tmp_path / "subjects.csv", mapping=mapping)
    assert (study.answers["question"] == stem).sum() == len(table)
    assert "Others_3[1]" not in mapping.read_text(encoding="utf-8").partition("row = ")[2]  # a list of one element
