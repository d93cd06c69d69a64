"""The likely cause of a p that does not fit: what small slip of the pen would make it fit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TypeAlias

from scipy import special

from negstats.audit.beyond_p.around import INTERVAL, number_in
from negstats.audit.distributions import P_OF
from negstats.audit.find_results import Reported
from negstats.audit.recomputing import Range, agrees_with, fitting_df, range_of
from negstats.printed_numbers import Printed, printed

NARROW = 1.25  # how far the p of an interval may be from each other over its rounding
LEAST_DECIMALS = 3  # of a p that an interval may have by more than chance
Other: TypeAlias = tuple[tuple[Printed, ...], Printed, str]  # df and a value that may be meant, and how
SMALLEST = (".001", ".0001", ".00001")  # what programs and authors print for a p below it


def cause(result: Reported, p: Range) -> str:
    """Return what would make p fit, in words; empty if no usual slip does.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> from negstats.audit.recomputing import p_range
    >>> for text in ("t(28) = 2.20, p = .063", "t(82) = 2.20, p = .036", "t(28) = 2.20, p = .0036"):
    ...     for result in find(document(text)):
    ...         print(cause(result, p_range(result)))
    p = .036 with two digits exchanged
    df 28 with two digits exchanged would give it
    p = .036 with its point moved
    """
    if result.p is None or result.p_relation != "=":
        return ""
    if str(result.p).removeprefix("0") in SMALLEST and p[1] < float(result.p):
        return f"p < {str(result.p).removeprefix('0')} would be right"
    for number, how in _slips(result.p):
        if agrees_with(number, p):
            return f"p = {str(number).removeprefix('0')} with {how}"
    unit = 10.0**-result.p.decimals
    if any(math.isclose(math.floor(end / unit) * unit, float(result.p)) for end in p):
        return "it is cut off, not rounded"
    if fits := fitting_df(result):
        return f"{fits} would give it"
    for df, value, words in itertools.chain(_other_df(result), _other_value(result)):
        if agrees_with(result.p, range_of(result.kind, df, result.relation, value)):
            return f"{words} would give it"
    return _find_interval(result)


def _find_interval(result: Reported) -> str:
    """Return which interval of the paragraph has the printed p, in words: that of another estimate, in most cases."""
    if result.p is None or result.p.decimals < LEAST_DECIMALS:
        return ""
    of_t = result.df and (result.kind == "t" or (result.kind == "f" and float(result.df[0]) == 1))
    df = float(result.df[-1]) if of_t else math.inf
    for interval_match in INTERVAL.finditer(result.paragraph):
        ends = [number_in(interval_match[end]) for end in ("low", "high")]
        upper = 0.5 + float(interval_match["level"]) / 200
        if upper >= 1:
            continue
        quantile = float(special.stdtrit(df, upper) if math.isfinite(df) else special.ndtri(upper))
        for scale in (float, math.log):
            low, high = ([one.low, one.high] for one in ends)
            if low[1] >= high[0] or (scale is math.log and low[0] <= 0):
                continue
            ps = [_p_of_interval(scale(first), scale(last), quantile, df) for first in low for last in high]
            if max(ps) <= NARROW * min(ps) and result.p.agrees(min(ps), max(ps)):
                return f"it would be that of the interval [{ends[0]}, {ends[1]}]"
    return ""


def _p_of_interval(low: float, high: float, quantile: float, df: float) -> float:
    """Return the p of an estimate in the middle of its interval."""
    size = abs(low + high) / (high - low) * quantile
    return float(2 * (special.stdtr(df, -size) if math.isfinite(df) else special.ndtr(-size)))


def _slips(number: Printed) -> Iterator[tuple[Printed, str]]:
    """Yield a number with two neighbouring digits exchanged, and with its point moved by one place."""
    text = str(number)
    if "e" in text:
        return
    for first in range(len(text) - 1):
        pair = text[first : first + 2]
        if pair.isdigit() and pair[0] != pair[1]:
            yield printed(text[:first] + pair[::-1] + text[first + 2 :]), "two digits exchanged"
    if number.decimals == 0 and number.value >= 10:
        yield printed(f"{float(number) / 100:.2f}"), "its point lost"
    if number.decimals > 1:
        for shifted_value in (number.value * 10, number.value / 10):
            decimals = number.decimals + (1 if shifted_value < number.value else -1)
            if 0 < float(shifted_value) < 1:
                yield printed(f"{float(shifted_value):.{decimals}f}"), "its point moved"


def _other_df(result: Reported) -> Iterator[Other]:
    """Yield df next to the printed ones, and with two of their digits exchanged."""
    if not result.df or result.df[-1].decimals > 0:
        return
    last = int(float(result.df[-1]))
    text = str(last)
    swapped = [
        int(text[:place] + text[place + 1] + text[place] + text[place + 2 :])
        for place in range(len(text) - 1)
        if text[place] != text[place + 1]
    ]
    for df in swapped:
        if df > 0:
            yield (*result.df[:-1], printed(df)), result.statistic, f"df {df} with two digits exchanged"
    if len(result.df) > 1 or P_OF[result.kind][0] == 1:
        for step in (-1, 1, -2, 2):
            if last + step > 0:
                yield (*result.df[:-1], printed(last + step)), result.statistic, f"df {last + step}"


def _other_value(result: Reported) -> Iterator[Other]:
    for number, how in _slips(result.statistic):
        yield result.df, number, f"{number} with {how}"
