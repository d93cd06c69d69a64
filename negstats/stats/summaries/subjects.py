"""Long frames with one row a subject and measure, brought to one row a complete subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import (
    Factor,
    Grouped,
    IntArray,
    as_pandas,
    check_columns,
    coded_factor,
    level_codes,
    numbers,
)


@dataclass(frozen=True, slots=True, eq=False)
class Subjects:
    """Subjects that have every measure.

    Attributes
    ----------
    y : ndarray, shape (subjects, measures)
    measures : Factor
        The repeated factor.
    groups : Grouped
        The cell of the between-subjects factors that each subject is in.
    missing : int
        Subjects that lack a measure or a factor. Rows without a subject count together as one.
    """

    y: FloatArray
    measures: Factor
    groups: Grouped
    missing: int


def _widen(
    y: FloatArray, subject_codes: IntArray, level: npt.NDArray[np.intp], shape: tuple[int, int]
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return values as a row a subject and a column a level that occurs, and which of the levels do."""
    is_measured = ~np.isnan(y)
    occurs = np.bincount(level if is_measured.all() else level[is_measured], minlength=shape[1]) > 0
    table = np.full(shape, np.nan)
    table.reshape(-1)[subject_codes * shape[1] + level] = y
    return table if occurs.all() else table[:, occurs], occurs


def complete_subjects(
    frame: Any,
    outcome: str,
    within: str,
    subject: str,
    between: Sequence[str] = (),
    levels: Sequence[object] | None = None,
) -> Subjects:
    """Return the subjects that have a value at every level of `within`: all levels that occur, or those of `levels`.

    Raises
    ------
    DesignError
        If a column is not there or named twice, a subject has two rows for one level or changes its between-subjects
        level, or no subject has all measures.
    """
    columns = [outcome, within, subject, *between]
    check_columns(frame, columns, "outcome, within, subject and between")
    rows = as_pandas(frame, columns)
    level, names, ordered = level_codes(rows[within])
    if levels is not None:
        level_names = {str(level_name) for level_name in levels}
        is_wanted = np.array([str(name) in level_names for name in names] + [False])[level]
        rows, level = rows[is_wanted], level[is_wanted]
    subject_codes, subjects = _code_subjects(rows[subject])
    is_known = (subject_codes >= 0) & (level >= 0)
    has_rows = np.bincount(subject_codes + 1, minlength=len(subjects) + 1) > 0
    if not is_known.all():
        rows, level, subject_codes = rows[is_known], level[is_known], subject_codes[is_known]
    level = np.asarray(level, dtype=np.intp)
    _check_once(rows, subject_codes * len(names) + level, within, subject)
    table, occurs = _widen(numbers(rows[outcome], outcome), subject_codes, level, (len(subjects), len(names)))
    # Column by column: rows are too short to be looked at one by one.
    is_complete = np.logical_and.reduce([~np.isnan(column) for column in table.T], initial=True) & has_rows[1:]
    cells = []
    for name in between:
        code, groups, in_order = _constant(rows[name], subject_codes, len(subjects), subject)
        is_complete &= code >= 0
        cells.append((name, code, groups, in_order))
    factor = Factor(within, tuple(str(name) for name, is_there in zip(names, occurs, strict=True) if is_there), ordered)
    if not is_complete.any():
        raise DesignError(f"no {subject!r} has a value at every level of {within!r} ({', '.join(factor.levels)})")
    factor_codes = [coded_factor(name, code[is_complete], groups, in_order) for name, code, groups, in_order in cells]
    cell = np.zeros(int(is_complete.sum()), dtype=np.intp)
    for between_factor, code in factor_codes:
        cell = cell * len(between_factor) + code
    missing = int(has_rows.sum() - is_complete.sum())
    y = table if is_complete.all() else table[is_complete]
    return Subjects(
        y, factor, Grouped(tuple(between_factor for between_factor, _ in factor_codes), cell, np.empty(0), 0), missing
    )


def _code_subjects(ids: pd.Series) -> tuple[npt.NDArray[np.intp], Any]:
    """Return the code of each row's subject, −1 where it is missing, and the subjects in order where they have one."""
    try:
        codes, subjects = pd.factorize(ids, sort=True)
    except TypeError:
        codes, subjects = pd.factorize(ids)
    return np.asarray(codes, dtype=np.intp), subjects


def _check_once(rows: pd.DataFrame, cell_codes: npt.NDArray[np.intp], within: str, subject: str) -> None:
    if len(cell_codes) and np.bincount(cell_codes).max() > 1:
        _, first_rows = np.unique(cell_codes, return_index=True)
        row = int(np.setdiff1d(np.arange(len(cell_codes)), first_rows)[0])
        subject_value, level = (rows[name].tolist()[row] for name in (subject, within))
        raise DesignError(
            f"{subject} {subject_value!r} has two rows for {within} {level!r}; average them or give another key"
        )


def _constant(
    column: pd.Series, subject_codes: npt.NDArray[np.intp], n_subjects: int, subject: str
) -> tuple[npt.NDArray[np.intp], list[Any], bool]:
    """Return each subject's level of a factor, −1 where it is missing in any row, as `level_codes` does."""
    codes, levels, ordered = level_codes(column)
    code = np.full(n_subjects, -1, dtype=np.intp)
    is_known = codes >= 0
    code[subject_codes[is_known]] = codes[is_known]
    changed = is_known & (codes != code[subject_codes])
    if changed.any():
        row = int(changed.argmax())
        raise DesignError(
            f"some {subject!r} is in several levels of {column.name!r}, such as {levels[codes[row]]!r} and "
            f"{levels[code[subject_codes[row]]]!r}; it is not a factor between subjects"
        )
    code[subject_codes[~is_known]] = -1
    return code, levels, ordered
