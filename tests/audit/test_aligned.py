"""Tables that only blanks make: of plain text, of R, and of the rows that a PDF leaves; and what is none."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_pdf import PdfPages

from negstats.audit import audit_file, audit_text
from negstats.audit.columns import aligned_grids
from negstats.audit.folder import audit_papers
from tests.audit.test_columns import TABLE, VERDICTS
from tests.effort import Effort


def lined(rows: list[list[str]], gap: str, *, pad: bool) -> str:
    wide = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        gap.join(cell.ljust(wide[place]) if pad else cell for place, cell in enumerate(row)).rstrip() for row in rows
    )


@pytest.mark.parametrize(("gap", "pad"), [("   ", True), ("\t", False), (" ", True), (" ", False)])
@pytest.mark.parametrize(
    "around", ["{}", "Table 1\n\n{}\nNote. p is of two tails.\n", "So it was.\n{}\n\nAnd so on, p = .5."]
)
def test_however_wide_the_blanks_are(gap: str, pad: bool, around: str) -> None:
    outcomes = audit_text(around.format(lined(TABLE, gap, pad=pad))).results
    results = [one for one in outcomes if one.reported.kind != "p"]
    assert [(one.reported.raw.replace(",28", ", 28"), one.verdict) for one in results] == VERDICTS
    assert results[1].reported.sentence.startswith("partner: ")


@given(st.text(alphabet="tFp df.0123,()<- \n", max_size=300))
def test_any_text_can_be_looked_through(text: str) -> None:
    for grid in aligned_grids(text):
        assert len({len(row.cells) for row in grid.rows}) == 1
        assert all(0 <= row.start < len(text) for row in grid.rows)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["t p ", " p\n", "F df p\n1 1 1\n", "F df p\n", "p " * 9 + "F\n", "<", "1 " * 60])
def test_time_is_linear(part: str) -> None:
    text = part * (100_000 // len(part))
    with Effort() as effort:
        aligned_grids(text)
    assert effort.millions < 30


@pytest.mark.slow
def test_a_table_in_a_pdf(tmp_path: Path) -> None:
    file = tmp_path / "paper.pdf"
    with PdfPages(file) as pages:
        for _ in range(2):
            page = plt.figure(figsize=(6, 8))
            page.text(0.1, 0.9, "Table 1. What differed between the two, and what did not.")
            for height, row in enumerate(TABLE):
                for place, cell in enumerate(row):
                    page.text(0.1 + 0.16 * place, 0.8 - 0.03 * height, cell.replace("<", r"<"))
            pages.savefig(page)
            plt.close(page)
    audit = audit_file(file)
    assert [(one.reported.raw.replace(",28", ", 28"), one.verdict) for one in audit.results] == VERDICTS * 2
    assert [one.reported.place for one in audit.results] == [1, 1, 1, 2, 2, 2]
    once, again = (audit_papers([file], cache=tmp_path / "texts")[0].results for _ in range(2))
    assert once == again
    assert len(once) == 6
