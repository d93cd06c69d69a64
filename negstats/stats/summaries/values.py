"""`ValueCounts`: how often each distinct value occurs in each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError
from negstats.stats._frames import Factor, group_pandas, names_of
from negstats.stats._result import FloatArray
from negstats.stats.summaries._layout import aligned, check_shape, place_of, placed, sample_of
from negstats.stats.summaries.cells import Cells
from negstats.stats.summaries.counts import Counts

__all__ = ["ValueCounts"]


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """How often each distinct value occurs in each cell: all that a rank test needs, however many rows there were.

    Attributes
    ----------
    values : ndarray, shape (k,)
        The distinct values, ascending.
    n : ndarray, shape (*studies, *levels, k)
        How often each occurs in each cell.
    factors : tuple of Factor
        Empty for a single sample.
    outcome : str
        Name of what was measured.
    missing : int
        Rows that were left out.

    Examples
    --------
    >>> ValueCounts.from_samples({"a": [1, 1, 3], "b": [3]}).n.tolist()
    [[2.0, 1.0], [0.0, 1.0]]
    """

    values: FloatArray
    n: FloatArray
    factors: tuple[Factor, ...] = ()
    outcome: str = "outcome"
    missing: int = 0

    def __post_init__(self) -> None:
        check_shape(self.n[..., 0] if self.n.shape[-1] else self.n.sum(axis=-1), self.factors)
        if self.n.shape[-1] != len(self.values) or np.any(np.diff(self.values) <= 0):
            raise DesignError("values must ascend, and n needs one entry for each on its last axis")

    @property
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack: () for one study."""
        return self.n.shape[: self.n.ndim - len(self.factors) - 1]

    @classmethod
    def from_frame(cls, frame: Any, outcome: str, by: str | Sequence[str] = ()) -> ValueCounts:
        """Count the values of `outcome` in each cell of a frame of any engine."""
        names = names_of(by)
        if not isinstance(frame, pd.DataFrame):
            counts = Counts.from_frame(frame, [*names, outcome])
            values = np.array([float(level) for level in counts.factors[-1].levels])
            return cls(values, counts.n, counts.factors[:-1], outcome, counts.missing)
        grouped = group_pandas(frame, outcome, names)
        values, code = np.unique(grouped.y, return_inverse=True)
        size = int(np.prod(grouped.shape, dtype=np.intp)) * len(values)
        n = np.bincount(grouped.cell * len(values) + code, minlength=size).astype(np.float64)
        return cls(values, n.reshape(*grouped.shape, len(values)), grouped.factors, outcome, grouped.missing)

    @classmethod
    def from_samples(
        cls, samples: Mapping[str, npt.ArrayLike], factor: str = "group", outcome: str = "outcome"
    ) -> ValueCounts:
        """Count the values of one sample a level; NaN counts as missing."""
        if not samples:
            raise DesignError("there are no samples; give at least one, such as {'a': [1, 2, 3]}")
        levels = list(samples)
        y = [sample_of(values, level) for level, values in samples.items()]
        if any(values.ndim > 1 for values in y):
            raise DesignError("ValueCounts are made of one study's samples; count the values of a stack and give n")
        code = np.repeat(np.arange(len(y)), [len(v) for v in y])
        frame = pd.DataFrame(
            {
                outcome: np.concatenate(y),
                factor: pd.Categorical.from_codes(code, pd.Index(levels)),
            }
        )
        return cls.from_frame(frame, outcome, factor)

    def __add__(self, other: ValueCounts) -> ValueCounts:
        """Merge with the value counts of other rows."""
        factors, (here, there) = aligned(self.factors, other.factors)
        shape = tuple(len(factor) for factor in factors)
        values = np.union1d(self.values, other.values)
        first = [*here, np.searchsorted(values, self.values)]
        second = [*there, np.searchsorted(values, other.values)]
        n = placed(self.n, first, (*shape, len(values)), 0.0) + placed(other.n, second, (*shape, len(values)), 0.0)
        return ValueCounts(values, n, factors, self.outcome, self.missing + other.missing)

    def marginal(self, keep: str | Sequence[str]) -> ValueCounts:
        """Pool the rows over the factors that are not kept."""
        places = sorted(place_of(self.factors, name) for name in names_of(keep))
        lead = len(self.studies)
        n = self.n.sum(axis=tuple(lead + i for i in range(len(self.factors)) if i not in places))
        return ValueCounts(self.values, n, tuple(self.factors[place] for place in places), self.outcome, self.missing)

    def cells(self) -> Cells:
        """Return n, mean and variance of each cell."""
        n = self.n.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (self.n @ self.values) / n
            ss = (self.n * (self.values - mean[..., None]) ** 2).sum(axis=-1)
            variance = np.where(n > 1, ss / (n - 1), np.nan)
        return Cells(n, mean, variance, self.factors, self.outcome, 0.0, self.missing)
