"""How numbers are rounded in a report: decimals by kind, one number of decimals for a measure everywhere.

=========== =====================================================================================
measure     M, SD, differences: 0 decimals from an SD of 1000, 1 from 100, 2 from 1, else so many that
            the SD keeps two figures, at most 4; thousands with commas, as in statistics
share       shares, r, R², ω², V: no leading zero, 2 decimals
percent     shares above 0 and under .1, or of 100 and more: 1 decimal; else whole; halves upwards
probability a fitted share in percent, never 0 or 100: > 99.9
p           3 decimals, < .001, > .999; in a sentence its sign apart, for a field of Word may break inside
statistic   t, F, z, χ², d, g, OR: 2 decimals
df          whole, else 2 decimals
count       whole, thousands with commas; below ten a word in a sentence, a figure in brackets and tables
=========== =====================================================================================
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

from negstats.report.prose import NO_BREAK, Prose, Run, Slot, join, number_words, prose
from negstats.sanitize import noun_for
from negstats.stats.results import apa

MOST = 4  # decimals
OPPOSITE = "opposite of "  # before a kind: the number with its other sign


def _split_p(value: float) -> tuple[str, str]:
    """Return the sign of relation of a p, and the number behind it."""
    sign, number = apa.p_value(value).removeprefix("p ").split(" ")
    return sign, number


def _percent(value: float, digits: int) -> str:
    """Return a percentage, halves upwards: 17 of 80 are 21.3%, although 100 * 0.2125 may lie below 21.25."""
    if not math.isfinite(value):
        return apa.number(value)
    exact = Decimal(repr(round(100 * value, 10)))
    return apa.number(float(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)), digits)


def _probability(value: float, digits: int) -> str:
    """Return a fitted probability in percent, which is never 0 or 100."""
    least = 10.0**-digits
    if 100 * value > 100 - least / 2:
        return f"> {100 - least:.{digits}f}"
    return f"< {least:.{digits}f}" if 100 * value < least / 2 else _percent(value, digits)


def _number(value: float, digits: int) -> str:
    """Return a number with commas between its thousands, as APA style has all but degrees of freedom."""
    text = apa.number(value, digits)
    whole, point, decimals = text.partition(".")
    return re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", whole) + point + decimals


IN_WORDS = ("count in words", lambda value, _: number_words(int(value)) if value < 10 else f"{value:,.0f}")
KINDS: Mapping[str, Callable[[float, int], str]] = {
    "measure": _number,
    "size": lambda value, digits: _number(abs(value), digits),
    "share": apa.bounded,
    "size of share": lambda value, digits: apa.bounded(abs(value), digits),
    "percent": lambda value, digits: _percent(value, digits),
    "size of percent": lambda value, digits: _percent(abs(value), digits),
    "probability": lambda value, digits: _probability(value, digits),
    "p": lambda value, _: apa.p_value(value).removeprefix("p ").removeprefix("= "),
    "p sign": lambda value, _: _split_p(value)[0],
    "p behind its sign": lambda value, _: _split_p(value)[1],
    "statistic": _number,
    "df": lambda value, _: apa.df(value),
    "count": lambda value, _: f"{value:,.0f}",
    IN_WORDS[0]: IN_WORDS[1],
    "level": lambda value, _: f"{100 * value:g}",
}


def shown(value: float, kind: str, digits: int = 2) -> str:
    """Return a number as a report prints it.

    Examples
    --------
    >>> shown(0.0083, "p"), shown(1030, "count"), shown(-0.0081, "measure", 3), shown(0.9, "level")
    ('.008', '1,030', '−0.008', '90')
    >>> shown(1701, "statistic"), shown(-12345.6, "measure", 0), shown(999.996, "statistic")
    ('1,701.00', '−12,346', '1,000.00')
    """
    if kind.startswith(OPPOSITE):
        return shown(-value, kind.removeprefix(OPPOSITE), digits)
    return KINDS[kind](value, digits)


def rounded(value: float, kind: str, address: str, digits: int = 2) -> Run:
    """Return a number with its slot; the text of p has its sign of relation before it if that is not an equality."""
    return Run(shown(value, kind, digits), slot=Slot(address, kind, digits))


def counted_at(count: int, noun: str, address: str) -> Prose:
    """Return a count with its noun, in the number that the count asks for: "66 people"."""
    words = Prose((Run(noun_for(count, noun)),))
    return prose("{n} {noun}", n=rounded(count, "count", address), noun=words)


def counts_in_words(text: Prose) -> Prose:
    """Return a paragraph whose counts below ten are words; those in brackets and behind a sign of equality are figures.

    Examples
    --------
    >>> n = rounded(8, "count", "/n")
    >>> str(counts_in_words(prose("Of {n} dyads (*n* = {n}), {n} agreed, *N* = {n}.", n=n)))
    'Of eight dyads (n = 8), eight agreed, N = 8.'
    """
    runs, before, depth = [], "", 0
    for run in text.runs:
        is_count = run.slot is not None and run.slot.kind == "count" and run.text.replace(",", "").isdigit()
        if is_count and run.slot is not None and not depth and not before.rstrip(f" {NO_BREAK}").endswith("="):
            words = IN_WORDS[1](float(run.text.replace(",", "")), 0)
            run = replace(run, text=words, slot=replace(run.slot, kind=IN_WORDS[0]))
        depth += sum((letter in "([") - (letter in ")]") for letter in run.text)
        before = run.text
        runs.append(run)
    return Prose(tuple(runs))


def percent_digits(share: float, n: int) -> int:
    """Return the decimals of a percentage: one of rare events and of a hundred and more, else none."""
    return 1 if n >= 100 or 0 < share < 0.1 else 0


def interval(
    quantity: Mapping[str, object],
    kind: str,
    address: str,
    digits: int = 2,
    *,
    level: bool = True,
    of_size: bool = False,
) -> Prose:
    """Return ``95% CI [0.004, 0.040]``, with the decimals of `interval_digits`; empty where there is none.

    That of the size, where the text gives the estimate without its sign: of a negative one both signs turn.
    """
    if quantity.get("low") is None and quantity.get("high") is None:
        return Prose()
    texts = ends_of(quantity, kind, address, digits, of_size=of_size)
    body = prose("[{low}," + NO_BREAK + "{high}]", low=texts[0], high=texts[1])
    if not level:
        return body
    confidence = rounded(float(quantity.get("level") or 0.95), "level", f"{address}/level")  # type: ignore[arg-type]
    head = prose("{level}%" + NO_BREAK + "CI" + NO_BREAK, level=confidence)
    return join([head, body], "")


def ends_of(
    quantity: Mapping[str, object], kind: str, address: str, digits: int, *, of_size: bool = False
) -> tuple[Run, Run]:
    """Return both ends of an interval, or of that of the size, with the decimals of `interval_digits`."""
    ends = [("low", _end(quantity.get("low"), -math.inf)), ("high", _end(quantity.get("high"), math.inf))]
    digits = interval_digits(quantity, kind, digits)
    if of_size and _end(quantity.get("value"), 0.0) < 0:
        kind, ends = OPPOSITE + kind, ends[::-1]
    first, last = (
        rounded(end, kind, f"{address}/{name}", digits) if math.isfinite(end) else Run(shown(end, kind))
        for name, end in ends
    )
    return first, last


def _end(value: object, missing: float) -> float:
    return float(value) if isinstance(value, (int, float)) else missing


def interval_digits(quantity: Mapping[str, object], kind: str, digits: int = 2) -> int:
    """Return the decimals of an estimate and of both ends of its interval, which have the same number.

    It is the least number, from `digits` on, with which no end that is not 0 reads as 0, and none as the estimate; an
    end that is 0, such as the least that a share of variance can be, asks for no more.

    Examples
    --------
    >>> interval_digits({"value": 0.31, "low": -0.003, "high": 0.617}, "measure")
    3
    >>> interval_digits({"value": 0.0, "low": 0.0, "high": 0.418}, "share")
    2
    """
    value = _end(quantity.get("value"), math.nan)
    ends = [end for key in ("low", "high") if math.isfinite(end := _end(quantity.get(key), math.nan)) and end]
    for decimals in range(digits, MOST + 1):
        texts = [shown(end, kind, decimals) for end in ends]
        is_zero = any(float(text.replace("−", "-").replace(",", "")) == 0 for text in texts)
        is_estimate = math.isfinite(value) and shown(value, kind, decimals) in [
            text for text, end in zip(texts, ends, strict=True) if end != value
        ]
        if not is_zero and not is_estimate:
            return decimals
    return digits
