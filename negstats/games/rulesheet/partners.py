"""A negotiator that searches over whole bids, with beliefs about how its partner concedes.

Solved to its end, alternating offers give nearly all to whoever makes the last offer that can be answered, and the
other may as well accept at once. Partners who concede are not like that. The searcher therefore takes its partner for
one of many who concede by schedules (`aspiration`), weighs these by what the partner bid and refused so far (Bayes'
rule), draws one of them for each iteration of the tree search, and chooses the best answer to all of them. Silver and
Veness (2010), *Monte-Carlo planning in large POMDPs*, draw the hidden state at the root in this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import UsageError
from negstats.games.rulesheet.game import GroundGame, Move
from negstats.games.rulesheet.negotiators import ACCEPT, aspiration
from negstats.games.rulesheet.plans import MOST, PlanGame, Talk, View
from negstats.games.rulesheet.rules import Rules
from negstats.games.rulesheet.tree_search import Searched, Vector, uct_search

TYPES = 200
EXPONENTS = (0.2, 5.0)  # from holding out to giving in, alike on a log scale
FLOORS = (0.0, 0.6)  # shares of the best, alike
SPREAD = 0.08  # standard deviation of a bid about the schedule, as a share of the best
OUTLIER = -4.0  # log-likelihood of what fits no schedule: nobody is ruled out by one bid


@dataclass(frozen=True, slots=True)
class _Schedule:
    """What one conceding negotiator wants and bids when so many rounds are over."""

    wants: tuple[float, ...]
    places: tuple[int, ...]


def build_schedule(plans: PlanGame, mine: int, exponent: float, floor: float) -> _Schedule:
    """Return the schedule of a role: each bid is the least of those that pay it what it wants."""
    pays = np.array([worth[mine] for worth in plans.worths])
    order = np.argsort(pays, kind="stable")
    best_worth = float(pays[order[-1]])
    goals = [aspiration(t / plans.rounds, best_worth, floor * best_worth, e=exponent) for t in range(plans.rounds)]
    plan_indices = order[np.minimum(np.searchsorted(pays[order], goals), len(order) - 1)]
    return _Schedule(tuple(pays[plan_indices].tolist()), tuple(plan_indices.tolist()))


def draw_schedules(plans: PlanGame, mine: int, n: int, rng: np.random.Generator) -> list[_Schedule]:
    """Return schedules of a role with exponents and floors from the prior."""
    exponents = np.exp(rng.uniform(np.log(EXPONENTS[0]), np.log(EXPONENTS[1]), size=n)).tolist()
    floors = rng.uniform(FLOORS[0], FLOORS[1], size=n).tolist()
    return [build_schedule(plans, mine, e, floor) for e, floor in zip(exponents, floors, strict=True)]


@dataclass(slots=True)
class Beliefs:
    """How likely each schedule is for the partner, and schedules for the searcher's own moves beyond the tree.

    Attributes
    ----------
    plans : PlanGame
        The negotiation.
    partner : int
        The partner's place among the roles.
    theirs, ours : list
        Schedules of the partner and of the searcher.
    log_weights : numpy.ndarray
        The logarithm of how likely each of the partner's is, up to a constant.
    """

    plans: PlanGame
    partner: int
    theirs: list[_Schedule]
    ours: list[_Schedule]
    log_weights: npt.NDArray[np.float64]
    _wants: npt.NDArray[np.float64] = field(repr=False)

    @classmethod
    def of(cls, plans: PlanGame, partner: int, rng: np.random.Generator, *, types: int = TYPES) -> Beliefs:
        """Return the beliefs before the first bid.

        Parameters
        ----------
        plans
            The negotiation.
        partner
            The partner's place among the roles, 0 or 1.
        rng
            The random numbers that draw the schedules.
        types
            How many schedules are drawn for each of the two roles.

        Returns
        -------
        Beliefs
            All of the partner's schedules are equally likely.
        """
        partner_schedules, own_schedules = (
            draw_schedules(plans, party, types, rng) for party in (partner, 1 - partner)
        )
        wants = np.array([schedule.wants for schedule in partner_schedules])
        return cls(plans, partner, partner_schedules, own_schedules, np.zeros(types), wants)

    def see_bid(self, number: int, pays: float) -> None:
        """Learn from the partner's bid number `number` (from 0), which pays it so much.

        Parameters
        ----------
        number
            How many rounds were over when the partner made the bid; the bids of both count.
        pays
            What the bid pays the partner, in points of the sheet.
        """
        tolerance = SPREAD * float(self._wants.max())
        gaps = (pays - self._wants[:, number]) / tolerance
        self.log_weights = self.log_weights + np.maximum(-0.5 * gaps**2, OUTLIER)

    def see_refusal(self, number: int, pays: float) -> None:
        """Learn that the partner refused so much when `number` rounds were over.

        Parameters
        ----------
        number
            How many rounds were over when the partner refused; the bids of both count.
        pays
            What the refused bid would have paid the partner, in points of the sheet.
        """
        self.log_weights = self.log_weights + np.where(self._wants[:, number] <= pays, OUTLIER, 0.0)

    def weights(self) -> npt.NDArray[np.float64]:
        """Return how likely each schedule is.

        Returns
        -------
        ndarray of float
            Probabilities of the partner's schedules, (schedules,), in the order of ``theirs``; they sum to 1.
        """
        weights = np.exp(self.log_weights - self.log_weights.max())
        return np.asarray(weights / weights.sum())

    def frozen(self) -> Drawing:
        """Return the beliefs as the search draws from them.

        Returns
        -------
        Drawing
            The schedules with their cumulative probabilities; what is learnt later does not change it.
        """
        return Drawing(self.plans, self.partner, self.theirs, self.ours, np.cumsum(self.weights()))


@dataclass(frozen=True, slots=True)
class Drawing:
    """Beliefs while one move is searched for."""

    plans: PlanGame
    partner: int
    theirs: Sequence[_Schedule]
    ours: Sequence[_Schedule]
    cumulative: npt.NDArray[np.float64]

    def draw(self, rng: np.random.Generator) -> Pair:
        """Return a partner and how the searcher goes on beyond the tree."""
        first_draw, second_draw = rng.random(2).tolist()
        index = min(int(np.searchsorted(self.cumulative, first_draw, side="right")), len(self.theirs) - 1)
        own_schedule = self.ours[int(second_draw * len(self.ours))]
        return Pair(self.plans, self.partner, (own_schedule, self.theirs[index]))


@dataclass(frozen=True, slots=True)
class Pair:
    """A searcher and a partner, each with a schedule."""

    plans: PlanGame
    partner: int
    schedules: tuple[_Schedule, _Schedule]

    def move(self, state: Talk, moves: Sequence[Move]) -> Move:
        """Return the partner's move: it accepts what pays as much as its next bid, and at the end anything."""
        schedule = self.schedules[1]
        if state.offer is not None and self._accepts(schedule, state.round, state.offer[self.partner]):
            return ACCEPT
        bid = f"(bid {schedule.places[state.round]})"
        return bid if bid in moves else moves[-1]

    def payoffs(self, state: Talk) -> Vector:
        """Return what both get where both follow their schedules from here on."""
        offer = state.offer
        for number in range(state.round, self.plans.rounds):
            mover = number % 2
            schedule = self.schedules[int(mover == self.partner)]
            if offer is not None and self._accepts(schedule, number, offer[mover]):
                return offer
            offer = self.plans.worths[schedule.places[number]]
        return (0.0, 0.0)

    def _accepts(self, schedule: _Schedule, number: int, pays: float) -> bool:
        return pays >= schedule.wants[number] or (number == self.plans.rounds - 1 and pays > 0)


class Searcher:
    """A negotiator that searches over whole bids. `searching` makes it.

    Attributes
    ----------
    view : View
        The sheet as a game of whole bids.
    beliefs : Beliefs
        What it thinks of its partner.
    searches : dict[int, Searched]
        What each search said, by the number of rounds that were over.
    """

    def __init__(
        self,
        view: View,
        rng: np.random.Generator,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        tree: bool = True,
    ) -> None:
        if playouts is None and seconds is None:
            raise UsageError("neither playouts nor seconds limits the search; give one")
        self.view, self.rng, self.playouts, self.seconds, self.tree = view, rng, playouts, seconds, tree
        self.mine = view.plans.roles.index(view.role)
        self.beliefs = Beliefs.of(view.plans, 1 - self.mine, rng)
        self.searches: dict[int, Searched] = {}
        self._own_bid: tuple[float, float] | None = None

    def move(self, state: Any, legal: Sequence[Move]) -> Move:
        """Search at the beginning of a turn, then follow the plan.

        Parameters
        ----------
        state
            A state of the sheet.
        legal
            The searcher's legal moves there, at least one.

        Returns
        -------
        Move
            One of the legal moves: the only one, or the next on the way to what the search of this turn chose.
        """
        if len(legal) == 1:
            return legal[0]
        talk = self.view.talk(state)
        if talk.round not in self.searches:
            self.searches[talk.round] = self.search(talk)
        return self.view.move(state, legal, self.searches[talk.round].move)

    def search(self, talk: Talk) -> Searched:
        """Learn from the partner's last turn, and search.

        Parameters
        ----------
        talk
            Where the negotiation is, at the beginning of the searcher's turn.

        Returns
        -------
        Searched
            What the search says: its move is ``accept`` or ``(bid k)``, its payoffs are in points of the sheet.
        """
        partner, plans = 1 - self.mine, self.view.plans
        if talk.offer is not None:
            # A counteroffer says two things of the partner: what it refused, and what it asks.
            if self._own_bid is not None:
                self.beliefs.see_refusal(talk.round - 1, self._own_bid[partner])
            self.beliefs.see_bid(talk.round - 1, talk.offer[partner])
        searched = uct_search(
            plans,
            self.view.role,
            rng=self.rng,
            start=talk,
            playouts=self.playouts,
            seconds=self.seconds,
            model=self.beliefs.frozen(),
            tree=self.tree,
        )
        self._own_bid = None if searched.move == ACCEPT else plans.worths[plans.place(searched.move)]
        return searched


def searching(
    rules: Rules,
    game: GroundGame,
    role: str,
    rng: np.random.Generator,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    tree: bool = True,
    most: int = MOST,
) -> Searcher:
    """Return a negotiator for the sheets of `protocol_specific` that searches over whole bids.

    Parameters
    ----------
    rules, game
        The sheet, and the same grounded.
    role
        Whom it moves for.
    rng
        The random numbers: the same ones and the same `playouts` give the same moves.
    playouts, seconds
        The limits of a search, in iterations and in processor seconds; one search a turn.
    tree
        False: flat Monte Carlo over whole bids, with the same beliefs.
    most
        The largest number of bids it weighs.

    Returns
    -------
    Searcher
        The negotiator, for one game.

    Raises
    ------
    DesignError
        If the sheet has neither protocol.
    UsageError
        If no limit is set.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, play, protocol_specific, sheet
    >>> rules = parse(sheet.large_domain(rounds=5))
    >>> game, rng = ground(rules), np.random.default_rng(1)
    >>> players = {
    ...     "a1": searching(rules, game, "a1", rng, playouts=200),
    ...     "a2": protocol_specific(rules, game, "a2"),
    ... }
    >>> payoffs = play(game, players, rng=rng).payoffs
    >>> payoffs["a1"] > payoffs["a2"]
    True
    """
    return Searcher(View.of(rules, game, role, most=most), rng, playouts=playouts, seconds=seconds, tree=tree)
