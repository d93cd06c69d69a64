"""Roots against scipy.optimize.elementwise, which the tests may take their time to import."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from scipy.optimize import elementwise

from negstats.stats.results.noncentral import t_noncentrality
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.roots import bracket, find_root

AREA = 0.025


def below(nc: FloatArray, t: FloatArray, df: FloatArray) -> FloatArray:
    return np.asarray(special.nctdtr(df, nc, t) - AREA)


def chi2_below(nc: FloatArray, x: FloatArray, df: FloatArray) -> FloatArray:
    return np.asarray(special.chndtr(x, df, nc) - AREA)


def test_noncentral_t_to_the_last_digit() -> None:
    rng = np.random.default_rng(3)
    args = rng.uniform(0, 12, 500), rng.integers(2, 90, 500).astype(np.float64)
    left, right = args[0] - 0.5, args[0] + 1
    theirs = elementwise.bracket_root(below, left, right, args=args).bracket
    ours = bracket(below, left, right, args)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(find_root(below, *ours, args), elementwise.find_root(below, theirs, args=args).x)


def test_left_ends_that_stay_to_the_last_digit() -> None:
    rng = np.random.default_rng(4)
    df = rng.integers(1, 9, 200).astype(np.float64)
    args = rng.uniform(5, 60, 200), df
    left, right = np.zeros(200), np.full(200, 0.25)
    theirs = elementwise.bracket_root(chi2_below, left, right, xmin=0.0, args=args).bracket
    ours = bracket(chi2_below, left, right, args, leftwards=False)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(
        find_root(chi2_below, *ours, args), elementwise.find_root(chi2_below, theirs, args=args).x
    )


@pytest.mark.slow
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_the_root_is_found_from_any_first_interval(roots: list[float]) -> None:
    def cube(x: FloatArray, root: FloatArray) -> FloatArray:
        return np.asarray((x - root) + np.tanh(x - root))

    args = (np.array(roots),)
    low, high = bracket(cube, np.zeros(len(roots)), np.ones(len(roots)), args)
    assert np.all((low <= args[0]) & (args[0] <= high))
    np.testing.assert_allclose(find_root(cube, low, high, args), args[0], rtol=1e-14, atol=1e-14)


def test_no_root_is_nan_and_stops() -> None:
    def positive(x: FloatArray) -> FloatArray:
        return np.asarray(np.exp(-np.abs(x)) + 1)

    low, high = bracket(positive, np.array([-1.0]), np.array([1.0]))
    assert (low.tolist(), high.tolist()) == ([-1.0], [1.0])
    assert np.isnan(find_root(positive, low, high)).all()
    assert find_root(positive, np.array([]), np.array([])).shape == (0,)


def test_where_the_distribution_has_no_value_is_no_root() -> None:
    def from_zero(x: FloatArray) -> FloatArray:
        return np.where(x < 0, np.nan, x + 1)

    assert np.isnan(find_root(from_zero, np.array([-1.0]), np.array([2.0]))).all()


@pytest.mark.parametrize(
    ("t", "df", "confidence_level"), [(95.71088868682659, 2, 0.999), (16.550553729707293, 2, 0.999), (22.2, 2, 0.9)]
)
def test_ends_beyond_where_the_series_of_the_noncentral_t_ends(t: float, df: float, confidence_level: float) -> None:
    low, high = t_noncentrality([t, -t], df, confidence_level)
    assert low[0] < t < high[0]
    assert (low[1], high[1]) == (-high[0], -low[0])
    assert special.nctdtr(df, high[0], t) == pytest.approx((1 - confidence_level) / 2, rel=1e-9)
    assert special.nctdtr(df, -low[0], -t) == pytest.approx((1 - confidence_level) / 2, rel=1e-9)


@pytest.mark.parametrize("t", [3001.0, 2e4, 1e7])
@pytest.mark.parametrize("df", [5.0, 40.0])
def test_ends_of_very_large_t_have_the_chances_that_they_say(t: float, df: float) -> None:
    """P(T >= t) is the mean over normal Z of the chance that χ²/df is at most ((δ + Z)/t)²."""
    z, weight = np.polynomial.hermite_e.hermegauss(60)
    weight = weight / weight.sum()
    low, high = (float(end) for end in t_noncentrality(t, df))
    at_least = weight @ stats.chi2.cdf(df * ((low + z) / t) ** 2, df)
    at_most = weight @ stats.chi2.sf(df * ((high + z) / t) ** 2, df)
    np.testing.assert_allclose([at_least, at_most], 0.025, rtol=1e-9)
