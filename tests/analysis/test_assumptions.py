"""What the data say of a test's assumptions: the band of a normal sample against the distribution of its places."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from negstats.analysis.assumptions import assumptions_of
from negstats.analysis.methods.records import TestRecord
from negstats.stats import one_sample_t


def share_outside(values: np.ndarray) -> float:
    """Return the share of sorted values outside the central 95 % of the beta distribution of their places."""
    z_scores, n = np.sort(values - values.mean()) / values.std(ddof=1), len(values)
    place = np.arange(1, n + 1)
    chance = stats.beta.cdf(stats.norm.cdf(z_scores), place, n + 1 - place)
    return float(np.mean((chance < 0.025) | (chance > 0.975)))


@pytest.mark.parametrize("n", [60, 500, 20_000])
@pytest.mark.parametrize("shape", ["uniform", "rounded", "two peaks"])
def test_the_band_is_that_of_the_places(n: int, shape: str) -> None:
    rng = np.random.default_rng(n)
    values = {"uniform": rng.random(n), "rounded": rng.normal(size=n).round(),
              "two peaks": rng.normal(size=n) + 6 * (np.arange(n) % 2)}[shape]  # fmt: skip
    answer = TestRecord.of(one_sample_t(values), method="one_sample")
    data = pd.DataFrame({"unit": np.arange(n).astype(str), "value": values})
    entries = assumptions_of(data, answer, kind="interval", within=[], between=[], numbers=[])
    bands = [entry["value"] for entry in entries if entry["kind"] == "band"]
    expected = share_outside(values)
    assert bands == ([expected] if expected > 0.1 else [])
    assert expected > 0.1 or n == 60  # small samples of these shapes are not far from normal
