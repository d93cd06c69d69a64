"""Designs of rows in clusters: kinds of clusters, whose rows stand at levels of factors; they draw `ClusterMoments`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.power.drawing import Design
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_number
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.frames import Factor

__all__ = ["ClusterDesign", "cluster_design"]

OUTCOME, CLUSTER = "outcome", "cluster"


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
        """How many random numbers one study takes, for each column that they are multiplied with."""
        return float(self.n @ self.sizes) * 6

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
        wanted = round(n * self.cells) * self.shares
        dealt = np.floor(wanted + 1e-9)
        most = np.argsort(-(wanted - dealt), kind="stable")[: round(float(wanted.sum() - dealt.sum()))]
        dealt[most] += 1
        return dataclasses.replace(self, n=dealt)

    def frame(self) -> pd.DataFrame:
        """Return the rows of the study without outcomes that mean anything."""
        parts, start = [], 0
        for rows, count in zip(self.kinds, self.n.astype(int), strict=True):
            if not count:
                continue
            one = pd.DataFrame([dict(row) for row in rows])
            part = pd.concat([one] * count, ignore_index=True)
            parts.append(part.assign(**{CLUSTER: start + np.repeat(np.arange(count), len(rows)), OUTCOME: 0.0}))
            start += count
        return pd.concat(parts, ignore_index=True)

    def draw(self, studies: int, rng: np.random.Generator) -> ClusterMoments:
        """Draw every row and summarize the clusters."""
        counts = self.n.astype(int)
        z = rng.standard_normal((studies, int(counts @ self.sizes)))
        parts, start = [], 0
        for count, mean, sd in zip(counts, self.mean, self.sd, strict=True):
            size = len(mean)
            part = z[:, start : start + count * size].reshape(studies, count, size)
            root = np.linalg.cholesky(np.full((size, size), self.correlation) + (1 - self.correlation) * np.eye(size))
            parts.append((np.array(mean) + part @ root.T * np.array(sd)).reshape(studies, -1))
            start += count * size
        frame = self.frame()
        moments = ClusterMoments.from_frame(frame, self.formula, CLUSTER)
        return moments.with_outcomes(frame, np.concatenate(parts, axis=1))


def cluster_design(
    *,
    clusters: npt.ArrayLike,
    kinds: Sequence[Sequence[Mapping[str, str]]],
    mean: Sequence[Sequence[float]],
    correlation: float,
    formula: str,
    sd: float | Sequence[Sequence[float]] = 1.0,
) -> ClusterDesign:
    """Describe rows in clusters, such as people in groups; draws `ClusterMoments`, which `mixed` takes.

    Parameters
    ----------
    clusters
        How many of each kind; `resized` keeps their proportion.
    kinds
        Of each kind its rows, a row the levels of its factors.
    mean, sd
        Of each row of each kind; one SD for all.
    correlation
        Of any two rows of a cluster, from −1/(size − 1) to 1.
    formula
        Of the model: "outcome ~ " and the factors.

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
    >>> design = cluster_design(clusters=[20], kinds=[rows], mean=[[0.4, 0.4, 0, 0]], correlation=0.3,
    ...                         formula="outcome ~ style")
    >>> test = lambda moments: mixed(moments).test("style")
    >>> simulated_power(design, test, rng=np.random.default_rng(1), studies=1000).apa()
    'power = .56, 95% CI [.53, .59] (n = 20, α = .05, 1,000 simulated studies)'
    """
    n = np.atleast_1d(np.asarray(clusters, dtype=np.float64))
    rows = tuple(tuple(dict(row) for row in kind) for kind in kinds)
    means = tuple(tuple(check_number("mean", value) for value in kind) for kind in mean)
    sizes = [len(kind) for kind in rows]
    spread = [[sd] * size for size in sizes] if isinstance(sd, int | float) else sd
    spreads = tuple(tuple(check_number("sd", value) for value in kind) for kind in spread)
    if n.ndim != 1 or not len(n) == len(rows) == len(means) == len(spreads) or not all(sizes):
        raise DesignError(
            f"clusters has {n.size} numbers, kinds {len(rows)}, mean {len(means)}; give one a kind of each"
        )
    if [len(kind) for kind in means] != sizes or [len(kind) for kind in spreads] != sizes:
        raise DesignError(f"mean and sd need a number for each row: kinds have {shown(sizes)} rows")
    if not (n >= 0).all() or (n != np.round(n)).any() or not n.any() or min(map(min, spreads)) <= 0:
        raise DesignError(f"clusters is {shown(n.tolist())}; give whole numbers, and positive SDs")
    if not -1 / max(max(sizes) - 1, 1) < check_number("correlation", correlation) < 1:
        raise DesignError(
            f"correlation is {shown(correlation)}; rows of clusters of {max(sizes)} have one above "
            f"{-1 / max(max(sizes) - 1, 1):.3g} and below 1"
        )
    named = Factor("kind", tuple(str(place + 1) for place in range(len(rows))))
    return ClusterDesign(n, (named,), rows, means, spreads, float(correlation), formula)
