"""Which part of a summary a test of one factor takes: one factor of several, or a single sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from negstats.errors import DesignError
from negstats.stats._coerce import as_cells
from negstats.stats.summaries import Cells, ValueCounts

__all__ = ["one_factor", "one_sample"]

Summary = TypeVar("Summary", Cells, ValueCounts)


def one_factor(summary: Summary, by: str | None, what: str) -> Summary:
    """Return a summary of one factor: as it is, or pooled over all factors but `by`."""
    names = [factor.name for factor in summary.factors]
    if by is not None and names != [by]:
        return summary.marginal(by)
    if len(names) != 1:
        raise DesignError(f"{what} needs one factor; the data have {', '.join(map(repr, names)) or 'none'}; set by=")
    return summary


def one_sample(data: Any, outcome: str | None = None) -> Cells:
    """Return cells without a factor, from cells, a frame or plain numbers of shape ``(*studies, n)``."""
    if isinstance(data, Sequence | np.ndarray) and not isinstance(data, str):
        data = {"sample": data}
    cells = as_cells(data, outcome)
    if not cells.factors:
        return cells
    if cells.shape != (1,):
        raise DesignError(
            f"a single sample is needed, but the data have the factor {cells.factors[0].name!r} with the levels "
            f"{', '.join(map(repr, cells.factors[0].levels))}"
        )
    return cells.marginal(())
