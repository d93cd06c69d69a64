"""Random playouts: games in which every role picks each legal move alike, many at once where the game is a sheet."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError
from negstats.games.rulesheet.batch import Mask, Words, packed, unpacked
from negstats.games.rulesheet.game import Game, GroundGame, State

STEPS = 10_000  # after so many a playout is given up
_AT_ONCE = 4096


def playout(game: Game, start: Hashable, rng: np.random.Generator, *, steps: int = STEPS) -> Mapping[str, float]:
    """Return the payoffs of one random playout, state by state.

    Parameters
    ----------
    game
        The game.
    start
        The state to begin with.
    rng
        The random numbers.
    steps
        After so many steps the playout is given up.

    Returns
    -------
    Mapping[str, float]
        Payoffs by role at the end.

    Raises
    ------
    DesignError
        If the game is not over after `steps` steps.
    """
    state = start
    for _ in range(steps):
        if game.over(state):
            return game.payoffs(state)
        state = game.next(state, {role: moves[rng.integers(len(moves))] for role, moves in game.legal(state).items()})
    raise DesignError(f"a random playout is not over after {steps:,} steps; give more, or play another way")


def playouts(
    game: GroundGame, n: int, rng: np.random.Generator, *, start: Any = None, steps: int = STEPS
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Play a sheet n times at random, all at once.

    Parameters
    ----------
    game
        A grounded sheet.
    n
        How many.
    rng
        The random numbers.
    start
        The state to begin with; None is the game's first.
    steps
        After so many a playout is given up.

    Returns
    -------
    payoffs, lengths
        (n, roles), and the number of steps of each.

    Raises
    ------
    DesignError
        If a playout is not over after `steps` steps.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> game = ground(parse(sheet.prisoners()))
    >>> payoffs, lengths = playouts(game, 1000, np.random.default_rng(1))
    >>> sorted(set(map(tuple, payoffs.tolist()))), set(lengths.tolist())
    ([(0, 10), (2, 2), (8, 8), (10, 0)], {1})
    """
    state = game.first if start is None else start
    sizes = [min(_AT_ONCE, n - start_row) for start_row in range(0, n, _AT_ONCE)]
    batches = [_play_batch(game, game.repeated(state, size), size, rng, steps) for size in sizes]
    payoffs, lengths = zip(*batches, strict=True)
    return np.concatenate(payoffs), np.concatenate(lengths)


def playouts_within(
    game: GroundGame, states: Sequence[State], rng: np.random.Generator, end: float, *, steps: int = STEPS
) -> tuple[npt.NDArray[np.int64], Mask]:
    """Play once from each state, all at once, until the processor time `end` (`time.process_time`).

    Returns
    -------
    payoffs, is_over
        (states, roles), and whether each playout came to its end; payoffs of others are 0.

    Raises
    ------
    DesignError
        If a playout is not over after `steps` steps.
    """
    payoffs, lengths = _play_batch(game, game.words(states), len(states), rng, steps, end)
    return payoffs, lengths >= 0


def mean_payoffs(game: Game, start: Any, n: int, rng: np.random.Generator, *, steps: int = STEPS) -> dict[str, float]:
    """Return each role's mean payoff over n random playouts from a state."""
    if isinstance(game, GroundGame):
        means = playouts(game, n, rng, start=start, steps=steps)[0].mean(axis=0)
        return dict(zip(game.roles, means.tolist(), strict=True))
    runs = [playout(game, start, rng, steps=steps) for _ in range(n)]
    return {role: float(np.mean([run[role] for run in runs])) for role in game.roles}


def _play_batch(
    game: GroundGame, words: Words, n: int, rng: np.random.Generator, steps: int, deadline: float | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return payoffs and lengths; the length is -1 where the processor time `deadline` came first."""
    rows_in_play, payoffs = np.arange(n), np.zeros((n, len(game.roles)), dtype=np.int64)
    lengths = np.full(n, -1, dtype=np.int64)
    for step in range(steps + 1):
        is_over, legal = game.legal_batch(words, len(rows_in_play))
        if is_over.any():
            end_words = packed(unpacked(words, len(rows_in_play))[:, is_over])
            payoffs[rows_in_play[is_over]] = game.payoffs_batch(end_words, int(is_over.sum()))
            lengths[rows_in_play[is_over]] = step
            words, rows_in_play, legal = _select_open(words, rows_in_play, is_over, legal)
        if not len(rows_in_play) or (deadline is not None and time.process_time() >= deadline):
            return payoffs, lengths
        game.check_moves(np.zeros(len(rows_in_play), dtype=np.bool_), legal)
        choices = np.array([_sample_moves(legal[role], rng) for role in game.roles], dtype=np.intp)
        words = game.next_batch(words, choices, len(rows_in_play))
    raise DesignError(f"a random playout is not over after {steps:,} steps; give more, or play another way")


def _select_open(
    words: Words, open_rows: npt.NDArray[np.intp], is_over: Mask, legal: Mapping[str, Mask]
) -> tuple[Words, npt.NDArray[np.intp], dict[str, Mask]]:
    open_legal = {role: mask[:, ~is_over] for role, mask in legal.items()}
    return packed(unpacked(words, len(open_rows))[:, ~is_over]), open_rows[~is_over], open_legal


def _sample_moves(legal: Mask, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return for each column one of the rows that are true, all alike."""
    drawn_rank = rng.integers(0, legal.sum(axis=0))
    return np.asarray((legal.cumsum(axis=0) > drawn_rank).argmax(axis=0), dtype=np.intp)
