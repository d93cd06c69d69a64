"""Yes or no at its edges: separation and Firth, few clusters, and that origins and units change nothing.

Five designs, two of them separated, are held against brglm and the penalised likelihood (tests/reference/firth.R).
Data: `sex2` of logistf (Foxman et al., 1997, Sexually Transmitted Diseases 24; Heinze and Schemper, 2002, Statistics in
Medicine 21), a row a pattern of six columns. Numbers: logistf's, as the tests of the package firthlogist quote them
(MIT licence), and its printed summary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from negstats.errors import NotEstimable
from negstats.stats import FirthRegression, gee, logistic, ordinal, poisson
from negstats.stats.outcomes import fits
from negstats.stats.outcomes.fits import check_separation
from negstats.stats.outcomes.gee import Equations
from tests.conftest import reference
from tests.stats.closeness import agree

PATTERNS = """
000010,1,1 001000,14,2 001010,3,1 001100,10,8 001110,12,18 001111,1,0 010000,44,42 010001,3,0 010010,0,1 011000,15,1
011001,1,0 011010,2,0 011100,7,5 011110,3,6 101000,2,0 101010,1,0 101011,1,0 101100,1,2 101110,0,4 101111,1,0
110000,5,14 110010,0,1 111000,3,1 111110,0,2
"""
NAMES = ("age", "oc", "vic", "vicl", "vis", "dia")
FORMULA = "case ~ age + oc + vic + vicl + vis + dia"
# coefficient, lower and upper end of the 95 % profile interval, and the standard error
LOGISTF = {
    "Intercept": (0.12025405, -0.8185591, 1.07315122, 0.4855415),
    "age": (-1.10598131, -1.9737884, -0.30742514, 0.4236601),
    "oc": (-0.06881673, -0.9414363, 0.78920202, 0.4437935),
    "vic": (2.26887464, 1.2730216, 3.43543273, 0.5484160),
    "vicl": (-2.11140817, -3.2608611, -1.11773495, 0.5430823),
    "vis": (-0.78831694, -1.6080879, 0.01518468, 0.4173676),
    "dia": (3.09601166, 0.7745682, 8.03029352, 1.6750089),
}


def sex2() -> pd.DataFrame:
    rows = []
    for line in PATTERNS.split():
        pattern, cases, controls = line.split(",")
        values = dict(zip(NAMES, map(int, pattern), strict=True))
        rows += [{"case": 1, **values}] * int(cases) + [{"case": 0, **values}] * int(controls)
    return pd.DataFrame(rows)


def firth(data: object, formula: str) -> FirthRegression:
    model = logistic(data, formula, firth=True)
    assert isinstance(model, FirthRegression)
    return model


@pytest.mark.slow
def test_sex2_is_logistfs() -> None:
    model = firth(sex2(), FORMULA)
    assert model.n == 239
    expected = pd.DataFrame(LOGISTF, index=["estimate", "low", "high", "se"]).T.loc[list(model.names)]
    np.testing.assert_allclose(model.estimate, expected["estimate"], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.se, expected["se"], rtol=1e-5)
    ends = model.confidence_interval()
    np.testing.assert_allclose(ends.low, expected["low"], rtol=1e-5)
    np.testing.assert_allclose(ends.high, expected["high"], rtol=1e-5)
    assert model.log_likelihood == pytest.approx(-132.5394, abs=1e-4)
    # penalised likelihood-ratio chi-squared of logistf's summary
    assert model.test("age").statistic == pytest.approx(7.50773092, rel=1e-5)
    assert model.test("dia").statistic == pytest.approx(7.89693139, rel=1e-5)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize(("name", "expected"), reference("firth")["designs"].items())
def test_designs_are_brglms_and_profiles_those_of_the_penalised_likelihood(name: str, expected: dict[str, Any]) -> None:
    model = firth(expected["data"], expected["formula"])
    np.testing.assert_allclose(model.estimate, expected["beta"], rtol=2e-6)  # brglm's steps end a little short
    np.testing.assert_allclose(model.se, expected["se"], rtol=2e-6)
    ends = model.confidence_interval(of="x")
    np.testing.assert_allclose([float(ends.low), float(ends.high)], expected["profile"], rtol=1e-5)


def test_one_proportion_has_half_an_event_more() -> None:
    # Of an intercept alone, Jeffreys' prior adds ½ to both counts.
    model = firth({"y": [1, 1, 1, 1, 1, 0], "x": [0, 1, 0, 1, 0, 1]}, "y ~ 1")
    assert model.estimate[0] == pytest.approx(np.log(5.5 / 1.5), rel=1e-9)


def test_of_two_groups_each_cell_has_half_more() -> None:
    rows = {"y": [1] * 8 + [0] * 2 + [1] * 6, "g": ["a"] * 10 + ["b"] * 6}
    model = firth(rows, "y ~ g")
    np.testing.assert_allclose(model.estimate, [np.log(8.5 / 2.5), np.log(6.5 / 0.5) - np.log(8.5 / 2.5)], rtol=1e-8)
    assert model.test("g").p == pytest.approx(model.test().p, rel=1e-8)
    assert "OR = " in model.apa()


@pytest.mark.slow
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
@example(seed=23217)  # two maxima of one height, and between them a point without slope
def test_the_maximum_is_one(seed: int) -> None:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": draw.normal(size=20), "g": draw.choice(["a", "b", "c"], 20)})
    frame["y"] = (draw.random(20) < special.expit(frame["x"])).astype(int)
    if frame["y"].nunique() < 2 or frame["g"].nunique() < 3:
        return
    model = firth(frame, "y ~ x + g")
    x = model.design.columns(model.design.given)

    def loss(beta: np.ndarray) -> float:
        eta = x @ beta
        weight = special.expit(eta) * special.expit(-eta)
        return -float((model.y * eta - np.logaddexp(0, eta)).sum() + 0.5 * np.linalg.slogdet((x.T * weight) @ x)[1])

    by_brute_force = optimize.minimize(loss, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10,
                                                                                       "maxiter": 4000})  # fmt: skip
    assert model.log_likelihood >= -by_brute_force.fun - 1e-7
    moved = firth(frame.assign(x=1e3 * frame["x"] + 5e3), "y ~ x + g")
    assert moved.estimate[1] * 1e3 == pytest.approx(model.estimate[1], rel=1e-5, abs=1e-9)
    assert moved.test("x").p == pytest.approx(model.test("x").p, rel=1e-5)


def test_other_event_turns_the_sign() -> None:
    rows = {"y": ["no"] * 4 + ["yes"] * 4, "x": list(range(8))}
    one, two = (logistic(rows, "y ~ x", event=event, firth=True) for event in ("yes", "no"))
    np.testing.assert_allclose(one.estimate, -two.estimate, rtol=1e-8)
    low, high = (float(np.asarray(end)) for end in (lambda i: (i.low, i.high))(one.confidence_interval(of="x")))
    assert 0 < low < one.estimate[1] < high
    assert float(one.test("x").p) < stats.chi2.sf(3.84, 1)


R_SPARSE = [(-8.843102, 0.652359), (-0.101062, 1.797211), (-9.241598, 1.200153), (-3.817782, 7.931038)]
SPARSE = pd.DataFrame({"x": [6, 7, 5, 1, 0, 0, 2, 6], "f": list("abcabcab"), "y": [1, 0, 1, 0, 0, 0, 0, 0]})


@pytest.mark.slow
def test_each_coefficient_of_sparse_answers_has_its_interval() -> None:
    """As above in R, with model.matrix(~ x + f): the third is where one of two maxima overtakes the other."""
    ends = logistic(SPARSE, "y ~ x + f", firth=True).confidence_interval()
    np.testing.assert_allclose(np.array([ends.low, ends.high]).T, R_SPARSE, atol=2e-4)


@pytest.mark.slow
def test_a_coefficient_without_an_interval_takes_none_from_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    model = logistic(SPARSE, "y ~ x + f", firth=True)
    profile = type(model)._profile

    def refuse(self: object, place: int, z: float) -> tuple[float, float]:
        if place == 0:
            raise NotEstimable(
                "the penalised likelihood has no maximum that could be reached", advice="leave terms out"
            )
        return profile(self, place, z)  # type: ignore[arg-type]

    monkeypatch.setattr(type(model), "_profile", refuse)
    ends = model.confidence_interval()
    assert np.isnan(ends.low).tolist() == [True, False, False, False]
    assert "[NA, NA]" not in model.apa()
    with pytest.raises(NotEstimable):
        model.confidence_interval(of="Intercept")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("model", [logistic, poisson])
@pytest.mark.parametrize("pure", ["a", "b"])
def test_a_pure_level_is_never_fitted_by_a_coefficient_that_ran_off(model: Any, pure: str) -> None:
    """The last steps of a coefficient that runs off are as small as rounding, which proves no maximum."""
    for n in (3, 10, 30, 60):
        for yes in {1, n // 3, n - 1}:
            rows = pd.DataFrame({"g": ["a"] * n + ["b"] * n})
            rows["y"] = 0
            first = n if pure == "a" else 0
            rows.loc[first : first + yes - 1, "y"] = 1
            with pytest.raises(NotEstimable, match=r"g\[b\]'? separates"):
                model(rows, "y ~ g")


def separated(sides: object, x: object, steps: int, part: int = 2000) -> bool:
    """Return whether separation is found, after so many steps that may prove the contrary of a part or of all rows."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fits, "MOST_STEPS", steps)
        patched.setattr(fits, "PART", part)
        try:
            check_separation(np.asarray(sides, dtype=float), np.asarray(x, dtype=float), ["Intercept", "x", "z"], "y")
        except NotEstimable:
            return True
        return False


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
def test_steps_prove_no_overlap_that_is_not_there(data: st.DataObject) -> None:
    rows = data.draw(st.integers(4, 24))
    whole = st.lists(st.integers(-3, 3), min_size=rows, max_size=rows)
    x = np.column_stack([np.ones(rows), data.draw(whole), data.draw(whole)])
    if np.linalg.matrix_rank(x) < 3:
        return
    sides = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=rows, max_size=rows))
    assert separated(sides, x, 15) == separated(sides, x, 15, part=4) == separated(sides, x, 0)


def test_steps_decide_where_groups_overlap() -> None:
    x = np.column_stack([np.ones(40), np.arange(40.0), np.tile([0.0, 1.0], 20)])
    sides = np.where((np.arange(40) % 3 == 0) | (np.arange(40) > 30), 1.0, -1.0)
    assert fits.is_overlapping(x / x.max(axis=0) * sides[:, None])
    apart = np.where(np.arange(40) > 30, 1.0, -1.0)
    assert not fits.is_overlapping(x / x.max(axis=0) * apart[:, None])
    assert separated(apart, x, 15)


@pytest.mark.parametrize("case", reference("kauermann_carroll"), ids=lambda case: f"{len(case['id'])} rows")
def test_the_sandwich_is_that_of_its_definition(case: dict[str, Any]) -> None:
    x = np.column_stack([np.ones(len(case["id"])), case["x"], case["t"]])
    y, clusters = np.array(case["y"], dtype=float), np.array(case["id"]) - 1
    equations = Equations(x, y, np.zeros(len(y)), clusters, logit=True, dispersion=0.0, exchangeable=True)
    result, _ = equations.covariances(np.array(case["b"]), case["alpha"], "Kauermann-Carroll")
    agree(result.covariance.ravel(), case["kc"], rtol=1e-8)


def test_whole_clusters_of_one_size_are_between_the_plain_and_mancl_derouen() -> None:
    """Of J clusters a group the leverage is 1/J: the variance is J/(J − 1) of the plain, Mancl–DeRouen's its square."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(12), 4)
    y = (rng.normal(size=12)[who] + rng.logistic(size=48) > 0).astype(float)
    model = gee({"y": y, "g": (who % 2).astype(float), "who": who}, "y ~ g", cluster="who")
    result = model.kauermann_carroll()
    agree(result.covariance, model.sandwich * 6 / 5, rtol=1e-6)
    agree(result.se**2, np.sqrt(np.diag(model.sandwich)) * model.se, rtol=1e-6)
    assert result.test("g").method == result.confidence_interval().method.removeprefix("t, ") == "Kauermann-Carroll"
    agree(result.p[1], result.test("g").p, rtol=1e-9)
    assert "12 clusters" in result.apa()


def frame() -> pd.DataFrame:
    """Rows whose covariates are multiples of 1/8, so that adding 1e9 costs them no digit."""
    rng = np.random.default_rng(20)
    n = 160
    x, z = (np.round(8 * rng.normal(size=n)) / 8 for _ in range(2))
    g = rng.choice(["a", "b", "c"], n)
    unit = np.arange(n) // 4
    eta = 0.5 * x - 0.4 * (g == "b") + 0.3 * rng.normal(size=n // 4)[unit]
    return pd.DataFrame(
        {"x": x, "z": z, "g": g, "unit": unit, "yes": (eta + rng.logistic(size=n) > 0).astype(int)}
        | {"count": rng.negative_binomial(2, 2 / (2 + np.exp(0.8 + eta)))}
        | {"rating": np.digitize(eta + rng.logistic(size=n), [-1.0, 0.0, 1.2])}
        | {"time": np.ceil(10 * rng.exponential(np.exp(-eta))), "ended": rng.random(n) < 0.8}
    )


FITS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "logistic": lambda rows: logistic(rows, "yes ~ x * g + z"),
    "poisson": lambda rows: poisson(rows, "count ~ x * g + z"),
    "ordinal": lambda rows: ordinal(rows, "rating ~ x * g + z"),
}


@pytest.mark.parametrize("name", FITS)
def test_profile_intervals_and_marginal_effects_do_not_depend_on_the_origin(name: str) -> None:
    rows = frame()
    plain, moved = FITS[name](rows), FITS[name](rows.assign(x=rows["x"] + 1e9))
    ends = [model.confidence_interval(of="x:g[b]") for model in (plain, moved)]
    agree([ends[1].low, ends[1].high], [ends[0].low, ends[0].high], rtol=1e-7)
    effects = [model.marginal_effects() for model in (plain, moved)]
    agree(effects[1].estimate, effects[0].estimate, rtol=1e-7)
    agree(effects[1].se, effects[0].se, rtol=1e-7)


def test_a_group_of_ones_alone_has_a_mean_with_a_logarithm() -> None:
    rows = {"y": [1, 1, 0, 1, 1, 2, 1, 1, 0, 2, 1, 3], "g": list("aaaaaabbbbbb"), "who": [1, 1, 2, 2, 3, 3] * 2}
    model = gee(rows, "y ~ g", cluster="who", family="poisson", correlation="independence")
    agree(np.exp(model.estimate[1]), (8 / 6) / (6 / 6), rtol=1e-12)


def test_counts_of_one_separate_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no step proves that there is a fit, a linear programme decides: only zeros may be told apart."""
    monkeypatch.setattr(fits, "find_maximum", lambda *_: None)
    x = np.column_stack([np.ones(6), [0.0, 0, 0, 1, 1, 1]])
    for y, message in (([1.0, 0, 1, 1, 1, 0], "no maximum"), ([0.0, 0, 0, 1, 1, 2], "'g' separates 'n'")):
        with pytest.raises(NotEstimable, match=message):
            fits.fitted_apart(x, np.array(y), "poisson", np.zeros(6), ["Intercept", "g"], "n")


def test_counts_have_the_degrees_of_freedom_of_the_clusters_that_decide() -> None:
    """Of one mean of like clusters: less one. Where a group has 3 clusters of 23, about as many as these have."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(23), 4)
    rows = {"y": rng.poisson(3, 92), "g": (who < 3).astype(float), "who": who}
    model = gee(rows, "y ~ g", cluster="who", family="poisson")
    assert 1.5 < np.asarray(model.df)[1] < 3.5
    assert model.test("g").df2 == pytest.approx(np.asarray(model.df)[1])
    assert gee(rows | {"y": rng.integers(0, 2, 92)}, "y ~ g", cluster="who").df == 21.0


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("both", [10, 30, 10_000])
@pytest.mark.parametrize("alone", [2, 6, 200, 5_000])
def test_a_level_that_always_says_yes_is_refused_whatever_its_size(both: int, alone: int) -> None:
    # Far out, 1 − mean taken from the mean has no digits: the score was 0 for a coefficient without end.
    rows = {"y": [1] * (both * 4 // 5) + [0] * (both // 5) + [1] * alone, "g": ["a"] * both + ["b"] * alone}
    with pytest.raises(NotEstimable, match="'g\\[b\\]' separates 'y'"):
        logistic(rows, "y ~ g")
