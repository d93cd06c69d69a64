"""What a command does when its output or input is gone: one line and an exit code, never a traceback."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from negstats.cli.shared import wrapped

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and closed streams of a Unix shell"),
]
COMMAND = f"{shlex.quote(sys.executable)} -m negstats"


def bash(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/bash", "-c", script], capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("words", ["describe datasets/robot/study", "data list"])
def test_a_reader_that_goes_away_ends_the_command_by_its_signal(words: str) -> None:
    done = bash(f"{COMMAND} {words} | true; echo ${{PIPESTATUS[0]}}")
    assert done.stdout.strip() in ("141", "0")  # 0 where all was written before the reader had gone
    assert done.stderr == ""
    assert bash(f"({COMMAND} {words}; echo $? >&2) | true").stderr.strip() in ("141", "0")


def test_a_closed_output_is_told_in_one_line() -> None:
    done = bash(f"{COMMAND} data list >&-")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["negstats: the standard output is closed; give it a place, such as > /dev/null"]


def test_an_error_is_wrapped_at_words_and_breaks_no_path_and_no_command() -> None:
    command = 'negstats map "my logs/pilot study.csv" --answer row=2 > mapping.toml'
    path = "my logs/pilot study.csv"
    whole = f"negstats: {path}: it is open who took part in it; to answer: {command}, and load it"
    printed = wrapped(whole, 40, [path])
    assert path in printed.splitlines()[0]
    assert any(command in each for each in printed.splitlines())
    assert all(len(each) <= 40 for each in printed.splitlines() if command not in each)
    assert printed.replace("\n", " ") == whole


def test_an_error_in_a_terminal_is_as_wide_as_the_terminal(tmp_path: Path) -> None:
    import pty

    (tmp_path / "no log of any platform at all.md").write_text("nothing")
    words = [sys.executable, "-m", "negstats", "load", "no log of any platform at all.md", "--out", "study"]
    terminal, end = pty.openpty()
    done = subprocess.run(words, stderr=end, cwd=tmp_path, env=os.environ | {"COLUMNS": "60"}, timeout=300, check=False)
    printed = os.read(terminal, 1 << 16)
    assert done.returncode == 2
    lines = printed.decode().splitlines()
    assert lines[0].startswith("negstats: no log of any platform at all.md: is not an export")
    assert max(map(len, lines)) <= 80  # a name of a file that is given whole in the list of platforms
    assert max(map(len, lines[:4])) <= 60
