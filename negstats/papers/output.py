"""The findings as files: CSV with whole numbers, Markdown and LaTeX tables, a Word table, and one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from negstats import papers
from negstats.files import write_whole
from negstats.pages import page_template
from negstats.papers.ledger import PAPERS
from negstats.papers.verdict import Finding, Verdict
from negstats.report.tables import write_table

TITLE = "Printed numbers, recomputed"

# Dark text colours for a light ground, apart in hue and in lightness; the word always stands with them.
COLOURS = {
    Verdict.REPRODUCED: "#00543f",
    Verdict.CONSISTENT: "#0b5a8f",
    Verdict.CUT: "#3f5a12",
    Verdict.DEFINITION: "#6b5200",
    Verdict.DESCRIPTION: "#5b3f8c",
    Verdict.DIFFERS: "#9a4a00",
    Verdict.CONTRADICTS: "#8a1253",
    Verdict.NOT_CHECKABLE: "#5a5a5a",
}
MEANINGS = {
    Verdict.REPRODUCED: "raw data, or the rules of its game, give it",
    Verdict.CONSISTENT: "possible, given the rounding of the printed numbers it was recomputed from",
    Verdict.CUT: "possible, had its further decimals not been cut off instead of rounded",
    Verdict.DEFINITION: "no definition that was tried gives it; one that needs what is not printed may",
    Verdict.DESCRIPTION: "the numbers agree with each other, and are those of something else than the paper says",
    Verdict.DIFFERS: "the data or the paper's other numbers give another value",
    Verdict.CONTRADICTS: "what the paper prints elsewhere excludes it",
    Verdict.NOT_CHECKABLE: "what it needs is not printed, or the data are not there",
}


def write(findings: Sequence[Finding], folder: str | Path) -> list[Path]:
    """Write the findings to a folder; return the files.

    ``findings.csv`` has every number whole; ``findings.md``, ``findings.tex`` and ``findings.docx`` the same as people
    read it; ``verdicts.csv`` the count of verdicts; ``findings.html`` is a page that needs nothing else.

    Raises
    ------
    UsageError
        If a file cannot be written.
    """
    folder = Path(folder)
    text = papers.to_table(findings)
    files = [
        write_table(papers.to_frame(findings), folder / "findings.csv"),
        write_table(papers.counted(findings), folder / "verdicts.csv"),
        *(write_table(text, folder / f"findings{ending}", caption=TITLE) for ending in (".md", ".tex", ".docx")),
    ]
    page = folder / "findings.html"
    write_whole(page, html_page(findings))
    return [*files, page]


def html_page(findings: Sequence[Finding]) -> str:
    """Return one HTML page with the count of verdicts and a table a paper; all text is escaped."""
    groups = {name: [finding for finding in findings if finding.paper == name] for name in PAPERS}
    counts = papers.counted(findings)
    return page_template("negstats.papers", "page.html.jinja").render(
        title=TITLE,
        groups={name: group for name, group in groups.items() if group},
        columns=list(counts.columns),
        counts=counts.to_numpy().tolist(),
        verdicts=[(verdict.value, verdict.name.lower(), COLOURS[verdict], MEANINGS[verdict]) for verdict in Verdict],
    )
