"""What the audit's document says is what its commands print."""

from __future__ import annotations

import pytest
import typer.main

from negstats.cli import app
from tests.audit.document import DOCUMENT, compared, written


def test_it_agrees_with_statcheck_or_says_why_not() -> None:
    rows = list(compared())
    assert len(rows) >= 50
    for text, theirs, ours, why in rows:
        assert (theirs == ours) == (not why), text
    assert {theirs for _, theirs, _, _ in rows} == {"consistent", "inconsistent", "decision error", "not found"}


@pytest.mark.nightly
def test_its_tables_are_those_of_today() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert written(text) == text, "run python -m tests.audit.document"


def test_it_names_every_option() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    command = typer.main.get_command(app).commands["audit"]  # type: ignore[attr-defined]
    options = {name for parameter in command.params for name in parameter.opts if name.startswith("--")}
    assert len(options) > 10
    assert [name for name in sorted(options) if f"`{name}" not in text] == []
