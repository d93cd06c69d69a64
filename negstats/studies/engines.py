"""The engines that hold tables larger than memory: how each reads and writes a folder of Parquet, and keeps a result.

What is needed more than once is *kept*: written to Parquet in a folder of the study's own, and read again. So memory is
bounded by what the engine needs for one pass, and a query never holds another one as its source's source.

To an engine a path is more than a name: a pattern (``run[1]``), a column (``lr=0.1``), an address (``http:``).
So no path of the user's is ever given to one, only paths in folders of ours
(`negstats.studies.opened.temporary_folder`).
"""

from __future__ import annotations

import importlib
import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from negstats.errors import UsageError, meant, shown
from negstats.studies.opened import temporary_folder

Native: TypeAlias = Any

TIMES = "spark.sql.parquet.outputTimestampType"
FOLDER = "negstats_folder"  # a column: the number of the folder that a row's file lies in

HASH = "hash"  # DuckDB's function of one or more columns: rows of equal values have equal hashes, of 64 bits
FIRST_ROWS = 100_000  # who looks at these first finds most values that many rows share, for few rows' time
MOST_HASHES = 1000  # so many hashes of two rows or more are looked up by name
HASHES_IN_MEMORY = 20_000_000  # so many are sorted by polars, which takes half as long and 16 bytes each


class Engine(Protocol):
    """What each engine does."""

    name: str

    def read(self, files: Sequence[Path], *, by_folder: bool = False) -> Native:
        """Return a lazy table of these Parquet files, which lie in folders of ours.

        `by_folder`: with the column `FOLDER`, for the files lie in folders that are called so (``FOLDER=3``).
        """

    def write(self, table: Native, folder: Path, partition_by: Sequence[str]) -> None:
        """Write a lazy table to a folder of Parquet files, one folder a value of each column of `partition_by`."""

    def keep(self, table: Native, place: Callable[[], Path]) -> Native:
        """Compute a lazy table once, and return it lazily; `place` gives a folder of ours for its files."""

    def is_key(self, table: Native, columns: Sequence[str]) -> bool:
        """Whether no two rows of a lazy table have the same values in these columns; missing values are the same.

        An engine that groups rows as soon as it knows that says False of all tables.
        """


class _OnDisk:
    """What the engines that leave tables on the disk share: what is kept is written, and read again."""

    __slots__ = ()

    def keep(self: Any, table: Native, place: Callable[[], Path]) -> Native:
        folder = place()
        self.write(table, folder, ())
        return self.read(sorted(folder.rglob("*.parquet")))

    def is_key(self, table: Native, columns: Sequence[str]) -> bool:  # noqa: ARG002 - see `Engine.is_key`
        return False


@dataclass(frozen=True, slots=True)
class DuckDB(_OnDisk):
    """An own, in-memory database, with a bound on memory beyond which it spills to `spill`."""

    spill: Path
    memory: str
    connection: Any = field(init=False)
    name = "duckdb"

    def __post_init__(self) -> None:
        import duckdb

        config: dict[str, Any] = {"temp_directory": str(self.spill / "duckdb"), "preserve_insertion_order": "false"}
        connection = duckdb.connect(config=config)
        connection.execute("SET TimeZone = 'UTC'")
        try:
            connection.execute("SET memory_limit = ?", [self.memory])
        except duckdb.Error:
            raise UsageError(f"memory is {shown(self.memory)}; give a size such as '4GB'") from None
        object.__setattr__(self, "connection", connection)

    def read(self, files: Sequence[Path], *, by_folder: bool = False) -> Native:
        """Return the lazy table of Parquet files; see `Engine.read`."""
        return self.connection.read_parquet([str(file) for file in files], hive_partitioning=by_folder)

    def write(self, table: Native, folder: Path, partition_by: Sequence[str]) -> None:
        """Write a table to a new folder of Parquet files; see `Engine.write`."""
        folder.mkdir()
        if partition_by:
            table.to_parquet(str(folder), partition_by=list(partition_by), write_partition_columns=False)
        else:
            table.to_parquet(str(folder / "part-0.parquet"), compression="zstd")

    def keep(self, table: Native, place: Callable[[], Path]) -> Native:
        """Compute a lazy table once: in files that are soon read again and gone, so that to press them hard is no use.

        See `Engine.keep`.
        """
        folder = place()
        folder.mkdir()
        file = folder / "part-0.parquet"
        table.to_parquet(str(file), compression="lz4")
        return self.read([file])

    def is_key(self, table: Native, columns: Sequence[str]) -> bool:
        """Whether no two rows have the same values in these columns: hashes are sorted, and equal ones are neighbours.

        To sort numbers takes a third of the time of grouping rows by their values. Rows of different values may have
        the same hash, so values are compared where hashes are equal. See `Engine.is_key`.
        """
        names = ", ".join(_quoted(name) for name in columns)
        if _has_equal_rows(table.limit(FIRST_ROWS), names):
            return False
        equal = _hashes_of_several(table.project(f"{HASH}({names}) AS hash"))
        if not equal:
            return True
        suspects = table.filter(f"{HASH}({names}) IN ({', '.join(map(str, equal))})")
        return not (_has_equal_rows(suspects, names) or (len(equal) == MOST_HASHES and _has_equal_rows(table, names)))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _has_equal_rows(table: Native, names: str) -> bool:
    return bool(table.aggregate("count(*) AS rows", names).filter("rows > 1").limit(1).fetchall())


def _hashes_of_several(hashes: Native) -> list[int]:
    """Return the hashes (``hash``) that several rows have, `MOST_HASHES` at most."""
    if hashes.aggregate("count(*)").fetchall()[0][0] > HASHES_IN_MEMORY:
        neighbours = hashes.project("hash, lag(hash) OVER (ORDER BY hash) AS before")
        return [row[0] for row in neighbours.filter("hash = before").limit(MOST_HASHES).fetchall()]
    in_order = hashes.pl()["hash"].sort()
    several: list[int] = in_order.filter(in_order == in_order.shift(1)).head(MOST_HASHES).to_list()
    return several


@dataclass(frozen=True, slots=True)
class Polars(_OnDisk):
    """Polars' lazy frames, streamed."""

    spill: Path
    memory: str
    name = "polars"

    def read(self, files: Sequence[Path], *, by_folder: bool = False) -> Native:
        """Return the lazy table of Parquet files; see `Engine.read`."""
        import polars as pl

        folder_schema = {FOLDER: pl.Int64} if by_folder else None
        return pl.scan_parquet(list(files), glob=False, hive_partitioning=by_folder, hive_schema=folder_schema)

    def write(self, table: Native, folder: Path, partition_by: Sequence[str]) -> None:
        """Write a table to a new folder of Parquet files; see `Engine.write`."""
        import polars as pl

        folder.mkdir()
        if not partition_by:
            table.sink_parquet(folder / "part-0.parquet")
            return
        table.sink_parquet(pl.PartitionBy(folder, key=list(partition_by), include_key=False))


class Memory(Polars):
    """Polars' frames in memory: what a study that was loaded is analysed by."""

    __slots__ = ()
    name = "memory"

    def keep(self, table: Native, place: Callable[[], Path]) -> Native:  # noqa: ARG002 - as engines on disk
        """Return the table computed, in memory; see `Engine.keep`."""
        return table.collect().lazy()

    def is_key(self, table: Native, columns: Sequence[str]) -> bool:
        """Whether no two rows have the same values in these columns: their values are counted. See `Engine.is_key`."""
        import polars as pl

        values = pl.col(*columns) if len(columns) == 1 else pl.struct(*columns)
        return bool(table.select(values.n_unique() == pl.len()).collect().item())


@dataclass(frozen=True, slots=True)
class PySpark(_OnDisk):
    """The Spark session that is active, or a local one."""

    spill: Path
    memory: str
    session: Any = field(init=False)
    name = "pyspark"

    def __post_init__(self) -> None:
        sql = importlib.import_module("pyspark.sql")
        active = sql.SparkSession.getActiveSession()
        object.__setattr__(self, "session", active or _local_spark(sql, self.memory))

    def read(self, files: Sequence[Path], *, by_folder: bool = False) -> Native:
        """Return the lazy table of Parquet files; see `Engine.read`."""
        reader = self.session.read.option("basePath", str(files[0].parents[1])) if by_folder else self.session.read
        return reader.parquet(*map(str, files))

    def write(self, table: Native, folder: Path, partition_by: Sequence[str]) -> None:
        """Write a table to a new folder of Parquet files; see `Engine.write`."""
        writer = table.write.partitionBy(*partition_by) if partition_by else table.write
        times = self.session.conf.get(TIMES)
        try:
            self.session.conf.set(TIMES, "TIMESTAMP_MICROS")  # else nothing says that they are in UTC
            writer.parquet(str(folder))
        finally:
            self.session.conf.set(TIMES, times)
        for remnant in [*folder.rglob("_SUCCESS"), *folder.rglob(".*.crc")]:
            remnant.unlink()


def _local_spark(sql: Any, memory: str) -> Any:
    # Its own files stay where Spark puts them: the session may outlive the study that began it.
    if shutil.which("java") is None:
        raise UsageError("engine='pyspark' needs Java 17, such as Debian's openjdk-17-jre-headless")
    builder = sql.SparkSession.builder.master("local[2]").appName("negstats")
    options: Mapping[str, str] = {
        "spark.driver.memory": memory.lower().removesuffix("b"),
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    for key, value in options.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


ENGINES: Mapping[str, Callable[[Path, str], Engine]] = {"duckdb": DuckDB, "polars": Polars, "pyspark": PySpark}


def engine_called(name: str, spill: Path, memory: str) -> Engine:
    """Return a new engine.

    Raises
    ------
    UsageError
        If none is called so, or its package is not installed.
    """
    if name not in ENGINES:
        raise UsageError(f"no engine is called {shown(name)}; {meant(name, ENGINES)}")
    try:
        return ENGINES[name](spill, memory)
    except ModuleNotFoundError as error:
        raise UsageError(f"engine={name!r} needs the package {error.name!r}: pip install 'negstats[engines]'") from None


class Spill:
    """A folder for what is kept while a study is open; it goes when the study does."""

    def __init__(self) -> None:
        self.path = temporary_folder()
        self._count = 0
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def place(self) -> Path:
        """Return a new path in it."""
        self._count += 1
        return self.path / f"kept-{self._count}"
