"""Yes or no and counts that repeat by person get a mixed model; predictors of pairs get actor and partner."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

from negstats.analysis import run
from negstats.analysis.entries import schema
from negstats.analysis.rules import DesignFeatures, choose_rule
from negstats.report.results_section import words_of
from negstats.stats import actor_partner, mixed
from negstats.stats.models.responses import engine
from negstats.studies import Study, open_study
from tests.analysis.methods.designs import Case, alone, together, within

VALID = jsonschema.Draft202012Validator(schema())
GROUPS = Case(35, "mixed", together(3, svo="mixed"), 'by = "svo"', kind="yes/no", n=50)


def answer_case(case: Case) -> dict[str, list[dict[str, object]]]:
    report = run(case.plan(), case.study(np.random.default_rng(3)))
    VALID.validate(json.loads(json.dumps(report.results, allow_nan=False)))
    (entry,) = report.results["questions"]
    found: dict[str, list[dict[str, object]]] = {}
    for test in entry["tests"]:
        found.setdefault(test["role"], []).append(test)
    return found | {"rule": [entry["rule"]]}


@pytest.mark.slow
def test_yes_or_no_of_groups_gets_a_mixed_model_with_equations_beside() -> None:
    found = answer_case(GROUPS)
    (answer,) = found["answer"]
    assert answer["method"] == "mixed"
    assert [test["method"] for test in found["beside"]] == ["gee"]
    assert "units, SD" in str(answer["apa"])
    report = run(GROUPS.plan(), GROUPS.study(np.random.default_rng(3)))
    model = report.questions["Q"].result
    rows = model.rows
    frame = pd.DataFrame({"y": rows.y, "f": rows.coded["f0"].astype(str), "unit": rows.parts[0].codes})
    by_hand = mixed(frame, "y ~ f", cluster="unit", family="binomial")
    assert answer["p"] == pytest.approx(float(np.asarray(by_hand.test("f").p)), rel=1e-5)


REPEATED = Case(35, "mixed", alone({"condition": ["a", "b"]}, times=8), 'by = "condition"', kind="yes/no", n=30)
MET_TWICE = replace(REPEATED, sheet=within({"condition": ["a", "b"]}, times=6))


@pytest.mark.slow
@pytest.mark.parametrize("case", [REPEATED, MET_TWICE], ids=["between people", "within people"])
def test_what_a_person_decides_repeatedly_is_not_averaged(case: Case) -> None:
    study = case.study(np.random.default_rng(3))
    (answer,) = answer_case(case)["answer"]
    assert answer["method"] == "mixed"
    rows = study.players.merge(study.games[["game_id", "condition"]], on="game_id")
    slope = "(1 + condition | participant_id)" if case is MET_TWICE else "(1 | participant_id)"
    by_hand = mixed(rows.assign(points=rows["points"].astype(int)), f"points ~ condition + {slope}", family="binomial")
    assert answer["p"] == pytest.approx(float(np.asarray(by_hand.test("condition").p)), rel=1e-4)


CROSSED = replace(
    REPEATED,
    sheet=within({"condition": ["a", "b"], "frame": ["c", "d"]}, times=6),
    question='by = ["condition", "frame"]',
    n=16,
)


@pytest.mark.slow
def test_what_differs_within_people_rests_on_people() -> None:
    answers = answer_case(CROSSED)["answer"]
    terms = {str(test["address"]).partition("/")[2]: test for test in answers}
    assert terms.keys() == {"condition", "frame", "condition:frame"}
    assert {str(test["df"]).rstrip("]").rpartition(" ")[2].lstrip("[") for test in answers} == {f"{CROSSED.n - 1}.0"}
    assert "of the effect of condition:frame" in str(terms["condition:frame"]["apa"])


@pytest.mark.slow
def test_where_too_much_would_vary_over_people_the_equations_answer() -> None:
    levels = {"condition": ["a", "b", "c"], "frame": ["d", "e", "f"]}
    found = answer_case(replace(CROSSED, sheet=within(levels, times=4)))
    assert {test["method"] for test in found["answer"]} == {"gee"}
    assert "9 effects would vary over units" in str(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("named", "case"), [("welch", REPEATED), ("gee", REPEATED), ("logistic", REPEATED), ("paired", MET_TWICE)]
)
def test_a_plan_that_names_a_test_of_averages_keeps_it(named: str, case: Case) -> None:
    found = answer_case(replace(case, question=f'{case.question}\ntest = "{named}"'))
    assert [test["method"] for test in found["answer"]] == [named]


@pytest.mark.slow
def test_three_conditions_are_compared_by_pairs() -> None:
    found = answer_case(replace(REPEATED, sheet=alone({"condition": ["a", "b", "c"]}, times=8)))
    assert [str(test["address"]) for test in found["follow-up"]] == ["Q#a - b", "Q#a - c", "Q#b - c"]
    assert all(test["correction"] == "holm" and "OR = " in str(test["apa"]) for test in found["follow-up"])


@pytest.mark.slow
def test_where_a_condition_separates_the_shares_of_people_are_compared() -> None:
    study = REPEATED.study(np.random.default_rng(3))
    players = study.players.copy()
    first = study.games.set_index("game_id")["condition"].reindex(players["game_id"]).to_numpy() == "a"
    players.loc[first, "points"] = 1.0
    report = run(REPEATED.plan(), replace(study, players=players))
    (answer,) = [test for test in report.results["questions"][0]["tests"] if test["role"] == "answer"]
    assert answer["method"] == "welch"
    assert "no mixed model: 'condition = b' separates 'y'" in answer["apa"]  # in the plan's names


@pytest.mark.slow
def test_a_plan_that_names_another_test_keeps_it() -> None:
    for name in ("gee", "logistic"):
        found = answer_case(replace(GROUPS, question='by = "svo"\ntest = "' + name + '"'))
        assert [test["method"] for test in found["answer"]] == [name]
        assert "beside" not in found


@pytest.mark.slow
def test_counts_get_a_mixed_model_by_name() -> None:
    case = Case(40, "gee", together(3, svo="mixed"), 'by = "svo"', kind="count", n=50)
    assert answer_case(case)["answer"][0]["method"] == "gee"
    named = answer_case(replace(case, question='by = "svo"\ntest = "mixed"'))
    assert named["answer"][0]["method"] == "mixed"
    assert "ratio of means = " in str(named["answer"][0]["apa"])


def test_pairs_stay_with_estimating_equations() -> None:
    assert choose_rule(DesignFeatures("yes/no", "two groups", inside=True, linked="pairs")).rule.test == "gee"
    assert choose_rule(DesignFeatures("yes/no", "two groups", inside=True, linked="groups")).rule.test == "mixed"
    assert (
        choose_rule(DesignFeatures("yes/no", "two groups", inside=True, linked="pairs"), "mixed").rule.test == "mixed"
    )


@pytest.mark.slow
def test_without_the_engine_the_equations_answer_and_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "has_engine", lambda: False)
    (answer,) = answer_case(GROUPS)["answer"]
    assert answer["method"] == "gee"
    assert "no mixed model" in str(answer["apa"])
    assert "pip install negstats[mixed]" in str(answer["apa"])


@pytest.mark.slow
def test_predictors_of_pairs_get_actor_and_partner() -> None:
    case = Case(19, "dyad", together(2), 'with = ["age", "length"]', n=40, related=-1.0)
    study = case.study(np.random.default_rng(4))
    report = run(case.plan(), study)
    (entry,) = report.results["questions"]
    terms = {test["address"].partition("/")[2] for test in entry["tests"] if test["role"] == "answer"}
    assert terms == {"age", "length", "age of the partner", "length of the partner"}


def test_actor_and_partner_are_those_of_the_model_of_pairs() -> None:
    """With one predictor the same model is `actor_partner` of alike seats."""
    draw = np.random.default_rng(6)
    pair = np.repeat(np.arange(40), 2)
    x = draw.normal(size=80)
    y = 0.5 * x - 0.4 * x.reshape(-1, 2)[:, ::-1].ravel() + draw.normal(size=80)
    frame = pd.DataFrame({"pair": pair, "x": x, "y": y, "partner": x.reshape(-1, 2)[:, ::-1].ravel()})
    by_model = mixed(frame, "y ~ x + partner", "pair", between="any")
    by_sums = actor_partner(frame, "y", "x", pair="pair")
    for one, other in (("x", "actor"), ("partner", "partner")):
        assert by_model.effect(one).estimate == pytest.approx(by_sums.coefficient(other).estimate, rel=1e-6)
        assert by_model.effect(one).p == pytest.approx(by_sums.coefficient(other).p, rel=1e-4)


@pytest.mark.slow
def test_a_region_of_practical_equivalence_stands_beside_tost() -> None:
    found = answer_case(
        Case(25, "equivalence", alone({"condition": ["a", "b"]}), 'by = "condition"\nequivalent = 1', n=40)
    )
    (region,) = [test for test in found["beside"] if test["method"] == "equivalence_region"]
    assert region["p"] is None
    assert "prior: Cauchy of scale r = 0.707 on δ" in str(region["apa"])


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "step"), [(1, "0.1"), (50_000, "10,000")])
def test_a_ratio_is_given_for_a_step_that_can_be_judged(scale: float, step: str) -> None:
    case = replace(REPEATED, question='with = "length"')
    study = case.study(np.random.default_rng(3))
    answers, own = study.answers.copy(), (study.answers["question"] == "length").to_numpy()
    answers.loc[own, "answer"] = [f"{scale * share:.2f}" for share in np.random.default_rng(1).random(own.sum())]
    report = run(case.plan(), replace(study, answers=answers))
    (answer,) = [test for test in report.results["questions"][0]["tests"] if test["role"] == "answer"]
    assert f"OR per {step} = " in answer["apa"]
    assert answer["details"]["step_value"] == pytest.approx(answer["effect"]["value"] ** float(step.replace(",", "")))
    VALID.validate(json.loads(json.dumps(report.results, allow_nan=False)))
    assert f"each increase of {step} in length" in words_of(report).text.replace(", a ratio", "")
    assert "per " not in str(answer_case(case)["answer"][0]["apa"])  # it spans 1 to 100


@pytest.mark.slow
def test_the_report_says_shares_of_what_people_decided() -> None:
    report = run(REPEATED.plan(), REPEATED.study(np.random.default_rng(3)))
    assert "by a mixed model with an intercept for each of the 30 people" in words_of(report).text


def with_means(study: Study) -> Study:
    """Return a study in which each person plays once at each level, with the mean of what there was."""
    rows = study.players.merge(study.games[["game_id", *study.factors]], on="game_id")
    levels = [*study.factors]
    means = rows.groupby(["participant_id", *levels], sort=False)["points"].transform("mean")
    place = rows.groupby(["participant_id", *levels], sort=False).cumcount()
    players = study.players.assign(points=means.to_numpy())[(place == 0).to_numpy()]
    games = study.games[study.games["game_id"].isin(players["game_id"])]
    return Study(games=games, players=players, answers=study.answers, provenance=study.provenance)


IN_GROUPS = Case(20, "mixed", together(3, svo="mixed", times=4), 'by = "svo"')
IN_PAIRS = replace(IN_GROUPS, row=19, test="dyad", sheet=together(2, svo="mixed", times=4))
LACKING = Case(16, "mixed", within({"condition": ["a", "b", "c"]}, lacking=10, times=3), 'by = "condition"')


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("case", "test"), [(IN_GROUPS, "mixed"), (IN_PAIRS, "dyad"), (LACKING, "mixed")], ids=["groups", "pairs", "alone"]
)
def test_a_model_of_rows_takes_what_a_person_did_repeatedly_as_one(case: Case, test: str, tmp_path: Path) -> None:
    study = case.study(np.random.default_rng(8))
    study.save(tmp_path / "study")
    once = run(case.plan(), with_means(study)).results["questions"][0]
    for stored in (study, open_study(tmp_path / "study", engine="duckdb")):
        often = run(case.plan(), stored).results["questions"][0]
        [one], [other] = ([found for found in entry["tests"] if found["role"] == "answer"] for entry in (once, often))
        assert one["method"] == other["method"] == test
        for name in ("statistic", "p", "df"):
            assert other[name] == pytest.approx(one[name], rel=1e-9)
        assert "were averaged" in str(often)


@pytest.mark.slow
def test_decisions_of_people_in_groups_become_shares() -> None:
    case = replace(IN_GROUPS, kind="yes/no")
    study = case.study(np.random.default_rng(8))
    once = run(IN_GROUPS.plan(), with_means(study)).results["questions"][0]
    often = run(case.plan(), study).results["questions"][0]
    assert often["tests"][0]["method"] == "mixed"
    assert often["tests"][0]["p"] == pytest.approx(once["tests"][0]["p"], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "named"), [("count", ""), ("yes/no", '\ntest = "gee"')])
def test_equations_whose_errors_go_by_unit_take_each_row(kind: str, named: str) -> None:
    case = replace(IN_GROUPS, kind=kind, question=IN_GROUPS.question + named)
    question = run(case.plan(), case.study(np.random.default_rng(8))).results["questions"][0]
    assert question["tests"][0]["method"] == "gee"
    assert question["tests"][0]["n"] == [question["rows"]["rows"]]
