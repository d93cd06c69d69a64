"""Score intervals: R's and printed values, properties, edges, and their cover."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.proportions import paired_proportions, proportion, proportion_difference, wilson
from negstats.stats.effects import risk_difference
from tests.conftest import reference
from tests.stats.closeness import rel

R: dict[str, Any] = reference("counts")
close = pytest.approx
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


@given(of)
def test_wilson_agrees_with_statsmodels(counted: tuple[int, int]) -> None:
    interval = proportion(*counted).confidence_interval()
    assert (interval.low, interval.high) == rel(proportion_confint(*counted, method="wilson"))


@given(of, of)
def test_newcombe_agrees_with_statsmodels(first: tuple[int, int], second: tuple[int, int]) -> None:
    interval = proportion_difference([first[0], second[0]], [first[1], second[1]]).confidence_interval()
    expected = confint_proportions_2indep(*first, *second, method="newcomb", compare="diff")
    assert (interval.low, interval.high) == close(expected, rel=1e-7, abs=1e-9)


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


def test_what_is_no_proportion_is_refused() -> None:
    with pytest.raises(DesignError, match="between 0 and n 3"):
        proportion(4, 3)
    with pytest.raises(DesignError, match="not whole"):
        proportion(1.5, 3)
    with pytest.raises(DesignError, match="not numbers of one shape"):
        proportion([1, 2], [3, 4, 5])
    with pytest.raises(NotEstimable, match="n is 0"):
        proportion(0, 0)
    with pytest.raises(NotEstimable, match="n is 0"):
        proportion_difference([0, 1], [0, 2])
    with pytest.raises(DesignError, match="two samples"):
        proportion_difference([1, 2, 3], 4)
    with pytest.raises(DesignError, match="same two levels"):
        paired_proportions(np.ones((3, 3)))
    with pytest.raises(DesignError, match="no level 'yes'"):
        paired_proportions([[1, 2], [3, 4]], level="yes")
    with pytest.raises(DesignError, match="confidence_level is 95"):
        proportion(1, 3).confidence_interval(95)


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
