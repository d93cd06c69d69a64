"""Sums of how units move a curve, against the whole table of units by times, and against reweighted units."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import IntArray
from negstats.stats.time.estimates import Curve, Influence

TIMES, KINDS = 12, 3


def units(seed: int) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Return counts by time and kind, and the time, kind and cluster of each unit."""
    rng = np.random.default_rng(seed)
    at, kind, cluster = rng.integers(0, TIMES, 40), rng.integers(0, KINDS, 40), rng.integers(0, 9, 40)
    n = np.bincount(at * KINDS + kind, minlength=TIMES * KINDS).reshape(TIMES, KINDS).astype(float)
    return n, at, kind, cluster


def table(moved: Influence) -> FloatArray:
    later = moved.at[:, None] <= np.arange(TIMES)
    return np.where(later, moved.level[:, None] + moved.slope[:, None] * moved.left, moved.common)


@pytest.mark.parametrize("seed", range(6))
def test_influence_is_what_a_little_more_weight_changes(seed: int) -> None:
    n, at, kind, _ = units(seed)
    result = table(Influence.of(Curve.of(n), at, kind))
    for unit in (0, 7, 19):
        step = np.zeros_like(n)
        step[at[unit], kind[unit]] = 1e-6
        change = (Curve.of(n + step).incidence - Curve.of(n - step).incidence) / 2e-6
        last = int(np.flatnonzero(n.sum(axis=1))[-1])  # nobody is left there, and a derivative has one side only
        np.testing.assert_allclose(result[unit, :last], change[:last], atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_running_sums_are_those_of_the_table(seed: int) -> None:
    n, at, kind, cluster = units(seed)
    moved = Influence.of(Curve.of(n), at, kind)
    dense = table(moved)
    until, weights = np.array([1, 4, 5, 11]), np.random.default_rng(seed).normal(size=(4, 2))
    np.testing.assert_allclose(moved.summed(until, weights), dense[:, until] @ weights, atol=1e-14)
    times = np.random.default_rng(seed).integers(1, 4, len(at)).astype(float)
    alone = (times[:, None] * dense**2).sum(axis=0)
    np.testing.assert_allclose(moved.squared(times, None), alone, rtol=1e-12, atol=1e-30)
    together = (np.stack([(times[:, None] * dense)[cluster == one].sum(axis=0) for one in range(9)]) ** 2).sum(axis=0)
    np.testing.assert_allclose(moved.squared(times, cluster), together, rtol=1e-11, atol=1e-30)
