"""Polychoric correlations against R (mvtnorm, polycor), their algebra and edges; intervals of omega against lavaan."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.errors import DesignError, NotEstimable
from negstats.stats import Counts, Moments, omega, polychoric
from negstats.stats.relations.polychoric import compute_below
from tests.conftest import reference, runs

R: dict[str, Any] = reference("scales")


def near(value: Any, tolerance: float = 1e-8) -> Any:
    return pytest.approx(np.asarray(value, dtype=float), rel=tolerance, abs=tolerance / 10)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("case", R["polychorics"], ids=lambda case: case["name"])
def test_polychoric_agrees_with_r(case: dict[str, Any]) -> None:
    result = polychoric(case["table"])
    assert (result.estimate, result.se) == (near(case["r"]), near(case["se"]))
    assert result.rows == near(np.ravel(case["rows"]))
    assert result.columns == near(np.ravel(case["columns"]))
    assert result.log_likelihood == near(case["loglik"], 1e-11)
    assert result.statistic == near(2 * (case["loglik"] - case["independent"]), 1e-9)
    ends = result.confidence_interval()
    assert [ends.low, ends.high] == near([case["low"], case["high"]])
    two = polychoric(case["table"], method="two-step")
    assert (two.estimate, two.se) == (near(case["two"]), near(case["two_se"], 1e-6))
    # polycor's optimiser stops in the fourth digit, and its error is from the observed information
    assert [result.estimate, result.se] == near(case["polycor"], 1e-2)
    assert two.estimate == near(case["polycor_two"], 1e-3)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-0.98, 0.98))
def test_normal_areas_are_those_of_scipy(h: float, k: float, r: float) -> None:
    area = stats.multivariate_normal.cdf([h, k], cov=[[1, r], [r, 1]])
    assert float(compute_below(np.array(h), np.array(k), r)) == pytest.approx(area, abs=1e-8)


@pytest.mark.slow
@settings(max_examples=12)
@given(st.lists(st.integers(1, 30), min_size=12, max_size=12))
def test_turning_the_table_turns_the_sign(numbers: list[int]) -> None:
    n = np.array(numbers, dtype=float).reshape(3, 4)
    one, turned, flipped = (polychoric(table) for table in (n, n.T, n[::-1]))
    assert turned.estimate == near(one.estimate, 1e-7)
    assert flipped.estimate == near(-one.estimate, 1e-7)
    assert flipped.rows == near(-one.rows[::-1], 1e-7)
    assert (turned.se, flipped.se) == (near(one.se, 1e-7), near(one.se, 1e-7))
    # counts ten times as large: the same correlation, an error √10 times smaller
    assert polychoric(10 * n).se == near(one.se / np.sqrt(10), 1e-7)


def test_a_table_that_two_normal_variables_give_has_their_correlation() -> None:
    cuts = [-np.inf, -0.5, 0.4, 1.2, np.inf]
    below = np.array([[compute_below(np.array(a), np.array(b), 0.6) for b in cuts] for a in cuts], dtype=float)
    n = 1000 * np.diff(np.diff(below, axis=0), axis=1)
    for method in ("ml", "two-step"):
        result = polychoric(n, method=method)
        assert (result.estimate, result.rows) == (near(0.6), near(cuts[1:-1]))
    assert polychoric(n).fit().statistic == pytest.approx(0.0, abs=1e-9)
    assert polychoric(n).fit().df == 16 - 8


def test_rows_and_summaries_are_one() -> None:
    frame = pd.DataFrame({"a": [1, 1, 2, 3, 3, 2, 1, 2, 3, 1], "b": [1, 2, 2, 3, 2, 1, 1, 3, 3, None]})
    one = polychoric(frame, ["a", "b"])
    assert (one.n, one.missing) == (9.0, 1)
    for source in (Counts.from_frame(frame, ["a", "b"]), pd.crosstab(frame["a"], frame["b"])):
        assert polychoric(source).estimate == near(one.estimate, 1e-12)
    assert one.to_frame()["estimate"].to_list() == [one.estimate]


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        ([[30, 0], [12, 40]], NotEstimable, "grows up to a correlation of 1 or −1"),
        ([[5, 0, 0], [0, 5, 0], [0, 0, 5]], NotEstimable, "grows up to"),
        ([[1, 2], [0, 0]], NotEstimable, "no observation"),
        ([[1, 2, 3]], DesignError, "one level"),
        (Counts.from_table([[[1, 2], [2, 1]]] * 2, stacked=1), DesignError, "takes one table"),
    ],
)
@pytest.mark.parametrize("method", ["ml", "two-step"])
def test_tables_without_a_correlation_say_why(table: Any, error: type[Exception], words: str, method: Any) -> None:
    with pytest.raises(error, match=words):
        polychoric(table, method=method)


def test_text_has_no_order() -> None:
    frame = pd.DataFrame({"a": list("xyzxyzxyzz"), "b": [1, 2, 1, 2, 2, 2, 1, 1, 2, 2]})
    with pytest.raises(DesignError, match="levels of 'a' are text without an order"):
        polychoric(frame, ["a", "b"])
    few = polychoric([[1, 1], [1, 1]])
    assert few.estimate == pytest.approx(0.0, abs=1e-12)
    assert np.isnan(few.fit().p)


@pytest.mark.calibration
def test_polychoric_intervals_cover() -> None:
    rng = np.random.default_rng(5)
    studies, hits, away = runs(4000, 20), np.zeros(2), 0.0
    for _ in range(studies):
        both = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 150)
        table = np.histogram2d(both[:, 0], both[:, 1], bins=[[-9, -0.6, 0.5, 9], [-9, -0.3, 0.8, 9]])[0]
        for place, method in enumerate(("ml", "two-step")):
            ends = polychoric(table, method=method).confidence_interval()  # type: ignore[arg-type]
            hits[place] += ends.low <= 0.5 <= ends.high
        away += np.corrcoef(np.digitize(both[:, 0], [-0.6, 0.5]), np.digitize(both[:, 1], [-0.3, 0.8]))[0, 1] / studies
    assert np.abs(hits / studies - 0.95).max() < 0.01 + 3 * np.sqrt(0.95 * 0.05 / studies)
    assert away < 0.45  # Pearson's r of the answers is too small


@pytest.mark.slow
@pytest.mark.parametrize("case", R["omegas"], ids=lambda case: f"{len(case['items'])} items")
def test_the_error_of_omega_is_lavaans(case: dict[str, Any]) -> None:
    names = list(case["items"])
    result = omega(case["items"], names)
    assert (result.omega, result.se) == (near(case["omega"], 1e-6), near(case["se"], 1e-6))
    ends = result.confidence_interval()
    assert ends.low < result.omega < ends.high


@pytest.mark.nightly
@pytest.mark.parametrize("case", R["omegas"], ids=lambda case: f"{len(case['items'])} items")
def test_the_interval_of_omega_by_resampling_is_near_that_of_its_error(case: dict[str, Any]) -> None:
    result = omega(case["items"], list(case["items"]))
    drawn, again = (result.confidence_interval(rng=np.random.default_rng(1), n_resamples=100) for _ in range(2))
    assert drawn == again
    assert abs(float(drawn.low) - float(result.confidence_interval().low)) < 0.1


@pytest.mark.slow
def test_omega_of_moments_and_at_its_bound() -> None:
    case = R["omegas"][1]
    names, items = list(case["items"]), case["items"]
    moments = Moments.from_array(np.column_stack(list(items.values())), names)
    by_sums = omega(moments, names)
    assert by_sums.se == near(omega(items, names).se, 1e-6)
    with pytest.raises(NotEstimable, match="moments have none"):
        by_sums.confidence_interval(rng=np.random.default_rng(1))
    bound = omega({"a": [4, 6, 3, 5, 7, 3, 5], "b": [5, 5, 2, 6, 6, 3, 4], "c": [3, 6, 3, 5, 7, 1, 5]}, ["a", "b", "c"])
    assert np.isnan(bound.se)
    with pytest.raises(NotEstimable, match="unique variance of a is at its bound"):
        bound.confidence_interval()
    drawn = bound.confidence_interval(rng=np.random.default_rng(1), n_resamples=100)
    assert 0 < drawn.low < drawn.high <= 1


@pytest.mark.calibration
def test_intervals_of_omega_cover() -> None:
    rng = np.random.default_rng(2)
    studies, hits, bound = runs(4000, 60), 0.0, 0
    loadings = np.array([0.8, 0.7, 0.6, 0.7])
    truth = loadings.sum() ** 2 / (loadings.sum() ** 2 + (1 - loadings**2).sum())
    for _ in range(studies):
        rows = rng.normal(size=(80, 1)) * loadings + rng.normal(size=(80, 4)) * np.sqrt(1 - loadings**2)
        result = omega(Moments.from_array(rows, list("abcd")), list("abcd"))
        if result.heywood:  # says so, and has no interval
            bound += 1
            continue
        ends = result.confidence_interval()
        hits += ends.low <= truth <= ends.high
    assert bound < 0.05 * studies
    assert abs(hits / (studies - bound) - 0.95) < 0.01 + 3 * np.sqrt(0.95 * 0.05 / studies)


@pytest.mark.parametrize(("confidence_level", "z"), [(0.95, 1.959963984540054), (0.9, 1.6448536269514722)])
def test_the_interval_of_two_steps_is_that_of_fishers_z(confidence_level: float, z: float) -> None:
    result = polychoric([[20, 8, 3], [6, 15, 9], [2, 7, 18]], method="two-step")
    interval = result.confidence_interval(confidence_level)
    reach = z * result.se / (1 - result.estimate**2)
    ends = [np.arctanh(float(end)) - np.arctanh(result.estimate) for end in (interval.low, interval.high)]
    np.testing.assert_allclose(ends, [-reach, reach], rtol=1e-9)
