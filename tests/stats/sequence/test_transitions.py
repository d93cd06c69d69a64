"""Transitions against R's residuals and G², against every order written out, and where groups do and do not differ."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.stats import compare_transitions, transitions
from tests.conftest import reference, runs

R: list[dict[str, Any]] = reference("sequence")


@pytest.mark.parametrize("case", R, ids=lambda case: f"{case['lag']}-{len(case['talk']['act'])}")
def test_counts_residuals_and_g2_are_rs(case: dict[str, Any]) -> None:
    result = transitions(case["talk"], lag=case["lag"])
    assert result.counts.ravel().tolist() == case["counts"]
    np.testing.assert_allclose(result.z.ravel(), case["z"], rtol=1e-8)
    both = compare_transitions(case["talk"], "agent", lag=case["lag"], rng=np.random.default_rng(1), n_resamples=9)
    assert both.statistic == pytest.approx(case["g2"], rel=1e-8)


games = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), min_size=1, max_size=2)


def talk_of(rows: list[list[str]]) -> dict[str, list[Any]]:
    flat = [(game, place, act) for game, acts in enumerate(rows) for place, act in enumerate(acts)]
    return dict(zip(("game_id", "message", "act"), map(list, zip(*flat, strict=True)), strict=True))


@given(games, st.integers(1, 2))
@settings(max_examples=25)
def test_expected_counts_are_the_mean_over_all_orders(rows: list[list[str]], lag: int) -> None:
    if max(map(len, rows)) <= lag:
        return
    acts = sorted({act for game in rows for act in game})
    result = transitions(talk_of(rows), lag=lag)
    every = [
        _counted([list(game) for game in orders], acts, lag)
        for orders in product(*(list(permutations(game)) for game in rows))
    ]
    np.testing.assert_allclose(result.expected, np.mean(every, axis=0), atol=1e-9)


def _counted(rows: list[list[str]], acts: list[str], lag: int) -> Any:
    return [[sum(game[i : i + lag + 1 : lag] == [a, b] for game in rows for i in range(len(game) - lag)) for b in acts]
            for a in acts]  # fmt: skip


def test_p_is_the_share_of_orders_that_are_as_far_off() -> None:
    rows = [list("abab"), list("abb")]
    result = transitions(talk_of(rows), rng=np.random.default_rng(2), n_resamples=6000)
    every = np.array(
        [
            _counted([list(game) for game in orders], ["a", "b"], 1)
            for orders in product(*(list(permutations(game)) for game in rows))
        ]
    )
    exact = (np.abs(every - result.expected) >= np.abs(result.counts - result.expected) - 1e-9).mean(axis=0)
    np.testing.assert_allclose(result.p, exact, atol=0.03)


def test_order_of_rows_and_engine_change_nothing() -> None:
    talk = pd.DataFrame(R[0]["talk"])
    shuffled = talk.sample(frac=1, random_state=3)
    for other in (shuffled, pl.DataFrame(shuffled)):
        result = transitions(other, rng=np.random.default_rng(4), n_resamples=50)
        wanted = transitions(talk, rng=np.random.default_rng(4), n_resamples=50)
        np.testing.assert_array_equal(result.p, wanted.p)
        np.testing.assert_array_equal(result.counts, wanted.counts)


def test_swapped_groups_swap_the_sign() -> None:
    talk = pd.DataFrame(R[1]["talk"])
    swapped = talk.assign(agent=talk["agent"].map({"even": "z", "odd": "a"}))
    one, two = (compare_transitions(t, "agent", rng=np.random.default_rng(5), n_resamples=20) for t in (talk, swapped))
    np.testing.assert_allclose(one.difference, -two.difference, atol=1e-12)
    assert one.statistic == pytest.approx(two.statistic)


def test_edges() -> None:
    talk = talk_of([list("ab"), list("ba")])
    lone = transitions(talk | {"act": ["a", None, "b", "a"]})
    assert (lone.missing, lone.counts.sum()) == (1, 1)
    assert lone.apa() == "1 transitions in 2 sequences; no order was drawn, so no p"


@pytest.mark.slow
@pytest.mark.calibration
def test_the_permutation_keeps_its_level_where_games_differ_in_their_mixture() -> None:
    # acts of a game are independent, but games have unlike mixtures: z pools them and finds repeats that are none
    rng = np.random.default_rng(6)
    studies, by_order, by_z = runs(5_000, 20), 0, 0
    for _ in range(studies):
        rows = [list(rng.choice(["a", "b"], 12, p=[share, 1 - share])) for share in rng.choice([0.1, 0.9], 12)]
        result = transitions(talk_of(rows), rng=rng, n_resamples=99, adjust="none")
        by_order += bool(result.p[0, 0] <= 0.05)
        by_z += bool(abs(result.z[0, 0]) > 1.96)
    assert by_order / studies < 0.05 + 3 * np.sqrt(0.0475 / studies)
    assert by_z / studies > 0.5


@pytest.mark.slow
@pytest.mark.calibration
def test_groups_dealt_by_cluster_keep_the_level() -> None:
    rng = np.random.default_rng(7)
    studies, hits = runs(5_000, 12), {"cluster": 0, "games": 0}
    for _ in range(studies):
        person = np.repeat(np.arange(10), 4)
        shares = rng.beta(1, 1, 10)[person]
        rows = [list(rng.choice(["a", "b"], 8, p=[share, 1 - share])) for share in shares]
        talk = talk_of(rows)
        talk["person"] = person[talk["game_id"]].tolist()
        talk["agent"] = (np.array(talk["person"]) % 2).tolist()
        for name, cluster in (("cluster", "person"), ("games", None)):
            result = compare_transitions(talk, "agent", rng=rng, cluster=cluster, n_resamples=99)
            hits[name] += result.p <= 0.05
    assert hits["cluster"] / studies < 0.05 + 3 * np.sqrt(0.0475 / studies)
    assert hits["games"] >= hits["cluster"]


def test_acts_that_only_end_a_game_are_columns_alone() -> None:
    """Nothing follows "c": two rows and three columns differ, (2 · (3 − 1)) degrees of freedom."""
    talk = talk_of([list("aabc"), list("abac"), list("babc"), list("bbac")])
    talk["agent"] = ["x"] * 8 + ["y"] * 8
    result = compare_transitions(talk, "agent", rng=np.random.default_rng(1), n_resamples=9)
    assert result.df == 4
