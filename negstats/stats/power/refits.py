"""Linear mixed models of rows that are drawn again and again: the columns are coded once, each outcome is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special

from negstats.errors import NotEstimable
from negstats.stats.models.mixed_effects import EffectRows, engine_start
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import Alternative, t_tails


class LinearRefits:
    """Tests of terms by Kenward and Roger, in studies that share their rows and differ in their outcomes.

    Parameters
    ----------
    frame
        Its factors and clusters; one row an answer.
    formula
        The fixed part, such as "f0 * f1".
    random
        The random terms, such as "(1 + f0 | unit) + (1 | i0)".
    variances
        Of the intercepts by cluster, of "slopes", and "within": what is expected, where a search begins that no engine
        begins.
    """

    def __init__(self, frame: Any, formula: str, random: str, variances: Mapping[str, float]) -> None:
        stand_in = np.random.default_rng(len(frame)).normal(size=len(frame))  # each study's outcome takes its place
        self.rows = EffectRows.read(frame.assign(value=stand_in), f"value ~ {formula}", random, None, "reml")
        tables = []
        for term, effect in zip(self.rows.terms, self.rows.blocks.columns, strict=True):
            own = [variances[term.name], *[variances.get("slopes", 0.0)] * (len(effect.names) - 1)]
            tables.append(np.diag(own))
        self.start = self.rows.start(tables, variances["within"])

    def p(self, y: FloatArray, term: str, alternative: Alternative = "two-sided") -> float:
        """Return p of a term, of a factor of two levels on the side that is asked; NaN without a fit."""
        if np.ptp(y) == 0:
            return float("nan")
        try:
            y = y - y.mean()
            start = engine_start(self.rows, y)
            model = self.rows.fit(y, self.start if start is None else start)
            test = model.test(term)
        except NotEstimable:
            return float("nan")
        p = float(np.asarray(test.p))
        if alternative == "two-sided" or len(model.names) != 2:
            return p
        one = model.effect(term)
        sign = -1.0 if term in model.coding.levels else 1.0  # sides are of the first level less the second
        t, df = sign * float(np.asarray(one.statistic)), float(np.asarray(one.df))
        return float(t_tails(t, df, alternative))


def draw_scores(rng: np.random.Generator, eta: FloatArray, cuts: FloatArray) -> FloatArray:
    """Return answers 1, 2, ... of a cumulative logit: how many cuts lie below η and a logistic error, and 1.

    `cuts` has the cuts of each row in its last axis, or one set for all.
    """
    latent = eta + special.logit(rng.random(eta.shape))
    return np.asarray(1.0 + (latent[..., None] > cuts).sum(axis=-1), dtype=np.float64)
