"""Samples of whole numbers that fit a printed mean and SD: all of them, as counts of each value.

Where SPRITE (Heathers, Anaya, van der Zee and Brown, 2018, PeerJ Preprints 6:e26968v1) draws some samples at random,
this lists every one, as CLOSURE does (Wilkinson, 2019), with counts of values in place of ordered scores, so that each
sample comes once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.audit.grim import squares_between
from negstats.audit.search import Budget, IntArray, OutOfBudget, spread_out
from negstats.errors import DesignError
from negstats.printed_numbers import Printable, check_n, printed

BLOCK = 200_000  # partial samples that are extended at once


@dataclass(frozen=True, slots=True, eq=False)
class FittingSamples:
    """Samples that fit printed summaries.

    Attributes
    ----------
    values : ndarray of int, shape (values,)
        The values that a person can have, ascending.
    counts : ndarray of int, shape (samples, values)
        How many people have each value; one row a sample.
    looked_at : int
        Partial samples that the search went through.
    complete : bool
        Whether that is all there are. False: the limit was reached, and other samples may fit as well.
    """

    values: IntArray
    counts: IntArray
    looked_at: int
    complete: bool

    def __len__(self) -> int:
        return len(self.counts)

    def sample(self, place: int) -> IntArray:
        """Return one sample person by person, ascending.

        Parameters
        ----------
        place
            Which sample, counted from 0.

        Returns
        -------
        ndarray of int
            One value a person.
        """
        return np.repeat(self.values, self.counts[place])

    def to_frame(self) -> pd.DataFrame:
        """Return one row a sample: how many people have each value, and the unrounded mean and SD (n − 1).

        Returns
        -------
        DataFrame
            The mean and the SD are in units of the scale.
        """
        n = self.counts.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self.counts @ self.values / n
            squares = (self.counts * (self.values - mean[:, None]) ** 2).sum(axis=1)
            summary = pd.DataFrame({"mean": mean, "sd": np.sqrt(squares / (n - 1))})
        frame = pd.concat([pd.DataFrame(self.counts, columns=[f"n_{value}" for value in self.values]), summary], axis=1)
        frame.attrs["schema"] = "FittingSamples/1"
        return frame

    def __str__(self) -> str:
        some = "1 sample fits" if len(self) == 1 else f"{len(self) or 'no'} samples fit"
        end = "all were looked at" if self.complete else "the search stopped at its limit, so others may fit"
        return f"{some} ({end})"


def samples_with(
    mean: Printable,
    sd: Printable | None,
    n: int,
    values: Iterable[int],
    *,
    ddof: int = 1,
    limit: int = 20_000_000,
) -> FittingSamples:
    """List every sample of whole numbers whose mean and SD round to what is printed.

    Parameters
    ----------
    mean, sd
        Printed mean and SD; None for an SD that is not printed.
    n
        People.
    values
        The whole numbers that a person can have: ``range(1, 8)`` for a scale from 1 to 7, ``(0, 5, 10)`` for points.
    ddof
        1 if the SD divides by n − 1, 0 if by n.
    limit
        How many partial samples to look at before giving up; the result then says ``complete=False``.

    Returns
    -------
    FittingSamples
        The samples that fit; none if there is no such sample.

    Raises
    ------
    DesignError
        If there are fewer than two values, a value is not whole, or the SD is negative.

    Examples
    --------
    >>> result = samples_with("1.50", "0.58", 4, range(1, 8))
    >>> result.sample(0), len(result), result.complete
    (array([1, 1, 2, 2]), 1, True)
    >>> print(samples_with("3.45", "1.20", 10, range(1, 8)))
    no samples fit (all were looked at)
    """
    scores = _scores(values, check_n(n))
    budget = Budget(limit)
    number = printed(mean, "mean")
    low, high = (end * n for end in number.exact)
    samples, complete = [np.empty((0, len(scores)), dtype=np.int64)], True
    try:
        for total in range(max(math.ceil(low), n * int(scores[0])), min(math.floor(high), n * int(scores[-1])) + 1):
            least, most = _squares(sd, n, total, ddof, scores)
            samples.extend(_samples(scores, n, total, least, most, budget))
    except OutOfBudget:
        complete = False
    return FittingSamples(scores, np.concatenate(samples), budget.spent, complete)


def _scores(values: Iterable[int], n: int) -> IntArray:
    value_list = list(values)
    for value in value_list:
        if Fraction(str(value)).denominator != 1:
            raise DesignError(
                f"values has {value!r}; give whole numbers (for half points, double the mean, SD and values)"
            )
    scores = np.unique(np.array(value_list, dtype=np.int64))
    if len(scores) < 2:
        raise DesignError(f"values is {value_list!r}; give at least two different whole numbers")
    if n * n * int(np.abs(scores).max()) ** 2 >= 2**62:
        raise DesignError(f"values go up to {scores[-1]} and n is {n}; the sums of squares would not fit into 64 bits")
    return scores


def _squares(sd: Printable | None, n: int, total: int, ddof: int, scores: IntArray) -> tuple[int, int]:
    """Return the least and the greatest sum of squares to look for."""
    if sd is None:
        return 0, n * int(np.abs(scores).max()) ** 2
    squares = squares_between(sd, n, total, ddof)
    return (squares[0], squares[-1]) if squares else (1, 0)


def _samples(v: IntArray, n: int, total: int, least: int, most: int, budget: Budget) -> Iterator[IntArray]:
    """Yield counts of the values with this total and a sum of squares from `least` to `most`, in blocks."""
    stack = [np.empty((1, 0), dtype=np.int64)]
    while stack:
        counts = stack.pop()
        place = counts.shape[1]
        n_left = n - counts.sum(axis=1)
        if place == len(v) - 2:
            yield _complete_samples(v, counts, n_left, total, least, most)
        elif len(counts) > 1 and (n_left + 1).sum() > BLOCK:
            half = len(counts) // 2
            stack += [counts[half:], counts[:half]]
        else:
            budget.spend(int((n_left + 1).sum()))
            owner, more = spread_out(np.zeros_like(n_left), n_left)
            longer = np.column_stack([counts[owner], more])
            stack.append(longer[_possible(v, longer, n_left[owner] - more, total, least, most)])
            if not len(stack[-1]):
                stack.pop()


def _possible(
    v: IntArray, counts: IntArray, n_left: IntArray, total: int, least: int, most: int
) -> npt.NDArray[np.bool_]:
    """Return which partial samples the people left can still complete, as far as bounds can tell."""
    place = counts.shape[1]
    low, high = v[place], v[-1]
    total_left = total - counts @ v[:place]
    squares = counts @ v[:place] ** 2
    fits: npt.NDArray[np.bool_] = (n_left * low <= total_left) & (total_left <= n_left * high)
    # Σ x² ≥ (Σ x)²/n, and (x − low)(x − high) ≤ 0 for every x that is left.
    fits &= total_left**2 <= n_left * (most - squares)
    fits &= squares + (low + high) * total_left - low * high * n_left >= least
    return fits


def _complete_samples(v: IntArray, counts: IntArray, n_left: IntArray, total: int, least: int, most: int) -> IntArray:
    """Complete partial samples that have two values left: their counts follow from the people and the total left."""
    lower, upper = v[-2], v[-1]
    n_upper, rest = np.divmod(total - counts @ v[:-2] - n_left * lower, upper - lower)
    whole = np.column_stack([counts, n_left - n_upper, n_upper])
    squares = whole @ v**2
    fits = (rest == 0) & (n_upper >= 0) & (n_upper <= n_left) & (least <= squares) & (squares <= most)
    return np.asarray(whole[fits])
