"""The effect size of two groups: g, of counts the ratio of the means, where there is one; decimals by the spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import negstats
from negstats.analysis import Answer, compare
from negstats.studies import Provenance, Study
from negstats.tables import conform
from tests.conftest import ROOT


def groups_study(values: dict[str, list[float]], column: str) -> Study:
    rows = [(level, value) for level, ones in values.items() for value in ones]
    ids = [f"g{place}" for place in range(len(rows))]
    games: dict[str, list[Any]] = {
        "game_id": ids,
        "ended": ["agreement"] * len(ids),
        "condition": [level for level, _ in rows],
        "rounds": [int(value) if column == "rounds" else 5 for _, value in rows],
    }
    players = {
        "game_id": [game for game in ids for _ in range(2)],
        "player": ["A", "B"] * len(ids),
        "kind": ["human", "agent"] * len(ids),
        "participant_id": [cell for game in ids for cell in (f"p-{game}", None)],
        "points": [cell for _, value in rows for cell in (value, 1.0)],
    }
    return Study(
        games=conform("games", games), players=conform("players", players), provenance=Provenance("by hand", "1")
    )


def effect(answer: Answer) -> Any:
    return answer.entry["tests"][0]["effect"]


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "who", "name"), [("rounds", None, "ratio_of_means"), ("points", "human", "g")])
def test_groups_have_the_effect_of_their_kind(measure: str, who: str | None, name: str) -> None:
    rng = np.random.default_rng(4)
    study = groups_study({"x": [*rng.poisson(6.0, 24)], "y": [*rng.poisson(4.0, 30)]}, measure)
    answer = compare(study, measure, "condition", who=who)
    assert effect(answer)["name"] == name
    means = answer.table()["mean"]
    if name == "ratio_of_means":
        assert effect(answer)["value"] == pytest.approx(means["x"] / means["y"])


def test_a_ratio_to_a_mean_of_zero_is_not_printed() -> None:
    answer = compare(groups_study({"x": [1.0, 2.0, 0.0, 3.0, 1.0], "y": [0.0] * 5}, "rounds"), "rounds", "condition")
    assert effect(answer) is None
    assert "ratio" not in answer.apa()


@pytest.mark.slow
def test_a_measure_has_the_decimals_of_its_spread() -> None:
    answer = compare(negstats.load(ROOT / "datasets" / "robot" / "study"), "points", "condition", who="human")
    # The SDs are 0.1001 and 0.0941: pooled below 0.1, so that three decimals are printed for both.
    assert "CL (M = 0.752, SD = 0.100) and FC (M = 0.760, SD = 0.094)" in answer.apa() or (
        "0.752 points (SD = 0.100)" in answer.apa()
    )
