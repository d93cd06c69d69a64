"""Studies that no test can be made of: constant, missing, separated, tiny. A question is refused, nothing crashes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from negstats.analysis import run
from negstats.analysis.plan import parse
from negstats.studies.study import Study
from tests.analysis.methods.designs import CASES, Case
from tests.analysis.plan.studies import robot

Values = npt.NDArray[np.float64]


def separated(study: Study) -> Values:
    if "condition" not in study.games.columns:
        return np.zeros(len(study.players))
    of_game = study.games.set_index("game_id")["condition"].reindex(study.players["game_id"])
    return np.asarray(of_game.eq("a").to_numpy(), dtype=np.float64)


WAYS = {
    "constant": lambda study: np.ones(len(study.players)),
    "missing": lambda study: np.full(len(study.players), np.nan),
    "half missing": lambda study: np.where(np.arange(len(study.players)) % 2, study.players["points"], np.nan),
    "separated": separated,
}


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case.row % 6 == 0], ids=lambda case: str(case.row))
@pytest.mark.parametrize("way", WAYS)
def test_values_that_determine_nothing_are_refused(case: Case, way: str) -> None:
    study = case.study(np.random.default_rng(1))
    points = WAYS[way](study)
    report = run(case.plan(), replace(study, players=study.players.assign(points=points)))
    (entry,) = report.results["questions"]
    json.dumps(report.results, allow_nan=False)
    assert entry["tests"] or entry["verdict"].startswith("not tested: ")
    assert "Q  Is there a difference?" in report.lines()


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case.row % 8 == 1], ids=lambda case: str(case.row))
@pytest.mark.parametrize("n", [2, 5])
def test_studies_of_a_few_units_are_answered_or_refused(case: Case, n: int) -> None:
    few = replace(case, n=n)
    (entry,) = run(few.plan(), few.study(np.random.default_rng(2))).results["questions"]
    assert entry["tests"] or entry["verdict"].startswith("not tested: ")


@pytest.mark.slow
def test_crossed_factors_of_which_nobody_has_every_cell_are_answered() -> None:
    study = robot(24)
    games = study.games[study.games["session"] != "Demo"]
    people = games["game_id"].str.partition("-")[2].astype(int)
    second = (games["condition"] == "FC") ^ (people % 2 == 1)  # the order is counterbalanced over people
    games = games.assign(half=np.where(second, "second", "first")).reset_index(drop=True)
    kept = replace(study, games=games, players=study.players[study.players["game_id"].isin(games["game_id"])])
    asked = {"asks": "Do they?", "measure": "points", "who": "agent", "by": ["condition", "half"]}
    text = "[questions]\nH1 = {" + ", ".join(f"{name} = {json.dumps(value)}" for name, value in asked.items()) + "}"
    (entry,) = run(parse(text), kept).results["questions"]
    assert entry["rule"]["row"] == 16
    assert [test["address"] for test in entry["tests"] if test["role"] == "answer"] == [
        "H1/condition",
        "H1/half",
        "H1/condition:half",
    ]


@pytest.mark.slow
def test_contrasts_of_related_rows_are_refused_in_words() -> None:
    plan = """
    [questions.Q]
    asks = "Which?"
    measure = "points"
    who = "agent"
    by = ["condition", "session"]
    contrasts = [{ name = "first", weights = { CL = 1, FC = -1 } }]
    """
    (entry,) = run(parse(plan), robot(24)).results["questions"]
    assert "contrasts of rows that are related have no test here" in entry["verdict"]
