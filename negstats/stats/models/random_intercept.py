"""The random-intercept model from cross-products: likelihood, fit, information, degrees of freedom, refusals.

With V = σ²(I + γJ) in each cluster, (I + γJ)⁻¹ = I − γa J, a = 1/(1 + kγ) for a cluster of k rows, so that every
X′V⁻¹X and its derivatives are sums over the cluster sizes. All arrays have one study a first index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries import ClusterMoments
from negstats.stats.summaries.coding import Coding

# A column whose part that the columns before it do not explain is below this share is taken as explained.
SHARE = 1e-12


def check_data(moments: ClusterMoments) -> None:
    """Raise if one study cannot have a random intercept with these predictors."""
    clusters = int(moments.clusters.sum())
    if clusters < 2:
        raise DesignError(f"all rows are in one cluster of {moments.cluster!r}; a random intercept needs several")
    if moments.sizes[moments.clusters > 0].max() == 1:
        raise NotEstimable(
            f"each of the {clusters} clusters of {moments.cluster!r} has one row: clusters and rows are the same; "
            "use a model without clusters"
        )
    check_cross(moments.cross, int(moments.rows), moments.coding)
    gram = moments.cross[1:, 1:]
    within_products = gram - np.einsum("k,kab->ab", 1 / moments.sizes, moments.totals[:, 1:, 1:])
    scale = 1 / np.sqrt(np.diagonal(gram))
    n_between = int((np.linalg.eigvalsh(within_products * scale[:, None] * scale) < 1e-10).sum())
    if clusters <= n_between:
        raise DesignError(
            f"{clusters} clusters of {moments.cluster!r} cannot give {n_between} coefficients that differ only between "
            "clusters; leave terms out"
        )


def check_cross(cross: FloatArray, rows: int, coding: Coding) -> None:
    """Raise if Σ z z′ of one study cannot give these coefficients and a variance to test them by."""
    gram = cross[1:, 1:]
    check_independent(gram, rows, coding)
    residual_square = cross[0, 0] - cross[0, 1:] @ np.linalg.solve(gram, cross[1:, 0])
    if not residual_square > SHARE * cross[0, 0]:
        raise NotEstimable(f"{coding.outcome!r} is predicted without error; no variance is left for a test")


def check_independent(gram: FloatArray, rows: int, coding: Coding) -> None:
    """Raise if a column of X follows from the others, by X'X, or there are no more rows than columns."""
    if rows <= len(gram):
        raise DesignError(f"{rows} rows cannot give {len(gram)} coefficients; leave terms out")
    dependent = _dependent(gram)
    if dependent is None:
        return
    name, share = coding.names[dependent[0]], dependent[1]
    if share <= rows * float(np.finfo(np.float64).eps):
        raise DesignError(f"the column {name!r} follows from the others (empty cell, constant); leave it out")
    raise DesignError(
        f"the column {name!r} is nearly a sum of the others: a share of {share:.1e} of its squares is left, so "
        f"{-np.log10(share):.0f} of 16 digits are lost; measure covariates from a nearer origin (a day from the first "
        "one) before you square or multiply them, or leave it out"
    )


def check_fit(moments: ClusterMoments, fit: Fit, *, negative: bool) -> NoReturn:
    """Raise why no ratio of variances was the best."""
    outcome = moments.coding.outcome
    if negative and fit.gamma[0] < 0:
        largest = int(moments.sizes[moments.clusters > 0].max())
        if largest == 2:
            raise NotEstimable(
                f"the two values of {outcome!r} in each pair always sum to what the predictors say, as in a game of "
                "fixed sum; analyse one seat"
            )
        raise NotEstimable(
            f"the totals of {outcome!r} in the largest clusters ({largest} rows) are predicted without error, so their "
            "correlation cannot be estimated",
            advice="give between='positive'",
        )
    raise NotEstimable(f"{outcome!r} hardly varies within clusters after the predictors; analyse one row per cluster")


def _dependent(gram: FloatArray) -> tuple[int, float] | None:
    """Return the first column that follows from those before it and the share of its squares that these leave.

    By Cholesky's pivots of the scaled matrix. The rows' own sums are exact to eps, so a share is exact to eps / share:
    5 digits at the least that is taken.
    """
    size = np.sqrt(np.diagonal(gram))
    if (size == 0).any():
        return int((size == 0).argmax()), 0.0
    # Elimination, column by column: a pivot near 0 is a column that those before it give.
    reduced = gram / size[:, None] / size
    for column in range(len(reduced)):
        pivot = reduced[column, column]
        if pivot < SHARE * 100:
            return column, max(float(pivot), 0.0)
        reduced = reduced - np.outer(reduced[:, column], reduced[column]) / pivot
    return None


# Where γ is looked for before its equation is solved; a ratio of variances above 10⁴ leaves nothing within clusters.
MOST = 1e4
POINTS = np.append(0.0, np.geomspace(1e-6, MOST, 80))
# Numbers that an evaluation of all points together may copy (16 MB).
AT_ONCE = 2e6


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Rows (n,), sizes (K,), clusters (n, K), cross (n, c, c) and totals (n, K, c, c); c = 1 + p, the outcome first."""

    rows: FloatArray
    sizes: FloatArray
    clusters: FloatArray
    cross: FloatArray
    totals: FloatArray
    reml: bool

    @property
    def df(self) -> FloatArray:
        """N − p for REML, N for ML."""
        return self.rows - (self.cross.shape[-1] - 1 if self.reml else 0)

    def only(self, studies: npt.NDArray[np.intp]) -> Sums:
        """Return these studies, in this order."""
        return Sums(
            self.rows[studies],
            self.sizes,
            self.clusters[studies],
            self.cross[studies],
            self.totals[studies],
            self.reml,
        )

    def turned(self, turn: FloatArray) -> Sums:
        """Return the sums of other columns of predictors, X times `turn` (n, p, p)."""
        transform = np.zeros_like(self.cross)
        transform[:, 0, 0], transform[:, 1:, 1:] = 1.0, turn
        transposed = np.swapaxes(transform, 1, 2)
        cross, totals = transposed @ self.cross @ transform, transposed[:, None] @ self.totals @ transform[:, None]
        return Sums(self.rows, self.sizes, self.clusters, cross, totals, self.reml)

    def weighted(self, weights: FloatArray) -> FloatArray:
        """Return Σ_k w_k S_k, weights of shape (n, K)."""
        return np.asarray(np.einsum("nk,nkab->nab", weights, self.totals))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What follows from γ: β (n, p), A⁻¹ (n, p, p), RSS, σ², −2 ln L and its derivative in γ, each (n,)."""

    gamma: FloatArray
    beta: FloatArray
    inverse: FloatArray
    rss: FloatArray
    deviance: FloatArray
    slope: FloatArray
    sigma2: FloatArray

    @property
    def tau2(self) -> FloatArray:
        """γσ², a covariance where it is negative."""
        return self.gamma * self.sigma2

    @property
    def phi(self) -> FloatArray:
        """σ²A⁻¹, the covariance matrix of β."""
        return np.asarray(self.sigma2[:, None, None] * self.inverse)


def orthonormal(gram: FloatArray) -> FloatArray:
    """Return T (n, p, p) with T′ G T = I, upper triangular, for G = Σ x x′; NaN where a column follows from others."""
    size = np.sqrt(np.einsum("naa->na", gram))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations = gram / (size[:, :, None] * size[:, None, :])
    is_regular = np.isfinite(correlations).all(axis=(1, 2))
    is_regular[is_regular] = np.linalg.eigvalsh(correlations[is_regular])[:, 0] > 0
    to_orthonormal = np.full(gram.shape, np.nan)
    lower = np.linalg.cholesky(correlations[is_regular])
    to_orthonormal[is_regular] = np.swapaxes(np.linalg.inv(lower), 1, 2) / size[is_regular][:, :, None]
    return to_orthonormal


def at(sums: Sums, gamma: FloatArray) -> Fit:
    """Return the fit of the fixed effects and of σ² where γ is given."""
    # V⁻¹ of a cluster takes γ/(1 + kγ) of its totals from the cross products: sums suffice.
    shrinkage = 1 / (1 + sums.sizes * gamma[:, None])
    weighted_cross = sums.cross - sums.weighted(gamma[:, None] * shrinkage)
    is_finite = np.asarray(np.isfinite(weighted_cross).all(axis=(1, 2)))
    weighted_cross = np.where(is_finite[:, None, None], weighted_cross, np.eye(weighted_cross.shape[-1]))
    # Columns of unlike size cost no digits after they are brought to one.
    scale = 1 / np.sqrt(np.maximum(np.einsum("naa->na", weighted_cross[:, 1:, 1:]), np.finfo(float).tiny))
    scaled_gram = weighted_cross[:, 1:, 1:] * scale[:, :, None] * scale[:, None, :]
    sign, logdet = np.linalg.slogdet(scaled_gram)
    is_positive = np.asarray(is_finite & (sign > 0))
    # Generalised least squares at this γ, σ² at its best.
    inverse = np.linalg.inv(np.where(is_positive[:, None, None], scaled_gram, np.eye(scaled_gram.shape[-1])))
    inverse = inverse * scale[:, :, None] * scale[:, None, :]
    beta = np.einsum("nab,nb->na", inverse, weighted_cross[:, 1:, 0])
    residual_weights = np.concatenate([np.ones((len(gamma), 1)), -beta], axis=1)
    rss = np.einsum("na,nab,nb->n", residual_weights, weighted_cross, residual_weights)
    is_positive &= rss > 0
    df = sums.df
    slope_products = sums.weighted(shrinkage**2)
    # −2 ln L and its slope in γ.
    with np.errstate(divide="ignore", invalid="ignore"):
        deviance = (sums.clusters * np.log1p(sums.sizes * gamma[:, None])).sum(axis=1)
        deviance = deviance + df * (1 + np.log(2 * np.pi * rss / df))
        slope = (sums.clusters * sums.sizes * shrinkage).sum(axis=1) - df * np.einsum(
            "na,nab,nb->n", residual_weights, slope_products, residual_weights
        ) / rss
    if sums.reml:
        deviance = deviance + logdet - 2 * np.log(scale).sum(axis=1)
        slope = slope - np.einsum("nab,nba->n", inverse, slope_products[:, 1:, 1:])
    has_failed = ~is_positive
    deviance, slope = np.where(has_failed, np.nan, deviance), np.where(has_failed, np.nan, slope)
    return Fit(gamma, beta, inverse, rss, deviance, slope, np.where(has_failed, np.nan, rss / df))


def least_gamma(sums: Sums) -> FloatArray:
    """Return −1/k of the largest cluster of each study: below it, V is no covariance matrix."""
    sizes_in_use = np.where(sums.clusters > 0, sums.sizes, 0.0)
    return np.asarray(-1 / np.maximum(sizes_in_use.max(axis=1), 1.0))


def fit(sums: Sums, *, negative: bool) -> tuple[Fit, npt.NDArray[np.bool_]]:
    """Return the best fit of each study, and whether it stands at the end of the range, where no γ is the best.

    The derivative is solved, not the minimum, which would give half the digits.
    """
    studies = len(sums.rows)
    grid = np.broadcast_to(POINTS, (studies, len(POINTS)))
    if negative:
        # Spaced evenly in the logarithm of 1 + k γ, for the minimum may lie close to −1/k.
        negative_grid = np.geomspace(1e-9, 1, 60, endpoint=False) - 1
        grid = np.concatenate([-negative_grid * least_gamma(sums)[:, None], grid], axis=1)
    deviance = _on_grid(sums, grid)
    best_index = np.argmin(np.where(np.isnan(deviance), np.inf, deviance), axis=1)
    row = np.arange(studies)
    gamma = grid[row, best_index]
    lower, upper = grid[row, np.maximum(best_index - 1, 0)], grid[row, np.minimum(best_index + 1, grid.shape[1] - 1)]
    slope_low, slope_high = at(sums, lower).slope, at(sums, upper).slope
    # Where the slope changes sign around the best point of the grid, its root gives the last digits.
    interior = np.flatnonzero((slope_low < 0) & (slope_high > 0))
    if len(interior):
        from scipy.optimize import elementwise

        interior_sums = sums.only(interior)
        study_indices = np.arange(len(interior))

        def slope(value: FloatArray, study: FloatArray) -> FloatArray:
            positions = np.ravel(study).astype(np.intp)
            return at(interior_sums.only(positions), np.ravel(value)).slope.reshape(np.shape(value))

        root = elementwise.find_root(
            slope,
            (lower[interior], upper[interior]),
            args=(study_indices.astype(float),),
            tolerances={"xatol": 0.0, "xrtol": 1e-15, "fatol": 0.0, "frtol": 0.0},
            maxiter=200,
        )
        gamma = gamma.copy()
        gamma[interior] = root.x
    is_stuck = (best_index == grid.shape[1] - 1) | ((best_index == 0) & negative)
    return at(sums, gamma), is_stuck | np.isnan(deviance[row, best_index])


def _on_grid(sums: Sums, grid: FloatArray) -> FloatArray:
    """Return −2 ln L at each γ of a grid (n, points): all points at once where that is small, else one by one."""
    if grid.size * sums.totals[0].size <= AT_ONCE:
        repeated_sums = sums.only(np.repeat(np.arange(len(grid)), grid.shape[1]))
        return at(repeated_sums, grid.ravel()).deviance.reshape(grid.shape)
    return np.stack([at(sums, column).deviance for column in grid.T], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Information:
    """Derivatives in θ = (τ², σ²): P_i (n, 2, p, p), Q_ij (n, 2, 2, p, p); information observed, expected (n, 2, 2)."""

    p: FloatArray
    q: FloatArray
    observed: FloatArray
    expected: FloatArray


def information(sums: Sums, fit: Fit) -> Information:
    """Return the information on the variances and what the adjusted degrees of freedom are made of.

    P_i = Z′ ∂V⁻¹/∂θ_i Z and Q_ij = Z′V⁻¹G_iV⁻¹G_jV⁻¹Z with G₁ = J, G₂ = I.
    """
    gamma, s2 = fit.gamma[:, None], fit.sigma2
    shrinkage = 1 / (1 + sums.sizes * gamma)
    cluster_sizes, n_clusters = sums.sizes, sums.clusters
    unit = s2[:, None, None]
    # First and second derivatives of X′V⁻¹X in τ² and σ², as sums over cluster sizes.
    p1 = -sums.weighted(shrinkage**2) / unit**2
    p2 = -(sums.cross - sums.weighted(gamma * shrinkage * (1 + shrinkage))) / unit**2
    q11 = sums.weighted(cluster_sizes * shrinkage**3) / unit**3
    q12 = sums.weighted(shrinkage**3) / unit**3
    q22 = (sums.cross - sums.weighted(gamma * shrinkage * (1 + shrinkage + shrinkage**2))) / unit**3
    p = np.stack([p1, p2], axis=1)
    q = np.stack([np.stack([q11, q12], axis=1), np.stack([q12, q22], axis=1)], axis=1)
    # Traces of products of V⁻¹ and its derivatives.
    t11, t12, t22 = (
        (n_clusters * weights).sum(axis=1) / s2**2
        for weights in (cluster_sizes**2 * shrinkage**2, cluster_sizes * shrinkage**2, cluster_sizes - 1 + shrinkage**2)
    )
    t = np.stack([np.stack([t11, t12], axis=1), np.stack([t12, t22], axis=1)], axis=1)
    phi, px, qx = fit.phi, p[..., 1:, 1:], q[..., 1:, 1:]
    phi_px = np.einsum("nab,nibc->niac", phi, px)
    traces = t - 2 * np.einsum("nab,nijba->nij", phi, qx) + np.einsum("niab,njba->nij", phi_px, phi_px)
    half_traces = (traces if sums.reml else t) / 2
    residual_weights = np.concatenate([np.ones((len(s2), 1)), -fit.beta], axis=1)
    rp = np.einsum("na,niab->nib", residual_weights, p)[..., 1:]
    observed = (
        np.einsum("na,nijab,nb->nij", residual_weights, q, residual_weights)
        - np.einsum("nia,nab,njb->nij", rp, phi, rp)
        - half_traces
    )
    return Information(px, qx, observed, half_traces)


def inverted(matrix: FloatArray) -> FloatArray:
    """Return the inverse of each matrix; NaN where there is none."""
    if matrix.shape[-1] == 2:  # a stack of studies is worth the formula
        det = matrix[:, 0, 0] * matrix[:, 1, 1] - matrix[:, 0, 1] * matrix[:, 1, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            swapped = np.stack([matrix[:, 1, 1], -matrix[:, 0, 1], -matrix[:, 1, 0], matrix[:, 0, 0]], axis=1)
            return np.asarray(np.where(det == 0, np.nan, swapped.T / det).T.reshape(-1, 2, 2))
    scale = 1 / np.sqrt(np.abs(np.einsum("nii->ni", matrix)))
    try:
        inverse = np.linalg.inv(matrix * scale[:, :, None] * scale[:, None, :])
    except np.linalg.LinAlgError:
        return np.full(matrix.shape, np.nan)
    return np.asarray(inverse * scale[:, :, None] * scale[:, None, :])


def satterthwaite(sums: Sums, fit: Fit, known: Information, rows: FloatArray, *, bounded: bool) -> FloatArray:
    """Return the degrees of freedom ν = 2v²/(g′ I_O⁻¹ g) of single contrasts, rows (n, q, p); shape (n, q).

    Giesbrecht and Burns (1985), Communications in Statistics 14, with the observed information, as lmerTest. At a
    γ of 0 that may not be negative only σ² counts, and ν is N − p (N for ML).
    """
    phi = fit.phi
    row_covariance = rows @ phi
    variances = np.einsum("nqa,nqa->nq", row_covariance, rows)
    variance_slopes = -np.einsum("nqa,niab,nqb->nqi", row_covariance, known.p, row_covariance)
    with np.errstate(divide="ignore", invalid="ignore"):
        dfs = (
            2 * variances**2 / np.einsum("nqi,nij,nqj->nq", variance_slopes, inverted(known.observed), variance_slopes)
        )
    at_bound = (fit.gamma == 0) & bounded
    return np.where(at_bound[:, None], sums.df[:, None], dfs)


def fai_cornelius(nu: FloatArray) -> FloatArray:
    """Return the denominator df of an F of q contrasts from theirs, (n, q); Fai and Cornelius (1996), as lmerTest."""
    q = nu.shape[1]
    if q == 1:
        return nu[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        e = (nu / (nu - 2)).sum(axis=1)
        joint = 2 * e / (e - q)
    are_equal = np.abs(nu - nu.mean(axis=1, keepdims=True)).max(axis=1) < 1e-8
    return np.where((nu <= 2).any(axis=1), 2.0, np.where(are_equal, nu.mean(axis=1), joint))


def adjusted(phi: FloatArray, known: Information) -> FloatArray:
    """Return Φ_A, the covariance of β adjusted for small samples; Kenward and Roger (1997), Biometrics 53, eq. 3."""
    w = inverted(known.expected)
    inner = known.q - (known.p @ phi[:, None])[:, :, None] @ known.p[:, None]
    return np.asarray(phi + 2 * phi @ np.einsum("nij,nijab->nab", w, inner) @ phi)


def kenward_roger(phi: FloatArray, known: Information, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return λ and the denominator df of the F of q contrasts, rows (n, q, p); shapes (n,).

    Kenward and Roger (1997), Biometrics 53, p. 987, with the guards of pbkrtest. NaN where there is too little
    information for any df.
    """
    w, q = inverted(known.expected), rows.shape[1]
    transposed = np.swapaxes(rows, 1, 2)
    # Kenward and Roger (1997): A₁ and A₂ measure how the covariance
    # parameters' uncertainty moves the rows' covariance.
    theta = transposed @ np.linalg.pinv(rows @ phi @ transposed) @ rows
    row_changes = (theta @ phi)[:, None] @ known.p @ phi[:, None]
    traces = np.einsum("niaa->ni", row_changes)
    a2 = np.einsum("nij,niab,njba->n", w, row_changes, row_changes)
    with np.errstate(divide="ignore", invalid="ignore"):
        if q == 1:
            df = 2 / a2
            return np.ones_like(df), np.where(np.isfinite(df) & (df > 0), df, np.nan)
        # Two moments of F by these, corrected so that exact F are found where they exist.
        a1 = np.einsum("nij,ni,nj->n", w, traces, traces)
        b = (a1 + 6 * a2) / (2 * q)
        g = ((q + 1) * a1 - (q + 4) * a2) / ((q + 2) * a2)
        h = 3 * q + 2 * (1 - g)
        c1, c2, c3 = g / h, (q - g) / h, (q + 2 - g) / h
        v0, v1, v2 = 1 + c1 * b, 1 - c2 * b, 1 - c3 * b
        v0 = np.where(np.abs(v0) < 1e-10, 0.0, v0)
        # Scale and denominator df are those whose F has the two moments.
        e = 1 / (1 - a2 / q)
        is_limit = (np.abs(1 - a2 / q) < 1e-14) & (np.abs(v1) < 1e-14)
        ratio = np.where(is_limit, 1.0, (1 - a2 / q) / v1)
        rho = ratio**2 * v0 / v2 / q
        m = 4 + (q + 2) / (q * rho - 1)
        scale = np.where(np.abs(m - 2) < 0.01, 1.0, m / (e * (m - 2)))
    is_defined = np.isfinite(m) & (m > 2)
    return np.where(is_defined, scale, np.nan), np.where(is_defined, m, np.nan)
