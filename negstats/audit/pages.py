"""What an audit of papers found, written to a folder: tables, JSON, a page that sums up, and a page for each paper."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd

from negstats.audit.beyond_p import FLAGGED_GRADES
from negstats.audit.folder import Paper
from negstats.audit.reading import clean
from negstats.audit.readings import Verdict
from negstats.audit.shapes import audit_json, totals_of
from negstats.files import written_whole
from negstats.sanitize import csv_frame, json_text, text

if TYPE_CHECKING:
    import jinja2

PAGES = "papers"  # the folder of the papers' own pages
OURS = '<meta name="generator" content="negstats audit">'  # a page without it is somebody else's
VERDICTS: tuple[str, ...] = get_args(Verdict)


def write_papers(papers: Sequence[Paper], out: Path, *, decisions_only: bool = False) -> list[Path]:
    """Write the results: tables as CSV, all as JSON, a page with each flag in its sentence, and a page for each paper.

    A page of an earlier run whose paper is no longer there is removed; files that are not ours stay.

    Parameters
    ----------
    papers
        The audited papers.
    out
        The folder to write to.
    decisions_only
        Flag only results whose decision changes, not each p that differs.

    Returns
    -------
    list[Path]
        The files that were written.

    Raises
    ------
    UsageError
        If a file cannot be written.
    """
    (out / PAGES).mkdir(parents=True, exist_ok=True)
    papers = sorted(papers, key=_urgency)
    tables = {
        "results.csv": pd.DataFrame([row for paper in papers for row in paper.results]),
        "further.csv": pd.DataFrame([row for paper in papers for row in paper.further]),
        "papers.csv": _count_verdicts(papers),
        "facts.csv": pd.DataFrame(
            [
                {"file": paper.source, **row, "places": " ".join(map(str, row["places"]))}
                for paper in papers
                for row in paper.facts
            ]
        ),
    }
    paths = []
    for name, frame in tables.items():
        with written_whole(out / name) as fresh:
            csv_frame(frame).to_csv(fresh, index=False)
        paths.append(out / name)
    pages = {
        "audit.json": json_text(json.dumps(audit_json(papers), ensure_ascii=False, separators=(",", ":"))),
        "index.html": page_of(papers, decisions_only=decisions_only),
    }
    links = _links(papers)
    pages |= {link: page_of_paper(paper) for paper, link in zip(papers, links, strict=True) if link}
    for name, whole in pages.items():
        with written_whole(out / name) as fresh:
            fresh.write_text(whole, encoding="utf-8")
        paths.append(out / name)
    for old in (out / PAGES).glob("*.html"):
        if f"{PAGES}/{old.name}" not in links and OURS in old.read_text("utf-8", "replace")[:2000]:
            old.unlink()
    return paths


def _links(papers: Sequence[Paper]) -> list[str]:
    """Return of each paper the path of its page below the folder; empty for one that could not be read."""
    names = [re.sub(r"[^A-Za-z0-9.-]+", "-", Path(paper.source).name)[:60].strip("-.") or "paper" for paper in papers]
    return [
        "" if paper.error else f"{PAGES}/{place:04d}-{name}.html"
        for place, (paper, name) in enumerate(zip(papers, names, strict=True), 1)
    ]


def _count_verdicts(papers: Sequence[Paper]) -> pd.DataFrame:
    rows = []
    for paper in papers:
        verdicts = pd.Series([row["verdict"] for row in paper.results], dtype=str).value_counts()
        n_doubts = sum(row["grade"] in FLAGGED_GRADES for row in paper.further)
        numbers = {name: int(verdicts.get(name, 0)) for name in VERDICTS}
        rows.append(
            {"file": paper.source, "results": len(paper.results), **numbers, "beside": n_doubts, "error": paper.error}
        )
    return pd.DataFrame(rows, columns=["file", "results", *VERDICTS, "beside", "error"])


def _urgency(paper: Paper) -> tuple[object, ...]:
    """Return what papers are sorted by: those with most to look at first, those that could not be read last."""
    return bool(paper.error), *(-weight for weight in paper.weight), paper.source


def page_of(papers: Sequence[Paper], *, decisions_only: bool = False) -> str:
    """Return the page that sums up: totals, the papers with their counts, then each flag in its sentence.

    Papers with most to look at come first.
    """
    papers = sorted(papers, key=_urgency)
    links = _links(papers)
    flagged = [
        (paper, link, [{**row, "parts": _parts(row)} for row in flagged_rows])
        for paper, link in zip(papers, links, strict=True)
        if (flagged_rows := paper.flagged(decisions_only=decisions_only))
    ]
    counts = _count_verdicts(papers)
    rows = list(zip(links, counts.itertuples(index=False, name=None), strict=True))
    return _draw(
        "page",
        papers=papers,
        flagged=flagged,
        columns=list(counts.columns[:-1]),
        rows=rows,
        totals={name.replace("_", " "): count for name, count in totals_of(papers).items()},
        facts=_facts(papers),
        sums=["all papers", *(int(counts[name].sum()) for name in counts.columns[1:-1])],
    )


def _facts(papers: Sequence[Paper]) -> list[tuple[str, int, int]]:
    """Return of each fact in how many papers it is, and how often in all."""
    names = dict.fromkeys(str(row["fact"]) for paper in papers for row in paper.facts)
    counts = {
        name: [int(row["count"]) for paper in papers for row in paper.facts if row["fact"] == name] for name in names
    }
    return [(name, sum(count > 0 for count in each), sum(each)) for name, each in counts.items()]


def page_of_paper(paper: Paper) -> str:
    """Return the page of one paper: each flag in its sentence, what fits under a condition, and all its results."""
    flagged = [{**row, "parts": _parts(row)} for row in paper.flagged()]
    conditions = [row for row in paper.further if row["grade"] == "fits only if"]
    conditions += [{**row, "what": "p"} for row in paper.results if row["verdict"] == "consistent if corrected"]
    results = [row for row in paper.results if row["type"] != "p"]
    return _draw(
        "paper",
        paper=paper,
        flagged=flagged,
        conditions=sorted(conditions, key=lambda row: int(row["place"])),
        results=results,
        alone=len(paper.results) - len(results),
    )


def _draw(name: str, **values: Any) -> str:
    style = files("negstats.audit").joinpath("page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return text(_template(name).render(style=style, policy=policy, ours=OURS, **values))


@cache
def _template(name: str) -> jinja2.Template:
    import jinja2

    source = files("negstats.audit").joinpath(f"{name}.html.jinja").read_text("utf-8")
    return jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(source)


def _parts(row: dict[str, Any]) -> tuple[str, str, str]:
    """Return a sentence in three parts: before the result, the result, behind it."""
    sentence = str(row["sentence"])
    for raw in (str(row["raw"]), clean(str(row["raw"])).text.strip()):
        text_before, result_text, text_behind = sentence.partition(raw)
        if result_text:
            return text_before, result_text, text_behind
    return sentence, "", ""
