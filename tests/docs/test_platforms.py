"""The pages about platforms: their invented exports load by the commands beside them, which print what the page shows."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from negstats.loaders import formats
from tests.conftest import ROOT
from tests.test_cli import Shell

FOLDER = ROOT / "docs" / "how-to" / "platforms"
PAGES = sorted(FOLDER.glob("*.md"))
FILE = re.compile(r"^```\{code-block\} text\n:caption: (?P<name>\S+)\n\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```\{code-block\} console\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "console" in page.read_text("utf-8")], ids=lambda page: page.stem
)
def test_its_commands_print_what_it_shows(
    page: Path, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page.read_text("utf-8")
    for file in FILE.finditer(text):
        (tmp_path / file["name"]).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file["name"]).write_text(file["text"], "utf-8")
    monkeypatch.chdir(tmp_path)
    ran = 0
    for block in COMMANDS.finditer(text):
        for part in block["text"].split("$ negstats ")[1:]:
            command, shown = part.split("\n", 1)
            code, out, error = shell(*shlex.split(command))
            assert code == 0, error
            got = error + out if command.startswith("load") else out
            assert doctest.OutputChecker().check_output(shown, got, SAME), f"{command} prints\n{got}"
            ran += 1
    assert ran


def test_every_format_has_a_page() -> None:
    told = "\n".join(page.read_text("utf-8") for page in PAGES)
    assert not [known.name for known in formats() if f"negstats.loaders.{known.name}" not in told]
