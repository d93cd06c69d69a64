"""What a dominant, peer or submissive side accepts.

Source: dominance gives the rules for values; those for options are a reading.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from negstats.errors import DesignError, meant, shown
from negstats.games.dominance.domain import Option, Value
from negstats.games.dominance.preferences import Preferences
from negstats.games.dominance.statements import Statement

Relation: TypeAlias = Literal["dominant", "peer", "submissive"]
Judging: TypeAlias = Literal["sum", "each"]
Objecting: TypeAlias = Literal["less", "either"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)
FACTOR = 0.7


def acceptable(
    preferences: Preferences,
    relation: Relation,
    statements: Collection[Statement],
    thing: Value | Option,
    *,
    factor: float = FACTOR,
    option: Judging = "sum",
    objected: Objecting = "less",
) -> bool:
    """Whether a value or an option is acceptable.

    A dominant side accepts a value whose score is more than `factor` times the best score, a peer one with a score
    above 0, a submissive side that too, and whatever it has called less preferred before, to avoid a conflict. Options
    go by their scores likewise; a submissive side accepts one whose values with scores up to 0 it has all objected to.

    Parameters
    ----------
    preferences
        Of the side that is asked.
    relation
        Its relation to the other: dominant, peer or submissive.
    statements
        The statements that it has made.
    thing
        A value, or an option.
    factor
        From 0 to 1; taken as the decimal that it is written as, so that no rounding moves the threshold.
    option
        ``"sum"``: an option goes by its score; ``"each"``: every value of it must be acceptable.
    objected
        A submissive side has objected to a value that it has called ``"less"`` preferred, or that has stood on
        ``"either"`` side of a statement.

    Returns
    -------
    bool
        True where the side accepts it.

    Raises
    ------
    DesignError
        If the relation or the value is not known, or the factor is not from 0 to 1.

    Examples
    --------
    >>> from negstats.games.dominance import Preferences, restaurants
    >>> likes = Preferences.in_order(restaurants())
    >>> for relation in RELATIONS:
    ...     print(relation, sum(acceptable(likes, relation, (), one) for one in likes.domain.options))
    dominant 1
    peer 9
    submissive 9
    >>> acceptable(likes, "submissive", {Statement("cuisine", "mexican", "french")}, Value("cuisine", "mexican"))
    True
    """
    is_relation(relation)
    if isinstance(thing, Value):
        score = preferences.score(thing.criterion, thing.value)
        if relation == "dominant":
            best = preferences.score(thing.criterion, preferences.best(thing.criterion))
            return _exceeds(score, best, factor)
        if score > 0 or relation == "peer":
            return score > 0
        return _objected(statements, thing.criterion, thing.value, objected)
    # An option is judged by its values one by one, or by their sum.
    score = preferences.option_score(thing)
    values = zip(preferences.domain.names, thing, strict=True)
    if option == "each":
        return all(
            acceptable(preferences, relation, statements, Value(*value), factor=factor, objected=objected)
            for value in values
        )
    if relation == "dominant":
        return _exceeds(score, preferences.option_scores[preferences.ranked_options[0]], factor)
    if score > 0 or relation == "peer":
        return score > 0
    return all(preferences.score(*value) > 0 or _objected(statements, *value, objected) for value in values)


def is_relation(relation: str) -> Relation:
    """Return the relation; raises DesignError if there is none of this name."""
    for candidate in RELATIONS:
        if candidate == relation:
            return candidate
    raise DesignError(f"relation is {shown(relation)}; {meant(relation, RELATIONS)}")


def _exceeds(score: int, best_score: int, factor: float) -> bool:
    numerator, denominator = _ratio(factor)
    return score * denominator > numerator * best_score


@lru_cache(maxsize=64)
def _ratio(factor: float) -> tuple[int, int]:
    if not 0 <= factor <= 1:
        raise DesignError(f"factor is {factor}; a share of the best score, from 0 to 1, is needed")
    return Fraction(str(factor)).as_integer_ratio()


def _objected(statements: Collection[Statement], criterion: str, value: str, objected: Objecting) -> bool:
    positions = slice(1, 2) if objected == "less" else slice(1, 3)
    return any(statement.criterion == criterion and value in statement[positions] for statement in statements)
