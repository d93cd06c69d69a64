"""The figures of a report's appendix: what the questions' means or lines leave over, against a normal sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes

from negstats import plots
from negstats.errors import DesignError
from negstats.plots.residuals import ordered_residuals, residual_quantiles
from negstats.plots.style import ONE, TWO, captioned, letters, new_panels
from negstats.report.figure_view import View, predictors
from negstats.report.figures import Shown, write_figure
from negstats.report.sentences.question import design_of
from negstats.sanitize import label, line

if TYPE_CHECKING:
    from negstats.analysis.answers import Report

Numbers: TypeAlias = npt.NDArray[np.float64]

NAME = "appendix.residuals"  # no question's figure has this name: of a question there is none of residuals
OF_MEANS = ("points", "lines", "cells", "scatter")  # kinds of figures whose questions are about means or a line
PANELS = 9  # of a figure
HEIGHT = 2.2  # inches of a row of panels


def residual_figures(report: Report, folder: Path) -> tuple[list[Shown], list[str]]:
    """Draw the residuals of all questions about means, a panel each; return the figures, and why others are not.

    Parameters
    ----------
    report
        The report with the values of its questions.
    folder
        Where the files go.
    """
    samples, figures, problems = [], [], []
    seen = set()  # questions of several terms of one model have the same residuals
    for answer in report.answers.values():
        if answer.figure not in OF_MEANS or not len(answer.values):
            continue
        design = design_of(answer.entry, answer.question)
        if design in seen:
            continue
        seen.add(design)
        view = View(report, answer)
        if "value" not in view.rows.columns or not view.fits_means:
            continue
        values, what = residuals(view)
        try:
            samples.append((answer.id, ordered_residuals(values), what))
        except DesignError as error:
            problems.append(f"Residuals of {answer.id} were not drawn: {line(error, 300)}.")
    level = report.plan.confidence_level
    for start in range(0, len(samples), PANELS):
        drawn = samples[start : start + PANELS]
        name = NAME if not start else NAME.replace(".", f"{start // PANELS + 1}.")
        title = f"Normal Quantile {'Plots' if len(drawn) > 1 else 'Plot'} of Residuals"
        shown, notes = write_figure(folder, name, title, lambda drawn=drawn: _panels(drawn, level))  # type: ignore[misc]
        figures += [shown] if shown else []
        problems += notes
    return figures, problems


def residuals(view: View) -> tuple[Numbers, str]:
    """Return what is left when the cells' means, or the line, are taken away, and what it is; of pairs, differences."""
    inner_factors = view.inner_names
    frame = view.rows
    if view.answer.figure == "scatter":
        x = frame[predictors(view)].to_numpy(dtype=float)
        return _from_line(x, frame["value"].to_numpy(dtype=float)), "residual from the line"
    if (
        len(inner_factors) == 1
        and frame[inner_factors[0]].nunique() == 2
        and (view.answer.figure == "lines" or view.paired)
    ):
        by_level = frame.pivot_table(index="unit", columns=inner_factors[0], values="value", sort=False).dropna()
        return (by_level.iloc[:, 0] - by_level.iloc[:, 1]).to_numpy(dtype=float), "difference of a pair"
    groups = view.joined(frame, view.names)
    return (
        (frame["value"] - frame.groupby(groups)["value"].transform("mean")).to_numpy(dtype=float),
        "residual from its cell's mean",
    )


def _panels(samples: Sequence[tuple[str, Numbers, str]], level: float) -> tuple[Axes, pd.DataFrame]:
    """Draw a panel a question; return the first, and the residuals of all as rows."""
    columns = {1: 1, 2: 2, 4: 2}.get(len(samples), 3)
    rows = -(-len(samples) // columns)
    panels = new_panels(len(samples), ONE if columns == 1 else TWO, rows * HEIGHT, columns=columns)
    for ax, (_, values, what) in zip(panels, samples, strict=True):
        residual_quantiles(values, label=what, confidence_level=level, ax=ax)
    plots.take_caption(panels[0])
    captioned(panels[0], f"At each place the band holds {100 * level:g}% of normal samples")  # once for all panels
    for ax, (name, values, _) in zip(panels, samples, strict=True):
        ax.set_title(label(f"{name} (n = {len(values):,})"), loc="left", fontsize=letters(ax))
    table = pd.DataFrame(
        {
            "question": [name for name, values, _ in samples for _ in values],
            "kind": [what for _, values, what in samples for _ in values],
            "value": np.concatenate([values for _, values, _ in samples]),
        }
    )
    return panels[0], table


def _from_line(x: Numbers, y: Numbers) -> Numbers:
    is_complete = ~(np.isnan(x).any(axis=1) | np.isnan(y))
    full = np.column_stack([np.ones(int(is_complete.sum())), x[is_complete]])
    predictions = full @ np.linalg.lstsq(full, y[is_complete], rcond=None)[0]
    return np.asarray(y[is_complete] - predictions, dtype=np.float64)
