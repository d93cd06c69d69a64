"""Backward induction for the contract game: what each state is worth, and what is done there in equilibrium.

A state's value is what the play from there leads to: a round of offers (`negstats.games.contract.rounds`), the
customer's preferred path (haim2017, Definition 5), the next round, and so on until the game ends. It does end: the
customer can stay for `dormant_after` rounds only, every step burns a chip, and offers make no chips. States are kept
once they are solved.

**Preferred paths.** The customer takes what is worth most to it; then a path to a goal before one to no goal; then
where the play ends on a later provider's goal (yellow before gray); then the shorter.

**Interchangeable chips.** A colour is *usable* from a square if a square of that colour can still be entered from
there, at once or later, with chips that somebody has at the start. All other chips only count for their points, so
each hand is *folded*: they become one kind, last in the hand. Nothing is lost by this. Folding changes no score and no
path that can be paid; an exchange of folded hands with s chips of the last kind is possible exactly if its giver holds
s chips that fold, and is then the image of an exchange in the game itself, and every exchange has an image. So a state
and its image have the same results within reach at each decision and, by induction from the ends of the game, the same
values. What is usable never grows along a path.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from negstats.games.contract.board import Square
from negstats.games.contract.paths import Need, Paths
from negstats.games.contract.rounds import Bid, Bids, Play, customer_offers, providers_offer
from negstats.games.contract.rules import Game
from negstats.games.contract.state import Chips, State
from negstats.games.contract.utility import Utility

__all__ = ["Considered", "Hands", "Round", "Search", "Walk", "Walks"]

Walks = Literal["preferred", "all"]
Hands = tuple[Chips, ...]


class Round(NamedTuple):
    """A solved round of offers: what it leads to, who offers what, and what is accepted."""

    play: Play
    offers: tuple[Bid, ...]
    accepted: Bid | None


class Walk(NamedTuple):
    """A movement: what it leads to, and where to.

    To a provider's goal, by a path with this need; or else along `steps` to a square where the customer stops (none: it
    stays).
    """

    play: Play
    provider: int = 0
    need: Need | None = None
    steps: tuple[Square, ...] = ()


class Considered(Protocol):
    """Which exchanges the players consider."""

    def bids(self, search: Search, state: State, provider: int) -> Bids:
        """Return the exchanges that are considered with the provider in a folded state before the round's offers."""

    def settled(self, search: Search, state: State) -> Walk | None:
        """Return the customer's walk in a folded state after the offers where it takes no search to know it."""

    def hand(self, search: Search, state: State, bid: Bid) -> Chips:
        """Return the customer's folded hand after a bid that `bids` gave out."""


class Search:
    """The values of a game's folded states, found as they are asked for.

    Parameters
    ----------
    game, utility
        What is played, and what scores are worth.
    considered
        Which exchanges.
    walks
        Where the customer may stop. ``"all"``: wherever its chips carry it. ``"preferred"``: only on its way to a
        goal, by the shortest path that its own chips can pay, and only to the goal that is worth most to it (or one of
        those).
    fold
        Whether to fold hands. Without, everything takes longer and comes out the same.
    """

    def __init__(
        self, game: Game, utility: Utility, considered: Considered, walks: Walks, *, fold: bool = True
    ) -> None:
        self.game, self.utility, self.considered, self.walks = game, utility, considered, walks
        everything = tuple(map(sum, zip(*game.chips, strict=True)))
        self.paths = Paths(game.board, game.directions, (*game.colours, ""), (*everything, 0))
        self.unusable = {
            square: self._unusable_from(square, everything) if fold else () for square in self.paths.squares
        }
        self._rounds: dict[State, Round] = {}
        self._walks: dict[State, Walk] = {}
        self._stops: dict[tuple[Square, Hands, bool], Walk | None] = {}

    def __len__(self) -> int:
        """Return how many states are kept."""
        return len(self._rounds) + len(self._walks) + len(self._stops)

    def clear(self) -> None:
        """Forget all states."""
        self._rounds.clear()
        self._walks.clear()
        self._stops.clear()

    def folded(self, square: Square, hand: Chips) -> Chips:
        """Return a hand, with or without a last place for folded chips, with all unusable chips in that place."""
        *counts, spare = hand if len(hand) > len(self.game.colours) else (*hand, 0)
        for colour in self.unusable[square]:
            spare += counts[colour]
            counts[colour] = 0
        return (*counts, spare)

    def round(self, state: State) -> Round:
        """Return what is offered and accepted in a folded state before the round's offers."""
        found = self._rounds.get(state)
        if found is None:
            found = self._rounds[state] = self._solve_round(state)
        return found

    def walk(self, state: State) -> Walk:
        """Return where the customer goes in a folded state after the round's offers."""
        found = self._walks.get(state)
        if found is None:
            found = self._walks[state] = self.considered.settled(self, state) or self._solve_walk(state)
        return found

    def sure(self, chips: Hands) -> tuple[float, ...]:
        """Return what the chips are worth to their owners if the game ends with the customer on no goal."""
        return tuple([float(self.game.chip_points * sum(hand)) for hand in chips])

    def reaching(self, chips: Hands, provider: int, length: int) -> Play:
        """Return the play in which the customer walks to the provider's goal by a path of this length."""
        game, values = self.game, list(self.sure(chips))
        stays = values[0]
        values[0] = self.utility.worth(stays - game.chip_points * length + game.goal_points, stays)
        values[provider] = self.utility.worth(values[provider] + game.goal_points, values[provider])
        return Play(tuple(values), provider)

    def _solve_round(self, state: State) -> Round:
        without = self.walk(state._replace(moving=True)).play
        bids = {provider: self.considered.bids(self, state, provider) for provider in self.game.providers}
        if state.odd:
            placed, accepted = providers_offer(without, bids)
            offers = tuple(placed[provider] for provider in sorted(placed))
        else:
            accepted = customer_offers(without, bids)
            offers = () if accepted is None else (accepted,)
        return Round(without if accepted is None else accepted.play, offers, accepted)

    def _solve_walk(self, state: State) -> Walk:
        square, chips, odd, idle, _ = state
        if idle + 1 >= self.game.dormant_after:
            walks = [Walk(Play(self.sure(chips), 0))]
        else:
            walks = [Walk(self.round(State(square, chips, not odd, idle + 1)).play)]
        to_goals = [
            Walk(self.reaching(chips, provider, need.length), provider, need)
            for provider in self.game.providers
            if (need := self.paths.shortest(square, provider, chips[0])) is not None
        ]
        walks += to_goals
        if self.walks == "all":
            stop = self._best_stop(square, chips, not odd)
            walks += [] if stop is None else [stop]
        else:
            best = max([walk.play.values[0] for walk in to_goals], default=None)
            for walk in to_goals:
                if walk.play.values[0] == best:
                    walks += self._stops_before(walk, square, chips, not odd)
        return max(walks, key=_order)

    def _stops_before(self, walk: Walk, square: Square, chips: Hands, odd: bool) -> list[Walk]:
        """Return the walks that stop earlier on the way of a walk to a goal."""
        stops: list[Walk] = []
        path = () if walk.need is None else self.paths.path(square, walk.provider, walk.need)
        for steps, near in enumerate(path[:-1], start=1):
            chips, square = self._after(square, near, chips), near
            stops.append(Walk(self.round(State(near, chips, odd)).play, steps=path[:steps]))
        return stops

    def _best_stop(self, square: Square, chips: Hands, odd: bool) -> Walk | None:
        """Return the best walk, of at least one step, to a square that is no goal: one step, or the best beyond it."""
        key = square, chips, odd
        if key not in self._stops:
            walks: list[Walk] = []
            for near, _ in self.paths.steps(square, chips[0]):
                if near not in self.game.board.goals:
                    after = self._after(square, near, chips)
                    walks.append(Walk(self.round(State(near, after, odd)).play, steps=(near,)))
                    beyond = self._best_stop(near, after, odd)
                    if beyond is not None:
                        walks.append(beyond._replace(steps=(near, *beyond.steps)))
            self._stops[key] = max(walks, key=_order, default=None)
        return self._stops[key]

    def _after(self, square: Square, near: Square, chips: Hands) -> Hands:
        """Return all hands, folded anew, when the customer has paid for a step."""
        hand, colour = chips[0], self.paths.price[near]
        after = ((*hand[:colour], hand[colour] - 1, *hand[colour + 1 :]), *chips[1:])
        if len(self.unusable[near]) > len(self.unusable[square]):
            return tuple([self.folded(near, each) for each in after])
        return after

    def _unusable_from(self, square: Square, everything: Chips) -> tuple[int, ...]:
        seen, fresh = {square}, [square]
        usable = set()
        while fresh:
            here = fresh.pop()
            for near in self.paths.near[here] if here not in self.game.board.goals else ():
                if everything[self.paths.price[near]]:
                    usable.add(self.paths.price[near])
                    if near not in seen:
                        seen.add(near)
                        fresh.append(near)
        return tuple(colour for colour in range(len(everything)) if colour not in usable)


def _order(walk: Walk) -> tuple[float, bool, int, int]:
    """Return how the customer orders walks, the preferred one highest."""
    length = len(walk.steps) if walk.need is None else walk.need.length
    return walk.play.values[0], walk.need is not None, walk.play.goal, -length
