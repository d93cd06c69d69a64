"""Regression against R (lm, sandwich, clubSandwich, car); properties, edges, and what ignoring clusters costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from negstats.errors import DesignError, NotEstimable
from negstats.stats.relations.linear_model import regression
from negstats.stats.summaries import Moments
from tests.conftest import reference, runs

R: dict[str, Any] = reference("relations")
FRAMES = {name: pd.DataFrame(columns) for name, columns in R["frames"].items()}
MODELS = R["models"]


def rel(values: Any, tolerance: float = 1e-8) -> Any:
    return pytest.approx(np.asarray(values, dtype=float), rel=tolerance, abs=1e-10)


def name_of(case: dict[str, Any]) -> str:
    return f"{case['data']}: {case['formula']}"


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


D = {
    "x": [1.0, 2, 3, 5, 4, 7],
    "y": [2.0, 2, 5, 4, 9, 8],
    "two": [2.0, 4, 6, 10, 8, 14],
    "j": [1, 1, 2, 2, 3, 3],
    "one": [1] * 6,
}


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: regression(D, "y ~ x + two"), NotEstimable, "'two' follows from 'Intercept', 'x'"),
        (lambda: regression(D, "y ~ one"), NotEstimable, "'one' follows from"),
        (lambda: regression(D, "y ~ points"), DesignError, "no column 'points'"),
        (lambda: regression(D, "y ~ x +"), DesignError, "cannot be read|does not fit"),
        (lambda: regression(D, "y ~ x - 1"), DesignError, "leaves out the intercept"),
        (lambda: regression(D, "y ~ x", errors="CR2"), DesignError, "need a cluster"),
        (lambda: regression(D, "y ~ x", errors="CR2", cluster="one"), NotEstimable, "one cluster"),
        (lambda: regression(D, "y ~ x", errors="CR9"), DesignError, "errors is 'CR9'"),  # type: ignore[arg-type]
        (lambda: regression(D, outcome="y"), DesignError, "formula is not given"),
        (lambda: regression({"x": [1.0, 2], "y": [2.0, 1]}, "y ~ x"), NotEstimable, "needs more complete rows"),
        (lambda: regression(D, "y ~ x").test(["z"]), DesignError, "no coefficient 'z'"),
        (lambda: regression(D, "y ~ x").compare(regression(D, "y ~ two")), DesignError, "not nested"),
        (lambda: regression(D, "y ~ x", errors="CR1", cluster="j").test(), DesignError, "rejects too often"),
    ],
)
def test_what_a_researcher_gets_wrong_is_one_sentence(call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)


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
