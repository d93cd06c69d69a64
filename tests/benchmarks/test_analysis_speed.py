"""Comparisons of a million people and acceptance curves of many decisions: CPU time, growth, and memory in a child."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture
from scipy.special import expit

from negstats.estimate.acceptance import fit_acceptance
from negstats.estimate.answers import Answers
from tests.benchmarks.peers import growth, once

# A game a person in one of two conditions; against pandas' merge and group-by and scipy's two tests.
CODE = """
import json, sys
import numpy as np, pandas as pd
from scipy import stats
from negstats.analysis import compare
from negstats.studies import Provenance, Study
from negstats.tables import conform
from tests.benchmarks.peak import peak
from tests.benchmarks.peers import ratio
rng, n = np.random.default_rng(1), int(sys.argv[1])
ids = [f"g{place:07d}" for place in range(n)]
games = conform("games", {"game_id": ids, "ended": ["agreement"] * n, "condition": ["a", "b"] * (n // 2)})
people = {"player": ["H"] * n, "kind": ["human"] * n, "participant_id": [f"p{place}" for place in range(n)]}
players = conform("players", {"game_id": ids, **people, "points": rng.normal(size=n).round(2)})
study = Study(games=games, players=players, provenance=Provenance("by hand", "1"))
def peer():
    rows = players[players["kind"] == "human"].merge(games[["game_id", "condition"]], on="game_id")
    rows = rows.groupby(["participant_id", "condition"], as_index=False)["points"].mean()
    first, second = (rows["points"][rows["condition"] == level] for level in "ab")
    return stats.ttest_ind(first, second, equal_var=False), stats.mannwhitneyu(first, second)
def ours():
    return compare(study, "points", "condition", who="human")
found, expected = ours(), peer()
np.testing.assert_allclose(found.result.p, expected[0].pvalue, rtol=1e-9)
megabytes = peak() / 2**20
name = f"comparison of two conditions, a game a person; {n:,} people"
print(json.dumps({"megabytes": megabytes, "ratio": ratio(ours, peer, 2, name, against="pandas and scipy")}))
"""


def test_comparing_a_million_people(benchmark: BenchmarkFixture) -> None:
    def run() -> dict[str, float]:
        command = [sys.executable, "-c", CODE, "1000000"]
        process = subprocess.run(command, capture_output=True, text=True, check=True)
        print(process.stdout)
        result: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
        return result

    result = benchmark.pedantic(run, rounds=1)  # type: ignore[no-untyped-call]
    assert result["ratio"] <= 3.2
    assert result["megabytes"] <= 1100


def decisions(count: int) -> Answers:
    rng = np.random.default_rng(1)
    benefit = np.asarray(rng.integers(-10, 30, count) * 5.0, dtype=np.float64)
    return Answers(benefit, rng.random(count) < expit((benefit - 40) / 25), np.arange(count))


def test_acceptance_of_many_decisions(benchmark: BenchmarkFixture) -> None:
    """14,300 decisions of as many people, and how the time grows: it was quadratic even without a bootstrap."""
    calls = [partial(fit_acceptance, decisions(count), rng=np.random.default_rng(1), n_draws=500)
             for count in (3_575, 14_300, 57_200)]  # fmt: skip
    assert (
        once(benchmark, lambda: growth(calls, 4, 1, name="acceptance curve, 500 bootstrap draws; 57,200 decisions"))
        <= 1.15
    )
