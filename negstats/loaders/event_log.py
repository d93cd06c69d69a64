"""A log of events in lines: how it becomes a study at once, and what is needed to take it in pieces.

A loader gives the tables of any lines that hold whole games; then the same code reads a log that fits in memory and,
games of some megabytes at a time, one that does not (`negstats.loaders.streaming`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import orjson
import pandas as pd

from negstats.errors import LogError
from negstats.loaders.files.damaged import Parts
from negstats.loaders.files.events import SUFFIX, log_files
from negstats.loaders.files.intake import Intake
from negstats.loaders.format import Evidence, Format, Track
from negstats.studies.study import Study
from negstats.tables import conform

Reader: TypeAlias = Callable[[Sequence[Path], Intake, Track], dict[str, pd.DataFrame]]


@dataclass(frozen=True, slots=True)
class EventLog:
    """One loader's log of events.

    Attributes
    ----------
    name, version : str
        Of the loader.
    unit : str
        The event that begins what belongs together, and the field that names it: "game", "talk", "session". An event
        that does not name it belongs to the one that began last in its file.
    tables : Reader
        The tables of some files' lines, noting to the intake what was read.
    shared : tuple of str
        Events that belong to no unit and that any may need.
    """

    name: str
    version: str
    unit: str
    tables: Reader
    shared: tuple[str, ...] = ()

    @property
    def parts(self) -> Parts:
        """How the units of a file are told apart."""
        return Parts(lambda data, row: unit_rows(data, row, self.unit, self.shared))

    def read(self, path: Path, track: Track) -> Study:
        """Read all of a log at once; raises LogError naming file and row."""
        intake = Intake(path)
        tables = self.tables(self.files(path), intake, track)
        return Study(provenance=intake.provenance(self.name, self.version), **tables)

    def describe_format(self, what: str, matches: Callable[[Path], Evidence | None]) -> Format:
        """Return the log as a format: what it is, in words, and how it is known."""
        return Format(self.name, what, matches, self.read, events=self, parts=self.parts)

    @staticmethod
    def files(path: Path) -> list[Path]:
        """Return the files of a log; raises LogError if there is none."""
        log_paths = log_files(path)
        if not log_paths:
            raise LogError(f"holds no *{SUFFIX} file", file=path)
        return log_paths


def build_table(name: str, rows: Collection[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a table of the study; a column that a row does not have is missing there."""
    columns = dict.fromkeys(chain.from_iterable(rows))
    return conform(name, {column: [row.get(column) for row in rows] for column in columns})


def unit_rows(data: bytes, row: int, unit: str, shared: Sequence[str]) -> frozenset[int]:
    r"""Return the rows of the unit that a row is of; none where the row is of no unit, or needed by others.

    A line that is not JSON is of the unit that it names as far as it can be read, else of the one that began last.

    Examples
    --------
    >>> lines = b'{"event": "game", "game": "a"}\n{"event": "game", "game": "b"}\n{"game": "a", "ev'
    >>> sorted(unit_rows(lines, 3, "game", ()))
    [1, 3]
    """
    unit_pattern = re.compile(rb'"%s"\s*:\s*"([^"\\]+)"' % re.escape(unit.encode()))
    units: dict[int, str | None] = {}
    current_unit: str | None = None
    for place, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            event = orjson.loads(line)
            kind, name = event.get("event"), event.get(unit)
        except (orjson.JSONDecodeError, AttributeError):
            unit_match = unit_pattern.search(line)
            kind, name = None, unit_match[1].decode("utf-8", "replace") if unit_match else current_unit
        if kind in shared:
            continue
        name = name if isinstance(name, str) and name else current_unit
        units[place] = name
        current_unit = name if kind == unit else current_unit
    own = units.get(row)
    return frozenset(place for place, name in units.items() if own is not None and name == own)
