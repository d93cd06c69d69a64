"""The likely cause of a p that does not fit: what small slip of the pen would make it fit."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator

from negstats.audit.find_results import Reported
from negstats.audit.recomputing import P_OF, Range, agrees, fitting_df, p_range
from negstats.errors import DesignError
from negstats.printed_numbers import Printed, printed

__all__ = ["cause"]

SMALLEST = (".001", ".0001", ".00001")  # what programs and authors print for a p below it


def cause(said: Reported, p: Range) -> str:
    """Return what would make p fit, in words; empty if no usual slip does.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> for text in ("t(28) = 2.20, p = .063", "t(82) = 2.20, p = .036", "t(28) = 2.20, p = .0036"):
    ...     for said in find(document(text)):
    ...         print(cause(said, p_range(said)))
    p = .036 with two digits exchanged
    df 28 with two digits exchanged would give it
    p = .036 with its point moved
    """
    if said.p is None or said.p_relation != "=":
        return ""
    if str(said.p).removeprefix("0") in SMALLEST and p[1] < float(said.p):
        return f"p < {str(said.p).removeprefix('0')} would be right"
    for number, how in _slips(said.p):
        if agrees(dataclasses.replace(said, p=number), p):
            return f"p = {str(number).removeprefix('0')} with {how}"
    unit = 10.0**-said.p.decimals
    if any(math.isclose(math.floor(end / unit) * unit, float(said.p)) for end in p):
        return "it is cut off, not rounded"
    if fits := fitting_df(said):
        return f"{fits} would give it"
    for other, words in itertools.chain(_other_df(said), _other_value(said)):
        if agrees(said, p_range(other)):
            return f"{words} would give it"
    return ""


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
        for moved in (number.value * 10, number.value / 10):
            decimals = number.decimals + (1 if moved < number.value else -1)
            if 0 < float(moved) < 1:
                yield printed(f"{float(moved):.{decimals}f}"), "its point moved"


def _other_df(said: Reported) -> Iterator[tuple[Reported, str]]:
    """Yield a result with df next to the printed ones, and with two of their digits exchanged."""
    if not said.df or said.df[-1].decimals > 0:
        return
    last = int(float(said.df[-1]))
    text = str(last)
    swapped = [
        int(text[:place] + text[place + 1] + text[place] + text[place + 2 :])
        for place in range(len(text) - 1)
        if text[place] != text[place + 1]
    ]
    for df in swapped:
        if df > 0:
            yield dataclasses.replace(said, df=(*said.df[:-1], printed(df))), f"df {df} with two digits exchanged"
    if len(said.df) > 1 or P_OF[said.kind][0] == 1:
        for step in (-1, 1, -2, 2):
            if last + step > 0:
                yield dataclasses.replace(said, df=(*said.df[:-1], printed(last + step))), f"df {last + step}"


def _other_value(said: Reported) -> Iterator[tuple[Reported, str]]:
    for number, how in _slips(said.statistic):
        try:
            yield dataclasses.replace(said, value=number), f"{number} with {how}"
        except DesignError:
            continue
