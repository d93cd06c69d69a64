"""Regression and analysis of covariance against R: coefficients, products, contrasts of models, adjusted means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats

from negstats import stats
from negstats.stats import johnson_neyman, linear_model, margins, mediation, mixed, pairwise, simple_effects
from negstats.stats.relations.covariance import ancova
from negstats.stats.relations.linear_model import regression
from negstats.stats.summaries import Moments
from tests.conftest import reference, runs
from tests.stats.closeness import name_of, rel

R: dict[str, Any] = reference("relations")
FRAMES = {name: pd.DataFrame(columns) for name, columns in R["frames"].items()}
MODELS = R["models"]


@pytest.mark.parametrize("case", MODELS, ids=name_of)
def test_ordinary_regression_agrees_with_r(case: dict[str, Any]) -> None:
    model = regression(FRAMES[case["data"]], case["formula"])
    for ours, theirs in (("estimate", "b"), ("se", "se"), ("statistic", "t"), ("p", "p")):
        assert getattr(model, ours) == rel(case[theirs])
    assert model.r_squared == rel(case["r2"])
    assert model.adjusted_r_squared == rel(case["adjusted"])
    assert model.sigma == rel(case["sigma"])
    assert model.test().statistic == rel(case["f"])
    ends = model.confidence_interval()
    assert ends.low == rel(case["low"])
    assert ends.high == rel(case["high"])


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("case", MODELS, ids=name_of)
def test_robust_errors_agree_with_r(case: dict[str, Any]) -> None:
    frame = FRAMES[case["data"]]
    assert regression(frame, case["formula"], errors="HC3").se == rel(case["hc3"])
    for robust in case["robust"]:
        model = regression(frame, case["formula"], errors=robust["type"], cluster="j")
        assert model.se == rel(robust["se"])
        assert model.df == rel(robust["df"])
    model = regression(frame, case["formula"], errors="CR2", cluster="j")
    joint = model.test([model.names[place] for place in np.ravel(case["places"])])
    for ours, theirs in (("statistic", "f"), ("df2", "df2"), ("p", "p")):
        assert getattr(joint, ours) == rel(case["htz"][theirs], 1e-7)


def test_the_worked_examples() -> None:
    # twelve units: by R and by a second program
    small = pd.DataFrame(R["small"])
    model, less = regression(small, "y ~ x + z"), regression(small, "y ~ x")
    assert model.estimate == rel([8.8264397905759, 1.4792321116928, -0.7003490401396])
    assert model.se == rel([0.8686316424, 0.0762645051, 0.1614912549])
    assert model.beta[1:] == rel([1.1131529349, -0.2488894535])
    assert model.vif[1:] == rel(R["more"]["vif"])
    assert model.compare(less).statistic == rel(R["more"]["delta"])
    assert np.asarray(model.r_squared) - np.asarray(less.r_squared) == rel(0.0411870911206)
    # 28 clusters of one or two rows; few of them have level c
    cr2 = regression(FRAMES["pairs"], "y ~ x + g", errors="CR2", cluster="j")
    assert cr2.se == rel([2.2039233987956, 0.8681967652763, 1.8553404183003, 2.4287407130301])
    assert cr2.df == rel([19.260316356, 17.401655947, 13.030687572, 4.825944293])
    joint = cr2.test("g")
    assert (joint.statistic, joint.df2) == (rel(1.306555766917), rel(8.079943483))


# Properties ----------------------------------------------------------------------------------------------------------


def test_summary_engine_and_columns_agree_with_a_formula() -> None:
    frame = FRAMES["uneven"]
    whole = regression(frame, "y ~ x + z")
    columns: dict[str, Any] = {"outcome": "y", "predictors": ["x", "z"]}
    for source in (Moments.from_columns(frame, ["y", "x", "z"]), frame, pl.from_pandas(frame), R["frames"]["uneven"]):
        other = regression(source, **columns)
        assert other.estimate == rel(whole.estimate)
        assert other.se == rel(whole.se)


def test_clusters_of_one_row_make_cr2_the_hc2_of_rows() -> None:
    frame = FRAMES["uneven"].assign(row=range(32))
    model = regression(frame, "y ~ x", errors="CR2", cluster="row")
    x = np.column_stack([np.ones(32), frame["x"]])
    bread = np.linalg.inv(x.T @ x)
    rest = frame["y"] - x @ model.estimate
    h = np.einsum("ij,jk,ik->i", x, bread, x)
    meat = (x * (rest**2 / (1 - h)).to_numpy()[:, None]).T @ x
    assert model.covariance == rel(bread @ meat @ bread)


def test_a_contrast_is_a_coefficient_of_another_coding() -> None:
    frame = FRAMES["pairs"]
    renamed = frame.assign(g=frame["g"].map({"a": "z", "b": "a", "c": "c"}))
    kinds: list[dict[str, Any]] = [{}, {"errors": "CR2", "cluster": "j"}]
    for kind in kinds:
        model, other = regression(frame, "y ~ x + g", **kind), regression(renamed, "y ~ x + g", **kind)
        one = model.contrast({"g[c]": 1, "g[b]": -1})
        place = other.names.index("g[c]")
        assert (one.estimate, one.se, one.df) == (
            rel(other.estimate[place]),
            rel(other.se[place]),
            rel(other.df[place]),
        )


def test_missing_rows_are_counted_and_text_says_what_was_found() -> None:
    frame = FRAMES["uneven"].copy()
    frame.loc[3, "x"] = np.nan
    model = regression(frame, "y ~ x + z", errors="CR2", cluster="j")
    assert (model.n, model.missing, model.clusters) == (31, 1, 9)
    assert model.apa().startswith("R² = .")
    few = regression(frame[frame["j"] < 5], "y ~ x", errors="CR2", cluster="j")
    assert few.df[1] < 4
    assert few.apa().endswith("few clusters carry this effect")


@pytest.mark.calibration
def test_size_with_few_clusters_beside_the_naive_test() -> None:
    # Twelve clusters of five rows, a predictor of clusters, intraclass correlation 1/2.
    rng, studies = np.random.default_rng(11), runs(2_000, 200)
    j = np.repeat(np.arange(12), 5)
    hits = {"ordinary": 0, "CR2": 0}
    for _ in range(studies):
        frame = pd.DataFrame({"j": j, "x": rng.normal(size=12)[j], "y": rng.normal(size=12)[j] + rng.normal(size=60)})
        hits["ordinary"] += int(regression(frame, "y ~ x").p[1] <= 0.05)
        hits["CR2"] += int(regression(frame, "y ~ x", errors="CR2", cluster="j").p[1] <= 0.05)
    assert hits["ordinary"] / studies > 0.15
    assert hits["CR2"] / studies == pytest.approx(0.045, abs=0.015 if studies == 2_000 else 0.045)


N = 120
FORMULAS = {"y ~ x*z": ["x:z"], "y ~ x*z*w": ["x:z:w"], "y ~ g*x": ["g[b]:x"], "y ~ g*x*z": ["g[b]:x:z"]}


def drawn() -> pd.DataFrame:
    """Return numbers of few binary digits, so that shifting them by 1e9 loses none."""
    rng = np.random.default_rng(12)
    frame = pd.DataFrame({name: np.round(rng.normal(size=N) * 64) / 64 for name in "xzw"})
    frame["g"], frame["c"] = rng.choice(["a", "b"], N), np.arange(N) // 6
    frame["y"] = frame["x"] * frame["z"] + 0.5 * frame["x"] + rng.normal(size=N) + (frame["g"] == "b")
    return frame


@pytest.mark.parametrize("formula", [*FORMULAS, "y ~ x*z + np.log(w + 9)", "y ~ x + x:z + z"])
def test_coefficients_are_those_of_the_numbers_as_given(formula: str) -> None:
    """Near zero plain least squares on formulaic's own columns is exact enough to be the witness."""
    from formulaic import Formula

    frame = drawn()
    model = stats.regression(frame, formula)
    _, x = Formula(formula).get_model_matrix(frame)
    assert list(model.names) == [name.replace("[T.", "[") for name in x.columns]
    columns = x.to_numpy(dtype=float)
    b, _, _, _ = np.linalg.lstsq(columns, frame["y"].to_numpy(), rcond=None)
    rest = frame["y"].to_numpy() - columns @ b
    v = np.linalg.inv(columns.T @ columns) * (rest @ rest) / (N - columns.shape[1])
    sd = columns[:, 1:].std(axis=0, ddof=1)
    np.testing.assert_allclose(model.estimate, b, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(model.covariance, v, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.beta[1:], b[1:] * sd / frame["y"].std(), rtol=1e-9, atol=1e-11)
    r = np.corrcoef(columns[:, 1:], rowvar=False).reshape(len(b) - 1, -1)
    np.testing.assert_allclose(model.vif[1:], np.diag(np.linalg.inv(r)), rtol=1e-9)


def test_the_same_model_with_measured_numbers() -> None:
    """What is at the mean of x and z is the coefficient where both are measured from there, wherever they lie."""
    frame = drawn()
    far = frame.assign(x=frame["x"] + 1e6, z=frame["z"] + 1e6)
    near = frame.assign(x=frame["x"] - frame["x"].mean(), z=frame["z"] - frame["z"].mean())
    expected = stats.regression(near, "y ~ x*z")
    weights = {"x": 1.0, "x:z": float(far["z"].mean())}
    one = stats.regression(far, "y ~ x*z").contrast(weights)
    place = expected.names.index("x")
    assert float(np.asarray(one.estimate)) == pytest.approx(expected.estimate[place], abs=1e-6)
    assert float(np.asarray(one.se)) == pytest.approx(expected.se[place], rel=1e-4)


R_CONTRASTS: dict[str, Any] = reference("model_contrasts")
FRAME = pd.DataFrame(R_CONTRASTS["frame"])


def agree(ours: Any, theirs: Any, tolerance: float = 1e-8) -> None:
    np.testing.assert_allclose(np.ravel(ours), np.ravel(theirs).astype(float), rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("case", R_CONTRASTS["mixed"], ids=lambda case: case["rhs"])
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


@pytest.mark.parametrize("case", R_CONTRASTS["regions"], ids=lambda case: case["kind"])
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
    t = scipy.stats.t.ppf(0.975, model.df_residual)
    agree(rows["low"], rows["estimate"] - t * rows["se"])
    agree(rows["high"], rows["estimate"] + t * rows["se"])
    agree(rows["p"], 2 * scipy.stats.t.sf(np.abs(rows["estimate"] / rows["se"]), model.df_residual))


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


def test_mediation_agrees_with_regressions_in_r() -> None:
    result = mediation(FRAME, "x", "m", "w", covariates="y", rng=np.random.default_rng(1), n_resamples=200)
    for name in ("a", "b", "a_se", "b_se", "direct", "total"):
        agree(getattr(result, name), R_CONTRASTS["mediation"][name])
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


FRAMES_ANCOVA = {"small": pd.DataFrame(R["small"]), "uneven": pd.DataFrame(R["frames"]["uneven"])}


@pytest.mark.parametrize("case", R["covariance"], ids=lambda case: f"{case['data']}-{case['covariates']}")
def test_ancova_agrees_with_r(case: dict[str, Any]) -> None:
    result = ancova(FRAMES_ANCOVA[case["data"]], "y", "g", case["covariates"])
    for ours, theirs in (("statistic", "f"), ("df1", "df1"), ("df2", "df2"), ("p", "p")):
        assert getattr(result.group, ours) == rel(case[theirs])
    assert result.covariates[0].statistic == rel(case["fx"])
    assert result.homogeneity is not None
    assert result.homogeneity.statistic == rel(case["slopes"])
    assert result.homogeneity.p == rel(case["slopes_p"])
    means = result.margins()
    assert means.mean == rel(case["mean"])
    assert means.se == rel(case["se"])
    gaps = result.pairwise()
    assert gaps.estimate == rel(case["estimate"])
    assert gaps.se == rel(case["estimate_se"])
    # both compute the studentized range by quadrature
    assert gaps.p_adjusted == rel(case["tukey"], 1e-6)


def test_the_worked_example() -> None:
    # twelve units in turn in groups a, b, c: by R and by a second program
    result = ancova(FRAMES_ANCOVA["small"], "y", "g", "x")
    assert result.slopes == rel([1.2966101694915])
    assert result.group.statistic == rel(0.2117691564)
    assert result.margins().mean == rel([19.8707627119, 19, 19.3792372881])
    assert result.margins().se == rel([0.9529610029, 0.9419386450, 0.9529610029])


def test_it_is_the_regression_on_groups_and_covariates_and_summary_equals_rows() -> None:
    frame = FRAMES_ANCOVA["uneven"]
    result, model = ancova(frame, "y", "g", ["x", "z"]), regression(frame, "y ~ x + z + g")
    assert result.group.statistic == rel(model.test("g").statistic)
    assert result.slopes == rel(model.estimate[[model.names.index("x"), model.names.index("z")]])
    summary = Moments.from_columns(frame, ["z", "y", "x"], "g")
    assert ancova(summary, "y", "g", ["x", "z"]).margins().se == rel(result.margins().se)
    moved = ancova(frame.assign(x=frame["x"] + 1e6, y=frame["y"] - 1e6).iloc[::-1], "y", "g", ["x", "z"])
    assert moved.group.statistic == rel(result.group.statistic, 1e-5)
    assert moved.margins().mean + 1e6 == rel(result.margins().mean, 1e-5)
    assert result.apa().startswith("g: F(2, 27) = ")
    assert list(result.to_frame()["term"]) == ["g", "x", "z", "g:x, z"]


def test_a_group_of_one_has_no_slope_but_a_mean() -> None:
    frame = pd.DataFrame({"x": [2, 4, 5, 7, 8.0], "g": list("aabbc"), "y": [10, 12, 11, 17, 15.0]})
    result = ancova(frame, "y", "g", "x")
    assert result.homogeneity is None
    assert np.isfinite(result.margins().mean).all()
