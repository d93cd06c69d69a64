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
from negstats.simulate.log import STUDY
from negstats.tables import conform

SCENARIO = "favor game: the points of mell2015"
PROTOCOL = "ultimatum"

DEAL, NONE = "deal", "no deal"  # the one issue, and the option of not agreeing on it


def tables(sessions: Sequence[Session]) -> dict[str, pd.DataFrame]:
    """Return the tables of the sessions, in their order: a negotiation is a game."""
    session_negotiations = [(session, one) for session in sessions for one in session.negotiations()]
    ids = pa.array([f"{session.name} n{one.number}" for session, one in session_negotiations], pa.string())
    negotiations = [one for _, one in session_negotiations]
    offer = np.array([one.offer for one in negotiations], dtype=np.float64)
    frames = {
        "games": _games(session_negotiations, ids),
        "players": _players(session_negotiations, ids),
        "offers": _offers(negotiations, ids, offer),
        "items": {
            "game_id": ids,
            "offer": np.ones(len(negotiations), dtype=np.int64),
            "item": _repeat(DEAL, len(negotiations)),
            "option": pa.array([_option(one.offer) for one in negotiations], pa.string()),
        },
        "values": _values(negotiations, ids),
        "messages": _messages(negotiations, ids),
    }
    return {name: conform(name, frame) for name, frame in frames.items()}


def _games(session_negotiations: Sequence[tuple[Session, Negotiated]], ids: pa.Array) -> dict[str, Any]:
    size = len(session_negotiations)
    return {
        "game_id": ids,
        "study": _repeat(STUDY, size),
        "scenario": _repeat(SCENARIO, size),
        "protocol": _repeat(PROTOCOL, size),
        "ended": pa.array(
            ["agreement" if one.accepted else "walkaway" for _, one in session_negotiations], pa.string()
        ),
        "rounds": np.ones(size, dtype=np.int64),
        "condition": _text([session.agent.name for session, _ in session_negotiations]),
        "language": _text([session.agent.language for session, _ in session_negotiations]),
        "returns": _text([session.agent.returning for session, _ in session_negotiations]),
        "negotiation": np.array([one.number for _, one in session_negotiations], dtype=np.int64),
        "session": _text([session.name for session, _ in session_negotiations]),
    }


def _players(session_negotiations: Sequence[tuple[Session, Negotiated]], ids: pa.Array) -> dict[str, Any]:
    size = len(session_negotiations)
    offers_first = np.array([one.proposer == SEATS[0] for _, one in session_negotiations])
    roles = np.where(np.stack([offers_first, ~offers_first], axis=1), "proposer", "responder").reshape(-1)
    missing = (np.nan, np.nan)
    return {
        "game_id": ids.take(_each(size, 2)),
        "player": pa.array(SEATS).take(_cycle(size, 2)),
        "role": pa.array(roles, pa.string()),
        "kind": pa.array(["human", "agent"]).take(_cycle(size, 2)),
        "agent": pa.array(
            [name for session, _ in session_negotiations for name in (None, session.agent.name)], pa.string()
        ),
        "participant_id": pa.array(
            [name for session, _ in session_negotiations for name in (session.name, None)], pa.string()
        ),
        "points": np.array([one.points for _, one in session_negotiations], dtype=np.float64).reshape(-1),
        "batna": np.array([one.batna or missing for _, one in session_negotiations], dtype=np.float64).reshape(-1),
    }


def _offers(negotiations: Sequence[Negotiated], ids: pa.Array, offer: Numbers) -> dict[str, Any]:
    ones = np.ones(len(negotiations), dtype=np.int64)
    by_agent = np.array([one.proposer == SEATS[1] for one in negotiations], dtype=np.intp)
    rows = np.arange(len(negotiations))
    return {
        "game_id": ids,
        "offer": ones,
        "round": ones,
        "proposer": pa.array(SEATS).take(pa.array(by_agent)),
        "responder": pa.array(SEATS).take(pa.array(1 - by_agent)),
        "value_proposer": offer[rows, by_agent],
        "value_responder": offer[rows, 1 - by_agent],
        "framing": pa.array([one.framing for one in negotiations], pa.string()),
        "response": pa.array(["accepted" if one.accepted else "rejected" for one in negotiations], pa.string()),
    }


def _values(negotiations: Sequence[Negotiated], ids: pa.Array) -> dict[str, Any]:
    """Return what each option is worth: the offer and no deal, or in negotiation 5 the whole grid, seat by seat."""
    blocks: dict[tuple[Points, Points | None], int] = {}
    kind = np.array(
        [blocks.setdefault((one.offer if one.batna else (0, 0), one.batna), len(blocks)) for one in negotiations]
    )
    options, worth, seats = [], [], []
    for offer, batna in blocks:
        deals = FINAL.tolist() if batna is None else [offer, batna]
        labels = [_option(deal) for deal in deals] if batna is None else [_option(offer), NONE]
        options.append(labels * len(SEATS))
        worth.append(np.array(deals, dtype=np.float64).T.reshape(-1))
        seats.append(np.repeat(np.arange(len(SEATS)), len(deals)))
    width = np.array([len(labels) for labels in options])[kind]
    first = np.cumsum([0, *map(len, options)])[:-1][kind]
    game = np.repeat(np.arange(len(negotiations)), width)
    row = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width) + np.repeat(first, width)
    return {
        "game_id": ids.take(pa.array(game)),
        "player": pa.array(SEATS).take(pa.array(np.concatenate(seats)[row])),
        "item": _repeat(DEAL, len(row)),
        "option": pa.array([label for labels in options for label in labels]).take(pa.array(row)),
        "value": np.concatenate(worth)[row],
    }


def _messages(negotiations: Sequence[Negotiated], ids: pa.Array) -> dict[str, Any]:
    messages = [
        (place, number, message)
        for place, one in enumerate(negotiations)
        for number, message in enumerate((one.message, one.reaction), 1)
        if message is not None
    ]
    return {
        "game_id": ids.take(pa.array([place for place, _, _ in messages])),
        "message": np.array([number for _, number, _ in messages], dtype=np.int64),
        "sender": _repeat(SEATS[1], len(messages)),
        "text": _text([message.text for _, _, message in messages]),
        "act": _text([message.act for _, _, message in messages]),
    }


def _option(points: Sequence[float]) -> str:
    return ":".join(repr(float(seat)).removesuffix(".0") for seat in points)


def _repeat(value: str, size: int) -> pa.Array:
    return pa.array([value]).take(pa.array(np.zeros(size, dtype=np.int64)))


def _text(values: Sequence[str]) -> pa.Array:
    return pa.array(values, pa.string())


def _each(size: int, times: int) -> pa.Array:
    return pa.array(np.repeat(np.arange(size), times))


def _cycle(size: int, times: int) -> pa.Array:
    return pa.array(np.tile(np.arange(times), size))
