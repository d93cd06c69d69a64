"""Numbers in APA style (7th edition): the only module of the statistics that rounds.

Statistics and means to two decimals; p to three without a leading zero, never as 0 or 1; degrees of freedom whole where
they are whole, else to two decimals. A number that cannot exceed 1 (r, p, eta squared) loses its leading zero. An
estimate and the ends of its interval get more decimals where two would print them alike, and numbers of more than nine
digits before or six zeros behind the point are powers of ten: no interval reads [0.00, 0.00].
"""

from __future__ import annotations

import math
import re
from html import escape

import numpy as np
import numpy.typing as npt

from negstats.stats.results.numbers import Number
from negstats.stats.results.options import Alternative

MINUS = "−"
# From here a number is printed as a power of ten, and so is one that is 0 to so many decimals.
LARGEST, MOST_DECIMALS = 1e9, 6
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
LONG_SPAN = 100  # of a number, above which a ratio for one unit more is close to 1


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
    sign = MINUS if value < 0 else ""
    if abs(value) >= LARGEST or (digits > MOST_DECIMALS and 0 < abs(value) < 10.0**-MOST_DECIMALS):
        return sign + power_of_ten(math.log10(abs(value)))
    text = f"{abs(value):.{digits}f}"
    return text if float(text) == 0 else sign + text


def power_of_ten(logarithm: float) -> str:
    """Return a number by its decimal logarithm, which may be beyond all floats.

    Examples
    --------
    >>> power_of_ten(18.002), power_of_ten(-7.5), power_of_ten(8.9999)
    ('1.00 × 10¹⁸', '3.16 × 10⁻⁸', '1.00 × 10⁹')
    """
    exponent = math.floor(logarithm)
    leading = f"{10 ** (logarithm - exponent):.2f}"
    if leading == "10.00":
        leading, exponent = "1.00", exponent + 1
    return f"{leading} × 10{str(exponent).translate(RAISED)}"


def decimals_apart(*values: Number, least: int = 2) -> int:
    """Return the decimals that keep numbers apart which are not the same, and from 0 one that is not 0.

    Examples
    --------
    >>> decimals_apart(-0.2, 1.4), decimals_apart(-0.001, 0.001), decimals_apart(0.0012, 0.0034), decimals_apart(0.0)
    (2, 4, 4, 2)
    """
    finite = [float(value) for value in values if math.isfinite(float(value))]
    if not finite or len({f"{value:.{least}f}".removeprefix("-") for value in finite}) > 1:
        return least
    value_range = max(finite) - min(finite)
    if value_range == 0:
        value_range = abs(finite[0]) if float(f"{finite[0]:.{least}f}") == 0 else 0.0
    return max(least, 1 + math.ceil(-math.log10(value_range))) if value_range > 0 else least


def with_interval(
    value: Number, low: Number, high: Number, confidence_level: float, *, is_bounded: bool = False
) -> str:
    """Return an estimate and its interval to the same decimals.

    Examples
    --------
    >>> with_interval(0.362, -0.51, 1.24, 0.95), with_interval(0.0004, 0.0001, 0.0007, 0.9)
    ('0.36, 95% CI [−0.51, 1.24]', '0.00040, 90% CI [0.00010, 0.00070]')
    """
    digits, write = decimals_apart(low, high), bounded if is_bounded else number
    return f"{write(value, digits)}, {100 * confidence_level:g}% CI [{write(low, digits)}, {write(high, digits)}]"


def bounded_apart(value: Number, low: Number, high: Number, confidence_level: float) -> tuple[str, str]:
    """Return a number that cannot exceed 1, and its interval, both with the decimals that keep the ends apart.

    Examples
    --------
    >>> bounded_apart(0.362, 0.25, 0.46, 0.95), bounded_apart(0.0004, 0.0001, 0.0007, 0.9)
    (('.36', '95% CI [.25, .46]'), ('.00040', '90% CI [.00010, .00070]'))
    """
    digits = decimals_apart(low, high)
    return bounded(value, digits), f"{100 * confidence_level:g}% CI [{bounded(low, digits)}, {bounded(high, digits)}]"


def readable_step(values: npt.ArrayLike) -> float:
    """Return how much more of a number a ratio is for, so that a reader can picture it.

    One unit, but of numbers that lie within one unit a tenth or a smaller power of ten, and of large ones a power of
    ten below the range; of a number with two values how far they are apart.

    Examples
    --------
    >>> [readable_step(values) for values in ([0.2, 0.5, 1.0], [1, 5, 21], [0, 5e4, 9e4], [3e-6, 1e-6, 4e-6], [0, 1])]
    [0.1, 1.0, 10000.0, 1e-06, 1.0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    span = (
        float(f"{np.ptp(numbers):.12g}") if numbers.size else 0.0
    )  # without the rounding of where it is measured from
    if not 0 < span < math.inf:
        return 1.0
    if np.all((numbers == numbers.min()) | (numbers == numbers.max())):
        return span
    if span <= 1:
        return min(0.1, float(10.0 ** math.floor(math.log10(span))))
    return float(10.0 ** math.floor(math.log10(span))) if span > LONG_SPAN else 1.0


def step_text(step: float) -> str:
    """Return a step as a sentence has it.

    Examples
    --------
    >>> step_text(10000.0), step_text(0.1), step_text(1e-6), step_text(2.5)
    ('10,000', '0.1', '0.000001', '2.5')
    """
    text = f"{step:,.10f}".rstrip("0").rstrip(".")
    return text if float(text.replace(",", "")) > 0 else power_of_ten(math.log10(step))


def ratio(logarithm: Number, digits: int = 2) -> str:
    """Return the exponential of a logarithm, which may be beyond all floats.

    Examples
    --------
    >>> ratio(0.7419), ratio(1000.0), ratio(-np.inf), ratio(np.inf)
    ('2.10', '1.97 × 10⁴³⁴', '0.00', '∞')
    """
    value = float(logarithm)
    if math.isfinite(value) and value > math.log(LARGEST):
        return power_of_ten(value / math.log(10))
    return number(math.exp(value) if value < math.log(LARGEST) else value, digits)


def ratio_text(
    symbol: str, estimate: float, low: float, high: float, confidence_level: float, step: float = 1.0
) -> str:
    """Return such as ``OR = 2.10, 95% CI [1.20, 3.70]`` from logarithms for one unit; for another step it is said.

    Examples
    --------
    >>> ratio_text("OR", 25.0, 10.0, 40.0, 0.95, step=0.1)
    'OR per 0.1 = 12.18, 95% CI [2.72, 54.60]'
    """
    logs = [step * bound for bound in (estimate, low, high)]
    with np.errstate(over="ignore"):
        digits = decimals_apart(*np.exp(logs[1:]))
    value, low_text, high_text = (ratio(logarithm, digits) for logarithm in logs)
    per = "" if step == 1 else f" per {step_text(step)}"
    return f"{symbol}{per} = {value}, {100 * confidence_level:g}% CI [{low_text}, {high_text}]"


def bounded(value: Number, digits: int = 2) -> str:
    """Return a number that cannot exceed 1 in size, without its leading zero.

    Examples
    --------
    >>> bounded(0.376)
    '.38'
    """
    text = number(value, digits)
    return text.replace("0.", ".", 1) if text.removeprefix(MINUS).startswith("0.") else text


def decimals_of(spread: float | None) -> int:
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
    return 1 if spread >= 100 else 2 if spread >= 1 else min(4, 1 - math.floor(math.log10(spread)))


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
    value, tail_text = float(p), "" if alternative == "two-sided" else " (one-sided)"
    if math.isnan(value):
        return "p = NA"
    if value < 0.001:
        return f"p < .001{tail_text}"
    if value > 0.999:
        return f"p > .999{tail_text}"
    return f"p = {bounded(value, 3)}{tail_text}"


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


SYMBOL = re.compile(r"(?<![\w])(d_z|r_s|t|F|p|z|r|M|SD|N|n|g|d|U|H|V|W|Q|OR|HR|RR|b)(?=\s?[=<>(])")


def to_html(text: str) -> str:
    """Return an APA line as HTML: escaped, its symbols in italics, an index lowered.

    Examples
    --------
    >>> to_html("t(65) = 2.46, p < .001, d_z = 0.30")
    '<i>t</i>(65) = 2.46, <i>p</i> &lt; .001, <i>d</i><sub>z</sub> = 0.30'
    """
    fragments, position = [], 0
    for match in SYMBOL.finditer(text):
        letter, _, index = match[0].partition("_")
        fragments.append(
            f"{escape(text[position : match.start()])}<i>{letter}</i>{f'<sub>{index}</sub>' if index else ''}"
        )
        position = match.end()
    return "".join([*fragments, escape(text[position:])])
