"""Competitiveness, generosity and benefit, by haim2017's own examples and as properties."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.metrics import benefit, competitiveness, generosity

UNITS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=12)


def offers(units: list[tuple[float | None, float | None]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "game_id": "g",
            "offer": range(1, len(units) + 1),
            "proposer": "CS",
            "responder": "SP",
            "units_to_proposer": [asked for asked, _ in units],
            "units_to_responder": [unit for _, unit in units],
        }
    )


def swapped(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.rename(
        columns={
            "units_to_proposer": "units_to_responder",
            "units_to_responder": "units_to_proposer",
            "value_proposer": "value_responder",
            "value_responder": "value_proposer",
            "proposer": "responder",
            "responder": "proposer",
        }
    )


def test_chips_of_the_contract_game() -> None:
    # haim2017, 6.2: a customer who asks 40 chips for 11 has 29; a provider who gives 40 for 11 has -29.
    frame = offers([(40, 11), (11, 40), (5, 5)])
    assert competitiveness(frame)["competitiveness"].tolist() == [29, -29, 0]
    assert generosity(frame)["generosity"].tolist() == [-29, 29, 0]


def test_benefit_in_chips() -> None:
    # haim2017, 6.3: at the start 21 chips for 11 are worth 50 to the customer, at 5 points a chip.
    frame = offers([(21, 11), (40, 11)])
    assert benefit(frame, points_per_unit=5)["benefit"].tolist() == [50, 145]
    assert benefit(frame, points_per_unit=5, to="responder")["benefit"].tolist() == [-50, -145]


def test_benefit_over_the_batna() -> None:
    frame = pd.DataFrame(
        {
            "game_id": ["g", "g", "g", "h"],
            "offer": [1, 2, 3, 1],
            "proposer": ["A", "B", "A", "A"],
            "responder": ["B", "A", None, "B"],
            "value_proposer": [7.0, None, 6.0, 5.0],
            "value_responder": [2.0, 9.0, 4.0, 5.0],
        }
    )
    players = pd.DataFrame({"game_id": ["g", "g", "h"], "player": ["A", "B", "A"], "batna": [4.0, 3.0, None]})
    np.testing.assert_array_equal(benefit(frame, players)["benefit"], [3, np.nan, 2, np.nan])
    # The third offer goes to everybody; game h has no seat B.
    np.testing.assert_array_equal(benefit(frame, players, to="responder")["benefit"], [-1, 5, np.nan, np.nan])


def test_missing_units() -> None:
    frame = offers([(None, 3), (3, None), (3, 1)])
    np.testing.assert_array_equal(competitiveness(frame)["competitiveness"], [np.nan, np.nan, 2])
    np.testing.assert_array_equal(benefit(frame, points_per_unit=2)["benefit"], [np.nan, np.nan, 4])


@pytest.mark.slow
@given(units=UNITS)
def test_swapping_proposer_and_responder_turns_the_sign(units: list[tuple[float, float]]) -> None:
    frame = offers(list(units))
    before, back = competitiveness(frame)["competitiveness"], competitiveness(swapped(frame))["competitiveness"]
    np.testing.assert_array_equal(before, -back)
    np.testing.assert_array_equal(generosity(frame)["generosity"], back)


@pytest.mark.slow
@given(units=UNITS, points=st.integers(1, 9))
def test_chips_are_worth_as_much_to_one_as_they_cost_the_other(units: list[tuple[float, float]], points: int) -> None:
    frame = offers(list(units))
    mine = benefit(frame, points_per_unit=points)["benefit"]
    theirs = benefit(frame, points_per_unit=points, to="responder")["benefit"]
    np.testing.assert_array_equal(mine + theirs, 0)
    np.testing.assert_array_equal(mine, points * competitiveness(frame)["competitiveness"])
