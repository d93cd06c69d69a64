"""What the reports of the plans in `tests/report/plans` say: paragraphs and tables, but for versions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import negstats
from negstats.analysis import Report, run
from negstats.analysis.plan.parse import read
from negstats.report.apa_table import Table
from negstats.report.blocks import Figure
from negstats.report.results_section import words_of
from negstats.report.sentences import Question, paragraph
from tests.conftest import DATA, ROOT, DataFolder
from tests.nets.versions import without_versions

PLANS = ROOT / "tests" / "report" / "plans"
# plan: a study that ships, or a folder of NEGSTATS_DATA
REPORTS: Mapping[str, str] = {
    "robot": "datasets/robot/study",
    "casino": "datasets/casino/study",
    "casino_pairs": "datasets/casino/study",
    "casino_predictors": "datasets/casino/study",
    "talk": "dealornodeal",
}


@cache
def report_of(name: str) -> Report:
    """Return the report of that plan."""
    place = REPORTS[name]
    folder = ROOT / place if "/" in place else DataFolder(DATA)(place)
    return run(read(PLANS / f"{name}.toml"), negstats.load(folder))


def report_text(name: str) -> str:
    """Return the headings, paragraphs and tables of the report of that plan, and the sentences of each answer alone."""
    report = report_of(name)
    words = words_of(report)
    lines: list[str] = []
    for block in words.blocks:
        if isinstance(block, Table):
            lines += [f"Table {words.numbers[block.key]}", " | ".join(str(column.name) for column in block.columns)]
            lines += [" | ".join(map(str, row)) for row in block.rows]
            lines.append(str(block.note))
        elif not isinstance(block, Figure):
            lines.append(str(block.text))
    for place, question in enumerate(report.answers):
        lines.append(f"{question}: {paragraph(Question(report.results, place, report.plan))}")
    return without_versions("\n".join(line.replace("\u00a0", " ") for line in lines)) + "\n"
