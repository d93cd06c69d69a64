"""A table in APA form: number and title above, three rules, a note below; numbers stand in line at the decimal point.

The same table is drawn for the page, Word and LaTeX. Its cells are prose with slots, so that each number is that of
``results.json``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from negstats.report.prose import NO_BREAK, Prose, Run, prose, with_indices
from negstats.report.tables import latex
from negstats.sanitize import line

Kind: TypeAlias = Literal["text", "number", "interval"]
SHORT = 12  # rows of a table that stays on one page
FIGURE_SPACE = "\u2007"
DASH = "–"
DECIMALS = re.compile(r"\.(\d+)\D*$")
LINE_CM, MARGIN_CM = 16.0, 0.25
LATEX_CM = 0.205  # of a letter of DejaVu Serif of 9 points


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what stands over it, how its cells are set, and what stands over it and its neighbours."""

    name: Prose
    kind: Kind = "text"
    over: Prose = field(default_factory=Prose)


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes
    ----------
    key : str
        What sentences refer to it by, such as "cells:H1".
    title : str
        In title case, without its number.
    columns : tuple of Column
    rows : tuple of tuple of Prose
    note : Prose
        What n is, what the intervals are, which test, and what abbreviations mean.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Prose, ...], ...]
    note: Prose = field(default_factory=Prose)

    @property
    def spans(self) -> list[tuple[Prose, int]]:
        """What stands over neighbours, and over how many; empty texts are one column wide. None where nothing does."""
        spans: list[tuple[Prose, int]] = []
        for column in self.columns:
            if spans and column.over and str(column.over) == str(spans[-1][0]):
                spans[-1] = (column.over, spans[-1][1] + 1)
            else:
                spans.append((column.over, 1))
        return spans if any(over for over, _ in spans) else []

    def is_narrow(self, letter: float) -> bool:
        """Return whether no column must break a text, with letters as wide as `letter` cm."""
        return sum(max(map(len, column)) * letter + MARGIN_CM for column in self._texts()) <= LINE_CM

    @property
    def pads(self) -> dict[int, list[str]]:
        """The figure spaces that each cell of a column of numbers ends with, by the place of the column."""
        return {at: padded(self, at) for at, column in enumerate(self.columns) if column.kind == "number"}

    def _texts(self) -> list[list[str]]:
        """Return the texts of each column, numbers with the blanks that align them; a head of a block is in none."""
        pads = self.pads
        return [
            [_text(column.name), *(_text(row[at]) + (pads[at][place] if at in pads else "")
                                   for place, row in enumerate(self.rows) if not is_head_of_block(row))]
            for at, column in enumerate(self.columns)
        ]  # fmt: skip

    def widths(self, letter: float = LATEX_CM, *, wider: float = 1.0) -> list[float]:
        """Return the width of each column in cm: its longest word or number at least, texts sharing what is left.

        Parameters
        ----------
        letter
            The width of a letter in cm.
        wider
            By what factor letters of the font that may stand in for the one asked for are wider; they are given that
            room where the line has it, so that no number is broken.
        """
        texts = self._texts()
        least = [max(max(map(_size, _words(text)), default=1.0) for text in column) for column in texts]
        whole = [max(map(_size, column)) for column in texts]
        kinds = [column.kind for column in self.columns]
        for letter_width in (wider * letter, letter):
            need = [
                (size if kind == "text" else full) * letter_width + MARGIN_CM
                for size, full, kind in zip(least, whole, kinds, strict=True)
            ]
            if sum(need) <= LINE_CM:
                break
        wish = [full * letter_width + MARGIN_CM for full in whole]
        free = LINE_CM - sum(need)
        more = [max(0.0, wished - needed) for wished, needed in zip(wish, need, strict=True)]
        if free <= 0 or not sum(more):
            scale = min(1.0, LINE_CM / sum(need))
            return [size * scale for size in need]
        share = min(1.0, free / sum(more))
        return [width + share * extra for width, extra in zip(need, more, strict=True)]


def _text(words: Prose) -> str:
    """Return prose with its blanks that do not break."""
    return "".join(run.text for run in words.runs)


CAPITAL = 0.4  # of a letter by which a capital is wider


def _size(text: str) -> float:
    """Return the width of a text in letters."""
    return len(text) + CAPITAL * sum(letter.isupper() for letter in text)


def _words(text: str) -> list[str]:
    return [word for word in text.split(" ") if word]


def cell(value: object) -> Prose:
    """Return a cell of text: a name of the plan or the data; a dash where there is nothing."""
    if isinstance(value, Prose):
        return value if value else Prose((Run(DASH),))
    if isinstance(value, Run):
        return Prose((value,))
    return Prose((Run(line(value, 500), named=True),)) if value not in (None, "") else Prose((Run(DASH),))


def head(name: str, kind: Kind = "text") -> Column:
    """Return a column of ours; symbols between asterisks are in italics."""
    return Column(prose(name), kind)


def is_head_of_block(row: Sequence[Prose]) -> bool:
    """Return whether a row is a line over those that follow: its first cell alone has a text."""
    return len(row) > 1 and bool(row[0]) and not any(row[1:])


def padded(table: Table, at: int) -> list[str]:
    """Return the figure spaces that each cell of a column of numbers ends with, so that the points stand in line."""
    texts = [str(row[at]) for row in table.rows]
    decimals = [len(match[1]) + 1 if (match := DECIMALS.search(text)) else 0 for text in texts]
    most = max(decimals, default=0)
    return [
        FIGURE_SPACE * (most - own) if text not in (DASH, "") else "" for own, text in zip(decimals, texts, strict=True)
    ]


def html_prose(text: Prose) -> Any:
    """Return prose as escaped HTML; what hides or turns is shown as a mark."""
    from markupsafe import Markup, escape

    from negstats.sanitize import marked

    tags = {"i": "i", "b": "b"}
    parts = []
    for run, is_index in with_indices(text):
        markup = escape(marked(run.text))
        if run.named and any(ord(letter) > 0x590 for letter in run.text):
            markup = Markup("<bdi>{}</bdi>").format(markup)
        tag = "sub" if is_index else tags.get(run.style)
        parts.append(Markup(f"<{tag}>{{}}</{tag}>").format(markup) if tag else markup)  # noqa: S704 - the tag is ours
    return Markup("").join(parts)


HASH = re.compile(r"([0-9a-f]{16})(?=[0-9a-f]{16})")  # which a line of print may break
COMMANDS = {"i": "textit", "b": "textbf"}


def latex_prose(text: Prose) -> str:
    """Return prose as LaTeX."""
    parts = []
    for run, is_index in with_indices(text):
        words = "~".join(map(_latex_words, run.text.split(NO_BREAK)))
        command = "textsubscript" if is_index else COMMANDS.get(run.style)
        parts.append(f"\\{command}{{{words}}}" if command else words)
    return "".join(parts)


def _latex_words(words: str) -> str:
    leading_space = " " if words[:1] == " " else ""
    trailing_space = " " if words[-1:] == " " and words.strip() else ""
    return leading_space + HASH.sub(r"\1\\allowbreak{}", latex(words)) + trailing_space


def latex_table(table: Table, number: str) -> str:
    """Return a table with its number and title above and its note below; a long one is a longtable."""
    columns = [
        {"number": "r", "interval": "c"}.get(column.kind, f"P{{{width:.2f}cm}}")
        for column, width in zip(table.columns, table.widths(), strict=True)
    ]
    rows = _latex_rows(table)
    heads = " & ".join(
        latex_prose(column.name) if column.kind == "text" else rf"\multicolumn{{1}}{{c}}{{{latex_prose(column.name)}}}"
        for column in table.columns
    )
    caption = [
        rf"\noindent\textbf{{Table {number}}}\par\nopagebreak",
        rf"\noindent\textit{{{latex(table.title)}}}\par\nopagebreak",
    ]
    body = [r"\toprule", *_latex_spans(table), "{}" + heads + r" \\", r"\midrule"]
    note = [rf"\noindent\textit{{Note.}} {latex_prose(table.note)}\par"] if table.note else []
    form = f"@{{}}{''.join(columns)}@{{}}"
    if len(rows) <= SHORT:  # in a box, which no page breaks: a longtable at its end leaves its head alone there
        top = [
            r"\medskip{\small\noindent\begin{minipage}{\linewidth}",
            *caption,
            r"\vspace{1ex}",
            rf"\begin{{tabular}}{{{form}}}",
        ]
        return "\n".join(
            [
                *top,
                *body,
                *rows,
                r"\bottomrule",
                r"\end{tabular}\par",
                r"\vspace{1ex}",
                *note,
                r"\end{minipage}\par}\medskip",
            ]
        )
    top = [r"\needlines{11}{\small", *caption, rf"\begin{{longtable}}[l]{{{form}}}"]
    bottom = [r"\end{longtable}", *([r"\vspace{-1ex}"] if note else []), *note, "}"]
    return "\n".join([*top, *body, r"\endhead", r"\bottomrule", r"\endfoot", *rows, *bottom])


def _latex_rows(table: Table) -> list[str]:
    """Return the rows of a table; invisible figures behind a number let the points of its column stand in line."""
    pads = table.pads
    rows = []
    for place, row in enumerate(table.rows):
        texts = []
        for column, text in enumerate(row):
            pad = len(pads[column][place]) if column in pads else 0
            point = 1 if pad and "." not in str(text) else 0
            phantom = rf"\phantom{{{'.' * point}{'0' * (pad - point)}}}" if pad else ""
            texts.append(latex_prose(text) + phantom)
        rows.append("{}" + " & ".join(texts) + r" \\")
    return rows


def _latex_spans(table: Table) -> list[str]:
    """Return the row of what stands over several columns, with a rule under each."""
    if not table.spans:
        return []
    texts, rules, start = [], [], 1
    for over, n_columns in table.spans:
        texts.append(rf"\multicolumn{{{n_columns}}}{{c}}{{{latex_prose(over)}}}" if over else "")
        rules += [rf"\cmidrule(lr){{{start}-{start + n_columns - 1}}}"] if over else []
        start += n_columns
    return ["{}" + " & ".join(texts) + r" \\", "".join(rules)]
