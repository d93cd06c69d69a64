"""Brunner and Munzel's test of several groups: for two groups theirs, and a level that unlike spreads do not move."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import DesignError, NotEstimable
from negstats.stats import brunner_munzel, kruskal_wallis, mann_whitney
from negstats.stats.ranks.brunner_munzel import relative_effects

SAMPLE = st.lists(st.integers(0, 9), min_size=3, max_size=12)


@given(SAMPLE, SAMPLE)
def test_of_two_groups_it_is_brunner_and_munzels(first: list[int], second: list[int]) -> None:
    samples = {"a": first, "b": second}
    try:
        two = brunner_munzel(samples)
    except NotEstimable:
        with pytest.raises(NotEstimable):
            relative_effects(samples)
        return
    assert two.labels == mann_whitney(samples).labels == ("a", "b")
    result = relative_effects(samples)
    np.testing.assert_allclose(result.statistic, np.square(two.statistic), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        np.array([result.df1, result.df2, result.p]), np.array([1, two.df, two.p], dtype=float), rtol=1e-9
    )
    # each stands against both, itself one of them
    np.testing.assert_allclose(result.effects[0], (0.5 + np.asarray(two.share)) / 2, rtol=1e-12)


@given(st.lists(SAMPLE, min_size=3, max_size=4), st.randoms())
def test_neither_the_order_of_groups_nor_a_rising_function_changes_it(groups: list[list[int]], random: object) -> None:
    samples = {str(place): group for place, group in enumerate(groups)}
    try:
        result = relative_effects(samples)
    except NotEstimable:
        return
    turned = {name: np.exp(samples[name]) for name in reversed(samples)}
    again = relative_effects(turned)
    np.testing.assert_allclose(
        [again.statistic, again.df1, again.df2], [result.statistic, result.df1, result.df2], rtol=1e-8, atol=1e-12
    )
    assert sum(result.effects) == pytest.approx(len(groups) / 2)


@pytest.mark.slow
@pytest.mark.parametrize("sd", [(9, 4, 1), (1, 1, 1), (3, 2, 1)])
def test_it_keeps_its_level_where_kruskal_and_wallis_lose_theirs(sd: tuple[int, ...]) -> None:
    """With ten units and more in each group; a Monte Carlo error of .012."""
    rng = np.random.default_rng(7)
    p, theirs = [], []
    for _ in range(400):
        samples = {str(s) + str(n): rng.normal(0, s, n) for s, n in zip(sd, (10, 20, 80), strict=True)}
        p.append(relative_effects(samples).p)
        theirs.append(float(np.asarray(kruskal_wallis(samples).p)))
    assert 0.02 < np.mean(np.array(p) < 0.05) < 0.085
    if sd == (9, 4, 1):
        assert np.mean(np.array(theirs) < 0.05) > 0.12


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(DesignError, match="at least two groups"):
        relative_effects({"a": [1, 2, 3]})
    with pytest.raises(NotEstimable, match="n of group 'b' is 1"):
        relative_effects({"a": [1, 2, 3], "b": [2]})
    with pytest.raises(NotEstimable, match="do not overlap"):
        relative_effects({"a": [1, 2], "b": [3, 4], "c": [5, 6]})


def test_the_rank_biserial_of_brunner_and_munzel_is_the_share_turned() -> None:
    """From −1 to 1, with its interval: what half of all is 0."""
    test = brunner_munzel({"a": [5, 7, 6, 9, 8, 4], "b": [3, 5, 4, 4, 7]})
    share, biserial = test.effect_size(), test.effect_size("rank_biserial")
    assert float(np.asarray(biserial.value)) == pytest.approx(2 * float(np.asarray(share.value)) - 1)
    ours, theirs = (
        np.array([end.low, end.high], dtype=float)
        for end in (one.confidence_interval(0.9) for one in (biserial, share))
    )
    np.testing.assert_allclose(ours, 2 * theirs - 1)
    even = brunner_munzel({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}).effect_size("rank_biserial")
    assert float(np.asarray(even.value)) == pytest.approx(0, abs=1e-15)
