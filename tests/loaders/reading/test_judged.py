"""Labelled tables through the judge: a reading is right, or it asks and an answer makes it right; it is never wrong.

Perturbations may turn an answer into a question, and never into an error.
"""

from __future__ import annotations

from collections.abc import Callable
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


PERTURBATIONS: tuple[Callable[[Labelled], tuple[pd.DataFrame, Truth]], ...] = (
    shuffled_rows,
    shuffled_columns,
    one_more_column,
    new_names,
    doubled_rows,
)


@pytest.mark.slow
@pytest.mark.parametrize("family", [*TUNED, *HELD_OUT], ids=lambda family: family.__name__)
@pytest.mark.parametrize("perturb", PERTURBATIONS, ids=lambda perturb: perturb.__name__)
def test_perturbations_make_no_error(family: Family, perturb: Callable[[Labelled], tuple[pd.DataFrame, Truth]]) -> None:
    table = labelled(family, ENGLISH)
    frame, truth = perturb(table)
    assert judge(frame, truth).word != "wrong"


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
