"""Traces, counts and results of the two protocols of dejonge2016, each also by a recursion written by hand."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache

import numpy as np
import pytest

from negstats.games import rulesheet
from negstats.games.rulesheet.grounding import ground_rules
from negstats.games.rulesheet.induction import Ties
from tests.games.rulesheet.sheets import game_of, negotiating, pie, rules_of

PAY = {("c", "c"): (2, 2), ("c", "d"): (10, 0), ("d", "c"): (0, 10), ("d", "d"): (8, 8)}
SETS = ("c", "d", "cd")


def after(game: rulesheet.GroundGame, *joint: tuple[str, str]) -> tuple[int, ...]:
    """The payoffs after these moves of a1 and a2, each of which must be legal."""
    state = game.first
    for moves in joint:
        legal = game.legal(state)
        assert all(move in legal[role] for role, move in zip(game.roles, moves, strict=True))
        state = game.next(state, dict(zip(game.roles, moves, strict=True)))
    assert game.over(state)
    return tuple(game.payoffs(state).values())


def test_prisoners_who_agree_to_deny() -> None:
    game = negotiating(3)
    assert after(game, ("(propose d d)", "noop"), ("noop", "accept"), ("d", "d")) == (8, 8)


def test_prisoners_one_of_whom_stays_free() -> None:
    game = negotiating(3)
    talk = [("(propose cd d)", "noop"), ("noop", "accept")]
    state = game.first
    for moves in talk:
        state = game.next(state, dict(zip(game.roles, moves, strict=True)))
    assert game.legal(state) == {"a1": ("c", "d"), "a2": ("d",)}
    assert after(game, *talk, ("c", "d")) == (10, 0)


def test_prisoners_who_do_not_agree() -> None:
    talk = [("(propose d d)", "noop"), ("noop", "(propose cd d)"), ("(propose c c)", "noop")]
    assert after(negotiating(3), *talk, ("c", "c")) == (2, 2)


def test_a_pie_divided_in_round_four() -> None:
    game = pie(10, 4)
    talk = [("(propose 7)", "noop"), ("noop", "(propose 4)"), ("(propose 6)", "noop"), ("noop", "accept")]
    assert after(game, *talk) == (6, 4)
    assert "accept" not in game.legal(game.first)["a1"]


@pytest.mark.parametrize(
    ("shares", "rounds", "states", "moves", "histories"),
    [(4, 2, 16, 35, 30), (4, 3, 26, 65, 155), (4, 4, 36, 95, 780), (10, 3, 56, 275, 1463), (10, 5, 100, 539, 177155)],
)
def test_how_large_a_pies_graph_is(shares: int, rounds: int, states: int, moves: int, histories: int) -> None:
    graph = rulesheet.explore(pie(shares, rounds))
    assert (len(graph.nodes), graph.joint_moves, graph.histories()) == (states, moves, histories)
    k = shares + 1
    assert len(graph.nodes) == 1 + k * rounds + k * (rounds - 1)
    assert graph.histories() == sum(k**i for i in range(1, rounds)) + k**rounds


@pytest.mark.parametrize(
    ("rounds", "states", "moves", "histories"),
    [(1, 14, 45, 36), (2, 32, 151, 340), (3, 50, 257, 3076), (4, 68, 363, 27700), (6, 104, 575, 2243860)],
)
def test_how_large_the_negotiating_prisoners_graph_is(rounds: int, states: int, moves: int, histories: int) -> None:
    graph = rulesheet.explore(negotiating(rounds))
    assert (len(graph.nodes), graph.joint_moves, graph.histories()) == (states, moves, histories)
    assert graph.outcomes() == dict.fromkeys([(2, 2), (10, 0), (0, 10), (8, 8)], histories // 4)


@pytest.mark.slow
def test_how_large_the_sheets_are() -> None:
    """Ground rules as clingo counts them; those of the large domain depend on its seed."""
    sizes = {
        182: rulesheet.sheet.alternating_offers(shares=10, rounds=4),
        1994: rulesheet.sheet.alternating_offers(shares=100, rounds=10),
        142: rulesheet.sheet.negotiating_prisoners(rounds=3),
    }
    assert {ground_rules(rulesheet.parse(text)).count: text for text in sizes.values()} == sizes
    large = game_of("large domain")
    assert len(large.fluents) == 225
    assert sum(map(len, large.moves.values())) == 206
    assert 10_000 < large.rules.count < 12_000


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("rounds", range(1, 7))
def test_equilibrium_payoffs_of_negotiating_prisoners(rounds: int) -> None:
    expected = {(2, 2)} if rounds == 1 else {(8, 8)}
    assert rulesheet.equilibrium_payoffs(negotiating(rounds)) == expected
    last = rulesheet.ground(rulesheet.parse(rulesheet.sheet.negotiating_prisoners(rounds, last="accept_or_end")))
    assert rulesheet.equilibrium_payoffs(last) == expected


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("rounds", range(2, 7))
@pytest.mark.parametrize("ties", ["first", "last", "accept", "refuse"])
def test_two_players_for_themselves_deny(rounds: int, ties: Ties) -> None:
    game = negotiating(rounds)
    players = {role: rulesheet.generic(game, role, ties=ties) for role in game.roles}
    assert rulesheet.play(game, players, rng=np.random.default_rng(1)).payoffs == {"a1": 8, "a2": 8}


@pytest.mark.parametrize(
    ("ties", "moves"),
    [
        ("last", [("(propose d d)", "noop"), ("noop", "accept"), ("d", "d")]),
        ("first", [("(propose c c)", "noop"), ("noop", "(propose d d)"), ("accept", "noop"), ("d", "d")]),
    ],
)
def test_what_two_players_for_themselves_say(ties: Ties, moves: list[tuple[str, str]]) -> None:
    game = negotiating(3)
    players = {role: rulesheet.generic(game, role, ties=ties) for role in game.roles}
    session = rulesheet.play(game, players, rng=np.random.default_rng(1))
    assert [tuple(step.moves.values()) for step in session.steps] == moves


def test_two_players_against_each_other_confess() -> None:
    """True minimax: both are sure of 2 only, and seven of a1's nine proposals are as good."""
    game = negotiating(3)
    found = rulesheet.guaranteed(game, "a1")
    assert found.value == rulesheet.guaranteed(game, "a2").value == 2
    proposals = {f"(propose {s} {t})" for s, t in itertools.product(SETS, repeat=2)}
    assert proposals - set(found.moves) == {"(propose d c)", "(propose d cd)"}


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("rounds", range(1, 9))
@pytest.mark.parametrize("shares", [4, 10])
def test_who_takes_the_pie(shares: int, rounds: int) -> None:
    game = pie(shares, rounds)
    takes, accepts, refuses = (0, 0), (shares, 0), (shares - 1, 1)
    if rounds % 2:
        accepts, refuses = accepts[::-1], refuses[::-1]
    if rounds == 1:
        accepts = refuses = takes
    assert rulesheet.equilibrium_payoffs(game) == {accepts, refuses}
    assert tuple(rulesheet.own_payoff(game, ties="accept").value().values()) == accepts
    assert tuple(rulesheet.own_payoff(game, ties="refuse").value().values()) == refuses


@cache
def by_hand(rounds: int, left: int, offer: tuple[str, str] | None) -> Counter[tuple[int, int]]:
    """The multiset of payoffs over all histories of negotiating prisoners, by recursion and no sheet."""
    if left == 0:
        return ends("cd", "cd")
    found: Counter[tuple[int, int]] = Counter()
    for proposal in itertools.product(SETS, repeat=2):
        found += by_hand(rounds, left - 1, proposal)
    if left < rounds and offer is not None:
        found += ends(*offer)
    return found


def ends(first: str, second: str) -> Counter[tuple[int, int]]:
    return Counter(PAY[pair] for pair in itertools.product(first, second))


@pytest.mark.parametrize("rounds", range(1, 5))
def test_payoffs_of_all_histories_by_hand(rounds: int) -> None:
    assert rulesheet.explore(negotiating(rounds)).outcomes() == by_hand(rounds, rounds, None)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("rounds", range(1, 6))
@pytest.mark.parametrize("shares", [3, 7])
def test_pies_equilibria_by_hand(shares: int, rounds: int) -> None:
    """Backward, a proposal at a time: (payoffs with offer x on the table and r rounds gone)."""

    @cache
    def values(gone: int, offer: int | None) -> frozenset[tuple[int, int]]:
        if gone == rounds:
            return frozenset({(0, 0)})
        mover = gone % 2
        choices = [values(gone + 1, share) for share in range(shares + 1)]
        if offer is not None:
            choices.append(frozenset({(offer, shares - offer)}))
        sure = max(min(vector[mover] for vector in choice) for choice in choices)
        return frozenset(
            vector
            for i, choice in enumerate(choices)
            for vector in choice
            if all(vector[mover] >= min(v[mover] for v in other) for j, other in enumerate(choices) if j != i)
            or vector[mover] >= sure
        )

    assert rulesheet.equilibrium_payoffs(pie(shares, rounds)) == values(0, None)


def test_a_game_without_pure_equilibrium_has_none() -> None:
    pennies = """(role a) (role b) (face h) (face t) (<= (legal ?r ?f) (role ?r) (face ?f))
    (<= (next (shown ?r ?f)) (does ?r ?f)) (<= terminal (true (shown a ?f)))
    (<= same (true (shown a ?f)) (true (shown b ?f)))
    (<= (goal a 1) same) (<= (goal b 0) same) (<= (goal a 0) (not same)) (<= (goal b 1) (not same))"""
    game = rulesheet.ground(rulesheet.parse(pennies))
    assert rulesheet.equilibrium_payoffs(game) == frozenset()
    assert rulesheet.own_payoff(game).value(role="a") == {"a": 0, "b": 1}  # whoever moves first, in its own view, loses
    assert rulesheet.own_payoff(game).value(role="b") == {"a": 1, "b": 0}


def test_looking_ahead_only_so_far() -> None:
    game, rng = negotiating(3), np.random.default_rng(1)
    whole = rulesheet.own_payoff(game, ties="last")
    assert rulesheet.own_payoff(game, ties="last", depth=4, rng=rng).value() == whole.value()
    near = rulesheet.own_payoff(game, depth=1, playouts=2000, rng=rng)
    # One step ahead, agreements count for half of what may come: (d, cd) never pays a1 well.
    assert near.move("a1") not in ("(propose d c)", "(propose d cd)")


@pytest.mark.slow
def test_what_players_are_shown() -> None:
    game = negotiating(3)
    order, own = rulesheet.shown_to(game, "a1", "order"), rulesheet.shown_to(game, "a1", "own")
    # 0 < 2 < 8 < 10: who knows only the order agrees to the same.
    assert rulesheet.equilibrium_payoffs(order) == {(2, 2)}
    assert rulesheet.own_payoff(order, ties="last").move("a1") == "(propose d d)"
    assert rulesheet.guaranteed(own, "a1").value == 2


def test_rules_know_their_text() -> None:
    assert rules_of("prisoners").defines("legal")
    assert rules_of("prisoners").facts("pay")[0] == ("c", "c", "2", "2")
