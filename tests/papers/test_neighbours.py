"""What a statistic may be instead, against brute force, R, and numbers worked by hand."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.errors import DesignError
from negstats.papers._recipes import counts_for, grid_check, p_text, tail
from negstats.papers.neighbours import d_definitions, loglinear_models, models_with_df, splits, tables_with
from negstats.papers.verdict import Printed
from negstats.stats.loglinear import all_models
from negstats.stats.summaries import Counts


@pytest.mark.parametrize(
    ("arguments", "p"),
    [
        # R: 2 * pt(-4.12, 49); pchisq(4.67, c(1, 3), lower = FALSE); pf(5.15, 1, 163, lower = FALSE)
        (("t", 4.12, None, 49), 0.0001454198651),
        (("chi2", 4.67, 1, None), 0.03069392749),
        (("chi2", 4.67, 3, None), 0.19761873593),
        (("F", 5.15, 1, 163), 0.024557422),
    ],
)
def test_tails_are_those_of_r(arguments: tuple[str, float, int | None, int | None], p: float) -> None:
    assert tail(*arguments) == pytest.approx(p, rel=1e-6)


def test_a_tail_without_its_df_is_refused() -> None:
    with pytest.raises(DesignError, match="'F'"):
        tail("F", 5.0, None, 577)


@given(st.integers(1, 400), st.data())
def test_every_count_is_among_those_that_its_percentage_allows(n: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, n))
    assert count in counts_for(Printed(f"{100 * count / n:.2f}"), n)


def brute_force(low: float, high: float, n: int) -> set[tuple[int, ...]]:
    """All 2 × 2 tables, as their largest rearrangement."""
    found: set[tuple[int, ...]] = set()
    for a, b, c in product(range(n + 1), repeat=3):
        d = n - a - b - c
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        if d >= 0 and margins and low <= n * (a * d - b * c) ** 2 / margins <= high:
            same = [(a, b, c, d), (a, c, b, d)]
            found.add(max(t for w, x, y, z in same for t in ((w, x, y, z), (x, w, z, y), (y, z, w, x), (z, y, x, w))))
    return found


@settings(deadline=None, max_examples=15)
@given(st.integers(4, 14), st.floats(0.1, 12))
def test_tables_are_those_of_brute_force(n: int, chi2: float) -> None:
    printed = Printed(f"{chi2:.1f}")
    assert set(tables_with(printed, n)) == brute_force(printed.low, printed.high, n)


def test_the_listed_tables_have_the_printed_chi_squared() -> None:
    for a, b, c, d in tables_with(Printed("4.67"), 94):
        statistic = stats.chi2_contingency([[a, b], [c, d]], correction=False).statistic
        assert Printed("4.67").agrees(float(statistic))


def test_models_with_df_are_those_that_are_fitted() -> None:
    table = Counts.from_table([[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]])
    every = all_models(table).models
    for df in range(11):
        assert len(models_with_df((2, 3, 2), df)) == sum(float(model.df) == df for model in every)


def test_log_linear_neighbours_find_differences_of_models_too() -> None:
    table = Counts.from_table([[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]])
    # [1 2][1 3] against the model of all two-way terms: 8.172 - 1.710, the partial association of [2 3]
    words = loglinear_models(table, Printed("6.46"))
    assert any("[factor_1 factor_2][factor_1 factor_3]" in word and "difference" in word for word in words)
    assert loglinear_models(table, Printed("77.77")) == []


def test_a_split_is_students_t() -> None:
    means, sds = [Printed("403.33"), Printed("293.77")], [Printed("48"), Printed("20")]
    for split in splits(12, means, sds):
        expected = stats.ttest_ind_from_stats(403.33, 48, split.n[0], 293.77, 20, split.n[1]).statistic
        assert split.t == pytest.approx(float(expected))
        assert split.low < split.t < split.high
    # R: sp <- sqrt((46*48^2 + 3*20^2)/49); (403.33 - 293.77)/(sp*sqrt(1/47 + 1/4))
    [one] = [split for split in splits(51, means, sds) if split.n == (47, 4)]
    assert one.t == pytest.approx(4.497580237)


def test_a_standard_error_is_larger_as_a_standard_deviation() -> None:
    means, sds = [Printed("4.0"), Printed("3.0")], [Printed("0.5"), Printed("0.5")]
    as_sd, as_se = splits(20, means, sds), splits(20, means, sds, se=(True, True))
    assert all(abs(b.t) < abs(a.t) for a, b in zip(as_sd, as_se, strict=True))


def test_equal_groups_make_two_definitions_of_d_one() -> None:
    d = d_definitions(Printed("6.25"), 98, (50, 50))
    assert d["2√(F/N)"][0] == pytest.approx(d["√(F(1/n₁ + 1/n₂))"][0])
    assert d["2√(F/N)"][0] == pytest.approx(0.5)


@given(st.integers(2, 99), st.data())
def test_grim_passes_every_mean_of_whole_numbers(n: int, data: st.DataObject) -> None:
    total = data.draw(st.integers(0, 20 * n))
    assert all(check.holds for check in grid_check("M", Printed(f"{total / n:.2f}"), n))


def test_grim_says_nothing_where_every_mean_is_possible() -> None:
    assert grid_check("M", Printed("4.71"), 100) == []
    assert len(grid_check("M", Printed("4.71"), 99)) == 1


def test_p_is_never_printed_as_zero() -> None:
    assert p_text(1e-300) == "p = 1e-300"
