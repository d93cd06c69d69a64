"""Numbers that mislead when two decimals are all that is printed: ratios for a step, bounds apart, powers of ten."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats import stats
from negstats.stats.equivalence import tost
from negstats.stats.results import apa
from negstats.stats.results.result import Interval
from tests.stats.models.test_one_design import RATIOS, D

FINITE = st.floats(-1e15, 1e15).filter(lambda value: value == 0 or abs(value) > 1e-12)


@given(low=FINITE, high=FINITE)
def test_ends_that_differ_are_printed_apart(low: float, high: float) -> None:
    low, high = sorted((low, high))
    text = Interval(low, high).apa()
    first, last = text.removeprefix("95% CI [").removesuffix("]").split(", ")
    if high - low > 1e-6 * max(abs(low), abs(high)) and first == last:
        pytest.fail(f"{low!r} and {high!r} are both {first}")
    assert len(text) < 60


@given(value=FINITE)
def test_no_number_has_more_than_nine_digits_before_the_point(value: float) -> None:
    assert max(map(len, re.findall(r"\d+", apa.number(value)))) <= 9


@given(logarithm=st.floats(-600, 1e4))
def test_a_ratio_beyond_all_floats_has_its_power_of_ten(logarithm: float) -> None:
    text = apa.ratio(logarithm)
    assert "∞" not in text
    if logarithm > 21:
        leading, _, power = text.partition(" × 10")
        exponent = int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
        assert np.log(float(leading)) + exponent * np.log(10) == pytest.approx(logarithm, abs=0.006)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("kind", [one for one in RATIOS if one != "negative binomial"])
def test_a_ratio_is_the_same_in_every_unit_of_the_covariate_and_its_step_is_said(kind: str, factor: float) -> None:
    """Of numbers that span 5 or more, in units a million times as large or as small."""
    plain = RATIOS[kind](D, "x").apa()
    scaled = RATIOS[kind](D.assign(x=D["x"] * factor), "x").apa()
    step = "" if factor == 1 else f" per {apa.step_text(factor)}"
    assert scaled.replace(step, "", 1) == plain
    assert step in scaled
    assert "∞" not in scaled


def test_a_ratio_is_for_the_distance_of_two_values() -> None:
    frame = D.assign(z=np.where(D["f"] == "b", 30.0, 10.0), b=(D["f"] == "b").astype(float))
    assert "OR per 20 = " in stats.logistic(frame, "yes ~ z").apa()
    by_dummy, by_price = (stats.logistic(frame, f"yes ~ {name}").apa() for name in ("b", "z"))
    assert by_dummy.partition("OR = ")[2] == by_price.partition("OR per 20 = ")[2]


def test_slopes_in_small_units_keep_their_digits() -> None:
    text = stats.regression(D.assign(x=D["x"] * 1e6), "score ~ x").apa()
    assert "[0.00, 0.00]" not in text
    assert re.search(r"b = [\d.]+ × 10⁻⁷, 95% CI \[[\d.]+ × 10⁻⁷, [\d.]+ × 10⁻⁷\]", text)


def test_bounds_of_equivalence_are_printed_apart() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"g": ["a", "b"] * 40, "y": rng.normal(0, 1e-4, 80)})
    text = tost(frame, "y", "g", bounds=0.001).apa()
    assert "the bounds [−0.0010, 0.0010]" in text


def test_a_kappa_without_a_test_says_why() -> None:
    ratings = pd.DataFrame({"A": ["x"] * 6, "B": list("xyxxyx")})
    text = stats.cohens_kappa(ratings, ["A", "B"]).apa()
    assert text.startswith("Cohen's κ = .00, not tested: a rater gave every unit the same category")
    assert "NA" not in text
