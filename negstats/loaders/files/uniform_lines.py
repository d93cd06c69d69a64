"""JSON Lines whose objects all have the same keys and kinds of values, straight into Arrow: no Python object a value.

Arrow's reader refuses a key that stands twice, half a character, a key or a kind of value that it was not told of. It
takes objects that end in another line, NaN, and numbers with more digits than a float has; these are looked for here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.json

from negstats.loaders.files.columns import Texts

Kinds: TypeAlias = Mapping[str, pa.DataType]

_KINDS = frozenset({pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.null()})
_EXACT = 2.0**53  # whole numbers below it are floats of the same digits
_WORDS = pa.array(["False", "True"], pa.large_string())


def kinds_of(content: Sequence[Any]) -> Kinds:
    """Return the keys of objects and as what Arrow reads their values; {} if not all objects are of one form.

    Examples
    --------
    >>> kinds_of([{"offer": 3, "fair": True}, {"offer": None, "fair": False}])
    {'offer': DataType(int64), 'fair': DataType(bool)}
    >>> kinds_of([{"offer": 3}, {"walks away": True}]), kinds_of([{"offer": [3, 7]}])
    ({}, {})
    """
    names = content[0].keys() if content else frozenset[str]()
    if any(record.keys() != names for record in content):
        return {}
    try:
        kinds = {name: pa.array([record[name] for record in content]).type for name in names}
    except (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError):
        return {}
    return kinds if _KINDS.issuperset(kinds.values()) else {}


def read_uniform_lines(data: bytes, kinds: Kinds) -> tuple[dict[str, Texts], int] | None:
    r"""Return the columns of the objects in lines, and how many lines there are; None if one line is of another form.

    Parameters
    ----------
    data
        Whole lines of UTF-8.
    kinds
        The keys of each object, and as what Arrow reads their values.

    Examples
    --------
    >>> lines = b'{"offer": 3, "who": "A"}\n{"offer": 5, "who": "B"}\n'
    >>> columns, size = read_uniform_lines(lines, {"offer": pa.int64(), "who": pa.string()})
    >>> columns["offer"].to_pylist(), size
    ([3, 5], 2)
    >>> read_uniform_lines(b'{"offer": 3.5, "who": "A"}\n', {"offer": pa.int64(), "who": pa.string()}) is None
    True
    """
    codes = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(codes == ord("\n"))
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(codes))
    if not _have_one_object_each(codes, ends):
        return None
    try:
        table = pyarrow.json.read_json(
            pa.BufferReader(data),
            read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=pa.schema(list(kinds.items())), unexpected_field_behavior="error"
            ),
        )
    except pa.ArrowException:
        return None
    columns = {name: table[name].combine_chunks() for name in kinds}
    if table.num_rows != len(ends) or not all(map(_is_exact, columns.values())):
        return None
    if any(column.null_count for column in columns.values()) and not _have_all_keys(data, len(ends) * len(kinds)):
        return None
    return {name: _as_cells(column) for name, column in columns.items()}, len(ends)


def _have_one_object_each(codes: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> bool:
    """Whether each line begins with { and ends with }: no object goes on in the next line then."""
    if not len(ends) or len(codes) < 2:
        return False
    starts = np.append(0, ends[:-1] + 1)
    last = ends - 1
    last -= codes[last] == ord("\r")
    return bool((codes[starts] == ord("{")).all() and (codes[last] == ord("}")).all())


def _have_all_keys(data: bytes, size: int) -> bool:
    """Whether as many keys are written as there are values: where one is missing, null stands."""
    return data.count(b'":') == size and data.count(b'\\":') == 0


def _is_exact(column: Texts) -> bool:
    """Whether all numbers of a column are those that are written."""
    if not pa.types.is_floating(column.type):
        return True
    return bool(np.abs(column.fill_null(0.0).to_numpy()).max(initial=0.0) < _EXACT)


def _as_cells(column: Texts) -> Texts:
    """Return a column as cells of a table: text, or numbers."""
    if pa.types.is_boolean(column.type):
        return _WORDS.take(column.cast(pa.int8()))
    return column.cast(pa.large_string()) if pa.types.is_null(column.type) else column
