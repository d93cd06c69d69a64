"""Mixed models of yes or no and counts: against lme4, glmmTMB, exact integrals and closed forms; what they refuse.

Set A is `decisions(7, 40, effect=.8)`. Its numbers are of lme4 1.1-31 under R 4.2.2 (glmer, nAGQ as said) unless a
comment says otherwise; those of data sets are in tests/reference/responses.json.
"""

from __future__ import annotations

import warnings
from itertools import pairwise as neighbours
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import integrate, special, stats

from negstats.errors import NotEstimable
from negstats.stats import Interval, MixedResponses, contrasts, gee, logistic, margins, mixed, pairwise
from negstats.stats.models.responses import population
from negstats.stats.models.responses.engine import RandomPart, fit_columns
from negstats.stats.models.responses.likelihood import LINKS, Clustered, Distribution, Family, Link
from negstats.stats.models.responses.population import joint_covariance
from negstats.stats.models.responses.spread import row_variance
from negstats.stats.results.numbers import FloatArray
from tests.conftest import reference, runs
from tests.stats.models.generators import decisions, two_within

REFERENCE = reference("responses")
FORMULA = "y ~ x + g + (1 | person)"
A = decisions(7, 40, effect=0.8)
CBPP = pd.DataFrame(REFERENCE["cbpp"]["rows"])
TICKS = pd.DataFrame(REFERENCE["grouseticks"]["rows"])


def fitted(frame: Any = A, formula: str = FORMULA, **options: Any) -> MixedResponses:
    options.setdefault("family", "binomial")
    result: MixedResponses = mixed(frame, formula, **options)
    return result


def sigma(model: MixedResponses) -> float:
    return next(iter(model.sds.values()))


def ends_of(interval: Interval) -> list[float]:
    return [float(np.asarray(end)) for end in (interval.low, interval.high)]


def treatment(frame: pd.DataFrame, factor: str) -> tuple[pd.DataFrame, str]:
    """Return a factor's levels as columns of 0 and 1 after the first, as lme4 codes it, and these as a formula."""
    levels = sorted(frame[factor].unique())[1:]
    columns = {f"{factor}{level}": frame[factor].eq(level).astype(float) for level in levels}
    return frame.assign(**columns), " + ".join(columns)


# --- set A -----------------------------------------------------------------------------------------------------------


def test_set_a_is_the_set_that_numbers_were_computed_from() -> None:
    assert A["y"].sum() == 512
    assert A["x"].sum() == pytest.approx(414.1)


def test_set_a_by_25_nodes() -> None:
    model = fitted()
    np.testing.assert_allclose(model.estimate, [-2.204808, 5.034807, 1.279293], atol=1e-5)
    np.testing.assert_allclose(model.se, [0.392614, 0.403901, 0.495149], atol=1e-5)
    assert sigma(model) == pytest.approx(1.405487, abs=1e-5)
    # The exact integral by 721 points at its own optimum gives the same coefficients.
    assert model.log_likelihood == pytest.approx(-355.028615266, abs=1e-5)
    assert np.sqrt(joint_covariance(model)[-1, -1]) == pytest.approx(0.152087, abs=1e-5)
    assert model.nagq == 25
    assert model.df.tolist() == [38, 758, 38]
    assert model.clusters == 40
    assert not model.singular
    assert model.notes == ()


@pytest.mark.parametrize(("nagq", "loglik", "ratio"), [(9, -355.028607, 6.402028), (1, -355.271745, 6.458689)])
def test_set_a_by_fewer_nodes(nagq: int, loglik: float, ratio: float) -> None:
    model = fitted(nagq=nagq)
    assert model.log_likelihood == pytest.approx(loglik, abs=1e-5)
    test = model.likelihood_ratio("g")
    assert test.statistic == pytest.approx(ratio, abs=1e-5)
    smaller = fitted(A, "y ~ x + (1 | person)", nagq=nagq)
    assert model.compare(smaller).statistic == pytest.approx(ratio, abs=1e-5)


def test_the_sd_by_laplace_and_the_constant_of_one_row_an_answer() -> None:
    # lme4's search stops at −355.273934.
    assert sigma(fitted(nagq=1)) == pytest.approx(1.397663, abs=1e-5)
    # 286 groups of the same 600 rows have −218.492465: the likelihood is of rows, always.
    assert fitted(HOSTILE, nagq=1).log_likelihood == pytest.approx(-292.168878, abs=1e-5)


@pytest.mark.slow
def test_one_curve_for_all_people_is_near_to_the_mean_over_people() -> None:
    pooled = logistic(A, "y ~ x + g")
    intercept, slope = np.asarray(pooled.estimate)[:2]
    shares = (special.logit([0.5, 0.8, 0.9]) - intercept) / slope
    assert shares.tolist() == pytest.approx([0.4352, 0.7962, 1.0074], abs=6e-5)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("link", "beta", "sd", "loglik"),
    [
        ("probit", [-1.25052, 2.85921, 0.732485], 0.80999, -355.547990),
        ("cloglog", [-1.75869, 2.92461, 0.77944], 0.86032, -358.459421),
    ],
)
def test_other_links(link: str, beta: list[float], sd: float, loglik: float) -> None:
    model = fitted(link=link)
    np.testing.assert_allclose(model.estimate, beta, atol=1e-4)
    assert sigma(model) == pytest.approx(sd, abs=1e-4)
    assert model.log_likelihood == pytest.approx(loglik, abs=1e-4)


def test_laplace_of_probit_is_glmm_tmbs() -> None:
    # lme4 takes the expected information here and differs: −356.0415994.
    model = fitted(link="probit", nagq=1)
    assert model.log_likelihood == pytest.approx(-355.618077305, abs=1e-6)
    assert model.estimate[1] == pytest.approx(2.86026117, abs=1e-5)


def test_type_three_as_chi_squared_is_cars() -> None:
    """Of Laplace's fit, with factors coded to sum to zero; car 3.1-1 with lme4 1.1-31.

    Where lme4 searches with ``tolPwrss = 1e-11``, `Anova(m, type = 3)` gives 155.4696 and 6.7311. With its defaults it
    stops at a log-likelihood of −355.273934, .0022 below the maximum, and gives 157.26 and 6.77. Both take the
    covariance of the Hessian, errors of the SD included, as here; without (``vcov(m, use.hessian = FALSE)``) it is
    170.52 and 6.84. lme4's Hessian is by differences.
    """
    laplace = fitted(A, nagq=1)
    x, g = (float(np.asarray(laplace.test(term).statistic)) for term in ("x", "g"))
    assert (x, g) == pytest.approx((155.4696, 6.7311), rel=1e-4)
    exact = fitted(A)
    x, g = (float(np.asarray(exact.test(term).statistic)) for term in ("x", "g"))
    assert (x, g) == pytest.approx((155.3876, 6.67524), rel=1e-5)


@pytest.mark.slow
def test_sentence() -> None:
    assert "g: F(1, 38) = 6.68, p = .014, OR = 3.59, 95% CI [1.32, 9.79]" in fitted().apa()
    assert "(40 people, SD 1.41)" in fitted().apa()
    frame = A.assign(g=np.where(A["g"] > 0, "b", "a"))
    assert "OR = 3.59, 95% CI [1.32, 9.79]" in fitted(frame).apa()  # level b against level a


@pytest.mark.slow
def test_intervals() -> None:
    laplace = fitted(nagq=1)
    ends = laplace.confidence_interval(method="profile", of="g")
    np.testing.assert_allclose(ends_of(ends), [0.30695, 2.29988], atol=2e-5)
    z = stats.norm.ppf(0.975)
    np.testing.assert_allclose(laplace.estimate[2] + np.array([-z, z]) * laplace.se[2], [0.3128, 2.2451], atol=1e-4)
    wald = fitted().confidence_interval(of="g")
    np.testing.assert_allclose(ends_of(wald), [0.2769, 2.2817], atol=1e-4)
    # lme4's profile of the SD, at Laplace: [1.0411, 1.8967]; ours is of the integral, whose optimum lies .008 higher.
    sd = fitted().sd_interval()
    np.testing.assert_allclose(ends_of(sd), [1.0411, 1.8967], atol=0.02)


def test_modes_and_their_sds() -> None:
    effects = fitted().random_effects().set_index("level")
    np.testing.assert_allclose(
        effects["estimate"].iloc[:6], [-1.429753, 1.656159, 0.284428, -0.057265, 1.433389, -2.458296], atol=1e-5
    )
    np.testing.assert_allclose(effects["sd"].iloc[:2], [0.527912, 0.885538], atol=1e-5)


@pytest.mark.slow
def test_population_and_typical_person() -> None:
    model = fitted()
    low, high = (model.population({"x": 0.3, "g": g}) for g in (0, 1))
    assert (low.estimate, high.estimate) == pytest.approx((0.375813, 0.605156), abs=1e-5)
    assert (low.linear, low.linear_se) == pytest.approx((-0.507358, 0.257543), abs=1e-5)
    typical = [model.population({"x": 0.3, "g": g}, scale="typical").estimate for g in (0, 1)]
    assert typical == pytest.approx([0.333063, 0.642200], abs=1e-5)
    assert typical[1] - typical[0] == pytest.approx(0.309138, abs=1e-5)
    frame = A.assign(g=np.where(A["g"] > 0, "b", "a"))
    factor = fitted(frame)
    two = contrasts(factor.grid(at={"x": 0.3}), specs="g", weights={"b - a": [-1, 1]})["b - a"]
    assert (two.estimate, two.se) == pytest.approx((0.229343, 0.085934), abs=1e-5)
    open_x = model.population({"g": 0})
    by_hand = np.mean([model.population({"x": x, "g": 0}).estimate for x in A["x"]])
    assert open_x.estimate == pytest.approx(by_hand, rel=1e-10)


def test_margins_take_a_model() -> None:
    model = fitted(A.assign(g=np.where(A["g"] > 0, "b", "a")))
    shares = margins(model, specs="g")
    at = {"x": float(A["x"].mean())}
    assert shares.mean[0] == pytest.approx(model.population({**at, "g": "a"}).estimate)
    typical = margins(model, specs="g", scale="typical")
    assert typical.mean[0] == pytest.approx(model.population({**at, "g": "a"}, scale="typical").estimate)
    link = pairwise(model, specs="g", scale="link")["a - b"]
    assert link.estimate == pytest.approx(-model.estimate[2])  # g[b] is b against a
    assert link.p == pytest.approx(model.test("g").p)


def test_shares_of_variance() -> None:
    model, laplace = fitted(), fitted(nagq=1)
    assert model.icc() == pytest.approx(0.375175, abs=1e-5)
    assert model.r_squared().iloc[0].tolist() == pytest.approx([0.361357, 0.600960], abs=1e-5)
    # R's performance 0.10.2 prints .372, .362, .600.
    assert [laplace.icc(), *laplace.r_squared().iloc[0]] == pytest.approx([0.37256, 0.36255, 0.60004], abs=2e-5)


def test_a_study_of_pairs_of_decisions_has_a_closed_form() -> None:
    first = A.groupby("person").head(2)
    model = fitted(first, "y ~ x + (1 | person)", link="probit")
    np.testing.assert_allclose(model.estimate, [-1.342432, 3.692800], atol=1e-5)
    assert sigma(model) == pytest.approx(0.914800, abs=1e-5)
    total, sd = 0.0, sigma(model)
    eta = model.estimate[0] + model.estimate[1] * first["x"].to_numpy()
    for (a, b), (s, t) in zip(eta.reshape(-1, 2), 2 * first["y"].to_numpy().reshape(-1, 2) - 1, strict=True):
        size = np.sqrt(1 + sd**2)
        r = s * t * sd**2 / (1 + sd**2)
        total += float(np.log(stats.multivariate_normal.cdf([s * a / size, t * b / size], cov=[[1, r], [r, 1]])))
    assert model.log_likelihood == pytest.approx(total, abs=1e-6)
    assert model.log_likelihood == pytest.approx(-40.161377079, abs=1e-6)
    closed = special.ndtr((model.estimate[0] + 0.3 * model.estimate[1]) / np.sqrt(1 + sd**2))
    assert model.population({"x": 0.3}).estimate == pytest.approx(closed, abs=1e-8)
    assert model.population({"x": 0.3}).estimate == pytest.approx(0.431290, abs=1e-6)


def test_an_infinite_spread_is_refused_though_each_number_of_nodes_gives_an_answer() -> None:
    # The supremum is −6 ln 2 at infinite slope and SD; by quadrature the search ends at SD 4.6, 40.5 or 43.
    frame = pd.DataFrame({"who": np.repeat(list("abcd"), 2), "x": [0, 1] * 4, "y": [0, 1, 0, 0, 1, 1, 0, 1]})
    for nagq in (None, 1, 9, 25):
        with pytest.raises(NotEstimable, match="people's spread has no finite value: 2 of 4 gave one answer"):
            fitted(frame, "y ~ x", cluster="who", nagq=nagq)


@pytest.mark.parametrize(
    ("nagq", "believed", "sd", "integral"),
    [(1, -3.0199, 40.5, -5.0060), (9, -4.1607, 4.56, -4.1616), (25, -3.7904, 43.0, -4.1597)],
)
def test_where_the_search_ends_without_a_maximum(nagq: int, believed: float, sd: float, integral: float) -> None:
    """The engine's likelihood may lie above the supremum; the sum over 721 points never does."""
    x, y = np.column_stack([np.ones(8), np.tile([0.0, 1.0], 4)]), np.array([0.0, 1, 0, 0, 1, 1, 0, 1])
    codes, law = np.repeat(np.arange(4), 2), Distribution("binomial", "logit")
    fit = fit_columns(x, y, [RandomPart("who", ("Intercept",), (), codes, tuple("abcd"))], law, nagq)
    spread = float(np.sqrt(fit.random[0][0, 0]))
    exact = Clustered.of(x, y, codes, law).log_likelihood(x @ fit.beta, spread)
    assert (fit.log_likelihood, exact) == pytest.approx((believed, integral), abs=6e-5)
    assert spread == pytest.approx(sd, rel=2e-3)
    assert exact < -6 * np.log(2)


def by_quadrature(law: Distribution, y: FloatArray, eta: FloatArray, sd: float) -> float:
    def density(z: float) -> float:
        return float(np.exp(law.log_density(y, eta + sd * z).sum() - z**2 / 2) / np.sqrt(2 * np.pi))

    return float(np.log(integrate.quad(density, -9, 9, epsabs=1e-13)[0]))


@pytest.mark.parametrize(("family", "link"), [(f, one) for f, links in LINKS.items() for one in links])
def test_the_sum_over_points_is_the_integral(family: Family, link: Link) -> None:
    law = Distribution(family, link, 1.7)
    y = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    eta, codes, sd = np.array([0.2, -0.4, 1.0, -2.0, 0.5]), np.array([0, 0, 0, 1, 1]), 1.3
    exact = sum(by_quadrature(law, y[codes == one], eta[codes == one], sd) for one in (0, 1))
    rows = Clustered.of(np.ones((5, 1)), y, codes, law)
    assert rows.log_likelihood(eta, sd) == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize(("family", "link"), [(f, one) for f, links in LINKS.items() for one in links])
def test_derivatives_of_densities(family: Family, link: Link) -> None:
    law = Distribution(family, link, 2.3)
    eta = np.linspace(-3, 2, 11)
    for answer in (0.0, 1.0):
        y, h = np.full(len(eta), answer), 1e-5
        up, at, down = (law.log_density(y, eta + step) for step in (h, 0, -h))
        np.testing.assert_allclose(law.slope(y, eta), (up - down) / (2 * h), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(law.information(y, eta), -(up - 2 * at + down) / h**2, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(law.mean_slope(eta), (law.mean(eta + h) - law.mean(eta - h)) / (2 * h), rtol=1e-6)
    np.testing.assert_allclose(law.link_of(law.mean(eta)), eta, rtol=1e-9)


# --- data sets -------------------------------------------------------------------------------------------------------


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("expected", REFERENCE["cbpp"]["fits"], ids=lambda one: f"{one['link']} {one['nagq']}")
def test_cbpp(expected: dict[str, Any]) -> None:
    frame, columns = treatment(CBPP, "period")
    model = fitted(frame, f"y ~ {columns} + (1 | herd)", link=expected["link"], nagq=expected["nagq"])
    np.testing.assert_allclose(model.estimate, expected["beta"], atol=1e-5)
    np.testing.assert_allclose(model.se, expected["se"], rtol=2e-4)
    assert sigma(model) == pytest.approx(expected["sd"], abs=1e-5)
    assert model.log_likelihood == pytest.approx(expected["loglik"], abs=1e-5)
    if "modes" in expected:
        effects = model.random_effects().set_index("level").loc[[str(herd) for herd in range(1, 16)]]
        np.testing.assert_allclose(effects["estimate"], expected["modes"], atol=1e-4)
        np.testing.assert_allclose(effects["sd"], expected["mode_sd"], atol=1e-4)


@pytest.mark.slow
def test_counts_of_ticks() -> None:
    frame, columns = treatment(TICKS, "YEAR")
    expected = REFERENCE["grouseticks"]
    formula = f"TICKS ~ {columns} + cHEIGHT + (1 | BROOD)"
    model = fitted(frame, formula, family="poisson")
    np.testing.assert_allclose(model.estimate, expected["poisson"]["beta"], atol=1e-4)
    assert sigma(model) == pytest.approx(expected["poisson"]["sd"], abs=1e-4)
    laplace = fitted(frame, formula, family="poisson", nagq=1)
    np.testing.assert_allclose(laplace.estimate, [0.50918, 1.13589, -1.00113, -0.0238663], atol=1e-4)
    assert laplace.log_likelihood == pytest.approx(-989.037741, abs=1e-4)
    assert sigma(laplace) == pytest.approx(0.94970, abs=1e-4)
    negative = fitted(frame, formula, family="negative binomial", nagq=1)
    np.testing.assert_allclose(negative.estimate, expected["nb"]["beta"], atol=1e-4)
    assert negative.log_likelihood == pytest.approx(expected["nb"]["loglik"], abs=1e-6)
    assert negative.dispersion == pytest.approx(expected["nb"]["theta"], rel=1e-4)
    assert (negative.estimate[0], negative.dispersion) == pytest.approx((0.567369323, 3.30644397), abs=1e-5)
    two_sites = f"TICKS ~ {columns} + cHEIGHT + (1 | BROOD) + (1 | LOCATION)"
    # glmmTMB 1.1.5; lme4 takes the expected information.
    assert fitted(frame, two_sites, family="negative binomial").log_likelihood == pytest.approx(-888.9084259, abs=1e-5)
    several = f"TICKS ~ {columns} + cHEIGHT + (1 | BROOD) + (1 | INDEX) + (1 | LOCATION)"
    crossed = fitted(frame, several, family="poisson")
    assert crossed.log_likelihood >= expected["crossed"]["loglik"] - 1e-4
    np.testing.assert_allclose(crossed.estimate, expected["crossed"]["beta"], atol=2e-3)
    for name, sd in expected["crossed"]["sds"].items():
        assert crossed.sds[name] == pytest.approx(sd, rel=1e-3)
    assert crossed.levels == {"BROOD": 118, "INDEX": 403, "LOCATION": 63}


def test_the_mean_of_counts_over_people_has_a_closed_form() -> None:
    model = fitted(TICKS, "TICKS ~ cHEIGHT + (1 | BROOD)", family="poisson")
    eta = model.population({"cHEIGHT": 10}, scale="link").estimate
    assert model.population({"cHEIGHT": 10}).estimate == pytest.approx(np.exp(eta + sigma(model) ** 2 / 2), rel=1e-10)


# --- slopes and crossed effects --------------------------------------------------------------------------------------


def test_slopes_nested_and_crossed() -> None:
    frame = two_within(3, 30, 1.0, items=True)
    model = fitted(frame, "y ~ x + h + (1 + h | person) + (1 | item)")
    assert model.nagq == 1
    assert set(model.sds) == {"person", "person: h", "item"}
    # h is constant within items (20 of them, of which the intercept and h are constant), and its slope is random.
    assert model.df.tolist() == [18, 600 - 3 - 29 - 19, 18]
    effects = model.random_effects()
    assert len(effects) == 30 * 2 + 20
    assert effects["sd"].isna().all()
    shifted = fitted(frame.assign(x=frame["x"] + 1e6), "y ~ x + h + (1 + h | person) + (1 | item)")
    assert shifted.log_likelihood == pytest.approx(model.log_likelihood, abs=1e-6)
    assert shifted.estimate[1] == pytest.approx(model.estimate[1], rel=1e-5)
    nested = fitted(frame.assign(room=frame["person"] // 5), "y ~ x + (1 | room/person)")
    assert nested.levels == {"room": 6, "room:person": 30}


def test_a_random_slope_is_that_of_the_column_as_it_is_given() -> None:
    frame = two_within(8, 30, 1.0, items=False)
    near = fitted(frame, "y ~ h + (1 + h | person)")
    far = fitted(frame.assign(h=frame["h"] + 5), "y ~ h + (1 + h | person)")
    assert near.df.tolist() == [29, 29]
    assert far.sds["person: h"] == pytest.approx(near.sds["person: h"], rel=1e-3)
    covariance = near.covariances[0].to_numpy()
    turn = np.array([[1.0, -5.0], [0.0, 1.0]])
    np.testing.assert_allclose(far.covariances[0], turn @ covariance @ turn.T, rtol=1e-2)
    sds = near.random_effects()["sd"].to_numpy().reshape(-1, 2)
    assert (sds < np.sqrt(np.diag(covariance)) + 1e-9).all()


@pytest.mark.slow
def test_spellings_are_one_model() -> None:
    several = [
        fitted(A, "y ~ x + g", cluster="person"),
        fitted(A, "y ~ x + g", random="(1 | person)"),
        fitted(A, "y ~ (1 | person) + x + g"),
        fitted(pl.from_pandas(A)),
        fitted(A.assign(y=np.where(A["y"] > 0, "yes", "no"))),
    ]
    for one, other in neighbours(several):
        np.testing.assert_allclose(one.estimate, other.estimate, atol=1e-7)
    linear = mixed(A, "x ~ g + (1 | person)")
    assert linear.apa() == mixed(A, "x ~ g", random="(1 | person)").apa()


def test_event_turns_the_signs() -> None:
    yes, no = (fitted(A.assign(y=np.where(A["y"] > 0, "yes", "no")), event=event) for event in ("yes", "no"))
    np.testing.assert_allclose(yes.estimate, -no.estimate, atol=1e-6)
    assert (yes.event, no.event) == ("yes", "no")


def test_predictions_of_rows_old_and_new() -> None:
    model = fitted()
    own = model.predictions(A)
    np.testing.assert_allclose(own["fitted"], model.predictions()["fitted"])
    np.testing.assert_allclose(own["fitted"], special.expit(own["fixed"] + own["random"]))
    new = model.predictions(pd.DataFrame({"x": [0.3], "g": [0], "person": ["somebody"]}, index=[7]))
    assert new.loc[7, "random"] == 0
    assert new.loc[7, "population"] == pytest.approx(0.375813, abs=1e-5)


@pytest.mark.slow
def test_draws_are_of_the_seed() -> None:
    model = fitted(nagq=1)
    one, two = (model.bootstrap_test("g", np.random.default_rng(4), n_resamples=19) for _ in range(2))
    assert one == two
    assert float(model.bootstrap_test("g", np.random.default_rng(4), n_resamples=1).p) in (0.5, 1.0)
    assert 1 / 20 <= float(one.p) <= 1
    ends = model.confidence_interval(method="bootstrap", of="g", rng=np.random.default_rng(4), n_resamples=40)
    assert float(ends.low) < model.estimate[2] < float(ends.high)


@pytest.mark.slow
def test_variances_and_frames() -> None:
    low, sd, high = fitted().variances(0.95)[["low", "sd", "high"]].to_numpy()[0]
    assert low < sd < high
    ratios = fitted().to_frame(ratios=True)
    assert ratios.loc[2, "estimate"] == pytest.approx(np.exp(1.279293), rel=1e-5)


# --- what is refused, and what is noted ------------------------------------------------------------------------------


HOSTILE = decisions(5, 30)


@pytest.mark.slow
def test_far_values_and_columns_by_any_name_give_the_same_fit() -> None:
    """The engine alone drops a covariate of 10⁸ and more without a word, and has no value for a level without rows."""
    plain = fitted(HOSTILE)
    far = fitted(HOSTILE.assign(x=HOSTILE["x"] + 1e8))
    np.testing.assert_allclose(far.estimate[1:], plain.estimate[1:], rtol=1e-7)
    assert far.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-6)
    spaced = HOSTILE.rename(columns={"x": "the offer", "person": "participant id"})
    for formula, cluster in (
        ("y ~ `the offer` + g + (1 | `participant id`)", None),
        ("y ~ `the offer` + g", "participant id"),
    ):
        other = fitted(spaced, formula, cluster=cluster)
        assert other.estimate.tolist() == plain.estimate.tolist()
        assert other.sds == {"participant id": sigma(plain)}
    slope = mixed(spaced, "y ~ g", cluster="participant id", random="`the offer`")
    assert slope.levels == {"participant id": 30}
    group = pd.Categorical(HOSTILE["g"].map({0.0: "a", 1.0: "b"}), categories=["a", "b", "nobody"])
    factor = fitted(HOSTILE.assign(g=group))
    assert factor.names == ("Intercept", "x", "g[b]")
    assert factor.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)
    assert fitted(HOSTILE, "y ~ x + C(g) + (1 | person)").log_likelihood == pytest.approx(
        plain.log_likelihood, abs=1e-8
    )


def test_missing_values_are_counted() -> None:
    frame = A.copy()
    frame.loc[3, "x"], frame.loc[9, "person"], frame.loc[11, "y"] = np.nan, None, np.nan
    assert fitted(frame).missing == 3


def test_without_the_engine_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from negstats.stats.models.responses import engine

    monkeypatch.setattr(engine, "has_engine", lambda: False)
    with pytest.raises(NotEstimable, match=r"needs glmm: pip install negstats\[mixed\]; gee does without"):
        fitted()


def test_notes() -> None:
    few = fitted(decisions(6002, 6))
    assert any(note.startswith("tests rest on") for note in few.notes)
    assert any("bootstrap_test" in note for note in few.notes)
    within = fitted(decisions(7, 12), "y ~ x + (1 | person)")
    assert not any("bootstrap_test" in note for note in within.notes)


def test_no_warning_of_the_engine_escapes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(two_within(2, 12, 0.0, items=False), "y ~ x + h + (1 + h | person)")


@pytest.mark.parametrize("seed", range(12))
def test_two_decisions_a_person_are_fitted_or_refused(seed: int) -> None:
    """Where Laplace runs away (SD up to 82), there is no fit; else the SD is below 10."""
    frame = decisions(3000 + seed, 40, 2)
    try:
        model = fitted(frame)
    except NotEstimable:
        return
    assert sigma(model) < 10


# --- size ------------------------------------------------------------------------------------------------------------


@pytest.mark.calibration
@pytest.mark.parametrize("people", [6, 12, 30])
def test_size_between_people(people: int) -> None:
    studies, rejected = runs(200, 20), 0
    for k in range(studies):
        try:
            rejected += bool(fitted(decisions(1000 * people + k, people), nagq=1).test("g").p < 0.05)
        except NotEstimable:
            continue
    low, high = (stats.binom.ppf(share, studies, 0.055) / studies for share in (0.001, 0.999))
    assert low <= rejected / studies <= max(high, 0.09)


@pytest.mark.calibration
def test_size_of_gee_and_of_a_slope() -> None:
    people, studies, slope, naive = 30, runs(200, 10), 0, 0
    for k in range(studies):
        frame = two_within(50000 * people + k, people, 1.0, items=False)
        slope += bool(fitted(frame, "y ~ x + h + (1 + h | person)").test("h").p < 0.05)
        naive += bool(gee(frame, "y ~ x + h", cluster="person").test("h").p < 0.05)
    assert slope / studies <= stats.binom.ppf(0.999, studies, 0.06) / studies
    assert naive / studies <= stats.binom.ppf(0.999, studies, 0.06) / studies


@pytest.mark.parametrize("sd", [0.3, 1.4, 5.0, 12.0])
def test_fewer_points_where_these_suffice_are_the_same_integral(sd: float, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.unique(A["person"], return_inverse=True)[1]
    x = np.column_stack([np.ones(len(A)), A["x"], A["g"]])
    rows = Clustered.of(x, A["y"].to_numpy(), codes, Distribution("binomial", "logit"))
    eta = x @ np.array([-2.2, 5.0, 1.3])
    fewer = rows.log_likelihood(eta, sd)
    monkeypatch.setattr(Clustered, "stride", lambda *_: 1)
    assert fewer == pytest.approx(rows.log_likelihood(eta, sd), abs=1e-7)


@pytest.mark.parametrize("family", ["poisson", "binomial"])
def test_gradients_of_means_over_people_are_their_slopes(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    """In ln σ, by the difference of means whose spread is a little larger and smaller."""
    frame = decisions(5, 30, effect=1.0)
    if family == "poisson":
        frame["y"] = np.random.default_rng(2).poisson(np.exp(0.3 * np.random.default_rng(3).normal(size=30)[
            pd.factorize(frame["person"])[0]] + 0.4))  # fmt: skip
    model = mixed(frame, "y ~ g", cluster="person", family=family)
    assert isinstance(model, MixedResponses)
    x, base, h = model.rows.x[:3], row_variance(model, model.rows.x[:3]) + 0.5, 1e-4
    means = []
    for step in (h, -h, 0.0):
        monkeypatch.setattr(population, "row_variance", lambda *_, step=step: base * np.exp(2 * step))
        means.append(population.means_of_rows(model, x, "population"))
    np.testing.assert_allclose(means[2][1][:, -1], (means[0][0] - means[1][0]) / (2 * h), rtol=1e-6)


def test_a_contrast_has_the_fewest_degrees_of_freedom_of_its_coefficients() -> None:
    model: Any = SimpleNamespace(df=np.array([40.0, 5.0]))
    assert population.fewest_df(model, np.array([1.0, 0.05])) == 5
    assert population.fewest_df(model, np.array([1.0, 1e-15])) == 40  # rounding
    assert population.fewest_df(model, np.zeros(2)) == 5


def test_three_people_are_enough() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"person": np.repeat(list("abc"), 40), "x": np.tile(np.arange(40.0), 3)})
    frame["y"] = (rng.random(120) < np.repeat([0.2, 0.5, 0.8], 40)).astype(int)
    assert mixed(frame, "y ~ x", cluster="person", family="binomial").n == 120
