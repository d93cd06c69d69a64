"""Damaged logs and killed writers give a study that holds what is there, or one clear error; each fault has a name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import negstats
from negstats.errors import LogError
from negstats.loaders import formats
from tests.conftest import ROOT
from tests.robustness import seeds
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


EVENT_LOGS = ("contract", "favors", "dominance", "dealornodeal_acts", "rulesheet")


def first_file(log: seeds.Log, folder: Path) -> tuple[Path, bytes]:
    """Write a log's files; return the first and what it holds."""
    for name, data in log.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    name, data = next(iter(log.files.items()))
    return folder / name, data


def events_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines() if line.strip()]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", EVENT_LOGS)
def test_a_field_that_nobody_knows_is_refused_in_each_kind_of_event(name: str, tmp_path: Path) -> None:
    file, data = first_file(seeds.SEEDS[name](), tmp_path)
    events = events_of(data)
    for kind in dict.fromkeys(event["event"] for event in events):
        place = next(place for place, event in enumerate(events) if event["event"] == kind)
        changed = [event | {"surprise": 1} if at == place else event for at, event in enumerate(events)]
        file.write_text("\n".join(map(json.dumps, changed)))
        with pytest.raises(LogError, match="surprise"):
            negstats.load(file)


def test_a_whole_number_beyond_64_bits_is_no_traceback(tmp_path: Path) -> None:
    file, data = first_file(seeds.SEEDS["contract"](), tmp_path)
    events = events_of(data)
    offer = next(event for event in events if event["event"] == "offer")
    offer["round"] = 2**70
    file.write_text("\n".join(map(json.dumps, events)))
    with pytest.raises(LogError, match="round"):
        negstats.load(file)


def test_json_nested_beyond_any_stack_is_refused(tmp_path: Path) -> None:
    file, mapping = tmp_path / "log.json", tmp_path / "mapping.toml"
    file.write_text('[{"game": ' + "[" * 100_000 + "]" * 100_000 + "}]")
    mapping.write_text(seeds.MAPPING)
    with pytest.raises(LogError):
        negstats.load(file, mapping=mapping)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file, data = first_file(seeds.SEEDS["casino"](), tmp_path)
    file.write_bytes(data.replace(b'"text": "', b'"text": "\xff', 1) if b'"text": "' in data else data[:-5] + b"\xff")
    with pytest.raises(LogError, match=file.name):
        negstats.load(file)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")
@pytest.mark.parametrize("there", [False, True], ids=["a new study", "in the place of one"])
def test_a_file_system_without_room_leaves_the_old_study_whole(there: bool, tmp_path: Path) -> None:
    """No file may grow beyond 6 kB, as on a disk that is full: one line, exit code 2, nothing half written."""
    out = tmp_path / "study"
    code = """
import resource, signal, sys
import negstats
study, out = negstats.load("datasets/sample"), sys.argv[1]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
try:
    study.save(out)
except negstats.UsageError as error:
    print(error)
    sys.exit(2)
"""
    if there:
        negstats.load(ROOT / "datasets" / "sample").save(out)
    before = {file.name: file.read_bytes() for file in out.iterdir()} if there else None
    words = [sys.executable, "-c", code, str(out)]
    process = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert process.returncode == 2, process.stderr
    assert process.stdout.count("\n") == 1
    assert str(out) in process.stdout
    after = {file.name: file.read_bytes() for file in out.iterdir()} if out.exists() else None
    assert after == before
    assert [path.name for path in tmp_path.iterdir()] == (["study"] if there else [])
