"""The parts that all results share: intervals."""

from __future__ import annotations

import pytest

from negstats.stats.results.result import Interval


@pytest.mark.parametrize(("value", "inside"), [(1.9, False), (2.0, True), (2.5, True), (3.0, True), (3.1, False)])
def test_both_ends_bound_an_interval(value: float, inside: bool) -> None:
    assert (value in Interval(2.0, 3.0)) is inside
