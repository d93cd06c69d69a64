"""What tells who took part is found, named and taken out; what only looks like it stays."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.analysis import describe
from negstats.errors import UsageError
from negstats.studies import LeftOut, Provenance, Source, Study, open_study
from negstats.studies.deidentify import checked_salt
from negstats.studies.identifiers import kind_of_column, named_in_texts
from negstats.studies.identifying_columns import free_text_questions
from negstats.studies.pseudonyms import Names, spelled
from negstats.tables import conform
from tests.conftest import ROOT
from tests.shell import Shell

SALT = "a secret of mine"


def study(people: list[str], *, notes: tuple[str, ...] = (), answers: Any = None, **factors: Any) -> Study:
    """One game a person, who plays against an agent."""
    ids = [f"g{place}" for place in range(len(people))]
    seats = {"game_id": ids, "player": ["A"] * len(ids), "participant_id": people}
    extra = {} if answers is None else {"answers": conform("answers", answers)}
    return Study(
        games=conform("games", {"game_id": ids, "ended": ["agreement"] * len(ids), **factors}),
        players=conform("players", seats),
        provenance=Provenance("by hand", "1", (Source("log.csv", "ab" * 32, 2),), (), notes),
        **extra,
    )


@pytest.mark.slow
def test_a_salt_is_made_and_thrown_away() -> None:
    one, other = study(["ann"]).deidentify(), study(["ann"]).deidentify()
    assert one.players["participant_id"][0] != other.players["participant_id"][0]
    assert any("thrown away" in note for note in one.provenance.notes)
    assert checked_salt(None, []) != checked_salt(None, [])


def test_sources_have_no_hashes_and_no_names() -> None:
    [source] = study(["ann"]).deidentify(SALT).provenance.sources
    assert (source.path, source.sha256, source.rows) == ("file-001.csv", "", 2)


TELLING: dict[str, tuple[str, list[Any], str | None]] = {
    "IPv4": ("origin", ["192.168.1.7", "10.0.0.1", None], "IP addresses"),
    "IPv6": ("origin", ["2001:db8::1", "fe80::17"], "IP addresses"),
    "e-mail": ("contact", ["ann@example.org", "b.c+d@mail.example.com"], "e-mail addresses"),
    "phones": ("reach", ["+49 30 1234567", "(030) 123-4567 89"], "phone numbers"),
    "phones by name": ("phone", ["0301234567", "0891234567"], "phone numbers"),
    "ZIP by name": ("zip_code", ["10115", "80331", "10115"], "ZIP codes"),
    "ZIP as numbers": ("ZipCode", [10115, 80331], "ZIP codes"),
    "ZIP with a zero": ("area", ["01067", "80331"], "ZIP codes"),
    "ZIP+4": ("area", ["12345-6789", "54321-9876"], "ZIP codes"),
    "British": ("area", ["SW1A 1AA", "M1 1AE"], "ZIP codes"),
    "Prolific": ("code", ["5f2a9c0b1d3e4f5a6b7c8d9e", "60aa9c0b1d3e4f5a6b7c8d9f"], "ids"),
    "Turkers": ("code", ["A2XYZ12345678", "A1B2C3D4E5F6G"], "ids"),
    "UUIDs": ("code", ["123e4567-e89b-12d3-a456-426614174000", "223e4567-e89b-12d3-a456-426614174000"], "ids"),
    "ids by name": ("worker_id", [7, 9, 12], "ids"),
    "one word a row": ("nick", [f"nick{place}x" for place in range(12)], "ids"),
    "first names": ("first_name", ["Ann", "Bob"], "names of people"),
    "birth": ("dob", ["1990-01-02", "1985-12-01"], "dates of birth"),
    "latitude": ("latitude", [52.52, 48.13], "places"),
    "an area code and a number": ("reach", ["0171 2345678", "(030) 1234567", "089/1234567"], "phone numbers"),
    "hosts": ("host", ["lab-pc-0.example.org", "lab-pc-1.example.org", "node7"], "names of computers"),
    "ten digits": ("reach", ["4155550123", "4155550124", None], "phone numbers"),
    "ten digits as numbers": ("reach", [4155550123.0, 4155550124.0, None], "phone numbers"),
    "digits with a zero": ("reach", ["0301234567", "0891234567"], "phone numbers"),
    "GPS by name": ("gps", ["52.52, 13.40", "48.13, 11.57"], "places"),
    "GPS by shape": ("where", ["52.5200,13.4050", "48.1351,11.5820"], "places"),
    "degrees": ("where", ["52\u00b031'12\"N 13\u00b024'18\"E", "48\u00b08'6\"N 11\u00b034'55\"E"], "places"),
    "IBAN": ("account", ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"], "bank accounts"),
    "user agents": ("ua", ["Mozilla/5.0 (X11; Linux)", "Opera/9.80 (Windows)"], "browsers and devices"),
    "MAC": ("nic", ["00:1A:2B:3C:4D:5E", "00:1A:2B:3C:4D:5F"], "IP addresses"),
    "URLs": ("profile", ["https://example.org/~ann", "www.example.org/bob"], "web addresses"),
    "full names": ("boss", ["Anna Schmidt", "Peter van der Berg", "M\u00fcller, Julia"], "names of people"),
    "given names": ("boss", ["Anna", "Peter", "julia", "John"], "names of people"),
    "births by shape": ("d", ["1990-01-02", "1985-12-01", "1971-03-04"], "dates of birth"),
    "births in words": ("d", ["2 January 1990", "March 4, 1985", "4 May 1971"], "dates of birth"),
    "births as numbers": ("d", [19900102, 19851201, 19710304], "dates of birth"),
    "hashes": ("h", ["%064x" % (7**60 + place) for place in range(4)], "ids"),
    "long tokens": ("t", ["AbCdEf1234567890xyz", "ZbCdEf1234567890xya"], "ids"),
    "personal numbers": ("nr", [314159265 + place for place in range(12)], "ids"),
    "full names in small letters": (
        "contact person",
        ["anna schmidt", "jos\u00e9 garc\u00eda", "peter pan"],
        "names of people",
    ),
    "full names, few of them known": ("friend", ["Anna Schmidt", "Wei Li", "Xochitl Perez"], "names of people"),
    "given names with accents": ("nick", ["Jos\u00e9", "Zo\u00eb", "ren\u00e9", "CHLO\u00c9"], "names of people"),
    "addresses that are spelt out": ("reach", ["ann at example dot org", "bob (at) example.org"], "e-mail addresses"),
    "IBAN in small letters": ("account", ["de89370400440532013000", "gb82west12345698765432"], "bank accounts"),
    "payment cards": ("pay", ["4111 1111 1111 1111", "5500-0000-0000-0004", "3400 000000 00009"], "bank accounts"),
    "addresses without a scheme": ("profile", ["example.com/ann", "app.example.org/u/bob"], "web addresses"),
    "phones of many countries": (
        "reach",
        [
            *(491712345678, 442079460958, 972541234567, 612345678, 33612345678, 5551234567),
            *(2125550134, 8112345678, 3901234567, 41791234567, 35812345678, 819012345678),
        ],
        "ids",
    ),
    # what only looks like it
    "amounts of a large currency": ("offer_sum", [1000000000 * place for place in range(3, 15)], None),
    "four years": ("panel", ["2019 2020 2021 2022", "2011 2012 2013 2014"], None),
    "words at the end": ("place", ["at home", "at work", "meet at noon"], None),
    "seconds since 1970": ("begun", [1700000000 + place for place in range(12)], None),
    "milliseconds": ("begun", [1700000000000 + place for place in range(12)], None),
    "seeds": ("seed", [314159265 + place for place in range(12)], None),
    "fields of study": ("major", ["Computer Science", "Civil Engineering", "High School"], None),
    "countries": ("from", ["United States", "South Korea", "New Zealand"], None),
    "a scale": ("item", ["Strongly Agree", "Slightly Agree", "Somewhat Disagree"], None),
    "personas": ("agent_name", ["Emma", "Anna", "Peter", "John"], None),
    "models": ("model", ["gpt-4o-2024-08-06", "claude-3-5-sonnet-20241022"], None),
    "numbers of versions": ("build", ["1.2.3", "1.2.4"], None),
    "shares in pairs": ("split", ["0.25, 0.75", "0.50, 0.50"], None),
    "payoffs": ("game", ["3/0/5/1", "2/2/0/0"], None),
    "dates long ago": ("edition", ["1999-01-01", "1999-01-02"], None),
    "a condition": ("condition", ["CL", "FC", "CL"], None),
    "a country": ("country", ["US", "IL"], None),
    "points": ("points", ["10115", "80331"], None),
    "a session": ("session_id", ["s1", "s1", "s1", "s1", "s2", "s2", "s2", "s2"], None),
    "mobile or not": ("mobile", ["yes", "no"], None),
    "birth order": ("birth_order", [1, 2], None),
    "versions": ("version", ["1.2", "1.3"], None),
    "dates": ("day", ["2024-01-05", "2024-01-06"], None),
    "measurements": ("reaction", [0.123456 + place for place in range(20)], None),
    "a role": ("participant", ["buyer", "seller"] * 10, None),
    "a zipper": ("zipper", ["12345", "54321"], None),
    "nothing": ("email", [None, None], None),
    "hosts that are people or agents": ("host", ["human", "agent", "human"], None),
}


@pytest.mark.parametrize("case", TELLING)
def test_what_a_column_holds(case: str) -> None:
    name, values, kind = TELLING[case]
    assert kind_of_column(name, pd.Series(values)) == kind


@pytest.mark.slow
def test_telling_factors_go_and_are_named() -> None:
    whole = study(["ann", "bob"], ip=["10.0.0.1", "10.0.0.2"], worker_id=[71, 92], country=["IL", "US"])
    clean = whole.deidentify(SALT)
    assert list(clean.games.columns[-2:]) == ["worker_id", "country"]
    assert clean.games["worker_id"].str.fullmatch(r"i[0-9a-f]{16}").all()
    notes = " ".join(clean.provenance.notes)
    assert "dropped the factor 'ip': it looks like IP addresses" in notes
    assert "the factor 'worker_id' looks like ids: pseudonyms now" in notes
    result = whole.deidentify(SALT, keep=["ip", "worker_id"])
    assert result.games["ip"].tolist() == ["10.0.0.1", "10.0.0.2"]
    assert result.games["worker_id"].tolist() == [71, 92]


def test_telling_questions_go_and_are_named() -> None:
    people = ["ann", "bob", "cyd", "dan"]
    answers = {
        "participant_id": people * 3,
        "question": ["zip"] * 4 + ["age"] * 4 + ["code"] * 4,
        "answer": ["10115", "10115", "80331", "80331", "21", "35", "35", "21", "ANN", "Bob ", "cyd", None],
    }
    clean = study(people, answers=answers).deidentify(SALT)
    assert set(clean.answers["question"]) == {"age"}
    notes = " ".join(clean.provenance.notes)
    assert "dropped the answers to 'zip': they look like ZIP codes" in notes
    assert "free-text answers to: code" in notes  # mostly the own id, otherwise spelled


WORDS = ("red", "blue", "green", "white", "black", "brown", "pink", "gold", "grey", "lime", "teal", "navy", "plum",
         "rust", "sand")  # fmt: skip
SENTENCES = [f"{word} was the one chosen" for word in WORDS]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("values", "stays"),
    [
        # Five different sentences of four words and more, each once, are no list of conditions.
        (SENTENCES[:5], False),
        (SENTENCES[:4], True),
        ([*SENTENCES[:5], SENTENCES[0]], True),
        ([f"{word} was one here" for word in WORDS[:5]], False),
        ([f"{word} was one" for word in WORDS[:5]], True),
        ([*SENTENCES[:5], *WORDS[5:10]], True),
        ([*SENTENCES[:5], *WORDS[5:9]], False),
        # Nor are more than twelve values most of which have several words, unless each is found twice on average.
        ([f"{word} pen" for word in WORDS[:13]], False),
        ([f"{word} pen" for word in WORDS[:12]], True),
        ([f"{word} pen" for word in WORDS[:13]] * 2, True),
        (([f"{word} pen" for word in WORDS[:13]] * 2)[:25], False),
        # One text of several words that is longer than a choice is enough.
        (["red", "blue", f"this one is {'x' * 29}"], False),
        (["red", "blue", f"this one is {'x' * 28}"], True),
        (["red", "blue", f"this one {'x' * 40}"], True),
        ([None, None, None], True),
    ],
)
def test_a_factor_of_sentences_is_dropped(values: list[str | None], stays: bool) -> None:
    clean = study([f"p{place}" for place in range(len(values))], remark=values).deidentify(SALT)
    assert ("remark" in clean.games) is stays


@pytest.mark.parametrize(
    ("answers", "is_free"),
    [
        (["x" * 40, "x" * 40], False),
        (["x" * 41, "x" * 41], True),
        (["a", "a", "b", "b"], False),
        (["a", "a", "b"], True),
        (["3", "5", "8"], False),
        # Of a list of more than twelve options a third at most was given by one person only.
        ([*WORDS[:5], *(WORDS[5:13] * 4)], True),
        ([*WORDS[:5], *(WORDS[5:12] * 4)], False),
        ([*WORDS[:5], *(WORDS[5:15] * 4)], False),
    ],
)
def test_a_question_that_is_neither_a_number_nor_a_choice_is_free(answers: list[str], is_free: bool) -> None:
    people = [f"p{place}" for place in range(len(answers))]
    table = pd.DataFrame({"question": "q", "participant_id": people, "answer": answers})
    assert (free_text_questions(table) == ["q"]) is is_free


@pytest.mark.parametrize(("people", "is_free"), [("a a b c d", True), ("a b c d", False)])
def test_a_question_that_most_answer_by_their_id_is_free(people: str, is_free: bool) -> None:
    """Two people gave each answer, as of a choice; a and b gave their own ids."""
    given = {"a": "a", "b": "b", "c": "a", "d": "b"}
    table = pd.DataFrame(
        {"question": "q", "participant_id": people.split(), "answer": [given[one] for one in people.split()]}
    )
    assert (free_text_questions(table) == ["q"]) is is_free


IDS = [str(4000 + 7 * place) for place in range(20)]
SHORT = [str(40 + place) for place in range(20)]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("name", "people", "values", "kept"),
    [
        # Half of the numbers of a column called after people; of other columns nine in ten.
        ("partner", IDS, [*IDS[10:], *(str(9000 + place) for place in range(10))], False),
        ("partner", IDS, [*IDS[11:], *(str(9000 + place) for place in range(11))], True),
        ("remark", IDS, [*IDS[2:], "9000", "9001"], False),
        ("remark", IDS, [*IDS[3:], "9000", "9001", "9002"], True),
        ("year_of_study", IDS, [*IDS[10:], *IDS[:10]], True),
        ("remark", IDS, [*IDS[10:], *IDS[:10]], False),
        # Numbers of two digits name people only in a column called after people, and three of them at least.
        ("partner", SHORT, [*SHORT[:3], "7", "8", *[None] * 15], False),
        ("partner", SHORT, [*SHORT[:2], "7", "8", *[None] * 16], True),
        ("remark", SHORT, [*SHORT[10:], *SHORT[:10]], True),
    ],
)
def test_numbers_are_people_where_their_column_says_so(
    name: str, people: list[str], values: list[str | None], kept: bool
) -> None:
    column: dict[str, Any] = {name: [None if one is None else int(one) for one in values]}
    clean = study(people, **column).deidentify(SALT)
    assert pd.api.types.is_numeric_dtype(clean.games[name]) is kept


def test_ids_in_other_spellings_are_replaced() -> None:
    composed, apart = "Ren\u00e9", unicodedata.normalize("NFD", "Ren\u00e9")
    clean = study(
        [composed, "BOB"],
        host=[apart.upper(), "bob"],
        remark=[f"with {apart}!", "told by bOb"],
        notes=(f"{apart} left",),
    ).deidentify(SALT)
    assert clean.games["host"].tolist() == clean.players["participant_id"].tolist()
    text = " ".join([*clean.games["remark"], *clean.provenance.notes]).lower()
    assert "ren" not in text
    assert "bob" not in text


def test_numeric_ids_are_replaced_where_they_are_ids() -> None:
    clean = study(
        ["1034", "7"],
        subject=[1034.0, 7.0],
        remark=["game of 1034", "7 chips"],
        notes=("1034 came late", "7 games were played"),
    ).deidentify(SALT)
    one, two = clean.players["participant_id"]
    assert clean.games["subject"].tolist() == [one, two]
    assert clean.games["remark"].tolist() == [f"game of {one}", "7 chips"]
    assert clean.provenance.notes[:2] == (f"{one} came late", "7 games were played")


def test_reasons_lose_ids_too() -> None:
    whole = study(["ann", "bob"])
    left_out = (LeftOut("ann.csv", 3, "Ann is gone"),)
    whole = Study(games=whole.games, players=whole.players, provenance=Provenance("x", "1", (), left_out))
    [row] = whole.deidentify(SALT).provenance.left_out
    assert (row.path, "ann" in row.reason.lower()) == ("file-001.csv", False)


@pytest.mark.slow
def test_shuffled_rows_tell_nothing_and_belong_together() -> None:
    people = [f"person{place:02d}" for place in range(30)]
    whole = study(people, host=people)
    clean = whole.deidentify(SALT, shuffle=True)
    assert clean.games["game_id"].is_monotonic_increasing  # the order of pseudonyms
    assert clean.games["game_id"].tolist() != whole.deidentify(SALT).games["game_id"].tolist()
    both = clean.games.merge(clean.players, on="game_id")
    assert (both["host"] == both["participant_id"]).all()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ("hour", "2024-05-16 13:00"),
        ("day", "2024-05-16"),
        ("week", "2024-05-13"),
        ("month", "2024-05-01"),
        ("year", "2024-01-01"),
    ],
)
def test_times_are_coarsened(times: Any, expected: str) -> None:
    when = pd.to_datetime(pd.Series(["2024-05-16 13:45:59", None]), utc=True)
    clean = study(["ann", "bob"], started_at=when).deidentify(SALT, times=times)
    assert clean.games["started_at"][0] == pd.Timestamp(expected, tz="UTC")
    assert pd.isna(clean.games["started_at"][1])
    assert not any("kept to the second" in note for note in clean.provenance.notes)


def test_times_that_stay_are_told() -> None:
    whole = study(["ann"], started_at=pd.to_datetime(["2024-05-16 13:45:59"], utc=True))
    assert any("kept to the second" in note for note in whole.deidentify(SALT).provenance.notes)


@pytest.mark.slow
def test_what_remains_in_the_chat_is_counted() -> None:
    texts = [
        "hi, I'm Ann",
        "call me at +49 30 1234567",
        "I am ready",
        "3 apples, 4 pears",
        "bob told me",
        "see @annsky",
    ]
    assert named_in_texts(texts, ["bob", "7"]) == (
        4,
        {"ids of people": 1, "links and @names": 1, 'names after "I am" or "my name is"': 1, "phone numbers": 1},
    )
    messages = {"game_id": ["g0"] * 6, "message": range(1, 7), "sender": ["A"] * 6, "text": texts}
    whole = study(["bob"])
    talked = Study(
        games=whole.games, players=whole.players, messages=conform("messages", messages), provenance=whole.provenance
    )
    clean = talked.deidentify(SALT)
    assert any("4 of 6 messages may tell who somebody is" in note for note in describe(clean).notes)
    assert clean.messages["text"].tolist() == texts


def test_spellings() -> None:
    assert len({spelled("Straße "), spelled("STRASSE"), spelled("strasse")}) == 1
    assert spelled("7.0") == spelled(7) == "7"
    assert spelled("7.5") == "7.5"


@pytest.mark.slow
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from negstats.cli import main

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["negstats", "deidentify", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    result, safe = str(study(["ann", "bob"]).save(tmp_path / "study")), tmp_path / "safe"
    code, out, err = run(result, "--out", str(safe))
    assert (code, err) == (0, "")
    assert "thrown away" in out
    assert not set(open_study(safe).players["participant_id"]) & {"ann", "bob"}
    (tmp_path / "salt").write_text(f"{SALT}\n")
    words = (result, "--out", str(safe), "--salt-file", str(tmp_path / "salt"), "--shuffle", "--times", "day")
    assert json.loads(run(*words, "--json")[1])["games"] == 2
    first = open_study(safe)
    assert run(*words)[0] == 0
    assert open_study(safe).players.equals(first.players)
    assert run(result, "--out", str(safe), "--salt-file", str(tmp_path / "none"))[0] == 2


def big_study() -> tuple[Study, list[str]]:
    """Forty people who are written in many ways, and what must be nowhere in the safe study."""
    ids = [str(1000 + place) for place in range(40)]
    ids[3:9] = ["kim", "bob@example.org", "Anna Schmidt", "5f2a9c0b1d3e4f5a6b7c8d9e", "Ren\u00e9", "P-0077"]
    games = [f"g{place}" for place in range(20)]
    columns: dict[str, Any] = {
        "condition": ["CL", "FC"] * 10,
        "score": [1010 + place for place in range(20)],  # a measure, whatever its numbers
        "previous_partner": [1010.0 + place for place in range(20)],
        "earlier": [f"{1012 + place % 2};{1014 + place % 3}" for place in range(20)],
        "login": [f"user{1012 + place % 2}" for place in range(20)],
        "padded": [f"x0{1012 + place % 2}y" for place in range(20)],
        "who": ["noteKim", "KIM ", "kim's", "rene", "p77", "P_077"] * 3 + ["bob%40example.org", "Schmidt, ANNA"],
        "rater": ["fine"] * 19 + ["Julia Weber"],
        "remark": ["ok"] * 18 + ["mail eve@example.org", "see 10.1.2.3 or /home/eve/log"],
        "meta": [{"by": "kim"}, ["1012", "x"]] * 10,
        "code": pd.Categorical(["a", "b"] * 10, categories=["a", "b", "kim"]),
        "bob@example.org": [1, 2] * 10,
        "note_kim": [1, 2] * 10,
        "eve@example.org": [1, 2] * 10,
    }
    answers: dict[str, list[Any]] = {"participant_id": [], "question": [], "answer": []}
    for question, replies in {
        "friend": ["Anna Schmidt", "Ben Cohen"] * 20,
        "partner_id": [str(1010 + place % 20) for place in range(40)],
        "liking_kim": [str(place % 5) for place in range(40)],
        "last word": ["nothing"] * 21 + [f"typed{place}" for place in range(19)],
        "major": ["Computer Science", "High School"] * 20,
        "amount": [str(1010 + place % 2) for place in range(40)],
    }.items():
        answers["participant_id"] += ids
        answers["question"] += [question] * 40
        answers["answer"] += replies
    texts = ["hi kim", "KIM's turn", "kim_2?", "rene!", "id1012", "thanks bob", "participant 1013", "a kimono", "no"]
    seats = {"game_id": [game for game in games for _ in "AB"], "player": ["A", "B"] * 20}
    message_columns = {"game_id": ["g0"] * 9, "message": range(1, 10), "sender": ["A"] * 9}
    whole = Study(
        games=conform("games", {"game_id": games, "ended": ["agreement"] * 20, **columns}),
        players=conform("players", {**seats, "participant_id": ids}),
        messages=conform("messages", {**message_columns, "text": texts, "labels": ['{"by": "kim"}'] * 9}),
        answers=conform("answers", answers),
        provenance=Provenance(
            "by hand",
            "1",
            (Source("logs/kim/1012.csv", "ab", 3), Source("log.kim", "cd", 2)),
            (LeftOut("logs/kim/1012.csv", 2, "1012.csv has no number, see /home/eve/x"),),
            (
                "read from /home/eve/data/logs/kim/1012.csv on lab-pc-07.cs.example.edu",
                r"C:\Users\eve\x.csv and \\srv01\share\b by eve@lab",
                "eves-macbook.local, DESKTOP-EVE12CD, 10.0.0.3, +49 30 1234567, https://example.org/eve",
                "games.started_at and/or players.points by solver_cl 1.2.3",
            ),
        ),
    )  # fmt: skip
    secrets = [
        *("kim", "bob", "eve@", "/eve", "\\eve", "eves-", "eve1", "schmidt"),
        *("weber", "cohen", "5f2a9c0b", "ren\u00e9", "rene", "typed1", "srv01", "10.1.2.3"),
    ]
    return whole, [*secrets, "10.0.0.3", "1234567", "example", *(str(1012 + place) for place in range(3))]


@pytest.mark.slow
def test_nobody_is_named_in_any_spelling() -> None:
    whole, secrets = big_study()
    clean = whole.deidentify(SALT)
    games = clean.games.drop(columns="score")  # a measure that happens to run through the ids
    answers = clean.answers[clean.answers["question"] != "amount"]
    tables = {**clean.tables, "games": games, "answers": answers}
    tables["messages"] = clean.messages.drop(columns="text")
    cells = [str(value) for frame in tables.values() for name in frame for value in [name, *frame[name]]]
    categories = [str(level) for name in games if hasattr(games[name], "cat") for level in games[name].cat.categories]
    notes = [
        note for note in clean.provenance.notes if not note.startswith(("the factor", "dropped the", "the answers"))
    ]
    written = [*cells, *categories, *notes, *map(str, clean.provenance.sources), *map(str, clean.provenance.left_out)]
    assert not [
        (secret, text) for secret in secrets for text in written if secret in text.lower() and "kimono" not in text
    ]


@pytest.mark.slow
def test_every_column_is_accounted_for() -> None:
    whole, _ = big_study()
    notes = " ".join(describe(whole.deidentify(SALT)).notes)
    assert "the factor 'previous_partner' names people: pseudonyms now" in notes
    assert "the answers to 'partner_id' are ids of people: pseudonyms now" in notes
    assert "the names of 3 factors held ids or addresses" in notes
    assert "dropped the answers to 'friend': they look like names of people" in notes
    assert "free-text answers to: last word" in notes
    assert "factors kept: condition (2 values), score (numbers from 1010 to 1029)" in notes
    assert "amount (numbers from 1010 to 1011)" in notes
    assert "masked in the factor 'rater', the factor 'remark'" in notes
    assert "7 of 9 messages may tell who somebody is (7 ids of people)" in notes
    for name in whole.factors:
        if "@" not in name and "kim" not in name:
            assert name in notes


@pytest.mark.slow
def test_what_is_innocent_stays_as_it_is() -> None:
    whole, _ = big_study()
    clean = whole.deidentify(SALT)
    for name in ("condition", "score"):
        assert clean.games[name].tolist() == whole.games[name].tolist()
    for question in ("major", "amount"):
        one, other = (some.answers.loc[some.answers["question"] == question, "answer"] for some in (clean, whole))
        assert one.tolist() == other.tolist()
    assert clean.provenance.notes[3] == whole.provenance.notes[3]


@pytest.mark.slow
def test_a_partner_is_the_same_person_in_every_column() -> None:
    whole, _ = big_study()
    clean = whole.deidentify(SALT)
    new = dict(zip(whole.players["participant_id"], clean.players["participant_id"], strict=True))
    assert clean.games["previous_partner"].tolist() == [new[str(1010 + place)] for place in range(20)]
    assert clean.games["login"][0] == f"user{new['1012']}"


def test_seats_called_after_people_get_pseudonyms() -> None:
    seats = {"game_id": ["g1", "g1", "g2", "g2"], "player": ["Anna Schmidt", "Ben Cohen", "Julia Weber", "Peter Klein"]}
    whole = Study(
        games=conform("games", {"game_id": ["g1", "g2"], "ended": ["agreement"] * 2}),
        players=conform("players", {**seats, "participant_id": ["7", "8", "9", "10"]}),
        provenance=Provenance("by hand", "1"),
    )
    clean = whole.deidentify(SALT)
    assert clean.players["player"].str.fullmatch(r"s[0-9a-f]{16}").all()
    assert any("names of seats" in note for note in clean.provenance.notes)


TEXTS = {
    "a longer word": ("annual plan", ["ann"], "annual plan"),
    "a number with decimals": ("1002.5", ["1002"], "1002.5"),
    "a float": ("1002.0", ["1002"], "<0>"),
    "a list": ("1001,1002;1003", ["1001", "1003"], "<0>,1002;<1>"),
    "a longer number": ("21002", ["1002"], "21002"),
    "a date": ("2019-05-16", ["2019"], "2019-05-16"),
    "zeros before": ("user007 and user01002", ["7", "1002"], "user<0> and user<1>"),
    "a small number": ("7 chips, player 7", ["7"], "7 chips, player 7"),
    "camel case": ("noteKim, KimNote, kimono", ["kim"], "note<0>, <0>Note, kimono"),
    "accents": ("JOSE, jos\u00e9, jose\u0301.", ["Jos\u00e9"], "<0>, <0>, <0>."),
    "separators": ("p012 P-12 p_0012 p 12 p120", ["P-012"], "<0> <0> <0> <0> p120"),
    "glued to letters": ("id5f2a9c0b1d3ex", ["5f2a9c0b1d3e"], "id<0>x"),
    "of nothing": ("\u200bk\u200bim", ["kim"], "\u200b<0>"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_ids_in_a_text(case: str) -> None:
    text, ids, expected = TEXTS[case]
    names = Names(ids, SALT)
    for place, value in enumerate(ids):
        expected = expected.replace(f"<{place}>", names.exact[value])
    assert names.in_text(text) == expected
    assert bool(names.spans(text)) == (text != expected)


@given(
    value=st.from_regex(r"[a-z]{2,6}[0-9]{2,5}|[0-9]{4,9}|[a-z]{3,9}", fullmatch=True),
    before=st.sampled_from(["", " ", "_", "(", "x-", "\u00e4 ", "user ", "1 "]),
    after=st.sampled_from(["", " ", "_b", ")", ".", " 1", "'s", "\n"]),
    case=st.sampled_from([str.upper, str.lower, str.title]),
)
def test_an_id_between_other_things_is_always_replaced(value: str, before: str, after: str, case: Any) -> None:
    names = Names([value], SALT)
    safe = names.in_text(before + case(value) + after)
    assert safe.strip() == (before + names.exact[value] + after).strip()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("call 0171 2345678", "phone numbers"),
        ("or 030-1234567, late", "phone numbers"),
        ("my log is /home/bob/run1", "paths, addresses and accounts"),
        ("I sit at 192.168.17.4", "paths, addresses and accounts"),
        ("pay to DE89 3704 0044 0532 0130 00", "paths, addresses and accounts"),
    ],
)
def test_texts_that_tell_who_somebody_is_are_counted(text: str, kind: str) -> None:
    assert named_in_texts([text, "and/or 0.5 12345 1-0"], []) == (1, {kind: 1})


@pytest.mark.slow
def test_numbers_of_people_inside_other_things() -> None:
    """The number of p1006 within JSON is as telling as alone; a measure of such numbers is none."""
    ids = [f"p{1001 + place}" for place in range(12)]
    games = [f"g{place}" for place in range(6)]
    columns: dict[str, Any] = {
        "with": [f'{{"by": {1002 + place}, "k": 1}}' for place in range(6)],
        "range": [f"{1000 * place} to {1000 * place + 500}" for place in range(2, 8)],
        "remark": [f"all went well, {name} came late" for name in ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")],
        "payoffs": [f"{place} 0 5 1" for place in range(6)],
    }
    replies = [f"no. {1001 + (place + 5) % 12}" for place in range(12)]
    whole = Study(
        provenance=Provenance("by hand", "1"),
        games=conform("games", {"game_id": games, "ended": ["agreement"] * 6, **columns}),
        players=conform("players", {"game_id": games * 2, "player": ["A"] * 6 + ["B"] * 6, "participant_id": ids}),
        answers=conform("answers", {"participant_id": ids, "question": ["partner"] * 12, "answer": replies}),
    )
    clean = whole.deidentify(SALT)
    assert not clean.games["with"].str.contains(": 10").any()
    assert clean.games["with"].str.contains('"k": 1').all()
    assert clean.answers["answer"].str.startswith("no. p").all()
    assert sorted(clean.games["range"]) == sorted(columns["range"])
    assert sorted(clean.games["payoffs"]) == sorted(columns["payoffs"])
    assert "remark" not in clean.factors


def test_names_in_messages_of_other_languages_are_counted() -> None:
    values = [
        "je m'appelle Chlo\u00e9",
        "ich hei\u00dfe S\u00f8ren",
        "ask Anna Schmidt",
        "ANNA SCHMIDT here",
        "me llamo Ana",
    ]
    values += ["example.com/ann", "ann at example dot org", "Good Deal", "New York is far", "I am ready", "May I"]
    n_names, kinds = named_in_texts(values, [])
    assert n_names == 7
    assert kinds["full names"] == 2


@pytest.mark.slow
def test_a_copy_that_is_refused_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    place, out = str(ROOT / "datasets" / "sample"), tmp_path / "copy"
    assert shell("deidentify", place, "--out", str(out))[0] == 0
    older = {file.name: file.read_bytes() for file in out.iterdir()}

    def refuse(*_: object) -> None:
        raise UsageError("a piece of an id is left")

    monkeypatch.setattr(Study, "check_pieces", refuse)
    code, _, err = shell("deidentify", place, "--out", str(out))
    assert (code, err.strip().splitlines()[-1]) == (2, "negstats: a piece of an id is left")
    assert {file.name: file.read_bytes() for file in out.iterdir()} == older


def ids_of(style: str, count: int = 24) -> list[str]:
    """Return ids of people as platforms give them."""
    codes = [hashlib.sha256(f"{style} {place}".encode()).hexdigest() for place in range(count)]
    return {
        "Prolific": [code[:24] for code in codes],
        "MTurk": [f"A{code[:12].upper()}{code[20].upper()}" for code in codes],
        "UUID": [f"{code[:8]}-{code[8:12]}-4{code[12:15]}-a{code[15:18]}-{code[18:30]}" for code in codes],
        "e-mail": [f"{code[:9]}.{code[9:14]}@example.org" for code in codes],
    }[style]


@pytest.mark.slow
@pytest.mark.parametrize("style", ["Prolific", "MTurk", "UUID", "e-mail"])
def test_no_six_characters_of_an_id_stay_wherever_they_stood(style: str) -> None:
    """Ids, halves of ids and ids in other spellings stand in every table, note, reason and name of a file."""
    people = ids_of(style)
    games = [f"g{place}" for place in range(12)]
    halves = [one[:10] for one in people]
    whole = Study(
        games=conform(
            "games",
            {
                "game_id": games, "ended": ["agreement"] * 12, "study": [f"run of {people[0]}"] * 12,
                "scenario": [f"car by {one}" for one in people[::2]], "condition": ["a", "b"] * 6,
                "file": [f"logs/{one}_{two}.json" for one, two in zip(people[::2], people[1::2], strict=True)],
                "upper": [one.upper() for one in people[::2]], f"with_{people[3]}": ["y", "n"] * 6,
            },
        ),
        players=conform(
            "players", {"game_id": [one for one in games for _ in "ab"], "player": ["A", "B"] * 12,
                        "participant_id": people, "agent": [None] * 23 + [f"bot_{people[1]}"]},
        ),
        messages=conform(
            "messages", {"game_id": games, "message": [1] * 12, "sender": ["A"] * 12, "labels": people[::2],
                         "text": [f"I am {one} or {half}, {' '.join(re.findall('.{1,4}', one))}"
                                  for one, half in zip(people[::2], halves, strict=False)]},
        ),
        answers=conform(
            "answers", {"participant_id": people * 2, "question": [f"about_{people[5]}"] * 24 + ["own id"] * 24,
                        "answer": ["1", "2"] * 12 + people},
        ),
        provenance=Provenance(
            "by hand", "1", (Source(f"{people[0]}/{people[1]}.csv", "0" * 64, 3),),
            (LeftOut(f"{people[0]}/{people[1]}.csv", 2, f"value {people[3][:9]} is odd"),),
            (f"participant {people[5]} left", f"{halves[8]}\u2026 and \u2026{people[9][-12:]}", f"{people[6]}'s row"),
        ),
    )  # fmt: skip
    clean = whole.deidentify(SALT)
    assert texts_with_pieces(clean, people) == []
    assert clean.games["condition"].tolist() == ["a", "b"] * 6


def texts_with_pieces(clean: Study, ids: list[str]) -> list[str]:
    """Return the texts of a copy in which six characters of an id stand, pseudonyms apart."""
    texts = [*clean.provenance.notes, *(row.path + row.reason for row in clean.provenance.left_out)]
    texts += [source.path for source in clean.provenance.sources]
    for frame in clean.tables.values():
        texts += [*frame.columns, *(str(value) for name in frame for value in frame[name].dropna().unique())]
    bare = [re.sub(r"[pgsi][0-9a-f]{16}", " ", text).casefold() for text in texts]
    own = [one.partition("@")[0].casefold() for one in ids]
    pieces = {one[at : at + 6] for one in own for at in range(len(one) - 5)}
    assert not any(re.sub(r"[\W_]", "", one) in re.sub(r"[\W_]", "", text) for one in own for text in bare)
    return [text for text in bare if any(text[at : at + 6] in pieces for at in range(len(text) - 5))]


def test_short_ids_in_messages_are_pseudonyms() -> None:
    people = [f"K{one}L{one}{one % 7}" for one in range(1, 9)]
    clean = Study(
        games=conform("games", {"game_id": people, "ended": ["agreement"] * 8, "geburtsjahr": range(1970, 1978)}),
        players=conform("players", {"game_id": people, "player": ["A"] * 8, "participant_id": people}),
        messages=conform("messages", {"game_id": people, "message": [1] * 8, "sender": ["A"] * 8,
                                      "text": [f"its ({one.lower()})!" for one in people]}),
        provenance=Provenance("by hand", "1"),
    ).deidentify(SALT)  # fmt: skip
    assert clean.messages["text"].str.fullmatch(r"its \(p[0-9a-f]{16}\)!").all()
    assert "geburtsjahr" not in clean.games


@pytest.mark.slow
@pytest.mark.parametrize("style", ["Prolific", "MTurk", "UUID", "e-mail"])
@pytest.mark.parametrize("place", ["answer", "factor"])
def test_ids_of_a_column_of_their_own_are_ids_in_texts_too(style: str, place: str) -> None:
    """People have numbers of the laboratory, and what they are called elsewhere stands in an answer or a factor."""
    elsewhere = ids_of(style)
    people = [f"P{one:02d}" for one in range(24)]
    games = [f"g{one}" for one in range(24)]
    factor = {"condition": ["a", "b"] * 12} | ({"platform": elsewhere} if place == "factor" else {})
    said = elsewhere if place == "answer" else ["yes"] * 24
    whole = Study(
        games=conform("games", {"game_id": games, "ended": ["agreement"] * 24, **factor}),
        players=conform("players", {"game_id": games, "player": ["A"] * 24, "participant_id": people}),
        messages=conform("messages", {"game_id": games, "message": [1] * 24, "sender": ["A"] * 24,
                                      "text": [f"my id is {one}, or {one[:9]}" for one in elsewhere]}),
        answers=conform("answers", {"participant_id": people * 2, "question": ["platform"] * 24 + ["strategy"] * 24,
                                    "answer": [*said, *(f"no {one[-8:]}" for one in elsewhere)]}),
        provenance=Provenance("by hand", "1", (Source("log.csv", "0" * 64, 3),),
                              (LeftOut("log.csv", 2, f"row of worker {elsewhere[2]} has no game"),),
                              (f"worker {elsewhere[5]} wrote twice",)),
    )  # fmt: skip
    clean = whole.deidentify(SALT)
    assert texts_with_pieces(clean, elsewhere) == []
    assert clean.games["condition"].tolist() == ["a", "b"] * 12


def test_a_condition_that_is_a_part_of_composed_ids_stays() -> None:
    """People are called by condition and number: words that five people share tell nobody apart."""
    arms = [
        f"{manner}-{side}" for manner in ("strict", "lenient", "silent", "angry") for side in ("agent", "buyer", "pair")
    ]
    people = [f"{arm} {place:02d}" for place in range(5) for arm in arms]
    assert study(people, condition=arms * 5).deidentify(SALT).games["condition"].tolist() == arms * 5


@pytest.mark.slow
def test_a_refused_copy_names_the_question() -> None:
    people = [str(100200 + 37 * place) for place in range(20)]
    answers = {"participant_id": people, "question": ["like"] * 20, "answer": ["1", "2"] * 9 + ["1", people[4]]}
    with pytest.raises(UsageError, match=r"in the answers to 'like' \('100348'\) is still in the copy.*--keep it"):
        study(people, answers=answers).deidentify(SALT)
    assert study(people, answers=answers).deidentify(SALT, keep=["like"]).answers["answer"].iloc[-1] == people[4]
