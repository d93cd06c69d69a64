"""Studies to code, coders who follow a rule, and a codebook with a group, spans and keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from negstats.coding import Codebook, CodedFile, CodedMessage, Message, Talks
from negstats.studies import Provenance, Study
from negstats.tables import conform

CODEBOOK = """
title = "Offers and reasons"
spans = true

[[codes]]
name = "offer"
label = "Offer"
definition = "Says who gets what."
example = "You take the water."
group = "move"

[[codes]]
name = "reject"
label = "Rejection"
group = "move"
key = 5

[[codes]]
name = "reason"
label = "Reason"
definition = "Says why."
"""
SAID = (
    "I take two waters",
    "no, that is too much",
    "I need the wood because it is cold",
    "hello there",
    "fine with me",
)
# What would tell a coder the condition, were it on the page.
TELLING = ("secretly-selfish", "robot-nine", "lab-game", "Fairness9", "person-", "chair-of-")


def synthetic(games: int, messages: int, said: Collection[str] = SAID, seed: int = 3) -> Study:
    """Return games of two seats with so many messages each, and a deal action at the end."""
    rng = np.random.default_rng(seed)
    texts = list(said)
    names = [f"lab-game-{place:04d}-secretly-selfish" for place in range(games)]
    rows: list[tuple[str, int, str, str | None, str | None]] = [
        (game, number, f"chair-of-{'AB'[number % 2]}", texts[int(rng.integers(len(texts)))], None)
        for game in names
        for number in range(1, messages + 1)
    ]
    rows += [(game, messages + 1, "chair-of-A", None, "submit-deal") for game in names]
    seats = [(game, f"chair-of-{seat}") for game in names for seat in "AB"]
    tables: dict[str, Mapping[str, Any]] = {
        "games": {
            "game_id": names,
            "ended": ["agreement"] * games,
            "treatment": [("Fairness9", "secretly-selfish")[place % 2] for place in range(games)],
        },
        "players": {
            "game_id": [game for game, _ in seats],
            "player": [seat for _, seat in seats],
            "role": ["buyer", "seller"] * games,
            "kind": ["human", "agent"] * games,
            "agent": [None, "robot-nine"] * games,
            "participant_id": [f"person-{place}" if place % 2 == 0 else None for place in range(2 * games)],
            "points": [float(place % 7) for place in range(2 * games)],
        },
        "messages": dict(
            zip(("game_id", "message", "sender", "text", "act"), map(list, zip(*rows, strict=True)), strict=True)
        ),
    }
    return Study(
        provenance=Provenance("by hand", "1"), **{name: conform(name, content) for name, content in tables.items()}
    )


Rule = Callable[[Message], Collection[str]]


def by_words(message: Message) -> list[str]:
    """Return the codes that a careful coder gives."""
    text = message.text or ""
    codes = ["offer"] if "take" in text else ["reject"] if text.startswith("no") else []
    return [*codes, *(["reason"] if "because" in text else [])]


def coded(
    talks: Talks, book: Codebook, coder: str, rule: Rule = by_words, among: Collection[int] | None = None
) -> CodedFile:
    """Return what a coder who follows a rule exports."""
    units = [
        (talk.number, one)
        for talk in talks.by_number.values()
        for one in talk.messages
        if one.is_unit and (among is None or talk.number in among)
    ]
    messages = tuple(
        CodedMessage(number, one.number, one.sha256, tuple(book.in_order(set(rule(one))))) for number, one in units
    )
    return CodedFile("coding", coder, talks.sha256, talks.seed, book, len(units), messages)
