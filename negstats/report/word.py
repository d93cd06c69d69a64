"""A report as an APA manuscript in Word: double spaced, page numbers, black headings, with no time in it."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from negstats.report.apa_table import Table
from negstats.report.blocks import Block, Code, Figure, Heading, Paragraph, Words
from negstats.report.fields import Fields, with_properties
from negstats.report.labels import SMALL_WORDS
from negstats.report.prose import prose
from negstats.sanitize import line

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
    from docx import Document

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
    from docx.enum.text import WD_ALIGN_PARAGRAPH as ALIGN
    from docx.enum.text import WD_LINE_SPACING
    from docx.oxml.ns import qn
    from docx.shared import Inches, Pt, RGBColor

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
    from docx.enum.text import WD_LINE_SPACING, WD_TAB_ALIGNMENT
    from docx.shared import Inches

    from negstats.report.word_table import page_number

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
    kept = len(words)
    while len(" ".join(words[:kept])) > RUNNING_HEAD:
        kept -= 1
    if kept < len(words) and words[kept].lower() not in PREPOSITIONS:  # within "in price negotiations"
        kept = max((at for at in range(2, kept) if words[at].lower() in PREPOSITIONS), default=kept)
    while kept and words[kept - 1].lower() in SMALL_WORDS | LINKING_WORDS:
        kept -= 1
    return " ".join(words[:kept]).upper().rstrip(",;:")


def _centred(document: Any, text: str, *, bold: bool = False) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH as ALIGN

    paragraph = document.add_paragraph()
    paragraph.alignment = ALIGN.CENTER
    paragraph.add_run(text).bold = bold


def _add_block(document: Any, block: Block, words: Words, fields: Fields, folder: Path) -> None:
    from docx.shared import Inches, Pt

    from negstats.report.word_table import add_runs, add_table, caption, curled, note

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
    from docx.enum.text import WD_LINE_SPACING
    from docx.shared import Inches

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
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as fresh:
        for name, data in with_properties(parts, fields.texts).items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            fresh.writestr(entry, data)
