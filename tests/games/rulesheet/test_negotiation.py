"""A negotiation over a game, in the server and in the sheet; and proposals as formulas."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from negstats.games.rulesheet import (
    After,
    And,
    Does,
    Formula,
    IfPlayed,
    Legal,
    Not,
    Or,
    Restricted,
    True_,
    accepted_sets,
    both,
    equilibrium_payoffs,
    explore,
    first_else,
    ground,
    moves_of,
    negotiation_game,
    own_payoff,
    parse,
    sheet,
    with_commitments,
)
from negstats.games.rulesheet.graph import StateGraph
from tests.games.rulesheet.sheets import game_of, negotiating

Tree = Mapping[tuple[str, ...], object] | tuple[float, ...]


def tree(graph: StateGraph, place: int = 0) -> Tree:
    """What can be played, and what it pays in the end."""
    node = graph.nodes[place]
    if node.payoffs is not None:
        return tuple(node.payoffs[role] for role in graph.roles)
    return {tuple(profile[role] for role in graph.roles): tree(graph, there) for profile, there in node.edges}


@pytest.mark.slow
@pytest.mark.parametrize("rounds", range(1, 5))
def test_server_and_sheet_give_the_same_tree(rounds: int) -> None:
    protocol = ground(parse(sheet.set_offers(rounds)))
    server = negotiation_game(protocol, game_of("prisoners"), accepted_sets(protocol))
    found, expected = explore(server), explore(negotiating(rounds))
    assert found.outcomes() == expected.outcomes()
    assert equilibrium_payoffs(server) == equilibrium_payoffs(negotiating(rounds))
    if rounds < 4:  # the tree itself grows ninefold a round
        assert tree(found) == tree(expected)


def test_commitments_written_into_a_sheet() -> None:
    free = parse(sheet.negotiating_prisoners(3, committed=False))
    kept = ground(with_commitments(free))
    assert tree(explore(kept)) == tree(explore(negotiating(3)))
    assert equilibrium_payoffs(ground(free)) == {(2, 2)}  # talk that binds nobody changes nothing


def test_commitments_to_moves_where_the_sheet_says_no_more() -> None:
    text = """(role a) (init start) (move x) (move y) (move z) (<= (legal a talk) (true start))
    (<= (legal a ?m) (not (true start)) (move ?m)) (<= (next (committed a x)) (does a talk))
    (<= (next (committed a z)) (does a talk)) (<= (next end) (does a ?m) (move ?m))
    (<= terminal (true end)) (goal a 1)"""
    game = ground(with_commitments(parse(text)))
    state = game.next(game.first, {"a": "talk"})
    assert game.legal(state) == {"a": ("x", "z")}


@pytest.mark.slow
def test_any_game_goes_with_any_protocol() -> None:
    """Talk about fairness before a pie is divided: the agreement restricts a game of several steps."""
    protocol, game = game_of("set offers"), ground(parse(sheet.alternating_offers(shares=2, rounds=2)))
    fair: dict[str, Formula] = {"a1": Or(Does("(propose 1)"), Does("noop")), "a2": True_()}
    free: dict[str, Formula] = dict.fromkeys(game.roles, True_())
    both_ways = negotiation_game(protocol, game, lambda state: fair if protocol.holds(state, "accepted") else free)
    solved = own_payoff(both_ways, ties="accept")
    # Alone a1 takes all of the pie; but on turn it must propose something, and a2 accepts whatever it is.
    assert own_payoff(game, ties="accept").value() == {"a1": 2, "a2": 0}
    assert solved.value() == {"a1": 1, "a2": 1}
    assert both_ways.holds(both_ways.first, "(round 0)")


@dataclass(frozen=True)
class Toy:
    """A game by hand: three states in a row with two, three and one moves of one role; any move leads on."""

    roles: tuple[str, ...] = ("i",)
    first: int = 0

    def legal(self, state: int) -> dict[str, tuple[str, ...]]:
        return {"i": MOVES[state]}

    def next(self, state: int, profile: Mapping[str, str]) -> int:  # noqa: ARG002 - any move leads on
        return state + 1

    def over(self, state: int) -> bool:
        return state == len(MOVES)

    def payoffs(self, state: int) -> dict[str, float]:  # noqa: ARG002
        return {"i": 1.0}

    def holds(self, state: int, fluent: str) -> bool:
        return fluent == f"(at {state})"


MOVES = (("a", "b"), ("a", "b", "c"), ("b",))
PAIRS = [(state, move) for state, moves in enumerate(MOVES) for move in moves]
TOY = Toy()


def formula_of(pairs: int) -> Formula:
    """The formula that allows these pairs of state and move (a bit each)."""
    found: Formula = Not(True_())
    for bit, (state, move) in enumerate(PAIRS):
        if pairs >> bit & 1:
            found = Or(found, And(True_(f"(at {state})"), Does(move)))
    return found


def pairs_of(formula: Formula) -> int:
    return sum(formula.allows(TOY, state, "i", move) << bit for bit, (state, move) in enumerate(PAIRS))


STATES = [sum(1 << bit for bit, (at, _) in enumerate(PAIRS) if at == state) for state in range(len(MOVES))]


def first_else_of(f: int, g: int) -> int:
    return sum(f & here or g & here for here in STATES)


def both_of(f: int, g: int) -> int:
    return sum(f & g & here or f & here for here in STATES)


def test_formulas_denote_what_they_are_made_of() -> None:
    assert all(pairs_of(formula_of(pairs)) == pairs for pairs in range(64))


@pytest.mark.slow
def test_the_two_combinations_on_all_pairs_of_strategies() -> None:
    formulas = [formula_of(pairs) for pairs in range(64)]
    for f, g in itertools.product(range(64), repeat=2):
        assert pairs_of(first_else(formulas[f], formulas[g])) == first_else_of(f, g)
        assert pairs_of(both(formulas[f], formulas[g])) == both_of(f, g)


def associative_triples(moves: int) -> int:
    """How many triples of sets of so many moves of one state are associative under `both`, with Python's sets."""
    subsets = [frozenset(one) for n in range(moves + 1) for one in itertools.combinations(range(moves), n)]
    return sum(
        ((f & g or f) & h or (f & g or f)) == (f & (g & h or g) or f)
        for f, g, h in itertools.product(subsets, repeat=3)
    )


def test_which_combination_is_associative() -> None:
    """`first_else` is; `both` is not, in 29,024 of all 262,144 triples. States are independent of each other."""
    f, g, h = np.meshgrid(*[np.arange(64)] * 3, indexing="ij")
    failures = 64**3 - math.prod(associative_triples(len(moves)) for moves in MOVES)
    assert failures == 29_024
    for rule, expected in ((first_else_of, 0), (both_of, failures)):
        table = np.array([[rule(one, other) for other in range(64)] for one in range(64)])
        assert (table[table[f, g], h] != table[f, table[g, h]]).sum() == expected


def test_modes() -> None:
    game = negotiating(2)
    propose = "(propose d d)"
    offered = True_("(offer d d)")
    assert IfPlayed(propose, Does(propose)).allows(game, game.first, "a1", "(propose c c)")
    assert After(propose, offered).allows(game, game.first, "a1", None)
    assert not After("(propose c c)", offered).allows(game, game.first, "a1", None)
    assert not After("accept", True_()).allows(game, game.first, "a1", None)  # not legal: no state after it
    assert Legal("a1", propose).allows(game, game.first, "a2", None)
    assert not Legal("a1", "accept").allows(game, game.first, "a1", None)
    only = Restricted(Does(propose), Legal("a1", "(propose c c)"))
    assert not only.allows(game, game.first, "a1", propose)
    assert moves_of(And(True_(), After(propose, True_())), game, game.first, "a1") == game.legal(game.first)["a1"]


def test_after_asks_for_all_moves_of_the_others() -> None:
    game = game_of("prisoners")
    assert After("c", True_("done")).allows(game, game.first, "a1", None)
    assert not After("c", True_("(played a2 c)")).allows(game, game.first, "a1", None)
