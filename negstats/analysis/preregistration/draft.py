"""A plan to start from, as text: the questions that `proposals` ranks first, each with a line on why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from negstats import metrics
from negstats.analysis.plan.model import Question, default_column
from negstats.analysis.preregistration.draft_factors import DraftFactor, games_at
from negstats.analysis.preregistration.draft_outcomes import (
    Outcome,
    is_result_of_seats,
    range_of_sums,
    separate_seats,
    series_name,
)
from negstats.analysis.preregistration.proposals import Proposals, propose, series_of
from negstats.analysis.preregistration.ranking import WEIGHTS, Proposal
from negstats.analysis.preregistration.study_view import StudyView
from negstats.analysis.roles import practice_levels
from negstats.analysis.scales import decisions_of, reliability_of, scales_of
from negstats.sanitize import counted, line
from negstats.studies.records import sentence
from negstats.studies.study import Study
from negstats.toml_text import one_or_list, table_text, value_text

# What may be a unit where all people are linked through games.
_OTHER_UNITS = (
    "# All people are linked through games, so no two units would be independent; the report says so.",
    "# Each person's mean instead, though they met: negstats map LOG --answer row=person:COLUMN > mapping.toml",
    '# Each session instead, where people met within one: role = "cluster" in the mapping for the column of sessions.',
)
FEW = 10  # units at a level, under which a draft warns


def draft(study: Study, path: str | None = None, mapping: str | None = None) -> str:
    """Return a plan to start from, as the text of ``plan.toml``.

    Parameters
    ----------
    study
        The study. Outcomes are looked at only for whether they can be computed and vary.
    path
        Where it lies, as the plan is to name it.
    mapping
        The mapping file that it was read with.

    Raises
    ------
    UsageError
        If no question can be asked of the study, or it is not certain what its games and people are.

    Examples
    --------
    >>> import negstats
    >>> from negstats.analysis.plan import parse
    >>> text = draft(negstats.load("datasets/sample"), "datasets/sample")
    >>> parse(text).questions["H1"].by
    ('condition',)
    """
    return draft_of(propose(study), study, path, mapping)


def draft_of(proposals: Proposals, study: Study, path: str | None = None, mapping: str | None = None) -> str:
    """Return a plan to start from, as text, from questions that were proposed; see `draft`."""
    view, plan = StudyView(study), proposals.plan
    sections = [
        _write_head(len(proposals.ranked), path),
        _write_data(view, proposals, path, mapping),
        *_write_factors(proposals),
        *_write_measures(proposals),
        *_write_blank(proposals),
        *(_write_question(proposal, view, proposals.ranked)
          for proposal in sorted(proposals.drafted, key=lambda drafted: drafted.id[0] != "H")),
        *(table_text(("families", name), {"questions": list(family.questions), "correction": family.correction})
          for name, family in plan.families.items()),
        *_write_practice(view, proposals.factors),
        *_write_also(proposals),
    ]  # fmt: skip
    return "\n\n".join(sections) + "\n"


def _write_head(n_questions: int, path: str | None) -> str:
    at = line(path or "STUDY", 200)
    lines = [
        f"Drafted from what the study holds: the first of {counted(n_questions, 'question')}, which are ranked by",
        f"  negstats plan {at} --json",
        'The page "The plan" has all fields. To use a field such as #predicts, remove its "#".',
        f"  negstats plan --check plan.toml{'' if path else ' STUDY'}   what will run; no outcome is looked at",
    ]
    return "\n".join([*(f"# {text}" for text in lines), 'title = "Untitled study"'])


def _write_data(view: StudyView, proposals: Proposals, path: str | None, mapping: str | None) -> str:
    linked_games, plan = proposals.linked_games, proposals.plan
    units = view.units(linked_games)
    who = {
        "simulated": "of simulated players: nobody took part",
        "agents": "of agents: nobody took part",
    }.get(view.participation, f"of {view.people:,} people" if view.people else "of an unknown number of people")
    lines = [
        f"# {view.games:,} games {who}; {units:,} independent units, each a {linked_games.what}.",
        *(f"# {line(note)}" for note in linked_games.notes),
        *(
            f"# {line(sentence(record))}."
            for record in view.study.provenance.records
            if record.kind == "columns_unread"
        ),
    ]
    if plan.data.unit == "game":
        lines += _OTHER_UNITS
    unit = "game" if plan.data.unit == "game" else None
    return "\n".join([*lines, table_text(("data",), {"path": path, "mapping": mapping, "unit": unit})])


def _write_factors(proposals: Proposals) -> Iterator[str]:
    """Yield the factors that are compared, then a comment with those that are not."""
    compared = {factor.name: factor for proposal in proposals.drafted for factor in proposal.factors}
    for factor in compared.values():
        described = proposals.plan.factors[factor.name]
        column = None if described.column == default_column(factor.name) else described.column
        comments = [
            f"# {line(factor.where)}",
            *([f"# {factor.role.name}: {factor.role.why}."] if factor.role.why else []),
            *([f"# Not compared, since fewer than two units have one: {line(', '.join(factor.too_few), 300)}."]
              if factor.too_few else []),
        ]  # fmt: skip
        fields = {"column": column, "levels": list(described.levels), "labels": described.labels or None}
        yield table_text(("factors", factor.name), fields, comments)
    others = []
    for factor in proposals.factors:
        if factor.name not in compared:
            twin = f"its levels pair off with those of {line(factor.twin, 60)}" if factor.twin else ""
            why = factor.why_not or twin or ": ".join(filter(None, (factor.role.name, factor.role.why)))
            refusals = (each.refusal for each in proposals.ranked if factor in each.factors and each.refusal)
            why = "; ".join(filter(None, (why, next(refusals, ""))))
            others.append(f"#   {line(factor.name, 60)}: {line(why, 300)}")
    if others:
        yield "\n".join(["# Factors that no question compares:", *others])


def _write_measures(proposals: Proposals) -> Iterator[str]:
    """Yield the study's own numbers that the questions name, with their units where a mapping says them."""
    outcomes = [
        outcome for proposal in proposals.drafted for outcome in (proposal.outcome, proposal.related) if outcome
    ]
    units = {outcome.name: outcome.unit for outcome in outcomes}
    for name, measure in proposals.plan.measures.items():
        unit = line(units[name], 60)
        comments = [] if unit in ("as logged", "as answered", metrics.YES_NO) else [f"# {unit}"]
        yield table_text(("measures", name), {"measure": measure.measure, "kind": measure.kind}, comments)


def _write_blank(proposals: Proposals) -> Iterator[str]:
    """Yield a comment where no question is a hypothesis."""
    if not any(proposal.id.startswith("H") for proposal in proposals.drafted):
        yield "# H1 is yours to ask: which of these factors, if any, was assigned, the data do not say."


def _write_question(proposal: Proposal, view: StudyView, ranked: Sequence[Proposal]) -> str:
    question = proposal.question
    comments = [f"# {proposal.points:g} points: " + "; ".join(_weighed(proposal)) + "."]
    few = [factor for factor in proposal.factors if factor.fewest < FEW]
    if few:
        comments.append(f"# {few[0].fewest} units a level: estimates only, a test will hardly find anything.")
    roles = view.seats("role")
    if question.who in roles and is_result_of_seats(proposal.outcome) and not separate_seats(view, proposal.outcome):
        others = line(", ".join(role for role in roles if role != question.who), 100)
        why = _say_why_one_seat(view, roles, proposal.outcome)
        comments.append(f"# {why}: no question is about those of the {others}.")
    comments += _describe_scale(view.study, proposal.outcome.name)
    alike = [other.outcome.name for other in ranked if series_of(other) == series_of(proposal) and not other.id]
    if alike and proposal.outcome.name != series_name(proposal.outcome.name):
        comments.append(f"# Not drafted, though alike: the same question about {line(', '.join(alike), 200)}.")
    table = table_text(("questions", proposal.id), _fields_of(question), comments)
    return "\n".join([table, *_write_prediction(question, proposal.factors)])


def _describe_scale(study: Study, name: str) -> Iterator[str]:
    """Yield what an outcome that is the mean of items is made of, and how consistent these are."""
    scales, decisions = scales_of(study), decisions_of(study)
    items = (scales | decisions).get(name)
    if items is not None:
        alpha = reliability_of(study, items)
        measured_text = f"; {alpha.apa()}" if alpha is not None else ""
        each_text = "; each may be asked about too" if name in decisions else ""
        yield f"# {line(name, 60)} is the mean of {line(', '.join(items), 200)}{measured_text}{each_text}."


def _say_why_one_seat(view: StudyView, roles: Sequence[str], outcome: Outcome) -> str:
    """Return why the values of one seat alone are asked about, from facts that `separate_seats` goes by."""
    if len(view.seats("kind")) > 1:
        return "People are asked about where they meet agents"
    if len(roles) > 2:
        return f"One of {len(roles)} seats is asked about"
    name = "points" if outcome.name == "points" else f"values of {line(outcome.name, 60)}"
    if range_of_sums(view, outcome) is None:
        return f"The {name} of both seats are not known in any game"
    return f"The {name} of both seats add up to the same sum in each deal"


def _weighed(proposal: Proposal) -> Iterator[str]:
    for piece in dict.fromkeys(proposal.evidence):
        yield f"{piece.removeprefix('role: ')} {WEIGHTS[piece]:+g}"


def _write_prediction(question: Question, factors: Sequence[DraftFactor]) -> list[str]:
    """Return the key that predicts a sign, ready to be used; none where a question has several terms."""
    if question.with_:
        return ['#predicts = "positive"']
    if len(factors) == 1 and len(factors[0].levels) == 2:
        first, second = factors[0].levels
        return [f"#predicts = {value_text(f'{first} > {second}')}"]
    return []


def _write_also(proposals: Proposals) -> Iterator[str]:
    """Yield the questions behind those of the draft as comments: one without its "#" is asked."""
    plan, also = proposals.plan, proposals.also
    if not also.questions:
        return
    yield '# Also possible. A question is asked without its "#", with the factors and measures that it names.'
    for name, factor in also.factors.items():
        if name not in plan.factors:
            column = None if factor.column == default_column(name) else factor.column
            yield _as_comment(table_text(("factors", name), {"column": column, "levels": list(factor.levels)}))
    for name, measure in also.measures.items():
        if name not in plan.measures:
            yield _as_comment(table_text(("measures", name), {"measure": measure.measure, "kind": measure.kind}))
    for name, question in also.questions.items():
        yield _as_comment(table_text(("questions", name), _fields_of(question)))


def _as_comment(text: str) -> str:
    return "\n".join(f"#{text_line}" for text_line in text.splitlines())


def _fields_of(question: Question) -> dict[str, object]:
    return {
        "asks": question.asks,
        "measure": question.measure,
        "who": question.who,
        "by": one_or_list(question.by),
        "with": one_or_list(question.with_),
        "explore": question.explore or None,
    }


def _write_practice(view: StudyView, factors: Sequence[DraftFactor]) -> Iterator[str]:
    """Yield a rule ready to be used for games that were practice, with how many there are of how many."""
    for factor in factors:
        for level in practice_levels(factor.levels) if factor.of_games else ():
            games = games_at(view, factor.name, level)
            yield "\n".join([
                f"# {line(level, 60)} looks like practice: {games:,} of {view.games:,} games; to exclude them:",
                "#[[leave_out]]",
                f"#column = {value_text(f'games.{factor.name}')}",
                f"#value = {value_text(level)}",
                '#reason = "practice"',
            ])  # fmt: skip
