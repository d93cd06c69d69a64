"""The table of games as its rows come: a factor has the type that all its values together give it.

A log may name a factor in its last game only, or write 1 in a thousand games and 1.5 in the next. Rows are laid by
until all are there, then each column gets one type, as pandas would give it to all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa

from negstats.errors import SchemaError
from negstats.tables import TABLES, empty

_KNOWN = frozenset(TABLES["games"].names)


class GameRows:
    """Rows of the table of games, laid by in a folder.

    Examples
    --------
    >>> import tempfile
    >>> from negstats.tables import conform
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = GameRows(Path(folder))
    ...     rows.add(conform("games", {"game_id": ["a"], "ended": ["unknown"], "pie": [10]}))
    ...     rows.add(conform("games", {"game_id": ["b"], "ended": ["unknown"], "pie": [2.5]}))
    ...     [frame["pie"].tolist() for frame in rows.frames()]
    [[10.0], [2.5]]
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.files = folder, 0
        self.kinds: dict[str, set[str]] = {}

    def add(self, frame: pd.DataFrame) -> None:
        """Take further rows."""
        rows = pa.Table.from_pandas(_speaking(frame), preserve_index=False)
        extra_columns = [name for name in frame.columns if name not in _KNOWN]
        for name in extra_columns:
            kinds = self.kinds.setdefault(name, {"missing"} if self.files else set())
            kinds |= {_kind(rows[name].type)} if rows[name].null_count < len(rows) else set()
            kinds |= {"missing"} if rows[name].null_count else set()
        for name in self.kinds.keys() - set(extra_columns):
            self.kinds[name].add("missing")
        with pa.OSFile(str(self._file(self.files)), "wb") as sink, pa.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows)
        self.files += 1

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows again, all frames with the same columns of the same types.

        Raises
        ------
        SchemaError
            If a factor is text in one game and a number in another.
        """
        types = {name: _dtype(name, kinds) for name, kinds in self.kinds.items()}
        for number in range(self.files):
            with pa.OSFile(str(self._file(number)), "rb") as stream, pa.ipc.open_stream(stream) as reader:
                frame = reader.read_all().to_pandas()
            self._file(number).unlink()
            columns = {name: frame[name] for name in TABLES["games"].names}
            for name, dtype in types.items():
                column = frame[name] if name in frame else pd.Series([None] * len(frame), dtype=object)
                columns[name] = column.astype(pd.api.types.pandas_dtype(dtype))
            yield pd.DataFrame(columns)

    def _file(self, number: int) -> Path:
        return self.folder / f"games-{number}.arrow"

    def like(self) -> pd.DataFrame:
        """Return a frame whose values show the types that the rows have."""
        frame = empty("games").reindex(range(2))
        frame["ended"] = "unknown"
        for name, kinds in self.kinds.items():
            values = [True, None] if "bool" in kinds and "missing" in kinds else [None, None]
            dtype = _dtype(name, kinds)
            frame[name] = pd.Series([0, 1] if dtype in ("int64", "bool") else values, dtype=dtype)
        return frame


def _dtype(name: str, kinds: set[str]) -> str:
    """Return the type that pandas would give to all values of a factor at once."""
    value_kinds = kinds - {"missing"}
    if not value_kinds or (value_kinds == {"bool"} and "missing" in kinds):
        return "object"
    if value_kinds == {"int64"} and "missing" not in kinds:
        return "int64"
    if value_kinds <= {"int64", "float64"}:
        return "float64"
    if len(value_kinds) == 1:
        return next(iter(value_kinds))
    raise SchemaError(_describe_mixed_kinds(value_kinds), table="games", column=name)


def _describe_mixed_kinds(kinds: set[str]) -> str:
    return f"is {' in one game and '.join(sorted(kinds))} in another; write it as one kind"


def _kind(column_type: pa.DataType) -> str:
    if pa.types.is_boolean(column_type):
        return "bool"
    if pa.types.is_integer(column_type):
        return "int64"
    return "float64" if pa.types.is_floating(column_type) else "str"


def _speaking(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame that Arrow can hold; raises SchemaError naming the column where it cannot."""
    for name in frame.columns:
        if name not in _KNOWN and frame[name].dtype == object:
            try:
                pa.array(frame[name])
            except (pa.ArrowException, TypeError):
                kinds = {type(value).__name__ for value in frame[name].dropna()}
                raise SchemaError(_describe_mixed_kinds(kinds), table="games", column=str(name)) from None
    return frame
