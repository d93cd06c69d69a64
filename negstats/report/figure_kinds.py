"""How each kind of figure of a question is drawn: points, lines, cells, bars, answers, scatter, curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes

from negstats import plots
from negstats.errors import DesignError
from negstats.plots.comparison import DIRECTIONS, difference_panel, pair_lines
from negstats.plots.groups import counting_unit
from negstats.plots.logistic import FittedLogOdds
from negstats.plots.look import COLOURS, INK
from negstats.plots.relation import relation
from negstats.plots.style import (
    ONE,
    TALLEST,
    TWO,
    axes_for,
    captioned,
    letters,
    new_panels,
    quiet,
    wrapped,
)
from negstats.report.figure_view import JOIN, LABEL, View, predictors
from negstats.report.measures import ends_at_goal
from negstats.sanitize import counted, line, plural
from negstats.stats import actor_partner, cumulative_incidence
from negstats.stats.outcomes.gee import ClusteredRegression

AGREED = {"agreement", "goal"}
LEFT = {"walkaway", "disagreement", "left"}  # ends that rule an agreement out; all others only cut a game off
Numbers: TypeAlias = npt.NDArray[np.float64]

MOST_PANELS = 4
MOST_ANSWERS = 7
PLACES = 2  # decimals of where groups of a number end
LETTERS_OF_ROW = 10  # of a label along the axis, as high as a row of answers
FIFTHS = 5
TIMES = ("session", "phase", "period", "part", "round", "order", "time")  # factors that say when

Drawing: TypeAlias = Callable[[], tuple[Axes, pd.DataFrame]]


def _points(view: View) -> tuple[Axes, pd.DataFrame]:
    values = pd.DataFrame({"level": view.joined(view.rows, view.names), "value": view.rows["value"]})
    summary = view.summary(view.names)
    is_repeated = view.raw.duplicated(["unit", *view.names]).any()
    bars = f"{view.bars} of the mean, " + (f"by {view.unit}" if is_repeated else "from the group's own SD")
    ax = plots.group_comparison(values, summary, label=view.label, unit=view.noun, bars=bars)
    return ax, view.raw


def _lines(view: View) -> tuple[Axes, pd.DataFrame]:
    """Draw a panel for each level of what lies between units, and one for the differences."""
    inner_factors = view.inner_names or view.names
    if len(inner_factors) == 2 and (orders := _orders(view, inner_factors)) is not None:
        return _crossover(view, orders)
    outer_factors = [name for name in view.names if name not in inner_factors]
    groups = view.joined(view.rows, outer_factors)
    cells = view.cells()
    # A panel for each level between units: its units' values by level, and the means.
    panels, means = {}, {}
    for level in dict.fromkeys(view.joined(cells, outer_factors)):
        order = list(dict.fromkeys(view.joined(cells, inner_factors)))
        rows = view.rows[groups == level]
        pairs = rows.assign(level=view.joined(rows, inner_factors)).pivot_table(
            index="unit", columns="level", values="value", sort=False
        )
        pairs = pairs.reindex(columns=order)
        if len(pairs.dropna()):
            name = f"{line(outer_factors[0], LABEL)}: {level}".replace("_", " ") if len(outer_factors) == 1 else level
            panels[name], means[name] = pairs.dropna(), list(pairs.mean())
    if not panels:
        raise DesignError(f"no {view.unit} has values at all combinations of {' and '.join(inner_factors)}")
    # One panel of two levels, or of whole units, is a paired comparison; else lines, with differences of two levels.
    is_of_two = next(iter(panels.values())).shape[1] == 2
    units, lines = view.rows["unit"].nunique(), sum(map(len, panels.values()))
    if len(panels) == 1 and (is_of_two or lines == units):
        (pairs,) = panels.values()
        how: Any = {"label": view.label, "unit": view.unit, "confidence_level": view.level}
        return plots.paired_comparison(pairs, view.estimate, **how), view.raw
    axes = _panels(view, panels, means, extra=is_of_two)
    whole, of_all = ("", "") if lines == units else (" with all values", f" of all {units:,}")
    description = f"Each line is one of {lines:,} {plural(view.unit)}{whole}; {DIRECTIONS}; diamonds are means{of_all}"
    if is_of_two:
        names = list(map(str, next(iter(panels.values())).columns))
        step = counting_unit(view.rows["value"])
        differences = {name: pairs.iloc[:, 0] - pairs.iloc[:, 1] for name, pairs in panels.items()}
        panel_words = difference_panel(axes[-1], differences, unit=view.unit, confidence_level=view.level, step=step)
        axes[-1].set_ylabel(f"{names[0]} − {names[1]}")
        description += f". Right: differences within {plural(view.unit)}. {panel_words}"
    captioned(axes[0], description)
    _name_panels(axes, list(panels))
    return axes[0], view.raw


def _panels(
    view: View,
    panels: Mapping[str, pd.DataFrame],
    means: Mapping[str, Sequence[float]] | None = None,
    *,
    extra: bool = False,
) -> list[Axes]:
    """Draw lines in a panel a group, on one vertical axis; an `extra` panel at the right has an axis of its own."""
    count = len(panels) + extra
    if count > MOST_PANELS:
        raise DesignError(f"{len(panels)} panels of lines are too many for a figure; see the table of means")
    axes = new_panels(count, TWO, 2.8)
    for place, (ax, (name, pairs)) in enumerate(zip(axes, panels.items(), strict=False)):
        if place:
            ax.sharey(axes[0])
            ax.tick_params(axis="y", labelleft=False)
        pair_lines(ax, pairs, label="" if place else view.label, key=False, means=means[name] if means else None)
    return axes


def _name_panels(axes: Sequence[Axes], names: Sequence[str]) -> None:
    for ax, name in zip(axes, names, strict=False):
        ax.set_title(wrapped(name), loc="center", fontsize=letters(ax))


def _orders(view: View, inner_factors: Sequence[str]) -> dict[str, pd.DataFrame] | None:
    """Return, of a crossover, each unit's two values in their order, by what came first; None if it is none.

    In a crossover a unit has every level of both factors once, so one cell of each session and not all combinations.
    """
    rows = view.rows
    order = next((name for name in inner_factors if name in TIMES), inner_factors[1])
    other = inner_factors[0] if order == inner_factors[1] else inner_factors[1]
    counts = rows.groupby("unit")[[order, other]].agg(["nunique", "size"])
    levels = [rows[name].nunique() for name in (order, other)]
    sizes = set(counts[(order, "size")])
    if levels != [2, 2] or sizes != {2} or not bool((counts.xs("nunique", axis=1, level=1).to_numpy() == 2).all()):
        return None
    sessions = list(dict.fromkeys(view.cells()[order]))
    by_session = rows.set_index(["unit", order])["value"].unstack()[sessions]  # noqa: PD010 - nothing is averaged
    firsts = rows[rows[order] == sessions[0]].set_index("unit")[other]
    firsts = firsts.reindex(by_session.index)
    return {f"{first} first": by_session[firsts == first] for first in dict.fromkeys(view.cells()[other])}


def _crossover(view: View, orders: Mapping[str, pd.DataFrame]) -> tuple[Axes, pd.DataFrame]:
    """Draw a crossover in two panels by order: each line goes from a person's first session to the second."""
    axes = _panels(view, orders)
    sizes = " and ".join(f"{len(order):,} ({name})" for name, order in orders.items())
    captioned(
        axes[0],
        f"Panels by order: each line is one {view.unit}, {sizes}. Each {view.unit} has one cell of each session",
        f"{DIRECTIONS.capitalize()}; diamonds are means; no bars, as conditions are compared within",
    )
    _name_panels(axes, [f"{name} (n = {len(order):,})" for name, order in orders.items()])
    return axes[0], view.raw


def _cells(view: View) -> tuple[Axes, pd.DataFrame]:
    cells = view.cells()
    inner = view.inner_names
    x = (inner or view.names)[0]  # lines lead from a value of a unit to its next
    rest = [name for name in view.names if name != x]
    table = cells.assign(low=cells["low"].astype(float), high=cells["high"].astype(float))
    lines = None
    if rest:
        lines = JOIN.join(rest).replace("_", " ")
        table = table.assign(**{lines: view.joined(cells, rest)})
    if len(inner) == len(view.names):  # all means are of the same units: their spread is not an error
        ax = plots.cell_means(
            table, x, lines, label=view.label, bars="none", bars_name=f"each {view.unit} is in all cells"
        )
    else:
        n = int(view.entry["design"]["n_units"] if inner and view.noun == view.unit else table["n"].sum())
        marks = f"Marks are means of {counted(n, view.noun)}"
        bars = f"{view.bars} of each mean"
        ax = plots.cell_means(table, x, lines, label=view.label, bars="given", bars_name=bars, caption=marks)
    return ax, cells


def _bars(view: View) -> tuple[Axes, pd.DataFrame]:
    if view.of_number:
        return _shares_over(view)
    cells = view.cells()
    if "count" not in cells.columns:
        return _points(view)
    filled_cells = cells[cells["n"] > 0]
    names = view.joined(filled_cells, view.names).to_numpy()
    counts = pd.DataFrame({"yes": filled_cells["count"].astype(int), "n": filled_cells["n"].astype(int)}).set_axis(
        names
    )
    what, level = view.counted(int(counts["n"].sum()))
    if level is not None and not view.names and view.one_sided:
        level = view.plan.one_sided_level  # that of the interval in the sentence
    return plots.shares(counts, label=view.label, unit=what, confidence_level=level), cells


def _answers(view: View) -> tuple[Axes, pd.DataFrame]:
    cells = view.cells()
    if all("answers" in cell for cell in view.entry["cells"]):
        answer_counts = pd.DataFrame(
            [cell["answers"] for cell in view.entry["cells"]], index=view.joined(cells, view.names)
        )
    else:  # numbers that the plan's test takes for answers
        answer_counts = pd.crosstab(view.joined(view.rows, view.names), view.rows["value"])
        answer_counts.columns = pd.Index([f"{value:g}" for value in answer_counts.columns])
    counts = answer_counts.loc[answer_counts.sum(axis=1) > 0]
    counts.columns = pd.Index([line(name, 60) for name in counts.columns], name=view.label)
    what, level = view.counted(int(counts.to_numpy().sum()))
    table = counts.reset_index(names="level")
    if view.entry.get("kind") == "ordered" and 2 <= counts.shape[1] <= MOST_ANSWERS:
        return plots.ordered_answers(counts, label=view.label, unit=what), table
    return plots.stacked_proportions(counts.loc[:, counts.sum() > 0], label=what, confidence_level=level), table


def _on_scale(counts: pd.DataFrame, view: View) -> pd.DataFrame:
    """Name the columns by the words of the scale, all of them: its middle is not that of what occurred."""
    scale = view.scale_words
    values = [float(str(value)) for value in counts.columns]
    if len(scale) <= MOST_ANSWERS and all(value.is_integer() and 1 <= value <= len(scale) for value in values):
        counts = counts.set_axis(pd.Index([int(value) for value in values]), axis="columns")
        counts = counts.reindex(columns=pd.RangeIndex(1, len(scale) + 1), fill_value=0)
        return counts.set_axis(pd.Index(scale, name=view.label), axis="columns")
    return counts.set_axis(pd.Index([f"{value:g}" for value in values], name=view.label), axis="columns")


def _answers_over(view: View, number: str) -> tuple[Axes, pd.DataFrame]:
    """Draw ordered answers in groups of a number, which a line does not fit: fifths of the rows, where they differ."""
    ends = np.unique(np.quantile(view.rows[number], np.linspace(0, 1, FIFTHS + 1), method="nearest"))
    groups = pd.cut(view.rows[number], ends.tolist(), include_lowest=True) if len(ends) > 2 else view.rows[number]
    counts = pd.crosstab(groups, view.rows["value"])
    spans = view.rows.groupby(groups, observed=True)[number].agg(["min", "max"])
    ends_of = [tuple(dict.fromkeys(f"{end:.{PLACES}f}".rstrip("0").rstrip(".") for end in span))
               for span in spans.itertuples(index=False)]  # fmt: skip
    names = ["–".join(span) for span in ends_of]
    counts = _on_scale(counts.set_axis(pd.Index(names)), view)
    ax = plots.ordered_answers(counts, label=view.label, unit=plural(view.noun))
    ax.set_ylabel(wrapped(view.number_name(number), min(34, LETTERS_OF_ROW * len(counts))))
    return ax, counts.reset_index(names=number)


def _scatter(view: View) -> tuple[Axes, pd.DataFrame]:
    numbers = predictors(view)
    n_answers = view.rows["value"].nunique()
    if view.entry.get("kind") == "ordered" and len(numbers) == 1 and not view.names and 2 <= n_answers <= MOST_ANSWERS:
        return _answers_over(view, numbers[0])
    by = view.joined(view.rows, view.names) if view.names else None
    table = view.rows if by is None else view.rows.assign(_group=by)
    width = TWO if by is not None or len(numbers) > 1 else ONE
    axes = new_panels(len(numbers), width, 2.7, sharey=True)
    for place, (ax, name) in enumerate(zip(axes, numbers, strict=True)):
        labels = (wrapped(view.number_name(name), 34), view.label if place == 0 else "")
        is_independent = not view.rows["unit"].duplicated().any()
        group = None if by is None else "_group"
        relation(
            table, x=name, y="value", by=group, labels=labels, lined=not view.tests_ranks, banded=is_independent,
            confidence_level=view.level, unit=plural(view.noun), crossed=view.without_agreement, ax=ax,
        )  # fmt: skip
        if ax is not axes[-1] and (legend := ax.get_legend()) is not None:
            legend.remove()
        elif by is not None and (legend := ax.get_legend()) is not None:
            legend.set_title(line(JOIN.join(view.names), LABEL).replace("_", " "))
    return axes[0], view.raw


def _curves(view: View) -> tuple[Axes, pd.DataFrame]:
    """Draw the shares that have agreed, and that have ended otherwise where such ends compete."""
    if "time" not in view.rows.columns:
        return _bars(view) if view.names else _shares_over(view)
    event = "the goal" if ends_at_goal(view.study) else "agreement"
    end_kinds = view.rows["ended"].map(lambda end: event if end in AGREED else "left" if end in LEFT else "cut off")
    games = pd.DataFrame({"time": view.rows["time"].astype(float), "ended": end_kinds})
    names = view.names or predictors(view)[:1]
    if view.names:
        groups = view.joined(view.rows, view.names)
        order = dict.fromkeys([*view.joined(view.cells(), view.names), *sorted(groups.unique())])
        games["group"] = pd.Categorical(groups, categories=[level for level in order if (groups == level).any()])
    elif names:  # a curve below and one above the middle of the number
        numbers = view.rows[names[0]].astype(float)
        parts = np.array([f"up to {numbers.median():g}", f"above {numbers.median():g}"])
        games["group"] = pd.Categorical(parts[(numbers > numbers.median()).astype(int)], categories=parts)
    censored_kinds = [end for end in ("cut off",) if end in set(end_kinds)]
    by = "group" if names else None
    is_clustered = bool(view.rows["unit"].duplicated().any())  # bands are then by unit, as the test is
    games["unit"] = view.rows["unit"].to_numpy()
    incidence = cumulative_incidence(
        games, "time", "ended", event, censored_kinds, by=by, cluster="unit" if is_clustered else None
    )
    ax = plots.time_curves(incidence, label=view.label, confidence_level=view.level)
    if len(incidence.events) == 1:
        ax.set_ylabel(f"share that has {'reached the goal' if ends_at_goal(view.study) else 'agreed'}")
    if (legend := ax.get_legend()) is not None:
        title = view.number_name(names[0]) if names and not view.names else JOIN.join(names)
        legend.set_title(line(title, LABEL).replace("_", " "))
    return ax, incidence.to_frame(view.level)


def _shares_over(view: View) -> tuple[Axes, pd.DataFrame]:
    """Draw the share of yes over a number: the curve of the fitted test, and every unit."""
    name = predictors(view)[0]
    model, method = view.answer.result, (view.answering or {}).get("method")
    fitted = None
    by_cluster = method == "mixed" or isinstance(model, ClusteredRegression)
    if by_cluster and len(getattr(model, "names", ())) == 2:  # whose number is centred at its mean
        df = float(np.min(np.asarray(model.df)))
        centre = float(view.rows[name].mean())
        words, people = "estimating equations", np.empty(0)
        if method == "logistic":  # of all rows, as if none were linked, but for its errors
            words = f"logistic regression, its errors by {view.unit},"
        if method == "mixed":
            effects = model.random_effects()
            is_of_intercepts = set(effects["effect"]) == {"Intercept"} and effects["cluster"].nunique() == 1
            people = effects["estimate"].to_numpy(dtype=float) if is_of_intercepts else people
            words = f"a typical {view.unit} by a mixed model"
        fitted = FittedLogOdds(words, model.estimate, model.covariance, centre, df, people, plural(view.unit))
    is_independent = not view.rows["unit"].duplicated().any()
    ax = plots.logistic_curve(
        view.rows,
        x=name,
        y="value",
        labels=(wrapped(view.number_name(name), 34), view.label),
        unit=plural(view.noun),
        banded=is_independent or fitted is not None,
        fitted=fitted,
        curved=method in ("gee", "logistic", "logistic_firth") or fitted is not None,
        confidence_level=view.level,
    )
    return ax, view.raw


def _paths(view: View) -> tuple[Axes, pd.DataFrame]:
    """Draw the paths of an actor–partner model of two alike seats: its estimates are those of the answer."""
    name = predictors(view)[0]
    pairs = view.rows[view.rows.groupby("unit")["value"].transform("size") == 2]
    model = actor_partner(pairs, "value", name, pair="unit")
    ax = plots.actor_partner_paths(
        model, predictor=view.number_name(name), outcome=view.label.replace("\n", " "),
        confidence_level=view.level, alpha=view.plan.alpha,
    )  # fmt: skip
    return ax, model.to_frame()


def _ranking(view: View) -> tuple[Axes, pd.DataFrame]:
    """Draw the means of agents from the highest to the lowest, each with its interval."""
    table = view.summary(view.names).sort_values("mean", ascending=False, kind="stable")
    ax = axes_for(None, width=ONE, height=min(TALLEST, 0.7 + 0.3 * len(table)))
    places = np.arange(len(table))[::-1]
    reach = [table["mean"] - table["low"], table["high"] - table["mean"]]
    ax.errorbar(table["mean"], places, xerr=reach, fmt="D", color=COLOURS[0], markersize=4, capsize=2.5, linewidth=1.2)
    names = [f"{rank}. {wrapped(str(name))}\nn = {n:,.0f}" for rank, (name, n) in enumerate(table["n"].items(), 1)]
    ax.set_yticks(places, names)
    ax.set_ylim(-0.6, len(table) - 0.4)
    ax.set_xlabel(view.label)
    quiet(ax)
    captioned(
        ax, f"Diamonds are means of {plural(view.noun)}, from the highest down; bars are {view.bars}s of each mean"
    )
    return ax, table.reset_index(names=view.names[0])


DRAWN: dict[str, Callable[[View], tuple[Axes, pd.DataFrame]]] = {
    "points": _points,
    "lines": _lines,
    "cells": _cells,
    "bars": _bars,
    "answers": _answers,
    "scatter": _scatter,
    "curves": _curves,
    "paths": _paths,
    "ranking": _ranking,
}


def bounded(view: View, entry: Mapping[str, Any], bounds: tuple[float, float]) -> tuple[Axes, pd.DataFrame]:
    """Draw an estimated difference with its interval between the bounds of equivalence."""
    ax = axes_for(None, width=ONE, height=1.4)
    ax.axvspan(*bounds, color="#D9D9D9", linewidth=0)
    for bound in bounds:
        ax.axvline(bound, color=INK, linewidth=0.8, linestyle="--")
    value, low, high = (float(entry[name]) for name in ("value", "low", "high"))
    ax.errorbar([value], [0], xerr=[[value - low], [high - value]], fmt="o", color=COLOURS[0], capsize=3, linewidth=1.2)
    ax.set_yticks([])
    ax.set_ylim(-1, 1)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_xlabel(f"difference, {view.label}")
    planned = f"{bounds[0]:g} and {bounds[1]:g}".replace("-", "−")
    captioned(ax, f"Bar: {100 * entry['level']:g}% CI; dashed: the bounds {planned}")
    return ax, pd.DataFrame([{**entry, "lower_bound": bounds[0], "upper_bound": bounds[1]}])
