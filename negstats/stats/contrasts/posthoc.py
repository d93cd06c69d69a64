"""Post-hoc comparisons of all pairs of means, corrected for their number (Tukey, Games–Howell, Scheffé, Holm, ...)."""

from __future__ import annotations

from typing import Any

import numpy as np

from negstats.errors import DesignError
from negstats.stats.contrasts.contrast import Adjustment, Contrasts, Family, build_contrasts, pairs
from negstats.stats.contrasts.margins import At, ErrorTerm, Names, slices
from negstats.stats.means.design import Grid, design_of
from negstats.stats.summaries.frames import By, names_of


def pairwise(
    data: Any,
    outcome: str | None = None,
    by: By = None,
    *,
    specs: Names,
    at: At = None,
    adjust: Adjustment = "tukey",
    error: ErrorTerm = "pooled",
    scale: str | None = None,
) -> Contrasts:
    """Compare all pairs of a factor's estimated marginal means.

    The means are those of Searle, Speed and Milliken [1]_; with ``error="welch"`` Tukey's correction is the test of
    Games and Howell [2]_.

    Parameters
    ----------
    data, outcome, by
        The design, as in `anova`.
    specs
        The factor whose levels are compared; several factors compare combinations of levels.
    at
        Other factors: compare at each of their levels (each its own family), or at one if ``{factor: level}`` is
        given. Else the cells of the other factors are averaged with equal weights.
    adjust
        Correction for the family: "tukey" (Tukey–Kramer where n differ), "scheffe", "none", or one of `multiplicity`:
        "bonferroni", "sidak", "holm", "fdr_bh" (Benjamini–Hochberg), ...
    error
        "pooled": the variance inside all cells of the design. "own": that inside the cells which the family compares
        (with `at`, those at the same level). "welch": each cell its own variance, with Satterthwaite's degrees of
        freedom.
    scale
        Of a mixed model of yes or no or counts: "population" (its default: means over people), "typical" (a person
        whose random effects are 0) or "link".

    Returns
    -------
    Contrasts
        One row a pair of levels, and such rows at each level of `at`; p is corrected as `adjust` says.

    Raises
    ------
    DesignError
        If a factor, level or correction is unknown, or the design cannot be analysed (see `anova`).
    NotEstimable
        If a contrast needs an empty cell, or with "welch" one of n = 1.

    Notes
    -----
    The same as R's ``pairs(emmeans(model, ~ of | at))``.

    References
    ----------
    .. [1] Searle, S. R., Speed, F. M., & Milliken, G. A. (1980). Population marginal means in the linear model: An
       alternative to least squares means. The American Statistician, 34, 216–221.
    .. [2] Games, P. A., & Howell, J. F. (1976). Pairwise multiple comparison procedures with unequal N's and/or
       variances: A Monte Carlo study. Journal of Educational Statistics, 1, 113–125.

    Examples
    --------
    >>> samples = {"ctrl": [4.2, 5.6, 5.2, 6.1], "trt1": [4.8, 4.2, 4.4, 3.5], "trt2": [6.3, 5.1, 5.5, 5.5]}
    >>> print(pairwise(samples, specs="group")["ctrl - trt1"].apa())
    t(9) = 2.35, p = .099 (Tukey), difference = 1.05, 95% CI [−0.20, 2.30]
    """
    design = design_of(data, outcome, by, scale)
    cell_slices = slices(design, names_of(specs), at)
    labels = cell_slices[0].labels
    family = Family(len(labels) * (len(labels) - 1) // 2, len(labels) - 1, len(labels))
    rows, names = pairs(labels)
    return build_contrasts(design, cell_slices, rows, names, error, adjust, family)


def games_howell(data: Any, outcome: str | None = None, by: By = None, *, specs: Names, at: At = None) -> Contrasts:
    """Compare all pairs without assuming equal variances: Welch's t against the studentized range.

    The test of Games and Howell (1976). Arguments as in `pairwise`.

    Parameters
    ----------
    data, outcome, by
        The design, as in `anova`.
    specs
        The factor whose levels are compared.
    at
        Other factors at whose levels to compare.

    Returns
    -------
    Contrasts
        One row a pair of levels; p holds for all pairs together.

    References
    ----------
    Games, P. A., & Howell, J. F. (1976). Pairwise multiple comparison procedures with unequal N's and/or variances: A
    Monte Carlo study. Journal of Educational Statistics, 1, 113–125.
    """
    return pairwise(data, outcome, by, specs=specs, at=at, adjust="tukey", error="welch")


def dunnett(
    data: Any, outcome: str | None = None, by: By = None, *, specs: str, control: object, at: At = None
) -> Contrasts:
    """Compare every level of a factor with one control, with p and intervals for all of them together.

    Parameters
    ----------
    data, outcome, by, specs
        As in `pairwise`, of one study of independent cells.
    control
        The level that the others are compared with; each comparison is level minus control.
    at
        Other factors at whose levels to compare, as in `pairwise`.

    Returns
    -------
    Contrasts
        One row a level other than the control; p and intervals hold for all rows together.

    Raises
    ------
    DesignError
        If the factor has no such level, or the data are a model, repeated measures or a stack.

    Notes
    -----
    Dunnett's (1955) test, with unequal n as they are: the same as R's ``multcomp`` gives by simulation.

    References
    ----------
    Dunnett, C. W. (1955). A multiple comparison procedure for comparing several treatments with a control. Journal of
    the American Statistical Association, 50, 1096–1121.

    Examples
    --------
    >>> samples = {"ctrl": [4.2, 5.6, 5.2, 6.1], "trt1": [4.8, 4.2, 4.4, 3.5], "trt2": [6.3, 5.1, 5.5, 5.5]}
    >>> print(dunnett(samples, specs="group", control="ctrl")["trt1 - ctrl"].apa())
    t(9) = −2.35, p = .076 (Dunnett), difference = −1.05, 95% CI [−2.22, 0.12]
    """
    design = design_of(data, outcome, by)
    if isinstance(design, Grid) or design.studies:
        raise DesignError("Dunnett's comparisons need independent cells of one study; for a model give adjust='holm'")
    cell_slices = slices(design, [specs], at)
    labels, control_index = cell_slices[0].labels, cell_slices[0].place(control)
    treatments = [level for level in range(len(labels)) if level != control_index]
    rows = np.zeros((len(treatments), len(labels)))
    rows[np.arange(len(treatments)), treatments], rows[:, control_index] = 1.0, -1.0
    names = tuple(f"{labels[level]} - {labels[control_index]}" for level in treatments)
    comparisons = []
    for cell_slice in cell_slices:
        design.check_filled("a comparison with the control", cell_slice.cells)
        per_level = np.divide(
            cell_slice.rows**2, design.n, out=np.zeros(cell_slice.rows.shape), where=design.n > 0
        ).sum(axis=1)
        # The correlation of two comparisons comes from the control
        # that they share: a product of these loadings.
        loadings = np.sqrt(per_level[control_index] / (per_level[treatments] + per_level[control_index]))
        family = Family(len(treatments), len(treatments), 0, tuple(loadings.tolist()))
        comparisons.append(build_contrasts(design, [cell_slice], rows, names, "pooled", "dunnett", family))
    if len(comparisons) > 1:
        raise DesignError(
            f"at names {len(comparisons)} levels; compare with the control at one of them, {{factor: level}}"
        )
    return comparisons[0]
