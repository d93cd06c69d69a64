"""Goal rates against R and statsmodels, commitments by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from negstats.metrics import commitment_rate, ended_with_commitment, goal_rate, reached_goal


def seats(reached: list[bool]) -> pd.DataFrame:
    return pd.DataFrame({"game_id": [f"g{number}" for number in range(len(reached))], "reached_goal": reached})


# R 4.x: prop.test(c, n, correct = FALSE)$conf.int. The first three are the counts that fit haim2017's pr of .60, .83
# and .93.
WILSON = [
    (9, 15, 0.95, 0.357468301206246, 0.801755038586584),
    (5, 6, 0.95, 0.436497177813530, 0.969946630251693),
    (14, 15, 0.95, 0.701834701262200, 0.988133104506731),
    (0, 7, 0.95, 0.0, 0.354330435066687),
    (7, 7, 0.95, 0.645669564933313, 1.0),
    (14, 15, 0.90, 0.749249436866823, 0.984983885804389),
]


@pytest.mark.parametrize(("count", "n", "confidence_level", "low", "high"), WILSON)
def test_wilson_as_in_r(count: int, n: int, confidence_level: float, low: float, high: float) -> None:
    rate = goal_rate(seats([True] * count + [False] * (n - count)), confidence_level=confidence_level).iloc[0]
    assert rate[["n", "count", "missing", "level"]].tolist() == [n, count, 0, confidence_level]
    assert rate["rate"] == count / n
    assert rate[["low", "high"]].tolist() == pytest.approx([low, high], rel=1e-13, abs=1e-15)


@pytest.mark.slow
@given(reached=st.lists(st.booleans(), min_size=1, max_size=60), confidence_level=st.floats(0.5, 0.999))
def test_wilson_as_in_statsmodels(reached: list[bool], confidence_level: float) -> None:
    rate = goal_rate(seats(reached), confidence_level=confidence_level).iloc[0]
    expected = proportion_confint(sum(reached), len(reached), alpha=1 - confidence_level, method="wilson")
    assert rate[["low", "high"]].tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert 0 <= rate["low"] <= rate["rate"] <= rate["high"] <= 1


@pytest.mark.slow
@given(reached=st.lists(st.booleans(), min_size=1, max_size=60))
def test_turning_success_and_failure_round_turns_the_interval_round(reached: list[bool]) -> None:
    rate, back = (goal_rate(seats([yes == sense for yes in reached])).iloc[0] for sense in (True, False))
    assert rate["low"] == pytest.approx(1 - back["high"], abs=1e-12)


def test_by_country_role_and_kind() -> None:
    players = pd.DataFrame(
        {
            "game_id": ["f", "f", "g", "g", "h", "h", "i", "i"],
            "player": ["CS", "SP"] * 4,
            "role": ["customer", "provider"] * 4,
            "kind": ["human", "human", "human", "agent", "human", "human", "human", None],
            "reached_goal": pd.array([True, False, False, None, None, False, True, True], dtype="boolean"),
        }
    )
    games = pd.DataFrame({"game_id": list("fghi"), "country": ["US", "US", "IL", "IL"]})
    columns = ["country", "n", "count", "missing"]
    every = goal_rate(players, games, "country")
    assert every[columns].to_numpy().tolist() == [["IL", 3, 2, 1], ["US", 3, 1, 1]]
    customers = goal_rate(players, games, "country", role="customer")
    assert customers[columns].to_numpy().tolist() == [["IL", 1, 1, 1], ["US", 2, 1, 0]]
    # An agent sits in g, and who sits in i is not known.
    humans = goal_rate(players, games, "country", role="customer", humans_only=True)
    assert humans[columns].to_numpy().tolist() == [["IL", 0, 0, 1], ["US", 1, 1, 0]]
    assert humans.loc[0, ["rate", "low", "high"]].isna().all()
    np.testing.assert_array_equal(reached_goal(players)["reached_goal"], [1, 0, 0, np.nan, np.nan, 0, 1, 1])


def test_commitments_by_hand() -> None:
    offers = pd.DataFrame(
        [
            ("ended with it", 1, False, "accepted"),
            ("ended with it", 2, True, "accepted"),
            ("ended with it", 3, False, "rejected"),  # only accepted offers count
            ("then another", 1, True, "accepted"),
            ("then another", 2, False, "accepted"),
            ("no goal", 1, True, "accepted"),
            ("nothing accepted", 1, True, "rejected"),
            ("not known", 1, None, "accepted"),
            ("not known, no goal", 1, None, "accepted"),
            ("goal not known", 1, True, "accepted"),
            ("goal not known, other", 1, False, "accepted"),
        ],
        columns=["game_id", "offer", "commitment", "response"],
    ).astype({"commitment": "boolean"})
    reached = {
        "ended with it": True,
        "then another": True,
        "no goal": False,
        "nothing accepted": True,
        "no offers": True,
        "not known": True,
        "not known, no goal": False,
        "goal not known": None,
        "goal not known, other": None,
    }
    players = pd.DataFrame(
        {"game_id": [*reached, *reached], "role": ["customer"] * len(reached) + ["provider"] * len(reached)}
    ).assign(reached_goal=pd.array([*reached.values(), *[True] * len(reached)], dtype="boolean"))
    ended = ended_with_commitment(offers, players).set_index("game_id")["ended_with_commitment"].astype("float64")
    expected = {
        "ended with it": 1,
        "then another": 0,
        "no goal": 0,
        "nothing accepted": 0,
        "no offers": 0,
        "not known": np.nan,
        "not known, no goal": 0,  # whatever the offer was
        "goal not known": np.nan,
        "goal not known, other": 0,
    }
    pd.testing.assert_series_equal(
        ended.sort_index(), pd.Series(expected).sort_index(), check_names=False, check_dtype=False
    )
    rate = commitment_rate(offers, players)
    assert rate[["n", "count", "missing"]].to_numpy().tolist() == [[7, 1, 2]]
    assert rate["rate"].tolist() == [1 / 7]
