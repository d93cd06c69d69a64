"""Lists inside rows: the turns of a dialogue become rows, read and guessed."""

from __future__ import annotations

import json
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import negstats
from negstats.errors import LogError
from negstats.loaders.mapping import draft_of, read, read_as, read_mapping, suggest
from negstats.loaders.mapping.forms import Asked
from negstats.studies.study import Study

ACTS = ("offer", "offer", "inform", "offer", "accept")


def talks() -> list[dict[str, Any]]:
    return [
        {
            "dialogue_id": f"d{talk}",
            "condition": ("gain", "loss")[talk % 2],
            "turns": [
                {
                    "speaker": ("buyer", "seller")[turn % 2],
                    "text": f"What about {100 + talk + 5 * turn}?" if act != "accept" else "That is a deal",
                    "act": act,
                    "offer": {"price": 100 + talk + 5 * turn, "extras": turn} if act == "offer" else None,
                }
                for turn, act in enumerate(ACTS)
            ],
            "outcome": {"price": 115 + talk, "deal": True},
        }
        for talk in range(8)
    ]


def as_list(folder: Path) -> Path:
    (folder / "talks.json").write_text(json.dumps(talks()))
    return folder / "talks.json"


def as_lines(folder: Path) -> Path:
    (folder / "talks.jsonl").write_text("\n".join(map(json.dumps, talks())) + "\n")
    return folder / "talks.jsonl"


def by_names(folder: Path) -> Path:
    whole = {talk.pop("dialogue_id"): talk for talk in talks()}
    (folder / "talks.json").write_text(json.dumps(whole))
    return folder / "talks.json"


def under_a_key(folder: Path) -> Path:
    (folder / "talks.json").write_text(json.dumps({"version": 3, "talks": talks()}))
    return folder / "talks.json"


def a_file_each(folder: Path) -> Path:
    (folder / "logs").mkdir()
    for talk in talks():
        (folder / "logs" / f"{talk['dialogue_id']}.json").write_text(json.dumps(talk))
    return folder / "logs"


def in_cells(folder: Path) -> Path:
    frame = pd.DataFrame(talks())
    for name in ("turns", "outcome"):
        frame[name] = frame[name].map(json.dumps)
    frame.to_csv(folder / "talks.csv", index=False)
    return folder / "talks.csv"


def printed_by_python(folder: Path) -> Path:
    pd.DataFrame(talks()).to_csv(folder / "talks.csv", index=False)
    return folder / "talks.csv"


SHAPES = (as_list, as_lines, by_names, under_a_key, a_file_each, in_cells, printed_by_python)


def loaded(folder: Path, log: Path, text: str) -> Study:
    (folder / "mapping.toml").write_text(text, encoding="utf-8")
    return read(log, read_mapping(folder / "mapping.toml"))


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_talks_are_guessed_in_every_shape(shape: Any, tmp_path: Path) -> None:
    log = shape(tmp_path)
    text = suggest(log)
    assert 'rows = "turns"' in text
    study = loaded(tmp_path, log, text)
    assert (len(study.games), len(study.offers), len(study.messages)) == (8, 24, 40)
    assert study.games["condition"].value_counts().to_dict() == {"gain": 4, "loss": 4}
    first = study.offers[study.offers["game_id"] == study.games["game_id"][0]]
    assert first["proposer"].tolist() == ["buyer", "seller", "seller"]
    assert first["response"].tolist() == ["superseded", "superseded", "accepted"]
    prices = study.items[study.items["item"] == "price"]
    assert prices["quantity"].notna().all() or prices["option"].notna().all()
    assert len(study.items) == 48


def test_lists_of_lists_and_of_texts(tmp_path: Path) -> None:
    rows = [
        {"id": f"d{talk}", "chat": [[("Ann", "Ben")[turn % 2], f"I say {turn} and {talk}"] for turn in range(4)]}
        for talk in range(5)
    ]
    (tmp_path / "log.json").write_text(json.dumps(rows))
    study = loaded(tmp_path, tmp_path / "log.json", suggest(tmp_path / "log.json"))
    assert study.messages["sender"].tolist() == ["Ann", "Ben"] * 10
    assert study.messages["text"][1] == "I say 1 and 0"
    for row in rows:
        row["chat"] = [text for _, text in row["chat"]]
    (tmp_path / "log.json").write_text(json.dumps(rows))
    text = suggest(tmp_path / "log.json")
    assert 'text = "chat"' in text
    study = loaded(tmp_path, tmp_path / "log.json", text)
    assert sum(study.provenance.reasons().values()) == 20  # nobody says who spoke


def test_the_row_of_a_list_names_a_game(tmp_path: Path) -> None:
    rows = [{"chat": [{"who": "AB"[turn % 2], "keep": turn, "give": 4 - turn} for turn in range(3)]} for _ in range(4)]
    log = tmp_path / "log.json"
    log.write_text(json.dumps(rows))
    mapping = (
        'row = "offer"\nrows = "chat"\ngames.game_id = { row = true }\nplayers.player = "chat.who"\n'
        '[offers]\nround = "chat.#"\nunits_to_proposer = "chat.keep"\nunits_to_responder = "chat.give"\n'
    )
    study = loaded(tmp_path, log, mapping)
    assert study.games["game_id"].tolist() == ["1", "2", "3", "4"]
    assert study.offers["round"].tolist() == [1, 2, 3] * 4
    assert study.offers["units_to_proposer"].tolist() == [0, 1, 2] * 4


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ('"turn"', "there is no column with lists called 'turn'; did you mean 'turns'"),
        ('"condition"', "row 1, column 'condition': 'gain' is not a list"),
        ("3", "rows: 3 is not text in quotes"),
    ],
)
def test_faults(rows: str, message: str, tmp_path: Path) -> None:
    mapping = f'row = "message"\nrows = {rows}\ngames.game_id = "dialogue_id"\nmessages.text = "turns.text"\n'
    with pytest.raises(LogError, match=message):
        loaded(tmp_path, as_list(tmp_path), mapping)


def test_nothing_in_a_list_is_executed(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("g,turns\n1,\"[open('x', 'w')]\"\n")
    mapping = 'row = "message"\nrows = "turns"\ngames.game_id = "g"\nmessages.text = "turns"\n'
    with pytest.raises(LogError, match="is not a list"):
        loaded(tmp_path, tmp_path / "log.csv", mapping)
    assert not (tmp_path / "x").exists()


GAMES = st.lists(st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=4), min_size=1, max_size=5)
OFFERS = """row = "offer"
rows = {rows}
games.game_id = "game"
[offers]
proposer = {{ constant = "P" }}
responder = {{ constant = "R" }}
units_to_responder = "{amount}"
"""


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(games=GAMES)
def test_lists_side_by_side_and_inside_others_read_as_one_row_each(games: list[list[tuple[int, bool]]]) -> None:
    flat = [{"game": f"g{n}", "give": give, "ok": ok} for n, game in enumerate(games) for give, ok in game]
    parallel = [
        {"game": f"g{n}", "give": [give for give, _ in game], "ok": [ok for _, ok in game]}
        for n, game in enumerate(games)
    ]
    nested = [
        {"game": f"g{n}", "turns": [{"who": "P", "acts": [{"give": give, "ok": ok}]} for give, ok in game]}
        for n, game in enumerate(games)
    ]
    cells = pd.DataFrame(parallel).assign(give=lambda frame: frame["give"].map(json.dumps))
    cells["ok"] = cells["ok"].map(json.dumps)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "flat.json").write_text(json.dumps(flat))
        (folder / "parallel.json").write_text(json.dumps(parallel))
        (folder / "nested.json").write_text(json.dumps(nested))
        cells.to_csv(folder / "cells.csv", index=False)
        side_by_side = OFFERS.format(rows='["give", "ok"]', amount="give")
        acts = OFFERS.format(rows='"turns.acts"', amount="turns.acts.give")
        plain = OFFERS.replace("rows = {rows}\n", "").format(amount="give")
        expected = loaded(folder, folder / "flat.json", plain)
        for file, text in (("parallel.json", side_by_side), ("cells.csv", side_by_side), ("nested.json", acts)):
            study = loaded(folder, folder / file, text)
            pd.testing.assert_frame_equal(study.offers, expected.offers)
            pd.testing.assert_frame_equal(study.games, expected.games)


@pytest.mark.slow
def test_lists_of_one_length_are_proposed_as_rows(tmp_path: Path) -> None:
    rows = [
        {
            "game": f"g{n}",
            "offers": [n % 5, 3, 4][n % 2 :],
            "accepted": [0, 0, 1][n % 2 :],
            "pay": [n, n + 2],
            "to": [1, 2],
        }
        for n in range(8)
    ]
    frame = pd.DataFrame(rows)
    for name in ("offers", "accepted", "pay", "to"):
        frame[name] = frame[name].map(json.dumps)
    frame.to_csv(tmp_path / "log.csv", index=False)
    assert 'rows = ["offers", "accepted"]' in suggest(tmp_path / "log.csv")
    frame.drop(columns=["offers", "accepted"]).to_csv(tmp_path / "log.csv", index=False)
    assert "rows = " not in suggest(tmp_path / "log.csv")  # pay and to are of two seats


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ('["give", "ok"]', r"row 1, column 'give': the lists of one row differ in length \(give: 2, ok: 1\)"),
        ('["give", "give"]', "names a column twice"),
        ('["give", 3]', "rows: 3 is not text in quotes"),
        ('["ok", "turns.acts"]', "'ok' and 'turns.acts' are not side by side: only one is inside 'turns'"),
        ('"give.acts"', "no column with lists called 'give.acts'"),
    ],
)
def test_faults_of_lists_side_by_side(rows: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(
        json.dumps([{"game": "a", "give": [1, 2], "ok": [True], "turns": [{"acts": [1]}]}])
    )
    with pytest.raises(LogError, match=message):
        loaded(tmp_path, tmp_path / "log.json", OFFERS.format(rows=rows, amount="give"))


def otree_export(history: Any = json.dumps) -> str:
    """Return an export of an app in which each group has a list of offers, on the row of each of its members."""
    names = "participant.code,session.code,subsession.round_number,group.id_in_subsession,player.id_in_group,"
    rows = [f"{names}player.payoff,group.treatment,group.history,player.bids"]
    for group in range(1, 7):
        offers = [{"round": n, "proposer": 1 + n % 2, "offer": 10 * n + group} for n in range(1, 2 + group % 3)]
        quoted = history(offers).replace('"', '""')
        for seat in (1, 2):
            bids = [one["offer"] for one in offers if one["proposer"] == seat]
            treatment = ("chat", "silent")[group % 2]
            rows.append(f'p{group}{seat},s,1,{group},{seat},{group},{treatment},"{quoted}","{bids}"')
    return "\n".join(rows) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("history", [json.dumps, str])
def test_a_list_of_a_group_that_stands_on_each_members_row_is_read_once(tmp_path: Path, history: Any) -> None:
    log = tmp_path / "bargaining_2026-01-02.csv"
    log.write_text(otree_export(history))
    text = suggest(log)
    assert 'rows_once = ["session.code", "subsession.round_number", "group.id_in_subsession"]' in text
    study = loaded(tmp_path, log, text)
    table = pd.read_csv(log).drop_duplicates("group.id_in_subsession")
    offers = [one["offer"] for cell in table["group.history"] for one in json.loads(cell.replace("'", '"'))]
    assert study.offers["units_to_responder"].tolist() == offers
    assert len(study.games) == 6
    assert study.offers["round"].tolist()[:3] == [1, 2, 1]
    twice = loaded(tmp_path, log, "\n".join(line for line in text.splitlines() if not line.startswith("rows_once")))
    assert len(twice.offers) == 2 * len(offers)


@pytest.mark.slow
def test_members_with_other_lists_than_their_group_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "bargaining_2026-01-02.csv"
    log.write_text(otree_export())
    text = suggest(log)
    lines = log.read_text().splitlines()
    log.write_text("\n".join([*lines[:2], lines[2].replace('""offer"": 11', '""offer"": 12'), *lines[3:]]) + "\n")
    with pytest.raises(
        LogError, match=r"row 3, .*another list than in an earlier row with the same 'session.code' and"
    ):
        loaded(tmp_path, log, text)


def test_lists_in_fields_of_an_app_are_no_factors(tmp_path: Path) -> None:
    log = tmp_path / "bargaining_2026-01-02.csv"
    log.write_text(otree_export())
    study = negstats.load(log)
    assert study.factors == ["app", "round", "treatment"]
    assert not len(study.answers)
    assert [note.partition(" which")[0] for note in study.provenance.notes if "lists" in note] == [
        "group.history holds lists,",
        "player.bids holds lists,",
    ]


def test_lists_of_numbers_are_each_seats_offers(tmp_path: Path) -> None:
    rows = ["game,player,condition,offers"]
    lists = {(g, who): [10 * g + n for n in range(1 + (g + (who == "B")) % 4)] for g in range(1, 9) for who in "AB"}
    rows += [f'{g},{who},{("x", "y")[g % 2]},"{numbers}"' for (g, who), numbers in lists.items()]
    (tmp_path / "log.csv").write_text("\n".join(rows) + "\n")
    text = suggest(tmp_path / "log.csv")
    assert 'rows = "offers"' in text
    study = loaded(tmp_path, tmp_path / "log.csv", text)
    assert len(study.games) == 8
    offers = study.offers.groupby(["game_id", "proposer"])["units_to_responder"].agg(list).to_dict()
    assert offers == {(str(g), who): numbers for (g, who), numbers in lists.items()}


@pytest.mark.parametrize(("damaged", "games"), [(2, 10), (3, None)])
def test_up_to_a_fifth_of_cells_that_are_no_lists_are_counted(tmp_path: Path, damaged: int, games: int | None) -> None:
    rows = ["id,turns"]
    whole = json.dumps([{"who": "A", "offer": 4}, {"who": "B", "offer": 5}]).replace('"', '""')
    rows += [f'{n},"{whole[:20] if n < damaged else whole}"' for n in range(12)]
    (tmp_path / "log.csv").write_text("\n".join(rows) + "\n")
    text = 'row = "offer"\nrows = "turns"\ngames.game_id = "id"\nplayers.player = "turns.who"\n'
    text += 'offers.units_to_responder = "turns.offer"\n'
    if games is None:
        with pytest.raises(LogError, match="is not a list"):
            loaded(tmp_path, tmp_path / "log.csv", text)
        return
    study = loaded(tmp_path, tmp_path / "log.csv", text)
    assert len(study.games) == games
    assert study.provenance.reasons() == {"turns is not a list": damaged}


@pytest.mark.slow
@given(st.text(alphabet="[]{}\"',:()0123456789 abc_.", max_size=60))
def test_no_cell_is_executed_or_breaks_the_guess(tmp_path_factory: pytest.TempPathFactory, cell: str) -> None:
    log = tmp_path_factory.mktemp("cells") / "log.csv"
    pd.DataFrame({"game": range(5), "x": ["__import__('os').abort()", cell, cell, "[1, 2]", "[3, 4, 5]"]}).to_csv(
        log, index=False
    )
    assert "row = " in suggest(log)


@pytest.mark.parametrize("names", [("pid", "t", "split"), ("c1", "c2", "c3")], ids=["named", "unnamed"])
def test_lists_of_what_each_person_decided(names: tuple[str, str, str], tmp_path: Path) -> None:
    """Where nothing in a list tells who acts, its elements are decisions of whoever it belongs to."""
    person, order, split = names
    people = [
        {
            person: f"x{place:03d}",
            "arm": ("robot", "human")[place % 2],
            "list": [{order: turn, split: (17 * place + 29 * turn) % 101} for turn in range(6)],
            "trust": 1 + place * 5 % 7,
        }
        for place in range(50)
    ]
    (tmp_path / "people.jsonl").write_text("\n".join(map(json.dumps, people)) + "\n")
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path / "people.jsonl"))
    study = negstats.load(tmp_path / "people.jsonl", mapping=tmp_path / "mapping.toml")
    assert (len(study.games), study.players["participant_id"].nunique()) == (300, 50)
    assert study.games["arm"].value_counts().to_dict() == {"human": 150, "robot": 150}


def dialogues_in_files(folder: Path) -> Path:
    """Save a file of twelve dialogues for each way of asking: a list of lists of turns, with what was given beside."""
    logs = folder / "logs"
    logs.mkdir()
    for way in ("plain", "polite", "strict"):
        turns = [
            [
                {"von": ("frager", "modell")[turn % 2], "satz": f"Das ist der {turn}. Satz im {talk}. Lauf ({way})"}
                for turn in range(4)
            ]
            for talk in range(12)
        ]
        content = {"verlauf": turns, "gegeben": [10 * (talk % 4) for talk in range(12)], "modell": "m-1"}
        (logs / f"teilen_{way}.json").write_text(json.dumps(content))
    return logs


def test_each_of_a_list_of_lists_of_turns_is_a_talk(tmp_path: Path) -> None:
    logs = dialogues_in_files(tmp_path)
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(suggest(logs))
    study = read(logs, read_mapping(mapping))
    assert (len(study.games), len(study.messages)) == (3 * 12, 3 * 12 * 4)
    assert study.messages.groupby("game_id").size().eq(4).all()
    assert sorted({level for name in study.factors for level in study.games[name]}) == ["plain", "polite", "strict"]


def test_what_stands_beside_each_list_goes_with_it(tmp_path: Path) -> None:
    logs = dialogues_in_files(tmp_path)
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(
        'row = "message"\nrows = "verlauf"\ngames.game_id = [{ file = true }, { row = true }]\n'
        'measures.gegeben = "gegeben"\nplayers.player = "verlauf.von"\nmessages.text = "verlauf.satz"\n'
        'factors.modell = "modell"\n'
    )
    games = read(logs, read_mapping(mapping)).games.sort_values("game_id")
    assert sorted(games["gegeben"]) == sorted([0.0, 10.0, 20.0, 30.0] * 9)


def test_a_list_of_lists_of_numbers_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(json.dumps({"rounds": [[4, 6], [5, 5], [7, 3]]}))
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(
        'row = "game"\nrows = "rounds"\ngames.game_id = "rounds.#"\n'
        'measures.first = "rounds.1"\nmeasures.second = "rounds.2"\n'
    )
    assert read(tmp_path / "log.json", read_mapping(mapping)).games["second"].tolist() == [6, 5, 3]


def test_numbers_that_are_the_same_in_every_row_are_no_rows_of_it(tmp_path: Path) -> None:
    """What a bot believes at first is nothing that happened; what is called a condition was set, as the side was."""
    rng = np.random.default_rng(14)
    people = {
        f"w{person * 71 % 97}": {
            "condition": {"informed": bool(rng.random() < 0.4), "speed": int(rng.integers(3))},
            "side": "guest" if person % 2 else "host",
            "start": {"values": [0, 1, 2, 3, 5], "weights": [0.1, 0.2, 0.4, 0.2, 0.1]},
            "status": str(rng.choice(["submitted", "failed", "playing"], p=[0.7, 0.2, 0.1])),
            "won": round(float(rng.normal(20, 6)), 2),
            "rated": int(rng.integers(1, 8)),
        }
        for person in range(60)
    }
    (tmp_path / "people.json").write_text(json.dumps(people))
    keys = tomllib.loads(suggest(tmp_path / "people.json"))
    assert "rows" not in keys
    assert keys["games"] == {"game_id": "key"}
    assert {*keys["factors"].values()} == {"side", "condition.informed", "condition.speed"}


def test_a_word_of_each_game_is_no_kind_of_event(tmp_path: Path) -> None:
    rng = np.random.default_rng(15)
    games = {
        f"g{game:02d}": {
            "status": "accepted" if game % 3 else "offer",
            "tries": [int(each) for each in rng.integers(1, 40, int(rng.integers(2, 5)))],
        }
        for game in range(40)
    }
    (tmp_path / "games.json").write_text(json.dumps(games))
    assert 'event = "status"' not in suggest(tmp_path / "games.json")


def test_a_remark_about_a_person_makes_no_talk_of_the_persons_rounds(tmp_path: Path) -> None:
    rng = np.random.default_rng(16)
    people = {
        f"z{person * 71 % 97}": {
            "condition": {"shown": bool(person % 2), "pace": int(rng.integers(3))},
            "note": f"{rng.integers(100, 900) / 100:.2f} paid out at the desk by {'abcd'[person % 4]}",
            "rounds": [{"lent": int(rng.poisson(5)), "back": int(rng.poisson(8))} for _ in range(6)],
        }
        for person in range(50)
    }
    (tmp_path / "people.json").write_text(json.dumps(people))
    keys = tomllib.loads(suggest(tmp_path / "people.json"))
    assert (keys["row"], keys["rows"]) == ("player", "rounds")
    assert keys["players"]["participant_id"] == "key"
    assert {*keys["measures"].values()} == {"rounds.lent", "rounds.back"}
    assert "condition.shown" in keys["factors"].values()


def test_what_all_decide_at_once_after_a_form_is_no_talk(tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    rules = " ".join(f"With choice{place} you lose {place}.5 points unless rule{place} holds." for place in range(9))
    for match in range(24):
        acts: list[dict[str, object]] = []
        for number in range(1, 7):
            for name in ("agent1", "agent2"):
                seen = ", ".join(map(str, rng.integers(9, size=4)))
                told = f"You are {name}.\n{rules}\nThis is round {number}, and so far you chose {seen}."
                acts.append({"round": number, "agent": name, "asked": told, "strategy": str(rng.choice(["A", "B"]))})
        game = {"settings": {"seed": match}, "arm": ("low", "high")[match % 2], "acts": acts}
        (tmp_path / f"m{match:02d}.json").write_text(json.dumps(game))
    text = draft_of(tmp_path, Asked(), {"row": "2"}).text
    assert "messages" not in text
    assert 'strategy = "acts.strategy"' in text or '"acts.strategy", kind = "yes/no"' in text
    study = read_as(tmp_path, text)
    assert (len(study.games), len(study.players)) == (24 * 6, 24 * 12)
    assert study.players["participant_id"].nunique() == 48


def test_rounds_that_are_keys_of_a_file_are_rows_and_nobodys_names(tmp_path: Path) -> None:
    """Each file is an auction of one round: what its lists hold at one place is one bidder's."""
    rng = np.random.default_rng(17)
    for place in range(24):
        (folder := tmp_path / "runs" / ("sealed", "open")[place % 2]).mkdir(parents=True, exist_ok=True)
        bids = [float(bid) for bid in rng.integers(1, 90, 3)]
        told = {
            "worth": [int(worth) for worth in rng.integers(1, 99, 3)],
            "bids": [{"agent": f"Bidder {who}", "bid": bid} for who, bid in zip("XYZ", bids, strict=True)],
            "paid": max(bids),
            "profit": [float(each) for each in rng.integers(0, 30, 3)],
            "plan": [f"bid about {int(each)} of what it is worth to me" for each in rng.integers(10, 90, 3)],
        }
        (folder / f"result_{place}.json").write_text(json.dumps({"round_0": told}))
    text = suggest(tmp_path / "runs")
    keys = tomllib.loads(text)
    assert "open" not in keys
    assert keys["players"] == {"player": "bids.agent", "points": "profit"}
    assert keys["factors"] == {"folder": {"folder": 1}}
    (tmp_path / "map.toml").write_text(text)
    study = read(tmp_path / "runs", read_mapping(tmp_path / "map.toml"))
    assert (len(study.games), len(study.players)) == (24, 72)


def test_rounds_of_a_run_are_no_people_of_whom_each_has_one_in_each_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(18)
    (tmp_path / "runs").mkdir()
    for run in ("kind_kind", "kind_sly", "sly_kind", "sly_sly"):
        rounds = {
            f"round_{place}": {f"agent {seat}": str(rng.choice(["stay", "leave"])) for seat in (1, 2)}
            for place in range(12)
        }
        (tmp_path / "runs" / f"{run}.json").write_text(json.dumps(rounds))
    keys = tomllib.loads(suggest(tmp_path / "runs"))
    assert any(question["subject"] == "row" and question["stop"] for question in keys["open"])
    assert any("file" in option for option in keys["open"][0]["options"])


def test_who_acts_in_a_round_may_be_the_key_of_what_they_did(tmp_path: Path) -> None:
    rounds = {"round_1": {"Ann": {"gives": 3}, "Bo": {"gives": 5}}, "round_2": {"Bo": {"gives": 4}}}
    (tmp_path / "log.json").write_text(json.dumps([{"pair": f"p{place}", "rounds": rounds} for place in range(3)]))
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(
        'row = "offer"\nrows = "rounds.*"\ngames.game_id = "pair"\nplayers.player = "rounds.key"\n'
        'offers.round = "rounds.round"\noffers.units_to_responder = "rounds.gives"\n'
    )
    offers = read(tmp_path / "log.json", read_mapping(mapping)).offers
    assert offers["proposer"].tolist() == ["Ann", "Bo", "Bo"] * 3
    assert offers["round"].tolist() == [1, 1, 2] * 3
