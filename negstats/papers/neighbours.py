"""What a printed statistic may be instead: other df, one-tailed, another type of sums of squares, another model.

Each function tries the neighbours of what a paper names and returns those that give the printed number, in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from negstats.papers._recipes import p_text, tail
from negstats.papers.published import Claim
from negstats.papers.verdict import Check, Printed, extremes
from negstats.stats.loglinear import all_models, compare
from negstats.stats.loglinear.fit import parameter_count
from negstats.stats.loglinear.notation import every_model, spell
from negstats.stats.summaries import Counts

__all__ = [
    "Split",
    "anova_types",
    "d_definitions",
    "loglinear_models",
    "models_with_df",
    "one_tailed",
    "other_df",
    "splits",
    "tables_with",
]

MOST_DF = 12


def other_df(claim: Claim) -> list[int]:
    """Return the numerator (or chi-squared) df up to twelve at which the printed statistic has the printed p.

    Examples
    --------
    >>> from negstats.papers.published import claims
    >>> [claim] = [claim for claim in claims("mell2015") if claim.id == "mell2015.betrayal.rejected"]
    >>> other_df(claim)
    [3]
    """
    if claim.value is None or claim.p is None:
        return []
    ends = (claim.value.high, claim.value.low)
    return [
        df for df in range(1, MOST_DF + 1) if claim.p.agrees(*(tail(claim.statistic, x, df, claim.df2) for x in ends))
    ]


def one_tailed(check: Check) -> bool:
    """Return whether half of the recomputed p would agree with the printed one."""
    return check.printed.agrees(check.low / 2, check.high / 2)


def loglinear_models(table: Counts, printed: Printed) -> list[str]:
    """Return every hierarchical model of a table, and difference of two nested ones by a term, with the printed G².

    Examples
    --------
    >>> walked = Counts.from_table([[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]])
    >>> loglinear_models(walked, Printed("31.1"))
    ['the deviance of [factor_1][factor_2][factor_3], mutual independence (G²(7) = 31.12, p = 5.9e-05)']
    """
    models = all_models(table, most=10_000).models
    alone = tuple((place,) for place in range(len(table.factors)))
    words = []
    for model in models:
        if printed.agrees(float(model.g2)):
            kind = ", mutual independence" if model.generators == alone else ""
            told = f"G²({float(model.df):g}) = {float(model.g2):.2f}, {p_text(float(model.p))}"
            words.append(f"the deviance of {model.model}{kind} ({told})")
    for larger, smaller in combinations(reversed(models), 2):
        gap = float(smaller.g2) - float(larger.g2)
        if float(larger.df) == 0 or not printed.agrees(gap) or not _nested(smaller.generators, larger.generators):
            continue
        test = compare(smaller, larger)
        words.append(f"the difference of {smaller.model} and {larger.model} (G²({float(test.df):g}) = {gap:.2f})")
    return words


def _nested(smaller: tuple[tuple[int, ...], ...], larger: tuple[tuple[int, ...], ...]) -> bool:
    return all(any(set(term) <= set(other) for other in larger) for term in smaller)


def models_with_df(shape: Sequence[int], df: int) -> list[str]:
    """Return the hierarchical models of a table of this shape whose deviance has `df` degrees of freedom.

    Examples
    --------
    >>> models_with_df((2, 4, 2), 10)
    ['[1][2][3] (mutual independence)']
    """
    names = [str(place) for place in range(1, len(shape) + 1)]
    cells = int(np.prod(shape))
    alone = tuple((place,) for place in range(len(shape)))
    return [
        spell(model, names) + (" (mutual independence)" if model == alone else "")
        for model in every_model(len(shape))
        if cells - parameter_count(model, tuple(shape)) == df
    ]


@cache
def tables_with(chi2: Printed, n: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return the 2 × 2 tables of `n` observations, as (a, b, c, d) row by row, whose uncorrected χ² is as printed.

    Of the eight tables that differ only by swapping rows, columns or both dimensions, one is listed: the one with the
    largest a, then b.

    Examples
    --------
    >>> tables_with(Printed("20.00"), 20)[:2]
    ((19, 0, 0, 1), (18, 0, 0, 2))
    """
    every = np.stack(np.meshgrid(*[np.arange(n + 1.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    a, b, c = every[(every[:, 0] >= every[:, 1]) & (every[:, 1] >= every[:, 2]) & (every.sum(axis=1) <= n)].T
    d = n - a - b - c
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    there = margins > 0
    value = np.zeros(len(a))
    value[there] = n * (a * d - b * c)[there] ** 2 / margins[there]
    fits = there & (value >= chi2.low) & (value <= chi2.high)
    tables = np.column_stack([a, b, c, d])[fits].astype(int).tolist()
    return tuple(sorted({_first(*table) for table in tables}, reverse=True))


def _first(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """Return the largest of the eight tables that are the same but for the order of rows, columns and dimensions."""
    return max(
        (a, b, c, d), (b, a, d, c), (c, d, a, b), (d, c, b, a), (a, c, b, d), (c, a, d, b), (b, d, a, c), (d, b, c, a)
    )


@dataclass(frozen=True, slots=True)
class Split:
    """One way to divide N people into two groups, and the t that their printed means and SDs then give."""

    n: tuple[int, int]
    t: float
    low: float
    high: float


def splits(
    total: int, means: Sequence[Printed], sds: Sequence[Printed], *, se: Sequence[bool] = (False, False)
) -> list[Split]:
    """Return Student's t for every split of `total` people into two groups of at least two.

    Parameters
    ----------
    total
        People in both groups.
    means, sds
        Printed means and SDs of the two groups.
    se
        Take the printed spread of a group for a standard error.

    Examples
    --------
    >>> numbers = [Printed("403.33"), Printed("293.77")], [Printed("48"), Printed("20")]
    >>> [round(split.t, 2) for split in splits(51, *numbers) if split.n == (47, 4)]
    [4.5]
    """
    low = [number.low for number in (*means, *sds)]
    high = [number.high for number in (*means, *sds)]
    middle = np.array([[number.value for number in (*means, *sds)]])
    found = []
    for first in range(2, total - 1):
        n = np.array([first, total - first], dtype=np.float64)

        def t(x: npt.NDArray[np.float64], n: npt.NDArray[np.float64] = n) -> npt.NDArray[np.float64]:
            variance = x[:, 2:] ** 2 * np.where(se, n, 1.0)
            pooled = variance @ (n - 1) / (n.sum() - 2)
            return np.asarray((x[:, 0] - x[:, 1]) / np.sqrt(pooled * (1 / n).sum()))

        least, most = extremes(t, low, high, monotone=True)
        found.append(Split((first, total - first), float(t(middle)[0]), least, most))
    return found


def d_definitions(f: Printed, df2: int, n: tuple[int, int]) -> dict[str, tuple[float, float, float]]:
    """Return Cohen's d (value, low, high; unsigned) that an F with one df implies, by each definition in use.

    Examples
    --------
    >>> {name: round(d[0], 3) for name, d in d_definitions(Printed("5.15"), 163, (78, 89)).items()}
    {'2√(F/df)': 0.356, '√(F(1/n₁ + 1/n₂))': 0.352, '2√(F/N)': 0.351, 'Hedges g': 0.35}
    """
    total = sum(n)
    scale = {
        "2√(F/df)": 2 / np.sqrt(df2),
        "√(F(1/n₁ + 1/n₂))": np.sqrt(1 / n[0] + 1 / n[1]),
        "2√(F/N)": 2 / np.sqrt(total),
        "Hedges g": np.sqrt(1 / n[0] + 1 / n[1]) * (1 - 3 / (4 * df2 - 1)),
    }
    ends = [np.sqrt(max(x, 0.0)) for x in (f.value, f.low, f.high)]
    return {name: (float(ends[0] * by), float(ends[1] * by), float(ends[2] * by)) for name, by in scale.items()}


def anova_types(values: dict[int, float], printed: Printed) -> Iterator[str]:
    """Yield the types of sums of squares whose F (by type) rounds to the printed one."""
    for kind, value in values.items():
        if printed.agrees(value):
            yield f"type {'I' * kind} gives it (F = {value:.2f})"
