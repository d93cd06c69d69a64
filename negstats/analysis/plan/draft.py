"""A plan to start from, out of what a study holds: valid as it stands, with the other tables in comments that teach.

A line that begins with ``# `` explains; one that begins with ``#`` and no blank is a field to use.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from negstats import metrics
from negstats.analysis import rules
from negstats.analysis.plan import fields
from negstats.analysis.plan.against import came, faults
from negstats.analysis.plan.looks import Looks, Stands, looks_of
from negstats.analysis.plan.model import default_column
from negstats.analysis.plan.parse import parse
from negstats.analysis.plan.roles import UNCLEAR, Role, role_of
from negstats.analysis.plan.schema import MOST_LEVELS
from negstats.analysis.units import SEAT_FACTORS
from negstats.errors import DesignError, NegstatsError, UsageError
from negstats.lazy import LazyStudy
from negstats.plain import line
from negstats.study import Study

__all__ = ["draft"]

SEATS = ("role", "kind", "agent")
FEWEST = 2  # units at each level, without which no test is asked for
MOST_WORDS = 7  # different answers of an item that may be a scale


@dataclass(frozen=True, slots=True)
class _Found:
    """A factor of a study: its levels, where it lies in words, and why it cannot be compared (empty: it can)."""

    name: str
    levels: tuple[str, ...]
    where: str
    why_not: str = ""
    role: Role = UNCLEAR


def draft(study: Study | LazyStudy, path: str | None = None, mapping: str | None = None) -> str:
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
        If no question can be asked of the study.

    Examples
    --------
    >>> import negstats
    >>> text = draft(negstats.load("datasets/sample"), "datasets/sample")
    >>> parse(text).questions["H1"].by
    ('condition',)
    """
    looks = looks_of(study)
    if not looks.games:
        raise UsageError("the study has no games; load logs that hold some")
    linked, alone = _linked(looks)
    found = [*_of_games(looks, linked), *_of_seats(looks, linked)]
    known = looks.measures  # looked up once: each measure asks whole tables what they hold
    before = [_head(path), _data(looks, linked, path, mapping, alone), _factors(found), _measures(looks, known)]
    for question, factor in _questions(looks, found, known):
        blank = factor is None and bool(found)
        after = _further(looks, known, blank=blank)
        text = "\n\n".join([*before, *([_blank(found)] if blank else []), question, after]) + "\n"
        if _runs(text, looks):
            return text
    raise UsageError("no measure of this study can be computed; `negstats metrics` says what each needs")


def _runs(text: str, looks: Looks) -> bool:
    """Whether a plan is without fault and its question has a test."""
    try:
        plan = parse(text)
        if faults(plan, looks.study):
            return False
        kept = looks.leave_out(plan)
        name, question = next(iter(plan.questions.items()))
        who = came(plan, name, kept, looks.of(kept).linked(plan.data.unit))
        enough = not question.by or bool((who.cells["n"] >= FEWEST).all())
        return enough and bool(rules.chosen(who.design.facts).rule.test)
    except NegstatsError:
        return False


def _linked(looks: Looks) -> tuple[Any, bool]:
    """Return the units, and whether they are independent; if all people are linked, games stand for them."""
    try:
        return looks.linked("independent"), True
    except DesignError:
        return looks.linked("game"), False


def _of_games(looks: Looks, linked: Any) -> Iterator[_Found]:
    for name in looks.study.factors:
        yield _found(name, looks.stands("games", name, linked), linked.what, of_games=True)


def _of_seats(looks: Looks, linked: Any) -> Iterator[_Found]:
    for name in SEATS:
        if name not in looks.study.factors and len(looks.seats(name)) > 1:
            yield _found(name, looks.stands("players", name, linked), linked.what, of_games=False)


def _found(name: str, stands: Stands, what: str, *, of_games: bool) -> _Found:
    levels = tuple(sorted(stands.levels, key=_order))
    try:
        fields.name(name)
        for level in levels[:MOST_LEVELS]:
            fields.name(level)
    except fields.Refused:
        return _Found(name, levels, "", "holds characters that a plan cannot name")
    if len(levels) < 2:
        return _Found(name, levels, "", "has one level" if levels else "is missing in every row")
    if len(levels) > MOST_LEVELS:
        return _Found(name, levels, "", f"has {len(levels)} levels, and a factor has at most {MOST_LEVELS}; merge them")
    where = {
        "between": f"varies between {what}s ({stands.units})",
        "within": f"varies within {what}s ({stands.several} of {stands.units})",
        "partly": f"varies within some {what}s ({stands.several} of {stands.units})",
    }[stands.lies]
    return _Found(name, levels, where, role=role_of(name, levels, of_games=of_games))


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


def _data(looks: Looks, linked: Any, path: str | None, mapping: str | None, alone: bool) -> str:
    units = looks.units(linked)
    people = looks.people or "unknown"
    lines = [
        f"# {looks.games} games of {people} people; {units} independent units, each a {linked.what}.",
        *(f"# {line(note)}" for note in linked.notes),
        "[data]",
        *([f"path = {_quoted(path)}"] if path else ['#path = "logs"']),
        "# A mapping file says which column is what, for logs of your own.",
        f"mapping = {_quoted(mapping)}" if mapping else '#mapping = "mapping.toml"',
    ]
    if alone:
        lines += ["# With this, games count as independent though people play several, and the report says so.",
                  '#unit = "game"']  # fmt: skip
    else:
        lines += ["# All people are linked through games, so no two units would be independent; the report says so.",
                  'unit = "game"']  # fmt: skip
    return "\n".join(lines)


def _factors(found: Sequence[_Found]) -> str:
    lines = ["# Factors: what is compared. A difference is first level minus second; levels not named are excluded."]
    named = [factor for factor in found if not factor.why_not]
    for factor in found:
        if factor.why_not:
            lines.append(f"# {line(factor.name, 60)} {factor.why_not}.")
            continue
        levels = ", ".join(map(_quoted, factor.levels))
        lines += [
            f"[factors.{_key(factor.name)}]",
            f"# {line(factor.where)}",
            *([f"# {factor.role.name}: {factor.role.why}."] if factor.role.why else []),
            f"levels = [{levels}]",
        ]
        if factor is named[0]:
            lines += [
                "# What a level is called in text and figures.",
                f'#labels = {{ {_key(factor.levels[-1])} = "in words" }}',
            ]
    if not named:
        return "\n".join([*lines, "# This study has none."])
    other = next(name for name in ("merged", "joined", "together") if name not in {factor.name for factor in named})
    lines += [
        "# A factor whose levels are some of another, and others joined.",
        f"#[factors.{other}]",
        f"#column = {_quoted(default_column(named[0].name))}",
        f'#merge = {{ "new level" = [{_quoted(named[0].levels[0])}] }}',
    ]
    return "\n".join(lines)


def _measures(looks: Looks, known: Sequence[str]) -> str:
    names = [f"{', '.join(found[:8])} ({column})" for column in SEAT_FACTORS if len(found := looks.seats(column))]
    of = {"game": "a game", "player": "a seat", "offer": "a seat, mean over its offers"}
    lines = [
        *([f"# Seats: {line('; '.join(names), 300)}."] if names else []),
        "# Measures of this study: for what there is one value, the unit, the meaning.",
        *(f"#   {one.name}: {of[one.level]}; {one.unit}; {one.meaning}" for one in map(metrics.measure, known)),
    ]
    lines += ["# A measure with a name of its own: whose it is, and what a seat scores without a deal.",
              "#[measures.gain]", f"#measure = {_quoted(_points(known))}", '#without_agreement = "batna"']  # fmt: skip
    lines += _items(looks)
    return "\n".join(lines)


def _points(known: Sequence[str]) -> str:
    return next((name for name in known if metrics.measure(name).level == "player"), "points")


def _items(looks: Looks) -> list[str]:
    """Return a comment for the survey items: one that may be a scale, and their names."""
    questions = looks.questions
    if not questions:
        return []
    lines = [f"# Survey items: {line(', '.join(map(str, questions)), 400)}."]
    for question in questions:
        words = looks.given(question).index.to_series()
        if not 2 <= len(words) <= MOST_WORDS:
            continue
        try:
            names = [fields.name(word) for word in words]
            fields.name(question)
        except fields.Refused:
            continue
        if pd.to_numeric(words, errors="coerce").isna().any():
            scale = ", ".join(map(_quoted, sorted(names)))
            return [*lines, "# An item as a measure; put the words of its scale in ascending order.",
                    "#[measures.item]", f"#answer = {_quoted(question)}", f"#scale = [{scale}]"]  # fmt: skip
    return lines


def _questions(looks: Looks, found: Sequence[_Found], known: Sequence[str]) -> Iterator[tuple[str, _Found | None]]:
    """Yield questions to ask, the best first: points by a condition, then by what agents do; then by none."""
    order = [*(["points"] if "points" in known else []), *(name for name in known if name != "points")]
    kinds = looks.seats("kind")
    who = next((kind for kind in ("human", *kinds) if kind in kinds), None) if len(kinds) > 1 else None
    allowed = [
        (one.role.rank, len(one.levels) != 2, one) for one in found if one.role.rank is not None and not one.why_not
    ]
    factors = [one for *_, one in sorted(allowed, key=lambda entry: entry[:2])]
    for factor in [*factors, None]:
        for name in order:
            whose = None if metrics.measure(name).level == "game" else who or _one_role(looks, factor)
            yield _question(name, factor, whose, explored=factor is None and bool(found)), factor


def _one_role(looks: Looks, factor: _Found | None) -> str | None:
    """Return whose values are compared between games: those of one role, for the mean of all may be constant."""
    roles = looks.seats("role")
    return roles[0] if factor is not None and factor.role.name == "condition" and len(roles) > 1 else None


def _blank(found: Sequence[_Found]) -> str:
    """Return the comment that stands where no factor is one to ask about."""
    named = [one for one in found if not one.why_not]
    return "\n".join([
        "# H1 is yours to ask: no factor of these games is known to be a condition, with two units at each level.",
        *(f"# {line(one.name, 60)}: {one.role.why or 'a level has fewer than two units, or no measure has a test'}."
          for one in named),
    ])  # fmt: skip


def _question(measure: str, factor: _Found | None, who: str | None, *, explored: bool = False) -> str:
    of = f" of the {who}" if who else ""
    if factor is None:
        sentence = f"How much is {measure.replace('_', ' ')}{of}?"
    else:
        among = " and ".join(factor.levels) if len(factor.levels) == 2 else f"the levels of {factor.name}"
        sentence = f"Is there a difference in {measure.replace('_', ' ')}{of} between {among}?"
    lines = [
        "# Questions: a sentence, a measure, whose values, and what is compared. Ids name files: H1, H2, E1, ...",
        "[questions.D1]" if explored else "[questions.H1]",
        f"asks = {_quoted(sentence)}",
        f"measure = {_quoted(measure)}",
        *([f"who = {_quoted(who)}"] if who else []),
        *([f"by = {_quoted(factor.name)}"] if factor else []),
        *(["explore = true"] if explored else []),
    ]
    if factor is not None and len(factor.levels) == 2:
        one, other = factor.levels
        lines += ["# A direction makes p one-sided, and the interval has level 1 - 2 alpha; both say so.",
                  f"#direction = {_quoted(f'{one} > {other}')}"]  # fmt: skip
    lines += ["# \"auto\" picks the test by the design and says why; or name one.", '#test = "auto"',
              '#note = "Reported as a check."']  # fmt: skip
    return "\n".join(lines)


def _further(looks: Looks, known: Sequence[str], *, blank: bool) -> str:
    games = [name for name in known if metrics.measure(name).level == "game"]
    lines, name = [], "H1" if blank else "H2"
    if len(games) > 1:
        lines += ["# A question about the relation of two measures; `covariates` holds a measure constant instead.",
                  f"#[questions.{name}]", f'#asks = "Is {games[0]} related to {games[1]}?"',
                  f"#measure = {_quoted(games[0])}", f"#with = {_quoted(games[1])}"]  # fmt: skip
    lines += ["# An explored question stands apart in the report, marked so, without a verdict.",
              "#[questions.E1]", '#asks = "What else is there to see?"', f"#measure = {_quoted(known[0])}",
              *(['#who = "human"'] if _needs_who(looks, known[0]) else []), "#explore = true"]  # fmt: skip
    lines += ["# Questions whose p values are corrected together: holm, bonferroni, hochberg, hommel, bh, by or none.",
              "#[families.main]", '#questions = ["H1"]', '#correction = "holm"']  # fmt: skip
    column = looks.study.factors[0] if looks.study.factors else "scenario"
    lines += ["# Rows that do not count, each rule with its reason: =, !=, <, <=, >, >=, in, not in or missing.",
              "#[[leave_out]]", f"#column = {_quoted(f'games.{column}')}", '#relation = "missing"',
              '#reason = "no condition was given"']  # fmt: skip
    lines += ["# Power at these numbers of units in the smallest cell; what is expected stands in a question's expect.",
              "#[power]", "#n = [20, 40, 60, 80]", "#wished = 0.8", "#studies = 1000"]  # fmt: skip
    return "\n".join(lines)


def _needs_who(looks: Looks, measure: str) -> bool:
    return metrics.measure(measure).level != "game" and len(looks.seats("kind")) > 1


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else _quoted(name)


def _quoted(text: str) -> str:
    r"""Return text as TOML spells it.

    Examples
    --------
    >>> print(_quoted('a "b"'))
    "a \"b\""
    """
    return json.dumps(text, ensure_ascii=False)
