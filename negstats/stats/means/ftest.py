"""One F test: its sums of squares, degrees of freedom and p, and partial eta squared with its interval.

The analyses of variance, simple effects, repeated measures and models all return their terms as `FTest`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import special

from negstats.stats.effects._effect import Effect
from negstats.stats.effects.variance import Kind, variance_explained
from negstats.stats.results.apa import statistic
from negstats.stats.results.numbers import FloatArray, Number
from negstats.stats.results.options import check_single
from negstats.stats.results.result import Result


def f_ratio(
    ss: FloatArray, df: FloatArray, ss_error: FloatArray, df_error: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return F and its p; NaN where a term has no degrees of freedom."""
    f = f_of(ss, df, ss_error, df_error)
    return f, np.asarray(special.fdtrc(df, df_error, f))


def f_of(ss: FloatArray, df: FloatArray, ss_error: FloatArray, df_error: FloatArray) -> FloatArray:
    """Return F alone, for those who may not ask for p."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum((ss / df) / (ss_error / df_error), 0.0)  # rounding can leave a sum of squares just below 0


@dataclass(frozen=True, slots=True, repr=False)
class FTest(Result):
    """The F test of one term.

    Attributes
    ----------
    term : str
        The term: a factor, or factors joined by a colon.
    statistic, df1, df2, p : float
        F, its two degrees of freedom, and its p.
    ss, ss_error : float
        Sums of squares of the term and of its error, in the square of the outcome's unit.
    df_within : float or None
        What stands for the variance inside cells in an effect size, where that is not `df2`: observations less cells,
        of a test whose df2 follows from variances that differ.
    method : str
        Where df2 comes from, where it is not from sums of squares: then `apa` prints no effect size.
    scale : float
        What Kenward and Roger multiply F by (λ); 1 otherwise. F is given with it.

    Examples
    --------
    >>> print(FTest("fcategory", statistic=0.85888, df1=2, df2=39, p=0.43149, ss=36.02, ss_error=817.76).apa())
    F(2, 39) = 0.86, p = .431, ηp² = .04, 90% CI [.00, .16]
    >>> FTest("g", 0.575507, 2, 43.8974, 0.566629, method="kenward-roger", scale=0.99982).apa()
    'F(2, 43.90) = 0.58, p = .567'
    """

    term: str
    statistic: Number
    df1: Number
    df2: Number
    p: Number
    ss: Number = float("nan")
    ss_error: Number = float("nan")
    df_within: Number | None = None
    method: str = ""
    scale: Number = field(default=1.0, repr=False)

    def effect_size(self, kind: Kind = "partial_eta_squared") -> Effect:
        """Return partial eta squared, SS / (SS + SS error), with its interval; NaN for a term without df.

        ``confidence_interval(0.90)`` excludes 0 exactly when p < .05 (Steiger, 2004, p. 170), so `apa` prints that one.
        R's effectsize gives the same two ends with ``alternative = "two.sided"``; its default is one-sided, [the lower
        end at 90 %, 1], and is called 95 %.

        Parameters
        ----------
        kind
            "partial_eta_squared"; or "omega_squared", "epsilon_squared", which are partial too where the design has
            several factors.

        Returns
        -------
        Effect
            The share of variance, from 0 to 1, with its interval from the noncentral F.

        References
        ----------
        Steiger, J. H. (2004). Beyond the F test: Effect size confidence intervals and tests of close fit in the
        analysis of variance and contrast analysis. Psychological Methods, 9, 164–182.
        """
        df1 = np.asarray(self.df1)
        return variance_explained(kind, self.statistic, np.where(df1 > 0, df1, np.nan), self.df2, rest=self.df_within)

    def apa(self, confidence_level: float = 0.90) -> str:
        """Return F, its degrees of freedom, p, and partial eta squared with an interval of the given level.

        A test on infinitely many degrees of freedom is printed as chi-squared, df1 times F.

        Parameters
        ----------
        confidence_level
            Level of the interval of partial eta squared, between 0 and 1.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        check_single(self.statistic, "apa()")
        if np.isinf(self.df2):
            return statistic("χ²", self.df1 * self.statistic, (self.df1,), self.p)
        test = statistic("F", self.statistic, (self.df1, self.df2), self.p)
        return test if self.method else f"{test}, {self.effect_size().apa(confidence_level)}"
