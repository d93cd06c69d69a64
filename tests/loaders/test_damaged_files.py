"""Folders of many files: hidden ones are not read, a damaged one is left out and counted, and the message offers it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import negstats
from negstats.errors import LogError, NegstatsError
from tests.conftest import DataFolder

# For each format a folder of the shared data with a file for each game or person, and which files these are.
FOLDERS = {
    "solver_cl": ("solver_cl", "raw_logs/Session_1/*.xlsx"),
    "negotiationarena": ("negotiationarena/buysell", "*/game_state.json"),
    "llm_deliberation": ("llm_deliberation", "*/history*.json"),
    "lamen": ("lamen", "**/negotiations.csv"),
    "negolog": ("negolog", "sessions/*.xlsx"),
    "jspsych": ("jspsych", "*.csv"),
}
MAPPING = 'row = "game"\ngames.game_id = [{ file = true }, "game"]\n'


@pytest.fixture(params=FOLDERS)
def logs(request: pytest.FixtureRequest, real_data: DataFolder, tmp_path: Path) -> tuple[Path, list[Path]]:
    name, pattern = FOLDERS[request.param]
    folder = tmp_path / "logs"
    shutil.copytree(real_data(name), folder)
    return folder, sorted(folder.glob(pattern))


@pytest.mark.slow
def test_hidden_folders_are_not_read(logs: tuple[Path, list[Path]]) -> None:
    folder, files = logs
    before = negstats.load(folder)
    away = folder / ".logs_error" / "more"
    away.mkdir(parents=True)
    (away / files[0].name).write_bytes(b"\x00 no log")
    after = negstats.load(folder)
    assert after.games["game_id"].tolist() == before.games["game_id"].tolist()
    assert after.provenance == before.provenance


@pytest.mark.slow
def test_a_damaged_file_is_left_out_and_counted(logs: tuple[Path, list[Path]]) -> None:
    folder, files = logs
    whole = negstats.load(folder)
    damage(files[1])
    if files[1].suffix == ".csv":
        pytest.skip("a table without its columns is told from one of another program by nothing")
    with pytest.raises(LogError, match="--leave-out-bad-games"):
        negstats.load(folder)
    study = negstats.load(folder, leave_out_bad_games=True)
    name = files[1].relative_to(folder).as_posix()
    assert [row.path for row in study.provenance.left_out if row.reason.startswith("a damaged file")] == [name]
    assert [(one.kind, one.count) for one in study.provenance.records if one.kind == "damaged_files"] == [
        ("damaged_files", 1)
    ]
    assert 0 < len(study.games) <= len(whole.games)
    assert set(study.games["game_id"]) <= set(whole.games["game_id"])


def damage(file: Path) -> None:
    """Put bytes into a file that no format has."""
    begin = file.read_bytes()[:300]
    file.write_bytes(begin + b"\xff\xfe\x00 no log \x00" if file.suffix != ".csv" else begin[:40] + b'"\xff\xfe,\n')


def several(folder: Path, count: int, bad: int) -> Path:
    folder.mkdir()
    for number in range(count):
        (folder / f"g{number}.csv").write_bytes(b"game\n1\n2\n" if number >= bad else b"game\n\xff\xff\n")
    (folder.parent / "mapping.toml").write_text(MAPPING)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_many_damaged_files_are_found_in_one_go(tmp_path: Path, workers: int) -> None:
    folder = several(tmp_path / "logs", 30, 5)
    values: list[int] = []

    def track(files: list[Path]) -> list[Path]:
        values.append(len(files))
        return files

    options = {"mapping": tmp_path / "mapping.toml", "leave_out_bad_games": True, "workers": workers}
    study = negstats.load(folder, track=track, **options)  # type: ignore[arg-type]
    assert len(study.games) == 50
    assert sum(study.provenance.reasons().values()) == 5
    assert values == [30, 25]


@pytest.mark.parametrize(
    ("files", "damaged", "told"), [(10, 3, "3 of 10 files are damaged, too many"), (1, 1, "1 of 1 files")]
)
def test_too_many_are_refused(files: int, damaged: int, told: str, tmp_path: Path) -> None:
    folder = several(tmp_path / "logs", files, damaged)
    with pytest.raises(LogError, match=told):
        negstats.load(folder, mapping=tmp_path / "mapping.toml", leave_out_bad_games=True)


NAMES = ("dealornodeal", "casino", "solver_cl", "lamen", "negolog")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="file names are bytes on POSIX only")
@pytest.mark.parametrize("name", NAMES)
def test_file_names_that_are_no_utf8(name: str, real_data: DataFolder, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(real_data(name), folder)
    for file in sorted(folder.rglob("*.*"), reverse=True):
        whole = os.fsencode(file)
        stem, dot, ending = whole.rpartition(b".")
        file.rename(os.fsdecode(stem + b"\xff" + dot + ending))
    try:
        study = negstats.load(folder)
    except NegstatsError as error:
        str(error).encode()
        return
    study.save(tmp_path / "study")
    assert negstats.open_study(tmp_path / "study").games["game_id"].tolist() == study.games["game_id"].tolist()
