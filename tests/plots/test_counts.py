"""Stacked proportions and the mosaic: heights, areas and shading are the counts' and the residuals'."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from negstats.plots import mosaic, stacked_proportions
from negstats.plots.proportions import shares_of
from negstats.stats import Counts, chi_squared
from tests.plots.drawing import bars

WALKED = Counts.from_table(  # chawla2023, Table 3
    [[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]],
    {"reward": ["fair", "selfish"], "partner": ["supervised", "fair", "selfish"], "walked away": ["yes", "no"]},
)
SELFISH = Counts.from_table(WALKED.n[1], {"partner": ["supervised", "fair", "selfish"], "walked away": ["yes", "no"]})
ENDS = Counts.from_table(
    [[60, 10, 3], [20, 50, 9], [5, 12, 2]],
    {"country": ["Israel", "USA", "China"], "end": ["goal", "walk-away", "timeout"]},
)


class TestStackedProportions:
    def test_heights_are_the_shares(self) -> None:
        ax = stacked_proportions(WALKED, label="dialogues")
        n = WALKED.n.reshape(6, 2)
        heights = np.array([[bar.get_height() for bar in part.patches] for part in ax.containers[:3:2]])  # type: ignore[attr-defined]
        np.testing.assert_allclose(heights, 100 * (n / n.sum(axis=1, keepdims=True)).T)
        np.testing.assert_allclose([bar.get_y() for bar in ax.containers[2].patches], heights[0])  # type: ignore[attr-defined]

    def test_intervals_are_wilsons(self) -> None:
        drawn = bars(stacked_proportions(WALKED))
        # R 4: prop.test(5, 97, correct = FALSE)$conf.int and prop.test(19, 96, correct = FALSE)$conf.int
        np.testing.assert_allclose(drawn[0], [2.22160510375, 11.50435541146], rtol=1e-9)
        np.testing.assert_allclose(drawn[3], [13.0527331537, 28.8551669460], rtol=1e-9)

    def test_counts_and_n_are_written(self) -> None:
        ax = stacked_proportions(WALKED)
        assert sorted(text.get_text() for text in ax.texts) == sorted(f"{n:g}" for n in WALKED.n.ravel())
        assert ax.get_xticklabels()[3].get_text() == "selfish,\nsupervised\nn = 96"

    def test_every_boundary_but_the_last_has_an_interval(self) -> None:
        assert len(bars(stacked_proportions(ENDS))) == 6
        table = shares_of(ENDS)
        assert table.groupby("group")["share"].sum().to_numpy() == pytest.approx(1)
        assert table[table["category"] == "timeout"]["boundary"].to_numpy() == pytest.approx(1)

    def test_categories_may_be_any_dimension(self) -> None:
        assert shares_of(WALKED, "reward")["category"].unique().tolist() == ["fair", "selfish"]

    def test_one_group_is_drawn(self) -> None:
        ax = stacked_proportions(pd.DataFrame({"yes": [3], "no": [7]}, index=["all"]))
        heights = [bar.get_height() for bar in ax.patches if isinstance(bar, Rectangle)]
        assert heights == pytest.approx([30, 70])


class TestMosaic:
    @pytest.mark.slow
    def test_areas_are_the_counts(self) -> None:
        ax = mosaic(chi_squared(ENDS))
        areas = np.array([tile.get_width() * tile.get_height() for tile in ax.patches if isinstance(tile, Rectangle)])
        np.testing.assert_allclose(areas, (ENDS.n / ENDS.n.sum()).ravel())

    def test_numbers_are_counts_and_adjusted_residuals(self) -> None:
        ax = mosaic(chi_squared(SELFISH))
        # R 4: chisq.test(matrix(c(19, 22, 10, 77, 68, 93), 3))$stdres
        expected = ["19 +0.7", "77 −0.7", "22 +2.0", "68 −2.0", "10 −2.6", "93 +2.6"]
        assert [text.get_text().replace("\nz =", "").replace(", z =", "") for text in ax.texts] == expected

    @pytest.mark.slow
    def test_only_residuals_that_stand_are_filled(self) -> None:
        test = chi_squared(ENDS)
        stands = test.residuals()["p_adjusted"].to_numpy() < 0.05
        hatched = [tile.get_hatch() is not None for tile in mosaic(test).patches]
        assert hatched == stands.tolist()
        assert 0 < stands.sum() < len(stands)
        more = test.adjusted_residuals.ravel() > 0
        hatches = [tile.get_hatch() for tile in mosaic(test).patches]
        assert {hatch for hatch, up in zip(hatches, more, strict=True) if hatch and up} == {"//"}
        assert {hatch for hatch, up in zip(hatches, more, strict=True) if hatch and not up} == {"\\\\"}

    @pytest.mark.slow
    def test_numbers_without_room_stand_in_the_caption(self) -> None:
        title = mosaic(chi_squared(ENDS)).get_title(loc="left")
        assert "China, timeout: 2 (z = +0.4)" in " ".join(title.split())

    @pytest.mark.slow
    def test_n_and_the_test_are_shown(self) -> None:
        ax = mosaic(chi_squared(SELFISH))
        assert "χ²(2, N = 289) = 7.63" in ax.get_title(loc="left")
        assert [text.get_text() for text in ax.get_xticklabels()] == [
            "supervised\nn = 96", "fair\nn = 90", "selfish\nn = 103",
        ]  # fmt: skip
