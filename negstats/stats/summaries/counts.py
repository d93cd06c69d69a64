"""`Counts`: a contingency table with named dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.summaries._layout import (
    aligned,
    cell_frame,
    check_shape,
    named_factors,
    place_of,
    placed,
)
from negstats.stats.summaries.aggregation import Function
from negstats.stats.summaries.frames import Factor, group_in_engine, group_pandas, names_of


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """A contingency table with named dimensions.

    Attributes
    ----------
    n : ndarray, shape (*studies, *levels)
        How many observations are in each cell.
    factors : tuple of Factor
        Name and levels of each dimension.
    missing : int
        Rows that were left out because a factor was missing.

    Examples
    --------
    >>> table = Counts.from_table([[5, 91], [19, 78]], {"agent": ["fair", "selfish"], "walked away": ["yes", "no"]})
    >>> table.n.sum()
    np.float64(193.0)
    """

    n: FloatArray
    factors: tuple[Factor, ...]
    missing: int = 0

    def __post_init__(self) -> None:
        check_shape(self.n, self.factors)
        if np.any(self.n < 0) or not np.all(np.isfinite(self.n)):
            raise DesignError(f"a count is negative or missing: {self.n.tolist()}")

    @property
    def shape(self) -> tuple[int, ...]:
        """How many levels each dimension has."""
        return tuple(len(factor) for factor in self.factors)

    @property
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack: () for one table."""
        return self.n.shape[: self.n.ndim - len(self.factors)]

    @classmethod
    def from_frame(cls, frame: Any, by: str | Sequence[str], weights: str | None = None) -> Counts:
        """Count the rows of a frame (any engine) in each cell, or sum the column `weights` of counts.

        Parameters
        ----------
        frame
            One row an observation, or one row a cell with its count in `weights`.
        by
            The columns of the dimensions.
        weights
            The column of counts; each row counts once by default.
        """
        names = names_of(by)
        if isinstance(frame, pd.DataFrame):
            groups = group_pandas(frame, weights, names)
            size = int(np.prod(groups.shape))
            counts = np.bincount(groups.cell, groups.y if weights else None, size).astype(np.float64)
            return cls(counts.reshape(groups.shape), groups.factors, groups.missing)
        weighed: Mapping[str, tuple[str, Function]] = {"__n": ("__y", "count"), "__total": ("__y", "sum")}
        rows, factors, cell, missing = group_in_engine(frame, names, weights, {} if weights is None else weighed)
        n = np.zeros(tuple(len(factor) for factor in factors))
        n.flat[cell] = rows["__rows" if weights is None else "__total"].to_numpy(dtype=np.float64)
        return cls(n, factors, missing)

    @classmethod
    def from_table(
        cls, n: npt.ArrayLike, factors: Mapping[str, Sequence[str]] | None = None, *, stacked: int = 0
    ) -> Counts:
        """Take a table of counts; `stacked` leading axes are studies, the others are the dimensions.

        Parameters
        ----------
        n
            The counts, one axis a dimension.
        factors
            Names and levels, in the order of the axes; named ``factor_1``, ... if not given.
        stacked
            How many leading axes are studies.

        Raises
        ------
        DesignError
            If they are not numbers.
        """
        try:
            counts = floats("n", n)
        except DesignError:
            advice = "give nested lists of numbers, of one length, or a frame and the names of its columns"
            raise DesignError(f"{shown(n)} is not a table of counts; {advice}") from None
        return cls(counts, named_factors(factors, counts.shape[stacked:]))

    def __add__(self, other: Counts) -> Counts:
        """Merge with the counts of other rows; levels that only one side has are kept."""
        factors, (first_places, second_places) = aligned(self.factors, other.factors)
        shape = tuple(len(factor) for factor in factors)
        n = placed(self.n, first_places, shape, 0.0) + placed(other.n, second_places, shape, 0.0)
        return Counts(n, factors, self.missing + other.missing)

    def marginal(self, keep: str | Sequence[str]) -> Counts:
        """Sum over the dimensions that are not kept.

        Parameters
        ----------
        keep
            The names of the dimensions that stay.

        Returns
        -------
        Counts
            Counts with one axis a dimension that stays.
        """
        places = [place_of(self.factors, name) for name in names_of(keep)]
        lead = len(self.studies)
        n = self.n.sum(axis=tuple(lead + i for i in range(len(self.factors)) if i not in places))
        axis_order = sorted(places)
        n = n.transpose(tuple(range(lead)) + tuple(lead + axis_order.index(place) for place in places))
        return Counts(n, tuple(self.factors[place] for place in places), self.missing)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a cell: the levels and n. For a single table.

        Returns
        -------
        DataFrame
            One column a dimension, and ``n``.
        """
        return cell_frame(self.factors, {"n": self.n})
