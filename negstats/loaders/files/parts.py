"""How games in one file are distinguished, where they are objects of a JSON list or records of a table in text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from negstats.loaders.files.damaged import Parts
from negstats.loaders.files.delimited import layout, long_cells


def _split_items(data: bytes) -> list[msgspec.Raw]:
    """Return the items of a list as they are written; none where the file is not a list that can be read."""
    try:
        return msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []


def _place(data: bytes, row: int) -> frozenset[int]:
    return frozenset([row]) if 1 <= row <= len(_split_items(data)) else frozenset()


def _drop_rows(data: bytes, rows: frozenset[int]) -> bytes:
    records = [b"null" if row in rows else bytes(split_item) for row, split_item in enumerate(_split_items(data), 1)]
    return b"[" + b",".join(records) + b"]"


# A JSON list of games, whose rows are places in it: what is left out is null.
LISTED = Parts(_place, _drop_rows)


def recorded(joint: str = "", besides: Sequence[str] = (), *, needs: str = "", alone: bool = True) -> Parts:
    r"""Return how games are told apart in a table in text, whose first record is the header.

    Parameters
    ----------
    joint
        A pattern of columns: records with the same value in one of them are of one game.
    besides
        Columns that have to be equal too, where they are there.
    needs
        A column without which the records of a table are not games.
    alone
        Whether a record is a game where it has no value in columns of `joint`.

    Examples
    --------
    >>> parts = recorded("pair")
    >>> sorted(parts.rows(b"person,pair\na,1\nb,2\nc,1\n", 2))
    [2, 4]
    """
    columns = re.compile(joint) if joint else None

    def find_rows(data: bytes, row: int) -> frozenset[int]:
        return _select_record([cells for _, cells in _records(data)], row, columns, besides, needs, row_itself=alone)

    return Parts(find_rows, _drop_records)


Record: TypeAlias = tuple[str, list[str]]  # as it is written, and its cells; rows count records, blank ones too


def _select_record(
    records: Sequence[Sequence[str]],
    row: int,
    joint: re.Pattern[str] | None,
    further_columns: Sequence[str],
    needs: str,
    *,
    row_itself: bool,
) -> frozenset[int]:
    header = next((place for place, cells in enumerate(records) if cells and not _is_separator(cells)), len(records))
    if not header + 1 < row <= len(records) or not records[row - 1]:
        return frozenset()
    own, names = records[row - 1], [name.strip() for name in records[header]]
    cells_by_row = {place: cells for place, cells in enumerate(records[header + 1 :], header + 2) if cells}
    if needs and needs not in names:
        return frozenset()
    either = [place for place, name in enumerate(names) if joint is not None and joint.fullmatch(name)]
    # What all records have in common is not a game, but the one group of an app in which nobody meets.
    either = [place for place in either if len({_cell(cells, place) for cells in cells_by_row.values()} - {""}) > 1]
    all_of = [place for place, name in enumerate(names) if name in further_columns]

    def is_shared(cells: Sequence[str]) -> bool:
        if any(_cell(cells, place) != _cell(own, place) for place in all_of):
            return False
        return any(_cell(own, place) and _cell(cells, place) == _cell(own, place) for place in either)

    game_rows = {place for place, cells in cells_by_row.items() if is_shared(cells) or (row_itself and place == row)}
    return frozenset(game_rows) if len(game_rows) < len(cells_by_row) else frozenset()


def _is_separator(cells: Sequence[str]) -> bool:
    return bool(cells) and cells[0].casefold().startswith("sep=")


def _cell(cells: Sequence[str], place: int) -> str:
    return cells[place].strip() if place < len(cells) else ""


def _drop_records(data: bytes, rows: frozenset[int]) -> bytes:
    records = _records(data, "latin-1")  # which gives each byte back
    return "".join("\n" if row in rows else text for row, (text, _) in enumerate(records, 1)).encode("latin-1")


def _records(data: bytes, encoding: str = "utf-8-sig") -> list[Record]:
    """Return the records of a table; none where it is not a table."""
    text = data.decode(encoding, "replace")
    lines: list[str] = []

    def read_lines() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            lines.append(line)
            yield line

    delimiter, _ = layout(text)
    records: list[Record] = []
    n_lines_before = 0
    try:
        with long_cells():
            for cells in csv.reader(read_lines(), delimiter=delimiter):
                records.append(("".join(lines[n_lines_before:]), cells))
                n_lines_before = len(lines)
    except csv.Error:
        return []
    return records
