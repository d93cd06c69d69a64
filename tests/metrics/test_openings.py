"""First offers and concessions by hand, on frames of several kinds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_seats_of_one_offer_and_openers_that_change() -> None:
    offers = pd.DataFrame(
        {"game_id": ["g", "g", "h", "h"], "offer": [1, 2, 2, 1], "proposer": ["A", "B", "A", "B"],
         "value_proposer": [1.0, 2.0, 3.0, 4.0]}
    )  # fmt: skip
    assert first_offers(offers).to_numpy().tolist() == [["g", "A", 1, 1], ["g", "B", 2, 0], ["h", "A", 3, 0],
                                                        ["h", "B", 4, 1]]  # fmt: skip


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


OFFER = st.tuples(
    st.sampled_from(["g", "h", "k", None]),
    st.integers(1, 4),
    st.sampled_from(["A", "B", None]),
    st.one_of(st.none(), st.integers(0, 9).map(float)),
)


@pytest.mark.slow
@given(st.lists(OFFER, min_size=1, max_size=12, unique_by=lambda offer: offer[:2]), st.booleans())
def test_what_is_in_memory_has_the_first_offers_of_an_engine(offers: list[tuple[object, ...]], is_listed: bool) -> None:
    """Whatever the order of the rows, with seats and values that are missing."""
    kinds = {"game_id": pl.String, "offer": pl.Int64, "proposer": pl.String, "value_proposer": pl.Float64}
    frame = pl.DataFrame(offers, schema=kinds, orient="row")
    players = pl.DataFrame({"game_id": ["g", "g", "h", "m"], "player": ["A", "B", "C", "A"]})
    here, there = (players, players.lazy()) if is_listed else (None, None)
    assert first_offers(frame, here).equals(first_offers(frame.lazy(), there).collect())
    pandas = first_offers(frame.to_pandas(), None if here is None else here.to_pandas())
    assert pl.from_pandas(pandas).rows() == first_offers(frame, here).rows()
