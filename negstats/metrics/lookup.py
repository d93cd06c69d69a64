"""Finding a measure by what somebody typed: a registered name, another name of it, or a study's own number."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from negstats.errors import UsageError, shown
from negstats.metrics import _amounts, names
from negstats.metrics.definition import CODES, OWN, YES_NO, AskedTables, Measure, Tables
from negstats.metrics.own_numbers import (
    ISSUE_MEASURES,
    LEVEL_OF,
    is_zero_or_one,
    measure_column,
    numbers_beyond,
    own_place,
)
from negstats.metrics.registry import MEASURES
from negstats.sanitize import capitalised
from negstats.tables import TABLES, OwnMeasure


def measure(name: str) -> Measure:
    """Return the measure called `name`.

    Parameters
    ----------
    name
        One of `MEASURES`, or another name of it, such as "offer size" or "MAO".

    Returns
    -------
    Measure
        The measure with its unit, its kind and the tables that it needs.

    Raises
    ------
    UsageError
        If there is none; the message names the closest.

    Examples
    --------
    >>> measure("joint_value").unit
    'points'
    >>> measure("joint_vale")
    Traceback (most recent call last):
        ...
    negstats.errors.UsageError: no measure is called 'joint_vale'; did you mean 'joint_value'?
    """
    known_name = registered_name(name)
    if known_name in MEASURES:
        return MEASURES[known_name]
    table, _, column = ISSUE_MEASURES.get(known_name, known_name).partition(".")
    if table in LEVEL_OF and column:
        return measure_column(table, column, known_name)
    raise UsageError(f"no measure is called {shown(name)}; {suggestion(name)}")


def measure_in(tables: Mapping[str, Any], name: str, own: Sequence[OwnMeasure] = ()) -> Measure:
    """Return the measure called `name` in a study: a registered one, else a column of numbers, or a question.

    A column of numbers of the games or offers, or a question, needs no table before its name. Where all values are 0
    and 1 the measure is yes or no, if the study does not say otherwise. Of a column of the offers, ``first_NAME`` and
    ``last_NAME`` are those of a seat's first and last offer.

    Parameters
    ----------
    tables
        The study's tables by name, of any engine.
    name
        A name in `MEASURES`, ``table.column``, a column of numbers of ``games`` or ``offers``, or a question of
        ``answers``.
    own
        What the study says of its own measures: their units and kinds (``study.provenance.measures``).

    Returns
    -------
    Measure
        The measure; one made of a column or question has the unit and kind that the study says.

    Raises
    ------
    UsageError
        If nothing is called so; the nearest name is given.

    Examples
    --------
    >>> from negstats.tables import conform
    >>> games = conform("games", {"game_id": ["g", "h"], "ended": ["agreement"] * 2, "price": [4.5, 9.0]})
    >>> measure_in({"games": games}, "price").compute({"games": games})["price"].tolist()
    [4.5, 9.0]
    """
    if name in MEASURES:
        return MEASURES[name]
    table, _, column = name.partition(".")
    if table not in LEVEL_OF or not column:
        table_and_column = own_place(tables, name)
        if table_and_column is None:
            known_name = registered_name(name)
            if known_name in MEASURES:
                return MEASURES[known_name]
            if known_name not in ISSUE_MEASURES:
                raise _unknown(tables, name)
            name, (table, _, column) = known_name, ISSUE_MEASURES[known_name].partition(".")
            table_and_column = own_place(tables, name) or (table, column)
        table, column = table_and_column
    definition = measure_column(table, column, name)
    own_measure = next((measure for measure in own if measure.name == column), OwnMeasure(column))
    if own_measure.kind is None and table in ("games", "players", "offers") and is_zero_or_one(tables, table, column):
        return replace(definition, unit=YES_NO)
    unit = YES_NO if own_measure.kind == "yes/no" else own_measure.unit or definition.unit
    return replace(definition, unit=unit, kind=own_measure.kind)


def column_of(tables: Mapping[str, Any], name: str) -> str:
    """Return a number of a study's games, offers or seats, or an issue, as ``table.column``, as plans name it.

    Parameters
    ----------
    tables
        The study's tables by name.
    name
        A column of numbers beyond the fixed columns of ``games`` or ``offers``, an issue with one number for both
        seats, such as a price, or else a seat's answer.

    Returns
    -------
    str
        The name of the table, a dot, and the name of the column.

    Examples
    --------
    >>> from negstats.tables import conform
    >>> column_of({"games": conform("games", {"game_id": ["g"], "ended": ["agreement"], "price": [4.5]})}, "price")
    'games.price'
    """
    table_and_column = own_place(tables, name)
    return f"answers.{name}" if table_and_column is None else ".".join(table_and_column)


def issue_measures(tables: Mapping[str, Any]) -> list[str]:
    """Return the names of the measures that a study's issues are, such as the price agreed on.

    Parameters
    ----------
    tables
        The study's tables by name.

    Examples
    --------
    >>> issue_measures({})
    []
    """
    names = _amounts.issue_names(tables)
    return [name if own_place(tables, name) == ("items", name) and name not in MEASURES else f"items.{name}"
            for name in names]  # fmt: skip


def located(tables: Mapping[str, Any], name: str) -> str:
    """Return ``table.column`` of a name that a study gives its meaning, such as ``price``; of any other the name.

    Parameters
    ----------
    tables
        The study's tables by name.
    name
        The name of a measure in a plan.

    Examples
    --------
    >>> from negstats.tables import conform
    >>> games = conform("games", {"game_id": ["g"], "ended": ["agreement"], "price": [4.5]})
    >>> located({"games": games}, "price"), located({}, "points")
    ('games.price', 'points')
    """
    if name not in ISSUE_MEASURES:
        return name
    table_and_column = own_place(tables, name)
    return ISSUE_MEASURES[name] if table_and_column is None else ".".join(table_and_column)


def is_measure(name: str) -> bool:
    """Whether a name is a registered measure's, or names a column of a table that may hold numbers.

    Examples
    --------
    >>> is_measure("points"), is_measure("games.price"), is_measure("price"), is_measure("prise")
    (True, True, True, False)
    """
    table, _, column = name.partition(".")
    return registered_name(name) in {*MEASURES, *ISSUE_MEASURES} or (table in LEVEL_OF and bool(column))


def definition_of(name: str) -> Measure | None:
    """Return what is known of a measure by its name alone: a registered one, or one of labels.

    Parameters
    ----------
    name
        The name, as ``points``, ``labels.NAME`` or ``replies.BEFORE:NAME``.

    Returns
    -------
    Measure | None
        The measure; None for a column of a study, of which the study alone knows.

    Examples
    --------
    >>> definition_of("labels.offer").unit, definition_of("games.price")
    ('share of messages', None)
    """
    if name in MEASURES:
        return MEASURES[name]
    return measure(name) if name.partition(".")[0] in ("labels", "replies") else None


def computed_from(name: str) -> tuple[str, ...]:
    """Return what a measure counts, sums or rescales, as ``table.column``; of a column of a study the column.

    Parameters
    ----------
    name
        A registered name, another name of it, or ``table.column``.

    Examples
    --------
    >>> computed_from("joint_value"), computed_from("games.price"), computed_from("utterances")
    (('players.points',), ('games.price',), ())
    """
    known_name = registered_name(name)
    if known_name in MEASURES:
        return MEASURES[known_name].sources
    column = ISSUE_MEASURES.get(known_name, known_name)
    sources = next((measure.sources for measure in MEASURES.values() if column in measure.sources), (column,))
    return sources if "." in column else ()


def available(tables: Tables) -> list[str]:
    """Return the names of the measures that can be computed from the tables of a study.

    Parameters
    ----------
    tables
        The tables by name; one that is not there counts as empty.

    Returns
    -------
    list[str]
        Names that `measure` takes; empty if none can be computed.

    Examples
    --------
    >>> from negstats.tables import conform
    >>> games = conform("games", {"game_id": ["g", "h"], "ended": ["agreement", "walkaway"], "rounds": [4, 9]})
    >>> available({"games": games})
    ['agreed', 'walked_away', 'rounds']
    """
    asked_tables = AskedTables(tables)
    return [name for name, measure in MEASURES.items() if measure.lacking(asked_tables) is None]


def own_name(tables: Mapping[str, Any], typed: str) -> str:
    """Return the name of a study's own number or question that is meant by what was typed; else what was typed.

    Parameters
    ----------
    tables
        The study's tables by name.
    typed
        What was typed: case, blanks and hyphens do not count, since lists print names with blanks.

    Examples
    --------
    >>> from negstats.tables import conform
    >>> games = conform("games", {"game_id": ["g"], "ended": ["agreement"], "rt_ms": [450.0]})
    >>> own_name({"games": games}, "rt ms"), own_name({"games": games}, "MAO")
    ('rt_ms', 'MAO')
    """
    return typed if is_measure(typed) else names.name_of(typed, _own_names(tables))


def _own_names(tables: Mapping[str, Any]) -> list[str]:
    """Return what a study's own numbers and questions are called."""
    questions: Sequence[str] = ()
    if "answers" in tables:
        questions = list(nw.from_native(tables["answers"]).lazy().select("question").unique().collect()["question"])
    return [*numbers_beyond(tables, "games"), *numbers_beyond(tables, "offers"), *questions]


def suggestion(name: str, others: Sequence[str] = (), able: Container[str] | None = None) -> str:
    """Return what may be meant by a name that is not a measure's: by what people call measures, else by its letters.

    Parameters
    ----------
    name
        What was typed.
    others
        Further names that there are, of a plan or a study.
    able
        Those that can be computed of a study; None if that is not known.

    Examples
    --------
    >>> suggestion("anchor"), suggestion("jiont_value")
    ("did you mean 'first_offer'?", "did you mean 'joint_value'?")
    """
    return names.suggestion(name, [*others, *MEASURES, *ISSUE_MEASURES], able)


def registered_name(name: str) -> str:
    """Return the name under which a measure is known, of the name or alias that was typed; else the name itself.

    Parameters
    ----------
    name
        What was typed: case, blanks and hyphens do not count.

    Examples
    --------
    >>> registered_name("MAO"), registered_name("offer size"), registered_name("games.price")
    ('least_acceptable', 'units_to_responder', 'games.price')
    """
    return names.name_of(name, [*MEASURES, *ISSUE_MEASURES])


def _unknown(tables: Mapping[str, Any], name: str) -> UsageError:
    """Return the error of a name that nothing in a study has."""
    schema = nw.from_native(tables["games"]).collect_schema()
    if name in schema and name not in TABLES["games"].names:
        hint = f"the factor {shown(name)} holds no numbers; name its column in [measures] of the mapping"
    else:
        own = _own_names(tables)
        hint = suggestion(name, own, {*own, *ISSUE_MEASURES, *available(tables)})
    return UsageError(f"no measure is called {shown(name)}; {hint}")


def noun_of(measure: str) -> str | None:
    """Return what a measure is called in a sentence without its owner; None where it has no other name than its own.

    Examples
    --------
    >>> noun_of("units_to_responder"), noun_of("points"), noun_of("price")
    ('the amount offered', 'points', None)
    """
    if measure not in MEASURES or not MEASURES[measure].noun.text:
        return None
    return MEASURES[measure].noun.text.replace("of {whose} first", "of the first").replace("{whose} ", "")


def label_of(measure: str) -> str:
    """Return what a measure is called in a list.

    Examples
    --------
    >>> label_of("distance_to_nash"), label_of("labels.small-talk"), label_of("games.price")
    ('Distance of deals to the Nash point', 'Share of messages: small-talk', 'Price')
    """
    table, _, column = measure.rpartition(".")
    if table in ("labels", "replies"):
        return f"Share of {'messages' if table == 'labels' else 'replies'}: {column}"
    noun = re.sub(r"^(the|Axelrod's) ", "", noun_of(measure) or (column or measure).replace("_", " "))
    return capitalised(noun)


def group_of(measure: str) -> str:
    """Return the group under which a list shows a measure.

    Examples
    --------
    >>> group_of("points"), group_of("labels.small-talk"), group_of("price")
    ('Outcomes', 'Codes of the talk', 'Numbers and answers of this study')
    """
    if measure.startswith(("labels.", "replies.")):
        return CODES
    return MEASURES[measure].noun.group if measure in MEASURES else OWN
