"""Acceptance by what is offered: the curve with its band, thresholds, and the curves of persons."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.special import expit

from negstats.errors import DesignError, UsageError
from negstats.plots.look import ACCENT, COLOURS, GREY, INK, LINES, STRENGTH, colours, despine
from negstats.plots.style import CURVES, TWO, axes_for, captioned, check_table, finish, keyed, wrapped
from negstats.sanitize import label

_AREA = 16.0  # of the mark of one offer, in square points


class Accepting(Protocol):
    """A finished estimate, such as `negstats.estimate.Acceptance`, that has all that the figure shows."""

    @property
    def offers(self) -> pd.DataFrame:
        """What was seen."""

    @property
    def curve(self) -> pd.DataFrame:
        """The fitted curves."""

    @property
    def label(self) -> str:
        """The benefit with its unit."""

    @property
    def threshold_at(self) -> float | None:
        """The benefit to mark."""

    @property
    def threshold_interval(self) -> tuple[float, float] | None:
        """Its interval."""

    @property
    def caption(self) -> str:
        """What the figure shows."""


def acceptance_curve(
    offers: pd.DataFrame | Accepting,
    curve: pd.DataFrame | None = None,
    *,
    x: str = "benefit",
    accepted: str = "accepted",
    label: str = "",
    threshold: float | None = None,
    threshold_interval: tuple[float, float] | None = None,
    band_name: str = "95% CI",
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of accepted offers at each benefit, the fitted curves, and the threshold.

    Parameters
    ----------
    offers
        An estimate (`negstats.estimate.acceptance`), which has all the rest; or a frame with a row an offer: its
        benefit to who answers, and whether it was accepted (truth values). With a column ``n`` a row is as many offers,
        and `accepted` the share of them.
    curve
        The fit, needed with a frame: columns `x` and ``probability``; ``low`` and ``high`` where there is a band;
        ``method`` where there is more than one curve; more than five have no bands.
    x, accepted
        Names of the columns.
    label
        The benefit with its unit, for the axis.
    threshold, threshold_interval
        Benefit to mark, with the ends of its interval.
    band_name
        What ``low`` and ``high`` are.
    caption
        What the figure shows.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the curves.

    Raises
    ------
    DesignError
        If there is no offer or no curve.
    UsageError
        If a column is not there, or `curve` or `label` is not given with a frame.

    Examples
    --------
    >>> offers = pd.DataFrame({"benefit": [0, 50, 50], "accepted": [False, True, False]})
    >>> curve = pd.DataFrame({"benefit": [0, 50], "probability": [0.1, 0.6]})
    >>> ax = acceptance_curve(offers, curve, label="benefit (points)", threshold=50)
    >>> ax.collections[0].get_offsets().tolist()
    [[0.0, 0.0], [50.0, 0.5]]
    """
    if not isinstance(offers, pd.DataFrame):
        return acceptance_curve(
            offers.offers,
            offers.curve,
            label=label or offers.label,
            threshold=offers.threshold_at if threshold is None else threshold,
            threshold_interval=threshold_interval or offers.threshold_interval,
            band_name=band_name,
            caption=caption or offers.caption,
            ax=ax,
        )
    if curve is None or not label:
        raise UsageError("give curve, the fit, and label, the benefit with its unit, with a frame of offers")
    check_table(offers, [x, accepted], "offers")
    check_table(curve, [x, "probability"], "curve")
    ax = axes_for(ax, width=TWO, height=2.9)
    _draw_shares(ax, offers, x, accepted)
    fits = [("fit", curve)] if "method" not in curve else list(curve.groupby("method", sort=False))
    is_banded = len(fits) <= CURVES  # more bands cover each other
    for i, (name, rows) in enumerate(fits):
        _one_fit(ax, rows.sort_values(x), x, str(name), i, band_name, is_banded=is_banded)
    if threshold is not None:
        _draw_threshold(ax, threshold, threshold_interval)
    ax.set_ylim(-0.06, 1.06)
    lacking = "" if is_banded else f"The bands of {len(fits)} curves would cover each other: not drawn"
    return finish(ax, (label, "probability of acceptance"), caption, lacking)


def _draw_shares(ax: Axes, offers: pd.DataFrame, x: str, accepted: str) -> None:
    """Draw the share of accepted offers at each benefit, in circles whose area is their number."""
    n = pd.Series(offers.get("n", 1.0), index=offers.index).astype(float)
    sums = pd.DataFrame({x: offers[x], "n": n, "yes": offers[accepted].astype(float) * n}).groupby(x).sum()
    ax.scatter(
        sums.index.to_numpy(dtype=float),
        sums["yes"] / sums["n"],
        s=_AREA * sums["n"].to_numpy(dtype=float).clip(max=20),
        facecolors="none",
        edgecolors=GREY,
        linewidths=1.1,
        label=f"share accepted\n(n = {n.sum():,.0f} offers; area: number)",
        zorder=2,
    )


def _draw_threshold(ax: Axes, threshold: float, interval: tuple[float, float] | None) -> None:
    """Draw an upright line at the threshold, and its interval as an area."""
    reach = f"\n[{interval[0]:.3g}, {interval[1]:.3g}]" if interval else ""
    name = f"threshold {threshold:.3g}{reach}"
    ax.axvline(threshold, color=ACCENT, linewidth=1.6, linestyle=(0, (3, 2)), label=name)
    if interval:
        ax.axvspan(*interval, color=ACCENT, alpha=0.15, linewidth=0)


def _one_fit(ax: Axes, rows: pd.DataFrame, x: str, name: str, place: int, band_name: str, *, is_banded: bool) -> None:
    steps = "steps-post" if name == "isotonic" else "default"
    x_values = rows[x].to_numpy(dtype=float)
    banded = is_banded and {"low", "high"} <= set(rows.columns) and rows[["low", "high"]].notna().all(axis=None)
    ax.plot(
        x_values,
        rows["probability"].to_numpy(dtype=float),
        drawstyle=steps,
        color=COLOURS[place % 3],
        linestyle=LINES[place % len(LINES)],
        linewidth=1.8,
        label=f"{name}, {band_name}" if banded else name,
        zorder=3,
    )
    if banded:
        ax.fill_between(
            x_values, rows["low"], rows["high"], color=COLOURS[place % 3], alpha=0.15, linewidth=0,
            step="post" if steps == "steps-post" else None,
        )  # fmt: skip


MOST_PEOPLE = 200
Z = 1.959964


class HasThresholds(Protocol):
    """A finished estimate, such as `negstats.estimate.Thresholds`."""

    @property
    def people(self) -> pd.DataFrame:
        """A row a person: person, group, threshold, sd, n, accepted."""

    @property
    def population(self) -> pd.DataFrame:
        """A row a group: group, mean, low, high, sd."""

    @property
    def shares(self) -> pd.DataFrame:
        """A row an answer: of, share, group, benefit, low, high."""

    @property
    def curve(self) -> pd.DataFrame:
        """Group, benefit, probability, low, high, typical."""

    @property
    def slope(self) -> float:
        """Of the log odds, common to all."""

    @property
    def unit(self) -> str:
        """Of benefits."""

    @property
    def persons(self) -> int:
        """How many people."""

    @property
    def confidence_level(self) -> float:
        """Of the intervals."""

    @property
    def caption(self) -> str:
        """Whose decisions these are."""

    @property
    def most(self) -> float | None:
        """The largest benefit that an offer can bring, where it is known."""

    def beyond(self, benefit: float) -> str:
        """Return words that follow a benefit which is more than that, or ""."""


def person_curves(estimate: HasThresholds, *, group: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw each person's curve in grey, the population's with its interval, the typical person's dashed.

    Dots mark the benefits at which shares of decisions (50, 80, 90 %) are acceptance.

    Parameters
    ----------
    estimate
        What `negstats.estimate.thresholds` returns.
    group
        Draw one group; all if not given.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the curves.

    Raises
    ------
    DesignError
        If the estimate knows no person's threshold, or there is no such group.

    Examples
    --------
    >>> from negstats import datasets, estimate
    >>> ax = person_curves(estimate.thresholds(datasets.robot().tables))
    >>> len(ax.lines) > 66
    True
    """
    people = _select(estimate.people, group).dropna(subset=["threshold"])
    if people.empty or not estimate.slope == estimate.slope:
        raise DesignError("the estimate has no curve of a person; fit decisions with model='mixed'")
    curve = _select(estimate.curve, group)
    ax = axes_for(ax, width=TWO, height=3.4)
    at = np.sort(curve["benefit"].unique())
    person_sample = people if len(people) <= MOST_PEOPLE else people.sample(MOST_PEOPLE, random_state=1)
    widths = 0.15 + 0.5 * np.sqrt(person_sample["n"] / person_sample["n"].max()) * min(1.0, 30 / len(person_sample))
    for (_, row), width in zip(person_sample.iterrows(), widths, strict=True):
        probabilities = expit(estimate.slope * (at - float(row["threshold"])))
        ax.plot(at, probabilities, color=GREY, linewidth=float(width), alpha=STRENGTH, zorder=1)
    groups = list(dict.fromkeys(curve["group"]))
    for place, (name, colour) in enumerate(zip(groups, colours(len(groups)), strict=True)):
        rows = curve[curve["group"] == name]
        marks = estimate.shares[(estimate.shares["of"] == "decisions") & (estimate.shares["group"] == name)]
        parts = [f"mean over people, {estimate.confidence_level:.0%} CI", "typical person",
                 f"{_percent(marks['share'])} of decisions"]  # fmt: skip
        is_one = len(groups) == 1  # of several groups the legend has the names, and the caption what is drawn of each
        ax.plot(rows["benefit"], rows["probability"], color=colour, linewidth=2, linestyle=LINES[place % len(LINES)],
                label=parts[0] if is_one else str(name), zorder=3)  # fmt: skip
        ax.fill_between(rows["benefit"], rows["low"], rows["high"], color=colour, alpha=0.18, linewidth=0, zorder=2)
        ax.plot(rows["benefit"], rows["typical"], color=colour, linewidth=1.1, linestyle=(0, (4, 2)),
                label=parts[1] if is_one else None, zorder=3)  # fmt: skip
        ax.scatter(marks["benefit"], marks["share"], color=colour, edgecolors="white", s=32, zorder=4,
                   label=parts[2] if is_one else None)  # fmt: skip
    margin = 0.02 * float(at[-1] - at[0])
    ax.set_xlim(at[0] - margin, at[-1] + margin)
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel(f"benefit to the one who is asked ({estimate.unit})")
    ax.set_ylabel("probability of acceptance")
    despine(ax)
    some = f"; {MOST_PEOPLE} of {len(people)} people drawn" if len(person_sample) < len(people) else ""
    drawn = "" if is_one else f"Thick: {parts[0]}; dashed: {parts[1]}; dots: {parts[2]}"
    captioned(ax, f"{estimate.caption}{some}", _describe(estimate, group), drawn)
    _draw_most(ax, estimate, group)
    keyed(ax)
    return ax


def thresholds(estimate: HasThresholds, *, ax: Axes | None = None) -> Axes:
    """Draw people's thresholds sorted, each ± 1.96 SD given the fit, under the population's mean and spread.

    An open mark is of a person who gave one answer throughout. People's thresholds are shrunken to the mean: how far
    they differ is the band (mean ± SD of the population), not the spread of the marks.

    Parameters
    ----------
    estimate
        What `negstats.estimate.thresholds` returns.
    ax
        Axes to draw on; new ones if not given.

    Returns
    -------
    Axes
        The axes with the thresholds.

    Raises
    ------
    DesignError
        If the estimate knows no person's threshold.

    Examples
    --------
    >>> from negstats import datasets, estimate
    >>> ax = thresholds(estimate.thresholds(datasets.robot().tables, by="condition"))
    >>> ax.get_ylabel()
    'people, sorted'
    """
    people = estimate.people.dropna(subset=["threshold"])
    if people.empty:
        raise DesignError("the estimate has no threshold of a person; fit decisions with model='mixed'")
    groups = [str(name) for name in estimate.population["group"]]
    ax = axes_for(ax, width=TWO, height=min(9.0, 2.2 + 0.035 * len(people)))
    # Groups one above the other, the people of each sorted.
    start, ticks, names = 0.0, [], []
    for name, colour in zip(groups, colours(len(groups)), strict=True):
        rows = people[people["group"] == name].sort_values("threshold", ignore_index=True)
        if rows.empty:
            continue
        y = start + np.arange(len(rows))
        (mean,) = estimate.population[estimate.population["group"] == name].to_dict("records")
        _draw_band(ax, mean, (float(y[0]) - 0.5, float(y[-1]) + 0.5), colour)
        has_sd = rows["sd"].notna().to_numpy()
        reach = Z * rows["sd"].to_numpy(dtype=float)
        centre = rows["threshold"].to_numpy(dtype=float)
        ax.hlines(
            y[has_sd], (centre - reach)[has_sd], (centre + reach)[has_sd], color=colour, linewidth=0.8, alpha=STRENGTH
        )
        is_unanimous = (rows["accepted"].isin([0]) | (rows["accepted"] == rows["n"])).to_numpy(dtype=bool)
        for mask, face in ((~is_unanimous, colour), (is_unanimous, "white")):
            ax.scatter(centre[mask], y[mask], s=14, marker="o", facecolors=face, edgecolors=colour, linewidths=0.9,
                       zorder=3)  # fmt: skip
        ticks.append(float(y.mean()))
        names.append(wrapped(label(name)))
        start = float(y[-1]) + 1 + 0.04 * len(people) + 1
    ax.set_yticks(ticks if len(groups) > 1 else [], labels=names if len(groups) > 1 else [])
    ax.tick_params(axis="y", length=0)
    ax.set_ylabel("people, sorted")
    ax.set_xlabel(f"acceptance threshold ({estimate.unit})")
    despine(ax, left=True)
    # What the marks mean, in grey for all groups.
    ax.scatter([], [], s=14, facecolors="white", edgecolors=GREY, label="one answer throughout")
    ax.plot([], [], color=GREY, linewidth=1.5, label=f"mean, {estimate.confidence_level:.0%} CI (line and diamond)")
    ax.fill_between([], [], color=GREY, alpha=0.2, linewidth=0, label="mean ± SD of the population")
    captioned(ax, f"{estimate.caption}; bars: ± 1.96 SD given the fit", _describe(estimate, None))
    _draw_most(ax, estimate, None)
    keyed(ax)
    return ax


def _draw_band(ax: Axes, mean: dict[Any, Any], span: tuple[float, float], colour: Any) -> None:
    """Draw a group's mean with its interval, and the population's spread about it."""
    low, high = span
    ax.plot([mean["mean"]] * 2, [low, high], color=colour, linewidth=1.5, zorder=2)
    if mean["sd"] == mean["sd"]:
        ends = mean["mean"] - mean["sd"], mean["mean"] + mean["sd"]
        ax.fill_betweenx([low, high], *ends, color=colour, alpha=0.14, linewidth=0, zorder=0)
    y = high + 0.8
    ax.plot([mean["low"], mean["high"]], [y, y], color=colour, linewidth=1.5)
    ax.scatter([mean["mean"]], [y], marker="D", s=22, color=colour, zorder=3)


def _draw_most(ax: Axes, estimate: HasThresholds, group: str | None) -> None:
    """Draw the most that an offer can bring, where a mean threshold lies beyond it."""
    if estimate.most is not None and any(map(estimate.beyond, _select(estimate.population, group)["mean"])):
        ax.axvline(
            estimate.most, color=INK, linewidth=1, linestyle=":", zorder=2, label="the most that an offer can bring"
        )


def _describe(estimate: HasThresholds, group: str | None) -> str:
    """Return how many people there are, and mean and SD of their thresholds: the figure in words."""
    rows = _select(estimate.population, group)
    parts = []
    for row in rows.to_dict("records"):
        lead = f"{row['group']}: " if len(rows) > 1 else ""
        spread = f", SD {row['sd']:.3g}" if row["sd"] == row["sd"] else ""
        beyond = estimate.beyond(row["mean"])
        parts.append(f"{lead}mean threshold {row['mean']:.3g}{beyond}{spread}" if row["mean"] == row["mean"] else "")
    return f"{estimate.persons} people; {'; '.join(filter(None, parts))}"


def _select(frame: pd.DataFrame, group: str | None) -> pd.DataFrame:
    if group is None:
        return frame
    rows = frame[frame["group"] == group]
    if rows.empty:
        raise DesignError(f"group is {group!r}; there are {', '.join(map(repr, dict.fromkeys(frame['group'])))}")
    return rows


def _percent(shares: pd.Series) -> str:
    values = [f"{100 * share:g}" for share in shares]
    return f"{', '.join(values)} %"
