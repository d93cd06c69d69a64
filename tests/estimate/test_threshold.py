"""The acceptance threshold: its two conditions, its reasons, and how often its interval covers the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import DesignError, NotEstimable, SchemaError, UsageError
from negstats.estimate import acceptance_threshold
from negstats.estimate.answers import Answers
from negstats.estimate.threshold import bracket

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
def test_not_estimable_says_why(rows: list[tuple[str, str, int, str]], reason: str) -> None:
    threshold = acceptance_threshold(offers(*rows, ("h", "G", 4, "none")), PLAYERS, "provider_y", points_per_unit=5)
    assert not threshold.estimable
    assert threshold.answered_always is None
    assert threshold.as_generous == 20
    with pytest.raises(NotEstimable, match=reason):
        _ = threshold.benefit
    assert threshold.to_frame()["benefit"].isna().all()


def test_without_rivals_offers_condition_2_is_missing() -> None:
    threshold = acceptance_threshold(offers(*STEP), PLAYERS, "provider_y", points_per_unit=5)
    assert threshold.answered_always == 40
    with pytest.raises(NotEstimable, match="no other provider made an offer"):
        _ = threshold.benefit


def test_contradictory_answers_have_no_interval() -> None:
    bracket = acceptance_threshold(
        offers(*STEP, ("h", "Y", 3, "accepted")), PLAYERS, "provider_y", points_per_unit=5
    ).bracket
    assert bracket is not None
    assert (bracket.refused, bracket.accepted, bracket.low, bracket.high) == (30, 40, None, None)
    assert "no sharp threshold" in str(bracket.reason)


def test_faults() -> None:
    with pytest.raises(UsageError, match="'provider_z'; in human-only games offers were made by provider_y"):
        acceptance_threshold(offers(*STEP), PLAYERS, "provider_z", points_per_unit=5)
    with pytest.raises(DesignError, match="support is 0"):
        acceptance_threshold(offers(*STEP), PLAYERS, "provider_y", support=0)
    with pytest.raises(DesignError, match="confidence_level is 1"):
        acceptance_threshold(offers(*STEP), PLAYERS, "provider_y", confidence_level=1)
    with pytest.raises(SchemaError, match="'response': the column is not there"):
        acceptance_threshold(offers(*STEP).drop(columns="response"), PLAYERS, "provider_y", points_per_unit=5)


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
