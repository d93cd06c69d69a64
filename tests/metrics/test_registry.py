"""The measures by name: aliases and near names, what they return, what they need, and what they say without it."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats import metrics
from negstats.analysis.plan.parse import parse
from negstats.errors import PlanError, UsageError
from negstats.metrics import MEASURES, available, definition, measure, step_rates
from negstats.metrics.definition import has_no
from negstats.metrics.lookup import is_measure, issue_measures
from negstats.metrics.names import ALIASES, PROPOSED, plain_letters
from negstats.metrics.own_numbers import ISSUE_MEASURES
from negstats.tables import conform, empty
from tests.metrics import sample

EXPECTED = {
    "game": {
        "joint_value",
        "agreed",
        "walked_away",
        "rounds",
        "offers",
        "duration_s",
        "pareto_optimal",
        "distance_to_frontier",
        "distance_to_nash",
        "distance_to_kalai_smorodinsky",
        "distance_to_egalitarian",
        "potential_realised",
        "logrolling",
        "logrolling_by_issue",
        "conflict_opposition",
        "conflict_axelrod",
        "conflict_correlation",
        "ended_with_commitment",
        "utterances",
        "words_per_utterance",
        "offer_share",
    },
    "player": {
        "points",
        "reached_goal",
        "first_amount",
        "first_offer",
        "least_acceptable",
        "concession_rate",
        "nice_rate",
        "fortunate_rate",
        "unfortunate_rate",
        "selfish_rate",
        "silent_rate",
        "fehr_schmidt_fair",
        "fehr_schmidt_envious",
        "fehr_schmidt_dislikes_being_outdone",
        "state_share",
        "ask_share",
        "propose_share",
        "accept_share",
        "reject_share",
        "booking_share",
        "leave_share",
        "initiative",
        "information_told",
        "concessions",
        "unliked_proposals",
    },
    "offer": {
        "competitiveness",
        "generosity",
        "benefit",
        "benefit_to_responder",
        "units_to_responder",
        "units_to_proposer",
        "share_to_responder",
    },
}
KEYS = {
    "game": ("games", ["game_id"]),
    "player": ("players", ["game_id", "player"]),
    "offer": ("offers", ["game_id", "offer", "proposer"]),
}


@pytest.fixture(scope="module")
def study() -> dict[str, pd.DataFrame]:
    """Return the sample with what the first person would accept at least."""
    tables = sample.tables()
    ids = [f"p{place}" for place in range(len(tables["players"]))]
    players = tables["players"].assign(participant_id=pd.Series(ids, dtype="str", index=tables["players"].index))
    answers = {"participant_id": ["p0"], "question": ["least_acceptable"], "answer": ["3"]}
    return tables | {"players": players, "answers": conform("answers", answers)}


def test_the_measures_and_their_levels() -> None:
    levels = {level: {name for name, known in MEASURES.items() if known.per == level} for level in KEYS}
    assert levels == EXPECTED
    assert all(known.name == name and known.unit and known.meaning for name, known in MEASURES.items())


@pytest.mark.slow(keep=7)
@pytest.mark.parametrize("name", MEASURES)
def test_one_value_for_each_row_of_its_level_in_the_same_order(study: dict[str, pd.DataFrame], name: str) -> None:
    table, key = KEYS[MEASURES[name].per]
    result = measure(name).compute(study)
    assert list(result.columns) == [*key, name]
    pd.testing.assert_frame_equal(result[key], study[table][key])
    assert result[name].dtype == np.float64
    assert result[name].notna().any()


def test_steps_of_the_registry_are_those_of_the_function(study: dict[str, pd.DataFrame]) -> None:
    rates = step_rates(study["offers"], study["players"])
    expected = study["players"][["game_id", "player"]].merge(rates, how="left")["nice_rate"].astype("float64")
    np.testing.assert_array_equal(measure("nice_rate").compute(study)["nice_rate"], expected)


def test_rounds_are_those_of_the_games(study: dict[str, pd.DataFrame]) -> None:
    expected = study["games"]["rounds"].astype("float64")
    np.testing.assert_array_equal(measure("rounds").compute(study)["rounds"], expected)


@pytest.mark.slow
def test_what_is_available(study: dict[str, pd.DataFrame]) -> None:
    assert available(study) == list(MEASURES)
    for name in available(study):
        measure(name).compute(study)
    silent = study | {"messages": empty("messages")}
    talk = {name for name in MEASURES if name.endswith("_share")} | {"initiative", "information_told", "concessions"}
    talk |= {"unliked_proposals"}
    assert set(available(study)) - set(available(silent)) == {"utterances", "words_per_utterance"} | talk
    assert available({}) == []
    assert available({name: empty(name) for name in study}) == []


@pytest.mark.slow
def test_each_column_is_looked_at_once(study: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[str] = []

    def look(table: Any, condition: Any = None) -> bool:
        looks.append(f"{id(table)} {condition}")
        return has_no(table, condition)

    monkeypatch.setattr(definition, "has_no", look)
    for tables in (study, {**study, "offers": empty("offers")}, {"games": study["games"]}):
        apart = {name: one.lacking(tables) for name, one in MEASURES.items()}
        n_apart = len(looks)
        looks.clear()
        asked = definition.AskedTables(tables)
        assert {name: one.lacking(asked) for name, one in MEASURES.items()} == apart
        assert {name: one.lacking(asked) for name, one in MEASURES.items()} == apart
        assert len(looks) < n_apart / 3
        looks.clear()


@pytest.mark.parametrize("name", MEASURES)
def test_without_tables_every_measure_says_so(name: str) -> None:
    with pytest.raises(
        UsageError, match=f"^{name} cannot be computed: the study has no (games|players|offers|values|messages)"
    ):
        measure(name).compute({})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "table", "column", "value", "reason"),
    [
        (
            "joint_value",
            "players",
            "points",
            np.nan,
            r"column 'points' of players \(the seat's score.*\) is missing in",
        ),
        ("benefit", "players", "batna", np.nan, r"column 'batna' of players \(what the seat gets without agreement"),
        (
            "pareto_optimal",
            "offers",
            "response",
            "rejected",
            "no row of offers has 'accepted' in the column 'response'",
        ),
        ("agreed", "games", "ended", "goal", "no row of games has 'agreement' or 'walkaway' or"),
        ("walked_away", "games", "ended", "unknown", "no row of games has 'agreement' or 'goal' or"),
        ("ended_with_commitment", "players", "role", "buyer", "no row of players has 'customer' in the column 'role'"),
        ("nice_rate", "offers", "value_responder", np.nan, "column 'value_responder' of offers"),
        ("offer_share", "messages", "act", "accept-deal", "no row of messages has 'offer' or 'submit-deal'"),
    ],
)
def test_reasons(
    study: dict[str, pd.DataFrame], name: str, table: str, column: str, value: str | float, reason: str
) -> None:
    changed = study[table].copy()
    changed[column] = value
    tables = study | {table: changed}
    assert name not in available(tables)
    with pytest.raises(UsageError, match=f"{name} cannot be computed: .*{reason}"):
        measure(name).compute(tables)


@pytest.mark.slow
def test_steps_need_two_offers_of_one_seat(study: dict[str, pd.DataFrame]) -> None:
    once = study | {"offers": study["offers"].drop_duplicates(["game_id", "proposer"])}
    assert not any(name.endswith("_rate") for name in available(once))
    with pytest.raises(
        UsageError, match="silent_rate cannot be computed: no seat made two offers whose values are known"
    ):
        measure("silent_rate").compute(once)


@pytest.mark.slow
def test_duration_needs_one_of_two(study: dict[str, pd.DataFrame]) -> None:
    offers, messages = (study[name].assign(time_s=np.nan) for name in ("offers", "messages"))
    assert measure("duration_s").compute(study | {"offers": offers})["duration_s"].notna().any()
    assert measure("duration_s").compute(study | {"messages": messages})["duration_s"].notna().any()
    with pytest.raises(UsageError, match=r"column 'time_s' of offers .*; the column 'time_s' of messages"):
        measure("duration_s").compute(study | {"offers": offers, "messages": messages})


ORDER = ["messages", "values", "offers", "items", "answers", "players", "games"]


def test_tables_come_in_one_order_in_every_signature() -> None:
    """What is measured first, what it is listed by last; tables that only add to another are named."""
    n_measures = 0
    for name in metrics.__all__:
        function = getattr(metrics, name)
        if not inspect.isfunction(function):
            continue
        parameters = inspect.signature(function).parameters.values()
        for kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
            names = [each.name for each in parameters if each.kind == kind and each.name in ORDER]
            assert names == sorted(names, key=ORDER.index), name
            n_measures += len(names) > 1
    assert n_measures > 10


def test_the_amounts_of_offers_are_measures() -> None:
    """What is offered, what is asked and the share offered; a pie of nothing has no share."""
    offers = conform(
        "offers",
        {
            "game_id": ["g", "h", "i"],
            "offer": [1] * 3,
            "proposer": ["A"] * 3,
            "units_to_proposer": [6, 0, None],
            "units_to_responder": [4, 0, 3],
            "response": ["accepted"] * 3,
        },
    )
    tables = {"offers": offers, "games": conform("games", {"game_id": [*"ghi"], "ended": ["agreement"] * 3})}
    names = ("units_to_responder", "units_to_proposer", "share_to_responder")
    values = {name: metrics.measure(name).compute(tables)[name].tolist() for name in names}
    assert values["units_to_responder"] == [4, 0, 3]
    np.testing.assert_array_equal(values["units_to_proposer"], [6, 0, np.nan])
    np.testing.assert_array_equal(values["share_to_responder"], [0.4, np.nan, np.nan])
    assert set(names) <= set(metrics.available(tables))


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
