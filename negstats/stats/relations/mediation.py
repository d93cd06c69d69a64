"""Mediation: how much of x's relation with y goes by way of a third measure; the product of two coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from negstats.errors import NotEstimable
from negstats.stats.relations._data import complete, complete_in_clusters
from negstats.stats.results import apa
from negstats.stats.results.intervals import percentile_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import check_count, check_rng, t_tails
from negstats.stats.results.result import Interval, Result
from negstats.stats.summaries.codes import IntArray
from negstats.stats.summaries.frames import names_of
from negstats.stats.summaries.resamples import multinomials


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mediation(Result):
    """The indirect effect a·b of x on y by way of m.

    Attributes
    ----------
    a, b, direct, total : float
        Slopes of m on x, of y on m given x, of y on x given m, and of y on x (the last is the sum of direct and a·b).
    a_se, b_se : float
        Standard errors of the least-squares fits, rows taken as independent.
    indirect : float
        a·b, in units of y a unit of x.
    sobel_z, sobel_p : float
        Sobel's test, beside the bootstrap only: the product is not normal.
    p : float
        Two-sided, from the share of resamples on the other side of 0; never 0.
    n, units, missing : int
        Complete rows, units redrawn, rows left out.
    names : tuple of str
        x, m, y.
    unit : str
        What was redrawn whole: "rows", or the column of clusters.
    n_resamples : int
        Those that gave a value.
    """

    a: float
    b: float
    direct: float
    total: float
    a_se: float
    b_se: float
    indirect: float
    sobel_z: float
    sobel_p: float
    p: float
    n: int
    units: int
    missing: int
    names: tuple[str, str, str]
    unit: str
    n_resamples: int
    drawn: FloatArray = field(repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the percentile interval of the indirect effect.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in units of the outcome per unit of the predictor.
        """
        return percentile_interval(self.drawn, confidence_level, f"percentile bootstrap of {self.unit}")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return a, b, their product with its interval, and the direct effect.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        str
            The sentence for a results section.
        """
        x, m, y = self.names
        return (
            f"{x} → {m} → {y}: a = {apa.number(self.a)}, b = {apa.number(self.b)}, indirect = "
            f"{apa.number(self.indirect)}, {self.confidence_interval(confidence_level)} "
            f"({self.n_resamples:,} resamples of "
            f"{self.units:,} {self.unit}); direct = {apa.number(self.direct)}"
        )


def _read_rows(data: Any, columns: Sequence[str], cluster: str | None) -> tuple[FloatArray, IntArray, int]:
    """Return the complete rows' numbers, the cluster of each (itself without one), and how many rows are left out."""
    if cluster is not None:
        return complete_in_clusters(data, columns, cluster, "x, m, y, covariates and cluster")
    values, missing = complete(data, columns, "x, m, y and covariates")
    return values, np.arange(len(values)), missing


def _sum_products(values: FloatArray, who: IntArray, columns: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return the sums of products of standardized columns, and a constant, by unit; and the columns' SDs."""
    deviations = values - values.mean(axis=0)
    for name, column, size in zip(columns, deviations.T, np.abs(values).max(axis=0), strict=True):
        if np.abs(column).max() <= ROUNDING * size:
            raise NotEstimable(f"{name!r} is constant; a constant cannot mediate an effect")
    scale = deviations.std(axis=0)
    z = np.column_stack([np.ones(len(deviations)), deviations / scale])
    products = np.zeros((int(who.max()) + 1, z.shape[1], z.shape[1]))
    np.add.at(products, who, z[:, :, None] * z[:, None, :])
    return products, scale


def mediation(
    data: Any,
    x: str,
    m: str,
    y: str,
    *,
    rng: np.random.Generator,
    covariates: str | Sequence[str] = (),
    cluster: str | None = None,
    n_resamples: int = 9999,
) -> Mediation:
    """Estimate the indirect effect of x on y by way of m, with a bootstrap interval.

    Parameters
    ----------
    data
        A frame of any engine with one row a unit, or arrays by name.
    x, m, y
        Numeric columns; a condition as 0 and 1.
    rng
        Draws the resamples.
    covariates
        Numeric columns held constant in both regressions.
    cluster
        What belongs together, such as the dyad: redrawn whole.
    n_resamples
        How many.

    Returns
    -------
    Mediation
        The paths a and b, the direct, indirect and total effect, and what the bootstrap has drawn.

    Raises
    ------
    DesignError
        If a column is not there or no number.
    NotEstimable
        If there are too few rows or clusters, or a column follows from others.

    Notes
    -----
    Methods as in MacKinnon, Lockwood and Williams (2004). That x goes before m and m before y, and that nothing else
    drives m and y, is taken for granted, and no number here can show it.

    References
    ----------
    MacKinnon, D. P., Lockwood, C. M., & Williams, J. (2004). Confidence limits for the indirect effect: Distribution of
    the product and resampling methods. Multivariate Behavioral Research, 39, 99–128.

    Examples
    --------
    >>> x = [2, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 18]
    >>> z = [5, 3, 6, 2, 7, 4, 8, 6, 9, 5, 10, 7]
    >>> y = [10, 12, 11, 17, 15, 20, 19, 24, 22, 27, 25, 31]
    >>> result = mediation({"x": x, "z": z, "y": y}, "x", "z", "y", rng=np.random.default_rng(1), n_resamples=1000)
    >>> round(result.a, 4), round(result.b, 4), round(result.indirect, 4)
    (0.2734, -0.7003, -0.1915)
    """
    controls = names_of(covariates)
    columns = [x, m, y, *controls]
    complete_values, who, missing = _read_rows(data, columns, cluster)
    units, p = (int(who.max()) + 1 if len(who) else 0), len(columns)
    if units < p + 1:
        raise NotEstimable(f"{units} complete {cluster or 'rows'} are too few for {p} coefficients; it needs {p + 1}")
    cross, scale = _sum_products(complete_values, who, columns)
    total = cross.sum(axis=0)
    if np.linalg.eigvalsh(np.delete(np.delete(total, 3, 0), 3, 1) / len(complete_values))[0] < 1e-12:
        raise NotEstimable(f"one of {', '.join([x, m, *controls])} follows from the others; leave it out")
    a, b, direct, whole_effect = (float(part[0]) for part in _paths(total[None], scale))
    a_se, b_se = _errors(total, scale, len(complete_values))
    times = multinomials(check_rng(rng), units, check_count("n_resamples", n_resamples, 2))
    products = np.concatenate([np.tensordot(portion, cross, axes=1) for portion in times])
    drawn_a, drawn_b, _, _ = _paths(products, scale)
    indirect_effects = drawn_a * drawn_b
    indirect_effects = indirect_effects[np.isfinite(indirect_effects)]
    n_beyond = min(int((indirect_effects <= 0).sum()), int((indirect_effects >= 0).sum()))
    sobel = a * b / np.sqrt(a**2 * b_se**2 + b**2 * a_se**2)
    return Mediation(
        a=a,
        b=b,
        direct=direct,
        total=whole_effect,
        a_se=a_se,
        b_se=b_se,
        indirect=a * b,
        sobel_z=float(sobel),
        sobel_p=float(t_tails(sobel)),
        p=min(1.0, 2 * (n_beyond + 1) / (len(indirect_effects) + 1)),
        n=len(complete_values),
        units=units,
        missing=missing,
        names=(x, m, y),
        unit=cluster or "rows",
        n_resamples=len(indirect_effects),
        drawn=indirect_effects,
    )


def _paths(cross: FloatArray, scale: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return a, b, the direct and the total effect of stacked cross-products of (1, x, m, y, covariates)."""
    size = cross.shape[-1]
    controls = list(range(4, size))
    ridge = np.eye(size)

    def compute_slopes(outcome: int, on: list[int]) -> FloatArray:
        matrix = cross[..., on, :][..., on]
        singular = np.linalg.cond(matrix) > 1e12
        safe = np.where(singular[..., None, None], ridge[: len(on), : len(on)], matrix)
        coefficients = np.linalg.solve(safe, cross[..., on, outcome][..., None])[..., 0]
        return np.where(singular[..., None], np.nan, coefficients)

    a = compute_slopes(2, [0, 1, *controls])[..., 1] * scale[1] / scale[0]
    both = compute_slopes(3, [0, 1, 2, *controls])
    total = compute_slopes(3, [0, 1, *controls])[..., 1] * scale[2] / scale[0]
    return a, both[..., 2] * scale[2] / scale[1], both[..., 1] * scale[2] / scale[0], total


def _errors(cross: FloatArray, scale: FloatArray, n: int) -> tuple[float, float]:
    """Return the standard errors of a and b."""
    controls = list(range(4, cross.shape[0]))
    errors = []
    for outcome, on, own, unit in (
        (2, [0, 1, *controls], 1, scale[1] / scale[0]),
        (3, [0, 1, 2, *controls], 2, scale[2] / scale[1]),
    ):
        inverse = np.linalg.inv(cross[np.ix_(on, on)])
        rss = cross[outcome, outcome] - cross[on, outcome] @ inverse @ cross[on, outcome]
        errors.append(float(unit * np.sqrt(rss / (n - len(on)) * inverse[own, own])))
    return errors[0], errors[1]
