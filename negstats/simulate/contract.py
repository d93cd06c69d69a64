"""Simulated studies of the contract game: any number of games of one condition and country, as a study's tables.

Every game has its own random numbers, a child of the seed's sequence with the game's place, so a study is the same
whoever plays which part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from typing import TypeAlias

import numpy as np

from negstats.errors import UsageError
from negstats.games.contract import study_game
from negstats.simulate._conditions import table
from negstats.simulate._tables import Played, tables
from negstats.simulate._transcript import play
from negstats.study import Provenance, Study

__all__ = ["Batch", "as_study", "games_of"]

Batch: TypeAlias = tuple[str, str, tuple[int, ...], int, int]  # condition, country, seed, first and last game
Track: TypeAlias = Callable[[Iterable[list[Played]], int], Iterable[list[Played]]]

VERSION = "1"
BATCH = 25  # games that a worker plays before it hands them back


def _untracked(batches: Iterable[list[Played]], games: int) -> Iterable[list[Played]]:  # noqa: ARG001
    return batches


def games_of(
    condition: str,
    country: str,
    games: int,
    seed: int | Sequence[int],
    *,
    workers: int = 1,
    track: Track = _untracked,
) -> list[Played]:
    """Play the contract game on haim2017's board.

    Parameters
    ----------
    condition
        HvsH, HvsCS-A, HvsSP-A, HvsSP-RAP or HvsSP-RAPD: which agent sits where; people sit elsewhere.
    country
        Whose parameters the simulated people have: China, Israel or USA.
    games
        How many.
    seed
        The same seed gives the same games, whatever the number of workers.
    workers
        Processes that play.
    track
        Called with the batches of games as they come and their number; yields them on (a progress bar).

    Raises
    ------
    UsageError
        If there is no such condition or country, or a number makes no sense.

    Examples
    --------
    >>> played = games_of("HvsH", "Israel", games=2, seed=1)
    >>> [one.game_id for one in played]
    ['Israel HvsH 0001', 'Israel HvsH 0002']
    """
    if games < 1 or workers < 1:
        raise UsageError(f"games is {games} and workers {workers}; at least 1 of each is needed")
    entropy = (seed,) if isinstance(seed, int) else tuple(seed)
    if min(entropy) < 0:
        raise UsageError(f"seed is {seed}; a number of at least 0 is needed")
    table(condition, country)  # refuses before any process starts
    batches = [(condition, country, entropy, first, min(first + BATCH, games)) for first in range(0, games, BATCH)]
    return list(chain.from_iterable(track(_played(batches, min(workers, len(batches))), games)))


def as_study(played: Sequence[Played], *, notes: Sequence[str] = ()) -> Study:
    """Return played games as a study.

    Examples
    --------
    >>> as_study(games_of("HvsH", "USA", games=3, seed=1)).factors
    ['condition', 'country']
    """
    label = "synthetic: made by negstats simulate contract; nobody took part"
    provenance = Provenance("simulate contract", VERSION, notes=(label, *notes))
    return Study(provenance=provenance, **tables(study_game(), played))


def _played(batches: Sequence[Batch], workers: int) -> Iterator[list[Played]]:
    if workers == 1:
        yield from map(play_batch, batches)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(play_batch, batches)


def play_batch(batch: Batch) -> list[Played]:
    """Play the games of a batch, each with its own random numbers."""
    condition, country, entropy, first, last = batch
    seats = table(condition, country)
    played = []
    for place in range(first, last):
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(place,)))
        transcript = play(seats.game, seats.customer, seats.providers, rng)
        played.append(Played(f"{country} {condition} {place + 1:04d}", condition, country, transcript))
    return played
