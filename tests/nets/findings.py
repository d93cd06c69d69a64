"""Every finding on what the papers print: its verdict, what was recomputed with its range, and the reason."""

from __future__ import annotations

from collections.abc import Mapping

from negstats import papers
from negstats.papers.verdict import Finding
from tests.conftest import DATA, DataFolder

# paper: the folder of NEGSTATS_DATA that it needs, or none
FINDINGS: Mapping[str, str] = dict.fromkeys(papers.PAPERS, "") | {
    "casino2021": "casino", "lewis2017": "dealornodeal", "solvercl2025": "solver_cl",
}  # fmt: skip


def findings_text(paper: str) -> str:
    """Return the findings on that paper."""
    if FINDINGS[paper]:
        DataFolder(DATA)(FINDINGS[paper])
    return "\n".join(line for finding in papers.reproduce([paper], data=DATA) for line in _lines(finding)) + "\n"


def _lines(finding: Finding) -> list[str]:
    checks = [f"  {one.name} = {one.value:.6g} ({one.low:.6g} to {one.high:.6g})" for one in finding.checks]
    return [f"{finding.id}: {finding.printed}: {finding.verdict.value}", *checks, f"  {finding.why}"]
