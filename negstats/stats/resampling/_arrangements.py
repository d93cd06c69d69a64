"""How labels may be exchanged: within blocks, all distinct ways or some at random; how units are drawn again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

import numpy as np

from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import IntArray

Draws: TypeAlias = list[tuple[IntArray, IntArray]]

# Resamples are worked on in portions of about so many rows: memory stays small, and numbers near the processor.
ELEMENTS = 250_000


def blocks(block: IntArray) -> list[IntArray]:
    """Return the places of the members of each block, blocks of one size together: shape (blocks, size) each."""
    order = np.argsort(block, kind="stable")
    _, first, size = np.unique(block[order], return_index=True, return_counts=True)
    return [order[first[size == m][:, None] + np.arange(m)] for m in np.unique(size)]


def mixed(labels: IntArray, block: IntArray) -> list[IntArray]:
    """Return those blocks whose members have different labels: the others can be arranged in one way only."""
    groups = ((places, labels[places]) for places in blocks(block))
    return [places[(each != each[:, :1]).any(axis=1)] for places, each in groups]


def how_many(labels: IntArray, block: IntArray, limit: int) -> int:
    """Return in how many distinct ways labels can be exchanged within blocks; `limit` + 1 if they are more."""
    logarithm, multisets = 0.0, []
    for places in mixed(labels, block):
        for members in labels[places]:
            counts = [int(count) for count in np.unique(members, return_counts=True)[1]]
            multisets.append(counts)
            logarithm += math.lgamma(len(members) + 1) - sum(math.lgamma(count + 1) for count in counts)
            if logarithm > math.log(limit) + 1:
                return limit + 1
    ways = 1
    for counts in multisets:
        for place, count in enumerate(counts):
            ways *= math.comb(sum(counts[place:]), count)
    return min(ways, limit + 1)


def every_arrangement(labels: IntArray, block: IntArray, portion: int) -> Iterator[IntArray]:
    """Yield all distinct arrangements of labels within blocks, the given one among them, shape (portion, units)."""
    members = [places for group in mixed(labels, block) for places in group]
    ways = [_distinct(labels[places]) for places in members]
    sizes = tuple(len(arrangements) for arrangements in ways)
    total = math.prod(sizes)
    for start in range(0, total, portion):
        picks = np.unravel_index(np.arange(start, min(start + portion, total)), sizes)
        arranged = np.tile(labels, (len(picks[0]), 1))
        for places, arrangements, which in zip(members, ways, picks, strict=True):
            arranged[:, places] = arrangements[which]
        yield arranged


def _distinct(labels: IntArray) -> IntArray:
    """Return all distinct orders of a few labels, shape (orders, labels)."""
    levels, counts = np.unique(labels, return_counts=True)
    size = len(labels)
    if len(levels) == 1:
        return labels[None, :]
    rest = _distinct(np.sort(labels)[counts[0] :])
    orders = []
    for picks in combinations(range(size), int(counts[0])):
        is_first = np.zeros(size, dtype=bool)
        is_first[list(picks)] = True
        order = np.full((len(rest), size), levels[0])
        order[:, ~is_first] = rest
        orders.append(order)
    return np.concatenate(orders)


def shuffled(
    labels: IntArray, block: IntArray, n_resamples: int, portion: int, rng: np.random.Generator
) -> Iterator[IntArray]:
    """Yield random arrangements of labels within blocks, shape (portion, units)."""
    groups = mixed(labels, block)
    for start in range(0, n_resamples, portion):
        size = min(portion, n_resamples - start)
        arranged = np.tile(labels, (size, 1))
        if len(groups) == 1 and groups[0].shape == (1, len(labels)):  # one block of all: nothing to gather
            yield rng.permuted(arranged, axis=-1, out=arranged)
            continue
        for places in groups:
            arranged[:, places] = rng.permuted(arranged[:, places], axis=-1)
        yield arranged


def drawn(block: IntArray, n_resamples: int, portion: int, rng: np.random.Generator) -> Iterator[Draws]:
    """Yield which members of each block are drawn, as many as it has, for portions of the resamples.

    Blocks of one size come together: their places, shape (blocks, members), and the members drawn, shape (portion,
    blocks, members).
    """
    groups = blocks(block)
    for start in range(0, n_resamples, portion):
        size = min(portion, n_resamples - start)
        yield [(places, rng.integers(places.shape[1], size=(size, *places.shape))) for places in groups]


def counted(draws: Draws, units: int) -> FloatArray:
    """Return how often each unit is drawn, shape (portion, units)."""
    times = np.zeros((len(draws[0][1]), units))
    for places, which in draws:
        size, count, members = which.shape
        which += members * np.arange(size * count).reshape(size, count, 1)
        times_drawn = np.bincount(which.ravel(), minlength=which.size)
        if count == 1 and np.ptp(places) == members - 1:  # neighbours: a slice, for which nothing is looked up
            times[:, places[0, 0] : places[0, -1] + 1] = times_drawn.reshape(size, members)
        else:
            times[:, places] = times_drawn.reshape(which.shape)
    return times
