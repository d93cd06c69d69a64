"""Large domains without listing them: contracts as one value for each issue, and what additive worths say about them.

Ten issues of ten values are 10^10 contracts. With whole-number worths, dynamic programming over the issues finds for
every own total the most that the partner can get; with any worths, the Pareto frontier is a sum of frontiers, issue by
issue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable, shown
from negstats.games.allocations import LIMIT
from negstats.games.pareto import pareto_optimal
from negstats.games.rulesheet.game import Move
from negstats.games.rulesheet.rules import Rules
from negstats.games.rulesheet.terms import kif

Contract: TypeAlias = tuple[int, ...]  # the place of the chosen value of each issue
Worths: TypeAlias = Sequence[npt.ArrayLike]  # worth of each value, issue by issue
Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Domain:
    """What may be agreed on, as `sheet.large_domain` writes it.

    Attributes
    ----------
    issues : tuple[str, ...]
        The properties of a contract.
    values : tuple[str, ...]
        The values that each may have; a draft starts with the first.
    worths : dict
        For each role, points for each value of each issue: integers (issues, values). Empty if payoffs are not
        additive.
    """

    issues: tuple[str, ...]
    values: tuple[str, ...]
    worths: Mapping[str, npt.NDArray[np.int64]]

    @classmethod
    def of(cls, rules: Rules) -> Domain:
        """Read the domain off a sheet's facts.

        Parameters
        ----------
        rules
            The sheet.

        Raises
        ------
        DesignError
            If the sheet has no issues and values, or the worth of some value is not said.

        Examples
        --------
        >>> from negstats.games.rulesheet import parse, sheet
        >>> domain = Domain.of(parse(sheet.large_domain()))
        >>> domain.contracts, domain.path_to((5, 9, 0, 2, 0, 0, 0, 0, 0, 0))
        (10000000000, ['(setvalue 1 5)', '(setvalue 2 9)', '(setvalue 4 2)', 'propose'])
        """
        issues, values = (tuple(kif(term) for (term,) in rules.facts(word)) for word in ("issue", "val"))
        if not issues or not values:
            raise DesignError(f"sheet {rules.name!r} has no facts (issue i) and (val v): no domain to read")
        worth_by_value = {tuple(map(kif, fact[:3])): kif(fact[3]) for fact in rules.facts("worth") if len(fact) == 4}
        worths: dict[str, npt.NDArray[np.int64]] = {}
        for role in rules.roles if worth_by_value else ():
            table = np.zeros((len(issues), len(values)), dtype=np.int64)
            for i, issue in enumerate(issues):
                for v, value in enumerate(values):
                    worth = worth_by_value.get((role, issue, value), "")
                    if not worth.isdecimal():
                        raise DesignError(f"worth of value {value} of issue {issue} to {role} is {shown(worth)}")
                    table[i, v] = int(worth)
            worths[role] = table
        return cls(issues, values, worths)

    @property
    def contracts(self) -> int:
        """How many contracts there are."""
        return int(len(self.values) ** len(self.issues))

    def path_to(self, contract: Contract) -> list[Move]:
        """Return the moves that propose a contract from an empty draft: values that are not the first, then propose.

        Parameters
        ----------
        contract
            One value an issue.

        Returns
        -------
        list[Move]
            Moves in order; the last one proposes.
        """
        return [self._setting(i, value) for i, value in enumerate(contract) if value] + ["propose"]

    def toward(self, draft: Contract, contract: Contract) -> Move:
        """Return the next move on the way from a draft to the proposal of a contract.

        Parameters
        ----------
        draft
            What the draft holds now, one value an issue.
        contract
            What shall be proposed, one value an issue.

        Returns
        -------
        Move
            A change of one issue, or the proposal once the draft is the contract.
        """
        for i, (has, target) in enumerate(zip(draft, contract, strict=True)):
            if has != target:
                return self._setting(i, target)
        return "propose"

    def worth(self, role: str, contract: Contract) -> int:
        """Return what a contract is worth to a role.

        Parameters
        ----------
        role
            Whose worth it is.
        contract
            One value an issue.

        Returns
        -------
        int
            Points: the sum over the issues.
        """
        table = self.worths[role]
        return sum(int(table[issue, value]) for issue, value in enumerate(contract))

    def _setting(self, issue: int, value: int) -> Move:
        return f"(setvalue {self.issues[issue]} {self.values[value]})"


@dataclass(frozen=True)
class Totals:
    """Additive whole-number worths of one party (*own*) and its partner, for every total at once.

    Parameters
    ----------
    own, partner
        Worths of each value, issue by issue: whole numbers of at least 0.

    Raises
    ------
    DesignError
        If worths are not whole numbers of at least 0, the two parties have other issues, or own totals go beyond
        `negstats.games.allocations.LIMIT`.

    Examples
    --------
    >>> totals = Totals([[0, 2], [1, 0]], [[3, 0], [0, 1]])
    >>> totals.best.tolist()
    [4, 3, 1, 0]
    >>> totals.contract(3), totals.at_least(2)
    ((1, 0), (1, 1))
    """

    own: Worths
    partner: Worths

    def __post_init__(self) -> None:
        worth_pairs = _pair_worths(self.own, self.partner)
        own_worths, partner_worths = ([pair[side] for pair in worth_pairs] for side in (0, 1))
        for table in (*own_worths, *partner_worths):
            if not np.issubdtype(table.dtype, np.integer) or table.min() < 0:
                raise DesignError("worths are not whole numbers of at least 0; additive_frontier takes any")
        if sum(int(table.max()) for table in own_worths) > LIMIT:
            raise DesignError(f"own totals go beyond {LIMIT:,}; additive_frontier takes any")
        object.__setattr__(self, "own", own_worths)
        object.__setattr__(self, "partner", partner_worths)

    @cached_property
    def _steps(self) -> list[tuple[Numbers, Numbers]]:
        """After each issue, for each own total: the partner's most (-1: no contract) and the value that gives it."""
        largest_total = sum(int(np.max(table)) for table in self.own)
        partner_best = np.full(largest_total + 1, -1, dtype=np.int64)
        partner_best[0] = 0
        steps = []
        # Dynamic programming over own totals: each value of an issue moves all totals up by its worth.
        for own, partner in _pair_worths(self.own, self.partner):
            next_best, chosen_value = np.full_like(partner_best, -1), np.zeros_like(partner_best)
            for value, (own_worth, partner_worth) in enumerate(zip(own.tolist(), partner.tolist(), strict=True)):
                previous = partner_best[: len(partner_best) - own_worth]
                is_better = (previous >= 0) & (previous + partner_worth > next_best[own_worth:])
                next_best[own_worth:][is_better] = previous[is_better] + partner_worth
                chosen_value[own_worth:][is_better] = value
            partner_best = next_best
            steps.append((partner_best, chosen_value))
        return steps

    @property
    def best(self) -> npt.NDArray[np.int64]:
        """The most that the partner can get where the own total is exactly u, for u from 0; -1 where no contract is."""
        return np.asarray(self._steps[-1][0])

    def contract(self, total: int) -> Contract:
        """Return a contract with this own total that is best for the partner.

        Parameters
        ----------
        total
            The own total, in points.

        Returns
        -------
        Contract
            One value an issue.

        Raises
        ------
        NotEstimable
            If no contract has this own total.
        """
        if not 0 <= total < len(self.best) or self.best[total] < 0:
            raise NotEstimable(f"no contract has the own total {total}")
        values = []
        for own, (_, chosen_value) in zip(reversed(_arrays(self.own)), reversed(self._steps), strict=True):
            values.append(int(chosen_value[total]))
            total -= int(own[values[-1]])
        return tuple(reversed(values))

    def at_least(self, total: float) -> Contract:
        """Return a contract that is best for the partner among those with at least this own total, and then for me.

        Parameters
        ----------
        total
            The least own total, in points.

        Returns
        -------
        Contract
            One value an issue.

        Raises
        ------
        NotEstimable
            If no contract has so much.
        """
        start = max(0, int(np.ceil(total)))
        if start >= len(self.best) or self.best[start:].max() < 0:
            raise NotEstimable(f"no contract has an own total of at least {total:g}; the most is {self.most}")
        reversed_best = self.best[start:][::-1]
        return self.contract(len(self.best) - 1 - int(reversed_best.argmax()))

    @property
    def most(self) -> int:
        """The largest own total."""
        return len(self.best) - 1

    def frontier(self) -> npt.NDArray[np.int64]:
        """Return the Pareto frontier, rising in the own total: integers (points, 2).

        Returns
        -------
        ndarray of int
            The own total and the partner's, in points.
        """
        totals = np.flatnonzero(self.best >= 0)
        points = np.column_stack([totals, self.best[totals]])
        return points[pareto_optimal(points)]

    def random(self, total: float, rng: np.random.Generator) -> Contract:
        """Return a random contract with at least this own total, each alike; the partner's worths are not asked.

        Parameters
        ----------
        total
            The least own total, in points.
        rng
            Generator of the draw.

        Returns
        -------
        Contract
            One value an issue.

        Raises
        ------
        NotEstimable
            If no contract has so much.
        """
        n_choices = self._ways
        final_counts = n_choices[-1].copy()
        final_counts[: max(0, int(np.ceil(total)))] = 0
        if not final_counts.sum():
            raise NotEstimable(f"no contract has an own total of at least {total:g}; the most is {self.most}")
        remainder = int(rng.choice(len(final_counts), p=final_counts / final_counts.sum()))
        values = []
        for own, previous in zip(reversed(_arrays(self.own)), reversed(n_choices[:-1]), strict=True):
            weights = np.where(own <= remainder, previous[np.maximum(remainder - own, 0)], 0.0)
            values.append(int(rng.choice(len(own), p=weights / weights.sum())))
            remainder -= int(own[values[-1]])
        return tuple(reversed(values))

    @cached_property
    def _ways(self) -> list[npt.NDArray[np.float64]]:
        """Before the first issue and after each: how many choices have each own total."""
        n_choices = [np.zeros(len(self.best))]
        n_choices[0][0] = 1
        for own in _arrays(self.own):
            next_counts = np.zeros_like(n_choices[0])
            for own_worth in own.tolist():
                next_counts[own_worth:] += n_choices[-1][: len(next_counts) - own_worth]
            n_choices.append(next_counts)
        return n_choices


def additive_frontier(own: Worths, partner: Worths) -> tuple[npt.NDArray[np.float64], list[Contract]]:
    """Return the Pareto frontier of additive worths of any kind, with a contract for each point.

    The frontiers of the issues are added up one by one, and what is dominated is dropped after each: only sums of what
    is not dominated can be undominated.

    Parameters
    ----------
    own, partner
        Worths of each value, issue by issue.

    Returns
    -------
    points, contracts
        (points, 2), rising in the first, and the contracts.

    Raises
    ------
    DesignError
        If the two parties have other issues, or more than `negstats.games.allocations.LIMIT` sums would be listed.

    Examples
    --------
    >>> points, contracts = additive_frontier([[0, 2.5], [1, 0]], [[3, 0], [0, 1.5]])
    >>> points.tolist(), contracts
    ([[0.0, 4.5], [1.0, 3.0], [2.5, 1.5], [3.5, 0.0]], [(0, 1), (0, 0), (1, 1), (1, 0)])
    """
    points, choices = np.zeros((1, 2)), np.zeros((1, 0), dtype=np.int64)
    for own_worth, partner_worth in _pair_worths(own, partner):
        worth = np.column_stack([own_worth, partner_worth]).astype(float)
        if len(points) * len(worth) > LIMIT:
            raise DesignError(f"{len(points):,} points of the frontier and {len(worth)} values are more than {LIMIT:,}")
        sums = (points[:, np.newaxis] + worth[np.newaxis]).reshape(-1, 2)
        _, distinct = np.unique(sums, axis=0, return_index=True)
        frontier_rows = distinct[pareto_optimal(sums[distinct])]
        points = sums[frontier_rows]
        parents, value = np.divmod(frontier_rows, len(worth))
        choices = np.column_stack([choices[parents], value])
    return points, [tuple(row) for row in choices.tolist()]


def _arrays(worths: Worths) -> list[Numbers]:
    return [np.asarray(table) for table in worths]


def _pair_worths(own: Worths, partner: Worths) -> list[tuple[Numbers, Numbers]]:
    """Return the worths of each issue for both, after a look whether they are of the same issues."""
    own_tables, partner_tables = _arrays(own), _arrays(partner)
    if not own_tables or [table.shape for table in own_tables] != [table.shape for table in partner_tables]:
        raise DesignError("own and partner need worths of the same values of the same issues, at least one")
    if any(table.ndim != 1 or not len(table) for table in own_tables):
        raise DesignError("worths of an issue are a list of numbers, one for each value")
    return list(zip(own_tables, partner_tables, strict=True))
