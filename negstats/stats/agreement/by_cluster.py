"""Intervals of agreement where units lie in clusters, such as messages in talks: the jackknife over whole clusters.

Coders who misread one message of a talk tend to misread the next, so that messages say less than their number. Whole
clusters are left out in turn, on the scale of −log(1 − estimate), which has no end at 1, with Student's t of one degree
of freedom less than there are clusters. Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 11.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Interval

Measure = Literal["cohen", "fleiss", "alpha"]
MEASURES = ("cohen", "fleiss", "alpha")


@dataclass(frozen=True, slots=True)
class ClusterJackknife:
    """A measure of agreement with its value without each cluster.

    Attributes
    ----------
    estimate : float
    without : ndarray, shape (clusters,)
        The measure without each cluster in turn.
    """

    estimate: float
    without: FloatArray = field(repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval, from the jackknife on the scale of −log(1 − estimate).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, below 1.
        """
        clusters = len(self.without)
        values = -np.log1p(-self.without)
        se = float(np.sqrt((clusters - 1) / clusters * ((values - values.mean()) ** 2).sum()))
        ends = t_interval(-np.log1p(-self.estimate), se, clusters - 1, confidence_level)
        low, high = (float(-np.expm1(-np.asarray(end))) for end in (ends.low, ends.high))
        return Interval(low, high, confidence_level, "jackknife over clusters")


def cluster_jackknife(
    codes: npt.NDArray[np.signedinteger[Any]], clusters: npt.NDArray[np.signedinteger[Any]], measure: Measure
) -> ClusterJackknife:
    """Measure agreement without each cluster in turn.

    Parameters
    ----------
    codes
        The category of each unit and rater, (units, raters), from 0; −1 where a rater did not rate.
    clusters
        The cluster of each unit, from 0; each number up to the largest occurs.
    measure
        "cohen": kappa of two raters, over the units that both rated. "fleiss": kappa of several, over the units that
        all rated. "alpha": Krippendorff's of categories without order, over the units that two or more rated.

    Returns
    -------
    ClusterJackknife
        The estimate of all clusters, and without each.

    Raises
    ------
    DesignError
        If Cohen's kappa is asked of more than two raters.
    NotEstimable
        If there are fewer than two clusters, or raters differ in fewer than two.

    Examples
    --------
    >>> codes = np.array([[0, 0], [1, 1], [0, 1], [1, 1], [0, 0], [1, 0], [1, 1], [0, 0]])
    >>> jackknife = cluster_jackknife(codes, np.array([0, 0, 0, 1, 1, 1, 2, 2]), "cohen")
    >>> jackknife.estimate, jackknife.without.round(2).tolist()
    (0.5, [0.62, 0.62, 0.33])
    """
    check_choice("measure", measure, MEASURES)
    if measure == "cohen" and codes.shape[1] != 2:
        raise DesignError(f"there are {codes.shape[1]} raters; Cohen's kappa needs two, Fleiss' kappa takes several")
    least = 2 if measure == "alpha" else codes.shape[1]
    rated = (codes >= 0).sum(axis=1) >= least
    _, places = np.unique(clusters[rated], return_inverse=True)
    n_clusters, categories = int(places.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    if n_clusters < 2:
        raise NotEstimable("there is only one cluster; the interval needs two or more")
    tables = np.zeros((n_clusters, categories, categories))
    np.add.at(tables, places, _pair(codes[rated], categories, ordered=measure == "cohen"))
    total = tables.sum(axis=0)
    if np.count_nonzero(tables.sum(axis=(1, 2)) - np.trace(tables, axis1=1, axis2=2) > 0) < 2:
        raise NotEstimable("raters differ in fewer than two clusters, which is too little for an interval over them")
    estimates = _agree(np.concatenate([total[None], total - tables]), measure)  # each of raters who differ somewhere
    return ClusterJackknife(float(estimates[0]), estimates[1:])


def _pair(codes: npt.NDArray[np.signedinteger[Any]], categories: int, *, ordered: bool) -> FloatArray:
    """Return the table of each unit: the first rater's category by the second's, or all pairs of two raters."""
    chosen = (codes[:, :, None] == np.arange(categories)).astype(np.float64)
    if ordered:
        return np.asarray(chosen[:, 0, :, None] * chosen[:, 1, None, :])
    counts = chosen.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    every = np.arange(categories)
    pairs[:, every, every] -= counts
    return np.asarray(pairs / (counts.sum(axis=1) - 1)[:, None, None])


def _agree(tables: FloatArray, measure: Measure) -> FloatArray:
    """Return the measure of each table, none of which has all its pairs in one category."""
    n = tables.sum(axis=(1, 2))
    observed = np.trace(tables, axis1=1, axis2=2) / n
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    if measure == "alpha":
        expected = (rows * (rows - 1)).sum(axis=1) / (n * (n - 1))
    else:
        expected = (rows * columns).sum(axis=1) / n**2
    return np.asarray((observed - expected) / (1 - expected))
