"""A log of events in lines: how it becomes a study at once, and what is needed to take it in pieces.

A loader gives the tables of any lines that hold whole games; then the same code reads a log that fits in memory and,
games of some megabytes at a time, one that does not (`negstats.loaders.streaming`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import orjson
import pandas as pd

from negstats.errors import LogError, shown
from negstats.loaders.files.damaged import Parts
from negstats.loaders.files.events import SUFFIX, Event, events_of, log_files
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.format import Evidence, Format, Track
from negstats.studies.study import Study
from negstats.tables import TABLES

Reader: TypeAlias = Callable[[Sequence[Path], Intake, Track], dict[str, pd.DataFrame]]


@dataclass(frozen=True, slots=True)
class EventLog:
    """One loader's log of events.

    Attributes
    ----------
    name, version : str
        Of the loader.
    unit : str
        The event that begins what belongs together, and the field that names it: "game", "talk", "session". An event
        that does not name it belongs to the one that began last in its file.
    tables : Reader
        The tables of some files' lines, noting to the intake what was read.
    shared : tuple of str
        Events that belong to no unit and that any may need.
    """

    name: str
    version: str
    unit: str
    tables: Reader
    shared: tuple[str, ...] = ()

    @property
    def parts(self) -> Parts:
        """How the units of a file are told apart."""
        return Parts(lambda data, row: unit_rows(data, row, self.unit, self.shared))

    def read(self, path: Path, track: Track) -> Study:
        """Read all of a log at once; raises LogError naming file and row."""
        intake = Intake(path)
        tables = self.tables(self.files(path), intake, track)
        return Study(provenance=intake.provenance(self.name, self.version), **tables)

    def describe_format(self, what: str, matches: Callable[[Path], Evidence | None]) -> Format:
        """Return the log as a format: what it is, in words, and how it is known."""
        return Format(self.name, what, matches, self.read, events=self, parts=self.parts)

    @staticmethod
    def files(path: Path) -> list[Path]:
        """Return the files of a log; raises LogError if there is none."""
        log_paths = log_files(path)
        if not log_paths:
            raise LogError(f"holds no *{SUFFIX} file", file=path)
        return log_paths


class Unit(Protocol):
    """What belongs together in a log, such as a game, as its events come; how it ended is None until it has."""

    ended: str | None

    def take(self, kind: str, event: Event) -> None:
        """Take one of its events."""

    def rows(self) -> Gathered:
        """Return its rows of the tables."""


AnyUnit = TypeVar("AnyUnit", bound=Unit)


def read_units(
    files: Sequence[Path],
    intake: Intake,
    track: Track,
    fields: Mapping[str, Sequence[str]],
    begin: Callable[[Event, str], AnyUnit],
    shared: Mapping[str, Callable[[Event], None]] = {},
) -> list[AnyUnit]:
    """Return the units of a log in the order in which they begin; how many do not end is noted.

    Parameters
    ----------
    files, intake, track
        As a `Reader` has them.
    fields
        The events and their fields, any other being refused; the first one that is not shared begins a unit, and all
        others name it.
    begin
        Makes a unit of its first event and its name.
    shared
        Takes each event that is of no unit, by its kind.
    """
    first_kind, units = next(kind for kind in fields if kind not in shared), dict[str, AnyUnit]()
    for event in events_of(files, intake, track):
        kind = event.choice("event", tuple(fields))
        event.refuse_unknown(("event", *(() if kind in shared else (first_kind,)), *fields[kind]))
        if kind in shared:
            shared[kind](event)
            continue
        name = event.text(first_kind)
        if kind == first_kind:
            if name in units:
                reason = f"{first_kind} {shown(name)} has begun already; names must be unique in the study"
                raise event.fault(reason, first_kind)
            units[name] = begin(event, name)
        elif name not in units:
            raise event.fault(
                f"{first_kind} {shown(name)} has not begun; its {first_kind!r} event comes first", first_kind
            )
        elif units[name].ended is not None:
            raise event.fault(f"{first_kind} {shown(name)} has ended already", first_kind)
        else:
            units[name].take(kind, event)
    unended = sum(unit.ended is None for unit in units.values())
    intake.count(f"{{0}} {first_kind}s have no end event and are kept as ended 'unknown'", unended)
    return list(units.values())


def build_tables(units: Iterable[Unit]) -> dict[str, pd.DataFrame]:
    """Return the tables of a log: the rows of its units, one unit after the other."""
    rows = Gathered()
    for unit in units:
        rows.add_all(unit.rows())
    return rows.tables(one_kind=False)


def factors_of(event: Event) -> dict[str, Any]:
    """Return the factors of the design that an event names; none of them is a column that every study has."""
    factors = event.mapping("factors", {})
    reserved = sorted(set(factors) & set(TABLES["games"].names))
    if reserved:
        raise event.fault(f"{shown(reserved[0])} is a column that every study has and no factor", "factors")
    return factors


def players_of(event: Event, known: Sequence[str]) -> Iterator[tuple[Event, dict[str, Any]]]:
    """Yield the players that an event lists, and who sits there; `known` are the fields that a player may have."""
    seats: set[str] = set()
    for player in event.parts("players"):
        player.refuse_unknown(known)
        seat, agent, person = player.text("player"), player.text("agent", None), player.text("participant", None)
        if seat in seats:
            raise event.fault(f"two players are called {shown(seat)}", "players")
        seats.add(seat)
        kind = "human" if agent is None else "agent"
        yield player, {"player": seat, "kind": kind, "agent": agent, "participant_id": person}


def unit_rows(data: bytes, row: int, unit: str, shared: Sequence[str]) -> frozenset[int]:
    r"""Return the rows of the unit that a row is of; none where the row is of no unit, or needed by others.

    A line that is not JSON is of the unit that it names as far as it can be read, else of the one that began last.

    Examples
    --------
    >>> lines = b'{"event": "game", "game": "a"}\n{"event": "game", "game": "b"}\n{"game": "a", "ev'
    >>> sorted(unit_rows(lines, 3, "game", ()))
    [1, 3]
    """
    unit_pattern = re.compile(rb'"%s"\s*:\s*"([^"\\]+)"' % re.escape(unit.encode()))
    units: dict[int, str | None] = {}
    current_unit: str | None = None
    for place, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            event = orjson.loads(line)
            kind, name = event.get("event"), event.get(unit)
        except (orjson.JSONDecodeError, AttributeError):
            unit_match = unit_pattern.search(line)
            kind, name = None, unit_match[1].decode("utf-8", "replace") if unit_match else current_unit
        if kind in shared:
            continue
        name = name if isinstance(name, str) and name else current_unit
        units[place] = name
        current_unit = name if kind == unit else current_unit
    own = units.get(row)
    return frozenset(place for place, name in units.items() if own is not None and name == own)
