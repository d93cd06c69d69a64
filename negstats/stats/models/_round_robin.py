"""Mean squares of round-robin groups: people, sums of dyads and their differences, which are independent.

In a group of n the effects of people have n − 1 degrees of freedom, what is left of a dyad's mean n(n − 3)/2, and what
is left of its difference (n − 1)(n − 2)/2. All that the social relations model estimates and tests are functions of
these. The last axis of all arrays is the group; axes before it are a stack of studies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.results.numbers import ROUNDING, FloatArray
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
    own = np.eye(n, dtype=bool)
    # A constant of the group is no effect: without it values far from zero keep their digits.
    centre = np.where(own, 0.0, values).sum(axis=(-2, -1), keepdims=True) / (n * (n - 1))
    x = np.where(own, 0.0, values - centre)
    row, column = x.sum(axis=-1) / (n - 1), x.sum(axis=-2) / (n - 1)
    mean = row.mean(axis=-1, keepdims=True)
    a = ((n - 1) ** 2 * row + (n - 1) * column) / (n * (n - 2)) - (n - 1) / (n - 2) * mean
    b = ((n - 1) ** 2 * column + (n - 1) * row) / (n * (n - 2)) - (n - 1) / (n - 2) * mean
    rest = x - a[..., :, None] - b[..., None, :] - mean[..., None]
    size_of = np.abs(np.where(own, 0.0, values)).max(axis=(-2, -1), keepdims=True)
    rest = np.where(own | (np.abs(rest) <= ROUNDING * size_of), 0.0, rest)  # what is rounding is nothing
    other = np.swapaxes(rest, -1, -2)
    both, half_differences = ((rest + other) / 2) ** 2, ((rest - other) / 2) ** 2
    df_same, df_apart = n * (n - 3) / 2, (n - 1) * (n - 2) / 2
    size = np.full(values.shape[-3], float(n))
    group_squares = Squares(
        size,
        (a**2).sum(axis=-1) / (n - 1),
        (b**2).sum(axis=-1) / (n - 1),
        (a * b).sum(axis=-1) / (n - 1),
        both.sum(axis=(-2, -1)) / df_same,
        half_differences.sum(axis=(-2, -1)) / df_apart,
    )
    return group_squares, a, b


def matrices(
    rows: pd.DataFrame, outcome: str, actor: str, partner: str, group: str | None
) -> tuple[list[tuple[str, list[object], FloatArray]], dict[str, str], int]:
    """Return each whole group's name, people and matrix; groups left out with the reason; and rows left out.

    A row on oneself is left out and counted. A group that lacks a cell, or has fewer than four people, is left out.
    """
    keys = [*([group] if group is not None else []), actor, partner]
    has_names = rows[keys].notna().all(axis=1)
    selves = has_names & (rows[actor].astype(object) == rows[partner].astype(object))
    complete_rows = rows[has_names & ~selves]
    y = numbers(complete_rows[outcome], outcome)
    twice = complete_rows.duplicated(keys)
    if twice.any():
        one = complete_rows.loc[twice, keys].iloc[0]
        pair_text = ", ".join(f"{name} {shown(one[name])}" for name in keys)
        raise DesignError(
            f"two rows have {pair_text}; each ordered pair has one row, so take the mean of repeated ones first"
        )
    group_matrices, out = [], {}
    for name, places in (
        complete_rows.reset_index(drop=True).groupby(group, sort=True).indices.items() if group else [("", None)]
    ):
        part = complete_rows if places is None else complete_rows.iloc[places]
        value = y if places is None else y[places]
        label = f"group {shown(name)}" if group else "the group"
        people = _sorted(pd.concat([part[actor], part[partner]]).unique())
        n = len(people)
        if n < LEAST:
            out[str(name)] = f"{label} has {n} people; a round robin needs at least {LEAST}"
            continue
        at = {person: place for place, person in enumerate(people)}
        matrix = np.full((n, n), np.nan)
        matrix[part[actor].map(at).to_numpy(dtype=np.intp), part[partner].map(at).to_numpy(dtype=np.intp)] = value
        missing_pairs = np.argwhere(np.isnan(matrix) & ~np.eye(n, dtype=bool))
        if len(missing_pairs):
            first = f"{shown(people[missing_pairs[0][0]])} on {shown(people[missing_pairs[0][1]])}"
            out[str(name)] = f"{label} lacks {len(missing_pairs)} of {n * (n - 1)} ordered pairs, such as {first}"
            continue
        group_matrices.append((str(name), people, matrix))
    return group_matrices, out, int((~has_names).sum() + selves.sum())


def _sorted(people: object) -> list[object]:
    values = list(people)  # type: ignore[call-overload]
    try:
        return sorted(values)
    except TypeError:  # ids of mixed types
        return sorted(values, key=str)
