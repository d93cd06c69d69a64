"""Tests of counts and of proportions against R, SciPy, statsmodels and print."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import factorial, prod
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from negstats.stats.counts.chi_squared import Test, chi_squared, compare_rows, goodness_of_fit
from negstats.stats.counts.fisher import fisher, fisher_p
from negstats.stats.counts.partition import partition
from negstats.stats.counts.proportions import paired_proportions, proportion, proportion_difference, wilson
from negstats.stats.effects import risk_difference
from negstats.stats.summaries import Counts
from tests.conftest import reference
from tests.stats.closeness import rel

R: dict[str, Any] = reference("counts")
close = pytest.approx

WALKED = [[19, 77], [22, 68], [10, 93]]  # selfish agents of Chawla et al. (2023), Table 3: walked away, did not

tables = st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(1, 30))
)


@pytest.mark.parametrize("case", R["two_way"], ids=lambda case: case["label"])
def test_two_way_tables_agree_with_r(case: dict[str, Any]) -> None:
    result = chi_squared(case["n"])
    assert (result.statistic, result.df, result.p) == rel((case["x2"], case["df"], case["p"]))
    assert result.cramers_v == rel(case["v"])
    assert result.expected == rel(np.array(case["expected"]))
    assert result.pearson_residuals == rel(np.array(case["pearson"]))
    assert result.adjusted_residuals == rel(np.array(case["adjusted"]))
    ratio = chi_squared(case["n"], statistic="likelihood-ratio")
    assert (ratio.statistic, ratio.p, ratio.cramers_v) == rel((case["g2"], case["p_g2"], case["v"]))
    if np.shape(case["n"]) == (2, 2):
        corrected = chi_squared(case["n"], correction=True)
        assert (corrected.statistic, corrected.p) == rel((case["yates"], case["p_yates"]))


@pytest.mark.parametrize("case", R["goodness"])
def test_goodness_of_fit_agrees_with_r(case: dict[str, Any]) -> None:
    result = goodness_of_fit(case["n"], probabilities=case["probabilities"])
    assert (result.statistic, result.df, result.p) == rel((case["x2"], case["df"], case["p"]))
    assert result.expected == rel(np.array(case["expected"]))
    assert result.adjusted_residuals == rel(np.array(case["adjusted"]))
    ratio = goodness_of_fit(case["n"], probabilities=case["probabilities"], statistic="likelihood-ratio")
    shares = np.array(case["probabilities"]) / np.sum(case["probabilities"])
    assert ratio.statistic == rel(stats.power_divergence(case["n"], shares * np.sum(case["n"]), lambda_=0).statistic)


@pytest.mark.parametrize("case", R["fisher"])
def test_fishers_exact_p_agrees_with_r(case: dict[str, Any]) -> None:
    result = fisher(case["n"])
    assert result.p == rel(case["p"])
    assert fisher(np.transpose(case["n"])).p == rel(case["p"])
    if "less" in case:
        assert fisher(case["n"], alternative="less").p == rel(case["less"])
        assert fisher(case["n"], alternative="greater").p == rel(case["greater"])
        # R stops its search for the odds ratio at a tolerance of 1.2e-4
        assert result.odds_ratio == close(float(case["odds_ratio"]), rel=1e-2)
        ends = result.confidence_interval()
        assert (ends.low, ends.high) == close(tuple(map(float, case["interval"])), rel=1e-2)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("case", R["fisher_large"], ids=["3 × 7, n = 150", "4 × 5, n = 100", "5 × 5, n = 58"])
def test_fishers_exact_p_of_many_tables_agrees_with_r(case: dict[str, Any]) -> None:
    assert fisher(case["n"]).p == close(case["p"], abs=1e-9)


small_tables = st.tuples(st.integers(2, 4), st.integers(3, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 3))
)


def all_tables(rows: tuple[int, ...], columns: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Every table with these margins, as its columns."""
    if not columns:
        yield []
        return
    for column in itertools.product(*(range(row + 1) for row in rows)):
        if sum(column) == columns[0]:
            rest = tuple(row - cell for row, cell in zip(rows, column, strict=True))
            yield from ([column, *others] for others in all_tables(rest, columns[1:]))


@pytest.mark.slow
@given(small_tables.filter(lambda n: bool((n.sum(axis=0) > 0).all() and (n.sum(axis=1) > 0).all() and n.sum() < 15)))
@settings(max_examples=30)
@example(np.array([[2, 0, 3, 1], [0, 4, 1, 1], [1, 1, 0, 2]]))
def test_exact_p_equals_the_enumeration_of_all_tables(table: np.ndarray[Any, Any]) -> None:
    rows, columns = tuple(table.sum(axis=1).tolist()), tuple(table.sum(axis=0).tolist())
    ways = [1 / prod(factorial(cell) for column in n for cell in column) for n in all_tables(rows, columns)]
    observed = 1 / prod(factorial(cell) for cell in table.ravel().tolist())
    assert fisher_p(table) == close(sum(way for way in ways if way <= observed * (1 + 1e-7)) / sum(ways), rel=1e-10)


@pytest.mark.parametrize(("rows", "each"), [(3, 8), (3, 200), (4, 12)])
def test_a_small_exact_p_keeps_its_digits(rows: int, each: int) -> None:
    """No table is less probable than one with a single filled cell a row: there are as many of them as permutations."""
    tables = factorial(rows * each) // factorial(each) ** rows
    assert fisher_p(np.diag([each] * rows)) == close(factorial(rows) / tables, rel=1e-11)


def test_monte_carlo_p_is_near_the_exact_one_and_never_zero() -> None:
    drawn = fisher(WALKED, rng=np.random.default_rng(1), n_resamples=20_000)
    assert drawn.method == "Monte Carlo"
    assert drawn.p == close(fisher(WALKED).p, abs=0.004)
    assert float(fisher([[30, 0, 0], [0, 30, 30]], rng=np.random.default_rng(1), n_resamples=99).p) == 0.01


@given(tables)
def test_transposing_and_relabelling_change_nothing(n: np.ndarray[Any, Any]) -> None:
    result = chi_squared(n)
    for other in (n.T, n[::-1], n[:, ::-1]):
        again = chi_squared(other)
        assert (again.statistic, again.df, again.p) == close(
            (result.statistic, result.df, result.p), rel=1e-9, abs=1e-12
        )
    assert chi_squared(n[::-1]).adjusted_residuals[::-1] == close(result.adjusted_residuals, abs=1e-9)


@given(tables, st.integers(2, 9))
def test_scaling_counts_scales_both_statistics(n: np.ndarray[Any, Any], times: int) -> None:
    for statistic in ("pearson", "likelihood-ratio"):
        once, more = (chi_squared(k * n, statistic=statistic) for k in (1, times))
        assert more.statistic == close(times * float(once.statistic), rel=1e-9, abs=1e-9)
        assert more.cramers_v == close(once.cramers_v, rel=1e-9, abs=1e-6)


@given(tables)
def test_expected_counts_keep_the_margins_and_residuals_add_up(n: np.ndarray[Any, Any]) -> None:
    result = chi_squared(n)
    assert result.expected.sum(axis=0) == close(n.sum(axis=0))
    assert result.expected.sum(axis=1) == close(n.sum(axis=1))
    assert (result.pearson_residuals**2).sum() == close(result.statistic, abs=1e-12)


@given(tables, st.data())
def test_any_partition_adds_up_to_the_whole(n: np.ndarray[Any, Any], data: st.DataObject) -> None:
    def tree(levels: list[str]) -> Any:
        if len(levels) == 1:
            return levels[0]
        at = data.draw(st.integers(1, len(levels) - 1))
        return (tree(levels[:at]), tree(levels[at:]))

    rows, columns = (tree(data.draw(st.permutations([str(level) for level in range(1, size + 1)]))) for size in n.shape)
    parts = partition(n, rows=rows, columns=columns)
    whole = chi_squared(n, statistic="likelihood-ratio")
    assert parts.statistic.sum() == close(whole.statistic, rel=1e-9, abs=1e-9)
    assert parts.df.sum() == whole.df == parts.total_df
    assert len(parts.statistic) == (n.shape[0] - 1) * (n.shape[1] - 1)


def test_a_partition_can_leave_a_dimension_whole_and_names_its_parts() -> None:
    table = Counts.from_table(WALKED, {"partner": ["supervised", "fair", "selfish"], "walked": ["yes", "no"]})
    whole = partition(table, rows=("supervised", "fair", "selfish"))
    assert whole.statistic[0] == close(whole.total)
    assert whole.df.tolist() == [2.0]
    parts = partition(table, rows=(("supervised", "fair"), "selfish"))
    assert parts.rows == ("supervised + fair | selfish", "supervised | fair")
    assert parts.apa().startswith("supervised + fair | selfish × yes | no: G²(1, N = 289) = 7.50, p = .006")


def test_pairwise_comparisons_are_the_tests_of_two_rows_corrected_by_holm() -> None:
    result = compare_rows(WALKED)
    alone = [chi_squared([WALKED[i], WALKED[j]]) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert result.p == close([float(test.p) for test in alone])
    order = np.argsort(result.p)
    by_hand = np.maximum.accumulate(result.p[order] * [3, 2, 1])
    assert result.p_adjusted[order] == close(np.minimum(by_hand, 1.0))
    kinds: tuple[Test, ...] = ("pearson", "likelihood-ratio", "fisher")
    for kind in kinds:
        assert "2 – 3" in compare_rows(WALKED, test=kind).apa()
    sizes = [risk_difference([WALKED[i], WALKED[j]]) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert result.effect_size().value == close([float(size.value) for size in sizes])
    lows = [float(size.confidence_interval(0.9).low) for size in sizes]
    assert result.confidence_interval(0.9).low == close(lows)
    assert compare_rows(WALKED, test="fisher").p[2] == close(fisher([WALKED[1], WALKED[2]]).p)


def test_a_column_that_two_rows_lack_costs_a_degree_of_freedom() -> None:
    result = compare_rows([[3, 4, 0], [5, 2, 0], [1, 1, 6]])
    assert result.df.tolist() == [1.0, 2.0, 2.0]
    assert result.statistic[0] == close(chi_squared([[3, 4], [5, 2]]).statistic)


def test_a_table_of_counts_is_the_rows_that_it_counts() -> None:
    frame = pd.DataFrame(
        [("a", "x"), ("b", "y"), ("a", "y"), ("b", "z"), ("a", "x"), ("b", "x")], columns=["row", "column"]
    )
    raw, cross = chi_squared(frame, by=["row", "column"]), chi_squared(pd.crosstab(frame["row"], frame["column"]))
    assert raw.statistic == close(cross.statistic)
    assert raw.observed.factors == cross.observed.factors


def test_a_level_that_was_seen_once_is_a_level() -> None:
    assert chi_squared([[1, 0], [5, 9], [3, 4]]).df == chi_squared([[1, 5, 3], [0, 9, 4]]).df == 2
    single = chi_squared(Counts.from_table(np.array([[[1, 0], [0, 0]], [[2, 3], [4, 5]]]), stacked=1))
    assert single.expected[0].tolist() == [[1, 0], [0, 0]]
    assert goodness_of_fit(Counts.from_table(np.array([[1, 0], [0, 0]]), stacked=1)).cohens_w == close(
        np.array([1, np.nan]), nan_ok=True
    )


def test_a_study_of_a_stack_that_lacks_a_level_is_tested_without_it() -> None:
    full = [[4, 6, 0], [7, 2, 0]]
    result = chi_squared(Counts.from_table(np.array([full, [[5, 0, 0], [3, 0, 0]], np.zeros((2, 3))]), stacked=1))
    assert np.asarray(result.df).tolist() == [1.0, 0.0, 0.0]
    assert np.asarray(result.statistic)[0] == close(chi_squared([[4, 6], [7, 2]]).statistic)
    assert np.isnan(np.asarray(result.p)[1:]).all()


def test_small_expected_and_broken_counts_are_said_in_the_warning() -> None:
    assert "4 of 4 expected counts are below 5 (smallest 2.00)" in chi_squared([[3, 1], [1, 3]]).warning
    assert "not whole" in chi_squared([[10.5, 12], [13, 11]]).warning
    assert chi_squared([[10, 12], [13, 11]]).warning == ""


def test_residuals_are_a_frame_with_holm_corrected_p() -> None:
    frame = chi_squared(WALKED).residuals()
    assert list(frame) == ["factor_1", "factor_2", "n", "expected", "pearson", "adjusted", "p", "p_adjusted"]
    assert (frame["p_adjusted"] >= frame["p"]).all()
    assert frame["adjusted"][0] == close(-frame["adjusted"][1])
    assert frame["p"][4] == close(2 * stats.norm.sf(abs(frame["adjusted"][4])))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


# Size at .05. Chi-squared is asymptotic: the sizes below are what two million null studies gave, written down and not
# promised; 20,000 others must agree with them. Fisher is exact, hence conservative for counts.
@pytest.mark.calibration
@pytest.mark.parametrize(
    ("rows", "columns", "pearson_size", "ratio_size"),
    [
        ((20, 20), (0.5, 0.5), 0.0424, 0.0425),
        ((15, 45), (0.2, 0.8), 0.0543, 0.0583),
        ((97, 100, 97), (0.12, 0.88), 0.0489, 0.0532),
        ((12, 30), (0.1, 0.3, 0.6), 0.0449, 0.0618),
    ],
)
def test_size_under_the_null(
    rng: np.random.Generator, rows: tuple[int, ...], columns: tuple[float, ...], pearson_size: float, ratio_size: float
) -> None:
    n = np.stack([rng.multinomial(size, columns, 20_000) for size in rows], axis=1).astype(float)
    stack = Counts.from_table(n, stacked=1)
    for statistic, size in (("pearson", pearson_size), ("likelihood-ratio", ratio_size)):
        p = np.asarray(chi_squared(stack, statistic=statistic).p)  # type: ignore[arg-type]
        low, high = stats.binom.interval(0.99, 20_000, size)
        assert low <= (p <= 0.05).sum() <= high, f"{statistic}: {(p <= 0.05).mean()}"
    exact = np.array([fisher_p(table) for table in n[:500]]) if len(rows) > 2 else np.asarray(fisher(stack).p)
    assert (exact <= 0.05).sum() <= stats.binom.ppf(0.995, len(exact), 0.05)


def test_a_branch_of_one_level_is_no_split() -> None:
    counts = [[10, 4], [3, 9], [6, 6]]
    plain = partition(counts, rows=("1", ("2", "3")))
    nested = partition(counts, rows=(("1",), (("2",), ("3",))))
    assert nested.rows == plain.rows
    np.testing.assert_array_equal(nested.statistic, plain.statistic)


of = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("case", R["wilson"])
def test_wilson_agrees_with_r(case: dict[str, Any]) -> None:
    result = proportion(case["x"], case["n"])
    for interval, expected in (
        (result.confidence_interval(), case["plain"]),
        (result.confidence_interval(correction=True), case["corrected"]),
        (result.confidence_interval(0.9), case["level_90"]),
    ):
        assert (interval.low, interval.high) == rel(tuple(expected))


@pytest.mark.parametrize(
    ("x", "n", "plain", "corrected"),
    [
        # Newcombe (1998), Statistics in Medicine, 17, 873-890, Table II, methods 10 and 11
        ((56, 48), (70, 80), (0.0524, 0.3339), (0.0428, 0.3422)),
        ((9, 3), (10, 10), (0.1705, 0.8090), (0.1013, 0.8387)),
        ((10, 0), (10, 20), (0.6791, 1.0000), (0.6014, 1.0000)),
        ((10, 0), (10, 10), (0.6075, 1.0000), (0.5128, 1.0000)),
    ],
)
def test_newcombe_agrees_with_his_table(
    x: tuple[int, int], n: tuple[int, int], plain: tuple[float, float], corrected: tuple[float, float]
) -> None:
    result = proportion_difference(x, n)
    for interval, expected in (
        (result.confidence_interval(), plain),
        (result.confidence_interval(correction=True), corrected),
    ):
        assert (round(float(interval.low), 4), round(float(interval.high), 4)) == expected
    effect = risk_difference([[x[0], n[0] - x[0]], [x[1], n[1] - x[1]]])
    assert effect.confidence_interval().low == close(result.confidence_interval().low)


def test_newcombe_for_pairs_agrees_with_his_table() -> None:
    """Newcombe (1998), Statistics in Medicine, 17, 2635-2650, method 10: pairs 36, 12, 2, 0."""
    interval = paired_proportions([[36, 12], [2, 0]]).confidence_interval()
    assert (round(float(interval.low), 4), round(float(interval.high), 4)) == (0.0569, 0.3404)


def test_pairs_without_correlation_have_the_interval_of_independent_samples() -> None:
    table = [[16, 16], [16, 16]]  # phi = 0
    paired = paired_proportions(table).confidence_interval()
    independent = proportion_difference([32, 32], [64, 64]).confidence_interval()
    assert (paired.low, paired.high) == close((independent.low, independent.high))


@given(of, of)
def test_swapping_the_samples_flips_the_interval(first: tuple[int, int], second: tuple[int, int]) -> None:
    one = proportion_difference([first[0], second[0]], [first[1], second[1]])
    two = proportion_difference([second[0], first[0]], [second[1], first[1]])
    a, b = one.confidence_interval(), two.confidence_interval()
    assert (a.low, a.high) == close((-np.asarray(b.high), -np.asarray(b.low)), abs=1e-12)
    assert one.difference == close(-np.asarray(two.difference))
    assert -1 <= float(a.low) <= float(one.difference) <= float(a.high) <= 1


@given(of)
def test_counting_the_failures_mirrors_the_interval(counted: tuple[int, int]) -> None:
    x, n = counted
    for continuity in (False, True):
        hits, misses = (proportion(k, n).confidence_interval(correction=continuity) for k in (x, n - x))
        assert (hits.low, hits.high) == close((1 - np.asarray(misses.high), 1 - np.asarray(misses.low)), abs=1e-12)
        assert 0 <= float(hits.low) <= x / n <= float(hits.high) <= 1


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(lambda cells: sum(cells) > 0))
def test_pairs_swap_and_stay_in_range(cells: list[int]) -> None:
    table = np.reshape(cells, (2, 2))
    one, two = paired_proportions(table), paired_proportions(table.T)
    a, b = one.confidence_interval(), two.confidence_interval()
    assert (a.low, a.high) == close((-np.asarray(b.high), -np.asarray(b.low)), abs=1e-12)
    other = paired_proportions(table, level="2")
    assert other.difference == close(-np.asarray(one.difference))
    assert -1 - 1e-12 <= float(a.low) <= float(one.difference) <= float(a.high) <= 1 + 1e-12


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("n", "p", "cover"), [((10,), (0.3,), 0.924), ((40,), (0.1,), 0.943), ((12, 25), (0.2, 0.5), 0.952)]
)
def test_cover(n: tuple[int, ...], p: tuple[float, ...], cover: float) -> None:
    """Score intervals cover .95 on average, not at least: written down (summed over all outcomes).

    20,000 simulated studies agree.
    """
    rng = np.random.default_rng(8)
    x = np.column_stack([rng.binomial(size, share, 20_000) for size, share in zip(n, p, strict=True)])
    if len(n) == 1:
        interval, true = proportion(x[:, 0], n[0]).confidence_interval(), p[0]
    else:
        interval, true = proportion_difference(x, np.array(n)).confidence_interval(), p[0] - p[1]
    inside = ((np.asarray(interval.low) <= true) & (true <= np.asarray(interval.high))).mean()
    assert inside == close(cover, abs=0.005)


@pytest.mark.parametrize("cells", [(20, 12, 2, 16), (14, 5, 3, 9), (30, 2, 5, 40), (3, 12, 14, 4)])
def test_paired_intervals_correct_a_positive_correlation_for_continuity(cells: tuple[int, int, int, int]) -> None:
    """Newcombe (1998, Statistics in Medicine 17, 2635-2650), method 10: ad − bc less n/2, at least 0, where above 0."""
    a, b, c, d = cells
    n = a + b + c + d
    (low1, high1), (low2, high2) = (
        [float(end) for end in wilson(np.asarray(float(x)), np.asarray(float(n)), 1.959963984540054)]
        for x in (a + b, a + c)
    )
    cross = a * d - b * c
    phi = (max(cross - n / 2, 0) if cross > 0 else cross) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    p1, p2 = (a + b) / n, (a + c) / n
    below = np.sqrt((p1 - low1) ** 2 - 2 * phi * (p1 - low1) * (high2 - p2) + (high2 - p2) ** 2)
    above = np.sqrt((high1 - p1) ** 2 - 2 * phi * (high1 - p1) * (p2 - low2) + (p2 - low2) ** 2)
    interval = paired_proportions([[a, b], [c, d]]).confidence_interval()
    assert float(interval.low) == pytest.approx(p1 - p2 - below, abs=1e-12)
    assert float(interval.high) == pytest.approx(p1 - p2 + above, abs=1e-12)
