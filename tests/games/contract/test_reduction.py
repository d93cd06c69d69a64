"""What the reductions keep, against plain search, and what commitment offers alone lose."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from negstats.games.contract import Chips, Game, Offer, Solution, State, Utility, committed_to, solve
from negstats.games.contract.board import Directions, added, subtracted
from negstats.games.contract.commitment import is_committed, lengths_to_commit
from negstats.games.contract.plain import EveryExchange
from negstats.games.contract.reduced import CommitmentOffers
from negstats.games.contract.rounds import Bid, Bids, Rank, rank
from negstats.games.contract.rules import paths_of
from negstats.games.contract.search import Considered, Search, Walk, Walks
from tests.games.contract.boards import BOARDS, LOOP, ROW
from tests.games.contract.referee import Referee, random_game


class EveryCommitment:
    """Commitment offers by plain search: all exchanges are listed, and the wrong ones left out one by one."""

    timeless = True

    def bids(self, search: Search, state: State, provider: int) -> Bids:
        own, both = state.chips[0], added(state.chips[0], state.chips[provider])
        values = []
        for hand in itertools.product(*[range(count + 1) for count in both]):
            chips = list(state.chips)
            chips[0], chips[provider] = hand, subtracted(both, hand)
            after = State(state.square, tuple(chips), state.odd, state.idle, moving=True)
            walk = self.settled(search, after)
            if walk is not None:
                moved = sum(map(abs, subtracted(hand, own)))
                values.append((rank(walk.play, provider), -moved, Bid(provider, walk.play, hand)))
        return Listed(provider, values)

    def settled(self, search: Search, state: State) -> Walk | None:
        return CommitmentOffers().settled(search, state)

    def hand(self, search: Search, state: State, bid: Bid) -> Chips:  # noqa: ARG002 - the bid is the hand
        return bid.exchange


class Listed:
    def __init__(self, provider: int, entries: list[tuple[Rank, int, Bid]]) -> None:
        self.provider, self.entries = provider, entries

    def beating(self, standing: Rank) -> Bid | None:
        above = [(bid.play.values[self.provider], order, moved, bid) for order, moved, bid in self.entries]
        return max((entry for entry in above if entry[1] > standing), default=(None,))[-1]

    def dearest(self, least: float) -> Bid | None:
        return max((entry for entry in self.entries if entry[2].play.values[self.provider] > least), default=(None,))[
            -1
        ]


def study_like(rng: np.random.Generator) -> Game:
    """A little board with two ways and bridges; as in the study the customer has the chips of the ways."""
    board = BOARDS[rng.integers(len(BOARDS))]
    customer = {"gray": int(rng.integers(0, 4)), "yellow": int(rng.integers(0, 4)), "purple": int(rng.integers(0, 3))}
    providers = [
        {"red": int(rng.integers(0, 4)), "purple": int(rng.integers(0, 3)), "gray": int(rng.integers(0, 2))}
        for _ in range(2)
    ]
    directions: Directions = "all" if rng.random() < 0.5 else "forward"
    return Game.of(board, customer, providers, directions=directions, goal_points=5 * int(rng.integers(2, 8)))


def states_of(search: Search) -> list[State]:
    return [
        State(square, chips, bool(when % 2), when // 2, moving=moving)
        for (square, chips), place in search.places.items()
        # A settled place keeps one walk for all the rounds that ask for it.
        for moving, solved in ((False, place.rounds), (True, place.rounds if place.settled else place.walks))
        for when, item in enumerate(solved)
        if item is not None
    ]


@pytest.mark.slow(keep=30)
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("walks", ["preferred", "all"])
def test_only_numbers_matter_among_commitment_offers(seed: int, walks: Walks) -> None:
    rng = np.random.default_rng([5, seed])
    game = study_like(rng)
    utility = Utility(pr=float(rng.choice([1, 0.6])), alpha=float(rng.choice([0, 0.02])))
    reduced = Search(game, utility, CommitmentOffers(), walks)
    plain = Search(game, utility, EveryCommitment(), walks)
    for search in (reduced, plain):
        search.round(State(game.board.start, tuple(search.folded(game.board.start, hand) for hand in game.chips)))
    for state in states_of(plain):
        if state.moving:
            assert reduced.walk(state) == plain.walk(state)
        else:
            mine, theirs = reduced.round(state), plain.round(state)
            assert mine.play == theirs.play
            assert [(bid.provider, bid.play) for bid in mine.offers] == [
                (bid.provider, bid.play) for bid in theirs.offers
            ]
            for bid, other in zip(mine.offers, theirs.offers, strict=True):
                hand = reduced.considered.hand(reduced, state, bid)
                own = state.chips[0]
                assert sum(hand) == sum(other.exchange)
                assert sum(map(abs, subtracted(hand, own))) == sum(map(abs, subtracted(other.exchange, own)))


@pytest.mark.slow(keep=60)
@pytest.mark.parametrize("seed", range(200))
def test_lengths_and_sizes_of_committed_hands(seed: int) -> None:
    rng = np.random.default_rng([6, seed])
    game = random_game(rng, providers=2 + seed % 2, chips=8) if seed % 4 else study_like(rng)
    paths, square, chips = paths_of(game), game.board.start, game.chips
    for provider, target in itertools.product(game.providers, repeat=2):
        both = added(chips[0], chips[provider])
        best: dict[int, int] = {}  # the shortest path by number of chips
        for hand in itertools.product(*[range(count + 1) for count in both]):
            after = [hand if player == 0 else other for player, other in enumerate(chips)]
            after[provider] = subtracted(both, hand)
            need = paths.shortest(square, target, hand)
            if need is not None and is_committed(paths, square, tuple(after), target):
                best[sum(hand)] = min(need.length, best.get(sum(hand), need.length))
        lengths = lengths_to_commit(paths, square, chips, provider, target)
        shapes = {
            size: next(length for length, most in lengths if length <= size <= most)
            for size in range(sum(both) + 1)
            if any(length <= size <= most for length, most in lengths)
        }
        assert shapes == best


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("considered", [EveryExchange, CommitmentOffers])
def test_folding_loses_nothing(seed: int, considered: type[Considered]) -> None:
    rng = np.random.default_rng([7, seed])
    utility = Utility(pr=float(rng.choice([1, 0.7])))
    # "z" and "v" lie nowhere, and a colour of the board may be out of reach or behind the customer.
    game = random_game(rng, providers=2, chips=6, goal_points=20)
    hands = [(*hand, int(rng.integers(0, 2))) for hand in game.chips]
    game = Game(game.board, (*game.colours, "v"), tuple(hands), game.directions, goal_points=20)
    folded = Search(game, utility, considered(), "all")
    whole = Search(game, utility, considered(), "all", fold=False)
    whole.round(State(game.board.start, tuple((*hand, 0) for hand in game.chips)))
    states = states_of(whole)
    for place in rng.permutation(len(states))[:2000]:
        state = states[place]
        image = state._replace(chips=tuple(folded.folded(state.square, hand) for hand in state.chips))
        if state.moving:
            assert folded.walk(image).play == whole.walk(state).play
        else:
            assert folded.round(image).play == whole.round(state).play


def test_the_method_follows_the_size_of_the_game() -> None:
    assert solve(Game.of(ROW, {"gray": 2}, [{"red": 2}, {"red": 2}])).method == "plain"
    assert solve(Game.of(ROW, {"gray": 12, "yellow": 12}, [{"red": 33}, {"red": 33}])).method == "commitments"


# What commitment offers lose. The customer is committed to provider 1, and purple squares join the ways to both goals.
COMMITTED = Game.of(LOOP, {"gray": 2, "purple": 2, "red": 1}, [{"yellow": 2}, {"red": 3}], goal_points=30)


@pytest.fixture(scope="module")
def plain() -> Solution:
    return solve(COMMITTED, method="plain", walks="all")


@pytest.mark.nightly
def test_a_committed_customer_need_not_walk_at_once(plain: Solution) -> None:
    assert committed_to(COMMITTED, COMMITTED.start) == (1,)
    state = COMMITTED.accept(COMMITTED.start, None)
    assert solve(COMMITTED, method="commitments").value(state) == (40, 40, 15)
    assert plain.value(state) == (45, 15, 35)


@pytest.mark.nightly
def test_it_sells_its_way_to_the_other_provider_and_buys_another_from_the_first(plain: Solution) -> None:
    gray, yellow = COMMITTED.colours.index("gray"), COMMITTED.colours.index("yellow")
    state = COMMITTED.accept(COMMITTED.start, None)
    deals: list[Offer] = []
    while not COMMITTED.ended(state := COMMITTED.move(state, plain.path(state))):
        deal = plain.response(state, plain.offer(state))
        deals += [] if deal is None else [deal]
        state = COMMITTED.accept(state, deal)
    sold, *bought = deals
    assert sold.provider == 2
    assert sold.to_provider[gray] == 1
    assert [deal.provider for deal in bought] == [1, 1]
    assert [deal.to_customer[yellow] for deal in bought] == [1, 1]
    assert COMMITTED.goal_reached(state) == 2
    assert COMMITTED.scores(state) == (45, 15, 35)


@pytest.mark.slow
def test_the_referee_sees_a_gain_where_there_is_one() -> None:
    referee = Referee(solve(COMMITTED, method="commitments"))
    states = {COMMITTED.start}
    for _ in range(2):
        states |= {later for state in states for later in referee.successors(state)}
    assert max(gain for state in states for gain, _ in referee.gains(state)) > 0
