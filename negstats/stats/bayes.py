"""Bayes factors from summaries, by numerical integration: analyses of variance, regression, correlation, tables.

What is compared, and under which prior, stands beside every number. `negstats.stats.bayes_factor` is that of a t-test.

In analyses of variance effects of each term are normal with variance gσ² on orthonormal contrasts, and g is inverse
gamma (½, r²/2), so that effects are Cauchy of scale r (Rouder, Morey, Speckman and Province, 2012, J. of Mathematical
Psychology 56, 356-374). Given the gs the likelihood has a closed form in X′X, X′y, y′y and N; over ln g it is a sum
over equal steps, which for such a smooth function that vanishes at both ends is exact to many digits (the trapezoidal
rule).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.means.anova_evidence import anova_evidence, repeated_evidence
from negstats.stats.means.bayes import ModelEvidence, check_scale, log_prior_density, write_factor
from negstats.stats.means.t_tests import TTest
from negstats.stats.relations.correlation import Correlation
from negstats.stats.relations.linear_model import LinearModel
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.results.options import check_choice, check_count, check_number, check_single
from negstats.stats.results.result import Result, with_schema
from negstats.stats.summaries import Counts

__all__ = [
    "EquivalenceRegion",
    "ModelEvidence",
    "anova_evidence",
    "correlation_evidence",
    "equivalence_region",
    "prior_robustness",
    "regression_evidence",
    "repeated_evidence",
    "table_evidence",
]


WIDTHS = tuple(np.round(np.geomspace(0.1, 2.0, 25), 4))


def prior_robustness(evidence: Callable[[float], ModelEvidence], scales: Sequence[float] = WIDTHS) -> pd.DataFrame:
    """Return the Bayes factors over widths of the prior, one row for each, for `plots.prior_robustness`.

    Parameters
    ----------
    evidence
        What gives the evidence at a scale, such as ``lambda r: anova_evidence(cells, prior_scale=r)``.
    scales
        Widths, each above 0.

    Returns
    -------
    DataFrame
        ``scale``, ``model``, ``bf10``.

    Examples
    --------
    >>> from negstats.stats.bayes import regression_evidence
    >>> result = prior_robustness(lambda r: regression_evidence(0.22, 40, 2, prior_scale=r), [0.2, 0.5])
    >>> result["bf10"].round(2).tolist()
    [5.22, 4.37]
    """
    rows = []
    for scale in scales:
        model_evidence = evidence(check_scale(scale))
        rows += [
            (scale, model, value)
            for model, value in zip(model_evidence.models, model_evidence.bf10.tolist(), strict=True)
        ]
    return with_schema(pd.DataFrame(rows, columns=["scale", "model", "bf10"]), "prior_robustness/1")


@dataclass(frozen=True, slots=True, repr=False)
class EquivalenceRegion(Result):
    """The posterior of the standardized difference δ within a region of practical equivalence.

    Attributes
    ----------
    low, high : float
        The region, in SDs.
    inside : float
        Posterior share of δ within it, under a prior that is Cauchy of scale `prior_scale`.
    prior_inside : float
        The prior's share.
    bf : float
        Evidence for δ within the region against δ outside it: posterior odds over prior odds.
    prior_scale : float
    method : str

    Examples
    --------
    >>> EquivalenceRegion(-0.2, 0.2, 0.83, 0.18, 23.1, 0.707, "student").apa()
    'P(−0.20 < δ < 0.20 | data) = .83, BF = 23.10 (prior: Cauchy of scale r = 0.707 on δ, P = .18)'
    """

    low: float
    high: float
    inside: float
    prior_inside: float
    bf: float
    prior_scale: float
    method: str

    def apa(self) -> str:
        """Return the posterior share, the Bayes factor, and the prior with its own share.

        Returns
        -------
        str
            The share of the posterior inside the region, with the Bayes factor that compares it with the prior.
        """
        region = f"{apa.number(self.low)} < δ < {apa.number(self.high)}"
        prior = f"prior: Cauchy of scale r = {self.prior_scale:g} on δ, P {_share(self.prior_inside)}"
        return f"P({region} | data) {_share(self.inside)}, BF {write_factor(self.bf)} ({prior})"


def _share(probability: float) -> str:
    """Return a probability with its sign; one that is not 0 or 1 is not printed as such.

    Examples
    --------
    >>> _share(0.9999), _share(0.5), _share(1e-6)
    ('> .99', '= .50', '< .01')
    """
    if 0.995 <= probability < 1:
        return "> .99"
    return "< .01" if 0 < probability < 0.005 else f"= {apa.bounded(probability)}"


def equivalence_region(test: TTest, low: float, high: float, *, prior_scale: float = 0.707) -> EquivalenceRegion:
    """Return the share of the posterior of δ between `low` and `high`, and the evidence for that region.

    Parameters
    ----------
    test
        What `t_test(..., method="student")`, `paired_t` or `one_sample_t` returned.
    low, high
        The region in SDs, such as −0.2 and 0.2.
    prior_scale
        r of the Cauchy prior on δ.

    Returns
    -------
    EquivalenceRegion
        The share of the posterior and of the prior inside the region, and the Bayes factor for it.

    Notes
    -----
    The posterior is noncentral t's likelihood times the prior, integrated numerically. The Bayes factor of a region is
    Morey and Rouder's (2011; their "nonoverlapping hypotheses").

    References
    ----------
    Morey, R. D., & Rouder, J. N. (2011). Bayes factor approaches for testing interval null hypotheses. Psychological
    Methods, 16, 406–419.

    Examples
    --------
    >>> from negstats.stats.means.t_tests import t_test
    >>> result = equivalence_region(t_test({"a": [5, 7, 6, 9, 8], "b": [6, 8, 6, 8, 7]}, method="student"), -0.5, 0.5)
    >>> round(result.inside, 2)
    0.73
    """
    if not isinstance(test, TTest) or test.method == "welch":
        raise DesignError(f"test is {shown(test)}; give what t_test(..., method='student') or paired_t returned")
    check_single(test.statistic, "equivalence_region()")
    check_scale(prior_scale)
    if not check_number("low", low) < check_number("high", high):
        raise DesignError(f"the region is {shown(low)} to {shown(high)}; give its lower end first")
    t, df = float(np.asarray(test.statistic)), float(np.asarray(test.df))
    sizes = [float(np.asarray(size)) for size in test.n]
    n = sizes[0] * sizes[1] / (sizes[0] + sizes[1]) if len(sizes) > 1 else sizes[0]
    centre, peak_width = t / math.sqrt(n), math.sqrt((1 + t**2 / (2 * max(df, 1))) / n)

    # Even steps in the prior's own quantiles and about the peak together resolve both.
    peak_points = centre + peak_width * np.linspace(-14, 14, 2801)
    tails = prior_scale * np.tan(np.pi * (np.linspace(0.0005, 0.9995, 1999) - 0.5))
    points = np.unique(np.concatenate([peak_points, tails, [low, high]]))
    # The posterior's density, likelihood times Cauchy prior, and its area by trapezoids.
    likelihood = _log_likelihood(t, df, points * math.sqrt(n))
    density = np.exp(likelihood - likelihood.max()) / (prior_scale**2 + points**2)
    steps = np.diff(points)
    areas = steps * (density[1:] + density[:-1]) / 2
    midpoints = (points[1:] + points[:-1]) / 2
    in_region = (midpoints > low) & (midpoints < high)
    posterior = float(areas[in_region].sum() / areas.sum())
    posterior_outside = float(areas[~in_region].sum() / areas.sum())
    # The factor is the posterior odds of the region over its prior odds.
    prior = float(np.diff(np.arctan2(1, -np.array([low, high]) / prior_scale) / np.pi)[0])  # the Cauchy's own
    factor = (posterior / posterior_outside) / (prior / (1 - prior)) if posterior_outside > 0 else math.inf
    return EquivalenceRegion(float(low), float(high), posterior, prior, factor, prior_scale, test.method)


def _log_likelihood(t: float, df: float, shift: FloatArray) -> FloatArray:
    """Return ln of noncentral t's density at t over its noncentrality, but for a constant.

    ∫ s^df exp(−(ts − δ)²/2 − df s²/2) ds over even steps about its peak: for any df, where scipy's own overflows.
    """
    # Noncentral t is a mixture over s/σ: the integrand's peak and its width by its second derivative.
    peak = (t * shift + np.sqrt((t * shift) ** 2 + 4 * df * (t**2 + df))) / (2 * (t**2 + df))
    width = 1 / np.sqrt(df / peak**2 + t**2 + df)
    scale_points = np.maximum(peak[:, None] + width[:, None] * np.linspace(-12, 12, 241), 1e-300)
    log_density = df * np.log(scale_points) - (t * scale_points - shift[:, None]) ** 2 / 2 - df * scale_points**2 / 2
    return np.asarray(special.logsumexp(log_density, axis=1) + np.log(width))


Sampling: TypeAlias = Literal["poisson", "multinomial", "rows", "columns"]
NAMES = {
    "poisson": "Poisson sampling, no total fixed",
    "multinomial": "multinomial sampling, the total fixed",
    "rows": "independent multinomial sampling, the rows' totals fixed",
    "columns": "independent multinomial sampling, the columns' totals fixed",
}


def table_evidence(
    table: Counts | npt.ArrayLike, *, sampling: Sampling = "multinomial", prior_scale: float = 1.0
) -> ModelEvidence:
    """Return the Bayes factor of dependence of the rows and columns of a table against their independence.

    Parameters
    ----------
    table
        `Counts` of two factors, or rows of counts.
    sampling
        What was fixed before: nothing ("poisson": as many as came), the total ("multinomial"), or the totals of the
        rows or the columns, as with conditions of set size.
    prior_scale
        a of the prior: a gamma or Dirichlet with a in each cell; 1 is even.

    Returns
    -------
    ModelEvidence
        The Bayes factor `bf10` with the prior that it rests on.

    Raises
    ------
    DesignError
        If it is not a table of two factors with two levels or more, or a count is not a whole number.

    Notes
    -----
    Gunel and Dickey (1974); as R's ``contingencyTableBF``.

    References
    ----------
    Gunel, E., & Dickey, J. (1974). Bayes factors for independence in contingency tables. Biometrika, 61, 545–557.

    Examples
    --------
    >>> print(table_evidence([[20, 11], [8, 17]], sampling="rows").apa())
    dependence: BF₁₀ = 5.72, BF₀₁ = 0.17 (Gunel–Dickey, independent multinomial sampling, the rows' totals fixed; ...)
    """
    check_choice("sampling", sampling, tuple(NAMES))
    concentration = check_scale(prior_scale)
    counts = _read_table(table)
    if sampling == "columns":
        counts = counts.T
    r, c = counts.shape
    cell_prior = np.full(counts.shape, concentration)
    row_prior, column_prior = cell_prior.sum(axis=1), cell_prior.sum(axis=0)
    free_row, free_column = row_prior - (c - 1), column_prior - (r - 1)
    if free_row.min() <= 0 or free_column.min() <= 0:
        raise DesignError(
            f"prior_scale is {shown(concentration)}; independence has a prior from about 1 on in such a table"
        )
    # Independence has Dirichlet priors on both margins, dependence one on the cells.
    of_rows = _dirichlet(counts.sum(axis=1) + free_row) - _dirichlet(free_row)
    of_columns = _dirichlet(counts.sum(axis=0) + free_column) - _dirichlet(free_column)
    of_cells = _dirichlet(counts + cell_prior) - _dirichlet(cell_prior)
    if sampling in ("rows", "columns"):
        of_rows = _dirichlet(counts.sum(axis=1) + row_prior) - _dirichlet(row_prior)
    # The design fixes what carries information: fixed margins leave the evidence to what was free.
    log_bf01 = of_rows + of_columns - of_cells
    if sampling == "poisson":
        n, total, n_free = float(counts.sum()), float(cell_prior.sum()), (r - 1) * (c - 1)
        rate_prior = total / n
        log_bf01 += n_free * np.log1p(1 / rate_prior)
        log_bf01 += (
            special.gammaln(n + total - n_free)
            - special.gammaln(total - n_free)
            - special.gammaln(n + total)
            + special.gammaln(total)
        )
    return ModelEvidence(
        models=("dependence",),
        bf10=np.exp(np.array([-log_bf01])),
        null="independence",
        prior=f"a = {concentration:g} in each cell",
        prior_scale=concentration,
        method=f"Gunel–Dickey, {NAMES[sampling]}",
    )


def _read_table(table: Any) -> FloatArray:
    counts = table.n if isinstance(table, Counts) else floats("table", table)
    if counts.ndim != 2 or min(counts.shape) < 2:
        raise DesignError(f"the table has the shape {counts.shape}; give two factors of two levels or more")
    if not np.isfinite(counts).all() or (counts < 0).any() or (np.floor(counts) != counts).any() or not counts.sum():
        raise DesignError("a count of the table is missing, below 0 or no whole number; or all are 0")
    return counts


def _dirichlet(x: FloatArray) -> float:
    """Return ln of the Dirichlet function, ΠΓ(x)/Γ(Σx)."""
    return float(special.gammaln(x).sum() - special.gammaln(x.sum()))


MEDIUM = float(np.sqrt(2) / 4)


def regression_evidence(
    fit: LinearModel | float, n: int | None = None, predictors: int | None = None, *, prior_scale: float = MEDIUM
) -> ModelEvidence:
    """Return the Bayes factor of a regression against the intercept alone.

    Parameters
    ----------
    fit
        What `regression` returned, or R² with `n` and the number of `predictors`.
    n
        Number of rows, where `fit` is R².
    predictors
        Number of predictors, where `fit` is R².
    prior_scale
        r of the prior g ~ inverse gamma (½, nr²/2); R's BayesFactor calls √2/4 "medium", ½ "wide", √2/2 "ultrawide".

    Returns
    -------
    ModelEvidence
        The Bayes factor `bf10` with the prior that it rests on.

    Notes
    -----
    Eq. 17 of Liang et al. (2008), as in Rouder and Morey (2012).

    References
    ----------
    - Liang, F., Paulo, R., Molina, G., Clyde, M. A., & Berger, J. O. (2008). Mixtures of g priors for Bayesian variable
      selection. Journal of the American Statistical Association, 103, 410–423.
    - Rouder, J. N., & Morey, R. D. (2012). Default Bayes factors for model selection in regression. Multivariate
      Behavioral Research, 47, 877–903.

    Examples
    --------
    >>> print(regression_evidence(0.22, 40, 2).apa())
    regression: BF₁₀ = 5.12, BF₀₁ = 0.20 (JZS; prior: Cauchy of scale r = 0.354 on standardized slopes; against ...)
    """
    check_scale(prior_scale)
    if isinstance(fit, LinearModel):
        if n is not None or predictors is not None:
            raise DesignError("a regression knows its n and predictors; leave these out")
        r2, rows, n_columns = float(np.asarray(fit.r_squared)), int(np.asarray(fit.n)), len(fit.names) - 1
    else:
        r2 = check_number("fit", fit)
        if n is None or predictors is None:
            raise DesignError("with R² give n, the rows, and predictors, how many columns there are")
        rows, n_columns = n, predictors
    check_count("n", rows, 3)
    check_count("predictors", n_columns, 1)
    if not 0 <= r2 < 1 or rows <= n_columns + 1:
        raise DesignError(
            f"R² is {shown(r2)} of {rows} rows and {n_columns} predictors; R² is in [0, 1), rows more than columns"
        )
    scale = np.log(rows) + 2 * np.log(prior_scale)

    def log_density(x: float) -> float:
        log_g = x + scale
        log_total = np.logaddexp(0.0, log_g)
        log_residual = np.logaddexp(0.0, log_g + np.log1p(-r2))
        return float(0.5 * (rows - n_columns - 1) * log_total - 0.5 * (rows - 1) * log_residual + log_prior_density(x))

    # The peak of the integrand over ln g, by which the integral is scaled against underflow.
    grid = np.linspace(-6, 42, 481)
    densities = np.array([log_density(x) for x in grid])
    peak_density = densities.max()
    value, _ = scipy.integrate.quad(lambda x: np.exp(log_density(x) - peak_density), -7, 60, limit=500, epsrel=1e-11,
                              points=[float(grid[densities.argmax()])])  # fmt: skip
    return ModelEvidence(
        models=("regression",),
        bf10=np.exp(np.array([np.log(value) + peak_density])),
        null="the intercept alone",
        prior=f"Cauchy of scale r = {prior_scale:.3g} on standardized slopes",
        prior_scale=prior_scale,
        method="JZS",
    )


def correlation_evidence(
    correlation: Correlation | float, n: int | None = None, *, prior_scale: float = 1 / 3
) -> ModelEvidence:
    """Return the Bayes factor of a correlation against none.

    Parameters
    ----------
    correlation
        What `correlation` returned (Pearson's), or r with `n`.
    n
        Number of pairs of values.
    prior_scale
        κ of the stretched beta prior on ρ, beta(1/κ, 1/κ) on −1 to 1; R's BayesFactor calls ⅓ "medium", 1/√3 "wide" and
        1, a prior that is even, "ultrawide".

    Returns
    -------
    ModelEvidence
        The Bayes factor `bf10` with the prior that it rests on.

    Notes
    -----
    Ly, Verhagen and Wagenmakers (2016): ``pingouin.bayesfactor_pearson``.

    References
    ----------
    Ly, A., Verhagen, J., & Wagenmakers, E.-J. (2016). Harold Jeffreys's default Bayes factor hypothesis tests:
    Explanation, extension, and application in psychology. Journal of Mathematical Psychology, 72, 19–32.

    Examples
    --------
    >>> round(float(correlation_evidence(0.305, 25).bf10[0]), 3)
    1.069
    """
    from pingouin import bayesfactor_pearson

    check_scale(prior_scale)
    if isinstance(correlation, Correlation):
        if n is not None:
            raise DesignError("a correlation knows its n; leave it out")
        if correlation.method != "pearson" or correlation.part:
            raise DesignError(
                f"the correlation is {correlation.method!r}; a Bayes factor needs a plain Pearson correlation"
            )
        r, rows = float(np.asarray(correlation.r)), int(np.asarray(correlation.n))
    else:
        r = check_number("correlation", correlation)
        if n is None:
            raise DesignError("with r give n, the number of pairs")
        rows = n
    check_count("n", rows, 3)
    if not -1 < r < 1:
        raise DesignError(f"r is {shown(r)}; a correlation between −1 and 1 has a Bayes factor")
    # r and n are all that the Bayes factor of Ly and others takes.
    bayes_factor = float(bayesfactor_pearson(r, rows, method="ly", kappa=prior_scale))
    return ModelEvidence(
        models=("correlation",),
        bf10=np.array([bayes_factor]),
        null="ρ = 0",
        prior=f"stretched beta of κ = {prior_scale:.3g} on ρ",
        prior_scale=prior_scale,
        method="Ly",
    )
