"""Equivalence against R's one-sided tests, statsmodels, its own symmetry, and its size at the bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import optimize, stats
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    tost_proportions_2indep,
)

from negstats.errors import DesignError
from negstats.stats import Cells, Counts, Moments, ValueCounts, equivalence
from tests.conftest import reference

REFERENCE = reference("equivalence")
EXACT = 1e-8

close: Any = assert_allclose  # a result holds floats or arrays, and the stubs take no list of either


def of_case(case: dict[str, Any]) -> equivalence.Equivalence:
    x, y, bounds = case["x"], case["y"], tuple(case["bounds"])
    if case["method"] == "one-sample":
        return equivalence.one_sample_tost(x, bounds=bounds)
    if case["method"] == "paired":
        return equivalence.paired_tost({"x": x, "y": y}, bounds=bounds)
    return equivalence.tost({"x": x, "y": y}, bounds=bounds, method=case["method"])


class TestMeans:
    @pytest.mark.parametrize("case", REFERENCE["means"], ids=lambda case: case["label"])
    def test_agrees_with_r(self, case: dict[str, Any]) -> None:
        result = of_case(case)
        for field in ("statistic_low", "p_low", "statistic_high", "p_high", "df"):
            close(getattr(result, field), case[field], rtol=EXACT, err_msg=field)
        assert result.p == max(result.p_low, result.p_high)
        interval = result.confidence_interval(0.90)
        close([interval.low, interval.high], case["ends"], rtol=EXACT)

    def test_raw_data_values_and_a_printed_table_agree(self) -> None:
        rng = np.random.default_rng(9)
        frame = pd.DataFrame({"points": rng.integers(1, 9, 40), "agent": rng.choice(["a", "b"], 40)})
        cells = Cells.from_frame(frame, "points", "agent")
        table = Cells.from_table(n=cells.n, mean=cells.mean, sd=cells.sd, factors={"agent": ["a", "b"]})
        values = ValueCounts.from_frame(frame, "points", "agent")
        raw = equivalence.tost(frame, "points", "agent", bounds=1.5)
        for data in (cells, table, values):
            close(equivalence.tost(data, bounds=1.5).p, raw.p, rtol=1e-10)
        assert raw.outcome == "points"
        assert raw.labels == ("a", "b")

    def test_pairs_from_long_rows_within_and_differences_agree(self) -> None:
        rng = np.random.default_rng(10)
        y = rng.normal(0, 1, (12, 2))
        long = pd.DataFrame({"who": np.repeat(np.arange(12), 2), "c": ["CL", "FC"] * 12, "y": y.ravel()})
        raw = equivalence.paired_tost(long, "y", "c", "who", bounds=0.6)
        close(equivalence.paired_tost(Moments.from_array(y, ["CL", "FC"]), bounds=0.6).p, raw.p, rtol=1e-10)
        differences = Cells.from_samples({"all": y[:, 0] - y[:, 1]}).marginal(())
        close(equivalence.paired_tost(differences, bounds=0.6).p, raw.p, rtol=1e-10)

    def test_bounds_in_d_are_bounds_in_raw_units_times_the_standardizer(self) -> None:
        cells = Cells.from_table(n=[20, 30], mean=[5.0, 5.2], sd=[1.0, 2.0], factors={"agent": ["a", "b"]})
        pooled, average = np.sqrt((19 * 1 + 29 * 4) / 48), np.sqrt((1 + 4) / 2)
        close(equivalence.tost(cells, bounds=0.5, unit="d", method="student").high, 0.5 * pooled)
        close(equivalence.tost(cells, bounds=0.5, unit="d", method="welch").low, -0.5 * average)
        pairs = Moments.from_table(n=30, mean=[5.0, 5.2], sd=[1.0, 2.0], correlation=0.5)
        close(equivalence.paired_tost(pairs, bounds=0.5, unit="d").high, 0.5 * np.sqrt(1 + 4 - 2))
        one = Cells.from_table(n=30, mean=5.0, sd=2.0)
        close(equivalence.one_sample_tost(one, null=5.1, bounds=(-0.3, 0.4), unit="d").high, 0.8)

    @given(
        st.lists(st.integers(0, 20), min_size=3, max_size=12),
        st.lists(st.integers(0, 20), min_size=3, max_size=12),
        st.floats(0.1, 10),
    )
    def test_swapping_the_groups_mirrors_the_tests(self, x: list[int], y: list[int], bound: float) -> None:
        if len(set(x)) == 1 and len(set(y)) == 1:
            return
        one = equivalence.tost({"x": x, "y": y}, bounds=(-bound, 2 * bound))
        two = equivalence.tost({"y": y, "x": x}, bounds=(-2 * bound, bound))
        close([one.p_low, one.p_high, one.p], [two.p_high, two.p_low, two.p], rtol=1e-9, atol=1e-300)

    @given(st.floats(-1, 1), st.floats(0.05, 2), st.sampled_from([0.01, 0.05, 0.1]))
    def test_equivalent_exactly_when_the_interval_is_inside(self, gap: float, bound: float, alpha: float) -> None:
        cells = Cells.from_table(n=[25, 18], mean=[5 + gap, 5], sd=[1, 1.5], factors={"g": ["a", "b"]})
        result = equivalence.tost(cells, bounds=bound)
        interval = result.confidence_interval(1 - 2 * alpha)
        inside = -bound < interval.low and interval.high < bound
        assert inside == (result.p < alpha)
        assert result.decision(alpha).startswith("inside") == inside

    def test_what_it_says(self) -> None:
        def said(gap: float) -> str:
            cells = Cells.from_table(n=[50, 50], mean=[gap, 0], sd=[1, 1], factors={"g": ["a", "b"]})
            return equivalence.tost(cells, bounds=(-0.5, 0.5)).apa()

        assert said(0.1) == (
            "t(98) = −2.00, p = .024, difference = 0.10, 90% CI [−0.23, 0.43], "
            "inside the bounds [−0.50, 0.50]: equivalent at α = .05"
        )
        assert said(0.3).endswith("not inside the bounds [−0.50, 0.50]: equivalence is not established at α = .05")
        assert said(1.5).endswith("90% CI [1.17, 1.83], outside the bounds [−0.50, 0.50]: not equivalent at α = .05")

    @pytest.mark.parametrize("bounds", [0, -1, (1, 1), (2, -2), (1, 2, 3), "wide", np.nan, (0, np.nan)])
    def test_bounds_that_are_none(self, bounds: Any) -> None:
        with pytest.raises(DesignError, match="bounds is"):
            equivalence.tost({"a": [1, 2, 3], "b": [2, 3, 4]}, bounds=bounds)

    def test_edges(self) -> None:
        assert equivalence.tost({"a": [1, 2, 3, None], "b": [2, 4]}, bounds=1).missing == 1


class TestProportions:
    @pytest.mark.parametrize("case", REFERENCE["proportions"], ids=lambda case: f"{case['x']} of {case['n']}")
    def test_one_proportion_agrees_with_r(self, case: dict[str, Any]) -> None:
        x, n, (low, high) = case["x"], case["n"], case["bounds"]
        for method, ends in (("score", "wilson"), ("exact", "clopper")):
            result = equivalence.proportion_tost([x, n - x], null=0.5, bounds=(low - 0.5, high - 0.5), method=method)  # type: ignore[arg-type]
            close([result.p_low, result.p_high], [case[f"{method}_low"], case[f"{method}_high"]], rtol=EXACT)
            interval = result.confidence_interval(0.90)
            close([interval.low + 0.5, interval.high + 0.5], case[ends], rtol=EXACT)

    @pytest.mark.parametrize("cells", [(40, 50, 45, 60), (5, 12, 9, 10), (1, 30, 2, 40)])
    def test_wald_agrees_with_statsmodels(self, cells: tuple[int, int, int, int]) -> None:
        x1, n1, x2, n2 = cells
        expected = tost_proportions_2indep(x1, n1, x2, n2, -0.2, 0.25, method="wald")
        result = equivalence.proportions_tost([[x1, n1 - x1], [x2, n2 - x2]], bounds=(-0.2, 0.25), method="wald")
        close(result.statistic_low, expected.results_larger.statistic, rtol=1e-12)
        close(result.statistic_high, expected.results_smaller.statistic, rtol=1e-12)
        close(result.p, expected.pvalue, rtol=1e-12)
        ends = result.confidence_interval(0.90)
        theirs = confint_proportions_2indep(x1, n1, x2, n2, method="wald", compare="diff", alpha=0.1)
        close([ends.low, ends.high], theirs, rtol=1e-12)

    # Newcombe (1998), Statistics in Medicine 17, 873-890, Table II, method 6 (Miettinen and Nurminen), printed to four
    # decimals. (statsmodels is not a witness here: up to 0.15 its cubic has a count where a sample size belongs.)
    @pytest.mark.parametrize(
        ("cells", "low", "high"),
        [
            ((56, 70, 48, 80), 0.0528, 0.3382),
            ((9, 10, 3, 10), 0.1700, 0.8406),
            ((6, 7, 2, 7), 0.0342, 0.8534),
            ((5, 56, 0, 29), -0.0326, 0.1933),
            ((0, 10, 0, 20), -0.1658, 0.2844),
            ((0, 10, 0, 10), -0.2879, 0.2879),
            ((10, 10, 0, 20), 0.7156, 1.0),
            ((10, 10, 0, 10), 0.6636, 1.0),
        ],
    )
    def test_the_score_interval_is_that_in_print(
        self, cells: tuple[int, int, int, int], low: float, high: float
    ) -> None:
        x1, n1, x2, n2 = cells
        interval = equivalence.proportions_tost([[x1, n1 - x1], [x2, n2 - x2]], bounds=0.1).confidence_interval(0.95)
        close([interval.low, interval.high], [low, high], atol=5.1e-5)

    @pytest.mark.parametrize(
        "cells", [(40, 50, 45, 60), (5, 12, 9, 10), (1, 30, 2, 40), (29, 30, 37, 40), (0, 9, 3, 20)]
    )
    @pytest.mark.parametrize("bound", [-0.4, -0.2, 0.05, 0.25])
    def test_the_score_test_has_the_most_likely_shares(self, cells: tuple[int, int, int, int], bound: float) -> None:
        x1, n1, x2, n2 = cells

        def surprise(share: float) -> float:
            one = stats.binom.logpmf(x1, n1, share + bound)
            return -float(one + stats.binom.logpmf(x2, n2, share))

        ends = (max(0.0, -bound), min(1.0, 1 - bound))
        share = optimize.minimize_scalar(surprise, bounds=ends, method="bounded", options={"xatol": 1e-13}).x
        variance = (share + bound) * (1 - share - bound) / n1 + share * (1 - share) / n2
        z = (x1 / n1 - x2 / n2 - bound) / np.sqrt(variance * (n1 + n2) / (n1 + n2 - 1))
        result = equivalence.proportions_tost([[x1, n1 - x1], [x2, n2 - x2]], bounds=(bound, 0.9))
        close(result.statistic_low, z, rtol=1e-6)

    @given(st.integers(1, 30), st.integers(1, 30), st.data(), st.floats(0.02, 0.6))
    def test_swapping_the_groups_or_the_outcomes_mirrors_the_tests(
        self, n1: int, n2: int, data: st.DataObject, bound: float
    ) -> None:
        x1, x2 = data.draw(st.integers(0, n1)), data.draw(st.integers(0, n2))
        table = np.array([[x1, n1 - x1], [x2, n2 - x2]])
        one = equivalence.proportions_tost(Counts.from_table(table), bounds=(-bound, bound / 2))
        for mirrored in (table[::-1], table[:, ::-1]):
            two = equivalence.proportions_tost(Counts.from_table(mirrored), bounds=(-bound / 2, bound))
            close([one.p_low, one.p_high], [two.p_high, two.p_low], rtol=1e-6, atol=1e-12)
        interval = one.confidence_interval(0.9)
        assert -1 <= float(interval.low) <= one.difference <= float(interval.high) <= 1
        assert (-bound < interval.low and interval.high < bound / 2) == (one.p < 0.05)

    def test_rows_tables_and_stacks_agree(self) -> None:
        rng = np.random.default_rng(12)
        frame = pd.DataFrame({"agent": rng.choice(["a", "b", "c"], 90), "end": rng.choice(["agreed", "walked"], 90)})
        raw = equivalence.proportions_tost(frame, by=["agent", "end"], bounds=0.3, levels=("c", "a"), level="walked")
        table = Counts.from_frame(frame, ["agent", "end"])
        close(equivalence.proportions_tost(table, bounds=0.3, levels=("c", "a"), level="walked").p, raw.p)
        assert raw.labels == ("c", "a")
        assert raw.outcome == "walked"
        more = np.stack([table.n[:2], table.n[1:]])
        stack = equivalence.proportions_tost(Counts.from_table(more, stacked=1), bounds=0.3)
        close(stack.p, [equivalence.proportions_tost(Counts.from_table(n), bounds=0.3).p for n in more])
        ends = stack.confidence_interval()
        assert np.shape(ends.low) == (2,)
        one = equivalence.proportion_tost(frame, by="end", bounds=0.3)
        close(one.p, equivalence.proportion_tost(table, by="end", bounds=0.3).p)

    def test_edges(self) -> None:
        assert 0 < float(equivalence.proportions_tost([[30, 0], [30, 0]], bounds=0.1).p) < 0.1


@pytest.mark.calibration
class TestSize:
    """At the bound a test may reject in at most 5 % of studies; 20,000 studies, 99.9 % binomial limits."""

    STUDIES = 20_000
    MOST = stats.binom.isf(0.0005, STUDIES, 0.05) / STUDIES
    LEAST = stats.binom.ppf(0.0005, STUDIES, 0.05) / STUDIES

    def test_student_is_exact_at_the_bound_where_the_other_bound_is_far(self) -> None:
        rng = np.random.default_rng(13)
        samples = {"a": rng.normal(1, 1, (self.STUDIES, 8)), "b": rng.normal(0, 1, (self.STUDIES, 13))}
        rejected = np.mean(np.asarray(equivalence.tost(samples, bounds=(-9, 1), method="student").p) <= 0.05)
        assert self.LEAST <= rejected <= self.MOST

    def test_two_close_bounds_only_make_it_conservative(self) -> None:
        rng = np.random.default_rng(14)
        samples = {"a": rng.normal(0.5, 1, (self.STUDIES, 8)), "b": rng.normal(0, 1, (self.STUDIES, 13))}
        for method in ("student", "welch"):
            rejected = np.mean(np.asarray(equivalence.tost(samples, bounds=0.5, method=method).p) <= 0.05)
            assert rejected <= self.MOST

    def test_the_score_test_of_proportions_keeps_its_size_where_wald_does_not(self) -> None:
        """Shares .95 and .75, bound .2, 60 a group: about 4.8 % by the score test, 5.8 % by Wald's."""
        rng = np.random.default_rng(15)
        x = np.stack([rng.binomial(60, 0.95, self.STUDIES), rng.binomial(60, 0.75, self.STUDIES)], axis=-1)
        tables = Counts.from_table(np.stack([x, 60 - x], axis=-1), stacked=1)
        score, wald = (
            equivalence.proportions_tost(tables, bounds=(-0.9, 0.2), method=kind) for kind in ("score", "wald")
        )
        assert np.mean(np.asarray(score.p) <= 0.05) <= self.MOST
        assert np.mean(np.asarray(wald.p) <= 0.05) > self.MOST


def test_an_interval_that_touches_a_bound_is_not_outside() -> None:
    samples = {"one": [5.0, 7.0, 6.0, 9.0, 8.0], "two": [3.0, 4.0, 4.0, 5.0, 3.0]}
    interval = equivalence.tost(samples, bounds=(-9, 9)).confidence_interval(0.9)
    low, high = float(interval.low), float(interval.high)
    for bounds in ((low - 9, low), (high, high + 9)):
        assert "equivalence is not established" in equivalence.tost(samples, bounds=bounds).decision()
    for bounds in ((low - 9, low - 0.01), (high + 0.01, high + 9)):
        assert "not equivalent" in equivalence.tost(samples, bounds=bounds).decision()


@pytest.mark.parametrize("method", ["student", "welch"])
def test_bounds_in_d_are_those_of_the_spread_of_groups_that_differ_in_size(method: str) -> None:
    """Pooled over degrees of freedom for Student's test, the plain mean of variances for Welch's."""
    rng = np.random.default_rng(2)
    one, two = rng.normal(0, 1, 5), rng.normal(0, 3, 17)
    variances = one.var(ddof=1), two.var(ddof=1)
    pooled = (4 * variances[0] + 16 * variances[1]) / 20
    sd = np.sqrt(pooled if method == "student" else np.mean(variances))
    samples = {"one": one, "two": two}
    in_d = equivalence.tost(samples, bounds=0.5, unit="d", method=method)  # type: ignore[arg-type]
    raw = equivalence.tost(samples, bounds=float(0.5 * sd), method=method)  # type: ignore[arg-type]
    assert in_d.p == pytest.approx(float(np.asarray(raw.p)), rel=1e-10)
