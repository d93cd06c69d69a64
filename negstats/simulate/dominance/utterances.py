"""What can be said in a dominance dialogue: one frozen kind an utterance of the note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from negstats.games.dominance import ANY, Option, Statement, Value


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
