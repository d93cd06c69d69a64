"""Actor–partner models, correlations of pairs and tests of roles against R, the mixed model and their own algebra."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.stats import ActorPartner, Moments, actor_partner, distinguishability, dyad_correlation, mixed
from tests.conftest import runs
from tests.stats.closeness import agree
from tests.stats.models.data import PAIRS, coded_to_sum

VARIABLES = ["x1", "x2", "y1", "y2"]


def long_of(wide: pd.DataFrame) -> pd.DataFrame:
    n = len(wide)
    seats = [
        {"x": wide[f"x{own}"], "px": wide[f"x{other}"], "y": wide[f"y{own}"], "role": role}
        for own, other, role in ((1, 2, "buyer"), (2, 1, "seller"))
    ]
    parts = [pd.DataFrame({"pair": np.arange(n), **seat}) for seat in seats]
    return pd.concat(parts, ignore_index=True)


def numbers(result: ActorPartner, name: str) -> list[float]:
    return [float(getattr(one, name)) for one in result.coefficients]


# --- R: nlme::gls, with corCompSymm and (roles) varIdent; lme4's df are replaced by those of two regressions ---------


def test_roles_agree_with_gls() -> None:
    result = actor_partner(Moments.from_columns(PAIRS, VARIABLES))
    estimates = [2.9207270891189, 1.8899267861651, 0.6283766725574, 2.1582933602626, 1.7611714213582, 0.3694774046958]
    agree(numbers(result, "estimate"), estimates, rtol=1e-12)
    se = numbers(result, "se")
    agree([se[1], se[2], se[4], se[5]], [0.1095726859, 0.1119736244, 0.1611967993, 0.1577404174], rtol=1e-9)
    agree(numbers(result, "df"), 9, rtol=1e-12)
    agree([*result.variances, result.correlation], [0.601980420208, 1.24756655166, -0.170261066012], rtol=1e-11)


def test_alike_seats_agree_with_gls() -> None:
    result = actor_partner(Moments.from_columns(PAIRS, VARIABLES), alike=True)
    agree(numbers(result, "estimate"), [2.5399761336516, 1.8656418791609, 0.4577471423188], rtol=1e-12)
    agree(numbers(result, "se"), [0.5748337728, 0.1978661047542, 0.1978661047542], rtol=1e-9)
    agree(numbers(result, "df"), [10, 12.5265228245, 12.5265228245], rtol=1e-10)
    agree([result.correlation, result.spread[1, 2]], [-0.772024883147, -0.0340279897317], rtol=1e-11)
    k, interval = result.ratio()
    agree([k, interval.low, interval.high], [0.2453563823967, 0.0110706913, 0.6064981512], rtol=1e-8)


def test_pairs_as_r_has_them() -> None:
    both = Moments.from_columns(PAIRS, ["y1", "y2"])
    anova, pairwise = dyad_correlation(both), dyad_correlation(both, method="pairwise")
    agree([pairwise.estimate, anova.estimate], [0.475630252101, 0.508591065292], rtol=1e-11)
    agree([anova.statistic, anova.df1, anova.df2], [3.06993006993, 11, 12], rtol=1e-11)
    ends = anova.confidence_interval()
    agree([ends.low, ends.high], [-0.0393576993, 0.8265194829], rtol=1e-8)
    test = distinguishability(Moments.from_columns(PAIRS, VARIABLES))
    agree([test.statistic, test.df, test.p], [24.0939110629, 6, 0.000501887], rtol=1e-6)


# --- properties ----------------------------------------------------------------------------------------------------


@st.composite
def pairs(draw: st.DrawFn) -> pd.DataFrame:
    n = draw(st.integers(8, 25))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rho = draw(st.sampled_from([-0.6, 0.0, 0.6]))
    x = rng.normal(size=(n, 2)).round(2)
    rest = rng.normal(size=(n, 2)) @ np.linalg.cholesky(np.array([[1, rho], [rho, 1]])).T
    y = (x + 0.5 * x[:, ::-1] + rest).round(3)
    return pd.DataFrame({"x1": x[:, 0], "x2": x[:, 1], "y1": y[:, 0], "y2": y[:, 1]})


@pytest.mark.slow
@given(pairs())
@settings(max_examples=40)
def test_alike_seats_are_the_mixed_model_with_a_free_covariance(wide: pd.DataFrame) -> None:
    long = long_of(wide)
    ours = actor_partner(long, "y", "x", pair="pair")
    for df in ("kenward-roger", "satterthwaite"):
        model = mixed(long, "y ~ x + px", "pair", between="any")
        for one, two in zip(ours.coefficients, coded_to_sum(model, df), strict=True):
            values = [one.estimate, one.se, one.df]
            agree(values, [two.estimate, two.se, two.df], rtol=1e-6, atol=1e-9)
    agree(ours.correlation, model.icc, rtol=1e-7, atol=1e-9)


@pytest.mark.slow
@given(pairs())
@settings(max_examples=40)
def test_roles_are_two_regressions(wide: pd.DataFrame) -> None:
    result = actor_partner(long_of(wide), "y", "x", pair="pair", role="role")
    design = np.column_stack([np.ones(len(wide)), wide["x1"], wide["x2"]])
    buyer = np.linalg.lstsq(design, wide["y1"], rcond=None)[0]
    seller = np.linalg.lstsq(design, wide["y2"], rcond=None)[0]
    agree(numbers(result, "estimate"), [*buyer, seller[0], seller[2], seller[1]], rtol=1e-8, atol=1e-10)
    rest = wide["y2"] - design @ seller
    se = np.sqrt(rest @ rest / (len(wide) - 3) * np.diagonal(np.linalg.inv(design.T @ design)))
    agree(numbers(result, "se")[3:], se[[0, 2, 1]], rtol=1e-8)


@pytest.mark.slow
@given(pairs(), st.integers(0, 999))
@settings(max_examples=25)
def test_who_comes_first_in_a_pair_changes_nothing(wide: pd.DataFrame, seed: int) -> None:
    long = long_of(wide)
    mixed_up = long.sample(frac=1, random_state=seed)
    one, two = (actor_partner(frame, "y", "x", pair="pair") for frame in (long, mixed_up))
    agree(numbers(one, "p"), numbers(two, "p"), rtol=1e-7, atol=1e-12)
    for kind in ("anova", "pairwise"):
        first, second = (dyad_correlation(frame, "y", pair="pair", method=kind) for frame in (long, mixed_up))
        agree(first.estimate, second.estimate, rtol=1e-9, atol=1e-12)
    entered = np.corrcoef(np.r_[wide["y1"], wide["y2"]], np.r_[wide["y2"], wide["y1"]])[0, 1]
    agree(first.estimate, entered, rtol=1e-9, atol=1e-12)


def test_swapping_the_roles_swaps_their_effects() -> None:
    one = actor_partner(long_of(PAIRS), "y", "x", pair="pair", role="role")
    other = long_of(PAIRS).replace({"role": {"buyer": "z"}})
    two = actor_partner(other, "y", "x", pair="pair", role="role")
    agree(one.coefficient("actor[buyer]").p, two.coefficient("actor[z]").p, rtol=1e-12)
    agree(one.coefficient("partner[seller]").se, two.coefficient("partner[seller]").se, rtol=1e-12)


def test_an_unbounded_ratio_is_said() -> None:
    wide = PAIRS.assign(y1=[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8], y2=[2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5])
    result = actor_partner(Moments.from_columns(wide, VARIABLES), alike=True)
    assert result.coefficient("actor").p > 0.05
    assert np.isinf(result.ratio()[1].low)


# --- refusals ------------------------------------------------------------------------------------------------------


def test_a_person_alone_is_left_out_and_counted() -> None:
    long = long_of(PAIRS)
    assert actor_partner(long.iloc[:-1], "y", "x", pair="pair").missing == 1
    holed = long.assign(y=long["y"].where(long.index != 2))
    result = actor_partner(holed, "y", "x", pair="pair")
    assert (result.pairs, result.missing) == (11, 1)


# --- calibration ---------------------------------------------------------------------------------------------------


@pytest.mark.calibration
@pytest.mark.parametrize(("pairs_", "rho"), [(6, -0.5), (12, 0.0), (12, 0.5), (30, -0.3)])
def test_size_of_the_partner_effect(pairs_: int, rho: float) -> None:
    studies = runs(20_000, 600)
    rng = np.random.default_rng([pairs_, round(10 * rho) + 10])
    root = np.linalg.cholesky(np.array([[1.0, rho], [rho, 1.0]]))
    x = rng.normal(size=(pairs_, 2))
    hits = np.zeros(2)
    for _ in range(studies):
        y = x + rng.normal(size=(pairs_, 2)) @ root.T
        moments = Moments.from_array(np.column_stack([x, y]), VARIABLES)
        alike = actor_partner(moments, alike=True).coefficient("partner").p
        hits += np.array([alike, actor_partner(moments).coefficient("partner[1]").p]) <= 0.05
    print(f"{pairs_} pairs, ρ {rho}: alike {hits[0] / studies:.4f}, roles {hits[1] / studies:.4f}")
    low, high = stats.binom.interval(0.9999, studies, 0.05)
    assert low <= hits[1] <= high  # exact
    assert low - 0.015 * studies <= hits[0] <= high + 0.01 * studies  # Satterthwaite's approximation


def test_what_roles_predict_at_the_means_is_as_sure_as_a_mean() -> None:
    """At the predictors' means a regression gives the mean, with the error σ/√n: intercept and slopes covary as due."""
    result = actor_partner(Moments.from_columns(PAIRS, VARIABLES))
    x1, x2, *outcomes = (float(PAIRS[name].mean()) for name in VARIABLES)
    for role, own, other, mean, variance in (
        ("1", x1, x2, outcomes[0], result.variances[0]), ("2", x2, x1, outcomes[1], result.variances[1])
    ):  # fmt: skip
        contrast = result.contrast({f"intercept[{role}]": 1, f"actor[{role}]": own, f"partner[{role}]": other})
        agree([float(contrast.estimate), float(contrast.se)], [mean, np.sqrt(float(variance) / len(PAIRS))], rtol=1e-9)
    np.testing.assert_allclose(result.spread, result.spread.T, atol=1e-14)


@pytest.mark.parametrize("alike", [True, False])
def test_a_study_that_is_predicted_without_error_is_missing_in_a_stack(alike: bool) -> None:
    """And so is one whose predictor does not vary over pairs; the others keep their numbers."""
    fixed = PAIRS.assign(y2=10.0 - PAIRS["y1"]) if alike else PAIRS.assign(y1=2.0 * PAIRS["x1"])
    same = PAIRS.assign(x2=5.0 - PAIRS["x1"] if alike else 3.0)
    each = [Moments.from_columns(frame, VARIABLES) for frame in (PAIRS, fixed, same)]
    stack = Moments(
        np.array([float(one.n) for one in each]), np.stack([one.mean for one in each]),
        np.stack([one.covariance for one in each]), each[0].variables,
    )  # fmt: skip
    result, alone = actor_partner(stack, alike=alike), actor_partner(each[0], alike=alike)
    for one, own in zip(result.coefficients, alone.coefficients, strict=True):
        agree([np.asarray(one.se)[0]], [float(own.se)], rtol=1e-9)
        assert np.isnan(np.asarray(one.se)[1:]).all()
