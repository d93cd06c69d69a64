"""Changes that no test can notice, each with the reason why: `equivalent.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from tests.mutation.changes import Change, changed


@cache
def entries() -> dict[tuple[str, str, str], str]:
    """Return the reasons by file, line as it is, and line as it is changed (both without the indentation)."""
    change = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["change"]
    return {(one["file"], one["line"], one["changed"]): one["reason"] for one in change}


def reason_of(path: Path, text: str, change: Change) -> str | None:
    """Return why a change of a file of this text cannot be noticed; None if that is not known."""
    before, after = (one.splitlines()[change.line - 1].strip() for one in (text, changed(text, change)))
    return entries().get((path.as_posix(), before, after))
