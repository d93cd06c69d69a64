"""What a mapping leaves out by rule and counts, what it cleans, and how games end by their last word."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.errors import LogError, UsageError
from negstats.loaders.mapping import read, read_mapping, suggest
from negstats.studies.study import Study
from tests.effort import Effort

PLAYERS = 'row = "player"\ngames.game_id = "g"\nplayers = { player = "who", points = "points" }\n'
OFFERS = 'row = "offer"\ngames.game_id = "g"\noffers = { proposer = "by", units_to_proposer = "n", response = "r" }\n'


def load(folder: Path, mapping: str, log: str | bytes, name: str = "log.csv") -> Study:
    file = folder / "mapping.toml"
    file.write_text(mapping, encoding="utf-8")
    source = folder / name
    source.write_bytes(log if isinstance(log, bytes) else log.encode())
    return read(source, read_mapping(file))


# How games end ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("responses", "ended"),
    [
        (["rejected"], "disagreement"),
        (["rejected", "rejected"], "disagreement"),
        (["rejected", ""], "unknown"),
        (["rejected", "accepted"], "agreement"),
    ],
)
def test_a_rejected_last_offer_is_no_deal(tmp_path: Path, responses: list[str], ended: str) -> None:
    log = "g,by,n,r\n" + "".join(f"1,{'AB'[at % 2]},5,{response}\n" for at, response in enumerate(responses))
    assert load(tmp_path, OFFERS, log).games["ended"].tolist() == [ended]


ISSUES = """
row = "offer"
games.game_id = "g"
players.points_from_deal = true
players.points_without_deal = 0
offers = { proposer = "by", responder = "to", response = "r", value_proposer = "v" }
items.price.option = "price"
items.place.option = "place"
"""


@pytest.mark.parametrize(
    ("second", "ended", "points"),
    [("accepted", "agreement", [3.0, 4.0]), ("rejected", "disagreement", [0.0, 0.0]), ("", "unknown", [0.0, 0.0])],
)
def test_issues_accepted_one_by_one_need_all_of_them(
    tmp_path: Path, second: str, ended: str, points: list[float]
) -> None:
    log = f"g,by,to,price,place,r,v\n1,A,B,low,,accepted,3\n1,B,A,,here,{second},4\n"
    study = load(tmp_path, ISSUES, log)
    assert study.games["ended"].tolist() == [ended]
    assert study.players["points"].tolist() == points


def test_a_package_is_a_deal_whatever_was_talked_of_before(tmp_path: Path) -> None:
    log = "g,by,to,price,place,r,v\n1,A,B,low,here,rejected,3\n1,B,A,high,,accepted,4\n"
    assert load(tmp_path, ISSUES, log).games["ended"].tolist() == ["agreement"]


# Rows by rule -------------------------------------------------------------------------------------------------------


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ('kind = "Real"', ["1", "3"]),
        ('kind = ["real", "pilot"]', ["1", "2", "3"]),
        ('kind = { not = ["pilot", ""] }', ["1", "3"]),
        ("kind = { empty = true }", ["4"]),
        ("kind = { empty = false }", ["1", "2", "3"]),
        ("score = { from = 2, to = 3 }", ["2", "3"]),
        ("score = [1.0]", ["1"]),
        ('kind = "real"\nscore = { from = 2 }', ["3"]),
    ],
)
def test_rows_are_left_out_by_rule_and_counted(tmp_path: Path, where: str, kept: list[str]) -> None:
    log = "g,who,points,kind,score\n1,A,5,real,1\n2,A,5,pilot,2\n3,A,5,REAL ,3\n4,A,rubbish,,x\n"
    log = log if "empty = true" not in where else log.replace("rubbish", "5")
    study = load(tmp_path, f"{PLAYERS}[where]\n{where}\n", log)
    assert study.games["game_id"].tolist() == kept
    assert len(study.provenance.left_out) == 4 - len(kept)
    assert set(study.provenance.reasons()) <= {"where kind", "where score"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("where.kind = { nt = ['x'] }", "did you mean 'not'"),
        ("where.kind = { from = 'x' }", "where.kind.from: 'x' is not a number"),
        ("where.kind = {}", "is not a condition"),
        ("where.kind = true", "is not a list of texts|is not a condition"),
        ("header_rows = 2\nfirst_row = 3", "header_rows: is the number of rows above the data"),
        ("delimiter = '\"'", "delimiter: .* separates no cells"),
        ('encoding = "punycode"', "encoding: 'punycode' is not an encoding"),
        ('encoding = "base64"', "encoding: 'base64' is not an encoding"),
        ("factors.x = { column = 'a', clean = '(' }", "factors.x.clean: .* is not a regular expression"),
        ("factors.x = { column = 'a', clean = '(?=a)b' }", "without lookaround"),
        ("factors.x = { constant = 'a', clean = 'b' }", "factors.x.clean: is for a column"),
        ("measures.rounds = 'a'", "rounds is a column of the games"),
        ("games.started_at = { column = 'a', format = '%Q' }", "format: '%Q' is not a format"),
        ("measures.x = { column = 'a', scale = nan }", "scale: nan is not a number"),
        ("files = ''", "is not a pattern for files"),
    ],
)
def test_the_new_keys_are_strict(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "mapping.toml"
    file.write_text(line + "\n" + PLAYERS)
    with pytest.raises(LogError, match=reason):
        read_mapping(file)


def test_cells_are_cleaned_and_missing_in_one_column(tmp_path: Path) -> None:
    mapping = PLAYERS.replace('"points" }', '{ column = "points", missing = [-1, "NA"] }, batna = "batna" }')
    mapping += "factors.agent = { column = 'agent', clean = ['@\\d+$', '^the '] }\n"
    log = "g,who,points,batna,agent\n1,A,-1.0,-1,the Boulware@17\n2,A,NA,2,Boulware@3\n3,A,7,3,@5\n"
    study = load(tmp_path, mapping, log)
    assert study.players["points"].isna().tolist() == [True, True, False]
    assert study.players["batna"].tolist() == [-1.0, 2.0, 3.0]
    assert study.games["agent"].tolist()[:2] == ["Boulware", "Boulware"]
    assert study.games["agent"].isna().tolist() == [False, False, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    "key", ["factors.f = { column = 'who', clean = '((?:a|a)*)b' }", "factors.f = { file = '((?:a|a)*)b' }"]
)
def test_no_pattern_takes_for_ever(tmp_path: Path, key: str) -> None:
    name = "a" * 60
    with Effort() as effort:
        try:
            load(tmp_path, f"{PLAYERS}{key}\n", f"g,who,points\n1,{name * 100},5\n", f"{name}.csv")
        except LogError as error:
            assert "is found nowhere" in str(error)  # noqa: PT017
    assert effort.millions < 20


def test_letters_of_all_scripts_are_letters_in_patterns(tmp_path: Path) -> None:
    study = load(tmp_path, PLAYERS + "factors.lab = { file = '^(\\w+?)_' }\n", "g,who,points\n1,A,5\n", "Müller_1.csv")
    assert study.games["lab"].tolist() == ["Müller"]


# Files --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_first_line_names_the_delimiter(tmp_path: Path, newline: str) -> None:
    log = newline.join(["sep=;", "g;who;points", "1;A;5", ""])
    assert load(tmp_path, PLAYERS, log).players["points"].tolist() == [5.0]
    with pytest.raises(LogError, match="row 1: its first line names the delimiter ';', the mapping ','"):
        load(tmp_path, 'delimiter = ","\n' + PLAYERS, log)


def test_a_header_of_several_rows(tmp_path: Path) -> None:
    log = 'g,who,points\n"Your dyad","Your role","How many\npoints?"\n"{""ImportId"":""x""}",,\n1,A,5\n'
    study = load(tmp_path, "header_rows = 3\n" + PLAYERS, log)
    assert study.players["points"].tolist() == [5.0]
    assert any("points: 'How many" in note for note in study.provenance.notes)


@pytest.mark.slow
def test_a_damaged_game_is_left_out_where_the_mapping_allows_it(tmp_path: Path) -> None:
    log = "g,who,points\n" + "".join(f"{game},{who},{game}\n" for game in range(10) for who in "AB")
    bad = log.replace("3,B,3", "3,B,three").replace("7,B,7", "7,A,7")
    with pytest.raises(LogError, match=r"'three' is not a number|is also in row"):
        load(tmp_path, PLAYERS, bad)
    study = load(tmp_path, "leave_out_bad_games = true\n" + PLAYERS, bad)
    assert study.games["game_id"].tolist() == [str(game) for game in range(10) if game not in (3, 7)]
    assert len(study.provenance.left_out) == 4
    assert all(row.reason.startswith("a damaged game: ") for row in study.provenance.left_out)
    rest = load(tmp_path, PLAYERS, log)
    pd.testing.assert_frame_equal(
        study.players, rest.players[~rest.players["game_id"].isin(["3", "7"])].reset_index(drop=True)
    )


def test_too_many_damaged_games_are_an_error(tmp_path: Path) -> None:
    log = "g,who,points\n" + "".join(f"{game},A,{'x' if game < 3 else 1}\n" for game in range(10))
    with pytest.raises(LogError, match=r"3 of 10 games are damaged, too many to leave out; the last fault: .*row 2"):
        load(tmp_path, "leave_out_bad_games = true\n" + PLAYERS, log)


def test_a_fault_that_names_no_game_is_still_an_error(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="row 3: has 2 cells"):
        load(tmp_path, "leave_out_bad_games = true\n" + PLAYERS, "g,who,points\n1,A,5\n2,A\n")


def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    file = tmp_path / "mapping.toml"
    file.write_text(PLAYERS)
    os.mkfifo(tmp_path / "log.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    for name in ("log.csv", "zero.csv"):
        with pytest.raises(LogError, match="it is not a regular file, but a pipe or a device"):
            read(tmp_path / name, read_mapping(file))


def test_numbers_of_a_game_are_measures(tmp_path: Path) -> None:
    log = "g,who,points,joint\n1,A,5,1.5\n1,B,5,1.5\n2,A,5,\n"
    study = load(tmp_path, PLAYERS + 'measures.joint = "joint"\n', log)
    assert study.games["joint"].dtype == "float64"
    assert study.games["joint"].tolist()[0] == 1.5
    assert study.games["joint"].isna().tolist() == [False, True]
    with pytest.raises(LogError, match=r"'2.0' here and '1.0' in row 2 .* must agree on joint"):
        load(tmp_path, PLAYERS + 'measures.joint = "joint"\n', "g,who,points,joint\n1,A,5,1\n1,B,5,2\n")


def test_half_a_character_in_an_offer_is_told(tmp_path: Path) -> None:
    mapping = 'row = "offer"\ngames.game_id = "g"\noffers = { proposer = "by", items = "bid" }\n'
    with pytest.raises(LogError, match=r"row 2, column 'bid': .* holds half a character"):
        load(tmp_path, mapping, "g,by,bid\n1,A,\"{'a\\ud800': 1}\"\n")


# Suggestions --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_pattern_finds_all_files_that_are_alike(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    (folder / "a").mkdir(parents=True)
    for at in range(12):
        columns = f"game,proposer,amount,utility_{at}"  # one column is named anew in every file
        (folder / ("a" if at % 2 else ".") / f"session{at}.csv").write_text(f"{columns}\n{at},A,3,1\n{at},B,4,1\n")
    (folder / "people.csv").write_text("name;age\nx;3\n")
    (folder / "a" / "rates.csv").write_text("x,y,z\n1,2,3\n")
    text = suggest(folder)
    file = tmp_path / "mapping.toml"
    file.write_text(text)
    study = read(folder, read_mapping(file))
    assert len(study.games) == len(study.provenance.sources) == 12
    assert '# 2 other tables are not read, for their columns differ: "a/rates.csv", "people.csv"' in text
    assert any(note.startswith("2 tables of the folder are not read") for note in study.provenance.notes)


def test_start_and_end_are_no_seats(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = "".join(f"{n},START,\n{n},A,3\n{n},B,{n}\n{n},A,5\n{n},END,\n" for n in range(1, 13))
    log.write_text("game,bidder,amount\n" + rows)
    file = tmp_path / "mapping.toml"
    file.write_text(suggest(log))
    study = read(log, read_mapping(file))
    assert sorted(study.players["player"]) == ["A"] * 12 + ["B"] * 12
    assert study.provenance.reasons() == {"where bidder": 24}


def test_measures_of_games_are_guessed(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = "".join(f"{n},A,3,{3 + n},{n + 0.5}\n{n},B,{n},{3 + n},{n + 0.5}\n" for n in range(1, 13))
    log.write_text("game,player,points,joint_points,duration\n" + rows)
    text = suggest(log)
    assert 'joint_points = "joint_points"' in text
    assert 'duration = "duration"' in text


def test_a_column_that_says_which_rows_count_may_be_a_condition(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(3), ["subject,arm,stake,trial,seconds,reply"]
    for person in range(20):
        for trial in range(1, 9):
            arm, stake = ("chat", "voice")[person % 3 == 0], (10, 20)[trial % 2]
            rows.append(f"P{person},{arm},{stake},{trial},{rng.gamma(5):.2f},{rng.integers(0, 11)}")
        rows.append(f"P{person},,,total,{rng.gamma(5):.2f},")  # a summary, in which nothing else is filled
    (tmp_path / "log.csv").write_text("\n".join(rows) + "\n")
    text = suggest(tmp_path / "log.csv", answers={"condition": "arm,stake"})
    assert any(f"where = {{ {name} = {{ empty = false }} }}" in text for name in ("arm", "stake"))
    assert all(f'{name} = {{ column = "{name}", role = "condition" }}' in text for name in ("arm", "stake"))
    (tmp_path / "mapping.toml").write_text(text)
    study = read(tmp_path / "log.csv", read_mapping(tmp_path / "mapping.toml"))
    assert {"arm", "stake"} <= set(study.factors)
    assert len(study.games) == 160


@pytest.mark.parametrize("are_summaries", [True, False])
def test_rows_that_summarise_no_column_are_told_by_what_they_lack(*, are_summaries: bool, tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(4), ["subject,trial,moment,face,reply,seconds"]
    for person in range(12):
        for trial in range(1, 21):
            face = ("glad", "angry")[int(rng.integers(2))]
            rows.append(f"P{person},{trial},{rng.integers(900)},{face},{rng.integers(0, 11)},{rng.gamma(5):.2f}")
        for place, words in enumerate(("answers to face 1", "answers to face 2", "answers to both 1 and 2")):
            # how often something was answered, or a trial that had no answer in time
            name = words if are_summaries else "over 2 s"
            rows.append(f"P{person},{name},{7 * place + person + 3},,,")
    (tmp_path / "log.csv").write_text("\n".join(rows) + "\n")
    text = suggest(tmp_path / "log.csv", accept=True)
    assert ("{ empty = false }" in text) == are_summaries


def test_an_answer_of_two_codes_is_missing_where_its_time_is(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(5), ["subject,trial,face,button,rt"]
    for person in range(20):
        usual = rng.uniform(0.3, 0.7)
        for trial in range(1, 25):
            is_late = rng.random() < 0.04
            button, rt = (999, 999) if is_late else (2 + int(rng.random() < usual), f"{rng.gamma(5) / 5:.3f}")
            rows.append(f"P{person},{trial},{('glad', 'angry')[trial % 2]},{button},{rt}")
    (tmp_path / "log.csv").write_text("\n".join(rows) + "\n")
    text = suggest(tmp_path / "log.csv", accept=True)
    assert 'button = { column = "button", missing = ["999"] }' in text
    other = "\n".join(rows).replace("999,999", "3,999")  # where the time alone is missing, 3 is an answer
    (tmp_path / "log.csv").write_text(other + "\n")
    assert 'button = "button"' in suggest(tmp_path / "log.csv", accept=True)


def test_an_answer_to_an_offer_is_refused_as_a_condition(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(6), ["subject,trial,arm,offer,accepted,payoff"]
    for person in range(20):
        for trial in range(1, 13):
            offer = int(rng.integers(0, 6))
            accepted = int(rng.random() < offer / 5)
            arm = ("chat", "voice")[person % 2]
            rows.append(f"P{person},{trial},{arm},{offer},{accepted},{(10 - offer) * accepted}")
    (tmp_path / "log.csv").write_text("\n".join(rows) + "\n")
    assert 'response = "accepted"' in suggest(tmp_path / "log.csv", answers={"condition": "arm"})
    with pytest.raises(UsageError, match=r"accepted cannot be read so: it is read as offers\.response"):
        suggest(tmp_path / "log.csv", answers={"condition": "arm,accepted"})
