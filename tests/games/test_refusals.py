"""What the games refuse at their edge: the calls of `refusals.txt`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.refusals import check_refused, refused_calls


@pytest.mark.parametrize(
    ("call", "names", "error"), refused_calls(Path(__file__).with_name("refusals.txt"), {"np": np})
)
def test_what_is_no_game_says_so_in_a_line(call: str, names: dict[str, Any], error: str) -> None:
    check_refused(call, names, error)
