"""Games that agents repeat: counted once where the agents always do the same, kept where chance plays a part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.analysis import Report, run
from negstats.analysis.plan.parse import parse
from negstats.studies import Provenance, Study
from negstats.tables import conform

PLAN = parse('[questions.H1]\nasks = "?"\nmeasure = "joint_value"\nwith = "rounds"\n')


def tournament(meetings: int, repetitions: int, *, otherwise: int | None = None, setting: str = "rep") -> Study:
    """Return a study of pairs of agents that meet several times; in the game `otherwise` another offer is made."""
    rng = np.random.default_rng(meetings)
    numbers = rng.integers(1, 20, size=(meetings, 3))
    games: dict[str, list[Any]] = {"game_id": [], "scenario": [], "ended": [], "rounds": [], setting: []}
    players: dict[str, list[Any]] = {name: [] for name in ("game_id", "player", "kind", "agent", "points")}
    offers: dict[str, list[Any]] = {
        name: [] for name in ("game_id", "offer", "proposer", "responder", "units_to_responder", "time_s", "response")
    }
    for place in range(meetings * repetitions):
        meeting, game = place % meetings, f"g{place}"
        one, two, amount = (int(number) for number in numbers[meeting])
        row = (game, f"s{meeting}", "agreement", amount, str(place // meetings))
        for column, value in zip(games.values(), row, strict=True):
            column.append(value)
        for seat, agent, points in (("A", "Conceder", one), ("B", "Boulware", two)):
            for column, value in zip(players.values(), (game, seat, "agent", agent, points), strict=True):
                column.append(value)
        act = (game, 1, "A", "B", amount + (place == otherwise), float(rng.random()), "accepted")
        for column, value in zip(offers.values(), act, strict=True):
            column.append(value)
    tables = {"games": games, "players": players, "offers": offers}
    return Study(
        provenance=Provenance("made", "1"), **{name: conform(name, columns) for name, columns in tables.items()}
    )


def answered(report: Report) -> dict[str, Any]:
    entry: dict[str, Any] = report.results["questions"][0]
    return entry


@pytest.mark.slow
@settings(max_examples=3)
@given(meetings=st.integers(5, 12), repetitions=st.integers(2, 4))
def test_repetitions_by_agents_without_chance_change_no_answer_and_the_whole_stands_beside(
    meetings: int, repetitions: int
) -> None:
    once, often = (run(PLAN, tournament(meetings, times)) for times in (1, repetitions))
    assert answered(once)["tests"] == answered(often)["tests"]
    assert once.results["flow"] == []
    assert [row["games"] for row in often.results["flow"]] == [meetings * (repetitions - 1)]
    (beside,) = answered(often)["alternatives"]
    assert beside["n"] == [meetings * repetitions]
    assert beside["p"] < answered(often)["tests"][0]["p"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("games", "n"), [(tournament(8, 3, otherwise=20), 24), (tournament(8, 2, setting="deadline"), 16)],
    ids=["alike by chance", "under other settings"],
)  # fmt: skip
def test_games_that_are_no_repetitions_are_kept(games: Study, n: int) -> None:
    report = run(PLAN, games)
    assert report.results["flow"] == []
    assert answered(report)["tests"][0]["n"] == [n]


@pytest.mark.slow
def test_a_plan_may_state_the_rules_itself() -> None:
    rule = 'leave_out = [{{ column = "{}", relation = "{}", reason = "r" }}]\n'
    asked = '[questions.H1]\nasks = "?"\nmeasure = "joint_value"\n'
    repeated = run(parse(rule.format("games.game_id", "repeated") + asked), tournament(6, 2))
    assert [row["games"] for row in repeated.results["flow"]] == [6]
