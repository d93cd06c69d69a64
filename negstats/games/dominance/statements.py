"""Statements of preference, and which of its own an agent makes next or in answer to the other side's.

Source: dominance. The note gives the steps of `reaction`; the order of the statements, and what it calls but does not
define (`next_statement`, `reaction_to_value`), are readings.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, NamedTuple

from negstats.games.dominance.domain import ANY

if TYPE_CHECKING:
    from negstats.games.dominance.preferences import Preferences

Pair = tuple[str, str]
"""A less and a more preferred value."""


class Statement(NamedTuple):
    """A preference between two values, or ("*", v) "v is what I like best", or (v, "*") "v is what I like least"."""

    criterion: str
    less: str
    more: str


def next_statement(preferences: Preferences, statements: Container[Statement], criterion: str) -> Statement | None:
    """Return the first statement on a criterion that has not been made (nextPreference); None if all have.

    Parameters
    ----------
    preferences
        The speaker's own.
    statements
        The statements that the speaker has made.
    criterion
        Name of the criterion.

    Returns
    -------
    Statement | None
        The statement, or None.

    Examples
    --------
    >>> from negstats.games.dominance import Preferences, restaurants
    >>> likes = Preferences.in_order(restaurants())
    >>> next_statement(likes, {Statement("place", "*", "quiet")}, "place")
    Statement(criterion='place', less='lively', more='*')
    """
    return next((statement for statement in preferences.statements(criterion) if statement not in statements), None)


def reaction_to_value(
    preferences: Preferences, statements: Container[Statement], criterion: str, value: str
) -> Statement | None:
    """Return the first pair with the value that has not been stated (reactToCriterion); None if there is none.

    Parameters
    ----------
    preferences
        The speaker's own.
    statements
        The statements that the speaker has made.
    criterion
        Name of the criterion.
    value
        A value of the criterion.

    Returns
    -------
    Statement | None
        The statement, or None.
    """
    for statement in preferences.statements(criterion):
        if value in statement[1:] and ANY not in statement and statement not in statements:
            return statement
    return None


def own_order(preferences: Preferences, criterion: str, one: str, other: str) -> Statement | None:
    """Return the pair in the agent's own order (computePreference); None where a partial order has neither.

    Parameters
    ----------
    preferences
        The speaker's own.
    criterion
        Name of the criterion.
    one, other
        Two values of the criterion.

    Returns
    -------
    Statement | None
        The statement, less preferred value first, or None.
    """
    if preferences.prefers(criterion, one, other):
        return Statement(criterion, other, one)
    return Statement(criterion, one, other) if preferences.prefers(criterion, other, one) else None


def reaction(
    preferences: Preferences,
    statements: Container[Statement],
    heard: Statement,
    *,
    literal: bool = False,
    interleaved: bool = False,
) -> Statement:
    """Return what to say to a stated (or asked) preference of the other side (reactToUser).

    That a value named is one's best or worst comes first, if it has not been said; then one's own order of the two;
    then another pair with one of them; then the own order again.

    Parameters
    ----------
    preferences
        The speaker's own.
    statements
        The statements that the speaker has made.
    heard
        What the other side said or asked; ``("*", "*")`` is an open question.
    literal
        As the note prints it: a further pair with the preferred value is found and then dropped for the repetition.
    interleaved
        Ask whether either value is the best, then whether either is the worst; not both for the preferred one first.

    Returns
    -------
    Statement
        What the speaker says next.

    Examples
    --------
    >>> from negstats.games.dominance import Preferences, restaurants
    >>> likes = Preferences.in_order(restaurants())
    >>> reaction(likes, set(), Statement("price", "cheap", "expensive"))
    Statement(criterion='price', less='expensive', more='*')
    >>> reaction(likes, set(), Statement("price", "cheap", "expensive"), interleaved=True)
    Statement(criterion='price', less='*', more='cheap')
    """
    criterion, lower, higher = heard
    values = [value for value in (higher, lower) if value != ANY]
    tests = [
        (value, extreme_name)
        for value, extreme_name in (
            [(value, extreme_name) for extreme_name in ("best", "worst") for value in values]
            if interleaved
            else [(value, extreme_name) for value in values for extreme_name in ("best", "worst")]
        )
    ]
    # If one of the values named is the best or the worst for oneself, that is said first.
    for value, extreme_name in tests:
        extreme = Statement(criterion, ANY, value) if extreme_name == "best" else Statement(criterion, value, ANY)
        if value == getattr(preferences, extreme_name)(criterion) and extreme not in statements:
            return extreme
    # Then how oneself orders the two, if one does.
    own_statement = own_order(preferences, criterion, lower, higher) if len(values) == 2 else None
    if own_statement is None:
        return _on_its_own(preferences, statements, criterion, values)
    if own_statement not in statements:
        return own_statement
    # Said already: another pair with one of the values, the preferred one first.
    first_reaction = reaction_to_value(preferences, statements, criterion, higher)
    if first_reaction is not None:
        return own_statement if literal else first_reaction
    return reaction_to_value(preferences, statements, criterion, lower) or own_statement


def _on_its_own(
    preferences: Preferences, statements: Container[Statement], criterion: str, values: list[str]
) -> Statement:
    """Return the answer where the two values are not ordered or not both named."""
    for value in values:
        statement = reaction_to_value(preferences, statements, criterion, value)
        if statement is not None:
            return statement
    return next_statement(preferences, statements, criterion) or Statement(criterion, ANY, preferences.best(criterion))
