"""Rank tests: R's values (exact with ties from coin), enumeration, printed examples, properties, edges."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from negstats.stats import ValueCounts, brunner_munzel, friedman, kruskal_wallis, mann_whitney, wilcoxon
from negstats.stats.ranks import shift
from negstats.stats.ranks.exact import untied_rank_sum, untied_signed_rank
from tests.conftest import reference
from tests.stats.closeness import name_of, rel

R: dict[str, Any] = reference("ranks")


def options(case: dict[str, Any]) -> dict[str, Any]:
    names = {"method": "method", "continuity": "correction", "zero_method": "zero_method"}
    chosen = {name: case[key] for key, name in names.items() if key in case}
    return chosen | {"alternative": case["alternative"].replace(".", "-")}


def check_shift(result: Any, case: dict[str, Any]) -> None:
    """Compare the shift's interval, and its estimate where both define it as the median of all pairs.

    R's asymptotic estimate is any zero of a step function, so that with an even number of pairs it lies somewhere
    between the two middle ones. Where even the extreme pairs do not reach the level, R ends the interval there and
    warns ("requested conf.level not achievable"); ours is open.
    """
    effect = result.hodges_lehmann()
    interval = effect.confidence_interval()
    ends = zip((interval.low, interval.high), (case["low"], case["high"]), strict=True)
    assert all(ours == rel(theirs) for ours, theirs in ends if np.isfinite(ours))
    if case["method"] == "exact":
        assert effect.value == rel(case["estimate"])


@pytest.mark.parametrize("case", R["mann_whitney"], ids=name_of)
def test_mann_whitney_agrees_with_r(case: dict[str, Any]) -> None:
    result = mann_whitney(R["two"][case["sample"]], **options(case))
    assert (result.statistic, result.p) == (rel(case["u"]), rel(case["p"]))
    assert (result.method, result.correction) == (case["method"], case["continuity"])
    if "low" in case:
        check_shift(result, case)


@pytest.mark.parametrize("case", R["wilcoxon"], ids=name_of)
def test_wilcoxon_agrees_with_r(case: dict[str, Any]) -> None:
    result = wilcoxon(R["pairs"][case["sample"]], **options(case))
    assert result.p == rel(case["p"])
    if "z" in case:
        assert result.z == rel(case["z"])
    if "t_plus" in case:
        assert result.statistic == rel(case["t_plus"])
    if "low" in case:
        check_shift(result, case)


def test_the_normal_interval_of_a_median_ends_at_the_walsh_averages_of_print() -> None:
    """Hollander and Wolfe (1999), 3.3: the k-th from either end, k = n(n + 1)/4 - z (n(n + 1)(2n + 1)/24)^½."""
    d = np.random.default_rng(7).normal(size=40)
    one, two = np.triu_indices(40)
    walsh = np.sort((d[one] + d[two]) / 2)
    k = 410 - 1.959964 * np.sqrt(40 * 41 * 81 / 24)
    interval = wilcoxon(d, method="asymptotic").hodges_lehmann().confidence_interval()
    assert abs(np.searchsorted(walsh, interval.low) + 1 - k) <= 1
    assert abs(820 - np.searchsorted(walsh, interval.high) - k) <= 1
    assert wilcoxon({"a": d * 1e-20, "b": 0 * d}).p == wilcoxon(d).p


@given(st.lists(st.integers(-2, 6), min_size=40, max_size=60))
def test_the_normal_interval_of_tied_differences_ends_where_shifts_are_rejected(d: list[int]) -> None:
    """Walsh averages of whole numbers are halves: a shift of a quarter more or less meets none of them."""
    assume(len(set(d)) > 3)
    interval = wilcoxon(d, method="asymptotic").hodges_lehmann().confidence_interval()
    for end, out in ((float(interval.low), -0.25), (float(interval.high), 0.25)):
        assert wilcoxon([one - end - out for one in d], method="asymptotic").p < 0.05
        if interval.low < interval.high:  # where nearly all differences are one, no shift lies between the ends
            assert wilcoxon([one - end + out for one in d], method="asymptotic").p >= 0.05


@pytest.mark.parametrize("case", R["rank_biserial"], ids=name_of)
def test_rank_biserial_agrees_with_r(case: dict[str, Any]) -> None:
    if case["paired"]:
        effect = wilcoxon(R["pairs"][case["sample"]]).effect_size(interval="fisher")
    else:
        effect = mann_whitney(R["two"][case["sample"]]).effect_size(interval="fisher")
    assert effect.value == rel(case["value"])
    if case["paired"] and case["sample"] not in ("untied", "larger"):
        return  # effectsize 0.8.3 means to count the pairs that differ, but counts the first values that are not 0
    interval = effect.confidence_interval(case["level"])
    assert (interval.low, interval.high) == (rel(case["low"]), rel(case["high"]))


@pytest.mark.parametrize("case", R["kruskal"], ids=name_of)
def test_kruskal_wallis_and_dunn_agree_with_r(case: dict[str, Any]) -> None:
    result = kruskal_wallis(R["groups"][case["groups"]])
    assert (result.statistic, result.df, result.p) == (rel(case["h"]), case["df"], rel(case["p"]))
    assert result.effect_size().value == rel(case["epsilon"])
    assert result.effect_size("rank_eta_squared").value == rel(case["eta"])
    groups = R["groups"][case["groups"]]
    pairs = [mann_whitney(groups, levels=two).effect_size() for two in itertools.combinations(groups, 2)]
    sizes = result.dunn().effect_size()
    assert sizes.value == pytest.approx([float(one.value) for one in pairs], abs=1e-12)
    ends = sizes.confidence_interval()
    assert ends.low == pytest.approx([float(one.confidence_interval().low) for one in pairs], abs=1e-9)
    adjustments: tuple[Any, ...] = ("none", "holm", "bonferroni", "fdr_bh")
    for adjust in adjustments:
        dunn = result.dunn(adjust)
        assert dunn.statistic == pytest.approx(case["z"], rel=1e-8)
        assert dunn.p_adjusted == pytest.approx(case[f"p_{adjust.removeprefix('fdr_')}"], rel=1e-8)


@pytest.mark.parametrize("case", R["friedman"], ids=name_of)
def test_friedman_agrees_with_r(case: dict[str, Any]) -> None:
    result = friedman(R["measures"][case["measures"]])
    assert (result.statistic, result.df, result.p) == (rel(case["chi2"]), case["df"], rel(case["p"]))
    assert result.effect_size().value == rel(case["w"])


def test_brunner_munzel_as_printed() -> None:
    # Pain scores after surgery of Brunner and Munzel (2000), Biometrical Journal 42, 17-25, with what the help of R's
    # lawstat::brunner.munzel.test prints for them: 3.1375 on 17.683 df, p = .005786, .788961 [.5952169, .9827052] for
    # P(X < Y) + ½ P(X = Y). SciPy gives the statistic the same sign as lawstat, ours the other: first minus second.
    y = [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1]
    n = [3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4]
    result = brunner_munzel({"n": n, "y": y})
    interval = result.confidence_interval()
    assert (result.statistic, result.df, result.p) == pytest.approx((3.1375, 17.683, 0.005786), abs=5e-4)
    assert (result.share, interval.low, interval.high) == pytest.approx((0.788961, 0.5952169, 0.9827052), abs=5e-7)
    peer = stats.brunnermunzel(n, y)
    assert (result.statistic, result.p) == (rel(-peer.statistic), rel(peer.pvalue))


def test_published_example_of_the_signed_ranks() -> None:
    # Hollander, Wolfe and Chicken (2014), table 3.1, depression scale IV before and after: T+ = 40 of 45, one-sided
    # p = .020 (upper tail of T+ for n = 9); R's ?wilcox.test prints V = 40, p-value = 0.01953.
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    result = wilcoxon({"before": before, "after": after}, alternative="greater")
    assert (result.statistic, result.p) == (40, rel(0.01953125))


# Exactness ------------------------------------------------------------------------------------------------------------

few = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@given(few, few, st.sampled_from(["two-sided", "greater", "less"]))
def test_exact_p_is_that_of_all_permutations(a: list[int], b: list[int], side: Any) -> None:
    pooled = [*a, *b]
    assume(len(set(pooled)) > 1)
    result: Any = mann_whitney({"a": a, "b": b}, method="exact", alternative=side)
    ranks = stats.rankdata(pooled)
    sums = np.array([ranks[list(chosen)].sum() for chosen in itertools.combinations(range(len(pooled)), len(a))])
    expected = len(a) * (len(pooled) + 1) / 2
    distance, observed = sums - expected, ranks[: len(a)].sum() - expected
    extreme = {
        "two-sided": np.abs(distance) >= abs(observed) - 1e-9,
        "greater": distance >= observed - 1e-9,
        "less": distance <= observed + 1e-9,
    }[side]
    assert result.p == pytest.approx(extreme.mean(), rel=1e-10)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(["drop", "pratt"]))
def test_exact_signed_p_is_that_of_all_signs(differences: list[int], zeros: Any) -> None:
    assume(any(differences))
    result: Any = wilcoxon(differences, method="exact", zero_method=zeros, alternative="greater")
    values = [d for d in differences if d or zeros == "pratt"]
    ranks = stats.rankdata(np.abs(values))[np.array(values) != 0]
    nonzero = np.array([d for d in differences if d])
    sums = np.array([ranks @ signs for signs in itertools.product((0, 1), repeat=len(ranks))])
    assert result.statistic == pytest.approx(ranks @ (nonzero > 0))
    assert result.p == pytest.approx(np.mean(sums >= ranks @ (nonzero > 0) - 1e-9), rel=1e-10)


def test_untied_distributions_are_those_of_scipy_and_of_print() -> None:
    for m, n in ((1, 1), (3, 7), (8, 5), (20, 30)):
        p = untied_rank_sum(m, n)
        # Mann and Whitney's (1947) counts are symmetric and sum to all choices.
        assert len(p) == m * n + 1
        assert p == pytest.approx(p[::-1], rel=1e-9)
        assert p[0] == pytest.approx(1 / stats.binom(m + n, 0.5).pmf(m) / 2 ** (m + n), rel=1e-9)
    a, b = np.arange(0, 40, 2.0), np.arange(5, 65, 2.0)
    a, b = a + 0.01 * np.arange(20), b + 0.013 * np.arange(30)
    assert mann_whitney({"a": a, "b": b}).p == rel(stats.mannwhitneyu(a, b, method="exact").pvalue)
    assert untied_signed_rank(3).tolist() == pytest.approx([1 / 8, 1 / 8, 1 / 8, 2 / 8, 1 / 8, 1 / 8, 1 / 8])


@pytest.mark.slow
def test_exact_holds_for_large_groups() -> None:
    rng = np.random.default_rng(2)
    samples = {"a": rng.normal(0.2, 1, 150), "b": rng.normal(0, 1, 140)}
    exact, normal = mann_whitney(samples, method="exact"), mann_whitney(samples, method="asymptotic")
    assert exact.p == pytest.approx(normal.p, rel=0.05)
    differences = rng.normal(0.1, 1, 400)
    assert wilcoxon(differences, method="exact").p == pytest.approx(wilcoxon(differences).p, rel=0.05)


def test_extreme_ranks_have_a_p_above_zero() -> None:
    result = mann_whitney({"a": range(200, 240), "b": range(49)})
    assert 0 < result.p < 1e-20
    assert "p < .001, r_rb = 1.00, 95% CI [" in result.apa()


# Properties -----------------------------------------------------------------------------------------------------------

samples_of = st.lists(st.integers(0, 20), min_size=2, max_size=14)


def differ(*samples: list[int]) -> bool:
    return len({value for sample in samples for value in sample}) > 1


@given(samples_of, samples_of, st.sampled_from(["exact", "asymptotic"]))
def test_swapping_groups_flips_signs(a: list[int], b: list[int], method: Any) -> None:
    assume(differ(a, b))
    one: Any = mann_whitney({"a": a, "b": b}, method=method)
    two: Any = mann_whitney({"b": b, "a": a}, method=method)
    assert one.statistic + two.statistic == len(a) * len(b)
    assert (two.z, two.p) == pytest.approx((-one.z, one.p), abs=1e-12)
    for forth, back in [
        (one.effect_size(), two.effect_size()),
        (one.effect_size(interval="fisher"), two.effect_size(interval="fisher")),
        (one.hodges_lehmann(), two.hodges_lehmann()),
    ]:
        here, interval = forth.confidence_interval(), back.confidence_interval()
        assert back.value == pytest.approx(-forth.value, abs=1e-12)
        assert (interval.low, interval.high) == pytest.approx((-here.high, -here.low), abs=1e-7)
        assert here.low <= forth.value <= here.high
    paired = min(len(a), len(b))
    assume(a[:paired] != b[:paired])
    first: Any = wilcoxon({"a": a[:paired], "b": b[:paired]}, method=method)
    second: Any = wilcoxon({"b": b[:paired], "a": a[:paired]}, method=method)
    assert (first.statistic, first.p) == pytest.approx((second.t_minus, second.p))
    assert first.effect_size().value == pytest.approx(-second.effect_size().value)


@given(samples_of, samples_of, st.floats(0.01, 50), st.floats(-1000, 1000))
def test_only_the_order_matters(a: list[int], b: list[int], scale: float, move: float) -> None:
    assume(differ(a, b))
    moved = {"a": [scale * x + move for x in a], "b": [scale * x + move for x in b]}
    one, two = mann_whitney({"a": a, "b": b}), mann_whitney(moved)
    assert (one.statistic, one.ties) == (two.statistic, two.ties)
    assert one.p == pytest.approx(two.p)
    assert two.hodges_lehmann().value == pytest.approx(scale * np.asarray(one.hodges_lehmann().value), abs=1e-9)
    cubes = {"a": [x**3 for x in a], "b": [x**3 for x in b]}
    assert mann_whitney(cubes).p == one.p
    assert kruskal_wallis(cubes).statistic == pytest.approx(kruskal_wallis({"a": a, "b": b}).statistic)


@given(samples_of, samples_of)
def test_two_groups_give_z_squared_for_h(a: list[int], b: list[int]) -> None:
    assume(differ(a, b))
    z = mann_whitney({"a": a, "b": b}, method="asymptotic", correction=False).z
    assert kruskal_wallis({"a": a, "b": b}).statistic == pytest.approx(np.asarray(z) ** 2, rel=1e-9, abs=1e-12)


@given(samples_of, samples_of)
def test_the_shift_is_the_median_of_all_pairs(a: list[int], b: list[int]) -> None:
    assume(differ(a, b))
    result = mann_whitney({"a": a, "b": b})
    assert result.hodges_lehmann().value == np.median(np.subtract.outer(a, b))
    differences = [x - 7 for x in a]
    assume(any(differences))
    walsh = [(x + y) / 2 for x, y in itertools.combinations_with_replacement(differences, 2)]
    assert wilcoxon(differences).hodges_lehmann().value == np.median(walsh)


def counted(sample: Any) -> tuple[Any, Any]:
    values, n = np.unique(sample, return_counts=True)
    return values, n.astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [2_000_000, 5])
def test_order_statistics_of_pairs_are_those_of_the_sorted_pairs(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(shift, "PAIRS", limit)
    rng = np.random.default_rng(0)
    kinds: list[Callable[[int], Any]] = [
        lambda n: rng.normal(size=n),
        lambda n: rng.integers(0, 6, n) * 0.1,
        lambda n: rng.integers(-3, 4, n) + 1e6,
    ]
    for trial in range(60):
        a, b = (kinds[trial % 3](int(rng.integers(1, 12))) for _ in range(2))
        (x, n_x), (y, n_y) = counted(a), counted(b)
        every = np.sort(np.subtract.outer(a, b).ravel())
        result = shift.difference_quantiles(x, n_x, y, n_y, range(1, len(every) + 1))
        assert result == every.tolist()
        walsh = sorted((one + two) / 2 for one, two in itertools.combinations_with_replacement(a, 2))
        assert shift.walsh_quantiles(x, n_x, range(1, len(walsh) + 1)) == walsh


@pytest.mark.parametrize(("n1", "n2", "share"), [(8, 8, 0.5), (20, 31, 0.8), (5, 40, 0.97), (10, 10, 1.0), (6, 9, 0.0)])
def test_score_intervals_solve_newcombes_equation(n1: int, n2: int, share: float) -> None:
    # Newcombe (2006), method 5: |estimate − A| = z √V(A), V with (n1 + n2) / 2 − 1 for both sizes.
    from negstats.stats.effects.counts import mann_whitney_effect

    size = (np.asarray(float(n1)), np.asarray(float(n2)))
    effect = mann_whitney_effect("common_language", np.asarray(share), *size, "score", "two-sided")
    interval = effect.confidence_interval()
    more = (n1 + n2) / 2 - 1
    for end in (interval.low, interval.high):
        if end in (0.0, 1.0):
            assert end == share
            continue
        variance = end * (1 - end) * (1 + more * (1 - end) / (2 - end) + more * end / (1 + end)) / (n1 * n2)
        assert abs(share - end) == pytest.approx(1.959963984540054 * np.sqrt(variance), rel=1e-7)


@pytest.mark.slow
def test_variance_of_signed_ranks_under_a_shift_is_that_of_simulated_ranks() -> None:
    from negstats.stats.effects.counts import signed_rank_moments

    rng = np.random.default_rng(4)
    for n, delta in ((7, 0.0), (12, 0.6), (9, -1.3)):
        d = rng.normal(delta, 1, (200_000, n))
        plus = (stats.rankdata(np.abs(d), axis=1) * (d > 0)).sum(axis=1)
        mean, variance = signed_rank_moments(np.asarray(delta), np.asarray(float(n)))
        assert plus.mean() == pytest.approx(float(mean), rel=0.01)
        assert plus.var() == pytest.approx(float(variance), rel=0.02)
    assert float(signed_rank_moments(np.asarray(0.0), np.asarray(9.0))[1]) == pytest.approx(9 * 10 * 19 / 24)


# Ways in --------------------------------------------------------------------------------------------------------------


def test_pairs_come_from_frames_samples_and_differences() -> None:
    a, b = R["pairs"]["zeros"]["a"], R["pairs"]["zeros"]["b"]
    who = [*range(16), *range(16)]
    frame = pd.DataFrame({"y": [*a, *b], "c": ["a"] * 16 + ["b"] * 16, "id": who}).sample(frac=1, random_state=3)
    expected = wilcoxon({"a": a, "b": b})
    differences = np.subtract(a, b)
    for result in (
        wilcoxon(frame, "y", "c", "id"),
        wilcoxon(pl.from_pandas(frame), "y", "c", "id"),
        wilcoxon(differences),
        wilcoxon(ValueCounts.from_frame(pd.DataFrame({"d": differences}), "d")),
    ):
        assert (result.statistic, result.p, result.n, result.zeros) == (
            expected.statistic,
            rel(expected.p),
            expected.n,
            expected.zeros,
        )
    missing = wilcoxon({"a": [*a, np.nan], "b": [*b, 3]})
    assert (missing.p, missing.missing) == (rel(expected.p), 1)
    shares = expected.effect_size("common_language")
    assert shares.value == rel(np.mean(differences > 0) + np.mean(differences == 0) / 2)
    assert shares.confidence_interval().method == "Wilson"


def test_rounding_makes_neither_ties_nor_order() -> None:
    # 0.81 − 0.77 and 0.75 − 0.71 differ in the last digit of a double, and 0.3 − (0.1 + 0.2) is not 0.
    result = wilcoxon({"CL": [0.75, 0.81, 0.70, 0.3], "FC": [0.71, 0.77, 0.75, 0.1 + 0.2]})
    assert (result.ties, result.zeros, result.statistic) == (2, 1, 3.0)
    far = wilcoxon({"a": [1e10, 3.0, 5.0], "b": [2e10, 2.0, 4.5]})
    assert (far.ties, far.zeros) == (0, 0)


def test_rounding_makes_no_order_of_measures() -> None:
    near, equal = ([[0.1 + 0.2, 0.3, 0.1], [3, 2, 5], [1, 4, 2]], [[0.3, 0.3, 0.1], [3, 2, 5], [1, 4, 2]])
    one, other = (friedman(dict(zip("abc", np.array(rows).T, strict=True))) for rows in (near, equal))
    assert one.mean_ranks == other.mean_ranks
    assert one.statistic == other.statistic


@pytest.mark.parametrize("measures", [12, 13])
def test_many_measures_are_ranked_as_few_are(measures: int) -> None:
    y = np.random.default_rng(measures).integers(0, 9, (7, measures)).astype(float)
    result = friedman({f"m{place}": column for place, column in enumerate(y.T)})
    theirs = stats.friedmanchisquare(*y.T)
    assert (result.statistic, result.p) == (rel(theirs.statistic), rel(theirs.pvalue))
    assert result.mean_ranks == pytest.approx(stats.rankdata(y, axis=1).mean(axis=0))


def test_the_bootstrap_of_concordance_is_that_of_subjects() -> None:
    """Two of three subjects rank alike and one the other way round: W is 1 if only one kind is drawn, else 1 / 9."""
    effect = friedman({"a": [1, 1, 3], "b": [2, 2, 2], "c": [3, 3, 1]}).effect_size(rng=np.random.default_rng(1))
    interval = effect.confidence_interval()
    assert (effect.value, interval.low, interval.high) == (rel(1 / 9), rel(1 / 9), rel(1))
    assert friedman({"a": [1, 3], "b": [2, 1]}).effect_size(n_resamples=2, rng=np.random.default_rng(1)).value == 0


def test_results_print_what_they_hold() -> None:
    points = mann_whitney(R["two"]["points"], method="asymptotic")
    assert points.apa().startswith(f"U = {points.statistic:.2f}, z = {points.z:.2f}, p ")
    assert "z" not in mann_whitney(R["two"]["points"]).apa()
    frame = points.to_frame()
    assert "values" not in frame
    assert {"statistic", "z", "p", "n_1", "n_2", "method", "correction", "ties"} <= set(frame)
    places = stats.rankdata(np.concatenate([R["two"]["points"]["a"], R["two"]["points"]["b"]]))
    sizes = [len(R["two"]["points"]["a"])]
    assert points.mean_ranks == pytest.approx([part.mean() for part in np.split(places, sizes)])
    assert points.medians == (np.median(R["two"]["points"]["a"]), np.median(R["two"]["points"]["b"]))
    dunn = kruskal_wallis(R["groups"]["points"]).dunn("fdr_bh")
    assert dunn.to_frame().shape == (6, 13)
    assert dunn.apa().count("(Benjamini–Hochberg)") == 6


def test_the_bootstrap_of_kruskal_wallis_repeats_with_its_generator_and_holds_the_estimate() -> None:
    result = kruskal_wallis(R["groups"]["points"])
    one, two = (result.effect_size(rng=np.random.default_rng(8)).confidence_interval() for _ in range(2))
    assert one == two
    assert one.low < result.effect_size().value < one.high
    assert one.method == "percentile bootstrap"
    assert result.effect_size().apa() == f"ε² = {result.effect_size().value:.2f}".replace("0.", ".")


def test_groups_that_do_not_overlap_have_an_interval_that_says_how_sure() -> None:
    result = mann_whitney({"a": [5, 6, 7], "b": [1, 2, 3]})
    interval: Any = result.effect_size().confidence_interval()
    assert interval.high == 1
    assert 0 < interval.low < 0.7
    wide: Any = wilcoxon([1, 2, 3]).effect_size().confidence_interval()
    assert wide.high == 1
    assert wide.low < 0


# Edges ----------------------------------------------------------------------------------------------------------------
