"""The tables of a study as lazy frames of one engine, and what belongs to them while the study is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import narwhals as nw
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from negstats import tables as schema
from negstats.errors import LogError, SchemaError, UsageError, meant, one_line, shown
from negstats.studies import folder as study_folder
from negstats.studies import parts
from negstats.studies.checks import check_columns, check_names
from negstats.studies.engines import FOLDER, Engine, Memory, Native, Spill, engine_called
from negstats.studies.opened import OpenedFiles
from negstats.studies.parquet_writer import arrow_rows

MEMORY = "2GB"


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Lazy frames by table, and their engine.

    Attributes
    ----------
    tables : mapping of str to lazy frame
        DuckDB relations, polars LazyFrames or PySpark DataFrames, as `negstats.tables.TABLES` describes them.
    engine : Engine
        Reads, writes and keeps tables.
    spill : Spill or None
        The folder for what is kept; it goes when the study does. None in memory.
    opened : OpenedFiles or None
        The files that the tables were read from. None in memory.
    measures : dict of str to lazy frame
        Measures in memory, by name: what several questions ask of is computed once.
    remaining : dict of str to object
        What rules of exclusion leave of the tables, by the rules: the check of a plan and its answers ask for the same.
    """

    tables: Mapping[str, Native]
    engine: Engine
    spill: Spill | None = None
    opened: OpenedFiles | None = None
    measures: dict[str, nw.LazyFrame[Any]] = field(default_factory=dict)
    remaining: dict[str, Any] = field(default_factory=dict)

    def of(self, table: str) -> nw.LazyFrame[Any]:
        """Return a table in narwhals' lazy form; see `negstats.Study.frame`."""
        self.check_unchanged()
        frame: nw.LazyFrame[Any] = nw.from_native(self.tables[table]).lazy()
        return frame

    def check_unchanged(self) -> None:
        """Check that the files are those that were opened; see `negstats.Study.check_unchanged`."""
        if self.opened is not None:
            self.opened.check()

    def rows(self, table: str) -> int:
        """Return how many rows a table has."""
        return int(self.of(table).select(nw.len().alias("rows")).collect("pyarrow")["rows"][0])

    def keep(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Compute a lazy frame once, and return it lazily: in memory, or of files in the spill folder."""
        native = self.engine.keep(frame.to_native(), self._place)
        self.check_unchanged()
        stored_frame: nw.LazyFrame[Any] = nw.from_native(native).lazy()
        return stored_frame

    def at_home(self, table: str, frame: nw.LazyFrame[Any] | None = None) -> pd.DataFrame:
        """Return a table, or some rows of it, in memory in the order of its keys."""
        sorted_rows = (self.of(table) if frame is None else frame).sort(*schema.TABLES[table].key, nulls_last=True)
        return schema.conform(table, sorted_rows.collect("pyarrow").to_pandas())

    def batches(self, frame: nw.LazyFrame[Any], rows: int) -> Iterator[pd.DataFrame]:
        """Yield all rows of a lazy frame, so many at a time; its files go when the last was yielded."""
        if self.spill is None:
            for batch in frame.collect("pyarrow").to_native().to_batches(rows):
                yield batch.to_pandas()
            return
        folder = self._place()
        self.engine.write(frame.to_native(), folder, ())
        self.check_unchanged()
        for file in sorted(folder.rglob("*.parquet")):
            with pq.ParquetFile(file) as parquet:
                for batch in parquet.iter_batches(rows):
                    yield batch.to_pandas()
            file.unlink()

    def write(
        self,
        path: str | Path,
        provenance: Mapping[str, Any],
        partition_by: Mapping[str, Sequence[str]],
        check: Callable[[], None],
    ) -> Path:
        """Write the tables to a new folder of parts after a check of their rows; see `negstats.Study.save`."""
        level_folders = {table: self._folders(table, columns) for table, columns in partition_by.items()}
        # A table without rows has no value to name a folder after.
        folders = {table: columns for table, columns in level_folders.items() if self.rows(table)}
        check()
        frames = replace(self, spill=self.spill or Spill())

        def write_table(name: str, folder: Path) -> None:
            # By way of a link, for an engine may take the path that the user gave for more than a path.
            link = frames._place()
            link.symlink_to(folder.parent.absolute(), target_is_directory=True)
            try:
                self.engine.write(self.tables[name], link / folder.name, list(folders.get(name, ())))
            except Exception as error:  # each engine has errors of its own: no room, no permission, a name too long
                self.check_unchanged()
                raise UsageError(f"{path}: {name} cannot be written: {one_line(error)}") from error
            self.check_unchanged()
            if folders.get(name):
                self._check_folders(name, folder, folders[name])

        return parts.write(path, write_table, provenance, folders)

    def _place(self) -> Path:
        if self.spill is None:
            raise UsageError("the study is in memory, where nothing is written")
        return self.spill.place()

    def _folders(self, table: str, columns: Sequence[str]) -> dict[str, str]:
        """Return the kind of each column that names of folders are to hold."""
        if table not in self.tables:
            raise UsageError(f"partition_by names the table {shown(table)}; {meant(table, schema.TABLES)}")
        columns_of_table = self.of(table).collect_schema()
        kinds = {}
        for column in columns:
            if column not in columns_of_table:
                raise UsageError(
                    f"partition_by names {shown(column)} of {table}; {meant(column, columns_of_table.names())}"
                )
            kind = columns_of_table[column]
            if not (kind.is_integer() or kind in (nw.String, nw.Categorical) or isinstance(kind, nw.Enum)):
                raise UsageError(
                    f"partition_by names {shown(column)} of {table}, which holds {kind}; text or integers do"
                )
            kinds[column] = "integer" if kind.is_integer() else "text"
        return kinds

    def _check_folders(self, table: str, folder: Path, folders: Mapping[str, str]) -> None:
        """Check that the names of the folders that were written say what the columns said, row for row."""
        keys = [f"f{place}" for place in range(len(folders))]
        frame = self.of(table).select(nw.col(name).alias(key) for name, key in zip(folders, keys, strict=True))
        level_counts = frame.group_by(*keys).agg(nw.len().alias("rows")).collect("pyarrow").to_native().to_pylist()
        rows_expected = {tuple(row[key] for key in keys): row["rows"] for row in level_counts}
        try:
            rows_written = parts.rows_by_level(folder, folders)
        except LogError:
            rows_written = {}
        if wrong_levels := [levels for levels, rows in rows_expected.items() if rows_written.get(levels) != rows]:
            levels = ", ".join(
                f"{shown(name)} {shown(level)}" for name, level in zip(folders, wrong_levels[0], strict=True)
            )
            raise UsageError(f"partition_by of {table}: no folder can be named after {levels}; partition by others")


class _PolarsTables(Mapping[str, Native]):
    """Tables in memory as polars' lazy frames, each made at its first use."""

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        self._tables = tables
        self._frames: dict[str, Native] = {}

    def __getitem__(self, name: str) -> Native:
        if name not in self._frames:
            check_names(name, "memory", list(self._tables[name].columns))
            self._frames[name] = native_polars(arrow_rows(self._tables[name], name))
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


def native_polars(frame: pd.DataFrame | pa.Table) -> Native:
    """Return a frame of pandas or a table of PyArrow as a lazy frame of polars.

    A column of text that is missing in every row is made where it is used: else it took as much memory as short texts.
    """
    import polars as pl

    rows = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame, preserve_index=False)
    texts = (pa.string(), pa.large_string())
    absent = [name for name in rows.column_names if rows[name].type in texts and rows[name].null_count == len(rows)]
    if not len(rows) or len(absent) == rows.num_columns:
        absent = []
    table: Any = pl.from_arrow(rows.drop_columns(absent))
    if not absent:
        return table.lazy()
    missing = [pl.lit(None, dtype=pl.String).alias(name) for name in absent]
    return table.lazy().with_columns(missing).select(rows.column_names)


def frames_of_pandas(tables: Mapping[str, pd.DataFrame]) -> Frames:
    """Return tables in memory as frames of polars; nothing is checked."""
    return Frames(_PolarsTables(tables), Memory(Path(), ""))


def frames_of_folder(folder: Path, engine: str, memory: str = MEMORY) -> tuple[dict[str, Any], Frames]:
    """Return the card of a saved study and its tables, each a file or a folder of files, as frames of an engine."""
    study_folder.check_is_study(folder)
    files_open = OpenedFiles()
    reader = engine_called(engine, files_open.folder, memory)
    card, parts_of_tables = study_folder.settled(folder, lambda: parts.places(folder, files_open))
    tables = {name: _read(name, reader, table_parts, files_open) for name, table_parts in parts_of_tables.items()}
    check_columns(tables)
    return card, Frames(tables, reader, Spill(), files_open)


def frames_of_files(tables: Mapping[str, Sequence[str | Path]], engine: str, memory: str = MEMORY) -> Frames:
    """Return Parquet files that another program wrote as frames of an engine; see `negstats.Study.of`."""
    for name in tables:
        if name not in schema.TABLES:
            raise SchemaError(f"no such table; {meant(name, schema.TABLES)}", table=name)
    if "games" not in tables:
        raise UsageError("tables has no 'games'; give its files")
    files_open = OpenedFiles()
    reader = engine_called(engine, files_open.folder, memory)
    frames = {}
    for name in schema.TABLES:
        if table_parts := parts.of_paths(name, tables.get(name, ()), files_open):
            frames[name] = _widened(name, _read(name, reader, table_parts, files_open))
        else:
            empty = pa.Table.from_pandas(schema.empty(name), preserve_index=False)
            frames[name] = reader.read([files_open.write(empty, name)])
    check_columns(frames)
    return Frames(frames, reader, Spill(), files_open)


def _read(name: str, engine: Engine, table_parts: parts.Parts, files_open: OpenedFiles) -> Native:
    """Return the lazy table of files, with the columns that the names of their folders say."""
    check_names(name, engine.name, table_parts.names)
    if table_parts.folders is None:
        return engine.read(table_parts.files)
    table = (
        nw.from_native(engine.read(table_parts.files, by_folder=True))
        .lazy()
        .with_columns(nw.col(FOLDER).cast(nw.Int64))
    )
    folders = nw.from_native(engine.read([files_open.write(table_parts.folders, name)])).lazy()
    return table.join(folders, on=FOLDER, how="left").drop(FOLDER).to_native()


def _widened(name: str, table: Native) -> Native:
    """Add the columns that may be missing and are: every value of them is."""
    dtypes: dict[str, Any] = {"text": nw.String, "integer": nw.Int64, "number": nw.Float64, "boolean": nw.Boolean}
    frame = nw.from_native(table).lazy()
    names = frame.collect_schema().names()
    absent = [
        nw.lit(None).cast(dtypes.get(column.kind, nw.Datetime("us", "UTC"))).alias(column.name)
        for column in schema.TABLES[name].columns
        if column.name not in names and column.missing is not None
    ]
    return frame.with_columns(*absent).to_native() if absent else table
