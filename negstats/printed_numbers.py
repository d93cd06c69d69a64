"""A number as a paper prints it, and the interval of values that rounds to it.

The audit and the papers start here: a printed 4.12 stands for any value from 4.115 to 4.125. Both ends belong to the
interval, because papers round halves up, to even, or by whatever their software did.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from negstats.errors import DesignError, shown

# What a printed number may be given as. Only text keeps the zeros at its end: "3.80" has two decimals, 3.8 has one.
Printable: TypeAlias = "str | float | Decimal | Printed"


SLACK = 1e-9  # of a printed unit: what binary fractions lose of decimal ones
WIDE = (1 + 2 * Fraction(SLACK)).as_integer_ratio()  # half a unit with the slack, in half units
RELATIONS = ("=", "<", ">")


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number.

    Attributes
    ----------
    number : Fraction
        The number that is printed, exactly.
    decimals : int
        Decimals that are printed; negative where the number is rounded to tens or more (1.2e5).
    relation : str
        How it is printed: "=", "<" or ">".
    value : float
        The number as it stands.

    Examples
    --------
    >>> number = printed("4.12")
    >>> number.low, number.high, str(number)
    (4.115, 4.125, '4.12')
    >>> number.agrees(4.1249), printed("0.0001", relation="<").agrees(0.00015)
    (True, False)
    """

    number: Fraction
    decimals: int
    relation: str = "="
    value: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        numerator, denominator = self.number.as_integer_ratio()
        object.__setattr__(self, "value", numerator / denominator)

    def __hash__(self) -> int:
        return hash((self.value, self.decimals, self.relation))  # that of a fraction takes ten times as long

    @property
    def half(self) -> Fraction:
        """Half a unit of the last printed decimal."""
        return Fraction(1, 2) / Fraction(10) ** self.decimals

    @property
    def exact(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest value that round to this number."""
        return self.number - self.half, self.number + self.half

    @property
    def low(self) -> float:
        """The least value that rounds to this number."""
        return self._ends()[0]

    @property
    def high(self) -> float:
        """The greatest value that rounds to this number."""
        return self._ends()[1]

    def _ends(self, halves: tuple[int, int] = (1, 1)) -> tuple[float, float]:
        """Return the number with so many half units less and more."""
        return _ends_of(*self.number.as_integer_ratio(), self.decimals, *halves)

    def agrees(self, low: float | Fraction, high: float | Fraction | None = None) -> bool:
        """Return whether some value from `low` to `high` (one value if not given) can have been printed so.

        Fractions are compared exactly; floats may miss an end by a billionth of a printed unit.

        Parameters
        ----------
        low, high
            The ends of what the unrounded value can be.

        Returns
        -------
        bool
            True if rounding some value in that range gives the printed number.

        Examples
        --------
        >>> printed("59.1").agrees(59.05), printed("59.1").agrees(59.0499)
        (True, False)
        """
        high = low if high is None else high
        exact = isinstance(low, Fraction) and isinstance(high, Fraction)
        if self.relation == "<":
            return low < (self.number if exact else self.value)
        if self.relation == ">":
            return high > (self.number if exact else self.value)
        if isinstance(low, float) and isinstance(high, float):
            # A float below the one that is nearest to an end is below that end: only the nearest must be weighed.
            bottom, top = self._ends(WIDE)
            if low != top and high != bottom:
                return low < top and high > bottom
        reach = self.half * (1 if exact else Fraction(*WIDE))
        return low <= self.number + reach and high >= self.number - reach

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.{max(self.decimals, 0)}f}"


@lru_cache(maxsize=4096)  # a number is held against many
def _ends_of(numerator: int, denominator: int, decimals: int, times: int, by: int) -> tuple[float, float]:
    """Return a number with so many half units less and more: quotients of whole numbers, far faster than fractions."""
    units, steps = (10**decimals, 1) if decimals >= 0 else (1, 10**-decimals)
    middle, reach, below = 2 * units * by * numerator, times * steps * denominator, 2 * units * by * denominator
    return (middle - reach) / below, (middle + reach) / below


def printed(value: Printable, name: str = "value", *, relation: str = "=", decimals: int | None = None) -> Printed:
    """Return a number with the decimals that it is printed with.

    A float has the decimals that Python shows, and a whole one (48.0) has none; where zeros at the end matter, give
    text.

    Parameters
    ----------
    value
        ``"3.80"``, ``"-.5"``, ``3.8``, ``48`` or a Decimal.
    name
        What it is called in an error.
    relation
        How it is printed: "=", "<" or ">".
    decimals
        Decimals it was printed with, where `value` has lost zeros at its end.

    Returns
    -------
    Printed
        The number with its decimals and the relation.

    Raises
    ------
    DesignError
        If it is not a finite number, or the relation is another.

    Examples
    --------
    >>> printed("3.80").decimals, printed(3.8).decimals, printed(48.0).decimals
    (2, 1, 0)
    """
    if isinstance(value, Printed):
        return value
    if relation not in RELATIONS:
        raise DesignError(f"the relation is {relation!r}; give '=', '<' or '>'")
    text = value.replace("−", "-").strip() if isinstance(value, str) else str(value)
    try:
        number = Decimal(text)
        if not number.is_finite():
            raise InvalidOperation
    except InvalidOperation:
        raise DesignError(f"{name} is {shown(value)}; give a printed number such as '4.12'") from None
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > 300:  # never an int only for NaN, which is refused above
        raise DesignError(f"{name} is {shown(value)}; give a number of ordinary size")
    whole_float = not isinstance(value, (str, Decimal)) and number == number.to_integral_value()
    decimals_shown = 0 if whole_float else -exponent
    return Printed(Fraction(number), decimals_shown if decimals is None else decimals, relation)


def check_n(n: int, name: str = "n", least: int = 1) -> int:
    """Return a number of observations, or raise DesignError if it is not a whole number from `least` on.

    Examples
    --------
    >>> check_n(51)
    51
    """
    if isinstance(n, bool) or int(n) != n or n < least:
        raise DesignError(f"{name} is {n!r}; give a whole number from {least} on")
    return int(n)


def magnitude(number: Printed) -> tuple[float, float]:
    """Return the least and the greatest size that a number is printed for."""
    low, high = number.low, number.high
    return (0.0, max(-low, high)) if low <= 0 <= high else (min(abs(low), abs(high)), max(abs(low), abs(high)))
