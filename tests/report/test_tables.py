"""Tables in each form: every cell is there, escaped, and numbers are shown as asked."""

from __future__ import annotations

import csv
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import UsageError
from negstats.report.tables import to_html, to_latex, to_markdown, write_table
from negstats.sanitize import line

TABLE = pd.DataFrame(
    {"who": ["CS-A & co_1", "50 % <b>", None], "mean": [403.3333, float("nan"), 0.000123456], "n": [47, 4, 12345]}
)


class Cells(HTMLParser):
    """The text of each cell, as a browser would show it."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in ("td", "th"):
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.texts and data != "\n":
            self.texts[-1] += data


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=20), min_size=1, max_size=5))
def test_a_browser_shows_what_was_written(texts: list[str]) -> None:
    reader = Cells()
    reader.feed(to_html(pd.DataFrame({"text": texts})))
    assert reader.texts == ["text", *map(line, texts)]


def test_html_marks_numbers_and_escapes_the_caption() -> None:
    text = to_html(TABLE, caption="a < b")
    assert "<caption>a &lt; b</caption>" in text
    assert '<td class="number">403.3</td>' in text
    assert "<b>" not in text


def test_markdown_keeps_rows_on_one_line() -> None:
    text = to_markdown(pd.DataFrame({"a": ["x | y\nz", "*b*"]}))
    assert text.splitlines() == ["| a |", "|:--|", r"| x \| y z |", r"| \*b\* |"]


def test_latex_escapes_each_special_letter() -> None:
    text = to_latex(pd.DataFrame({"a": [r"\ & % $ # _ { } ~ ^"]}))
    escaped = r"\textbackslash{} \& \% \$ \# \_ \{ \} \textasciitilde{} \textasciicircum{} \\"
    assert escaped in text
    assert text.count(r"\toprule") == text.count(r"\midrule") == text.count(r"\bottomrule") == 1


@pytest.mark.parametrize("rows", [1, 40])
def test_latex_takes_no_cell_for_an_option(rows: int) -> None:
    text = to_latex(pd.DataFrame({"a": ["[2, 3]", "* p < .05"] * rows}))
    # behind a line break or rule, [2, 3] would be a length and * the starred form
    assert not [line for line in text.splitlines() if line.startswith(("[", "*"))]
    assert text.count("{}[2, 3]") == text.count("{}* p < .05") == rows


def test_a_long_latex_table_breaks_over_pages() -> None:
    frame = pd.DataFrame({"a": ["x"] * 40, "n": range(40)})
    text = to_latex(frame, caption="50 %")
    assert r"\begin{longtable}{p{0.90\linewidth}r}" in text
    assert r"\caption{50 \%} \\" in text
    assert r"\begin{tabular}" not in text
    assert r"\begin{table}" in to_latex(frame.head(39), caption="50 %")


def test_numbers_are_shown_with_the_digits_asked() -> None:
    assert "| 403.3333 |" in to_markdown(TABLE, digits=7)
    assert "| 0.0001235 |" in to_markdown(TABLE)
    assert "| 12345 |" in to_markdown(TABLE)
    assert "nan" not in to_markdown(TABLE).lower()
    assert "| 123457 |" in to_markdown(pd.DataFrame({"a": [123456.7]}))


def test_csv_is_not_rounded(tmp_path: Path) -> None:
    path = write_table(TABLE, tmp_path / "table.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["mean"] for row in rows] == ["403.3333", "", "0.000123456"]


def test_word_holds_every_cell(tmp_path: Path) -> None:
    path = write_table(TABLE, tmp_path / "table.docx", caption="Scores")
    document = Document(str(path))
    assert document.paragraphs[0].text == "Scores"
    cells = [[cell.text for cell in row.cells] for row in document.tables[0].rows]
    assert cells == [
        ["who", "mean", "n"], ["CS-A & co_1", "403.3", "47"], ["50 % <b>", "", "4"], ["", "0.0001235", "12345"],
    ]  # fmt: skip


@pytest.mark.parametrize("ending", [".md", ".html", ".tex", ".docx", ".csv"])
@pytest.mark.parametrize("rows", [0, 1])
def test_every_ending_takes_small_tables(tmp_path: Path, ending: str, rows: int) -> None:
    path = write_table(TABLE.head(rows), tmp_path / f"table{ending}")
    assert path.stat().st_size > 0


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'\.xlsx'; a table is written as \.csv, \.md, \.html, \.tex, \.docx"):
        write_table(TABLE, tmp_path / "table.xlsx")
    assert list(tmp_path.iterdir()) == []


def columns_of(frame: pd.DataFrame) -> str:
    """Return the columns that a LaTeX table declares."""
    first = next(row for row in to_latex(frame).splitlines() if r"\begin{" in row)
    return first.partition("}{")[2].removesuffix("}")


def test_texts_of_a_table_over_pages_share_nine_tenths_of_the_line() -> None:
    frame = pd.DataFrame({"a": ["x"] * 40, "b": ["y"] * 40, "c": ["z"] * 40, "n": range(40)})
    assert columns_of(frame) == r"p{0.30\linewidth}p{0.30\linewidth}p{0.30\linewidth}r"
    assert columns_of(frame.head(39)) == "lllr"
    assert columns_of(frame[["n"]]) == "r"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (9999.5, "10000"),
        (9999.6, "10000"),
        (9999.4, "9999"),
        (10000.4, "10000"),
        (-12345.6, "-12346"),
        (0.5, "0.5"),
        (7.0, "7"),
        (1234.56, "1235"),
    ],
)
def test_numbers_of_more_digits_than_asked_lose_only_what_is_behind_the_point(value: float, shown: str) -> None:
    assert to_markdown(pd.DataFrame({"a": [value, 0.25]})).splitlines()[2] == f"| {shown} |"


def test_what_is_missing_is_an_empty_cell() -> None:
    frame = pd.DataFrame({"a": pd.Series([None, pd.NA, float("nan"), "x"], dtype=object)})
    assert to_markdown(frame).splitlines()[2:] == ["|  |", "|  |", "|  |", "| x |"]


def test_truth_values_are_words_and_numbers_stand_to_the_right() -> None:
    frame = pd.DataFrame({"ok": [True, False], "n": [1, 2], "x": [0.5, 1.5], "t": ["a", "b"]})
    assert to_markdown(frame).splitlines()[1:3] == ["|:--|--:|--:|:--|", "| True | 1 | 0.5 | a |"]
    assert columns_of(frame) == "lrrl"


def test_numbers_stand_to_the_right_in_word_and_text_does_not(tmp_path: Path) -> None:
    path = write_table(TABLE, tmp_path / "table.docx")
    document = Document(str(path))
    assert document.paragraphs == []  # no caption, no paragraph
    alignments = [[cell.paragraphs[0].alignment for cell in row.cells] for row in document.tables[0].rows]
    assert all(row[0] is None and row[1] == row[2] == 2 for row in alignments)


def test_a_caption_that_would_begin_a_heading_or_list_is_text() -> None:
    for caption, shown in (
        ("# 1", r"\# 1"),
        ("1. H", r"1\. H"),
        ("> a", r"\> a"),
        ("- b", r"\- b"),
        ("Table", "Table"),
    ):
        assert to_markdown(TABLE, caption=caption).splitlines()[:2] == [shown, ""]
