"""Forecasts by turn: what is known to scikit-learn, folds without leaks, and talk that says something or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import DesignError, UsageError
from negstats.estimate.forecast import area_under_curve, fit_ridge, forecast, link_games


def talks(games: int, says: float, seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series[Any]]:
    """Return games of six utterances whose questions say (`says` > 0) how they end; two games share each person."""
    rng = np.random.default_rng(seed)
    yes = rng.random(games) < 0.5
    rows, seats = [], []
    for game in range(games):
        for number in range(1, 7):
            questions = rng.poisson(1 + says * yes[game])
            text = " ".join(["word"] * int(rng.integers(2, 9)) + ["?"] * int(questions))
            rows.append((f"g{game}", number, "AB"[number % 2], text, None))
        seats += [(f"g{game}", seat, f"p{game // 2}{seat}") for seat in "AB"]
    messages = pd.DataFrame(rows, columns=["game_id", "message", "sender", "text", "act"])
    players = pd.DataFrame(seats, columns=["game_id", "player", "participant_id"])
    return messages, players, pd.Series(yes, index=[f"g{game}" for game in range(games)])


def test_linked_games_are_never_apart() -> None:
    messages, players, outcome = talks(60, 0.5)
    table = forecast(messages, players, outcome, turns=[2, 4], seed=1, n_resamples=9).predictions
    assert table["group"].nunique() == 30
    assert (table.groupby("group")["fold"].nunique() == 1).all()
    assert table.groupby("turn").size().tolist() == [60, 60]
    chain = pd.DataFrame({"game_id": ["a", "a", "b", "b", "c", "d"], "participant_id": ["1", "2", "2", "3", "3", None]})
    assert link_games(chain) == {"a": "a", "b": "a", "c": "a", "d": "d"}


@pytest.mark.slow
def test_talk_that_says_something_is_heard_later_better() -> None:
    found = forecast(*talks(200, 1.5), turns=[1, 6], seed=1, n_resamples=199).summary().set_index("turn")
    assert found["auc"][6] > found["auc"][1] > 0.6
    assert found["auc_low"][6] > 0.75
    assert found["skill"][6] > 0.2
    assert (found["auc_low"] < found["auc"]).all()
    assert (found["brier_high"] > found["brier"]).all()


@pytest.mark.slow
def test_talk_that_says_nothing_forecasts_nothing() -> None:
    """Over studies: the mean area is near one half and the skill is not above 0."""
    tables = [forecast(*talks(80, 0, seed), turns=[4], seed=1, n_resamples=19).summary() for seed in range(12)]
    table = pd.concat(tables)
    assert table["auc"].mean() == pytest.approx(0.5, abs=0.08)
    assert table["skill"].mean() < 0.02


def test_shares_follow_probabilities() -> None:
    found = forecast(*talks(300, 1.0), turns=[6], seed=1, n_resamples=9)
    table = found.calibration(6, bins=5)
    assert table["games"].tolist() == [60] * 5
    assert table["probability"].is_monotonic_increasing
    assert ((table["low"] <= table["share"]) & (table["share"] <= table["high"])).all()
    assert np.abs(table["share"] - table["probability"]).max() < 0.2


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=30))
def test_the_area_counts_pairs_of_a_yes_and_a_no(rows: list[tuple[bool, int]]) -> None:
    yes, guesses = np.array(rows, dtype=float).T
    pairs = [(a > b) + (a == b) / 2 for a in guesses[yes == 1] for b in guesses[yes == 0]]
    assert area_under_curve(yes, guesses / 6) == pytest.approx(np.mean(pairs) if pairs else np.nan, nan_ok=True)


@pytest.mark.slow
def test_weights_and_area_are_those_of_scikit_learn() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    features = rng.normal(size=(80, 3))
    yes = (rng.random(80) < 1 / (1 + np.exp(-features[:, 0]))).astype(float)
    weights = fit_ridge(features, yes)
    theirs = linear_model.LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(features, yes)
    np.testing.assert_allclose(weights, [theirs.intercept_[0], *theirs.coef_[0]], atol=1e-4)
    guesses = np.round(rng.random(80), 1)
    assert area_under_curve(yes, guesses) == pytest.approx(metrics.roc_auc_score(yes, guesses))


def test_only_talks_that_have_come_so_far_count() -> None:
    messages, players, outcome = talks(40, 1.0)
    short = messages[(messages["message"] <= 3) | (messages["game_id"] > "g2")]
    table = forecast(short, players, outcome, turns=[3, 4], seed=1, n_resamples=9).predictions
    assert table.groupby("turn").size()[3] == 40
    assert table.groupby("turn").size()[4] == short["game_id"][short["message"] == 4].nunique() < 40


def test_refusals() -> None:
    messages, players, outcome = talks(10, 1.0)
    with pytest.raises(UsageError, match=r"turns is \[0\]"):
        forecast(messages, players, outcome, turns=[0], seed=1)
    with pytest.raises(DesignError, match="after turn 2 there are fewer than two groups"):
        forecast(messages, players, outcome | True, turns=[2], seed=1)
    found = forecast(messages, players, outcome, turns=[2], seed=1, n_resamples=9)
    with pytest.raises(UsageError, match="give turns as 2 and at least 1 bin"):
        found.calibration(3)
