"""Checks and effect sizes that could not be computed: each a record. Only the answer itself can refuse a question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from negstats.errors import NegstatsError, UsageError, one_line

Omitted: TypeAlias = Literal["effect", "estimate", "interval", "part", "follow-up", "check", "cells", "values"]
Value = TypeVar("Value")
Default = TypeVar("Default")

# What these data can make of a computation: a refusal in words (`NegstatsError`, `numpy.linalg.LinAlgError` are
# ValueErrors), or a division by 0 and an overflow in a library.
FAULTS = (ValueError, ArithmeticError)


class RowsNeededError(UsageError):
    """A test needs the rows, and these stay with an engine; `what` names the test."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message)
        self.what = what


@dataclass(frozen=True, slots=True)
class Omission:
    """One thing beside an answer that these data do not give.

    Attributes
    ----------
    kind : str
        "effect", "estimate", "interval", "part" of the same model, "follow-up", "check", "cells" or "values".
    place : str
        The part of the address behind the question's id beside which it would stand: "/condition", or empty.
    what : str
        Its name for readers: "odds ratio", "Games–Howell".
    reason : str
        Why there is none, in a clause; empty where the rows that it needs stay with an engine.
    """

    kind: Omitted
    place: str
    what: str
    reason: str = ""

    def entry(self, question: str) -> dict[str, str]:
        """Return it as results.json holds it."""
        return {"kind": self.kind, "address": question + self.place, "what": self.what, "reason": self.reason}

    def __str__(self) -> str:
        if not self.reason:
            return f"Not computed: {self.what}, which needs data that were not loaded into memory."
        of = f" of {self.place.lstrip('/#')}" if self.place else ""
        return f"Not computed: {self.what}{of} ({self.reason})."


def compute_optional(
    omissions: list[Omission],
    kind: Omitted,
    what: str,
    make: Callable[[], Value],
    default: Default,
    place: str = "",
    describe: Callable[[str], str] = str,
) -> Value | Default:
    """Return what stands beside an answer, or `default` and a record of why there is none, in words of `describe`.

    Everything but the answer's own statistic and p is computed through here, so that no effect size, interval,
    follow-up or check that these data do not give takes the answer away.

    Examples
    --------
    >>> omissions = []
    >>> compute_optional(omissions, "effect", "ratio", lambda: 1 / 0, None)
    >>> print(omissions[0])
    Not computed: ratio (division by zero).
    """
    try:
        return make()
    except RowsNeededError as error:
        omission = Omission(kind, place, error.what)
    except FAULTS as error:
        reason = error.statement if isinstance(error, NegstatsError) else one_line(error)
        omission = Omission(kind, place, what, describe(reason).rstrip("."))
    if omission not in omissions:
        omissions.append(omission)
    return default
