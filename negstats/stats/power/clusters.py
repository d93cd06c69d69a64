"""Designs of rows in clusters: kinds of clusters, whose rows stand at levels of factors; they draw `ClusterMoments`.

Of n clusters of a kind the sum of the outcome vectors is normal and their cross-products about it are Wishart; all of
`ClusterMoments` follows from these, so that the work does not depend on n.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.power.drawing import Design, wishart_root
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_number
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.clusters import CodedRows
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.formulas import Formula
from negstats.stats.summaries.frames import Factor

CLUSTER = "cluster"


@dataclass(frozen=True, slots=True, eq=False)
class ClusterDesign(Design):
    """Kinds of clusters, each with its rows; draws `ClusterMoments`. n are the clusters of each kind.

    `kinds` has one tuple of rows a kind, a row the levels of its columns; `mean` and `sd` a number for each; the rows
    of a cluster correlate with `correlation`. If `shares` is given, `resized` deals n clusters a cell to the kinds by
    these shares, `cells` cells in all, and `smallest` is that n.
    """

    kinds: tuple[tuple[Mapping[str, str], ...], ...]
    mean: tuple[tuple[float, ...], ...]
    sd: tuple[tuple[float, ...], ...]
    correlation: float
    formula: str
    shares: FloatArray | None = None
    cells: float = 1.0

    @property
    def sizes(self) -> FloatArray:
        """Rows of a cluster of each kind."""
        return np.array([len(rows) for rows in self.kinds], dtype=np.float64)

    @property
    def drawn(self) -> float:
        """How many random numbers one study takes, about."""
        return float((self.sizes * (self.sizes + 1)).sum())

    @property
    def smallest(self) -> int:
        """Clusters of the least kind, or, where they are dealt out, a cell."""
        return int(self.n.min()) if self.shares is None else round(float(self.n.sum()) / self.cells)

    def resized(self, n: int) -> ClusterDesign:
        """Return the design with `n` clusters of the least kind, or, where they are dealt out, a cell."""
        if self.shares is None:
            if n < 1:
                raise DesignError(f"n is {n}; give at least 1 cluster of the least kind")
            return dataclasses.replace(self, n=np.asarray(np.round(self.n / self.n.min() * n)))
        target = round(n * self.cells) * self.shares
        dealt = np.floor(target + 1e-9)
        most = np.argsort(-(target - dealt), kind="stable")[: round(float(target.sum() - dealt.sum()))]
        dealt[most] += 1
        return dataclasses.replace(self, n=dealt)

    def draw(self, n_simulations: int, rng: np.random.Generator) -> ClusterMoments:
        """Draw of each kind the sum and the cross-products of its clusters' outcomes."""
        rows = pd.DataFrame([{**row, CLUSTER: place} for place, kind in enumerate(self.kinds) for row in kind])
        parsed_formula = Formula.parse(self.formula)
        coded_rows = CodedRows.of(rows.assign(**{parsed_formula.outcome: 0.0}), parsed_formula, (CLUSTER,))
        coding = Coding.of(coded_rows.formula, coded_rows.factors)
        columns = np.split(coding.matrix(coded_rows.columns), np.cumsum(self.sizes.astype(int))[:-1])
        origin = min(map(min, self.mean))
        cluster_sizes = np.unique(self.sizes[self.n > 0])
        c = len(coding.parts) + 1
        cross, totals = np.zeros((n_simulations, c, c)), np.zeros((n_simulations, len(cluster_sizes), c, c))
        for n, x, mean, sd in zip(self.n.astype(int), columns, self.mean, self.sd, strict=True):
            if n:
                at = int(np.searchsorted(cluster_sizes, len(mean)))
                rows_of, totals_of = self._kind(n, x, np.array(mean) - origin, np.array(sd), n_simulations, rng)
                cross += rows_of
                totals[:, at] += totals_of
        clusters = np.array([self.n[self.sizes == size].sum() for size in cluster_sizes])
        return ClusterMoments(
            coding=coding,
            rows=np.full(n_simulations, float(self.n @ self.sizes)),
            cross=cross,
            sizes=cluster_sizes,
            clusters=np.broadcast_to(clusters, (n_simulations, len(cluster_sizes))),
            totals=totals,
            cluster=CLUSTER,
            origin={parsed_formula.outcome: origin},
        )

    def _kind(
        self, n: int, x: FloatArray, mean: FloatArray, sd: FloatArray, n_simulations: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Return Σ z z′ over rows, and over the totals of clusters, of n clusters with predictors x."""
        k = len(mean)
        root = np.linalg.cholesky(np.full((k, k), self.correlation) + (1 - self.correlation) * np.eye(k)) * sd[:, None]
        total = n * mean + np.sqrt(n) * rng.standard_normal((n_simulations, k)) @ root.T
        half = root @ wishart_root(n - 1, k, n_simulations, rng)
        squares = half @ np.swapaxes(half, -1, -2) + total[:, :, None] * total[:, None, :] / n  # Σ y y′
        sums = x.sum(axis=0)
        return (
            _join_blocks(np.trace(squares, axis1=-2, axis2=-1), total @ x, n * x.T @ x),
            _join_blocks(squares.sum(axis=(-2, -1)), total.sum(axis=-1)[:, None] * sums, n * np.outer(sums, sums)),
        )


def _join_blocks(yy: FloatArray, xy: FloatArray, xx: FloatArray) -> FloatArray:
    """Return the blocks of outcome and predictors as one matrix a study."""
    out = np.empty((len(yy), len(xx) + 1, len(xx) + 1))
    out[:, 0, 0], out[:, 1:, 1:] = yy, xx
    out[:, 0, 1:] = out[:, 1:, 0] = xy
    return out


def cluster_design(
    *,
    n_clusters: npt.ArrayLike,
    kinds: Sequence[Sequence[Mapping[str, str]]],
    mean: Sequence[Sequence[float]],
    correlation: float,
    formula: str,
    sd: float | Sequence[Sequence[float]] = 1.0,
) -> ClusterDesign:
    """Describe rows in clusters, such as people in groups; draws `ClusterMoments`, which `mixed` takes.

    Parameters
    ----------
    n_clusters
        How many of each kind; `resized` keeps their proportion.
    kinds
        Of each kind its rows, a row the levels of its factors.
    mean
        Of each row of each kind.
    correlation
        Of any two rows of a cluster, from −1/(size − 1) to 1.
    formula
        Of the model: "outcome ~ " and the factors.
    sd
        Of each row of each kind; one SD for all.

    Returns
    -------
    ClusterDesign
        A population that `simulated_power` draws from, all rows of a cluster together.

    Raises
    ------
    DesignError
        If the shapes do not fit, a number is none, or no rows correlate so.

    Examples
    --------
    Groups of four, two of each kind of negotiator:

    >>> from negstats.stats.models.mixed import mixed
    >>> from negstats.stats.power.simulate import simulated_power
    >>> rows = [{"style": "soft"}, {"style": "soft"}, {"style": "tough"}, {"style": "tough"}]
    >>> design = cluster_design(n_clusters=[20], kinds=[rows], mean=[[0.4, 0.4, 0, 0]], correlation=0.3,
    ...                         formula="outcome ~ style")
    >>> test = lambda moments: mixed(moments).test("style")
    >>> simulated_power(design, test, rng=np.random.default_rng(1), n_simulations=1000).apa()
    'power = .58, 95% CI [.55, .61] (n = 20, α = .05, 1,000 simulated studies)'
    """
    n = np.atleast_1d(np.asarray(n_clusters, dtype=np.float64))
    rows = tuple(tuple(dict(row) for row in kind) for kind in kinds)
    means = tuple(tuple(check_number("mean", value) for value in kind) for kind in mean)
    sizes = [len(kind) for kind in rows]
    spread = [[sd] * size for size in sizes] if isinstance(sd, int | float) else sd
    spreads = tuple(tuple(check_number("sd", value) for value in kind) for kind in spread)
    if n.ndim != 1 or not len(n) == len(rows) == len(means) == len(spreads) or not all(sizes):
        raise DesignError(
            f"clusters has {n.size} numbers, kinds {len(rows)}, mean {len(means)}; give one of each for every kind"
        )
    if [len(kind) for kind in means] != sizes or [len(kind) for kind in spreads] != sizes:
        raise DesignError(f"mean and sd need a number for each row: kinds have {shown(sizes)} rows")
    if not (n >= 0).all() or (n != np.round(n)).any() or not n.any() or min(map(min, spreads)) <= 0:
        raise DesignError(f"n_clusters is {shown(n.tolist())}; give whole numbers, and positive SDs")
    if not -1 / max(max(sizes) - 1, 1) < check_number("correlation", correlation) < 1:
        raise DesignError(
            f"correlation is {shown(correlation)}; rows of clusters of {max(sizes)} have one above "
            f"{-1 / max(max(sizes) - 1, 1):.3g} and below 1"
        )
    kind_factor = Factor("kind", tuple(str(place + 1) for place in range(len(rows))))
    return ClusterDesign(n, (kind_factor,), rows, means, spreads, float(correlation), formula)
