"""Negative binomial counts and the test of proportional odds against R (MASS, ordinal, car); properties and edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.errors import DesignError, NotEstimable
from negstats.stats import gee, negative_binomial, ordinal, poisson
from tests.conftest import reference, runs
from tests.stats.closeness import agree_in_order
from tests.stats.outcomes.test_outcomes import CLUSTERED, FRAMES, name_of, rel

R: dict[str, Any] = reference("counts_ordered")
COUNTS = {name: frame.assign(w=frame["z"] + 0.5) for name, frame in FRAMES.items()}


# Against R -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("case", R["counts"], ids=lambda case: f"{name_of(case)}-{'rate' * case['rate']}")
def test_negative_binomial_agrees_with_r(case: dict[str, Any]) -> None:
    exposure = "w" if case["rate"] else None
    model = negative_binomial(COUNTS[case["data"]], f"count ~ {case['rhs']}", exposure=exposure)
    agree_in_order(model.log_likelihood, case["loglik"], 1e-9)
    agree_in_order(model.poisson_log_likelihood, case["poisson"], 1e-9)
    agree_in_order(model.estimate, case["b"], 1e-6)
    agree_in_order([model.theta, model.theta_se], [case["theta"], case["theta_se"]], 1e-6)
    agree_in_order(model.se, case["se"], 1e-6)
    agree_in_order(model.tests()["statistic"], [test["statistic"] for test in case["tests"]], 1e-6)
    assert model.tests()["df"].to_list() == [test["df"] for test in case["tests"]]
    assert model.overdispersion().statistic == rel(2 * (case["loglik"] - case["poisson"]), 1e-7)
    if "low" in case:
        ends = model.confidence_interval()
        agree_in_order(ends.low, case["low"], 1e-5)  # R's search over theta in each step is as good as that
        agree_in_order(ends.high, case["high"], 1e-5)
        spread = model.dispersion_interval()
        agree_in_order([spread.low, spread.high], case["alpha"], 1e-6)
        first = model.marginal_effects("x")
        agree_in_order([first.estimate[0], first.se[0]], case["slope"], 1e-6)


@pytest.mark.parametrize("name", ["pairs", "twelve"])
def test_errors_for_clusters_of_spread_counts_agree_with_r(name: str) -> None:
    case = R["clustered"][name]
    frame = CLUSTERED[name].assign(count=case["count"])
    model = gee(frame, "count ~ x + t", cluster="id", family="poisson", correlation="independence",
                variance="negative binomial")  # fmt: skip
    agree_in_order(1 / model.dispersion, case["theta"], 1e-6)
    agree_in_order(model.estimate, case["b"], 1e-6)
    agree_in_order(np.sqrt(np.diag(model.sandwich)), case["plain"], 1e-6)
    agree_in_order(model.se, case["md"], 1e-6)


@pytest.mark.parametrize("case", R["ordered"], ids=name_of)
def test_proportional_odds_agree_with_a_fit_to_the_last_digits(case: dict[str, Any]) -> None:
    model = ordinal(FRAMES[case["data"]], f"rating ~ {case['rhs']}")
    agree_in_order(model.log_likelihood, case["loglik"], 1e-11)
    agree_in_order(model.estimate, case["b"])
    agree_in_order(model.thresholds, case["zeta"])
    agree_in_order(model.se, case["se"])
    for effects in case["ame"]:
        ours = model.marginal_effects(effects["of"])
        agree_in_order(ours.estimate, effects["value"], 1e-6)
        agree_in_order(ours.se, effects["se"], 1e-6)
    every = model.marginal_effects().to_frame()
    assert every.groupby(["variable", "contrast"])["estimate"].sum().abs().max() < 1e-12


@pytest.mark.parametrize("case", R["ordered"], ids=name_of)
def test_tests_of_proportional_odds_agree_with_r(case: dict[str, Any]) -> None:
    model = ordinal(FRAMES[case["data"]], f"rating ~ {case['rhs']}")
    brant = model.proportional_odds()
    agree_in_order(brant.statistic, [float(test["statistic"]) for test in case["brant"]], 1e-7)
    assert brant.df.tolist() == [test["df"] for test in case["brant"]]
    for name, single in zip(brant.slopes.columns, np.ravel(case["potest"]), strict=True):
        if name in brant.terms:  # poTest tests coefficients, not terms
            assert brant.statistic[brant.terms.index(name)] == rel(single, 1e-6)
    if "ratio" in case:
        ratio = model.proportional_odds("likelihood")
        agree_in_order(ratio.statistic, [test["statistic"] for test in case["ratio"]], 1e-6)
        assert ratio.df.tolist() == [test["df"] for test in case["ratio"]]


# Properties ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=6)
@given(st.integers(0, 10_000))
def test_units_order_and_exposure_change_what_they_should(seed: int) -> None:
    frame = COUNTS["middle"].sample(70, random_state=seed)
    one = negative_binomial(frame, "count ~ x + g", exposure="w")
    moved = frame.sample(frac=1, random_state=1).assign(
        x=lambda rows: 1e4 - 10 * rows["x"], w=lambda rows: 8 * rows["w"]
    )
    two = negative_binomial(moved, "count ~ g + x", exposure="w")
    assert two.estimate[two.names.index("x")] == rel(-one.estimate[one.names.index("x")] / 10, 1e-6)
    assert two.dispersion == rel(one.dispersion, 1e-6)
    assert two.log_likelihood == rel(one.log_likelihood, 1e-9)
    for term in ("x", "g"):
        assert two.test(term).statistic == rel(one.test(term).statistic, 1e-5)
    # of one exposure for all, only the intercept moves
    flat, none = (negative_binomial(frame.assign(w=4.0), "count ~ x", exposure=name) for name in ("w", None))
    assert flat.estimate == rel(none.estimate - [np.log(4), 0], 1e-6)
    # the fit is a maximum: nothing near it is better, and Poisson's is not
    assert one.log_likelihood >= one.poisson_log_likelihood - 1e-9


def test_turned_answers_have_the_same_tests_of_proportional_odds() -> None:
    frame = FRAMES["large"]
    here = ordinal(frame, "rating ~ x + g")
    model = ordinal(frame.assign(rating=-frame["rating"], x=3 * frame["x"]), "rating ~ x + g")
    for method in ("brant", "likelihood"):
        assert model.proportional_odds(method).statistic == rel(here.proportional_odds(method).statistic, 1e-6)


# Edges ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_counts_that_are_even_are_poissons_and_that_is_said() -> None:
    rows = {"price": [1, 2, 3, 4, 5, 6, 7, 8], "offers": [2, 1, 3, 4, 2, 6, 5, 7]}
    model, even = negative_binomial(rows, "offers ~ price"), poisson(rows, "offers ~ price")
    assert (model.dispersion, model.theta) == (0.0, float("inf"))
    assert np.isnan(model.theta_se)
    assert model.estimate == rel(even.estimate)
    assert model.se == rel(even.se)
    assert model.log_likelihood == rel(even.log_likelihood, 1e-12)
    assert "spread no more than Poisson's" in model.notes[0]
    assert model.apa().endswith("α = 0.00 (Poisson)")
    assert (model.overdispersion().statistic, model.overdispersion().p) == (rel(0.0), 1.0)
    nearly = {"price": [0.1, 0.5, -0.3, 1.2, 0.8, -1, 2, 0.4, 0.3, 0.25], "offers": [226] + [0] * 9}
    assert negative_binomial(nearly, "offers ~ price").dispersion > 10  # one count above 0 still has a maximum
    ends = model.dispersion_interval()
    assert ends.low == 0.0
    assert 0.05 < float(ends.high) < 1


@pytest.mark.parametrize(
    ("columns", "options", "error", "words"),
    [
        ({"n": [0, 1, 0, 0, 0, -1]}, {}, DesignError, "holds -1"),
        ({"n": [0, 1, 0, 0, 0, 1.5]}, {}, DesignError, "holds 1.5"),
        ({"n": [0, 1, 0, 0, 0, np.inf]}, {}, DesignError, "holds inf"),
        ({"n": [0] * 6}, {}, NotEstimable, "every 'n' is 0"),
        ({"n": [0, 0, 0, 3, 1, 2], "price": [0, 0, 0, 1, 1, 1]}, {}, NotEstimable, "'price' separates 'n'"),
        ({"n": [3, 10**7, 5, 1, 2, 9]}, {}, DesignError, "a count is 10000000; above a million"),
        ({"w": [1, 2, 0, 1, 1, 1]}, {"exposure": "w"}, DesignError, "exposure 'w' holds 0"),
        ({}, {"exposure": "weeks"}, DesignError, "no column 'weeks'"),
    ],
)
def test_counts_that_cannot_be_fitted_say_why(
    columns: dict[str, Any], options: dict[str, Any], error: type[Exception], words: str
) -> None:
    rows = {"price": [1, 2, 3, 4, 5, 6], "n": [1, 2, 0, 4, 3, 1]} | columns
    with pytest.raises(error, match=words):
        negative_binomial(rows, "n ~ price", **options)


def test_proportional_odds_of_two_answers_and_of_cuts_that_cross() -> None:
    with pytest.raises(DesignError, match="two answers"):
        ordinal(FRAMES["middle"], "yes ~ x").proportional_odds()
    with pytest.raises(DesignError, match="exposure and variance"):
        gee(CLUSTERED["pairs"], "yes ~ x", cluster="id", exposure="w")
    crossed = ordinal(FRAMES["middle"], "rating ~ x * h + z").proportional_odds()
    assert np.isnan(crossed.p[0])
    assert crossed.apa().startswith("all terms: the cuts cross; x: χ²(3) = 0.60")
    assert crossed.to_frame()["df"].to_list() == [12, 3, 3, 3, 3]
    separated = {"x": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "liked": [1, 1, 1, 2, 3, 2, 3, 2, 2, 3]}
    with pytest.raises(NotEstimable, match="separates 'liked > 1'"):
        ordinal(separated, "liked ~ x").proportional_odds()


# Sizes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.calibration
def test_sizes_of_negative_binomial_and_poisson_under_the_null() -> None:
    rng = np.random.default_rng(3)
    many, hits, naive = runs(20_000, 40), 0.0, 0.0
    group = np.repeat([0.0, 1.0], 40)
    for _ in range(many):
        rows = pd.DataFrame({"t": group, "n": rng.negative_binomial(1.5, 1.5 / 5.5, 80)})
        hits += float(negative_binomial(rows, "n ~ t").test("t").p < 0.05)
        naive += float(poisson(rows, "n ~ t").test("t").p < 0.05)
    assert hits / many < 0.06 + 3 * np.sqrt(0.05 * 0.95 / many)
    assert naive / many > 0.2


def test_the_test_of_overdispersion_halves_the_chi_squared() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y": rng.negative_binomial(3, 0.5, size=80), "x": rng.normal(size=80)})
    result = negative_binomial(frame, "y ~ x")
    test = result.overdispersion()
    assert result.dispersion > 0
    assert test.statistic == pytest.approx(2 * (result.log_likelihood - result.poisson_log_likelihood))
    assert test.p == pytest.approx(float(stats.chi2.sf(float(test.statistic), 1)) / 2, rel=1e-12)
