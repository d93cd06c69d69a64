"""Shares of units with several answers each: intervals inside 0 to 1, and the size of the test."""

from __future__ import annotations

import numpy as np
import pytest

from negstats import stats
from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.clustered import clustered_proportions


def test_shares_near_the_ends_have_intervals_inside() -> None:
    shares = clustered_proportions([1, 1, 1, 1, 0.75], [0, 0, 0.25, 0, 0])
    for interval in shares.intervals():
        assert 0 <= interval.low < interval.high <= 1
    ends = shares.confidence_interval()
    assert -1 <= ends.low < shares.difference < ends.high <= 1


def test_one_answer_a_unit_gives_the_plain_interval_but_for_the_spread_of_t() -> None:
    first, second = np.repeat([1.0, 0.0], [600, 400]), np.repeat([1.0, 0.0], [450, 550])
    plain = stats.proportion_difference([600, 450], [1000, 1000]).confidence_interval()
    clustered = clustered_proportions(first, second).confidence_interval()
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high), abs=1e-4)


@pytest.mark.parametrize(
    ("first", "second", "paired", "message"),
    [
        ([0.5, 2], [0, 1], False, "first must be a row of shares"),
        ([0.5, 1], [0, np.nan], False, "second must be a row of shares"),
        ([0.5, 1], [0, 1, 1], True, "pairs need as many"),
        ([0.5], [0, 1, 1], False, "first has 1 units"),
        ([0.5, 0.5], [0.25, 0.25], False, "do not vary"),
    ],
)
def test_what_is_no_share_is_refused(first: list[float], second: list[float], paired: bool, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        clustered_proportions(first, second, paired=paired)


@pytest.mark.calibration
@pytest.mark.parametrize(("units", "correlation", "chance"), [(10, 0.0, 0.5), (10, 0.3, 0.5), (20, 0.3, 0.1)])
def test_size_and_cover_of_clustered_shares(units: int, correlation: float, chance: float) -> None:
    """Units of 1 to 7 answers whose chances are beta distributed: the test keeps its level, the interval covers."""
    rng, studies = np.random.default_rng(20260311), 1500
    rejected = covered = 0
    for _ in range(studies):
        sides = []
        for _ in range(2):
            odds = (1 - correlation) / correlation if correlation else np.inf
            each = rng.beta(chance * odds, (1 - chance) * odds, units) if correlation else np.full(units, chance)
            size = rng.integers(1, 8, units)
            sides.append(rng.binomial(size, each) / size)
        try:
            test = clustered_proportions(*sides)
        except NotEstimable:
            covered += 1
            continue
        rejected += test.p < 0.05
        covered += 0 in test.confidence_interval()
    assert rejected / studies <= 0.065
    assert covered / studies >= 0.93
