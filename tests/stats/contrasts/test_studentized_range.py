"""The studentized range against R's ptukey and qtukey, scipy, Student's t, and simulation of its upper tail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.stats.contrasts import studentized_range
from negstats.stats.contrasts.studentized_range import critical_range, range_exceeds

# R 4.2.2: sprintf("%.12g", ptukey(q, k, df, lower.tail = FALSE)) where it has the digits, and qtukey(.95, k, df).
R_TAIL = [
    (0.5, 3, 10, 0.93386417215),
    (3.5, 3, 10, 0.0771033108387),
    (3.5, 3, 997, 0.0359482146501),
    (2.0, 10, 30, 0.913152808984),
    (6.0, 5, 12, 0.00821321270652),
    (4.5, 50, 200, 0.477518012211),
    (3.0, 3, np.inf, 0.085542571655),
]
R_ENDS = [(3, 10, 3.87677675), (5, 20, 4.23185668), (10, 60, 4.64632397), (3, 1e5, 3.31449316)]


@pytest.mark.parametrize(("q", "means", "df", "p"), R_TAIL)
def test_tail_agrees_with_r_and_scipy(q: float, means: int, df: float, p: float) -> None:
    assert float(range_exceeds(q, means, df)) == pytest.approx(p, abs=1e-7 if means == 50 else 1e-9)
    assert float(range_exceeds(q, means, df)) == pytest.approx(stats.studentized_range.sf(q, means, df), abs=1e-8)


@pytest.mark.parametrize(("means", "df", "end"), R_ENDS)
def test_ends_agree_with_r(means: int, df: float, end: float) -> None:
    result = critical_range(0.95, means, df)
    assert result == pytest.approx(end, abs=1e-4)  # as exact as qtukey is said to be
    assert float(range_exceeds(result, means, df)) == pytest.approx(0.05, rel=1e-10)


@given(st.floats(1e-3, 1e3), st.floats(1.0, 1e7))
def test_the_range_of_two_means_is_students_t(q: float, df: float) -> None:
    exact = 2 * stats.t.sf(q / np.sqrt(2), df)
    assert float(range_exceeds(q, 2, df)) == pytest.approx(exact, rel=2e-11, abs=1e-290)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.floats(1e-2, 60), st.integers(2, 60), st.one_of(st.floats(1.0, 1e4), st.just(float("inf"))))
def test_between_one_pair_and_all_pairs_one_by_one(q: float, means: int, df: float) -> None:
    p, one = float(range_exceeds(q, means, df)), float(2 * stats.t.sf(q / np.sqrt(2), df))
    assert one * (1 - 1e-9) <= p <= min(1.0, means * (means - 1) / 2 * one) * (1 + 1e-9) + 1e-300
    assert float(range_exceeds(q, means + 1, df)) >= p * (1 - 1e-9)
    assert float(range_exceeds(q * 1.01, means, df)) <= p * (1 + 1e-9)


@pytest.mark.slow
def test_edges_and_arrays() -> None:
    q = np.array([[0.0, 1.0], [np.inf, np.nan]])
    result = range_exceeds(q, 4, 12.0)
    assert result.shape == (2, 2)
    assert (result[0, 0], result[1, 0]) == (1.0, 0.0)
    assert np.isnan(result[1, 1])
    assert result[0, 1] == pytest.approx(float(range_exceeds(1.0, 4, 12.0)))
    many = range_exceeds(np.full(700, 3.0), 3, np.append(np.full(699, 9.0), 2.0))
    assert len(set(many[:699].tolist())) == 1
    assert many[699] > many[0]
    assert range_exceeds(3.0, 3, 1e8) == pytest.approx(float(range_exceeds(3.0, 3, np.inf)), rel=1e-7)


def test_a_large_family_by_simulation() -> None:
    draws = np.random.default_rng(4).normal(size=(40_000, 40))
    share = (np.ptp(draws, axis=1) > 4.6).mean()
    assert float(range_exceeds(4.6, 40, np.inf)) == pytest.approx(share, abs=0.012)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("means", sorted({most + more for most in studentized_range.INNER for more in (0, 1)}))
def test_more_points_of_the_integral_change_no_p(means: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each number of means from which on more points are taken, and one beyond it."""
    q = np.linspace(0.05, 14, 60)
    results = [studentized_range.range_exceeds(q, means, df) for df in (5.0, np.inf)]
    points = studentized_range.inner_points(means)
    monkeypatch.setattr(studentized_range, "inner_points", lambda _: 2 * points)
    finer = [studentized_range.range_exceeds(q, means, df) for df in (5.0, np.inf)]
    np.testing.assert_allclose(results, finer, rtol=0, atol=1e-11)
