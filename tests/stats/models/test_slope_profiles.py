"""Profile intervals, predictions and residuals of random slopes and nested intercepts, against R and their algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.errors import DesignError
from negstats.stats.models.estimators import EffectRows
from negstats.stats.models.mixed import mixed
from negstats.stats.models.mixed_model import MixedModel
from negstats.stats.results.result import Interval
from tests.conftest import reference
from tests.stats.closeness import agree
from tests.stats.models.data import three_groups

DESIGNS = {design["name"]: design for design in reference("slopes")["designs"]}
# R 4.2.2: criteria over dense matrices, and lme4 1.1-31.
CASES = reference("slopes_profile")


def fitted(name: str, reml: bool) -> tuple[pd.DataFrame, MixedModel]:
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
    frame, model = fitted(case["name"], case["reml"])
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


@pytest.mark.slow
@settings(max_examples=1)
@given(seed=st.integers(0, 100), unit=st.sampled_from([1e-4, 7.0, 1e4]))
def test_units_and_order_change_nothing(seed: int, unit: float) -> None:
    frame, model = fitted("slopes 5", True)
    moved = frame.sample(frac=1, random_state=seed).assign(
        x=lambda rows: unit * rows["x"], y=lambda rows: -2 * rows["y"]
    )
    design = DESIGNS["slopes 5"]
    other = mixed(moved, design["fixed"], random=design["random"])
    agree(np.multiply(ends(other.sd_interval("x")), unit / 2), ends(model.sd_interval("x")), rtol=1e-5)
    residuals = other.predictions(moved)["residual"].loc[frame.index]
    agree(residuals, -2 * model.predictions(frame)["residual"], rtol=1e-5, atol=1e-6)


def test_origins_of_slopes_change_no_prediction() -> None:
    frame, model = fitted("slopes 5", True)
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


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda model, _: model.sd_interval("z"), "'z' of any is not a term; there are Intercept, x of j"),
        (lambda model, _: model.sd_interval("x", "person"), "'x' of 'person' is not a term"),
        (lambda model, _: model.correlation_interval("x", "x"), "'x' and 'x' of any is not a term"),
        (lambda model, _: model.sd_interval("x", confidence_level=95), "level"),
        (lambda model, frame: model.predictions(frame.drop(columns="x")), "no column 'x'"),
        (lambda model, frame: model.predictions(frame.assign(a="new")), "has the level 'new'"),
    ],
)
def test_what_is_not_there_is_said(call: Any, words: str) -> None:
    frame = pd.DataFrame(DESIGNS["slopes 5"]["rows"])
    model = mixed(frame, "y ~ a + x", "j", random="x")
    with pytest.raises(DesignError, match=words):
        call(model, frame)
