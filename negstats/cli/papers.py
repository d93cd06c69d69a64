"""The commands for printed papers: reproduce, audit, figures."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from negstats.cli._shared import (
    JsonOption,
    auditing,
    print_json,
    print_lines,
    print_table,
    print_text,
    prose_width,
    write_csv,
)

if TYPE_CHECKING:
    import pandas as pd

    from negstats.audit.checking import Rules
    from negstats.audit.folder import Paper


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
    print_lines([*textwrap.wrap(recipes.summary(found), prose_width()), ""])
    if everything:
        for paper, rows in recipes.to_table(found).groupby("paper", sort=False):
            print_table(rows.drop(columns="paper"), f"{paper}: {len(rows)} printed rows")
    elif out is None:
        print_lines(_odd_rows(recipes.to_table(recipes.findings_of(found))))
    print_lines(line for line in [recipes.lacking(found)] if line)
    if out is not None:
        print_lines([f"Each row with its reason: {out / 'findings.html'} (also as .csv, .md, .tex and .docx)"])


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


def audit(
    papers: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Argument(
            help="Text, Markdown, LaTeX, HTML, JATS, TEI, Word, ODT or PDF; folders of them; - for standard input.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level that a decision error crosses.")] = 0.05,
    flagged: Annotated[bool, typer.Option("--flagged", help="Print only results in which something is wrong.")] = False,
    decision_errors: Annotated[
        bool, typer.Option("--decision-errors", help="Print only what changes a decision at the level.")
    ] = False,
    one_tailed: Annotated[
        bool, typer.Option("--one-tailed", help="Take a p that fits one tail as declared, though the text is silent.")
    ] = False,
    two_tailed: Annotated[
        bool, typer.Option("--two-tailed", help="Hold every p against two tails, though the text says one.")
    ] = False,
    p_zero_error: Annotated[bool, typer.Option("--p-zero-error", help="Count p = .000 as an error.")] = False,
    p_equal_alpha: Annotated[
        bool, typer.Option("--p-equal-alpha/--p-below-alpha", help="Whether a p equal to the level is significant.")
    ] = True,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Write tables (CSV, JSON), a page with each flag in its sentence and a page a paper here."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that read and check papers.")] = 1,
    csv: Annotated[Optional[Path], typer.Option(help="Write one row a result as CSV.")] = None,  # noqa: UP045
    against: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="The results.json of a report: hold every number against what was computed."),
    ] = None,
    grim: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="A CSV table of printed means (mean, n; sd, items, name): which of them n people can have."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the test results that papers report, recompute each p and say which do not agree."""
    from negstats.errors import UsageError

    named = papers or []
    if grim is not None:
        _grim(grim, csv=csv, as_json=as_json)
    if not named and grim is None:
        raise UsageError("no paper is named; give files, folders or - for standard input")
    if not named:
        return
    if against is not None:
        if len(named) > 1:
            raise UsageError(f"--against holds one paper against its results, and {len(named)} are named")
        _audit_against(named[0], against, alpha=alpha, flagged=flagged, csv=csv, as_json=as_json)
        return
    from negstats.audit.checking import Rules
    from negstats.audit.folder import audit_papers
    from negstats.audit.pages import write_papers

    rules = Rules(
        alpha,
        one_tailed=one_tailed,
        equal_is_significant=p_equal_alpha,
        two_tailed=two_tailed,
        zero_is_error=p_zero_error,
    )
    cache = None if out is None else out / "texts"
    if len(named) == 1 and out is None and named[0].is_file() and not decision_errors:
        _audit_one(named[0], rules, flagged=flagged, csv=csv, as_json=as_json)
        return
    found = audit_papers(named, rules, workers=workers, cache=cache, track=auditing)
    _print_papers(found, flagged=flagged, decisions_only=decision_errors, csv=csv, as_json=as_json)
    if out is not None:
        files = write_papers(found, out, decisions_only=decision_errors)
        if not as_json:
            print_lines(f"written: {file}" for file in files)


def _grim(table: Path, *, csv: Path | None, as_json: bool) -> None:
    from negstats.audit.means import check_means

    found = check_means(table)
    write_csv(found, csv)
    if as_json:
        print_json(found.to_dict("records"))
    else:
        print_table(found, f"{table}: {len(found)} printed means")


def _audit_one(file: Path, rules: Rules, *, flagged: bool, csv: Path | None, as_json: bool) -> None:
    from negstats.audit.audits import audit_document
    from negstats.audit.reading import read

    found = audit_document(read(file), rules)
    write_csv(found.to_frame(), csv)
    if as_json:
        rows = found.to_frame().to_dict("records")
        print_json([row for row, result in zip(rows, found.results, strict=True) if result.flagged or not flagged])
        return
    print_text(found.text(flagged_only=flagged))


def _print_papers(
    found: Sequence[Paper], *, flagged: bool, decisions_only: bool, csv: Path | None, as_json: bool
) -> None:
    """Print a line a paper, and below it what is flagged."""
    import pandas as pd

    rows = [row for paper in found for row in paper.results]
    write_csv(pd.DataFrame(rows), csv)
    if as_json:
        wrong = [row for paper in found for row in paper.flagged(decisions_only=decisions_only)]
        errors = [{"file": paper.source, "error": paper.error} for paper in found if paper.error]
        print_json({"results": wrong if flagged or decisions_only else rows, "not_read": errors})
        return
    for paper in found:
        wrong = paper.flagged(decisions_only=decisions_only)
        print_lines([paper.summary])
        for row in wrong:
            print_lines([f"  {row['place']}: {row['raw']}", f"    {row['judged']}: {row['why']}"])
    unread = sum(bool(paper.error) for paper in found)
    results = sum(len(paper.results) for paper in found)
    print_lines(
        [f"{len(found)} papers, {results} results; {unread} {'paper' if unread == 1 else 'papers'} could not be read"]
    )


def _audit_against(file: Path, results: Path, *, alpha: float, flagged: bool, csv: Path | None, as_json: bool) -> None:
    """Print how a manuscript stands to computed results; exit code 1 if a number is wrong or a question is missing."""
    from negstats.audit import audit_against

    found = audit_against(file, results, alpha=alpha)
    write_csv(found.to_frame(), csv)
    if as_json:
        rows = found.to_frame().to_dict("records")
        print_json([row for row, match in zip(rows, found.matches, strict=True) if match in found.wrong or not flagged])
    else:
        print_text(found.text(wrong_only=flagged))
    if found.wrong:
        raise typer.Exit(1)


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
