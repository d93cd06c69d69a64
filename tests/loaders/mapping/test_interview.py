"""`negstats map --interactive`: open questions with their evidence, three games after each; a mapping, or nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rich.prompt import Prompt
from typer.testing import CliRunner

from negstats.cli import app
from negstats.loaders.mapping import read, read_mapping
from negstats.studies.study import Study

ENTER = ""


def decisions() -> str:
    """Return a log of amounts and answers in which nothing says who of the two the person is."""
    rng = np.random.default_rng(6)
    lines = ["subject,trial,offer,choice,country"]
    for person in range(8):
        for trial in range(1, 7):
            offer = int(rng.integers(0, 9))
            choice = int(offer + rng.integers(-2, 3) > 4)
            lines.append(f"s{person},{trial},{offer},{choice},{('IL', 'US')[person % 2]}")
    return "\n".join(lines) + "\n"


def asked(folder: Path, answers: list[str], log: str | None = None) -> tuple[int, str, Path]:
    file, out = folder / "log.csv", folder / "mapping.toml"
    file.write_text(log or decisions(), encoding="utf-8")
    given = "".join(f"{answer}\n" for answer in answers)
    result = CliRunner().invoke(app, ["map", str(file), "--interactive", "--out", str(out)], input=given)
    return result.exit_code, result.output, out


def study_of(folder: Path) -> Study:
    return read(folder / "log.csv", read_mapping(folder / "mapping.toml"))


def test_the_likely_answer_is_taken_by_enter(tmp_path: Path) -> None:
    code, output, out = asked(tmp_path, [ENTER])
    assert code == 0, output
    assert "Who offers what to whom?" in output
    assert "rho = " in output  # the evidence
    assert "answer = [1]" in out.read_text(encoding="utf-8")
    assert set(study_of(tmp_path).offers["proposer"]) == {"proposer"}
    assert output.count("in all 48 games") == 2  # before the question and after its answer


def test_another_answer_changes_what_is_read(tmp_path: Path) -> None:
    code, output, _ = asked(tmp_path, ["2"])
    assert code == 0, output
    study = study_of(tmp_path)
    people = study.players[study.players["participant_id"].notna()]
    assert set(people["player"]) == {"proposer"}


def test_back_takes_an_answer_back(tmp_path: Path) -> None:
    log = decisions().replace("s3,2,", "s3,2,99", 1)  # a number far from the others, which is asked about too
    code, output, out = asked(tmp_path, ["2", "<", "1", ENTER, ENTER], log)
    assert code == 0, output
    assert output.count("Who offers what to whom?") == 2
    assert "answer = [1]" in out.read_text(encoding="utf-8")


def test_what_is_no_answer_is_asked_again(tmp_path: Path) -> None:
    code, output, _ = asked(tmp_path, ["7", "a person", "1"])
    assert code == 0, output
    words = " ".join(output.split())
    assert "'7' is no option" in words
    assert "'a person' is no option" in words


def test_the_columns_are_listed(tmp_path: Path) -> None:
    assert "Columns: subject, trial, offer, choice, country" in asked(tmp_path, ["?", ENTER])[1]


def test_the_end_of_the_input_leaves_nothing(tmp_path: Path) -> None:
    code, output, _ = asked(tmp_path, [])
    assert code == 1
    assert "stopped: nothing is written" in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.csv"]


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Prompt, "ask", interrupt)
    code, output, _ = asked(tmp_path, [])
    assert code == 1
    assert "stopped: nothing is written" in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.csv"]


def test_a_mapping_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "mapping.toml").write_text("mine")
    assert asked(tmp_path, [ENTER])[0] != 0
    assert (tmp_path / "mapping.toml").read_text() == "mine"
