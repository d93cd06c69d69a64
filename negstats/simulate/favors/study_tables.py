"""Simulated sessions of the favor game as the tables of a study, whole columns at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from negstats.games.favors import FINAL
from negstats.games.favors.rules import Numbers, Points
from negstats.simulate.favors.session import SEATS, Negotiated, Session
from negstats.tables import conform

__all__ = ["PROTOCOL", "SCENARIO", "STUDY", "tables"]

STUDY = "simulated: nobody took part"
SCENARIO = "favor game: the points of mell2015"
PROTOCOL = "ultimatum"

DEAL, NONE = "deal", "no deal"  # the one issue, and the option of not agreeing on it


def tables(sessions: Sequence[Session]) -> dict[str, pd.DataFrame]:
    """Return the tables of the sessions, in their order: a negotiation is a game."""
    told = [(session, one) for session in sessions for one in session.negotiations()]
    ids = pa.array([f"{session.name} n{one.number}" for session, one in told], pa.string())
    played = [one for _, one in told]
    offer = np.array([one.offer for one in played], dtype=np.float64)
    frames = {
        "games": _games(told, ids),
        "players": _players(told, ids),
        "offers": _offers(played, ids, offer),
        "items": {
            "game_id": ids,
            "offer": np.ones(len(played), dtype=np.int64),
            "item": _same(DEAL, len(played)),
            "option": pa.array([_option(one.offer) for one in played], pa.string()),
        },
        "values": _values(played, ids),
        "messages": _messages(played, ids),
    }
    return {name: conform(name, frame) for name, frame in frames.items()}


def _games(told: Sequence[tuple[Session, Negotiated]], ids: pa.Array) -> dict[str, Any]:
    size = len(told)
    return {
        "game_id": ids,
        "study": _same(STUDY, size),
        "scenario": _same(SCENARIO, size),
        "protocol": _same(PROTOCOL, size),
        "ended": pa.array(["agreement" if one.accepted else "walkaway" for _, one in told], pa.string()),
        "rounds": np.ones(size, dtype=np.int64),
        "condition": _text([session.agent.name for session, _ in told]),
        "language": _text([session.agent.language for session, _ in told]),
        "returns": _text([session.agent.returning for session, _ in told]),
        "negotiation": np.array([one.number for _, one in told], dtype=np.int64),
        "session": _text([session.name for session, _ in told]),
    }


def _players(told: Sequence[tuple[Session, Negotiated]], ids: pa.Array) -> dict[str, Any]:
    size = len(told)
    offers_first = np.array([one.proposer == SEATS[0] for _, one in told])
    roles = np.where(np.stack([offers_first, ~offers_first], axis=1), "proposer", "responder").reshape(-1)
    missing = (np.nan, np.nan)
    return {
        "game_id": ids.take(_each(size, 2)),
        "player": pa.array(SEATS).take(_cycle(size, 2)),
        "role": pa.array(roles, pa.string()),
        "kind": pa.array(["human", "agent"]).take(_cycle(size, 2)),
        "agent": pa.array([name for session, _ in told for name in (None, session.agent.name)], pa.string()),
        "participant_id": pa.array([name for session, _ in told for name in (session.name, None)], pa.string()),
        "points": np.array([one.points for _, one in told], dtype=np.float64).reshape(-1),
        "batna": np.array([one.batna or missing for _, one in told], dtype=np.float64).reshape(-1),
    }


def _offers(played: Sequence[Negotiated], ids: pa.Array, offer: Numbers) -> dict[str, Any]:
    ones = np.ones(len(played), dtype=np.int64)
    by_agent = np.array([one.proposer == SEATS[1] for one in played], dtype=np.intp)
    rows = np.arange(len(played))
    return {
        "game_id": ids,
        "offer": ones,
        "round": ones,
        "proposer": pa.array(SEATS).take(pa.array(by_agent)),
        "responder": pa.array(SEATS).take(pa.array(1 - by_agent)),
        "value_proposer": offer[rows, by_agent],
        "value_responder": offer[rows, 1 - by_agent],
        "framing": pa.array([one.framing for one in played], pa.string()),
        "response": pa.array(["accepted" if one.accepted else "rejected" for one in played], pa.string()),
    }


def _values(played: Sequence[Negotiated], ids: pa.Array) -> dict[str, Any]:
    """Return what each option is worth: the offer and no deal, or in negotiation 5 the whole grid, seat by seat."""
    blocks: dict[tuple[Points, Points | None], int] = {}
    kind = np.array([blocks.setdefault((one.offer if one.batna else (0, 0), one.batna), len(blocks)) for one in played])
    options, worth, seats = [], [], []
    for offer, batna in blocks:
        deals = FINAL.tolist() if batna is None else [offer, batna]
        labels = [_option(deal) for deal in deals] if batna is None else [_option(offer), NONE]
        options.append(labels * len(SEATS))
        worth.append(np.array(deals, dtype=np.float64).T.reshape(-1))
        seats.append(np.repeat(np.arange(len(SEATS)), len(deals)))
    width = np.array([len(labels) for labels in options])[kind]
    first = np.cumsum([0, *map(len, options)])[:-1][kind]
    game = np.repeat(np.arange(len(played)), width)
    row = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width) + np.repeat(first, width)
    return {
        "game_id": ids.take(pa.array(game)),
        "player": pa.array(SEATS).take(pa.array(np.concatenate(seats)[row])),
        "item": _same(DEAL, len(row)),
        "option": pa.array([label for labels in options for label in labels]).take(pa.array(row)),
        "value": np.concatenate(worth)[row],
    }


def _messages(played: Sequence[Negotiated], ids: pa.Array) -> dict[str, Any]:
    said = [
        (place, number, spoken)
        for place, one in enumerate(played)
        for number, spoken in enumerate((one.message, one.reaction), 1)
        if spoken is not None
    ]
    return {
        "game_id": ids.take(pa.array([place for place, _, _ in said])),
        "message": np.array([number for _, number, _ in said], dtype=np.int64),
        "sender": _same(SEATS[1], len(said)),
        "text": _text([spoken.text for _, _, spoken in said]),
        "act": _text([spoken.act for _, _, spoken in said]),
    }


def _option(points: Sequence[float]) -> str:
    return ":".join(repr(float(seat)).removesuffix(".0") for seat in points)


def _same(value: str, size: int) -> pa.Array:
    return pa.array([value]).take(pa.array(np.zeros(size, dtype=np.int64)))


def _text(values: Sequence[str]) -> pa.Array:
    return pa.array(values, pa.string())


def _each(size: int, times: int) -> pa.Array:
    return pa.array(np.repeat(np.arange(size), times))


def _cycle(size: int, times: int) -> pa.Array:
    return pa.array(np.tile(np.arange(times), size))
