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


def said(text: str) -> list[tuple[str, str]]:
    return [(one.reported.sentence, one.verdict) for one in audit_text(text).results]


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


# R 4: summary(aov(weight ~ group, PlantGrowth)), anova(lm(...)) and summary(lm(weight ~ group, ctl and trt1))
ANOVA = """
            Df Sum Sq Mean Sq F value Pr(>F)
group        2  3.766  1.8832   4.846 0.0159 *
Residuals   27 10.492  0.3886
---
Signif. codes:  0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1
"""
COEFFICIENTS = """
Coefficients:
            Estimate Std. Error t value Pr(>|t|)
(Intercept)   5.0320     0.2202  22.850 9.55e-15 ***
groupTrt     -0.3710     0.3114  -1.191    0.249
"""


def test_what_r_prints() -> None:
    assert said(ANOVA) == [("group: F(2, 27) = 4.846, p = 0.0159", "consistent")]
    assert said(ANOVA.replace("0.0159 *", "0.1590  ")) == [("group: F(2, 27) = 4.846, p = 0.1590", "decision error")]
    assert said(COEFFICIENTS)[1] == ("groupTrt: b = -0.3710, SE = 0.3114, t = -1.191, p = 0.249", "not checkable")
    assert audit_text(COEFFICIENTS).further[0].grade == "fits"  # b / SE


@pytest.mark.parametrize(
    "text",
    [
        "We call it F and p here.\nThe first of 28 had 4.60 .041\nThe next had 4.60 .410",
        "t df p\nand then nothing\nof the kind\nhere\n1 28 .041",  # too far below
        "t df p\nreward 2.20 28\npartner 2.20 28",  # one value is missing
        "t df p\nreward 2.20 28 .036 4.4 5.5",  # two are too many
        "M SD p\nreward 2.20 1.10 .036",  # no statistic
        "| t | df | p\nreward 2.20 28 .36",
    ],
)
def test_what_is_no_table(text: str) -> None:
    assert said(text) == []


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
