"""The measures by name: what each is, what it needs, and its value for every game, seat or offer of a study.

``negstats metrics`` lists them and ``negstats compare`` takes one by name. The functions behind them take frames of any
kind and more options; these take the study's tables and keep to the defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import narwhals as nw
import pandas as pd
import pyarrow as pa
from narwhals.typing import IntoFrameT

from negstats.errors import UsageError, meant, shown
from negstats.metrics import _amounts, _names, acts, dialogue, efficiency, fairness, issues, openings, potential, steps
from negstats.metrics.agreement import IMPASSE, agreed, walked_away
from negstats.metrics.competitiveness import competitiveness
from negstats.metrics.generosity import benefit, generosity
from negstats.metrics.goal_reaching import CUSTOMER, ended_with_commitment, reached_goal
from negstats.metrics.joint_value import joint_value, points
from negstats.metrics.labels import label_names, label_replies, label_shares
from negstats.tables import TABLES, OwnMeasure

Tables: TypeAlias = Mapping[str, pd.DataFrame]
Need: TypeAlias = Callable[[Tables], str | None]
Level: TypeAlias = Literal["game", "player", "offer"]

YES_NO = "1 or 0"

# The table that lists what a level has one value for, and its key.
_ROWS: dict[Level, tuple[str, list[str]]] = {
    "game": ("games", ["game_id"]),
    "player": ("players", ["game_id", "player"]),
    "offer": ("offers", ["game_id", "offer", "proposer"]),
}


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
        One sentence; the function's docstring says more.
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

    @property
    def yes_no(self) -> bool:
        """Whether it is 1 for yes and 0 for no."""
        return self.unit == YES_NO

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
        table, key = _ROWS[self.per]
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
        table, key = _ROWS[self.per]
        if not isinstance(tables[table], pd.DataFrame):
            raise UsageError(f"{table} is {shown(type(tables[table]).__name__)}; `in_engine` takes tables of an engine")
        computed, rows = self.function(tables)[[*key, self.name]], tables[table][key]
        if not _is_same(computed, rows, key):  # most are computed row by row, and need no merge
            computed = rows.merge(computed, how="left", on=key)
        return computed.reset_index(drop=True).astype({self.name: "float64"})

    def in_engine(self, tables: Mapping[str, Any], rows: nw.LazyFrame[Any] | None = None) -> nw.LazyFrame[Any]:
        """Return the measure as `compute` does, as a lazy frame of the engine that holds the tables; in no order.

        Parameters
        ----------
        tables
            The tables of a study by name, as lazy frames of one engine.
        rows
            Of a measure that is computed row by row, the rows of its table to compute it of; all if not given.

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
        table, key = _ROWS[self.per]
        if rows is not None and self.row_by_row:
            tables = {**tables, table: rows.to_native()}
        computed = nw.from_native(self.function(tables)).lazy().select(*key, nw.col(self.name).cast(nw.Float64))
        if self.row_by_row:
            return computed
        every_row: nw.LazyFrame[Any] = nw.from_native(tables[table]).lazy().select(*key)
        return every_row.join(computed, on=key, how="left")


def _is_same(one: pd.DataFrame, other: pd.DataFrame, key: list[str]) -> bool:
    # As tables, whose columns are equal however text read from several files is cut into chunks.
    return bool(pa.table({name: one[name] for name in key}).equals(pa.table({name: other[name] for name in key})))


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
        return _column(table, column, known_name)
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
        place = own_place(tables, name)
        if place is None:
            known_name = registered_name(name)
            if known_name in MEASURES:
                return MEASURES[known_name]
            if known_name not in ISSUE_MEASURES:
                raise _unknown(tables, name)
            name, (table, _, column) = known_name, ISSUE_MEASURES[known_name].partition(".")
            place = own_place(tables, name) or (table, column)
        table, column = place
    definition = _column(table, column, name)
    own_measure = next((one for one in own if one.name == column), OwnMeasure(column))
    if own_measure.kind is None and table in ("games", "players", "offers") and _zero_or_one(tables, table, column):
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
    place = own_place(tables, name)
    return f"answers.{name}" if place is None else ".".join(place)


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


def _numbers_beyond(tables: Mapping[str, Any], table: str) -> list[str]:
    """Return the numbers of a table that are none of its own columns."""
    if table not in tables:
        return []
    schema = nw.from_native(tables[table]).collect_schema()
    return [key for key, kind in schema.items() if kind.is_numeric() and key not in TABLES[table].names]


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
    if name in _numbers_beyond(tables, "games"):
        return "games", name
    of_offers = _numbers_beyond(tables, "offers")
    if name in of_offers:
        return "offers", name
    which, _, column = name.partition("_")
    if which in ("first", "last", "mean") and column in of_offers:
        return {"mean": "offers"}.get(which, f"{which}_offers"), column
    if "answers" in tables and not _none(tables["answers"], nw.col("question") == name):
        return "answers", name
    issues = {"items": name} | ({f"{which}_items": column} if which in ("first", "last") and column else {})
    for table, issue in issues.items():
        if _amounts.lacking_issue(tables, issue, agreed=False) is None:
            return table, issue
    return None


def _unknown(tables: Mapping[str, Any], name: str) -> UsageError:
    """Return the error of a name that nothing in a study has."""
    schema = nw.from_native(tables["games"]).collect_schema()
    if name in schema and name not in TABLES["games"].names:
        hint = f"the factor {shown(name)} holds no numbers; name its column in [measures] of the mapping"
    else:
        hint = suggestion(name, [*_numbers_beyond(tables, "games"), *_numbers_beyond(tables, "offers")])
    return UsageError(f"no measure is called {shown(name)}; {hint}")


def _zero_or_one(tables: Mapping[str, Any], table: str, column: str) -> bool:
    """Whether a column holds zeros and ones alone."""
    schema = nw.from_native(tables[table]).collect_schema()
    if column not in schema or not schema[column].is_numeric():
        return False
    value = nw.col(column).cast(nw.Float64)
    odd = ~value.is_null() & ~value.is_in([0.0, 1.0])
    return _none(tables[table], odd & (value == value)) and not _none(tables[table], ~value.is_null())


# The tables whose columns of numbers are measures by the name ``table.column``, and what these have one value for.
LEVEL_OF: dict[str, Level] = {"games": "game", "players": "player", "offers": "offer", "answers": "player"}
LEVEL_OF |= {"first_offers": "player", "last_offers": "player"}  # of each seat's first and last offer
LEVEL_OF |= {"items": "game", "first_items": "player", "last_items": "player"}  # the number of an issue
LEVEL_OF |= {"labels": "player", "replies": "player"}  # of a seat's messages: labels.NAME, replies.BEFORE:NAME
# Names that need no table: a study's own number is taken first, then the issue that is called so.
ISSUE_MEASURES = {"price": "items.price", "first_price": "first_items.price", "last_price": "last_items.price"}
_NUMBER = r"^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$"


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
    place = own_place(tables, name)
    return ISSUE_MEASURES[name] if place is None else ".".join(place)


def is_measure(name: str) -> bool:
    """Whether a name is a registered measure's, or names a column of a table that may hold numbers.

    Examples
    --------
    >>> is_measure("points"), is_measure("games.price"), is_measure("price"), is_measure("prise")
    (True, True, True, False)
    """
    table, _, column = name.partition(".")
    return registered_name(name) in {*MEASURES, *ISSUE_MEASURES} or (table in LEVEL_OF and bool(column))


def _column(table: str, column: str, name: str) -> Measure:
    """Return the measure that a column of numbers is; of answers, the measure that a question is."""
    level = LEVEL_OF[table]
    if table == "answers":
        meaning = f"the seat's answer to {column}"
        return Measure(name, level, "as answered", meaning, (_ask(column),), lambda t: _read_answers(t, column, name))
    if table in ("first_offers", "last_offers"):
        which = table.partition("_")[0]
        meaning = f"the column {column} of the seat's {which} offer that has it"
        return Measure(name, level, "as logged", meaning, (_numbers("offers", column),),
                       lambda t: _amounts.select_one_offer(t, column, which, name))  # fmt: skip
    if table in ("labels", "replies"):
        return _measure_labels(table, column, name)
    if table.endswith("items"):
        return _measure_issue(table, column, name)
    meaning = f"the column {column} of {table}"
    key = _ROWS[level][1]

    def values(tables: Tables) -> pd.DataFrame:
        rows: Any = nw.from_native(tables[table])
        computed: pd.DataFrame = rows.select(*key, nw.col(column).cast(nw.Float64).alias(name)).to_native()
        return computed

    return Measure(name, level, "as logged", meaning, (_numbers(table, column),), values, row_by_row=True)


def _measure_issue(table: str, issue: str, name: str) -> Measure:
    """Return the measure of an issue with one number for both seats: what was agreed, or a seat's first or last."""
    if table == "items":
        meaning = f"the {issue} of the accepted offer; missing without one"
        return Measure(name, "game", "as logged", meaning, (lambda t: _amounts.lacking_issue(t, issue, agreed=True),),
                       lambda t: _amounts.agreed_number(t, issue, name))  # fmt: skip
    which = table.partition("_")[0]
    meaning = f"the {issue} of the seat's {which} offer that has one"
    return Measure(name, "player", "as logged", meaning, (lambda t: _amounts.lacking_issue(t, issue, agreed=False),),
                   lambda t: _amounts.offered_number(t, issue, which, name))  # fmt: skip


def _measure_labels(table: str, column: str, name: str) -> Measure:
    """Return the measure of a label: its share of a seat's messages, or of its replies to another label."""
    if table == "labels":
        meaning = f"share of the seat's annotated messages with the label {column}"
        return Measure(name, "player", "share of messages", meaning, (_labelled(column),), lambda t: _renamed(
            label_shares(t["messages"], t["players"], labels=[column]), f"{column}_share", name))  # fmt: skip
    to, _, label = column.partition(":")
    if not to or not label:
        raise UsageError(f"no measure is called {shown(name)}; replies are called by two labels, as 'replies.ask:tell'")
    meaning = f"share of the seat's replies to messages with the label {to} that have the label {label}"
    return Measure(name, "player", "share of replies", meaning, (_labelled(to), _labelled(label)), lambda t: _renamed(
        label_replies(t["messages"], t["players"], to=to, label=label), "replies", name))  # fmt: skip


def _labelled(label: str) -> Need:
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


def _numbers(table: str, column: str) -> Need:
    """Need a column of numbers with at least one known value."""

    def lack(tables: Tables) -> str | None:
        schema = nw.from_native(tables[table]).collect_schema()
        if column not in schema:
            return f"{table} has no column {shown(column)}; {meant(column, schema.names())}"
        if not (schema[column].is_numeric() or schema[column] == nw.Boolean):
            return f"the column {shown(column)} of {table} holds no numbers; name it in [measures] of the mapping"
        if _none(tables[table], ~nw.col(column).is_null()):
            return f"the column {shown(column)} of {table} is missing in every row"
        return None

    return lack


def _ask(question: str) -> Need:
    """Need at least one number among the answers to a question."""

    def lack(tables: Tables) -> str | None:
        if "answers" not in tables or _none(tables["answers"], nw.col("question") == question):
            return f"no question is called {shown(question)}"
        number = nw.col("answer").cast(nw.String).str.contains(_NUMBER)
        if _none(tables["answers"], (nw.col("question") == question) & number):
            return f"no answer to {shown(question)} is a number; give its scale in a plan"
        return None

    return lack


def _question_of(tables: Tables, name: str) -> str:
    """Return the question that is called like a measure, else one that is called by another name of it."""
    if "answers" not in tables:
        return name
    rows: Any = nw.from_native(tables["answers"]).lazy().select(nw.col("question").cast(nw.String))
    letters = nw.col("question").str.to_lowercase().str.replace_all("[^a-z0-9]", "")
    alike = rows.filter(letters.is_in(_names.letters_of(name))).unique().collect("pyarrow")
    questions = sorted(map(str, alike["question"].to_list()))
    return name if name in questions else next(iter(questions), name)


def _least_asked(tables: Tables) -> str | None:
    return _ask(_question_of(tables, "least_acceptable"))(tables)


def _read_answers(tables: Tables, question: str, name: str) -> pd.DataFrame:
    """Return what each seat's person answered: about the game, else about themselves."""
    answers: Any = nw.from_native(tables["answers"]).lazy()
    players: Any = nw.from_native(tables["players"]).lazy().select("game_id", "player", "participant_id")
    text = nw.col("answer").cast(nw.String)
    number = nw.when(text.str.contains(_NUMBER)).then(text).cast(nw.Float64)
    replies = answers.filter(nw.col("question") == question).with_columns(number.alias("number"))
    person, game = "participant_id", "game_id"
    of_game = replies.filter(~nw.col(game).is_null()).group_by(game, person).agg(nw.col("number").mean().alias("game"))
    alone = replies.filter(nw.col(game).is_null()).group_by(person).agg(nw.col("number").mean().alias("person"))
    rows = players.join(of_game, on=[game, person], how="left").join(alone, on=person, how="left")
    value = nw.when(nw.col("game").is_null()).then(nw.col("person")).otherwise(nw.col("game"))
    answers_of_seats = rows.select(game, "player", value.alias(name))
    if isinstance(tables["answers"], pd.DataFrame):
        answers_of_seats = answers_of_seats.collect()
    native: pd.DataFrame = answers_of_seats.to_native()
    return native


def suggestion(name: str, others: Sequence[str] = ()) -> str:
    """Return what may be meant by a name that is no measure's: by what people call measures, else by its letters.

    Parameters
    ----------
    name
        What was typed.
    others
        Further names that there are, of a plan or a study.

    Examples
    --------
    >>> suggestion("anchor"), suggestion("jiont_value")
    ("did you mean 'first_offer'?", "did you mean 'joint_value'?")
    """
    return _names.suggestion(name, [*others, *MEASURES, *ISSUE_MEASURES])


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
    return _names.name_of(name, [*MEASURES, *ISSUE_MEASURES])


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
    return [name for name, known in MEASURES.items() if known.lacking(tables) is None]


def known(table: str, column: str) -> Need:
    """Need at least one known value in a column."""

    def lack(tables: Tables) -> str | None:
        if table not in tables or _none(tables[table]):
            return f"the study has no {table}"
        names = nw.from_native(tables[table]).collect_schema().names()
        if column not in names or _none(tables[table], ~nw.col(column).is_null()):
            meaning = TABLES[table][column].meaning
            return f"the column {shown(column)} of {table} ({meaning}) is missing in every row"
        return None

    return lack


def having(table: str, column: str, *values: str) -> Need:
    """Need at least one row with one of these values in a column."""

    def lack(tables: Tables) -> str | None:
        missing = known(table, column)(tables)
        if missing is None and _none(tables[table], nw.col(column).is_in(values)):
            return f"no row of {table} has {' or '.join(map(shown, values))} in the column {shown(column)}"
        return missing

    return lack


def _none(table: Any, condition: nw.Expr | None = None) -> bool:
    """Whether a table of any engine has no row, or none that meets a condition."""
    frame: Any = nw.from_native(table)
    rows = frame if condition is None else frame.filter(condition)
    first = rows.head(1)
    return len(first.collect("pyarrow") if isinstance(first, nw.LazyFrame) else first) == 0


def either(*needs: Need) -> Need:
    """Need at least one of several."""

    def lack(tables: Tables) -> str | None:
        lacks = [need(tables) for need in needs]
        return None if None in lacks else "; ".join(map(str, lacks))

    return lack


def _some_step(tables: Tables) -> str | None:
    if isinstance(tables["offers"], pd.DataFrame):
        values = tables["offers"].dropna(subset=["value_proposer", "value_responder"])
        repeats = bool(values.duplicated(["game_id", "proposer"]).any())
    else:
        seats: Any = nw.from_native(tables["offers"]).lazy().drop_nulls(["value_proposer", "value_responder"])
        repeats = not _none(
            seats.group_by("game_id", "proposer").agg(nw.len().alias("rows")).filter(nw.col("rows") > 1)
        )
    if repeats:
        return None
    return "no seat made two offers whose values are known, so there are no steps"


def _step_rates(tables: Tables) -> pd.DataFrame:
    return steps.step_rates(tables["offers"], tables["players"])


def _act_shares(tables: Tables) -> pd.DataFrame:
    return acts.act_shares(tables["messages"], tables["players"])


def _fehr_schmidt(parameters: str) -> Callable[[Tables], pd.DataFrame]:
    def compute(tables: Tables) -> pd.DataFrame:
        utilities = fairness.fehr_schmidt(tables["players"], parameters)
        return _renamed(utilities, "fehr_schmidt", f"fehr_schmidt_{parameters}")

    return compute


def _to_solution(solution: str) -> Callable[[Tables], pd.DataFrame]:
    def compute(tables: Tables) -> pd.DataFrame:
        four = (tables[name] for name in ("values", "offers", "items", "players"))
        return potential.distance_to_solution(*four, solution=solution)

    return compute


def _conflict(kind: potential.Conflict) -> Callable[[Tables], pd.DataFrame]:
    return lambda tables: potential.conflict(tables["values"], tables["players"], method=kind)


def _benefit_to_responder(tables: Tables) -> pd.DataFrame:
    benefits = benefit(tables["offers"], tables["players"], to="responder")
    return _renamed(benefits, "benefit", "benefit_to_responder")


def _renamed(frame: IntoFrameT, column: str, name: str) -> IntoFrameT:
    known: Any = nw.from_native(frame)
    renamed: IntoFrameT = known.rename({column: name}).to_native()
    return renamed


_POINTS = known("players", "points")
_UNITS = (known("offers", "units_to_proposer"), known("offers", "units_to_responder"))
_VALUES = (known("offers", "value_proposer"), known("offers", "value_responder"))
_BATNA = known("players", "batna")
_DEALS = (known("values", "value"), having("offers", "response", "accepted"), known("items", "item"))
_CONFLICTS: tuple[tuple[potential.Conflict, str, str, tuple[Need, ...]], ...] = (
    ("opposition", "distance", "how far the best outcome is from both seats' best, each seat's largest value as 1", ()),
    ("axelrod", "share of the square", "part of the square of gains that no individually rational outcome reaches",
     (_BATNA,)),
    ("correlation", "correlation", "correlation of the two seats' values over all outcomes", ()),
)  # fmt: skip
_ENDS = [level for level in TABLES["games"]["ended"].levels if level != "unknown"]

_ALL = (
    Measure(
        "points",
        "player",
        "points",
        "the seat's score",
        (_POINTS,),
        lambda t: points(t["players"]),
        row_by_row=True,
    ),
    Measure(
        "joint_value",
        "game",
        "points",
        "sum of the seats' points, as the log scores them; missing where one is",
        (_POINTS,),
        lambda t: joint_value(t["players"]),
    ),
    Measure(
        "agreed",
        "game",
        YES_NO,
        "whether the game ended in agreement",
        (having("games", "ended", "agreement", *IMPASSE),),
        lambda t: agreed(t["games"]),
        row_by_row=True,
    ),
    Measure(
        "walked_away",
        "game",
        YES_NO,
        "whether the game ended because somebody walked away",
        (having("games", "ended", *_ENDS),),
        lambda t: walked_away(t["games"]),
        row_by_row=True,
    ),
    Measure(
        "rounds",
        "game",
        "rounds",
        "rounds played, as the study counts them",
        (known("games", "rounds"),),
        lambda t: t["games"],
        row_by_row=True,
    ),
    Measure(
        "offers",
        "game",
        "offers",
        "offers made",
        (known("offers", "offer"),),
        lambda t: dialogue.offers_made(t["offers"], t["games"]),
    ),
    Measure(
        "duration_s",
        "game",
        "seconds",
        "time of the latest offer or message",
        (either(known("offers", "time_s"), known("messages", "time_s")),),
        lambda t: dialogue.duration(t["games"], messages=t.get("messages"), offers=t.get("offers")),
    ),
    Measure(
        "competitiveness",
        "offer",
        "units",
        "units that the proposer would get minus those that the responder would",
        _UNITS,
        lambda t: competitiveness(t["offers"]),
        row_by_row=True,
    ),
    Measure(
        "generosity",
        "offer",
        "units",
        "units that the responder would get minus those that the proposer would",
        _UNITS,
        lambda t: generosity(t["offers"]),
        row_by_row=True,
    ),
    Measure(
        "units_to_responder",
        "offer",
        "units",
        "units that the offer gives the responder: the amount offered",
        (_UNITS[1],),
        lambda t: t["offers"],
        row_by_row=True,
    ),
    Measure(
        "units_to_proposer",
        "offer",
        "units",
        "units that the offer leaves the proposer: the demand",
        (_UNITS[0],),
        lambda t: t["offers"],
        row_by_row=True,
    ),
    Measure(
        "share_to_responder",
        "offer",
        "share of the total",
        "units to the responder as a share of both sides' units; missing where nothing is divided",
        _UNITS,
        _amounts.share_to_responder,
        row_by_row=True,
    ),
    Measure(
        "first_amount",
        "player",
        "units",
        "units that the seat's first offer gives the responder",
        (_UNITS[1],),
        lambda t: _amounts.select_one_offer(t, "units_to_responder", "first", "first_amount"),
    ),
    Measure(
        "least_acceptable",
        "player",
        "units",
        "the least amount that the seat would accept (strategy method)",
        (_least_asked,),
        lambda t: _read_answers(t, _question_of(t, "least_acceptable"), "least_acceptable"),
    ),
    Measure(
        "benefit",
        "offer",
        "points",
        "what the offer is worth to the proposer minus the proposer's BATNA",
        (_VALUES[0], _BATNA),
        lambda t: benefit(t["offers"], t["players"]),
    ),
    Measure(
        "benefit_to_responder",
        "offer",
        "points",
        "what the offer is worth to the responder minus the responder's BATNA",
        (_VALUES[1], _BATNA),
        _benefit_to_responder,
    ),
    Measure(
        "pareto_optimal",
        "game",
        YES_NO,
        "whether no outcome gives every seat as much as the deal and one seat more; missing without a deal",
        _DEALS,
        lambda t: efficiency.pareto_optimal(t["values"], t["offers"], t["items"]),
        arrays=True,
    ),
    Measure(
        "distance_to_frontier",
        "game",
        "points",
        "Euclidean distance from the deal to the nearest Pareto optimal outcome",
        _DEALS,
        lambda t: efficiency.distance_to_frontier(t["values"], t["offers"], t["items"]),
        arrays=True,
    ),
    Measure(
        "distance_to_nash",
        "game",
        "points",
        "Euclidean distance from the deal to the Nash point over the BATNAs",
        (*_DEALS, _BATNA),
        lambda t: efficiency.distance_to_nash(t["values"], t["offers"], t["items"], t["players"]),
        arrays=True,
    ),
    *(
        Measure(
            f"distance_to_{solution}",
            "game",
            "points",
            f"Euclidean distance from the deal to the {named} point over the BATNAs",
            (*_DEALS, _BATNA),
            _to_solution(solution),
            arrays=True,
        )
        for solution, named in (("kalai_smorodinsky", "Kalai-Smorodinsky"), ("egalitarian", "egalitarian"))
    ),
    Measure(
        "potential_realised",
        "game",
        "share of the potential",
        "joint value above the BATNAs, of the largest there is; 0 without agreement",
        (*_DEALS, _BATNA, known("games", "ended")),
        lambda t: potential.potential_realised(t["values"], t["offers"], t["items"], t["players"], t["games"]),
        arrays=True,
    ),
    Measure(
        "logrolling",
        "game",
        "share of the room",
        "joint value above the mean of all outcomes, of the largest there is; missing without a deal",
        _DEALS,
        lambda t: potential.logrolling(t["values"], t["offers"], t["items"]),
        arrays=True,
    ),
    Measure(
        "logrolling_by_issue",
        "game",
        "share of the room",
        "the same over the pairs of issues of which one is worth more to each seat; missing without such a pair",
        _DEALS,
        lambda t: issues.logrolling_by_issue(t["values"], t["offers"], t["items"]),
        arrays=True,
    ),
    *(
        Measure(
            f"conflict_{kind}",
            "game",
            unit,
            meaning,
            (known("values", "value"), *needs),
            _conflict(kind),
            arrays=True,
        )
        for kind, unit, meaning, needs in _CONFLICTS
    ),
    Measure(
        "first_offer",
        "player",
        "points",
        "what the seat's first offer is worth to itself",
        (known("offers", "value_proposer"),),
        lambda t: openings.first_offers(t["offers"], t["players"]),
    ),
    *(
        Measure(
            f"{step}_rate",
            "player",
            "share of steps",
            f"share of {step} steps (Hindriks et al., 2007) among the seat's steps, tolerance {steps.TOLERANCE:g}",
            (*_VALUES, _some_step),
            _step_rates,
        )
        for step in sorted(steps.STEPS)
    ),
    Measure(
        "reached_goal",
        "player",
        YES_NO,
        "whether the seat reached its goal",
        (known("players", "reached_goal"),),
        lambda t: reached_goal(t["players"]),
        row_by_row=True,
    ),
    Measure(
        "ended_with_commitment",
        "game",
        YES_NO,
        "whether the last accepted offer was a commitment and the customer then reached the goal",
        (known("offers", "commitment"), having("players", "role", CUSTOMER), known("players", "reached_goal")),
        lambda t: ended_with_commitment(t["offers"], t["players"]),
    ),
    *(
        Measure(
            f"fehr_schmidt_{name}",
            "player",
            "points",
            f"Fehr-Schmidt utility of the points with alpha {alpha:g} and beta {beta:g}",
            (_POINTS,),
            _fehr_schmidt(name),
        )
        for name, (alpha, beta) in fairness.FEHR_SCHMIDT.items()
        if name != "selfish"  # these are the points
    ),
    Measure(
        "utterances",
        "game",
        "utterances",
        "messages with words that are no deal action",
        (known("messages", "message"),),
        lambda t: dialogue.utterances(t["messages"], t["games"]),
    ),
    Measure(
        "words_per_utterance",
        "game",
        "words",
        "mean number of words of an utterance, split on white space",
        (known("messages", "text"),),
        lambda t: dialogue.words_per_utterance(t["messages"], t["games"]),
    ),
    Measure(
        "offer_share",
        "game",
        "share of messages",
        "share of the messages that put an offer on the table",
        (having("messages", "act", *dialogue.OFFER_ACTS),),
        lambda t: dialogue.offer_share(t["messages"], t["games"]),
    ),
    *(
        Measure(
            f"{act}_share",
            "player",
            "share of messages",
            f"share of the seat's messages with the act {act}",
            (having("messages", "act", act),),
            _act_shares,
        )
        for act in acts.DIALOGUE_ACTS
    ),
    Measure(
        "initiative",
        "player",
        "share",
        "the seat's share of the game's openings and counter-proposals",
        (having("messages", "act", "propose"),),
        lambda t: acts.initiative(t["messages"], t["players"]),
    ),
    Measure(
        "information_told",
        "player",
        "statements",
        "different statements that the seat makes",
        (having("messages", "act", "state"),),
        lambda t: acts.information_told(t["messages"], t["players"]),
    ),
    *(
        Measure(
            name,
            "player",
            "offers",
            f"how often the seat {does} a single option of an issue that is worth no more than 0 to it",
            (having("messages", "act", "propose"), known("values", "option"), known("items", "option")),
            lambda t: acts.concessions(t["values"], t["offers"], t["items"]),
        )
        for name, does in (("concessions", "accepts"), ("unliked_proposals", "proposes"))
    ),
)

MEASURES: dict[str, Measure] = {known_measure.name: known_measure for known_measure in _ALL}
