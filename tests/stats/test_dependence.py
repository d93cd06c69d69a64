"""The table of ``docs/calibration.md``: tests of dependent rows keep their level, and the page says what was drawn."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.conftest import runs
from tests.stats.dependence import ALPHA, CASES, CLUSTERS, DOCS, Case, Size, markdown, size_of

# What a test may reject at few clusters beyond 5 %, by its size in the table: sandwiches of few clusters are liberal.
WIDER = {"cox, clusters": 0.11, "gray, clusters": 0.045, "clustered_correlation": 0.03, "regression, CR2": 0.015,
         "mixed, pairs, positive only": 0.05, "round_robin, mean squares": 0.008}  # fmt: skip


def _table() -> list[Size]:
    rows: list[dict[str, Any]] = json.loads((DOCS / "calibration.json").read_text(encoding="utf-8"))["rows"]
    found: list[dict[str, Any]] = [{k: np.nan if value is None else value for k, value in row.items()} for row in rows]
    return [Size(**row) for row in found]


@pytest.mark.calibration
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name} {case.design}")
def test_each_keeps_its_level(case: Case) -> None:
    clusters = CLUSTERS if runs(1, 0) else CLUSTERS[1:2]
    for count in clusters:
        found = size_of(case, count, runs(2_000, 20))
        error = 4.5 * np.sqrt(ALPHA * (1 - ALPHA) / found.studies)
        assert found.size <= ALPHA + WIDER.get(case.name, 0.0) + error, found
        # Without an effect an interval misses as often as the test rejects, where it is made by the same model.
        if case.effect == 0 and not np.isnan(found.coverage):
            assert found.coverage == pytest.approx(1 - found.size / (1 - found.refused), abs=0.06)


def test_the_page_is_the_table() -> None:
    """Every case stands in it at every number of clusters, and the page prints what the JSON says."""
    sizes = _table()
    assert [(one.test, one.design, one.clusters) for one in sizes] == [
        (case.name, case.design, clusters) for case in CASES for clusters in CLUSTERS
    ]
    studies = json.loads((DOCS / "calibration.json").read_text(encoding="utf-8"))["studies"]
    times = {(case.name, case.design): case.times for case in CASES}
    assert [one.studies for one in sizes] == [studies * times[one.test, one.design] for one in sizes]
    assert (DOCS / "calibration.md").read_text(encoding="utf-8") == markdown(sizes, studies)


def test_rows_taken_as_independent_find_too_much_where_it_matters() -> None:
    naive = {(one.test, one.design): one.naive_size for one in _table() if one.clusters == 30}
    for case in CASES:
        if "between" in case.design or "whole clusters" in case.design:
            assert naive[case.name, case.design] > 0.07, case
