"""How close numbers must be to those of R, for tests that compare many: to a relative error, missing ones alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def rel(value: Any) -> Any:
    """Return what equals a number up to 8 digits."""
    return pytest.approx(value, rel=1e-8, abs=1e-12)


def agree(actual: Any, expected: Any, **tolerance: Any) -> None:
    """Compare arrays of one shape; None is missing."""
    np.testing.assert_allclose(np.asarray(actual, dtype=float), np.asarray(expected, dtype=float), **tolerance)


def agree_in_order(ours: Any, theirs: Any, tolerance: float = 1e-8) -> None:
    """Compare numbers one after the other, whatever the shapes that they come in."""
    np.testing.assert_allclose(np.ravel(ours), np.ravel(theirs).astype(float), rtol=tolerance, atol=tolerance / 100)
