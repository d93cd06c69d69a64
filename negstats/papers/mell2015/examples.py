"""The worked examples of mell2015 and the contradictions in its words: each from its pay-offs and its own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from negstats import audit
from negstats.games.favors import FINAL, STUDY, outcomes
from negstats.games.favors.rules import START
from negstats.games.pareto import minkowski_sum, pareto_optimal
from negstats.papers.ledger import Row, row_named
from negstats.papers.recipes import Hooks, build_contradiction, build_example, p_text, printed
from negstats.papers.verdict import Finding


def _payoff(number: str, who: str, way: str, row: Row) -> Finding:
    """Compare a pay-off of Table 4 with the game."""
    negotiation = STUDY[int(number) - 1]
    if way == "batna":
        points = negotiation.batna
    else:
        points = negotiation.offer("good" if way == "returned" and negotiation.is_return else "poor")
    return build_example(row, points[("player", "agent").index(who)], "the rules of the game")


def points_of(number: int, ending: str) -> tuple[float, float]:
    """Return the points of player and agent in negotiation 1 or 2 where it ends in a deal, or without one."""
    negotiation = STUDY[number - 1]
    quality = {"returned": "good", "deal": "poor", "never": "poor"}.get(ending)
    return negotiation.batna if quality is None else negotiation.offer(quality)  # type: ignore[arg-type]


def _sum_of_two(first: str, second: str, seat: str, row: Row) -> Finding:
    parts = [points_of(1, first)[int(seat)], points_of(2, second)[int(seat)]]
    return build_example(row, sum(parts), f"{parts[0]:g} + {parts[1]:g}")


def _final(what: str, row: Row) -> Finding:
    """Compare what is printed of negotiation 5 with its outcomes here."""
    value = {"start": START[0], "seat": FINAL.max(), "joint": FINAL.sum(axis=1).max()}[what]
    return build_example(row, float(value), "the grid of outcomes taken for negotiation 5")


def _sum(*inputs: Any) -> Finding:
    *numbers, row = inputs
    parts = [int(number) for number in numbers]
    return build_example(row, sum(parts), " + ".join(map(str, parts)))


def _p_of_chi_squared(value: str, df: str, row: Row) -> Finding:
    p = float(special.chdtrc(int(df), float(value)))
    return build_contradiction(row, p, f"χ²({df}) = {value} has {p_text(p)}")


def splits(chi2: str, n: int) -> set[tuple[int, int]]:
    """Return how the rows or columns of any table with the printed χ² split the people in two."""
    tables = audit.tables_with(chi2=chi2, n=n).tables
    sums = [tables.sum(axis=axis) for axis in (1, 2)]
    return {(min(pair), max(pair)) for margin in sums for pair in margin.tolist()}


def _margins_in_common(first: str, second: str, n: str, row: Row) -> Finding:
    """Count the ways to split the people in two that tables of both tests have."""
    both = [splits(chi2, int(n)) for chi2 in (first, second)]
    ways = ["; ".join(f"{a} + {b}" for a, b in sorted(margins)) for margins in both]
    why = f"a 2 × 2 table with χ² = {first} splits the {n} into {ways[0]}, one with {second} into {ways[1]}"
    return build_contradiction(row, len(both[0] & both[1]), why)


def _sign_of_d(name: str, row: Row) -> Finding:
    d = printed(row_named(name), "effect_value").value
    return build_contradiction(row, d, f"d = {d:g} is that of never minus returned, the words are of returned")


def _optimal_without_return(row: Row) -> Finding:
    """Count the sums over negotiations 1 and 2 that are Pareto optimal where favors are never returned."""
    sums = minkowski_sum(outcomes(STUDY[0], "poor"), outcomes(STUDY[1], "poor"))
    optimal = np.unique(sums[pareto_optimal(sums)], axis=0)
    text = ", ".join(f"{player:g}:{agent:g}" for player, agent in optimal.tolist())
    return build_contradiction(row, len(optimal), f"by the formula {text} (player:agent) are Pareto optimal over time")


def _two_definitions(row: Row) -> Finding:
    weak, usual = (int(pareto_optimal(FINAL, weak=weak).sum()) for weak in (True, False))
    why = (
        f"of {len(FINAL)} outcomes of a grid for negotiation 5, {weak} are optimal by the formula, {usual} by the words"
    )
    return build_contradiction(row, weak - usual, why)


HOOKS: Hooks = {
    "payoff": _payoff,
    "sum of two": _sum_of_two,
    "final": _final,
    "sum": _sum,
    "p of chi-squared": _p_of_chi_squared,
    "margins in common": _margins_in_common,
    "sign of d": _sign_of_d,
    "optimal without return": _optimal_without_return,
    "two definitions": _two_definitions,
}
