"""Columns that analysts and programs add: levels spelled out, numbers cut in parts, codes of levels, row numbers."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.loaders.mapping import suggest

PEOPLE, TRIALS = 48, 6


@pytest.fixture
def table() -> pd.DataFrame:
    """People who decide six times each, before and after half of them had a talk."""
    rng = np.random.default_rng(48)
    rows = pd.DataFrame(
        [(f"s{person:02d}", trial) for person in range(PEOPLE) for trial in range(1, TRIALS + 1)],
        columns=["subject", "trial"],
    )
    return rows.assign(
        talk=np.repeat(["chat", "none"] * (PEOPLE // 2), TRIALS),
        wave=np.where(rows["trial"] > TRIALS // 2, "after", "before"),
        given=rng.integers(0, 21, len(rows)),
    )


def mapping_of(folder: Path, table: pd.DataFrame) -> dict[str, Any]:
    table.to_csv(folder / "log.csv", index=False)
    return tomllib.loads(suggest(folder / "log.csv"))


def test_columns_of_zeros_and_ones_that_spell_out_a_condition_are_no_seats(table: pd.DataFrame, tmp_path: Path) -> None:
    plain = mapping_of(tmp_path, table)
    for level in ("chat", "none"):
        table[f"talk_{level}"] = (table["talk"] == level).astype(int)
    for level in ("before", "after"):
        table[level] = (table["wave"] == level).astype(int)
    assert mapping_of(tmp_path, table) == plain


def test_of_a_condition_in_words_and_in_numbers_the_words_are_read(table: pd.DataFrame, tmp_path: Path) -> None:
    plain = mapping_of(tmp_path, table)
    table.insert(0, "a_talk_code", table["talk"].map({"chat": 1, "none": 2}))
    table.insert(1, "a_wave_code", table["wave"].map({"before": 1, "after": 2}))
    assert mapping_of(tmp_path, table)["factors"] == plain["factors"]


@pytest.mark.parametrize("parts", [2, 3])
def test_a_number_that_is_cut_in_parts_is_no_answer_to_it(table: pd.DataFrame, parts: int, tmp_path: Path) -> None:
    plain = mapping_of(tmp_path, table)
    table["given_group"] = pd.cut(table["given"], parts, labels=False)
    assert mapping_of(tmp_path, table) == plain


@pytest.mark.parametrize(("name", "words"), [("given_accepted", (0, 1)), ("given_reply", ("reject", "accept"))])
def test_who_accepts_from_some_amount_on_has_answered_it(
    table: pd.DataFrame, name: str, words: tuple[Any, Any], tmp_path: Path
) -> None:
    table[name] = np.where(table["given"] > 8, words[1], words[0])
    table["given_refused"] = (table["given"] <= 8).astype(int)
    mapping = mapping_of(tmp_path, table)
    offered = [each for each in mapping.get("open", ()) if each["subject"] == "offer"]
    assert name in str(offered) or name in str(mapping["offers"])


def test_what_lies_between_bounds_of_rounds_was_set_for_these(table: pd.DataFrame, tmp_path: Path) -> None:
    table["trial_length"] = np.where(table["trial"] > TRIALS // 2, "long", "short")
    assert "trial_length" in mapping_of(tmp_path, table.drop(columns="wave"))["factors"]


@pytest.mark.parametrize("name", ["Unnamed: 0", "X", "", "...1", "index"])
def test_a_number_of_each_row_that_a_program_wrote_names_nobody(table: pd.DataFrame, name: str, tmp_path: Path) -> None:
    plain = mapping_of(tmp_path, table)
    table.insert(0, name, range(1, len(table) + 1))
    assert mapping_of(tmp_path, table) == plain


def test_a_flag_of_zero_and_one_numbers_no_people(table: pd.DataFrame, tmp_path: Path) -> None:
    late = np.arange(PEOPLE) % 2
    numbered = mapping_of(tmp_path, table.assign(late=np.repeat(late, TRIALS)))
    assert numbered["players"]["participant_id"] == "subject"


def test_means_of_units_name_no_unit(table: pd.DataFrame, tmp_path: Path) -> None:
    plain = mapping_of(tmp_path, table)
    table["a_mean_of_subject"] = table.groupby("subject")["given"].transform("mean")
    assert mapping_of(tmp_path, table)["players"]["participant_id"] == plain["players"]["participant_id"]


@pytest.mark.parametrize("codes", [(0, 1), (1, 2)])
def test_of_two_rows_of_each_person_a_number_is_compared(codes: tuple[int, int], tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    waves = pd.DataFrame({"subject": np.repeat(range(1, 61), 2), "wave": list(codes) * 60})
    waves["talk"] = np.where(waves["subject"] % 2, "chat", "none")
    waves["score"] = rng.normal(20, 4, len(waves)).round(1)
    assert {*mapping_of(tmp_path, waves)["factors"]} == {"talk", "wave"}


def test_what_people_met_in_two_orders_is_compared_though_it_holds_numbers(tmp_path: Path) -> None:
    """A crossover of which all columns are stored as 0 and 1: none of them numbers blocks of another one."""
    rng = np.random.default_rng(4)
    rows = pd.DataFrame({"subject": [f"s{place:02d}" for place in np.repeat(range(30), 2)], "period": [1, 2] * 30})
    rows["first"] = np.repeat(np.arange(30) % 2, 2)
    rows["opponent"] = (rows["first"] + rows["period"]) % 2
    rows["points"] = rng.normal(20, 4, len(rows)).round(1)
    assert "opponent" in mapping_of(tmp_path, rows)["factors"]


def test_money_that_is_paid_for_points_hides_no_game(tmp_path: Path) -> None:
    """Each three people have one public good, of which no column names the group, and are paid with a fee in cents."""
    given = np.random.default_rng(5).integers(0, 21, (30, 3))
    income = (20 - given + 0.5 * given.sum(axis=1, keepdims=True)).reshape(-1)
    people = pd.DataFrame({"talk": np.repeat(["chat", "none"], 45), "given": given.reshape(-1), "income": income})
    subjects = [
        mapping_of(tmp_path, table)["open"][0]["subject"] for table in (people, people.assign(euro=money(income)))
    ]
    assert subjects == ["game", "game"]


def money(points: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return (points * 0.07 + 3).round(2)


def test_whoever_has_one_age_wherever_they_come_may_be_one_person(tmp_path: Path) -> None:
    """In each of two arms people meet anew, and numbers of people may be numbered anew in each: nobody knows."""
    rng = np.random.default_rng(6)
    ages = rng.permutation(np.arange(18, 48))
    rows = pd.DataFrame(
        [(arm, turn, number) for arm in (0, 1) for turn in range(1, 6) for number in range(1, 31)],
        columns=["c1", "c2", "c3"],
    )
    rows["c4"] = ages[rows["c3"] - 1]
    rows["c5"] = rng.integers(0, 21, len(rows))
    mapping = mapping_of(tmp_path, rows)
    assert mapping["players"]["participant_id"] == "c3" or "row" in [each["subject"] for each in mapping["open"]]
