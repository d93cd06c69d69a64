"""The worked answers and talks, word for word."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from negstats.games.dominance import ANY, RELATIONS, Domain, Preferences, Relation, Statement, Value
from negstats.simulate.dominance import (
    Accept,
    Agent,
    AskPreference,
    Booking,
    Leave,
    Memory,
    Propose,
    Readings,
    Reject,
    Script,
    StatePreference,
    Utterance,
    agent_of,
    respond,
    talk,
)
from tests.simulate.dominance.notation import DOMAIN, A, B, line, option, told, value


@dataclass(frozen=True)
class Heard:
    """What a fresh agent hears, and what it remembers before."""

    utterance: Utterance
    stated: tuple[Statement, ...] = ()
    settled: tuple[str, ...] = ()
    twice: tuple[Utterance, ...] = ()
    answers: tuple[str, str, str] = field(default=("", "", ""))

    @property
    def memory(self) -> Memory:
        settled = {value(name).criterion: name for name in self.settled}
        return Memory(frozenset(self.stated), settled, said=dict.fromkeys(self.twice, 2))


def asks(criterion: str) -> Utterance:
    return AskPreference(criterion, ANY, ANY)


def says(less: str, more: str) -> Utterance:
    return StatePreference("cuisine", less, more)


MEXICAN, FCQ, BEST = Propose(value("mexican")), "french cheap quiet", "P(french cheap quiet)"

# What is heard, and what is answered by a dominant, a peer and a submissive agent.
TABLE = [
    Heard(says("french", "italian"), answers=("S(*, french)", "P italian", "P italian")),
    Heard(says("french", "mexican"), answers=("S(mexican, *)",) * 3),
    Heard(
        says("french", "mexican"),
        stated=(Statement("cuisine", "mexican", ANY),),
        answers=("S(*, french)", "S(*, french)", "P mexican"),
    ),
    Heard(asks("price"), answers=("S(*, cheap)",) * 3),
    Heard(Propose(value("italian")), answers=("P french", "A", "A")),
    Heard(MEXICAN, answers=("P french", "R mexican", "S(mexican, french)")),
    Heard(MEXICAN, stated=(Statement("cuisine", "mexican", "french"),), answers=("P french", "R mexican", "A")),
    Heard(Propose(option("french moderate quiet")), answers=(BEST, "Booking", "Booking")),
    Heard(Propose(option("italian cheap quiet")), settled=("mexican",), answers=(BEST, "Booking", "Booking")),
    Heard(
        Propose(option("japanese moderate quiet")),
        answers=(BEST, "R(japanese moderate quiet)", "S(japanese, french)"),
    ),
    Heard(Accept(value("french")), answers=(BEST, BEST, "Q price")),
    Heard(Accept(value("mexican")), answers=("P cheap", "S(*, cheap)", "Q price")),
    Heard(
        Accept(value("quiet")),
        settled=("italian", "cheap"),
        answers=("Leave", "P(italian cheap quiet)", "P(italian cheap quiet)"),
    ),
    Heard(Accept(option(FCQ)), answers=("Booking",) * 3),
    Heard(MEXICAN, twice=(Propose(value("french")),), answers=("R mexican", "R mexican", "S(mexican, french)")),
    Heard(
        Propose(option("italian cheap quiet")),
        twice=(Propose(option(FCQ)),),
        answers=("R(italian cheap quiet)", "Booking", "Booking"),
    ),
    Heard(Reject(value("french")), answers=("P french", "S(*, french)", "Q cuisine")),
    Heard(Reject(value("italian")), answers=("P french", "S(*, french)", "Q cuisine")),
    Heard(Reject(option("french moderate quiet")), settled=("french",), answers=(BEST, "S(*, cheap)", "Q price")),
    Heard(Reject(option(FCQ)), settled=("french",), answers=(BEST, "S(*, cheap)", "Q price")),
    Heard(Reject(option(FCQ)), settled=("french", "cheap", "quiet"), answers=(BEST, "P(french cheap lively)", "Leave")),
]


@pytest.mark.parametrize("heard", TABLE, ids=[told(one.utterance) for one in TABLE])
def test_one_answer(heard: Heard) -> None:
    answers = [respond(agent_of(relation, A), heard.memory, heard.utterance)[0] for relation in RELATIONS]
    assert tuple(map(told, answers)) == heard.answers


def eight() -> tuple[Agent, Domain]:
    domain = Domain.of({"letter": list("abcdefgh")})
    return agent_of("dominant", Preferences.in_order(domain)), domain


def test_a_dominant_agent_of_eight_values_insists_and_then_goes_on() -> None:
    agent, domain = eight()
    refusing = Script(domain, [Reject(Value("letter", name)) for name in "aab"])
    transcript = talk(agent, refusing)
    assert [told(turn.utterance) for turn in transcript.turns if turn.seat == "A"] == ["P a", "P a", "P b", "Leave"]


def test_nothing_is_said_after_the_end() -> None:
    for relation in RELATIONS:
        for heard in (Booking(option(FCQ)), Leave()):
            assert respond(agent_of(relation, A), Memory(), heard)[0] == Leave()


TALKS: dict[tuple[Relation, Relation], str] = {
    ("dominant", "submissive"): "P french · S(french, italian) · S(*, french) · P french · A · Q price · S(*, cheap) · "
    "S(cheap, *) · S(moderate, cheap) · P cheap · A · Q place · S(*, quiet) · P quiet · A · P(french cheap quiet) · "
    "Booking",
    ("peer", "peer"): "S(*, french) · S(french, italian) · P italian · A · P(italian cheap quiet) · Booking",
    ("dominant", "dominant"): "P french · P italian · P french · P italian · R italian · Leave",
    ("dominant", "peer"): "P french · R french · P french · R french · Leave",
    ("submissive", "dominant"): "Q cuisine · S(*, italian) · P italian · A · Q price · S(*, moderate) · "
    "S(moderate, cheap) · S(cheap, *) · S(*, cheap) · S(cheap, moderate) · P moderate · A · Q place · S(*, quiet) · "
    "P quiet · A · P(italian moderate quiet) · Booking",
}

ENDS: dict[tuple[Relation, Relation], tuple[int, str, tuple[int, int]]] = {
    ("dominant", "submissive"): (17, "french cheap quiet", (6, -2)),
    ("peer", "peer"): (6, "italian cheap quiet", (4, 2)),
    ("submissive", "dominant"): (18, "italian moderate quiet", (2, 6)),
    ("peer", "dominant"): (7, "italian moderate quiet", (2, 6)),
    ("peer", "submissive"): (6, "italian cheap quiet", (4, 2)),
    ("submissive", "peer"): (18, "italian moderate quiet", (2, 6)),
    ("submissive", "submissive"): (17, "italian cheap quiet", (4, 2)),
}


@pytest.mark.parametrize("pair", TALKS, ids="-".join)
def test_whole_talks(pair: tuple[Relation, Relation]) -> None:
    assert line(talk(agent_of(pair[0], A), agent_of(pair[1], B))) == TALKS[pair]


@pytest.mark.parametrize("pair", ENDS, ids="-".join)
def test_how_talks_end(pair: tuple[Relation, Relation]) -> None:
    transcript = talk(agent_of(pair[0], A), agent_of(pair[1], B))
    turns, booked, scores = ENDS[pair]
    assert transcript.option == option(booked)
    assert (len(transcript.turns), (A.option_score(transcript.option), B.option_score(transcript.option))) == (
        turns,
        scores,
    )


class TestScripts:
    """What agents never meet among themselves."""

    def answers(self, relation: Relation, *lines: Utterance, domain: Domain = DOMAIN, **readings: Any) -> list[str]:
        agent = agent_of(relation, Preferences.in_order(domain), Readings(**readings))
        transcript = talk(Script(domain, lines), agent)
        return [told(turn.utterance) for turn in transcript.turns if turn.seat == "B"]

    def test_another_option_after_a_rejected_one(self) -> None:
        settled = [Accept(value(name)) for name in FCQ.split()]
        assert self.answers("peer", *settled, Reject(option(FCQ)), times=5)[-1] == "P(french cheap lively)"
        refusals = [Reject(option(FCQ))] * 2
        result = self.answers("dominant", settled[0], *refusals, factor=0.3)
        assert result == [BEST, BEST, "P(french cheap lively)"]

    def test_a_counter_option_off_the_settled_values(self) -> None:
        lines = (Accept(value("mexican")), Propose(option("mexican expensive lively")))
        assert self.answers("dominant", *lines)[1] == BEST

    def test_the_next_criterion_where_no_option_fits(self) -> None:
        few = Domain.of(dict(DOMAIN.criteria), [option("italian moderate lively"), option("japanese cheap quiet")])
        for relation, answer in (("dominant", "P cheap"), ("peer", "S(*, cheap)"), ("submissive", "Q price")):
            assert self.answers(relation, Accept(value("french")), domain=few)[0] == answer  # type: ignore[arg-type]
        settled = [Accept(value(name)) for name in ("french", "moderate", "lively")]
        assert self.answers("submissive", *settled, domain=few)[2] == "P(italian moderate lively)"

    def test_a_peer_with_nothing_left_to_state_leaves(self) -> None:
        told_all = frozenset(A.statements("place"))
        assert respond(agent_of("peer", A), Memory(told_all), Reject(value("quiet")))[0] == Leave()

    def test_a_rejected_value_is_not_proposed_when_it_is_stated_to_be_liked(self) -> None:
        lines = (Reject(value("french")), says("italian", "french"))
        assert self.answers("peer", *lines)[1] != "P french"
        assert self.answers("peer", lines[1])[0] == "P french"

    def test_a_question_between_two_values_is_answered_with_the_own_order(self) -> None:
        assert self.answers("peer", AskPreference("cuisine", "japanese", "italian"))[0] == "S(japanese, italian)"

    def test_options_only_when_nothing_is_open(self) -> None:
        result = self.answers("peer", Accept(value("french")), options="last")
        assert result == ["S(*, cheap)"]

    def test_a_limit_cuts_a_talk_off(self) -> None:
        transcript = talk(agent_of("peer", A), agent_of("peer", B), limit=3)
        assert (len(transcript.turns), transcript.ended, transcript.option) == (3, "timeout", None)

    def test_a_partial_order_complains_sincerely(self) -> None:
        """The best value need not be above the one that is refused."""
        likes = Preferences.of(Domain.of({"c": list("abcd")}), {"c": [("b", "a"), ("d", "c")]})
        agent, memory = agent_of("submissive", likes), Memory()
        answer, memory = respond(agent, memory, Propose(Value("c", "d")))
        assert told(answer) == "S(d, c)"
        assert told(respond(agent, memory, Propose(Value("c", "d")))[0]) == "A"
        loose = Preferences.of(Domain.of({"c": list("abc")}), {"c": [("b", "a")]})
        assert told(respond(agent_of("submissive", loose), Memory(), Propose(Value("c", "c")))[0]) == "S(*, a)"
