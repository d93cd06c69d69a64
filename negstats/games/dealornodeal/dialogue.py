"""A batch of dialogues as arrays: divisions, whose turn it is, what an act is like, which are legal, how each ends.

A *place* is a division's position in the lexicographic order of what one player takes, 0 to outcomes - 1. What the
other player takes stands at the mirrored place, outcomes - 1 - place. Padding stands behind.

With own(x) the worth of the share x to the speaker as a part of 10 points, τ the time as a part of 20 utterances, y the
partner's latest proposal, grant(x) the share of the units in y that x leaves to the partner (of all units before there
is a y), and o the worth of what the partner offers as a part of 10 points (0 before there is one):

propose x : own, own·τ, own², grant, grant·τ, own·grant, whether x is one's own last proposal, whether own(x) < o,
    whether x is what the partner offers, units kept that are worth nothing as a share of all units
accept : 1, o, o², o·τ, τ
walk : 1, τ, o

Acts have numbers: 0 to 124 propose the share that the *speaker* takes, as a place in a grid of 0 to 4 units of books,
hats and balls; 125 accepts the other's latest proposal; 126 walks away. Speakers alternate, one act an utterance,
counted from 0. To accept there must be a proposal of the other; to walk both must have had a turn. A dialogue ends by
agreement, by a walk-away, or when the last utterance of the cut-off is spoken. Without agreement both have 0 points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown
from negstats.games.allocations import divisions
from negstats.games.dealornodeal.scenarios import MOST, TOTAL, Scenarios, count_vectors

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]

SIDE = MOST + 1
GRID = SIDE**3  # shares have a number: their place in a grid of 0 to 4 units of each issue
_STEPS = np.array([SIDE * SIDE, SIDE, 1])


@dataclass(frozen=True, slots=True)
class Tables:
    """Divisions by kind of counts.

    Attributes
    ----------
    units : numpy.ndarray
        What is taken at a place, (kinds, places, 3).
    size : numpy.ndarray
        How many places a kind has, (kinds,).
    number : numpy.ndarray
        Number of a place's share in the grid, (kinds, places); 0 behind.
    place : numpy.ndarray
        Place of a number's share, (kinds, 125); -1 where there are not so many units.
    granted : numpy.ndarray
        (kinds, places + 1, places): of the units that the other asks at a place, the share that taking those at another
        place leaves to the other; 1 where the other asks for none. In the last row the other has not asked: the share
        of all units.
    """

    units: Integers
    size: Integers
    number: Integers
    place: Integers
    granted: Numbers


def tables_for(counts: Integers) -> tuple[Tables, Integers]:
    """Return the tables that a batch of counts (n, 3) needs, and the kind of each, (n,).

    Examples
    --------
    >>> tables, kind = tables_for(np.array([[1, 3, 1], [2, 1, 3], [1, 3, 1]]))
    >>> tables.size[kind].tolist()
    [16, 24, 16]
    """
    codes = counts @ _STEPS
    batch_codes = frozenset(codes.tolist())
    usual_codes = _usual()
    kinds = usual_codes if batch_codes <= usual_codes else batch_codes
    sorted_kinds = tuple(sorted(kinds))
    return _tables(sorted_kinds), np.searchsorted(sorted_kinds, codes)


@cache
def _usual() -> frozenset[int]:
    return frozenset((np.array(count_vectors()) @ _STEPS).tolist())


@lru_cache(maxsize=64)
def _tables(codes: tuple[int, ...]) -> Tables:
    lists = [divisions(np.array(np.unravel_index(code, (SIDE, SIDE, SIDE))))[:, 0] for code in codes]
    kinds, places = len(lists), max(map(len, lists))
    units = np.zeros((kinds, places, 3), dtype=np.int64)
    number = np.zeros((kinds, places), dtype=np.int64)
    place_of = np.full((kinds, GRID), -1)
    granted = np.zeros((kinds, places + 1, places))
    for kind, division in enumerate(lists):
        size = len(division)
        units[kind, :size] = division
        number[kind, :size] = division @ _STEPS
        place_of[kind, number[kind, :size]] = np.arange(size)
        granted[kind, :size, :size], granted[kind, places, :size] = _granted(division)
    tables = Tables(units, np.array([len(division) for division in lists]), number, place_of, granted)
    for array in (tables.units, tables.size, tables.number, tables.place, tables.granted):
        array.setflags(write=False)  # they are shared
    return tables


def _granted(division: Integers) -> tuple[Numbers, Numbers]:
    other_division = division[::-1]  # what is not taken: the mirrored place
    requests = division.sum(axis=1, keepdims=True)
    overlap = np.minimum(division[:, np.newaxis], other_division[np.newaxis]).sum(axis=2)
    share = np.divide(overlap, requests, out=np.ones(overlap.shape), where=requests > 0)
    return share, other_division.sum(axis=1) / division[-1].sum()


Mask = npt.NDArray[np.bool_]

CLOCK = 20  # utterances that τ counts as one
PROPOSE = ("own", "own·τ", "own²", "grant", "grant·τ", "own·grant", "again", "less", "offered", "worthless")
FEATURES = (*PROPOSE, *(f"accept {x}" for x in ("1", "o", "o²", "o·τ", "τ")), *(f"walk {x}" for x in ("1", "τ", "o")))
_P, _A = len(PROPOSE), len(PROPOSE) + 5  # where accepting's and walking's parameters begin


@dataclass(frozen=True, slots=True)
class Menu:
    """The options of one seat in each dialogue of a batch: places of divisions, then accept, then walk.

    Attributes
    ----------
    kind : numpy.ndarray
        Kind of counts of each dialogue, (dialogues,).
    propose : numpy.ndarray
        Features of the proposals, (dialogues, places, 10).
    accept, walk : numpy.ndarray
        Features of the two other acts, (dialogues, 5) and (dialogues, 3).
    legal : numpy.ndarray
        Which options are legal, (dialogues, places + 2).
    """

    kind: Integers
    propose: Numbers
    accept: Numbers
    walk: Numbers
    legal: Mask

    def __len__(self) -> int:
        return len(self.legal)

    def scores(self, theta: Numbers) -> Numbers:
        """Return θ · φ of each option, (dialogues, places + 2).

        Parameters
        ----------
        theta
            The weights of the 18 features.

        Returns
        -------
        ndarray of float
            One score an option.
        """
        scores = np.empty(self.legal.shape)
        scores[:, :-2] = self.propose @ theta[:_P]
        scores[:, -2] = self.accept @ theta[_P:_A]
        scores[:, -1] = self.walk @ theta[_A:]
        return scores

    def probabilities(self, theta: Numbers) -> Numbers:
        """Return the chance of each option, proportional to exp(θ · φ); 0 where it is not legal.

        Parameters
        ----------
        theta
            The weights of the 18 features.

        Returns
        -------
        ndarray of float
            Shape (dialogues, places + 2); each row adds up to 1.
        """
        scores = np.where(self.legal, self.scores(theta), -np.inf)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def expected(self, chances: Numbers) -> Numbers:
        """Return the mean of the features under chances of the options, (dialogues, 18).

        Parameters
        ----------
        chances
            Probabilities of the options, (dialogues, places + 2).

        Returns
        -------
        ndarray of float
            One mean a feature.
        """
        proposals = np.matmul(chances[:, np.newaxis, :-2], self.propose)[:, 0]
        return np.concatenate([proposals, chances[:, -2:-1] * self.accept, chances[:, -1:] * self.walk], axis=1)

    def squares(self, chances: Numbers) -> Numbers:
        """Return the sum over dialogues of the mean of φ φᵀ under chances of the options, (18, 18).

        Parameters
        ----------
        chances
            Probabilities of the options, (dialogues, places + 2).

        Returns
        -------
        ndarray of float
            A symmetric matrix.
        """
        total = np.zeros((len(FEATURES), len(FEATURES)))
        proposals = self.propose.reshape(-1, _P)
        total[:_P, :_P] = proposals.T @ (chances[:, :-2].reshape(-1, 1) * proposals)
        total[_P:_A, _P:_A] = self.accept.T @ (chances[:, -2:-1] * self.accept)
        total[_A:, _A:] = self.walk.T @ (chances[:, -1:] * self.walk)
        return total

    def chosen(self, options: Integers) -> Numbers:
        """Return the features of one option in each dialogue, (dialogues, 18).

        Parameters
        ----------
        options
            Places in the menu, one a dialogue.

        Returns
        -------
        ndarray of float
            One row a dialogue.
        """
        places = self.propose.shape[1]
        rows = np.arange(len(self))
        proposal = self.propose[rows, np.minimum(options, places - 1)] * (options < places)[:, np.newaxis]
        acceptance, walked = (options == places)[:, np.newaxis], (options > places)[:, np.newaxis]
        return np.concatenate([proposal, acceptance * self.accept, walked * self.walk], axis=1)

    def phi(self) -> Numbers:
        """Return all features of all options, (dialogues, places + 2, 18).

        Returns
        -------
        ndarray of float
            Features of options that are not legal are among them.
        """
        features = np.zeros((*self.legal.shape, len(FEATURES)))
        features[:, :-2, :_P] = self.propose
        features[:, -2, _P:_A] = self.accept
        features[:, -1, _A:] = self.walk
        return features


def menu(
    tables: Tables,
    kind: Integers,
    counts: Integers,
    values: Integers,
    worth: Integers,
    own: Integers,
    other: Integers,
    t: int,
) -> Menu:
    """Return the menu of a seat in a batch of dialogues; for the meaning of places see `divisions`.

    Parameters
    ----------
    tables, kind
        Divisions, and the kind of each dialogue's counts.
    counts
        Units of each issue, (dialogues, 3).
    values
        Points for a unit to the speaker, (dialogues, 3).
    worth
        What each place is worth to the speaker, (dialogues, places).
    own, other
        Place of the speaker's and of the partner's latest proposal; -1 for none.
    t
        Utterances spoken so far.

    Returns
    -------
    Menu
        Arrays with one row a dialogue and one column an option.
    """
    places = worth.shape[1]
    tau, rows = t / CLOCK, np.arange(len(kind))
    size = tables.size[kind]
    has_proposal = other >= 0
    mirrored = np.where(has_proposal, size - 1 - other, -1)  # what the partner offers
    offer = np.where(has_proposal, worth[rows, mirrored], 0) / TOTAL
    own_share = worth / TOTAL
    grant = tables.granted[kind, np.where(has_proposal, other, places)]
    option_numbers = np.arange(places)
    worthless_share = (tables.units[kind] * (values == 0)[:, np.newaxis]).sum(axis=2) / counts.sum(
        axis=1, keepdims=True
    )
    propose = np.empty((len(kind), places, _P))
    for feature_index, feature in enumerate(
        (
            own_share,
            own_share * tau,
            own_share * own_share,
            grant,
            grant * tau,
            own_share * grant,
            option_numbers == own[:, np.newaxis],
            own_share < offer[:, np.newaxis],
            option_numbers == mirrored[:, np.newaxis],
            worthless_share,
        )
    ):
        propose[:, :, feature_index] = feature
    ones, times = np.ones(len(kind)), np.full(len(kind), tau)
    legal = np.empty((len(kind), places + 2), dtype=bool)
    legal[:, :-2] = option_numbers < size[:, np.newaxis]
    legal[:, -2] = has_proposal
    legal[:, -1] = t >= 2
    accept = np.stack([ones, offer, offer * offer, offer * tau, times], axis=1)
    return Menu(kind, propose, accept, np.stack([ones, times, offer], axis=1), legal)


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
        rows_asked = np.arange(len(self)) if rows is None else rows
        counts, values = self.scenarios.counts[rows_asked], self.scenarios.values[rows_asked, seat]
        kind, asks = self.kind[rows_asked], self.asks[rows_asked]
        return menu(
            self.tables, kind, counts, values, self.worth[rows_asked, seat], asks[:, seat], asks[:, 1 - seat], self.t
        )

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
        is_open = self.how == 0
        self._refuse(seat, numbers, is_open)
        propose, accept, walk = is_open & (numbers < GRID), is_open & (numbers == ACCEPT), is_open & (numbers == WALK)
        self.asks[propose, seat] = self.tables.place[self.kind[propose], numbers[propose]]
        # An accepted proposal pays its proposer what it takes and the other seat the rest.
        rows = np.flatnonzero(accept)
        places = self.asks[rows, 1 - seat]
        self.points[rows, 1 - seat] = self.worth[rows, 1 - seat, places]
        self.points[rows, seat] = self.worth[rows, seat, self.size[rows] - 1 - places]
        self.t += 1
        self.length[is_open] = self.t
        self.how[accept], self.how[walk] = _AGREED, _WALKED
        if self.t == self.cutoff:
            self.how[propose] = _CUT

    def _refuse(self, seat: int, acts: Integers, is_open: Mask) -> None:
        is_act = (acts >= 0) & (acts < ACTS)
        is_proposal = self.tables.place[self.kind, np.where(is_act & (acts < GRID), acts, 0)] >= 0
        is_legal = np.where(
            acts < GRID, is_proposal, np.where(acts == ACCEPT, self.asks[:, 1 - seat] >= 0, self.t >= 2)
        )
        illegal_rows = np.flatnonzero(is_open & ~(is_act & is_legal))
        if illegal_rows.size:
            row = illegal_rows[0]
            raise DesignError(
                f"dialogue {row}: act {acts[row]} is not legal at utterance {self.t}; a proposal holds no more than "
                "the counts, accept needs a proposal of the other, walk a turn of each"
            )
