"""Bayes factors against pingouin's documentation and the integral of Rouder et al. (2009), worked out here."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.integrate import quad

from negstats.errors import DesignError
from negstats.stats.means.bayes import bayes_factor, write_factor
from negstats.stats.means.t_tests import TTest, one_sample_t, paired_t, t_test
from negstats.stats.summaries import Cells
from tests.conftest import reference

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


def test_what_it_refuses() -> None:
    samples = {"a": [5, 7, 6, 9, 8], "b": [3, 5, 4, 4]}
    with pytest.raises(DesignError, match="method='student'"):
        bayes_factor(t_test(samples))
    for r in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(DesignError, match="r is"):
            bayes_factor(printed_t(1.0, (5, 5)), r=r)


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
