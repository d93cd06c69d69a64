"""What a printed number claims, what it can be recomputed to, and the verdict that follows from the two.

A printed number stands for an interval: half a unit of its last digit to either side. What is recomputed from printed
numbers is therefore a range too, the statistic's extremes over the box of its inputs' intervals. A check holds where
the two overlap; the verdict on a row follows from its checks and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from negstats.errors import DesignError
from negstats.printed_numbers import Printed

FloatArray: TypeAlias = npt.NDArray[np.float64]
Source = Literal["data", "rules", "summaries", "claim", "description", "definition"]

CORNERS = 12  # inputs up to which every corner of the box is visited


class Verdict(StrEnum):
    """What can be said of a printed number."""

    REPRODUCED = "reproduced"
    CONSISTENT = "consistent"
    CUT = "cut off, not rounded"
    DEFINITION = "differs by this definition"
    DESCRIPTION = "described otherwise"
    DIFFERS = "differs"
    CONTRADICTS = "contradicts itself"
    NOT_CHECKABLE = "not checkable"


@dataclass(frozen=True, slots=True)
class Check:
    """A printed number beside what it was recomputed to.

    Attributes
    ----------
    name : str
        What the number is: "F", "p", "mean", "d", ...
    printed : Printed
        As it stands in the paper.
    value : float
        Recomputed from the inputs as they stand.
    low, high : float
        The range that the rounding of the printed inputs allows; `value` twice with raw data.
    source : str
        What it was recomputed from: raw "data", the "rules" of a game, printed "summaries", or other numbers of the
        same "claim". Or what it holds the number against: the paper's "description" of it, or one "definition" of
        several in use.
    """

    name: str
    printed: Printed
    value: float
    low: float
    high: float
    source: Source = "summaries"

    @classmethod
    def exact(cls, name: str, printed: Printed, value: float, source: Source = "data") -> Check:
        """Return the check of a number whose inputs are known exactly."""
        return cls(name, printed, value, value, value, source)

    @property
    def holds(self) -> bool:
        """Whether the printed number is possible."""
        return self.printed.agrees(self.low, self.high)

    @property
    def cut(self) -> bool:
        """Whether the printed number is possible if its further decimals were cut off instead of rounded.

        Examples
        --------
        >>> from negstats.printed_numbers import printed as as_printed
        >>> Check.exact("M", as_printed("293.77"), 14395 / 49).cut, Check.exact("M", as_printed("-28"), -29.1).cut
        (True, False)
        """
        if self.holds or self.printed.relation != "=":
            return False
        sign = -1.0 if self.printed.value < 0 else 1.0
        least, most = sorted((sign * self.low, sign * self.high))  # away from zero
        size = abs(self.printed.value)
        return least < size + 10.0**-self.printed.decimals and most >= size

    def __str__(self) -> str:
        return f"{self.range()}%" if self.name == "%" else f"{self.name} = {self.range()}"

    def range(self) -> str:
        """Return such as ``5.08 (5.01 to 5.15)``, with the printed number's decimals."""
        value, low, high = (shown(x, self.printed) for x in (self.value, self.low, self.high))
        return value if low == high else f"{value} ({low} to {high})"


def shown(value: float, like: Printed) -> str:
    """Return a recomputed number with the printed number's decimals and, where these tell nothing, two figures.

    Examples
    --------
    >>> from negstats.printed_numbers import printed as as_printed
    >>> shown(31.1238, as_printed("31.1")), shown(0.000147, as_printed("0.0001")), shown(5e-5, as_printed("0.001"))
    ('31.12', '0.00015', '5e-05')
    """
    digits = like.decimals if like.decimals == 0 else max(like.decimals, 2)
    text = f"{value:.{digits}f}"
    if digits and value and abs(value) < 10.0 ** (1 - digits):
        return f"{value:.2g}"
    return text


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on one row of what a paper prints.

    Attributes
    ----------
    paper, id, where, what : str
        The paper, the row's name, where it stands in the paper, and what it says.
    printed : str
        The row's numbers as they were printed.
    checks : tuple of Check
        What was recomputed, the main number first; empty if nothing could be.
    verdict : Verdict
    why : str
        One sentence.
    """

    paper: str
    id: str
    where: str
    what: str
    printed: str
    checks: tuple[Check, ...]
    verdict: Verdict
    why: str

    @property
    def recomputed(self) -> float | None:
        """The main number, recomputed."""
        return self.checks[0].value if self.checks else None

    @property
    def allowed(self) -> tuple[float, float] | None:
        """The range of the main number that the rounding of the printed inputs allows."""
        return (self.checks[0].low, self.checks[0].high) if self.checks else None

    def to_dict(self) -> dict[str, object]:
        """Return one flat record, numbers unrounded, for a table."""
        low, high = self.allowed or (None, None)
        return {
            "paper": self.paper,
            "id": self.id,
            "where": self.where,
            "what": self.what,
            "printed": self.printed,
            "quantity": self.checks[0].name if self.checks else "",
            "recomputed": self.recomputed,
            "low": low,
            "high": high,
            "verdict": self.verdict.value,
            "why": self.why,
        }


# The verdict on a check that does not hold, by what the number was held against; the first that there is counts.
_FAULTS: dict[Source, Verdict] = {
    "claim": Verdict.CONTRADICTS,
    "summaries": Verdict.DIFFERS,
    "data": Verdict.DIFFERS,
    "rules": Verdict.DIFFERS,
    "description": Verdict.DESCRIPTION,
    "definition": Verdict.DEFINITION,
}


_CUT = ("claim", "summaries", "data")  # what another definition gives has no decimals that it could have lost


def judge(checks: Sequence[Check]) -> Verdict:
    """Return the verdict that follows from the checks.

    A number that the rest of its own claim rules out contradicts itself; one that the paper's other numbers or the
    data rule out differs. Where the numbers agree, and are not those of what the paper says they are, they are
    described otherwise; where another definition than those tried may give it, it differs by these. What would stand
    if its further decimals were cut off is cut off, not rounded. What stands is reproduced if raw data, or the rules of
    a game, gave it, else consistent.

    Examples
    --------
    >>> from negstats.printed_numbers import printed as as_printed
    >>> judge([]), judge([Check.exact("t", as_printed("2.46"), 2.4605)])
    (<Verdict.NOT_CHECKABLE: 'not checkable'>, <Verdict.REPRODUCED: 'reproduced'>)
    """
    if not checks:
        return Verdict.NOT_CHECKABLE
    wrong = {check.source for check in checks if not check.holds}
    if wrong and all(check.holds or (check.cut and check.source in _CUT) for check in checks):
        return Verdict.CUT
    for source, verdict in _FAULTS.items():
        if source in wrong:
            return verdict
    return Verdict.REPRODUCED if any(check.source in ("data", "rules") for check in checks) else Verdict.CONSISTENT


def extremes(
    function: Callable[[FloatArray], FloatArray], low: npt.ArrayLike, high: npt.ArrayLike, *, monotone: bool = False
) -> tuple[float, float]:
    """Return the least and the largest value of a statistic over a box of inputs.

    Parameters
    ----------
    function
        Takes points, shape ``(points, inputs)``, and returns a value for each.
    low, high
        Ends of each input's interval, shape ``(inputs,)``.
    monotone
        The statistic rises or falls with each input over the whole box, so that its corners are enough.

    Raises
    ------
    DesignError
        If more than twelve inputs vary, or a `low` is above its `high`.

    Notes
    -----
    All corners are visited, which is exact where the statistic is monotone in each input (t in means and SDs, a mean of
    means). From the centre and from the least and the largest corner a bounded quasi-Newton search (L-BFGS-B) goes on
    from there: F is a convex quadratic of the means over an error that is free of them, so its least value may lie
    inside the box, and the search finds it.

    Examples
    --------
    >>> low, high = extremes(lambda x: x[:, 0] ** 2 + x[:, 1], [-1, 2], [2, 3])
    >>> round(low, 9), round(high, 9)
    (2.0, 7.0)
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    free = np.flatnonzero(high > low)
    if np.any(low > high) or len(free) > CORNERS:
        raise DesignError(f"the box has {len(free)} free inputs or an end out of order; give at most {CORNERS}")

    def compute_value(unit: FloatArray) -> FloatArray:
        points = np.tile(low, (len(unit), 1))
        points[:, free] += unit * (high - low)[free]
        return np.asarray(function(points), dtype=np.float64)

    corners = (np.arange(2 ** len(free))[:, np.newaxis] >> np.arange(len(free))[::-1] & 1).astype(np.float64)
    values = compute_value(corners)
    if monotone or not len(free):
        return float(values.min()), float(values.max())
    starts = [corners[values.argmin()], corners[values.argmax()], np.full(len(free), 0.5)]
    minima = [sign * _least(compute_value, sign, start) for sign in (1.0, -1.0) for start in starts]
    return float(min(values.min(), *minima)), float(max(values.max(), *minima))


def _least(value: Callable[[FloatArray], FloatArray], sign: float, start: FloatArray) -> float:

    step = 1e-6

    def compute_slope(x: FloatArray) -> tuple[float, FloatArray]:
        steps = np.where(x > 0.5, -step, step)
        values = sign * value(np.vstack([x, x + np.diag(steps)]))
        return float(values[0]), (values[1:] - values[0]) / steps

    solution = scipy.optimize.minimize(
        compute_slope, start, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * len(start)
    )
    return float(solution.fun)
