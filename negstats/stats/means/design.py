"""A factorial design as the analyses of variance see it: flat arrays of cells that were checked, and the pooled error.

What cannot be analysed is refused here, in one plain sentence each: no factor or too many, a factor with one level, a
factor that repeats another, no error degrees of freedom, no variance, an empty cell where the question needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from negstats.errors import DesignError, NotEstimable
from negstats.stats.means.linear import Term, all_terms
from negstats.stats.results.numbers import ROUNDING, FloatArray, shared, sums
from negstats.stats.summaries import Cells
from negstats.stats.summaries.coerce import as_cells
from negstats.stats.summaries.frames import By, Factor, names_of

MOST_FACTORS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Cells laid out flat, shape ``(*studies, cells)``.

    Attributes
    ----------
    factors : tuple of Factor
    shape : tuple of int
        How many levels each factor has.
    n, mean, ss : ndarray, shape (*studies, cells)
        Observations; mean measured from `centre` (0 where a cell is empty); sum of squares inside the cell.
    centre : ndarray, shape (*studies, 1)
        What the means are measured from, so that contrasts of large numbers keep their digits.
    outcome : str
    missing : int
    """

    factors: tuple[Factor, ...]
    shape: tuple[int, ...]
    n: FloatArray
    mean: FloatArray
    ss: FloatArray
    centre: FloatArray
    outcome: str
    missing: int

    @classmethod
    def of(cls, data: Any, outcome: str | None = None, by: By = None) -> Design:
        """Take Cells, ValueCounts, samples by name, or a frame; `by` chooses and orders the factors of a summary."""
        cells = as_cells(data, outcome, by)
        if by is not None and not isinstance(data, Mapping):
            names = names_of(by)
            if names != [factor.name for factor in cells.factors]:
                cells = cells.marginal(names)
        return cls.of_cells(cells)

    @classmethod
    def of_cells(cls, cells: Cells) -> Design:
        """Lay out and check the cells."""
        shape = cells.shape
        check_levels(cells.factors)
        _check_terms(tuple(factor.name for factor in cells.factors))
        n, offset, ss = (array.reshape(*cells.studies, -1) for array in (cells.n, cells.offset, cells.ss))
        if shared(n).min() > 0:
            centre = sums(offset)[..., None] / offset.shape[-1]
            mean = offset - centre
        else:
            _check_repeats(cells)
            with np.errstate(invalid="ignore", divide="ignore"):
                centre = np.nansum(offset, axis=-1, keepdims=True) / (n > 0).sum(axis=-1, keepdims=True)
            mean = np.where(n > 0, offset - centre, 0.0)
        return cls(cells.factors, shape, n, mean, ss, cells.origin + centre, cells.outcome, cells.missing)

    @property
    def names(self) -> tuple[str, ...]:
        """The factors' names."""
        return tuple(factor.name for factor in self.factors)

    @property
    def studies(self) -> tuple[int, ...]:
        """The shape of the stack: () for one study."""
        return self.n.shape[:-1]

    def place(self, name: str) -> int:
        """Return the place of a factor; DesignError if there is none of that name."""
        if name not in self.names:
            raise DesignError(f"there is no factor {name!r}; there are {', '.join(self.names)}")
        return self.names.index(name)

    def term_name(self, term: Term) -> str:
        """Return a term's name: its factors joined by a colon."""
        return ":".join(self.factors[place].name for place in term)

    def cell_name(self, cell: int) -> str:
        """Return what a flat cell index stands for, such as ``agent = 'fair', sex = 'f'``."""
        codes = np.unravel_index(cell, self.shape)
        return ", ".join(f"{f.name} = {f.levels[code]!r}" for f, code in zip(self.factors, codes, strict=True))

    def pooled(self, cells: Iterable[int] | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the sum of squares inside the cells (all, or those given) and its degrees of freedom.

        In a stack the sum of squares is NaN for a study in which nothing varies, and so is all that rests on it.

        Raises
        ------
        NotEstimable
            If no cell has two observations, or (for a single study) nothing varies inside the cells.
        """
        n, ss, mean = self.n, self.ss, self.mean
        if cells is not None:
            cell_places = list(cells)
            n, ss, mean = shared(n)[..., cell_places], ss[..., cell_places], mean[..., cell_places]
        total = sums(ss)
        df = np.broadcast_to(np.maximum(shared(n) - 1.0, 0.0).sum(axis=-1), total.shape)
        if df.min() <= 0:
            raise NotEstimable(
                f"there is no error variance: no cell of {' × '.join(self.names)} has two observations; "
                "leave out a factor"
            )
        has_no_error = np.asarray(total <= ROUNDING**2 * (n * (mean + self.centre) ** 2).sum(axis=-1))
        if not has_no_error.any():
            return total, df
        if not has_no_error.ndim:
            raise NotEstimable(f"{self.outcome!r} does not vary inside the cells of {' × '.join(self.names)}")
        return np.where(has_no_error, np.nan, total), df

    def check_filled(self, question: str, cells: Sequence[int] | None = None) -> None:
        """Raise NotEstimable, naming the first empty one, unless every cell (or those given) has an observation."""
        if (shared(self.n) if cells is None else shared(self.n)[..., list(cells)]).min() > 0:
            return
        n = self.n if cells is None else self.n[..., list(cells)]
        *study, cell = (int(i) for i in np.argwhere(n == 0)[0])
        where = f" in study {study[0] if len(study) == 1 else tuple(study)}" if study else ""
        name = self.cell_name(cell if cells is None else cells[cell])
        raise NotEstimable(f"{question} cannot be estimated: there is no observation with {name}{where}")


def check_levels(factors: tuple[Factor, ...]) -> None:
    """Raise DesignError unless there are one to four factors with two levels or more."""
    if not 1 <= len(factors) <= MOST_FACTORS:
        factor_names = ", ".join(factor.name for factor in factors) or "none"
        raise DesignError(f"an analysis of variance takes one to {MOST_FACTORS} factors; got {factor_names} (by)")
    for factor in factors:
        if len(factor.levels) < 2:
            has = f"has one level: {factor.levels[0]!r}" if factor.levels else "has no level: there is no complete row"
            raise DesignError(f"the factor {factor.name!r} {has}; it needs two or more")


def _check_terms(names: tuple[str, ...]) -> None:
    """Raise DesignError if two terms of a factorial design would have one name, such as ``a:b`` and a by b."""
    terms = [":".join(names[place] for place in term) for term in all_terms(len(names))]
    for term in terms:
        if terms.count(term) > 1:
            raise DesignError(f"two terms of {', '.join(map(repr, names))} are both named {term!r}; rename a factor")


def _check_repeats(cells: Cells) -> None:
    """Raise DesignError if each level of a factor goes with one level of another."""
    has_values = np.asarray((cells.n > 0).reshape(-1, *cells.shape).any(axis=0))
    for one, two in combinations(range(len(cells.factors)), 2):
        rest = tuple(i for i in range(len(cells.factors)) if i not in (one, two))
        pair = np.asarray(has_values.any(axis=rest))
        if (pair.sum(axis=0) == 1).all() and (pair.sum(axis=1) == 1).all():
            first, second = cells.factors[one], cells.factors[two]
            level = second.levels[int(pair[0].argmax())]
            raise DesignError(
                f"the factor {second.name!r} repeats {first.name!r}: {first.levels[0]!r} always goes with {level!r}; "
                "leave one out"
            )
