"""Forecasts by turn: what is known to scikit-learn, folds without leaks, and talk that says something or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.estimate.forecast import (
    Forecast,
    area_under_curve,
    count_features,
    cross_validate,
    fit_ridge,
    forecast,
    link_games,
)


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
    chain = pd.DataFrame({"game_id": ["a", "a", "b", "b", "c", "d"], "participant_id": ["1", "2", "1", "3", "3", None]})
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
    table = found.calibration(6)
    assert table["games"].tolist() == [60] * 5
    assert found.calibration(6, bins=1)[["games", "share"]].to_numpy().tolist() == [
        [300, found.predictions["outcome"].mean()]
    ]
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
    assert table.index.equals(pd.RangeIndex(len(table))), "a row of each game and turn has its own number"
    assert table.groupby("turn").size()[3] == 40
    assert table.groupby("turn").size()[4] == short["game_id"][short["message"] == 4].nunique() < 40


def test_two_folds_and_one_resample_are_the_fewest() -> None:
    assert forecast(*talks(10, 1.0), turns=[2], seed=1, folds=2, n_resamples=1).n_resamples == 1


def test_scores_are_those_of_the_definition() -> None:
    """Groups with Brier scores of .1 and .3: of two drawn groups both, one each, or both the other, 1 : 2 : 1."""
    errors = np.sqrt([0.1, 0.1, 0.3, 0.3])
    table = pd.DataFrame({"turn": 1, "group": ["a", "a", "b", "b"], "outcome": [1, 0, 1, 0]})
    table["probability"] = np.where(table["outcome"] == 1, 1 - errors, errors)
    score = Forecast(table.assign(base=0.5), 0.6, 999, 1).summary().iloc[0]
    assert score[["games", "groups"]].tolist() == [4, 2]
    assert score[["brier", "brier_low", "brier_high"]].tolist() == pytest.approx([0.2, 0.1, 0.3])
    narrow = Forecast(table.assign(base=0.5), 0.4, 999, 1).summary().iloc[0]
    assert narrow[["brier_low", "brier_high"]].tolist() == pytest.approx([0.2, 0.2])
    assert score["skill"] == pytest.approx(1 - 0.2 / 0.25)
    # Of the pairs of a yes and a no only the two of group b, with .452 and .548, are the wrong way round.
    assert score[["auc", "auc_low", "auc_high"]].tolist() == pytest.approx([0.75, 0, 1])


def test_features_are_counts_up_to_the_turn() -> None:
    rows = [("g", 1, "A", "is it 12 or 5?", "x"), ("g", 2, "B", "no!", "x"), ("g", 3, "B", "what? why?", "x"),
            ("h", 1, "A", "", "x"), ("h", 2, "A", "yes", "x"), ("i", 1, "A", "short", "x")]  # fmt: skip
    spoken = pd.DataFrame(rows, columns=["game_id", "turn", "sender", "text", "act"])
    table = count_features(spoken, 2)
    assert table.index.tolist() == ["g", "h"]
    logged = np.expm1(table[["words", "questions", "numbers", "exclamations"]])
    np.testing.assert_allclose(logged, [[6, 1, 2, 1], [1, 0, 0, 0]])
    assert table["imbalance"].tolist() == pytest.approx([5 / 6, 1])
    assert count_features(spoken, 1).loc["h", "imbalance"] == 0  # nobody has said a word


def test_a_model_without_information_forecasts_the_base_rate_and_units_change_nothing() -> None:
    rng = np.random.default_rng(1)
    yes, fold = (rng.random(40) < 0.3).astype(float), np.arange(40) % 4
    nothing = np.ones((40, 2))
    probability, base = cross_validate(nothing, yes, fold)
    np.testing.assert_allclose(base, [yes[fold != own].mean() for own in fold])
    np.testing.assert_allclose(probability, base, atol=1e-4)
    features = rng.normal(size=(40, 2)) + yes[:, None]
    once, _ = cross_validate(features, yes, fold)
    again, _ = cross_validate(7 + 3 * features, yes, fold)
    np.testing.assert_allclose(once, again, atol=1e-4)
    out = fold == 0
    scaled = (features - features[~out].mean(axis=0)) / features[~out].std(axis=0)
    weights = fit_ridge(scaled[~out], yes[~out])
    np.testing.assert_allclose(once[out], 1 / (1 + np.exp(-weights[0] - scaled[out] @ weights[1:])))


@given(st.integers(0, 2**32 - 1))
def test_weights_are_where_the_penalised_likelihood_is_flat(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features, yes = rng.normal(size=(30, 3)), np.r_[0.0, 1.0, rng.integers(0, 2, 28)]
    weights = fit_ridge(features, yes)
    error = yes - 1 / (1 + np.exp(-weights[0] - features @ weights[1:]))
    np.testing.assert_allclose([error.sum(), *(features.T @ error - weights[1:])], 0, atol=2e-3)


def test_games_without_an_outcome_do_not_count() -> None:
    messages, players, outcome = talks(40, 1.0)
    known = outcome.astype("boolean").mask(outcome.index == "g3")
    found = forecast(messages, players[players["game_id"] != "g5"], known, turns=[2], seed=1, n_resamples=9)
    assert set(outcome.index) - set(found.predictions["game_id"]) == {"g3", "g5"}
