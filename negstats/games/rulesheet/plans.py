"""Negotiations as games of whole plans: one move is an acceptance or a whole bid, however many moves the sheet needs.

The sheets of `negstats.games.rulesheet.sheet` in which two parties make offers in turn: offers over a pie, and
contracts that are put together value by value. Of 10^10 contracts only those matter that are Pareto optimal: any other
has one that is better for one party and no worse for the other. What a plan pays if nothing restricts it bounds the
payoffs of each state: nobody gets less than what it may accept, or more than the best plan that can still be answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable, UsageError
from negstats.games.pareto import pareto_optimal
from negstats.games.rulesheet.boxes import Boxes, best_contract
from negstats.games.rulesheet.domain import Contract, Domain, Totals
from negstats.games.rulesheet.game import GroundGame, Move
from negstats.games.rulesheet.negotiators import ACCEPT, Table, table_of
from negstats.games.rulesheet.rules import Rules

MOST = 16  # bids in a state
WAIT = "noop"  # of who is not on turn


class Talk(NamedTuple):
    """A state of a negotiation: proposals so far, what the last one pays each role, and whether it was accepted."""

    round: int
    offer: tuple[float, float] | None = None
    accepted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PlanGame:
    """A negotiation of two roles whose moves are ``accept`` and ``(bid k)``. `plan_game` makes it.

    Attributes
    ----------
    roles : tuple[str, ...]
        The sheet's; the first makes the first bid, and they take turns.
    contracts : tuple
        What may be bid, rising in what it pays the first role.
    worths : tuple[tuple[float, float], ...]
        What each contract pays the roles.
    rounds : int
        How many bids may be made; nobody can answer the last one.
    """

    roles: tuple[str, ...]
    contracts: tuple[Contract, ...]
    worths: tuple[tuple[float, float], ...]
    rounds: int

    @property
    def first(self) -> Talk:
        """Before the first bid."""
        return Talk(0)

    def mover(self, state: Talk) -> int:
        """Return the place of the role that is on turn.

        Parameters
        ----------
        state
            A state of the negotiation.

        Returns
        -------
        int
            0 for the role that makes the first bid, 1 for the other.
        """
        return state.round % 2

    def legal(self, state: Talk) -> dict[str, tuple[Move, ...]]:
        """Return whether to accept, and the bids; a bid that nobody can answer stands for all of its kind.

        Parameters
        ----------
        state
            A state that is not over.

        Returns
        -------
        dict[str, tuple[Move, ...]]
            The moves of each role, rising in what the bids pay the first role, ``accept`` before them once there is an
            offer; ``noop`` alone for the role that is not on turn.
        """
        mover_index = self.mover(state)
        offered = state.offer
        if state.round == self.rounds - 1:
            bids: tuple[int, ...] = (self._place_best(mover_index),)
        else:
            # Each pays the other more than no agreement does, and the mover more than what it may accept now.
            at_least = -1.0 if offered is None else offered[mover_index]
            bid_indices = [
                i for i, worth in enumerate(self.worths) if worth[mover_index] > at_least and worth[1 - mover_index] > 0
            ]
            bids = tuple(bid_indices) or (self._place_best(mover_index),)
        moves = tuple(f"(bid {index})" for index in bids)
        own_moves = moves if offered is None else (ACCEPT, *moves)
        return {role: own_moves if index == mover_index else (WAIT,) for index, role in enumerate(self.roles)}

    def next(self, state: Talk, profile: Mapping[str, Move]) -> Talk:
        """Return the state after a bid or an acceptance.

        Parameters
        ----------
        state
            A state that is not over.
        profile
            The move of each role; only that of the role on turn counts.

        Returns
        -------
        Talk
            After a bid one round more is over; after an acceptance the same offer stands, accepted.

        Raises
        ------
        UsageError
            If the move is neither ``accept`` nor a bid of the game.
        """
        move = profile[self.roles[self.mover(state)]]
        if move == ACCEPT:
            return Talk(state.round, state.offer, accepted=True)
        return Talk(state.round + 1, self.worths[self.place(move)])

    def over(self, state: Talk) -> bool:
        """Whether a bid was accepted, or the last one made.

        Parameters
        ----------
        state
            A state of the negotiation.

        Returns
        -------
        bool
            True if nobody moves any more.
        """
        return state.accepted or state.round >= self.rounds

    def payoffs(self, state: Talk) -> dict[str, float]:
        """Return what the accepted bid pays, or nothing.

        Parameters
        ----------
        state
            A state of the negotiation.

        Returns
        -------
        dict[str, float]
            Points of each role; 0 for both where no bid was accepted.
        """
        pays = state.offer if state.accepted and state.offer is not None else (0.0, 0.0)
        return dict(zip(self.roles, pays, strict=True))

    def holds(self, state: Talk, fluent: str) -> bool:
        """Whether a bid was accepted: the only fluent is ``accepted``.

        Parameters
        ----------
        state
            A state of the negotiation.
        fluent
            The fluent's text.

        Returns
        -------
        bool
            True if it is ``accepted`` and a bid was accepted.
        """
        return fluent == "accepted" and state.accepted

    def bounds(self, state: Talk) -> dict[str, tuple[float, float]]:
        """Return the least and the most that each role may get from a state on, where each plays for itself.

        Parameters
        ----------
        state
            A state of the negotiation.

        Returns
        -------
        dict[str, tuple[float, float]]
            The least and the most points of each role; both are its payoff where the state is over.
        """
        mover_index, offered = self.mover(state), state.offer or (0.0, 0.0)
        if self.over(state):
            return {role: (payoff, payoff) for role, payoff in self.payoffs(state).items()}
        answerable = self.worths if state.round < self.rounds - 1 else ()
        bounds = {}
        for index, role in enumerate(self.roles):
            largest = max([0.0, *(worth[index] for worth in answerable)])
            bounds[role] = (offered[index] if index == mover_index else 0.0, max(largest, offered[index]))
        return bounds

    def place(self, move: Move) -> int:
        """Return the place of a bid among the contracts.

        Parameters
        ----------
        move
            A bid, such as ``"(bid 0)"``.

        Returns
        -------
        int
            Counted from 0, as ``contracts`` has them.

        Raises
        ------
        UsageError
            If the move is not a bid.
        """
        digits = move.removeprefix("(bid ").removesuffix(")")
        if not digits.isdecimal() or int(digits) >= len(self.contracts):
            raise UsageError(f"move is {move!r}; give (bid 0) to (bid {len(self.contracts) - 1})")
        return int(digits)

    def _place_best(self, mine: int) -> int:
        return len(self.worths) - 1 if mine == 0 else 0


def plan_game(rules: Rules, game: GroundGame, *, most: int = MOST) -> PlanGame:
    """Read a sheet as a game of whole bids.

    Parameters
    ----------
    rules, game
        The sheet, and the same grounded.
    most
        The largest number of bids; of a larger Pareto frontier as many are taken, alike far apart in what they pay the
        first role.

    Returns
    -------
    PlanGame
        The game.

    Raises
    ------
    DesignError
        If the sheet has neither protocol, or no contract pays anybody anything.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, own_payoff, parse, sheet
    >>> rules = parse(sheet.large_domain(rounds=4))
    >>> plans = plan_game(rules, ground(rules))
    >>> len(plans.contracts), plans.worths[-1], own_payoff(plans).value()
    (14, (100.0, 64.0), {'a1': 100.0, 'a2': 64.0})
    """
    tables = {role: table_of(rules, game, role) for role in rules.roles}
    contracts = _list_contracts(rules, tables)
    worths = np.array([[tables[role].worth(contract) for role in rules.roles] for contract in contracts], dtype=float)
    kept = np.flatnonzero(pareto_optimal(worths))
    _, distinct = np.unique(worths[kept], axis=0, return_index=True)
    kept = kept[distinct]  # rising in the first role's
    if not worths[kept].any():
        raise DesignError(f"sheet {rules.name!r} pays no role anything, so that no bid is worth more than another")
    if len(kept) > most:
        kept = kept[_evenly_spread(worths[kept, 0], most)]
    return PlanGame(
        rules.roles,
        tuple(contracts[place] for place in kept.tolist()),
        tuple((float(first_worth), float(second_worth)) for first_worth, second_worth in worths[kept].tolist()),
        min(table.rounds for table in tables.values()),
    )


def _evenly_spread(values: npt.NDArray[np.float64], n_steps: int) -> npt.NDArray[np.intp]:
    """Return the places of the values next to as many equal steps from the least to the most."""
    targets = np.linspace(values[0], values[-1], n_steps)
    return np.unique(np.abs(values[:, np.newaxis] - targets).argmin(axis=0))


def _list_contracts(rules: Rules, tables: Mapping[str, Table]) -> list[Contract]:
    if rules.facts("share"):
        return [(share,) for share in range(int(tables[rules.roles[0]].best) + 1)]
    domain = Domain.of(rules)
    first_role, second_role = rules.roles
    if domain.worths:
        totals = Totals(list(domain.worths[first_role]), list(domain.worths[second_role]))
        return [totals.contract(int(total)) for total in totals.frontier()[:, 0]]
    own, partner = (Boxes.of(rules, role) for role in rules.roles)
    contracts = []
    for partner_least in np.linspace(0, tables[second_role].best, MOST):
        try:
            contracts.append(best_contract(own, partner=partner, at_least=float(partner_least)).contract)
        except NotEstimable:  # a rounding error above the partner's best
            continue
    return contracts


@dataclass(frozen=True, slots=True)
class View:
    """A sheet's states as states of its `PlanGame`, and bids as moves of the sheet.

    Attributes
    ----------
    plans : PlanGame
        The game of whole bids.
    tables : dict[str, Table]
        The protocol as each role sees it.
    role : str
        Whose moves are asked for.
    """

    plans: PlanGame
    tables: Mapping[str, Table]
    role: str

    @classmethod
    def of(cls, rules: Rules, game: GroundGame, role: str, *, most: int = MOST) -> View:
        """Return a role's view of a sheet; raises DesignError as `plan_game` does."""
        plans = plan_game(rules, game, most=most)
        return cls(plans, {role_name: table_of(rules, game, role_name) for role_name in rules.roles}, role)

    def talk(self, state: Any) -> Talk:
        """Return where the negotiation is in a state of the sheet."""
        table = self.tables[self.role]
        contract = table.offered(state)
        if contract is None:
            return Talk(table.round(state))
        first_worth, second_worth = (self.tables[role].worth(contract) for role in self.plans.roles)
        return Talk(table.round(state), (first_worth, second_worth))

    def move(self, state: Any, legal: Sequence[Move], plan: Move) -> Move:
        """Return the next move of the sheet on the way to a plan."""
        if plan == ACCEPT and ACCEPT in legal:
            return ACCEPT
        contract = self.plans.contracts[self.plans.place(plan)]
        move = self.tables[self.role].toward(state, contract)
        return move if move in legal else legal[0]
