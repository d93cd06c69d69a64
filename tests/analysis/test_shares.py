"""Measures of yes or no: tables, exact tests, intervals and figures inside 0 to 1, people who answer often."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats as scipy_stats

from negstats import stats
from negstats.analysis import ShareComparison, compare
from negstats.errors import DesignError, NotEstimable
from negstats.plots import save_figure
from negstats.stats.counts.clustered import ClusteredProportions, clustered_proportions
from tests.analysis.studies import meetings


def shares(yes: tuple[int, int], n: tuple[int, int]) -> ShareComparison:
    """So many games of different people that ended in agreement."""
    ended = [
        "agreement" if place < wins else "walkaway" for wins, size in zip(yes, n, strict=True) for place in range(size)
    ]
    people = [(f"p{place}",) for place in range(sum(n))]
    found = compare(meetings(people, ["x"] * n[0] + ["y"] * n[1], ended), "agreed", "condition")
    assert isinstance(found, ShareComparison)
    return found


def paired(cells: list[list[int]]) -> ShareComparison:
    """People who play once in each condition; rows are the ends in x, columns those in y."""
    people, condition, ended = [], [], []
    for i, row in enumerate(cells):
        for j, count in enumerate(row):
            for place in range(count):
                for level, no in (("x", i), ("y", j)):
                    people.append((f"p{i}{j}{place}",))
                    condition.append(level)
                    ended.append("walkaway" if no else "agreement")
    found = compare(meetings(people, condition, ended), "agreed", "condition", paired=True)
    assert isinstance(found, ShareComparison)
    return found


def test_two_groups_have_fishers_test_and_newcombes_interval() -> None:
    found = shares((56, 48), (70, 80))
    assert isinstance(found.test, stats.FisherExact)
    assert found.test.p == pytest.approx(scipy_stats.fisher_exact(np.array([[56, 14], [48, 32]])).pvalue, rel=1e-9)
    interval = found.difference.confidence_interval()
    # Newcombe 1998, table II, example (a), method 10
    assert (round(float(interval.low), 4), round(float(interval.high), 4)) == (0.0524, 0.3339)
    assert found.counts().to_numpy().tolist() == [[56, 14], [48, 32]]
    assert "x (56 of 70) and y (48 of 80): .80 – .60 = .20, 95% CI [.05, .33], p = .013, Fisher's exact" in found.apa()
    assert found.notes[0] == "counted as yes: the game ended in agreement"


def test_intervals_stay_inside_0_to_1_where_all_agree() -> None:
    found = shares((20, 15), (20, 20))
    table = found.table()
    assert table.loc["x", "high"] == 1
    assert table.loc["x", "low"] == pytest.approx(1 - 0.1611, abs=5e-5)  # Wilson for 20 of 20
    assert float(found.difference.confidence_interval().high) <= 1


def test_pairs_have_mcnemars_test_exact_where_few_change() -> None:
    found = paired([[36, 12], [2, 0]])
    assert isinstance(found.test, stats.McNemar)
    assert found.test.method == "exact"
    assert found.test.p == pytest.approx(scipy_stats.binomtest(2, 14).pvalue, rel=1e-9)
    interval = found.difference.confidence_interval()
    assert (round(float(interval.low), 4), round(float(interval.high), 4)) == (
        0.0569,
        0.3404,
    )  # Newcombe 1998, method 10
    assert found.counts().to_numpy().tolist() == [[36, 12], [2, 0]]
    many = paired([[20, 30], [10, 5]])
    assert isinstance(many.test, stats.McNemar)
    assert many.test.method == "asymptotic"


def test_swapping_the_levels_flips_the_difference() -> None:
    one, other = shares((5, 15), (20, 30)), shares((15, 5), (30, 20))
    assert one.difference.difference == pytest.approx(-np.asarray(other.difference.difference))
    assert np.asarray(one.test.p) == pytest.approx(other.test.p)


def test_all_alike_is_not_estimable() -> None:
    with pytest.raises(NotEstimable, match="all 30 units are 1 at both levels"):
        shares((10, 20), (10, 20))


def repeated(rng: np.random.Generator, people: int, games: int, twice: bool) -> ShareComparison:
    who, condition, ended = [], [], []
    for person in range(people):
        chance = rng.beta(2, 2)
        for place in range(games):
            who.append((f"p{person}",))
            condition.append("xy"[place % 2 if twice else person % 2])
            ended.append("agreement" if rng.random() < chance else "walkaway")
    found = compare(meetings(who, condition, ended), "agreed", "condition", paired=twice)
    assert isinstance(found, ShareComparison)
    return found


@pytest.mark.parametrize("twice", [False, True])
def test_people_who_play_several_games_are_one_observation_each(twice: bool) -> None:
    found = repeated(np.random.default_rng(3), 24, 6, twice)
    assert isinstance(found.test, ClusteredProportions)
    by_level = {name: rows.set_index("unit")["value"] for name, rows in found.values.groupby("level")}
    if twice:
        expected = scipy_stats.ttest_rel(by_level["x"], by_level["y"].loc[by_level["x"].index])
    else:
        expected = scipy_stats.ttest_ind(by_level["x"], by_level["y"], equal_var=False)
    assert found.test.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert found.test.p == pytest.approx(expected.pvalue, rel=1e-10)
    assert f"the values of each person at each level were averaged (144 to {48 if twice else 24})" in found.notes
    with pytest.raises(NotEstimable, match="several values"):
        found.counts()


@pytest.mark.slow
@pytest.mark.parametrize("twice", [False, True])
def test_the_figure_stays_in_0_to_1(twice: bool, tmp_path: Path) -> None:
    ax = repeated(np.random.default_rng(3), 24, 6, twice).plot()
    low, high = ax.get_ylim() if twice else ax.get_xlim()
    assert -0.05 < low <= 0
    assert 1 <= high < 1.05
    for found in (shares((20, 15), (20, 20)), paired([[36, 12], [2, 0]])):
        save_figure(found.plot(), tmp_path / "figure.png")


def test_shares_near_the_ends_have_intervals_inside() -> None:
    found = clustered_proportions([1, 1, 1, 1, 0.75], [0, 0, 0.25, 0, 0])
    for interval in found.intervals():
        assert 0 <= interval.low < interval.high <= 1
    both = found.confidence_interval()
    assert -1 <= both.low < found.difference < both.high <= 1


def test_one_answer_a_unit_gives_the_plain_interval_but_for_the_spread_of_t() -> None:
    first, second = np.repeat([1.0, 0.0], [600, 400]), np.repeat([1.0, 0.0], [450, 550])
    plain = stats.proportion_difference([600, 450], [1000, 1000]).confidence_interval()
    found = clustered_proportions(first, second).confidence_interval()
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=1e-4)


@pytest.mark.parametrize(
    ("first", "second", "paired", "message"),
    [
        ([0.5, 2], [0, 1], False, "first must be a row of shares"),
        ([0.5, 1], [0, np.nan], False, "second must be a row of shares"),
        ([0.5, 1], [0, 1, 1], True, "pairs need as many"),
        ([0.5], [0, 1, 1], False, "first has 1 units"),
        ([0.5, 0.5], [0.25, 0.25], False, "do not vary"),
    ],
)
def test_what_is_no_share_is_refused(first: list[float], second: list[float], paired: bool, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        clustered_proportions(first, second, paired=paired)


@pytest.mark.calibration
@pytest.mark.parametrize(("units", "correlation", "chance"), [(10, 0.0, 0.5), (10, 0.3, 0.5), (20, 0.3, 0.1)])
def test_size_and_cover_of_clustered_shares(units: int, correlation: float, chance: float) -> None:
    """Units of 1 to 7 answers whose chances are beta distributed: the test keeps its level, the interval covers."""
    rng, studies = np.random.default_rng(20260311), 1500
    rejected = covered = 0
    for _ in range(studies):
        sides = []
        for _ in range(2):
            odds = (1 - correlation) / correlation if correlation else np.inf
            each = rng.beta(chance * odds, (1 - chance) * odds, units) if correlation else np.full(units, chance)
            size = rng.integers(1, 8, units)
            sides.append(rng.binomial(size, each) / size)
        try:
            found = clustered_proportions(*sides)
        except NotEstimable:
            covered += 1
            continue
        rejected += found.p < 0.05
        covered += 0 in found.confidence_interval()
    assert rejected / studies <= 0.065
    assert covered / studies >= 0.93
