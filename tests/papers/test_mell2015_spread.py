"""How far points must and can spread: against the contrast by hand, and no drawn points spread further."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.papers.mell2015.spread import largest_sd, needed_sd
from negstats.printed_numbers import printed as as_printed

CELLS = {"favor": [38, 40], "generic": [48, 41]}


@pytest.mark.slow
@given(st.lists(st.sampled_from([8.0, 16.0]), min_size=167, max_size=167))
def test_no_points_within_the_bounds_spread_more_than_the_largest_sd(points: list[float]) -> None:
    cells = np.split(np.array(points), np.cumsum([38, 40, 48]))
    pooled = math.sqrt(sum(((cell - cell.mean()) ** 2).sum() for cell in cells) / 163)
    assert pooled <= largest_sd((8, 16), CELLS) + 1e-12
    means = {"favor": (cells[0].mean() + cells[1].mean()) / 2, "generic": (cells[2].mean() + cells[3].mean()) / 2}
    printed_means = {level: as_printed(f"{mean:.2f}") for level, mean in means.items()}
    assert pooled <= largest_sd((8, 16), CELLS, printed_means) + 1e-12


def test_the_needed_sd_gives_the_f_back() -> None:
    rng = np.random.default_rng(1)
    cells = [rng.normal(mean, 5, size) for mean, size in zip((12, 14, 11, 12), (38, 40, 48, 41), strict=True)]
    means = np.array([cell.mean() for cell in cells])
    difference = (means[0] + means[1] - means[2] - means[3]) / 2
    # By hand: the contrast's sum of squares over the within-cell variance (type III for one df).
    within = sum(((cell - cell.mean()) ** 2).sum() for cell in cells) / 163
    weights = np.array([1, 1, -1, -1]) / 2
    f = (weights @ means) ** 2 / (within * (weights**2 / [38, 40, 48, 41]).sum())
    needed = needed_sd((difference, difference, difference), as_printed(f"{f:.12f}"), (38, 40, 48, 41))
    assert needed.value == pytest.approx(math.sqrt(within), rel=1e-9)


def test_a_mean_that_may_be_the_middle_takes_nothing_from_the_largest_sd() -> None:
    assert largest_sd((8, 16), CELLS, {"favor": as_printed("12.0")}) == largest_sd((8, 16), CELLS)
