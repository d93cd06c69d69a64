"""`negstats simulate dealornodeal`: the study, the log and the agents that it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal
from typer.testing import CliRunner

import negstats
from negstats.cli import app
from negstats.errors import UsageError
from negstats.simulate.dealornodeal import agents_with_people, as_study, load_design
from tests.conftest import ROOT

AGENTS = str(ROOT / "datasets" / "dealornodeal_agents" / "agents.toml")


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["simulate", "dealornodeal", *words], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.nightly
def test_what_it_writes(tmp_path: Path) -> None:
    out, log = tmp_path / "study", tmp_path / "log.jsonl"
    text = run("--agents", AGENTS, "--games", "12", "--seed", "3", "--out", str(out), "--log", str(log))
    assert "72 simulated dialogues; simulated acts, not the paper's bots, and nobody took part" in text
    expected = as_study(agents_with_people(load_design(AGENTS), 3, games=12))
    for name, frame in expected.tables.items():
        assert_frame_equal(negstats.load(out).tables[name], frame)
        assert_frame_equal(negstats.load(log).tables[name], frame)


@pytest.mark.nightly
def test_sizes_are_the_printed_ones_and_json_says_what_it_is(tmp_path: Path) -> None:
    content = json.loads(run("--agents", AGENTS, "--out", str(tmp_path / "study"), "--json"))
    assert content["games"] == 583
    assert content["note"] == "simulated acts, not the paper's bots"
    assert [row["n"] for row in content["outcomes"]] == [97, 100, 97, 96, 90, 103]


@pytest.mark.nightly
def test_agents_with_each_other(tmp_path: Path) -> None:
    words = ["--agents", AGENTS, "--against", "agents", "--games", "4", "--out", str(tmp_path / "study"), "--json"]
    content = json.loads(run(*words))
    assert len(content["outcomes"]) == 49
    assert content["games"] == 196


@pytest.mark.nightly
def test_trained_and_kept_agents_play_again(tmp_path: Path) -> None:
    agents_file, words = tmp_path / "agents.toml", ["--games", "10", "--seed", "2", "--easy", "0.1"]
    run(*words, "--keep", str(agents_file), "--out", str(tmp_path / "one"), "--log", str(tmp_path / "one.jsonl"))
    run(*words, "--agents", str(agents_file), "--out", str(tmp_path / "two"), "--log", str(tmp_path / "two.jsonl"))
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert "easy = 0.1" in agents_file.read_text(encoding="utf-8")


@pytest.mark.nightly(keep=2)
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--seed", "-1"], "seed is -1"),
        (["--games", "1"], "games 1"),
        (["--easy", "1.5"], r"easy is 1\.5"),
        (["--agents", "none.toml"], "is not there"),
        (["--agents", AGENTS, "--keep", "x.toml"], "has nothing to write"),
    ],
)
def test_what_it_refuses(words: list[str], reason: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=reason):
        run(*words, "--out", str(tmp_path / "study"))
