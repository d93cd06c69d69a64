"""A saved study whose tables are folders of Parquet files: written beside its place, hashed file by file.

The card is that of `negstats.studies.folder`; the SHA-256 of a folder is that of its files' paths and SHA-256s.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from negstats import files
from negstats import tables as schema
from negstats.errors import LogError, UsageError, one_line, shown
from negstats.studies import folder as study_folder
from negstats.studies.engines import FOLDER
from negstats.studies.opened import OpenedFiles

# How the name of a folder spells a number: 01 is a name. One kind of the schema each.
NUMBERS: Sequence[tuple[str, str, Callable[[str], int | float], Any]] = (
    ("integer", r"0|-?[1-9][0-9]{0,17}", int, pa.int64()),
    ("number", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", float, pa.float64()),
)
MISSING = "__HIVE_DEFAULT_PARTITION__"  # the value that the name of a folder has for a missing one


def write(
    path: str | Path,
    write_table: Callable[[str, Path], None],
    provenance: Mapping[str, Any],
    folders: Mapping[str, Mapping[str, str]] | None = None,
) -> Path:
    """Write the tables and the card to the new folder `path`; `write_table` writes the table of a name to a new folder.

    `folders` names, for a table, the columns that stand in names of folders, and the kind of each: text or integer.

    Raises
    ------
    UsageError
        If `path` is there, or cannot be written.
    """
    destination = Path(path)
    with files.refused(destination):
        target = files.real(destination)
        if target.exists():
            raise UsageError(f"{destination}: exists already; give a new folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        with files.beside(
            target, lambda entry: entry.name == study_folder.CARD or entry.name.endswith(".parquet")
        ) as new_folder:
            # Each table with the hash of its parts; then the card, whose hash covers these.
            tables: dict[str, Any] = {}
            for name in schema.TABLES:
                folder = new_folder / f"{name}.parquet"
                write_table(name, folder)
                part_files = _files(folder)
                tables[name] = {"sha256": _hash(folder, part_files, part_files), "rows": _rows(part_files)}
                if folders and folders.get(name):
                    tables[name]["folders"] = dict(folders[name])
            card: dict[str, Any] = {"schema_version": schema.SCHEMA_VERSION, **provenance, "tables": tables}
            card["sha256"] = study_folder.card_hash(card)
            text = json.dumps(card, indent=1, ensure_ascii=False)
            (new_folder / study_folder.CARD).write_bytes(text.encode("utf-8", "backslashreplace"))
            # The folder has its name only once all of it is on the disk.
            files.flushed(new_folder / study_folder.CARD)
            files.flushed(new_folder)
            new_folder.rename(target)
        files.flushed(target.parent)
    return destination


@dataclass(frozen=True, slots=True)
class Parts:
    """The files of a table, linked, and what the names of their folders say: a row a folder, by its number `FOLDER`."""

    files: list[Path]
    folders: pa.Table | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        of_folders = [] if self.folders is None else [name for name in self.folders.column_names if name != FOLDER]
        return [*pq.read_schema(self.files[0]).names, *of_folders]

    def whole(self) -> pd.DataFrame:
        """Return all rows, in memory, in the order of the files."""
        folders = pa.table({FOLDER: pa.array([], pa.int64())}) if self.folders is None else self.folders
        levels = {row.pop(FOLDER): row for row in folders.to_pylist()}
        tables = []
        for file in self.files:
            table = pq.ParquetFile(file).read()
            for name, value in levels.get(_number(file), {}).items():
                level_column = pa.repeat(pa.scalar(value, folders.schema.field(name).type), table.num_rows)
                table = table.append_column(name, level_column)
            tables.append(table)
        all_rows: pd.DataFrame = pa.concat_tables(tables, promote_options="permissive").to_pandas()
        return all_rows


def places(folder: Path, opened: OpenedFiles) -> tuple[dict[str, Any], dict[str, Parts]]:
    """Return the provenance of a saved study and the files of each table, all of them compared with their SHA-256.

    Raises
    ------
    LogError
        If a file is missing, damaged or changed since it was written, or of another version's schema.
    """
    opened.forget()
    card = study_folder.card_of(folder)
    inner = study_folder.checked_layout(folder, card)
    provenance = study_folder.checked_provenance(folder, card)
    return provenance, {
        name: _check_table(name, inner / f"{name}.parquet", card["tables"][name], opened) for name in schema.TABLES
    }


def _check_table(name: str, table: Path, entry: object, files_open: OpenedFiles) -> Parts:
    if not isinstance(entry, dict) or not {"sha256", "rows"} <= entry.keys():
        raise LogError(f"the card of the study describes it as {shown(entry)}; load the logs again", file=table)
    if not table.exists():
        raise LogError("is not there; load the logs again", file=table)
    originals = _files(table)
    parts = linked(name, originals, _levels(table, originals, entry.get("folders", {})), files_open)
    try:
        if _hash(table, originals, parts.files) != entry["sha256"]:
            raise LogError("was changed after it was written: its SHA-256 differs; load the logs again", file=table)
        rows = _rows(parts.files)
    except OSError as error:  # pyarrow's errors of Parquet are OSErrors too
        raise LogError(f"is not a table of a study: {one_line(error)}; load the logs again", file=table) from None
    if rows != entry["rows"]:
        raise LogError(f"has {rows} rows, the card says {shown(entry['rows'])}; load the logs again", file=table)
    return parts


def linked(name: str, originals: Sequence[Path], levels: pa.Table | None, opened: OpenedFiles) -> Parts:
    """Link the files of a table; `levels` has a row a file, of the columns that its folders name."""
    if levels is None or not levels.num_columns:
        return Parts([opened.add(file, f"{name}/{position:06d}.parquet") for position, file in enumerate(originals)])
    rows = [tuple(row.values()) for row in levels.to_pylist()]
    numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    links = [opened.add(file, f"{name}/{FOLDER}={numbers[row]}/{position:06d}.parquet")
             for position, (file, row) in enumerate(zip(originals, rows, strict=True))]  # fmt: skip
    columns = zip(levels.schema, zip(*numbers, strict=True), strict=True)
    arrays = {field.name: pa.array(values, field.type) for field, values in columns}
    return Parts(links, pa.table({**arrays, FOLDER: pa.array(numbers.values(), pa.int64())}))


def of_paths(name: str, part_paths: Sequence[str | Path], opened: OpenedFiles) -> Parts | None:
    """Link Parquet files, and those in folders, that another program wrote; None if there are none.

    Folders called ``column=value`` below the folder that all of them lie in give columns, of the kind that the schema
    says, else whole numbers or numbers where all values are, else text.

    Raises
    ------
    UsageError
        If what is given is not a list of paths.
    LogError
        If a file is not there or no Parquet, or the files lie in folders of different columns.
    """
    if isinstance(part_paths, str) or not isinstance(part_paths, Sequence):
        raise UsageError(f"tables[{name!r}] is {shown(part_paths)}; give a list of Parquet files")
    paths = [Path(os.path.abspath(path)) for path in part_paths]  # noqa: PTH100 - a part ".." would be one of its folders
    originals = [file for path in paths for file in _readable(path)]
    if not originals:
        return None
    # Folders such as ``country=DE`` below what all paths share are columns.
    common_folder = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in paths]))
    texts = [dict(_parse_folder(folder) for folder in file.parent.relative_to(common_folder).parts if "=" in folder)
             for file in originals]  # fmt: skip
    for file, text in zip(originals, texts, strict=True):
        if text.keys() != texts[0].keys():
            own_columns, other_columns = (
                ", ".join(map(shown, folder_texts)) or "no column" for folder_texts in (text, texts[0])
            )
            raise LogError(f"its folders name {own_columns}, those of {originals[0]} name {other_columns}", file=file)
        try:
            columns_in_file = pq.read_schema(file).names
        except (OSError, pa.ArrowException) as error:
            raise LogError(f"is not a Parquet: {one_line(error)}", file=file) from None
    # A column that the files hold themselves is not read off their folders.
    folder_values = {column: [text[column] for text in texts] for column in texts[0] if column not in columns_in_file}
    levels = {column: _typed(name, column, values) for column, values in folder_values.items()}
    return linked(name, originals, pa.table(levels), opened)


def _readable(path: Path) -> list[Path]:
    """Return the Parquet files at a path, without those that a program has not finished or keeps for itself."""
    if not path.exists():
        raise LogError("is not there", file=path)
    parquet_files = [file for file in _files(path)
             if not any(name[0] in "._" and "=" not in name for name in file.relative_to(path).parts)]  # fmt: skip
    if not parquet_files:
        raise LogError("holds no file *.parquet", file=path)
    return parquet_files


def _parse_folder(folder: str) -> tuple[str, str | None]:
    """Return the column and the value that the name of a folder says."""
    name, _, value = folder.partition("=")
    return unquote(name), None if value == MISSING else unquote(value)


def _typed(name: str, column: str, values: Sequence[str | None]) -> pa.Array:
    """Return a column of texts as what the schema says of it, else as numbers where all are."""
    schema_kind = {column_schema.name: column_schema.kind for column_schema in schema.TABLES[name].columns}.get(column)
    texts = [value for value in values if value is not None]
    for is_kind, pattern, convert, type_ in NUMBERS:
        if schema_kind in (None, is_kind) and texts and all(re.fullmatch(pattern, value) for value in texts):
            return pa.array([None if value is None else convert(value) for value in values], type_)
    return pa.array(values, pa.string())


def rows_by_level(table: Path, folders: Mapping[str, str]) -> dict[tuple[str | int | None, ...], int]:
    """Return how many rows the files of a table in folders have, by what the names of their folders say."""
    originals, counts = _files(table), dict[tuple[str | int | None, ...], int]()
    levels = _levels(table, originals, folders)
    for file, row in zip(originals, [] if levels is None else levels.to_pylist(), strict=levels is not None):
        key = tuple(row.values())
        counts[key] = counts.get(key, 0) + _rows([file])
    return counts


def _number(link: Path) -> int:
    """Return the number of the folder of a link; −1 if it lies in none that has one."""
    name, _, number = link.parent.name.partition("=")
    return int(number) if name == FOLDER else -1


def _levels(table: Path, originals: Sequence[Path], folders: Mapping[str, str]) -> pa.Table | None:
    """Return what the names of each file's folders say of the columns `folders`, each of its kind."""
    if not folders:
        return None
    columns = {}
    for depth, (name, kind) in enumerate(folders.items()):
        values = [_value(table, file.relative_to(table).parts[depth], name, kind) for file in originals]
        columns[name] = pa.array(values, pa.int64() if kind == "integer" else pa.string())
    return pa.table(columns)


def _value(table: Path, folder: str, name: str, kind: str) -> str | int | None:
    """Return what the name of a folder says of a column."""
    start = next((start for start in (f"{name}=", f"{quote(name, safe='')}=") if folder.startswith(start)), None)
    text = "" if start is None else folder.removeprefix(start)
    if start is not None and text == MISSING:
        return None
    if start is None or (kind == "integer" and not re.fullmatch(r"-?\d+", text, re.ASCII)):
        raise LogError(f"the folder {shown(folder)} names no value of {shown(name)}; load the logs again", file=table)
    return int(text) if kind == "integer" else unquote(text)


def _files(table: Path) -> list[Path]:
    return sorted(table.rglob("*.parquet")) if table.is_dir() else [table]


def _rows(part_files: Sequence[Path]) -> int:
    return sum(pq.read_metadata(part).num_rows for part in part_files)


def _hash(table: Path, originals: Sequence[Path], links: Sequence[Path]) -> str:
    """Return the SHA-256 of a table: of its file, or of its files' paths and SHA-256s."""
    hashes = [_hash_of_file(link) for link in links]
    if originals == [table]:
        return hashes[0]
    lines = [
        f"{original.relative_to(table).as_posix()} {sha256}" for original, sha256 in zip(originals, hashes, strict=True)
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _hash_of_file(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
