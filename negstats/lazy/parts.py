"""A saved study whose tables are folders of Parquet files: written beside its place, hashed file by file.

The card is that of `negstats.saved`; the SHA-256 of a folder is that of its files' paths and SHA-256s.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from negstats import files, saved
from negstats import tables as schema
from negstats.errors import LogError, UsageError, one_line, shown

__all__ = ["Parts", "places", "write"]


def write(
    path: str | Path,
    put: Callable[[str, Path], None],
    provenance: Mapping[str, Any],
    folders: Mapping[str, Mapping[str, str]] | None = None,
) -> Path:
    """Write the tables and the card to the new folder `path`; `put` writes the table of a name to a new folder.

    `folders` names, for a table, the columns that stand in names of folders, and the kind of each: text or integer.

    Raises
    ------
    UsageError
        If `path` is there, or cannot be written.
    """
    given = Path(path)
    with files.refused(given):
        target = files.real(given)
        if target.exists():
            raise UsageError(f"{given}: is there; give a new folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        with files.beside(target, lambda entry: entry.name == saved.CARD or entry.name.endswith(".parquet")) as fresh:
            tables: dict[str, Any] = {}
            for name in schema.TABLES:
                folder = fresh / f"{name}.parquet"
                put(name, folder)
                tables[name] = {"sha256": _hash(folder), "rows": _rows(_files(folder))}
                if folders and folders.get(name):
                    tables[name]["folders"] = dict(folders[name])
            card: dict[str, Any] = {"schema_version": schema.SCHEMA_VERSION, **provenance, "tables": tables}
            card["sha256"] = saved.card_hash(card)
            text = json.dumps(card, indent=1, ensure_ascii=False)
            (fresh / saved.CARD).write_bytes(text.encode("utf-8", "backslashreplace"))
            files.flushed(fresh / saved.CARD)
            files.flushed(fresh)
            fresh.rename(target)
        files.flushed(target.parent)
    return given


@dataclass(frozen=True, slots=True)
class Parts:
    """The files of a table (a folder, or the one file), and the kind of each column in names of their folders."""

    table: Path
    files: list[Path]
    folders: Mapping[str, str]

    def under(self, link: Path) -> list[Path]:
        """Return the files by way of a link: an engine reads columns out of all folders of a path called k=v."""
        if not self.folders:
            return self.files
        link.symlink_to(self.table.resolve(), target_is_directory=True)
        return [link / file.relative_to(self.table) for file in self.files]

    def whole(self) -> pd.DataFrame:
        """Return all rows, in memory, in the order of the files."""
        tables = []
        for file in self.files:
            named = dict(part.split("=", 1) for part in file.parent.parts if "=" in part)
            table = pq.ParquetFile(file).read()
            for name, kind in self.folders.items():
                held = pa.scalar(_value(named[name], kind), pa.int64() if kind == "integer" else pa.string())
                table = table.append_column(name, pa.repeat(held, table.num_rows))
            tables.append(table)
        whole: pd.DataFrame = pa.concat_tables(tables, promote_options="permissive").to_pandas()
        return whole


def _value(text: str, kind: str) -> str | int | None:
    """Return what the name of a folder says."""
    if text == "__HIVE_DEFAULT_PARTITION__":
        return None
    return int(text) if kind == "integer" else unquote(text)


def places(folder: Path) -> tuple[dict[str, Any], dict[str, Parts]]:
    """Return the provenance of a saved study and the files of each table, all of them compared with their SHA-256.

    Raises
    ------
    LogError
        If a file is missing, damaged or changed since it was written, or of another version's schema.
    """
    card = saved.card_of(folder)
    inner = saved.checked_layout(folder, card)
    found = {name: _checked(inner / f"{name}.parquet", card["tables"][name]) for name in schema.TABLES}
    return saved.checked_provenance(folder, card), found


def _checked(table: Path, written: object) -> Parts:
    if not isinstance(written, dict) or not {"sha256", "rows"} <= written.keys():
        raise LogError(f"the card says of it {shown(written)}; load the logs again", file=table)
    if not table.exists():
        raise LogError("is not there; load the logs again", file=table)
    parts = _files(table)
    try:
        if _hash(table) != written["sha256"]:
            raise LogError("is no longer what was written: its SHA-256 is another; load the logs again", file=table)
        rows = _rows(parts)
    except OSError as error:  # pyarrow's errors of Parquet are OSErrors too
        raise LogError(f"is no table of a study: {one_line(error)}; load the logs again", file=table) from None
    if rows != written["rows"]:
        raise LogError(f"has {rows} rows, the card says {shown(written['rows'])}; load the logs again", file=table)
    return Parts(table, parts, written.get("folders", {}))


def _files(table: Path) -> list[Path]:
    return sorted(table.rglob("*.parquet")) if table.is_dir() else [table]


def _rows(parts: list[Path]) -> int:
    return sum(pq.read_metadata(part).num_rows for part in parts)


def _hash(table: Path) -> str:
    if not table.is_dir():
        return _hash_of_file(table)
    lines = [f"{part.relative_to(table).as_posix()} {_hash_of_file(part)}" for part in _files(table)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _hash_of_file(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
