"""What a measure is: its record, what it needs of a study's tables, and how it is computed for every row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import narwhals as nw
import pandas as pd
import pyarrow as pa
from narwhals.typing import IntoFrameT

from negstats.errors import UsageError, meant, shown
from negstats.tables import TABLES

Tables: TypeAlias = Mapping[str, pd.DataFrame]
Need: TypeAlias = Callable[[Tables], str | None]
Level: TypeAlias = Literal["game", "player", "offer"]

YES_NO = "1 or 0"
POINTS = "players.points"
DIVISION = ("offers.units_to_proposer", "offers.units_to_responder")  # what one side gets, the other does not
OFFERS_MADE, ACTS = "offers.offer", "messages.act"

# The groups under which lists show measures.
OUTCOMES, FAIRNESS, OFFERS = "Outcomes", "Efficiency and fairness", "Offers and concessions"
COURSE, OWN, CODES = "Course and talk", "Numbers and answers of this study", "Codes of the talk"
GROUPS = (OUTCOMES, OWN, FAIRNESS, OFFERS, COURSE, CODES)

# The table that lists what a level has one value for, and its key.
ROWS: dict[Level, tuple[str, list[str]]] = {
    "game": ("games", ["game_id"]),
    "player": ("players", ["game_id", "player"]),
    "offer": ("offers", ["game_id", "offer", "proposer"]),
}


@dataclass(frozen=True, slots=True)
class Noun:
    """What a measure is called in words, and where lists show it.

    Attributes
    ----------
    text : str
        As it stands in a sentence; ``{whose}`` is its owner's. Empty of a measure that its own name names.
    group : str
        One of `GROUPS`.
    is_plural : bool
        Whether the noun is a plural.
    """

    text: str = ""
    group: str = COURSE
    is_plural: bool = False


OF_DEALS = "without a deal"


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: its name, its level (game, seat or offer), its unit and meaning, what it needs, and its computation.

    Attributes
    ----------
    name : str
        Also the name of its column.
    per : {"game", "player", "offer"}
        What it has one value for.
    unit : str
        What it counts in.
    meaning : str
        A noun phrase; the function's docstring says more.
    needs : tuple of callables
        Each takes the tables and returns what is lacking, or None.
    function : Callable
        Computes it from the tables.
    row_by_row : bool
        Whether it gives one value for each row of its level's table, from that row, so that no join is needed.
    arrays : bool
        Whether it needs the outcomes of games as arrays, and so rows in memory.
    kind : {"number", "yes/no", "ordered", "count"} or None
        What a mapping says that a measure of the study's own is.
    sources : tuple of str
        What it counts, sums or rescales, as ``table.column``, or measures of the deal whose worth the points are: two
        measures of one source are related by how they are made, whatever people do. Empty where none other has it.
    noun : Noun
        What drafts, reports and pages call it.
    no_value : str
        When a row has no value, behind "missing": "without a deal".
    """

    name: str
    per: Level
    unit: str
    meaning: str
    needs: tuple[Need, ...]
    function: Callable[[Tables], pd.DataFrame]
    row_by_row: bool = False
    arrays: bool = False
    kind: str | None = None
    sources: tuple[str, ...] = ()
    noun: Noun = Noun()
    no_value: str = ""

    @property
    def yes_no(self) -> bool:
        """Whether it is 1 for yes and 0 for no."""
        return self.unit == YES_NO

    @property
    def is_of_deals(self) -> bool:
        """Whether only a game with a deal has a value."""
        return self.no_value == OF_DEALS

    def lacking(self, tables: Tables) -> str | None:
        """Return, in a plain sentence, what the tables lack for this measure; None if it can be computed.

        Parameters
        ----------
        tables
            The tables of a study, by name.

        Returns
        -------
        str or None
            The sentence.
        """
        table, key = ROWS[self.per]
        needs = (known(table, key[0]), *self.needs)
        return next((lack for need in needs if (lack := need(tables)) is not None), None)

    def compute(self, tables: Tables) -> pd.DataFrame:
        """Return the measure for every game, seat or offer of the tables, in their order.

        Parameters
        ----------
        tables
            The tables of a study by name, as `negstats.tables` describes them.

        Returns
        -------
        pandas.DataFrame
            The key (`game_id`; `game_id`, `player`; or `game_id`, `offer`, `proposer`) and a column of floats with the
            measure's name, missing where the measure is.

        Raises
        ------
        UsageError
            If the study does not have what the measure needs.
        """
        lack = self.lacking(tables)
        if lack is not None:
            raise UsageError(f"{self.name} cannot be computed: {lack}")
        table, key = ROWS[self.per]
        if not isinstance(tables[table], pd.DataFrame):
            raise UsageError(f"{table} is {shown(type(tables[table]).__name__)}; `in_engine` takes tables of an engine")
        computed, rows = self.function(tables)[[*key, self.name]], tables[table][key]
        if not _is_same(computed, rows, key):  # most are computed row by row, and need no merge
            computed = rows.merge(computed, how="left", on=key)
        return computed.reset_index(drop=True).astype({self.name: "float64"})

    def in_engine(self, tables: Mapping[str, Any]) -> nw.LazyFrame[Any]:
        """Return the measure as `compute` does, as a lazy frame of the engine that holds the tables; in no order.

        Parameters
        ----------
        tables
            The tables of a study by name, as lazy frames of one engine.

        Returns
        -------
        LazyFrame
            The keys of the level, and the measure's column.

        Raises
        ------
        UsageError
            If the study does not have what the measure needs, or it can be computed in memory only.
        """
        if self.arrays:
            raise UsageError(
                f"{self.name} needs the outcomes of each game as arrays, which no engine has; open the study without "
                "engine=, or a part of it"
            )
        lack = self.lacking(tables)
        if lack is not None:
            raise UsageError(f"{self.name} cannot be computed: {lack}")
        table, key = ROWS[self.per]
        computed = nw.from_native(self.function(tables)).lazy().select(*key, nw.col(self.name).cast(nw.Float64))
        if self.row_by_row:
            return computed
        every_row: nw.LazyFrame[Any] = nw.from_native(tables[table]).lazy().select(*key)
        return every_row.join(computed, on=key, how="left")


def _is_same(first: pd.DataFrame, second: pd.DataFrame, key: list[str]) -> bool:
    # As tables, whose columns are equal however text read from several files is cut into chunks.
    return bool(pa.table({name: first[name] for name in key}).equals(pa.table({name: second[name] for name in key})))


class AskedTables(dict[str, Any]):
    """Tables that keep what they were found to lack, so that many measures look at each column once.

    Examples
    --------
    >>> tables = AskedTables({"games": pd.DataFrame({"game_id": ["g"]})})
    >>> known("games", "game_id")(tables) is None, len(tables.lacks)
    (True, 1)
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        super().__init__(tables)
        self.lacks: dict[Need, str | None] = {}


def _asked_once(lack: Need) -> Need:
    """Return a need that takes its answer from `AskedTables` that were asked before."""

    def ask(tables: Tables) -> str | None:
        if not isinstance(tables, AskedTables):
            return lack(tables)
        if ask not in tables.lacks:
            tables.lacks[ask] = lack(tables)
        return tables.lacks[ask]

    return ask


@cache
def known(table: str, column: str) -> Need:
    """Need at least one known value in a column."""

    @_asked_once
    def lack(tables: Tables) -> str | None:
        if table not in tables or has_no(tables[table]):
            return f"the study has no {table}"
        names = nw.from_native(tables[table]).collect_schema().names()
        if column not in names or has_no(tables[table], ~nw.col(column).is_null()):
            meaning = TABLES[table][column].meaning
            return f"the column {shown(column)} of {table} ({meaning}) is missing in every row"
        return None

    return lack


@cache
def having(table: str, column: str, *values: str) -> Need:
    """Need at least one row with one of these values in a column."""

    @_asked_once
    def lack(tables: Tables) -> str | None:
        missing = known(table, column)(tables)
        if missing is None and has_no(tables[table], nw.col(column).is_in(values)):
            return f"no row of {table} has {' or '.join(map(shown, values))} in the column {shown(column)}"
        return missing

    return lack


def numbers(table: str, column: str) -> Need:
    """Need a column of numbers with at least one known value."""

    def lack(tables: Tables) -> str | None:
        schema = nw.from_native(tables[table]).collect_schema()
        if column not in schema:
            return f"{table} has no column {shown(column)}; {meant(column, schema.names())}"
        if not (schema[column].is_numeric() or schema[column] == nw.Boolean):
            return f"the column {shown(column)} of {table} holds no numbers; name it in [measures] of the mapping"
        if has_no(tables[table], ~nw.col(column).is_null()):
            return f"the column {shown(column)} of {table} is missing in every row"
        return None

    return lack


def either(*needs: Need) -> Need:
    """Need at least one of several."""

    def lack(tables: Tables) -> str | None:
        lacks = [need(tables) for need in needs]
        return None if None in lacks else "; ".join(map(str, lacks))

    return lack


def has_no(table: Any, condition: nw.Expr | None = None) -> bool:
    """Whether a table of any engine has no row, or none that meets a condition."""
    frame: Any = nw.from_native(table)
    rows = frame if condition is None else frame.filter(condition)
    first_row = rows.select(nw.nth(0)).head(1)  # memory may hold all of a row's columns for the first
    return len(first_row.collect("pyarrow") if isinstance(first_row, nw.LazyFrame) else first_row) == 0


def rename_column(frame: IntoFrameT, column: str, name: str) -> IntoFrameT:
    """Return a frame of any kind with one column called otherwise."""
    rows: Any = nw.from_native(frame)
    native: IntoFrameT = rows.rename({column: name}).to_native()
    return native
