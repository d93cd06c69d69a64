"""Slips in the digits of a printed number: exchanged, lost, added or other digits, and a point that moved."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import NamedTuple

from negstats.audit.beyond_p.judgement import Range
from negstats.printed_numbers import Printed

MOST_COST = 3.0
LONGEST = 16  # characters of a number whose digits are edited
COSTS = {  # of the slips of digits
    "with its point lost": 0.9,
    "with two digits exchanged": 1.0,
    "with its point moved": 1.1,
    "with an extra digit": 1.5,
    "with a digit missing": 1.6,
    "with another digit": 1.7,
}
UNUSUAL = 0.7  # what a number of unusual precision costs more


class Digits(NamedTuple):
    """A number with a slip of its digits: its size, decimals and sign, the slip, and its cost."""

    size: float
    decimals: int
    sign: str
    how: str
    cost: float

    @property
    def text(self) -> str:
        """The number as it would be printed."""
        return f"{self.sign}{self.size:.{self.decimals}f}"


def _edit_sum(number: int, n_digits: int, decimals: int) -> Iterator[tuple[str, int, list[int]]]:
    """Yield of each slip in the digits of a whole number of so many places the numbers that it makes, and the decimals.

    The likeliest slips come first. An edited number is a sum of what stands above a digit, a digit, and what stands
    below it. Behind a digit that is missing the point stands one further; at the point it may stand on either side.
    """
    units = [10**position for position in range(n_digits + 1)]
    digits = [number // unit % 10 for unit in units[:-1]]
    if not decimals:
        yield from (("with its point lost", shift, [number]) for shift in range(1, n_digits))
    pairs = zip(range(1, n_digits), units, digits, digits[1:], strict=False)
    exchanges = [
        number + 9 * unit * (digit - next_digit)
        for position, unit, digit, next_digit in pairs
        if not position == decimals > 0
    ]
    yield "with two digits exchanged", decimals, exchanges
    yield from (("with its point moved", shift, [number]) for shift in (decimals + 1, decimals - 1)[:decimals])
    shortened = [number // (10 * unit) * unit + number % unit for unit in units[:-1]]
    yield "with an extra digit", decimals - 1, shortened[:decimals]
    yield "with an extra digit", decimals, shortened[decimals:]
    lengthened = [
        [number // unit * 10 * unit + number % unit + new_digit * unit for new_digit in range(10)] for unit in units
    ]
    yield "with a digit missing", decimals + 1, list(itertools.chain(*lengthened[: decimals + 1 if decimals else 0]))
    yield "with a digit missing", decimals, list(itertools.chain(*lengthened[decimals:]))
    replaced = [
        number + (new_digit - digit) * unit
        for unit, digit in zip(units, digits, strict=False)
        for new_digit in range(10)
    ]
    yield "with another digit", decimals, replaced


@functools.lru_cache(maxsize=4096)  # a text prints the same df again and again
def edit_digits(number: Printed, ends: Range = (0.0, 1e15), most_cost: float = MOST_COST) -> tuple[Digits, ...]:
    """Return a number with each slip of its digits under which some size that rounds to it lies between two ends.

    Examples
    --------
    >>> from negstats.printed_numbers import printed
    >>> [(edit.text, edit.how) for edit in edit_digits(printed("2.02"), (2.1, 2.3))][:2]
    [('2.20', 'with two digits exchanged'), ('2.2', 'with an extra digit')]
    """
    text, printed_size = str(number).removeprefix("-"), abs(float(number))
    sign, n_decimals = "-" if str(number).startswith("-") else "", len(text.partition(".")[2])
    digits = text.replace(".", "")
    edits: dict[tuple[int, int], Digits] = {}
    for slip_name, decimals, totals in (
        _edit_sum(int(digits), len(digits), n_decimals) if len(digits) <= LONGEST else ()
    ):
        # People print two decimals or three: few a number of another precision than they have printed.
        is_usual = "point" in slip_name or min(n_decimals, 2) <= decimals <= max(n_decimals, 2)
        cost, scale = COSTS[slip_name] + UNUSUAL * (not is_usual), 10**decimals
        if COSTS[slip_name] > most_cost:
            break
        # What rounds to 0, or to the number itself, is not a slip.
        smallest, largest = max(ends[0] * scale - 0.5, 1), ends[1] * scale + 0.5
        for total in totals if cost <= most_cost else ():
            if (
                smallest <= total <= largest
                and abs(total - printed_size * scale) > 0.05
                and ((total, decimals) not in edits or cost < edits[total, decimals].cost)
            ):
                edits[total, decimals] = Digits(total / scale, decimals, sign, slip_name, cost)
    return tuple(edits.values())
