"""A fault in a plan: a line that names file, line and field, the value found, and a value that fits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from negstats.errors import PlanError
from negstats.sanitize import line
from negstats.toml_text import Place, field_of, nearest_line

MOST = 100  # faults that are said


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a plan. `line` is None where no line is at fault: the file does not exist, or is too large.

    What does not stop the plan (`stops`) costs one question its answer, and the others run.

    Examples
    --------
    >>> str(Fault("plan.toml", 12, "alpha", "is 5; give a number between 0 and 0.5 such as 0.05"))
    'plan.toml:12: alpha: is 5; give a number between 0 and 0.5 such as 0.05'
    """

    file: str
    line: int | None
    field: str
    reason: str
    stops: bool = True

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return line(": ".join(part for part in (place, self.field, self.reason) if part))


class Faults:
    """Gathers the faults of one file, whose `lines` say where a field stands.

    Examples
    --------
    >>> found = Faults("plan.toml", {("questions", "H1"): 3})
    >>> found.add(("questions", "H1", "who"), "is 5; give text in quotes")
    >>> [str(fault) for fault in found.sorted()]
    ['plan.toml:3: questions.H1.who: is 5; give text in quotes']
    """

    def __init__(self, file: str, lines: dict[Place, int] | None = None) -> None:
        self.file, self.lines = file, lines or {}
        self.found: dict[Fault, None] = {}

    def add(self, path: Place, reason: str, *, at: Place = (), stops: bool = True) -> None:
        """Note a fault of the field at `path`; it stands on the line of `at`, where that is given."""
        self.found[Fault(self.file, self.line_of(at or path), field_of(path), reason, stops)] = None

    def line_of(self, path: Place) -> int | None:
        """Return the line of a field, or of the nearest table that it would stand in."""
        return nearest_line(self.lines, path)

    def inside(self, path: Place) -> bool:
        """Whether a record has a fault."""
        field = field_of(path)
        return any(fault.field == field or fault.field.startswith(f"{field}.") for fault in self.found)

    def sorted(self) -> list[Fault]:
        """Return the faults in the order of their lines."""
        return sorted(self.found, key=lambda fault: fault.line or 0)


def refuse(faults: Iterable[Fault]) -> None:
    """Raise all the faults in one error; nothing happens where there are none.

    Raises
    ------
    PlanError
        One line a fault.
    """
    lines = [str(fault) for fault in faults]
    if lines:
        remainder = [f"and {len(lines) - MOST} more"] if len(lines) > MOST else []
        raise PlanError([*lines[:MOST], *remainder])
