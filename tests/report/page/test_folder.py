"""The folder of a report: all of it or nothing, the same bytes, never over what is somebody else's."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import docx
import pytest

from negstats import files
from negstats.errors import UsageError
from negstats.report import folder as folders
from negstats.report import write
from tests.report.page.reports import bare, synthetic, two_groups


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(
        two_groups(synthetic(30)), tmp_path_factory.mktemp("reports") / "report", beside={"plan.toml": b"plan"}
    )


@pytest.mark.slow
def test_what_a_report_holds(made: Path) -> None:
    names = set(contents(made))
    assert {"report.html", "report.docx", "report.tex", "results.json", "plan.toml"} <= names
    for figure in ("H1", "E1", "appendix.residuals"):
        assert {f"figures/{figure}.{ending}" for ending in ("svg", "pdf", "png", "csv")} <= names
    assert json.loads((made / "results.json").read_bytes())["schema"] == "negstats.results/1"


@pytest.mark.slow
def test_the_same_report_gives_the_same_bytes(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    again = write(two_groups(synthetic(30)), tmp_path / "elsewhere" / "other name", beside={"plan.toml": b"plan"})
    assert contents(again) == contents(made)


@pytest.mark.slow
def test_a_report_takes_the_place_of_a_report(tmp_path: Path) -> None:
    target = write(bare(16), tmp_path / "report", beside={"plan.toml": b"plan"})
    write(bare(18), target)
    assert "game 00018" in (target / "report.html").read_text(encoding="utf-8")
    assert "plan.toml" not in contents(target)
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report.docx", "supplement.docx", "report.tex"])
def test_a_manuscript_that_was_edited_stays(name: str, tmp_path: Path) -> None:
    target = write(bare(16), tmp_path / "report")
    with (target / name).open("ab") as file:
        file.write(b"mine")
    before = contents(target)
    with pytest.raises(UsageError, match=f"{name} was edited and would be lost; give a new folder"):
        write(bare(18), target)
    assert contents(target) == before
    (target / name).unlink()
    write(bare(18), target)
    assert name in contents(target)


@pytest.mark.slow
@pytest.mark.parametrize(
    "there", ["a file", "an empty folder", "a folder of somebody", "other results", "a link inside"]
)
def test_what_is_not_ours_stays(made: Path, tmp_path: Path, there: str) -> None:
    target = tmp_path / "report"
    if there == "a file":
        target.write_text("mine")
    else:
        target.mkdir()
    if there == "a folder of somebody":
        (target / "thesis.docx").write_text("mine")
    if there == "other results":
        (target / "results.json").write_text('{"schema": "else"}')
    if there == "a link inside":
        (target / "results.json").symlink_to(made / "results.json")
    before = sorted(path.name for path in target.iterdir()) if target.is_dir() else target.read_text()
    with pytest.raises(UsageError, match="exists and is not a report of negstats; give a new folder"):
        write(bare(10), target)
    assert (sorted(path.name for path in target.iterdir()) if target.is_dir() else target.read_text()) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["notes.txt", "figures/mine.tiff", "report_games/0000.js/x", "figures/H1.backup.svg.bak"]
)
def test_a_report_with_files_of_somebody_stays(tmp_path: Path, name: str) -> None:
    target = write(bare(10), tmp_path / "report")
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    (target / name).write_text("mine")
    before = contents(target)
    with pytest.raises(UsageError, match="files in it that negstats did not write"):
        write(bare(12), target)
    assert contents(target) == before


@pytest.mark.slow
def test_a_failure_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = write(bare(10), tmp_path / "report")
    before = contents(target)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders, "write_word", full)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        write(bare(12), target)
    assert contents(target) == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.slow
def test_where_folders_cannot_be_exchanged_the_old_one_steps_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = write(bare(10), tmp_path / "report")
    monkeypatch.setattr(files, "exchange", lambda *_: False)
    write(bare(12), target)
    assert "game 00012" in (target / "report.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_file_beside_has_a_name_that_a_report_has(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"beside names '\.\./x'"):
        write(bare(10), tmp_path / "report", beside={"../x": b""})


def test_word_says_what_the_page_says(made: Path) -> None:
    document = docx.Document(str(made / "report.docx"))
    text = "\n".join(paragraph.text for paragraph in document.paragraphs).replace("\u00a0", " ")
    page = re.sub(r"<[^>]+>", "", (made / "report.html").read_text("utf-8")).replace("\u00a0", " ")
    results = json.loads((made / "results.json").read_bytes())
    for entry in results["questions"]:
        for test in entry["tests"]:
            statistic = test["apa"].partition(", p")[0]
            assert statistic in text
            assert statistic in page
    supplement = docx.Document(str(made / "supplement.docx"))
    assert (len(document.inline_shapes), len(supplement.inline_shapes)) == (0, 1)  # two means need no figure
    assert document.core_properties.modified is not None
    assert document.core_properties.modified.year == 1980


def test_a_policy_names_the_page_s_own_script_and_style(made: Path) -> None:
    import base64
    import hashlib

    page = (made / "report.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    for tag in ("style", "script"):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", page, flags=re.DOTALL)
        assert text is not None
        digest = base64.b64encode(hashlib.sha256(text[1].encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy[1] or f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src &#39;none&#39;")
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert "unsafe" not in policy[1]


def test_the_script_stays_short() -> None:
    page = Path(folders.__file__).parent / "page"
    assert len((page / "page.js").read_text(encoding="utf-8").splitlines()) <= 300
    assert "innerHTML" not in (page / "page.js").read_text(encoding="utf-8")
