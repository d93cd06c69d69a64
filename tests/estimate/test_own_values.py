"""Thresholds and curves of studies other than haim2017's: own values, shares, least acceptable amounts, people."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from negstats.errors import SchemaError
from negstats.estimate import acceptance, acceptance_curve, acceptance_threshold
from negstats.estimate.acceptance import fit_acceptance
from negstats.estimate.answers import Answers, decisions
from negstats.estimate.logistic import fit_logistic, influence_of_clusters, refit_resamples
from negstats.plots import acceptance_curve as drawn_curve

SEED = 20260309


def one_shot(given: list[float], pie: float, accepted: list[bool], people: list[str] | None = None) -> dict[str, Any]:
    """One offer a game between two people: an ultimatum."""
    games = [f"g{place}" for place in range(len(given))]
    offers = pd.DataFrame(
        {
            "game_id": games,
            "offer": 1,
            "proposer": "P",
            "responder": "R",
            "units_to_responder": given,
            "response": np.where(accepted, "accepted", "rejected"),
        }
    )
    players = pd.DataFrame(
        {
            "game_id": np.repeat(games, 2),
            "player": ["P", "R"] * len(games),
            "role": ["proposer", "responder"] * len(games),
            "kind": "human",
            "participant_id": np.ravel([[f"p{place}", who] for place, who in enumerate(people or games)]),
        }
    )
    return {"offers": offers.assign(units_to_proposer=pie - offers["units_to_responder"]), "players": players}


def test_benefits_are_the_studys_own_values_less_the_batna() -> None:
    tables = one_shot([1, 2, 3, 4, 5, 6], 10, [False, False, False, True, True, True])
    tables["offers"]["value_responder"] = [-10.0, -8.0, -6.0, -4.0, -2.0, 0.0]
    threshold = acceptance_threshold(**tables)
    assert (threshold.benefit, threshold.unit) == (-4.0, "points")
    assert threshold.bracket is not None
    assert (threshold.bracket.refused, threshold.bracket.low, threshold.bracket.high) == (
        -6.0,
        -6.0,
        -4.0,
    )  # no known steps
    tables["players"]["batna"] = np.where(tables["players"]["player"] == "R", 2.0, 99.0)
    assert acceptance_threshold(**tables).benefit == -6.0


def test_without_values_benefits_are_shares_of_the_pie() -> None:
    threshold = acceptance_threshold(**one_shot([1, 2, 3, 4, 5, 6], 10, [False, False, False, True, True, True]))
    assert threshold.unit == "share of the pie"
    assert threshold.benefit == pytest.approx(0.4)
    assert threshold.bracket is not None
    assert threshold.bracket.low == pytest.approx(0.4)  # a step of one in ten above the greatest refused share


def test_a_study_without_rivals_has_no_second_condition() -> None:
    threshold = acceptance_threshold(**one_shot([1, 2, 3, 4, 5, 6], 10, [False, False, False, True, True, True]))
    assert not threshold.rivals
    assert threshold.estimable
    assert threshold.to_frame()["as_generous"].isna().all()


def test_where_units_change_hands_and_score_nothing_known_they_are_counted() -> None:
    offers = pd.DataFrame({"game_id": "g", "offer": [1, 2], "proposer": "P", "units_to_proposer": [11, 11]})
    offers = offers.assign(units_to_responder=[40, 20], response=["accepted", "rejected"])
    players = pd.DataFrame({"game_id": "g", "player": ["P", "R"], "role": ["seller", "buyer"], "kind": "human"})
    answers = decisions(offers, players, "seller").answers
    assert answers.benefit.tolist() == [29.0, 9.0]
    assert answers.unit == "units"


class TestStrategyMethod:
    """People said the least that they accept, so each decides about every possible offer."""

    LEAST = (0, 20, 30, 30, 40, 40, 50, 50)

    def tables(self) -> dict[str, Any]:
        people = [f"r{place}" for place in range(8)]
        tables = one_shot([50.0] * 8, 100, [True] * 8, people)
        answers = {"participant_id": people, "game_id": [f"g{place}" for place in range(8)]}
        least = list(map(str, self.LEAST))
        return tables | {"answers": pd.DataFrame({**answers, "question": "least_acceptable", "answer": least})}

    def test_all_accept_from_the_greatest_least_amount_on(self) -> None:
        threshold = acceptance_threshold(**self.tables())
        assert threshold.elicited
        assert threshold.benefit == pytest.approx(0.5)
        assert (threshold.people, threshold.n) == (8, 8 * 101)

    def test_the_isotonic_curve_is_the_share_of_people_who_accept_so_little(self) -> None:
        curve = acceptance_curve(**self.tables(), rng=np.random.default_rng(1), n_draws=200)
        steps = curve.isotonic.set_index(curve.isotonic["benefit"].round(2))["share"]
        for amount in (0, 19, 20, 35, 49, 50, 100):
            assert steps[amount / 100] == np.mean(np.array(self.LEAST) <= amount)
        assert 0.25 < curve.points[0].benefit < 0.45
        assert curve.points[0].low is not None
        assert curve.points[0].low < curve.points[0].benefit

    def test_amounts_need_no_offers(self) -> None:
        tables = self.tables()
        tables["offers"] = tables["offers"].iloc[:0]
        threshold = acceptance_threshold(**tables)
        assert (threshold.benefit, threshold.unit, threshold.n) == (50.0, "units", 8 * 5)

    def test_amounts_become_points_where_a_unit_is_worth_the_same_everywhere(self) -> None:
        tables = self.tables()
        tables["offers"]["value_responder"] = tables["offers"]["units_to_responder"] * 2.0
        threshold = acceptance_threshold(**tables)
        assert (threshold.benefit, threshold.unit) == (100.0, "points")

    def test_an_amount_that_is_none_is_refused(self) -> None:
        tables = self.tables()
        tables["answers"].loc[3, "answer"] = "a lot"
        with pytest.raises(SchemaError, match="'a lot' is not a number"):
            acceptance_threshold(**tables)


def test_people_are_drawn_not_games() -> None:
    """One person who decides in all games is one unit, whatever the number of games."""
    many = one_shot([1, 2, 3, 4] * 5, 10, [False, True, False, True] * 5, [f"r{place % 4}" for place in range(20)])
    answers = decisions(many["offers"], many["players"], None).answers
    assert (answers.people, answers.games) == (4, 20)
    assert answers.person.tolist() == [0, 1, 2, 3] * 5
    many["players"]["participant_id"] = None
    assert decisions(many["offers"], many["players"], None).answers.people == 20


@pytest.mark.calibration
def test_the_interval_covers_where_people_answer_many_offers() -> None:
    """80 people of different thresholds answer six offers each; drawing games would cover far less."""
    rng, hits, claims = np.random.default_rng(SEED), 0, 0
    people, each, spread = 80, 6, 2.0
    # The 50 % point of the population: a symmetric mixture about 4.
    for _ in range(300):
        benefit = rng.uniform(0, 8, (people, each))
        accepted = rng.random((people, each)) < expit((benefit - 4 - rng.normal(0, spread, (people, 1))) / 0.5)
        answers = Answers(benefit.ravel(), accepted.ravel(), np.repeat(np.arange(people), each))
        point = fit_acceptance(answers, rng=rng, shares=(0.5,), n_draws=300).points[0]
        if point.low is not None and point.high is not None:
            claims += 1
            hits += point.low <= 4 <= point.high
    assert claims > 290
    assert 0.91 <= hits / claims <= 0.98


def test_deletion_formulas_are_near_the_refits_without_each_person() -> None:
    rng = np.random.default_rng(SEED)
    benefit = np.asarray(rng.integers(-10, 30, 400) * 5.0, dtype=np.float64)
    answers = Answers(benefit, rng.random(400) < expit((benefit - 40) / 25), np.arange(400) // 2)
    intercept, slope = fit_logistic(answers)
    exact = [intercept, slope] - refit_resamples(answers, 1 - np.eye(200, dtype=np.int64))
    formula = influence_of_clusters(answers, intercept, slope)
    assert np.abs(formula - exact).max() < 0.03 * np.abs(exact).max()
    assert np.corrcoef(formula[:, 1], exact[:, 1])[0, 1] > 0.999


@pytest.mark.slow
def test_the_estimate_is_drawn_as_it_is() -> None:
    rng = np.random.default_rng(SEED)
    drawn_offers = rng.integers(0, 11, 120)
    tables: dict[str, Any] = one_shot(drawn_offers.tolist(), 10, (rng.random(120) < expit(drawn_offers - 4.0)).tolist())
    games = pd.DataFrame({"game_id": tables["offers"]["game_id"], "country": ["IL", "US"] * 60})
    (whole,) = acceptance(tables | {"games": games}, seed=1, n_draws=200)
    ax = drawn_curve(whole)
    assert ax.get_xlabel() == "benefit to the one who is asked (share of the pie)"
    assert np.asarray(ax.collections[0].get_offsets())[:, 0].tolist() == sorted(
        {amount / 10 for amount in drawn_offers}
    )
    assert ax.get_ylim()[0] < 0 < 1 < ax.get_ylim()[1]
    halves = acceptance(tables | {"games": games}, "country", seed=1, n_draws=0)
    assert [part.group for part in halves] == ["IL", "US"]
    assert sum(part.threshold.n for part in halves) == 120


def test_no_curve_is_none_in_the_record() -> None:
    tables: dict[str, Any] = one_shot([1, 2], 10, [True, True])
    games = pd.DataFrame({"game_id": ["g0", "g1"]})
    (result,) = acceptance(tables | {"games": games}, seed=1)
    assert result.to_dict()["curve"] is None
