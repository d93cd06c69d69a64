"""The how-to pages: their invented exports load, their commands print and their examples give what the pages show."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from negstats.loaders import formats
from tests.conftest import ROOT
from tests.test_cli import Shell

FOLDER = ROOT / "docs" / "how-to"
PAGES = sorted(FOLDER.rglob("*.md"))
FILE = re.compile(r"^```\{code-block\} text\n:caption: (?P<name>\S+)\n\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```\{code-block\} console\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```\{code-block\} pycon\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def with_blocks(pattern: re.Pattern[str]) -> list[Path]:
    return [page for page in PAGES if pattern.search(page.read_text("utf-8"))]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a reader is: a folder with the data sets, to which the page's own files are written."""
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", with_blocks(COMMANDS), ids=lambda page: page.stem)
def test_its_commands_print_what_it_shows(page: Path, shell: Shell, place: Path) -> None:
    text = page.read_text("utf-8")
    for file in FILE.finditer(text):
        (place / file["name"]).parent.mkdir(parents=True, exist_ok=True)
        (place / file["name"]).write_text(file["text"], "utf-8")
    for block in COMMANDS.finditer(text):
        for part in block["text"].split("$ negstats ")[1:]:
            command, shown = part.split("\n", 1)
            code, out, error = shell(*shlex.split(command))
            assert code == 0, error
            assert doctest.OutputChecker().check_output(shown, out, SAME), f"{command} prints\n{out}"


@pytest.mark.parametrize("page", with_blocks(PYTHON), ids=lambda page: page.stem)
def test_its_python_gives_what_it_shows(page: Path, place: Path) -> None:
    code = "\n".join(block["text"] for block in PYTHON.finditer(page.read_text("utf-8")))
    example = doctest.DocTestParser().get_doctest(code, {}, page.stem, str(page), 0)
    failed = doctest.DocTestRunner(optionflags=SAME).run(example).failed
    plt.close("all")
    assert not failed


def test_every_format_has_a_page() -> None:
    told = "\n".join(page.read_text("utf-8") for page in PAGES)
    assert not [known.name for known in formats() if f"negstats.loaders.{known.name}" not in told]
