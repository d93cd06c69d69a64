"""What results share: corrections for several tests, noncentral intervals, frames, printed numbers."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import special
from scipy.optimize import elementwise

from negstats import stats
from negstats.stats import Interval, adjust, apa, t_test
from negstats.stats.equivalence import tost
from negstats.stats.results.intervals import t_noncentrality
from negstats.stats.results.multiplicity import METHODS
from tests.conftest import reference
from tests.stats.models.test_one_design import RATIOS, D

REFERENCE = reference("multiplicity")
IN_R = tuple(REFERENCE[0]["adjusted"])

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)
methods = st.sampled_from(tuple(METHODS))


@pytest.mark.parametrize("method", IN_R)
@pytest.mark.parametrize("family", REFERENCE, ids=lambda family: f"{len(family['p'])} tests")
def test_agrees_with_r(family: dict[str, Any], method: str) -> None:
    p = np.array(family["p"], dtype=np.float64)  # null becomes NaN
    result = adjust(p, method)
    assert_allclose(result.p_adjusted, np.array(family["adjusted"][method], dtype=np.float64), rtol=1e-12)
    assert result.counted == (~np.isnan(p)).sum()
    assert result.names == tuple(map(str, range(1, len(p) + 1)))


@pytest.mark.parametrize("p", [[0.01, 0.2, 0.03], [0.5]])
def test_sidak_is_what_it_should_be_for_independent_tests(p: list[float]) -> None:
    m = len(p)
    assert_allclose(adjust(p, "sidak").p_adjusted, [1 - (1 - one) ** m for one in p], rtol=1e-12)
    order = np.argsort(p)
    stepped = np.maximum.accumulate([1 - (1 - p[i]) ** (m - step) for step, i in enumerate(order)])
    assert_allclose(adjust(p, "holm-sidak").p_adjusted[order], stepped, rtol=1e-12)


@given(p_values, methods)
def test_never_smaller_and_in_the_same_order(p: list[float], method: str) -> None:
    adjusted = adjust(p, method).p_adjusted
    assert np.all(adjusted >= p)
    assert np.all(adjusted <= 1)
    assert np.all(np.diff(adjusted[np.argsort(p)]) >= -1e-15)


@given(p_values, methods, st.randoms(use_true_random=False))
def test_the_order_of_the_tests_does_not_matter(p: list[float], method: str, random: Any) -> None:
    order = list(range(len(p)))
    random.shuffle(order)
    assert_allclose(adjust([p[i] for i in order], method).p_adjusted, adjust(p, method).p_adjusted[order], rtol=1e-12)


@given(p_values, methods, st.integers(1, 3))
def test_missing_tests_are_not_counted(p: list[float], method: str, gone: int) -> None:
    result = adjust([*p, *[float("nan")] * gone], method)
    assert_allclose(result.p_adjusted[: len(p)], adjust(p, method).p_adjusted)
    assert np.all(np.isnan(result.p_adjusted[len(p) :]))
    assert result.counted == len(p)
    assert not result.significant(0.9999)[len(p) :].any()


def test_results_carry_names_and_the_method() -> None:
    tests = {
        "points": t_test({"a": [5, 7, 6, 9, 8], "b": [3, 5, 4, 4]}),
        "rounds": t_test({"a": [5, 7, 6, 9, 8], "b": [6, 5, 9, 4]}),
    }
    result = adjust(tests, "bonferroni")
    frame = result.to_frame()
    assert list(frame.columns) == ["test", "p", "p_adjusted", "adjust"]
    assert list(frame["test"]) == ["points", "rounds"]
    assert_allclose(frame["p_adjusted"], np.minimum(1, 2 * frame["p"]))
    assert set(frame["adjust"]) == {"bonferroni"}
    assert result.apa() == "points: p = .020, rounds: p = .942 (Bonferroni, 2 tests)"
    assert adjust(list(tests.values())).names == ("1", "2")
    assert adjust([SimpleNamespace(p=0.3, name="a - b"), SimpleNamespace(p=0.2, term="a:b")]).names == ("a - b", "a:b")
    assert adjust(pd.Series({"x": 0.2, "y": 0.3})).names == ("x", "y")


def test_a_stack_is_corrected_study_by_study() -> None:
    p = np.random.default_rng(5).random((4, 3))
    result = adjust(p)
    assert_allclose(result.p_adjusted, [adjust(study).p_adjusted for study in p])
    assert len(result.to_frame()) == 12
    columns = adjust([SimpleNamespace(p=p[:, i]) for i in range(3)])
    assert_allclose(columns.p_adjusted, result.p_adjusted)


@pytest.mark.parametrize(
    ("t", "df", "confidence_level"), [(95.71088868682659, 2, 0.999), (16.550553729707293, 2, 0.999), (22.2, 2, 0.9)]
)
def test_ends_beyond_where_the_series_of_the_noncentral_t_ends(t: float, df: float, confidence_level: float) -> None:
    low, high = t_noncentrality([t, -t], df, confidence_level)
    assert low[0] < t < high[0]
    assert (low[1], high[1]) == (-high[0], -low[0])
    assert special.nctdtr(df, high[0], t) == pytest.approx((1 - confidence_level) / 2, rel=1e-9)
    assert special.nctdtr(df, -low[0], -t) == pytest.approx((1 - confidence_level) / 2, rel=1e-9)


@pytest.mark.parametrize("t", [3001.0, 2e4, 1e7])
@pytest.mark.parametrize("df", [5.0, 40.0])
def test_ends_of_very_large_t_have_the_chances_that_they_say(t: float, df: float) -> None:
    """P(T >= t) is the mean over normal Z of the chance that χ²/df is at most ((δ + Z)/t)²."""
    z, weight = np.polynomial.hermite_e.hermegauss(60)
    weight = weight / weight.sum()
    low, high = (float(end) for end in t_noncentrality(t, df))
    at_least = weight @ scipy.stats.chi2.cdf(df * ((low + z) / t) ** 2, df)
    at_most = weight @ scipy.stats.chi2.sf(df * ((high + z) / t) ** 2, df)
    np.testing.assert_allclose([at_least, at_most], 0.025, rtol=1e-9)


def test_each_end_of_the_interval_of_t_is_searched_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    find_root, sizes = elementwise.find_root, []

    def counted(*arguments: Any, **options: Any) -> Any:
        sizes.append(len(arguments[1][0]))
        return find_root(*arguments, **options)

    monkeypatch.setattr(elementwise, "find_root", counted)
    low, high = t_noncentrality([2.5, -1.5, 3.0], 20)
    assert sum(sizes) == 6
    np.testing.assert_array_equal([low, high], np.transpose([t_noncentrality(t, 20) for t in (2.5, -1.5, 3.0)]))


@pytest.mark.slow
def test_scipy_optimize_is_imported_with_the_first_interval_of_an_effect_size_only() -> None:
    """It takes as long to import as a third of a command's libraries, so loading, describing and testing do without."""
    code = """
import sys, negstats
import negstats.analysis.compare, negstats.stats.contrasts.contrast, negstats.stats.models.mixed_model
negstats.load("datasets/sample").players
test = negstats.stats.t_test({"a": [5.0, 7, 6, 9], "b": [4.0, 4, 6, 3]})
print(test.p < 1, test.confidence_interval().low < test.difference, "scipy.optimize" in sys.modules)
test.effect_size().confidence_interval()
print("scipy.optimize" in sys.modules)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.stdout.split() == ["True", "True", "False", "True"], process.stderr


@pytest.mark.parametrize(("value", "inside"), [(1.9, False), (2.0, True), (2.5, True), (3.0, True), (3.1, False)])
def test_both_ends_bound_an_interval(value: float, inside: bool) -> None:
    assert (value in Interval(2.0, 3.0)) is inside


def test_several_intervals_are_printed_each() -> None:
    assert Interval(np.array([1.0, 2.0]), np.array([3.0, 4.0])).apa() == "95% CI [1.00, 3.00]; 95% CI [2.00, 4.00]"


SAMPLES = {"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4, 6], "envious": [4, 4, 5, 6, 3]}
TWO = {level: SAMPLES[level] for level in ("fair", "selfish")}
STACK = {"a": np.arange(600.0).reshape(60, 10) % 7, "b": np.arange(600.0).reshape(60, 10) % 5}
RESULTS: dict[str, Callable[[], Any]] = {
    "t": lambda: stats.t_test(TWO),
    "anova": lambda: stats.anova(SAMPLES),
    "contrasts": lambda: stats.pairwise(SAMPLES, specs="group"),
    "ranks": lambda: stats.mann_whitney(TWO),
    "friedman": lambda: stats.friedman(SAMPLES),
    "counts": lambda: stats.chi_squared([[5, 91], [19, 78]]),
    "models": lambda: stats.all_models([[[48, 28], [29, 20]], [[114, 10], [7, 14]]]),
    "permutation": lambda: stats.permutation_test(TWO, rng=np.random.default_rng(1)),
    "stack": lambda: stats.t_test(STACK),
}


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_in_a_few_lines(name: str) -> None:
    shown = repr(RESULTS[name]())
    assert "array(" not in shown
    assert len(shown.splitlines()) <= 12
    ending = "a stack of studies" if name == "stack" else RESULTS[name]().apa()
    assert ending in shown


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
