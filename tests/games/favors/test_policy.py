"""All transcripts against the four agents, worked out by hand; best replies to agents with a memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.games.favors import (
    History,
    Past,
    Policy,
    Transcripts,
    best_reply,
    favors,
    game_of,
    owed,
    points_ledger,
    transcripts,
)
from negstats.simulate.favors import AGENTS, PRINTED, Credit, RandomReturn

RETURNING = ("favor-seeking", "cooperative")


def answered(pattern: str) -> int:
    """The place of an answer pattern such as "aara" among the sixteen."""
    return int(pattern.replace("a", "0").replace("r", "1"), 2)


@pytest.fixture(scope="module")
def told() -> dict[str, Transcripts]:
    return {name: transcripts(agent) for name, agent in PRINTED.items()}


def test_there_are_64_transcripts(told: dict[str, Transcripts]) -> None:
    assert sum(len(one.answers) for one in told.values()) == 64
    for one in told.values():
        assert len(np.unique(one.answers, axis=0)) == 16
        assert one.answers[answered("aara")].tolist() == [True, True, False, True]


@pytest.mark.parametrize("agent", PRINTED)
def test_totals(told: dict[str, Transcripts], agent: str) -> None:
    sums = told[agent].points.sum(axis=1)
    returning = agent in RETURNING
    assert sums[answered("aaaa")].tolist() == ([66, 66] if returning else [10, 80])
    assert sums[answered("rrrr")].tolist() == [20, 20]
    best = "rara" if returning else "rrrr"
    assert sums[:, 0].argmax() == answered(best)
    assert sums[answered(best)].tolist() == ([68, 18] if returning else [20, 20])
    assert sums.sum(axis=1).max() == (132 if returning else 90)
    assert len(np.unique(sums, axis=0)) == 9
    assert sums.sum(axis=1).min() == 40


ACTS = [
    ("favor-seeking", "aara", "request return request generic"),
    ("favor-seeking", "rara", "request generic request generic"),
    *(
        ("betraying", f"{a:04b}".replace("0", "r").replace("1", "a"), "request generic request generic")
        for a in range(16)
    ),
    ("cooperative", "aaaa", "generic generic generic generic"),
    ("competitive", "aaaa", "generic generic generic generic"),
]


@pytest.mark.parametrize(("agent", "pattern", "acts"), ACTS)
def test_what_agents_say(told: dict[str, Transcripts], agent: str, pattern: str, acts: str) -> None:
    results = [act.removeprefix("favor-") for act in told[agent].acts[answered(pattern)]]
    assert results == acts.split()


def test_a_return_is_thanked_for_only_by_who_was_granted_a_favor(told: dict[str, Transcripts]) -> None:
    for agent, one in told.items():
        thanks = one.acts == "favor-return"
        assert thanks.any() == (agent == "favor-seeking")
        before = np.zeros_like(one.answers)
        before[:, 1:] = one.answers[:, :-1]
        assert before[thanks].all()
        assert one.good[thanks].all()


def test_no_answer_changes_an_offer_and_no_language_a_point(told: dict[str, Transcripts]) -> None:
    for one in told.values():
        assert (one.offers == one.offers[0]).all()
    for favor, generic in zip(("favor-seeking", "betraying"), ("cooperative", "competitive"), strict=True):
        assert np.array_equal(told[favor].points, told[generic].points)


def test_realised_points_are_offers_or_batnas(told: dict[str, Transcripts]) -> None:
    for one in told.values():
        for answers, offers, points in zip(one.answers, one.offers, one.points, strict=True):
            for t, accepted in enumerate(answers):
                assert points[t].tolist() == (offers[t] if accepted else one.batnas[t]).tolist()


def test_ledgers_keep_their_invariants_in_all_transcripts(told: dict[str, Transcripts]) -> None:
    for one in told.values():
        favor_counts = favors(one.asked, one.good, one.answers)
        owes, points = favor_counts.ledger, points_ledger(one.points, one.batnas)
        assert (owes >= 0).all()
        assert (np.abs(np.diff(owes, axis=1, prepend=0)) <= 1).all()
        assert np.array_equal(owes[:, 1::2], np.cumsum(favor_counts.betrayed, axis=1)[:, 1::2])
        joint = np.cumsum(one.points.sum(axis=2), axis=1) - 10 * np.arange(1, 5)
        assert np.array_equal(points[:, :, 1] - points[:, :, 0], joint)
        one_of_three = (favor_counts.returned + favor_counts.betrayed + favor_counts.gift)[:, 1::2]
        assert set(np.unique(one_of_three)) <= {0, 1}


# The best reply to each agent: player, agent, and the answers.
REPLIES = [
    ("favor-seeking", 68, 18, "rara"),
    ("cooperative", 68, 18, "rara"),
    ("betraying", 20, 20, "rrrr"),
    ("competitive", 20, 20, "rrrr"),
    ("conditional", 66, 66, "aaaa"),
    ("grim", 66, 66, "aaaa"),
    ("forgiving", 67, 42, "aara"),
    ("credit", 42, 67, "araa"),
]


@pytest.mark.parametrize(("agent", "player", "other", "pattern"), REPLIES)
def test_best_replies(agent: str, player: float, other: float, pattern: str) -> None:
    reply = best_reply(AGENTS[agent])
    assert (reply.player, reply.agent, reply.joint) == (player, other, player + other)
    assert reply.answers == {tuple(letter == "a" for letter in pattern): 1.0}


@pytest.mark.parametrize("agent", [name for name in AGENTS if name != "random"])
def test_best_replies_are_the_best_of_all_transcripts(agent: str) -> None:
    every = transcripts(AGENTS[agent]).points.sum(axis=1)
    assert best_reply(AGENTS[agent]).player == every[:, 0].max()


def test_the_next_best_against_the_conditional_agent_is_43() -> None:
    every = transcripts(AGENTS["conditional"]).points.sum(axis=1)
    assert sorted(set(every[:, 0].tolist()))[-2:] == [43, 66]


def test_free_riding_gains_two_and_costs_46() -> None:
    every = transcripts(AGENTS["favor-seeking"]).points.sum(axis=1)
    free, full = every[answered("rara")], every[answered("aaaa")]
    assert free[0] - full[0] == 2
    assert full.sum() - free.sum() == 46


@given(st.floats(0, 1))
def test_granting_pays_from_one_in_24_on(chance: float) -> None:
    reply = best_reply(RandomReturn("random", "favor", "by chance", chance))
    granting = 1 + 32 * chance + 8 * (1 - chance)
    assert reply.player == pytest.approx(2 * max(granting, 10), abs=1e-9)
    if abs(granting - 10) > 1e-9:
        assert all(pattern[0] == (granting > 10) for pattern in reply.answers)
    assert sum(reply.answers.values()) == pytest.approx(1)


@given(st.integers(1, 3), st.integers(2, 60))
def test_accepting_everything_is_best_against_the_conditional_agent_while_favors_pay(pairs: int, benefit: int) -> None:
    reply = best_reply(AGENTS["conditional"], game_of(pairs, benefit=benefit))
    assert reply.answers == {(True,) * 2 * pairs: 1.0}
    assert reply.player == reply.agent == pairs * (1 + 8 + benefit)


def test_a_credit_of_one_is_the_conditional_agent() -> None:
    one, other = transcripts(Credit("credit", "favor", "", most=1)), transcripts(AGENTS["conditional"])
    assert np.array_equal(one.acts, other.acts)
    assert np.array_equal(one.points, other.points)


@pytest.mark.parametrize("agent", [name for name in AGENTS if name != "random"])
def test_what_a_policy_counts_as_owed_is_the_ledger(agent: str) -> None:
    result = transcripts(AGENTS[agent])
    ledger = favors(result.asked, result.good, result.answers).ledger
    for row in range(16):
        history = tuple(map(Past, result.asked[row], result.good[row], result.answers[row]))
        assert [owed(history[: t + 1]) for t in range(4)] == ledger[row].tolist()


@dataclass(frozen=True)
class Odd(Policy):
    """Returns with a number that need not be a probability."""

    chance: float

    def asks(self, history: History) -> bool:
        return not history

    def returns(self, history: History) -> float:  # noqa: ARG002
        return self.chance
