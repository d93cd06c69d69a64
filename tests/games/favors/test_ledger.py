"""Ledgers, betrayals and gifts worked out by hand; the eight cells of mell2015's Table 5; what is missing."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.games.favors import STATES, favors, points_ledger, state, transcripts
from negstats.games.favors.rules import Count
from negstats.simulate.favors import PRINTED

# Agent, answers, how to count; favors owed, points of the player and of the agent after each negotiation.
LEDGERS: list[tuple[str, str, Count, list[int], list[int], list[int]]] = [
    ("favor-seeking", "aaaa", "asked", [1, 0, 1, 0], [1, -23, -22, -46], [24, 23, 47, 46]),
    ("favor-seeking", "arar", "asked", [1, 0, 1, 0], [1, 1, 2, 2], [24, 24, 48, 48]),
    ("favor-seeking", "rara", "asked", [0, 0, 0, 0], [0, -24, -24, -48], [0, -1, -1, -2]),
    ("betraying", "aaaa", "asked", [1, 1, 2, 2], [1, 5, 6, 10], [24, 30, 54, 60]),
    ("betraying", "arar", "asked", [1, 1, 2, 2], [1, 1, 2, 2], [24, 24, 48, 48]),
    ("cooperative", "aaaa", "asked", [0, 0, 0, 0], [1, -23, -22, -46], [24, 23, 47, 46]),
    ("cooperative", "aaaa", "any", [1, 0, 1, 0], [1, -23, -22, -46], [24, 23, 47, 46]),
    ("competitive", "aaaa", "asked", [0, 0, 0, 0], [1, 5, 6, 10], [24, 30, 54, 60]),
    ("competitive", "aaaa", "any", [1, 1, 2, 2], [1, 5, 6, 10], [24, 30, 54, 60]),
]


@pytest.mark.parametrize(("agent", "answers", "count", "owed", "player", "other"), LEDGERS)
def test_ledgers(agent: str, answers: str, count: Count, owed: list[int], player: list[int], other: list[int]) -> None:
    every = transcripts(PRINTED[agent])
    row = every.answers.tolist().index([letter == "a" for letter in answers])
    favor_counts = favors(every.asked[row], every.good[row], every.answers[row], count=count)
    assert favor_counts.ledger.tolist() == owed
    points = points_ledger(every.points[row], every.batnas)
    assert points[:, 0].tolist() == player
    assert points[:, 1].tolist() == other
    assert favor_counts.gift.sum() == (2 if answers == "rara" or (agent == "cooperative" and count == "asked") else 0)
    assert favor_counts.betrayed.sum() == (owed[-1] if agent in {"betraying", "competitive"} else 0)


def test_a_return_counts_when_it_is_made_and_is_realised_when_it_is_taken() -> None:
    favor_counts = favors([1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1])
    assert favor_counts.returned.tolist() == [0, 1, 0, 1]
    assert favor_counts.realised.tolist() == [0, 0, 0, 1]


BY_AGENT = {
    "favor-seeking": ("favor returned", "altruistic"),
    "betraying": ("betrayal", "tit-for-tat"),
    "cooperative": ("tit-for-tat", "altruistic"),
    "competitive": ("competitive", "tit-for-tat"),
}


def test_states_by_agent_and_the_first_answer() -> None:
    cells = set()
    for agent, (item, refused) in BY_AGENT.items():
        every = transcripts(PRINTED[agent])
        asked, first, good = every.asked[:, 0], every.answers[:, 0], every.good[:, 1]
        assert state(asked, first, good).tolist() == np.where(first, item, refused).tolist()
        cells |= set(zip(asked.tolist(), first.tolist(), good.tolist(), strict=True))
    assert cells == set(itertools.product((True, False), repeat=3)) == set(STATES)
    assert len(set(STATES.values())) == 5


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, math.nan])] * 12), min_size=1, max_size=8))
def test_what_follows_from_nothing_known_is_missing(rows: list[tuple[float, ...]]) -> None:
    asked, good, accepted = np.array(rows).reshape(len(rows), 3, 4).swapaxes(0, 1)
    favor_counts = favors(asked, good, accepted)
    needed = [np.isnan(asked) | np.isnan(accepted), np.isnan(good)]
    granted = needed[0][:, ::2]
    assert np.array_equal(np.isnan(favor_counts.granted[:, ::2]), granted)
    assert np.array_equal(np.isnan(favor_counts.returned[:, 1::2]), granted | needed[1][:, 1::2])
    assert not np.isnan(favor_counts.granted[:, 1::2]).any()
    lost = np.isnan(favor_counts.ledger)
    assert np.array_equal(lost, np.maximum.accumulate(lost, axis=1))  # once lost, it stays lost
    states = state(asked[:, 0], accepted[:, 0], good[:, 1])
    unknown = np.isnan(asked[:, 0]) | np.isnan(accepted[:, 0]) | np.isnan(good[:, 1])
    assert [name is None for name in states] == unknown.tolist()
