"""What follows Friedman's test, the sign test, and shares against a stated one."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from scipy import stats as scipy_stats

from negstats.errors import DesignError, NotEstimable
from negstats.stats import ValueCounts, fisher, friedman, mcnemar, proportion, sign_test
from tests.conftest import reference

R: dict[str, Any] = reference("outcomes")


def test_conover_agrees_with_its_formula_in_r() -> None:
    case = R["conover"]
    result = friedman(case["values"])
    after = result.conover("none")
    assert after.statistic == pytest.approx(np.array(case["t"]))
    assert (after.df == 15).all()
    # the share of subjects in whom the first of two measures is the larger, ties by half
    one, two = (np.array(case["values"][name]) for name in ("V1", "V2"))
    assert np.ravel(after.effect.value)[0] == pytest.approx(((one > two) + (one == two) / 2).mean())
    # without ties: t² of two measures is the analysis of variance of ranks
    assert (result.conover("bonferroni").p_adjusted >= after.p).all()
    assert "V1 – V2: t(15)" in result.conover().apa()
    with pytest.raises(NotEstimable, match="ranks the measures alike"):
        friedman({"a": [1, 2, 3], "b": [2, 3, 4], "c": [5, 6, 7]}).conover()
    with pytest.raises(DesignError, match="adjust"):
        result.conover("tukey")


@pytest.mark.parametrize("case", R["shares"], ids=lambda case: f"{case['x']} of {case['n']}")
def test_a_share_against_another_agrees_with_r(case: dict[str, Any]) -> None:
    share = proportion(case["x"], case["n"])
    assert share.test(case["against"]).p == pytest.approx(case["p"], rel=1e-8)
    sides: tuple[Literal["less", "greater"], ...] = ("less", "greater")
    for side in sides:
        assert share.test(case["against"], alternative=side).p == pytest.approx(case[side], rel=1e-8)
    ends = share.confidence_interval(method="clopper-pearson")
    assert ends.low == pytest.approx(case["low"], abs=1e-8)
    assert ends.high == pytest.approx(case["high"], abs=1e-8)


def test_intervals_of_a_share() -> None:
    # Brown, Cai and DasGupta (2001): Agresti and Coull's is centred where Wilson's is, and never shorter
    for x, n in ((0, 10), (3, 10), (10, 10), (40, 200)):
        share = proportion(x, n)
        wilson, coull = share.confidence_interval(), share.confidence_interval(method="agresti-coull")
        assert coull.low <= np.asarray(wilson.low) + 1e-12
        assert coull.high >= np.asarray(wilson.high) - 1e-12
        jeffreys = share.confidence_interval(method="jeffreys")
        beta = scipy_stats.beta(x + 0.5, n - x + 0.5)
        assert jeffreys.low == pytest.approx(beta.ppf(0.025) if x else 0)
        assert jeffreys.high == pytest.approx(beta.ppf(0.975) if x < n else 1)
    with pytest.raises(DesignError, match="Wilson's"):
        proportion(3, 10).confidence_interval(method="jeffreys", correction=True)
    with pytest.raises(DesignError, match="between 0 and 1"):
        proportion(3, 10).test(1.0)


def test_mid_p_of_pairs_and_of_tables() -> None:
    # Fagerland, Lydersen and Laake (2013), table 1: 1, 7 discordant pairs: exact .0703, mid-p .0391
    table = [[59, 6], [16, 80]]
    assert mcnemar(table, method="mid-p").p == pytest.approx(
        2 * scipy_stats.binom.cdf(6, 22, 0.5) - scipy_stats.binom.pmf(6, 22, 0.5)
    )
    airway = mcnemar([[1, 1], [7, 12]], method="mid-p")
    assert airway.p == pytest.approx(0.0390625)
    assert mcnemar([[1, 1], [7, 12]], method="exact").p == pytest.approx(0.0703125)
    assert mcnemar([[5, 4], [4, 5]], method="mid-p").p == pytest.approx(1 - 70 / 2**9)  # 70/2⁸ is 4 of 8's chance
    assert mcnemar([[5, 0], [6, 5]], method="mid-p").p == pytest.approx(0.5**6)
    exact, half = fisher([[3, 1], [1, 3]]), fisher([[3, 1], [1, 3]], method="mid-p")
    assert np.asarray(exact.p) - np.asarray(half.p) == pytest.approx(scipy_stats.hypergeom.pmf(3, 8, 4, 4) / 2)
    larger = fisher([[3, 1, 2], [1, 3, 4]], method="mid-p")
    assert 0 < np.asarray(larger.p) < np.asarray(fisher([[3, 1, 2], [1, 3, 4]]).p)
    with pytest.raises(DesignError, match="leave rng out"):
        fisher([[3, 1], [1, 3]], method="mid-p", rng=np.random.default_rng(1))


def test_the_sign_test_is_a_binomial_test() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 6, (2, 25))
    result = sign_test({"a": first, "b": second})
    up, down = int((first > second).sum()), int((first < second).sum())
    assert (result.positive, result.negative, result.zeros) == (up, down, 25 - up - down)
    assert result.p == pytest.approx(scipy_stats.binomtest(up, up + down).pvalue)
    swapped = sign_test({"b": second, "a": first})
    assert (swapped.p, swapped.positive) == (result.p, down)
    sides: tuple[Literal["greater", "less"], ...] = ("greater", "less")
    for side in sides:
        assert sign_test({"a": first, "b": second}, alternative=side).p == pytest.approx(
            scipy_stats.binomtest(up, up + down, alternative=side).pvalue
        )
    # order statistics: of ten differences the second and the ninth hold the median with 97.9 %
    median, ends = sign_test([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).median()
    assert (median, ends.low, ends.high) == (5.5, 2, 9)
    assert sign_test([1.0, 2, 3]).median()[1].low == -np.inf
    stacked = ValueCounts(np.array([-1.0, 0, 2]), np.array([[3.0, 1, 7], [0, 4, 0]]), (), "d")
    assert np.asarray(sign_test(stacked).p)[0] == pytest.approx(scipy_stats.binomtest(7, 10).pvalue)
    with pytest.raises(NotEstimable, match="no pair differs"):
        sign_test({"a": [1, 2], "b": [1, 2]})
