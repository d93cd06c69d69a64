"""Keys and texts as TOML wants them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable


def quoted(key: str) -> str:
    """Return a key as TOML wants it."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else text(key)


def short(name: str) -> str:
    """Return what a column is called: without the objects that it lies in, ``player.age``; points in words are none.

    Examples
    --------
    >>> short("group.1.player.age"), short("Dist. to Nash"), short("min.util."), short("#agreeing")
    ('age', 'Dist. to Nash', 'min.util', 'agreeing')
    """
    last = name.rpartition(".")[2]
    parts = name.split(".")
    is_path = len(parts) > 1 and all(re.fullmatch(r"[\w{}-]+", part) for part in parts)
    return last if is_path else re.sub(r"^[\W_]+|[^\w)]+$", "", name) or name


def text(value: str) -> str:
    """Return a text as TOML wants it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def text_list(words: Iterable[str]) -> str:
    """Return words as a list in TOML."""
    return f"[{', '.join(map(text, words))}]"
