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
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from scipy import special

from negstats.errors import DesignError, meant, shown
from negstats.stats.means.bayes import write_factor
from negstats.stats.means.design import Design
from negstats.stats.means.t_tests import TTest
from negstats.stats.relations.correlation import Correlation
from negstats.stats.relations.linear_model import LinearModel
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.results.options import check_choice, check_count, check_number, check_single
from negstats.stats.results.result import Result
from negstats.stats.summaries import Counts, Moments
from negstats.stats.summaries.frames import By

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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelEvidence(Result):
    """The evidence for each model against the null model. Arrays have the shape ``(models,)``.

    Attributes
    ----------
    models : tuple of str
        Such as "reward", "reward + partner" and "reward + partner + reward:partner".
    bf10, bf01 : ndarray
        Evidence for the model against the null, and its reciprocal.
    null : str
        What the null is.
    prior : str
        The prior of the effects, in words.
    prior_scale : float
        Its scale.
    method : str
        Which factor it is.

    Examples
    --------
    >>> ModelEvidence(("reward",), np.array([4.81]), "no effect", "Cauchy, r = 0.5", .5, "JZS").apa()
    'reward: BF₁₀ = 4.81, BF₀₁ = 0.21 (JZS; prior: Cauchy, r = 0.5; against no effect)'
    """

    models: tuple[str, ...]
    bf10: FloatArray
    null: str
    prior: str
    prior_scale: float
    method: str

    @property
    def bf01(self) -> FloatArray:
        """Evidence for the null against each model."""
        with np.errstate(divide="ignore"):
            return np.asarray(1 / self.bf10, dtype=np.float64)

    def of(self, model: str, against: str | None = None) -> float:
        """Return the Bayes factor of a model against the null, or against another model.

        Parameters
        ----------
        model
            Name of the model in the numerator.
        against
            Name of the model in the denominator; the null model by default.

        Returns
        -------
        float
            How many times likelier the data are under `model`; below 1 they speak for the other.

        Examples
        --------
        >>> result = ModelEvidence(("a", "a + b"), np.array([2.0, 6.0]), "none", "Cauchy", .5, "JZS")
        >>> result.of("a + b", against="a")
        3.0
        """
        return self._one(model) / (1.0 if against is None else self._one(against))

    def _one(self, model: str) -> float:
        if model not in self.models:
            raise DesignError(f"there is no model {shown(model)}; {meant(model, self.models, 'there are')}")
        return float(self.bf10[self.models.index(model)])

    def to_frame(self) -> pd.DataFrame:
        """Return one row a model: ``model``, ``bf10``, ``bf01``, ``null``, ``prior``.

        Returns
        -------
        DataFrame
            ``null`` is the model that each Bayes factor compares with, ``prior`` the prior in words.
        """
        frame = pd.DataFrame({"model": list(self.models), "bf10": self.bf10, "bf01": self.bf01})
        frame = frame.assign(null=self.null, prior=self.prior)
        frame.attrs["schema"] = "ModelEvidence/1"
        return frame

    def apa(self) -> str:
        """Return both Bayes factors of each model, with the prior.

        Returns
        -------
        str
            One clause a model, with semicolons between.
        """
        model_texts = [
            f"{model}: BF₁₀ {write_factor(bf10)}, BF₀₁ {write_factor(bf01)}"
            for model, bf10, bf01 in zip(self.models, self.bf10, self.bf01, strict=True)
        ]
        return f"{'; '.join(model_texts)} ({self.method}; prior: {self.prior}; against {self.null})"


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
    frame = pd.DataFrame(rows, columns=["scale", "model", "bf10"])
    frame.attrs["schema"] = "prior_robustness/1"
    return frame


def check_scale(scale: float, name: str = "prior_scale") -> float:
    """Return the width of a prior; DesignError unless it is above 0."""
    if not check_number(name, scale) > 0:
        raise DesignError(f"{name} is {shown(scale)}; give the width of the prior, a number above 0 such as 0.5")
    return float(scale)


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
        return float(0.5 * (rows - n_columns - 1) * log_total - 0.5 * (rows - 1) * log_residual + _log_prior(x))

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


# ln g, in units where the prior's scale is 1: its density is 0 below, and falls as exp(−x/2) above.
LOW, HIGH = -6.0, 42.0
STEPS = {1: 0.1, 2: 0.25, 3: 0.6}
MOST_TERMS = 3
PORTION = 200_000


def anova_evidence(data: Any, outcome: str | None = None, by: By = None, *, prior_scale: float = 0.5) -> ModelEvidence:
    """Return the Bayes factors of the models of one factor, or of two and their interaction, against no effect.

    The prior of each term is that of Rouder and others [1]_.

    Parameters
    ----------
    data, outcome, by
        As in `anova`: raw rows, a printed table of cells, samples by name.
    prior_scale
        r of the Cauchy prior on standardized effects; R's BayesFactor calls ½ "medium", √2/2 "wide", 1 "ultrawide".

    Returns
    -------
    ModelEvidence
        One Bayes factor a model in `bf10`, in the order of `models`.

    Raises
    ------
    DesignError
        If there are more than two factors, an empty cell or a stack of studies, or the scale is not above 0.

    References
    ----------
    .. [1] Rouder, J. N., Morey, R. D., Speckman, P. L., & Province, J. M. (2012). Default Bayes factors for ANOVA
       designs. Journal of Mathematical Psychology, 56, 356–374.

    Examples
    --------
    >>> from negstats.stats.summaries import Cells
    >>> cells = Cells.from_table(n=20, mean=[[1.0, 1.2], [1.9, 1.8]], sd=1.0,
    ...                          factors={"reward": ["fair", "selfish"], "sex": ["f", "m"]})
    >>> result = anova_evidence(cells)
    >>> result.models
    ('reward', 'sex', 'reward + sex', 'reward + sex + reward:sex')
    >>> round(result.of("reward"), 1)
    27.7
    """
    check_scale(prior_scale)
    design = Design.of(data, outcome, by)
    if design.studies:
        raise DesignError("a Bayes factor needs a single study; select one from the stack")
    design.check_filled("a Bayes factor of cells")
    factors = [factor.name for factor in design.factors]
    if len(factors) > 2:
        raise DesignError(f"by names {len(factors)} factors; Bayes factors are available for one and for two factors")
    n, mean = design.n, design.mean
    total = float(n.sum())
    grand = float(n @ mean) / total
    y = mean - grand
    total_squares = float(design.ss.sum() + n @ y**2)
    columns = _term_columns(design.shape)
    models = _models(len(factors))
    names, log_factors = [], []
    # Each model's columns, centred over rows, enter only by cross products: cells suffice.
    for model in models:
        blocks = [columns[term] for term in model]
        x = np.concatenate(blocks, axis=1)
        x = x - (n @ x) / total
        gram, cross_moment = x.T @ (x * n[:, None]), x.T @ (n * y)
        sizes = [block.shape[1] for block in blocks]
        scales = [prior_scale] * len(sizes)
        log_factors.append(_log_evidence(gram, cross_moment, total_squares, total, sizes, scales))
        names.append(" + ".join(":".join(factors[axis] for axis in term) for term in model))
    return ModelEvidence(
        models=tuple(names),
        bf10=np.exp(np.array(log_factors)),
        null="no effect",
        prior=f"Cauchy of scale r = {prior_scale:g} on standardized effects",
        prior_scale=prior_scale,
        method="JZS",
    )


def repeated_evidence(moments: Moments, *, prior_scale: float = 0.5, subject_scale: float = 1.0) -> ModelEvidence:
    """Return the Bayes factor of differences between repeated measures, subjects differing under both models.

    The priors are those of Rouder and others [1]_.

    Parameters
    ----------
    moments
        The measures of one group of subjects, as `repeated_anova` takes them: of raw rows or of a printed table.
    prior_scale
        r of the Cauchy prior on the standardized effects of the measures.
    subject_scale
        That of subjects' own levels; BayesFactor's "nuisance" is 1.

    Returns
    -------
    ModelEvidence
        One Bayes factor a model in `bf10`, in the order of `models`.

    References
    ----------
    .. [1] Rouder, J. N., Morey, R. D., Speckman, P. L., & Province, J. M. (2012). Default Bayes factors for ANOVA
       designs. Journal of Mathematical Psychology, 56, 356–374.

    Examples
    --------
    >>> values = np.array([[3, 4, 6], [2, 2, 5], [5, 4, 7], [1, 3, 3], [4, 4, 5], [2, 4, 4.]])
    >>> moments = Moments.from_table(n=6, mean=values.mean(axis=0), sd=values.std(axis=0, ddof=1),
    ...                              correlation=np.corrcoef(values.T))
    >>> round(float(repeated_evidence(moments).bf10[0]), 1)
    19.7
    """
    check_scale(prior_scale)
    check_scale(subject_scale, "subject_scale")
    if not isinstance(moments, Moments) or moments.studies or np.size(moments.n) != 1:
        raise DesignError("give the Moments of one group of subjects: repeated measures of one study")
    n, mean = float(np.ravel(moments.n)[0]), moments.mean.reshape(-1)
    covariance = moments.covariance.reshape(len(mean), len(mean))
    k = len(mean)
    measure_squares = n * float(((mean - mean.mean()) ** 2).sum())
    subject_total = (n - 1) * float(covariance.sum()) / k
    total = measure_squares + (n - 1) * float(np.trace(covariance))
    step = STEPS[2]
    x = np.arange(LOW, HIGH, step)
    effect_variance, subject_variance = prior_scale**2 * np.exp(x), subject_scale**2 * np.exp(x)
    log_prior = _log_prior(x) + np.log(step)
    rows = n * k
    # Integrated over the effects, the likelihood rests on the
    # squares that subjects and measures explain at each g.
    log_subjects = -0.5 * (n - 1) * np.log1p(k * subject_variance)
    subject_squares = subject_total * k * subject_variance / (1 + k * subject_variance)
    log_null_density = log_subjects - (rows - 1) / 2 * np.log1p(-subject_squares / total)
    effect_squares = measure_squares * n * effect_variance / (1 + n * effect_variance)
    log_grid = (
        -0.5 * (k - 1) * np.log1p(n * effect_variance)[:, None]
        + log_subjects
        - (rows - 1) / 2 * np.log1p(-(effect_squares[:, None] + subject_squares) / total)
    )
    log_null, log_effect = (
        special.logsumexp(log_null_density + log_prior),
        special.logsumexp(log_grid + (log_prior[:, None] + log_prior)),
    )
    return ModelEvidence(
        models=(moments.variables.name,),
        bf10=np.exp(np.array([log_effect - log_null])),
        null="no effect, subjects differing",
        prior=f"Cauchy of scale r = {prior_scale:g} on standardized effects, {subject_scale:g} on subjects",
        prior_scale=prior_scale,
        method="JZS",
    )


def _models(factors: int) -> list[tuple[tuple[int, ...], ...]]:
    """Return the models: every set of main effects, and with the interaction both of them."""
    main_effects = [(factor,) for factor in range(factors)]
    sets: list[tuple[tuple[int, ...], ...]] = [
        terms for size in range(1, factors + 1) for terms in combinations(main_effects, size)
    ]
    return [*sets, (*main_effects, (0, 1))] if factors == 2 else sets


def _term_columns(shape: tuple[int, ...]) -> dict[tuple[int, ...], FloatArray]:
    """Return the orthonormal contrasts of each term over the cells, the last factor changing fastest."""
    bases = []
    for levels in shape:
        centring = np.eye(levels) - 1 / levels
        _, vectors = np.linalg.eigh(centring)
        bases.append(vectors[:, 1:])
    codes = np.indices(shape).reshape(len(shape), -1)
    columns: dict[tuple[int, ...], FloatArray] = {(factor,): basis[codes[factor]] for factor, basis in enumerate(bases)}
    if len(shape) == 2:
        first_columns, second_columns = columns[0,], columns[1,]
        columns[0, 1] = (first_columns[:, :, None] * second_columns[:, None, :]).reshape(len(first_columns), -1)
    return columns


def _log_prior(x: npt.ArrayLike) -> FloatArray:
    """Return ln of the density of ln g for g inverse gamma (½, ½)."""
    log_g = np.asarray(x)
    return np.asarray(-0.5 * np.log(2) - special.gammaln(0.5) - 0.5 * log_g - 0.5 * np.exp(-log_g))


def _log_evidence(
    gram: FloatArray, moment: FloatArray, yy: float, rows: float, sizes: Sequence[int], scales: Sequence[float]
) -> float:
    """Return ln of the Bayes factor against no effect: Rouder et al. (2012), with a g for each block of columns."""
    step = STEPS[len(sizes)]
    x = np.arange(LOW, HIGH, step)
    log_prior = _log_prior(x) + np.log(step)
    index_grids = np.meshgrid(*[np.arange(len(x))] * len(sizes), indexing="ij")
    grid_indices = np.stack([grid.ravel() for grid in index_grids], axis=1)
    log_terms = []
    for start in range(0, len(grid_indices), PORTION):
        batch = grid_indices[start : start + PORTION]
        log_g = np.concatenate(
            [np.repeat(x[batch[:, [block]]] + 2 * np.log(scales[block]), size, axis=1)
             for block, size in enumerate(sizes)], axis=1,
        )  # fmt: skip
        root_g = np.exp(log_g / 2)
        # |I + G½X′XG½|, and the part of y′y that is explained.
        scaled_gram = gram * root_g[:, :, None] * root_g[:, None, :] + np.eye(len(gram))
        triangle = np.linalg.cholesky(scaled_gram)
        log_size = 2 * np.log(np.diagonal(triangle, axis1=1, axis2=2)).sum(axis=1)
        coefficients = np.linalg.solve(scaled_gram, (root_g * moment)[:, :, None])[:, :, 0]
        explained = (coefficients * root_g * moment).sum(axis=1)
        value = -0.5 * log_size - (rows - 1) / 2 * np.log1p(-explained / yy)
        log_terms.append(value + log_prior[batch].sum(axis=1))
    return float(special.logsumexp(np.concatenate(log_terms)))
