"""A plan against a study: what it names and is not there, levels, units, tests that are for other designs."""

from __future__ import annotations

from dataclasses import replace

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
from tests.analysis.plan.plans import SMALLEST, Table, fitting
from tests.analysis.plan.studies import answering, robot
from tests.conftest import runs

RULE = '[[leave_out]]\ncolumn = "games.session"\nvalue = "Demo"\nreason = "practice"\n'
FACTOR = '[factors.condition]\nlevels = ["CL", "FC"]\n'
ITEM = '[questions.H1]\nasks = "a"\nmeasure = "satisfaction"\nby = "condition"\n[measures.satisfaction]\nanswer = "s"\n'
SCALE = 'scale = ["Unsatisfied", "Undecided", "Satisfied"]\n'
ANSWERS = ["Unsatisfied"] * 20 + ["Satisfied"] * 34 + ["Neutral"] * 12

ROBOT = robot()
LINKED = robot(412, meet=True)

# A plan, a study and the line that is said.
LINES: dict[str, tuple[str, Study, str]] = {
    "5": (
        SMALLEST.replace('"agent"', '"agnet"'),
        ROBOT,
        "4: questions.H1.who: no seat is called 'agnet'; did you mean 'agent'?",
    ),
    "6": (
        SMALLEST.replace('who = "agent"\n', ""),
        ROBOT,
        "1: questions.H1: points is measured for each seat; name the seat with who: agent, human",
    ),
    "7": (
        SMALLEST.replace('"condition"', '"contition"'),
        ROBOT,
        "5: questions.H1.by: no factor is called 'contition'; did you mean 'condition'?",
    ),
    "8": (
        SMALLEST + FACTOR.replace('"CL"', '"Cl"'),
        ROBOT,
        "7: factors.condition.levels: 'Cl' is not a level of games.condition; it has CL, FC",
    ),
    "9": (
        SMALLEST + RULE.replace("session", "condition").replace("Demo", "FC"),
        ROBOT,
        "5: questions.H1.by: 'condition' has only one level (CL), so nothing can be compared",
    ),
    "10": (
        SMALLEST + "[factors.condition]\nwithin = false\n",
        ROBOT,
        "7: factors.condition.within: is false, but it varies within 66 of 66 participants",
    ),
    "10 turned round": (
        SMALLEST.replace('"condition"', '"arm"') + "[factors.arm]\nwithin = true\n",
        replace(ROBOT, games=ROBOT.games.assign(arm=["x"] * 99 + ["y"] * 99)),
        "7: factors.arm.within: is true, but it varies within 0 of 66 participants",
    ),
    "11": (
        SMALLEST + 'direction = "CL > XX"\n',
        ROBOT,
        """6: questions.H1.direction: 'XX' is not a level of 'condition'; write "CL > FC" or "FC > CL\"""",
    ),
    "12": (
        SMALLEST.replace('"condition"', '"session"') + 'direction = "Demo > Session_1"\n',
        ROBOT,
        "6: questions.H1.direction: needs two levels, 'session' has 3; name them with only, or give contrasts",
    ),
    "17": (
        SMALLEST + 'test = "welch"\n',
        ROBOT,
        "6: questions.H1.test: 'welch' is for independent groups, and 66 participants have both levels; give 'paired'",
    ),
    "18": (
        SMALLEST + 'test = "fisher"\n',
        ROBOT,
        "6: questions.H1.test: 'fisher' is for yes/no outcomes; points is interval",
    ),
    "24 of a column that is not there": (
        SMALLEST + RULE.replace("session", "sesion"),
        ROBOT,
        "7: leave_out 1.column: no such column; did you mean 'session'?",
    ),
    "26": (
        SMALLEST + RULE.replace("Demo", "x") + 'relation = "!="\n',
        ROBOT,
        "6: leave_out 1: takes all 198 games; nothing is left to ask about",
    ),
    "26 of the second": (
        SMALLEST + RULE + RULE.replace('value = "Demo"', 'relation = "!="\nvalue = "Demo"'),
        ROBOT,
        "6: leave_out: takes all 198 games; nothing is left to ask about",
    ),
    "27": (
        ITEM + SCALE,
        answering(ROBOT, "s", ANSWERS),
        "7: measures.satisfaction.scale: 12 answers are 'Neutral', which the scale lacks; did you mean 'Undecided'?",
    ),
    "27 without a scale": (
        ITEM,
        answering(ROBOT, "s", ANSWERS),
        "5: measures.satisfaction: 66 answers are not numbers, such as 'Neutral'; give scale, its words in order",
    ),
    "27 of an item that is not there": (
        ITEM.replace('"s"', '"t"'),
        answering(ROBOT, "satisfied", ANSWERS),
        "6: measures.satisfaction.answer: no question is called 't'; there are satisfied",
    ),
    "32": (
        SMALLEST.replace('"agent"', '"Human"'),
        LINKED,
        "1: questions.H1: all 412 people are linked through games, so no two units are independent; "
        '[data] unit = "game" takes games for independent, and says so',
    ),
    "33": (
        SMALLEST.replace('"condition"', '"arm"'),
        replace(ROBOT, games=ROBOT.games.assign(arm=["CL"] * 195 + ["FC"] * 3)),
        "1: questions.H1: 'FC' has 1 participant with a value; a test needs 2 "
        '(the question is answered "cannot be estimated", the others run)',
    ),
    # Beyond the table.
    "another name of a measure that is a number of the study's own": (
        SMALLEST.replace('"points"', '"score"'),
        replace(ROBOT, games=ROBOT.games.assign(score=1.5)),
        "3: questions.H1.measure: 'score' is another name of 'points', and this study has a number of that name; "
        "write 'games.score' for the study's, or 'points'",
    ),
    "a column of a factor": (
        SMALLEST + '[factors.condition]\ncolumn = "games.conditoin"\n',
        ROBOT,
        "7: factors.condition.column: games has no column 'conditoin'; did you mean 'condition'?",
    ),
    "a seat for a measure of games": (
        SMALLEST.replace('"points"', '"rounds"'),
        ROBOT,
        "4: questions.H1.who: is 'agent', and rounds describes a whole game; leave it out",
    ),
    "a factor of seats for a measure of games": (
        SMALLEST.replace('"points"', '"rounds"').replace('who = "agent"\n', "").replace('"condition"', '"kind"'),
        ROBOT,
        "4: questions.H1.by: 'kind' differs between people or seats, and rounds describes a whole game",
    ),
    "what is not in the logs": (
        SMALLEST.replace('"points"', '"competitiveness"'),
        ROBOT,
        "3: questions.H1.measure: competitiveness cannot be computed: the study has no offers",
    ),
    "a level that is merged and not there": (
        SMALLEST + '[factors.condition]\nmerge = { X = ["CL", "FD"] }\n',
        ROBOT,
        "7: factors.condition.merge: 'FD', for 'X', is not a level of games.condition; it has CL, FC",
    ),
    "a level that is kept and not there": (
        SMALLEST + 'only = { condition = ["CL", "FD"] }\n',
        ROBOT,
        "6: questions.H1.only: 'FD' is not a level of 'condition'; it has CL, FC",
    ),
    "a test of pairs for independent groups": (
        SMALLEST.replace('"condition"', '"arm"') + 'test = "paired"\n',
        replace(ROBOT, games=ROBOT.games.assign(arm=["x"] * 99 + ["y"] * 99)),
        "6: questions.H1.test: 'paired' is for the same units at several levels, and no participant has two levels; "
        "give 'welch'",
    ),
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", LINES)
def test_each_fault_is_one_line(name: str) -> None:
    text, study, expected = LINES[name]
    assert [str(fault) for fault in find_faults(parse(text), study)] == [f"plan.toml:{expected}"]


@pytest.mark.slow
def test_a_cell_of_one_does_not_stop_the_others() -> None:
    text, study, _ = LINES["33"]
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
