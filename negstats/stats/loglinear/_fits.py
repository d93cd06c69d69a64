"""What the surveys of models share: the models of one table, each fitted once, and the tests between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from negstats.stats.counts.contingency import check_one_table, chi2_sf
from negstats.stats.loglinear.comparison import difference_df
from negstats.stats.loglinear.models import LogLinear, fitted_model, prepared
from negstats.stats.loglinear.notation import Generators
from negstats.stats.summaries.frames import By


@dataclass(frozen=True, slots=True)
class EffectTest:
    """Test that some effects are 0.

    Attributes
    ----------
    effect : str
        Which: "2-way and higher", "2-way", or the names of a term.
    statistic, df, p : float
        Likelihood ratio G²; p is NaN with df 0.
    x2, p_pearson : float
        Pearson's; for a difference of two models the difference of their X², as SPSS prints it.
    iterations : int
        Cycles of fitting of the model without the effects.
    """

    effect: str
    statistic: float
    df: float
    p: float
    x2: float
    p_pearson: float
    iterations: int


class Fits:
    """The models of one table, each fitted when it is first asked for."""

    def __init__(self, data: Any, by: By, structural_zeros: npt.ArrayLike | None, spss: bool) -> None:
        self.counts, self.possible = prepared(data, by, structural_zeros, spss)
        check_one_table(self.counts, "a survey of models")
        self.spss = spss
        self.dims = self.possible.ndim
        self.names = [factor.name for factor in self.counts.factors]
        self.known: dict[Generators, LogLinear] = {}

    def __getitem__(self, generators: Generators) -> LogLinear:
        if generators not in self.known:
            self.known[generators] = fitted_model(self.counts, generators, self.possible, self.spss)
        return self.known[generators]

    def test(self, effect: str, smaller: Generators, larger: Generators) -> EffectTest:
        """Test the terms that the larger model has more."""
        small, large = self[smaller], self[larger]
        g2 = max(float(small.statistic) - float(large.statistic), 0.0)
        x2 = float(small.x2) - float(large.x2)
        df = float(difference_df(small, large))
        p, p_pearson = float(chi2_sf(g2, df)), float(chi2_sf(max(x2, 0.0), df))
        return EffectTest(
            effect=effect, statistic=g2, df=df, p=p, x2=x2, p_pearson=p_pearson, iterations=int(small.iterations)
        )

    @property
    def method(self) -> str:
        return next(iter(self.known.values())).method
