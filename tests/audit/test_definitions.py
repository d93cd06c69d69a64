"""d from a printed t or F by each definition: against the package's own conversion, and mell2015's printed pairs."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.audit import d_by_definition
from negstats.errors import DesignError
from negstats.stats.effects import d_from_t


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


@pytest.mark.parametrize(
    ("t", "f", "df", "n", "message"),
    [
        (None, None, 10, 12, "either t or f"),
        ("1", "1", 10, 12, "either t or f"),
        (None, "-1", 10, 12, "not negative"),
        ("1", None, 0, 12, "df is 0"),
        ("1", None, 10, 0, "n is 0"),
    ],
)
def test_what_is_refused(t: str | None, f: str | None, df: float, n: int, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        d_by_definition(t=t, f=f, df=df, n=n, d="0.5")
