"""Samples that fit a printed mean and SD: against every sample of a short scale."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.audit import printed, samples_with


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize(
    ("n", "values"), [(6, range(1, 6)), (5, range(-3, 4)), (8, (0, 5, 10)), (7, (0, 1)), (4, range(9))]
)
def test_brute_force_finds_the_same_samples(n: int, values: tuple[int, ...], ddof: int) -> None:
    every = list(itertools.combinations_with_replacement(sorted(values), n))
    summaries = {(f"{np.mean(s):.1f}", f"{np.std(s, ddof=ddof):.1f}") for s in every}
    for mean, sd in sorted(summaries)[:: max(1, len(summaries) // 12)]:
        near = {
            s
            for s in every
            if printed(mean).agrees(float(np.mean(s))) and abs(np.std(s, ddof=ddof) - float(sd)) <= 0.05 + 1e-12
        }
        fits = samples_with(mean, sd, n, values, ddof=ddof)
        assert fits.complete
        got = [tuple(fits.sample(place).tolist()) for place in range(len(fits))]
        assert len(set(got)) == len(got)
        assert set(got) == near


def test_without_an_sd() -> None:
    every = [
        s for s in itertools.combinations_with_replacement(range(1, 6), 6) if printed("2.33").agrees(float(np.mean(s)))
    ]
    assert len(samples_with("2.33", None, 6, range(1, 6))) == len(every)


@settings(deadline=None)
@given(st.lists(st.integers(1, 7), min_size=2, max_size=12))
def test_the_true_sample_is_among_them(sample: list[int]) -> None:
    fits = samples_with(f"{np.mean(sample):.2f}", f"{np.std(sample, ddof=1):.2f}", len(sample), range(1, 8))
    assert fits.complete
    counts = np.bincount(sample, minlength=8)[1:]
    assert (fits.counts == counts).all(axis=1).any()
    frame = fits.to_frame()
    assert frame["mean"].between(np.mean(sample) - 0.0101, np.mean(sample) + 0.0101).all()
    assert (frame["sd"] - float(np.std(sample, ddof=1))).abs().max() < 0.0101


def test_impossible_summaries() -> None:
    assert len(samples_with("3.45", "1.20", 10, range(1, 8))) == 0  # GRIM
    assert len(samples_with("1.50", "3.00", 10, range(1, 8))) == 0  # the scale is too short
    assert len(samples_with("9.00", "1.00", 10, range(1, 8))) == 0  # beyond the scale
    assert samples_with("3.45", "1.20", 10, range(1, 8)).to_frame().empty


@pytest.mark.slow
def test_the_limit_is_told() -> None:
    fits = samples_with("4.0", "1.5", 100, range(1, 8), limit=20_000)
    assert not fits.complete
    assert fits.looked_at <= 20_000
    assert "stopped at its limit" in str(fits)
    some = samples_with("4.0", "1.5", 100, range(1, 8), limit=1_000_000)
    assert len(some) > 0
    np.testing.assert_array_equal(some.counts.sum(axis=1), 100)
