"""Curves, offer paths, open marks beside means, and n in a heat map's caption: what is drawn is what was given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats.plots import agent_heat_map, cell_means, curves, offer_paths, take_caption
from negstats.plots.style import figure_of
from tests.plots.drawing import bars, clashes, key_of

SETTINGS = pd.DataFrame(
    {
        "easy": [0.2, 0.0, 0.1, 0.0, 0.1, 0.2],
        "partner": ["S", "S", "S", "fair", "fair", "fair"],
        "value": [0.6, 0.1, 0.3, 0.2, 0.2, 0.1],
        "low": [0.5, 0.0, 0.2, 0.1, 0.1, 0.0],
        "high": [0.8, 0.3, 0.5, 0.3, 0.3, 0.2],
    }
)


class TestCurves:
    @pytest.mark.slow
    def test_lines_are_the_groups_in_the_order_of_x(self) -> None:
        ax = curves(SETTINGS, x="easy", y="value", by="partner", labels=("easy", "share"), caption="two agents")
        assert [line.get_xydata().tolist() for line in ax.lines] == [  # type: ignore[union-attr]
            [[0.0, 0.1], [0.1, 0.3], [0.2, 0.6]],
            [[0.0, 0.2], [0.1, 0.2], [0.2, 0.1]],
        ]
        assert clashes(ax) == []

    def test_bars_go_from_low_to_high_and_are_named(self) -> None:
        ax = curves(
            SETTINGS,
            x="easy",
            y="value",
            by="partner",
            labels=("easy", "share"),
            low="low",
            high="high",
            bars_name="SE",
        )
        expected = SETTINGS.sort_values(["partner", "easy"], ascending=[False, True])[["value", "low", "high"]]
        np.testing.assert_allclose(sorted(bars(ax)), sorted(expected.to_numpy().tolist()))
        assert "Bars: SE" in ax.get_title(loc="left")

    def test_more_than_five_groups_have_a_panel_each_with_their_own_points(self) -> None:
        table = pd.concat([SETTINGS[SETTINGS["partner"] == "S"].assign(partner=f"agent {at}") for at in range(6)])
        table["value"] += np.repeat(np.arange(6), 3)
        ax = curves(
            table, x="easy", y="value", by="partner", labels=("easy", "share"), caption="six agents", bars_name="SE"
        )
        panels = figure_of(ax).axes
        assert ax is panels[0]
        assert [panel.get_title() for panel in panels] == [f"agent {at}" for at in range(6)]
        for at, panel in enumerate(panels):
            assert list(np.asarray(panel.lines[0].get_ydata())) == pytest.approx([at + 0.1, at + 0.3, at + 0.6])
        assert len({panel.get_ylim() for panel in panels}) == 1
        assert [panel.get_xlabel() for panel in panels] == [""] * 3 + ["easy"] * 3
        assert figure_of(ax).get_supylabel() == "share"
        assert take_caption(ax) == "six agents. A panel for each partner."

    def test_five_groups_share_axes_with_a_key(self) -> None:
        table = pd.concat([SETTINGS.head(3).assign(partner=f"agent {at}") for at in range(5)])
        ax = curves(table, x="easy", y="value", by="partner", labels=("easy", "share"))
        legend = ax.get_legend()
        assert figure_of(ax).axes == [ax]
        assert legend is not None
        assert legend.get_title().get_text() == "partner"
        assert key_of(ax) == [f"agent {at}" for at in range(5)]
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("easy", "share")


OFFERS = pd.DataFrame(
    {
        "offer": [1, 2, 3],
        "proposer": ["A", "B", "A"],
        "value_proposer": [10.0, 9.0, 10.0],
        "value_responder": [8.0, 1.0, 8.0],
        "response": ["superseded", "superseded", "accepted"],
    }
)


class TestPaths:
    @pytest.mark.slow
    def test_each_seats_offers_are_a_path(self) -> None:
        ax = offer_paths(OFFERS, ("A", "B"), labels=("A (points)", "B (points)"))
        drawn = [np.asarray(line.get_xydata()).tolist() for line in ax.lines]
        assert drawn == [[[10, 8], [10, 8]], [[1, 9]]]
        assert sorted(text.get_text() for text in ax.texts) == ["1, 3 ✓", "2"]
        assert ax.get_xlabel() == "A (points)"


class TestBeside:
    TABLE = pd.DataFrame(
        {
            "partner": ["S", "fair", "S", "fair"],
            "reward": ["fair", "fair", "selfish", "selfish"],
            "n": [97, 100, 96, 90],
            "mean": [5.0, 6.0, 3.0, 6.5],
            "low": [4.0, 5.0, 2.0, 6.0],
            "high": [6.0, 7.0, 4.0, 7.0],
            "printed": [5.72, 5.87, 4.70, np.nan],
        }
    )

    @pytest.mark.slow
    def test_open_marks_are_the_column(self) -> None:
        ax = cell_means(self.TABLE, "partner", "reward", label="points", bars="given", beside="printed")
        open_marks = [line for line in ax.lines if line.get_markerfacecolor() == "none"]
        assert [float(np.asarray(line.get_ydata())[0]) for line in open_marks[:3]] == [5.72, 5.87, 4.70]
        assert "open: printed" in key_of(ax)
        assert clashes(ax) == []


def test_one_n_for_all_stands_in_the_caption() -> None:
    values = pd.DataFrame([[5.0, 4.2], [6.1, 5.5]], index=["a", "b"], columns=["a", "b"])
    ax = agent_heat_map(values, 388, label="points")
    assert "n = 388 each" in ax.get_title(loc="left")
    assert [text.get_text() for text in ax.texts] == ["5.0", "4.2", "6.1", "5.5"]
