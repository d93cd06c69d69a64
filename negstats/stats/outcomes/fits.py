"""Maximum likelihood of yes or no and of counts, and the columns that separate them, which have no finite estimate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import scipy
from scipy import linalg, special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.numerics import newton
from negstats.stats.results.numbers import FloatArray

# After so many of Newton's steps without a proof that the data overlap, a linear programme decides.
MOST_STEPS = 15
# Of more rows a part of this size is tried first: data overlap where a part of them does.
PART = 2000


def check_separation(
    sides: FloatArray, x: FloatArray, names: Sequence[str], outcome: str, *, zero: bool = False
) -> None:
    """Raise NotEstimable, naming the columns, if a weighted sum of columns tells the outcome without a fault.

    Then some coefficients have no finite estimate, and programs print 20 or 1e15 with an error of as much.

    Parameters
    ----------
    sides : ndarray, shape (n,)
        1 where the sum should be at least 0, −1 where at most; with `zero`, 0 where it must be 0 (a count above 0).

    Notes
    -----
    Konis (2007), Linear programming algorithms for detecting separated data, ch. 4: the largest Σ s_i x_i'δ with every
    part at least 0 and δ within ±1 is 0 exactly if the data overlap.
    """
    if not zero:
        stride = len(x) // PART | 1
        if stride > 1 and is_overlapping(_scale_columns(x[::stride]) * sides[::stride, None]):
            return
    scaled_columns = _scale_columns(x)
    signed_rows = scaled_columns * sides[:, None]
    if not zero and is_overlapping(signed_rows):
        return
    weights = _find_separating(sides, scaled_columns, signed_rows, zero=zero)
    if weights is None:
        return
    columns = [column for column, weight in enumerate(weights) if abs(weight) > 1e-7 or names[column] == "Intercept"]
    for column in [column for column in columns if names[column] != "Intercept"]:
        # Where some columns tell every answer, others that tell nothing have a weight too.
        fewer = [other_column for other_column in columns if other_column != column]
        if fewer and _find_separating(sides, scaled_columns[:, fewer], signed_rows[:, fewer], zero=zero) is not None:
            columns = fewer
    separating = [names[column] for column in columns if names[column] != "Intercept"]
    separating_text = ", ".join(map(repr, separating[:6])) or "the intercept"
    advice = "mann_whitney compares ranks" if zero else "logistic with firth=True penalises"
    verb, pronoun = ("separate", "them") if len(separating) > 1 else ("separates", "it")
    raise NotEstimable(
        f"{separating_text} {verb} {outcome!r}: from {pronoun} the outcome is known without a fault in some rows, "
        f"and a coefficient has no finite value; leave {pronoun} out or merge levels",
        advice=advice,
    )


def _find_separating(
    sides: FloatArray, columns: FloatArray, signed_rows: FloatArray, *, zero: bool
) -> FloatArray | None:
    """Return the weights of a sum of columns that tells the outcome without a fault; None if there is none."""
    undecided = columns[sides == 0] if zero else None
    decided = signed_rows[sides != 0]
    solution = scipy.optimize.linprog(
        -decided.sum(axis=0),
        A_ub=-decided,
        b_ub=np.zeros(len(decided)),
        A_eq=undecided,
        b_eq=None if undecided is None else np.zeros(len(undecided)),
        bounds=(-1, 1),
        method="highs",
    )
    separates = solution.status == 0 and solution.x is not None and float((decided @ solution.x).sum()) > 1e-6
    return np.asarray(solution.x, dtype=np.float64) if separates else None


def _scale_columns(x: FloatArray) -> FloatArray:
    """Return columns whose largest number is 1; a column of zeros as it is."""
    size = np.abs(x).max(axis=0)
    return np.asarray(x / np.where(size > 0, size, 1.0))


def is_overlapping(signed_rows: FloatArray) -> bool:
    """Whether Newton's steps prove that Σ ln(1 + exp(−m_i'd)) has a minimum, as it has only if the data overlap.

    Where the step is short against the curvature there is one (Bach, 2010, Electronic Journal of Statistics 4, prop. 2:
    a Newton decrement of at most √λ/(2R), with λ the least eigenvalue of the Hessian and R the longest row).
    """
    point, longest = np.zeros(signed_rows.shape[1]), float(np.sqrt((signed_rows**2).sum(axis=1).max()))
    for _ in range(MOST_STEPS):
        misfit = special.expit(-(signed_rows @ point))
        slope = -signed_rows.T @ misfit
        curve = (signed_rows * (misfit * (1 - misfit))[:, None]).T @ signed_rows
        values, vectors = np.linalg.eigh(curve)
        if not values[0] > 1e-12 * values[-1]:
            return False
        step = vectors @ ((vectors.T @ slope) / values)
        if slope @ step <= values[0] / (4 * longest) ** 2:  # half of what is allowed
            return True
        point -= step
    return False


Family = Literal["logistic", "poisson", "negative binomial"]

# Rows of which products of columns are held at once.
ROWS = 1 << 15
# Columns whose cross-products have a condition below this lose no more than half of the digits by being taken as such.
WELL = 1e8
# Dispersions, as multiples of 1 over the mean count, among which the best is looked for before its equation is solved;
# below the first a count is as even as Poisson's to six digits.
POINTS = np.geomspace(1e-6, 1e6, 13)
# Below this αμ, ln(1 + αμ) − αμ/(1 + αμ) is summed as a series, which keeps its digits.
SMALL = 1e-2
TINY = 1e-15
# A pivot below this share of its diagonal entry is mostly rounding, of sums of some thousand terms.
ROUNDING = 1e3 * np.finfo(float).eps
FAR = 200.0
NONE = (
    "the counts' likelihood has no maximum that could be reached: are nearly all 0? compare shares above 0 (logistic)"
)
NO_MAXIMUM = "the likelihood has no maximum that could be reached; look for columns that nearly separate it"
# Every number up to the largest count has its term in a sum.
LARGEST = 10**6


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Coefficients, covariance, log-likelihood; of counts also the dispersion α and the information on it."""

    beta: FloatArray
    covariance: FloatArray
    log_likelihood: float
    dispersion: float = 0.0
    information: float = float("nan")


def fitted(
    x: FloatArray, y: FloatArray, family: Family, offset: FloatArray | None = None, guess: float | None = None
) -> Fit:
    """Return the fit of the columns; `guess` is a dispersion near which the best one lies.

    Raises
    ------
    NotEstimable
        If no maximum could be reached.
    """
    shift = np.zeros(len(y)) if offset is None else offset
    if family == "negative binomial":
        return _negative_binomial(x, y, shift, guess)
    fit = find_maximum(x, y, family, shift)
    if fit is None:
        raise NotEstimable(NO_MAXIMUM)
    return fit


def fitted_apart(
    x: FloatArray,
    y: FloatArray,
    family: Literal["logistic", "poisson"],
    offset: FloatArray,
    names: Sequence[str],
    outcome: str,
) -> Fit:
    """Return the fit of the columns, or raise NotEstimable with those that separate the outcome.

    The fit proves that no column does (see `_proven`); where it cannot, a linear programme decides.
    """
    fit = find_maximum(x, y, family, offset)
    if fit is None:
        if family == "logistic":
            check_separation(2 * y - 1, x, names, outcome)
        else:
            check_separation(np.where(y > 0, 0.0, -1.0), x, names, outcome, zero=True)
        raise NotEstimable(NO_MAXIMUM)
    return fit


def find_maximum(x: FloatArray, y: FloatArray, family: str, offset: FloatArray) -> Fit | None:
    """Return the largest likelihood of the columns; None if no step of Newton's method proves that there is one."""
    derivatives_at = _yes_no(y) if family == "logistic" else _counts(y)
    if not x.shape[1]:
        return Fit(np.empty(0), np.empty((0, 0)), derivatives_at(offset)[0])
    # On orthonormal columns Newton's steps do not depend on the predictors' units.
    basis, upper = _orthogonalize(x)

    def derivatives(beta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        value, residual, weight = derivatives_at(basis @ beta + offset)
        return value, basis.T @ residual, _cross(basis, weight)

    # A point is a maximum only if the likelihood's curvature proves one near it; else a coefficient runs off.
    maximum = newton(derivatives, _start(basis, y, family, offset))
    triangle = None if maximum is None else _root(maximum.information)
    if maximum is None or triangle is None or not _proven(basis, triangle, maximum.decrement):
        return None
    to_original = np.linalg.inv(upper)
    covariance = linalg.cho_solve((triangle, True), np.eye(len(maximum.point)))
    return Fit(to_original @ maximum.point, to_original @ covariance @ to_original.T, maximum.value)


def _root(information: FloatArray) -> FloatArray | None:
    """Return Cholesky's root; None where the likelihood is flat, for some coefficient runs off.

    The square of a pivot is what the earlier columns leave of a diagonal entry, and has that entry's rounding: where it
    is no larger than this, its size is that of the rounding and proves nothing.
    """
    try:
        root = np.asarray(np.linalg.cholesky(information))
    except np.linalg.LinAlgError:
        return None
    return root if (np.diag(root) ** 2 > ROUNDING * np.diag(information)).all() else None


At: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]


def _yes_no(y: FloatArray) -> At:
    """Return the log-likelihood, y less its mean and the variance, as functions of the linear predictor."""

    def at(eta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        residual, weight = np.empty(len(y)), np.empty(len(y))
        value = 0.0
        for start in range(0, len(y), ROWS):
            rows = slice(start, start + ROWS)
            block_value, residual[rows], weight[rows] = _yes_no_rows(y[rows], eta[rows])
            value += block_value
        return value, residual, weight

    return at


def _yes_no_rows(y: FloatArray, eta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    odds_against = np.exp(-np.abs(eta))
    value = float(y @ eta - np.maximum(eta, 0.0).sum() - np.log1p(odds_against).sum())
    larger_share = 1 / (1 + odds_against)
    # y less its mean as y (1 − mean) − (1 − y) mean: 1 − mean of a mean near 1 would lose its digits, and with them
    # what tells a coefficient that runs off from one at its maximum.
    smaller_share = odds_against * larger_share
    is_positive = eta > 0
    mean, complement = (
        np.where(is_positive, larger_share, smaller_share),
        np.where(is_positive, smaller_share, larger_share),
    )
    return value, y * complement - (1 - y) * mean, smaller_share * larger_share


def null_log_likelihood(y: FloatArray, family: Family, offset: FloatArray) -> float:
    """Return the largest log-likelihood of an intercept alone, which for yes or no and for Poisson's counts is known.

    Raises
    ------
    NotEstimable
        If a negative binomial's maximum could not be reached.
    """
    if family == "poisson":
        return _counts(y)(offset + np.log(y.sum() / np.exp(offset).sum()))[0]
    if family == "logistic" and not offset.any():
        events, n = float(y.sum()), len(y)
        return float(special.xlogy(events, events / n) + special.xlogy(n - events, (n - events) / n))
    return fitted(np.ones((len(y), 1)), y, family, offset).log_likelihood


def _counts(y: FloatArray) -> At:
    constant = _log_factorials(y)

    def at(eta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        with np.errstate(over="ignore"):
            mean = np.exp(eta)
            return float(y @ eta - mean.sum() - constant), y - mean, mean

    return at


def _log_factorials(y: FloatArray) -> float:
    """Return Σ ln y!, of counts by how often each occurs."""
    if y.max() <= LARGEST and np.array_equal(y, np.trunc(y)):
        times = np.bincount(y.astype(np.intp))
        return float(times @ special.gammaln(np.arange(1.0, len(times) + 1)))
    return float(special.gammaln(y + 1).sum())


def _start(basis: FloatArray, y: FloatArray, family: str, offset: FloatArray) -> FloatArray:
    """Return coefficients from which Newton's steps are short: 0 for yes or no, logarithms of counts by least squares.

    Where yes is rare steps from 0 are of 1 on the log scale; the likelihood is concave, and they arrive.
    """
    if family == "logistic":
        return np.zeros(basis.shape[1])
    weight = (y + y.mean()) / 2
    working_outcome = np.log(weight) - offset
    return np.asarray(np.linalg.solve(_cross(basis, weight), basis.T @ (weight * working_outcome)))


def _orthogonalize(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return columns with the same span, and the matrix r of ``x = columns @ r``: orthonormal where x is not nearly so.

    Cross-products of columns square their condition; of columns as far from each other as these mostly are nothing is
    lost by that, and the turn would cost more than a fit.
    """
    size = np.sqrt(np.einsum("ij,ij->j", x, x))
    gram = _cross(x, None) / np.multiply.outer(size, size)
    if np.linalg.cond(gram) < WELL:
        return x, np.eye(x.shape[1])
    q, r = np.linalg.qr(x)
    return q, r


def _cross(x: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Return X'WX, in blocks of rows that stay in the processor's memory."""
    p = x.shape[1]
    products = np.zeros((p, p))
    for start in range(0, len(x), ROWS):
        block = x[start : start + ROWS]
        products += block.T @ (block if weight is None else block * weight[start : start + ROWS, None])
    return products


def _proven(x: FloatArray, triangle: FloatArray, decrement: float) -> bool:
    """Whether a likelihood has a maximum near a point of information LL′ and the squared Newton decrement `decrement`.

    In the coordinates in which the information is the identity, rows L⁻¹x no longer than R, there is one if the
    decrement is at most 1/(2R) (Bach, 2010, Electronic Journal of Statistics 4, prop. 2, of functions whose third
    derivative is at most R times the second, as those of ln(1 + exp t) and exp t are); half of that is asked.
    """
    # By self-concordance: a Newton decrement this small beside the longest row proves that a maximum is near.
    longest = 0.0
    for start in range(0, len(x), ROWS):
        rows = linalg.solve_triangular(triangle, x[start : start + ROWS].T, lower=True)
        longest = max(longest, float(np.einsum("ij,ij->j", rows, rows).max()))
    return decrement <= 1 / (16 * longest)


def _negative_binomial(x: FloatArray, y: FloatArray, offset: FloatArray, guess: float | None) -> Fit:
    """Maximise over the coefficients and the dispersion; a dispersion of 0 is Poisson's fit.

    Given the dispersion the likelihood is concave in the coefficients, so that only its slope in the dispersion is to
    be solved; statsmodels climbs in all together, with half the digits and none where the dispersion is 0.
    """
    if y.max() > LARGEST:
        raise DesignError(f"a count is {y.max():.0f}; above a million give linear_model the logarithm of the outcome")
    basis, upper = np.linalg.qr(x)
    counts = _Counts(basis, y, offset)
    scale = 1 / float(y.mean())

    def slope(log: float) -> float:
        return counts.at(float(np.exp(log))).slope

    bracket = None if guess is None else _bracket_guess(slope, guess, float(POINTS[0]) * scale)
    if bracket is None:
        # The likelihood can have several maxima in the dispersion: a grid finds the highest.
        points = POINTS * scale
        fits = [counts.tried(point) for point in points]
        best_index = int(np.argmax([-np.inf if fit is None else fit.log_likelihood for fit in fits]))
        best_fit = fits[best_index]
        poisson_fit = counts.at(0.0)
        if best_fit is None:
            raise NotEstimable(NONE)
        # Poisson's fit, a dispersion of 0, may be the best.
        if poisson_fit.log_likelihood >= best_fit.log_likelihood or (best_index == 0 and best_fit.slope <= 0):
            return poisson_fit.turned(upper)
        if best_fit.slope > 0 and (best_index == len(points) - 1 or fits[best_index + 1] is None):
            raise NotEstimable(NONE)
        lower_index = best_index if best_fit.slope > 0 else best_index - 1
        bracket = float(np.log(points[lower_index])), float(np.log(points[lower_index + 1]))
    return counts.at(float(np.exp(scipy.optimize.brentq(slope, *bracket, xtol=1e-14, rtol=1e-14)))).turned(upper)


def dispersed(x: FloatArray, y: FloatArray, offset: FloatArray, dispersion: float) -> float:
    """Return the largest log-likelihood of counts whose dispersion is given."""
    alpha = dispersion if dispersion > TINY else 0.0
    return _Counts(np.linalg.qr(x)[0], y, offset).at(alpha).log_likelihood


def _bracket_guess(slope: Callable[[float], float], guess: float, smallest: float) -> tuple[float, float] | None:
    """Return logarithms of dispersions around a guess between which the slope changes its sign."""
    lower = upper = float(np.log(guess)) if guess > smallest else 0.0
    if guess <= smallest:
        return None
    step = 0.1
    for _ in range(12):
        lower, upper, step = lower - step, upper + step, 2 * step
        try:
            if slope(lower) > 0 > slope(upper):
                return lower, upper
        except NotEstimable:  # far from all good fits; the grid leaves such dispersions out
            return None
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _At:
    """The best fit where the dispersion is given, and the first and minus the second derivative in it."""

    dispersion: float
    beta: FloatArray
    log_likelihood: float
    slope: float
    information: float
    covariance: FloatArray

    def turned(self, r: FloatArray) -> Fit:
        """Return the fit in the coefficients of the columns as given."""
        to_original = np.linalg.inv(r)
        return Fit(
            to_original @ self.beta,
            to_original @ self.covariance @ to_original.T,
            self.log_likelihood,
            self.dispersion,
            self.information if self.dispersion > 0 else float("nan"),
        )


class _Counts:
    """Counts, their columns and offset; remembers the coefficients, from which the next search starts."""

    def __init__(self, q: FloatArray, y: FloatArray, offset: FloatArray) -> None:
        self.q, self.y, self.offset = q, y, offset
        self.constant = -_log_factorials(y)
        # Σ over rows of a sum over j < y is Σ_j (how many rows have y > j).
        self.above = (len(y) - np.cumsum(np.bincount(y.astype(np.intp)))[:-1]).astype(np.float64)
        self.j = np.arange(len(self.above), dtype=np.float64)
        working_outcome = np.log((y + y.mean()) / 2) - offset
        self.beta: FloatArray = q.T @ working_outcome

    def tried(self, alpha: float) -> _At | None:
        """Return the best fit for a dispersion; None where there is none, as for large ones if nearly all are 0."""
        try:
            return self.at(alpha)
        except NotEstimable:
            return None

    def at(self, alpha: float) -> _At:
        """Return the best fit for a dispersion."""

        def derivatives(beta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
            mu = np.exp(self._eta(beta))
            score = self.q.T @ ((self.y - mu) / (1 + alpha * mu))
            weight = mu / (1 + alpha * mu) * ((1 + alpha * self.y) / (1 + alpha * mu))
            return self._value(beta, alpha), score, self.q.T @ (self.q * weight[:, None])

        maximum = newton(derivatives, self.beta)
        if maximum is None:
            raise NotEstimable(NONE)
        self.beta = beta = maximum.point
        value = maximum.value
        mu = np.exp(self._eta(beta))
        inverse_information = np.linalg.pinv(self.q.T @ (self.q * (mu / (1 + alpha * mu))[:, None]))
        slope, information = self._in_dispersion(mu, alpha)
        return _At(alpha, beta, value, slope, information, np.asarray(inverse_information, dtype=np.float64))

    def _value(self, beta: FloatArray, alpha: float) -> float:
        eta = self._eta(beta)
        mu = np.exp(eta)
        variance_terms = (self.y + 1 / alpha) * np.log1p(alpha * mu) if alpha else mu
        return float((self.y * eta - variance_terms).sum() + self.above @ np.log1p(alpha * self.j)) + self.constant

    def _eta(self, beta: FloatArray) -> FloatArray:
        """Return the logarithms of the means; a profile far from the estimate asks for some beyond all numbers."""
        return np.clip(self.q @ beta + self.offset, -FAR, FAR)

    def _in_dispersion(self, mu: FloatArray, alpha: float) -> tuple[float, float]:
        """Return the first derivative of the log-likelihood in α and minus the second, the means held."""
        y, z = self.y, alpha * mu
        if not alpha:
            first_derivative = float(self.above @ self.j) + float((mu**2 / 2 - y * mu).sum())
            return first_derivative, float(self.above @ self.j**2) + float((2 * mu**3 / 3 - y * mu**2).sum())
        # For small αμ the closed forms lose their digits: the series is used there.
        powers = np.arange(2, 10)
        terms = (-np.minimum(z, SMALL)[:, None]) ** powers * (powers - 1)
        log_remainder = np.where(z < SMALL, (terms / powers).sum(axis=1), np.log1p(z) - z / (1 + z))
        second_remainder = np.where(
            z < SMALL, (terms * (1 - 2 / powers)).sum(axis=1), (z / (1 + z)) ** 2 - 2 * log_remainder
        )
        harmonic = self.j / (1 + alpha * self.j)
        first_derivative = float(self.above @ harmonic) + float((log_remainder / alpha**2 - y * mu / (1 + z)).sum())
        second_derivative = -float(self.above @ harmonic**2) + float(
            (second_remainder / alpha**3 + y * (mu / (1 + z)) ** 2).sum()
        )
        return first_derivative, -second_derivative
