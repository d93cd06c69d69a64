"""Rows of a log stored on the disk, and read back some games at a time, in whatever order the log has them.

Each row comes with the key of its game. When all are there, games are put into lots of about so many bytes, in the
order of their first rows; a lot is given back when its last row has passed. A log that tells one game after the other
passes through memory a lot at a time; of one that mixes them, what waits for its lot is laid by again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Keys = npt.NDArray[np.uint64]
HELD = 2**26  # bytes of rows that may wait in memory for the rest of their lot


class Spool:
    """Rows on their way from a log to its tables.

    Parameters
    ----------
    folder
        Where files may be laid by; it is made if needed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     spool = Spool(Path(folder))
    ...     spool.add(pa.table({"row": [1, 2, 3, 4]}), np.array([7, 8, 7, 9], dtype=np.uint64))
    ...     [lot["row"].to_pylist() for lot in spool.lots(1)]
    [[1, 3], [2], [4]]
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.rows = folder, 0
        self._file = folder / "rows.arrow"
        self._writer: pa.RecordBatchStreamWriter | None = None
        self._seen: list[tuple[Keys, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []

    def add(self, rows: pa.Table, keys: Keys) -> None:
        """Lay by some rows of a log, in its order, and the key of each one's game."""
        if not len(rows):
            return
        whole = rows.append_column(_KEY, pa.array(keys))
        if self._writer is None:
            self._writer = pa.ipc.new_stream(pa.OSFile(str(self._file), "wb"), whole.schema)
        self._writer.write_table(whole.combine_chunks())
        games, first, count = np.unique(keys, return_index=True, return_counts=True)
        size = np.maximum(1, count * whole.nbytes // len(whole))
        self._seen.append((games, first + self.rows, count, size))
        self.rows += len(rows)

    def lots(self, size: int) -> Iterator[pa.Table]:
        """Yield the rows, whole games at a time, about `size` bytes of them; a lot's rows are in the log's order."""
        if self._writer is None:
            return
        self._writer.close()
        games, lot_of, lot_sizes = self._share_out(size)
        waiting = _Waiting(self.folder)
        turn = 0
        with pa.OSFile(str(self._file), "rb") as stream, pa.ipc.open_stream(stream) as reader:
            for batch in reader:
                rows = pa.Table.from_batches([batch])
                lots = lot_of[np.searchsorted(games, rows[_KEY].to_numpy())]
                rows = rows.drop_columns([_KEY])
                for lot in np.unique(lots).tolist():
                    lot_rows = np.flatnonzero(lots == lot)
                    waiting.add(lot, rows if len(lot_rows) == len(rows) else rows.take(pa.array(lot_rows)))
                while turn < len(lot_sizes) and waiting.rows[turn] == lot_sizes[turn]:
                    yield waiting.taken(turn)
                    turn += 1
        self._file.unlink()

    def _share_out(self, size: int) -> tuple[Keys, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the games, the lot of each, and how many rows each lot has."""
        keys, first, count, bytes_ = (np.concatenate(of) for of in zip(*self._seen, strict=True))
        self._seen.clear()
        games, of_game = np.unique(keys, return_inverse=True)
        began = np.full(len(games), np.iinfo(np.int64).max)
        np.minimum.at(began, of_game, first)
        counts, sizes = np.bincount(of_game, weights=count), np.bincount(of_game, weights=bytes_)
        order = np.argsort(began)
        sizes_before = np.cumsum(sizes[order]) - sizes[order]
        _, in_order = np.unique(sizes_before // size, return_inverse=True)
        lot_of = np.empty(len(games), dtype=np.int32)
        lot_of[order] = in_order
        return games, lot_of, np.bincount(lot_of, weights=counts).astype(np.int64)


_KEY = "key of the game"


class _Waiting:
    """Rows that wait for the rest of their lot, in memory or, where they grow too many, on the disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: dict[int, int] = defaultdict(int)
        self.held: dict[int, list[pa.Table]] = defaultdict(list)
        self.laid_by: dict[int, list[Path]] = defaultdict(list)
        self.size = self.files = 0

    def add(self, lot: int, rows: pa.Table) -> None:
        self.rows[lot] += len(rows)
        self.held[lot].append(rows)
        self.size += rows.nbytes
        if self.size > HELD:
            for other, tables in self.held.items():
                file = self.folder / f"waiting-{self.files}.arrow"
                self.files += 1
                whole = pa.concat_tables(tables)
                with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_stream(sink, whole.schema) as writer:
                    writer.write_table(whole)
                self.laid_by[other].append(file)
            self.held.clear()
            self.size = 0

    def taken(self, lot: int) -> pa.Table:
        """Return all rows of a lot, which are forgotten here."""
        tables = []
        for file in self.laid_by.pop(lot, []):
            with pa.OSFile(str(file), "rb") as stream, pa.ipc.open_stream(stream) as reader:
                tables.append(reader.read_all())
            file.unlink()
        tables_in_memory = self.held.pop(lot, [])
        self.size -= sum(table.nbytes for table in tables_in_memory)
        return pa.concat_tables([*tables, *tables_in_memory]).combine_chunks()
