"""The folder of a project: each click leaves a file that the command line reads, and nothing is lost."""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path

import pytest

import negstats
from negstats.analysis.compare import question_plan
from negstats.analysis.plan import editing
from negstats.app.project import MAPPING, PLAN, STUDY, Project
from negstats.errors import LogError, UsageError
from negstats.loaders.mapping import read_mapping
from tests.app.conftest import decisions
from tests.shell import Shell


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "project")
    project.path("log.csv").write_text(decisions(), encoding="utf-8")
    return project


def test_a_table_leaves_its_mapping_its_study_and_a_plan(project: Project) -> None:
    opened = project.open_source("log.csv")
    assert opened.draft is not None
    assert [question.subject for question in opened.draft.questions][:1] == ["offer"]
    assert project.source() == "log.csv"
    by_commands = negstats.load(project.path("log.csv"), mapping=project.path(MAPPING))
    study = project.study()
    assert study is not None
    assert study.offers.equals(by_commands.offers)
    assert tomllib.loads(project.plan_text()) == {"title": "log", "data": {"path": STUDY}}


def test_an_answer_stays_in_the_mapping_and_the_plan_stays(project: Project) -> None:
    project.open_source("log.csv")
    project.write_plan(project.plan_text() + 'stop = "All that came."\n')
    before = project.plan_text()
    opened = project.open_source("log.csv", {"offer": "2"}, again=True)
    assert opened.messages == ()
    assert project.answers() == {"offer": "2"}
    assert [one.is_answered for one in read_mapping(project.path(MAPPING)).open][:1] == [True]
    assert project.plan_text() == before


def test_another_study_moves_the_first_aside(project: Project) -> None:
    project.open_source("log.csv")
    opened = project.open_shipped("robot")
    assert "earlier 1" in opened.messages[0]
    assert project.path("earlier 1/study/study.json").is_file()
    assert project.path(f"earlier 1/{PLAN}").is_file()
    assert len(project.study().games) == 198  # type: ignore[union-attr]


def test_what_cannot_be_read_changes_nothing(project: Project) -> None:
    project.open_source("log.csv")
    before = project.stamp(STUDY)
    project.path("poem.txt").write_text("Shall I compare thee\n", encoding="utf-8")
    project.path("nothing.csv").write_bytes(b"")
    with pytest.raises((LogError, UsageError)):
        project.open_source("nothing.csv")
    with pytest.raises(UsageError, match="not in the folder"):
        project.open_source("gone.csv")
    assert project.stamp(STUDY) == before


def test_no_upload_takes_the_name_of_what_is_there_or_of_ours(project: Project) -> None:
    assert project.fresh_name("log.csv") == "log 2.csv"
    assert project.fresh_name("other.csv") == "other.csv"
    assert project.fresh_name(PLAN) == "plan 2.toml"


def test_the_three_commands_repeat_the_study(project: Project, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    project.open_source("log.csv", {"offer": "1"})
    study = project.study()
    assert study is not None
    question = question_plan(study, "agreed", "country", path=STUDY)
    project.write_plan(editing.add_question(project.plan_text(), question, is_hypothesis=True)[0])
    monkeypatch.chdir(project.folder)
    for command in project.commands():
        code, _, errors = shell(*command.split()[1:])
        assert code == 0, errors
    project.write_script()
    archive = project.archive(project.folder.parent / "all.zip")
    names = zipfile.ZipFile(archive).namelist()
    assert {"log.csv", MAPPING, PLAN, "plan.lock", "report/report.docx", "study/study.json", "repeat.sh"} <= set(names)
    figures = project.archive(project.folder.parent / "figures.zip", figures=True)
    assert "H1.svg" in zipfile.ZipFile(figures).namelist()
