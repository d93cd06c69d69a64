"""The network algorithm for Fisher's exact test of tables larger than 2 × 2.

A table is filled column by column. A node is what is left of the row sums, in ascending order, for the order of the
rows is of no account; an edge is one way to fill the next column. Paths that reach a node with the same probability are
one path with a weight. Where all completions of a path are no more probable than the observed table, or all are more
probable, the path goes no further: the longest and the shortest way from each node to the end say so (Mehta, C. R., &
Patel, N. R., 1983, A network algorithm for performing Fisher's exact test in r × c contingency tables, JASA, 78,
427–434). Whole stages are arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import special

from negstats.errors import DesignError
from negstats.stats.results.numbers import FloatArray

Whole = npt.NDArray[np.int64]
Short = npt.NDArray[np.int32]

DECIMALS = 9  # of log probabilities by which paths are one; far finer than a tie
EDGES = 30_000_000  # edges of the network that may be enumerated before a table is called too large
NODES = 50_000_000  # places of a table of all nodes of a stage
PATHS = 1e9  # steps of paths, likewise
CHUNK = 2_000_000  # steps of paths that are held at once


@dataclass(frozen=True, slots=True)
class Stage:
    """The edges from the nodes of one stage to those of the next, ordered by the node that they leave."""

    first: Whole  # for each node its first edge, and the number of edges at the end
    target: Whole  # the node that an edge leads to
    value: FloatArray  # −Σ ln n! of the column
    chance: FloatArray  # probability of the edge, given its node


def network_p(cells: Whole, tie: float) -> float:
    """Return the probability of the tables with the margins of `cells` that are no more probable than it.

    Parameters
    ----------
    cells
        Whole counts; rows are as many as columns or fewer, and no margin is 0.
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
    columns = np.sort(cells.sum(axis=0))  # few ways at first, so that paths are few where bounds are loose
    nodes = [np.sort(cells.sum(axis=1))[None, :]]
    stages: list[Stage] = []
    for size in columns[:-1]:
        stage, next_nodes = _build_stage(nodes[-1], int(size), ln, EDGES - sum(len(one.value) for one in stages))
        stages.append(stage)
        nodes.append(next_nodes)
    longest, shortest = _find_lengths(stages, -ln[nodes[-1]].sum(axis=1))
    node, value, weight, p = np.zeros(1, np.int64), np.zeros(1), np.ones(1), 0.0
    steps = 0.0
    for place, stage in enumerate(stages[:-1]):
        live_nodes = []
        for part in _split(node, stage):
            below, passed = _step(stage, node[part], value[part], weight[part], limit, place, longest, shortest)
            p += below
            live_nodes.append(passed)
            steps += float(np.diff(stage.first)[node[part]].sum())
            if steps > PATHS:
                raise DesignError(TOO_LARGE)
        node, value, weight = _merge(*(np.concatenate(of) for of in zip(*live_nodes, strict=True)))
        if not len(node):
            return min(1.0, p)
    return min(1.0, p + _finish(stages[-1], longest[-1], node, limit - value, weight))


TOO_LARGE = "the table is too large for an exact p; give rng to estimate it from random tables"


def _build_stage(nodes: Whole, size: int, ln: FloatArray, room: int) -> tuple[Stage, Whole]:
    """Return the edges by which a column of `size` leaves each node, and the nodes of the next stage."""
    origin, left, logs = np.arange(len(nodes)), np.full(len(nodes), size), np.zeros(len(nodes))
    rest: list[Short] = []  # what is left of each row
    beyond = np.cumsum(nodes[:, ::-1], axis=1)[:, ::-1]  # what a row and those after it can take
    for row in range(nodes.shape[1] - 1):
        margin = nodes[origin, row]
        low, high = np.maximum(0, left - beyond[origin, row + 1]), np.minimum(left, margin)
        ways = high - low + 1
        edges = int(ways.sum())
        if edges > room:
            raise DesignError(TOO_LARGE)
        taken = np.repeat(low - (np.cumsum(ways) - ways), ways) + np.arange(edges)
        rest = [np.repeat(each, ways) for each in rest]
        rest.append((np.repeat(margin, ways) - taken).astype(np.int32))
        left, logs, origin = np.repeat(left, ways) - taken, np.repeat(logs, ways) + ln[taken], np.repeat(origin, ways)
    rest.append((nodes[origin, -1] - left).astype(np.int32))  # the last row takes what is left
    value = -(logs + ln[left])
    next_nodes, target = _number_nodes(_sort_rows(rest))
    total_after, total_before = -ln[next_nodes].sum(axis=1), -ln[nodes].sum(axis=1)
    count = int(next_nodes[0].sum())
    log_chance = value + total_after[target] - total_before[origin] + ln[count] + ln[size] - ln[count + size]
    first = np.searchsorted(origin, np.arange(len(nodes) + 1))
    return Stage(first, target, value, np.exp(log_chance)), next_nodes


def _sort_rows(columns: list[Short]) -> list[Short]:
    """Return columns whose rows are in ascending order, by exchanges of whole columns: rows are short and many."""
    columns = columns.copy()
    for last in range(len(columns) - 1, 0, -1):
        for place in range(last):
            one, other = columns[place], columns[place + 1]
            columns[place], columns[place + 1] = np.minimum(one, other), np.maximum(one, other)
    return columns


def _number_nodes(rest: list[Short]) -> tuple[Whole, Whole]:
    """Return the distinct rows of columns, which have one sum, and the place of each row among them."""
    sizes = [int(column.max()) + 1 for column in rest[:-1]]
    if float(np.prod(np.array(sizes, dtype=np.float64))) > NODES:
        raise DesignError(TOO_LARGE)
    keys, radix = np.zeros(len(rest[0]), dtype=np.int64), 1
    for column, most in zip(rest, sizes, strict=False):
        keys += column * np.int64(radix)
        radix *= most
    where = np.full(radix, -1)
    where[keys] = np.arange(len(keys))
    present = np.flatnonzero(where >= 0)
    rows = np.column_stack([column[where[present]] for column in rest]).astype(np.int64)
    where[present] = np.arange(len(present))
    return rows, where[keys]


def _find_lengths(stages: list[Stage], last: FloatArray) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return for the nodes of each stage the largest and the smallest log probability of what is left."""
    longest, shortest = [last], [last]
    for stage in reversed(stages):
        begin = stage.first[:-1]
        longest.insert(0, np.maximum.reduceat(stage.value + longest[0][stage.target], begin))
        shortest.insert(0, np.minimum.reduceat(stage.value + shortest[0][stage.target], begin))
    return longest, shortest


def _split(node: Whole, stage: Stage) -> Iterator[slice]:
    """Yield runs of paths that take about `CHUNK` steps together."""
    ways = np.cumsum(np.diff(stage.first)[node])
    cuts = np.searchsorted(ways, np.arange(CHUNK, ways[-1], CHUNK)) + 1
    edges = np.unique(np.concatenate([[0], cuts, [len(node)]]))
    for start, end in pairwise(edges.tolist()):
        yield slice(start, end)


def _step(
    stage: Stage,
    node: Whole,
    value: FloatArray,
    weight: FloatArray,
    limit: float,
    place: int,
    longest: list[FloatArray],
    shortest: list[FloatArray],
) -> tuple[float, tuple[Whole, FloatArray, FloatArray]]:
    """Return the probability of the paths that are settled below the limit, and the paths that go on."""
    ways = np.diff(stage.first)[node]
    path = np.repeat(np.arange(len(node)), ways)
    edge = np.arange(len(path)) + np.repeat(stage.first[node] - (np.cumsum(ways) - ways), ways)
    target, values = stage.target[edge], value[path] + stage.value[edge]
    weights = weight[path] * stage.chance[edge]
    below = values + longest[place + 1][target] <= limit
    open_paths = ~below & (values + shortest[place + 1][target] <= limit)
    passed = _merge(target[open_paths], values[open_paths], weights[open_paths])
    return float(weights[below].sum()), passed


def _merge(node: Whole, value: FloatArray, weight: FloatArray) -> tuple[Whole, FloatArray, FloatArray]:
    """Return paths of one node and one probability as one, with their weights together."""
    if not len(node):
        return node, value, weight
    word = np.round((value - value.min()) * 10.0**DECIMALS).astype(np.int64)
    keys = node * (int(word.max()) + 1) + word
    order = np.argsort(keys)
    begin = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return node[order][begin], value[order][begin], np.add.reduceat(weight[order], begin)


def _finish(stage: Stage, longest: FloatArray, node: Whole, limit: FloatArray, weight: FloatArray) -> float:
    """Return the probability of all completions by the last two columns that are within each path's limit."""
    values = stage.value + longest[stage.target]
    origin = np.repeat(np.arange(len(stage.first) - 1), np.diff(stage.first))
    by_value = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=np.int64)
    rank[by_value] = np.arange(len(values))
    keys = origin * (len(values) + 1) + rank
    order = np.argsort(keys)
    within = np.searchsorted(values[by_value], limit, "right")
    ends = np.searchsorted(keys[order], node * (len(values) + 1) + within)
    cumulated = np.concatenate([[0.0], np.cumsum(stage.chance[order])])
    return float(weight @ (cumulated[ends] - cumulated[stage.first[node]]))
