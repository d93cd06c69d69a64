"""Meta-analysis against R's metafor; properties and edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.errors import DesignError, NotEstimable
from negstats.stats import meta_analysis
from tests.conftest import reference, runs

R: dict[str, Any] = reference("together")


def agree(ours: Any, theirs: Any, tolerance: float = 1e-8) -> None:
    np.testing.assert_allclose(np.ravel(ours), np.ravel(theirs).astype(float), rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("case", R["meta"], ids=lambda case: f"{len(case['y'])} studies")
def test_it_agrees_with_metafor(case: dict[str, Any]) -> None:
    result = meta_analysis(case["y"], case["v"])
    agree(
        [result.tau2, result.estimate, result.se, result.p], [case[name] for name in ("tau2", "mean", "se", "p")], 1e-7
    )
    agree([result.q, result.q_p, 100 * result.i2], [case["q"], case["q_p"], case["i2"]], 1e-7)
    ends, ahead = result.confidence_interval(), result.prediction_interval()
    agree([ends.low, ends.high], [case["low"], case["high"]], 1e-7)
    agree([ahead.low, ahead.high], [case["pi_low"], case["pi_high"]], 1e-7)
    tau2 = result.tau2_interval()
    agree([tau2.low, tau2.high], [case["tau_low"], case["tau_high"]], 1e-6)
    plain = meta_analysis(case["y"], case["v"], test="z")
    agree([plain.se, plain.p], [case["plain"], case["z_p"]], 1e-7)
    fixed = meta_analysis(case["y"], case["v"], model="fixed")
    agree([fixed.estimate, fixed.se], [case["fixed"], case["fixed_se"]])


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_order_and_units_change_nothing_and_the_score_is_zero(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, v = rng.normal(0, rng.choice([0.05, 0.5, 3]), 8), rng.uniform(0.01, 0.3, 8)
    order = rng.permutation(8)
    one, two = meta_analysis(y, v), meta_analysis(3 * y[order] + 7, 9 * v[order])
    agree([two.tau2, two.estimate, two.se, two.i2], [9 * one.tau2, 3 * one.estimate + 7, 3 * one.se, one.i2], 1e-6)
    agree(one.weights.sum(), 1)
    # a turn of the published fixed point leaves tau squared where it is
    w = 1 / (v + one.tau2)
    mu = w @ y / w.sum()
    again = max(0.0, float((w**2) @ ((y - mu) ** 2 - v) / (w**2).sum() + 1 / w.sum()))
    agree(again, one.tau2, 1e-7)


def test_what_it_refuses_and_says() -> None:
    with pytest.raises(NotEstimable, match="1 study; combining needs two"):
        meta_analysis([0.3], [0.1])
    with pytest.raises(DesignError, match=r"study 2 has the effect 0\.4 and the variance 0"):
        meta_analysis([0.3, 0.4], [0.1, 0])
    with pytest.raises(DesignError, match="2 different names"):
        meta_analysis([0.3, 0.4], [0.1, 0.1], studies=["a", "a"])
    with pytest.raises(NotEstimable, match="give test='z'"):
        meta_analysis([0.3, 0.3], [0.1, 0.1])
    with pytest.raises(NotEstimable, match="a prediction needs three"):
        meta_analysis([0.3, 0.5], [0.1, 0.1]).prediction_interval()
    with pytest.raises(DesignError, match="a fixed model has one effect"):
        meta_analysis([0.3, 0.5, 0.1], [0.1, 0.1, 0.1], model="fixed").prediction_interval()
    narrow = meta_analysis([0.3, 0.31, 0.29], [0.1, 0.1, 0.1])
    assert "narrower" in narrow.note
    frame = narrow.to_frame()
    assert frame["kind"].to_list() == ["study"] * 3 + ["mean", "prediction"]


@pytest.mark.calibration
def test_coverage_of_hartung_and_knapp_beside_z() -> None:
    rng, times = np.random.default_rng(6), runs(10_000, 150)
    inside = {"hartung-knapp": 0, "z": 0}
    for _ in range(times):
        v = rng.uniform(0.02, 0.2, 6)
        y = rng.normal(0.3, np.sqrt(0.1 + v))
        for test in ("hartung-knapp", "z"):
            inside[test] += 0.3 in meta_analysis(y, v, test=test).confidence_interval()
    slack = 3 * np.sqrt(0.95 * 0.05 / times)
    assert abs(inside["hartung-knapp"] / times - 0.95) < slack + 0.01
    assert inside["z"] / times < 0.93


@pytest.mark.parametrize("value", [0.2, 0.1 + 0.2, 1e9, -1e-9])
def test_equal_effects_have_no_spread(value: float) -> None:
    with pytest.raises(NotEstimable, match="all effects are equal"):
        meta_analysis([value] * 3, [0.04, 0.025, 0.09])
    assert meta_analysis([value] * 3, [0.04, 0.025, 0.09], test="z").q == 0


@pytest.mark.parametrize("tau2", [1e-7, 1e-6, 0.25])
def test_a_small_heterogeneity_of_equal_variances_is_what_their_spread_is_beyond_them(tau2: float) -> None:
    """With equal variances v the restricted likelihood is highest at s² − v, however close that is to 0."""
    result = meta_analysis([-1.0, 0.0, 1.0], [1 - tau2] * 3)
    assert result.tau2 == pytest.approx(tau2, rel=1e-6)
    assert meta_analysis([-1.0, 0.0, 1.0], [1 + tau2] * 3).tau2 == 0
