"""The Results sections of CaSiNo and DealOrNoDeal, paragraph by paragraph, as one would send them."""

from __future__ import annotations

from typing import Any

import pytest

from negstats import datasets
from negstats.analysis import run
from negstats.analysis.plan.parse import parse
from negstats.report.answer_tables import follow_ups_table
from negstats.report.sentences import Question
from tests.nets.reports import report_of


@pytest.fixture(scope="module")
def casino_report() -> Any:
    return report_of("casino_pairs")


@pytest.mark.slow
def test_the_interval_of_omega_squared_is_that_of_the_noncentral_f_over_all_observations(casino_report: Any) -> None:
    # R: l <- uniroot(function(l) pf(0.7953972600428866, 2, 489.13021432527864, l) - .025, c(0, 200), tol = 1e-12)$root
    # l = 8.739911, and l / (l + 993 - 3) = 0.0087509; over Welch's df2, which is not their number, it would be 0.0176.
    (answer,) = (test for test in casino_report.results["questions"][0]["tests"] if test["role"] == "answer")
    effect = answer["effect"]
    assert (effect["low"], effect["high"]) == (0.0, pytest.approx(8.739911 / (8.739911 + 990), rel=1e-6))


@pytest.mark.slow
def test_residuals_of_groups_have_the_labels_of_the_plan(casino_report: Any) -> None:
    place = list(casino_report.answers).index("H4")
    table = follow_ups_table(Question(casino_report.results, place, casino_report.plan))
    terms = [str(row[0]) for row in table.rows if "yes" in str(row[0])]
    assert terms == ["Prosocial pairs, yes", "Mixed pairs, yes", "Proself pairs, yes"]


@pytest.mark.slow
def test_the_terminal_prints_the_odds_ratio_of_the_report(casino_report: Any) -> None:
    (test,) = (one for one in casino_report.results["questions"][4]["tests"] if one["role"] == "answer")
    assert test["apa"] == "χ²(1, N = 1030) = 1.31, p = .253, OR per SD = 0.79, 95% CI [0.53, 1.18]"


@pytest.mark.slow
def test_the_slope_has_the_interval_of_a_regression() -> None:
    """statsmodels: OLS(joint_value, utterances) has the same slope and interval."""
    import statsmodels.api as sm

    plan = parse('[questions.H1]\nasks = "?"\nmeasure = "joint_value"\nwith = "utterances"')
    report = run(plan, datasets.casino())
    details = report.results["questions"][0]["tests"][0]["details"]
    values = report.answers["H1"].values
    fit = sm.OLS(values["value"].astype(float), sm.add_constant(values["utterances"].astype(float))).fit()
    low, high = fit.conf_int().loc["utterances"]
    found = [details[key] for key in ("slope", "slope_low", "slope_high")]
    assert found == pytest.approx([fit.params["utterances"], low, high], rel=1e-9)
