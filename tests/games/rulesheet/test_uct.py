"""Tree search against the exact solver, its limits, and what it gets in large domains."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.games import rulesheet
from negstats.games.pareto import pareto_optimal
from tests.effort import Effort
from tests.games.rulesheet.contest import play_cell
from tests.games.rulesheet.sheets import game_of, negotiating, pie, rules_of

SMALL: dict[str, rulesheet.GroundGame] = {
    **{
        name: game_of(name)
        for name in (
            "pie",
            "pie, last round for answers",
            "pie of 10",
            "prisoners",
            "negotiating prisoners",
            "negotiating prisoners, last round for answers",
            "set offers",
            "reaching",
        )
    },
    "six rounds of talk": negotiating(6),
    "six rounds of offers": pie(10, 6),
}


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["first", "last", "accept", "refuse"])
@pytest.mark.parametrize("name", SMALL)
def test_small_sheets_are_solved_as_backward_induction_solves_them(name: str, ties: rulesheet.Ties) -> None:
    game = SMALL[name]
    solution = rulesheet.own_payoff(game, ties=ties)
    for role in game.roles:
        if len(game.legal(game.first)[role]) > 1:
            searched = rulesheet.uct_search(game, role, rng=rng(), playouts=5000, ties=ties)
            assert searched.exact
            assert searched.move == solution.move(role)
            assert searched.value == solution.value(role=role)
            assert searched.bounds == {one: (payoff, payoff) for one, payoff in searched.value.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["negotiating prisoners", "pie"])
def test_every_state_within_reach_has_its_exact_value(name: str) -> None:
    game = game_of(name)
    solution = rulesheet.own_payoff(game)
    for node in solution.graph.nodes[::3]:
        for role in game.roles:
            if len(node.legal.get(role, ())) > 1:
                searched = rulesheet.uct_search(game, role, rng=rng(), start=node.state, playouts=5000)
                exact = solution.value(node.state, role=role), solution.move(role, node.state)
                assert (searched.value, searched.move) == exact


@pytest.mark.slow
def test_a_negotiation_over_a_game_is_solved() -> None:
    talk, game = rulesheet.ground(rulesheet.parse(rulesheet.sheet.set_offers(rounds=3))), game_of("prisoners")
    both = rulesheet.negotiation_game(talk, game, rulesheet.accepted_sets(talk))
    searched = rulesheet.uct_search(both, "a1", rng=rng(), playouts=5000, ties="last")
    assert (searched.exact, searched.move, dict(searched.value)) == (True, "(propose d d)", {"a1": 8, "a2": 8})


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), playouts=st.integers(1, 80))
@settings(max_examples=15, deadline=None)
def test_bounds_hold_the_exact_value_whenever_the_search_stops(seed: int, playouts: int) -> None:
    game = game_of("pie")
    searched = rulesheet.uct_search(game, "a1", rng=rng(seed), playouts=playouts)
    exact = rulesheet.own_payoff(game).value()
    assert searched.playouts <= playouts
    for role, (low, high) in searched.bounds.items():
        assert low <= exact[role] <= high
    again = rulesheet.uct_search(game, "a1", rng=rng(seed), playouts=playouts)
    assert again == searched


@pytest.mark.slow
def test_a_search_stops_in_time() -> None:
    game = game_of("large domain")
    with Effort() as effort:
        searched = rulesheet.uct_search(
            rulesheet.plan_game(rules_of("large domain"), game), "a1", rng=rng(), playouts=None, seconds=0.02
        )
    assert not searched.exact
    assert effort.millions < 15
    longer = rulesheet.uct_search(
        rulesheet.plan_game(rules_of("large domain"), game), "a1", rng=rng(), playouts=None, seconds=0.2
    )
    assert longer.playouts > searched.playouts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["small domain", "small domain with boxes", "pie of 10"])
def test_whole_bids_are_solved_as_backward_induction_solves_them(name: str) -> None:
    plans = rulesheet.plan_game(rules_of(name), game_of(name), most=50)
    solution = rulesheet.own_payoff(plans)
    searched = rulesheet.uct_search(plans, "a1", rng=rng(), playouts=20_000)
    assert searched.exact
    assert searched.value == solution.value()
    for node in solution.graph.nodes:
        assert isinstance(node.state, rulesheet.Talk)
        for role, (low, high) in plans.bounds(node.state).items():
            assert low <= solution.value(node.state)[role] <= high


def test_whole_bids_of_a_pie_pay_what_its_sheet_pays() -> None:
    """The pie's bids are all of its moves, so that the sheet solved move by move is the witness."""
    for rounds in (2, 3, 4):
        text = rulesheet.sheet.alternating_offers(shares=6, rounds=rounds)
        rules = rulesheet.parse(text)
        game = rulesheet.ground(rules)
        plans = rulesheet.plan_game(rules, game)
        # A bid that pays the other nothing is not weighed: the value is that of the tie that refuses such bids.
        assert rulesheet.own_payoff(plans).value() == rulesheet.own_payoff(game, ties="refuse").value()


@pytest.mark.slow
def test_ten_thousand_million_contracts_are_solved() -> None:
    """With every bid of the frontier, the first role gets its best: it makes the last bid that can be answered."""
    rules, game = rules_of("large domain"), game_of("large domain")
    plans = rulesheet.plan_game(rules, game, most=101)
    worths = np.array(plans.worths)
    assert pareto_optimal(worths).all()
    searched = rulesheet.uct_search(plans, "a1", rng=rng(), playouts=20_000)
    assert searched.exact
    assert searched.value == rulesheet.own_payoff(plans).value()
    assert searched.value["a1"] == worths[:, 0].max() == 100


@pytest.mark.slow
def test_the_same_seed_and_playouts_play_the_same_game() -> None:
    rules, game = rules_of("large domain"), game_of("large domain")
    sessions = []
    for _ in range(2):
        draws = rng(5)
        players = {role: rulesheet.searching(rules, game, role, draws, playouts=100) for role in game.roles}
        sessions.append(rulesheet.play(game, players, rng=draws))
    assert sessions[0].steps == sessions[1].steps
    assert sessions[0].payoffs is not None


def test_bids_reveal_how_the_partner_concedes() -> None:
    plans = rulesheet.plan_game(rules_of("large domain"), game_of("large domain"))
    beliefs = rulesheet.Beliefs.of(plans, 1, rng())
    expected = beliefs.weights() @ [schedule.wants[15] for schedule in beliefs.theirs]
    for number in range(1, 10, 2):
        beliefs.see_bid(number, max(worth[1] for worth in plans.worths))
    stubborn = beliefs.weights() @ [schedule.wants[15] for schedule in beliefs.theirs]
    assert stubborn > expected
    assert beliefs.weights().sum() == pytest.approx(1)
    before = beliefs.weights() @ [schedule.wants[10] for schedule in beliefs.theirs]
    beliefs.see_refusal(10, 80.0)
    assert beliefs.weights() @ [schedule.wants[10] for schedule in beliefs.theirs] >= before


@pytest.mark.slow
def test_it_gets_more_than_the_negotiator() -> None:
    """A small version of the table of `contest`: with both seats, and a number of playouts in place of a time."""
    differences = []
    for seed in (1, 2, 3):
        rules = rulesheet.parse(rulesheet.sheet.large_domain(seed=seed))
        game = rulesheet.ground(rules)
        for mine, theirs in (("a1", "a2"), ("a2", "a1")):
            draws = rng(seed)
            players: dict[str, rulesheet.Player] = {
                mine: rulesheet.searching(rules, game, mine, draws, playouts=300),
                theirs: rulesheet.protocol_specific(rules, game, theirs),
            }
            payoffs = rulesheet.play(game, players, rng=draws).payoffs or {}
            differences.append(payoffs[mine] - payoffs[theirs])
    assert np.mean(differences) > 5


@pytest.mark.calibration
def test_the_table_of_a_contest() -> None:
    """Sixteen games a cell of the table: UCT over bids gets more than the negotiator, and more than without a tree."""
    tree, flat = (play_cell(one, "negotiator", games=16, seconds=0.1) for one in ("uct", "flat"))
    assert tree.difference - tree.difference_half > 0
    assert tree.agreements == 1
    assert tree.points + tree.points_half > flat.points


@pytest.mark.slow
def test_flat_playouts_within_a_time() -> None:
    game = negotiating(3)
    player = rulesheet.monte_carlo(game, "a1", rng(), seconds=0.05)
    with Effort() as effort:
        assert player.move(game.first, game.legal(game.first)["a1"]) in game.legal(game.first)["a1"]
    assert effort.millions < 10
