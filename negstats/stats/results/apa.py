"""Numbers as APA style (7th edition) prints them: the one place of the statistics where anything is rounded.

Statistics and means to two decimals; p to three without a leading zero, never as 0 or 1; degrees of freedom whole where
they are whole, else to two decimals. A number that cannot exceed 1 (r, p, eta squared) loses its leading zero.
"""

from __future__ import annotations

import math

from negstats.stats.results.numbers import Number
from negstats.stats.results.options import Alternative

MINUS = "−"


def number(value: Number, digits: int = 2) -> str:
    """Return `value` to `digits` decimals with a true minus sign and no negative zero.

    Examples
    --------
    >>> number(-0.694)
    '−0.69'
    >>> number(-0.001)
    '0.00'
    """
    value = float(value)
    if math.isnan(value):
        return "NA"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{abs(value):.{digits}f}"
    return text if value >= 0 or float(text) == 0 else MINUS + text


def bounded(value: Number, digits: int = 2) -> str:
    """Return a number that cannot exceed 1 in size, without its leading zero.

    Examples
    --------
    >>> bounded(0.376)
    '.38'
    """
    text = number(value, digits)
    return text.replace("0.", ".", 1) if text.removeprefix(MINUS).startswith("0.") else text


def decimals_of(spread: float | None, most: int = 4) -> int:
    """Return the decimals of a measure from its standard deviation, so that the SD keeps two figures where it is small.

    Examples
    --------
    >>> [decimals_of(sd) for sd in (4200.0, 130.0, 3.9, 0.064, 0.00001, None)]
    [0, 1, 2, 3, 4, 2]
    """
    if spread is None or not math.isfinite(spread) or spread <= 0:
        return 2
    if spread >= 1000:
        return 0
    return 1 if spread >= 100 else 2 if spread >= 1 else min(most, 1 - math.floor(math.log10(spread)))


def df(value: Number) -> str:
    """Return degrees of freedom: whole where they are whole to two decimals, else to two decimals.

    Examples
    --------
    >>> df(65.0), df(12.345), df(2015.998)
    ('65', '12.35', '2016')
    """
    return number(float(value)).removesuffix(".00")


def p_value(p: Number, alternative: Alternative = "two-sided") -> str:
    """Return ``p = .017`` or ``p < .001``; never zero. A one-sided p is called so.

    Examples
    --------
    >>> p_value(0.0168), p_value(1e-12), p_value(0.9999)
    ('p = .017', 'p < .001', 'p > .999')
    >>> p_value(0.0168, "greater")
    'p = .017 (one-sided)'
    """
    value, side = float(p), "" if alternative == "two-sided" else " (one-sided)"
    if math.isnan(value):
        return "p = NA"
    if value < 0.001:
        return f"p < .001{side}"
    if value > 0.999:
        return f"p > .999{side}"
    return f"p = {bounded(value, 3)}{side}"


def statistic(
    name: str,
    value: Number,
    dfs: tuple[Number, ...],
    p: Number,
    *,
    n: int | None = None,
    alternative: Alternative = "two-sided",
) -> str:
    """Return a statistic with its degrees of freedom and p.

    Examples
    --------
    >>> statistic("t", 2.4598, (65,), 0.0166)
    't(65) = 2.46, p = .017'
    >>> statistic("χ²", 7.63, (2,), 0.022, n=289)
    'χ²(2, N = 289) = 7.63, p = .022'
    """
    arguments = ", ".join([*map(df, dfs), *([] if n is None else [f"N = {n}"])])
    head = f"{name}({arguments})" if arguments else name
    return f"{head} = {number(value)}, {p_value(p, alternative)}"
