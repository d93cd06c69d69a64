"""The variance that the log-rank test of like clusters rests on is that of all ways to deal clusters to groups."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from negstats.errors import NotEstimable
from negstats.stats import log_rank


def clusters(unit: float = 1.0) -> pd.DataFrame:
    """Six clusters of three rows."""
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {"pair": np.repeat(np.arange(6), 3), "time": rng.integers(1, 9, 18) * unit, "ended": rng.random(18) < 0.8}
    )


def dealt(first: tuple[int, ...], rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(agent=np.where(rows["pair"].isin(first), "fair", "tough"))


@pytest.mark.parametrize("weights", ["fleming-harrington", "gehan"])
def test_the_covariance_is_that_of_every_deal(weights: str) -> None:
    rows = clusters()
    results = [
        log_rank(dealt(first, rows), by="agent", cluster="pair", weights=weights)  # type: ignore[arg-type]
        for first in combinations(range(6), 3)
    ]
    scores = np.array([np.subtract(one.observed, one.expected) for one in results])
    expected = scores.T @ scores / len(scores)
    for one in results:
        np.testing.assert_allclose(one.covariance, expected, rtol=1e-10)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("weights", ["fleming-harrington", "gehan"])
def test_clusters_that_all_have_one_score_are_refused(weights: str, unit: float) -> None:
    rows = clusters(unit)
    rows[["time", "ended"]] = rows[["time", "ended"]].head(3).to_numpy().tolist() * 6
    with pytest.raises(NotEstimable, match=r"several groups at risk|same score"):
        log_rank(
            dealt((0, 1, 2), rows.astype({"ended": bool})),
            by="agent",
            cluster="pair",
            weights=weights,  # type: ignore[arg-type]
        )
