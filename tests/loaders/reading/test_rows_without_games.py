"""Tables in which something looks like games or people and is none: talk of nobody, numbers of rows, answers, ages."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.errors import UsageError
from negstats.loaders.mapping import suggest
from negstats.loaders.reading.columns import build_column, text_cells


def mapping_of(source: Path) -> dict[str, Any]:
    """Return the keys of the mapping that is drafted."""
    return tomllib.loads(suggest(source))


def likely_words(mapping: dict[str, Any], subject: str) -> list[str]:
    """Return the likely options of a question; none if it is not asked."""
    of_subject = [each for each in mapping.get("open", ()) if each["subject"] == subject]
    return [each["options"][place - 1] for each in of_subject for place in each["likely"]]


def described_pictures() -> pd.DataFrame:
    """Return what 16 pairs said of pictures in blocks of four trials, of which one shows the same picture again."""
    rng = np.random.default_rng(5)
    rows = []
    for pair in range(16):
        own = rng.normal(0, 3)
        for block in range(5):
            again = int(rng.integers(4))
            for trial in range(4):
                length = max(2, round(14 + own - 2 * block + rng.normal(0, 2)))
                rows.append(
                    {
                        "pair_code": f"g{pair * 37 % 41}q{pair}",
                        "block": block,
                        "again": trial == again,
                        "solved": bool(rng.random() < 0.9),
                        "said": json.dumps(
                            [f"it looks like {length} birds on {pair} trees", f"no {trial}"][: 1 + trial % 2]
                        ),
                        "length": length,
                    }
                )
    return pd.DataFrame(rows)


def test_texts_in_cells_that_nobody_is_known_to_have_said_make_no_games_of_rows(tmp_path: Path) -> None:
    described_pictures().to_csv(tmp_path / "log.csv", index=False)
    mapping = mapping_of(tmp_path / "log.csv")
    assert "rows" not in mapping
    assert likely_words(mapping, "row") == ["each row is one of several decisions of one pair_code"]


def test_whether_something_was_solved_is_asked_where_one_row_of_several_is_marked(tmp_path: Path) -> None:
    described_pictures().drop(columns="said").to_csv(tmp_path / "log.csv", index=False)
    mapping = mapping_of(tmp_path / "log.csv")
    assert "solved" not in mapping["factors"]
    (question,) = (each for each in mapping["open"] if each["subject"] == "condition")
    assert "solved" in question["options"]


def answers_of_models(folder: Path) -> None:
    """Write what two models answered at two temperatures, 48 times each, as data frames with numbers of rows."""
    rng = np.random.default_rng(6)
    for model, warmth in (("small", "0.2"), ("small", "0.9"), ("large", "0.2"), ("large", "0.9")):
        place = folder / f"model-{model}" / f"temp-{warmth}"
        place.mkdir(parents=True)
        frame = pd.DataFrame({"Condition": ["both", "neither", "first", "second"] * 12, "Model": model})
        frame["Choice"] = rng.choice(["x", "y"], 48, p=[0.3, 0.7])
        frame["Said"] = [json.dumps([f"you meet somebody {at}", "I would take the second"]) for at in range(48)]
        frame.to_csv(place / "answers.csv")


def test_numbers_of_rows_that_begin_anew_in_each_file_name_nobody(tmp_path: Path) -> None:
    answers_of_models(tmp_path)
    mapping = mapping_of(tmp_path)
    assert likely_words(mapping, "row") == ["each row is a separate case"]
    assert not any("column 1" in option for each in mapping["open"] for option in each["options"])
    assert mapping["factors"]["Condition"] == "Condition"
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path, accept=True), encoding="utf-8")
    study = negstats.load(tmp_path, mapping=tmp_path / "mapping.toml")
    assert len(study.games) == 4 * 48


def survey(n_people: int = 240) -> pd.DataFrame:
    """Return a survey with a treatment, an age, two ranks that are never the same, remarks, and a gift."""
    rng = np.random.default_rng(7)
    places = ["north", "south", "east", "west", "abroad"]
    ranks = [rng.permutation(places)[:2] for _ in range(n_people)]
    arms = np.array(["plain", "film", "talk"])[rng.permutation(n_people) % 3]
    return pd.DataFrame(
        {
            "id": [f"v{each * 7 % 997}k" for each in range(n_people)],
            "treatment": arms,
            "age": np.clip(rng.normal(38, 11, n_people).round(), 18, 80).astype(int),
            "rank1": [first for first, _ in ranks],
            "rank2": [second for _, second in ranks],
            "reason": [f"because of the {rng.choice(places)} wind and the {at} waves" for at in range(n_people)],
            "film_mood": np.where(arms == "film", rng.integers(1, 8, n_people).astype(str), ""),
            "gift": rng.integers(0, 21, n_people),
        }
    )


def test_people_of_one_age_who_rank_places_and_write_a_remark_are_no_game(tmp_path: Path) -> None:
    survey().to_csv(tmp_path / "log.csv", index=False)
    mapping = mapping_of(tmp_path / "log.csv")
    assert mapping["row"] == "player"
    assert not [each for each in mapping.get("open", ()) if each["subject"] == "row"]
    assert mapping["factors"]["treatment"] == "treatment"


@pytest.mark.parametrize(
    ("levels", "is_numbering"),
    [
        (["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"], True),
        (["1.1", "1.2", "2.1"], False),
        (["0.5", "1.5", "2.5", "3.5"], False),
        (["1.25", "1.5", "2.25", "2.5"], False),
    ],
)
def test_numbers_with_a_point_may_number_parts_of_several_things(levels: list[str], is_numbering: bool) -> None:
    column = build_column("group", text_cells(levels * 4))
    assert column.numbers_parts is is_numbering
    assert column.is_fractional is not is_numbering


def tasks_of_people(folder: Path) -> Path:
    """Write what 40 people did in ten rounds, in which they gave or guessed, as a list of lists without names."""
    rng = np.random.default_rng(8)
    people = []
    for person in range(40):
        own, rounds = rng.normal(0, 1), []
        for number in range(10):
            gives = number % 2 == 0
            amount = round(float(5 + own + rng.normal(0, 1)), 2)
            rounds.append(
                {
                    "round": number + 1,
                    "player": "giver" if gives else "guesser",
                    "reach": amount if gives else None,
                    "guess": None if gives else amount,
                    "seconds": round(float(rng.uniform(1, 9)), 2),
                }
            )
        remark = f"I thought that {rng.integers(90)} of them would do as I did"
        people.append({"trials": rounds, "condition": person % 2, "debrief": {"belief": person % 7, "how": remark}})
    (folder / "log.json").write_text(json.dumps(people))
    return folder / "log.json"


def test_two_tasks_of_one_person_are_asked_about_where_each_has_numbers_of_its_own(tmp_path: Path) -> None:
    source = tasks_of_people(tmp_path)
    mapping = mapping_of(source)
    assert likely_words(mapping, "row") == ["each row is one of several decisions of one row of the log"]
    (tmp_path / "mapping.toml").write_text(suggest(source, answers={"row": "1"}), encoding="utf-8")
    study = negstats.load(source, mapping=tmp_path / "mapping.toml")
    assert (len(study.games), study.players["participant_id"].nunique()) == (400, 40)
    assert study.games["reach"].notna().sum() == study.games["guess"].notna().sum() == 200


def led_talks(folder: Path) -> Path:
    """Write talks of two, whom numbers name, one in each file; a program leads them, and says when they came."""
    rng = np.random.default_rng(9)
    for talk in range(14):
        events: list[dict[str, Any]] = []

        def add(
            event: str, user: int | None, events: list[dict[str, Any]] = events, talk: int = talk, **data: object
        ) -> None:
            moment = f"2023-10-08T15:{talk:02}:{len(events):02}"
            place = {"id": 5000 + 100 * talk + len(events), "room_id": 2740 + 3 * talk}
            events.append({"event": event, **place, "user_id": user, "date_created": moment, "data": data})

        users = (310 + 2 * talk, 311 + 2 * talk)
        for user in users:
            add("join", user)
        add("text_message", 300, message=f"Welcome to game {talk}, and good luck with it", html=True)
        for turn in range(int(rng.integers(8, 16))):
            steps = int(rng.integers(90))
            add("text_message", users[turn % 2], message=f"I would put the cap to the left by {steps}", html=False)
            if turn == 4:
                add("text_message", 300, message=f"Only {steps} seconds are left for the two of you", html=True)
        add("score", None, score=int(rng.integers(20, 99)))
        (folder / f"{2740 + 3 * talk}.jsonl").write_text("\n".join(map(json.dumps, events)) + "\n")
    return folder


def test_who_leads_all_talks_sits_in_none_and_numbers_may_name_those_who_talk(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    source = led_talks(tmp_path / "logs")
    mapping = mapping_of(source)
    assert mapping["where"] == {"user_id": {"not": ["300"]}}
    assert not [each for each in mapping.get("open", ()) if each["subject"] == "row"]
    assert mapping["levels"]["event"]["message"] == ["text_message"]
    (tmp_path / "mapping.toml").write_text(suggest(source), encoding="utf-8")
    study = negstats.load(source, mapping=tmp_path / "mapping.toml")
    assert (len(study.games), len(study.players)) == (14, 28)
    assert study.messages["text"].str.startswith("I would").all()
    assert study.messages.groupby("game_id")["sender"].nunique().eq(2).all()


def test_two_words_in_a_name_may_both_be_levels(tmp_path: Path) -> None:
    rng = np.random.default_rng(10)
    names = [f"{own},{other}" for own in ("won", "drew", "lost") for other in ("won", "drew", "lost")]
    frame = pd.DataFrame({"child": [f"c{each * 7 % 61}k" for each in range(60)], "age": [4, 6] * 30})
    frame = frame.assign(**{name: np.clip(rng.normal(10, 4, 60).round(1), 0, 20) for name in names})
    frame.to_csv(tmp_path / "log.csv", index=False)
    (question,) = (each for each in mapping_of(tmp_path / "log.csv")["open"] if each["subject"] == "levels")
    assert question["options"][1].endswith("at 3 levels of a condition: drew, lost, won")
    text = suggest(tmp_path / "log.csv", answers={"levels": "2"})
    (tmp_path / "mapping.toml").write_text(text, encoding="utf-8")
    study = negstats.load(tmp_path / "log.csv", mapping=tmp_path / "mapping.toml")
    assert len(study.games) == 180  # three rows for each child, with a measure for each of three words
    assert {"won", "drew", "lost"} <= {*study.games.columns}


def auctions_of_two_kinds(folder: Path) -> Path:
    """Write what the same people bid in two auctions, a file each, in oTree's columns; rounds and groups agree."""
    rng = np.random.default_rng(11)
    for kind in ("dutch", "sealed"):
        rows = []
        for session in range(6):
            for number in range(1, 7):
                people = rng.permutation(9)
                rows += [
                    {
                        "session.code": f"s{session * 37 % 41}x",
                        "subsession.round_number": number,
                        "group.id_in_subsession": place // 3 + 1,
                        "player.id_in_group": place % 3 + 1,
                        "participant.code": f"p{session}q{person}",
                        "player.bid": int(rng.integers(5, 50)),
                    }
                    for place, person in enumerate(people)
                ]
        pd.DataFrame(rows).to_csv(folder / f"{kind}_all.csv", index=False)
    return folder


def test_two_apps_that_number_rounds_alike_are_told_apart_by_their_files(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    source = auctions_of_two_kinds(tmp_path / "logs")
    mapping = mapping_of(source)
    assert not [each for each in mapping.get("open", ()) if each["subject"] == "row"]
    (tmp_path / "mapping.toml").write_text(suggest(source), encoding="utf-8")
    study = negstats.load(source, mapping=tmp_path / "mapping.toml")
    assert (len(study.games), study.players["participant_id"].nunique()) == (2 * 6 * 6 * 3, 54)


def test_an_empty_answer_says_how_to_answer_that_none_is_meant(tmp_path: Path) -> None:
    source = auctions_of_two_kinds(tmp_path)
    with pytest.raises(UsageError, match=r"is empty; give a number from 1 to [0-9]+, or none"):
        suggest(source, answers={"condition": ""})


@pytest.mark.parametrize("name", ["prize", "nagroda", "c7"])
def test_what_is_spelled_out_in_columns_of_zeros_and_ones_was_set_and_names_nobody(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    sizes = np.array([4, 5, 6, 40, 45, 50, 55, 400, 410])
    prize = np.repeat(sizes, [44, 31, 28, 40, 22, 35, 19, 37, 24])
    table = pd.DataFrame({name: prize, "site": rng.choice(["mill", "quay"], 280)})
    for place, (low, high) in enumerate([(0, 10), (10, 100), (100, 999)]):
        table[f"{name}_{'abc'[place]}"] = ((prize > low) & (prize < high)).astype(int)
    table["gift"] = np.round(rng.normal(4, 1.2, len(table)), 2)
    table.sample(frac=1, random_state=2).to_csv(tmp_path / "log.csv", index=False)
    mapping = mapping_of(tmp_path / "log.csv")
    options = {each["subject"]: each["options"] for each in mapping["open"]}
    assert name in options["condition"]
    assert not any(name in option for option in options.get("row", []))
    assert f"{name}_a" not in str(mapping)


def test_what_people_of_a_room_wrote_once_is_no_talk(tmp_path: Path) -> None:
    """Each row is another person: what they write at the end, and how often they clicked, happened in no game."""
    rng = np.random.default_rng(9)
    words = "glad tired bored curious hungry warm slow quick proud lost".split()  # noqa: SIM905
    rows = []
    for room in range(80):
        came = rng.permutation(4)[: int(rng.choice([1, 3, 4, 4]))]
        for place in came:
            ready = rng.random() < 0.97
            rows.append(
                {
                    "participant": f"u{room * 53 % 83:02d}{'kmpq'[place]}",
                    "room": f"r{room:02d}",
                    "seat": "north south east west".split()[place],  # noqa: SIM905
                    "state": "ready" if ready else "gone",
                    "clicks": int(rng.integers(1, 9)) if ready else None,
                    "remark": " ".join(rng.choice(words, int(rng.integers(4, 9)))),
                    "fair": int(rng.integers(1, 8)),
                    "hall": "large" if room % 2 else "small",
                }
            )
    pd.DataFrame(rows).to_csv(tmp_path / "log.csv", index=False)
    mapping = mapping_of(tmp_path / "log.csv")
    assert likely_words(mapping, "row") in ([], ["each row is a separate case"])
    assert "event" not in mapping
    assert mapping["row"] == "player"
