"""Solve a contract game: who offers what, what is accepted, where the customer goes, and what that is worth.

The board is not printed as such; it is put together from the text and the appendix. Both goals are nine steps from the
start, over squares of their own colour. Purple bridges lead from one side to the other. Red lies nowhere: with red
squares on the way, eleven chips would be no commitment. The colour of the start is not known; it cannot be entered
again.

The appendix gives the customer 330 points on every square from beside the goal down to the fourth (item 4), then 350,
360 and 370. The path along the right edge gives 330 on squares 8, 7 and 6, and every other printed value. No board
gives 330 on square 5. On square 4 the printed 350 says that gray is nine steps away: 5 (24 - 4 + 29 - 9) + 150, for a
customer who has paid four chips and gets 29 more by the deal. From square 5 it can step back and walk those nine
steps, so gray is at most ten steps away, and the deal is worth at least 5 (24 - 5 + 29 - 10) + 150 = 340.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from negstats.errors import DesignError, shown
from negstats.games.contract.board import Board, Offer, Square, State
from negstats.games.contract.plain import EveryExchange, plain_states
from negstats.games.contract.reduced import CommitmentOffers
from negstats.games.contract.rounds import Bid, Play, rank
from negstats.games.contract.rules import Game, exchange, paths_of
from negstats.games.contract.search import Considered, Search, Utility, Walks

Method = Literal["auto", "plain", "commitments"]

METHODS: dict[str, type[EveryExchange | CommitmentOffers]] = {
    "plain": EveryExchange,
    "commitments": CommitmentOffers,
}
PLAIN = 30_000  # states up to which plain search takes seconds
KEPT = 80_000  # squares with hands that a solution keeps, some 400 megabytes, before it forgets them


class Solution:
    """A game's equilibrium: a strategy for everybody, at every state of the game.

    States are found as they are asked for and kept; those on the way from the start are there from the beginning.

    Attributes
    ----------
    game, utility
        What was solved.
    method
        ``"plain"`` or ``"commitments"``.
    walks
        Where the customer may stop: ``"preferred"`` or ``"all"``.
    """

    def __init__(self, game: Game, utility: Utility, method: Literal["plain", "commitments"], walks: Walks) -> None:
        self.game, self.utility, self.method, self.walks = game, utility, method, walks
        considered: Considered = METHODS[method]()
        self._search = Search(game, utility, considered, walks)
        self._offers: dict[State, tuple[Offer, ...]] = {}
        # A step or a round without one takes up to eight calls.
        self._depth = 8 * (game.dormant_after + 1) * (sum(map(sum, game.chips)) + 2)
        self.value(game.start)

    def __repr__(self) -> str:
        """Return the game's size and what was considered."""
        board = self.game.board
        return f"<Solution of {board.rows} × {board.columns} squares, method {self.method!r}, walks {self.walks!r}>"

    def value(self, state: State) -> tuple[float, ...]:
        """Return what the play from a state on is worth to each player, in points, the customer first.

        Points are expected points for a risk-neutral player, a certainty equivalent otherwise (`Utility`).

        Parameters
        ----------
        state
            A state of this game.

        Returns
        -------
        tuple[float, ...]
            One number a player.
        """
        if self.game.ended(state):
            return tuple(map(float, self.game.scores(state)))
        return self._play(state).values

    def offer(self, state: State) -> tuple[Offer, ...]:
        """Return the offers that are made in a state before the round's offers: the providers', or the customer's.

        Providers who have no use for an offer make none; nor does the customer.

        Parameters
        ----------
        state
            A state of this game.

        Returns
        -------
        tuple[Offer, ...]
            The offers on the table; none if nobody makes one.

        Raises
        ------
        DesignError
            If the game is over or the customer is to move.
        """
        if state not in self._offers:
            self._check(state, moving=False)
            folded_state = self._fold_state(state)
            with self._room():
                bids = self._search.round(folded_state).offers
            self._offers[state] = tuple(self._build_offer(state, folded_state, bid) for bid in bids)
        return self._offers[state]

    def response(self, state: State, offers: Sequence[Offer]) -> Offer | None:
        """Return which of the offers that lie on the table is accepted, be they of equilibrium or not; None if none is.

        In odd rounds the customer chooses, in even rounds the provider addressed says yes or no.

        Parameters
        ----------
        state
            A state of this game.
        offers
            The offers on the table.

        Returns
        -------
        Offer or None
            The accepted offer.

        Raises
        ------
        DesignError
            If the game is over, the customer is to move, or an offer is not possible.
        """
        self._check(state, moving=False)
        no_deal = self._play(self.game.accept(state, None))
        plays = [(offer, self._play(self.game.accept(state, offer))) for offer in offers]
        if state.odd:
            candidates = [(rank(play, offer.provider), offer) for offer, play in plays]
            best_candidate = max(candidates, default=None)
            return best_candidate[1] if best_candidate is not None and best_candidate[0] > rank(no_deal) else None
        willing = [offer for offer, play in plays if play.values[offer.provider] > no_deal.values[offer.provider]]
        return willing[0] if willing else None

    def path(self, state: State) -> tuple[Square, ...]:
        """Return the squares that the customer enters in a state after the round's offers; none if it stays.

        Parameters
        ----------
        state
            A state of this game.

        Returns
        -------
        tuple[Square, ...]
            Squares in the order in which they are entered.

        Raises
        ------
        DesignError
            If the game is over or the round's offers are to come.
        """
        self._check(state, moving=True)
        with self._room():
            walk = self._search.walk(self._fold_state(state))
        return walk.steps if walk.need is None else self._search.paths.path(state.square, walk.provider, walk.need)

    def _play(self, state: State) -> Play:
        with self._room():
            folded_state = self._fold_state(state)
            return self._search.walk(folded_state).play if state.moving else self._search.round(folded_state).play

    def _fold_state(self, state: State) -> State:
        return state._replace(chips=tuple([self._search.folded(state.square, hand) for hand in state.chips]))

    def _build_offer(self, state: State, folded_state: State, bid: Bid) -> Offer:
        """Return an offer in the game itself for a bid in folded chips; of chips that fold, the first colours first."""
        unusable = self._search.unusable[state.square]
        hand = self._search.considered.hand(self._search, folded_state, bid)
        counts = [own_count if colour in unusable else hand[colour] for colour, own_count in enumerate(state.chips[0])]
        spare = hand[-1] - folded_state.chips[0][-1]
        for colour in unusable:
            provider_count, own_count = state.chips[bid.provider][colour], state.chips[0][colour]
            amount = min(spare, provider_count) if spare > 0 else max(spare, -own_count)
            counts[colour] += amount
            spare -= amount
        return exchange(bid.provider, state.chips[0], tuple(counts))

    def _check(self, state: State, *, moving: bool) -> None:
        if self.game.ended(state):
            raise DesignError(f"the game is over on square {state.square}, idle for {state.idle} rounds")
        if state.moving != moving:
            raise DesignError("the customer is to move" if state.moving else "the round's offers are to come first")

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Make room for what a new state may take: memory, and calls within calls."""
        if len(self._search) > KEPT:
            self._search.clear()
            self._offers.clear()
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + self._depth)
        try:
            yield
        finally:
            sys.setrecursionlimit(limit)


def solve(
    game: Game, utility: Utility | None = None, *, method: Method = "auto", walks: Walks = "preferred"
) -> Solution:
    """Find the equilibrium of a contract game by backward induction.

    Parameters
    ----------
    game
        What is played.
    utility
        The chance that a walk succeeds and the players' risk aversion; sure and risk neutral by default.
    method
        ``"plain"`` considers every exchange, ``"commitments"`` those that commit the customer (see
        `negstats.games.contract.reduced` for what that loses); ``"auto"`` is plain for small games.
    walks
        Where the customer may stop. ``"preferred"``: on its way to the goal that is worth most to it, by the shortest
        path that its own chips can pay; the figures of Haim et al. (2017) are those of this reading. ``"all"``:
        everywhere its chips carry it, which lets it burn chips.

    Returns
    -------
    Solution
        A strategy for everybody at every state.

    Raises
    ------
    DesignError
        If `method` or `walks` is unknown.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    The first round on the study's board: both providers offer all their 40 chips for 11, and SP_g's offer is accepted.

    >>> from negstats.games.contract import solve, study_game
    >>> game = study_game()
    >>> game.colours
    ('gray', 'yellow', 'purple', 'red')
    >>> solution = solve(game)
    >>> for offer in solution.offer(game.start):
    ...     print(offer)
    Offer(provider=1, to_customer=(0, 0, 7, 33), to_provider=(0, 11, 0, 0))
    Offer(provider=2, to_customer=(0, 0, 7, 33), to_provider=(11, 0, 0, 0))
    >>> deal = solution.response(game.start, solution.offer(game.start))
    >>> deal.provider, solution.path(game.accept(game.start, deal))[-1]
    (1, (0, 0))
    >>> solution.value(game.start)
    (370.0, 205.0, 200.0)
    """
    if method not in ("auto", *METHODS):
        raise DesignError(f"method is {shown(method)}; give 'auto', 'plain' or 'commitments'")
    if walks not in ("preferred", "all"):
        raise DesignError(f"walks is {shown(walks)}; give 'preferred' or 'all'")
    if method == "auto":
        method = "plain" if plain_states(game) <= PLAIN else "commitments"
    return Solution(game, utility if utility is not None else Utility(), method, walks)


NAMES = {"g": "gray", "y": "yellow", "p": "purple"}
BOARD = """
g . . . . . . . y
g p p p p p p p y
g . . . . . . . y
g g g p p p y y y
. . g g . y y . .
. . . g . y . . .
"""


def study_game(**rules: Any) -> Game:
    """Return the game of the study: SP_g is provider 1, SP_y provider 2.

    The customer has 12 gray and 12 yellow chips, each provider 33 red and 7 purple. `rules` are those of `Game`, such
    as ``directions="forward"``.

    Parameters
    ----------
    **rules
        Rules of `Game` other than the study's.

    Returns
    -------
    Game
        The game with the board, the chips and the rules.

    Examples
    --------
    >>> game = study_game()
    >>> game.board.start, game.board.goals
    ((5, 4), ((0, 0), (0, 8)))
    >>> [sum(hand) for hand in game.chips]
    [24, 40, 40]
    """
    board = Board.parse(BOARD, NAMES, start=(5, 4), goals=((0, 0), (0, 8)))
    provider = {"red": 33, "purple": 7}
    return Game.of(board, {"gray": 12, "yellow": 12}, [provider, provider], **rules)


def three_squares(customer: Mapping[str, int], gray: Mapping[str, int], yellow: Mapping[str, int]) -> Game:
    """Return an example of Haim et al. (2017) on three squares in a row: the gray goal, the start, the yellow goal.

    The customer must move in each round (d = 1).

    Parameters
    ----------
    customer, gray, yellow
        The chips of the customer, SP_g and SP_y, beside the ten red ones that each has.

    Returns
    -------
    Game
        The game.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    SP_g has a gray chip more and SP_y a yellow one; the customer offers:

    >>> from negstats.games.contract import solve
    >>> game = three_squares({}, {"gray": 1}, {"yellow": 1})
    >>> solve(game).value(game.start._replace(odd=False))
    (250.0, 150.0, 55.0)
    """
    hands = [{"red": 10, **hand} for hand in (customer, gray, yellow)]
    board = Board.parse("g.y", NAMES, start=(0, 1), goals=((0, 0), (0, 2)))
    return Game.of(board, hands[0], hands[1:], dormant_after=1)


@dataclass(frozen=True, slots=True)
class ChainState:
    """A state `steps` on the way to a goal, without a deal so far, in a round in which the customer has to move.

    Attributes
    ----------
    steps, square
        How far the customer has come, and where it stands.
    offering
        Who makes offers in this round.
    values
        What the state is worth to each player, the customer first.
    offers, accepted
        What is offered in equilibrium, and which offer is accepted.
    """

    steps: int
    square: Square
    offering: Literal["providers", "customer"]
    values: tuple[float, ...]
    offers: tuple[Offer, ...]
    accepted: Offer | None


def chain_of_states(solution: Solution, provider: int = 2) -> list[ChainState]:
    """Return the states on the way to a provider's goal, last before it first (Haim et al., 2017, appendix).

    Parameters
    ----------
    solution
        Of a game whose customer can pay a path to the goal with the chips it has at the start.
    provider
        To whose goal.

    Returns
    -------
    list of ChainState
        Two a square: the providers offer, the customer offers. ``pandas.DataFrame(chain)`` makes a frame of it.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    >>> from negstats.games.contract import solve
    >>> for state in chain_of_states(solve(study_game()))[:2]:
    ...     print(state.steps, state.offering, state.values, state.accepted.provider)
    8 providers (330.0, 200.0, 245.0) 2
    8 customer (330.0, 205.0, 200.0) 1
    """
    game, chips = solution.game, solution.game.chips
    paths = paths_of(game)
    need = paths.shortest(game.board.start, provider, chips[0])
    path = () if need is None else paths.path(game.board.start, provider, need)
    # Along the shortest path that the customer can pay, its chips are spent step by step.
    positions = [(game.board.start, chips[0])]
    for step in path[:-1]:
        square, hand = positions[-1]
        positions.append((step, dict(paths.steps(square, hand))[step]))
    chain = []
    # At each step a round of either kind, in which the customer has to move.
    for steps, (square, hand) in reversed(list(enumerate(positions))):
        for odd in (True, False):
            state = State(square, (hand, *chips[1:]), odd, idle=game.dormant_after - 1)
            offers = solution.offer(state)
            chain.append(
                ChainState(
                    steps,
                    square,
                    "providers" if odd else "customer",
                    solution.value(state),
                    offers,
                    solution.response(state, offers),
                )
            )
    return chain
