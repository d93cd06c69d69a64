"""Printed means and SDs against a printed t, F or d: sizes of groups, and definitions of d."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.audit import d_by_definition, splits
from negstats.stats.effects import d_from_t


def test_every_split_is_there_once() -> None:
    frame = splits(12, [1, 2, 3], [1, 1, 1], f="3.0").frame
    assert len(frame) == 28  # compositions of 12 into three parts from 2 on
    assert not frame.duplicated(["n_1", "n_2", "n_3"]).any()
    assert (frame[["n_1", "n_2", "n_3"]].sum(axis=1) == 12).all()


@pytest.mark.parametrize("n_1", [2, 11, 25, 40])
@pytest.mark.parametrize(("name", "equal"), [("t", True), ("welch_t", False)])
def test_t_is_scipys(n_1: int, name: str, equal: bool) -> None:
    frame = splits(51, ["4.1", "3.25"], ["1.2", "0.9"], **{name: "2.0"}).frame.set_index("n_1")  # type: ignore[arg-type]
    expected = stats.ttest_ind_from_stats(4.1, 1.2, n_1, 3.25, 0.9, 51 - n_1, equal_var=equal).statistic
    assert frame.loc[n_1, name] == pytest.approx(expected, rel=1e-12)


def test_f_of_two_groups_is_t_squared() -> None:
    frame = splits(30, ["4.1", "3.25"], ["1.2", "0.9"], t="2.0", f="4.0").frame
    for end in ("", "_low", "_high"):
        np.testing.assert_allclose(frame["f" + end], frame["t" + end] ** 2, rtol=1e-9)


means = st.integers(-300, 300)
sds = st.integers(1, 300)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(means, sds), min_size=2, max_size=3), st.randoms(use_true_random=False))
def test_values_inside_the_rounding_stay_inside_the_interval(groups: list[tuple[int, int]], random: object) -> None:
    """Any unrounded means and SDs give statistics between the ends that are computed for the printed ones."""
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    k = len(groups)
    m, s = ([f"{group[place] / 100:.2f}" for group in groups] for place in (0, 1))
    names = {"f": "1.00"} | ({"t": "1.00", "welch_t": "1.00", "d": "1.00", "d_av": "1.00"} if k == 2 else {})
    frame = splits(5 * k, m, s, signed=True, **names).frame  # type: ignore[arg-type]
    for _ in range(5):
        mean = np.array([float(x) for x in m]) + rng.choice([-0.005, 0.0, 0.005, rng.uniform(-0.005, 0.005)], k)
        sd = np.maximum(np.array([float(x) for x in s]) + rng.choice([-0.005, 0, 0.005], k), 1e-9)
        row = frame.iloc[rng.integers(len(frame))]
        n = row[[f"n_{place + 1}" for place in range(k)]].to_numpy(dtype=float)
        within = ((n - 1) * sd**2).sum() / (n - 1).sum()
        grand = (n * mean).sum() / n.sum()
        values = {"f": (n * (mean - grand) ** 2).sum() / (k - 1) / within}
        if k == 2:
            apart = mean[0] - mean[1]
            values["t"] = apart / np.sqrt(within * (1 / n).sum())
            values["welch_t"] = apart / np.sqrt((sd**2 / n).sum())
            values["d"] = apart / np.sqrt(within)
            values["d_av"] = apart / np.sqrt((sd**2).mean())
        for name, value in values.items():
            slack = 1e-7 * (1 + abs(value))
            assert row[f"{name}_low"] - slack <= value <= row[f"{name}_high"] + slack


def test_the_ends_of_f_are_reached() -> None:
    """The ends are not only bounds: a search over the corners and inside comes to them."""
    frame = splits(9, ["1.0", "2.0", "4.0"], ["1.0", "1.0", "1.0"], f="3.0").frame
    row = frame[(frame["n_1"] == 3) & (frame["n_2"] == 3)].iloc[0]
    grid = np.linspace(-0.05, 0.05, 21)
    a, b, c = np.meshgrid(1 + grid, 2 + grid, 4 + grid, indexing="ij")
    grand = (a + b + c) / 3
    between = 3 * ((a - grand) ** 2 + (b - grand) ** 2 + (c - grand) ** 2) / 2
    assert row["f_low"] == pytest.approx(between.min() / 1.05**2, rel=1e-9)
    assert row["f_high"] == pytest.approx(between.max() / 0.95**2, rel=1e-9)


def test_no_split_of_51_gives_the_printed_t() -> None:
    """haim2017 6.2, Israel: t(49) = 4.12 from 403.33 (48) and 293.77 (20)."""
    fits = splits(51, ["403.33", "293.77"], ["48", "20"], t="4.12")
    assert fits.fitting.empty
    by_size = fits.frame.set_index("n_1")["t"].round(2)
    assert by_size[47] == 4.50
    assert by_size[48] == 3.90
    as_se = splits(51, ["403.33", "293.77"], ["48", "20"], t="4.12", spread=("sd", "se"))
    assert as_se.fitting[["n_1", "n_2"]].to_numpy().tolist() == [[20, 31]]


def test_some_splits_of_30_and_none_of_32() -> None:
    """haim2017 6.2, USA t(28) = 3.53 and China t(30) = 3.80."""
    assert len(splits(30, ["383.33", "278.6677"], ["72", "89"], t="3.53").fitting) > 1
    china = splits(32, ["364.76", "230.66"], ["72.4", "106.43"], t="3.80")
    assert china.fitting.empty
    by_size = china.frame.set_index("n_1")["t"].round(2)
    assert (by_size[11], by_size[12]) == (3.74, 3.85)


def test_sign() -> None:
    assert len(splits(20, ["1.0", "2.0"], ["1.0", "1.0"], t="2.2").fitting) > 0
    assert len(splits(20, ["1.0", "2.0"], ["1.0", "1.0"], t="2.2", signed=True).fitting) == 0
    assert len(splits(20, ["1.0", "2.0"], ["1.0", "1.0"], t="-2.2", signed=True).fitting) > 0


def test_zero_spread_is_no_crash() -> None:
    fits = splits(10, ["2", "3"], ["0", "0"], t="5.0")
    assert not fits.frame["t_high"].isna().any()


def test_the_limit_is_told() -> None:
    for limit in (1, 1000):
        fits = splits(600, [1, 2, 3, 4], [1, 1, 1, 1], f="3.0", limit=limit)
        assert not fits.complete
        assert 0 < len(fits.frame) <= limit
    assert "limit" in str(fits)
    assert (fits.frame[["n_1", "n_2", "n_3", "n_4"]].sum(axis=1) == 600).all()


def test_two_groups_as_the_package_converts() -> None:
    frame = d_by_definition(t="4.12", df=49, n=(25, 26), d="1.15").set_index("definition")
    assert frame.loc["t √(1/n₁ + 1/n₂)", "value"] == pytest.approx(float(d_from_t(4.12, n=(25, 26)).value))
    assert bool(frame.loc["t √(1/n₁ + 1/n₂)", "fits"])


@pytest.mark.parametrize(("f", "d", "fits"), [("5.15", "0.36", True), ("5.94", "0.37", False), ("1.52", "0.18", False)])
def test_printed_pairs(f: str, d: str, fits: bool) -> None:
    """mell2015, section 5: F(1, 163) with d, 78 people with favor language and 89 without."""
    frame = d_by_definition(f=f, df=163, n=(78, 89), d=d)
    assert frame.loc[frame["definition"] == "2 t/√df", "fits"].tolist() == [fits]


@pytest.mark.slow
def test_an_unrounded_pair_always_fits() -> None:
    rng = np.random.default_rng(1)
    for t in rng.normal(0, 2, 200):
        n = int(rng.integers(10, 300))
        frame = d_by_definition(t=f"{t:.2f}", df=n - 2, n=n, d=f"{2 * t / np.sqrt(n - 2):.2f}")
        assert frame["fits"].iloc[0]
        assert ((frame["low"] <= frame["value"]) & (frame["value"] <= frame["high"])).all()


def test_f_is_t_squared_and_signs_do_not_matter() -> None:
    t = d_by_definition(t="-2.00", df=40, n=42, d="0.63")
    f = d_by_definition(f="4.00", df=40, n=42, d="-0.63")
    np.testing.assert_allclose(t["value"], f["value"])
    assert t["fits"].tolist() == f["fits"].tolist()
