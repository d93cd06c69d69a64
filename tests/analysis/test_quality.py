"""What is missing, impossible or duplicated is counted, and what only looks alike is not."""

from __future__ import annotations

from typing import Any

import pytest

import negstats
from negstats.analysis.questions.quality import NOBODY, SAME_GAME, SAME_OFFER, quality
from negstats.studies import Provenance, Study
from negstats.tables import conform


def offered(items: dict[str, Any] | None = None, **columns: Any) -> Study:
    """One game of four offers by one seat."""
    offers = {"game_id": ["g"] * 4, "offer": [1, 2, 3, 4], "proposer": ["A"] * 4, "response": ["none"] * 4, **columns}
    extra = {} if items is None else {"items": conform("items", items)}
    return Study(
        games=conform("games", {"game_id": ["g"], "ended": ["disagreement"]}),
        players=conform("players", {"game_id": ["g", "g"], "player": ["A", "B"]}),
        offers=conform("offers", offers),
        provenance=Provenance("by hand", "1"),
        **extra,
    )


def repeated(study: Study) -> tuple[int, int]:
    counts = [(row["count"], row["of"]) for row in quality(study, {}) if row["what"] == SAME_OFFER]
    return counts[0] if counts else (0, 0)


def test_an_offer_that_is_another_in_every_column_is_counted() -> None:
    assert repeated(offered(round=[1, 1, 2, 2], units_to_responder=[5, 5, 5, 6])) == (1, 4)
    assert repeated(offered(time_s=[1.0, 1.0, 1.0, 2.0])) == (2, 4)


def test_who_offers_the_same_again_repeats_no_row() -> None:
    assert repeated(offered(units_to_responder=[5, 5, 5, 5])) == (0, 0)  # nothing tells the moments apart
    assert repeated(offered(round=[1, 2, 3, 4], units_to_responder=[5] * 4)) == (0, 4)


def test_offers_of_other_items_are_other_offers() -> None:
    items = {"game_id": ["g"] * 4, "offer": [1, 2, 3, 4], "item": ["book"] * 4, "receiver": ["B"] * 4}
    assert repeated(offered({**items, "quantity": [1, 2, 3, 3]}, round=[1] * 4)) == (1, 4)


@pytest.mark.slow
def test_a_study_without_a_fault_has_none() -> None:
    assert repeated(negstats.load("datasets/sample"))[0] == 0


def played(kind: str, *scenarios: str) -> Study:
    """Games of three offers that differ in the clock, and in what is said of the scenario."""
    games = list("ghi")[: len(scenarios)]
    rows = [(game, offer) for game in games for offer in (1, 2, 3)]
    seats = [(game, player) for game in games for player in "AB"]
    return Study(
        games=conform("games", {"game_id": games, "scenario": list(scenarios), "ended": ["disagreement"] * len(games)}),
        players=conform("players", {"game_id": [game for game, _ in seats], "player": [player for _, player in seats],
                                    "kind": [kind] * len(seats)}),
        offers=conform("offers", {"game_id": [game for game, _ in rows], "offer": [offer for _, offer in rows],
                                  "proposer": ["A"] * len(rows), "response": ["none"] * len(rows),
                                  "time_s": [0.1 * place for place in range(len(rows))]}),
        provenance=Provenance("by hand", "1"),
    )  # fmt: skip


def test_agents_that_do_the_same_again_repeat_a_game_whatever_the_clock() -> None:
    found = {kind: {row["what"]: row for row in quality(played(kind, "one", "one", "two"), {})}
             for kind in ("agent", "human")}  # fmt: skip
    assert (found["agent"][SAME_GAME]["count"], found["agent"][SAME_GAME]["of"]) == (1, 3)
    assert found["human"][SAME_GAME]["count"] == 0
    assert NOBODY in found["human"]
    assert NOBODY not in found["agent"]  # nobody's id is missing where nobody took part
