"""The questions that a draft asks: the first of the ranking that have a test, and a plan of them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from negstats.analysis import rules
from negstats.analysis.plan.consistency import without_data
from negstats.analysis.plan.faults import Faults
from negstats.analysis.plan.model import Data, Factor, Family, Measure, Plan
from negstats.analysis.preregistration.draft_factors import DraftFactor, find_factors
from negstats.analysis.preregistration.draft_outcomes import (
    find_outcomes,
    one_offer,
    range_of,
    range_of_deals,
    series_name,
)
from negstats.analysis.preregistration.draft_words import word_question
from negstats.analysis.preregistration.ranking import (
    FEWEST,
    MARGIN,
    MARGIN_OFFERED,
    Proposal,
    derive_questions,
    is_offered,
    points_of,
    rank_twins,
)
from negstats.analysis.preregistration.study_checks import count_attendance, count_values, find_faults
from negstats.analysis.preregistration.study_view import StudyView
from negstats.analysis.questions.frames import home
from negstats.analysis.questions.linked import LinkedGames
from negstats.analysis.questions.units import measured
from negstats.analysis.roles import labels_of
from negstats.errors import NegstatsError, UsageError
from negstats.studies.records import refuse_stops
from negstats.studies.study import Study

MOST = 4  # questions of a draft; of a series of like decisions `MOST_OF_SERIES`
MOST_OF_SERIES = 6
MOST_OFFERED = 7  # questions of a draft with those that are offered behind its first ones, to be explored
MOST_OF_FIRST = 3  # of these about the first outcome
MOST_ALSO = 16  # questions that a draft lists behind its own
SAME_ROWS = (
    0.95  # of the values of two outcomes that stand in the same rows, where one may be the other in another form
)
RIVALS = 1  # points behind the first question, up to which a factor may be what the study was made for as well


@dataclass(frozen=True, slots=True)
class Proposals:
    """The plan that is drafted, and the questions it was chosen from.

    Attributes
    ----------
    plan : Plan
        The first questions with what they name.
    ranked : tuple of Proposal
        All questions, the most points first.
    factors : tuple of DraftFactor
        All factors, those that are never compared too.
    linked_games : LinkedGames
        The units.
    also : Plan
        Questions behind these that have a test, too: at most `MOST_ALSO`.
    """

    plan: Plan
    ranked: tuple[Proposal, ...]
    factors: tuple[DraftFactor, ...]
    linked_games: LinkedGames
    also: Plan

    @property
    def drafted(self) -> list[Proposal]:
        """The questions of the draft."""
        return [proposal for proposal in self.ranked if proposal.id]


_NO_GAMES = "the study has no games; load logs that hold some"


def propose(study: Study) -> Proposals:
    """Return the questions that can be asked of a study, and the first of them as a plan.

    Parameters
    ----------
    study
        The study. Outcomes are looked at for whether they vary and can be computed, never for what came of a factor.

    Raises
    ------
    UsageError
        If no question can be asked of the study, or it is not certain what its games and people are.

    Examples
    --------
    >>> import negstats
    >>> first = propose(negstats.load("datasets/sample")).drafted[0]
    >>> first.question.measure, first.question.by, first.points
    ('points', ('condition',), 8.5)
    """
    refuse_stops(study.provenance.records, study.provenance.accepted)
    view = StudyView(study)
    if not view.games:
        is_survey = len(study.answers) > 0
        cure = "load it with the logs of its games, or with --map: negstats map FILE > mapping.toml"
        raise UsageError(f"the study is a survey without games; {cure}" if is_survey else _NO_GAMES)
    linked_games, unit = view.usual_units()
    data = Data(unit=unit)
    factors, offer = rank_twins(find_factors(view, linked_games)), one_offer(view)
    outcomes = find_outcomes(view, offer, linked_games)
    ranked = sorted(derive_questions(view, factors, outcomes, offer), key=lambda proposal: -proposal.points)
    chosen = _choose(view, ranked, data)
    if not any(proposal.id for proposal in chosen):
        refusal = next((proposal.refusal for proposal in chosen if proposal.refusal), None)
        no_measure = "no measure of this study can be computed; negstats docs glossary says what each needs"
        raise UsageError(f"no question of this study can be tested: {refusal}" if refusal else no_measure)
    drafted = sorted((proposal for proposal in chosen if proposal.id), key=lambda proposal: proposal.id[0] != "H")
    plan = _build_plan(drafted, data)
    also = _build_plan(list(_find_also(view, chosen, data)), data)
    return Proposals(plan, tuple(chosen), tuple(factors), linked_games, also)


def _choose(view: StudyView, ranked: Sequence[Proposal], data: Data) -> list[Proposal]:
    """Return the questions with an id for those that are drafted, and why others with as many points are not."""
    chosen, drafted, members = list(ranked), list[Proposal](), Counter(map(series_of, ranked))
    for place, proposal in enumerate(ranked):
        if drafted and proposal.points < drafted[0].points - MARGIN:
            break
        if not _has_room(proposal, drafted) or any(_overlaps(proposal, other) for other in drafted):
            continue
        if drafted and members[series_of(proposal)] > MOST_OF_SERIES and not _is_alike(proposal, drafted[0]):
            continue  # the items of a scale stand behind a decision
        twin = next((other for other in drafted if _is_rescaled(view, proposal, other)), None)
        if twin is not None:
            proposal = replace(proposal, refusal=f"it is a rescaling of {twin.outcome.name}")
        else:
            proposal = _try(view, proposal, data)
        if proposal.refusal is None:
            drafted.append(proposal)
            proposal = replace(proposal, id="drafted")
        chosen[place] = proposal
    return _name(_offer_others(view, chosen, data))


def _offer_others(view: StudyView, ranked: Sequence[Proposal], data: Data) -> list[Proposal]:
    """Return the questions; behind the first ones those with the most points about something else are drafted too.

    What a study was made for may stand in a column that looks like many others. So while there is room the first
    outcome is held against a few things more, and then other outcomes are asked about.
    """
    chosen, drafted = list(ranked), [proposal for proposal in ranked if proposal.id]
    members = Counter(map(series_of, ranked))
    # What is nearly as good as the first question: some more about its outcome come before other outcomes.
    others = [
        (place, proposal)
        for place, proposal in enumerate(ranked)
        if drafted
        and proposal.points >= drafted[0].points - MARGIN_OFFERED
        and not (proposal.id or proposal.refusal)
        and is_offered(proposal)
    ]
    of_first = [(place, other) for place, other in others if other.outcome == drafted[0].outcome]
    # Of the numbers beside it one is enough, where something that was set is compared.
    is_compared = any(factor.of_games for other in drafted for factor in other.factors)
    beside = [each for each in of_first if is_compared and not each[1].factors][1:]
    of_first = [*(each for each in of_first if each not in beside), *beside]
    of_others = [(place, other) for place, other in others if other.outcome != drafted[0].outcome]
    n_first = min(MOST_OF_FIRST, len(of_first) - len(beside))
    for place, proposal in [*of_first[:n_first], *of_others, *of_first[n_first:]]:
        if len(drafted) >= MOST_OFFERED:
            break
        is_long = members[series_of(proposal)] > MOST_OF_SERIES
        if not _is_new(proposal, drafted, is_long=is_long):
            continue
        if any(_is_rescaled(view, proposal, other) for other in drafted):
            continue
        chosen[place] = proposal = _try(view, proposal, data)
        if proposal.refusal is None:
            chosen[place] = replace(proposal, id="offered")
            drafted.append(chosen[place])
    return chosen


def _find_also(view: StudyView, ranked: Sequence[Proposal], data: Data) -> Iterator[Proposal]:
    """Yield questions behind the draft: what it leaves out of outcomes and of factors, and then what comes next.

    What a study was made for may be any of its outcomes, and any of its factors. So each other outcome stands in one
    question, and so does each other factor, with the most points that it has; those that remain come behind these.
    """
    drafted = [proposal for proposal in ranked if proposal.id]
    outcomes, factors = ({*names} for names in zip(*map(_keys_of, drafted), strict=True))
    open_questions = [proposal for proposal in ranked if _is_open(proposal, drafted)]
    offered, tried = list[Proposal](), list[Proposal]()
    for is_first in (True, False):
        for proposal in open_questions:
            outcome, factor = _keys_of(proposal)
            is_new = outcome not in outcomes or factor not in factors
            is_next = is_new if is_first else len(factor) == 1
            if not is_next or proposal in tried or max(len(offered), len(tried) / 2) >= MOST_ALSO:
                continue
            tried.append(proposal)
            attempt = _try(view, proposal, data)
            if attempt.refusal is None:
                offered.append(attempt)
                outcomes.add(outcome)
                factors.add(factor)
    for number, proposal in enumerate(offered, start=1 + len(drafted)):
        yield replace(proposal, id=f"E{number}", question=replace(proposal.question, explore=True))


def _keys_of(proposal: Proposal) -> tuple[str, tuple[str, ...]]:
    """Return the series of outcomes that a question is about, and what it is held against."""
    return series_name(proposal.outcome.name), (*proposal.question.by, *proposal.question.with_)


def _is_open(proposal: Proposal, drafted: Sequence[Proposal]) -> bool:
    """Whether a question behind a draft holds an outcome against something, and no drafted question answers it too."""
    if proposal.id or proposal.refusal or not (proposal.factors or proposal.related):
        return False
    is_outcome = points_of(proposal.outcome) >= 0
    own = (proposal.outcome.name, proposal.question.who, proposal.question.with_)
    return is_outcome and not any(
        own == (other.outcome.name, other.question.who, other.question.with_)
        and {*proposal.question.by} < {*other.question.by}
        for other in drafted
    )


def _is_new(proposal: Proposal, drafted: Sequence[Proposal], *, is_long: bool) -> bool:
    """Whether no question of a draft holds the same outcome, or one of its series if that is long, against the same."""
    own, call = {*proposal.question.by, *proposal.question.with_}, series_name if is_long else str
    return not any(
        (call(proposal.outcome.name) == call(other.outcome.name) or proposal.outcome.name in other.outcome.decisions)
        and own & {*other.question.by, *other.question.with_}
        for other in drafted
    )


def _has_room(proposal: Proposal, drafted: Sequence[Proposal]) -> bool:
    """Whether a draft may take a question more: one of a series of like decisions has more room than others."""
    if len(drafted) < MOST:
        return True
    of_series = any(_is_alike(proposal, other) for other in drafted)
    return of_series and len(drafted) < MOST_OF_SERIES


def _is_alike(proposal: Proposal, other: Proposal) -> bool:
    """Whether two questions are of one series."""
    return series_of(proposal) == series_of(other)


def series_of(proposal: Proposal) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return what questions of one series share: the name without its numbers, the factors, and what is related."""
    return series_name(proposal.outcome.name), proposal.question.by, proposal.question.with_


def _overlaps(proposal: Proposal, other: Proposal) -> bool:
    """Whether a draft with a question needs another no more: it is a part of it or holds it, or compares nothing."""
    own, drafted = set(proposal.question.by), set(other.question.by)
    if proposal.outcome.name in other.outcome.decisions:
        return True  # their mean is asked about
    if not own and not proposal.question.with_:
        return len(drafted) > 0  # a mean stands beside each comparison anyway
    is_nested = len(own & drafted) == min(len(own), len(drafted)) > 0
    is_same = proposal.outcome.name == other.outcome.name and proposal.question.who == other.question.who
    return is_same and is_nested


def _is_rescaled(view: StudyView, proposal: Proposal, other: Proposal) -> bool:
    """Whether two questions are about one number, in two forms, and the other compares all that the first does."""
    is_compared = {*proposal.question.by} <= {*other.question.by}
    same_way = is_compared and proposal.question.with_ == other.question.with_
    outcome, other_outcome = proposal.outcome, other.outcome
    if not same_way or outcome.name == other_outcome.name:
        return False
    if {outcome.name, other_outcome.name} == {"joint_value", "points"}:
        # Where all seats count, their mean is their sum in another form.
        return (proposal.question.who, other.question.who) == (None, None)
    if set(outcome.sources) & set(other_outcome.sources):
        return True
    if not view.study.in_memory:
        return False
    values = [home(measured(view.study, view.measure(outcome.measure), who))
              for outcome, who in ((outcome, proposal.question.who), (other_outcome, other.question.who))]  # fmt: skip
    known_values = [frame.dropna(subset=["value"]) for frame in values]
    keys = [name for name in known_values[0].columns if name != "value" and name in known_values[1].columns]
    pairs = known_values[0].merge(known_values[1], on=keys)[["value_x", "value_y"]].to_numpy(dtype="float64")
    if len(pairs) < SAME_ROWS * max(map(len, known_values)):  # one is known where the other is not: another measure
        return False
    if len(pairs) < FEWEST + 1 or not (np.ptp(pairs, axis=0) > 0).all():
        return False
    return bool(abs(np.corrcoef(pairs.T)[0, 1]) > 1 - 1e-9)


def _try(view: StudyView, proposal: Proposal, data: Data) -> Proposal:
    """Return a question that has a test, without levels that are too rare; else with the reason why it has none."""
    constant = None if proposal.question.with_ else _find_constant(view, proposal)
    if constant is not None:
        return replace(proposal, refusal=constant)
    refusal = find_refusal(_build_plan([proposal], data), view)
    if refusal is None or not proposal.factors:
        return replace(proposal, refusal=refusal)
    factors = tuple(_only_with_units(view, proposal, factor, data) for factor in proposal.factors)
    if factors == proposal.factors:
        return replace(proposal, refusal=refusal)
    asks = word_question(proposal.outcome, factors, proposal.question.who, None)
    reduced = replace(proposal, factors=factors, question=replace(proposal.question, asks=asks))
    return replace(reduced, refusal=find_refusal(_build_plan([reduced], data), view))


def find_refusal(plan: Plan, view: StudyView) -> str | None:
    """Return why the first question of a plan has no test, or would be doubted by a check; None if all is well."""
    try:
        faults = Faults(plan.file)
        without_data(plan, faults, list(plan.questions))
        wrong = faults.sorted() or find_faults(plan, view.study)
        if wrong:
            return wrong[0].reason
        name, remaining_rows = next(iter(plan.questions)), view.leave_out(plan)
        who = count_attendance(plan, name, remaining_rows, StudyView(remaining_rows.study).linked(plan.data.unit))
        if plan.questions[name].by and not bool((who.cells["n"] >= FEWEST).all()):
            smallest_cell = who.cells.iloc[int(who.cells["n"].to_numpy().argmin())]
            return f"a cell has {int(smallest_cell['n'])} of the {FEWEST} units that a test needs at least"
        if not rules.choose_rule(who.design.features).rule.test:
            return "this design has no test"
        if plan.questions[name].by and StudyView(remaining_rows.study).is_of_units(plan, name, remaining_rows):
            return "each unit has one value, whatever the levels at which it stands"
    except NegstatsError as error:
        return str(error)
    return None


def _only_with_units(view: StudyView, proposal: Proposal, factor: DraftFactor, data: Data) -> DraftFactor:
    """Return a factor without the levels at which fewer than two units have a value, if two levels remain."""
    alone = replace(proposal, factors=(factor,), question=replace(proposal.question, by=(factor.name,)))
    plan = _build_plan([alone], data)
    try:
        question = next(iter(plan.questions.values()))
        _, cells = count_values(plan, question, view, view.leave_out(plan), view.linked(plan.data.unit))
    except NegstatsError:
        return factor
    if factor.name not in cells:
        return factor
    n_units = {str(level): int(n) for level, n in zip(cells[factor.name], cells["n"], strict=True)}
    levels = tuple(level for level in factor.levels if n_units.get(level, 0) >= FEWEST)
    if len(levels) < 2 or levels == factor.levels:
        return factor
    too_few = tuple(level for level in factor.levels if level not in levels)
    return replace(factor, levels=levels, too_few=too_few, fewest=min(n_units[level] for level in levels))


def _find_constant(view: StudyView, proposal: Proposal) -> str | None:
    """Return why an outcome has one value wherever it is compared; None where it varies.

    The joint value of games with a deal may be one, and where games are compared so may be what their seats have in the
    mean: there is one winner in each.
    """
    outcome, who = proposal.outcome, proposal.question.who
    definition = view.measure(outcome.measure)
    if definition.arrays and not view.study.in_memory:
        return None
    of_deals = range_of_deals(view) if outcome.name == "joint_value" else None
    values = measured(view.study, definition, who)
    if not (range_of(values) if of_deals is None else of_deals):
        return f"{outcome.name} has one value"
    factors = proposal.factors
    if outcome.per == "player" and who is None and factors and all(factor.of_games for factor in factors):
        value = nw.col("value")
        if not range_of(values.group_by("game_id").agg(value.mean())):
            return f"the seats of a game have as much of {outcome.name} together in each"
    return None


def _name(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the questions with ids: H1, H2, ... for hypotheses, E1, E2, ... for explorations.

    A question is a hypothesis if what it compares was assigned. Of three factors or more that come alike, none
    is known to be the one that the study was made for, so that all are explored; and so is what is called as a belief,
    a setting or a time beside the first outcome.
    """
    drafted = [proposal for proposal in proposals if proposal.id]
    alike = [
        proposal
        for proposal in proposals
        if drafted and proposal.outcome == drafted[0].outcome and proposal.points > drafted[0].points - RIVALS
    ]
    rivals = {proposal.question.by for proposal in alike if proposal.is_hypothesis and len(proposal.factors) == 1}
    numbers = {"H": itertools.count(1), "E": itertools.count(1)}
    named = []
    for proposal in proposals:
        if proposal.id:
            is_rival = len(rivals) > 2 and bool(proposal.factors)
            is_beside = proposal is not drafted[0] and proposal.outcome.is_named_otherwise
            explored = proposal.id == "offered" or not proposal.is_hypothesis or is_rival or is_beside
            kind = "E" if explored else "H"
            question = replace(proposal.question, explore=explored)
            proposal = replace(proposal, id=f"{kind}{next(numbers[kind])}", question=question)
        named.append(proposal)
    return named


def _build_plan(proposals: Sequence[Proposal], data: Data) -> Plan:
    """Return a plan of these questions, with the factors and the study's own measures that they name."""
    factors = {factor.name: factor for proposal in proposals for factor in proposal.factors}
    outcomes = [outcome for proposal in proposals for outcome in (proposal.outcome, proposal.related)]
    own = {outcome.name: outcome for outcome in outcomes if outcome is not None and outcome.is_own}
    questions = {proposal.id or "H1": proposal.question for proposal in proposals}
    series: dict[Any, list[Proposal]] = {}
    for proposal in proposals:
        series.setdefault((*series_of(proposal), proposal.question.explore), []).append(proposal)
    families = [members for members in series.values() if len(members) > 1]
    return Plan(
        data=data,
        factors={name: Factor(factor.column, factor.levels, labels=labels_of(factor.levels))
                 for name, factor in factors.items()},
        measures={name: Measure(outcome.measure, kind=outcome.kind) for name, outcome in own.items()},
        questions=questions,
        families={f"series{place}": Family(tuple(sorted(member.id for member in members)))
                  for place, members in enumerate(families, start=1)},
    )  # fmt: skip
