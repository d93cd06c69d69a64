"""Solver-CL's subject table: one row a subject and session, with its condition and the utilities of its deal.

It is found below the folder that is loaded or beside it, and tells subjects and sessions by number (1, 1) or by the
names that the logs have (S001, Session_1).
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Row, rows_of
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.lines import need_columns

NAME = "experiment_subject_data.csv"

Key = tuple[str, str]  # a subject and a session, each as `as_name` gives it


def files_below(folder: Path, ending: str) -> Iterable[Path]:
    """Yield the files below a folder whose names end so; linked folders too (rglob skips them), each once."""
    real_paths = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        real = os.path.realpath(place)
        if real in real_paths:
            folders.clear()
            continue
        real_paths.add(real)
        yield from readable((Path(place, name) for name in names if name.endswith(ending)), folder)


def subject_table(path: Path, intake: Intake) -> dict[Key, dict[str, Any]]:
    """Return condition and utilities by subject and session; {} if no table is below `path` or beside its folders."""
    tables_in_folder = sorted(files_below(path, NAME)) if path.is_dir() else []
    absolute_path = path.absolute()  # a relative path does not have all its parents
    tables_in_parents = [folder / "final_dataset" / NAME for folder in [absolute_path, *absolute_path.parents][:4]]
    file = next((place for place in [*tables_in_folder, *tables_in_parents] if place.is_file()), None)
    if file is None:
        intake.notes.append(f"no {NAME} was found: the condition is missing")
        return {}
    data = intake.read(file)
    table = read_table(data, file)
    need_columns(table.names, COLUMNS, file)
    intake.add(file, data, len(table.rows))
    intake.note_table(table, COLUMNS)
    outcomes: dict[Key, dict[str, Any]] = {}
    for row in rows_of(table, Row):
        cells = {column: _cell(row, column) for column in COLUMNS}
        key = (cells["Subject_ID"], cells["Session_ID"])
        if key in outcomes:
            raise LogError(f"subject {key[0]}, session {key[1]} is in an earlier row as well", file=file, row=row.row)
        outcomes[key] = cells
    return outcomes


def as_name(text: str) -> str:
    """Return a subject or session as it is looked up: 7, 07 and 7.0 are one number, S007 and s007 one name.

    >>> [as_name(text) for text in ("7", "07", "7.0", "S007")]
    ['7', '7', '7', 's007']
    """
    number = re.fullmatch(r"0*(\d+)(\.0+)?", text)
    if not text:
        raise ValueError
    return number[1] if number else text.casefold()


def _parse_number(text: str) -> float:
    """Return a utility; NaN where the table leaves it empty, so that it confirms no deal."""
    value = float(text) if text else math.nan
    if text and not math.isfinite(value):
        raise ValueError
    return value


# The columns of the subject table that are read, how each is, and what an error calls that.
COLUMNS: dict[str, tuple[Callable[[str], Any], str]] = {
    "Subject_ID": (as_name, "number or name"),
    "Session_ID": (as_name, "number or name"),
    "Condition": (lambda text: text or None, "name"),
    "Agent_Utility": (_parse_number, "number"),
    "Human_Utility": (_parse_number, "number"),
}


def _cell(row: Row, column: str) -> Any:
    read_cell, what = COLUMNS[column]
    text = (row.text(column) or "").strip()
    try:
        return read_cell(text)
    except ValueError:
        raise row.fault(f"{shown(text)} is not a {what}", column) from None
