"""The columns of a log as the reading takes them, and what its files and folders say as columns of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.loaders.files.tabular import UNNAMED, Table, joined
from negstats.loaders.mapping.absent_people import find_begun
from negstats.loaders.mapping.file_parts import FilePart, file_parts, source_parts
from negstats.loaders.mapping.log_files import Log
from negstats.loaders.mapping.unfolding import VALUE
from negstats.loaders.mapping.words import MARK, ROW
from negstats.loaders.reading.choice import choose_row
from negstats.loaders.reading.columns import Column, Flags, build_column, number_of, text_cells, with_numbers
from negstats.loaders.reading.facts import LEAST_LEVELS, build_facts
from negstats.loaders.reading.hypotheses import Kind
from negstats.loaders.reading.missing_codes import without_code_words, without_shared_words
from negstats.loaders.reading.reading import KnownRow
from negstats.loaders.reading.relations import (
    are_unique_together,
    code_column,
    crossed,
    determines,
    joint_codes,
    levels_within,
)
from negstats.loaders.reading.spellings import known_as
from negstats.loaders.reading.summaries import find_summaries
from negstats.loaders.reading.words import is_named, names_game

_MOST_SEATS, _PAIR = 8, 2
_FEWEST_TURNS, _NAMED = 3, 0.9  # different turns, and the share of the runs that other columns name, and of their rows
_PLANNED = 0.8  # of the runs are of one length
_REGULAR = 0.9  # of the runs begin with the first number, and of the steps within them lead to the next one
FILLED = {"empty": False}  # the condition on rows that hold something in a column
# What programs write, or leave empty, above numbers of rows.
_NO_NAME = re.compile(rf"{UNNAMED.pattern}|Unnamed: [0-9]+|\.\.\.[0-9]+|X|index|row_?names?", re.IGNORECASE)
_MARKERS = frozenset("start end begin finish system [start] [end] <start> <end>".split())  # noqa: SIM905
# Columns of a survey, the words of rows that count, and whether these are named or all others.
_COUNTED = (("Status", ("0", "ip address", "ip-adresse"), False), ("Finished", ("1", "true"), True))
_SURVEY = {"StartDate", "EndDate", "RecordedDate", "ResponseId", "Progress", "DistributionChannel"}


def parts_of_paths(log: Log, source: Path) -> list[FilePart]:
    """Return the parts in which the paths of a log's files differ, or the titles of its tables."""
    if (title := log.table.source) is not None:
        titles = log.table.column(title).dropna().unique()
        return source_parts(title, [str(each) for each in titles], {*log.table.names} - {title})
    if len(log.files) < 2:
        return []
    files = list(dict.fromkeys(table.file for table in log.tables))
    return file_parts(files, source if log.patterns else files[0].parent, log.table.names)


def columns_of(log: Log, parts_of_paths: Sequence[FilePart]) -> dict[str, Column]:
    """Return the columns of a log's tables; of several files also their names, of lists and rounds also the row."""
    columns: dict[str, Column] = {}
    tables = [table for table in log.tables if set(log.table.cells) <= set(table.cells)]
    is_joined = len(tables) > 1
    for name in log.table.names:
        of_list = re.fullmatch(r"(.*)\[[0-9]+\]", name)
        is_of_program = name.rpartition(".")[2].startswith("_")
        is_of_program |= of_list is not None and f"{of_list[1]}[2]" not in log.table.cells  # a list of one element
        is_place = name.endswith(".#") and name != log.names  # a place in a list, which is nobody's seat
        if name not in log.table.cells or is_place or is_of_program:
            continue
        cells = joined([table.cells[name] for table in tables]) if is_joined else log.table.cells[name]
        is_source = name == log.table.source
        column = without_code_words(build_column(name, cells, is_source=is_source))
        is_index = not log.lists and _numbers_rows(name, column, tables if is_joined else [log.table])
        column = replace(column, is_in_some_files=name in log.in_some_files, is_index=is_index)
        if name == MARK and log.rounds and isinstance(log.rounds[0], str):
            column = replace(column, level_numbers=None)  # levels of a condition, whatever they are called
        if column.n_levels:
            columns[name] = column
    columns = without_shared_words(columns)
    if not columns:
        return columns
    rows = next(iter(columns.values())).rows
    parts = tables if is_joined else [log.table]
    titles = columns.pop(str(log.table.source), None) if parts_of_paths else None
    if titles is not None:
        files = [Path(titles.levels[code]) for code in titles.codes]
        if not any(len(set(part.words.values())) == titles.n_levels for part in parts_of_paths):
            columns[titles.name] = titles
    else:
        files = [table.file for table in tables for _ in range(len(table.rows))] if is_joined else []
    for part in parts_of_paths if files else ():
        column = build_column(part.name, text_cells([part.words[file] for file in files]), is_source=True)
        columns[part.name] = replace(column, parts=part.parts)
    if not (log.lists or log.rounds) and (runs := _find_runs(columns, [len(part.rows) for part in parts])) is not None:
        columns[runs.name] = runs
    if log.lists or log.rounds:
        numbers = np.concatenate([np.asarray(table.rows) + 10**9 * at for at, table in enumerate(parts)])
        _, codes = np.unique(numbers[:rows], return_inverse=True)
        columns[ROW] = Column(ROW, codes.astype(np.int64), [str(code) for code in range(int(codes.max()) + 1)], None)
    return columns


def _find_runs(columns: Mapping[str, Column], lengths: Sequence[int]) -> Column | None:
    """Return the runs of rows in each of which a number counts on, where they differ in length and nothing names them.

    So turns begin anew in each game of a log that has no name for it. Where rows are lost, two games may look like one.
    """
    starts = np.cumsum([0, *lengths[:-1]])
    for number in columns.values():
        if not number.is_count or number.share_filled < 1 or number.n_levels < _FEWEST_TURNS:
            continue
        steps = np.diff(number.codes, prepend=0)
        is_first = np.isin(np.arange(number.rows), starts) | (steps <= 0)
        sizes = np.bincount(codes := np.cumsum(is_first) - 1)
        is_regular = np.where(is_first, number.codes == 0, steps == 1)
        shares = [np.mean(is_regular[rows]) for rows in (is_first, ~is_first) if rows.any()]
        if len(shares) < 2 or min(shares) < _REGULAR or _end_alike(number, sizes):
            continue
        runs = code_column(f"{number.name} begun anew", codes)
        runs = replace(runs, is_source=True, begins=number.name, has_gaps=not is_regular.all())
        able = [each for each in columns.values() if each is not number and each.share_filled > _NAMED]
        names = [column for column in able if column.is_count or not (column.has_numbers or column.is_prose)]
        names = [column for column in names if determines(runs, column)]
        is_named = bool(names) and int(joint_codes(names).max()) + 1 > _NAMED * len(sizes)
        if len(sizes) >= LEAST_LEVELS and not is_named:
            return runs
    return None


def _end_alike(number: Column, sizes: npt.NDArray[np.integer[Any]]) -> bool:
    """Whether nearly all runs end with one number, as rounds that somebody planned do and games do not."""
    last_numbers = number.codes[np.cumsum(sizes) - 1]
    return bool(np.bincount(last_numbers).max() > _PLANNED * len(sizes))


def _numbers_rows(name: str, column: Column, tables: Sequence[Table]) -> bool:
    """Whether a column without a name of its own counts on from row to row of each table, as data frames do."""
    if _NO_NAME.fullmatch(name) is None or not column.is_whole or column.share_filled < 1:
        return False
    ends = np.cumsum([len(table.rows) for table in tables])[:-1]
    return all(bool((np.diff(codes) > 0).all()) for codes in np.split(column.codes, ends))


def find_unit(log: Log, columns: dict[str, Column]) -> str | None:
    """Return the column that names the game of the elements of lists: what the lists belong to.

    None without lists, and where each of them has one element, so that the rows are those of the log. Where each seat
    of a game has a list of its own it is the game, and else the row in which the list stands.
    """
    if not log.lists:
        return None
    if len(log.owners) == 1 and log.owners[0] in columns:
        return log.owners[0]
    row = columns[ROW]
    if row.is_unique:
        return None
    _, first_rows = np.unique(row.codes, return_index=True)
    is_first = np.zeros(row.rows, bool)
    is_first[first_rows] = True
    outer = [
        column.take(is_first)
        for name, column in columns.items()
        if name != ROW
        and not column.is_source
        and not any(name == one or name.startswith(f"{one}.") for one in log.lists)
    ]
    seats = [column for column in outer if 2 <= column.n_levels <= _MOST_SEATS]
    seats = [column for column in seats if not (column.has_numbers or column.is_moment)]
    for game in outer:
        is_game = names_game(game) and game.share_filled == 1 and 2 <= game.rows_per_level <= _MOST_SEATS
        if is_game and any(are_unique_together([game, seat], least=1.0) for seat in seats):
            return game.name
    return ROW


# What programs call the session, the round, the group in it, the seat in that, and the person.
_PROGRAMS = tuple(
    tuple(patterns.split())
    for patterns in (
        r"session\.code subsession\.round_number group\.id_in_subsession player\.id_in_group participant\.code",
        r"(.+\.)?session\.code (.+\.)?subsession\.round_number .+\.group\.id_in_subsession "
        r".+\.player\.id_in_group participant\.code",
        r"session(_code)? round(_number)? group(_id)? id_in_group participant_code",
        r"[Ss]ession Period Group Subject Subject",
    )
)


def known_rows(columns: dict[str, Column], log: Log) -> list[KnownRow]:
    """Return what a row is where oTree or z-Tree wrote the table; of games that stand side by side one of each app.

    Both number the groups of each round of a session, and the people or seats in them. Where rows are the names in an
    object of each game, these name who sat there.
    """
    if log.has_seats:
        return _rows_of_seats(columns)
    if VALUE in columns and not columns[ROW].is_unique:
        return [KnownRow("repeated", person=MARK, reason="each of the columns is of another unit")]
    if log.names is not None and log.names in columns:
        return _rows_of_names(columns, log, log.names)
    for patterns in _PROGRAMS:
        found = [[name for name in columns if re.fullmatch(pattern, name)] for pattern in patterns]
        if MARK in columns:
            found[1] = [MARK]
        if MARK not in columns and len(found[0]) == len(found[4]) == 1 < len(found[2]):
            return _rows_of_apps(columns, found)
        if not all(len(names) == 1 for names in found):
            continue
        session, number, group, seat, person = (names[0] for names in found)
        names = [session, number, group]
        if "treatment" in columns and columns["treatment"].n_levels > 1:  # z-Tree counts periods anew in each
            names.insert(1, "treatment")
        # Two apps number their rounds alike: the file of each is a part of the name.
        sources = [name for name, column in columns.items() if column.is_source]
        keys = [names, *([source, *names] for source in sources)]
        fits = (of for of in keys if are_unique_together([columns[each] for each in (*of, seat)], least=1.0))
        names = next(fits, [])
        key = [columns[name] for name in names]
        if not key:
            continue
        of_sessions = session if seat == person and columns[session].n_levels > 1 else None
        of_people = _rows_of_people(columns, person, of_sessions)
        if are_unique_together(key, least=1.0):
            if of_people.kind == "repeated":
                return [of_people]
            continue
        if columns[group].n_levels > 1:
            return [KnownRow("seats", tuple(names), seat, person, of_sessions)]
        # Programs put all people of a session into one group where nobody is paired.
        if crossed(*key).sizes.max() > _MOST_SEATS:
            return [of_people]
        return [KnownRow("seats", tuple(names), seat, person, of_sessions), of_people]
    return []


def _rows_of_names(columns: Mapping[str, Column], log: Log, name: str) -> list[KnownRow]:
    """Return what a row is where the names in objects are of those who acted: in each game, or in each of its rounds.

    Of fewer than three in a round the one who is missing may have been to answer: nothing is known of these.
    """
    unit, actor = find_unit(log, dict(columns)) or ROW, columns[name]
    if are_unique_together([columns[unit], actor], least=1.0):
        reason = "each game names those who took part, others from game to game"
        return [KnownRow("seats", (unit,), person=name, reason=reason)]
    inside = name.split(".")[0]
    for order in (each for each in columns.values() if each.name.startswith(f"{inside}.") and each.is_count):
        game = [columns[unit], order]
        sizes = levels_within(crossed(*game), actor)
        if are_unique_together([*game, actor], least=1.0) and not are_unique_together(game) and sizes.min() > _PAIR:
            seat = name if actor.n_levels == sizes.max() else None
            reason = "each round names those who did something in it"
            return [KnownRow("seats", (unit, order.name), seat, name if seat is None else None, reason=reason)]
    return []


def _rows_of_people(columns: Mapping[str, Column], person: str, session: str | None) -> KnownRow:
    """Return what a row is where people whom a program names are in nobody's group."""
    people = columns[person] if session is None else crossed(columns[session], columns[person])
    kind: Kind = "repeated" if people.rows_per_level > 1 else "alone"
    return KnownRow(
        kind, person=person, session=session, reason="a program's own column names people whom it did not pair"
    )


def _rows_of_seats(columns: Mapping[str, Column]) -> list[KnownRow]:
    """Return what a row is where columns of each seat stood side by side, as those say that are no seat's own.

    A row was a round of a market or a group that has several, or a game.
    """
    mark = columns[MARK]
    is_first = mark.codes == mark.codes[0]
    own = [with_numbers(each.take(is_first)) for name, each in columns.items() if MARK not in name]
    facts = build_facts(own)
    best, rivals = choose_row(facts, None)
    reason = "columns of each seat stood side by side"
    own_names = (name for name, each in columns.items() if MARK in name and name != MARK and is_named(each, "person"))
    people = next(own_names, None)
    rows = []
    for row in (best, *rivals):
        person, order = row.person, row.order
        is_of_group = row.kind == "repeated" and person is not None and order is not None and not person.parts
        game: tuple[str, ...] = (
            (person.name, order.name) if is_of_group and person is not None and order is not None else (ROW,)
        )
        if row.kind == "alone" and person is not None and person.is_unique:
            game = person.parts or (person.name,)
        rows.append(KnownRow("seats", game, MARK, people, reason=reason))
    return list(dict.fromkeys(rows))


def _rows_of_apps(columns: dict[str, Column], program_names: Sequence[Sequence[str]]) -> list[KnownRow]:
    """Return a row as a seat of the first round of each app that pairs people: ``ultimatum.1.group.id_in_subsession``.

    An app whose groups are single people, or more than seats of one game, asks people and pairs nobody.
    """
    (session,), _, groups, seats, (person,) = program_names
    rows: dict[str, KnownRow] = {}
    for group in groups:
        prefix = group.rpartition("group.")[0]
        key = [columns[session], columns[group]]
        for seat in (name for name in seats if prefix and name.startswith(prefix)):
            is_pair = are_unique_together([*key, columns[seat]], least=1.0)
            if is_pair and columns[seat].n_levels <= _MOST_SEATS and not are_unique_together(key, least=1.0):
                app = re.sub(r"[0-9]+\.$", "", prefix)
                rows.setdefault(app, KnownRow("seats", (session, group), seat, person))
    return list(rows.values())


def rows_that_count(columns: dict[str, Column], log: Log) -> tuple[dict[str, Column], dict[str, object]]:
    """Return the columns of the rows that count, and the conditions for these: no previews, markers, empty rounds."""
    where: dict[str, object] = {}
    if log.marker:
        where[log.marker] = FILLED
    of_survey = [each for each in _COUNTED if each[0] in columns] if _SURVEY & columns.keys() else []
    for name, words, is_named_so in of_survey:
        column = columns[name]
        counted = [level for level in column.levels if known_as(level) in words]
        others = [level for level in column.levels if level not in counted]
        if counted and others:
            where[name] = counted if is_named_so else {"not": others}
            columns = _take(columns, column, counted)
    for name in list(columns):
        column = columns[name]
        markers = [level for level in column.levels[:13] if known_as(level) in _MARKERS]
        if 2 < column.n_levels <= 12 and markers and len(markers) < column.n_levels - 1:
            where[name] = {"not": markers}
            columns = _take(columns, column, [level for level in column.levels if level not in markers])
    if not (log.lists or log.rounds) and (begun := find_begun(columns)) is not None:
        where[begun.name] = FILLED
        columns = {name: with_numbers(column.take(begun.filled)) for name, column in columns.items()}
    summaries = find_summaries([] if log.lists or log.rounds else list(columns.values()))
    if summaries.any() and (condition := _tell_apart(columns, summaries)) is not None:
        name, where[name] = condition
        columns = {name: with_numbers(column.take(~summaries)) for name, column in columns.items()}
    return columns, where


def _tell_apart(columns: Mapping[str, Column], summaries: Flags) -> tuple[str, object] | None:
    """Return a column by which cases are told from summaries of these, and the condition; None if none does.

    Numbers that only cases have tell it best, then what summaries are called, then whatever only cases have.
    """
    own = [column for column in columns.values() if not column.is_source]
    filled = [column for column in own if np.array_equal(column.filled, ~summaries)]
    for column in (each for each in filled if each.has_numbers):
        return column.name, FILLED
    for column in own:
        words, cases = (
            {column.levels[code] for code in np.unique(column.codes[rows & column.filled])}
            for rows in (summaries, ~summaries)
        )
        are_names = all(number_of(word) is None for word in words)
        if column.filled[summaries].all() and are_names and words.isdisjoint(cases):
            return column.name, {"not": sorted(words)}
    return next(((column.name, FILLED) for column in filled), None)


def _take(columns: dict[str, Column], by: Column, levels: list[str]) -> dict[str, Column]:
    """Return the columns of the rows in which one of them has some levels."""
    places = [by.levels.index(level) for level in levels]
    rows = (by.codes[:, None] == places).any(axis=1)
    return {name: with_numbers(column.take(rows)) for name, column in columns.items()}


def names_seats(column: Column, log: Log) -> bool:
    """Whether a column says which of the seats is meant whose columns stood side by side, as of who won."""
    return log.has_seats and MARK not in column.name and {*column.levels} == {str(word) for word in log.rounds}
