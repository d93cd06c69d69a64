"""The command for papers of ours: reproduce (`negstats.cli.audit` is for anyone's)."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from negstats.cli.shared import JsonOption, print_json, print_lines, print_table, prose_width, stages

if TYPE_CHECKING:
    import pandas as pd

    from negstats.papers.entries import Entry


def reproduce(
    papers: Annotated[list[str] | None, typer.Argument(help="Papers; all if none is named.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write CSV, Markdown, LaTeX, Word and an HTML page here.")] = None,
    data: Annotated[
        Path | None, typer.Option(envvar="NEGSTATS_DATA", help="Folder with the raw data of the public studies.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every row with its verdict and reason.")] = False,
    only: Annotated[
        str | None, typer.Option(help='Print the rows of one table, figure, definition or system, such as "Table 3".')
    ] = None,
    draw: Annotated[
        bool, typer.Option("--figures", help="Also draw the papers' figures, into the folder figures (in --out).")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Recompute the numbers that the papers print, and say which hold."""
    from negstats import papers as recipes
    from negstats.papers.entries import select_entries

    findings = recipes.reproduce(papers or [], data=data)
    if only is not None:
        _print_entries(select_entries(only, papers or [], findings), as_json=as_json)
        return
    files = []
    if out is not None:
        from negstats.papers.output import write

        files = write(findings, out)
    figures = _draw_figures(papers or [], (out or Path()) / "figures") if draw else None
    if as_json:
        in_json = {} if figures is None else {name: table.to_dict("records") for name, table in figures.items()}
        frame = recipes.to_frame(findings)
        print_json({"findings": frame.to_dict("records"), "files": list(map(str, files)), **in_json})
        return
    print_lines([*textwrap.wrap(recipes.summary(findings), prose_width()), ""])
    if everything:
        for paper, rows in recipes.to_table(findings).groupby("paper", sort=False):
            print_table(rows.drop(columns="paper"), f"{paper}: {len(rows)} printed rows")
    elif out is None:
        print_lines(_odd_rows(recipes.to_table(recipes.findings_of(findings))))
    print_lines(line for line in [recipes.lacking(findings)] if line)
    if out is not None:
        print_lines([f"Each row with its reason: {out / 'findings.html'} (also as .csv, .md, .tex and .docx)"])
    if figures is not None:
        where = (out or Path()) / "figures"
        print_lines([""])
        print_table(figures["drawn"], f"{where}: written, each as .png, .svg, .pdf and .csv, listed in manifest.json")
        print_table(figures["not_drawn"], "What cannot be drawn, and why")


def _print_entries(entries: list[Entry], *, as_json: bool) -> None:
    """Print the rows of each entry, the tables that code returns for it, its state and the command that shows it."""
    if as_json:
        rows = {f"{entry.paper}: {entry.name}": entry.to_table().to_dict("records") for entry in entries}
        print_json(rows)
        return
    for entry in entries:
        print_table(entry.to_table(), f"{entry.paper}, {entry.name}: {entry.state}")
        for frame in entry.frames():
            print_table(frame, f"{entry.name} as the game of this package has it")
        print_lines([f"Command: {entry.command}"])


def _draw_figures(papers: list[str], folder: Path) -> dict[str, pd.DataFrame]:
    """Draw the figures of those papers that have any; return what was drawn, and what cannot be."""
    from negstats.papers.figures import PAPERS, make_figures, not_drawn

    names = [name for name in papers or PAPERS if name in PAPERS]
    with stages(verbose=False) as track:
        return {"drawn": make_figures(folder, names, track=track), "not_drawn": not_drawn(names)}


def _odd_rows(table: pd.DataFrame) -> list[str]:
    """Return the lines on rows that do not stand: by paper and verdict, each with what is printed and the reason."""
    lines: list[str] = []
    for (paper, verdict), rows in table.groupby(["paper", "verdict"], sort=False):
        lines.append(f"{paper}, {verdict}:")
        for row in rows.itertuples():
            lines += textwrap.wrap(
                f"{row.where}. {row.what}: {row.printed}. Reason: {row.why}.",
                prose_width(),
                initial_indent="  ",
                subsequent_indent="    ",
            )
        lines.append("")
    return lines
