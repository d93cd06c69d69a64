"""Words that no output has: what a reader would have to ask about, over all that commands print and messages say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from negstats.cli import COMMANDS, app
from tests.conftest import ROOT

# "was not shown to differ" is what a test that finds nothing says; "not shown" alone was a verdict.
PHRASES = (
    "beside it", "beside the answer", "shown:", r"not shown(?! to\b)", "stands? at", "stands? for",
    "lies between units", "left out", "looked for and not found", "units differ", "who sat", "is none", "are none",
    "there is nothing to", "goes by game", "what is asked", "nobody foresaw", "as it stands", "no fault",
    r"cells of H\d*", r"tests of H\d*", "this computer's word", "linked unit", "tells? apart", "under another name",
    "also by another rule", "assumption, drawn", "one share", "two shares", "several shares", "1 games", "1 rows",
    "0 people", r"stands? (?:there|here|twice|beside|behind)", "is of (?:yes or no|one|no one)", "called so",
    "one a (?:participant|person|game|group|unit)",
)  # fmt: skip
FORBIDDEN = re.compile(r"(?<!\w)(?:" + "|".join(PHRASES) + r")(?!\w)", re.IGNORECASE)
FROZEN = ROOT / "tests" / "nets" / "frozen"
# The nets name the rows that a loader excluded in words of their own, and have the notes of logs as a study keeps them.
OF_THE_NETS = re.compile(r"^left out: |^note: .*", re.MULTILINE)


def found(text: str) -> list[str]:
    return [text[max(0, one.start() - 40) : one.end() + 40] for one in FORBIDDEN.finditer(text)]


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each string of a module that is not a docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


def test_no_output_that_is_frozen_has_such_a_word() -> None:
    texts = {path.relative_to(FROZEN).as_posix(): path.read_text(encoding="utf-8") for path in FROZEN.rglob("*.txt")}
    faults = [f"{name}: {fault}" for name, text in sorted(texts.items()) for fault in found(OF_THE_NETS.sub("", text))]
    assert texts
    assert faults == []


@pytest.mark.slow
def test_no_message_of_the_package_has_such_a_word() -> None:
    package = ROOT / "negstats"
    faults = [
        f"{path.relative_to(package)}:{place} {text}"
        for path in sorted(package.rglob("*.py"))
        for place, whole in strings(path)
        for text in found(whole)
    ]
    assert faults == []


@pytest.mark.slow
def test_no_help_has_such_a_word() -> None:
    faults = []
    for command in sorted({name for group in COMMANDS.values() for name in group}):
        printed = CliRunner().invoke(app, [command, "--help"])
        assert printed.exit_code == 0, printed.output
        faults += [f"{command}: {fault}" for fault in found(" ".join(printed.output.split()))]
    assert faults == []
