"""What `negstats map` makes of decisions that stand in a table without a game: amounts, strategies, agents met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.analysis.preregistration.draft import draft
from negstats.loaders.mapping import suggest
from tests.loaders.mapping.test_guess import loaded, saved
from tests.loaders.mapping.test_public_shapes import questions

PEOPLE = 20


def strategies(first: int = 0) -> pd.DataFrame:
    """Return a row a person with a yes or no to each amount, from a least one on."""
    least = np.random.default_rng(8).integers(1, 6, PEOPLE)
    frame = pd.DataFrame({"ResponseId": [f"R_{person}" for person in range(PEOPLE)]})
    frame["Condition"] = ["human", "machine"] * (PEOPLE // 2)
    answers = {f"accept_{amount}": (amount >= least).astype(int) for amount in range(first, 11)}
    return frame.assign(**answers)


def test_a_yes_or_no_to_each_amount_is_the_least_that_is_accepted(tmp_path: Path) -> None:
    frame = strategies()
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert 'accept_at = { prefix = "accept_" }' in text
    least = study.answers[study.answers["question"] == "least_acceptable"]["answer"].astype(float)
    refused = (frame.filter(like="accept_") == 0).sum(axis=1)
    assert sorted(least) == sorted(refused.astype(float))
    assert not any("although the mapping names columns of offers" in note for note in study.provenance.notes)
    assert questions(draft(study)) == ["Is there a difference in the least acceptable offer between human and machine?"]


def test_answers_that_do_not_rise_with_the_number_are_items(tmp_path: Path) -> None:
    frame = strategies()
    rng = np.random.default_rng(3)
    for name in frame.filter(like="accept_").columns:
        frame[name] = rng.integers(0, 2, PEOPLE)
    assert "accept_at" not in suggest(saved(tmp_path, frame))


def test_what_is_given_under_two_conditions_needs_no_name_of_a_game(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [(person, frame, int(rng.integers(0, 6)), 10) for person in range(PEOPLE) for frame in ("anon", "seen")]
    table = pd.DataFrame(rows, columns=["id", "frame", "given", "stake"])
    table.loc[::7, "given"] = -99
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert "missing = [-99]  # 6 of 40 values" in text  # the log cannot be read while it is an amount
    assert "QUESTION: is each id another person?" in text
    assert set(study.players["player"]) == {"proposer"}
    assert study.offers["units_to_responder"].tolist() == table["given"][table["given"] >= 0].tolist()
    assert study.players["participant_id"].nunique() == PEOPLE
    assert questions(draft(study)) == ["Is there a difference in the amount offered between anon and seen?"]


def test_pairs_that_each_session_numbers_anew(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [
        (session, pair, period, ("chat", "silent")[session - 1], int(rng.integers(0, 11)))
        for session in (1, 2)
        for pair in (1, 2, 3)
        for period in range(1, 6)
    ]
    table = pd.DataFrame(rows, columns=["session", "pair", "period", "treat", "sent"])
    table["returned"] = rng.integers(0, 10, len(table))
    table["payoff_A"], table["payoff_B"] = 10 - table["sent"] + table["returned"], 3 * table["sent"] - table["returned"]
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert "QUESTION: does a decide on sent?" in text
    assert len(study.games) == len(table)
    assert study.factors == ["treat"]
    assert study.players.query("player == 'a'")["points"].tolist() == table["payoff_A"].tolist()
    assert study.games["returned"].tolist() == table["returned"].tolist()


def test_the_agent_that_people_met_is_a_condition(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = [
        (f"S{person}", ("PURB", "SIGAL")[number % 2], number, *map(int, rng.integers(0, 200, 2)), number % 3 > 0)
        for person in range(10)
        for number in range(1, 7)
    ]
    names = ["subject", "agent", "round", "human_score", "agent_score", "human_reached_goal"]
    table = pd.DataFrame(rows, columns=names).assign(agent_reached_goal=True)
    _, study = loaded(tmp_path, saved(tmp_path, table))
    people = study.players[study.players["player"] == "human"]
    assert people["points"].tolist() == table["human_score"].tolist()
    assert people["reached_goal"].astype(bool).tolist() == table["human_reached_goal"].tolist()
    assert study.games["opponent"].tolist() == table["agent"].tolist()
    assert questions(draft(study))[0] == "Is there a difference in points of the human between PURB and SIGAL?"


def test_what_was_agreed_is_no_condition(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"DyadNo": range(1, 21), "Medium": ["email", "video"] * 10, "Impasse": ["no"] * 18 + ["yes"] * 2}
    )
    table["Salary"] = ["A", "B"] * 9 + [None] * 2
    table["CandPoints"], table["RecrPoints"] = range(20), range(20, 0, -1)
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert 'so no condition: "Salary"' in text
    assert study.factors == ["Medium"]
    assert set(study.players["player"]) == {"candidate", "recruiter"}  # cut short in the names of columns


def test_seats_that_are_called_by_ids_are_people(tmp_path: Path) -> None:
    rows = [
        (f"G{game}", number, f"P{2 * game + number % 2}", f"P{2 * game + 1 - number % 2}", 50 + number, number == 3)
        for game in range(12)
        for number in (1, 2, 3)
    ]
    table = pd.DataFrame(rows, columns=["GameID", "Round", "Proposer", "Responder", "OfferToSelf", "Accepted"])
    text, study = loaded(tmp_path, saved(tmp_path, table.assign(Pie=100)))
    assert "24 names, each in one game: QUESTION: is each Proposer another person?" in text
    assert study.players["participant_id"].nunique() == len(study.players) == 24
    assert (study.games["ended"] == "agreement").all()


@pytest.mark.parametrize("names", [("note", "wealth", "kind"), ("alpha", "beta", "gamma")])
def test_a_table_without_any_known_name_is_read_row_by_row(names: tuple[str, str, str], tmp_path: Path) -> None:
    table = pd.DataFrame({names[0]: ["x y", "z"] * 6, names[1]: np.arange(12.0) ** 2, names[2]: ["a", "b"] * 6})
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert "QUESTION: is each row a game of its own?" in text
    assert len(study.games) == 12
    assert study.games[names[1]].tolist() == table[names[1]].tolist()
