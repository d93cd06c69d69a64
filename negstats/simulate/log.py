"""A simulated study as a JSON Lines event log, one event a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from negstats.files import written_whole


def write_events(path: str | Path, events: Iterable[Mapping[str, Any]]) -> None:
    """Write events to a file, one a line; the file is there whole or not at all.

    Raises
    ------
    UsageError
        If it cannot be written.
    """
    with written_whole(path) as fresh, fresh.open("wb") as stream:
        for event in events:
            stream.write(orjson.dumps(event) + b"\n")
