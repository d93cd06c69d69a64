"""Opening, checking and writing studies whose rows stay with an engine."""

from __future__ import annotations

import gc
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any, Literal

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pytest

import negstats
from negstats import datasets
from negstats.analysis.describe import measure_table
from negstats.errors import LogError, SchemaError, UsageError
from negstats.studies import Provenance, Study
from negstats.tables import TABLES, conform

KINDS = {"duckdb": duckdb.DuckDBPyRelation, "polars": pl.LazyFrame}
Name = Literal["duckdb", "polars"]


@pytest.fixture(params=KINDS)
def engine(request: pytest.FixtureRequest) -> Name:
    name: Name = request.param
    return name


@pytest.fixture(scope="module")
def robot() -> Study:
    return datasets.robot()


@pytest.fixture
def lazy(engine: Name) -> Study:
    return negstats.open_study(datasets.folder("robot") / "study", engine=engine)


def home(study: Study, table: str) -> pd.DataFrame:
    key = list(TABLES[table].key)
    frame = conform(table, study.frame(table).collect("pyarrow").to_pandas())
    return frame.sort_values(key, ignore_index=True)


@pytest.mark.slow
def test_the_rows_stay_with_the_engine_and_are_those_of_the_study(lazy: Study, engine: Name, robot: Study) -> None:
    for name, table in robot.tables.items():
        assert isinstance(lazy.frames[name], KINDS[engine])
        expected = table.sort_values(list(TABLES[name].key), ignore_index=True)
        pd.testing.assert_frame_equal(home(lazy, name), expected, check_dtype=False)
    assert lazy.factors == robot.factors
    assert lazy.provenance == robot.provenance
    lazy.check()


@pytest.mark.slow
def test_partitioned_parquet_out_and_in(lazy: Study, engine: Name, robot: Study, tmp_path: Path) -> None:
    lazy.save(tmp_path / "parts", partition_by={"games": ["session", "condition"]})
    assert {folder.name for folder in (tmp_path / "parts" / "games.parquet").iterdir()} == {
        "session=Demo", "session=Session_1", "session=Session_2",
    }  # fmt: skip
    again = negstats.open_study(tmp_path / "parts", engine=engine)
    again.check()
    columns = sorted(robot.games.columns)
    expected = robot.games.sort_values("game_id", ignore_index=True)[columns]
    pd.testing.assert_frame_equal(home(again, "games")[columns], expected, check_dtype=False)
    assert again.rows("offers") == len(robot.offers)


@pytest.mark.slow
@pytest.mark.parametrize("other", KINDS)
def test_what_one_engine_writes_another_reads(lazy: Study, other: Name, robot: Study, tmp_path: Path) -> None:
    lazy.save(tmp_path / "parts")
    study = negstats.open_study(tmp_path / "parts", engine=other)
    expected = robot.offers.sort_values(["game_id", "offer"], ignore_index=True)
    pd.testing.assert_frame_equal(home(study, "offers"), expected, check_dtype=False)


@pytest.mark.slow
@pytest.mark.parametrize("other", ["memory", *KINDS])
def test_names_of_folders_say_what_the_columns_said(engine: Name, other: str, tmp_path: Path) -> None:
    """Text that looks like a number or a path, a missing level, whole numbers; and a folder above is called k=v."""
    levels = ["01", "1", "a/b c=d%", None, "2020-01-01"]
    games: dict[str, list[Any]] = {
        "game_id": list("abcde"),
        "ended": ["agreement"] * 5,
        "level": levels,
        "rounds": [1, 2, 2, 3, 3],
    }
    above = tmp_path / "level=9" / "parts"
    made(tmp_path, engine, games=games).save(above, partition_by={"games": ["level", "rounds"]})
    if other == "memory":
        study: Any = negstats.open_study(above)
        frame = study.games.sort_values("game_id")
    else:
        study = negstats.open_study(above, engine=other)
        frame = home(study, "games")
    assert frame["level"].astype(object).where(frame["level"].notna(), None).tolist() == levels
    assert frame["rounds"].tolist() == games["rounds"]
    assert sorted(frame.columns) == sorted([*TABLES["games"].names, "level"])


@pytest.mark.slow
def test_parts_open_in_memory_too(lazy: Study, robot: Study, tmp_path: Path) -> None:
    lazy.save(tmp_path / "parts", partition_by={"games": ["session"], "players": ["kind"]})
    again = negstats.load(tmp_path / "parts")
    for name, table in robot.tables.items():
        key = list(TABLES[name].key)
        own_table = again.tables[name].sort_values(key, ignore_index=True)[table.columns]
        pd.testing.assert_frame_equal(own_table, table.sort_values(key, ignore_index=True))
    assert again.provenance == robot.provenance
    assert len(measure_table(again)) == len(measure_table(robot))  # its text is cut into chunks, one a file
    with pytest.raises(UsageError, match="is a study in parts, and none is written over it"):
        robot.save(tmp_path / "parts")


@pytest.mark.slow
def test_folders_are_named_after_text_and_whole_numbers_only(engine: Name, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'points' of players, which holds .*; text or integers do"):
        made(tmp_path, engine, games=GAMES, players={**PLAYERS, "points": [0.5, 1.5, 2.5]}).save(
            tmp_path / "parts", partition_by={"players": ["points"]}
        )
    study = made(tmp_path, engine, games=GAMES, players=PLAYERS)
    assert study.save(tmp_path / "whole", partition_by={"players": ["player"]}).exists()


@pytest.mark.slow
def test_a_folder_that_is_there_is_not_written_to(lazy: Study, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(UsageError, match="mine: exists already; give a new folder"):
        lazy.save(tmp_path / "mine")
    assert not list((tmp_path / "mine").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["changed", "removed", "added"])
def test_a_part_that_was_changed_is_seen(lazy: Study, fault: str, tmp_path: Path) -> None:
    lazy.save(tmp_path / "parts")
    [part, *_] = sorted((tmp_path / "parts" / "offers.parquet").glob("*.parquet"))
    match fault:
        case "changed":
            data = bytearray(part.read_bytes())
            data[len(data) // 2] ^= 1
            part.write_bytes(data)
        case "removed":
            part.unlink()
        case "added":
            shutil.copy(part, part.with_name("part-9.parquet"))
    for open_ in (negstats.open_study, lambda path: negstats.open_study(path, engine="duckdb")):
        with pytest.raises(LogError, match="its SHA-256 differs"):
            open_(tmp_path / "parts")


@pytest.mark.slow
def test_a_card_that_was_changed_is_seen(lazy: Study, tmp_path: Path) -> None:
    lazy.save(tmp_path / "parts")
    card = tmp_path / "parts" / "study.json"
    content = json.loads(card.read_text(encoding="utf-8"))
    content["notes"] = ["nothing was left out"]
    card.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(LogError, match="not what was written"):
        negstats.open_study(tmp_path / "parts", engine="duckdb")


def made(tmp_path: Path, engine: Name, **tables: dict[str, list[Any]]) -> Study:
    """Tables as another program may write them, one Parquet file each."""
    for name, columns in tables.items():
        pd.DataFrame(columns).to_parquet(tmp_path / f"{name}.parquet")
    files = {name: [tmp_path / f"{name}.parquet"] for name in tables}
    return Study.of(files, Provenance("by hand", "1"), engine=engine)


GAMES: dict[str, list[Any]] = {"game_id": ["g", "h"], "ended": ["agreement", "walkaway"], "country": ["US", "IL"]}
PLAYERS: dict[str, list[Any]] = {"game_id": ["g", "g", "h"], "player": ["A", "B", "A"], "points": [4, 5, 0]}


@pytest.mark.slow
def test_tables_of_another_program_need_only_what_may_not_be_missing(tmp_path: Path, engine: Name) -> None:
    study = made(tmp_path, engine, games=GAMES, players=PLAYERS)
    study.check()
    assert study.factors == ["country"]
    assert (study.rows("players"), study.rows("messages")) == (3, 0)
    study.save(tmp_path / "study")
    assert negstats.open_study(tmp_path / "study", engine=engine).rows("players") == 3


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        (
            "players",
            {"points": [4, 5, 0], "game_id": ["g", None, "h"]},
            "'game_id': a value is missing, and this column needs one",
        ),
        ("players", {"player": ["A", "A", "A"]}, "2 rows have the key game_id 'g', player 'A'"),
        ("players", {"game_id": ["g", "g", "x"]}, "refers to 'x', which is not there"),
        ("players", {"kind": ["human", "robot", "human"]}, "'kind': a value is not one of human, agent"),
    ],
)
def test_every_row_is_checked_before_it_is_saved(
    table: str, columns: dict[str, list[Any]], message: str, tmp_path: Path, engine: Name
) -> None:
    study = made(tmp_path, engine, games=GAMES, **{table: {**PLAYERS, **columns}})
    with pytest.raises(SchemaError, match=message):
        study.save(tmp_path / "study")
    assert not (tmp_path / "study").exists()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"points": ["a", "b", "c"]}, "'points': holds String, not number"),
        ({"score": [1, 2, 3]}, "no such column; the table has"),
    ],
)
def test_columns_are_checked_at_once(columns: dict[str, list[Any]], message: str, tmp_path: Path, engine: Name) -> None:
    with pytest.raises(SchemaError, match=message):
        made(tmp_path, engine, games=GAMES, players={**PLAYERS, **columns})


def test_names_that_nothing_has(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a saved study"):
        negstats.open_study(tmp_path, engine="duckdb")
    lazy = negstats.open_study(datasets.folder("robot") / "study", engine="duckdb")
    with pytest.raises(UsageError, match="did you mean 'session'"):
        lazy.save(tmp_path / "parts", partition_by={"games": ["sesion"]})


def test_files_that_are_no_parquet_are_named(tmp_path: Path, engine: Name) -> None:
    (tmp_path / "games.csv").write_text("game_id,ended\ng,agreement\n")
    of = Provenance("by hand", "1")
    with pytest.raises(LogError, match=r"games\.parquet: is not there"):
        Study.of({"games": [tmp_path / "games.parquet"]}, of, engine=engine)
    with pytest.raises(LogError, match=r"games\.csv: is not a Parquet"):
        Study.of({"games": [tmp_path / "games.csv"]}, of, engine=engine)
    with pytest.raises(UsageError, match=r"tables\['games'\] is 'games\.parquet'; give a list"):
        Study.of({"games": "games.parquet"}, of, engine=engine)


@pytest.mark.slow
def test_what_is_kept_goes_with_the_study(engine: Name, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    study = negstats.open_study(datasets.folder("robot") / "study", engine=engine)
    files_before = set(tmp_path.rglob("*.parquet"))
    result = study.keep(study.frame("games").select("game_id"))
    assert len(result.collect("pyarrow")) == 198
    kept_files = set(tmp_path.rglob("*.parquet")) - files_before
    assert kept_files
    del result, study
    gc.collect()
    assert not any(file.exists() for file in kept_files)


def test_conform_and_lazy_agree_on_kinds() -> None:
    """Every table in memory passes the check of lazy tables, column for column."""
    from negstats.studies.checks import check_columns

    check_columns({name: nw.from_native(conform(name, {column: [] for column in TABLES[name].names})).to_native()
                   for name in TABLES})  # fmt: skip
