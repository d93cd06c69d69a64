"""The jackknife of agreement over clusters: against the public measures, its properties, edges, and how it covers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import DesignError, NotEstimable
from negstats.stats import cohens_kappa, fleiss_kappa, krippendorffs_alpha
from negstats.stats.agreement.ratings import Measure, cluster_jackknife
from tests.conftest import runs

PUBLIC: dict[Measure, Callable[..., object]] = {
    "cohen": cohens_kappa,
    "fleiss": fleiss_kappa,
    "alpha": krippendorffs_alpha,
}


def draw_codes(seed: int, raters: int, missing: float = 0.0) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return codes of 48 units by raters of whom each repeats the first in 7 of 10, and the units' clusters."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (48, raters))
    codes = np.where(rng.random((48, raters)) < 0.7, codes[:, :1], codes)
    codes[rng.random((48, raters)) < missing] = -1
    return codes, np.repeat(np.arange(8), 6)


def estimate(measure: Measure, codes: npt.NDArray[np.int64]) -> float:
    names = [f"r{place}" for place in range(codes.shape[1])]
    frame = pd.DataFrame(codes, columns=names).replace(-1, np.nan)
    return float(PUBLIC[measure](frame, names).estimate)  # type: ignore[attr-defined]


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), case=st.sampled_from([("cohen", 2, 0.0), ("fleiss", 4, 0.0), ("alpha", 3, 0.2)]))
def test_each_estimate_is_that_of_the_public_measure(seed: int, case: tuple[Measure, int, float]) -> None:
    measure, raters, missing = case
    codes, clusters = draw_codes(seed, raters, missing)
    jackknife = cluster_jackknife(codes, clusters, measure)
    assert jackknife.estimate == pytest.approx(estimate(measure, codes))
    for cluster, value in enumerate(jackknife.without):
        assert value == pytest.approx(estimate(measure, codes[clusters != cluster]))
    inner, outer = jackknife.confidence_interval(0.8), jackknife.confidence_interval(0.99)
    assert outer.low < inner.low < jackknife.estimate < inner.high < outer.high < 1
    order = np.random.default_rng(seed).permutation(48)
    again = cluster_jackknife(codes[order], 100 - clusters[order], measure)
    assert again.confidence_interval().low == pytest.approx(jackknife.confidence_interval().low)


def test_refusals() -> None:
    codes, clusters = draw_codes(1, 2)
    with pytest.raises(NotEstimable, match="one cluster"):
        cluster_jackknife(codes, np.zeros_like(clusters), "cohen")
    with pytest.raises(NotEstimable, match="fewer than two clusters"):
        cluster_jackknife(codes[:, [0, 0]], clusters, "alpha")
    with pytest.raises(DesignError, match="there are 3 raters"):
        cluster_jackknife(draw_codes(1, 3)[0], clusters, "cohen")
    with pytest.raises(DesignError, match="measure is 'kappa'"):
        cluster_jackknife(codes, clusters, "kappa")  # type: ignore[arg-type]


# Coverage of 95 % intervals -------------------------------------------------------------------------------------------
# Messages of a talk have a rate of the code of their own (beta, mean .3, sum 4); each coder misses it in a share of
# messages that is the talk's and coder's own (beta, mean .1, sum 3), and gives it for nothing half as often.


def draw_talks(
    rng: np.random.Generator, talks: int, spread: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    sizes = rng.integers(4, 20, talks)
    talk = np.repeat(np.arange(talks), sizes)
    is_code = rng.random(len(talk)) < rng.beta(1.2, 2.8, talks)[talk]
    errors = rng.beta(0.1 * spread, 0.9 * spread, (talks, 2))[talk]
    wrong = rng.random((len(talk), 2)) < np.where(is_code[:, None], errors, errors / 2)
    return (is_code[:, None] ^ wrong).astype(np.int64), talk


@pytest.mark.slow
@pytest.mark.calibration
@pytest.mark.parametrize(
    ("talks", "spread", "over_talks", "over_messages"),
    [
        (5, 3, 0.944, 0.773),
        (10, 3, 0.951, 0.757),
        (20, 3, 0.953, 0.762),
        (50, 3, 0.949, 0.761),
        (10, 1e5, 0.949, 0.933),
    ],
)
def test_intervals_over_talks_cover(talks: int, spread: float, over_talks: float, over_messages: float) -> None:
    """Also (the last case) where errors are independent; taken alone, messages cover in three studies of four."""
    rng, studies = np.random.default_rng([7, talks]), runs(4_000, 60)
    truth = estimate("cohen", draw_talks(np.random.default_rng(8), 30_000, spread)[0])
    covered, plain, defined = 0, 0, 0
    for _ in range(studies):
        codes, talk = draw_talks(rng, talks, spread)
        table = np.bincount(codes @ [2, 1], minlength=4).reshape(2, 2)
        try:
            ends = cluster_jackknife(codes, talk, "cohen").confidence_interval()
        except NotEstimable:
            continue
        messages = cohens_kappa(table).confidence_interval()
        defined += 1
        covered += bool(ends.low <= truth <= ends.high)
        plain += bool(messages.low <= truth <= messages.high)
    print(talks, spread, covered / defined, plain / defined, defined / studies)
    band = 4 * np.sqrt(0.25 * 0.95 / studies) if studies < 1000 else 0.015
    assert defined > 0.75 * studies
    assert covered / defined == pytest.approx(over_talks, abs=band)
    assert plain / defined == pytest.approx(over_messages, abs=2 * band)
