"""The command for anyone's printed papers: audit."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from negstats.cli.shared import JsonOption, print_json, print_lines, print_table, print_text, tracked, write_csv
from negstats.sanitize import json_text

if TYPE_CHECKING:
    from negstats.audit.folder import Paper
    from negstats.audit.readings import Rules


RULES = "Rules of the check"  # a heading in the help


class Form(StrEnum):
    """Whose columns results are written in."""

    negstats = "negstats"
    statcheck = "statcheck"


def audit(
    papers: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Text, Markdown, LaTeX, HTML, JATS, TEI, Word, ODT or PDF; folders of them; - for standard input."
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Significance level for decision errors.", rich_help_panel=RULES)] = 0.05,
    flagged: Annotated[bool, typer.Option("--flagged", help="Print only results with a flag.")] = False,
    decision_errors: Annotated[
        bool,
        typer.Option("--decision-errors", help="Print only errors that change a decision at the level of --alpha."),
    ] = False,
    one_tailed: Annotated[
        bool,
        typer.Option("--one-tailed", help="Accept a p that fits one tail, declared or not.", rich_help_panel=RULES),
    ] = False,
    two_tailed: Annotated[
        bool, typer.Option("--two-tailed", help="Compare every p with two tails.", rich_help_panel=RULES)
    ] = False,
    p_zero_error: Annotated[
        bool, typer.Option("--p-zero-error", help="Count p = .000 as an error.", rich_help_panel=RULES)
    ] = False,
    p_equal_alpha: Annotated[
        bool,
        typer.Option(
            "--p-equal-alpha/--p-below-alpha",
            help="Whether p = .05 counts as significant at .05, or only p < .05.",
            rich_help_panel=RULES,
        ),
    ] = True,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the tables and for pages that mark each flag in the text.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of papers that are checked in parallel.")] = 1,
    csv: Annotated[Path | None, typer.Option(help="Write one row for each result as CSV.")] = None,
    against: Annotated[Path | None, typer.Option(help="Compare every number with this results.json.")] = None,
    grim: Annotated[
        Path | None, typer.Option(help="CSV of printed means (mean, n; optional sd, items, name) to test by GRIM.")
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="Which columns to print and write.")] = Form.negstats,
    as_json: JsonOption = False,
) -> None:
    """Recompute the p values in papers; list those that do not agree."""
    from negstats.errors import LogError, UsageError

    paper_files = papers or []
    if grim is not None:
        _grim(grim, csv=csv, as_json=as_json)
    elif not paper_files:
        raise UsageError("no paper is named; give files, folders or - for standard input")
    if not paper_files:
        return
    if against is not None:
        _audit_against(paper_files, against, alpha=alpha, flagged=flagged, csv=csv, as_json=as_json)
        return
    from negstats.audit.folder import audit_papers
    from negstats.audit.readings import Rules
    from negstats.audit.written_findings import write_papers

    rules = Rules(
        alpha, one_tailed=one_tailed, equal_is_significant=p_equal_alpha, two_tailed=two_tailed,
        zero_is_error=p_zero_error,
    )  # fmt: skip
    is_one_file = len(paper_files) == 1 and paper_files[0].is_file()
    if is_one_file and out is None and not (decision_errors or as_json or form != "negstats"):
        _audit_one(paper_files[0], rules, flagged=flagged, csv=csv)
        return
    cache = None if out is None else out / "texts"
    audited_papers = audit_papers(
        paper_files, rules, workers=workers, cache=cache, track=partial(tracked, doing="auditing")
    )
    if is_one_file and audited_papers[0].error:
        raise LogError(audited_papers[0].error)
    if form == "statcheck":
        _print_statcheck(audited_papers, csv=csv, as_json=as_json)
    else:
        _print_papers(audited_papers, flagged=flagged, decisions_only=decision_errors, csv=csv, as_json=as_json)
    if out is not None:
        files = write_papers(audited_papers, out, decisions_only=decision_errors)
        if not as_json:
            print_lines(f"written: {file}" for file in files)


def _grim(table: Path, *, csv: Path | None, as_json: bool) -> None:
    from negstats.audit.grim import check_means

    means = check_means(table)
    write_csv(means, csv)
    if as_json:
        print_json(means.to_dict("records"))
    else:
        print_table(means, f"{table}: {len(means)} printed means")


def _audit_one(file: Path, rules: Rules, *, flagged: bool, csv: Path | None) -> None:
    from negstats.audit.audits import audit_document
    from negstats.audit.reading import read

    audited = audit_document(read(file), rules)
    write_csv(audited.to_frame(), csv)
    print_text(audited.text(flagged_only=flagged))


def _print_statcheck(papers: Sequence[Paper], *, csv: Path | None, as_json: bool) -> None:
    """Print the results in the columns of statcheck: as CSV, where nothing else is asked for."""
    from negstats.audit.written_findings import statcheck_csv, statcheck_frame
    from negstats.files import write_whole

    frame = statcheck_frame(papers)
    if csv is not None:
        write_whole(csv, statcheck_csv(frame) + "\n")
    if as_json:
        print_json(frame.to_dict("records"))
    elif csv is None:
        print_text(statcheck_csv(frame))


def _print_papers(
    papers: Sequence[Paper], *, flagged: bool, decisions_only: bool, csv: Path | None, as_json: bool
) -> None:
    """Print a line a paper, and below it what is flagged; as JSON all papers in one object."""
    import pandas as pd

    write_csv(pd.DataFrame([row for paper in papers for row in paper.results]), csv)
    if as_json:
        import json

        from negstats.audit.written_findings import audit_json

        whole = audit_json(papers, flagged=flagged, decisions_only=decisions_only)
        print_text(json_text(json.dumps(whole, ensure_ascii=False, separators=(",", ":"), allow_nan=False)))
        return
    for paper in papers:
        print_lines([paper.summary])
        for row in paper.flagged(decisions_only=decisions_only):
            print_lines([f"  {row['place']}: {row['raw']}", f"    {row['judged']}: {row['why']}"])
    unread = sum(bool(paper.error) for paper in papers)
    results = sum(len(paper.results) for paper in papers)
    print_lines(
        [f"{len(papers)} papers, {results} results; {unread} {'paper' if unread == 1 else 'papers'} could not be read"]
    )


def _audit_against(
    files: Sequence[Path], results: Path, *, alpha: float, flagged: bool, csv: Path | None, as_json: bool
) -> None:
    """Print how a manuscript stands to computed results; exit code 1 if a number is wrong or a question is missing."""
    from negstats.audit import audit_against
    from negstats.errors import UsageError

    if len(files) > 1:
        raise UsageError(f"--against compares a single paper with its results, and {len(files)} are named")
    comparison = audit_against(files[0], results, alpha=alpha)
    write_csv(comparison.to_frame(), csv)
    if as_json:
        rows = comparison.to_frame().to_dict("records")
        print_json(
            [
                row
                for row, match in zip(rows, comparison.matches, strict=True)
                if match in comparison.wrong or not flagged
            ]
        )
    else:
        print_text(comparison.text(wrong_only=flagged))
    if comparison.wrong:
        raise typer.Exit(1)
