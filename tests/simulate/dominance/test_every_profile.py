"""All preference profiles: the table of the nine pairs, word for word by two versions, what holds in each talk."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.games import pareto_optimal
from negstats.games.dominance import ANY, RELATIONS, Domain, Preferences, Relation, Value, satisfaction, satisfactions
from negstats.simulate import dominance
from tests.simulate.dominance.conftest import Pairs
from tests.simulate.dominance.notation import DOMAIN, A, plain
from tests.simulate.dominance.short import Speaker, conversation

Pair = tuple[Relation, Relation]
PAIRS: list[Pair] = [(a, b) for a in RELATIONS for b in RELATIONS]


class Row(NamedTuple):
    """A row of the table of all profiles."""

    agreements: int
    length: float
    longest: int
    satisfied: tuple[float, float]
    optimal: int
    leaves: tuple[int, int]
    joint: float


TABLE: dict[Pair, Row] = {
    ("dominant", "dominant"): Row(12, 6.33, 8, (1, 1), 12, (0, 276), 2),
    ("dominant", "peer"): Row(96, 5.00, 7, (1, 0.771), 96, (192, 0), 1.771),
    ("dominant", "submissive"): Row(288, 13.17, 23, (1, 0.5), 288, (0, 0), 1.5),
    ("peer", "dominant"): Row(96, 9.54, 14, (0.771, 1), 96, (0, 192), 1.771),
    ("peer", "peer"): Row(184, 11.71, 25, (0.808, 0.870), 182, (74, 30), 1.678),
    ("peer", "submissive"): Row(288, 16.03, 23, (0.986, 0.528), 288, (0, 0), 1.514),
    ("submissive", "dominant"): Row(288, 17.83, 24, (0.5, 1), 288, (0, 0), 1.5),
    ("submissive", "peer"): Row(288, 17.03, 24, (0.528, 0.986), 288, (0, 0), 1.514),
    ("submissive", "submissive"): Row(288, 17.50, 22, (0.620, 0.852), 264, (0, 0), 1.472),
}


def row_of(talks: list[dominance.Played]) -> Row:
    agreed = [one for one in talks if one.transcript.option is not None]
    gains = np.array([[satisfaction(s, one.transcript.option or ()) for s in one.preferences] for one in agreed])
    best = [is_optimal(one) for one in agreed]
    lengths = [len(one.transcript.turns) for one in talks]
    left = [one.transcript.turns[-1].seat for one in talks if one.transcript.ended == "walkaway"]
    a, b = gains.mean(axis=0)
    return Row(
        len(agreed),
        float(np.mean(lengths)),
        max(lengths),
        (float(a), float(b)),
        sum(best),
        (left.count("A"), left.count("B")),
        float(a + b),
    )


def is_optimal(one: dominance.Played) -> bool:
    both = satisfactions(*one.preferences)
    return bool(pareto_optimal(both)[one.domain.options.index(one.transcript.option or ())])


@pytest.mark.nightly
@pytest.mark.parametrize("pair", TABLE, ids="-".join)
def test_the_table(pairs: Pairs, pair: Pair) -> None:
    result, printed = row_of(pairs[pair]), TABLE[pair]
    assert (result.agreements, result.longest, result.optimal, result.leaves) == (
        printed.agreements,
        printed.longest,
        printed.optimal,
        printed.leaves,
    )
    assert round(result.length, 2) == printed.length
    assert [round(one, 3) for one in (*result.satisfied, result.joint)] == [*printed.satisfied, printed.joint]


@pytest.mark.slow
def test_why_some_must_be_so(pairs: Pairs) -> None:
    """A peer takes the dominant's cuisine in half the profiles, and a submissive side often gets nothing it likes."""
    french = [dominance.agent_of("peer", one.preferences[1]) for one in pairs["dominant", "peer"]]
    assert sum(one.preferences.score("cuisine", "french") > 0 for one in french) == 144
    served = [one.preferences[1].option_score(one.transcript.option or ()) for one in pairs["dominant", "submissive"]]
    assert sum(score <= 0 for score in served) == 180


@pytest.mark.slow(keep=1)
@pytest.mark.nightly(keep=3)
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_word_for_word_by_two_versions(pairs: Pairs, pair: Pair) -> None:
    for one in pairs[pair]:
        a, b = ({name: list(likes.ranked(name)) for name in DOMAIN.names} for likes in one.preferences)
        expected = conversation(Speaker(pair[0], a), Speaker(pair[1], b))
        assert [plain(turn.utterance) for turn in one.transcript.turns] == expected


class TestWhatMustHold:
    @pytest.fixture(params=PAIRS, ids="-".join)
    def talks(self, request: pytest.FixtureRequest, pairs: Pairs) -> list[dominance.Played]:
        return pairs[request.param]

    @pytest.mark.slow(keep=3)
    def test_turns_alternate_and_the_talk_ends(self, talks: list[dominance.Played]) -> None:
        for one in talks:
            seats = "".join(turn.seat for turn in one.transcript.turns)
            assert seats == ("AB" * len(seats))[: len(seats)]
            *before, last = [turn.utterance for turn in one.transcript.turns]
            assert isinstance(last, (dominance.Booking, dominance.Leave))
            assert not any(isinstance(item, (dominance.Booking, dominance.Leave)) for item in before)
            assert one.transcript.ended == ("agreement" if isinstance(last, dominance.Booking) else "walkaway")

    def test_nobody_says_anything_more_than_twice(self, talks: list[dominance.Played]) -> None:
        for one in talks:
            turns = one.transcript.turns
            assert max(turns.count(turn) for turn in turns) <= 2

    def test_statements_are_sincere(self, talks: list[dominance.Played]) -> None:
        for one in talks:
            for seat, turn in one.transcript.turns:
                if isinstance(turn, dominance.StatePreference):
                    assert turn.statement in one.preferences["AB".index(seat)].statements(turn.criterion)

    def test_who_asks_and_who_rejects(self, talks: list[dominance.Played]) -> None:
        for one in talks:
            for seat, turn in one.transcript.turns:
                relation = one.relations["AB".index(seat)]
                assert not isinstance(turn, dominance.AskPreference) or relation == "submissive"
                assert not isinstance(turn, dominance.Reject) or relation != "submissive"

    def test_answers_are_about_what_was_heard(self, talks: list[dominance.Played]) -> None:
        for one in talks:
            for (_, heard), (_, item) in itertools.pairwise(one.transcript.turns):
                if isinstance(item, (dominance.Accept, dominance.Reject)):
                    assert heard == dominance.Propose(item.thing)
                if isinstance(item, dominance.Booking):
                    assert heard == dominance.Propose(item.option)

    def test_who_takes_what_it_does_not_like_is_submissive_and_has_called_it_less(
        self, talks: list[dominance.Played]
    ) -> None:
        """Among agents a submissive side gives in by proposing; that it also accepts is in the worked answers."""
        n_statements = 0
        for one in talks:
            for place, (seat, turn) in enumerate(one.transcript.turns):
                likes = one.preferences["AB".index(seat)]
                if not isinstance(turn, (dominance.Accept, dominance.Propose)) or not isinstance(turn.thing, Value):
                    continue
                name, stated_value = turn.thing.criterion, turn.thing.value
                if likes.score(name, stated_value) <= 0:
                    n_statements += 1
                    assert one.relations["AB".index(seat)] == "submissive"
                    assert (name, stated_value) in {u.statement[:2] for u in stated(one, seat, place)}
        assert (n_statements > 0) == ("submissive" in talks[0].relations)


def stated(one: dominance.Played, seat: str, before: int) -> list[dominance.StatePreference]:
    utterances = [turn.utterance for turn in one.transcript.turns[:before] if turn.seat == seat]
    return [utterance for utterance in utterances if isinstance(utterance, dominance.StatePreference)]


def test_the_dominant_gets_its_best_option_from_the_submissive(pairs: Pairs) -> None:
    for place, pair in enumerate((("dominant", "submissive"), ("submissive", "dominant"))):
        for one in pairs[pair]:  # type: ignore[index]
            assert one.transcript.option == one.preferences[place].ranked_options[0]


# --- renaming and mirroring ------------------------------------------------------------------------------------------


def renamed(transcript: dominance.Transcript, names: dict[str, str]) -> list[tuple[object, ...]]:
    def change(part: object) -> object:
        return tuple(names.get(one, one) for one in part) if isinstance(part, tuple) else names.get(str(part), part)

    return [(turn.seat, *(change(part) for part in plain(turn.utterance))) for turn in transcript.turns]


orders = st.fixed_dictionaries({name: st.permutations(values) for name, values in DOMAIN.criteria})


@pytest.mark.slow
@given(orders, orders, orders, st.sampled_from(PAIRS))
def test_renaming_the_values_renames_the_talk(
    a: dict[str, list[str]], b: dict[str, list[str]], names: dict[str, list[str]], pair: Pair
) -> None:
    """Values that change names in both orders alike change them in the talk, and nothing else."""
    new = {old: new for name, values in DOMAIN.criteria for old, new in zip(values, names[name], strict=True)}
    before, after = [
        dominance.talk(*(dominance.agent_of(r, Preferences.of(DOMAIN, o)) for r, o in zip(pair, sides, strict=True)))
        for sides in ((a, b), [{c: [new[v] for v in vs] for c, vs in o.items()} for o in (a, b)])
    ]
    # Within the domain's order names break no ties, as total orders have none.
    assert renamed(before, new) == renamed(after, {})
    assert before.ended == after.ended


@pytest.mark.slow
@given(orders, orders, st.sampled_from(PAIRS))
def test_swapping_seats_and_opener_mirrors_the_talk(
    a: dict[str, list[str]], b: dict[str, list[str]], pair: Pair
) -> None:
    one, other = (dominance.agent_of(r, Preferences.of(DOMAIN, o)) for r, o in zip(pair, (a, b), strict=True))
    transcript, back = dominance.talk(one, other), dominance.talk(other, one, opener="B")
    assert [turn.utterance for turn in transcript.turns] == [turn.utterance for turn in back.turns]
    assert [turn.seat for turn in transcript.turns] == ["BA"["AB".index(turn.seat)] for turn in back.turns]
    assert (transcript.ended, transcript.option) == (back.ended, back.option)


@pytest.mark.slow
@given(st.data())
def test_talks_of_partial_orders_about_few_options_are_sincere_and_end(data: st.DataObject) -> None:
    """Beyond the exhaustive table: orders that leave values open, and fewer options than combinations."""
    options = data.draw(st.lists(st.sampled_from(DOMAIN.options), min_size=1, max_size=6, unique=True))
    domain = Domain(DOMAIN.criteria, tuple(options))
    pair = data.draw(st.sampled_from(PAIRS))
    sides = []
    for relation in pair:
        partial = {}
        for name, values in domain.criteria:
            order = data.draw(st.permutations(values))
            every = [(less, more) for more, less in itertools.combinations(order, 2)]
            partial[name] = data.draw(st.lists(st.sampled_from(every), min_size=1))
        sides.append(dominance.agent_of(relation, Preferences.of(domain, partial)))
    transcript = dominance.talk(*sides)
    assert transcript.ended != "timeout"
    assert transcript.option is None or transcript.option in options
    for seat, turn in transcript.turns:
        likes = sides["AB".index(seat)].preferences
        if isinstance(turn, dominance.StatePreference) and ANY not in (turn.less, turn.more):
            assert likes.prefers(turn.criterion, turn.more, turn.less)


# --- readings --------------------------------------------------------------------------------------------------------

# Agreements and mean length of the pairs that a reading changes.
READINGS: list[tuple[dominance.Readings, dict[str, tuple[int, float | None]]]] = [
    (
        dominance.Readings(score="count"),
        {"dominant dominant": (66, None), "dominant peer": (216, None), "peer peer": (288, None)},
    ),
    (dominance.Readings(literal=True), {"peer peer": (178, 9.47), "peer dominant": (96, 8.54)}),
    (dominance.Readings(interleaved=True), {"dominant submissive": (288, 12.62)}),
    (dominance.Readings(option="each"), {"dominant peer": (24, 5.75), "peer peer": (40, 18.96)}),
    (dominance.Readings(options="last"), {"dominant peer": (24, 6.25), "peer peer": (40, 18.12)}),
    (dominance.Readings(times=1), {"dominant dominant": (12, 4.42), "peer peer": (184, 11.01)}),
    (dominance.Readings(times=3), {"dominant dominant": (12, 8.25), "peer peer": (184, 12.40)}),
    (dominance.Readings(times=5), {"dominant dominant": (12, 12.08), "peer peer": (184, 13.79)}),
]


@pytest.mark.slow
@pytest.mark.nightly(keep=1)
@pytest.mark.parametrize(
    ("readings", "expected"), READINGS, ids=lambda one: str(one) if isinstance(one, dominance.Readings) else ""
)
def test_readings(readings: dominance.Readings, expected: dict[str, tuple[int, float | None]]) -> None:
    for pair, (agreements, length) in expected.items():
        talks = dominance.every_profile(*pair.split(), readings=readings)
        assert sum(one.transcript.option is not None for one in talks) == agreements
        if length is not None:
            assert round(float(np.mean([len(one.transcript.turns) for one in talks])), 2) == length


@pytest.mark.nightly
def test_an_objection_on_either_side_changes_nothing(pairs: Pairs) -> None:
    """Only a submissive side looks at what it has objected to."""
    for pair in (pair for pair in PAIRS if "submissive" in pair):
        again = dominance.every_profile(*pair, readings=dominance.Readings(objected="either"))
        assert [one.transcript for one in again] == [one.transcript for one in pairs[pair]]


@pytest.mark.nightly
def test_what_readings_leave_as_it_is(pairs: Pairs) -> None:
    for pair in PAIRS:
        talks = dominance.every_profile(*pair, readings=dominance.Readings(interleaved=True))
        before, after = ([len(one.transcript.turns) for one in item] for item in (pairs[pair], talks))
        # The printed means are rounded to .01 each.
        assert pair == ("dominant", "submissive") or abs(np.mean(before) - np.mean(after)) <= 0.025
        if "submissive" in pair:
            for times in (1, 3, 5):
                again = dominance.every_profile(*pair, readings=dominance.Readings(times=times))
                assert [one.transcript for one in again] == [one.transcript for one in pairs[pair]]


def test_scores_follow_the_readings() -> None:
    agent = dominance.agent_of("peer", A, dominance.Readings(score="count"))
    assert agent.preferences == replace(A, scoring="count")
