"""Reliability of a scale: Cronbach's alpha, McDonald's omega, and how each item goes with the rest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import scipy
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results import apa
from negstats.stats.results.intervals import percentile_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_count, check_one_study, check_rng, check_single, count
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Moments
from negstats.stats.summaries.coerce import complete, moments_of, standardized
from negstats.stats.summaries.frames import is_lazy

# The least unique variance of an item of variance 1, as in R's factanal; an item that reaches it is a Heywood case.
LEAST = 0.005
# The least eigenvalue of correlations below which an item follows from the others.
SINGULAR = 1e-10


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Reliability(Result):
    """Cronbach's alpha.

    Attributes
    ----------
    alpha, se : float
        Alpha, and its standard error. Negative where items run against each other.
    items : tuple of str
    n : int
        Units with all items.
    item_rest : ndarray, shape (*studies, items)
        Correlation of each item with the sum of the others.
    without : ndarray, shape (*studies, items)
        Alpha of the others; NaN where there is one.
    missing : int
        Units that were left out because an item was missing.
    """

    alpha: Number
    se: Number
    items: tuple[str, ...] = field(repr=False)
    n: Number
    item_rest: FloatArray = field(repr=False)
    without: FloatArray = field(repr=False)
    missing: int

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return Feldt's (1965) interval, from F.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends; alpha is at most 1.

        References
        ----------
        Feldt, L. S. (1965). The approximate sampling distribution of Kuder-Richardson reliability coefficient twenty.
        Psychometrika, 30, 357–370.
        """
        tail, k, n = (1 - check_level(confidence_level)) / 2, len(self.items), np.asarray(self.n, dtype=np.float64)
        df1, df2 = n - 1, (n - 1) * (k - 1)
        unreliability = 1 - np.asarray(self.alpha)
        low, high = (1 - unreliability * special.fdtri(df1, df2, area) for area in (1 - tail, tail))
        return Interval(plain(low), plain(high), confidence_level, "Feldt")

    def items_frame(self) -> pd.DataFrame:
        """Return one row an item: its correlation with the rest, and alpha without it.

        Returns
        -------
        DataFrame
            Both are correlations or coefficients without a unit; alpha without an item is NaN where two items are
            left.
        """
        check_single(self.alpha, "items_frame()")
        columns = {"item": list(self.items), "item_rest": self.item_rest, "alpha_without": self.without}
        return pd.DataFrame(columns)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``Cronbach's α = .91, 95% CI [.78, .97] (4 items, n = 12)``.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            Alpha with its interval and the numbers of items and units.
        """
        check_single(self.alpha, "apa()")
        interval = self.confidence_interval(confidence_level)
        value, bounds = apa.bounded_apart(self.alpha, interval.low, interval.high, confidence_level)
        note = "; items run against each other" if float(self.alpha) < 0 else ""
        return f"Cronbach's α = {value}, {bounds} ({len(self.items)} items, n = {self.n}{note})"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Omega(Result):
    """McDonald's omega of one factor: the share of the variance of the sum that the factor explains.

    Attributes
    ----------
    omega, se : float
        Of the sum of the items as they are, and its standard error; missing where an item is at its bound.
    standardized : float
        Of the sum of standardized items.
    loadings, uniquenesses : ndarray, shape (items,)
        In the items' own units.
    heywood : tuple of str
        Items whose unique variance is at its bound: omega then says little.
    statistic, df, p : float
        Chi-squared that one factor is enough; df is 0 with three items.
    items : tuple of str
    n, missing : int
    """

    omega: float
    se: float
    standardized: float
    loadings: FloatArray = field(repr=False)
    uniquenesses: FloatArray = field(repr=False)
    heywood: tuple[str, ...] = field(repr=False)
    statistic: float
    df: int
    p: float
    items: tuple[str, ...] = field(repr=False)
    n: int
    missing: int
    rows: FloatArray | None = field(repr=False, compare=False)

    def confidence_interval(
        self, confidence_level: float = 0.95, *, rng: np.random.Generator | None = None, n_resamples: int = 9999
    ) -> Interval:
        """Return the interval on the scale of log odds, from the standard error; with `rng` the bootstrap's.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        rng, n_resamples
            Draws units again and takes percentiles; normal items are then not assumed, and an item at its bound is no
            obstacle. Resamples in which an item does not vary or the fit does not converge are left out.

        Returns
        -------
        Interval
            Its two ends, between 0 and 1.

        Raises
        ------
        NotEstimable
            If there is no standard error and no `rng`, or a bootstrap is asked of moments without rows.
        """
        tail = (1 - check_level(confidence_level)) / 2
        if rng is not None:
            return percentile_interval(self._draw(check_rng(rng), n_resamples), confidence_level)
        if np.isnan(self.se):
            raise NotEstimable(
                f"the unique variance of {', '.join(self.heywood)} is at its bound, where omega has no standard error",
                advice="give a generator as rng= for a bootstrap",
            )
        half_width = float(special.ndtri(1 - tail)) * self.se / (self.omega * (1 - self.omega))
        low, high = (special.expit(special.logit(self.omega) + side * half_width) for side in (-1, 1))
        return Interval(float(low), float(high), confidence_level, "delta method, log odds")

    def _draw(self, rng: np.random.Generator, n_resamples: int) -> FloatArray:
        if self.rows is None:
            raise NotEstimable("a bootstrap draws rows, and moments have none; give the rows, or leave rng out")
        omegas = []
        common = self.loadings**2
        start = np.clip(self.uniquenesses / (common + self.uniquenesses), 2 * LEAST, 1)
        for _ in range(check_count("n_resamples", n_resamples, 2)):
            covariance = np.cov(self.rows[rng.integers(0, self.n, self.n)], rowvar=False)
            sd = np.sqrt(np.diagonal(covariance))
            # A resample in which an item is constant or follows from
            # the others has no omega and is left out.
            if not (sd > 0).all() or np.linalg.eigvalsh(correlations := covariance / np.outer(sd, sd))[0] < SINGULAR:
                continue
            try:
                loading, psi, _ = _one_factor(correlations, start)
            except NotEstimable:
                continue
            omegas.append(_omega(loading * sd, psi * sd**2))
        if len(omegas) < n_resamples / 2:
            raise NotEstimable(f"only {len(omegas)} of {n_resamples} resamples have an omega; there are too few units")
        return np.array(omegas)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``ω = .91, 95% CI [.78, .97] (4 items, n = 12)``.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            Omega with its interval and the numbers of items and units.
        """
        heywood_note = f"; unique variance at its bound: {', '.join(self.heywood)}" if self.heywood else ""
        value = apa.bounded(self.omega)
        if not np.isnan(self.se):
            interval = self.confidence_interval(confidence_level)
            value = ", ".join(apa.bounded_apart(self.omega, interval.low, interval.high, confidence_level))
        return f"ω = {value} ({len(self.items)} items, n = {self.n}{heywood_note})"


def reliability(data: Any, items: Sequence[str]) -> Reliability:
    """Measure a scale's internal consistency by Cronbach's (1951) alpha.

    Parameters
    ----------
    data
        A frame of any engine with one row a unit, arrays by name, or `Moments` of the items (also printed ones).
    items
        Their columns; reverse those that are keyed the other way before.

    Returns
    -------
    Reliability
        Alpha with its standard error; of each item the correlation with the rest, and alpha without it.

    Raises
    ------
    DesignError
        If there is one item.
    NotEstimable
        If an item is constant, or there are fewer than three units.

    Notes
    -----
    α = k/(k − 1) (1 − tr C/1′C1); interval after Feldt (1965), standard error after Duhachek and Iacobucci (2004).

    References
    ----------
    - Cronbach, L. J. (1951). Coefficient alpha and the internal structure of tests. Psychometrika, 16, 297–334.
    - Duhachek, A., & Iacobucci, D. (2004). Alpha's standard error (ASE): An accurate and precise confidence interval
      estimate. Journal of Applied Psychology, 89, 792–808.
    - Feldt, L. S. (1965). The approximate sampling distribution of Kuder-Richardson reliability coefficient twenty.
      Psychometrika, 30, 357–370.

    Examples
    --------
    >>> answers = {"a": [4, 6, 3, 5, 7, 3], "b": [5, 5, 2, 6, 6, 3], "c": [3, 6, 3, 5, 7, 1]}
    >>> reliability(answers, ["a", "b", "c"]).apa()
    "Cronbach's α = .93, 95% CI [.69, .99] (3 items, n = 6)"
    """
    names = _names(items, 2)
    moments = moments_of(data, names, "items")
    standardized(moments)  # says which item is constant
    if moments.n.ndim == 0 and moments.n < 3:
        raise NotEstimable(f"{int(moments.n)} units have all items; give three or more")
    covariance, k = moments.covariance, len(names)
    varies = (np.einsum("...ii->...i", covariance) > 0).all(axis=-1) & (covariance.sum(axis=(-2, -1)) > 0)
    # A study of a stack with a constant item has no answer.
    covariance = np.where(varies[..., None, None], covariance, np.nan)
    total = covariance.sum(axis=(-2, -1))
    alpha = _alpha(covariance)
    # The variance of alpha under multivariate normality, without assuming that items are parallel.
    trace, covariance_squared = np.einsum("...ii->...", covariance), covariance @ covariance
    asymptotic_variance = total * (
        np.einsum("...ii->...", covariance_squared) + trace**2
    ) - 2 * trace * covariance_squared.sum(axis=(-2, -1))
    asymptotic_variance = 2 * k**2 / ((k - 1) ** 2 * total**3) * asymptotic_variance
    # Each item against the sum of the others, and alpha without it.
    variance = np.einsum("...ii->...i", covariance)
    item_covariances = covariance.sum(axis=-1)
    rest_variance = total[..., None] - 2 * item_covariances + variance
    alpha_without = np.full(variance.shape, np.nan)
    if k > 2:
        for item in range(k):
            other_items = [other_item for other_item in range(k) if other_item != item]
            alpha_without[..., item] = _alpha(covariance[..., other_items, :][..., other_items])
    return Reliability(
        alpha=plain(alpha),
        se=plain(np.sqrt(asymptotic_variance / moments.n)),
        items=tuple(names),
        n=count(moments.n),
        item_rest=np.asarray((item_covariances - variance) / np.sqrt(variance * rest_variance)),
        without=alpha_without,
        missing=moments.missing,
    )


def omega(data: Any, items: Sequence[str]) -> Omega:
    """Measure a scale's reliability by McDonald's (1999) omega of one factor, fitted by maximum likelihood.

    Parameters
    ----------
    data
        A frame of any engine with one row a unit, arrays by name, or `Moments` of one study.
    items
        Three or more columns; reverse those that are keyed the other way before.

    Returns
    -------
    Omega
        Omega with its standard error, the loadings and uniquenesses of the items, and the test of fit of the one
        factor.

    Raises
    ------
    DesignError
        If there are fewer than three items, or the summary is a stack.
    NotEstimable
        If an item is constant or follows from others, or the fit does not converge.

    Notes
    -----
    ω = (Σλ)²/((Σλ)² + Σψ) in the items' own units; ψ minimises Σ (w − ln w − 1) over all but the largest eigenvalue w
    of Ψ^−½RΨ^−½ (Jöreskog, 1967), at least .005 as in R's factanal. The standard error is of normal items by the delta
    method (Raykov, 2002); its interval is symmetric on the scale of log odds (Kelley and Pornprasertmanit, 2016).

    References
    ----------
    - Jöreskog, K. G. (1967). Some contributions to maximum likelihood factor analysis. Psychometrika, 32, 443–482.
    - Kelley, K., & Pornprasertmanit, S. (2016). Confidence intervals for population reliability coefficients:
      Evaluation of methods, recommendations, and software for composite measures. Psychological Methods, 21, 69–92.
    - McDonald, R. P. (1999). Test Theory: A Unified Treatment. Erlbaum.
    - Raykov, T. (2002). Analytic estimation of standard error and confidence interval for scale reliability.
      Multivariate Behavioral Research, 37, 89–103.

    Examples
    --------
    >>> answers = {"a": [4, 6, 3, 5, 7, 3, 5], "b": [5, 5, 2, 6, 6, 3, 4], "c": [3, 6, 3, 5, 7, 1, 5]}
    >>> omega(answers, ["a", "b", "c"]).apa()
    'ω = .95 (3 items, n = 7; unique variance at its bound: a)'
    """
    names = _names(items, 3)
    moments = moments_of(data, names, "items")
    check_one_study(moments.n.ndim, "omega takes one study")
    correlations = standardized(moments)
    if np.linalg.eigvalsh(correlations)[0] < SINGULAR:
        raise NotEstimable("an item follows from the others; leave one out")
    loading, psi, criterion = _one_factor(correlations)
    heywood = tuple(name for name, uniqueness in zip(names, psi, strict=True) if uniqueness <= LEAST * 1.001)
    sd = np.sqrt(np.diagonal(moments.covariance))
    k, n = len(names), int(moments.n)
    df = k * (k - 3) // 2
    # Bartlett's correction of the likelihood ratio against free correlations.
    chi = max(0.0, (n - 1 - (2 * k + 5) / 6 - 2 / 3) * criterion)
    rows = None if isinstance(data, Moments) or is_lazy(data) else complete(data, names, "items")[0]
    return Omega(
        omega=_omega(loading * sd, psi * sd**2),
        se=float("nan") if heywood else _omega_error(loading * sd, psi * sd**2) / np.sqrt(n),
        standardized=_omega(loading, psi),
        loadings=loading * sd,
        uniquenesses=psi * sd**2,
        heywood=heywood,
        statistic=chi,
        df=df,
        p=float(special.chdtrc(df, chi)) if df else float("nan"),
        items=tuple(names),
        n=n,
        missing=moments.missing,
        rows=rows,
    )


def _names(items: Sequence[str], min_items: int) -> list[str]:
    if isinstance(items, str) or not isinstance(items, Collection) or len(items) < min_items:
        raise DesignError(f"items are {items!r}; name {min_items} columns or more")
    return list(items)


def _alpha(c: FloatArray) -> FloatArray:
    k = c.shape[-1]
    return np.asarray(k / (k - 1) * (1 - np.einsum("...ii->...", c) / c.sum(axis=(-2, -1))))


def _omega(loadings: FloatArray, psi: FloatArray) -> float:
    common = float(loadings.sum()) ** 2
    return common / (common + float(psi.sum()))


def _one_factor(correlations: FloatArray, start: FloatArray | None = None) -> tuple[FloatArray, FloatArray, float]:
    """Return loadings and uniquenesses of standardized items, and the least of the criterion."""
    psi, criterion = _uniquenesses(correlations, start)
    root = np.sqrt(psi)
    # Given the uniquenesses, the loadings follow from the largest root of the scaled correlations.
    eigenvalues, eigenvectors = np.linalg.eigh(correlations / np.multiply.outer(root, root))
    loading = root * eigenvectors[:, -1] * np.sqrt(max(0.0, eigenvalues[-1] - 1))
    return loading * (1.0 if loading.sum() >= 0 else -1.0), psi, criterion


def _omega_error(loadings: FloatArray, psi: FloatArray) -> float:
    """Return √n times omega's standard error, from the expected information ½ tr Σ⁻¹Σ_iΣ⁻¹Σ_j on loadings and ψ."""
    k = len(psi)
    inverse = np.linalg.inv(np.outer(loadings, loadings) + np.diag(psi))
    eye = np.eye(k)
    # How the implied covariance changes with each loading and each uniqueness.
    changes = [np.outer(unit_vector, loadings) + np.outer(loadings, unit_vector) for unit_vector in eye] + [
        np.diag(unit_vector) for unit_vector in eye
    ]
    scaled_changes = np.stack([inverse @ change for change in changes])
    information = np.einsum("iab,jba->ij", scaled_changes, scaled_changes) / 2
    # Omega's gradient in these parameters carries their covariance to its variance.
    common, unique = loadings.sum(), psi.sum()
    gradient = np.append(np.full(k, 2 * common * unique), np.full(k, -(common**2))) / (common**2 + unique) ** 2
    return float(np.sqrt(gradient @ np.linalg.solve(information, gradient)))


def _uniquenesses(correlations: FloatArray, guess: FloatArray | None) -> tuple[FloatArray, float]:
    """Minimise the criterion; `guess` is where a resample's search begins, which need not find the last digits."""

    def distance(psi: Any) -> Any:
        root = np.sqrt(psi)
        eigenvalues, eigenvectors = np.linalg.eigh(correlations / np.multiply.outer(root, root))
        loading = root * eigenvectors[:, -1] * np.sqrt(max(0.0, eigenvalues[-1] - 1))
        variances = loading**2 + psi
        return float((eigenvalues[:-1] - np.log(eigenvalues[:-1]) - 1).sum()), np.asarray((variances - 1) / psi**2)

    # As in factanal.
    start = (1 - 0.5 / len(correlations)) / np.diagonal(np.linalg.inv(correlations)) if guess is None else guess
    options: Any = {"maxiter": 5000, "maxfun": 50_000}
    options |= {"ftol": 1e-16, "gtol": 1e-10} if guess is None else {"ftol": 1e-11, "gtol": 1e-5}
    solution: Any = scipy.optimize.minimize(
        distance,
        np.clip(start, LEAST, 1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(LEAST, 1.0)] * len(correlations),
        options=options,
    )
    # Converged if the slope vanishes for all uniquenesses that are not at a bound.
    is_inside = (solution.x > LEAST) & (solution.x < 1)
    gradient = np.abs(distance(solution.x)[1][is_inside]).max(initial=0.0)
    if gradient > (1e-4 if guess is None else 1e-2):
        raise NotEstimable(f"the factor's fit did not converge (largest slope {gradient:.2g}); leave an item out")
    return np.asarray(solution.x), float(solution.fun)
