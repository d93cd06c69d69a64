"""What tells who took part is found, named and taken out; what only looks like it stays."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from negstats.deidentify import checked_salt, spelled
from negstats.errors import UsageError
from negstats.lazy import open_study
from negstats.study import LeftOut, Provenance, Source, Study
from negstats.suspects import kind_of_column, named_in_texts
from negstats.tables import conform

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


@pytest.mark.parametrize(
    ("salt", "message"),
    [
        ("salt", "has 4 characters"),
        ("aaaaaaaaaaaa", "1 different characters"),
        ("abababab", "2 different characters"),
        ("1234567890123", "is a number"),
        ("Password1!", "anybody would try first"),
        ("prolific-2024", "anybody would try first"),
    ],
)
def test_weak_salts_are_refused(salt: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        study(["ann"], study=["prolific-2024"]).deidentify(salt)


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
    # what only looks like it
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
}


@pytest.mark.parametrize("case", TELLING)
def test_what_a_column_holds(case: str) -> None:
    name, values, kind = TELLING[case]
    assert kind_of_column(name, pd.Series(values)) == kind


def test_telling_factors_go_and_are_named() -> None:
    whole = study(["ann", "bob"], ip=["10.0.0.1", "10.0.0.2"], worker_id=[71, 92], country=["IL", "US"])
    clean = whole.deidentify(SALT)
    assert list(clean.games.columns[-2:]) == ["worker_id", "country"]
    assert clean.games["worker_id"].str.fullmatch(r"i[0-9a-f]{16}").all()
    notes = " ".join(clean.provenance.notes)
    assert "dropped the factor 'ip': it looks like IP addresses" in notes
    assert "the factor 'worker_id' looks like ids: pseudonyms now" in notes
    kept = whole.deidentify(SALT, keep=["ip", "worker_id"])
    assert kept.games["ip"].tolist() == ["10.0.0.1", "10.0.0.2"]
    assert kept.games["worker_id"].tolist() == [71, 92]
    with pytest.raises(UsageError, match="keep names 'ipp', which is no factor and no question; did you mean 'ip'"):
        whole.deidentify(SALT, keep=["ipp"])


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


def test_ids_in_other_spellings_are_replaced() -> None:
    composed, apart = "Ren\u00e9", unicodedata.normalize("NFD", "Ren\u00e9")
    clean = study(
        [composed, "BOB"],
        host=[apart.upper(), "bob"],
        remark=[f"with {apart}!", "told by bOb"],
        notes=(f"{apart} left",),
    ).deidentify(SALT)
    assert clean.games["host"].tolist() == clean.players["participant_id"].tolist()
    said = " ".join([*clean.games["remark"], *clean.provenance.notes]).lower()
    assert "ren" not in said
    assert "bob" not in said


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


def test_shuffled_rows_tell_nothing_and_belong_together() -> None:
    people = [f"person{place:02d}" for place in range(30)]
    whole = study(people, host=people)
    clean = whole.deidentify(SALT, shuffle=True)
    assert clean.games["game_id"].is_monotonic_increasing  # the order of pseudonyms
    assert clean.games["game_id"].tolist() != whole.deidentify(SALT).games["game_id"].tolist()
    both = clean.games.merge(clean.players, on="game_id")
    assert (both["host"] == both["participant_id"]).all()


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


def test_times_that_stay_are_told_and_odd_ones_refused() -> None:
    whole = study(["ann"], started_at=pd.to_datetime(["2024-05-16 13:45:59"], utc=True))
    assert any("kept to the second" in note for note in whole.deidentify(SALT).provenance.notes)
    with pytest.raises(UsageError, match="times is 'century'; hour, day, week, month, year or None would do"):
        whole.deidentify(SALT, times="century")  # type: ignore[arg-type]


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
    assert any("4 of 6 messages may tell who somebody is" in note for note in clean.provenance.notes)
    assert clean.messages["text"].tolist() == texts


def test_spellings() -> None:
    assert len({spelled("Straße "), spelled("STRASSE"), spelled("strasse")}) == 1
    assert spelled("7.0") == spelled(7) == "7"
    assert spelled("7.5") == "7.5"


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from negstats.cli import main

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["negstats", "deidentify", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    there, safe = str(study(["ann", "bob"]).save(tmp_path / "study")), tmp_path / "safe"
    code, out, err = run(there, "--out", str(safe))
    assert (code, err) == (0, "")
    assert "thrown away" in out
    assert not set(open_study(safe).players["participant_id"]) & {"ann", "bob"}
    (tmp_path / "salt").write_text(f"{SALT}\n")
    words = (there, "--out", str(safe), "--salt-file", str(tmp_path / "salt"), "--shuffle", "--times", "day")
    assert json.loads(run(*words, "--json")[1])["games"] == 2
    first = open_study(safe)
    assert run(*words)[0] == 0
    assert open_study(safe).players.equals(first.players)
    assert run(there, "--out", str(safe), "--salt-file", str(tmp_path / "none"))[0] == 2
