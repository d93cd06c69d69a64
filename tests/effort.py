"""The work that a test allows a call, in a unit that any machine has: additions of its own Python."""

from __future__ import annotations

from time import process_time
from typing import Self

MILLION = 1_000_000


class Effort:
    """The processor time of a `with` block over that of a million additions, which are timed just before and after it.

    A machine that is slow, or that others keep busy, is slow in both. A limit on it holds what ended in minutes from
    coming back; how fast a thing is, the benchmarks say.

    >>> with Effort() as effort:
    ...     total = sum(range(1000))
    >>> effort.millions < 1
    True

    """

    millions: float

    def __enter__(self) -> Self:
        self._unit = _additions()
        self._start = process_time()
        return self

    def __exit__(self, *_: object) -> None:
        taken = process_time() - self._start
        self.millions = taken / max(self._unit, _additions())


def _additions() -> float:
    start, total = process_time(), 0
    for number in range(MILLION):
        total += number
    return process_time() - start
