"""Guessing what names a game by how rows lie, where no name of a column tells: groups of seats, and lone rows."""

from __future__ import annotations

import re

import pandas as pd

from negstats.loaders.mapping.columns import Columns, are_few, are_whole
from negstats.loaders.mapping.guess_result import MOST_SEATS
from negstats.loaders.mapping.words import ROW, SIGNS

_COARSE = 30  # rows of each value, from which a column of few values names no game
_IN_SEQUENCE = 0.6  # of the rows follow the one above by one
_NAMES_A_RUN = r"(.*_)?(id|run|code|key|index|path|file|config|instance|sample|simulation|episode|nr|number)"


def is_coarse(columns: Columns, name: str) -> bool:
    """Whether a column has few values, and so many rows of each that it tells kinds of games and not games."""
    return are_few(columns.of[name]) and columns.rows / columns.of[name].nunique() > _COARSE


def find_seat_groups(columns: Columns, player: str | None) -> str | None:
    r"""Return the column whose every value stands in one row a seat; the first that is called as a run is, else None.

    Examples
    --------
    >>> from negstats.loaders.files.delimited import read_delimited
    >>> from negstats.loaders.files.tabular import Form
    >>> from pathlib import Path
    >>> lines = b"kind,run_id,who\na,1,x\na,1,y\na,2,x\na,2,y\nb,3,x\nb,3,y\n"
    >>> table = read_delimited(lines, Path("log.csv"), Form(), None)
    >>> find_seat_groups(Columns(table), "who")
    'run_id'
    """
    if player is None:
        return None
    for name, own in columns.plain.items():
        values = columns.of[name]
        if name in columns.taken or name == player or name in SIGNS or not re.fullmatch(_NAMES_A_RUN, own):
            continue
        if values.isna().any() or values.nunique() < 2 or columns.repeats([name, player]):
            continue
        sizes = values.value_counts()
        if sizes.min() >= 2 and sizes.max() <= MOST_SEATS:
            return name
    return None


def find_row_name(columns: Columns) -> list[str]:
    """Return the column called as a run is that says something else in each row; the row itself if none does."""
    for name, own in columns.plain.items():
        values = columns.of[name]
        is_free = name not in columns.taken and name not in SIGNS and re.fullmatch(_NAMES_A_RUN, own) is not None
        if is_free and values.notna().all() and values.is_unique:
            columns.taken.add(name)
            return [name]
    return [ROW]


def is_sequence(values: pd.Series) -> bool:
    """Whether numbers count: most rows follow the one above by one, or stand at the same number.

    Examples
    --------
    >>> is_sequence(pd.Series(["1", "2", "3", "1", "2", "3"])), is_sequence(pd.Series(["40", "7", "12", "90", "3"]))
    (True, False)
    """
    if not are_whole(values):
        return False
    steps = pd.to_numeric(values.dropna()).diff().dropna()
    return bool(len(steps) and steps.isin([0, 1]).mean() >= _IN_SEQUENCE)
