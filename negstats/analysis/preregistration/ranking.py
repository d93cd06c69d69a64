"""Which questions can be asked of a study, and how many points speak for each.

A question is an outcome with nothing, a factor, two crossed factors, or a number beside it. Each has evidence: what the
outcome is, what the factor is and how it lies, and the form of the question. `WEIGHTS` says how many points each piece
is worth, and the sum is the question's place.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import narwhals as nw

from negstats.analysis.plan.model import Question
from negstats.analysis.preregistration.draft_factors import NEVER, DraftFactor
from negstats.analysis.preregistration.draft_outcomes import (
    OF_MAPPING,
    OneOffer,
    Outcome,
    separate_seats,
    tells_partners,
    whose,
)
from negstats.analysis.preregistration.draft_words import word_question
from negstats.analysis.preregistration.study_view import EVEN_P, StudyView, is_too_even
from negstats.analysis.questions.frames import home
from negstats.analysis.roles import UNCLEAR, role_of

# What each piece of evidence is worth. An outcome that people decided, compared over what was assigned, comes first.
WEIGHTS: Mapping[str, float] = MappingProxyType({
    # what the outcome is
    "a decision of a person": 5,
    "a number that the mapping names": 4,
    "the points of a seat": 3,
    "the joint value": 2.5,
    "seats have agreed on it, or have not": 1,
    "how games ended": 2.5,
    "an answer about the game": 2.5,
    "whether a goal was reached": 2,
    "a code of the talk": 1.2,
    "an amount": 1,
    "an amount that those who answer did not choose": -1,
    "the talk": 1,
    "an answer about the person": 0.5,
    "the course of a game": 0,
    "derived from other numbers": -1,
    "all games ended alike": -5,
    # what its name and its values say
    "it is named as a choice": 1,
    "it is named as a result": 0.5,
    "it is named as an outcome": 0.2,
    "it follows from what is chosen": -1.75,
    "it is one of many items": -0.5,
    "it is the mean of decisions side by side": 0.5,
    "other numbers follow from it": 1,
    "it is named as others' choice": -1,
    "it is named as a belief": -1,
    "it is named as measured before": -1,
    "it is named as the course of a game": -1,
    "it is named as a setting": -1,
    **{f"it is named as a {role}": -1 for role in (
        "technical setting", "order", "repetition", "quality flag", "trait", "different games", "data split")},
    "its values are those of a rating": -1,
    "its values hardly repeat, as those that are measured": -1.25,
    "its few values occur as often as if they were drawn": -1.5,
    "it is nearly always the same": -6,
    "its values occur equally often, as settings do": -2.5,
    "it stands in blocks of games, as settings do": -2.5,
    "units are alike in it, as in what they are shown": -2.5,
    "it is the same in all games of a unit": -2.5,
    "each level of a factor has one number": -2.5,
    "it numbers the rows": -6,
    "it runs on from row to row": -4,
    # what the factor is, and how it lies
    "role: condition": 4,
    "role: factor of the games": 3,
    "role: agent or strategy": 3,
    "role: trait": 1.5,
    "role: role in the game": -2,
    "role: order": -2,
    "role: unclear": -2,
    "role: technical setting": -2,
    "role: different games": -2,
    "it is stated to be assigned": 1,
    "it is stated not to be assigned": -3,
    "its levels occur equally often": 0.5,
    "it changes within units, not by a design": -3,
    "it has many levels": -1,
    # the form of the question
    "nothing is compared": -2,
    "two factors are crossed": 1.5,
    "what was set is crossed with something else": 0,
    "their cells are equally large": 1.5,
    "more than two factors may have been assigned": -3.5,
    "acceptance and the amount that is answered": 3,
    "a reply and the choice before it": 1,
    "a decision and what it answers": 1.5,
    "a decision and who somebody is": 0.5,
    "a decision and another number": 0,
    "a result and what who plays is like": 1.5,
    "a result and how it was opened": -1,
    "agents are compared by what they get": 1.5,
    "it is of the agents that people meet": -2,
    "levels say whom people meet, who answer": 4,
    "levels say whom people meet, who do not decide this": -3,
})  # fmt: skip
ASSIGNED = frozenset({"condition", "factor of the games", "agent or strategy"})
MARGIN = 1.75  # points behind the first question, up to which others are drafted
MARGIN_OFFERED = 5  # points behind it, up to which questions about something else are offered
LEAST_OFFERED = 2  # points of the outcome of a question that is offered
MOST_CELLS = 12  # of two crossed factors
MANY_LEVELS = 8
FEWEST = 2  # units at each level, without which no test is asked for
# What a number is that a decision may answer.
_ANSWERED = frozenset({
    "it is named as others' choice", "it is named as a belief", "its values occur equally often, as settings do",
    "units are alike in it, as in what they are shown",
})  # fmt: skip
_OPENING = "first_amount"
_OF_LEVELS = "each level of a factor has one number"
# What a number is that a decision may go with where nothing was set, and what it must not be.
_SINGLE = frozenset({OF_MAPPING, "an answer about the game", "an answer about the person"})
_NO_PARTNER = _ANSWERED | {"it is one of many items", "it follows from what is chosen", _OF_LEVELS}
# What agents that differ are compared by.
_RESULTS = frozenset({
    "the points of a seat", "the joint value", "it is named as a result", "it is named as an outcome",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question that can be asked of a study.

    Attributes
    ----------
    question : Question
        As a plan holds it.
    outcome : Outcome
        What is measured.
    factors : tuple of DraftFactor
        What is compared.
    evidence : tuple of str
        What speaks for and against it, each piece with its points in `WEIGHTS`.
    related : Outcome or None
        The number beside the outcome.
    id : str
        Its id in the draft; empty where it is offered only.
    refusal : str or None
        Why it is not drafted though its points would do; None where it has a test, or was not tried.
    """

    question: Question
    outcome: Outcome
    factors: tuple[DraftFactor, ...]
    evidence: tuple[str, ...]
    related: Outcome | None = None
    id: str = ""
    refusal: str | None = None

    @property
    def points(self) -> float:
        """The sum of the points of its evidence."""
        return sum(WEIGHTS[piece] for piece in self.evidence)

    @property
    def is_hypothesis(self) -> bool:
        """Whether it may be more than an exploration: what it compares was assigned, or answers are related."""
        if not self.factors:
            return "acceptance and the amount that is answered" in self.evidence
        return any(factor.role.name in ASSIGNED for factor in self.factors)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON holds it."""
        question = self.question
        return {
            "id": self.id,
            "asks": question.asks,
            "measure": self.outcome.measure,
            "who": question.who,
            "by": list(question.by),
            "with": list(question.with_),
            "explore": question.explore,
            "points": self.points,
            "evidence": {piece: WEIGHTS[piece] for piece in self.evidence},
            "refusal": self.refusal,
        }


def derive_questions(
    view: StudyView, factors: Sequence[DraftFactor], outcomes: Sequence[Outcome], offer: OneOffer | None
) -> Iterator[Proposal]:
    """Yield each question that can be asked: outcomes with nothing, with factors, and with numbers beside them."""
    usable = [factor for factor in factors if not factor.why_not and not factor.twin and factor.role.name not in NEVER]
    n_rivals = _count_rivals([factor for factor in usable if factor.of_games])
    pairs = [
        (first, second, form)
        for first, second in itertools.combinations(usable, 2)
        if (form := _describe_crossing(view, first, second, n_rivals))
    ]
    # What tells people apart is no outcome.
    outcomes = [outcome for outcome in outcomes if f"answers.{outcome.name}" not in {each.column for each in usable}]
    bare = ("nothing is compared",) if any(factor.of_games for factor in usable) else ()
    for outcome in outcomes:
        seats = separate_seats(view, outcome)
        # a measure of the whole game has no seats to compare, but for games of one seat
        has_seats = outcome.per != "game" or view.has_one_seat
        comparable = [factor for factor in usable if factor.of_games or has_seats]
        yield _build(view, outcome, (), offer, bare)
        for factor in comparable:
            yield from _build_each(view, outcome, (factor,), offer, _weigh(view, factor, outcome, offer), seats)
        for first, second, form in pairs:
            if first in comparable and second in comparable:
                weighed = [_weigh(view, factor, outcome, offer) for factor in (first, second)]
                lesser = min(weighed, key=lambda evidence: sum(WEIGHTS[piece] for piece in evidence))
                yield from _build_each(view, outcome, (first, second), offer, (*lesser, *form), seats)
    yield from _relate(view, outcomes, offer, is_anything_set=any(factor.of_games for factor in usable))


def rank_twins(factors: Sequence[DraftFactor]) -> list[DraftFactor]:
    """Return the factors; of those whose levels pair off one to one, all but the one with most points have a twin."""
    first_of = dict[str, DraftFactor]()
    for factor in factors:
        group = factor.twin or factor.name
        if group not in first_of or _rank_of(factor) > _rank_of(first_of[group]):
            first_of[group] = factor
    firsts = {factor.name: first_of[factor.twin or factor.name].name for factor in factors}
    return [replace(factor, twin=first if (first := firsts[factor.name]) != factor.name else "") for factor in factors]


def _rank_of(factor: DraftFactor) -> tuple[float, int]:
    """Return the points of a factor and, to choose among equals, how few letters its levels take."""
    return _points_of(factor), -sum(map(len, factor.levels))


def _points_of(factor: DraftFactor) -> float:
    return sum(WEIGHTS[piece] for piece in factor.evidence if factor.role.name not in NEVER)


def _count_rivals(factors: Sequence[DraftFactor]) -> int:
    """Return how many factors may have been assigned, with about as many points as the first of them."""
    points = [_points_of(factor) for factor in factors if factor.role.name in ASSIGNED]
    return sum(point > max(points) - MARGIN for point in points)


def _weigh(view: StudyView, factor: DraftFactor, outcome: Outcome, offer: OneOffer | None) -> tuple[str, ...]:
    """Return what speaks for and against comparing an outcome over a factor."""
    evidence = [*factor.evidence]
    if not _RESULTS.isdisjoint(outcome.evidence) and _names_agents(view, factor):
        evidence.append("agents are compared by what they get")
    if len(factor.levels) > MANY_LEVELS and factor.role.name != "agent or strategy":
        evidence.append("it has many levels")
    if offer is not None and offer.answered and factor.role.name in ASSIGNED and tells_partners(factor.levels):
        if outcome.name == "agreed" and offer.chosen:
            evidence.append("levels say whom people meet, who answer")
        elif outcome.name == offer.amount and offer.chosen:
            evidence.append("levels say whom people meet, who do not decide this")
    return tuple(evidence)


def _names_agents(view: StudyView, factor: DraftFactor) -> bool:
    """Whether the levels of a factor are the agents that play: models are tested for how well they do."""
    agents = {*view.seats("agent")}
    return len(agents) > 1 and bool(factor.levels) and agents >= {*factor.levels}


def _build_each(
    view: StudyView,
    outcome: Outcome,
    factors: tuple[DraftFactor, ...],
    offer: OneOffer | None,
    evidence: tuple[str, ...],
    seats: Sequence[str],
) -> Iterator[Proposal]:
    """Yield a question, and where it is about what one of two seats got the same about the other's."""
    first = _build(view, outcome, factors, offer, evidence)
    yield first
    if first.question.who in seats:
        of_agents = ("it is of the agents that people meet",) if first.question.who == "human" else ()
        for seat in seats:
            if seat != first.question.who:
                yield _build(view, outcome, factors, offer, (*evidence, *of_agents), who=seat)


def _build(
    view: StudyView,
    outcome: Outcome,
    factors: tuple[DraftFactor, ...],
    offer: OneOffer | None,
    evidence: tuple[str, ...],
    related: Outcome | None = None,
    who: str | None = None,
) -> Proposal:
    first = factors[0] if factors else None
    seat_factor = next((factor for factor in factors if factor.column.startswith("players.")), None)
    role = first.role if first else UNCLEAR
    who = who or whose(view, outcome, offer, first.name if first else None, first.levels if first else (), role)
    if seat_factor is not None:  # seats are compared with each other
        who = None
    answered = offer is not None and offer.answered
    asks = word_question(outcome, factors, who, related, answered=answered)
    question = Question(
        asks,
        outcome.name,
        who=who,
        by=tuple(sorted(factor.name for factor in factors)),
        with_=(related.name,) if related else (),
    )
    return Proposal(question, outcome, factors, (*outcome.evidence, *evidence), related)


def _relate(
    view: StudyView, outcomes: Sequence[Outcome], offer: OneOffer | None, *, is_anything_set: bool
) -> Iterator[Proposal]:
    """Yield questions about two numbers: acceptance and the amount, a reply and the choice before it, and traits."""
    by_name = {outcome.name: outcome for outcome in outcomes}
    thresholds = "least_acceptable" in by_name  # an acceptance follows from the amount and the threshold
    if offer is not None and offer.answered and not thresholds and {"agreed", offer.share} <= set(by_name):
        agreed = replace(by_name["agreed"], evidence=("a decision of a person",))
        form = ("acceptance and the amount that is answered",)
        yield _build(view, agreed, (), offer, form, by_name[offer.share])
    yield from _relate_replies(view, by_name, offer)
    traits = [
        outcome
        for outcome in outcomes
        if outcome.evidence[0] == "an answer about the person"
        and role_of(outcome.name, (), of_games=False).name == "trait"
    ]
    yield from _relate_numbers(view, [each for each in outcomes if each not in traits], offer, is_anything_set)
    for outcome in outcomes:
        if not is_decision(outcome):
            continue
        for stimulus in outcomes:
            if stimulus is not outcome and stimulus.per == outcome.per and not _ANSWERED.isdisjoint(stimulus.evidence):
                yield _build(view, outcome, (), offer, ("a decision and what it answers",), stimulus)
        for trait in traits if outcome.per != "game" or view.has_one_seat else ():
            yield _build(view, outcome, (), offer, ("a decision and who somebody is",), trait)


def _relate_replies(view: StudyView, outcomes: Mapping[str, Outcome], offer: OneOffer | None) -> Iterator[Proposal]:
    """Yield questions about replies and what they answer, and about results and how a talk was opened."""
    for reply in outcomes.values():
        for choice in (outcomes[name] for name in reply.replies_to if name in outcomes):
            if reply.per == choice.per:
                yield _build(view, reply, (), offer, ("a reply and the choice before it",), choice)
    for result in outcomes.values() if offer is None and _OPENING in outcomes else ():
        if "the points of a seat" in result.evidence or OF_MAPPING in result.evidence:
            yield _build(view, result, (), offer, ("a result and how it was opened",), outcomes[_OPENING])


def _relate_numbers(
    view: StudyView, outcomes: Sequence[Outcome], offer: OneOffer | None, is_anything_set: bool
) -> Iterator[Proposal]:
    """Yield questions about what was decided and other numbers: what people answered, and where nothing was set all.

    Another number is no further decision of a series, and nothing that comes of one. That a number is a trait, or was
    shown, is asked about as such; and with what those who play are like, results are asked about too.
    """
    of_levels = [outcome for outcome in outcomes if _OF_LEVELS in outcome.evidence]
    decisions = [outcome for outcome in outcomes if is_decision(outcome)]
    for outcome in dict.fromkeys([*decisions, *(each for each in outcomes if not _RESULTS.isdisjoint(each.evidence))]):
        for number in of_levels if outcome not in of_levels else ():
            if view.has_one_seat or number.per == outcome.per:
                yield _build(view, outcome, (), offer, ("a result and what who plays is like",), number)
    most = max(map(points_of, decisions), default=0)
    able = {"an answer about the person"} if is_anything_set else _SINGLE
    for outcome in decisions if most else ():
        for number in outcomes if points_of(outcome) == most else ():
            is_other = number is not outcome and number.name not in outcome.decisions
            is_near = view.has_one_seat or (number.per == outcome.per and is_anything_set)
            is_single = number.evidence[0] in able and not number.decisions
            if is_other and is_near and is_single and _NO_PARTNER.isdisjoint(number.evidence):
                yield _build(view, outcome, (), offer, ("a decision and another number",), number)


def points_of(outcome: Outcome) -> float:
    """Return the points of what an outcome is."""
    return sum(WEIGHTS[piece] for piece in outcome.evidence)


def is_decision(outcome: Outcome) -> bool:
    """Whether an outcome is what somebody decided, and not what was set, believed or done by others."""
    of_decisions = outcome.evidence[0] in ("a decision of a person", "a number that the mapping names")
    return of_decisions and all(WEIGHTS[piece] > 0 for piece in outcome.evidence)


def is_offered(proposal: Proposal) -> bool:
    """Whether a question behind the first ones is worth a place: a result by what nothing speaks against comparing."""
    of_outcome = proposal.outcome.evidence
    of_rest = proposal.evidence[len(of_outcome) :]
    is_result = points_of(proposal.outcome) >= LEAST_OFFERED
    return bool(of_rest) and is_result and all(WEIGHTS[piece] >= 0 for piece in of_rest)


def _describe_crossing(
    view: StudyView, draft_factor: DraftFactor, other: DraftFactor, n_rivals: int
) -> tuple[str, ...]:
    """Return what speaks for a question about two factors; nothing where their levels are not crossed in the games.

    Of what was set for games and who people are, whether units have all cells shows when the question is tried.
    """
    cells = len(draft_factor.levels) * len(other.levels)
    if not {draft_factor.role.name, other.role.name} & ASSIGNED or cells > MOST_CELLS:
        return ()
    if not (draft_factor.of_games and other.of_games):
        is_moderator = draft_factor.of_games and other.role.name == "trait"
        return ("what was set is crossed with something else",) if is_moderator else ()
    games = view.study.frame("games").select(first=nw.col(draft_factor.name), second=nw.col(other.name)).drop_nulls()
    counts = home(games.group_by("first", "second").agg(n=nw.len()))["n"].to_numpy()
    if len(counts) < cells or int(counts.min()) < FEWEST:
        return ()
    if not {draft_factor.role.name, other.role.name} <= ASSIGNED:
        return ("what was set is crossed with something else",)
    form = ["two factors are crossed"]
    if is_too_even(counts, EVEN_P):
        form.append("their cells are equally large")
    if n_rivals > 2:
        form.append("more than two factors may have been assigned")
    return tuple(form)
