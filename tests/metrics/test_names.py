"""Names of measures: aliases mean the same everywhere, near names are proposed, a study's own numbers come first."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats import metrics
from negstats.analysis.plan.parse import parse
from negstats.errors import PlanError, UsageError
from negstats.metrics import MEASURES
from negstats.metrics.lookup import is_measure, issue_measures
from negstats.metrics.names import ALIASES, PROPOSED, plain_letters
from negstats.metrics.own_numbers import ISSUE_MEASURES
from negstats.tables import conform, empty

TALK = {
    "games": conform("games", {"game_id": ["g", "h", "i"], "ended": ["agreement", "agreement", "walkaway"]}),
    "players": conform("players", {"game_id": [*"gghhii"], "player": ["A", "B"] * 3}),
    "offers": conform(
        "offers",
        {
            "game_id": ["g", "g", "g", "h", "i"],
            "offer": [1, 2, 3, 1, 1],
            "proposer": ["A", "B", "A", "B", "A"],
            "response": ["superseded", "superseded", "accepted", "accepted", "rejected"],
        },
    ),
    "items": conform(
        "items",
        {
            "game_id": ["g", "g", "g", "h", "i", "i"],
            "offer": [1, 2, 3, 1, 1, 1],
            "item": ["price", "price", "price", "price", "price", "gold"],
            "receiver": [None, None, None, None, None, "A"],
            "quantity": [90.0, 70, 80, 60, 95, 2],
        },
    ),
    "answers": empty("answers"),
}


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("offer", "units_to_responder"),
        ("offer size", "units_to_responder"),
        ("Units to Responder", "units_to_responder"),
        ("Demand", "units_to_proposer"),
        ("share offered", "share_to_responder"),
        ("first offer", "first_offer"),
        ("first-offer amount", "first_amount"),
        ("agreement rate", "agreed"),
        ("joint points", "joint_value"),
        ("Points", "points"),
        ("MAO", "least_acceptable"),
        ("minimum_acceptable_offer", "least_acceptable"),
        ("least acceptable offer", "least_acceptable"),
        ("agreed price", "price"),
    ],
)
def test_a_measure_is_known_by_what_people_type(typed: str, name: str) -> None:
    assert metrics.measure(typed).name == name
    assert is_measure(typed)
    question = f'[questions.H1]\nasks = "Do they differ?"\nby = "country"\nmeasure = "{typed}"\nwith = ["rounds"]\n'
    assert parse(question).questions["H1"].measure == name
    assert parse(f'{question}[measures.own]\nmeasure = "{typed}"').measures["own"].measure == name


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("jiont_value", "joint_value"),
        ("MOA", "least_acceptable"),
        ("minimum offer acceptable", "least_acceptable"),
        ("ofer size", "units_to_responder"),
        ("demnad", "units_to_proposer"),
        ("prise", "price"),
        ("anchor", "first_offer"),
        ("acceptance", "agreed"),
    ],
)
def test_what_is_nearly_a_name_or_may_mean_more_is_proposed(typed: str, name: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean '{name}'"):
        metrics.measure(typed)
    with pytest.raises(PlanError, match=f"did you mean '{name}'"):
        parse(f'[questions.H1]\nasks = "Do they differ?"\nby = "country"\nmeasure = "{typed}"')
    with pytest.raises(UsageError, match=f"did you mean '{name}'"):
        metrics.measure_in(TALK, typed)


def test_each_other_name_has_one_meaning_and_hides_no_measure() -> None:
    phrases = [phrase for one in (*ALIASES.values(), *PROPOSED.values()) for phrase in one.split(", ")]
    letters = [plain_letters(phrase) for phrase in phrases]
    assert len(set(letters)) == len(letters)
    assert not set(letters) & {plain_letters(name) for name in MEASURES}
    assert set(ALIASES) | set(PROPOSED) <= {*MEASURES, *ISSUE_MEASURES}


@pytest.mark.slow
def test_the_price_of_the_deal_and_of_first_and_last_offers() -> None:
    """A price that both sides name is one number: that of the accepted offer, and that of each seat's first or last."""
    values = {
        name: metrics.measure_in(TALK, name).compute(TALK)[name].tolist()
        for name in ("price", "first_price", "last_price")
    }
    np.testing.assert_array_equal(values["price"], [80, 60, np.nan])
    np.testing.assert_array_equal(values["first_price"], [90, 70, np.nan, 60, 95, np.nan])
    np.testing.assert_array_equal(values["last_price"], [80, 70, np.nan, 60, 95, np.nan])
    assert issue_measures(TALK) == ["price"]


def test_offers_without_numbers_have_no_measure_of_an_issue() -> None:
    assert issue_measures(TALK | {"items": empty("items")}) == []


def test_a_number_of_the_study_comes_before_another_name_of_a_measure() -> None:
    own = TALK | {"games": TALK["games"].assign(score=[1.0, 2, 3], price=[5.0, 6, 7])}
    assert metrics.measure_in(own, "score").compute(own)["score"].tolist() == [1, 2, 3]
    assert metrics.measure_in(own, "price").compute(own)["price"].tolist() == [5, 6, 7]
    assert metrics.measure_in(TALK, "score").name == "points"


@pytest.mark.parametrize("question", ["least_acceptable", "MAO", "minimum acceptable offer"])
def test_the_least_acceptable_offer_is_an_answer_by_any_of_its_names(question: str) -> None:
    players = TALK["players"].assign(participant_id=pd.array([*"pqrstu"], dtype="str"))
    answers = conform("answers", {"participant_id": ["q"], "game_id": ["g"], "question": [question], "answer": ["3"]})
    tables = TALK | {"players": players, "answers": answers}
    values = metrics.measure("least_acceptable").compute(tables)["least_acceptable"]
    np.testing.assert_array_equal(values, [np.nan, 3, np.nan, np.nan, np.nan, np.nan])
