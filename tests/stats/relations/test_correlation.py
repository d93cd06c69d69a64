"""Correlations against R: of two variables, their differences and matrices, and of ordered answers."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.stats import Counts, omega, polychoric
from negstats.stats.relations.clustered import repeated_correlation
from negstats.stats.relations.correlation import correlation, kendall_variance, semipartial
from negstats.stats.relations.differences import correlations, dependent_correlations, independent_correlations
from negstats.stats.relations.exact import kendall_distribution
from negstats.stats.relations.polychoric import compute_below
from negstats.stats.summaries import Moments
from tests.conftest import reference, runs
from tests.stats.closeness import name_of, rel

R: dict[str, Any] = reference("relations")
SIDES = ("two-sided", "greater", "less")


@pytest.mark.parametrize("case", R["correlations"], ids=name_of)
def test_correlations_agree_with_r(case: dict[str, Any]) -> None:
    result = correlation(
        R["samples"][case["sample"]],
        case["x"],
        case["y"],
        method=case["kind"],
        alternative=case["alternative"].replace(".", "-"),
        exact={"auto": None, "exact": True, "asymptotic": False}[case["method"]],
    )
    assert (result.r, result.p) == (rel(case["r"]), rel(case["p"]))
    if "statistic" in case:
        assert result.statistic == rel(case["statistic"])
    if "low" in case:
        interval = result.confidence_interval(0.9)
        assert (interval.low, interval.high) == (rel(case["low"]), rel(case["high"]))


@pytest.mark.parametrize("case", R["spearman_exact"], ids=name_of)
def test_spearmans_exact_p_agrees_with_r(case: dict[str, Any]) -> None:
    side = case["alternative"].replace(".", "-")
    result = correlation(R["seven"], "x", "y", method="spearman", alternative=side)
    assert (result.distribution, result.p) == ("exact", rel(case["p"]))


@pytest.mark.parametrize("case", R["partials"], ids=name_of)
def test_partial_and_semipartial_agree_with_regressions_in_r(case: dict[str, Any]) -> None:
    data = R["samples"][case["sample"]]
    partial = correlation(data, "x", "y", controlling=case["controls"])
    semi = semipartial(data, "x", "y", controlling=case["controls"])
    assert (partial.r, semi.r) == (rel(case["partial"]), rel(case["semi"]))
    for result in (partial, semi):
        assert (result.statistic, result.p) == (rel(case["t"]), rel(case["p"]))


@pytest.mark.parametrize("case", R["differences"], ids=name_of)
def test_differences_of_dependent_correlations_agree_with_r(case: dict[str, Any]) -> None:
    data = R["samples"][case["sample"]]
    result = dependent_correlations(data, case["first"], case["second"], method=case["method"])
    # psych gives |z|
    assert (abs(result.statistic), result.p) == (rel(abs(float(case["z"]))), rel(case["p"]))
    if "low" in case:
        interval = result.confidence_interval()
        assert (interval.low, interval.high) == (rel(case["low"]), rel(case["high"]))


@pytest.mark.parametrize("case", R["independent"], ids=lambda case: f"{case['r1']}-{case['r2']}")
def test_differences_of_independent_correlations_agree_with_r(case: dict[str, Any]) -> None:
    result = independent_correlations((case["r1"], case["n1"]), (case["r2"], case["n2"]))
    assert (abs(result.statistic), result.p) == (rel(case["z"]), rel(case["p"]))
    assert np.sign(result.statistic) == np.sign(case["r1"] - case["r2"])


def test_repeated_correlation_agrees_with_the_analysis_of_covariance_in_r() -> None:
    case = R["rmcorr"]
    result = repeated_correlation(case["data"], "x", "y", subject="who")
    interval = result.confidence_interval()
    assert (result.r, result.df, result.p) == (rel(case["r"]), case["df"], rel(case["p"]))
    assert (interval.low, interval.high) == (rel(case["low"]), rel(case["high"]))


@pytest.mark.parametrize("case", R["matrix"], ids=name_of)
def test_corrected_p_of_a_matrix_agree_with_psych(case: dict[str, Any]) -> None:
    adjust = {"BH": "fdr_bh"}.get(case["adjust"], case["adjust"])
    matrix = correlations(R["samples"]["drawn"], ["x", "z", "y", "w"], adjust=adjust)
    # psych puts the corrected p above the diagonal; R counts down the columns
    assert matrix.p_adjusted.T[np.tril_indices(4, -1)].tolist() == [rel(p) for p in case["p"]]


def test_the_worked_example() -> None:
    # x, z, y of twelve units; checked by R and by a second program
    data = R["samples"]["small"]
    result = correlation(data, "x", "y")
    interval = result.confidence_interval()
    assert (result.r, interval.low, interval.high) == (rel(0.969073550647), rel(0.8903334364), rel(0.9915318667))
    assert correlation(data, "x", "y", controlling="z").r == rel(0.9882489484896)
    semi = semipartial(data, "x", "y", controlling="z")
    assert (semi.r, semi.r**2) == (
        rel(0.9076719233434),
        rel(0.9802906376841 - 0.9391035465635 + 0.0 + _without_x(data)),
    )


def _without_x(data: dict[str, Any]) -> float:
    """Return what makes ΔR² that of x over z instead of z over x."""
    return float(correlation(data, "x", "y").r ** 2 - correlation(data, "z", "y").r ** 2)


# Exact p with ties: every pairing is formed here one by one. ---------------------------------------------------------

tied = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=3, max_size=6)


@pytest.mark.slow
@given(tied)
@settings(max_examples=25)
def test_exact_p_with_ties_counts_all_pairings(rows: list[tuple[int, int]]) -> None:
    a, b = np.array(rows, dtype=float).T
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return
    orders = [list(order) for order in permutations(range(len(a)))]

    def concordance(y: Any) -> float:
        return float((np.sign(np.subtract.outer(a, a)) * np.sign(np.subtract.outer(y, y))).sum())

    ranks = stats.rankdata(b)
    products = {
        "kendall": (concordance(b), [concordance(b[order]) for order in orders]),
        "spearman": (
            float(np.cov(stats.rankdata(a), ranks)[0, 1]),
            [float(np.cov(stats.rankdata(a), ranks[order])[0, 1]) for order in orders],
        ),
    }
    for kind, (product, every) in products.items():
        for side in SIDES:
            result = correlation({"a": a, "b": b}, "a", "b", method=kind, alternative=side, exact=True)  # type: ignore[arg-type]
            hits = {
                "two-sided": np.abs(every) >= abs(product) - 1e-9,
                "greater": np.array(every) >= product - 1e-9,
                "less": np.array(every) <= product + 1e-9,
            }[side]
            assert result.p == rel(np.mean(hits))


@pytest.mark.parametrize(
    ("first", "second"), [([1] * 30, [1] * 30), ([7, 9, 4], [1] * 20), ([3, 5, 4], [6, 6]), ([2, 1, 6, 1], [4, 3, 3])]
)
def test_the_exact_distribution_has_kendalls_variance(first: list[int], second: list[int]) -> None:
    s, p = kendall_distribution(first, second)
    n, t, u = sum(first), np.array(first, dtype=float), np.array(second, dtype=float)
    assert p.sum() == rel(1)
    assert s @ p == pytest.approx(0, abs=1e-9)
    assert s**2 @ p == rel(kendall_variance(n, t, u))


# Properties ----------------------------------------------------------------------------------------------------------

numbers = st.lists(st.floats(-50, 50).map(lambda x: round(x, 2)), min_size=12, max_size=12)


@pytest.mark.slow
@given(numbers, numbers, numbers)
def test_sign_and_side(x: list[float], y: list[float], z: list[float]) -> None:
    frame = pd.DataFrame({"x": x, "y": y, "z": z})
    if (frame.std() < 1).any():
        return
    if np.linalg.cond(frame.corr()) > 1e6:
        return
    moved = pd.DataFrame({"y": frame["y"], "z": frame["z"], "x": -frame["x"]})
    for controls in ((), ("z",)):
        here, result = (
            correlation(frame, "x", "y", controlling=controls),
            correlation(moved, "y", "x", controlling=controls),
        )
        assert result.r == pytest.approx(-here.r, abs=1e-9)
        assert result.p == pytest.approx(here.p, abs=1e-9)
        low, high = here.confidence_interval().low, here.confidence_interval().high
        assert low <= here.r <= high
        greater = correlation(frame, "x", "y", controlling=controls, alternative="greater").p
        less = correlation(frame, "x", "y", controlling=controls, alternative="less").p
        assert greater + less == pytest.approx(1)
        assert min(greater, less) * 2 == pytest.approx(here.p)


def test_summary_and_engine_agree_with_rows() -> None:
    data = R["samples"]["drawn"]
    rows = pd.DataFrame(data)
    whole = correlation(rows, "x", "y", controlling="w")
    moments = Moments.from_columns(rows, ["w", "y", "x"])
    for source in (moments, pl.DataFrame(data), data):
        other = correlation(source, "x", "y", controlling="w")
        assert (other.r, other.p, other.n) == (rel(whole.r), rel(whole.p), whole.n)
    assert semipartial(moments, "x", "y", controlling="w").r == rel(semipartial(rows, "x", "y", controlling="w").r)


def test_a_shared_variable_is_found_wherever_it_stands() -> None:
    data = R["samples"]["drawn"]
    for method in ("steiger", "meng"):
        results = [
            dependent_correlations(data, first, second, method=method)
            for first in (("y", "x"), ("x", "y"))
            for second in (("y", "z"), ("z", "y"))
        ]
        assert [one.statistic for one in results] == [rel(results[0].statistic)] * 4
        back = dependent_correlations(data, ("y", "z"), ("y", "x"), method=method)
        assert back.statistic == rel(-results[0].statistic)
        assert back.confidence_interval().low == rel(-results[0].confidence_interval().high)


def test_as_published() -> None:
    # Zou (2007), example: 66 units, r = .396 and .179 that share a variable, .088 between the others: −.093 to .517.
    table = [[1, 0.396, 0.179], [0.396, 1, 0.088], [0.179, 0.088, 1]]
    printed = Moments.from_table(n=66, mean=[0, 0, 0], sd=1, correlation=table, variables=["a", "b", "c"])
    gap = dependent_correlations(printed, ("a", "b"), ("a", "c"))
    ends = gap.confidence_interval()
    assert ends.low == pytest.approx(-0.093, abs=5e-4)
    assert ends.high == pytest.approx(0.517, abs=5e-4)
    # His formula of the correlation of the two (p. 410), by hand: .0526; Cohen's q with its normal interval follows.
    of_both = (0.088 - 0.396 * 0.179 / 2) * (1 - 0.396**2 - 0.179**2 - 0.088**2) + 0.088**3
    se = np.sqrt(2 * (1 - of_both / ((1 - 0.396**2) * (1 - 0.179**2))) / 63)
    q, interval = np.arctanh(0.396) - np.arctanh(0.179), gap.effect_size().confidence_interval()
    assert interval.low == rel(q - 1.959963984540054 * se)
    assert interval.high == rel(q + 1.959963984540054 * se)


def test_results_are_printed_and_framed() -> None:
    data = R["samples"]["small"]
    assert correlation(data, "x", "y").effect_size().apa() == "r = .97, 95% CI [.89, .99]"
    assert correlation(data, "x", "y", controlling="z").apa().startswith("partial r(9) = .99, p < .001")
    assert correlation(data, "x", "z", method="kendall").apa().startswith("τ_b(N = 12) = .45, p = .051")
    matrix = correlations(data, ["x", "y", "z"])
    assert matrix.apa().endswith("(Holm, 3 tests)")
    assert list(matrix.to_frame().columns[:5]) == ["x", "y", "r", "low", "high"]
    assert matrix["y", "x"].r == matrix.r[0, 1]
    gap = independent_correlations(correlation(data, "x", "y"), (0.2, 30))
    assert gap.effect_size().value == rel(np.arctanh(0.969073550647) - np.arctanh(0.2))
    assert gap.apa().startswith("z = ")
    assert correlation(data, "x", "y").bayes_factor() > 1000


# Edges ---------------------------------------------------------------------------------------------------------------


def test_a_perfect_correlation_has_no_interval() -> None:
    result = correlation({"x": [0.1, 0.2, 0.3, 0.7], "y": [1.3, 1.6, 1.9, 3.1]}, "x", "y")
    assert (result.r, result.statistic, result.p) == (1.0, np.inf, 0.0)
    assert np.isnan(result.confidence_interval().low)
    assert result.apa() == "r(2) = 1.00, p < .001, 95% CI [NA, NA]"


def test_missing_rows_are_counted_and_pairwise_keeps_more() -> None:
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 6], "y": [2, None, 5, 4, 9], "z": [None, 2, 1, 7, 5]})
    assert (correlation(frame, "x", "y").n, correlation(frame, "x", "y").missing) == (4, 1)
    assert correlations(frame, ["x", "y", "z"]).n[0, 1] == 3
    assert correlations(frame, ["x", "y", "z"], missing="pairwise").n[0, 1] == 4


# Size and cover ------------------------------------------------------------------------------------------------------


def drawn(rng: np.random.Generator, n_simulations: int, n: int, table: Any) -> Moments:
    names = list("xyzw")[: len(table)]
    return Moments.from_array(rng.multivariate_normal(np.zeros(len(table)), table, (n_simulations, n)), names)


@pytest.mark.calibration
@pytest.mark.parametrize("n", [6, 12, 30])
def test_size_and_cover(n: int) -> None:
    rng, studies = np.random.default_rng([7, n]), runs(20_000, 2_000)
    error = 4 * np.sqrt(0.05 * 0.95 / studies)
    null = drawn(rng, studies, n, [[1, 0, 0.5], [0, 1, 0], [0.5, 0, 1]])
    for result in (correlation(null, "x", "y"), correlation(null, "x", "y", controlling="z")):
        assert np.mean(np.asarray(result.p) <= 0.05) == pytest.approx(0.05, abs=error)
    true = drawn(rng, studies, n, [[1, 0.6], [0.6, 1]])
    ends = correlation(true, "x", "y").confidence_interval()
    assert np.mean((np.asarray(ends.low) <= 0.6) & (np.asarray(ends.high) >= 0.6)) == pytest.approx(
        0.95, abs=error + 0.01
    )


@pytest.mark.parametrize("controls", [["z"], ["z", "w"]], ids=len)
def test_semipartial_intervals_have_the_width_of_the_delta_method(controls: list[str]) -> None:
    """Of normal values n Cov(s_ij, s_kl) = s_ik s_jl + s_il s_jk: a slope G of r gives n Var(r) = 2 tr(G S G S)."""
    rng, n = np.random.default_rng(3), 60
    names = ["x", "y", *controls]
    values = rng.normal(size=(n, 4)) @ (np.eye(4) + rng.uniform(0, 0.7, (4, 4)))
    data = dict(zip(["x", "y", "z", "w"], values.T, strict=True))
    covariance = np.cov([data[name] for name in names])

    def of(s: Any) -> float:
        weights = np.linalg.solve(s[2:, 2:], s[2:, 0])  # what the controls predict of x is removed from x alone
        return float((s[0, 1] - weights @ s[2:, 1]) / np.sqrt((s[0, 0] - weights @ s[2:, 0]) * s[1, 1]))

    slope = np.zeros_like(covariance)
    for i, j in np.ndindex(*slope.shape):
        step = np.zeros_like(slope)
        step[i, j] += 5e-6
        step[j, i] += 5e-6
        slope[i, j] = (of(covariance + step) - of(covariance - step)) / 2e-5
    result = semipartial(data, "x", "y", controlling=controls)
    assert result.r == rel(of(covariance))
    spread = np.sqrt(2 * np.trace(slope @ covariance @ slope @ covariance)) / (1 - result.r**2)
    ends = result.confidence_interval()
    half = (np.arctanh(ends.high) - np.arctanh(ends.low)) / 2
    assert half == rel(stats.norm.ppf(0.975) * spread / np.sqrt(n - 3 - len(controls)), 1e-5)


@pytest.mark.calibration
def test_semipartial_intervals_cover() -> None:
    rng, studies = np.random.default_rng(8), runs(20_000, 2_000)
    table = np.array([[1, 0.5, 0.4], [0.5, 1, 0.3], [0.4, 0.3, 1]])
    value = (0.5 - 0.4 * 0.3) / np.sqrt(1 - 0.4**2)
    ends = semipartial(drawn(rng, studies, 40, table), "x", "y", controlling="z").confidence_interval()
    inside = (np.asarray(ends.low) <= value) & (np.asarray(ends.high) >= value)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)


def test_a_small_correlation_is_not_printed_as_zero() -> None:
    """Its interval excludes 0, so two decimals would print [.00, .00]."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=10**6)
    test = correlation({"x": x, "y": 0.002 * x + rng.normal(size=10**6)}, "x", "y")
    assert test.apa() == "r(999998) = .0026, p = .010, 95% CI [.0006, .0045]"


R_POLYCHORIC: dict[str, Any] = reference("scales")


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("case", R_POLYCHORIC["polychorics"], ids=lambda case: case["name"])
def test_polychoric_agrees_with_r(case: dict[str, Any]) -> None:
    result = polychoric(case["table"])
    assert (result.estimate, result.se) == (rel(case["r"], least=1e-9), rel(case["se"]))
    assert result.rows == rel(np.ravel(case["rows"]), least=1e-9)
    assert result.columns == rel(np.ravel(case["columns"]), least=1e-9)
    assert result.log_likelihood == rel(case["loglik"], 1e-11)
    assert result.statistic == rel(2 * (case["loglik"] - case["independent"]), 1e-9)
    ends = result.confidence_interval()
    assert [ends.low, ends.high] == rel([case["low"], case["high"]], least=1e-9)
    two = polychoric(case["table"], method="two-step")
    assert (two.estimate, two.se) == (rel(case["two"], least=1e-9), rel(case["two_se"], 1e-6))
    # polycor's optimiser stops in the fourth digit, and its error is from the observed information
    assert [result.estimate, result.se] == rel(case["polycor"], 1e-2)
    assert two.estimate == rel(case["polycor_two"], 1e-3)


@pytest.mark.slow
@settings(max_examples=12)
@given(st.lists(st.integers(1, 30), min_size=12, max_size=12))
def test_turning_the_table_turns_the_sign(numbers: list[int]) -> None:
    n = np.array(numbers, dtype=float).reshape(3, 4)
    one, turned, flipped = (polychoric(table) for table in (n, n.T, n[::-1]))
    assert turned.estimate == rel(one.estimate, 1e-7)
    assert flipped.estimate == rel(-one.estimate, 1e-7)
    assert flipped.rows == rel(-one.rows[::-1], 1e-7)
    assert (turned.se, flipped.se) == (rel(one.se, 1e-7), rel(one.se, 1e-7))
    # counts ten times as large: the same correlation, an error √10 times smaller
    assert polychoric(10 * n).se == rel(one.se / np.sqrt(10), 1e-7)


def test_a_table_that_two_normal_variables_give_has_their_correlation() -> None:
    cuts = [-np.inf, -0.5, 0.4, 1.2, np.inf]
    below = np.array([[compute_below(np.array(a), np.array(b), 0.6) for b in cuts] for a in cuts], dtype=float)
    n = 1000 * np.diff(np.diff(below, axis=0), axis=1)
    for method in ("ml", "two-step"):
        result = polychoric(n, method=method)
        assert (result.estimate, result.rows) == (rel(0.6), rel(cuts[1:-1]))
    assert polychoric(n).fit().statistic == pytest.approx(0.0, abs=1e-9)
    assert polychoric(n).fit().df == 16 - 8


def test_rows_and_summaries_are_one() -> None:
    frame = pd.DataFrame({"a": [1, 1, 2, 3, 3, 2, 1, 2, 3, 1], "b": [1, 2, 2, 3, 2, 1, 1, 3, 3, None]})
    one = polychoric(frame, ["a", "b"])
    assert (one.n, one.missing) == (9.0, 1)
    for source in (Counts.from_frame(frame, ["a", "b"]), pd.crosstab(frame["a"], frame["b"])):
        assert polychoric(source).estimate == rel(one.estimate, 1e-12)
    assert one.to_frame()["estimate"].to_list() == [one.estimate]


def test_a_table_without_association_has_no_correlation() -> None:
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
@pytest.mark.parametrize("case", R_POLYCHORIC["omegas"], ids=lambda case: f"{len(case['items'])} items")
def test_the_error_of_omega_is_lavaans(case: dict[str, Any]) -> None:
    names = list(case["items"])
    result = omega(case["items"], names)
    assert (result.omega, result.se) == (rel(case["omega"], 1e-6), rel(case["se"], 1e-6))
    ends = result.confidence_interval()
    assert ends.low < result.omega < ends.high


@pytest.mark.nightly
@pytest.mark.parametrize("case", R_POLYCHORIC["omegas"], ids=lambda case: f"{len(case['items'])} items")
def test_the_interval_of_omega_by_resampling_is_near_that_of_its_error(case: dict[str, Any]) -> None:
    result = omega(case["items"], list(case["items"]))
    drawn, again = (result.confidence_interval(rng=np.random.default_rng(1), n_resamples=100) for _ in range(2))
    assert drawn == again
    assert abs(float(drawn.low) - float(result.confidence_interval().low)) < 0.1


@pytest.mark.slow
def test_omega_of_moments_and_at_its_bound() -> None:
    case = R_POLYCHORIC["omegas"][1]
    names, items = list(case["items"]), case["items"]
    moments = Moments.from_array(np.column_stack(list(items.values())), names)
    by_sums = omega(moments, names)
    assert by_sums.se == rel(omega(items, names).se, 1e-6)
    bound = omega({"a": [4, 6, 3, 5, 7, 3, 5], "b": [5, 5, 2, 6, 6, 3, 4], "c": [3, 6, 3, 5, 7, 1, 5]}, ["a", "b", "c"])
    assert np.isnan(bound.se)
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
