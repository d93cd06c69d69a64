"""Effect sizes and the rank tests beside an answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import negstats
from negstats import stats
from negstats.analysis import Answer, compare
from negstats.analysis.methods.means import ENOUGH, rank_test
from negstats.stats import ValueCounts
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


def counts(*samples: np.ndarray[Any, np.dtype[np.float64]]) -> ValueCounts:
    return ValueCounts.from_samples(dict(zip("ab", samples, strict=True)))


@pytest.mark.slow
def test_the_rank_test_beside_a_t_test_keeps_its_level_under_unlike_spreads() -> None:
    """SD 3 and 1, n 10 and 40: Mann and Whitney's test rejects more than .1, the one that is printed about .05."""
    rng, times = np.random.default_rng(7), 600
    drawn = [counts(3 * rng.normal(size=10), rng.normal(size=40)) for _ in range(times)]
    printed = [rank_test(one, ("a", "b")) for one in drawn]
    assert np.mean([float(test.p) < 0.05 for test in printed if test is not None]) < 0.05 + 3 * np.sqrt(0.05 / times)
    assert np.mean([float(stats.mann_whitney(one, method="asymptotic").p) < 0.05 for one in drawn]) > 0.1


@pytest.mark.parametrize("n", [2, ENOUGH - 1])
def test_small_groups_have_no_rank_test_beside_them(n: int) -> None:
    rng = np.random.default_rng(n)
    assert rank_test(counts(rng.normal(size=n), rng.normal(size=40)), ("a", "b")) is None


def test_groups_that_do_not_overlap_have_none() -> None:
    values = np.arange(20.0)
    assert rank_test(counts(values, values + 100), ("a", "b")) is None


def test_the_sign_follows_the_order_of_the_levels() -> None:
    rng = np.random.default_rng(3)
    both = counts(rng.normal(size=12), rng.normal(size=15) + 1)
    one, other = (rank_test(both, levels) for levels in (("a", "b"), ("b", "a")))
    assert one is not None
    assert other is not None
    assert float(one.statistic) < 0
    assert float(one.statistic) == pytest.approx(-float(other.statistic))


@pytest.mark.slow
def test_the_permutation_beside_welchs_f_keeps_its_level_under_unlike_spreads() -> None:
    """SD 3, 2 and 1, n 3, 10 and 40: permuted, the plain F rejects more than .2, Welch's F about .05."""
    rng, times = np.random.default_rng(8), 300
    hits = {"F": 0, "Welch F": 0}
    for _ in range(times):
        samples = {"a": 3 * rng.normal(size=3), "b": 2 * rng.normal(size=10), "c": rng.normal(size=40)}
        for statistic in hits:
            test = stats.permutation_test(samples, statistic=statistic, rng=rng, n_resamples=99, alternative="greater")
            hits[statistic] += test.p <= 0.05
    assert hits["Welch F"] / times < 0.1
    assert hits["F"] / times > 0.2


def test_a_group_without_spread_has_a_welch_f_among_permuted_ones() -> None:
    samples = {"a": [1.0, 1, 1], "b": [2.0, 3, 4], "c": [2.0, 5, 7, 9]}
    test = stats.permutation_test(samples, statistic="Welch F", rng=np.random.default_rng(1), alternative="greater")
    assert test.exact
    assert np.isfinite(test.statistic)
    assert 0.0 < test.p < 0.2
