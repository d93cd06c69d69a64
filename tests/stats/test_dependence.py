"""The table of ``docs/calibration.md``: tests of dependent rows keep their level, and the page says what was drawn."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.conftest import runs
from tests.stats.dependence import ALPHA, CASES, CLUSTERS, DOCS, Case, markdown, read, read_unequal, size_of

# What a test is known to reject beyond 5 %, by the table: a sandwich of few clusters is liberal, and so is a bounded
# model of opposed pairs.
WIDER = {"cox, clusters": 0.055, "mixed, pairs, positive only": 0.055, "round_robin, mean squares": 0.008}


@pytest.mark.calibration
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name} {case.design}")
def test_each_keeps_its_level(case: Case) -> None:
    clusters = CLUSTERS if runs(1, 0) else CLUSTERS[1:2]
    for count in clusters:
        result = size_of(case, count, runs(2_000, 10))
        error = 4.5 * np.sqrt(ALPHA * (1 - ALPHA) / result.studies)
        assert result.size <= ALPHA + WIDER.get(case.name, 0.0) + error, result
        # Without an effect an interval misses as often as the test rejects, where it is made by the same model.
        if case.effect == 0 and not np.isnan(result.coverage):
            assert result.coverage == pytest.approx(1 - result.size / (1 - result.refused), abs=0.06)


def test_the_page_is_theread() -> None:
    """Every case stands in it at every number of clusters, and the page prints what the JSON says."""
    sizes = read()
    assert [(one.test, one.design, one.clusters) for one in sizes] == [
        (case.name, case.design, clusters) for case in CASES for clusters in CLUSTERS
    ]
    studies = json.loads((DOCS / "calibration.json").read_text(encoding="utf-8"))["studies"]
    times = {(case.name, case.design): case.times for case in CASES}
    assert [one.studies for one in sizes] == [studies * times[one.test, one.design] for one in sizes]
    assert (DOCS / "calibration.md").read_text(encoding="utf-8") == markdown(sizes, studies, read_unequal())


def test_rows_taken_as_independent_find_too_much_where_it_matters() -> None:
    naive = {(one.test, one.design): one.naive_size for one in read() if one.clusters == 30}
    for case in CASES:
        if "between" in case.design or "whole clusters" in case.design:
            assert naive[case.name, case.design] > 0.07, case
