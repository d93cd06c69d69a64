"""Keys and texts as TOML wants them."""

from __future__ import annotations

import json
import re


def quoted(key: str) -> str:
    """Return a key as TOML wants it."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else text(key)


def text(value: str) -> str:
    """Return a text as TOML wants it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
