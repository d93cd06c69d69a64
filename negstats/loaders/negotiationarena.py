"""NegotiationArena: two language models buy and sell, or split a sum (data card below).

Source
    F. Bianchi, P. J. Chia, M. Yuksekgonul, J. Tagliabue, D. Jurafsky, J. Zou: How Well Can LLMs Negotiate?
    NegotiationArena Platform and Analysis, ICML 2024; github.com/vinid/NegotiationArena (MIT by its README's badge).
Known by
    JSON with the keys ``class``, ``run_epoch_time_ms`` and ``players``; ``game_state.json`` in a folder for each game,
    or files of other names.
Game
    One file: ``run_epoch_time_ms``, which is also ``started_at``. ``scenario`` is the class of the game. Factors:
    ``condition`` (last part of ``log_dir``; the rest of the path is dropped), ``iterations``, and for each seat model,
    temperature, tokens and social behaviour: ``model_red``, ``behaviour_blue``, ...
Player
    RED and BLUE, agents: seller and buyer by their goals, proposer and responder in an ultimatum game.
Offer
    A turn with a trade. What RED gives goes to BLUE and the reverse. To sell at a price is worth price - cost to the
    seller and willingness to pay - price to the buyer; in the ultimatum game a share is worth what it is, in units too.
Message
    A turn: its message, with the act accept, reject or propose.
Values
    A unit of the good is worth its cost, or the willingness to pay; the currency ZUP is worth 1.
Points
    The file's outcome for an accepted trade, compared with the trade's worth. 0 for both where the trade is rejected.
Ended
    ACCEPT is ``agreement``, REJECT ``walkaway``, NONE ``timeout``; a game without an END is ``disconnect``, and so is
    one that ends in an ERROR of the platform, such as an answer that it cannot read: no agreement was reached.

Traps, and what is done about them
    Keys changed between versions: shapes are told apart by the keys that are there. Values are wrapped in ``_type`` and
    ``_value``, up to three deep. START and END are entries among the turns; iterations and turns are numbers or text.
    After REJECT and NONE the file shows the endowment (10 and 0) as the outcome: by the printed rules a rejection
    leaves both with 0; for NONE the rules are silent, so points are missing. Whoever accepts repeats no trade; an
    acceptance before any trade accepts nothing. Names copied from the prompt (``item1``) are not resource of the game:
    left out where their quantity is 0. ``player_state`` repeats the whole talk in each turn; reasons and complete
    answers are private: dropped. ``interaction.log`` is the same talk as text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.events import Event
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import is_number, last_part
from negstats.loaders.files.objects import json_object
from negstats.loaders.files.parallel import WORKERS, each
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import first_evidence, head, own_files
from negstats.loaders.format import SIGNATURE, Evidence, Format, Strength, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

SEATS = ("RED", "BLUE")
MONEY = "ZUP"
TOLERANCE = 1e-6
_ENDS = {"ACCEPT": "agreement", "REJECT": "walkaway", "NONE": "timeout"}
_ROLES = {"seller_goal": "seller", "buyer_goal": "buyer"}
_DEEPEST = 16
_ENDOWMENTS = ("player_initial_resources", "player_starting_resources", "initial_resources")


@dataclass(slots=True)
class Turn:
    """A turn: who speaks, what is said, and the trade that is proposed: what each seat gives."""

    seat: int
    round: int | None
    text: str | None
    answer: str
    trade: tuple[dict[str, float], dict[str, float]] | None
    response: str = "none"


@dataclass(slots=True)
class Game:
    """A game as its file tells it; `counts` says how often what its notes name occurred."""

    name: str
    file: Path
    told: dict[str, Any]
    endowments: list[dict[str, float]]
    valuations: list[dict[str, float]]
    turns: list[Turn] = field(default_factory=list)
    ended: str = "disconnect"
    summary: dict[str, Any] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def resources(self) -> set[str]:
        """What there is to trade."""
        return {name for seat in (*self.endowments, *self.valuations) for name in seat}

    def holdings(self, turn: Turn) -> list[dict[str, float]]:
        """Return what each seat has after a turn's trade."""
        trade_by_seat = turn.trade or ({}, {})
        return [
            {
                name: self.endowments[seat].get(name, 0)
                - trade_by_seat[seat].get(name, 0)
                + trade_by_seat[1 - seat].get(name, 0)
                for name in self.resources
            }
            for seat in (0, 1)
        ]

    def worth(self, seat: int, turn: Turn) -> float | None:
        """Return the points of a seat if a turn's trade is carried out."""
        holdings_after = self.holdings(turn)[seat]
        if not self.valuations:
            return holdings_after.get(MONEY, 0.0)
        price = self.valuations[seat]
        endowment = self.endowments[seat]
        return math.fsum(
            (holdings_after[name] - endowment.get(name, 0)) * price.get(name, 1.0) for name in holdings_after
        )


def unwrapped(value: Any, file: Path, depth: int = 0) -> Any:
    """Return a value without the ``_type`` and ``_value`` around it and inside it."""
    if depth > _DEEPEST:
        raise LogError("holds values that are wrapped too deeply", file=file)
    if isinstance(value, dict):
        if set(value) == {"_type", "_value"}:
            return unwrapped(value["_value"], file, depth + 1)
        return {name: unwrapped(part, file, depth + 1) for name, part in value.items()}
    return [unwrapped(part, file, depth + 1) for part in value] if isinstance(value, list) else value


def game_of(content: dict[str, Any], file: Path) -> Game:
    """Return a game from the JSON object of its state.

    Raises
    ------
    LogError
        Naming the entry of ``game_state`` (as row, from 1) and the field: what is not there, or of another kind.
    """
    whole = Event(content, file, None)
    entries = whole.parts("game_state")
    entries = [Event(entry.fields, file, place) for place, entry in enumerate(entries, 1)]
    players = whole.parts("players")
    if len(players) != 2:
        raise whole.fault(f"there are {len(players)} players; two play", "players")
    goals = [_goal(goal) for goal in _read_list(whole, "player_goals")]
    game = Game(
        name=whole.text("run_epoch_time_ms", None) or (file.parent.name if file.name == NAME else file.stem),
        file=file,
        told=_read_factors(whole, players),
        endowments=_endowments(whole, file),
        valuations=[] if None in goals else [_amounts(goal[1], file, "player_goals") for goal in goals if goal],
    )
    roles = [
        _ROLES.get(goal[0]) if goal else role for goal, role in zip(goals, ("proposer", "responder"), strict=False)
    ]
    game.told["roles"] = roles if len(roles) == 2 else (None, None)
    if len(game.valuations) not in (0, 2):
        raise whole.fault("there are not goals for two players", "player_goals")
    for entry in entries:
        _take(game, entry)
    _settle(game)
    return game


def _read_list(whole: Event, name: str) -> list[Any]:
    values = whole.fields.get(name) or []
    if not isinstance(values, list):
        raise whole.fault(f"{shown(values)} is not a list", name)
    return values


def _goal(goal: Any) -> tuple[str, Any] | None:
    """Return the type of a goal and what it holds; None for one without valuations, as in the ultimatum game."""
    inner = goal.get("_value") if isinstance(goal, dict) else None
    kind = inner.get("_type") if isinstance(inner, dict) else None
    is_goal = isinstance(inner, dict) and isinstance(kind, str) and kind in _ROLES and "_value" in inner
    return (str(kind), inner["_value"]) if is_goal and isinstance(inner, dict) else None


def _endowments(whole: Event, file: Path) -> list[dict[str, float]]:
    endowments = next((whole.fields[name] for name in _ENDOWMENTS if whole.fields.get(name)), None)
    if not isinstance(endowments, list) or len(endowments) != 2:
        raise whole.fault(f"{shown(endowments)} is not a list of what two players begin with", _ENDOWMENTS[0])
    return [_amounts(seat, file, _ENDOWMENTS[0]) for seat in endowments]


def _amounts(amounts: Any, file: Path, column: str, row: int | None = None) -> dict[str, float]:
    """Return quantities by name."""
    quantities = unwrapped(amounts, file)
    if not isinstance(quantities, dict):
        raise LogError(f"{shown(quantities)} is not a quantity for each resource", file=file, row=row, column=column)
    for name, quantity in quantities.items():
        if not is_number(quantity, 1e15):
            raise LogError(f"{shown(quantity)} of {shown(name)} is not a quantity", file=file, row=row, column=column)
    return {name: float(quantity) for name, quantity in quantities.items()}


def _read_factors(whole: Event, players: Sequence[Event]) -> dict[str, Any]:
    """Return scenario, time and factors."""
    folder = whole.text("log_dir", None)
    factors: dict[str, Any] = {"scenario": whole.text("class")}
    stamp = whole.text("run_epoch_time_ms", None)
    if stamp and stamp.isascii() and stamp.isdecimal() and len(stamp) <= 14:
        factors["started_at"] = datetime.fromtimestamp(int(stamp) / 1000, UTC)
    factors["condition"] = None if folder is None else last_part(f"/{folder}")
    factors["iterations"] = whole.whole("iterations", None)
    behaviours = [*_read_list(whole, "player_social_behaviour"), None, None]
    for seat, player, behaviour in zip(SEATS, players, behaviours, strict=False):
        colour = seat.lower()
        factors[f"model_{colour}"] = player.text("model", None)
        factors[f"temperature_{colour}"] = player.number("temperature", None)
        factors[f"max_tokens_{colour}"] = player.number("max_tokens", None)
        factors[f"behaviour_{colour}"] = behaviour if isinstance(behaviour, str) and behaviour.strip() else None
    return factors


def _take(game: Game, entry: Event) -> None:
    place = str(entry.fields.get("current_iteration"))
    if place == "START":
        return
    if place == "ERROR":
        game.counts["error"] += 1
        return
    if place == "END":
        whole = entry.part("summary").fields
        summary = {name: whole.get(name) for name in ("final_response", "player_outcome", "final_resources")}
        word = str(summary.get("final_response"))
        game.summary, game.ended = summary, _ENDS.get(word, "unknown")
        return
    seat = str(entry.fields.get("turn"))
    if seat not in ("0", "1"):
        raise entry.fault(f"{shown(entry.fields.get('turn'))} is neither player 0 nor 1", "turn")
    public_info = entry.part("player_public_info_dict")
    answer = str(public_info.fields.get("player answer") or "NONE").strip().upper()
    text = public_info.fields.get("message")
    game.turns.append(
        Turn(
            seat=int(seat),
            round=int(place) if place.isascii() and place.isdecimal() and len(place) < 9 else None,
            text=text if isinstance(text, str) and text.strip() else None,
            answer=answer,
            trade=_trade(game, public_info, answer),
        )
    )


def _trade(game: Game, public_info: Event, answer: str) -> tuple[dict[str, float], dict[str, float]] | None:
    wrapped = public_info.fields.get("newly proposed trade")
    if not isinstance(wrapped, dict):
        word = "" if wrapped is None else str(wrapped).strip().upper()
        game.counts["unread"] += word not in ("", "NONE")
        return None
    if answer in ("ACCEPT", "REJECT"):
        game.counts["beside"] += 1
        return None
    trade = unwrapped(wrapped, public_info.file)
    if not isinstance(trade, dict) or set(trade) != set(SEATS):
        raise public_info.fault(f"{shown(trade)} does not say what RED and BLUE give", "newly proposed trade")
    trade_by_seat = [_amounts(trade[seat], public_info.file, "newly proposed trade", public_info.row) for seat in SEATS]
    for side in trade_by_seat:
        for name in [name for name, quantity in side.items() if name not in game.resources and not quantity]:
            del side[name]
            game.counts["foreign"] += 1
    return trade_by_seat[0], trade_by_seat[1]


def _settle(game: Game) -> None:
    """Say of each trade what became of it, and put right an end that no turn bears out."""
    open_trade: Turn | None = None
    for turn in game.turns:
        if turn.trade is not None:
            if open_trade is not None:
                open_trade.response = "superseded"
            open_trade = turn
        elif turn.answer in ("ACCEPT", "REJECT"):
            if open_trade is None or open_trade.seat == turn.seat:
                game.counts["nothing"] += turn.answer == "ACCEPT"
            elif game.ended in ("agreement", "walkaway"):
                open_trade.response = "accepted" if turn.answer == "ACCEPT" else "rejected"
                open_trade = None
    if game.ended == "agreement" and not any(turn.response == "accepted" for turn in game.turns):
        game.ended = "unknown"


def _points(game: Game) -> list[float | None]:
    if game.ended == "walkaway":
        return [0.0, 0.0]
    outcome = unwrapped(game.summary.get("player_outcome"), game.file)
    if game.ended != "agreement" or not isinstance(outcome, list) or len(outcome) != 2:
        return [None, None]
    outcome_values = [
        value_of_seat.get(MONEY) if isinstance(value_of_seat, dict) else value_of_seat for value_of_seat in outcome
    ]
    for value in outcome_values:
        if value is not None and not is_number(value, 1e15):
            raise LogError(f"{shown(value)} is not a number of points", file=game.file, column="player_outcome")
    return [None if value is None else float(value) for value in outcome_values]


def add_game(game: Game, rows: Gathered) -> None:
    """Add a game's rows."""
    factors = dict(game.told)
    roles, points = factors.pop("roles"), _points(game)
    rows.add("games", game_id=game.name, study="negotiationarena", ended=game.ended, rounds=len(game.turns), **factors)
    for seat, name in enumerate(SEATS):
        player_fields = {
            "player": name,
            "role": roles[seat],
            "kind": "agent",
            "agent": factors[f"model_{name.lower()}"],
        }
        rows.add("players", game_id=game.name, **player_fields, points=points[seat], batna=0.0)
        items = sorted(game.resources)
        worths = {item: game.valuations[seat].get(item, 1.0) if game.valuations else 1.0 for item in items}
        available = {item: math.fsum(own.get(item, 0) for own in game.endowments) for item in items}
        rows.add_unit_values(game.name, name, worths, available)
    for turn in game.turns:
        act = {"ACCEPT": "accept", "REJECT": "reject"}.get(turn.answer, "propose" if turn.trade else None)
        rows.add_next("messages", game.name, sender=SEATS[turn.seat], text=turn.text, act=act)
        if turn.trade is not None:
            _add_offer(game, turn, rows)
    if game.ended == "agreement":
        deal = next(turn for turn in game.turns if turn.response == "accepted")
        pairs = [(points[seat], game.worth(seat, deal)) for seat in (0, 1)]
        if not any(None in pair for pair in pairs):
            is_equal = all(abs((one or 0) - (other or 0)) <= TOLERANCE for one, other in pairs)
            game.counts["equal" if is_equal else "unequal"] += 1
        if isinstance(final := game.summary.get("final_resources"), list) and len(final) == 2:
            resources_left = [_amounts(seat, game.file, "final_resources") for seat in final]
            trade_happened = all(
                resources_left[seat].get(item, 0) == quantity
                for seat in (0, 1)
                for item, quantity in game.holdings(deal)[seat].items()
            )
            game.counts["moved" if trade_happened else "unmoved"] += 1


def _add_offer(game: Game, turn: Turn, rows: Gathered) -> None:
    holdings_after = game.holdings(turn)
    gifts = [{item: quantity for item, quantity in of_giver.items() if quantity} for of_giver in turn.trade or ()]
    rows.add_offer(
        game.name,
        (SEATS[turn.seat], SEATS[1 - turn.seat]),
        values={name: game.worth(seat, turn) for seat, name in enumerate(SEATS)},
        units={} if game.valuations else {name: holdings_after[seat].get(MONEY) for seat, name in enumerate(SEATS)},
        shares={SEATS[1 - giver]: of_giver for giver, of_giver in enumerate(gifts)},
        round=turn.round,
        response=turn.response,
    )


_NOTES: Mapping[str, str] = {
    "equal": "the outcome of {n} games equals the worth of the accepted trade",
    "unequal": "the outcome of {n} games is not the worth of the accepted trade, and is kept as the points: {games}",
    "moved": "the final resources of {n} games are what the accepted trade leaves",
    "unmoved": "the final resources of {n} games are not what the accepted trade leaves: {games}",
    "foreign": "{n} quantities of 0 have names that are not resources of the game, and were excluded: {games}",
    "nothing": "{n} acceptances come before any trade of the other side and accept nothing: {games}",
    "beside": "{n} trades come with an acceptance or a rejection and were excluded: {games}",
    "error": "{n} games end in an error of the platform, without an agreement (disconnect): {games}",
    "unread": "{n} trades could not be read by the platform and are not offers: {games}",
}


def notes_on(games: Sequence[Game]) -> list[str]:
    """Return what is to be said of the games together."""
    notes = []
    for what, text in _NOTES.items():
        with_it = [game.name for game in games if game.counts[what]]
        if with_it:
            notes.append(text.format(n=sum(game.counts[what] for game in games), games=", ".join(with_it[:3])))
    if n_rejections := sum(game.ended == "walkaway" for game in games):
        notes.append(f"{n_rejections} games end with a rejection: 0 points for both, whatever the file says")
    return notes


VERSION = "1"
NAME = "game_state.json"
_TRANSCRIPT = "interaction.log"


def _describe(file: Path) -> tuple[Strength, str] | None:
    start = head(file)
    has_keys = all(key in start for key in (b'"class"', b'"players"', b'"run_epoch_time_ms"'))
    return (SIGNATURE, "has the keys class, players and run_epoch_time_ms") if has_keys else None


def _matches(path: Path) -> Evidence | None:
    return first_evidence(path, _describe, ".json", deep=True, names=(NAME,)) or first_evidence(
        path, _describe, ".json", deep=True
    )


def _is_game(file: Path) -> bool:
    """Whether a file holds a game, whatever it is called."""
    return file.name == NAME or (file.suffix.lower() == ".json" and _describe(file) is not None)


def _name_other(file: Path) -> str:
    """Return what a file of no game is."""
    return f"a transcript of {NAME}" if file.name == _TRANSCRIPT else "no log of NegotiationArena"


def _game(file: Path, intake: Intake) -> Game:
    data = intake.read(file)
    game = game_of(json_object(data, file), file)
    intake.add(file, data, len(game.turns))
    return game


def _read(path: Path, track: Track, *, workers: int = 1) -> Study:
    intake, rows = Intake(path), Gathered()
    files = own_files(path, intake, _is_game, _name_other, deep=True)
    if not files:
        raise LogError(f"holds no {NAME}", file=path)
    games: dict[str, Game] = {}
    for game in each(intake, files, _game, track, workers):
        if game.name in games:
            raise LogError(f"is a second log of game {game.name}; the first is {games[game.name].file}", file=game.file)
        games[game.name] = game
        add_game(game, rows)
    intake.notes += notes_on(list(games.values()))
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


FORMAT = Format(
    "negotiationarena",
    "NegotiationArena: folders with game_state.json (language models that trade, or split a sum)",
    _matches,
    _read,
    {"workers": WORKERS},
    roles={"iterations": "setting"}
    | {f"{what}_{seat}": "setting" for what in ("temperature", "max_tokens") for seat in ("red", "blue")},
)
