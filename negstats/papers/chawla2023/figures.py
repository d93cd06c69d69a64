"""Tables 3 and 5 of chawla2023, drawn. Its own figures show numbers that are not printed."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from negstats.papers.chawla2023 import WITH, WITHOUT, points, walk_aways
from negstats.papers.figure import Figure, cell_rows, sources_of
from negstats.papers.ledger import Row, printed_cells
from negstats.plots import cell_means, mosaic, stacked_proportions
from negstats.stats import Counts, chi_squared

PAPER = "chawla2023"
DRAWN = "{} itself, drawn; the paper has no such figure"
MEASURES = ("human points", "agent points", "joint points")
LENGTHS = ("utterances per dialogue", "words per utterance")


def figures() -> list[Figure]:
    """Return the figures that can be drawn."""
    return [_points(WITH), _points(WITHOUT), _walk_aways(), _selfish_agents(), _lengths()]


def _cells(measure: str, condition: str = "") -> list[Row]:
    return [row for row in printed_cells(PAPER) if row.of == measure and row.condition == condition and row.factor_b]


def _points(condition: str) -> Figure:
    """Table 3: human, agent and joint points; without walk-aways n follows from the percentages."""
    numbers = pd.concat([points(measure, condition).to_frame().assign(measure=measure) for measure in MEASURES])
    numbers = numbers[["measure", "reward", "partner", "n", "mean", "se"]].reset_index(drop=True)
    rows = [row for measure in MEASURES for row in _cells(measure, condition)]
    computation = "" if condition == WITH else "n: dialogues less the walk-aways that the percentages give"
    sources = (*sources_of(rows), *(() if condition == WITH else sources_of(_cells("walk-aways"))))
    draw = partial(_panels, condition=condition)
    name = f"points_{condition.replace('-', '_').replace(' ', '_')}"
    return Figure(PAPER, "Table 3", name, numbers, draw, sources, computation, DRAWN.format("Table 3"))


def _panels(numbers: pd.DataFrame, *, condition: str = "") -> Axes:
    measures = list(pd.unique(numbers["measure"]))
    _, panels = plt.subplots(1, len(measures), figsize=(4.1 * len(measures), 3.8), layout="constrained")
    spread = {"bars": "se"} if "se" in numbers else {"bars": "none"}
    for ax, measure in zip(panels, measures, strict=True):
        cell_means(
            numbers[numbers["measure"] == measure].drop(columns="measure"),
            "partner",
            "reward",
            label=f"{measure} (points)" if "points" in measure else measure,
            caption=f"{measure.capitalize()} by training partner{f', {condition}' if condition else ''}",
            ax=ax,
            **spread,  # type: ignore[arg-type]
        )
        if ax is not panels[-1] and (legend := ax.get_legend()):
            legend.remove()
    last: Axes = panels[-1]
    return last


def _walk_aways() -> Figure:
    numbers = walk_aways().to_frame()

    def draw(table: pd.DataFrame) -> Axes:
        caption = "Walk-aways by the agent's reward (above) and its training partner (below)"
        return stacked_proportions(_counts(table), label="dialogues", caption=caption)

    rows = _cells("walk-aways")
    computation = "counts: the only whole numbers that print these percentages"
    return Figure(PAPER, "Table 3", "walk_aways", numbers, draw, sources_of(rows), computation, DRAWN.format("Table 3"))


def _selfish_agents() -> Figure:
    """Test the selfish agents alone: counts, expected counts and adjusted residuals."""
    frame = walk_aways().to_frame()
    frame = frame[frame["reward"] == "selfish"].drop(columns="reward").reset_index(drop=True)
    test = chi_squared(_counts(frame, ("partner",)))
    numbers = test.residuals()

    def draw(table: pd.DataFrame) -> Axes:
        counts = _counts(table[["partner", "walked away", "n"]], ("partner",))
        return mosaic(chi_squared(counts), caption="Walk-aways from selfish agents by training partner")

    rows = [row for row in _cells("walk-aways") if row.factor_a == "selfish"]
    computation = "counts as in walk_aways; χ², expected counts and adjusted residuals from them"
    return Figure(
        PAPER, "Table 3", "walk_aways_selfish", numbers, draw, sources_of(rows), computation, DRAWN.format("Table 3")
    )


def _lengths() -> Figure:
    tables = [
        cell_rows(_cells(measure), reward="factor_a", partner="factor_b").assign(measure=measure) for measure in LENGTHS
    ]
    numbers = pd.concat(tables)[["measure", "reward", "partner", "n", "mean"]].reset_index(drop=True)
    rows = [row for measure in LENGTHS for row in _cells(measure)]
    return Figure(PAPER, "Table 5", "lengths", numbers, _panels, sources_of(rows), "", DRAWN.format("Table 5"))


def _counts(frame: pd.DataFrame, groups: tuple[str, ...] = ("reward", "partner")) -> Counts:
    """Return rows of cells as counts, levels in the order of the rows."""
    names = (*groups, "walked away")
    levels = {name: [str(level) for level in pd.unique(frame[name])] for name in names}
    shape = tuple(len(names_of_levels) for names_of_levels in levels.values())
    return Counts.from_table(frame["n"].to_numpy(dtype=float).reshape(shape), levels)
