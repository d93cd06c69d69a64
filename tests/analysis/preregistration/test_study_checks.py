"""A plan against a study: what it names and is not there, levels, units, tests that are for other designs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.analysis.plan import parse
from negstats.analysis.plan.parse import plan_of
from negstats.analysis.preregistration.aspredicted import aspredicted
from negstats.analysis.preregistration.check import check
from negstats.analysis.preregistration.study_checks import check_plan, find_faults
from negstats.errors import PlanError
from negstats.studies.study import Study
from tests.analysis.plan.plans import SMALLEST, Table, fitting, plans_with_faults
from tests.analysis.plan.studies import answering, robot
from tests.conftest import runs

RULE = '[[leave_out]]\ncolumn = "games.session"\nvalue = "Demo"\nreason = "practice"\n'
ANSWERS = ["Unsatisfied"] * 20 + ["Satisfied"] * 34 + ["Neutral"] * 12

ROBOT = robot()
LINKED = robot(412, meet=True)

STUDIES: dict[str, Study] = {
    "": ROBOT,
    "linked people": LINKED,
    "two arms": replace(ROBOT, games=ROBOT.games.assign(arm=["x"] * 99 + ["y"] * 99)),
    "a small arm": replace(ROBOT, games=ROBOT.games.assign(arm=["CL"] * 195 + ["FC"] * 3)),
    "answers to s": answering(ROBOT, "s", ANSWERS),
    "answers to satisfied": answering(ROBOT, "satisfied", ANSWERS),
    "scores": replace(ROBOT, games=ROBOT.games.assign(score=1.5)),
}
LINES = plans_with_faults(Path(__file__).parent / "faults.txt")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", LINES)
def test_each_fault_is_one_line(name: str) -> None:
    text, expected = LINES[name]
    study = STUDIES[next((key for key in STUDIES if key and name.endswith(f" of {key}")), "")]
    assert [str(fault) for fault in find_faults(parse(text), study)] == [f"plan.toml:{expected}"]


@pytest.mark.slow
def test_a_cell_of_one_does_not_stop_the_others() -> None:
    (text, _), study = LINES["33 of a small arm"], STUDIES["a small arm"]
    (fault,) = find_faults(parse(text), study)
    assert not fault.stops
    check_plan(parse(text), study)


def test_faults_that_stop_are_raised_together_in_order() -> None:
    text = SMALLEST.replace('"agent"', '"agnet"').replace('"condition"', '"contition"') + RULE.replace(
        "session", "sesion"
    )
    with pytest.raises(PlanError) as caught:
        check_plan(parse(text), ROBOT)
    assert [fault.split(":")[1] for fault in caught.value.faults] == ["4", "5", "7"]


def test_a_named_unit_lets_linked_people_be_compared() -> None:
    text = SMALLEST.replace('"agent"', '"Human"') + '[data]\nunit = "game"\n'
    assert find_faults(parse(text), LINKED) == []


SMALL = answering(robot(6), "liking", ["no", "yes"] * 3)


@pytest.mark.slow
@given(fitting(), st.booleans())
@settings(max_examples=runs(500, 15))
def test_any_plan_fits_or_has_faults(content: Table, outcomes: bool) -> None:
    try:
        plan = plan_of(content, "plan.toml")
    except PlanError:
        return
    found = find_faults(plan, SMALL, outcomes=outcomes)
    assert all(str(fault).startswith("plan.toml") for fault in found)
    if not any(fault.stops for fault in find_faults(plan, SMALL, outcomes=False)):
        checks = check(plan, SMALL)
        assert aspredicted(plan, checks)
        assert all(one.choice is not None or one.refused for one in checks.questions)
        assert len(checks.lines()) > len(plan.questions)
