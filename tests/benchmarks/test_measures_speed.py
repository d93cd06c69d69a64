"""Fronts, steps, utilities and rates against the fastest sensible call: moocore, and what one writes by hand.

Fronts are of drawn points: on a sphere, on the one staircase that is the worst for a sweep, and a million in a square.
Deals are those of the real DealOrNoDeal log; offers of steps have two decimals.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import moocore
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from negstats import metrics
from negstats.games import pareto_optimal
from tests.benchmarks.peers import growth, once, ratio
from tests.conftest import DataFolder
from tests.games import dealornodeal

Numbers = npt.NDArray[np.float64]
C = pl.col


def front(size: int) -> Numbers:
    """Points of a sphere: none dominates another."""
    points = np.abs(np.random.default_rng(1).normal(size=(size, 3)))
    return np.asarray(points / np.linalg.norm(points, axis=1)[:, np.newaxis], dtype=np.float64)


def staircase(size: int) -> Numbers:
    """None dominates another, and the second and third numbers of all form one staircase: the worst for a sweep."""
    third = np.arange(size, dtype=np.float64)
    return np.random.default_rng(1).permutation(np.stack([third % 7, -third, third], axis=1))


def undominated(points: Numbers) -> Any:
    return moocore.is_nondominated(points, maximise=True, keep_weakly=True)


@pytest.mark.parametrize("shape", ["sphere", "staircase"])
def test_fronts_of_three_parties(benchmark: BenchmarkFixture, shape: str) -> None:
    points = {"sphere": front, "staircase": staircase}[shape](30_000)
    assert pareto_optimal(points).all()
    name = f"Pareto front of three parties, {shape}; {len(points):,} points"
    ours, peer = partial(pareto_optimal, points), partial(undominated, points)
    assert once(benchmark, lambda: ratio(ours, peer, name=name, against="moocore")) <= 2


def test_fronts_of_three_parties_grow_like_a_sort(benchmark: BenchmarkFixture) -> None:
    calls = [partial(pareto_optimal, front(size)) for size in (7_500, 30_000, 120_000)]
    assert (
        once(benchmark, lambda: growth(calls, 4, name="Pareto front of three parties, sphere; 120,000 points")) <= 1.35
    )


def test_random_outcomes_of_two_parties(benchmark: BenchmarkFixture) -> None:
    points = np.random.default_rng(1).random((1_000_000, 2))

    def sweep() -> npt.NDArray[np.bool_]:
        order = np.lexsort((-points[:, 1], -points[:, 0]))
        second = points[order, 1]
        optimal = np.ones(len(points), dtype=bool)
        optimal[order[1:]] = second[1:] > np.maximum.accumulate(second)[:-1]
        return optimal

    np.testing.assert_array_equal(pareto_optimal(points), sweep())
    name = f"Pareto front of two parties, a square; {len(points):,} points"
    assert once(benchmark, lambda: ratio(lambda: pareto_optimal(points), sweep, 2, name, against="numpy")) <= 2


@pytest.mark.data
def test_deals_from_tables_and_from_arrays(benchmark: BenchmarkFixture, real_data: DataFolder) -> None:
    deals = dealornodeal.read(real_data("dealornodeal") / "data.txt")
    tables = deals.tables()
    name = "Pareto optimality of the deals of DealOrNoDeal, from tables; 5,916 deals"
    ours = partial(metrics.pareto_optimal, tables["values"], tables["offers"], tables["items"])
    assert once(benchmark, lambda: ratio(ours, deals.pareto_optimal, 15, name, against="our own arrays")) <= 4


def offers() -> pd.DataFrame:
    rng, games, each = np.random.default_rng(1), 20_000, 10
    rows = {
        "game_id": np.repeat([f"g{game:06d}" for game in range(games)], each),
        "offer": np.tile(np.arange(1, each + 1), games),
        "proposer": np.tile(["A", "B"], games * each // 2),
        "responder": np.tile(["B", "A"], games * each // 2),
        "value_proposer": rng.random(games * each).round(2),
        "value_responder": rng.random(games * each).round(2),
    }
    return pd.DataFrame(rows).astype({"game_id": "str"}).sample(frac=1, random_state=1, ignore_index=True)


def steps_of_pandas(offer_rows: pd.DataFrame, zero: float = 1e-4) -> pd.DataFrame:
    offer_rows = offer_rows.sort_values(["game_id", "proposer", "offer"], kind="stable")
    seat = offer_rows.groupby(["game_id", "proposer"], sort=False)
    own = (offer_rows["value_proposer"] - seat["value_proposer"].shift()).to_numpy(copy=True)
    other = (offer_rows["value_responder"] - seat["value_responder"].shift()).to_numpy()
    own[(offer_rows["responder"] != seat["responder"].shift()).to_numpy()] = np.nan
    cases = {
        "": np.isnan(own) | np.isnan(other),
        "silent": (abs(own) <= zero) & (abs(other) <= zero),
        "nice": (abs(own) <= zero) & (other > zero),
        "unfortunate": (own <= zero) & (other < -zero),
        "selfish": (own > zero) & (other <= zero),
        "concession": (own < -zero) & (other >= -zero),
    }
    step = np.select([*cases.values()], [*cases], "fortunate")
    return offer_rows[["game_id", "offer", "proposer"]].assign(own=own, other=other, step=step).sort_index()


def steps_of_polars(offer_rows: pl.DataFrame, zero: float = 1e-4) -> pl.DataFrame:
    offer_rows = offer_rows.with_row_index().sort("game_id", "proposer", "offer")
    same = pl.all_horizontal(*(C(name) == C(name).shift() for name in ("game_id", "proposer", "responder")))
    changes = {side: pl.when(same).then(C(f"value_{side}") - C(f"value_{side}").shift())
               for side in ("proposer", "responder")}  # fmt: skip
    own, other = C("own"), C("other")
    step = (
        pl.when(own.is_null() | other.is_null())
        .then(None)
        .when((own.abs() <= zero) & (other.abs() <= zero))
        .then(pl.lit("silent"))
        .when((own.abs() <= zero) & (other > zero))
        .then(pl.lit("nice"))
        .when((own <= zero) & (other < -zero))
        .then(pl.lit("unfortunate"))
        .when((own > zero) & (other <= zero))
        .then(pl.lit("selfish"))
        .when((own < -zero) & (other >= -zero))
        .then(pl.lit("concession"))
        .otherwise(pl.lit("fortunate"))
    )
    offer_rows = offer_rows.with_columns(own=changes["proposer"], other=changes["responder"]).with_columns(step=step)
    return offer_rows.sort("index").select("game_id", "offer", "proposer", "own", "other", "step")


def test_steps_on_pandas_and_polars(benchmark: BenchmarkFixture) -> None:
    pandas = offers()
    polars = pl.from_pandas(pandas)
    assert metrics.step_labels(pandas)["step"].fillna("").tolist() == steps_of_pandas(pandas)["step"].tolist()
    assert metrics.step_labels(polars)["step"].to_list() == steps_of_polars(polars)["step"].to_list()
    on_pandas = partial(ratio, partial(metrics.step_labels, pandas), partial(steps_of_pandas, pandas))
    on_polars = partial(ratio, partial(metrics.step_labels, polars), partial(steps_of_polars, polars))
    names = [f"steps of offers, {kind} frame; {len(pandas):,} offers" for kind in ("pandas", "polars")]
    assert on_pandas(name=names[0], against="pandas") <= 1.5
    assert once(benchmark, lambda: on_polars(name=names[1], against="polars")) <= 1.5


def players() -> pd.DataFrame:
    rng, games = np.random.default_rng(1), 100_000
    rows = {
        "game_id": np.repeat([f"g{game:06d}" for game in range(games)], 2),
        "player": np.tile(["A", "B"], games),
        "points": rng.random(2 * games).round(2),
    }
    return pd.DataFrame(rows).astype({"game_id": "str"}).sample(frac=1, random_state=1, ignore_index=True)


def fair_of_pandas(seats: pd.DataFrame) -> pd.DataFrame:
    seats = seats.sort_values(["game_id", "player"], kind="stable")
    points = seats["points"].to_numpy().reshape(-1, 2)
    other = points[:, ::-1]
    fair = points - 0.75 * np.maximum(other - points, 0) - 0.75 * np.maximum(points - other, 0)
    return seats[["game_id", "player"]].assign(fair=fair.ravel())


def fair_of_polars(seats: pl.DataFrame) -> pl.DataFrame:
    seats = seats.sort("game_id", "player")
    other = pl.when(C("game_id") == C("game_id").shift(-1)).then(C("points").shift(-1)).otherwise(C("points").shift())
    fair = C("points") - 0.75 * (C("other") - C("points")).clip(0) - 0.75 * (C("points") - C("other")).clip(0)
    return seats.with_columns(other=other).select("game_id", "player", fair=fair)


def test_fehr_schmidt_on_pandas_and_polars(benchmark: BenchmarkFixture) -> None:
    pandas = players()
    polars = pl.from_pandas(pandas)
    np.testing.assert_allclose(metrics.fehr_schmidt(pandas)["fehr_schmidt"], fair_of_pandas(pandas)["fair"], rtol=1e-12)
    on_pandas = partial(ratio, partial(metrics.fehr_schmidt, pandas), partial(fair_of_pandas, pandas))
    on_polars = partial(ratio, partial(metrics.fehr_schmidt, polars), partial(fair_of_polars, polars))
    names = [f"utilities of Fehr and Schmidt, {kind} frame; {len(pandas):,} seats" for kind in ("pandas", "polars")]
    assert on_pandas(name=names[0], against="pandas") <= 1.5
    assert once(benchmark, lambda: on_polars(name=names[1], against="polars")) <= 1.5


def test_walk_away_rate_and_counting_alone(benchmark: BenchmarkFixture) -> None:
    rng, size = np.random.default_rng(1), 1_000_000
    ends = rng.choice(["agreement", "walkaway", "timeout", "unknown"], size)
    games = pd.DataFrame({"game_id": np.arange(size).astype(str), "ended": ends})
    games = games.assign(condition=rng.choice(["a", "b", "c"], size)).astype("str")

    def counted() -> pd.DataFrame:
        known = games[games["ended"] != "unknown"]
        return (known["ended"] == "walkaway").groupby(known["condition"]).agg(["size", "sum"])

    result = metrics.walk_away_rate(games, "condition")
    assert result[["n", "count"]].to_numpy().tolist() == counted().to_numpy().tolist()
    ours = partial(metrics.walk_away_rate, games, "condition")
    assert once(benchmark, lambda: ratio(ours, counted, name=f"walk-away rates; {size:,} games", against="pandas")) <= 2
