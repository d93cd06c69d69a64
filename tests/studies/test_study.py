"""A study is saved whole or not at all, opens as it was saved, and can be stripped of who took part."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from negstats.errors import LogError, SchemaError, UsageError
from negstats.studies import LeftOut, Provenance, Source, Study, open_study
from negstats.studies.frames import native_polars
from negstats.tables import TABLES, conform


@pytest.fixture
def study() -> Study:
    people = ["ann", "bob", "cyd", "dan"]
    games = conform(
        "games", {"game_id": ["ann-bob", "cyd-dan"], "ended": ["agreement", "walkaway"], "host": ["ann", "x"]}
    )
    players = {
        "game_id": ["ann-bob", "ann-bob", "cyd-dan", "cyd-dan"],
        "player": people,
        "participant_id": people,
        "points": [3.5, 2, None, None],
    }
    messages = {"game_id": ["ann-bob"] * 2, "message": [1, 2], "sender": ["ann", "bob"], "text": ["hi", "<b>no</b> é"]}
    answers = {
        "participant_id": people * 3,
        "question": ["gender"] * 4 + ["age"] * 4 + ["comment"] * 4,
        "answer": ["f", "m", "f", "m", "21", "35", "62", "44", "I am Ann from Haifa", "ok", "fine", None],
    }
    return Study(
        games=games,
        players=conform("players", players),
        messages=conform("messages", messages),
        answers=conform("answers", answers),
        provenance=Provenance(
            "test", "1", (Source("ann.csv", "0" * 64, 4),), (LeftOut("ann.csv", 3, "odd"),), ("a note",)
        ),
    )


def assert_same(one: Study, other: Study) -> None:
    assert one.provenance == other.provenance
    for name in TABLES:
        assert_frame_equal(one.tables[name], other.tables[name])


def test_opens_as_it_was_saved(study: Study, tmp_path: Path) -> None:
    assert_same(open_study(study.save(tmp_path / "deep" / "saved")), study)


def test_what_cannot_be_opened_is_named(study: Study, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere: is not there"):
        open_study(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is not a saved study"):
        open_study(tmp_path)
    saved = study.save(tmp_path / "saved")
    (saved / "moves.parquet").write_bytes((saved / "moves.parquet").read_bytes()[:100])
    with pytest.raises(LogError, match=r"moves\.parquet: was changed after it was written"):
        open_study(saved)
    (saved / "moves.parquet").unlink()
    with pytest.raises(LogError, match=r"moves\.parquet: is not there"):
        open_study(saved)


def test_another_schema_version_is_refused(study: Study, tmp_path: Path) -> None:
    saved = study.save(tmp_path / "saved")
    card = json.loads((saved / "study.json").read_text())
    (saved / "study.json").write_text(json.dumps(card | {"schema_version": 99}))
    with pytest.raises(LogError, match="schema version 99"):
        open_study(saved)


def test_a_study_is_checked_when_it_is_made(study: Study) -> None:
    with pytest.raises(SchemaError, match="'players'"):
        Study(games=study.games.iloc[:1], players=study.players, provenance=study.provenance)


def test_a_place_that_cannot_be_written_is_named(study: Study, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    with pytest.raises(UsageError, match=r"file/study: cannot be written: "):
        study.save(tmp_path / "file" / "study")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "kept"


@pytest.mark.slow
def test_deidentified_people_stay_the_same_people(study: Study) -> None:
    clean = study.deidentify("a secret of mine")
    assert clean.players["participant_id"].nunique() == 4
    assert set(clean.answers["participant_id"]) == set(clean.players["participant_id"])
    assert clean.games["host"][0] == clean.players["participant_id"][0]
    again = study.deidentify("a secret of mine")
    assert_same(clean, again)
    other = study.deidentify("another secret")
    assert not set(other.players["participant_id"]) & set(clean.players["participant_id"])


@pytest.mark.slow
def test_deidentified_free_text_is_dropped_and_said(study: Study) -> None:
    clean = study.deidentify("a secret of mine")
    assert set(clean.answers["question"]) == {"gender", "age"}
    assert any("dropped 4 free-text answers to: comment" in note for note in clean.provenance.notes)


def test_deidentified_ids_inside_cells_and_notes_are_gone() -> None:
    games = conform(
        "games",
        {
            "game_id": ["ann_bob", "ann_cyd"],
            "ended": ["agreement"] * 2,
            "scenario": ["ann against bob", "annual"],
            "pair": ["bob|ann", "cyd|ann"],
            "host": pd.Categorical(["ann", "cyd"]),
        },
    )
    seats = {"game_id": ["ann_bob"] * 2 + ["ann_cyd"] * 2, "player": ["seat ann", "seat bob", "seat ann", "seat cyd"]}
    players = conform("players", {**seats, "participant_id": ["ann", "bob", "ann", "cyd"]})
    source = Source("logs/ann_bob.csv", "0", 1)
    notes = ("the end of ann_bob is unknown", "nothing is known of cyd")
    left_out = (LeftOut("logs/ann_bob.csv", 1, "bob is gone"),)
    study = Study(games=games, players=players, provenance=Provenance("by hand", "1", (source,), left_out, notes))
    clean = study.deidentify("a secret of mine")
    cells = [str(value) for frame in (clean.games, clean.players) for column in frame for value in frame[column]]
    text = " ".join([*cells, str(clean.provenance)])
    assert not [name for name in ("ann_", "ann ", "ann|", "bob", "cyd", "'ann'") if name in text]
    assert clean.games["scenario"][1] == "annual"
    assert clean.games["host"].tolist() == clean.players["participant_id"][[0, 3]].tolist()


@pytest.mark.slow
def test_deidentified_numbers_that_are_no_ids_stay() -> None:
    games = {"game_id": ["a", "b"], "ended": ["agreement"] * 2, "subject": [1, 3], "level": ["1", "2"], "order": [2, 1]}
    seats = {"game_id": ["a", "a", "b", "b"], "player": ["1", "2", "1", "2"], "participant_id": ["1", "2", "3", "4"]}
    answers = {
        "participant_id": ["1", "2", "1", "2"],
        "game_id": ["a", "a", None, None],
        "question": ["fair", "fair", "code", "code"],
        "answer": ["2", "1", "1", "2"],
    }
    clean = Study(
        games=conform("games", games),
        players=conform("players", seats),
        answers=conform("answers", answers),
        provenance=Provenance("by hand", "1"),
    ).deidentify("a secret of mine")
    assert clean.players["player"].tolist() == ["1", "2", "1", "2"]
    assert clean.games["subject"].tolist() == clean.players["participant_id"][[0, 2]].tolist()
    assert clean.games["level"].tolist() == ["1", "2"]
    assert clean.games["order"].tolist() == [2, 1]
    assert clean.answers["answer"].tolist() == ["2", "1"]
    assert any("code" in note for note in clean.provenance.notes)


def test_factors_are_the_columns_that_the_schema_does_not_have(study: Study) -> None:
    assert study.factors == ["host"]


def test_repr_counts_rows(study: Study) -> None:
    assert "games 2" in repr(study)
    assert "1 row excluded" in repr(study)


def test_text_that_is_missing_in_every_row_stays_where_it_is() -> None:
    frame = pd.DataFrame({"a": pd.Series([None, None], dtype="str"), "b": [1, 2]})
    rows = native_polars(frame).collect()
    assert rows.columns == ["a", "b"]
    assert [str(kind) for kind in rows.dtypes] == ["String", "Int64"]
    assert rows.rows() == [(None, 1), (None, 2)]
    assert native_polars(frame[["a"]]).collect().rows() == [(None,), (None,)]
    assert native_polars(frame.head(0)).collect().columns == ["a", "b"]
