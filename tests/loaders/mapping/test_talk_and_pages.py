"""Talk among other rows of a program: what is said is no setting that is called talk, and no object of a page."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import draft_of, log_files, read_as, suggest
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.reading.columns import build_column, text_cells
from negstats.loaders.reading.missing_codes import without_shared_words

PAIRS, ROUNDS = 20, 8
WORDS = ["shall", "we", "both", "choose", "left", "again", "then", "right", "please", "trust", "me"]


def rows() -> pd.DataFrame:
    """Return what two of each pair say and choose; what a row is not about is NA."""
    rng = np.random.default_rng(21)
    cells: list[dict[str, object]] = []
    for pair in range(PAIRS):
        ids = [f"p{pair:02d}{seat}" for seat in "ab"]
        common = {"pairId": f"G{pair:02d}", "chat_cond": ("chat", "nochat")[pair % 2]}
        for number in range(ROUNDS):
            for turn in range(int(rng.integers(1, 4))):
                text = " ".join(rng.choice(WORDS, rng.integers(3, 9)))
                cells.append({**common, "playerId": ids[turn % 2], "type": "message", "text": text})
            for who in ids:
                page = json.dumps({"left": {"a": int(rng.integers(9)), "b": 3}, "right": {"a": 2, "b": 2}})
                own = {"repNum": number, "game": ("stag", "chicken")[number % 2], "payoffs": page}
                cells.append({**common, "playerId": who, "type": "choice", **own})
    return pd.DataFrame(cells)


@pytest.mark.parametrize("setting", ["chat_cond", "messages_allowed", "text_mode"])
def test_whether_there_is_talk_is_no_talk(setting: str, tmp_path: Path) -> None:
    table = rows().rename(columns={"chat_cond": setting})
    log = tmp_path / "events.csv"
    table.to_csv(log, index=False, na_rep="NA")
    text = suggest(log)
    keys = tomllib.loads(text)
    assert keys["messages"]["text"] == {"column": "text", "missing": ["NA"]}
    assert setting in keys["factors"]
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    study = negstats.load(log, mapping=tmp_path / "m.toml")
    assert len(study.messages) == int((table["type"] == "message").sum())
    assert len(study.offers) == 0
    assert len(study.players) == 2 * PAIRS


def test_a_word_for_missing_numbers_is_missing_among_words() -> None:
    cells = {"region": ["EU", "NA", "AS", "EU"], "size": ["1", "NA", "3", "4"], "place": ["x", "y", "x", "y"]}
    columns = {name: build_column(name, text_cells(of)) for name, of in cells.items()}
    assert columns["region"].levels == ["AS", "EU", "NA"]
    shared = without_shared_words(columns)
    assert shared["region"].levels == ["AS", "EU"]
    assert shared["region"].missing_words == ("NA",)
    assert shared["place"] is columns["place"]
    without_numbers = without_shared_words({name: columns[name] for name in ("region", "place")})
    assert without_numbers["region"] is columns["region"]


def survey() -> pd.DataFrame:
    """Return the answers of people who wrote to three others before: pages with their times, scales, and ticked words.

    Each page is called by the number of a question, and each of two scales has three items for two groups.
    """
    rng = np.random.default_rng(31)
    cells: list[dict[str, object]] = []
    for team in range(40):
        for place in range(4):
            own, other = rng.normal(5, 1.2), rng.normal(3, 1.2)
            row: dict[str, object] = {"ResponseId": f"R_{team * 61 % 89}k{place}", "room": team + 1}
            row |= {"who": f"guest {['north', 'south', 'east', 'west'][place]}", "agreed": 1 if len(cells) % 40 else 2}
            for page in (12, 17, 31, 58, 102):
                first = round(float(rng.exponential(9)), 3)
                row |= {f"Q{page}_First Click": first, f"Q{page}_Last Click": first + 1, f"Q{page}_Count": 2}
            for scale, mean in (("near", own), ("far", other)):
                for item in (1, 2, 3):
                    for kind in ("like", "value"):
                        row[f"{scale}_{kind}{item}"] = int(np.clip(round(rng.normal(mean, 0.7)), 1, 7))
            row["ticked"] = str(rng.choice(["2", "7", "2,7", "4", "2,4"]))
            row["fair"] = int(rng.integers(1, 8))
            row["why"] = " ".join(rng.choice(WORDS, rng.integers(4, 12)))
            cells.append(row)
    return pd.DataFrame(cells)


def test_a_survey_has_a_row_for_each_person_whatever_its_pages_and_items_are_called(tmp_path: Path) -> None:
    survey().sample(frac=0.8, random_state=3).to_csv(tmp_path / "survey.csv", index=False)  # some did not come
    keys = tomllib.loads(suggest(tmp_path / "survey.csv"))
    assert {"part", "decimal", "event"}.isdisjoint(keys)
    likely = {each["subject"]: each["options"][each["likely"][0] - 1] for each in keys["open"] if each["likely"]}
    assert likely.get("levels", "measures of their own").startswith("measures of their own")
    assert likely.get("row", "each row is a separate case") == "each row is a separate case"
    assert keys["players"]["participant_id"] == "ResponseId"


def test_talk_of_each_folder_is_found_among_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "MOST_FILES", 30)
    rng, names = np.random.default_rng(8), [f"{first}{last}" for first in ("Al", "Bo", "Cy", "Di") for last in "abcd"]
    said = {}
    for game in range(8):
        folder, members = tmp_path / "games" / f"{game:04d}", rng.choice(names, int(rng.integers(9, 13)), replace=False)
        folder.mkdir(parents=True)
        (folder / "players.txt").write_text("\n".join(members))
        config = {"minutes": 2, "players": [{"name": name, "is_bot": place == 0} for place, name in enumerate(members)]}
        (folder / "config.json").write_text(json.dumps(config))
        lines = {
            when: [
                f"[1{hour}:{at:02d}:{rng.integers(10, 60)}] {by}: {' '.join(rng.choice(WORDS, 5))}"
                for at, by in enumerate(rng.permutation(np.repeat(members, 2 + game % 2)))
            ]
            for hour, when in enumerate(("day", "night"))
        }
        for when, of in lines.items():
            (folder / f"public_{when}.txt").write_text("\n".join(of))
        for name in members:
            own = [line for of in lines.values() for line in of if f"] {name}:" in line]
            (folder / f"{name}_own.txt").write_text("\n".join(own))
        said[f"{game:04d}"] = sum(map(len, lines.values()))
    text = draft_of(tmp_path / "games", Asked(), {"row": "events:folder"}).text
    assert 'files = "**/public_*.txt"' in text
    study = read_as(tmp_path / "games", text)
    assert study.messages["game_id"].value_counts().to_dict() == said
