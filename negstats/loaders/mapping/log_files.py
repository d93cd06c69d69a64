"""The files of a log that look alike: which of a folder's are one log, and how their tables are read."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os.path import commonpath
from pathlib import Path
from typing import TypeAlias

import pyarrow.compute as pc

from negstats.errors import LogError
from negstats.loaders.files.any_table import TABLES, read_table
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.containers import member, table_names
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.earlier_exports import find_earlier_exports
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.lists import (
    EACH,
    NUMBER,
    find_owners,
    lists_in,
    lists_of_members,
    names_in_elements,
    parallel_lists,
    paths,
    unlisted,
)
from negstats.loaders.files.named_objects import are_names, has_several_rows, objects_by_names
from negstats.loaders.files.objects import KEY, lists_of_one
from negstats.loaders.files.stacks import are_same_rows, find_parts, padded, stacked_table, without_endings
from negstats.loaders.files.tabular import Form, Table, joined, refusal, with_categories
from negstats.loaders.mapping.file_parts import are_of_one_kind, name_pattern
from negstats.loaders.mapping.forms import Asked, Look, look, plain_numbers
from negstats.loaders.mapping.long_form import with_all_measures
from negstats.loaders.mapping.unfolding import unfolded
from negstats.loaders.reading.columns import number_of
from negstats.loaders.reading.questions import Question
from negstats.sanitize import first_few, line
from negstats.toml_text import one_or_list, value_text

MOST_FILES = 200  # of a folder that are opened for a look
_ALIKE_KEYS, _ALIKE_IN_PLACE, _ALIKE = 0.5, 0.75, 0.9  # of the keys or columns that two files of one log share
_GAINED = 0.8  # of the columns of a shorter table that longer ones have
_FEWEST_COMMON, _FEWEST_NAMED, _SHARED_NAMES = 3, 5, 0.5  # columns of both, rows, and names of them that stand there
_JSON = frozenset({".json", ".jsonl"})


TablesRead: TypeAlias = Mapping[tuple[Path, Form], Table]


@dataclass(frozen=True, slots=True)
class Log:
    """Files that look alike: patterns that find them, the sheet, the table in one of them, and the folder's others."""

    patterns: tuple[str, ...]
    files: tuple[Path, ...]
    sheet: str | None
    table: Table
    unread: tuple[Path, ...]
    header_rows: int = 1
    rounds: tuple[int | str, ...] = ()
    marker: str | None = None
    lines: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()  # columns whose elements are the rows
    tables: tuple[Table, ...] = ()  # of all files that look alike
    owners: tuple[str, ...] = ()  # columns that name what a list belongs to, where it stands on several rows
    unread_sheets: tuple[str, ...] = ()
    beside: tuple[tuple[tuple[Path, ...], str | None], ...] = ()  # files and sheets of the tables put beside it
    in_some_files: tuple[str, ...] = ()  # columns that not each of the files has
    left_out: Mapping[str, str] = field(default_factory=dict)  # columns that some files lack, with one that has it
    form: Form | None = None  # how the one file is written whose table holds just what its reader gives
    names: str | None = None  # the column with the names in objects, each of which is a row
    layout: Question | None = None  # what asks whether the columns that were repeated are what they are taken for
    has_seats: bool = False  # columns are repeated for each seat of a game

    @property
    def as_read(self) -> TablesRead:
        """The table of the file as whoever reads it in this form has it, so that it need not be read again."""
        return {} if self.form is None else {(table.file, self.form): table for table in self.tables}


def find_logs(source: Path, options: Asked) -> Iterator[Log]:
    """Yield the logs at `source`: files with the same columns are one."""
    all_files = sorted(file for file in source.glob("**/*") if file.is_file()) if source.is_dir() else [source]
    files = [file for file in readable(all_files, source) if file.suffix.lower() in TABLES]
    if not files:
        raise LogError(refusal(all_files), file=source)
    # Of many files those are looked at whose names stand in most folders: of each game one.
    counts = Counter(file.name for file in files)
    often = sorted(files, key=lambda file: -counts[file.name])[:MOST_FILES]
    looked_at, beyond = sorted(often), sorted({*files} - {*often})
    alike, empty_files, faults = _group_alike(looked_at, Intake(source), options)
    sheets = dict.fromkeys(sheet for _, sheet, _ in alike if sheet is not None)
    looked_at = [file for file in looked_at if file not in empty_files]
    for (_, sheet, layout), kinds in alike.items():
        for tables in _with_shorter(kinds):
            if (
                layout.names is not None
                and not layout.has_members
                and not are_names(_levels_by_row(tables, layout.names))
            ):
                continue  # each file by itself did not show that the same stand in all
            log = _build_log(source, (looked_at, beyond), tables, layout)
            yield replace(
                log,
                sheet=sheet,
                unread_sheets=tuple(other for other in sheets if other != sheet),
                unread=tuple(file for file in log.unread if file not in faults),
                lines=(*log.lines, *_note_faults(list(faults.values()), source)),
            )


Kind: TypeAlias = tuple[str, str | None, Look]


def _group_alike(
    files: Sequence[Path], intake: Intake, options: Asked
) -> tuple[dict[Kind, list[list[Table]]], set[Path], dict[Path, LogError]]:
    """Return the tables of files by their ending, sheet and layout, those that share most columns together.

    Where others have rows, files without a row say nothing, not even which columns there are: these are returned too,
    and what is wrong with those that cannot be read. Nor do lines of text in which nothing stands beside another.
    """
    read: list[tuple[str | None, Table, Look]] = []
    faults: dict[Path, LogError] = {}
    for file in files:
        try:
            read += _read(file, intake, options)
        except LogError as error:
            faults[file] = error
    if not read and faults:
        raise next(iter(faults.values()))
    with_rows = [each for each in read if len(each[1].rows)] or read
    alike: dict[Kind, list[list[Table]]] = defaultdict(list)
    tables = [of for of in with_rows if len(of[1].names) > 1 or of[1].file.suffix.lower() != ".txt"] or with_rows
    for sheet, table, layout in tables:
        known = (key for key in alike if key[:2] == (table.file.suffix, sheet) and _is_same(key[2], layout))
        _put(table, alike[next(known, (table.file.suffix, sheet, layout))])
    return alike, {table.file for _, table, _ in read} - {table.file for _, table, _ in with_rows}, faults


def _build_log(source: Path, files: tuple[list[Path], list[Path]], all_tables: Sequence[Table], layout: Look) -> Log:
    """Return tables that look alike as one log, without those whose rows stand in another of them.

    Of the files of a folder those that were looked at go before those beyond.
    """
    parts = find_parts(all_tables)
    others = [table for place, table in enumerate(all_tables) if place not in parts]
    earlier = find_earlier_exports(others)
    tables = tuple(table for place, table in enumerate(others) if place not in earlier)
    part_files = [all_tables[place].file for place in parts]
    note_of_parts = _note_parts([file.relative_to(source).as_posix() for file in part_files])
    note_of_parts += _note_earlier({others[place].file.name: names for place, names in earlier.items()})
    part_files += [others[place].file for place in earlier]
    of_log = tuple(table.file for table in tables)
    common, in_some_files = _with_all_columns(tables)
    tables = tuple(padded(table, in_some_files) for table in tables)
    patterns = _patterns(source, of_log, of_log[0].suffix, files[0]) if source.is_dir() else ()
    read = {*part_files, *(file for pattern in patterns for file in source.glob(pattern))}
    unfolded_table, rounds, marker = unfolded(common)
    # Lists are opened, sheets put below each other and numbers spelled anew after they are read.
    is_as_read = len(tables) == 1 and not (layout.form.rows or layout.form.sheets or layout.thousands)
    return Log(
        patterns,
        of_log,
        None,
        unfolded_table,
        tuple(file for file in (*files[0], *files[1]) if file not in read) if source.is_dir() else (),
        _header_rows(common),
        tuple(rounds),
        marker,
        (*layout.lines, *note_of_parts),
        tuple(name.removesuffix(EACH) for name in layout.form.rows),
        tables,
        layout.form.rows_once,
        in_some_files=in_some_files,
        left_out={
            name: table.file.name for table in reversed(tables) for name in table.cells if name not in common.cells
        },
        form=layout.form if is_as_read and layout.decimal == "." else None,
        names=layout.names,
    )


def _with_all_columns(tables: Sequence[Table]) -> tuple[Table, tuple[str, ...]]:
    """Return the longest table with the columns of all, and those that some lack.

    Columns that a program names anew in each file, and keys that few files of JSON have, are left out where some tables
    lack them: they are the same in other words.
    """
    longest = max(tables, key=lambda table: len(table.rows))
    in_all = [name for name in longest.names if all(name in table.names for table in tables)]
    others = dict.fromkeys(name for table in (longest, *tables) for name in table.names if name not in in_all)
    are_named_anew = len({len(table.names) for table in tables}) == 1
    if longest.file.suffix in _JSON:
        often = [name for name in others if sum(name in of.cells for of in tables) > _ALIKE_KEYS * len(tables)]
        return padded(_without(longest, set(others) - set(often)), tuple(often)), tuple(often)
    if are_named_anew or unfolded(longest)[1]:
        return _without(longest, others), ()
    return padded(longest, others), tuple(others)


def _note_faults(faults: Sequence[LogError], source: Path) -> list[str]:
    """Return the line of a mapping that says which files cannot be read, and what is wrong with the first ones."""
    texts = [str(fault).removeprefix(f"{source}{os.sep}") for fault in faults]
    named = first_few([line(each, _LONGEST_FAULT) for each in texts], MOST_NAMED)
    return [f"# not read, for {'it is' if len(faults) == 1 else 'they are'} damaged: {named}"] if faults else []


def _note_parts(names: Sequence[str]) -> list[str]:
    """Return the line of a mapping that says which tables are not read, for all their rows stand in another."""
    which = first_few([*map(value_text, names)], MOST_NAMED)
    return [f"# not read, for all its rows stand in the other tables: {which}"] if names else []


def _note_earlier(changed: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the line of a mapping that says which exports are not read, for a later one holds their people again."""
    which = (f"{value_text(name)} (other cells in {first_few(of) or 'none'})" for name, of in changed.items())
    lines = f"# not read, for a longer table holds the same people again: {first_few([*which], MOST_NAMED)}"
    return [lines] if changed else []


def _header_rows(table: Table) -> int:
    """Return how many rows stand above the data: those that came with the table, and the one of the names."""
    return int(table.rows[0]) - 1 if len(table.rows) and table.wording is not None else 1


def _put(table: Table, kinds: list[list[Table]]) -> None:
    """Put a table to those that it is like."""
    tables = next((tables for tables in kinds if _are_alike(table, tables)), None)
    if tables is None:
        kinds.append([table])
    else:
        tables.append(table)


def _with_shorter(kinds: Sequence[list[Table]]) -> list[list[Table]]:
    """Return tables that are alike, with those whose columns nearly all stand among those of others.

    The names of their files are alike but for numbers or a word: the others have gained columns. A table with one row
    for each of what rows of another name is no such table: it tells of the same.
    """
    merged: list[list[Table]] = []
    for tables in sorted(kinds, key=lambda tables: -max(len(table.names) for table in tables)):
        wider = next((others for others in merged if _have_gained(others, tables)), None)
        if wider is None:
            merged.append(list(tables))
        else:
            wider += tables
    return merged


def _have_gained(wider: Sequence[Table], shorter: Sequence[Table]) -> bool:
    """Whether tables have the columns of shorter ones, and some more, under names of files that are alike."""
    if wider[0].file.suffix in _JSON or wider[0].file == shorter[0].file:
        return False
    names, all_names = shorter[0].names, {name for table in wider for name in table.names}
    common = [name for name in names if name in all_names and name in wider[0].cells]
    if len(common) < max(_GAINED * len(names), _FEWEST_COMMON):
        return False
    if not are_of_one_kind(*([table.file.stem for table in tables] for tables in (wider, shorter))):
        return False
    pairs = [(table, others) for table in shorter for others in wider]
    return not any(_has_row_each(*pair, common) or are_same_rows(*pair) for pair in pairs)


def _has_row_each(table: Table, others: Table, names: Sequence[str]) -> bool:
    """Whether a table has one row for each of what several rows of another one name."""
    if len(table.rows) < _FEWEST_NAMED:
        return False
    for name in (name for name in names if name in others.cells and name in table.cells):
        own, other_names = table.column(name), others.column(name)
        if own.is_unique and not other_names.is_unique and own.isin(other_names).mean() >= _SHARED_NAMES:
            return True
    return False


def _are_alike(table: Table, tables: Sequence[Table]) -> bool:
    """Whether a table has the columns that others have, so that their rows can stand below each other.

    Some programs name a few columns anew in every file: as many others stand in their places. Of JSON it is the keys
    outside that count, half of them: inside an object they may be the names of those who took part.
    """
    first = tables[0]
    if table.file.suffix in _JSON:
        names = [{name.partition(".")[0] for name in of.names} for of in (table, *tables)]
        return len(set.intersection(*names)) >= _ALIKE_KEYS * max(len(names[0]), len(names[1]))
    common = set.intersection(*(set(of.names) for of in (table, *tables)))
    most = max(len(first.names), len(table.names))
    are_in_place = len(first.names) == len(table.names) and all(
        own == other for own, other in zip(first.names, table.names, strict=True) if common.intersection((own, other))
    )
    if len(common) < (_ALIKE_IN_PLACE if are_in_place else _ALIKE) * most:
        return False
    return not any(are_same_rows(table, other) for other in tables)


def _is_same(one: Look, other: Look) -> bool:
    """Whether two files are written alike; what was seen in them may differ."""
    return [line.partition("  #")[0] for line in one.lines] == [line.partition("  #")[0] for line in other.lines]


def _read(file: Path, intake: Intake, options: Asked) -> Iterator[tuple[str | None, Table, Look]]:
    data = intake.read(file)
    names: list[str | None] = [*table_names(data, file)] or [None]
    faults = []
    plain_tables: list[tuple[str | None, Table, Look]] = []
    list_tables: list[tuple[str | None, Table, Look]] = []
    sheets: list[tuple[str | None, Table, Look]] = []
    lists_of_file = _lists(data, file)
    for name in names:
        try:
            inner_data, inner_file, _ = member(data, file, name)
            layout = look(inner_data, inner_file, name, options)
            layout = replace(layout, form=replace(layout.form, sheet=name))
            for rows in lists_of_file:
                of_list = _drop_long(read_table(data, file, replace(layout.form, rows=(rows,))), (rows,))
                list_tables.append((None, *_read_list(of_list, layout, options, rows)))
            table = read_table(data, file, layout.form)
            _refuse_data_as_names(table, layout.form.header)
            sheets.append((name, table, layout))
        except LogError as error:
            faults.append(error)
    named = _objects_of_all([table for _, table, _ in sheets])
    for name, table, layout in sheets:
        sheet = name if len(names) > 1 else None
        objects = [of for of in named if table.cells.keys() >= {*of}]
        are_named = bool(objects) and has_several_rows(table)
        table = _without_names(table, objects) if are_named else table
        try:
            table, layout, lists = _open_all(table, layout, options, objects, lists_of_file)
            list_tables += [(sheet, *each) for each in lists]
            if not are_named:  # else all that stands beside the objects stands beside each of their names
                table, layout = with_all_measures(table, layout)
                plain_tables.append((sheet, *plain_numbers(with_categories(table), layout, options)))
        except LogError as error:
            faults.append(error)
    yield from _stack_equal(list_tables, file) if len(names) > 1 else list_tables
    yield from _stack_equal(plain_tables, file)
    if faults and not (list_tables or plain_tables):
        raise faults[0]


def _objects_of_all(tables: Sequence[Table]) -> list[tuple[str, ...]]:
    """Return the columns with objects whose keys are names, which those of one table are if they are so in all."""
    by_table = [list(objects_by_names(table)) for table in tables]
    return [
        names
        for names in dict.fromkeys(names for each in by_table for names in each)
        if all(names in each for each, table in zip(by_table, tables, strict=True) if table.cells.keys() >= {*names})
    ]


def _open_all(
    table: Table, layout: Look, options: Asked, objects: Sequence[tuple[str, ...]], others: Collection[str]
) -> tuple[Table, Look, list[tuple[Table, Look]]]:
    """Return a table without the lists that are not looked into, a note of these, and a table of each list in it.

    Lists of the whole file are no columns of it: these `others` are not opened.
    """
    columns_with_lists = [column for column in lists_in(table) if column not in others]
    # A list that is the same in every row stays beside the others: it may name the seats.
    is_one_row = len(table.rows) < 2
    varying = [name for name in columns_with_lists if is_one_row or table.column(name).nunique() > 1]
    opened, longer = _select_lists(table, columns_with_lists)
    opened = [f"{name}{EACH}" if names_in_elements(table, name) else name for name in opened]
    layout = _with_note(layout, longer)
    table = _without(table, longer) if len(table.names) > WIDE else table
    groups = list(parallel_lists(table))[: _count_most(table)]
    tables = []
    for lists in (*((one,) for one in opened), *groups, *objects):
        beside = _without(table, [name for name in varying if name not in paths(lists)])
        table_of_lists, look_of_lists = _open_lists(beside, layout, options, *lists, has_names=lists in objects)
        is_plain = len(lists) == 1 and lists not in objects
        members = list(objects_by_names(table_of_lists, lists[0])) if is_plain else []
        of_places = lists_of_members(table_of_lists, lists[0]) if is_plain and not members else ()
        if of_places:
            inner_table, inner_look = _open_lists(beside, layout, options, *of_places, has_names=False)
            tables.append((inner_table, replace(inner_look, names=f"{of_places[0]}.{NUMBER}", has_members=True)))
            continue
        inner = [name for name in lists_in(table_of_lists) if name.startswith(f"{lists[0]}.")] if is_plain else []
        tables += [_open_lists(beside, layout, options, name, has_names=False) for name in inner]  # acts of a round
        opened_members = [_open_lists(beside, layout, options, *of, has_names=True) for of in members]
        tables += [(of_members, replace(own, has_members=True)) for of_members, own in opened_members]
        if not members:
            tables.append((table_of_lists, look_of_lists))
    return table, layout, tables


def _open_lists(table: Table, layout: Look, options: Asked, *lists: str, has_names: bool) -> tuple[Table, Look]:
    """Return a table with a row for each element of its lists, which stand on one row for all who share them."""
    own = [name.removesuffix(EACH) for name in lists]
    once = find_owners(table, own) if table.cells.keys() >= {*own} else []  # what lies in a list is of its elements
    shared = _drop_members(table, lists, once) if once else table
    of_list = unlisted(_drop_long(shared, lists), lists, None, once=once)
    return _read_list(of_list, layout, options, *lists, once=once, has_names=has_names)


def _with_note(layout: Look, unopened: Sequence[str]) -> Look:
    """Return a layout with a line that names the lists that are not looked into."""
    if not unopened:
        return layout
    named = first_few([*map(value_text, unopened)], MOST_NAMED)
    note = f"# lists that were not looked into, for others are longer: {named}"
    return replace(layout, lines=(*layout.lines, note))


def _refuse_data_as_names(table: Table, row: int) -> None:
    """Raise LogError where the names of many columns stand in these columns as cells: the first row is one of data.

    Few columns are called by numbers, so that a third of these tell it; of words it takes most.
    """
    plain_names = {name: re.sub(r"_\d+$", "", name) for name in table.cells}  # without the number of a second one
    numbers = {name for name, plain in plain_names.items() if number_of(plain) is not None}
    again = [name for name, plain in plain_names.items() if _is_level(plain, table.cells[name])]
    words = [name for name in again if name not in numbers]
    is_of_numbers = len(again) - len(words) >= _LEAST_ALIKE and len(again) >= _SHARE_ALIKE * len(table.names)
    is_of_words = len(words) >= _LEAST_WORDS and len(words) > (len(plain_names) - len(numbers)) / 2
    if is_of_numbers or is_of_words:
        named = first_few([plain_names[name] for name in again])
        reason = (
            f"names no columns: row {row} holds data ({named} are cells of their columns); write a row of names above"
        )
        raise LogError(reason, file=table.file)


def _is_level(word: str, cells: Texts) -> bool:
    """Whether a word stands in some of the first cells of a column, and not in all of them."""
    first_cells = joined([cells.slice(0, _COMPARED)])
    return 0 < (pc.sum(pc.equal(first_cells, word)).as_py() or 0) < len(first_cells)


_COMPARED, _LEAST_ALIKE, _SHARE_ALIKE = 2_000, 3, 1 / 3  # rows, and numbers and columns in which a name is a cell
_LEAST_WORDS = 2
# Each list that is opened is a log of its own, and logs are tried in pairs: the work grows with the square of these.
MOST_LISTS = 4  # columns with lists whose elements are tried as rows
WIDE = 300  # columns from which on one list alone is tried
_LONGEST_FAULT = 200  # characters
MOST_NAMED = 8  # columns that are named where others are not looked into


def _count_most(table: Table) -> int:
    """Return how many columns with lists are opened: each is looked at beside all other columns."""
    return MOST_LISTS if len(table.names) <= WIDE else 1


def _select_lists(table: Table, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns whose lists are opened, those with the most text in them, and the others, both in order."""

    def size(name: str) -> int:
        return int(table.column(name).head(_LOOKED).dropna().str.len().sum())

    most = _count_most(table)
    chosen = set(sorted(names, key=size, reverse=True)[:most]) if len(names) > most else set(names)
    return [name for name in names if name in chosen], [name for name in names if name not in chosen]


def _without(table: Table, columns: Collection[str]) -> Table:
    """Return a table without columns: beside each element of a list no other list would say more than in its row."""
    names = [name for name in table.names if name not in columns]
    return replace(table, names=names, cells={name: cells for name, cells in table.cells.items() if name in names})


def _levels_by_row(tables: Iterable[Table], name: str) -> list[list[str]]:
    """Return what a column holds in each row of the files in which objects stood."""
    groups = (table.column(name).groupby(list(table.rows), sort=False) for table in tables)
    return [list(levels) for group in groups for _, levels in group]


def _without_names(table: Table, objects: Sequence[Sequence[str]]) -> Table:
    """Return a table without the columns that the names in objects would have: they name people, and no columns."""
    inside = tuple(f"{name}." for lists in objects for name in lists)
    return _without(table, [name for name in table.names if inside and name.startswith(inside)])


def _stack_equal(
    tables: Sequence[tuple[str | None, Table, Look]], file: Path
) -> Iterator[tuple[str | None, Table, Look]]:
    """Yield the tables of a file, those with the same columns below each other, and none that is a part of others."""
    parts = find_parts([table for _, table, _ in tables])
    note_of_parts = _note_parts([str(tables[place][0]) for place in parts])
    groups: list[list[tuple[str | None, Table, Look]]] = []
    for name, table, look_of_table in (one for place, one in enumerate(tables) if place not in parts):
        one = (name, table, replace(look_of_table, lines=(*look_of_table.lines, *note_of_parts)))
        alike = (
            group for group in groups if set(group[0][1].names) == set(table.names) and _is_same(group[0][2], one[2])
        )
        group = next(alike, None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    for group in groups:
        if len(group) == 1:
            yield group[0]
            continue
        names, layout = [str(name) for name, _, _ in group], group[0][2]
        every = "*" if len(groups) == 1 and not parts else ""
        sheets = f'sheets = "*"  # {len(names)} tables' if every else f"sheets = {value_text(names)}  # tables"
        form = replace(layout.form, sheet=None, sheets=("*",) if every else tuple(names))
        sheets += " with the same columns, whose rows are read below each other; their names are the column source"
        yield (
            None,
            stacked_table([table for _, table, _ in group], without_endings(names), file, None),
            replace(layout, form=form, lines=(*layout.lines, sheets)),
        )


_LONG_CELL = 2_000  # characters of a list or object that would stand again beside each element of another list


def _drop_long(table: Table, lists: Collection[str]) -> Table:
    """Return a table without long lists and objects beside those that are opened: they would fill the memory."""

    def is_long(name: str) -> bool:
        cells = table.first_cells(name, _LOOKED)
        are_lists = bool(cells) and all(cell.lstrip()[:1] in ("[", "{") for cell in cells)
        return are_lists and sum(map(len, cells)) > _LONG_CELL * len(cells)

    wanted = paths(list(lists))
    return _without(table, {name for name in table.cells if name not in wanted and is_long(name)})


_LOOKED = 20  # rows whose cells are measured


def _lists(data: bytes, file: Path) -> list[str]:
    """Return the lists in a JSON file that is one talk, or has talks by their names."""
    try:
        return lists_of_one(data, file) if file.suffix.lower() == ".json" else []
    except LogError:
        return []


def _read_list(
    table: Table, layout: Look, options: Asked, *lists: str, once: Sequence[str] = (), has_names: bool = False
) -> tuple[Table, Look]:
    """Return a table with a row for each element of its lists, or for each name in its objects."""
    is_each = lists[0].endswith(EACH)
    names = f"{lists[0]}.{KEY}" if has_names else None
    what = "a list: each of its elements is a row" if len(lists) == 1 else "lists of one length: each place is a row"
    if names is not None:
        what = f"each of the names in it is a row, and stands in {names}"
    if is_each:
        names = f"{lists[0].removesuffix(EACH)}.{KEY}"
        what = f"a list: each object in its elements is a row, whose name is {names}"
    lines = [f"rows = {value_text(one_or_list(lists))}  # {what}"]
    if once:
        why = 'is the same on each of these rows; for values of single members add a [[part]] with row = "player"'
        lines.append(f"rows_once = {value_text(once)}  # {why}")
    table, layout = plain_numbers(table, layout, options)
    form = replace(layout.form, rows=lists, rows_once=tuple(once))
    return table, replace(layout, form=form, lines=(*layout.lines, *lines), names=names, has_members=is_each)


def _drop_members(table: Table, lists: Sequence[str], once: Sequence[str]) -> Table:
    """Return a table without the columns that differ between the rows that share a list."""
    groups = [table.column(name) for name in once]
    others = [name for name in table.names if name not in (*lists, *once)]
    is_one = {name: table.column(name).groupby(groups).nunique().max() <= 1 for name in others if name in table.cells}
    return _without(table, [name for name in others if not is_one.get(name, False)])


def _patterns(source: Path, files: tuple[Path, ...], suffix: str, looked_at: list[Path]) -> tuple[str, ...]:
    """Return the fewest patterns that find these files and no others: for the tree, a folder, a beginning, each one.

    Files beyond those that were looked at count as none of the others: they are meant to be like these.
    """
    others = set(looked_at) - set(files)

    def fits(pattern: str, log_files: Iterable[Path]) -> bool:
        pattern_files = set(source.glob(pattern))
        return pattern_files.issuperset(log_files) and pattern_files.isdisjoint(others)

    whole = "**/" if any(file.parent != source for file in files) else ""
    alike = f"{whole}{name_pattern([file.stem for file in files])}{suffix}"
    for pattern in (f"{whole}*{suffix}", *((alike,) if len(files) > 1 else ())):
        if fits(pattern, files):
            return (pattern,)
    patterns: list[str] = []
    folders: dict[Path, list[Path]] = defaultdict(list)
    for file in files:
        folders[file.parent].append(file)
    for folder, files_in_folder in folders.items():
        place = f"{glob.escape(folder.relative_to(source).as_posix())}/".removeprefix("./")
        start = (
            commonpath([file.name for file in files_in_folder]) if len(files_in_folder) > 1 else files_in_folder[0].stem
        )
        start = start.rstrip("0123456789") if len(files_in_folder) > 1 else start
        candidates = (f"{place}*{suffix}", f"{place}{glob.escape(start)}*{suffix}")
        one = next((pattern for pattern in candidates if fits(pattern, files_in_folder)), None)
        patterns += [one] if one else [place + glob.escape(file.name) for file in files_in_folder]
    return tuple(patterns)
