"""Additive utilities inferred from the values of bids; enough different bids determine the whole outcome space.

A utility is additive if it is a sum over issues of a value for the option chosen. The values are not unique (a
constant may move from one issue to another), but the utility of every combination of the options seen is, once the bids
tell the options apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError
from negstats.games.allocations import LIMIT

__all__ = ["Space", "additive_space", "space_of"]

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
    design = _one_hot(bids, options)
    if np.linalg.matrix_rank(design) != 1 + sum(len(of) - 1 for of in options):
        return None
    worths = np.linalg.lstsq(design, table, rcond=None)[0]
    residual = float(np.abs(design @ worths - table).max())
    if residual > RESIDUAL * max(1.0, float(np.abs(table).max())):
        return None
    every = tuple(product(*options))
    utility_table: npt.NDArray[np.float64] = np.round(_one_hot(every, options) @ worths, DECIMALS).astype(np.float64)
    return Space(options, every, utility_table, residual)


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
    if not options or any([set(issue) for issue in party] != [set(of) for of in options] for party in worths):
        raise DesignError("each party needs a value for the same options of the same issues")
    if (size := math.prod(map(len, options))) > limit:
        raise DesignError(f"there are {size:,} outcomes, more than limit = {limit:,}")
    sums = []
    for party in worths:
        values = [[issue[option] for option in of] for issue, of in zip(party, options, strict=True)]
        sums.append(np.sum(np.meshgrid(*values, indexing="ij"), axis=0).ravel())
    return Space(options, tuple(product(*options)), np.round(np.column_stack(sums), DECIMALS), 0.0)


def _one_hot(bids: Sequence[Sequence[str]], options: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    blocks = []
    for issue, of in enumerate(options):
        places = {option: place for place, option in enumerate(of)}
        blocks.append(np.eye(len(of))[[places[bid[issue]] for bid in bids]])
    return np.hstack(blocks)
