"""Offers of several issues: a row an issue, columns for both sides, objects in objects; read, and guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from negstats.errors import LogError
from negstats.loaders.mapping import read, read_mapping, suggest
from negstats.studies.study import Study

LONG = """
row = "item"
games.game_id = "dyad"
players.player = "who"
item = { name = "issue", to_proposer = "mine", to_responder = "yours", total = 4 }
offers = { round = "turn", response = "answer" }
levels.response = { accepted = ["yes"], rejected = ["no"] }
"""
ROWS = "7,1,A,apple,3,1,no\n7,1,A,pear,2,,no\n7,2,B,apple,2,2,yes\n7,2,B,pear,1,3,\n8,1,A,apple,4,0,\n"
HEADER = "dyad,turn,who,issue,mine,yours,answer\n"


def loaded(folder: Path, mapping: str, log: str, name: str = "log.csv") -> Study:
    (folder / "mapping.toml").write_text(mapping)
    (folder / name).write_text(log)
    return read(folder / name, read_mapping(folder / "mapping.toml"))


def items(study: Study) -> list[list[Any]]:
    names = ["game_id", "offer", "item", "receiver", "quantity", "option"]
    return study.items[names].astype(object).where(study.items[names].notna(), None).to_numpy().tolist()


def test_a_row_an_issue(tmp_path: Path) -> None:
    study = loaded(tmp_path, LONG, HEADER + ROWS)
    assert study.offers[["game_id", "offer", "proposer", "response"]].to_numpy().tolist() == [
        ["7", 1, "A", "rejected"],
        ["7", 2, "B", "accepted"],  # said on one of its rows
        ["8", 1, "A", "none"],
    ]
    assert study.offers["units_to_proposer"].tolist() == [5, 3, 4]
    assert study.offers["units_to_responder"].tolist() == [3, 5, 0]
    assert items(study)[:4] == [
        ["7", 1, "apple", "A", 3, None],
        ["7", 1, "apple", "B", 1, None],
        ["7", 1, "pear", "A", 2, None],
        ["7", 1, "pear", "B", 2, None],  # what the other one leaves of 4
    ]
    assert study.games["ended"].tolist() == ["agreement", "unknown"]


def test_the_order_of_the_rows_does_not_matter_within_an_offer(tmp_path: Path) -> None:
    lines = ROWS.splitlines(keepends=True)
    mixed = "".join([lines[1], lines[4], lines[0], lines[3], lines[2]])
    first, second = (loaded(tmp_path, LONG, HEADER + rows) for rows in (ROWS, mixed))
    assert sorted(map(str, items(first))) == sorted(map(str, items(second)))


def test_rows_without_an_issue_or_a_quantity_are_counted(tmp_path: Path) -> None:
    study = loaded(tmp_path, LONG, HEADER + ROWS + "8,1,A,,1,3,\n8,1,A,season,,,\n")
    assert study.provenance.reasons() == {
        "no item: the column that names it is empty": 1,
        "an item without a quantity or an option": 1,
    }


def test_a_number_tells_offers_of_one_round_apart(tmp_path: Path) -> None:
    mapping = LONG.replace('round = "turn"', 'offer = "turn"').replace(", total = 4", "")
    log = HEADER + "7,1,A,apple,3,1,no\n7,2,A,apple,2,2,no\n7,1,A,pear,0,4,no\n"
    study = loaded(tmp_path, mapping, log)
    assert study.offers["units_to_proposer"].tolist() == [3, 2]
    with pytest.raises(LogError, match=r"row 5.*the offer has no number"):
        loaded(tmp_path, mapping, log + "7,,A,pear,0,4,no\n")


def test_options(tmp_path: Path) -> None:
    mapping = LONG.replace('to_proposer = "mine", to_responder = "yours", total = 4', 'option = "mine"')
    study = loaded(tmp_path, mapping, HEADER + "7,1,A,salary,high,,no\n7,1,A,start,May,,no\n")
    assert items(study) == [["7", 1, "salary", None, None, "high"], ["7", 1, "start", None, None, "May"]]


FAULTS = {
    "an issue twice": (
        "7,1,A,apple,3,1,no\n",
        "row 7.*item 'apple' is also in row 2 of log.csv",
    ),
    "another answer": ("8,1,A,pear,1,,no\n8,1,A,fig,1,,yes\n", "rows of one offer must agree on response"),
    "more than there is": ("9,1,A,apple,5,,no\n", "the offer gives 5 and -1 of a total of 4"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_in_the_rows(name: str, tmp_path: Path) -> None:
    rows, message = FAULTS[name]
    with pytest.raises(LogError, match=message):
        loaded(tmp_path, LONG, HEADER + ROWS + rows)


BAD = {
    'row = "item"\ngames.game_id = "g"': "item.name: is needed",
    'row = "item"\ngames.game_id = "g"\nitem.name = "i"': "item: needs to_proposer, to_responder or option",
    'row = "offer"\ngames.game_id = "g"\nitem = { name = "i", option = "o" }': 'item: is for logs with row = "item"',
    'row = "item"\ngames.game_id = "g"\nitem = { name = "i", option = "o" }\nitems.a.option = "b"': "items: a row is",
    'row = "item"\ngames.game_id = "g"\nitem = { nam = "i", option = "o" }': "item: there is no key 'nam'",
}


@pytest.mark.parametrize("text", BAD)
def test_what_a_mapping_of_items_may_not_say(text: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=BAD[text]):
        loaded(tmp_path, text, "g,i,o\n")


def guessed(folder: Path, log: str, name: str = "log.csv") -> tuple[str, Study]:
    (folder / name).write_text(log)
    text = suggest(folder / name)
    return text, loaded(folder, text, log, name)


def test_a_row_an_issue_is_guessed(tmp_path: Path) -> None:
    log = "dyad,turn,who,issue,quantity,answer\n" + "".join(
        f"{dyad},{turn},{'AB'[(turn - 1) % 2]},{issue},{(turn * dyad) % 7},{'yes' if turn == 2 + dyad % 3 else 'no'}\n"
        for dyad in range(1, 13)
        for turn in range(1, 3 + dyad % 3)
        for issue in ("apple", "pear")
    )
    text, study = guessed(tmp_path, log)
    assert 'row = "item"' in text
    assert '[item]\nname = "issue"\nto_proposer = "quantity"' in text
    assert study.offers["units_to_proposer"].tolist()[:3] == [2, 4, 6]
    assert study.offers["response"].tolist()[:3] == ["rejected", "rejected", "accepted"]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("own", "other"),
    [("{}_me", "{}_you"), ("self.{}", "other.{}"), ("my_{}", "your_{}"), ("b.{}.own", "b.{}.other")],
)
def test_both_sides_in_columns_are_guessed(own: str, other: str, tmp_path: Path) -> None:
    names = [side.format(issue) for issue in ("apple", "pear") for side in (own, other)]
    of_dyads = ["1,A,3,1,2,2,0", "2,B,2,2,1,3,0", "3,A,2,2,2,2,1"]
    rows = [f"{dyad},{cells}" for dyad in range(1, 13) for cells in of_dyads]
    text, study = guessed(tmp_path, "\n".join([",".join(["dyad", "turn", "who", *names, "accepted"]), *rows]) + "\n")
    assert f'[items.apple]\nto_proposer = "{own.format("apple")}"' in text
    assert study.offers["units_to_proposer"].tolist() == [5, 3, 4] * 12
    assert study.offers["units_to_responder"].tolist() == [3, 5, 4] * 12
    assert items(study)[:2] == [["1", 1, "apple", "A", 3, None], ["1", 1, "apple", "B", 1, None]]


@pytest.mark.slow
def test_objects_by_the_names_of_seats_are_guessed(tmp_path: Path) -> None:
    lines = [
        {
            "game": game,
            "turn": turn,
            "speaker": ("Ann Lee", "Ben")[turn % 2],
            "state": {"Ann Lee": {"apple": turn, "pear": 3 - turn}, "Ben": {"apple": 4 - turn, "pear": 1 + turn}},
            "response": "accepted" if turn == 2 else "rejected",
        }
        for game in "abcdefgh"
        for turn in range(3)
    ]
    text, study = guessed(tmp_path, "\n".join(map(json.dumps, lines)), "log.jsonl")
    assert '[seats."Ann Lee".items]\napple = "state.Ann Lee.apple"' in text
    assert study.items.loc[study.items["receiver"] == "Ben", "quantity"].tolist() == [4, 1, 3, 2, 2, 3] * 8
    assert study.offers["proposer"].tolist() == ["Ann Lee", "Ben", "Ann Lee"] * 8
    whole = json.dumps({"version": 1, "states": lines})
    assert guessed(tmp_path, whole, "log.json")[1].items.equals(study.items)  # a list under a key


def test_a_row_of_who_asks_whom_is_an_offer_though_each_seat_offers_once(tmp_path: Path) -> None:
    of_game = "g{0},1,buyer,seller,reject\ng{0},2,seller,buyer,reject\ng{0},3,buyer,seller,accept\n"
    rows = "".join(of_game.format(n) for n in range(12))
    (tmp_path / "log.csv").write_text("game,round,proposer,responder,response\n" + rows)
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path / "log.csv"))
    study = read(tmp_path / "log.csv", read_mapping(tmp_path / "mapping.toml"))
    assert study.offers["proposer"].tolist() == ["buyer", "seller", "buyer"] * 12
    assert study.offers["responder"].tolist() == ["seller", "buyer", "seller"] * 12
    assert study.offers["response"].tolist() == ["rejected", "rejected", "accepted"] * 12
