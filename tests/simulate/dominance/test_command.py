"""``negstats simulate dominance``: the study and the log that it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

import negstats
from negstats.cli import main
from negstats.simulate.dominance import as_study, talks_of, write_log


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["negstats", "simulate", "dominance", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


@pytest.mark.nightly
def test_a_study_and_its_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out, log = tmp_path / "study", tmp_path / "log.jsonl"
    words = ["--relations", "dominant", "submissive", "--games", "20", "--seed", "3"]
    code, text, _ = run(monkeypatch, capsys, *words, "--out", str(out), "--log", str(log))
    assert code == 0
    assert "nobody took part" in text
    played = talks_of("dominant", "submissive", talks=20, seed=3)
    for name, frame in as_study(played).tables.items():
        assert_frame_equal(negstats.load(out).tables[name], frame)
        assert_frame_equal(negstats.load(log).tables[name], frame)
    write_log(tmp_path / "again.jsonl", played)
    assert (tmp_path / "again.jsonl").read_bytes() == log.read_bytes()


@pytest.mark.nightly
def test_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--relations", "peer", "dominant", "--games", "10", "--lapse", "0.1", "--opener", "B"]
    code, text, _ = run(monkeypatch, capsys, *words, "--out", str(tmp_path / "study"), "--json")
    content = json.loads(text)
    assert code == 0
    assert sum(row["n"] for row in content["ends"]) == content["talks"] == 10
    assert {row["player"]: row["concessions"] for row in content["seats"]} == {"A": 0, "B": 0}
    study = negstats.load(tmp_path / "study")
    assert study.games["opener"].unique().tolist() == ["B"]
    assert study.players["kind"].tolist() == ["agent", "human"] * 10


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--relations", "peer", "boss"], "relation is 'boss'; there are dominant, peer, submissive"),
        (["--relations", "peer", "peer", "--opener", "C"], "--opener is 'C'"),
        (["--relations", "peer", "peer", "--games", "0"], "games is 0"),
        (["--relations", "peer", "peer", "--lapse", "2"], "lapse is 2.0"),
    ],
)
def test_bad_input_gives_one_line_and_exit_code_2(
    words: list[str],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    code, _, err = run(monkeypatch, capsys, *words, "--out", str(tmp_path / "study"))
    assert code == 2
    assert reason in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "study").exists()
