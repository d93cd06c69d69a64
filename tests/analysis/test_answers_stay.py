"""The answer alone can refuse: an effect size, an interval, a follow-up or a check that cannot be had is a note."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from negstats.analysis import run
from negstats.analysis.plan.parse import parse
from tests.analysis.matrix import Cell, Defect, faults
from tests.analysis.matrix import answer as answer_of_cell
from tests.analysis.methods.designs import BY, BY_ROW, CROSSED, THREE, TWO, Case, alone, within


def shares(yes: tuple[int, int], n: int, more: str = "") -> dict[str, Any]:
    """Return the entry of a plan on two groups of n, of which so many say yes."""
    case = Case(27, "", alone(TWO), BY + more, kind="yes/no", n=2 * n)
    study = case.study(np.random.default_rng(1))
    group = study.players["game_id"].map(study.games.set_index("game_id")["condition"])
    points = np.zeros(2 * n)
    for level, count in zip("ab", yes, strict=True):
        points[np.flatnonzero(group == level)[:count]] = 1.0
    plan = case.plan()
    [entry] = run(plan, replace(study, players=study.players.assign(points=points))).results["questions"]
    return dict(entry)


@pytest.mark.parametrize(("yes", "n"), [((20, 40), 40), ((0, 10), 30)])
def test_an_empty_cell_takes_the_odds_ratio_and_not_the_answer(yes: tuple[int, int], n: int) -> None:
    entry = shares(yes, n)
    answer = entry["tests"][0]
    table = [[yes[0], n - yes[0]], [yes[1], n - yes[1]]]
    chi_squared = scipy_stats.chi2_contingency(table, correction=False)
    assert answer["statistic"] == pytest.approx(chi_squared.statistic)
    assert answer["p"] == pytest.approx(chi_squared.pvalue)
    assert entry["verdict"].startswith("a difference was found: more in b")
    assert answer["estimate"]["value"] == pytest.approx((yes[0] - yes[1]) / n)
    assert answer["estimate"]["low"] < answer["estimate"]["value"] < answer["estimate"]["high"]
    assert answer["effect"] is None
    assert [(one["kind"], one["address"], one["what"]) for one in entry["omitted"]] == [("effect", "Q", "odds ratio")]
    [note] = [note for note in entry["notes"] if note.startswith("Not computed: odds ratio")]
    assert "one cell of the table is 0" in note


def test_groups_at_equal_covariates_are_answered_with_their_pairs() -> None:
    case = Case(11, "ancova", alone(THREE), BY + '\ncovariates = "age"', n=60)
    [entry] = run(case.plan(), case.study(np.random.default_rng(1))).results["questions"]
    roles = [(test["role"], test["address"]) for test in entry["tests"]]
    assert ("answer", "Q") in roles
    assert [address for role, address in roles if role == "follow-up"] == ["Q#a - b", "Q#a - c", "Q#b - c"]
    assert entry["omitted"] == []


@pytest.mark.slow
def test_a_test_beside_that_needs_more_units_is_a_note() -> None:
    case = replace(BY_ROW[4], n=12)
    [entry] = run(case.plan(), case.study(np.random.default_rng(1))).results["questions"]
    checks = {one["what"]: one["reason"] for one in entry["omitted"] if one["kind"] == "check"}
    assert "rejects too often" in checks["relative effects"]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", ["logistic", "gee"])
def test_a_plan_can_name_odds_for_independent_yes_or_no(name: str) -> None:
    entry = shares((12, 25), 40, f'\ntest = "{name}"')
    [answer] = [test for test in entry["tests"] if test["role"] == "answer"]
    odds = (12 / 28) / (25 / 15)
    assert answer["method"] == name
    assert answer["effect"]["value"] == pytest.approx(odds, rel=1e-6)
    assert answer["p"] < 0.05


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", ["logistic", "gee"])
@pytest.mark.parametrize(("yes", "n"), [((20, 40), 40), ((0, 10), 30)])
def test_a_separated_logit_is_firths_and_says_so(name: str, yes: tuple[int, int], n: int) -> None:
    entry = shares(yes, n, f'\ntest = "{name}"')
    [answer] = [test for test in entry["tests"] if test["role"] == "answer"]
    assert answer["method"] == "logistic_firth"
    assert answer["p"] < 0.001
    assert ("; no estimating equations: " in answer["apa"]) == (name == "gee")
    # Of a 2 × 2 table Firth's odds ratio is that with a half added to each cell (Heinze and Schemper, 2002, sec. 2).
    first, second = ((count + 0.5) / (n - count + 0.5) for count in yes)
    assert answer["effect"]["value"] == pytest.approx(first / second, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("cell", [("35 decisions", 2), ("34 linked shares", 3), ("35 gee, named", 2)], ids=str)
def test_a_refusal_advises_no_argument_that_a_plan_lacks(cell: tuple[str, int]) -> None:
    """The arguments of a function of Python end its own error, and never reach the reader of a plan."""
    one = Cell(*cell, "constant group")
    assert faults(one, answer_of_cell(one)) == []


@pytest.mark.slow
def test_shares_that_are_all_alike_are_equivalent() -> None:
    entry = shares((30, 30), 30, "\nequivalent = 0.2")
    assert entry["verdict"].startswith("equivalent")
    nearly = shares((29, 30), 30, "\nequivalent = 0.2")
    assert entry["tests"][0]["p"] < nearly["tests"][0]["p"] < 0.05


UNEQUAL = 'seed = 1\n[questions.Q]\nasks = "Does it?"\nmeasure = "points"\nby = ["condition", "country"]\n'


def unequal_study(rng: np.random.Generator, sizes: tuple[int, ...], sds: tuple[float, ...]) -> Any:
    """Return a null study of people who play alone in 2 × 2 cells of these sizes and spreads."""
    case = Case(6, "anova", alone(CROSSED), BY, n=4 * max(sizes))
    study = case.study(rng)
    games = study.games.set_index("game_id")
    cell = study.players["game_id"].map(
        games["condition"].map({"a": 0, "b": 2}) + games["country"].map({"x": 0, "y": 1})
    )
    place = cell.groupby(cell).cumcount()
    kept = (place < cell.map(dict(enumerate(sizes)))).to_numpy()
    points = rng.normal(size=len(cell)) * cell.map(dict(enumerate(sds))).to_numpy()
    players = study.players.assign(points=points)[kept].reset_index(drop=True)
    games_kept = study.games[study.games["game_id"].isin(players["game_id"])].reset_index(drop=True)
    messages = study.messages[study.messages["game_id"].isin(players["game_id"])].reset_index(drop=True)
    return replace(study, games=games_kept, players=players, messages=messages)


def test_crossed_factors_are_answered_with_spreads_of_their_own_and_the_classical_f_beside() -> None:
    study = unequal_study(np.random.default_rng(3), (8, 8, 30, 30), (3.0, 3.0, 1.0, 1.0))
    [entry] = run(parse(UNEQUAL), study).results["questions"]
    assert {test["method"] for test in entry["tests"] if test["role"] == "answer"} == {"welch_james"}
    beside = [test["address"] for test in entry["tests"] if test["method"] == "anova"]
    assert beside == ["Q/condition#classical", "Q/country#classical", "Q/condition:country#classical"]
    # It takes as equal what the answer does not: it never makes a conclusion depend on the method.
    assert not [check for check in entry["checks"] if check["address"].endswith("#classical")]


@pytest.mark.nightly
def test_null_studies_of_unequal_cells_are_not_supported_too_often() -> None:
    rng = np.random.default_rng(5)
    p = []
    for _ in range(60):
        [entry] = run(parse(UNEQUAL), unequal_study(rng, (8, 8, 30, 30), (3.0, 3.0, 1.0, 1.0))).results["questions"]
        p += [test["p"] for test in entry["tests"] if test["role"] == "answer"]
    assert np.mean(np.array(p) < 0.05) < 0.11  # 180 terms: .05 and four standard errors; the classical F rejects .25


@pytest.mark.slow
def test_groups_of_repeated_measures_have_covariances_of_their_own() -> None:
    case = Case(10, "mixed_anova", within({"condition": ["a", "b", "c"]}, {"country": ["x", "y"]}),
                'by = ["condition", "country"]', n=30)  # fmt: skip
    [entry] = run(case.plan(), case.study(np.random.default_rng(2))).results["questions"]
    methods = {test["address"]: test["method"] for test in entry["tests"] if test["role"] == "answer"}
    assert methods == {"Q/country": "welch_james", "Q/condition": "box", "Q/country:condition": "box"}


def answer_of(design: str, levels: int, defect: Defect) -> dict[str, Any]:
    """Return the one test that answers a cell of the matrix."""
    [answer] = [test for test in answer_of_cell(Cell(design, levels, defect))["tests"] if test["role"] == "answer"]
    return dict(answer)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("design", ["1, 4 means", "2, 7 repeated means", "34 linked shares", "35 gee, named"])
def test_levels_without_spread_inside_are_told_apart_by_exchanging_them(design: str, levels: int) -> None:
    answer = answer_of(design, levels, "pure level")
    assert answer["method"] == "permutation"
    assert answer["p"] == pytest.approx(1 / 201)  # none of the 200 random arrangements is as far apart
    assert " cannot be computed: " in answer["apa"]


def test_values_of_two_kinds_that_are_exchanged_have_the_p_of_fishers_test() -> None:
    answer = answer_of("24 few", 2, "pure level")
    assert answer["p"] == pytest.approx(scipy_stats.fisher_exact(4 * np.eye(2, dtype=int)).pvalue)


def test_a_separated_answer_of_pairs_is_exchanged_inside_the_pairs() -> None:
    answer, study = answer_of("35 decisions", 2, "constant group"), Cell("35 decisions", 2, "constant group").study
    of_people = study.answers[study.answers["question"] == "svo"].set_index("participant_id")["answer"]
    kinds = study.players["participant_id"].map(of_people).groupby(study.players["game_id"]).nunique()
    assert answer["method"] == "permutation"
    assert answer["p"] < 0.05
    assert answer["n"] == [int((kinds == 2).sum())]


@pytest.mark.slow
@pytest.mark.parametrize("levels", [3, 4])
@pytest.mark.parametrize("design", ["34 linked shares", "17 linked"])
def test_one_group_without_spread_leaves_welchs_f(design: str, levels: int) -> None:
    answer = answer_of(design, levels, "constant group")
    assert answer["method"] == "welch_anova"
    assert answer["p"] < 0.05
