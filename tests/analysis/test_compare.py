"""Comparisons test independent units: persons or games, never rounds, seats of one game or games of one person."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import negstats
from negstats import metrics
from negstats.analysis import compare, run
from negstats.analysis.plan.parse import parse
from negstats.analysis.questions.frames import home
from negstats.analysis.questions.units import measured
from negstats.errors import DesignError
from negstats.studies import Provenance, Study
from negstats.tables import conform


def human_agent_study(points: dict[tuple[str, str], list[float]]) -> Study:
    """One person and one agent a game; ``points[person, condition]`` are the person's points in each of their games."""
    games: dict[str, list[Any]] = {"game_id": [], "ended": [], "condition": []}
    players: dict[str, list[Any]] = {"game_id": [], "player": [], "kind": [], "participant_id": [], "points": []}
    for (person, condition), values in points.items():
        for place, value in enumerate(values):
            game = f"{person}-{condition}-{place}"
            for column, cell in zip(games.values(), (game, "agreement", condition), strict=True):
                column.append(cell)
            rows: list[tuple[Any, ...]] = [(game, "H", "human", person, value), (game, "A", "agent", None, 10 - value)]
            for row in rows:
                for column, cell in zip(players.values(), row, strict=True):
                    column.append(cell)
    return Study(
        games=conform("games", games), players=conform("players", players), provenance=Provenance("by hand", "1")
    )


def people_study(points: list[tuple[float, float]], country: list[str]) -> Study:
    """Two people a game, whose ids are not known."""
    ids = [f"g{place}" for place in range(len(points))]
    games = {"game_id": ids, "ended": ["agreement"] * len(ids), "country": country}
    players = {
        "game_id": [game for game in ids for _ in range(2)],
        "player": ["A", "B"] * len(ids),
        "kind": ["human"] * (2 * len(ids)),
        "points": [value for pair in points for value in pair],
    }
    return Study(
        games=conform("games", games), players=conform("players", players), provenance=Provenance("by hand", "1")
    )


PAIRED = human_agent_study(
    {
        ("p1", "CL"): [6.0, 8.0],
        ("p1", "FC"): [5.0],
        ("p2", "CL"): [4.0],
        ("p2", "FC"): [5.0],
        ("p3", "CL"): [9.0],
        ("p3", "FC"): [6.0],
        ("p4", "CL"): [3.0],
    }
)


@pytest.mark.slow
def test_games_of_a_person_are_averaged_before_the_test() -> None:
    found = compare(PAIRED, "points", "condition", who="human", paired=True)
    expected = scipy_stats.ttest_rel([7.0, 4.0, 9.0], [5.0, 5.0, 6.0])
    assert found.result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.unit == "participant"
    assert "The values of each person at each level were averaged (8 values to 7)." in found.notes
    assert "1 person without a value at each level was excluded." in found.notes
    assert found.entry["remarks"] == ["1 person without a value at each level was excluded."]  # rows hold the averages


@pytest.mark.slow
def test_units_that_lack_a_level_are_kept_by_a_mixed_model_unless_pairs_are_asked_for() -> None:
    every, complete = (compare(PAIRED, "points", "condition", who="human", paired=paired) for paired in (False, True))
    assert [one.entry["tests"][0]["method"] for one in (every, complete)] == ["mixed", "paired"]
    assert every.entry["tests"][1]["statistic"] == pytest.approx(float(complete.result.statistic))


@pytest.mark.slow
def test_an_agent_is_paired_by_the_person_it_played() -> None:
    human = compare(PAIRED, "points", "condition", who="human", paired=True)
    agent = compare(PAIRED, "points", "condition", who="agent", paired=True)
    assert agent.result.statistic == pytest.approx(-np.asarray(human.result.statistic), rel=1e-12)


@pytest.mark.slow
def test_what_lies_within_people_is_inferred_and_tested_as_such() -> None:
    points = {(f"p{i}", level): [2.0 * i + i * (level == "CL")] for i in range(5) for level in ("CL", "FC")}
    study = human_agent_study(points)
    found = compare(study, "points", "condition", who="human")
    assert found.entry["design"]["factors"][0]["lies"] == "within"
    assert found.result.statistic == pytest.approx(scipy_stats.ttest_1samp(range(5), 0).statistic)


@pytest.mark.slow
def test_two_seats_of_a_game_are_one_unit() -> None:
    points = [(6.0, 4.0), (5.0, 5.0), (9.0, 3.0), (2.0, 3.0), (7.0, 8.0), (4.0, 4.0)]
    found = compare(people_study(points, ["IL"] * 3 + ["US"] * 3), "points", "country")
    expected = scipy_stats.ttest_ind([5.0, 5.0, 6.0], [2.5, 7.5, 4.0], equal_var=False)
    assert found.result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.unit == "game"
    assert found.result.n == (3, 3)
    assert "people's ids are not known; games are taken to be independent of each other" in found.notes


@pytest.mark.slow
def test_seats_of_the_same_game_are_paired_by_the_game() -> None:
    study = people_study([(6.0, 4.0), (5.0, 5.5), (9.0, 3.0)], ["IL"] * 3)
    found = compare(study, "points", "player")
    expected = scipy_stats.ttest_rel([6.0, 5.0, 9.0], [4.0, 5.5, 3.0])
    assert found.result.statistic == pytest.approx(expected.statistic, rel=1e-12)


def pairs_study(pairs: list[tuple[str, str]], points: list[tuple[float, float]], condition: list[str]) -> Study:
    """Two people a game, whose ids are known."""
    study = people_study(points, condition)
    players = study.players.assign(participant_id=pd.Series([one for pair in pairs for one in pair], dtype="str"))
    return Study(games=study.games, players=players, provenance=study.provenance)


@pytest.mark.slow
def test_people_who_meet_again_are_one_unit() -> None:
    pairs = [("a", "b"), ("a", "b"), ("c", "d"), ("d", "c"), ("e", "f"), ("e", "f"), ("g", "h"), ("g", "h")]
    points = [(6.0, 4.0), (5.0, 5.0), (9.0, 3.0), (2.0, 3.0), (7.0, 8.0), (4.0, 4.0), (1.0, 2.0), (3.0, 5.0)]
    study = pairs_study(pairs, points, ["IL"] * 4 + ["US"] * 4)
    found = compare(study, "joint_value", "country")
    expected = scipy_stats.ttest_ind([10.0, 8.5], [11.5, 5.5], equal_var=False)
    assert found.unit == "group"
    assert found.result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert "8 people form 4 groups that are linked through games" in found.notes
    assert found.entry["remarks"] == []  # the study holds how many groups there are
    games = compare(study, "joint_value", "country", unit="game")
    assert games.result.n == (4, 4)
    assert "8 people play in several games; these are taken to be independent of each other" in games.notes
    assert games.entry["remarks"] == list(games.notes)


@pytest.mark.slow
def test_where_everybody_meets_everybody_nothing_is_independent() -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    study = pairs_study(pairs, [(6.0, 4.0), (5.0, 5.0), (9.0, 3.0), (2.0, 3.0)], ["IL", "IL", "US", "US"])
    with pytest.raises(DesignError, match="all 4 people are linked through games, so no two units are independent"):
        compare(study, "joint_value", "country")
    assert compare(study, "joint_value", "country", unit="game").result.n == (2, 2)


@pytest.mark.slow
def test_games_without_a_level_are_said() -> None:
    study = human_agent_study(
        {("p1", "CL"): [1.0, 2.0], ("p2", "FC"): [3.0, 5.0], ("p3", "CL"): [4.0], ("p4", "FC"): [4.5]}
    )
    games = study.games.assign(condition=study.games["condition"].where(study.games["game_id"] != "p1-CL-0"))
    found = compare(
        Study(games=games, players=study.players, provenance=study.provenance), "points", "condition", who="human"
    )
    assert "1 of 6 seats was excluded (no value of condition)." in found.notes


def test_a_measure_of_offers_is_averaged_over_a_seats_offers() -> None:
    study = people_study([(6.0, 4.0)], ["IL"])
    offers = {
        "game_id": ["g0"] * 3,
        "offer": [1, 2, 3],
        "proposer": ["A", "B", "A"],
        "responder": ["B", "A", "B"],
        "units_to_proposer": [5, 3, 2],
        "units_to_responder": [1, 3, 4],
        "response": ["rejected", "rejected", "accepted"],
    }
    study = Study(
        games=study.games, players=study.players, offers=conform("offers", offers), provenance=study.provenance
    )
    values = home(measured(study.with_frames(), metrics.measure("competitiveness"))).set_index("player")["value"]
    assert values.to_dict() == {"A": 1.0, "B": 0.0}


@pytest.mark.slow
def test_the_sentence_and_the_table_hold_the_same_numbers() -> None:
    found = compare(PAIRED, "points", "condition", who="human", paired=True)
    assert "CL (M = 6.67, SD = 2.52) and FC (M = 5.33, SD = 0.58)" in found.apa()
    permuted = next(test for test in found.entry["tests"] if test["address"] == "H1#permutation")
    assert permuted["p"] == pytest.approx(0.5)  # differences 2, -1, 3: 4 of 8 signs reach a sum of 4
    assert found.table()["mean"].tolist() == pytest.approx([20 / 3, 16 / 3])


SCALE = ["Extremely dissatisfied", "Slightly dissatisfied", "Undecided", "Slightly satisfied", "Extremely satisfied"]

# outcome, what is said to `compare`, and the fields of a plan that a person writes for the same question
ONE_DOOR: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "three levels within people": ("robot", "rounds", {"by": "session"}, 'measure = "rounds"\nby = "session"'),
    "two factors": (
        "robot", "points", {"by": ["condition", "session"], "who": "human"},
        'measure = "points"\nwho = "human"\nby = ["condition", "session"]',
    ),
    "a prediction": (
        "robot", "points", {"by": "condition", "who": "agent", "predicts": "CL > FC"},
        'measure = "points"\nwho = "agent"\nby = "condition"\npredicts = "CL > FC"',
    ),
    "yes or no in three groups": ("casino", "agreed", {"by": "split"}, 'measure = "agreed"\nby = "split"'),
    "what somebody answered": (
        "casino", "points", {"by": "svo"},
        'measure = "points"\nby = "svo"\n[factors.svo]\ncolumn = "answers.svo"',
    ),
    "answers in order": (
        "casino", "satisfaction", {"by": "split", "scale": SCALE},
        f'measure = "satisfaction"\nby = "split"\n[measures.satisfaction]\nanswer = "satisfaction"\nscale = {SCALE!r}',
    ),
    "two measures": ("casino", "points", {"with_": "utterances"}, 'measure = "points"\nwith = "utterances"'),
    "a factor and a measure": (
        "casino", "joint_value", {"by": "split", "with_": "utterances", "levels": ["train", "test"]},
        'measure = "joint_value"\nby = "split"\nwith = "utterances"\n[factors.split]\nlevels = ["train", "test"]',
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", ONE_DOOR)
def test_a_question_is_answered_as_a_plan_answers_it(case: str) -> None:
    name, outcome, said, fields = ONE_DOOR[case]
    study = getattr(negstats.datasets, name)()
    answer = compare(study, outcome, **said)
    asks = answer.question.asks
    planned = run(parse(f'[questions.H1]\nasks = "{asks}"\n{fields}\n'), study).answers["H1"]
    assert answer.entry == planned.entry
    assert answer.apa() == planned.apa()


@pytest.mark.slow
def test_time_to_agreement_is_compared_as_a_time() -> None:
    ids = [f"g{place}" for place in range(24)]
    study = human_agent_study({(f"p{place}", "CL" if place % 2 else "FC"): [5.0] for place in range(24)})
    seconds = [60.0 + 7 * place + 40 * (place % 2) for place in range(24)]
    offers = {"game_id": list(study.games["game_id"]), "offer": [1] * 24, "time_s": seconds, "proposer": ["H"] * 24,
              "responder": ["A"] * 24, "response": ["accepted"] * 24}  # fmt: skip
    games = study.games.assign(ended=["agreement", "timeout"] * 2 + ["agreement"] * (len(ids) - 4))
    study = Study(games=games, players=study.players, offers=conform("offers", offers), provenance=study.provenance)
    answer = compare(study, "duration_s", "condition")
    assert answer.entry["kind"] == "time"
    assert answer.entry["tests"][0]["method"] == "logrank"


def couples(games: int = 40) -> Study:
    """Two people a game, who answered two questions, and the rounds that the two of them took."""
    draw = np.random.default_rng(3)
    study = people_study([(a, b) for a, b in draw.normal(10, 2, (games, 2)).round(2)], ["X"] * games)
    people = [f"p{place}" for place in range(2 * games)]
    answers = {
        "participant_id": [*people, *people],
        "game_id": [*study.players["game_id"]] * 2,
        "question": ["gender"] * len(people) + ["mood"] * len(people),
        "answer": [*draw.choice(["female", "male"], 2 * games), *draw.choice(["low", "middle", "high"], 2 * games)],
    }
    rounds = pd.Series(draw.integers(2, 9, games), dtype="Int64")
    return replace(
        study,
        games=conform("games", study.games.assign(rounds=rounds)),
        players=conform("players", study.players.assign(participant_id=people)),
        answers=conform("answers", answers),
    )


@pytest.mark.slow
def test_a_number_of_the_game_has_no_value_of_the_partner() -> None:
    answer = compare(couples(), "points", by="answers.gender", with_="rounds")
    terms = [test["address"].partition("/")[2] for test in answer.entry["tests"] if test["role"] == "answer"]
    assert terms == ["gender", "rounds", "gender:rounds"]
    _, *others = answer.apa().split("The relation of points with the number of rounds did not differ significantly")
    assert len(others) == 1
    assert "a difference of slopes of" in others[0]
    assert "an estimated difference of 0.32 points" in others[0]  # the means beside it differ by 0.30


@pytest.mark.slow
def test_levels_may_be_named_by_the_column_that_was_asked_for() -> None:
    levels = {"answers.gender": ["male", "female"]}
    assert compare(couples(), "points", by="answers.gender", levels=levels).levels == {"gender": ("male", "female")}


@pytest.mark.slow
def test_answers_in_order_have_a_sentence_of_their_own() -> None:
    answer = compare(couples(), "answers.mood", by="player", scale=["low", "middle", "high"])
    assert answer.entry["measure"] == "mood"
    assert "Mood did not differ significantly between A and B by a Wilcoxon signed-rank test" in answer.apa()


@pytest.mark.slow
def test_the_only_other_level_is_named() -> None:
    draw = np.random.default_rng(7)
    cells = {}
    for place in range(24):
        for condition in ("CL", "FC"):
            gain = 3.0 if condition == "FC" and place % 2 else 0.0
            cells[f"p{place}", condition] = [float(10 + gain + draw.normal())]
    study = human_agent_study(cells)
    order = ["odd" if int(game.split("-")[0][1:]) % 2 else "even" for game in study.games["game_id"]]
    study = replace(study, games=conform("games", study.games.assign(order=order)))
    text = compare(study, "points", ["condition", "order"], who="human").apa()
    assert "People's points differed by condition in the odd order (t(11) = " in text
    assert "but not significantly in the even order (t(11) = " in text


def test_answers_yes_or_no_that_were_averaged_are_shares() -> None:
    study = couples()
    answers = home(study.frame("answers"))
    answers["answer"] = answers["answer"].map({"low": "no", "high": "yes"})
    answers = answers.dropna()
    text = compare(replace(study, answers=conform("answers", answers)), "answers.mood").apa()
    assert "scale points" not in text


def test_a_factor_of_agents_alone_takes_their_seats_and_misses_nobody() -> None:
    """People have no agent: 500 of them beside 169 agents were counted as left out for a missing value."""
    study = negstats.open_study("datasets/contract_sim/study")
    answer = compare(study, "points", by="agent")
    assert answer.entry["rows"]["excluded"] == []
    assert answer.entry["rows"]["came"] == answer.entry["rows"]["rows"] == 169
