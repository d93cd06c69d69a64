"""The predicted direction of an effect, and whether what a question says of levels fits the levels that there are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from negstats.analysis.plan.columns import in_order_of
from negstats.analysis.plan.model import Factor, Plan, Question
from negstats.errors import MOST, nearest, shown

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
    factor = max(known_levels, key=lambda factor_name: len(set(weighed_levels) & set(known_levels[factor_name])))
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
    first, second = levels.get(name) or ("", "")
    for key in ("mean", "p", "rate"):
        sums = [[cell[key] for cell in cells if cell.get(name) == level and key in cell] for level in (first, second)]
        if all(sums) and (sum(sums[0]) / len(sums[0]) - sum(sums[1]) / len(sums[1])) * target.sign < 0:
            larger = second if target.sign > 0 else first
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
        own_levels = dict(zip(known_levels, combination, strict=True))
        count = sum(all(cell.get(name, level) == level for name, level in own_levels.items()) for cell in cells)
        if count != 1:
            cell_text = ", ".join(f"{name} {level}" for name, level in own_levels.items()) or "all"
            how = f"no cell is expected for {cell_text}" if count == 0 else f"{cell_text} is covered by {count} cells"
            yield f"{how}; each cell is covered once"
            return


WORDS = ("positive", "negative", "above", "below")
SEPARATED, BARE = re.compile(r"\s+([<>])\s+"), re.compile(r"\s*([<>])\s*")

Levels = Mapping[str, "tuple[str, ...] | None"]  # by factor, in order; None where they are not known
Field = Literal["predicts", "direction"]


class PredictionError(ValueError):
    """A prediction does not fit the question or its levels; the text says why and names what fits."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a prediction is about, and its sign.

    Attributes
    ----------
    names : frozenset of str
        The factors and numbers of the term; empty for contrasts, for a stated value, and for every relation.
    sign : int
        1 where first minus second, the slope or the contrast is predicted to be positive, else -1. Of contrasts the
        sign is that of each (`contrast_sign`).
    order : tuple of str
        Of a chain over contrasts: the levels, the largest first.
    """

    names: frozenset[str]
    sign: int
    order: tuple[str, ...] = ()


def sides_of(text: str) -> tuple[str, ...]:
    """Return what a text with ``>`` or ``<`` puts in order, the larger first; a word alone is one side.

    Raises
    ------
    PredictionError
        If it has both signs, or a side is empty.

    Examples
    --------
    >>> sides_of("CL > FC"), sides_of("FC < CL"), sides_of("A > B > C"), sides_of("positive")
    (('CL', 'FC'), ('CL', 'FC'), ('A', 'B', 'C'), ('positive',))
    >>> sides_of("<30 years < >=30 years")
    ('>=30 years', '<30 years')
    """
    sign = SEPARATED if SEPARATED.search(text) else BARE
    parts = sign.split(text.strip())
    sides, signs = [part.strip() for part in parts[::2]], set(parts[1::2])
    if len(signs) > 1:
        raise PredictionError(f"is {shown(text)}, which has both > and <; write one of them")
    if not all(sides):
        raise PredictionError(f'is {shown(text)}; write what is larger and what is smaller, such as "CL > FC"')
    return tuple(reversed(sides)) if signs == {"<"} else tuple(sides)


def spelled(sides: Sequence[str]) -> str:
    """Return sides as a plan keeps them, the larger first.

    Examples
    --------
    >>> spelled(("CL", "FC"))
    'CL > FC'
    """
    return " > ".join(sides)


def stated(question: Question) -> tuple[Field, str] | None:
    """Return which field says the sign, and what it says; None where the plan predicts none."""
    if question.direction is not None:
        return "direction", question.direction
    return None if question.predicts is None else ("predicts", question.predicts)


def faults_of(question: Question, levels: Levels) -> Iterator[tuple[Field, str]]:
    """Yield the field and the reason where a prediction does not fit the question, as far as levels are known."""
    fields: tuple[tuple[Field, str | None], ...] = (("direction", question.direction), ("predicts", question.predicts))
    for field, text in fields:
        if text is not None:
            try:
                target_of(question, field, text, levels)
            except PredictionError as error:
                yield field, str(error)


def target_of(question: Question, field: Field, text: str, levels: Levels) -> Target | None:
    """Return what a prediction is about; None where the levels that it names are not known.

    Raises
    ------
    PredictionError
        If it does not fit the question or the levels.
    """
    sides = sides_of(text)
    if len(sides) == 1:
        return _word_target(question, text, levels)
    if len(set(sides)) < len(sides):
        twice = next(side for side in sides if sides.count(side) > 1)
        raise PredictionError(f"names {shown(twice)} twice; {_ways(question, levels)}")
    if not question.by:
        raise PredictionError(f"is {shown(text)}, but by names no factor")
    if question.contrasts:
        return _contrast_target(question, field, text, sides, levels)
    known = {name: own for name in question.by if (own := levels.get(name)) is not None}
    if len(known) < len(question.by):
        return None
    return _interaction_target(question, sides, known) or _level_target(question, sides, known)


def _word_target(question: Question, word: str, levels: Levels) -> Target:
    if word not in WORDS:
        close = nearest(word, WORDS)
        hint = f"did you mean {shown(close)}?" if close else f"{_ways(question, levels)}, or {' or '.join(WORDS)}"
        raise PredictionError(f"is {shown(word)}; {hint}")
    if word in ("above", "below") and question.against is None:
        raise PredictionError(f"{shown(word)} needs a number; give against")
    if word in ("positive", "negative") and not (question.with_ or question.contrasts):
        raise PredictionError(f'{shown(word)} is for with and for contrasts; write "CL > FC" for levels')
    return Target(frozenset(), 1 if word in ("positive", "above") else -1)


def _contrast_target(
    question: Question, field: Field, text: str, sides: tuple[str, ...], levels: Levels
) -> Target | None:
    """Return the order of levels that fixes the sign of each contrast of the question."""
    if field == "direction":
        raise PredictionError(f'is {shown(text)}, but the question has contrasts; write "positive" or "negative"')
    known = [own for name in question.by if (own := levels.get(name)) is not None]
    if len(known) == len(question.by) and not any(set(sides) <= set(own) for own in known):
        wrong = next(side for side in sides if not any(side in own for own in known))
        raise PredictionError(f"{shown(wrong)} is not a level of {' or '.join(map(shown, question.by))}")
    for contrast in question.contrasts:
        if not contrast_sign(sides, contrast.weights):
            raise PredictionError(f"{shown(text)} does not fix the sign of {shown(contrast.name)}")
    return Target(frozenset(), 1, sides)


def contrast_sign(order: Sequence[str], weights: Mapping[str, float]) -> int:
    """Return the sign that an order of means gives to a weighted sum of them; 0 where it fixes none.

    Where the means fall along the order, the sum is positive if no partial sum of the weights along it is negative
    (summation by parts), and some is positive.

    Examples
    --------
    >>> contrast_sign(("A", "B", "C"), {"A": 1, "C": -1}), contrast_sign(("A", "B"), {"A": -1, "B": 1})
    (1, -1)
    >>> contrast_sign(("A", "B", "C"), {"A": 1, "B": -2, "C": 1}), contrast_sign(("A", "B"), {"A": 1, "C": -1})
    (0, 0)
    """
    if any(weight and level not in order for level, weight in weights.items()):
        return 0
    size = sum(map(abs, weights.values()))
    partial_sums = list(itertools.accumulate(weights.get(level, 0.0) for level in order))
    is_low, is_high = (any(sign * partial_sum > 1e-9 * size for partial_sum in partial_sums) for sign in (-1, 1))
    return 0 if is_low == is_high else 1 if is_high else -1


def _interaction_target(
    question: Question, sides: tuple[str, ...], known: Mapping[str, tuple[str, ...]]
) -> Target | None:
    """Return the two factors, or the number and the factor, of a difference of differences or of slopes."""
    if len(sides) != 2:
        return None
    for name, own in known.items():
        differences = {
            f"{first} - {second}": (other, 1 if pair.index(first) == 0 else -1)
            for other, pair in known.items()
            if other != name and len(pair) == 2
            for first, second in itertools.permutations(pair)
        }
        differences |= {number: (number, 1) for number in question.with_}
        for inside, (other, sign) in differences.items():
            levels = [level for side in sides for level in own if side == f"{inside} in {level}"]
            if len(levels) < 2:
                continue
            if len(own) != 2:
                raise PredictionError(f"needs two levels, {shown(name)} has {len(own)}; name them with only")
            _check_answers(question, {name, other})
            return Target(frozenset((name, other)), sign if levels[0] == own[0] else -sign)
    return None


def _level_target(question: Question, sides: tuple[str, ...], known: Mapping[str, tuple[str, ...]]) -> Target:
    """Return the factor whose two levels are in order."""
    tested = [name for name in question.by if any(name in term.split(":") for term in question.effect or question.by)]
    single = [name for name in tested if not question.effect or name in question.effect]
    whole = [name for name in single or tested if set(sides) <= set(known[name])]
    if len(whole) > 1:
        raise PredictionError(f"names levels of {' and of '.join(map(shown, whole))}; say with effect which is meant")
    name = next(iter(whole), None) or next((other for other in tested if set(sides) & set(known[other])), tested[0])
    own = known[name]
    wrong = next((level for level in sides if level not in own), None)
    if len(own) != 2:
        raise PredictionError(f"needs two levels, {shown(name)} has {len(own)}; name them with only, or give contrasts")
    if wrong is not None:
        raise PredictionError(f"{shown(wrong)} is not a level of {shown(name)}; {_ways(question, known)}")
    if name not in single:
        raise PredictionError(
            f"is about {shown(name)}, and effect is {shown(', '.join(question.effect))}; {_ways(question, known)}"
        )
    return Target(frozenset((name,)), 1 if sides[0] == own[0] else -1)


def _check_answers(question: Question, names: set[str]) -> None:
    if question.effect and names not in [set(term.split(":")) for term in question.effect]:
        raise PredictionError(
            f"is about {shown(':'.join(sorted(names)))}, and effect is {shown(', '.join(question.effect))}"
        )


def ways_to_predict(question: Question, levels: Levels) -> str:
    """Return which key says the sign of what a question asks; empty where nothing is tested.

    Examples
    --------
    >>> ways_to_predict(Question("Who earns more?", "points", by=("condition",)), {"condition": ("CL", "FC")})
    'predicts = "CL > FC" or predicts = "FC > CL"'
    """
    if question.against is not None:
        return 'predicts = "above" or predicts = "below"'
    if question.contrasts or (question.with_ and not question.by):
        return 'predicts = "positive" or predicts = "negative"'
    if not question.by:
        return ""
    names = [
        name for name in question.by if not question.effect or any(name in term.split(":") for term in question.effect)
    ]
    if any(len(levels.get(name) or ("CL", "FC")) > 2 for name in names):
        return 'contrasts and predicts = "positive", for a test of several levels has no direction'
    return f"predicts = {_ways(question, levels).removeprefix('write ').replace(' or ', ' or predicts = ')}"


def _ways(question: Question, levels: Levels) -> str:
    """Return how a prediction of this question can be written."""
    pairs = [own for name in question.by if (own := levels.get(name)) is not None and len(own) == 2]
    terms = [term.split(":") for term in question.effect]
    if len(pairs) > 1 and terms and all(len(term) > 1 for term in terms):
        (first, second), (level, other_level) = pairs[:2]
        return f'write "{first} - {second} in {level} > {first} - {second} in {other_level}" or the other way round'
    names = [name for name in question.by if not terms or [name] in terms]
    pair = next((own for name in names if (own := levels.get(name)) is not None and len(own) == 2), None)
    first, second = pair or ("CL", "FC")
    return f'write "{first} > {second}" or "{second} > {first}"'


def observed(
    question: Question, names: frozenset[str], sign: int, levels: Levels, *, with_contrasts: bool = False
) -> str | None:
    """Return which way an effect lies, in the words of a prediction; None where these have none for it.

    Examples
    --------
    >>> asked = Question("Who earns more?", "points", by=("condition",))
    >>> observed(asked, frozenset(["condition"]), -1, {"condition": ("CL", "FC")})
    'FC > CL'
    """
    if not sign:
        return None
    if question.against is not None:
        return "above" if sign > 0 else "below"
    numbers = [name for name in names if name in question.with_ or name in question.covariates]
    factors = [name for name in question.by if name in names]
    if with_contrasts or not factors:  # a number, also of the partner
        return "positive" if sign > 0 else "negative"
    pairs = [own for name in factors if (own := levels.get(name)) is not None and len(own) == 2]
    if len(pairs) != len(factors) or len(factors) + len(numbers) > 2 or len(numbers) > 1:
        return None
    larger, smaller = pairs[-1] if sign > 0 else pairs[-1][::-1]
    if len(names) == 1:
        return spelled((larger, smaller))
    inside = numbers[0] if numbers else " - ".join(pairs[0])
    return spelled((f"{inside} in {larger}", f"{inside} in {smaller}"))
