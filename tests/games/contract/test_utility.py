"""Certainty equivalents of 1 - exp(-α u)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.games.contract import Utility

points = st.floats(0, 600)
chances = st.floats(0, 1)


@given(pr=chances, alpha=st.floats(1e-3, 0.02), success=points, failure=points)
def test_the_equivalent_has_the_expected_utility(pr: float, alpha: float, success: float, failure: float) -> None:
    worth = Utility(pr, alpha).worth(success, failure)
    expected = pr * -math.expm1(-alpha * success) + (1 - pr) * -math.expm1(-alpha * failure)
    assert -math.expm1(-alpha * worth) == pytest.approx(expected, rel=1e-9, abs=1e-11)


@given(pr=chances, alpha=st.floats(0, 10), success=points, failure=points)
def test_it_lies_between_and_no_higher_than_the_mean(pr: float, alpha: float, success: float, failure: float) -> None:
    worth = Utility(pr, alpha).worth(success, failure)
    assert min(success, failure) - 1e-9 <= worth <= max(success, failure) + 1e-9
    assert worth <= pr * success + (1 - pr) * failure + 1e-6


@given(pr=chances, success=points, failure=points)
def test_little_risk_aversion_is_near_none(pr: float, success: float, failure: float) -> None:
    assert Utility(pr, 1e-12).worth(success, failure) == pytest.approx(Utility(pr).worth(success, failure), abs=1e-4)


@pytest.mark.parametrize(("pr", "worth"), [(0, 120), (1, 225)])
def test_certainty(pr: float, worth: float) -> None:
    assert Utility(pr, 0.0195).worth(225, 120) == worth


def test_much_risk_aversion_keeps_its_digits() -> None:
    # 1 - exp(-α u) is 1 to the last digit for both scores; the equivalent is the lower score plus ln 2 / α.
    assert Utility(0.5, 10).worth(400, 200) == pytest.approx(200 + math.log(2) / 10, abs=1e-9)
