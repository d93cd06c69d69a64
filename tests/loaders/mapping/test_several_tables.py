"""Tables of one study in several files, sheets or lists: `map` joins them by the name of the game."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.analysis.preregistration.draft import draft
from negstats.errors import UsageError
from negstats.loaders.files.delimited import read_delimited
from negstats.loaders.files.stacks import find_parts
from negstats.loaders.files.tabular import Form
from negstats.loaders.mapping import suggest
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.log_files import find_logs
from negstats.loaders.mapping.several_tables import shares_names
from tests.loaders.mapping.test_guess import loaded, saved
from tests.loaders.mapping.test_public_shapes import questions

GAMES = 12
TURNS = ("Hello", "I want 30 euros", "Too low for me", "Fine, 35 then", "We have a deal", "Bye for now")


def outcomes() -> pd.DataFrame:
    """Return a row a negotiation: two conditions, ten deals with a price."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"negotiation": range(1, GAMES + 1), "condition": ["angry", "neutral"] * (GAMES // 2)})
    frame["deal"] = (frame["negotiation"] % 6 != 0).astype(int)
    return frame.assign(price=np.where(frame["deal"] == 1, rng.integers(30, 45, GAMES), np.nan))


def talk() -> pd.DataFrame:
    """Return a row an utterance of the same negotiations."""
    rows = [
        (game, turn, ("buyer", "seller")[turn % 2], words)
        for game in range(1, GAMES + 1)
        for turn, words in enumerate(TURNS)
    ]
    return pd.DataFrame(rows, columns=["negotiation", "turn", "speaker", "message"])


@pytest.mark.slow
def test_a_file_of_talk_beside_one_of_outcomes(tmp_path: Path) -> None:
    saved(tmp_path / "study", outcomes(), "outcomes.csv")
    saved(tmp_path / "study", talk(), "chat.csv")
    text, study = loaded(tmp_path, tmp_path / "study")
    assert 'beside = { files = "outcomes*.csv", by = "negotiation" }' in text
    assert (len(study.games), len(study.players), len(study.messages)) == (GAMES, 2 * GAMES, GAMES * len(TURNS))
    assert study.games["price"].count() == 10
    assert questions(draft(study))[0] == "Is there a difference in price between angry and neutral?"


@pytest.mark.slow
def test_a_game_without_talk_is_not_lost(tmp_path: Path) -> None:
    saved(tmp_path / "study", outcomes(), "outcomes.csv")
    saved(tmp_path / "study", talk().query("negotiation > 1"), "chat.csv")
    text, study = loaded(tmp_path, tmp_path / "study")
    assert text.count("[[part]]") == 2
    assert len(study.games) == GAMES


def test_a_file_of_other_games_is_named_as_not_read(tmp_path: Path) -> None:
    saved(tmp_path / "study", outcomes(), "outcomes.csv")
    saved(tmp_path / "study", talk().assign(negotiation=lambda frame: frame["negotiation"] + 500), "chat.csv")
    text, study = loaded(tmp_path, tmp_path / "study")
    assert "# 1 other table is not read, for its columns differ: " in text
    assert "[[part]]" not in text
    assert len(study.games) == GAMES


@pytest.mark.slow
def test_a_sheet_of_people_beside_one_of_negotiations(tmp_path: Path) -> None:
    deals = pd.DataFrame(
        {
            "Dyade": range(1, GAMES + 1),
            "Bedingung": ["Telefon", "Gesicht"] * (GAMES // 2),
            "Einigung": ["ja"] * (GAMES - 1) + ["nein"],
            "Preis": [250.5 + number for number in range(GAMES - 1)] + [np.nan],
        }
    )
    people = pd.DataFrame(
        [(dyad, role, 20 + dyad, dyad % 7 + 1) for dyad in range(1, GAMES + 1) for role in ("Käufer", "Verkäufer")],
        columns=["Dyade", "Rolle", "Alter", "Zufriedenheit"],
    )
    with pd.ExcelWriter(tmp_path / "study.xlsx") as book:
        deals.to_excel(book, sheet_name="Verhandlungen", index=False)
        people.to_excel(book, sheet_name="Fragebogen", index=False)
    _, study = loaded(tmp_path, tmp_path / "study.xlsx")
    assert (len(study.games), len(study.players)) == (GAMES, 2 * GAMES)
    assert study.players["participant_id"].nunique() == 2 * GAMES
    assert set(study.answers["question"]) == {"Alter", "Zufriedenheit"}
    assert study.games["ended"].value_counts().to_dict() == {"agreement": GAMES - 1, "disagreement": 1}
    assert questions(draft(study))[0] == "Is there a difference in Preis between Gesicht and Telefon?"


def dialogues() -> list[dict[str, object]]:
    """Return dialogues over three goods: what both sides value and get stands beside the list of utterances."""
    rng = np.random.default_rng(4)
    made: list[dict[str, object]] = []
    for game in range(GAMES):
        first = [int(number) for number in rng.integers(0, [3, 2, 4])]
        both = zip(("A", "B"), (first, [total - own for total, own in zip((2, 1, 3), first, strict=True)]), strict=True)
        goods = ("book", "hat", "ball")
        sides: dict[str, object] = {}
        for side, own in both:
            values = [int(number) for number in rng.integers(1, 5, 3)]
            score = sum(value * number for value, number in zip(values, own, strict=True))
            sides[f"agent_{side}"] = {
                "values": dict(zip(goods, values, strict=True)),
                "allocation": dict(zip(goods, own, strict=True)),
                "score": score,
            }
        words = [{"speaker": "A", "text": "I want the book"}, {"speaker": "B", "text": "that is fine"}]
        made.append({"dialogue_id": f"d{game}", "style": ("blunt", "kind")[game % 2], **sides, "utterances": words})
    return made


@pytest.mark.slow
def test_what_stands_beside_a_list_of_utterances_is_the_games(tmp_path: Path) -> None:
    content = dialogues()
    (tmp_path / "dialogues.json").write_text(json.dumps(content))
    text, study = loaded(tmp_path, tmp_path / "dialogues.json")
    assert "Platform" not in text  # a dialogue_id alone is not CaSiNo's
    scores = [game[f"agent_{side}"]["score"] for game in content for side in "AB"]  # type: ignore[index]
    assert study.players["points"].tolist() == scores
    assert len(study.messages) == 2 * GAMES
    assert set(study.players["player"]) == set(study.messages["sender"]) == {"A", "B"}
    available = study.tables["values"].groupby("item", observed=True)["available"].first()
    assert available.to_dict() == {"ball": 3, "book": 2, "hat": 1}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", ["negotiation_id", "Negotiation", "negotiation no"])
def test_the_game_may_be_spelled_otherwise(name: str, tmp_path: Path) -> None:
    saved(tmp_path / "study", outcomes(), "outcomes.csv")
    saved(tmp_path / "study", talk().rename(columns={"negotiation": name}), "chat.csv")
    assert suggest(tmp_path / "study").count("[[part]]") == 2


def database(folder: Path) -> Path:
    """Tables of a database: who takes part in which match, rounds of matches, and what each chose in each round."""
    logs = folder / "climate"
    logs.mkdir()
    rng = np.random.default_rng(3)
    people = range(1, 61)
    users = [(user, (user - 1) // 6 + 1, rng.integers(18, 60)) for user in people]
    rounds = [(10 * (match - 1) + time, time, match) for match in range(1, 11) for time in range(1, 11)]
    choices = [(10 * (match - 1) + time, user, rng.integers(0, 5)) for time in range(1, 11) for user, match, _ in users]
    pd.DataFrame(users, columns=["user_id", "match_id", "age"]).to_csv(logs / "game_user.csv", index=False)
    pd.DataFrame(rounds, columns=["id", "number", "match_id"]).to_csv(logs / "game_round.csv", index=False)
    table = pd.DataFrame(choices, columns=["round_id", "user_id", "choice"]).rename_axis("id").reset_index()
    table.to_csv(logs / "game_choice.csv", index=False)
    return logs


@pytest.mark.parametrize("ending", ["", "_street", "_street_2"])
def test_ids_of_a_database_join_the_tables_that_are_called_so(tmp_path: Path, ending: str) -> None:
    logs = database(tmp_path)
    if ending:  # which says nothing of any table
        users = pd.read_csv(logs / "game_user.csv").rename(columns={"user_id": "id"})
        users.to_csv(logs / "game_user.csv", index=False)
        for file in logs.glob("*.csv"):
            file.rename(file.with_stem(file.stem + ending))
    text, study = loaded(tmp_path, logs)
    assert ("game_round" in text) == ("round_id" in text)
    assert f'game_round{ending}*.csv", by = {{ user_id' not in text
    assert "other table" not in text
    assert len(study.games) == 10 * 10
    assert study.players.participant_id.nunique() == 60


def test_a_table_whose_rounds_stood_side_by_side_is_held_against_others(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    pd.DataFrame({"code": [f"p{place}" for place in range(12)], "sum": range(12)}).to_csv(one, index=False)
    pd.DataFrame({"code": [f"p{place}" for place in range(12)], "q": range(12)}).to_csv(other, index=False)
    first, second = (next(find_logs(file, Asked())) for file in (one, other))
    table = replace(second.table, names=["code", "q_{round}"], cells={"q_{round}": second.table.cells["code"]})
    assert shares_names(first, replace(second, table=table, rounds=("1", "2")))


def test_a_longer_table_that_would_stay_unread_is_asked_about(tmp_path: Path) -> None:
    logs = database(tmp_path)
    people = pd.read_csv(logs / "game_user.csv").rename(columns={"user_id": "code"})
    people["seat"] = (people["code"] - 1) % 6 + 1
    people = people.assign(**{f"money{part}": np.random.default_rng(part).integers(0, 40, 60) for part in range(8)})
    people.to_csv(logs / "game_user.csv", index=False)
    text = suggest(logs)
    assert 'files = "game_user' in text
    assert "stop = true" in text
    assert 'subject = "table"' in text
    assert 'files = "game_choice' in suggest(logs, answers={"table": "game_choice.csv"})
    with pytest.raises(UsageError, match=r"--answer table: .*is not an option"):
        suggest(logs, answers={"table": "nobody.csv"})


def test_a_shorter_table_of_the_same_games_is_asked_about(tmp_path: Path) -> None:
    """Its rows are no further rows of the first table, and nothing is tested before somebody says what they are."""
    rng = np.random.default_rng(4)
    saved(
        tmp_path / "study", talk().assign(negotiation=lambda frame: "talk " + frame["negotiation"].astype(str)), "a.csv"
    )
    ratings = pd.DataFrame({"talk": [f"talk {place}" for place in range(1, GAMES + 1)] * 3})
    saved(tmp_path / "study", ratings.assign(rating=rng.integers(1, 8, len(ratings)), rater=1), "b.csv")
    text = suggest(tmp_path / "study")
    assert 'subject = "table"' in text
    assert "stop = true" in text
    assert f"{len(ratings)} rows of " in text


def test_a_table_that_holds_nothing_of_these_games_is_asked_about_without_a_stop(tmp_path: Path) -> None:
    saved(tmp_path / "study", outcomes(), "outcomes.csv")
    saved(tmp_path / "study", pd.DataFrame({"term": ["deal", "price"], "meaning": ["agreed", "in euros"]}), "book.csv")
    text = suggest(tmp_path / "study")
    assert 'subject = "table"' in text
    assert "stop = true" not in text


def test_sheets_of_a_workbook_in_a_folder(tmp_path: Path) -> None:
    """Offers, pairs and what both sides were asked, in one workbook that lies in a folder."""
    rng = np.random.default_rng(6)
    moves = [(pair, move, ("seller", "buyer")[move % 2]) for pair in range(1, 31) for move in range(4)]
    offers = pd.DataFrame(moves, columns=["pair", "move", "side"]).assign(offer=rng.integers(30, 90, len(moves)))
    offers["reply"] = np.where(offers["move"] == 3, "accept", "reject")
    pairs = pd.DataFrame({"pair": range(1, 31), "treatment": ["deadline", "open"] * 15})
    survey = pd.DataFrame(
        [(pair, side) for pair in range(1, 31) for side in ("seller", "buyer")], columns=["pair", "side"]
    )
    survey = survey.assign(age=rng.integers(18, 60, 60), calm=rng.integers(1, 8, 60), fair=rng.integers(1, 8, 60))
    (tmp_path / "study").mkdir()
    with pd.ExcelWriter(tmp_path / "study" / "book.xlsx") as book:
        for name, table in (("Offers", offers), ("Pairs", pairs), ("Survey", survey)):
            table.to_excel(book, sheet_name=name, index=False)
    text, study = loaded(tmp_path, tmp_path / "study")
    assert 'beside = { files = "*.xlsx", sheet = "Pairs", by = "pair" }' in text
    assert "Not read as" not in text
    assert (len(study.games), len(study.players), len(study.offers)) == (30, 60, len(offers))
    assert study.games["treatment"].value_counts().to_dict() == {"deadline": 15, "open": 15}
    assert {"calm", "fair"} <= set(study.answers["question"])


@pytest.mark.parametrize("as_sheets", [True, False], ids=["sheets", "files"])
def test_a_table_that_is_a_part_of_another_is_left_out_and_named(as_sheets: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    people = [f"p{place}" for place in range(40)]
    whole = pd.DataFrame({"who": np.repeat(people, 3), "round": [1, 2, 3] * 40, "arm": np.repeat(["x", "y"] * 20, 3)})
    whole["gave"] = rng.integers(0, 11, len(whole))
    tables = {"total": whole, "first": whole[:45], "later": whole[60:].sample(frac=1, random_state=1)}
    (tmp_path / "study").mkdir()
    if as_sheets:
        with pd.ExcelWriter(tmp_path / "study" / "book.xlsx") as book:
            for name, table in tables.items():
                table.to_excel(book, sheet_name=name, index=False)
    else:
        for name, table in tables.items():
            saved(tmp_path / "study", table, f"{name}.csv")
    text, study = loaded(tmp_path, tmp_path / "study")
    ending = "" if as_sheets else ".csv"
    assert f'# not read, for all its rows stand in the other tables: "first{ending}", "later{ending}"' in text
    assert len(study.games) == len(whole)


@given(st.lists(st.integers(0, 30), min_size=10, max_size=30, unique=True), st.integers(0, 5))
def test_what_is_left_beside_parts_holds_every_row(values: list[int], n_more: int) -> None:
    """Whatever tables are left out, no row is lost."""
    rows = [values, values[: len(values) // 2], values[::-1], [value + n_more for value in values]]
    tables = [
        read_delimited(("x\n" + "\n".join(map(str, of)) + "\n").encode(), Path("a.csv"), Form(), None) for of in rows
    ]
    parts = find_parts(tables)
    left = {value for place, of in enumerate(rows) if place not in parts for value in of}
    assert left == {value for of in rows for value in of}
    assert not {0, 2} & {*parts}  # one as long as its like remains


def test_a_sheet_is_a_part_of_another_whatever_its_notes_say(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"Kind": range(1, 61), "Klasse": ["3a", "4b"] * 30, "Regel": ["frei", "streng", "streng"] * 20}
    )
    whole = frame.assign(gegeben=rng.integers(0, 11, 60), behalten=rng.integers(0, 11, 60), Notiz=None)
    third = whole[whole["Klasse"] == "3a"].assign(Notiz=["Legende: 3a ist die dritte Klasse"] + [""] * 29)
    fourth = whole[whole["Klasse"] == "4b"].drop(columns="Notiz")
    with pd.ExcelWriter(tmp_path / "kinder.xlsx") as book:
        for name, sheet in {"Alle": whole, "Dritte": third, "Vierte": fourth}.items():
            sheet.to_excel(book, sheet_name=name, index=False)
    text, study = loaded(tmp_path, tmp_path / "kinder.xlsx")
    assert 'sheet = "Alle"' in text
    assert '# not read, for all its rows stand in the other tables: "Dritte", "Vierte"' in text
    assert len(study.games) == 60


def test_a_sheet_that_says_something_else_of_the_same_people_is_no_part(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"Kind": range(1, 41), "Klasse": ["3a", "4b"] * 20, "Regel": ["frei", "streng"] * 20})
    first = frame.assign(gegeben=rng.integers(0, 11, 40), behalten=rng.integers(0, 11, 40))
    second = first.head(20).assign(gegeben=(first["gegeben"] + 1) % 11)
    with pd.ExcelWriter(tmp_path / "kinder.xlsx") as book:
        first.to_excel(book, sheet_name="Alle", index=False)
        second.to_excel(book, sheet_name="Wieder", index=False)
    assert "# not read, for all" not in suggest(tmp_path / "kinder.xlsx")


def test_a_table_with_empty_cells_is_asked_about(tmp_path: Path) -> None:
    saved(tmp_path / "study", outcomes(), "outcomes.csv")
    notes = pd.DataFrame({"at": range(501, 511), "remark": [*(f"r{row}" for row in range(9)), None]})
    saved(tmp_path / "study", notes, "notes.csv")
    assert "Which table says what people did?" in suggest(tmp_path / "study")


@pytest.mark.parametrize("is_book", [True, False])
def test_a_short_plan_of_what_many_people_did_is_not_the_data(is_book: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    data = pd.DataFrame({"Antwort": [f"R_{row:03d}" for row in range(120)], "F1": rng.integers(1, 8, 120)})
    data["F2"], data["Gruppe"] = rng.integers(0, 101, 120), rng.permutation([1, 2, 3, 4] * 30)
    plan = pd.DataFrame(
        {"session": [1] * 6 + [2] * 6, "subject": [*range(1, 7)] * 2, "partner": [2, 1, 4, 3, 6, 5] * 2}
    )
    plan = plan.assign(
        role=["proposer", "responder"] * 6, offer=[5, 5, 3, 3, 2, 2] * 2, accepted=[1, 1, 1, 1, 0, 0] * 2
    )
    if is_book:
        with pd.ExcelWriter(tmp_path / "study.xlsx") as book:
            plan.to_excel(book, sheet_name="plan", index=False)
            data.to_excel(book, sheet_name="data", index=False)
    else:
        saved(tmp_path / "study", plan, "plan.csv")
        saved(tmp_path / "study", data, "data.csv")
    text = suggest(tmp_path / ("study.xlsx" if is_book else "study"))
    assert ('sheet = "data"' if is_book else 'files = "data*.csv"') in text
    assert "Which table says what people did?" in text
    assert text.index("120 rows of Antwort") < text.index("12 rows of session")


def test_of_tables_beside_each_other_one_is_read(tmp_path: Path) -> None:
    """Raw and prepared rows of the same people name each other's; neither is lost beside a third table."""
    rng = np.random.default_rng(21)
    names = [f"A{code}" for code in rng.permutation(9000)[:90]]
    offers = pd.DataFrame({"worker_id": names, "arm": ["plain", "advice"] * 45, "offer": rng.integers(0, 51, 90)})
    prepared = pd.DataFrame(
        {"worker_id": names, "risk": rng.normal(3, 1, 90).round(3), "delay": rng.integers(5, 90, 90)}
    )
    survey = pd.DataFrame({"worker_id": [*names[:40], *(f"B{code}" for code in range(80))]})
    survey["age"] = rng.integers(18, 70, 120)
    survey["remark"] = [f"I found part {code} rather long" for code in range(120)]
    for name, table in (("raw", offers), ("prepared", prepared), ("survey", survey)):
        saved(tmp_path / "study", table, f"{name}.csv")
    text = suggest(tmp_path / "study")
    assert 'files = "raw*.csv"' in text or 'files = "prepared*.csv"' in text
    assert 'arm = "arm"' in text
    assert '= "offer"' in text
