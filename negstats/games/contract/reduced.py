"""Equilibrium with commitment offers only, for games too large for plain search.

**What is considered.** With provider i exactly those exchanges after which the customer is committed (Definition 4) to
some provider j and holds the chips of a path to j's goal that costs it no more than the goal brings. Nearly always j
is i. Another j comes up where the customer and i together cannot pay any path to i's goal: then i may sell the chips
that lead elsewhere. After such an exchange, and wherever else the customer is committed and can pay its way, it walks
to that goal at once.

**What is lost.** haim2017 follows commitment offers alone (Proposition 3). That is more than a short cut: the game has
other exchanges, and in some states one of them is better. A provider who wins ties, or whose rival cannot help the
customer, need not ask for a commitment. And a commitment holds only as long as the customer walks at once: it can stop,
sell the chips of its way to the other provider, and be left with a way that only the first one's chips open, who would
rather sell them than be left with nothing. Plain search finds this in small games
(``tests/games/contract/test_reduction.py``). On the study's board, if all play on as here, it would bring the customer
405 points one step after the first deal, not 370, and SP_g less than 200 (``tests/games/contract/test_deviations.py``,
with all that was found to gain and not to gain). Small games are therefore searched plainly.

**What is not lost.** Among the exchanges that are considered only a few numbers matter. Scores depend on how many chips
the players have, so all exchanges with the same provider, goal, path length and number of chips in the customer's hand
lead to the same values; of those with the same number the shortest path is best for the customer and the same to
everybody else. Which numbers are possible is known without listing hands: the hands that commit and let walk are those
between a need and caps (`negstats.games.contract.commitment`), so every number from the need's to the largest caps' is
possible, and none other. Along these numbers the customer's value rises and the provider's falls, so the best of them
that meets a bound is found by bisection.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import fsum

from negstats.games.contract.board import Chips, Square, State, added
from negstats.games.contract.commitment import Deal, committed_hand, is_committed, lengths_to_commit
from negstats.games.contract.rounds import Bid, Bids, Play, Rank, rank
from negstats.games.contract.rules import Game
from negstats.games.contract.search import Hands, Search, Utility, Walk

Lengths = tuple[tuple[int, int], ...]

KEPT = 2**16  # answers that are kept of each kind


class CommitmentOffers:
    """Consider the exchanges that commit the customer to a goal to which it can then walk."""

    timeless = True

    def __init__(self) -> None:
        self._lengths: dict[tuple[Square, int, Hands], list[tuple[int, Lengths]]] = {}
        self._scales: dict[tuple[int, bool, Lengths], _Scale] = {}
        self._bids: dict[tuple[object, ...], Bids] = {}
        self._values: _Values | None = None

    def bids(self, search: Search, state: State, provider: int) -> Bids:
        """Return the considered exchanges with the provider: the same object wherever they are the same."""
        targets = self._lengths_to_commit(search, state.square, state.chips, provider)
        sizes = tuple(map(sum, state.chips))
        key = provider, sizes, *targets
        bids = self._bids.get(key)
        if bids is None:
            if len(self._bids) >= KEPT:
                self._bids.clear()
            values, total = search.sure(state.chips), sizes[0] + sizes[provider]
            choices = [
                _Along(search, provider, target, values, self._scale(search, total, target == provider, lengths))
                for target, lengths in targets
            ]
            bids = self._bids[key] = choices[0] if len(choices) == 1 else _Commitments(choices)
        return bids

    def settled(self, search: Search, state: State) -> Walk | None:
        """Return the walk to the goal to which the customer is committed, if it can pay it and it pays off."""
        square, chips, game = state.square, state.chips, search.game
        for provider in game.providers:
            need = search.paths.shortest(square, provider, chips[0])
            if (
                need is not None
                and game.chip_points * need.length <= game.goal_points
                and is_committed(search.paths, square, chips, provider)
            ):
                return Walk(search.reaching(search.sure(chips), provider, need.length), provider, need)
        return None

    def hand(self, search: Search, state: State, bid: Bid) -> Chips:
        """Return the hand, of those that the bid stands for, for which the fewest chips travel."""
        return committed_hand(search.paths, state.square, state.chips, Deal(*bid.exchange), range(len(state.chips[0])))

    def _lengths_to_commit(
        self, search: Search, square: Square, chips: Hands, provider: int
    ) -> list[tuple[int, Lengths]]:
        """Return what `lengths_to_commit` does for each target for which that is anything.

        That depends on what the customer and the provider hold together and on what the others hold, and folded chips
        only add to the most that the customer can have: so it is kept for all hands that share the rest.
        """
        # Only what both hold together matters, and chips that no path can use change the sizes alone: one
        # entry serves many hands.
        *shared_chips, spare = added(chips[0], chips[provider])
        hands = [(*hand[:-1], 0) for hand in chips]
        hands[0], hands[provider] = (*shared_chips, 0), (0,) * len(chips[0])
        key = square, provider, tuple(hands)
        lengths_by_target = self._lengths.get(key)
        if lengths_by_target is None:
            if len(self._lengths) >= KEPT:
                self._lengths.clear()
            lengths_by_target = self._lengths[key] = [
                (target, lengths)
                for target in search.game.providers
                if (lengths := lengths_to_commit(search.paths, square, key[2], provider, target))
            ]
        return [
            (target, tuple([(length, largest_size + spare) for length, largest_size in lengths]))
            for target, lengths in lengths_by_target
        ]

    def _scale(self, search: Search, total: int, own_goal: bool, lengths: Lengths) -> _Scale:
        key = total, own_goal, lengths
        if key not in self._scales:
            if len(self._scales) >= KEPT:
                self._scales.clear()
            if self._values is None:
                self._values = _Values(search.game, search.utility)
            self._scales[key] = _Scale(self._values, *key)
        return self._scales[key]


class _Values:
    """What a walk to a goal is worth, by the size of a player's hand before it."""

    def __init__(self, game: Game, utility: Utility) -> None:
        self.game, self.utility = game, utility
        self._sizes = range(sum(map(sum, game.chips)) + 1)
        self._customer: dict[int, list[float]] = {}
        self._minus_provider: dict[bool, list[float]] = {}

    def customer(self, length: int) -> list[float]:
        """Return the customer's values of a path of this length."""
        if length not in self._customer:
            self._customer[length] = self._worth(self.game.goal_points, length)
        return self._customer[length]

    def minus_provider(self, own_goal: bool) -> list[float]:
        """Return minus the values to a provider, if the goal is its own or another's."""
        if own_goal not in self._minus_provider:
            values = self._worth(self.game.goal_points if own_goal else 0, 0)
            self._minus_provider[own_goal] = [-value for value in values]
        return self._minus_provider[own_goal]

    def _worth(self, goal: int, length: int) -> list[float]:
        points, worth = self.game.chip_points, self.utility.worth
        return [worth(points * (size - length) + goal, points * size) for size in self._sizes]


class _Scale:
    """The sizes of the customer's hand, of `total` chips that it shares with a provider, from worst to best for it.

    Each with the customer's value, minus the provider's (rising too), and the length of the path.
    """

    __slots__ = ("customer", "exchanges", "minus_provider")

    def __init__(self, values: _Values, total: int, own_goal: bool, lengths: Lengths) -> None:
        game, minus_provider_by_rest = values.game, values.minus_provider(own_goal)
        self.customer: list[float] = []
        self.minus_provider: list[float] = []
        self.exchanges: list[tuple[int, int]] = []
        first_size = 0
        # Longer paths can leave more: each length is the shortest for the sizes beyond what the one before can leave.
        for length, largest_size in lengths:
            if game.chip_points * length > game.goal_points:
                break
            by_size = values.customer(length)
            start, stop = max(first_size, length), min(largest_size, total) + 1
            if self.customer:
                start = bisect_right(by_size, self.customer[-1], start, max(start, stop))
            if not game.chip_points:  # then all sizes are worth the same
                stop = min(stop, start + 1)
            if start < stop:
                self.customer += by_size[start:stop]
                self.minus_provider += minus_provider_by_rest[total - stop + 1 : total - start + 1][::-1]
                self.exchanges += [(length, size) for size in range(start, stop)]
            first_size = largest_size + 1


class _Along:
    """The exchanges with one provider that commit the customer to one target: alone nearly always all there are."""

    __slots__ = ("_made", "provider", "scale", "target", "values")

    def __init__(self, search: Search, provider: int, target: int, values: tuple[float, ...], scale: _Scale) -> None:
        self.provider, self.target, self.scale = provider, target, scale
        self.values = list(values)
        self._made: dict[int, Bid] = {}
        if target != provider:
            self.values[target] = search.utility.worth(values[target] + search.game.goal_points, values[target])

    def beating(self, rank_to_beat: Rank) -> Bid | None:
        """Return the provider's best of those that rank above."""
        customer = self.scale.customer
        index = bisect_left(customer, rank_to_beat[0])
        if index < len(customer) and customer[index] == rank_to_beat[0]:
            bid = self._made.get(index) or self._bid(index)
            if (fsum(bid.play.values), -self.provider) > rank_to_beat[1:]:
                return bid
            index += 1
        return (self._made.get(index) or self._bid(index)) if index < len(customer) else None

    def dearest(self, least: float) -> Bid | None:
        """Return the highest rank of those worth more to the provider."""
        index = bisect_left(self.scale.minus_provider, -least) - 1
        return (self._made.get(index) or self._bid(index)) if index >= 0 else None

    def _bid(self, index: int) -> Bid:
        values = self.values.copy()
        values[0] = self.scale.customer[index]
        values[self.provider] = -self.scale.minus_provider[index]
        exchange = self.provider, self.target, *self.scale.exchanges[index]
        bid = self._made[index] = Bid(self.provider, Play(tuple(values), self.target), exchange)
        return bid


class _Commitments:
    """The exchanges with one provider that commit the customer to any of several targets, or of none."""

    def __init__(self, choices: Sequence[_Along]) -> None:
        self._along = choices

    def beating(self, rank_to_beat: Rank) -> Bid | None:
        """Return the provider's best of those that rank above."""
        bids = [bid for choice in self._along if (bid := choice.beating(rank_to_beat)) is not None]
        return max(bids, key=lambda bid: (bid.play.values[bid.provider], rank(bid.play, bid.provider)), default=None)

    def dearest(self, least: float) -> Bid | None:
        """Return the highest rank of those worth more to the provider."""
        bids = [bid for choice in self._along if (bid := choice.dearest(least)) is not None]
        return max(bids, key=lambda bid: rank(bid.play, bid.provider), default=None)
