"""The timeline of a talk and the satisfaction plane: artists hold the tables' numbers, texts fit; real talks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection

from negstats.plots import agent_heat_map, satisfaction_plane, stacked_proportions, talk_timeline
from negstats.simulate.dominance import as_study, talks_of
from tests.plots.drawing import bars, clashes, key_of

MESSAGES = as_study(talks_of("dominant", "submissive", talks=1, seed=1)).messages
PAIRS = pd.DataFrame(
    {
        "pair": [f"pair {place}" for place in range(9)],
        "a": np.linspace(0.5, 1, 9),
        "b": np.linspace(1, 0.5, 9) ** 2,
        "agreements": [12, 96, 288] * 3,
        "talks": 288,
    }
)
FRONTIER = [[0.5, 1.0], [0.8, 0.8], [1.0, 0.5]]
LABELS = ("A (0 to 1)", "B (0 to 1)")


def places(ax: object) -> list[list[float]]:
    marks = [one for one in ax.collections if isinstance(one, PathCollection)]  # type: ignore[attr-defined]
    return sorted(np.concatenate([np.asarray(one.get_offsets()) for one in marks]).tolist())


class TestTimeline:
    def test_marks_stand_in_the_speakers_lane_at_their_place(self) -> None:
        ax = talk_timeline(MESSAGES)
        said = zip(MESSAGES["sender"], MESSAGES["message"], strict=True)
        assert places(ax) == sorted([float("AB".index(sender)), float(place)] for sender, place in said)
        assert [text.get_text() for text in ax.texts] == MESSAGES["labels"].tolist()

    def test_the_legend_counts_acts(self) -> None:
        counts = MESSAGES["act"].value_counts().to_dict()
        assert set(key_of(talk_timeline(MESSAGES))) == {f"{act} ({n})" for act, n in counts.items()}

    @pytest.mark.slow
    def test_texts_fit(self) -> None:
        assert clashes(talk_timeline(MESSAGES, caption="Dominant A and submissive B")) == []
        long = talks_of("peer", "peer", talks=30, seed=1)
        study = as_study(long)
        longest = study.games.sort_values("rounds")["game_id"].iloc[-1]
        assert clashes(talk_timeline(study.messages[study.messages["game_id"] == longest])) == []

    @pytest.mark.slow
    def test_words_that_are_too_long_are_cut_and_signs_are_not_formulas(self) -> None:
        ax = talk_timeline(MESSAGES.assign(labels="$x$" + "y" * 99))
        assert {text.get_text() for text in ax.texts} == {r"\$x\$" + "y" * 24 + "…"}
        assert [len(talk_timeline(MESSAGES.assign(labels=nothing)).texts) for nothing in (None, "")] == [0, 0]

    def test_edges_are_refused(self) -> None:
        assert len(talk_timeline(MESSAGES.iloc[:1]).texts) == 1


class TestPlane:
    def test_marks_and_frontier_are_the_numbers(self) -> None:
        ax = satisfaction_plane(PAIRS, FRONTIER, x="a", y="b", labels=LABELS)
        np.testing.assert_allclose(places(ax), sorted(PAIRS[["a", "b"]].to_numpy().tolist()))
        np.testing.assert_array_equal(np.asarray(ax.lines[0].get_xydata()), FRONTIER)

    def test_nine_marks_differ(self) -> None:
        ax = satisfaction_plane(PAIRS, FRONTIER, x="a", y="b", labels=LABELS)
        marks = [one for one in ax.collections if isinstance(one, PathCollection)]
        looks = {(str(one.get_facecolor()), str(np.asarray(one.get_paths()[0].vertices).tolist())) for one in marks}
        assert len(looks) == 9


@pytest.mark.slow
def test_shares_of_what_is_not_independent_have_no_intervals() -> None:
    acts = pd.DataFrame([[27, 0, 28], [10, 1, 9]], index=["dominant", "peer"], columns=["state", "ask", "propose"])
    ax = stacked_proportions(acts, variables="act", confidence_level=None)
    assert bars(ax) == []
    assert "0" not in [text.get_text() for text in ax.texts]
    assert clashes(ax) == []


@pytest.mark.slow
def test_heat_maps_of_the_pairs_fit_beside_each_other() -> None:
    import matplotlib.pyplot as plt

    names = pd.Index(["dominant", "peer", "submissive"], name="A")
    values = pd.DataFrame(np.arange(9.0).reshape(3, 3), names, names.rename("B"))
    _, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    for ax in axes:
        agent_heat_map(values, values * 0 + 288, label="talks that agree (%)", caption="All profiles", ax=ax)
    assert clashes(axes[0]) == []
