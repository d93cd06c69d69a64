"""Equilibrium by plain search: every exchange that is possible is considered. For small games."""

from __future__ import annotations

import itertools
from math import comb, prod

from negstats.games.contract.board import Chips, State, added, subtracted
from negstats.games.contract.rounds import Bid, Bids, Rank, rank
from negstats.games.contract.rules import Game
from negstats.games.contract.search import Search, Walk


class EveryExchange:
    """Consider every exchange; of those worth the same the one that moves the fewest chips."""

    timeless = False

    def bids(self, search: Search, state: State, provider: int) -> Bids:
        """Return all exchanges with the provider."""
        customer_hand, shared_chips = state.chips[0], added(state.chips[0], state.chips[provider])
        offers = _Listed(provider)
        for hand in itertools.product(*[range(count + 1) for count in shared_chips]):
            chips = list(state.chips)
            chips[0], chips[provider] = hand, subtracted(shared_chips, hand)
            play = search.walk(State(state.square, tuple(chips), state.odd, state.idle, moving=True)).play
            travel = sum(map(abs, subtracted(hand, customer_hand)))
            offers.entries.append((rank(play, provider), -travel, Bid(provider, play, hand)))
        return offers

    def settled(self, search: Search, state: State) -> Walk | None:  # noqa: ARG002 - every walk takes a search here
        """Return None: all walks are searched."""
        return None

    def hand(self, search: Search, state: State, bid: Bid) -> Chips:  # noqa: ARG002 - the bid is the hand
        """Return the hand that the bid names."""
        return bid.exchange


class _Listed:
    """Exchanges with one provider in a list."""

    def __init__(self, provider: int) -> None:
        self.provider = provider
        self.entries: list[tuple[Rank, int, Bid]] = []

    def beating(self, rank_to_beat: Rank) -> Bid | None:
        """Return the provider's best of those that rank above."""
        better = [entry for entry in self.entries if entry[0] > rank_to_beat]
        return max(better, key=lambda entry: (self._own(entry[2]), *entry))[2] if better else None

    def dearest(self, least: float) -> Bid | None:
        """Return the highest rank of those worth more to the provider."""
        better = [entry for entry in self.entries if self._own(entry[2]) > least]
        return max(better)[2] if better else None

    def _own(self, bid: Bid) -> float:
        return bid.play.values[self.provider]


def plain_states(game: Game) -> int:
    """Return a bound on how many hands and squares plain search may meet: chips are somebody's or burnt."""
    on_board = {colour for row in game.board.squares for colour in row if colour is not None}
    owners = len(game.chips)
    totals = dict(zip(game.colours, map(sum, zip(*game.chips, strict=True)), strict=True))
    spare = sum(count for colour, count in totals.items() if colour not in on_board)
    arrangements = [comb(totals[colour] + owners, owners) for colour in sorted(on_board)]
    return game.board.rows * game.board.columns * prod(arrangements) * comb(spare + owners - 1, owners - 1)
