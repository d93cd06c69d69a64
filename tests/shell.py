"""The command line in this process: a command costs its work, and no start of Python."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from negstats.cli import main


class Shell:
    """Run the command line in this process; returns exit code, output and error text."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        self.monkeypatch.setattr(sys, "argv", ["negstats", *words])
        self.monkeypatch.setenv("COLUMNS", "160")
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = self.capsys.readouterr()
        return int(stop.value.code or 0), out, err

    def json(self, *words: str) -> Any:
        code, out, err = self(*words, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)
