"""Whether data overlap: what Newton's steps prove is what the linear programme finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.errors import NotEstimable
from negstats.stats.outcomes import fits
from negstats.stats.outcomes.fits import check_separation


def separated(sides: object, x: object, steps: int, part: int = 2000) -> bool:
    """Return whether separation is found, after so many steps that may prove the contrary of a part or of all rows."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fits, "MOST_STEPS", steps)
        patched.setattr(fits, "PART", part)
        try:
            check_separation(np.asarray(sides, dtype=float), np.asarray(x, dtype=float), ["Intercept", "x", "z"], "y")
        except NotEstimable:
            return True
        return False


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
def test_steps_prove_no_overlap_that_is_not_there(data: st.DataObject) -> None:
    rows = data.draw(st.integers(4, 24))
    whole = st.lists(st.integers(-3, 3), min_size=rows, max_size=rows)
    x = np.column_stack([np.ones(rows), data.draw(whole), data.draw(whole)])
    if np.linalg.matrix_rank(x) < 3:
        return
    sides = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=rows, max_size=rows))
    assert separated(sides, x, 15) == separated(sides, x, 15, part=4) == separated(sides, x, 0)


def test_steps_decide_where_groups_overlap() -> None:
    x = np.column_stack([np.ones(40), np.arange(40.0), np.tile([0.0, 1.0], 20)])
    sides = np.where((np.arange(40) % 3 == 0) | (np.arange(40) > 30), 1.0, -1.0)
    assert fits.is_overlapping(x / x.max(axis=0) * sides[:, None])
    apart = np.where(np.arange(40) > 30, 1.0, -1.0)
    assert not fits.is_overlapping(x / x.max(axis=0) * apart[:, None])
    assert separated(apart, x, 15)
