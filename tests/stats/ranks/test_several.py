"""Several groups and measures by ranks: exact laws of H and χ², comparisons of every two, relative effects."""

from __future__ import annotations

import itertools
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from negstats.errors import DesignError, NotEstimable
from negstats.stats import (
    ValueCounts,
    brunner_munzel,
    fisher,
    friedman,
    kruskal_wallis,
    mann_whitney,
    mcnemar,
    permutation_test,
    proportion,
    sign_test,
)
from negstats.stats.ranks import exact
from negstats.stats.ranks.two_groups import relative_effects
from tests.conftest import reference


@settings(max_examples=25)
@given(st.lists(st.integers(0, 5), min_size=7, max_size=9), st.integers(2, 3))
def test_exact_kruskal_wallis_is_the_permutation_test(values: list[int], groups: int) -> None:
    samples = {str(place): values[place::groups] for place in range(groups)}
    if len(set(values)) < 2:
        return
    every = permutation_test(
        samples, statistic="H", alternative="greater", rng=np.random.default_rng(1), n_resamples=10_000
    )
    assert every.exact
    assert kruskal_wallis(samples, method="exact").p == pytest.approx(every.p)


def test_published_probabilities() -> None:
    # Kruskal and Wallis (1952), table 6.1: sizes 3, 3, 3, H = 7.2: .004 (six of the 1,680 ways)
    assert kruskal_wallis({"a": [1, 2, 3], "b": [4, 5, 6], "c": [7, 8, 9]}, method="exact").p == pytest.approx(6 / 1680)
    # Friedman (1937), table V: three measures, four subjects, 6.5: .042; 8.0: .0046
    assert friedman({"a": [1] * 4, "b": [2, 2, 2, 3], "c": [3, 3, 3, 2]}, method="exact").p == pytest.approx(
        0.0417, abs=1e-4
    )
    assert friedman({"a": [1] * 4, "b": [2] * 4, "c": [3] * 4}, method="exact").p == pytest.approx(6 / 6**4)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=3))
def test_exact_friedman_is_every_order_of_every_subject(rows: list[list[int]]) -> None:
    y = np.array(rows)
    if all(len(set(row)) == 1 for row in rows):
        return
    columns = {str(place): y[:, place] for place in range(3)}
    observed = friedman(columns, method="exact")
    hits, ways = 0, 0
    for orders in itertools.product(*(list(itertools.permutations(row)) for row in rows)):
        moved = np.array(orders)
        value = friedman({str(place): moved[:, place] for place in range(3)}).statistic
        hits += bool(np.asarray(value) >= np.asarray(observed.statistic) - 1e-9)
        ways += 1
    assert observed.p == pytest.approx(hits / ways)
    assert observed.apa().startswith(f"χ²(N = {len(rows)})")


def test_the_limits() -> None:
    rng = np.random.default_rng(1)
    long = friedman({name: rng.normal(size=60) for name in "abc"}, method="exact")
    assert long.p == pytest.approx(
        friedman({"a": long.ranks[:, 0], "b": long.ranks[:, 1], "c": long.ranks[:, 2]}).p, abs=0.02
    )


@pytest.mark.parametrize(("shape", "moves", "refused"), [
    ((1000, 1000), 2999.0, False), ((1000, 1000), 3001.0, True), ((2000, 4000), 1.0, False), ((2001, 4000), 1.0, True),
])  # fmt: skip
def test_exact_chances_are_for_so_much_work(shape: tuple[int, int], moves: float, refused: bool) -> None:
    """At most 8,000,000 sums of ranks and 3,000,000,000 additions: some ten seconds."""
    with pytest.raises(DesignError, match="is for few observations") if refused else nullcontext():
        exact.check_work(shape, moves, "friedman")


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


SAMPLE = st.lists(st.integers(0, 9), min_size=3, max_size=12)


@given(SAMPLE, SAMPLE)
def test_of_two_groups_it_is_brunner_and_munzels(first: list[int], second: list[int]) -> None:
    samples = {"a": first, "b": second}
    try:
        two = brunner_munzel(samples)
    except NotEstimable:
        with pytest.raises(NotEstimable):
            relative_effects(samples)
        return
    assert two.labels == mann_whitney(samples).labels == ("a", "b")
    result = relative_effects(samples)
    np.testing.assert_allclose(result.statistic, np.square(two.statistic), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        np.array([result.df1, result.df2, result.p]), np.array([1, two.df, two.p], dtype=float), rtol=1e-9
    )
    # each stands against both, itself one of them
    np.testing.assert_allclose(result.effects[0], (0.5 + np.asarray(two.share)) / 2, rtol=1e-12)


@given(st.lists(SAMPLE, min_size=3, max_size=4), st.randoms())
def test_neither_the_order_of_groups_nor_a_rising_function_changes_it(groups: list[list[int]], random: object) -> None:
    samples = {str(place): group for place, group in enumerate(groups)}
    try:
        result = relative_effects(samples)
    except NotEstimable:
        return
    turned = {name: np.exp(samples[name]) for name in reversed(samples)}
    again = relative_effects(turned)
    np.testing.assert_allclose(
        [again.statistic, again.df1, again.df2], [result.statistic, result.df1, result.df2], rtol=1e-8, atol=1e-12
    )
    assert sum(result.effects) == pytest.approx(len(groups) / 2)


@pytest.mark.slow
@pytest.mark.parametrize("sd", [(9, 4, 1), (1, 1, 1), (3, 2, 1)])
def test_it_keeps_its_level_where_kruskal_and_wallis_lose_theirs(sd: tuple[int, ...]) -> None:
    """With ten units and more in each group; a Monte Carlo error of .012."""
    rng = np.random.default_rng(7)
    p, theirs = [], []
    for _ in range(400):
        samples = {str(s) + str(n): rng.normal(0, s, n) for s, n in zip(sd, (10, 20, 80), strict=True)}
        p.append(relative_effects(samples).p)
        theirs.append(float(np.asarray(kruskal_wallis(samples).p)))
    assert 0.02 < np.mean(np.array(p) < 0.05) < 0.085
    if sd == (9, 4, 1):
        assert np.mean(np.array(theirs) < 0.05) > 0.12


def test_the_rank_biserial_of_brunner_and_munzel_is_the_share_turned() -> None:
    """From −1 to 1, with its interval: what half of all is 0."""
    test = brunner_munzel({"a": [5, 7, 6, 9, 8, 4], "b": [3, 5, 4, 4, 7]})
    share, biserial = test.effect_size(), test.effect_size("rank_biserial")
    assert float(np.asarray(biserial.value)) == pytest.approx(2 * float(np.asarray(share.value)) - 1)
    ours, theirs = (
        np.array([end.low, end.high], dtype=float)
        for end in (one.confidence_interval(0.9) for one in (biserial, share))
    )
    np.testing.assert_allclose(ours, 2 * theirs - 1)
    even = brunner_munzel({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}).effect_size("rank_biserial")
    assert float(np.asarray(even.value)) == pytest.approx(0, abs=1e-15)
