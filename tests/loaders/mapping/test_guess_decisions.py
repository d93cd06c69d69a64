"""What `negstats map` makes of decisions that stand in a table without a game: amounts, strategies, agents met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis import run
from negstats.analysis.plan.parse import parse
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


@pytest.mark.slow
def test_a_yes_or_no_to_each_amount_is_the_least_that_is_accepted(tmp_path: Path) -> None:
    frame = strategies()
    text, study = loaded(tmp_path, saved(tmp_path, frame))
    assert 'accept_at = { prefix = "accept_" }' in text
    least = study.answers[study.answers["question"] == "least_acceptable"]["answer"].astype(float)
    refused = (frame.filter(like="accept_") == 0).sum(axis=1)
    assert sorted(least) == sorted(refused.astype(float))
    assert not any("although the mapping names columns of offers" in note for note in study.provenance.notes)
    assert questions(draft(study)) == ["Is there a difference in the least acceptable offer between human and machine?"]


@pytest.mark.slow
def test_answers_that_do_not_rise_with_the_number_are_items(tmp_path: Path) -> None:
    frame = strategies()
    rng = np.random.default_rng(3)
    for name in frame.filter(like="accept_").columns:
        frame[name] = rng.integers(0, 2, PEOPLE)
    assert "accept_at" not in suggest(saved(tmp_path, frame))


@pytest.mark.slow
def test_what_is_given_under_two_conditions_needs_no_name_of_a_game(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    usual = rng.integers(0, 5, PEOPLE)  # without it, numbers that each frame begins anew would look the same
    rows = [
        (person, frame, int(usual[person] + rng.integers(0, 2)), 10)
        for person in range(PEOPLE)
        for frame in ("anon", "seen")
    ]
    table = pd.DataFrame(rows, columns=["id", "frame", "given", "stake"])
    table.loc[::7, "given"] = -99
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert "they mean missing: -99 in given (6 cells)" in text  # asked, and empty until it is answered
    assert set(study.players["player"]) == {"proposer"}
    assert study.offers["units_to_responder"].tolist() == table["given"][table["given"] >= 0].tolist()
    assert study.players["participant_id"].nunique() == PEOPLE
    assert questions(draft(study)) == ["Is there a difference in the amount offered between anon and seen?"]


@pytest.mark.slow
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
    assert "Who makes the offer?" in text
    assert len(study.games) == len(table)
    assert study.factors == ["treat"]
    assert study.players.query("player == 'a'")["points"].tolist() == table["payoff_A"].tolist()
    assert study.games["returned"].tolist() == table["returned"].tolist()


@pytest.mark.slow
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
    assert study.games["agent"].tolist() == table["agent"].tolist()
    text = draft(study)
    assert questions(text)[0] == "Is there a difference in points of the human between PURB and SIGAL?"
    means = table.pivot_table(index="subject", columns="agent", values="human_score")
    difference = means["PURB"] - means["SIGAL"]
    result = run(parse(text), study).questions["H1"].result  # of the games' agent, and not of the seats' own
    assert abs(result.statistic) == pytest.approx(abs(difference.mean()) / (difference.std() / len(difference) ** 0.5))


def test_what_was_agreed_is_no_condition(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"DyadNo": range(1, 21), "Medium": ["email", "video"] * 10, "Impasse": ["no"] * 18 + ["yes"] * 2}
    )
    table["Salary"] = ["A", "B"] * 9 + [None] * 2
    table["CandPoints"], table["RecrPoints"] = range(20), range(20, 0, -1)
    _, study = loaded(tmp_path, saved(tmp_path, table))
    assert study.factors == ["Medium"]
    assert set(study.players["player"]) == {"candidate", "recruiter"}  # cut short in the names of columns


def test_seats_that_are_called_by_ids_are_people(tmp_path: Path) -> None:
    rows = [
        (f"G{game}", number, f"P{2 * game + number % 2}", f"P{2 * game + 1 - number % 2}", 50 + number, number == 3)
        for game in range(12)
        for number in (1, 2, 3)
    ]
    table = pd.DataFrame(rows, columns=["GameID", "Round", "Proposer", "Responder", "OfferToSelf", "Accepted"])
    _, study = loaded(tmp_path, saved(tmp_path, table.assign(Pie=100)))
    assert study.players["participant_id"].nunique() == len(study.players) == 24
    assert (study.games["ended"] == "agreement").all()


@pytest.mark.parametrize("names", [("note", "wealth", "kind"), ("alpha", "beta", "gamma")])
def test_a_table_without_any_known_name_is_read_row_by_row(names: tuple[str, str, str], tmp_path: Path) -> None:
    table = pd.DataFrame({names[0]: ["x y", "z"] * 6, names[1]: np.arange(12.0) ** 2, names[2]: ["a", "b"] * 6})
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert "game_id = { row = true }" in text
    assert len(study.games) == 12
    assert study.games[names[1]].tolist() == table[names[1]].tolist()


@pytest.mark.slow
def test_rounds_that_begin_the_names_of_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    table = pd.DataFrame({"subject": range(1, 13), "treatment": ["partner", "stranger"] * 6})
    for number in range(1, 5):
        table[f"r{number}_offer"] = rng.integers(1, 10, 12)
        table[f"r{number}_accept"] = (table[f"r{number}_offer"] > rng.integers(0, 6, 12)).astype(int)
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert "each = { round = [1, 2, 3, 4] }" in text
    assert study.factors == ["treatment"]
    assert len(study.games) == 48
    assert study.players["participant_id"].nunique() == 12


@pytest.mark.slow
def test_a_file_for_each_person_and_the_kind_of_proposer_as_a_condition(tmp_path: Path) -> None:
    rng = np.random.default_rng(13)
    for person in range(6):
        offers = rng.integers(1, 6, 24)
        table = pd.DataFrame({"trial": range(1, 25), "proposer": ["human", "computer"] * 12, "offer": offers})
        saved(
            tmp_path / "logs", table.assign(accepted=(offers > rng.integers(0, 5, 24)).astype(int)), f"sub-{person}.csv"
        )
    text = suggest(tmp_path / "logs")
    assert '"each row is one of several decisions of one sub",' in text  # nothing is tested before it is answered
    text = suggest(tmp_path / "logs", answers={"row": "each row is one of several decisions of one sub"})
    (tmp_path / "mapping.toml").write_text(text, encoding="utf-8")
    study = negstats.load(tmp_path / "logs", mapping=tmp_path / "mapping.toml")
    assert study.factors == ["proposer"]
    assert (len(study.games), study.players["participant_id"].nunique()) == (144, 6)
    assert "From the files' names" not in text  # they are people's


@pytest.mark.slow
def test_a_price_that_says_no_deal_is_missing_there(tmp_path: Path) -> None:
    table = pd.DataFrame({"Participant ID": [f"a{person}" for person in range(12)], "Persona": ["warm", "cold"] * 6})
    table["Opening offer ($)"] = [40 + 3 * person for person in range(12)]
    table["Final salary ($)"] = [str(50 + person) if person % 5 else "No deal" for person in range(12)]
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert 'missing = ["No deal"]' in text
    assert study.games["Final salary ($)"].count() == 9
    assert study.games["Opening offer ($)"].tolist() == table["Opening offer ($)"].tolist()
    assert questions(draft(study))[0] == "Is there a difference in Final salary ($) between cold and warm?"


@pytest.mark.slow
def test_moments_are_seconds_since_the_game_began(tmp_path: Path) -> None:
    rows = [
        (f"s{game}", f"2024-03-01T12:0{game}:{7 * turn:02d}Z", f"u{turn % 2}", 5 - turn)
        for game in range(9)
        for turn in range(4)
    ]
    table = pd.DataFrame(rows, columns=["session_id", "ts", "proposer", "offer"]).assign(
        accepted=["no", "no", "no", "yes"] * 9
    )
    text, study = loaded(tmp_path, saved(tmp_path, table))
    assert 'time_s = { column = "ts", clock = true }' in text
    assert study.offers["time_s"].tolist() == [0.0, 7.0, 14.0, 21.0] * 9


def test_a_share_of_each_of_three_is_what_it_got_and_its_power_a_role(tmp_path: Path) -> None:
    rows = [
        (triad, name, power, 10 * triad % 37 + place)
        for triad in range(12)
        for place, (name, power) in enumerate(zip("ABC", ("high", "mid", "low"), strict=True))
    ]
    _, study = loaded(tmp_path, saved(tmp_path, pd.DataFrame(rows, columns=["triad", "player", "power", "share"])))
    assert study.players["role"].tolist() == ["high", "mid", "low"] * 12
    assert study.players["points"].tolist() == [row[3] for row in rows]


def test_payoffs_of_both_sides_of_a_pie_are_measures_and_the_rows_of_an_identity_are_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"subject": np.repeat([f"s{n:02d}x" for n in range(24)], 4), "round": [1, 2, 3, 4] * 24})
    frame["style"] = np.concatenate([rng.permutation(["a", "a", "b", "b"]) for _ in range(24)])
    frame["offer"] = rng.integers(1, 10, 96)
    frame["accepted"] = (rng.random(96) < 1 / (1 + np.exp(4 - frame["offer"]))).astype(int)
    frame["payoff_own"], frame["payoff_other"] = (
        (10 - frame["offer"]) * frame["accepted"],
        frame["offer"] * frame["accepted"],
    )
    frame.to_csv(tmp_path / "d.csv", index=False)
    text = suggest(tmp_path / "d.csv")
    assert 'payoff_own = "payoff_own"' in text
    assert 'payoff_other = "payoff_other"' in text
    assert "in all 96 rows" in text
