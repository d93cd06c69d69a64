"""Summaries: all that a test needs of the data, made from raw rows, from a printed table or from simulated studies.

`Cells` hold n, mean and variance (tests of means), `Counts` a contingency table (tests of counts), `ValueCounts` how
often each value occurs (tests of ranks), `Moments` means and covariances of several
variables or repeated measures, `ClusterMoments` cross-products of rows and of cluster totals, `Rows` the rows, coded,
for what needs them. Summaries of two files
add up to the summary of both. A stack of many studies is the same arrays with axes in front: every array has the shape
``(*studies, *levels)``. The names are imported on first use: a sum by group needs no summary.

Glossary
--------
outcome : the column that is summarised; *factor* : a column whose *levels* make cells; *code* : the place of a level;
*origin* : a number that is taken off a column before it is squared, so that no digits are lost; *moment* : a mean or a
covariance; *measure* : one of the repeated answers of a subject; *complete* : without a missing value.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
