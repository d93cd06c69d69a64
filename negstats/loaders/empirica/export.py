"""Empirica's export as rows by table, whichever version wrote it: version 2's names of files and columns throughout."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from negstats.errors import LogError
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, rows_of
from negstats.loaders.files.containers import opened_archive
from negstats.loaders.files.intake import Intake, opened

Version: TypeAlias = Literal[1, 2]

CHANGED = "LastChangedAt"
TABLES = ("games", "players", "playerGames", "rounds", "playerRounds")
# Version 1 calls its files and columns otherwise; a player's data of a game stands on the player.
_FIRST = {
    "games": "games",
    "players": "players",
    "rounds": "rounds",
    "player-rounds": "playerRounds",
    "treatments": "treatments",
    "factors": "factors",
    "factor-types": "factorTypes",
}
_RENAMED = {"_id": "id", "gameId": "gameID", "roundId": "roundID", "playerId": "playerID"}
_UNREAD = Except(r"(data\.)?(urlParams|email|name|ip|ipAddress|location|.*[eE]mail.*)(LastChangedAt)?")


@dataclass(slots=True)
class Export:
    """The rows of each table, and the version that wrote them."""

    version: Version
    tables: dict[str, list[Row]] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> list[Row]:
        """Return the rows of a table; none if the export lacks it."""
        return self.tables.get(name, [])

    def by_id(self, name: str) -> dict[str, Row]:
        """Return the rows of a table by their id; raises LogError if one has none, or two have one."""
        rows_by_id: dict[str, Row] = {}
        for row in self[name]:
            key = row.text("id")
            if key is None:
                raise row.fault("is empty; each row has an id", "id")
            if rows_by_id.setdefault(key, row) is not row:
                raise row.fault(f"{key!r} is also in row {rows_by_id[key].row}", "id")
        return rows_by_id


def archived(file: Path) -> list[str]:
    """Return the names in a ZIP archive; none if it is not an archive. Raises nothing."""
    try:
        with opened(file) as stream, zipfile.ZipFile(stream) as archive:
            return archive.namelist()[:1000]
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError):
        return []


def read_export(path: Path, files: Iterable[Path], version: Version, intake: Intake) -> Export:
    """Read the tables of an export, from a folder's files or from the archive at `path`."""
    export = Export(version)
    table_names = {spelled: name for name in TABLES for spelled in (name, name[:-1])} if version == 2 else _FIRST
    contents = _unpacked(path, intake) if path.suffix.lower() == ".zip" else {file: intake.read(file) for file in files}
    for file, data in contents.items():
        name = table_names.get(file.stem)
        if name is None:
            continue
        table = read_table(data, file, columns=_UNREAD if name.startswith("player") else None)
        intake.note_table(table)
        rows = [_renamed(row) for row in rows_of(table, Row)] if version == 1 else rows_of(table, Row)
        if name in export.tables:
            raise LogError(f"is a second {file.name} in the archive", file=file)
        export.tables[name] = rows
        export.columns[name] = [_plain(column) for column in table.names] if version == 1 else list(table.names)
        if path.suffix.lower() != ".zip":
            intake.add(file, data, len(rows))
    for name in ("games", "players", "rounds"):
        if name not in export.tables:
            raise LogError(f"{name}.csv of this export is not there", file=path)
    if path.suffix.lower() == ".zip":
        intake.add(path, intake.read(path), sum(map(len, export.tables.values())))
    return export


def _unpacked(path: Path, intake: Intake) -> Mapping[Path, bytes]:
    contents = {}
    with opened_archive(intake.read(path), path) as archive:
        for entry in archive.infolist():
            parts = re.split(r"[\\/]", entry.filename)
            if ".." in parts or entry.filename.startswith(("/", "\\")):
                raise LogError("an entry has a path outside of the archive; it was refused", file=path)
            if not entry.is_dir() and entry.filename.lower().endswith(".csv"):
                contents[path / Path(*parts)] = archive.read(entry)
    return contents


def _plain(column: str) -> str:
    return _RENAMED.get(column, column.removeprefix("data."))


def _renamed(row: Row) -> Row:
    return Row(row.file, row.row, {_plain(name): cell for name, cell in row.cells.items()})
