"""The commands for papers of ours: reproduce, figures (`negstats.cli.audit` is for anyone's)."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from negstats.cli.shared import JsonOption, print_json, print_lines, print_table, prose_width, stages

if TYPE_CHECKING:
    import pandas as pd


def reproduce(
    papers: Annotated[
        list[str] | None, typer.Argument(help="Papers; all if none is named.", show_default=False)
    ] = None,
    out: Annotated[Optional[Path], typer.Option(help="Write CSV, Markdown, LaTeX, Word and an HTML page here.")] = None,  # noqa: UP045
    data: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            envvar="NEGSTATS_DATA", help="Folder with the raw data of the public studies.", show_default=False
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every row with its verdict and reason.")] = False,
    draw: Annotated[
        bool, typer.Option("--figures", help="Draw the papers' figures too, to the folder figures (below --out).")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Recompute every number that the papers print, and judge each; a number that does not hold is no failure."""
    from negstats import papers as recipes

    findings = recipes.reproduce(papers or [], data=data)
    files = []
    if out is not None:
        from negstats.papers.output import write

        files = write(findings, out)
    drawn = _draw_figures(papers or [], (out or Path()) / "figures") if draw else []
    files += drawn
    if as_json:
        print_json({"findings": recipes.to_frame(findings).to_dict("records"), "files": list(map(str, files))})
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
    if drawn:
        print_lines([f"Figures: {len(drawn)} below {drawn[0].parent}, each as .png, .svg, .pdf and .csv"])


def _draw_figures(papers: list[str], folder: Path) -> list[Path]:
    """Draw the figures of those papers that have any; return the pictures."""
    from negstats.papers.figures import PAPERS, make_figures

    names = [name for name in papers or PAPERS if name in PAPERS]
    return [folder / f"{stem}.png" for stem in make_figures(folder, names)["files"]] if names else []


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


def figures(
    papers: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(help="haim2017, mell2015, chawla2023, dominance; all if none is named.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder to draw to.")] = Path("figures"),
    verbose: Annotated[bool, typer.Option("--verbose", help="Print a line as each figure begins.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Draw the papers' figures from their printed numbers (PNG, SVG, PDF, CSV), and list what cannot be drawn."""
    from negstats.papers.figures import make_figures, not_drawn

    names = papers or []
    with stages(verbose=verbose) as track:
        figure_table, missing_table = make_figures(out, names, track=track), not_drawn(names)
    if as_json:
        print_json(
            {"out": str(out), "drawn": figure_table.to_dict("records"), "not_drawn": missing_table.to_dict("records")}
        )
        return
    print_table(figure_table, f"{out}: written, each as .png, .svg, .pdf and .csv, listed in manifest.json")
    print_table(missing_table, "What cannot be drawn, and why")
