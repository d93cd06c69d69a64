"""Every kind of figure of groups at the edges: few, many, equal, zero, long names, a theme, and without colour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any, TypeAlias

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from negstats import plots
from negstats.errors import DesignError
from negstats.plots._groups import mean_interval
from negstats.plots._style import figure_of, take_caption
from negstats.stats import meta_analysis
from tests.plots.drawing import clashes, lightness, smallest

LONG = ("some 4 year college, bachelor's degree", "vocational or technical school, no diploma yet")
Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
DATA: Mapping[str, Mapping[str, Numbers]] = {
    "one value": {"CL": np.array([3.0]), "FC": np.array([5.0])},
    "two values": {"CL": np.array([3.0, 4.0]), "FC": np.array([5.0, 4.0])},
    "three values": {"CL": np.array([3.0, 4.0, 4.5]), "FC": np.array([5.0, 4.0, 7.0])},
    "equal values": {"CL": np.full(30, 4.0), "FC": np.full(30, 4.0)},
    "a group of zeros": {"CL": np.zeros(30), "FC": np.arange(30.0)},
    "large": {name: np.random.default_rng(seed).normal(10, 2, 5000) for seed, name in enumerate(("CL", "FC"))},
    "whole numbers": {
        name: np.random.default_rng(seed).integers(1, 6, 200).astype(float) for seed, name in enumerate("ab")
    },
    "long names": {name: np.random.default_rng(3).normal(10, 2, 40) for name in LONG},
    "many levels": {f"level {place}": np.random.default_rng(place).normal(10, 2, 25) for place in range(9)},
    "tiny numbers": {"CL": np.array([1e-5, 2e-5, 4e-5]), "FC": np.array([3e-5, 2e-5, 6e-5])},
    "huge numbers": {"CL": np.array([1e6, 2e6, 4e6]), "FC": np.array([3e6, 2.5e6, 6e6])},
}
Kind = Callable[[Mapping[str, Numbers]], Axes]


def _groups(data: Mapping[str, Numbers]) -> Axes:
    long = pd.concat([pd.DataFrame({"level": name, "value": values}) for name, values in data.items()])
    rows = {name: mean_interval(values) for name, values in data.items()}
    summary = pd.DataFrame(rows, index=["mean", "low", "high"]).T
    return plots.group_comparison(long, summary, label="points of the human (points)", unit="game")


def _pairs(data: Mapping[str, Numbers]) -> Axes:
    n = min(map(len, data.values()))
    table = pd.DataFrame({name: values[:n] for name, values in data.items()})
    return plots.paired_comparison(table, label="points of the human (points)", unit="person")


def _cells(data: Mapping[str, Numbers]) -> Axes:
    rows = [
        {"condition": name, "order": order, "n": len(values), "mean": float(values.mean()) + place,
         "sd": float(values.std(ddof=1)) if len(values) > 1 else np.nan}
        for name, values in data.items()
        for place, order in enumerate(("first", "second"))
    ]  # fmt: skip
    return plots.cell_means(pd.DataFrame(rows), "condition", "order", label="points (points)", bars="sd")


def _shares(data: Mapping[str, Numbers]) -> Axes:
    yes = [int((values > 4).sum()) for values in data.values()]
    table = pd.DataFrame({"yes": yes, "n": [len(values) for values in data.values()]}, index=list(data))
    return plots.shares(table, label="games that ended in agreement", unit="games")


def _answers(data: Mapping[str, Numbers]) -> Axes:
    spread = np.linspace(0, 1, 6)[1:-1]
    cuts = np.quantile(np.concatenate(list(data.values())), spread)
    counts = {name: np.bincount(np.searchsorted(cuts, values), minlength=5) for name, values in data.items()}
    words = [
        "extremely dissatisfied",
        "slightly dissatisfied",
        "undecided",
        "slightly satisfied",
        "extremely satisfied",
    ]
    return plots.ordered_answers(pd.DataFrame(counts, index=words).T, label="satisfied?", unit="people")


def _stacked(data: Mapping[str, Numbers]) -> Axes:
    yes = [int((values > 4).sum()) for values in data.values()]
    no = [len(values) - one for values, one in zip(data.values(), yes, strict=True)]
    return plots.stacked_proportions(
        pd.DataFrame({"agreement": yes, "walked away": no}, index=list(data)), label="games"
    )


def _relation(data: Mapping[str, Numbers]) -> Axes:
    table = pd.concat([pd.DataFrame({"x": np.arange(len(v)) * 1.0, "y": v, "g": name}) for name, v in data.items()])
    return plots.relation(table, x="x", y="y", by="g", labels=("rounds", "points of the human (points)"))


def _logistic(data: Mapping[str, Numbers]) -> Axes:
    x = np.concatenate(list(data.values()))
    yes = (np.random.default_rng(2).random(len(x)) < 0.6).astype(float)
    return plots.logistic_curve(
        pd.DataFrame({"x": x, "y": yes}), x="x", y="y", labels=("points", "agreed"), unit="games"
    )


def _curves(data: Mapping[str, Numbers]) -> Axes:
    rows = [
        pd.DataFrame({"x": np.arange(3.0), "y": values.mean() + np.arange(3), "g": n}) for n, values in data.items()
    ]
    return plots.curves(pd.concat(rows), x="x", y="y", by="g", labels=("round", "points (points)"), caption="Means")


def _forest(data: Mapping[str, Numbers]) -> Axes:
    sizes = [float(values.mean()) for values in data.values()]
    result = meta_analysis(sizes, [0.04 * (1 + place) for place in range(len(data))], studies=list(data), test="z")
    return plots.forest(result.to_frame(), label="mean (points)", caption="Means")


def _survival(data: Mapping[str, Numbers]) -> Axes:
    agreed = {name: np.arange(len(values)) % 3 != 2 for name, values in data.items()}
    games = [pd.DataFrame({"rounds": np.abs(v) + 1, "agreed": agreed[name], "g": name}) for name, v in data.items()]
    return plots.survival_to_agreement(pd.concat(games), by="g", label="rounds")


def _residuals(data: Mapping[str, Numbers]) -> Axes:
    return plots.residual_quantiles(np.concatenate([v - v.mean() for v in data.values()]), label="residual (points)")


def _heat_map(data: Mapping[str, Numbers]) -> Axes:
    means = np.array([values.mean() for values in data.values()])
    table = pd.DataFrame(means[:, None] + means[None, :], index=list(data), columns=list(data))
    return plots.agent_heat_map(table, label="points of the row agent (points)")


KINDS: Mapping[str, Kind] = {
    "groups": _groups, "pairs": _pairs, "cells": _cells, "shares": _shares, "answers": _answers, "stacked": _stacked,
    "relation": _relation, "logistic": _logistic, "curves": _curves, "forest": _forest, "survival": _survival,
    "residuals": _residuals, "heat map": _heat_map,
}  # fmt: skip


@pytest.fixture(params=["our look", "a theme"])
def look(request: pytest.FixtureRequest) -> Iterator[str]:
    with mpl.rc_context():
        if request.param == "a theme":
            sns.set_theme()
        yield request.param


REFUSED = {
    ("residuals", "one value"): "give three that differ",
    ("residuals", "equal values"): "give three that differ",
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("kind", KINDS)
def test_no_text_is_small_cut_or_over_another_and_nothing_warns(kind: str, name: str, look: str) -> None:
    if (kind, name) in REFUSED:
        with pytest.raises(DesignError, match=REFUSED[kind, name]):
            KINDS[kind](DATA[name])
        return
    ax = KINDS[kind](DATA[name])
    assert take_caption(ax)
    assert smallest(ax) >= 7, look
    assert clashes(ax) == []


def _sign(handle: Artist) -> tuple[float, object]:
    """Return what a group is drawn as without colour: its lightness, and its mark, line or hatch."""
    if isinstance(handle, Line2D):
        return lightness(to_hex(handle.get_color())), (handle.get_linestyle(), handle.get_marker())
    if isinstance(handle, Patch):
        return lightness(to_hex(handle.get_facecolor())), handle.get_hatch()
    assert isinstance(handle, PathCollection)
    (colour, *_) = np.asarray(handle.get_facecolor())
    return lightness(to_hex((float(colour[0]), float(colour[1]), float(colour[2])))), np.asarray(
        handle.get_paths()[0].vertices
    ).shape


@pytest.mark.parametrize("name", ["three values", "whole numbers", "many levels"])
@pytest.mark.parametrize("kind", ["cells", "answers", "stacked", "relation", "curves", "survival"])
def test_groups_differ_without_colour(kind: str, name: str) -> None:
    ax = KINDS[kind](DATA[name])
    marked = [one.lines[0] for one in ax.containers if isinstance(one, ErrorbarContainer)]
    lines: list[Artist] = [line for line in marked if line is not None]
    keys = [one.get_legend() for one in figure_of(ax).axes if one.get_legend()] + list(figure_of(ax).legends)
    handles = lines or [one for key in keys if key is not None for one in key.legend_handles if one is not None]
    signs = [_sign(handle) for handle in handles]
    assert len(signs) > 1
    for (light, mark), (other, second) in combinations(signs, 2):
        assert abs(light - other) >= 11.5 or mark != second
