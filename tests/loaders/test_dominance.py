"""The dominance dialogue's event log: what a lab may write, and faults told by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import negstats
from tests.loaders.event_logs import written

CRITERIA = {"price": ["cheap", "moderate", "expensive"], "place": ["quiet", "lively"]}
TALK: dict[str, Any] = {"event": "talk", "talk": "t", "domain": {"criteria": CRITERIA}}
ORDERS = {"A": CRITERIA, "B": {"price": ["expensive", "moderate", "cheap"], "place": ["lively", "quiet"]}}


def says(seat: str, kind: str, **what: Any) -> dict[str, Any]:
    return {"event": "utterance", "talk": "t", "from": seat, "type": kind, **what}


STATE = says("A", "state", criterion="price", less="*", more="cheap")
OFFER = says("B", "propose", criterion="price", value="cheap")
TAKEN = says("A", "accept", criterion="price", value="cheap")
WHOLE = says("B", "propose", option=["cheap", "quiet"])
BOOKED = says("A", "booking", option=["cheap", "quiet"])
END = {"event": "end", "talk": "t", "ended": "agreement", "option": ["cheap", "quiet"]}
LEFT = {"event": "end", "talk": "t", "ended": "walkaway"}


def test_without_orders_worths_and_points_are_missing(tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, TALK, WHOLE, BOOKED, END))
    assert study.values.empty
    assert study.players["points"].isna().all()
    assert study.offers["value_proposer"].isna().all()


def test_scores_are_taken_before_orders(tmp_path: Path) -> None:
    scores = {"A": {"price": {"cheap": 5, "moderate": 0, "expensive": -1.5}, "place": {"quiet": 2, "lively": 0}}}
    study = negstats.load(written(tmp_path, {**TALK, "orders": ORDERS, "scores": scores}, WHOLE, BOOKED, END))
    assert study.players["points"].tolist() == [7, -3]


@pytest.mark.parametrize(
    ("events", "responses"),
    [
        ([OFFER], ["none"]),
        ([OFFER, says("A", "leave")], ["rejected"]),
        ([OFFER, says("A", "reject", criterion="price", value="cheap")], ["rejected"]),
        ([OFFER, STATE], ["superseded"]),
        ([OFFER, WHOLE], ["superseded", "none"]),
        ([OFFER, STATE, TAKEN], ["accepted"]),  # later, in so many words
        ([WHOLE, says("A", "accept", option=["cheap", "quiet"]), {**BOOKED, "from": "B"}], ["accepted"]),
    ],
)
def test_what_becomes_of_a_proposal(events: list[object], responses: list[str], tmp_path: Path) -> None:
    assert negstats.load(written(tmp_path, TALK, *events)).offers["response"].tolist() == responses


def test_talks_about_few_options_are_told(tmp_path: Path) -> None:
    few = {**TALK, "domain": {"criteria": CRITERIA, "options": [["cheap", "quiet"]]}}
    study = negstats.load(written(tmp_path, few, WHOLE))
    assert "fewer options" in study.provenance.notes[1]


def test_an_enormous_domain_costs_nothing(tmp_path: Path) -> None:
    """Combinations are counted, never listed: 40 criteria of 10 values."""
    criteria = {f"c{place}": [f"v{value}" for value in range(10)] for place in range(40)}
    option = ["v3"] * 40
    lines = [{**TALK, "domain": {"criteria": criteria}}, says("A", "propose", option=option)]
    assert len(negstats.load(written(tmp_path, *lines)).items) == 40


def domain(**changes: Any) -> dict[str, Any]:
    return {**TALK, "domain": {"criteria": CRITERIA, **changes}}


FAULTS = [
    ([{**TALK, "domain": {}}], 1, "needs 'criteria'"),
    ([{**TALK, "domain": [1]}], 1, "not a JSON object"),
    ([{**TALK, "domain": {"criteria": {"price": "cheap"}}}], 1, "not a list of names"),
    ([domain(options=[["cheap"]])], 1, "not a value for each of price, place"),
    ([domain(options=[["cheap", ["quiet"]]])], 1, "not a value for each of price, place"),
    ([domain(options="all")], 1, "not a list of options"),
    ([{**TALK, "relations": {"A": "boss"}}], 1, "'boss' is not one of dominant, peer, submissive"),
    ([{**TALK, "orders": {"A": {**CRITERIA, "price": ["cheap"]}}}], 1, "is not an order of cheap, moderate, expensive"),
    ([{**TALK, "scores": {"A": {"price": {"cheap": "much"}}}}], 1, "'much' is not a number"),
    ([TALK, {**STATE, "from": "C"}], 2, "'C' is not one of A, B"),
    ([TALK, {**STATE, "type": "sing"}], 2, "'sing' is not one of state, ask"),
    ([TALK, {**STATE, "more": "free"}], 2, "'free' is not one of cheap, moderate, expensive"),
    ([TALK, {**STATE, "more": "*"}], 2, "compared with itself"),
    ([TALK, {**OFFER, "value": "free"}], 2, "'free' is not one of cheap"),
    ([TALK, {**OFFER, "criterion": "colour"}], 2, "'colour' is not one of price, place"),
    ([TALK, {**WHOLE, "option": ["cheap"]}], 2, "not one of the options of talk 't'"),
    ([domain(options=[["cheap", "lively"]]), WHOLE], 2, "not one of the options of talk 't'"),
    ([TALK, TAKEN], 2, "A answers 'cheap', which the other side has not proposed"),
    ([TALK, OFFER, {**TAKEN, "from": "B"}], 3, "B answers 'cheap'"),
    ([TALK, WHOLE, {**BOOKED, "from": "B"}], 3, "B answers 'cheap quiet'"),
    ([TALK, WHOLE, BOOKED, STATE], 4, "was booked in talk 't' already"),
    ([TALK, WHOLE, END], 3, "an agreement ends with a booking"),
    ([TALK, WHOLE, BOOKED, LEFT], 4, "an agreement ends with a booking"),
    ([TALK, WHOLE, BOOKED, {**END, "option": ["cheap", "lively"]}], 4, "an agreement ends with a booking"),
]
