"""Polychoric correlation: that of two normal variables of which only ordered answers were seen; tetrachoric of two."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.counts.contingency import check_filled, table
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.numerics import newton, profile
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, check_one_study
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Counts
from negstats.stats.summaries.frames import By

Method = Literal["ml", "two-step"]
STEPS = 200
# A step is over where it moves no parameter by more than about 1e-11 of its standard error.
SHORT = 1e-22
# The largest correlation that is looked for; a table that asks for more has none.
MOST = 1 - 1e-6
ALMOST = 1 - 1e-4
TINY = 1e-300
FAR = 1e6


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Polychoric(Result):
    """The correlation of two normal variables behind a table of ordered answers.

    Attributes
    ----------
    estimate, se : float
        The correlation and its standard error, that thresholds were estimated counted in.
    statistic, df, p : float
        Chi-squared that it is 0: the likelihood ratio ("ml"), or Wald's ("two-step").
    rows, columns : ndarray
        Thresholds between the answers, as standard normal values.
    n, missing : float, int
        Observations in the table, and rows left out.
    method : str
        "ml" or "two-step".
    """

    estimate: float
    se: float
    statistic: float
    df: float
    p: float
    rows: FloatArray = field(repr=False)
    columns: FloatArray = field(repr=False)
    n: float
    missing: int
    method: Method
    log_likelihood: float
    counts: Counts = field(repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the profile-likelihood interval ("ml"), or that of Fisher's z with the standard error ("two-step").

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between −1 and 1.
        """
        check_level(confidence_level)
        if self.method == "two-step":
            half_width = quantile(confidence_level) * self.se / (1 - self.estimate**2)
            low, high = (math.tanh(math.atanh(self.estimate) + sign * half_width) for sign in (-1, 1))
            return Interval(low, high, confidence_level, "Fisher's z")
        critical = float(special.chdtri(1, 1 - confidence_level))
        joint_table = _Table(self.counts.n)

        def compute_loss(z: float) -> float:
            theta = np.concatenate([self.rows, self.columns, [math.tanh(z)]])
            try:
                value = joint_table.climbed(theta, held=True)[1]
            except NotEstimable:  # chances of 0 close to 1 and −1
                value = -FAR
            return min(2 * (self.log_likelihood - value), FAR) - critical

        bounds = np.tanh(profile(compute_loss, math.atanh(self.estimate), 2 * self.se / (1 - self.estimate**2)))
        low, high = (float(bound) if abs(bound) < MOST else math.copysign(1.0, bound) for bound in bounds)
        return Interval(low, high, confidence_level, "profile likelihood")

    def fit(self) -> LikelihoodRatio:
        """Return the likelihood-ratio test that two normal variables give the table; df is 0 for 2 × 2.

        Returns
        -------
        LikelihoodRatio
            G² with its df and p; p is NaN where df is 0.
        """
        n = self.counts.n
        value = max(2 * float(special.xlogy(n, n / n.sum()).sum() - self.log_likelihood), 0.0)
        df = float(n.size - sum(n.shape))
        return LikelihoodRatio(value, df, float(special.chdtrc(df, value)) if df else float("nan"), boundary=False)

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``polychoric r = .52, 95% CI [.30, .69], χ²(1, N = 120) = 18.20, p < .001``.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The coefficient with its interval and the test of fit.
        """
        interval = self.confidence_interval(confidence_level)
        value, bounds = apa.bounded_apart(self.estimate, interval.low, interval.high, confidence_level)
        name = "tetrachoric" if self.counts.shape == (2, 2) else "polychoric"
        test_text = apa.statistic("χ²", self.statistic, (self.df,), self.p, n=round(self.n))
        return f"{name} r = {value}, {bounds}, {test_text}"


def polychoric(data: Any, by: By = None, *, method: Method = "ml") -> Polychoric:
    """Correlate the normal variables that underlie two ordered answers (for yes and no the tetrachoric correlation).

    Parameters
    ----------
    data
        Counts, a nested list (rows and columns from low to high), a cross-table, or a frame of raw rows with `by`.
    by
        The two columns of the frame: numbers or ordered; of text two values, the second by alphabet the higher.
    method
        "ml": correlation and thresholds together. "two-step": thresholds from the margins, then the correlation.

    Returns
    -------
    Polychoric
        The correlation from −1 to 1 with its standard error and test, and the table of counts.

    Raises
    ------
    DesignError
        If the table has not two dimensions of two or more levels, or three levels of text have no order.
    NotEstimable
        If a level is empty, or the likelihood grows up to a correlation of 1 or −1 (as where a cell of a 2 × 2 table
        is 0).

    Notes
    -----
    As in Olsson (1979) and Drasgow (1986). Scoring with the expected information (R's ``polycor::polychor`` takes
    standard errors from the observed one); the two-step error counts the margins' sampling in, which polychor leaves
    out. Normal areas by Owen's T.

    References
    ----------
    - Drasgow, F. (1986). Polychoric and polyserial correlations. Encyclopedia of Statistical Sciences, 7, 68–74.
    - Olsson, U. (1979). Maximum likelihood estimation of the polychoric correlation coefficient. Psychometrika, 44,
      443–460.

    Examples
    --------
    >>> liked = [[20, 10, 4], [8, 15, 9], [2, 9, 18]]
    >>> print(polychoric(liked).apa())
    polychoric r = .63, 95% CI [.43, .77], χ²(1, N = 95) = 28.53, p < .001
    """
    check_choice("method", method, ("ml", "two-step"))
    counts = table(data, by)
    check_one_study(counts.studies, "polychoric takes one table")
    check_filled(counts)
    for factor in counts.factors:
        if not factor.ordered and len(factor) > 2:
            raise DesignError(
                f"the levels of {factor.name!r} are text without an order; give numbers, or an ordered column "
                "(pandas.Categorical(..., ordered=True))"
            )
    joint_table = _Table(counts.n)
    cuts = [special.ndtri(np.cumsum(counts.n.sum(axis=1 - axis))[:-1] / counts.n.sum()) for axis in (0, 1)]
    # Thresholds from the margins and no correlation: where the search begins, and the null model.
    no_correlation = joint_table.joined(cuts[0], cuts[1], 0.0)
    independent = joint_table.value(no_correlation)
    if method == "ml":
        theta, value = joint_table.climbed(no_correlation, held=False)
        inverse = np.linalg.inv(joint_table.information(theta)[1])
        se, statistic = math.sqrt(inverse[-1, -1]), max(2 * (value - independent), 0.0)
    else:
        theta, value = joint_table.alone(no_correlation)
        se = joint_table.two_step_error(theta)
        statistic = (float(theta[-1]) / se) ** 2
    rows = counts.shape[0] - 1
    return Polychoric(
        estimate=float(theta[-1]),
        se=se,
        statistic=statistic,
        df=1.0,
        p=float(special.chdtrc(1, statistic)),
        rows=theta[:rows],
        columns=theta[rows:-1],
        n=float(counts.n.sum()),
        missing=counts.missing,
        method=method,
        log_likelihood=value,
        counts=counts,
    )


class _Table:
    """Chances of a table's cells and their derivatives, in θ = (thresholds of rows, of columns, correlation)."""

    def __init__(self, n: FloatArray) -> None:
        self.n, self.rows = n, n.shape[0] - 1

    def joined(self, rows: FloatArray, columns: FloatArray, r: float) -> FloatArray:
        return np.concatenate([rows, columns, [r]])

    def chances(self, theta: FloatArray) -> FloatArray:
        """Return the chance of each cell."""
        row_cuts, column_cuts = (
            np.concatenate([[-np.inf], cuts, [np.inf]]) for cuts in (theta[: self.rows], theta[self.rows : -1])
        )
        return np.diff(
            np.diff(compute_below(row_cuts[:, None], column_cuts[None, :], float(theta[-1])), axis=0), axis=1
        )

    def value(self, theta: FloatArray) -> float:
        """Return the log-likelihood; −∞ where thresholds are not in order."""
        if (
            not abs(theta[-1]) <= MOST
            or (np.diff(theta[: self.rows]) <= 0).any()
            or (np.diff(theta[self.rows : -1]) <= 0).any()
        ):
            return -np.inf
        return float(special.xlogy(self.n, np.maximum(self.chances(theta), TINY)).sum())

    def changes(self, theta: FloatArray) -> FloatArray:
        """Return the derivatives of the chances, (parameters, rows, columns)."""
        row_cuts, column_cuts, r = theta[: self.rows], theta[self.rows : -1], float(theta[-1])
        s = math.sqrt(1 - r**2)
        derivatives = np.zeros((len(theta), *self.n.shape))
        bounded_cuts = [np.concatenate([[-np.inf], cuts, [np.inf]]) for cuts in (row_cuts, column_cuts)]
        # A row threshold moves probability between two rows, in
        # each column by a normal of the other variable.
        for index, threshold in enumerate(row_cuts):
            changes_of_cut = _density(threshold) * np.diff(special.ndtr((bounded_cuts[1] - r * threshold) / s))
            derivatives[index, index], derivatives[index, index + 1] = changes_of_cut, -changes_of_cut
        for index, threshold in enumerate(column_cuts):
            changes_of_cut = _density(threshold) * np.diff(special.ndtr((bounded_cuts[0] - r * threshold) / s))
            derivatives[len(row_cuts) + index, :, index], derivatives[len(row_cuts) + index, :, index + 1] = (
                changes_of_cut,
                -changes_of_cut,
            )
        # In the correlation a cell's probability changes by the bivariate density at its corners (Plackett).
        densities = np.zeros((len(row_cuts) + 2, len(column_cuts) + 2))
        densities[1:-1, 1:-1] = (
            _density(row_cuts)[:, None] * _density((column_cuts[None, :] - r * row_cuts[:, None]) / s) / s
        )
        derivatives[-1] = np.diff(np.diff(densities, axis=0), axis=1)
        return derivatives

    def information(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the score and the expected information."""
        probabilities, derivatives = np.maximum(self.chances(theta), TINY), self.changes(theta)
        cell_changes = derivatives.reshape(len(theta), -1)
        return cell_changes @ (self.n / probabilities).ravel(), self.n.sum() * (
            cell_changes / probabilities.ravel()
        ) @ cell_changes.T

    def climbed(self, theta: FloatArray, *, held: bool) -> tuple[FloatArray, float]:
        """Return the parameters of the largest likelihood by Fisher's scoring, and that; `held` keeps the correlation.

        Raises
        ------
        NotEstimable
            If the likelihood grows up to a correlation of 1 or −1.
        """
        n_free = len(theta) - held

        def derivatives(point: FloatArray) -> tuple[float, FloatArray, FloatArray]:
            parameters = np.append(point, theta[n_free:])
            value = self.value(parameters)
            if not np.isfinite(value):  # thresholds out of order: a shorter step is taken
                return value, np.zeros(n_free), np.eye(n_free)
            score, information = self.information(parameters)
            return value, score[:n_free], information[:n_free, :n_free]

        maximum = newton(derivatives, theta[:n_free], short=SHORT, steps=STEPS)
        if maximum is None:
            raise NotEstimable(ONE)
        theta = np.append(maximum.point, theta[n_free:])
        if not held:
            self.check_inside(theta, maximum.value)
        return theta, maximum.value

    def check_inside(self, theta: FloatArray, value: float) -> None:
        """Raise if the likelihood is as large where the correlation is 1 or −1, to which it is flat from afar."""
        near_one = np.append(theta[:-1], math.copysign(ALMOST, theta[-1]))
        if abs(theta[-1]) > ALMOST or self.value(near_one) > value - 1e-6:
            raise NotEstimable(ONE)

    def alone(self, theta: FloatArray) -> tuple[FloatArray, float]:
        """Return the correlation of the largest likelihood with the thresholds held."""

        def slope(r: float) -> float:
            parameters = np.append(theta[:-1], r)
            return float((self.n / np.maximum(self.chances(parameters), TINY) * self.changes(parameters)[-1]).sum())

        direction = math.copysign(1.0, slope(0.0))
        inner_end, outer_end = 0.0, 0.5
        while slope(direction * outer_end) * direction > 0:
            inner_end, outer_end = outer_end, (1 + outer_end) / 2
            if outer_end > ALMOST:
                raise NotEstimable(ONE)
        bracket = sorted((direction * inner_end, direction * outer_end))
        estimates = np.append(theta[:-1], scipy.optimize.brentq(slope, bracket[0], bracket[1], xtol=1e-14, rtol=1e-14))
        value = self.value(estimates)
        self.check_inside(estimates, value)
        return estimates, value

    def two_step_error(self, theta: FloatArray) -> float:
        """Return the standard error of the second step, from what each observation moves in both."""
        probabilities, derivatives = np.maximum(self.chances(theta), TINY), self.changes(theta)
        information = self.information(theta)[1] / self.n.sum()
        # A unit's influence on the correlation: its own score, less
        # what its influence on the thresholds brings.
        influences = derivatives[-1] / probabilities
        for cuts, axis, start in ((theta[: self.rows], 0, 0), (theta[self.rows : -1], 1, self.rows)):
            share = np.cumsum(probabilities.sum(axis=1 - axis))[:-1]
            for index, threshold in enumerate(cuts):
                is_below = np.arange(self.n.shape[axis]) <= index
                influence = (is_below - share[index]) / _density(threshold)
                influences = influences - information[-1, start + index] * (
                    influence[:, None] if axis == 0 else influence
                )
        influences = influences / information[-1, -1]
        return math.sqrt(float((probabilities * influences**2).sum()) / float(self.n.sum()))


ONE = (
    "the likelihood grows up to a correlation of 1 or −1 (an empty cell, or too few answers on one side); merge "
    "answers, or collect more"
)


def _density(value: Any) -> Any:
    return np.exp(-np.square(value) / 2) / math.sqrt(2 * math.pi)


def compute_below(h: FloatArray, k: FloatArray, r: float) -> FloatArray:
    """Return P(X ≤ h, Y ≤ k) of standard normal variables with correlation r (Owen, 1956, Ann. Math. Stat. 27)."""
    h, k = np.broadcast_arrays(h, k)
    scale = math.sqrt(1 - r**2)
    is_finite = np.isfinite(h) & np.isfinite(k)
    # 0 has no quotient; the least number has, and the same areas.
    x, y = (np.where(is_finite, np.where(np.abs(bound) < TINY, TINY, bound), 1.0) for bound in (h, k))
    with np.errstate(over="ignore"):
        # Owen (1956): the bivariate normal from two of his T functions.
        area = (special.ndtr(x) + special.ndtr(y)) / 2
        area = area - special.owens_t(x, (y / x - r) / scale) - special.owens_t(y, (x / y - r) / scale)
    area = area - np.where((x < 0) != (y < 0), 0.5, 0.0)
    at_infinity = np.where(np.isneginf(h) | np.isneginf(k), 0.0, special.ndtr(np.minimum(h, k)))
    return np.where(is_finite, area, at_infinity)
