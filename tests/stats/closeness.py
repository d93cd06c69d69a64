"""How close numbers must be to those of R, for tests that compare many, and what a case is called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def rel(value: Any, tolerance: float = 1e-8, *, least: float = 1e-12) -> Any:
    """Return what equals a number, or each number of a list, up to 8 digits, or `least` near 0; None is missing."""
    return pytest.approx(np.asarray(value, dtype=float), rel=tolerance, abs=least)


def name_of(case: dict[str, Any]) -> str:
    """Return what tells one case of a reference from the others: its words and truth values."""
    return "-".join(f"{value}" for value in case.values() if isinstance(value, str | bool | int))[:80]


def agree(actual: Any, expected: Any, **tolerance: Any) -> None:
    """Compare arrays of one shape; None is missing."""
    np.testing.assert_allclose(np.asarray(actual, dtype=float), np.asarray(expected, dtype=float), **tolerance)


def agree_in_order(ours: Any, theirs: Any, tolerance: float = 1e-8) -> None:
    """Compare numbers one after the other, whatever the shapes that they come in."""
    np.testing.assert_allclose(np.ravel(ours), np.ravel(theirs).astype(float), rtol=tolerance, atol=tolerance / 100)
