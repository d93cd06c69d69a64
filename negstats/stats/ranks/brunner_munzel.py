"""Brunner and Munzel's tests: whether one of two or several groups tends to larger values, whatever their spreads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.effects._effect import Effect
from negstats.stats.ranks.two_groups import two_groups
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray, Number, plain
from negstats.stats.results.options import (
    ALTERNATIVES,
    Alternative,
    check_choice,
    check_one_study,
    check_single,
    count,
    t_tails,
)
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries.coerce import as_values, one_factor


@dataclass(frozen=True, slots=True, repr=False)
class BrunnerMunzel(Result):
    """Whether one group tends to larger values. `t` is signed as first against second.

    (SciPy and R's lawstat give the statistic the other sign.)

    Every number is an array with one entry a study where the summary was a stack of studies; NaN then marks a study
    that is not estimable.

    Attributes
    ----------
    statistic, df, p : float
        The statistic, its degrees of freedom, and p from Student's t under `alternative`.
    share : float
        P(first > second) + ½ P(first = second), the common-language effect.
    se : float
        Standard error of the share.
    n : tuple of int
        Both groups' sizes.
    labels : tuple of str
        First and second level.
    alternative : str
        "two-sided", "greater" (the first tends to larger values) or "less".
    outcome : str
        Name of what was measured.
    missing : int
        Rows that were left out because a value was missing.
    """

    statistic: Number
    df: Number
    p: Number
    share: Number
    se: Number
    n: tuple[Number, Number]
    labels: tuple[str, str]
    alternative: Alternative
    outcome: str
    missing: int

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the t interval of the share, kept between 0 and 1.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between 0 and 1.
        """
        interval = t_interval(self.share, self.se, self.df, confidence_level, self.alternative)
        low, high = plain(np.maximum(interval.low, 0.0)), plain(np.minimum(interval.high, 1.0))
        return Interval(low, high, confidence_level, "Brunner–Munzel t")

    def effect_size(self, kind: Literal["common_language", "rank_biserial"] = "common_language") -> Effect:
        """Return the share itself, or the rank-biserial correlation 2 share − 1.

        Parameters
        ----------
        kind
            "common_language" (the share itself) or "rank_biserial".

        Returns
        -------
        Effect
            From 0 to 1 (common language) or from −1 to 1 (rank-biserial), larger where the first group is larger.
        """
        check_choice("kind", kind, ("common_language", "rank_biserial"))
        scale, shift = (2.0, -1.0) if kind == "rank_biserial" else (1.0, 0.0)
        return Effect(kind, plain(scale * np.asarray(self.share) + shift), partial(_scale_interval, self, scale, shift))

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``t_BM(8.57) = 2.15, p = .062, CL = .80, 95% CI [.48, 1.00]``.

        Parameters
        ----------
        confidence_level
            Level of the interval of the share, between 0 and 1.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        test_text = apa.statistic("t_BM", self.statistic, (self.df,), self.p, alternative=self.alternative)
        return f"{test_text}, {self.effect_size().apa(confidence_level)}"


def _compute_placements(n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean share of the other group that values of a group beat, ties half, and its sum of squares."""
    placements = (np.cumsum(n, axis=-1) - n / 2)[..., ::-1, :] / n.sum(axis=-1)[..., ::-1, None]
    means = (n * placements).sum(axis=-1) / n.sum(axis=-1)
    return means, (n * (placements - means[..., None]) ** 2).sum(axis=-1)


def brunner_munzel(
    data: Any,
    outcome: str | None = None,
    by: str | None = None,
    *,
    alternative: Alternative = "two-sided",
    levels: Sequence[object] | None = None,
) -> BrunnerMunzel:
    """Compare two independent groups by ranks, whatever their shapes and spreads (Brunner and Munzel, 2000).

    Parameters
    ----------
    data, outcome, by, alternative, levels
        As in `mann_whitney`. Best with ten or more in each group.

    Returns
    -------
    BrunnerMunzel
        t with its df and p, and the relative effect `share`, from 0 to 1.

    Raises
    ------
    DesignError
        If the factor has not two levels, a column is missing or not numeric, or only means are known.
    NotEstimable
        If a group has fewer than two values, or the groups do not overlap.

    References
    ----------
    Brunner, E., & Munzel, U. (2000). The nonparametric Behrens–Fisher problem: Asymptotic theory and a small-sample
    approximation. Biometrical Journal, 42, 17–25.

    Examples
    --------
    >>> result = brunner_munzel({"fair": [5, 7, 6, 9, 8, 4], "selfish": [3, 5, 4, 4, 7]})
    >>> result.apa()
    't_BM(8.57) = 2.15, p = .062, CL = .80, 95% CI [.48, 1.00]'
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    values = two_groups(as_values(data, outcome, by), by, levels, "brunner_munzel")
    sizes = np.moveaxis(values.n.sum(axis=-1), -1, 0)
    for label, n in zip(values.factors[0].levels, sizes, strict=True):
        if np.ndim(n) == 0 and n < 2:
            raise NotEstimable(f"n of group {label!r} is {int(n)}; a variance of ranks needs at least 2")
    with np.errstate(divide="ignore", invalid="ignore"):
        means, squares = _compute_placements(values.n)
        first_variance, second_variance = np.moveaxis(squares, -1, 0) / (sizes - 1) / sizes
        total = first_variance + second_variance
        # Below this is what the rounding of shares, of which none is above 1, leaves of groups that do not overlap.
        total = np.where(total > ROUNDING**2 * (1 / (sizes[0] - 1) + 1 / (sizes[1] - 1)), total, np.nan)
        df = total**2 / (first_variance**2 / (sizes[0] - 1) + second_variance**2 / (sizes[1] - 1))
    if np.ndim(total) == 0 and np.isnan(total):
        if len(values.values) < 2 or (values.n.sum(axis=-2) > 0).sum() < 2:
            raise NotEstimable(f"every value of {values.outcome!r} is tied; ranks need values that differ")
        reason = "the two groups do not overlap, so that the variance of their order is 0"
        raise NotEstimable(reason, advice="use mann_whitney")
    share, se = means[..., 0], np.sqrt(total)
    t = (share - 0.5) / se
    return BrunnerMunzel(
        statistic=plain(t),
        df=plain(df),
        p=plain(t_tails(t, df, alternative)),
        share=plain(share),
        se=plain(se),
        n=(count(sizes[0]), count(sizes[1])),
        labels=(values.factors[0].levels[0], values.factors[0].levels[1]),
        alternative=alternative,
        outcome=values.outcome,
        missing=values.missing,
    )


def _scale_interval(test: BrunnerMunzel, scale: float, shift: float, confidence_level: float) -> Interval:
    interval = test.confidence_interval(confidence_level)
    low, high = (plain(scale * np.asarray(bound) + shift) for bound in (interval.low, interval.high))
    return Interval(low, high, confidence_level, interval.method)


@dataclass(frozen=True, slots=True, repr=False)
class RelativeEffects(Result):
    """How each of several groups stands against all, and whether they stand alike.

    Attributes
    ----------
    statistic, df1, df2, p : float
        The ANOVA-type statistic and the degrees of freedom of the F that it is compared with.
    effects : tuple of float
        Of each group: P(X < Y) + ½ P(X = Y), Y a value of the group and X one of a group drawn at random; ½ if alike.
    n : tuple of int
    labels : tuple of str
        The factor's levels.
    outcome : str
    missing : int
        Rows that were left out because a value was missing.
    """

    statistic: float
    df1: float
    df2: float
    p: float
    effects: tuple[float, ...]
    n: tuple[int, ...]
    labels: tuple[str, ...]
    outcome: str
    missing: int

    def apa(self) -> str:
        """Return such as ``F(1.97, 16.20) = 4.10, p = .036, relative effects .31, .62, .57``."""
        effects = ", ".join(apa.bounded(effect) for effect in self.effects)
        return f"{apa.statistic('F', self.statistic, (self.df1, self.df2), self.p)}, relative effects {effects}"


def relative_effects(data: Any, outcome: str | None = None, by: str | None = None) -> RelativeEffects:
    """Compare several independent groups by ranks without taking their shapes or spreads as equal.

    Kruskal and Wallis's test takes groups that differ in spread for groups that differ: with standard deviations of 9,
    4 and 1 in groups of 5, 10 and 40 it rejects in 15 % where no group tends to larger values. This one keeps its
    level, and for two groups is `brunner_munzel`.

    Parameters
    ----------
    data, outcome, by
        As in `kruskal_wallis`, of one study.

    Raises
    ------
    DesignError
        If the factor has fewer than two levels, a column is missing or not numeric, or only means are known.
    NotEstimable
        If a group has fewer than two values, or no two groups overlap.

    Notes
    -----
    Unweighted relative effects, which do not depend on the sizes of the groups, with their whole covariance matrix, V,
    from the placements of each group's values among those of the others; F = p′Tp/tr(TV), T = I − J/k, on the degrees
    of freedom that give tr(TV) its first two moments (Brunner, Konietschke, Pauly and Puri, 2017, JRSS B 79, 1463-1485;
    Brunner, Bathke and Konietschke, 2019, Rank and Pseudo-Rank Procedures, sec. 4.6).

    Examples
    --------
    >>> groups = {"fair": [5, 7, 6, 9, 8, 4], "selfish": [3, 5, 4, 4, 7], "envious": [2, 6, 3, 3, 5, 1]}
    >>> relative_effects(groups).apa()
    'F(1.85, 12.89) = 5.20, p = .024, relative effects .73, .47, .30'
    """
    values = one_factor(as_values(data, outcome, by), by, "relative_effects")
    check_one_study(values.studies, "relative_effects takes one study")
    factor, counts = values.factors[0], values.n
    k, sizes = len(factor), counts.sum(axis=-1)
    if k < 2:
        raise DesignError(f"relative_effects compares at least two groups; {factor.name!r} has {k}")
    if sizes.min() < 2:
        smallest_group = int(sizes.argmin())
        raise NotEstimable(
            f"n of group {factor.levels[smallest_group]!r} is {sizes[smallest_group]:g}; a variance of ranks needs 2"
        )
    # The share of each group that lies below each value, half of those that equal it.
    placements = (np.cumsum(counts, axis=-1) - counts / 2) / sizes[:, None]
    effects, group_covariances = np.empty(k), np.empty((k, k, k))
    for group, counts_of_group in enumerate(counts):
        scores = -placements / k
        scores[group] = (placements.sum(axis=0) - placements[group]) / k
        effects[group] = 0.5 / k + counts_of_group @ scores[group] / sizes[group]
        # Each group's values move all effects at once: its part of their covariance.
        deviations = scores - (scores @ counts_of_group / sizes[group])[:, None]
        group_covariances[group] = (deviations * counts_of_group) @ deviations.T / ((sizes[group] - 1) * sizes[group])
    statistic, df1, df2 = _anova_type(effects, group_covariances, sizes)
    return RelativeEffects(
        statistic=statistic,
        df1=df1,
        df2=df2,
        p=float(special.fdtrc(df1, df2, statistic)),
        effects=tuple(effects.tolist()),
        n=tuple(int(size) for size in sizes),
        labels=factor.levels,
        outcome=values.outcome,
        missing=values.missing,
    )


def _anova_type(effects: FloatArray, group_covariances: FloatArray, sizes: FloatArray) -> tuple[float, float, float]:
    """Return the statistic and its degrees of freedom from what each group adds to the covariance."""
    k = len(effects)
    centre = np.eye(k) - 1 / k
    centred_parts = centre @ group_covariances
    covariance = centred_parts.sum(axis=0)
    total = float(np.trace(covariance))
    # Below this is what the rounding of shares, of which none is above 1, leaves of groups that do not overlap.
    if total <= ROUNDING**2 * float((1 / (sizes - 1)).sum()):
        raise NotEstimable("the groups do not overlap, or all values are tied: the variance of their order is 0")
    # Box's degrees of freedom from the traces of the covariance and of its square.
    df1 = total**2 / float(np.einsum("ij,ji->", covariance, covariance))
    df2 = total**2 / float((np.einsum("gij,gji->g", centred_parts, centred_parts) / (sizes - 1)).sum())
    return float(effects @ centre @ effects) / total, df1, df2
