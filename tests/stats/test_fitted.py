"""What every fitted model gives alike: labels, predictions, residuals, criteria; against R and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats import stats
from negstats.errors import DesignError
from negstats.stats import Moments
from tests.stats.models.test_one_design import EVERY, D, Fit, model_of

FORMULAS = ("x", "x + f", "x * f", "f * g", "x * g + f", "log(x + 10) * f", "poly(x, 2) + g", "center(x) * g")
WITHOUT_INTERCEPT = ("ordinal", "cox")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("terms", FORMULAS)
def test_every_model_names_its_terms_and_coefficients_alike(terms: str) -> None:
    """Of one formula all have the terms and the labels of the linear model; g[b] is b less the reference level."""
    linear = model_of("linear model", terms)
    for kind in EVERY:
        model = model_of(kind, terms)
        assert model.terms == linear.terms, kind
        assert model.names == linear.names[kind in WITHOUT_INTERCEPT :], kind
        assert list(model.coefficients.index) == list(model.names)
        assert model.tests()["term"].tolist() == list(model.terms), kind


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("kind", EVERY)
def test_every_model_has_the_same_columns(kind: str) -> None:
    model = model_of(kind, "x + f")
    table = model.to_frame()
    assert list(table)[:8] == ["term", "estimate", "se", "low", "high", "statistic", "df", "p"]
    assert table["term"].tolist() == list(model.names)


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("kind", EVERY)
def test_a_link_is_the_columns_times_the_coefficients_as_they_are_printed(kind: str) -> None:
    """By hand, of rows that are new: dummies against the reference level, numbers as they are given."""
    model = model_of(kind, "x * g + f")
    new = pd.DataFrame({"x": [2.0, 3.5, -1.0], "g": list("wuv"), "f": list("abb"), "who": ["p00"] * 3}, [7, 3, 9])
    hand = sum(
        model.coefficients.get(name, 0.0) * column
        for name, column in {
            "Intercept": 1.0, "x": new["x"], "f[b]": new["f"] == "b", "g[v]": new["g"] == "v", "g[w]": new["g"] == "w",
            "x:g[v]": new["x"] * (new["g"] == "v"), "x:g[w]": new["x"] * (new["g"] == "w"),
        }.items()
    )  # fmt: skip
    if kind in ("random intercept", "random slope"):
        own = model.predict(new, scale="fixed")
    elif kind in ("mixed", "mixed of counts"):
        own = model.predictions(new)["fixed"]
    else:
        own = model.predict(new, scale="link")
    if kind == "cox":  # relative to a unit at the mean of x and the reference levels
        hand = hand - model.coefficients["x"] * D["x"].mean()
    assert list(own.index) == [7, 3, 9]
    np.testing.assert_allclose(own, hand, rtol=1e-8)


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("kind", EVERY)
def test_the_reference_level_is_an_argument_too(kind: str) -> None:
    if kind == "firth":
        named: Any = stats.logistic(D, "yes ~ x + g", firth=True, reference={"g": "w"})
    else:
        fit: Fit = EVERY[kind]
        named = _with_reference(kind)
        assert named.p.tolist() == pytest.approx(fit(D, "x + C(g, contr.treatment('w'))").p.tolist(), rel=1e-9)
    assert named.names[-2:] == ("g[u]", "g[v]")


def _with_reference(kind: str) -> Any:
    options: dict[str, Any] = {"reference": {"g": "w"}}
    calls: dict[str, Any] = {
        "logistic": lambda: stats.logistic(D, "yes ~ x + g", **options),
        "poisson": lambda: stats.poisson(D, "count ~ x + g", **options),
        "negative binomial": lambda: stats.negative_binomial(D, "count ~ x + g", **options),
        "ordinal": lambda: stats.ordinal(D, "answer ~ x + g", **options),
        "gee": lambda: stats.gee(D, "yes ~ x + g", cluster="who", **options),
        "gee of counts": lambda: stats.gee(D, "count ~ x + g", cluster="who", family="poisson", **options),
        "mixed": lambda: stats.mixed(D, "yes ~ x + g + (1 | who)", family="binomial", nagq=9, **options),
        "mixed of counts": lambda: stats.mixed(D, "count ~ x + g + (1 | who)", family="poisson", nagq=9, **options),
        "cox": lambda: stats.cox(D, "x + g", "time", "ended", **options),
        "regression": lambda: stats.regression(D, "score ~ x + g", **options),
        "linear model": lambda: stats.linear_model(D, "score ~ x + g", **options),
        "random intercept": lambda: stats.mixed(D, "score ~ x + g", cluster="who", **options),
        "random slope": lambda: stats.mixed(D, "score ~ x + g + (1 + x | who)", **options),
    }
    return calls[kind]()


# R 4.2.2 (lm, glm, MASS::polr, survival::coxph with Efron's ties, lme4::lmer) of y ~ x * f: AIC, BIC, the first three
# predictions (type = "response") and the first residuals (response; martingale of coxph).
IN_R: dict[str, tuple[list[float], list[float], list[float]]] = {
    "linear model": (
        [557.4973976, 573.4621819],
        [0.3881704171, -1.169461733, -0.1603869923],
        [-0.8971278603, 0.473018585, 0.3042923862],
    ),
    "logistic": (
        [228.0052652, 240.7770926],
        [0.4165349597, 0.2881713459, 0.3689343756],
        [-0.4165349597, 0.7118286541, -0.3689343756],
    ),
    "poisson": (
        [565.1060674, 577.8778948],
        [2.105076792, 0.8213992866, 1.511226873],
        [0.8949232076, 0.1786007134, -1.511226873],
    ),
    "cox": ([1052.571935, 1061.265454], [], [0.2489021306, 0.7452736554, -0.04539142033]),
    "random intercept": ([554.7943919, 573.952133], [0.3453930333, -1.216550291, -0.2046826593], []),
}


@pytest.mark.parametrize("kind", IN_R)
def test_criteria_predictions_and_residuals_agree_with_r(kind: str) -> None:
    criteria, predictions, residuals = IN_R[kind]
    model = model_of(kind, "x * f")
    assert [model.aic, model.bic] == pytest.approx(criteria, rel=1e-8)
    assert model.predict().head(len(predictions)).tolist() == pytest.approx(predictions, rel=1e-6)
    assert model.residuals.head(len(residuals)).tolist() == pytest.approx(residuals, rel=1e-7)


def test_ordered_answers_and_ties_agree_with_r() -> None:
    answers = stats.ordinal(D, "answer ~ x * f")
    assert [answers.aic, answers.bic] == pytest.approx([408.643994, 427.8017352], rel=1e-8)
    # MASS::polr stops a few 1e-6 before the maximum.
    assert answers.predict().iloc[0].tolist() == pytest.approx([0.22035, 0.40050, 0.27303, 0.10612], abs=1e-5)
    tied = stats.cox(D.assign(time=D["time"].round(1)), "x * f", "time", "ended").residuals
    in_r = [0.2251194529, 0.7471013517, -0.09541123756, 0.7201643123, 0.7332823522]
    assert tied.head(5).tolist() == pytest.approx(in_r, rel=1e-7)


@pytest.mark.parametrize("kind", EVERY)
def test_predictions_keep_the_rows_of_the_frame(kind: str) -> None:
    """Of shuffled rows with gaps: each row has its own prediction, and a gap is missing, not left out."""
    model = model_of(kind, "x * f")
    shuffled = D.sample(frac=1, random_state=1)
    gaps = shuffled.assign(x=shuffled["x"].where(shuffled.index != shuffled.index[4]))
    if kind == "random intercept" or kind == "random slope":  # a cluster's effect is of the rows that are given
        own, new = model.predict(D, scale="fixed"), model.predict(gaps, scale="fixed")
    else:
        own, new = model.predict(), model.predict(gaps)
    assert list(new.index) == list(shuffled.index)
    missing = np.asarray(new.isna()).reshape(len(new), -1).all(axis=1)
    assert np.flatnonzero(missing).tolist() == [4]
    np.testing.assert_allclose(new[~missing], own.loc[new.index[~missing]], rtol=1e-9)


def test_without_a_term_the_sentence_has_the_intercept_with_the_level_that_is_asked_for() -> None:
    model = stats.gee(D, "yes ~ 1", cluster="who")
    ends = model.contrast({"Intercept": 1.0}).confidence_interval(0.9)
    assert f"90% CI [{float(ends.low):.2f}, {float(ends.high):.2f}]".replace("-", "−") in model.apa(0.9)


def test_moments_hold_no_rows_to_predict() -> None:
    model = stats.regression(Moments.from_columns(D, ["x", "score"]), outcome="score", predictors=["x"])
    rows = stats.regression(D, "score ~ x")
    np.testing.assert_allclose(model.predict(D), rows.predict(), rtol=1e-10)


@pytest.mark.parametrize("kind", EVERY)
def test_the_cells_of_every_model_are_compared(kind: str) -> None:
    """The difference of two levels at the mean of x is the effect that the term's test tests."""
    model = model_of(kind, "x * f")
    scale: dict[str, Any] = {"scale": "link"} if "mixed" in kind else {}
    pair = stats.pairwise(model, specs="f", adjust="none", **scale)
    effect = model.effect("f")
    assert float(pair.estimate[0]) == pytest.approx(-float(np.asarray(effect.estimate)), rel=1e-7)
    assert float(pair.p[0]) == pytest.approx(float(np.asarray(effect.p)), rel=1e-6)
    with pytest.raises(DesignError, match="'g' has 2 coefficients"):
        model_of(kind, "x + g").effect("g")
