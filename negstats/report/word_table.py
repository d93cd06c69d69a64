"""Tables and sentences in Word: numbers are fields, a table has three rules and stays on one page where it can."""

from __future__ import annotations

import re
from typing import Any

from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH as ALIGN
from docx.enum.text import WD_LINE_SPACING
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Cm, Pt

from negstats.report.apa_table import SHORT, Table, is_head_of_block, padded
from negstats.report.fields import Fields
from negstats.report.prose import Prose, prose, with_indices
from negstats.sanitize import line

SIDES = {"text": ALIGN.LEFT, "number": ALIGN.RIGHT, "interval": ALIGN.CENTER}
LETTER_CM = 0.21  # of a letter of Times of 12 points
STAND_IN = 1.28  # by how much a letter of DejaVu Serif is wider, which stands in where there is no Times
APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)|(?<=s)'(?=\W)")
SMALL = Pt(10)  # letters of a table that is wider than the line at 12 points


def add_table(document: Any, table: Table, number: str, fields: Fields) -> None:
    """Add a table with its number and title above and its note below; the head is repeated on each page."""
    caption(document, f"Table {number}", prose("{title}", title=table.title))
    heads = 2 if table.spans else 1
    grid = document.add_table(heads + len(table.rows), len(table.columns))
    grid.style, grid.autofit, grid.alignment = "Normal Table", False, WD_TABLE_ALIGNMENT.LEFT
    grid._tbl.tblPr.append(
        _xml('<w:tblCellMar><w:left w:w="57" w:type="dxa"/><w:right w:w="57" w:type="dxa"/></w:tblCellMar>')
    )
    size = None if table.is_narrow(LETTER_CM) else SMALL
    widths = table.widths(LETTER_CM if size is None else LETTER_CM * 10 / 12, wider=STAND_IN)
    for at, width in enumerate(widths):
        grid.columns[at].width = Cm(width)
    pads = {at: padded(table, at) for at, column in enumerate(table.columns) if column.kind == "number"}
    rows = [[column.name for column in table.columns], *table.rows]
    for place, (row, texts) in enumerate(zip(grid.rows[heads - 1 :], rows, strict=True)):
        row._tr.get_or_add_trPr().append(_xml("<w:tblHeader/>" if not place else "<w:cantSplit/>"))
        is_last = place == len(table.rows)
        for at, (spot, text) in enumerate(zip(row.cells, texts, strict=True)):
            kind = table.columns[at].kind
            spot.width = Cm(widths[at])
            paragraph = spot.paragraphs[0]
            paragraph.alignment = ALIGN.CENTER if not place and kind != "text" else SIDES[kind]
            _set_cell(paragraph, keep=(len(table.rows) <= SHORT and (not is_last or bool(table.note))) or not place)
            add_runs(paragraph, text, fields, size)
            if place and at in pads and pads[at][place - 1]:
                paragraph.add_run(pads[at][place - 1]).font.size = size
            _rule(spot, top=8 if not place and heads == 1 else 0, bottom=8 if is_last else 0 if place else 4)
        if is_head_of_block(texts):
            row.cells[0].paragraphs[0].paragraph_format.keep_with_next = True
            merged = row.cells[0].merge(row.cells[-1])
            for extra in merged.paragraphs[1:]:
                extra._p.getparent().remove(extra._p)
    if table.spans:
        _add_spans(grid, table, widths, fields, size)
    if table.note:
        note(document, table.note, fields)
    else:
        document.add_paragraph().paragraph_format.line_spacing_rule = WD_LINE_SPACING.SINGLE


def caption(document: Any, number: str, title: Prose) -> None:
    """Add the number and the title of a table or figure, which stay with it."""
    paragraph = document.add_paragraph()
    paragraph.paragraph_format.keep_with_next, paragraph.paragraph_format.space_before = True, Pt(12)
    paragraph.add_run(number).bold = True
    paragraph = document.add_paragraph()
    paragraph.paragraph_format.keep_with_next, paragraph.paragraph_format.space_after = True, Pt(6)
    paragraph.paragraph_format.line_spacing_rule = WD_LINE_SPACING.SINGLE
    paragraph.add_run(curled(str(title))).italic = True


def note(document: Any, text: Prose, fields: Fields) -> None:
    """Add the note of a table or figure."""
    paragraph = document.add_paragraph()
    paragraph.paragraph_format.line_spacing_rule = WD_LINE_SPACING.SINGLE
    paragraph.paragraph_format.space_before, paragraph.paragraph_format.space_after = Pt(4), Pt(14)
    paragraph.add_run("Note. ").italic = True
    add_runs(paragraph, text, fields)


def add_runs(paragraph: Any, text: Prose, fields: Fields, size: Any = None) -> None:
    """Add prose to a paragraph, each number as a field by its name."""
    for run, is_index in with_indices(text):
        name = fields.name_of(run)
        shown = fields.texts[name] if name else curled(line(run.text, 5000) if run.named else run.text)
        for word_run in _field(paragraph, name, shown) if name else [paragraph.add_run(shown)]:
            word_run.italic = run.style == "i" or None
            word_run.bold = run.style == "b" or None
            word_run.font.subscript = is_index or None
            word_run.font.size = size


def curled(text: str) -> str:
    """Return a text with the apostrophes of print.

    Examples
    --------
    >>> curled("Welch's test of the agents' points")
    'Welch’s test of the agents’ points'
    """
    return APOSTROPHE.sub("’", text)


def page_number(paragraph: Any) -> None:
    """Add the number of the page."""
    _field(paragraph, "", "1", code="PAGE")


def _field(paragraph: Any, name: str, shown: str, code: str = "DOCPROPERTY") -> list[Any]:
    """Add a field, by default of a document property, and return its runs."""
    runs = [paragraph.add_run() for _ in range(5)]
    runs[0]._r.append(_xml('<w:fldChar w:fldCharType="begin"/>'))
    runs[1]._r.append(_xml(f'<w:instrText xml:space="preserve"> {code} {name} </w:instrText>'))
    runs[2]._r.append(_xml('<w:fldChar w:fldCharType="separate"/>'))
    runs[3].text = shown
    runs[4]._r.append(_xml('<w:fldChar w:fldCharType="end"/>'))
    return runs


def _set_cell(paragraph: Any, *, keep: bool) -> None:
    place = paragraph.paragraph_format
    place.line_spacing_rule, place.space_before, place.space_after = WD_LINE_SPACING.SINGLE, Pt(3), Pt(3)
    place.keep_with_next = keep


def _rule(spot: Any, *, top: int = 0, bottom: int = 0) -> None:
    """Draw the rules of a cell; their width is in eighths of a point."""
    edges = "".join(
        f'<w:{edge} w:val="single" w:sz="{size}"/>' for edge, size in (("top", top), ("bottom", bottom)) if size
    )
    if edges:
        spot._tc.get_or_add_tcPr().append(_xml(f"<w:tcBorders>{edges}</w:tcBorders>"))


def _add_spans(grid: Any, table: Table, widths: list[float], fields: Fields, size: Any) -> None:
    """Fill the first row of a table: what stands over several columns, with a rule under each."""
    row = grid.rows[0]
    row._tr.get_or_add_trPr().append(_xml("<w:tblHeader/>"))
    for spot, width in zip(row.cells, widths, strict=True):
        spot.width = Cm(width)
    at = 0
    for over, wide in table.spans:
        for place in range(at, at + wide):
            _rule(grid.cell(0, place), top=8, bottom=4 if over else 0)
        spot = grid.cell(0, at).merge(grid.cell(0, at + wide - 1)) if wide > 1 else grid.cell(0, at)
        for extra in spot.paragraphs[1:]:
            extra._p.getparent().remove(extra._p)
        spot.paragraphs[0].alignment = ALIGN.CENTER
        _set_cell(spot.paragraphs[0], keep=True)
        add_runs(spot.paragraphs[0], over, fields, size)
        at += wide


def _xml(xml: str) -> Any:
    return parse_xml(re.sub(r"^<(w:\w+)", rf"<\1 {nsdecls('w')}", xml))
