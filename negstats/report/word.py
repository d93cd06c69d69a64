"""A report as a Word file: headings, sentences, tables and figures, with no time in it."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docx.shared import Pt

from negstats.report.apa_table import Table, word_runs, word_table
from negstats.report.blocks import Block, Code, Figure, Heading, Paragraph, Words
from negstats.sanitize import line

EPOCH = (1980, 1, 1, 0, 0, 0)  # the first time that a zip file can hold
MADE = datetime(1980, 1, 1, tzinfo=UTC)
MARGIN, PAGE_WIDTH, PAGE_HEIGHT = 2.5, 21, 29.7  # centimetres


def write_word(words: Words, folder: Path, path: Path) -> None:
    """Write the Word file.

    Parameters
    ----------
    words
        What the report says.
    folder
        Where the figures' PNG files stand.
    path
        The file.
    """
    from docx import Document
    from docx.shared import Cm

    document = Document()
    for section in document.sections:
        section.left_margin = section.right_margin = Cm(MARGIN)
        section.page_width, section.page_height = Cm(PAGE_WIDTH), Cm(PAGE_HEIGHT)
    normal = document.styles["Normal"]
    normal.font.name, normal.font.size, normal.paragraph_format.space_after = "Times New Roman", Pt(11), Pt(6)
    document.add_heading(line(words.title), 0)
    on_top = [words.authors, words.state, words.size, words.source]
    document.add_paragraph(" · ".join(part for part in on_top if part))
    for block in words.blocks:
        _block(document, block, words, folder)
    properties = document.core_properties
    properties.title, properties.author, properties.comments = line(words.title, 200), "", ""
    properties.created = properties.modified = MADE
    document.save(str(path))
    _write_without_times(path)


def _block(document: Any, block: Block, words: Words, folder: Path) -> None:
    match block:
        case Heading():
            document.add_heading(str(block.text), block.level - 1)
        case Paragraph():
            word_runs(document.add_paragraph(), block.text, Pt(9) if block.style in ("note", "reference") else None)
        case Code():
            document.add_paragraph().add_run(block.text).font.name = "Courier New"
        case Table():
            word_table(document, block, words.numbers[block.key])
        case Figure():
            _add_picture(document, block, folder)
            caption = document.add_paragraph()
            caption.add_run(f"Figure {words.numbers[block.key]}. ").bold = True
            caption.add_run(line(block.shown.caption, 2000))


def _add_picture(document: Any, figure: Figure, folder: Path) -> None:
    """Add a figure at the size of its drawing, its letters at the size of print; a wide one may enter the margins."""
    from docx.shared import Cm

    document.add_picture(str(folder / f"{figure.shown.name}.png"))
    picture = document.inline_shapes[-1]
    picture._inline.docPr.set("descr", line(figure.shown.label, 2000))
    place = document.paragraphs[-1].paragraph_format
    place.keep_with_next = True
    beyond = picture.width - Cm(PAGE_WIDTH - 2 * MARGIN)
    if beyond > 0:
        place.left_indent = place.right_indent = -beyond // 2


def _write_without_times(path: Path) -> None:
    """Write the parts of a Word file anew, each with the same date."""
    with zipfile.ZipFile(path) as archive:
        parts = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as fresh:
        for name, data in parts:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            fresh.writestr(entry, data)
