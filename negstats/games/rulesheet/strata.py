"""The order of a graph of dependences: which things depend on each other, and which come first."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def cycles(needs: Mapping[T, Iterable[T]]) -> dict[T, int]:
    """Return a number for each thing: equal where two depend on each other, lower for what is needed (Tarjan 1972).

    Parameters
    ----------
    needs
        What each thing needs. Everything that is needed is a key too.

    Examples
    --------
    >>> cycles({"a": "b", "b": "cd", "c": "b", "d": ""})
    {'d': 0, 'c': 1, 'b': 1, 'a': 2}
    """
    numbers_by_thing: dict[T, int] = {}
    order: dict[T, int] = {}
    low: dict[T, int] = {}
    stack: list[T] = []
    numbers = itertools.count()
    for start in needs:
        path: list[tuple[T, Iterator[T]]] = []
        entered: list[T] = [] if start in order else [start]
        while entered or path:
            if entered:
                thing = entered.pop()
                order[thing] = low[thing] = len(order)
                stack.append(thing)
                path.append((thing, iter(needs[thing])))
            thing, rest = path[-1]
            for need in rest:
                if need not in order:
                    entered.append(need)
                    break
                if need not in numbers_by_thing:
                    low[thing] = min(low[thing], low[need])
            else:
                path.pop()
                if low[thing] == order[thing]:
                    number = next(numbers)
                    while thing not in numbers_by_thing:
                        numbers_by_thing[stack.pop()] = number
                elif path:
                    parent = path[-1][0]
                    low[parent] = min(low[parent], low[thing])
    return numbers_by_thing
