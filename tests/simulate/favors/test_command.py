"""The command `negstats simulate favors`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from negstats.cli import app
from negstats.errors import UsageError
from negstats.loaders import load
from negstats.simulate.favors import SIZES


@pytest.mark.nightly
def test_the_four_cells_by_default(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["simulate", "favors", "--out", str(tmp_path / "study"), "--seed", "3", "--json"])
    assert result.exit_code == 0
    content = json.loads(result.stdout)
    assert content["sessions"] == SIZES
    study = load(tmp_path / "study")
    assert study.games["session"].nunique() == 167
    assert "sessions: 38 favor-seeking" in study.provenance.notes[1]
    again = CliRunner().invoke(app, ["simulate", "favors", "--out", str(tmp_path / "again"), "--seed", "3", "--json"])
    for file in (tmp_path / "study").iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()
    assert json.loads(again.stdout) | {"study": ""} == content | {"study": ""}


@pytest.mark.nightly
def test_one_condition_with_its_log(tmp_path: Path) -> None:
    study, log = tmp_path / "study", tmp_path / "log.jsonl"
    words = ["simulate", "favors", "--condition", "grim", "--games", "4", "--out", str(study), "--log", str(log)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert "4 simulated sessions (4 grim); nobody took part" in result.stdout
    assert "full_exchange" in result.stdout
    assert load(log).games["game_id"].tolist() == load(study).games["game_id"].tolist()


def test_an_unknown_condition_is_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["simulate", "favors", "--condition", "kind", "--out", str(tmp_path / "study")])
    assert isinstance(result.exception, UsageError)
    assert "there are favor-seeking, betraying" in str(result.exception)
    assert not (tmp_path / "study").exists()
