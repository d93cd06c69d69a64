"""Labelled tables through the judge: a reading is right, or it asks and an answer makes it right; it is never wrong.

Perturbations may turn an answer into a question, and never into an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.loaders.mapping.propose import propose
from negstats.loaders.reading import facts
from tests.loaders.reading.containers import container
from tests.loaders.reading.designs import as_people_of_groups, drawn
from tests.loaders.reading.drawn_logs import DrawnLog
from tests.loaders.reading.group_logs import GroupLog, judge_group
from tests.loaders.reading.judge import judge, log_of
from tests.loaders.reading.judge_logs import LogTruth, judge_log
from tests.loaders.reading.layouts import LaidOut, judge_loaded, laid_out
from tests.loaders.reading.retold_logs import FIRST_OF_LATER, RetoldLog
from tests.loaders.reading.tables import HELD_OUT, SEEDS, SHAPES, TUNED, Family, Labelled, Truth, labelled

ENGLISH, MEANINGLESS = 0, 3  # seeds with usual names, and with c1, c2, ...


@pytest.mark.slow(keep=7)
@pytest.mark.parametrize("family", [family for family in TUNED if family.__name__ != "responders"])
def test_usual_names_are_read_without_a_question(family: Family) -> None:
    table = labelled(family, ENGLISH)
    verdict = judge(table.frame, table.truth)
    assert verdict.word == "right", verdict


@pytest.mark.slow
@pytest.mark.parametrize("family", [*TUNED, *HELD_OUT, *SHAPES], ids=lambda family: family.__name__)
def test_no_seed_is_silently_wrong(family: Family) -> None:
    verdicts = {}
    for seed in SEEDS:
        table = labelled(family, seed)
        verdicts[table.name] = judge(table.frame, table.truth)
    assert not [name for name, verdict in verdicts.items() if verdict.word == "wrong"], verdicts


def shuffled_rows(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    return table.frame.sample(frac=1, random_state=7).reset_index(drop=True), table.truth


def shuffled_columns(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    names = np.random.default_rng(7).permutation(table.frame.columns)
    return table.frame[list(names)], table.truth


def one_more_column(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    noise = np.random.default_rng(7).normal(size=len(table.frame)).round(3)
    return table.frame.assign(zzz=noise), table.truth


def new_names(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    renamed = table.renamed({str(name): f"c{place}" for place, name in enumerate(table.frame.columns, 1)})
    return renamed.frame, renamed.truth


def doubled_rows(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    """All rows once more, as those of other people and games."""
    frame, truth = table.frame, table.truth
    more = frame.copy()
    known = {*truth.conditions, *truth.outcomes, *truth.no_conditions}
    units = {truth.person, *truth.game[:1]}
    for name in frame.columns:
        if name in units or (name not in known and frame[name].is_unique):
            numbers = pd.to_numeric(frame[name], errors="coerce")
            is_number = bool(numbers.notna().all())
            more[name] = numbers + int(numbers.max()) if is_number else frame[name].astype(str) + "b"
    return pd.concat([frame, more], ignore_index=True), truth


def columns_of_levels(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    """Each condition once more, as analysts do: a column of 0 and 1 for each level, and numbers for all."""
    frame = table.frame.copy()
    for name in table.truth.conditions:
        for level in frame[name].dropna().unique():
            frame[f"{name}_{level}"] = (frame[name] == level).astype(int)
        frame[f"{name}_code"] = pd.Categorical(frame[name]).codes + 1
    return frame, table.truth


def computed_numbers(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    """Each number that was measured once more: standardised, its logarithm, cut at the median, and means of units."""
    frame, truth = table.frame.copy(), table.truth
    computed = []
    for name in truth.outcomes:
        numbers = pd.to_numeric(frame[name], errors="coerce")
        if numbers.notna().mean() < 0.5 or numbers.nunique() < 4:
            continue
        frame[f"{name}_z"] = ((numbers - numbers.mean()) / numbers.std()).round(5)
        frame[f"ln_{name}"] = np.log(numbers.abs() + 1).round(5)
        frame[f"{name}_high"] = (numbers > numbers.median()).astype(int)
        computed += [f"{name}_z", f"ln_{name}", f"{name}_high"]
        for unit in {*str(truth.person).split(" × "), *truth.game[:1], *truth.conditions[:1]} & {*frame.columns}:
            frame[f"mean_{name}_{unit}"] = numbers.groupby(frame[unit]).transform("mean").round(4)
    return frame, replace(truth, no_conditions=(*truth.no_conditions, *computed))


def columns_of_programs(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    """What programs write beside the data: a number of each row, and settings that are the same in all rows."""
    frame = table.frame.assign(_merge=3, app_name="bargaining", currency="EUR", is_demo=0)
    frame.insert(0, "Unnamed: 0", range(1, len(frame) + 1))
    return frame, table.truth


def questions_at_the_end(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    """What a survey adds for each person: ratings, an age, moments, a code, a remark of some."""
    rng, frame = np.random.default_rng(7), table.frame.copy()
    names = [name for name in (table.truth.person or table.truth.people).split(" × ") if name in frame]
    person = frame.groupby(names, sort=False, dropna=False).ngroup() if names else pd.Series(range(len(frame)))
    count, of = int(person.max()) + 1, person.to_numpy()
    start = pd.Timestamp("2021-03-01 09:00") + pd.to_timedelta(rng.integers(0, 10**6, count), "s")
    remarks = np.array([f"I tried to be fair to number {place}" for place in range(count)], dtype=object)
    added = {f"q{place}": rng.integers(1, 8, count) for place in range(1, 9)} | {
        "years": rng.integers(18, 70, count),
        "StartDate": np.asarray(start.astype(str)),
        "Duration": rng.integers(200, 2000, count),
        "completion": np.array([f"{code:06X}" for code in rng.choice(2**24, count, replace=False)]),
        "comments": np.where(rng.random(count) < 0.3, remarks, ""),
    }
    if table.truth.kind == "events":  # what is of no row of a game stands in another table
        return frame, table.truth
    return frame.assign(**{name: values[of] for name, values in added.items()}), table.truth


def codes_for_missing(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    """-99 where an outcome is not known."""
    rng, frame = np.random.default_rng(7), table.frame.astype(object)
    for name in table.truth.outcomes:
        if pd.to_numeric(frame[name], errors="coerce").notna().mean() > 0.9:
            frame.loc[rng.random(len(frame)) < 0.06, name] = -99
    return frame, table.truth


def lost_rows(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    """Some rows are gone, and some outcomes are empty."""
    rng, frame = np.random.default_rng(1), table.frame.astype(object)
    for name in table.truth.outcomes:
        frame.loc[rng.random(len(frame)) < 0.08, name] = None
    return frame[rng.random(len(frame)) > 0.04].reset_index(drop=True), table.truth


def words_as_numbers(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    """What has few words holds numbers instead, as SPSS and Stata store it: two levels from 0, several from 1."""
    frame, truth = table.frame.copy(), table.truth
    for name in {*frame.columns} - {*truth.game, truth.person, truth.people}:
        words = frame[name].dropna().astype(str)
        levels = sorted(words[words.str.strip() != ""].unique())
        if (
            2 <= len(levels) <= 8
            and len(levels) < len(words) / 4
            and pd.to_numeric(words, errors="coerce").isna().all()
        ):
            codes = {level: code for code, level in enumerate(levels, int(len(levels) > 2))}
            frame[name] = frame[name].astype(str).map(codes).astype("Int64")
    return frame, truth


def columns_of_sessions(table: Labelled) -> tuple[pd.DataFrame, Truth]:
    """When and where games were played: a number of the session, its day, its room, and who ran it."""
    frame, truth = table.frame, table.truth
    names = [name for name in truth.game or str(truth.person).split(" × ") if name in frame]
    games = frame.groupby(names, sort=False, dropna=False).ngroup() if names else pd.Series(range(len(frame)))
    sessions = games // max(5, int(games.max() + 1) // 6)
    return frame.assign(
        labsess=sessions + 1,
        day=[f"2019-05-{10 + number:02d}" for number in sessions],
        room=["B12" if number % 2 else "A3" for number in sessions],
        assistant=[["JM", "KL", "PS"][number % 3] for number in sessions],
    ), truth


PERTURBATIONS: tuple[Callable[[Labelled], tuple[pd.DataFrame, Truth]], ...] = (
    shuffled_rows,
    shuffled_columns,
    one_more_column,
    new_names,
    doubled_rows,
    columns_of_levels,
    computed_numbers,
    columns_of_programs,
    questions_at_the_end,
    codes_for_missing,
    lost_rows,
    words_as_numbers,
    columns_of_sessions,
)


@pytest.mark.slow
@pytest.mark.parametrize("family", [*TUNED, *HELD_OUT], ids=lambda family: family.__name__)
@pytest.mark.parametrize("perturb", PERTURBATIONS, ids=lambda perturb: perturb.__name__)
def test_perturbations_make_no_error(family: Family, perturb: Callable[[Labelled], tuple[pd.DataFrame, Truth]]) -> None:
    table = labelled(family, ENGLISH)
    frame, truth = perturb(table)
    verdict = judge(frame, truth)
    assert verdict.word != "wrong" or (perturb in (questions_at_the_end, lost_rows) and verdict.stops), verdict


@pytest.mark.slow
@pytest.mark.parametrize("perturb", [codes_for_missing, lost_rows], ids=lambda perturb: perturb.__name__)
@pytest.mark.parametrize("family", SHAPES, ids=lambda family: family.__name__)
def test_what_is_missing_hides_nothing(
    family: Family, perturb: Callable[[Labelled], tuple[pd.DataFrame, Truth]]
) -> None:
    for seed in (ENGLISH,) if perturb is lost_rows else (ENGLISH, MEANINGLESS):
        frame, truth = perturb(labelled(family, seed))
        verdict = judge(frame, truth)
        assert verdict.word != "wrong" or verdict.stops, verdict


@pytest.mark.parametrize("seed", [57, 63, 76, 81, 99])
def test_games_of_which_rows_are_lost_are_read_or_asked_about(seed: int) -> None:
    table = drawn(seed)
    frame, truth = lost_rows(table)
    verdict = judge(frame, truth)
    assert verdict.word != "wrong" or verdict.stops, verdict


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("family", [*TUNED, *HELD_OUT, *SHAPES], ids=lambda family: family.__name__)
def test_a_table_of_which_a_part_is_looked_at_is_asked_about(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    table = labelled(family, ENGLISH)
    frame, truth = doubled_rows(table)
    monkeypatch.setattr(facts, "MOST_ROWS", len(frame) // 2)
    monkeypatch.setattr(facts, "MOST_DRAWN", len(frame) // 2)
    verdict = judge(frame, truth)
    assert verdict.stops or verdict.word != "wrong", verdict
    assert "row" in verdict.questions


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("family", TUNED[:4], ids=lambda family: family.__name__)
@pytest.mark.parametrize("perturb", [shuffled_rows, shuffled_columns], ids=lambda perturb: perturb.__name__)
def test_the_order_of_rows_and_columns_changes_nothing(
    family: Family, perturb: Callable[[Labelled], tuple[pd.DataFrame, Truth]]
) -> None:
    table = labelled(family, MEANINGLESS)
    frame, truth = perturb(table)
    before, after = judge(table.frame, table.truth), judge(frame, truth)
    assert (before.word, set(before.questions)) == (after.word, set(after.questions))


def is_right_or_asked(table: Labelled) -> bool:
    """Whether a table of a drawn design is read rightly, or nothing is tested before somebody has answered."""
    verdict = judge(table.frame, table.truth)
    if verdict.word != "wrong" or verdict.stops:
        return True
    of_people = as_people_of_groups(table)
    mapped = propose(log_of(table.frame), Path(), {})[0].keys.values()
    has_clusters = any(isinstance(value, dict) and value.get("role") == "cluster" for value in mapped)
    if of_people is None or not (has_clusters or "cluster" in verdict.questions):
        return False
    return judge(of_people.frame, of_people.truth).word != "wrong"


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("first", range(0, 240, 20))
def test_no_drawn_design_is_silently_wrong(first: int) -> None:
    assert not [table.name for table in map(drawn, range(first, first + 20)) if not is_right_or_asked(table)]


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("draw", [laid_out, container], ids=["another form", "a container"])
@pytest.mark.parametrize("first", range(0, 160, 20))
def test_no_drawn_design_in_another_form_is_silently_wrong(
    first: int, draw: Callable[[int], LaidOut | None], tmp_path: Path
) -> None:
    tables = [table for table in map(draw, range(first, first + 20)) if table is not None]
    verdicts = {table.name: judge_loaded(table, tmp_path) for table in tables}
    assert not [name for name, verdict in verdicts.items() if verdict.word == "wrong" and not verdict.stops], verdicts


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_no_drawn_log_is_silently_wrong(first: int, tmp_path: Path) -> None:
    verdicts = {}
    for log in map(DrawnLog, range(first, first + 20)):
        (folder := tmp_path / str(log.seed)).mkdir()
        verdicts[log.seed] = judge_log(log.write(folder), LogTruth(log))
    assert not {seed: each for seed, each in verdicts.items() if each.word == "wrong" and not each.stops}


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("first", [*range(0, 100, 20), FIRST_OF_LATER, FIRST_OF_LATER + 20])
def test_no_log_that_is_told_in_another_shape_is_silently_wrong(first: int, tmp_path: Path) -> None:
    verdicts = {}
    for seed in range(first, first + 20):
        retold = RetoldLog(seed)
        (folder := tmp_path / str(seed)).mkdir()
        verdicts[seed, retold.shape] = judge_log(retold.write(folder), retold.truth)
    assert not {seed: each for seed, each in verdicts.items() if each.word == "wrong" and not each.stops}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_what_members_of_groups_do_is_a_measure_and_no_offer(first: int, tmp_path: Path) -> None:
    verdicts = {}
    for log in map(GroupLog, range(first, first + 20)):
        (folder := tmp_path / str(log.seed)).mkdir()
        verdicts[log.seed, log.shape] = judge_group(log.write(folder), log)
    assert not {seed: each for seed, each in verdicts.items() if each.word == "wrong"}
