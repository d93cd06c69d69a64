"""How the note is read where it is open: the choices that change what is said, with those made here as defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from negstats.errors import DesignError, shown
from negstats.games.dominance import FACTOR, Scoring
from negstats.games.dominance.acceptance import Judging, Objecting


@dataclass(frozen=True, slots=True)
class Readings:
    """How an agent reads what the paper leaves open.

    Attributes
    ----------
    score : {"net", "count"}
        A value's score: how many values are less preferred minus how many are more preferred, or the former only. The
        reading that matters most: with ``"count"`` a peer refuses nothing but its worst value.
    factor : float
        A dominant agent accepts what scores more than this share of the best score (the note's 0.7).
    option : {"sum", "each"}
        An option is acceptable by its score, or if each of its values is.
    objected : {"less", "either"}
        A submissive agent gives in on a value that it has called less preferred, or that it has named at all.
    literal : bool
        React to a statement as the note prints it, dropping a further pair for a repetition.
    interleaved : bool
        React to a statement by asking of both values whether they are best, then whether worst.
    options : {"fitting", "last"}
        After an accepted value peer and dominant propose an option as soon as one fits, or only when no criterion is
        open.
    times : int
        How often an agent says the same thing at most.

    Raises
    ------
    DesignError
        If a reading is none of these.

    Examples
    --------
    >>> Readings().score
    'net'
    >>> Readings(times=0)
    Traceback (most recent call last):
        ...
    negstats.errors.DesignError: times is 0; at least 1 is needed, or nobody says anything
    """

    score: Scoring = "net"
    factor: float = FACTOR
    option: Judging = "sum"
    objected: Objecting = "less"
    literal: bool = False
    interleaved: bool = False
    options: Literal["fitting", "last"] = "fitting"
    times: int = 2

    def __post_init__(self) -> None:
        hints = get_type_hints(Readings)
        for field in fields(self):
            levels, value = get_args(hints[field.name]), getattr(self, field.name)
            if levels and value not in levels:
                raise DesignError(f"{field.name} is {shown(value)}; give {' or '.join(map(repr, levels))}")
        if not 0 <= self.factor <= 1:
            raise DesignError(f"factor is {self.factor}; a share of the best score, from 0 to 1, is needed")
        if self.times < 1:
            raise DesignError(f"times is {self.times}; at least 1 is needed, or nobody says anything")
