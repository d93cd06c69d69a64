"""Who is at risk at each event time, and Cox's partial likelihood of it by Efron's rule for ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """The partial likelihood at some coefficients.

    Attributes
    ----------
    log_likelihood : float
    time : ndarray, shape (events,)
        The event times, stratum after stratum.
    score : ndarray, shape (events, p)
        Sums of Schoenfeld's residuals at each event time.
    information : ndarray, shape (events, p, p)
    """

    log_likelihood: float
    time: FloatArray
    score: FloatArray
    information: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RiskSets:
    """Who is at risk at each event time: rows in the order in which they join the risk sets, stratum by stratum.

    The order is that of the data alone, so that it is found once and serves all steps towards the maximum.

    Notes
    -----
    At a time with d ties, Efron's j-th of them, j = 0 … d − 1, has the risk set less j/d of the tied rows (Efron, 1977,
    JASA 72, 557-565). Rows' scores as Therneau and Grambsch (2000), Modeling Survival Data, sec. 4.2.
    """

    strata: tuple[_Stratum, ...]
    shape: tuple[int, int]

    @classmethod
    def of(cls, x: FloatArray, time: FloatArray, event: FloatArray, stratum: IntArray) -> RiskSets:
        """Order rows of predictors, shape ``(n, p)``, each with its time, event (1 or 0) and stratum."""
        order = np.lexsort((-time, stratum))  # in a stratum the latest first: risk sets grow
        stratum_rows = np.split(order, np.cumsum(np.bincount(stratum))[:-1])
        return cls(tuple(_Stratum.of(x, time, event, rows) for rows in stratum_rows), (len(x), x.shape[1]))

    def at(self, b: FloatArray) -> Partial:
        """Evaluate the partial likelihood at coefficients."""
        sums = [stratum.sums(b) for stratum in self.strata]
        score, information = zip(
            *(
                stratum.score_and_information(stratum_sums)
                for stratum, stratum_sums in zip(self.strata, sums, strict=True)
            ),
            strict=True,
        )
        return Partial(
            float(sum(stratum_sums.log_likelihood for stratum_sums in sums)),
            np.concatenate([stratum.at for stratum in self.strata]),
            np.concatenate(score),
            np.concatenate(information),
        )

    def row_scores(self, b: FloatArray) -> FloatArray:
        """Return score residuals, shape ``(n, p)``: how much each row adds to the score."""
        residuals = np.zeros(self.shape)
        for stratum in self.strata:
            residuals[stratum.rows] = stratum.row_scores(stratum.sums(b))
        return residuals

    def martingale(self, b: FloatArray) -> FloatArray:
        """Return martingale residuals, shape ``(n,)``: each row's event less those that the model expects of it."""
        residuals = np.zeros(self.shape[0])
        for stratum in self.strata:
            residuals[stratum.rows] = stratum.martingale(stratum.sums(b))
        return residuals


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums of e^η at each event time: over the risk set, over the tied rows, and of Efron's weights over the ties.

    `risk` and `ties` sum 1, x and the products of every two x; `once` sums 1/A and c/A over the ties, A Efron's j-th
    risk set and c = j/d, and `squared` 1/A², c/A² and c²/A².
    """

    log_likelihood: float
    e: FloatArray
    risk: tuple[FloatArray, FloatArray, FloatArray]
    ties: tuple[FloatArray, FloatArray, FloatArray]
    once: tuple[FloatArray, FloatArray]
    squared: tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class _Stratum:
    """One stratum: rows from the latest on, the event times among theirs, and which rows are tied at each.

    Attributes
    ----------
    rows : ndarray of int
        Where the rows stand in the data.
    x : ndarray, shape (p, rows)
    tied : ndarray of int
        Which rows have the event.
    first_tied, d : ndarray of int, shape (events,)
        The first of the tied rows of each event time, and how many there are.
    at : ndarray, shape (events,)
        The event times.
    joins : ndarray of int, shape (events + 1,)
        The first row that joins the risk set at each event time, and the end of the last.
    up_to : ndarray of int, shape (rows,)
        How many event times each row was at risk.
    """

    rows: IntArray
    x: FloatArray
    tied: IntArray
    first_tied: IntArray
    d: IntArray
    at: FloatArray
    joins: IntArray
    up_to: IntArray

    @classmethod
    def of(cls, x: FloatArray, time: FloatArray, event: FloatArray, rows: IntArray) -> _Stratum:
        times, event_rows = time[rows], np.flatnonzero(event[rows] > 0)
        first_of_time = np.flatnonzero(np.diff(times[event_rows], prepend=np.inf))
        event_times, n_events = times[event_rows][first_of_time], np.diff(first_of_time, append=len(event_rows))
        joins = np.append(0, np.searchsorted(-times, -event_times, side="right"))
        up_to = np.searchsorted(event_times[::-1], times, side="right")
        return cls(
            rows, np.ascontiguousarray(x[rows].T), event_rows, first_of_time, n_events, event_times, joins, up_to
        )

    def sums(self, b: FloatArray) -> _Sums:
        eta = b @ self.x
        largest = float(eta.max())
        relative_risks = np.exp(eta - largest)
        last_row = self.joins[-1]
        # Rows latest first: the sums of a risk set are those up to the event's time.
        risk = tuple(
            np.cumsum(terms, axis=-1)
            for terms in _sum_weighted(relative_risks[:last_row], self.x[:, :last_row], self.joins[:-1])
        )
        ties = _sum_weighted(relative_risks[self.tied], self.x[:, self.tied], self.first_tied)
        # Efron: for the k-th of d tied events, from 0 on, the tied rows are at risk with the weight 1 − k/d.
        share = (np.arange(len(self.tied)) - np.repeat(self.first_tied, self.d)) / np.repeat(self.d, self.d)
        efron_risk = np.repeat(risk[0], self.d) - share * np.repeat(ties[0], self.d)
        inverse = 1 / efron_risk
        lessened_terms, squared = share * inverse, inverse * inverse
        rate, lessened_rate, squared_sum, mixed_sum, lessened_squared_sum = (
            _totals(terms, self.first_tied)
            for terms in (inverse, lessened_terms, squared, share * squared, lessened_terms * lessened_terms)
        )
        likelihood = float((eta[self.tied] - largest).sum() - np.log(efron_risk).sum())
        return _Sums(
            likelihood,
            relative_risks,
            (risk[0], risk[1], risk[2]),
            ties,
            (rate, lessened_rate),
            (squared_sum, mixed_sum, lessened_squared_sum),
        )

    def score_and_information(self, sums: _Sums) -> tuple[FloatArray, FloatArray]:
        """Return Schoenfeld's residuals, shape ``(events, p)``, and the information at each event time.

        The mean of x over Efron's j-th risk set is (s − c t)/A, s of the risk set, t of the ties, c = j/d: sums over j
        of means and of their products need only the sums of c and c² over A and A².
        """
        n_columns, n_times = len(self.x), len(self.at)
        (_, s1, s2), (_, t1, t2) = sums.risk, sums.ties
        (rate, lessened_rate), (squared_sum, mixed_sum, lessened_squared_sum) = sums.once, sums.squared
        # Observed less expected predictors at each event time.
        score = _totals(self.x[:, self.tied], self.first_tied) - (s1 * rate - t1 * lessened_rate)
        # The weighted covariance of the predictors in the risk set, one pair of columns at a time.
        information = np.empty((n_times, n_columns, n_columns))
        for pair, (first, second) in enumerate(zip(*np.triu_indices(n_columns), strict=True)):
            products = (
                s1[first] * s1[second] * squared_sum - (s1[first] * t1[second] + t1[first] * s1[second]) * mixed_sum
            )
            products += t1[first] * t1[second] * lessened_squared_sum
            information[:, first, second] = information[:, second, first] = (
                rate * s2[pair] - lessened_rate * t2[pair] - products
            )
        return score.T, information

    def row_scores(self, sums: _Sums) -> FloatArray:
        """Return the score residual of each row, shape ``(rows, p)``."""
        s1, t1 = sums.risk[1], sums.ties[1]
        (rate, lessened_rate), (squared_sum, mixed_sum, lessened_squared_sum) = sums.once, sums.squared
        # Up to its own time, the earliest event first, each row adds what it does to the risk sets.
        total, mean_total = (
            np.concatenate([np.zeros((*increments.shape[:-1], 1)), np.cumsum(increments[..., ::-1], axis=-1)], axis=-1)
            for increments in (rate, s1 * squared_sum - t1 * mixed_sum)
        )
        scores = -sums.e * (self.x * total[self.up_to] - mean_total[:, self.up_to])
        x, means, lessened_means = (
            self.x[:, self.tied],
            (s1 * rate - t1 * lessened_rate) / self.d,
            s1 * mixed_sum - t1 * lessened_squared_sum,
        )
        tie_correction = x * np.repeat(lessened_rate, self.d) - np.repeat(lessened_means, self.d, axis=1)
        scores[:, self.tied] += x - np.repeat(means, self.d, axis=1) + sums.e[self.tied] * tie_correction
        return np.asarray(scores.T)

    def martingale(self, sums: _Sums) -> FloatArray:
        """Return the martingale residual of each row; a tied row is at risk for part of its own time (Efron)."""
        rate, lessened_rate = sums.once
        cumulative_hazard = np.append(0.0, np.cumsum(rate[::-1]))
        residuals = -sums.e * cumulative_hazard[self.up_to]
        residuals[self.tied] += 1 + sums.e[self.tied] * np.repeat(lessened_rate, self.d)
        return np.asarray(residuals)


def _totals(values: FloatArray, first_positions: IntArray) -> FloatArray:
    """Return sums over the last axis from each first place to before the next; none of no place."""
    if not len(first_positions):
        return np.empty((*values.shape[:-1], 0))
    return np.asarray(np.add.reduceat(values, first_positions, axis=-1))


def _sum_weighted(
    weights: FloatArray, x: FloatArray, first_positions: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return sums of e, of e x and of e x x′ (the upper triangle, one row a pair) over the rows of each time."""
    products_of_x = weights * x
    products = [
        _totals(products_of_x[column] * x[other_column], first_positions)
        for column, other_column in zip(*np.triu_indices(len(x)), strict=True)
    ]
    return _totals(weights, first_positions), _totals(products_of_x, first_positions), np.array(products)
