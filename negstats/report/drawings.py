"""How each kind of figure of a question is drawn: points, lines, cells, bars, answers, scatter, curves, residuals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes

from negstats import plots
from negstats.plain import line
from negstats.plots._style import axes_for, captioned, figure_of, slanted
from negstats.plots.comparison import CROWD
from negstats.plots.relation import relation
from negstats.plots.residuals import residual_quantiles
from negstats.report.listed import cells_table, level_text
from negstats.report.named import NAME
from negstats.stats import cumulative_incidence, proportion

if TYPE_CHECKING:
    from negstats.analysis.answers import Answer, Report

__all__ = ["DRAWN", "Drawing", "View", "bounded", "residuals"]

JOIN = " · "
AGREED = {"agreement", "goal"}
LEFT = {"walkaway", "disagreement", "left"}  # ends that rule an agreement out; all others only cut a game off
Numbers: TypeAlias = npt.NDArray[np.float64]

LABEL = 28  # characters of a level or a measure in a figure

Drawing: TypeAlias = Callable[[], tuple[Axes, pd.DataFrame]]


def _short_levels(plan: Any, factor: Mapping[str, Any]) -> dict[str, str]:
    """Return what each level of a factor is called in a figure."""
    texts = {str(level): level_text(plan, factor["name"], level) for level in factor["levels"]}
    short = _short(dict.fromkeys(texts.values()))
    return {level: short[text] for level, text in texts.items()}


def _short(names: Iterable[str]) -> dict[str, str]:
    """Return each name as it stands in a figure, cut where it is long, and no two alike."""
    found: dict[str, str] = {}
    for name in names:
        short = line(name, LABEL)
        found[name] = short if short not in found.values() else f"{line(name, LABEL - 4)} ({len(found) + 1})"
    return found


class View:
    """A question's values as they are drawn: factors with the plan's labels, levels in order, cells as a table."""

    def __init__(self, report: Report, answer: Answer) -> None:
        self.answer, self.plan, self.entry = answer, report.plan, answer.entry
        self.raw = answer.values  # noqa: PD011 - a frame
        self.level = 1 - report.plan.alpha
        factors = (self.entry.get("design") or {}).get("factors") or []
        self.factors = [factor for factor in factors if factor["name"] in self.raw.columns]
        self.names = [factor["name"] for factor in self.factors]
        self.rows = self.raw.copy(deep=False)
        self.known: dict[str, dict[str, str]] = {}
        for factor in self.factors:
            name = factor["name"]
            known = self.known[name] = _short_levels(self.plan, factor)
            self.rows[name] = self.rows[name].astype("str").map(lambda at, new=known: new.get(at, at))
        unit = line(self.entry.get("unit_of_measure") or "", LABEL)
        whose = f" of {line(self.entry['who'], LABEL)}" if self.entry.get("who") else ""
        measure = line(self.entry["measure"], LABEL).replace("_", " ")
        self.label = f"{measure}{whose}" + (f" ({unit})" if unit not in ("", "1 or 0", self.entry["measure"]) else "")
        self.bars = f"{100 * self.level:g}% CI"

    def lying(self, where: str) -> list[str]:
        """Return the factors that lie "between", "within" or "partly" within units."""
        return [factor["name"] for factor in self.factors if factor["lies"] == where]

    @property
    def paired(self) -> bool:
        """Whether the test is of differences within units: one factor within them, and a value a unit and level."""
        alone = len(self.names) == 1 == len(self.lying("within"))
        return alone and not self.raw.duplicated(["unit", *self.names]).any()

    def counted(self, n: int) -> tuple[str, float | None]:
        """Return what `n` values of a figure are, and the level of intervals: none where a unit has several values."""
        unit, units = f"{line(self.entry['design']['units'], NAME)}s", int(self.entry["design"]["n_units"])
        if len(self.raw):
            several = bool(self.raw.duplicated(["unit", *self.names]).any())
        else:  # the values stay with an engine
            within = [len(factor["levels"]) for factor in self.factors if factor["lies"] != "between"]
            several = n > units * math.prod(within)
        if several:
            return f"values of {units:,} {unit}", None
        return unit, self.level

    def joined(self, frame: pd.DataFrame, names: list[str]) -> pd.Series:
        """Return the levels of several factors as one text."""
        if not names:
            return pd.Series("all", index=frame.index)
        return frame[names].astype("str").agg(JOIN.join, axis="columns")

    def cells(self) -> pd.DataFrame:
        """Return the cells with the levels' short names."""
        table = cells_table(self.entry, self.plan)
        for name, known in self.known.items():
            table[name] = [known[str(cell["levels"][name])] for cell in self.entry["cells"]]
        return table

    def each(self, mark: str, many: int) -> str:
        """Say what stands for a unit, or that there are too many to draw each."""
        unit = line(self.entry["design"]["units"], NAME)
        return f"one {mark} a {unit}" if many <= CROWD else f"density of {unit}s"

    def summary(self, names: list[str], cells: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return n, mean, low and high by the levels of the named factors as one text."""
        cells = self.cells() if cells is None else cells
        there = cells.dropna(subset=["mean"])
        table = there[["n", "mean", "low", "high"]].astype(float)
        return table.set_index(self.joined(there, names).to_numpy())


def _points(view: View) -> tuple[Axes, pd.DataFrame]:
    summary = view.summary(view.names)
    values = pd.DataFrame({"level": view.joined(view.rows, view.names), "value": view.rows["value"]})
    caption = f"{view.each('point', int(values['level'].value_counts().max()))}\nmeans with {view.bars}"
    ax = axes_for(None, width=2.4 + 1.1 * len(summary))
    plots.group_comparison(values, summary, label=view.label, caption=caption, ax=ax)
    slanted(ax)
    return ax, view.raw


def _lines(view: View) -> tuple[Axes, pd.DataFrame]:
    """Draw a panel for each level of what lies between units."""
    within = view.lying("within") or view.names
    between = [name for name in view.names if name not in within]
    groups = view.joined(view.rows, between)
    cells = view.cells()
    of_cells = view.joined(cells, between)
    levels = list(dict.fromkeys(of_cells))
    first = axes_for(None, width=1.4 + 2.8 * len(levels))
    figure = figure_of(first)
    first.remove()
    axes = list(figure.subplots(1, len(levels), sharey=True, squeeze=False)[0])
    for place, (ax, level) in enumerate(zip(axes, levels, strict=True)):
        rows = view.rows[groups == level]
        summary = view.summary(within, cells[of_cells == level])
        wide = rows.assign(level=view.joined(rows, within)).pivot_table(
            index="unit", columns="level", values="value", sort=False
        )
        wide = wide.reindex(columns=list(summary.index)).dropna()
        caption = level if between else f"{view.each('line', len(wide))}; means with {view.bars}"
        plots.paired_comparison(wide, summary, label=view.label if place == 0 else "", caption=caption, ax=ax)
    return axes[0], view.raw


def _cells(view: View) -> tuple[Axes, pd.DataFrame]:
    cells = view.cells()
    x, rest = view.names[0], view.names[1:]
    table = cells.assign(low=cells["low"].astype(float), high=cells["high"].astype(float))
    lines = None
    if rest:
        lines = JOIN.join(rest)
        table = table.assign(**{lines: view.joined(cells, rest)})
    ax = plots.cell_means(table, x, lines, label=view.label, bars="given", bars_name=view.bars)
    return ax, cells


def _bars(view: View) -> tuple[Axes, pd.DataFrame]:
    cells = view.cells()
    if "count" not in cells.columns:
        return _points(view)
    there = cells[cells["n"] > 0]
    yes, n = there["count"].astype(int), there["n"].astype(int)
    counts = pd.DataFrame(
        {"yes": yes.to_numpy(), "no": (n - yes).to_numpy()}, index=view.joined(there, view.names).to_numpy()
    )
    counts.columns.name = view.label
    what, level = view.counted(int(n.sum()))
    return plots.stacked_proportions(counts, label=what, level=level), cells


def _answers(view: View) -> tuple[Axes, pd.DataFrame]:
    cells = view.cells()
    if all("answers" in cell for cell in view.entry["cells"]):
        given = pd.DataFrame([cell["answers"] for cell in view.entry["cells"]], index=view.joined(cells, view.names))
    else:  # numbers that the plan's test takes for answers
        given = pd.crosstab(view.joined(view.rows, view.names), view.rows["value"])
        given.columns = pd.Index([f"{value:g}" for value in given.columns])
    counts = given.loc[given.sum(axis=1) > 0, given.sum(axis=0) > 0]
    counts.columns = pd.Index([line(name, 60) for name in counts.columns], name=view.label)
    what, level = view.counted(int(counts.to_numpy().sum()))
    return plots.stacked_proportions(counts, label=what, level=level), counts.reset_index(names="level")


def _scatter(view: View) -> tuple[Axes, pd.DataFrame]:
    numbers = _predictors(view)
    by = view.joined(view.rows, view.names) if view.names else None
    table = view.rows if by is None else view.rows.assign(_group=by)
    first = axes_for(None, width=1.2 + 3.9 * len(numbers))
    figure = figure_of(first)
    first.remove()
    axes = list(figure.subplots(1, len(numbers), sharey=True, squeeze=False)[0])
    for place, (ax, name) in enumerate(zip(axes, numbers, strict=True)):
        labels = (line(name, NAME).replace("_", " "), view.label if place == 0 else "")
        alone = not view.rows["unit"].duplicated().any()
        group = None if by is None else "_group"
        relation(table, x=name, y="value", by=group, labels=labels, banded=alone, level=view.level, ax=ax)
        if ax is not axes[-1] and (legend := ax.get_legend()) is not None:
            legend.remove()
        elif by is not None and (legend := ax.get_legend()) is not None:
            legend.set_title(line(JOIN.join(view.names), LABEL))
    return axes[0], view.raw


def _predictors(view: View) -> list[str]:
    """Return the numbers beside the outcome: those that the question names and the values have."""
    asked = [*view.answer.question.with_, *view.answer.question.covariates]
    skip = {"unit", "value", "time", "ended", *view.names}
    numeric = [str(name) for name in view.rows.columns if name not in skip and view.rows[name].dtype.kind in "iuf"]
    return [name for name in asked if name in numeric] or numeric


def _curves(view: View) -> tuple[Axes, pd.DataFrame]:
    """Draw the shares that have agreed, and that have ended otherwise where such ends compete."""
    if "time" not in view.rows.columns:
        return _shares_over(view)
    ended = view.rows["ended"].map(lambda end: "agreement" if end in AGREED else "left" if end in LEFT else "cut off")
    games = pd.DataFrame({"time": view.rows["time"].astype(float), "ended": ended})
    if view.names:
        games["group"] = view.joined(view.rows, view.names)
    cut = [end for end in ("cut off",) if end in set(ended)]
    by = "group" if view.names else None
    found = cumulative_incidence(games, "time", "ended", "agreement", cut, by=by)
    ax = plots.time_curves(found, label=view.label, level=view.level)
    if (legend := ax.get_legend()) is not None:
        legend.set_title(line(JOIN.join(view.names), LABEL))
    return ax, found.to_frame(view.level)


def _shares_over(view: View) -> tuple[Axes, pd.DataFrame]:
    """Draw the share of yes over a number: tenths of the units with Wilson's intervals."""
    name = _predictors(view)[0]
    rows = view.rows.dropna(subset=[name, "value"])
    tenth = pd.qcut(rows[name], 10, duplicates="drop")
    grouped = rows.groupby(tenth, observed=True)
    table = pd.DataFrame({"at": grouped[name].mean(), "n": grouped.size(), "yes": grouped["value"].sum()})
    upto = proportion(table["yes"].to_numpy(), table["n"].to_numpy())
    interval = upto.confidence_interval(view.level)
    table = table.assign(
        share=table["yes"] / table["n"], low=interval.low, high=interval.high, group="tenths of the units"
    )
    ax = plots.curves(
        table, x="at", y="share", by="group", low="low", high="high",
        labels=(line(name, NAME).replace("_", " "), f"share: {view.label}"),
        bars_name=f"{view.bars} (Wilson)",
    )  # fmt: skip
    if (legend := ax.get_legend()) is not None:  # there is one group
        legend.remove()
    return ax, table.drop(columns="group").reset_index(drop=True)


DRAWN: dict[str, Callable[[View], tuple[Axes, pd.DataFrame]]] = {
    "points": _points,
    "lines": _lines,
    "cells": _cells,
    "bars": _bars,
    "answers": _answers,
    "scatter": _scatter,
    "curves": _curves,
}


def residuals(view: View) -> tuple[Axes, pd.DataFrame]:
    """Return what is left when the cells' means, or the line, are taken away; of pairs, their differences."""
    within = view.lying("within")
    frame = view.rows
    if view.answer.figure == "scatter":
        x = frame[_predictors(view)].to_numpy(dtype=float)
        left, what = _from_line(x, frame["value"].to_numpy(dtype=float)), "residual from the line"
    elif len(within) == 1 and frame[within[0]].nunique() == 2 and (view.answer.figure == "lines" or view.paired):
        wide = frame.pivot_table(index="unit", columns=within[0], values="value", sort=False).dropna()
        left, what = (wide.iloc[:, 0] - wide.iloc[:, 1]).to_numpy(), "difference of a pair"
    else:
        groups = view.joined(frame, view.names)
        left, what = (
            (frame["value"] - frame.groupby(groups)["value"].transform("mean")).to_numpy(),
            "residual from its cell's mean",
        )
    return residual_quantiles(left, label=what, level=view.level), pd.DataFrame({what.replace(" ", "_"): left})


def _from_line(x: Numbers, y: Numbers) -> Numbers:
    there = ~(np.isnan(x).any(axis=1) | np.isnan(y))
    full = np.column_stack([np.ones(int(there.sum())), x[there]])
    fitted = full @ np.linalg.lstsq(full, y[there], rcond=None)[0]
    return np.asarray(y[there] - fitted, dtype=np.float64)


def bounded(view: View, told: Mapping[str, Any], bounds: tuple[float, float]) -> tuple[Axes, pd.DataFrame]:
    """Draw an estimated difference with its interval between the bounds of equivalence."""
    ax = axes_for(None, width=4.2, height=1.9)
    ax.axvspan(*bounds, color="#D9D9D9", linewidth=0)
    for bound in bounds:
        ax.axvline(bound, color="#000000", linewidth=1, linestyle="--")
    value, low, high = (float(told[name]) for name in ("value", "low", "high"))
    ax.errorbar([value], [0], xerr=[[value - low], [high - value]], fmt="o", color="#0072B2", capsize=4, linewidth=1.8)
    ax.set_yticks([])
    ax.set_ylim(-1, 1)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_xlabel(f"difference, {view.label}")
    captioned(ax, f"Bar: {100 * told['level']:g}% CI; dashed: the bounds {bounds[0]:g} and {bounds[1]:g}")
    return ax, pd.DataFrame([{**told, "lower_bound": bounds[0], "upper_bound": bounds[1]}])
