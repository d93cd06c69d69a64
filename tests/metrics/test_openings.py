"""First offers and concessions by hand, on frames of several kinds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl

from negstats.metrics import concession_pairs, first_offers

OFFERS = pd.DataFrame(
    {
        "game_id": ["g", "g", "g", "h", "h", "k"],
        "offer": [3, 1, 2, 1, 2, 1],
        "proposer": ["A", "B", "A", "A", "A", "A"],
        "value_proposer": [5.0, 9.0, 7.0, np.nan, 6.0, np.nan],
    }
)


def test_the_first_known_value_counts_and_who_opened() -> None:
    players = pd.DataFrame({"game_id": ["g", "g", "h", "h", "k"], "player": ["A", "B", "A", "B", "A"]})
    result = first_offers(OFFERS, players)
    np.testing.assert_array_equal(result["first_offer"], [7, 9, 6, np.nan, np.nan])
    np.testing.assert_array_equal(result["opened"], [0, 1, 1, 0, 1])


def test_who_never_offered_is_listed_only_with_players() -> None:
    assert first_offers(OFFERS)[["game_id", "player"]].to_numpy().tolist() == [
        ["g", "A"], ["g", "B"], ["h", "A"], ["k", "A"],
    ]  # fmt: skip


def test_a_demand_that_rises_is_below_zero() -> None:
    rows = [("A", 90.0), ("B", 80.0), ("A", 95.0), ("B", 70.0), ("A", 95.0)]
    offers = pd.DataFrame(rows, columns=["proposer", "value_proposer"]).assign(game_id="g", offer=range(5))
    pairs = concession_pairs(offers)
    assert pairs[["concession", "partners_concession"]].to_numpy().tolist() == [[10, -5], [0, 10]]


def test_the_kind_of_frame_stays() -> None:
    offers = pl.DataFrame(OFFERS)
    assert isinstance(first_offers(offers), pl.DataFrame)
    assert isinstance(concession_pairs(offers), pl.DataFrame)
