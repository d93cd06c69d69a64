"""One rule for what every test takes: a summary as it is, samples by name, or a frame with column names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from negstats.errors import DesignError
from negstats.stats.summaries import Cells, Counts, ValueCounts, Within

__all__ = ["as_cells", "as_counts", "as_values", "as_within"]

By = str | Sequence[str] | None


def _need_outcome(outcome: str | None) -> str:
    if outcome is None:
        raise DesignError("outcome is not given; with a frame, name the column that was measured")
    return outcome


def as_cells(data: Any, outcome: str | None = None, by: By = None) -> Cells:
    """Return `Cells` from Cells, ValueCounts, a mapping of level to sample, or a frame with `outcome` and `by`."""
    if isinstance(data, Cells):
        return data
    if isinstance(data, ValueCounts):
        return data.cells()
    if isinstance(data, Mapping):
        return Cells.from_samples(data, by if isinstance(by, str) else "group", outcome or "outcome")
    return Cells.from_frame(data, _need_outcome(outcome), by or ())


def as_values(data: Any, outcome: str | None = None, by: By = None) -> ValueCounts:
    """Return `ValueCounts` from ValueCounts, a mapping of level to sample, or a frame with `outcome` and `by`."""
    if isinstance(data, ValueCounts):
        return data
    if isinstance(data, Cells):
        raise DesignError("means and variances do not give ranks; give raw data or ValueCounts")
    if isinstance(data, Mapping):
        return ValueCounts.from_samples(data, by if isinstance(by, str) else "group", outcome or "outcome")
    return ValueCounts.from_frame(data, _need_outcome(outcome), by or ())


def as_counts(data: Any, by: By = None) -> Counts:
    """Return `Counts` from Counts, a nested sequence or array, or a frame whose rows are counted."""
    if isinstance(data, Counts):
        return data
    if by is None:
        return Counts.from_table(data)
    return Counts.from_frame(data, by)


def as_within(data: Any, outcome: str | None, within: str | None, subject: str | None, between: By = None) -> Within:
    """Return `Within` from Within, or a long frame with the columns `outcome`, `within`, `subject` and `between`."""
    if isinstance(data, Within):
        return data
    if within is None or subject is None:
        raise DesignError("with a frame, within and subject name the repeated factor and the subjects' ids; give both")
    return Within.from_frame(data, _need_outcome(outcome), within, subject, between or ())
