"""JSON and JSON Lines as columns of text: a row is an object, and the values in objects inside it have columns too.

jiter reads, and refuses a key that stands twice. What it refuses is read again by Python's own parser, which tells
where the fault is, and takes NaN as a missing value.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import jiter
import pyarrow as pa
import pyarrow.compute as pc

from negstats.english import english_name, plain_name
from negstats.errors import LogError, nearest, shown
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.damaged import rows_left_out
from negstats.loaders.files.delimited import decoded, utf8, utf8_later
from negstats.loaders.files.games_inside import games_inside, is_list_of_objects, told_once, with_told
from negstats.loaders.files.tabular import MOST_COLUMNS, Form, Table, cell_text, of_one_type, text_column

DEEPEST = 8  # levels of JSON objects inside each other whose values get columns of their own
MOST_UNKNOWN = 100  # keys that are compared with one that is wanted
AT_ONCE = 2**20  # bytes of lines whose objects are in memory together


def read_json(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:
    """Read a list of objects, or one under a key of an object."""
    content = _trusted(data) if _is_utf8(form) else None
    if content is None and _has_objects_in_lines(data):
        return read_json_lines(data, file, form, columns)
    if content is None:
        content = parsed(decoded(data, file, form.encoding), file)
    if isinstance(content, dict):
        content = _lists_of_numbers(games_inside(content))
        content = _unwrap_one(content, form.rows[0]) if form.sheet is None and form.rows else content
    content = _find_rows(content, file, form.sheet)
    if not isinstance(content, list):
        raise LogError(f"holds {shown(content)}, not a list of objects with one row each", file=file)
    batch = _Batch(file, columns)
    batch.add(content, range(1, len(content) + 1))
    return batch.table()


def _has_objects_in_lines(data: bytes) -> bool:
    """Whether a file that is called JSON has one object a line: its first line is one, and another follows."""
    first_line, _, others = data.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    try:
        return others.lstrip()[:1] == b"{" and isinstance(jiter.from_json(first_line), dict)
    except ValueError:
        return False


def json_line_pieces(
    blocks: Iterable[bytes], file: Path, form: Form, columns: Collection[str] | None
) -> Iterator[Table]:
    """Yield a file with one object a line as tables of some of its lines, each with all columns so far."""
    batch, row = _Batch(file, columns), 1
    for place, block in enumerate(blocks):
        plain = utf8(block, file, form.encoding) if place == 0 else utf8_later(block, file, row)
        _add_lines(batch, plain, row)
        row += plain.count(b"\n")
        if batch.names:
            yield batch.table()
        batch.cells, batch.sizes, batch.rows = {}, [], []
    if not batch.names:
        raise LogError("has no rows", file=file)


def read_json_lines(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:
    """Read a file with one object a line."""
    batch = _Batch(file, columns)
    _add_lines(batch, utf8(data, file, form.encoding), 1)
    return batch.table()


def json_object(data: bytes, file: Path) -> dict[str, Any]:
    """Read a file that holds one object; raises LogError if it does not, or a key occurs twice in an object."""
    content = json_whole(data, file)
    if not isinstance(content, dict):
        raise LogError(f"holds {shown(content)}, not one JSON object", file=file)
    return content


def json_places(data: bytes, file: Path) -> list[tuple[int, dict[str, Any]]]:
    """Read a file that holds a list of objects: each with its place, from 1, but those that are left out.

    Raises
    ------
    LogError
        As `json_object` does, with the place in the list.
    """
    content = json_whole(data, file)
    if not isinstance(content, list):
        raise LogError(f"holds {shown(content)}, not a list of JSON objects", file=file)
    rows_out = rows_left_out(file)
    for place, part in enumerate(content, 1):
        if not isinstance(part, dict) and place not in rows_out:
            raise LogError(f"{shown(part)} is not a JSON object", file=file, row=place)
    return [(place, part) for place, part in enumerate(content, 1) if place not in rows_out]


def json_whole(data: bytes, file: Path) -> Any:
    """Read a file that holds one value of JSON; raises LogError if it does not, or a key occurs twice in an object."""
    content = _trusted(data)
    return parsed(decoded(data, file, "utf-8"), file) if content is None else content


def _add_lines(batch: _Batch, data: bytes, row: int) -> None:
    """Take lines, the first of which is `row`."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + AT_ONCE) + 1 or len(data)
        row += _add_objects(batch, data[start:end], row)
        start = end


def _add_objects(batch: _Batch, data: bytes, first: int) -> int:
    """Take the objects in lines, the first of which is the row `first`, and return how many lines there are."""
    file, lines = batch.file, io.BytesIO(data).readlines()
    rows: Sequence[int] = range(first, first + len(lines))
    size = len(lines)
    if any(map(bytes.isspace, lines)):
        rows = [row for row, line in zip(rows, lines, strict=True) if not line.isspace()]
        lines = [line for line in lines if not line.isspace()]
    content = [_line(line, file, row) for row, line in zip(rows, lines, strict=True)]
    batch.add(content, rows, flat=data.count(b"{") == len(lines))
    return size


def _is_utf8(form: Form) -> bool:
    return codecs.lookup(form.encoding).name == "utf-8"


def _trusted(data: bytes) -> Any:
    """Return JSON in which there is no fault, else None."""
    try:
        return strict_json(data.removeprefix(codecs.BOM_UTF8))
    except ValueError:
        return None


def strict_json(data: bytes) -> Any:
    """Parse JSON; ValueError if a key occurs twice in one object, a number is none of JSON, or it is not JSON."""
    return jiter.from_json(data, catch_duplicate_keys=True, allow_inf_nan=False)


def _line(line: bytes, file: Path, row: int) -> Any:
    try:
        return strict_json(line)
    except ValueError:
        return parsed(line.decode().rstrip("\n"), file, row)


def parsed(text: str, file: Path, row: int | None = None) -> Any:
    """Parse JSON with care: a key may not stand twice in one object; NaN is a missing value."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=lambda name: None if name == "NaN" else name)
    except json.JSONDecodeError as error:
        raise LogError(f"is not JSON: {error.msg}; is the file cut?", file=file, row=row or error.lineno) from None
    except RecursionError:
        raise LogError("is nested too deeply to be a log", file=file, row=row) from None
    except ValueError as error:  # a key twice; a whole number of thousands of digits
        raise LogError(str(error), file=file, row=row) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"an object has the key {shown(twice)} twice")
    return content


KEY = "key"  # the column with the names of objects, where a file holds them by these


def _unwrap_one(content: dict[str, Any], rows: str) -> object:
    """Return the objects of a file whose rows hold lists: the file is one, or they stand there by their names."""
    first = rows.split(".")[0]
    if first in content:
        return [content]
    values = list(content.values())
    objects = [value for value in values if isinstance(value, dict)]
    if objects and len(objects) == len(values) <= 2 * sum(first in value for value in objects):
        return _with_names(dict(zip(content, objects, strict=True)))
    return content


_COUNTED = re.compile(r"(.*?)[ _.-]?([0-9]+)")  # a word and a number, as of a round
_SHORTEST_WORD = 3  # letters of a word that says what is counted
_ORDERS = frozenset({"round", "period", "trial", "turn", "step"})


def _counted(names: Iterable[str]) -> tuple[str, list[int]]:
    """Return the word of names that count on from 0 or 1, and their numbers; no numbers if they do not.

    Examples
    --------
    >>> _counted(["round_0", "round_1"]), _counted(["1", "2", "3"]), _counted(["Ann", "Bo"])
    (('round', [0, 1]), ('', [1, 2, 3]), ('', []))
    """
    matches = [_COUNTED.fullmatch(name) for name in names]
    words = {match[1] for match in matches if match is not None}
    numbers = [int(match[2]) for match in matches if match is not None]
    is_counted = bool(numbers) and len(words) == 1 and len(numbers) == len(matches) and min(numbers) in (0, 1)
    if not is_counted or sorted(numbers) != [*range(min(numbers), min(numbers) + len(numbers))]:
        return "", []
    return words.pop(), numbers


def _with_names(objects: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return objects that stand under names, each with its name.

    Names that count on are of what their word says, as of games; of rounds they are numbers. What says so itself is not
    named again.

    Examples
    --------
    >>> _with_names({"s1": {"offer": 3}, "s7": {"offer": 5}})[0], _with_names({"round_1": {"offer": 3}})
    ({'key': 's1', 'offer': 3}, [{'round': 1, 'offer': 3}])
    """
    word, numbers = _counted(objects)
    if word and [value.get(word) for value in objects.values()] == numbers:
        return [*objects.values()]
    if len(word) < _SHORTEST_WORD or any(word in value for value in objects.values()):
        return [{KEY: name, **value} for name, value in objects.items()]
    names = numbers if english_name(plain_name(word)) in _ORDERS else [*objects]
    return [{word: name, **value} for name, value in zip(names, objects.values(), strict=True)]


def lists_of_one(data: bytes, file: Path) -> list[str]:
    """Return the keys of lists in a file that is one object with more than that; else [].

    Lists of lists of objects hold several talks, whatever else is there.
    """
    content = json_whole(data, file)
    if not isinstance(content, dict):
        return []
    content = _lists_of_numbers(games_inside(content))
    keys = [key for key, value in content.items() if isinstance(value, list) and len(value) > 1]
    return keys if len(content) - len(keys) > 1 else [key for key in keys if all(map(is_list_of_objects, content[key]))]


def _find_rows(content: object, file: Path, key: str | None) -> object:
    """Return the rows of a file: a list, one under a key, objects by their names, or a list for each column or row."""
    if isinstance(content, list):
        return _unwrap_names(content) or _name_cells(content[0] if content else None, content[1:]) or content
    if not isinstance(content, dict):
        return content
    has_rows = any(isinstance(value, list) and value and isinstance(value[0], dict) for value in content.values())
    if key is None and not has_rows:
        rows = _transpose(content) or _unwrap_names([content]) or _join_names(content) or _take_as_row(content)
        if rows:
            return rows
    return _find_under_key(content, file, key)


_FEWEST_NAMED = 3  # objects under names of their own, from which on these names are taken for those of rows


def _lists_of_numbers(content: dict[str, Any], *, of_file: bool = True) -> dict[str, Any]:
    """Return an object in which objects that stand under numbers that count on are lists of these.

    Numbers count on that are called rounds, be it in their names or in that of what holds them, and stay beside what is
    told of each. In the one object of a file three others do so as well; in that of a row they may be seats.

    Examples
    --------
    >>> _lists_of_numbers({"talk": {"1": {"by": "a"}, "2": {"by": "b"}, "3": {"by": "a"}}, "arm": {"1": "hot"}})
    {'talk': [{'by': 'a'}, {'by': 'b'}, {'by': 'a'}], 'arm': {'1': 'hot'}}
    >>> _lists_of_numbers({"log": {"round_1": {"Ann": 3}, "round_2": {"Bo": 5}}, "of": {"p_1": {"a": 3}}})
    {'log': [{'round': 1, 'Ann': 3}, {'round': 2, 'Bo': 5}], 'of': {'p_1': {'a': 3}}}
    """

    def in_order(name: str, value: object) -> object:
        if not isinstance(value, dict) or not is_list_of_objects([*value.values()]):
            return value
        word, numbers = _counted(value)
        called = word or name.removesuffix("s")
        rows = [of for _, of in sorted(zip(numbers, value.values(), strict=False), key=itemgetter(0))]
        if numbers and english_name(plain_name(called)) in _ORDERS:
            return [{called: number, **of} for number, of in zip(sorted(numbers), rows, strict=True)]
        are_others = of_file and not word and len(numbers) >= _FEWEST_NAMED
        return rows if are_others and set.intersection(*map(set, rows)) else value

    return {name: in_order(name, value) for name, value in content.items()}


def _unwrap_names(content: Sequence[object]) -> list[dict[str, Any]]:
    """Return objects that stand under names of their own, each with its name; [] if the names are those of columns.

    Examples
    --------
    >>> _unwrap_names([{"s1": {"offer": 3}}, {"s2": {"offer": 5}, "s3": {"offer": 4}}])[0]
    {'key': 's1', 'offer': 3}
    >>> _unwrap_names([{"buyer": {"points": 3}}, {"buyer": {"points": 5}}, {"buyer": {"points": 4}}])
    []
    """
    if not all(isinstance(record, dict) for record in content):
        return []
    named = [pair for record in content if isinstance(record, dict) for pair in record.items()]
    objects = {name: value for name, value in named if isinstance(value, dict)}
    if not objects or len(objects) < len(named) or not set.intersection(*map(set, objects.values())):
        return []
    fewest = 1 if len(content) == 1 and _counted(objects)[0] else _FEWEST_NAMED
    return _with_names(objects) if len(objects) >= fewest else []


def _transpose(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of an object with a list, or an object of numbered rows, for each column; [] if it is none.

    Examples
    --------
    >>> _transpose({"offer": [3, 5], "accepted": [False, True]})
    [{'offer': 3, 'accepted': False}, {'offer': 5, 'accepted': True}]
    >>> _transpose({"offer": {"0": 3, "1": 5}, "accepted": {"0": 0, "1": 1}})[1]
    {'offer': 5, 'accepted': 1}
    """
    columns = list(content.values())
    if len(columns) < 2:
        return []
    if all(isinstance(column, dict) for column in columns):
        numbers = list(columns[0])
        if len(numbers) < 2 or any(list(column) != numbers for column in columns):
            return []
        if not all(number.isdigit() for number in numbers) or any(isinstance(v, dict) for v in columns[0].values()):
            return []
        columns = [list(column.values()) for column in columns]
    if not all(isinstance(column, list) for column in columns) or len(columns[0]) < 2:
        return []
    if any(len(column) != len(columns[0]) for column in columns):
        return []
    return [dict(zip(content, cells, strict=True)) for cells in zip(*columns, strict=True)]


_FEWEST_VALUES = 3  # of an object that is one row


def _take_as_row(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an object that tells several things of one game as its row; [] if it holds lists, or too little.

    Examples
    --------
    >>> _take_as_row({"game": 7, "arm": "hot", "payoffs": {"Ann": 3, "Bob": 5}})[0]["arm"]
    'hot'
    """
    plain = [value for value in content.values() if not isinstance(value, (dict, list))]
    has_lists = any(isinstance(value, list) for value in content.values())
    return [content] if plain and not has_lists and len(content) >= _FEWEST_VALUES else []


def _join_names(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of an object with a list of lists, and one of their names beside it; [] if it is none.

    Examples
    --------
    >>> _join_names({"columns": ["pair", "offer"], "index": [0, 1], "data": [["a", 3], ["b", 5]]})
    [{'pair': 'a', 'offer': 3}, {'pair': 'b', 'offer': 5}]
    """
    lists = [value for value in content.values() if isinstance(value, list) and value]
    rows = [value for value in lists if all(isinstance(row, list) for row in value)]
    if len(rows) != 1:
        return []
    named = (_name_cells(names, rows[0]) for names in lists if names is not rows[0])
    return next(filter(None, named), []) or _name_cells(rows[0][0], rows[0][1:])


def _name_cells(names: object, rows: Sequence[object]) -> list[dict[str, Any]]:
    """Return rows that are lists as objects; [] unless there is a different text for each of their cells."""
    if not isinstance(names, list) or not names or not rows or len(set(map(str, names))) < len(names):
        return []
    if not all(isinstance(name, str) for name in names):
        return []
    cells = [row for row in rows if isinstance(row, list) and len(row) == len(names)]
    are_data = any(not isinstance(cell, str) for row in cells for cell in row)
    return [dict(zip(names, row, strict=True)) for row in cells] if are_data and len(cells) == len(rows) else []


def list_names(data: bytes) -> list[str]:
    """Return the keys of a file that is one object of several lists of objects; [] for any other.

    Each list is a table, as the sheets of a workbook are. Where more than one thing stands beside them the file is one
    talk instead, see `lists_of_one`.
    """
    content = _trusted(data) if data.lstrip()[:1] == b"{" else None
    if not isinstance(content, dict):
        return []
    content = games_inside(content)
    tables = [name for name, value in _lists_of_numbers(content).items() if is_list_of_objects(value)]
    return tables if 1 < len(tables) >= len(content) - 1 else []


def _find_under_key(content: dict[str, Any], file: Path, key: str | None) -> object:
    lists = [
        name for name, value in content.items() if isinstance(value, list) and value and isinstance(value[0], dict)
    ]
    if key is None and len(lists) == 1:
        key = lists[0]
    if key is None or key not in content:
        known_lists = (
            f"the lists of rows in it are {', '.join(map(shown, lists))}" if lists else "no list of rows is in it"
        )
        fault = "holds one object, not a list of rows" if key is None else f"has no {shown(key)}"
        raise LogError(f"{fault}; {known_lists} (name one as sheet in the mapping)", file=file)
    rows = content[key]
    return with_told(rows, told_once(content)) if is_list_of_objects(rows) else rows


def table_of_objects(
    content: Sequence[dict[str, Any]], rows: Sequence[int], file: Path, columns: Collection[str] | None
) -> Table:
    """Return objects, each of which stands in a row of a file, as a table."""
    batch = _Batch(file, columns)
    batch.add(content, rows)
    return batch.table()


class _Batch:
    """The columns of objects that come a few thousand at a time."""

    def __init__(self, file: Path, columns: Collection[str] | None) -> None:
        self.file, self.columns = file, columns
        self.names: dict[str, None] = {}
        self.shapes: set[tuple[str, ...]] = set()
        self.cells: dict[str, list[Texts]] = {}
        self.sizes: list[int] = []
        self.rows: list[Sequence[int]] = []

    def add(self, content: Sequence[Any], rows: Sequence[int], *, flat: bool = False) -> None:
        """Take rows; `flat` if no object has another one inside."""
        if not {dict}.issuperset(map(type, content)):
            row, record = next(pair for pair in zip(rows, content, strict=True) if not isinstance(pair[1], dict))
            raise LogError(f"{shown(record)} is not an object with the row's columns", file=self.file, row=row)
        lines = content if flat else self._flattened(content, rows)
        shapes = dict.fromkeys(map(tuple, lines))
        for shape in shapes:
            if shape not in self.shapes:
                self.names |= dict.fromkeys(shape)
        self.shapes |= shapes.keys()
        if len(self.names) > MOST_COLUMNS:
            reason = f"has {len(self.names):,} columns; the limit is {MOST_COLUMNS:,}"
            raise LogError(reason, file=self.file)
        selected_names = [name for name in self.names if self.columns is None or name in self.columns]
        same = next(iter(shapes)) if len(shapes) == 1 else ()  # keys that all objects have
        columns_by_name = {
            name: _column(
                list(map(itemgetter(name), lines)) if name in same else [line.get(name) for line in lines],
                self.file,
                rows,
                name,
            )
            for name in selected_names
        }
        for name, column in columns_by_name.items():
            self.cells.setdefault(name, [pa.nulls(sum(self.sizes), column.type)]).append(column)
        self.sizes.append(len(lines))
        self.rows.append(rows)

    def table(self) -> Table:
        """Return all rows."""
        if not self.names:
            raise LogError("has no rows", file=self.file)
        chunks = {name: of_one_type(of) for name, of in self.cells.items()}
        first = self.rows[0][0] if self.rows and len(self.rows[0]) else 1
        rows: Sequence[int] = range(first, first + sum(self.sizes))
        if not all(isinstance(part, range) for part in self.rows):
            rows = [row for part in self.rows for row in part]
        return Table(self.file, list(self.names), chunks, rows, misspelt=tuple(self._misspelt()))

    def _misspelt(self) -> Iterator[tuple[str, str]]:
        """Yield keys that only objects without a wanted key have, where both are alike: a value would be lost."""
        for column_name in sorted(self.columns or ()):
            names_beside = {name for shape in self.shapes if column_name in shape for name in shape}
            lacking = {name for shape in self.shapes if column_name not in shape for name in shape}
            unknown = lacking - names_beside - set(self.columns or ())
            close = nearest(column_name, unknown) if names_beside and len(unknown) <= MOST_UNKNOWN else None
            if close is not None:
                yield close, column_name

    def _flattened(self, content: Sequence[Any], rows: Sequence[int]) -> Sequence[dict[str, Any]]:
        """Return objects with the values in objects inside them as ``bid.apple``."""
        nested_places = [
            at for at, record in enumerate(content) if any(type(value) is dict for value in record.values())
        ]
        if not nested_places:
            return content
        lines = list(content)
        for at in nested_places:
            pairs = list(_flat(_lists_of_numbers(content[at], of_file=False)))
            lines[at] = dict(pairs)
            if len(lines[at]) < len(pairs):
                twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
                raise LogError("two values of the row have this name", file=self.file, row=rows[at], column=twice)
        return lines


def _flat(record: dict[str, Any], prefix: str = "", depth: int = 1) -> Iterable[tuple[str, Any]]:
    for key, value in record.items():
        name = prefix + key
        yield name, value
        if isinstance(value, dict) and depth < DEEPEST:
            yield from _flat(value, name + ".", depth + 1)


def _column(values: list[Any], file: Path, rows: Sequence[int], name: str) -> Texts:
    """Return values as a column: of text, or of numbers where all are of one kind."""
    try:
        column = pa.array(values)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError):
        column = None
    if column is not None:
        if pa.types.is_string(column.type) or pa.types.is_int64(column.type):
            return column
        if pa.types.is_null(column.type):
            return pa.nulls(len(values), pa.large_string())
        if pa.types.is_floating(column.type) and pc.all(pc.is_finite(column)).as_py() is not False:
            return column
    try:
        texts = [cell_text(value) for value in values]
    except RecursionError:
        raise LogError("is nested too deeply to be a log", file=file) from None
    return text_column(texts, file, rows, name)
