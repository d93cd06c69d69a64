"""The definitions of the dominance note (agent utterances in dialogue of cooperative negotiation)."""

from __future__ import annotations

from negstats.games.dominance import (
    ANY,
    RELATIONS,
    Preferences,
    Relation,
    Statement,
    Value,
    acceptable,
    reaction,
    restaurants,
)
from negstats.games.dominance.statements import own_order
from negstats.simulate.dominance import Accept, Booking, Propose, Reject, StatePreference, Utterance, agent_of
from negstats.simulate.dominance.agent import Memory
from negstats.simulate.dominance.words import ask_openly, state
from tests.papers.definitions.quotes import quotes

LIKES = Preferences.in_order(restaurants())
CUISINES = ("french", "italian", "japanese", "mexican")
SCORES = dict(zip(CUISINES, (3, 1, -1, -3), strict=True))
BEST = ("french", "cheap", "quiet")


def accepts(relation: Relation, *stated: Statement) -> set[str]:
    return {name for name in CUISINES if acceptable(LIKES, relation, stated, Value("cuisine", name))}


def says(relation: str, heard: Utterance) -> Utterance:
    """What a fresh agent says first."""
    return agent_of(relation, LIKES).candidates(Memory().heard(heard), heard)[0]


@quotes("dominance.definition.acceptable.dominant", "score(v) > 0.7 × bestScore")
def test_acceptable_to_a_dominant_agent() -> None:
    assert accepts("dominant") == {name for name, score in SCORES.items() if score > 0.7 * 3}


@quotes("dominance.definition.acceptable.peer", "score(v) > 0")
def test_acceptable_to_a_peer() -> None:
    assert accepts("peer") == {name for name, score in SCORES.items() if score > 0}


@quotes("dominance.definition.acceptable.submissive", "score(v) > 0 or inOAS(v)")
def test_acceptable_to_a_submissive_agent() -> None:
    assert accepts("submissive") == {"french", "italian"}
    assert accepts("submissive", Statement("cuisine", "mexican", "french")) == {"french", "italian", "mexican"}


@quotes("dominance.definition.statement.most", "v is what I like best")
def test_the_notation_of_what_is_liked_best() -> None:
    assert reaction(LIKES, (), Statement("cuisine", "italian", "french")) == Statement("cuisine", ANY, "french")


@quotes("dominance.definition.statement.least", "v is what I like least")
def test_the_notation_of_what_is_liked_least() -> None:
    assert reaction(LIKES, (), Statement("cuisine", "japanese", "mexican")) == Statement("cuisine", "mexican", ANY)


@quotes("dominance.definition.compute", "the agent's own order of the two")
def test_compute_preference() -> None:
    for pair in (("french", "mexican"), ("mexican", "french")):
        assert own_order(LIKES, "cuisine", *pair) == Statement("cuisine", "mexican", "french")


@quotes("dominance.definition.react.1", "the best value is called the best, the worst the worst, once")
def test_the_first_steps_of_react_to_user() -> None:
    heard, best = Statement("price", "expensive", "cheap"), Statement("price", ANY, "cheap")
    assert reaction(LIKES, (), heard) == best
    assert reaction(LIKES, (best,), heard) == Statement("price", "expensive", ANY)


@quotes("dominance.definition.react.2", "the agent's own order of the two values, if it has not said so")
def test_the_next_step_of_react_to_user() -> None:
    said = (Statement("price", ANY, "cheap"), Statement("price", "expensive", ANY))
    heard = Statement("price", "cheap", "moderate")
    assert reaction(LIKES, said, heard) == Statement("price", "moderate", "cheap")
    assert reaction(LIKES, (*said, Statement("price", "moderate", "cheap")), heard) != Statement(
        "price", "moderate", "cheap"
    )


@quotes(
    "dominance.definition.tree.state",
    "propose what the user prefers if it is acceptable; otherwise state a preference",
)
def test_the_tree_of_state_preference() -> None:
    heard = state(Statement("cuisine", "french", "italian"))
    assert says("peer", heard) == Propose(Value("cuisine", "italian"))
    assert isinstance(says("dominant", heard), StatePreference)


@quotes("dominance.definition.tree.ask", "state a preference")
def test_the_tree_of_ask_preference() -> None:
    for relation in RELATIONS:
        assert says(relation, ask_openly("price")) == StatePreference("price", ANY, "cheap")


@quotes(
    "dominance.definition.tree.propose",
    "accept it if it is acceptable; otherwise the dominant agent proposes another, the submissive one states a "
    "preference, the peer rejects",
)
def test_the_tree_of_propose_a_value() -> None:
    french, mexican = (Value("cuisine", name) for name in ("french", "mexican"))
    assert {says(relation, Propose(french)) for relation in RELATIONS} == {Accept(french)}
    assert says("dominant", Propose(mexican)) == Propose(french)
    assert says("submissive", Propose(mexican)) == StatePreference("cuisine", "mexican", "french")
    assert says("peer", Propose(mexican)) == Reject(mexican)


@quotes(
    "dominance.definition.tree.option",
    "book it if it is acceptable; otherwise the dominant agent proposes another, the submissive one states a "
    "preference, the peer rejects",
)
def test_the_tree_of_propose_an_option() -> None:
    worthless = ("japanese", "moderate", "quiet")
    assert {says(relation, Propose(BEST)) for relation in RELATIONS} == {Booking(BEST)}
    assert says("dominant", Propose(worthless)) == Propose(BEST)
    assert says("submissive", Propose(worthless)) == StatePreference("cuisine", "japanese", "french")
    assert says("peer", Propose(worthless)) == Reject(worthless)


@quotes("dominance.definition.tree.accept", "propose an option, or open the next criterion")
def test_the_tree_of_accept_a_value() -> None:
    heard = Accept(Value("cuisine", "french"))
    assert says("dominant", heard) == says("peer", heard) == Propose(BEST)
    assert says("submissive", heard) == ask_openly("price")


@quotes("dominance.definition.tree.booking", "ask to book it")
def test_the_tree_of_accept_an_option() -> None:
    assert {says(relation, Accept(BEST)) for relation in RELATIONS} == {Booking(BEST)}


@quotes(
    "dominance.definition.tree.reject",
    "the dominant agent insists on its best value, the peer states a preference, the submissive one asks",
)
def test_the_tree_of_reject_a_value() -> None:
    heard = Reject(Value("cuisine", "french"))
    assert says("dominant", heard) == Propose(Value("cuisine", "french"))
    assert says("peer", heard) == StatePreference("cuisine", ANY, "french")
    assert says("submissive", heard) == ask_openly("cuisine")
