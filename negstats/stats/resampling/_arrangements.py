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
    _, starts, size = np.unique(block[order], return_index=True, return_counts=True)
    return [order[starts[size == m][:, None] + np.arange(m)] for m in np.unique(size)]


def mixed(labels: IntArray, block: IntArray) -> list[IntArray]:
    """Return those blocks whose members have different labels: the others can be arranged in one way only."""
    groups = ((members, labels[members]) for members in blocks(block))
    return [members[(member_labels != member_labels[:, :1]).any(axis=1)] for members, member_labels in groups]


def how_many(labels: IntArray, block: IntArray, limit: int) -> int:
    """Return in how many distinct ways labels can be exchanged within blocks; `limit` + 1 if they are more."""
    # By logarithms first: numbers of arrangements can be too large to be multiplied out.
    logarithm, multisets = 0.0, []
    for members_of_blocks in mixed(labels, block):
        for members in labels[members_of_blocks]:
            counts = [int(count) for count in np.unique(members, return_counts=True)[1]]
            multisets.append(counts)
            logarithm += math.lgamma(len(members) + 1) - sum(math.lgamma(count + 1) for count in counts)
            if logarithm > math.log(limit) + 1:
                return limit + 1
    n_arrangements = 1
    for counts in multisets:
        for index, count in enumerate(counts):
            n_arrangements *= math.comb(sum(counts[index:]), count)
    return min(n_arrangements, limit + 1)


def every_arrangement(labels: IntArray, block: IntArray, portion: int) -> Iterator[IntArray]:
    """Yield all distinct arrangements of labels within blocks, the given one among them, shape (portion, units)."""
    members = [block_members for group in mixed(labels, block) for block_members in group]
    orders_of_blocks = [_distinct(labels[block_members]) for block_members in members]
    sizes = tuple(len(arrangements) for arrangements in orders_of_blocks)
    total = math.prod(sizes)
    for start in range(0, total, portion):
        picks = np.unravel_index(np.arange(start, min(start + portion, total)), sizes)
        arranged = np.tile(labels, (len(picks[0]), 1))
        for block_members, arrangements, order_indices in zip(members, orders_of_blocks, picks, strict=True):
            arranged[:, block_members] = arrangements[order_indices]
        yield arranged


def _distinct(labels: IntArray) -> IntArray:
    """Return all distinct orders of a few labels, shape (orders, labels)."""
    levels, counts = np.unique(labels, return_counts=True)
    size = len(labels)
    if len(levels) == 1:
        return labels[None, :]
    other_orders = _distinct(np.sort(labels)[counts[0] :])
    orders = []
    for picks in combinations(range(size), int(counts[0])):
        is_first = np.zeros(size, dtype=bool)
        is_first[list(picks)] = True
        order = np.full((len(other_orders), size), levels[0])
        order[:, ~is_first] = other_orders
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
        for block_members in groups:
            arranged[:, block_members] = rng.permuted(arranged[:, block_members], axis=-1)
        yield arranged


def drawn(block: IntArray, n_resamples: int, portion: int, rng: np.random.Generator) -> Iterator[Draws]:
    """Yield which members of each block are drawn, as many as it has, for portions of the resamples.

    Blocks of one size come together: their places, shape (blocks, members), and the members drawn, shape (portion,
    blocks, members).
    """
    groups = blocks(block)
    for start in range(0, n_resamples, portion):
        size = min(portion, n_resamples - start)
        yield [(members, rng.integers(members.shape[1], size=(size, *members.shape))) for members in groups]


def counted(draws: Draws, units: int) -> FloatArray:
    """Return how often each unit is drawn, shape (portion, units)."""
    times = np.zeros((len(draws[0][1]), units))
    for unit_indices, positions in draws:
        size, count, members = positions.shape
        positions += members * np.arange(size * count).reshape(size, count, 1)
        times_drawn = np.bincount(positions.ravel(), minlength=positions.size)
        times[:, unit_indices] = times_drawn.reshape(positions.shape)
    return times
