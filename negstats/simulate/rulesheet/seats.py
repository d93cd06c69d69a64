"""Who plays a sheet, by name; and what a move says in the tables: offers of the protocols that are known, their worth.

A sheet is known by its facts: a pie has shares, a large domain issues and values, negotiating prisoners sets that
permit actions. Of any other sheet a move called `propose` is an offer whose content and worth are not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any, Protocol

import numpy as np

from negstats.errors import DesignError, UsageError, shown
from negstats.games.rulesheet import (
    Boxes,
    Domain,
    GroundGame,
    Move,
    OwnPayoff,
    Player,
    Rules,
    adversarial,
    equilibrium_payoffs,
    game_specific,
    generic,
    ground,
    kif,
    monte_carlo,
    own_payoff,
    parse,
    protocol_specific,
    random_player,
    read_term,
    searching,
    uct,
)
from negstats.games.rulesheet.induction import TIES
from negstats.games.rulesheet.negotiators import table_of
from negstats.games.rulesheet.rules import arguments, relation

Item = dict[str, Any]  # item, receiver, quantity, option
Value = dict[str, Any]  # player, item, option, available, value


@dataclass(frozen=True, slots=True)
class Offer:
    """A proposal: what each role would get of what, and the payoffs if it is accepted (empty where not known)."""

    items: tuple[Item, ...] = ()
    worth: Mapping[str, float] | None = None
    units: Mapping[str, float] | None = None


class Meaning(Protocol):
    """What the tables say of a sheet."""

    def offer(self, state: Any, move: Move) -> Offer:
        """Return what a proposal in a state says."""

    def values(self) -> list[Value]:
        """Return what options and units are worth, where that is additive."""

    def alone(self) -> Mapping[str, float] | None:
        """Return each role's payoff in the equilibrium of the game without an agreement; None where not known."""


def name_of(move: Move) -> str:
    """Return the name of a move, without its arguments."""
    return relation(read_term(move))


def meaning_of(rules: Rules, game: GroundGame) -> Meaning:
    """Return what the tables say of a sheet, by the facts that it has."""
    if len(rules.roles) == 2:
        for fact, meaning in (("share", _Pie), ("permits", _Sets), ("val", _Contracts)):
            if rules.facts(fact):
                try:
                    return meaning(rules, game)
                except DesignError:  # a sheet of its own that uses the same words otherwise
                    break
    return _Unknown()


class _Unknown:
    def offer(self, state: Any, move: Move) -> Offer:  # noqa: ARG002
        return Offer()

    def values(self) -> list[Value]:
        return []

    def alone(self) -> Mapping[str, float] | None:
        return None


class _Pie(_Unknown):
    """A pie of K shares: a proposal is the first role's."""

    def __init__(self, rules: Rules, game: GroundGame) -> None:
        self.roles, self.shares = rules.roles, int(table_of(rules, game, rules.roles[0]).best)

    def offer(self, state: Any, move: Move) -> Offer:  # noqa: ARG002
        first_shares = int(kif(arguments(read_term(move))[0]))
        gets: dict[str, float] = dict(zip(self.roles, (first_shares, self.shares - first_shares), strict=True))
        items = tuple(_item("pie", receiver=role, quantity=quantity) for role, quantity in gets.items())
        return Offer(items, gets, gets)

    def values(self) -> list[Value]:
        return [_value(role, "pie", available=self.shares, value=1) for role in self.roles]

    def alone(self) -> Mapping[str, float] | None:
        return dict.fromkeys(self.roles, 0.0)


class _Sets(_Unknown):
    """Negotiating prisoners: a proposal is a set of actions for each role; what follows is played in equilibrium."""

    def __init__(self, rules: Rules, game: GroundGame) -> None:
        self.roles = rules.roles
        sets = [kif(name) for (name,) in rules.facts("set")]
        if "(stage act)" not in game.fluents:
            raise DesignError(f"sheet {rules.name!r} has no fluent (stage act)")
        self.worth = {pair: self._find_payoffs(game, pair) for pair in product(sets, repeat=2)}
        self._alone = self._find_payoffs(game, None)

    def offer(self, state: Any, move: Move) -> Offer:  # noqa: ARG002
        sets = tuple(map(kif, arguments(read_term(move))))
        items = tuple(_item(role, option=option) for role, option in zip(self.roles, sets, strict=True))
        return Offer(items, self.worth.get((sets[0], sets[1])))

    def alone(self) -> Mapping[str, float] | None:
        return self._alone

    def _find_payoffs(self, game: GroundGame, sets: tuple[str, ...] | None) -> Mapping[str, float] | None:
        commitments = (
            []
            if sets is None
            else [f"(committed {role} {set_name})" for role, set_name in zip(self.roles, sets, strict=True)]
        )
        payoffs = equilibrium_payoffs(game, start=game.state(["(stage act)", *commitments]))
        return dict(zip(self.roles, next(iter(payoffs)), strict=True)) if len(payoffs) == 1 else None


class _Contracts(_Unknown):
    """Contracts that are put together value by value: a proposal is the draft."""

    def __init__(self, rules: Rules, game: GroundGame) -> None:
        self.roles, self.game, self.domain = rules.roles, game, Domain.of(rules)
        self.boxes = {} if self.domain.worths else {role: Boxes.of(rules, role) for role in rules.roles}

    def offer(self, state: Any, move: Move) -> Offer:  # noqa: ARG002
        drafts = [term for term in map(read_term, self.game.holding(state)) if relation(term) == "draft"]
        option_by_issue = {kif(issue): kif(value) for issue, value in map(arguments, drafts)}
        items = tuple(_item(issue, option=option_by_issue[issue]) for issue in self.domain.issues)
        contract = tuple(self.domain.values.index(option_by_issue[issue]) for issue in self.domain.issues)
        if self.boxes:
            return Offer(items, {role: boxes.value(contract) for role, boxes in self.boxes.items()})
        return Offer(items, {role: float(self.domain.worth(role, contract)) for role in self.roles})

    def values(self) -> list[Value]:
        return [
            _value(role, issue, option=option, value=int(worth))
            for role, table in self.domain.worths.items()
            for issue, row in zip(self.domain.issues, table, strict=True)
            for option, worth in zip(self.domain.values, row, strict=True)
        ]

    def alone(self) -> Mapping[str, float] | None:
        return dict.fromkeys(self.roles, 0.0)


def _item(item: str, receiver: str | None = None, quantity: float | None = None, option: str | None = None) -> Item:
    return {"item": item, "receiver": receiver, "quantity": quantity, "option": option}


def _value(player: str, item: str, *, value: float, option: str | None = None, available: float | None = None) -> Value:
    return {"player": player, "item": item, "option": option, "available": available, "value": value}


@dataclass(frozen=True, eq=False)
class Prepared:
    """A sheet that is ready to be played."""

    rules: Rules
    game: GroundGame
    meaning: Meaning

    @cache  # noqa: B019 - a prepared sheet lives as long as its process
    def solved(self, ties: Any) -> OwnPayoff:
        """Return the backward induction with a rule for ties, made once."""
        return own_payoff(self.game, ties=ties)


@lru_cache(maxsize=8)
def prepared(text: str, name: str) -> Prepared:
    """Return a sheet read, checked and grounded: once in each process."""
    rules = parse(text, name=name)
    game = ground(rules)
    return Prepared(rules, game, meaning_of(rules, game))


Maker = Callable[[Prepared, str, str, np.random.Generator], Player]


def _own_payoff(sheet: Prepared, role: str, ties: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    if ties and ties not in TIES:
        raise UsageError(f"own_payoff:{ties}: ties are broken {', '.join(TIES)}")
    return game_specific(lambda state, legal: sheet.solved(ties or "first").move(role, state))  # noqa: ARG005


def _depth(sheet: Prepared, role: str, depth: str, rng: np.random.Generator) -> Player:
    return generic(sheet.game, role, depth=_whole_number("depth", depth, 2), rng=rng)


def _guaranteed(sheet: Prepared, role: str, argument: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    return adversarial(sheet.game, role)


def _monte_carlo(sheet: Prepared, role: str, budget: str, rng: np.random.Generator) -> Player:
    playouts, seconds = _budget("monte_carlo", budget, 100)
    return monte_carlo(sheet.game, role, rng, playouts=playouts or 1, seconds=seconds)


def _uct(sheet: Prepared, role: str, budget: str, rng: np.random.Generator) -> Player:
    playouts, seconds = _budget("uct", budget, 1000)
    return uct(sheet.game, role, rng, playouts=playouts, seconds=seconds)


def _bids(sheet: Prepared, role: str, budget: str, rng: np.random.Generator) -> Player:
    playouts, seconds = _budget("bids", budget, 1000)
    return searching(sheet.rules, sheet.game, role, rng, playouts=playouts, seconds=seconds)


def _flat_bids(sheet: Prepared, role: str, budget: str, rng: np.random.Generator) -> Player:
    playouts, seconds = _budget("flat_bids", budget, 1000)
    return searching(sheet.rules, sheet.game, role, rng, playouts=playouts, seconds=seconds, tree=False)


def _negotiator(sheet: Prepared, role: str, e: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    return protocol_specific(sheet.rules, sheet.game, role, e=_number("negotiator", e))


def _uninformed(sheet: Prepared, role: str, e: str, rng: np.random.Generator) -> Player:
    return protocol_specific(sheet.rules, sheet.game, role, e=_number("hidden", e), rng=rng)


def _random(sheet: Prepared, role: str, argument: str, rng: np.random.Generator) -> Player:  # noqa: ARG001
    return random_player(rng)


# A name may be followed by a colon and one argument: how ties are broken, a depth, an exponent, a number of playouts,
# or (with an s) processor seconds a move, such as bids:0.5s.
PLAYERS: dict[str, tuple[Maker, str]] = {
    "own_payoff": (_own_payoff, "backward induction, each for itself (ties: first, last, accept, refuse)"),
    "depth": (_depth, "the same, so many steps ahead (2)"),
    "guaranteed": (_guaranteed, "backward induction against the others as enemies"),
    "monte_carlo": (_monte_carlo, "the best mean of so many random playouts a move (100), or of seconds (0.5s)"),
    "uct": (_uct, "tree search over the sheet's moves, so many playouts (1000) or seconds (0.5s)"),
    "bids": (_bids, "tree search over whole bids with beliefs about the partner, playouts (1000) or seconds (0.5s)"),
    "flat_bids": (_flat_bids, "the same without a tree"),
    "negotiator": (_negotiator, "concedes with exponent e (1), knows the partner's worths"),
    "hidden": (_uninformed, "concedes with exponent e (1), does not know them"),
    "random": (_random, "any legal move alike"),
}


def player(sheet: Prepared, role: str, name: str, rng: np.random.Generator) -> Player:
    """Return a player by name.

    Raises
    ------
    UsageError
        If there is no such player, or its argument makes no sense.
    """
    kind, _, argument = name.partition(":")
    if kind not in PLAYERS:
        raise UsageError(f"player {shown(name)} is not known; there are {', '.join(PLAYERS)}")
    return PLAYERS[kind][0](sheet, role, argument, rng)


def _whole_number(kind: str, text: str, default: int) -> int:
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= 1_000_000):
        raise UsageError(f"{kind}:{text}: give a whole number of at least 1")
    return int(text)


def _budget(kind: str, text: str, default: int) -> tuple[int | None, float | None]:
    """Return playouts or seconds."""
    if not text.endswith("s"):
        return _whole_number(kind, text, default), None
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise UsageError(f"{kind}:{text}: give a number of playouts, or seconds above 0 such as 0.5s")
    return None, seconds


def _number(kind: str, text: str) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        raise UsageError(f"{kind}:{text}: give a number above 0") from None
