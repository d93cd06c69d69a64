"""Matched and stratified counts: R's values, properties, edges, and the size of the exact test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats import contingency_tables

from negstats.errors import NotEstimable
from negstats.stats.counts.matched import cochrans_q, mcnemar
from negstats.stats.counts.proportions import paired_proportions
from negstats.stats.counts.stratified import breslow_day, cochran_mantel_haenszel
from negstats.stats.summaries import Counts, Moments
from tests.conftest import reference
from tests.stats.closeness import rel

R: dict[str, Any] = reference("counts")
close = pytest.approx
pairs = arrays(np.int64, (2, 2), elements=st.integers(0, 25))


@pytest.mark.parametrize("case", R["mcnemar"])
def test_mcnemar_agrees_with_r(case: dict[str, Any]) -> None:
    asymptotic, exact = mcnemar(case["n"]), mcnemar(case["n"], method="exact")
    continuity = mcnemar(case["n"], correction=True)
    assert (asymptotic.statistic, asymptotic.p) == rel((case["x2"], case["p"]))
    assert (continuity.statistic, continuity.p) == rel((case["x2_corrected"], case["p_corrected"]))
    assert exact.p == rel(case["p_exact"])
    assert exact.p == rel(contingency_tables.mcnemar(case["n"], exact=True).pvalue)


@pytest.mark.parametrize("case", R["bowker"])
def test_symmetry_of_larger_tables_agrees_with_r(case: dict[str, Any]) -> None:
    result = mcnemar(case["n"])
    assert (result.statistic, result.df, result.p) == rel((case["x2"], case["df"], case["p"]))
    assert result.method == "Bowker"


@pytest.mark.parametrize("case", R["stratified"])
def test_strata_of_two_by_two_agree_with_r(case: dict[str, Any]) -> None:
    n = np.moveaxis(case["strata"], 0, -1)
    result, corrected = cochran_mantel_haenszel(n), cochran_mantel_haenszel(n, correction=True)
    assert (result.statistic, result.p, result.df) == rel((case["x2"], case["p"], 1.0))
    assert (corrected.statistic, corrected.p) == rel((case["x2_corrected"], case["p_corrected"]))
    assert result.odds_ratio == rel(case["odds_ratio"])
    ends = result.confidence_interval()
    assert (ends.low, ends.high) == rel(tuple(case["interval"]))
    second = contingency_tables.StratifiedTable([np.array(table, dtype=float) for table in case["strata"]])
    assert result.odds_ratio == rel(second.oddsratio_pooled)
    assert result.log_se == rel(second.logodds_pooled_se)


@pytest.mark.parametrize("case", R["generalized"])
def test_larger_strata_agree_with_r(case: dict[str, Any]) -> None:
    result = cochran_mantel_haenszel(np.moveaxis(case["strata"], 0, -1))
    assert (result.statistic, result.df, result.p) == rel((case["x2"], case["df"], case["p"]))
    assert np.isnan(result.odds_ratio)


@pytest.mark.parametrize("case", R["cochran_q"])
def test_cochrans_q_agrees_with_r_however_the_data_come(case: dict[str, Any]) -> None:
    y = np.array(case["y"])
    names = [f"q{place}" for place in range(y.shape[1])]
    wide = pd.DataFrame(y, columns=pd.Index(names))
    long = wide.assign(who=range(len(y))).melt("who", var_name="question", value_name="yes")
    for item in (
        cochrans_q(Moments.from_array(y.astype(float), names)),
        cochrans_q(wide, by=names),
        cochrans_q(long, outcome="yes", within="question", subject="who"),
    ):
        assert (item.statistic, item.df, item.p) == rel((case["q"], case["df"], case["p"]))
        assert item.proportions == rel(tuple(y.mean(axis=0)))
        assert item.n == len(y)
    assert case["q"] == rel(contingency_tables.cochrans_q(y).statistic)


def test_two_measures_make_q_equal_to_mcnemar() -> None:
    table = [[20, 11], [3, 8]]
    assert cochrans_q(table).statistic == close(mcnemar(table).statistic)


@given(pairs)
def test_transposing_keeps_the_test_and_inverts_the_odds(n: np.ndarray[Any, Any]) -> None:
    assume(n[0, 1] + n[1, 0] > 0)
    result, turned = mcnemar(n), mcnemar(n.T)
    assert (result.statistic, result.p) == close((turned.statistic, turned.p))
    if n[0, 1] and n[1, 0]:
        assert float(result.odds_ratio) * float(turned.odds_ratio) == close(1.0)


@given(pairs, st.integers(0, 50), st.integers(0, 50))
def test_concordant_pairs_bear_on_nothing(n: np.ndarray[Any, Any], a: int, d: int) -> None:
    assume(n[0, 1] + n[1, 0] > 0)
    other = np.array([[a, n[0, 1]], [n[1, 0], d]])
    assert mcnemar(n).p == mcnemar(other).p
    assert mcnemar(n, correction=True).p == mcnemar(other, correction=True).p
    assert mcnemar(n, method="exact").p == mcnemar(other, method="exact").p


@given(arrays(np.int64, (3, 2, 4), elements=st.integers(1, 12)), st.permutations(range(4)))
def test_the_order_of_strata_and_levels_changes_nothing(n: np.ndarray[Any, Any], order: list[int]) -> None:
    result = cochran_mantel_haenszel(n)
    for other in (n[..., order], n[::-1], n.transpose(1, 0, 2)):
        assert cochran_mantel_haenszel(other).statistic == close(result.statistic, rel=1e-8, abs=1e-10)


def test_a_level_that_only_one_side_has_counts_as_none_on_the_other() -> None:
    three = pd.DataFrame({"before": ["a", "a", "b", "b", "c"], "after": ["b", "b", "a", "b", "b"]})
    result = mcnemar(three, by=["before", "after"])  # nobody is "c" after
    assert result.method == "Bowker"
    assert result.statistic == close((2 - 1) ** 2 / 3 + 1)


def test_strata_with_one_observation_bear_on_nothing() -> None:
    n = np.array([[[5, 1, 3], [2, 0, 1]], [[1, 0, 2], [6, 0, 4]]], dtype=float)
    result, two = cochran_mantel_haenszel(n), cochran_mantel_haenszel(n[..., [0, 2]])
    assert (result.statistic, result.p) == close((two.statistic, two.p))
    assert result.odds_ratio == close(two.odds_ratio)


def test_what_cannot_be_tested_says_why() -> None:
    assert mcnemar([[5, 0], [0, 4]], method="exact").p == 1.0


def test_results_print_as_apa_wants() -> None:
    assert mcnemar([[20, 11], [3, 8]]).apa() == "χ²(1, N = 42) = 4.57, p = .033"
    assert mcnemar([[20, 11], [3, 8]], method="exact").apa() == "exact McNemar test, p = .057 (N = 42, 14 discordant)"
    larger = cochran_mantel_haenszel(np.random.default_rng(1).poisson(5, (3, 2, 3)) + 1.0)
    assert larger.apa().startswith("χ²(2, N = ")


@pytest.mark.calibration
def test_size_of_mcnemar_under_the_null() -> None:
    """Exact: at most .05. Asymptotic: its size is written down (from two million null studies)."""
    rng = np.random.default_rng(5)
    n = rng.multinomial(40, [0.4, 0.15, 0.15, 0.3], 20_000).reshape(-1, 2, 2).astype(float)
    stack = Counts.from_table(n, stacked=1)
    size = {way: (np.asarray(mcnemar(stack, method=way).p) <= 0.05).sum() for way in ("asymptotic", "exact")}
    assert size["exact"] <= stats.binom.ppf(0.995, 20_000, 0.05)
    low, high = stats.binom.interval(0.99, 20_000, 0.0435)
    assert low <= size["asymptotic"] <= high


@pytest.mark.calibration
def test_size_of_stratified_and_repeated_tests_under_the_null() -> None:
    """Asymptotic: written down (from two million null studies of these designs)."""
    rng = np.random.default_rng(6)
    strata = np.stack([rng.binomial(size, 0.3, (20_000, 2)) for size in (12, 15, 20)], axis=-1)
    n = np.stack([strata, np.array([12, 15, 20]) - strata], axis=-2).astype(float)
    cmh = (np.asarray(cochran_mantel_haenszel(Counts.from_table(n, stacked=1)).p) <= 0.05).sum()
    y = (rng.random((20_000, 20, 3)) < rng.random((20_000, 20, 1))).astype(float)
    q = (np.asarray(cochrans_q(Moments.from_array(y, ["a", "b", "c"])).p) <= 0.05).sum()
    for hits, size in ((cmh, 0.0498), (q, 0.0498)):
        low, high = stats.binom.interval(0.99, 20_000, size)
        assert low <= hits <= high


@pytest.mark.parametrize("case", reference("together")["strata"], ids=lambda case: f"{case['k']} strata")
def test_equal_odds_ratios_agree_with_metafor(case: dict[str, Any]) -> None:
    result = breslow_day(np.reshape(case["n"], (2, 2, case["k"])))
    assert result.statistic == pytest.approx(case["statistic"], rel=1e-8)
    assert result.p == pytest.approx(case["p"], rel=1e-8)
    assert result.odds_ratio == pytest.approx(case["odds"], rel=1e-8)


def test_pairs_after_cochrans_q_are_mcnemars_tests() -> None:
    rng = np.random.default_rng(4)
    yes = rng.random((30, 3)) < [0.3, 0.5, 0.8]
    frame = pd.DataFrame(yes.astype(float), columns=["a", "b", "c"])
    long = frame.reset_index(names="who").melt("who", var_name="time", value_name="yes")
    for result in (cochrans_q(frame, ["a", "b", "c"]), cochrans_q(long, outcome="yes", within="time", subject="who")):
        after = result.mcnemar("none")
        for place, (one, two) in enumerate([("a", "b"), ("a", "c"), ("b", "c")]):
            table = [[((frame[one] == i) & (frame[two] == j)).sum() for j in (1, 0)] for i in (1, 0)]
            assert after.p[place] == rel(mcnemar(table, method="exact").p)
            alone = paired_proportions(table)
            assert np.ravel(after.effect.value)[place] == rel(float(np.asarray(alone.difference)))
            ends, own = after.confidence_interval(), alone.confidence_interval()
            assert [np.ravel(ends.low)[place], np.ravel(ends.high)[place]] == rel([float(own.low), float(own.high)])
        assert (result.mcnemar().p_adjusted >= after.p).all()
        assert "a – b:" in result.mcnemar().apa()
    same = frame.assign(b=frame["a"])
    assert cochrans_q(same, ["a", "b", "c"]).mcnemar("none").p[0] == 1


# --- every count of discordant pairs against enumeration -----------------------------------------------------------


@pytest.mark.parametrize("b", range(0, 13, 2))
@pytest.mark.parametrize("c", [0, 1, 2, 3, 7, 12])
def test_exact_and_mid_p_by_enumeration(b: int, c: int) -> None:
    n = b + c
    if n == 0:
        assert mcnemar([[4, 0], [0, 3]], method="exact").p == 1
        assert mcnemar([[4, 0], [0, 3]], method="mid-p").p == 1  # nothing was observed that could be halved
        return
    shares = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    least = shares[shares <= shares[b] * (1 + 1e-9)].sum()
    # Fagerland, Lydersen and Laake (2013): less the probability of what was observed, half of it where b = c
    point = shares[b] / 2 if b == c else shares[b]
    assert mcnemar([[5, b], [c, 4]], method="exact").p == rel(least)
    assert mcnemar([[5, b], [c, 4]], method="mid-p").p == rel(least - point)
    stack = Counts.from_table([[[5, b], [c, 4]], [[5, 3], [3, 4]]], stacked=1)
    assert np.asarray(mcnemar(stack, method="mid-p").p) == rel([least - point, 0.84375])


@pytest.mark.parametrize(("b", "c"), [(1, 1), (1, 5), (5, 1), (2, 7), (0, 4), (4, 0), (1, 0), (12, 3)])
def test_interval_of_the_odds_is_clopper_and_pearsons(b: int, c: int) -> None:
    ends = mcnemar([[6, b], [c, 2]]).effect_size().confidence_interval(0.9)
    share = stats.binomtest(b, b + c).proportion_ci(0.9, "exact")
    with np.errstate(divide="ignore"):
        low, high = (np.float64(end) / (1 - np.float64(end)) for end in (share.low, share.high))
    assert np.asarray(ends.low) == rel(low)
    assert np.asarray(ends.high) == (np.inf if c == 0 else rel(high))


@pytest.mark.parametrize("times", [1, 1_000_000])
def test_one_subject_who_differs_is_enough_for_q(times: int) -> None:
    patterns = np.zeros((2, 2, 2))
    patterns[1, 1, 1], patterns[0, 0, 0], patterns[1, 0, 0] = times, times, 1
    result = cochrans_q(patterns)
    assert (result.statistic, result.df) == (rel(2.0), 2)  # Q of the one who differs: (k − 1)(k·1 − 1)/(k·1 − 1)
    patterns[1, 0, 0] = 0
    with pytest.raises(NotEstimable, match="answered all measures alike"):
        cochrans_q(patterns)
    stack = cochrans_q(Counts.from_table(np.stack([patterns, patterns + 1]), stacked=1))
    assert (np.asarray(stack.statistic)[0], np.asarray(stack.df).tolist()) == (0.0, [0.0, 2.0])
    assert np.isnan(np.asarray(stack.p)[0])


# Levels are what can occur --------------------------------------------------------------------------------------------


def test_a_column_of_one_level_is_matched_with_the_other_column() -> None:
    """6 to 0 discordant pairs: the exact p is 2 / 2⁶ = .03125, by binom.test(0, 6) in R."""
    pairs = pd.DataFrame({"before": ["yes"] * 9, "after": ["no"] * 6 + ["yes"] * 3})
    assert mcnemar(pairs, ["before", "after"], method="exact").p == pytest.approx(2 / 2**6)
    difference = paired_proportions(pairs, ["before", "after"], level="yes")
    assert difference.difference == pytest.approx(6 / 9)
    turned = paired_proportions(pairs, ["after", "before"], level="yes")
    assert turned.difference == pytest.approx(-6 / 9)
    all_changed = pd.DataFrame({"before": ["yes"] * 6, "after": ["no"] * 6})
    assert mcnemar(all_changed, ["before", "after"], method="exact").p == pytest.approx(2 / 2**6)
    assert paired_proportions(all_changed, ["before", "after"], level="yes").difference == 1


def test_measures_in_which_all_say_the_same_test_nothing_that_is_known() -> None:
    same = pd.DataFrame({"before": ["yes"] * 4, "after": ["yes"] * 4})
    assert mcnemar(same == "yes", ["before", "after"], method="exact").p == 1


def test_cochran_takes_a_measure_of_one_level() -> None:
    three = pd.DataFrame({"a": ["y"] * 8, "b": list("yyyynnnn"), "c": list("ynynynyn")})
    numbers = (three == "y").astype(float).to_numpy()
    assert cochrans_q(three, ["a", "b", "c"]).statistic == pytest.approx(
        float(cochrans_q(Moments.from_array(numbers, ["a", "b", "c"])).statistic)
    )
