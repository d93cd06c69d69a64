"""A folder of small files: read by one process or several, the study and what is said of it are the same."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self

import pytest

import negstats
from negstats.errors import LogError, UsageError
from negstats.loaders.files import parallel as reading
from tests.loaders import agent_logs as logs
from tests.loaders import workbooks


class Pickling:
    """Workers of this process that get and give only what other processes could."""

    def __init__(self, workers: int, **_: object) -> None:
        assert workers > 1
        self.asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def shutdown(self, **_: object) -> None: ...

    def submit(self, work: Callable[..., Any], *options: Any) -> Future[Any]:
        result: Future[Any] = Future()
        work, options = pickle.loads(pickle.dumps((work, options)))  # noqa: S301 - what we wrote
        result.set_result(pickle.loads(pickle.dumps(work(*options))))  # noqa: S301
        return result


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ProcessPoolExecutor", Pickling)
    monkeypatch.setattr(reading, "WORTH", 2)


def books(folder: Path) -> None:
    for number in range(1, 7):
        workbooks.write_log(folder, f"S00{number}")
    (folder / "raw_logs" / "notes.xlsx").write_bytes(b"")


def arena(folder: Path) -> None:
    for number in range(6):
        logs.put(
            folder, logs.negotiationarena(name=f"170281533629{number}", final=("ACCEPT", "REJECT", None)[number % 3])
        )


def deliberation(folder: Path) -> None:
    logs.put(folder, logs.llm_deliberation())
    for number in range(2, 7):
        shutil.copy(folder / "town/history1.json", folder / f"town/history{number}.json")


def tournaments(folder: Path) -> None:
    for number in range(6):
        logs.put(folder / str(number), logs.genius())


def traces(folder: Path) -> None:
    for number in range(6):
        logs.put(folder / str(number), logs.geniusweb(accept=number % 2 > 0))


def sessions(folder: Path) -> None:
    for number in range(3):
        logs.put(folder / str(number), logs.negolog())
    (folder / "notes.txt").write_text("")


MAKERS: dict[str, Callable[[Path], None]] = {
    "solver_cl": books,
    "negotiationarena": arena,
    "llm_deliberation": deliberation,
    "genius": tournaments,
    "geniusweb": traces,
    "negolog": sessions,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.usefixtures("several")
def test_workers_give_the_same_study(name: str, tmp_path: Path) -> None:
    MAKERS[name](tmp_path / "logs")
    tracked: list[list[Path]] = [[], []]
    for workers, place in ((1, 0), (3, 1)):

        def track(files: Sequence[Path], place: int = place) -> Iterable[Path]:
            for file in files:
                tracked[place].append(file)
                yield file

        study = negstats.load(tmp_path / "logs", format=name, workers=workers, track=track)
        study.save(tmp_path / f"by {workers}")
    assert (tmp_path / "by 1" / "study.json").read_bytes() == (tmp_path / "by 3" / "study.json").read_bytes()
    assert tracked[0] == tracked[1]
    assert len(tracked[0]) >= 6


def rows_of(folder: Path, files: int, damaged: int | None = None) -> Path:
    folder.mkdir()
    for number in range(files):
        offers = [{"who": "AB"[turn % 2], "mine": turn} for turn in range(3)]
        text = json.dumps(offers)
        (folder / f"game{number:03}.json").write_text(text[:-5] if number == damaged else text)
    return folder


MAPPING = """
row = "offer"
games.game_id = { file = true }
players.player = "who"
offers = { units_to_proposer = "mine", total = 10 }
"""


@pytest.mark.nightly
def test_real_processes_read_json_with_a_mapping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WORTH", 10)
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(MAPPING)
    folder = rows_of(tmp_path / "logs", 40)
    saved = [
        negstats.load(folder, mapping=mapping, workers=workers).save(tmp_path / f"by {workers}") for workers in (1, 2)
    ]
    first, second = ((folder / "study.json").read_bytes() for folder in saved)
    assert first == second
    assert len(json.loads(first)["sources"]) == 40


@pytest.mark.usefixtures("several")
def test_the_first_damaged_file_is_named_as_by_one(tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(MAPPING)
    folder = rows_of(tmp_path / "logs", 30, damaged=17)
    (folder / "game023.json").write_text("")
    values = []
    for workers in (1, 4):
        with pytest.raises(LogError) as fault:
            negstats.load(folder, mapping=mapping, workers=workers)
        values.append(str(fault.value))
    assert "game017.json" in values[0]
    assert values[0] == values[1]


def test_few_files_start_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ProcessPoolExecutor", None)
    arena(tmp_path)
    assert len(negstats.load(tmp_path, workers=8).games) == 6


def test_no_worker_is_refused(tmp_path: Path) -> None:
    arena(tmp_path)
    with pytest.raises(UsageError, match="workers is 0"):
        negstats.load(tmp_path, workers=0)
    with pytest.raises(UsageError, match="no option 'workers'"):
        negstats.load("datasets/contract_sim", format="lamen", workers=2)
