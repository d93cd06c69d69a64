"""Acceptance curves of many decisions: how the time grows."""

from __future__ import annotations

from functools import partial

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture
from scipy.special import expit

from negstats.estimate.acceptance import fit_acceptance
from negstats.estimate.answers import Answers
from tests.benchmarks.peers import growth, once


def decisions(count: int) -> Answers:
    rng = np.random.default_rng(1)
    benefit = np.asarray(rng.integers(-10, 30, count) * 5.0, dtype=np.float64)
    return Answers(benefit, rng.random(count) < expit((benefit - 40) / 25), np.arange(count))


def test_acceptance_of_many_decisions(benchmark: BenchmarkFixture) -> None:
    """14,300 decisions of as many people, and how the time grows: it was quadratic even without a bootstrap."""
    calls = [partial(fit_acceptance, decisions(count), rng=np.random.default_rng(1), n_draws=500)
             for count in (3_575, 14_300, 57_200)]  # fmt: skip
    assert (
        once(benchmark, lambda: growth(calls, 4, 1, name="acceptance curve, 500 bootstrap draws; 57,200 decisions"))
        <= 1.15
    )
