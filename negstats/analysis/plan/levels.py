"""Whether what a question says of levels (predictions, contrasts, expected cells) fits the levels that there are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from negstats.analysis.plan.derived_columns import in_order_of
from negstats.analysis.plan.model import Factor, Plan, Question
from negstats.analysis.plan.predictions import Levels, PredictionError, faults_of, target_of
from negstats.errors import MOST, shown

MOST_CELLS = 10_000  # that are looked at
# What a cell may hold beside levels of factors.
EXPECTED = ("mean", "sd", "p", "rate", "spread", "shares", "rate_agree", "rate_leave", "n")


def levels_of(factor: Factor, observed_levels: Sequence[str] | None = None) -> tuple[str, ...] | None:
    """Return the levels of a factor in order: as the plan names them, else those that are there, merged and sorted.

    None if neither is known.

    Examples
    --------
    >>> levels_of(Factor("games.country", merge={"West": ("IL", "US")}), ["US", "CN", "IL"])
    ('CN', 'West')
    """
    if factor.levels or observed_levels is None:
        return factor.levels or None
    new = {old: level for level, olds in factor.merge.items() for old in olds}
    return tuple(in_order_of(factor.column, list({new.get(level, level) for level in observed_levels})))


def question_levels(
    plan: Plan, question: Question, observed_levels: Mapping[str, Sequence[str]] | None = None
) -> Levels:
    """Return for each factor of a question the levels that it compares; `observed_levels` are those in the data."""
    levels_by_factor: dict[str, tuple[str, ...] | None] = {}
    for name in question.by:
        levels = levels_of(plan.factor(name), None if observed_levels is None else observed_levels.get(name))
        only_levels = question.only.get(name)
        if only_levels is not None:
            levels = tuple(level for level in levels if level in only_levels) if levels else only_levels
        levels_by_factor[name] = levels
    return levels_by_factor


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
    yield from faults_of(question, levels)
    for contrast in question.contrasts:
        lacks = _weighed(contrast.name, tuple(contrast.weights), question, levels)
        if lacks:
            yield "contrasts", lacks
    cells = (question.expect or {}).get("cells", ())
    for reason in _cells(question, cells, levels):
        yield "expect.cells", reason
    yield from _against_prediction(question, cells, levels)


def _weighed(name: str, weighed_levels: Sequence[str], question: Question, levels: Levels) -> str | None:
    """Return why no one factor has all the levels that a contrast weighs."""
    known_levels = {
        factor: factor_levels for factor in question.by if (factor_levels := levels.get(factor)) is not None
    }
    if not question.by or len(known_levels) < len(question.by):
        return None
    if any(set(weighed_levels) <= set(factor_levels) for factor_levels in known_levels.values()):
        return None
    factor = max(known_levels, key=lambda one: len(set(weighed_levels) & set(known_levels[one])))
    wrong = next(level for level in weighed_levels if level not in known_levels[factor])
    return (
        f"{shown(name)} weighs {shown(wrong)}, which is not a level of {shown(factor)}; "
        f"it has {has(known_levels[factor])}"
    )


def _against_prediction(
    question: Question, cells: Sequence[Mapping[str, Any]], levels: Levels
) -> Iterator[tuple[str, str]]:
    """Yield what is expected the other way round than is predicted: power would be that of another hypothesis."""
    try:
        target = None if question.predicts is None else target_of(question, "predicts", question.predicts, levels)
    except PredictionError:
        return
    if target is None:
        return
    predicted = f"and predicts is {shown(question.predicts)}"
    slope = (question.expect or {}).get("slope")
    if not target.names and question.with_ and slope is not None and slope * target.sign < 0:
        yield "expect.slope", f"is {slope:g}, {predicted}"
    if len(target.names) != 1:
        return
    (name,) = target.names
    one, two = levels.get(name) or ("", "")
    for key in ("mean", "p", "rate"):
        sums = [[cell[key] for cell in cells if cell.get(name) == level and key in cell] for level in (one, two)]
        if all(sums) and (sum(sums[0]) / len(sums[0]) - sum(sums[1]) / len(sums[1])) * target.sign < 0:
            larger = two if target.sign > 0 else one
            yield "expect.cells", f"have {shown(larger)} as the larger, {predicted}"


def _cells(question: Question, cells: Sequence[Mapping[str, Any]], levels: Levels) -> Iterator[str]:
    """Yield what is wrong with the expected cells: each cell of the design must be covered exactly once."""
    wrong = False
    for name, level in ((key, cell[key]) for cell in cells for key in cell if key not in EXPECTED):
        factor_levels = levels.get(name)
        if name not in question.by:
            wrong = True
            yield f"{shown(name)} is not in by; by has {', '.join(question.by) or 'none'}"
        elif factor_levels is not None and level not in factor_levels:
            wrong = True
            yield f"{shown(level)} is not a level of {shown(name)}; it has {has(factor_levels)}"
    known_levels = {name: factor_levels for name in question.by if (factor_levels := levels.get(name)) is not None}
    if wrong or not cells or len(known_levels) < len(question.by):
        return
    for combination in itertools.islice(itertools.product(*known_levels.values()), MOST_CELLS):
        at = dict(zip(known_levels, combination, strict=True))
        count = sum(all(cell.get(name, level) == level for name, level in at.items()) for cell in cells)
        if count != 1:
            cell_text = ", ".join(f"{name} {level}" for name, level in at.items()) or "all"
            how = f"no cell is expected for {cell_text}" if count == 0 else f"{cell_text} is covered by {count} cells"
            yield f"{how}; each cell is covered once"
            return
