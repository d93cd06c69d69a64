"""Numbers of the Word file as fields: what they are called, and a manuscript that takes the numbers of a new run."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import pytest

from negstats import datasets
from negstats.analysis import run
from negstats.analysis.plan.parse import parse
from negstats.errors import UsageError
from negstats.report.fields import Fields, update_manuscript
from negstats.report.results_section import words_of
from negstats.report.word import write_word

PLAN = """
leave_out = [{ column = "games.session", value = "Demo", reason = "practice" }]
factors.condition.levels = ["CL", "FC"]
[questions.H1]
asks = "Does the robot earn more in CL than in FC?"
measure = "points"
who = "agent"
by = "condition"
predicts = "CL > FC"
"""


def report_of(shift: float = 0.0) -> Any:
    """The robot study, the robot's points in FC moved by `shift`."""
    study = datasets.robot()
    players = study.players.merge(study.games[["game_id", "condition"]], on="game_id", how="left")
    moved = (players["kind"] == "agent") & (players["condition"] == "FC")
    points = study.players["points"].to_numpy().copy()
    points[moved.to_numpy()] += shift
    return run(parse(PLAN), replace(study, players=study.players.assign(points=points)))


@pytest.fixture(scope="module")
def report() -> Any:
    return report_of()


@pytest.fixture
def manuscript(report: Any, tmp_path: Path) -> Path:
    words = words_of(report)
    path = tmp_path / "manuscript.docx"
    write_word(words, Fields(report.results, words), tmp_path, path)
    return path


def text_of(path: Path) -> str:
    return "\n".join(one.text for one in docx.Document(str(path)).paragraphs).replace("\u00a0", " ")


@pytest.mark.slow
def test_a_field_is_named_by_question_and_number(report: Any) -> None:
    texts = Fields(report.results, words_of(report)).texts
    assert {name: texts[name] for name in ("H1_statistic", "H1_CL_mean", "H1_estimate_low")} == {
        "H1_statistic": "2.46", "H1_CL_mean": "0.750", "H1_estimate_low": "0.004",
    }  # fmt: skip
    assert (texts["H1_p_sign"], texts["H1_p"]) == ("=", ".017")
    assert texts["H1_verdict"] == "supported"


@pytest.mark.slow
def test_a_manuscript_takes_the_numbers_of_a_new_run_and_keeps_the_author_s_words(manuscript: Path) -> None:
    document = docx.Document(str(manuscript))
    document.add_paragraph("A sentence of the author with t(65) = 2.46.")
    document.save(str(manuscript))
    new = report_of(0.05)
    done = update_manuscript(manuscript, Fields(new.results, words_of(new)).texts)
    text = text_of(manuscript)
    t = new.results["questions"][0]["tests"][0]["statistic"]
    assert f"t(65) = {t:.2f}".replace("-", "−") in text
    assert "A sentence of the author with t(65) = 2.46." in text
    assert done.changed["H1_FC_mean"] == ("0.728", "0.778")
    assert done.verdicts == {"H1": ("supported", "not supported; significant in the opposite direction")}
    assert "H1: the verdict was “supported” and is “not supported" in "\n".join(done.lines())
    again = update_manuscript(manuscript, Fields(new.results, words_of(new)).texts)
    assert (dict(again.changed), dict(again.verdicts)) == ({}, {})


@pytest.mark.slow
def test_the_same_numbers_change_nothing_but_say_so(report: Any, manuscript: Path) -> None:
    before = text_of(manuscript)
    done = update_manuscript(manuscript, Fields(report.results, words_of(report)).texts)
    assert not done.changed
    assert not done.unknown
    assert done.same > 20
    assert text_of(manuscript) == before


@pytest.mark.slow
def test_a_field_that_the_results_do_not_have_is_left_and_named(report: Any, manuscript: Path) -> None:
    texts = {name: text for name, text in Fields(report.results, words_of(report)).texts.items() if "ranks" not in name}
    done = update_manuscript(manuscript, texts)
    assert "H1_ranks_p" in done.unknown
    assert "z = 2.15" in text_of(manuscript)


def test_what_is_no_manuscript_of_ours_is_refused_and_left(tmp_path: Path) -> None:
    path = tmp_path / "notes.docx"
    path.write_bytes(b"no archive")
    with pytest.raises(UsageError, match="is not a Word file that can be read"):
        update_manuscript(path, {})
    assert path.read_bytes() == b"no archive"
    document = docx.Document()
    document.add_paragraph("Nothing of ours.")
    document.save(str(path))
    with pytest.raises(UsageError, match="has no field of a report"):
        update_manuscript(path, {"H1_p": ".5"})
    with zipfile.ZipFile(tmp_path / "empty.docx", "w"):
        pass
    with pytest.raises(UsageError, match="has no field"):
        update_manuscript(tmp_path / "empty.docx", {})


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="no LibreOffice here")
def test_a_manuscript_saved_by_libreoffice_is_updated_too(manuscript: Path, tmp_path: Path) -> None:
    office = str(shutil.which("soffice"))
    command = [office, "--headless", "--convert-to", "docx:MS Word 2007 XML", "--outdir", str(tmp_path / "saved")]
    subprocess.run([*command, str(manuscript)], check=True, capture_output=True, timeout=180)
    saved = tmp_path / "saved" / manuscript.name
    new = report_of(0.05)
    done = update_manuscript(saved, Fields(new.results, words_of(new)).texts)
    assert done.changed["H1_FC_mean"] == ("0.728", "0.778")
    assert "M = 0.778" in text_of(saved)
