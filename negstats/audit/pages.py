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

from negstats.audit.checking import Verdict
from negstats.audit.folder import Paper
from negstats.audit.further import FLAGGED_GRADES
from negstats.audit.reading import clean
from negstats.files import written_whole
from negstats.plain import csv_frame, json_text, text

if TYPE_CHECKING:
    import jinja2

__all__ = ["page_of", "page_of_paper", "write_papers"]

PAGES = "papers"  # the folder of the papers' own pages
OURS = '<meta name="generator" content="negstats audit">'  # a page without it is somebody else's
VERDICTS: tuple[str, ...] = get_args(Verdict)


def write_papers(papers: Sequence[Paper], out: Path, *, decisions_only: bool = False) -> list[Path]:
    """Write what was found: tables as CSV, all as JSON, a page with each flag in its sentence, and a page a paper.

    A page of an earlier run whose paper is no longer there is removed; files that are not ours stay.

    Raises
    ------
    UsageError
        If a file cannot be written.
    """
    (out / PAGES).mkdir(parents=True, exist_ok=True)
    tables = {
        "results.csv": pd.DataFrame([row for paper in papers for row in paper.results]),
        "further.csv": pd.DataFrame([row for paper in papers for row in paper.further]),
        "papers.csv": _counted(papers),
    }
    written = []
    for name, frame in tables.items():
        with written_whole(out / name) as fresh:
            csv_frame(frame).to_csv(fresh, index=False)
        written.append(out / name)
    told = [{"file": one.source, "error": one.error, "results": one.results, "further": one.further} for one in papers]
    pages = {
        "audit.json": json_text(json.dumps(_plain(told), ensure_ascii=False, indent=1, allow_nan=False)),
        "index.html": page_of(papers, decisions_only=decisions_only),
    }
    links = _links(papers)
    pages |= {link: page_of_paper(paper) for paper, link in zip(papers, links, strict=True) if link}
    for name, whole in pages.items():
        with written_whole(out / name) as fresh:
            fresh.write_text(whole, encoding="utf-8")
        written.append(out / name)
    for old in (out / PAGES).glob("*.html"):
        if f"{PAGES}/{old.name}" not in links and OURS in old.read_text("utf-8", "replace")[:2000]:
            old.unlink()
    return written


def _links(papers: Sequence[Paper]) -> list[str]:
    """Return of each paper the path of its page below the folder; empty for one that could not be read."""
    names = [re.sub(r"[^A-Za-z0-9.-]+", "-", Path(paper.source).name)[:60].strip("-.") or "paper" for paper in papers]
    return [
        "" if paper.error else f"{PAGES}/{place:04d}-{name}.html"
        for place, (paper, name) in enumerate(zip(papers, names, strict=True), 1)
    ]


def _counted(papers: Sequence[Paper]) -> pd.DataFrame:
    rows = []
    for paper in papers:
        verdicts = pd.Series([row["verdict"] for row in paper.results], dtype=str).value_counts()
        beside = sum(row["grade"] in FLAGGED_GRADES for row in paper.further)
        numbers = {name: int(verdicts.get(name, 0)) for name in VERDICTS}
        rows.append(
            {"file": paper.source, "results": len(paper.results), **numbers, "beside": beside, "error": paper.error}
        )
    return pd.DataFrame(rows, columns=["file", "results", *VERDICTS, "beside", "error"])


def _plain(value: Any) -> Any:
    """Return rows as JSON can say them: what is missing is null."""
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return None if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))) else value


def page_of(papers: Sequence[Paper], *, decisions_only: bool = False) -> str:
    """Return the page that sums up: the papers with their counts, then each flag in its sentence."""
    links = _links(papers)
    flagged = [
        (paper, link, [{**row, "parts": _parts(row)} for row in found])
        for paper, link in zip(papers, links, strict=True)
        if (found := paper.flagged(decisions_only=decisions_only))
    ]
    counts = _counted(papers)
    rows = list(zip(links, counts.itertuples(index=False, name=None), strict=True))
    return _drawn("page", papers=papers, flagged=flagged, columns=list(counts.columns[:-1]), rows=rows)


def page_of_paper(paper: Paper) -> str:
    """Return the page of one paper: each flag in its sentence, what fits under a condition, and all its results."""
    flagged = [{**row, "parts": _parts(row)} for row in paper.flagged()]
    conditions = [row for row in paper.further if row["grade"] == "fits only if"]
    conditions += [{**row, "what": "p"} for row in paper.results if row["verdict"] == "consistent if corrected"]
    results = [row for row in paper.results if row["type"] != "p"]
    return _drawn(
        "paper",
        paper=paper,
        flagged=flagged,
        conditions=sorted(conditions, key=lambda row: int(row["place"])),
        results=results,
        alone=len(paper.results) - len(results),
    )


def _drawn(name: str, **values: Any) -> str:
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
        before, said, behind = sentence.partition(raw)
        if said:
            return before, said, behind
    return sentence, "", ""
