"""Several groups: one-way ANOVA, Welch's ANOVA, and tests of equal variances (Levene, Brown–Forsythe)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.effects.means import Kind, variance_explained
from negstats.stats.results import apa
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain, several
from negstats.stats.results.options import check_choice, check_single
from negstats.stats.results.result import Result
from negstats.stats.summaries import Cells
from negstats.stats.summaries.coerce import as_cells, as_values, one_factor
from negstats.stats.summaries.frames import group_pandas

Method: TypeAlias = Literal["fisher", "welch", "levene", "brown-forsythe"]


@dataclass(frozen=True, slots=True, repr=False)
class OneWay(Result):
    """Whether the means of several groups differ.

    Every number is an array with one entry a study where the summary was a stack of studies; NaN then marks a study
    whose F is not estimable.

    Attributes
    ----------
    statistic, df1, df2, p : float
        The statistic, its degrees of freedom (Welch's df2 is rarely whole) and p.
    ss_between, ss_within : float
        Sums of squares; of the distances from the centre for Levene and Brown–Forsythe.
    n, means, sds : tuple
        Each group's size, mean and SD, in the order of `labels`; of the distances for Levene and Brown–Forsythe.
    labels : tuple of str
        The factor's levels.
    method : str
        "fisher" (equal variances), "welch", "levene" (distances from means), "brown-forsythe" (from medians).
    factor, outcome : str
        Names of the factor and of what was measured.
    missing : int
        Rows that were left out because a value was missing.
    """

    statistic: Number
    df1: Number
    df2: Number
    p: Number
    ss_between: Number
    ss_within: Number
    n: tuple[Number, ...]
    means: tuple[Number, ...]
    sds: tuple[Number, ...]
    labels: tuple[str, ...]
    method: Method
    factor: str = "group"
    outcome: str = "outcome"
    missing: int = 0

    def effect_size(self, kind: Kind = "eta_squared") -> Effect:
        """Return "eta_squared", "omega_squared" or "epsilon_squared" with its interval from the noncentral F.

        From F and its degrees of freedom. Welch's F is set against N less the groups, as if variances were equal: its
        own df2 is small where one group is, and would make much of little.

        Parameters
        ----------
        kind
            "eta_squared", "omega_squared" or "epsilon_squared".

        Returns
        -------
        Effect
            The share of the variance that lies between groups.
        """
        residual_df = np.sum([np.asarray(n) for n in self.n], axis=0) - len(self.n) if self.method == "welch" else None
        return variance_explained(kind, self.statistic, self.df1, self.df2, rest=residual_df)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``F(2, 57) = 4.00, p = .024, η² = .12, 95% CI [.00, .28]``.

        Parameters
        ----------
        confidence_level
            Level of the interval of eta squared, between 0 and 1.

        Returns
        -------
        str
            F with its degrees of freedom, p and eta squared.
        """
        check_single(self.statistic, "apa()")
        test = apa.statistic("F", self.statistic, (self.df1, self.df2), self.p)
        return f"{test}, {self.effect_size().apa(confidence_level)}"


def one_way(
    data: Any,
    outcome: str | None = None,
    by: str | None = None,
    *,
    method: Literal["fisher", "welch"] = "fisher",
) -> OneWay:
    """Compare the means of several independent groups.

    Parameters
    ----------
    data
        A frame of any engine with the columns `outcome` and `by`; or samples by name; or `Cells` (one study or a
        stack), `ValueCounts`.
    outcome, by
        The measured column and the factor. `by` also picks a factor of `Cells` that have several.
    method
        "fisher" pools the variances; "welch" does not (Welch, 1951).

    Returns
    -------
    OneWay
        F with its df and p, and n, mean and SD of each group.

    Raises
    ------
    DesignError
        If the factor has fewer than two levels, or a column is missing or not numeric.
    NotEstimable
        If a group is empty (for Welch: has n = 1, or two have zero variance), or nothing varies inside the groups.

    References
    ----------
    Welch, B. L. (1951). On the comparison of several mean values: An alternative approach. Biometrika, 38, 330–336.

    Examples
    --------
    >>> samples = {"Israel": [3, 5, 4, 6], "US": [6, 8, 7, 7, 9], "China": [5, 4, 6, 5]}
    >>> one_way(samples).apa()
    'F(2, 10) = 9.06, p = .006, η² = .64, 95% CI [.13, .82]'
    >>> round(one_way(samples, method="welch").df2, 4)
    6.3519
    """
    check_choice("method", method, ("fisher", "welch"))
    return _analysed(one_factor(as_cells(data, outcome, by), by, "one_way"), method)


def levene(
    data: Any,
    outcome: str | None = None,
    by: str | None = None,
    *,
    center: Literal["median", "mean"] = "median",
) -> OneWay:
    """Test whether several groups have equal variances: one-way ANOVA of the distances from each group's centre.

    Parameters
    ----------
    data, outcome, by
        As in `one_way`, but not `Cells`: distances need the values (raw data or `ValueCounts`).
    center
        "median" (Brown and Forsythe, 1974, the more robust) or "mean" (Levene, 1960).

    Returns
    -------
    OneWay
        F with its df and p; the means and SDs are those of the distances.

    Raises
    ------
    DesignError
        If only means and variances are known, or as in `one_way`.
    NotEstimable
        As in `one_way`.

    References
    ----------
    - Brown, M. B., & Forsythe, A. B. (1974). Robust tests for the equality of variances. Journal of the American
      Statistical Association, 69, 364–367.
    - Levene, H. (1960). Robust tests for equality of variances. In I. Olkin (Ed.), Contributions to Probability and
      Statistics. Stanford University Press.

    Examples
    --------
    >>> result = levene({"a": [3, 5, 4, 6], "b": [1, 8, 2, 9, 5]})
    >>> result.method, round(result.statistic, 4)
    ('brown-forsythe', 4.2712)
    """
    check_choice("center", center, ("median", "mean"))
    method: Method = "brown-forsythe" if center == "median" else "levene"
    if isinstance(data, pd.DataFrame) and outcome is not None and isinstance(by, str):
        grouped_data = group_pandas(data, outcome, [by])
        (factor,) = grouped_data.factors
        # From rows: the distance of each from its group's centre.
        groups = {
            level: _distances(grouped_data.y[grouped_data.cell == code], center)
            for code, level in enumerate(factor.levels)
        }
        if groups:
            cells = replace(Cells.from_samples(groups, by, outcome), factors=(factor,), missing=grouped_data.missing)
            return _analysed(cells, method)
    value_counts = one_factor(as_values(data, outcome, by), by, "levene")
    centres = value_counts.median if center == "median" else value_counts.cells().mean
    # From counts of values: each distinct value has one distance, as often as the value occurs.
    distances = np.abs(value_counts.values - centres[..., None])  # noqa: PD011 - the distinct values, of no frame
    n = value_counts.n.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (value_counts.n * distances).sum(axis=-1) / n
        ss = (value_counts.n * (distances - mean[..., None]) ** 2).sum(axis=-1)
        variance = np.where(n > 1, ss / (n - 1), np.nan)
    cells = Cells(n, mean, variance, value_counts.factors, value_counts.outcome, 0.0, value_counts.missing)
    return _analysed(cells, method)


def _distances(y: FloatArray, center: Literal["median", "mean"]) -> FloatArray:
    """Return how far each value is from the centre of its group; 0 where rounding alone tells them apart."""
    centre = np.median(y) if center == "median" else y[0] + (y - y[0]).mean()
    distances = np.abs(y - centre)
    distances[distances <= ROUNDING * np.abs(centre)] = 0.0
    return distances


def _analysed(cells: Cells, method: Method) -> OneWay:
    (factor,) = cells.factors
    if len(factor) < 2:
        levels_text = f"one level: {factor.levels[0]!r}" if len(factor) else "no level"
        raise DesignError(f"a comparison of groups needs at least two; {factor.name!r} has {levels_text}")
    _check_groups(cells, method)
    ss_within = cells.ss.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = cells.n.sum(axis=-1)
        # The sums of squares between and within groups, about the grand mean of all rows.
        grand_mean = (cells.n * cells.offset).sum(axis=-1) / total
        ss_between = (cells.n * (cells.offset - grand_mean[..., None]) ** 2).sum(axis=-1)
        variance = np.where(_is_flat(cells), 0.0, cells.variance)
        is_welch = method == "welch"
        f, df1, df2 = welch_f(cells.n, cells.offset, variance) if is_welch else _fisher(ss_between, ss_within, cells.n)
    return OneWay(
        statistic=plain(f),
        df1=plain(df1),
        df2=plain(df2),
        p=plain(special.fdtrc(df1, df2, f)),
        ss_between=plain(ss_between),
        ss_within=plain(ss_within),
        n=several(cells.n, whole=True),
        means=several(cells.mean),
        sds=several(cells.sd),
        labels=factor.levels,
        method=method,
        factor=factor.name,
        outcome=cells.outcome,
        missing=cells.missing,
    )


def _fisher(ss_between: FloatArray, ss_within: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    df1, df2 = np.asarray(n.shape[-1] - 1.0), n.sum(axis=-1) - n.shape[-1]
    return (ss_between / df1) / np.where(ss_within > 0, ss_within / df2, np.nan), df1, df2


def welch_f(n: FloatArray, mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Welch's F and its degrees of freedom, groups along the last axis; NaN where two have no variance.

    Of one group without variance it is the limit, as Welch's t is: all weight lies on the mean of that group.
    """
    k = n.shape[-1]
    has_no_variance = variance == 0
    weight = np.where(has_no_variance, 0.0, n / np.where(has_no_variance, 1.0, variance))
    # A group without variance takes all the weight; two of them have no weights.
    share = np.where(
        has_no_variance.any(axis=-1, keepdims=True), has_no_variance * 1.0, weight / weight.sum(axis=-1, keepdims=True)
    )
    share = np.where(has_no_variance.sum(axis=-1, keepdims=True) > 1, np.nan, share)
    centre = (share * mean).sum(axis=-1, keepdims=True)
    weighted_squares = (weight * (mean - centre) ** 2).sum(axis=-1) / (k - 1)
    # Welch's correction: how unequally the weights are known.
    inequality = ((1 - share) ** 2 / (n - 1)).sum(axis=-1)
    return (
        weighted_squares / (1 + 2 * (k - 2) / (k**2 - 1) * inequality),
        np.asarray(k - 1.0),
        (k**2 - 1) / (3 * inequality),
    )


def _is_flat(cells: Cells) -> NDArray[np.bool_]:
    """Whether each group has no variance but that of rounding; False where its variance is not known."""
    return np.asarray(cells.sd <= ROUNDING * np.abs(cells.mean))


def _check_groups(cells: Cells, method: Method) -> None:
    """Raise NotEstimable where a single study has an empty group or nothing that varies; a stack gets NaN."""
    if cells.studies:
        return
    is_flat = _is_flat(cells)
    is_empty, is_single = cells.n == 0, cells.n < 2
    is_unusable = is_empty | (is_single if method == "welch" else False)
    if is_unusable.any():
        group = int(is_unusable.argmax())
        level = cells.factors[0].levels[group]
        if is_empty[group]:
            raise NotEstimable(f"group {level!r} is empty; leave the level out")
        raise NotEstimable(f"n of group {level!r} is 1; Welch's weights need a variance, and so at least 2")
    if (is_flat | is_single).all():
        raise NotEstimable(f"{cells.outcome!r} has zero variance inside every group; F is not defined")
    if method == "welch" and is_flat.sum() > 1:
        names = " and ".join(repr(cells.factors[0].levels[group]) for group in np.flatnonzero(is_flat))
        raise NotEstimable(
            f"groups {names} have zero variance, and Welch's weights divide by that of all but one",
            advice="method='fisher' pools the variances",
        )
