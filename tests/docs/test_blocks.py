"""Every code block of every page runs, and prints what the page says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import pytest

from negstats.loaders import formats
from tests.conftest import ROOT
from tests.docs.blocks import Block, Session, blocks
from tests.loaders import agent_logs
from tests.robustness import seeds

MADE = {
    "reference",
    "tutorials",
    "gallery",
    "which-test",
    "trust",
    "glossary.md",
    "contributing.md",
}  # at the build, tested elsewhere
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.relative_to(ROOT / "docs").parts[0] not in MADE]
RUN = {"python", "sh", "toml", "text", "{code-block} text"}
LONG = {"power.md", "your-own-data.md"}  # a quarter of a minute and more each
PLATFORMS = ROOT / "docs" / "how-to" / "platforms"
SHOWN = {"", "console"}  # logs, and what one types before there is a negstats


def marks_of(page: Path) -> list[pytest.MarkDecorator]:
    """Pages for developers name what is inside the package, which changes most often: they run with every test."""
    return [pytest.mark.site] * (page.parent.name != "developers") + [pytest.mark.nightly] * (page.name in LONG)


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=marks_of(page)) for page in PAGES],
    ids=[str(page.relative_to(ROOT / "docs")) for page in PAGES],
)
def test_every_code_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    monkeypatch.chdir(tmp_path)
    session = Session()
    with mpl.rc_context():
        for block in blocks(page.read_text(encoding="utf-8")):
            assert block.kind in RUN | SHOWN, f"line {block.line}: {block.kind}"
            try:
                session.run(block)
            except Exception as error:
                error.add_note(f"{page.name}, the block in line {block.line}")
                raise


def test_the_pages_notice_what_is_wrong() -> None:
    page = "```python\n1 + 1\n```\n\n```text\n3\n```\n"
    first, second = blocks(page)
    assert (first, second.line) == (Block("python", "1 + 1\n", 1), 5)
    session = Session()
    session.run(first)
    with pytest.raises(AssertionError, match="it printed"):
        session.run(second)
    with pytest.raises(ZeroDivisionError):
        session.run(Block("python", "1 / 0\n", 1))
    with pytest.raises(AssertionError, match="no such thing"):
        session.run(Block("sh", "negstats describe no such thing\n", 1))


@pytest.mark.site
@pytest.mark.parametrize(
    ("page", "folder", "log"),
    [
        ("negmas", "tournament", agent_logs.negmas),
        ("negolog", "tournament", agent_logs.negolog),
        ("lioness", "sessions", lambda: seeds.lioness().files),
    ],
)
def test_what_a_page_shows_of_logs_that_are_no_text_runs(
    page: str, folder: str, log: Callable[[], dict[str, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_logs.put(tmp_path / folder, log())
    monkeypatch.chdir(tmp_path)
    shown = [block for block in blocks((PLATFORMS / f"{page}.md").read_text("utf-8")) if block.kind == "console"]
    assert shown
    for block in shown:
        Session().run(Block("sh", block.text, block.line))


def test_every_format_has_its_page() -> None:
    text = "\n".join(page.read_text("utf-8") for page in PLATFORMS.glob("*.md"))
    assert not [known.name for known in formats() if f"negstats.loaders.{known.name}" not in text]
