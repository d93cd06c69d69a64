"""Acceptance curves against R, their edges, and how often their intervals cover the truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import binom

from negstats.errors import DesignError, NotEstimable
from negstats.estimate import acceptance_curve
from negstats.estimate.acceptance import fit_acceptance, influence_of_clusters, refit_resamples
from negstats.estimate.answers import Answers
from tests.conftest import runs

RNG = np.random.default_rng(5)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def _the_same_draws() -> None:
    """Begin anew, so that a test draws the same whichever ran before it."""
    RNG.bit_generator.state = START


BENEFIT = [-30, -20, -10, 0, 10, 10, 20, 20, 30, 30, 40, 50, 60, 60, 70, 80]
ACCEPTED = [0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1]


def build_answers(benefit: object, accepted: object, per_game: int = 1) -> Answers:
    values = np.asarray(benefit, dtype=float)
    return Answers(values, np.asarray(accepted, dtype=bool), np.arange(len(values)) // per_game)


# R 4: fit <- glm(accepted ~ benefit, binomial, epsilon = 1e-14); coef(fit); MASS::dose.p(fit, p = c(.5, .9));
# isoreg(benefit, ave(accepted, benefit))$yf
R_INTERCEPT = -1.5742365592661018
R_SLOPE = 0.0460461141596099
R_DOSES = [34.1882607902443, 81.9061761331105]
R_ISOTONIC = [0, 0, 0, 0, *[0.428571428571429] * 4, 0.666666666666667, 0.666666666666667, 1, 1]


def test_the_curve_is_that_of_r() -> None:
    curve = fit_acceptance(build_answers(BENEFIT, ACCEPTED), rng=RNG, n_draws=0)
    assert curve.intercept == pytest.approx(R_INTERCEPT, abs=1e-7)
    assert curve.slope == pytest.approx(R_SLOPE, abs=1e-8)
    assert [point.benefit for point in curve.points] == pytest.approx(R_DOSES, rel=1e-6)
    assert curve.isotonic["share"].tolist() == pytest.approx(R_ISOTONIC)
    assert curve.share_at(curve.points[1].benefit) == pytest.approx(0.9)


def test_the_bootstrap_fits_what_statsmodels_fits() -> None:
    one = build_answers(BENEFIT, ACCEPTED, per_game=16)  # one game: every draw is the data
    curve = fit_acceptance(one, rng=RNG, n_draws=0)
    drawn = refit_resamples(one, np.ones((3, 1), dtype=np.int64))
    assert drawn == pytest.approx(np.tile([curve.intercept, curve.slope], (3, 1)), rel=1e-8)


@pytest.mark.parametrize("shift", [-40, 60])
def test_where_benefits_begin_moves_the_curve_and_no_interval(shift: float) -> None:
    here, there = (
        fit_acceptance(build_answers(benefit, ACCEPTED * 4, 4), rng=np.random.default_rng(3), n_draws=200)
        for benefit in (np.array(BENEFIT * 4), np.array(BENEFIT * 4) + shift)
    )
    assert there.band["benefit"].to_numpy() == pytest.approx(here.band["benefit"].to_numpy() + shift)
    for name in ("probability", "low", "high"):
        assert there.band[name].to_numpy() == pytest.approx(here.band[name].to_numpy(), abs=1e-6)
    for mine, other in zip(here.points, there.points, strict=True):
        assert (other.low, other.benefit, other.high) == pytest.approx(
            tuple(float(at or 0) + shift for at in (mine.low, mine.benefit, mine.high)), abs=1e-4
        )


def test_the_same_generator_gives_the_same_interval() -> None:
    first, second = (
        fit_acceptance(build_answers(BENEFIT * 4, ACCEPTED * 4), rng=np.random.default_rng(3), n_draws=200)
        for _ in range(2)
    )
    assert first.points == second.points
    point = first.points[0]
    assert point.low is not None
    assert point.high is not None
    assert point.low < point.benefit < point.high


def test_from_tables() -> None:
    net = np.array(BENEFIT) // 5
    offers = pd.DataFrame({"game_id": "g", "offer": range(1, 17), "proposer": "Y", "units_to_responder": net})
    offers = offers.assign(units_to_proposer=0, response=np.where(ACCEPTED, "accepted", "rejected"))
    players = pd.DataFrame({"game_id": "g", "player": ["CS", "Y"], "role": ["customer", "provider_y"], "kind": "human"})
    curve = acceptance_curve(offers, players, "provider_y", rng=RNG, points_per_unit=5, n_draws=0)
    assert (
        curve.points[0].benefit
        == fit_acceptance(build_answers(BENEFIT, ACCEPTED), rng=RNG, n_draws=0).points[0].benefit
    )
    assert curve.to_frame().columns.tolist() == ["share", "benefit", "low", "high", "level", "isotonic"]
    assert curve.to_frame()["low"].isna().all()


@pytest.mark.parametrize(
    ("benefit", "accepted", "reason"),
    [
        ([1, 2, 3], [1, 1, 1], "3 of 3 offers were accepted"),
        ([1, 2, 3], [0, 0, 0], "0 of 3 offers"),
        ([], [], "0 of 0 offers"),
        ([5, 5], [0, 1], "all offers have a benefit of 5"),
        ([1, 2, 3, 4], [0, 0, 1, 1], "share one benefit at the most: acceptance jumps"),
        ([1, 2, 2, 4], [0, 0, 1, 1], "share one benefit at the most: acceptance jumps"),
        ([1, 2, 3, 4], [1, 1, 0, 0], "share one benefit at the most: acceptance jumps"),
        ([1, 2, 2, 3, 4], [1, 0, 1, 1, 0], "does not rise"),
    ],
)
def test_not_estimable_says_why(benefit: list[float], accepted: list[int], reason: str) -> None:
    with pytest.raises(NotEstimable, match=reason):
        fit_acceptance(build_answers(benefit, accepted), rng=RNG)


def test_too_many_failed_draws_give_no_interval() -> None:
    curve = fit_acceptance(build_answers([0, 1, 2, 3], [0, 1, 0, 1]), rng=RNG, n_draws=200)
    assert curve.failed > 10
    assert curve.points[0].low is None


def test_shares_and_levels_are_checked() -> None:
    for options in ({"shares": (1.0,)}, {"shares": (0.5, 0)}, {"confidence_level": 0}, {"n_draws": -1}):
        with pytest.raises(DesignError, match=rf"{next(iter(options))} is .*( such as 0\.9?5$|at least 0$)"):
            fit_acceptance(build_answers(BENEFIT, ACCEPTED), rng=RNG, **options)


def test_an_interval_rests_on_19_of_20_draws() -> None:
    claims = {}
    for seed in range(40):
        curve = fit_acceptance(build_answers(BENEFIT, ACCEPTED), rng=np.random.default_rng(seed), n_draws=20)
        claims[curve.failed] = curve.points[0].low is not None
    assert {failed: claims[failed] for failed in (0, 1, 2)} == {0: True, 1: True, 2: False}


def test_what_is_drawn_is_what_was_seen() -> None:
    curve = fit_acceptance(build_answers([0, 0, 1, 1, 2, 2, 2, 2], [0, 1, 0, 1, 1, 1, 1, 0]), rng=RNG, n_draws=0)
    assert curve.offers.to_numpy().tolist() == [[0, 2, 0.5], [1, 2, 0.5], [2, 4, 0.75]]
    assert curve.curve.groupby("method").size().to_dict() == {"isotonic": 3, "logistic": 81}


def test_a_person_without_whom_there_is_no_curve_has_no_influence() -> None:
    answers = Answers(np.array([0.0, 1.0, 2.0]), np.array([False, True, True]), np.zeros(3, dtype=int))
    assert influence_of_clusters(answers, 0.0, 1.0).tolist() == [[0, 0]]


@given(st.integers(0, 2**32 - 1))
def test_influence_is_one_step_of_newton_without_the_person(seed: int) -> None:
    """Pregibon (1981): from the whole curve, with the person's sums of score and information taken away."""
    rng = np.random.default_rng(seed)
    benefit, person = rng.normal(3, 2, 24), np.arange(24) // 4
    accepted = rng.random(24) < expit(benefit - 3)
    score = accepted - expit(0.7 * benefit - 2)
    spread = expit(0.7 * benefit - 2) * (1 - expit(0.7 * benefit - 2))
    design = np.column_stack([np.ones(24), benefit])
    steps = []
    for one in range(6):
        rest = person != one
        information = design[rest].T @ (spread[rest, np.newaxis] * design[rest])
        steps.append(np.linalg.solve(information, design[~rest].T @ score[~rest]))
    np.testing.assert_allclose(influence_of_clusters(Answers(benefit, accepted, person), -2.0, 0.7), steps, rtol=1e-6)


@pytest.mark.calibration
@pytest.mark.parametrize("noise", [15.0, 30.0])
def test_the_interval_covers_in_95_percent_of_studies(noise: float) -> None:
    """100 games of three offers; acceptance is logistic in the benefit, so its 50 % and 90 % points are known."""
    rng = np.random.default_rng(20260306)
    games, truth, hits = 100, [40.0, 40.0 + noise * np.log(9)], np.zeros(2)
    claims = 0
    studies = runs(1000, 250)
    for _ in range(studies):
        benefit = rng.integers(-15, 36, games * 3) * 5.0
        accepted = rng.random(games * 3) < expit((benefit - 40) / noise)
        curve = fit_acceptance(build_answers(benefit, accepted, per_game=3), rng=rng, n_draws=400)
        if curve.points[0].low is not None:
            claims += 1
            hits += [point.low <= one <= point.high for point, one in zip(curve.points, truth, strict=True)]
    print(noise, hits / claims, claims)
    assert claims > 0.99 * studies
    low, high = (0.93, 0.97) if studies == 1000 else (end / claims for end in binom.interval(0.999, claims, 0.95))
    assert (hits / claims >= low).all()
    assert (hits / claims <= high).all()
