"""What a move of a sheet says in the tables: offers of the protocols that the package knows, and their worth.

A sheet is known by its facts: a pie has shares, a large domain issues and values, negotiating prisoners sets that
permit actions. Of any other sheet a move called `propose` is an offer whose content and worth are not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

from negstats.errors import DesignError
from negstats.games.rulesheet import Boxes, Domain, GroundGame, Move, Rules, equilibrium_payoffs, kif, read_term
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
        first = int(kif(arguments(read_term(move))[0]))
        gets: dict[str, float] = dict(zip(self.roles, (first, self.shares - first), strict=True))
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
            [] if sets is None else [f"(committed {role} {one})" for role, one in zip(self.roles, sets, strict=True)]
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
