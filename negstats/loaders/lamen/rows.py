"""Rows of a LAMEN run: whose each is, the state in it, and what the speaker gets for its options."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from negstats.errors import shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.lines import Line, read_lines

NEEDED = ("agent_id", "round", "message", "issues_state", "timestamp", "model_name")
SEATS = ("0", "1")

State = Mapping[str, str]


@dataclass(slots=True)
class Row:
    """A row: whose it is, the state in it, and what the speaker gets for the options that have payoffs."""

    line: Line
    seat: str
    state: State
    payoffs: Mapping[str, float]
    time: datetime | None


def rows_in(file: Path, intake: Intake) -> list[Row]:
    """Return the rows of a run; raises LogError naming row and column of what is none."""
    _, lines = read_lines(file, intake, NEEDED)
    return [_row(line) for line in lines]


def _row(line: Line) -> Row:
    seat = line.text("agent_id")
    if seat not in SEATS:
        raise line.fault(f"{shown(seat)} is neither 0 nor 1", "agent_id")
    state = line.pairs("issues_state")
    if not all(isinstance(option, (str, int, float)) and str(option) for option in state.values()):
        raise line.fault(f"{shown(state)} is not an option for each issue", "issues_state")
    payoffs: dict[str, float] = {}
    for part in line.several("payoffs"):
        payoffs.update(_payoff(part, seat, line))
    stamp, time = line.told("timestamp"), None
    if stamp is not None:
        try:
            time = datetime.strptime(stamp, "%Y%m%d_%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            raise line.fault(f"{shown(stamp)} is not a time such as 20230915_224324", "timestamp") from None
    return Row(line, seat, {issue: str(option) for issue, option in state.items()}, payoffs, time)


def _payoff(part: Any, seat: str, line: Line) -> list[tuple[str, float]]:
    """Return issue and payoff from ``{'0': {'rent': [0.6, 0.0, 1.0]}}``: payoff, least and largest of the speaker."""
    inner = part.get(seat) if isinstance(part, dict) and len(part) == 1 else None
    payoffs = []
    for issue, numbers in inner.items() if isinstance(inner, dict) else ():
        first = numbers[0] if isinstance(numbers, list) and numbers else None
        if isinstance(first, bool) or not isinstance(first, (int, float)) or not math.isfinite(first):
            raise line.fault(f"{shown(numbers)} is not a payoff", "payoffs")
        payoffs.append((str(issue), float(first)))
    if not payoffs:
        raise line.fault(f"{shown(part)} is not a payoff of seat {seat}", "payoffs")
    return payoffs
