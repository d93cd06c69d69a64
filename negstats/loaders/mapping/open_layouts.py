"""Tables that are laid out in one of two ways which their cells do not tell apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from negstats.loaders.files.lists import EACH, MOST_MEMBERS, NUMBER
from negstats.loaders.files.long_tables import widened
from negstats.loaders.files.objects import KEY
from negstats.loaders.files.tabular import Long, Table, joined
from negstats.loaders.mapping.log_files import Log
from negstats.loaders.mapping.long_form import find_long, line_of_long
from negstats.loaders.mapping.parted_columns import parted_columns
from negstats.loaders.mapping.seats_beside import find_seats, may_be_seats
from negstats.loaders.mapping.unfolding import (
    VALUE,
    decisions_beside,
    find_open_rounds,
    levels_beside,
    unfold,
    units_beside,
)
from negstats.loaders.reading.columns import build_column
from negstats.loaders.reading.facts import Facts
from negstats.loaders.reading.families import words_of_name
from negstats.loaders.reading.questions import Option, Question, read_answer
from negstats.sanitize import first_few
from negstats.toml_text import value_text

_SEATS = "those of each seat of one game: {}"


@dataclass(frozen=True, slots=True)
class OpenLayout:
    """A question about the layout of a table, and the log as it is if an option behind the first holds."""

    question: Question
    lay_out: Callable[[Log, int], Log]
    words: frozenset[str] = frozenset()  # that may be levels, in plain English

    def is_of_seats(self, facts: Facts) -> bool:
        """Whether the words are those of the seats of which a row has columns: they are no levels of a condition."""
        seats = {*facts.members, *(facts.sides.words if facts.sides is not None else ())}
        return bool(self.words) and self.words <= seats


def laid_out_as_answered(
    logs: list[Log], answers: dict[str, str]
) -> tuple[list[Log], Question | None, tuple[int, ...]]:
    """Return logs whose tables are laid out as is answered, the question, and the answer; () for none.

    The answer is taken out of `answers`. The first option leaves tables as they are.
    """
    layouts = [find_open_layout(log) for log in logs]
    question = next((each.question for each in layouts if each is not None), None)
    if question is None:
        return logs, None, ()
    is_answered = question.subject in answers
    answer = read_answer(question, answers.pop(question.subject)) if is_answered else question.likely
    place = answer[0] if answer else 1
    of_logs = zip(logs, layouts, strict=True)
    laid_out = [
        log if own is None or not 1 < place <= len(own.question.options) else own.lay_out(log, place)
        for log, own in of_logs
    ]
    if is_answered:
        return laid_out, question, answer
    return [log if log in logs else replace(log, layout=question) for log in laid_out], question, ()


def find_open_layout(log: Log) -> OpenLayout | None:
    """Return the question about the layout of a log's table; None where it has one layout only."""
    if log.rounds or log.lists:
        return _layout_of_texts(log) if len(log.lists) == 1 and log.names is None else None
    layouts = (
        _layout_of_units,
        _layout_of_seats,
        _layout_of_rounds,
        _layout_of_parts,
        _layout_of_levels,
        _layout_of_measures,
    )
    return next((layout for find in layouts if (layout := find(log)) is not None), None)


def _layout_of_texts(log: Log) -> OpenLayout | None:
    """Return the question whether texts in the elements of a list are what each of several said; None without these.

    Nothing else is told in an element but when it was. So a round may hold what either side says under its name, and
    so may a call of a model hold what it was told and what it replied.
    """
    inside = log.lists[0]
    columns = [build_column(name, cells) for name, cells in log.table.cells.items() if name.startswith(f"{inside}.")]
    columns = [column for column in columns if column.n_levels and not column.name.endswith(f".{NUMBER}")]
    texts = [column.name for column in columns if column.is_prose]
    others = [column for column in columns if column.name not in texts]
    if not 1 < len(texts) <= MOST_MEMBERS or any(not (each.is_count or each.is_moment) for each in others):
        return None
    names = [name.removeprefix(f"{inside}.") for name in texts]
    options = (
        Option("texts of one row, of which one at most was said: others were told to an agent, or thought"),
        Option(f"what each of {first_few(names)} said: each text is a message of its own", "nobody else is named"),
    )

    def as_messages(log: Log, _: int) -> Log:
        return _by_speakers(log, inside, texts)

    return OpenLayout(
        Question("levels", f"What are the columns {first_few(texts)}?", options, (2,), is_stop=True), as_messages
    )


def _by_speakers(log: Log, inside: str, texts: Sequence[str]) -> Log:
    """Return a log with a row for each text in the elements of a list, beside the name under which it stands."""

    def parted(table: Table) -> Table:
        cells = np.array([table.column(name).fillna("").to_numpy(object) for name in texts], dtype=object).T
        rows, places = np.nonzero(cells != "")  # what nobody said is no row
        others = [name for name in table.names if name not in texts]
        places_of_rows = pa.array(rows)
        outer = {
            name: joined([table.cells[name]], numbers=True).take(places_of_rows)
            for name in others
            if name in table.cells
        }
        speakers = [texts[place].removeprefix(f"{inside}.") for place in places.tolist()]
        own = {f"{inside}.{KEY}": speakers, inside: cells[rows, places].tolist()}
        added = {name: pa.array(values, pa.large_string()) for name, values in own.items()}
        numbers = [int(table.rows[row]) for row in rows.tolist()]
        return replace(table, names=[*others, *added], cells=outer | added, rows=numbers)

    line = (
        f"rows = {value_text(f'{inside}{EACH}')}  # a list: each text in its elements is a row, said by {inside}.{KEY}"
    )
    lines = tuple(line if each.startswith("rows = ") else each for each in log.lines)
    tables = tuple(map(parted, log.tables))
    return replace(log, table=parted(log.table), tables=tables, lines=lines, names=f"{inside}.{KEY}")


def _layout_of_units(log: Log) -> OpenLayout | None:
    """Return the question whether each column of a table is of another unit; None for a table that is not so laid out.

    Rows are then the periods of all of them: tested as they stand they would be people.
    """
    beside = units_beside(log.table)
    if beside is None:
        return None
    units, order = beside
    options = (
        Option(f"measures of each {order}"),
        Option(f"one measure of each of them: a group, place or person, whose rows are its {order}s", "of one scale"),
    )

    def as_units(log: Log, _: int) -> Log:
        return _unfolded(log, units, {VALUE: units}, has_seats=False)

    text = f"What are the columns {first_few(units)}?"
    return OpenLayout(Question("levels", text, options, (2,), is_stop=True), as_units)


def _layout_of_seats(log: Log) -> OpenLayout | None:
    """Return the question whether columns side by side are those of the seats of one game; None where none may be."""
    seats = find_seats(log.table)
    if seats is None:
        return None
    names = "; ".join(first_few(of, most=len(seats.words)) for of in seats.stems.values())
    options = (
        Option("measures of their own, each of which is asked about"),
        Option(_SEATS.format(", ".join(map(str, seats.words))), seats.evidence),
    )

    def as_seats(log: Log, _: int) -> Log:
        return _unfolded(log, seats.words, seats.stems, has_seats=True)

    return OpenLayout(Question("levels", f"What are the columns {names}?", options, (2,), is_stop=True), as_seats)


def _layout_of_rounds(log: Log) -> OpenLayout | None:
    """Return the question whether numbers are those of rounds or of the members of a group; None where neither is."""
    rounds = find_open_rounds(log.table)
    if rounds is None:
        return None
    numbers, stems = rounds
    names = "; ".join(first_few(of, most=len(numbers)) for of in stems.values())
    options = (
        Option("measures of their own, each of which is asked about"),
        Option("those of each round of one person or group"),
        Option(_SEATS.format(", ".join(map(str, numbers)))),
    )

    def unfolded(log: Log, place: int) -> Log:
        return _unfolded(log, numbers, stems, has_seats=place == len(options))

    text = f"What are the columns {names}?"
    return OpenLayout(Question("levels", text, options, (2,), is_stop=True), unfolded)


def _layout_of_parts(log: Log) -> OpenLayout | None:
    """Return the question whether columns of which each row has one are of conditions; None where none are so."""
    families = parted_columns(log.table)
    if not families:
        return None
    names = first_few(next(iter(families[0][1].values())), most=len(families[0][0]))
    of_parts = [
        Option(f"one measure, of which each row has that of its condition: {', '.join(words)}", "each row has one")
        for words, _ in families
    ]
    options = (Option("measures of their own, each of which is asked about"), *of_parts)

    def as_parts(log: Log, place: int) -> Log:
        return _unfolded(log, *families[place - 2], has_seats=False)

    return OpenLayout(Question("levels", f"What are the columns {names}?", options, (2,)), as_parts)


def _layout_of_levels(log: Log) -> OpenLayout | None:
    """Return the question whether columns side by side are one measure at several levels; None where none may be."""
    families, evidence = levels_beside(log.table), "of one scale"
    if not families:
        families, evidence = decisions_beside(log.table), "who has more of the one has more of the other"
    if not families:
        return None
    names = "; ".join(first_few(of, most=len(families[0][0])) for of in families[0][1].values())
    of_levels = [
        Option(f"one measure of each row at {len(words)} levels of a condition: {', '.join(words)}", evidence)
        for words, _ in families
    ]
    options = (Option("measures of their own, each of which is asked about"), *of_levels)
    if len(families[0][1]) > 1 and may_be_seats(log.table, families[0][1]):
        options = (*options, Option(_SEATS.format(", ".join(families[0][0]))))
    words = frozenset(word for part in families[0][0] for word in words_of_name(part.rpartition(".")[2]))
    return OpenLayout(Question("levels", f"What are the columns {names}?", options, (1,)), _at_levels, words)


def _at_levels(log: Log, option: int) -> Log:
    """Return a log with a row for each level that stands side by side, or for each seat, which is the last option."""
    families = levels_beside(log.table) or decisions_beside(log.table)
    return _unfolded(log, *families[(option - 2) % len(families)], has_seats=option - 2 == len(families))


def _unfolded(log: Log, words: Sequence[int | str], stems: Mapping[str, Sequence[str]], *, has_seats: bool) -> Log:
    """Return a log with a row for each word in which names of columns differ."""
    table, rounds, marker = unfold(log.table, words, stems)
    return replace(log, table=table, rounds=tuple(rounds), marker=marker, has_seats=has_seats)


def _layout_of_measures(log: Log) -> OpenLayout | None:
    """Return the question whether rows are levels of a condition or measures of other scales; None where none may be.

    What one condition changes may reach further at one level, and measures whose names nobody knows may be of whole
    numbers alike.
    """
    long = None if any(line.startswith("long = ") for line in log.lines) else find_long(log.table, are_known=False)
    if long is None:
        return None
    levels = log.table.column(long.measure).unique().tolist()
    unit = " and ".join(long.by)
    options = (
        Option(f"levels of a condition, of which each {unit} has each", "each has each once"),
        Option(f"measures of one row for each {unit}, of which {long.value} holds the values", "their ranges differ"),
    )
    text = f"What are {first_few(levels)} in the column {long.measure}?"

    def as_measures(log: Log, _: int) -> Log:
        return _as_measures(log, long)

    return OpenLayout(Question("measures", text, options, (1,), is_stop=True), as_measures)


def _as_measures(log: Log, long: Long) -> Log:
    """Return a log whose rows of one measure each are put together."""
    tables = tuple(widened(table, long) for table in log.tables)
    return replace(
        log, table=widened(log.table, long), tables=tables, lines=(*log.lines, line_of_long(long)), form=None
    )
