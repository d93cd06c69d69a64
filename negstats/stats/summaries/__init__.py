"""Summaries: all that a test needs of the data, made from raw rows, from a printed table or from simulated studies.

`Cells` hold n, mean and variance (tests of means), `Counts` a contingency table (tests of counts), `ValueCounts` how
often each value occurs (tests of ranks), `Moments` means and covariances of several
variables or repeated measures, `ClusterMoments` cross-products of rows and of cluster totals, `Rows` the rows, coded,
for what needs them. Summaries of two files
add up to the summary of both. A stack of many studies is the same arrays with axes in front: every array has the shape
``(*studies, *levels)``. The names are imported on first use: a sum by group needs no summary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from negstats._first_use import on_first_use

if TYPE_CHECKING:
    from negstats.stats.summaries.cells import Cells
    from negstats.stats.summaries.clusters import ClusterMoments
    from negstats.stats.summaries.counts import Counts
    from negstats.stats.summaries.frames import Factor
    from negstats.stats.summaries.moments import Moments
    from negstats.stats.summaries.rows import Rows
    from negstats.stats.summaries.values import ValueCounts

__all__ = ["Cells", "ClusterMoments", "Counts", "Factor", "Moments", "Rows", "ValueCounts"]

__getattr__, __dir__ = on_first_use(__name__, __file__)
