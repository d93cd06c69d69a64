"""Kauermann and Carroll's errors against R's definition, where they have a closed form, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from negstats.errors import DesignError
from negstats.stats.outcomes.gee import Equations, gee
from tests.conftest import reference
from tests.stats.closeness import agree


@pytest.mark.parametrize("case", reference("kauermann_carroll"), ids=lambda case: f"{len(case['id'])} rows")
def test_the_sandwich_is_that_of_its_definition(case: dict[str, Any]) -> None:
    x = np.column_stack([np.ones(len(case["id"])), case["x"], case["t"]])
    y, clusters = np.array(case["y"], dtype=float), np.array(case["id"]) - 1
    equations = Equations(x, y, np.zeros(len(y)), clusters, logit=True, dispersion=0.0, exchangeable=True)
    result, _ = equations.covariances(np.array(case["b"]), case["alpha"], "Kauermann-Carroll")
    agree(result.covariance.ravel(), case["kc"], rtol=1e-8)


def test_whole_clusters_of_one_size_are_between_the_plain_and_mancl_derouen() -> None:
    """Of J clusters a group the leverage is 1/J: the variance is J/(J − 1) of the plain, Mancl–DeRouen's its square."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(12), 4)
    y = (rng.normal(size=12)[who] + rng.logistic(size=48) > 0).astype(float)
    model = gee({"y": y, "g": (who % 2).astype(float), "who": who}, "y ~ g", cluster="who")
    result = model.kauermann_carroll()
    agree(result.covariance, model.sandwich * 6 / 5, rtol=1e-6)
    agree(result.se**2, np.sqrt(np.diag(model.sandwich)) * model.se, rtol=1e-6)
    assert result.test("g").method == result.confidence_interval().method.removeprefix("t, ") == "Kauermann-Carroll"
    agree(result.p[1], result.test("g").p, rtol=1e-9)
    assert "12 clusters" in result.apa()


def test_counts_are_refused() -> None:
    who = np.repeat(np.arange(8), 2)
    model = gee(
        {"n": np.arange(16) % 5 + 1, "x": np.arange(16) % 3, "who": who}, "n ~ x", cluster="who", family="poisson"
    )
    with pytest.raises(DesignError, match="are for yes or no"):
        model.kauermann_carroll()
