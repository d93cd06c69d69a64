"""Two numbers: the marks are the rows, and the line or curve that of the test that was fitted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats import plots
from negstats.plots.logistic import FittedLogOdds, logistic_curve, logistic_line
from negstats.plots.relation import line_with_band, relation
from negstats.plots.residuals import residual_quantiles
from negstats.stats import logistic
from tests.plots.drawing import clashes, key_of


def test_the_band_is_that_of_r() -> None:
    # R: x <- 0:3; y <- c(0,1,2,4); predict(lm(y~x), data.frame(x=c(0,3)), interval="confidence")
    band = line_with_band(np.array([0.0, 1, 2, 3]), np.array([0.0, 1, 2, 4]))
    assert band is not None
    _, mean, low, high = band
    assert [mean[0], low[0], high[0]] == pytest.approx([-0.2, -1.594218833, 1.194218833], rel=1e-9)
    assert [mean[-1], low[-1], high[-1]] == pytest.approx([3.7, 2.305781167, 5.094218833], rel=1e-9)


@given(st.integers(0, 10_000), st.floats(-5, 5))
def test_a_constant_moves_the_band_and_changes_nothing_else(seed: int, constant: float) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, 9))
    one, other = line_with_band(x, y), line_with_band(x, y + constant)
    assert one is not None
    assert other is not None
    for before, after in zip(one[1:], other[1:], strict=True):
        assert after == pytest.approx(before + constant, abs=1e-9)


@pytest.mark.parametrize("x", [[1.0, 1, 1, 1], [1.0, 2]])
def test_where_no_line_is_determined_there_is_none(x: list[float]) -> None:
    assert line_with_band(np.array(x), np.arange(len(x), dtype=float)) is None


@pytest.mark.slow
def test_each_group_has_its_points_its_line_and_its_n() -> None:
    table = pd.DataFrame({"x": [1, 2, 3, 4, 1, 2, 3, None], "y": range(8), "by": list("aaaabbbb")})
    ax = relation(table, x="x", y="y", by="by", labels=("x (points)", "y"), caption="what it shows")
    assert key_of(ax) == ["a (n = 4)", "b (n = 3)"]
    assert len(ax.lines) == 2
    assert len(ax.collections) == 4
    assert len(relation(table, x="x", y="y", by="by", labels=("x", "y"), banded=False).collections) == 2
    assert clashes(ax) == []


@pytest.mark.slow
def test_quantiles_and_band_are_those_of_r() -> None:
    # R: i <- 1:4; qnorm(qbeta(.5, i, 5-i)); qnorm(qbeta(.025, i, 5-i))
    residuals = np.array([3.0, -1.0, 0.5, -2.5])
    ax = residual_quantiles(residuals, label="residual")
    drawn = np.asarray(ax.collections[-1].get_offsets())
    assert drawn[:, 0] == pytest.approx([-0.9981488825, -0.2904720422, 0.2904720422, 0.9981488825], rel=1e-9)
    assert drawn[:, 1].tolist() == sorted(residuals)
    low = residuals.mean() + residuals.std(ddof=1) * np.array(
        [-2.4943465811, -1.4940139507, -0.8628118926, -0.2594724594]
    )
    corners = np.asarray(ax.collections[0].get_paths()[0].vertices)
    for value in low:
        assert np.min(np.abs(corners[:, 1] - value)) < 1e-8
    assert clashes(ax) == []


def test_whole_numbers_alone_stand_along_an_axis_of_rounds() -> None:
    rounds = pd.DataFrame({"round": [0, 1, 2, 0, 1, 2], "points": [3.0, 4, 5, 4, 6, 7]})
    shares = rounds.assign(round=rounds["round"] / 8)
    for table, are_whole in ((rounds, True), (shares, False)):
        ax = relation(table, x="round", y="points", labels=("round", "points"))
        low, high = ax.get_xlim()
        ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
        assert len(ticks) >= 3
        assert all(float(tick).is_integer() for tick in ticks) == are_whole


def test_sizes_in_the_key_have_commas() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"x": rng.normal(size=2400), "y": rng.normal(size=2400), "g": ["a", "b"] * 1200})
    ax = relation(table, x="x", y="y", by="g", labels=("x", "y"))
    assert key_of(ax) == ["a (n = 1,200)", "b (n = 1,200)"]


RATED = pd.DataFrame({"points": range(10, 30), "satisfaction": [1, 2, 2, 3, 3, 3, 4, 4, 5, 5] * 2})
SOLD = pd.DataFrame({"price": np.arange(1.0, 21), "agreed": [1, 1, 1, 0, 1, 1, 0, 0, 1, 0] * 2})


@pytest.mark.parametrize("lined", [True, False])
def test_a_rank_test_has_marks_and_no_line(lined: bool) -> None:
    ax = relation(RATED, x="points", y="satisfaction", labels=("points", "satisfaction"), lined=lined)
    assert bool(ax.lines) == lined
    caption = plots.take_caption(ax)
    assert ("least squares" in caption) == lined
    assert ("no line, as ranks are tested" in caption) != lined


def test_a_model_that_was_fitted_elsewhere_draws_its_own_curve() -> None:
    """Of the same logistic regression, its number centred, the curve and its band are those of the rows' own fit."""
    x, y = SOLD["price"].to_numpy(), SOLD["agreed"].to_numpy(dtype=float)
    centre = float(x.mean())
    fit = logistic({"x": x - centre, "y": y}, "y ~ x")
    fitted = FittedLogOdds("estimating equations", fit.estimate, fit.covariance, centre)
    own = logistic_line(x, y)
    assert own is not None
    for one, two in zip(fitted.line(own[0], 0.95), own, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6)
    ax = logistic_curve(SOLD, x="price", y="agreed", labels=("price", "agreed"), fitted=fitted)
    assert "Curve: estimating equations" in plots.take_caption(ax)


def test_a_model_without_a_curve_over_the_number_has_none() -> None:
    ax = logistic_curve(SOLD, x="price", y="agreed", labels=("price", "agreed"), curved=False)
    assert not [line for line in ax.lines if line.get_label() == "_curve"]
    assert "No curve: the model that was tested has none over this number alone" in plots.take_caption(ax)
