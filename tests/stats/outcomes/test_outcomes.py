"""Regressions of yes or no, of counts and of ordered answers against R."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.stats import (
    Cells,
    gee,
    logistic,
    negative_binomial,
    ordinal,
    pairwise,
    poisson,
    quasi_poisson,
    simple_effects,
)
from negstats.stats.numerics import profile
from tests.conftest import reference, runs
from tests.stats.closeness import agree_in_order, name_of, rel

R: dict[str, Any] = reference("outcomes")
FRAMES = {name: pd.DataFrame(columns) for name, columns in R["frames"].items()}
CLUSTERED = {name: pd.DataFrame(columns) for name, columns in R["clustered"].items()}


# Against R -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", R["glms"], ids=name_of)
def test_logistic_and_poisson_agree_with_r(case: dict[str, Any]) -> None:
    fit = logistic if case["family"] == "binomial" else poisson
    outcome = "yes" if case["family"] == "binomial" else "count"
    model = fit(FRAMES[case["data"]], f"{outcome} ~ {case['rhs']}")
    agree_in_order(model.estimate, case["b"])
    agree_in_order(model.se, case["se"])
    agree_in_order(model.log_likelihood, case["loglik"], 1e-9)
    assert list(model.terms) == case["terms"]
    tests = model.tests()
    agree_in_order(tests["statistic"].to_numpy(), [test["statistic"] for test in case["tests"]], 1e-7)
    assert tests["df"].to_list() == [test["df"] for test in case["tests"]]
    for effects in case["ame"]:
        ours = model.marginal_effects(effects["of"])
        agree_in_order(ours.estimate, [one["value"] for one in effects["effects"]], 1e-7)
        agree_in_order(ours.se, [one["se"] for one in effects["effects"]], 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in R["glms"] if case["data"] == "middle"], ids=name_of)
def test_profile_intervals_agree_with_r(case: dict[str, Any]) -> None:
    fit = logistic if case["family"] == "binomial" else poisson
    outcome = "yes" if case["family"] == "binomial" else "count"
    ends = fit(FRAMES[case["data"]], f"{outcome} ~ {case['rhs']}").confidence_interval()
    agree_in_order(ends.low, case["low"], 1e-7)
    agree_in_order(ends.high, case["high"], 1e-7)


@pytest.mark.parametrize("case", R["polrs"], ids=name_of)
def test_proportional_odds_agree_with_r(case: dict[str, Any]) -> None:
    model = ordinal(FRAMES[case["data"]], f"rating ~ {case['rhs']}")
    agree_in_order(model.log_likelihood, case["loglik"], 1e-9)
    agree_in_order(model.estimate, case["b"], 2e-5)  # polr stops where the likelihood no longer changes
    agree_in_order(model.thresholds, case["zeta"], 2e-5)
    agree_in_order(model.se, case["se"], 2e-4)  # polr's are numerical derivatives
    agree_in_order(model.tests()["statistic"].to_numpy(), [test["statistic"] for test in case["tests"]], 1e-6)


@pytest.mark.parametrize("case", R["quasi"], ids=name_of)
def test_quasi_poisson_agrees_with_r(case: dict[str, Any]) -> None:
    result = quasi_poisson(FRAMES[case["data"]], "count", case["by"])
    assert list(result.terms) == case["terms"]
    agree_in_order(result.statistic, case["f"], 1e-7)
    agree_in_order(result.p, case["p"], 1e-7)
    assert (result.dispersion, result.df2) == (rel(case["dispersion"]), case["df2"])
    if "pairs" in case:
        ratios = result.ratios("none")
        agree_in_order(np.log(ratios.effect.value), case["pairs"]["log"])
        agree_in_order(np.abs(np.log(ratios.effect.value) / ratios.statistic), case["pairs"]["se"])


@pytest.mark.parametrize("case", R["gees"], ids=name_of)
def test_estimating_equations_agree_with_their_definition(case: dict[str, Any]) -> None:
    kind: Literal["binomial", "poisson"] = "binomial" if case["kind"] == "yes" else "poisson"
    model = gee(
        CLUSTERED[case["data"]], f"{case['kind']} ~ x + t", cluster="id", family=kind, correlation=case["structure"]
    )
    agree_in_order(model.estimate, case["b"], 1e-7)
    agree_in_order([model.correlation, model.scale], [case["alpha"], case["phi"]], 1e-7)
    agree_in_order(np.sqrt(np.diag(model.sandwich)), case["plain"], 1e-7)
    agree_in_order(model.se, case["md"], 1e-7)
    if "geepack" in case:
        agree_in_order(np.sqrt(np.diag(model.sandwich)), case["geepack"], 1e-6)


def test_estimating_equations_of_twelve_clusters() -> None:
    # by statsmodels and by a second program from Mancl and DeRouen's formulas
    model = gee(CLUSTERED["twelve"], "yes ~ x + t", cluster="id")
    assert model.estimate == rel([-1.3186597457, 1.8095103559, 0.9401470922])
    assert model.se == rel([1.0335515357, 0.7085841868, 1.2757988941])
    assert (model.correlation, model.scale) == (rel(0.4385292246), rel(1.0832509868))
    assert (model.df, model.clusters) == (9.0, 12)


# Properties ----------------------------------------------------------------------------------------------------------


def test_an_order_turned_round_turns_the_coefficients() -> None:
    frame = FRAMES["middle"]
    turned = ordinal(frame.assign(rating=-frame["rating"]), "rating ~ x + g")
    assert turned.estimate == rel(-ordinal(frame, "rating ~ x + g").estimate, 1e-6)


def test_two_answers_make_ordinal_logistic() -> None:
    frame = FRAMES["middle"]
    yes, answers = logistic(frame, "yes ~ x * h"), ordinal(frame, "yes ~ x * h")
    assert answers.estimate == rel(yes.estimate[1:])
    assert answers.se == rel(yes.se[1:])
    assert answers.confidence_interval(of="x").low == rel(yes.confidence_interval(of="x").low)


def test_permutation_of_the_quasi_poisson_statistic() -> None:
    samples = {"a": [0, 1, 2, 0, 3], "b": [4, 2, 6, 5, 3]}
    result = quasi_poisson(samples, method="permutation", rng=np.random.default_rng(1))
    f = quasi_poisson(samples).statistic[0]
    # all 252 ways to put ten counts into two groups of five
    from itertools import combinations

    every = [*samples["a"], *samples["b"]]
    hits = 0
    for chosen in combinations(range(10), 5):
        groups = {"a": [every[i] for i in chosen], "b": [every[i] for i in range(10) if i not in chosen]}
        hits += quasi_poisson(groups).statistic[0] >= f * (1 - 1e-9)
    assert result.p[0] == rel(hits / 252)
    assert "F(" not in result.apa()
    assert "252 arrangements" in result.apa()


def test_contrasts_of_log_means_are_the_ratios_and_the_coefficients() -> None:
    frame = FRAMES["middle"]
    counts = quasi_poisson(frame, "count", "g")
    pairs, ratios = pairwise(counts, specs="g", adjust="holm"), counts.ratios()
    agree_in_order(pairs.estimate, np.log(ratios.effect.value))
    agree_in_order(pairs.p_adjusted, ratios.p_adjusted)
    case = next(case for case in R["quasi"] if case["data"] == "middle" and case["by"] == ["g"])
    agree_in_order(pairs.se, case["pairs"]["se"])
    crossed = quasi_poisson(frame, "count", ["g", "h"])
    simple = simple_effects(crossed, specs="h", at={"g": "b"})[0]
    agree_in_order(simple.statistic, pairwise(crossed, specs="h", at={"g": "b"})[0].statistic ** 2)
    many = gee(frame.assign(id=np.arange(90) % 30), "count ~ g + x", cluster="id", family="poisson")
    two = pairwise(many, specs="g", adjust="none")["a - b"]
    agree_in_order([two.estimate, two.se, two.p], [-many.estimate[1], many.se[1], many.p[1]])


# Edges ---------------------------------------------------------------------------------------------------------------


def test_edges_of_quasi_poisson() -> None:
    none = quasi_poisson({"a": [0, 0, 0], "b": [1, 4, 2]}).ratios()
    assert np.ravel(none.effect.value)[0] == 0
    assert np.isnan(none.p_adjusted[0])


def test_missing_rows_are_counted_and_words_are_yes_or_no() -> None:
    rows = {
        "x": [1, 2, None, 4, 5, 6, 7],
        "deal": ["walked", "agreed", "agreed", "agreed", "walked", "walked", "agreed"],
    }
    model = logistic(rows, "deal ~ x", event="agreed")
    assert (model.n, model.missing, model.event) == (6, 1, "agreed")
    assert logistic(rows, "deal ~ x").estimate == rel(-model.estimate)


# Sizes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.calibration
def test_sizes_of_the_tests_under_the_null() -> None:
    rng = np.random.default_rng(11)
    # counts with mean 4 and variance 20, 12 against 36: quasi-Poisson holds its level where Poisson's test does not
    times = runs(20_000, 4000)
    shape = 4 / (20 / 4 - 1)
    one, two = (rng.negative_binomial(shape, 0.2, (times, n)) for n in (12, 36))
    stack = Cells.from_samples({"a": one, "b": two})
    f = quasi_poisson(stack)
    size = (f.p[:, 0] < 0.05).mean()
    naive = (f.deviance[:, 0] > 3.841458820694124).mean()
    assert 0.04 < size < 0.07
    assert naive > 0.3
    few = runs(1000, 40)
    hits = 0
    for _ in range(few):
        cluster = np.repeat(np.arange(14), 3)
        chance = 1 / (1 + np.exp(-np.repeat(rng.normal(0, 1, 14), 3)))
        rows = {"id": cluster, "t": np.repeat(rng.permutation([0, 1] * 7), 3), "yes": rng.random(42) < chance}
        hits += gee(rows, "yes ~ t", cluster="id", correlation="independence").p[1] < 0.05
    assert hits / few < 0.05 + 3 * np.sqrt(0.05 * 0.95 / few)


def test_marginal_effects_are_said_in_a_sentence() -> None:
    rows = {"price": list(range(1, 11)), "bought": [1, 1, 1, 0, 1, 0, 0, 1, 0, 0], "seat": ["a", "b"] * 5}
    result = logistic(rows, "bought ~ price + seat").marginal_effects().apa()
    assert result.startswith("price (slope): −0.0")
    assert "; seat (b - a): " in result


@pytest.mark.parametrize("seed", range(25))
def test_sparse_counts_have_a_permutation_p(seed: int) -> None:
    """A cell of zeros among arrangements is measured from a mean that is none, and is 0 all the same."""
    rng = np.random.default_rng(seed)
    rows = {"a": rng.poisson(0.3, 8), "b": rng.poisson(0.4, 9), "c": np.append(rng.poisson(0.5, 6), 1)}
    p = quasi_poisson(rows, method="permutation", rng=np.random.default_rng(1), n_resamples=499).p[0]
    assert 0 < p <= 1


def test_a_profile_that_levels_off_has_ends_where_it_crosses() -> None:
    """A likelihood ratio that never exceeds its limit by 1 crosses it all the same; one that stays below does not."""
    assert profile(lambda value: min(abs(value), 1.5) - 1, 0.0, 0.3) == pytest.approx((-1, 1), abs=1e-9)
    assert profile(lambda value: min(abs(value), 0.9) - 1, 0.0, 0.3) == (-np.inf, np.inf)


R_ORDERED: dict[str, Any] = reference("counts_ordered")
COUNTS = {name: frame.assign(w=frame["z"] + 0.5) for name, frame in FRAMES.items()}


# Against R -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("case", R_ORDERED["counts"], ids=lambda case: f"{name_of(case)}-{'rate' * case['rate']}")
def test_negative_binomial_agrees_with_r(case: dict[str, Any]) -> None:
    exposure = "w" if case["rate"] else None
    model = negative_binomial(COUNTS[case["data"]], f"count ~ {case['rhs']}", exposure=exposure)
    agree_in_order(model.log_likelihood, case["loglik"], 1e-9)
    agree_in_order(model.poisson_log_likelihood, case["poisson"], 1e-9)
    agree_in_order(model.estimate, case["b"], 1e-6)
    agree_in_order([model.theta, model.theta_se], [case["theta"], case["theta_se"]], 1e-6)
    agree_in_order(model.se, case["se"], 1e-6)
    agree_in_order(model.tests()["statistic"], [test["statistic"] for test in case["tests"]], 1e-6)
    assert model.tests()["df"].to_list() == [test["df"] for test in case["tests"]]
    assert model.overdispersion().statistic == rel(2 * (case["loglik"] - case["poisson"]), 1e-7)
    if "low" in case:
        ends = model.confidence_interval()
        agree_in_order(ends.low, case["low"], 1e-5)  # R's search over theta in each step is as good as that
        agree_in_order(ends.high, case["high"], 1e-5)
        spread = model.dispersion_interval()
        agree_in_order([spread.low, spread.high], case["alpha"], 1e-6)
        first = model.marginal_effects("x")
        agree_in_order([first.estimate[0], first.se[0]], case["slope"], 1e-6)


@pytest.mark.parametrize("name", ["pairs", "twelve"])
def test_errors_for_clusters_of_spread_counts_agree_with_r(name: str) -> None:
    case = R_ORDERED["clustered"][name]
    frame = CLUSTERED[name].assign(count=case["count"])
    model = gee(frame, "count ~ x + t", cluster="id", family="poisson", correlation="independence",
                variance="negative binomial")  # fmt: skip
    agree_in_order(1 / model.dispersion, case["theta"], 1e-6)
    agree_in_order(model.estimate, case["b"], 1e-6)
    agree_in_order(np.sqrt(np.diag(model.sandwich)), case["plain"], 1e-6)
    agree_in_order(model.se, case["md"], 1e-6)


@pytest.mark.parametrize("case", R_ORDERED["ordered"], ids=name_of)
def test_proportional_odds_agree_with_a_fit_to_the_last_digits(case: dict[str, Any]) -> None:
    model = ordinal(FRAMES[case["data"]], f"rating ~ {case['rhs']}")
    agree_in_order(model.log_likelihood, case["loglik"], 1e-11)
    agree_in_order(model.estimate, case["b"])
    agree_in_order(model.thresholds, case["zeta"])
    agree_in_order(model.se, case["se"])
    for effects in case["ame"]:
        ours = model.marginal_effects(effects["of"])
        agree_in_order(ours.estimate, effects["value"], 1e-6)
        agree_in_order(ours.se, effects["se"], 1e-6)
    every = model.marginal_effects().to_frame()
    assert every.groupby(["variable", "contrast"])["estimate"].sum().abs().max() < 1e-12


@pytest.mark.parametrize("case", R_ORDERED["ordered"], ids=name_of)
def test_tests_of_proportional_odds_agree_with_r(case: dict[str, Any]) -> None:
    model = ordinal(FRAMES[case["data"]], f"rating ~ {case['rhs']}")
    brant = model.proportional_odds()
    agree_in_order(brant.statistic, [float(test["statistic"]) for test in case["brant"]], 1e-7)
    assert brant.df.tolist() == [test["df"] for test in case["brant"]]
    for name, single in zip(brant.slopes.columns, np.ravel(case["potest"]), strict=True):
        if name in brant.terms:  # poTest tests coefficients, not terms
            assert brant.statistic[brant.terms.index(name)] == rel(single, 1e-6)
    if "ratio" in case:
        ratio = model.proportional_odds("likelihood")
        agree_in_order(ratio.statistic, [test["statistic"] for test in case["ratio"]], 1e-6)
        assert ratio.df.tolist() == [test["df"] for test in case["ratio"]]


# Properties ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=6)
@given(st.integers(0, 10_000))
def test_units_order_and_exposure_change_what_they_should(seed: int) -> None:
    frame = COUNTS["middle"].sample(70, random_state=seed)
    one = negative_binomial(frame, "count ~ x + g", exposure="w")
    moved = frame.sample(frac=1, random_state=1).assign(
        x=lambda rows: 1e4 - 10 * rows["x"], w=lambda rows: 8 * rows["w"]
    )
    two = negative_binomial(moved, "count ~ g + x", exposure="w")
    assert two.estimate[two.names.index("x")] == rel(-one.estimate[one.names.index("x")] / 10, 1e-6)
    assert two.dispersion == rel(one.dispersion, 1e-6)
    assert two.log_likelihood == rel(one.log_likelihood, 1e-9)
    for term in ("x", "g"):
        assert two.test(term).statistic == rel(one.test(term).statistic, 1e-5)
    # of one exposure for all, only the intercept moves
    flat, none = (negative_binomial(frame.assign(w=4.0), "count ~ x", exposure=name) for name in ("w", None))
    assert flat.estimate == rel(none.estimate - [np.log(4), 0], 1e-6)
    # the fit is a maximum: nothing near it is better, and Poisson's is not
    assert one.log_likelihood >= one.poisson_log_likelihood - 1e-9


def test_turned_answers_have_the_same_tests_of_proportional_odds() -> None:
    frame = FRAMES["large"]
    here = ordinal(frame, "rating ~ x + g")
    model = ordinal(frame.assign(rating=-frame["rating"], x=3 * frame["x"]), "rating ~ x + g")
    for method in ("brant", "likelihood"):
        assert model.proportional_odds(method).statistic == rel(here.proportional_odds(method).statistic, 1e-6)


# Edges ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_counts_that_are_even_are_poissons_and_that_is_said() -> None:
    rows = {"price": [1, 2, 3, 4, 5, 6, 7, 8], "offers": [2, 1, 3, 4, 2, 6, 5, 7]}
    model, even = negative_binomial(rows, "offers ~ price"), poisson(rows, "offers ~ price")
    assert (model.dispersion, model.theta) == (0.0, float("inf"))
    assert np.isnan(model.theta_se)
    assert model.estimate == rel(even.estimate)
    assert model.se == rel(even.se)
    assert model.log_likelihood == rel(even.log_likelihood, 1e-12)
    assert "spread no more than Poisson's" in model.notes[0]
    assert model.apa().endswith("α = 0.00 (Poisson)")
    assert (model.overdispersion().statistic, model.overdispersion().p) == (rel(0.0), 1.0)
    nearly = {"price": [0.1, 0.5, -0.3, 1.2, 0.8, -1, 2, 0.4, 0.3, 0.25], "offers": [226] + [0] * 9}
    assert negative_binomial(nearly, "offers ~ price").dispersion > 10  # one count above 0 still has a maximum
    ends = model.dispersion_interval()
    assert ends.low == 0.0
    assert 0.05 < float(ends.high) < 1


def test_proportional_odds_of_two_answers_and_of_cuts_that_cross() -> None:
    crossed = ordinal(FRAMES["middle"], "rating ~ x * h + z").proportional_odds()
    assert np.isnan(crossed.p[0])
    assert crossed.apa().startswith("all terms: the cuts cross; x: χ²(3) = 0.60")
    assert crossed.to_frame()["df"].to_list() == [12, 3, 3, 3, 3]


# Sizes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.calibration
def test_sizes_of_negative_binomial_and_poisson_under_the_null() -> None:
    rng = np.random.default_rng(3)
    many, hits, naive = runs(20_000, 40), 0.0, 0.0
    group = np.repeat([0.0, 1.0], 40)
    for _ in range(many):
        rows = pd.DataFrame({"t": group, "n": rng.negative_binomial(1.5, 1.5 / 5.5, 80)})
        hits += float(negative_binomial(rows, "n ~ t").test("t").p < 0.05)
        naive += float(poisson(rows, "n ~ t").test("t").p < 0.05)
    assert hits / many < 0.06 + 3 * np.sqrt(0.05 * 0.95 / many)
    assert naive / many > 0.2


def test_the_test_of_overdispersion_halves_the_chi_squared() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y": rng.negative_binomial(3, 0.5, size=80), "x": rng.normal(size=80)})
    result = negative_binomial(frame, "y ~ x")
    test = result.overdispersion()
    assert result.dispersion > 0
    assert test.statistic == pytest.approx(2 * (result.log_likelihood - result.poisson_log_likelihood))
    assert test.p == pytest.approx(float(stats.chi2.sf(float(test.statistic), 1)) / 2, rel=1e-12)
