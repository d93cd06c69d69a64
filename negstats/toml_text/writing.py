"""Writing TOML: texts and keys as they must be spelled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping


def quoted(text: str) -> str:
    r"""Return text as TOML spells it.

    Examples
    --------
    >>> print(quoted('a "b"'))
    "a \"b\""
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def listed(texts: Iterable[str]) -> str:
    """Return texts as a list of TOML; one alone stands without brackets.

    Examples
    --------
    >>> print(listed(["a", "b"]), listed(["a"]))
    ["a", "b"] "a"
    """
    spelled = [quoted(text) for text in texts]
    return spelled[0] if len(spelled) == 1 else f"[{', '.join(spelled)}]"


def value_text(value: object) -> str:
    r"""Return a text, number, truth value, list or table as TOML spells it within a line.

    Examples
    --------
    >>> print(value_text('a "b"'), value_text(["a", "b"]), value_text({"a b": "c"}), value_text(True))
    "a \"b\"" ["a", "b"] { "a b" = "c" } true
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {value_text(cell)}" for name, cell in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def key(name: str) -> str:
    """Return a key as TOML spells it: bare where it may be.

    Examples
    --------
    >>> print(key("points"), key("a b"))
    points "a b"
    """
    is_bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if is_bare else quoted(name)
