"""The kinds of frames that every measure takes."""

from __future__ import annotations

import pytest

from tests.conftest import DataFolder
from tests.games import dealornodeal
from tests.metrics.engines import KINDS, Kind


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    chosen: Kind = request.param
    return chosen


@pytest.fixture(scope="session")
def deal_or_no_deal(real_data: DataFolder) -> dealornodeal.Deals:
    return dealornodeal.read(real_data("dealornodeal") / "data.txt")
