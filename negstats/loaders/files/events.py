"""Event logs, JSON Lines: which files they are, one event a line, its fields with their types, and where a fault is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import jiter

from negstats.errors import LogError, meant, shown
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.intake import Intake, beginning
from negstats.loaders.files.literals import read_moment
from negstats.loaders.files.objects import parsed, strict_json
from negstats.loaders.format import SIGNATURE, Evidence, Strength

SUFFIX = ".jsonl"
HEAD = 1 << 16  # bytes in which the first line ends

_LARGEST = 1e308  # whole numbers beyond it are not floats
_NUMBERS = (float, int)  # of JSON; true and false are none
_NEEDED: Any = object()  # the default of a field that must be there


class Event(NamedTuple):  # a tuple, for a log has hundreds of thousands
    """A JSON object in a line, and where it stands."""

    fields: dict[str, Any]
    file: Path
    row: int | None

    @classmethod
    def parse(cls, line: bytes, file: Path, row: int) -> Event:
        """Read a line; raises LogError if it is not a JSON object."""
        try:
            fields = strict_json(line)
        except ValueError as error:
            if "duplicate key" in str(error):
                parsed(line.decode(), file, row)  # names the key
            raise LogError(f"is not JSON: {error}; is the line cut?", file=file, row=row) from None
        if not isinstance(fields, dict):
            raise LogError(f"{shown(fields)} is not a JSON object with an 'event'", file=file, row=row)
        return cls(fields, file, row)

    def refuse_unknown(self, known: Sequence[str]) -> None:
        """Raise LogError if there is a field that is not one of `known`."""
        for field in self.fields:
            if field not in known:
                raise self.fault(f"there is no such field; {meant(field, known, 'there are')}", field)

    def fault(self, reason: str, field: str) -> LogError:
        """Return the error for a fault in a field."""
        return LogError(reason, file=self.file, row=self.row, column=field)

    def text(self, field: str, default: str | None = _NEEDED) -> Any:
        """Return a text that is not empty."""
        value = self._get(field, default)
        if value is not None and not (isinstance(value, str) and value):
            raise self.fault(f"{shown(value)} is not text", field)
        return value

    def choice(self, field: str, levels: Sequence[str]) -> str:
        """Return a text that is one of `levels`."""
        value = self._get(field, _NEEDED)
        if not isinstance(value, str) or value not in levels:
            raise self.fault(f"{shown(value)} is not one of {', '.join(levels)}", field)
        return value

    def number(self, field: str, default: float | None = _NEEDED) -> float | None:
        """Return a finite number."""
        return self._number(self._get(field, default), field)

    def whole(self, field: str, default: int | None = _NEEDED) -> int | None:
        """Return a whole number of at least 0."""
        value = self._get(field, default)
        return None if value is None else self._whole(value, field)

    def truth(self, field: str) -> bool | None:
        """Return true, false or None where the field is not there."""
        value = self._get(field, None)
        if value is not None and not isinstance(value, bool):
            raise self.fault(f"{shown(value)} is not true or false", field)
        return value

    def time(self, field: str) -> datetime | None:
        """Return a time with the year first, in UTC, also where it says no zone; None where the field is not there."""
        value = self.text(field, None)
        try:
            return None if value is None else read_moment(value)
        except ValueError:
            raise self.fault(f"{shown(value)} is not an ISO 8601 time such as 2016-03-01T10:00:00Z", field) from None

    def mapping(self, field: str, default: dict[str, Any] = _NEEDED) -> dict[str, Any]:
        """Return an object whose values are texts, numbers or truth values."""
        value = self._get(field, default)
        if not isinstance(value, dict):
            raise self.fault(f"{shown(value)} is not a JSON object", field)
        for name, item in value.items():
            if not isinstance(item, (str, int, float, bool)) or not name:
                raise self.fault(f"{shown(name)} is {shown(item)}; a text or a number is needed", field)
        return value

    def within(self, field: str, name: str, mapping: dict[str, Any]) -> float | None:
        """Return a number of a mapping, None where it has none of this name."""
        return self._number(mapping.get(name), field)

    def counts(self, field: str) -> dict[str, int]:
        """Return an object of counts; those of 0 are left out."""
        value = self.mapping(field)
        return {name: count for name, item in value.items() if (count := self._whole(item, field))}

    def names(self, field: str) -> list[str] | None:
        """Return a list of texts; None where the field is not there."""
        value = self._get(field, None)
        if value is not None and not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
            raise self.fault(f"{shown(value)} is not a list of names", field)
        return value

    def part(self, field: str) -> Event:
        """Return an object with fields of its own; one without any where it is not there."""
        value = self._get(field, {})
        if not isinstance(value, dict):
            raise self.fault(f"{shown(value)} is not a JSON object", field)
        return self._replace(fields=value)

    def parts(self, field: str) -> list[Event]:
        """Return the objects in a list, at least one."""
        value = self._get(field, _NEEDED)
        if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
            raise self.fault(f"{shown(value)} is not a list of JSON objects", field)
        return [self._replace(fields=item) for item in value]

    def pairs(self, field: str, most: int) -> list[tuple[float, float]]:
        """Return a list of at most so many pairs of numbers; none where the field is not there."""
        value = self._get(field, [])
        if not isinstance(value, list) or len(value) > most:
            raise self.fault(f"{shown(value)} is not a list of at most {most:,} pairs of numbers", field)
        number_pairs = []
        for pair in value:
            if not isinstance(pair, list) or len(pair) != 2 or None in pair:
                raise self.fault(f"{shown(pair)} is not a pair of numbers", field)
            number_pairs.append((float(self._number(pair[0], field) or 0), float(self._number(pair[1], field) or 0)))
        return number_pairs

    def square(self, field: str) -> tuple[int, int]:
        """Return a row and a column."""
        value = self._get(field, _NEEDED)
        if not isinstance(value, list) or len(value) != 2:
            raise self.fault(f"{shown(value)} is not a square [row, column]", field)
        return self._whole(value[0], field), self._whole(value[1], field)

    def _get(self, field: str, default: Any) -> Any:
        value = self.fields.get(field)
        if value is None:
            if default is _NEEDED:
                raise self.fault("the field is not there", field)
            return default
        return value

    def _number(self, value: Any, field: str) -> float | None:
        if value is None:
            return None
        if type(value) not in _NUMBERS or not -_LARGEST < value < _LARGEST:
            raise self.fault(f"{shown(value)} is not a number", field)
        return float(value)

    def _whole(self, value: Any, field: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
            raise self.fault(f"{shown(value)} is not a whole number of at least 0", field)
        return value


def first_event(path: Path) -> dict[str, Any]:
    """Return the first event of a log (or of a folder of logs); {} if it is not an event log. Raises nothing."""
    files = log_files(path)
    if not files or files[0].suffix != SUFFIX:
        return {}
    try:
        first = jiter.from_json(beginning(files[0], HEAD).split(b"\n", 1)[0])
    except ValueError:
        return {}
    return first if isinstance(first, dict) else {}


def begins_with(path: Path, kind: str, strength: Strength = SIGNATURE) -> Evidence | None:
    """Return the evidence if `path` is an event log (or a folder of such) whose first event is of this kind, or None.

    Raises nothing.
    """
    if first_event(path).get("event") != kind:
        return None
    file = log_files(path)[0]
    return Evidence(strength, f"{file.name} begins with the event {kind!r}", (file,))


def events_of(
    files: Sequence[Path], intake: Intake, track: Callable[[Sequence[Path]], Iterable[Path]]
) -> Iterator[Event]:
    """Yield the events of a log, file after file, and tell the intake what was read; empty lines are passed over.

    Raises
    ------
    LogError
        If a file cannot be read, or a line is not a JSON object.
    """
    for file in track(files):
        data = intake.read(file)
        rows = 0
        for row, line in intake.numbered(file, data):
            rows += 1
            yield Event.parse(line, file, row)
        intake.add(file, data, rows)


def log_files(path: Path) -> list[Path]:
    """Return the file itself, or the event logs of a folder in the order of their names."""
    return [path] if not path.is_dir() else sorted(readable(path.glob(f"*{SUFFIX}"), path))
