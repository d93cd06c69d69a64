"""Random slopes and nested intercepts against lme4, lmerTest and pbkrtest, the random intercept, and their algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from negstats.errors import DesignError, NotEstimable
from negstats.stats.contrasts.margins import margins
from negstats.stats.models import random_effects as core
from negstats.stats.models import random_terms
from negstats.stats.models.estimators import EffectRows, RandomEffects, engine_start, is_singular
from negstats.stats.models.mixed import mixed
from negstats.stats.models.mixed_model import MixedModel
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries import ClusterMoments
from tests.conftest import reference
from tests.stats.closeness import agree
from tests.stats.models.data import at_zero, coded_to_sum, three_groups

# R 4.2.2, lme4 1.1-31, lmerTest 3.1-3, pbkrtest 0.5.2.
DESIGNS = {design["name"]: design for design in reference("slopes")["designs"]}
SLEEP = "sleepstudy (Belenky et al. 2003)"


def fitted(design: dict[str, Any], **options: Any) -> MixedModel:
    result: MixedModel = mixed(pd.DataFrame(design["rows"]), design["fixed"], random=design["random"], **options)
    return result


def column(parts: Any, name: str) -> list[float]:
    return [float(getattr(part, name)) for part in parts]


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
    without = mixed(frame, "y ~ 1", "j", random="x")
    with pytest.raises(DesignError, match="REML likelihoods"):
        whole.compare(without)
    with pytest.raises(DesignError, match="not part of this one"):
        alone.compare(whole)
    other = frame.assign(half=frame["j"].astype("category").cat.codes % 4)  # fewer random effects, but other ones
    with pytest.raises(DesignError, match="not part of this one"):
        whole.compare(mixed(other, "y ~ x + (1 | half)"))
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"random": "x"}, r"random is 'x' without a cluster"),
        ({"random": "(1 + x | j)", "cluster": "j"}, r"names its clusters; leave cluster= out"),
        ({"random": "(1 + log(x) | j)"}, r"random is '\(1 \+ log\(x\) \| j\)'; give a column"),
        ({"random": "(1 + x | j) (1 | a)"}, "give a column such as"),
        ({"random": "(0 | j)"}, "a term with 0 needs the column of a slope"),
        ({"random": "(1 + z | j)"}, "the frame has no column 'z'"),
        ({"random": "(1 + y | j)"}, "'y' is the outcome and a random slope"),
        ({"random": "(1 | j) + (1 | j)"}, "which has a term twice"),
        ({"random": "(1 | a)", "formula": "y ~ a + x"}, "cluster names 'a', which is in the formula too"),
        ({"random": "(0 + a | j)"}, "the factor 'a' varies over j without an intercept"),
        ({"random": "(1 + x + twice | j)"}, "follow from each other"),
        ({"random": "(1 | one)"}, "all rows are in one cluster of 'one'"),
        ({"random": "(1 | row)"}, "each of the 47 clusters of 'row' has one row"),
        ({"random": "x", "cluster": "j", "between": "any"}, "between='any' is for a random intercept alone"),
        ({"random": ""}, "random is ''"),
    ],
)
def test_what_researchers_get_wrong(options: dict[str, Any], message: str) -> None:
    frame = FRAME.assign(twice=2 * FRAME["x"], one=1, row=np.arange(len(FRAME)))
    with pytest.raises(DesignError, match=message):
        mixed(frame, options.pop("formula", "y ~ x"), **options)


def test_sums_have_no_rows() -> None:
    with pytest.raises(DesignError, match="random effects need the rows"):
        mixed(ClusterMoments.from_frame(FRAME, "y ~ x", "j"), None, random="x")  # type: ignore[call-overload]


def test_an_outcome_without_error() -> None:
    with pytest.raises(NotEstimable, match="predicted without error"):
        mixed(FRAME.assign(y=2 * FRAME["x"]), "y ~ x", "j", random="x")


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
