"""Studies of talks: the tables and the log, a checker that sees nothing but the log, seeds and lapses."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import negstats
from negstats import metrics
from negstats.errors import LogError
from negstats.games.dominance import Domain, Preferences
from negstats.simulate import dominance
from negstats.studies.study import Study
from tests.simulate.dominance.conftest import Pairs
from tests.simulate.dominance.notation import DOMAIN, A, B, option, value
from tests.simulate.dominance.test_every_profile import TABLE


@pytest.fixture(scope="module")
def everything(pairs: Pairs) -> list[dominance.Played]:
    return list(chain.from_iterable(pairs.values()))


@pytest.fixture(scope="module")
def study(everything: list[dominance.Played]) -> Study:
    return dominance.as_study(everything)


class TestTables:
    @pytest.mark.nightly
    def test_the_deal_is_worth_the_points(self, study: Study) -> None:
        deals = metrics.deal_values(study.values, study.offers, study.items)
        both = study.players.merge(deals, on=["game_id", "player"])
        assert both["points"].notna().sum() == 2 * 1828
        assert (both["points"].isna() == both["deal_value"].isna()).all()
        known = both.dropna(subset=["points"])
        assert (known["points"] == known["deal_value"]).all()

    @pytest.mark.slow
    def test_pareto_optimal_deals_by_the_measure(self, study: Study) -> None:
        result = metrics.pareto_optimal(study.values, study.offers, study.items)
        by = result.merge(study.games, on="game_id").groupby(["relation_a", "relation_b"])["pareto_optimal"]
        assert by.sum().to_dict() == {pair: row.optimal for pair, row in TABLE.items()}

    @pytest.mark.slow
    def test_nothing_is_put_where_there_is_no_payoff(self, study: Study) -> None:
        left = study.games.loc[study.games["ended"] == "walkaway", "game_id"]
        assert study.players.loc[study.players["game_id"].isin(left), "points"].isna().all()
        assert study.players["batna"].isna().all()
        assert study.moves.empty
        assert study.answers.empty

    @pytest.mark.slow
    def test_a_proposal_is_answered_by_the_next_utterance(self, study: Study) -> None:
        acts = study.messages.set_index(["game_id", "message"])["act"]
        answers = acts.reindex(list(zip(study.offers["game_id"], study.offers["round"] + 1, strict=True)))
        meaning = {"accept": "accepted", "booking": "accepted", "reject": "rejected", "leave": "rejected"}
        assert study.offers["response"].tolist() == [meaning.get(act, "superseded") for act in answers]

    @pytest.mark.slow
    def test_values_are_known_for_options_only(self, study: Study) -> None:
        size = (
            study.items.groupby(["game_id", "offer"]).size().reindex(study.offers.set_index(["game_id", "offer"]).index)
        )
        assert set(size) == {1, 3}
        assert (study.offers["value_proposer"].notna().to_numpy() == (size == 3).to_numpy()).all()
        assert (study.offers["value_responder"].notna().to_numpy() == (size == 3).to_numpy()).all()

    @pytest.mark.nightly
    def test_a_timeout_leaves_the_last_proposal_without_an_answer(self) -> None:
        cut = dominance.talks_of("dominant", "dominant", talks=5, seed=1, limit=1)
        study = dominance.as_study(cut)
        assert study.offers["response"].tolist() == ["none"] * 5
        assert study.games["ended"].tolist() == ["timeout"] * 5

    @pytest.mark.slow
    def test_fewer_options_are_told(self) -> None:
        few = Domain.of(dict(DOMAIN.criteria), DOMAIN.options[:5])
        study = dominance.as_study(dominance.talks_of("peer", "peer", talks=3, seed=1, domain=few))
        assert "3 talks are about fewer options" in study.provenance.notes[-1]


class TestLog:
    def test_it_is_known_and_read_as_the_study(self, tmp_path: Path) -> None:
        domain = Domain.of({"c": list("abcd")})
        likes = Preferences.of(domain, {"c": [("b", "a"), ("c", "b")]})
        transcript = dominance.talk(dominance.agent_of("peer", likes), dominance.agent_of("submissive", likes))
        played = [dominance.Played("t", ("peer", "submissive"), (likes, likes), "A", None, transcript)]
        dominance.write_log(tmp_path / "log.jsonl", played)
        loaded = negstats.load(tmp_path / "log.jsonl")
        assert loaded.provenance.loader == "dominance"
        scores = {(seat, value): likes.score("c", value) for seat in "AB" for value in "abcd"}
        assert loaded.values.set_index(["player", "option"])["value"].to_dict() == scores

    def test_a_scripted_acceptance_of_an_option(self) -> None:
        lines: list[dominance.StatePreference | dominance.Accept] = [
            dominance.StatePreference("cuisine", "*", "french"),
            dominance.Accept(value("french")),
            dominance.Accept(option("french cheap quiet")),
        ]
        transcript = dominance.talk(dominance.Script(DOMAIN, lines), dominance.agent_of("peer", A))
        study = dominance.as_study([dominance.Played("t", ("peer", "peer"), (B, A), "A", None, transcript)])
        assert study.offers["response"].tolist() == ["accepted", "accepted"]

    def test_an_answer_to_what_nobody_proposed_is_refused(self) -> None:
        transcript = dominance.talk(
            dominance.Script(DOMAIN, [dominance.Accept(value("french"))]), dominance.agent_of("peer", A), limit=1
        )
        with pytest.raises(LogError, match="has not proposed"):
            dominance.as_study([dominance.Played("t", ("peer", "peer"), (B, A), "A", None, transcript)])


class TestSeeds:
    @pytest.mark.nightly
    def test_known_talks(self) -> None:
        """The first talks of a seed, written down once: a change of the stream would change every seeded study."""
        played = dominance.talks_of("peer", "peer", talks=4, seed=1)
        assert [(len(one.transcript.turns), one.transcript.option, one.points) for one in played] == FIRST

    @pytest.mark.nightly
    def test_preferences_are_uniform(self) -> None:
        """How often each cuisine is best for A, and the price for B, within 4 standard errors."""
        played = dominance.talks_of("dominant", "dominant", talks=600, seed=2, limit=1)
        for side, name in ((0, "cuisine"), (1, "price")):
            values = DOMAIN.values(name)
            share = 1 / len(values)
            error = (share * (1 - share) / len(played)) ** 0.5
            best = [one.preferences[side].best(name) for one in played]
            assert all(abs(best.count(v) / len(played) - share) < 4 * error for v in values)

    @pytest.mark.nightly
    def test_random_talks_agree_as_often_as_all_profiles_do(self) -> None:
        """96 of 288 dominant and peer sides agree, within 4 standard errors of 600 talks."""
        played = dominance.talks_of("dominant", "peer", talks=600, seed=4)
        rate = float(np.mean([one.transcript.option is not None for one in played]))
        assert abs(rate - 96 / 288) < 4 * (96 / 288 * 192 / 288 / 600) ** 0.5


FIRST: list[Any] = [
    (5, ("mexican", "cheap", "quiet"), (6, 4)),
    (5, ("mexican", "expensive", "quiet"), (2, 6)),
    (23, None, None),
    (5, ("japanese", "expensive", "quiet"), (4, 6)),
]


class TestLapses:
    def test_none_is_the_agent(self) -> None:
        a, b = dominance.agent_of("dominant", A), dominance.agent_of("peer", B)
        assert dominance.talk(a, dominance.Person(b, 0), rng=np.random.default_rng(1)) == dominance.talk(a, b)

    def test_always_takes_the_second_where_there_is_one(self) -> None:
        person, rng = dominance.Person(dominance.agent_of("dominant", A), 1), np.random.default_rng(1)
        assert person.say(dominance.Memory(), dominance.Propose(value("italian")), rng) == dominance.Reject(
            value("italian")
        )
        assert person.say(dominance.Memory(), None, rng) == dominance.Propose(value("french"))
        exhausted = dominance.Memory(said={dominance.Propose(value("french")): 2})
        assert person.say(exhausted, None, rng) == dominance.Leave()

    def test_as_often_as_it_says(self) -> None:
        """Within 4 standard errors of 2,000 choices."""
        person, rng = dominance.Person(dominance.agent_of("dominant", A), 0.2), np.random.default_rng(7)
        results = [person.say(dominance.Memory(), dominance.Propose(value("italian")), rng) for _ in range(2000)]
        assert abs(results.count(dominance.Reject(value("italian"))) / 2000 - 0.2) < 4 * (0.2 * 0.8 / 2000) ** 0.5

    @pytest.mark.nightly
    def test_a_person_is_told_in_the_tables(self) -> None:
        study = dominance.as_study(dominance.talks_of("dominant", "submissive", talks=3, seed=1, lapse=0.1))
        assert study.players["kind"].tolist() == ["agent", "human"] * 3
        assert study.players["agent"].dropna().unique().tolist() == ["dominant"]
        assert study.players["participant_id"].dropna().is_unique
        assert "nobody took part" in study.provenance.notes[0]
