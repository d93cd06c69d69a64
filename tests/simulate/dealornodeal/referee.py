"""A plain referee: one dialogue at a time, in whole numbers, from the rules alone; nothing of the package is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

Three = Sequence[int]
CUTOFF = 20


def legal(counts: Three, said: Sequence[Any], cutoff: int = CUTOFF) -> list[Any]:
    """What may be said next: shares as tuples, "accept", "walk"; nothing once a dialogue has ended."""
    if len(said) == cutoff or (said and said[-1] in ("accept", "walk")):
        return []
    may: list[Any] = list(product(*(range(count + 1) for count in counts)))
    if said:
        may.append("accept")
    if len(said) >= 2:
        may.append("walk")
    return may


def outcome(
    counts: Three, values: Sequence[Three], said: Sequence[Any], cutoff: int = CUTOFF
) -> tuple[str, tuple[int, int]]:
    """How a whole dialogue ends, and the points of the first and the second speaker."""
    for place in range(len(said)):
        if said[place] not in legal(counts, said[:place], cutoff):
            raise ValueError(f"{said[place]} at {place}")
    if said[-1] == "walk":
        return "walkaway", (0, 0)
    if said[-1] != "accept":
        if len(said) < cutoff:
            raise ValueError("not at its end")
        return "timeout", (0, 0)
    proposer = len(said) % 2  # who spoke before the last
    points = [0, 0]
    for item, count in enumerate(counts):
        taken = said[-2][item]
        points[proposer] += taken * values[proposer][item]
        points[1 - proposer] += (count - taken) * values[1 - proposer][item]
    return "agreement", (points[0], points[1])


def every_dialogue(counts: Three, cutoff: int, said: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every dialogue that can be."""
    may = legal(counts, said, cutoff)
    if not may:
        yield said
    for act in may:
        yield from every_dialogue(counts, cutoff, (*said, act))


def named(act: int) -> Any:
    """An act by its number as the referee writes it."""
    if act >= 125:
        return "accept" if act == 125 else "walk"
    return (act // 25, act // 5 % 5, act % 5)


def number(act: Any) -> int:
    """The other way round."""
    if isinstance(act, str):
        return 125 if act == "accept" else 126
    return int(act[0]) * 25 + int(act[1]) * 5 + int(act[2])
