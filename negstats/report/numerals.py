"""How numbers are rounded in a report: decimals by kind, one number of decimals for a measure everywhere.

=========== =====================================================================================
measure     M, SD, differences: 0 decimals from an SD of 1000, 1 from 100, 2 from 1, else so many that
            the SD keeps two figures, at most 4
share       shares, r, R², ω², V: no leading zero, 2 decimals
percent     shares under .1 or of 100 and more: 1 decimal; else whole
p           3 decimals, < .001, > .999
statistic   t, F, z, χ², d, g, OR: 2 decimals, from 1000 on none
df          whole, else 2 decimals
count       whole, thousands with commas
=========== =====================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from negstats.report.prose import NO_BREAK, Prose, Run, Slot, join, prose
from negstats.stats.results import apa

MOST = 4  # decimals
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _p(value: float, _: int) -> str:
    text = apa.p_value(value).removeprefix("p ")
    return text.removeprefix("= ")


def _statistic(value: float, digits: int) -> str:
    return apa.number(value, 0 if abs(value) >= 1000 else digits)


KINDS: Mapping[str, Callable[[float, int], str]] = {
    "measure": apa.number,
    "size": lambda value, digits: apa.number(abs(value), digits),
    "share": apa.bounded,
    "size of share": lambda value, digits: apa.bounded(abs(value), digits),
    "percent": lambda value, digits: apa.number(100 * value, digits),
    "size of percent": lambda value, digits: apa.number(abs(100 * value), digits),
    "p": _p,
    "statistic": _statistic,
    "df": lambda value, _: apa.df(value),
    "count": lambda value, _: f"{value:,.0f}",
    "level": lambda value, _: f"{100 * value:g}",
}


def shown(value: float, kind: str, digits: int = 2) -> str:
    """Return a number as a report prints it.

    Examples
    --------
    >>> shown(0.0083, "p"), shown(1030, "count"), shown(-0.0081, "measure", 3), shown(0.9, "level")
    ('.008', '1,030', '−0.008', '90')
    """
    return KINDS[kind](value, digits)


def rounded(value: float, kind: str, address: str, digits: int = 2) -> Run:
    """Return a number with its slot; the text of p has its sign of relation before it if that is no equality."""
    return Run(shown(value, kind, digits), slot=Slot(address, kind, digits))


def spelled(count: Run) -> Run:
    """Return a count below ten as a word.

    Examples
    --------
    >>> spelled(rounded(3, "count", "/n")).text, spelled(rounded(12, "count", "/n")).text
    ('three', '12')
    """
    is_short = count.text.isdigit() and int(count.text) < len(DIGITS)
    return replace(count, text=DIGITS[int(count.text)]) if is_short else count


def percent_digits(share: float, n: int) -> int:
    """Return the decimals of a percentage: one of rare events and of a hundred and more, else none."""
    return 1 if n >= 100 or share < 0.1 else 0


def interval(quantity: Mapping[str, object], kind: str, address: str, digits: int = 2, *, level: bool = True) -> Prose:
    """Return ``95% CI [0.004, 0.040]``; empty where there is none.

    An end that rounds to 0, to the estimate or to the other side of 0 gets a decimal more, both ends alike.
    """
    if quantity.get("low") is None and quantity.get("high") is None:
        return Prose()
    texts = ends_of(quantity, kind, address, digits)
    body = prose("[{low}," + NO_BREAK + "{high}]", low=texts[0], high=texts[1])
    if not level:
        return body
    confidence = rounded(float(quantity.get("level") or 0.95), "level", f"{address}/level")  # type: ignore[arg-type]
    head = prose("{level}%" + NO_BREAK + "CI" + NO_BREAK, level=confidence)
    return join([head, body], "")


def ends_of(quantity: Mapping[str, object], kind: str, address: str, digits: int = 2) -> tuple[Run, Run]:
    """Return both ends of an interval, with as many decimals as show their signs."""
    low, high, value = (_number(quantity.get(key)) for key in ("low", "high", "value"))
    ends = (-math.inf if low is None else low, math.inf if high is None else high)
    digits = _end_digits(ends, value, kind, digits)
    first, last = (
        rounded(end, kind, f"{address}/{name}", digits) if math.isfinite(end) else Run(apa.number(end))
        for name, end in zip(("low", "high"), ends, strict=True)
    )
    return first, last


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _end_digits(ends: tuple[float, float], value: float | None, kind: str, digits: int) -> int:
    for more in range(digits, MOST + 1):
        texts = [shown(end, kind, more) for end in ends if math.isfinite(end)]
        shows_zero = any(
            float(text.replace("−", "-").replace(",", "")) == 0 and end != 0
            for text, end in zip(texts, (end for end in ends if math.isfinite(end)), strict=True)
        )
        other = [shown(end, kind, more) for end in ends if math.isfinite(end) and end != value]
        equals_value = value is not None and math.isfinite(value) and shown(value, kind, more) in other
        if not shows_zero and not equals_value:
            return more
    return digits
