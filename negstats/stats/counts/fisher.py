"""Fisher's exact test of independence, of 2 × 2 tables and of larger ones.

The p is the probability, given both margins, of the tables that are no more probable than the observed one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from negstats.errors import DesignError
from negstats.stats.counts.contingency import TableResult, check_filled, check_whole, table, totals
from negstats.stats.counts.network import network_p
from negstats.stats.effects._effect import Effect
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_count, check_rng
from negstats.stats.results.result import Interval, check_level
from negstats.stats.summaries import Counts
from negstats.stats.summaries.frames import By

Alternative = Literal["two-sided", "less", "greater"]
Whole = npt.NDArray[np.int64]

TIE = 1e-7  # tables this close in probability count as equally probable, as in R's fisher.test


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FisherExact(TableResult):
    """Fisher's exact test.

    Attributes
    ----------
    p : float or ndarray
        Exact, mid-p, or the Monte Carlo estimate (hits + 1)/(resamples + 1).
    n : float or ndarray
        Observations.
    alternative : str
        "two-sided", or the side of 1 on which the odds ratio lies.
    method : str
        "exact", "mid-p" or "Monte Carlo".
    observed : Counts
        The table.
    """

    columns: ClassVar[tuple[str, ...]] = ("p", "n", "odds_ratio", "alternative", "method", "missing")

    p: Number
    n: Number
    alternative: Alternative
    method: str
    observed: Counts

    @property
    def missing(self) -> int:
        """Rows that were left out because a factor was missing."""
        return self.observed.missing

    @property
    def odds_ratio(self) -> Number:
        """Conditional maximum-likelihood odds ratio of 2 × 2 tables (not ad/bc); NaN for larger ones."""
        if self.observed.shape != (2, 2):
            return plain(np.full(self.observed.studies, np.nan))
        return _each(self.observed.n, lambda cells: float(_conditional(cells).statistic))

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Exact interval of the odds ratio of a single 2 × 2 table, two-sided or open as the alternative is.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, as odds ratios; 0 or infinite where a cell is empty.

        Raises
        ------
        DesignError
            If the table is larger, or there is a stack of tables.
        """
        check_level(confidence_level)
        if self.observed.n.shape != (2, 2):
            raise DesignError(f"an odds ratio needs one 2 × 2 table; this one has the shape {self.observed.n.shape}")
        ends = _conditional(self.observed.n).confidence_interval(confidence_level, self.alternative)
        return Interval(float(ends.low), float(ends.high), confidence_level, "Fisher")

    def effect_size(self) -> Effect:
        """Return the conditional odds ratio with its exact interval (of one 2 × 2 table).

        Returns
        -------
        Effect
            The odds ratio, 1 where there is no association.
        """
        return Effect("odds_ratio", self.odds_ratio, self.confidence_interval)

    def apa(self) -> str:
        """Return ``p = .xxx, Fisher's exact test`` with the odds ratio of a 2 × 2 table.

        Returns
        -------
        str
            The test as a results section prints it.
        """
        name = "Fisher's mid-p test" if self.method == "mid-p" else "Fisher's exact test"
        text = f"{apa.p_value(self._one(self.p), self.alternative)}, {name} (N = {round(self._one(self.n))})"
        if self.observed.shape != (2, 2):
            return text
        ends = self.confidence_interval()
        return f"{text}, OR = {apa.with_interval(self.odds_ratio, ends.low, ends.high, ends.confidence_level)}"


def fisher(
    data: Any,
    by: By = None,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["exact", "mid-p"] = "exact",
    rng: np.random.Generator | None = None,
    n_resamples: int = 9999,
) -> FisherExact:
    """Test independence exactly, given the margins.

    Parameters
    ----------
    data, by
        A two-way table, as in `chi_squared`. In a stack each distinct table is computed once.
    alternative
        For a 2 × 2 table: "greater" means an odds ratio above 1.
    method
        "exact", which is conservative; "mid-p" takes half of the probability of the observed table from it (Lancaster,
        1961; Fagerland, Lydersen and Laake, 2017, sec. 4.4).
    rng, n_resamples
        With a generator the p is estimated from that many random tables with the observed margins.

    Returns
    -------
    FisherExact
        The p and the table that it comes from; of a 2 × 2 table also the odds ratio and its interval.

    Raises
    ------
    DesignError
        If a count is not whole, a side is asked of a table larger than 2 × 2, or a table is too large for an exact p.
    NotEstimable
        If a single table is empty or has a level without observations.

    Notes
    -----
    A larger table is filled column by column, and ways to fill it are followed no further than it takes to know on
    which side of the observed table they end: the network algorithm of Mehta and Patel (1983).

    References
    ----------
    - Fagerland, M. W., Lydersen, S., & Laake, P. (2017). Statistical Analysis of Contingency Tables. CRC Press.
    - Lancaster, H. O. (1961). Significance tests in discrete distributions. Journal of the American Statistical
      Association, 56, 223–234.
    - Mehta, C. R., & Patel, N. R. (1983). A network algorithm for performing Fisher's exact test in r × c contingency
      tables. Journal of the American Statistical Association, 78, 427–434.

    Examples
    --------
    >>> fisher([[3, 1], [1, 3]]).p
    0.4857142857142...
    >>> print(fisher([[5, 92], [19, 77]]).apa())
    p = .002, Fisher's exact test (N = 193), OR = 0.22, 95% CI [0.06, 0.65]
    """
    counts = table(data, by)
    check_filled(counts)
    check_whole(counts, "Fisher's test")
    if alternative not in ("two-sided", "less", "greater"):
        raise DesignError(f"alternative is {alternative!r}; give 'two-sided', 'less' or 'greater'")
    if alternative != "two-sided" and counts.shape != (2, 2):
        raise DesignError(f"a {counts.shape[0]} × {counts.shape[1]} table has no side; alternative must be 'two-sided'")
    check_choice("method", method, ("exact", "mid-p"))
    if rng is None:
        half = 0.5 if method == "mid-p" else 0.0
        p = _each(counts.n, lambda cells: fisher_p(cells, alternative) - half * _probability(cells))
    elif method == "mid-p":
        raise DesignError("a mid-p is exact; leave rng out, or give method='exact' for an estimate from random tables")
    elif alternative != "two-sided":
        raise DesignError("the Monte Carlo p is two-sided; leave rng out for a one-sided exact test")
    else:
        check_rng(rng)
        times = check_count("n_resamples", n_resamples, 1)
        p = _each(counts.n, lambda cells: _monte_carlo(cells, rng, times))
    return FisherExact(
        p=p,
        n=plain(totals(counts)),
        alternative=alternative,
        method=method if rng is None else "Monte Carlo",
        observed=counts,
    )


def fisher_p(n: npt.ArrayLike, alternative: Alternative = "two-sided") -> float:
    """Return Fisher's exact p of one table of whole counts; 1 where the margins leave no choice."""
    cells = np.asarray(n).astype(np.int64)
    cells = cells[cells.sum(axis=1) > 0][:, cells.sum(axis=0) > 0]
    if min(cells.shape) < 2:
        return 1.0
    if cells.shape == (2, 2):
        return _two_by_two(cells, alternative)
    return network_p(cells if cells.shape[0] <= cells.shape[1] else cells.T, TIE)


def _probability(cells: FloatArray) -> float:
    """Return the probability of a table given its margins."""
    margins = sum(special.gammaln(cells.sum(axis=axis) + 1).sum() for axis in (0, 1))
    return float(np.exp(margins - special.gammaln(cells.sum() + 1) - special.gammaln(cells + 1).sum()))


def _each(n: FloatArray, test: Any) -> Number:
    """`test` of each table of a stack, each distinct table computed once."""
    flat, which = np.unique(n.reshape(-1, n.shape[-2] * n.shape[-1]), axis=0, return_inverse=True)
    values = np.array([test(cells.reshape(n.shape[-2:])) for cells in flat])
    return plain(values[which.ravel()].reshape(n.shape[:-2]))


def _conditional(cells: FloatArray) -> Any:
    from scipy import stats

    return stats.contingency.odds_ratio(cells.astype(np.int64), kind="conditional")


def _two_by_two(cells: Whole, alternative: Alternative) -> float:
    (a, b), (c, d) = cells.tolist()
    from scipy import stats

    law = stats.hypergeom(a + b + c + d, a + b, a + c)
    if alternative == "less":
        return float(law.cdf(a))
    if alternative == "greater":
        return float(law.sf(a - 1))
    chance = law.pmf(np.arange(max(0, a - d), min(a + b, a + c) + 1))
    return float(min(1.0, chance[chance <= law.pmf(a) * (1 + TIE)].sum()))


def _monte_carlo(cells: FloatArray, rng: np.random.Generator, n_resamples: int) -> float:
    rows, columns = (cells.sum(axis=axis).astype(np.int64) for axis in (1, 0))
    from scipy import stats

    random_tables = stats.random_table(rows, columns).rvs(n_resamples, random_state=rng)
    chance = -special.gammaln(random_tables + 1).sum(axis=(-2, -1))
    hits = int((chance <= -special.gammaln(cells + 1).sum() + TIE).sum())
    return (hits + 1) / (n_resamples + 1)
