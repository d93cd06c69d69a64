"""The tables of a study: what one row is, the columns with their types and units, the keys, what a missing value means.

`TABLES` is the one place where this is written down; `conform` brings a frame to it, `check` refuses what does not fit.
A study that has no messages has an empty ``messages`` table with its columns, never a missing one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from negstats.errors import SchemaError, shown
from negstats.key_codes import OFFSET, SPAN, UNKNOWN, KeyCodes

__all__ = [
    "SCHEMA_VERSION",
    "TABLES",
    "Column",
    "OwnMeasure",
    "Table",
    "check",
    "conform",
    "empty",
    "own_measures_of",
    "spelled_out",
    "text_array",
]

SCHEMA_VERSION = 1

Kind = Literal["text", "integer", "number", "boolean", "time"]

# The pandas type of each kind of column. Text is pandas' str (Arrow inside); missing is NaN, NA or NaT.
DTYPES: dict[Kind, str] = {
    "text": "str",
    "integer": "Int64",
    "number": "float64",
    "boolean": "boolean",
    "time": "datetime64[us, UTC]",
}
# Made once: pandas takes long to read a type's name.
_PANDAS = {kind: pd.api.types.pandas_dtype(name) for kind, name in DTYPES.items()}
_NO_TIME = pd.Series([None], dtype=_PANDAS["time"]).array


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, kind, meaning with unit, and what a missing value means (None: it may not be missing)."""

    name: str
    kind: Kind
    meaning: str
    missing: str | None = None
    levels: tuple[str, ...] = ()

    @property
    def dtype(self) -> str:
        """The pandas type that holds the column."""
        return DTYPES[self.kind]


@dataclass(frozen=True, slots=True)
class Table:
    """One table: what a row is, its columns, the key that no two rows share, and where references point.

    `references` maps columns of this table to a table and its columns. `open` tables take further columns, of any
    type (the factors of the design, in ``games``) or numbers alone (measures of offers that a mapping names).
    """

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    references: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = ()
    open: Literal["", "any", "numbers"] = ""

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]

    def __getitem__(self, name: str) -> Column:
        """Return the column called `name`."""
        return next(column for column in self.columns if column.name == name)


@dataclass(frozen=True, slots=True)
class OwnMeasure:
    """A measure that a mapping defines: its name, unit and kind, and what it has one value for.

    What is None is as the numbers look: of no unit, of yes and no where all are 0 and 1, and of a game where its rows
    agree.
    """

    name: str
    unit: str | None = None
    kind: Literal["number", "yes/no", "ordered", "count"] | None = None
    per: Literal["game", "player", "offer"] | None = None


_GAME = (("game_id",), "games", ("game_id",))


def _seat(column: str) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    return (("game_id", column), "players", ("game_id", "player"))


ENDED = ("agreement", "goal", "walkaway", "disagreement", "timeout", "dormant", "disconnect", "unknown")
RESPONSES = ("accepted", "rejected", "superseded", "none")

_ALL = (
    Table(
        "games",
        "one negotiation",
        ("game_id",),
        (
            Column("game_id", "text", "name of the game, unique in the study"),
            Column("study", "text", "name of the study", "not known"),
            Column("scenario", "text", "what is negotiated: domain, board, task", "not known"),
            Column("protocol", "text", "rules of exchange: alternating offers, chat, ultimatum, ...", "not known"),
            Column("ended", "text", "how the game ended", levels=ENDED),
            Column("rounds", "integer", "number of rounds played, as the study counts them", "not recorded"),
            Column("started_at", "time", "when the game began", "not recorded"),
        ),
        open="any",
    ),
    Table(
        "players",
        "one seat in one game",
        ("game_id", "player"),
        (
            Column("game_id", "text", "the game"),
            Column("player", "text", "name of the seat, unique in the game"),
            Column("role", "text", "role in the rules: buyer, customer, proposer, ...", "no roles"),
            Column("kind", "text", "who sits there", "not known", ("human", "agent")),
            Column("agent", "text", "name of the agent's strategy", "a human, or not known"),
            Column("participant_id", "text", "the person, the same in all their games", "an agent, or not known"),
            Column("points", "number", "the seat's score at the end, in the study's points", "not scored or not known"),
            Column("batna", "number", "what the seat gets without agreement, in points", "not known"),
            Column("reached_goal", "boolean", "whether the seat reached its goal", "no goals in these rules"),
        ),
        (_GAME,),
    ),
    Table(
        "offers",
        "one offer",
        ("game_id", "offer"),
        (
            Column("game_id", "text", "the game"),
            Column("offer", "integer", "order of the offer in the game, from 1"),
            Column("round", "integer", "the round it was made in", "not recorded"),
            Column("time_s", "number", "seconds since the game began", "not recorded"),
            Column("time_share", "number", "time as a share of the deadline, 0 to 1", "no deadline or not recorded"),
            Column("proposer", "text", "the seat that offers"),
            Column("responder", "text", "the seat that is asked", "offered to everybody"),
            Column("units_to_proposer", "number", "units (chips, items, money) for the proposer", "not countable"),
            Column("units_to_responder", "number", "units for the responder", "not countable"),
            Column("value_proposer", "number", "worth to the proposer if carried out, in points", "not known"),
            Column("value_responder", "number", "worth to the responder if carried out, in points", "not known"),
            Column("commitment", "boolean", "whether it commits the customer (haim2017, Def. 4)", "does not apply"),
            Column("framing", "text", "how it was worded: favor, neutral, ...", "not recorded"),
            Column("response", "text", "what became of it", levels=RESPONSES),
        ),
        (_GAME, _seat("proposer"), _seat("responder")),
        open="numbers",
    ),
    Table(
        "items",
        "one issue or colour in one offer",
        ("game_id", "offer", "item", "receiver"),
        (
            Column("game_id", "text", "the game"),
            Column("offer", "integer", "the offer"),
            Column("item", "text", "the issue, colour or good"),
            Column("receiver", "text", "the seat that would get it", "an issue that is settled for all seats alike"),
            Column("quantity", "number", "how many units the receiver would get", "a categorical issue: see option"),
            Column("option", "text", "the option chosen for a categorical issue", "a divisible item: see quantity"),
        ),
        ((("game_id", "offer"), "offers", ("game_id", "offer")), _seat("receiver")),
    ),
    Table(
        "values",
        "what one unit of an item (or one option of an issue) is worth to one seat",
        ("game_id", "player", "item", "option"),
        (
            Column("game_id", "text", "the game"),
            Column("player", "text", "the seat"),
            Column("item", "text", "the issue, colour or good"),
            Column("option", "text", "the option of a categorical issue", "a divisible item"),
            Column("available", "number", "how many units there are to divide", "a categorical issue, or not known"),
            Column("value", "number", "points for one unit, or for the option"),
        ),
        (_GAME, _seat("player")),
    ),
    Table(
        "messages",
        "one utterance",
        ("game_id", "message"),
        (
            Column("game_id", "text", "the game"),
            Column("message", "integer", "order of the message in the game, from 1"),
            Column("time_s", "number", "seconds since the game began", "not recorded"),
            Column("sender", "text", "the seat that speaks"),
            Column("text", "text", "what was said, as it was typed", "an act without words"),
            Column("act", "text", "the action, if it is one: submit-deal, accept-deal, ...", "plain talk"),
            Column("labels", "text", "annotations, comma separated; empty: annotated with none", "not annotated"),
        ),
        (_GAME, _seat("sender")),
    ),
    Table(
        "moves",
        "one step on a board",
        ("game_id", "move"),
        (
            Column("game_id", "text", "the game"),
            Column("move", "integer", "order of the move in the game, from 1"),
            Column("round", "integer", "the round it was made in", "not recorded"),
            Column("player", "text", "the seat that moves"),
            Column("row", "integer", "row entered, 0 on top"),
            Column("column", "integer", "column entered, 0 at the left"),
            Column("paid", "text", "colour of the chip paid", "free"),
        ),
        (_GAME, _seat("player")),
    ),
    Table(
        "answers",
        "one answer to one survey item",
        ("participant_id", "game_id", "question"),
        (
            Column("participant_id", "text", "the person who answers"),
            Column("game_id", "text", "the game it is about", "about the person, not about one game"),
            Column("question", "text", "name of the survey item"),
            Column("answer", "text", "the answer as it was given", "left empty"),
        ),
        (_GAME,),
    ),
)

TABLES: dict[str, Table] = {table.name: table for table in _ALL}


def empty(name: str) -> pd.DataFrame:
    """Return the table `name` with its columns and types and no rows.

    Parameters
    ----------
    name
        A name in `TABLES`.

    Returns
    -------
    DataFrame
        A frame with 0 rows.

    Examples
    --------
    >>> list(empty("moves").columns)
    ['game_id', 'move', 'round', 'player', 'row', 'column', 'paid']
    """
    return pd.DataFrame({column.name: _missing(column, 0) for column in TABLES[name].columns})


def conform(name: str, data: pd.DataFrame | Mapping[str, Any]) -> pd.DataFrame:
    """Bring `data` to the table `name`: columns in order and of the right type, absent ones missing throughout.

    Parameters
    ----------
    name
        One of `TABLES`.
    data
        A frame, or columns of equal length. Columns that the table does not know follow at the end if the table is
        open (``games``; ``offers`` for numbers).

    Returns
    -------
    DataFrame
        A new frame with all columns of the table.

    Raises
    ------
    SchemaError
        A value that its column's type cannot hold, or a column that the table does not have.

    Examples
    --------
    >>> conform("moves", {"game_id": ["g"], "move": [1], "player": ["CS"], "row": [4], "column": [4]}).dtypes["round"]
    Int64Dtype()
    """
    table = TABLES[name]
    content: dict[str, Any] = {str(column): values for column, values in data.items()}
    length = len(next(iter(content.values()), ()))
    columns: dict[str, object] = {}
    for column in table.columns:
        values = content.pop(column.name, None)
        columns[column.name] = _missing(column, length) if values is None else _typed(table, column, values)
    if content and not table.open:
        extra = next(iter(content))
        raise SchemaError(f"no such column; the table has {', '.join(table.names)}", table=name, column=extra)
    if table.open == "numbers":
        columns |= {name: _number_column(table, name, values) for name, values in content.items()}
    else:
        columns |= {name: _open_column(values) for name, values in content.items()}
    return pd.DataFrame(columns, copy=False)  # each column is its own already


def _number_column(table: Table, name: str, values: Any) -> object:
    return _typed(table, Column(name, "number", "a measure of the study's own", "not known"), values)


def _open_column(values: Any) -> Any:
    """Return a factor's values, with half characters spelled out where there are any."""
    try:
        if isinstance(values, pa.Array):
            return values
        return values.copy() if isinstance(values, pd.Series) else pd.Series(values, copy=True)
    except UnicodeEncodeError:
        return pd.Series([spelled_out(value) for value in values])


# Loaders whose factors are texts, so that numbers of games are outcomes.
MEASURED = frozenset({"mapping", "llm_deliberation"})


def own_measures_of(tables: Mapping[str, Any], loader: str) -> list[str]:
    """Return the columns of numbers of games and offers that are measures, such as those that a mapping names.

    A mapping reads factors as texts, so that its numbers are measures; the numbers of most loaders are settings.

    Examples
    --------
    >>> games = conform("games", {"game_id": ["g"], "ended": ["agreement"], "price": [4.5], "country": ["US"]})
    >>> own_measures_of({"games": games}, "mapping"), own_measures_of({"games": games}, "otree")
    (['price'], [])
    """
    if not MEASURED.intersection(loader.split("+")):
        return []
    own_columns = dict[str, None]()
    for name in ("games", "offers"):
        schema = nw.from_native(tables[name]).collect_schema() if name in tables else {}
        own_columns |= {key: None for key, kind in schema.items() if kind.is_float() and key not in TABLES[name].names}
    return list(own_columns)


def spelled_out(value: Any) -> Any:
    r"""Return a text whose half characters are spelled as JSON spells them; anything else as it is.

    The name of a file may be no UTF-8, and JSON and Python literals can spell half a character: neither can be stored
    as text, and both are still told apart by their escapes.

    Examples
    --------
    >>> print(spelled_out("dyad\udcff"))
    dyad\udcff
    """
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def text_array(values: Any) -> Any:
    """Return texts (or None) as an Arrow array, with half characters spelled out; see `spelled_out`.

    Raises
    ------
    TypeError
        If a value is not text.

    Examples
    --------
    >>> text_array(["yes", None]).to_pylist()
    ['yes', None]
    """
    try:
        return pa.array(values, pa.large_string())
    except UnicodeEncodeError:
        return pa.array([spelled_out(value) for value in values], pa.large_string())


def _missing(column: Column, length: int) -> object:
    if column.kind == "text":
        return pd.array(pa.nulls(length, pa.large_string()), dtype=_PANDAS["text"])
    if column.kind == "number":
        return np.full(length, np.nan)
    if column.kind == "time":
        return _NO_TIME.repeat(length)
    is_missing = np.ones(length, dtype=bool)
    if column.kind == "boolean":
        return pd.arrays.BooleanArray(np.zeros(length, dtype=bool), is_missing)
    return pd.arrays.IntegerArray(np.ones(length, dtype=np.int64), is_missing)


def _typed(table: Table, column: Column, values: object) -> object:
    dtype = _PANDAS[column.kind]
    try:
        if isinstance(values, pa.Array):  # no Python object a cell
            return pd.array(values, dtype=dtype)
        return pd.Series(values, dtype=dtype, copy=True).array
    except UnicodeEncodeError:
        return pd.Series([spelled_out(value) for value in values], dtype=dtype).array  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError) as error:
        row, value = _first_unfit(column, values)
        reason = f"{shown(value)} is not {_ARTICLE[column.kind]}" if row is not None else str(error)
        raise SchemaError(reason, table=table.name, column=column.name, row=row) from None


_ARTICLE: dict[Kind, str] = {
    "text": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "time": "a date and time",
}


def _first_unfit(column: Column, values: object) -> tuple[int | None, object]:
    for row, value in enumerate(values):  # type: ignore[arg-type, var-annotated]
        try:
            pd.Series([value], dtype=column.dtype)
        except (TypeError, ValueError, OverflowError):
            return row, value
    return None, None


def check(tables: Mapping[str, pd.DataFrame]) -> None:
    """Check that `tables` are all there and as `TABLES` describes them.

    Rows in messages are counted from 0, as in the frame's positions.

    Parameters
    ----------
    tables
        The frames by the name of their table.

    Raises
    ------
    SchemaError
        Naming table, column, row and value: a table or column that is not there, a column of another type, a missing
        value where none may be, a value outside its levels, two rows with one key, a reference to a row that does not
        exist.
    """
    for name in tables:
        if name not in TABLES:
            raise SchemaError(f"no such table; a study has {', '.join(TABLES)}", table=name)
    for name, table in TABLES.items():
        if name not in tables:
            raise SchemaError("the table is missing; give an empty table (negstats.tables.empty)", table=name)
        check_columns(table, tables[name])
    codes = KeyCodes(tables, _REFERRED)
    for table in TABLES.values():
        _check_key(table, codes)
        for reference in table.references:
            _check_reference(table, reference, codes)


_NONE = np.zeros(0, dtype=bool)


def check_columns(table: Table, frame: pd.DataFrame) -> None:
    """Check the columns of one table, without its key and what it refers to; raises SchemaError as `check` does."""
    dtypes = dict(zip(frame.columns, frame.dtypes, strict=True))
    for column in table.columns:
        if column.name not in dtypes:
            raise SchemaError("the column is not there", table=table.name, column=column.name)
        if str(dtypes[column.name]) != column.dtype:
            raise SchemaError(
                f"holds {dtypes[column.name]}, not {column.dtype}; negstats.tables.conform converts it",
                table=table.name,
                column=column.name,
            )
        is_place = column.kind == "integer" and column.name in table.key
        if frame.empty or not (column.missing is None or column.levels or is_place):
            continue
        values = frame[column.name]
        absent = values.array.isna() if column.missing is None else _NONE
        if absent.any():
            row = int(absent.argmax())
            raise SchemaError(
                "a value is missing, and this column needs one", table=table.name, column=column.name, row=row
            )
        if column.levels:
            _check_levels(table, column, values)
        if is_place:
            _check_order(table, column, values)
    _check_names(table, frame)


def _check_names(table: Table, frame: pd.DataFrame) -> None:
    """Check the names of the columns, and the columns of the study's own."""
    extra = [name for name in frame.columns if name not in table.names]
    for name in extra:
        if not isinstance(name, str):
            raise SchemaError(
                f"the column {shown(name)} has a name that is not text; give it another name", table=table.name
            )
    if not frame.columns.is_unique:
        twice = str(frame.columns[frame.columns.duplicated()][0])
        raise SchemaError("the column is in it twice", table=table.name, column=twice)
    if extra and not table.open:
        raise SchemaError(
            f"no such column; the table has {', '.join(table.names)}", table=table.name, column=str(extra[0])
        )
    for name in extra if table.open == "numbers" else ():
        if str(frame[name].dtype) != DTYPES["number"]:
            raise SchemaError(
                f"holds {frame[name].dtype}; a column of the study's own is a number here ({DTYPES['number']})",
                table=table.name,
                column=name,
            )


def _check_levels(table: Table, column: Column, values: pd.Series) -> None:
    wrong = set(values.array.unique().dropna()) - set(column.levels)
    if wrong:
        row = int(values.isin(wrong).to_numpy().argmax())
        raise SchemaError(
            f"{shown(values.iloc[row])} is not one of {', '.join(column.levels)}",
            table=table.name,
            column=column.name,
            row=row,
        )


def _check_order(table: Table, column: Column, values: pd.Series) -> None:
    order = values.to_numpy(dtype=np.int64)
    wrong = (order < 1) | (order >= SPAN)
    if wrong.any():
        row = int(wrong.argmax())
        raise SchemaError(
            f"{order[row]} is not a position in an order that starts with 1",
            table=table.name,
            column=column.name,
            row=row,
        )


_REFERRED = frozenset(
    name for table in _ALL for own, _, others in table.references for names in (own, others) for name in names
)


def _check_key(table: Table, codes: KeyCodes) -> None:
    if codes.tables[table.name].empty:
        return
    rows = codes.row(table.name, table.key)
    if np.all(rows[1:] > rows[:-1]):  # in order, so no two alike
        return
    in_order = np.sort(rows)
    if np.all(in_order[1:] > in_order[:-1]):
        return
    row = int(pd.Series(rows).duplicated().to_numpy().argmax())
    frame = codes.tables[table.name]
    values = ", ".join(f"{name} {shown(frame[name].iloc[row])}" for name in table.key if frame[name].notna().iloc[row])
    raise SchemaError(
        f"{values} is in an earlier row too; the key of a row must be unique",
        table=table.name,
        column=table.key[-1],
        row=row,
    )


def _among(
    codes: KeyCodes, table: str, columns: Sequence[str], target: str, target_columns: Sequence[str]
) -> npt.NDArray[np.bool_]:
    """Return which rows of a table refer to a row of another one, by the columns of both."""
    if not len(codes.tables[table]):
        return _NONE
    if not len(codes.tables[target]):
        return np.zeros(len(codes.tables[table]), dtype=bool)
    rows, targets = np.zeros(len(codes.tables[table]), np.int64), np.zeros(len(codes.tables[target]), np.int64)
    for name, target_name in zip(columns, target_columns, strict=True):
        own, theirs = codes.column(table, name), codes.column(target, target_name)
        width = max(int(own.max()), int(theirs.max())) + OFFSET
        rows, targets = rows * width + own, targets * width + theirs
    return np.isin(rows, targets)


def _check_reference(table: Table, reference: tuple[tuple[str, ...], str, tuple[str, ...]], codes: KeyCodes) -> None:
    columns, target, target_columns = reference
    last = codes.column(table.name, columns[-1])
    if target == "games":  # their codes are places in games
        unknown = last == UNKNOWN
    else:
        unknown = ~_among(codes, table.name, columns, target, target_columns) & (last != -1)
    if unknown.any():
        row = int(unknown.argmax())
        frame = codes.tables[table.name]
        value = {name: frame[name].iloc[row] for name in columns}
        raise SchemaError(
            f"{shown(value, 120)} is not in the table '{target}'", table=table.name, column=columns[-1], row=row
        )
