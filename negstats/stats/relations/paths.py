"""Mediation, how much of x's relation with y goes by way of a third measure, and where a moderated slope is not 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.relations.linear_model import LinearModel
from negstats.stats.results import apa
from negstats.stats.results.intervals import percentile_interval, quantile, t_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import check_count, check_rng, t_tails
from negstats.stats.results.result import Interval, Result, with_schema
from negstats.stats.summaries.coerce import complete, complete_in_clusters
from negstats.stats.summaries.frames import IntArray, names_of
from negstats.stats.summaries.rows import multinomials


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mediation(Result):
    """The indirect effect a·b of x on y by way of m.

    Attributes
    ----------
    a, b, direct, total : float
        Slopes of m on x, of y on m given x, of y on x given m, and of y on x (the last is the sum of direct and a·b).
    a_se, b_se : float
        Standard errors of the least-squares fits, rows taken as independent.
    indirect : float
        a·b, in units of y a unit of x.
    sobel_z, sobel_p : float
        Sobel's test, beside the bootstrap only: the product is not normal.
    p : float
        Two-sided, from the share of resamples on the other side of 0; never 0.
    n, units, missing : int
        Complete rows, units redrawn, rows left out.
    names : tuple of str
        x, m, y.
    unit : str
        What was redrawn whole: "rows", or the column of clusters.
    n_resamples : int
        Those that gave a value.
    """

    a: float
    b: float
    direct: float
    total: float
    a_se: float
    b_se: float
    indirect: float
    sobel_z: float
    sobel_p: float
    p: float
    n: int
    units: int
    missing: int
    names: tuple[str, str, str]
    unit: str
    n_resamples: int
    drawn: FloatArray = field(repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the percentile interval of the indirect effect.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the outcome per unit of the predictor.
        """
        return percentile_interval(self.drawn, confidence_level, f"percentile bootstrap of {self.unit}")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return a, b, their product with its interval, and the direct effect.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The sentence for a results section.
        """
        x, m, y = self.names
        return (
            f"{x} → {m} → {y}: a = {apa.number(self.a)}, b = {apa.number(self.b)}, indirect = "
            f"{apa.number(self.indirect)}, {self.confidence_interval(confidence_level)} "
            f"({self.n_resamples:,} resamples of "
            f"{self.units:,} {self.unit}); direct = {apa.number(self.direct)}"
        )


def _read_rows(data: Any, columns: Sequence[str], cluster: str | None) -> tuple[FloatArray, IntArray, int]:
    """Return the complete rows' numbers, the cluster of each (itself without one), and how many rows are left out."""
    if cluster is not None:
        return complete_in_clusters(data, columns, cluster, "x, m, y, covariates and cluster")
    values, missing = complete(data, columns, "x, m, y and covariates")
    return values, np.arange(len(values)), missing


def _sum_products(values: FloatArray, unit_codes: IntArray, columns: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return the sums of products of standardized columns, and a constant, by unit; and the columns' SDs."""
    deviations = values - values.mean(axis=0)
    for name, column, size in zip(columns, deviations.T, np.abs(values).max(axis=0), strict=True):
        if np.abs(column).max() <= ROUNDING * size:
            raise NotEstimable(f"{name!r} is constant; a constant cannot mediate an effect")
    scale = deviations.std(axis=0)
    z = np.column_stack([np.ones(len(deviations)), deviations / scale])
    products = np.zeros((int(unit_codes.max()) + 1, z.shape[1], z.shape[1]))
    np.add.at(products, unit_codes, z[:, :, None] * z[:, None, :])
    return products, scale


def mediation(
    data: Any,
    x: str,
    m: str,
    y: str,
    *,
    rng: np.random.Generator,
    covariates: str | Sequence[str] = (),
    cluster: str | None = None,
    n_resamples: int = 9999,
) -> Mediation:
    """Estimate the indirect effect of x on y by way of m, with a bootstrap interval.

    Parameters
    ----------
    data
        A frame of any engine with one row a unit, or arrays by name.
    x, m, y
        Numeric columns; a condition as 0 and 1.
    rng
        Draws the resamples.
    covariates
        Numeric columns held constant in both regressions.
    cluster
        What belongs together, such as the dyad: redrawn whole.
    n_resamples
        How many.

    Returns
    -------
    Mediation
        The paths a and b, the direct, indirect and total effect, and what the bootstrap has drawn.

    Raises
    ------
    DesignError
        If a column is not there or no number.
    NotEstimable
        If there are too few rows or clusters, or a column follows from others.

    Notes
    -----
    Methods as in MacKinnon, Lockwood and Williams (2004). That x goes before m and m before y, and that nothing else
    drives m and y, is taken for granted, and no number here can show it.

    References
    ----------
    MacKinnon, D. P., Lockwood, C. M., & Williams, J. (2004). Confidence limits for the indirect effect: Distribution of
    the product and resampling methods. Multivariate Behavioral Research, 39, 99–128.

    Examples
    --------
    >>> x = [2, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 18]
    >>> z = [5, 3, 6, 2, 7, 4, 8, 6, 9, 5, 10, 7]
    >>> y = [10, 12, 11, 17, 15, 20, 19, 24, 22, 27, 25, 31]
    >>> result = mediation({"x": x, "z": z, "y": y}, "x", "z", "y", rng=np.random.default_rng(1), n_resamples=1000)
    >>> round(result.a, 4), round(result.b, 4), round(result.indirect, 4)
    (0.2734, -0.7003, -0.1915)
    """
    controls = names_of(covariates)
    columns = [x, m, y, *controls]
    complete_values, unit_codes, missing = _read_rows(data, columns, cluster)
    units, n_columns = (int(unit_codes.max()) + 1 if len(unit_codes) else 0), len(columns)
    if units < n_columns + 1:
        raise NotEstimable(
            f"{units} complete {cluster or 'rows'} are too few for {n_columns} coefficients; it needs {n_columns + 1}"
        )
    cross, scale = _sum_products(complete_values, unit_codes, columns)
    total = cross.sum(axis=0)
    if np.linalg.eigvalsh(np.delete(np.delete(total, 3, 0), 3, 1) / len(complete_values))[0] < 1e-12:
        raise NotEstimable(f"one of {', '.join([x, m, *controls])} follows from the others; leave it out")
    a, b, direct, total_effect = (float(path[0]) for path in _paths(total[None], scale))
    a_se, b_se = _errors(total, scale, len(complete_values))
    times = multinomials(check_rng(rng), units, check_count("n_resamples", n_resamples, 2))
    indirect_effects = _resample(cross, scale, times)
    n_beyond = min(int((indirect_effects <= 0).sum()), int((indirect_effects >= 0).sum()))
    sobel = a * b / np.sqrt(a**2 * b_se**2 + b**2 * a_se**2)
    return Mediation(
        a=a,
        b=b,
        direct=direct,
        total=total_effect,
        a_se=a_se,
        b_se=b_se,
        indirect=a * b,
        sobel_z=float(sobel),
        sobel_p=float(t_tails(sobel)),
        p=min(1.0, 2 * (n_beyond + 1) / (len(indirect_effects) + 1)),
        n=len(complete_values),
        units=units,
        missing=missing,
        names=(x, m, y),
        unit=cluster or "rows",
        n_resamples=len(indirect_effects),
        drawn=indirect_effects,
    )


def _resample(cross: FloatArray, scale: FloatArray, times: Iterable[FloatArray]) -> FloatArray:
    """Return the indirect effects of resamples of units, by how many times each is drawn; those that are defined.

    Cross products add over units: those of a resample are a weighted sum of theirs.
    """
    products = np.concatenate([np.tensordot(batch, cross, axes=1) for batch in times])
    drawn_a, drawn_b, _, _ = _paths(products, scale)
    indirect_effects = drawn_a * drawn_b
    return np.asarray(indirect_effects[np.isfinite(indirect_effects)])


def _paths(cross: FloatArray, scale: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return a, b, the direct and the total effect of stacked cross-products of (1, x, m, y, covariates)."""
    size = cross.shape[-1]
    controls = list(range(4, size))
    ridge = np.eye(size)

    def compute_slopes(outcome: int, predictors: list[int]) -> FloatArray:
        matrix = cross[..., predictors, :][..., predictors]
        is_singular = np.linalg.cond(matrix) > 1e12
        solvable = np.where(is_singular[..., None, None], ridge[: len(predictors), : len(predictors)], matrix)
        coefficients = np.linalg.solve(solvable, cross[..., predictors, outcome][..., None])[..., 0]
        return np.where(is_singular[..., None], np.nan, coefficients)

    a = compute_slopes(2, [0, 1, *controls])[..., 1] * scale[1] / scale[0]
    outcome_slopes = compute_slopes(3, [0, 1, 2, *controls])
    total = compute_slopes(3, [0, 1, *controls])[..., 1] * scale[2] / scale[0]
    return a, outcome_slopes[..., 2] * scale[2] / scale[1], outcome_slopes[..., 1] * scale[2] / scale[0], total


def _errors(cross: FloatArray, scale: FloatArray, n: int) -> tuple[float, float]:
    """Return the standard errors of a and b."""
    controls = list(range(4, cross.shape[0]))
    errors = []
    for outcome, predictors, position, scale_ratio in (
        (2, [0, 1, *controls], 1, scale[1] / scale[0]),
        (3, [0, 1, 2, *controls], 2, scale[2] / scale[1]),
    ):
        inverse = np.linalg.inv(cross[np.ix_(predictors, predictors)])
        rss = cross[outcome, outcome] - cross[predictors, outcome] @ inverse @ cross[predictors, outcome]
        errors.append(float(scale_ratio * np.sqrt(rss / (n - len(predictors)) * inverse[position, position])))
    return errors[0], errors[1]


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
        interval = t_interval(estimate, se, self.df, self.confidence_level)
        columns = {"at": values, "estimate": estimate, "se": se, "low": interval.low, "high": interval.high}
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
        return with_schema(frame, "JohnsonNeyman/1")

    def apa(self) -> str:
        """Return where the slope differs from 0, in words.

        Returns
        -------
        str
            The sentence for a results section.
        """
        subject = f"the slope of {self.predictor}"
        alpha = f"α = {apa.bounded(1 - self.confidence_level)}"
        if self.note:
            return f"{subject} {self.note} along {self.moderator} ({alpha})"
        region_texts = []
        for region in self.regions:
            low, high = float(np.asarray(region.low)), float(np.asarray(region.high))
            text_below, text_above = f"{self.moderator} < {apa.number(high)}", f"{self.moderator} > {apa.number(low)}"
            text_between = f"{apa.number(low)} < {self.moderator} < {apa.number(high)}"
            region_texts.append(text_below if np.isinf(low) else text_above if np.isinf(high) else text_between)
        return f"{subject} differs from 0 where {' or '.join(region_texts)} ({alpha})"


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
    for role, name in (("predictor", predictor), ("moderator", moderator)):
        if name not in (covariates := list(model.design.coding.covariates)):
            raise DesignError(f"{role} is {shown(name)}, no covariate; {meant(name, covariates, 'the model has')}")
    if model.sandwich is not None:
        raise DesignError("the df of CR2 change along the moderator; give errors='HC3' or 'ordinary'")
    if not any({predictor, moderator} == set(term) for term in model.design.coding.terms):
        raise DesignError(f"the model has no term {predictor}:{moderator}; without it the slope is the same everywhere")
    t = float(quantile(confidence_level, model.df_residual))
    centre = model.design.units.origin[moderator]
    at_centre, one_above = (_slope_row(model, predictor, moderator, centre + value) for value in (0.0, 1.0))
    slope_rows = np.stack([at_centre, one_above - at_centre])
    beta, covariance = model.fit
    (b1, b3), covariance_of_slopes = slope_rows @ beta, slope_rows @ covariance @ slope_rows.T
    # a m² + b m + c > 0 where the slope differs from 0, m measured from its mean
    a, b, c = (
        b3**2 - t**2 * covariance_of_slopes[1, 1],
        2 * (b1 * b3 - t**2 * covariance_of_slopes[0, 1]),
        b1**2 - t**2 * covariance_of_slopes[0, 0],
    )
    discriminant = b**2 - 4 * a * c
    regions: list[Interval] = []
    if discriminant <= 0:
        note = "differs from 0 everywhere" if a > 0 else "differs from 0 nowhere"
    else:
        note = ""
        q = -(b + np.copysign(np.sqrt(discriminant), b)) / 2  # the root without a difference of near numbers
        low, high = sorted((centre + q / a, centre + c / q))
        spans = [(low, high)] if a < 0 else [(-np.inf, low), (high, np.inf)]
        regions = [Interval(float(start), float(end), confidence_level, "Johnson-Neyman") for start, end in spans]
    return JohnsonNeyman(predictor, moderator, tuple(regions), confidence_level, float(model.df_residual), note, model)


def _slope_row(model: LinearModel, predictor: str, moderator: str, value: float) -> FloatArray:
    """Return the row whose sum of fitted coefficients is the slope at a value of the moderator."""
    start = model.design.units.origin[predictor]
    row_above, row_below = (
        model.design.cells({moderator: value, predictor: x})[1].mean(axis=0) for x in (start + 1.0, start)
    )
    return np.asarray(row_above - row_below)


def _slope(model: LinearModel, predictor: str, moderator: str, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    rows = np.stack([_slope_row(model, predictor, moderator, float(value)) for value in values])
    beta, covariance = model.fit
    return rows @ beta, np.sqrt(np.einsum("ij,jk,ik->i", rows, covariance, rows))
