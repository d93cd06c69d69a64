"""The findings of an audit written down: JSON, tables, pages for one paper or many, and the columns of statcheck.

JSON holds each test once, without what is empty or follows from the rest: a result that fits says no more than its
numbers, and sentences stand where only what is flagged is asked for (they are in the tables and pages too).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd

from negstats.audit.beyond_p import FLAGGED_GRADES
from negstats.audit.beyond_p.judgement import RIGHT_IF
from negstats.audit.beyond_p.slips import WOULD
from negstats.audit.check_p import FLAGGED
from negstats.audit.folder import DECISION, Paper
from negstats.audit.reading import clean
from negstats.audit.readings import Verdict
from negstats.files import write_whole, written_whole
from negstats.pages import page_template, source_hash
from negstats.sanitize import csv_frame, json_text, text

if TYPE_CHECKING:
    import jinja2

SCHEMA = "negstats.audit/2"
NUMBERS = ("df1", "df2", "n", "value", "p")
OF_RESULT = ("place", "type", "df1", "df2", "n", "relation", "value", "p_relation", "p")
OF_DOUBT = ("result", "verdict", "flagged", "p_low", "p_high", "why")
DIGITS = 3  # of a recomputed p
STATCHECK = {"t": "t", "F": "F", "χ²": "Chi2", "r": "r", "z": "Z", "Q": "Q", "G²": "Chi2"}


def totals_of(papers: Sequence[Paper]) -> dict[str, int]:
    """Return how many papers, results and flags there are, each verdict counted."""
    verdicts = Counter(str(row["verdict"]) for paper in papers for row in paper.results if row["type"] != "p")
    return {
        "papers": len(papers),
        "not_read": sum(bool(paper.error) for paper in papers),
        "results": sum(verdicts.values()),
        "p_without_a_statistic": sum(row["type"] == "p" for paper in papers for row in paper.results),
        "flagged": sum(bool(row["flagged"]) for paper in papers for row in paper.results),
        "flagged_beside": sum(row["grade"] in FLAGGED_GRADES for paper in papers for row in paper.further),
        **dict(sorted(verdicts.items())),
    }


def audit_json(papers: Sequence[Paper], *, flagged: bool = False, decisions_only: bool = False) -> dict[str, Any]:
    """Return what was found as one object, the same for one paper and for many.

    ``results``, ``doubts`` and ``beside`` of a paper are tables, a list for each column that is not empty, as
    `pandas.DataFrame` takes them. A result with no row in ``doubts`` (whose ``result`` counts from 0) is consistent.
    A number in ``beside`` has the ``result`` that it stands beside, and its ``raw`` text where it is of none.

    Parameters
    ----------
    papers
        As `audit_papers` returns them.
    flagged, decisions_only
        Whether only what does not fit is listed, each with its sentence, and of that only what changes a decision.

    Examples
    --------
    >>> from negstats.audit import audit_text
    >>> paper = Paper("a.md", "", tuple(audit_text("So t(28) = 2.20, p = .036, and t(28) = 2.20, p = .360.").rows()))
    >>> outcome = audit_json([paper, Paper("b.md", "", error="b.md: is empty")])
    >>> sorted(outcome), outcome["papers"][1]
    (['papers', 'schema', 'totals'], {'file': 'b.md', 'error': 'b.md: is empty'})
    >>> outcome["papers"][0]["results"]["p"], outcome["papers"][0]["doubts"]["result"]
    ([0.036, 0.36], [1])
    """
    return {
        "schema": SCHEMA,
        "totals": totals_of(papers),
        "papers": [
            _describe_paper(paper, flagged=flagged or decisions_only, decisions_only=decisions_only) for paper in papers
        ],
    }


def _describe_paper(paper: Paper, *, flagged: bool, decisions_only: bool) -> dict[str, Any]:
    if paper.error:
        return {"file": paper.source, "error": paper.error}
    kept_ids = {id(row) for row in paper.wrong(decisions_only=decisions_only)}
    results = [row for row in paper.results if row["type"] != "p" and (not flagged or id(row) in kept_ids)]
    further_rows = [
        row
        for row in paper.further
        if (id(row) in kept_ids if flagged else row["grade"] not in ("fits", "cannot be checked"))
    ]
    quotation_keys = ("raw", "sentence") if flagged else ()
    doubts = [
        {**row, "result": index, "why": _reason(row)}
        for index, row in enumerate(results)
        if row["verdict"] != "consistent"
    ]
    place_of = {} if flagged else {(row["place"], row["raw"]): index for index, row in enumerate(results)}
    rows_with_result = [(row, place_of.get((row["place"], row["raw"]))) for row in further_rows]
    judgement_rows = [
        {
            **row,
            "flagged": row["grade"] in FLAGGED_GRADES,
            "why": _in_few_words(row["why"]),
            "result": result,
            "raw": row["raw"] if result is None else None,
        }
        for row, result in rows_with_result
    ]
    judgement_keys = ("place", "what", "grade", "flagged", "why", "result", *(quotation_keys or ("raw",)))
    return {
        "file": paper.source,
        "unit": paper.unit,
        "results": _columns(results, OF_RESULT),
        "doubts": _columns(doubts, (*OF_DOUBT, *quotation_keys)),
        "beside": _columns(judgement_rows, judgement_keys),
        "reporting": [{key: value for key, value in row.items() if value not in ("", [])} for row in paper.facts],
    }


def _columns(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Return a table as a list for each column that is not empty; the first two are always there."""
    columns = {name: [_cell(name, row[name]) for row in rows] for name in names}
    return {
        name: cells for name, cells in columns.items() if name in names[:2] or any(cell is not None for cell in cells)
    }


def _cell(name: str, value: Any) -> Any:
    """Return a cell as JSON has it: None for nothing, whole numbers without decimals, few digits of a recomputed p."""
    if value == "" or value is None or value != value:
        return None
    if name in ("p_low", "p_high"):
        value = float(f"{value:.{DIGITS}g}")
    return int(value) if name in NUMBERS and _whole(value) else value


def _reason(row: dict[str, Any]) -> str:
    """Return why a result is in doubt, in few words: the recomputed and the printed p have columns of their own."""
    why = _in_few_words(str(row["why"]))
    first_clause, _, other_clauses = why.partition("; ")
    return other_clauses if " gives p " in first_clause and ", not p " in first_clause else why


def _in_few_words(why: str) -> str:
    """Return a reason without the words that each has: what would give a number, or be right."""
    return re.sub(rf",?(?:{WOULD}| would be right)", "", why).replace(RIGHT_IF, "; if ")


def _whole(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value) and value.is_integer()


def statcheck_frame(papers: Sequence[Paper]) -> pd.DataFrame:
    """Return the results in the columns of statcheck's data frame, for those who have scripts for it.

    Results that statcheck has no name for (U, τ, H), those without a recomputed p, and p that stand alone are left out.
    ``computed_p`` is the middle of the recomputed range; ``error`` and ``decision_error`` are of this audit's rules.

    Examples
    --------
    >>> from negstats.audit import audit_text
    >>> result = audit_text("They differed, t(28) = 2.20, p = .360.")
    >>> paper = Paper("text", "", tuple(result.rows()))
    >>> statcheck_frame([paper])[["test_type", "df2", "reported_p", "error", "decision_error"]].values.tolist()
    [['t', 28.0, 0.36, True, True]]
    """
    rows = []
    for paper in papers:
        for row in paper.results:
            if row["type"] not in STATCHECK or row["p_low"] != row["p_low"]:
                continue
            is_one = math.isnan(row["df2"]) and row["type"] in ("t", "r")
            dfs = (math.nan, row["df1"]) if is_one else (row["df1"], row["df2"])
            midpoint = (row["p_low"] + row["p_high"]) / 2
            printed_columns = (row["relation"], row["value"], row["p_relation"], row["p"], midpoint, row["raw"])
            flags = (row["verdict"] in FLAGGED, row["verdict"] == DECISION, "printed for one" in row["why"])
            rows.append((paper.source, STATCHECK[row["type"]], *dfs, *printed_columns, *flags, math.nan))
    columns = ["source", "test_type", "df1", "df2", "test_comp", "test_value", "p_comp", "reported_p", "computed_p"]
    columns += ["raw", "error", "decision_error", "one_tailed_in_txt", "apa_factor"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.attrs["schema"] = "Statcheck/1"
    return frame


def statcheck_csv(frame: pd.DataFrame) -> str:
    """Return a frame of `statcheck_frame` as CSV; its relations stand as they are, so that scripts can compare them."""
    safe = csv_frame(frame)
    for name in ("test_comp", "p_comp"):
        safe[name] = frame[name]
    return safe.to_csv(index=False).rstrip("\n")


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
        with written_whole(out / name) as new_file:
            csv_frame(frame).to_csv(new_file, index=False)
        paths.append(out / name)
    pages = {
        "audit.json": json_text(json.dumps(audit_json(papers), ensure_ascii=False, separators=(",", ":"))),
        "index.html": page_of(papers, decisions_only=decisions_only),
    }
    links = _links(papers)
    pages |= {link: page_of_paper(paper) for paper, link in zip(papers, links, strict=True) if link}
    for name, content in pages.items():
        write_whole(out / name, content)
        paths.append(out / name)
    for old_page in (out / PAGES).glob("*.html"):
        if f"{PAGES}/{old_page.name}" not in links and OURS in old_page.read_text("utf-8", "replace")[:2000]:
            old_page.unlink()
    return paths


def _links(papers: Sequence[Paper]) -> list[str]:
    """Return of each paper the path of its page below the folder; empty for one that could not be read."""
    names = [re.sub(r"[^A-Za-z0-9.-]+", "-", Path(paper.source).name)[:60].strip("-.") or "paper" for paper in papers]
    return [
        "" if paper.error else f"{PAGES}/{number:04d}-{name}.html"
        for number, (paper, name) in enumerate(zip(papers, names, strict=True), 1)
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
    return [
        (name, sum(count > 0 for count in paper_counts), sum(paper_counts)) for name, paper_counts in counts.items()
    ]


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
    policy = f"default-src 'none'; style-src {source_hash(style)}; base-uri 'none'; form-action 'none'"
    return text(_template(name).render(style=style, policy=policy, ours=OURS, **values))


@cache
def _template(name: str) -> jinja2.Template:
    return page_template("negstats.audit", f"{name}.html.jinja")


def _parts(row: dict[str, Any]) -> tuple[str, str, str]:
    """Return a sentence in three parts: before the result, the result, behind it."""
    sentence = str(row["sentence"])
    for raw in (str(row["raw"]), clean(str(row["raw"])).text.strip()):
        text_before, result_text, text_behind = sentence.partition(raw)
        if result_text:
            return text_before, result_text, text_behind
    return sentence, "", ""
