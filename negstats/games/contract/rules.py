"""The rules of the contract game: who may offer what and walk where, when a game ends, and what everybody scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from negstats.errors import DesignError, shown
from negstats.games.contract.board import (
    DIRECTIONS,
    Board,
    Chips,
    Directions,
    Offer,
    Square,
    State,
    added,
    contained,
    subtracted,
)
from negstats.games.contract.paths import Paths


@dataclass(frozen=True, slots=True)
class Game:
    """A board, the chips of all players, and the numbers in the rules.

    Parameters
    ----------
    board
        Where the customer walks. Its goals are the providers', in this order.
    colours
        All colours, in the order in which chips are counted.
    chips
        Each player's chips by colour at the start, the customer's first. `Game.of` takes them by name.
    directions
        ``"all"`` four, or ``"forward"``: up, left and right only. Never diagonally.
    dormant_after
        The game ends when the customer has not moved for so many rounds.
    chip_points, goal_points
        What a chip is worth to its owner at the end, and what the customer, and the provider whose goal it stands on,
        get for that.

    Raises
    ------
    DesignError
        If players and goals do not match, a hand is not a count for each colour, or a number makes no sense.

    Examples
    --------
    Three squares in a row; the customer must move at once, and only the first provider has the chip for its goal
    (haim2017, third example):

    >>> row = Board((("gray", None, "yellow"),), start=(0, 1), goals=((0, 0), (0, 2)))
    >>> game = Game.of(row, {"red": 10}, [{"red": 10, "gray": 1}, {"red": 10}], dormant_after=1)
    >>> game.colours
    ('gray', 'yellow', 'red')
    >>> offer = Offer(1, to_customer=(1, 0, 0), to_provider=(0, 0, 10))
    >>> deal = game.accept(game.start, offer)
    >>> end = game.move(deal, [(0, 0)])
    >>> game.ended(end), game.goal_reached(end), game.scores(end)
    (True, 1, (150, 250, 50))
    """

    board: Board
    colours: tuple[str, ...]
    chips: tuple[Chips, ...]
    directions: Directions = "all"
    dormant_after: int = 2
    chip_points: int = 5
    goal_points: int = 150

    def __post_init__(self) -> None:
        if len(self.chips) != len(self.board.goals) + 1:
            raise DesignError(
                f"{len(self.chips)} hands for a customer and {len(self.board.goals)} goals; each goal needs a provider"
            )
        on_board = {colour for row in self.board.squares for colour in row if colour is not None}
        if len(set(self.colours)) < len(self.colours) or not on_board <= set(self.colours):
            raise DesignError(f"colours are {shown(self.colours)}; each once, and those of the board among them")
        for hand in self.chips:
            if len(hand) != len(self.colours) or any(count < 0 for count in hand):
                raise DesignError(f"hand {hand} is not a count for each of the {len(self.colours)} colours")
        if self.directions not in DIRECTIONS:
            raise DesignError(f"directions is {shown(self.directions)}; give 'all' or 'forward'")
        if self.dormant_after < 1 or self.chip_points < 0 or self.goal_points < 0:
            raise DesignError(
                f"dormant_after is {self.dormant_after} (give 1 or more), chip_points {self.chip_points} and "
                f"goal_points {self.goal_points} (give 0 or more)"
            )

    @classmethod
    def of(
        cls, board: Board, customer: Mapping[str, int], providers: Sequence[Mapping[str, int]], **rules: Any
    ) -> Game:
        """Make a game from chips by colour name; colours come in the order of the board, then of the hands.

        Parameters
        ----------
        board
            The board.
        customer
            The customer's chips: how many of each colour.
        providers
            The chips of each provider.
        **rules
            Other rules by name, as `Game` takes them.

        Raises
        ------
        DesignError
            As `Game` does.
        """
        hands = [customer, *providers]
        on_board = [colour for row in board.squares for colour in row if colour is not None]
        colours = tuple(dict.fromkeys([*on_board, *itertools.chain(*hands)]))
        return cls(board, colours, tuple(tuple(hand.get(colour, 0) for colour in colours) for hand in hands), **rules)

    @property
    def start(self) -> State:
        """The state before the first round: the providers are to offer."""
        return State(self.board.start, self.chips)

    @property
    def providers(self) -> range:
        """The providers' numbers, from 1."""
        return range(1, len(self.chips))

    def is_possible(self, state: State, offer: Offer) -> bool:
        """Whether both sides hold the chips that the offer moves (Haim et al., 2017, Definition 1).

        Parameters
        ----------
        state
            A state of this game.
        offer
            The exchange in question.

        Returns
        -------
        bool
            True if no side would have to give chips that it lacks.

        References
        ----------
        Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
        Artificial Intelligence, 246, 34–52.
        """
        if offer.provider not in self.providers or min(*offer.to_customer, *offer.to_provider) < 0:
            return False
        return contained(offer.to_customer, state.chips[offer.provider]) and contained(
            offer.to_provider, state.chips[0]
        )

    def possible_offers(self, state: State, provider: int) -> Iterator[Offer]:
        """Yield every exchange with the provider for which both sides hold the chips, each once.

        That is what Definition 1 of Haim et al. (2017) asks of the chips; nothing else is asked.

        Offers in which a colour travels both ways are left out: the same exchange without the colour's round trip is
        among those yielded. So is nothing for nothing.

        Parameters
        ----------
        state
            A state of this game.
        provider
            The provider's number, counted from 1.

        Yields
        ------
        iterator of Offer
            Offers in a fixed order.

        References
        ----------
        Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
        Artificial Intelligence, 246, 34–52.
        """
        customer_hand, shared_chips = state.chips[0], added(state.chips[0], state.chips[provider])
        for hand in itertools.product(*[range(count + 1) for count in shared_chips]):
            yield exchange(provider, customer_hand, hand)

    def accept(self, state: State, offer: Offer | None) -> State:
        """Return the state after the round's offers, with the accepted one carried out: the customer is to move.

        Parameters
        ----------
        state
            A state of this game.
        offer
            The accepted offer; None if none was accepted.

        Returns
        -------
        State
            A new state; the old one is not changed.

        Raises
        ------
        DesignError
            If the customer is moving already, or a side lacks the chips.
        """
        if state.moving:
            raise DesignError("the customer is moving; offers of this round are over")
        chips = list(state.chips)
        if offer is not None:
            if not self.is_possible(state, offer):
                raise DesignError(
                    f"{shown(offer)} is not possible: a side lacks the chips, or there is no such provider"
                )
            change = subtracted(offer.to_customer, offer.to_provider)
            chips[0] = added(chips[0], change)
            chips[offer.provider] = subtracted(chips[offer.provider], change)
        return State(state.square, tuple(chips), state.odd, state.idle, moving=True)

    def move(self, state: State, path: Sequence[Square]) -> State:
        """Return the state after the customer walked along the path (none: it stayed), before the next round's offers.

        Parameters
        ----------
        state
            A state of this game.
        path
            The squares that the customer enters, in order.

        Returns
        -------
        State
            A new state; the old one is not changed.

        Raises
        ------
        DesignError
            If offers are not over, a square cannot be entered from the one before or lies behind a goal, or a chip is
            lacking.
        """
        if not state.moving:
            raise DesignError("the round's offers come first: accept(state, None) if none was accepted")
        square, hand = state.square, state.chips[0]
        for step in path:
            entered = dict(paths_of(self).steps(square, hand)) if square not in self.board.goals else {}
            if step not in entered:
                raise DesignError(f"square {step} cannot be entered from {square} with the chips that are left")
            square, hand = step, entered[step]
        idle = 0 if len(path) else state.idle + 1
        return State(square, (hand, *state.chips[1:]), not state.odd, idle)

    def moves(self, state: State) -> dict[State, tuple[Square, ...]]:
        """Return every state that the customer can move to, with one of the shortest paths there; staying is first.

        Of paths that enter the same colours and end on the same square one is given: they make no difference.

        Parameters
        ----------
        state
            A state of this game.

        Returns
        -------
        dict[State, tuple[Square, ...]]
            The squares that the customer enters, by the state to which they lead.
        """
        paths: dict[tuple[Square, Chips], tuple[Square, ...]] = {(state.square, state.chips[0]): ()}
        latest = dict(paths)
        while latest:
            extended: dict[tuple[Square, Chips], tuple[Square, ...]] = {}
            for (square, hand), path in latest.items():
                if square not in self.board.goals:
                    for neighbour, chips in paths_of(self).steps(square, hand):
                        extended.setdefault((neighbour, chips), (*path, neighbour))
            latest = {reached: path for reached, path in extended.items() if reached not in paths}
            paths |= latest
        return {self.move(state, path): path for path in paths.values()}

    def ended(self, state: State) -> bool:
        """Whether the customer stands on a goal, or has been dormant.

        Parameters
        ----------
        state
            A state of this game.

        Returns
        -------
        bool
            True if the game is over.
        """
        return state.square in self.board.goals or state.idle >= self.dormant_after

    def goal_reached(self, state: State) -> int:
        """Return the number of the provider on whose goal the customer stands; 0 if on none.

        Parameters
        ----------
        state
            A state of this game.

        Returns
        -------
        int
            Counted from 1.
        """
        return self.board.goals.index(state.square) + 1 if state.square in self.board.goals else 0

    def scores(self, state: State) -> tuple[int, ...]:
        """Return each player's points if the game ends like this, the customer's first.

        Parameters
        ----------
        state
            A state of this game.

        Returns
        -------
        tuple[int, ...]
            Points of the customer and of each provider.
        """
        points = [self.chip_points * sum(hand) for hand in state.chips]
        goal = self.goal_reached(state)
        if goal:
            points[0] += self.goal_points
            points[goal] += self.goal_points
        return tuple(points)


def exchange(provider: int, own: Chips, hand: Chips) -> Offer:
    """Return the offer that changes the customer's chips from `own` to `hand`, no colour travelling both ways."""
    change = subtracted(hand, own)
    return Offer(provider, tuple(max(count, 0) for count in change), tuple(max(-count, 0) for count in change))


def benefit(offer: Offer, player: int, chip_points: int = 5) -> int:
    """Return the change of a player's score, in points, if the offer is carried out and nothing else happens.

    Parameters
    ----------
    offer
        The offer.
    player
        0 for the customer, 1 or 2 for a provider.
    chip_points
        Points of one chip at the end.

    Returns
    -------
    int
        Points, negative for a loss; 0 for a player who has no part in the offer.

    Examples
    --------
    21 chips (7 purple, 14 red) for 11 gray at the start of the study's board:

    >>> offer = Offer(2, to_customer=(0, 0, 7, 14), to_provider=(11, 0, 0, 0))
    >>> [benefit(offer, player) for player in (0, 1, 2)]
    [50, 0, -50]
    """
    return chip_points * {0: offer.net, offer.provider: -offer.net}.get(player, 0)


@lru_cache(maxsize=256)
def paths_of(game: Game) -> Paths:
    """Return the minimal needs of the game's board, made once."""
    everything = tuple(map(sum, zip(*game.chips, strict=True)))
    return Paths(game.board, game.directions, game.colours, everything)
