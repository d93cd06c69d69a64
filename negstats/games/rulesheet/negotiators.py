"""Protocol-specific agents: they know how is talked, read the domain off any sheet, and concede by a schedule.

How they concede is the project's and not the paper's: what an agent wants falls from the best it can get to a floor,
A(t) = floor + (best - floor)(1 - (t/m)^(1/e)), where t of m rounds are over; with e < 1 it holds out, with e > 1 it
gives in. It proposes what is best for the partner among what is worth A(t) to itself, and accepts what is worth its own
next bid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from negstats.errors import DesignError, NotEstimable, UsageError, shown
from negstats.games.rulesheet.boxes import Boxes, best_contract
from negstats.games.rulesheet.domain import Contract, Domain, Totals
from negstats.games.rulesheet.game import GroundGame, Move
from negstats.games.rulesheet.rules import Rules, arguments, relation
from negstats.games.rulesheet.terms import kif, read_term

ACCEPT = "accept"


def aspiration(share: float, best: float, floor: float = 0.0, *, e: float = 1.0) -> float:
    """Return what an agent wants when a share of the rounds is over.

    Parameters
    ----------
    share
        Share of the rounds that is over, from 0 to 1.
    best
        What the agent wants at the beginning.
    floor
        What it is content with at the end.
    e
        Above 1 it concedes early, below 1 late.

    Returns
    -------
    float
        A number from `floor` to `best`.

    Raises
    ------
    UsageError
        If `e` is not above 0 or the share not from 0 to 1.

    Examples
    --------
    >>> [aspiration(share, best=100, floor=20) for share in (0, 0.5, 1)]
    [100.0, 60.0, 20.0]
    >>> aspiration(0.5, best=100, floor=20, e=0.5), round(aspiration(0.5, best=100, floor=20, e=2))
    (80.0, 43)
    """
    if not e > 0 or not 0 <= share <= 1:
        raise UsageError(f"e is {e} and share {share}; give e above 0 and a share from 0 to 1")
    return float(floor + (best - floor) * (1 - share ** (1 / e)))


class Table(Protocol):
    """What a protocol-specific agent asks of the sheet and the state, whatever is negotiated."""

    @property
    def best(self) -> float:
        """The most that the agent can get."""

    @property
    def rounds(self) -> int:
        """How many rounds there are."""

    def round(self, state: Any) -> int:
        """Return how many rounds are over."""

    def offered(self, state: Any) -> Contract | None:
        """Return what lies on the table."""

    def worth(self, contract: Contract) -> float:
        """Return what a contract is worth to the agent."""

    def bid(self, wanted: float, rng: np.random.Generator | None) -> Contract:
        """Return a bid worth at least so much: the partner's best, or (with `rng`) a random one."""

    def toward(self, state: Any, contract: Contract) -> Move:
        """Return the next move on the way to proposing a contract."""


class Negotiator:
    """An agent that concedes by a schedule. `protocol_specific` makes it.

    Parameters
    ----------
    table
        The protocol and the agent's own worths.
    floor, e
        The schedule, see `aspiration`.
    rng
        None: the partner's worths are known. Random numbers: they are hidden, and bids are random contracts worth
        enough.
    """

    def __init__(
        self, table: Table, *, floor: float = 0.0, e: float = 1.0, rng: np.random.Generator | None = None
    ) -> None:
        aspiration(0, table.best, floor, e=e)  # refuses before the game
        self.table, self.floor, self.e, self.rng = table, floor, e, rng
        self._bids: dict[int, Contract] = {}

    def bid(self, number: int) -> Contract:
        """Return the agent's bid when so many rounds are over; the same when asked again.

        Parameters
        ----------
        number
            How many rounds are over.

        Returns
        -------
        Contract
            One value an issue.
        """
        bid = self._bids.get(number)
        if bid is None:
            share = min(1.0, number / self.table.rounds)
            target = aspiration(share, self.table.best, self.floor, e=self.e)
            bid = self._bids[number] = self.table.bid(target, self.rng)
        return bid

    def move(self, state: Any, legal: Sequence[Move]) -> Move:
        """Accept what is worth the next bid, or go on towards proposing that.

        Parameters
        ----------
        state
            A state of the game.
        legal
            The role's legal moves in this state.

        Returns
        -------
        Move
            One of the legal moves.
        """
        if len(legal) == 1:
            return legal[0]
        bid, offer = self.bid(self.table.round(state)), self.table.offered(state)
        if offer is not None and ACCEPT in legal and self.table.worth(offer) >= self.table.worth(bid):
            return ACCEPT
        move = self.table.toward(state, bid)
        return move if move in legal else ACCEPT if ACCEPT in legal else legal[0]


def protocol_specific(
    rules: Rules,
    game: GroundGame,
    role: str,
    *,
    floor: float = 0.0,
    e: float = 1.0,
    rng: np.random.Generator | None = None,
) -> Negotiator:
    """Return an agent for any sheet of alternating offers over a pie, or of contracts put together value by value.

    Parameters
    ----------
    rules, game
        The sheet, and the same grounded.
    role
        Whom the agent moves for.
    floor, e
        See `aspiration`.
    rng
        With random numbers the partner's worths are taken to be hidden.

    Returns
    -------
    Negotiator
        An agent that fits every sheet of these protocols.

    Raises
    ------
    DesignError
        If the sheet has neither protocol.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, play, sheet
    >>> rules = parse(sheet.alternating_offers(shares=10, rounds=8))
    >>> game = ground(rules)
    >>> agents = {role: protocol_specific(rules, game, role) for role in game.roles}
    >>> play(game, agents, rng=np.random.default_rng(1)).payoffs
    {'a1': 5, 'a2': 5}
    """
    return Negotiator(table_of(rules, game, role), floor=floor, e=e, rng=rng)


def table_of(rules: Rules, game: GroundGame, role: str) -> Table:
    """Return the protocol of a sheet as a role sees it; raises DesignError if it is neither of the two."""
    if role not in rules.roles or len(rules.roles) != 2:
        raise DesignError(f"{shown(role)} is to negotiate with one partner; the roles are {', '.join(rules.roles)}")
    if rules.facts("share"):
        return _pie(rules, game, role)
    if rules.facts("issue") and rules.facts("val"):
        return _drafts(rules, game, role)
    raise DesignError(
        f"sheet {rules.name!r} is neither offers over a pie (share) nor contracts value by value (issue, val)"
    )


@dataclass(frozen=True, slots=True)
class _Pie:
    """Alternating offers over a pie: a contract is the first role's share."""

    game: GroundGame
    shares: int
    first: bool
    rounds: int
    best: float

    def round(self, state: Any) -> int:
        return _number(self.game, state, "round") or 0

    def offered(self, state: Any) -> Contract | None:
        offer = _number(self.game, state, "offer")
        return None if offer is None else (offer,)

    def worth(self, contract: Contract) -> float:
        return contract[0] if self.first else self.shares - contract[0]

    def bid(self, least_worth: float, rng: np.random.Generator | None) -> Contract:
        least_shares = min(self.shares, int(np.ceil(least_worth)))
        own_shares = least_shares if rng is None else int(rng.integers(least_shares, self.shares + 1))
        return (own_shares if self.first else self.shares - own_shares,)

    def toward(self, state: Any, contract: Contract) -> Move:  # noqa: ARG002 - a proposal is one move
        return f"(propose {contract[0]})"


def _pie(rules: Rules, game: GroundGame, role: str) -> Table:
    shares = max(int(kif(share)) for (share,) in rules.facts("share"))
    return _Pie(game, shares, role == rules.roles[0], len(rules.facts("turn")), shares)


class _Drafts:
    """Contracts that are put together value by value; worths are additive, or boxes."""

    def __init__(self, game: GroundGame, domain: Domain, rounds: int) -> None:
        self.game, self.domain, self.rounds = game, domain, rounds
        self.best = 0.0
        issues = {name: index for index, name in enumerate(domain.issues)}
        values = {name: index for index, name in enumerate(domain.values)}
        self._places: dict[str, tuple[str, int, int]] = {}
        for fluent in game.fluents:
            term = read_term(fluent)
            if relation(term) in ("draft", "offer"):
                issue, value = map(kif, arguments(term))
                self._places[fluent] = relation(term), issues[issue], values[value]

    def round(self, state: Any) -> int:
        return _number(self.game, state, "round") or 0

    def offered(self, state: Any) -> Contract | None:
        return self._contract(state, "offer")

    def toward(self, state: Any, contract: Contract) -> Move:
        return self.domain.toward(self._contract(state, "draft") or (0,) * len(contract), contract)

    def _contract(self, state: Any, kind: str) -> Contract | None:
        entries = [
            entry for fluent in self.game.holding(state) if (entry := self._places.get(fluent)) and entry[0] == kind
        ]
        if len(entries) < len(self.domain.issues):
            return None
        value_by_issue = {issue: value for _, issue, value in entries}
        return tuple(value_by_issue[issue] for issue in range(len(value_by_issue)))


class _Additive(_Drafts):
    def __init__(self, game: GroundGame, domain: Domain, rounds: int, role: str, partner: str) -> None:
        super().__init__(game, domain, rounds)
        self.role = role
        self.totals = Totals(list(domain.worths[role]), list(domain.worths[partner]))
        self.best = self.totals.most

    def worth(self, contract: Contract) -> float:
        return self.domain.worth(self.role, contract)

    def bid(self, least_worth: float, rng: np.random.Generator | None) -> Contract:
        return self.totals.at_least(least_worth) if rng is None else self.totals.random(least_worth, rng)


class _Boxed(_Drafts):
    def __init__(self, game: GroundGame, domain: Domain, rounds: int, own: Boxes, partner: Boxes) -> None:
        super().__init__(game, domain, rounds)
        self.own, self.partner = own, partner
        self.best = best_contract(own).value

    def worth(self, contract: Contract) -> float:
        return self.own.value(contract)

    def bid(self, least_worth: float, rng: np.random.Generator | None) -> Contract:
        if rng is not None:
            raise NotEstimable("such contracts cannot be drawn at random from boxes; give the partner's worths")
        return best_contract(self.partner, partner=self.own, at_least=least_worth).contract


def _drafts(rules: Rules, game: GroundGame, role: str) -> Table:
    domain, rounds = Domain.of(rules), int(kif(rules.facts("last")[0][0]))
    (partner,) = (other_role for other_role in rules.roles if other_role != role)
    if domain.worths:
        return _Additive(game, domain, rounds, role, partner)
    return _Boxed(game, domain, rounds, Boxes.of(rules, role), Boxes.of(rules, partner))


def _number(game: GroundGame, state: Any, name: str) -> int | None:
    """Return the number that a fluent such as (round 3) holds of a state; None if it holds none."""
    for fluent in game.holding(state):
        term = read_term(fluent)
        if relation(term) == name and len(arguments(term)) == 1 and str(arguments(term)[0]).isdecimal():
            return int(str(arguments(term)[0]))
    return None
