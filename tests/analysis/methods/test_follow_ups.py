"""Follow-ups of means: the p of a record and the interval beside it are of one kind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from negstats.analysis import run
from negstats.analysis.plan.model import Plan, Question
from tests.analysis.methods.designs import CASES, Case
from tests.analysis.studies import meetings

(GROUPS,) = (case for case in CASES if case.test == "welch_anova")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4, 5])
def test_games_howell_holds_the_simultaneous_p_beside_the_simultaneous_interval(seed: int) -> None:
    """q = t √2 of three groups (Games and Howell, 1976); an interval holds 0 exactly where p is above α."""
    case: Case = GROUPS
    report = run(case.plan(), case.study(np.random.default_rng(seed)))
    records = [test for test in report.results["questions"][0]["tests"] if test["method"] == "games_howell"]
    assert len(records) == 3
    for record in records:
        (df,) = record["df"]
        p = scipy_stats.studentized_range.sf(abs(record["statistic"]) * np.sqrt(2), 3, df)
        assert record["p"] == pytest.approx(p, abs=1e-6)
        assert record["p"] == record["p_adjusted"]
        assert "(Games–Howell), difference = " in record["apa"]
        low, high = record["estimate"]["low"], record["estimate"]["high"]
        assert (low <= 0 <= high) == (record["p"] >= 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3])
def test_pairs_after_a_logistic_regression_are_those_of_the_two_groups_alone(seed: int) -> None:
    """The likelihood ratio of two groups without a covariate is G² of their table."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(["a", "b", "c"], 60)
    yes = rng.random(180) < np.repeat([0.3, 0.5, 0.8], 60)
    ends = np.where(yes, "agreement", "walkaway").tolist()
    study = meetings([(f"p{at}",) for at in range(180)], groups.tolist(), ends)
    question = Question("Do they agree?", "agreed", by=("condition",), test="logistic")
    tests = run(Plan(questions={"H1": question}), study).results["questions"][0]["tests"]
    pairs = [test for test in tests if test["role"] == "follow-up"]
    assert [test["address"].partition("#")[2] for test in pairs] == ["a - b", "a - c", "b - c"]
    for test in pairs:
        levels = test["address"].partition("#")[2].split(" - ")
        table = [[int(yes[groups == level].sum()), int((~yes)[groups == level].sum())] for level in levels]
        expected = scipy_stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert test["statistic"] == pytest.approx(expected.statistic, rel=1e-6)
        assert test["p_adjusted"] >= test["p"]
