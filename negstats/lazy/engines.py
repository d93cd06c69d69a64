"""The engines that hold tables larger than memory: how each reads and writes a folder of Parquet, and keeps a result.

What is needed more than once is *kept*: written to Parquet in a folder of the study's own, and read again. So memory is
bounded by what the engine needs for one pass, and a query never holds another one as its source's source.
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from negstats.errors import UsageError, meant, shown

__all__ = ["ENGINES", "Engine", "engine_called"]

Native: TypeAlias = Any


class Engine(Protocol):
    """What each engine does."""

    name: str

    def read(self, files: Sequence[Path], folders: Sequence[str] | None = None) -> Native:
        """Return a lazy table of Parquet files with the columns that names of folders (k=v) give.

        These are `folders`, as text; None: all that the names say, of kinds that the engine guesses.
        """

    def write(self, table: Native, folder: Path, partition_by: Sequence[str]) -> None:
        """Write a lazy table to a folder of Parquet files, one folder a value of each column of `partition_by`."""


@dataclass(frozen=True, slots=True)
class DuckDB:
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
            raise UsageError(f"memory is {shown(self.memory)}; a size such as '4GB' would do") from None
        object.__setattr__(self, "connection", connection)

    def read(self, files: Sequence[Path], folders: Sequence[str] | None = None) -> Native:
        names = [str(file) for file in files]
        if folders is None:
            return self.connection.read_parquet(names, hive_partitioning=_hive(files))
        if not folders:
            return self.connection.read_parquet(names, hive_partitioning=False)
        listed = ", ".join(_quoted(name) for name in names)
        found = self.connection.sql(
            f"FROM read_parquet([{listed}], hive_partitioning = true, hive_types_autocast = false)"
        )
        return found.select(*_columns(files, folders))

    def write(self, table: Native, folder: Path, partition_by: Sequence[str]) -> None:
        folder.mkdir()
        if partition_by:
            table.to_parquet(str(folder), partition_by=list(partition_by), write_partition_columns=False)
        else:
            table.to_parquet(str(folder / "part-0.parquet"), compression="zstd")


@dataclass(frozen=True, slots=True)
class Polars:
    """Polars' lazy frames, streamed."""

    spill: Path
    memory: str
    name = "polars"

    def read(self, files: Sequence[Path], folders: Sequence[str] | None = None) -> Native:
        import polars as pl

        if folders is None:
            return pl.scan_parquet(list(files), hive_partitioning=_hive(files))
        if not folders:
            return pl.scan_parquet(list(files), hive_partitioning=False)
        return pl.scan_parquet(
            list(files), hive_partitioning=True, hive_schema=dict.fromkeys(_named(files[0]), pl.String)
        ).select(_columns(files, folders))

    def write(self, table: Native, folder: Path, partition_by: Sequence[str]) -> None:
        import polars as pl

        folder.mkdir()
        if not partition_by:
            table.sink_parquet(folder / "part-0.parquet")
            return
        table.sink_parquet(pl.PartitionBy(folder, key=list(partition_by), include_key=False))


@dataclass(frozen=True, slots=True)
class PySpark:
    """The Spark session that is active, or a local one."""

    spill: Path
    memory: str
    session: Any = field(init=False)
    name = "pyspark"

    def __post_init__(self) -> None:
        sql = importlib.import_module("pyspark.sql")
        active = sql.SparkSession.getActiveSession()
        object.__setattr__(self, "session", active or _local_spark(sql, self.memory))

    def read(self, files: Sequence[Path], folders: Sequence[str] | None = None) -> Native:
        root = _root(files) if folders is None or folders else None
        reader = self.session.read if root is None else self.session.read.option("basePath", str(root))
        guesses = self.session.conf.get(GUESSES)
        try:
            self.session.conf.set(GUESSES, guesses if folders is None else "false")
            found = reader.parquet(*(str(file) for file in files))
        finally:
            self.session.conf.set(GUESSES, guesses)
        return found.select(*_columns(files, folders)) if folders else found

    def write(self, table: Native, folder: Path, partition_by: Sequence[str]) -> None:
        writer = table.write.partitionBy(*partition_by) if partition_by else table.write
        writer.parquet(str(folder))
        for left in [*folder.rglob("_SUCCESS"), *folder.rglob(".*.crc")]:
            left.unlink()


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


GUESSES = "spark.sql.sources.partitionColumnTypeInference.enabled"


def _columns(files: Sequence[Path], folders: Sequence[str]) -> list[str]:
    """Return the columns of files and of their folders."""
    return [*pq.read_schema(files[0]).names, *folders]


def _named(file: Path) -> list[str]:
    return [part.partition("=")[0] for part in file.parent.parts if "=" in part]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _hive(files: Sequence[Path]) -> bool:
    return _root(files) is not None


def _root(files: Sequence[Path]) -> Path | None:
    """Return the folder above the first folder that is called ``column=value``; None if no file lies in such a one."""
    for file in files[:1]:
        named = [parent for parent in file.parents if "=" in parent.name]
        if named:
            return named[-1].parent
    return None


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
        self.path = Path(tempfile.mkdtemp(prefix="negstats-"))
        self._count = 0
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def place(self) -> Path:
        """Return a new path in it."""
        self._count += 1
        return self.path / f"kept-{self._count}"


def one_file(table: pa.Table, spill: Spill) -> Path:
    """Write a table that is in memory to one Parquet file, and return where it is."""
    file = spill.place().with_suffix(".parquet")
    pq.write_table(table, file)
    return file
