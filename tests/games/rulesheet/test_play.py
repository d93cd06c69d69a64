"""The server and the players: who chose each move, time, caps, and players of each kind."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from negstats.games import rulesheet
from tests.games.rulesheet.sheets import game_of, negotiating, pie


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def always(move: str) -> rulesheet.Player:
    return rulesheet.game_specific(lambda state, legal: move)  # noqa: ARG005


def test_an_illegal_move_is_replaced_and_logged_as_such() -> None:
    game = pie(4, 2)
    session = rulesheet.play(game, {"a1": always("fly"), "a2": always("accept")}, rng=rng())
    first, second = session.steps
    assert first.chosen_by == {"a1": "default", "a2": "player"}
    assert first.moves["a1"] in game.legal(game.first)["a1"]
    assert second.chosen_by == {"a1": "player", "a2": "player"}
    assert session.payoffs is not None
    assert sum(session.payoffs.values()) == 4


def test_the_default_move_is_played_where_it_is_legal() -> None:
    session = rulesheet.play(pie(4, 2), {"a1": always("fly"), "a2": always("x")}, rng=rng(), default="(propose 3)")
    assert [step.moves for step in session.steps] == [
        {"a1": "(propose 3)", "a2": "noop"},
        {"a1": "noop", "a2": "(propose 3)"},
    ]
    assert session.payoffs == {"a1": 0, "a2": 0}


def test_a_late_move_does_not_count() -> None:
    def slow(state: Any, legal: Sequence[str]) -> str:
        time.sleep(0.02)
        return "(propose 4)"

    players = {"a1": rulesheet.game_specific(slow), "a2": always("accept")}
    late = rulesheet.play(pie(4, 2), players, rng=rng(), time_limit=0.001, default="(propose 1)")
    assert (late.steps[0].moves["a1"], late.steps[0].chosen_by["a1"]) == ("(propose 1)", "default")
    assert rulesheet.play(pie(4, 2), players, rng=rng(), time_limit=60).payoffs == {"a1": 4, "a2": 0}


@pytest.mark.slow
def test_the_server_ends_a_turn_that_does_not() -> None:
    game = game_of("small domain")
    players = {role: always("(setvalue 1 2)") for role in game.roles}
    session = rulesheet.play(game, players, rng=rng(), cap=5)
    assert len(session.steps) == 3 * 6  # three rounds of five moves and the server's
    assert [step.moves["a1"] for step in session.steps[:7]] == [*["(setvalue 1 2)"] * 5, "propose", "noop"]
    assert session.steps[5].chosen_by["a1"] == "server"
    assert session.payoffs == {"a1": 0, "a2": 0}


def test_a_game_that_does_not_end_is_stopped() -> None:
    game = game_of("small domain")
    session = rulesheet.play(
        game, {role: always("(setvalue 1 2)") for role in game.roles}, rng=rng(), cap=None, steps=50
    )
    assert len(session.steps) == 50
    assert session.payoffs is None


def test_two_enemies_confess() -> None:
    """With ties broken in move order the copies of true minimax end in confess and confess."""
    game = negotiating(3)
    session = rulesheet.play(game, {role: rulesheet.adversarial(game, role) for role in game.roles}, rng=rng())
    assert session.payoffs == {"a1": 2, "a2": 2}


def test_who_knows_the_order_of_payoffs_only_plays_the_same() -> None:
    game = negotiating(3)
    players = {
        role: rulesheet.generic(rulesheet.shown_to(game, role, "order"), role, ties="last") for role in game.roles
    }
    assert rulesheet.play(game, players, rng=rng()).payoffs == {"a1": 8, "a2": 8}


def test_monte_carlo_confesses_and_takes_what_it_can() -> None:
    game = game_of("prisoners")
    player = rulesheet.monte_carlo(game, "a1", rng(), playouts=50)
    assert player.move(game.first, ("c", "d")) == "c"  # 2 or 10 against 0 or 8
    players = {role: rulesheet.monte_carlo(pie(4, 4), role, rng(), playouts=100) for role in ("a1", "a2")}
    session = rulesheet.play(pie(4, 4), players, rng=rng())
    assert session.payoffs is not None
    assert sum(session.payoffs.values()) in (0, 4)


def test_looking_two_steps_ahead_accepts_a_good_offer() -> None:
    game = pie(4, 4)
    state = game.next(game.first, {"a1": "(propose 0)", "a2": "noop"})
    player = rulesheet.generic(game, "a2", depth=2, playouts=50, rng=rng())
    assert player.move(state, game.legal(state)["a2"]) == "accept"


def test_sessions_are_the_same_with_the_same_seed() -> None:
    game = negotiating(4)
    one, other = (
        rulesheet.play(
            game, {role: rulesheet.random_player(np.random.default_rng(5)) for role in game.roles}, rng=rng()
        )
        for _ in range(2)
    )
    assert one == other


def test_what_an_agent_wants_falls_from_best_to_floor() -> None:
    for e in (0.2, 1, 4):
        wants = [rulesheet.aspiration(share, 100, 30, e=e) for share in np.linspace(0, 1, 11)]
        assert wants == sorted(wants, reverse=True)
        assert (wants[0], wants[-1]) == (100, 30)
    assert rulesheet.aspiration(0.5, 100, e=0.2) > rulesheet.aspiration(0.5, 100) > rulesheet.aspiration(0.5, 100, e=4)
