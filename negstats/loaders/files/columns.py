"""Whole columns at once, for loaders that read many rows: text straight into Arrow, without a Python object a cell.

`negstats.tables.conform` takes these arrays as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from negstats.tables import text_array

Texts: TypeAlias = Any  # pyarrow.LargeStringArray; pyarrow ships no types


def texts(values: Sequence[str]) -> Texts:
    """Return a column of text.

    Raises
    ------
    TypeError
        If a value is anything else than text; None is not text either.

    Examples
    --------
    >>> texts(["yes", "no"]).to_pylist()
    ['yes', 'no']
    """
    column = text_array(values)
    if column.null_count:
        raise TypeError("None is not text")
    return column


def chosen(names: Sequence[str] | Texts, places: npt.ArrayLike) -> Texts:
    """Return the column that has ``names[places[i]]`` in row i, missing where the place is negative.

    Examples
    --------
    >>> chosen(["agreement", "walkaway"], [1, 0, -1]).to_pylist()
    ['walkaway', 'agreement', None]
    """
    names = names if isinstance(names, pa.Array) else texts(names)
    rows = np.asarray(places, dtype=np.int64)
    absent = rows < 0
    return names.take(pa.array(rows, mask=absent) if absent.any() else pa.array(rows))
