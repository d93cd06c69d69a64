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


def refused_calls(path: Path, names: dict[str, Any]) -> list[Any]:
    """Return each call of the table at `path` with the names that it is read with, and its error."""
    calls: list[Any] = []
    known = dict(names)
    for line in path.read_text(encoding="utf-8").splitlines():
        call, arrow, error = line.partition(" ⇒ ")
        if arrow:
            calls.append(pytest.param(call, known, error, id=call))
        elif line.startswith("["):
            known = dict(names)
        elif re.match(r"\w+ = |from |import ", line):
            exec(line, known)  # noqa: S102 - data of ours
        else:
            assert not line or line.startswith("#"), line
    assert calls, f"{path} has no call"
    return calls


def check_refused(call: str, names: dict[str, Any], error: str) -> None:
    """Check that `call` fails with an error of just this kind, whose message is one line with the pattern in it."""
    kind, _, message = error.partition(": ")
    with pytest.raises(getattr(errors, kind), match=message) as caught:
        eval(call, dict(names))  # noqa: S307 - calls of ours
    assert type(caught.value).__name__ == kind
    assert "\n" not in str(caught.value)


def refusals_beside(file: str, names: dict[str, Any] | None = None) -> Callable[..., None]:
    """Return the test of the calls of the `refusals.txt` beside a file, which know `names`, NumPy and pandas."""
    known = {"np": np, "pd": pd, **(names or {})}

    calls = refused_calls(Path(file).with_name("refusals.txt"), known)

    def check(call: str, names: dict[str, Any], error: str) -> None:
        check_refused(call, names, error)

    test: Callable[..., None] = pytest.mark.parametrize(("call", "names", "error"), calls)(check)
    return test
