"""The findings of an audit for other programs: JSON, for one paper or many, and the columns of statcheck.

JSON holds each test once, without what is empty or follows from the rest: a result that fits says no more than its
numbers, and sentences stand where only what is flagged is asked for (they are in the tables and pages too).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from negstats.audit.beyond_p import FLAGGED_GRADES
from negstats.audit.beyond_p.slips import WOULD
from negstats.audit.folder import Paper
from negstats.sanitize import csv_frame

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
    keep = {id(row) for row in paper.wrong(decisions_only=decisions_only)}
    results = [row for row in paper.results if row["type"] != "p" and (not flagged or id(row) in keep)]
    further_rows = [
        row
        for row in paper.further
        if (id(row) in keep if flagged else row["grade"] not in ("fits", "cannot be checked"))
    ]
    quotation_keys = ("raw", "sentence") if flagged else ()
    doubts = [
        {**row, "result": place, "why": _reason(row)}
        for place, row in enumerate(results)
        if row["verdict"] != "consistent"
    ]
    judgement_rows = [
        {**row, "flagged": row["grade"] in FLAGGED_GRADES, "why": row["why"].replace(WOULD, "")} for row in further_rows
    ]
    return {
        "file": paper.source,
        "unit": paper.unit,
        "results": _columns(results, OF_RESULT),
        "doubts": _columns(doubts, (*OF_DOUBT, *quotation_keys)),
        "beside": _columns(judgement_rows, ("place", "what", "grade", "flagged", "why", *(quotation_keys or ("raw",)))),
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
    why = str(row["why"]).replace(WOULD, "")
    first, _, more = why.partition("; ")
    return more if " gives p " in first and ", not p " in first else why


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
            one = math.isnan(row["df2"])
            error = row["verdict"] in ("inconsistent", "decision error", "impossible", "consistent if one-tailed")
            rows.append(
                {
                    "source": paper.source,
                    "test_type": STATCHECK[row["type"]],
                    "df1": math.nan if one and row["type"] in ("t", "r") else row["df1"],
                    "df2": row["df1"] if one and row["type"] in ("t", "r") else row["df2"],
                    "test_comp": row["relation"],
                    "test_value": row["value"],
                    "p_comp": row["p_relation"],
                    "reported_p": row["p"],
                    "computed_p": (row["p_low"] + row["p_high"]) / 2,
                    "raw": row["raw"],
                    "error": error,
                    "decision_error": row["verdict"] == "decision error",
                    "one_tailed_in_txt": "printed for one" in row["why"],
                    "apa_factor": math.nan,
                }
            )
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
