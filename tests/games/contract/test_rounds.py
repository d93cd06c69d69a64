"""A round of offers against all that players could offer instead, whatever exchanges lead to."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest

from negstats.games.contract.rounds import Bid, Play, Rank, customer_offers, providers_offer, rank


class Table:
    """Exchanges with one provider in a list."""

    def __init__(self, bids: list[Bid]) -> None:
        self.bids = bids

    def beating(self, standing: Rank) -> Bid | None:
        above = [bid for bid in self.bids if rank(bid.play, bid.provider) > standing]
        return max(above, key=lambda bid: (bid.play.values[bid.provider], rank(bid.play, bid.provider)), default=None)

    def dearest(self, least: float) -> Bid | None:
        better = [bid for bid in self.bids if bid.play.values[bid.provider] > least]
        return max(better, key=lambda bid: rank(bid.play, bid.provider), default=None)


def random_round(rng: np.random.Generator, providers: int) -> tuple[Play, dict[int, Table]]:
    """Return any values at all, many of them ties: a provider may care on what terms another one deals."""

    def play() -> Play:
        return Play(tuple(map(float, rng.integers(0, 5, providers + 1))), 0)

    tables = {
        provider: Table([Bid(provider, play(), (number,)) for number in range(rng.integers(0, 7))])
        for provider in range(1, providers + 1)
    }
    return play(), tables


def choice(without: Play, bids: list[Bid]) -> Play:
    """What the customer makes of the offers on the table."""
    ranked = [(rank(bid.play, bid.provider), bid.play) for bid in bids]
    return max([*ranked, (rank(without), without)])[1]


@pytest.mark.slow
@pytest.mark.parametrize("providers", [1, 2, 3, 4])
def test_no_provider_gains_by_another_offer(providers: int) -> None:
    rng = np.random.default_rng([8, providers])
    deals = 0
    for _ in range(2000):
        without, tables = random_round(rng, providers)
        placed, accepted = providers_offer(without, tables)
        outcome = choice(without, list(placed.values()))
        assert outcome.values == (without if accepted is None else accepted.play).values
        assert all(bid.provider == provider and bid in tables[provider].bids for provider, bid in placed.items())
        deals += accepted is not None
        for provider, table in tables.items():
            others = [bid for bid in placed.values() if bid.provider != provider]
            for instead in [[], *([bid] for bid in table.bids)]:
                result = choice(without, others + instead)
                assert result.values[provider] <= outcome.values[provider]
    assert deals > 200


def test_losers_offer_what_they_would_rather_see_accepted() -> None:
    # Two providers with one pie each of ten, the first goes without for 3, the second for 5.
    without = Play((0.0, 3.0, 5.0), 0)
    tables = {
        1: Table([Bid(1, Play((float(k), 10.0 - k, 5.0), 1), (k,)) for k in range(11)]),
        2: Table([Bid(2, Play((float(k), 3.0, 10.0 - k), 2), (k,)) for k in range(11)]),
    }
    placed, accepted = providers_offer(without, tables)
    # The second offers at most 4 (6 is left, more than 5). So much is enough for the first: all get more together.
    assert placed[2].exchange == (4,)
    assert accepted is not None
    assert (accepted.provider, accepted.exchange) == (1, (4,))


@pytest.mark.parametrize(
    ("first", "second", "provider"),
    [
        ((5.0, 4.0, 1.0), (5.0, 1.0, 5.0), 2),
        ((5.0, 4.0, 1.0), (5.0, 1.0, 4.0), 1),
        ((4.0, 9.0, 0.0), (5.0, 1.0, 2.0), 2),
    ],
    ids=["the larger sum", "the first", "the customer's value comes first"],
)
def test_ties(first: tuple[float, ...], second: tuple[float, ...], provider: int) -> None:
    without = Play((0.0, 0.0, 0.0), 0)
    tables = {1: Table([Bid(1, Play(first, 1), ())]), 2: Table([Bid(2, Play(second, 2), ())])}
    _, accepted = providers_offer(without, tables)
    asked = customer_offers(without, tables)
    assert accepted is not None
    assert asked is not None
    assert accepted.provider == asked.provider == provider


def test_an_offer_comes_before_going_without_and_a_larger_sum_before_both() -> None:
    without = Play((5.0, 1.0), 0)
    for values, taken in [((5.0, 2.0), True), ((4.0, 9.0), False), ((5.0, 1.0), False)]:
        offer = customer_offers(without, {1: Table([Bid(1, Play(values, 1), ())])})
        assert (offer is not None) == taken


def test_a_provider_that_does_not_gain_does_not_accept() -> None:
    without = Play((0.0, 2.0), 0)
    table = {1: Table([Bid(1, Play((9.0, 2.0), 1), ()), Bid(1, Play((1.0, 3.0), 1), ())])}
    offer = customer_offers(without, table)
    assert offer is not None
    assert offer.play.values == (1.0, 3.0)
    assert fsum(offer.play.values) == 4
    assert providers_offer(without, table)[1] == offer


def test_nothing_to_offer() -> None:
    assert providers_offer(Play((0.0, 0.0), 0), {1: Table([])}) == ({}, None)
    assert customer_offers(Play((0.0, 0.0), 0), {1: Table([])}) is None
