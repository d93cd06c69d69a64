"""Simulated games as the tables of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from negstats.games.contract.rules import Game
from negstats.games.contract.state import Chips
from negstats.simulate.contract.conditions import CONDITIONS, SEATS
from negstats.simulate.contract.transcript import Made, Transcript
from negstats.simulate.rows import STUDY, TableRows

SCENARIO = "contract game: the board of haim2017"
PROTOCOL = "providers offer in odd rounds, the customer in even ones"


@dataclass(frozen=True, slots=True)
class Played:
    """A transcript and what the study says of the game."""

    game_id: str
    condition: str
    country: str
    transcript: Transcript

    @property
    def ended(self) -> str:
        """How the game ended."""
        return "goal" if self.transcript.goal else "dormant"

    def seats(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of ``players``.

        Yields
        ------
        iterator of dict[str, Any]
            One row a seat, the columns of the table by name.
        """
        for number, (seat, agent) in enumerate(zip(SEATS, CONDITIONS[self.condition], strict=True)):
            yield {
                "player": seat.name,
                "role": seat.role,
                "kind": "human" if agent is None else "agent",
                "agent": agent,
                "participant_id": f"{self.game_id} {seat.name}" if agent is None else None,
                "points": float(self.transcript.points[number]),
                "reached_goal": bool(self.transcript.goal and number in (0, self.transcript.goal)),
            }


def amounts(game: Game, proposal: Made) -> dict[str, tuple[str, dict[str, int]]]:
    """Return who is the proposer and the responder, and the chips by colour that each would get."""
    customer, provider = SEATS[0].name, SEATS[proposal.offer.provider].name
    sides = (
        (customer, _count_by_colour(game, proposal.offer.to_customer)),
        (provider, _count_by_colour(game, proposal.offer.to_provider)),
    )
    proposer, responder = sides if proposal.proposer == 0 else sides[::-1]
    return {"proposer": proposer, "responder": responder}


def _add_offer(rows: TableRows, game: Game, game_id: str, number: int, offer: Made) -> None:
    """Add an offer's row, and a row for each colour that one of the two would get."""
    sides = amounts(game, offer)
    (proposer, for_proposer), (responder, for_responder) = sides["proposer"], sides["responder"]
    units = sum(for_proposer.values()), sum(for_responder.values())
    gain = float(game.chip_points * (units[0] - units[1]))
    rows.add(
        "offers",
        game_id=game_id,
        offer=number,
        round=offer.round,
        proposer=proposer,
        responder=responder,
        units_to_proposer=float(units[0]),
        units_to_responder=float(units[1]),
        value_proposer=gain,
        value_responder=-gain,
        commitment=offer.commitment,
        response="accepted" if offer.accepted else "rejected",
    )
    for receiver, chips in ((proposer, for_proposer), (responder, for_responder)):
        for item, quantity in chips.items():
            rows.add("items", game_id=game_id, offer=number, item=item, receiver=receiver, quantity=float(quantity))


def tables(game: Game, played: Sequence[Played]) -> dict[str, pd.DataFrame]:
    """Return the tables of the games, in their order."""
    rows = TableRows()
    for one in played:
        rows.add(
            "games",
            game_id=one.game_id,
            study=STUDY,
            scenario=SCENARIO,
            protocol=PROTOCOL,
            ended=one.ended,
            rounds=one.transcript.rounds,
            condition=one.condition,
            country=one.country,
        )
        for seat in one.seats():
            rows.add("players", game_id=one.game_id, **seat)
        for number, offer in enumerate(one.transcript.offers, 1):
            _add_offer(rows, game, one.game_id, number, offer)
        for number, step in enumerate(one.transcript.steps, 1):
            rows.add(
                "moves",
                game_id=one.game_id,
                move=number,
                round=step.round,
                player=SEATS[0].name,
                row=step.square[0],
                column=step.square[1],
                paid=step.paid,
            )
    return rows.tables()


def _count_by_colour(game: Game, chips: Chips) -> dict[str, int]:
    return {colour: count for colour, count in zip(game.colours, chips, strict=True) if count}
