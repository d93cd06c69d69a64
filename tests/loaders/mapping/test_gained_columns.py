"""Files of one log that do not all have the same columns, and folders of more files than are looked at."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.errors import LogError
from negstats.loaders.mapping import log_files, read, read_mapping, suggest
from negstats.loaders.mapping.file_parts import are_of_one_kind, name_pattern
from negstats.studies.study import Study
from tests.loaders.mapping.test_guess import saved

PLACES = ("Arhem", "Borne", "Cleve", "Dorst")
PEOPLE = 16


def shares(place: str, rng: np.random.Generator) -> pd.DataFrame:
    """Return what the children of a school gave in two rounds; the last school was asked for a subject instead."""
    child, rounds = np.repeat(np.arange(PEOPLE), 2), np.tile([1, 2], PEOPLE)
    frame = pd.DataFrame({"klass": [f"{place}-{one // 8}" for one in child], "child": child % 8, "round": rounds})
    frame["given"] = rng.integers(0, 10, len(frame))
    frame["kept"] = 10 - frame["given"]
    own = rng.choice(["none", "one", "many"], PEOPLE)[child]
    lessons = np.array(["History of the town and its region", "Plants and animals of the sea", "Reading and writing"])
    if place == PLACES[-1]:
        return frame.assign(lesson=rng.choice(lessons, PEOPLE)[child])
    return frame.assign(siblings=own, year=rng.integers(2008, 2012, PEOPLE)[child])


def folder_of_schools(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    for place in PLACES:
        saved(tmp_path / "log", shares(place, rng), f"{place}-shares.csv")
    return tmp_path / "log"


def mapped(folder: Path, **changes: str) -> tuple[dict[str, Any], Study]:
    """Return the mapping that is drafted for a folder, with words of it exchanged, and what is read with it."""
    text = suggest(folder)
    for old, new in changes.items():
        text = text.replace(old, new)
    file = folder.parent / "mapping.toml"
    file.write_text(text, encoding="utf-8")
    return tomllib.loads(text), read(folder, read_mapping(file))


def asked(mapping: dict[str, Any]) -> set[str]:
    return {question["subject"] for question in mapping.get("open", [])}


def test_files_that_have_gained_columns_are_read_below_each_other(tmp_path: Path) -> None:
    mapping, study = mapped(folder_of_schools(tmp_path))
    assert (mapping["row"], mapping["files"]) == ("player", "*.csv")
    assert "table" not in asked(mapping)
    assert study.players["participant_id"].nunique() == len(PLACES) * PEOPLE
    assert len(study.games) == 2 * len(PLACES) * PEOPLE
    assert "3 of 4 files have the column year; in the others it is empty" in study.provenance.notes
    in_all = study.answers.loc[study.answers["question"] == "year", "participant_id"]
    assert in_all.nunique() == (len(PLACES) - 1) * PEOPLE


def test_what_whole_files_lack_makes_no_condition_an_outcome(tmp_path: Path) -> None:
    mapping, _ = mapped(folder_of_schools(tmp_path))
    assert {"file": "^(.+?)-shares$"} in mapping["factors"].values()


def test_a_column_that_no_file_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="in_some_files: no file has the column 'yaer'; did you mean 'year'"):
        mapped(folder_of_schools(tmp_path), **{'in_some_files = "year"': 'in_some_files = "yaer"'})


def test_a_column_that_the_mapping_does_not_excuse_must_be_in_all_files(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="the log has no such column"):
        mapped(folder_of_schools(tmp_path), in_some_files="# in_some_files")


def tasks(folder: Path, n_people: int) -> Path:
    """Save a run of two tasks of each person; one file has only a header, and people stand in a table of their own."""
    rng = np.random.default_rng(1)
    for person in range(11, 11 + n_people):
        trials = pd.DataFrame({"onset": np.arange(8.0), "reply": rng.choice(["ja", "nein"], 8)})
        own = folder / f"vp-{person}" / "beh"
        saved(own, trials, f"vp-{person}_task-share_run-1.csv")
        trust = trials.assign(sent=rng.integers(0, 9, 8), partner=np.tile(["freund", "fremd"], 4))
        saved(own, trust if person > 11 else trust.head(0), f"vp-{person}_task-trust_run-1.csv")
    saved(folder, pd.DataFrame({"alter": rng.integers(20, 60, n_people)}).rename_axis("nr").reset_index(), "leute.csv")
    return folder


def test_a_word_of_the_name_that_a_person_has_both_of_tells_of_another_task(tmp_path: Path) -> None:
    mapping, study = mapped(tasks(tmp_path / "log", 6))
    assert mapping["files"] == "**/vp-*_task-trust_run-1.csv"
    assert len(study.games) == 5 * 8
    assert "table" in asked(mapping)


def test_files_beyond_those_that_are_looked_at_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "MOST_FILES", 12)
    mapping, study = mapped(tasks(tmp_path / "log", 15))
    assert mapping["files"] == "**/vp-*_task-trust_run-1.csv"
    assert len(study.players) == 14 * 8


def test_a_table_of_people_is_not_put_below_their_decisions(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    who = [f"k{number}" for number in range(30)]
    rows = pd.DataFrame({"who": np.repeat(who, 4), "arm": np.repeat(["a", "b"] * 15, 4), "sex": "f"})
    saved(tmp_path / "log", rows.assign(give=rng.integers(0, 11, 120), t=np.tile(range(4), 30)), "data_rounds.csv")
    saved(tmp_path / "log", pd.DataFrame({"who": who, "arm": ["a", "b"] * 15, "sex": "f"}), "data_people.csv")
    _, study = mapped(tmp_path / "log")
    assert len(study.games) == 120


@pytest.mark.parametrize(
    ("names", "others", "expected"),
    [
        (["TG_1", "TG_2"], ["TG_3"], True),
        (["north_day1", "south_day1"], ["west_day2"], True),
        (["s1_trust", "s2_trust"], ["s1_share"], False),
        (["people"], ["7"], False),
        (["12"], ["13"], False),
    ],
)
def test_names_of_one_kind(names: list[str], others: list[str], expected: bool) -> None:
    assert are_of_one_kind(names, others) is expected


def test_a_pattern_of_names_leaves_no_digit_cut() -> None:
    assert name_pattern(["run10_a[1]", "run12_a[1]"]) == "run*_a[[]1]"
    assert name_pattern(["same"]) == "same"


def test_a_damaged_file_among_others_is_named_with_what_is_wrong(tmp_path: Path) -> None:
    folder = folder_of_schools(tmp_path)
    with (folder / f"{PLACES[1]}-shares.csv").open("a") as file:
        file.write("Borne-1,7,2,5,5,none,2008,1,2,3\n")
    text = suggest(folder)
    assert f"# not read, for it is damaged: {PLACES[1]}-shares.csv, row 34: has 10 cells, the header has 7" in text
    assert "for its columns differ" not in text
