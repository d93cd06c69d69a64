"""What a loader is: a name, a way to know its logs by looking, and a way to read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from negstats.loaders.files.damaged import Parts
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.loaders.event_log import EventLog

Track: TypeAlias = Callable[[Sequence[Path]], Iterable[Path]]
Strength: TypeAlias = Literal[1, 2, 3]

SIGNATURE: Strength = 3  # a name or a header that no other program writes
COLUMNS: Strength = 2  # a set of columns or files that others might have too
GUESS: Strength = 1  # could be


def untracked(files: Sequence[Path]) -> Iterable[Path]:
    """Yield the files and show nothing."""
    return files


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a file or folder is recognised as a format's.

    Attributes
    ----------
    strength : int
        `SIGNATURE`, `COLUMNS` or `GUESS`.
    because : str
        What was seen, to follow "because": ``"all_apps_wide.csv has the columns participant.code and session.code"``.
    files : tuple of pathlib.Path
        The files in which it was seen. Two formats seen in different files of a folder are two studies.
    """

    strength: Strength
    because: str
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """One source of logs.

    Attributes
    ----------
    name : str
        As the command line and the provenance call it.
    what : str
        What its logs look like, in one line, for the message that lists the known formats.
    matches : Callable[[Path], Evidence | None]
        Why the file or folder is in this format; None if it is not. Looks at names and the first bytes only; raises
        nothing.
    read : Callable[..., Study]
        Reads all of it: called with the path, a `Track` and, by name, those of the `options` that were given.
    options : Mapping of str to str
        What may be asked of this loader besides, and what it does.
    events : EventLog or None
        For a log of events in lines, which need not be in memory as a whole: how it is read in pieces.
    parts : Parts or None
        Where a file holds many games: how these are told apart, so that a damaged one can be left out.
    roles : Mapping of str to str
        The card of its factors: what those are that the format has in every study, in the words that a mapping has
        for the ``role`` of a factor, so that a drafted plan asks about none by mistake.
    """

    name: str
    what: str
    matches: Callable[[Path], Evidence | None]
    read: Callable[..., Study]
    options: Mapping[str, str] = field(default_factory=dict)
    events: EventLog | None = None
    parts: Parts | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
