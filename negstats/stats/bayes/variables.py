"""Bayes factors of a regression and of a correlation, from R² or r and n."""

from __future__ import annotations

import numpy as np
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.bayes.result import ModelEvidence, check_scale
from negstats.stats.relations.correlation import Correlation
from negstats.stats.relations.linear_model import LinearModel
from negstats.stats.results.options import check_count, check_number

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
    Liang, Paulo, Molina, Clyde and Berger (2008), JASA 103, 410-423, eq. 17; Rouder and Morey (2012), Multivariate
    Behavioral Research 47, 877-903.

    Examples
    --------
    >>> print(regression_evidence(0.22, 40, 2).apa())
    regression: BF₁₀ = 5.12, BF₀₁ = 0.20 (JZS; prior: Cauchy of scale r = 0.354 on standardized slopes; against ...)
    """
    check_scale(prior_scale)
    if isinstance(fit, LinearModel):
        if n is not None or predictors is not None:
            raise DesignError("a regression knows its n and predictors; leave these out")
        r2, rows, p = float(np.asarray(fit.r_squared)), int(np.asarray(fit.n)), len(fit.names) - 1
    else:
        r2 = check_number("fit", fit)
        if n is None or predictors is None:
            raise DesignError("with R² give n, the rows, and predictors, how many columns there are")
        rows, p = n, predictors
    check_count("n", rows, 3)
    check_count("predictors", p, 1)
    if not 0 <= r2 < 1 or rows <= p + 1:
        raise DesignError(
            f"R² is {shown(r2)} of {rows} rows and {p} predictors; R² is in [0, 1), rows more than columns"
        )
    scale = np.log(rows) + 2 * np.log(prior_scale)

    def log_density(x: float) -> float:
        log_g = x + scale
        log_total = np.logaddexp(0.0, log_g)
        log_residual = np.logaddexp(0.0, log_g + np.log1p(-r2))
        prior = -0.5 * np.log(2) - special.gammaln(0.5) - 0.5 * x - 0.5 * np.exp(-x)
        return float(0.5 * (rows - p - 1) * log_total - 0.5 * (rows - 1) * log_residual + prior)

    from scipy import integrate

    at = np.linspace(-6, 42, 481)
    top = max(log_density(x) for x in at)
    value, _ = integrate.quad(lambda x: np.exp(log_density(x) - top), -7, 60, limit=500, epsrel=1e-11,
                              points=[float(at[int(np.argmax([log_density(x) for x in at]))])])  # fmt: skip
    return ModelEvidence(
        models=("regression",),
        bf10=np.exp(np.array([np.log(value) + top])),
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
    Ly, Verhagen and Wagenmakers (2016), J. of Mathematical Psychology 72, 19-32: ``pingouin.bayesfactor_pearson``.

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
            raise DesignError(f"the correlation is {correlation.method!r}; a Bayes factor is of a plain Pearson's")
        r, rows = float(np.asarray(correlation.r)), int(np.asarray(correlation.n))
    else:
        r = check_number("correlation", correlation)
        if n is None:
            raise DesignError("with r give n, the number of pairs")
        rows = n
    check_count("n", rows, 3)
    if not -1 < r < 1:
        raise DesignError(f"r is {shown(r)}; a correlation between −1 and 1 has a Bayes factor")
    bayes_factor = float(bayesfactor_pearson(r, rows, method="ly", kappa=prior_scale))
    return ModelEvidence(
        models=("correlation",),
        bf10=np.array([bayes_factor]),
        null="ρ = 0",
        prior=f"stretched beta of κ = {prior_scale:.3g} on ρ",
        prior_scale=prior_scale,
        method="Ly",
    )
