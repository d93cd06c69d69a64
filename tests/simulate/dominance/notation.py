"""Utterances written as the worked examples write them, and what the tests say of the running example."""

from __future__ import annotations

from typing import Any

from negstats.games.dominance import Preferences, Value, restaurants
from negstats.simulate import dominance

DOMAIN = restaurants()
A = Preferences.in_order(DOMAIN)
B = Preferences.of(
    DOMAIN,
    {
        "cuisine": ["italian", "mexican", "french", "japanese"],
        "price": ["moderate", "expensive", "cheap"],
        "place": ["quiet", "lively"],
    },
)

LETTERS: dict[type[dominance.Utterance], str] = {
    dominance.StatePreference: "S",
    dominance.AskPreference: "Q",
    dominance.Propose: "P",
    dominance.Accept: "A",
    dominance.Reject: "R",
    dominance.Booking: "B",
    dominance.Leave: "L",
}


def plain(utterance: dominance.Utterance) -> tuple[Any, ...]:
    """As the short version writes it."""
    letter = LETTERS[type(utterance)]
    match utterance:
        case dominance.StatePreference() | dominance.AskPreference():
            return (letter, utterance.criterion, utterance.less, utterance.more)
        case dominance.Booking(option):
            return (letter, option)
        case dominance.Leave():
            return (letter,)
        case dominance.Propose(thing) | dominance.Accept(thing) | dominance.Reject(thing):
            return (letter, thing.criterion, thing.value) if isinstance(thing, Value) else (letter, thing)


def told(utterance: dominance.Utterance) -> str:
    """As the worked examples write it: what is accepted and booked is what was proposed."""
    letter, *what = plain(utterance)
    match letter, what:
        case "S", [_, less, more]:
            return f"S({less}, {more})"
        case "Q", [criterion, "*", "*"]:
            return f"Q {criterion}"
        case "P" | "R", [_, value]:
            return f"{letter} {value}"
        case "P" | "R", [option]:
            return f"{letter}({' '.join(option)})"
        case _:
            return {"A": "A", "B": "Booking", "L": "Leave"}[letter]


def line(transcript: dominance.Transcript) -> str:
    return " · ".join(told(turn.utterance) for turn in transcript.turns)


def value(name: str) -> Value:
    """The value of this name, which stands in one criterion only."""
    [criterion] = [criterion for criterion, values in DOMAIN.criteria if name in values]
    return Value(criterion, name)


def option(words: str) -> tuple[str, ...]:
    return tuple(words.split())
