"""ConvoKit's corpora: a study written and read back, corpora of others, and what is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import negstats
from negstats.errors import LogError, UsageError
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.loaders.agent_logs import put
from tests.robustness.seeds import SEEDS

NAMES = [name for name in SEEDS if "mapped" not in name and name != "qualtrics"]


def assert_equal(one: Study, other: Study) -> None:
    for name, table in one.tables.items():
        columns = list(table.columns)
        again = other.tables[name][columns].sort_values(columns).reset_index(drop=True)
        pd.testing.assert_frame_equal(table.sort_values(columns).reset_index(drop=True), again)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_study_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    log = SEEDS[name]()
    put(tmp_path / "log", log.files)
    study = negstats.load(tmp_path / "log" / log.root)
    assert_equal(study, negstats.load(study.to_convokit(tmp_path / "corpus")))


@pytest.mark.slow
def test_real_dialogues_come_back_also_after_convokit_wrote_them(real_data: DataFolder, tmp_path: Path) -> None:
    study = negstats.load(real_data("casino")).some(40)
    folder = study.to_convokit(tmp_path / "corpus")
    assert_equal(study, negstats.load(folder))
    convokit = pytest.importorskip("convokit")
    corpus = convokit.Corpus(str(folder))
    assert len(corpus.get_conversation_ids()) == 40
    assert len(corpus.get_utterance_ids()) == len(study.messages)
    assert corpus.random_conversation().check_integrity(verbose=False)
    corpus.dump("again", base_path=str(tmp_path))
    assert_equal(study, negstats.load(tmp_path / "again"))


def corpus(tmp_path: Path, change: Callable[[dict[str, Any]], None] | None = None) -> Path:
    files = {name: data.decode() for name, data in SEEDS["convokit"]().files.items()}
    if change is not None:
        lines = [json.loads(line) for line in files["utterances.jsonl"].splitlines()]
        change(lines[1])
        files["utterances.jsonl"] = "".join(json.dumps(line) + "\n" for line in lines)
    put(tmp_path, {name: text.encode() for name, text in files.items()})
    return tmp_path


def test_a_corpus_of_others(tmp_path: Path) -> None:
    study = negstats.load(corpus(tmp_path))
    assert study.games[["game_id", "ended", "topic", "size"]].to_numpy().tolist() == [
        ["g1", "unknown", "camp", 2],
        ["g2", "unknown", "camp", 2],
    ]
    assert study.messages["time_s"].tolist() == [0, 10, 20] * 2
    assert study.messages["sender"].tolist() == ["ann", "bob", "ann"] * 2
    assert study.messages["text"].tolist() == ["Mehr, bitte: é", "No.", ""] * 2
    assert study.players["participant_id"].tolist() == ["ann", "bob"] * 2
    assert study.answers[["participant_id", "question", "answer"]].to_numpy().tolist() == [
        ["ann", "gender", "a"],
        ["bob", "gender", "b"],
    ]
    assert negstats.load(tmp_path / "utterances.jsonl").rows("messages") == 6


def test_an_old_corpus(tmp_path: Path) -> None:
    folder = corpus(tmp_path)
    file = folder / "utterances.jsonl"
    old = file.read_text().replace('"speaker"', '"user"').replace('"conversation_id"', '"root"')
    file.write_text(old)
    (folder / "speakers.json").rename(folder / "users.json")
    assert negstats.load(folder).players["player"].tolist() == ["ann", "bob"] * 2


def test_what_has_no_place_is_noted(tmp_path: Path) -> None:
    folder = corpus(tmp_path, lambda line: line["meta"].update(parsed=[1]))
    meta = {"g1": {"meta": {"rounds": "many", "tags": ["x"]}}, "g3": {"meta": {}}}
    (folder / "conversations.json").write_text(json.dumps(meta))
    (folder / "speakers.json").write_text(json.dumps({"ann": {"meta": {}}, "eve": {"meta": {}}}))
    (folder / "parsed.bin").write_bytes(b"\0")
    study = negstats.load(folder)
    assert study.games["game_id"].tolist() == ["g1", "g3", "g2"]
    assert study.games["meta_rounds"].tolist()[0] == "many"
    assert study.games["rounds"].isna().all()
    assert study.provenance.notes == (
        "2 conversations and utterances have meta without a place in the tables",
        "1 of 3 conversations have no utterance",
        "1 speakers say nothing",
    )
    assert [row.path for row in study.provenance.left_out] == ["parsed.bin"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: line.update(id="g1.1"), "line|row 2, column 'id': 'g1.1' is the id of line 1 too"),
        (lambda line: line.pop("speaker"), "row 2, column 'speaker': None is not a name"),
        (lambda line: line.update(conversation_id=3), "row 2, column 'conversation_id': 3 is not a name"),
        (lambda line: line.update(text=["a"]), r"row 2, column 'text': \['a'\] is not text"),
        (lambda line: line.update(timestamp="soon"), "row 2, column 'timestamp': 'soon' is not a number"),
        (lambda line: line.update(meta=[1]), r"row 2, column 'meta': \[1\] is not a JSON object"),
    ],
)
def test_a_wrong_utterance_is_one_error(change: Callable[[dict[str, Any]], None], message: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=message):
        negstats.load(corpus(tmp_path, change))


def test_an_export_that_was_changed_by_hand(tmp_path: Path) -> None:
    study = negstats.load(corpus(tmp_path / "log"))
    folder = study.to_convokit(tmp_path / "corpus")
    own = json.loads((folder / "corpus.json").read_text())
    for change, message in (
        ({"factors": {"topic": "object"}}, "says no kinds of factors"),
        ({"factors": {"topic": "int64"}}, "factor 'topic' is not of the kind int64"),
        ({"tables": {"plans": []}}, "'plans' is not a table of an export"),
    ):
        (folder / "corpus.json").write_text(json.dumps({"negstats": own["negstats"] | change}))
        with pytest.raises(LogError, match=message):
            negstats.load(folder)


def test_an_export_takes_no_place_of_other_files(tmp_path: Path) -> None:
    study = negstats.load(corpus(tmp_path / "log"))
    with pytest.raises(UsageError, match="exists and is not empty"):
        study.to_convokit(tmp_path / "log")
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(UsageError, match="exists and is not empty"):
        study.to_convokit(file)
