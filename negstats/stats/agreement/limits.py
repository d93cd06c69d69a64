"""Limits of agreement of two ways to measure the same (Bland and Altman), also with several differences a cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from negstats.errors import NotEstimable
from negstats.stats.models.mixed import mixed
from negstats.stats.relations._data import as_frame
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile, t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_share
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries.frames import numbers


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
        reach = (self.high - self.low) / (2 * self.sd)
        return self.sd * float(np.sqrt(1 / self.n + reach**2 / (2 * (self.n - 1))))

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
    whole = ~np.isnan(y).any(axis=1) & frame[extra].notna().all(axis=1).to_numpy()
    d, mean = y[whole, 0] - y[whole, 1], y[whole].mean(axis=1)
    n = len(d)
    if n < 2:
        raise NotEstimable(f"{n} rows have both {first!r} and {second!r}; limits need two or more")
    if not np.ptp(d) > 0:
        raise NotEstimable(f"{first!r} and {second!r} differ by {d[0]:g} in every row; limits need some variation")
    reach = float(quantile(check_share("share", share, 0.95)))
    clusters = 0
    if cluster is None:
        bias, sd = float(d.mean()), float(d.std(ddof=1))
        se, df = sd / float(np.sqrt(n)), float(n - 1)
    else:
        model = mixed(frame.loc[whole, [cluster]].assign(difference=d), "difference ~ 1", cluster=cluster)
        one = model.contrast({"Intercept": 1.0})
        bias, se, df = float(one.estimate), float(one.se), float(one.df)
        sd, clusters = float(np.sqrt(np.asarray(model.tau2) + np.asarray(model.sigma2))), int(model.clusters)
    return BlandAltman(
        first=first,
        second=second,
        bias=bias,
        sd=sd,
        se=se,
        df=df,
        low=bias - reach * sd,
        high=bias + reach * sd,
        share=share,
        n=n,
        clusters=clusters,
        missing=int((~whole).sum()),
        mean=mean,
        difference=d,
    )
