"""The trace of a NegMAS session: who offers what, what each negotiator gets by it, and how the last row ends it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.lines import Line, need_columns
from negstats.loaders.files.literals import named_values
from negstats.loaders.negmas.games import Offer

TRACE = ("time", "relative_time", "step", "negotiator", "offer", "responses", "state")
ENDS = {"agreement": "agreement", "broken": "walkaway", "timedout": "timeout"}  # by the state of the last row
CONTINUING, UNFINISHED = "continuing", "unfinished"
_OTHER = {*TRACE, "text", "data", "index", "current_proposer", "new_offers"}


class Trace:
    """The rows of a trace: the negotiators' columns, the offers, and what the last row says."""

    def __init__(self, file: Path, names: Sequence[str], lines: Sequence[Line], columns: Sequence[str] = ()) -> None:
        need_columns(names, ("negotiator", "offer") if lines else (), file)
        negotiator_columns = [name for name in names if name not in _OTHER and not name.startswith("column ")]
        self.file = file
        self.columns = tuple(columns) or tuple(negotiator_columns)
        if strange := [name for name in negotiator_columns if name not in self.columns]:
            raise LogError("is neither a column of a trace nor a negotiator", file=file, column=strange[0])
        self.valued = bool(lines) and set(self.columns) <= set(negotiator_columns)
        self.offers: list[Offer] = []
        self.said: list[tuple[int, float | None, str]] = []
        self.state = lines[-1].told("state") if lines else None
        self.last_row = lines[-1].row if lines else 1
        self.last: tuple[float | None, ...] = ()
        self.rounds: int | None = None
        for line in lines:
            self._take(line)

    def check_end(self, ended: str) -> None:
        """Check that the trace goes to the end that its session has; its last row has the state of then.

        Raises
        ------
        LogError
            If the last row says that the session goes on, or ended otherwise.
        """
        end = None if self.state is None else ENDS.get(self.state, UNFINISHED if self.state == CONTINUING else None)
        if end is not None and end != ended and ended in ENDS.values():
            reason = f"the last row says {shown(self.state)}, and the session ended by {ended}; is the trace cut?"
            raise LogError(reason, file=self.file, row=self.last_row, column="state")

    def _take(self, line: Line) -> None:
        utilities = tuple(_utility(line, name) for name in self.columns) if self.valued else ()
        step = line.whole("step")
        self.rounds = self.rounds if step is None else step + 1
        levels, text = line.several("offer"), line.cells.get("text")
        if not levels:
            self.last = utilities
        if not levels and text is None:
            return
        speaker = line.text("negotiator")
        if speaker not in self.columns:
            raise line.fault(f"{shown(speaker)} is not one of {', '.join(self.columns)}", "negotiator")
        if text is not None:
            self.said.append((self.columns.index(speaker), line.finite("time"), text))
        if not levels:
            return
        texts = tuple(_level(level, line) for level in levels)
        share = line.finite("relative_time")
        when = line.finite("time")
        blank = (None,) * len(self.columns)
        seat = self.columns.index(speaker)
        number = None if step is None else step + 1
        responses = named_values(line.told("responses") or "")
        is_accepted = "ACCEPT_OFFER" in responses.values() if responses else None
        self.offers.append(Offer(line.row, seat, texts, utilities or blank, when, share, number, is_accepted))
        self.last = ()


def _utility(line: Line, name: str) -> float | None:
    """Return a utility; None for an infinite one, by which the platform says that nothing is reserved."""
    value = line.number(name)
    return value if value is not None and math.isfinite(value) else None


def _level(level: Any, line: Line) -> str:
    if isinstance(level, (str, int, float)) and str(level):
        return str(level)
    raise line.fault(f"{shown(level)} is not a level of an issue", "offer")
