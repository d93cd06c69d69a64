"""The dialogues that several tests of games use, read once."""

from __future__ import annotations

import pytest

from tests.conftest import DataFolder
from tests.games import dealornodeal


@pytest.fixture(scope="session")
def deal_or_no_deal(real_data: DataFolder) -> dealornodeal.Deals:
    return dealornodeal.read(real_data("dealornodeal") / "data.txt")
