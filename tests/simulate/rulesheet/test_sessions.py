"""Sessions of rule sheets: tables, log, loader and metrics say the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats import metrics
from negstats.games.rulesheet import equilibrium_payoffs, sheet
from negstats.simulate.rulesheet import PLAYERS, Setup, as_study, events, sessions_of, write_log
from negstats.studies.study import Study

SETUPS: dict[str, Callable[[], Setup]] = {
    "pie": lambda: Setup.of(sheet.alternating_offers(10, 6), {"a1": "negotiator:2", "a2": "random"}, name="pie"),
    "prisoners": lambda: Setup.of(sheet.negotiating_prisoners(3), "random", name="prisoners", parameters={"rounds": 3}),
    "domain": lambda: Setup.of(sheet.large_domain(rounds=8), {"a1": "negotiator:0.5", "a2": "hidden"}, name="domain"),
    "boxes": lambda: Setup.of(sheet.large_domain(4, 4, 6, payoff="boxes"), "negotiator", name="boxes"),
    "one role": lambda: Setup.of(
        "(role solo) (init (at 0)) (less 1 0) (<= (legal solo (step ?x)) (true (at 0)) (less 1 ?x)) (legal solo rest)"
        "(<= (next (at 1)) (does solo ?m)) (<= terminal (true (at 1))) (goal solo 7)",
        "random",
        name="one role",
    ),
}


@cache
def setup_of(name: str) -> Setup:
    """Return a setup, which is read and grounded once a process, and not before a test needs it."""
    return SETUPS[name]()


def study_of(name: str, games: int = 6) -> Study:
    return as_study(setup_of(name), sessions_of(setup_of(name), games, seed=1))


@pytest.mark.nightly
@pytest.mark.parametrize("name", SETUPS)
def test_the_log_is_known_and_holds_every_move(name: str, tmp_path: Path) -> None:
    played = sessions_of(setup_of(name), 6, seed=1)
    write_log(tmp_path / "log.jsonl", setup_of(name), played)
    loaded = negstats.load(tmp_path)
    assert loaded.provenance.loader == "rulesheet"
    assert loaded.games["rounds"].tolist() == [one.steps for one in played]
    assert len(loaded.messages) == sum(move.move != "noop" for one in played for move in one.moves)
    assert loaded.players["points"].tolist() == [one.points[role] for one in played for role in one.players]  # type: ignore[index]


@pytest.mark.nightly
def test_what_prisoners_offers_are_worth() -> None:
    study = study_of("prisoners", games=40)
    said = study.items.pivot_table(index=["game_id", "offer"], columns="item", values="option", aggfunc="first")
    offers = study.offers.merge(said, on=["game_id", "offer"])
    first = offers[offers["proposer"] == "a1"]
    worth = {
        (a1, a2): (mine, theirs)
        for a1, a2, mine, theirs in first[["a1", "a2", "value_proposer", "value_responder"]].itertuples(index=False)
    }
    # One who is free confesses: 10 against a partner bound to deny, and so on.
    assert worth[("d", "d")] == (8, 8)
    assert worth[("cd", "d")] == (10, 0)
    assert worth[("cd", "cd")] == worth[("c", "c")] == worth[("c", "cd")] == (2, 2)
    assert worth[("d", "cd")] == (0, 10)
    assert set(study.players["batna"]) == {2}


@pytest.mark.nightly
def test_a_played_session_in_the_tables() -> None:
    """The worked trace: propose (d, d), accept, both deny."""
    setup = Setup.of(sheet.negotiating_prisoners(3), "own_payoff:last", name="prisoners")
    study = as_study(setup, sessions_of(setup, 1, seed=1))
    assert study.games[["protocol", "ended", "rounds"]].to_numpy().tolist() == [["prisoners", "agreement", 3]]
    assert study.players[["player", "points", "batna", "agent"]].to_numpy().tolist() == [
        ["a1", 8, 2, "own_payoff:last"],
        ["a2", 8, 2, "own_payoff:last"],
    ]
    assert study.offers[["value_proposer", "value_responder", "response"]].to_numpy().tolist() == [[8, 8, "accepted"]]
    assert study.items[["item", "option"]].to_numpy().tolist() == [["a1", "d"], ["a2", "d"]]
    assert study.messages[["sender", "act"]].to_numpy().tolist() == [
        ["a1", "propose"],
        ["a2", "accept"],
        ["a1", "play:d"],
        ["a2", "play:d"],
    ]
    assert study.moves.empty
    assert study.factors == ["player_a1", "player_a2"]


@pytest.mark.nightly
def test_metrics_give_the_simulators_own_totals() -> None:
    setup, played = setup_of("domain"), sessions_of(setup_of("domain"), 5, seed=1)
    study = as_study(setup, played)
    joint = metrics.joint_value(study.players).set_index("game_id")["joint_value"]
    assert joint.to_dict() == {one.game_id: sum((one.points or {}).values()) for one in played}
    accepted = study.offers[study.offers["response"] == "accepted"]
    points = study.players[["game_id", "player", "points"]]
    for seat in ("proposer", "responder"):
        paid = accepted.merge(points, left_on=["game_id", seat], right_on=["game_id", "player"])
        assert len(paid) == len(accepted)
        assert paid["points"].tolist() == paid[f"value_{seat}"].tolist()
    worth = study.items.merge(study.offers[["game_id", "offer", "proposer", "value_proposer"]], on=["game_id", "offer"])
    values = study.tables["values"].rename(columns={"player": "proposer"})
    sums = worth.merge(
        values[["game_id", "proposer", "item", "option", "value"]], on=["game_id", "proposer", "item", "option"]
    )
    added = sums.groupby(["game_id", "offer"]).agg(value=("value", "sum"), said=("value_proposer", "first"))
    assert (added["value"] == added["said"]).all()
    made = metrics.offers_made(study.offers, study.players)
    assert made.groupby("game_id")["offers"].first().sum() == len(study.offers)


@pytest.mark.nightly
def test_concession_steps_of_a_negotiator() -> None:
    """Who knows both worths gives up its own for the partner's: no step of its is selfish."""
    setup = Setup.of(sheet.large_domain(rounds=12), "negotiator:0.2", name="domain")
    study = as_study(setup, sessions_of(setup, 1, seed=1))
    own = study.offers.groupby("proposer")["value_proposer"].apply(lambda values: values.diff().dropna())
    partner = study.offers.groupby("proposer")["value_responder"].apply(lambda values: values.diff().dropna())
    assert (own <= 0).all()
    assert (partner >= 0).all()
    assert len(own)


@pytest.mark.nightly
def test_results_of_simulated_pies_are_the_equilibria() -> None:
    for rounds in (2, 3, 4):
        for ties in ("accept", "refuse"):
            setup = Setup.of(sheet.alternating_offers(10, rounds), f"own_payoff:{ties}")
            (played,) = sessions_of(setup, 1, seed=1)
            assert tuple((played.points or {}).values()) in equilibrium_payoffs(setup.sheet.game)


@pytest.mark.nightly(keep=1)
@pytest.mark.parametrize("name", [*PLAYERS, "own_payoff:refuse", "depth:1", "monte_carlo:5", "negotiator:2"])
def test_every_player_plays(name: str) -> None:
    setup = Setup.of(sheet.alternating_offers(4, 4), name)
    (played,) = sessions_of(setup, 1, seed=1)
    assert played.points is not None
    assert {move.chosen_by for move in played.moves} == {"player"}


@pytest.mark.nightly
def test_a_sheet_that_uses_the_same_words_otherwise() -> None:
    text = sheet.alternating_offers(4, 2) + "(permits 1 2) (val 3)\n"
    study = as_study(Setup.of(text, "random"), sessions_of(Setup.of(text, "random"), 2, seed=1))
    assert len(study.offers)
    strange = sheet.set_offers(2) + "(permits c c)"
    study = as_study(Setup.of(strange, "random"), sessions_of(Setup.of(strange, "random"), 2, seed=1))
    assert study.offers["value_proposer"].isna().all()
    assert study.items.empty


@pytest.mark.nightly
def test_the_events_of_a_game() -> None:
    setup = setup_of("pie")
    told = list(events(setup, sessions_of(setup, 1, seed=1)))
    assert [told[0]["event"], told[1]["event"], told[-1]["event"]] == ["sheet", "game", "end"]
    assert told[0]["roles"] == ["a1", "a2"]
    assert told[0]["sha256"] == setup.sheet.rules.source_sha256
    assert {event["event"] for event in told[2:-1]} == {"step"}
    assert np.array_equal([event["round"] for event in told[2:-1]], range(1, len(told) - 2))
    assert pd.isna(study_of("boxes").tables["values"]["value"]).sum() == 0
