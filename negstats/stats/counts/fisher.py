"""Fisher's exact test of independence, of 2 × 2 tables and (by the network algorithm) of larger ones.

A table is filled column by column. A node is what is left of the row sums, in ascending order, for the order of the
rows is of no account; an edge is one way to fill the next column. Paths that reach a node with the same probability are
one path with a weight. Where all completions of a path are no more probable than the observed table, or all are more
probable, the path goes no further: the longest and the shortest way from each node to the end say so (Mehta, C. R., &
Patel, N. R., 1983, A network algorithm for performing Fisher's exact test in r × c contingency tables, JASA, 78,
427–434). The edges of a node are sorted by the highest probability that they can lead to: those that settle a path are
the first ones, whose probability is a running sum, and only the others are walked. The last two columns are filled
together, and only for nodes that a path reaches.

The p is the probability, given both margins, of the tables that are no more probable than the observed one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from negstats.errors import DesignError
from negstats.stats.counts.contingency import TableResult, check_filled, check_whole, table, totals
from negstats.stats.effects._effect import Effect
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_count, check_rng
from negstats.stats.results.result import Interval, check_level
from negstats.stats.summaries import Counts
from negstats.stats.summaries.frames import By

Whole = npt.NDArray[np.int64]
Short = npt.NDArray[np.int32]
Paths = tuple[Whole, FloatArray, FloatArray]  # the node of each, its log probability, and its weight

DECIMALS = 9  # of log probabilities by which paths are one; far finer than a tie
EDGES = 40_000_000  # edges of the network that may be enumerated before a table is called too large
NODES = 50_000_000  # places of a table of all nodes of a stage
STEPS = 2e9  # edges that paths walk, likewise
PATHS = 20_000_000  # paths that are held at once, likewise
CHUNK = 1_000_000  # edges that are walked before paths are merged
TOO_LARGE = "the table is too large for an exact p; give rng to estimate it from random tables"


@dataclass(frozen=True, slots=True)
class Stage:
    """The edges from the nodes of one stage to those of the next, ordered by the node that they leave."""

    first: Whole  # for each node its first edge, and the number of edges at the end
    target: Short  # the node that an edge leads to
    value: FloatArray  # −Σ ln n! of the column
    before: FloatArray  # for each node, and
    after: FloatArray  # for each next one, what with an edge's value makes the logarithm of its probability


def network_p(cells: Whole, tie: float) -> float:
    """Return the probability of the tables with the margins of `cells` that are no more probable than it.

    Parameters
    ----------
    cells
        Whole counts; rows are as many as columns or fewer, columns are at least three, and no margin is 0.
    tie
        The difference of log probabilities up to which two tables are equally probable.

    Raises
    ------
    DesignError
        If the network is too large.

    Examples
    --------
    >>> round(network_p(np.array([[3, 1, 2], [0, 4, 3]]), 1e-7), 6)
    0.155012
    """
    ln = special.gammaln(np.arange(cells.sum() + 1) + 1)
    limit = -float(ln[cells].sum()) + tie
    *columns, size, _ = np.sort(cells.sum(axis=0)).tolist()  # few ways at first: paths are few where bounds are loose
    nodes = np.sort(cells.sum(axis=1))[None, :]
    radix = (*(nodes[0, :-1] + 1).tolist(),)
    if float(np.prod(radix, dtype=np.float64)) > NODES:
        raise DesignError(TOO_LARGE)
    # Forward: each column is a stage; what it can leave of the row totals are the nodes of the next.
    stages: list[Stage] = []
    for column in columns:
        stage, nodes = _build_stage(nodes, column, ln, radix, EDGES - sum(len(built.value) for built in stages))
        stages.append(stage)
    # Backward: the largest and the least log probability from each node to the end bound every path.
    longest, shortest = _find_lengths(stages, _find_longest(nodes, size, ln), -ln[nodes].sum(axis=1))
    paths: Paths = (np.zeros(1, np.int64), np.zeros(1), np.ones(1))
    # Paths whose bound lies below the observed table are settled; of the rest those that are equal are merged.
    p, steps = 0.0, 0
    for stage, longest_left, shortest_left in zip(stages, longest, shortest, strict=True):
        live: list[Paths] = []
        for settled_p, walked in _walk(stage, paths, limit, longest_left, shortest_left):
            p, steps = p + settled_p, steps + len(walked[0])
            if steps > STEPS:
                raise DesignError(TOO_LARGE)
            live.append(walked)
            if sum(len(walked_paths[0]) for walked_paths in live[1:]) > max(CHUNK, len(live[0][0])):
                live = [_merge(live)]
                if len(live[0][0]) > PATHS:
                    raise DesignError(TOO_LARGE)
        paths = _merge(live)
        if not len(paths[0]):
            return min(1.0, p)
    return min(1.0, p + _finish(nodes, size, ln, paths, limit))


def _enumerate(
    nodes: Whole, size: int, ln: FloatArray, room: int, *, is_last: bool = False
) -> tuple[Short, FloatArray, list[Short]]:
    """Return all ways to fill a column of `size`: the node of each, −Σ ln n! and what it leaves of each row.

    With `is_last`, what it leaves is the last column, which the sum then includes.
    """
    margins, origin = nodes.astype(np.int32), np.arange(len(nodes), dtype=np.int32)
    column_left, log_weights = np.full(len(nodes), size, dtype=np.int32), np.zeros(len(nodes))
    rows_left: list[Short] = []
    beyond = np.cumsum(margins[:, ::-1], axis=1, dtype=np.int32)[:, ::-1]  # what a row and those after it can take
    # A row takes at least what the rows after it cannot, and at most what is left of the column or its total.
    for row in range(nodes.shape[1] - 1):
        margin = margins[origin, row]
        least_taken = np.maximum(0, column_left - beyond[origin, row + 1])
        n_choices = np.minimum(column_left, margin) - least_taken + 1
        edges = int(n_choices.sum(dtype=np.int64))
        if edges > room:
            raise DesignError(TOO_LARGE)
        taken = np.arange(edges, dtype=np.int32)
        taken += np.repeat(least_taken - (np.cumsum(n_choices, dtype=np.int32) - n_choices), n_choices)
        log_weights = np.repeat(log_weights, n_choices) - ln[taken]
        column_left, origin = np.repeat(column_left, n_choices) - taken, np.repeat(origin, n_choices)
        taken = np.repeat(margin, n_choices) - taken  # from here on, what is left of the row
        if is_last:
            log_weights -= ln[taken]
        else:
            rows_left = [*(np.repeat(row_left, n_choices) for row_left in rows_left), taken]
    taken = margins[origin, -1] - column_left  # the last row takes what is left
    log_weights -= ln[column_left]
    if is_last:
        log_weights -= ln[taken]
    return origin, log_weights, [*rows_left, taken]


def _split(nodes: Whole, size: int) -> Iterator[tuple[int, int]]:
    """Yield runs of nodes that a column of `size` leaves in about `CHUNK` ways together."""
    # Neither the rows' totals nor the ways to part the column's total can be exceeded.
    max_ways = special.comb(size + nodes.shape[1] - 1, size)
    cumulative_ways = np.cumsum(np.minimum(np.prod(nodes[:, :-1] + 1.0, axis=1), max_ways))
    cuts = np.searchsorted(cumulative_ways, np.arange(CHUNK, cumulative_ways[-1], CHUNK)) + 1
    yield from pairwise(np.unique([0, *cuts.tolist(), len(nodes)]).tolist())


def _build_stage(nodes: Whole, size: int, ln: FloatArray, radix: tuple[int, ...], room: int) -> tuple[Stage, Whole]:
    """Return the edges by which a column of `size` leaves each node, and the nodes of the next stage."""
    words, values, edges_per_node = [], [], []
    for start, end in _split(nodes, size):
        origin, log_weights, rows_left = _enumerate(nodes[start:end], size, ln, room)
        room -= len(log_weights)
        words.append(_number(_sort_rows(rows_left), radix))
        values.append(log_weights)
        edges_per_node.append(np.bincount(origin, minlength=end - start))
    node_words = np.concatenate(words)
    # Nodes are the distinct ways to leave the rows, in the order of their numbers.
    present = np.zeros(int(np.prod(radix)), dtype=bool)
    present[node_words] = True
    node_of_word = np.cumsum(present, dtype=np.int32) - np.int32(1)
    count = int(nodes[0].sum()) - size
    columns = np.unravel_index(np.flatnonzero(present), radix)
    next_nodes = np.column_stack([*columns, count - sum(columns)]).astype(np.int64)
    # The probability of an edge rests on both nodes' margins: kept apart, so that edges hold one number.
    log_before = ln[nodes].sum(axis=1) + ln[count] + ln[size] - ln[count + size]
    first_edges = np.concatenate([[0], np.cumsum(np.concatenate(edges_per_node))])
    return Stage(
        first_edges, node_of_word[node_words], np.concatenate(values), log_before, -ln[next_nodes].sum(axis=1)
    ), next_nodes


def _sort_rows(columns: list[Short]) -> list[Short]:
    """Return columns whose rows are in ascending order, by exchanges of whole columns: rows are short and many."""
    columns = columns.copy()
    for unsorted_end in range(len(columns) - 1, 0, -1):
        for position in range(unsorted_end):
            column, next_column = columns[position], columns[position + 1]
            columns[position], columns[position + 1] = np.minimum(column, next_column), np.maximum(column, next_column)
    return columns


def _number(columns: list[Short], radix: tuple[int, ...]) -> Short:
    """Return a number of each row, which all but its last column give, for rows have one sum."""
    number = columns[0]
    for column, base in zip(columns[1:-1], radix[1:], strict=True):
        number = number * np.int32(base) + column
    return number


def _find_longest(nodes: Whole, size: int, ln: FloatArray) -> FloatArray:
    """Return the largest log probability of two last columns, of which the first has the sum `size`.

    One by one they go to the row whose log probability grows most by it: the sum is separable and concave.
    """
    units, node_rows = np.zeros_like(nodes), np.arange(len(nodes))
    # The product is largest if each unit goes to the row where it raises the product most.
    for _ in range(size):
        units[node_rows, np.argmax((nodes - units) / (units + 1), axis=1)] += 1
    return np.asarray(-(ln[units] + ln[nodes - units]).sum(axis=1))


def _find_lengths(
    stages: list[Stage], longest: FloatArray, shortest: FloatArray
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return for the nodes that each stage leads to the most and the least log probability of what is left.

    The least is a bound: at the last nodes it is that of a column that takes whole rows.
    """
    longest_left, shortest_left = [longest], [shortest]
    for stage in reversed(stages[1:]):
        begin = stage.first[:-1]
        longest_left.insert(0, np.maximum.reduceat(stage.value + longest_left[0][stage.target], begin))
        shortest_left.insert(0, np.minimum.reduceat(stage.value + shortest_left[0][stage.target], begin))
    return longest_left, shortest_left


def _group(node: Whole) -> Iterator[tuple[int, slice]]:
    """Yield each node with its run of paths, which are in the order of nodes."""
    edges = np.flatnonzero(np.diff(node, prepend=-1, append=-1)).tolist()
    for start, end in pairwise(edges):
        yield int(node[start]), slice(start, end)


def _walk(
    stage: Stage, paths: Paths, limit: float, longest_left: FloatArray, shortest_left: FloatArray
) -> Iterator[tuple[float, Paths]]:
    """Yield for the paths of each node the probability that is settled below the limit, and the paths that go on."""
    for node, run in _group(paths[0]):
        value, weight = paths[1][run], paths[2][run]
        edges = slice(stage.first[node], stage.first[node + 1])
        target, values = stage.target[edges], stage.value[edges]
        bounds = values + longest_left[target]
        # Edges in the order of their bounds: for each path a run of them is settled, the others go on.
        order = np.argsort(bounds)
        target, values = target[order], values[order]
        chance = np.exp(values + stage.before[node] + stage.after[target])
        # How many edges of each path end below the limit whatever follows; their probabilities sum at once.
        settled = np.searchsorted(bounds[order], limit - value, "right")
        sums = np.concatenate([[0.0], np.cumsum(chance)])
        settled_p = float(weight @ sums[settled])
        n_open = len(bounds) - settled
        batch_ends = np.searchsorted(np.cumsum(n_open), np.arange(CHUNK, n_open.sum(), CHUNK)) + 1
        for start, end in pairwise(np.unique([0, *batch_ends.tolist(), len(value)]).tolist()):
            path_ways = n_open[start:end]
            # Open edges of each path, in batches; an edge whose least
            # completion exceeds the limit contributes nothing.
            path = np.repeat(np.arange(start, end), path_ways)
            edge = np.arange(len(path)) + np.repeat(settled[start:end] - (np.cumsum(path_ways) - path_ways), path_ways)
            reached = value[path] + values[edge]
            open_paths = np.flatnonzero(reached + shortest_left[target[edge]] <= limit)
            path, edge = path[open_paths], edge[open_paths]
            yield settled_p, (target[edge].astype(np.int64), reached[open_paths], weight[path] * chance[edge])
            settled_p = 0.0


def _merge(batches: list[Paths]) -> Paths:
    """Return paths of one node and one probability as one, with their weights together, in the order of nodes."""
    node, value, weight = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
    if not len(node):
        return node, value, weight
    # Values that agree to the precision count as one path.
    value_codes = np.round((value - value.min()) * 10.0**DECIMALS).astype(np.int64)
    keys = node * (int(value_codes.max()) + 1) + value_codes
    order = np.argsort(keys)
    begin = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return node[order][begin], value[order][begin], np.add.reduceat(weight[order], begin)


def _finish(nodes: Whole, size: int, ln: FloatArray, paths: Paths, limit: float) -> float:
    """Return the probability of all completions by the last two columns that are within each path's limit."""
    runs = list(_group(paths[0]))
    reached = nodes[[node for node, _ in runs]]
    count = int(nodes[0].sum())
    before = ln[reached].sum(axis=1) + ln[count - size] + ln[size] - ln[count]
    p = 0.0
    for start, end in _split(reached, size):
        origin, values, _ = _enumerate(reached[start:end], size, ln, EDGES, is_last=True)
        first_values = np.searchsorted(origin, np.arange(end - start + 1))
        for run_index, (start_value, end_value) in enumerate(pairwise(first_values.tolist()), start):
            run = runs[run_index][1]
            # The completions of a node in order: what lies within a
            # path's limit is a sum up to one place.
            ordered = np.sort(values[start_value:end_value])
            sums = np.concatenate([[0.0], np.cumsum(np.exp(ordered + before[run_index]))])
            p += float(paths[2][run] @ sums[np.searchsorted(ordered, limit - paths[1][run], "right")])
    return p


Alternative = Literal["two-sided", "less", "greater"]

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
        return _test_tables(self.observed.n, lambda cells: float(_conditional(cells).statistic))

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
        interval = _conditional(self.observed.n).confidence_interval(confidence_level, self.alternative)
        return Interval(float(interval.low), float(interval.high), confidence_level, "Fisher")

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
        interval = self.confidence_interval()
        return (
            f"{text}, OR = {apa.with_interval(self.odds_ratio, interval.low, interval.high, interval.confidence_level)}"
        )


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
        mid_share = 0.5 if method == "mid-p" else 0.0
        p = _test_tables(counts.n, lambda cells: fisher_p(cells, alternative) - mid_share * _probability(cells))
    elif method == "mid-p":
        raise DesignError("a mid-p is exact; leave rng out, or give method='exact' for an estimate from random tables")
    elif alternative != "two-sided":
        raise DesignError("the Monte Carlo p is two-sided; leave rng out for a one-sided exact test")
    else:
        check_rng(rng)
        n_tables = check_count("n_resamples", n_resamples, 1)
        p = _test_tables(counts.n, lambda cells: _monte_carlo(cells, rng, n_tables))
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


def _test_tables(n: FloatArray, test: Any) -> Number:
    """`test` of each table of a stack, each distinct table computed once."""
    distinct, positions = np.unique(n.reshape(-1, n.shape[-2] * n.shape[-1]), axis=0, return_inverse=True)
    values = np.array([test(cells.reshape(n.shape[-2:])) for cells in distinct])
    return plain(values[positions.ravel()].reshape(n.shape[:-2]))


def _conditional(cells: FloatArray) -> Any:

    return scipy.stats.contingency.odds_ratio(cells.astype(np.int64), kind="conditional")


def _two_by_two(cells: Whole, alternative: Alternative) -> float:
    (a, b), (c, d) = cells.tolist()

    distribution = scipy.stats.hypergeom(a + b + c + d, a + b, a + c)
    if alternative == "less":
        return float(distribution.cdf(a))
    if alternative == "greater":
        return float(distribution.sf(a - 1))
    probabilities = distribution.pmf(np.arange(max(0, a - d), min(a + b, a + c) + 1))
    return float(min(1.0, probabilities[probabilities <= distribution.pmf(a) * (1 + TIE)].sum()))


def _monte_carlo(cells: FloatArray, rng: np.random.Generator, n_resamples: int) -> float:
    rows, columns = (cells.sum(axis=axis).astype(np.int64) for axis in (1, 0))

    random_tables = scipy.stats.random_table(rows, columns).rvs(n_resamples, random_state=rng)
    log_probabilities = -special.gammaln(random_tables + 1).sum(axis=(-2, -1))
    n_extreme = int((log_probabilities <= -special.gammaln(cells + 1).sum() + TIE).sum())
    return (n_extreme + 1) / (n_resamples + 1)
