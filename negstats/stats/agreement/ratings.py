"""What measures of agreement take, one row a unit or a rating, and their intervals where units lie in clusters.

Coders who misread one message of a talk tend to misread the next, so that messages say less than their number. Whole
clusters are left out in turn, on the scale of −log(1 − estimate), which has no end at 1, with Student's t of one degree
of freedom less than there are clusters. Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Interval
from negstats.stats.summaries.coerce import as_frame
from negstats.stats.summaries.frames import IntArray, level_codes, level_order


def wide(data: Any, raters: str | Sequence[str], unit: str | None, value: str | None) -> pd.DataFrame:
    """Return ratings with one row a unit and one column a rater.

    Parameters
    ----------
    raters
        The raters' columns; or, of a frame with one row a rating, the column that names the rater.
    unit, value
        Then the columns of the unit that was rated and of the rating.

    Raises
    ------
    DesignError
        If columns are not there, there is one rater, or a rater rated a unit twice.
    """
    if unit is None and value is None:
        if isinstance(raters, str) or len(raters) < 2:
            raise DesignError(f"raters is {shown(raters)}; name two columns or more, or give unit= and value= as well")
        return as_frame(data, list(raters), "raters")
    if unit is None or value is None or not isinstance(raters, str):
        raise DesignError("with one row per rating, raters, unit and value name one column each; give all three")
    frame = as_frame(data, [unit, raters, value], "raters, unit and value").dropna()
    # With one row a rating, a unit and rater have one cell of the table.
    is_repeated = frame.duplicated([unit, raters])
    if is_repeated.any():
        row = frame[is_repeated].iloc[0]
        raise DesignError(
            f"{shown(_own(row[raters]))} rated {unit} {shown(_own(row[unit]))} twice; keep one rating of each"
        )
    table = frame.set_index([unit, raters])[value].unstack(raters)  # noqa: PD010 - ratings are not numbers to pool
    if table.shape[1] < 2:
        raise DesignError(f"{raters!r} has one rater; agreement takes two or more")
    return table.set_axis([str(name) for name in table.columns], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings as codes: shape ``(units, raters)``, −1 where a rater did not rate; and what the codes stand for."""

    codes: IntArray
    values: tuple[Any, ...]
    raters: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The values as text."""
        return tuple(map(str, self.values))

    @classmethod
    def of(
        cls,
        data: Any,
        raters: str | Sequence[str],
        unit: str | None,
        value: str | None,
        categories: Sequence[Any] | None,
    ) -> Ratings:
        """Code the ratings of a frame; `categories` give the values' order, and those that nobody used.

        Raises
        ------
        DesignError
            If a rating is not among the categories.
        NotEstimable
            If there is no rating.
        """
        table = wide(data, raters, unit, value)
        codes_by_rater = [_code_ratings(table[name]) for name in table.columns]
        if categories is None:
            categories = _select_found(table, [distinct for _, distinct in codes_by_rater])
        if len(set(categories)) < len(categories):
            raise DesignError(f"categories has a category twice: {shown(list(categories))}")
        code_of = {value_name: code for code, value_name in enumerate(categories)}
        codes = np.empty(table.shape, dtype=np.intp)
        for column, (name, (rater_codes, distinct)) in enumerate(zip(table.columns, codes_by_rater, strict=True)):
            for category in distinct:
                if category not in code_of:
                    raise DesignError(
                        f"{name!r} rated {shown(_own(category))}; {meant(category, code_of, 'the categories are')}"
                    )
            codes[:, column] = np.array([*(code_of[category] for category in distinct), -1])[rater_codes]
        if codes.max(initial=-1) < 0:
            raise NotEstimable("there is no rating")
        return cls(codes, tuple(categories), tuple(map(str, table.columns)))


def _code_ratings(column: pd.Series) -> tuple[IntArray, npt.NDArray[Any]]:
    """Return the code of each rating, −1 where it is missing, and what the codes stand for."""
    codes, distinct = pd.factorize(column.to_numpy(dtype=object))
    return codes, np.asarray(distinct)


def _own(value: Any) -> Any:
    """Return numpy's numbers as Python's, which is how people write them."""
    return value.item() if isinstance(value, np.generic) else value


def _select_found(table: pd.DataFrame, distinct: Sequence[npt.NDArray[Any]]) -> list[Any]:
    """Return the values that occur, of the distinct ones of columns: in a categorical's order, else the natural one."""
    first_column = table.iloc[:, 0]
    if isinstance(first_column.dtype, pd.CategoricalDtype):
        return level_codes(first_column)[1]
    return level_order(list(dict.fromkeys(_own(value) for column in distinct for value in column)))


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
        interval = t_interval(-np.log1p(-self.estimate), se, clusters - 1, confidence_level)
        low, high = (float(-np.expm1(-np.asarray(bound))) for bound in (interval.low, interval.high))
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
    min_ratings = 2 if measure == "alpha" else codes.shape[1]
    rated = (codes >= 0).sum(axis=1) >= min_ratings
    _, cluster_codes = np.unique(clusters[rated], return_inverse=True)
    n_clusters, categories = int(cluster_codes.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    if n_clusters < 2:
        raise NotEstimable("there is only one cluster; the interval needs two or more")
    # One table of pairs a cluster: leaving a cluster out is then a subtraction from the total.
    tables = np.zeros((n_clusters, categories, categories))
    np.add.at(tables, cluster_codes, _pair(codes[rated], categories, ordered=measure == "cohen"))
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
    category_indices = np.arange(categories)
    pairs[:, category_indices, category_indices] -= counts
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
