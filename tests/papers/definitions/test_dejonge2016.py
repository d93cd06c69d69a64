"""The definitions of dejonge2016 (de Jonge and Zhang)."""

from __future__ import annotations

import pytest

from negstats.errors import DesignError, NegstatsError
from negstats.games.rulesheet import (
    After,
    And,
    Does,
    IfPlayed,
    Legal,
    Not,
    Or,
    State,
    True_,
    accepted_sets,
    both,
    explore,
    first_else,
    ground,
    moves_of,
    negotiation_game,
    parse,
    sheet,
)
from tests.papers.definitions.quotes import quotes

pytest.importorskip("clingo")
PRISONERS = ground(parse(sheet.prisoners()))
PROTOCOL = ground(parse(sheet.set_offers(2)))
PIE = ground(parse(sheet.alternating_offers(shares=2, rounds=2)))


@quotes(
    "dejonge2016.definition.protocol",
    "it gives each agent a non-empty set of legal actions in each state that is not terminal; the update takes a state "
    "and one action of each",
)
def test_a_protocol() -> None:
    for node in explore(PIE).nodes:
        if node.payoffs is None:
            assert isinstance(node.state, State)
            assert all(PIE.legal(node.state).values())
            assert {len(profile) for profile, _ in node.edges} == {len(PIE.roles)}


@quotes(
    "dejonge2016.definition.negotiation",
    "a commitment function takes terminal states to agreements; without one it is the conflict deal",
)
def test_a_negotiation_protocol() -> None:
    commitment = accepted_sets(PROTOCOL)
    after = PROTOCOL.next(PROTOCOL.first, {"a1": "(propose d d)", "a2": "noop"})
    agreed = PROTOCOL.next(after, {"a1": "noop", "a2": "accept"})
    assert PROTOCOL.over(agreed)
    assert [moves_of(commitment(agreed)[role], PRISONERS, PRISONERS.first, role) for role in PRISONERS.roles] == [
        ("d",),
        ("d",),
    ]


@quotes("dejonge2016.definition.conflict", "the agreement that allows everything")
def test_the_conflict_deal() -> None:
    state = PROTOCOL.first
    while not PROTOCOL.over(state):
        proposes = {
            role: next((m for m in moves if m.startswith("(propose")), moves[0])
            for role, moves in PROTOCOL.legal(state).items()
        }
        state = PROTOCOL.next(state, proposes)
    agreement = accepted_sets(PROTOCOL)(state)
    assert all(moves_of(agreement[role], PRISONERS, PRISONERS.first, role) == ("c", "d") for role in PRISONERS.roles)


@quotes("dejonge2016.definition.game", "a protocol, and a payoff of at least 0 for each agent in each terminal state")
def test_a_game() -> None:
    for node in explore(PIE).nodes:
        if node.payoffs is not None:
            assert set(node.payoffs) == set(PIE.roles)
            assert min(node.payoffs.values()) >= 0
    with pytest.raises(NegstatsError):
        explore(ground(parse("(role a) (init s) (move x) (<= (legal a ?m) (move ?m)) (<= (next e) (does a x)) "
                             "(<= terminal (true e)) (<= (goal a -1) (true e))")))  # fmt: skip


@quotes(
    "dejonge2016.definition.strategy",
    "to each state that is not terminal a non-empty subset of the legal moves; complete where it is always one move, "
    "else partial",
)
def test_a_strategy() -> None:
    assert moves_of(True_(), PRISONERS, PRISONERS.first, "a1") == ("c", "d")  # partial
    assert moves_of(Does("d"), PRISONERS, PRISONERS.first, "a1") == ("d",)  # complete
    with pytest.raises(DesignError, match="no move"):
        moves_of(Not(True_()), PRISONERS, PRISONERS.first, "a1")


@quotes(
    "dejonge2016.definition.negotiation-game",
    "while the protocol goes on, its moves; then only moves that the agreement allows",
)
def test_a_negotiation_game() -> None:
    game = negotiation_game(PROTOCOL, PRISONERS, accepted_sets(PROTOCOL))
    assert game.legal(game.first) == PROTOCOL.legal(PROTOCOL.first)
    state = game.next(game.first, {"a1": "(propose cd d)", "a2": "noop"})
    state = game.next(state, {"a1": "noop", "a2": "accept"})
    assert game.legal(state) == {"a1": ("c", "d"), "a2": ("d",)}


@quotes("dejonge2016.definition.true", "it holds for a state and a move where p is in the state")
def test_the_formula_true() -> None:
    here = True_("(round 0)")
    assert here.allows(PIE, PIE.first, "a1", "(propose 1)")
    later = PIE.next(PIE.first, {"a1": "(propose 1)", "a2": "noop"})
    assert not here.allows(PIE, later, "a1", "noop")


@quotes("dejonge2016.definition.does", "it holds where the move is b")
def test_the_formula_does() -> None:
    assert [Does("c").allows(PRISONERS, PRISONERS.first, "a1", move) for move in ("c", "d")] == [True, False]


@quotes("dejonge2016.definition.legal", "it holds where b is legal for j")
def test_the_formula_legal() -> None:
    assert Legal("a2", "noop").allows(PIE, PIE.first, "a1", "(propose 1)")
    assert not Legal("a2", "accept").allows(PIE, PIE.first, "a1", "(propose 1)")


@quotes("dejonge2016.definition.if-played", "it holds where the formula holds for the move c")
def test_the_formula_if_played() -> None:
    for move in ("c", "d"):
        assert IfPlayed("c", Does("c")).allows(PRISONERS, PRISONERS.first, "a1", move)
        assert not IfPlayed("c", Does("d")).allows(PRISONERS, PRISONERS.first, "a1", move)


@quotes("dejonge2016.definition.after", "it holds where the formula holds in the state after c")
def test_the_formula_after() -> None:
    assert After("(propose 1)", True_("(offer 1)")).allows(PIE, PIE.first, "a1", "(propose 1)")
    assert not After("(propose 1)", True_("(offer 2)")).allows(PIE, PIE.first, "a1", "(propose 1)")


@quotes("dejonge2016.definition.first-else", "play the first where it allows something, otherwise the second")
def test_first_else() -> None:
    assert moves_of(first_else(Does("c"), Does("d")), PRISONERS, PRISONERS.first, "a1") == ("c",)
    assert moves_of(first_else(Does("noop"), Does("d")), PRISONERS, PRISONERS.first, "a1") == ("d",)


@quotes("dejonge2016.definition.both", "what both allow where there is such a move, otherwise the first alone")
def test_both_if_possible() -> None:
    either = Or(Does("c"), Does("d"))
    assert moves_of(both(either, Does("d")), PRISONERS, PRISONERS.first, "a1") == ("d",)
    assert moves_of(both(Does("c"), Does("d")), PRISONERS, PRISONERS.first, "a1") == ("c",)
    assert moves_of(And(either, Does("d")), PRISONERS, PRISONERS.first, "a1") == ("d",)
