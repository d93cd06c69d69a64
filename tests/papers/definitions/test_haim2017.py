"""The definitions of haim2017 (Haim, Gal, An and Kraus 2017)."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from negstats import metrics
from negstats.estimate import acceptance_threshold
from negstats.games.contract import (
    Offer,
    State,
    Utility,
    benefit,
    committed_to,
    is_commitment,
    solve,
    study_game,
    three_squares,
)
from negstats.simulate.contract.equilibrium_seats import sp_rapd
from tests.papers.definitions.quotes import quotes

GAME = study_game()
SOLUTION = solve(GAME)
GIVES, TAKES = (0, 0, 7, 33), (0, 11, 0, 0)
HUMANS = pd.DataFrame(
    {"game_id": "g", "player": ["CS", "G", "Y"], "role": ["customer", "provider_g", "provider_y"], "kind": "human"}
)


def frame(*rows: tuple[str, int, str]) -> pd.DataFrame:
    """Offers in the one game of humans: who offers, net chips to the customer, and the answer."""
    seats, net, responses = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            "game_id": "g",
            "offer": range(len(rows)),
            "proposer": seats,
            "units_to_responder": net,
            "units_to_proposer": 0,
            "response": responses,
        }
    )


@quotes("haim2017.definition.possible", "both sides hold the chips that the offer moves")
def test_a_possible_offer() -> None:
    assert GAME.is_possible(GAME.start, Offer(1, GIVES, TAKES))
    assert not GAME.is_possible(GAME.start, Offer(1, (0, 0, 8, 33), TAKES))  # the provider has seven purple chips
    assert not GAME.is_possible(GAME.start, Offer(1, GIVES, (0, 13, 0, 0)))  # the customer has twelve yellow ones


@quotes(
    "haim2017.definition.customer",
    "what the customer ranks highest among the offers that their provider prefers to going without, if it ranks that "
    "above going without itself",
)
def test_the_customers_preferred_offer() -> None:
    game = three_squares({"gray": 1, "yellow": 1}, {}, {})
    solution, state = solve(game), game.start._replace(odd=False)
    [offer] = solution.offer(state)
    no_deal = solution.value(game.accept(state, None))
    deal = solution.value(game.accept(state, offer))
    assert deal[offer.provider] > no_deal[offer.provider]
    assert deal[0] > no_deal[0]
    for provider in game.providers:
        for other in game.possible_offers(state, provider):
            values = solution.value(game.accept(state, other))
            if values[provider] > no_deal[provider]:
                assert values[0] <= deal[0]


@quotes(
    "haim2017.definition.provider.1",
    "the customer ranks it above every offer that the other provider would rather see accepted",
)
def test_condition_1_of_a_providers_preferred_offer() -> None:
    offers = SOLUTION.offer(GAME.start)
    winner = SOLUTION.response(GAME.start, offers)
    assert winner is not None
    [loser] = [offer for offer in offers if offer != winner]
    own = SOLUTION.value(GAME.accept(GAME.start, winner))
    # One chip more would be ranked above the winner; the loser would rather see the winner's accepted than give it.
    more = loser._replace(to_provider=(10, 0, 0, 0))
    assert not is_commitment(GAME, GAME.start, more)
    assert SOLUTION.value(GAME.accept(GAME.start, loser))[0] <= own[0]


@quotes("haim2017.definition.provider.2", "what is better for the provider loses to an offer of the other")
def test_condition_2_of_a_providers_preferred_offer() -> None:
    offers = SOLUTION.offer(GAME.start)
    less = Offer(1, (0, 0, 7, 32), TAKES)  # a chip fewer is better for SP_g
    assert SOLUTION.value(GAME.accept(GAME.start, less))[1] > SOLUTION.value(GAME.accept(GAME.start, offers[0]))[1]
    assert SOLUTION.response(GAME.start, (less, offers[1])) == offers[1]


@quotes(
    "haim2017.definition.provider.3",
    "a provider that cannot meet condition 1 offers the most that it would rather see accepted than the other's offer",
)
def test_condition_3_of_a_providers_preferred_offer() -> None:
    offers = SOLUTION.offer(GAME.start)
    winner = SOLUTION.response(GAME.start, offers)
    [loser] = [offer for offer in offers if offer != winner]
    # SP_y loses and still offers all its chips for eleven: its goal is worth more to it than they are.
    assert (sum(loser.to_customer), sum(loser.to_provider)) == (40, 11)
    values = [SOLUTION.value(GAME.accept(GAME.start, offer)) for offer in (loser, winner)]
    assert values[0][loser.provider] > values[1][loser.provider]


@quotes(
    "haim2017.definition.commitment",
    "before the offer the customer is committed to nobody; after it the chips that any path to the other provider's "
    "goal needs are not contained in those of the customer and that provider together",
)
def test_a_commitment() -> None:
    commits, does_not = (Offer(1, GIVES, (0, yellow, 0, 0)) for yellow in (11, 10))
    assert is_commitment(GAME, GAME.start, commits)
    assert not is_commitment(GAME, GAME.start, does_not)
    after = GAME.move(GAME.accept(GAME.start, commits), ())
    assert committed_to(GAME, after) == (1,)
    back = Offer(1, (0, 0, 0, 0), (0, 0, 0, 1))
    assert not is_commitment(GAME, after, back)  # the customer is committed already


@quotes("haim2017.definition.path", "a path to a goal before none, to yellow before gray, then the shorter one")
def test_the_customers_preferred_path() -> None:
    alone = GAME.accept(State((5, 4), GAME.chips, odd=False, idle=1), None)
    path = SOLUTION.path(alone)
    assert path[0] == (5, 5)  # both goals are nine steps away and worth the same: the way to yellow
    game = three_squares({"gray": 1, "yellow": 1}, {}, {})
    assert solve(game).path(game.accept(game.start._replace(odd=False), None)) == ((0, 2),)


@quotes(
    "haim2017.definition.providers",
    "condition 1 against every other provider; a better offer must lose to some other provider's",
)
def test_preferred_offers_of_three_providers() -> None:
    from negstats.games.contract import Board, Game

    board = Board.parse(".b.\ng.y", {"g": "gray", "y": "yellow", "b": "blue"}, start=(1, 1),
                        goals=((1, 0), (1, 2), (0, 1)))  # fmt: skip
    game = Game.of(board, {"gray": 1, "yellow": 1, "blue": 1}, [{"red": 4}] * 3, dormant_after=1)
    solution, state = solve(game), game.start
    offers = solution.offer(state)
    winner = solution.response(state, offers)
    assert winner is not None
    own = winner.provider
    worth = solution.value(game.accept(state, winner))[own]
    rivals = [other for other in offers if other.provider != own]
    for offer in game.possible_offers(state, own):
        if solution.value(game.accept(state, offer))[own] > worth:
            assert solution.response(state, (offer, *rivals)) != offer


@quotes(
    "haim2017.definition.score", "5 points a chip; 150 more to the customer and to the provider whose goal it reached"
)
def test_scores() -> None:
    at_gray = State((0, 0), ((1, 2, 0, 0), (0, 0, 7, 33), (0, 0, 7, 33)), odd=False)
    assert GAME.scores(at_gray) == (15 + 150, 200 + 150, 200)
    assert GAME.scores(at_gray._replace(square=(5, 4))) == (15, 200, 200)


@quotes("haim2017.definition.end", "the customer stands on a goal, or has not moved for two rounds")
def test_the_end_of_a_game() -> None:
    assert not GAME.ended(GAME.start)
    assert GAME.ended(GAME.start._replace(square=(0, 8)))
    once = GAME.move(GAME.accept(GAME.start, None), ())
    twice = GAME.move(GAME.accept(once, None), ())
    assert (GAME.ended(once), GAME.ended(twice)) == (False, True)


@quotes("haim2017.definition.ties", "offers go first to the larger sum of utilities, then to SP_g")
def test_ties_between_offers() -> None:
    offers = SOLUTION.offer(GAME.start)
    values = [SOLUTION.value(GAME.accept(GAME.start, offer)) for offer in offers]
    assert values[0][0] == values[1][0]
    assert sum(values[0]) == sum(values[1])
    assert SOLUTION.response(GAME.start, offers[::-1]) == offers[0]
    game = three_squares({}, {"gray": 1}, {"yellow": 1})
    deals = solve(game).offer(game.start)
    sums = [sum(solve(game).value(game.accept(game.start, deal))) for deal in deals]
    accepted = solve(game).response(game.start, deals)
    assert accepted == deals[0]
    assert sums[0] >= sums[1]


@quotes("haim2017.definition.competitiveness", "the chips that the proposer asks less those that it gives")
def test_competitiveness() -> None:
    units = {"units_to_proposer": [40, 11], "units_to_responder": [11, 40]}
    offers = pd.DataFrame({"game_id": "g", "offer": [1, 2], "proposer": ["CS", "Y"], **units})
    assert metrics.competitiveness(offers)["competitiveness"].tolist() == [29, -29]


@quotes("haim2017.definition.generosity", "the chips that the proposer gives less those that it asks")
def test_generosity() -> None:
    units = {"units_to_proposer": [11], "units_to_responder": [21]}
    offers = pd.DataFrame({"game_id": "g", "offer": [1], "proposer": "Y", **units})
    assert metrics.generosity(offers)["generosity"].tolist() == [10]


@quotes("haim2017.definition.benefit", "the change of the player's score if the offer is carried out")
def test_benefit() -> None:
    offer = Offer(2, to_customer=(0, 0, 7, 14), to_provider=(11, 0, 0, 0))
    after = GAME.accept(GAME.start, offer)
    before, then = (GAME.scores(GAME.start), GAME.scores(after))
    assert [benefit(offer, player) for player in range(3)] == [b - a for a, b in zip(before, then, strict=True)]


@quotes("haim2017.definition.pr", "the share of human-only games of a country in which the customer reached a goal")
def test_pr() -> None:
    games = pd.DataFrame({"game_id": ["a", "b", "c"], "country": "China"})
    players = pd.concat([HUMANS.assign(game_id=name, reached_goal=None) for name in "abc"], ignore_index=True)
    players.loc[players["role"] == "customer", "reached_goal"] = [True, False, True]
    players.loc[players.index[-1], "kind"] = "agent"  # game c is not of humans only
    players["reached_goal"] = players["reached_goal"].astype("boolean")
    rate = metrics.goal_rate(players, games, "country", role="customer", humans_only=True).iloc[0]
    assert (rate["count"], rate["n"]) == (1, 2)


@quotes("haim2017.definition.utility", "1 - exp(-alpha u), with the chance pr that the customer gets to the goal")
def test_the_utility_of_sp_rap() -> None:
    pr, alpha = 0.6, 0.0195
    worth = Utility(pr, alpha).worth(success=350, failure=200)
    expected = pr * -math.expm1(-alpha * 350) + (1 - pr) * -math.expm1(-alpha * 200)
    assert -math.expm1(-alpha * worth) == pytest.approx(expected, abs=1e-12)


@quotes(
    "haim2017.definition.threshold.1", "the least benefit such that all human offers with at least it were accepted"
)
def test_condition_1_of_the_threshold() -> None:
    rows = [("Y", net, "accepted" if net >= 8 else "rejected") for net in (2, 4, 6, 8, 10, 12)]
    threshold = acceptance_threshold(frame(*rows, ("G", 1, "accepted")), HUMANS, "provider_y", points_per_unit=5)
    assert threshold.answered_always == 40


@quotes("haim2017.definition.threshold.2", "it is at least as generous as the mean human offer of the other provider")
def test_condition_2_of_the_threshold() -> None:
    rows = [("Y", net, "accepted" if net >= 8 else "rejected") for net in (2, 4, 6, 8, 10, 12)]
    threshold = acceptance_threshold(
        frame(*rows, ("G", 10, "accepted"), ("G", 14, "accepted")), HUMANS, "provider_y", points_per_unit=5
    )
    assert (threshold.as_generous, threshold.benefit) == (60, 60)


@quotes("haim2017.definition.sp-rapd", "if ... exists; otherwise, it does not make any offer")
def test_sp_rapds_offer() -> None:
    made, none, too_much = (
        sp_rapd(GAME, 2, pr=pr, alpha=0.0195, benefit=points).offer(GAME.start)
        for pr, points in ((5 / 6, 50), (9 / 15, 50), (9 / 15, 140))
    )
    assert made is not None
    assert (sum(made.to_customer), sum(made.to_provider)) == (21, 11)
    assert none is None
    assert too_much is None


@quotes(
    "haim2017.definition.end-rate", "its last accepted offer is a commitment, and its customer then went to the goal"
)
def test_a_game_that_ended_with_a_commitment() -> None:
    games = pd.DataFrame({"game_id": ["a", "b", "c"], "condition": "HvsH"})
    players = pd.concat([HUMANS.assign(game_id=name, reached_goal=None) for name in "abc"], ignore_index=True)
    players.loc[players["role"] == "customer", "reached_goal"] = [True, False, True]
    players["reached_goal"] = players["reached_goal"].astype("boolean")
    offers = pd.DataFrame(
        {
            "game_id": ["a", "a", "b", "c", "c"],
            "offer": [1, 2, 1, 1, 2],
            "response": ["rejected", "accepted", "accepted", "accepted", "accepted"],
            "commitment": pd.array([False, True, True, True, False], dtype="boolean"),
        }
    )
    ended = metrics.ended_with_commitment(offers, players).set_index("game_id")["ended_with_commitment"]
    assert ended.astype(bool).to_dict() == {"a": True, "b": False, "c": False}
    assert metrics.commitment_rate(offers, players, games)["count"].tolist() == [1]
