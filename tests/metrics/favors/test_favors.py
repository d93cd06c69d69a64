"""Measures of the favor game: on every kind of frame, with what is missing, and where the paper can be read twice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.games.favors import STUDY, Past, game_of
from negstats.metrics import favors as measures
from negstats.simulate.favors import AGENTS, Session, as_study, favor_cells
from negstats.studies.study import Study
from tests.metrics.engines import KINDS, Kind, as_pandas


def session(agent: str, answers: str, final: tuple[float, float] = (16, 16), name: str = "s") -> Session:
    history: tuple[Past, ...] = ()
    for t, letter in enumerate(answers):
        asks = t % 2 == 0 and AGENTS[agent].asks(history)
        history = (*history, Past(asks, t % 2 == 1 and AGENTS[agent].returns(history) == 1, letter == "a"))
    return Session(name, AGENTS[agent], history, final)


@pytest.fixture(scope="module")
def study() -> Study:
    return as_study(favor_cells({"favor-seeking": 9, "betraying": 8, "cooperative": 7, "competitive": 9}, seed=11))


Call = Callable[[Any, Any, Any], Any]
CALLS: dict[str, tuple[Call, list[str]]] = {
    "favors": (lambda *t: measures.favors(*t), ["session"]),
    "favors of any": (lambda *t: measures.favors(*t, count="any", pairs=1), ["session"]),
    "ledger": (lambda *t: measures.ledger(*t), ["session", "negotiation"]),
    "favor_state": (lambda *t: measures.favor_state(*t, pair=2), ["session"]),
    "acceptance_by_state": (lambda g, o, p: measures.acceptance_by_state(g, o, p, "language"), ["language", "state"]),
    "pareto_over_time": (lambda *t: measures.pareto_over_time(*t, weak=True), ["session", "pair"]),
    "pareto among all": (lambda *t: measures.pareto_over_time(*t, among=STUDY), ["session", "pair"]),
    "both_accepted": (lambda *t: measures.both_accepted(*t), ["session", "pair"]),
    "discovery_rates": (
        lambda g, o, p: measures.discovery_rates(g, o, p, ["returns"], confidence_level=0.9),
        ["pair", "measure", "returns"],
    ),
    "session_points": (lambda *t: measures.session_points(t[0], t[2], "condition"), ["session", "player"]),
    "full_exchange": (lambda *t: measures.full_exchange(*t), ["session", "pair"]),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind"), list(zip(CALLS, cycle(KINDS), strict=False)), ids=lambda value: getattr(value, "name", value)
)
def test_every_kind_of_frame_gives_the_same(name: str, kind: Kind, study: Study) -> None:
    call, key = CALLS[name]
    tables = [study.games, study.offers, study.players]
    tables = [table.sample(frac=1, random_state=1) for table in tables]
    result = call(*map(kind.make, tables))
    assert isinstance(result, kind.type)
    wanted = call(study.games, study.offers, study.players)
    pd.testing.assert_frame_equal(as_pandas(result, key), as_pandas(wanted, key), check_dtype=False)


# Agent and answers; Pareto over time (1+2, 3+4), full exchange, both accepted.
READINGS = [
    ("favor-seeking", "aaaa", [1, 1], [1, 1], [1, 1]),
    ("favor-seeking", "rara", [1, 1], [0, 0], [0, 0]),
    ("favor-seeking", "rrar", [0, 1], [0, 0], [0, 0]),
    ("betraying", "aaaa", [1, 1], [0, 0], [1, 1]),  # 5:40 is optimal, and no favor is exchanged
    ("competitive", "arra", [1, 0], [0, 0], [0, 0]),
    ("competitive", "rrrr", [1, 1], [0, 0], [0, 0]),  # 10:10 is optimal among the deals on the table
]


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "answers", "optimal", "full", "both"), READINGS)
def test_three_readings_of_discovery(
    agent: str, answers: str, optimal: list[float], full: list[float], both: list[float]
) -> None:
    study = as_study([session(agent, answers)])
    tables = study.games, study.offers, study.players
    for weak in (False, True):
        result = measures.pareto_over_time(*tables, weak=weak)
        assert result["pareto_over_time"].tolist() == optimal
    assert measures.full_exchange(*tables)["full_exchange"].tolist() == full
    assert measures.both_accepted(*tables)["both_accepted"].tolist() == both


@pytest.mark.slow
def test_among_all_printed_deals_no_deal_is_no_longer_optimal() -> None:
    study = as_study([session("competitive", "rraa")])
    tables = study.games, study.offers, study.players
    assert measures.pareto_over_time(*tables)["pareto_over_time"].tolist() == [1, 1]
    assert measures.pareto_over_time(*tables, among=STUDY)["pareto_over_time"].tolist() == [0, 1]
    over_four = measures.pareto_over_time(*tables, pairs=[(1, 2, 3, 4)])
    assert over_four[["pair", "player", "agent", "pareto_over_time"]].to_numpy().tolist() == [["1+2+3+4", 15, 50, 0]]


@pytest.mark.slow
def test_a_shorter_and_a_longer_game() -> None:
    study = as_study([session("favor-seeking", "aaaa")])
    tables = study.games, study.offers, study.players
    assert measures.ledger(*tables, pairs=1)["ledger"].tolist() == [1, 0]
    longer = measures.ledger(*tables, pairs=3)["ledger"]
    assert longer[:4].tolist() == [1, 0, 1, 0]
    assert longer[4:].isna().all()  # no BATNA in 5, and no negotiation 6
    assert measures.full_exchange(*tables, among=game_of(benefit=10))["full_exchange"].tolist() == [0, 0]


@pytest.mark.slow
def test_states_after_the_second_pair() -> None:
    """They are those after the first pair of the same sessions without it."""
    answers = ["rraa", "aaaa", "aarr", "arar", "raar", "aara"]
    agents = ["betraying", "favor-seeking"]
    sessions = [session(agent, each, name=f"{agent} {each}") for agent in agents for each in answers]
    study = as_study(sessions)
    tables = study.games, study.offers, study.players
    later = study.games[study.games["negotiation"] > 2]
    renumbered = later.assign(negotiation=later["negotiation"] - 2), study.offers, study.players
    states = measures.favor_state(*tables, pair=2)["state"].tolist()
    assert states == measures.favor_state(*renumbered)["state"].tolist()
    assert len(set(states)) > 2
    assert states != measures.favor_state(*tables)["state"].tolist()


def without(study: Study, number: int) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    games = study.games[study.games["negotiation"] != number]
    ids = games["game_id"]
    return games, study.offers[study.offers["game_id"].isin(ids)], study.players[study.players["game_id"].isin(ids)]


@pytest.mark.slow
def test_a_negotiation_that_is_missing_leaves_its_pair_missing() -> None:
    study = as_study([session("favor-seeking", "aaaa"), session("betraying", "arar", name="t")])
    tables = without(study, 3)
    for name in ("pareto_over_time", "full_exchange", "both_accepted"):
        result = getattr(measures, name)(*tables)
        assert result["session"].tolist() == ["s", "s", "t", "t"]  # no session is left out
        assert result[name].isna().tolist() == [False, True, False, True]
    owed = measures.ledger(*tables)
    assert owed[["ledger", "player_points"]].isna().any(axis=1).tolist() == [False, False, True, True] * 2
    assert measures.favors(*tables)["granted"].isna().all()
    assert measures.favors(*tables, pairs=1)["granted"].tolist() == [1, 1]
    assert measures.favor_state(*tables)["state"].tolist() == ["favor returned", "betrayal"]
    assert measures.favor_state(*tables, pair=2)["state"].isna().all()
    rates = measures.acceptance_by_state(*tables)
    assert rates["missing"].tolist() == [1, 1]
    assert rates["rate"].isna().all()


@pytest.mark.slow
def test_what_is_not_recorded_is_missing() -> None:
    study = as_study([session("favor-seeking", "aaaa")])
    bare = study.offers.assign(framing=None)
    assert measures.favors(study.games, bare, study.players)["granted"].isna().all()
    assert measures.favors(study.games, bare, study.players, count="any")["granted"].tolist() == [2]
    unanswered = study.offers.assign(response="none")
    assert measures.both_accepted(study.games, unanswered, study.players)["both_accepted"].isna().all()


def test_games_of_other_kinds_are_passed_over() -> None:
    study = as_study([session("favor-seeking", "aaaa")])
    other = pd.DataFrame({"game_id": ["x"], "session": [None], "negotiation": [np.nan]})
    games = pd.concat([study.games.astype({"negotiation": "float64"}), other], ignore_index=True)
    assert measures.favors(games, study.offers, study.players)["session"].tolist() == ["s"]


@pytest.mark.slow
def test_acceptance_by_state_counts_sessions() -> None:
    values = [("favor-seeking", "aaar"), ("favor-seeking", "aarr"), ("betraying", "arrr"), ("competitive", "arar")]
    study = as_study([session(agent, answers, name=f"s{i}") for i, (agent, answers) in enumerate(values)])
    result = measures.acceptance_by_state(study.games, study.offers, study.players)
    assert result[["state", "n", "count"]].to_numpy().tolist() == [
        ["betrayal", 1, 0],
        ["competitive", 1, 1],
        ["favor returned", 2, 1],
    ]


@pytest.mark.slow
def test_points_of_a_session() -> None:
    study = as_study([session("favor-seeking", "rara", final=(1, 4)), session("betraying", "aaaa", name="t")])
    result = measures.session_points(study.games, study.players)
    assert result.drop(columns="joint_value").to_numpy().tolist() == [
        ["s", "agent", 18],
        ["s", "player", 68],
        ["t", "agent", 80],
        ["t", "player", 10],
    ]
    assert result["joint_value"].tolist() == [86, 86, 90, 90]
    last = measures.session_points(study.games, study.players, "language", negotiations=[5])
    assert last[["language", "points", "joint_value"]].to_numpy().tolist() == [
        ["favor", 4, 5],
        ["favor", 1, 5],
        ["favor", 16, 32],
        ["favor", 16, 32],
    ]
    games, _, players = without(study, 3)
    assert measures.session_points(games, players)["points"].isna().all()
    assert measures.session_points(games, players, negotiations=[1, 2])["points"].tolist() == [9, 34, 40, 5]
    assert measures.session_points(games, players, negotiations=[3]).shape == (4, 4)


@pytest.mark.slow
def test_discovery_is_counted_by_session() -> None:
    study = as_study([session("favor-seeking", "aaaa"), session("favor-seeking", "rrar", name="t")])
    games, offers, players = study.games, study.offers, study.players
    count = measures.discovery_rates(games, offers, players).set_index(["measure", "pair"])["count"]
    assert count.to_dict() == {
        ("both_accepted", "1+2"): 1,
        ("full_exchange", "1+2"): 1,
        ("pareto_over_time", "1+2"): 1,
        ("both_accepted", "3+4"): 1,
        ("full_exchange", "3+4"): 1,
        ("pareto_over_time", "3+4"): 2,
    }
    lacking = measures.discovery_rates(*without(study, 4))
    assert lacking["missing"].tolist() == [0] * 3 + [2] * 3
