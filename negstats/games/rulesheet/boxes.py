"""The best contract where payoffs are boxes: a weight for each box (a range of values for some issues) that holds it.

Such payoffs (as in ANAC 2014) are not additive, so contracts are searched depth first. What is still possible is
bounded by sharing each weight among the open issues that limit its box; the issue that decides over most weight comes
next.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable
from negstats.games.rulesheet.domain import Contract
from negstats.games.rulesheet.rules import Rules
from negstats.games.rulesheet.terms import kif

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]

_ROUNDING = 8 * float(np.finfo(np.float64).eps)  # shares of weights are not whole numbers


@dataclass(frozen=True, slots=True)
class Box:
    """A box: what it pays, and the values that it allows of the issues that it limits (by place)."""

    weight: float
    allows: Mapping[int, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Best:
    """The best contract that was found.

    Attributes
    ----------
    contract : tuple[int, ...]
        The place of each issue's value.
    value : float
        What it pays.
    gap : float
        How much more another could pay: 0 if the search came to its end.
    nodes : int
        How many partial contracts were looked at.
    """

    contract: Contract
    value: float
    gap: float
    nodes: int


class Boxes:
    """What a party is paid: the sum of the weights of the boxes that hold the contract.

    Parameters
    ----------
    boxes
        The boxes; weights may be negative.
    sizes
        How many values each issue has.

    Raises
    ------
    DesignError
        If a box limits an issue or allows a value that is not there.

    Examples
    --------
    >>> boxes = Boxes([Box(5, {0: frozenset({1, 2})}), Box(3, {0: frozenset({0}), 1: frozenset({1})})], sizes=[3, 2])
    >>> boxes.value((1, 1)), boxes.value((0, 1)), boxes.value((0, 0))
    (5.0, 3.0, 0.0)
    """

    def __init__(self, boxes: Sequence[Box], sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.weights = np.array([box.weight for box in boxes], dtype=float)
        # Sums of shares of the weights are known to this.
        self.rounding = _ROUNDING * max(len(boxes), 1) * float(np.abs(self.weights).sum())
        # Whether each value of each issue (one after the other) stays inside each box.
        self.inside = np.ones((sum(sizes), len(boxes)), dtype=bool)
        self.limits = np.zeros((len(sizes), len(boxes)), dtype=bool)
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
        for column, box in enumerate(boxes):
            for issue, values in box.allows.items():
                if issue not in range(len(sizes)) or not values <= set(range(sizes[issue])):
                    raise DesignError(f"box {column} allows {sorted(values)} of issue {issue}; sizes are {self.sizes}")
                self.limits[issue, column] = True
                start = self.starts[issue]
                self.inside[start : start + sizes[issue], column] = [value in values for value in range(sizes[issue])]
        # Values that stay inside a box which their issue limits.
        self.limited = (self.inside & np.repeat(self.limits, sizes, axis=0)).astype(float)

    @classmethod
    def of(cls, rules: Rules, role: str) -> Boxes:
        """Read a role's boxes off a sheet's facts (`sheet.large_domain` with ``payoff="boxes"``).

        Parameters
        ----------
        rules
            The sheet.
        role
            Whose boxes are read.

        Raises
        ------
        DesignError
            If the sheet has no boxes for the role.
        """
        issues, values = ([kif(term) for (term,) in rules.facts(word)] for word in ("issue", "val"))
        weights = {kif(box): int(kif(weight)) for owner, box, weight in rules.facts("weight") if kif(owner) == role}
        if not weights:
            raise DesignError(f"sheet {rules.name!r} has no facts (weight {role} box n): no boxes to read")
        allows: dict[str, dict[int, set[int]]] = {box: {} for box in weights}
        # An issue that a box limits allows nothing but the values that are named.
        for owner, box, issue in rules.facts("limits"):
            if kif(owner) == role:
                allows[kif(box)][issues.index(kif(issue))] = set()
        for owner, box, issue, value in rules.facts("allows"):
            if kif(owner) == role:
                allows[kif(box)][issues.index(kif(issue))].add(values.index(kif(value)))
        boxes = [
            Box(weight, {issue: frozenset(allowed_values) for issue, allowed_values in allows[box].items()})
            for box, weight in weights.items()
        ]
        return cls(boxes, [len(values)] * len(issues))

    def value(self, contract: Contract) -> float:
        """Return what a contract pays.

        Parameters
        ----------
        contract
            One value an issue.

        Returns
        -------
        float
            The sum of what the boxes pay that contain the contract.
        """
        return float(self.weights[self.inside[self.starts + np.array(contract)].all(axis=0)].sum())


class _Side(NamedTuple):
    """What a partial contract leaves of a party's boxes: those not excluded, and how many limits of each are open."""

    alive: Mask
    open: npt.NDArray[np.int64]


class _Partial(NamedTuple):
    bound: float
    chosen: tuple[tuple[int, int], ...]  # issue and value
    sides: tuple[_Side, ...]


def best_contract(
    own: Boxes, *, partner: Boxes | None = None, at_least: float = -np.inf, time_limit: float | None = None
) -> Best:
    """Return the contract that pays most.

    Parameters
    ----------
    own
        What is to be large.
    partner, at_least
        Only contracts that pay the partner at least so much.
    time_limit
        Seconds; then the best contract so far is returned, and how much another could be better.

    Returns
    -------
    Best
        The contract, its value, and how far from the best it may be.

    Raises
    ------
    NotEstimable
        If no contract pays the partner so much, or none was found in time.
    DesignError
        If own and partner boxes have other issues.

    Examples
    --------
    >>> own = Boxes([Box(5, {0: frozenset({1, 2})}), Box(3, {0: frozenset({0}), 1: frozenset({1})})], sizes=[3, 2])
    >>> other = Boxes([Box(1, {1: frozenset({1}), 0: frozenset({0, 2})})], sizes=[3, 2])
    >>> best_contract(own, partner=other, at_least=1).contract
    (2, 1)
    """
    if partner is not None and partner.sizes != own.sizes:
        raise DesignError(f"own boxes are over issues of sizes {own.sizes}, the partner's over {partner.sizes}")
    parties = (own,) if partner is None else (own, partner)
    deadline = None if time_limit is None else time.perf_counter() + time_limit
    start = tuple(_Side(np.ones(len(party.weights), dtype=bool), party.limits.sum(axis=0)) for party in parties)
    pending = [_Partial(np.inf, (), start)]
    best: tuple[float, Contract | None] = -np.inf, None
    nodes = 0
    # Branch and bound, depth first: a partial contract whose bound does not exceed the best is not extended.
    while pending:
        if deadline is not None and time.perf_counter() > deadline and (best[1] is not None or time_limit == 0):
            break
        partial = pending.pop()
        if partial.bound <= best[0]:
            continue
        nodes += 1
        if all(_is_settled(side) for side in partial.sides) or len(partial.chosen) == len(own.sizes):
            solution = _finished(partial, parties, at_least)
            best = max(best, solution, key=lambda pair: pair[0])
            continue
        pending += _children(partial, parties, at_least, best[0])
    if best[1] is None:
        raise NotEstimable(f"no contract that pays the partner at least {at_least:g} was found")
    # What an open branch could still pay more: 0 if the search was finished.
    open_gap = max([partial.bound - best[0] for partial in pending if partial.bound > best[0]], default=0.0)
    return Best(best[1], best[0], open_gap, nodes)


def _is_settled(side: _Side) -> bool:
    """Whether no further choice makes a difference to a party."""
    return not (side.alive & (side.open > 0)).any()


def _finished(partial: _Partial, parties: Sequence[Boxes], at_least: float) -> tuple[float, Contract | None]:
    assignment = dict(partial.chosen)
    contract = tuple(assignment.get(issue, 0) for issue in range(len(parties[0].sizes)))
    values = [float(party.weights[side.alive].sum()) for party, side in zip(parties, partial.sides, strict=True)]
    return (values[0], contract) if all(value >= at_least for value in values[1:]) else (-np.inf, None)


def _children(partial: _Partial, parties: Sequence[Boxes], at_least: float, best: float) -> list[_Partial]:
    """Return the ways to settle one more issue, the most promising last; those that leave the same boxes once."""
    issues = [issue for issue, _ in partial.chosen]
    found_bounds = [_bounds(party, side, issues) for party, side in zip(parties, partial.sides, strict=True)]
    bounds = [pair[0] for pair in found_bounds]
    # The issue that is settled next is that whose value matters most to either party.
    stake = np.max([pair[1] for pair in found_bounds], axis=0)
    stake[issues] = -1
    issue = int(stake.argmax())
    start = int(parties[0].starts[issue])
    children: dict[bytes, _Partial] = {}
    for value in np.argsort(bounds[0][start : start + parties[0].sizes[issue]], kind="stable").tolist():
        row = start + value
        bound = min(partial.bound, float(bounds[0][row]))
        # What cannot exceed the best contract so far, or falls short of another party's demand, is left out.
        if bound <= best or any(
            party_bounds[row] < at_least - party.rounding
            for party, party_bounds in zip(parties[1:], bounds[1:], strict=True)
        ):
            continue
        sides = tuple(
            _Side(side.alive & party.inside[row], side.open - party.limits[issue])
            for party, side in zip(parties, partial.sides, strict=True)
        )
        children[b"".join(side.alive.tobytes() for side in sides)] = _Partial(
            bound, (*partial.chosen, (issue, value)), sides
        )
    return list(children.values())


def _bounds(boxes: Boxes, side: _Side, issues: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Return for each value of each issue a bound of what can be paid with it, and each issue's share of the weights.

    A positive weight is shared alike among the open issues that limit its box: it is paid only if each of them pays its
    share, so the sum of each issue's best shares is a bound. Negative weights count once they are certain.
    """
    sure_weight = float(boxes.weights[side.alive & (side.open == 0)].sum())
    is_open = side.alive & (side.open > 0) & (boxes.weights > 0)
    # A box that is still open splits its weight among its open
    # issues: no contract is paid more than the best shares.
    shares: Numbers = np.where(is_open, boxes.weights / np.maximum(side.open, 1), 0.0)
    payments = boxes.limited @ shares
    highest = np.maximum.reduceat(payments, boxes.starts)
    highest[issues] = 0.0
    bounds = sure_weight + highest.sum() + payments - np.repeat(highest, boxes.sizes) + boxes.rounding
    return np.asarray(bounds), np.asarray(boxes.limits @ shares)
