"""Columns of factors that follow from who sat with whom and in which order: their names, and their levels in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Factor

DERIVED = ("partner", "pair", "order", "first")
PARTNER = "partner.participant_id"  # the person on the other seat, for items only
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
LATER = "later"
COMPOSITION = ("both", "one", "neither")
FIRST = " first"  # after the level that a person met first: "CL first"


def is_derived(column: str) -> bool:
    """Return whether a factor's column is derived from seats or order.

    Examples
    --------
    >>> is_derived("pair.answers.svo"), is_derived("games.condition")
    (True, False)
    """
    return column.partition(".")[0] in DERIVED


def source_of(column: str) -> tuple[str, str]:
    """Return the table and column (of answers: the question) that a factor is read from.

    Examples
    --------
    >>> source_of("pair.answers.svo"), source_of("partner.role"), source_of("order.session"), source_of("games.day")
    (('answers', 'svo'), ('players', 'role'), ('games', 'session'), ('games', 'day'))
    """
    table, _, name = column.partition(".")
    if table in ("order", "first"):
        return "games", name
    if table in ("partner", "pair"):
        return ("answers", name.removeprefix("answers.")) if name.startswith("answers.") else ("players", name)
    return table, name


def of_games(column: str) -> bool:
    """Return whether all seats of a game may stand at one level, so that a measure of games can be compared by it."""
    return column.partition(".")[0] in ("games", "pair", "order", "first")


def in_order_of(column: str, levels: Sequence[str]) -> list[str]:
    """Return levels in the order that they have by themselves: of places and compositions their own, else sorted.

    Examples
    --------
    >>> in_order_of("order.session", ["second", "first"]), in_order_of("pair.agent", ["neither", "both", "one"])
    (['first', 'second'], ['both', 'one', 'neither'])
    """
    own = {"order": (*PLACES, LATER), "pair": COMPOSITION}.get(column.partition(".")[0], ())
    if own and set(levels) <= set(own):
        return sorted(levels, key=own.index)
    return sorted(levels)


def levels_met(factor: Factor) -> list[str]:
    """Return the levels of games that a plan names for what people met first; none if it names none.

    Examples
    --------
    >>> from negstats.analysis.plan.model import Factor
    >>> levels_met(Factor("first.condition", levels=("CL first", "FC first")))
    ['CL', 'FC']
    """
    new_levels = {level: olds for level, olds in factor.merge.items() if level in factor.levels}
    own_levels = [old for level in factor.levels for old in new_levels.get(level, (level,))]
    return [level.removesuffix(FIRST) for level in own_levels]
