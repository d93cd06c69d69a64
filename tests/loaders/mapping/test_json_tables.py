"""Tables in JSON however a program writes them: by rows, by columns, with names beside, or several in one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from negstats.errors import LogError
from negstats.loaders.mapping import read, read_mapping, suggest
from negstats.studies.study import Study

Orient: TypeAlias = Literal["records", "columns", "index", "split", "table"]


def people() -> pd.DataFrame:
    """Ten people with four trials each, in one of two arms."""
    places = np.arange(40)
    return pd.DataFrame(
        {
            "pid": [f"p{place}" for place in places // 4],
            "arm": np.where(places // 4 % 2, "gain", "loss"),
            "trial": places % 4 + 1,
            "sent": (7 * places) % 11,
        }
    )


def loaded(log: Path) -> Study:
    mapping = log.parent / "mapping.toml"
    mapping.write_text(suggest(log), "utf-8")
    return read(log, read_mapping(mapping))


@pytest.mark.parametrize("orient", ["records", "columns", "index", "split", "table"])
def test_a_frame_is_read_alike_however_pandas_wrote_it(tmp_path: Path, orient: Orient) -> None:
    ways: dict[str, Orient] = {"own": orient, "rows": "records"}
    for folder, way in ways.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "log.json").write_text(people().to_json(orient=way))
    own, rows = (loaded(tmp_path / folder / "log.json") for folder in ("own", "rows"))
    assert len(rows.games) == 40
    for name, table in rows.tables.items():
        assert_frame_equal(own.tables[name], table)


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"range": "A1:D41", "values": rows}])
def test_the_first_of_several_lists_names_their_cells(tmp_path: Path, wrap: object) -> None:
    rows = [list(people().columns), *people().to_numpy().tolist()]
    (tmp_path / "log.json").write_text(json.dumps(wrap(rows)))  # type: ignore[operator]
    study = loaded(tmp_path / "log.json")
    assert (len(study.games), study.players["participant_id"].nunique()) == (40, 10)


def test_lists_of_one_kind_are_put_below_each_other(tmp_path: Path) -> None:
    arms = {arm: people()[["pid", "sent"]].iloc[start : start + 9] for start, arm in ((0, "none"), (20, "threat"))}
    content = {arm: rows.assign(pid=range(9)).to_dict("records") for arm, rows in arms.items()}
    (tmp_path / "log.json").write_text(json.dumps(content))
    study = loaded(tmp_path / "log.json")
    assert study.games["source"].value_counts().to_dict() == {"none": 9, "threat": 9}


def test_a_list_of_people_is_put_beside_what_they_did(tmp_path: Path) -> None:
    content = {
        "people": people()[["pid", "arm"]].drop_duplicates().to_dict("records"),
        "trials": people()[["pid", "trial", "sent"]].to_dict("records"),
    }
    (tmp_path / "log.json").write_text(json.dumps(content))
    study = loaded(tmp_path / "log.json")
    assert study.games["arm"].value_counts().to_dict() == {"gain": 20, "loss": 20}
    assert study.players["participant_id"].nunique() == 10


def test_lists_beside_settings_are_tables(tmp_path: Path) -> None:
    sums = people().groupby("pid")["sent"].agg(["mean", "sum"]).reset_index()
    content = {
        "settings": {"temperature": 0.2, "arms": ["gain", "loss"]},
        "trials": people().to_dict("records"),
        "summary": sums.to_dict("records"),
    }
    (tmp_path / "log.json").write_text(json.dumps(content))
    study = loaded(tmp_path / "log.json")
    assert (len(study.games), study.players["participant_id"].nunique()) == (40, 10)
    assert study.games["arm"].value_counts().to_dict() == {"gain": 20, "loss": 20}


def test_objects_under_numbers_are_the_turns_of_a_company(tmp_path: Path) -> None:
    draw, members = np.random.default_rng(3), [f"member-{number}" for number in range(1, 6)]
    for game in range(8):
        speakers = ["system", *draw.permutation(members), *draw.choice(members, 4 + game), "system"]
        talk = [
            {"speaker": by, "said": f"I say what I think of {draw.integers(99)} here", "at": at}
            for at, by in enumerate(speakers)
        ]
        labels = [{"place": each["at"], "label": "system" if each["speaker"] == "system" else "claim"} for each in talk]
        seats = [{"name": name, "side": "good" if place else "evil"} for place, name in enumerate(members)]
        content = {
            name: {str(number): each for number, each in enumerate(of, 1)}
            for name, of in (("users", seats), ("messages", talk), ("labels", labels))
        }
        (tmp_path / f"g{game}.json").write_text(json.dumps(content))
    text = suggest(tmp_path)
    assert '[players]\nplayer = "speaker"' in text
    assert 'text = "said"' in text
    assert "game_id = { file = true }" in text
    assert 'where = { speaker = { not = ["system"] } }' in text


@pytest.mark.parametrize(
    "content",
    [
        {"columns": ["pid", "sent"], "data": [["a", 3], ["b"], ["c", 5]]},  # a row is cut
        {"columns": ["pid", "pid"], "data": [["a", 3], ["b", 4], ["c", 5]]},  # a name stands twice
        {"data": [["a", "c"], ["b", "d"]]},  # nothing tells whether the first row holds names
    ],
)
def test_lists_without_a_name_for_each_cell_are_refused(tmp_path: Path, content: object) -> None:
    (tmp_path / "log.json").write_text(json.dumps(content))
    with pytest.raises(LogError, match="holds one object, not a list of rows"):
        suggest(tmp_path / "log.json")
