"""A damaged game inside a file of many: the error names it and offers to leave it out, and then the others are read."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import pytest

import negstats
from negstats.errors import LogError
from negstats.games.rulesheet import sheet
from negstats.loaders import formats
from negstats.loaders.event_log import unit_rows
from negstats.loaders.files.parts import LISTED, recorded
from negstats.simulate.rulesheet import Setup, events, sessions_of
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.loaders import agent_logs, test_contract, test_dealornodeal_acts, test_dominance, test_favors, test_lioness

GAMES = 12
# Formats in which each game or session has a file or workbook of its own, and those whose games have rows in several
# tables, which have tests of their own.
APART = {"solver_cl", "negolog", "negotiationarena", "llm_deliberation", "lamen"}
SEVERAL = {"lioness", "empirica", "negmas", "convokit"}


def lines(*told: Any) -> bytes:
    return b"".join(orjson.dumps(event) + b"\n" for event in told)


def named(unit: str, *template: dict[str, Any]) -> bytes:
    """Return the events of many units that are alike but in their names."""
    return lines(*(event | {unit: f"g{number}"} for number in range(GAMES) for event in template))


def sheets() -> bytes:
    setup = Setup.of(sheet.negotiating_prisoners(3), "own_payoff:last", name="prisoners")
    return lines(*events(setup, sessions_of(setup, GAMES, seed=1)))


def interviews() -> bytes:
    [game] = json.loads(agent_logs.job_interview()["data.json"])
    return json.dumps([game | {"id": f"g{number}"} for number in range(GAMES)]).encode()


def tournament() -> bytes:
    row = "1,5;3;;Time:180s;Yes;false;0,1;agents.Boulware@0;agents.Fair@1;0,75;0,5;0,75;0,5;etc/a/p1.xml;etc/a/p2.xml"
    return agent_logs.genius(*[row] * GAMES)["run.csv.csv"]


def web_tournament() -> bytes:
    row = "1,agreement,p.Ann,p.Bob,0.5,0.75,4"
    return (
        "session,result,agent_1,agent_2,utility_1,utility_2,num_offers\n" + "\n".join([row] * GAMES) + "\n"
    ).encode()


def trials() -> bytes:
    head = "trial_type,trial_index,time_elapsed,subject_id,offer,pie,accepted\n"
    rows = (f"html,{trial},{trial * 1000},s{person},4,10,1" for person in range(GAMES) for trial in range(3))
    return (head + "\n".join(rows) + "\n").encode()


def shared(name: str, file: str, most: int | None = None) -> Callable[[DataFolder], bytes]:
    def read(data: DataFolder) -> bytes:
        return b"".join((data(name) / file).read_bytes().splitlines(keepends=True)[:most])

    return read


def some_dialogues(data: DataFolder) -> bytes:
    return orjson.dumps(orjson.loads((data("casino") / "casino_test.json").read_bytes())[:GAMES])


@dataclass(frozen=True)
class Log:
    """A log of many games in a file, a change of its text that damages one of them, and how many are lost by it."""

    file: str
    content: Callable[..., bytes]
    old: str
    new: str
    row: int
    lost: int = 1
    real: bool = False
    line: int = 0  # where it is not the row, since cells above have several lines

    def damaged(self, content: bytes) -> bytes:
        """Return the content with the change made in its row: the place in a list of JSON, else a line."""
        if self.file.endswith(".json"):
            items = [json.dumps(item) for item in json.loads(content)]
        else:
            items = content.decode().splitlines()
        at = self.line or self.row
        assert self.old in items[at - 1]
        items[at - 1] = items[at - 1].replace(self.old, self.new, 1)
        return ("[" + ",".join(items) + "]" if self.file.endswith(".json") else "\n".join(items) + "\n").encode()


TWO_ACTS = test_dealornodeal_acts
LOGS = {
    "casino": Log("casino_test.json", some_dialogues, '"points_scored": ', '"points_scored": "x", "y": ', 5, real=True),
    "dealornodeal": Log(
        "data.txt", shared("dealornodeal", "data.txt", 60), " reward=", " rewrad=", 21, lost=0, real=True
    ),
    "dealornodeal_acts": Log(
        "log.jsonl",
        lambda: named("game", TWO_ACTS.GAME, TWO_ACTS.ASKS, TWO_ACTS.TAKES, TWO_ACTS.ENDS),
        '"act":"accept"',
        '"act":"agree"',
        11,
    ),
    "contract": Log(
        "log.jsonl",
        lambda: named("game", test_contract.GAME, test_contract.OFFER, test_contract.MOVE, test_contract.END),
        '"paid"' if "paid" in test_contract.MOVE else '"square"',
        '"sqare"',
        7,
    ),
    "contract, a cut line": Log(
        "log.jsonl",
        lambda: named("game", test_contract.GAME, test_contract.OFFER, test_contract.END),
        "}",
        "",
        8,
    ),
    "contract, a cut beginning": Log(
        "log.jsonl",
        lambda: named("game", test_contract.GAME, test_contract.OFFER, test_contract.END),
        '"players":[',
        '"players":',
        7,
    ),
    "favors": Log(
        "log.jsonl",
        lambda: lines(*([event | {"session": f"g{n}"} for n in range(GAMES) for event in test_favors.WHOLE])),
        '"from":"agent"',
        '"from":"robot"',
        8,
    ),
    "dominance": Log(
        "log.jsonl",
        lambda: named("talk", test_dominance.TALK, test_dominance.OFFER, test_dominance.TAKEN, test_dominance.LEFT),
        '"type":"propose"',
        '"type":"prpose"',
        6,
    ),
    "rulesheet": Log("log.jsonl", sheets, '"round"', '"ruond"', 9),
    "otree": Log(
        "all_apps_wide.csv", shared("otree_dyads", "all_apps_wide.csv"), ",chat,1,,", ",chat,one,,", 2,
        lost=5, real=True,
    ),
    "qualtrics": Log(
        "answers.csv", shared("qualtrics", "svi_dyads_synthetic.csv"), ",R_f9ebdac0cb1e29c,", ",,", 5,
        lost=0, real=True, line=21,
    ),
    "jspsych": Log("data.csv", trials, "html", "", 9, lost=3),
    "genius": Log("run.csv.csv", tournament, ";Yes;", ";Perhaps;", 5),
    "geniusweb": Log("run.csv", web_tournament, "agreement", "perhaps", 5),
    "job_interview": Log("data.json", interviews, '"role": "recruiter"', '"role": "boss"', 5),
}  # fmt: skip


@pytest.fixture(params=LOGS)
def case(request: pytest.FixtureRequest, real_data: DataFolder) -> tuple[Log, bytes]:
    log = LOGS[request.param]
    return log, log.content(real_data) if log.real else log.content()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("folder", [False, True], ids=["file", "folder"])
def test_a_damaged_game_is_left_out_and_counted(case: tuple[Log, bytes], folder: bool, tmp_path: Path) -> None:
    log, content = case
    file = tmp_path / "logs" / log.file
    file.parent.mkdir()
    place = file.parent if folder else file
    file.write_bytes(content)
    whole = negstats.load(place)
    file.write_bytes(log.damaged(content))
    with pytest.raises(LogError, match="--leave-out-bad-games leaves such games out") as fault:
        negstats.load(place)
    assert Path(str(fault.value.file)).name == log.file
    assert fault.value.row == log.row
    study = negstats.load(place, leave_out_bad_games=True)
    reasons = [(row.path, row.row) for row in study.provenance.left_out if row.reason.startswith("a damaged game: ")]
    assert reasons == [(log.file, log.row)]
    assert [(one.kind, one.count) for one in study.provenance.records if one.kind == "damaged_games"] == [
        ("damaged_games", 1)
    ]
    assert len(study.games) == len(whole.games) - log.lost
    assert set(study.games["game_id"]) <= set(whole.games["game_id"])
    assert [one.sha256 for one in study.provenance.sources] != [one.sha256 for one in whole.provenance.sources]
    for name, table in study.tables.items():
        if "game_id" in table.columns and log.lost:
            known = whole.tables[name]["game_id"].isin(study.games["game_id"])
            assert table["game_id"].notna().sum() == known.sum(), name


def test_every_format_is_here_or_has_files_of_its_own() -> None:
    values = {name.partition(",")[0] for name in LOGS}
    assert {known.name for known in formats() if known.parts} == values | {"negmas"}
    assert {known.name for known in formats()} == values | APART | SEVERAL


def changed_cell(file: Path, row: int, column: str, text: str) -> None:
    """Write a text into a cell of a table; rows count from the header, which is 1."""
    with file.open(encoding="utf-8-sig", newline="") as stream:
        records = list(csv.reader(stream))
    records[row - 1][records[0].index(column)] = text
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(records)


def is_without(study: Study, whole: Study, lost: set[str], fault: tuple[str, int]) -> None:
    """Check that a study is another one without some games, and that it says why."""
    reasons = [(row.path, row.row) for row in study.provenance.left_out if row.reason.startswith("a damaged game: ")]
    assert reasons == [fault]
    assert [(one.kind, one.count) for one in study.provenance.records if one.kind == "damaged_games"] == [
        ("damaged_games", 1)
    ]
    assert set(whole.games["game_id"]) - set(study.games["game_id"]) == lost
    for name, table in study.tables.items():
        if "game_id" in table.columns:
            expected = whole.tables[name]
            expected = expected[~expected["game_id"].isin(lost)].reset_index(drop=True)
            pd.testing.assert_frame_equal(table.reset_index(drop=True), expected, check_dtype=False)


@pytest.mark.slow
@pytest.mark.parametrize("archive", [False, True], ids=["folder", "archive"])
@pytest.mark.parametrize(
    ("table", "column", "text"),
    [
        ("games", "treatment", "{"),
        ("games", "chat", "[{"),
        ("rounds", "index", "first"),
        ("playerGames", "playerID", "nobody"),
        ("playerRounds", "offer", "much"),
        ("playerRounds", "batna", "0.0.1"),
        ("playerRounds", "roundID", "elsewhere"),
        ("playerRounds", "accept", "perhaps"),
    ],
)
def test_a_game_with_rows_in_several_tables(
    table: str, column: str, text: str, archive: bool, tmp_path: Path, real_data: DataFolder
) -> None:
    folder = tmp_path / "export"
    shutil.copytree(real_data("empirica_v2"), folder)
    whole = negstats.load(folder)
    with (folder / f"{table}.csv").open(encoding="utf-8-sig", newline="") as stream:
        row, own = next((n, one) for n, one in enumerate(csv.DictReader(stream), 2) if n >= 4 and one[column])
    lost = {own["id"] if table == "games" else own["gameID"]}
    changed_cell(folder / f"{table}.csv", row, column, text)
    place, file = folder, f"{table}.csv"
    if archive:
        place = Path(shutil.make_archive(str(tmp_path / "export"), "zip", folder))
    with pytest.raises(LogError, match="--leave-out-bad-games leaves such games out") as fault:
        negstats.load(place)
    assert (Path(str(fault.value.file)).name, fault.value.row) == (file, row)
    study = negstats.load(place, leave_out_bad_games=True)
    paths = [one.path for one in study.provenance.left_out if one.reason.startswith("a damaged game: ")]
    assert Path(paths[0]).name == file
    is_without(study, whole, lost, (paths[0], row))


def dialogues(folder: Path, change: Callable[[list[dict[str, Any]], dict[str, Any]], None] | None = None) -> Path:
    """Write a corpus of ConvoKit with many conversations."""
    utterances = [
        {"id": f"g{n}.{k}", "conversation_id": f"g{n}", "text": "Yes.", "speaker": f"p{k % 2}", "meta": {},
         "timestamp": 10 * k}
        for n in range(GAMES) for k in range(3)
    ]  # fmt: skip
    conversations: dict[str, Any] = {f"g{n}": {"meta": {"topic": "camp"}} for n in range(GAMES)}
    if change is not None:
        change(utterances, conversations)
    folder.mkdir()
    (folder / "utterances.jsonl").write_bytes(lines(*utterances))
    (folder / "conversations.json").write_bytes(orjson.dumps(conversations))
    (folder / "speakers.json").write_bytes(b'{"p0": {"meta": {}}, "p1": {"meta": {}}}')
    return folder


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("change", "file", "row"),
    [
        (lambda told, _: told[10].update(speaker=3), "utterances.jsonl", 11),
        (lambda told, _: told[10].update(timestamp="soon"), "utterances.jsonl", 11),
        (lambda told, _: told[10].update(id="g0.0"), "utterances.jsonl", 11),
        (lambda _, entries: entries.update(g3=[1]), "conversations.json", 0),
    ],
)
def test_a_conversation_of_a_corpus(change: Any, file: str, row: int, tmp_path: Path) -> None:
    whole = negstats.load(dialogues(tmp_path / "whole"))
    folder = dialogues(tmp_path / "damaged", change)
    with pytest.raises(LogError, match="--leave-out-bad-games leaves such games out") as fault:
        negstats.load(folder)
    assert (Path(str(fault.value.file)).name, fault.value.row or 0) == (file, row)
    is_without(negstats.load(folder, leave_out_bad_games=True), whole, {"g3"}, (file, row))


def test_a_cut_line_of_a_corpus(tmp_path: Path) -> None:
    whole = negstats.load(dialogues(tmp_path / "whole"))
    folder = dialogues(tmp_path / "damaged")
    file = folder / "utterances.jsonl"
    told = file.read_bytes().splitlines(keepends=True)
    told[10] = told[10].rstrip(b"}\n") + b"\n"
    file.write_bytes(b"".join(told))
    is_without(negstats.load(folder, leave_out_bad_games=True), whole, {"g3"}, (file.name, 11))


def workbook(folder: Path, change: Callable[[test_lioness.Sheets], None] | None = None) -> Path:
    """Write a session of four groups of two over three periods."""

    def grow(sheets: test_lioness.Sheets) -> None:
        sheets["decisions"][0].append("groupSize")
        for name in ("core", "decisions", "session"):
            first = dict(zip(sheets[name][0], sheets[name][1], strict=False))
            sheets[name][1:] = [
                [
                    (first | {"playerNr": player, "period": period, "groupNr": player // 2 + 1, "groupSize": 2}
                     | {"subjectNr": player % 2 + 1, "externalID": f"x{player}"}).get(column)
                    for column in sheets[name][0]
                ]
                for period in ((1, 2, 3) if name == "decisions" else (1,)) for player in range(8)
            ]  # fmt: skip
        if change is not None:
            change(sheets)

    return test_lioness.written(folder, grow)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sheet", "column", "lost"),
    [
        ("decisions", "period", {"s1-1-2"}),
        ("decisions", "groupNr", {"s1-1-2"}),
        ("decisions", "playerNr", {"s1-1-2"}),
        ("decisions", "subjectNr", {"s1-1-2"}),
        ("decisions", "groupSize", {"s1-1-2"}),
        ("decisions", "payoff", {"s1-1-2"}),
        ("core", "playerNr", {"s1-1-2", "s1-2-2", "s1-3-2"}),
        ("core", "leftExperiment", {"s1-1-2", "s1-2-2", "s1-3-2"}),
        ("session", "playerNr", {"s1-1-2", "s1-2-2", "s1-3-2"}),
    ],
)
def test_a_game_in_a_workbook(sheet: str, column: str, lost: set[str], tmp_path: Path) -> None:
    whole = negstats.load(workbook(tmp_path))
    assert len(whole.games) == 12
    file = workbook(tmp_path, test_lioness.setting(sheet, 3, column, "what"))
    with pytest.raises(LogError, match="--leave-out-bad-games leaves such games out") as fault:
        negstats.load(file)
    assert fault.value.row == 4
    for place in (file, tmp_path):
        is_without(negstats.load(place, leave_out_bad_games=True), whole, lost, ("s1.xlsx", 4))


def test_a_workbook_of_damaged_games_is_refused(tmp_path: Path) -> None:
    def change(sheets: test_lioness.Sheets) -> None:
        place = sheets["decisions"][0].index("payoff")
        for row in sheets["decisions"][1::3]:
            row[place] = "what"

    with pytest.raises(LogError, match="games are damaged, too many to leave out"):
        negstats.load(workbook(tmp_path, change), leave_out_bad_games=True)


@pytest.mark.slow
@pytest.mark.parametrize(("column", "text"), [("utilities", "(0.5, what)"), ("agreement", "(")])
def test_a_game_in_the_table_of_a_tournament(column: str, text: str, tmp_path: Path, real_data: DataFolder) -> None:
    folder = tmp_path / "cartesian"
    shutil.copytree(real_data("negmas") / "cartesian", folder)
    whole = negstats.load(folder)
    changed_cell(folder / "details.csv", 3, column, text)
    with pytest.raises(LogError, match="--leave-out-bad-games leaves such games out") as fault:
        negstats.load(folder)
    assert (Path(str(fault.value.file)).name, fault.value.row) == ("details.csv", 3)
    study = negstats.load(folder, leave_out_bad_games=True)
    is_without(study, whole, set(whole.games["game_id"]) - set(study.games["game_id"]), ("details.csv", 3))
    assert len(study.games) == len(whole.games) - 1


def test_the_hash_is_of_the_file_as_it_lies_there(tmp_path: Path) -> None:
    import hashlib

    log = LOGS["contract"]
    file = tmp_path / log.file
    file.write_bytes(log.damaged(log.content()))
    [source] = negstats.load(file, leave_out_bad_games=True).provenance.sources
    assert source.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_too_many_damaged_games_are_refused(tmp_path: Path) -> None:
    log = LOGS["contract"]
    file = tmp_path / log.file
    file.write_bytes(log.content().replace(b'"square"', b'"sqare"'))
    with pytest.raises(LogError, match="games are damaged, too many to leave out"):
        negstats.load(file, leave_out_bad_games=True)


def test_what_all_games_need_is_not_left_out(tmp_path: Path) -> None:
    """The sheet is of all games: without it none can be read, so it is not a game that could be left out."""
    data = sheets()
    assert data.startswith(b'{"event":"sheet"')
    assert unit_rows(data, 1, "game", ("sheet",)) == frozenset()
    assert len(unit_rows(data, 3, "game", ("sheet",))) > 2
    file = tmp_path / "log.jsonl"
    file.write_bytes(data.replace(b'"roles"', b'"rules"', 1) if b'"roles"' in data else data.replace(b"{", b"{{", 1))
    with pytest.raises(LogError) as fault:
        negstats.load(file, format="rulesheet", leave_out_bad_games=True)
    assert "too many" not in str(fault.value)


def test_null_in_a_list_is_no_game(tmp_path: Path, real_data: DataFolder) -> None:
    file = tmp_path / "casino_test.json"
    items = orjson.loads(some_dialogues(real_data))
    file.write_bytes(orjson.dumps([items[0], None, *items[1:]]))
    with pytest.raises(LogError, match="is not a JSON object") as fault:
        negstats.load(file)
    assert fault.value.row == 2


@pytest.mark.parametrize(
    ("data", "row", "rows"),
    [
        (b"a,b\n1,2\n", 1, set()),  # the header
        (b'a,b\n"x\ny",2\n3,4\n', 2, {2}),  # a record of two lines is one row
        (b'a,b\n"x\ny",2\n3,4\n', 3, {3}),
        (b"a,b\n\n3,4\n5,6\n", 2, set()),  # a blank one
        (b"a,b\n\n3,4\n5,6\n", 3, {3}),
        (b"sep=;\na;b\n1;2\n3;4\n", 4, {4}),
        (b"a,b\n1,2\n", 9, set()),
        (b"a,b\n1,2\n", 2, set()),  # nothing would remain
        (b"\0", 1, set()),
    ],
)
def test_records(data: bytes, row: int, rows: set[int]) -> None:
    assert recorded().rows(data, row) == rows
    assert recorded(needs="c").rows(data, row) == set()


def test_other_records_keep_their_rows() -> None:
    data = 'a,b\n"x\ny",é\n3,4\n5,6\n'.encode()
    assert recorded().without(data, frozenset([2])) == b"a,b\n\n3,4\n5,6\n"
    assert recorded().without(data, frozenset([4])) == 'a,b\n"x\ny",é\n3,4\n\n'.encode()


@pytest.mark.parametrize(("data", "rows"), [(b"[1, 2]", {2}), (b"[1]", set()), (b"{}", set()), (b"[1, 2", set())])
def test_places_in_a_list(data: bytes, rows: set[int]) -> None:
    assert LISTED.rows(data, 2) == rows
