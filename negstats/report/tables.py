"""A table in the form that a paper or page takes: Markdown, HTML, LaTeX (booktabs), Word, CSV.

`write_table` chooses by the file's ending. Numbers are shown with `digits` significant figures and missing ones as
nothing, but a CSV file holds them whole. Text is escaped for its form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import UsageError
from negstats.files import written_whole
from negstats.sanitize import csv_frame, line

DIGITS = 4
LONG = 40  # rows from which a LaTeX table may break over pages

MARKDOWN = re.compile(r"[\\|*_`<\[&~$]")
BLOCK = re.compile(r"^(\d*)([#>+=.)-])")  # what a line that begins a heading, quotation or list begins with
LATEX = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def write_table(frame: pd.DataFrame, path: str | Path, *, caption: str = "", digits: int = DIGITS) -> Path:
    """Write a table to a .csv, .md, .html, .tex or .docx file, whole or not at all.

    Parameters
    ----------
    frame
        The table; its index is not written.
    path
        The file; its ending says the form.
    caption
        What stands over the table; a CSV file has none.
    digits
        Significant figures of numbers that are not whole.

    Returns
    -------
    Path
        The path of the file.

    Raises
    ------
    UsageError
        If the ending is another, or the file cannot be written.
    """
    path = Path(path)
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path}: the ending is {path.suffix!r}; a table is written as {', '.join(FORMS)}")
    with written_whole(path) as new_file:
        form(frame, new_file, caption, digits)
    return path


def to_markdown(frame: pd.DataFrame, *, caption: str = "", digits: int = DIGITS) -> str:
    r"""Return a table as Markdown (the form that GitHub shows).

    Examples
    --------
    >>> print(to_markdown(pd.DataFrame({"who": ["a|b", None], "mean": [1.23456, 20]})), end="")
    | who | mean |
    |:--|--:|
    | a\|b | 1.235 |
    |  | 20 |
    """
    numeric = _numeric(frame)
    rows = [list(map(line, frame.columns)), *texts_of(frame, digits)]
    lines = [f"| {' | '.join(map(_markdown, row))} |" for row in rows]
    lines.insert(1, f"|{'|'.join('--:' if number else ':--' for number in numeric)}|")
    head = BLOCK.sub(r"\1\\\2", _markdown(caption)) + "\n\n" if caption else ""
    return head + "\n".join(lines) + "\n"


def to_html(frame: pd.DataFrame, *, caption: str = "", digits: int = DIGITS) -> str:
    """Return a table as an HTML fragment, text escaped, numbers in cells of the class ``number``.

    Examples
    --------
    >>> print(to_html(pd.DataFrame({"p": ["<.001"]})))
    <table>
    <thead><tr><th>p</th></tr></thead>
    <tbody>
    <tr><td>&lt;.001</td></tr>
    </tbody>
    </table>
    """
    from markupsafe import escape

    marks = [' class="number"' if number else "" for number in _numeric(frame)]
    head = "".join(f"<th{mark}>{escape(line(name))}</th>" for name, mark in zip(frame.columns, marks, strict=True))
    body = [
        "<tr>" + "".join(f"<td{mark}>{escape(cell)}</td>" for cell, mark in zip(row, marks, strict=True)) + "</tr>"
        for row in texts_of(frame, digits)
    ]
    caption_lines = [f"<caption>{escape(line(caption))}</caption>"] if caption else []
    return "\n".join(
        ["<table>", *caption_lines, f"<thead><tr>{head}</tr></thead>", "<tbody>", *body, "</tbody>", "</table>"]
    )


def to_latex(frame: pd.DataFrame, *, caption: str = "", digits: int = DIGITS) -> str:
    r"""Return a table as LaTeX with the rules of booktabs, text escaped; from forty rows on as a longtable.

    A longtable breaks over pages, and its columns of text break lines. Letters beyond ASCII stay as they are: lualatex
    and xelatex set them.

    Examples
    --------
    >>> print(to_latex(pd.DataFrame({"share": ["5 %"], "n": [97]})), end="")
    \begin{tabular}{lr}
    \toprule
    share & n \\
    \midrule
    5 \% & 97 \\
    \bottomrule
    \end{tabular}
    """
    head, *body = (
        _guarded(" & ".join(map(latex, row))) + r" \\"
        for row in [list(map(line, frame.columns)), *texts_of(frame, digits)]
    )
    numeric = _numeric(frame)
    caption_line = rf"\caption{{{latex(caption)}}}"
    if len(frame) < LONG:
        columns = "".join("r" if number else "l" for number in numeric)
        inner = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
        lines = [*inner, r"\end{tabular}"]
        lines = [r"\begin{table}", caption_line, *lines, r"\end{table}"] if caption else lines
    else:
        width = 0.9 / max(1, numeric.count(False))
        columns = "".join("r" if number else rf"p{{{width:.2f}\linewidth}}" for number in numeric)
        top = [rf"\begin{{longtable}}{{{columns}}}", *([caption_line + r" \\"] if caption else []), r"\toprule", head]
        lines = [*top, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot", *body, r"\end{longtable}"]
    return "\n".join(lines) + "\n"


def to_docx(frame: pd.DataFrame, path: str | Path, *, caption: str = "", digits: int = DIGITS) -> None:
    """Write a table as a Word document: caption above, numbers to the right."""
    from docx import Document

    document = Document()
    if caption:
        document.add_paragraph(line(caption))
    add_table(document, frame, digits)
    document.save(str(path))


def add_table(document: Any, frame: pd.DataFrame, digits: int = DIGITS) -> None:
    """Add a table to a Word document, numbers to the right."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH

    rows = [list(map(line, frame.columns)), *texts_of(frame, digits)]
    table = document.add_table(rows=len(rows), cols=len(frame.columns), style="Light List")
    numeric = _numeric(frame)
    for cells, row in zip(table.rows, rows, strict=True):
        for cell, text, number in zip(cells.cells, row, numeric, strict=True):
            cell.text = text
            if number:
                cell.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.RIGHT


def to_csv(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table as CSV, numbers whole; text that begins like a formula gets an apostrophe first."""
    csv_frame(frame).to_csv(path, index=False, encoding="utf-8", lineterminator="\n")


def texts_of(frame: pd.DataFrame, digits: int = DIGITS) -> list[list[str]]:
    """Return the cells of a table as they are shown, row by row."""
    columns = [[_text(value, digits) for value in frame.iloc[:, place]] for place in range(frame.shape[1])]
    return [list(row) for row in zip(*columns, strict=True)]


def _text(value: object, digits: int) -> str:
    if value is None or value is pd.NA or value != value:  # NaN
        return ""
    if isinstance(value, (float, np.floating)):
        number = float(value)
        whole = number.is_integer() or abs(number) >= 10**digits - 0.5  # which would round to a power of ten
        return f"{number:.0f}" if whole else f"{number:.{digits}g}"
    return line(value)


def _numeric(frame: pd.DataFrame) -> list[bool]:
    return [frame.iloc[:, place].dtype.kind in "iuf" for place in range(frame.shape[1])]


def _markdown(text: str) -> str:
    plain_text = MARKDOWN.sub(r"\\\g<0>", line(text))
    return " ".join(plain_text.split())


def latex(text: str) -> str:
    """Return text as LaTeX sets it, on one line."""
    return " ".join(line(text).translate(LATEX).split())


def _guarded(row: str) -> str:
    """Keep a row that starts with [ or * from being read as an option of the rule or line break before it."""
    return "{}" + row if row.startswith(("[", "*")) else row


FORMS: dict[str, Callable[[pd.DataFrame, Path, str, int], object]] = {
    ".csv": lambda frame, path, _caption, _digits: to_csv(frame, path),
    ".md": lambda frame, path, caption, digits: path.write_text(
        to_markdown(frame, caption=caption, digits=digits), encoding="utf-8"
    ),
    ".html": lambda frame, path, caption, digits: path.write_text(
        to_html(frame, caption=caption, digits=digits), encoding="utf-8"
    ),
    ".tex": lambda frame, path, caption, digits: path.write_text(
        to_latex(frame, caption=caption, digits=digits), encoding="utf-8"
    ),
    ".docx": lambda frame, path, caption, digits: to_docx(frame, path, caption=caption, digits=digits),
}
