"""Random slopes and nested intercepts: likelihood, its derivatives, and the fit.

The random effects of a term have the covariance σ²Ψ, Ψ = ΛΛ′ with Λ lower triangular, and θ the entries of all Λ (Bates
et al., 2015, J. Stat. Software 67). Rows that share no random effect are independent, so that everything is a sum over
blocks of C = Z′Z and B = Z′[y X]: with A = Λ(I + Λ′CΛ)⁻¹Λ′ and D = I − AC,

    Z′V⁻ᵏZ = CDᵏ/σ²ᵏ,    Z′V⁻ᵏ[y X] = (D′)ᵏB/σ²ᵏ,    V⁻¹ = (I − ZAZ′)/σ².

The columns of a term are orthonormal over the rows (times √N), so that units and origins change no digit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize

from negstats.errors import NotEstimable
from negstats.stats.models.random_intercept import Information
from negstats.stats.models.random_terms import Batch, Layout, invert, whiten
from negstats.stats.results.numbers import FloatArray

# Relative SDs where the search begins; the best end is taken.
STARTS = (1.0, 0.1, 5.0)
# The largest derivative of −2 ln L in θ at which a search has arrived.
ARRIVED = 1e-5
NEWTON_STEPS = 12  # from a start that another program's search ended at, or that the studies were drawn with


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Rows N, Σ z z′ (1 + p, 1 + p), the blocks, the layout, and whether the criterion is REML."""

    rows: int
    cross: FloatArray
    batches: tuple[Batch, ...]
    layout: Layout
    reml: bool

    @property
    def df(self) -> int:
        """N − p for REML, N for ML."""
        return self.rows - (len(self.cross) - 1 if self.reml else 0)


@dataclass(frozen=True, slots=True, eq=False)
class At:
    """What follows from θ: −2 ln L, β, σ² and Φ."""

    theta: FloatArray
    deviance: float
    beta: FloatArray
    sigma2: float
    phi: FloatArray


def at(problem: Problem, theta: FloatArray) -> At:
    """Return the fixed effects and σ² where θ is given."""
    factors = problem.layout.factors(theta)
    weighted_cross, log_determinants = problem.cross.copy(), 0.0
    for batch in problem.batches:
        whitened, log_determinant = whiten(batch, factors)
        columns = whitened.reshape(-1, whitened.shape[-1])
        weighted_cross -= columns.T @ columns
        log_determinants += log_determinant
    # Columns of unlike size cost no digits after they are brought to one.
    scale = 1 / np.sqrt(np.diagonal(weighted_cross)[1:])
    triangle = np.linalg.cholesky(weighted_cross[1:, 1:] * scale[:, None] * scale)
    whitened = np.linalg.solve(triangle, np.diag(scale))
    inverse = whitened.T @ whitened
    # Generalised least squares: Z enters only by what it takes from the cross products.
    beta = inverse @ weighted_cross[1:, 0]
    residual_weights = np.append(1.0, -beta)
    rss, df = float(residual_weights @ weighted_cross @ residual_weights), problem.df
    deviance = log_determinants + df * (1 + np.log(2 * np.pi * rss / df))
    if problem.reml:
        deviance += 2 * float(np.log(np.diagonal(triangle)).sum() - np.log(scale).sum())
    return At(theta, float(deviance), beta, rss / df, inverse * rss / df)


def evaluate_at(problem: Problem, theta: FloatArray, sigma2: float) -> At:
    """Return the fixed effects where θ and σ² are given."""
    profiled, df = at(problem, theta), problem.df
    ratio = sigma2 / profiled.sigma2
    deviance = profiled.deviance + df * float(np.log(ratio)) + df * (1 / ratio - 1)
    return replace(profiled, sigma2=sigma2, phi=profiled.phi * ratio, deviance=deviance)


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Derivatives of −2 ln L: in θ with σ² at its best (gradient, hessian), and in ζ = (θ, ln σ²) (full, jacobian).

    `whole` is the gradient in ζ. `known` has the derivatives in the variances φ = (σ²Ψ, σ²), in which V is linear;
    jacobian is dφ/dζ. All but gradient and hessian hold for any σ².
    """

    whole: FloatArray
    gradient: FloatArray
    hessian: FloatArray
    full: FloatArray
    jacobian: FloatArray
    known: Information


def slopes(problem: Problem, at: At) -> Slopes:
    """Return the exact derivatives at θ."""
    p, q, t, traces = _pieces(problem, at)
    phi, px, qx = at.phi, p[:, 1:, 1:], q[..., 1:, 1:]
    phi_px = np.einsum("ab,ibc->iac", phi, px)
    expected = t.copy()
    trace_terms = traces.copy()
    if problem.reml:
        expected += np.einsum("iab,jba->ij", phi_px, phi_px) - 2 * np.einsum("ab,ijba->ij", phi, qx)
        trace_terms -= np.einsum("iaa->i", phi_px)
    # First derivatives in the covariances: traces less quadratic forms of the residuals.
    r = np.append(1.0, -at.beta)
    rp = np.einsum("a,iab->ib", r, p)
    gradient = trace_terms - rp @ r
    # Observed information, the residuals' own derivative in β taken into account.
    observed = np.einsum("a,ijab,b->ij", r, q, r) - rp[:, 1:] @ phi @ rp[:, 1:].T - expected / 2
    jacobian, second_jacobian = _chain(problem.layout, at)
    full = jacobian.T @ (2 * observed) @ jacobian + np.einsum("i,iab->ab", gradient, second_jacobian)
    full_gradient = jacobian.T @ gradient
    # σ² is profiled out: the Hessian in θ alone is the Schur complement.
    hessian = full[:-1, :-1] - np.outer(full[:-1, -1], full[-1, :-1]) / full[-1, -1]
    # The sign of P is that of the derivative of V⁻¹, as in the random-intercept model.
    known = Information(-px[None], qx[None], observed[None], expected[None] / 2)
    return Slopes(full_gradient, full_gradient[:-1], hessian, full, jacobian, known)


def _pieces(problem: Problem, solution: At) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return z′V⁻¹G_iV⁻¹z, z′V⁻¹G_iV⁻¹G_jV⁻¹z, tr V⁻¹G_iV⁻¹G_j and tr V⁻¹G_i; the last parameter is σ², G = I."""
    layout, s = problem.layout, 1 / solution.sigma2
    n_entries, c = len(layout.entries), len(problem.cross)
    p, q = np.zeros((n_entries + 1, c, c)), np.zeros((n_entries + 1, n_entries + 1, c, c))
    t, traces = np.zeros((n_entries + 1, n_entries + 1)), np.zeros(n_entries + 1)
    # Without random effects V is σ²I; each batch takes off what its random effects explain.
    t1, t2, t3 = (s**k * problem.cross for k in (1, 2, 3))
    t[-1, -1], traces[-1] = s**2 * problem.rows, s * problem.rows
    factors = layout.factors(solution.theta)
    for batch in problem.batches:
        d = invert(batch, factors)
        ab = d @ batch.multiply([factor @ factor.T for factor in factors], batch.mixed)  # A = DΨ
        transposed = np.swapaxes(d, 1, 2)
        s1 = s * batch.times(d)
        r1 = s * transposed @ batch.mixed
        r2 = s * transposed @ r1
        a_transposed = np.swapaxes(ab, 1, 2)
        t1_loss = s * (a_transposed @ batch.mixed).sum(axis=0)  # how much T₁, T₂, T₃ lose
        t2_loss = s * t1_loss + s * (np.swapaxes(r1, 1, 2) @ ab).sum(axis=0)
        t3_loss = s * t2_loss + s * (np.swapaxes(r2, 1, 2) @ ab).sum(axis=0)
        t1, t2, t3 = t1 - t1_loss, t2 - t2_loss, t3 - t3_loss
        size = d.shape[0] * d.shape[-1]
        traces[-1] += s * (np.einsum("jaa->", d) - size)
        t[-1, -1] += s**2 * ((d * transposed).sum() - size)
        # Derivatives in each covariance: a unit matrix in place of Ψ.
        units = [layout.unit(i, symmetric=True) for i in range(n_entries)]
        entry_spreads = [batch.multiply(e, s1) for e in units]
        unit_r1 = [batch.multiply(e, r1) for e in units]
        s1_er = [s1 @ e for e in unit_r1]
        for i in range(n_entries):
            p[i] += (np.swapaxes(r1, 1, 2) @ unit_r1[i]).sum(axis=0)
            traces[i] += np.einsum("jaa->", entry_spreads[i])
            t[i, -1] += s * (entry_spreads[i] * transposed).sum()
            q[i, -1] += (np.swapaxes(unit_r1[i], 1, 2) @ r2).sum(axis=0)
            for j in range(n_entries):
                t[i, j] += (entry_spreads[i] * np.swapaxes(entry_spreads[j], 1, 2)).sum()
                q[i, j] += (np.swapaxes(unit_r1[i], 1, 2) @ s1_er[j]).sum(axis=0)
    p[-1], q[-1, -1] = t2, t3
    t[-1, :-1] = t[:-1, -1]
    q[-1, :-1] = np.swapaxes(q[:-1, -1], 1, 2)
    return p, q, t, traces


def _chain(layout: Layout, solution: At) -> tuple[FloatArray, FloatArray]:
    """Return the first and second derivatives of φ = (σ²Ψ, σ²) in ζ = (θ, ln σ²)."""
    factors, s2 = layout.factors(solution.theta), solution.sigma2
    n_entries = len(layout.entries)
    units = [layout.unit(entry, symmetric=False) for entry in range(n_entries)]
    jacobian, second_derivatives = (
        np.zeros((n_entries + 1, n_entries + 1)),
        np.zeros((n_entries + 1, n_entries + 1, n_entries + 1)),
    )
    phi = np.append(s2 * layout.psi([factor @ factor.T for factor in factors]), s2)
    # Ψ = FF′ is quadratic in θ, so that its second derivatives do not depend on θ.
    for i, unit in enumerate(units):
        half_changes = [a @ b.T for a, b in zip(unit, factors, strict=True)]
        jacobian[:-1, i] = s2 * layout.psi([block + block.T for block in half_changes])
        for j, other_unit in enumerate(units):
            products = [a @ b.T for a, b in zip(unit, other_unit, strict=True)]
            second_derivatives[:-1, i, j] = s2 * layout.psi([block + block.T for block in products])
    # φ is proportional to σ², so that its derivative in ln σ² is φ itself.
    jacobian[:, -1] = phi
    second_derivatives[:, :, -1] = second_derivatives[:, -1, :] = jacobian
    return jacobian, second_derivatives


def fit(problem: Problem, start: FloatArray | None = None) -> tuple[Problem, At, Slopes, list[FloatArray]]:
    """Return the best fit, by Newton's steps from `start`; without one, or if these do not arrive, from several starts.

    It is told in columns that `_rescaled` brought to the size of the variances: the problem in these, the fit, its
    derivatives, and what turns each term's random effects into those of the columns that were given.

    Raises
    ------
    NotEstimable
        If no search arrived; the message has the gradient.
    """
    theta = None if start is None else _newton(problem, start)
    theta = _search(problem) if theta is None else theta
    problem, theta, turns = _rescaled(problem, theta)
    solution, derivatives = polish(problem, theta)
    largest_slope = float(np.abs(derivatives.gradient).max())
    if not largest_slope < ARRIVED or np.linalg.eigvalsh(derivatives.hessian).min() < -ARRIVED:
        gradient_text = ", ".join(f"{slope:.3g}" for slope in derivatives.gradient)
        raise NotEstimable(
            f"the fit did not converge; the derivatives of −2 ln L are {gradient_text}; leave random terms out"
        )
    return problem, solution, derivatives, turns


def _newton(problem: Problem, theta: FloatArray) -> FloatArray | None:
    """Return where Newton's steps arrive at a minimum; None where a step leads up or the curvature is not of one."""
    try:
        solution = at(problem, theta)
        for _ in range(NEWTON_STEPS):
            derivatives = slopes(problem, solution)
            if np.linalg.eigvalsh(derivatives.hessian).min() <= 0:
                return None
            if np.abs(derivatives.gradient).max() < ARRIVED:
                return solution.theta
            step = np.linalg.solve(derivatives.hessian, derivatives.gradient)
            next_point = at(problem, solution.theta - step)
            if not next_point.deviance <= solution.deviance + 1e-7 * abs(solution.deviance):
                return None
            solution = next_point
    except np.linalg.LinAlgError:
        return None
    return None


def _search(problem: Problem) -> FloatArray:
    """Return the best end of trust regions with the exact Hessian from several starts."""

    def value(theta: FloatArray) -> float:
        try:
            return at(problem, theta).deviance
        except np.linalg.LinAlgError:
            return np.inf

    def gradient(theta: FloatArray) -> FloatArray:
        return slopes(problem, at(problem, theta)).gradient

    def hessian(theta: FloatArray) -> FloatArray:
        return slopes(problem, at(problem, theta)).hessian

    diagonal = np.array([a == b for _, a, b in problem.layout.entries], dtype=float)
    # The deviance may have several minima: the search starts from several sizes of the effects.
    minima = []
    for start in STARTS:
        search = optimize.minimize(
            value,
            start * diagonal,
            jac=gradient,
            hess=hessian,
            method="trust-exact",
            options={"gtol": 1e-9, "maxiter": 300},
        )
        minima.append((float(search.fun), search.x))
    return np.asarray(min(minima, key=lambda minimum: minimum[0])[1], dtype=np.float64)


def _rescaled(problem: Problem, theta: FloatArray) -> tuple[Problem, FloatArray, list[FloatArray]]:
    """Return the problem with random columns ZT, TT′ = Ψ + I levels/N.

    In these the variances and their information are of one size; variances of 0.1 and 1000 in one term would else cost
    all digits of Kenward and Roger's df.
    """
    layout = problem.layout
    factors = layout.factors(theta)
    levels = np.sum([np.multiply(batch.levels, len(batch.gram)) for batch in problem.batches], axis=0)
    # Columns in which the random effects are about independent of size 1: the curvature is then even.
    scalings = [
        np.linalg.cholesky(factor @ factor.T + np.eye(len(factor)) * n_levels / problem.rows)
        for factor, n_levels in zip(factors, levels, strict=True)
    ]
    batches = []
    for batch in problem.batches:
        turned_mixed = batch.multiply([scaling.T for scaling in scalings], batch.mixed)
        batches.append(replace(batch, gram=batch.turned(scalings), mixed=turned_mixed))
    turned_factors = [
        np.asarray(np.linalg.solve(scaling, factor), dtype=np.float64)
        for scaling, factor in zip(scalings, factors, strict=True)
    ]
    return replace(problem, batches=tuple(batches)), layout.psi(turned_factors), scalings


def polish(problem: Problem, theta: FloatArray) -> tuple[At, Slopes]:
    """Return the fit after Newton's steps while they shorten the gradient, with each factor's diagonal positive."""
    solution = at(problem, theta)
    derivatives = slopes(problem, solution)
    # Newton's steps as long as they make the slope smaller: the last digits of the search.
    for _ in range(5):
        step = np.linalg.lstsq(derivatives.hessian, derivatives.gradient, rcond=1e-10)[0]
        next_solution = at(problem, solution.theta - step)
        next_derivatives = slopes(problem, next_solution)
        if not np.abs(next_derivatives.gradient).max() < np.abs(derivatives.gradient).max():
            break
        solution, derivatives = next_solution, next_derivatives
    signs = np.ones_like(theta)
    entries = problem.layout.entries
    for (term, a, b), value in zip(entries, solution.theta, strict=True):
        if a == b and value < 0:  # the sign of a column of Λ changes nothing
            signs[[index for index, entry in enumerate(entries) if (entry[0], entry[2]) == (term, b)]] = -1.0
    if (signs > 0).all():
        return solution, derivatives
    turned = at(problem, solution.theta * signs)
    return turned, slopes(problem, turned)
