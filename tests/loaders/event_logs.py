"""How tests write a log of events."""

from __future__ import annotations

import json
from pathlib import Path


def written(folder: Path, *events: object, name: str = "log.jsonl") -> Path:
    """Write a line for each event; a text is a line as it stands."""
    file = folder / name
    lines = (event if isinstance(event, str) else json.dumps(event) for event in events)
    file.write_text("\n".join(lines), encoding="utf-8")
    return file
