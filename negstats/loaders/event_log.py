"""A log of events in lines: how it becomes a study at once, and what is needed to take it in pieces.

A loader gives the tables of any lines that hold whole games; then the same code reads a log that fits in memory and,
games of some megabytes at a time, one that does not (`negstats.loaders.streaming`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pandas as pd

from negstats.errors import LogError
from negstats.loaders.files.events import SUFFIX, log_files
from negstats.loaders.files.intake import Intake
from negstats.loaders.format import Track
from negstats.studies.study import Study

__all__ = ["EventLog", "Reader"]

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

    def read(self, path: Path, track: Track) -> Study:
        """Read all of a log at once; raises LogError naming file and row."""
        intake = Intake(path)
        made = self.tables(self.files(path), intake, track)
        return Study(provenance=intake.provenance(self.name, self.version), **made)

    @staticmethod
    def files(path: Path) -> list[Path]:
        """Return the files of a log; raises LogError if there is none."""
        found = log_files(path)
        if not found:
            raise LogError(f"holds no *{SUFFIX} file", file=path)
        return found
