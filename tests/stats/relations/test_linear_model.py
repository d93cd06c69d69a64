"""Linear models with a formula against R: terms, robust errors, and errors of clusters."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats import stats
from negstats.errors import NotEstimable
from negstats.stats import linear_model, margins, pairwise, regression
from negstats.stats.design import read_design
from negstats.stats.relations.robust import clustered
from negstats.stats.results.numbers import FloatArray
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


R_CLUSTERS: dict[str, Any] = reference("cr2_singular")


@pytest.mark.parametrize("case", R_CLUSTERS["tests"], ids=lambda case: f"{case['formula']}: {', '.join(case['terms'])}")
def test_joint_tests_agree_with_clubsandwich(case: dict[str, Any]) -> None:
    frame = pd.DataFrame(R_CLUSTERS["data"])
    model = read_design(frame, case["formula"].replace("factor", "C"), "j")
    x, y = model.columns(), frame["y"].to_numpy()
    beta = np.linalg.lstsq(x, y, rcond=None)[0]
    places = [model.names.index(name.replace("hb", "h[b]")) for name in case["terms"]]
    sandwich = clustered(x, y - x @ beta, model.clusters, "CR2")
    f, df1, df2 = sandwich.hotelling(np.eye(len(beta))[places], beta[places])
    assert df1 == len(places)
    assert f == pytest.approx(case["f"], rel=1e-8)
    assert df2 == pytest.approx(case["df2"], rel=1e-7)


def scores(x: FloatArray, cluster: Any) -> list[FloatArray]:
    """Return B_j of each cluster with Σ B_j y y′ B_j′ the covariance CR2, by matrices as large as the data."""
    bread = np.linalg.inv(x.T @ x)
    rest = np.eye(len(x)) - x @ bread @ x.T
    parts = []
    for j in np.unique(cluster):
        rows = cluster == j
        values, vectors = np.linalg.eigh(rest[np.ix_(rows, rows)])
        root = np.where(values > 1e-9, 1 / np.sqrt(np.where(values > 1e-9, values, 1)), 0)
        parts.append(bread @ x[rows].T @ (vectors * root) @ vectors.T @ rest[rows])
    return parts


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["y ~ h", "y ~ h + x", "y ~ C(j) + x + z", "y ~ h * x", "y ~ x + z"]))
def test_degrees_of_freedom_by_brute_force(seed: int, formula: str) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(R_CLUSTERS["data"]).assign(x=rng.normal(size=26), z=rng.normal(size=26))
    model = read_design(frame, formula, "j")
    x, p = model.columns(), len(model.names)
    result = clustered(x, frame["y"].to_numpy(), model.clusters, "CR2")
    parts = scores(x, model.clusters)
    q = 1 if formula == "y ~ h" else 2  # of its two coefficients one direction has no error at all
    rows = rng.normal(size=(q, p))
    # The contrasts' covariance matrix is Σ (C B_j y)(C B_j y)′, and E[y y′] = I: its mean and its total variance
    mean = sum((rows @ b @ (rows @ b).T for b in parts), np.zeros((q, q)))
    values, vectors = np.linalg.eigh(mean)
    unit = (vectors / np.sqrt(values)) @ vectors.T @ rows
    each = np.stack([unit @ b for b in parts])
    k = np.einsum("iau,jbu->abij", each, each)
    total = sum((k[a, a] * k[b, b]).sum() + (k[a, b] * k[a, b].T).sum() for a in range(q) for b in range(q))
    b = rng.normal(size=q)
    f, _, df2 = result.hotelling(rows, b)
    eta = q * (q + 1) / total
    wald = b @ np.linalg.solve(rows @ result.covariance @ rows.T, b)
    assert df2 == pytest.approx(eta - q + 1, rel=1e-7)
    assert f == pytest.approx(wald * (eta - q + 1) / (q * eta), rel=1e-7)
    one = np.einsum("iu,ju->ij", np.stack([rows[0] @ b for b in parts]), np.stack([rows[0] @ b for b in parts]))
    assert result.df(rows[0]) == pytest.approx(np.trace(one) ** 2 / (one**2).sum(), rel=1e-8)
    assert one.trace() <= rows[0] @ np.linalg.inv(x.T @ x) @ rows[0] * (1 + 1e-9)
    unbiased = np.allclose(mean, rows @ np.linalg.inv(x.T @ x) @ rows.T, rtol=1e-9)
    assert result.estimable(rows) == unbiased  # what is refused is what V is too small for


@pytest.mark.nightly
def test_mean_of_the_covariance_by_simulation() -> None:
    frame = pd.DataFrame(R_CLUSTERS["data"])
    model = read_design(frame, "y ~ h + x", "j")
    x, rng, total, times = model.columns(), np.random.default_rng(3), 0.0, 4_000
    basis = np.linalg.qr(x)[0]
    y = rng.normal(size=(times, len(x)))
    rest = y - (y @ basis) @ basis.T
    for one in rest:
        total += clustered(x, one, model.clusters, "CR2").covariance[1, 1] / times
    expected = sum(float((part[1] ** 2).sum()) for part in scores(x, model.clusters))
    assert total == pytest.approx(expected, rel=0.08)
    assert expected < 0.9 * np.linalg.inv(x.T @ x)[1, 1]  # and not the bread's


WITNESS = np.repeat(np.arange(7), 4)


def witness() -> pd.DataFrame:
    noise, shift = np.random.default_rng(11).normal(size=28), np.random.default_rng(12).normal(size=7)
    return pd.DataFrame({"g": WITNESS, "h": np.where(WITNESS < 6, "a", "b"), "y": noise + shift[WITNESS]})


def test_what_rests_on_one_cluster_is_refused_everywhere() -> None:
    frame = witness().assign(x=np.random.default_rng(5).normal(size=28))
    for formula in ("y ~ h", "y ~ C(g)"):
        with pytest.raises(NotEstimable, match="rests on a single cluster"):
            linear_model(frame, formula, errors="CR2", cluster="g")
        for errors in ("CR0", "CR1", "CR1S", "CR2"):
            with pytest.raises(NotEstimable, match="single cluster"):
                regression(frame, formula, errors=errors, cluster="g")
    model = linear_model(frame, "y ~ h + x", errors="CR2", cluster="g")
    for call in (
        lambda: model.test("h"),
        lambda: model.contrast({"h[b]": 1}),
        lambda: margins(model, specs="h"),
        lambda: pairwise(model, specs="h"),
    ):
        with pytest.raises(NotEstimable, match="rests on a single cluster"):
            call()
    assert np.isfinite(model.test("x").p)
    assert model.tests()["p"].isna().tolist() == [True, False]
    assert "h: not tested" in model.apa()
    slopes = regression(frame, "y ~ h + x", errors="CR2", cluster="g")
    assert np.isnan(slopes.p).tolist() == [False, True, False]
    with pytest.raises(NotEstimable, match="single cluster"):
        slopes.test(["h[b]"])


def test_effects_of_clusters_leave_what_varies_within_them() -> None:
    # A coefficient for each cluster takes the clusters' means out, and the slope within them keeps its errors.
    frame = pd.DataFrame(R_CLUSTERS["data"])
    case = next(one for one in R_CLUSTERS["tests"] if one["formula"] == "y ~ factor(j) + x")
    test = linear_model(frame, "y ~ C(j) + x", errors="CR2", cluster="j").test("x")
    assert test.statistic == pytest.approx(case["f"], rel=1e-8)
    assert test.p == pytest.approx(case["p"], rel=1e-8)


@pytest.mark.calibration
@pytest.mark.parametrize("design", ["two clusters at a level", "effects of clusters"])
@pytest.mark.parametrize("kind", ["factor", "several"])
def test_size_where_clusters_are_few(design: str, kind: Literal["factor", "several"]) -> None:
    rng, times, hits = np.random.default_rng(8), runs(4_000, 300), 0
    j = np.repeat(np.arange(10), 4)
    for _ in range(times):
        y = rng.normal(size=10)[j] + rng.normal(size=40)
        frame = pd.DataFrame({"j": j, "h": np.where(j < 8, "a", "b"), "x": rng.normal(size=40), "y": y})
        if design == "effects of clusters":
            frame["w"] = rng.choice(list("pqr"), size=40)
            formula, term = ("y ~ C(j) + x", "x") if kind == "factor" else ("y ~ C(j) + w", "w")
        else:
            frame["k"] = np.array(list("aaabbbaaab"))[j]
            formula, term = ("y ~ h", "h") if kind == "factor" else ("y ~ h + k + x", "x")
        hits += int(np.asarray(linear_model(frame, formula, errors="CR2", cluster="j").test(term).p) < 0.05)
    assert hits / times < 0.05 + 3 * np.sqrt(0.05 * 0.95 / times) + 0.01
