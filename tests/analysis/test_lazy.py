"""The same answers from a study whose rows stay with an engine as from one in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import negstats
from negstats import datasets
from negstats.analysis import compare, describe, measure_table
from negstats.errors import DesignError, UsageError
from negstats.studies.study import Study
from tests.analysis.studies import asked, meetings

Name = Literal["duckdb", "polars"]
CONTRACT = Path(__file__).resolve().parents[2] / "datasets" / "contract_sim" / "study"


@pytest.fixture(params=["duckdb", "polars"])
def engine(request: pytest.FixtureRequest) -> Name:
    name: Name = request.param
    return name


def folder_of(name: str) -> Path:
    return CONTRACT if name == "contract" else datasets.folder(name) / "study"


def saved(study: Study, folder: Path, engine: Name) -> Any:
    return negstats.open_study(study.save(folder / "study"), engine=engine)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["robot", "casino", "contract"])
def test_a_description_says_the_same(name: str, engine: Name) -> None:
    here: dict[str, Any] = describe(negstats.open_study(folder_of(name))).to_dict()
    there: dict[str, Any] = describe(negstats.open_study(folder_of(name), engine=engine)).to_dict()
    for part in here:
        listed = [sorted(map(str, found[part])) if part == "factors" else found[part] for found in (here, there)]
        assert listed[1] == listed[0], part


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "by", "who"), [("robot", ["condition"], None), ("contract", ["country", "role"], "human")]
)
def test_measures_by_factors_are_the_same(name: str, by: list[str], who: str | None, engine: Name) -> None:
    names = ["points", "joint_value", "generosity" if name == "contract" else "agreed"]
    here = measure_table(negstats.open_study(folder_of(name)), by, names=names, who=who)
    there = measure_table(negstats.open_study(folder_of(name), engine=engine), by, names=names, who=who)
    pd.testing.assert_frame_equal(there, here, check_dtype=False, rtol=1e-11, atol=1e-13)


@pytest.mark.slow
def test_a_measure_that_needs_arrays_is_refused_not_fetched(engine: Name) -> None:
    casino = negstats.open_study(folder_of("casino"), engine=engine)
    with pytest.raises(UsageError, match="pareto_optimal needs the outcomes of each game as arrays"):
        compare(casino, "pareto_optimal", "split", levels=("train", "test"))


person = st.one_of(st.none(), st.sampled_from("abcdefghijkl"))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@settings(max_examples=8)
@given(people=st.lists(st.lists(person, min_size=1, max_size=3).map(tuple), min_size=2, max_size=10), data=st.data())
def test_units_are_those_of_a_study_in_memory(engine: Name, people: list[tuple[str | None, ...]], data: Any) -> None:
    condition = data.draw(st.lists(st.sampled_from("xy"), min_size=len(people), max_size=len(people)))
    study = meetings(people, condition)
    found: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        lazy = saved(study, Path(folder), engine)
        for each in (study, lazy):
            try:
                found.append(asked(each))
            except DesignError as error:
                found.append(str(error))
        if isinstance(found[0], str):
            assert found[1] == found[0]
            return
        here, there = (one.values for one in found)  # noqa: PD011 - frames
    assert found[1].unit == found[0].unit
    assert len(there) == len(here)
    assert there["unit"].nunique() == here["unit"].nunique()
    here, there = (table.sort_values(["condition", "value"], ignore_index=True) for table in (here, there))
    np.testing.assert_allclose(there["value"], here["value"])
    assert there["condition"].tolist() == here["condition"].tolist()
    known = [note for note in found[0].notes if "no participant_id" not in note]
    assert [note for note in found[1].notes if "no participant_id" not in note] == known


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "unit"),
    [
        ([("a", "l", "a"), (None,), ("m", "n")], "game"),  # two seats of one game are one person's
        ([("a", "g", "l"), ("b", "c"), ("c", "d"), (None,)], "group"),  # of two largest groups one played more
    ],
)
def test_units_in_odd_meetings_are_the_same(
    people: list[tuple[str | None, ...]], unit: str, engine: Name, tmp_path: Path
) -> None:
    study = meetings(people, ["x", "y", "x", "y"][: len(people)])
    here, there = (
        asked(study),
        asked(saved(study, tmp_path, engine)),
    )
    assert (here.unit, there.unit) == (unit, unit)
    known = [note for note in here.notes if "no participant_id" not in note]
    assert [note for note in there.notes if "no participant_id" not in note] == known


@pytest.mark.slow
def test_a_long_chain_of_meetings_is_one_unit_in_a_few_rounds(
    engine: Name, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Person i meets person i + 1, in an order of ids that hides it: labels that moved one step a round would crawl."""
    rng = np.random.default_rng(5)
    ids = [f"{number:04d}" for number in rng.permutation(601)]
    chain: list[tuple[str | None, ...]] = [(ids[i], ids[i + 1]) for i in range(600)]
    pairs: list[tuple[str | None, ...]] = [("u", "v"), ("u", "v"), ("w", "z"), ("w", "z")]
    study = meetings([*chain, *pairs], ["x"] * 602 + ["y"] * 2)
    lazy = saved(study, tmp_path, engine)
    kept = []
    keep = type(lazy).keep

    def counted(self: Any, frame: Any) -> Any:
        kept.append(1)
        return keep(self, frame)

    monkeypatch.setattr(type(lazy), "keep", counted)
    found = asked(lazy)
    assert found.unit == "group"
    assert found.values["unit"].nunique() == 3  # noqa: PD011
    assert len(kept) < 40  # two a round
    assert found.notes == asked(study).notes


@pytest.mark.slow
def test_unknown_people_make_units_doubtful_there_too(engine: Name, tmp_path: Path) -> None:
    pairs: list[tuple[str | None, ...]] = [("a", "b"), ("a", "b"), ("c", None), ("d", None), ("e", "f")]
    lazy = saved(meetings(pairs, ["x", "x", "y", "y", "x"]), tmp_path, engine)
    with pytest.raises(DesignError, match=r"the person is not known in 2 of 10 seats of people \(S1; 2 games, 'g2'"):
        compare(lazy, "joint_value", "condition")
