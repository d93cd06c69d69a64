"""Whole columns in Arrow: what is chosen, and that the tables take them as they take lists."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from negstats.errors import SchemaError
from negstats.loaders.files.columns import chosen
from negstats.tables import TABLES, check, conform, empty, text_array


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1), st.data())
def test_chosen_is_looking_up(names: list[str], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(-1, len(names) - 1)))
    assert chosen(names, places).to_pylist() == [names[place] if place >= 0 else None for place in places]


@given(st.lists(st.sampled_from(["agreement", "walkaway", "unknown"])))
def test_a_table_of_arrow_columns_is_a_table_of_lists(ended: list[str]) -> None:
    ids = [f"g{place}" for place in range(len(ended))]
    of_lists = conform("games", {"game_id": ids, "ended": ended})
    assert_frame_equal(conform("games", {"game_id": text_array(ids), "ended": text_array(ended)}), of_lists)


def study(*parts: list[str]) -> dict[str, pd.DataFrame]:
    """Tables whose players stand in several Arrow chunks, as after pandas.concat."""
    tables = {name: empty(name) for name in TABLES}
    tables["games"] = conform("games", {"game_id": ["g1", "g2"], "ended": ["agreement", "unknown"]})
    players = [conform("players", {"game_id": part, "player": ["A"] * len(part)}) for part in parts]
    tables["players"] = pd.concat(players, ignore_index=True)
    return tables


def test_columns_in_chunks_are_checked_too() -> None:
    check(study(["g1"], ["g2"]))
    with pytest.raises(SchemaError, match=r"column 'player', row 2: .*'g1'.* is in an earlier row too"):
        check(study(["g1", "g2"], ["g1"]))
    with pytest.raises(SchemaError, match=r"column 'game_id', row 1: .*'g3'.* is not in the table 'games'"):
        check(study(["g1"], ["g3"]))
