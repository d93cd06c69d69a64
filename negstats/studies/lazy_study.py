"""`LazyStudy`: the tables of a study as lazy frames of one engine, read from a saved study or given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from negstats import tables as schema
from negstats.errors import LogError, SchemaError, UsageError, meant, one_line, shown
from negstats.sanitize import line
from negstats.studies import folder as study_folder
from negstats.studies import parts
from negstats.studies.checks import check, check_columns, check_names
from negstats.studies.engines import FOLDER, Engine, Memory, Spill, engine_called
from negstats.studies.opened import OpenedFiles
from negstats.studies.study import Provenance, Study, provenance_of

__all__ = ["LazyStudy", "on_engine"]

MEMORY = "2GB"


class _Frames(Mapping[str, Any]):
    """Tables in memory as polars' lazy frames, each made at its first use."""

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        self._tables = tables
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            check_names(name, "memory", list(self._tables[name].columns))
            self._made[name] = _polars(self._tables[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


@dataclass(frozen=True, slots=True, eq=False)
class LazyStudy:
    """A study whose rows stay with an engine. Made by `open_study` with an engine, or by `of`.

    Attributes
    ----------
    tables : mapping of str to lazy frame
        DuckDB relations, polars LazyFrames or PySpark DataFrames, as `negstats.tables.TABLES` describes them.
    provenance : Provenance
        Loader, files, rows left out.
    engine : Engine
        Reads, writes and keeps tables.
    spill : Spill or None
        The folder for what is kept; it goes when the study does. None in memory.
    opened : OpenedFiles or None
        The files that the tables were read from. None in memory.
    pandas_study : Study or None
        The study in memory that the tables are, whole.
    measure_frames : dict of str to lazy frame
        Measures in memory, by name: what several questions ask of is computed once.

    Examples
    --------
    >>> import negstats
    >>> study = negstats.open_study("datasets/contract_sim/study", engine="duckdb")
    >>> study.rows("games")
    223
    """

    tables: Mapping[str, Any]
    provenance: Provenance
    engine: Engine
    spill: Spill | None = None
    opened: OpenedFiles | None = None
    pandas_study: Study | None = None
    measure_frames: dict[str, nw.LazyFrame[Any]] = field(default_factory=dict)

    @classmethod
    def in_memory(cls, study: Study) -> LazyStudy:
        """Return a study that is in memory as polars' frames, each made when it is asked for; nothing is checked."""
        return cls(_Frames(study.tables), study.provenance, Memory(Path(), ""), pandas_study=study)

    @classmethod
    def open(cls, path: str | Path, engine: str, memory: str = MEMORY) -> LazyStudy:
        """Open a saved study, each table a file or a folder of files; see `negstats.studies.open_study`."""
        folder = Path(path)
        study_folder.check_is_study(folder)
        opened = OpenedFiles()
        made = engine_called(engine, opened.folder, memory)
        card, places = study_folder.settled(folder, lambda: parts.places(folder, opened))
        tables = {name: _read(name, made, found, opened) for name, found in places.items()}
        check_columns(tables)
        return cls(tables, provenance_of(card, folder), made, Spill(), opened)

    @classmethod
    def of(
        cls,
        tables: Mapping[str, Sequence[str | Path]],
        provenance: Provenance,
        *,
        engine: str = "duckdb",
        memory: str = MEMORY,
    ) -> LazyStudy:
        """Make a study of Parquet files that another program wrote: the files of each table by its name.

        A table that is not given is empty, and so is a column that may be missing. Columns are checked; values are when
        the study is saved (`save`) or asked to be (`check`).

        Raises
        ------
        UsageError
            If no engine is called so, no ``games`` are given, or a table's files are no list of paths.
        LogError
            If a file is not there, or is no Parquet.
        SchemaError
            If there is no such table, or a column is not there or of another kind.
        """
        for name in tables:
            if name not in schema.TABLES:
                raise SchemaError(f"no such table; {meant(name, schema.TABLES)}", table=name)
        if "games" not in tables:
            raise UsageError("tables has no 'games'; give its files")
        opened = OpenedFiles()
        made = engine_called(engine, opened.folder, memory)
        read = {}
        for name in schema.TABLES:
            if found := parts.of_paths(name, tables.get(name, ()), opened):
                read[name] = _widened(name, _read(name, made, found, opened))
            else:
                empty = pa.Table.from_pandas(schema.empty(name), preserve_index=False)
                read[name] = made.read([opened.write(empty, name)])
        check_columns(read)
        return cls(read, provenance, made, Spill(), opened)

    @property
    def factors(self) -> list[str]:
        """The design's factors: the columns of ``games`` beyond those that every study has, and beyond its measures."""
        names, measures = nw.from_native(self.tables["games"]).collect_schema().names(), set(self.measures)
        return [name for name in names if name not in schema.TABLES["games"].names and name not in measures]

    @property
    def measures(self) -> list[str]:
        """The study's own measures: the numbers of its games and offers that its mapping names in ``[measures]``."""
        return schema.own_measures_of(self.tables, self.provenance.loader)

    def frame(self, table: str) -> nw.LazyFrame[Any]:
        """Return a table in narwhals' lazy form.

        Raises
        ------
        LogError
            If a file of the study has changed since it was opened; see `check_unchanged`.
        """
        self.check_unchanged()
        found: nw.LazyFrame[Any] = nw.from_native(self.tables[table]).lazy()
        return found

    def check_unchanged(self) -> None:
        """Check that the study's files are those that were opened.

        A study that is replaced or removed while it is open is read as it was opened, where the folder for temporary
        files is on the same file system; elsewhere, and where somebody has written into a file, this is refused.

        Raises
        ------
        LogError
            If a file was written to, replaced or removed.
        """
        if self.opened is not None:
            self.opened.check()

    def rows(self, table: str) -> int:
        """Return how many rows a table has."""
        counted = self.frame(table).select(nw.len().alias("rows")).collect("pyarrow")
        return int(counted["rows"][0])

    def keep(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Compute a lazy frame once, and return it lazily: in memory, or of files in the spill folder."""
        native = self.engine.keep(frame.to_native(), self._place)
        self.check_unchanged()
        kept: nw.LazyFrame[Any] = nw.from_native(native).lazy()
        return kept

    def in_order(self, frame: nw.LazyFrame[Any], keys: Sequence[str]) -> nw.LazyFrame[Any]:
        """Return rows in the order of keys in memory, so that sums have the same last digits each time.

        Engines on disk add rows up in an order of their own anyhow, and need not sort.
        """
        return frame.sort(*keys, nulls_last=True) if self.spill is None else frame

    def _place(self) -> Path:
        if self.spill is None:
            raise UsageError("the study is in memory, where nothing is written")
        return self.spill.place()

    def from_pandas(self, frame: pd.DataFrame) -> nw.LazyFrame[Any]:
        """Return a frame that was computed in memory as one of the study's engine, which is in memory too."""
        made: nw.LazyFrame[Any] = nw.from_native(_polars(frame)).lazy()
        return made

    def home(self) -> Study:
        """Return the study in memory: the one that was loaded, or its rows that are left in the order of their keys."""
        if self.pandas_study is not None:
            return self.pandas_study
        tables = {name: _at_home(name, self.frame(name)) for name in schema.TABLES}
        return Study(provenance=self.provenance, **tables)

    def batches(self, frame: nw.LazyFrame[Any], rows: int = 100_000) -> Iterator[pd.DataFrame]:
        """Yield all rows of a lazy frame, so many at a time; its files go when the last was yielded."""
        if self.spill is None:
            whole = frame.collect("pyarrow").to_native()
            for batch in whole.to_batches(rows):
                yield batch.to_pandas()
            return
        for file in self._written(frame):
            with pq.ParquetFile(file) as parquet:
                for batch in parquet.iter_batches(rows):
                    yield batch.to_pandas()
            file.unlink()

    def _written(self, frame: nw.LazyFrame[Any]) -> list[Path]:
        folder = self._place()
        self.engine.write(frame.to_native(), folder, ())
        self.check_unchanged()
        return sorted(folder.rglob("*.parquet"))

    def some(self, games: int) -> Study:
        """Bring the first games by their ids home, with all that belongs to them, as a study in memory.

        Examples
        --------
        >>> import negstats
        >>> len(negstats.open_study("datasets/contract_sim/study", engine="duckdb").some(5).games)
        5
        """
        ids = self.frame("games").select("game_id").sort("game_id").head(games)
        people = self.frame("players").join(ids, on="game_id", how="semi").select("participant_id").unique()
        tables = {}
        for name in schema.TABLES:
            every = self.frame(name)
            frame = every.join(ids, on="game_id", how="semi")
            if name == "answers":  # those about no game are of the people in these
                alone = every.filter(nw.col("game_id").is_null()).join(people, on="participant_id", how="semi")
                frame = nw.concat([frame, alone])
            tables[name] = _at_home(name, frame)
        self.check_unchanged()
        return Study(provenance=self.provenance, **tables)

    def check(self) -> None:
        """Check every row, as a `Study` is checked when it is made; the engine does it, in a few passes.

        Raises
        ------
        SchemaError
            Naming table and column: a missing value where none may be, a value outside its levels, two rows with one
            key, a reference to a row that does not exist.
        """
        self.check_unchanged()
        check(self.tables)
        self.check_unchanged()

    def save(self, path: str | Path, *, partition_by: Mapping[str, Sequence[str]] | None = None) -> Path:
        """Check the study and write it to a new folder: Parquet files, a folder a table, and the card.

        Parameters
        ----------
        path
            A folder that is not there yet.
        partition_by
            For a table, the columns by whose values its files are put in folders ``column=value``.

        Raises
        ------
        UsageError
            If `path` is there, or `partition_by` names a table or column that is not, one that is neither text nor
            whole numbers, or one with a value that the name of a folder cannot say; or if the engine cannot write it.
        LogError
            If a file of the study has changed since it was opened.
        SchemaError
            As `check`.
        """
        named = {table: self._folders(table, columns) for table, columns in (partition_by or {}).items()}
        folders = {table: columns for table, columns in named.items() if self.rows(table)}  # else there is no folder
        self.check()

        def put(name: str, folder: Path) -> None:
            # By way of a link, for an engine may take the path that the user gave for more than a path.
            link = self._place()
            link.symlink_to(folder.parent.absolute(), target_is_directory=True)
            try:
                self.engine.write(self.tables[name], link / folder.name, list(folders.get(name, ())))
            except Exception as error:  # each engine has errors of its own: no room, no permission, a name too long
                self.check_unchanged()
                raise UsageError(f"{path}: {name} cannot be written: {one_line(error)}") from error
            self.check_unchanged()
            if folders.get(name):
                self._check_folders(name, folder, folders[name])

        return parts.write(path, put, asdict(self.provenance), folders)

    def _folders(self, table: str, columns: Sequence[str]) -> dict[str, str]:
        """Return the kind of each column that names of folders are to hold."""
        if table not in self.tables:
            raise UsageError(f"partition_by names the table {shown(table)}; {meant(table, schema.TABLES)}")
        there = self.frame(table).collect_schema()
        kinds = {}
        for column in columns:
            if column not in there:
                raise UsageError(f"partition_by names {shown(column)} of {table}; {meant(column, there.names())}")
            kind = there[column]
            if not (kind.is_integer() or kind in (nw.String, nw.Categorical) or isinstance(kind, nw.Enum)):
                raise UsageError(
                    f"partition_by names {shown(column)} of {table}, which holds {kind}; text or integers do"
                )
            kinds[column] = "integer" if kind.is_integer() else "text"
        return kinds

    def _check_folders(self, table: str, folder: Path, folders: Mapping[str, str]) -> None:
        """Check that the names of the folders that were written say what the columns said, row for row."""
        keys = [f"f{place}" for place in range(len(folders))]
        frame = self.frame(table).select(nw.col(name).alias(key) for name, key in zip(folders, keys, strict=True))
        counted = frame.group_by(*keys).agg(nw.len().alias("rows")).collect("pyarrow").to_native().to_pylist()
        expected = {tuple(row[key] for key in keys): row["rows"] for row in counted}
        try:
            found = parts.rows_by_level(folder, folders)
        except LogError:
            found = {}
        if wrong := [levels for levels, rows in expected.items() if found.get(levels) != rows]:
            levels = ", ".join(f"{shown(name)} {shown(level)}" for name, level in zip(folders, wrong[0], strict=True))
            raise UsageError(f"partition_by of {table}: no folder can be called after {levels}; partition by others")

    def __repr__(self) -> str:
        loader = line(self.provenance.loader, 60)
        return f"<LazyStudy by {loader} in {self.engine.name}: {len(self.provenance.sources)} sources>"


def _at_home(name: str, frame: nw.LazyFrame[Any]) -> pd.DataFrame:
    """Return a table in memory, in the order of its keys."""
    rows = frame.sort(*schema.TABLES[name].key, nulls_last=True).collect("pyarrow").to_pandas()
    return schema.conform(name, rows)


def _polars(frame: pd.DataFrame) -> Any:
    import polars as pl

    made: Any = pl.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))
    return made.lazy()


def _read(name: str, engine: Engine, found: parts.Parts, opened: OpenedFiles) -> Any:
    """Return the lazy table of files, with the columns that the names of their folders say."""
    check_names(name, engine.name, found.names)
    if found.folders is None:
        return engine.read(found.files)
    table = nw.from_native(engine.read(found.files, by_folder=True)).lazy().with_columns(nw.col(FOLDER).cast(nw.Int64))
    folders = nw.from_native(engine.read([opened.write(found.folders, name)])).lazy()
    return table.join(folders, on=FOLDER, how="left").drop(FOLDER).to_native()


def _widened(name: str, table: Any) -> Any:
    """Add the columns that may be missing and are: every value of them is."""
    kinds: dict[str, Any] = {"text": nw.String, "integer": nw.Int64, "number": nw.Float64, "boolean": nw.Boolean}
    frame = nw.from_native(table).lazy()
    there = frame.collect_schema().names()
    added = [
        nw.lit(None).cast(kinds.get(column.kind, nw.Datetime("us", "UTC"))).alias(column.name)
        for column in schema.TABLES[name].columns
        if column.name not in there and column.missing is not None
    ]
    return frame.with_columns(*added).to_native() if added else table


def on_engine(study: Study | LazyStudy) -> LazyStudy:
    """Return a study as frames of an engine: as it was opened, or in memory."""
    return study if isinstance(study, LazyStudy) else LazyStudy.in_memory(study)
