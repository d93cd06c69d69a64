"""A report as an APA manuscript in Word: double spaced, tables with three rules, numbers as fields, no time in it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docx import Document
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH as ALIGN
from docx.enum.text import WD_LINE_SPACING, WD_TAB_ALIGNMENT
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Inches, Pt, RGBColor

from negstats.report.apa_table import SHORT, Table, is_head_of_block
from negstats.report.blocks import Block, Code, Figure, Heading, Paragraph, Words
from negstats.report.fields import Fields, with_properties
from negstats.report.labels import SMALL_WORDS
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
    # A table too wide for the text has small letters, and its columns the widths that their texts need.
    size = None if table.is_narrow(LETTER_CM) else SMALL
    widths = table.widths(LETTER_CM if size is None else LETTER_CM * 10 / 12, wider=STAND_IN)
    for column, width in enumerate(widths):
        grid.columns[column].width = Cm(width)
    pads = table.pads
    # The head is repeated on each page, no row is parted, and short tables keep together.
    rows = [[column.name for column in table.columns], *table.rows]
    for place, (row, texts) in enumerate(zip(grid.rows[heads - 1 :], rows, strict=True)):
        row._tr.get_or_add_trPr().append(_xml("<w:tblHeader/>" if not place else "<w:cantSplit/>"))
        is_last = place == len(table.rows)
        for column, (spot, text) in enumerate(zip(row.cells, texts, strict=True)):
            kind = table.columns[column].kind
            spot.width = Cm(widths[column])
            paragraph = spot.paragraphs[0]
            paragraph.alignment = ALIGN.CENTER if not place and kind != "text" else SIDES[kind]
            _set_cell(paragraph, keep=(len(table.rows) <= SHORT and (not is_last or bool(table.note))) or not place)
            add_runs(paragraph, text, fields, size)
            if place and column in pads and pads[column][place - 1]:
                paragraph.add_run(pads[column][place - 1]).font.size = size
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
    start = 0
    for over, n_columns in table.spans:
        for place in range(start, start + n_columns):
            _rule(grid.cell(0, place), top=8, bottom=4 if over else 0)
        spot = grid.cell(0, start).merge(grid.cell(0, start + n_columns - 1)) if n_columns > 1 else grid.cell(0, start)
        for extra in spot.paragraphs[1:]:
            extra._p.getparent().remove(extra._p)
        spot.paragraphs[0].alignment = ALIGN.CENTER
        _set_cell(spot.paragraphs[0], keep=True)
        add_runs(spot.paragraphs[0], over, fields, size)
        start += n_columns


def _xml(xml: str) -> Any:
    return parse_xml(re.sub(r"^<(w:\w+)", rf"<\1 {nsdecls('w')}", xml))


EPOCH = (1980, 1, 1, 0, 0, 0)  # the first time that a zip file can hold
MADE = datetime(1980, 1, 1, tzinfo=UTC)
PAGE_INCHES, MARGIN_INCHES, INDENT_INCHES = (8.5, 11), 1, 0.5
FONT = "Times New Roman"
RUNNING_HEAD = 50  # characters
# Longer words than the small ones with which a title cannot end either.
LINKING_WORDS = {"about", "after", "against", "among", "before", "between", "from", "into", "over", "than", "that",
                 "their", "through", "under", "when", "whether", "which", "with", "without"}  # fmt: skip
PREPOSITIONS = LINKING_WORDS | {"as", "at", "by", "for", "in", "of", "on", "to", "via"}
HEADINGS = {2: 1, 3: 2}  # the level of a section in Word


def write_word(words: Words, fields: Fields, folder: Path, path: Path, *, is_supplement: bool = False) -> None:
    """Write the manuscript, or its supplement.

    Parameters
    ----------
    words, fields
        What the report says, and the names of its numbers.
    folder
        Where the figures' PNG files stand.
    path
        The file.
    is_supplement
        Write the supplement.
    """
    document = Document()
    _set_styles(document)
    _set_page(document, words.title)
    title = f"Supplement to “{line(words.title)}”" if is_supplement else line(words.title)
    _centred(document, title, bold=True)
    for text in (words.authors, "" if is_supplement else words.subtitle):
        if text:
            _centred(document, text)
    blocks: Sequence[Block] = words.supplement[1:] if is_supplement else words.main
    for block in blocks:
        _add_block(document, block, words, fields, folder)
    properties = document.core_properties
    properties.title, properties.author, properties.comments = line(title, 200), words.authors, ""
    properties.created = properties.modified = MADE
    document.save(str(path))
    _write_without_times(path, fields)


def _set_styles(document: Any) -> None:
    """Set all styles to one font in black, double spaced."""

    def set_font(style: Any) -> None:
        style.font.name, style.font.size, style.font.color.rgb = FONT, Pt(12), RGBColor(0, 0, 0)
        fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
        for name in list(fonts.attrib):
            del fonts.attrib[name]
        for name in ("ascii", "hAnsi", "eastAsia", "cs"):
            fonts.set(qn(f"w:{name}"), FONT)
        place = style.paragraph_format
        place.space_before = place.space_after = Pt(0)
        place.line_spacing_rule, place.widow_control = WD_LINE_SPACING.DOUBLE, True

    set_font(document.styles["Normal"])
    set_font(document.styles["Body Text"])
    document.styles["Body Text"].paragraph_format.first_line_indent = Inches(INDENT_INCHES)
    for level, side in ((1, ALIGN.CENTER), (2, ALIGN.LEFT)):
        style = document.styles[f"Heading {level}"]
        set_font(style)
        style.font.bold, style.paragraph_format.alignment, style.paragraph_format.keep_with_next = True, side, True


def _set_page(document: Any, title: str) -> None:
    """Set the size of the page, and its head: the running head and the page's number."""
    section = document.sections[0]
    section.page_width, section.page_height = (Inches(size) for size in PAGE_INCHES)
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(section, side, Inches(MARGIN_INCHES))
    section.header_distance = Inches(MARGIN_INCHES / 2)
    head = section.header.paragraphs[0]
    head.style = document.styles["Normal"]
    head.paragraph_format.line_spacing_rule = WD_LINE_SPACING.SINGLE
    head.paragraph_format.tab_stops.add_tab_stop(Inches(PAGE_INCHES[0] - 2 * MARGIN_INCHES), WD_TAB_ALIGNMENT.RIGHT)
    head.add_run(f"{running_head(title)}\t")
    page_number(head)


def running_head(title: str) -> str:
    """Return the head of each page: as many words of the title as fit, in capitals.

    Examples
    --------
    >>> running_head("Points, talk, and social value orientation in campsite negotiations")
    'POINTS, TALK, AND SOCIAL VALUE ORIENTATION'
    >>> running_head("Does it pay the robot to compare itself with the person?")
    'DOES IT PAY THE ROBOT TO COMPARE ITSELF'
    >>> running_head("Power, Order, and an Audience in Price Negotiations")
    'POWER, ORDER, AND AN AUDIENCE'
    """
    words = line(title).split()
    n_words = len(words)
    while len(" ".join(words[:n_words])) > RUNNING_HEAD:
        n_words -= 1
    if n_words < len(words) and words[n_words].lower() not in PREPOSITIONS:  # within "in price negotiations"
        n_words = max((place for place in range(2, n_words) if words[place].lower() in PREPOSITIONS), default=n_words)
    while n_words and words[n_words - 1].lower() in SMALL_WORDS | LINKING_WORDS:
        n_words -= 1
    return " ".join(words[:n_words]).upper().rstrip(",;:")


def _centred(document: Any, text: str, *, bold: bool = False) -> None:
    paragraph = document.add_paragraph()
    paragraph.alignment = ALIGN.CENTER
    paragraph.add_run(text).bold = bold


def _add_block(document: Any, block: Block, words: Words, fields: Fields, folder: Path) -> None:
    match block:
        case Heading():
            document.add_heading(curled(str(block.text)), HEADINGS[block.level])
        case Paragraph(style="reference"):
            paragraph = document.add_paragraph()
            paragraph.paragraph_format.left_indent = Inches(INDENT_INCHES)
            paragraph.paragraph_format.first_line_indent = Inches(-INDENT_INCHES)
            add_runs(paragraph, block.text, fields)
        case Paragraph():
            add_runs(document.add_paragraph(style="Body Text"), block.text, fields)
        case Code():
            document.paragraphs[-1].paragraph_format.keep_with_next = True  # the sentence that announces it
            run = document.add_paragraph().add_run(block.text)
            run.font.name, run.font.size = "Courier New", Pt(10)
        case Table():
            add_table(document, block, words.numbers[block.key], fields)
        case Figure():
            caption(document, f"Figure {words.numbers[block.key]}", prose("{title}", title=block.shown.title))
            _add_picture(document, block, folder)
            if block.note:
                note(document, block.note, fields)


def _add_picture(document: Any, figure: Figure, folder: Path) -> None:
    """Add a figure at the size of its drawing; one that is wider than the line is made as wide as it."""
    document.add_picture(str(folder / f"{figure.shown.name}.png"))
    picture = document.inline_shapes[-1]
    picture._inline.docPr.set("descr", line(figure.shown.label, 2000))
    place = document.paragraphs[-1].paragraph_format
    place.keep_with_next, place.line_spacing_rule = True, WD_LINE_SPACING.SINGLE
    widest = Inches(PAGE_INCHES[0] - 2 * MARGIN_INCHES)
    if picture.width > widest:
        picture.height, picture.width = round(picture.height * widest / picture.width), widest


def _write_without_times(path: Path, fields: Fields) -> None:
    """Write the parts of a Word file anew with its properties, each with the same date."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as new_file:
        for name, data in with_properties(parts, fields.texts).items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new_file.writestr(entry, data)
