"""Designs draw studies: each kind knows the distribution of its summary.

A design draws a stack of studies as the summary that tests take. Where the distribution of the summary is known it is
drawn as it is, without any raw value, so that the work does not depend on n: of n normal values the mean is normal with
variance σ²/n, the variance is σ² χ²(n − 1)/(n − 1), and both are independent; how often each of a few values occurs is
multinomial; means and covariances of repeated normal measures are normal and Wishart.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries import Cells, Counts, Moments, ValueCounts
from negstats.stats.summaries.frames import Factor


@dataclass(frozen=True, slots=True, eq=False)
class Design(ABC):
    """Sizes of cells, shape ``(*levels)``, and the population of each.

    Attributes
    ----------
    n : ndarray, shape (*levels)
        Observations (of repeated measures: subjects) in each cell.
    factors : tuple of Factor
        Names and levels, in the order of the axes.
    """

    n: FloatArray
    factors: tuple[Factor, ...]

    @abstractmethod
    def draw(self, n_simulations: int, rng: np.random.Generator) -> Any:
        """Return a stack of simulated studies, as the summary that the tests take.

        Parameters
        ----------
        n_simulations
            How many studies are drawn.
        rng
            Generator of the random numbers; the same seed gives the same studies.
        """

    @property
    def drawn(self) -> float:
        """How many random numbers one study takes, about."""
        return 2.0 * self.n.size

    def resized(self, n: int) -> Design:
        """Return the design with `n` observations in its smallest cell and the others in proportion, rounded.

        Parameters
        ----------
        n
            Observations in the smallest cell.

        Returns
        -------
        Design
            A design of the same effect; only its sizes differ.
        """
        if n < 1:
            raise DesignError(f"n is {n}; give at least 1 observation for the smallest cell")
        return dataclasses.replace(self, n=np.asarray(np.round(self.n / self.n.min() * n)))

    @property
    def smallest(self) -> int:
        """Size of the smallest cell."""
        return int(self.n.min())


@dataclass(frozen=True, slots=True, eq=False)
class NormalDesign(Design):
    """Independent normal observations; draws `Cells`. Mean and SD of each cell have the shape of n."""

    mean: FloatArray
    sd: FloatArray
    outcome: str = "outcome"

    def draw(self, n_simulations: int, rng: np.random.Generator) -> Cells:
        """Draw each cell's mean and variance from their own distributions."""
        n, mean, sd = self.n.ravel(), self.mean.ravel(), self.sd.ravel()  # one long axis: numpy is slow over short ones
        offset = rng.standard_normal((n_simulations, n.size))
        offset *= sd / np.sqrt(n)
        offset += mean
        df = np.maximum(n - 1, 1)
        variance = rng.chisquare(df, (n_simulations, n.size))
        variance *= sd**2
        variance /= df
        if n.min() < 2:
            variance[:, n < 2] = np.nan
        shape = (n_simulations, *self.n.shape)
        of_cells = (offset.reshape(shape), variance.reshape(shape))
        return Cells(np.broadcast_to(self.n, shape), *of_cells, self.factors, self.outcome)


@dataclass(frozen=True, slots=True, eq=False)
class OrdinalDesign(Design):
    """Observations that take one of a few values, such as points in small integers; draws `ValueCounts`.

    `values` ascend, shape (k,); `probabilities` of them in each cell have the shape ``(*levels, k)``.
    """

    values: FloatArray
    probabilities: FloatArray
    outcome: str = "outcome"

    @property
    def drawn(self) -> float:
        """How many random numbers one study takes."""
        return float(self.probabilities.size)

    def draw(self, n_simulations: int, rng: np.random.Generator) -> ValueCounts:
        """Draw how often each value occurs in each cell."""
        counts = _multinomial(self.n, self.probabilities, n_simulations, rng)
        return ValueCounts(self.values, counts, self.factors, self.outcome)


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalDesign(Design):
    """Observations that fall into one of several kinds; draws `Counts` with the kinds as the last dimension.

    `probabilities` of the kinds in each cell have the shape ``(*levels, kinds)``.
    """

    probabilities: FloatArray
    kinds: Factor

    @property
    def drawn(self) -> float:
        """How many random numbers one study takes."""
        return float(self.probabilities.size)

    def draw(self, n_simulations: int, rng: np.random.Generator) -> Counts:
        """Draw how many observations of each cell are of each kind."""
        return Counts(_multinomial(self.n, self.probabilities, n_simulations, rng), (*self.factors, self.kinds))


@dataclass(frozen=True, slots=True, eq=False)
class TableDesign(Design):
    """A table in which only the total n is fixed; draws `Counts`. `probabilities` have the table's shape."""

    probabilities: FloatArray

    @property
    def drawn(self) -> float:
        """How many random numbers one study takes."""
        return float(self.probabilities.size)

    def draw(self, n_simulations: int, rng: np.random.Generator) -> Counts:
        """Draw how many observations fall into each cell."""
        counts = _multinomial(self.n, self.probabilities.ravel(), n_simulations, rng)
        return Counts(counts.reshape(n_simulations, *self.probabilities.shape), self.factors)


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedDesign(Design):
    """Repeated normal measures of the same subjects; draws `Moments`.

    Means of the k measures have the shape ``(*between, k)``, covariances ``(*between, k, k)``.
    """

    mean: FloatArray
    covariance: FloatArray
    variables: Factor
    outcome: str = "outcome"

    @property
    def drawn(self) -> float:
        """How many random numbers one study takes."""
        return float(self.mean.size + self.covariance.size)

    def draw(self, n_simulations: int, rng: np.random.Generator) -> Moments:
        """Draw means and covariances of each cell from their own distributions."""
        k = len(self.variables)
        triangles = np.linalg.cholesky(self.covariance)
        deviations = (triangles @ rng.standard_normal((n_simulations, *self.mean.shape, 1)))[..., 0]
        mean = self.mean + deviations / np.sqrt(self.n)[..., None]
        covariance = np.full((n_simulations, *self.n.shape, k, k), np.nan)
        for cell in np.ndindex(self.n.shape):
            df = int(self.n[cell]) - 1
            if df > 0:
                scaled_root = triangles[cell] @ wishart_root(df, k, n_simulations, rng)
                covariance[(slice(None), *cell)] = scaled_root @ np.swapaxes(scaled_root, -1, -2) / df
        n = np.broadcast_to(self.n, (n_simulations, *self.n.shape))
        return Moments(n, mean, covariance, self.variables, self.factors, self.outcome)


@dataclass(frozen=True, slots=True, eq=False)
class SampledDesign(Design):
    """Observations of any distribution, drawn one by one; draws `Cells`, or `ValueCounts` of their ranks.

    `distributions` are one a cell, in the flat order of the cells. Ranks (1 to N in each study, equal values share one)
    are all that a test of ranks sees of the values.
    """

    distributions: tuple[Any, ...]
    summary: Literal["cells", "ranks"] = "cells"
    outcome: str = "outcome"

    @property
    def drawn(self) -> float:
        """How many numbers one study takes."""
        return float(self.n.sum()) * (self.n.size if self.summary == "ranks" else 1)

    def draw(self, n_simulations: int, rng: np.random.Generator) -> Cells | ValueCounts:
        """Draw every observation and summarize them."""
        sizes = self.n.ravel().astype(int)
        samples = [
            np.asarray(distribution.rvs(size=(n_simulations, size), random_state=rng), dtype=np.float64)
            for distribution, size in zip(self.distributions, sizes, strict=True)
        ]
        if self.summary == "ranks":
            return self._ranks(np.concatenate(samples, axis=1), sizes)
        cells = Cells.from_samples({str(cell): sample for cell, sample in enumerate(samples)})
        n, offset, variance = (x.reshape(n_simulations, *self.n.shape) for x in (cells.n, cells.offset, cells.variance))
        return Cells(n, offset, variance, self.factors, self.outcome, cells.origin)

    def _ranks(self, y: FloatArray, sizes: npt.NDArray[np.int_]) -> ValueCounts:
        studies, total = y.shape
        order = np.argsort(y, axis=1)
        sorted_y = np.take_along_axis(y, order, axis=1)
        # Equal values share a rank, and all studies are counted in one pass.
        rank = np.zeros(y.shape, dtype=np.intp)
        rank[:, 1:] = np.cumsum(np.diff(sorted_y, axis=1) > 0, axis=1)
        cell = np.repeat(np.arange(len(sizes)), sizes)[order]
        count_indices = (np.arange(studies)[:, None] * len(sizes) + cell) * total + rank
        counts = np.bincount(count_indices.ravel(), minlength=studies * len(sizes) * total).astype(np.float64)
        counts = counts.reshape(studies, *self.n.shape, total)
        return ValueCounts(np.arange(1.0, total + 1), counts, self.factors, self.outcome)


def _multinomial(n: FloatArray, probabilities: FloatArray, n_simulations: int, rng: np.random.Generator) -> FloatArray:
    shape = (n_simulations, *probabilities.shape[:-1])
    return rng.multinomial(n.astype(np.int64), probabilities, size=shape).astype(np.float64)


def wishart_root(df: int, k: int, n_simulations: int, rng: np.random.Generator) -> FloatArray:
    """Return A with A A' from the standard Wishart distribution, shape (studies, k, ...).

    Bartlett's decomposition (Anderson, 2003, An Introduction to Multivariate Statistical Analysis, theorem 7.2.1); with
    fewer degrees of freedom than measures the deviations themselves.
    """
    if df < k:
        return rng.standard_normal((n_simulations, k, df))
    # Bartlett: a triangle of normals with roots of chi-squared on its diagonal.
    triangle = np.tril(rng.standard_normal((n_simulations, k, k)), -1)
    indices = np.arange(k)
    triangle[:, indices, indices] = np.sqrt(rng.chisquare(df - indices, (n_simulations, k)))
    return triangle
