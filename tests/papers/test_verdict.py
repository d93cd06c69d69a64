"""Printed numbers as intervals, extremes over a box, and the verdict that follows from checks."""

from __future__ import annotations

import dataclasses
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.papers.verdict import Check, Finding, Verdict, extremes, judge
from negstats.printed_numbers import printed as as_printed

FloatArray = npt.NDArray[np.float64]


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_what_rounds_to_a_number_lies_in_its_interval(value: float, digits: int) -> None:
    assert as_printed(f"{value:.{digits}f}").agrees(value)


@given(st.decimals(-1000, 1000, places=3, allow_nan=False, allow_infinity=False))
def test_a_value_a_unit_off_does_not_agree(value: object) -> None:
    printed = as_printed(str(value))
    assert not printed.agrees(printed.value + 0.001)
    assert not printed.agrees(printed.value - 0.001)


def test_both_ends_of_a_half_unit_agree() -> None:
    assert as_printed("6.28").agrees(6.285)
    assert as_printed("6.28").agrees(6.275)
    assert not as_printed("6.28").agrees(6.2851)


def test_an_interval_agrees_where_it_overlaps() -> None:
    assert as_printed("5.00").agrees(4.75, 5.43)
    assert not as_printed("5.00").agrees(5.01, 5.43)
    assert not as_printed("5.00").agrees(4.75, 4.99)


@pytest.mark.parametrize(
    ("relation", "low", "high", "holds"),
    [("<", 0.04, 0.06, True), ("<", 0.05, 0.06, False), (">", 0.04, 0.06, True), (">", 0.01, 0.05, False)],
)
def test_inequalities(relation: str, low: float, high: float, holds: bool) -> None:
    assert as_printed("0.05", relation=relation).agrees(low, high) is holds


def test_lost_zeros_come_back() -> None:
    assert str(as_printed("5.0", decimals=2)) == "5.00"
    assert as_printed("5.0", decimals=2).high == pytest.approx(5.005)


def test_extremes_of_a_product_are_at_corners() -> None:
    low, high = extremes(lambda x: x[:, 0] * x[:, 1], [-1, -2], [3, 5])
    corners = [a * b for a, b in product((-1, 3), (-2, 5))]
    assert (low, high) == pytest.approx((min(corners), max(corners)))


def test_extremes_find_the_valley_inside_the_box() -> None:
    low, high = extremes(lambda x: ((x - [0.3, 0.7]) ** 2).sum(axis=1), [0, 0], [1, 1])
    assert low == pytest.approx(0, abs=1e-9)
    assert high == pytest.approx(2 * 0.7**2)


@given(st.lists(st.tuples(st.floats(-10, 10), st.floats(0, 3)), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_no_point_of_the_box_lies_outside_the_extremes(box: list[tuple[float, float]], seed: int) -> None:
    low = np.array([start for start, _ in box])
    high = low + [width for _, width in box]

    def valley(x: FloatArray) -> FloatArray:
        return np.asarray((x**2).sum(axis=1) + x.sum(axis=1))

    least, most = extremes(valley, low, high)
    points = np.random.default_rng(seed).uniform(low, high, size=(200, len(low)))
    values = valley(points)
    assert least <= values.min() + 1e-6
    assert most >= values.max() - 1e-6


def test_a_box_without_width_is_one_value() -> None:
    assert extremes(lambda x: x[:, 0] ** 2, [3], [3]) == (9.0, 9.0)


RIGHT = Check("F", as_printed("5.00"), 5.0, 4.9, 5.1)
WRONG = Check("F", as_printed("5.00"), 6.0, 5.9, 6.1)
OWN = Check("p", as_printed("0.05"), 0.2, 0.2, 0.2, "claim")
DESCRIBED = Check.exact("df", as_printed("4"), 1.0, "description")
DEFINED = Check.exact("d", as_printed("0.37"), 0.38, "definition")
DATA = Check.exact("t", as_printed("2.46"), 2.4605)


@pytest.mark.parametrize(
    ("checks", "verdict"),
    [
        ([], Verdict.NOT_CHECKABLE),
        ([RIGHT], Verdict.CONSISTENT),
        ([RIGHT, WRONG], Verdict.DIFFERS),
        ([RIGHT, WRONG, OWN], Verdict.CONTRADICTS),
        ([DATA], Verdict.REPRODUCED),
        ([DATA, RIGHT], Verdict.REPRODUCED),
        ([DATA, WRONG], Verdict.DIFFERS),
        ([DATA, OWN], Verdict.CONTRADICTS),
        ([RIGHT, DESCRIBED], Verdict.DESCRIPTION),
        ([RIGHT, DEFINED], Verdict.DEFINITION),
        ([DEFINED, DESCRIBED], Verdict.DESCRIPTION),
        ([DEFINED, DESCRIBED, WRONG], Verdict.DIFFERS),
        ([DEFINED, WRONG, OWN], Verdict.CONTRADICTS),
    ],
)
def test_the_verdict_follows_from_the_checks(checks: list[Check], verdict: Verdict) -> None:
    assert judge(checks) is verdict


def test_decimals_that_were_cut_off_are_those_away_from_zero() -> None:
    cases = {("-28", -28.9): True, ("-28", -27.4): False, ("0.0", 0.07): True, ("0.0", 0.04): False, ("5", 6.0): False}
    assert {case: Check.exact("M", as_printed(case[0]), case[1]).cut for case in cases} == cases
    assert (str(RIGHT), str(DATA), str(OWN)) == ("F = 5.00 (4.90 to 5.10)", "t = 2.46", "p = 0.20")


def test_a_finding_tells_its_main_number() -> None:
    finding = Finding("x", "x.1", "5", "points", "F = 5.00", (RIGHT, OWN), Verdict.CONTRADICTS, "because")
    record = finding.to_dict()
    assert (record["quantity"], record["recomputed"], record["low"], record["high"]) == ("F", 5.0, 4.9, 5.1)
    empty = dataclasses.replace(finding, checks=())
    assert empty.recomputed is None
    assert empty.to_dict()["low"] is None
