"""Mixed models with random slopes or with nested or crossed intercepts against lme4, and profiles of their SDs.

tests/reference/crossed.R wrote the numbers, each level of a factor against the first; the data are drawn again by
tests/reference/crossed_data.py.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from negstats.errors import NotEstimable
from negstats.stats import Interval, MixedModel, MixedResponses, margins, mixed
from negstats.stats.models import random_effects as core
from negstats.stats.models import random_terms
from negstats.stats.models.estimators import EffectRows, RandomEffects, engine_start, is_singular
from negstats.stats.results.numbers import FloatArray
from tests.conftest import ROOT, reference
from tests.reference import crossed_data
from tests.stats.closeness import agree
from tests.stats.models.data import at_zero, coded_to_sum, column, three_groups

# R 4.2.2, lme4 1.1-31, lmerTest 3.1-3, pbkrtest 0.5.2.
DESIGNS = {design["name"]: design for design in reference("slopes")["designs"]}
SLEEP = "sleepstudy (Belenky et al. 2003)"


def fitted(design: dict[str, Any], **options: Any) -> MixedModel:
    result: MixedModel = mixed(pd.DataFrame(design["rows"]), design["fixed"], random=design["random"], **options)
    return result


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", DESIGNS)
def test_agrees_with_r(name: str) -> None:
    expected = DESIGNS[name]
    result, ml = fitted(expected), fitted(expected, method="ml")
    agree([result.deviance, ml.deviance], [expected["reml"], expected["ml"]], rtol=1e-9)
    assert (result.singular, ml.singular) == (expected["singular"], expected["singular_ml"])
    assert bool(result.notes) == result.singular
    agree(result.sigma2, expected["sigma2"], rtol=1e-6)
    # lme4 lists the terms in an order of its own; a covariance is as exact as the SDs that it is between, and without
    # derivatives lme4 gives half of the deviance's digits.
    values = sorted((table.to_numpy() for table in result.covariances), key=lambda table: float(table[0, 0]))
    for mine, theirs in zip(
        values, sorted(map(np.ravel, expected["covariance"].values()), key=lambda table: float(table[0])), strict=True
    ):
        sd = np.sqrt(np.diagonal(mine)) + 1e-3 * np.sqrt(result.sigma2)
        agree((mine - theirs.reshape(mine.shape)) / np.outer(sd, sd), 0, atol=5e-6)
    by_satterthwaite, by_kr, of_ml = coded_to_sum(result, "satterthwaite"), coded_to_sum(result), coded_to_sum(ml)
    agree(column(by_kr, "estimate"), expected["b"], rtol=1e-6)
    agree(column(by_satterthwaite, "se"), expected["se"], rtol=1e-6)
    agree(column(by_satterthwaite, "df"), expected["df"], rtol=1e-5)
    agree(column(by_kr, "se"), expected["kr_se"], rtol=1e-6)
    agree(column(by_kr, "df"), expected["kr_df"], rtol=1e-6)
    agree(column(of_ml, "estimate"), expected["b_ml"], rtol=1e-6)
    agree(column(of_ml, "se"), expected["se_ml"], rtol=1e-6)
    agree(column(of_ml, "df"), expected["df_ml"], rtol=1e-5)
    for test, wanted in zip(at_zero(result), expected["tests"], strict=True):
        assert test.term == wanted["term"]
        numbers = [float(test.statistic), float(test.df1), float(test.df2), float(test.scale)]
        agree(numbers, [wanted[key] for key in ("f", "df1", "df2", "scale")], rtol=1e-6)


def test_sleepstudy_as_it_was_published() -> None:
    # Bates et al. (2015), J. Stat. Software 67, p. 30: SDs 24.74, 5.92 and 25.59, correlation .07.
    result = fitted(DESIGNS[SLEEP])
    assert result.variances()["sd"].round(2).tolist() == [24.74, 5.92, 25.59]
    (table,) = result.covariances
    assert round(table.loc["x", "Intercept"] / np.sqrt(np.prod(np.diagonal(table))), 2) == 0.07
    assert result.levels == {"j": 18}
    assert result.contrast({"x": 1.0}).apa() == "b = 10.47, SE = 1.55, t(17) = 6.77, p < .001, 95% CI [7.21, 13.73]"


@pytest.mark.parametrize("method", ["reml", "ml"])
def test_one_intercept_is_the_random_intercept(method: Any) -> None:
    frame = three_groups()
    by_sums = mixed(frame, "y ~ g * x + (1 | j)", method=method)
    rows = EffectRows.read(frame, "y ~ g * x", "(1 | j)", None, method)
    by_rows = rows.fit(rows.y)
    agree([by_rows.deviance, by_rows.sigma2], [by_sums.deviance, by_sums.sigma2], rtol=1e-10)
    agree(by_rows.covariances[0].to_numpy(), [[by_sums.tau2]], rtol=1e-9)
    columns = ["estimate", "se", "df"]
    agree(by_rows.to_frame()[columns], by_sums.to_frame()[columns], rtol=1e-9)
    agree(by_rows.aic, by_sums.aic, rtol=1e-10)
    mine, theirs = (one.with_df("satterthwaite").tests(type=2) for one in (by_rows, by_sums))
    agree(mine[["statistic", "df2"]], theirs[["statistic", "df2"]], rtol=1e-9)
    agree(margins(by_rows, specs="g").df, margins(by_sums, specs="g").df, rtol=1e-9)


@pytest.mark.parametrize("name", ["slopes 3", "nested 2", "slopes 6"])
@pytest.mark.parametrize("reml", [True, False])
def test_derivatives_are_those_of_the_likelihood(name: str, reml: bool) -> None:
    part = fitted(DESIGNS[name], method="reml" if reml else "ml").part
    assert isinstance(part, RandomEffects)
    problem = part.problem
    theta = np.array([0.7, -0.4, 0.5, 0.3][: len(problem.layout.entries)])
    result = core.slopes(problem, core.at(problem, theta))
    steps = 1e-5 * np.eye(len(theta))
    ends = [(core.at(problem, theta + step), core.at(problem, theta - step)) for step in steps]
    agree(result.gradient, [(up.deviance - down.deviance) / 2e-5 for up, down in ends], rtol=1e-6, atol=1e-7)
    moved = [(core.slopes(problem, up).gradient - core.slopes(problem, down).gradient) / 2e-5 for up, down in ends]
    agree(result.hessian, moved, rtol=1e-6, atol=1e-6)


def test_crossed_clusters_and_frames_of_another_engine() -> None:
    rng = np.random.default_rng(4)
    rows = pd.DataFrame([(f"p{p}", f"i{i}") for p in range(9) for i in range(6)], columns=["person", "item"])
    rows["x"] = rng.standard_normal(54).round(2)
    effects = [rng.standard_normal(54)[pd.factorize(rows[name])[0]] for name in ("person", "item")]
    rows["y"] = (rows["x"] + sum(effects) + rng.standard_normal(54)).round(2)
    result = mixed(rows, "y ~ x", random="(1 | person) + (1 | item)")
    assert result.levels == {"person": 9, "item": 6}
    # The dense definition: V of all rows.
    v = np.eye(54) * result.sigma2
    for name, table in zip(("person", "item"), result.covariances, strict=True):
        v += table.to_numpy()[0, 0] * np.equal.outer(rows[name].to_numpy(), rows[name].to_numpy())
    x = np.column_stack([np.ones(54), rows["x"]])
    inverse = np.linalg.inv(v)
    phi = np.linalg.inv(x.T @ inverse @ x)
    beta = phi @ x.T @ inverse @ rows["y"].to_numpy()
    agree(result.estimate, beta, rtol=1e-8)
    agree(result.with_df("satterthwaite").covariance, phi, rtol=1e-8)
    e = rows["y"].to_numpy() - x @ beta
    dense = np.linalg.slogdet(v)[1] - np.linalg.slogdet(phi)[1] + e @ inverse @ e + 52 * np.log(2 * np.pi)
    agree(result.deviance, dense, rtol=1e-10)
    agree(mixed(pl.from_pandas(rows), "y ~ x", random="(1 | person) + (1 | item)").deviance, dense, rtol=1e-10)


@pytest.mark.slow
def test_missing_rows_and_slopes_that_are_no_predictors() -> None:
    frame = pd.DataFrame(DESIGNS["slopes 4"]["rows"])
    gaps = pd.concat([frame, frame.head(3).assign(y=np.nan), frame.head(2).assign(j=None)])
    one, other = (mixed(rows, "y ~ a", "j", random="x") for rows in (frame, gaps))
    assert (one.missing, other.missing) == (0, 5)
    assert one.deviance == pytest.approx(other.deviance, abs=1e-9)
    by_level = mixed(frame.assign(half=np.where(np.arange(len(frame)) % 2, "u", "v")), "y ~ x", "j", random="half")
    assert list(by_level.covariances[0].index) == ["Intercept", "half[u]"]


@pytest.mark.slow
def test_comparisons() -> None:
    # lme4's anova(refit = FALSE): REML criteria 1743.6283 and 1743.6689, and 1786.4651 of the intercept alone.
    frame = pd.DataFrame(DESIGNS[SLEEP]["rows"])
    whole = mixed(frame, "y ~ x", "j", random="x")
    apart = mixed(frame, "y ~ x", random="(1 | j) + (0 + x | j)")
    alone = mixed(frame, "y ~ x", "j", random="1")
    comparison = whole.compare(apart)
    agree([comparison.statistic, comparison.df], [0.0406, 1], atol=1e-3)
    agree(apart.compare(alone).statistic, 42.7962, atol=1e-3)
    assert apart.compare(alone).boundary
    assert "SD(x | j) = 5.92" in whole.apa()
    assert whole.to_frame().attrs["schema"] == "MixedModel/2"


def test_no_variance_is_said() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"j": np.repeat(np.arange(10), 6), "x": np.tile(np.arange(6.0), 10)})
    frame["y"] = frame["x"] + rng.standard_normal(60) - 0.9 * frame.groupby("j")["x"].transform("mean")
    frame["y"] -= frame.groupby("j")["y"].transform("mean")
    result = mixed(frame, "y ~ x", "j", random="x")
    assert result.singular
    assert "leave one out" in result.notes[0]
    assert np.isfinite(result.with_df("satterthwaite").df).all()


FRAME = pd.DataFrame(DESIGNS["slopes 3"]["rows"])


def test_a_search_that_did_not_arrive_gives_its_gradient_and_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop_early(problem: core.Problem, theta: FloatArray) -> tuple[core.At, core.Slopes]:
        near = core.at(problem, theta + 0.1)
        return near, core.slopes(problem, near)

    monkeypatch.setattr(core, "polish", stop_early)
    with pytest.raises(NotEstimable, match=r"did not converge; the derivatives of −2 ln L are -?\d"):
        mixed(FRAME, "y ~ x", "j", random="x")


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    "random", ["(1 | who) + (1 | item)", "(1 | item) + (1 | who)", "(1 + x | who) + (1 | item)", "(1 + x | who)"]
)
def test_many_levels_are_eliminated_one_by_one(random: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large block that is nearly all zeros is solved without them: the same numbers."""
    rng = np.random.default_rng(5)
    who, item = np.repeat(np.arange(14), 6), np.tile(np.arange(6), 14)
    frame = pd.DataFrame({"who": who, "item": item, "x": rng.normal(3.0, 2.0, len(who))})
    frame["y"] = 0.4 * frame["x"] + rng.normal(size=14)[who] + rng.normal(size=6)[item] + rng.normal(size=len(who))
    whole = mixed(frame, "y ~ x", random=random)
    monkeypatch.setattr(random_terms, "LARGE", 1)
    monkeypatch.setattr(random_terms, "SPARSE", 1.0)
    monkeypatch.setattr(random_terms, "MOST_DENSE", 0)
    parts = mixed(frame, "y ~ x", random=random)
    assert parts.deviance == pytest.approx(whole.deviance, rel=1e-12)
    agree(parts.tests()[["statistic", "df2"]], whole.tests()[["statistic", "df2"]], rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    "random", ["(1 + x | who)", "(1 | who) + (1 | item)", "(1 + x | who) + (1 | item)", "(1 + g | who)"]
)
@pytest.mark.parametrize("sd", [0.0, 0.6])
def test_the_start_of_the_engine_changes_the_search_alone(random: str, sd: float) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        who, item = np.repeat(np.arange(14), 12), np.tile(np.arange(12), 14)
        x = rng.normal(3.0, 2.0, len(who))
        y = 100 + x + rng.normal(size=14)[who] + sd * rng.normal(size=14)[who] * x + sd * rng.normal(size=12)[item]
        frame = pd.DataFrame({"y": y + rng.normal(size=len(who)), "x": x, "who": who, "item": item})
        frame["g"] = np.where(item % 3 == 0, "a", np.where(item % 3 == 1, "b", "c"))
        rows = EffectRows.read(frame, "y ~ x + g", random, None, "reml")
        start = engine_start(rows, rows.y)
        assert start is not None
        quick, slow = rows.fit(rows.y, start), rows.fit(rows.y)
        assert quick.deviance == pytest.approx(slow.deviance, abs=1e-7)
        assert quick.tests()["p"].tolist() == pytest.approx(slow.tests()["p"].tolist(), rel=1e-4)
        assert quick.singular == slow.singular


def test_terms_that_the_engine_does_not_take_are_searched() -> None:
    frame = pd.DataFrame({"y": np.arange(40.0) % 7, "x": np.arange(40.0) ** 0.5, "who": np.arange(40) // 5})
    for formula, random in (("y ~ x", "(0 + x | who)"), ("y ~ 1", "(1 + x | who)")):
        rows = EffectRows.read(frame, formula, random, None, "reml")
        assert engine_start(rows, rows.y) is None


@pytest.mark.parametrize(("least", "singular"), [(0.05, False), (2e-4, False), (5e-5, True), (0.0, True)])
def test_a_fit_is_singular_where_a_direction_has_no_spread(least: float, singular: bool) -> None:
    """As lme4's isSingular: relative to the residual's SD, below 1e-4."""
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    assert is_singular(turn @ np.diag([1.0, least]) @ turn.T) is singular


# R 4.2.2: criteria over dense matrices, and lme4 1.1-31.
CASES = reference("slopes_profile")


def fitted_profiles(name: str, reml: bool) -> tuple[pd.DataFrame, MixedModel]:
    design = DESIGNS[name]
    frame = pd.DataFrame(design["rows"])
    return frame, mixed(frame, design["fixed"], random=design["random"], method="reml" if reml else "ml")


def ends(interval: Interval) -> list[float]:
    return [float(np.asarray(interval.low)), float(np.asarray(interval.high))]


# Of the larger designs ML and REML in turn, since each profile is a few hundred fits.
SHOWN = [case for case in CASES if case["reml"] == (case["name"] not in ("slopes 4", "nested 1"))]


@pytest.mark.slow
@pytest.mark.parametrize("case", SHOWN, ids=lambda case: f"{case['name']}-{'reml' if case['reml'] else 'ml'}")
def test_profiles_and_predictions_agree_with_r(case: dict[str, Any]) -> None:
    frame, model = fitted_profiles(case["name"], case["reml"])
    agree(model.deviance, case["deviance"], rtol=1e-9)
    table = model.variances(0.95)
    both = table[["low", "high"]].to_numpy()
    agree(both[:2], [case["first"], case["second"]], rtol=1e-6, atol=1e-9)
    agree(both[2], case["sigma"], rtol=1e-6)
    if "r" in case:
        agree(ends(model.correlation_interval("Intercept", "x")), case["r"], rtol=1e-6)
    predicted = model.predictions(frame)
    agree(predicted["fitted"], case["fitted"], rtol=1e-5)
    agree(predicted["fixed"] + predicted["random"] + predicted["residual"], frame["y"], rtol=1e-12)
    effects = model.random_effects(frame)
    for cluster, wanted in case["ranef"].items():
        mine = effects[effects["cluster"] == ":".join(reversed(cluster.split(":")))]
        for name, values in wanted["values"].items():
            column = "Intercept" if name == "(Intercept)" else name
            labels = [":".join(reversed(label.split(":"))) for label in np.ravel(wanted["level"])]
            one = mine[mine["effect"] == column].set_index("level").loc[labels, "estimate"]
            agree(one, values, rtol=1e-4, atol=1e-5)  # lme4's variances have six digits


def test_lme4_profiles_of_sleepstudy() -> None:
    # confint(): the four rows are the SD, the correlation, the other SD and sigma, from splines through the profile
    case = next(case for case in CASES if "lme4" in case)
    agree([case["first"], case["r"], case["second"], case["sigma"]], case["lme4"], rtol=3e-3)


@pytest.mark.slow
def test_one_intercept_has_the_intervals_and_predictions_of_the_random_intercept() -> None:
    frame = three_groups()
    by_sums, rows = mixed(frame, "y ~ g * x", "j"), EffectRows.read(frame, "y ~ g * x", "(1 | j)", None, "reml")
    by_rows = rows.fit(rows.y)
    agree(ends(by_rows.sd_interval("Intercept")), ends(by_sums.sd_interval("Intercept")), rtol=1e-6)
    agree(ends(by_rows.sd_interval()), ends(by_sums.sd_interval()), rtol=1e-6)
    agree(by_rows.predictions(frame), by_sums.predictions(frame), rtol=1e-8, atol=1e-8)
    agree(by_rows.random_effects()["estimate"], by_sums.random_effects()["estimate"], rtol=1e-8, atol=1e-8)
    agree(by_rows.predictions(pl.from_pandas(frame)), by_rows.predictions(frame), rtol=1e-12)


def test_origins_of_slopes_change_no_prediction() -> None:
    frame, model = fitted_profiles("slopes 5", True)
    design = DESIGNS["slopes 5"]
    far = frame.assign(x=frame["x"] + 1000)
    agree(mixed(far, design["fixed"], random=design["random"]).predictions(far)["random"],
          model.predictions(frame)["random"], rtol=1e-4, atol=1e-5)  # fmt: skip
    apart = mixed(frame, "y ~ x", random="(1 | j) + (0 + x | j)")
    effects = apart.random_effects(frame)
    by_row = effects.pivot_table(index="level", columns="effect", values="estimate").loc[frame["j"]]
    agree(
        apart.predictions(frame)["random"],
        by_row["Intercept"].to_numpy() + by_row["x"].to_numpy() * frame["x"],
        rtol=1e-9,
    )


def test_crossed_effects_are_the_dense_ones() -> None:
    rng = np.random.default_rng(4)
    rows = pd.DataFrame([(f"p{p}", f"i{i}") for p in range(8) for i in range(5)], columns=["person", "item"])
    rows["y"] = (sum(rng.standard_normal(40)[pd.factorize(rows[name])[0]] for name in ("person", "item"))
                 + rng.standard_normal(40)).round(2)  # fmt: skip
    model = mixed(rows, "y ~ 1", random="(1 | person) + (1 | item)")
    same = [np.equal.outer(rows[name].to_numpy(), rows[name].to_numpy()) for name in ("person", "item")]
    variances = model.variances()["variance"].to_numpy()
    v = variances[0] * same[0] + variances[1] * same[1] + variances[2] * np.eye(40)
    residual = rows["y"].to_numpy() - float(model.estimate[0])
    agree(model.predictions(rows)["random"], (v - variances[2] * np.eye(40)) @ np.linalg.solve(v, residual), rtol=1e-7)


def test_names_of_clusters_that_join_alike_are_two() -> None:
    rng = np.random.default_rng(3)
    names = [(a, b) for a in ("p:q", "p", "s", "t") for b in ("r", "q:r", "u", "v")] * 6  # p:q:r is both
    rows = pd.DataFrame(names, columns=["session", "pair"]).assign(x=rng.normal(size=96))
    rows["y"] = rows["x"] + 2 * np.tile(rng.normal(size=16), 6) + rng.normal(size=96)
    other = rows.assign(session=rows["session"].replace("p:q", "o"))
    alike, apart = (mixed(frame, "y ~ x", random="(1 | session/pair)") for frame in (rows, other))
    agree(alike.predictions(rows), apart.predictions(other), rtol=1e-9, atol=1e-9)
    assert (alike.random_effects(rows)["level"] == "p:q:r").sum() == 2


LME4 = json.loads((ROOT / "tests" / "reference" / "crossed.json").read_text(encoding="utf-8"))
DATA = {
    "verbal": crossed_data.verbal,
    "verbal_nagq": crossed_data.verbal,
    "lectures": crossed_data.lectures,
    "timing_crossed": crossed_data.timing,
    "timing_nested": crossed_data.timing,
}


def fit(name: str) -> tuple[MixedResponses, dict[str, Any]]:
    frame, theirs = DATA[name](), LME4[name]
    assert len(frame) == theirs["rows"], "the data are those that lme4 was given"
    nagq = 9 if name.endswith("nagq") else None
    return mixed(frame, str(theirs["formula"]), family="binomial", nagq=nagq), theirs


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_coefficients_errors_spreads_and_likelihood_are_those_of_lme4(name: str) -> None:
    ours, theirs = fit(name)
    beta, se = np.array(theirs["beta"]), np.array(theirs["se"])
    assert len(ours.names) == len(beta)
    # Where they differ by a few hundredths of a standard error our likelihood is the higher one.
    assert (np.abs(ours.estimate - beta) / se).max() <= 0.04
    assert ours.se == pytest.approx(se, rel=0.02)  # lme4's are by differences
    if name != "verbal_nagq":
        assert -1e-3 <= ours.log_likelihood - theirs["loglik"] <= 0.05  # lme4 stops a little below the maximum
    else:
        assert ours.log_likelihood == pytest.approx(theirs["loglik"], abs=1e-4)
    for cluster, sd in theirs["sd"].items():
        assert ours.sds[":".join(reversed(cluster.split(":")))] == pytest.approx(sd, abs=3e-3)


def test_the_data_have_the_shapes_of_lme4s() -> None:
    verbal, lectures = crossed_data.verbal(), crossed_data.lectures()
    assert isinstance(verbal, pd.DataFrame)
    assert (len(verbal), verbal["person"].nunique(), verbal["item"].nunique()) == (7584, 316, 24)
    assert lectures["student"].nunique() == 300
    assert 700 <= lectures["lecturer"].nunique() <= 800


def test_an_effect_of_two_columns_together_may_vary() -> None:
    rng = np.random.default_rng(12)
    people, rows = 14, 6
    table = pd.MultiIndex.from_product(
        [range(people), ["x", "y"], ["k", "l"], range(rows)], names=["person", "a", "b", "row"]
    ).to_frame(index=False)
    cells = table.groupby(["person", "a", "b"]).ngroup()
    table["z"] = rng.normal(size=len(table)) + rng.normal(size=4 * people)[cells]
    result = mixed(table, "z ~ a * b", random="(1 + a + b + a:b | person)")
    # In balanced rows the model is the paired test of each person's difference of differences.
    means = table.pivot_table("z", "person", ["a", "b"])
    own = means.to_numpy() @ np.array([1.0, -1.0, -1.0, 1.0])
    t = float(own.mean() / own.std(ddof=1) * np.sqrt(people))
    test = result.test("a:b")
    agree(float(np.asarray(test.statistic)), t**2, rtol=1e-5)
    agree(float(np.asarray(test.df2)), people - 1, rtol=1e-3)
