"""Games as a page gets them: the order of talk and offers, spaces, chunks, cuts."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import negstats
from negstats.games import pareto_optimal
from negstats.report import games as of_games
from negstats.report.games import POINTS, shown_games, thinned
from negstats.sanitize import embedded_json
from negstats.studies import Provenance, Study
from negstats.tables import conform
from tests.conftest import DataFolder
from tests.report.page.reports import synthetic


def opened(study: Study) -> list[dict[str, Any]]:
    return [game for chunk in shown_games(study).chunks for game in json.loads(chunk.text)["g"]]


def talk(
    messages: list[tuple[Any, ...]], offers: list[tuple[Any, ...]], loader: str = "x", **columns: Any
) -> dict[str, Any]:
    """One game of A and B: messages are (number, time, sender, text, act), offers (number, time, proposer)."""
    number, time, sender, text, act = zip(*messages, strict=True)
    offer, at, proposer = zip(*offers, strict=True)
    others = ["B" if seat == "A" else "A" for seat in proposer]
    study = Study(
        games=conform("games", {"game_id": ["g"], "ended": ["agreement"]}),
        players=conform("players", {"game_id": ["g", "g"], "player": ["A", "B"]}),
        messages=conform(
            "messages",
            {
                "game_id": ["g"] * len(messages),
                "message": number,
                "time_s": time,
                "sender": sender,
                "text": text,
                "act": act,
            },
        ),
        offers=conform(
            "offers",
            {
                "game_id": ["g"] * len(offers),
                "offer": offer,
                "time_s": at,
                "proposer": proposer,
                "responder": others,
                "response": ["none"] * len(offers),
                **columns,
            },
        ),
        provenance=Provenance(loader, "1"),
    )
    return opened(study)[0]


def test_the_clock_orders_talk_and_offers() -> None:
    game = talk([(1, 0.0, "A", "hi", None), (2, 9.0, "B", "ok", None)], [(1, 5.0, "A")])
    assert game["t"] == [[0, 0], [1, 0], [0, 1]]
    assert "u" not in game


def test_acts_that_stand_for_offers_order_them_and_are_not_shown_twice() -> None:
    game = talk(
        [
            (1, None, "A", "hi", None),
            (2, None, "B", None, "submit-deal"),
            (3, None, "A", None, "reject-deal"),
            (4, None, "A", None, "submit-deal"),
        ],
        [(1, None, "B"), (2, None, "A")],
    )
    assert game["t"] == [[0, 0], [1, 0], [0, 2], [1, 1]]


def test_an_order_that_nobody_knows_is_said_to_be_unknown() -> None:
    game = talk([(1, None, "A", "hi", None)], [(1, None, "B")])
    assert game["t"] == [[0, 0], [1, 0]]
    assert game["u"] == 1


@pytest.mark.slow
def test_the_robot_study_numbers_its_messages_by_offer(real_data: DataFolder) -> None:
    game = opened(negstats.load(real_data("solver_cl")))[0]
    assert game["t"][:5] == [[0, 0], [1, 0], [1, 1], [0, 1], [1, 2]]  # messages 1 and 5 go with the offers 1 and 3
    assert len(game["t"]) == len(game["m"]) + len(game["o"])


@pytest.mark.slow
def test_a_space_is_what_can_be_had_and_its_frontier() -> None:
    study = synthetic(40)
    chunk = json.loads(shown_games(study).chunks[0].text)
    for place, game_id in enumerate(study.games["game_id"]):
        space = chunk["p"][chunk["g"][place]["s"]]
        values = study.values[study.values["game_id"] == game_id]
        a, b = (values.loc[values["player"] == seat, "value"].to_numpy() for seat in "AB")
        outcomes = np.array([[a @ take, b @ (3 - np.array(take))] for take in product(range(4), repeat=3)])
        assert {tuple(point) for point in space["p"]} == {tuple(row) for row in outcomes}
        best = {tuple(row) for row in outcomes[pareto_optimal(outcomes)]}
        assert {tuple(space["p"][at]) for at in space["f"]} == best
    assert len(chunk["p"]) == len(
        {tuple(study.values[study.values["game_id"] == g]["value"]) for g in study.games["game_id"]}
    )


@given(st.integers(1, 2000), st.integers(0, 10_000))
def test_thinning_keeps_the_frontier(many: int, seed: int) -> None:
    points = np.random.default_rng(seed).integers(0, 400, size=(many, 2)).astype(float)
    distinct = np.unique(points, axis=0)
    kept, optimal = thinned(distinct)
    assert len(kept) <= POINTS
    assert {tuple(row) for row in kept} <= {tuple(row) for row in points}
    assert len(distinct) > POINTS or np.array_equal(kept, distinct)
    assert {tuple(row) for row in kept[optimal]} == {tuple(row) for row in points[pareto_optimal(points)]}


def test_spaces_too_large_or_unlike_are_left_out_and_nothing_fails() -> None:
    study = synthetic(3)
    values = study.values.copy()
    values.loc[values["game_id"] == "game 00001", "available"] = 500.0
    values.loc[values["game_id"] == "game 00002", "available"] = 1.5
    games = opened(
        Study(games=study.games, players=study.players, offers=study.offers, values=values, provenance=study.provenance)
    )
    assert ["s" in game for game in games] == [False, False, True]
    values.loc[values.index[-1], "available"] = 2.0
    shown = shown_games(Study(games=study.games, players=study.players, values=values, provenance=study.provenance))
    assert "disagree" in shown.index["why"]


@pytest.mark.slow
def test_chunks_hold_all_games_in_order_and_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_games, "BYTES", 20_000)
    shown = shown_games(synthetic(300))
    assert shown.index["starts"][0] == 0
    assert all(len(chunk.text) <= 21_000 for chunk in shown.chunks)
    sizes = [len(json.loads(chunk.text)["g"]) for chunk in shown.chunks]
    assert shown.index["starts"] == [sum(sizes[:place]) for place in range(len(sizes))]
    assert sum(sizes) == len(shown.index["rows"]) == 300


@pytest.mark.slow
def test_bytes_of_a_game() -> None:
    assert shown_games(synthetic(1000)).size / 1000 <= 2500
    assert len(embedded_json(shown_games(synthetic(1000)).index)) / 1000 <= 40


def test_a_long_talk_is_cut_after_the_offers() -> None:
    game = talk([(1, 0.0, "A", "é" * 80_000, None), (2, 1.0, "B", "end", None)], [(1, 5.0, "A")], framing=["favor"])
    assert game["o"][0][3] == "(favor)"
    assert game["m"][0][1] == "é" * ((100_000 - len("(favor)")) // 2)
    assert game["c"] == 80_000 - len(game["m"][0][1]) + len("end") - len(game["m"][1][1] or "")


@pytest.mark.slow
def test_offers_in_words() -> None:
    assert opened(negstats.load("datasets/sample"))[0]["o"][0][3].startswith("destination rome, ")


@pytest.mark.slow
@given(st.text())
def test_any_text_comes_back_from_the_page(text: str) -> None:
    assert json.loads(embedded_json([text])) == [text.replace("\x00", "\ufffd")]
