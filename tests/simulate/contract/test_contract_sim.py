"""The shipped synthetic study is what its script makes, and has the sizes that its card says."""

from __future__ import annotations

import runpy

import pytest
from pandas.testing import assert_frame_equal

import negstats
from negstats.simulate.contract import as_study
from negstats.studies.study import Study
from tests.conftest import ROOT

FOLDER = ROOT / "datasets" / "contract_sim"


@pytest.fixture(scope="module")
def shipped() -> Study:
    return negstats.open_study(FOLDER / "study")


@pytest.fixture(scope="module")
def script() -> dict[str, object]:
    return runpy.run_path(str(FOLDER / "make_contract_sim.py"))


@pytest.mark.nightly
def test_the_study_is_what_the_script_makes(shipped: Study, script: dict[str, object]) -> None:
    study = as_study(script["games"]())  # type: ignore[operator]
    for name, frame in study.tables.items():
        assert_frame_equal(shipped.tables[name], frame)


def test_people_are_as_many_as_printed(shipped: Study) -> None:
    people = shipped.players[shipped.players["kind"] == "human"].merge(shipped.games[["game_id", "country"]])
    assert people.groupby("country").size().to_dict() == {"China": 143, "Israel": 208, "USA": 149}
    assert f"{len(shipped.games)} games" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_it_is_small_and_labelled(shipped: Study) -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*.parquet")) < 300_000
    assert "nobody took part" in shipped.provenance.notes[0]
    assert shipped.games["study"].eq("simulated: nobody took part").all()
