"""The parts that all results share: intervals."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.stats.results.result import Interval


@pytest.mark.parametrize(("value", "inside"), [(1.9, False), (2.0, True), (2.5, True), (3.0, True), (3.1, False)])
def test_both_ends_bound_an_interval(value: float, inside: bool) -> None:
    assert (value in Interval(2.0, 3.0)) is inside


def test_several_intervals_are_printed_each() -> None:
    assert Interval(np.array([1.0, 2.0]), np.array([3.0, 4.0])).apa() == "95% CI [1.00, 3.00]; 95% CI [2.00, 4.00]"
