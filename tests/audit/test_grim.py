"""GRIM, GRIMMER and counts of percentages: against every sample of small whole numbers."""

from __future__ import annotations

import itertools
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.audit import counts_with, grim, grimmer, printed
from negstats.audit.grim import Budget, debit, is_attainable


def roundings(value: Decimal, places: str) -> set[str]:
    return {str(value.quantize(Decimal(places), rounding)) for rounding in (ROUND_HALF_UP, ROUND_HALF_DOWN)}


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("items", [1, 3])
@pytest.mark.parametrize("n", [1, 3, 7, 8, 19, 28])
def test_grim_accepts_exactly_the_means_that_totals_give(n: int, items: int) -> None:
    possible: set[str] = set()
    for total in range(n * items * 5 + 1):
        possible |= roundings(Decimal(total) / Decimal(n * items), "0.01")
    for cents in range(1, 500):
        mean = f"{cents / 100:.2f}"
        assert grim(mean, n, items).consistent == (mean in possible)


@given(st.integers(1, 300), st.data())
def test_a_true_mean_is_never_refused(n: int, data: st.DataObject) -> None:
    total = data.draw(st.integers(-5 * n, 5 * n))
    assert total in grim(f"{total / n:.2f}", n).totals


def test_grim_examples_from_print() -> None:
    """Brown and Heathers (2017): a mean of 5.19 of 28 people with a one-item whole score is impossible."""
    result = grim("5.19", 28)
    assert not result.consistent
    assert result.nearest == pytest.approx((145 / 28, 146 / 28))
    assert grim("5.18", 28).totals == range(145, 146)


def test_zeros_at_the_end_matter() -> None:
    assert not grim("3.50", 11).consistent
    assert grim(3.5, 11).consistent  # one decimal: 38/11 = 3.4545 rounds to it


def test_points_that_come_in_fives() -> None:
    assert grim("12.5", 2, unit=5).totals == range(5, 6)
    assert not grim("12.0", 2, unit=5).consistent


def test_every_sum_of_squares_of_small_samples() -> None:
    """Against all samples of n whole numbers from −5 to 5, for sums of squares that need no larger one."""
    for n in range(1, 7):
        samples = itertools.combinations_with_replacement(range(-5, 6), n)
        rows = {(sum(sample), sum(x * x for x in sample)) for sample in samples}
        for s, q in itertools.product(range(-7, 8), range(36)):
            assert is_attainable(n, s, q, Budget(10**6)) == ((s, q) in rows), (n, s, q)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 9])
def test_grimmer_against_every_sample(n: int) -> None:
    pairs = set()
    for sample in itertools.combinations_with_replacement(range(8), n):
        pairs.add((f"{np.mean(sample):.2f}", f"{np.std(sample, ddof=1):.2f}"))
    sums = {mean for mean, _ in pairs if 2.5 < float(mean) < 4.5}
    for mean in sorted(sums)[:6]:
        for cents in range(0, 150, 7 if n > 4 else 1):
            sd = f"{cents / 100:.2f}"
            if not any(abs(float(sd) - float(at)) < 0.0051 and mean == m for m, at in pairs):
                assert not grimmer(mean, sd, n).consistent, (mean, sd, n)
    assert all(grimmer(mean, sd, n).consistent for mean, sd in sorted(pairs)[:: max(1, len(pairs) // 200)])


@settings(deadline=None)
@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=40), st.sampled_from([0, 1]))
def test_a_true_sample_is_never_refused(sample: list[int], ddof: int) -> None:
    result = grimmer(f"{np.mean(sample):.2f}", f"{np.std(sample, ddof=ddof):.2f}", len(sample), ddof=ddof)
    assert result.consistent or not result.complete


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(1, 7), min_size=3, max_size=3), min_size=2, max_size=25))
def test_a_true_sample_of_three_items_is_never_refused(people: list[list[int]]) -> None:
    scores = [sum(person) / 3 for person in people]
    assert grimmer(f"{np.mean(scores):.2f}", f"{np.std(scores, ddof=1):.2f}", len(scores), 3).consistent


@pytest.mark.parametrize("n", [3, 4])
def test_a_wide_spread_of_few_people_is_possible_exactly_where_some_sample_has_it(n: int) -> None:
    """Where 12 (n q − s²) ≥ n² (n² − 1) each number is tried: against every sample within ±9 of the mean."""
    for total in (-1, 0, n, 2 * n + 1):
        centre = total // n
        samples = itertools.combinations_with_replacement(range(centre - 9, centre + 10), n)
        possible = {sum(x * x for x in sample) for sample in samples if sum(sample) == total}
        # A number that is 9 from the centre leaves so much at least; above it samples lie outside what was listed.
        listed = range(total * total // n, total * total // n + 80)
        for squares in listed:
            spread = n * squares - total * total
            if (squares - total) % 2 or spread < 0 or 12 * spread < n * n * (n * n - 1):
                continue
            sd = f"{(spread / (n * (n - 1))) ** 0.5:.9f}"
            answer = grimmer(f"{total / n:.9f}", sd, n)
            assert answer.complete
            assert answer.consistent == (squares in possible), (total, squares)
            if answer.consistent:
                assert (answer.total, answer.squares) == (total, squares)


def test_grimmer_says_when_it_stopped() -> None:
    result = grimmer("100.00", "7000.00", 4, limit=1)
    assert not result.consistent
    assert not result.complete


def test_counts_of_the_walk_aways() -> None:
    """chawla2023, Table 3: the only counts that fit the six printed percentages."""
    fits = counts_with(["5.15", "6.0", "5.15", "19.79", "24.44", "9.71"], [97, 100, 97, 96, 90, 103])
    assert fits.unique == (5, 6, 5, 19, 22, 10)
    assert fits.impossible == ()


def test_counts_against_every_fraction() -> None:
    fits = counts_with(["60", "83", "93"], [range(1, 31)] * 3)
    for place, value in enumerate(["60", "83", "93"]):
        rows = fits.frame[fits.frame["place"] == place]
        every = [(n, k) for n in range(1, 31) for k in range(n + 1) if printed(value).agrees(100 * k / n)]
        assert list(zip(rows["n"], rows["count"], strict=True)) == every
        assert rows["value"].tolist() == [100 * k / n for n, k in every]


def test_a_percentage_that_no_count_gives() -> None:
    fits = counts_with(["50.0", "33.0"], [10, 10])
    assert fits.impossible == (1,)
    assert fits.unique is None
    assert counts_with(["50"], [10]).unique == (5,)


@given(st.integers(2, 12), st.integers(-30, 30), st.integers(0, 150), st.integers(-4, 4))
def test_adding_a_number_to_all_values_changes_nothing_of_what_is_attainable(n: int, s: int, q: int, k: int) -> None:
    """Sum and sum of squares move to s + n k and q + 2 k s + n k²; eight numbers that are all 1.5 are not whole."""
    moved = is_attainable(n, s + n * k, q + 2 * k * s + n * k * k, Budget(10_000))
    assert is_attainable(n, s, q, Budget(10_000)) == moved
    assert not is_attainable(8, 12, 18, Budget(10_000))


def test_all_or_none_of_zeros_and_ones_have_no_spread() -> None:
    assert debit("1.00", "0.00", 10)
    assert debit("0.00", "0.00", 10)
    assert not debit("1.00", "0.10", 10)


@pytest.mark.parametrize("n", range(2, 13))
def test_the_sd_of_every_sample_of_yes_and_no_is_attainable(n: int) -> None:
    for ones in range(n + 1):
        sample = np.repeat([1.0, 0.0], [ones, n - ones])
        assert debit(f"{sample.mean():.3f}", f"{sample.std(ddof=1):.3f}", n)
