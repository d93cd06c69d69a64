"""Lists inside rows, such as the turns of a dialogue: each element becomes a row, with the other cells of its row."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pyarrow as pa

from negstats.errors import LogError, meant, shown
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.damaged import MOST_DAMAGED
from negstats.loaders.files.games_inside import is_list_of_objects
from negstats.loaders.files.literals import python_value
from negstats.loaders.files.objects import KEY, table_of_objects
from negstats.loaders.files.tabular import Table, joined
from negstats.loaders.files.transcripts import turns_in

NUMBER = "#"  # the column with an element's place in its list, as turns.#
EACH = ".*"  # behind the name of a list: the objects in each of its elements are the rows
_LOOKED = 20  # rows that are looked at for lists
_SEATS = 3  # elements of a list that may be one for each seat
_WORD, _FEWEST_WORDS = re.compile(r"[^\W\d_]{2}"), 3  # letters of a word, and words of a sentence
MOST_MEMBERS = 8  # rows on which the list of one group stands
_OF_OTREE = ("session.code", "subsession.round_number", "group.id_in_subsession")
_NUMBERS = re.compile(r"\s*-?[0-9]+(\.[0-9]+)?(\s*[;|]\s*-?[0-9]+(\.[0-9]+)?){2,}\s*")
_WORDS = re.compile(r"\s*[\w.+-]+(\s*[;|]\s*[\w.+-]*){2,}\s*")
_BARE = re.compile(r"\s*\[([^][{}\"':;]+)\]\s*")  # as a list is printed without quotation marks
_LONGEST = 2**20  # elements of one list, and characters of one that Python printed


def paths(lists: Sequence[str]) -> set[str]:
    """Return the names of columns with lists, and of those that may hold them.

    Examples
    --------
    >>> sorted(paths(["talk.turns.acts"]))
    ['talk', 'talk.turns', 'talk.turns.acts']
    """
    return {name[:end] for name in lists for end in (*(dot.start() for dot in re.finditer(r"\.", name)), len(name))}


def unlisted(table: Table, lists: Sequence[str], columns: Collection[str] | None, *, once: Sequence[str] = ()) -> Table:
    """Return a table with a row for each element of the lists in some columns.

    An element's values stand in columns called after the list, ``turns.speaker``; an element that is no object stands
    in ``turns`` itself, the elements of a list of lists in ``turns.1``, ``turns.2``. ``turns.#`` is its place, from 1.
    Where a file is one row, and its list one of lists of objects, each of these is the list of a row of its own.
    A row whose list is empty is no row. Lists of several columns stand side by side: the elements at one place are one
    row, and where one of them has no list at all its values are missing. The lists that hold others are opened first.
    An object that tells something of each of several names, as of those who played, is opened as a list is: the column
    ``players.key``, called after the first of the columns, holds the names, by which objects stand together. Of
    ``rounds.*`` each object in an element is a row, with its name in ``rounds.key`` and what stands beside it.

    Parameters
    ----------
    table
        With the lists as JSON, or as Python prints them.
    lists
        The columns with the lists; ``turns.acts`` may be a list of each element of ``turns``.
    columns
        The columns to keep; None keeps all.
    once
        Columns: rows that agree on all of them have one list, which stands on each and is read from the first.

    Raises
    ------
    LogError
        If there is no such column, more than a fifth of the cells are not lists (fewer are left out, see
        `Table.unread`), rows that should have one list differ, or lists side by side differ in length or stand inside
        different ones.
    """
    if once:
        table = _keep_first(table, lists, once)
    table = _parted(table, lists)
    has_names, lists = lists[0].endswith(EACH), [name.removesuffix(EACH) for name in lists]
    for column in lists:
        outer_list = _outer_list(table, column)
        if outer_list is not None:
            elsewhere = next((name for name in lists if not name.startswith(f"{outer_list}.")), None)
            if elsewhere is not None:
                reason = (
                    f"{shown(elsewhere)} and {shown(column)} are not side by side: only one is inside {outer_list!r}"
                )
                raise LogError(reason, file=table.file, column=column)
            inside = None if columns is None else {*columns, *paths(lists)}
            opened_table = unlisted(table, [outer_list], inside)
            if _outer_list(opened_table, column) != outer_list:
                opened = unlisted(opened_table, [f"{name}{EACH * has_names}" for name in lists], columns)
                return replace(opened, unread=opened_table.unread + opened.unread)
        if column not in table.cells:
            reason = f"there is no column with lists called {shown(column)}; {meant(column, table.names, 'it has')}"
            raise LogError(reason, file=table.file, column=column)
    elements, of, faults = _elements_of(table, lists)
    if has_names:
        elements, of = _by_keys(elements, of, lists[0])
    numbers = [int(table.rows[place]) for place in of]
    inner = table_of_objects(elements, numbers, table.file, columns)
    rows = pa.array(np.array(of, dtype=np.int64))
    # What stands inside an object has columns of its own already, one for each name.
    of_objects = tuple(f"{name}." for name in lists if f"{lists[0]}.{KEY}" in inner.names)
    names = [name for name in table.names if name not in (*lists, *inner.names) and not name.startswith(of_objects)]
    outer = {
        name: joined([table.cells[name]], numbers=True).take(rows)
        for name in names
        if name in table.cells and (columns is None or name in columns)
    }
    unread = tuple((int(fault.row or 0), f"{fault.column} is not a list") for fault in faults)
    return replace(table, names=[*names, *inner.names], cells=outer | inner.cells, rows=numbers, unread=unread)


def _parted(table: Table, lists: Sequence[str]) -> Table:
    """Return a table of one row whose list holds lists of objects as one with a row for each of these, from 1.

    What is a list of as many elements, such as what was decided in each talk, is parted with it.
    """
    cells = [table.column(name).iloc[0] for name in lists if name in table.cells] if len(table.rows) == 1 else []
    values = [parsed_cell(cell) for cell in cells if isinstance(cell, str)]
    if not values or not all(
        isinstance(value, list) and value and all(map(is_list_of_objects, value)) for value in values
    ):
        return table
    count = len(values[0])
    parted: dict[str, Texts] = {}
    for name in table.cells:
        cell = table.column(name).iloc[0]
        value = parsed_cell(cell) if isinstance(cell, str) and cell.lstrip().startswith("[") else None
        elements = value if isinstance(value, list) and len(value) == count else None
        texts = [cell if isinstance(cell, str) else None] * count if elements is None else list(map(_as_cell, elements))
        parted[name] = pa.array(texts, pa.large_string())
    return replace(table, cells=parted, rows=list(range(1, count + 1)))


def _as_cell(element: Any) -> str | None:
    """Return an element of a list as the text of a cell."""
    return element if element is None or isinstance(element, str) else orjson.dumps(element).decode()


class _NoListError(LogError):
    """A cell that should be a list and is none."""


def _elements_of(table: Table, lists: Sequence[str]) -> tuple[list[dict[str, Any]], list[int], list[_NoListError]]:
    """Return the values of each element, the places of the rows that they are of, and the cells that are no lists."""
    elements: list[dict[str, Any]] = []
    of: list[int] = []
    faults: list[_NoListError] = []
    for place, cells in enumerate(zip(*(table.column(name).astype(object) for name in lists), strict=True)):
        try:
            for values in _side_by_side(cells, table, place, lists):
                elements.append(values)
                of.append(place)
        except _NoListError as fault:
            faults.append(fault)
            if len(faults) > MOST_DAMAGED * len(table.rows):
                raise faults[0] from None
    if not elements:
        raise LogError("all lists are empty", file=table.file, column=lists[0])
    return elements, of, faults


def _keep_first(table: Table, lists: Sequence[str], once: Sequence[str]) -> Table:
    """Return the first row of each group that shares its lists; a row without a list is none of them."""
    for name in (*once, *lists):
        if name not in table.cells:
            reason = f"there is no column called {shown(name)}; {meant(name, table.names, 'it has')}"
            raise LogError(reason, file=table.file, column=name)
    groups = pd.DataFrame({name: table.column(name).fillna("") for name in once})
    cells = pd.DataFrame({name: table.column(name) for name in lists})
    has_list = cells.notna().any(axis=1).to_numpy()
    rows = np.flatnonzero(has_list)
    keys = groups[has_list].groupby(list(once), sort=False).ngroup().to_numpy()
    texts = cells[has_list].fillna("").agg("\n".join, axis=1)
    differs = (texts != texts.groupby(keys).transform("first")).to_numpy()
    if differs.any():
        row = int(table.rows[rows[int(differs.argmax())]])
        reason = f"another list than in an earlier row with the same {' and '.join(map(shown, once))} (rows_once)"
        raise LogError(reason, file=table.file, row=row, column=lists[0])
    first = rows[~pd.Series(keys).duplicated().to_numpy()]
    first_cells = {name: joined([column], numbers=True).take(pa.array(first)) for name, column in table.cells.items()}
    return replace(table, cells=first_cells, rows=[int(table.rows[row]) for row in first])


_DIFFERENT = 0.5  # of the groups have a list of their own


def find_owners(table: Table, lists: Sequence[str]) -> list[str]:
    """Return the columns that name what a list belongs to, where it stands word for word on several rows; else none.

    oTree repeats what a group has on the row of each of its members.
    """
    cells = pd.DataFrame({name: table.column(name) for name in lists})
    has_list = cells.notna().any(axis=1)
    texts = cells[has_list].fillna("").agg("\n".join, axis=1)
    if texts.nunique() > len(texts) / 2:
        return []
    of = {name: table.column(name)[has_list] for name in table.names if name in table.cells and name not in lists}
    of = {name: cells for name, cells in of.items() if not cells.str.match(r"\s*[\[{]").any()}  # lists name nothing

    def owns(key: list[str]) -> bool:
        groups = pd.DataFrame({name: of[name] for name in key})
        if groups.isna().any(axis=None):
            return False
        sizes = texts.groupby([groups[name] for name in key]).agg(["size", "nunique"])
        differ = texts.nunique() > _DIFFERENT * len(sizes)  # lists that are alike everywhere are nobody's own
        return bool(
            len(sizes) > 1 and differ and (sizes["nunique"] == 1).all() and sizes["size"].between(2, MOST_MEMBERS).all()
        )

    of_otree = [name for name in _OF_OTREE if name in of]
    keys = [of_otree, *([name] for name in of)] if len(of_otree) > 1 else [[name] for name in of]
    return next((key for key in keys if owns(key)), [])


def lists_in(table: Table) -> Iterator[str]:
    """Yield the columns whose cells are lists of several elements, or of one object each."""
    for name in table.cells:
        cells = table.first_cells(name, _LOOKED)
        parsed_cells = [parsed_cell(cell) for cell in cells if may_be_list(cell)]
        lists = [value for value in parsed_cells if isinstance(value, list)]
        are_lists = len(lists) > 0 and len(lists) >= (1 - MOST_DAMAGED) * len(cells)
        are_objects = all(isinstance(one, dict) for value in lists for one in value)
        if not are_lists or max(map(len, lists)) < 2 - are_objects:
            continue
        is_of_numbers = not any(isinstance(one, (dict, list, str)) for value in lists for one in value)
        lengths = set(map(len, lists))
        may_be_seats = len(lengths) == 1 and max(lengths) <= _SEATS  # short ones may be one for each seat
        if not is_of_numbers or not (may_be_seats or _is_same_everywhere(table, [name])):
            yield name


def parallel_lists(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield columns whose cells are lists, as long as each other's in each row; of these some may be bare words.

    Short lists of one length in all rows are none of these: they may hold a value of each seat. Where words of another
    list say whose these are, each place is a row.
    """
    names_by_lengths: dict[tuple[int, ...], list[str]] = {}
    with_words = set[str]()
    n_looked = min(_LOOKED, len(table.rows))
    for name in table.cells:
        cells = table.first_cells(name, _LOOKED)
        parsed_cells = [parsed_cell(cell) if may_be_list(cell) or _WORDS.fullmatch(cell) else None for cell in cells]
        lists = [value for value in parsed_cells if isinstance(value, list)]
        lengths = tuple(map(len, lists))
        if len(lists) == n_looked > 0:
            names_by_lengths.setdefault(lengths, []).append(name)
            if all(isinstance(element, str) for elements in lists for element in elements):
                with_words.add(name)
    for lengths, names in names_by_lengths.items():
        are_long = len(set(lengths)) > 1 or lengths[0] > _SEATS
        is_able = len(names) > 1 and (are_long or not with_words.isdisjoint(names))
        if is_able and not _is_same_everywhere(table, names):
            yield tuple(names)


def lists_of_members(table: Table, inside: str) -> tuple[str, ...]:
    """Return the columns inside a list that hold lists with a place for each of three or more; () without numbers.

    They are as long as each other in each element, and so long in all elements of one list: of a group, whoever did
    something in a round of it stands at one place in all of its rounds.
    """
    lengths: dict[tuple[int, ...], list[str]] = {}
    with_numbers = set[tuple[int, ...]]()
    rows = [int(row) for row in table.rows[:_LOOKED]]
    for name in (each for each in table.cells if each.startswith(f"{inside}.")):
        cells = [parsed_cell(cell) for cell in table.first_cells(name, _LOOKED) if may_be_list(cell)]
        lists = [cell for cell in cells if isinstance(cell, list)]
        sizes = tuple(map(len, lists))
        if len(sizes) == len(rows) and min(sizes) >= _SEATS and max(sizes) <= MOST_MEMBERS:
            lengths.setdefault(sizes, []).append(name)
            if any(isinstance(value, (int, float)) for value in lists[0]):
                with_numbers.add(sizes)
    able = (
        sizes for sizes in lengths if sizes in with_numbers and len({*zip(rows, sizes, strict=True)}) == len({*rows})
    )
    sizes_of_members = next(able, None)
    return () if sizes_of_members is None else tuple(lengths[sizes_of_members])


def _is_same_everywhere(table: Table, names: Sequence[str]) -> bool:
    """Whether columns hold the same in each of several rows: it was set, and never happened."""
    return len(table.rows) > 1 and not any(table.column(name).nunique() > 1 for name in names)


def _outer_list(table: Table, column: str) -> str | None:
    """Return the column whose lists have the lists of another inside; None if they stand in a column of their own."""
    if column in table.cells:
        return None
    outer_lists = [name for name in paths([column]) if name in table.cells]
    return max(outer_lists, key=len, default=None)


def _side_by_side(cells: Sequence[object], table: Table, place: int, lists: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the values at each place of the lists of a row."""
    elements_of = {
        name: _list(cell, table, place, name) for name, cell in zip(lists, cells, strict=True) if isinstance(cell, str)
    }
    named_elements = {name: of for name, of in elements_of.items() if isinstance(of, dict)}
    if len(named_elements) == len(elements_of):
        yield from _by_names(named_elements, f"{lists[0]}.{KEY}")
        return
    lengths = {name: len(elements) for name, elements in elements_of.items()}
    if named_elements:
        name = next(iter(named_elements))
        raise LogError("is an object beside lists", file=table.file, row=int(table.rows[place]), column=name)
    if len(set(lengths.values())) > 1:
        reason = f"the lists of one row differ in length ({', '.join(f'{n}: {k}' for n, k in lengths.items())})"
        raise LogError(reason, file=table.file, row=int(table.rows[place]), column=lists[0])
    for number, elements in enumerate(zip(*elements_of.values(), strict=True), start=1):
        values: dict[str, Any] = {f"{name}.{NUMBER}": number for name in elements_of}
        for name, element in zip(elements_of, elements, strict=True):
            values |= _name_values(element, name)
        yield values


def _by_names(objects: Mapping[str, dict[str, Any]], key: str) -> Iterator[dict[str, Any]]:
    """Yield what the objects of a row tell of each name, with the name itself in the column `key`."""
    for number, name in enumerate(dict.fromkeys(name for of in objects.values() for name in of), start=1):
        values: dict[str, Any] = {f"{column}.{NUMBER}": number for column in objects} | {key: name}
        for column, of in objects.items():
            values |= _name_values(of[name], column) if name in of else {}
        yield values


def _by_keys(
    elements: Sequence[dict[str, Any]], of: Sequence[int], name: str
) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the objects in elements of a list, each with its name and what stands beside it, and of which row it is.

    Examples
    --------
    >>> _by_keys([{"t.n": 1, "t.Ann": {"x": 3}, "t.Bo": {"x": 5}}], [7], "t")[0]
    [{'t.n': 1, 't.key': 'Ann', 't.x': 3}, {'t.n': 1, 't.key': 'Bo', 't.x': 5}]
    """
    rows, places = [], []
    texts = _texts_of_names(elements)
    for element, place in zip(elements, of, strict=True):
        named = {key: value for key, value in element.items() if value and (isinstance(value, dict) or key in texts)}
        beside = {key: value for key, value in element.items() if key not in texts and not isinstance(value, dict)}
        for key, value in named.items():
            rows.append(beside | {f"{name}.{KEY}": key.removeprefix(f"{name}."), **_name_values(value, name)})
            places.append(place)
    return rows, places


def _texts_of_names(elements: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the keys of texts, where some of these are sentences and elements hold no objects; else [].

    Whoever says a word or two in one file says more in others. A moment holds no word.

    Examples
    --------
    >>> _texts_of_names([{"n": 1, "at": "2026-01-01T10:00Z", "pro": "I say we do it", "con": "No."}])
    ['pro', 'con']
    """
    values = [(key, value) for element in elements for key, value in element.items()]
    texts = [(key, value) for key, value in values if isinstance(value, str) and _WORD.search(value)]
    if any(isinstance(value, dict) for _, value in values):
        return []
    has_sentences = any(len(text.split()) >= _FEWEST_WORDS for _, text in texts)
    return list(dict.fromkeys(key for key, _ in texts)) if has_sentences else []


def names_in_elements(table: Table, name: str) -> bool:
    """Whether the elements of a list hold objects of one kind under the names of those who act.

    Some elements lack one of a few names, since whoever does something in a round tells there what that was; or there
    are three or more, and no word beside them says who acts. Where two have all, sides stand beside each other.
    """
    cells = [parsed_cell(cell) for cell in table.first_cells(name, _LOOKED)]
    elements = [each for cell in cells if isinstance(cell, list) for each in cell if isinstance(each, dict)]
    objects = [{key: value for key, value in each.items() if isinstance(value, dict)} for each in elements]
    values = [value for each in objects for value in each.values()]
    if not all(objects) or not all(values) or not values or not set.intersection(*map(set, values)):
        return False
    names = {key for each in objects for key in each}
    if max(map(len, objects)) > MOST_MEMBERS or len(names) < 2:
        return False
    words = [value for each in elements for value in each.values() if isinstance(value, str)]
    is_nobody_named = 2 * len(set(words)) > len(words) or not words
    if len(names) <= MOST_MEMBERS and any(len(each) < len(names) for each in objects):
        return True
    return min(map(len, objects)) >= _SEATS and is_nobody_named and _differ_more_inside(objects)


def _differ_more_inside(objects: Sequence[dict[str, dict[str, Any]]]) -> bool:
    """Whether values differ more between the keys inside objects than between the names of these.

    What is told differs in kind and size; those of whom the same is told are alike.
    """
    cells = [(name, key, value) for each in objects for name, of in each.items() for key, value in of.items()]
    kinds = [{(place[at], isinstance(place[2], str)) for place in cells} for at in (0, 1)]
    mixed = [len(of) > len({name for name, _ in of}) for of in kinds]
    if any(mixed):
        return mixed == [True, False]
    frame = pd.DataFrame(cells, columns=["name", "key", "value"])
    frame["value"] = pd.to_numeric(frame["value"], errors="coerce")
    spread = [frame.groupby(by)["value"].mean().std() for by in ("name", "key")]
    return bool(spread[1] > spread[0])


def _name_values(element: Any, column: str) -> dict[str, Any]:
    """Return an element's values under the names of their columns."""
    match element:
        case dict():
            return {f"{column}.{key}": value for key, value in element.items()}
        case list():
            return {f"{column}.{place}": value for place, value in enumerate(element, start=1)}
    return {column: element}


def _list(cell: str, table: Table, place: int, column: str) -> list[Any] | dict[str, Any]:
    values = parsed_cell(cell)
    if isinstance(values, (list, dict)) and len(values) <= _LONGEST:
        return values
    raise _NoListError(f"{shown(cell)} is not a list", file=table.file, row=int(table.rows[place]), column=column)


def may_be_list(cell: str) -> bool:
    """Whether a cell begins as a list does, holds turns of a talk, or numbers with semicolons or bars between them."""
    return cell.lstrip().startswith("[") or _NUMBERS.fullmatch(cell) is not None or bool(turns_in(cell))


def parsed_cell(cell: str) -> Any:
    """Return what a cell says as JSON, as Python prints lists or without quotation marks, or as lines of a talk.

    It is None if it is none of these.

    Examples
    --------
    >>> parsed_cell('["a", 2]'), parsed_cell("[low, high]"), parsed_cell("[ 3  5 10]"), parsed_cell("3;5;10")
    (['a', 2], ['low', 'high'], ['3', '5', '10'], ['3', '5', '10'])
    """
    try:
        return orjson.loads(cell)
    except orjson.JSONDecodeError:
        pass
    try:
        return python_value(cell, file=Path(), row=None, column="", longest=_LONGEST)
    except LogError:
        pass
    if _WORDS.fullmatch(cell):
        return re.split(r"\s*[;|]\s*", cell.strip())
    if turns := turns_in(cell):
        return turns
    bare = _BARE.fullmatch(cell)
    return None if bare is None else re.split(r"\s*,\s*" if "," in cell else r"\s+", bare[1].strip())
