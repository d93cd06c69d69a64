"""Columns that some of the files lack, and columns that no key reads: these are named.

One that no key reads and that seems to say who took part is recorded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from negstats.errors import LogError, meant, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.stacks import padded
from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.model import Mapping, Part
from negstats.sanitize import first_few
from negstats.studies.identifiers import kind_of_column, words_of

_PEOPLE = ("ids", "e-mail addresses", "names of people")
# Ids of other things than people.
_OTHERS = {"session", "game", "round", "trial", "group", "dyad", "pair", "item", "offer", "question", "run", "batch"}
_LARGEST = 2**26  # bytes of the files that are read once more, whole
_LONGEST = 254  # characters of an address: what is longer names nobody


def with_all_columns(part: Part, tables: list[Table], mapping: Mapping, intake: Intake) -> list[Table]:
    """Return the tables of a part with empty columns for those that it says some files lack; the files are counted.

    A file without rows may lack any column: nothing is lost.
    """
    with_rows = [table for table in tables if len(table.rows)] or tables
    for name in sorted(part.in_some_files):
        count = sum(name in table.names for table in with_rows)
        if not count:
            hint = meant(name, with_rows[0].names, "they have")
            raise LogError(f"in_some_files: no file has the column {shown(name)}; {hint}", file=mapping.file)
        if count < len(with_rows):
            intake.notes.append(f"{count} of {len(with_rows)} files have the column {name}; in the others it is empty")
    return [padded(table, part.in_some_files) for table in with_rows] if part.in_some_files else with_rows


def record_unread_columns(parts: Sequence[Part], names: Sequence[Iterable[str]], intake: Intake) -> None:
    """Record the columns that their part does not read, where `names` are those of the tables of each part.

    A column may be called as one of another table that is read: it is named all the same, for it may say something
    else.
    """
    if any(part.accept_at for part in parts):
        return  # columns that are known by how they begin
    tables: dict[tuple[object, ...], tuple[set[str], dict[str, None]]] = {}  # a table may be read by several parts
    for part, of_part in zip(parts, names, strict=True):
        read, all_names = tables.setdefault((part.files, part.form.sheet, part.form.sheets), (set(), {}))
        read |= {*part.columns}
        all_names |= dict.fromkeys(of_part)
    unread: dict[str, None] = {}
    for read, all_names in tables.values():
        whole = tuple(f"{name}." for name in read)
        others = (name for name in all_names if name not in read and not name.endswith(".#"))
        unread |= {name: None for name in others if not name.startswith(whole) and not _is_opened(name, read)}
    if unread:
        intake.record("columns_unread", count=len(unread), values=(first_few(list(unread), 8),))


def _is_opened(name: str, read: Iterable[str]) -> bool:
    """Whether parts of a column of lists or objects are read."""
    return any(each.startswith(f"{name}.") for each in read)


def record_unread_people(part: Part, files: Sequence[Path], intake: Intake) -> None:
    """Record the first column that no key reads, that is called or looks like people's ids, and repeats over games."""
    smallest = sorted(files, key=lambda file: (file.stat().st_size, file))
    sizes = itertools.accumulate(file.stat().st_size for file in smallest)
    read = sorted(file for file, size in zip(smallest, sizes, strict=True) if size <= _LARGEST)
    tables = [read_table(intake.read(file), file, part.form) for file in read]
    wanted = part.columns
    game_source = part.sections["games"].get("game_id")
    game_column = None if game_source is None else game_source.column
    for name in dict.fromkeys(name for table in tables for name in table.cells):
        if name in wanted or set(words_of(name)) & _OTHERS:
            continue
        having = [table for table in tables if name in table.cells]
        if any(len(cell) > _LONGEST for cell in having[0].first_cells(name, 1)):
            continue
        values = _below_each_other(having, name)
        if kind_of_column(name, values, unique_is_an_id=False) not in _PEOPLE:
            continue
        has_games = all(game_column in table.cells for table in having)
        games = _below_each_other(having, str(game_column)) if has_games else values.index.to_series()
        each = games.groupby(values).nunique()
        n_repeated = int(each[each > 1].sum())
        if n_repeated and each.median() > 1:
            n_games = int(games.nunique())
            intake.record("people_unread", name, min(n_repeated, n_games), n_games)
            return


def _below_each_other(tables: Sequence[Table], name: str) -> pd.Series:
    return pd.concat([table.column(name) for table in tables], ignore_index=True)
