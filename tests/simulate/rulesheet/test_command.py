"""`negstats simulate` of a rule sheet: what it writes and prints, and what it refuses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import negstats
from negstats.cli import main
from negstats.games.rulesheet import sheet


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Run the command in this process; returns the exit code."""
    monkeypatch.setattr(sys, "argv", ["negstats", "simulate", *words])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    sheet_file = tmp_path / "prisoners.kif"
    sheet_file.write_text(sheet.negotiating_prisoners(3))
    return sheet_file


@pytest.mark.nightly
def test_it_writes_a_study_and_a_log(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, log = tmp_path / "out", tmp_path / "log.jsonl"
    words = [str(file), "--games", "3", "--player", "a1=own_payoff:last", "--player", "a2=own_payoff"]
    assert run(monkeypatch, *words, "--out", str(out), "--log", str(log)) == 0
    printed = capsys.readouterr().out
    assert "3 simulated games of prisoners.kif (a1 own_payoff:last, a2 own_payoff); nobody took part" in printed
    assert "agreement" in printed
    study = negstats.load(out)
    assert study.players["points"].tolist() == [8] * 6
    assert study.provenance.notes[0] == "synthetic: made by negstats simulate sheet; nobody took part"
    assert negstats.load(log).games["protocol"].tolist() == ["prisoners"] * 3


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("(role a", [], "prisoners, line 1, word '(': this bracket is never closed"),
        (None, ["--player", "a1=random"], "role a2 has no player"),
        (None, ["--player", "a1=random", "--player", "a2"], "--player is 'a2'; give ROLE=NAME"),
        (None, ["--player", "luck"], "player 'luck' is not known"),
        (None, ["--games", "0"], "games is 0"),
        (b"\xff\xfe\x00", [], "is not UTF-8 text"),
    ],
)
def test_bad_input_gives_one_line(
    text: str | bytes | None,
    words: list[str],
    message: str,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert run(monkeypatch, str(file), *words, "--out", str(tmp_path / "out")) == 2
    result = capsys.readouterr()
    assert result.out == ""
    assert message in result.err
    assert result.err.count("\n") == 1
    assert not (tmp_path / "out").exists()
