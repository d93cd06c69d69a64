"""Sums, means and counts by group whose last digits are the same each time, whatever engine holds the rows.

polars adds up a group's numbers in the order in which its threads finish, so that a sum of floats differs in its last
digit now and then. With its engine for frames in memory, told to keep the order of the rows, it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from threading import Lock
from typing import Any, Literal, TypeAlias

import narwhals as nw

Function: TypeAlias = Literal["sum", "mean", "std", "var", "min", "max", "count", "len"]


def aggregate(frame: Any, keys: Sequence[str], **columns: tuple[str, Function]) -> Any:
    """Return one row a group, as ``DataFrame.groupby(keys).agg(...)`` of pandas with names does.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        The rows; a row whose key is missing is in a group of its own.
    keys : sequence of str
        The columns that tell groups apart.
    **columns : tuple of str and str
        The column and the function of each new column: "sum", "mean", "std", "var" (with n - 1), "min", "max", "count"
        (of values that are there) or "len" (of rows).

    Returns
    -------
    narwhals.LazyFrame
        The keys and the new columns, in no particular order.

    Examples
    --------
    >>> import narwhals as nw, polars as pl
    >>> rows = nw.from_native(pl.LazyFrame({"unit": ["a", "a", "b"], "points": [1.0, 2.0, 4.0]}))
    >>> means = aggregate(rows, ["unit"], points=("points", "mean"), n=("points", "len"))
    >>> means.sort("unit").collect().rows()
    [('a', 1.5, 2), ('b', 4.0, 1)]
    """
    if frame.implementation is not nw.Implementation.POLARS:
        return frame.group_by(*keys).agg(*_build(nw, columns))
    import polars as pl

    groups = frame.to_native().group_by(*keys, maintain_order=True)
    return nw.from_native(groups.agg(*_build(pl, columns)))


class _InMemoryEngine:
    """The setting of polars while any thread wants it: the first makes it, and the last puts back what was there."""

    def __init__(self) -> None:
        self.lock, self.threads, self.setting = Lock(), 0, ExitStack()

    def __enter__(self) -> None:
        with self.lock:
            self.threads += 1
            if self.threads == 1:
                import polars as pl

                # polars leaves it for another engine where it thinks that faster
                self.setting.enter_context(pl.Config()).set_engine_affinity("in-memory")

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.threads -= 1
            if not self.threads:
                self.setting.close()


_IN_MEMORY_ENGINE = _InMemoryEngine()


def repeatable_sums(*, in_memory: bool) -> AbstractContextManager[None]:
    """Let polars compute frames in memory in the order of their rows: `aggregate` then gives the same bits each time.

    Frames that are read from files are left to the engine that polars chooses, which holds few rows at a time.
    """
    return _IN_MEMORY_ENGINE if in_memory else nullcontext()


def _build(module: Any, columns: Mapping[str, tuple[str, Function]]) -> list[Any]:
    """Return the expressions of narwhals or polars, which write them alike."""
    return [
        (module.len() if function == "len" else getattr(module.col(column), function)()).alias(name)
        for name, (column, function) in columns.items()
    ]
