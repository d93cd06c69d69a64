"""The studies that ship with the package: what their cards and papers say, their licences, how they were made."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from negstats import datasets
from negstats.analysis import compare
from negstats.errors import UsageError
from negstats.studies.study import Study
from tests.conftest import ROOT, DataFolder


@pytest.fixture(scope="module")
def robot() -> Study:
    return datasets.robot()


@pytest.fixture(scope="module")
def casino() -> Study:
    return datasets.casino()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("who", "measure", "t", "p"), [("agent", "points", 2.46, 0.017), ("human", "points", -0.69, None)]
)
def test_robot_gives_what_its_readme_prints(robot: Study, who: str, measure: str, t: float, p: float | None) -> None:
    test = compare(robot, measure, "condition", who=who).result
    assert float(test.statistic) == pytest.approx(t, abs=5e-3)
    assert p is None or float(test.p) == pytest.approx(p, abs=5e-4)


def test_robot_has_66_people_in_three_sessions(robot: Study) -> None:
    assert robot.players["participant_id"].nunique() == 66
    assert robot.games["session"].value_counts().to_dict() == {"Demo": 66, "Session_1": 66, "Session_2": 66}
    assert robot.games["condition"].value_counts().to_dict() == {"CL": 66, "FC": 66}


def test_casino_is_the_corpus(casino: Study) -> None:
    """Counts and moments of the data card of the source, recomputed by independent code."""
    assert len(casino.games) == 1030
    assert len(casino.messages) == 14_297
    assert casino.games["ended"].value_counts().to_dict() == {"agreement": 1005, "walkaway": 25}
    points = casino.players["points"]
    assert (round(points.mean(), 2), round(points.std(), 2), points.min(), points.max()) == (18.64, 3.54, 5, 32)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", datasets.SHIPPED)
def test_nothing_tells_who_took_part(name: str) -> None:
    study: Study = getattr(datasets, name)()
    people = study.players["participant_id"].dropna()
    assert people.str.fullmatch("p[0-9a-f]{16}").all()
    assert study.games["game_id"].str.fullmatch("g[0-9a-f]{16}").all()
    assert study.games["game_id"].is_monotonic_increasing  # an order that tells nothing
    assert not {"ethnicity", "reason_high", "reason_low", "reason_medium"} & set(study.answers["question"])
    assert all(source.path.startswith("file-") and not source.sha256 for source in study.provenance.sources)


def test_people_of_the_tables_are_those_of_the_study(robot: Study) -> None:
    for name in ("subjects", "rounds"):
        table = pd.read_parquet(datasets.folder("robot") / f"{name}.parquet")
        assert set(table["Subject_ID"]) == set(robot.players["participant_id"].dropna())
    table = pd.read_parquet(datasets.folder("robot") / "subjects.parquet")
    seats = robot.players.merge(robot.games, on="game_id").dropna(subset=["condition"])
    people = seats[seats["kind"] == "human"][["game_id", "participant_id", "condition", "points"]]
    both = people.merge(table, left_on=["participant_id", "condition"], right_on=["Subject_ID", "Condition"])
    assert len(both) == 132
    assert (both["points"] - both["Human_Utility"]).abs().max() < 0.005


@pytest.mark.parametrize(("name", "said"), [("robot", "MIT License"), ("casino", "Attribution 4.0 International")])
def test_the_licence_stands_beside(name: str, said: str, real_data: DataFolder) -> None:
    text = (datasets.folder(name) / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith(said)
    source = real_data("solver_cl" if name == "robot" else name)
    assert text == (source / "LICENSE").read_text(encoding="utf-8")


def test_both_together_are_small() -> None:
    files = [file for name in datasets.SHIPPED for file in datasets.folder(name).rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 4e6


@pytest.mark.nightly
@pytest.mark.data
@pytest.mark.parametrize(("name", "source"), [("robot", "solver_cl"), ("casino", "casino")])
def test_the_script_makes_what_ships(name: str, source: str, tmp_path: Path, real_data: DataFolder) -> None:
    script = ROOT / "datasets" / name / f"make_{name}.py"
    spec = importlib.util.spec_from_file_location(script.stem, script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(real_data(source), tmp_path)
    for file in sorted((ROOT / "datasets" / name).rglob("*.parquet")):
        frame = pd.read_parquet(tmp_path / file.relative_to(ROOT / "datasets" / name))
        pd.testing.assert_frame_equal(frame, pd.read_parquet(file))


def test_an_unknown_study_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'robot'"):
        datasets.folder("robbot")


@pytest.mark.nightly
def test_wheel_and_sdist_carry_them(tmp_path: Path) -> None:
    """The build backend itself, without a network; what it unpacks to reproduces a paper."""
    code = (
        "import sys, tarfile, zipfile; from hatchling import build; out = sys.argv[1]\n"
        "with zipfile.ZipFile(f'{out}/' + build.build_wheel(out)) as wheel: wheel.extractall(f'{out}/wheel')\n"
        "with tarfile.open(f'{out}/' + build.build_sdist(out)) as sdist: print(*sdist.getnames(), sep='\\n')"
    )
    environment = {**os.environ, "PYTHONPATH": "", "NEGSTATS_DATA": ""}
    process = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    for name in datasets.SHIPPED:
        for file in (ROOT / "datasets" / name).rglob("*"):
            inside = file.relative_to(ROOT / "datasets")
            if file.is_file() and "__pycache__" not in inside.parts:
                assert (tmp_path / "wheel" / "negstats" / "_datasets" / inside).read_bytes() == file.read_bytes()
                assert f"/datasets/{inside.as_posix()}\n" in process.stdout
    command = [sys.executable, "-m", "negstats", "reproduce", "casino2021"]
    completed_process = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=tmp_path / "wheel", env=environment
    )
    assert "4 hold: 4 are reproduced from raw data or the rules of a game." in " ".join(
        completed_process.stdout.split()
    )
