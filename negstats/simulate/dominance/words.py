"""Utterances, as fields of a log and as words, by the templates in `words.toml` beside this file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeAlias

from negstats.games.dominance import ANY, Domain, Option, Statement, Value


@dataclass(frozen=True, slots=True)
class StatePreference:
    """Say what one prefers, likes best ("*", v) or likes least (v, "*")."""

    criterion: str
    less: str
    more: str

    @property
    def statement(self) -> Statement:
        """What is stated."""
        return Statement(self.criterion, self.less, self.more)


@dataclass(frozen=True, slots=True)
class AskPreference:
    """Ask which of two values the other side prefers, or openly what it likes ("*", "*")."""

    criterion: str
    less: str
    more: str

    @property
    def statement(self) -> Statement:
        """What is asked for."""
        return Statement(self.criterion, self.less, self.more)


@dataclass(frozen=True, slots=True)
class Propose:
    """Propose a value or an option."""

    thing: Value | Option


@dataclass(frozen=True, slots=True)
class Accept:
    """Accept the value or the option that was proposed."""

    thing: Value | Option


@dataclass(frozen=True, slots=True)
class Reject:
    """Reject the value or the option that was proposed."""

    thing: Value | Option


@dataclass(frozen=True, slots=True)
class Booking:
    """Ask to book an option; the talk ends in agreement."""

    option: Option


@dataclass(frozen=True, slots=True)
class Leave:
    """End the talk without agreement. The note announces an exit and does not give it."""


Utterance: TypeAlias = StatePreference | AskPreference | Propose | Accept | Reject | Booking | Leave


def state(statement: Statement) -> StatePreference:
    """Return the utterance that makes a statement."""
    return StatePreference(*statement)


def ask_openly(criterion: str) -> AskPreference:
    """Return the open question about a criterion."""
    return AskPreference(criterion, ANY, ANY)


ACTS: dict[type[Utterance], str] = {
    StatePreference: "state",
    AskPreference: "ask",
    Propose: "propose",
    Accept: "accept",
    Reject: "reject",
    Booking: "booking",
    Leave: "leave",
}


def as_fields(utterance: Utterance) -> dict[str, Any]:
    """Return what an utterance holds, by name: `criterion`, `less` and `more`; `criterion` and `value`; or `option`.

    Examples
    --------
    >>> as_fields(Propose(Value("price", "cheap")))
    {'criterion': 'price', 'value': 'cheap'}
    """
    match utterance:
        case StatePreference() | AskPreference():
            return {"criterion": utterance.criterion, "less": utterance.less, "more": utterance.more}
        case Leave():
            return {}
        case Booking(option):
            return {"option": list(option)}
        case Propose(thing) | Accept(thing) | Reject(thing):
            return _thing(thing)


def _thing(subject: Value | Option) -> dict[str, Any]:
    if isinstance(subject, Value):
        return {"criterion": subject.criterion, "value": subject.value}
    return {"option": list(subject)}


def label(utterance: Utterance) -> str:
    """Return what an utterance holds as one annotation: "price: moderate < cheap" for a statement, "" for none.

    Examples
    --------
    >>> label(StatePreference("price", "*", "cheap"))
    'price: * < cheap'
    """
    fields = as_fields(utterance)
    if "option" in fields:
        return " / ".join(fields["option"])
    if "less" in fields:
        return f"{fields['criterion']}: {fields['less']} < {fields['more']}"
    return f"{fields['criterion']}: {fields['value']}" if fields else ""


def in_words(domain: Domain, utterance: Utterance) -> str:
    """Return an utterance in words.

    Examples
    --------
    >>> from negstats.games.dominance import restaurants
    >>> in_words(restaurants(), StatePreference("price", "*", "cheap"))
    'As for the price, I like cheap best.'
    """
    fields = as_fields(utterance)
    if "option" in fields:
        fields["option"] = ", ".join(fields["option"])
    return _templates()[_template(utterance)].format(**fields, topic=domain.topic)


def _template(utterance: Utterance) -> str:
    act = ACTS[type(utterance)]
    match utterance:
        case StatePreference(less=less, more=more):
            return {ANY: "state_best"}.get(less) or {ANY: "state_worst"}.get(more, act)
        case AskPreference(less=less):
            return "ask_openly" if less == ANY else act
        case Propose(thing) | Accept(thing) | Reject(thing):
            return f"{act}_value" if isinstance(thing, Value) else f"{act}_option"
    return act


@lru_cache(maxsize=1)
def _templates() -> dict[str, str]:
    text = files("negstats.simulate.dominance").joinpath("words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
