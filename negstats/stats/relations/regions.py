"""Where a moderated slope differs from 0 (Johnson and Neyman): values of the moderator, not a choice of three."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from negstats.errors import DesignError, meant, shown
from negstats.stats.relations.linear_model import LinearModel
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile, t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import t_tails
from negstats.stats.results.result import Interval, Result


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JohnsonNeyman(Result):
    """The slope of a predictor along a moderator, and where its interval leaves 0 out.

    Attributes
    ----------
    predictor, moderator : str
    regions : tuple of Interval
        Values of the moderator at which the slope differs from 0 at the level; an end may be infinite.
    confidence_level : float
        The confidence of each slope's interval, taken by itself.
    df : float
    note : str
        "differs from 0 everywhere", "differs from 0 nowhere", or empty where there are ends.
    model : LinearModel
    """

    predictor: str
    moderator: str
    regions: tuple[Interval, ...]
    confidence_level: float
    df: float
    note: str
    model: LinearModel

    def slopes(self, at: FloatArray | list[float]) -> pd.DataFrame:
        """Return the slope at values of the moderator with its interval: the columns at, estimate, se, low, high, p.

        Parameters
        ----------
        at
            Values of the moderator, in its units.

        Returns
        -------
        DataFrame
            One row a value; slopes are in units of the outcome per unit of the predictor.
        """
        values = np.asarray(at, dtype=np.float64)
        estimate, se = _slope(self.model, self.predictor, self.moderator, values)
        ends = t_interval(estimate, se, self.df, self.confidence_level)
        columns = {"at": values, "estimate": estimate, "se": se, "low": ends.low, "high": ends.high}
        return pd.DataFrame(columns | {"p": t_tails(estimate / se, self.df)})

    def to_frame(self) -> pd.DataFrame:
        """Return one row a region: predictor, moderator, low, high, level.

        Returns
        -------
        DataFrame
            ``low`` and ``high`` are values of the moderator, infinite where a region has no end.
        """
        rows = [
            (self.predictor, self.moderator, region.low, region.high, self.confidence_level) for region in self.regions
        ]
        frame = pd.DataFrame(rows, columns=["predictor", "moderator", "low", "high", "level"])
        frame.attrs["schema"] = "JohnsonNeyman/1"
        return frame

    def apa(self) -> str:
        """Return where the slope differs from 0, in words.

        Returns
        -------
        str
            The sentence for a results section.
        """
        what = f"the slope of {self.predictor}"
        alpha = f"α = {apa.bounded(1 - self.confidence_level)}"
        if self.note:
            return f"{what} {self.note} along {self.moderator} ({alpha})"
        parts = []
        for region in self.regions:
            low, high = float(np.asarray(region.low)), float(np.asarray(region.high))
            text_below, text_above = f"{self.moderator} < {apa.number(high)}", f"{self.moderator} > {apa.number(low)}"
            text_between = f"{apa.number(low)} < {self.moderator} < {apa.number(high)}"
            parts.append(text_below if np.isinf(low) else text_above if np.isinf(high) else text_between)
        return f"{what} differs from 0 where {' or '.join(parts)} ({alpha})"


def johnson_neyman(
    model: LinearModel, predictor: str, moderator: str, *, confidence_level: float = 0.95
) -> JohnsonNeyman:
    """Return the values of a moderator at which the slope of a predictor differs from 0.

    Parameters
    ----------
    model
        From `linear_model`, with the interaction of two covariates, such as "points ~ ask * experience + country".
    predictor, moderator
        The two covariates, in their own units. Factors that interact with the predictor are averaged with equal
        weights.
    confidence_level
        The confidence of each slope's interval.

    Returns
    -------
    JohnsonNeyman
        The regions of the moderator, in its own unit, and the model that they come from.

    Raises
    ------
    DesignError
        If one is not a covariate of the model, they do not interact, or the errors are CR2 (whose df change along the
        moderator).

    Notes
    -----
    Johnson and Neyman (1936), Bauer and Curran (2005): the slope b₁ + b₃m differs from 0 where (b₁ + b₃m)² > q²(V₁₁ +
    2mV₁₃ + m²V₃₃), a quadratic. Each value is tested by itself; the region is not a simultaneous one.

    References
    ----------
    - Bauer, D. J., & Curran, P. J. (2005). Probing interactions in fixed and multilevel regression: Inferential and
      graphical techniques. Multivariate Behavioral Research, 40, 373–400.
    - Johnson, P. O., & Neyman, J. (1936). Tests of certain linear hypotheses and their application to some educational
      problems. Statistical Research Memoirs, 1, 57–93.

    Examples
    --------
    >>> rows = {"x": [1, 2, 3, 4, 5, 6, 7, 8, 9, 2], "m": [1, 3, 2, 5, 4, 6, 9, 7, 8, 9]}
    >>> rows["y"] = [2, 4, 5, 12, 11, 21, 35, 30, 41, 12]
    >>> from negstats.stats.relations.linear_model import linear_model
    >>> print(johnson_neyman(linear_model(rows, "y ~ x * m"), "x", "m").apa())
    the slope of x differs from 0 where m < −1.28 or m > 1.91 (α = .05)
    """
    for what, name in (("predictor", predictor), ("moderator", moderator)):
        if name not in (known := list(model.design.coding.covariates)):
            raise DesignError(f"{what} is {shown(name)}, no covariate; {meant(name, known, 'the model has')}")
    if model.sandwich is not None:
        raise DesignError("the df of CR2 change along the moderator; give errors='HC3' or 'ordinary'")
    if not any({predictor, moderator} == set(term) for term in model.design.coding.terms):
        raise DesignError(f"the model has no term {predictor}:{moderator}; without it the slope is the same everywhere")
    t = float(quantile(confidence_level, model.df_residual))
    centre = model.design.units.origin[moderator]
    zero, one = (_row(model, predictor, moderator, centre + value) for value in (0.0, 1.0))
    both = np.stack([zero, one - zero])
    beta, covariance = model.fit
    (b1, b3), v = both @ beta, both @ covariance @ both.T
    # a m² + b m + c > 0 where the slope differs from 0, m measured from its mean
    a, b, c = b3**2 - t**2 * v[1, 1], 2 * (b1 * b3 - t**2 * v[0, 1]), b1**2 - t**2 * v[0, 0]
    inner = b**2 - 4 * a * c
    regions: list[Interval] = []
    if inner <= 0:
        note = "differs from 0 everywhere" if a > 0 else "differs from 0 nowhere"
    else:
        note = ""
        q = -(b + np.copysign(np.sqrt(inner), b)) / 2  # the root without a difference of near numbers
        low, high = sorted((centre + q / a, centre + c / q))
        spans = [(low, high)] if a < 0 else [(-np.inf, low), (high, np.inf)]
        regions = [Interval(float(start), float(end), confidence_level, "Johnson-Neyman") for start, end in spans]
    return JohnsonNeyman(predictor, moderator, tuple(regions), confidence_level, float(model.df_residual), note, model)


def _row(model: LinearModel, predictor: str, moderator: str, value: float) -> FloatArray:
    """Return the row whose sum of fitted coefficients is the slope at a value of the moderator."""
    start = model.design.units.origin[predictor]
    up, down = (model.design.cells({moderator: value, predictor: x})[1].mean(axis=0) for x in (start + 1.0, start))
    return np.asarray(up - down)


def _slope(model: LinearModel, predictor: str, moderator: str, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    rows = np.stack([_row(model, predictor, moderator, float(value)) for value in values])
    beta, covariance = model.fit
    return rows @ beta, np.sqrt(np.einsum("ij,jk,ik->i", rows, covariance, rows))
