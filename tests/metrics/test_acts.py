"""Dialogue acts: hand-made talks, the simulated ones against their transcripts, and the edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats import metrics
from negstats.games.dominance import Preferences, Value, restaurants
from negstats.simulate.dominance import (
    Accept,
    Played,
    Propose,
    Script,
    StatePreference,
    agent_of,
    as_study,
    talks_of,
)
from negstats.simulate.dominance import talk as transcript
from negstats.simulate.dominance.talks import Seat


def talk(*said: str) -> pd.DataFrame:
    """Messages written as "A propose"."""
    seats, acts = zip(*(one.split() for one in said), strict=True)
    return pd.DataFrame({"game_id": "g", "message": range(1, len(said) + 1), "sender": seats, "act": acts})


SEATS = pd.DataFrame({"game_id": ["g", "g", "h"], "player": ["A", "B", "A"]})


class TestShares:
    def test_by_hand(self) -> None:
        result = metrics.act_shares(talk("A state", "B propose", "A accept", "B propose", "A booking"))
        assert result.set_index("player").loc["A"].drop("game_id").to_dict() == {
            "state_share": pytest.approx(1 / 3),
            "ask_share": 0,
            "propose_share": 0,
            "accept_share": pytest.approx(1 / 3),
            "reject_share": 0,
            "booking_share": pytest.approx(1 / 3),
            "leave_share": 0,
        }
        assert result["propose_share"].tolist() == [0, 1]

    @pytest.mark.slow
    def test_shares_of_all_acts_sum_to_one(self) -> None:
        study = as_study(talks_of("peer", "dominant", talks=40, seed=1))
        shares = metrics.act_shares(study.messages, study.players)
        np.testing.assert_allclose(shares.drop(columns=["game_id", "player"]).sum(axis=1), 1)

    def test_plain_talk_counts_in_the_denominator_and_silence_is_missing(self) -> None:
        messages = pd.DataFrame({"game_id": "g", "sender": "A", "act": [None, "propose"]})
        propose_share = metrics.act_shares(messages, SEATS, acts=["propose"])["propose_share"]
        assert propose_share.tolist()[0] == 0.5
        assert propose_share.isna().tolist() == [False, True, True]


class TestInitiative:
    def test_by_hand(self) -> None:
        values = ("A propose", "B propose", "A propose", "B accept", "A ask", "B state", "A propose", "B booking")
        result = metrics.initiative(talk(*values))
        assert result["openings"].tolist() == [2, 0]  # the first proposal, and the question after the acceptance
        assert result["counter_proposals"].tolist() == [1, 1]
        assert result["initiative"].tolist() == [0.75, 0.25]

    def test_insisting_is_no_counter_proposal(self) -> None:
        transcript = talk("A propose", "B reject", "A propose", "A propose", "B leave")
        assert metrics.initiative(transcript)["counter_proposals"].tolist() == [0, 0]

    @pytest.mark.slow
    def test_shares_of_a_game_sum_to_one(self) -> None:
        study = as_study(talks_of("submissive", "peer", talks=40, seed=2))
        result = metrics.initiative(study.messages, study.players)
        np.testing.assert_allclose(result.groupby("game_id")["initiative"].sum(), 1)

    def test_games_without_any_are_missing(self) -> None:
        result = metrics.initiative(talk("A booking", "B leave"), SEATS)
        assert result["initiative"].isna().all()
        assert result["openings"].tolist() == [0, 0, 0]


class TestInformation:
    @pytest.mark.slow
    def test_it_is_what_the_memories_hold(self) -> None:
        played = talks_of("dominant", "submissive", talks=60, seed=3)
        study = as_study(played)
        result = metrics.information_told(study.messages, study.players)
        expected = [
            len({turn for at, turn in one.transcript.turns if at == seat and isinstance(turn, StatePreference)})
            for one in played
            for seat in "AB"
        ]
        assert result["information_told"].tolist() == expected
        assert 0 in expected

    def test_without_labels_the_words_tell_statements_apart(self) -> None:
        frame = talk("A state", "A state", "A state").assign(labels=None, text=["I like it", "I like it", "not that"])
        assert metrics.information_told(frame, SEATS)["information_told"].tolist() == [2, 0, 0]


class TestConcessions:
    @pytest.mark.slow
    def test_they_are_the_values_with_scores_up_to_0_in_the_transcripts(self) -> None:
        played = talks_of("dominant", "submissive", talks=60, seed=3, lapse=0.2)
        study = as_study(played)
        result = metrics.concessions(study.values, study.offers, study.items)
        expected = [[unliked(one, seat, Accept), unliked(one, seat, Propose)] for one in played for seat in ("A", "B")]
        assert result[["concessions", "unliked_proposals"]].to_numpy().tolist() == expected
        assert sum(proposed for _, proposed in expected) > 0

    def test_what_was_objected_to_is_accepted_later(self) -> None:
        """A submissive agent that is asked twice; agents among themselves give in by proposing."""
        likes = Preferences.in_order(restaurants())
        mexican = Propose(Value("cuisine", "mexican"))
        talk = transcript(Script(likes.domain, [mexican, mexican]), agent_of("submissive", likes))
        study = as_study([Played("t", ("peer", "submissive"), (likes, likes), "A", None, talk)])
        result = metrics.concessions(study.values, study.offers, study.items)
        assert result[["concessions", "unliked_proposals"]].to_numpy().tolist() == [[0, 2], [1, 0]]

    @pytest.mark.slow
    def test_only_the_submissive_concedes(self) -> None:
        for relation in ("peer", "dominant"):
            study = as_study(talks_of("dominant", relation, talks=60, seed=4))
            result = metrics.concessions(study.values, study.offers, study.items)
            assert result[["concessions", "unliked_proposals"]].to_numpy().sum() == 0

    @pytest.mark.slow
    def test_whole_options_are_not_counted(self) -> None:
        values = pd.DataFrame({"game_id": "g", "player": "B", "item": ["c", "d"], "option": ["x", "y"], "value": -1})
        offers = pd.DataFrame({"game_id": "g", "offer": [1], "proposer": "A", "responder": "B", "response": "accepted"})
        items = pd.DataFrame({"game_id": "g", "offer": 1, "item": ["c", "d"], "option": ["x", "y"]})
        assert metrics.concessions(values, offers, items)["concessions"].tolist() == [0]
        assert metrics.concessions(values, offers, items.iloc[:1])["concessions"].tolist() == [1]
        assert metrics.concessions(values, offers, items.iloc[:1], up_to=-2)["concessions"].tolist() == [0]


def unliked(one: Played, seat: Seat, kind: type[Accept | Propose]) -> int:
    likes = one.preferences["AB".index(seat)]
    utterances = [turn.utterance for turn in one.transcript.turns if turn.seat == seat]
    things = [utterance.thing for utterance in utterances if isinstance(utterance, kind)]
    return sum(likes.score(one.criterion, one.value) <= 0 for one in things if isinstance(one, Value))
