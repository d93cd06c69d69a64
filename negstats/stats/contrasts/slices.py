"""Where contrasts and simple effects are made: margins of some factors at levels of others, and their error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from negstats.errors import DesignError, NotEstimable
from negstats.stats.contrasts.margins import shares
from negstats.stats.means.design import Design
from negstats.stats.means.grid import Grid
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.summaries.frames import Factor, names_of

Names: TypeAlias = str | Sequence[str]
At: TypeAlias = str | Sequence[str] | Mapping[str, str] | None
ErrorTerm: TypeAlias = Literal["pooled", "own", "welch"]


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """The margins of some factors at one combination of levels of others.

    Attributes
    ----------
    name : str
        The levels that it is made at, such as ``"sex = f"``; empty if it averages over everything else.
    factors : tuple of Factor
        The factors whose margins these are.
    rows : ndarray, shape (margins, cells)
        How each margin averages the cells.
    """

    name: str
    factors: tuple[Factor, ...]
    rows: FloatArray

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each margin: its levels joined by a space."""
        index = np.indices(self._shape).reshape(len(self.factors), -1).T
        return tuple(" ".join(f.levels[i] for f, i in zip(self.factors, row, strict=True)) for row in index)

    @property
    def cells(self) -> list[int]:
        """The cells that the margins rest on."""
        return [int(cell) for cell in np.flatnonzero((self.rows != 0).any(axis=0))]

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple(len(factor) for factor in self.factors)

    def place(self, level: Any) -> int:
        """Return the place of a margin: a level, or a tuple of levels with several factors."""
        levels = [level] if len(self.factors) == 1 else list(level)
        if len(levels) != len(self.factors):
            names = ", ".join(factor.name for factor in self.factors)
            raise DesignError(f"{level!r} is not a combination of levels of ({names})")
        for factor, one in zip(self.factors, levels, strict=True):
            level_of(factor, one)
        codes = [f.levels.index(str(one)) for f, one in zip(self.factors, levels, strict=True)]
        return int(np.ravel_multi_index(codes, self._shape))


def level_of(factor: Factor, level: object) -> int:
    """Return the place of a level; DesignError if the factor does not have it."""
    if str(level) not in factor.levels:
        raise DesignError(f"{factor.name!r} has no level {str(level)!r}; it has {', '.join(map(repr, factor.levels))}")
    return factor.levels.index(str(level))


def slices(design: Design | Grid, specs: Sequence[str], at: At) -> list[Slice]:
    """Return the margins of the factors `specs` at each combination of levels that `at` names."""
    inner = [design.place(name) for name in specs]
    outer = [design.place(name) for name in (list(at) if isinstance(at, Mapping) else names_of(at or ()))]
    twice = set(inner) & set(outer)
    if twice:
        raise DesignError(
            f"the factor {design.names[twice.pop()]!r} is named both in of and in at; name it in one of them"
        )
    fixed_levels = zip(outer, at.values(), strict=True) if isinstance(at, Mapping) else ()
    fixed = {place: level_of(design.factors[place], level) for place, level in fixed_levels}
    rows = shares(design, [*outer, *inner])
    shape = tuple(design.shape[place] for place in outer)
    tables = rows.reshape(*shape, -1, rows.shape[-1])
    factors = tuple(design.factors[place] for place in inner)
    parts = []
    for codes in np.ndindex(*shape):
        if all(fixed.get(place, code) == code for place, code in zip(outer, codes, strict=True)):
            where = ((design.factors[place], code) for place, code in zip(outer, codes, strict=True))
            name = ", ".join(f"{factor.name} = {factor.levels[code]}" for factor, code in where)
            parts.append(Slice(name, factors, tables[codes]))
    return parts


def spread(design: Design, over: FloatArray, part: Slice, error: ErrorTerm) -> tuple[FloatArray, FloatArray]:
    """Return standard error and degrees of freedom of weighted sums of cell means.

    Parameters
    ----------
    over : ndarray, shape (contrasts, cells)
        The weights.
    part
        The slice that they belong to, whose cells give its own error.
    """
    check_choice("error", error, ("pooled", "own", "welch"))
    cells = [int(cell) for cell in np.flatnonzero((over != 0).any(axis=0))]
    design.check_filled("a contrast", cells)
    square, n, ss = over[:, cells] ** 2, design.n[..., None, cells], design.ss[..., None, cells]
    per_cell = square / n
    if error == "welch":
        if n.min() < 2:
            small_cell = cells[int(np.argwhere(n < 2)[0][-1])]
            raise NotEstimable(
                f"Welch's error needs the variance of each cell, but n = 1 with {design.cell_name(small_cell)}"
            )
        part_variance = per_cell * ss / (n - 1)
        total = part_variance.sum(axis=-1)
        if total.ndim == 1 and not total.all():
            raise NotEstimable(f"{design.outcome!r} does not vary inside the cells of a contrast; it has no error")
        with np.errstate(invalid="ignore"):
            df = total**2 / (part_variance**2 / (n - 1)).sum(axis=-1)
        return np.sqrt(total), df
    within, df = design.pooled(part.cells if error == "own" else None)
    se = np.sqrt(per_cell.sum(axis=-1) * (within / df)[..., None])
    return se, np.broadcast_to(df[..., None], se.shape)
