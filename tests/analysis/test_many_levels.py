"""A factor of more than ten levels, as the agents of a tournament are: their order is the plan's on each way."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from negstats.analysis import run
from negstats.analysis.plan.parse import parse
from negstats.studies.provenance import Provenance
from negstats.studies.study import Study
from negstats.tables import conform

AGENTS = [f"agent {place}" for place in range(12)]  # whose order as text is another one: 0, 1, 10, 11, 2, ...


@pytest.fixture(scope="module")
def seats() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    pairs = [(first, second) for first in AGENTS for second in AGENTS if first < second]
    rows = []
    for place, pair in enumerate(pairs * 2):
        shared = rng.normal()
        rows += [
            {"game_id": f"g{place}", "player": seat, "agent": agent, "points": shared + rng.normal() + index / 5}
            for seat, agent in zip("AB", pair, strict=True)
            for index in [AGENTS.index(agent)]
        ]
    return pd.DataFrame(rows)


def answer(seats: pd.DataFrame, levels: list[str]) -> dict[str, dict[str, float]]:
    """Return the F test, and the difference of each two levels, by what they are called."""
    ids = list(dict.fromkeys(seats["game_id"]))
    study = Study(
        games=conform("games", {"game_id": ids, "ended": ["agreement"] * len(ids)}),
        players=conform("players", seats.assign(kind="agent")),
        provenance=Provenance("by hand", "1"),
    )
    quoted = ", ".join(f'"{level}"' for level in levels)
    plan = parse(
        f'title = "x"\n[data]\npath = "x"\n[factors.agent]\nlevels = [{quoted}]\n'
        '[questions.H1]\nasks = "Do agents differ?"\nmeasure = "points"\nby = "agent"\n'
    )
    (question,) = run(plan, study).results["questions"]
    tests = {test["address"].removeprefix("H1").removeprefix("#"): test for test in question["tests"]}
    pairs = {name: one["estimate"]["value"] for name, one in tests.items() if " - " in name and one["estimate"]}
    return {"F": {"statistic": tests[""]["statistic"], "p": tests[""]["p"]}, "pairs": pairs}


@pytest.mark.slow
def test_differences_are_those_of_statsmodels(seats: pd.DataFrame) -> None:
    pairs = answer(seats, AGENTS)["pairs"]
    assert len(pairs) == 66
    fit = smf.mixedlm("points ~ C(agent)", seats, groups="game_id").fit(reml=True)
    worth = {level: 0.0 if level == AGENTS[0] else fit.params[f"C(agent)[T.{level}]"] for level in AGENTS}
    for name, value in pairs.items():
        first, second = name.split(" - ")
        assert value == pytest.approx(worth[first] - worth[second], abs=1e-4)


@pytest.mark.slow
def test_the_order_of_levels_changes_signs_only(seats: pd.DataFrame) -> None:
    one, other = answer(seats, AGENTS), answer(seats, AGENTS[::-1])
    assert one["F"] == pytest.approx(other["F"], rel=1e-8)
    turned = {" - ".join(name.split(" - ")[::-1]): -value for name, value in other["pairs"].items()}
    assert one["pairs"] == pytest.approx(turned, abs=1e-8)
