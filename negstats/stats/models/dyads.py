"""Pairs: actor and partner effects by sums and differences of the two seats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.models._seats import seats
from negstats.stats.models.results import Coefficient, coefficient
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile
from negstats.stats.results.numbers import FloatArray, Number, plain, several
from negstats.stats.results.options import check_single, count, t_tails
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Moments

# Of alike seats: to the mean and difference of the predictor, then of the outcome; and from intercept, slope of means
# and slope of differences to intercept, actor and partner.
TURN = np.array([[0.5, 0.5, 0, 0], [1, -1, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 1, -1]])
BACK = np.array([[1, 0, 0], [0, 0.5, 0.5], [0, 0.5, -0.5]])


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
    variances: tuple[Number, ...]
    correlation: Number
    pairs: Number
    roles: tuple[str, ...]
    missing: int
    theta: FloatArray = field(repr=False)
    uncertainty: FloatArray = field(repr=False)
    directions: FloatArray = field(repr=False)

    @property
    def spread(self) -> FloatArray:
        """The covariance matrix of the coefficients: Σ θ_i D_i, where θ are mean squares and products."""
        return np.asarray(np.einsum("...i,...iab->...ab", self.theta, self.directions))

    def coefficient(self, term: str) -> Coefficient:
        """Return a coefficient: "actor", "partner", or with its role, such as "actor[buyer]".

        Parameters
        ----------
        term
            The name of the effect, as in `to_frame`.

        Returns
        -------
        Coefficient
            The estimate in units of the outcome per unit of the predictor, its standard error, t, df and p.
        """
        for one in self.coefficients:
            if one.term == term:
                return one
        raise DesignError(f"there is no {term!r}; there are {', '.join(one.term for one in self.coefficients)}")

    def contrast(self, weights: dict[str, float], name: str = "contrast") -> Coefficient:
        """Return a weighted sum of coefficients; its df are ν = 2v²/Var(v), v its variance (Satterthwaite, 1946).

        Parameters
        ----------
        weights
            Weights by the names of the coefficients; those not named have weight 0.
        name
            What the contrast is called in the result.

        Returns
        -------
        Coefficient
            The estimate, its standard error, t, df and p.

        References
        ----------
        Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components. Biometrics
        Bulletin, 2, 110–114.
        """
        for term in weights:
            self.coefficient(term)
        w = np.array([float(weights.get(one.term, 0.0)) for one in self.coefficients])
        estimate = np.stack([np.asarray(one.estimate) for one in self.coefficients], axis=-1) @ w
        g = np.einsum("a,...iab,b->...i", w, self.directions, w)
        variance = (g * self.theta).sum(axis=-1)
        df = 2 * variance**2 / np.einsum("...i,...ij,...j->...", g, self.uncertainty, g)
        return coefficient(name, estimate, np.sqrt(variance), df, "satterthwaite")

    def ratio(self, role: str | None = None, confidence_level: float = 0.95) -> tuple[float, Interval]:
        """Return k = partner/actor with Fieller's interval; (−inf, inf) where the data do not bound it.

        Kenny and Ledermann (2010): 1 couple, 0 actor only, −1 contrast. Fieller (1954): all k whose ``partner − k
        actor`` is not significant, with the df of the estimated k.

        Parameters
        ----------
        role
            Whose ratio it is, where the two members of a pair have roles.
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        tuple[float, Interval]
            k, which has no unit, and its interval.

        References
        ----------
        - Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal Statistical Society, Series
          B, 16, 175–185.
        - Kenny, D. A., & Ledermann, T. (2010). Detecting, measuring, and testing dyadic patterns in the actor–partner
          interdependence model. Journal of Family Psychology, 24, 359–366.
        """
        check_level(confidence_level)
        check_single(self.correlation, "ratio()")
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
        q2 = float(quantile(confidence_level, df)) ** 2
        # (p − k a)² = q²(v_pp − 2k v_ap + k² v_aa), a quadratic in k.
        two, one, none = a**2 - q2 * v[0, 0], -2 * (a * p - q2 * v[0, 1]), p**2 - q2 * v[1, 1]
        root = one**2 - 4 * two * none
        if two <= 0 or root < 0:
            return k, Interval(-np.inf, np.inf, confidence_level, "Fieller")
        ends = sorted((-one + sign * np.sqrt(root)) / (2 * two) for sign in (-1, 1))
        return k, Interval(float(ends[0]), float(ends[1]), confidence_level, "Fieller")

    def to_frame(self) -> pd.DataFrame:
        """Return one row a coefficient, its 95 % interval among the columns.

        Returns
        -------
        DataFrame
            The term, its estimate and standard error, t, df, p, and the ends of the interval.
        """
        rows = []
        for one in self.coefficients:
            ends = one.confidence_interval()
            rows.append(one.to_frame().assign(low=np.ravel(ends.low), high=np.ravel(ends.high)))
        frame = pd.concat(rows, ignore_index=True)
        frame.attrs["schema"] = "ActorPartner/1"
        return frame

    def apa(self) -> str:
        """Return the actor and partner effects and the correlation of the residuals.

        Returns
        -------
        str
            The sentence for a results section.
        """
        check_single(self.correlation, "apa()")
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
    """Estimate the effects of one's own value (actor) and of the partner's value (partner) on one's outcome, in pairs.

    Parameters
    ----------
    data
        A long frame of any engine with one row a person; or `Moments` of the predictor of seat 1, of seat 2, and of the
        outcome of seat 1, of seat 2, in this order (one study or a stack).
    outcome, predictor, pair
        Columns of the frame: what was measured, what explains it, and which pair a person is in.
    role
        The column that tells the two apart, such as buyer and seller; without one the seats are alike.
    alike
        Of `Moments`: whether the seats are alike.

    Returns
    -------
    ActorPartner
        One actor and one partner effect a role, the residual variances of the roles and their correlation.

    Raises
    ------
    DesignError
        If a pair has more than two rows, a role is not held once in each pair, or there are too few pairs.
    NotEstimable
        If the predictor does not vary, within pairs or between them. A stack gives NaN for such a study.

    Notes
    -----
    Roles: both equations have the same predictors, so generalised least squares is two regressions (Kenny, Kashy and
    Cook, 2006, ch. 7), t on n − 3 df. Alike seats: the regression of the pair's mean and, without intercept, of its
    difference (Griffin and Gonzalez, 1995); this is REML with an intraclass correlation that may be negative, and its
    Satterthwaite and Kenward–Roger df.

    References
    ----------
    - Griffin, D., & Gonzalez, R. (1995). Correlational analysis of dyad-level data in the exchangeable case.
      Psychological Bulletin, 118, 430–439.
    - Kenny, D. A., Kashy, D. A., & Cook, W. L. (2006). Dyadic Data Analysis. Guilford Press.

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
    if len(moments.variables) != 4 or moments.factors:
        raise DesignError("actor_partner takes Moments of four variables of one group: x1, x2, y1, y2")
    n = np.asarray(moments.n, dtype=np.float64)
    if not (n >= 4).all():
        raise DesignError(f"{n.min():g} pairs are too few for actor and partner effects; at least 4 are needed")
    return _fit_by_role(moments, n, roles) if roles else _alike(moments, n)


def _fit_by_role(moments: Moments, n: FloatArray, roles: tuple[str, ...]) -> ActorPartner:
    c, mean = moments.covariance * (n - 1)[..., None, None], moments.mean
    good = _spread(c[..., :2, :2])
    _refuse(moments, good, "the predictor does not vary over the pairs, or one seat's follows from the other's")
    xx = np.where(good[..., None, None], c[..., :2, :2], np.eye(2))
    slopes = np.linalg.solve(xx, c[..., :2, 2:])  # one column an equation
    sigma = (c[..., 2:, 2:] - np.swapaxes(slopes, -1, -2) @ xx @ slopes) / (n - 3)[..., None, None]
    has_error = np.stack([sigma[..., 0, 0] > 1e-12 * c[..., 2, 2], sigma[..., 1, 1] > 1e-12 * c[..., 3, 3]]).all(axis=0)
    _refuse(moments, has_error, "the outcome is predicted without error; no variance is left for a test")
    sigma = np.where((good & has_error)[..., None, None], sigma, np.nan)
    inner = np.linalg.inv(xx)
    start = -(inner @ mean[..., :2, None])[..., 0]
    inverse = np.empty((*n.shape, 3, 3))
    inverse[..., 0, 0] = 1 / n - (mean[..., :2] * start).sum(axis=-1)
    inverse[..., 0, 1:] = inverse[..., 1:, 0] = start
    inverse[..., 1:, 1:] = inner
    # Equations have the intercept, x1, x2; the second seat's actor effect is that of x2.
    order = [0, 1, 2, 3, 5, 4]
    units = np.array([[[1, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [0, 1]]], dtype=float)
    whole = np.einsum("tij,...kl->...tikjl", units, inverse).reshape(*n.shape, 3, 6, 6)
    places = [(0, 0), (0, 1), (1, 1)]
    # Wishart: Cov(s_ij, s_kl) = (σ_ik σ_jl + σ_il σ_jk)/df.
    spread = [
        np.stack(
            [sigma[..., i, k] * sigma[..., j, m] + sigma[..., i, m] * sigma[..., j, k] for k, m in places], axis=-1
        )
        for i, j in places
    ]
    levels = mean[..., 2:] - (mean[..., None, :2] @ slopes)[..., 0, :]
    table = np.concatenate([levels[..., None, :], slopes], axis=-2)
    estimates = np.swapaxes(table, -1, -2).reshape(*n.shape, 6)[..., order]
    names = [f"{term}[{name}]" for name in roles for term in ("intercept", "actor", "partner")]
    one, two = sigma[..., 0, 0], sigma[..., 1, 1]
    return _result(
        moments, names, estimates, np.stack([sigma[..., i, j] for i, j in places], axis=-1),
        np.stack(spread, axis=-2) / (n - 3)[..., None, None], whole[..., order, :][..., order],
        (one, two), sigma[..., 0, 1] / np.sqrt(one * two), roles,
    )  # fmt: skip


def _alike(moments: Moments, n: FloatArray) -> ActorPartner:
    mean, c = moments.mean @ TURN.T, TURN @ moments.covariance @ TURN.T * (n - 1)[..., None, None]
    zero = c + n[..., None, None] * mean[..., :, None] * mean[..., None, :]  # about zero
    least = 1e-12 * (n - 1) * (moments.covariance[..., 0, 0] + moments.covariance[..., 1, 1])
    good = (c[..., 0, 0] > least) & (zero[..., 1, 1] > least)
    _refuse(moments, good, "the predictor is the same in both seats of each pair, or has the same mean in all pairs")
    with np.errstate(divide="ignore", invalid="ignore"):
        total, slope_of_difference = c[..., 0, 2] / c[..., 0, 0], zero[..., 1, 3] / zero[..., 1, 1]
        v_total = (c[..., 2, 2] - total * c[..., 0, 2]) / (n - 2)
        v_apart = (zero[..., 3, 3] - slope_of_difference * zero[..., 1, 3]) / (n - 1)
        slope, slope_apart = (np.where(good, 1 / one, 0.0) for one in (c[..., 0, 0], zero[..., 1, 1]))
    has_error = (v_total > 1e-12 * c[..., 2, 2]) & (v_apart > 1e-12 * zero[..., 3, 3])
    _refuse(
        moments, has_error, "the mean or the difference of a pair's outcomes is predicted without error (a fixed sum?)"
    )
    v_total, v_apart = (np.where(good & has_error, v, np.nan) for v in (v_total, v_apart))
    parts = np.zeros((*n.shape, 2, 3, 3))
    parts[..., 0, 0, 0] = 1 / n + mean[..., 0] ** 2 * slope
    parts[..., 0, 0, 1] = parts[..., 0, 1, 0] = -mean[..., 0] * slope
    parts[..., 0, 1, 1] = slope
    parts[..., 1, 2, 2] = slope_apart
    theta, spread = np.empty((*n.shape, 2)), np.zeros((*n.shape, 2, 2))
    theta[..., 0], theta[..., 1] = v_total, v_apart
    spread[..., 0, 0], spread[..., 1, 1] = 2 * v_total**2 / (n - 2), 2 * v_apart**2 / (n - 1)
    sigma2 = v_apart / 2
    tau2 = v_total - sigma2 / 2
    estimates = np.stack([mean[..., 2] - total * mean[..., 0], total, slope_of_difference], axis=-1) @ BACK.T
    return _result(
        moments, ["intercept", "actor", "partner"], estimates, theta, spread, BACK @ parts @ BACK.T,
        (tau2 + sigma2,), tau2 / (tau2 + sigma2), (),
    )  # fmt: skip


def _result(
    moments: Moments,
    names: list[str],
    estimates: FloatArray,
    theta: FloatArray,
    uncertainty: FloatArray,
    directions: FloatArray,
    variances: tuple[FloatArray, ...],
    correlation: FloatArray,
    roles: tuple[str, ...],
) -> ActorPartner:
    """Return the result, each coefficient with v = Σ θ_i D_i and ν = 2v²/Var(v)."""
    g = np.einsum("...iaa->...ai", directions)
    v = (g @ theta[..., None])[..., 0]
    df = 2 * v**2 / np.einsum("...ai,...ij,...aj->...a", g, uncertainty, g)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.sqrt(v)
        t = estimates / se
    columns = zip(*map(several, (estimates, se, t, df, t_tails(t, df))), strict=True)
    return ActorPartner(
        coefficients=tuple(
            Coefficient(name, b, own, ratio, free, p, "satterthwaite")
            for name, (b, own, ratio, free, p) in zip(names, columns, strict=True)
        ),
        variances=tuple(plain(variance) for variance in variances),
        correlation=plain(correlation),
        pairs=count(moments.n),
        roles=roles,
        missing=moments.missing,
        theta=theta,
        uncertainty=uncertainty,
        directions=directions,
    )


def _refuse(moments: Moments, good: np.bool | npt.NDArray[np.bool_], why: str) -> None:
    """Raise NotEstimable for one study; in a stack such a study gets NaN."""
    if not moments.studies and not good:
        raise NotEstimable(why)


def _spread(matrix: FloatArray) -> npt.NDArray[np.bool_]:
    """Return whether both variables vary, and neither follows from the other."""
    a, b, c = matrix[..., 0, 0], matrix[..., 1, 1], matrix[..., 0, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((a > 0) & (b > 0) & (1 - np.abs(c) / np.sqrt(a * b) > 1e-12))
