"""Bayes factors: of t-tests, analyses of variance, regression, correlation and tables."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import integrate, stats
from scipy.integrate import quad

from negstats import plots
from negstats.stats import Counts, Moments, bayes, correlation, regression
from negstats.stats.means.bayes import bayes_factor, write_factor
from negstats.stats.means.t_tests import TTest, one_sample_t, paired_t, t_test
from negstats.stats.summaries import Cells
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


SIDES: tuple[Literal["greater", "less"], ...] = ("greater", "less")


def printed_t(t: float, n: tuple[int, ...], method: str = "student") -> TTest:
    """Return a t-test as it would be printed, with nothing but t and n."""
    df = sum(n) - len(n)
    nothing = (math.nan,) * len(n)
    return TTest(t, df, 2 * stats.t.sf(abs(t), df), t, 1.0, n, nothing, nothing, ("a", "b"), method)  # type: ignore[arg-type]


def by_effect_size(t: float, n: tuple[int, ...], r: float) -> float:
    """BF10 as the mean of the noncentral t's density over the Cauchy prior on the standardized difference.

    Another road to the same number than pingouin's: Rouder et al. (2009), p. 235, integrate over g instead.
    """
    effective = n[0] if len(n) == 1 else n[0] * n[1] / (n[0] + n[1])
    df = sum(n) - len(n)
    centre = t / math.sqrt(effective)
    width = 30 / math.sqrt(effective)

    def density(d: float) -> float:
        return float(stats.nct.pdf(t, df, d * math.sqrt(effective)) * stats.cauchy.pdf(d, scale=r))

    total = quad(density, centre - width, centre + width, points=[centre, 0.0], limit=500, epsrel=1e-10)[0]
    return total / float(stats.t.pdf(t, df))


# The examples of pingouin.bayesfactor_ttest, printed to three decimals; validated there against JASP and R's
# BayesFactor.
@pytest.mark.parametrize(("n", "method", "printed"), [((20, 20), "student", 26.743), ((20,), "paired", 17.185)])
def test_agrees_with_the_documentation(n: tuple[int, ...], method: str, printed: float) -> None:
    assert bayes_factor(printed_t(3.5, n, method)).bf10 == pytest.approx(printed, abs=5e-4)


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("r", [0.5, 0.707, 1.0])
@pytest.mark.parametrize("t", [0.0, 0.4, -2.46, 3.5])
@pytest.mark.parametrize("n", [(20, 20), (12, 31), (66,), (8,)])
def test_agrees_with_the_integral_over_effect_sizes(n: tuple[int, ...], t: float, r: float) -> None:
    result = bayes_factor(printed_t(t, n, "student" if len(n) == 2 else "one-sample"), r=r)
    assert_allclose(result.bf10, by_effect_size(t, n, r), rtol=1e-6)
    assert result.r == r


@settings(max_examples=30)
@given(st.floats(0, 8), st.integers(3, 60), st.integers(3, 60))
def test_the_sign_of_t_and_the_order_of_the_groups_do_not_matter(t: float, n1: int, n2: int) -> None:
    one, two = bayes_factor(printed_t(t, (n1, n2))), bayes_factor(printed_t(-t, (n2, n1)))
    assert_allclose(one.bf10, two.bf10, rtol=1e-6)
    assert_allclose(np.asarray(one.bf10) * np.asarray(one.bf01), 1)


@given(st.integers(3, 60), st.lists(st.floats(0, 6), min_size=2, max_size=4, unique=True))
def test_grows_with_t(n: int, ts: list[float]) -> None:
    factors = [float(bayes_factor(printed_t(t, (n, n))).bf10) for t in sorted(ts)]
    assert np.all(np.diff(factors) >= -1e-9)


def test_more_data_without_a_difference_speak_for_none() -> None:
    assert np.all(np.diff([float(bayes_factor(printed_t(0.0, (n, n))).bf01) for n in (5, 20, 100, 1000)]) > 0)


def test_from_raw_data_and_from_a_printed_table() -> None:
    samples = {"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4]}
    raw = bayes_factor(t_test(samples, method="student"))
    cells = Cells.from_samples(samples)
    table = Cells.from_table(n=cells.n, mean=cells.mean, sd=cells.sd, factors={"agent": ["fair", "selfish"]})
    assert_allclose(bayes_factor(t_test(table, method="student")).bf10, raw.bf10)
    pairs = paired_t({"CL": [0.75, 0.81, 0.70, 0.77], "FC": [0.71, 0.78, 0.71, 0.72]})
    gaps = one_sample_t([0.04, 0.03, -0.01, 0.05])
    assert_allclose(bayes_factor(pairs).bf10, bayes_factor(gaps).bf10)
    assert bayes_factor(pairs).method == "paired"


def test_what_it_prints() -> None:
    assert bayes_factor(printed_t(3.5, (20, 20))).apa() == "t(38) = 3.50, BF₁₀ = 26.74, BF₀₁ = 0.04 (JZS, r = 0.707)"
    assert "BF₁₀ = 1.88e+10, BF₀₁ = 5.32e−11" in bayes_factor(printed_t(10.0, (25, 25))).apa()
    beyond = bayes_factor(printed_t(60.0, (5000, 5000)))
    assert beyond.bf10 == math.inf
    assert "BF₁₀ > 1e+300, BF₀₁ < 1e−300" in beyond.apa()


def test_a_test_against_another_value_weighs_that_value() -> None:
    shifted = t_test({"a": [5, 7, 6, 9, 8], "b": [3, 5, 4, 4]}, method="student", null=3.0)
    plain = dataclasses.replace(shifted, null=0.0)
    assert bayes_factor(shifted).bf10 == bayes_factor(plain).bf10
    assert float(bayes_factor(shifted).bf10) < 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", reference("together")["one_sided"], ids=lambda case: f"n = {len(case['a'])}, r = {case['r']}"
)
def test_one_sided_factors_agree_with_r(case: dict[str, Any]) -> None:
    samples = {"a": case["a"], "b": case["b"]}
    for side in SIDES:
        two = bayes_factor(t_test(samples, method="student", alternative=side), r=case["r"])
        assert two.bf10 == pytest.approx(case[side], rel=1e-6)
        one = bayes_factor(one_sample_t(case["a"], alternative=side), r=case["r"])
        assert one.bf10 == pytest.approx(case[f"one_{side}"], rel=1e-6)
    both = bayes_factor(t_test(samples, method="student"), r=case["r"])
    halves = [bayes_factor(t_test(samples, method="student", alternative=side), r=case["r"]).bf10 for side in SIDES]
    assert sum(map(float, halves)) == pytest.approx(2 * np.asarray(both.bf10))


@pytest.mark.slow
def test_one_sided_factors_against_the_evidence() -> None:
    # t(32) = −6.50 with 20 and 14: by a double integral over the effect and the spread; R's BayesFactor gives .0105
    test = dataclasses.replace(printed_t(-6.503450948728615, (20, 14)), alternative="greater")
    assert bayes_factor(test).bf10 == pytest.approx(0.068967961, rel=1e-7)
    assert bayes_factor(dataclasses.replace(test, alternative="less")).bf10 == pytest.approx(82668.854154, rel=1e-7)
    assert "BF₊₀ = 0.07" in bayes_factor(test).apa()


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (0.01, "= 0.01"),
        (0.00999, "= 9.99e−3"),
        (9999.0, "= 9999.00"),
        (10_000.0, "= 10,000"),
        (2e6, "= 2.00e+6"),
        (0.0, "< 1e−300"),
    ],
)
def test_factors_that_two_decimals_do_not_show_are_powers_of_ten(factor: float, words: str) -> None:
    assert write_factor(factor) == words
