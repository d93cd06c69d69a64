"""A batch of dialogues as arrays: whose turn it is, what was asked, which acts are legal, and how each ends.

Acts have numbers: 0 to 124 propose the share that the *speaker* takes, as a place in a grid of 0 to 4 units of books,
hats and balls; 125 accepts the other's latest proposal; 126 walks away. Speakers alternate, one act an utterance,
counted from 0. To accept there must be a proposal of the other; to walk both must have had a turn. A dialogue ends by
agreement, by a walk-away, or when the last utterance of the cut-off is spoken. Without agreement both have 0 points.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown
from negstats.games.dealornodeal.divisions import GRID, SIDE, tables_for
from negstats.games.dealornodeal.features import FEATURES, Menu, menu
from negstats.games.dealornodeal.scenarios import Scenarios

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]

ACCEPT, WALK, ACTS = GRID, GRID + 1, GRID + 2
CUTOFF = 20  # utterances
ENDS = ("", "agreement", "walkaway", "timeout")  # by the code in `how`; 0 is not ended
_AGREED, _WALKED, _CUT = 1, 2, 3


def numbered(units: npt.ArrayLike) -> Integers:
    """Return the number of the act that proposes to take these units of books, hats and balls, (..., 3).

    Parameters
    ----------
    units
        Whole numbers of units; the last axis is the items.

    Returns
    -------
    Integers
        Numbers of acts, (...).

    Examples
    --------
    >>> numbered([[0, 0, 1], [1, 0, 1]]).tolist()
    [1, 26]
    """
    counts = np.asarray(units)
    if counts.shape[-1:] != (3,) or (counts < 0).any() or (counts >= SIDE).any():
        raise DesignError(f"units are {shown(np.asarray(units).tolist())}; three whole numbers 0 to {SIDE - 1}")
    return np.asarray(counts @ np.array([SIDE * SIDE, SIDE, 1]), dtype=np.int64)


def share(acts: npt.ArrayLike) -> Integers:
    """Return the units that proposals take, (..., 3).

    Examples
    --------
    >>> share([1, 26]).tolist()
    [[0, 0, 1], [1, 0, 1]]
    """
    return np.stack(np.unravel_index(np.asarray(acts), (SIDE, SIDE, SIDE)), axis=-1)


class Dialogue:
    """A batch of dialogues that have come equally far.

    Parameters
    ----------
    scenarios
        One a dialogue; the first player of each speaks first.
    cutoff
        Utterances after which a dialogue ends.

    Attributes
    ----------
    scenarios : Scenarios
        Counts and values. A policy looks at its own values only.
    t : int
        Utterances spoken so far.
    asks : numpy.ndarray
        Place of each seat's latest proposal, (dialogues, 2); -1 before its first.
    how : numpy.ndarray
        How each ended, a place in `ENDS`; 0 while it goes on.
    length : numpy.ndarray
        Utterances of each dialogue.
    points : numpy.ndarray
        (dialogues, 2); 0 unless agreed.
    notes : dict
        What a player writes down for itself, by seat.

    Examples
    --------
    Table 4 of chawla2023: with counts 1-3-1 the first asks a book and a ball, the other a book.

    >>> talk = Dialogue(Scenarios.of([1, 3, 1], [[2, 1, 5], [10, 0, 0]]))
    >>> talk.apply(0, [numbered([1, 0, 1])])
    >>> talk.apply(1, [numbered([1, 0, 0])])
    >>> talk.apply(0, [ACCEPT])
    >>> ENDS[talk.how[0]], talk.points[0].tolist(), talk.length[0].item()
    ('agreement', [8, 10], 3)
    """

    def __init__(self, scenarios: Scenarios, *, cutoff: int = CUTOFF) -> None:
        if cutoff < 1:
            raise DesignError(f"cutoff is {cutoff}; at least 1 utterance is needed")
        self.scenarios, self.cutoff, self.t = scenarios, cutoff, 0
        self.tables, self.kind = tables_for(scenarios.counts)
        self.size = self.tables.size[self.kind]
        units = self.tables.units[self.kind]
        self.worth: Integers = np.einsum("bpi,bsi->bsp", units, scenarios.values)
        self.asks = np.full((len(scenarios), 2), -1)
        self.how = np.zeros(len(scenarios), dtype=np.int8)
        self.length = np.zeros(len(scenarios), dtype=np.int64)
        self.points = np.zeros((len(scenarios), 2), dtype=np.int64)
        self.notes: dict[int, Numbers] = {}

    def __len__(self) -> int:
        return len(self.scenarios)

    @property
    def seat(self) -> Literal[0, 1]:
        """Whose turn it is: 0 speaks first."""
        return 1 if self.t % 2 else 0

    @property
    def live(self) -> Integers:
        """The places of the dialogues that go on."""
        return np.flatnonzero(self.how == 0)

    @property
    def over(self) -> bool:
        """Whether all have ended."""
        return bool(self.how.all())

    def menu(self, seat: int, rows: Integers | None = None) -> Menu:
        """Return what a seat can do and what it sees of it, in the dialogues of some rows (all if not given).

        Parameters
        ----------
        seat
            Whose turn it is, 0 or 1.
        rows
            Places of dialogues, counted from 0.

        Returns
        -------
        Menu
            The options of each dialogue and their features.
        """
        at = np.arange(len(self)) if rows is None else rows
        counts, values = self.scenarios.counts[at], self.scenarios.values[at, seat]
        kind, asks = self.kind[at], self.asks[at]
        return menu(self.tables, kind, counts, values, self.worth[at, seat], asks[:, seat], asks[:, 1 - seat], self.t)

    def offered(self, seat: int) -> tuple[Mask, Integers]:
        """Return whether the partner has proposed, and what its latest proposal leaves to a seat, in points.

        Parameters
        ----------
        seat
            0 or 1.

        Returns
        -------
        tuple of ndarray
            Two arrays of shape (dialogues,): truth values, and points (0 where nothing was proposed).
        """
        proposals = self.asks[:, 1 - seat]
        places = np.where(proposals >= 0, self.size - 1 - proposals, 0)
        return proposals >= 0, self.worth[np.arange(len(self)), seat, places] * (proposals >= 0)

    def granted(self, seat: int) -> Numbers:
        """Return the share of the partner's latest proposal that each division leaves to it, (dialogues, places).

        Parameters
        ----------
        seat
            0 or 1.

        Returns
        -------
        ndarray of float
            Shares from 0 to 1.
        """
        proposals = self.asks[:, 1 - seat]
        return np.asarray(
            self.tables.granted[self.kind, np.where(proposals >= 0, proposals, self.tables.granted.shape[2])]
        )

    def features(self, seat: int) -> tuple[Numbers, Mask]:
        """Return the features of all acts by number, (dialogues, 127, 18), and which are legal, (dialogues, 127).

        Parameters
        ----------
        seat
            Whose turn it is, 0 or 1.

        Returns
        -------
        tuple of ndarray
            The two arrays.
        """
        menu = self.menu(seat)
        features = np.zeros((len(self), ACTS, len(FEATURES)))
        legal = np.zeros((len(self), ACTS), dtype=bool)
        rows, options = np.nonzero(menu.legal)
        acts = self.numbers(options, rows)
        features[rows, acts], legal[rows, acts] = menu.phi()[rows, options], True
        return features, legal

    def numbers(self, options: Integers, rows: Integers) -> Integers:
        """Return the acts that options of a menu are: one option in each of some dialogues.

        Parameters
        ----------
        options
            Places in the menu, one a dialogue.
        rows
            The dialogues, by their places.

        Returns
        -------
        ndarray of int
            Numbers of acts, one a dialogue.
        """
        places = self.tables.units.shape[1]
        acts = self.tables.number[self.kind[rows], np.minimum(options, places - 1)]
        return np.asarray(np.where(options < places, acts, ACCEPT + options - places))

    def options(self, acts: npt.ArrayLike) -> Integers:
        """Return where acts, one a dialogue, stand in the menu; -1 for a share that the counts do not hold.

        Parameters
        ----------
        acts
            Numbers of acts, one a dialogue.

        Returns
        -------
        ndarray of int
            Places in the menu, one a dialogue.
        """
        numbers = np.asarray(acts)
        places = self.tables.place[self.kind, np.clip(numbers, 0, GRID - 1)]
        return np.asarray(np.where(numbers < GRID, places, self.tables.units.shape[1] + numbers - ACCEPT))

    def apply(self, seat: int, acts: npt.ArrayLike) -> None:
        """Let a seat speak: one act a dialogue; those of dialogues that have ended are passed over.

        Parameters
        ----------
        seat
            Who speaks, 0 or 1.
        acts
            Numbers of acts, one a dialogue.

        Raises
        ------
        DesignError
            If it is not the seat's turn, there is not one act a dialogue, or an act is not legal.
        """
        numbers = np.asarray(acts)
        if seat != self.seat or numbers.shape != (len(self),):
            raise DesignError(
                f"seat {seat} says {numbers.shape} acts; it is seat {self.seat}'s turn, one act per dialogue"
            )
        live = self.how == 0
        self._refuse(seat, numbers, live)
        propose, accept, walk = live & (numbers < GRID), live & (numbers == ACCEPT), live & (numbers == WALK)
        self.asks[propose, seat] = self.tables.place[self.kind[propose], numbers[propose]]
        rows = np.flatnonzero(accept)
        places = self.asks[rows, 1 - seat]
        self.points[rows, 1 - seat] = self.worth[rows, 1 - seat, places]
        self.points[rows, seat] = self.worth[rows, seat, self.size[rows] - 1 - places]
        self.t += 1
        self.length[live] = self.t
        self.how[accept], self.how[walk] = _AGREED, _WALKED
        if self.t == self.cutoff:
            self.how[propose] = _CUT

    def _refuse(self, seat: int, acts: Integers, live: Mask) -> None:
        is_act = (acts >= 0) & (acts < ACTS)
        is_proposal = self.tables.place[self.kind, np.where(is_act & (acts < GRID), acts, 0)] >= 0
        legal = np.where(acts < GRID, is_proposal, np.where(acts == ACCEPT, self.asks[:, 1 - seat] >= 0, self.t >= 2))
        wrong = np.flatnonzero(live & ~(is_act & legal))
        if wrong.size:
            row = wrong[0]
            raise DesignError(
                f"dialogue {row}: act {acts[row]} is not legal at utterance {self.t}; a proposal holds no more than "
                "the counts, accept needs a proposal of the other, walk a turn of each"
            )
