"""Tables that fit a printed chi-squared: against going through every table one by one, and scipy's statistic."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from negstats.audit import FittingTables, printed, tables_with


def scipy_statistic(name: str, table: np.ndarray) -> float:
    if name == "g2":
        return float(stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic)
    return float(stats.chi2_contingency(table, correction=name == "yates").statistic)


def fitting(name: str, value: str, n: int, shape: tuple[int, int]) -> FittingTables:
    if name == "chi2":
        return tables_with(n=n, shape=shape, chi2=value)
    return tables_with(n=n, shape=shape, g2=value) if name == "g2" else tables_with(n=n, shape=shape, yates=value)


def every_table(n: int, shape: tuple[int, int]) -> list[np.ndarray]:
    """All tables of n observations without an empty row or column."""
    cells = shape[0] * shape[1]
    values = []
    for bars in itertools.combinations(range(n + cells - 1), cells - 1):
        ends = np.array([-1, *bars, n + cells - 1])
        table = (np.diff(ends) - 1).reshape(shape)
        if table.sum(axis=0).all() and table.sum(axis=1).all():
            values.append(table)
    return values


def classes(tables: list[np.ndarray]) -> set[tuple[int, ...]]:
    """Tables up to the order of rows and columns, each as the largest of its class."""
    return {
        max(
            tuple(table[np.ix_(rows, columns)].ravel().tolist())
            for rows in itertools.permutations(range(table.shape[0]))
            for columns in itertools.permutations(range(table.shape[1]))
        )
        for table in tables
    }


SHAPES = [(13, (2, 2)), (14, (2, 2)), (8, (2, 3)), (8, (3, 2)), (6, (3, 3))]
CASES = [(name, *size) for name in ("chi2", "g2", "yates") for size in SHAPES if name != "yates" or size[1] == (2, 2)]


@pytest.mark.slow
@pytest.mark.parametrize(("statistic", "n", "shape"), CASES)
def test_brute_force_finds_the_same_tables(statistic: str, n: int, shape: tuple[int, int]) -> None:
    tables = every_table(n, shape)
    values = [scipy_statistic(statistic, table) for table in tables]
    targets = sorted({f"{value:.2f}" for value in values})
    for target in targets[:: max(1, len(targets) // 8)]:
        near = [t for t, value in zip(tables, values, strict=True) if printed(target).agrees(value)]
        result = fitting(statistic, target, n, shape)
        assert result.complete
        got = {tuple(table.ravel().tolist()) for table in result.tables}
        assert len(got) == len(result)
        assert got == classes(near)


def test_statistics_of_what_is_found_are_scipys() -> None:
    fits = tables_with(n=40, chi2="6.5")
    expected = [stats.chi2_contingency(table, correction=False).statistic for table in fits.tables]
    np.testing.assert_allclose(fits.statistics["chi2"], expected, rtol=1e-12)
    assert (fits.tables.sum(axis=(1, 2)) == 40).all()
    np.testing.assert_allclose(fits.to_frame()["chi2"], expected, rtol=1e-12)


def test_several_printed_statistics_must_all_fit() -> None:
    both = tables_with(n=50, chi2="5.1", g2="5.3")
    one, other = tables_with(n=50, chi2="5.1"), tables_with(n=50, g2="5.3")

    def cells(found: FittingTables) -> set[tuple[int, ...]]:
        return {tuple(table.ravel().tolist()) for table in found.tables}

    assert cells(both) == cells(one) & cells(other)
    assert 0 < len(both) < len(one)


def test_known_totals_are_kept_in_order() -> None:
    fits = tables_with(chi2="7.63", n=289, row_totals=[96, 90, 103], column_totals=[51, 238], shape=(3, 2))
    assert [[19, 77], [22, 68], [10, 93]] in fits.tables.tolist()
    assert (fits.tables.sum(axis=2) == [96, 90, 103]).all()
    assert (fits.tables.sum(axis=1) == [51, 238]).all()


@pytest.mark.slow
def test_known_row_totals_leave_the_columns_free() -> None:
    fits = tables_with(chi2="7.63", n=289, row_totals=[96, 90, 103], shape=(3, 2))
    tables = [table[:, ::-1] if table[0, 0] > table[0, 1] else table for table in fits.tables]
    assert [[19, 77], [22, 68], [10, 93]] in [table.tolist() for table in tables]


@pytest.mark.parametrize("statistic", ["14.93", "12.17"])
def test_printed_tables_of_73(statistic: str) -> None:
    fits = tables_with(chi2=statistic, n=73)
    assert fits.complete
    assert len(fits) > 0
    for table in fits.tables:
        assert printed(statistic).agrees(stats.chi2_contingency(table, correction=False).statistic)


def test_zero_is_a_statistic() -> None:
    fits = tables_with(n=4, chi2="0.00")
    assert fits.tables.tolist() == [[[1, 1], [1, 1]]]


def test_nothing_fits() -> None:
    fits = tables_with(n=10, chi2="10.5")
    assert len(fits) == 0
    assert fits.complete
    assert "no tables fit" in str(fits)
    assert fits.to_frame().empty


@pytest.mark.slow
def test_the_limit_is_told() -> None:
    fits = tables_with(n=200, chi2="12.17", limit=1000)
    assert not fits.complete
    assert fits.looked_at <= 1000
    assert "stopped at its limit" in str(fits)
