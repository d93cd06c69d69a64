"""Backward induction for the contract game: utilities, what each state is worth, and what is done there in equilibrium.

A walk to a goal succeeds with the probability `pr`; otherwise the customer stays where it is with all its chips, and
the game is over. A player with risk aversion α has the utility ``U(u) = 1 - exp(-α u)`` of u points (haim2017,
SP-RAP). All values in this package are certainty equivalents, ``U⁻¹(E[U])``: the sure score that is worth as much.
They order outcomes as the expected utility does, are expected points where α is 0, and keep their digits where
``exp(-α u)`` has none left.

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

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from negstats.errors import DesignError
from negstats.games.contract.board import Chips, Square, State
from negstats.games.contract.paths import Need, Paths
from negstats.games.contract.rounds import Bid, Bids, Play, customer_offers, providers_offer
from negstats.games.contract.rules import Game

DIGITS = 10  # values that agree to so many decimals of a point are ties
NEUTRAL = 1e-12  # below this the certainty equivalent is the mean, to the last digit that is kept


@dataclass(frozen=True, slots=True)
class Utility:
    """How players value scores.

    Parameters
    ----------
    pr
        The probability that a customer who walks to a goal gets there, 0 to 1.
    alpha
        Risk aversion α of all players, a point; 0 is risk neutral.

    Raises
    ------
    DesignError
        If `pr` is not a probability or `alpha` is negative.

    Examples
    --------
    The customer of the study's board walks to a goal at once (24 chips, 9 squares), and what that is worth to the
    provider whose goal it is (40 chips), as haim2017 prints them for p = .9:

    >>> Utility(pr=0.9).worth(success=5 * 15 + 150, failure=5 * 24)
    214.5
    >>> Utility(pr=0.9).worth(success=5 * 40 + 150, failure=5 * 40)
    335.0
    """

    pr: float = 1.0
    alpha: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.pr <= 1:
            raise DesignError(f"pr is {self.pr}; a probability from 0 to 1 is needed")
        if not 0 <= self.alpha < math.inf:
            raise DesignError(f"alpha is {self.alpha}; risk aversion is a number of at least 0")

    def worth(self, success: float, failure: float) -> float:
        """Return the certainty equivalent, in points, of `success` with probability pr and `failure` otherwise.

        Parameters
        ----------
        success, failure
            Points in the two cases.

        Returns
        -------
        float
            Points for certain that are worth as much.
        """
        if self.pr in (0, 1) or success == failure:
            return float(success if self.pr else failure)
        if self.alpha * abs(success - failure) < NEUTRAL:
            return round(self.pr * success + (1 - self.pr) * failure, DIGITS)
        (worse, likely_worse), (better, likely_better) = sorted([(failure, 1 - self.pr), (success, self.pr)])
        # exp(-α low) is taken out of the mean of exponentials, so that the mean does not underflow; of the two forms of
        # its logarithm each keeps its digits where the other does not.
        shortfall = likely_better * -math.expm1(-self.alpha * (better - worse))
        mean = likely_worse + likely_better * math.exp(-self.alpha * (better - worse))
        return round(worse - (math.log1p(-shortfall) if shortfall < 0.5 else math.log(mean)) / self.alpha, DIGITS)


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
    """Which exchanges the players consider.

    Attributes
    ----------
    timeless
        Whether `bids` gives out the same whichever round it is and however long the customer has been idle. What one
        round of the same bids came to is then kept for all, so they had better be the same objects.
    """

    timeless: bool

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
        self.providers = tuple(game.providers)
        self.places: dict[tuple[Square, Hands], _Position] = {}
        self._rounds_by_bids: dict[
            tuple[object, ...], Round
        ] = {}  # by who offers, what going without leads to, and the bids

    def __len__(self) -> int:
        """Return how many squares with everybody's chips are kept, each with all that was solved there."""
        return len(self.places)

    def clear(self) -> None:
        """Forget all states."""
        self.places.clear()
        self._rounds_by_bids.clear()

    def folded(self, square: Square, hand: Chips) -> Chips:
        """Return a hand, with or without a last place for folded chips, with all unusable chips in that place."""
        *counts, spare = hand if len(hand) > len(self.game.colours) else (*hand, 0)
        for colour in self.unusable[square]:
            spare += counts[colour]
            counts[colour] = 0
        return (*counts, spare)

    def round(self, state: State) -> Round:
        """Return what is offered and accepted in a folded state before the round's offers."""
        return self._round(self._place(state.square, state.chips), state.odd, state.idle)

    def walk(self, state: State) -> Walk:
        """Return where the customer goes in a folded state after the round's offers."""
        return self._walk(self._place(state.square, state.chips), state.odd, state.idle)

    def sure(self, chips: Hands) -> tuple[float, ...]:
        """Return what the chips are worth to their owners if the game ends with the customer on no goal."""
        points = self.game.chip_points
        return tuple([float(points * sum(hand)) for hand in chips])

    def reaching(self, sure: Sequence[float], provider: int, length: int) -> Play:
        """Return the play in which the customer walks to the provider's goal by a path of this length.

        `sure` is what everybody's chips are worth without that.
        """
        game, values = self.game, list(sure)
        stays = values[0]
        values[0] = self.utility.worth(stays - game.chip_points * length + game.goal_points, stays)
        values[provider] = self.utility.worth(values[provider] + game.goal_points, values[provider])
        return Play(tuple(values), provider)

    def _place(self, square: Square, chips: Hands) -> _Position:
        key = square, chips
        position = self.places.get(key)
        if position is None:
            position = self.places[key] = _Position(self, square, chips)
        return position

    def _round(self, position: _Position, odd: bool, idle: int) -> Round:
        game_round = position.rounds[2 * idle + odd]
        if game_round is None:
            game_round = position.rounds[2 * idle + odd] = self._solve_round(position, odd, idle)
        return game_round

    def _solve_round(self, position: _Position, odd: bool, idle: int) -> Round:
        no_deal = self._walk(position, odd, idle).play
        if not self.considered.timeless:
            return _build_round(no_deal, self._bids(position, odd, idle), odd)
        # Rounds of the same bids differ only in what going without leads to, and that is often the same.
        if position.bids is None:
            position.bids = self._bids(position, odd, idle)
        key = odd, no_deal, *position.bids.values()
        game_round = self._rounds_by_bids.get(key)
        if game_round is None:
            game_round = self._rounds_by_bids[key] = _build_round(no_deal, position.bids, odd)
        return game_round

    def _bids(self, position: _Position, odd: bool, idle: int) -> dict[int, Bids]:
        state = State(position.square, position.chips, odd, idle)
        return {provider: self.considered.bids(self, state, provider) for provider in self.providers}

    def _walk(self, position: _Position, odd: bool, idle: int) -> Walk:
        if position.settled is not None:
            return position.settled
        walk = position.walks[2 * idle + odd]
        if walk is None:
            is_last = idle + 1 >= self.game.dormant_after
            stays = Walk(Play(position.sure, 0) if is_last else self._round(position, not odd, idle + 1).play)
            to_goal = self._walk_to_goal(position, not odd)
            walk = to_goal if to_goal is not None and _is_better(to_goal, stays) else stays
            position.walks[2 * idle + odd] = walk
        return walk

    def _walk_to_goal(self, position: _Position, odd: bool) -> Walk | None:
        """Return the best walk of at least one step, if the next round is odd or not; None if there is none."""
        if odd not in position.goes:
            best = position.to_goal
            if self.walks == "all":
                stops = [self._best_stop(position, odd)]
            else:
                stops = [self._stop_before(position, provider, need, odd) for provider, need in position.aims]
            for stop in stops:
                if stop is not None and (best is None or _is_better(stop, best)):
                    best = stop
            position.goes[odd] = best
        return position.goes[odd]

    def _stop_before(self, position: _Position, provider: int, need: Need, odd: bool) -> Walk | None:
        """Return the best walk that stops earlier on the way to a goal: after one step, or the best beyond it."""
        passed: list[tuple[_Position, tuple[int, Need, bool], Square]] = []
        while (key := (provider, need, odd)) not in position.stops:
            neighbour, need = self.paths.first(position.square, provider, need)
            if neighbour in self.game.board.goals:
                position.stops[key] = None
                break
            passed.append((position, key, neighbour))
            position = self._next_place(position, neighbour)
        # From the goal back: then little is left to solve at each square, and calls do not pile up.
        best = position.stops[key]
        for position, key, neighbour in reversed(passed):
            best = position.stops[key] = self._stop(position.near[neighbour], odd, best)
        return best

    def _best_stop(self, position: _Position, odd: bool) -> Walk | None:
        """Return the best walk, of at least one step, to a square that is not a goal."""
        if odd not in position.anywhere:
            next_positions = [
                self._next_place(position, neighbour)
                for neighbour, _ in self.paths.steps(position.square, position.chips[0])
                if neighbour not in self.game.board.goals
            ]
            stops = [
                self._stop(next_position, odd, self._best_stop(next_position, odd)) for next_position in next_positions
            ]
            position.anywhere[odd] = max(stops, key=_order, default=None)
        return position.anywhere[odd]

    def _stop(self, next_position: _Position, odd: bool, beyond: Walk | None) -> Walk:
        """Return the walk of one step to the next place, or that to the best stop beyond it if it is better."""
        play = self._round(next_position, odd, 0).play
        # Neither ends on a goal, and of equals the shorter is preferred: the stop.
        if beyond is None or (play.values[0], play.goal) >= (beyond.play.values[0], beyond.play.goal):
            return Walk(play, 0, None, (next_position.square,))
        return Walk(beyond.play, 0, None, (next_position.square, *beyond.steps))

    def _next_place(self, position: _Position, neighbour: Square) -> _Position:
        next_position = position.near.get(neighbour)
        if next_position is None:
            hands = self._pay_step(position.square, neighbour, position.chips)
            next_position = position.near[neighbour] = self._place(neighbour, hands)
        return next_position

    def _pay_step(self, square: Square, neighbour: Square, chips: Hands) -> Hands:
        """Return all hands, folded anew, when the customer has paid for a step."""
        hand, colour = chips[0], self.paths.price[neighbour]
        hands = ((*hand[:colour], hand[colour] - 1, *hand[colour + 1 :]), *chips[1:])
        if len(self.unusable[neighbour]) > len(self.unusable[square]):
            return tuple([self.folded(neighbour, owned) for owned in hands])
        return hands

    def _unusable_from(self, square: Square, everything: Chips) -> tuple[int, ...]:
        squares, fresh = {square}, [square]
        usable = set()
        while fresh:
            current = fresh.pop()
            for neighbour in self.paths.near[current] if current not in self.game.board.goals else ():
                if everything[self.paths.price[neighbour]]:
                    usable.add(self.paths.price[neighbour])
                    if neighbour not in squares:
                        squares.add(neighbour)
                        fresh.append(neighbour)
        return tuple(colour for colour in range(len(everything)) if colour not in usable)


class _Position:
    """A square and everybody's chips: what is the same in all rounds there, and what has been solved of them.

    Attributes
    ----------
    settled
        The customer's walk where it takes no search.
    to_goal, aims
        The best walk to a goal that the customer can pay; the provider and the need of each that is worth as much.
    bids
        The exchanges that are considered with each provider in every round, if they do not depend on it.
    sure
        What everybody's chips are worth.
    rounds, walks
        What is solved, by how long the customer has been idle and, for each, in even and in odd rounds.
    goes, stops, anywhere
        The best walks of at least one step by whether the next round is odd; those that stop on the way to a goal, by
        provider and need as well.
    near
        Where a step leads.
    """

    __slots__ = (
        "aims", "anywhere", "bids", "chips", "goes", "near", "rounds", "settled", "square", "stops", "sure", "to_goal",
        "walks",
    )  # fmt: skip

    def __init__(self, search: Search, square: Square, chips: Hands) -> None:
        self.square, self.chips, self.sure = square, chips, search.sure(chips)
        self.settled = search.considered.settled(search, State(square, chips, moving=True))
        self.to_goal: Walk | None = None
        self.aims: list[tuple[int, Need]] = []
        # The goals that the customer can pay its way to, each by its shortest path.
        if self.settled is None:
            for provider in search.providers:
                need = search.paths.shortest(square, provider, chips[0])
                if need is not None:
                    self._add_goal(Walk(search.reaching(self.sure, provider, need.length), provider, need), need)
        self.bids: dict[int, Bids] | None = None
        self.rounds: list[Round | None] = [None] * (2 * search.game.dormant_after)
        self.walks: list[Walk | None] = self.rounds.copy()  # type: ignore[assignment]
        self.goes: dict[bool, Walk | None] = {}
        self.anywhere: dict[bool, Walk | None] = {}
        self.stops: dict[tuple[int, Need, bool], Walk | None] = {}
        self.near: dict[Square, _Position] = {}

    def _add_goal(self, walk: Walk, need: Need) -> None:
        best_walk = self.to_goal
        if best_walk is None or walk.play.values[0] > best_walk.play.values[0]:
            self.aims = []
        if best_walk is None or walk.play.values[0] >= best_walk.play.values[0]:
            self.aims.append((walk.provider, need))
        if best_walk is None or _is_better(walk, best_walk):
            self.to_goal = walk


def _build_round(no_deal: Play, bids: Mapping[int, Bids], odd: bool) -> Round:
    """Return a round of offers by the providers if it is odd, else by the customer."""
    if odd:
        provider_bids, winner = providers_offer(no_deal, bids)
        offers = tuple(provider_bids[provider] for provider in sorted(provider_bids))
    else:
        winner = customer_offers(no_deal, bids)
        offers = () if winner is None else (winner,)
    return Round(no_deal if winner is None else winner.play, offers, winner)


def _is_better(walk: Walk, other: Walk) -> bool:
    """Whether the customer prefers the walk to the other."""
    value, other_value = walk.play.values[0], other.play.values[0]
    return value > other_value or (value == other_value and _order(walk) > _order(other))


def _order(walk: Walk) -> tuple[float, bool, int, int]:
    """Return how the customer orders walks, the preferred one highest."""
    length = len(walk.steps) if walk.need is None else walk.need.length
    return walk.play.values[0], walk.need is not None, walk.play.goal, -length
