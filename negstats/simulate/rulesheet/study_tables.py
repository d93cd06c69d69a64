"""Sessions of a rule sheet as a study's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from negstats.games.rulesheet import Move
from negstats.games.rulesheet.players import ChosenBy
from negstats.simulate.rows import STUDY, TableRows
from negstats.simulate.rulesheet.offers import Offer, name_of, responses
from negstats.simulate.rulesheet.seats import Prepared
from negstats.tables import empty

SCENARIO = "rule sheet"
NOOP = "noop"
TALK = ("propose", "accept", "setvalue")


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """One role's move in one step, who chose it, and what it offers."""

    step: int
    role: str
    move: Move
    chosen_by: ChosenBy
    offer: Offer | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """A session: the names of sheet and players, every move, and the payoffs (None: stopped before the end)."""

    game_id: str
    sheet: str
    players: Mapping[str, str]
    moves: tuple[PlayedMove, ...]
    points: Mapping[str, float] | None

    @property
    def steps(self) -> int:
        """How many steps were played."""
        return self.moves[-1].step if self.moves else 0

    @property
    def ended(self) -> str:
        """Agreement if an offer was accepted, timeout if the game was over without one, else unknown."""
        if self.points is None:
            return "unknown"
        return "agreement" if any(name_of(move.move) == "accept" for move in self.moves) else "timeout"


def factor(role: str) -> str:
    """Return the name of the factor that says who played a role."""
    return f"player_{role}"


def act_of(move: Move) -> str | None:
    """Return a move's act in the messages: its name if it is talk, ``play:c`` for a move of the game; None for noop."""
    name = name_of(move)
    return None if name == NOOP else name if name in TALK else f"play:{move}"


def tables(sheet: Prepared, played: Sequence[Played]) -> dict[str, pd.DataFrame]:
    """Return the tables of played games; the board table `moves` and `answers` stay empty."""
    rows, batna, values = TableRows(), sheet.meaning.alone(), sheet.meaning.values()
    for one in played:
        rows.add(
            "games",
            game_id=one.game_id,
            study=STUDY,
            scenario=SCENARIO,
            protocol=one.sheet,
            ended=one.ended,
            rounds=one.steps,
            **{factor(role): name for role, name in one.players.items()},
        )
        for role, name in one.players.items():
            rows.add(
                "players",
                game_id=one.game_id,
                player=role,
                role=role,
                kind="agent",
                agent=name,
                points=None if one.points is None else one.points[role],
                batna=None if batna is None else batna[role],
            )
        for value in values:
            rows.add("values", game_id=one.game_id, **value)
        _add_moves(rows, one)
    names = ("games", "players", "offers", "items", "values", "messages", "moves", "answers")
    return {name: empty(name) for name in names} | rows.tables()


def _add_moves(rows: TableRows, game: Played) -> None:
    answers = iter(responses([name_of(move.move) for move in game.moves]))
    offers = messages = 0
    for move in game.moves:
        if (act := act_of(move.move)) is not None:
            messages += 1
            rows.add("messages", game_id=game.game_id, message=messages, sender=move.role, act=act)
        if move.offer is None:
            continue
        offers += 1
        partner = _partner(game.players, move.role)
        rows.add(
            "offers",
            game_id=game.game_id,
            offer=offers,
            round=move.step,
            proposer=move.role,
            responder=partner,
            units_to_proposer=_find_value(move.offer.units, move.role),
            units_to_responder=_find_value(move.offer.units, partner),
            value_proposer=_find_value(move.offer.worth, move.role),
            value_responder=_find_value(move.offer.worth, partner),
            response=next(answers),
        )
        for item in move.offer.items:
            rows.add("items", game_id=game.game_id, offer=offers, **item)


def _partner(players: Mapping[str, str], role: str) -> str | None:
    others = [other for other in players if other != role]
    return others[0] if len(others) == 1 else None


def _find_value(numbers: Mapping[str, Any] | None, role: str | None) -> float | None:
    return None if numbers is None or role is None else numbers[role]
