"""The definitions of mell2015 (Mell, Lucas and Gratch 2015)."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.errors import DesignError
from negstats.games.favors import FINAL, STUDY, Past
from negstats.games.favors.rules import Negotiation
from negstats.games.pareto import minkowski_sum, pareto_optimal
from negstats.metrics import favors as measures
from negstats.simulate.favors import AGENTS, PRINTED, Session, as_study
from negstats.studies.study import Study
from tests.papers.definitions.quotes import quotes


def sessions_of(agent: str, *answers: str) -> Study:
    """Sessions with one agent; each letter is an answer, a to accept and r to reject."""
    sessions = []
    for number, letters in enumerate(answers):
        history: tuple[Past, ...] = ()
        for t, letter in enumerate(letters):
            asks = t % 2 == 0 and AGENTS[agent].asks(history)
            history = (*history, Past(asks, t % 2 == 1 and AGENTS[agent].returns(history) == 1, letter == "a"))
        sessions.append(Session(f"s{number}", AGENTS[agent], history, (16, 16)))
    return as_study(sessions)


@quotes("mell2015.definition.pareto", "no other deal gives both more")
def test_a_pareto_optimal_deal() -> None:
    deals = np.array([[16, 16], [16, 8], [8, 16], [8, 8]])
    assert pareto_optimal(deals, weak=True).tolist() == [True, True, True, False]
    assert pareto_optimal(deals).tolist() == [True, False, False, False]  # as the introduction has it


@quotes("mell2015.definition.over-time", "the same over the sums of the outcomes of several negotiations")
def test_pareto_optimal_over_time() -> None:
    sums = minkowski_sum([(1, 32), (2, 8)], [(32, 1), (8, 2)])
    optimal = {tuple(point) for point in sums[pareto_optimal(sums)].tolist()}
    assert optimal == {(33, 33), (9, 34), (34, 9)}


@quotes("mell2015.definition.good", "it gives the player more than its BATNA")
def test_a_good_offer() -> None:
    assert all(one.good[0] > one.batna[0] for one in STUDY if one.good is not None)
    with pytest.raises(DesignError, match="good offer"):
        Negotiation(2, batna=(8, 2), poor=(4, 8), good=(8, 1))


@quotes("mell2015.definition.poor", "it gives the player less than its BATNA")
def test_a_poor_offer() -> None:
    assert all(one.poor[0] < one.batna[0] for one in STUDY)
    with pytest.raises(DesignError, match="poor offer"):
        Negotiation(1, batna=(2, 8), poor=(2, 32))


@pytest.mark.slow
@quotes("mell2015.definition.favor", "the player accepts an offer that the agent asks for as a favor")
def test_a_favor_that_is_granted() -> None:
    asked, unasked = sessions_of("favor-seeking", "aaaa", "raaa"), sessions_of("cooperative", "aaaa")
    counts = measures.favors(asked.games, asked.offers, asked.players).set_index("session")
    assert counts["granted"].tolist() == [2, 1]
    assert measures.favors(unasked.games, unasked.offers, unasked.players)["granted"].tolist() == [0]


@pytest.mark.slow
@quotes("mell2015.definition.returned", "a good offer in the negotiation after a favor that was granted")
def test_a_favor_that_is_returned() -> None:
    kept, broken = sessions_of("favor-seeking", "aaaa", "rara"), sessions_of("betraying", "aaaa")
    assert measures.favors(kept.games, kept.offers, kept.players)["returned"].tolist() == [2, 0]
    counts = measures.favors(broken.games, broken.offers, broken.players)
    assert (counts["returned"].tolist(), counts["betrayed"].tolist()) == ([0], [2])


@pytest.mark.slow
@quotes(
    "mell2015.definition.state",
    "from whether a favor was asked, whether it was granted, and whether the next offer was good",
)
def test_the_state_from_negotiation_3_on() -> None:
    table_5 = {
        "favor-seeking": ["favor returned", "altruistic"],
        "betraying": ["betrayal", "tit-for-tat"],
        "cooperative": ["tit-for-tat", "altruistic"],
        "competitive": ["competitive", "tit-for-tat"],
    }
    for agent, states in table_5.items():
        study = sessions_of(agent, "aaaa", "raaa")
        given = measures.favor_state(study.games, study.offers, study.players).sort_values("session")
        assert [str(state).replace("_", " ") for state in given["state"]] == states


@quotes("mell2015.definition.memory", "the offers of an agent are the same whatever the player answered")
def test_what_an_agents_offers_depend_on() -> None:
    accepted, rejected = ((Past(True, False, answer),) for answer in (True, False))
    for agent in PRINTED.values():
        assert agent.returns(accepted) == agent.returns(rejected)
        assert agent.asks((*accepted, *accepted)) == agent.asks((*rejected, *rejected))


@quotes("mell2015.definition.final", "the player makes the offer, and every agent accepts it")
def test_negotiation_5() -> None:
    assert FINAL.sum(axis=1).max() == 32
    study = sessions_of("competitive", "rrrr")
    last = study.offers.sort_values("offer").groupby("game_id").tail(1).merge(study.games[["game_id", "negotiation"]])
    final = last[last["negotiation"] == 5].iloc[0]
    assert (final["proposer"], final["response"]) == ("player", "accepted")
