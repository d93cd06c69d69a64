"""A table of people beside one of what they did: each row of the log gets the columns of its person."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.preregistration.draft import draft
from negstats.errors import LogError
from negstats.loaders.mapping import suggest
from tests.loaders.mapping.test_guess import loaded, saved
from tests.loaders.mapping.test_public_shapes import questions

PEOPLE, TRIALS = 12, 5
MAPPING = """
row = "player"
files = "trials.csv"
beside = { files = "people.csv", by = "pid" }
games.game_id = ["pid", "trial"]
factors.group = "group"
players = { player = { constant = "responder" }, participant_id = "pid" }
person.age = "age"
"""


def people(name: str = "pid") -> pd.DataFrame:
    frame = pd.DataFrame({name: [f"P{person}" for person in range(PEOPLE)], "age": range(20, 20 + PEOPLE)})
    return frame.assign(group=["drug", "placebo"] * (PEOPLE // 2))


def trials() -> pd.DataFrame:
    """Return answers to offers, most of the larger ones accepted."""
    rng = np.random.default_rng(9)
    rows = [(f"P{person}", trial) for person in range(PEOPLE) for trial in range(1, TRIALS + 1)]
    frame = pd.DataFrame(rows, columns=["pid", "trial"]).assign(offer=rng.integers(1, 6, len(rows)))
    return frame.assign(response=np.where(rng.random(len(frame)) < frame["offer"] / 6, "accept", "reject"))


def study_of(folder: Path, mapping: str = MAPPING) -> negstats.Study:
    (folder / "mapping.toml").write_text(mapping)
    return negstats.load(folder / "logs", mapping=folder / "mapping.toml")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    saved(tmp_path / "logs", trials(), "trials.csv")
    saved(tmp_path / "logs", people(), "people.csv")
    return tmp_path


@pytest.mark.slow
def test_map_finds_the_table_of_people(logs: Path) -> None:
    text, study = loaded(logs, logs / "logs")
    assert 'beside = { files = "people*.csv", by = "pid" }' in text
    assert "not read" not in text
    asked = [
        "Is there a difference in acceptance between drug and placebo?",
        "Is acceptance related to the amount offered?",
    ]
    assert questions(draft(study)) == asked  # of offers that people answered, and nobody known made
    groups = people().set_index("pid")["group"]
    assert study.games["group"].tolist() == trials()["pid"].map(groups).tolist()
    ages = study.answers.query("question == 'age'")
    assert (
        ages.set_index("participant_id")["answer"].astype(float).to_dict() == people().set_index("pid")["age"].to_dict()
    )


@pytest.mark.slow
def test_two_tables_of_the_same_people_stand_beside_a_log(logs: Path) -> None:
    scales = pd.DataFrame({"pid": [f"P{person}" for person in range(PEOPLE)], "trust": np.arange(PEOPLE) / 4})
    saved(logs / "logs", scales, "scales.csv")
    text, study = loaded(logs, logs / "logs")
    assert 'beside = [{ files = "people*.csv", by = "pid" }, { files = "scales*.csv", by = "pid" }]' in text
    assert set(study.answers["question"]) == {"age", "trust"}


@pytest.mark.slow
def test_the_person_may_be_called_otherwise_there(tmp_path: Path) -> None:
    saved(tmp_path / "logs", trials(), "trials.csv")
    saved(tmp_path / "logs", people("Participant ID"), "people.csv")
    text, study = loaded(tmp_path, tmp_path / "logs")
    assert 'by = { pid = "Participant ID" }' in text
    assert study.factors == ["group"]


def test_two_tables_with_one_row_a_person_each_are_one_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    names = np.array([f"K{place:02d}x" for place in range(60)])
    game = pd.DataFrame({"code": names, "arm": rng.permutation(["a", "b"] * 30), "gave": rng.integers(0, 11, 60)})
    survey = pd.DataFrame(
        {"code": rng.permutation(names), "age": rng.integers(18, 60, 60), "calm": rng.integers(1, 8, 60)}
    )
    saved(tmp_path / "logs", game, "game.csv")
    saved(tmp_path / "logs", survey, "survey.csv")
    text, study = loaded(tmp_path, tmp_path / "logs")
    assert 'subject = "table"' not in text
    ages = study.answers.query("question == 'age'").set_index("participant_id")["answer"].astype(float)
    assert ages.to_dict() == survey.set_index("code")["age"].to_dict()


def test_names_join_tables_whatever_their_columns_are_called(tmp_path: Path) -> None:
    saved(tmp_path / "logs", trials().rename(columns={"pid": "osoba"}), "decyzje.csv")
    saved(tmp_path / "logs", people("k1"), "lista.csv")
    text, study = loaded(tmp_path, tmp_path / "logs")
    assert 'by = { osoba = "k1" }' in text
    assert "not read, for" not in text
    assert study.games["group"].nunique() == 2


def test_what_each_speaker_was_asked_stands_beside_the_talk_of_many_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    words = ["I", "could", "take", "less", "if", "you", "pay", "the", "fair", "price", "now", "we", "have", "a", "deal"]
    (tmp_path / "logs").mkdir()
    for talk in range(12):
        lines = [
            {"who": f"w{2 * talk + turn % 2:02d}", "say": " ".join(rng.choice(words, 7)), "sec": 9.0 * turn}
            for turn in range(6)
        ]
        content = {"talk": f"n{talk:02d}", "frame": ("gain", "loss")[talk % 2], "log": lines, "price": 20 + talk}
        (tmp_path / "logs" / f"n{talk:02d}.json").write_text(json.dumps(content))
    survey = pd.DataFrame({"worker": [f"w{person:02d}" for person in range(24)], "sex": ["f", "m"] * 12})
    survey = survey.assign(calm=rng.integers(1, 8, 24), hope=rng.normal(20, 9, 24).round(1))
    saved(tmp_path / "logs", survey, "survey.csv")
    text, study = loaded(tmp_path, tmp_path / "logs")
    assert 'by = { "log.who" = "worker" }' in text
    assert (len(study.games), study.players["participant_id"].nunique(), len(study.messages)) == (12, 24, 72)
    hope = study.answers.query("question == 'hope'").drop_duplicates("participant_id")
    assert (
        hope.set_index("participant_id")["answer"].astype(float).to_dict()
        == survey.set_index("worker")["hope"].to_dict()
    )
    assert {"calm", "sex"} < set(study.answers["question"])


@pytest.mark.slow
def test_a_sheet_of_people(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "study.xlsx") as book:
        trials().to_excel(book, sheet_name="Trials", index=False)
        people().to_excel(book, sheet_name="People", index=False)
    text, study = loaded(tmp_path, tmp_path / "study.xlsx")
    assert 'beside = { sheet = "People", by = "pid" }' in text
    assert study.factors == ["group"]


def test_rows_that_find_nobody_are_counted(logs: Path) -> None:
    saved(logs / "logs", people().iloc[1:].replace("P11", "P99"), "people.csv")
    notes = study_of(logs).provenance.notes
    assert f"{2 * TRIALS} of {PEOPLE * TRIALS} rows have no counterpart in people.csv" in notes
    assert f"1 of {PEOPLE - 1} rows of people.csv name nothing in the log" in notes


def test_two_rows_of_one_person_are_refused(logs: Path) -> None:
    saved(logs / "logs", pd.concat([people(), people().iloc[:1]]), "people.csv")
    with pytest.raises(LogError, match=r"people\.csv, row 14, column 'pid': 'P0' is also in row 2"):
        study_of(logs)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('by = "pid"', 'by = "sid"', "trials.csv, column 'sid': has no such column"),
        (', by = "pid"', "", "beside.by: is needed: the column that names rows in both tables"),
        ('files = "people.csv", ', "", 'beside: needs files = "people.csv", or sheet = "People"'),
        (
            'files = "people.csv", ',
            'files = "*.csv", ',
            "a log needs exactly one such file in its folder, and 2 were found",
        ),
        ('files = "people.csv", ', 'fils = "people.csv", ', "there is no key 'fils'"),
        ('by = "pid"', 'by = "pid", prefix = 1', "beside.prefix: 1 is no text"),
    ],
)
def test_a_mapping_that_names_no_such_table(old: str, new: str, why: str, logs: Path) -> None:
    assert old in MAPPING
    with pytest.raises(LogError) as fault:
        study_of(logs, MAPPING.replace(old, new))
    assert why in str(fault.value)


def persons(names: tuple[str, str, str], form: str = "S{:03d}", count: int = 60) -> pd.DataFrame:
    """Return a table of people: what names them, their age, and one of two arms."""
    rng = np.random.default_rng(3)
    cells = [[form.format(person) for person in range(1, count + 1)], rng.integers(18, 60, count)]
    return pd.DataFrame(dict(zip(names, [*cells, ["calm", "tense"] * (count // 2)], strict=True)))


def meetings(names: list[str], form: str = "S{:03d}", rounds: int = 1, count: int = 60) -> pd.DataFrame:
    """Return who met whom in each round, and what came of it."""
    rng = np.random.default_rng(4)
    rows: list[tuple[object, ...]] = []
    for number in range(1, rounds + 1):
        ids = [form.format(person) for person in rng.permutation(np.arange(1, count + 1))]
        pairs = zip(ids[::2], ids[1::2], strict=True)
        rows += [(len(rows) + place, number, *pair, int(rng.integers(40, 80))) for place, pair in enumerate(pairs, 1)]
    return pd.DataFrame(rows, columns=["nr", "round", *names])


# Names of both seats and of what came of it; those of the table of people; how ids are written; how many rounds.
PAIRS = {
    "seats": (["buyer_id", "seller_id", "price"], ("id", "age", "condition"), "S{:03d}", 1, ("buyer", "seller")),
    "letters": (["person_a", "person_b", "price"], ("pid", "age", "medium"), "S{:03d}", 1, ("a", "b")),
    "unnamed": (["k1", "k2", "x"], ("kod", "alter", "gruppe"), "Q{:03d}", 1, ("1", "2")),
    "German": (["Käufer", "Verkäufer", "Preis"], ("Code", "Alter", "Bedingung"), "P{}x", 1, ("buyer", "seller")),
    "numbers": (["proposer", "responder", "amount"], ("subject", "age", "arm"), "{}", 6, ("proposer", "responder")),
}


@pytest.mark.parametrize("layout", PAIRS)
@pytest.mark.parametrize("container", ["folder", "workbook", "database"])
def test_a_table_of_people_stands_beside_both_who_met(layout: str, container: str, tmp_path: Path) -> None:
    seats, own, form, rounds, words = PAIRS[layout]
    played, described = meetings(seats, form, rounds), persons(own, form)
    if rounds == 1:
        played = played.drop(columns="round")
    source = tmp_path / {"folder": "logs", "workbook": "logs.xlsx", "database": "logs.sqlite"}[container]
    if container == "folder":
        saved(source, played, "games.csv")
        saved(source, described, "people.csv")
    elif container == "workbook":
        with pd.ExcelWriter(source) as book:
            played.to_excel(book, sheet_name="Games", index=False)
            described.to_excel(book, sheet_name="People", index=False)
    else:
        with closing(sqlite3.connect(source)) as connection:
            played.to_sql("games", connection, index=False)
            described.to_sql("people", connection, index=False)
    text, study = loaded(tmp_path, source)
    assert 'subject = "table"' not in text
    assert set(study.players["player"]) == {*words}
    assert study.players["participant_id"].nunique() == 60
    people_of_games = study.players.pivot_table(
        index="game_id", columns="player", values="participant_id", aggfunc="first"
    )
    met = played[seats[:2]].astype(str)
    assert set(people_of_games[[*words]].itertuples(index=False, name=None)) == set(
        met.itertuples(index=False, name=None)
    )
    ages = study.answers.query("question == 'age'").groupby("participant_id")["answer"].first().astype(float)
    assert ages.to_dict() == described.set_index(own[0])[own[1]].rename(str).to_dict()
    assert len(study.factors) >= 2, "the condition of both"


def test_what_both_who_met_have_alike_is_said_once_of_their_game(tmp_path: Path) -> None:
    played, described = (
        meetings(["person_a", "person_b", "price"]).drop(columns="round"),
        persons(("pid", "age", "medium")),
    )
    media = dict.fromkeys(played["person_a"][::2], "email") | dict.fromkeys(played["person_b"][::2], "email")
    saved(tmp_path / "logs", played, "dyads.csv")
    saved(tmp_path / "logs", described.assign(medium=described["pid"].map(media).fillna("video")), "people.csv")
    text, study = loaded(tmp_path, tmp_path / "logs")
    assert 'medium = "person_a.medium"' in text
    assert study.factors == ["medium"]
    assert questions(draft(study))[0] == "Is there a difference in price between email and video?"


def test_whom_one_met_is_nobody_beside_whom_people_stand(tmp_path: Path) -> None:
    played = meetings(["subject", "partner", "points"], rounds=4).drop(columns="nr")
    turned = played.rename(columns={"subject": "partner", "partner": "subject"}).assign(points=100 - played["points"])
    saved(tmp_path / "logs", pd.concat([played, turned[played.columns]]), "rounds.csv")
    saved(tmp_path / "logs", persons(("subject", "age", "arm")), "people.csv")
    assert 'beside = { files = "people*.csv", by = "subject" }' in suggest(tmp_path / "logs")


def test_who_acts_in_turn_is_somebody_in_a_table_of_people(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    rows: list[tuple[object, ...]] = []
    for game in range(30):
        pair = (f"S{2 * game + 1:03d}", f"S{2 * game + 2:03d}")
        n = int(rng.integers(4, 9))
        rows += [(game, turn, pair[turn % 2], "offer", float(rng.integers(40, 60))) for turn in range(n)]
        rows.append((game, n, pair[n % 2], "accept", None))
    saved(tmp_path / "logs", pd.DataFrame(rows, columns=["game", "turn", "sender", "type", "amount"]), "events.csv")
    described = persons(("participant", "age", "arm")).assign(role=["buyer", "seller"] * 30)
    described["arm"] = np.repeat(["calm", "tense"] * 15, 2)
    saved(tmp_path / "logs", described, "participants.csv")
    text, study = loaded(tmp_path, tmp_path / "logs")
    assert 'participant_id = "sender"' in text
    assert study.factors == ["arm"]
    assert set(study.players["player"]) == {"buyer", "seller"}
    ages = study.answers.query("question == 'age'").set_index("participant_id")["answer"].astype(float)
    assert ages.to_dict() == described.set_index("participant")["age"].to_dict()


@pytest.mark.slow
def test_a_table_that_names_other_people_stands_beside_nothing(tmp_path: Path) -> None:
    saved(tmp_path / "logs", trials(), "trials.csv")
    saved(tmp_path / "logs", people().assign(pid=[f"X{person}" for person in range(PEOPLE)]), "people.csv")
    text = suggest(tmp_path / "logs")
    assert "beside = " not in text
    assert '# 1 other table is not read, for its columns differ: "people.csv"' in text


@pytest.mark.parametrize("rounds", [1, 4])
def test_people_who_are_numbered_anew_in_each_session_stand_beside_by_both(rounds: int, tmp_path: Path) -> None:
    rng, numbers = np.random.default_rng(4), [(session, person) for session in range(1, 5) for person in range(1, 13)]
    told = pd.DataFrame(numbers, columns=["session", "subject"])
    told = told.assign(treatment=rng.permutation(["a", "b"] * 24), age=rng.integers(18, 60, 48))
    rows = [(*each, time, int(rng.integers(0, 21))) for time in range(1, rounds + 1) for each in numbers]
    decided = pd.DataFrame(rows, columns=["session", "subject", "period", "give"])
    saved(tmp_path / "logs", told, "people.csv")
    saved(tmp_path / "logs", decided, "decisions.csv")
    text, study = loaded(tmp_path, tmp_path / "logs")
    assert 'by = ["session", "subject"]' in text
    assert len(study.games) == len(decided)
    assert study.players["participant_id"].nunique() == 48
    assert study.games["treatment"].notna().all()
