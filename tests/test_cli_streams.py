"""What a command does when its output or input is gone: one line and an exit code, never a traceback."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

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
