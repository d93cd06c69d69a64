"""Each test is one record: every name in it leads somewhere, and no second list repeats the table."""

from __future__ import annotations

import ast
import inspect
import re
from functools import reduce
from pathlib import Path

import pytest

import negstats
from negstats import stats
from negstats.analysis import rules
from negstats.analysis.method import METHODS, Method, function_at
from negstats.analysis.plan.parse import parse
from negstats.errors import PlanError

PACKAGE = Path(negstats.__file__).parent
SUMMARIES = {"Cells", "Moments", "ClusterMoments", "Counts", "ValueCounts", "rows"}  # of `negstats.stats`, or the rows


def test_each_record_leads_to_its_functions() -> None:
    for method in METHODS.values():
        check_record(method)


def check_record(method: Method) -> None:
    """Assert that every name in a record leads somewhere."""
    if method.answer:
        assert callable(function_at("methods", method.answer)), method.key
        assert method.summary in SUMMARIES, method.key
        assert method.effect, method.key
    for step in (*method.beside, *([method.follow_ups] if method.follow_ups else [])):
        assert len(inspect.signature(function_at("methods", step.function)).parameters) == 2, method.key
        assert step.words, method.key
    if method.power:
        assert callable(function_at("power", f"cases.{method.power}")), method.key
    if method.function:
        assert callable(reduce(getattr, method.function.removeprefix("stats.").split("."), stats)), method.key
    assert METHODS[method.test].label, method.key


def test_every_rule_has_a_record_that_computes_it() -> None:
    for rule in (rule for rule in rules.RULES if rule.test):
        method = METHODS[rule.method or rule.test]
        assert method.test == rule.test
        assert method.answer


def test_the_summary_of_a_record_is_what_its_answer_takes() -> None:
    """The page on engines was made by running each row without rows at home: an answer came, or rows were asked for."""
    page = (PACKAGE.parent / "docs" / "how-to" / "engines.md").read_text(encoding="utf-8")
    table = re.findall(
        r"^\| `(\w+)` \| ([^|]*) \| (rows|summary) \|$", page.partition("| test of a plan |")[2], re.MULTILINE
    )
    takes = {(test, int(row)): answer for test, rows, answer in table for row in re.findall(r"\d+", rows)}
    takes["mixed", 53] = "rows"
    for rule in (rule for rule in rules.RULES if (rule.test, rule.row) in takes):
        needs_rows = METHODS[rule.key].summary == "rows"
        assert needs_rows == (takes[rule.test, rule.row] == "rows"), (rule.row, rule.design)
    assert len(takes) > 45


def test_every_method_that_answers_is_taken_by_a_rule() -> None:
    taken = {rule.method or rule.test for rule in rules.RULES if rule.test}
    assert {key for key, method in METHODS.items() if method.answer} == taken


# A room's own words or functions for the tests that it treats apart; none holds a label, an alias or what computes one.
OWN = {
    "report/references.py": "the works that a test cites",
    "audit/name_questions.py": "how papers name tests",
    "analysis/assumptions.py": "which tests have residuals",
}


@pytest.mark.slow
def test_there_is_no_second_list_of_the_methods() -> None:
    for file in [*PACKAGE.rglob("analysis/**/*.py"), *PACKAGE.rglob("report/**/*.py"), *PACKAGE.rglob("plots/**/*.py")]:
        name = file.relative_to(PACKAGE).as_posix()
        if name == "analysis/method.py" or any(name.startswith(own) for own in OWN):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            keys = node.keys if isinstance(node, ast.Dict) else node.elts if isinstance(node, ast.Set) else []
            names = {key.value for key in keys if isinstance(key, ast.Constant) and key.value in METHODS}
            assert len(names) < 5, f"{name}:{node.lineno} lists methods again: {sorted(map(str, names))}"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("typed", "within", "meant"),
    [("t-test", True, "paired"), ("t-test", False, "welch"), ("chi2", True, "mcnemar"), ("chi2", False, "chi_squared"),
     ("rm_anova", True, "repeated"), ("rm_anova", False, "anova"), ("Mann-Whitney", True, "wilcoxon"),
     ("Mann-Whitney", False, "brunner_munzel"), ("lmm", False, "mixed"), ("tost", True, "equivalence")],
)  # fmt: skip
def test_what_people_type_is_understood(typed: str, within: bool, meant: str) -> None:
    factor = f"factors.condition.within = {str(within).lower()}"
    asked = 'asks = "Who earns more?"\nmeasure = "points"\nby = "condition"'
    with pytest.raises(PlanError, match=f"did you mean '{meant}'"):
        parse(f'{factor}\n[questions.H1]\n{asked}\ntest = "{typed}"\n')
