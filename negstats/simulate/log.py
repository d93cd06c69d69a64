"""A simulated study: written as a JSON Lines event log, one event a line, and read as any log of that form is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from negstats.files import written_whole
from negstats.loaders.event_log import EventLog
from negstats.loaders.files.intake import Intake
from negstats.loaders.format import untracked
from negstats.studies import Study
from negstats.studies.participation import SIMULATED, SIMULATOR
from negstats.studies.provenance import Provenance

STUDY = SIMULATED


def write_events(path: str | Path, events: Iterable[Mapping[str, Any]]) -> None:
    """Write events to a file, one a line; the file is there whole or not at all.

    Raises
    ------
    UsageError
        If it cannot be written.
    """
    with written_whole(path) as fresh, fresh.open("wb") as stream:
        stream.writelines(orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE) for event in events)


def read_events(log: EventLog, events: Iterable[Mapping[str, Any]], provenance: Provenance) -> Study:
    """Return the study that the log of these events is, with what its loader notes behind the notes of its making."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "log.jsonl"
        intake = Intake(file)
        write_events(file, events)
        tables = log.tables([file], intake, untracked)
    return Study(provenance=replace(provenance, notes=(*provenance.notes, *intake.told())), **tables)


def build_provenance(command: str, version: str, notes: Sequence[str], caution: str = "nobody took part") -> Provenance:
    """Return where the study of ``negstats simulate`` with this command came from; the first note says that it is made.

    Examples
    --------
    >>> build_provenance("favors", "1", ["seed 7"]).notes
    ('synthetic: made by negstats simulate favors; nobody took part', 'seed 7')
    """
    label = f"synthetic: made by negstats simulate {command}; {caution}"
    return Provenance(f"{SIMULATOR}{command}", version, notes=(label, *notes))
