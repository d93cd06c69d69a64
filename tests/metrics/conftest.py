"""The kinds of frames that every measure takes."""

from __future__ import annotations

import pytest

from tests.metrics.engines import KINDS, Kind


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    chosen: Kind = request.param
    return chosen
