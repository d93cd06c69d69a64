"""The social relations model from mean squares: people, sums and differences of dyads; estimates, tests, intervals.

In a group of n the effects of people have n − 1 degrees of freedom, what is left of a dyad's mean n(n − 3)/2, and what
is left of its difference (n − 1)(n − 2)/2. All that the social relations model estimates and tests are functions of
these. The last axis of all arrays is the group; axes before it are a stack of studies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError, shown
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import t_tails
from negstats.stats.summaries.frames import numbers

LEAST = 4  # of three people the sums of dyads follow from the people


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """Mean squares of each group.

    Attributes
    ----------
    size : ndarray, shape (groups,)
        People.
    actor, partner, product : ndarray, shape (*studies, groups)
        Mean squares of estimated actor and partner effects, and their mean product, on n − 1 df.
    same, apart : ndarray, shape (*studies, groups)
        Of what is left of dyads: expected σ² + κ for sums and σ² − κ for differences, σ² the relationship variance and
        κ the covariance of the two of a dyad.
    """

    size: FloatArray
    actor: FloatArray
    partner: FloatArray
    product: FloatArray
    same: FloatArray
    apart: FloatArray

    @property
    def df(self) -> FloatArray:
        """Degrees of freedom of people."""
        return self.size - 1

    @property
    def df_same(self) -> FloatArray:
        """Degrees of freedom of the sums of dyads."""
        return self.size * (self.size - 3) / 2

    @property
    def df_apart(self) -> FloatArray:
        """Degrees of freedom of the differences of dyads."""
        return (self.size - 1) * (self.size - 2) / 2

    @property
    def part_same(self) -> FloatArray:
        """What a mean square of people has of `same`."""
        return 1 / (2 * (self.size - 2))

    @property
    def part_apart(self) -> FloatArray:
        """What a mean square of people has of `apart`; their mean product has it with a minus."""
        return 1 / (2 * self.size)


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """Who was in which group, and everyone's estimated effects."""

    group: npt.NDArray[np.object_]
    person: npt.NDArray[np.object_]
    actor: FloatArray
    partner: FloatArray

    def frame(self) -> pd.DataFrame:
        """Return one row a person."""
        return pd.DataFrame(
            {"group": self.group, "person": self.person, "actor": self.actor, "partner": self.partner}
        ).infer_objects()


def squares(values: FloatArray) -> tuple[Squares, FloatArray, FloatArray]:
    """Return the mean squares of groups of one size, shape (..., groups, n, n), and everyone's two effects.

    Warner, Kenny and Stoto (1979), J. Personality and Social Psychology 37, eqs. 3 to 8. The diagonal is not looked at.
    """
    n = values.shape[-1]
    is_self = np.eye(n, dtype=bool)
    # A constant of the group is no effect: without it values far from zero keep their digits.
    centre = np.where(is_self, 0.0, values).sum(axis=(-2, -1), keepdims=True) / (n * (n - 1))
    deviations = np.where(is_self, 0.0, values - centre)
    row, column = deviations.sum(axis=-1) / (n - 1), deviations.sum(axis=-2) / (n - 1)
    mean = row.mean(axis=-1, keepdims=True)
    # Warner, Kenny and Stoto: who acts is no partner of himself, so that each effect is corrected for the other.
    actor_effects = ((n - 1) ** 2 * row + (n - 1) * column) / (n * (n - 2)) - (n - 1) / (n - 2) * mean
    partner_effects = ((n - 1) ** 2 * column + (n - 1) * row) / (n * (n - 2)) - (n - 1) / (n - 2) * mean
    residuals = deviations - actor_effects[..., :, None] - partner_effects[..., None, :] - mean[..., None]
    largest = np.abs(np.where(is_self, 0.0, values)).max(axis=(-2, -1), keepdims=True)
    # What is rounding is nothing.
    residuals = np.where(is_self | (np.abs(residuals) <= ROUNDING * largest), 0.0, residuals)
    # A dyad's two residuals: their sum holds what is common to both, their difference what is not.
    transposed = np.swapaxes(residuals, -1, -2)
    half_sums, half_differences = ((residuals + transposed) / 2) ** 2, ((residuals - transposed) / 2) ** 2
    df_same, df_apart = n * (n - 3) / 2, (n - 1) * (n - 2) / 2
    size = np.full(values.shape[-3], float(n))
    group_squares = Squares(
        size,
        (actor_effects**2).sum(axis=-1) / (n - 1),
        (partner_effects**2).sum(axis=-1) / (n - 1),
        (actor_effects * partner_effects).sum(axis=-1) / (n - 1),
        half_sums.sum(axis=(-2, -1)) / df_same,
        half_differences.sum(axis=(-2, -1)) / df_apart,
    )
    return group_squares, actor_effects, partner_effects


def matrices(
    rows: pd.DataFrame, outcome: str, actor: str, partner: str, group: str | None
) -> tuple[list[tuple[str, list[object], FloatArray]], dict[str, str], int]:
    """Return each whole group's name, people and matrix; groups left out with the reason; and rows left out.

    A row on oneself is left out and counted. A group that lacks a cell, or has fewer than four people, is left out.
    """
    keys = [*([group] if group is not None else []), actor, partner]
    # What people do to themselves, and rows that do not name both, are left out.
    has_names = rows[keys].notna().all(axis=1)
    selves = has_names & (rows[actor].astype(object) == rows[partner].astype(object))
    complete_rows = rows[has_names & ~selves]
    y = numbers(complete_rows[outcome], outcome)
    is_repeated = complete_rows.duplicated(keys)
    if is_repeated.any():
        repeated_keys = complete_rows.loc[is_repeated, keys].iloc[0]
        pair_text = ", ".join(f"{name} {shown(repeated_keys[name])}" for name in keys)
        raise DesignError(
            f"two rows have {pair_text}; each ordered pair has one row, so take the mean of repeated ones first"
        )
    group_matrices, left_out = [], {}
    for name, row_indices in (
        complete_rows.reset_index(drop=True).groupby(group, sort=True).indices.items() if group else [("", None)]
    ):
        group_rows = complete_rows if row_indices is None else complete_rows.iloc[row_indices]
        value = y if row_indices is None else y[row_indices]
        label = f"group {shown(name)}" if group else "the group"
        people, matrix = _build_matrix(group_rows[actor], group_rows[partner], value)
        n = len(people)
        if n < LEAST:
            left_out[str(name)] = f"{label} has {n} people; a round robin needs at least {LEAST}"
            continue
        # The mean squares of a round robin need every ordered pair.
        missing_pairs = np.argwhere(np.isnan(matrix) & ~np.eye(n, dtype=bool))
        if len(missing_pairs):
            example = f"{shown(people[missing_pairs[0][0]])} on {shown(people[missing_pairs[0][1]])}"
            left_out[str(name)] = (
                f"{label} lacks {len(missing_pairs)} of {n * (n - 1)} ordered pairs, such as {example}"
            )
            continue
        group_matrices.append((str(name), people, matrix))
    return group_matrices, left_out, int((~has_names).sum() + selves.sum())


def _build_matrix(actors: pd.Series, partners: pd.Series, value: FloatArray) -> tuple[list[object], FloatArray]:
    """Return the people of a group and a row for each actor, a column for each partner; the diagonal stays empty."""
    people = _sorted(pd.concat([actors, partners]).unique())
    index_of = {person: index for index, person in enumerate(people)}
    matrix = np.full((len(people), len(people)), np.nan)
    matrix[tuple(names.map(index_of).to_numpy(dtype=np.intp) for names in (actors, partners))] = value
    return people, matrix


def _sorted(people: object) -> list[object]:
    values = list(people)  # type: ignore[call-overload]
    try:
        return sorted(values)
    except TypeError:  # ids of mixed types
        return sorted(values, key=str)


TERMS = ("actor", "partner", "relationship", "actor-partner", "dyadic")
TWO_SIDED = np.array([False, False, False, True, True])


@dataclass(frozen=True, slots=True, eq=False)
class Tests:
    """Of each of `TERMS`, the first axis: F or t, its degrees of freedom (df2 missing for t) and p."""

    statistic: FloatArray
    df1: FloatArray
    df2: FloatArray
    p: FloatArray


def by_group(s: Squares) -> FloatArray:
    """Return the five estimates of each group, shape (5, *studies, groups); their expectations are the parameters."""
    ms_same, ms_apart = s.part_same * s.same, s.part_apart * s.apart
    return np.stack(
        [
            s.actor - ms_same - ms_apart,
            s.partner - ms_same - ms_apart,
            (s.same + s.apart) / 2,
            s.product - ms_same + ms_apart,
            (s.same - s.apart) / 2,
        ]
    )


def variances(s: Squares) -> FloatArray:
    """Return unbiased estimates of the variances of each group's estimates (Lashley and Bond, 1997).

    Of a mean square M on f df, 2M²/(f + 2); of a mean product C of A and B, (fAB + (f − 2)C²)/((f + 2)(f − 1)).
    """
    df = s.df
    variance_same, variance_apart = 2 * s.same**2 / (s.df_same + 2), 2 * s.apart**2 / (s.df_apart + 2)
    # The dyads' share in a mean square of people is taken out, and its variance comes in.
    dyads = s.part_same**2 * variance_same + s.part_apart**2 * variance_apart
    product = (df * s.actor * s.partner + (df - 2) * s.product**2) / ((df + 2) * (df - 1))
    half = (variance_same + variance_apart) / 4
    return np.stack(
        [2 * s.actor**2 / (df + 2) + dyads, 2 * s.partner**2 / (df + 2) + dyads, half, product + dyads, half]
    )


def estimates(s: Squares) -> FloatArray:
    """Return the five estimates, shape (5, *studies); groups weigh n − 1."""
    return np.asarray(by_group(s) @ (s.df / s.df.sum()))


def standard_errors(s: Squares) -> FloatArray:
    """Return their standard errors by Lashley and Bond."""
    return np.asarray(np.sqrt(variances(s) @ (s.df / s.df.sum()) ** 2))


def by_se(s: Squares) -> Tests:
    """Test each estimate over its standard error, t on Σ(n − 1) df."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = estimates(s) / standard_errors(s)
    return _t_tests(t, np.full_like(t, s.df.sum()))


def by_groups(s: Squares) -> tuple[Tests, FloatArray]:
    """Test the weighted mean of the groups' estimates by their spread, t on groups − 1 df; and its standard error."""
    weights, group_estimates = s.df, by_group(s)
    mean = (group_estimates @ weights / weights.sum())[..., None]
    # Each group is one observation, weighted by its degrees of freedom.
    group_variance = (
        ((group_estimates - mean) ** 2 @ weights) * weights.sum() / (weights.sum() ** 2 - (weights**2).sum())
    )
    se = np.sqrt(group_variance / len(weights))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean[..., 0] / se
    return _t_tests(t, np.full_like(t, len(weights) - 1.0)), np.asarray(se)


def by_mean_squares(s: Squares) -> Tests:
    """Test each component by the mean squares that would be equal, or a mean product that would be 0, without it."""
    ms_same, ms_apart, df_same, df_apart = _pooled(s)
    dyad_parts = _Parts.of(s)
    with np.errstate(divide="ignore", invalid="ignore"):  # a study of a stack whose dyads hold nothing
        f1, f2 = dyad_parts.df(np.zeros_like(ms_same), ms_same, ms_apart), dyad_parts.df_without(ms_same, ms_apart)
        ms_dyads = dyad_parts.same * ms_same + dyad_parts.apart * ms_apart
        actor, partner = (square @ dyad_parts.weights / ms_dyads for square in (s.actor, s.partner))
        ratio = ms_same / ms_apart
    test_columns: list[tuple[FloatArray, ...]] = [
        (f, f1, f2, np.asarray(special.fdtrc(f1, f2, f))) for f in (actor, partner)
    ]
    no_values = np.full_like(ms_same, np.nan)
    test_columns.append((no_values, no_values, no_values, no_values))
    test_columns.append(_product(s, dyad_parts, ms_same, ms_apart))
    tails = special.fdtr(df_same, df_apart, ratio), special.fdtrc(df_same, df_apart, ratio)
    df1, df2 = (np.broadcast_to(df, ratio.shape) for df in (df_same, df_apart))
    test_columns.append((ratio, df1, df2, np.minimum(1.0, 2 * np.minimum(*tails))))
    return Tests(*(np.stack(column) for column in zip(*test_columns, strict=True)))


def _product(s: Squares, dyad_parts: _Parts, ms_same: FloatArray, ms_apart: FloatArray) -> tuple[FloatArray, ...]:
    """Test the actor-partner covariance as a correlation r, by r √(f − 1)/√(1 − r²) on f − 1 df.

    r is the mean product less what it has of dyads, over the size that its variance times f has without a covariance of
    people, that of the dyads' part in it. Where dyads do not correlate at all and are many, this is Pearson's r.
    """
    f = s.df.sum()
    actor_square, partner_square, product = (square @ dyad_parts.weights for square in (s.actor, s.partner, s.product))
    # The product of actor and partner that dyads alone would give, and the noise of that estimate.
    dyads = dyad_parts.same * ms_same - dyad_parts.apart * ms_apart
    noise = (
        2 * (dyad_parts.same * ms_same) ** 2 / s.df_same.sum()
        + 2 * (dyad_parts.apart * ms_apart) ** 2 / s.df_apart.sum()
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (product - dyads) / np.sqrt(actor_square * partner_square + dyads**2 + f * noise)
        t = r * np.sqrt((f - 1) / np.maximum(1 - r**2, 0.0))
    df = np.full_like(t, f - 1)
    return t, df, np.full_like(t, np.nan), t_tails(t, df)


def ends(s: Squares, term: str, confidence_level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the interval of a component that is a sum or difference of mean squares."""
    tail = (1 - confidence_level) / 2
    ms_same, ms_apart, df_same, df_apart = _pooled(s)
    if term == "relationship":
        # Graybill and Wang (1980): (same + apart)/2, both with a plus.
        (g1, h1), (g2, h2) = _reach(df_same, tail), _reach(df_apart, tail)
        centre = (ms_same + ms_apart) / 2
        return centre - np.hypot(g1 * ms_same, g2 * ms_apart) / 2, centre + np.hypot(h1 * ms_same, h2 * ms_apart) / 2
    if term == "dyadic":
        return _difference(ms_same / 2, ms_apart / 2, df_same, df_apart, tail)
    # The part of the dyads' squares is taken as one mean square, with Satterthwaite's degrees of freedom.
    dyad_parts = _Parts.of(s)
    person_square = (s.actor if term == "actor" else s.partner) @ dyad_parts.weights
    dyad_square = dyad_parts.same * ms_same + dyad_parts.apart * ms_apart
    return _difference(
        person_square,
        dyad_square,
        dyad_parts.df(np.maximum(person_square - dyad_square, 0.0), ms_same, ms_apart),
        dyad_parts.df_without(ms_same, ms_apart),
        tail,
    )


def _reach(df: Any, tail: float) -> tuple[Any, Any]:
    """Return how far the interval of a mean square reaches below and above it, as shares of it."""
    return 1 - df / special.chdtri(df, tail), df / special.chdtri(df, 1 - tail) - 1


def _difference(a: FloatArray, b: FloatArray, n: Any, m: Any, tail: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends for a − b, mean squares on n and m df: Ting et al. (1990); exact where either is 0."""
    (g1, h1), (g2, h2) = _reach(n, tail), _reach(m, tail)
    upper, lower = special.fdtri(n, m, 1 - tail), special.fdtri(n, m, tail)
    cross_low = ((upper - 1) ** 2 - (g1 * upper) ** 2 - h2**2) / upper
    cross_high = ((1 - lower) ** 2 - (h1 * lower) ** 2 - g2**2) / lower
    reach_low = (g1 * a) ** 2 + (h2 * b) ** 2 + cross_low * a * b
    reach_high = (h1 * a) ** 2 + (g2 * b) ** 2 + cross_high * a * b
    return a - b - np.sqrt(np.maximum(reach_low, 0.0)), a - b + np.sqrt(np.maximum(reach_high, 0.0))


def dyadic_ends(s: Squares, confidence_level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends for κ/σ² = (F − 1)/(F + 1) from F = same/apart over its quantiles."""
    ms_same, ms_apart, df_same, df_apart = _pooled(s)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio_bounds = [
            ms_same / ms_apart / special.fdtri(df_same, df_apart, area)
            for area in ((1 + confidence_level) / 2, (1 - confidence_level) / 2)
        ]
        low, high = ((ratio - 1) / (ratio + 1) for ratio in ratio_bounds)
    return np.asarray(low), np.asarray(high)


def _pooled(s: Squares) -> tuple[FloatArray, FloatArray, float, float]:
    """Return the dyads' mean squares over all groups, and their degrees of freedom."""
    f, g = s.df_same, s.df_apart
    return s.same @ (f / f.sum()), s.apart @ (g / g.sum()), float(f.sum()), float(g.sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """What the mean squares of people of all groups, weighed by n − 1, hold of the dyads' two mean squares."""

    weights: FloatArray
    same: float
    apart: float
    squares: Squares

    @classmethod
    def of(cls, s: Squares) -> _Parts:
        w = s.df / s.df.sum()
        return cls(w, float(w @ s.part_same), float(w @ s.part_apart), s)

    def df(self, variance: FloatArray, same: FloatArray, apart: FloatArray) -> FloatArray:
        """Return Satterthwaite's df of the mean square of people: groups of unlike sizes expect unlike squares."""
        s = self.squares
        expected = variance[..., None] + s.part_same * same[..., None] + s.part_apart * apart[..., None]
        return np.asarray((expected @ self.weights) ** 2 / ((expected * self.weights) ** 2 @ (1 / s.df)))

    def df_without(self, same: FloatArray, apart: FloatArray) -> FloatArray:
        """Return Satterthwaite's df of what the mean square of people would be without variance of people."""
        s = self.squares
        x, y = self.same * same, self.apart * apart
        return np.asarray((x + y) ** 2 / (x**2 / s.df_same.sum() + y**2 / s.df_apart.sum()))


def _t_tests(t: FloatArray, df: FloatArray) -> Tests:
    is_two_sided = TWO_SIDED.reshape(-1, *([1] * (t.ndim - 1)))
    return Tests(t, df, np.full_like(t, np.nan), np.where(is_two_sided, t_tails(t, df), t_tails(t, df, "greater")))
