"""One round of offers, once it is known what each offer would lead to.

The customer ranks what may be accepted by its own value, then by the sum of all players' values, then by the provider's
number, the first first; carrying on without a deal comes after every offer with the same values (haim2017 breaks ties
so). A provider takes an offer only if that is worth more to it than going without: with 200 points for certain SP_g of
the study's board does not sell its goal for 200.

**The customer offers** (Definition 2): what it ranks highest among the exchanges that their provider prefers to going
without, if it ranks that above going without itself.

**The providers offer** (Definition 3, for n providers Definition 6), read as: provider i's preferred offer is the best
for i among those that the customer ranks above (1) every offer that another provider would rather see accepted than
i's. What is better for i loses to another provider's offer (2). A provider who cannot meet (1) offers the most that it
would rather see accepted than the winner's. Such offers are found as an auction: whoever prefers to beat the standing
offer bids its own best exchange that beats it, until nobody does.

*The auction ends, and its end is an equilibrium of the round.* The rank of the standing offer rises with each bid, and
there are finitely many exchanges. At the end no loser prefers any exchange that the customer ranks above the winner's;
those that rank below change nothing. The winner's is its best among those that beat the highest losing bid, and it
preferred that to letting this bid stand. The losers' bids are then replaced by the most that they would rather see
accepted (all below the winner's rank), unless the winner would now do better with another exchange or by losing: that
takes a provider to whom it matters on what terms another one deals.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, inf
from typing import NamedTuple, Protocol

from negstats.games.contract.board import Chips

Rank = tuple[float, float, float]


class Play(NamedTuple):
    """How a game ends from somewhere on, if all play on as in equilibrium.

    Attributes
    ----------
    values
        What it is worth to each player, in points.
    goal
        The provider to whose goal the customer walks at last; 0 if to none.
    """

    values: tuple[float, ...]
    goal: int


class Bid(NamedTuple):
    """An exchange with a provider, and what it leads to. `exchange` is for whoever made the bid to tell which it is."""

    provider: int
    play: Play
    exchange: Chips


class Bids(Protocol):
    """All the exchanges that are considered with one provider."""

    def beating(self, standing: Rank) -> Bid | None:
        """Return the provider's best exchange of those that the customer ranks above `standing`."""

    def dearest(self, least: float) -> Bid | None:
        """Return what the customer ranks highest of the exchanges that are worth more than `least` to the provider."""


def rank(play: Play, provider: int = 0) -> Rank:
    """Return how the customer ranks a provider's offer that leads to `play`; provider 0 is going without."""
    return play.values[0], fsum(play.values), -provider if provider else -inf


def customer_offers(without: Play, bids: Mapping[int, Bids]) -> Bid | None:
    """Return the customer's preferred offer, which is accepted; None if it prefers to go without."""
    offers = [bid for provider, choice in bids.items() if (bid := choice.dearest(without.values[provider])) is not None]
    best = max(offers, key=lambda bid: rank(bid.play, bid.provider), default=None)
    return best if best is not None and rank(best.play, best.provider) > rank(without) else None


def providers_offer(without: Play, bids: Mapping[int, Bids]) -> tuple[dict[int, Bid], Bid | None]:
    """Return the providers' preferred offers, and which of them is accepted; None if going without is."""
    offers: dict[int, Bid] = {}
    winner: Bid | None = None
    best_play, highest = without, rank(without)
    # An ascending auction: each bid beats the one before it, until nobody bids more.
    while (bid := _next_bid(best_play, highest, bids, winner)) is not None:
        offers[bid.provider] = winner = bid
        best_play, highest = bid.play, rank(bid.play, bid.provider)
    if winner is None:
        return {}, None
    # The best for themselves that the others can offer without winning, if it is better than no deal.
    losing = {
        provider: bid
        for provider, choice in bids.items()
        if provider != winner.provider
        and (bid := choice.dearest(best_play.values[provider])) is not None
        and rank(bid.play, provider) > rank(without)
    }
    second_best = max(
        [(rank(without), without), *((rank(bid.play, provider), bid.play) for provider, bid in losing.items())]
    )
    # Against these the winner could offer less: if it gained by that, the auction's bids have to stand.
    cheaper = bids[winner.provider].beating(second_best[0])
    alternatives = [second_best[1], *([cheaper.play] if cheaper is not None else [])]
    if any(play.values[winner.provider] > best_play.values[winner.provider] for play in alternatives):
        return offers, winner
    return {**losing, winner.provider: winner}, winner


def _next_bid(best_play: Play, highest: Rank, bids: Mapping[int, Bids], winner: Bid | None) -> Bid | None:
    for provider, choice in bids.items():
        if winner is None or provider != winner.provider:
            bid = choice.beating(highest)
            if bid is not None and bid.play.values[provider] > best_play.values[provider]:
                return bid
    return None
