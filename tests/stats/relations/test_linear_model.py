"""Linear models of factors and covariates against R (car, emmeans, clubSandwich); correlation in clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats import stats
from negstats.errors import DesignError, NotEstimable
from tests.conftest import reference, runs
from tests.stats.closeness import agree_in_order

R: dict[str, Any] = reference("outcomes")
FRAMES = {
    name: pd.DataFrame(columns).assign(id=lambda rows: np.arange(len(rows)) % 13)
    for name, columns in R["frames"].items()
}


@pytest.mark.parametrize("case", R["linear"], ids=lambda case: f"{case['data']} {case['rhs']}")
def test_terms_agree_with_car_and_clubsandwich(case: dict[str, Any]) -> None:
    frame, formula = FRAMES[case["data"]], f"y ~ {case['rhs']}"
    plain, hc3 = stats.linear_model(frame, formula), stats.linear_model(frame, formula, errors="HC3")
    cr2 = stats.linear_model(frame, formula, errors="CR2", cluster="id")
    assert list(plain.terms) == case["terms"]
    beta = plain.fit[0] / [np.prod([plain.design.units.unit.get(name, 1.0) for name, _ in parts])
                                        for parts in plain.design.coding.parts]  # fmt: skip
    agree_in_order(np.linalg.solve(plain.design.coding.to_treatment, beta), case["b"])  # R's contr.sum, centred
    agree_in_order([plain.test(term).statistic for term in plain.terms], case["f"])
    agree_in_order([hc3.test(term).statistic for term in plain.terms], case["hc3"])
    agree_in_order([cr2.test(term).statistic for term in plain.terms], [one["f"] for one in case["htz"]], 1e-7)
    agree_in_order([cr2.test(term).df2 for term in plain.terms], [one["df2"] for one in case["htz"]], 1e-7)


@pytest.mark.slow(keep=8)
@pytest.mark.parametrize("case", [c for c in R["linear"] if "margins" in c], ids=lambda c: f"{c['data']} {c['rhs']}")
def test_adjusted_means_agree_with_emmeans(case: dict[str, Any]) -> None:
    frame, formula = FRAMES[case["data"]], f"y ~ {case['rhs']}"
    result = stats.margins(stats.linear_model(frame, formula), specs="g")
    agree_in_order(result.mean, case["margins"]["mean"])
    agree_in_order(result.se, case["margins"]["se"])
    pairs = stats.pairwise(stats.linear_model(frame, formula), specs="g")
    agree_in_order(pairs.estimate, case["pairs"]["b"])
    agree_in_order(pairs.se, case["pairs"]["se"])
    agree_in_order(pairs.p_adjusted, case["pairs"]["p"], 1e-6)
    agree_in_order(stats.pairwise(stats.linear_model(frame, formula, errors="HC3"), specs="g").se, case["pairs"]["hc3"])


@pytest.mark.parametrize("case", [c for c in R["linear"] if "slopes" in c], ids=lambda c: f"{c['data']} {c['rhs']}")
def test_slopes_agree_with_emtrends(case: dict[str, Any]) -> None:
    model = stats.linear_model(FRAMES[case["data"]], f"y ~ {case['rhs']}")
    agree_in_order(model.slopes("x").estimate, case["slopes"]["b"])
    agree_in_order(model.slopes("x").se, case["slopes"]["se"])
    difference = model.slopes("x", compare=True, adjust="tukey")
    agree_in_order(difference.estimate, case["slopes"]["difference"])
    agree_in_order(difference.p_adjusted, case["slopes"]["p"], 1e-6)


def test_one_code_for_designs_and_models() -> None:
    frame = FRAMES["middle"]
    model, cells = stats.linear_model(frame, "y ~ g * h"), stats.anova(frame, "y", ["g", "h"])
    agree_in_order(model.test("g:h").statistic, cells.effect("g:h").statistic)
    for make in (
        lambda *a, **k: stats.margins(*a, specs="g", **k).mean,
        lambda *a, **k: stats.pairwise(*a, specs="g", at="h", **k).p_adjusted,
        lambda *a, **k: stats.contrasts(*a, specs="g", weights={"a - rest": [1, -0.5, -0.5]}, **k).se,
        lambda *a, **k: [one.statistic for one in stats.simple_effects(*a, specs="g", at="h", **k)],
    ):
        agree_in_order(make(model), make(frame, "y", ["g", "h"]))
    one = stats.linear_model(frame, "y ~ g + x")
    agree_in_order(stats.margins(one, specs="g").mean, stats.ancova(frame, "y", "g", "x").margins().mean)
    agree_in_order(
        stats.margins(one.grid(at={"x": 2.0}), specs="g").mean - stats.margins(one.grid(at={"x": 1.0}), specs="g").mean,
        [one.slopes("x").estimate[0]] * 3,
    )
    with pytest.raises(DesignError, match="leave out outcome and by"):
        stats.margins(model, "y", specs="g")
    with pytest.raises(DesignError, match="no covariate 'xx'; did you mean 'x'"):
        one.grid(at={"xx": 1})
    with pytest.raises(DesignError, match="there is one slope"):
        one.slopes("x", compare=True)


def test_what_a_model_cannot_give_is_said() -> None:
    rows = {"x": [1, 2, 3, 4, 5], "g": list("aabbb"), "y": [1, 2, 3, 4, 5], "u": [3, 1, 4, 1, 5], "one": list("aaaab")}
    with pytest.raises(NotEstimable, match="predicted without error"):
        stats.linear_model(rows, "y ~ x")
    with pytest.raises(NotEstimable, match="a coefficient of its own"):
        stats.linear_model(rows, "u ~ one", errors="HC3")
    with pytest.raises(DesignError, match="need a cluster"):
        stats.linear_model(rows, "u ~ x", errors="CR2")
    with pytest.raises(NotEstimable, match="n is 5"):
        stats.linear_model(rows, "u ~ C(x)")


# Correlation by clusters ---------------------------------------------------------------------------------------------


def test_clusters_of_one_row_are_the_jackknife_of_rows() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(15, 2)), columns=["x", "y"]).assign(who=range(15))
    result = stats.clustered_correlation(frame, "x", "y", cluster="who")
    z = [np.arctanh(np.corrcoef(frame.drop(i)["x"], frame.drop(i)["y"])[0, 1]) for i in range(15)]
    assert result.se == pytest.approx(np.sqrt(14 / 15 * ((np.array(z) - np.mean(z)) ** 2).sum()))
    assert result.r == pytest.approx(stats.correlation(frame, "x", "y").r)
    doubled = pd.concat([frame, frame])
    twice = stats.clustered_correlation(doubled, "x", "y", cluster="who")
    agree_in_order([twice.r, twice.se, twice.p], [result.r, result.se, result.p])


def test_parts_between_and_within_and_the_bootstrap() -> None:
    rng = np.random.default_rng(9)
    who = np.repeat(range(20), 3)
    frame = pd.DataFrame({"who": who, "x": rng.normal(size=60) + who % 5, "y": rng.normal(size=60) - who % 5})
    for kind in ("pearson", "spearman"):
        result = stats.clustered_correlation(frame, "x", "y", cluster="who", method=kind, rng=np.random.default_rng(1))
        assert result.confidence_interval().method == "percentile bootstrap of clusters"
        assert result.r in result.confidence_interval()
    plain = stats.clustered_correlation(frame, "x", "y", cluster="who")
    assert plain.within == pytest.approx(stats.repeated_correlation(frame, "x", "y", subject="who").r)
    assert plain.between == pytest.approx(frame.groupby("who")[["x", "y"]].mean().corr().iloc[0, 1])
    with pytest.raises(NotEstimable, match="needs at least 4"):
        stats.clustered_correlation(frame.query("who < 3"), "x", "y", cluster="who")
    with pytest.raises(NotEstimable, match="'x' is constant"):
        stats.clustered_correlation(frame.assign(x=1), "x", "y", cluster="who")


@pytest.mark.calibration
def test_size_of_the_clustered_correlation() -> None:
    rng = np.random.default_rng(2)
    times, hits, naive = runs(4000, 300), 0, 0
    who = np.repeat(range(16), 3)
    for _ in range(times):
        x, y = (rng.normal(size=16)[who] * 1.5 + rng.normal(size=48) for _ in range(2))
        frame = {"x": x, "y": y, "who": who}
        hits += stats.clustered_correlation(frame, "x", "y", cluster="who").p < 0.05
        naive += int(np.asarray(stats.correlation(frame, "x", "y").p) < 0.05)
    assert hits / times < 0.05 + 3 * np.sqrt(0.05 * 0.95 / times) + 0.01
    assert naive / times > 0.1


@pytest.mark.parametrize("shift", [0.0, 1e6, 1e9, 1e12])
def test_covariates_that_rounding_alone_tells_apart_are_one(shift: float) -> None:
    """Far from zero the rounding of a copy is large beside its spread: 2e-7 at 1e9."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=60) + shift
    frame = pd.DataFrame({"y": rng.normal(size=60), "x": x, "z": x / 3 * 3})
    assert shift < 1e9 or (frame["x"] != frame["z"]).any()
    with pytest.raises(NotEstimable, match="the column 'z' follows from"):
        stats.linear_model(frame, "y ~ x + z")


def test_a_model_of_the_intercept_alone_is_the_mean() -> None:
    y = np.array([3.0, 5.0, 4.0, 9.0, 7.0])
    model = stats.linear_model(pd.DataFrame({"y": y}), "y ~ 1")
    assert model.estimate == pytest.approx([y.mean()], rel=1e-12)
    assert np.sqrt(model.covariance[0, 0]) == pytest.approx(y.std(ddof=1) / np.sqrt(5), rel=1e-12)
    assert model.df_residual == 4


def test_clusters_are_counted() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"y": rng.normal(size=40), "x": rng.normal(size=40), "c": np.arange(40) // 4})
    assert stats.linear_model(frame, "y ~ x", errors="CR2", cluster="c").clusters == 10
    assert stats.linear_model(frame, "y ~ x").clusters == 0
