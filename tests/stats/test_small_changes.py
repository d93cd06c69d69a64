"""Values at which a small change of the code shows: ends of intervals, smallest p, sizes that differ, counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats import stats
from negstats.stats.equivalence.means import tost
from negstats.stats.results.result import Interval


@pytest.mark.parametrize(("value", "inside"), [(1.9, False), (2.0, True), (2.5, True), (3.0, True), (3.1, False)])
def test_both_ends_bound_an_interval(value: float, inside: bool) -> None:
    assert (value in Interval(2.0, 3.0)) is inside


def test_the_least_p_of_a_bootstrap_counts_the_data_once() -> None:
    """No draw on the other side of 0: p = 2 · 1/(draws + 1)."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    m = x + 0.01 * rng.normal(size=60)
    frame = pd.DataFrame({"x": x, "m": m, "y": m + 0.01 * rng.normal(size=60)})
    found = stats.mediation(frame, "x", "m", "y", rng=rng, n_resamples=99)
    assert found.p == pytest.approx(2 / 100, rel=1e-12)


@pytest.mark.parametrize("method", ["student", "welch"])
def test_bounds_in_d_are_those_of_the_spread_of_groups_that_differ_in_size(method: str) -> None:
    """Pooled over degrees of freedom for Student's test, the plain mean of variances for Welch's."""
    rng = np.random.default_rng(2)
    one, two = rng.normal(0, 1, 5), rng.normal(0, 3, 17)
    variances = one.var(ddof=1), two.var(ddof=1)
    pooled = (4 * variances[0] + 16 * variances[1]) / 20
    sd = np.sqrt(pooled if method == "student" else np.mean(variances))
    samples = {"one": one, "two": two}
    in_d = tost(samples, bounds=0.5, unit="d", method=method)  # type: ignore[arg-type]
    raw = tost(samples, bounds=float(0.5 * sd), method=method)  # type: ignore[arg-type]
    assert in_d.p == pytest.approx(float(np.asarray(raw.p)), rel=1e-10)


def test_clusters_are_counted() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"y": rng.normal(size=40), "x": rng.normal(size=40), "c": np.arange(40) // 4})
    assert stats.linear_model(frame, "y ~ x", errors="CR2", cluster="c").clusters == 10
    assert stats.linear_model(frame, "y ~ x").clusters == 0
