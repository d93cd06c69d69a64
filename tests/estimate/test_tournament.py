"""Tournaments: NegMAS's own scores, games of known equilibria, errors by hand, gaps, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.estimate import tournament
from tests.conftest import DataFolder

Tables = dict[str, pd.DataFrame]


def played(
    rules: Mapping[tuple[str, str], tuple[float, float]], scenarios: int = 4, noise: float = 0.0, **roles: str
) -> Tables:
    """Return the tables of each pairing once a scenario; payoffs by the rules, and noise."""
    rng = np.random.default_rng(5)
    games: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    for scenario in range(scenarios):
        for (one, other), points in rules.items():
            game = f"g{len(games):03d}"
            games.append({"game_id": game, "scenario": f"s{scenario}"})
            for seat, agent, own in zip("AB", (one, other), points, strict=True):
                moved = own + noise * rng.normal()
                seats.append(
                    {"game_id": game, "player": seat, "agent": agent, "points": moved, "role": roles.get(seat)}
                )
    return {"games": pd.DataFrame(games), "players": pd.DataFrame(seats)}


def symmetric(table: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], tuple[float, float]]:
    return {(one, other): (table[one, other], table[other, one]) for one, other in table}


HAWK_DOVE = symmetric({("hawk", "hawk"): -0.5, ("hawk", "dove"): 2, ("dove", "hawk"): 0, ("dove", "dove"): 1})
PENNIES = {
    (f"{a}", f"{b}"): ((1.0, -1.0) if a == b else (-1.0, 1.0)) for a in ("heads", "tails") for b in ("heads", "tails")
}


@pytest.mark.slow
def test_negmas_own_scores(real_data: DataFolder) -> None:
    folder = real_data("negmas") / "cartesian"
    study = negstats.load(folder)
    # NegMAS's advantage is (utility − reserved)/(1 − reserved) of normalised utilities; its score the mean of it.
    players = study.players.assign(advantage=lambda p: (p["points"] - p["batna"]) / (1 - p["batna"]))
    estimate = tournament({"games": study.games, "players": players}, value="advantage", seed=1, n_resamples=199)
    own = pd.read_csv(folder / "scores.csv").set_index("strategy")["score"]
    ranking = estimate.ranking().set_index("strategy")
    assert list(ranking.index[:1]) == [own.idxmax()]
    np.testing.assert_allclose(ranking["score"], own[ranking.index], rtol=1e-12)
    assert estimate.games == 72
    assert estimate.n_clusters == 4


@pytest.mark.slow
def test_hawks_and_doves() -> None:
    estimate = tournament(played(HAWK_DOVE), seed=1, n_resamples=99)
    mixed = estimate.equilibria()
    assert mixed["strategy"].tolist() == ["dove", "hawk"]
    np.testing.assert_allclose(mixed["share"], [1 / 3, 2 / 3])
    assert (mixed["share_found"] == 1).all()
    assert estimate.best_responses()[["start", "end", "share"]].to_numpy().tolist() == [
        ["dove", "hawk", 1.0],
        ["hawk", "dove", 1.0],
    ]
    np.testing.assert_allclose(estimate.replicator(time=500).iloc[-1], [1 / 3, 2 / 3], atol=1e-6)
    regret = estimate.ranking().set_index("strategy")["regret"]
    assert regret.to_dict() == pytest.approx({"hawk": 0.5, "dove": 1})


def test_matching_pennies_by_role() -> None:
    estimate = tournament(played(PENNIES, A="evener", B="odder"), by_role=True, seed=1, n_resamples=99)
    assert estimate.roles == ("evener", "odder")
    mixed = estimate.equilibria()
    assert mixed["share"].tolist() == [0.5] * 4
    assert estimate.ranking()["score"].tolist() == [0.0] * 4
    assert estimate.ranking().columns[:2].tolist() == ["role", "strategy"]
    assert estimate.ranking()["role"].tolist() == ["evener", "evener", "odder", "odder"]
    assert estimate.payoffs()["opponent_mean"].tolist() == [-1.0, 1.0, 1.0, -1.0]


def test_the_order_of_seats_changes_nothing() -> None:
    tables = played(HAWK_DOVE, scenarios=6, noise=1.0)
    turned = tables["players"].assign(player=tables["players"]["player"].map({"A": "B", "B": "A"}))
    one = tournament(tables, seed=1, n_resamples=99)
    other = tournament({**tables, "players": turned.sample(frac=1, random_state=1)}, seed=1, n_resamples=99)
    pd.testing.assert_frame_equal(one.ranking(), other.ranking())
    pd.testing.assert_frame_equal(one.payoffs(), other.payoffs())


def test_errors_are_those_of_scenario_means() -> None:
    """Of scenarios of one size, the clustered error is the SD of their means over the root of their number."""
    tables = played(HAWK_DOVE, scenarios=8, noise=1.0)
    estimate = tournament(tables, seed=1, n_resamples=4000)
    (row,) = estimate.payoffs().query("strategy == 'hawk' and opponent == 'dove'").to_dict("records")
    seats = tables["players"].merge(tables["games"])
    other = seats.groupby("game_id")["agent"].transform(lambda agents: agents.iloc[::-1].to_numpy())
    means = seats[(seats["agent"] == "hawk") & (other == "dove")].groupby("scenario")["points"].mean()
    assert row["mean"] == pytest.approx(means.mean())
    assert row["se"] == pytest.approx(means.std() / np.sqrt(8))
    assert row["n"] == 16
    # The bootstrap divides by the number of scenarios, the error by one less.
    assert estimate.draws[:, 1, 0].std() == pytest.approx(row["se"] * np.sqrt(7 / 8), rel=0.05)


def test_the_share_of_an_order_is_that_of_its_draws() -> None:
    estimate = tournament(played(HAWK_DOVE, scenarios=5, noise=2.0), seed=3, n_resamples=999)
    order = estimate.order().to_numpy()  # dove, hawk
    np.testing.assert_allclose(order + order.T, 1)
    scores = estimate.draws.mean(axis=2)
    assert order[1, 0] == pytest.approx((scores[:, 1] > scores[:, 0]).mean())
    share = f"{100 * order.max():.0f} % of draws"
    assert share in estimate.lines()[0]


def test_strategies_that_do_not_meet_themselves_are_ranked() -> None:
    """As in most competitions: scores over the others, with intervals and an order, but no equilibria."""
    table = {("a", "b"): 3.0, ("b", "a"): 1.0, ("a", "c"): 2.0, ("c", "a"): 2.5, ("b", "c"): 0.0, ("c", "b"): 4.0}
    rules = {pair: points for pair, points in symmetric(table).items() if pair[0] < pair[1]}
    estimate = tournament(played(rules, scenarios=12, noise=0.2), seed=1, n_resamples=499)
    assert estimate.missing == [("a", "a"), ("b", "b"), ("c", "c")]
    ranking = estimate.ranking().set_index("strategy")
    assert ranking.index.tolist() == ["c", "a", "b"]
    assert ranking["score"].to_dict() == pytest.approx({"a": 2.5, "b": 0.5, "c": 3.25}, abs=0.2)
    assert (ranking["low"] < ranking["score"]).all()
    assert (ranking["score"] < ranking["high"]).all()
    assert estimate.order().to_numpy()[0, 1] == 1
    means = estimate.payoffs()
    has_met = means["strategy"] != means["opponent"]
    assert (means["low"] < means["mean"])[has_met].all()
    assert means["low"][~has_met].isna().all()
    assert any("did not meet itself" in note for note in estimate.notes)
    assert estimate.to_dict()["order"] is not None


def test_missing_pairings_are_named() -> None:
    rules = {pair: points for pair, points in HAWK_DOVE.items() if len(set(pair)) == 1}
    estimate = tournament(played(rules), seed=1, n_resamples=99)
    assert estimate.missing == [("dove", "hawk")]
    assert any("never played" in note for note in estimate.notes)
    assert estimate.ranking()["low"].isna().all()
    assert estimate.to_dict()["equilibria"] is None


def test_what_does_not_count_is_counted() -> None:
    tables = played(HAWK_DOVE)
    players = tables["players"]
    players.loc[players["game_id"] == "g000", "agent"] = [None, "hawk"]
    players.loc[players["game_id"] == "g001", "points"] = [1.0, float("nan")]
    players = players.drop(players.index[players["game_id"] == "g002"][:1])
    estimate = tournament({**tables, "players": players}, seed=1, n_resamples=0)
    assert estimate.left_out == {"not two seats": 1, "a seat without an agent's name": 1, "a seat without a value": 1}
    assert estimate.games == 13


def test_one_scenario_draws_games() -> None:
    estimate = tournament(played(HAWK_DOVE, scenarios=1), seed=1, n_resamples=50)
    assert (estimate.cluster, estimate.n_clusters) == ("game_id", 4)
    assert any("drawn again, one by one" in note for note in estimate.notes)
    assert estimate.dropped_draws > 0


def test_the_share_of_draws_in_which_a_strategy_is_the_best() -> None:
    rules = symmetric({("a", "a"): 5, ("a", "b"): 5, ("b", "a"): 0, ("b", "b"): 0})
    ranking = tournament(played(rules), seed=1, n_resamples=99).ranking().set_index("strategy")
    assert ranking["best"].to_dict() == {"a": 1.0, "b": 0.0}
    even = tournament(played(HAWK_DOVE, scenarios=5, noise=2.0), seed=3, n_resamples=999)
    scores = even.draws.mean(axis=2)
    best = even.ranking().set_index("strategy")["best"]
    assert best["hawk"] == pytest.approx((scores[:, 1] > scores[:, 0]).mean())


def test_one_cluster_gives_no_draws() -> None:
    tables = played(HAWK_DOVE)
    tables = {**tables, "games": tables["games"].assign(lab="one")}
    estimate = tournament(tables, seed=1, n_resamples=99, cluster="lab")
    assert (estimate.n_clusters, len(estimate.draws)) == (1, 0)
    assert estimate.ranking()[["low", "high"]].isna().all(axis=None)


@pytest.mark.parametrize(("scale", "shift"), [(1e-9, 0.0), (1e9, 0.0), (1.0, 1e6)])
def test_unit_and_origin_of_payoffs_decide_no_equilibrium(scale: float, shift: float) -> None:
    """Three strategies of which each beats another: the draws with an equilibrium of all three are the same ones."""
    wins = {("r", "s"), ("s", "p"), ("p", "r")}
    rules = symmetric({(a, b): float((a, b) in wins) - float((b, a) in wins) for a in "rps" for b in "rps"})
    tables = played(rules, scenarios=6, noise=0.8)
    moved = tables | {"players": tables["players"].assign(points=lambda rows: rows["points"] * scale + shift)}
    first_equilibria, second_equilibria = (
        tournament(one, seed=1, n_resamples=99).equilibria() for one in (tables, moved)
    )
    assert first_equilibria["share_found"].iloc[0] > 0
    np.testing.assert_array_equal(second_equilibria["strategy"], first_equilibria["strategy"])
    np.testing.assert_allclose(second_equilibria["share"], first_equilibria["share"], rtol=1e-6)
    np.testing.assert_allclose(second_equilibria["share_found"], first_equilibria["share_found"], atol=1 / 99)
