"""Pairs: actor and partner effects, how alike the two of a pair are, and whether their roles tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.models.results import Coefficient, LikelihoodRatio, coefficient
from negstats.stats.results import apa
from negstats.stats.results.intervals import quantile
from negstats.stats.results.numbers import FloatArray, Number, plain, several
from negstats.stats.results.options import check_single, count, find_name, t_tails
from negstats.stats.results.result import Interval, Result, check_level, with_schema
from negstats.stats.summaries import Moments
from negstats.stats.summaries.frames import as_pandas, check_columns, level_codes


def seats(
    data: Any, columns: Sequence[str | None], pair: str | None, role: str | None
) -> tuple[Moments, tuple[str, ...]]:
    """Return `Moments` of each variable in seat 1 and seat 2, side by side, and the roles' names."""
    if isinstance(data, Moments):
        return data, ()
    names = [name for name in columns if name is not None]
    if pair is None or len(names) < len(columns) or not names:
        raise DesignError(
            "with a frame name the measured columns, and pair=, the column that says who belongs together"
        )
    keys = [pair, *([role] if role is not None else [])]
    check_columns(data, [*names, *keys], "the measured columns, pair and role")
    rows = as_pandas(data, [*names, *keys])
    rows = rows[rows[keys].notna().all(axis=1)]
    n_single = 0
    if role is not None or not _come_in_pairs(rows[pair].to_numpy()):
        rows, n_single = _select_pairs(rows, pair, keys)
    if rows.empty:
        raise DesignError(f"no {pair!r} has two rows; one row is one person")
    roles: tuple[str, ...] = ()
    if role is not None:
        codes, levels, _ = level_codes(rows[role])
        if len(levels) != 2 or not (codes.reshape(-1, 2) == [0, 1]).all():
            raise DesignError(
                f"role names {role!r} with {len(levels)} levels; each pair needs one person in each of two"
            )
        roles = tuple(map(str, levels))
    # The two rows of a pair stand one behind the other, so that the seats alternate.
    seat_columns = {f"{name} {seat + 1}": rows[name].to_numpy()[seat::2] for name in names for seat in (0, 1)}
    moments = Moments.from_columns(pd.DataFrame(seat_columns), list(seat_columns))
    return replace(moments, missing=moments.missing + n_single), roles


def _come_in_pairs(values: npt.NDArray[Any]) -> bool:
    """Whether rows are two of each pair below each other, in order: then nothing is to be counted or sorted."""
    if values.dtype.kind not in "iu" or len(values) % 2:
        return False
    firsts, seconds = values[::2], values[1::2]
    return bool((firsts == seconds).all() and (firsts[1:] > firsts[:-1]).all())


def _select_pairs(rows: pd.DataFrame, pair: str, keys: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Return the rows of whole pairs in the order of the keys, and how many rows have no partner."""
    size = rows.groupby(pair, sort=False, observed=True)[pair].transform("size")
    if (size > 2).any():
        raise DesignError(
            f"the pair {shown(rows.loc[size > 2, pair].iloc[0])} has {int(size.max())} rows; a pair has two"
        )
    return rows[size == 2].sort_values(list(keys), kind="stable"), int((size == 1).sum())


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
        return self.coefficients[find_name(term, [candidate.term for candidate in self.coefficients], "there is no")]

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
        weight_row = np.array([float(weights.get(effect.term, 0.0)) for effect in self.coefficients])
        estimate = np.stack([np.asarray(effect.estimate) for effect in self.coefficients], axis=-1) @ weight_row
        parameter_slopes = np.einsum("a,...iab,b->...i", weight_row, self.directions, weight_row)
        # Satterthwaite: the sum's variance is linear in the residual
        # (co)variances, whose uncertainty gives the df.
        variance = (parameter_slopes * self.theta).sum(axis=-1)
        df = 2 * variance**2 / np.einsum("...i,...ij,...j->...", parameter_slopes, self.uncertainty, parameter_slopes)
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
        terms = [effect.term for effect in self.coefficients]
        positions = [terms.index(name) for name in names]
        a, p = (float(self.coefficients[position].estimate) for position in positions)
        v = self.spread[np.ix_(positions, positions)]
        k = p / a
        df = float(self.contrast({names[1]: 1.0, names[0]: -k}).df)
        q2 = float(quantile(confidence_level, df)) ** 2
        # (p − k a)² = q²(v_pp − 2k v_ap + k² v_aa), a quadratic in k.
        quadratic, linear, constant = a**2 - q2 * v[0, 0], -2 * (a * p - q2 * v[0, 1]), p**2 - q2 * v[1, 1]
        discriminant = linear**2 - 4 * quadratic * constant
        if quadratic <= 0 or discriminant < 0:
            return k, Interval(-np.inf, np.inf, confidence_level, "Fieller")
        bounds = sorted((-linear + sign * np.sqrt(discriminant)) / (2 * quadratic) for sign in (-1, 1))
        return k, Interval(float(bounds[0]), float(bounds[1]), confidence_level, "Fieller")

    def to_frame(self) -> pd.DataFrame:
        """Return one row a coefficient, its 95 % interval among the columns.

        Returns
        -------
        DataFrame
            The term, its estimate and standard error, t, df, p, and the ends of the interval.
        """
        rows = []
        for effect in self.coefficients:
            interval = effect.confidence_interval()
            rows.append(effect.to_frame().assign(low=np.ravel(interval.low), high=np.ravel(interval.high)))
        return with_schema(pd.concat(rows, ignore_index=True), "ActorPartner/1")

    def apa(self) -> str:
        """Return the actor and partner effects and the correlation of the residuals.

        Returns
        -------
        str
            The sentence for a results section.
        """
        check_single(self.correlation, "apa()")
        texts = [
            f"{effect.term}: {effect.apa()}" for effect in self.coefficients if not effect.term.startswith("intercept")
        ]
        return "; ".join([*texts, f"residual r = {apa.bounded(self.correlation)}"])


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
    products, mean = moments.covariance * (n - 1)[..., None, None], moments.mean
    has_spread = _spread(products[..., :2, :2])
    _refuse(moments, has_spread, "the predictor does not vary over the pairs, or one seat's follows from the other's")
    predictor_products = np.where(has_spread[..., None, None], products[..., :2, :2], np.eye(2))
    # Both equations have the same predictors, so that least squares of each is that of both together.
    slopes = np.linalg.solve(predictor_products, products[..., :2, 2:])  # one column an equation
    sigma = (products[..., 2:, 2:] - np.swapaxes(slopes, -1, -2) @ predictor_products @ slopes) / (n - 3)[
        ..., None, None
    ]
    has_error = np.stack(
        [sigma[..., 0, 0] > 1e-12 * products[..., 2, 2], sigma[..., 1, 1] > 1e-12 * products[..., 3, 3]]
    ).all(axis=0)
    _refuse(moments, has_error, "the outcome is predicted without error; no variance is left for a test")
    sigma = np.where((has_spread & has_error)[..., None, None], sigma, np.nan)
    inverse = _invert_with_intercept(n, mean[..., :2], predictor_products)
    # Equations have the intercept, x1, x2; the second seat's actor effect is that of x2.
    order = [0, 1, 2, 3, 5, 4]
    units = np.array([[[1, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [0, 1]]], dtype=float)
    full_covariance = np.einsum("tij,...kl->...tikjl", units, inverse).reshape(*n.shape, 3, 6, 6)
    pairs_of_seats = [(0, 0), (0, 1), (1, 1)]
    # Wishart: Cov(s_ij, s_kl) = (σ_ik σ_jl + σ_il σ_jk)/df.
    covariances = [
        np.stack(
            [sigma[..., i, k] * sigma[..., j, m] + sigma[..., i, m] * sigma[..., j, k] for k, m in pairs_of_seats],
            axis=-1,
        )
        for i, j in pairs_of_seats
    ]
    levels = mean[..., 2:] - (mean[..., None, :2] @ slopes)[..., 0, :]
    table = np.concatenate([levels[..., None, :], slopes], axis=-2)
    estimates = np.swapaxes(table, -1, -2).reshape(*n.shape, 6)[..., order]
    names = [f"{term}[{name}]" for name in roles for term in ("intercept", "actor", "partner")]
    first_variance, second_variance = sigma[..., 0, 0], sigma[..., 1, 1]
    return _result(
        moments, names, estimates, np.stack([sigma[..., i, j] for i, j in pairs_of_seats], axis=-1),
        np.stack(covariances, axis=-2) / (n - 3)[..., None, None], full_covariance[..., order, :][..., order],
        (first_variance, second_variance), sigma[..., 0, 1] / np.sqrt(first_variance * second_variance), roles,
    )  # fmt: skip


def _invert_with_intercept(n: FloatArray, mean: FloatArray, products: FloatArray) -> FloatArray:
    """Return the inverse cross products of the intercept and predictors, from the products about their means."""
    inverse_products = np.linalg.inv(products)
    mean_part = -(inverse_products @ mean[..., None])[..., 0]
    inverse = np.empty((*n.shape, 3, 3))
    inverse[..., 0, 0] = 1 / n - (mean * mean_part).sum(axis=-1)
    inverse[..., 0, 1:] = inverse[..., 1:, 0] = mean_part
    inverse[..., 1:, 1:] = inverse_products
    return inverse


def _build_directions(n: FloatArray, mean: FloatArray, slope: FloatArray, slope_apart: FloatArray) -> FloatArray:
    """Return what each residual variance, of the pair's mean and of its difference, multiplies in the covariance.

    Parameters
    ----------
    mean
        Of the pair's mean of the predictor.
    slope, slope_apart
        Reciprocal sums of squares of that mean and of the difference.
    """
    blocks = np.zeros((*n.shape, 2, 3, 3))
    blocks[..., 0, 0, 0] = 1 / n + mean**2 * slope
    blocks[..., 0, 0, 1] = blocks[..., 0, 1, 0] = -mean * slope
    blocks[..., 0, 1, 1] = slope
    blocks[..., 1, 2, 2] = slope_apart
    return blocks


def _alike(moments: Moments, n: FloatArray) -> ActorPartner:
    mean, products = moments.mean @ TURN.T, TURN @ moments.covariance @ TURN.T * (n - 1)[..., None, None]
    products_about_zero = products + n[..., None, None] * mean[..., :, None] * mean[..., None, :]  # about zero
    least_squares = 1e-12 * (n - 1) * (moments.covariance[..., 0, 0] + moments.covariance[..., 1, 1])
    has_spread = (products[..., 0, 0] > least_squares) & (products_about_zero[..., 1, 1] > least_squares)
    _refuse(
        moments, has_spread, "the predictor is the same in both seats of each pair, or has the same mean in all pairs"
    )
    # Two independent regressions: of the pair's mean on its mean, and of the difference on the difference.
    with np.errstate(divide="ignore", invalid="ignore"):
        slope_of_mean = products[..., 0, 2] / products[..., 0, 0]
        slope_of_difference = products_about_zero[..., 1, 3] / products_about_zero[..., 1, 1]
        variance_of_mean = (products[..., 2, 2] - slope_of_mean * products[..., 0, 2]) / (n - 2)
        variance_of_difference = (
            products_about_zero[..., 3, 3] - slope_of_difference * products_about_zero[..., 1, 3]
        ) / (n - 1)
        slope, slope_apart = (
            np.where(has_spread, 1 / square, 0.0) for square in (products[..., 0, 0], products_about_zero[..., 1, 1])
        )
    has_error = (variance_of_mean > 1e-12 * products[..., 2, 2]) & (
        variance_of_difference > 1e-12 * products_about_zero[..., 3, 3]
    )
    _refuse(
        moments, has_error, "the mean or the difference of a pair's outcomes is predicted without error (a fixed sum?)"
    )
    direction_blocks = _build_directions(n, mean[..., 0], slope, slope_apart)
    # The two residual variances are independent, each with the df of its regression.
    variances = np.stack([variance_of_mean, variance_of_difference], axis=-1)
    theta = np.where((has_spread & has_error)[..., None], variances, np.nan)
    uncertainty = (2 * theta**2 / np.stack([n - 2, n - 1], axis=-1))[..., None] * np.eye(2)
    # The residual variance and covariance of a seat from those of mean and difference.
    sigma2 = theta[..., 1] / 2
    tau2 = theta[..., 0] - sigma2 / 2
    estimates = (
        np.stack([mean[..., 2] - slope_of_mean * mean[..., 0], slope_of_mean, slope_of_difference], axis=-1) @ BACK.T
    )
    return _result(
        moments, ["intercept", "actor", "partner"], estimates, theta, uncertainty, BACK @ direction_blocks @ BACK.T,
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
    # The variance of a coefficient is linear in the residual variances, with these slopes.
    parameter_slopes = np.einsum("...iaa->...ai", directions)
    v = (parameter_slopes @ theta[..., None])[..., 0]
    df = 2 * v**2 / np.einsum("...ai,...ij,...aj->...a", parameter_slopes, uncertainty, parameter_slopes)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.sqrt(v)
        t = estimates / se
    columns = zip(*map(several, (estimates, se, t, df, t_tails(t, df))), strict=True)
    return ActorPartner(
        coefficients=tuple(
            Coefficient(name, b, standard_error, ratio, degrees, p, "satterthwaite")
            for name, (b, standard_error, ratio, degrees, p) in zip(names, columns, strict=True)
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


def _refuse(moments: Moments, is_estimable: np.bool | npt.NDArray[np.bool_], reason: str) -> None:
    """Raise NotEstimable for one study; in a stack such a study gets NaN."""
    if not moments.studies and not is_estimable:
        raise NotEstimable(reason)


def _spread(matrix: FloatArray) -> npt.NDArray[np.bool_]:
    """Return whether both variables vary, and neither follows from the other."""
    a, b, c = matrix[..., 0, 0], matrix[..., 1, 1], matrix[..., 0, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((a > 0) & (b > 0) & (1 - np.abs(c) / np.sqrt(a * b) > 1e-12))


def distinguishability(
    data: Any,
    variables: str | list[str] | None = None,
    *,
    pair: str | None = None,
    role: str | None = None,
) -> LikelihoodRatio:
    """Test whether the two roles differ in any mean, variance or covariance of the variables.

    The I-SAT model of Olsen and Kenny (2006), in closed form by sums and differences: the smaller model has no
    covariance of sums with differences, and differences of mean 0.

    Parameters
    ----------
    data
        A long frame with one row a person, and the columns `variables`, `pair` and `role`; or `Moments` of each
        variable in seat 1 and seat 2, side by side: x1, x2, y1, y2.
    variables
        The columns to compare the roles in.
    pair
        The column of the pair.
    role
        The column of the role, of two levels.

    Returns
    -------
    LikelihoodRatio
        The likelihood ratio as chi-squared, with df and p.

    References
    ----------
    Olsen, J. A., & Kenny, D. A. (2006). Structural equation modeling with interchangeable dyads. Psychological Methods,
    11, 127–141.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"pair": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "role": ["buyer", "seller"] * 6,
    ...                       "points": [12, 10, 15, 9, 11, 14, 22, 18, 16, 8, 13, 12]})
    >>> distinguishability(frame, "points", pair="pair", role="role").apa()
    'χ²(2) = 3.26, p = .196'
    """
    names = [variables] if isinstance(variables, str) else list(variables or [])
    moments, roles = seats(data, list(names), pair, role)
    if not isinstance(data, Moments) and not roles:
        raise DesignError("role is not given; name the column that distinguishes the two members of a pair")
    k = len(moments.variables)
    n = float(moments.n)
    if k % 2 or n <= k:
        raise DesignError(f"{n:g} pairs and {k} variables; give each variable of both seats, and more pairs than these")
    to_sums_and_differences = np.kron(np.eye(k // 2), np.array([[1.0, 1.0], [1.0, -1.0]]))
    sums, differences = slice(0, None, 2), slice(1, None, 2)
    mean, covariance = (
        to_sums_and_differences @ moments.mean,
        to_sums_and_differences @ moments.covariance @ to_sums_and_differences.T * (n - 1) / n,
    )
    # If members are exchangeable, differences have mean 0 and do not go with sums.
    difference_part = covariance[differences, differences] + np.outer(mean[differences], mean[differences])
    logs = [np.linalg.slogdet(products) for products in (covariance[sums, sums], difference_part, covariance)]
    if any(sign <= 0 or not np.isfinite(value) for sign, value in logs):
        raise NotEstimable("the variables of the two seats follow from each other; leave one out")
    ratio = max(n * float(logs[0][1] + logs[1][1] - logs[2][1]), 0.0)
    n_variables = k // 2
    df = n_variables + n_variables**2
    return LikelihoodRatio(ratio, df, float(special.chdtrc(df, ratio)), False)
