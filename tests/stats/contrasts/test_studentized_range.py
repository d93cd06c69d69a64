"""Tukey's p and intervals, from scipy's studentized range, against R's ptukey and qtukey, Student's t, and simulation.

To 1e-11 scipy's tail is exact; a smaller p is only known to lie between that of the pair alone and Bonferroni's. From
100,000 degrees of freedom on scipy takes the variance as known, which changes a p above .0001 by at most one part in
a thousand.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.stats.contrasts.contrast import Family, adjusted_p, critical_t

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
EXACT = 1e-11


def all_pairs(means: int) -> Family:
    return Family(means * (means - 1) // 2, means - 1, means)


def tails(q: object, means: int, df: object) -> np.ndarray:
    """Return Tukey's p of pairs of so many means at values of the studentized range."""
    t, free = np.broadcast_arrays(np.asarray(q, dtype=float) / np.sqrt(2), np.asarray(df, dtype=float))
    return np.asarray(adjusted_p("tukey", t, free, pair_alone(t, free), all_pairs(means)))


def pair_alone(t: np.ndarray, df: np.ndarray) -> np.ndarray:
    return np.asarray(2 * stats.t.sf(np.abs(t), df))


@pytest.mark.parametrize(("q", "means", "df", "p"), R_TAIL)
def test_tail_agrees_with_r(q: float, means: int, df: float, p: float) -> None:
    assert float(tails(q, means, df)) == pytest.approx(p, abs=1e-7 if means == 50 else 1e-9)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(("means", "df", "end"), R_ENDS)
def test_ends_agree_with_r(means: int, df: float, end: float) -> None:
    result = float(np.sqrt(2) * critical_t("tukey", 0.95, df, all_pairs(means)))
    assert result == pytest.approx(end, abs=1e-6)  # as exact as qtukey is said to be, or better
    assert float(tails(result, means, df)) == pytest.approx(0.05, rel=1e-10)


@given(st.floats(1e-3, 1e3), st.floats(1.0, 1e7))
def test_the_range_of_two_means_is_students_t(q: float, df: float) -> None:
    exact = float(pair_alone(np.asarray(q / np.sqrt(2)), np.asarray(df)))
    assert float(tails(q, 2, df)) == pytest.approx(exact, rel=2e-11, abs=1e-290)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.floats(1e-2, 60), st.integers(2, 60), st.one_of(st.floats(1.0, 1e4), st.just(float("inf"))))
def test_between_one_pair_and_all_pairs_one_by_one(q: float, means: int, df: float) -> None:
    p, single = float(tails(q, means, df)), float(pair_alone(np.asarray(q / np.sqrt(2)), np.asarray(df)))
    assert single * (1 - 1e-9) <= p <= min(1.0, means * (means - 1) / 2 * single) * (1 + 1e-9) + 1e-300
    assert float(tails(q, means + 1, df)) >= p * (1 - 1e-9) - EXACT
    assert float(tails(q * 1.01, means, df)) <= p * (1 + 1e-9) + EXACT


@pytest.mark.slow
def test_edges_and_arrays() -> None:
    q = np.array([[0.0, 1.0], [np.inf, np.nan]])
    result = tails(q, 4, 12.0)
    assert result.shape == (2, 2)
    assert (result[0, 0], result[1, 0]) == (1.0, 0.0)
    assert np.isnan(result[1, 1])
    assert result[0, 1] == pytest.approx(float(tails(1.0, 4, 12.0)))
    many = tails(np.full(700, 3.0), 3, np.append(np.full(699, 9.0), 2.0))
    assert len(set(many[:699].tolist())) == 1
    assert many[699] > many[0]
    assert float(tails(3.0, 3, 1e8)) == pytest.approx(float(tails(3.0, 3, np.inf)), rel=1e-7)


@pytest.mark.parametrize(("q", "means"), [(1.0, 3), (3.5, 3), (5.9, 3), (6.0, 10)])
def test_where_the_variance_is_taken_as_known_p_hardly_moves(q: float, means: int) -> None:
    just_below, from_there_on = (float(tails(q, means, df)) for df in (99_999.0, 100_000.0))
    assert from_there_on != just_below
    assert from_there_on == pytest.approx(just_below, rel=1e-3)


@pytest.mark.parametrize(("q", "means", "df"), [(0.01, 4, 7171.0), (0.15, 10, 30_338.0), (0.017, 6, 49_714.0)])
def test_of_means_that_hardly_differ_p_is_near_1_without_a_warning(q: float, means: int, df: float) -> None:
    """So near to one another they lie with a chance of k ∫ φ (q φ)^(k−1) but for powers of q, since s is nearly 1."""
    chance = np.sqrt(means) * (q / np.sqrt(2 * np.pi)) ** (means - 1)
    assert 1 - float(tails(q, means, df)) == pytest.approx(chance, rel=0.02, abs=1e-9)


def test_a_large_family_by_simulation() -> None:
    draws = np.random.default_rng(4).normal(size=(40_000, 40))
    share = (np.ptp(draws, axis=1) > 4.6).mean()
    assert float(tails(4.6, 40, np.inf)) == pytest.approx(share, abs=0.012)
