"""`open_study`: a saved study, in memory or with its rows left with an engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from negstats import tables as schema
from negstats.studies import folder as study_folder
from negstats.studies import parts
from negstats.studies.frames import MEMORY, frames_of_folder
from negstats.studies.opened import OpenedFiles
from negstats.studies.provenance import Provenance, provenance_of
from negstats.studies.records import OF_TABLES
from negstats.studies.study import Study


def open_study(path: str | Path, *, engine: str | None = None, memory: str = MEMORY) -> Study:
    """Open a study that `Study.save` wrote; SHA-256s are compared with those in its card.

    Parameters
    ----------
    path
        The study's folder.
    engine
        "duckdb", "polars" or "pyspark": leave the rows with this engine, for studies larger than memory.
    memory
        What the engine may use before it spills to the disk (DuckDB, and the driver of a local Spark).

    Returns
    -------
    Study
        The study with its tables and where they came from.

    Raises
    ------
    UsageError
        If `path` is not there or no saved study, or no engine is called so.
    LogError
        If a file of it is missing, damaged or changed, or a later version of negstats wrote it.
    SchemaError
        If a table is not as described.
    """
    folder = Path(path)
    if engine is not None:
        card, frames = frames_of_folder(folder, engine, memory)
        return Study.of_frames(frames, provenance_of(card, folder))
    study_folder.check_is_study(folder)
    if any((folder / f"{name}.parquet").is_dir() for name in schema.TABLES):
        return _read_parts(folder)
    card, tables = study_folder.read(folder)
    return Study(provenance=_without_suspicions(provenance_of(card, folder)), **tables)


def _without_suspicions(provenance: Provenance) -> Provenance:
    """Return a provenance without what was suspicious about the tables: of tables in memory it is looked for anew."""
    records = tuple(record for record in provenance.records if record.kind not in OF_TABLES)
    return provenance if records == provenance.records else replace(provenance, records=records)


def _read_parts(folder: Path) -> Study:
    """Open a study that an engine wrote: each table a folder of files."""
    files_open = OpenedFiles()
    try:
        card, parts_by_table = parts.places(folder, files_open)
        tables = {name: schema.conform(name, parts_of_table.whole()) for name, parts_of_table in parts_by_table.items()}
        files_open.check()
    finally:
        files_open.close()
    return Study(provenance=_without_suspicions(provenance_of(card, folder)), **tables)


MANY = 1_000_000  # rows of a study that are not brought into memory to be counted


def open_saved(folder: str | Path) -> Study:
    """Open a saved study, a large one with its rows left where they are.

    Parameters
    ----------
    folder
        The folder of the study.

    Returns
    -------
    Study
        In memory below a million rows, or where DuckDB is not installed; else with DuckDB.

    Raises
    ------
    UsageError, LogError, SchemaError
        As `open_study`.

    Examples
    --------
    >>> open_saved("datasets/robot/study").in_memory
    True
    """
    from importlib.util import find_spec

    rows = sum(table["rows"] for table in study_folder.card_of(Path(folder))["tables"].values())
    return open_study(folder) if rows < MANY or find_spec("duckdb") is None else open_study(folder, engine="duckdb")
