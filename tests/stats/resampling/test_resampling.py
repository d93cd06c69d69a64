"""Permutation and bootstrap against R's coin, scipy, enumeration by hand, and their own size and coverage."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from negstats.stats.counts.chi_squared import chi_squared
from negstats.stats.means.anova import anova
from negstats.stats.means.oneway import one_way
from negstats.stats.means.t_tests import t_test
from negstats.stats.ranks import kruskal_wallis, mann_whitney
from negstats.stats.resampling import READY, bootstrap_interval, permutation_test
from negstats.stats.summaries import Cells, Counts, ValueCounts
from tests.conftest import reference, runs

REFERENCE = reference("resampling")

Array = npt.NDArray[np.float64]
close: Any = assert_allclose  # a result holds floats or arrays, and the stubs take no list of either


def new(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def games(seed: int = 4, count: int = 12, effect: float = 0.5) -> pd.DataFrame:
    """Return two players in each game, and a condition that a whole game has."""
    rng = new(seed)
    game = np.repeat(np.arange(count), 2)
    condition = np.where(game < count // 2, "favor", "neutral")
    points = rng.normal(0, 1, count)[game] + rng.normal(0, 0.5, 2 * count) + effect * (condition == "favor")
    return pd.DataFrame({"game": game, "seat": [1, 2] * count, "condition": condition, "points": points})


samples = st.lists(st.integers(0, 6), min_size=2, max_size=6)


class TestPermutationAgainstOthers:
    @pytest.mark.slow(keep=2)
    @pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
    @pytest.mark.parametrize("case", REFERENCE, ids=lambda case: f"{len(case['a'])} and {len(case['b'])}")
    def test_exact_p_is_that_of_coin(self, case: dict[str, Any], alternative: Any) -> None:
        data = {"a": case["a"], "b": case["b"]}
        for statistic, name in (("mean difference", "mean"), ("U", "rank")):
            result = permutation_test(
                data, statistic=statistic, alternative=alternative, n_resamples=100_000, rng=new()
            )
            assert result.exact
            close(result.p, case[name][alternative], rtol=1e-10)

    @pytest.mark.slow
    def test_random_p_is_that_of_scipy_within_its_interval(self) -> None:
        rng = new(6)
        x, y = rng.normal(0, 1, 30), rng.normal(0.6, 2, 25)

        def welch(a: Array, b: Array, axis: int) -> Array:
            se = np.sqrt(a.var(axis, ddof=1) / a.shape[axis] + b.var(axis, ddof=1) / b.shape[axis])
            return np.asarray((a.mean(axis) - b.mean(axis)) / se)

        theirs = stats.permutation_test((x, y), welch, vectorized=True, n_resamples=99_999, rng=new(7))
        ours = permutation_test({"x": x, "y": y}, statistic="t", n_resamples=99_999, rng=new(8))
        assert not ours.exact
        close(ours.statistic, theirs.statistic, rtol=1e-12)
        assert float(theirs.pvalue) in ours.p_interval(0.9999)

    def test_pairs_flip_as_scipy_flips_them(self) -> None:
        rng = new(9)
        x, y = rng.integers(0, 9, 9), rng.integers(2, 11, 9)

        def mean_gap(a: Array, b: Array, axis: int) -> Array:
            return np.asarray((a - b).mean(axis=axis))

        theirs = stats.permutation_test((x, y), mean_gap, permutation_type="samples", vectorized=True)
        long = pd.DataFrame({"who": [*range(9)] * 2, "c": ["a"] * 9 + ["b"] * 9, "y": [*x, *y]})
        ours = permutation_test(long, "y", "c", cluster="who", rng=new())
        assert ours.exact
        assert ours.arrangements == 2**9
        close(ours.p, theirs.pvalue)
        assert (ours.unit, ours.units, ours.rows) == ("rows within clusters", 9, 18)

    def test_whole_clusters_by_enumeration(self) -> None:
        frame = games(count=8)
        result = permutation_test(frame, "points", "condition", cluster="game", rng=new())
        totals = frame.groupby("game")["points"].sum().to_numpy()
        gaps = []
        for favor in itertools.combinations(range(8), 4):
            in_favor = np.isin(np.arange(8), favor)
            gaps.append(totals[in_favor].sum() / 8 - totals[~in_favor].sum() / 8)
        extreme = np.mean(np.abs(gaps) >= abs(result.statistic) - 1e-12)
        assert (result.unit, result.units, result.rows, result.arrangements) == ("clusters", 8, 16, 70)
        close(result.p, extreme)
        close(sorted(result.distribution), sorted(gaps), atol=1e-12)

    def test_strata_by_enumeration(self) -> None:
        frame = pd.DataFrame(
            {
                "y": [1.0, 4, 2, 5, 9, 3, 8, 8, 7],
                "g": ["a", "b", "a", "b", "b", "a", "a", "b", "b"],
                "s": ["x", "x", "x", "x", "y", "y", "y", "y", "y"],
            }
        )
        result = permutation_test(frame, "y", "g", strata="s", rng=new())
        y, first, second = frame["y"].to_numpy(), np.arange(4), np.arange(4, 9)
        gaps = []
        for one in itertools.combinations(first, 2):
            for two in itertools.combinations(second, 2):
                in_a = np.isin(np.arange(9), [*one, *two])
                gaps.append(y[in_a].mean() - y[~in_a].mean())
        assert result.arrangements == len(gaps) == 60
        close(sorted(result.distribution), sorted(gaps), atol=1e-12)
        close(result.p, np.mean(np.abs(gaps) >= abs(result.statistic) - 1e-12))

    def test_clusters_with_one_label_have_no_say(self) -> None:
        """Of 100 pairs four differ in their labels; the 16 ways to flip them are all that can happen."""
        rng = new(22)
        label = np.array([["a", "b"]] * 4 + [["a", "a"]] * 50 + [["b", "b"]] * 46)
        frame = pd.DataFrame({"game": np.repeat(np.arange(100), 2), "g": label.ravel(), "y": rng.normal(size=200)})
        result = permutation_test(frame, "y", "g", cluster="game", rng=new())
        assert (result.arrangements, result.units, result.rows) == (16, 4, 200)
        y = frame["y"].to_numpy().reshape(100, 2)
        gap = y[label == "a"].mean() - y[label == "b"].mean()
        step = (y[:4, 0] - y[:4, 1]) * (1 / 104 + 1 / 96)  # what the flip of one pair takes from the difference
        gaps = [gap - np.array(flips) @ step for flips in itertools.product([0, 1], repeat=4)]
        close(sorted(result.distribution), sorted(gaps), atol=1e-12)

    def test_unequal_clusters_with_strata_keep_whole_clusters_and_strata(self) -> None:
        frame = pd.DataFrame(
            {
                "y": [3.0, 4, 2, 5, 9, 3, 8, 8, 7, 1, 6],
                "game": [1, 1, 1, 2, 2, 3, 4, 4, 5, 6, 6],
                "g": ["a", "a", "a", "b", "b", "a", "b", "b", "a", "b", "b"],
                "s": ["x"] * 6 + ["y"] * 5,
            }
        )
        result = permutation_test(frame, "y", "g", strata="s", cluster="game", rng=new())
        assert result.arrangements == 3 * 3
        moved = frame.set_index("game")
        gaps = []
        for one, two in itertools.product([1, 2, 3], [4, 5, 6]):
            # The stratum x has one cluster of b, y one of a.
            label = {1: "a", 2: "a", 3: "a", one: "b"} | {4: "b", 5: "b", 6: "b", two: "a"}
            in_a = np.array([label[game] == "a" for game in moved.index])
            gaps.append(moved["y"].to_numpy()[in_a].mean() - moved["y"].to_numpy()[~in_a].mean())
        close(sorted(result.distribution), sorted(gaps), atol=1e-12)


class TestPermutation:
    def test_the_same_seed_gives_the_same_p(self) -> None:
        rng = new(10)
        data = {"a": rng.normal(size=30), "b": rng.normal(size=30)}
        one, two, other = (permutation_test(data, rng=new(seed), n_resamples=500) for seed in (3, 3, 4))
        assert one.p == two.p
        assert np.array_equal(one.distribution, two.distribution)
        assert not np.array_equal(one.distribution, other.distribution)

    def test_portions_change_nothing_but_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        data = {"a": [5, 7, 6, 9, 8], "b": [3, 5, 4, 4]}
        whole = permutation_test(data, rng=new()).distribution
        for module in ("permutation", "bootstrap"):
            monkeypatch.setattr(f"negstats.stats.resampling.{module}.ELEMENTS", 40)
        close(permutation_test(data, rng=new()).distribution, whole)
        assert bootstrap_interval(data, rng=new(), n_resamples=99).n_resamples == 99

    @pytest.mark.parametrize("elements", [1, 200])
    def test_one_resample_at_a_time_counts_how_often_rows_are_drawn(
        self, monkeypatch: pytest.MonkeyPatch, elements: int
    ) -> None:
        frame = pd.DataFrame({"game": np.repeat(np.arange(9), 2), "y": np.arange(18.0) ** 2})
        ask: dict[str, Any] = {"statistic": lambda cells: cells.variance, "cluster": "game", "n_resamples": 50}
        whole = bootstrap_interval(frame, "y", (), rng=new(), **ask)
        monkeypatch.setattr("negstats.stats.resampling.bootstrap.ELEMENTS", elements)
        portions = bootstrap_interval(frame, "y", (), rng=new(), **ask)
        close(portions.distribution, whole.distribution)
        close(portions.acceleration, whole.acceleration)

    @pytest.mark.slow
    @given(samples, samples)
    def test_relabelling_changes_nothing_two_sided(self, x: list[int], y: list[int]) -> None:
        if len({*x, *y}) == 1:
            return
        for statistic in ("mean difference", "t", "F", "U", "median difference"):
            one = permutation_test({"x": x, "y": y}, statistic=statistic, rng=new())
            two = permutation_test({"y": y, "x": x}, statistic=statistic, rng=new())
            close(one.p, two.p, err_msg=statistic)
            assert 0 < one.p <= 1

    @pytest.mark.slow
    @given(samples, samples)
    @settings(max_examples=30)
    def test_both_sides_hold_every_arrangement(self, x: list[int], y: list[int]) -> None:
        if len({*x, *y}) == 1:
            return
        low, high = (permutation_test({"x": x, "y": y}, alternative=side, rng=new()) for side in ("less", "greater"))
        ties = np.mean(np.abs(low.distribution - low.statistic) < 1e-9)
        close(low.p + high.p, 1 + ties)

    def test_the_mean_difference_and_f_of_two_groups_give_one_p(self) -> None:
        rng = new(11)
        data = {"a": rng.normal(size=8), "b": rng.normal(size=6)}
        ps = [permutation_test(data, statistic=name, rng=new()).p for name in ("mean difference", "F", "d")]
        close(ps, ps[0])

    def test_perfect_separation_without_spread_is_the_most_extreme(self) -> None:
        data = {"a": [0.1] * 4, "b": [0.3] * 4}
        for statistic in ("t", "F", "d"):
            result = permutation_test(data, statistic=statistic, rng=new())
            close(result.p, 2 / 70)
            assert np.isinf(result.statistic)
        close(permutation_test(data, statistic="t", alternative="less", rng=new()).p, 1 / 70)

    def test_the_ready_statistics_are_those_of_the_tests(self) -> None:
        rng = new(12)
        frame = pd.DataFrame({"y": rng.integers(0, 9, 40), "g": rng.choice(["a", "b", "c"], 40)})
        two = frame[frame["g"] != "c"]
        cells = Cells.from_frame(two, "y", "g")
        rank = mann_whitney(two, "y", "g")
        table = pd.DataFrame({"e": rng.choice(["won", "lost", "left"], 40), "g": frame["g"]})
        expected = {
            "mean difference": t_test(cells).difference,
            "t": t_test(cells).statistic,
            "d": t_test(cells, method="student").effect_size("d").value,
            "log variance ratio": float(np.log(cells.variance[0] / cells.variance[1])),
            "median difference": two[two["g"] == "a"]["y"].median() - two[two["g"] == "b"]["y"].median(),
            "U": rank.statistic - rank.n[0] * rank.n[1] / 2,
        }
        for name, value in expected.items():
            statistic = permutation_test(two, "y", "g", name, rng=new(), n_resamples=9).statistic
            close(statistic, value, rtol=1e-10, err_msg=name)
        for name, value in {
            "F": one_way(frame, "y", "g").statistic,
            "Welch F": one_way(frame, "y", "g", method="welch").statistic,
            "H": kruskal_wallis(frame, "y", "g").statistic,
        }.items():
            statistic = permutation_test(frame, "y", "g", name, rng=new(), n_resamples=9).statistic
            close(statistic, value, rtol=1e-10, err_msg=name)
        chi2 = permutation_test(table, "e", "g", "chi2", rng=new(), n_resamples=9)
        close(chi2.statistic, chi_squared(table, ["g", "e"]).statistic)
        for name, value in {"mean": frame["y"].mean(), "median": frame["y"].median()}.items():
            close(bootstrap_interval(frame, "y", (), name, rng=new(), n_resamples=9).estimate, value)
        assert set(READY) == {*expected, "F", "Welch F", "H", "chi2", "mean", "median"}

    def test_any_function_of_a_stack(self) -> None:
        rng = new(13)
        frame = pd.DataFrame(
            {"y": rng.normal(size=60), "a": rng.choice(["x", "y"], 60), "b": rng.choice(["u", "v", "w"], 60)}
        )

        def interaction(cells: Cells) -> npt.ArrayLike:
            return anova(cells).effect("a:b").statistic

        result = permutation_test(frame, "y", ["a", "b"], interaction, rng=new(), n_resamples=499)
        close(result.statistic, anova(frame, "y", ["a", "b"]).effect("a:b").statistic)
        assert result.name == "interaction"
        spread = permutation_test(
            frame, "y", "b", lambda values: np.ptp(values.median, axis=-1), summary="values", rng=new(), n_resamples=99
        )
        assert 0 < spread.p <= 1

    def test_engines_summaries_and_samples_agree(self) -> None:
        frame = pd.DataFrame({"y": [5, 7, 6, 9, 8, 3, 5, 4, 4, 2, 6], "g": [*"aaaaabbbbcc"]})
        expected = permutation_test(frame, "y", "g", levels=("b", "a"), rng=new())
        assert expected.statistic == -3
        for data in (pl.from_pandas(frame), ValueCounts.from_frame(frame, "y", "g")):
            close(permutation_test(data, "y", "g", levels=("b", "a"), rng=new()).p, expected.p)
        by_name = permutation_test({"a": [5, 7, 6, 9, 8], "b": [3, 5, 4, 4]}, rng=new())
        close(by_name.p, expected.p)
        table = Counts.from_frame(frame.assign(y=frame["y"] > 4), ["g", "y"])
        long = permutation_test(frame.assign(y=frame["y"] > 4), "y", "g", "chi2", rng=new())
        close(permutation_test(table, statistic="chi2", rng=new()).p, long.p)

    def test_missing_values_are_counted(self) -> None:
        frame = games()
        frame.loc[0, "points"] = np.nan
        frame.loc[5, "game"] = np.nan
        result = permutation_test(frame, "points", "condition", cluster="game", rng=new())
        assert (result.missing, result.rows, result.units) == (2, 22, 12)

    def test_what_it_says(self) -> None:
        frame = games()
        by_row = permutation_test(frame, "points", "condition", rng=new())
        assert by_row.apa().endswith("(permutation of 24 rows taken as independent, 9,999 random arrangements)")
        by_game = permutation_test(frame, "points", "condition", cluster="game", rng=new())
        assert by_game.apa().endswith("(permutation of 12 whole clusters (game), all 924 arrangements)")
        by_seat = permutation_test(frame, "points", "seat", cluster="game", strata="condition", rng=new())
        assert by_seat.apa().endswith(
            "(permutation of rows within 12 clusters (game) within condition, all 4,096 arrangements)"
        )
        columns = list(by_game.to_frame())
        assert columns[:4] == ["statistic", "p", "name", "alternative"]
        assert "distribution" not in columns
        low, high = by_row.p_interval().low, by_row.p_interval().high
        assert low < by_row.p < high
        assert by_game.p_interval().low == by_game.p

    def test_statistics_that_are_not_defined_count_as_extreme(self) -> None:
        def only_up(cells: Cells) -> Array:
            gap = cells.mean[..., 0] - cells.mean[..., 1]
            return np.where(gap > 0, gap, np.nan)

        result = permutation_test({"a": [5, 7, 6], "b": [3, 4, 5]}, statistic=only_up, rng=new())
        assert result.undefined == np.isnan(result.distribution).sum() > 0
        assert result.p > result.undefined / 20


class TestBootstrap:
    @pytest.mark.parametrize("method", ["bca", "percentile"])
    @pytest.mark.parametrize("statistic", ["mean difference", "t", "median difference"])
    def test_agrees_with_scipy_on_the_same_resamples(self, statistic: str, method: Any) -> None:
        """scipy makes the interval of our resamples; what is left to chance is nothing."""
        rng = new(14)
        x, y = rng.lognormal(size=17), rng.lognormal(0.3, size=12)
        functions = {
            "mean difference": lambda a, b, axis=-1: a.mean(axis) - b.mean(axis),
            "t": lambda a, b, axis=-1: stats.ttest_ind(a, b, equal_var=False, axis=axis).statistic,
            "median difference": lambda a, b, axis=-1: np.median(a, axis) - np.median(b, axis),
        }
        ours = bootstrap_interval({"x": x, "y": y}, statistic=statistic, method=method, rng=new(15))
        start = stats.bootstrap((x, y), functions[statistic], n_resamples=9, rng=new(16))
        start.bootstrap_distribution = ours.distribution
        theirs = stats.bootstrap(
            (x, y),
            functions[statistic],
            n_resamples=0,
            bootstrap_result=start,
            method={"bca": "BCa"}.get(method, method),
        )
        ends = theirs.confidence_interval
        close([ours.interval.low, ours.interval.high], [ends.low, ends.high], rtol=1e-6)
        close(ours.se, theirs.standard_error)

    def test_resamples_are_drawn_as_scipy_draws_them(self) -> None:
        rng = new(17)
        x, y = rng.normal(size=20), rng.normal(1, 2, size=15)
        ours = bootstrap_interval({"x": x, "y": y}, rng=new(18), n_resamples=40_000)
        theirs = stats.bootstrap(
            (x, y), lambda a, b, axis: a.mean(axis) - b.mean(axis), n_resamples=40_000, rng=new(19)
        )
        exact = np.sqrt(x.var() / 20 + y.var() / 15)
        close([ours.se, theirs.standard_error], exact, rtol=0.02)
        ends = theirs.confidence_interval
        close([ours.interval.low, ours.interval.high], [ends.low, ends.high], atol=0.04 * exact)

    def test_whole_clusters_are_drawn(self) -> None:
        """The standard error by games is that of game means, larger than that of players taken as independent."""
        frame = games(seed=20, count=60)
        by_game = bootstrap_interval(frame, "points", "condition", cluster="game", rng=new(1))
        by_row = bootstrap_interval(frame, "points", "condition", rng=new(1))
        means = frame.groupby(["condition", "game"])["points"].mean()
        exact = np.sqrt(sum(half.to_numpy().var() / len(half) for _, half in means.groupby(level=0)))
        close(by_game.se, exact, rtol=0.03)
        assert by_game.se > 1.2 * by_row.se
        assert (by_game.unit, by_game.units, by_game.rows) == ("clusters", 60, 120)
        close(by_game.estimate, by_row.estimate)

    def test_pairs_are_drawn_whole(self) -> None:
        rng = new(21)
        level = rng.normal(size=30)
        y = np.stack([level + rng.normal(0, 0.2, 30), level + rng.normal(0.3, 0.2, 30)], axis=1)
        long = pd.DataFrame({"who": np.repeat(np.arange(30), 2), "c": ["a", "b"] * 30, "y": y.ravel()})
        result = bootstrap_interval(long, "y", "c", cluster="who", rng=new(2))
        close(result.se, (y[:, 0] - y[:, 1]).std() / np.sqrt(30), rtol=0.03)

    def test_strata_keep_their_sizes(self) -> None:
        frame = pd.DataFrame({"y": [1.0, 2, 3, 101, 102, 103], "s": [*"aaabbb"]})
        one = bootstrap_interval(frame, "y", (), "mean", strata="s", rng=new(3))
        assert np.ptp(one.distribution) < 3
        assert np.ptp(bootstrap_interval(frame, "y", (), "mean", rng=new(3)).distribution) > 50

    @settings(max_examples=30)
    @given(st.lists(st.floats(-10, 10).map(lambda x: round(x, 3)), min_size=4, max_size=10), st.integers(0, 99))
    def test_the_interval_of_symmetric_data_holds_the_estimate(self, half: list[float], seed: int) -> None:
        y = [*half, *(-x for x in half)]
        if len(set(y)) < 3:
            return
        result = bootstrap_interval(y, statistic="mean", rng=new(seed), n_resamples=999)
        for method in ("bca", "percentile"):
            interval = result.confidence_interval(0.95, method)
            assert result.estimate in interval
            assert interval.low < interval.high

    def test_other_levels_and_the_same_seed(self) -> None:
        data = {"a": [5, 7, 6, 9, 8], "b": [3, 5, 4, 4]}
        one, two = (bootstrap_interval(data, rng=new(6), confidence_level=level) for level in (0.95, 0.8))
        assert one.confidence_interval(0.8) == two.interval
        wide, narrow = one.confidence_interval(0.99), one.confidence_interval(0.5)
        assert wide.low <= narrow.low < narrow.high <= wide.high
        assert one.interval.method == "BCa bootstrap"
        assert bootstrap_interval(data, rng=new(6)).interval == one.interval

    def test_equal_values_leave_no_width(self) -> None:
        result = bootstrap_interval({"a": [2, 2, 2], "b": [1, 1, 1]}, rng=new())
        assert (result.interval.low, result.interval.high, result.se) == (1, 1, 0)

    def test_resamples_without_a_statistic_are_left_out_and_counted(self) -> None:
        result = bootstrap_interval({"a": [1, 2], "b": [3, 5, 4]}, statistic="t", method="percentile", rng=new())
        assert result.undefined > 0
        assert result.n_resamples + result.undefined == 9_999


@pytest.mark.calibration
class TestCalibration:
    def test_exact_permutation_never_rejects_too_often_with_ties(self) -> None:
        """Ordinal points with ties, 4 and 5 a group: at most 5 % of null studies, and not far less than 5 %."""
        rng, studies = new(30), runs(20_000, 4_000)
        y = rng.choice(4, size=(studies, 9), p=[0.4, 0.3, 0.2, 0.1]).astype(float)
        y = np.concatenate([np.sort(y[:, :4]), np.sort(y[:, 4:])], axis=1)
        different, which = np.unique(y, axis=0, return_inverse=True)  # of equal studies one is tested
        p = [
            1.0 if np.ptp(one) == 0 else permutation_test({"a": one[:4], "b": one[4:]}, rng=rng).p for one in different
        ]
        rejected = np.mean(np.array(p)[which.ravel()] <= 0.05)
        assert rejected <= stats.binom.isf(0.005, studies, 0.05) / studies
        assert rejected > 0.015

    def test_clusters_keep_the_size_that_rows_taken_as_independent_lose(self) -> None:
        """Two players a game, intraclass correlation .5, 8 + 8 games: by game 5 %, by player about 10 %."""
        rng, studies = new(31), runs(1_500, 400)
        game = np.repeat(np.arange(16), 2)
        frame = pd.DataFrame({"game": game, "condition": np.where(game < 8, "a", "b")})
        rejected = {"game": 0, None: 0}
        for _ in range(studies):
            frame["y"] = rng.normal(size=16)[game] + rng.normal(size=32)
            for clusters in rejected:
                p = permutation_test(frame, "y", "condition", cluster=clusters, n_resamples=199, rng=rng).p
                rejected[clusters] += p <= 0.05
        size = {name: count / studies for name, count in rejected.items()}
        print(size)
        low, high = (stats.binom.ppf(q, studies, 0.05) / studies for q in (0.005, 0.995))
        assert low <= size["game"] <= high
        assert size[None] > 0.08

    @pytest.mark.parametrize(
        ("n", "draw", "expected"),
        [
            (15, "normal", {"bca": 0.923, "percentile": 0.922}),
            (15, "lognormal", {"bca": 0.863, "percentile": 0.915}),
            (40, "normal", {"bca": 0.938, "percentile": 0.939}),
        ],
    )
    def test_coverage_of_the_bootstrap(self, n: int, draw: str, expected: dict[str, float]) -> None:
        """Intervals of 95 % of the difference of two equal means: the shares that the docstring names."""
        rng, studies = new(32), runs(2_000, 400)
        covered = dict.fromkeys(expected, 0)
        for _ in range(studies):
            data = {"a": getattr(rng, draw)(size=n), "b": getattr(rng, draw)(size=n)}
            result = bootstrap_interval(data, rng=rng, n_resamples=999)
            for method in covered:
                covered[method] += 0.0 in result.confidence_interval(0.95, method)  # type: ignore[arg-type]
        print(n, draw, {method: count / studies for method, count in covered.items()})
        for method, share in expected.items():
            low, high = (stats.binom.ppf(area, studies, share) for area in (0.0005, 0.9995))
            assert low <= covered[method] <= high, method


@pytest.mark.parametrize("shift", [0.0, 2.0**20, 2.0**30])
def test_ties_stay_ties_far_from_zero(shift: float) -> None:
    """Whole numbers and powers of 2 add without error: all p are that of the data about 0, the observed one counted."""
    frame = pd.DataFrame({"y": [1.0, 2, 4, 7, 3, 9, 8, 9], "g": list("aaaabbbb")})
    moved = frame.assign(y=frame["y"] + shift)
    assert permutation_test(moved, "y", "g", rng=new()).p == permutation_test(frame, "y", "g", rng=new()).p


def test_two_resamples_are_the_fewest() -> None:
    samples = {"a": [1.0, 2, 4, 8], "b": [2.0, 3, 3, 9]}
    assert (
        bootstrap_interval(samples, rng=np.random.default_rng(1), n_resamples=2, method="percentile").n_resamples == 2
    )
