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
WIDE_CM = 0.2  # of a letter of DejaVu Serif of 9 points, which stands in for Times
LATEX_CM, WORD_CM = 0.205, 0.17  # of a letter: DejaVu Serif of 9 points, Times of 9 points


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

    def widths(self, letter: float = LATEX_CM) -> list[float]:
        """Return the width of each column in cm: its longest word or number at least, texts sharing what is left.

        Parameters
        ----------
        letter
            The width of a letter in cm.
        """
        texts = [[_text(column.name), *(_text(row[at]) for row in self.rows)] for at, column in enumerate(self.columns)]
        least = [max(max(map(len, _words(text)), default=1) for text in column) for column in texts]
        whole = [max(map(len, column)) for column in texts]
        kinds = [column.kind for column in self.columns]
        for wide in (max(letter, WIDE_CM), letter):  # for a font that is wider, where there is room
            need = [
                (size if kind == "text" else full) * wide + MARGIN_CM
                for size, full, kind in zip(least, whole, kinds, strict=True)
            ]
            if sum(need) <= LINE_CM:
                break
        wish = [full * letter + MARGIN_CM for full in whole]
        free = LINE_CM - sum(need)
        more = [max(0.0, one - other) for one, other in zip(wish, need, strict=True)]
        if free <= 0 or not sum(more):
            scale = min(1.0, LINE_CM / sum(need))
            return [size * scale for size in need]
        share = min(1.0, free / sum(more))
        return [one + share * other for one, other in zip(need, more, strict=True)]


def _text(words: Prose) -> str:
    """Return prose with its blanks that do not break."""
    return "".join(run.text for run in words.runs)


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


def padded(table: Table, at: int) -> list[str]:
    """Return the figure spaces that each cell of a column of numbers ends with, so that the points stand in line."""
    texts = [str(row[at]) for row in table.rows]
    decimals = [len(match[1]) + 1 if (match := DECIMALS.search(text)) else 0 for text in texts]
    most = max(decimals, default=0)
    return [FIGURE_SPACE * (most - own) if text != DASH else "" for own, text in zip(decimals, texts, strict=True)]


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
    columns = []
    for column, width in zip(table.columns, table.widths(), strict=True):
        kind = {"number": "r", "interval": "c"}.get(column.kind, f"P{{{width:.2f}cm}}")
        columns.append(kind)
    pads = {at: padded(table, at) for at, column in enumerate(table.columns) if column.kind == "number"}
    rows = []
    for place, row in enumerate(table.rows):
        texts = []
        for at, each in enumerate(row):
            pad = len(pads[at][place]) if at in pads else 0
            point = 1 if pad and "." not in str(each) else 0
            phantom = rf"\phantom{{{'.' * point}{'0' * (pad - point)}}}" if pad else ""
            texts.append(latex_prose(each) + phantom)
        rows.append("{}" + " & ".join(texts) + r" \\")
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


def _latex_spans(table: Table) -> list[str]:
    """Return the row of what stands over several columns, with a rule under each."""
    if not table.spans:
        return []
    texts, rules, at = [], [], 1
    for over, wide in table.spans:
        texts.append(rf"\multicolumn{{{wide}}}{{c}}{{{latex_prose(over)}}}" if over else "")
        rules += [rf"\cmidrule(lr){{{at}-{at + wide - 1}}}"] if over else []
        at += wide
    return ["{}" + " & ".join(texts) + r" \\", "".join(rules)]


def word_table(document: Any, table: Table, number: str) -> None:
    """Add a table to a Word document: the grid has widths of its own, rules are three, the head is repeated."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH as TO
    from docx.shared import Cm, Pt

    _word_caption(document, number, table.title)
    heads = 2 if table.spans else 1
    grid = document.add_table(heads + len(table.rows), len(table.columns))
    grid.style = "Normal Table"
    grid.autofit = False
    grid._tbl.tblPr.append(
        _xml('<w:tblCellMar><w:left w:w="57" w:type="dxa"/><w:right w:w="57" w:type="dxa"/></w:tblCellMar>')
    )
    widths = table.widths(WORD_CM)
    for at, width in enumerate(widths):
        grid.columns[at].width = Cm(width)
    side = {"text": TO.LEFT, "number": TO.RIGHT, "interval": TO.CENTER}
    pads = {at: padded(table, at) for at, column in enumerate(table.columns) if column.kind == "number"}
    last = len(table.rows)
    for place, row in enumerate(grid.rows, 1 - heads):
        if place < 0:
            continue
        texts = [column.name for column in table.columns] if place == 0 else list(table.rows[place - 1])
        row._tr.get_or_add_trPr().append(_xml("<w:tblHeader/>" if place == 0 else "<w:cantSplit/>"))
        for at, (spot, text) in enumerate(zip(row.cells, texts, strict=True)):
            spot.width = Cm(widths[at])
            paragraph = spot.paragraphs[0]
            kind = table.columns[at].kind
            paragraph.alignment = TO.CENTER if place == 0 and kind != "text" else side[kind]
            paragraph.paragraph_format.space_after = Pt(0)
            if last <= SHORT and (place < last or table.note):
                paragraph.paragraph_format.keep_with_next = True
            word_runs(paragraph, text, Pt(9))
            if place and at in pads:
                paragraph.add_run(pads[at][place - 1]).font.size = Pt(9)
            edges = {
                **(({"top": 8} if heads == 1 else {}) | {"bottom": 4} if place == 0 else {}),
                **({"bottom": 8} if place == last else {}),
            }
            lines = "".join(f'<w:{edge} w:val="single" w:sz="{size}"/>' for edge, size in edges.items())
            if lines:
                spot._tc.get_or_add_tcPr().append(_xml(f"<w:tcBorders>{lines}</w:tcBorders>"))
    if table.spans:
        _word_spans(grid, table, widths)
    paragraph = document.add_paragraph()
    if table.note:
        paragraph.add_run("Note. ").italic = True
        paragraph.runs[0].font.size = Pt(9)
        word_runs(paragraph, table.note, Pt(9))


def _word_spans(grid: Any, table: Table, widths: Sequence[float]) -> None:
    """Fill the first row of a table in Word: what stands over several columns, with a rule under each."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH as TO
    from docx.shared import Cm, Pt

    row = grid.rows[0]
    row._tr.get_or_add_trPr().append(_xml("<w:tblHeader/>"))
    for spot, width in zip(row.cells, widths, strict=True):
        spot.width = Cm(width)
    at = 0
    for over, wide in table.spans:
        for place in range(at, at + wide):
            bottom = '<w:bottom w:val="single" w:sz="4"/>' if over else ""
            lines = f'<w:tcBorders><w:top w:val="single" w:sz="8"/>{bottom}</w:tcBorders>'
            grid.cell(0, place)._tc.get_or_add_tcPr().append(_xml(lines))
        spot = grid.cell(0, at).merge(grid.cell(0, at + wide - 1)) if wide > 1 else grid.cell(0, at)
        for extra in spot.paragraphs[1:]:
            extra._p.getparent().remove(extra._p)
        paragraph = spot.paragraphs[0]
        paragraph.alignment = TO.CENTER
        paragraph.paragraph_format.space_after = Pt(0)
        paragraph.paragraph_format.keep_with_next = True
        word_runs(paragraph, over, Pt(9))
        at += wide


def _word_caption(document: Any, number: str, title: str) -> None:
    for label in ("number", "title"):
        paragraph = document.add_paragraph()
        paragraph.paragraph_format.keep_with_next = True
        if label == "number":
            paragraph.paragraph_format.space_after = 0
            series = number.rstrip("0123456789")  # the appendix counts anew: Table A1
            paragraph.add_run(f"Table {series}").bold = True
            _field(paragraph, f"SEQ Table{f'_{series}' if series else ''} \\* ARABIC", number.removeprefix(series))
        else:
            paragraph.add_run(line(title)).italic = True


def _field(paragraph: Any, code: str, text: str) -> None:
    """Add a field that Word numbers and lists; what it shows now is `text`."""
    for kind, content in (("begin", None), (None, code), ("separate", None), ("text", text), ("end", None)):
        run = paragraph.add_run()
        run.bold = True
        if kind == "text":
            run.text = text
        elif kind is None:
            run._r.append(_xml(f'<w:instrText xml:space="preserve"> {content} </w:instrText>'))
        else:
            run._r.append(_xml(f'<w:fldChar w:fldCharType="{kind}"/>'))


def word_runs(paragraph: Any, text: Prose, size: Any = None) -> None:
    """Add prose to a paragraph of a Word document."""
    for run, is_index in with_indices(text):
        word_run = paragraph.add_run(line(run.text, 5000) if run.named else run.text)
        if run.style == "i":
            word_run.italic = True
        if run.style == "b":
            word_run.bold = True
        if is_index:
            word_run.font.subscript = True
        if size is not None:
            word_run.font.size = size


def _xml(xml: str) -> Any:
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    return parse_xml(re.sub(r"^<(w:\w+)", rf"<\1 {nsdecls('w')}", xml))


def tables_in(blocks: Sequence[object]) -> list[Table]:
    """Return the tables among the blocks of a report."""
    return [block for block in blocks if isinstance(block, Table)]
