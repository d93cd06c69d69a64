"""Curves, paths, transitions, and the graph of a game: lines, numbers, and marks are those of the results."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.text import Annotation

from negstats.games.rulesheet import explore, ground, own_payoff, parse, sheet
from negstats.plots import (
    actor_partner_paths,
    agent_heat_map,
    cell_means,
    curves,
    game_graph,
    offer_paths,
    take_caption,
    transition_heat_map,
)
from negstats.plots.style import figure_of
from negstats.stats import actor_partner, transitions
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


# Twelve pairs, the worked example of the model.
X = [[3, 5, 2, 8, 6, 7, 4, 9, 5, 3, 6, 8], [4, 3, 6, 7, 2, 8, 5, 6, 9, 4, 3, 7]]
Y = [[12, 15, 11, 22, 16, 21, 13, 24, 18, 10, 15, 23], [10, 9, 14, 18, 8, 20, 11, 17, 19, 12, 9, 16]]
PAIRS = pd.DataFrame(
    {"pair": [*range(12)] * 2, "role": ["buyer"] * 12 + ["seller"] * 12, "x": np.ravel(X), "y": np.ravel(Y)}
)


def test_effects_of_two_roles_stand_on_their_paths() -> None:
    result = actor_partner(PAIRS, "y", "x", pair="pair", role="role")
    ax = actor_partner_paths(result, predictor="aspiration", outcome="points", caption="Twelve pairs")
    boxes = ax.texts[:4]
    numbers = {text.get_text(): text.get_position() for text in ax.texts[4:8]}
    assert [box.get_text() for box in boxes] == [
        "aspiration\nbuyer", "points\nbuyer", "aspiration\nseller", "points\nseller",
    ]  # fmt: skip
    upper, lower = boxes[0].get_position()[1], boxes[2].get_position()[1]
    heights = [place[1] for place in numbers.values()]
    assert list(numbers) == ["1.89 [1.64, 2.14]", "1.76 [1.40, 2.13]", "0.37 [0.01, 0.73]", "0.63 [0.38, 0.88]"]
    # the buyer's own effect above, the seller's below; what the buyer's aspiration does to the seller leaves from above
    assert heights[0] > upper > heights[2] > (upper + lower) / 2 > heights[3] > lower > heights[1]
    assert any("r = −.17" in text.get_text() for text in ax.texts)
    assert "n = 12 pairs" in ax.get_title(loc="left")
    assert clashes(ax) == []


@pytest.mark.slow
def test_alike_seats_share_their_effects_and_paths_beyond_alpha_are_dashed() -> None:
    result = actor_partner(PAIRS, "y", "x", pair="pair")
    for alpha, dashed in ((0.05, 0), (0.01, 2)):
        ax = actor_partner_paths(result, alpha=alpha)
        arrows = [one.arrow_patch for one in ax.texts if isinstance(one, Annotation)]
        looks = [arrow.get_linestyle() for arrow in arrows if arrow is not None]
        p = [float(np.asarray(result.coefficient(name).p)) for name in ("actor", "partner")]
        assert looks.count("--") == 2 * sum(one >= alpha for one in p)
        assert (alpha, looks.count("--")) == (alpha, dashed)


TALK = {
    "game_id": [1] * 6 + [2] * 5,
    "message": [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5],
    "act": ["ask", "tell", "ask", "tell", "offer", "tell", "ask", "tell", "offer", "ask", "tell"],
}


@pytest.mark.slow
def test_squares_have_probabilities_counts_and_stars() -> None:
    result = transitions(TALK, rng=np.random.default_rng(1), n_resamples=199, adjust="none")
    ax = transition_heat_map(result, caption="What follows what", alpha=0.1)
    written = [text.get_text() for text in ax.texts]
    shares, p = result.probabilities.ravel(), result.p_adjusted.ravel()
    wanted = [
        f"{share:.2f}{'*' if chance < 0.1 else ''}\n{count:.0f}"
        for share, chance, count in zip(shares, p, result.counts.ravel(), strict=True)
    ]
    assert written == wanted
    assert clashes(ax) == []


@pytest.mark.slow
def test_residuals_part_at_zero() -> None:
    ax = transition_heat_map(transitions(TALK), show="z")
    low, high = ax.collections[0].get_clim()
    assert low is not None
    assert high == -low
    assert "star" not in ax.get_title(loc="left")


def test_it_draws_every_state_and_the_path() -> None:
    game = ground(parse(sheet.negotiating_prisoners(3)))
    solved = own_payoff(game, ties="last")
    path = [game.first]
    while not game.over(path[-1]):
        path.append(game.next(path[-1], {role: solved.move(role, path[-1]) for role in game.roles}))
    states, edges = explore(game).to_frames(path)
    assert edges["moves"].sum() == 257
    assert edges["played"].sum() == len(path) - 1 == 3
    ax = game_graph(states, edges)
    marks = [kept for kept in ax.collections if not isinstance(kept, LineCollection)]
    assert sum(len(np.asarray(kept.get_offsets())) for kept in marks) == 50
    # Every edge leads to a later layer, and the played path starts at the first state.
    lines = [kept.get_segments() for kept in ax.collections if isinstance(kept, LineCollection)]
    assert [len(part) for part in lines] == [len(edges) - 3, 3]
    assert all(segment[0][0] < segment[1][0] for part in lines for segment in part)
    assert sorted(text.get_text() for text in ax.texts) == ["0, 10", "10, 0", "2, 2", "8, 8"]


def test_a_game_of_one_state() -> None:
    states, edges = explore(ground(parse("(role a) terminal (goal a 5)"))).to_frames()
    assert [text.get_text() for text in game_graph(states, edges).texts] == ["5"]
