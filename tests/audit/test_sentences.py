"""What the audit reads in each sentence of `sentences.txt`, and what it says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from negstats.audit import Audit, Checked, audit_text

SENTENCES = Path(__file__).parent / "sentences.txt"
FAR = "\n\nThat was the method. " + "Words follow here. " * 200 + "\n\n"


def cases() -> Iterator[Any]:
    """Yield the text, what is expected of it and the words of reasons, called by the section and the text."""
    section = ""
    for line in SENTENCES.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            text, _, said = line.partition(" ⇒ ")
            expected, *words = said.split(" | ")
            yield pytest.param(text, expected, words, id=f"{section}: {text}")


def described(result: Checked) -> str:
    """Return a result as the lines have it."""
    reported = result.reported
    inside = ", ".join([*map(str, reported.df), *([f"N = {reported.n}"] if reported.n else [])])
    head = f"{reported.kind}({inside})" if inside else reported.kind
    value = "" if reported.kind == "p" else f" = {reported.statistic}"
    return f"{head}{value}: {result.verdict}{', asked' if result.asked else ''}"


def all_described(audit: Audit) -> str:
    """Return what is read of a text and said of it."""
    numbers = [f"{one.what}: {one.grade}" for one in audit.further]
    return "; ".join([*map(described, audit.results), *numbers]) or "nothing"


@pytest.mark.parametrize(("text", "expected", "words"), list(cases()))
def test_what_is_read_and_said(text: str, expected: str, words: list[str]) -> None:
    audit = audit_text(text.replace("¶", "\n").replace("{far}", FAR))
    assert all_described(audit) == expected
    reasons = "\n".join([*(one.why for one in audit.results), *(one.why for one in audit.further)])
    assert [each for each in words if each not in reasons] == []
