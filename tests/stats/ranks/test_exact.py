"""Exact Kruskal–Wallis and Friedman: published tables, all arrangements one by one, and the limits."""

from __future__ import annotations

import itertools
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.errors import DesignError
from negstats.stats import friedman, kruskal_wallis, permutation_test
from negstats.stats.ranks import exact


@settings(max_examples=25)
@given(st.lists(st.integers(0, 5), min_size=7, max_size=9), st.integers(2, 3))
def test_exact_kruskal_wallis_is_the_permutation_test(values: list[int], groups: int) -> None:
    samples = {str(place): values[place::groups] for place in range(groups)}
    if len(set(values)) < 2:
        return
    every = permutation_test(
        samples, statistic="H", alternative="greater", rng=np.random.default_rng(1), n_resamples=10_000
    )
    assert every.exact
    assert kruskal_wallis(samples, method="exact").p == pytest.approx(every.p)


def test_published_probabilities() -> None:
    # Kruskal and Wallis (1952), table 6.1: sizes 3, 3, 3, H = 7.2: .004 (six of the 1,680 ways)
    assert kruskal_wallis({"a": [1, 2, 3], "b": [4, 5, 6], "c": [7, 8, 9]}, method="exact").p == pytest.approx(6 / 1680)
    # Friedman (1937), table V: three measures, four subjects, 6.5: .042; 8.0: .0046
    assert friedman({"a": [1] * 4, "b": [2, 2, 2, 3], "c": [3, 3, 3, 2]}, method="exact").p == pytest.approx(
        0.0417, abs=1e-4
    )
    assert friedman({"a": [1] * 4, "b": [2] * 4, "c": [3] * 4}, method="exact").p == pytest.approx(6 / 6**4)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=3))
def test_exact_friedman_is_every_order_of_every_subject(rows: list[list[int]]) -> None:
    y = np.array(rows)
    if all(len(set(row)) == 1 for row in rows):
        return
    columns = {str(place): y[:, place] for place in range(3)}
    observed = friedman(columns, method="exact")
    hits, ways = 0, 0
    for orders in itertools.product(*(list(itertools.permutations(row)) for row in rows)):
        moved = np.array(orders)
        value = friedman({str(place): moved[:, place] for place in range(3)}).statistic
        hits += bool(np.asarray(value) >= np.asarray(observed.statistic) - 1e-9)
        ways += 1
    assert observed.p == pytest.approx(hits / ways)
    assert observed.apa().startswith(f"χ²(N = {len(rows)})")


def test_the_limits() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(DesignError, match="few observations"):
        kruskal_wallis({name: rng.normal(size=40) for name in "abcd"}, method="exact")
    with pytest.raises(DesignError, match="few observations"):
        friedman({name: rng.normal(size=10) for name in "abcdefghij"}, method="exact")
    with pytest.raises(DesignError, match="a single study"):
        friedman({name: rng.normal(size=(2, 5)) for name in "abc"}, method="exact")
    long = friedman({name: rng.normal(size=60) for name in "abc"}, method="exact")
    assert long.p == pytest.approx(
        friedman({"a": long.ranks[:, 0], "b": long.ranks[:, 1], "c": long.ranks[:, 2]}).p, abs=0.02
    )


@pytest.mark.parametrize(("shape", "moves", "refused"), [
    ((1000, 1000), 2999.0, False), ((1000, 1000), 3001.0, True), ((2000, 4000), 1.0, False), ((2001, 4000), 1.0, True),
])  # fmt: skip
def test_exact_chances_are_for_so_much_work(shape: tuple[int, int], moves: float, refused: bool) -> None:
    """At most 8,000,000 sums of ranks and 3,000,000,000 additions: some ten seconds."""
    with pytest.raises(DesignError, match="is for few observations") if refused else nullcontext():
        exact.check_work(shape, moves, "friedman")
