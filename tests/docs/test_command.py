"""`negstats docs`: opens the site that lies on the disk, a page of it or its search; says how to build it."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from negstats.cli import app
from negstats.cli import pages as command
from negstats.errors import UsageError


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a site with three pages, in a source tree of its own."""
    site = tmp_path / "site"
    for name in ("index.html", "searchindex.js", "start.html", "how-to/mapping.html", "which-test/index.html"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).touch()
    monkeypatch.setattr(command, "__file__", str(tmp_path / "negstats" / "cli" / "pages.py"))
    monkeypatch.chdir(tmp_path)
    return site


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("words", "page"),
    [
        ([], "index.html"),
        (["start"], "start.html"),
        (["mapping"], "how-to/mapping.html"),
        (["which-test"], "which-test/index.html"),
        (["Kenward–Roger"], "search.html?q=Kenward%E2%80%93Roger"),
    ],
)
def test_it_opens(words: list[str], page: str, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))  # type: ignore[func-returns-value]
    result = CliRunner().invoke(app, ["docs", *words])
    assert (result.exit_code, result.output) == (0, "")
    assert opened == [f"{built.as_uri()}/{page}"]


def test_without_a_browser_it_prints_the_address(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    result = CliRunner().invoke(app, ["docs"])
    assert result.output.strip() == f"{built.as_uri()}/index.html"


def test_a_wheel_may_carry_it(built: Path) -> None:
    (built.parent / "negstats").mkdir()
    built.rename(built.parent / "negstats" / "_site")
    result = CliRunner().invoke(app, ["docs", "--address"])
    assert "negstats/_site/index.html" in result.output.replace("\\", "/")


@pytest.mark.site
@pytest.mark.parametrize(("version", "carried"), [("standard", True), ("editable", False)])
def test_the_build_puts_it_there(version: str, carried: bool, built: Path) -> None:
    from docs.bundle import Bundle  # of hatchling, which the extra `dev` installs

    data: dict[str, Any] = {"force_include": {}}
    hook = Bundle(str(built.parent), {}, None, None, "", "wheel")  # type: ignore[arg-type]
    hook.initialize(version, data)
    assert data["force_include"] == ({str(built): "negstats/_site"} if carried else {})
    (built / "index.html").unlink()
    empty: dict[str, Any] = {"force_include": {}}
    hook.initialize(version, empty)
    assert empty["force_include"] == {}


def test_a_source_tree_is_enough(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "__file__", str(built.parent / "elsewhere" / "negstats" / "cli" / "pages.py"))
    with pytest.raises(UsageError, match="not been built"):
        CliRunner().invoke(app, ["docs", "--address"], catch_exceptions=False)
    (built.parent / "docs").mkdir()
    (built.parent / "docs" / "conf.py").touch()
    assert "site/index.html" in CliRunner().invoke(app, ["docs", "--address"]).output


@pytest.mark.slow
def test_without_the_site_a_page_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("how-to/mapping.md", "papers/index.md"):
        (tmp_path / "negstats" / "_docs" / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "negstats" / "_docs" / place).write_text(f"# {place}\n\n    a = 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "__file__", str(tmp_path / "negstats" / "cli" / "pages.py"))
    assert CliRunner().invoke(app, ["docs", "mapping"]).output == "# how-to/mapping.md\n\n    a = 1\n"
    assert CliRunner().invoke(app, ["docs", "papers"]).output == "# papers/index.md\n\n    a = 1\n"
    with pytest.raises(UsageError, match="not been built"):
        CliRunner().invoke(app, ["docs", "elsewhere"], catch_exceptions=False)


def test_it_says_how_to_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "__file__", str(tmp_path / "negstats" / "cli" / "pages.py"))
    with pytest.raises(UsageError, match="python -m sphinx -W -b html docs site"):
        CliRunner().invoke(app, ["docs"], catch_exceptions=False)


def test_the_printed_command_is_one_command() -> None:
    root = Path(__file__).resolve().parents[2]
    for page in ("README.md", "docs/developers/index.md"):
        assert command.BUILD in (root / page).read_text(encoding="utf-8")
