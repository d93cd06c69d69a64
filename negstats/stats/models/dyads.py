"""Pairs: actor and partner effects by sums and differences of the two seats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.models._seats import seats
from negstats.stats.models.results import Coefficient, coefficient
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Moments

__all__ = ["ActorPartner", "actor_partner"]


@dataclass(frozen=True, slots=True, eq=False)
class ActorPartner(Result):
    """Actor and partner effects in pairs (the actor–partner interdependence model).

    Attributes
    ----------
    coefficients : tuple of Coefficient
        Of alike seats: intercept, actor, partner. Of two roles: intercept, actor and partner of each.
    variances : tuple of float
        Residual variance of a seat: one number for alike seats, else one a role.
    correlation : float
        Of the two residuals of a pair; may be negative.
    pairs : int
    roles : tuple of str
        The two roles; empty if the seats are alike.
    missing : int
        Pairs that were left out because a value was missing.
    """

    coefficients: tuple[Coefficient, ...]
    variances: tuple[float, ...]
    correlation: float
    pairs: int
    roles: tuple[str, ...]
    missing: int
    theta: FloatArray = field(repr=False)
    uncertainty: FloatArray = field(repr=False)
    directions: FloatArray = field(repr=False)

    @property
    def spread(self) -> FloatArray:
        """The covariance matrix of the coefficients: Σ θ_i D_i, where θ are mean squares and products."""
        return np.asarray(np.einsum("i,iab->ab", self.theta, self.directions))

    def coefficient(self, term: str) -> Coefficient:
        """Return a coefficient: "actor", "partner", or with its role, such as "actor[buyer]"."""
        for one in self.coefficients:
            if one.term == term:
                return one
        raise DesignError(f"there is no {term!r}; there are {', '.join(one.term for one in self.coefficients)}")

    def contrast(self, weights: dict[str, float], name: str = "contrast") -> Coefficient:
        """Return a weighted sum of coefficients; its df are ν = 2v²/Var(v), v its variance (Satterthwaite, 1946)."""
        for term in weights:
            self.coefficient(term)
        w = np.array([float(weights.get(one.term, 0.0)) for one in self.coefficients])
        estimate = float(w @ [float(one.estimate) for one in self.coefficients])
        g = np.einsum("a,iab,b->i", w, self.directions, w)
        variance = float(g @ self.theta)
        df = 2 * variance**2 / float(g @ self.uncertainty @ g)
        return coefficient(name, np.asarray(estimate), np.sqrt(variance), np.asarray(df), "satterthwaite")

    def ratio(self, role: str | None = None, level: float = 0.95) -> tuple[float, Interval]:
        """Return k = partner/actor with Fieller's interval; (−inf, inf) where the data do not bound it.

        Kenny and Ledermann (2010), J. Family Psychology 24: 1 couple, 0 actor only, −1 contrast. Fieller (1954): all k
        whose ``partner − k actor`` is not significant, with the df of the estimated k.
        """
        check_level(level)
        if bool(self.roles) != (role is not None) or (role is not None and role not in self.roles):
            raise DesignError(
                f"role is {role!r}; give " + (" or ".join(map(repr, self.roles)) or "none for alike seats")
            )
        names = ["actor", "partner"] if role is None else [f"actor[{role}]", f"partner[{role}]"]
        terms = [one.term for one in self.coefficients]
        at = [terms.index(name) for name in names]
        a, p = (float(self.coefficients[place].estimate) for place in at)
        v = self.spread[np.ix_(at, at)]
        k = p / a
        df = float(self.contrast({names[1]: 1.0, names[0]: -k}).df)
        q2 = float(special.stdtrit(df, (1 + level) / 2)) ** 2
        # (p − k a)² = q²(v_pp − 2k v_ap + k² v_aa), a quadratic in k.
        two, one, none = a**2 - q2 * v[0, 0], -2 * (a * p - q2 * v[0, 1]), p**2 - q2 * v[1, 1]
        root = one**2 - 4 * two * none
        if two <= 0 or root < 0:
            return k, Interval(-np.inf, np.inf, level, "Fieller")
        ends = sorted((-one + sign * np.sqrt(root)) / (2 * two) for sign in (-1, 1))
        return k, Interval(float(ends[0]), float(ends[1]), level, "Fieller")

    def to_frame(self) -> pd.DataFrame:
        """Return one row a coefficient, its 95 % interval among the columns."""
        rows = []
        for one in self.coefficients:
            ends = one.confidence_interval()
            rows.append(one.to_frame().assign(low=ends.low, high=ends.high))
        frame = pd.concat(rows, ignore_index=True)
        frame.attrs["schema"] = "ActorPartner/1"
        return frame

    def apa(self) -> str:
        """Return the actor and partner effects and the correlation of the residuals."""
        parts = [f"{one.term}: {one.apa()}" for one in self.coefficients if not one.term.startswith("intercept")]
        return "; ".join([*parts, f"residual r = {apa.bounded(self.correlation)}"])


def actor_partner(
    data: Any,
    outcome: str | None = None,
    predictor: str | None = None,
    *,
    pair: str | None = None,
    role: str | None = None,
    alike: bool = False,
) -> ActorPartner:
    """Estimate what one's own value (actor) and the partner's (partner) do to one's outcome, in pairs.

    Parameters
    ----------
    data
        A long frame of any engine with one row a person; or `Moments` of the predictor of seat 1, of seat 2, and of the
        outcome of seat 1, of seat 2, in this order.
    outcome, predictor, pair
        Columns of the frame: what was measured, what explains it, and which pair a person is in.
    role
        The column that tells the two apart, such as buyer and seller; without one the seats are alike.
    alike
        Of `Moments`: whether the seats are alike.

    Raises
    ------
    DesignError
        If a pair has more than two rows, a role is not held once in each pair, or there are too few pairs.
    NotEstimable
        If the predictor does not vary, within pairs or between them.

    Notes
    -----
    Roles: both equations have the same predictors, so generalised least squares is two regressions (Kenny, Kashy and
    Cook, 2006, Dyadic Data Analysis, ch. 7), t on n − 3 df. Alike seats: the regression of the pair's mean and, without
    intercept, of its difference (Griffin and Gonzalez, 1995, Psychological Bulletin 118); this is REML with an
    intraclass correlation that may be negative, and its Satterthwaite and Kenward–Roger df.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"pair": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "x": [3, 4, 5, 3, 2, 6, 8, 7, 6, 2],
    ...                       "y": [12, 10, 15, 9, 11, 14, 22, 18, 16, 8]})
    >>> actor_partner(frame, "y", "x", pair="pair").coefficient("actor").apa()
    'b = 1.88, SE = 0.26, t(4.16) = 7.23, p = .002, 95% CI [1.17, 2.60]'
    """
    moments, roles = seats(data, [predictor, outcome], pair, role)
    if isinstance(data, Moments):
        roles = () if alike else ("1", "2")
    if len(moments.variables) != 4 or moments.studies or moments.factors:
        raise DesignError("actor_partner takes Moments of four variables of one group: x1, x2, y1, y2")
    n = float(moments.n)
    if n < 4:
        raise DesignError(f"{n:g} pairs are too few for actor and partner effects; at least 4 are needed")
    return _by_role(moments, n, roles) if roles else _alike(moments, n)


def _by_role(moments: Moments, n: float, roles: tuple[str, ...]) -> ActorPartner:
    c, mean = moments.covariance * (n - 1), moments.mean
    xx = c[:2, :2]
    _check_spread(xx, "the predictor does not vary over the pairs, or one seat's follows from the other's")
    slopes = np.linalg.solve(xx, c[:2, 2:])  # one column an equation
    sigma = (c[2:, 2:] - slopes.T @ xx @ slopes) / (n - 3)
    if not (np.diagonal(sigma) > 1e-12 * np.diagonal(c)[2:]).all():
        raise NotEstimable("the outcome is predicted without error; no variance is left to test by")
    inner = np.linalg.inv(xx)
    start = -inner @ mean[:2]
    inverse = np.block([[np.array([[1 / n - mean[:2] @ start]]), start[None]], [start[:, None], inner]])
    # Equations have the intercept, x1, x2; the second seat's actor effect is that of x2.
    order = [0, 1, 2, 3, 5, 4]
    units = [np.array(unit, dtype=float) for unit in ([[1, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [0, 1]])]
    directions = np.stack([np.kron(unit, inverse)[np.ix_(order, order)] for unit in units])
    places = [(0, 0), (0, 1), (1, 1)]
    # Wishart: Cov(s_ij, s_kl) = (σ_ik σ_jl + σ_il σ_jk)/df.
    spread = [[(sigma[i, k] * sigma[j, m] + sigma[i, m] * sigma[j, k]) / (n - 3) for k, m in places] for i, j in places]
    levels = mean[2:] - mean[:2] @ slopes
    estimates = np.vstack([levels, slopes]).T.ravel()[order]
    names = [f"{term}[{name}]" for name in roles for term in ("intercept", "actor", "partner")]
    variances = (float(sigma[0, 0]), float(sigma[1, 1]))
    return ActorPartner(
        coefficients=_tested(names, estimates, np.array([sigma[p] for p in places]), np.array(spread), directions),
        variances=variances,
        correlation=float(sigma[0, 1] / np.sqrt(variances[0] * variances[1])),
        pairs=int(n),
        roles=roles,
        missing=moments.missing,
        theta=np.array([sigma[place] for place in places]),
        uncertainty=np.array(spread),
        directions=directions,
    )


def _alike(moments: Moments, n: float) -> ActorPartner:
    # Rows: mean and difference of the predictor, then of the outcome.
    turn = np.array([[0.5, 0.5, 0, 0], [1, -1, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 1, -1]])
    mean, c = turn @ moments.mean, turn @ moments.covariance @ turn.T * (n - 1)
    about_zero = c + n * np.outer(mean, mean)
    if not (c[0, 0] > 1e-12 * about_zero[0, 0] and about_zero[1, 1] > 1e-12 * about_zero[0, 0]):
        raise NotEstimable("the predictor is the same in both seats of each pair, or has the same mean in all pairs")
    total, apart = c[0, 2] / c[0, 0], about_zero[1, 3] / about_zero[1, 1]
    v_total = (c[2, 2] - total * c[0, 2]) / (n - 2)
    v_apart = (about_zero[3, 3] - apart * about_zero[1, 3]) / (n - 1)
    if not (v_total > 1e-12 * c[2, 2] and v_apart > 1e-12 * about_zero[3, 3]):
        raise NotEstimable("the mean or the difference of a pair's outcomes is predicted without error (a fixed sum?)")
    map_ = np.array([[1, 0, 0], [0, 0.5, 0.5], [0, 0.5, -0.5]])
    start, slope = 1 / n + mean[0] ** 2 / c[0, 0], 1 / c[0, 0]
    between = np.array([[start, -mean[0] * slope, 0], [-mean[0] * slope, slope, 0], [0, 0, 0]])
    within = np.diag([0, 0, 1 / about_zero[1, 1]])
    directions = np.stack([map_ @ between @ map_.T, map_ @ within @ map_.T])
    theta = np.array([v_total, v_apart])
    spread = np.diag(2 * theta**2 / np.array([n - 2, n - 1]))
    sigma2 = v_apart / 2
    tau2 = v_total - sigma2 / 2
    estimates = map_ @ np.array([mean[2] - total * mean[0], total, apart])
    return ActorPartner(
        coefficients=_tested(["intercept", "actor", "partner"], estimates, theta, spread, directions),
        variances=(float(tau2 + sigma2),),
        correlation=float(tau2 / (tau2 + sigma2)),
        pairs=int(n),
        roles=(),
        missing=moments.missing,
        theta=theta,
        uncertainty=spread,
        directions=directions,
    )


def _tested(
    names: list[str], estimates: FloatArray, theta: FloatArray, uncertainty: FloatArray, directions: FloatArray
) -> tuple[Coefficient, ...]:
    """Return each coefficient with v = Σ θ_i D_i and ν = 2v²/Var(v)."""
    g = np.einsum("iaa->ai", directions)
    v = g @ theta
    df = 2 * v**2 / np.einsum("ai,ij,aj->a", g, uncertainty, g)
    parts = zip(names, estimates, np.sqrt(v), df, strict=True)
    return tuple(coefficient(name, b, se, nu, "satterthwaite") for name, b, se, nu in parts)


def _check_spread(matrix: FloatArray, what: str) -> None:
    size = np.diagonal(matrix)
    if (size <= 0).any() or np.linalg.eigvalsh(matrix / np.sqrt(np.outer(size, size))).min() < 1e-12:
        raise NotEstimable(what)
