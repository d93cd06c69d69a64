"""Small Solver-CL logs for the tests: the rows of a sheet, written as a workbook."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from openpyxl import Workbook

HEADER = ["", "Bidder", "Agent Utility", "Human Utility", "Offer", "Scaled Time", "Agent Emotion", "Sentences"]
ROWS: list[list[object]] = [
    [0, "Human", 0.4, 0.9, "{'season': 'summer', 'nights': 3}", 0.1, None, "in summer"],
    [1, "Agent", 0.8, 0.5, "{'season': 'winter', 'nights': '2'}", 0.2, "Content", None],
    [2, "Human", 0.7, 0.6, "{'season': 'spring', 'nights': 2}", 0.3, None, None],
]
TABLE = "Subject_ID,Session_ID,Condition,Agent_Utility,Human_Utility\n"


def write_log(
    folder: Path,
    subject: str = "S001",
    session: str = "Session_1",
    rows: Sequence[Sequence[object]] = ROWS,
    header: Sequence[str] = HEADER,
) -> Path:
    """Write one workbook below ``folder/raw_logs`` and return its path."""
    file = folder / "raw_logs" / session / f"negotiation_logs_{subject}_{session}.xlsx"
    file.parent.mkdir(parents=True, exist_ok=True)
    book = Workbook()
    page = book.active
    assert page is not None
    page.append(list(header))
    for row in rows:
        page.append(list(row))
    book.save(file)
    return file


def write_table(folder: Path, rows: str) -> Path:
    """Write the subject table below ``folder/final_dataset``."""
    file = folder / "final_dataset" / "experiment_subject_data.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(TABLE + rows, encoding="utf-8")
    return file
