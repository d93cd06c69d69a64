"""The exchanges that people think of: some chips of the provider for some of one colour of the customer's.

They weigh an offer by the goals that hands of chips can reach, which is found for many hands at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from negstats.games.contract.board import Square
from negstats.games.contract.rules import Game, paths_of
from negstats.games.contract.state import Chips, Offer, State, added, subtracted

Hands = npt.NDArray[np.int64]  # hands × colours


class Reach:
    """The needs of a game's goals, for hands as arrays."""

    def __init__(self, game: Game) -> None:
        self.game, self.paths = game, paths_of(game)
        on_board = {colour for row in game.board.squares for colour in row}
        self.on_board = tuple([colour in on_board for colour in game.colours])
        self._needs: dict[tuple[Square, int], list[list[tuple[int, int]]]] = {}

    def chances(self, square: Square, columns: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.float64]:
        """Return each hand's chance to end on each goal (hands × goals): evenly among those that it can pay.

        The hands come as a column for each colour.
        """
        enough: dict[tuple[int, int], npt.NDArray[np.bool_]] = {}  # many paths need as many chips of a colour
        payable = np.zeros((len(columns[0]), len(self.game.providers)), dtype=bool)
        for place, provider in enumerate(self.game.providers):
            is_payable = np.zeros(len(columns[0]), dtype=bool)
            for need in self._find_needs(square, provider):
                for colour, count in need:
                    if (colour, count) not in enough:
                        enough[colour, count] = columns[colour] >= count
                is_payable |= np.logical_and.reduce([enough[chips] for chips in need])  # of no chips at all: true
            payable[:, place] = is_payable
        return np.asarray(payable / np.maximum(payable.sum(axis=1, keepdims=True), 1))

    def _find_needs(self, square: Square, provider: int) -> list[list[tuple[int, int]]]:
        """Return the chips of each path from the square to the provider's goal: which colours, and how many."""
        key = square, provider
        if key not in self._needs:
            needs = [need.chips for need in self.paths.needs(square, provider)]
            self._needs[key] = [[(colour, count) for colour, count in enumerate(chips) if count] for chips in needs]
        return self._needs[key]

    def goals(self, square: Square, hand: Chips) -> list[int]:
        """Return the providers to whose goals the hand pays a path."""
        return [provider for provider in self.game.providers if self.paths.shortest(square, provider, hand) is not None]


STRIDE = 2  # people count chips out in pairs
KEPT = 2**11  # hands whose part in menus is kept


@dataclass(frozen=True, slots=True)
class Menu:
    """Exchanges with one provider: each of some hands for each of others.

    Arrays but these hands have one entry (row) an exchange.

    Attributes
    ----------
    provider
        With whom.
    given, returned
        Chips by colour that the customer would get, and those that the provider would; nothing for nothing, which is no
        exchange, comes first.
    net
        Chips that the customer gets more than it gives.
    before, after
        The customer's chance to end on each goal, without and with the exchange.
    """

    provider: int
    given: Hands
    returned: Hands
    net: npt.NDArray[np.int64]
    before: npt.NDArray[np.float64]
    after: npt.NDArray[np.float64]

    @classmethod
    def of(cls, reach: Reach, square: Square, customers: Chips, provider: int, providers: Chips) -> Menu:
        """Return what a customer on a square can exchange with the provider, by the chips of both."""
        additions, added_chips = _list_additions(providers, reach.on_board)
        returns, returned_chips = _list_returns(customers, reach.on_board)
        holdings = np.array(customers) + additions
        columns = [
            np.subtract.outer(holdings[:, colour], returns[:, colour]).ravel() for colour in range(len(customers))
        ]
        chances = reach.chances(square, columns)
        net = np.subtract.outer(added_chips, returned_chips).ravel()
        return cls(provider, additions, returns, net[1:], chances[0], chances[1:])

    @classmethod
    def only(cls, reach: Reach, state: State, offer: Offer) -> Menu:
        """Return the menu of the one exchange that an offer is."""
        none = (0,) * len(state.chips[0])
        additions, returns = np.array([none, offer.to_customer]), np.array([none, offer.to_provider])
        own, hand_after = state.chips[0], subtracted(added(state.chips[0], offer.to_customer), offer.to_provider)
        chances = np.zeros((2, len(reach.game.providers)))
        for hand, chance in zip((own, hand_after), chances, strict=True):
            goals = reach.goals(state.square, hand)
            chance[[goal - 1 for goal in goals]] = 1 / max(len(goals), 1)
        return cls(offer.provider, additions, returns, np.array([offer.net]), chances[0], chances[1:])

    def stranding(self) -> npt.NDArray[np.bool_]:
        """Whether each exchange leaves the customer no goal to reach, though it has one now."""
        return np.asarray((self.before.sum() > 0) & (self.after.sum(axis=1) == 0))

    def gain(self, player: int, chip_points: int, goal_points: int) -> npt.NDArray[np.float64]:
        """Return what each exchange adds to a player's points: chips, and the goal by its chance."""
        if player == 0:
            return np.asarray(chip_points * self.net + goal_points * (self.after.sum(axis=1) - self.before.sum()))
        goal = player - 1
        return np.asarray(goal_points * (self.after[:, goal] - self.before[goal]) - chip_points * self.net)

    def offer(self, place: int) -> Offer:
        """Return the exchange at a place."""
        which, back = divmod(place + 1, len(self.returned))
        return Offer(self.provider, tuple(self.given[which].tolist()), tuple(self.returned[back].tolist()))


def rising(worth: npt.NDArray[np.float64], noise: float) -> npt.NDArray[np.float64]:
    """Return the running sums of exp(worth / noise), up to a factor: what a noisy best reply is drawn by."""
    return np.asarray(np.cumsum(np.exp((worth - worth.max()) / noise)))


def chosen(weights: npt.NDArray[np.float64], rng: np.random.Generator) -> int:
    """Return the place of a noisy best reply: with probabilities that rise as these sums do."""
    return min(int(np.searchsorted(weights, rng.random() * weights[-1], side="right")), len(weights) - 1)


def logistic(gain: npt.NDArray[np.float64], wanted: float, noise: float) -> npt.NDArray[np.float64]:
    """Return how likely a gain is accepted by one who takes a gain of `wanted` points in half the cases."""
    odds = np.exp(np.clip((gain - wanted) / noise, -50, 50))
    return np.asarray(odds / (1 + odds))


@lru_cache(maxsize=KEPT)
def _list_additions(hand: Chips, on_board: tuple[bool, ...]) -> tuple[Hands, npt.NDArray[np.int64]]:
    """Return what people think of being given from a provider's hand, and how many chips each of these are."""
    theirs = np.array(hand)
    return _with_totals(_count_out(theirs, np.arange(0, theirs.sum() + 1, STRIDE), np.array(on_board)))


@lru_cache(maxsize=KEPT)
def _list_returns(hand: Chips, on_board: tuple[bool, ...]) -> tuple[Hands, npt.NDArray[np.int64]]:
    """Return what people think of giving from a customer's hand, and how many chips each of these are."""
    requests = [np.zeros((1, len(hand)), dtype=np.int64)]
    for colour, (own, usable) in enumerate(zip(hand, on_board, strict=True)):
        if usable:
            counts = np.zeros((own, len(hand)), dtype=np.int64)
            counts[:, colour] = np.arange(1, own + 1)
            requests.append(counts)
    return _with_totals(np.concatenate(requests))


def _with_totals(hands: Hands) -> tuple[Hands, npt.NDArray[np.int64]]:
    """Return hands and how many chips each has; neither can be changed, for many menus share them."""
    totals = hands.sum(axis=1)
    for shared in (hands, totals):
        shared.setflags(write=False)
    return hands, totals


def _count_out(hand: npt.NDArray[np.int64], totals: npt.NDArray[np.int64], first: npt.NDArray[np.bool_]) -> Hands:
    """Return hands of these sizes: chips that paths can use before those that none can."""
    order = np.argsort(~first, kind="stable")
    preceding = np.cumsum(hand[order]) - hand[order]
    counts = np.clip(totals[:, None] - preceding, 0, hand[order])
    out = np.zeros_like(counts)
    out[:, order] = counts
    return out
