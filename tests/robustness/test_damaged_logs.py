"""Damaged logs give a study that holds what they hold, or one clear error; new ones are tried each night."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from negstats.loaders import formats
from tests.conftest import ROOT
from tests.robustness.running import GOOD
from tests.robustness.seeds import SEEDS

CASES = 400


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes part and are measured as on Linux")
def test_no_traceback_no_silent_change_no_hang() -> None:
    words = [sys.executable, "-m", "tests.robustness", "1", str(CASES)]
    process = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert process.returncode == 0, process.stdout[-5000:] + process.stderr[-2000:]
    assert f"{CASES} cases, 0 failures" in process.stdout


@pytest.mark.slow
def test_every_format_is_damaged() -> None:
    tried = {make().loader for make in SEEDS.values()}
    assert tried == {*(known.name for known in formats()), "mapping", "study"}


@pytest.mark.nightly
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_the_oracle_notices_what_is_lost() -> None:
    """A loader that drops a game, one that raises, one that never ends: each is found, with its number."""
    code = """
from dataclasses import replace
from negstats.loaders import contract
from tests.robustness import running
from tests.robustness.seeds import SEEDS

running.damaged = lambda rng, log: (dict(log.files), "nothing")
sound = running._loaded

def loaded(log, place, root, *, guessed):
    if number == 0:
        study = sound(log, place, root, guessed=guessed)
        return replace(study, offers=study.offers.iloc[1:].reset_index(drop=True), items=study.items.iloc[:0])
    if number == 1:
        raise KeyError("game")
    while number == 2:
        pass
    if number == 3:
        kept = bytearray(running.MEMORY + 1)
        kept[::4096] = b"x" * len(kept[::4096])
    return sound(log, place, root, guessed=guessed)

running._loaded = loaded
running._tricked = lambda rng, place: ""
for number in range(5):  # each case is run by a child, which has the number of its start
    running.SECONDS = 0.3 if number == 2 else 5.0
    print(*(found.end for found in running.run(1, range(2), only="contract")), flush=True)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    expected = ["silent", "traceback", "hang", "memory", "whole"]
    assert [line.split() for line in process.stdout.splitlines()] == [[end, end] for end in expected]


@pytest.mark.nightly
def test_an_undamaged_log_is_whole() -> None:
    words = "from tests.robustness import running as r\n" + (
        "r.damaged = lambda rng, log: (dict(log.files), '')\nr._tricked = lambda rng, place: ''\n"
        "print(*(found.end for found in r.run(1, range(30))), sep='\\n')"
    )
    process = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True, cwd=ROOT)
    ends = Counter(process.stdout.split("\n")[:-1])
    assert set(ends) <= set(GOOD) - {"refused", "unjudged"}, ends
    assert sum(ends.values()) == 30
