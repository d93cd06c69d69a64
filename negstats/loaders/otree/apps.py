"""What groups did in an app, known by the names of its fields: ultimatum, demand, trust, and whatever else.

The games of an app are columns with a row a game, and its offers columns with a row an offer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import pyarrow as pa

from negstats.errors import shown
from negstats.loaders.files.coded import Coded, Fault, Flags, Numbers
from negstats.loaders.files.columns import Places, Texts
from negstats.loaders.otree.sheets import Sheets, Turns

TOLERANCE = 1e-6  # points
MOST_UNLIKE = 0.1  # of the games may have points that are not those that follow, as a slip of the keys makes them
FEWEST = 5  # games in which one may be unlike all others

_OFFERED = ("offer", "amount_offered", "kept")
_ANSWERED = ("accepted", "offer_accepted", "response")
_CLAIMED = ("request", "demand")
_SENT, _RETURNED = "sent_amount", "sent_back_amount"
_WORDS = {"accept": 1, "accepted": 1, "reject": 0, "rejected": 0}

ENDS = ("unknown", "agreement", "walkaway", "disagreement")
UNKNOWN, AGREEMENT, WALKAWAY, DISAGREEMENT = range(4)
RESPONSES = ("none", "accepted", "rejected")
NONE, ACCEPTED, REJECTED = range(3)


@dataclass(slots=True)
class Offers:
    """Offers between two seats, in the order of the games: seats by their numbers in the group, 0 for nobody."""

    games: Places
    proposers: Places
    responders: Places
    to_proposer: Numbers
    to_responder: Numbers
    responses: Places
    value_proposer: Numbers
    value_responder: Numbers

    @classmethod
    def of(
        cls, games: Places, proposers: Places, responders: Places, to_proposer: Numbers, to_responder: Numbers
    ) -> Offers:
        """Return offers that nobody has answered and whose values are not known."""
        nothing = np.full(len(games), np.nan)
        none = np.full(len(games), NONE)
        return cls(games, proposers, responders, to_proposer, to_responder, none, nothing, nothing.copy())

    @classmethod
    def nothing(cls) -> Offers:
        """Return no offers."""
        places, numbers = np.zeros(0, dtype=np.int64), np.zeros(0)
        return cls.of(places, places, places, numbers, numbers)

    def take(self, places: Places | Flags) -> Offers:
        """Return the offers at these places."""
        return Offers(*(getattr(self, column.name)[places] for column in fields(self)))


@dataclass(frozen=True, slots=True)
class Due:
    """The points that follow from the deals: of which seat in which game."""

    games: Places
    seats: Places
    points: Numbers

    @classmethod
    def of(cls, *parts: tuple[Places, int | Places, Numbers]) -> Due:
        """Return the points of several seats, as far as they are known."""
        columns = [np.broadcast_arrays(*part) for part in parts]
        games, seats, points = (np.concatenate(each) for each in zip(*columns, strict=True))
        known = ~np.isnan(points)
        return cls(games[known], seats[known], points[known])

    @classmethod
    def nothing(cls) -> Due:
        """Return that nothing follows."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


@dataclass(slots=True)
class Games:
    """The groups of an app in its rounds.

    Attributes
    ----------
    name, app : str, App
        What the app is called, and its kind.
    sheets : Sheets
        Where the cells stand.
    places : array of int
        The place of each game among those of the study.
    names : pyarrow array
        The names of the games.
    turns : Turns
        The members, game by game, and in a game in the order of the file.
    of_turn, seats : array of int
        The game and the seat of each turn.
    said : dict
        For each field of group and subsession a row a game, and the turn that says it first.
    ended : array of int
        How each game ended, by its place in `ENDS`.
    offers : Offers
        What was offered.
    """

    name: str
    app: App
    sheets: Sheets
    places: Places
    names: Texts
    turns: Turns
    of_turn: Places
    seats: Places
    said: dict[str, tuple[Coded, Places]] = field(default_factory=dict)
    ended: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    offers: Offers = field(default_factory=Offers.nothing)
    _points: Numbers | None = None

    def __post_init__(self) -> None:
        self.ended = np.full(len(self.places), UNKNOWN)

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.places)

    @property
    def starts(self) -> Places:
        """The turn of each game's first member."""
        return np.searchsorted(self.of_turn, np.arange(len(self)))

    @property
    def sizes(self) -> Places:
        """The number of members of each game."""
        sizes: Places = np.bincount(self.of_turn, minlength=len(self))
        return sizes

    @property
    def turn_points(self) -> Numbers:
        """What each member got, in points; NaN where nothing stands there."""
        if self._points is None:
            fault = self.sheets.turn_faults(self.turns, "player.payoff")
            self._points = self.sheets.field(self.turns, "player.payoff").numbers(fault)
        return self._points

    def points(self, seat: int) -> Numbers:
        """Return what a seat got in each game; NaN where it is empty or nothing stands there."""
        points = np.full(len(self), np.nan)
        in_seat = self.seats == seat
        points[self.of_turn[in_seat]] = self.turn_points[in_seat]
        return points

    def is_seated(self, games: Places, seats: Places) -> Flags:
        """Whether somebody sits in seats of games."""
        distinct, ranks = np.unique(np.concatenate([seats, self.seats]), return_inverse=True)
        asked_seats, own = (
            games * len(distinct) + ranks[: len(seats)],
            self.of_turn * len(distinct) + ranks[len(seats) :],
        )
        is_seated: Flags = np.isin(asked_seats, own)
        return is_seated

    def numbers(self, name: str) -> Numbers:
        """Return the numbers that a field of the groups says."""
        own_cells = self.said.get(f"group.{name}")
        return (
            np.full(len(self), np.nan) if own_cells is None else own_cells[0].numbers(self._fault(own_cells[1], name))
        )

    def truths(self, name: str) -> Places:
        """Return the yes (1) or no (0) that a field of the groups says, -1 where it says neither."""
        own_cells = self.said.get(f"group.{name}")
        if own_cells is None:
            return np.full(len(self), -1)
        cells, firsts = own_cells
        words = [_WORDS.get(word.strip().lower(), -1) for word in cells.words.to_pylist()]
        verdicts: Places = np.array([*words, -1], dtype=np.int64)[cells.codes]
        others = np.flatnonzero((verdicts < 0) & (cells.codes >= 0))
        verdicts[others] = cells.take(others).truths(self._fault(firsts[others], name))
        return verdicts

    def _fault(self, turns: Places, name: str) -> Fault:
        fault = self.sheets.turn_faults(self.turns, f"group.{name}")
        return lambda place, reason: fault(int(turns[place]), reason)

    def first_names(self, places: Flags) -> str:
        """Return the names of the first of some games."""
        return ", ".join(self.names.take(pa.array(np.flatnonzero(places)[:3])).to_pylist())


def _nothing_offered(_: Games) -> None:
    """Leave games without offers."""


def _nothing_due(_: Games) -> Due:
    return Due.nothing()


@dataclass(frozen=True, slots=True)
class App:
    """A kind of app.

    Attributes
    ----------
    protocol : str or None
        As the study calls it.
    uses : tuple of str
        The fields that become offers, responses and ends; the others are factors and answers.
    roles : Mapping of int to str
        What each seat is, where the app names no roles.
    play : Callable
        Fills in the games' offers and their ends.
    check : Callable
        Takes the app's games; completes units and values by what all of them have in common, and returns for each game
        and seat the points that follow, as far as they do.
    """

    protocol: str | None = None
    uses: tuple[str, ...] = ()
    roles: Mapping[int, str] = field(default_factory=dict)
    play: Callable[[Games], None] = _nothing_offered
    check: Callable[[Games], Due] = _nothing_due


def app_of(names: Sequence[str]) -> App:
    """Return the kind of an app with these fields, such as ``group.offer`` and ``player.request``."""
    known_fields = set(names)
    offer_field = next((name for name in _OFFERED if f"group.{name}" in known_fields), None)
    answer_field = next((name for name in _ANSWERED if f"group.{name}" in known_fields), None)
    claimed = next((name for name in _CLAIMED if f"player.{name}" in known_fields), None)
    if {f"group.{_SENT}", f"group.{_RETURNED}"} <= known_fields:
        uses = (f"group.{_SENT}", f"group.{_RETURNED}")
        return App("trust", uses, {1: "trustor", 2: "trustee"}, _play_trust, _check_trust)
    if offer_field and (answer_field or offer_field == "kept"):
        return _ultimatum(offer_field, answer_field)
    if claimed:
        return _demand(claimed)
    return _ultimatum(offer_field, None) if offer_field else App()


def _ultimatum(offer_field: str, answer_field: str | None) -> App:
    def play(games: Games) -> None:
        amounts = games.numbers(offer_field)
        verdicts = np.full(len(games), -1) if answer_field is None else games.truths(answer_field)
        at = np.flatnonzero(~np.isnan(amounts))
        nothing, one = np.full(len(at), np.nan), np.ones(len(at), dtype=np.int64)
        is_kept_amount = offer_field == "kept"
        units = (amounts[at], nothing) if is_kept_amount else (nothing, amounts[at])
        games.offers = Offers.of(at, one, 2 * one, *units)
        games.offers.responses = np.array([REJECTED, ACCEPTED, NONE])[verdicts[at]]
        games.ended[at] = np.array([WALKAWAY, AGREEMENT, UNKNOWN])[verdicts[at]]

    uses = tuple(f"group.{name}" for name in (offer_field, answer_field) if name)
    protocol = "ultimatum" if answer_field else "dictator"
    return App(protocol, uses, {1: "proposer", 2: "responder"}, play, _check_ultimatum)


def _check_ultimatum(games: Games) -> Due:
    """Find what there is to divide: what the two got together in each game that divided it."""
    offers, is_dictator = games.offers, games.app.protocol == "dictator"
    sums = (games.points(1) + games.points(2))[offers.games]
    is_agreement = games.ended[offers.games] == AGREEMENT
    is_divided = (is_agreement | is_dictator) & ~np.isnan(sums)
    total = _usual(sums[is_divided])
    if total is not None:
        usual = ~is_divided | ~(np.abs(sums - total) > TOLERANCE)
        own, other = offers.to_proposer.copy(), offers.to_responder.copy()
        offers.to_proposer = np.where(usual & ~np.isnan(other), total - other, own)
        offers.to_responder = np.where(usual & ~np.isnan(own), total - own, other)
    is_answered = offers.responses != NONE
    due = Due.of(
        *(
            (offers.games, seat, _due_units(units, is_answered, is_agreement, is_dictator=is_dictator))
            for seat, units in ((1, offers.to_proposer), (2, offers.to_responder))
        )
    )
    _worth_their_units(games, due)
    return due


def _due_units(units: Numbers, is_answered: Flags, is_agreement: Flags, *, is_dictator: bool) -> Numbers:
    """Return the points that follow from a seat's units, NaN where none do."""
    if_answered = np.where(np.isnan(units), np.nan, np.where(is_agreement, units, 0.0))
    return np.where(is_answered, if_answered, units if is_dictator else np.nan)


def _worth_their_units(games: Games, due: Due) -> None:
    """Give offers their values, if a unit is a point in all the games."""
    offers = games.offers
    is_wrong = _compare_points(games, due)[1][offers.games]
    if not len(due.games) or is_wrong.sum() > _spared(len(offers.games)):
        return
    offers.value_proposer = np.where(is_wrong, np.nan, offers.to_proposer)
    offers.value_responder = np.where(is_wrong, np.nan, offers.to_responder)


def _demand(claimed: str) -> App:
    def play(games: Games) -> None:
        name = f"player.{claimed}"
        claims = games.sheets.field(games.turns, name).numbers(games.sheets.turn_faults(games.turns, name))
        order = np.lexsort((games.seats, games.of_turn))
        order = order[~np.isnan(claims[order])]
        of_claim, seats, sizes = games.of_turn[order], games.seats[order], games.sizes
        seat_sums = np.bincount(games.of_turn, games.seats, minlength=len(games)).astype(np.int64)
        others = np.where(sizes[of_claim] == 2, seat_sums[of_claim] - seats, 0)
        games.offers = Offers.of(of_claim, seats, others, claims[order], np.full(len(order), np.nan))
        n_claims = np.bincount(of_claim, minlength=len(games))
        is_whole = (n_claims >= sizes) & (sizes >= 2)
        somebody_paid = np.bincount(games.of_turn[games.turn_points > 0], minlength=len(games)) > 0
        somebody_unknown = np.bincount(games.of_turn[np.isnan(games.turn_points)], minlength=len(games)) > 0
        by_points = np.where(somebody_paid, AGREEMENT, np.where(somebody_unknown, UNKNOWN, DISAGREEMENT))
        verdicts = games.truths("agreed")
        ended = np.where(verdicts < 0, by_points, np.where(verdicts == 1, AGREEMENT, DISAGREEMENT))
        games.ended[is_whole] = ended[is_whole]

    def check_games(games: Games) -> Due:
        offers = games.offers.take(games.ended[games.offers.games] != UNKNOWN)
        is_agreement = games.ended[offers.games] == AGREEMENT
        return Due.of((offers.games, offers.proposers, np.where(is_agreement, offers.to_proposer, 0.0)))

    return App("demand", (f"player.{claimed}", "group.agreed"), {}, play, check_games)


def _play_trust(games: Games) -> None:
    units = np.column_stack([games.numbers(_SENT), games.numbers(_RETURNED)])
    at, move = np.nonzero(~np.isnan(units))
    games.offers = Offers.of(at, move + 1, 2 - move, np.full(len(at), np.nan), units[at, move])


def _check_trust(games: Games) -> Due:
    """Find the endowment and by what the sent amount is multiplied, if both are the same in nearly all groups."""
    offers = games.offers
    units = np.full((len(games), 2), np.nan)
    units[offers.games, offers.proposers - 1] = offers.to_responder
    units_sent, back = units.T
    one, two = games.points(1), games.points(2)
    whole = ~np.isnan(one + two + units_sent + back)
    has_amount = whole & (units_sent > TOLERANCE)
    endowments, factors = one + units_sent - back, np.full(len(games), np.nan)
    factors[has_amount] = (two[has_amount] + back[has_amount]) / units_sent[has_amount]
    endowment, times = _usual(endowments[whole]), _usual(factors[has_amount])
    if endowment is None or times is None:
        return Due.nothing()
    is_strange = (np.abs(endowments - endowment) > TOLERANCE) | (np.abs(factors - times) > TOLERANCE)
    is_first, has_sent = offers.proposers == 1, ~(np.isnan(units_sent) | is_strange)[offers.games]
    remainder, gain = endowment - units_sent, times * units_sent
    points = endowment - units_sent + back, times * units_sent - back
    of = offers.games
    offers.to_proposer = np.where(has_sent, np.where(is_first, remainder[of], points[1][of]), np.nan)
    offers.value_proposer = offers.to_proposer.copy()
    offers.value_responder = np.where(has_sent, np.where(is_first, gain[of], points[0][of]), np.nan)
    every = np.arange(len(games))
    return Due.of((every, 1, points[0]), (every, 2, points[1]))


def _usual(values: Numbers) -> float | None:
    """Return the one number that nearly all the values are, or None."""
    if not len(values):
        return None
    distinct, first_places, counts = np.unique(values, return_index=True, return_counts=True)
    amount_counts: Counter[float] = Counter()
    for place in np.argsort(first_places):
        amount_counts[round(float(distinct[place]), 6)] += int(counts[place])
    usual, count = amount_counts.most_common(1)[0]
    return usual if len(values) - count <= _spared(len(values)) else None


def _spared(games: int) -> int:
    """Return how many of so many games may be unlike the others without it being said that they have no rule."""
    return max(int(games >= FEWEST), int(MOST_UNLIKE * games))


def _compare_points(games: Games, due: Due) -> tuple[Flags, Flags]:
    """Return whether each game has both points and points that follow, and whether these differ."""
    is_compared, is_wrong = np.zeros(len(games), dtype=bool), np.zeros(len(games), dtype=bool)
    for seat in np.unique(due.seats):
        of_seat = due.seats == seat
        differences = np.abs(due.points[of_seat] - games.points(int(seat))[due.games[of_seat]])
        is_compared[due.games[of_seat][~np.isnan(differences)]] = True
        is_wrong[due.games[of_seat][differences > TOLERANCE]] = True
    return is_compared, is_wrong


def checked(games: Games, due: Due) -> list[str]:
    """Return notes on whether the file's points are those that follow from the deals; the file's are kept."""
    is_compared, is_wrong = _compare_points(games, due)
    is_half = np.zeros(len(games), dtype=bool)
    if games.app.protocol in ("ultimatum", "dictator", "trust"):
        offers = games.offers
        is_half[offers.games[np.isnan(offers.to_proposer) | np.isnan(offers.to_responder)]] = True
    notes, app = [], games.name
    if is_half.any():
        reason = "what there was to divide is not known, for payoffs do not add up to one sum"
        half_names = games.first_names(is_half)
        notes.append(f"{app}: units of one side are missing in {is_half.sum()} games ({half_names}): {reason}")
    if is_wrong.any():
        wrong_games = f"{is_wrong.sum()} of {is_compared.sum()} games ({games.first_names(is_wrong)})"
        return [f"{app}: points do not follow from the deal in {wrong_games}; kept", *notes]
    whole = (is_compared & ~is_half).sum()
    return [*([f"{app}: the points of {whole} games follow from their deals"] if whole else []), *notes]


def agreed(games: Games, name: str, cells: Coded) -> tuple[Coded, Places]:
    """Return what the members of each group say of it, and the turn that says it first.

    Raises
    ------
    LogError
        If two of them say different things.
    """
    is_filled = cells.filled
    of_filled = games.of_turn[is_filled]
    is_first = np.append(True, of_filled[1:] != of_filled[:-1])[: len(is_filled)]
    firsts = np.full(len(games), -1, dtype=np.int64)
    firsts[of_filled[is_first]] = is_filled[is_first]
    agreed_cells = cells.take(firsts)
    agreed_cells.codes[firsts < 0] = -1
    differs = cells.codes[is_filled] != agreed_cells.codes[of_filled]
    if differs.any():
        codes = cells.alike().codes
        differs = codes[is_filled] != codes[firsts[of_filled]]
    if differs.any():
        turn = int(is_filled[differs.argmax()])
        first = int(firsts[games.of_turn[turn]])
        row = games.sheets.place(int(games.turns.rows[first]))[1]
        statement = f"row {row} of the same group says {shown(cells.text(first))}"
        column = games.sheets.full_name(games.turns, turn, name) if name.startswith(_LEVELS) else name
        reason = f"{shown(cells.text(turn))} is given here, but {statement}; one of them is damaged"
        raise games.sheets.fault(int(games.turns.rows[turn]), reason, column)
    return agreed_cells, firsts


_LEVELS = ("group.", "subsession.")
