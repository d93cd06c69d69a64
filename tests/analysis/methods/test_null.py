"""Studies in which nothing is different, run: how often each row of the table finds something all the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from negstats import stats
from negstats.analysis import run
from negstats.studies.study import Study
from tests.analysis.methods.designs import BY_ROW, CASES, Case, within
from tests.conftest import runs

ALPHA = 0.05

# Where the test is exact, equivalence is tested at its bound, or units are few, only the upper side is held.
FROM_ABOVE = {24, 25, 26, 28, 31, 36}
# Rows that the same values would be tested by if they were taken for independent.
LINKED = (17, 18, 19, 20, 21, 34, 35)
# Where the reference distribution is asymptotic: what its size may be at the n that is drawn.
WIDER = {37: (0.04, 0.07)}


@dataclass(frozen=True)
class Size:
    """How often a row's first answer had p under 5 %, and how often rows taken for independent did."""

    row: int
    n_simulations: int
    found: float
    independent: float

    @property
    def bounds(self) -> tuple[float, float]:
        reach = 3 * float(np.sqrt(ALPHA * (1 - ALPHA) / self.n_simulations))
        low, high = WIDER.get(self.row, (ALPHA, ALPHA))
        return 0.0 if self.row in FROM_ABOVE else low - reach, high + reach

    def __str__(self) -> str:
        low, high = self.bounds
        other = "" if np.isnan(self.independent) else f"{self.independent:.3f}"
        return f"{self.row:>4} {self.n_simulations:>8} {self.found:>7.3f} [{max(low, 0):.3f}, {high:.3f}] {other:>12}"


HEAD = " row  studies   found          bounds  independent"


def as_independent(study: Study, row: int) -> float:
    """Return the p of the rows as if no two belonged together."""
    rows = study.players.merge(study.games[["game_id", *study.factors]], on="game_id")
    told = study.answers[study.answers["question"] == ("age" if row == 21 else "svo")]
    rows["told"] = rows["participant_id"].map(told.set_index("participant_id")["answer"])
    if row == 21:
        data = {"x": rows["told"].astype(float).to_numpy(), "y": rows["points"].to_numpy()}
        return float(np.asarray(stats.correlation(data, "x", "y").p))
    by = {17: "condition", 18: "role", 34: "condition"}.get(row, "told")
    if row in (34, 35):
        return float(np.asarray(stats.chi_squared(rows.assign(y=rows["points"] == 1), [by, "y"]).p))
    return float(stats.t_test(rows, "points", by).p)


def size_of(case: Case, n_simulations: int, seed: int) -> Size:
    """Return how often a row finds something in studies in which there is nothing to find."""
    rng, plan = np.random.default_rng([seed, case.row]), case.plan()
    found, independent = [], []
    for _ in range(n_simulations):
        study = case.study(rng)
        if case.row in (25, 36):
            study = at_the_bound(case, study, rng)
        (entry,) = run(plan, study).results["questions"]
        p = next((test["p"] for test in entry["tests"] if test["role"] == "answer"), None)
        found.append(p is not None and p < ALPHA)
        if case.row in LINKED:
            independent.append(as_independent(study, case.row) < ALPHA)
    return Size(case.row, n_simulations, float(np.mean(found)), float(np.mean(independent)) if independent else np.nan)


def at_the_bound(case: Case, study: Study, rng: np.random.Generator) -> Study:
    """Return a study whose groups differ by just the bound of equivalence."""
    first = study.games.set_index("game_id")["condition"].eq("a").reindex(study.players["game_id"]).to_numpy()
    if case.row == 36:  # shares of .7 and .3
        points = (rng.random(len(first)) < np.where(first, 0.7, 0.3)).astype(float)
    else:
        points = study.players["points"].to_numpy() + first
    return replace(study, players=study.players.assign(points=points))


# In the normal run two rows and a few studies: a run that calls most null studies a finding is seen at once.
MEASURED = [case for case in CASES if case.test] if runs(1, 0) else [BY_ROW[2], BY_ROW[19]]


@pytest.mark.nightly
@pytest.mark.calibration
@pytest.mark.parametrize("case", MEASURED, ids=lambda case: str(case.row))
def test_the_size_of_each_row(case: Case, record_property: Callable[[str, object], None]) -> None:
    size = size_of(case, runs(2000, 10), 2026)
    record_property("size", str(size))
    print(HEAD, size, sep="\n")
    low, high = size.bounds
    assert low <= size.found <= high, _table([size])
    if runs(1, 0) and case.row in (17, 34):  # partners are alike: rows taken for independent find too much
        assert size.independent > size.found + 0.01


@pytest.mark.nightly
@pytest.mark.calibration
def test_what_differs_between_people_in_its_interaction_is_rarely_called_one() -> None:
    """People differ in how two factors work together, and on average these do not: the level is that of people."""
    case = Case(
        35, "mixed", within({"condition": ["a", "b"], "frame": ["c", "d"]}, times=12),
        'by = ["condition", "frame"]\neffect = "condition:frame"', kind="yes/no", n=20,
    )  # fmt: skip
    rng, plan, n_simulations = np.random.default_rng([2026, 351]), case.plan(), runs(300, 10)
    rejected = []
    for _ in range(n_simulations):
        study = case.study(rng)
        rows = study.players.merge(study.games[["game_id", "condition", "frame"]], on="game_id")
        signs = np.where(rows["condition"] == "a", 0.5, -0.5) * np.where(rows["frame"] == "c", 1.0, -1.0)
        people, _ = pd.factorize(rows["participant_id"])
        scores = rng.normal(size=case.n)[people] + rng.normal(0, 2, case.n)[people] * signs
        points = (rng.random(len(rows)) < 1 / (1 + np.exp(-scores))).astype(float)
        (entry,) = run(plan, replace(study, players=rows[study.players.columns].assign(points=points))).results[
            "questions"
        ]
        rejected += [test["p"] < ALPHA for test in entry["tests"] if test["role"] == "answer"]
    assert len(rejected) == n_simulations
    assert np.mean(rejected) <= ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / n_simulations)


def _table(sizes: Sequence[Size]) -> str:
    return "\n".join(["", HEAD, *map(str, sizes)])
