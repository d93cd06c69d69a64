"""The command that answers how many units a plan needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from negstats.cli._shared import JsonOption, drawn, print_json, print_lines, print_text, write_csv

if TYPE_CHECKING:
    from negstats.analysis.power.planned import PlannedPower

__all__ = ["power"]


def power(
    plan: Annotated[Path, typer.Argument(help="The plan, plan.toml.", show_default=False)],
    csv: Annotated[Optional[Path], typer.Option(help="Write one row a question, term and size as CSV.")] = None,  # noqa: UP045
    figure: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Draw power over n to this file (.svg, .png or .pdf)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say the power of each question of a plan by n, and the n that it needs, from what the plan expects."""
    from negstats.analysis.plan.parse import read
    from negstats.analysis.power.planned import planned_power

    found = planned_power(read(plan), track=_advancing)
    write_csv(found.curve, csv)
    in_json, in_lines = drawn(figure, lambda file: _draw(found, file))
    if as_json:
        rows = {"curve": found.curve.to_dict("records"), "needed": found.needed.to_dict("records")}
        print_json({**rows, "not_computed": dict(found.refused), "studies": found.studies, **in_json})
        return
    print_text(found.text())
    print_lines([f"[…]: Monte Carlo interval of {found.studies:,} simulated studies a size"])
    print_lines(in_lines)


def _advancing(questions: Iterable[str], count: int) -> Iterator[str]:
    """Yield the questions behind a progress bar on the error stream, where that is a terminal."""
    import sys

    if count < 2 or not sys.stderr.isatty():
        yield from questions
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(questions, "simulating", total=count, console=Console(stderr=True), transient=True)


def _draw(found: PlannedPower, file: Path) -> None:
    from negstats.plots import curves, save_figure

    wished = float(found.needed["wished"].iloc[0])
    table = found.curve.assign(question=(found.curve["question"] + " " + found.curve["term"]).str.strip())
    ax = curves(
        table,
        x="n",
        y="power",
        by="question",
        low="low",
        high="high",
        labels=("units in the smallest cell", "power"),
        bars_name=f"95% Monte Carlo intervals of {found.studies:,} simulated studies",
        caption=f"Power at α = {found.alpha:g}; dashed: the wished power of {wished:g}",
    )
    ax.axhline(wished, color="0.5", linestyle="--", linewidth=1)
    ax.set_ylim(0, 1.02)
    save_figure(ax, file)
