"""The work that a test allows a call, in a unit that any machine has: additions of its own Python."""

from __future__ import annotations

from collections.abc import Callable
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


def takes_less(millions: float, call: Callable[[], object]) -> bool:
    """Whether one of three calls takes less; what shares the processor's memory can double what a single one seems to.

    >>> takes_less(1, lambda: sum(range(1000)))
    True

    """
    for _ in range(3):
        with Effort() as effort:
            call()
        if effort.millions < millions:
            return True
    return False
