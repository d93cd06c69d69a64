"""Shapes of public data sets: what `map` proposes for each loads as it stands, and a draft asks their question."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.analysis.preregistration.draft import draft
from negstats.loaders.files.any_table import read_table
from negstats.loaders.mapping import suggest
from tests.loaders.mapping.test_guess import loaded, saved


def questions(text: str) -> list[str]:
    """Return what the active questions of a plan ask."""
    return [line.partition('"')[2].rstrip('"') for line in text.splitlines() if line.startswith("asks = ")]


def amounts(n_people: int, seed: int = 3) -> pd.DataFrame:
    """Return what people gave out of ten, once each, with the condition that they were in."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"participant": [f"p{person}" for person in range(n_people)]})
    frame["treatment"] = np.where(np.arange(n_people) % 2 == 0, "alone", "seen")
    frame["given"] = rng.integers(0, 11, n_people)
    return frame


@pytest.mark.slow
def test_amounts_that_nobody_answers_are_compared_by_condition(tmp_path: Path) -> None:
    frame = amounts(24)
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.offers["units_to_responder"].tolist() == frame["given"].tolist()
    assert questions(draft(study)) == ["Is there a difference in the amount offered between alone and seen?"]


def test_people_and_rounds_that_repeat_make_each_row_a_game(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [(f"u{person}", "player", 1, 100, int(rng.integers(0, 60))) for person in (1, 1, 2, 3, 3, 3)]
    frame = pd.DataFrame(rows, columns=["UserID", "Role", "Round", "Total", "move"])
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert "game_id = { row = true }" in text
    assert len(study.games) == len(frame)
    assert study.games["move"].tolist() == frame["move"].tolist()


@pytest.mark.slow
def test_acceptance_is_related_to_the_amount_where_the_whole_is_not_known(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"subject": np.repeat([f"s{n}" for n in range(12)], 6), "trial": np.tile(range(1, 7), 12)})
    frame["offer"] = rng.integers(1, 6, len(frame))
    frame["accepted"] = (rng.random(len(frame)) < frame["offer"] / 6).astype(int)
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert questions(draft(study)) == ["Is acceptance related to the amount offered?"]


@pytest.mark.slow
def test_conditions_within_people_name_rows_and_yes_is_a_measure(tmp_path: Path) -> None:
    rows = [
        (f"p{person}", form, threshold, (person + threshold) % 3 == 0)
        for person in range(10)
        for form in ("free", "bound")
        for threshold in (2, 4, 5)
    ]
    frame = pd.DataFrame(rows, columns=["pid", "form", "thr", "is_coop"])
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert "thr = " in text.partition("[factors]")[2]  # each person has each as often at each level of form
    assert study.factors == ["form", "thr"]
    assert study.games["is_coop"].tolist() == [1.0 if cooperates else 0.0 for cooperates in frame["is_coop"]]
    assert questions(draft(study)) == [
        "Is there a difference in how often is_coop is true between the levels of form and of thr, and do the two "
        "interact?"
    ]


@pytest.mark.slow
def test_a_column_of_a_few_kinds_names_no_game_beside_one_of_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rows = [
        ("game1", f"run{number}", f"Agent_{seat}", ("a-1", "b-2")[(number + seat) % 2], int(rng.integers(0, 100)), 4)
        for number in range(40)
        for seat in (1, 2)
    ]
    frame = pd.DataFrame(rows, columns=["game_label", "config_id", "agent_id", "model", "final_utility", "final_round"])
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert len(study.games) == 40
    assert study.players["agent"].tolist() == frame["model"].tolist()
    assert study.players["points"].tolist() == frame["final_utility"].tolist()
    assert set(study.games["rounds"]) == {4}
    assert questions(draft(study)) == ["Is there a difference in points between a-1 and b-2?"]


@pytest.mark.slow
def test_rows_of_several_files_are_games_and_the_names_of_files_are_conditions(tmp_path: Path) -> None:
    for buyer in ("fair", "tough"):
        for seller in ("fair", "tough"):
            ends = ["Accepted", "Rejected", "Accepted"] * 4
            frame = pd.DataFrame({"item": range(12), "outcome": ends, "accepted_price": [float(n) for n in range(12)]})
            frame["title"] = 'two\nlines; of 5" text'
            saved(tmp_path / "log", frame, f"{buyer}-buyer+{seller}-seller.csv")
    text, study = loaded(tmp_path, tmp_path / "log")
    assert "game_id = [{ file = true }, { row = true }]" in text
    assert study.games.groupby(["buyer", "seller"]).size().tolist() == [12] * 4
    assert study.games["ended"].value_counts().to_dict() == {"agreement": 32, "disagreement": 16}


def talk(number: int) -> dict[str, object]:
    """Return a talk of buyer and seller as lists that stand side by side."""
    return {
        "agent_info": {"Role": ["buyer", "seller"]},
        "agent_turn": [0, 1, 0, 1],
        "acts": {"intent": ["intro", "init-price", "offer", "accept"], "price": [-1.0, 50.0 + number, 40.0, -1.0]},
        "utterance": ["hello", f"I ask {50 + number}", "", ""],
    }


@pytest.mark.slow
def test_talks_in_lists_side_by_side_one_a_line(tmp_path: Path) -> None:
    file = tmp_path / "talks.json"
    file.write_text("\n".join(json.dumps(talk(number)) for number in range(8)) + "\n", encoding="utf-8")
    text, study = loaded(tmp_path, file)
    assert 'buyer = ["0"]' in text
    assert study.players.groupby("role").size().to_dict() == {"buyer": 8, "seller": 8}
    assert len(study.offers) == 16
    assert set(study.games["ended"]) == {"agreement"}
    assert study.messages["sender"].tolist()[:2] == ["buyer", "seller"]


@pytest.mark.slow
@pytest.mark.parametrize("names", [("Buyer", "Seller"), ("a model of 2024 with a long name", "its owner's assistant")])
def test_turns_that_begin_with_a_name(names: tuple[str, str], tmp_path: Path) -> None:
    first, other = names
    talks = [
        [f"{first}: hello: you {number}", f"{other}: {50 + number} for it", f"{first}: not for me, {number}"]
        for number in range(6)
    ]
    frame = pd.DataFrame({"model_1": ["x", "y"] * 3, "talk": [str(turns) for turns in talks]})
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.messages["sender"].tolist()[:3] == [first, other, first]
    assert study.messages["text"].tolist()[:2] == ["hello: you 0", "50 for it"]


def test_a_json_file_that_is_cut_is_no_file_of_lines(tmp_path: Path) -> None:
    from negstats.errors import LogError

    with pytest.raises(LogError, match="is not JSON"):
        read_table(b'[{"a": 1},\n{"a": 2}', tmp_path / "log.json")
    assert read_table(b'{"a": 1}\n{"a": 2}\n', tmp_path / "log.json").column("a").tolist() == ["1", "2"]


def test_a_number_of_rounds_that_counts_nothing_is_how_many_there_were(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"Round": rng.integers(1, 1000, 30), "Agreement": ["Yes", "No"] * 15})
    for seat in (1, 2):
        frame[f"Agent {seat}"] = [("A", "B", "C")[(n + seat) % 3] for n in range(30)]
        frame[f"Utility {seat}"] = rng.random(30).round(3)
    frame["Dist. to Nash"] = rng.random(30).round(3)
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert "game_id = { row = true }" in text
    assert len(study.games) == 30
    assert study.games["Dist. to Nash"].tolist() == frame["Dist. to Nash"].tolist()


def test_a_role_that_is_a_number_is_a_condition_of_somebody_alone(tmp_path: Path) -> None:
    frame = amounts(20).rename(columns={"given": "choice"}).drop(columns="treatment")
    frame = frame.assign(Role=[0, 1] * 10, endowment=[11, 19] * 10, Session=1, Belief=[0, 1, 1, 0] * 5)
    text = suggest(saved(tmp_path, frame))
    assert '  "Role",\n' in text.partition("Which of these did the experimenter set?")[2]
    assert '  "Belief",\n' in text.partition("Which of these did the experimenter set?")[2]


def trust_game(n_pairs: int = 12) -> pd.DataFrame:
    """Return one row a person: what the trustor sent and, on the row of the trustee, what came back."""
    rng = np.random.default_rng(11)
    rows = list[dict[str, object]]()
    for pair in range(n_pairs):
        sent, back = int(rng.integers(0, 11)), int(rng.integers(0, 9))
        same = {"group": pair, "partner_type": ("human", "LLM")[pair % 2]}
        rows.append({**same, "ID": f"a{pair}", "role": "trustor", "amount_sent": sent, "payoff": 10 - sent + back})
        rows.append({**same, "ID": f"b{pair}", "role": "trustee", "amount_returned": back, "payoff": 3 * sent - back})
    return pd.DataFrame(rows).rename(columns={"ID": "ProlificID"})


@pytest.mark.slow
def test_who_sends_is_who_has_the_amount_on_the_row_and_what_comes_back_is_a_measure(tmp_path: Path) -> None:
    frame = trust_game()
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert set(study.offers["proposer"]) == {"trustor"}
    assert study.offers["units_to_responder"].tolist() == frame["amount_sent"].dropna().tolist()
    assert 'amount_returned = "amount_returned"' in text
    assert questions(draft(study)) == [
        "Is there a difference in the amount offered by the trustor between LLM and human?",
        "Is there a difference in amount returned between LLM and human?",
        "Is there a difference in points of the trustee between LLM and human?",
    ]


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("name", "one", "zero"),
    [
        ("impasse", "disagreement", "agreement"),
        ("no_deal", "disagreement", "agreement"),
        ("deal", "agreement", "disagreement"),
    ],
)
@pytest.mark.parametrize("words", [("0", "1"), ("no", "yes")])
def test_a_column_of_truths_says_by_its_name_how_games_ended(
    tmp_path: Path, name: str, one: str, zero: str, words: tuple[str, str]
) -> None:
    codes = [0, 1, 0, 0, 1, 0]
    frame = pd.DataFrame({"dyad": range(6), "price": [5, 7, 6, 8, 9, 4], name: [words[code] for code in codes]})
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.games["ended"].tolist() == [one if code else zero for code in codes]


def test_an_answer_may_be_called_by_its_refusal(tmp_path: Path) -> None:
    offers, refusals = [1, 2, 3, 4, 5, 5], [1, 1, 0, 1, 0, 0]
    frame = pd.DataFrame({"subject": list("abcdef"), "offer": offers, "rejected": refusals})
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.offers["response"].tolist() == ["rejected" if code else "accepted" for code in refusals]
    assert "rejected = 0 accepts" in text


def test_a_doubtful_condition_is_asked_about_and_rounds_are_those_of_the_game(tmp_path: Path) -> None:
    frame = pd.DataFrame({"dyad": range(8), "rounds": [3, 9, 4, 4, 5, 8, 7, 5], "final_price": range(40, 48)})
    frame["start_date"] = ["June", "July"] * 4
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert '  "start_date",\n' in text.partition("Which of these did the experimenter set?")[2]
    assert study.games["rounds"].tolist() == frame["rounds"].tolist()


@pytest.mark.slow
def test_how_long_an_answer_took_is_asked_about_after_the_answer(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"VP": np.repeat([f"v{n}" for n in range(12)], 6), "Durchgang": np.tile(range(1, 7), 12)})
    frame["Gegenspieler"] = np.tile(["Mensch", "Computer"], 36)
    frame["Angebot"] = rng.integers(1, 6, 72)
    frame["Antwort"] = np.where(rng.random(72) < frame["Angebot"] / 6, "angenommen", "abgelehnt")
    frame["RT_ms"] = rng.integers(300, 3000, 72)
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert questions(draft(study)) == [
        "Is there a difference in acceptance between Computer and Mensch?",
        "Is acceptance related to the amount offered?",
    ]


@pytest.mark.slow
def test_columns_called_after_a_speaker_are_the_seats_and_what_they_name_is_a_price(tmp_path: Path) -> None:
    def episode(number: int) -> dict[str, object]:
        price = 40 + number
        turns = [
            {
                "speaker": ("buyer", "seller")[turn % 2],
                "content": f"How about ${price + turn} then?",
                "offer": price + turn,
            }
            for turn in range(4)
        ]
        return {
            "id": f"e{number}", "model_buyer": ("x-1", "y-2")[number % 2], "model_seller": "x-1",
            "persona": ("fair", "greedy")[number // 2 % 2], "dialogue": turns,
            "outcome": {"agreement": number % 5 > 0, "price": price}, "reward_buyer": 90 - price,
            "reward_seller": price - 30,
        }  # fmt: skip

    file = tmp_path / "episodes.jsonl"
    file.write_text("\n".join(json.dumps(episode(number)) for number in range(12)) + "\n", encoding="utf-8")
    _, study = loaded(tmp_path, file)
    buyers = study.players[study.players["role"] == "buyer"]
    assert buyers["points"].tolist() == [90 - (40 + number) for number in range(12)]
    assert buyers["agent"].tolist() == ["x-1", "y-2"] * 6
    prices = study.offers["units_to_proposer"].fillna(study.offers["units_to_responder"])
    assert prices.tolist() == [40 + number + turn for number in range(12) for turn in range(4)]
    between = "the levels of model_buyer and of persona, and do the two interact?"
    assert questions(draft(study))[0] == f"Is there a difference in price between {between}"


def within(n_people: int = 20) -> pd.DataFrame:
    """Return one row a person with the outcomes of two conditions side by side."""
    rng = np.random.default_rng(21)
    frame = pd.DataFrame({"pid": [f"p{person}" for person in range(n_people)]})
    for condition, mean in (("fair_agent", 50), ("selfish_agent", 44)):
        frame[f"points_{condition}"] = rng.normal(mean, 6, n_people).round()
        frame[f"trust_{condition}"] = rng.integers(1, 8, n_people)
    return frame.assign(age=rng.integers(18, 60, n_people))


@pytest.mark.slow
def test_conditions_in_the_names_of_columns_are_games_of_the_same_person(tmp_path: Path) -> None:
    frame = within()
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert 'each = { round = ["fair_agent", "selfish_agent"] }' in text
    assert study.games.groupby("condition").size().to_dict() == {"fair_agent": 20, "selfish_agent": 20}
    points = study.players.merge(study.games, on="game_id").pivot_table("points", "participant_id", "condition")
    third = frame.iloc[3]
    assert list(points.loc["p3"]) == [third["points_fair_agent"], third["points_selfish_agent"]]
    assert study.answers.query("question == 'trust'").shape[0] == 40
    assert questions(draft(study))[0] == "Is there a difference in points between fair_agent and selfish_agent?"


@pytest.mark.slow
def test_a_condition_may_be_called_fair(tmp_path: Path) -> None:
    frame = within().rename(columns=lambda name: name.removesuffix("_agent"))
    text, _ = loaded(tmp_path, saved(tmp_path, frame))
    assert 'each = { round = ["fair", "selfish"] }' in text


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("words", [("0", "1"), ("no", "yes")])
def test_no_deal_is_no_acceptance_where_each_game_has_one_offer(tmp_path: Path, words: tuple[str, str]) -> None:
    codes = [0, 1, 0, 1, 0, 1]
    frame = pd.DataFrame({"dyad": range(6), "offer": [5, 2, 6, 1, 5, 2], "no_deal": [words[code] for code in codes]})
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.offers["response"].tolist() == ["rejected" if code else "accepted" for code in codes]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("words", [("pre", "post"), ("buyer", "seller"), ("me", "you"), ("time1", "time2")])
def test_times_seats_and_sides_in_names_are_no_conditions(tmp_path: Path, words: tuple[str, str]) -> None:
    frame = within().rename(
        columns=lambda name: name.replace("fair_agent", words[0]).replace("selfish_agent", words[1])
    )
    assert "\neach = " not in suggest(saved(tmp_path, frame))


@pytest.mark.slow
def test_least_amounts_of_people_in_one_row_each_are_answers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": range(1, 31), "country": ["USA", "Israel"] * 15, "offer_made": [3, 4, 5] * 10})
    frame["min_acceptable_offer"] = [1, 2, 3, 4, 2] * 6
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.offers["units_to_responder"].tolist() == frame["offer_made"].tolist()
    assert study.answers.query("question == 'least_acceptable'")["answer"].astype(float).tolist() == (
        frame["min_acceptable_offer"].tolist()
    )
    alone = loaded(tmp_path, saved(tmp_path, frame.drop(columns="offer_made")))[1]
    assert alone.answers["question"].value_counts().to_dict() == {"least_acceptable": 30}


@pytest.mark.slow
def test_a_row_a_person_without_offers_is_what_that_person_did(tmp_path: Path) -> None:
    frame = pd.DataFrame({"Subject": range(12), "Cond": [1, 2] * 6, "Outcome_EUR": np.linspace(80, 120, 12).round(2)})
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert len(study.games) == len(study.players) == 12
    assert study.games["Outcome_EUR"].tolist() == frame["Outcome_EUR"].tolist()
    assert questions(draft(study)) == ["Is there a difference in Outcome EUR between Cond 1 and 2?"]


def test_pairs_that_negotiate_several_times_have_a_game_a_round(tmp_path: Path) -> None:
    rng = np.random.default_rng(31)
    rows = [
        (dyad, number, ("chat", "video")[dyad % 2], f"s{2 * dyad}", f"s{2 * dyad + 1}", *rng.integers(10, 60, 2))
        for dyad in range(8)
        for number in (1, 2, 3)
    ]
    names = ["dyad_id", "round", "medium", "player1_id", "player2_id", "player1_points", "player2_points"]
    frame = pd.DataFrame(rows, columns=names)
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert len(study.games) == len(frame)
    firsts = study.players[study.players["player"] == "player1"]
    assert firsts["points"].tolist() == frame["player1_points"].tolist()
    assert study.players["participant_id"].nunique() == 16


def test_columns_of_few_words_that_change_from_offer_to_offer_are_issues(tmp_path: Path) -> None:
    rng = np.random.default_rng(41)
    rows = [
        (f"N{game}", ("EMP", "BOSS")[turn % 2], turn, rng.choice(["90k", "100k"]), int(rng.choice([10, 15, 20])),
         "counter" if turn < 4 else ("accept", "reject")[game % 3 == 0])
        for game in range(9)
        for turn in range(1, 5)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["negotiation_id", "speaker", "turn", "salary", "vacation", "reaction"])
    _, study = loaded(tmp_path, saved(tmp_path, frame))
    assert study.items["item"].value_counts().to_dict() == {"salary": 36, "vacation": 36}
    assert study.items.query("item == 'salary'")["option"].tolist() == frame["salary"].tolist()
