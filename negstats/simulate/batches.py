"""Many games from one seed, in batches that worker processes play.

Every game has its own random numbers, a child of the seed's sequence with the game's place, so a study is the same
whoever plays which part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from typing import TypeAlias, TypeVar

import numpy as np

from negstats.errors import UsageError

Played = TypeVar("Played")

# Called with the batches of games as they come and the number of games; yields the batches on (a progress bar).
Track: TypeAlias = Callable[[Iterable[list[Played]], int], Iterable[list[Played]]]

SIZE = 25  # games that a worker plays before it hands them back


def untracked(batches: Iterable[list[Played]], games: int) -> Iterable[list[Played]]:  # noqa: ARG001
    """Yield the batches and show nothing."""
    return batches


@dataclass(frozen=True, slots=True)
class Batch:
    """The games from place `first` up to `last` (not itself) of a study with the seed `entropy`."""

    entropy: tuple[int, ...]
    first: int
    last: int

    def games(self) -> Iterator[tuple[int, np.random.Generator]]:
        """Yield the place of each game and its own random numbers."""
        for number in range(self.first, self.last):
            yield number, np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=(number,)))


def play_all(
    play: Callable[[Batch], list[Played]],
    games: int,
    seed: int | Sequence[int],
    *,
    workers: int = 1,
    track: Track[Played] = untracked,
    size: int = SIZE,
) -> list[Played]:
    """Play so many games and return them in their order.

    Parameters
    ----------
    play
        Plays the games of a batch. A function at the top of a module (or a `functools.partial` of one), for worker
        processes import it.
    games
        How many.
    seed
        The same seed gives the same games, whatever the number of workers.
    workers
        Processes that play.
    track
        Called with the batches as they come and the number of games; yields them on.
    size
        Games in a batch.

    Raises
    ------
    UsageError
        If there are no games, no workers or a negative seed.
    """
    for name, number in (("games", games), ("workers", workers)):
        if number < 1:
            raise UsageError(f"{name} is {number}; at least 1 is needed")
    entropy = (seed,) if isinstance(seed, int) else tuple(seed)
    if not entropy or min(entropy) < 0:
        raise UsageError(f"seed is {seed}; a number of at least 0 is needed")
    batches = [Batch(entropy, first, min(first + size, games)) for first in range(0, games, size)]
    return list(chain.from_iterable(track(_play_batches(play, batches, min(workers, len(batches))), games)))


def _play_batches(
    play: Callable[[Batch], list[Played]], batches: Sequence[Batch], workers: int
) -> Iterator[list[Played]]:
    if workers == 1:
        yield from map(play, batches)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(play, batches)
