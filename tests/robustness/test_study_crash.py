"""A writer that is killed at any moment leaves the old study or the new one, and nothing that the next save keeps."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
@pytest.mark.parametrize("way", ["exchanged", "pointed to"])
def test_killed_at_any_step_the_study_is_whole(way: str) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "tests.robustness.killed_writers", way],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    steps = [line.split() for line in process.stdout.splitlines()]
    *killed, last = steps
    assert last[1:3] == ["0", "b"]
    assert len(killed) >= 20  # eight tables, their card, the renames, the removal of the old
    assert {step[1] for step in killed} == {"-9"}
    marks = [step[2] for step in killed]
    assert marks == sorted(marks)  # the old study up to one step, the new one from there
    assert set(marks) == {"a", "b"}
    assert {step[4] for step in steps} == {"True"}  # each leftover was named
    assert {step[5] for step in steps} == {"True"}  # and cleared
    assert {step[6] for step in steps} == {"c"}
