"""People, runs, pairs and conditions in the names of files and folders."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.loaders.mapping import read, read_mapping, suggest
from negstats.loaders.mapping.file_parts import file_parts

PEOPLE = 20


def trials(rng: np.random.Generator, rows: int = 12) -> pd.DataFrame:
    offers = rng.integers(1, 6, rows)
    accepted = (rng.random(rows) < 0.15 * offers + 0.1).astype(int)
    seconds = rng.uniform(0.4, 2.5, rows).round(3)
    return pd.DataFrame({"trial": range(1, rows + 1), "offer": offers, "accept": accepted, "seconds": seconds})


def bargaining(rng: np.random.Generator) -> pd.DataFrame:
    """Return offers of a buyer and a seller in turn, and how they ended."""
    n = int(rng.integers(4, 9))
    rows = [(["buyer", "seller"][turn % 2], "offer", 50 + int(rng.integers(-9, 10))) for turn in range(n)]
    ending = "accept" if rng.random() < 0.7 else "quit"
    return pd.DataFrame([*rows, (["buyer", "seller"][n % 2], ending, None)], columns=["speaker", "action", "price"])


def rounds(rng: np.random.Generator) -> pd.DataFrame:
    """Return the payoffs of one seat in the rounds of a pair."""
    return pd.DataFrame({"round": range(1, 9), "payoff": rng.integers(0, 100, 8)})


def folder_of(root: Path, names: Iterable[str], table: Callable[[np.random.Generator], pd.DataFrame]) -> Path:
    rng = np.random.default_rng(5)
    for name in names:
        file = root / f"{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        table(rng).to_csv(file, index=False)
    return root


def mapping_of(folder: Path) -> dict[str, Any]:
    """Return the mapping that is drafted for a folder, with which it loads."""
    text = suggest(folder)
    file = folder.parent / "mapping.toml"
    file.write_text(text, encoding="utf-8")
    read(folder, read_mapping(file))
    return tomllib.loads(text)


def rows_asked(mapping: dict[str, Any]) -> list[str]:
    """Return the options of the question what a row is; none where it is not asked."""
    return next((question["options"] for question in mapping.get("open", []) if question["subject"] == "row"), [])


# Names of files of people, and what takes the person and a condition out of them.
PERSONS = {
    "runs of subjects": (
        [f"sub-{person}_run-{run}_events" for person in range(101, 101 + PEOPLE) for run in (0, 1)],
        {"file": "^sub-(.+?)_[^/_]+_events$"},
        None,
    ),
    "people with a condition": (
        [f"{'AB'[person % 2]}{person:02d}_{('control', 'treat')[person % 2]}" for person in range(PEOPLE)],
        {"file": "^(.+?)_[^/_]+$"},
        ("file_2", {"file": "^[^/_]+_(.+?)$"}, {"control", "treat"}),
    ),
    "people in folders of conditions": (
        [f"{('calm', 'angry')[person % 2]}/P{person}_final" for person in range(PEOPLE)],
        {"file": "(?:^|/)(.+?)_final$"},
        ("folder", {"folder": 1}, {"calm", "angry"}),
    ),
    "a date behind": (
        [f"ug_{person + 11}_{('low', 'high')[person % 2]}_2023-05-{person % 9 + 11}" for person in range(PEOPLE)],
        {"file": r"^ug_(.+?)_[^/_]+(?:[ _-]*\(?(?:accessed )?\d{4}-\d\d-\d\d.*)?$"},
        ("file", {"file": r"^ug_[^/_]+_(.+?)(?:[ _-]*\(?(?:accessed )?\d{4}-\d\d-\d\d.*)?$"}, {"low", "high"}),
    ),
}


@pytest.mark.parametrize("layout", PERSONS)
def test_a_part_of_the_names_of_files_names_the_person(layout: str, tmp_path: Path) -> None:
    names, person, condition = PERSONS[layout]
    folder = folder_of(tmp_path / "log", names, trials)
    mapping = mapping_of(folder)
    assert mapping["players"]["participant_id"] == person
    assert rows_asked(mapping) == []
    study = read(folder, read_mapping(tmp_path / "mapping.toml"))
    assert study.players["participant_id"].nunique() == PEOPLE
    if condition is not None:
        key, source, levels = condition
        assert mapping["factors"][key] == source
        assert set(study.games[key]) == levels


@pytest.mark.parametrize(
    "names",
    [
        [f"S{person:02d}-{frame}" for person in range(1, 17) for frame in ("gain", "loss")],
        [f"{when}_{person}" for person in range(1, 13) for when in ("morning", "evening")],
        [f"p{person:02d}/session{number}" for person in range(1, PEOPLE) for number in (1, 2)],
    ],
    ids=["crossed", "numbered", "folders"],
)
def test_whether_people_have_several_files_or_are_numbered_anew_is_asked(names: list[str], tmp_path: Path) -> None:
    options = rows_asked(mapping_of(folder_of(tmp_path / "log", names, trials)))
    assert len(options) == 2
    assert options[0] == "each row is one of several decisions of one file"
    assert options[1].endswith(("one file_1", "one file_2", "one folder"))


def test_ids_inside_that_names_repeat_are_of_one_person(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    rng = np.random.default_rng(6)
    for person in range(1, PEOPLE):
        for part in (1, 2):
            trials(rng).assign(id=f"x{person:03d}").to_csv(folder / f"data_{person}_{part}.csv", index=False)
    mapping = mapping_of(folder)
    assert mapping["players"]["participant_id"] == "id"
    assert rows_asked(mapping) == []


def test_names_of_pairs_and_seats(tmp_path: Path) -> None:
    names = [f"{('cold', 'hot')[pair % 2]}_{pair}_{seat}" for pair in range(PEOPLE) for seat in ("buyer", "seller")]
    mapping = mapping_of(folder_of(tmp_path / "log", names, rounds))
    assert mapping["row"] == "player"
    assert mapping["games"]["game_id"] == [{"file": "^[^/_]+_(.+?)_[^/_]+$"}, "round"]
    assert mapping["players"]["player"] == {"file": "^[^/_]+_[^/_]+_(.+?)$"}
    assert mapping["factors"]["file_1"] == {"file": "^(.+?)_[^/_]+_[^/_]+$"}


def test_a_file_of_each_dyad(tmp_path: Path) -> None:
    names = [f"{('comp', 'coop')[dyad % 2]}/dyad_{dyad}" for dyad in range(PEOPLE)]
    mapping = mapping_of(folder_of(tmp_path / "log", names, bargaining))
    assert mapping["row"] == "event"
    assert mapping["games"]["game_id"] == {"file": "(?:^|/)dyad_(.+?)$"}
    assert mapping["factors"] == {"folder": {"folder": 1}}


def test_models_that_met_keep_their_names(tmp_path: Path) -> None:
    models = ["gpt-4o", "claude-3", "llama"]
    names = [f"{one}_vs_{other}_run{run}" for one in models for other in models for run in range(4)]
    mapping = mapping_of(folder_of(tmp_path / "log", names, bargaining))
    study = read(tmp_path / "log", read_mapping(tmp_path / "mapping.toml"))
    assert mapping["games"]["game_id"] == {"file": True}
    assert set(study.games["file_1"]) == set(study.games["file_2"]) == set(models)


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (["gpt-4o-buyer+claude-3-seller", "claude-3-buyer+gpt-4o-seller", "gpt-4o-buyer+gpt-4o-seller"],
         [("buyer", ["gpt-4o", "claude-3", "gpt-4o"]), ("seller", ["claude-3", "gpt-4o", "gpt-4o"])]),
        (["control", "treatment"], [("file", ["control", "treatment"])]),
        (["game_a (accessed 2017-02-14)", "game_b"], [("file", ["a", "b"])]),
        (["sub101", "sub102"], [("sub", ["101", "102"])]),
        (["P1", "P2", "P13"], [("file", ["P1", "P2", "P13"])]),
        (["a", "b_c"], [("file", ["a", "b_c"])]),
        (["a/run_1", "a/run_2", "b/y/run_1"], [("folder", ["a", "a", "b"]), ("run", ["1", "2", "1"])]),
    ],
)  # fmt: skip
def test_parts_and_their_names(names: list[str], parts: list[tuple[str, list[str]]]) -> None:
    files = [Path("log") / f"{name}.csv" for name in names]
    found = [(part.name, [part.words[file] for file in files]) for part in file_parts(files, Path("log"), ())]
    assert found[: len(parts)] == parts
    # What the parts do not tell apart, the whole path does.
    assert len({tuple(part[1][place] for part in found) for place in range(len(files))}) == len(files)


def test_a_part_is_called_as_no_column_is() -> None:
    files = [Path(f"run-{run}.csv") for run in range(3)]
    assert [part.name for part in file_parts(files, Path(), ["run", "offer"])] == ["run_1"]
    assert file_parts(files[:1], Path(), ()) == []


def test_titles_of_sheets_have_parts_as_names_of_files_have(tmp_path: Path) -> None:
    rng, sheets = np.random.default_rng(3), ["day1_chat", "day2_chat", "day3_talk", "day4_talk"]
    with pd.ExcelWriter(tmp_path / "log.xlsx") as book:
        for sheet in sheets:
            give = rng.integers(0, 11, 12)
            pd.DataFrame({"subject": range(1, 13), "give": give}).to_excel(book, sheet_name=sheet, index=False)
    mapping = mapping_of(tmp_path / "log.xlsx")
    assert mapping["factors"]["source"] == {"column": "source", "clean": "^[^/_]+_"}
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path / "log.xlsx", answers={"row": "alone"}), encoding="utf-8")
    study = read(tmp_path / "log.xlsx", read_mapping(tmp_path / "mapping.toml"))
    assert len(study.games) == 48
    assert sorted(study.games["source"].unique()) == ["chat", "talk"]
