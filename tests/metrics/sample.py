"""A made-up study with all that measures must cope with: two and three seats, gaps, games of every end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from negstats.tables import TABLES, conform

SEATS = ("A", "B", "C")
RARE = ("reject", "booking", "leave")
SAID = ("hello there", "I need  food\tand water", "", "deal?", None, "no\u00a0way \u2028at\x1call", "Ça va, 你好 吗")


def tables(seed: int = 7, games: int = 60) -> dict[str, pd.DataFrame]:
    """Return the tables of a study of so many games, always the same for a seed."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[dict[str, object]]] = {name: [] for name in TABLES}
    for number in range(games):
        _play(rng, f"g{number:02d}", rows)
    talking = np.random.default_rng((seed, 1))  # of its own, so that what is played stays the same
    for number in range(0, games, 3):
        _talk(talking, f"g{number:02d}", rows)
    for number in range(0, games, 5):
        _ask(talking, f"g{number:02d}", rows)
    return {name: conform(name, pd.DataFrame(played)) for name, played in rows.items() if played}


def _ask(rng: np.random.Generator, game: str, rows: dict[str, list[dict[str, object]]]) -> None:
    for name, most, items in (("svo", 9, 6), ("svi", 7, 16)):
        rows["answers"] += [
            {
                "participant_id": f"p-{game}",
                "game_id": game,
                "question": f"{name}{place}",
                "answer": "NA" if rng.random() < 0.03 else str(int(rng.integers(1, most + 1))),
            }
            for place in range(1, items + 1)
        ]
    least: dict[str, object] = {"participant_id": f"p-{game}", "game_id": game, "question": "least_acceptable"}
    rows["answers"].append({**least, "answer": str(int(game[1:]) % 4)})


def _one(rng: np.random.Generator, options: Sequence[object]) -> Any:
    return options[int(rng.integers(len(options)))]


def _play(rng: np.random.Generator, game: str, rows: dict[str, list[dict[str, object]]]) -> None:
    seats = SEATS[: int(rng.integers(2, 4))]
    ended = _one(rng, TABLES["games"]["ended"].levels)
    rows["games"].append(
        {
            "game_id": game,
            "ended": ended,
            "rounds": _one(rng, [None, 3, 8]),
            "country": _one(rng, ["US", "IL"]),
            "reward": _one(rng, ["fair", "selfish", None]),
        }
    )
    for place, seat in enumerate(seats):
        rows["players"].append(
            {
                "game_id": game,
                "player": seat,
                "role": "customer" if place == 0 else "provider",
                "kind": _one(rng, ["human", "human", "human", "agent"]),
                "points": _one(rng, [None, 3.0, 5.5, 8.0, 8.0, 12.0]),
                "batna": _one(rng, [1.0, 1.0, 2.5, 2.5, None]),
                "reached_goal": _one(rng, [True, False, None]),
            }
        )
    counts = {"book": int(rng.integers(1, 3)), "hat": int(rng.integers(0, 4))}
    _value(rng, game, seats, counts, rows)
    for offer in range(1, int(rng.integers(1, 14))):
        _offer(rng, game, offer, seats, counts, rows)
    for message in range(1, int(rng.integers(1, 6))):
        act = _one(rng, [None, None, None, "submit-deal", "accept-deal"])
        rows["messages"].append(
            {
                "game_id": game,
                "message": message,
                "time_s": _one(rng, [None, 10.0 * message]),
                "sender": _one(rng, seats),
                "text": _one(rng, SAID),
                "act": act,
            }
        )


def _talk(rng: np.random.Generator, game: str, rows: dict[str, list[dict[str, object]]]) -> None:
    """Add dialogue acts after the game's messages, and a proposal of a single option."""
    seats = [str(row["player"]) for row in rows["players"] if row["game_id"] == game]
    last = sum(row["game_id"] == game for row in rows["messages"])
    for message in range(last + 1, last + 12):
        labels = _one(rng, [None, "place: * < park", "place: roof < park", "place: yard < *"])
        row = {"game_id": game, "message": message, "sender": _one(rng, seats), "labels": labels, "text": "so"}
        rows["messages"].append({**row, "act": _one(rng, ["state", "ask", "propose", "propose", "accept", *RARE])})
    offer = 1 + sum(row["game_id"] == game for row in rows["offers"])
    tables = {
        "game_id": game,
        "offer": offer,
        "proposer": seats[0],
        "responder": seats[1],
        "response": "accepted",
    }
    rows["offers"].append(tables)
    option = _one(rng, ["park", "roof", "yard"])
    rows["items"].append({"game_id": game, "offer": offer, "item": "place", "option": option})


def _value(
    rng: np.random.Generator,
    game: str,
    seats: tuple[str, ...],
    counts: dict[str, int],
    rows: dict[str, list[dict[str, object]]],
) -> None:
    known = rng.random() > 0.1
    for seat in seats:
        for item, count in counts.items():
            value = float(rng.integers(0, 6))
            rows["values"].append(
                {"game_id": game, "player": seat, "item": item, "available": count if known else None, "value": value}
            )
        rows["values"].extend(
            {"game_id": game, "player": seat, "item": "place", "option": option, "value": float(rng.integers(0, 4))}
            for option in ("park", "roof", "yard")
        )


def _offer(
    rng: np.random.Generator,
    game: str,
    offer: int,
    seats: tuple[str, ...],
    counts: dict[str, int],
    rows: dict[str, list[dict[str, object]]],
) -> None:
    proposer, responder = rng.permutation(seats)[:2]
    rows["offers"].append(
        {
            "game_id": game,
            "offer": offer,
            "time_s": _one(rng, [None, 7.5 * offer]),
            "proposer": str(proposer),
            "responder": _one(rng, [str(responder), str(responder), str(responder), None]),
            "units_to_proposer": _one(rng, [None, 1.0, 4.0, 40.0]),
            "units_to_responder": _one(rng, [None, 0.0, 11.0]),
            "value_proposer": _one(rng, [None, 2.0, 2.0, 3.5, 5.0, 5.00005]),
            "value_responder": _one(rng, [None, 1.0, 1.0, 2.5, 6.0]),
            "commitment": _one(rng, [None, True, False]),
            "response": _one(rng, TABLES["offers"]["response"].levels),
        }
    )
    for item, count in counts.items():
        split = rng.multinomial(count, [1 / len(seats)] * len(seats))
        rows["items"].extend(
            {"game_id": game, "offer": offer, "item": item, "receiver": seat, "quantity": float(units)}
            for seat, units in zip(seats, split, strict=True)
        )
    option = _one(rng, ["park", "roof", "yard", "yard", "sea"])  # nobody values the sea: not known
    rows["items"].append({"game_id": game, "offer": offer, "item": "place", "option": option})
