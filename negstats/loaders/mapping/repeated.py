"""Columns that stand in a log once for each round or game of a row, told apart by a number or word in their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from negstats.loaders.files.tabular import Table, joined
from negstats.loaders.mapping.conditions_in_names import find_conditions
from negstats.loaders.mapping.sides import told_apart
from negstats.loaders.mapping.words import MARK, english, plain

_LEAST = 3  # stems that must repeat alike; two where their names say that these are rounds
_ROUNDS = re.compile(r"((round|trial|period|runde|ronda|game)[ _.]?|(^|[ _.])(r|t|rd|rnd))\{round\}", re.IGNORECASE)
_COUNTER = re.compile(r"(.*_)?(period|round|trial)(_?(number|no|nr|id))?")
_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,3}(?![0-9])")


def unfolded(table: Table) -> tuple[Table, list[int | str], str | None]:
    """Return a log with a row for each round or condition, and these; the log itself if no columns repeat in one way.

    A column is called by its stem, ``ug.{round}.offer`` for ``ug.1.offer`` and ``ug.2.offer``, and one called
    ``{round}`` holds the number. Rows in which nothing stands for a round are left away; then the third thing is a
    column that all the others have something in.
    """
    stems: dict[str, dict[int, str]] = defaultdict(dict)
    for name in table.names:
        if (number_match := _NUMBER.search(name)) and name in table.cells:
            stems[name[: number_match.start()] + MARK + name[number_match.end() :]][int(number_match[0])] = name
    families: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for stem, of in stems.items():
        if len(of) > 1:
            families[tuple(sorted(of))].append(stem)
    alike = [
        (numbers, names)
        for numbers, names in families.items()
        if len(names) >= (_LEAST - 1 if all(map(_ROUNDS.search, names)) else _LEAST)
        and not (numbers == (1, 2) and told_apart(name.replace(MARK, " ") for name in names))
    ]
    if any(_counts_rounds(table, name) for name in table.names):
        return table, [], None
    if len(alike) == 1:
        numbers, names = alike[0]
        return _unfold(table, numbers, {stem: [stems[stem][number] for number in numbers] for stem in names})
    words, columns = find_conditions(table) if not alike else ([], {})
    return _unfold(table, words, columns) if words else (table, [], None)


def _unfold(
    table: Table, marks: Sequence[int | str], columns: Mapping[str, Sequence[str]]
) -> tuple[Table, list[int | str], str | None]:
    """Return a log with a row for each mark, where `columns` are those of each stem in the order of the marks."""
    names, repeated_names = list(columns), {name for of in columns.values() for name in of}
    app_pattern = re.compile(r".*\.[0-9]+\..*")  # of another app: what stands once there is nothing of these rounds
    others = [
        name
        for name in table.names
        if name not in repeated_names and name in table.cells and not app_pattern.fullmatch(name)
    ]
    size = len(table.rows)
    cells = {stem: joined([table.cells[name] for name in of]) for stem, of in columns.items()}
    cells |= {name: joined([table.cells[name]] * len(marks)) for name in others}
    cells[MARK] = pa.array([str(mark) for mark in marks for _ in range(size)], pa.large_string())
    long_table = replace(table, names=[*names, MARK, *others], cells=cells, rows=list(table.rows) * len(marks))
    is_filled = pa.array(~_empty(long_table, names))
    filled_cells = {name: column.filter(is_filled) for name, column in cells.items()}
    rows = [row for row, row_filled in zip(long_table.rows, is_filled.to_pylist(), strict=True) if row_filled]
    filled_table = replace(long_table, cells=filled_cells, rows=rows)
    full = (name for name in names if filled_table.column(name).notna().all())
    return filled_table, list(marks), next(full, None) if len(rows) < len(long_table.rows) else None


def _counts_rounds(table: Table, name: str) -> bool:
    """Whether a column numbers the rounds, one a row: columns with numbers are then of partners or items."""
    if not _COUNTER.fullmatch(english(plain(name))) or name not in table.cells:
        return False
    values = table.column(name).dropna()
    return bool(values.str.fullmatch(r"[0-9]{1,4}(\.0)?").all()) and 1 < values.nunique() < len(values)


def _empty(table: Table, names: list[str]) -> npt.NDArray[np.bool_]:
    empty = table.column(names[0]).isna()
    for name in names[1:]:
        empty &= table.column(name).isna()
    return empty.to_numpy(dtype=bool)
