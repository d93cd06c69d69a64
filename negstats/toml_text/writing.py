"""Writing TOML: texts and keys as they must be spelled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


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
    return name if is_bare else value_text(name)


def table_text(path: Sequence[str], fields: Mapping[str, object], comments: Sequence[str] = ()) -> str:
    """Return a table of TOML below its comments; a field that is None is left out.

    Examples
    --------
    >>> print(table_text(["factors", "condition"], {"levels": ["CL", "FC"], "within": None}))
    [factors.condition]
    levels = ["CL", "FC"]
    """
    lines = [f"{name} = {value_text(value)}" for name, value in fields.items() if value is not None]
    return "\n".join([*comments, f"[{'.'.join(map(key, path))}]", *lines])


def one_or_list(names: Sequence[str]) -> str | list[str] | None:
    """Return names as a plan takes them: a list, one alone without brackets, None where there are none."""
    return list(names) if len(names) > 1 else next(iter(names), None)
