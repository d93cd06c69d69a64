"""Exports of dyadic studies, from the file to the statistic: what oTree, Empirica, jsPsych and Qualtrics wrote.

The loaders' tests hold the figures of each card; here are the statistics that need its pairs. R 4.2.2, lme4 1.1-31 and
lmerTest 3.1-3 where nothing else is said.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.metrics.scales import SVO_ITEMS, subjective_value, svo_slider
from negstats.stats.agreement.measurements import icc
from negstats.stats.agreement.reliability import reliability
from negstats.stats.models.dyad_correlation import dyad_correlation
from negstats.stats.models.dyads import actor_partner
from negstats.stats.models.mixed import mixed
from negstats.stats.outcomes.logistic import logistic
from negstats.stats.relations.correlation import correlation
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.stats.closeness import agree
from tests.stats.models.data import coded_to_sum

ITEMS = [f"SVI_{item}" for item in range(1, 17)]


@pytest.fixture(scope="module")
def survey(real_data: DataFolder) -> Study:
    return negstats.load(real_data("qualtrics") / "svi_dyads_synthetic.csv")


@pytest.fixture(scope="module")
def people(survey: Study) -> pd.DataFrame:
    """One row a person: the inventory's scores, the role, and the pair's condition."""
    items = survey.answers[survey.answers["question"].isin(ITEMS)]
    scores = pd.DataFrame(subjective_value(items, ITEMS))
    roles = survey.players[["participant_id", "role"]]
    return scores.merge(roles, on="participant_id").merge(survey.games[["game_id", "condition"]], on="game_id")


def test_pairs_of_the_survey_are_alike(people: pd.DataFrame) -> None:
    assert len(people) == 24
    wide = people.pivot_table(index="game_id", columns="role", values="svi_global")
    alike = dyad_correlation(people, "svi_global", pair="game_id")
    assert round(float(alike.estimate), 4) == 0.4251
    assert round(float(correlation(wide, "buyer", "seller").r), 3) == 0.411
    # Of pairs of two, the one-way intraclass correlation and that of a random intercept are the same number.
    agree(icc(wide, ["buyer", "seller"], "1").estimate, alike.estimate, rtol=1e-12)
    agree(mixed(people, "svi_global ~ 1", "game_id", between="any").icc, alike.estimate, rtol=1e-10)


def test_means_of_the_surveys_conditions(people: pd.DataFrame) -> None:
    model = mixed(people, "svi_global ~ role * condition", "game_id")
    agree(model.deviance, 44.4434387368, rtol=1e-11)
    found = [(one.estimate, one.se, one.df) for one in coded_to_sum(model)]
    wanted = [
        (4.6675347222222, 0.1363510547973, 10),
        (-0.0633680555556, 0.0874360777826, 10),
        (0.0460069444444, 0.1363510547973, 10),
        (0.0477430555556, 0.0874360777826, 10),
    ]
    agree(found, wanted, rtol=1e-6)
    means = people.groupby("condition")["svi_global"].mean()
    assert means.round(4).to_dict() == {"chat": 4.7135, "video": 4.6215}


def test_actor_and_partner_of_the_survey(people: pd.DataFrame) -> None:
    model = actor_partner(people, "svi_relationship", "svi_outcome", pair="game_id", role="role")
    wanted = {  # R's lm of each seat on both predictors
        "intercept[buyer]": (0.576033674339, 1.316781386856),
        "actor[buyer]": (0.565217391304, 0.445892961656),
        "partner[buyer]": (0.338874680307, 0.384890620155),
        "intercept[seller]": (2.436540920716, 1.629926680754),
        "actor[seller]": (0.164961636829, 0.476421900572),
        "partner[seller]": (0.326086956522, 0.551931278964),
    }
    for term, numbers in wanted.items():
        one = model.coefficient(term)
        agree([one.estimate, one.se], numbers, rtol=1e-9)
        assert one.df == pytest.approx(9)
    agree(model.correlation, -0.512540812515, rtol=1e-9)


def test_reliability_of_the_inventory(survey: Study) -> None:
    items = survey.answers[survey.answers["question"].isin(ITEMS)]
    wide = items.assign(answer=items["answer"].astype(float)).pivot_table(
        index="participant_id", columns="question", values="answer"
    )
    wide[["SVI_3", "SVI_5"]] = 8 - wide[["SVI_3", "SVI_5"]]
    found = reliability(wide, ITEMS)
    assert found.missing == 1  # one person left out item 10
    agree(found.alpha, 0.772963027521, rtol=1e-10)  # R: k/(k - 1) (1 - sum(diag(C))/sum(C)) of 23 people


@pytest.mark.slow
def test_value_orientation_of_the_responders(real_data: DataFolder) -> None:
    answers = negstats.load(real_data("jspsych")).answers
    names = [f"svo_{item}" for item in range(1, 7)]
    amounts = answers[answers["question"].str.startswith("svo_")].pivot_table(
        index="participant_id", columns="question", values="answer", aggfunc="first"
    )
    positions = pd.DataFrame(index=amounts.index)
    for name, (first, last) in zip(names, np.array(SVO_ITEMS, dtype=float), strict=True):
        steps = np.floor(first + (last - first) * np.arange(9)[:, None] / 8 + 0.5)
        places = {(own, other): place for place, (own, other) in enumerate(steps.tolist(), 1)}
        pairs = zip(amounts[f"{name}_self"].astype(float), amounts[f"{name}_other"].astype(float), strict=True)
        positions[name] = [str(places[pair]) for pair in pairs]
    asked = positions.reset_index().melt("participant_id", var_name="question", value_name="answer")
    scores = pd.DataFrame(svo_slider(asked.assign(game_id=None), names))
    assert scores["svo_angle"].round(3).tolist()[:3] == [13.105, 23.552, 27.216]
    assert round(scores["svo_angle"].mean(), 3) == 17.071
    assert scores["svo_type"].value_counts().to_dict() == {"individualist": 6, "prosocial": 3}


@pytest.mark.slow
def test_acceptance_rises_with_the_offer(real_data: DataFolder) -> None:
    study = negstats.load(real_data("jspsych"))
    rows = study.offers.assign(yes=study.offers["response"].eq("accepted").astype(int))
    assert (len(rows), rows["yes"].sum()) == (96, 63)
    found = logistic(rows, "yes ~ units_to_responder")
    agree(found.estimate, [-1.867889526057918, 0.935616105992621], rtol=1e-9)  # R: glm with epsilon = 1e-15


def test_prices_by_role(real_data: DataFolder) -> None:
    study = negstats.load(real_data("empirica_v2"))
    seller = study.offers["proposer"].eq("seller")
    own = study.offers["units_to_proposer"].where(seller, study.offers["units_to_responder"])
    model = mixed(study.offers.assign(price=own.astype(float)), "price ~ proposer", "game_id")
    agree(model.deviance, 141.145021113, rtol=1e-11)
    assert model.tau2 == 0  # as lme4, which calls the fit singular
    effect = model.effect("proposer")  # of seller less buyer; lme4 has the half of buyer less seller
    agree([-effect.estimate / 2, effect.se / 2, effect.df], [-25.4444444444, 2.33901039897, 13.9267077863], rtol=1e-7)


def test_trust_is_returned(real_data: DataFolder) -> None:
    offers = negstats.load(real_data("otree_dyads") / "all_apps_wide.csv").offers
    trust = offers[offers["game_id"].str.contains("trust")]
    wide = trust.pivot_table(index="game_id", columns="proposer", values="units_to_responder").astype(float)
    found = correlation(wide.rename(columns={"1": "sent", "2": "returned"}), "sent", "returned")
    assert (round(float(found.r), 4), wide["1"].mean(), wide["2"].mean()) == (0.7394, 60.0, 71.875)
