"""What makes a column a condition, an outcome, a trait, an order, talk or a name: tables of rules.

A column is what the first of `KINDS` that holds says. Where that is a column of a few levels, the points of all `RULES`
that hold say whether it is a condition, and `AGAINST` what no such column is likely to be.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from negstats.loaders.reading.column_facts import FEWEST_ROWS, ColumnFacts
from negstats.loaders.reading.facts import LEAST_LEVELS
from negstats.loaders.reading.row_facts import FEWEST_OF_ITEM, MOST_FREQUENT_WORDS, MOST_WORDS
from negstats.loaders.reading.spellings import levels_of

Holds: TypeAlias = Callable[[ColumnFacts], bool]
_LONGEST_WORD = 16  # letters and digits of what somebody has called a condition, without any sign between them
LIKELY = 0.5  # points from which on columns are taken for conditions
Kind: TypeAlias = Literal["conditions", "asked", "scored", "outcomes", "number", "orders", "texts", "names", "unread"]


@dataclass(frozen=True, slots=True)
class KindRule:
    """What a column is for one reason alone.

    Attributes
    ----------
    kind : str
        The list of `Roles` in which it stands; "scored" that its points say it, "number" that it is a trait or an
        outcome.
    reason : str
        Why.
    holds : callable
        Whether the reason holds.
    points : float
        As a condition, of what is asked about.
    """

    kind: Kind
    reason: str
    holds: Holds
    points: float = 0.0


@dataclass(frozen=True, slots=True)
class PointRule:
    """Points for or against a condition.

    Attributes
    ----------
    aspect : str
        What of the column is looked at.
    points : float
        What it is worth.
    reason : str
        In words, with facts of the column in braces; rules of one reason are added up.
    holds : callable
        Whether it holds.
    """

    aspect: str
    points: float
    reason: str
    holds: Holds


KINDS: tuple[KindRule, ...] = (
    KindRule("outcomes", "it says what was taken", lambda of: of.is_taken),
    KindRule(
        "asked", "describes one of two things side by side, of which one is taken", lambda of: of.is_described, LIKELY
    ),
    KindRule("orders", "it numbers alternatives", lambda of: of.column.is_count and of.numbers_alternatives),
    KindRule("unread", "it is a run of rows", lambda of: bool(of.column.begins)),
    KindRule("unread", "it holds moments", lambda of: of.column.is_moment),
    KindRule("unread", "it numbers each row behind its person or game", lambda of: of.numbers_rows),
    KindRule("unread", "it names whom people met", lambda of: of.numbers_others),
    KindRule("unread", "it numbers the seats of each game", lambda of: of.numbers_seats),
    KindRule("unread", "it runs on from row to row of each game, as a clock does", lambda of: of.runs_on),
    KindRule("unread", "it is what another column was in the row before", lambda of: of.repeats_earlier),
    KindRule("unread", "it tells what is offered", lambda of: _is_offered(of)),
    KindRule("unread", "it holds forms that were filled in", lambda of: of.column.is_form),
    KindRule("texts", "it holds sentences", lambda of: of.is_text),
    KindRule("texts", "it is called as talk is", lambda of: _is_called_talk(of)),
    KindRule("orders", "it is called as an order, or a part of one", lambda of: _is_order_of_units(of)),
    KindRule("names", "it is another one in each row", lambda of: _names_each_row(of)),
    KindRule("scored", "it has few levels", lambda of: of.has_levels),
    KindRule("orders", "it counts", lambda of: _counts_regularly(of)),
    KindRule("unread", "it was set for each item", lambda of: of.is_of_items),
    KindRule("number", "it is a number", lambda of: of.column.has_numbers),
    KindRule("conditions", "no person has one of its words twice", lambda of: of.are_items),
    KindRule("conditions", "each person has each of its words as often", lambda of: of.are_as_often),
    KindRule("asked", "few words", lambda of: _has_few_words(of)),
    KindRule("unread", "it has many words", lambda of: not of.column.has_numbers),
)

RULES: tuple[PointRule, ...] = (
    PointRule("empty cells", -1.5, "often missing", lambda of: of.column.share_filled < 0.9 and not of.is_told_first),
    # How levels lie over units: one of these holds.
    PointRule("given equally often", 2.0, "given equally often: {of.unit_text}", lambda of: of.lie == "equally"),
    PointRule("drawn", 1.5, "{of.unit_text}", lambda of: of.lie == "drawn"),
    PointRule("given unequally", -0.5, "given unequally: {of.unit_text}", lambda of: of.lie == "unequally"),
    PointRule(
        "one in each unit", 0.5, "one in each unit: {of.unit_text}", lambda of: of.lie == "once" and not of.of.is_alone
    ),
    PointRule(
        "one in each case", 0.0, "one in each unit: {of.unit_text}", lambda of: of.lie == "once" and of.of.is_alone
    ),
    PointRule("set within units", 3.0, "each unit has each level as often", lambda of: of.lie == "within"),
    PointRule("alternatives", 3.0, "alternatives of one choice differ in it", lambda of: of.lie == "alternatives"),
    # What was drawn for alternatives has its levels about as often: of a level that is rare it is asked.
    PointRule("rare alternatives", -3.0, "seldom one of its levels", lambda of: of.is_rare_alternative),
    PointRule("by chance", 0.0, "varies within units, alike in all but for chance", lambda of: of.lie == "by chance"),
    PointRule("of items", 0.5, "one in each {of.item.name} that a unit meets again", lambda of: of.lie == "of items"),
    PointRule("freely", -2.0, "varies within units, not by design", lambda of: of.lie == "freely"),
    PointRule(
        "drawn with others",
        0.5,
        "with each level of {of.crossed_with[0]} and of {of.crossed_with[1]} as often",
        lambda of: of.is_crossed,
    ),
    PointRule("lone number", -1.0, "a number of one unit alone", lambda of: of.lie == "equally" and of.has_lone_number),
    # What the levels are.
    PointRule("words", 0.5, "words", lambda of: not (of.column.has_numbers or of.says_yes_or_no)),
    PointRule("numbers within", -1.2, "numbers that vary within units", lambda of: _is_regular_number(of)),
    PointRule(
        "yes or no",
        -0.5,
        "yes or no",
        lambda of: of.says_yes_or_no and not (of.is_of_unit or of.is_of_person or of.is_by_chance),
    ),
    PointRule(
        "scale",
        -1.5,
        "a scale",
        lambda of: of.column.has_numbers and of.column.n_levels > 4 and not of.is_by_chance,
    ),
    PointRule("spelled out", 2.0, "spelled out in columns of its levels", lambda of: of.is_spelled_out),
    # What is missing where.
    PointRule("missing", -4.0, "it is missing at a level of {of.absent_at.name}", lambda of: of.absent_at is not None),
    PointRule(
        "others missing",
        -4.0,
        "{of.followers[0].name} is missing where it has one level",
        lambda of: bool(of.followers),
    ),
    PointRule(
        "others fixed",
        -2.5,
        "{of.fixed.name} is one number at one of its levels, and never elsewhere",
        lambda of: of.fixed is not None,
    ),
    # A fee, or how many rounds there are, is a number that may be a setting of a session.
    PointRule(
        "number of sessions",
        0.5,
        "one in each {of.session.name} of several units",
        lambda of: of.session is not None and _is_amount(of),
    ),
    PointRule(
        "label of sessions",
        1.5,
        "one in each {of.session.name} of several units",
        lambda of: of.session is not None and not _is_amount(of),
    ),
    PointRule("number of a game", -2.5, "it numbers games, with others that name them", lambda of: of.numbers_games),
    PointRule("source", -1.5, "numbered sources: sessions?", lambda of: _has_numbered_sources(of)),
    # Names break ties.
    PointRule("name of a condition", 1.5, "its name", lambda of: of.is_named("condition")),
    PointRule(
        "name of a result",
        -1.5,
        "its name",
        lambda of: of.may_be_trait or of.is_called_outcome or of.is_named("amount"),
    ),
    PointRule("name of a time", -1.0, "its name", lambda of: of.is_named("time")),
    PointRule("name of a flag", -1.0, "its name", lambda of: of.is_flag),
    PointRule(
        "order of people", -1.0, "an order that each had", lambda of: of.is_named("order") and of.is_of_repeating_person
    ),
    PointRule("blocks", -1.5, "in blocks of {of.of.numbering.name}: a session?", lambda of: of.stands_in_blocks),
)

# What is no condition, however its levels lie; it may be one all the same, if somebody says so.
AGAINST: tuple[tuple[str, Holds], ...] = (
    ("it is called an outcome", lambda of: of.is_called_outcome),
    ("its words accept or reject", lambda of: _accepts_or_rejects(of)),
    ("it says how games ended", lambda of: of.says_how_games_ended),
    ("it names one of those who act", lambda of: of.names_actor),
    ("it is an answer of a scale", lambda of: of.is_of_scale),
    ("it tells the members of a group apart in their names", lambda of: of.ends_names),
    ("it numbers the members of each group", lambda of: of.numbers_members),
    ("it is called a person", lambda of: of.is_named("person")),
    ("it is called a game", lambda of: _is_called_game(of)),
    ("it is called a seat", lambda of: _is_called_seat(of)),
    ("its levels are codes that a program made", lambda of: _has_codes_of_program(of)),
    ("it counts sessions", lambda of: of.is_called_session),
    ("it numbers blocks", lambda of: of.numbers_blocks),
)


def kind_of(of: ColumnFacts) -> KindRule:
    """Return the first rule of `KINDS` that holds of a column."""
    return next(rule for rule in KINDS if rule.holds(of))


def score(of: ColumnFacts) -> tuple[float, list[str]]:
    """Return the points of a column as a condition, and the reasons in words, each with what it is worth."""
    by_reason: dict[str, list[float]] = {}
    for rule in RULES:
        if rule.holds(of):
            by_reason.setdefault(rule.reason.format(of=of), []).append(rule.points)
    sums = {reason: sum(points) for reason, points in by_reason.items()}
    # Reasons that are worth nothing are told, but for those that cancel out.
    told = {reason: points for reason, points in sums.items() if points or not any(by_reason[reason])}
    words = [f"{reason} ({points:+.1f})" if points else reason for reason, points in told.items()]
    return sum(sums.values()), words


def is_never_likely(of: ColumnFacts) -> bool:
    """Whether something speaks against a condition that no points outweigh, unless its name says it is one."""
    is_called_set = of.is_named("condition") or of.is_set_beside
    return not is_called_set and any(holds(of) for _, holds in AGAINST)


def _is_offered(of: ColumnFacts) -> bool:
    return of.column.is_bundle and of.of.row.kind == "events" and not of.is_of_unit


def _accepts_or_rejects(of: ColumnFacts) -> bool:
    spelled = {} if of.says_yes_or_no or of.column.has_numbers else levels_of("response", of.column.levels) or {}
    return {"accepted", "rejected"} <= spelled.keys()


def _is_called_talk(of: ColumnFacts) -> bool:
    is_among_events = of.of.row.kind == "events" and of.is_named("talk")
    is_setting = of.is_of_unit and of.has_levels  # whether there is any talk in a game
    return is_among_events and not (of.column.has_numbers or of.column.is_unique or is_setting)


def _is_order_of_units(of: ColumnFacts) -> bool:
    return of.is_order and (not of.of.is_alone or of.of.has_people_again) and not of.is_set_beside


def _names_each_row(of: ColumnFacts) -> bool:
    column = of.column
    if not column.is_unique or column.is_fractional:
        return False
    return not column.has_numbers or (column.is_count and not of.is_named("outcome", "amount"))


def _counts_regularly(of: ColumnFacts) -> bool:
    column = of.column
    is_regular = column.is_count and (column.is_even or of.is_named("order")) and not column.is_unique
    return is_regular and not of.is_named("outcome", "amount")


def _has_few_words(of: ColumnFacts) -> bool:
    is_called_condition = of.is_named("condition") and of.column.rows_per_level >= FEWEST_ROWS
    is_frequent = of.column.n_levels <= MOST_FREQUENT_WORDS and of.column.rows_per_level >= FEWEST_OF_ITEM
    is_frequent = is_frequent and not (of.is_of_person or of.is_of_unit)  # as the computer is at which somebody sat
    return of.column.n_levels <= MOST_WORDS or is_frequent or is_called_condition


def _is_regular_number(of: ColumnFacts) -> bool:
    is_number = of.column.has_numbers and of.column.n_levels > 2
    return is_number and of.is_regular and not of.is_set_beside


def _is_amount(of: ColumnFacts) -> bool:
    return of.column.has_numbers and not of.column.is_binary


def _has_numbered_sources(of: ColumnFacts) -> bool:
    without_numbers = {re.sub(r"\d+", "0", level) for level in of.column.levels}
    return of.column.is_source and len(without_numbers) == 1 and "0" in without_numbers.pop()


def _has_codes_of_program(of: ColumnFacts) -> bool:
    """Whether nobody has chosen the words of a column: letters and digits as long as no word is, without any sign."""
    return of.column.has_codes and all(len(level) > _LONGEST_WORD and level.isalnum() for level in of.column.levels)


def _is_called_game(of: ColumnFacts) -> bool:
    return of.is_named("game") and (of.column.has_numbers or of.column.n_levels >= LEAST_LEVELS)


def _is_called_seat(of: ColumnFacts) -> bool:
    is_number_of_seat = of.column.is_count and not of.of.is_alone
    is_of_events = of.of.row.kind == "events" and not of.is_of_unit  # those who act in one game sit in several seats
    return of.is_named("seat") and (is_of_events or is_number_of_seat)
