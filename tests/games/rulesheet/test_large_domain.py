"""The large domain without listing it: against listing where that can be done, and bids as paths of moves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.errors import DesignError, NotEstimable
from negstats.games import pareto_optimal, rulesheet
from negstats.games.bargaining import egalitarian, kalai_smorodinsky, nash
from tests.games.rulesheet.sheets import game_of, rules_of

Numbers = npt.NDArray[Any]


def listed(sizes: list[int]) -> Numbers:
    return np.array(list(itertools.product(*map(range, sizes))))


def totals_of(worths: Sequence[Numbers], contracts: Numbers) -> Numbers:
    return np.asarray(sum(np.asarray(table)[contracts[:, i]] for i, table in enumerate(worths)))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("issues", "values"), [(3, 4), (2, 8), (6, 2), (5, 10)])
@pytest.mark.parametrize("seed", [1, 2])
def test_dynamic_programming_is_as_good_as_listing(issues: int, values: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    own, partner = rng.integers(0, 9, (2, issues, values))
    totals = rulesheet.Totals(list(own), list(partner))
    contracts = listed([values] * issues)
    mine, theirs = totals_of(list(own), contracts), totals_of(list(partner), contracts)
    for total in range(mine.max() + 1):
        there = theirs[mine == total]
        assert totals.best[total] == (there.max() if len(there) else -1)
        if len(there):
            contract = np.array([totals.contract(total)])
            assert totals_of(list(own), contract) == total
            assert totals_of(list(partner), contract) == there.max()
        enough = theirs[mine >= total]
        assert totals_of(list(partner), np.array([totals.at_least(total)])) == enough.max()
    points = np.column_stack([mine, theirs])
    frontier = np.unique(points[pareto_optimal(points)], axis=0)
    assert np.array_equal(totals.frontier(), frontier)
    added, chosen = rulesheet.additive_frontier(list(own), list(partner))
    assert np.array_equal(added, frontier)
    assert np.array_equal(totals_of(list(own), np.array(chosen)), added[:, 0])
    for solution in (nash, egalitarian, kalai_smorodinsky):
        best = {tuple(points[i]) for i in solution(points, [0, 0])} & set(map(tuple, frontier))
        assert best == {tuple(frontier[i]) for i in solution(frontier, [0, 0])}


@pytest.mark.slow
@given(
    worths=st.lists(
        st.lists(st.tuples(st.integers(-8, 8), st.integers(-8, 8)), min_size=1, max_size=4), min_size=1, max_size=4
    )
)
@settings(max_examples=60)
def test_a_frontier_of_real_worths_is_that_of_all_sums(worths: list[list[tuple[int, int]]]) -> None:
    own = [np.array([pair[0] for pair in issue]) / 4 for issue in worths]
    partner = [np.array([pair[1] for pair in issue]) / 4 for issue in worths]
    contracts = listed([len(issue) for issue in worths])
    points = np.column_stack([totals_of(own, contracts), totals_of(partner, contracts)])
    found, chosen = rulesheet.additive_frontier(own, partner)
    assert np.array_equal(found, np.unique(points[pareto_optimal(points)], axis=0))
    assert np.array_equal(totals_of(partner, np.array(chosen)), found[:, 1])


def random_boxes(rng: np.random.Generator, sizes: list[int], number: int, least: int) -> rulesheet.Boxes:
    boxes = []
    for _ in range(number):
        allows = {}
        for issue in rng.choice(len(sizes), size=int(rng.integers(0, len(sizes))), replace=False).tolist():
            low, high = sorted(rng.integers(0, sizes[issue], size=2).tolist())
            allows[issue] = frozenset(range(low, high + 1))
        boxes.append(rulesheet.Box(int(rng.integers(least, 20)), allows))
    return rulesheet.Boxes(boxes, sizes)


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), negative=st.booleans())
def test_the_best_contract_of_boxes_is_as_good_as_listing(seed: int, negative: bool) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, size=4).tolist()
    own, partner = (random_boxes(rng, sizes, 10, -15 if negative else 1) for _ in range(2))
    contracts = [tuple(row) for row in listed(sizes).tolist()]
    mine, theirs = (np.array([one.value(contract) for contract in contracts]) for one in (own, partner))
    best = rulesheet.best_contract(own)
    assert best.value == own.value(best.contract) == mine.max()
    assert best.gap == 0
    least = float(np.quantile(theirs, rng.random()))
    both = rulesheet.best_contract(own, partner=partner, at_least=least)
    assert both.value == own.value(both.contract) == mine[theirs >= least].max()
    assert partner.value(both.contract) >= least
    with pytest.raises(NotEstimable, match="pays the partner at least"):
        rulesheet.best_contract(own, partner=partner, at_least=float(theirs.max()) + 1)


@pytest.mark.slow
def test_boxes_of_a_hundred_thousand_contracts() -> None:
    rng = np.random.default_rng(3)
    boxes = random_boxes(rng, [10] * 5, 50, -5)
    contracts = listed([10] * 5)
    held = boxes.inside[boxes.starts + contracts].all(axis=1)
    best = rulesheet.best_contract(boxes)
    assert best.value == (held @ boxes.weights).max()


@pytest.mark.slow
def test_a_search_that_is_stopped_says_how_much_better_it_could_be() -> None:
    rng = np.random.default_rng(1)
    boxes = random_boxes(rng, [10] * 10, 60, 1)
    whole, stopped = rulesheet.best_contract(boxes), rulesheet.best_contract(boxes, time_limit=1e-9)
    assert stopped.nodes < whole.nodes
    assert stopped.value == boxes.value(stopped.contract) <= whole.value <= stopped.value + stopped.gap


def test_ten_thousand_million_contracts() -> None:
    """What cannot be listed: paths, the frontier, and that no contract found is dominated by a random one."""
    domain = rulesheet.Domain.of(rules_of("large domain"))
    assert domain.contracts == 10**10
    own, partner = (list(domain.worths[role]) for role in ("a1", "a2"))
    totals = rulesheet.Totals(own, partner)
    frontier = totals.frontier()
    assert np.array_equal(rulesheet.additive_frontier(own, partner)[0], frontier)
    rng = np.random.default_rng(1)
    contracts = rng.integers(0, 10, (20_000, 10))
    mine, theirs = totals_of(own, contracts), totals_of(partner, contracts)
    assert (theirs <= totals.best[mine]).all()
    for total in (20, 60, 95):
        drawn = np.array([totals.random(total, rng) for _ in range(50)])
        assert (totals_of(own, drawn) >= total).all()
        assert len({tuple(row) for row in drawn.tolist()}) > 20
    assert len(domain.path_to(totals.contract(100))) <= 11


@pytest.mark.slow
def test_random_contracts_are_alike() -> None:
    """Of 64 contracts those worth enough come equally often."""
    rng = np.random.default_rng(1)
    own = rng.integers(0, 4, (3, 4))
    totals, contracts = rulesheet.Totals(list(own), list(own)), listed([4, 4, 4])
    enough = {tuple(row) for row in contracts[totals_of(list(own), contracts) >= 5].tolist()}
    drawn = [totals.random(5, rng) for _ in range(200 * len(enough))]
    counts = np.array([drawn.count(one) for one in enough])
    assert set(drawn) == enough
    assert ((counts - 200) ** 2 / 200).sum() < 2 * len(enough) + 30  # chi-squared, far in its tail


@pytest.mark.slow
@pytest.mark.parametrize("name", ["large domain", "large domain with boxes"])
def test_a_proposal_is_a_path_of_moves(name: str) -> None:
    game = game_of(name)
    contract = (5, 9, 0, 2, 0, 0, 0, 0, 0, 0)
    state = game.first
    path = rulesheet.Domain.of(rules_of(name)).path_to(contract)
    assert path == ["(setvalue 1 5)", "(setvalue 2 9)", "(setvalue 4 2)", "propose"]
    for move in path:
        assert move in game.legal(state)["a1"]
        assert len(game.legal(state)["a1"]) == 101  # no noop, and nothing to accept yet
        state = game.next(state, {"a1": move, "a2": "noop"})
    for issue, value in enumerate(contract, start=1):
        assert game.holds(state, f"(offer {issue} {value})")
        assert game.holds(state, f"(draft {issue} 0)")
    state = game.next(state, {"a1": "noop", "a2": "accept"})
    paid = game.payoffs(state)
    if "boxes" in name:
        worth = {role: rulesheet.Boxes.of(rules_of(name), role).value(contract) for role in game.roles}
    else:
        worth = {role: float(rulesheet.Domain.of(rules_of(name)).worth(role, contract)) for role in game.roles}
    assert paid == worth


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("e", [0.3, 1, 3])
@pytest.mark.parametrize("name", ["large domain", "large domain with boxes", "pie of 10"])
def test_negotiators_agree_and_never_below_what_they_want(name: str, e: float) -> None:
    rules, game = rules_of(name), game_of(name)
    agents = {role: rulesheet.protocol_specific(rules, game, role, e=e) for role in game.roles}
    session = rulesheet.play(game, agents, rng=np.random.default_rng(1))
    assert session.payoffs is not None
    last = max(agent.table.round(session.states[-2]) for agent in agents.values())
    for role, agent in agents.items():
        wanted = rulesheet.aspiration(min(1, (last + 1) / agent.table.rounds), agent.table.best, e=e)
        assert session.payoffs[role] >= wanted - 1
    assert all(by == "player" for step in session.steps for by in step.chosen_by.values())


@pytest.mark.slow
def test_a_negotiator_that_does_not_know_the_partners_worths() -> None:
    rules, game = rules_of("large domain"), game_of("large domain")
    hidden, known = (
        {r: rulesheet.protocol_specific(rules, game, r, rng=rng) for r in game.roles}
        for rng in (np.random.default_rng(1), None)
    )
    sums = [
        sum((rulesheet.play(game, agents, rng=np.random.default_rng(1)).payoffs or {}).values())
        for agents in (hidden, known)
    ]
    assert 0 < sums[0] < sums[1]


@pytest.mark.slow
def test_a_worth_that_is_not_said() -> None:
    text = rulesheet.sheet.large_domain(issues=2, values=2, rounds=2)
    lacking = " ".join(part for part in text.split("\n") if not part.startswith("(worth a2 2"))
    with pytest.raises(DesignError, match="worth of value 0 of issue 2 to a2"):
        rulesheet.Domain.of(rulesheet.parse(lacking))
    assert rulesheet.ground(rulesheet.parse(text)).roles == ("a1", "a2")
