"""A plan to start from, out of what a study holds: valid as it stands, with the other tables in comments that teach.

A line that begins with ``# `` explains; one that begins with ``#`` and no blank is a field to use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from negstats import metrics
from negstats.analysis import rules
from negstats.analysis.plan import fields
from negstats.analysis.plan.model import default_column
from negstats.analysis.plan.parse import parse
from negstats.analysis.plan.roles import UNCLEAR, Role, labels_of, pairs_off, practice_levels, role_of
from negstats.analysis.plan.schema import MOST_LEVELS
from negstats.analysis.preregistration.draft_evidence import determined_by, games_at, varies
from negstats.analysis.preregistration.outcome_order import (
    AMOUNTS,
    CALLED,
    OneOffer,
    one_offer,
    outcomes,
    own_outcomes,
    whose,
)
from negstats.analysis.preregistration.study_checks import count_attendance, count_values, find_faults
from negstats.analysis.preregistration.study_view import FactorPlace, StudyView
from negstats.analysis.questions.units import SEAT_FACTORS
from negstats.errors import DesignError, NegstatsError, UsageError, shown
from negstats.sanitize import line
from negstats.studies.records import refuse_stops
from negstats.studies.study import Study
from negstats.toml_text import key as _key
from negstats.toml_text import quoted as _format_quoted

SEATS = ("role", "kind", "agent")
FEWEST = 2  # units at each level, without which no test is asked for
FEW = 10  # units at a level, under which a draft warns
ONE_LEVEL = "has one level"
MOST_WORDS = 7  # different answers of an item that may be a scale


@dataclass(frozen=True, slots=True)
class _Factor:
    """A factor of a study: its levels, where it lies in words, and why it cannot be compared (empty: it can)."""

    name: str
    levels: tuple[str, ...]
    where: str
    why_not: str = ""
    role: Role = UNCLEAR
    of_games: bool = True
    fewest: int = FEW  # units at the rarest level
    is_within: bool = False  # whether each unit stands at several levels
    twin: str = ""  # a factor before it with which its levels pair off one to one
    without_value: tuple[str, ...] = ()  # levels that are not compared, for no unit has a value there

    def label(self, level: str) -> str:
        """Return what a level is called in a sentence: a long one by the words that no other level has."""
        return labels_of(self.levels).get(level, level)


def draft(study: Study, path: str | None = None, mapping: str | None = None) -> str:
    """Return a plan to start from, as the text of ``plan.toml``.

    Parameters
    ----------
    study
        The study. Outcomes are looked at only for which measures can be computed.
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
    >>> text = draft(negstats.load("datasets/sample"), "datasets/sample")
    >>> parse(text).questions["H1"].by
    ('condition',)
    """
    refuse_stops(study.provenance.records, study.provenance.accepted)
    view = StudyView(study)
    if not view.games:
        raise UsageError("the study has no games; load logs that hold some")
    linked_games, is_independent = _find_linked_games(view)
    factors = paired_off([*_find_game_factors(view, linked_games), *_find_seat_factors(view, linked_games)], view)
    factors = list(_add_outcomes(factors, view, dict(view.study.provenance.roles)))
    measures = view.measures  # looked up once: each measure asks whole tables what they hold
    own = own_outcomes(view)
    head = [_head(path), _data(view, linked_games, path, mapping, is_independent)]
    closing_sections = [_measures(view, measures, own)]
    sections = [*head, _factors(factors), *closing_sections]
    offer = one_offer(view)
    refusals: dict[str, str] = {}
    practice = _practice(view, factors)
    for proposal in _questions(view, factors, [*measures, *own], offer):
        if proposal.related is None and not varies(view, proposal.measure, proposal.who):
            continue
        if proposal.measure in own:
            proposal = replace(proposal, yes_no=view.measure(proposal.measure).yes_no)
        closing = "\n".join([_describe_further(view, measures or own, blank=proposal.explored), *practice])
        blank = [_blank(factors, refusals)] if proposal.explored else _describe_refusals(refusals)
        answered = offer is not None and offer.answered
        text = "\n\n".join([*sections, *blank, _question(proposal, answered=answered), closing]) + "\n"
        refusal = find_refusal(text, view, proposal.factor)
        compared = None if refusal is None else _only_with_value(text, view, proposal.factor)
        if compared is not None:
            reduced = [compared if factor.name == compared.name else factor for factor in factors]
            sections = [*head, _factors(reduced), *closing_sections]
            text = "\n\n".join([*sections, *blank, _question(proposal, answered=answered), closing]) + "\n"
            refusal = find_refusal(text, view, compared)
        if refusal is None:
            return _add_acceptance(sections, closing, view, proposal, offer) or text
        sections = [*head, _factors(factors), *closing_sections]
        if proposal.factor is not None:
            refusals.setdefault(proposal.factor.name, refusal)
    raise UsageError("no measure of this study can be computed; negstats.metrics.MEASURES says what each needs")


def _add_acceptance(
    sections: Sequence[str], closing: str, view: StudyView, proposal: _Asked, offer: OneOffer | None
) -> str | None:
    """Return a plan that also asks whether acceptance is related to the share offered; None if that has no test.

    Where what is compared is only explored, acceptance is the hypothesis.
    """
    if offer is None or not offer.answered or proposal.related or proposal.factor is None:
        return None
    acceptance = _Asked("agreed", None, None, related=offer.share, key="H1" if proposal.explored else "H2")
    compared = replace(proposal, key="E1") if proposal.explored else proposal
    both = (acceptance, compared) if proposal.explored else (compared, acceptance)
    free = closing.replace("#[questions.E1]", "#[questions.E2]") if proposal.explored else closing
    free = free.replace("#[questions.H2]", "#[questions.H3]").replace("#[questions.H1]", "#[questions.H2]")
    text = "\n\n".join([*sections, *(_question(one, answered=offer.answered) for one in both), free]) + "\n"
    return None if find_refusal(text, view, None, acceptance.key) else text


def find_refusal(text: str, view: StudyView, factor: _Factor | None, key: str | None = None) -> str | None:
    """Return why a plan's question (the first, or the one of a key) has no test; None if it has one."""
    try:
        plan = parse(text)
        wrong = find_faults(plan, view.study)
        if wrong:
            return str(wrong[0])
        remaining_rows = view.leave_out(plan)
        name = key or next(iter(plan.questions))
        who = count_attendance(plan, name, remaining_rows, view.of(remaining_rows).linked(plan.data.unit))
        if plan.questions[name].by and not bool((who.cells["n"] >= FEWEST).all()):
            smallest_cell = who.cells.iloc[int(who.cells["n"].to_numpy().argmin())]
            level = smallest_cell[factor.name] if factor is not None and factor.name in smallest_cell else "a level"
            return f"{shown(level)} has {int(smallest_cell['n'])} of the {FEWEST} units that a test needs at least"
        if not rules.choose_rule(who.design.features).rule.test:
            return "this design has no test"
    except NegstatsError as error:
        return str(error)
    return None


def _only_with_value(text: str, view: StudyView, factor: _Factor | None) -> _Factor | None:
    """Return a factor without the levels at which no unit has a value; None if there are none, or too few are left."""
    if factor is None:
        return None
    try:
        plan = parse(text)
        remaining_rows = view.leave_out(plan)
        question = next(iter(plan.questions.values()))
        _, cells = count_values(plan, question, view, remaining_rows, view.linked(plan.data.unit))
    except NegstatsError:
        return None
    if factor.name not in cells:
        return None
    with_value = set(cells.loc[cells["n"] > 0, factor.name].astype(str))
    levels = tuple(level for level in factor.levels if level in with_value)
    without = tuple(level for level in factor.levels if level not in with_value)
    return replace(factor, levels=levels, without_value=without) if without and len(levels) > 1 else None


def _find_linked_games(view: StudyView) -> tuple[Any, bool]:
    """Return the units, and whether they are independent; if all people are linked, games stand for them."""
    try:
        return view.linked("independent"), True
    except DesignError:
        return view.linked("game"), False


def _find_game_factors(view: StudyView, linked_games: Any) -> Iterator[_Factor]:
    for name in view.study.factors:
        origin = view.study.provenance
        yield _build_factor(
            name,
            view.stands("games", name, linked_games),
            linked_games.what,
            of_games=True,
            stated_role=dict(origin.roles).get(name),
            source="mapping" if "mapping" in origin.loader else "format",
        )


def _find_seat_factors(view: StudyView, linked_games: Any) -> Iterator[_Factor]:
    for name in SEATS:
        if name not in view.study.factors and len(view.seats(name)) > 1:
            yield _build_factor(name, view.stands("players", name, linked_games), linked_games.what, of_games=False)


def paired_off(factors: Sequence[_Factor], looks: StudyView) -> list[_Factor]:
    """Return the factors, each with the first one before it that it pairs off with, level by level."""
    able = [one.name for one in factors if not one.why_not and one.of_games]
    twins = pairs_off(looks.study.frames["games"], able)
    return [replace(one, twin=twins.get(one.name, "")) for one in factors]


def _build_factor(
    name: str,
    factor_place: FactorPlace,
    what: str,
    *,
    of_games: bool,
    stated_role: str | None = None,
    source: str = "mapping",
) -> _Factor:
    levels = tuple(sorted(factor_place.levels, key=_order))
    try:
        fields.name(name)
        for level in levels[:MOST_LEVELS]:
            fields.name(level)
    except fields.PlanFault:
        return _Factor(name, levels, "", "holds characters that a plan cannot name")
    if len(levels) < 2:
        return _Factor(name, levels, "", ONE_LEVEL if levels else "is missing in every row")
    if len(levels) > MOST_LEVELS:
        return _Factor(
            name, levels, "", f"has {len(levels)} levels, and a factor has at most {MOST_LEVELS}; merge them"
        )
    where = {
        "between": f"varies between {what}s ({factor_place.units})",
        "within": f"varies within {what}s ({factor_place.several} of {factor_place.units})",
        "partly": f"varies within some {what}s ({factor_place.several} of {factor_place.units})",
    }[factor_place.lies]
    role = role_of(name, levels, of_games=of_games, stated_role=stated_role, source=source)
    return _Factor(
        name,
        levels,
        where,
        role=role,
        of_games=of_games,
        fewest=factor_place.fewest,
        is_within=factor_place.lies == "within",
    )


def _add_outcomes(factors: Sequence[_Factor], view: StudyView, stated_roles: Mapping[str, str]) -> Iterator[_Factor]:
    """Yield the factors; one that a draft would ask about and that follows from an outcome is none to ask about."""
    for factor in factors:
        if factor.of_games and not factor.why_not and factor.role.rank is not None and factor.name not in stated_roles:
            measure = determined_by(view, factor.name)
            if measure is not None:
                hint = 'say role = "condition" in the mapping if it was assigned'
                why = f"it follows from {measure} in all games; {hint}"
                yield replace(factor, role=Role("derived from the outcome", why))
                continue
        yield factor


def _order(level: str) -> tuple[float, str]:
    """Return what levels are sorted by: numbers by their size, then words."""
    try:
        return float(level), level
    except ValueError:
        return float("inf"), level


def _head(path: str | None) -> str:
    study = "" if path else " STUDY"
    return f"""\
# What this study asks, written down before it is answered. A line that begins with "# " explains, one that begins with
# "#" and no blank is a field to use. This plan is valid and asks one question.
#   negstats plan --check plan.toml{study}   what will run: units, n by cell, tests; no outcome is looked at
#   negstats plan --register plan.toml   writes plan.lock: what was planned, and when
title = "Untitled study"
#authors = ["A. Author", "B. Author"]
# What was known about the data before this plan.
#known = "Nothing: the data are yet to come."
# How many are collected, and when that ends.
#stop = "60 people, or the end of term."
# The one level of tests, families and power; intervals are at 1 - alpha. Then: resamples, and the seed for them.
#alpha = 0.05
#resamples = 10000
#seed = 1"""


def _data(view: StudyView, linked_games: Any, path: str | None, mapping: str | None, is_independent: bool) -> str:
    units = view.units(linked_games)
    who = {
        "simulated": "of simulated players: nobody took part",
        "agents": "of agents: nobody took part",
    }.get(view.participation, f"of {view.people:,} people" if view.people else "of an unknown number of people")
    lines = [
        f"# {view.games:,} games {who}; {units:,} independent units, each a {linked_games.what}.",
        *(f"# {line(note)}" for note in linked_games.notes),
        "[data]",
        *([f"path = {_format_quoted(path)}"] if path else ['#path = "logs"']),
        "# A mapping file says which column is what, for logs of your own.",
        f"mapping = {_format_quoted(mapping)}" if mapping else '#mapping = "mapping.toml"',
    ]
    if is_independent:
        lines += ["# With this, games count as independent though people play several, and the report says so.",
                  '#unit = "game"']  # fmt: skip
    else:
        lines += ["# All people are linked through games, so no two units would be independent; the report says so.",
                  'unit = "game"']  # fmt: skip
    return "\n".join(lines)


def _factors(factors: Sequence[_Factor]) -> str:
    lines = ["# Factors: what is compared. A difference is first level minus second; levels not named are excluded."]
    usable_factors = [factor for factor in factors if not factor.why_not]
    constant = [line(factor.name, 60) for factor in factors if factor.why_not == ONE_LEVEL]
    if constant:
        lines.append(f"# With one level: {line(', '.join(constant), 400)}.")
    for factor in factors:
        if factor.why_not == ONE_LEVEL:
            continue
        if factor.why_not:
            lines.append(f"# {line(factor.name, 60)} {factor.why_not}.")
            continue
        levels = ", ".join(map(_format_quoted, factor.levels))
        lines += [
            f"[factors.{_key(factor.name)}]",
            f"# {line(factor.where)}",
            *([f"# {factor.role.name}: {factor.role.why}."] if factor.role.why else []),
            *([f"# Not to be told apart from {line(factor.twin, 60)}: their levels pair off."] if factor.twin else []),
            *(
                [f"# Not compared, for no unit has a value there: {line(', '.join(factor.without_value), 300)}."]
                if factor.without_value
                else []
            ),
            f"levels = [{levels}]",
        ]
        short = labels_of(factor.levels)
        if short:
            pairs = ", ".join(f"{_format_quoted(level)} = {_format_quoted(label)}" for level, label in short.items())
            lines += ["# What the long levels are called in text and figures.", f"labels = {{ {pairs} }}"]
        elif factor is usable_factors[0]:
            lines += [
                "# What a level is called in text and figures.",
                f'#labels = {{ {_key(factor.levels[-1])} = "in words" }}',
            ]
    if not usable_factors:
        return "\n".join([*lines, "# This study has none."])
    other = next(
        name for name in ("merged", "joined", "together") if name not in {factor.name for factor in usable_factors}
    )
    lines += _describe_order(usable_factors)
    lines += [
        "# A factor whose levels are some of another, and others joined.",
        f"#[factors.{other}]",
        f"#column = {_format_quoted(default_column(usable_factors[0].name))}",
        f'#merge = {{ "new level" = [{_format_quoted(usable_factors[0].levels[0])}] }}',
    ]
    return "\n".join(lines)


def _describe_order(factors: Sequence[_Factor]) -> list[str]:
    """Return a factor ready to be used: which level of a condition a person met first, where games have an order."""
    orders = [one.name for one in factors if one.role.name == "order" and one.of_games]
    met = [one for one in factors if one.role.name == "condition" and one.of_games and one.is_within]
    if not orders or not met or any(one.name == "came_first" for one in factors):
        return []
    named = [f"#order = {_format_quoted(orders[0])}"] if len(orders) > 1 else []
    return [
        f"# Which level of {line(met[0].name, 60)} a person met first, to ask whether the effect depends on it:",
        f'# by = ["{line(met[0].name, 60)}", "came_first"].',
        "#[factors.came_first]",
        f"#column = {_format_quoted(f'first.{met[0].name}')}",
        *named,
    ]


def _measures(view: StudyView, measures: Sequence[str], own: Sequence[str]) -> str:
    names = [
        f"{', '.join(seat_names[:8])} ({column})" for column in SEAT_FACTORS if len(seat_names := view.seats(column))
    ]
    of = {"game": "a game", "player": "a seat", "offer": "a seat, mean over its offers"}
    lines = [
        *([f"# Seats: {line('; '.join(names), 300)}."] if names else []),
        "# Measures of this study: for what there is one value, the unit, the meaning.",
        *(f"#   {one.name}: {of[one.per]}; {one.unit}; {one.meaning}" for one in map(metrics.measure, measures)),
    ]
    for name in own:
        column = metrics.column_of(view.study.frames, name)
        number = view.measure(column)
        unit = f"; {line(number.unit, 60)}" if number.unit not in ("as logged", metrics.YES_NO) else ""
        kind = "yes/no" if number.yes_no else {"ordered": "ordered", "count": "count"}.get(number.kind or "")
        lines += [
            f"# A number of these {'offers' if column.startswith('offers.') else 'games'}{unit}.",
            f"[measures.{_key(name)}]",
            f"measure = {_format_quoted(column)}",
            *([f"kind = {_format_quoted(kind)}"] if kind else []),
        ]
    lines += ["# A measure with a name of its own: whose it is, and what a seat scores without a deal.",
              "#[measures.gain]", f"#measure = {_format_quoted(_points(measures))}",
              '#without_agreement = "batna"']  # fmt: skip
    lines += _items(view)
    return "\n".join(lines)


def _points(measures: Sequence[str]) -> str:
    return next((name for name in measures if metrics.measure(name).per == "player"), "points")


def _items(view: StudyView) -> list[str]:
    """Return a comment for the survey items: one that may be a scale, and their names."""
    questions = view.questions
    if not questions:
        return []
    lines = [f"# Survey items: {line(', '.join(map(str, questions)), 400)}."]
    for question in questions:
        words = view.given(question).index.to_series()
        if not 2 <= len(words) <= MOST_WORDS:
            continue
        try:
            names = [fields.name(word) for word in words]
            fields.name(question)
        except fields.PlanFault:
            continue
        if pd.to_numeric(words, errors="coerce").isna().any():
            scale = ", ".join(map(_format_quoted, sorted(names)))
            return [*lines, "# An item as a measure; put the words of its scale in ascending order.",
                    "#[measures.item]", f"#answer = {_format_quoted(question)}", f"#scale = [{scale}]"]  # fmt: skip
    return lines


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question to ask: the measure, whose, what is compared or related, whether it is explored, and its id.

    `yes_no` is whether the measure is a truth of the study's own, such as ``cooperated``.
    """

    measure: str
    factor: _Factor | None
    who: str | None
    explored: bool = False
    related: str | None = None
    key: str = "H1"
    yes_no: bool = False


def _questions(
    view: StudyView, factors: Sequence[_Factor], measures: Sequence[str], offer: OneOffer | None
) -> Iterator[_Asked]:
    """Yield questions to ask, the best first: outcomes by a condition, then by what agents do, then by none."""
    able = [one for one in factors if not one.why_not]
    candidates = [(one.role.rank, len(one.levels) != 2, one) for one in able if one.role.rank is not None]
    for *_, factor in sorted(candidates, key=lambda entry: entry[:2]):
        for name in outcomes(view, measures, offer, factor.name, factor.levels):
            yield _Asked(name, factor, whose(view, name, offer, factor.name, factor.levels, factor.role))
    explored = bool(factors)
    if offer is not None:
        if explored:
            for factor in [one for one in able if one.role.name == "trait" and one.of_games]:
                for name in outcomes(view, measures, offer, factor.name, factor.levels)[:1]:
                    who = whose(view, name, offer, factor.name, factor.levels, factor.role)
                    yield _Asked(name, factor, who, explored=True, key="D1")
        if offer.answered:
            yield _Asked("agreed", None, None, related=offer.share)
        elif offer.chosen:
            yield _Asked(offer.amount, None, offer.proposer, explored, key="D1" if explored else "H1")
    for name in outcomes(view, measures, None, None, ()):
        yield _Asked(name, None, whose(view, name, None, None, (), UNCLEAR), explored, key="D1" if explored else "H1")


def _blank(factors: Sequence[_Factor], refusals: Mapping[str, str]) -> str:
    """Return the comment that stands where no factor is one to ask about."""
    usable_factors = [one for one in factors if not one.why_not]
    why = "a level has fewer than two units, or no measure has a test"
    return "\n".join([
        "# H1 is yours to ask: no factor of these games is known to be a condition, with two units at each level.",
        *(f"# {line(one.name, 60)}: {one.role.why or line(refusals.get(one.name, why), 300)}."
          for one in usable_factors),
    ])  # fmt: skip


def _describe_refusals(refusals: Mapping[str, str]) -> list[str]:
    """Return a comment for factors that come first and have no test."""
    lines = [f"# {line(name, 60)} is not asked about: {line(why, 300)}." for name, why in refusals.items()]
    return ["\n".join(lines)] if lines else []


def _question(proposal: _Asked, *, answered: bool) -> str:
    factor, measure, who = proposal.factor, proposal.measure, proposal.who
    measure_text = CALLED.get(measure, measure.replace("_", " "))
    if proposal.yes_no:
        measure_text = f"how often {measure} is true"
    if measure == "agreed" and answered:
        measure_text = "acceptance"
    of = f" {'by' if measure in AMOUNTS else 'of'} the {who}" if who else ""
    if proposal.related:
        sentence = f"Is acceptance related to {CALLED[proposal.related]}?"
    elif factor is None:
        sentence = _ask_how_much(measure, measure_text, who)
    else:
        short = [factor.label(level) for level in factor.levels]
        of_factor = f"{factor.name} " if all(map(_is_bare, short)) else ""
        among = f"{of_factor}{' and '.join(short)}" if len(short) == 2 else f"the levels of {factor.name}"
        sentence = f"Is there a difference in {measure_text}{of} between {among}?"
    lines = [
        "# Questions: a sentence, a measure, whose values, and what is compared. Ids name files: H1, H2, E1, ...",
        f"[questions.{proposal.key}]",
        f"asks = {_format_quoted(sentence)}",
        f"measure = {_format_quoted(measure)}",
        *([f"with = {_format_quoted(proposal.related)}"] if proposal.related else []),
        *([f"who = {_format_quoted(who)}"] if who else []),
        *([f"by = {_format_quoted(factor.name)}"] if factor else []),
        *(["explore = true"] if proposal.explored else []),
    ]
    if factor is not None and factor.fewest < FEW:
        lines.insert(1, f"# {factor.fewest} units a level: estimates only, a test will hardly find anything.")
    if factor is not None and len(factor.levels) == 2:
        one, other = factor.levels
        lines += _describe_prediction(f"{one} > {other}")
    elif proposal.related:
        lines += _describe_prediction("positive")
    lines += ["# \"auto\" picks the test by the design and says why; or name one.", '#test = "auto"',
              '#note = "Reported as a check."']  # fmt: skip
    return "\n".join(lines)


def _describe_prediction(text: str) -> list[str]:
    """Return the key that predicts a sign, ready to be used, and what may stand in its place."""
    return [
        "# Which way the effect is predicted to lie: only a prediction can be supported. p stays two-sided; direction",
        "# in the place of predicts makes it one-sided, and the interval has level 1 - 2 alpha; both say so.",
        f"#predicts = {_format_quoted(text)}",
    ]


_HOW_MUCH = {
    "points": "How many points does {owner} get?",
    "agreed": "How often is there {measure}?",
    "rounds": "How many rounds does a game have?",
    "offers": "How many offers does {owner} make?",
}


def _ask_how_much(measure: str, measure_text: str, who: str | None) -> str:
    """Return a question about the size of one measure.

    Examples
    --------
    >>> _ask_how_much("points", "points", None), _ask_how_much("agreed", "acceptance", None)
    ('How many points does a seat get?', 'How often is there acceptance?')
    >>> _ask_how_much("units_to_responder", "the amount offered", "buyer")
    'How large is the amount offered by the buyer?'
    >>> _ask_how_much("price", "price", None), _ask_how_much("joint_value", "joint value", None)
    ('What is the mean price?', 'What is the mean joint value?')
    """
    of = f" {'by' if measure in AMOUNTS else 'of'} the {who}" if who else ""
    if measure in _HOW_MUCH:
        return _HOW_MUCH[measure].format(measure=measure_text, owner=f"the {who}" if who else "a seat")
    if measure in CALLED:
        return f"How large is {measure_text}{of}?"
    if measure_text.startswith("how often"):
        return f"H{measure_text[1:]}?"
    return f"What is the mean {measure_text}{of}?"


def _is_bare(level: str) -> bool:
    """Whether a level says nothing without the name of its factor: a number, a letter, yes or no.

    Examples
    --------
    >>> [_is_bare(level) for level in ("0", "2.5", "A", "TRUE", "chat")]
    [True, True, True, True, False]
    """
    return re.fullmatch(r"-?[0-9.]+|[a-z]|yes|no|true|false", level.strip().lower()) is not None


def _describe_further(view: StudyView, measures: Sequence[str], *, blank: bool) -> str:
    games = [name for name in measures if view.measure(name).per == "game"]
    words = [{"agreed": "agreement"}.get(name, name.replace("_", " ")) for name in games[:2]]
    lines, name = [], "H1" if blank else "H2"
    if len(games) > 1:
        lines += ["# A question about the relation of two measures; `covariates` holds a measure constant instead.",
                  f"#[questions.{name}]", f'#asks = "Is {words[0]} related to {words[1]}?"',
                  f"#measure = {_format_quoted(games[0])}", f"#with = {_format_quoted(games[1])}"]  # fmt: skip
    lines += ["# An explored question stands apart in the report, marked so, without a verdict.",
              "#[questions.E1]", '#asks = "What else is there to see?"', f"#measure = {_format_quoted(measures[0])}",
              *(['#who = "human"'] if _needs_who(view, measures[0]) else []), "#explore = true"]  # fmt: skip
    lines += ["# Questions whose p values are corrected together: holm, bonferroni, hochberg, hommel, bh, by or none.",
              "#[families.main]", '#questions = ["H1"]', '#correction = "holm"']  # fmt: skip
    names = sorted(view.study.factors, key=lambda name: role_of(name, (), of_games=True).name != "condition")
    column = names[0] if names else "scenario"
    lines += ["# Rows that do not count, each rule with its reason: =, !=, <, <=, >, >=, in, not in or missing.",
              "#[[leave_out]]", f"#column = {_format_quoted(f'games.{column}')}", '#relation = "missing"',
              f"#reason = {_format_quoted(f'{column} was not recorded')}"]  # fmt: skip
    lines += ["# Power at these numbers of units in the smallest cell; what is expected stands in a question's expect.",
              "#[power]", "#n = [20, 40, 60, 80]", "#wished = 0.8", "#studies = 1000"]  # fmt: skip
    return "\n".join(lines)


def _practice(view: StudyView, factors: Sequence[_Factor]) -> list[str]:
    """Return a rule ready to be used for games that were practice, with how many there are of how many."""
    lines = []
    for factor in factors:
        for level in practice_levels(factor.levels) if factor.of_games else ():
            games = games_at(view, factor.name, level)
            lines += [
                f"# {line(level, 60)} looks like practice: {games:,} of {view.games:,} games; to exclude them:",
                "#[[leave_out]]",
                f"#column = {_format_quoted(f'games.{factor.name}')}",
                '#relation = "="',
                f"#value = {_format_quoted(level)}",
                '#reason = "practice"',
            ]
    return lines


def _needs_who(view: StudyView, measure: str) -> bool:
    return view.measure(measure).per != "game" and len(view.seats("kind")) > 1
