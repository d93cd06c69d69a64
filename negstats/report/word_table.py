"""Tables and sentences as the XML of a Word file, as text: python-docx takes a search for each of its settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from negstats.report.apa_table import SHORT, WORD_CM, Table, padded
from negstats.report.prose import Prose, with_indices
from negstats.sanitize import line

TWENTIETHS = 1440 / 2.54  # of a point, Word's unit of lengths, in a centimetre
CELL_MARGIN = 57
SMALL = 9  # points of the letters of tables and notes
_SIDES = {"text": "left", "number": "right", "interval": "center"}
_LOOK = 'w:firstColumn="1" w:firstRow="1" w:lastColumn="0" w:lastRow="0" w:noHBand="0" w:noVBand="1" w:val="04A0"'


def word_table(document: Any, table: Table, number: int) -> None:
    """Add a table to a Word document: the grid has widths of its own, rules are three, the head is repeated."""
    label = _run("Table ", bold=True) + _field("SEQ Table \\* ARABIC", str(number))
    _append(document, f'<w:p><w:pPr><w:keepNext/><w:spacing w:after="0"/></w:pPr>{label}</w:p>')
    _append(document, f"<w:p><w:pPr><w:keepNext/></w:pPr>{_run(line(table.title), italic=True)}</w:p>")
    widths = [round(width * TWENTIETHS) for width in table.widths(WORD_CM)]
    margins = "".join(f'<w:{side} w:w="{CELL_MARGIN}" w:type="dxa"/>' for side in ("left", "right"))
    settings = (
        '<w:tblW w:type="auto" w:w="0"/><w:tblLayout w:type="fixed"/>'
        f"<w:tblCellMar>{margins}</w:tblCellMar><w:tblLook {_LOOK}/>"
    )
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    rows = "".join(_rows(table, widths))
    _append(document, f"<w:tbl><w:tblPr>{settings}</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>")
    note = f"{_run('Note. ', italic=True, size=SMALL)}{_runs(table.note, SMALL)}" if table.note else ""
    _append(document, f"<w:p>{note}</w:p>")


def _rows(table: Table, widths: list[int]) -> Iterator[str]:
    """Yield the head of a table and its rows."""
    pads = {at: padded(table, at) for at, column in enumerate(table.columns) if column.kind == "number"}
    last = len(table.rows)
    for place, row in enumerate([[column.name for column in table.columns], *table.rows]):
        rules = {**({"top": 8, "bottom": 4} if place == 0 else {}), **({"bottom": 8} if place == last else {})}
        edges = "".join(f'<w:{edge} w:val="single" w:sz="{size}"/>' for edge, size in rules.items())
        borders = f"<w:tcBorders>{edges}</w:tcBorders>" if edges else ""
        keep = "<w:keepNext/>" if last <= SHORT and (place < last or table.note) else ""
        cells = []
        for at, text in enumerate(row):
            kind = table.columns[at].kind
            side = "center" if place == 0 and kind != "text" else _SIDES[kind]
            pad = _run(pads[at][place - 1], size=SMALL) if place and at in pads else ""
            cells.append(
                f'<w:tc><w:tcPr><w:tcW w:type="dxa" w:w="{widths[at]}"/>{borders}</w:tcPr>'
                f'<w:p><w:pPr>{keep}<w:spacing w:after="0"/><w:jc w:val="{side}"/></w:pPr>'
                f"{_runs(text, SMALL)}{pad}</w:p></w:tc>"
            )
        yield f"<w:tr><w:trPr><w:{'cantSplit' if place else 'tblHeader'}/></w:trPr>{''.join(cells)}</w:tr>"


def word_paragraph(document: Any, text: Prose, size: float | None = None) -> None:
    """Add prose to a Word document as a paragraph, with letters of `size` points or those of the text."""
    _append(document, f"<w:p>{_runs(text, size)}</w:p>")


def _runs(text: Prose, size: float | None = None) -> str:
    return "".join(
        _run(
            line(run.text, 5000) if run.named else run.text,
            bold=run.style == "b",
            italic=run.style == "i",
            is_index=is_index,
            size=size,
        )
        for run, is_index in with_indices(text)
    )


def _run(
    text: str, *, bold: bool = False, italic: bool = False, is_index: bool = False, size: float | None = None
) -> str:
    """Return text in one style; no run where there is no text."""
    if not text:
        return ""
    return f'<w:r>{_style(bold, italic, is_index, size)}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def _style(bold: bool, italic: bool, is_index: bool, size: float | None) -> str:
    settings = (
        ("<w:b/>" if bold else "")
        + ("<w:i/>" if italic else "")
        + (f'<w:sz w:val="{round(2 * size)}"/>' if size is not None else "")
        + ('<w:vertAlign w:val="subscript"/>' if is_index else "")
    )
    return f"<w:rPr>{settings}</w:rPr>" if settings else ""


def _field(code: str, text: str) -> str:
    """Return a field that Word numbers and lists; what it shows now is `text`."""
    marks = {kind: f'<w:fldChar w:fldCharType="{kind}"/>' for kind in ("begin", "separate", "end")}
    parts = (
        marks["begin"],
        f'<w:instrText xml:space="preserve"> {escape(code)} </w:instrText>',
        marks["separate"],
        f"<w:t>{escape(text)}</w:t>",
        marks["end"],
    )
    return "".join(f"<w:r><w:rPr><w:b/></w:rPr>{part}</w:r>" for part in parts)


def _append(document: Any, xml: str) -> None:
    """Add an element at the end of a document, before the settings of its last section."""
    root = parse_xml(f"<w:body {nsdecls('w')}>{xml}</w:body>")
    document.element.body.sectPr.addprevious(root[0])
