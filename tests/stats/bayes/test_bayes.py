"""Bayes factors from summaries against R's BayesFactor, and what must hold for any data."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from negstats import plots
from negstats.errors import DesignError
from negstats.stats import Cells, Counts, Moments, bayes, bayes_factor, correlation, regression, t_test
from tests.conftest import reference

REFERENCE = reference("bayes")


def test_one_way() -> None:
    rows = pd.DataFrame(REFERENCE["one_way"]["rows"])
    for name, scale in (("medium", 0.5), ("wide", np.sqrt(2) / 2)):
        result = bayes.anova_evidence(rows, "y", "g", prior_scale=scale)
        assert result.bf10[0] == pytest.approx(REFERENCE["one_way"][name]["bf"], rel=2e-6)
    cells = Cells.from_frame(rows, "y", "g")  # from the summary alone
    assert bayes.anova_evidence(cells).bf10[0] == pytest.approx(REFERENCE["one_way"]["medium"]["bf"], rel=2e-6)


@pytest.mark.slow
def test_two_way() -> None:
    expected = REFERENCE["two_way"]["all"]
    result = bayes.anova_evidence(pd.DataFrame(REFERENCE["two_way"]["rows"]), "y", ["a", "b"])
    assert result.models == ("a", "b", "a + b", "a + b + a:b")
    np.testing.assert_allclose(result.bf10[:2], expected["bf"][:2], rtol=1e-6)  # one g: R integrates
    # Two and three gs: R samples. Four runs of lmBF(y ~ a + b) gave 6.711, 6.715, 6.658 and 6.714.
    np.testing.assert_allclose(result.bf10[2:], expected["bf"][2:], rtol=0.012)
    assert result.of("a + b") == pytest.approx(6.7125, rel=1e-4)
    assert result.of("a + b + a:b", against="a + b") == pytest.approx(7.2860 / 6.7125, rel=1e-4)
    assert "prior: Cauchy of scale r = 0.5 on standardized effects" in result.apa()


def test_repeated() -> None:
    wide = np.array(REFERENCE["repeated"]["wide"])
    moments = Moments.from_table(
        n=len(wide), mean=wide.mean(axis=0), sd=wide.std(axis=0, ddof=1), correlation=np.corrcoef(wide.T)
    )
    expected = REFERENCE["repeated"]["bf"]
    assert bayes.repeated_evidence(moments).bf10[0] == pytest.approx(expected["bf"], rel=3 * expected["error"])


def test_correlation() -> None:
    expected = REFERENCE["correlation"]
    for name, scale in (("medium", 1 / 3), ("wide", 1 / np.sqrt(3)), ("ultrawide", 1.0)):
        result = bayes.correlation_evidence(expected["r"], expected["n"], prior_scale=scale)
        assert result.bf10[0] == pytest.approx(expected[name], rel=1e-8)


def test_correlation_and_regression_of_results() -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"x": draw.normal(size=30), "z": draw.normal(size=30)})
    frame["y"] = frame["x"] + draw.normal(size=30)
    one = correlation(frame, "x", "y")
    assert bayes.correlation_evidence(one).bf10[0] == bayes.correlation_evidence(float(np.asarray(one.r)), 30).bf10[0]
    fit = regression(frame, "y ~ x + z")
    assert bayes.regression_evidence(fit).bf10[0] == pytest.approx(
        bayes.regression_evidence(float(np.asarray(fit.r_squared)), 30, 2).bf10[0]
    )


@pytest.mark.parametrize("expected", REFERENCE["regression"])
def test_regression(expected: dict[str, Any]) -> None:
    values = expected["r2"], expected["n"], expected["p"]
    assert bayes.regression_evidence(*values).bf10[0] == pytest.approx(expected["medium"], rel=1e-7)
    if "wide" in expected:
        assert bayes.regression_evidence(*values, prior_scale=0.5).bf10[0] == pytest.approx(expected["wide"], rel=1e-7)


@pytest.mark.parametrize("expected", REFERENCE["tables"])
@pytest.mark.parametrize("name", ["poisson", "joint", "rows", "columns"])
def test_tables(expected: dict[str, Any], name: str) -> None:
    sampling: Any = "multinomial" if name == "joint" else name
    result = bayes.table_evidence(expected["table"], sampling=sampling)
    assert result.bf10[0] == pytest.approx(expected[name], rel=1e-9)
    turned = Counts.from_table(np.transpose(expected["table"]).tolist(),
                               {"b": list("xyz")[: len(expected["table"][0])], "a": ["p", "q"]})  # fmt: skip
    other: Any = {"rows": "columns", "columns": "rows"}.get(sampling, sampling)
    assert bayes.table_evidence(turned, sampling=other).bf10[0] == pytest.approx(result.bf10[0], rel=1e-9)


@pytest.mark.parametrize("expected", REFERENCE["t"])
def test_t(expected: dict[str, Any]) -> None:
    """A t-test's own Bayes factor is that of an analysis of variance of two groups, with half of the prior's width."""
    n1, n2 = expected["n1"], expected["n2"]
    if not n2:
        return
    spread = np.sqrt(1 / n1 + 1 / n2)
    cells = Cells.from_table(n=[n1, n2], mean=[expected["t"] * spread, 0.0], sd=1.0, factors={"g": ["a", "b"]})
    test = t_test(cells, method="student")
    assert bayes_factor(test, r=np.sqrt(2) / 2).bf10 == pytest.approx(expected["medium"], rel=1e-6)
    assert bayes.anova_evidence(cells, prior_scale=0.5).bf10[0] == pytest.approx(expected["medium"], rel=1e-6)


@given(st.integers(0, 10**6))
def test_units_and_names_do_not_matter(seed: int) -> None:
    draw = np.random.default_rng(seed)
    cells: dict[str, Any] = {"n": draw.integers(3, 12, 3), "mean": draw.normal(0, 1, 3), "sd": draw.uniform(0.5, 2, 3)}
    one = bayes.anova_evidence(Cells.from_table(**cells, factors={"g": ["a", "b", "c"]}))
    turned: dict[str, Any] = {name: values[::-1] for name, values in cells.items()}
    turned["mean"], turned["sd"] = 1e4 + 100 * turned["mean"], 100 * turned["sd"]
    two = bayes.anova_evidence(Cells.from_table(**turned, factors={"g": ["a", "b", "c"]}))
    assert one.bf10[0] == pytest.approx(two.bf10[0], rel=1e-6)
    assert one.bf01[0] == pytest.approx(1 / one.bf10[0])


@pytest.mark.slow
@settings(max_examples=10)
@given(st.floats(-4, 4), st.integers(5, 60), st.floats(0.05, 1.0))
def test_the_region_is_the_integral_of_the_posterior(t: float, n: int, reach: float) -> None:
    cells = Cells.from_table(n=[n, n], mean=[t * np.sqrt(2 / n), 0.0], sd=1.0, factors={"g": ["a", "b"]})
    result = bayes.equivalence_region(t_test(cells, method="student"), -reach, reach)

    def density(delta: float) -> float:
        return float(stats.nct.pdf(t, 2 * n - 2, delta * np.sqrt(n / 2)) * stats.cauchy.pdf(delta, scale=0.707))

    inside = integrate.quad(density, -reach, reach, points=[0.0], epsrel=1e-9)[0]
    reached = 40 / np.sqrt(n) + 6
    whole = sum(integrate.quad(density, a, b, epsrel=1e-9, limit=200)[0]
                for a, b in ((-reached, 0), (0, reached)))  # fmt: skip
    assert result.inside == pytest.approx(inside / whole, rel=2e-3, abs=1e-5)


def test_evidence_for_the_region() -> None:
    near = Cells.from_table(n=[200, 200], mean=[0.02, 0.0], sd=1.0, factors={"g": ["a", "b"]})
    result = bayes.equivalence_region(t_test(near, method="student"), -0.3, 0.3)
    assert result.inside > 0.97
    assert result.bf > 50
    assert "prior: Cauchy of scale r = 0.707 on δ" in result.apa()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bayes.anova_evidence({"a": [1, 2, 4], "b": [2, 3, 5]}, prior_scale=0), "prior_scale is 0"),
        (lambda: bayes.table_evidence([[1, 2, 3]]), "give two factors of two levels or more"),
        (lambda: bayes.table_evidence(np.array([[1, 2.5], [3, 4]])), "no whole number"),
        (lambda: bayes.table_evidence([[1, 2], [3, 4]], sampling="none"), "sampling is 'none'"),  # type: ignore[arg-type]
        (lambda: bayes.regression_evidence(1.2, 20, 1), "R² is 1.2"),
        (lambda: bayes.regression_evidence(0.2), "with R² give n"),
        (lambda: bayes.correlation_evidence(1.0, 10), "r is 1.0"),
        (lambda: bayes.equivalence_region(t_test({"a": [1, 2, 4], "b": [2, 3, 5]}), -1, 1), "method='student'"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        call()


def test_robustness_and_its_figure() -> None:
    table = bayes.prior_robustness(lambda r: bayes.regression_evidence(0.22, 40, 2, prior_scale=r), [0.2, 0.5, 1.0])
    assert table["bf10"].iloc[1] == pytest.approx(
        float(bayes.regression_evidence(0.22, 40, 2, prior_scale=0.5).bf10[0])
    )
    ax = plots.prior_robustness(table, scale=0.5)
    np.testing.assert_allclose(np.asarray(ax.lines[0].get_ydata(), dtype=float), table["bf10"])
    plt.close("all")


@pytest.mark.slow
def test_widths_of_the_prior_go_from_a_tenth_to_two_in_even_ratios() -> None:
    scale = bayes.prior_robustness(lambda r: bayes.regression_evidence(0.22, 40, 2, prior_scale=r))["scale"].to_numpy()
    assert (len(scale), scale[0], scale[-1]) == (25, 0.1, 2.0)
    np.testing.assert_allclose(np.diff(np.log(scale)), np.log(20) / 24, atol=1e-3)


@pytest.mark.parametrize(("rows", "predictors"), [(3, 2), (4, 4), (5, 4)])
def test_regression_evidence_needs_more_rows_than_columns(rows: int, predictors: int) -> None:
    with pytest.raises(DesignError, match="rows more than columns"):
        bayes.regression_evidence(0.2, rows, predictors)
