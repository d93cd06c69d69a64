"""Intervals of noncentralities at the ends of their range, against the distribution itself."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import special, stats

from negstats.stats.results.intervals import t_noncentrality


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


@pytest.mark.slow
def test_scipy_optimize_is_imported_with_the_first_interval_of_an_effect_size_only() -> None:
    """It takes as long to import as a third of a command's libraries, so loading, describing and testing do without."""
    code = """
import sys, negstats
import negstats.analysis.compare, negstats.stats.contrasts.contrast, negstats.stats.models.mixed_model
negstats.load("datasets/sample").players
test = negstats.stats.t_test({"a": [5.0, 7, 6, 9], "b": [4.0, 4, 6, 3]})
print(test.p < 1, test.confidence_interval().low < test.difference, "scipy.optimize" in sys.modules)
test.effect_size().confidence_interval()
print("scipy.optimize" in sys.modules)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.stdout.split() == ["True", "True", "False", "True"], process.stderr
