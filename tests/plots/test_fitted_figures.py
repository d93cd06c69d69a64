"""Figures follow the fitted test: no line where ranks are tested, and the curve of the model that was fitted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats import plots
from negstats.plots.logistic import FittedLogOdds, logistic_curve, logistic_line
from negstats.plots.relation import relation
from negstats.stats import logistic

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
