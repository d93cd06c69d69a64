"""Origin and unit of a covariate, and the order of rows, change no test: regressions of outcomes and of times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.errors import NotEstimable
from negstats.stats import gee, logistic, ordinal, poisson
from negstats.stats.outcomes import fits
from tests.stats.closeness import agree


def frame() -> pd.DataFrame:
    """Rows whose covariates are multiples of 1/8, so that adding 1e9 costs them no digit."""
    rng = np.random.default_rng(20)
    n = 160
    x, z = (np.round(8 * rng.normal(size=n)) / 8 for _ in range(2))
    g = rng.choice(["a", "b", "c"], n)
    unit = np.arange(n) // 4
    eta = 0.5 * x - 0.4 * (g == "b") + 0.3 * rng.normal(size=n // 4)[unit]
    return pd.DataFrame(
        {"x": x, "z": z, "g": g, "unit": unit, "yes": (eta + rng.logistic(size=n) > 0).astype(int)}
        | {"count": rng.negative_binomial(2, 2 / (2 + np.exp(0.8 + eta)))}
        | {"rating": np.digitize(eta + rng.logistic(size=n), [-1.0, 0.0, 1.2])}
        | {"time": np.ceil(10 * rng.exponential(np.exp(-eta))), "ended": rng.random(n) < 0.8}
    )


FITS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "logistic": lambda rows: logistic(rows, "yes ~ x * g + z"),
    "poisson": lambda rows: poisson(rows, "count ~ x * g + z"),
    "ordinal": lambda rows: ordinal(rows, "rating ~ x * g + z"),
}


@pytest.mark.parametrize("name", FITS)
def test_profile_intervals_and_marginal_effects_do_not_depend_on_the_origin(name: str) -> None:
    rows = frame()
    plain, moved = FITS[name](rows), FITS[name](rows.assign(x=rows["x"] + 1e9))
    ends = [model.confidence_interval(of="x:g[b]") for model in (plain, moved)]
    agree([ends[1].low, ends[1].high], [ends[0].low, ends[0].high], rtol=1e-7)
    effects = [model.marginal_effects() for model in (plain, moved)]
    agree(effects[1].estimate, effects[0].estimate, rtol=1e-7)
    agree(effects[1].se, effects[0].se, rtol=1e-7)


def test_a_column_that_follows_but_for_rounding_is_named() -> None:
    rows = frame()
    with pytest.raises(NotEstimable, match="'z' follows from"):
        logistic(rows.assign(x=rows["x"] + 1e9, z=3 * (rows["x"] + 1e9) / 7), "yes ~ x * g + z")


def test_a_coefficient_that_rests_on_one_cluster_is_refused() -> None:
    rows = frame()
    with pytest.raises(NotEstimable, match="'h\\[q\\]' rests on one 'unit' alone"):
        gee(rows.assign(h=np.where(rows["unit"] == 5, "q", "p")), "yes ~ h", cluster="unit")


def test_zeros_and_ones_of_counts_are_told_apart() -> None:
    """Where one group has zeros alone its mean has no logarithm; where it has ones alone it has."""
    rows = {"y": [0, 0, 0, 0, 2, 1, 3, 1], "g": list("aaaabbbb"), "who": [1, 1, 2, 2, 3, 3, 4, 4]}
    with pytest.raises(NotEstimable, match="separates"):
        gee(rows, "y ~ g", cluster="who", family="poisson")
    rows = {"y": [1, 1, 0, 1, 1, 2, 1, 1, 0, 2, 1, 3], "g": list("aaaaaabbbbbb"), "who": [1, 1, 2, 2, 3, 3] * 2}
    model = gee(rows, "y ~ g", cluster="who", family="poisson", correlation="independence")
    agree(np.exp(model.estimate[1]), (8 / 6) / (6 / 6), rtol=1e-12)


def test_counts_of_one_separate_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no step proves that there is a fit, a linear programme decides: only zeros may be told apart."""
    monkeypatch.setattr(fits, "find_maximum", lambda *_: None)
    x = np.column_stack([np.ones(6), [0.0, 0, 0, 1, 1, 1]])
    for y, message in (([1.0, 0, 1, 1, 1, 0], "no maximum"), ([0.0, 0, 0, 1, 1, 2], "'g' separates 'n'")):
        with pytest.raises(NotEstimable, match=message):
            fits.fitted_apart(x, np.array(y), "poisson", np.zeros(6), ["Intercept", "g"], "n")


def test_counts_have_the_degrees_of_freedom_of_the_clusters_that_decide() -> None:
    """Of one mean of like clusters: less one. Where a group has 3 clusters of 23, about as many as these have."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(23), 4)
    rows = {"y": rng.poisson(3, 92), "g": (who < 3).astype(float), "who": who}
    model = gee(rows, "y ~ g", cluster="who", family="poisson")
    assert 1.5 < np.asarray(model.df)[1] < 3.5
    assert model.test("g").df2 == pytest.approx(np.asarray(model.df)[1])
    assert gee(rows | {"y": rng.integers(0, 2, 92)}, "y ~ g", cluster="who").df == 21.0


def test_estimating_equations_are_those_of_statsmodels() -> None:
    import statsmodels.api as sm

    rows = frame().sample(frac=0.9, random_state=2)  # clusters of several sizes, rows in any order
    x = np.column_stack([np.ones(len(rows)), rows["x"], rows["g"] == "b", rows["g"] == "c"]).astype(float)
    for name, outcome, family in (
        ("binomial", "yes", sm.families.Binomial()),
        ("poisson", "count", sm.families.Poisson()),
    ):
        model = gee(rows, f"{outcome} ~ x + g", cluster="unit", family=name)  # type: ignore[arg-type]
        structure = sm.cov_struct.Exchangeable()
        theirs = sm.GEE(rows[outcome], x, rows["unit"], family=family, cov_struct=structure).fit(
            maxiter=500, ctol=1e-12, cov_type="bias_reduced"
        )
        agree(model.estimate, theirs.params, rtol=1e-8)
        agree(model.covariance, theirs.cov_robust_bc, rtol=1e-7)
        agree(model.sandwich, theirs.cov_robust, rtol=1e-7)
        agree(model.correlation, structure.dep_params, rtol=1e-8)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("both", [10, 30, 10_000])
@pytest.mark.parametrize("alone", [2, 6, 200, 5_000])
def test_a_level_that_always_says_yes_is_refused_whatever_its_size(both: int, alone: int) -> None:
    # Far out, 1 − mean taken from the mean has no digits: the score was 0 for a coefficient without end.
    rows = {"y": [1] * (both * 4 // 5) + [0] * (both // 5) + [1] * alone, "g": ["a"] * both + ["b"] * alone}
    with pytest.raises(NotEstimable, match="'g\\[b\\]' separates 'y'"):
        logistic(rows, "y ~ g")
