"""Shares, ordered answers and the logistic curve: what is drawn is what the counts and the fit say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats.plots import logistic_curve, ordered_answers, shares, take_caption
from negstats.plots.logistic import logistic_line
from negstats.plots.style import ONE, TWO, figure_of
from tests.plots.drawing import clashes, smallest

WALKED = pd.DataFrame({"yes": [4, 14, 7], "n": [236, 531, 226]}, index=["two prosocial", "one of each", "two proself"])
SCALE = ["Extremely dissatisfied", "Slightly dissatisfied", "Undecided", "Slightly satisfied", "Extremely satisfied"]


def test_shares_have_wilsons_intervals_and_their_counts() -> None:
    ax = shares(WALKED, label="games walked away from", unit="games")
    segments = [np.asarray(one)[:, 0] for one in ax.containers[0][2][0].get_segments()]
    # R 4: 100 * prop.test(4, 236, correct = FALSE)$conf.int
    assert segments[0] == pytest.approx([0.6610431844, 4.2761594489], rel=1e-9)
    assert [text.get_text() for text in ax.texts] == ["4 of 236", "14 of 531", "7 of 226"]
    assert clashes(ax) == []
    assert figure_of(ax).get_figwidth() == ONE
    assert take_caption(ax) == "Points are shares of 993 games; bars are 95% CIs (Wilson)."


def test_related_shares_have_no_interval() -> None:
    ax = shares(WALKED, label="walked away", confidence_level=None)
    assert not ax.containers[0][2]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("yes", [0, 10])
def test_none_and_all_are_drawn(yes: int) -> None:
    assert clashes(shares(pd.DataFrame({"yes": [yes, 5], "n": [10, 10]}, index=["a", "b"]), label="agreed")) == []


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("answers", [2, 3, 4, 5, 6, 7])
def test_answers_are_centred_on_the_middle(answers: int) -> None:
    counts = pd.DataFrame([range(1, answers + 1), range(answers, 0, -1)], index=["a", "b"])
    counts.columns = pd.Index([f"answer {place}" for place in range(answers)])
    ax = ordered_answers(counts, label="satisfaction", unit="people")
    bars = np.array([[bar.get_x(), bar.get_width()] for part in ax.containers for bar in part])
    widths = bars[:, 1].reshape(answers, 2)
    np.testing.assert_allclose(widths.T, 100 * counts.to_numpy() / counts.to_numpy().sum(axis=1, keepdims=True))
    left = bars[:, 0].reshape(answers, 2)
    half = answers // 2
    middle = left[half] + (widths[half] / 2 if answers % 2 else 0)
    np.testing.assert_allclose(middle, 0, atol=1e-9)
    hatches = [part[0].get_hatch() or "" for part in ax.containers]
    assert [bool(hatch) for hatch in hatches] == [True] * half + [False] * (answers - half)


@pytest.mark.slow
def test_long_answers_fit() -> None:
    counts = pd.DataFrame([[3, 9, 4, 38, 46], [2, 9, 5, 38, 46]], index=["prosocial", "proself"], columns=SCALE)
    ax = ordered_answers(counts, label="satisfaction", unit="people")
    take_caption(ax)
    assert clashes(ax) == []
    assert smallest(ax) >= 7
    assert figure_of(ax).get_figwidth() == TWO


X, Y = np.arange(1.0, 11), np.array([1.0, 1, 1, 0, 1, 1, 0, 0, 1, 0])


def test_the_logistic_band_is_that_of_r() -> None:
    # R: f <- glm(y ~ x, binomial); p <- predict(f, data.frame(x = c(1, 10)), se.fit = TRUE);
    # plogis(cbind(p$fit, p$fit - qnorm(.975) * p$se.fit, p$fit + qnorm(.975) * p$se.fit))
    line = logistic_line(X, Y)
    assert line is not None
    _, share, low, high = line
    assert [share[0], low[0], high[0]] == pytest.approx([0.9218743939, 0.29515271301, 0.9970015909], rel=1e-5)
    assert [share[-1], low[-1], high[-1]] == pytest.approx([0.2016204650, 0.01655111942, 0.7912072524], rel=1e-5)


@pytest.mark.slow
def test_every_unit_is_a_mark_and_the_curve_ends_at_the_data() -> None:
    ax = logistic_curve(pd.DataFrame({"x": X, "y": Y}), x="x", y="y", labels=("price", "agreed"), unit="games")
    strips = [len(np.asarray(one.get_offsets())) for one in ax.collections if one.get_label() == "_marks"]
    assert strips == [6, 4]
    (curve,) = [line for line in ax.lines if line.get_label() == "_curve"]
    assert (np.min(curve.get_xdata()), np.max(curve.get_xdata())) == (1, 10)
    caption = take_caption(ax)
    assert "each of 10 games" in caption
    assert "shares at each value with 95% CI (Wilson)" in caption
    assert clashes(ax) == []


@pytest.mark.slow
def test_separation_has_no_curve() -> None:
    separated = (X > 5).astype(float)
    assert logistic_line(X, separated) is None
    ax = logistic_curve(pd.DataFrame({"x": X, "y": separated}), x="x", y="y", labels=("price", "agreed"))
    assert "No curve" in take_caption(ax)
