"""An engine reads exactly the files that were checked, whatever their path is called and whatever happens to it."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import negstats
from negstats.analysis import compare, describe, measure_table
from negstats.errors import LogError, SchemaError, UsageError
from negstats.studies import Provenance, Study
from negstats.tables import conform
from tests.conftest import runs

Name = Literal["duckdb", "polars", "pyspark"]
ENGINES = ("duckdb", "polars", pytest.param("pyspark", marks=[pytest.mark.spark, pytest.mark.xdist_group("spark")]))
PATHS = ("run[1]", "a*", "q?", "{x,y}", "a\\b", "lr=0.1", "http:", "__HIVE_DEFAULT_PARTITION__", "$HOME", "a b%20'\"")
NEIGHBOURS = {"run[1]": "run1", "a*": "ab", "q?": "qq", "{x,y}": "x"}  # what the name means as a pattern


FEW = ("run[1]", "a*", "^c.*$", "a.b", "t0")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Name:
    name: Name = request.param
    if name == "pyspark":
        params = request.node.callspec.params
        if "name" in params and not runs(1, 0) and params["name"] not in FEW:
            pytest.skip("a case takes Spark ten seconds: a few are run, and all for a calibration")
        request.getfixturevalue("session")
    return name


def study(games: int, levels: tuple[Any, ...] = ("a", "b"), name: str = "condition", seed: int = 1) -> Study:
    points = np.random.default_rng(seed).normal(size=2 * games)
    ids = [f"g{game:03d}" for game in range(games)]
    of_games = {
        "game_id": ids,
        "ended": ["agreement"] * games,
        name: [levels[place % len(levels)] for place in range(games)],
    }
    of_players = {
        "game_id": np.repeat(ids, 2).tolist(),
        "player": ["A", "B"] * games,
        "participant_id": [f"p{place}" for place in range(2 * games)],
        "kind": ["human", "agent"] * games,
        "points": points.tolist(),
    }
    return Study(
        games=conform("games", of_games), players=conform("players", of_players), provenance=Provenance("by hand", "1")
    )


def levels_of(found: Study, name: str = "condition") -> list[Any]:
    frame = found.games
    values = frame.sort_values("game_id")[name]
    return values.astype(object).where(values.notna(), None).tolist()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", PATHS)
def test_a_path_is_no_pattern(name: str, engine: Name, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study(8).save(tmp_path / name / "s")
    if name in NEIGHBOURS:
        study(20, seed=2).save(tmp_path / NEIGHBOURS[name] / "s")
    lazy = negstats.open_study(tmp_path / name / "s", engine=engine)
    assert lazy.factors == ["condition"]
    # Every value of the checked file and none of the neighbour's: a comparison could not say more of what was read.
    points = lazy.frame("players").select("points").collect("pyarrow").to_pandas()["points"]
    assert sorted(points) == sorted(study(8).players["points"])
    tables = {"games": ["condition"]}
    if name == PATHS[0] and (engine != "pyspark" or runs(1, 0)):  # `test_spark` compares by Spark
        first_sentence, second_sentence = (
            compare(one, "points", "condition", who="human").apa() for one in (study(8), lazy)
        )
        assert second_sentence == first_sentence
        tables |= {"messages": ["sender"]}  # which is empty
    monkeypatch.chdir(tmp_path)
    lazy.save(f"{name}/parts", partition_by=tables)
    for again in (negstats.open_study(f"{name}/parts", engine=engine), negstats.open_study(f"{name}/parts")):
        assert levels_of(again) == ["a", "b"] * 4


VALUES = ("a[b]", "a*", "\\", "a/b", "..", "a%2Fb", "%5B", "a=b", "'\"", "nul\n", "01", "ä", None)
Values = tuple[str | None, ...]


def may_be_refused(value: str | None) -> bool:
    """Whether some engine cannot call a folder so: nothing, what stands for a missing value, or too long a name."""
    return value is not None and (value in ("", "__HIVE_DEFAULT_PARTITION__") or len(value) > 80)


# What no engine refuses is one study, since most of the time goes into opening one.
@pytest.mark.slow
@pytest.mark.parametrize("values", [VALUES, ("",), ("__HIVE_DEFAULT_PARTITION__",), ("x" * 250,)])
def test_a_folder_says_the_value_or_is_refused(values: Values, engine: Name, tmp_path: Path) -> None:
    levels = (*values, "z")
    study(2 * len(levels), levels).save(tmp_path / "s")
    lazy = negstats.open_study(tmp_path / "s", engine=engine)
    saved: list[Path] = []
    with suppress(UsageError) if any(map(may_be_refused, values)) else nullcontext():
        saved.append(lazy.save(tmp_path / "parts", partition_by={"games": ["condition"]}))
    if not saved:
        assert not (tmp_path / "parts").exists()
        return
    for again in (negstats.open_study(tmp_path / "parts", engine=engine), negstats.open_study(tmp_path / "parts")):
        assert levels_of(again) == [*levels] * 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["duckdb", "polars"])
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.text(min_size=1, max_size=8), min_size=3, max_size=8, unique=True))
def test_any_values_of_folders_come_back(name: Name, values: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        test_a_folder_says_the_value_or_is_refused(tuple(values), name, Path(folder))


@pytest.fixture(params=["linked", "pointed to"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether the file system lets us give a file a second name."""

    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    if request.param == "pointed to":
        monkeypatch.setattr(os, "link", refuse)
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("change", ["replaced", "removed", "overwritten"])
def test_a_study_that_changes_while_it_is_open(change: str, how: str, engine: Name, tmp_path: Path) -> None:
    study(8).save(tmp_path / "s")
    study(12, seed=2).save(tmp_path / "other")
    lazy = negstats.open_study(tmp_path / "s", engine=engine)
    frame = lazy.frame("games")
    match change:
        case "replaced":
            study(12, seed=2).save(tmp_path / "s")
        case "removed":
            shutil.rmtree(tmp_path / "s")
        case "overwritten":
            shutil.copytree(tmp_path / "other", tmp_path / "s", dirs_exist_ok=True)
    if how == "linked" and change != "overwritten":
        assert len(frame.collect("pyarrow")) == 8
        assert lazy.rows("games") == 8
        lazy.save(tmp_path / "copy")
        assert len(negstats.open_study(tmp_path / "copy").games) == 8
        return
    reason = "is no longer there" if change == "removed" else "has changed since the study was opened"
    asked: list[Any] = [lambda: lazy.rows("games"), lambda: lazy.save(tmp_path / "copy"), lambda: lazy.some(2),
                        lambda: describe(lazy), lambda: compare(lazy, "points", "condition", who="human")]  # fmt: skip
    for ask in asked:
        with pytest.raises(LogError, match=reason):
            ask()
    assert not (tmp_path / "copy").exists()


@pytest.mark.slow
def test_frames_outlive_their_study(engine: Name, tmp_path: Path) -> None:
    study(8).save(tmp_path / "s")
    negstats.open_study(tmp_path / "s", engine=engine).save(tmp_path / "parts", partition_by={"games": ["condition"]})
    frames = [negstats.open_study(tmp_path / "parts", engine=engine).frame(name) for name in ("games", "messages")]
    gc.collect()
    assert [len(frame.collect("pyarrow")) for frame in frames] == [8, 0]


def test_a_folder_for_temporary_files_that_is_a_pattern_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run[1]").mkdir()
    study(4).save(tmp_path / "s")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "run[1]"))
    with pytest.raises(UsageError, match="set TMPDIR to another folder"):
        negstats.open_study(tmp_path / "s", engine="duckdb")


@pytest.mark.slow(keep=1)
def test_columns_that_differ_in_case_only(engine: Name, tmp_path: Path) -> None:
    whole = study(8)
    games = whole.games.assign(Condition=["x"] * 4 + ["y"] * 4)
    Study(games=games, players=whole.players, provenance=whole.provenance).save(tmp_path / "s")
    if engine == "polars":
        lazy = negstats.open_study(tmp_path / "s", engine=engine)
        assert (levels_of(lazy), levels_of(lazy, "Condition")) == (["a", "b"] * 4, ["x"] * 4 + ["y"] * 4)
        return
    with pytest.raises(SchemaError, match=r"'Condition': engine=.* cannot tell it from 'condition'"):
        negstats.open_study(tmp_path / "s", engine=engine)


REFUSED = {"*": "duckdb polars pyspark", "": "duckdb polars pyspark", "^c.*$": "polars pyspark", "a.b": "pyspark",
           "a`b": "pyspark"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", [*REFUSED, 'a"b', "a b", "select", "t0", "f0", "level", "rows", "__rows", "person"])
def test_any_name_of_a_factor_says_the_same_as_in_memory(name: str, engine: Name, tmp_path: Path) -> None:
    here = study(8, name=name)
    here.save(tmp_path / "s")
    if engine in REFUSED.get(name, "").split():
        with pytest.raises(SchemaError, match="takes no name that is"):
            negstats.open_study(tmp_path / "s", engine=engine)
        return
    if "polars" in REFUSED.get(name, ""):
        with pytest.raises(SchemaError, match="takes no name that is"):
            describe(here)
        return
    lazy = negstats.open_study(tmp_path / "s", engine=engine)
    assert describe(lazy).factors.to_numpy().tolist() == describe(here).factors.to_numpy().tolist()
    measures, expected = (measure_table(one, [name], names=["points"]) for one in (lazy, here))
    pd.testing.assert_frame_equal(measures, expected, check_dtype=False)
    lines = [compare(one, "points", name, who="human").apa() for one in (lazy, here)]
    assert lines[0] == lines[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("n", "'n' is a column of this table too"),
        ("value", "'value' is a column of this table too"),
        ("role", "'role' is a factor of the games and also a property of seats"),
    ],
)
def test_a_factor_that_is_called_like_something_else(name: str, said: str, tmp_path: Path) -> None:
    here = study(8, name=name)
    here.save(tmp_path / "s")
    for one in (
        here,
        negstats.open_study(tmp_path / "s", engine="duckdb"),
        negstats.open_study(tmp_path / "s", engine="polars"),
    ):
        with pytest.raises(UsageError, match=said):
            measure_table(one, [name], names=["points"])


@pytest.mark.slow
def test_files_of_another_program_in_folders(engine: Name, tmp_path: Path) -> None:
    """Folders that tell the files apart give columns; a folder above them, such as lr=0.1, does not."""
    above = tmp_path / "lr=0.1" / "run[1]"
    for country, round_ in (("US", 1), ("IL", 2)):
        folder = above / f"country={country}" / f"rounds={round_}"
        folder.mkdir(parents=True)
        pd.DataFrame({"game_id": [country], "ended": ["agreement"]}).to_parquet(folder / "part.parquet")
    values: list[list[Path]] = [[above], sorted(above.iterdir()), sorted(above.rglob("*.parquet"))]
    for paths in values:
        lazy = Study.of({"games": paths}, Provenance("by hand", "1"), engine=engine)
        assert lazy.factors == ["country"]
        result = lazy.frame("games").select("country", "rounds").sort("country").collect("pyarrow").to_pandas()
        assert result.to_numpy().tolist() == [["IL", 2], ["US", 1]]


def test_folders_of_different_columns_are_refused(tmp_path: Path) -> None:
    for folder in ("country=US", "session=1"):
        (tmp_path / folder).mkdir()
        pd.DataFrame({"game_id": [folder], "ended": ["agreement"]}).to_parquet(tmp_path / folder / "part.parquet")
    with pytest.raises(LogError, match=r"its folders name 'session', those of .* name 'country'"):
        Study.of({"games": [tmp_path]}, Provenance("by hand", "1"), engine="duckdb")
    (tmp_path / "empty").mkdir()
    with pytest.raises(LogError, match=r"holds no file \*\.parquet"):
        Study.of({"games": [tmp_path / "empty"]}, Provenance("by hand", "1"), engine="duckdb")
