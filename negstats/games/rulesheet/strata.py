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
    component_of: dict[T, int] = {}
    order: dict[T, int] = {}
    lowest: dict[T, int] = {}
    stack: list[T] = []
    numbers = itertools.count()
    for start in needs:
        path: list[tuple[T, Iterator[T]]] = []
        entered: list[T] = [] if start in order else [start]
        # Tarjan's strongly connected components, with a stack of its own in place of calls.
        while entered or path:
            if entered:
                node = entered.pop()
                order[node] = lowest[node] = len(order)
                stack.append(node)
                path.append((node, iter(needs[node])))
            node, needs_left = path[-1]
            for need in needs_left:
                if need not in order:
                    entered.append(need)
                    break
                if need not in component_of:
                    lowest[node] = min(lowest[node], lowest[need])
            else:
                path.pop()
                # The node is the first of its component: what was entered after it and has no number
                # belongs to it.
                if lowest[node] == order[node]:
                    number = next(numbers)
                    while node not in component_of:
                        component_of[stack.pop()] = number
                elif path:
                    parent = path[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
    return component_of
