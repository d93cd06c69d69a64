"""All correlations of several variables, with p corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.relations._data import as_frame, complete, moments_of
from negstats.stats.relations.correlation import Correlation, Kind, correlation, from_moments, ranked_moments
from negstats.stats.relations.exact import MOST_RANKED
from negstats.stats.results.multiplicity import METHODS
from negstats.stats.results.multiplicity import adjust as adjust_p_values
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Result
from negstats.stats.summaries import Moments
from negstats.stats.summaries.frames import names_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorrelationMatrix(Result):
    """All correlations of several variables.

    Attributes
    ----------
    variables : tuple of str
    r : ndarray, shape (k, k)
        Coefficients; 1 on the diagonal.
    p, p_adjusted : ndarray, shape (k, k)
        As tested, and corrected for the k(k − 1)/2 tests; NaN on the diagonal.
    n : ndarray, shape (k, k)
        Complete rows of each pair.
    method, adjust : str
        "pearson", "spearman" or "kendall"; how p was corrected.
    pairs : tuple of Correlation
        Each correlation with its interval.
    """

    variables: tuple[str, ...]
    r: FloatArray
    p: FloatArray
    p_adjusted: FloatArray
    n: FloatArray
    method: Kind
    adjust: str
    pairs: tuple[Correlation, ...]

    def __getitem__(self, pair: tuple[str, str]) -> Correlation:
        for one in self.pairs:
            if {one.x, one.y} == set(pair):
                return one
        raise DesignError(f"there is no correlation of {pair[0]!r} and {pair[1]!r}; there are {self.variables}")

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a pair: x, y, r, low, high, statistic, df, p, p_adjusted, n, adjust.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            ``n`` is the number of units that have both variables, ``adjust`` the name of the correction.
        """
        rows = []
        for pair in self.pairs:
            ends = pair.confidence_interval(confidence_level)
            at = self.variables.index(pair.x), self.variables.index(pair.y)
            row = {"x": pair.x, "y": pair.y, "r": pair.r, "low": ends.low, "high": ends.high}
            rows.append(
                row
                | {
                    "statistic": pair.statistic,
                    "df": pair.df,
                    "p": pair.p,
                    "p_adjusted": self.p_adjusted[at],
                    "n": pair.n,
                }
            )
        frame = pd.DataFrame(rows).assign(adjust=self.adjust)
        frame.attrs["schema"] = "CorrelationMatrix/1"
        return frame

    def apa(self) -> str:
        """Return each correlation behind its variables; the p are the uncorrected ones, which the corrected follow.

        Returns
        -------
        str
            One clause a pair, with semicolons between.
        """
        from negstats.stats.results.apa import p_value

        word = "" if self.adjust == "none" else f" ({METHODS[self.adjust]}, {len(self.pairs)} tests)"
        each = []
        for pair in self.pairs:
            at = self.variables.index(pair.x), self.variables.index(pair.y)
            own = f", {p_value(pair.p)}, "
            each.append(f"{pair.x} and {pair.y}: {pair.apa().replace(own, f', {p_value(self.p_adjusted[at])}, ', 1)}")
        return "; ".join(each) + word


def correlations(
    data: Any,
    variables: Sequence[str],
    *,
    method: Kind = "pearson",
    adjust: str = "holm",
    missing: Literal["listwise", "pairwise"] = "listwise",
) -> CorrelationMatrix:
    """Correlate every pair of variables and correct the p for their number.

    Parameters
    ----------
    data
        A frame of any engine, arrays by name, or (Pearson only) `Moments` of one study.
    variables
        At least two.
    method
        As in `correlation`.
    adjust
        A name of `adjust`, or "none".
    missing
        "listwise": only rows that have every variable; "pairwise": for each pair those that have both.

    Returns
    -------
    CorrelationMatrix
        A matrix of r, of p, and of the corrected p, in the order of `variables`.

    Raises
    ------
    DesignError, NotEstimable
        As `correlation`.

    Examples
    --------
    >>> rows = {"ask": [2, 4, 5, 7, 8, 9], "gain": [5, 3, 6, 2, 7, 4], "points": [10, 12, 11, 17, 15, 20]}
    >>> correlations(rows, ["ask", "gain", "points"]).p_adjusted.round(3)[0].tolist()
    [nan, 1.0, 0.04]
    """
    names = names_of(variables)
    check_choice("missing", missing, ("listwise", "pairwise"))
    check_choice("adjust", adjust, ("none", *METHODS))
    if len(names) < 2:
        raise DesignError(f"variables are {', '.join(names) or 'none'}; correlations need at least two")
    source: Any = data
    if isinstance(data, Moments):
        source = moments_of(data, names, "variables")
        if source.n.ndim:
            raise DesignError(f"correlations takes one study; the moments hold {source.n.size}")
    elif missing == "listwise":
        source = _read_rows(complete(data, names, "variables")[0], names, method)
    else:
        source = as_frame(data, names, "variables")
    if isinstance(source, Moments) and method == "spearman":
        results = tuple(from_moments(moments_of(source, pair, "variables"), method) for pair in combinations(names, 2))
    else:
        results = tuple(correlation(source, x, y, method=method) for x, y in combinations(names, 2))
    p = np.array([result.p for result in results])
    k = len(names)
    matrices = [np.full((k, k), np.nan) for _ in range(4)]
    upper = np.triu_indices(k, 1)
    p_adjusted = p if adjust == "none" else adjust_p_values(p, adjust).p_adjusted
    parts = ([result.r for result in results], p, p_adjusted, [result.n for result in results])
    for matrix, values in zip(matrices, parts, strict=True):
        matrix[upper] = np.asarray(values, dtype=float)
        matrix.T[upper] = matrix[upper]
    np.fill_diagonal(matrices[0], 1.0)
    r, p, p_adjusted, n = matrices
    return CorrelationMatrix(tuple(names), r, p, p_adjusted, n, method, adjust, results)


def _read_rows(rows: FloatArray, names: Sequence[str], kind: Kind) -> Moments | pd.DataFrame:
    """Return what every pair is made of: moments of the numbers or of their ranks; or the rows, for exact p."""
    if kind == "pearson":
        return Moments.from_array(rows, names, within="variable")
    if kind == "spearman" and len(rows) > MOST_RANKED:
        return ranked_moments(rows, names)
    return pd.DataFrame(rows, columns=list(names))
