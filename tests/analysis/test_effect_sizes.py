"""`compare` and a plan's answer have one effect size: the same name, value, interval and printed text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import negstats
from negstats.analysis import Comparison, compare, run
from negstats.analysis.plan.parse import read
from negstats.studies import Provenance, Study
from negstats.tables import conform
from tests.conftest import ROOT, DataFolder
from tests.nets.plans import PLANS

# Questions of the five plans that `compare` can ask too (two levels of a column of games, no bounds, direction or other
# rows), and how it is called for them.
QUESTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "robot": {
        "H1": {"measure": "points", "by": "condition", "who": "agent", "paired": True},
        "H3": {"measure": "rounds", "by": "condition", "paired": True},
        "E1": {"measure": "concession_rate", "by": "condition", "who": "human", "paired": True},
    },
    "casino": {},
    "contract": {},
    "dealornodeal": {},
    "otree_dyads": {},
}


def answers(entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {entry["id"]: next(test for test in entry["tests"] if test["role"] == "answer") for entry in entries}


def check_same(comparison: Any, answer: dict[str, Any], *, text: bool = True) -> None:
    assert isinstance(comparison, Comparison)
    effect = comparison.to_dict()["effect_size"]
    assert isinstance(effect, dict)
    assert effect.pop("effect") == answer["effect"]["name"]
    expected = {name: value for name, value in answer["effect"].items() if name != "name"}
    assert effect.pop("method") == expected.pop("method")
    assert effect == pytest.approx(expected, rel=1e-12)
    printed = comparison.effect
    assert printed is not None
    assert answer["apa"].endswith(printed.apa())
    assert comparison.apa().endswith(answer["apa"] if text else printed.apa())


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_compare_says_what_the_plan_answers(name: str, real_data: DataFolder) -> None:
    plan = read(ROOT / "tests" / "plans" / f"{name}.toml")
    two_levels = {
        name
        for name, asked in plan.questions.items()
        if asked.measure
        and len(asked.by) == 1
        and not (asked.equivalent or asked.direction or asked.only)
        and asked.measure not in plan.measures
        and plan.factors[asked.by[0]].column.startswith("games.")
        and len(plan.factors[asked.by[0]].levels) == 2
    }
    assert two_levels == set(QUESTIONS[name])
    if not two_levels:
        return
    study = negstats.load(ROOT / PLANS[name] if "/" in PLANS[name] else real_data(PLANS[name]))
    report_answers = answers(run(plan, study).results["questions"])
    for question, call in QUESTIONS[name].items():
        check_same(compare(study, **call), report_answers[question])


def groups_study(values: dict[str, list[float]], column: str) -> Study:
    rows = [(level, value) for level, ones in values.items() for value in ones]
    ids = [f"g{place}" for place in range(len(rows))]
    games: dict[str, list[Any]] = {
        "game_id": ids,
        "ended": ["agreement"] * len(ids),
        "condition": [level for level, _ in rows],
        "rounds": [int(value) if column == "rounds" else 5 for _, value in rows],
    }
    players = {
        "game_id": [game for game in ids for _ in range(2)],
        "player": ["A", "B"] * len(ids),
        "kind": ["human", "agent"] * len(ids),
        "participant_id": [cell for game in ids for cell in (f"p-{game}", None)],
        "points": [cell for _, value in rows for cell in (value, 1.0)],
    }
    return Study(
        games=conform("games", games), players=conform("players", players), provenance=Provenance("by hand", "1")
    )


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "who", "effect"), [("rounds", None, "ratio_of_means"), ("points", "human", "g")])
def test_groups_have_the_effect_of_a_plan(measure: str, who: str | None, effect: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    study = groups_study({"x": [*rng.poisson(6.0, 24)], "y": [*rng.poisson(4.0, 30)]}, measure)
    owner = f'who = "{who}"' if who else ""
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'title = "T"\n[factors.condition]\nlevels = ["x", "y"]\n[questions.H1]\nasks = "A?"\nmeasure = "{measure}"\n'
        f'{owner}\nby = "condition"\n'
    )
    answer = answers(run(read(plan), study).results["questions"])["H1"]
    assert answer["effect"]["name"] == effect
    check_same(compare(study, measure, "condition", who=who), answer, text=effect == "g")


def test_a_ratio_to_a_mean_of_zero_is_not_printed() -> None:
    study = groups_study({"x": [1.0, 2.0, 0.0, 3.0, 1.0], "y": [0.0] * 5}, "rounds")
    comparison = compare(study, "rounds", "condition")
    assert isinstance(comparison, Comparison)
    assert comparison.effect is None
    assert comparison.to_dict()["effect_size"] is None
    assert "ratio" not in comparison.apa()


def test_a_measure_has_the_decimals_of_the_report() -> None:
    study = negstats.load(ROOT / "datasets" / "robot" / "study")
    comparison = compare(study, "points", "condition", who="human", paired=True)
    # The SDs are 0.1001 and 0.0941: pooled below 0.1, so that three decimals are printed for both, as in the report.
    assert "CL (M = 0.752, SD = 0.100) and FC (M = 0.760, SD = 0.094)" in comparison.apa()
