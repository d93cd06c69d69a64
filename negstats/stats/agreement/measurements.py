"""Agreement of raters or methods that give numbers: intraclass correlations, and limits of agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.agreement.ratings import wide
from negstats.stats.models.mixed import mixed
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile, t_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_share, check_single, count
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Moments
from negstats.stats.summaries.coerce import as_frame, moments_of
from negstats.stats.summaries.frames import numbers

Form = Literal["1", "A,1", "C,1", "1,k", "A,k", "C,k"]
FORMS = ("1", "A,1", "C,1", "1,k", "A,k", "C,k")


@dataclass(frozen=True, slots=True)
class _Squares:
    """Mean squares of targets by raters: between targets, between raters, residual, and within targets."""

    n: FloatArray
    k: int
    targets: FloatArray
    raters: FloatArray
    residual: FloatArray
    within: FloatArray

    @classmethod
    def of(cls, moments: Moments) -> _Squares:
        n, covariance = moments.n, moments.covariance
        k = covariance.shape[-1]
        total, trace = covariance.sum(axis=(-2, -1)), np.einsum("...ii->...", covariance)
        origin = np.broadcast_to(np.asarray(moments.origin, dtype=np.float64), (k,))
        # The squares of the raters from their means, those of the
        # residual from the variance that targets leave.
        means = moments.offset + (origin - origin[0])
        ss_raters = n * ((means - means.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
        residual = np.maximum((n - 1) * (trace - total / k), 0.0)
        return cls(
            n, k, total / k, ss_raters / (k - 1), residual / ((n - 1) * (k - 1)), (ss_raters + residual) / (n * (k - 1))
        )  # fmt: skip

    def estimate(self, form: Form) -> FloatArray:
        """Return one form (McGraw and Wong, 1996, table 4)."""
        numerator = self.targets - (self.within if form[0] == "1" else self.residual)
        if form in ("1", "C,1"):
            denominator = self.targets + (self.k - 1) * (self.within if form == "1" else self.residual)
        elif form == "A,1":
            denominator = self.targets + (self.k - 1) * self.residual + self.k * (self.raters - self.residual) / self.n
        elif form == "A,k":
            denominator = self.targets + (self.raters - self.residual) / self.n
        else:
            denominator = self.targets
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(numerator / denominator)

    def test(self, form: Form) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return F of no agreement and its degrees of freedom."""
        error = self.within if form[0] == "1" else self.residual
        df2 = self.n * (self.k - 1) if form[0] == "1" else (self.n - 1) * (self.k - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.targets / error), self.n - 1, df2

    def ends(self, form: Form, confidence_level: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the interval (McGraw and Wong, 1996, table 7)."""
        tail, k = (1 - confidence_level) / 2, self.k
        if form[0] == "A":
            low, high = self._absolute(tail)
            if form == "A,k":
                low, high = (k * bound / (1 + (k - 1) * bound) for bound in (low, high))
            return low, high
        f, df1, df2 = self.test(form)
        f_low, f_high = f / special.fdtri(df1, df2, 1 - tail), f * special.fdtri(df2, df1, 1 - tail)
        if form.endswith("k"):
            return np.asarray(1 - 1 / f_low), np.asarray(1 - 1 / f_high)
        return np.asarray((f_low - 1) / (f_low + k - 1)), np.asarray((f_high - 1) / (f_high + k - 1))

    def _absolute(self, tail: float) -> tuple[FloatArray, FloatArray]:
        n, k, rho = self.n, self.k, self.estimate("A,1")
        a = k * rho / (n * (1 - rho))
        b = 1 + k * rho * (n - 1) / (n * (1 - rho))
        # Satterthwaite's df of the weighted sum of the raters' and the residual mean square.
        square_terms = (a * self.raters) ** 2 / (k - 1) + (b * self.residual) ** 2 / ((n - 1) * (k - 1))
        df_satterthwaite = (a * self.raters + b * self.residual) ** 2 / square_terms
        low, high = special.fdtri(n - 1, df_satterthwaite, 1 - tail), special.fdtri(df_satterthwaite, n - 1, 1 - tail)
        error_squares = k * self.raters + (k * n - k - n) * self.residual
        return (
            np.asarray(n * (self.targets - low * self.residual) / (low * error_squares + n * self.targets)),
            np.asarray(n * (high * self.targets - self.residual) / (error_squares + n * high * self.targets)),
        )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ICC(Result):
    """An intraclass correlation: the share of variance that lies between the targets.

    Attributes
    ----------
    form : str
        "1": each target has raters of its own; "A,1": agreement of the same raters, whose levels count; "C,1":
        consistency, whose levels do not; "1,k", "A,k", "C,k": of the mean of the k raters.
    estimate : float
        Negative where targets differ less than raters of one target do.
    statistic, df1, df2, p : float
        F that targets do not differ.
    n, raters : int
        Targets and raters.
    missing : int
        Targets that were left out because a rating was missing.
    """

    form: Form
    estimate: Number
    statistic: Number
    df1: Number
    df2: Number
    p: Number
    n: Number
    raters: int
    missing: int
    squares: _Squares = field(repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval from F, exact for "1" and "C", Satterthwaite's for "A".

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends; the coefficient is at most 1.
        """
        with np.errstate(divide="ignore", invalid="ignore"):  # raters who agree in all have no interval
            low, high = self.squares.ends(self.form, check_level(confidence_level))
        return Interval(plain(low), plain(high), confidence_level, "F")

    def forms(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return all six forms with their tests and intervals, one row a form.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            The name of the form, the coefficient, F, its degrees of freedom, p, and the ends of the interval.
        """
        check_single(self.estimate, "forms()")
        rows = []
        for form in FORMS:
            coefficient = _form(self.squares, cast("Form", form), self.missing)
            interval = coefficient.confidence_interval(confidence_level)
            rows.append(
                (
                    form,
                    coefficient.estimate,
                    interval.low,
                    interval.high,
                    coefficient.statistic,
                    coefficient.df1,
                    coefficient.df2,
                    coefficient.p,
                )
            )
        return pd.DataFrame(rows, columns=["form", "estimate", "low", "high", "statistic", "df1", "df2", "p"])

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``ICC(A,1) = .29, 95% CI [.02, .76], F(5, 15) = 11.03, p < .001``.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The coefficient of this form with its interval and test.
        """
        check_single(self.estimate, "apa()")
        interval = self.confidence_interval(confidence_level)
        value, bounds = apa.bounded_apart(self.estimate, interval.low, interval.high, confidence_level)
        test_text = apa.statistic("F", self.statistic, (self.df1, self.df2), self.p)
        return f"ICC({self.form}) = {value}, {bounds}, {test_text}"


def icc(
    data: Any,
    raters: str | Sequence[str],
    form: Form = "A,1",
    *,
    unit: str | None = None,
    value: str | None = None,
) -> ICC:
    """Measure how far raters agree on numbers (Shrout and Fleiss, 1979; McGraw and Wong, 1996).

    Parameters
    ----------
    data
        A frame with one row a target; one row a rating (then with `unit` and `value`); or `Moments` of the raters.
    raters
        The raters' columns; of one row a rating, the column of the rater.
    form
        "1", "A,1", "C,1" of a single rater, "1,k", "A,k", "C,k" of the mean of all; see `ICC`. In the names of Shrout
        and Fleiss (and psych) these are ICC1, ICC2, ICC3, ICC1k, ICC2k, ICC3k.
    unit, value
        Columns of one row a rating.

    Returns
    -------
    ICC
        The coefficient of the form that was chosen, its F test and the mean squares; `forms` lists the other forms.

    Raises
    ------
    DesignError
        If there is one rater, or columns are not numbers.
    NotEstimable
        If there are fewer than two targets, or all ratings are equal.

    Notes
    -----
    McGraw and Wong (1996, tables 4 and 7). All from the raters' means and covariances.

    References
    ----------
    - McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass correlation coefficients.
      Psychological Methods, 1, 30–46.
    - Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: Uses in assessing rater reliability. Psychological
      Bulletin, 86, 420–428.

    Examples
    --------
    >>> judges = {"a": [9, 6, 8, 7, 10, 6], "b": [2, 1, 4, 1, 5, 2], "c": [5, 3, 6, 2, 6, 4], "d": [8, 2, 8, 6, 9, 7]}
    >>> icc(judges, list("abcd")).apa()
    'ICC(A,1) = .29, 95% CI [.02, .76], F(5, 15) = 11.03, p < .001'
    """
    check_choice("form", form, FORMS)
    if isinstance(data, Moments):
        moments = moments_of(data, list(raters), "raters")
    else:
        table = wide(data, raters, unit, value)
        moments = moments_of(table, [str(name) for name in table.columns], "raters")
    if len(moments.variables) < 2:
        raise DesignError(f"there is one rater, {moments.variables.levels[0]!r}; agreement takes two or more")
    if moments.n.ndim == 0:
        if moments.n < 2:
            raise NotEstimable(f"{int(moments.n)} target was rated by all; there must be two or more")
        if not np.einsum("ii->", moments.covariance) > 0:
            raise NotEstimable("every rater gave all targets the same rating; targets do not vary")
    return _form(_Squares.of(moments), form, moments.missing)


def _form(squares: _Squares, form: Form, missing: int) -> ICC:
    f, df1, df2 = squares.test(form)
    return ICC(
        form=form,
        estimate=plain(squares.estimate(form)),
        statistic=plain(f),
        df1=plain(df1),
        df2=plain(df2),
        p=plain(special.fdtrc(df1, df2, f)),
        n=count(squares.n),
        raters=squares.k,
        missing=missing,
        squares=squares,
    )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class BlandAltman(Result):
    """The bias and the limits of agreement of two measures.

    Attributes
    ----------
    first, second : str
        The measures.
    bias, sd : float
        Mean difference, first minus second, and the SD of one difference (between clusters and within them).
    se : float
        Of the bias.
    df : float
        Of the bias' t.
    low, high : float
        The limits.
    share : float
        How many differences they are to hold.
    n, clusters, missing : int
        Pairs of measures, clusters (0 without any), and rows that lacked one.
    mean, difference : ndarray, shape (n,)
        Of each pair, for the figure.
    """

    first: str
    second: str
    bias: float
    sd: float
    se: float
    df: float
    low: float
    high: float
    share: float
    n: int
    clusters: int
    missing: int
    mean: FloatArray = field(repr=False)
    difference: FloatArray = field(repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the t interval of the bias.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the measurements.
        """
        return t_interval(self.bias, self.se, self.df, confidence_level)

    @property
    def limit_se(self) -> float:
        """Standard error of a limit; NotEstimable with clusters, where no simple one holds."""
        if self.clusters:
            raise NotEstimable("limits of clustered differences have no simple standard error; resample clusters")
        quantile_width = (self.high - self.low) / (2 * self.sd)
        return self.sd * float(np.sqrt(1 / self.n + quantile_width**2 / (2 * (self.n - 1))))

    def limit_intervals(self, confidence_level: float = 0.95) -> tuple[Interval, Interval]:
        """Return the intervals of the lower and the upper limit (Bland and Altman, 1999).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        tuple[Interval, Interval]
            First that of the lower limit, then that of the upper, in units of the measurements.

        References
        ----------
        Bland, J. M., & Altman, D. G. (1999). Measuring agreement in method comparison studies. Statistical Methods in
        Medical Research, 8, 135–160.
        """
        low, high = (t_interval(limit, self.limit_se, self.df, confidence_level) for limit in (self.low, self.high))
        return low, high

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``bias 1.00, 95% CI [...]; 95% limits of agreement [−2.28, 4.28]``.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The bias with its interval, and the limits of agreement.
        """
        limits = f"[{apa.number(self.low)}, {apa.number(self.high)}]"
        bias = f"bias {apa.number(self.bias)}, {self.confidence_interval(confidence_level)}"
        return f"{bias}; {100 * self.share:g}% limits of agreement {limits}"


def _bias_of_clusters(difference: FloatArray, cluster: pd.Series) -> tuple[float, float, float, float, int]:
    """Return the bias, its error and df by a mixed model, the SD of a single difference, and how many clusters.

    In clusters a single difference varies between and within them.
    """
    model = mixed(pd.DataFrame({"cluster": cluster, "difference": difference}), "difference ~ 1", cluster="cluster")
    bias = model.contrast({"Intercept": 1.0})
    sd = float(np.sqrt(np.asarray(model.tau2) + np.asarray(model.sigma2)))
    return float(bias.estimate), float(bias.se), float(bias.df), sd, int(model.clusters)


def bland_altman(data: Any, first: str, second: str, *, cluster: str | None = None, share: float = 0.95) -> BlandAltman:
    """Estimate the limits between which most differences of two measures of the same lie (Bland and Altman, 1986).

    Parameters
    ----------
    data
        A frame of any engine, or arrays by name, with one row a pair of measures.
    first, second
        The two measures.
    cluster
        The column of what was measured several times (dyad, person): the SD then adds variance between and within
        clusters, from a random intercept.
    share
        How many differences the limits are to hold, if these are normal.

    Returns
    -------
    BlandAltman
        The bias, the SD of the differences and both limits; `confidence_interval` is that of the bias.

    Raises
    ------
    DesignError
        If a column is wrong.
    NotEstimable
        If there are fewer than two pairs, or all differences are equal.

    Notes
    -----
    d̄ ± 1.96 s (Bland and Altman, 1999; for several measures of each, 2007).

    References
    ----------
    - Bland, J. M., & Altman, D. G. (1986). Statistical methods for assessing agreement between two methods of clinical
      measurement. The Lancet, 327, 307–310.
    - Bland, J. M., & Altman, D. G. (1999). Measuring agreement in method comparison studies. Statistical Methods in
      Medical Research, 8, 135–160.
    - Bland, J. M., & Altman, D. G. (2007). Agreement between methods of measurement with multiple observations per
      individual. Journal of Biopharmaceutical Statistics, 17, 571–582.

    Examples
    --------
    >>> judges = {"one": [9, 6, 8, 7, 10, 6], "four": [8, 2, 8, 6, 9, 7]}
    >>> bland_altman(judges, "one", "four").apa()
    'bias 1.00, 95% CI [−0.76, 2.76]; 95% limits of agreement [−2.28, 4.28]'
    """
    extra = [] if cluster is None else [cluster]
    frame = as_frame(data, [first, second, *extra], "first, second and cluster")
    y = np.stack([numbers(frame[name], name) for name in (first, second)], axis=-1)
    is_complete = ~np.isnan(y).any(axis=1) & frame[extra].notna().all(axis=1).to_numpy()
    difference, mean = y[is_complete, 0] - y[is_complete, 1], y[is_complete].mean(axis=1)
    n = len(difference)
    if n < 2:
        raise NotEstimable(f"{n} rows have both {first!r} and {second!r}; limits need two or more")
    if not np.ptp(difference) > 0:
        raise NotEstimable(
            f"{first!r} and {second!r} differ by {difference[0]:g} in every row; limits need some variation"
        )
    # The limits are the bias and so many SDs of a single difference about it.
    quantile_width = float(quantile(check_share("share", share, 0.95)))
    clusters = 0
    if cluster is None:
        bias, sd = float(difference.mean()), float(difference.std(ddof=1))
        se, df = sd / float(np.sqrt(n)), float(n - 1)
    else:
        bias, se, df, sd, clusters = _bias_of_clusters(difference, frame.loc[is_complete, cluster])
    return BlandAltman(
        first=first,
        second=second,
        bias=bias,
        sd=sd,
        se=se,
        df=df,
        low=bias - quantile_width * sd,
        high=bias + quantile_width * sd,
        share=share,
        n=n,
        clusters=clusters,
        missing=int((~is_complete).sum()),
        mean=mean,
        difference=difference,
    )
