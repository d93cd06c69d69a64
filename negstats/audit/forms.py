"""The forms in which a computed test may be printed: as it is, or converted without loss (F(1, d) for t(d))."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from negstats.audit.computed import Computed
from negstats.audit.find_results import Reported
from negstats.printed_numbers import Printed


@dataclass(frozen=True, slots=True)
class Form:
    """A computed test in one of the forms that it may be printed in: F(1, 65) = 6.05 for t(65) = 2.46."""

    test: Computed
    kind: str
    value: float
    df: tuple[float, ...]
    converted: bool = False

    def df_fit(self, result: Reported) -> bool:
        """Whether the printed df and n can be these; those that are not printed can."""
        if result.df and self.df and (len(result.df) != len(self.df)):
            return False
        sizes = {*self.test.n, sum(self.test.n)}
        n_fits = result.n is None or not self.test.n or result.n in sizes
        return all(map(Printed.agrees, result.df, self.df)) and n_fits

    def fits(self, result: Reported) -> bool:
        """Whether the printed value can be this one, with its sign, without it or turned."""
        return result.statistic.agrees(self.value) or result.statistic.agrees(-self.value)

    def turned(self, result: Reported) -> bool:
        """Whether the printed sign is the other one; a sign left out is none."""
        return float(result.statistic) < 0 < self.value


ALIKE = {"h": "chi2", "q": "chi2", "g2": "chi2", "rho": "r"}  # symbols that people write for one another


def forms(test: Computed) -> Iterator[Form]:
    """Yield a computed test as it is and in the forms that convert into it without loss.

    Examples
    --------
    >>> test = Computed("H1", "H1", "answer", "t", 2.5, (65.0,), 0.015, None, True, (66,), (), "paired", "")
    >>> [(form.kind, round(form.value, 2), form.df) for form in forms(test)]
    [('t', 2.5, (65.0,)), ('f', 6.25, (1.0, 65.0)), ('r', 0.3, (65.0,))]
    """
    kind, x, df = test.kind, test.statistic, test.df
    if kind is None or x is None:
        return
    yield Form(test, kind, x, df)
    if kind in ("t", "r", "rho") and len(df) == 1 and (kind == "t" or abs(x) < 1):
        t = x if kind == "t" else x * math.sqrt(df[0] / (1 - x * x))
        yield Form(test, "f", t * t, (1.0, df[0]), converted=True)
        other = "r" if kind == "t" else "t"
        yield Form(test, other, t / math.sqrt(t * t + df[0]) if other == "r" else t, df, converted=True)
    elif kind == "f" and len(df) == 2 and df[0] == 1:
        yield Form(test, "t", math.sqrt(x), df[1:], converted=True)
    elif kind == "z":
        yield Form(test, "chi2", x * x, (1.0,), converted=True)
    elif kind in ("chi2", "g2", "q", "h") and df == (1.0,):
        yield Form(test, "z", math.sqrt(x), (), converted=True)


def same_kind(result: Reported, form: Form) -> bool:
    """Return whether a result is printed with the symbol of a form, or one that people write for it."""
    return result.kind == form.kind or ALIKE.get(result.kind, result.kind) == ALIKE.get(form.kind, form.kind)
