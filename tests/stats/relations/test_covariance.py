"""Analysis of covariance against R (car, emmeans); its properties and edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.errors import DesignError, NotEstimable
from negstats.stats.relations.covariance import ancova
from negstats.stats.relations.linear_model import regression
from negstats.stats.summaries import Moments
from tests.conftest import reference

R: dict[str, Any] = reference("relations")
FRAMES = {"small": pd.DataFrame(R["small"]), "uneven": pd.DataFrame(R["frames"]["uneven"])}


def rel(values: Any, tolerance: float = 1e-8) -> Any:
    return pytest.approx(np.asarray(values, dtype=float), rel=tolerance, abs=1e-12)


@pytest.mark.parametrize("case", R["covariance"], ids=lambda case: f"{case['data']}-{case['covariates']}")
def test_ancova_agrees_with_r(case: dict[str, Any]) -> None:
    result = ancova(FRAMES[case["data"]], "y", "g", case["covariates"])
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
    result = ancova(FRAMES["small"], "y", "g", "x")
    assert result.slopes == rel([1.2966101694915])
    assert result.group.statistic == rel(0.2117691564)
    assert result.margins().mean == rel([19.8707627119, 19, 19.3792372881])
    assert result.margins().se == rel([0.9529610029, 0.9419386450, 0.9529610029])


def test_it_is_the_regression_on_groups_and_covariates_and_summary_equals_rows() -> None:
    frame = FRAMES["uneven"]
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


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"g": "a"}, DesignError, "one level"),
        ({"x": 3.0}, NotEstimable, "'x' does not vary inside the groups"),
        ({"x": list("abcdef")}, DesignError, "not numeric"),
        ({"g": list("abcdef")}, NotEstimable, "too few"),
    ],
)
def test_what_a_researcher_gets_wrong_is_one_sentence(change: Any, error: type[Exception], says: str) -> None:
    frame = pd.DataFrame({"x": [2.0, 4, 5, 7, 8, 9], "g": list("aabbcc"), "y": [10.0, 12, 11, 17, 15, 20]})
    with pytest.raises(error, match=says):
        ancova(frame.assign(**change), "y", "g", "x")
