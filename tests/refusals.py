"""Calls that are refused, kept as text: the call, `⇒`, the kind of its error, and a pattern of the error's only line.

A line with a sign of equality names the data of the calls below it, and a line that imports gives them their names;
both hold for one `[section]`. Lines that start with `#` are remarks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats import errors


class Section:
    """What the calls of one section know: names from elsewhere, and what its lines give once a call needs them."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.known = dict(names)
        self.lines: list[str] = []

    def names(self) -> dict[str, Any]:
        """Return the names and what they stand for."""
        while self.lines:
            exec(self.lines.pop(0), self.known)  # noqa: S102 - data of ours
        return dict(self.known)


def refused_calls(path: Path, names: dict[str, Any]) -> list[Any]:
    """Return each call of the table at `path` with its section, whose calls also know `names`, and its error."""
    calls: list[Any] = []
    section = Section(names)
    for line in path.read_text(encoding="utf-8").splitlines():
        call, arrow, error = line.partition(" ⇒ ")
        if arrow:
            calls.append(pytest.param(call, section, error, id=call))
        elif line.startswith("["):
            section = Section(names)
        elif re.match(r"\w+(, \w+)* = |from |import ", line):
            section.lines.append(line)
        else:
            assert not line or line.startswith("#"), line
    assert calls, f"{path} has no call"
    return calls


def check_refused(call: str, section: Section, error: str) -> None:
    """Check that `call` fails with an error of just this kind, whose message is one line with the pattern in it."""
    kind, _, message = error.partition(": ")
    with pytest.raises(getattr(errors, kind), match=message) as caught:
        eval(call, section.names())  # noqa: S307 - calls of ours
    assert type(caught.value).__name__ == kind
    assert "\n" not in str(caught.value)


def refusals_beside(file: str, names: dict[str, Any] | None = None) -> Callable[..., None]:
    """Return the test of the calls of the `refusals.txt` beside a file, which know `names`, NumPy and pandas."""
    known = {"np": np, "pd": pd, **(names or {})}

    calls = refused_calls(Path(file).with_name("refusals.txt"), known)

    def check(call: str, section: Section, error: str) -> None:
        check_refused(call, section, error)

    test: Callable[..., None] = pytest.mark.parametrize(("call", "section", "error"), calls)(check)
    return test
