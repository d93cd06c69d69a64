"""Cox's partial likelihood with Efron's ties: its score and information at each event time, and each row's score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.codes import IntArray


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
        parts = np.split(order, np.cumsum(np.bincount(stratum))[:-1])
        return cls(tuple(_Stratum.of(x, time, event, own) for own in parts), (len(x), x.shape[1]))

    def at(self, b: FloatArray) -> Partial:
        """Evaluate the partial likelihood at coefficients."""
        sums = [one.sums(b) for one in self.strata]
        score, information = zip(
            *(one.score_and_information(each) for one, each in zip(self.strata, sums, strict=True)), strict=True
        )
        return Partial(
            float(sum(each.log_likelihood for each in sums)),
            np.concatenate([one.at for one in self.strata]),
            np.concatenate(score),
            np.concatenate(information),
        )

    def row_scores(self, b: FloatArray) -> FloatArray:
        """Return score residuals, shape ``(n, p)``: how much each row adds to the score."""
        residuals = np.zeros(self.shape)
        for one in self.strata:
            residuals[one.own] = one.row_scores(one.sums(b))
        return residuals

    def martingale(self, b: FloatArray) -> FloatArray:
        """Return martingale residuals, shape ``(n,)``: each row's event less those that the model expects of it."""
        residuals = np.zeros(self.shape[0])
        for one in self.strata:
            residuals[one.own] = one.martingale(one.sums(b))
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
    own : ndarray of int
        Where the rows stand in the data.
    x : ndarray, shape (p, rows)
    tied : ndarray of int
        Which rows have the event.
    first, d : ndarray of int, shape (events,)
        The first of the tied rows of each event time, and how many there are.
    at : ndarray, shape (events,)
        The event times.
    joins : ndarray of int, shape (events + 1,)
        The first row that joins the risk set at each event time, and the end of the last.
    up_to : ndarray of int, shape (rows,)
        How many event times each row was at risk.
    """

    own: IntArray
    x: FloatArray
    tied: IntArray
    first: IntArray
    d: IntArray
    at: FloatArray
    joins: IntArray
    up_to: IntArray

    @classmethod
    def of(cls, x: FloatArray, time: FloatArray, event: FloatArray, own: IntArray) -> _Stratum:
        when, event_places = time[own], np.flatnonzero(event[own] > 0)
        first = np.flatnonzero(np.diff(when[event_places], prepend=np.inf))
        at, d = when[event_places][first], np.diff(first, append=len(event_places))
        joins = np.append(0, np.searchsorted(-when, -at, side="right"))
        up_to = np.searchsorted(at[::-1], when, side="right")
        return cls(own, np.ascontiguousarray(x[own].T), event_places, first, d, at, joins, up_to)

    def sums(self, b: FloatArray) -> _Sums:
        eta = b @ self.x
        top = float(eta.max())
        e = np.exp(eta - top)
        end = self.joins[-1]
        risk = tuple(np.cumsum(each, axis=-1) for each in _sum_weighted(e[:end], self.x[:, :end], self.joins[:-1]))
        ties = _sum_weighted(e[self.tied], self.x[:, self.tied], self.first)
        share = (np.arange(len(self.tied)) - np.repeat(self.first, self.d)) / np.repeat(self.d, self.d)
        a = np.repeat(risk[0], self.d) - share * np.repeat(ties[0], self.d)
        inverse = 1 / a
        lessened, squared = share * inverse, inverse * inverse
        rate, less, plain, mixed, square = (
            _totals(each, self.first) for each in (inverse, lessened, squared, share * squared, lessened * lessened)
        )
        likelihood = float((eta[self.tied] - top).sum() - np.log(a).sum())
        return _Sums(likelihood, e, (risk[0], risk[1], risk[2]), ties, (rate, less), (plain, mixed, square))

    def score_and_information(self, sums: _Sums) -> tuple[FloatArray, FloatArray]:
        """Return Schoenfeld's residuals, shape ``(events, p)``, and the information at each event time.

        The mean of x over Efron's j-th risk set is (s − c t)/A, s of the risk set, t of the ties, c = j/d: sums over j
        of means and of their products need only the sums of c and c² over A and A².
        """
        p, events = len(self.x), len(self.at)
        (_, s1, s2), (_, t1, t2) = sums.risk, sums.ties
        (rate, less), (plain, mixed, square) = sums.once, sums.squared
        score = _totals(self.x[:, self.tied], self.first) - (s1 * rate - t1 * less)
        information = np.empty((events, p, p))
        for place, (one, two) in enumerate(zip(*np.triu_indices(p), strict=True)):
            products = s1[one] * s1[two] * plain - (s1[one] * t1[two] + t1[one] * s1[two]) * mixed
            products += t1[one] * t1[two] * square
            information[:, one, two] = information[:, two, one] = rate * s2[place] - less * t2[place] - products
        return score.T, information

    def row_scores(self, sums: _Sums) -> FloatArray:
        """Return the score residual of each row, shape ``(rows, p)``."""
        s1, t1 = sums.risk[1], sums.ties[1]
        (rate, less), (plain, mixed, square) = sums.once, sums.squared
        # Up to its own time, the earliest event first, each row adds what it does to the risk sets.
        total, mean_total = (
            np.concatenate([np.zeros((*each.shape[:-1], 1)), np.cumsum(each[..., ::-1], axis=-1)], axis=-1)
            for each in (rate, s1 * plain - t1 * mixed)
        )
        rows = -sums.e * (self.x * total[self.up_to] - mean_total[:, self.up_to])
        x, means, less_means = self.x[:, self.tied], (s1 * rate - t1 * less) / self.d, s1 * mixed - t1 * square
        back = x * np.repeat(less, self.d) - np.repeat(less_means, self.d, axis=1)
        rows[:, self.tied] += x - np.repeat(means, self.d, axis=1) + sums.e[self.tied] * back
        return np.asarray(rows.T)

    def martingale(self, sums: _Sums) -> FloatArray:
        """Return the martingale residual of each row; a tied row is at risk for part of its own time (Efron)."""
        rate, less = sums.once
        total = np.append(0.0, np.cumsum(rate[::-1]))
        residuals = -sums.e * total[self.up_to]
        residuals[self.tied] += 1 + sums.e[self.tied] * np.repeat(less, self.d)
        return np.asarray(residuals)


def _totals(values: FloatArray, first: IntArray) -> FloatArray:
    """Return sums over the last axis from each first place to before the next; none of no place."""
    if not len(first):
        return np.empty((*values.shape[:-1], 0))
    return np.asarray(np.add.reduceat(values, first, axis=-1))


def _sum_weighted(e: FloatArray, x: FloatArray, first: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return sums of e, of e x and of e x x′ (the upper triangle, one row a pair) over the rows of each time."""
    products_of_x = e * x
    products = [_totals(products_of_x[one] * x[two], first) for one, two in zip(*np.triu_indices(len(x)), strict=True)]
    return _totals(e, first), _totals(products_of_x, first), np.array(products)
