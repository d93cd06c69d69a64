"""Effect sizes against R and print, and meta-analysis of them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats.contingency import association

from negstats.errors import NotEstimable
from negstats.stats import effects, meta_analysis, paired_t, t_test
from negstats.stats.effects import convert, cramers_v, d_from_t, odds_ratio, phi, risk_difference, risk_ratio
from negstats.stats.effects.counts import wilcoxon_effect
from negstats.stats.results.intervals import chi2_noncentrality, f_noncentrality, t_noncentrality
from tests.conftest import reference, runs

R: dict[str, Any] = reference("effects")

EXACT = 1e-8
# effectsize finds its intervals with a general optimiser; these are the digits it reaches.
OPTIMISED = 1e-6

OF_F = {"eta": effects.partial_eta_squared, "omega": effects.omega_squared, "epsilon": effects.epsilon_squared}


def near(value: Any, tolerance: float = EXACT) -> Any:
    return pytest.approx(float(value), rel=tolerance, abs=tolerance)


@pytest.mark.parametrize(
    "case", R["explained"], ids=lambda c: f"{c['name']}-F({c['df1']},{c['df2']})={c['f']}-{c['level']}"
)
def test_variance_explained_agrees_with_r(case: dict[str, Any]) -> None:
    effect = OF_F[case["name"]](case["f"], case["df1"], case["df2"])
    interval = effect.confidence_interval(case["level"])
    assert effect.value == near(case["value"])
    assert (interval.low, interval.high) == (near(case["low"], OPTIMISED), near(case["high"], OPTIMISED))
    if "exact_low" in case:
        assert (interval.low, interval.high) == (near(case["exact_low"]), near(case["exact_high"]))


@pytest.mark.parametrize("case", R["counts"], ids=lambda c: c["table"])
def test_effects_of_counts_agree_with_r(case: dict[str, Any]) -> None:
    table = case["rows"]
    effect = cramers_v(table)
    interval = effect.confidence_interval()
    assert effect.value == near(case["v"])
    assert (interval.low, interval.high) == (near(case["exact_low"]), near(case["exact_high"]))
    assert (interval.low, interval.high) == (near(case["v_low"], OPTIMISED), near(case["v_high"], OPTIMISED))
    printed = effects.cramers_v_from_chi2(case["chi2"], np.sum(table), len(table), len(table[0]))
    assert printed.value == near(effect.value)
    assert effect.value == near(association(np.array(table)))
    if "phi" not in case:
        return
    assert abs(float(np.asarray(phi(table).value))) == near(case["phi"])
    assert effects.phi_from_chi2(case["chi2"], np.sum(table)).value == near(case["phi"])
    odds = odds_ratio(table)
    ends = odds.confidence_interval()
    assert (odds.value, ends.low, ends.high) == (
        near(case["odds_ratio"]),
        near(case["odds_low"]),
        near(case["odds_high"]),
    )
    assert risk_ratio(table).value == near(case["risk_ratio"])
    assert risk_difference(table).value == near(case["risk_difference"])


@pytest.mark.parametrize("case", R["correlations"], ids=lambda c: f"t({c['df']})={c['t']}")
def test_r_from_t_agrees_with_r(case: dict[str, Any]) -> None:
    effect = effects.r_from_t(case["t"], case["df"])
    interval = effect.confidence_interval()
    assert effect.value == near(case["value"])
    assert (interval.low, interval.high) == (near(case["low"], OPTIMISED), near(case["high"], OPTIMISED))


@pytest.mark.parametrize("case", R["conversions"], ids=lambda c: f"{c['source']}-{c['to']}-{c['value']}")
def test_conversions_agree_with_r(case: dict[str, Any]) -> None:
    n = tuple(case["n"]) if "n" in case else None
    assert convert(case["value"], case["source"], case["to"], n=n) == near(case["result"])


def test_a_statistic_gives_what_the_data_give() -> None:
    samples = {"a": [5, 7, 6, 9, 8], "b": [3, 5, 4, 4]}
    test = t_test(samples, method="student")
    for kind in ("d", "g"):
        from_t, from_data = d_from_t(test.statistic, n=(5, 4), kind=kind), test.effect_size(kind)
        assert from_t.value == near(from_data.value)
        assert from_t.confidence_interval().high == near(from_data.confidence_interval().high)
    pairs = paired_t({"a": [5, 7, 6, 9], "b": [3, 5, 5, 4]})
    assert d_from_t(pairs.statistic, df=3, paired=True).value == near(pairs.effect_size().value)
    assert d_from_t(2.0, df=38).value == near(d_from_t(2.0, n=(20, 20)).value)
    # r² of the group is eta squared, and d converts to it exactly where the groups' sizes are given.
    r = effects.r_from_t(test.statistic, test.df)
    assert test.effect_size("d").convert("r", n=(5, 4)).value == near(r.value)
    squared = effects.eta_squared(float(np.asarray(test.statistic)) ** 2, 1, test.df)
    assert test.effect_size("d").convert("eta_squared", n=(5, 4)).value == near(squared.value)


NAMES = ("d", "r", "odds_ratio", "log_odds_ratio", "common_language", "rank_biserial")


@given(st.floats(-3, 3), st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(2, 200), st.integers(2, 200))
def test_conversions_go_there_and_back_and_keep_the_sign(d: float, one: str, two: str, n1: int, n2: int) -> None:
    first = convert(d, "d", one, n=(n1, n2))
    second = convert(first, one, two, n=(n1, n2))
    assert convert(second, two, "d", n=(n1, n2)) == pytest.approx(d, rel=1e-6, abs=1e-9)
    zero = convert(0.0, "d", two, n=(n1, n2))
    assert np.sign(np.asarray(second) - zero) == pytest.approx(np.sign(d)) or abs(d) < 1e-9
    assert convert(d, "d", "f") == pytest.approx(abs(d) / 2)


@settings(deadline=None)
@given(st.floats(0, 80), st.integers(1, 8), st.integers(3, 500), st.floats(0.5, 0.999))
def test_noncentral_intervals_solve_their_equations(f: float, df1: int, df2: int, confidence_level: float) -> None:
    low, high = f_noncentrality(f, df1, df2, confidence_level)
    area = (1 - confidence_level) / 2
    if low > 0:
        assert stats.ncf.sf(f, df1, df2, low) == pytest.approx(area, rel=1e-6)
    else:
        assert stats.f.sf(f, df1, df2) >= area * (1 - 1e-9)
    if high > 0:
        assert stats.ncf.cdf(f, df1, df2, high) == pytest.approx(area, rel=1e-6)
    low, high = chi2_noncentrality(f, df1, confidence_level)
    assert low == 0 or stats.ncx2.sf(f, df1, low) == pytest.approx(area, rel=1e-6)
    low, high = t_noncentrality(-f, df2, confidence_level)
    assert stats.nct.cdf(-f, df2, high) == pytest.approx(area, rel=1e-6)
    assert low < -f < high


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("df", [1, 2, 5, 38, 1000, 1e6])
def test_the_limit_for_large_t_joins_the_solved_intervals(df: float) -> None:
    edge = max(3000.0, 10 * np.sqrt(df))
    low, high = t_noncentrality([edge * 0.999999, edge * 1.000001], df)
    assert low[1] / low[0] == pytest.approx(1.000002, rel=2e-6)
    assert high[1] / high[0] == pytest.approx(1.000002, rel=2e-6)
    low, high = t_noncentrality([1e6, -1e6, 1e9], df)
    assert low[0] == -high[1]
    assert np.all(np.isfinite([low, high]))


tables = st.lists(st.integers(1, 40), min_size=4, max_size=4)


@given(tables)
def test_swapping_the_groups_of_a_table_turns_its_effects(cells: list[int]) -> None:
    table, swapped = np.reshape(cells, (2, 2)), np.reshape(cells, (2, 2))[::-1]
    assert phi(swapped).value == near(-np.asarray(phi(table).value))
    assert risk_difference(swapped).value == near(-np.asarray(risk_difference(table).value))
    assert cramers_v(swapped).value == near(cramers_v(table).value)
    for ratio in (odds_ratio, risk_ratio):
        assert ratio(swapped).value == near(1 / np.asarray(ratio(table).value))
        one, two = ratio(table).confidence_interval(), ratio(swapped).confidence_interval()
        assert (two.low, two.high) == pytest.approx((1 / np.asarray(one.high), 1 / np.asarray(one.low)))
    for effect in (phi(table), odds_ratio(table), risk_ratio(table), risk_difference(table)):
        low, high = effect.confidence_interval().low, effect.confidence_interval().high
        assert low <= effect.value <= high


def test_tables_come_as_frames() -> None:
    frame = pd.DataFrame(
        {"agent": [*"aaabbbbb"], "end": ["walk", "deal", "deal", "walk", "walk", "walk", "deal", "other"]}
    )
    result = risk_ratio(frame, ["agent", "end"], event="walk")
    assert result.value == near((1 / 3) / (3 / 5))


def test_a_zero_cell_can_be_filled() -> None:
    assert odds_ratio([[0, 10], [5, 5]], add=0.5).value == near((0.5 * 5.5) / (10.5 * 5.5))
    assert risk_difference([[0, 10], [5, 5]]).value == near(-0.5)


def test_an_effect_prints_frames_and_pickles() -> None:
    effect = d_from_t(2.46, n=66, paired=True)
    assert str(effect) == "d_z = 0.30, 95% CI [0.05, 0.55]"
    assert effect.apa(0.9).startswith("d_z = 0.30, 90% CI [0.09")
    frame = effect.to_frame()
    assert list(frame.columns) == ["effect", "value", "low", "high", "level", "method"]
    assert frame.attrs["schema"] == "Effect/1"
    copy = pickle.loads(pickle.dumps(effect))  # noqa: S301 - our own
    assert copy.confidence_interval() == effect.confidence_interval()
    unsigned = d_from_t(1.0, n=(20, 20)).convert("eta_squared", n=(20, 20))
    assert unsigned.confidence_interval().low == 0
    assert unsigned.confidence_interval().method == "noncentral t, converted"


@pytest.mark.parametrize(("shift", "n"), [(0.5, 10), (0.0, 7), (-0.8, 25)])
def test_score_intervals_of_signed_ranks_hold_what_the_score_test_does_not_reject(shift: float, n: int) -> None:
    """Their ends are where the share lies 1.96 of its standard deviations off, by Lehmann (1975), section 4.2.

    The chances that he names are those of normal vectors: of one difference, of the sum of two, of both, and of two
    sums that share a difference.
    """

    def positive(*rows: list[int]) -> float:
        turned = np.array(rows, dtype=float)
        law = stats.multivariate_normal(-shift * turned.sum(axis=1), turned @ turned.T, allow_singular=True)
        return float(law.cdf(np.zeros(len(rows)), rng=np.random.default_rng(1)))

    one, two, both, shared = (
        positive([1]), positive([1, 1]), positive([1, 0], [1, 1]), positive([1, 1, 0], [1, 0, 1])
    )  # fmt: skip
    pairs = n * (n - 1) / 2
    mean = n * one + pairs * two
    variance = (
        n * one * (1 - one) + pairs * two * (1 - two) + 2 * n * (n - 1) * (both - one * two)
        + n * (n - 1) * (n - 2) * (shared - two**2)
    )  # fmt: skip
    ranks, off = n * (n + 1) / 2, 1.959963984540054 * np.sqrt(variance)
    expected = 2 * mean / ranks - 1
    for plus, end in ((mean + off, "low"), (mean - off, "high")):
        if 0 < plus < ranks:
            result = wilcoxon_effect(
                "rank_biserial", np.asarray(plus), np.asarray(ranks), np.asarray(float(n)), "score", "two-sided"
            )
            assert float(getattr(result.confidence_interval(), end)) == pytest.approx(expected, abs=2e-6)


def test_score_intervals_of_signed_ranks_at_their_bounds() -> None:
    """No positive rank has no lower bound but −1; a one-sided interval is open on its other side."""
    n, ranks = np.asarray(6.0), np.asarray(21.0)
    none = wilcoxon_effect("rank_biserial", np.asarray(0.0), ranks, n, "score", "two-sided").confidence_interval()
    assert float(none.low) == -1
    assert -1 < float(none.high) < 0
    some = wilcoxon_effect("rank_biserial", np.asarray(15.0), ranks, n, "score", "greater").confidence_interval()
    assert float(some.high) == 1
    assert -1 < float(some.low) < 15 / 21 * 2 - 1


R_META: dict[str, Any] = reference("together")


def agree(ours: Any, theirs: Any, tolerance: float = 1e-8) -> None:
    np.testing.assert_allclose(np.ravel(ours), np.ravel(theirs).astype(float), rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("case", R_META["meta"], ids=lambda case: f"{len(case['y'])} studies")
def test_it_agrees_with_metafor(case: dict[str, Any]) -> None:
    result = meta_analysis(case["y"], case["v"])
    agree(
        [result.tau2, result.estimate, result.se, result.p], [case[name] for name in ("tau2", "mean", "se", "p")], 1e-7
    )
    agree([result.q, result.q_p, 100 * result.i2], [case["q"], case["q_p"], case["i2"]], 1e-7)
    ends, ahead = result.confidence_interval(), result.prediction_interval()
    agree([ends.low, ends.high], [case["low"], case["high"]], 1e-7)
    agree([ahead.low, ahead.high], [case["pi_low"], case["pi_high"]], 1e-7)
    tau2 = result.tau2_interval()
    agree([tau2.low, tau2.high], [case["tau_low"], case["tau_high"]], 1e-6)
    plain = meta_analysis(case["y"], case["v"], test="z")
    agree([plain.se, plain.p], [case["plain"], case["z_p"]], 1e-7)
    fixed = meta_analysis(case["y"], case["v"], model="fixed")
    agree([fixed.estimate, fixed.se], [case["fixed"], case["fixed_se"]])


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_order_and_units_change_nothing_and_the_score_is_zero(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, v = rng.normal(0, rng.choice([0.05, 0.5, 3]), 8), rng.uniform(0.01, 0.3, 8)
    order = rng.permutation(8)
    one, two = meta_analysis(y, v), meta_analysis(3 * y[order] + 7, 9 * v[order])
    agree([two.tau2, two.estimate, two.se, two.i2], [9 * one.tau2, 3 * one.estimate + 7, 3 * one.se, one.i2], 1e-6)
    agree(one.weights.sum(), 1)
    # a turn of the published fixed point leaves tau squared where it is
    w = 1 / (v + one.tau2)
    mu = w @ y / w.sum()
    again = max(0.0, float((w**2) @ ((y - mu) ** 2 - v) / (w**2).sum() + 1 / w.sum()))
    agree(again, one.tau2, 1e-7)


def test_what_it_refuses_and_says() -> None:
    narrow = meta_analysis([0.3, 0.31, 0.29], [0.1, 0.1, 0.1])
    assert "narrower" in narrow.note
    frame = narrow.to_frame()
    assert frame["kind"].to_list() == ["study"] * 3 + ["mean", "prediction"]


@pytest.mark.calibration
def test_coverage_of_hartung_and_knapp_beside_z() -> None:
    rng, times = np.random.default_rng(6), runs(10_000, 150)
    inside = {"hartung-knapp": 0, "z": 0}
    for _ in range(times):
        v = rng.uniform(0.02, 0.2, 6)
        y = rng.normal(0.3, np.sqrt(0.1 + v))
        for test in ("hartung-knapp", "z"):
            inside[test] += 0.3 in meta_analysis(y, v, test=test).confidence_interval()
    slack = 3 * np.sqrt(0.95 * 0.05 / times)
    assert abs(inside["hartung-knapp"] / times - 0.95) < slack + 0.01
    assert inside["z"] / times < 0.93


@pytest.mark.parametrize("value", [0.2, 0.1 + 0.2, 1e9, -1e-9])
def test_equal_effects_have_no_spread(value: float) -> None:
    with pytest.raises(NotEstimable, match="all effects are equal"):
        meta_analysis([value] * 3, [0.04, 0.025, 0.09])
    assert meta_analysis([value] * 3, [0.04, 0.025, 0.09], test="z").q == 0


@pytest.mark.parametrize("tau2", [1e-7, 1e-6, 0.25])
def test_a_small_heterogeneity_of_equal_variances_is_what_their_spread_is_beyond_them(tau2: float) -> None:
    """With equal variances v the restricted likelihood is highest at s² − v, however close that is to 0."""
    result = meta_analysis([-1.0, 0.0, 1.0], [1 - tau2] * 3)
    assert result.tau2 == pytest.approx(tau2, rel=1e-6)
    assert meta_analysis([-1.0, 0.0, 1.0], [1 + tau2] * 3).tau2 == 0
