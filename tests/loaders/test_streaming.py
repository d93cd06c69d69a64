"""A log taken in pieces gives the files that the same log gives at once, however its games are mixed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import negstats
from negstats.errors import LogError, NegstatsError, SchemaError, UsageError
from negstats.games.contract import study_game
from negstats.games.rulesheet import sheet
from negstats.loaders import load_to, streaming
from negstats.loaders.mapping import streaming as mapping_streaming
from negstats.simulate.contract import games_of, write_log
from negstats.simulate.rulesheet import Setup, sessions_of
from negstats.simulate.rulesheet import events as told_of
from negstats.studies import parquet_writer
from negstats.studies.records import OF_TABLES
from tests.conftest import runs
from tests.loaders import test_dealornodeal_acts as acts
from tests.loaders import test_dominance as dominance
from tests.loaders import test_favors as favors

Events = list[dict[str, Any]]
LOTS: list[int] = []  # how many rows each lot of the last log had


@pytest.fixture(autouse=True)
def small_lots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make blocks, lots and groups of rows so small that a small log fills several."""
    for module, name, size in (
        (streaming, "BLOCK", 2**10),
        (streaming, "LOT", 2**12),
        (streaming, "HELD", 2**13),
        (mapping_streaming, "SMALL", 0),
        (parquet_writer, "GROUP", 50),
    ):
        monkeypatch.setattr(module, name, size)
    LOTS.clear()
    given_back = streaming.Spool.lots

    def counted(self: streaming.Spool, size: int) -> Iterator[pa.Table]:
        for lot in given_back(self, size):
            LOTS.append(len(lot))
            yield lot

    monkeypatch.setattr(streaming.Spool, "lots", counted)


def card(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "study.json").read_text())
    return content


def same_either_way(log: Path, **given: Any) -> dict[str, Any]:
    """Load a log at once and in pieces, and return the card if the two are the same to the last byte.

    Answers come in the order of the rows or, in pieces, of the games: they need be the same only in some order.
    """
    at_once = card(load_to(log, log.parent / "at once", stream=False, **given))
    in_pieces = card(load_to(log, log.parent / "in pieces", stream=True, **given))
    assert len(LOTS) > 1, "the log was too small to be taken in pieces"
    at_once["left_out"], in_pieces["left_out"] = (sorted(map(str, one["left_out"])) for one in (at_once, in_pieces))
    for one in (at_once, in_pieces):
        one.pop("sha256")  # of the card, with the order of the rows that are left out
        # Suspicions about tables are stored where these are in memory; of pieces they are found at opening.
        one["records"] = [record for record in one["records"] if record["kind"] not in OF_TABLES]
    frames = [pd.read_parquet(log.parent / folder / "answers.parquet") for folder in ("at once", "in pieces")]
    keys = ["participant_id", "game_id", "question"]
    first, second = (frame.sort_values(keys, ignore_index=True) for frame in frames)
    assert_frame_equal(first, second)
    at_once["tables"]["answers"].pop("sha256"), in_pieces["tables"]["answers"].pop("sha256")
    tables = at_once["tables"].items()
    assert not [name for name, written in tables if in_pieces["tables"][name] != written]
    assert at_once == in_pieces
    assert sorted(entry.name for entry in (log.parent / "in pieces").iterdir()) == sorted(
        entry.name for entry in (log.parent / "at once").iterdir()
    )
    return in_pieces


def contract(folder: Path) -> Events:
    log = folder / "contract.jsonl"
    write_log(log, study_game(), [*games_of("HvsH", "China", games=6, seed=1), *games_of("HvsCS-A", "USA", 6, 2)])
    results = [json.loads(line) for line in log.read_text().splitlines()]
    log.unlink()
    return results


def named(told: Events, key: str, count: int) -> Events:
    """Some games of the same events, each with a name of its own."""
    return [event | {key: f"{key} {number}"} for number in range(count) for event in told]


def rules(folder: Path) -> Events:
    setup = Setup.of(sheet.negotiating_prisoners(3), "own_payoff:last", name="prisoners")
    return [dict(event) for event in told_of(setup, sessions_of(setup, 20, seed=1))]


SAID: Events = [dominance.STATE, dominance.OFFER, dominance.TAKEN, dominance.WHOLE, dominance.BOOKED, dominance.END]
LOGS: dict[str, tuple[str, Callable[[Path], Events]]] = {
    "contract": ("game", contract),
    "favors": ("session", lambda _: named(favors.WHOLE, "session", 30)),
    "dominance": (
        "talk",
        lambda _: named([dominance.TALK | {"orders": dominance.ORDERS}, *SAID], "talk", 30),
    ),
    "rulesheet": ("game", rules),
    "dealornodeal_acts": ("game", lambda _: named([acts.GAME, acts.ASKS, acts.TAKES, acts.ENDS], "game", 30)),
}


def mixed(told: Events, key: str) -> Events:
    """The same games, their events mixed; what belongs to no game, and the first event, stay where they are."""
    rng = np.random.default_rng(5)
    games: dict[Any, list[dict[str, Any]]] = {}
    for event in told[1:]:
        games.setdefault(event.get(key), []).append(event)
    nobody = games.pop(None, [])
    first = [queue.pop(0) for queue in games.values()]
    order = [game for game, queue in games.items() for _ in queue]
    rest = [games[order[at]].pop(0) for at in rng.permutation(len(order))]
    return [told[0], *nobody, *first, *rest]


@pytest.mark.slow
@pytest.mark.parametrize("mix", [False, True], ids=["in turn", "mixed"])
@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_events_gives_the_same_files(name: str, mix: bool, tmp_path: Path) -> None:
    key, make = LOGS[name]
    result = make(tmp_path)
    result = mixed(result, key) if mix else result
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, result[:-1])) + "\r\n\n" + json.dumps(result[-1]))  # blank line, no end
    study = same_either_way(log, format=name)
    assert study["sources"][0]["rows"] == len(result)
    assert study["loader"] == name


@pytest.mark.slow
def test_games_may_stand_in_several_files(tmp_path: Path) -> None:
    result = contract(tmp_path)
    folder = tmp_path / "logs"
    folder.mkdir()
    for part in range(3):
        lines = result[part * len(result) // 3 : (part + 1) * len(result) // 3]  # a game goes on in the next file
        (folder / f"{part}.jsonl").write_text("".join(json.dumps(event) + "\n" for event in lines))
    assert len(same_either_way(folder)["sources"]) == 3


@pytest.mark.slow
def test_a_session_that_is_not_named_is_the_one_that_began_last_in_its_file(tmp_path: Path) -> None:
    label = named(favors.WHOLE, "session", 40)
    bare = [
        event if event["event"] == "session" else {key: value for key, value in event.items() if key != "session"}
        for event in label
    ]
    late = [{"event": "negotiation", "negotiation": 2, "proposer": "player", "session": "session 3"}]
    nameless = [{"event": "offer", "from": "agent", "player": 1, "agent": 2}]  # of the session that began last
    begun = [favors.HEAD | {"session": "last"}, favors.FIRST]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, [*bare, *begun, *late, *nameless])))
    same_either_way(log)


@pytest.mark.slow
def test_notes_add_up(tmp_path: Path) -> None:
    label = named([acts.GAME, acts.ASKS, acts.TAKES, acts.ENDS], "game", 30)
    values = [event for place, event in enumerate(label) if event["event"] != "end" or place % 8 == 3]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, values)))
    assert same_either_way(log)["notes"] == ["15 games have no end event and are kept as ended 'unknown'"]


FACTORS: dict[str, tuple[list[Any], str]] = {
    "whole numbers": ([1, 2, 3], "int64"),
    "whole numbers, then none": ([1, None, None], "float64"),
    "whole numbers, then fractions": ([1, 2, 2.5], "float64"),
    "words, then none": (["a", None, "b"], "str"),
    "truth": ([True, False, True], "bool"),
    "truth, then none": ([None, True, None], "object"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FACTORS)
def test_a_factor_has_the_type_that_all_its_values_give_it(name: str, tmp_path: Path) -> None:
    values, dtype = FACTORS[name]
    label = named([acts.GAME, acts.ASKS, acts.TAKES, acts.ENDS], "game", 30)
    for event in label:
        if event["event"] == "game":
            value = values[int(event["game"].split()[1]) // 10]
            event["factors"] = {} if value is None else {"pie": value}
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, label)))
    same_either_way(log)
    assert negstats.open_study(tmp_path / "in pieces").games["pie"].dtype == dtype


@pytest.mark.slow
@pytest.mark.parametrize("values", [["a", 1], [True, 1], ["a", True]])
def test_a_factor_of_two_kinds_is_refused_as_it_is_at_once(values: list[Any], tmp_path: Path) -> None:
    label = named([acts.GAME, acts.ASKS, acts.TAKES, acts.ENDS], "game", 30)
    for event in label:
        if event["event"] == "game":
            event["factors"] = {"pie": values[int(event["game"].split()[1]) // 15]}
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, label)))
    with pytest.raises(SchemaError, match="pie"):
        load_to(log, tmp_path / "out", stream=True)
    with pytest.raises(SchemaError, match="pie"):
        load_to(log, tmp_path / "out", stream=False)
    assert not (tmp_path / "out").exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.jsonl"]  # nothing is left beside it


FAULTS: dict[str, tuple[int, str]] = {
    "no JSON": (50, "{"),
    "no object": (50, "7"),
    "an event that is not known": (50, '{"event": "pause", "game": "game 12"}'),
    "a game that has not begun": (50, '{"event": "end", "game": "game 99", "ended": "agreement"}'),
    "a game that begins again": (50, json.dumps(acts.GAME | {"game": "game 1"})),
    "a key twice": (50, '{"event": "act", "game": "game 12", "game": "game 12", "number": 0}'),
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_in_the_same_words(name: str, tmp_path: Path) -> None:
    row, line = FAULTS[name]
    lines = [json.dumps(event) for event in named([acts.GAME, acts.ASKS, acts.TAKES, acts.ENDS], "game", 30)]
    lines.insert(row - 1, line)
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(lines))
    with pytest.raises(LogError) as at_once:
        load_to(log, tmp_path / "out", stream=False)
    with pytest.raises(LogError) as in_pieces:
        load_to(log, tmp_path / "out", stream=True)
    offered = " (--leave-out-bad-games leaves such games out and counts them)"  # of a log that is read at once
    assert str(in_pieces.value) == str(at_once.value).removesuffix(offered)
    assert in_pieces.value.row == row


MAPPING = """
row = "event"
event = "act"
games.game_id = "dyad"
factors.condition = "cond"
players = { player = "who", participant_id = ["dyad", "who"] }
offers = { units_to_proposer = "mine", units_to_responder = "yours", round = "rnd" }
answers.satisfaction = "sat"
messages.text = "text"
levels.event = { offer = ["offer"], accept = ["ok"], message = ["says"] }
where = { rnd = { to = 4 } }
"""
COLUMNS = ["dyad", "rnd", "who", "act", "mine", "yours", "text", "cond", "sat"]


def bargained(games: int, quotes: bool) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for game in range(games):
        head = {"dyad": f"d{game}", "cond": "xy"[game % 2]}
        turns = int(rng.integers(1, 6))
        for turn in range(turns):
            mine = rng.integers(0, 21).item() / 2
            rows.append(head | {"rnd": turn + 1, "who": "AB"[turn % 2], "act": "offer", "mine": mine})
            rows[-1]["yours"] = 10 - mine
            if turn == 0 and game % 3:
                rows[-1]["sat"] = int(rng.integers(1, 8))
            if quotes and rng.random() < 0.3:
                remark = 'he said, "no"\nand left' if rng.random() < 0.5 else "ça va; well"
                rows.append(head | {"rnd": turn + 1, "who": "B", "act": "says", "text": remark})
        if rng.random() < 0.6:
            rows.append(head | {"rnd": turns, "who": "AB"[turns % 2], "act": "ok"})
        if game % 5 == 0:
            rows.append({"dyad": "", "cond": "x", "rnd": 1, "who": "A", "act": "offer", "mine": 1, "yours": 9})
    return rows


def as_csv(file: Path, rows: list[dict[str, Any]], delimiter: str = ",", encoding: str = "utf-8-sig") -> None:
    with file.open("w", newline="", encoding=encoding) as sink:
        writer = csv.DictWriter(sink, COLUMNS, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def as_lines(file: Path, rows: list[dict[str, Any]]) -> None:
    lines = [json.dumps({name: cell for name, cell in row.items() if cell != "" or name == "text"}) for row in rows]
    file.write_text("\n".join(lines) + "\n")


WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], None]] = {
    "log.csv": as_csv,
    "log.tsv": lambda file, rows: as_csv(file, rows, "\t"),
    "semicolons.csv": lambda file, rows: as_csv(file, rows, ";"),
    "log.jsonl": as_lines,
}


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    file = tmp_path / "mapping.toml"
    file.write_text(MAPPING)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("hard", [False, True], ids=["plain and in turn", "quoted and mixed"])
@pytest.mark.parametrize("name", WRITERS)
def test_a_table_gives_the_same_files(name: str, hard: bool, tmp_path: Path, mapping: Path) -> None:
    rows = bargained(60, quotes=hard)
    rows = mixed(rows, "dyad") if hard else rows
    rows[0]["text"] = rows[0].get("text", "")  # the column is there in any case
    log = tmp_path / name
    WRITERS[name](log, rows)
    result = same_either_way(log, mapping=mapping)
    assert result["sources"][0]["rows"] == len(rows)
    assert len(result["left_out"]) > 10  # rounds beyond the fourth, rows of no game
    assert any("games have no offer" in note or "survey" in note for note in result["notes"])


@pytest.mark.slow
def test_several_answers(tmp_path: Path, mapping: Path) -> None:
    mapping.write_text(MAPPING.replace('answers.satisfaction = "sat"', 'answers = { a = "dyad", b = "cond" }'))
    log = tmp_path / "log.csv"
    as_csv(log, bargained(60, False))
    assert same_either_way(log, mapping=mapping)["tables"]["answers"]["rows"] > 100


@pytest.mark.slow
def test_a_row_number_may_name_a_game(tmp_path: Path, mapping: Path) -> None:
    mapping.write_text(
        'row = "offer"\ngames.game_id = [{ file = true }, { row = true }]\nplayers.player = "who"\n'
        'offers = { units_to_proposer = "mine", total = 10 }\n'
    )
    log = tmp_path / "log.csv"
    as_csv(log, bargained(40, False))
    same_either_way(log, mapping=mapping)


@pytest.mark.slow
def test_files_of_a_folder_are_taken_one_by_one(tmp_path: Path, mapping: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    rows = bargained(60, True)
    for part, name in enumerate(("a.csv", "b.jsonl", "c.csv")):
        (as_lines if name.endswith("l") else as_csv)(folder / name, rows[part::3])
    as_csv(folder / "d.csv", [])
    same_either_way(folder, mapping=mapping)


@pytest.mark.slow
def test_damaged_games_are_counted_over_the_whole_log(tmp_path: Path, mapping: Path) -> None:
    rows = bargained(100, False)
    for row in rows:
        if row["dyad"] in ("d3", "d40", "d41") and row["act"] == "offer":
            row["mine"] = "many"
    log = tmp_path / "log.csv"
    as_csv(log, rows)
    result = same_either_way(log, mapping=mapping, leave_out_bad_games=True)
    assert {record["kind"]: record["count"] for record in result["records"]} == {"damaged_games": 3}
    as_csv(log, [row | {"mine": "many"} if row["act"] == "offer" and row["dyad"] < "d4" else row for row in rows])
    with pytest.raises(LogError, match="too many to leave out"):
        load_to(log, tmp_path / "out", mapping=mapping, leave_out_bad_games=True, stream=True)


TABLE_FAULTS: dict[str, Callable[[list[str]], None]] = {
    "a cell too many": lambda lines: lines.__setitem__(90, lines[90] + ",7"),
    "no number": lambda lines: lines.insert(90, "d7,1,A,offer,many,3,,x,"),
    "no event": lambda lines: lines.insert(90, "d7,1,A,jump,1,3,,x,"),
    "another condition": lambda lines: lines.insert(90, "d7,4,A,offer,1,9,,z,"),
    "no column": lambda lines: lines.__setitem__(0, lines[0].replace("yours", "hers")),
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", TABLE_FAULTS)
def test_a_fault_in_a_table_is_told_in_the_same_words(name: str, tmp_path: Path, mapping: Path) -> None:
    log = tmp_path / "log.csv"
    as_csv(log, bargained(60, False))
    lines = log.read_text(encoding="utf-8-sig").splitlines()
    TABLE_FAULTS[name](lines)
    log.write_text("\n".join(lines) + "\n")
    with pytest.raises(LogError) as at_once:
        load_to(log, tmp_path / "out", mapping=mapping, stream=False)
    with pytest.raises(LogError) as in_pieces:
        load_to(log, tmp_path / "out", mapping=mapping, stream=True)
    assert str(in_pieces.value) == str(at_once.value)


def test_half_a_character_in_a_later_block_is_told_by_its_row(tmp_path: Path, mapping: Path) -> None:
    log = tmp_path / "log.csv"
    as_csv(log, bargained(60, False))
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:100], lines[100].replace(b"d", b"d\xe4", 1), *lines[101:]]))
    with pytest.raises(LogError, match=r"row 101.*0xe4 is not utf-8"):
        load_to(log, tmp_path / "out", mapping=mapping, stream=True)


@pytest.mark.slow
def test_a_cut_last_line_is_noted(tmp_path: Path, mapping: Path) -> None:
    log = tmp_path / "log.csv"
    as_csv(log, bargained(60, False))
    log.write_bytes(log.read_bytes().rstrip(b"\r\n"))
    assert [record["kind"] for record in same_either_way(log, mapping=mapping)["records"]] == ["last_line_open"]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('person.age = "sat"\nplayers.participant_id = ["dyad", "who"]', "answers about people"),
        ("offers.proposer = { constant = \"A\" }\nrow = 'player'", "a seat that no row is"),
        ('encoding = "cp1252"', "cp1252, not in UTF-8"),
        ('levels.game_id = { d1 = ["d1"] }', "spells games"),
    ],
)
def test_what_needs_all_rows_is_refused_in_pieces_and_loaded_at_once(
    line: str, why: str, tmp_path: Path, mapping: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = 'games.game_id = "dyad"\nplayers.player = "who"\noffers.units_to_proposer = "mine"\n'
    mapping.write_text((line if "row" in line else f"row = 'offer'\n{line}") + "\n" + base)
    log = tmp_path / "log.csv"
    as_csv(log, bargained(3, False), encoding="utf-8")
    with pytest.raises(UsageError, match=why):
        load_to(log, tmp_path / "out", mapping=mapping, stream=True)
    monkeypatch.setattr("negstats.loaders.LARGE", 0)
    faulty = "row" in line or "levels" in line
    with pytest.raises(LogError) if faulty else nullcontext():
        load_to(log, tmp_path / "out", mapping=mapping)
    assert (tmp_path / "out").exists() != faulty


@pytest.mark.slow
def test_quotes_that_leave_it_open_where_a_record_begins_are_read_at_once(
    tmp_path: Path, mapping: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.csv"
    as_csv(log, bargained(60, True))
    log.write_bytes(log.read_bytes().replace(b"\r\nd9,", b"\r\n\r\nd9,"))  # a blank line, and quotes elsewhere
    with pytest.raises(UsageError, match="which lines begin a record"):
        load_to(log, tmp_path / "out", mapping=mapping, stream=True)
    monkeypatch.setattr("negstats.loaders.LARGE", 0)
    at_once = card(load_to(log, tmp_path / "at once", mapping=mapping, stream=False))
    assert card(load_to(log, tmp_path / "out", mapping=mapping))["tables"] == at_once["tables"]


@pytest.mark.slow
def test_a_large_log_is_taken_in_pieces_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, result = tmp_path / "log.jsonl", list[str]()
    log.write_text("\n".join(map(json.dumps, named([acts.GAME, acts.ASKS, acts.TAKES, acts.ENDS], "game", 30))))
    load_to(log, tmp_path / "out", tell=result.append)
    monkeypatch.setattr("negstats.loaders.LARGE", log.stat().st_size)
    load_to(log, tmp_path / "out", tell=result.append)
    assert ["in pieces" in line for line in result] == [False, True]
    assert "because log.jsonl begins with the event 'game'" in result[1]


@pytest.mark.slow
def test_what_is_no_log_of_events_cannot_be_taken_in_pieces(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="solver_cl is not a log of events in lines"):
        load_to("datasets/sample", tmp_path / "out", stream=True)
    (tmp_path / "note.txt").write_text("to be done")
    with pytest.raises(UsageError, match="in no format that negstats knows by looking"):
        load_to(tmp_path / "note.txt", tmp_path / "out", stream=True)
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, contract(tmp_path))))
    for more in ({"leave_out_bad_games": True}, {"workers": 2}):
        with pytest.raises(UsageError, match="cannot be taken in pieces: some of the other options"):
            load_to(log, tmp_path / "out", stream=True, **more)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_an_old_study_stays_where_the_log_is_damaged(tmp_path: Path) -> None:
    lines = [json.dumps(event) for event in named([acts.GAME, acts.ASKS, acts.TAKES, acts.ENDS], "game", 30)]
    log, out = tmp_path / "log.jsonl", tmp_path / "out"
    log.write_text("\n".join(lines))
    before = card(load_to(log, out, stream=True))
    log.write_text("\n".join([*lines, "{"]))
    with pytest.raises(LogError):
        load_to(log, out, stream=True)
    assert card(out) == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["log.jsonl", "out"]


@given(
    games=st.lists(st.integers(0, 8), max_size=60),
    size=st.integers(1, 400),
    block=st.integers(1, 9),
    held=st.sampled_from([0, 2**26]),
)
@settings(max_examples=30, deadline=None)
def test_lots_hold_whole_games_in_the_order_of_their_first_rows(
    games: list[int], size: int, block: int, held: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "HELD", held)
        result = streaming.Spool(tmp_path_factory.mktemp("spool"))
        for start in range(0, len(games), block):
            part = games[start : start + block]
            rows = pa.table({"row": range(start, start + len(part))})
            result.add(rows, np.array(part, dtype=np.uint64) * np.uint64(2**60))
        lots = [lot["row"].to_pylist() for lot in result.lots(size)]
    order = list(dict.fromkeys(games))
    assert sorted(row for lot in lots for row in lot) == list(range(len(games)))
    assert all(lot == sorted(lot) for lot in lots)
    assert [game for lot in lots for game in dict.fromkeys(games[row] for row in lot)] == order


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """The same lines, one of them repeated, gone, elsewhere, cut or with another sign in it."""
    lines = data.split(b"\n")
    at, other = (int(place) for place in rng.integers(len(lines), size=2))
    sign = int(rng.integers(max(1, len(lines[at]))))
    match int(rng.integers(6)):
        case 0:
            lines.insert(at, lines[other])
        case 1:
            del lines[at]
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] = lines[at][:sign] + lines[at][sign + 1 :]
        case 4:
            lines[at] = lines[at][:sign] + bytes([rng.choice(list(b'",0{}x\xe4\r \t'))]) + lines[at][sign + 1 :]
        case _:
            lines[at] += b"\r\n"
    return b"\n".join(lines)


@pytest.mark.slow
@pytest.mark.calibration
def test_a_damaged_log_ends_alike_either_way(tmp_path: Path, mapping: Path) -> None:
    """The same tables, or a fault: the same one, or where there are several another of them."""
    rng = np.random.default_rng(17)
    sound = {name: "\n".join(map(json.dumps, make(tmp_path))).encode() + b"\n" for name, (_, make) in LOGS.items()}
    for name, write in (("log.csv", as_csv), ("log.jsonl", as_lines)):
        write(tmp_path / name, bargained(60, True))
        sound[name] = (tmp_path / name).read_bytes()
    ended = []
    for name in rng.choice(list(sound), runs(400, 8)).tolist():
        log = tmp_path / (name if name in WRITERS else "log.jsonl")
        log.write_bytes(damaged(sound[name], rng))
        value: dict[str, Any] = {"mapping": mapping} if name in WRITERS else {"format": name}
        try:
            load_to(log, tmp_path / "at once", stream=False, **value)
        except NegstatsError:
            with pytest.raises(NegstatsError):
                load_to(log, tmp_path / "out", stream=True, **value)
            ended.append("fault")
            continue
        try:
            same_either_way(log, **value)
            ended.append("same")
        except UsageError:  # quotes leave it open which lines begin a record
            ended.append("refused")
    assert {"fault", "same"} <= set(ended)
