"""What damaged logs once did to a loader: each fault once more, by name, so that it stays repaired."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import negstats
from negstats.errors import LogError
from tests.conftest import ROOT
from tests.robustness import seeds

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
