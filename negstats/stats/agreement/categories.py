"""Agreement beyond chance: Cohen's and Fleiss' kappa of categories, Krippendorff's alpha of any kind of value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.agreement.ratings import Ratings
from negstats.stats.results import apa
from negstats.stats.results.intervals import percentile_interval, t_interval
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.results.options import check_choice, check_count, check_rng, t_tails
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Counts
from negstats.stats.summaries.rows import multinomials

Weights = Literal["linear", "quadratic"]
NO_TEST = "not tested: a rater gave every unit the same category, so that agreement by chance has no spread"


@dataclass(frozen=True, slots=True, repr=False)
class Kappa(Result):
    """Agreement beyond chance: (observed − expected)/(1 − expected).

    Attributes
    ----------
    name : str
        "Cohen's κ", "weighted κ (linear)", ..., "Fleiss' κ".
    estimate, se : float
        Kappa, and its standard error for intervals.
    null_se, statistic, p : float
        Standard error if there were no agreement beyond chance; z, and two-sided p by it.
    observed, expected : float
        Agreement (weighted), and what chance would give.
    n, raters : int
        Units and raters.
    categories : tuple of str
    missing : int
        Units that were left out because a rating was missing.
    """

    name: str
    estimate: float
    se: float
    null_se: float
    statistic: float
    p: float
    observed: float
    expected: float
    n: int
    raters: int
    categories: tuple[str, ...]
    missing: int

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the normal interval.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends; kappa is at most 1 and below 0 where raters agree less than by chance.
        """
        return t_interval(self.estimate, self.se, np.inf, confidence_level, method="normal")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return such as ``Cohen's κ = .66, 95% CI [.41, .92], z = 5.04, p < .001``.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            Kappa with its interval and test.
        """
        interval = self.confidence_interval(confidence_level)
        value, bounds = apa.bounded_apart(self.estimate, interval.low, interval.high, confidence_level)
        if np.isnan(self.p):
            return f"{self.name} = {value}, {NO_TEST}"
        test_text = f"z = {apa.number(self.statistic)}, {apa.p_value(self.p)}"
        return f"{self.name} = {value}, {bounds}, {test_text}"


def cohens_kappa(
    data: Any,
    raters: str | Sequence[str] | None = None,
    *,
    weights: Weights | npt.ArrayLike | None = None,
    categories: Sequence[Any] | None = None,
    unit: str | None = None,
    value: str | None = None,
) -> Kappa:
    """Measure the agreement of two raters on categories (Cohen, 1960; weighted: Cohen, 1968).

    Parameters
    ----------
    data
        A frame with one row a unit; one row a rating (then with `unit` and `value`); or the square table of counts.
    raters
        The two raters' columns; of one row a rating, the column of the rater.
    weights
        None: only the same category counts. "linear" or "quadratic": categories are in order, and near ones count in
        part. Or a matrix of weights from 0 to 1.
    categories
        Those of the code book, in order; those that occur if not given.
    unit, value
        Columns of one row a rating.

    Returns
    -------
    Kappa
        Kappa with its standard error and z test, and the observed and the expected agreement.

    Raises
    ------
    DesignError
        If there are not two raters, or ratings and categories do not fit.
    NotEstimable
        If both raters used one category only, or rated nothing: there is no agreement beyond chance to speak of.

    Notes
    -----
    Standard errors after Fleiss, Cohen and Everitt (1969).

    References
    ----------
    - Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement, 20,
      37–46.
    - Cohen, J. (1968). Weighted kappa: Nominal scale agreement with provision for scaled disagreement or partial
      credit. Psychological Bulletin, 70, 213–220.
    - Fleiss, J. L., Cohen, J., & Everitt, B. S. (1969). Large sample standard errors of kappa and weighted kappa.
      Psychological Bulletin, 72, 323–327.

    Examples
    --------
    >>> cohens_kappa([[20, 5], [10, 15]]).apa()
    "Cohen's κ = .40, 95% CI [.15, .65], z = 2.89, p = .004"
    """
    table, labels, missing = _table(data, raters, categories, unit, value)
    n, c = table.sum(), len(table)
    shares = table / n
    agreement_weights = _weights(weights, c)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float((agreement_weights * shares).sum()), float(rows @ agreement_weights @ columns)
    if not expected < 1 - 1e-12:
        raise NotEstimable(
            "both raters used one category only; kappa is 0/0, agreement beyond chance cannot be computed"
        )
    # Kappa is the share of the possible agreement beyond chance that the raters reached.
    kappa = (observed - expected) / (1 - expected)
    # The delta method: each cell's influence is its weight less the mean weights of its row and column; the
    # second variance holds where kappa is 0.
    mean_weights = (agreement_weights @ columns)[:, None] + (agreement_weights.T @ rows)[None, :]
    spread_terms = (shares * (agreement_weights - mean_weights * (1 - kappa)) ** 2).sum() - (
        kappa - expected * (1 - kappa)
    ) ** 2
    null_terms = (np.multiply.outer(rows, columns) * (agreement_weights - mean_weights) ** 2).sum() - expected**2
    se, null_se = (float(np.sqrt(max(0.0, term_sum) / n) / (1 - expected)) for term_sum in (spread_terms, null_terms))
    name = "Cohen's κ" if weights is None else f"weighted κ ({weights if isinstance(weights, str) else 'own weights'})"
    z = kappa / null_se if null_se > 0 else float("nan")
    return Kappa(
        name=name,
        estimate=kappa,
        se=se,
        null_se=null_se,
        statistic=z,
        p=float(t_tails(z)),
        observed=observed,
        expected=expected,
        n=int(n),
        raters=2,
        categories=labels,
        missing=missing,
    )


def fleiss_kappa(
    data: Any,
    raters: str | Sequence[str] | None = None,
    *,
    categories: Sequence[Any] | None = None,
    unit: str | None = None,
    value: str | None = None,
) -> Kappa:
    """Measure the agreement of several raters on categories; the raters of a unit need not be the same people.

    Parameters
    ----------
    data
        A frame with one row a unit; one row a rating (then with `unit` and `value`); or an array with one row a unit
        and, for each category, how many raters chose it.
    raters, categories, unit, value
        As of `cohens_kappa`, with two raters or more.

    Returns
    -------
    Kappa
        Kappa with its standard error and z test, and the observed and the expected agreement.

    Raises
    ------
    DesignError
        If units have different numbers of raters (then Krippendorff's alpha would do).
    NotEstimable
        If all raters used one category only.

    Notes
    -----
    Fleiss's (1971) kappa, with the variance at no agreement of Fleiss, Nee and Landis (1979). The interval is the
    infinitesimal jackknife's over units.

    References
    ----------
    - Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin, 76, 378–382.
    - Fleiss, J. L., Nee, J. C. M., & Landis, J. R. (1979). Large sample variance of kappa in the case of different sets
      of raters. Psychological Bulletin, 86, 974–977.

    Examples
    --------
    >>> fleiss_kappa([[0, 3], [3, 0], [2, 1], [0, 3], [1, 2], [3, 0]]).apa()
    "Fleiss' κ = .56, 95% CI [.00, 1.11], z = 2.36, p = .018"
    """
    counts, labels, missing = _counts(data, raters, categories, unit, value)
    units, n_ratings = len(counts), float(counts[0].sum())
    if n_ratings < 2 or units < 2:
        raise NotEstimable(f"{units} units with {n_ratings:g} ratings each; give two units and two ratings at least")
    # Agreement of a unit: the share of its pairs of raters who chose the same category.
    unit_agreement = (np.einsum("uc,uc->u", counts, counts) - n_ratings) / (n_ratings * (n_ratings - 1))
    category_shares = counts.sum(axis=0) / (units * n_ratings)
    observed, expected = float(unit_agreement.mean()), float(category_shares @ category_shares)
    if not expected < 1 - 1e-12:
        raise NotEstimable(
            "all raters used one category only; kappa is 0/0, agreement beyond chance cannot be computed"
        )
    kappa = (observed - expected) / (1 - expected)
    # The variance under chance alone, and each unit's influence on kappa for the interval.
    pq = category_shares * (1 - category_shares)
    null_variance = (
        2
        * (pq.sum() ** 2 - (pq * (1 - 2 * category_shares)).sum())
        / (pq.sum() ** 2 * units * n_ratings * (n_ratings - 1))
    )
    chance_influences = 2 * (counts @ category_shares / n_ratings - category_shares @ category_shares)
    influences = ((unit_agreement - observed) - (1 - kappa) * chance_influences) / (1 - expected)
    null_se = float(np.sqrt(null_variance))
    z = kappa / null_se
    return Kappa(
        name="Fleiss' κ",
        estimate=kappa,
        se=float(np.sqrt((influences**2).sum() / (units * (units - 1)))),
        null_se=null_se,
        statistic=z,
        p=float(t_tails(z)),
        observed=observed,
        expected=expected,
        n=units,
        raters=int(n_ratings),
        categories=labels,
        missing=missing,
    )


def _weights(weights: Weights | npt.ArrayLike | None, c: int) -> FloatArray:
    if weights is None:
        return np.eye(c)
    if isinstance(weights, str):
        if weights not in ("linear", "quadratic"):
            raise DesignError(f"weights is {shown(weights)}; choose 'linear', 'quadratic' or a matrix")
        distances = np.abs(np.subtract.outer(np.arange(c), np.arange(c))) / max(1, c - 1)
        return np.asarray(1 - (distances if weights == "linear" else distances**2))
    matrix = floats("weights", weights)
    if matrix.shape != (c, c) or not ((matrix >= 0) & (matrix <= 1)).all() or not (np.diagonal(matrix) == 1).all():
        raise DesignError(f"weights have the shape {matrix.shape}; give {c} × {c} from 0 to 1, with 1 on the diagonal")
    return matrix


def _table(
    data: Any, raters: str | Sequence[str] | None, categories: Sequence[Any] | None, unit: str | None, value: str | None
) -> tuple[FloatArray, tuple[str, ...], int]:
    """Return the square table of two raters' counts, the categories, and units left out."""
    if raters is None:
        counts = data if isinstance(data, Counts) else Counts.from_table(data)
        if not counts.n.any():
            raise NotEstimable("the table counts no unit")
        n = counts.n
        if n.ndim != 2 or n.shape[0] != n.shape[1]:
            raise DesignError(f"the table has the shape {n.shape}; give a square one, or name the raters' columns")
        if counts.factors[0].levels != counts.factors[1].levels and not isinstance(data, Counts):
            return n, tuple(map(str, range(1, len(n) + 1))), counts.missing
        if counts.factors[0].levels != counts.factors[1].levels:
            first_codes, second_codes = (", ".join(factor.levels) for factor in counts.factors)
            raise DesignError(f"the two raters' categories differ: {first_codes}; {second_codes}")
        return n, counts.factors[0].levels, counts.missing
    ratings = Ratings.of(data, raters, unit, value, categories)
    if len(ratings.raters) != 2:
        raise DesignError(
            f"there are {len(ratings.raters)} raters; Cohen's kappa needs two, Fleiss' kappa takes several"
        )
    rated_by_both = ratings.codes[(ratings.codes >= 0).all(axis=1)]
    if not len(rated_by_both):
        raise NotEstimable("no unit was rated by both raters")
    table = np.zeros((len(ratings.values), len(ratings.values)))
    np.add.at(table, tuple(rated_by_both.T), 1.0)
    return table, ratings.labels, len(ratings.codes) - len(rated_by_both)


def _counts(
    data: Any, raters: str | Sequence[str] | None, categories: Sequence[Any] | None, unit: str | None, value: str | None
) -> tuple[FloatArray, tuple[str, ...], int]:
    """Return how many raters chose each category of each unit, the categories, and units left out."""
    if raters is None:
        counts = Counts.from_table(data).n
        if counts.ndim != 2 or not (counts >= 0).all() or not (counts == np.round(counts)).all():
            raise DesignError(
                "the table does not count raters by unit and category; give such a table, or name the raters' columns"
            )
        missing = 0
        labels = tuple(map(str, categories or range(1, counts.shape[1] + 1)))
    else:
        ratings = Ratings.of(data, raters, unit, value, categories)
        has_rating = ratings.codes >= 0
        is_complete = has_rating.any(axis=1) if unit is not None else has_rating.all(axis=1)
        missing, labels = int((~is_complete).sum()), ratings.labels
        chosen = ratings.codes[is_complete][:, :, None] == np.arange(len(ratings.values))
        counts = chosen.sum(axis=1).astype(np.float64)
    sizes = counts.sum(axis=1)
    if not len(sizes) or sizes.min() < sizes.max():
        reason = (
            "no unit was rated by all" if not len(sizes) else f"units have {sizes.min():g} to {sizes.max():g} ratings"
        )
        raise DesignError(f"{reason}; Fleiss' kappa needs the same number of each: use Krippendorff's alpha")
    return counts, labels, missing


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
    n_ratings = counts.sum(axis=1)
    pairable = counts[n_ratings >= 2]
    if not len(pairable):
        raise NotEstimable("no unit has two ratings; nothing can be compared")
    # Only values that occur in a unit with two ratings can enter the coincidences.
    occurs = pairable.sum(axis=0) > 0
    pairable, values = pairable[:, occurs], values[occurs]
    unit_sizes = pairable.sum(axis=1)
    value_indices = np.arange(len(values))
    # Each unit gives its ordered pairs of two ratings, each weighted so that a rating counts once in all.
    pairs = np.einsum("uc,uk->uck", pairable, pairable)
    pairs[:, value_indices, value_indices] -= pairable
    pairs /= (unit_sizes - 1)[:, None, None]
    alpha, observed, expected = _alpha(pairs.sum(axis=0)[None], values, level_of_measurement)
    if np.isnan(alpha[0]):
        raise NotEstimable("all ratings are equal; without variation alpha is 0/0, agreement cannot be computed")
    return KrippendorffAlpha(
        estimate=float(alpha[0]),
        level_of_measurement=level_of_measurement,
        observed=float(observed[0]),
        expected=float(expected[0]),
        n=int(unit_sizes.sum()),
        units=len(pairable),
        raters=len(ratings.raters),
        categories=tuple(label for label, label_occurs in zip(ratings.labels, occurs, strict=True) if label_occurs),
        missing=int((n_ratings < 2).sum()),
        values=values,
        pairs=pairs.reshape(len(pairable), -1),
    )


def _numbers(ratings: Ratings, measured_on: Kind, *, has_categories: bool) -> FloatArray:
    """Return the values as numbers; where only their order counts, or nothing, their places."""
    try:
        values = np.array([float(value) for value in ratings.values])
    except (TypeError, ValueError):
        if measured_on in ("interval", "ratio"):
            raise DesignError(
                f"level_of_measurement is {measured_on!r} and a rating is {shown(ratings.values[0])}; give numbers"
            ) from None
        if measured_on == "ordinal" and not has_categories:
            raise DesignError(
                "level_of_measurement is 'ordinal' and ratings are text; give categories= in their order"
            ) from None
        return np.arange(len(ratings.values), dtype=np.float64)
    if measured_on == "ordinal" and has_categories:
        return np.arange(len(ratings.values), dtype=np.float64)
    if measured_on == "ratio" and (values < 0).any():
        raise DesignError(
            f"level_of_measurement is 'ratio' and a rating is {values.min():g}; ratios need values from 0 up"
        )
    return values


def _alpha(
    coincidences: FloatArray, values: FloatArray, level_of_measurement: Kind
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return alpha and the mean disagreements of coincidence matrices, shape ``(matrices, values, values)``."""
    n = coincidences.sum(axis=-1)
    total = n.sum(axis=-1)
    if level_of_measurement == "ordinal":
        order = np.argsort(values, kind="stable")
        coincidences, n = coincidences[:, order][:, :, order], n[:, order]
        mid_ranks = np.cumsum(n, axis=-1) - n / 2  # ratings below, half of those here
        distances = (mid_ranks[:, :, None] - mid_ranks[:, None, :]) ** 2
    elif level_of_measurement == "nominal":
        distances = (1.0 - np.eye(len(values)))[None]
    else:
        difference = np.subtract.outer(values, values) ** 2
        if level_of_measurement == "ratio":
            with np.errstate(invalid="ignore"):
                sums = np.add.outer(values, values) ** 2
                difference = np.where(sums > 0, difference / sums, 0.0)
        distances = difference[None]
    # Disagreement within units against that of ratings paired without regard to units.
    observed = (coincidences * distances).sum(axis=(-2, -1)) / total
    expected = (n[:, :, None] * n[:, None, :] * distances).sum(axis=(-2, -1)) / (total * (total - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan), observed, expected
