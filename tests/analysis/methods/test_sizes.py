"""Every row counts once: n of an answer is that of the design's units, or of the rows of linked units in its cells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import negstats
from negstats.analysis.run import run
from tests.analysis.methods.designs import BY, BY_ROW, CASES, DURATION, TWO, Case, alone, report_of, study_of, together

# Models of rows in units that are linked through games: their n are rows, which are those of the cells.
OF_ROWS = (16, 19, 20, 21, 35, 40, 52, 53)
# What else can be asked of units with several rows each, beside the one case of each row of the table.
LINKED = (
    replace(BY_ROW[52], test="logrank", kind="censored"),
    replace(BY_ROW[52], test="cox", sheet=alone({}, times=2), question=DURATION + 'with = "age"'),
    replace(BY_ROW[52], test="gray of pairs", sheet=together(2, TWO, times=3)),
    Case(22, "welch", alone(TWO, times=3), BY + '\ntest = "welch"', kind="yes/no"),
    Case(35, "mixed", alone(TWO, times=3), BY, kind="yes/no"),
    Case(17, "welch", together(3, TWO, times=2), BY),
    Case(19, "dyad", together(2, times=2), 'with = "age"', kind="yes/no", n=60),  # a share of each person
    Case(40, "gee", together(2, times=2), 'with = "age"', kind="count", n=60),
    Case(21, "pearson", together(2, times=2), 'with = "age"', n=40),
)
EVERY = [case for case in (*CASES, *LINKED) if case.test]


def asked(case: Case, study: Any, rows: int = 0) -> dict[str, Any]:
    [question] = run(case.plan(), study, max_rows=rows).results["questions"]
    return dict(question)


def check_sizes(question: dict[str, Any], case: Case) -> None:
    """Assert that answers, cells and the flow speak of the same rows, and averages of units are told from rows."""
    answers = [test for test in question["tests"] if test["role"] == "answer"]
    of_cells = sum(cell["n"] for cell in question["cells"])
    expected = of_cells if case.row in OF_ROWS else question["design"]["n_units"]
    assert answers
    assert {sum(test["n"]) for test in answers} == {expected}
    averaged = [note for note in question["notes"] if "were averaged" in note]
    if case.row in OF_ROWS:
        rows = question["rows"]
        assert bool(averaged) == (case.row == 19 and rows["rows"] > question["design"]["n_units"] * 2)
        assert of_cells == rows["values" if averaged else "rows"]
    else:
        assert bool(averaged) == (question["rows"]["rows"] > question["rows"]["values"])


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.row}-{case.test}") for case in EVERY])
def test_n_of_answers_is_that_of_the_design(case: Case) -> None:
    [question] = report_of(case).results["questions"]
    check_sizes(question, case)


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.row}-{case.test}") for case in (BY_ROW[22], *LINKED)])
def test_an_engine_counts_the_same(case: Case, tmp_path: Path) -> None:
    """Where ``test_lazy_plan`` does not compare the whole answer of a case."""
    [here] = report_of(case).results["questions"]
    there = asked(case, negstats.open_study(study_of(case).save(tmp_path / "study"), engine="polars"), rows=10_000)
    check_sizes(there, case)
    for key in ("design", "rows"):
        assert there[key] == here[key]
    assert [cell["n"] for cell in there["cells"]] == [cell["n"] for cell in here["cells"]]
    assert [test["n"] for test in there["tests"]] == [test["n"] for test in here["tests"]]


@pytest.mark.slow
def test_times_of_linked_units_say_what_n_is() -> None:
    """120 games of 60 people: n of the answer, its cells and the note, whose intervals are of 30 people a cell."""
    case = BY_ROW[52]
    question = asked(case, case.study(np.random.default_rng(52)))
    assert [cell["n"] for cell in question["cells"]] == [60, 60]
    assert "n counts 120 games of 60 people; standard errors go by person." in question["notes"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", [False, True])
def test_times_of_nothing_are_counted(engine: bool, tmp_path: Path) -> None:
    """A game whose only message is at its start has no time at risk: it is left out, with its reason."""
    case = BY_ROW[49]
    study: Any = case.study(np.random.default_rng(49))
    study.messages.loc[:2, "time_s"] = 0.0
    if engine:
        study = negstats.open_study(study.save(tmp_path / "study"), engine="polars")
    question = asked(case, study, rows=1_000)
    assert ("a time of 0", 3) in [(row["reason"], row["count"]) for row in question["rows"]["excluded"]]
    assert question["design"]["n_units"] == sum(question["tests"][0]["n"]) == 77
