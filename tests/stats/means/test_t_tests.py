"""t-tests, one-way ANOVA and tests of equal variances: R's values, properties, edges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.stats import Cells, Moments, TTest, ValueCounts, levene, one_sample_t, one_way, paired_t, t_test
from tests.conftest import reference
from tests.stats.closeness import name_of, rel

R: dict[str, Any] = reference("means")

# effectsize finds its intervals with a general optimiser; these are the digits it reaches.
OPTIMISED = 1e-5


def run(case: dict[str, Any], **options: Any) -> TTest:
    sample = R["samples"][case["sample"]]
    if case["method"] == "one-sample":
        return one_sample_t(sample["a"], **options)
    if case["method"] == "paired":
        return paired_t(sample, **options)
    return t_test(sample, method=case["method"], **options)


@pytest.mark.parametrize("case", R["t"], ids=name_of)
def test_t_agrees_with_r(case: dict[str, Any]) -> None:
    alternative = case["alternative"].replace(".", "-")
    result = run(case, null=case["null"], alternative=alternative)
    interval = result.confidence_interval(0.9)
    assert result.statistic == rel(case["t"])
    assert result.df == rel(case["df"])
    assert result.p == rel(case["p"])
    assert (interval.low, interval.high) == (rel(case["low"]), rel(case["high"]))


@pytest.mark.slow(keep=15)
@pytest.mark.parametrize("case", R["d"], ids=name_of)
def test_standardized_differences_agree_with_r(case: dict[str, Any]) -> None:
    effect = run(case).effect_size(case["kind"])
    interval = effect.confidence_interval()
    assert effect.value == rel(case["value"])
    assert (interval.low, interval.high) == (rel(case["exact_low"]), rel(case["exact_high"]))
    assert (interval.low, interval.high) == (rel(case["low"], OPTIMISED), rel(case["high"], OPTIMISED))


@pytest.mark.parametrize("case", R["f"], ids=name_of)
def test_one_way_and_equal_variances_agree_with_r(case: dict[str, Any]) -> None:
    groups = R["groups"][case["groups"]]
    frame = pd.DataFrame([(level, y) for level, values in groups.items() for y in values], columns=["g", "y"])
    tests: dict[str, Callable[..., Any]] = {
        "fisher": one_way,
        "welch": partial(one_way, method="welch"),
        "levene": partial(levene, center="mean"),
        "brown-forsythe": levene,
    }
    for data, columns in ((groups, {}), (frame, {"outcome": "y", "by": "g"})):
        result = tests[case["method"]](data, **columns)
        assert result.method == case["method"]
        assert (result.statistic, result.df1) == (rel(case["f"]), case["df1"])
        assert (result.df2, result.p) == (rel(case["df2"]), rel(case["p"]))


def test_sleep_as_printed() -> None:
    # Student (1908), p. 21: the second drug gains 1.58 hours on the first, SD 1.17 (divisor n), and "probability .9985"
    # by his z-tables is p = .9986 of today's one-sided t.
    result = paired_t(R["samples"]["sleep"], alternative="less")
    assert result.difference == pytest.approx(-1.58)
    assert result.p == pytest.approx(1 - 0.9985, abs=2e-4)
    assert (
        run({"sample": "sleep", "method": "paired"}).apa()
        == "t(9) = −4.06, p = .003, d_z = −1.28, 95% CI [−2.12, −0.41]"
    )


def long(samples: dict[str, Any]) -> pd.DataFrame:
    rows = [(level, value) for level, values in samples.items() for value in values]
    return pd.DataFrame(rows, columns=["g", "y"])


# Properties ----------------------------------------------------------------------------------------------------------

values = st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=3, max_size=12)


def spread(*samples: list[float]) -> bool:
    return all(float(np.std(sample)) > 0.05 for sample in samples)


@pytest.mark.slow
@given(values, values, st.sampled_from(["welch", "student"]))
def test_swapping_groups_flips_signs(a: list[float], b: list[float], method: Any) -> None:
    assume(spread(a, b))
    one, two = t_test({"a": a, "b": b}, method=method), t_test({"b": b, "a": a}, method=method)
    assert two.statistic == pytest.approx(-one.statistic, rel=1e-9, abs=1e-12)
    assert two.p == pytest.approx(one.p, rel=1e-9)
    for kind in ("d", "g", "d_av"):
        forth, back = one.effect_size(kind), two.effect_size(kind)
        here, interval = forth.confidence_interval(), back.confidence_interval()
        assert back.value == pytest.approx(-forth.value, rel=1e-9, abs=1e-12)
        assert (interval.low, interval.high) == pytest.approx((-here.high, -here.low), rel=1e-6, abs=1e-9)


@pytest.mark.slow
@given(values, values)
def test_a_summary_gives_what_the_rows_give(a: list[float], b: list[float]) -> None:
    assume(spread(a, b))
    rows = t_test(long({"a": a, "b": b}), "y", "g")
    table = Cells.from_table(
        n=[len(a), len(b)],
        mean=[np.mean(a), np.mean(b)],
        se=[stats.sem(a), stats.sem(b)],
        factors={"g": ["a", "b"]},
    )
    counted = ValueCounts.from_samples({"a": a, "b": b})
    for summary in (table, counted, Cells.from_samples({"a": a, "b": b})):
        result = t_test(summary)
        assert (result.statistic, result.df, result.p) == pytest.approx(
            (rows.statistic, rows.df, rows.p), rel=1e-7, abs=1e-9
        )


@given(values, values)
def test_two_groups_give_t_squared_for_f(a: list[float], b: list[float]) -> None:
    assume(spread(a, b))
    samples = {"a": a, "b": b}
    assert one_way(samples).statistic == pytest.approx(
        t_test(samples, method="student").statistic ** 2, rel=1e-8, abs=1e-12
    )
    welch = one_way(samples, method="welch")
    assert (welch.statistic, welch.df2) == pytest.approx(
        (t_test(samples).statistic ** 2, t_test(samples).df), rel=1e-8, abs=1e-12
    )


@pytest.mark.slow
@settings(deadline=None)
@given(values, st.floats(0.5, 0.99), st.sampled_from(["two-sided", "greater", "less"]))
def test_intervals_contain_the_estimate_and_decide_as_p_does(
    sample: list[float], confidence_level: float, side: Any
) -> None:
    assume(spread(sample))
    result: Any = one_sample_t(sample, alternative=side)
    interval, effect = result.confidence_interval(confidence_level), result.effect_size()
    assert result.means[0] in interval
    # d is biased away from zero, so that a one-sided interval of little confidence may leave it out.
    assert effect.value in effect.confidence_interval(0.95)
    assume(abs(result.p - (1 - confidence_level)) > 1e-6)
    assert (0.0 in interval) == (result.p > 1 - confidence_level)
    assert (0.0 in effect.confidence_interval(confidence_level)) == (result.p > 1 - confidence_level)


# Ways in -------------------------------------------------------------------------------------------------------------


def test_pairs_come_from_frames_samples_within_and_differences() -> None:
    a, b = R["samples"]["sleep"]["a"], R["samples"]["sleep"]["b"]
    long_frame = pd.DataFrame({"gain": [*a, *b], "drug": ["1"] * 10 + ["2"] * 10, "who": [*range(10), *range(10)]})
    rows = paired_t(long_frame.sample(frac=1, random_state=1), "gain", "drug", "who")
    assert rows.labels == ("1", "2")
    others = [
        paired_t(pl.from_pandas(long_frame), "gain", "drug", "who"),
        paired_t({"1": a, "2": b}),
        paired_t(Moments.from_frame(long_frame, "gain", "drug", "who")),
        paired_t(Cells.from_samples({"difference": np.subtract(a, b)})),
    ]
    for other in others:
        assert (other.statistic, other.p) == pytest.approx((rows.statistic, rows.p), rel=1e-10)
    assert paired_t(long_frame, "gain", "drug", "who", levels=("2", "1")).statistic == pytest.approx(-rows.statistic)
    d_av = rows.difference / np.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1)) / 2)
    assert rows.effect_size("d_av").value == pytest.approx(d_av)


def test_a_subject_that_lacks_a_measure_is_left_out_and_counted() -> None:
    frame = pd.DataFrame({"y": [1, 2, 3, 5, 2, 9.0, np.nan], "c": [*"ababab", "a"], "id": [1, 1, 2, 2, 3, 3, 4]})
    result = paired_t(frame, "y", "c", "id")
    assert (result.n, result.missing) == ((3,), 1)
    assert paired_t({"a": [1, 3, 2, np.nan], "b": [2, 5, 9, 7]}).missing == 1


def test_one_factor_of_several_is_pooled_and_levels_choose() -> None:
    frame = pd.DataFrame({"y": [1, 5, 2, 7, 4, 3, 8, 6.0], "g": [*"abcabcab"], "h": [*"xxyyxxyy"]})
    cells = Cells.from_frame(frame, "y", ["g", "h"])
    assert t_test(cells, by="h").statistic == pytest.approx(t_test(frame, "y", "h").statistic)
    chosen = t_test(frame, "y", "g", levels=("c", "a"))
    assert chosen.labels == ("c", "a")
    assert chosen.statistic == pytest.approx(t_test({"c": [2, 3], "a": [1, 7, 8]}).statistic)


def test_the_frame_of_a_result_has_its_columns() -> None:
    frame = t_test({"a": [1, 2, 4], "b": [0, 1, 3, 2]}).to_frame()
    assert frame.attrs["schema"] == "TTest/1"
    assert list(frame.columns)[:7] == ["statistic", "df", "p", "difference", "se", "n_1", "n_2"]
    assert frame.loc[0, "labels_1"] == "a"


# Edges ---------------------------------------------------------------------------------------------------------------


def test_extreme_t_has_a_p_above_zero_that_is_printed_as_small() -> None:
    result = t_test({"a": np.arange(20) / 1e6, "b": 5 + np.arange(20) / 1e6})
    assert 0 < result.p < 1e-100
    assert "p < .001" in result.apa()
    apart = run({"sample": "apart", "method": "welch"})
    assert 0 < apart.p < 1e-30


def test_nothing_is_rounded_inside() -> None:
    result: Any = t_test(R["samples"]["unequal"])
    assert result.statistic != round(result.statistic, 6)
    assert f"t({result.df:.2f})" in result.apa()
