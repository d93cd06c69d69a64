"""How often the intervals of a tournament hold the truth, and what "A before B in x % of draws" is worth.

Three strategies with known mean payoffs meet in scenarios that are drawn: each has an effect on all payoffs (SD .15)
and on each payoff of its own (SD .1), and each game some noise (SD .05); normal effects, or exponential ones.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from negstats.estimate import Tournament, tournament
from negstats.games import normal_form
from tests.conftest import runs

pytestmark = [pytest.mark.slow, pytest.mark.calibration]

Effects = Literal["normal", "exponential"]
Floats = npt.NDArray[np.float64]

NAMES = ("a", "b", "c")
MEANS = np.array([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.45]])  # scores of a and b are equal
REGRETS = normal_form.profile_regret(MEANS)[range(3), range(3)]
PAIRS = [(i, j) for i in range(3) for j in range(i, 3)]


@cache
def frames(scenarios: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return games and players without points: each pairing once a scenario."""
    games = [(f"g{s:03d}{i}{j}", f"s{s:03d}") for s in range(scenarios) for i, j in PAIRS]
    seats = [
        (f"g{s:03d}{i}{j}", seat, NAMES[own])
        for s in range(scenarios)
        for i, j in PAIRS
        for seat, own in (("A", i), ("B", j))
    ]
    return pd.DataFrame(games, columns=["game_id", "scenario"]), pd.DataFrame(
        seats, columns=["game_id", "player", "agent"]
    )


def draw(rng: np.random.Generator, scenarios: int, effects: Effects, means: Floats = MEANS) -> Tournament:
    """Return a tournament over scenarios that are drawn."""

    def effect(*shape: int) -> Floats:
        return rng.normal(size=shape) if effects == "normal" else rng.exponential(size=shape) - 1

    own = means + 0.15 * effect(scenarios, 1, 1) + 0.1 * effect(scenarios, 3, 3)
    points = np.stack([[own[:, i, j], own[:, j, i]] for i, j in PAIRS]).transpose(2, 0, 1).ravel()
    games, players = frames(scenarios)
    players = players.assign(points=points + 0.05 * rng.normal(size=len(points)))
    return tournament({"games": games, "players": players}, seed=int(rng.integers(2**31)), n_resamples=499)


def share(estimate: Tournament) -> float:
    """Return the share of draws in which a is before b."""
    return float(estimate.order().to_numpy()[0, 1])


def near(rate: float, expected: float, studies: int, least: float = 0.012) -> bool:
    return abs(rate - expected) < max(least, 4 * float(np.sqrt(expected * (1 - expected) / studies)))


@pytest.mark.parametrize(
    ("scenarios", "effects", "payoff", "score", "regret"),
    [
        (4, "normal", 0.867, 0.871, 0.868),
        (10, "normal", 0.948, 0.945, 0.949),
        (20, "normal", 0.947, 0.946, 0.934),
        (50, "normal", 0.952, 0.959, 0.939),
        (10, "exponential", 0.916, 0.903, 0.936),
        (50, "exponential", 0.941, 0.945, 0.943),
    ],
)
def test_intervals_cover(
    scenarios: int, effects: Effects, payoff: float, score: float, regret: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module("negstats.estimate.tournament")
    monkeypatch.setattr(module, "RATED", 2)  # Nash averages cost most, and are not looked at
    rng, studies = np.random.default_rng([28, scenarios]), runs(600, 6)
    hits = np.zeros(3)
    for _ in range(studies):
        estimate = draw(rng, scenarios, effects)
        means, ranking = estimate.payoffs(), estimate.ranking().set_index("strategy").loc[list(NAMES)]
        truths = (MEANS.ravel(), MEANS.mean(axis=1), REGRETS)
        ends = (("low", "high", means), ("low", "high", ranking), ("regret_low", "regret_high", ranking))
        for place, (truth, (low, high, table)) in enumerate(zip(truths, ends, strict=True)):
            hits[place] += np.mean((table[low] <= truth) & (truth <= table[high]))
    print(scenarios, effects, (hits / studies).round(3).tolist())
    assert all(near(hit / studies, one, studies) for hit, one in zip(hits, (payoff, score, regret), strict=True))


@pytest.mark.parametrize(("scenarios", "beyond"), [(10, 0.097), (20, 0.075), (50, 0.062)])
def test_the_share_of_draws_of_two_equal_strategies(scenarios: int, beyond: float) -> None:
    """Were it uniform, it would be beyond 2.5 or 97.5 % in 5 % of tournaments."""
    rng, studies = np.random.default_rng([29, scenarios]), runs(1_000, 6)
    shares = np.array([share(draw(rng, scenarios, "normal")) for _ in range(studies)])
    print(scenarios, shares.mean().round(3), np.mean(np.abs(shares - 0.5) > 0.475).round(3))
    assert near(float(shares.mean()), 0.5, studies)
    assert near(float(np.mean(np.abs(shares - 0.5) > 0.475)), beyond, studies)


def test_the_share_of_draws_is_how_often_the_order_is_true() -> None:
    """Of strategies whose true difference is drawn too: of the orders in 80 % of draws, about 80 % are true."""
    rng, studies = np.random.default_rng(30), runs(1_000, 6)
    shares, truths = np.zeros(studies), np.zeros(studies, dtype=bool)
    for study in range(studies):
        difference = rng.normal() * 0.1
        means = MEANS + difference * np.array([[0.5], [-0.5], [0.0]])
        shares[study] = share(draw(rng, 20, "normal", means))
        truths[study] = difference > 0
    stated = np.where(shares > 0.5, shares, 1 - shares)  # of the order that the draws favour
    right = np.where(shares > 0.5, truths, ~truths)
    for low, high in ((0.5, 0.7), (0.7, 0.9), (0.9, 0.99), (0.99, 1.01)):
        among = (stated >= low) & (stated < high)
        if among.sum() > 20:
            print(low, high, among.sum(), stated[among].mean().round(3), right[among].mean().round(3))
            assert near(float(right[among].mean()), float(stated[among].mean()), int(among.sum()), 0.05)
