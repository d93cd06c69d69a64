"""Outcome spaces: all ways to divide items or settle issues, their worth, and additive utilities inferred from bids.

Two kinds of issues. *Divisible* items come in counts, and an outcome says how many units each party gets: an integer
array (outcomes, parties, items). *Categorical* issues have options, and an outcome names one option for each issue: an
integer array (outcomes, issues). Utilities are additive over issues: an array (outcomes, parties), or (games,
outcomes, parties) for many games that share the same counts or options. A game with both kinds is the Minkowski sum of
the two (`negstats.games.pareto.minkowski_sum`). Arrays only.

A utility is additive if it is a sum over issues of a value for the option chosen. The values are not unique (a
constant may move from one issue to another), but the utility of every combination of the options seen is, once the bids
tell the options apart.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown

LIMIT = 1_000_000  # outcomes; three parties and five items at this size are 120 MB

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]


def divisions(counts: Sequence[int] | Numbers, parties: int = 2, *, limit: int = LIMIT) -> Integers:
    """Return every way to divide counts of items among parties; every unit goes to somebody.

    Parameters
    ----------
    counts
        How many units there are of each item.
    parties
        How many parties there are.
    limit
        The largest number of outcomes to list.

    Returns
    -------
    numpy.ndarray
        Units, integers (outcomes, parties, items). Outcomes are in lexicographic order: what the first party gets of
        the first item changes slowest.

    Raises
    ------
    DesignError
        If a count is not a whole number of at least 0, there is no party, or there are more than `limit` outcomes (the
        message says how many).

    Examples
    --------
    One book and two hats between two parties:

    >>> divisions([1, 2])[:, 0].tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    >>> len(divisions([1, 2], parties=3))
    18
    """
    item_counts = _whole_numbers(counts, "counts", minimum=0)
    if parties < 1:
        raise DesignError(f"parties is {parties}; a division needs at least one")
    sizes = [math.comb(count + parties - 1, parties - 1) for count in item_counts]
    total = _check_limit(math.prod(sizes), limit, f"counts {shown(tuple(item_counts))} divided among {parties} parties")
    outcomes = np.empty((total, parties, len(item_counts)), dtype=np.int64)
    for item, rows in enumerate(_product(sizes, total)):
        outcomes[:, :, item] = _shares(item_counts[item], parties)[rows]
    return outcomes


def choices(sizes: Sequence[int] | Numbers, *, limit: int = LIMIT) -> Integers:
    """Return every way to settle categorical issues with so many options each.

    Parameters
    ----------
    sizes
        How many options each issue has.
    limit
        The largest number of outcomes to list.

    Returns
    -------
    numpy.ndarray
        Places of the chosen options, integers from 0 (outcomes, issues), in lexicographic order.

    Raises
    ------
    DesignError
        If an issue has no option, or there are more than `limit` outcomes (the message says how many).

    Examples
    --------
    >>> choices([2, 3]).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    """
    option_counts = _whole_numbers(sizes, "sizes", minimum=1)
    total = _check_limit(math.prod(option_counts), limit, f"issues with {shown(tuple(option_counts))} options")
    return np.stack([*_product(option_counts, total)], axis=1) if option_counts else np.empty((1, 0), dtype=np.int64)


def division_utilities(outcomes: npt.ArrayLike, values: npt.ArrayLike) -> Numbers:
    """Return the utility of divisions to each party: the sum over items of units times the value of a unit.

    Sums run over items in order, one product at a time, so that the same outcome has the same utility to the last
    bit wherever it is computed: alone or in its whole outcome space.

    Parameters
    ----------
    outcomes
        Units (outcomes, parties, items), as `divisions` lists them, or (games, outcomes, parties, items).
    values
        Points for one unit, (parties, items); or (games, parties, items) for a batch of games.

    Returns
    -------
    numpy.ndarray
        Utilities in points, (outcomes, parties); (games, outcomes, parties) for a batch.

    Raises
    ------
    DesignError
        If the numbers of parties or items do not fit.

    Examples
    --------
    >>> division_utilities(divisions([1, 2]), [[4, 3], [0, 5]]).tolist()
    [[0, 10], [3, 5], [6, 0], [4, 10], [7, 5], [10, 0]]
    """
    units, worth = np.asarray(outcomes), np.asarray(values)
    if units.ndim < 3 or worth.ndim < 2 or units.shape[-2:] != worth.shape[-2:]:
        raise DesignError(
            f"outcomes have the shape {units.shape} and values {worth.shape}; "
            "the last two, parties and items, must agree"
        )
    shape = np.broadcast_shapes(units.shape[:-1], (*worth.shape[:-2], 1, worth.shape[-2]))
    total: Numbers = np.zeros(shape, dtype=np.result_type(units, worth))
    for item in range(units.shape[-1]):
        total += units[..., item] * worth[..., np.newaxis, :, item]
    return total


def choice_utilities(outcomes: npt.ArrayLike, values: Sequence[npt.ArrayLike]) -> Numbers:
    """Return the utility of settlements to each party: the sum over issues of the value of the chosen option.

    Parameters
    ----------
    outcomes
        Places of the chosen options (outcomes, issues), as `choices` lists them, or (games, outcomes, issues).
    values
        For each issue the points of its options: (parties, options), or (games, parties, options) for a batch.

    Returns
    -------
    numpy.ndarray
        Utilities in points, (outcomes, parties); (games, outcomes, parties) for a batch.

    Raises
    ------
    DesignError
        If the numbers of issues or options do not fit.

    Examples
    --------
    Two issues: the season (two options) and the place (three), each worth points to two parties.

    >>> choice_utilities(choices([2, 3]), [[[0, 3], [2, 0]], [[0, 1, 2], [4, 2, 0]]]).tolist()
    [[0, 6], [1, 4], [2, 2], [3, 4], [4, 2], [5, 0]]
    """
    settlements, issue_values = np.asarray(outcomes), [np.asarray(issue) for issue in values]
    if (
        settlements.ndim < 2
        or not issue_values
        or settlements.shape[-1] != len(issue_values)
        or any(issue.ndim < 2 for issue in issue_values)
    ):
        raise DesignError(
            f"outcomes have the shape {settlements.shape} and values {len(issue_values)} issues; they must agree"
        )
    total: Numbers = np.zeros((), dtype=np.result_type(*issue_values))
    for issue, points in enumerate(issue_values):
        option = settlements[..., np.newaxis, :, issue]  # (..., 1, outcomes), to pick from (..., parties, options)
        _check_options(option, points.shape[-1], issue)
        depth = max(points.ndim, option.ndim)
        points_taken = np.take_along_axis(_deepened(points, depth), _deepened(option, depth), axis=-1)
        total = total + points_taken.swapaxes(-1, -2)
    return total


def _check_options(chosen: Numbers, options: int, issue: int) -> None:
    unknown = chosen[(chosen < 0) | (chosen >= options)]
    if unknown.size:
        raise DesignError(f"issue {issue} has the options 0 to {options - 1}; an outcome names {unknown.flat[0]}")


def _deepened(array: Numbers, depth: int) -> Numbers:
    """Put axes of length 1 in front until there are `depth`."""
    return array.reshape((1,) * (depth - array.ndim) + array.shape)


def _shares(count: int, parties: int) -> Integers:
    """Every way to write `count` as a sum of `parties` whole numbers: stars and bars, in lexicographic order."""
    n_positions = count + parties - 1
    bars = np.array([*itertools.combinations(range(n_positions), parties - 1)], dtype=np.int64)
    edges = bars.reshape(math.comb(n_positions, parties - 1), parties - 1)
    return np.diff(edges, axis=1, prepend=-1, append=n_positions) - 1


def _product(sizes: Sequence[int], total: int) -> tuple[npt.NDArray[np.intp], ...]:
    """For each issue the place of its alternative in every outcome, the last issue changing fastest."""
    return np.unravel_index(np.arange(total), tuple(sizes)) if sizes else ()


def _whole_numbers(numbers: Sequence[int] | Numbers, name: str, minimum: int) -> list[int]:
    counts = np.asarray(numbers)
    if counts.ndim != 1 or (counts.size and (not np.isrealobj(counts) or np.any(counts != np.floor(counts)))):
        raise DesignError(f"{name} is {shown(numbers)}; a row of whole numbers is needed")
    if counts.size and counts.min() < minimum:
        raise DesignError(f"{name} holds {counts.min()}; at least {minimum} is needed")
    return [int(number) for number in counts]


def _check_limit(total: int, limit: int, subject: str) -> int:
    if total > limit:
        raise DesignError(
            f"{subject} have {total:,} outcomes, more than limit = {limit:,}; raise the limit or take fewer items"
        )
    return total


RESIDUAL = 1e-9  # of a utility between 0 and 1, beyond which it is not additive
DECIMALS = 9  # that are kept: ties between bids are real, the last bits of a solved equation are not


@dataclass(frozen=True, slots=True)
class Space:
    """All combinations of the observed options, with the utility of each.

    Attributes
    ----------
    options : tuple
        For each issue its options, in the order in which they were first seen.
    bids : tuple
        All combinations; the last issue changes fastest.
    utilities : numpy.ndarray
        (bids, parties).
    residual : float
        The largest difference between a utility that was given and the one that is computed.
    """

    options: tuple[tuple[str, ...], ...]
    bids: tuple[tuple[str, ...], ...]
    utilities: npt.NDArray[np.float64]
    residual: float

    def of(self, bid: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return what a bid is worth to each party; raises DesignError if an option of it was never seen.

        Parameters
        ----------
        bid
            One option an issue, in the order of the issues.

        Returns
        -------
        ndarray of float
            Utilities, one a party.
        """
        if tuple(bid) not in self.bids:
            raise DesignError(f"bid {tuple(bid)!r} is not one of the {len(self.bids)} combinations of the options seen")
        return np.asarray(self.utilities[self.bids.index(tuple(bid))])


def additive_space(bids: Sequence[Sequence[str]], utilities: npt.ArrayLike, *, limit: int = LIMIT) -> Space | None:
    """Return the outcome space that bids and their utilities identify; None where they do not.

    Parameters
    ----------
    bids
        For each bid the option of each issue.
    utilities
        (bids, parties).
    limit
        The largest space to list.

    Returns
    -------
    Space or None
        None if the one-hot matrix of the bids has not the rank 1 + sum of (options - 1), if a utility is not additive,
        or if there are more combinations than `limit`.

    Raises
    ------
    DesignError
        If bids have different numbers of issues, or there is not one row of utilities for each bid.

    Examples
    --------
    >>> bids = [("low", "A"), ("low", "B"), ("high", "A")]
    >>> space = additive_space(bids, [[0, 1], [0.5, 0.75], [0.5, 0.5]])
    >>> space.of(("high", "B")).tolist()
    [1.0, 0.25]
    """
    table = np.asarray(utilities, dtype=np.float64)
    if len({len(bid) for bid in bids}) != 1 or table.ndim != 2 or len(table) != len(bids):
        raise DesignError(f"{len(bids)} bids on as many issues each, and a row of utilities for each, are needed")
    if not np.isfinite(table).all():
        raise DesignError("a utility is missing; leave such bids out")
    options = tuple(tuple(dict.fromkeys(column)) for column in zip(*bids, strict=True))
    if math.prod(map(len, options)) > limit:
        return None
    # A column for each option of each issue: utilities are additive if they are linear in these.
    design = _one_hot(bids, options)
    # Without full rank several utilities would explain the bids equally well.
    if np.linalg.matrix_rank(design) != 1 + sum(len(issue_options) - 1 for issue_options in options):
        return None
    worths = np.linalg.lstsq(design, table, rcond=None)[0]
    # What additive utilities leave unexplained may be rounding, and nothing more.
    residual = float(np.abs(design @ worths - table).max())
    if residual > RESIDUAL * max(1.0, float(np.abs(table).max())):
        return None
    outcomes = tuple(product(*options))
    utility_table: npt.NDArray[np.float64] = np.round(_one_hot(outcomes, options) @ worths, DECIMALS).astype(np.float64)
    return Space(options, outcomes, utility_table, residual)


def space_of(worths: Sequence[Sequence[Mapping[str, float]]], *, limit: int = LIMIT) -> Space:
    """Return the outcome space of additive utilities that are known.

    Parameters
    ----------
    worths
        For each party and issue the value of each option; the options are the same for all parties.
    limit
        The largest space to list.

    Returns
    -------
    Space
        Its residual is 0.

    Raises
    ------
    DesignError
        If parties have different issues or options, or there are more combinations than `limit`.

    Examples
    --------
    >>> seller, buyer = [{"low": 0, "high": 1}, {"A": 0.5}], [{"low": 1, "high": 0}, {"A": 0.25}]
    >>> space_of([seller, buyer]).utilities.tolist()
    [[0.5, 1.25], [1.5, 0.25]]
    """
    options = tuple(tuple(issue) for issue in worths[0]) if worths else ()
    if not options or any(
        [set(issue) for issue in party] != [set(issue_options) for issue_options in options] for party in worths
    ):
        raise DesignError("each party needs a value for the same options of the same issues")
    if (size := math.prod(map(len, options))) > limit:
        raise DesignError(f"there are {size:,} outcomes, more than limit = {limit:,}")
    sums = []
    for party in worths:
        values = [
            [issue[option] for option in issue_options] for issue, issue_options in zip(party, options, strict=True)
        ]
        sums.append(np.sum(np.meshgrid(*values, indexing="ij"), axis=0).ravel())
    return Space(options, tuple(product(*options)), np.round(np.column_stack(sums), DECIMALS), 0.0)


def _one_hot(bids: Sequence[Sequence[str]], options: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    blocks = []
    for issue, issue_options in enumerate(options):
        columns = {option: column for column, option in enumerate(issue_options)}
        blocks.append(np.eye(len(issue_options))[[columns[bid[issue]] for bid in bids]])
    return np.hstack(blocks)
