"""Write the invented tables of the page "Your own data": one a shape, the same cells at every run.

Run it from the source tree: ``python datasets/sheets/own_data.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parent / "own"


def _save(frame: pd.DataFrame, name: str, **how: str) -> None:
    frame.to_csv(FOLDER / name, index=False, lineterminator="\n", **how)  # type: ignore[call-overload]


def decisions(rng: np.random.Generator) -> None:
    """Write one row a decision: responders answer offers out of ten, from a person or a computer."""
    rows = [
        (f"s{person:02d}", trial, ("person", "computer")[person % 2], int(offer))
        for person in range(1, 25)
        for trial, offer in enumerate(rng.permutation([1, 1, 2, 3, 4, 5]), start=1)
    ]
    frame = pd.DataFrame(rows, columns=["subject", "trial", "proposer_type", "offer"])
    lean = frame["proposer_type"].eq("computer") * 1.2 + frame["subject"].map(
        dict(zip(frame["subject"].unique(), rng.normal(0, 0.8, 24), strict=True))
    )
    frame["choice"] = (rng.random(len(frame)) < 1 / (1 + np.exp(-(1.3 * frame["offer"] - 3 + lean)))).astype(int)
    _save(frame, "decisions.csv")


def games(rng: np.random.Generator) -> None:
    """Write one row a game: a buyer and a seller agree on a price by chat or by voice, or they do not."""
    count = 40
    medium = np.where(np.arange(count) % 2 == 0, "chat", "voice")
    price = np.round(rng.normal(np.where(medium == "chat", 152, 146), 12)).clip(105, 195)
    deal = rng.random(count) < 0.85
    frame = pd.DataFrame(
        {
            "dyad": np.arange(1, count + 1),
            "medium": medium,
            "buyer_id": [f"b{place:02d}" for place in range(count)],
            "seller_id": [f"s{place:02d}" for place in range(count)],
            "deal": np.where(deal, "yes", "no"),
            "price": np.where(deal, price, np.nan),
            "buyer_points": np.where(deal, 200 - price, 0).astype(int),
            "seller_points": np.where(deal, price - 100, 0).astype(int),
        }
    )
    _save(frame, "games.csv")


def seats(rng: np.random.Generator) -> None:
    """Write one row a seat, in semicolons, with decimal commas and German words."""
    rows = []
    for pair in range(1, 31):
        frame = ("Gewinn", "Verlust")[pair % 2]
        share = round(float(rng.normal(5.6 if frame == "Gewinn" else 5.0, 0.7)), 2)
        for role, points in (("Käufer", share), ("Verkäufer", round(10 - share, 2))):
            rating = int(np.clip(np.round(rng.normal(4 + (points - 5) / 2, 1)), 1, 7))
            rows.append((pair, role, f"p{len(rows) + 1:02d}", frame, str(points).replace(".", ","), rating))
    frame = pd.DataFrame(rows, columns=["Paar", "Rolle", "Teilnehmer", "Bedingung", "Punkte", "Zufriedenheit"])
    _save(frame, "seats.csv", sep=";", encoding="cp1252")


def survey(rng: np.random.Generator) -> None:
    """Write a wide survey: what a person and an agent got of three goods, their worth to each, and one item."""
    rows = []
    for person in range(1, 41):
        emotion = ("happy", "angry")[person % 2]
        own = rng.integers(1, 5, 3) + (rng.random(3) < (0.55 if emotion == "happy" else 0.25))
        rating = int(np.clip(np.round(rng.normal(5 if emotion == "happy" else 4, 1)), 1, 7))
        rows.append((f"p{person:02d}", emotion, *own, *(5 - own), 4, 2, 1, 1, 2, 4, rating))
    goods = ("gold", "iron", "spice")
    names = ["participant", "agent_emotion", *(f"{good}_h" for good in goods), *(f"{good}_a" for good in goods)]
    names += [f"value_{good}_h" for good in goods] + [f"value_{good}_a" for good in goods] + ["satisfaction"]
    _save(pd.DataFrame(rows, columns=names), "survey.csv")


def events(rng: np.random.Generator) -> None:
    """Write a log of events: offers, messages, acceptances and walk-aways in the order in which they happened."""
    rows = []
    for game in range(1, 31):
        condition, time = ("deadline", "open")[game % 2], 0
        keep = int(rng.integers(7, 9))
        for turn in range(int(rng.integers(2, 6 if condition == "open" else 4))):
            time += int(rng.integers(4, 20))
            rows.append((game, condition, time, ("A", "B")[turn % 2], "offer", keep, 10 - keep, ""))
            if rng.random() < 0.3:
                rows.append((game, condition, time + 1, ("A", "B")[turn % 2], "message", "", "", "a fair split"))
            keep = max(5, keep - 1)
        last = ("A", "B")[(turn + 1) % 2]
        rows.append((game, condition, time + 3, last, "accept" if rng.random() < 0.8 else "walkaway", "", "", ""))
    names = ["game", "condition", "time", "player", "action", "keep", "give", "text"]
    _save(pd.DataFrame(rows, columns=names), "events.csv")


def talks(rng: np.random.Generator) -> None:
    """Write dialogues as JSON: each talk is an object with a list of turns, some of them with an offer."""
    found = []
    for talk in range(1, 25):
        style = ("tough", "soft")[talk % 2]
        turns, price = [], 100
        for turn in range(int(rng.integers(3, 6)) + 2 * (style == "tough")):
            price += int(rng.integers(3, 9)) * (1 if turn % 2 == 0 else -1)
            said = {"speaker": ("seller", "buyer")[turn % 2], "act": "offer", "text": f"I can do {price}."}
            turns.append({**said, "offer": {"price": price}})
        turns.append({"speaker": ("seller", "buyer")[len(turns) % 2], "act": "accept", "text": "We have a deal."})
        found.append({"dialogue_id": f"d{talk:02d}", "condition": style, "turns": turns})
    (FOLDER / "talks.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def sessions(rng: np.random.Generator) -> None:
    """Write a folder for each condition, a table for each session in it, a row for each decision."""
    for condition, mean in (("named", 4.2), ("anonymous", 3.4)):
        for session in range(1, 6):
            rows = []
            for pair in range(1, 7):
                offer = int(np.clip(np.round(rng.normal(mean, 1.1)), 0, 6))
                reply = "accept" if rng.random() < 0.15 + 0.17 * offer else "reject"
                rows.append((f"{condition[0]}{session}-{pair}", 1, offer, 10, reply))
            (FOLDER / "sessions" / condition).mkdir(parents=True, exist_ok=True)
            frame = pd.DataFrame(rows, columns=["subject", "trial", "offer", "pie", "response"])
            _save(frame, f"sessions/{condition}/session{session}.csv")


def tournament(rng: np.random.Generator) -> None:
    """Write a tournament of agents: each row is a session of two of them."""
    agents, rows = {"Boulware": 0.66, "Conceder": 0.55, "TitForTat": 0.62}, []
    for one in agents:
        for other in agents:
            for _ in range(4):
                agreed = rng.random() < 0.9
                worth = [round(float(np.clip(rng.normal(agents[name], 0.06), 0, 1)), 3) for name in (one, other)]
                rows.append((one, other, "Yes" if agreed else "No", *(worth if agreed else (0.0, 0.0))))
    frame = pd.DataFrame(rows, columns=["Agent 1", "Agent 2", "Agreement", "Utility 1", "Utility 2"])
    _save(frame, "tournament.csv", sep=";")


def main() -> None:
    """Write all tables."""
    FOLDER.mkdir(exist_ok=True)
    for place, make in enumerate((decisions, games, seats, survey, events, talks, sessions, tournament)):
        make(np.random.default_rng(100 + place))


if __name__ == "__main__":
    main()
