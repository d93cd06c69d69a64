"""What a statistic may be instead, against brute force, R, and numbers worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.papers.neighbours import d_definitions, loglinear_models, models_with_df
from negstats.papers.recipes import counts_for, grid_check, p_text, tail
from negstats.printed_numbers import printed as as_printed
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


@given(st.integers(1, 400), st.data())
def test_every_count_is_among_those_that_its_percentage_allows(n: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, n))
    assert count in counts_for(as_printed(f"{100 * count / n:.2f}"), n)


def test_models_with_df_are_those_that_are_fitted() -> None:
    table = Counts.from_table([[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]])
    every = all_models(table).models
    for df in range(11):
        assert len(models_with_df((2, 3, 2), df)) == sum(float(model.df) == df for model in every)


def test_log_linear_neighbours_find_differences_of_models_too() -> None:
    table = Counts.from_table([[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]])
    # [1 2][1 3] against the model of all two-way terms: 8.172 - 1.710, the partial association of [2 3]
    words = loglinear_models(table, as_printed("6.46"))
    assert any("[factor_1 factor_2][factor_1 factor_3]" in word and "difference" in word for word in words)
    assert loglinear_models(table, as_printed("77.77")) == []


def test_equal_groups_make_two_definitions_of_d_one() -> None:
    d = d_definitions(as_printed("6.25"), 98, (50, 50))
    assert d["2√(F/N)"][0] == pytest.approx(d["√(F(1/n₁ + 1/n₂))"][0])
    assert d["2√(F/N)"][0] == pytest.approx(0.5)


@given(st.integers(2, 99), st.data())
def test_grim_passes_every_mean_of_whole_numbers(n: int, data: st.DataObject) -> None:
    total = data.draw(st.integers(0, 20 * n))
    assert all(check.holds for check in grid_check("M", as_printed(f"{total / n:.2f}"), n))


def test_grim_says_nothing_where_every_mean_is_possible() -> None:
    assert grid_check("M", as_printed("4.71"), 100) == []
    assert len(grid_check("M", as_printed("4.71"), 99)) == 1


def test_p_is_never_printed_as_zero() -> None:
    assert p_text(1e-300) == "p = 1e-300"
