"""What must not change an answer: order and names of levels, order of rows, ids, units of the measure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from negstats.analysis import run
from negstats.analysis.plan.model import Factor, Plan
from negstats.studies.study import Study
from tests.analysis.methods.designs import BY_ROW, Case


def answer(plan: Plan, study: Study) -> dict[str, Any]:
    tests: list[dict[str, Any]] = run(plan, study).results["questions"][0]["tests"]
    return next(test for test in tests if test["role"] == "answer")


def turned(plan: Plan, name: str, column: str, levels: tuple[str, str]) -> Plan:
    return replace(plan, factors={**plan.factors, name: Factor(column, levels)})


def both_ways(case: Case, row: int, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the answers of a row of the rules with its factor's levels in one order and in the other."""
    study, plan = case.study(np.random.default_rng(seed)), case.plan()
    name, column, levels = FACTORS.get(row, ("condition", "games.condition", ("a", "b")))
    return answer(turned(plan, name, column, levels), study), answer(turned(plan, name, column, levels[::-1]), study)


SVO = ("svo", "answers.svo", ("self", "social"))
FACTORS = {18: ("role", "players.role", ("buyer", "seller")), 19: SVO, 20: SVO, 35: SVO, 40: SVO}


@pytest.mark.slow
@pytest.mark.parametrize("row", [1, 2, 9, 11, 15, 17, 18, 19, 20, 22, 24, 39])
def test_levels_the_other_way_turn_the_sign_and_nothing_else(row: int) -> None:
    one, other = both_ways(BY_ROW[row], row, seed=row)
    assert other["statistic"] == pytest.approx(-one["statistic"], rel=1e-7)
    assert other["p"] == pytest.approx(one["p"], rel=1e-7)
    assert other["estimate"]["low"] == pytest.approx(-one["estimate"]["high"], rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("row", [27, 28, 31, 35, 37, 40])
def test_ratios_become_their_inverse(row: int) -> None:
    case = replace(BY_ROW[row], n=16) if row == 28 else BY_ROW[row]  # of 8 units a cell is soon empty
    one, other = both_ways(case, row, seed=11)
    assert other["p"] == pytest.approx(one["p"], rel=1e-7)
    assert other["effect"]["value"] == pytest.approx(1 / one["effect"]["value"], rel=1e-6)
    assert other["effect"]["low"] == pytest.approx(1 / one["effect"]["high"], rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("row", [1, 2, 7, 13, 19, 21, 30, 41])
def test_the_order_of_rows_changes_nothing(row: int) -> None:
    case = BY_ROW[row]
    study = case.study(np.random.default_rng(row))
    rng = np.random.default_rng(3)
    shuffled = {
        name: frame.iloc[rng.permutation(len(frame))].reset_index(drop=True) for name, frame in study.tables.items()
    }
    other = Study(provenance=study.provenance, **shuffled)
    one, two = answer(case.plan(), study), answer(case.plan(), other)
    assert two["p"] == pytest.approx(one["p"], rel=1e-8)
    assert two["statistic"] == pytest.approx(one["statistic"], rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("row", [1, 4, 6, 9, 16, 19, 21])
def test_another_unit_of_the_measure_changes_no_statistic(row: int) -> None:
    case = BY_ROW[row]
    study = case.study(np.random.default_rng(row))
    scaled = replace(study, players=study.players.assign(points=1000 + 60 * study.players["points"]))
    assert answer(case.plan(), scaled)["statistic"] == pytest.approx(answer(case.plan(), study)["statistic"], rel=1e-6)


@pytest.mark.slow
def test_two_games_of_a_person_that_say_the_same_are_one() -> None:
    """A unit's games are averaged: doubling each of them gives what the single ones gave."""
    single, double = BY_ROW[1], BY_ROW[22]
    once, twice = single.study(np.random.default_rng(4)), double.study(np.random.default_rng(4))
    points = np.repeat(once.players["points"].to_numpy(), 2)
    doubled = replace(twice, players=twice.players.assign(points=points))
    one, two = answer(single.plan(), once), answer(double.plan(), doubled)
    assert two["statistic"] == pytest.approx(one["statistic"], rel=1e-10)
    assert two["df"] == pytest.approx(one["df"], rel=1e-10)
