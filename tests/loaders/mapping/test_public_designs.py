"""Designs of public data sets: groups and rounds, persons, several languages, runs of agents, and JSON without rows."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.preregistration.draft import draft
from negstats.analysis.roles import role_of
from negstats.loaders.files.delimited import read_delimited
from negstats.loaders.files.tabular import Form
from negstats.loaders.mapping import suggest
from negstats.loaders.mapping.unfolding import find_open_rounds, unfolded
from tests.loaders.mapping.test_guess import loaded, saved
from tests.loaders.mapping.test_public_shapes import questions


def contributions(names: dict[str, str], rounds: int = 3, *, strangers: bool = True) -> pd.DataFrame:
    """Return what 24 people in groups of four contributed in some rounds, under the names of columns given."""
    rng = np.random.default_rng(4)
    people, rows = np.arange(1, 25), []
    for number in range(1, rounds + 1):
        order = rng.permutation(people) if strangers else people
        for place, person in enumerate(order):
            given = int(rng.integers(0, 21))
            arm = ("threat", "none")[int(person) % 2] if strangers else ("threat", "none")[place // 4 % 2]
            rows.append((1, number, place // 4 + 1, person, arm, given, 40 - given))
    columns = ["session", "period", "group", "player", "treatment", "contribution", "profit"]
    return pd.DataFrame(rows, columns=columns).rename(columns=names)


@pytest.mark.slow
@pytest.mark.parametrize("given", ["cont", "contributed"])
def test_people_of_groups_that_are_mixed_anew_and_what_they_contribute(tmp_path: Path, given: str) -> None:
    frame = contributions({"player": "playerID", "contribution": given}).drop(columns="treatment")
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert (len(study.games), len(study.players), study.players["participant_id"].nunique()) == (18, 72, 24)
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path / "log.csv", accept=True), encoding="utf-8")
    study = negstats.load(tmp_path / "log.csv", mapping=tmp_path / "mapping.toml")
    assert questions(draft(study)) == [f"What is the mean {given}?"]
    answers = study.answers[study.answers["question"] == given]
    assert pd.to_numeric(answers["answer"]).sum() == frame[given].sum()


@pytest.mark.slow
def test_each_round_of_a_group_that_stays_together_is_a_game_in_spanish(tmp_path: Path) -> None:
    spanish = {"period": "ronda", "group": "grupo", "player": "jugador", "treatment": "tratamiento"}
    spanish |= {"contribution": "contribución", "profit": "pago"}
    frame = contributions(spanish, strangers=False).drop(columns="session")
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert (len(study.games), study.players["participant_id"].nunique()) == (18, 24)
    assert study.players["points"].sum() == frame["pago"].sum()
    assert "each row is one of several decisions of one jugador" in text  # the other reading is asked about
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path / "log.csv", accept=True), encoding="utf-8")
    study = negstats.load(tmp_path / "log.csv", mapping=tmp_path / "mapping.toml")
    assert questions(draft(study))[0] == "Is there a difference in contribución between none and threat?"


def test_numbers_of_places_in_groups_that_stay_together_name_people_with_the_group(tmp_path: Path) -> None:
    frame = contributions({}, strangers=False).drop(columns="session")
    frame["player"] = (frame["player"] - 1) % 4 + 1
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert (len(study.games), study.players["participant_id"].nunique()) == (18, 24)


@pytest.mark.slow
def test_people_alone_in_phases_and_periods_whose_items_have_words_at_their_ends(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [(f"S{n // 6}", n % 6, phase, period) for n in range(12) for phase in (1, 2, 3) for period in (1, 2)]
    frame = pd.DataFrame(rows, columns=["session", "subject", "phase", "period"])
    frame["profit"] = rng.integers(10, 400, len(frame))
    person = frame["session"] + frame["subject"].astype(str)
    for item in ("LM_1", "LM_2", "LM_3"):
        own = {name: str(rng.choice(["1 never", "2", "3", "5 always"])) for name in person.unique()}
        frame[item] = person.map(own)
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.factors == []
    assert (len(study.players), sorted(study.answers["question"].unique())) == (72, ["LM_1", "LM_2", "LM_3"])
    assert study.players["points"].sum() == frame["profit"].sum()


def test_who_offers_is_asked_where_nothing_says_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    offers = rng.integers(1, 9, 20)
    rows = [(pair, seat, offer, offer > 4) for pair, offer in enumerate(offers) for seat in ("red", "blue")]
    frame = pd.DataFrame(rows, columns=["pair", "seat", "offer", "accepted"])
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert "Who makes the offer?" in text
    assert set(study.offers["proposer"]) == {"blue"}


def test_a_factor_has_its_role_in_any_of_these_languages() -> None:
    assert [role_of(name, ["a", "b"], of_games=True).name for name in ("Bedingung", "Teil", "раунд", "Geschlecht")] == [
        "condition",
        "order",
        "order",
        "trait",
    ]


@pytest.mark.slow
def test_a_kind_of_game_names_no_game_where_each_row_is_a_run(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"config_id": range(100, 220), "game_label": [f"game{n % 3}" for n in range(120)]})
    frame["n_items"] = np.repeat([2, 5, 10, 5], 30)
    frame["model"] = np.repeat(["small", "large"], 60)
    frame["consensus_reached"] = rng.random(120) < np.repeat([0.4, 0.8], 60)
    frame["final_round"] = rng.integers(1, 10, 120)
    frame["mean_utility"] = rng.normal(50, 9, 120).round(2)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert 'game_id = "config_id"' in text
    assert len(study.games) == 120
    assert (study.games["ended"] == "agreement").tolist() == frame["consensus_reached"].tolist()
    assert study.games["mean_utility"].tolist() == frame["mean_utility"].tolist()  # of several seats: no seat's points
    assert questions(draft(study)) == [
        "Is there a difference in mean utility between large and small?",
        "Is there a difference in agreement between large and small?",
    ]


@pytest.mark.slow
def test_names_of_rows_and_moments_are_no_measures(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"Unnamed: 0": np.arange(0, 80, 2), "worker_id": [f"w{n}" for n in range(40)]})
    frame["time_start"] = 1577217201.4 + rng.random(40)
    frame["Gebotindex"] = rng.permutation(40)
    frame["min_offer"] = rng.integers(0, 60, 40)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    unread = next(line for line in text.splitlines() if line.startswith("# Columns not read"))
    assert all(name in unread for name in ('"Unnamed: 0"', '"time_start"', '"Gebotindex"'))
    assert questions(draft(study)) == ["How large is the least acceptable offer?"]


def test_agreeing_is_talk_where_accepting_is_an_act_of_its_own(tmp_path: Path) -> None:
    acts = [("buyer", "offer", 10, "10?"), ("seller", "agree", None, "indeed"), ("buyer", "offer", 12, "12?")]
    acts += [("seller", "accept", None, "done")]
    frame = pd.DataFrame([(game, *act) for game in range(5) for act in acts])
    frame.columns = pd.Index(["dialogue", "player", "act", "price", "text"])
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.offers["response"].tolist() == ["superseded", "accepted"] * 5


DECISIONS = [{"subject": f"s{n}", "offer": n % 9 + 1, "choice": "accept" if n % 9 > 3 else "reject"} for n in range(40)]


def by_columns() -> object:
    return {name: [decision[name] for decision in DECISIONS] for name in DECISIONS[0]}


def by_numbered_rows() -> object:
    return json.loads(pd.DataFrame(DECISIONS).to_json())


def by_names() -> object:
    return {f"s{n}": {key: decision[key] for key in ("offer", "choice")} for n, decision in enumerate(DECISIONS)}


def by_names_in_a_list() -> object:
    return [{name: decision} for name, decision in by_names().items()]  # type: ignore[attr-defined]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("content", [by_columns, by_numbered_rows, by_names, by_names_in_a_list])
def test_json_that_holds_no_list_of_rows(tmp_path: Path, content: object) -> None:
    (tmp_path / "log.json").write_text(json.dumps(content()))  # type: ignore[operator]
    _, study = loaded(tmp_path, tmp_path / "log.json")
    assert study.offers["units_to_responder"].tolist() == [decision["offer"] for decision in DECISIONS]
    assert (study.offers["response"] == "accepted").tolist() == [one["choice"] == "accept" for one in DECISIONS]


def test_a_long_list_beside_the_one_that_is_opened_is_not_copied_to_each_row(tmp_path: Path) -> None:
    turns = [{"speaker": who, "offer": {"price": price}} for who, price in (("buyer", 4), ("seller", 9), ("buyer", 6))]
    talks = [{"id": n, "turns": turns, "raw": [{"reply": "x" * 900}] * 5} for n in range(6)]
    (tmp_path / "talks.json").write_text(json.dumps(talks))
    text = suggest(tmp_path / "talks.json")
    assert 'rows = "turns"' in text
    assert '"raw"' not in text


def test_a_list_that_a_few_of_the_objects_lack_is_opened(tmp_path: Path) -> None:
    moves = [{"round": n, "player": who, "offer": n + 2} for n, who in enumerate(("a", "b", "a"), start=1)]
    logs = {f"g{n}": {"arm": "xy"[n % 2], "moves": moves} for n in range(6)} | {"g9": {"arm": "x"}}
    (tmp_path / "log.json").write_text(json.dumps(logs))
    text, study = loaded(tmp_path, tmp_path / "log.json")
    assert 'rows = "moves"' in text
    assert (len(study.games), len(study.offers)) == (6, 18)


@pytest.mark.parametrize("counter", ["Durchgang", "Periode", "turno", "Round no."])
def test_columns_with_numbers_are_no_rounds_where_a_column_counts_them_in_any_language(counter: str) -> None:
    names = ["trust_1", "trust_2", "trust_3", "mood_1", "mood_2", "mood_3", "fear_1", "fear_2", "fear_3"]
    lines = [",".join([counter, *names])] + [",".join([str(row % 4 + 1), *"123456789"]) for row in range(12)]
    table = read_delimited("\n".join(lines).encode(), Path("log.csv"), Form(), None)
    assert unfolded(table)[1] == []
    alone = replace(table, names=names, cells={name: table.cells[name] for name in names})
    rounds = find_open_rounds(alone)  # or the three of a group: somebody has to say it
    assert rounds is not None
    assert rounds[0] == (1, 2, 3)


def test_an_amount_that_is_the_same_in_all_rows_is_what_is_divided(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({"subject": range(30), "amount": 100, "offer": rng.integers(0, 60, 30)})
    frame["response"] = np.where(frame["offer"] > 25, "accept", "reject")
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert (study.offers["units_to_proposer"] + study.offers["units_to_responder"]).tolist() == [100] * 30


def asked_first(folder: Path, frame: pd.DataFrame) -> tuple[str, str]:
    """Return the accepted mapping of a table, and the first question that its draft asks."""
    text = suggest(saved(folder, frame), accept=True)
    (folder / "mapping.toml").write_text(text, encoding="utf-8")
    study = negstats.load(folder / "log.csv", mapping=folder / "mapping.toml")
    return text, questions(draft(study))[0]


@pytest.mark.slow
def test_one_of_two_words_that_was_done_is_an_outcome(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"id": np.repeat(range(40), 9), "treatment": np.repeat(["chat", "none"] * 20, 9)})
    frame["choice"] = np.where(rng.random(360) < 0.6, "c", "d")
    text, question = asked_first(tmp_path, frame)
    assert '[levels.choice]  # how each level is spelled in the log\nyes = ["c"]\nno = ["d"]' in text
    assert 'which word means yes is not known: "c" is counted' in text
    assert "choice" in question
    assert "between" in question


def test_people_of_whom_few_came_again_are_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    codes = [f"{number:05x}-u" for number in rng.permutation(4000)[:300]]
    frame = pd.DataFrame({"UserID": [*codes, *codes[:50]], "Round": [1] * 300 + [2] * 50})
    frame["propose"] = rng.integers(0, 101, 350)
    text = suggest(saved(tmp_path, frame))
    assert "each row is one of several decisions of one UserID" in text


@pytest.mark.slow
def test_an_amount_that_bounds_offers_answers_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"id": range(120), "pay": ["real", "none"] * 60, "pie": np.repeat([5, 10], [70, 50])})
    frame["offer"] = (frame["pie"] * rng.uniform(0, 0.5, 120)).round(1)
    text, question = asked_first(tmp_path, frame)
    assert "accepts" not in text
    assert "offer" in question
    assert "between none and real" in question


@pytest.mark.slow
def test_people_of_one_group_come_from_one_session(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rows = []
    for session in range(6):
        arm = ("rare", "often")[session % 2]
        for number in range(1, 13):
            rows += [
                (f"s{session}q", f"{session}x{place}k", place // 2 + 1, number, ("sender", "receiver")[place % 2], arm)
                for place in range(10)
            ]
    names = ["sessioncode", "participantcode", "group_id", "round", "role", "treatment"]
    frame = pd.DataFrame(rows, columns=names)
    frame["action"] = rng.integers(1, 8, len(frame))
    people = frame["participantcode"].unique().tolist()
    frame["age"] = frame["participantcode"].map(dict(zip(people, rng.integers(18, 40, 60).tolist(), strict=True)))
    text, question = asked_first(tmp_path, frame)
    assert 'game_id = ["group_id", "round", "sessioncode"]' in text
    assert "action" in question
    assert "between" in question


@pytest.mark.parametrize("name", ["chat_time", "message"])
def test_a_time_is_never_what_was_said(tmp_path: Path, name: str) -> None:
    moments = pd.date_range("2024-03-01 10:00:00", periods=120, freq="37s")
    frame = pd.DataFrame({"game": np.repeat(range(20), 6), "player": ["a", "b"] * 60})
    frame[name] = moments.strftime("%a %b %d %Y %H:%M:%S GMT+0100 (Central European Standard Time)")
    frame["quux"] = [f"I would rather have {number} of them than none" for number in range(120)]
    text = suggest(saved(tmp_path, frame))
    assert 'text = "quux"' in text
    assert f'text = "{name}"' not in text


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("name", "is_asked"), [("quux", True), ("frame_shown", False)])
def test_sentences_that_part_people_are_read_or_asked_about(tmp_path: Path, name: str, is_asked: bool) -> None:
    rng = np.random.default_rng(9)
    arms = ["You are paid for your own decision", "Your group is paid for all decisions", "Nobody is paid for anything"]
    of_people = rng.choice(arms, 45, p=[0.5, 0.3, 0.2])
    frame = pd.DataFrame({"id": np.repeat(range(45), 6), "trial": list(range(1, 7)) * 45})
    frame[name] = of_people[frame["id"]]
    frame["given"] = rng.normal(50, 10, len(frame)).round(2)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert ('subject = "condition"' in text) is is_asked
    assert study.factors == [name]


def test_what_people_are_is_not_compared_between_their_own_conditions(tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    rows = [
        (f"p{person:03}", option, goal, int(rng.random() < 0.5), 1 + person * 7 % 30 / 6)
        for person in range(40)
        for option in ("free", "forced")
        for goal in ("low", "high")
    ]
    table = pd.DataFrame(rows, columns=["pid", "option", "goal", "is_coop", "general_trust"])
    text = suggest(saved(tmp_path, table), accept=True)
    (tmp_path / "mapping.toml").write_text(text, encoding="utf-8")
    study = negstats.load(tmp_path / "log.csv", mapping=tmp_path / "mapping.toml")
    asked = questions(draft(study))
    assert any("is_coop" in each and "option" in each for each in asked)
    assert not [each for each in asked if "trust" in each and ("option" in each or "goal" in each)]


@pytest.mark.parametrize("is_crossed", [False, True])
def test_nine_kinds_of_trials_are_set_within_people(is_crossed: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    kinds = [f"{frame}_{stake}" for frame in ("gain", "loss", "mixed") for stake in ("low", "mid", "high")]
    kinds = kinds if is_crossed else [kind.replace("_", "") for kind in kinds]
    rows = [
        {"participant": person, "trial": place, "trial_type": kind, "rating": int(rng.integers(1, 8))}
        for person in range(1, 21)
        for place, kind in enumerate(rng.permutation(kinds * 2), 1)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "log.csv", index=False)
    keys = tomllib.loads(suggest(tmp_path / "log.csv"))
    assert [*keys["factors"]] == (["trial_type_1", "trial_type_2"] if is_crossed else ["trial_type"])
    assert "open" not in keys


@pytest.mark.parametrize("is_of_person", [False, True])
def test_words_of_fifteen_partners_are_asked_about_where_they_differ_within_people(
    is_of_person: bool, tmp_path: Path
) -> None:
    rng = np.random.default_rng(9)
    names = [f"partner {letter}" for letter in "abcdefghijklmno"]
    rows = [
        {
            "subject": f"s{person}",
            "trial": trial,
            "face": names[person % 15] if is_of_person else rng.choice(names),
            "given": int(rng.integers(0, 11)),
        }
        for person in range(45)
        for trial in range(1, 21)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "log.csv", index=False)
    keys = tomllib.loads(suggest(tmp_path / "log.csv", answers={"row": "person:subject"} if is_of_person else None))
    asked = [option for each in keys.get("open", []) if each["subject"] == "condition" for option in each["options"]]
    assert asked == ([] if is_of_person else ["face"])
