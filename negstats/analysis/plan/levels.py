"""Whether what a question says of levels (direction, contrasts, expected cells) fits the levels that there are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from negstats.analysis.plan.derived_columns import in_order_of
from negstats.analysis.plan.model import Factor, Plan, Question
from negstats.errors import MOST, nearest, shown

__all__ = ["Levels", "fit", "has", "levels_of", "question_levels"]

Levels = Mapping[str, tuple[str, ...] | None]  # by factor, in order; None where they are not known

MOST_CELLS = 10_000  # that are looked at
WORDS = ("positive", "negative", "above", "below")
# What a cell may hold beside levels of factors.
EXPECTED = ("mean", "sd", "p", "rate", "spread", "shares", "rate_agree", "rate_leave", "n")


def levels_of(factor: Factor, there: Sequence[str] | None = None) -> tuple[str, ...] | None:
    """Return the levels of a factor in order: as the plan names them, else those that are there, merged and sorted.

    None if neither is known.

    Examples
    --------
    >>> levels_of(Factor("games.country", merge={"West": ("IL", "US")}), ["US", "CN", "IL"])
    ('CN', 'West')
    """
    if factor.levels or there is None:
        return factor.levels or None
    new = {old: level for level, olds in factor.merge.items() for old in olds}
    return tuple(in_order_of(factor.column, list({new.get(level, level) for level in there})))


def question_levels(plan: Plan, question: Question, there: Mapping[str, Sequence[str]] | None = None) -> Levels:
    """Return for each factor of a question the levels that it compares; `there` holds those in the data, by factor."""
    found: dict[str, tuple[str, ...] | None] = {}
    for name in question.by:
        levels = levels_of(plan.factor(name), None if there is None else there.get(name))
        kept = question.only.get(name)
        if kept is not None:
            levels = tuple(level for level in levels if level in kept) if levels else kept
        found[name] = levels
    return found


def has(names: Sequence[str]) -> str:
    """Return names as a message lists them.

    Examples
    --------
    >>> has(["CL", "FC"])
    'CL, FC'
    """
    return ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")


def fit(question: Question, levels: Levels) -> Iterator[tuple[str, str]]:
    """Yield a field and a reason for each thing that does not fit the levels, as far as these are known."""
    for reason in _direction(question, levels):
        yield "direction", reason
    for contrast in question.contrasts:
        lacks = _weighed(contrast.name, tuple(contrast.weights), question, levels)
        if lacks:
            yield "contrasts", lacks
    cells = (question.expect or {}).get("cells", ())
    for reason in _cells(question, cells, levels):
        yield "expect.cells", reason


def _direction(question: Question, levels: Levels) -> Iterator[str]:
    direction, above = question.direction, question.above
    if direction is None:
        return
    if above is None:
        yield from _word(question, direction)
        return
    asked = [name for name in question.by if any(name in term.split(":") for term in question.effect or question.by)]
    if not asked:
        yield f"is {shown(direction)}, but by names no factor"
        return
    if question.contrasts:
        yield f'is {shown(direction)} beside contrasts; write "positive" or "negative"'
        return
    known = {name: found for name in asked if (found := levels.get(name)) is not None}
    if len(known) < len(asked):
        return
    name = next((factor for factor, found in known.items() if set(above) & set(found)), asked[0])
    found = known[name]
    wrong = next((level for level in above if level not in found), None)
    if len(found) != 2:
        yield f"needs two levels, {shown(name)} has {len(found)}; name them with only, or give contrasts"
    elif wrong is not None or above[0] == above[1]:
        ways = f'write "{found[0]} > {found[1]}" or "{found[1]} > {found[0]}"'
        what = f"names {shown(above[0])} twice" if wrong is None else f"{shown(wrong)} is no level of {shown(name)}"
        yield f"{what}; {ways}"


def _word(question: Question, direction: str) -> Iterator[str]:
    if direction not in WORDS:
        close = nearest(direction, WORDS)
        hint = f"did you mean {shown(close)}?" if close else 'write "CL > FC", ' + ", ".join(f'"{it}"' for it in WORDS)
        yield f"is {shown(direction)}; {hint}"
    elif direction in ("above", "below") and question.against is None:
        yield f"{shown(direction)} needs a number; give against"
    elif direction in ("positive", "negative") and not (question.with_ or question.contrasts):
        yield f'{shown(direction)} is for with and for contrasts; write "CL > FC" for levels'


def _weighed(name: str, weighed: Sequence[str], question: Question, levels: Levels) -> str | None:
    """Return why no one factor has all the levels that a contrast weighs."""
    known = {factor: found for factor in question.by if (found := levels.get(factor)) is not None}
    if not question.by or len(known) < len(question.by):
        return None
    if any(set(weighed) <= set(found) for found in known.values()):
        return None
    factor = max(known, key=lambda one: len(set(weighed) & set(known[one])))
    wrong = next(level for level in weighed if level not in known[factor])
    return f"{shown(name)} weighs {shown(wrong)}, which is no level of {shown(factor)}; it has {has(known[factor])}"


def _cells(question: Question, cells: Sequence[Mapping[str, Any]], levels: Levels) -> Iterator[str]:
    """Yield what is wrong with the expected cells: each cell of the design must be covered exactly once."""
    wrong = False
    for name, level in ((key, cell[key]) for cell in cells for key in cell if key not in EXPECTED):
        found = levels.get(name)
        if name not in question.by:
            wrong = True
            yield f"{shown(name)} is not in by; by has {', '.join(question.by) or 'none'}"
        elif found is not None and level not in found:
            wrong = True
            yield f"{shown(level)} is no level of {shown(name)}; it has {has(found)}"
    known = {name: found for name in question.by if (found := levels.get(name)) is not None}
    if wrong or not cells or len(known) < len(question.by):
        return
    for combination in itertools.islice(itertools.product(*known.values()), MOST_CELLS):
        at = dict(zip(known, combination, strict=True))
        count = sum(all(cell.get(name, level) == level for name, level in at.items()) for cell in cells)
        if count != 1:
            said = ", ".join(f"{name} {level}" for name, level in at.items()) or "all"
            how = f"no cell is expected for {said}" if count == 0 else f"{said} is covered by {count} cells"
            yield f"{how}; each cell is covered once"
            return
