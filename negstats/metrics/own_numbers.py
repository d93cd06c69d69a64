"""A study's own numbers as measures: columns of numbers, questions, issues such as a price, and labels of messages.

They are called ``table.column``; a name without a table is looked for in the games, the offers, the answers and the
issues.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import pandas as pd

from negstats.errors import UsageError, meant, shown
from negstats.metrics import _amounts, names
from negstats.metrics.definition import ROWS, Level, Measure, Need, Tables, has_no, known, numbers, rename_column
from negstats.metrics.labels import label_names, label_replies, label_shares
from negstats.tables import TABLES

# The tables whose columns of numbers are measures by the name ``table.column``, and what these have one value for.
LEVEL_OF: dict[str, Level] = {"games": "game", "players": "player", "offers": "offer", "answers": "player"}
LEVEL_OF |= {"first_offers": "player", "last_offers": "player"}  # of each seat's first and last offer
LEVEL_OF |= {"items": "game", "first_items": "player", "last_items": "player"}  # the number of an issue
LEVEL_OF |= {"labels": "player", "replies": "player"}  # of a seat's messages: labels.NAME, replies.BEFORE:NAME
# Names that need no table: a study's own number is taken first, then the issue that is called so.
ISSUE_MEASURES = {"price": "items.price", "first_price": "first_items.price", "last_price": "last_items.price"}
_NUMBER = r"^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$"


def own_place(tables: Mapping[str, Any], name: str) -> tuple[str, str] | None:
    """Return the table of a study that holds a number called `name`, and what it is called there.

    Parameters
    ----------
    tables
        The study's tables by name.
    name
        Of a column of numbers of games or offers, a question, or an issue.

    Returns
    -------
    tuple of str or None
        None if the study has no number of that name.

    Examples
    --------
    >>> from negstats.tables import conform
    >>> games = conform("games", {"game_id": ["g"], "ended": ["agreement"], "price": [4.5]})
    >>> own_place({"games": games}, "price"), own_place({"games": games}, "wage")
    (('games', 'price'), None)
    """
    if name in numbers_beyond(tables, "games"):
        return "games", name
    of_offers = numbers_beyond(tables, "offers")
    if name in of_offers:
        return "offers", name
    position, _, column = name.partition("_")
    if position in ("first", "last", "mean") and column in of_offers:
        return {"mean": "offers"}.get(position, f"{position}_offers"), column
    if "answers" in tables and not has_no(tables["answers"], nw.col("question") == name):
        return "answers", name
    issues = {"items": name} | ({f"{position}_items": column} if position in ("first", "last") and column else {})
    for table, issue in issues.items():
        if _amounts.lacking_issue(tables, issue, agreed=False) is None:
            return table, issue
    return None


def numbers_beyond(tables: Mapping[str, Any], table: str) -> list[str]:
    """Return the numbers of a table that are none of its own columns."""
    if table not in tables:
        return []
    schema = nw.from_native(tables[table]).collect_schema()
    return [key for key, kind in schema.items() if kind.is_numeric() and key not in TABLES[table].names]


def is_zero_or_one(tables: Mapping[str, Any], table: str, column: str) -> bool:
    """Whether a column holds zeros and ones alone."""
    schema = nw.from_native(tables[table]).collect_schema()
    if column not in schema or not schema[column].is_numeric():
        return False
    value = nw.col(column).cast(nw.Float64)
    is_other = ~value.is_null() & ~value.is_in([0.0, 1.0])
    return has_no(tables[table], is_other & (value == value)) and not has_no(tables[table], ~value.is_null())


def measure_column(table: str, column: str, name: str) -> Measure:
    """Return the measure that a column of numbers is; of answers, the measure that a question is."""
    level = LEVEL_OF[table]
    if table == "answers":
        meaning = f"the seat's answer to {column}"
        return Measure(
            name, level, "as answered", meaning, (answers_to(column),), lambda t: read_answers(t, column, name)
        )
    if table in ("first_offers", "last_offers"):
        position = table.partition("_")[0]
        meaning = f"the column {column} of the seat's {position} offer that has it"
        return Measure(name, level, "as logged", meaning, (numbers("offers", column),),
                       lambda t: _amounts.select_one_offer(t, column, position, name))  # fmt: skip
    if table in ("labels", "replies"):
        return _measure_labels(table, column, name)
    if table.endswith("items"):
        return _measure_issue(table, column, name)
    meaning = f"the column {column} of {table}"
    key = ROWS[level][1]

    def values(tables: Tables) -> pd.DataFrame:
        rows: Any = nw.from_native(tables[table])
        computed: pd.DataFrame = rows.select(*key, nw.col(column).cast(nw.Float64).alias(name)).to_native()
        return computed

    return Measure(name, level, "as logged", meaning, (numbers(table, column),), values, row_by_row=True)


def _measure_issue(table: str, issue: str, name: str) -> Measure:
    """Return the measure of an issue with one number for both seats: what was agreed, or a seat's first or last."""
    if table == "items":
        return Measure(name, "game", "as logged", f"the {issue} of the accepted offer",
                       (lambda t: _amounts.lacking_issue(t, issue, agreed=True),),
                       lambda t: _amounts.agreed_number(t, issue, name), no_value="without one")  # fmt: skip
    position = table.partition("_")[0]
    meaning = f"the {issue} of the seat's {position} offer that has one"
    return Measure(name, "player", "as logged", meaning, (lambda t: _amounts.lacking_issue(t, issue, agreed=False),),
                   lambda t: _amounts.offered_number(t, issue, position, name))  # fmt: skip


def _measure_labels(table: str, column: str, name: str) -> Measure:
    """Return the measure of a label: its share of a seat's messages, or of its replies to another label."""
    if table == "labels":
        meaning = f"share of the seat's annotated messages with the label {column}"
        return Measure(name, "player", "share of messages", meaning, (_need_label(column),), lambda t: rename_column(
            label_shares(t["messages"], t["players"], labels=[column]), f"{column}_share", name))  # fmt: skip
    to, _, label = column.partition(":")
    if not to or not label:
        raise UsageError(f"no measure is called {shown(name)}; replies are called by two labels, as 'replies.ask:tell'")
    meaning = f"share of the seat's replies to messages with the label {to} that have the label {label}"
    needs = (_need_label(to), _need_label(label))
    return Measure(name, "player", "share of replies", meaning, needs, lambda t: rename_column(
        label_replies(t["messages"], t["players"], to=to, label=label), "replies", name))  # fmt: skip


def _need_label(label: str) -> Need:
    """Need at least one message with a label."""

    def lack(tables: Tables) -> str | None:
        missing = known("messages", "labels")(tables)
        if missing is not None or _any_label(tables["messages"], label):
            return missing
        return f"no message has the label {shown(label)}; {meant(label, label_names(tables['messages']))}"

    return lack


def _any_label(messages: Any, label: str) -> bool:
    """Whether a label occurs; rows whose text holds its letters are looked at."""
    rows: Any = nw.from_native(messages).filter(nw.col("labels").fill_null("").str.contains(label, literal=True))
    return label in label_names(rows.to_native())


def answers_to(question: str) -> Need:
    """Need at least one number among the answers to a question."""

    def lack(tables: Tables) -> str | None:
        if "answers" not in tables or has_no(tables["answers"], nw.col("question") == question):
            return f"no question is called {shown(question)}"
        number = nw.col("answer").cast(nw.String).str.contains(_NUMBER)
        if has_no(tables["answers"], (nw.col("question") == question) & number):
            return f"no answer to {shown(question)} is a number; give its scale in a plan"
        return None

    return lack


def question_of(tables: Tables, name: str) -> str:
    """Return the question that is called like a measure, else one that is called by another name of it."""
    if "answers" not in tables:
        return name
    rows: Any = nw.from_native(tables["answers"]).lazy().select(nw.col("question").cast(nw.String))
    letters = nw.col("question").str.to_lowercase().str.replace_all("[^a-z0-9]", "")
    alike = rows.filter(letters.is_in(names.letters_of(name))).unique().collect("pyarrow")
    questions = sorted(map(str, alike["question"].to_list()))
    return name if name in questions else next(iter(questions), name)


def read_answers(tables: Tables, question: str, name: str) -> pd.DataFrame:
    """Return what each seat's person answered: about the game, else about themselves."""
    answers: Any = nw.from_native(tables["answers"]).lazy()
    players: Any = nw.from_native(tables["players"]).lazy().select("game_id", "player", "participant_id")
    text = nw.col("answer").cast(nw.String)
    number = nw.when(text.str.contains(_NUMBER)).then(text).cast(nw.Float64)
    replies = answers.filter(nw.col("question") == question).with_columns(number.alias("number"))
    person, game = "participant_id", "game_id"
    game_answers = (
        replies.filter(~nw.col(game).is_null()).group_by(game, person).agg(nw.col("number").mean().alias("game"))
    )
    person_answers = (
        replies.filter(nw.col(game).is_null()).group_by(person).agg(nw.col("number").mean().alias("person"))
    )
    rows = players.join(game_answers, on=[game, person], how="left").join(person_answers, on=person, how="left")
    value = nw.when(nw.col("game").is_null()).then(nw.col("person")).otherwise(nw.col("game"))
    answers_of_seats = rows.select(game, "player", value.alias(name))
    if isinstance(tables["answers"], pd.DataFrame):
        answers_of_seats = answers_of_seats.collect()
    native: pd.DataFrame = answers_of_seats.to_native()
    return native
