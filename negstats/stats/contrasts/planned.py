"""Planned comparisons: custom weights, trends, differences of differences, and simple effects of a factor."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.contrasts.contrast import Adjustment, Contrast, Contrasts, Family, build_contrasts, pairs
from negstats.stats.contrasts.margins import At, ErrorTerm, Names, Slice, slices
from negstats.stats.means.design import Design, Grid, coding, design_of, hypothesis_squares, kron
from negstats.stats.means.f_tests import FTest, f_ratio
from negstats.stats.means.robust import robust_f
from negstats.stats.results.numbers import FloatArray, floats, plain, shared
from negstats.stats.results.options import check_choice, check_number, f_tails
from negstats.stats.results.result import Result, with_schema
from negstats.stats.summaries.frames import By, names_of

Weights: TypeAlias = Mapping[Any, float] | npt.ArrayLike

TRENDS = ("linear", "quadratic", "cubic", "quartic")


def contrasts(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    weights: Mapping[str, Weights],
    specs: Names,
    at: At = None,
    adjust: Adjustment = "none",
    error: ErrorTerm = "pooled",
    scale: str | None = None,
) -> Contrasts:
    """Test weighted sums of a factor's estimated marginal means.

    The means are those of Searle, Speed and Milliken [1]_.

    Parameters
    ----------
    data, outcome, by
        The design, as in `anova`.
    weights
        For each contrast, by its name: weights by level (levels that are not named weigh 0; with several factors a
        level is a tuple), or an array with one weight a level. They must sum to 0.
    specs
        The factor whose means are weighed; of several, their combinations.
    at
        Other factors: weigh the means at each of their levels, or at one if ``{factor: level}`` is given. Else the
        cells of the other factors are averaged with equal weights.
    adjust
        Correction for the family, the contrasts at the same levels: "none", "scheffe", "holm", "fdr_bh", ...
    error
        "pooled": the variance inside all cells of the design. "own": that inside the cells at the same levels.
        "welch": each cell its own variance, with Satterthwaite's degrees of freedom.
    scale
        Of a mixed model of yes or no or counts: "population" (its default: means over people), "typical" (a person
        whose random effects are 0) or "link".

    Returns
    -------
    Contrasts
        One estimate, standard error, statistic, df and p a contrast, in the order in which they are listed, and at
        each level of `at`.

    Raises
    ------
    DesignError
        If weights do not sum to 0, are all 0, do not fit the factor, or name a level that it does not have.

    References
    ----------
    .. [1] Searle, S. R., Speed, F. M., & Milliken, G. A. (1980). Population marginal means in the linear model: An
       alternative to least squares means. The American Statistician, 34, 216–221.
    """
    design = design_of(data, outcome, by, scale)
    cell_slices = slices(design, names_of(specs), at)
    rows = np.stack([_row(name, weight, cell_slices[0]) for name, weight in weights.items()])
    family = Family(len(rows), int(np.linalg.matrix_rank(rows)))
    return build_contrasts(design, cell_slices, rows, tuple(weights), error, adjust, family)


def contrast(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    weights: Weights,
    specs: Names,
    at: Mapping[str, str] | None = None,
    error: ErrorTerm = "pooled",
    name: str = "contrast",
) -> Contrast:
    """Test one weighted sum of means; arguments as in `contrasts`.

    Parameters
    ----------
    data, outcome, by
        The design, as in `anova`.
    weights
        Weights by level, or an array with one weight a level, that sum to 0.
    specs
        The factor whose means are weighed; of several, their combinations.
    at
        Other factors, each with the one level at which the means are weighed.
    error
        "pooled", "own" or "welch": whose variance the standard error comes from.
    name
        What the contrast is called in the result.

    Returns
    -------
    Contrast
        The weighted sum with its standard error, statistic, df and p.

    Examples
    --------
    >>> samples = {"ctrl": [4.2, 5.6, 5.2, 6.1], "trt1": [4.8, 4.2, 4.4, 3.5], "trt2": [6.3, 5.1, 5.5, 5.5]}
    >>> treated = {"ctrl": 1, "trt1": -0.5, "trt2": -0.5}
    >>> print(contrast(samples, specs="group", weights=treated).apa())
    t(9) = 0.94, p = .373, difference = 0.36, 95% CI [−0.51, 1.24]
    """
    return contrasts(data, outcome, by, weights={name: weights}, specs=specs, at=at, error=error)[0]


def polynomial(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    specs: str,
    scores: Sequence[float] | None = None,
    degree: int | None = None,
    at: At = None,
    adjust: Adjustment = "none",
    error: ErrorTerm = "pooled",
) -> Contrasts:
    """Test the trends of a factor with ordered levels: linear, quadratic, and so on.

    Parameters
    ----------
    data, outcome, by, specs
        As in `contrasts`.
    scores
        Where the levels stand, in the order of the levels; equally spaced if not given. Text has an order where its
        column has one, or the levels were listed in theirs; else give scores.
    degree
        The highest trend; one less than the levels if not given.
    at, adjust, error
        As in `contrasts`.

    Returns
    -------
    Contrasts
        One trend a row, from the linear one up, with its standard error, statistic, df and p.

    Notes
    -----
    Weights are orthonormal, as R's ``contr.poly``, so the estimate is in the unit of the outcome times a constant of
    the number of levels; t and p do not depend on it.
    """
    design = design_of(data, outcome, by)
    cell_slices = slices(design, [specs], at)
    k = len(cell_slices[0].labels)
    (factor,) = cell_slices[0].factors
    if scores is None and not factor.ordered:
        raise DesignError(
            f"the levels of {specs!r} are text without an order, and trends need one (by alphabet it would be "
            f"{', '.join(factor.levels)}); give scores, or an ordered column (pandas.Categorical(..., ordered=True))"
        )
    x = np.arange(k, dtype=np.float64) if scores is None else floats("scores", scores)
    if x.shape != (k,) or len(np.unique(x)) < k:
        raise DesignError(f"scores is {shown(scores)}; give {k} different numbers, one for each level of {specs!r}")
    highest = k - 1 if degree is None else degree
    if not 1 <= highest < k:
        raise DesignError(f"degree is {degree!r}; with {k} levels give 1 to {k - 1}")
    # Orthogonal polynomials of the centred scores by QR, each signed so that it rises at the end.
    x = (x - x.mean()) / np.abs(x - x.mean()).max()
    q, r = np.linalg.qr(np.vander(x, k, increasing=True))
    rows = (q * np.sign(np.diag(r))).T[1 : highest + 1]
    names = tuple(TRENDS[i] if i < len(TRENDS) else f"degree {i + 1}" for i in range(highest))
    trends = build_contrasts(design, cell_slices, rows, names, error, adjust, Family(highest, highest))
    order = sorted(range(k), key=lambda level_index: float(x[level_index]))
    return dataclasses.replace(trends, order=tuple(factor.levels[level_index] for level_index in order))


def interaction(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    specs: Sequence[str],
    weights: Mapping[str, Weights] | None = None,
    at: At = None,
    adjust: Adjustment = "none",
    error: ErrorTerm = "pooled",
) -> Contrasts:
    """Test differences of differences: every pair of one factor's levels, compared over every pair of another's.

    Parameters
    ----------
    data, outcome, by
        The design, as in `contrasts`.
    specs
        Two or more factors.
    weights
        For a factor, weights by level that take the place of all its pairs.
    at, adjust, error
        As in `contrasts`.

    Returns
    -------
    Contrasts
        One difference of differences a row, with its standard error, statistic, df and p.

    Examples
    --------
    >>> from negstats.stats.summaries import Cells
    >>> cells = Cells.from_table(
    ...     n=10, mean=[[1, 3], [2, 6]], sd=2, factors={"reward": ["fair", "selfish"], "sex": ["f", "m"]}
    ... )
    >>> result = interaction(cells, specs=["reward", "sex"])
    >>> result.names[0], float(result.estimate[0])
    ('(fair - selfish) × (f - m)', 2.0)
    """
    names = names_of(specs)
    if len(names) < 2:
        raise DesignError(f"an interaction contrast takes two or more factors; got {', '.join(names)} (of)")
    design = design_of(data, outcome, by)
    cell_slices = slices(design, names, at)
    # The contrasts of each factor alone: all pairs of its levels, or the weights that are given.
    factor_contrasts = []
    for name in names:
        factor = design.factors[design.place(name)]
        weight = (weights or {}).get(name)
        if weight is None:
            factor_contrasts.append(pairs(factor.levels))
        else:
            factor_contrasts.append((_row(name, weight, Slice("", (factor,), np.eye(len(factor))))[None], (name,)))
    # An interaction contrast is the product of one contrast of each factor.
    rows = kron([factor_contrast[0] for factor_contrast in factor_contrasts])
    labels = [""]
    for _, contrast_names in factor_contrasts:
        labels = [
            f"{label} × ({contrast_name})" if label else f"({contrast_name})"
            for label in labels
            for contrast_name in contrast_names
        ]
    return build_contrasts(
        design, cell_slices, rows, tuple(labels), error, adjust, Family(len(rows), int(np.linalg.matrix_rank(rows)))
    )


def _row(name: str, weights: Weights, cell_slice: Slice) -> FloatArray:
    """Return custom weights as a row over the levels."""
    size = len(cell_slice.labels)
    if isinstance(weights, Mapping):
        row = np.zeros(size)
        for level, weight in weights.items():
            row[cell_slice.place(level)] = check_number(f"the weight of {level!r}", weight)
    else:
        row = floats(f"the weights of {name!r}", weights).ravel()
        if row.size != size:
            raise DesignError(f"the contrast {name!r} has {row.size} weights for {size} levels")
    if not np.isfinite(row).all() or abs(row.sum()) > 1e-9 * np.abs(row).sum() or not row.any():
        raise DesignError(f"the weights of {name!r} are {shown(row.tolist())}; give numbers that sum to 0, not all 0")
    return row


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SimpleEffects(Result):
    """F tests of a term at each level of another factor. Iterate over it, or take one by its place.

    Attributes
    ----------
    effects : tuple of FTest
        One a level; its `term` says which.
    error : str
        "pooled", "own", "welch" or "model".
    missing : int
        Rows that were left out because the outcome or a factor was missing.
    """

    effects: tuple[FTest, ...]
    error: str
    missing: int = 0

    def __len__(self) -> int:
        return len(self.effects)

    def __iter__(self) -> Iterator[FTest]:
        return iter(self.effects)

    def __getitem__(self, place: int) -> FTest:
        return self.effects[place]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a simple effect (and study).

        Returns
        -------
        DataFrame
            The effect with the level at which it is tested, F, its degrees of freedom, p, partial eta squared, and
            which error it uses.
        """
        frames = []
        for effect in self.effects:
            frame = effect.to_frame()
            if np.ndim(effect.statistic):
                frame.insert(0, "study", np.arange(len(frame)))
            frames.append(frame.assign(partial_eta_squared=effect.effect_size().value, error=self.error))
        return with_schema(pd.concat(frames, ignore_index=True), "SimpleEffects/1")

    def apa(self, confidence_level: float = 0.90) -> str:
        """Return every simple effect as APA style prints it, behind its name.

        Parameters
        ----------
        confidence_level
            Level of the intervals of partial eta squared, between 0 and 1.

        Returns
        -------
        str
            One clause an effect, with semicolons between.
        """
        return "; ".join(f"{effect.term}: {effect.apa(confidence_level)}" for effect in self.effects)


def simple_effects(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    specs: Names,
    at: At,
    error: ErrorTerm = "pooled",
) -> SimpleEffects:
    """Test a factor (or the interaction of several) at each level of another.

    Parameters
    ----------
    data, outcome, by
        The design, as in `anova`.
    specs
        The factor that is tested; of several, their interaction.
    at
        The factors at whose levels it is tested; one level only if ``{factor: level}`` is given. Cells of factors that
        neither `specs` nor `at` names are averaged with equal weights.
    error
        "pooled": the error of the whole design. "own": that of the cells at this level alone. "welch": each cell its
        own variance (Welch–James, as `robust_anova`).

    Returns
    -------
    SimpleEffects
        One F test a level of the other factor, in order; `error` says what all are tested against.

    Raises
    ------
    DesignError
        If a factor or level is unknown, or the design cannot be analysed (see `anova`).
    NotEstimable
        If a cell that a test needs is empty.

    Notes
    -----
    The same as R's ``emmeans::joint_tests(model, by = at)``. With two levels F is the square of the t that `pairwise`
    gives.

    Examples
    --------
    >>> from negstats.stats.summaries import Cells
    >>> cells = Cells.from_table(
    ...     n=10, mean=[[1, 3], [2, 6]], sd=2, factors={"reward": ["fair", "selfish"], "sex": ["f", "m"]}
    ... )
    >>> print(simple_effects(cells, specs="reward", at="sex").apa())
    reward at sex = f: F(1, 36) = 1.25, p = .271, ηp² = .03, 90% CI [.00, .18]; reward at sex = m: ...
    """
    design = design_of(data, outcome, by)
    if at is None:
        raise DesignError("at names the factor at whose levels the effect is tested; without one, anova tests it")
    check_choice("error", error, ("pooled", "own", "welch"))
    names = names_of(specs)
    tests = tuple(_test(design, cell_slice, ":".join(names), error) for cell_slice in slices(design, names, at))
    return SimpleEffects(effects=tests, error="model" if isinstance(design, Grid) else error, missing=design.missing)


def _test(design: Design | Grid, cell_slice: Slice, name: str, error: str) -> FTest:
    # The term is zero at this slice if these independent contrasts of its means are all zero.
    rows = kron([coding(len(factor)) for factor in cell_slice.factors]) @ cell_slice.rows
    if isinstance(design, Grid):
        if error != "pooled":
            raise DesignError(f"error is {error!r}, and a model has the errors that it was fitted with; leave it out")
        ratio, df1, df2 = design.joint(rows)
        return FTest(f"{name} at {cell_slice.name}", ratio, df1, df2, float(f_tails(ratio, df1, df2)))
    cells = cell_slice.cells
    design.check_filled(f"{name} at {cell_slice.name}", cells)
    if error == "welch":
        robust = robust_f(design, rows, "welch-james")
        f_own, p_own = robust[0], special.fdtrc(robust[1], robust[2], robust[0])
        df_own = (plain(robust[1]), plain(robust[2]))
        residual_df = plain((shared(design.n)[..., list(cells)] - 1.0).sum(axis=-1) + np.zeros(np.shape(f_own)))
        return FTest(f"{name} at {cell_slice.name}", plain(f_own), *df_own, plain(p_own), np.nan, np.nan, residual_df)
    # With equal variances: the contrasts' sum of squares over the pooled variance.
    ss_error, df_error = design.pooled(cells if error == "own" else None)
    ss = hypothesis_squares(rows[:, cells], shared(design.n)[..., cells], design.mean[..., cells])
    df = np.full(ss.shape, float(len(rows)))
    f, p = f_ratio(ss, df, ss_error, df_error)
    return FTest(
        term=f"{name} at {cell_slice.name}",
        statistic=plain(f),
        df1=plain(df),
        df2=plain(df_error),
        p=plain(p),
        ss=plain(ss),
        ss_error=plain(ss_error),
    )
