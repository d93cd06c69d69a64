"""Acceptance of offers: its curve, and the benefit from which on every offer is accepted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import binom

from negstats.errors import NotEstimable
from negstats.estimate import acceptance_curve, acceptance_threshold
from negstats.estimate.acceptance import fit_acceptance
from negstats.estimate.answers import Answers
from negstats.estimate.logistic import influence_of_clusters, refit_resamples
from negstats.estimate.threshold import bracket
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


def test_too_many_failed_draws_give_no_interval() -> None:
    curve = fit_acceptance(build_answers([0, 1, 2, 3], [0, 1, 0, 1]), rng=RNG, n_draws=200)
    assert curve.failed > 10
    assert curve.points[0].low is None


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


PLAYERS = pd.DataFrame(
    {
        "game_id": ["h"] * 3 + ["a"] * 3,
        "player": ["CS", "G", "Y"] * 2,
        "role": ["customer", "provider_g", "provider_y"] * 2,
        "kind": ["human"] * 5 + ["agent"],
    }
)


def offers(*rows: tuple[str, str, int, str]) -> pd.DataFrame:
    games, seats, net, responses = zip(*rows, strict=True)
    frame = pd.DataFrame({"game_id": games, "proposer": seats, "units_to_responder": net, "response": responses})
    return frame.assign(offer=range(1, len(rows) + 1), units_to_proposer=0)


def asked(benefit: object, accepted: object) -> Answers:
    values = np.asarray(benefit, dtype=float)
    return Answers(values, np.asarray(accepted, dtype=bool), np.arange(len(values)))


STEP = [("h", "Y", net, "accepted" if net >= 8 else "rejected") for net in (2, 4, 6, 8, 10, 12)]


def test_both_conditions_and_each_alone() -> None:
    threshold = acceptance_threshold(
        offers(*STEP, ("h", "G", 12, "rejected")), PLAYERS, "provider_y", points_per_unit=5
    )
    assert (threshold.answered_always, threshold.as_generous, threshold.benefit) == (40, 60, 60)
    threshold = acceptance_threshold(offers(*STEP, ("h", "G", 1, "rejected")), PLAYERS, "provider_y", points_per_unit=5)
    assert (threshold.answered_always, threshold.as_generous, threshold.benefit) == (40, 5, 40)
    assert threshold.to_frame()[["n", "accepted", "games", "unanswered"]].iloc[0].tolist() == [6, 3, 1, 0]


def test_agents_games_do_not_count_and_superseded_offers_are_no_answers() -> None:
    rows = [*STEP, ("a", "Y", 30, "rejected"), ("h", "Y", 20, "superseded"), ("h", "Y", 20, "none")]
    threshold = acceptance_threshold(offers(*rows), PLAYERS, "provider_y", points_per_unit=5)
    assert (threshold.answered_always, threshold.unanswered, threshold.n) == (40, 2, 6)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("h", "Y", 4, "accepted"), ("h", "Y", 5, "accepted")], "all 2 offers were accepted"),
        ([("h", "Y", 4, "rejected")], "was refused, and only 0"),
        ([*STEP, ("h", "Y", 14, "rejected")], "benefit of 70 points was refused, and only 0"),
        ([*STEP[:5]], "only 2 with more were accepted; at least 3"),
        ([("h", "Y", 4, "none")], "no offer was answered"),
    ],
)
def test_not_estimable_says_why_threshold(rows: list[tuple[str, str, int, str]], reason: str) -> None:
    threshold = acceptance_threshold(offers(*rows, ("h", "G", 4, "none")), PLAYERS, "provider_y", points_per_unit=5)
    assert not threshold.estimable
    assert threshold.answered_always is None
    assert threshold.as_generous == 20
    with pytest.raises(NotEstimable, match=reason):
        _ = threshold.benefit
    assert threshold.to_frame()["benefit"].isna().all()


def test_without_rivals_offers_condition_2_is_missing() -> None:
    assert acceptance_threshold(offers(*STEP), PLAYERS, "provider_y", points_per_unit=5).answered_always == 40


def test_contradictory_answers_have_no_interval() -> None:
    bracket = acceptance_threshold(
        offers(*STEP, ("h", "Y", 3, "accepted")), PLAYERS, "provider_y", points_per_unit=5
    ).bracket
    assert bracket is not None
    assert (bracket.refused, bracket.accepted, bracket.low, bracket.high) == (30, 40, None, None)
    assert "no sharp threshold" in str(bracket.reason)


@pytest.mark.parametrize(
    ("accepted", "step", "level", "ends"),
    [
        (10, None, 0.9, (0.5, 9.5)),
        (100, 1, 0.95, (3, 98)),  # of 100 steps two and a half lie outside on each side: two whole ones are left off
        (20, 1, 0.9, (2, 19)),  # one exactly
        (200, 10, 0.9, (20, 190)),
        (10, 1, 0.95, (1, 10)),
        (10, "unknown", 0.5, (0, 10)),
    ],
)
def test_the_inner_share_of_the_bracket(accepted: float, step: Any, level: float, ends: tuple[float, float]) -> None:
    for moved in (0, 30 * 10):
        benefit = np.array([-5, 0, accepted, accepted + 1]) + moved
        bounds = bracket(asked(benefit, [0, 0, 1, 1]), step=step, confidence_level=level)
        assert (bounds.low, bounds.high) == pytest.approx((ends[0] + moved, ends[1] + moved))


def test_one_benefit_with_both_answers_is_no_sharp_threshold() -> None:
    bounds = bracket(asked([0, 5, 5, 8], [0, 0, 1, 1]))
    assert (bounds.refused, bounds.accepted, bounds.low) == (5, 8, None)


def test_an_interval_is_claimed_where_condition_1_decides() -> None:
    def interval(*rows: tuple[str, str, int, str], **options: Any) -> tuple[float, float] | None:
        return acceptance_threshold(offers(*rows), PLAYERS, "provider_y", points_per_unit=5, **options).interval

    assert interval(*STEP, ("h", "G", 1, "rejected")) == (35, 40)
    assert interval(*STEP, ("h", "G", 12, "rejected")) is None  # condition 2 decides
    assert interval(*STEP) is None  # no rival made an offer
    assert interval(*STEP, ("h", "Y", 3, "accepted"), ("h", "G", 1, "none")) is None  # contradicted
    assert interval(*STEP[:5], ("h", "G", 1, "none")) is None  # two accepted offers are too few
    assert interval(*STEP[:4], ("h", "G", 1, "none"), support=1) == (35, 40)


@given(st.lists(st.integers(-40, 40), min_size=2, max_size=40), st.integers(-40, 40))
def test_a_sharp_threshold_is_always_in_the_bracket(net: list[int], truth: int) -> None:
    benefit = np.array(net) * 5.0
    try:
        bounds = bracket(asked(benefit, benefit >= truth * 5), step=5)
    except NotEstimable:
        assert (benefit >= truth * 5).all() or (benefit < truth * 5).all()
        return
    assert bounds.refused < truth * 5 <= bounds.accepted
    assert bounds.low is not None
    assert bounds.high is not None
    assert bounds.refused < bounds.low <= bounds.high <= bounds.accepted


def coverage(draw: object, truth: float, step: float | None, n_simulations: int = 4000) -> tuple[float, float]:
    """The share of estimable studies whose interval covers the truth, and the share of estimable ones."""
    rng = np.random.default_rng(20260305)
    hits = claims = 0
    for _ in range(n_simulations):
        benefit = draw(rng)  # type: ignore[operator]
        try:
            bounds = bracket(asked(benefit, benefit >= truth), step=step, support=3)
        except NotEstimable:
            continue
        assert bounds.low is not None
        assert bounds.high is not None
        claims += 1
        hits += bounds.low <= truth <= bounds.high
    return hits / claims, claims / n_simulations


@pytest.mark.slow
@pytest.mark.calibration
def test_the_interval_of_a_sharp_threshold_covers_in_95_percent_of_studies() -> None:
    uniform, estimable = coverage(lambda rng: rng.uniform(-100, 150, 60), 50.0, None)
    assert 0.93 <= uniform <= 0.97
    assert estimable > 0.99
    few, estimable = coverage(lambda rng: rng.uniform(-100, 150, 12), 50.0, None)
    assert 0.93 <= few <= 0.97
    bell, _ = coverage(lambda rng: rng.normal(10, 50, 80), 50.0, None)  # no even spread, but near it between neighbours
    assert 0.93 <= bell <= 0.97
    fine, _ = coverage(lambda rng: rng.integers(-2000, 3000, 12), 1000.0, 1)  # hundreds of steps in a bracket
    assert 0.93 <= fine <= 0.97


@pytest.mark.slow
@pytest.mark.calibration
def test_on_coarse_scales_the_interval_is_the_bracket_and_always_covers() -> None:
    chips, _ = coverage(lambda rng: 5 * rng.integers(-20, 31, 60), 50.0, 5)
    assert chips == 1.0
