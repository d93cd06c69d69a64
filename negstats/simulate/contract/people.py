"""Boundedly rational people of the contract game: their parameters, the exchanges they think of, and their decisions.

They weigh an offer by the goals that hands of chips can reach, which is found for many hands at once.

The family is the logit (quantal) response of McKelvey and Palfrey 1995. Customers have two lapses that haim2017 (6.4,
6.5) sees in people: giving away chips that the own path needs, and talking until the game goes dormant. It describes
nobody: its parameters (`parameters.toml`, with their meaning) are set so that goals are reached as often, and games
last as long, as printed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import UsageError, shown
from negstats.games.contract.board import Chips, Offer, Square, State, added, subtracted
from negstats.games.contract.rules import Game, paths_of


@dataclass(frozen=True, slots=True)
class People:
    """How the people of one country play.

    Parameters
    ----------
    enough
        Chance in each round that the customer has talked enough and walks to a goal. Calibrated to the rounds.
    lost
        Chance that the customer, who has stayed already, stays again, so that the game goes dormant. Calibrated to the
        rate at which goals are reached.
    slip
        Chance, at each decision of the customer, that it gives away chips that its last path needs: it offers them, or
        does not see that an offer takes them.
    customer_wants, provider_wants
        Points of gain that are accepted in half the cases.
    response_noise
        Points of gain that change the odds of acceptance by the factor e.
    offer_noise
        Points of promise that change the odds of making one offer rather than another by the factor e.
    """

    enough: float
    lost: float
    slip: float
    customer_wants: float
    provider_wants: float
    response_noise: float
    offer_noise: float

    def __post_init__(self) -> None:
        for name in ("enough", "lost", "slip"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is {getattr(self, name)}; a chance from 0 to 1 is needed")
        for name in ("response_noise", "offer_noise"):
            if getattr(self, name) <= 0:
                raise UsageError(f"{name} is {getattr(self, name)}; more than 0 points are needed")

    def with_(self, **changes: float) -> People:
        """Return people who differ in some parameters.

        Parameters
        ----------
        **changes
            New values by the names of the parameters.

        Returns
        -------
        People
            A copy; these people are not changed.
        """
        return replace(self, **changes)


@lru_cache(maxsize=1)
def _read_parameters() -> dict[str, Any]:
    return tomllib.loads(files("negstats.simulate.contract").joinpath("parameters.toml").read_text(encoding="utf-8"))


def countries() -> list[str]:
    """Return the countries that have parameters.

    Returns
    -------
    list[str]
        Names that `people_of` takes.

    Examples
    --------
    >>> countries()
    ['China', 'Israel', 'USA']
    """
    return list(_read_parameters()["people"]["countries"])


def people_of(country: str) -> People:
    """Return the parameters by which the people of a country play.

    Parameters
    ----------
    country
        A name of `countries`.

    Returns
    -------
    People
        The parameters of the people.

    Raises
    ------
    UsageError
        If the country has no parameters.
    """
    people = _read_parameters()["people"]
    if country not in people["countries"]:
        raise UsageError(f"country is {shown(country)}; there are parameters for {', '.join(countries())}")
    return People(**people["everywhere"], **people["countries"][country])


def agent_parameters(agent: str) -> dict[str, Any]:
    """Return the parameters of an agent; none for one without.

    Examples
    --------
    >>> agent_parameters("SP-RAPD")
    {'benefit': 50}
    """
    return dict(_read_parameters()["agents"].get(agent, {}))


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
        has_chips: dict[tuple[int, int], npt.NDArray[np.bool_]] = {}  # many paths need as many chips of a colour
        payable = np.zeros((len(columns[0]), len(self.game.providers)), dtype=bool)
        for column, provider in enumerate(self.game.providers):
            is_payable = np.zeros(len(columns[0]), dtype=bool)
            for need in self._find_needs(square, provider):
                for colour, count in need:
                    if (colour, count) not in has_chips:
                        has_chips[colour, count] = columns[colour] >= count
                is_payable |= np.logical_and.reduce([has_chips[chips] for chips in need])  # of no chips at all: true
            payable[:, column] = is_payable
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
        no_chips = (0,) * len(state.chips[0])
        additions, returns = np.array([no_chips, offer.to_customer]), np.array([no_chips, offer.to_provider])
        customer_hand, hand_after = (
            state.chips[0],
            subtracted(added(state.chips[0], offer.to_customer), offer.to_provider),
        )
        chances = np.zeros((2, len(reach.game.providers)))
        for hand, chance in zip((customer_hand, hand_after), chances, strict=True):
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
        given_index, returned_index = divmod(place + 1, len(self.returned))
        return Offer(
            self.provider, tuple(self.given[given_index].tolist()), tuple(self.returned[returned_index].tolist())
        )


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
    provider_hand = np.array(hand)
    return _with_totals(_count_out(provider_hand, np.arange(0, provider_hand.sum() + 1, STRIDE), np.array(on_board)))


@lru_cache(maxsize=KEPT)
def _list_returns(hand: Chips, on_board: tuple[bool, ...]) -> tuple[Hands, npt.NDArray[np.int64]]:
    """Return what people think of giving from a customer's hand, and how many chips each of these are."""
    requests = [np.zeros((1, len(hand)), dtype=np.int64)]
    for colour, (own_count, usable) in enumerate(zip(hand, on_board, strict=True)):
        if usable:
            counts = np.zeros((own_count, len(hand)), dtype=np.int64)
            counts[:, colour] = np.arange(1, own_count + 1)
            requests.append(counts)
    return _with_totals(np.concatenate(requests))


def _with_totals(hands: Hands) -> tuple[Hands, npt.NDArray[np.int64]]:
    """Return hands and how many chips each has; neither can be changed, for many menus share them."""
    totals = hands.sum(axis=1)
    for shared in (hands, totals):
        shared.setflags(write=False)
    return hands, totals


def _count_out(hand: npt.NDArray[np.int64], totals: npt.NDArray[np.int64], is_usable: npt.NDArray[np.bool_]) -> Hands:
    """Return hands of these sizes: chips that paths can use before those that none can."""
    order = np.argsort(~is_usable, kind="stable")
    preceding = np.cumsum(hand[order]) - hand[order]
    counts = np.clip(totals[:, None] - preceding, 0, hand[order])
    hands = np.zeros_like(counts)
    hands[:, order] = counts
    return hands


class HumanCustomer:
    """Takes and makes offers by their gain with noise, and walks when it has talked enough."""

    def __init__(self, reach: Reach, people: People) -> None:
        self.reach, self.people = reach, people

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:
        """Offer what promises most: the gain times how likely the provider seems to accept, with noise.

        By a slip the offer gives away chips that the last path needs, where there is such an offer.
        """
        people, points = self.people, (self.reach.game.chip_points, self.reach.game.goal_points)
        menus = [
            Menu.of(self.reach, state.square, state.chips[0], provider, state.chips[provider])
            for provider in self.reach.game.providers
        ]
        # Most people rule out offers that leave them short of a goal; who slips thinks of nothing but these.
        careless = rng.random() < people.slip
        worths = []
        for menu in menus:
            acceptance = logistic(menu.gain(menu.provider, *points), people.provider_wants, people.response_noise)
            worth = acceptance * points[0] * menu.net
            worths.append(worth)
        worth, stranding = np.concatenate(worths), np.concatenate([menu.stranding() for menu in menus])
        worth[stranding != (careless and stranding.any())] = -np.inf
        index = chosen(rising(worth, people.offer_noise), rng)
        for menu in menus:
            if index < len(menu.net):
                return menu.offer(index)
            index -= len(menu.net)
        return None

    def answer(self, state: State, offers: Sequence[Offer], rng: np.random.Generator) -> Offer | None:
        """Accept with odds that rise with the benefit; one that leaves no goal in reach only by a slip."""
        people, points = self.people, self.reach.game.chip_points
        careless = rng.random() < people.slip
        weights = [1.0]  # of none
        for offer in offers:
            stranding = Menu.only(self.reach, state, offer).stranding()[0] and not careless
            gain = (points * offer.net - people.customer_wants) / people.response_noise
            weights.append(0.0 if stranding else float(np.exp(np.clip(gain, -50, 50))))
        # One draw chooses among the offers and none, each as likely as its weight.
        totals = np.cumsum(weights)
        choice = int(np.searchsorted(totals, rng.random() * totals[-1], side="right"))
        return offers[choice - 1] if choice else None

    def walk(self, state: State, rng: np.random.Generator) -> Sequence[Square]:
        """Go to a goal when the talk is enough; else take one step when staying again would end the game."""
        goals = self.reach.goals(state.square, state.chips[0])
        walks_now, misses_call = rng.random() < self.people.enough, rng.random() < self.people.lost
        last_call = state.idle + 1 >= self.reach.game.dormant_after
        if not goals or not (walks_now or (last_call and not misses_call)):
            return ()
        # To the goal of whoever gave most; of equals to either.
        giver = min(goals, key=lambda provider: (sum(state.chips[provider]), rng.random()))
        need = self.reach.paths.shortest(state.square, giver, state.chips[0])
        path = () if need is None else self.reach.paths.path(state.square, giver, need)
        return path if walks_now else path[:1]


class HumanProvider:
    """Makes and takes offers by what they promise: chips, and the chance that the customer comes to its goal."""

    def __init__(self, reach: Reach, people: People, provider: int) -> None:
        self.reach, self.people, self.provider = reach, people, provider
        self._weighed = lru_cache(maxsize=KEPT)(self._weigh)

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:
        """Offer what promises most: the gain times how likely the customer seems to accept, with noise."""
        menu, weights = self._weighed(state.square, state.chips[0], state.chips[self.provider])
        return menu.offer(chosen(weights, rng))

    def _weigh(self, square: Square, customers: Chips, own: Chips) -> tuple[Menu, npt.NDArray[np.float64]]:
        """Return what can be offered, and the running sums of what that promises."""
        people, game = self.people, self.reach.game
        menu = Menu.of(self.reach, square, customers, self.provider, own)
        acceptance = logistic(game.chip_points * menu.net.astype(float), people.customer_wants, people.response_noise)
        worth = acceptance * menu.gain(self.provider, game.chip_points, game.goal_points)
        return menu, rising(worth, people.offer_noise)

    def accepts(self, state: State, offer: Offer, rng: np.random.Generator) -> bool:
        """Accept with a chance that rises with the gain."""
        game = self.reach.game
        gain = Menu.only(self.reach, state, offer).gain(self.provider, game.chip_points, game.goal_points)
        return bool(rng.random() < logistic(gain, self.people.provider_wants, self.people.response_noise)[0])
