"""Correlation of two measures over rows that belong together: with clusters, and inside people seen several times."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from negstats.errors import NotEstimable
from negstats.stats.relations.correlation import Correlation, from_r
from negstats.stats.results import apa
from negstats.stats.results.intervals import percentile_interval, t_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import ALTERNATIVES, Alternative, check_choice, check_count, check_rng, t_tails
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries.coerce import complete_in_clusters, ranks_of
from negstats.stats.summaries.frames import IntArray
from negstats.stats.summaries.rows import multinomials

Kind = Literal["pearson", "spearman"]
SYMBOLS = {"pearson": "r", "spearman": "ρ"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClusteredCorrelation(Result):
    """A correlation over rows of clusters.

    Attributes
    ----------
    r : float
    se : float
        Standard error of Fisher's z, by leaving out one cluster at a time.
    statistic, df, p : float
        Fisher's z over its standard error, clusters − 1, and the two-sided p of t.
    between, within : float
        Of the clusters' means (each cluster once), and of rows about them (NaN if no cluster has two rows that differ).
    n, clusters, missing : int
        Complete rows, clusters, and rows left out.
    method : str
        "pearson" or "spearman".
    names : tuple of str
    cluster : str
        What rows belong to.
    """

    r: float
    se: float
    statistic: float
    df: float
    p: float
    between: float
    within: float
    n: int
    clusters: int
    missing: int
    method: Kind
    names: tuple[str, str]
    cluster: str
    drawn: FloatArray | None = field(repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval: percentiles of redrawn clusters if `rng` was given, else the jackknife's t on z.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, between −1 and 1.
        """
        if self.drawn is not None:
            return percentile_interval(self.drawn, confidence_level, "percentile bootstrap of clusters")
        interval = t_interval(np.arctanh(self.r), self.se, self.df, confidence_level)
        return Interval(
            float(np.tanh(interval.low)), float(np.tanh(interval.high)), confidence_level, "jackknife of clusters"
        )

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return r, p by cluster, and the interval.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The coefficient as a results section prints it.
        """
        interval = self.confidence_interval(confidence_level)
        value, bounds = apa.bounded_apart(self.r, interval.low, interval.high, confidence_level)
        sample_text = f"{self.n} rows of {self.clusters} {self.cluster}"
        return f"{SYMBOLS[self.method]} = {value}, {apa.p_value(self.p)}, {bounds} ({sample_text})"


def _jackknife(sums: FloatArray, r: float) -> tuple[float, float]:
    """Return a correlation as Fisher's z, and its standard error by leaving out each cluster in turn."""
    clusters = len(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        z_without_cluster = np.arctanh(np.clip(_correlations(sums.sum(axis=0) - sums), -1, 1))
        z = float(np.arctanh(np.clip(r, -1, 1)))
    if not (np.isfinite(z_without_cluster).all() and np.isfinite(z)):
        raise NotEstimable(
            "the correlation is ±1 or not defined without one of the clusters; there is no interval by clusters"
        )
    return z, float(np.sqrt((clusters - 1) / clusters * ((z_without_cluster - z_without_cluster.mean()) ** 2).sum()))


def clustered_correlation(
    data: Any,
    x: str,
    y: str,
    *,
    cluster: str,
    method: Kind = "pearson",
    rng: np.random.Generator | None = None,
    n_resamples: int = 9999,
) -> ClusteredCorrelation:
    """Correlate two measures over rows, such as seats, that are not independent inside a cluster, such as a game.

    Parameters
    ----------
    data
        A frame of any engine with one row a seat, or arrays by name.
    x, y, cluster
        The two measures, and the column that says what belongs together.
    method
        "pearson", or "spearman" (midranks over all rows).
    rng, n_resamples
        With a generator the interval is the percentile bootstrap of whole clusters; without one it is the jackknife's.

    Returns
    -------
    ClusteredCorrelation
        r with a standard error that takes clusters into account, its test, and r between and within clusters.

    Raises
    ------
    DesignError
        If a column is not there or no number.
    NotEstimable
        If there are fewer than four clusters, or a measure is constant.

    Notes
    -----
    The jackknife leaves out one cluster at a time (Efron, 1982, ch. 3) and works on Fisher's z; t has clusters − 1
    degrees of freedom. With clusters of one row it is the jackknife of independent rows.

    References
    ----------
    Efron, B. (1982). The Jackknife, the Bootstrap and Other Resampling Plans. SIAM.

    Examples
    --------
    >>> rows = {"game": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "asked": [3, 5, 6, 8, 2, 4, 7, 7, 5, 9]}
    >>> rows["gained"] = [4, 4, 7, 6, 3, 3, 6, 9, 4, 8]
    >>> print(clustered_correlation(rows, "asked", "gained", cluster="game").apa())
    r = .82, p = .016, 95% CI [.34, .96] (10 rows of 5 game)
    """
    check_choice("method", method, tuple(SYMBOLS))
    complete_values, cluster_codes, missing = complete_in_clusters(data, [x, y], cluster, "x, y and cluster")
    clusters = int(cluster_codes.max()) + 1
    if clusters < 4:
        raise NotEstimable(f"there are {clusters} of {cluster!r}; an interval that resamples them needs at least 4")
    for name, column in zip((x, y), complete_values.T, strict=True):
        if np.ptp(column) <= ROUNDING * np.abs(column).max():
            raise NotEstimable(f"{name!r} is constant; nothing can be related to a constant")
    if method == "spearman":
        complete_values = ranks_of(complete_values)
    complete_values = complete_values - complete_values.mean(axis=0)
    # Six sums a cluster give the correlation of any set of clusters: resampling needs no rows.
    sums = _sums(complete_values, cluster_codes, clusters)
    r = float(_correlations(sums.sum(axis=0)))
    z, se = _jackknife(sums, r)
    resampled_r = None
    if rng is not None:
        times = multinomials(check_rng(rng), clusters, check_count("n_resamples", n_resamples, 2))
        resampled_r = np.concatenate([_correlations(batch @ sums) for batch in times])
    t = z / se if se > 0 else np.inf * np.sign(z)
    df = float(clusters - 1)
    between, within = _parts(complete_values, cluster_codes, clusters)
    return ClusteredCorrelation(
        r=r,
        se=se,
        statistic=float(t),
        df=df,
        p=float(t_tails(t, df)),
        between=between,
        within=within,
        n=len(complete_values),
        clusters=clusters,
        missing=missing,
        method=method,
        names=(x, y),
        cluster=cluster,
        drawn=resampled_r,
    )


def _sums(values: FloatArray, cluster_codes: IntArray, clusters: int) -> FloatArray:
    """Return n, Σx, Σy, Σx², Σy², Σxy of each cluster, shape (clusters, 6)."""
    x, y = values.T
    columns = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    return np.stack([np.bincount(cluster_codes, column, clusters) for column in columns], axis=-1)


def _correlations(sums: FloatArray) -> FloatArray:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n)))


def _parts(values: FloatArray, cluster_codes: IntArray, clusters: int) -> tuple[float, float]:
    """Return the correlation of the clusters' means, and of rows about them."""
    size = np.bincount(cluster_codes, minlength=clusters)
    means = np.stack([np.bincount(cluster_codes, column, clusters) / size for column in values.T], axis=-1)
    correlations = []
    for values_of_part in (means, values - means[cluster_codes]):
        deviations = values_of_part - values_of_part.mean(axis=0)
        ss = (deviations**2).sum(axis=0)
        is_constant = (ss <= (ROUNDING * np.abs(values).max()) ** 2 * len(values)).any()
        correlations.append(
            np.nan if is_constant else float((deviations[:, 0] * deviations[:, 1]).sum() / np.sqrt(ss.prod()))
        )
    return correlations[0], correlations[1]


def repeated_correlation(
    data: Any, x: str, y: str, *, subject: str, alternative: Alternative = "two-sided"
) -> Correlation:
    """Correlate two measures inside subjects: the common slope of parallel lines, one a subject.

    Parameters
    ----------
    data
        A frame of any engine (or arrays by name) with one row a subject and occasion.
    x, y, subject
        The two measures, and the column of the subjects' ids.
    alternative
        "greater": above 0.

    Returns
    -------
    Correlation
        r inside subjects with its test, as of `correlation`.

    Raises
    ------
    DesignError
        If a column is not there or no number.
    NotEstimable
        If no subject has two rows, or a measure does not vary inside any.

    Notes
    -----
    Bakdash and Marusich (2017): r = S_xy/√(S_xx S_yy) with sums of squares about each subject's own means; N − S − 1
    degrees of freedom for N rows of S subjects; Fisher's interval with n = df + 2.

    References
    ----------
    Bakdash, J. Z., & Marusich, L. R. (2017). Repeated measures correlation. Frontiers in Psychology, 8, 456.

    Examples
    --------
    >>> rows = {"who": [1, 1, 1, 2, 2, 2], "ask": [3, 5, 6, 1, 2, 4], "gain": [9, 8, 5, 4, 4, 1]}
    >>> print(repeated_correlation(rows, "ask", "gain", subject="who").apa())
    r(3) = −.91, p = .031, 95% CI [−.99, −.15] controlling for who
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    values, subject_codes, missing = complete_in_clusters(data, [x, y], subject, "x, y and subject")
    xy = values - values[0]
    size = np.bincount(subject_codes).astype(float)
    means = np.stack([np.bincount(subject_codes, xy[:, column]) / size for column in (0, 1)], axis=-1)
    # Parallel lines: only what differs inside subjects is correlated, with a df less for each of them.
    deviations = xy - means[subject_codes]
    df = len(xy) - len(size) - 1
    if df < 1:
        raise NotEstimable(
            f"{len(xy)} complete rows of {len(size)} subjects leave {max(df, 0)} degrees of freedom; subjects need "
            "several rows each"
        )
    squares = (deviations**2).sum(axis=0)
    for name, ss_within, whole_size in zip((x, y), squares, np.abs(values).max(axis=0), strict=True):
        if np.sqrt(ss_within / len(xy)) <= ROUNDING * whole_size:
            raise NotEstimable(f"{name!r} is constant inside each {subject}; nothing can be correlated within")
    r = float((deviations[:, 0] * deviations[:, 1]).sum() / np.sqrt(squares[0] * squares[1]))
    return from_r(r, (x, y), float(df), len(xy), alternative, missing, (subject,), "within")
