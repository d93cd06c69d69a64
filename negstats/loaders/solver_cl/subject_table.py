"""Solver-CL's subject table: one row a subject and session, with its condition and the utilities of its deal.

It is found below the folder that is loaded or beside it, and tells subjects and sessions by number (1, 1) or by the
names that the logs have (S001, Session_1).
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from negstats.errors import LogError, meant, shown
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.delimited import long_cells
from negstats.loaders.files.intake import Intake

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
    lines = csv.DictReader(io.StringIO(_text(data, file), newline=""))
    try:
        with long_cells():
            lines.fieldnames = [name.strip() for name in lines.fieldnames or ()]
            _refuse_columns(lines.fieldnames, file)
            rows = list(lines)
    except csv.Error as error:
        raise LogError(f"is not a table in text: {error}; is it damaged?", file=file, row=lines.line_num) from None
    intake.add(file, data, len(rows))
    outcomes: dict[Key, dict[str, Any]] = {}
    for place, row in enumerate(rows, start=2):
        cells = {column: _cell(row, column, file, place) for column in COLUMNS}
        key = (cells["Subject_ID"], cells["Session_ID"])
        if key in outcomes:
            raise LogError(f"subject {key[0]}, session {key[1]} is in an earlier row as well", file=file, row=place)
        outcomes[key] = cells
    return outcomes


def _text(data: bytes, file: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LogError(f"is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}", file=file) from None


def _refuse_columns(columns: Sequence[str], file: Path) -> None:
    for column in COLUMNS:
        if columns.count(column) > 1:
            raise LogError("there are two columns of this name; rename or delete one", file=file, column=column)
        if column not in columns:
            hint = meant(column, columns) if columns else "none was found; is the file cut?"
            raise LogError(f"there is no such column; {hint}", file=file, column=column)


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


def _cell(row: Mapping[str | None, Any], column: str, file: Path, place: int) -> Any:
    if None in row or row[column] is None:  # what the reader says of a row that is too long or too short
        raise LogError("has more or fewer cells than the header", file=file, row=place)
    read_cell, what = COLUMNS[column]
    try:
        return read_cell(row[column].strip())
    except ValueError:
        raise LogError(f"{shown(row[column])} is not a {what}", file=file, row=place, column=column) from None
