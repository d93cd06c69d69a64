"""The definitions of chawla2023 (Chawla, Wu, Rong, Lucas and Gratch 2023)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats import metrics
from negstats.errors import DesignError
from negstats.games.dealornodeal import scenarios
from negstats.games.dealornodeal.dialogue import CUTOFF
from negstats.games.dealornodeal.scenarios import fehr_schmidt
from tests.papers.definitions.quotes import quotes

PLAYERS = pd.DataFrame({"game_id": ["a", "a", "b", "b"], "player": ["A", "B"] * 2, "points": [7, 6, 0, 0]})


@quotes(
    "chawla2023.definition.reward",
    "own points, less a for each point that one is outdone by, less b for each point that one is ahead",
)
def test_the_reward() -> None:
    assert fehr_schmidt(4, 8, a=1, b=0).item() == 4 - 4
    assert fehr_schmidt(8, 4, a=1, b=0).item() == 8
    assert fehr_schmidt(8, 4, a=0.75, b=0.75).item() == 8 - 3


@quotes("chawla2023.definition.bounds", "b ≤ a and 0 ≤ b < 1")
def test_the_bounds_of_the_reward() -> None:
    fehr_schmidt(1, 2, a=0.75, b=0.75, strict=True)
    for a, b in ((0, -1), (0.2, 0.5), (2, 1)):
        with pytest.raises(DesignError):
            fehr_schmidt(1, 2, a=a, b=b, strict=True)


@quotes("chawla2023.definition.walk-away", "0 for both")
def test_the_points_of_a_walk_away() -> None:
    games = pd.DataFrame({"game_id": ["a", "b"], "ended": ["agreement", "walkaway"]})
    means = metrics.mean_points(PLAYERS, games)
    assert means.filter(like="mean").iloc[0].tolist()[0] == np.mean([7, 6, 0, 0])  # walk-aways are in it


@quotes("chawla2023.definition.cut-off", "20 utterances without agreement are a walk-away")
def test_the_cut_off() -> None:
    assert CUTOFF == 20


@quotes("chawla2023.definition.scenario", "fixed quantities, random values, and at most 10 points for each")
def test_a_scenario() -> None:
    every = scenarios()
    worth = (np.asarray(every.counts)[:, np.newaxis, :] * np.asarray(every.values)).sum(axis=-1)
    assert (worth == 10).all()


@quotes("chawla2023.definition.joint", "the points of the human and of the agent")
def test_joint_points() -> None:
    joint = metrics.joint_value(PLAYERS).set_index("game_id")["joint_value"]
    assert joint.to_dict() == {"a": 13, "b": 0}
