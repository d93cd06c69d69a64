"""The test of two nested models against each other: what the terms that one has more explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from negstats.errors import DesignError
from negstats.stats.counts.contingency import TableResult, chi2_sf
from negstats.stats.loglinear.fit import added_df
from negstats.stats.loglinear.models import LogLinear
from negstats.stats.loglinear.notation import holds
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelComparison(TableResult):
    """Likelihood-ratio test of the terms that one model has more than another.

    Attributes
    ----------
    statistic, df, p : float or ndarray
        Difference of the two G², the parameters that the larger model has more (on the cells that the smaller one fits
        above 0), and the p; NaN where df is 0.
    smaller, larger : str
        The generating classes.
    n : float or ndarray
        Observations.
    """

    columns: ClassVar[tuple[str, ...]] = ("smaller", "larger", "statistic", "df", "p", "n")

    statistic: Number
    df: Number
    p: Number
    smaller: str
    larger: str
    n: Number

    def apa(self) -> str:
        """Return the two models with ``ΔG²(df, N = n) = x, p = .xxx``."""
        text = apa.statistic("ΔG²", self._one(self.statistic), (self.df,), self.p, n=round(float(self.n)))
        return f"{self.smaller} against {self.larger}: {text}"


def compare(first: LogLinear, second: LogLinear) -> ModelComparison:
    """Test the terms that one of two nested models has more than the other.

    Raises
    ------
    DesignError
        If the models are of different tables or neither holds all terms of the other.

    Examples
    --------
    >>> from negstats.stats.loglinear import loglinear
    >>> from negstats.stats.summaries import Counts
    >>> names = {"dance": ["yes", "no"], "animal": ["cat", "dog"], "training": ["affection", "food"]}
    >>> table = Counts.from_table([[[48, 28], [29, 20]], [[114, 10], [7, 14]]], names)
    >>> print(compare(loglinear(table, "[dance animal][training]"), loglinear(table, "independence")).apa())
    [dance][animal][training] against [dance animal][training]: ΔG²(1, N = 270) = 21.67, p < .001
    """
    same_table = first.observed.factors == second.observed.factors and np.array_equal(first.possible, second.possible)
    one, two = (model.observed.n - model.delta * model.possible for model in (first, second))
    if not same_table or not np.array_equal(one, two) or first.method != second.method:
        raise DesignError("only two models of the same table, fitted in the same way, can be compared")
    if not holds(first.generators, second.generators):
        first, second = second, first
    if not holds(first.generators, second.generators):
        raise DesignError(f"{first.model} and {second.model} are not nested: each has a term that the other lacks")
    g2 = np.maximum(np.asarray(second.statistic) - first.statistic, 0.0)
    df = difference_df(second, first)
    return ModelComparison(
        statistic=plain(g2), df=plain(df), p=chi2_sf(g2, df), smaller=second.model, larger=first.model, n=first.n
    )


def difference_df(smaller: LogLinear, larger: LogLinear) -> FloatArray:
    """Return the df of the difference of two nested models: see `fit.added_df`; with `spss` the unadjusted ones."""
    if smaller.method == "SPSS HILOGLINEAR":
        return np.asarray(float(smaller.df_unadjusted - larger.df_unadjusted))
    return added_df(smaller.fitted, smaller.generators, larger.generators, smaller.possible)
