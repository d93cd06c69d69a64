"""The p of a reported statistic: recomputed over the rounding of the statistic and its df, and compared with the print.

All tails are upper tails of scipy's special functions, so that small p are not lost.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from negstats.audit.context import WORDS as OF_FACTS
from negstats.audit.distributions import P_OF, SIGNED
from negstats.audit.find_results import Reported
from negstats.printed_numbers import Printed

Range: TypeAlias = tuple[float, float]
SLACK = 1e-9  # relative; of the special functions


def fitting_df(result: Reported) -> str:
    """Return which df from 1 to 20 would give a chi-squared its printed p, in words."""
    if result.kind not in ("chi2", "g2", "q", "h"):
        return ""
    fits = [df for df in range(1, 21) if agrees(result, range_with(result, ((df, df),)))]
    if not fits:
        return ""
    is_range = fits == list(range(fits[0], fits[-1] + 1)) and len(fits) > 1
    return f"df {fits[0]} to {fits[-1]}" if is_range else f"df {', '.join(map(str, fits))}"


def p_range(result: Reported) -> Range:
    """Return the least and the greatest p over the rounding of the statistic and of df that have decimals."""
    return range_of(result.kind, result.df, result.relation, result.statistic)


@functools.lru_cache(maxsize=4096)  # the same result stands in a text, its tables and its abstract
def range_of(kind: str, df: tuple[Printed, ...], relation: str, value: Printed) -> Range:
    """Return the least and the greatest p of a kind of statistic with these df and this value, as `p_range`."""
    df_ranges = tuple(
        (max(number.low, 1e-6), number.high) if number.decimals > 0 else (float(number), float(number))
        for number in df[: P_OF[kind][0]]
    )
    return _range_with(kind, relation, value, df_ranges)


def range_with(result: Reported, ends: Sequence[Range]) -> Range:
    """Return the least and the greatest p over the rounding of the statistic, with df between these ends."""
    return _range_with(result.kind, result.relation, result.statistic, ends)


def _range_with(kind: str, relation: str, value: Printed, df_ranges: Sequence[Range]) -> Range:
    smallest, largest = _sizes(kind, relation, value)
    p_of = P_OF[kind][1]
    if all(low == high for low, high in df_ranges):  # whole df, as nearly all are
        df = [low for low, _ in df_ranges]
        return float(p_of(largest, *df)), float(p_of(smallest, *df))
    corners = list(itertools.product(*df_ranges))
    return float(min(p_of(largest, *df) for df in corners)), float(max(p_of(smallest, *df) for df in corners))


def _sizes(kind: str, relation: str, value: Printed) -> Range:
    """Return the least and the greatest size of the statistic that its print allows."""
    low, high = value.low, value.high
    if relation in ("<", "≤"):
        low = -high if kind in SIGNED else 0.0
    elif relation in (">", "≥"):
        high = 1.0 if kind in ("r", "rho") else np.inf
    if low <= 0 <= high:
        return 0.0, max(-low, high) if kind in SIGNED else high
    return min(abs(low), abs(high)), max(abs(low), abs(high))


def agrees(result: Reported, p: Range, alpha: float = 0.05) -> bool:
    """Return whether some p of the range is what is printed."""
    if result.p is None:
        return not result.p_relation or p[1] * (1 + SLACK) > alpha
    if result.p_relation == "=":
        return agrees_with(result.p, p)
    low, high, at = p[0] * (1 - SLACK), p[1] * (1 + SLACK), float(result.p)
    return {
        "<": low < at,
        "≤": low <= result.p.high,  # "p ≤ .03" of a p of .031 is rounded
        ">": high > at,
        "≥": high >= at,
    }[result.p_relation]


def agrees_with(number: Printed, p: Range) -> bool:
    """Return whether some p of the range rounds to a number."""
    return number.agrees(p[0] * (1 - SLACK), p[1] * (1 + SLACK))


def tails(result: Reported, p: Range) -> Iterator[Range]:
    """Yield p of either single tail, where the statistic has two.

    The tail away from the effect counts for an exact p, and for one above a half where the sentence says that the
    test has one side: any effect is "not significant" there.
    """
    if result.kind in SIGNED or (result.kind != "u" and result.df and float(result.df[0]) == 1):
        yield p[0] / 2, p[1] / 2
        is_large = result.p is not None and result.p_relation in (">", "≥") and float(result.p) >= 0.5
        if result.p_relation == "=" or (result.one_sided and is_large):
            yield 1 - p[1] / 2, 1 - p[0] / 2


def both_tails(result: Reported, p: Range) -> Iterator[Range]:
    """Yield p of both tails of an F that compares two variances, where its sentence says that it has two.

    The F of means, and of one df, has its two tails in the upper one.
    """
    if result.kind == "f" and float(result.df[0]) > 1 and OF_FACTS.two_tails.search(result.sentence):
        yield 2 * p[0], 2 * p[1]
        yield 2 * (1 - p[1]), 2 * (1 - p[0])
