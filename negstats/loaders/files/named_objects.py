"""Objects inside rows whose keys are names: of those who played a game, and not of what is told of it.

``{"Ann": 3, "Bob": 5}`` tells one thing of each of two people, ``{"offer": 3, "accepted": true}`` tells two things.
What is told of people is of one kind for all of them, and they are others from game to game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from negstats.loaders.files.lists import parsed_cell
from negstats.loaders.files.objects import KEY
from negstats.loaders.files.tabular import Table

Objects: TypeAlias = list[dict[str, Any]]  # one of each row

_LOOKED = 20  # rows that are looked at
_FEWEST_ROWS = 3
_FEWEST_NAMES = 2  # of a row
_MOSTLY = 0.8  # of the rows
_OFTEN = 0.5  # of the rows in which a name stands, where rows have more names and fewer
_LONGEST_WORD = 40  # characters


def objects_by_names(table: Table, inside: str | None = None) -> Iterator[tuple[str, ...]]:
    """Yield columns with objects whose keys are names, those of the same names together.

    One game alone does not show whether others take part in other games: of a table of a few rows these may be names.
    So may those of three or more be in the elements of a list, `inside` which no word says who acts.

    Examples
    --------
    >>> from pathlib import Path
    >>> from negstats.loaders.files.objects import table_of_objects
    >>> games = [{"got": {"Ann": 3, "Bob": 5}}, {"got": {"Bob": 4, "Cid": 4}}, {"got": {"Ann": 6, "Cid": 2}}]
    >>> list(objects_by_names(table_of_objects(games, [1, 2, 3], Path("log.json"), None)))
    [('got',)]
    """
    by_names: dict[tuple[frozenset[str], ...], list[str]] = {}
    outer_names: list[str] = []
    for name in table.names:
        if name not in table.cells or name.startswith(tuple(f"{outer}." for outer in outer_names)):
            continue
        objects = _objects_in(table, name)
        are_keys_names = are_names if has_several_rows(table) else _are_several
        if inside is not None and not name.startswith(f"{inside}."):
            continue
        if inside is not None and not _says_who_acts(table, inside):
            are_keys_names = _are_members
        if objects and _are_of_one_kind(objects) and are_keys_names([list(each) for each in objects]):
            outer_names.append(name)
            by_names.setdefault(tuple(map(frozenset, objects)), []).append(name)
    yield from map(tuple, by_names.values())


def has_several_rows(table: Table) -> bool:
    """Whether the rows of a table tell which keys of its objects are names."""
    return len(table.rows) >= _FEWEST_ROWS


def _objects_in(table: Table, name: str) -> Objects:
    """Return the objects in the first cells of a column; [] if it holds anything else."""
    cells = table.first_cells(name, _LOOKED)
    values = [parsed_cell(cell) if cell.lstrip()[:1] == "{" else None for cell in cells]
    objects = [value for value in values if isinstance(value, dict)]
    return objects if len(objects) == len(values) else []


def _are_of_one_kind(objects: Objects) -> bool:
    """Whether the same is told under each key: numbers, short words, or objects that have a key in common."""
    values = [value for each in objects for value in each.values() if value is not None]
    if all(isinstance(value, dict) for value in values):
        return bool(values) and KEY not in values[0] and bool(set(values[0]).intersection(*values[1:]))
    if all(isinstance(value, str) and len(value) <= _LONGEST_WORD for value in values):
        return True
    return all(isinstance(value, bool) for value in values) or all(
        isinstance(value, (int, float)) and not isinstance(value, bool) for value in values
    )


def are_names(keys: Sequence[Sequence[str]]) -> bool:
    """Whether the keys of each row's object are names of those who take part, of whom others take part in other rows.

    Where all rows have as many keys it suffices that these differ. Where one thing more or less is told of a row, most
    rows have most keys; but each of many people is in a few games.

    Examples
    --------
    >>> are_names([["a", "b"], ["b", "c"], ["a", "c"]]), are_names([["offer", "reply"], ["offer"], ["offer", "reply"]])
    (True, False)
    """
    counts = Counter(key for of in keys for key in of)
    if len(keys) < _FEWEST_ROWS or not _are_several(keys) or len(counts) <= max(map(len, keys)):
        return False
    return len(set(map(len, keys))) == 1 or max(counts.values()) <= _OFTEN * len(keys)


def _are_members(keys: Sequence[Sequence[str]]) -> bool:
    """Whether each row tells something of three or more, or of others than the rows before it."""
    return all(len(of) > _FEWEST_NAMES for of in keys) or are_names(keys)


def _says_who_acts(table: Table, inside: str) -> bool:
    """Whether a column of words that come again stands in the elements of a list."""
    for name in (each for each in table.cells if each.startswith(f"{inside}.")):
        cells = table.first_cells(name, _LOOKED)
        are_words = all(cell[:1].isalpha() and len(cell) <= _LONGEST_WORD for cell in cells)
        if cells and are_words and len(set(cells)) <= _OFTEN * len(cells):
            return True
    return False


def _are_several(keys: Sequence[Sequence[str]]) -> bool:
    """Whether nearly every row has several keys."""
    return sum(len(of) >= _FEWEST_NAMES for of in keys) >= _MOSTLY * len(keys)
