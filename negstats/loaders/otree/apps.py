"""What a group did in an app, known by the names of its fields: ultimatum, demand, trust, and whatever else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from negstats.errors import shown
from negstats.loaders.otree.sheets import Turn, is_same_value

__all__ = ["App", "Game", "Offer", "agreed", "app_of", "checked"]

TOLERANCE = 1e-6  # points
MOST_UNLIKE = 0.1  # of the games may have points that are not those that follow, as a slip of the keys makes them
FEWEST = 5  # games in which one may be unlike all others

_OFFERED = ("offer", "amount_offered", "kept")
_ANSWERED = ("accepted", "offer_accepted", "response")
_CLAIMED = ("request", "demand")
_SENT, _RETURNED = "sent_amount", "sent_back_amount"
_WORDS = {"accept": True, "accepted": True, "reject": False, "rejected": False}


@dataclass(slots=True)
class Offer:
    """One offer between two seats, called by their numbers in the group."""

    proposer: int
    responder: int | None
    to_proposer: float | None
    to_responder: float | None
    response: str = "none"
    value_proposer: float | None = None
    value_responder: float | None = None


@dataclass(slots=True)
class Game:
    """One group in one app and round: its members by seat, what the group's fields say, and what was offered."""

    name: str
    app: App
    turns: dict[int, Turn]
    said: dict[str, str]
    ended: str = "unknown"
    offers: list[Offer] = field(default_factory=list)

    @property
    def first(self) -> Turn:
        """The member whose row stands first."""
        return next(iter(self.turns.values()))

    def points(self, seat: int) -> float | None:
        """Return what a seat got, in points; None if the seat is empty or nothing stands there."""
        turn = self.turns.get(seat)
        return None if turn is None else turn.row.number(turn.column("player.payoff"))

    def number(self, name: str) -> float | None:
        """Return a number that the group's fields say."""
        if f"group.{name}" not in self.said:
            return None
        turn = next(turn for turn in self.turns.values() if turn.row.text(turn.column(f"group.{name}")) is not None)
        return turn.row.number(turn.column(f"group.{name}"))

    def yes(self, name: str) -> bool | None:
        """Return the yes or no that the group's fields say."""
        word = self.said.get(f"group.{name}", "").strip().lower()
        if word in _WORDS:
            return _WORDS[word]
        if not word:
            return None
        turn = next(turn for turn in self.turns.values() if turn.row.text(turn.column(f"group.{name}")) is not None)
        return turn.row.truth(turn.column(f"group.{name}"))


def _nothing_offered(_: Game) -> None:
    """Leave a game without offers."""


def _nothing_due(_: Sequence[Game]) -> dict[tuple[str, int], float]:
    return {}


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
        Fills in a game's offers and its end.
    check : Callable
        Takes the app's games; completes units and values by what all of them have in common, and returns for each game
        and seat the points that follow, as far as they do.
    """

    protocol: str | None = None
    uses: tuple[str, ...] = ()
    roles: Mapping[int, str] = field(default_factory=dict)
    play: Callable[[Game], None] = _nothing_offered
    check: Callable[[Sequence[Game]], dict[tuple[str, int], float]] = _nothing_due


def app_of(fields: Sequence[str]) -> App:
    """Return the kind of an app with these fields, such as ``group.offer`` and ``player.request``."""
    known_fields = set(fields)
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
    def play(game: Game) -> None:
        amount = game.number(offer_field)
        is_accepted = None if answer_field is None else game.yes(answer_field)
        if amount is None:
            return
        is_kept_amount = offer_field == "kept"
        response = {None: "none", True: "accepted", False: "rejected"}[is_accepted]
        game.offers = [Offer(1, 2, amount if is_kept_amount else None, None if is_kept_amount else amount, response)]
        game.ended = {None: "unknown", True: "agreement", False: "walkaway"}[is_accepted]

    uses = tuple(f"group.{name}" for name in (offer_field, answer_field) if name)
    protocol = "ultimatum" if answer_field else "dictator"
    return App(protocol, uses, {1: "proposer", 2: "responder"}, play, _check_ultimatum)


def _check_ultimatum(games: Sequence[Game]) -> dict[tuple[str, int], float]:
    """Find what there is to divide: what the two got together in each game that divided it."""
    games_with_offers = [game for game in games if game.offers]
    divided = [game for game in games_with_offers if game.ended == "agreement" or game.app.protocol == "dictator"]
    sums = [points[0] + points[1] for game in divided if (points := _both(game)) is not None]
    total = _usual(sums)
    due: dict[tuple[str, int], float] = {}
    for game in games_with_offers:
        offer = game.offers[0]
        if total is not None and not _unlike(game, total, divided):
            mine, other = offer.to_proposer, offer.to_responder
            offer.to_proposer = mine if other is None else total - other
            offer.to_responder = other if mine is None else total - mine
        for seat, units in ((1, offer.to_proposer), (2, offer.to_responder)):
            if units is not None and game.offers[0].response != "none":
                due[game.name, seat] = units if game.ended == "agreement" else 0.0
            elif units is not None and game.app.protocol == "dictator":
                due[game.name, seat] = units
    _worth_their_units(games_with_offers, due)
    return due


def _worth_their_units(games: Sequence[Game], due: Mapping[tuple[str, int], float]) -> None:
    """Give offers their values, if a unit is a point in all the games."""
    wrong = [game for game in games if not _has_due_points(game, due)]
    if not due or len(wrong) > _spared(len(games)):
        return
    for game in games:
        for offer in game.offers if game not in wrong else ():
            offer.value_proposer, offer.value_responder = offer.to_proposer, offer.to_responder


def _demand(claimed: str) -> App:
    def play(game: Game) -> None:
        for seat, turn in sorted(game.turns.items()):
            claim = turn.row.number(turn.column(f"player.{claimed}"))
            others = [other for other in game.turns if other != seat]
            if claim is not None:
                game.offers.append(Offer(seat, others[0] if len(others) == 1 else None, claim, None))
        if len(game.offers) < len(game.turns) or len(game.turns) < 2:
            return
        is_agreement = game.yes("agreed")
        if is_agreement is None:
            points = [game.points(seat) for seat in game.turns]
            if any(amount is not None and amount > 0 for amount in points):
                is_agreement = True
            elif None not in points:
                is_agreement = False
        game.ended = {None: "unknown", True: "agreement", False: "disagreement"}[is_agreement]

    def check(games: Sequence[Game]) -> dict[tuple[str, int], float]:
        due = {}
        for game in games:
            for offer in game.offers if game.ended != "unknown" else ():
                due[game.name, offer.proposer] = (offer.to_proposer or 0.0) if game.ended == "agreement" else 0.0
        return due

    return App("demand", (f"player.{claimed}", "group.agreed"), {}, play, check)


def _play_trust(game: Game) -> None:
    units_sent, back = game.number(_SENT), game.number(_RETURNED)
    if units_sent is not None:
        game.offers.append(Offer(1, 2, None, units_sent))
    if back is not None:
        game.offers.append(Offer(2, 1, None, back))


def _check_trust(games: Sequence[Game]) -> dict[tuple[str, int], float]:
    """Find the endowment and by what the sent amount is multiplied, if both are the same in nearly all groups."""
    whole = [(game, points) for game in games if len(game.offers) == 2 and (points := _both(game)) is not None]
    endowments: dict[str, float] = {}
    factors: dict[str, float] = {}
    for game, (one, two) in whole:
        amount, returned = (offer.to_responder or 0.0 for offer in game.offers)
        endowments[game.name] = one + amount - returned
        if amount > TOLERANCE:
            factors[game.name] = (two + returned) / amount
    endowment, times = _usual(list(endowments.values())), _usual(list(factors.values()))
    due: dict[tuple[str, int], float] = {}
    if endowment is None or times is None:
        return due
    strange = {name for name, value in endowments.items() if abs(value - endowment) > TOLERANCE}
    strange |= {name for name, value in factors.items() if abs(value - times) > TOLERANCE}
    for game in games:
        units_sent, back = (offer.to_responder for offer in (*game.offers, Offer(0, None, None, None))[:2])
        if not game.offers or game.offers[0].proposer != 1 or units_sent is None:
            continue
        if len(game.offers) == 2 and back is not None:
            due |= {(game.name, 1): endowment - units_sent + back, (game.name, 2): times * units_sent - back}
        if game.name in strange:
            continue
        first = game.offers[0]
        first.to_proposer = endowment - units_sent
        first.value_proposer, first.value_responder = first.to_proposer, times * units_sent
        if len(game.offers) == 2 and back is not None:
            second = game.offers[1]
            second.to_proposer = times * units_sent - back
            second.value_proposer, second.value_responder = second.to_proposer, endowment - units_sent + back
    return due


def _both(game: Game) -> tuple[float, float] | None:
    one, two = game.points(1), game.points(2)
    return None if one is None or two is None else (one, two)


def _usual(values: Sequence[float]) -> float | None:
    """Return the one number that nearly all the values are, or None."""
    if not values:
        return None
    usual, count = Counter(round(value, 6) for value in values).most_common(1)[0]
    return usual if len(values) - count <= _spared(len(values)) else None


def _spared(games: int) -> int:
    """Return how many of so many games may be unlike the others without it being said that they have no rule."""
    return max(int(games >= FEWEST), int(MOST_UNLIKE * games))


def _unlike(game: Game, total: float, divided: Sequence[Game]) -> bool:
    """Whether a game that divided something divided something else."""
    points = _both(game) if game in divided else None
    return points is not None and abs(sum(points) - total) > TOLERANCE


def _has_due_points(game: Game, due: Mapping[tuple[str, int], float]) -> bool:
    """Whether a game's points are those that follow."""
    for seat in game.turns:
        follows, recorded_points = due.get((game.name, seat)), game.points(seat)
        if follows is not None and recorded_points is not None and abs(follows - recorded_points) > TOLERANCE:
            return False
    return True


def _has_both(game: Game, seat: int, due: Mapping[tuple[str, int], float]) -> bool:
    """Whether a seat has points in the file and points that follow."""
    return due.get((game.name, seat)) is not None and game.points(seat) is not None


def checked(games: Sequence[Game], due: Mapping[tuple[str, int], float], app: str) -> list[str]:
    """Return notes on whether the file's points are those that follow from the deals; the file's are kept."""
    compared_games = [game for game in games if any(_has_both(game, seat, due) for seat in game.turns)]
    wrong = [game for game in compared_games if not _has_due_points(game, due)]
    halves = [
        game
        for game in games
        if game.app.protocol in ("ultimatum", "dictator", "trust")
        and any(None in (offer.to_proposer, offer.to_responder) for offer in game.offers)
    ]
    notes = []
    if halves:
        reason = "what there was to divide is not known, for payoffs do not add up to one sum"
        notes.append(f"{app}: units of one side are missing in {len(halves)} games ({_first(halves)}): {reason}")
    if wrong:
        doubt = (
            f"points do not follow from the deal in {len(wrong)} of {len(compared_games)} games ({_first(wrong)}); kept"
        )
        return [f"{app}: {doubt}", *notes]
    whole = sum(game not in halves for game in compared_games)
    return [*([f"{app}: the points of {whole} games follow from their deals"] if whole else []), *notes]


def _first(games: Sequence[Game]) -> str:
    return ", ".join(game.name for game in games[:3])


def agreed(turns: Sequence[Turn], name: str) -> str | None:
    """Return what the members of a group say of it; raises LogError if two of them say different things."""
    first_value: tuple[Turn, str] | None = None
    for turn in turns:
        text = turn.row.text(turn.column(name) if name.partition(".")[0] in ("group", "subsession") else name)
        if text is None:
            continue
        if first_value is not None and first_value[1] != text and not is_same_value(first_value[1], text):
            column = turn.column(name) if name.partition(".")[0] in ("group", "subsession") else name
            first_statement = f"row {first_value[0].row.row} of the same group says {shown(first_value[1])}"
            raise turn.row.fault(f"{shown(text)} stands here, and {first_statement}; one of them is damaged", column)
        first_value = first_value or (turn, text)
    return None if first_value is None else first_value[1]
