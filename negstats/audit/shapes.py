"""What an audit found, as other programs read it: one JSON for a paper and for many, and the columns of statcheck.

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
from negstats.audit.folder import Paper
from negstats.sanitize import csv_frame

__all__ = ["SCHEMA", "audit_json", "statcheck_csv", "statcheck_frame", "totals_of"]

SCHEMA = "negstats.audit/1"
NUMBERS = ("df1", "df2", "n", "value", "p")
OF_RESULT = ("place", "type", "df1", "df2", "n", "relation", "value", "p_relation", "p", "verdict")
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

    Parameters
    ----------
    papers
        As `audit_papers` returns them.
    flagged, decisions_only
        Whether only what does not fit is listed, and of that only what changes a decision.

    Examples
    --------
    >>> found = audit_json([Paper("a.md", "", error="a.md: is empty")])
    >>> sorted(found), found["papers"]
    (['papers', 'schema', 'totals'], [{'file': 'a.md', 'error': 'a.md: is empty'}])
    """
    return {
        "schema": SCHEMA,
        "totals": totals_of(papers),
        "papers": [
            _of_paper(paper, flagged=flagged or decisions_only, decisions_only=decisions_only) for paper in papers
        ],
    }


def _of_paper(paper: Paper, *, flagged: bool, decisions_only: bool) -> dict[str, Any]:
    if paper.error:
        return {"file": paper.source, "error": paper.error}
    keep = {id(row) for row in paper.wrong(decisions_only=decisions_only)}
    return {
        "file": paper.source,
        "unit": paper.unit,
        "results": [
            _of_result(row, sentence=flagged)
            for row in paper.results
            if row["type"] != "p" and (not flagged or id(row) in keep)
        ],
        "beside": [
            _of_judgement(row, sentence=flagged)
            for row in paper.further
            if (id(row) in keep if flagged else row["grade"] not in ("fits", "cannot be checked"))
        ],
        "reporting": [{key: value for key, value in row.items() if value not in ("", [])} for row in paper.facts],
    }


def _of_result(row: dict[str, Any], *, sentence: bool) -> dict[str, Any]:
    said = {name: row[name] for name in OF_RESULT}
    said |= {name: int(said[name]) for name in NUMBERS if _whole(said[name])}
    for name in ("relation", "p_relation"):
        if said[name] == "=":
            del said[name]
    if row["verdict"] != "consistent":
        said |= {name: float(f"{row[name]:.{DIGITS}g}") for name in ("p_low", "p_high") if row[name] == row[name]}
        said |= {"why": row["why"], "raw": row["raw"]}
    if row["flagged"]:
        said |= {"flagged": True} | ({"sentence": row["sentence"]} if sentence else {})
    return {name: value for name, value in said.items() if value == value and value not in ("", None)}


def _of_judgement(row: dict[str, Any], *, sentence: bool) -> dict[str, Any]:
    wrong = row["grade"] in FLAGGED_GRADES
    said = {name: row[name] for name in ("place", "what", "grade", "why", "raw")}
    if wrong:
        said |= {"flagged": True} | ({"sentence": row["sentence"]} if sentence else {})
    return said


def _whole(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value) and value.is_integer()


def statcheck_frame(papers: Sequence[Paper]) -> pd.DataFrame:
    """Return the results in the columns of statcheck's data frame, for those who have scripts for it.

    Results that statcheck has no name for (U, τ, H), those without a recomputed p, and p that stand alone are left out.
    ``computed_p`` is the middle of the recomputed range; ``error`` and ``decision_error`` are of this audit's rules.

    Examples
    --------
    >>> from negstats.audit import audit_text
    >>> found = audit_text("They differed, t(28) = 2.20, p = .360.")
    >>> paper = Paper("text", "", tuple(found.rows()))
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
