"""What stands beside an answer keeps its level where the answer does: groups of unlike size and spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from negstats import stats
from negstats.analysis.methods.means import ENOUGH, rank_test
from negstats.stats import ValueCounts


def counts(*samples: np.ndarray[Any, np.dtype[np.float64]]) -> ValueCounts:
    return ValueCounts.from_samples(dict(zip("ab", samples, strict=True)))


@pytest.mark.slow
def test_the_rank_test_beside_a_t_test_keeps_its_level_under_unlike_spreads() -> None:
    """SD 3 and 1, n 10 and 40: Mann and Whitney's test rejects more than .1, the one that is printed about .05."""
    rng, times = np.random.default_rng(7), 600
    drawn = [counts(3 * rng.normal(size=10), rng.normal(size=40)) for _ in range(times)]
    printed = [rank_test(one, ("a", "b")) for one in drawn]
    assert np.mean([float(test.p) < 0.05 for test in printed if test is not None]) < 0.05 + 3 * np.sqrt(0.05 / times)
    assert np.mean([float(stats.mann_whitney(one, method="asymptotic").p) < 0.05 for one in drawn]) > 0.1


@pytest.mark.parametrize("n", [2, ENOUGH - 1])
def test_small_groups_have_no_rank_test_beside_them(n: int) -> None:
    rng = np.random.default_rng(n)
    assert rank_test(counts(rng.normal(size=n), rng.normal(size=40)), ("a", "b")) is None


def test_groups_that_do_not_overlap_have_none() -> None:
    values = np.arange(20.0)
    assert rank_test(counts(values, values + 100), ("a", "b")) is None


def test_the_sign_follows_the_order_of_the_levels() -> None:
    rng = np.random.default_rng(3)
    both = counts(rng.normal(size=12), rng.normal(size=15) + 1)
    one, other = (rank_test(both, levels) for levels in (("a", "b"), ("b", "a")))
    assert one is not None
    assert other is not None
    assert float(one.statistic) < 0
    assert float(one.statistic) == pytest.approx(-float(other.statistic))


@pytest.mark.slow
def test_the_permutation_beside_welchs_f_keeps_its_level_under_unlike_spreads() -> None:
    """SD 3, 2 and 1, n 3, 10 and 40: permuted, the plain F rejects more than .2, Welch's F about .05."""
    rng, times = np.random.default_rng(8), 300
    hits = {"F": 0, "Welch F": 0}
    for _ in range(times):
        samples = {"a": 3 * rng.normal(size=3), "b": 2 * rng.normal(size=10), "c": rng.normal(size=40)}
        for statistic in hits:
            test = stats.permutation_test(samples, statistic=statistic, rng=rng, n_resamples=99, alternative="greater")
            hits[statistic] += test.p <= 0.05
    assert hits["Welch F"] / times < 0.1
    assert hits["F"] / times > 0.2


def test_a_group_without_spread_has_a_welch_f_among_permuted_ones() -> None:
    samples = {"a": [1.0, 1, 1], "b": [2.0, 3, 4], "c": [2.0, 5, 7, 9]}
    test = stats.permutation_test(samples, statistic="Welch F", rng=np.random.default_rng(1), alternative="greater")
    assert test.exact
    assert np.isfinite(test.statistic)
    assert 0.0 < test.p < 0.2
