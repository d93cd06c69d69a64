"""Outcome space, concession, acceptance, survival and heat map: artists hold the tables' numbers, texts fit."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from seaborn.utils import relative_luminance

from negstats import plots
from negstats.games.pareto import dominated
from negstats.plots.style import figure_of
from negstats.plots.survival import not_yet_agreed
from negstats.stats import cumulative_incidence, kaplan_meier
from tests.plots.drawing import clashes, key_of

OUTCOMES = pd.DataFrame({"you": [0, 2, 3, 1, 2], "they": [3, 2, 0, 1, 2], "optimal": [True, True, True, False, True]})
DEALS = pd.DataFrame({"you": [2, 2, 2, 1], "they": [2, 2, 2, 1]})
OFFERS = pd.DataFrame(
    {
        "game_id": [1, 1, 1, 1, 2, 2],
        "proposer": ["human", "agent", "human", "agent", "human", "human"],
        "round": [1, 1, 2, 2, 2, 1],
        "value_proposer": [90.0, 80.0, 85.0, 70.0, 75.0, 95.0],
    }
)
# R 4, survival: survfit(Surv(c(1,2,2,3,4,4,5,7), c(1,1,0,1,0,1,0,1)) ~ 1, conf.type = "log-log")
GAMES = pd.DataFrame(
    {"rounds": [1, 2, 2, 3, 4, 4, 5, 7], "agreed": [True, True, False, True, False, True, False, True]}
)
R_SHARE = [0.875, 0.75, 0.6, 0.45, 0.45, 0.0]
R_LOW = [0.387000014032, 0.314807113706, 0.195495866085, 0.107578115238, 0.107578115238, np.nan]
R_HIGH = [0.981392965879, 0.930898317091, 0.852254345762, 0.751273849926, 0.751273849926, np.nan]


class TestOutcomeSpace:
    LABELS = ("you (points)", "they (points)")

    def test_the_frontier_joins_what_is_optimal_in_steps(self) -> None:
        ax = plots.outcome_space(OUTCOMES, DEALS, x="you", y="they", labels=self.LABELS)
        assert np.column_stack(ax.lines[0].get_data()).tolist() == [[0, 3], [2, 2], [3, 0]]

    def test_under_the_steps_is_what_some_outcome_dominates(self) -> None:
        ax = plots.outcome_space(OUTCOMES, x="you", y="they", labels=self.LABELS)
        steps = ax.lines[0].get_path().vertices
        assert ax.lines[0].get_drawstyle() == "steps-pre"
        you, they = np.asarray(steps).T
        for point in [(0.5, 2.5), (0.5, 1.5), (2.5, 1.0), (2.5, -0.5)]:
            under = any(they[i] > point[1] for i in range(len(you)) if you[i] >= point[0])
            assert under == bool(dominated(point, OUTCOMES[["you", "they"]].to_numpy()))

    def test_outcomes_and_deals_stand_where_they_are(self) -> None:
        ax = plots.outcome_space(OUTCOMES, DEALS, x="you", y="they", labels=self.LABELS, points={"Nash": (2, 2)})
        outcomes, deals, nash = (collection.get_offsets() for collection in ax.collections)
        assert np.asarray(outcomes).tolist() == [[0, 3], [2, 2], [3, 0], [1, 1]]
        assert np.asarray(deals).tolist() == [[1, 1], [2, 2]]
        assert np.asarray(nash).tolist() == [[2, 2]]
        small, large = ax.collections[1].get_sizes()  # type: ignore[attr-defined]
        assert large == pytest.approx(3 * small)

    def test_numbers_are_in_the_legend(self) -> None:
        assert key_of(plots.outcome_space(OUTCOMES, DEALS, x="you", y="they", labels=self.LABELS)) == [
            "outcome (5)", "Pareto frontier (3)", "deals (n = 4; area: number)",
        ]  # fmt: skip

    def test_one_outcome_and_no_deal(self) -> None:
        ax = plots.outcome_space(OUTCOMES.iloc[:1], DEALS.iloc[:0], x="you", y="they", labels=self.LABELS)
        assert len(ax.collections) == 1


class TestConcession:
    LABELS = ("round", "value to the proposer (points)")

    def test_a_line_for_each_negotiator_in_the_order_of_time(self) -> None:
        ax = plots.concession_curves(OFFERS, labels=self.LABELS)
        assert [np.asarray(line.get_ydata()).tolist() for line in ax.lines] == [[90, 85], [95, 75], [80, 70]]

    @pytest.mark.slow
    def test_means_are_the_summarys(self) -> None:
        summary = pd.DataFrame(
            {
                "proposer": "human",
                "round": [1, 2],
                "n": [20, 12],
                "mean": [92.5, 80.0],
                "low": [91, 76],
                "high": [94, 83],
            }
        )
        ax = plots.concession_curves(OFFERS, summary, labels=self.LABELS)
        [mean] = [line for line in ax.lines if str(line.get_label()).startswith("human")]
        assert np.asarray(mean.get_ydata()).tolist() == [92.5, 80.0]
        [band] = ax.collections
        corners: Any = band.get_paths()[0].vertices
        assert {tuple(corner) for corner in corners.tolist()} >= {(1, 91), (1, 94), (2, 76), (2, 83)}
        assert key_of(ax) == ["human (n = 20 to 12)"]
        assert "band: 95% CI" in ax.get_title(loc="left")
        assert clashes(ax) == []

    @pytest.mark.slow
    def test_panels_share_their_axes_and_keep_their_rows(self) -> None:
        both = pd.concat([OFFERS.assign(condition="fair"), OFFERS.assign(condition="tough", value_proposer=50.0)])
        fair, tough = plots.concession_panels(both, panels="condition", labels=self.LABELS)
        assert fair.get_ylim() == tough.get_ylim()
        assert [np.asarray(line.get_ydata()).tolist() for line in fair.lines] == [[90, 85], [95, 75], [80, 70]]
        assert {value for line in tough.lines for value in np.asarray(line.get_ydata()).tolist()} == {50.0}
        assert clashes(tough) == []

    @pytest.mark.slow
    def test_panels_with_means_say_once_what_lines_are(self) -> None:
        rows = [("human", 1, 20, 92.5, 91, 94), ("human", 2, 12, 80.0, 76, 83)]
        summary = pd.DataFrame(rows, columns=["proposer", "round", "n", "mean", "low", "high"])
        conditions = ["fair", "tough"]
        both, means = (
            pd.concat([frame.assign(condition=condition) for condition in conditions]) for frame in (OFFERS, summary)
        )
        axes = plots.concession_panels(both, means, panels="condition", labels=self.LABELS)
        assert [ax.get_title() for ax in axes] == conditions
        assert plots.take_caption(axes[0]) == "Thick: mean; band: 95% CI; thin: one negotiator of a game."
        assert [ax.get_title() for ax in axes] == conditions  # a panel keeps its name
        assert clashes(axes[0]) == []

    def test_n_is_said_without_means_too(self) -> None:
        assert key_of(plots.concession_curves(OFFERS, labels=self.LABELS)) == ["human (n = 2)", "agent (n = 1)"]


class TestAcceptance:
    ANSWERS = pd.DataFrame({"benefit": [0, 50, 50, 100], "accepted": [False, True, False, True]})
    CURVE = pd.DataFrame(
        {
            "benefit": [0.0, 100.0, 0.0, 50.0, 100.0],
            "probability": [0.1, 0.9, 0.0, 0.5, 1.0],
            "low": [0.0, 0.7, np.nan, np.nan, np.nan],
            "high": [0.3, 1.0, np.nan, np.nan, np.nan],
            "method": ["logistic"] * 2 + ["isotonic"] * 3,
        }
    )

    @pytest.mark.slow
    def test_shares_curves_and_threshold_are_the_tables(self) -> None:
        ax = plots.acceptance_curve(
            self.ANSWERS, self.CURVE, label="benefit (points)", threshold=50, threshold_interval=(40, 60)
        )
        assert np.asarray(ax.collections[0].get_offsets()).tolist() == [[0, 0], [50, 0.5], [100, 1]]
        logistic, isotonic, threshold = (np.column_stack(line.get_data()).tolist() for line in ax.lines)
        assert logistic == [[0, 0.1], [100, 0.9]]
        assert isotonic == [[0, 0], [50, 0.5], [100, 1]]
        assert [at for at, _ in threshold] == [50, 50]
        assert clashes(ax) == []

    def test_n_and_the_band_are_named(self) -> None:
        assert key_of(plots.acceptance_curve(self.ANSWERS, self.CURVE, label="benefit (points)", threshold=50)) == [
            "share accepted\n(n = 4 offers; area: number)", "logistic, 95% CI", "isotonic", "threshold 50",
        ]  # fmt: skip

    def test_bands_of_many_curves_are_not_drawn_and_that_is_said(self) -> None:
        for count in (5, 6):
            fits = [
                pd.DataFrame(
                    {"benefit": [0, 100], "probability": [0.1, 0.9], "low": 0.0, "high": 1.0, "method": f"m{at}"}
                )
                for at in range(count)
            ]
            ax = plots.acceptance_curve(self.ANSWERS, pd.concat(fits), label="benefit (points)")
            assert len(ax.collections) == 1 + (count if count == 5 else 0)
            said = "The bands of 6 curves would cover each other: not drawn."
            assert plots.take_caption(ax) == (said if count == 6 else "")


class TestSurvival:
    def test_shares_and_band_are_rs(self) -> None:
        table = not_yet_agreed(GAMES, time="rounds", agreed="agreed").iloc[1:]
        np.testing.assert_allclose(table["share"], R_SHARE, atol=1e-12)
        np.testing.assert_allclose(table["low"], R_LOW, rtol=1e-9)
        np.testing.assert_allclose(table["high"], R_HIGH, rtol=1e-9)
        assert table["at_risk"].tolist() == [8, 7, 5, 4, 2, 1]
        assert table["censored"].tolist() == [0, 1, 0, 1, 1, 0]

    def test_the_curve_is_the_table(self) -> None:
        ax = plots.survival_to_agreement(GAMES, label="rounds")
        steps, censored = ax.lines
        assert np.asarray(steps.get_xdata()).tolist() == [0, 1, 2, 3, 4, 7]
        np.testing.assert_allclose(np.asarray(steps.get_ydata()), [1, *R_SHARE[:4], 0], atol=1e-12)
        assert np.asarray(censored.get_xdata()).tolist() == [2, 4, 5]

    @pytest.mark.slow
    def test_groups_have_their_own_curves_and_n(self) -> None:
        ax = plots.survival_to_agreement(GAMES.assign(agent=["a"] * 4 + ["b"] * 4), by="agent", label="time (rounds)")
        assert key_of(ax) == ["a (n = 4, 3 agreed)", "b (n = 4, 2 agreed)"]
        assert clashes(ax) == []

    def test_without_walk_aways_it_is_the_empirical_share(self) -> None:
        games = pd.DataFrame({"rounds": [3, 1, 2, 2], "agreed": True})
        assert not_yet_agreed(games, time="rounds", agreed="agreed")["share"].tolist() == [1, 0.75, 0.25, 0]

    def test_a_group_that_never_agrees_stays_at_one(self) -> None:
        games = pd.concat([GAMES.assign(agent="fair"), GAMES.assign(agent="tough", agreed=False)])
        ax = plots.survival_to_agreement(games, by="agent", label="rounds")
        [flat] = [line for line in ax.lines if str(line.get_label()).startswith("tough")]
        assert flat.get_label() == "tough (n = 8, 0 agreed)"
        assert set(np.asarray(flat.get_ydata())) == {1.0}
        assert np.asarray(flat.get_xdata()).max() == 7


class TestTimeCurves:
    GAMES = pd.DataFrame(
        {
            "rounds": [2, 3, 3, 5, 6, 7, 2, 4, 4, 6, 8, 9],
            "ended": ["deal", "walk", "deal", "late", "deal", "walk", "walk", "deal", "late", "deal", "deal", "late"],
            "agent": ["fair"] * 6 + ["tough"] * 6,
        }
    )

    @pytest.mark.slow
    def test_incidence_is_drawn_as_it_was_estimated(self) -> None:
        result = cumulative_incidence(self.GAMES, "rounds", "ended", "deal", "late", by="agent")
        ax = plots.time_curves(result, label="time (rounds)")
        frame = result.to_frame()
        lines = [(group, event) for group in ("fair", "tough") for event in ("deal", "walk")]
        for line, (group, event) in zip(ax.lines, lines, strict=True):
            own = frame[(frame["group"] == group) & (frame["event"] == event)]
            assert line.get_label() == f"{group} (n = 6), {event}"
            assert np.asarray(line.get_ydata()).tolist() == [0, *own["share"]]
            assert np.asarray(line.get_xdata()).tolist() == [0, *own["time"]]
        assert [line.get_linestyle() for line in ax.lines] == ["-", "--", "-", "--"]
        assert clashes(ax) == []

    @pytest.mark.slow
    def test_survival_has_ticks_where_watching_stopped_and_numbers_at_risk(self) -> None:
        result = kaplan_meier(self.GAMES, "rounds", "ended", ["deal", "walk"], "late", by="agent")
        ax = plots.time_curves(result, label="time (rounds)", caption="Until the end")
        ticks = [line for line in ax.lines if line.get_marker() == "|"]
        assert [np.asarray(line.get_xdata()).tolist() for line in ticks] == [[5], [4, 9]]
        times = [float(tick) for tick in ax.get_xticks() if 0 <= tick <= ax.get_xlim()[1]]
        written = [text.get_text() for text in ax.texts]
        table = result.numbers_at_risk(times).to_numpy()
        assert written == ["fair", *map(str, table[0]), "tough", *map(str, table[1])]
        assert clashes(ax) == []

    def test_one_end_of_several_and_one_group(self) -> None:
        result = cumulative_incidence(self.GAMES, "rounds", "ended", "deal", "late")
        ax = plots.time_curves(result, label="rounds", events=["walk"])
        assert [line.get_label() for line in ax.lines] == ["walk"]
        assert ax.get_ylabel() == "share with walk"


class TestHeatMap:
    VALUES = pd.DataFrame(
        [[5.0, 4.25], [6.1, np.nan]],
        index=pd.Index(["fair", "selfish"], name="agent"),
        columns=pd.Index(["fair", "selfish"], name="opponent"),
    )

    def test_colours_and_numbers_are_the_values(self) -> None:
        ax = plots.agent_heat_map(self.VALUES, self.VALUES * 0 + 12, label="points")
        drawn: Any = np.ma.asarray(ax.collections[0].get_array()).filled(np.nan)
        np.testing.assert_array_equal(drawn.reshape(2, 2), self.VALUES.to_numpy())
        assert [text.get_text() for text in ax.texts] == ["5.0\n12", "4.2\n12", "6.1\n12", "–"]

    def test_numbers_are_legible_on_dark_and_light(self) -> None:
        ax = plots.agent_heat_map(self.VALUES, label="points")
        light = [sum(to_rgb(text.get_color())) for text in ax.texts]  # 3 is white, 0 black
        assert light == [3, 3, 0, 0]
        squares = np.asarray(ax.collections[0].get_facecolor())[:3]  # the fourth has no value: the page shows through
        for text, square in zip(ax.texts, squares, strict=False):
            low, high = sorted((relative_luminance(text.get_color()), relative_luminance(square)))
            assert (high + 0.05) / (low + 0.05) >= 4.5  # WCAG, for text

    def test_one_agent_is_drawn(self) -> None:
        assert len(plots.agent_heat_map(pd.DataFrame([[1.0]], index=["a"], columns=["a"]), label="points").texts) == 1


def test_texts_that_clash_are_found() -> None:
    """The check that other tests rely on sees an overlap and a text beyond the edge."""
    _, ax = plt.subplots()
    ax.text(0.5, 0.5, "one")
    ax.text(0.5, 0.5, "two")
    ax.text(1.5, 0.5, "beyond")
    assert clashes(ax) == ["'beyond' stands out of the figure", "'one' lies over 'two'"]


@pytest.mark.slow
def test_the_axis_of_panels_is_as_long_as_the_longest_curve() -> None:
    games = pd.DataFrame({"rounds": [1.0, 2, 3, 4, 5, 60], "agreed": True, "g": list("abcdef")})
    ax = plots.survival_to_agreement(games, by="g", label="rounds")
    panels = figure_of(ax).axes
    assert [panel.get_title().partition("\n")[0] for panel in panels] == list("abcdef")
    assert {panel.get_xlim()[1] > 60 for panel in panels} == {True}
    assert len(figure_of(plots.survival_to_agreement(games.head(5), by="g", label="rounds")).axes) == 1
