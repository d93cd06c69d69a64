"""Talk that was written down: lines that begin with who speaks, below lines that say something of the whole game.

Each turn is a row with the columns ``speaker`` and ``text``, and ``time_s`` where its line begins with a time. What the
lines above or below the talk say (``Condition: chat``) is in columns of their own, the same in each row. A line that
does not begin with a name goes on with the turn before it; other lines outside of the talk are left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from negstats.errors import LogError
from negstats.loaders.files.delimited import decoded
from negstats.loaders.files.tabular import Form, Table, text_table

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2}(?:[.,]\d+)?)"
SPEAKER = r"\s*([^\W\d][\w .'-]{0,39}?)\s*:"  # with which a turn begins
_LINE = re.compile(rf"\s*(?:[\[(]?{_TIME}[\])]?\s*[-–,]?\s+)?{SPEAKER}(?:\s+(.*)|$)")
_LOOKED = 1 << 16  # bytes that are looked at
_MOSTLY = 0.8  # of the lines that are not blank begin with a name
_LEAST_NAMED = 0.5  # of the lines of a cell
_SPEAKERS = range(2, 9)  # how many may take part
_FEWEST = 4  # turns


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that begins with a name, and where it stands."""

    number: int
    name: str
    text: str
    time_s: float | None


def is_transcript(data: bytes, file: Path) -> bool:
    """Whether a text file holds talk: nearly all lines begin with one of a few names, some of which come again.

    Where they begin with a time and a name it is a chat, however many write in it.
    """
    if file.suffix.lower() != ".txt":
        return False
    text = data[:_LOOKED].decode("utf-8", errors="replace")
    lines = [line for line in text.splitlines() if line.strip()]
    named = _named_lines(lines)
    if not named or len(named) < _MOSTLY * len(lines):
        return False
    if all(line.time_s is not None for line in named):
        return True
    speakers = _find_speakers(named)
    return len(speakers) in _SPEAKERS and sum(line.name in speakers for line in named) >= _FEWEST


def turns_in(cell: str) -> list[str]:
    r"""Return the turns of a talk that stands in one cell, each with who speaks; [] for any other text.

    Examples
    --------
    >>> turns_in("Ann: Ten?\nBo: No,\nnine.\nAnn: Deal."), turns_in("Note: see below\nthis is all\nthat I know")
    (['Ann: Ten?', 'Bo: No,\nnine.', 'Ann: Deal.'], [])
    """
    lines = [line.strip() for line in cell.splitlines() if line.strip()] if "\n" in cell and ":" in cell else []
    named = _named_lines(lines)
    starts = [line.number - 1 for line in named]
    if not starts or starts[0] > 0 or len(starts) < _LEAST_NAMED * len(lines):
        return []
    if len({line.name for line in named}) not in _SPEAKERS:
        return []
    return ["\n".join(lines[start:end]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def read_transcript(data: bytes, file: Path, form: Form, columns: Collection[str] | None) -> Table:
    r"""Read a file in which lines begin with who speaks.

    Raises
    ------
    LogError
        If it is no text, or nobody speaks in it.

    Examples
    --------
    >>> talk = b"Condition: chat\n\nAnn: Hello.\nBo: Ten?\nAnn: No,\nnine.\nBo: Deal.\n"
    >>> table = read_transcript(talk, Path("dyad.txt"), Form(), None)
    >>> table.names, table.column("text").tolist(), list(table.rows)
    (['Condition', 'speaker', 'text'], ['Hello.', 'Ten?', 'No,\nnine.', 'Deal.'], [3, 4, 5, 7])
    """
    lines = decoded(data, file, form.encoding).splitlines()
    named = _named_lines(lines)
    speakers = _find_speakers(named)
    numbers = [line.number for line in named if line.name in speakers]
    if not numbers:
        raise LogError("holds no talk: no name begins several lines", file=file)
    # What is told of the whole game stands above the first turn or below the last one.
    turns = [line for line in named if numbers[0] <= line.number <= numbers[-1]]
    facts = {line.name: line.text for line in named if not numbers[0] <= line.number <= numbers[-1]}
    ends = [*(line.number for line in turns[1:]), _end_of(numbers[-1], lines, named)]
    texts = [_whole_text(line, lines[line.number : end - 1]) for line, end in zip(turns, ends, strict=True)]
    has_times = any(line.time_s is not None for line in turns)
    names = [*facts, *(["time_s"] if has_times else []), "speaker", "text"]
    rows: list[list[object]] = [
        [*facts.values(), *([line.time_s] if has_times else []), line.name, text]
        for line, text in zip(turns, texts, strict=True)
    ]
    table = text_table(names, rows, file, columns, [line.number for line in turns])
    known = {*range(numbers[0], ends[-1]), *(line.number for line in named)}
    outside = [number for number, line in enumerate(lines, 1) if line.strip() and number not in known]
    return replace(table, unread=tuple((number, "a line outside of the talk") for number in outside))


def _named_lines(lines: Sequence[str]) -> list[_Line]:
    """Return the lines that begin with a name and a colon, with their numbers from 1."""
    named = []
    for number, line in enumerate(lines, 1):
        match = _LINE.match(line)
        if match is not None:
            hours, minutes, seconds, name, text = match.groups()
            whole = 3600 * int(hours or 0) + 60 * int(minutes or 0)
            time_s = None if minutes is None else whole + float(seconds.replace(",", "."))
            named.append(_Line(number, name.strip(), (text or "").strip(), time_s))
    return named


def _find_speakers(named: Sequence[_Line]) -> set[str]:
    """Return the names that stand at several lines, or behind a time: what is told of a game is told once."""
    counts = Counter(line.name for line in named)
    return {line.name for line in named if counts[line.name] > 1 or line.time_s is not None}


def _end_of(last: int, lines: Sequence[str], named: Sequence[_Line]) -> int:
    """Return the number of the line behind the last turn, which ends before a blank line or the next name."""
    starts = {line.number for line in named}
    end = last + 1
    while end <= len(lines) and end not in starts and lines[end - 1].strip():
        end += 1
    return end


def _whole_text(line: _Line, others: Sequence[str]) -> str:
    """Return a turn with the lines that go on with it."""
    return "\n".join(filter(None, (line.text, *(other.strip() for other in others))))
