"""Contrasts of mixed models, Johnson and Neyman's regions, and mediation against R; properties and edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from negstats.errors import DesignError, NotEstimable
from negstats.stats import johnson_neyman, linear_model, margins, mediation, mixed, pairwise, simple_effects
from tests.conftest import reference, runs

R: dict[str, Any] = reference("model_contrasts")
FRAME = pd.DataFrame(R["frame"])


def agree(ours: Any, theirs: Any, tolerance: float = 1e-8) -> None:
    np.testing.assert_allclose(np.ravel(ours), np.ravel(theirs).astype(float), rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("case", R["mixed"], ids=lambda case: case["rhs"])
def test_means_of_mixed_models_agree_with_emmeans(case: dict[str, Any]) -> None:
    model = mixed(FRAME, f"y ~ {case['rhs']}", cluster="id")
    result, pairs = margins(model, specs="g"), pairwise(model, specs="g")
    agree(result.mean, case["mean"], 1e-6)
    agree(result.se, case["se"], 1e-6)
    agree(result.df, case["df"], 1e-5)
    assert list(result.to_frame()["df"]) == pytest.approx(case["df"], rel=1e-5)
    agree(pairs.estimate, case["difference"], 1e-6)
    agree(pairs.se, case["pair_se"], 1e-6)
    agree(pairs.df, case["pair_df"], 1e-5)
    agree(pairs.p_adjusted, case["p"], 1e-5)
    if "joint" in case:
        tests = simple_effects(model, specs="g", at="h")
        agree([np.asarray(one.statistic) for one in tests], case["joint"]["f"], 1e-5)
        agree([np.asarray(one.df2) for one in tests], case["joint"]["df2"], 1e-5)


@pytest.mark.parametrize("case", R["regions"], ids=lambda case: case["kind"])
def test_regions_agree_with_r(case: dict[str, Any]) -> None:
    result = johnson_neyman(linear_model(FRAME, "w ~ x * m", errors=case["kind"]), "x", "m")
    assert [np.isinf(np.asarray(end)) for one in result.regions for end in (one.low, one.high)] == [
        True,
        False,
        False,
        True,
    ]
    agree([result.regions[0].high, result.regions[1].low], [case["low"], case["high"]])
    at_ends = result.slopes([case["low"], case["high"]])
    agree(at_ends["p"], [0.05, 0.05])
    assert "differs from 0 where m <" in result.apa()


def test_slopes_along_the_moderator_have_an_interval_about_them() -> None:
    model = linear_model(FRAME, "w ~ x * m")
    rows = johnson_neyman(model, "x", "m").slopes([-1.0, 0.0, 2.5])
    t = stats.t.ppf(0.975, model.df_residual)
    agree(rows["low"], rows["estimate"] - t * rows["se"])
    agree(rows["high"], rows["estimate"] + t * rows["se"])
    agree(rows["p"], 2 * stats.t.sf(np.abs(rows["estimate"] / rows["se"]), model.df_residual))


def test_regions_everywhere_nowhere_and_between() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "m"]).assign(g=list("ab") * 30)
    frame["y"] = 2 * frame["x"] + 0.01 * rng.normal(size=60)
    frame["z"] = rng.normal(size=60)
    frame["near"] = 0.35 * frame["x"] + rng.normal(size=60)
    model = linear_model(frame, "y ~ x * m + g")
    strong = johnson_neyman(model, "x", "m")
    assert strong.slopes([0.0])["estimate"][0] == pytest.approx(2, abs=0.01)
    values = set()
    for outcome in ("z", "near"):
        result = johnson_neyman(linear_model(frame, f"{outcome} ~ x * m"), "x", "m")
        values.add(result.note or len(result.regions))
        for one in result.regions:
            for end in (one.low, one.high):
                if np.isfinite(end):
                    assert result.slopes([float(np.asarray(end))])["p"][0] == pytest.approx(0.05)
    assert values <= {"differs from 0 nowhere", 1, 2}
    with pytest.raises(DesignError, match="no term x:m"):
        johnson_neyman(linear_model(frame, "y ~ x + m"), "x", "m")
    with pytest.raises(DesignError, match="moderator is 'g', no covariate"):
        johnson_neyman(linear_model(frame, "y ~ x * g + m"), "x", "g")
    with pytest.raises(DesignError, match="CR2"):
        johnson_neyman(
            linear_model(frame.assign(c=np.arange(60) // 5), "z ~ x * m", errors="CR2", cluster="c"), "x", "m"
        )


def test_mediation_agrees_with_regressions_in_r() -> None:
    result = mediation(FRAME, "x", "m", "w", covariates="y", rng=np.random.default_rng(1), n_resamples=200)
    for name in ("a", "b", "a_se", "b_se", "direct", "total"):
        agree(getattr(result, name), R["mediation"][name])
    assert result.total == pytest.approx(result.direct + result.indirect)
    # twelve units, by R and by a second program
    small = {"x": [2, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 18], "z": [5, 3, 6, 2, 7, 4, 8, 6, 9, 5, 10, 7]}
    small["y"] = [10, 12, 11, 17, 15, 20, 19, 24, 22, 27, 25, 31]
    twelve = mediation(small, "x", "z", "y", rng=np.random.default_rng(1), n_resamples=200)
    agree([twelve.a, twelve.b, twelve.indirect], [0.273381294964, -0.7003490401396, -0.1914623275])
    agree(abs(twelve.indirect / twelve.sobel_z), 0.0960327171)


def test_mediation_redraws_whole_clusters() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(24, 3)), columns=["x", "m", "y"]).assign(pair=np.repeat(range(12), 2))
    one = mediation(frame, "x", "m", "y", rng=np.random.default_rng(7), cluster="pair", n_resamples=300)
    shuffled = frame.sample(frac=1, random_state=3)
    again = mediation(shuffled, "x", "m", "y", rng=np.random.default_rng(7), cluster="pair", n_resamples=300)
    agree(again.drawn, one.drawn, 1e-6)
    assert (one.units, one.n, one.unit) == (12, 24, "pair")
    # doubling every row changes nothing if the doubles stay with their row
    rows = frame.assign(row=range(24))
    twice = mediation(
        pd.concat([rows, rows]), "x", "m", "y", rng=np.random.default_rng(7), cluster="row", n_resamples=300
    )
    plain = mediation(rows, "x", "m", "y", rng=np.random.default_rng(7), n_resamples=300)
    agree(twice.drawn, plain.drawn, 1e-6)
    turned = frame.assign(x=1e6 + 10 * frame["x"], y=-3 * frame["y"])
    moved = mediation(turned, "x", "m", "y", rng=np.random.default_rng(7), cluster="pair", n_resamples=300)
    agree(moved.drawn, -0.3 * one.drawn, 1e-6)
    assert 0 < one.p <= 1


def test_what_mediation_refuses() -> None:
    rng = np.random.default_rng(2)
    rows = {
        "x": [1, 2, 3, 4, 5, 6],
        "m": [2, 4, 6, 8, 10, 12],
        "y": [1, 4, 2, 6, 3, 5],
        "k": [1] * 6,
        "c": [1, 1, 1, 2, 2, 2],
    }
    with pytest.raises(NotEstimable, match="follows from the others"):
        mediation(rows, "x", "m", "y", rng=rng)
    with pytest.raises(NotEstimable, match="'k' is constant"):
        mediation(rows, "x", "k", "y", rng=rng)
    with pytest.raises(NotEstimable, match="2 complete c are too few"):
        mediation(rows, "x", "y", "m", rng=rng, cluster="c")
    with pytest.raises(DesignError, match="rng is 3"):
        mediation(rows, "x", "y", "c", rng=3)  # type: ignore[arg-type]


@pytest.mark.calibration
def test_coverage_of_the_indirect_effect_in_pairs() -> None:
    rng, times, inside = np.random.default_rng(12), runs(2000, 60), 0
    for _ in range(times):
        pair = np.repeat(range(30), 2)
        x = rng.normal(size=60) + rng.normal(size=30)[pair]
        m = 0.5 * x + rng.normal(size=60) + rng.normal(size=30)[pair]
        y = 0.4 * m + rng.normal(size=60) + rng.normal(size=30)[pair]
        rows = {"x": x, "m": m, "y": y, "pair": pair}
        inside += 0.2 in mediation(rows, "x", "m", "y", cluster="pair", rng=rng, n_resamples=500).confidence_interval()
    assert inside / times > 0.95 - 3 * np.sqrt(0.95 * 0.05 / times) - 0.03


def test_the_least_p_of_a_bootstrap_counts_the_data_once() -> None:
    """No draw on the other side of 0: p = 2 · 1/(draws + 1)."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    m = x + 0.01 * rng.normal(size=60)
    frame = pd.DataFrame({"x": x, "m": m, "y": m + 0.01 * rng.normal(size=60)})
    assert mediation(frame, "x", "m", "y", rng=rng, n_resamples=99).p == pytest.approx(2 / 100, rel=1e-12)
