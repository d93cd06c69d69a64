"""The folder of a project: each click leaves a file that the command line reads, and nothing is lost."""

from __future__ import annotations

import time
import tomllib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import negstats
from negstats.analysis.compare import ask, question_plan
from negstats.analysis.plan import editing
from negstats.app.plan_run import STOPPED, PlanRun
from negstats.app.project import MAPPING, PLAN, REPORT, STUDY, Project, Projects
from negstats.errors import LogError, UsageError
from negstats.loaders.mapping import read_mapping
from tests.app.conftest import decisions
from tests.shell import Shell


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "project")
    project.path("log.csv").write_text(decisions(), encoding="utf-8")
    return project


@pytest.mark.slow
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


@pytest.mark.slow
def test_an_answer_stays_in_the_mapping_and_the_plan_stays(project: Project) -> None:
    project.open_source("log.csv")
    project.write_plan(project.plan_text() + 'stop = "All that came."\n')
    before = project.plan_text()
    opened = project.open_source("log.csv", {"offer": "2"}, again=True)
    assert opened.messages == ()
    assert project.answers() == {"offer": "2"}
    assert [one.is_answered for one in read_mapping(project.path(MAPPING)).open][:1] == [True]
    assert project.plan_text() == before


@pytest.mark.slow
def test_another_study_moves_the_first_aside(project: Project) -> None:
    project.open_source("log.csv")
    opened = project.open_shipped("robot")
    assert "earlier 1" in opened.messages[0]
    assert project.path("earlier 1/study/study.json").is_file()
    assert project.path(f"earlier 1/{PLAN}").is_file()
    assert len(project.study().games) == 198  # type: ignore[union-attr]


@pytest.mark.slow
def test_what_cannot_be_read_changes_nothing(project: Project) -> None:
    project.open_source("log.csv")
    before = project.stamp(STUDY)
    project.path("poem.txt").write_text("Shall I compare thee\n", encoding="utf-8")
    project.path("nothing.csv").write_bytes(b"")
    with pytest.raises((LogError, UsageError)) as refusal:
        project.open_source("nothing.csv")
    assert project.shorten(str(refusal.value)).startswith("nothing.csv: ")
    with pytest.raises(UsageError, match="not in the folder"):
        project.open_source("gone.csv")
    assert project.stamp(STUDY) == before


def test_no_upload_takes_the_name_of_what_is_there_or_of_ours(project: Project) -> None:
    assert project.fresh_name("log.csv") == "log 2.csv"
    assert project.fresh_name("other.csv") == "other.csv"
    assert project.fresh_name(PLAN) == "plan 2.toml"


@pytest.mark.slow
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


@pytest.mark.slow
def test_only_the_answer_is_computed_first_and_it_is_that_of_the_whole(project: Project) -> None:
    project.open_source("log.csv", {"offer": "1"})
    study = project.study()
    assert study is not None
    first, text = ask(study, "agreed", "country", answers_only=True)
    whole, whole_text = ask(study, "agreed", "country")
    assert text == whole_text
    roles = [test["role"] for test in whole.entry["tests"]]
    assert "beside" in roles
    assert first.entry["tests"] == [test for test in whole.entry["tests"] if test["role"] == "answer"]


@pytest.mark.nightly
def test_a_run_that_is_stopped_leaves_the_report_that_was_there(project: Project) -> None:
    project.open_source("log.csv", {"offer": "1"})
    study = project.study()
    assert study is not None
    question = question_plan(study, "first_amount", "country", path=STUDY)
    project.write_plan(editing.add_question(project.plan_text(), question, is_hypothesis=False)[0])
    first = PlanRun()
    assert first.run(project.folder) == ""
    assert first.steps > 3
    report = project.path(REPORT)
    before = {path.name: path.read_bytes() for path in report.iterdir() if path.is_file()}
    for step in (0, 1, first.steps - 1):  # as the process starts, as it reads the plan, and as it writes files
        run = PlanRun()
        with ThreadPoolExecutor(1) as pool:
            problem = pool.submit(run.run, project.folder)
            while run.steps < step and not problem.done():
                time.sleep(0.005)
            run.stop()
            assert problem.result(30) == STOPPED
        assert {path.name: path.read_bytes() for path in report.iterdir() if path.is_file()} == before
        assert not [path.name for path in project.folder.iterdir() if path.name.startswith(".")]
    project.write_plan("[questions.H1\n")
    assert "plan.toml" in PlanRun().run(project.folder)


@pytest.mark.slow
def test_earlier_projects_are_listed_and_no_other_folder_is_opened(project: Project, tmp_path: Path) -> None:
    project.open_shipped("robot")
    projects = Projects(project)
    assert projects.earlier() == []
    project.open_source("log.csv")  # the robot study is set aside
    other = Projects(Project(tmp_path / "other"))
    assert other.earlier() == [project.folder]
    with pytest.raises(UsageError, match="not where it was"):
        other.move_to(str(tmp_path))
    other.move_to(str(project.folder))
    assert other.current.folder == project.folder
    assert other.earlier() == [project.path("earlier 1")]
    other.move_to(str(project.path("earlier 1")))
    assert len(other.current.study().games) == 198  # type: ignore[union-attr]
    next(path for path in (tmp_path / "state").rglob("projects.json")).write_text("{broken", encoding="utf-8")
    assert Projects(Project(tmp_path / "third")).earlier() == []
