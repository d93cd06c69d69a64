"""Simulated games as a JSON Lines event log, the form that `negstats.loaders.contract` describes and reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from negstats.games.contract.rules import Game
from negstats.simulate.contract.conditions import SEATS
from negstats.simulate.contract.study_tables import PROTOCOL, SCENARIO, Played, amounts
from negstats.simulate.log import write_events
from negstats.simulate.rows import STUDY


def write_log(path: str | Path, game: Game, played: Sequence[Played]) -> None:
    """Write the games to a file, one event a line.

    Parameters
    ----------
    path
        The file.
    game
        The game that was played.
    played
        The games, as `games_of` returns them.
    """
    write_events(path, (event for one in played for event in events(game, one)))


def _round_events(game: Game, played: Played, number: int) -> Iterator[dict[str, Any]]:
    """Yield the offers of a round, then its steps on the board."""
    for offer in (offer for offer in played.transcript.offers if offer.round == number):
        (proposer, gets), (responder, gives) = amounts(game, offer).values()
        yield {
            "event": "offer",
            "game": played.game_id,
            "round": number,
            "from": proposer,
            "to": responder,
            "asks": gets,
            "gives": gives,
            "commitment": offer.commitment,
            "response": "accepted" if offer.accepted else "rejected",
        }
    for step in (step for step in played.transcript.steps if step.round == number):
        yield {
            "event": "move",
            "game": played.game_id,
            "round": number,
            "player": SEATS[0].name,
            "square": list(step.square),
            "paid": step.paid,
        }


def events(game: Game, played: Played) -> Iterator[dict[str, Any]]:
    """Yield the events of one game in the order in which they happened."""
    seats = list(played.seats())
    yield {
        "event": "game",
        "game": played.game_id,
        "study": STUDY,
        "scenario": SCENARIO,
        "protocol": PROTOCOL,
        "chip_points": game.chip_points,
        "factors": {"condition": played.condition, "country": played.country},
        "players": [
            {
                "player": seat["player"],
                "role": seat["role"],
                **({"agent": seat["agent"]} if seat["agent"] else {"participant": seat["participant_id"]}),
            }
            for seat in seats
        ],
    }
    for number in range(1, played.transcript.rounds + 1):
        yield from _round_events(game, played, number)
    yield {
        "event": "end",
        "game": played.game_id,
        "ended": played.ended,
        "rounds": played.transcript.rounds,
        "points": {seat["player"]: seat["points"] for seat in seats},
        "reached_goal": [seat["player"] for seat in seats if seat["reached_goal"]],
    }
