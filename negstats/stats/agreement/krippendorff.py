"""Krippendorff's alpha: agreement of any number of raters, on any kind of value, whatever is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.agreement._ratings import Ratings
from negstats.stats.results import apa
from negstats.stats.results.intervals import percentile_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, check_count, check_rng
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries.resamples import multinomials

Kind = Literal["nominal", "ordinal", "interval", "ratio"]
KINDS = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, slots=True, repr=False)
class KrippendorffAlpha(Result):
    """Agreement: 1 − disagreement observed/disagreement expected by chance.

    Attributes
    ----------
    estimate : float
    level_of_measurement : str
        "nominal", "ordinal", "interval" or "ratio".
    observed, expected : float
        Mean disagreement of two ratings of a unit, and of any two.
    n, units, raters : int
        Ratings and units that can be paired, and raters.
    categories : tuple of str
        The values that occur.
    missing : int
        Units with fewer than two ratings, which were left out.
    """

    estimate: float
    level_of_measurement: Kind
    observed: float
    expected: float
    n: int
    units: int
    raters: int
    categories: tuple[str, ...] = field(repr=False)
    missing: int
    values: FloatArray = field(repr=False, compare=False)
    pairs: FloatArray = field(repr=False, compare=False)

    def confidence_interval(
        self, confidence_level: float = 0.95, *, rng: np.random.Generator | None = None, n_resamples: int = 9999
    ) -> Interval:
        """Return the percentile bootstrap interval, units drawn again.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.
        rng
            Generator of the resamples; without it there is no interval.
        n_resamples
            How many times the units are drawn again.

        Returns
        -------
        Interval
            Its two ends; alpha is at most 1.

        Raises
        ------
        NotEstimable
            If no generator is given, or there are fewer than two units.
        """
        if rng is None:
            raise NotEstimable("the interval of alpha is a bootstrap", advice="give a generator as rng=")
        check_rng(rng)
        if self.units < 2:
            raise NotEstimable("a bootstrap of one unit is not informative; give more units")
        check_level(confidence_level)
        v = len(self.values)
        draws = multinomials(rng, self.units, check_count("n_resamples", n_resamples, 2), v * v)
        alphas = [
            _alpha((times @ self.pairs).reshape(-1, v, v), self.values, self.level_of_measurement)[0] for times in draws
        ]
        return percentile_interval(np.concatenate(alphas), confidence_level)  # equal values have no alpha

    def apa(self) -> str:
        """Return such as ``Krippendorff's α = .74 (nominal; 11 units, 4 raters)``.

        Returns
        -------
        str
            Alpha with the level of measurement and the numbers of units and raters.
        """
        note = f"{self.level_of_measurement}; {self.units} units, {self.raters} raters"
        return f"Krippendorff's α = {apa.bounded(self.estimate)} ({note})"


def krippendorffs_alpha(
    data: Any,
    raters: str | Sequence[str],
    level_of_measurement: Kind = "nominal",
    *,
    categories: Sequence[Any] | None = None,
    unit: str | None = None,
    value: str | None = None,
) -> KrippendorffAlpha:
    """Measure the agreement of raters, any of whose ratings may be missing (Krippendorff, 2011).

    Parameters
    ----------
    data
        A frame with one row a unit; or with one row a rating (then with `unit` and `value`).
    raters
        The raters' columns; of one row a rating, the column of the rater.
    level_of_measurement
        How far two values are apart: "nominal" (the same or not), "ordinal" (by how many ratings lie between),
        "interval" (squared difference), "ratio" (squared relative difference).
    categories
        Of text in an order, the values in that order.
    unit, value
        Columns of one row a rating.

    Returns
    -------
    KrippendorffAlpha
        Alpha with the observed and the expected disagreement, and the counts of units, raters and missing ratings.

    Raises
    ------
    DesignError
        If values are not numbers where the kind needs them, or of text no order is known.
    NotEstimable
        If no unit has two ratings, or all ratings are equal: there is nothing to agree about.

    Notes
    -----
    α = 1 − (n − 1) Σ o_ck δ²_ck/Σ n_c n_k δ²_ck.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> codes = {"A": [1, 2, 3, 3, 2, None], "B": [1, 2, 3, 2, 2, 1], "C": [None, 2, 3, 3, 2, 1]}
    >>> krippendorffs_alpha(codes, ["A", "B", "C"]).apa()
    "Krippendorff's α = .82 (nominal; 6 units, 3 raters)"
    """
    check_choice("level_of_measurement", level_of_measurement, KINDS)
    ratings = Ratings.of(data, raters, unit, value, categories)
    values = _numbers(ratings, level_of_measurement, has_categories=categories is not None)
    counts = (ratings.codes[:, :, None] == np.arange(len(ratings.values))).sum(axis=1).astype(np.float64)
    m = counts.sum(axis=1)
    pairable = counts[m >= 2]
    if not len(pairable):
        raise NotEstimable("no unit has two ratings; nothing can be compared")
    occurs = pairable.sum(axis=0) > 0
    pairable, values = pairable[:, occurs], values[occurs]
    size = pairable.sum(axis=1)
    every = np.arange(len(values))
    pairs = np.einsum("uc,uk->uck", pairable, pairable)
    pairs[:, every, every] -= pairable
    pairs /= (size - 1)[:, None, None]
    alpha, observed, expected = _alpha(pairs.sum(axis=0)[None], values, level_of_measurement)
    if np.isnan(alpha[0]):
        raise NotEstimable("all ratings are equal; without variation alpha is 0/0, agreement cannot be computed")
    return KrippendorffAlpha(
        estimate=float(alpha[0]),
        level_of_measurement=level_of_measurement,
        observed=float(observed[0]),
        expected=float(expected[0]),
        n=int(size.sum()),
        units=len(pairable),
        raters=len(ratings.raters),
        categories=tuple(label for label, label_occurs in zip(ratings.labels, occurs, strict=True) if label_occurs),
        missing=int((m < 2).sum()),
        values=values,
        pairs=pairs.reshape(len(pairable), -1),
    )


def _numbers(ratings: Ratings, kind: Kind, *, has_categories: bool) -> FloatArray:
    """Return the values as numbers; where only their order counts, or nothing, their places."""
    try:
        values = np.array([float(value) for value in ratings.values])
    except (TypeError, ValueError):
        if kind in ("interval", "ratio"):
            raise DesignError(
                f"level_of_measurement is {kind!r} and a rating is {shown(ratings.values[0])}; give numbers"
            ) from None
        if kind == "ordinal" and not has_categories:
            raise DesignError(
                "level_of_measurement is 'ordinal' and ratings are text; give categories= in their order"
            ) from None
        return np.arange(len(ratings.values), dtype=np.float64)
    if kind == "ordinal" and has_categories:
        return np.arange(len(ratings.values), dtype=np.float64)
    if kind == "ratio" and (values < 0).any():
        raise DesignError(
            f"level_of_measurement is 'ratio' and a rating is {values.min():g}; ratios need values from 0 up"
        )
    return values


def _alpha(o: FloatArray, values: FloatArray, kind: Kind) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return alpha and the mean disagreements of coincidence matrices, shape ``(matrices, values, values)``."""
    n = o.sum(axis=-1)
    total = n.sum(axis=-1)
    if kind == "ordinal":
        order = np.argsort(values, kind="stable")
        o, n = o[:, order][:, :, order], n[:, order]
        middle = np.cumsum(n, axis=-1) - n / 2  # ratings below, half of those here
        distances = (middle[:, :, None] - middle[:, None, :]) ** 2
    elif kind == "nominal":
        distances = (1.0 - np.eye(len(values)))[None]
    else:
        difference = np.subtract.outer(values, values) ** 2
        if kind == "ratio":
            with np.errstate(invalid="ignore"):
                both = np.add.outer(values, values) ** 2
                difference = np.where(both > 0, difference / both, 0.0)
        distances = difference[None]
    observed = (o * distances).sum(axis=(-2, -1)) / total
    expected = (n[:, :, None] * n[:, None, :] * distances).sum(axis=(-2, -1)) / (total * (total - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan), observed, expected
