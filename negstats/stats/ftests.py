"""One F test: its sums of squares, degrees of freedom and p, and partial eta squared with its interval.

The analyses of variance, simple effects and repeated measures all return their terms as `FTest`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special, stats
from scipy.optimize import elementwise

from negstats.errors import DesignError
from negstats.stats._result import FloatArray, Interval, Number, Result, check_level, plain
from negstats.stats.apa import bounded, statistic

__all__ = ["FTest", "PartialEtaSquared", "f_ratio"]


def f_ratio(
    ss: FloatArray, df: FloatArray, ss_error: FloatArray, df_error: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return F and its p; NaN where a term has no degrees of freedom."""
    with np.errstate(divide="ignore", invalid="ignore"):
        f = (ss / df) / (ss_error / df_error)
    return f, np.asarray(special.fdtrc(df, df_error, f))


@dataclass(frozen=True, slots=True)
class PartialEtaSquared(Result):
    """Partial eta squared of a term: its share of the variance that is not due to the other terms.

    Attributes
    ----------
    value : float
        SS / (SS + SS error), the same as F df / (F df + df error).
    f, df, df_error : float
        The test that it belongs to.
    """

    value: Number
    f: Number
    df: Number
    df_error: Number

    def confidence_interval(self, level: float = 0.90) -> Interval:
        """Return the interval from the noncentral F distribution.

        The noncentralities λ under which the observed F cuts off (1 − level) / 2 on either side become λ / (λ + df
        error), as in R's effectsize (``F_to_eta2(..., alternative = "two.sided")``, whose default is another: a
        one-sided interval of 95 % with the same lower end as the two-sided one of 90 %). 90 % is the level that
        excludes 0 exactly when p < .05 (Steiger, 2004, Psychological Methods 9, p. 170).
        """
        outside = (1 - check_level(level)) / 2
        f, df, df_error = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (self.f, self.df, self.df_error)))
        ends = [_noncentrality(f, df, df_error, area) for area in (1 - outside, outside)]
        low, high = (plain(end / (end + df_error)) for end in ends)
        return Interval(low, high, level, "noncentral F")

    def apa(self, level: float = 0.90) -> str:
        """Return ``ηp² = .04, 90% CI [.00, .16]``."""
        interval = self.confidence_interval(level)
        return f"ηp² = {bounded(self.value)}, {100 * level:g}% CI [{bounded(interval.low)}, {bounded(interval.high)}]"


def _noncentrality(f: FloatArray, df: FloatArray, df_error: FloatArray, area: float) -> FloatArray:
    """Solve ``P(F <= f | λ) = area`` for λ, element by element; 0 where even λ = 0 leaves less than `area`."""
    found = np.where(np.isfinite(f) & (df > 0), 0.0, np.nan)
    todo = special.fdtr(df, df_error, f) > area
    if todo.any():
        args = f[todo], df[todo], df_error[todo]

        def distance(nc: FloatArray, f: FloatArray, df: FloatArray, df_error: FloatArray) -> FloatArray:
            return np.asarray(stats.ncf.cdf(f, df, df_error, nc) - area)

        start = np.zeros_like(args[0])
        bracket = elementwise.bracket_root(distance, start, args[0] * args[1] + 1.0, xmin=0.0, args=args).bracket
        found[todo] = elementwise.find_root(distance, bracket, args=args).x
    return found


@dataclass(frozen=True, slots=True)
class FTest(Result):
    """The F test of one term.

    Attributes
    ----------
    term : str
        The term: a factor, or factors joined by a colon.
    f, df, df_error, p : float
        The statistic, its two degrees of freedom, and its p.
    ss, ss_error : float
        Sums of squares of the term and of its error, in the square of the outcome's unit.

    Examples
    --------
    >>> print(FTest("fcategory", f=0.85888, df=2, df_error=39, p=0.43149, ss=36.02, ss_error=817.76).apa())
    F(2, 39) = 0.86, p = .431, ηp² = .04, 90% CI [.00, .16]
    """

    term: str
    f: Number
    df: Number
    df_error: Number
    p: Number
    ss: Number
    ss_error: Number

    @property
    def partial_eta_squared(self) -> PartialEtaSquared:
        """Partial eta squared and, as its method, the interval."""
        return PartialEtaSquared(plain(self.ss / (self.ss + self.ss_error)), self.f, self.df, self.df_error)

    def apa(self, level: float = 0.90) -> str:
        """Return F, its degrees of freedom, p, and partial eta squared with an interval of the given level."""
        if np.ndim(self.f):
            raise DesignError(f"apa() prints one study; this test holds {np.size(self.f)}, use to_frame()")
        test = statistic("F", self.f, (self.df, self.df_error), self.p)
        return f"{test}, {self.partial_eta_squared.apa(level)}"
