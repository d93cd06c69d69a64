"""The commands for papers of ours: reproduce, figures (`negstats.cli.audit` is for anyone's)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from negstats.cli._shared import JsonOption, print_json, print_lines, print_table


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
    everything: Annotated[bool, typer.Option("--all", help="Print every row with its reason.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Recompute every number that the papers print and say of each whether it stands; a finding is no failure."""
    from negstats import papers as recipes

    found = recipes.reproduce(papers or [], data=data)
    files = []
    if out is not None:
        from negstats.papers.output import write

        files = write(found, out)
    if as_json:
        print_json({"findings": recipes.to_frame(found).to_dict("records"), "files": list(map(str, files))})
        return
    if everything:
        for paper, rows in recipes.to_table(found).groupby("paper", sort=False):
            print_table(rows.drop(columns="paper"), f"{paper}: {len(rows)} printed rows")
    for counts in recipes.counted(found).to_dict("records"):
        paper, rows = counts.pop("paper"), counts.pop("rows")
        given = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        print_lines([f"{paper}: {rows} rows; {given}"])
    odd = recipes.findings_of(found)
    if odd and not everything:
        print_lines([""])
        print_table(recipes.to_table(odd).drop(columns="why"), f"{len(odd)} rows do not stand as they are printed")
    elif not odd:
        print_lines(["every row that can be checked stands as it is printed"])
    print_lines(line for line in [recipes.lacking(found)] if line)
    print_lines(f"written: {file}" for file in files)


def figures(
    papers: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(help="haim2017, mell2015, chawla2023; all if none is named.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder to draw to.")] = Path("figures"),
    as_json: JsonOption = False,
) -> None:
    """Draw the papers' figures from their printed numbers (PNG, SVG, PDF, CSV and a manifest); say what cannot be."""
    from negstats.papers.figures import make_figures, not_drawn

    named = papers or []
    drawn, gone = make_figures(out, named), not_drawn(named)
    if as_json:
        print_json({"out": str(out), "drawn": drawn.to_dict("records"), "not_drawn": gone.to_dict("records")})
        return
    print_table(drawn, f"{out}: written, each as .png, .svg, .pdf and .csv, listed in manifest.json")
    print_table(gone, "What cannot be drawn, and why")
