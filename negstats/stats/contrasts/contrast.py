"""Contrasts of means, one or a family: estimate, test, correction (Tukey, Scheffé, Holm, ...), and their result.

Each correction gives the p of every comparison and, for intervals, the critical value of t. `pairwise(..., adjust=...)`
and the other contrasts name them; Games–Howell is Tukey with ``error="welch"``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from scipy import special

from negstats.errors import DesignError, meant, shown
from negstats.stats.contrasts.margins import ErrorTerm, Slice, spread
from negstats.stats.effects._effect import Effect
from negstats.stats.means.design import Design, Each, Grid
from negstats.stats.results import multiplicity
from negstats.stats.results.apa import statistic, with_interval
from negstats.stats.results.intervals import t_noncentrality
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_single, f_tails, t_tails
from negstats.stats.results.result import Interval, Result, check_level, with_schema

if TYPE_CHECKING:
    from negstats.stats.fitted import FittedModel

Adjustment = Literal[
    "none",
    "tukey",
    "scheffe",
    "bonferroni",
    "sidak",
    "holm",
    "holm-sidak",
    "simes-hochberg",
    "hommel",
    "fdr_bh",
    "fdr_by",
    "dunnett",
]

# What each is called in print.
ADJUSTMENTS: dict[str, str] = {
    "none": "",
    "tukey": "Tukey",
    "scheffe": "Scheffé",
    "dunnett": "Dunnett",
    **multiplicity.METHODS,
}

# Whose simultaneous intervals go with each: stepwise corrections have none of their own, and R's emmeans, too, gives
# Bonferroni's.
OWN = ("none", "tukey", "scheffe", "sidak", "dunnett")
INTERVALS = {name: name if name in OWN else "bonferroni" for name in ADJUSTMENTS}


# From so many degrees of freedom on Dunnett's probability is that of known variances to ten digits.
ENDLESS = 1e7


@dataclass(frozen=True, slots=True)
class Family:
    """What a correction needs to know of the comparisons that are made together.

    Attributes
    ----------
    size : int
        How many comparisons.
    rank : int
        How many of them are linearly independent (Scheffé).
    means : int
        How many means all pairs were formed of (Tukey); 0 if the family is not all pairs.
    shared : tuple of float
        Of comparisons with one control, √(its variance's share) of each, so that two correlate as the product of
        theirs (Dunnett); empty otherwise.
    """

    size: int
    rank: int
    means: int = 0
    shared: tuple[float, ...] = ()


def check_adjustment(adjust: str, family: Family) -> None:
    """Raise DesignError unless the correction exists and fits the family."""
    check_choice("adjust", adjust, tuple(ADJUSTMENTS))
    if adjust == "dunnett" and not family.shared:
        raise DesignError("adjust='dunnett' is for comparisons with one control; call dunnett(..., control=...)")
    if adjust == "tukey" and not family.means:
        raise DesignError("adjust='tukey' is for all pairs of means; for these contrasts give 'holm' or 'scheffe'")


def adjusted_p(adjust: str, t: FloatArray, df: FloatArray, p: FloatArray, family: Family) -> FloatArray:
    """Return the corrected p values.

    Parameters
    ----------
    adjust
        The correction: a name of `ADJUSTMENTS`.
    t, df, p : ndarray, shape (..., size)
        Statistic, degrees of freedom and two-sided p of each comparison of a family.

    Notes
    -----
    Tukey and Kramer: the studentized range of ``means`` means at √2 |t|, between p and Bonferroni's p. scipy's is exact
    to about 1e-11 where p is small, so that these two bounds are all that is known of a smaller one; from 100,000
    degrees of freedom on it takes the variance as known.
    Scheffé (1959), The Analysis of Variance, sec. 3.5: F with ``rank`` degrees of freedom at t² / rank.
    """
    check_adjustment(adjust, family)
    if adjust == "none":
        return p
    if adjust == "tukey":
        pairs = family.means * (family.means - 1) / 2
        return np.asarray(np.clip(_range_exceeds(t, family.means, df), p, np.minimum(1.0, pairs * p)))
    if adjust == "scheffe":
        return f_tails(t**2 / family.rank, family.rank, df)
    if adjust == "dunnett":
        probabilities = [
            1 - all_within(abs(statistic), degrees, family.shared)
            for statistic, degrees in zip(t.flat, df.flat, strict=True)
        ]
        return np.asarray(np.clip(np.reshape(probabilities, t.shape), p, np.minimum(1.0, family.size * p)))
    return multiplicity.adjust(p, adjust).p_adjusted


def _range_exceeds(t: FloatArray, means: int, df: FloatArray) -> FloatArray:
    """Return the probability that the studentized range of so many means exceeds √2 |t|, each pair of t and df once."""
    statistics_and_df = np.stack(np.broadcast_arrays(np.sqrt(2.0) * np.abs(t), df), axis=-1)
    distinct, positions = np.unique(statistics_and_df.reshape(-1, 2), axis=0, return_inverse=True)
    with warnings.catch_warnings():
        # Of two means that hardly differ, with thousands of degrees of freedom; p is right there (above .999, to 1e-9).
        warnings.simplefilter("ignore", scipy.integrate.IntegrationWarning)
        exceeds = np.atleast_1d(scipy.stats.studentized_range.sf(distinct[:, 0], means, distinct[:, 1]))
    return np.asarray(exceeds[positions].reshape(statistics_and_df.shape[:-1]))


@lru_cache(maxsize=1024)
def _range_end(tail: float, means: int, df: float) -> float:
    """Return the end of the studentized range: it takes scipy long, and all pairs of equal df ask for the same."""
    return float(scipy.stats.studentized_range.isf(tail, means, df))


def critical_t(adjust: str, confidence_level: float, df: npt.ArrayLike, family: Family) -> FloatArray:
    """Return the critical value of t of simultaneous intervals of all comparisons, at `confidence_level` together.

    Stepwise corrections (Holm, Benjamini–Hochberg, ...) get Bonferroni's. With "none" each interval covers its own
    comparison.
    """
    check_adjustment(adjust, family)
    level = check_level(confidence_level)
    df = np.asarray(df, dtype=np.float64)
    adjust = INTERVALS[adjust]
    # The studentized range is solved once for each distinct number of df.
    if adjust == "tukey" and family.means > 2:
        distinct, positions = np.unique(df, return_inverse=True)
        quantiles = np.array([_range_end(1 - level, family.means, float(degrees)) for degrees in distinct])
        return np.asarray((quantiles / np.sqrt(2.0))[positions].reshape(df.shape))
    if adjust == "scheffe":
        # Scheffé's bound holds for every contrast: it is that of F of the whole family.
        limit = special.chdtri(family.rank, 1 - level) / family.rank
        return np.asarray(np.sqrt(family.rank * np.where(np.isinf(df), limit, special.fdtri(family.rank, df, level))))
    if adjust == "dunnett":

        def solve(degrees: float) -> float:
            root = scipy.optimize.brentq(
                lambda t: all_within(t, degrees, family.shared) - level, 0.0, 1e3, xtol=1e-12, rtol=1e-13
            )
            return float(root)

        distinct, positions = np.unique(df, return_inverse=True)
        return np.asarray(np.array([solve(float(degrees)) for degrees in distinct])[positions].reshape(df.shape))
    # The remaining corrections change the level of each interval alone.
    alphas = {"bonferroni": (1 - level) / family.size, "sidak": -np.expm1(np.log(level) / family.size)}
    return np.asarray(-special.stdtrit(df, alphas.get(adjust, 1 - level) / 2))


def all_within(t: float, df: float, shared: tuple[float, ...]) -> float:
    """Return the probability that no |T| exceeds `t`, of T's with one control and one error in common.

    Dunnett (1955), JASA 50, 1096-1121: given the control's mean z and the error's s = √(χ²/df), the comparisons are
    independent, so the probability is ∫∫ φ(z) g(s) Π [Φ((ts + λz)/√(1 − λ²)) − Φ((−ts + λz)/√(1 − λ²))] dz ds; both
    integrals by Gauss and Legendre.

    Examples
    --------
    >>> round(1 - all_within(2.54, 20, (0.5**0.5,) * 3), 3)  # Dunnett's table: 5 % at 2.54
    0.05
    """
    df = min(df, ENDLESS)
    nodes, weights = np.polynomial.legendre.leggauss(96)
    z, z_steps = 8.5 * nodes, 8.5 * weights
    # The range of s/σ that carries all but 1e-15 of the chi distribution's mass.
    low, high = (np.sqrt(special.chdtri(df, tail) / df) for tail in (1 - 1e-15, 1e-16))
    scales, scale_steps = (high - low) / 2 * nodes + (high + low) / 2, (high - low) / 2 * weights
    log_density = (
        (df - 1) * np.log(scales) - df * scales**2 / 2 + np.log(2) + df / 2 * np.log(df / 2) - special.gammaln(df / 2)
    )
    # Given the shared control mean z and the scale s, comparisons are independent: their chances multiply.
    chance_within = np.ones((len(scales), len(z)))
    for share in shared:
        unique_sd = np.sqrt(1 - share**2)
        half_width, centre = t * scales[:, None] / unique_sd, share * z[None, :] / unique_sd
        chance_within *= special.ndtr(centre + half_width) - special.ndtr(centre - half_width)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return float(np.exp(log_density) * scale_steps @ chance_within @ (density * z_steps))


@dataclass(frozen=True, slots=True, repr=False)
class Contrast(Result):
    """A weighted sum of means, tested against 0. Signed: for a pair, first minus second.

    Attributes
    ----------
    name : str
        What is compared, such as ``"fair - selfish"``.
    at : str
        The levels of other factors that it is made at; empty if it averages over them.
    estimate, se : float
        The weighted sum and its standard error, in the unit of the outcome.
    statistic, df, p : float
        The test and its two-sided p.
    p_adjusted : float
        p corrected for the family.
    error, adjust : str
        Where the error comes from ("pooled", "own", "welch", "model") and how p was corrected.
    family : Family
        What it was corrected for.
    """

    name: str
    at: str
    estimate: Number
    se: Number
    statistic: Number
    df: Number
    p: Number
    p_adjusted: Number
    error: str
    adjust: str
    family: Family

    @property
    def method(self) -> str:
        """Error and correction in words."""
        return ", ".join(filter(None, [f"{self.error} error", ADJUSTMENTS[self.adjust]]))

    def confidence_interval(self, confidence_level: float = 0.95, *, simultaneous: bool = True) -> Interval:
        """Return the interval of the estimate; corrected as p is unless `simultaneous` is False.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        simultaneous
            Whether the interval is widened for the number of contrasts, as their p values are corrected.

        Returns
        -------
        Interval
            Its two ends, in units of the outcome.
        """
        return _interval(self, confidence_level, simultaneous)

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a study.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            The estimate, its standard error, t, df, p, and the ends of the interval.
        """
        return _frame([self], confidence_level)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return t, its degrees of freedom, p (corrected), the estimate and its interval.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        test = statistic("t", self.statistic, (self.df,), self.p_adjusted)
        own_variances = (self.adjust, self.error) == ("tukey", "welch")
        correction = "Games–Howell" if own_variances else ADJUSTMENTS[self.adjust]
        correction_note = f" ({correction})" if correction else ""
        interval = self.confidence_interval(confidence_level)
        estimate_text = with_interval(self.estimate, interval.low, interval.high, confidence_level)
        return f"{test}{correction_note}, difference = {estimate_text}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contrasts(Result):
    """Several contrasts of one design. Arrays have the shape ``(*studies, contrasts)``.

    Iterate over it, or take one by its place or name (``result["a - b"]``, ``result["a - b", "sex = f"]``).

    Attributes
    ----------
    names, at : tuple of str
        Name of each contrast, and the levels of other factors that it is made at.
    estimate, se, statistic, df, p : ndarray
        As in `Contrast`.
    error, adjust : str
        As in `Contrast`.
    family : Family
        The contrasts that p is corrected for: those made at the same levels.
    missing : int
        Rows that were left out because the outcome or a factor was missing.
    order : tuple of str
        Of trends, the levels in the order that they follow; else empty.
    sd : ndarray or None
        The standard deviation inside all cells of the design (of a linear model that of its residuals), in which
        `effect_size` measures; None where there is none.
    """

    names: tuple[str, ...]
    at: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    df: FloatArray
    p: FloatArray
    error: str
    adjust: str
    family: Family
    missing: int = 0
    order: tuple[str, ...] = ()
    sd: FloatArray | None = field(default=None, repr=False)

    def effect_size(self) -> Effect:
        """Return each estimate in standard deviations inside the cells, with its interval: Cohen's d of a pair.

        The interval is that of the noncentral t of the estimate's own t and degrees of freedom: exact with the pooled
        error, close to it with others. It is not corrected for the number of contrasts.

        Returns
        -------
        Effect
            Its value is an array with one entry a contrast, signed as the estimate.

        Raises
        ------
        DesignError
            If the model has no standard deviation within cells (repeated measures, mixed models, models on a log
            scale).
        """
        if self.sd is None:
            raise DesignError("this model has no standard deviation within cells; the estimate is in its own unit")
        unit = np.asarray(self.se) / self.sd[..., None]

        def interval_of(confidence_level: float) -> Interval:
            low, high = t_noncentrality(self.statistic, self.df, confidence_level)
            return Interval(plain(low * unit), plain(high * unit), confidence_level, "noncentral t")

        return Effect("d", plain(self.estimate / self.sd[..., None]), interval_of)

    @property
    def p_adjusted(self) -> FloatArray:
        """The corrected p, computed when asked for (Tukey's takes milliseconds a number)."""
        family_shape = (*self.statistic.shape[:-1], -1, self.family.size)
        t, df, p = (array.reshape(family_shape) for array in (self.statistic, self.df, self.p))
        return adjusted_p(self.adjust, t, df, p, self.family).reshape(self.statistic.shape)

    def confidence_interval(self, confidence_level: float = 0.95, *, simultaneous: bool = True) -> Interval:
        """Return the intervals of all estimates; corrected as p is unless `simultaneous` is False.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        simultaneous
            Whether the intervals are widened for the number of contrasts, as the p values are corrected.

        Returns
        -------
        Interval
            Its ends are arrays with one entry a contrast, in units of the outcome.
        """
        return _interval(self, confidence_level, simultaneous)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Contrast]:
        adjusted_p_values = self.p_adjusted
        arrays = self.estimate, self.se, self.statistic, self.df, self.p, adjusted_p_values
        for i, (name, at) in enumerate(zip(self.names, self.at, strict=True)):
            estimate, se, t, df, p, p_adjusted = (plain(array[..., i]) for array in arrays)
            yield Contrast(
                name=name,
                at=at,
                estimate=estimate,
                se=se,
                statistic=t,
                df=df,
                p=p,
                p_adjusted=p_adjusted,
                error=self.error,
                adjust=self.adjust,
                family=self.family,
            )

    def __getitem__(self, key: int | str | tuple[str, str]) -> Contrast:
        if isinstance(key, int):
            return list(self)[key]
        name, at = (key, None) if isinstance(key, str) else key
        for contrast in self:
            if contrast.name == name and at in (None, contrast.at):
                return contrast
        raise DesignError(f"there is no contrast {shown(key)}; there are {', '.join(map(repr, self.names))}")

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a contrast, with its interval and its effect size; for a stack, one a contrast and study.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            The name, the estimate, its standard error, t, df, p, corrected p, the ends of the interval, and (of cells
            with a standard deviation) ``d``, ``d_low`` and ``d_high`` as `effect_size` gives them.
        """
        frame = _frame(list(self), confidence_level)
        if self.sd is not None:
            size = self.effect_size()
            span = size.confidence_interval(confidence_level)
            for name, value in (("d", size.value), ("d_low", span.low), ("d_high", span.high)):
                frame[name] = np.moveaxis(np.asarray(value), -1, 0).ravel()
        return frame

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return every contrast as APA style prints it, behind its name.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            One clause a contrast, with semicolons between.
        """
        texts = "; ".join(
            f"{contrast.name}{f' ({contrast.at})' if contrast.at else ''}: {contrast.apa(confidence_level)}"
            for contrast in self
        )
        return f"{texts} (order: {' < '.join(self.order)})" if self.order else texts


def _interval(contrast: Contrast | Contrasts, confidence_level: float, simultaneous: bool) -> Interval:
    adjust = contrast.adjust if simultaneous else "none"
    half_width = critical_t(adjust, confidence_level, contrast.df, contrast.family) * contrast.se
    method = " ".join(filter(None, ["t", ADJUSTMENTS[INTERVALS[adjust]]]))
    return Interval(
        plain(contrast.estimate - half_width), plain(contrast.estimate + half_width), confidence_level, method
    )


def _frame(items: Sequence[Contrast], confidence_level: float) -> pd.DataFrame:
    frames = []
    for item in items:
        interval = item.confidence_interval(confidence_level)
        columns = {"estimate": item.estimate, "se": item.se, "low": interval.low, "high": interval.high}
        columns |= {"statistic": item.statistic, "df": item.df, "p": item.p, "p_adjusted": item.p_adjusted}
        frame = pd.DataFrame({name: np.atleast_1d(value).ravel() for name, value in columns.items()})
        frame.insert(0, "contrast", item.name)
        frame.insert(1, "at", item.at)
        if np.ndim(item.estimate):
            frame.insert(0, "study", np.arange(len(frame)))
        frames.append(frame.assign(error=item.error, adjust=item.adjust))
    return with_schema(pd.concat(frames, ignore_index=True), "Contrasts/1")


def pairs(labels: Sequence[str]) -> tuple[FloatArray, tuple[str, ...]]:
    """Return all pairs, first minus second, as rows over the levels, and their names."""
    index_pairs = list(combinations(range(len(labels)), 2))
    rows = np.zeros((len(index_pairs), len(labels)))
    for row, (first, second) in zip(rows, index_pairs, strict=True):
        row[first], row[second] = 1.0, -1.0
    return rows, tuple(f"{labels[first]} - {labels[second]}" for first, second in index_pairs)


def _estimate_rows(
    design: Design | Grid, cell_weights: FloatArray, cell_slice: Slice, error: ErrorTerm
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the estimates of weighted cells in one slice, their standard errors and degrees of freedom."""
    if isinstance(design, Grid):
        return design.each(cell_weights)
    se, df = spread(design, cell_weights, cell_slice, error)
    return (cell_weights @ design.mean[..., None])[..., 0], se, df


def build_contrasts(
    design: Design | Grid,
    parts: Sequence[Slice],
    rows: FloatArray,
    names: tuple[str, ...],
    error: ErrorTerm,
    adjust: Adjustment,
    family: Family,
) -> Contrasts:
    """Estimate and test each row in each slice."""
    check_adjustment(adjust, family)
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise DesignError(f"two contrasts are both named {repeated!r}; rename a level")
    if isinstance(design, Grid) and error != "pooled":
        raise DesignError(f"error is {error!r}, and a model has the errors that it was fitted with; leave it out")
    # A contrast of means in a slice is a row of weights of the cells.
    columns = [_estimate_rows(design, rows @ cell_slice.rows, cell_slice, error) for cell_slice in parts]
    estimate, se, df = (np.asarray(np.concatenate(column, axis=-1)) for column in zip(*columns, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.asarray(estimate / se)
    p = t_tails(t, df)
    at = tuple(cell_slice.name for cell_slice in parts for _ in names)
    return Contrasts(
        names=names * len(parts),
        at=at,
        estimate=estimate,
        se=se,
        statistic=t,
        df=df,
        p=p,
        error="model" if isinstance(design, Grid) else error,
        adjust=adjust,
        family=family,
        missing=design.missing,
        sd=_sd_of(design),
    )


def _sd_of(design: Design | Grid) -> FloatArray | None:
    """Return the standard deviation inside all cells; None of a model that has none."""
    if isinstance(design, Grid):
        return None if design.sd is None else np.asarray(design.sd)
    ss_error, df = design.pooled()
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sqrt(ss_error / df))


def cell_slopes(model: FittedModel, test_rows: Each, of: str, *, compare: bool, adjust: Adjustment) -> Contrasts:
    """Return the slopes in a covariate, or their differences; `FittedModel.slopes` calls this."""
    design = model.design
    if of not in design.coding.covariates:
        covariates = list(design.coding.covariates)
        raise DesignError(f"the model has no covariate {shown(of)}; {meant(of, covariates, 'it has')}")
    interacting = {name for term in design.coding.terms if of in term for name in term if name in design.coding.levels}
    origin = design.units.origin[of]
    (factors, rows, _), (_, rows_above, _) = design.cells({of: origin}), design.cells({of: origin + 1.0})
    shape = tuple(len(factor) for factor in factors)
    factor_axes = [axis for axis, factor in enumerate(factors) if factor.name in interacting]
    averaged_axes = tuple(axis for axis in range(len(factors)) if axis not in factor_axes)
    # A slope is the change of the fitted value by one unit, averaged over factors that do not interact with it.
    table = (rows_above - rows).reshape(*shape, rows.shape[1]).mean(axis=averaged_axes)
    labels = [
        " ".join(factors[axis].levels[code] for axis, code in zip(factor_axes, codes, strict=True)) or of
        for codes in np.ndindex(*table.shape[:-1])
    ]
    weights, names = table.reshape(-1, rows.shape[1]), tuple(labels)
    family = Family(len(weights), len(weights))
    if compare:
        if len(weights) < 2:
            raise DesignError(f"no factor interacts with {of!r}, so there is one slope; nothing can be compared")
        difference, names = pairs(labels)
        weights = difference @ weights
        family = Family(len(weights), len(labels) - 1, len(labels))
    check_adjustment(adjust, family)
    estimate, se, df = test_rows(weights)
    t = estimate / se
    return Contrasts(
        names, ("",) * len(names), estimate, se, t, df, t_tails(t, df), "model", adjust, family, model.missing
    )
