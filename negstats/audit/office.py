"""The text of word processors' files (Word's .docx and OpenDocument's .odt), paragraph by paragraph.

Both are zip files of XML. Only the parts that hold text are opened, each bounded; nothing in them is run, no entity is
resolved and nothing outside the file is looked at. A cell of a table is a piece of its row, as in a line of text.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from negstats.audit.grids import read_span
from negstats.errors import LogError, one_line

LARGEST = 64 << 20  # bytes of one part, unpacked
MOST_TAGS = 2_000_000  # of one part; each takes many times its bytes in memory
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
ODF = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
ODF_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
BREAKS = {f"{WORD}tab", f"{WORD}br", f"{WORD}cr", f"{ODF}tab", f"{ODF}s", f"{ODF}line-break"}
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
HEIGHTS = {"superscript": RAISED, "subscript": str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")}
PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "content.xml")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: which table of the file, and its cells with the columns that each spans; as text, a line."""

    table: int
    cells: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return "\t".join(filter(None, (text.strip() for text, _ in self.cells)))


def is_office(data: bytes) -> bool:
    """Return whether bytes are a zip file that holds a word processor's text."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            return any(name in PARTS for name in packed.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return False


def paragraphs(path: Path, data: bytes) -> Iterator[str | TableRow]:
    """Yield the paragraphs of a file, and each row of a table as one.

    Raises
    ------
    LogError
        If a part is damaged, encrypted or larger than the limit.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        for name in (part for part in PARTS if part in packed.namelist()):
            size = packed.getinfo(name).file_size
            if size > LARGEST:
                raise LogError(f"{name} in it has {size:,} bytes; the limit is {LARGEST:,}", file=path)
            try:
                part = packed.read(name)
                if (tags := part.count(b"<")) > MOST_TAGS:
                    raise LogError(f"{name} in it has {tags:,} tags; the limit is {MOST_TAGS:,}", file=path)
                root = etree.fromstring(part, parser)
            except (
                etree.XMLSyntaxError,
                zipfile.BadZipFile,
                RuntimeError,
                NotImplementedError,
                EOFError,
                OSError,
            ) as error:
                why = "it is encrypted" if "password" in str(error) else one_line(error)
                raise LogError(f"{name} in it cannot be read: {why}", file=path) from None
            yield from _blocks(root)


def _blocks(root: Any) -> Iterator[str | TableRow]:
    """Yield the text of paragraphs and of rows, in order; a row is one line, whatever its cells hold."""
    current_row = None
    tables: dict[Any, int] = {}
    for element in root.iter(f"{WORD}p", f"{WORD}tr", f"{ODF}p", f"{ODF}h", f"{ODF_TABLE}table-row"):
        row = element.tag.endswith(("}tr", "}table-row"))
        if current_row is not None and current_row in element.iterancestors(current_row.tag):
            continue  # a cell of the row that has been read
        if row:
            current_row = element
            table = next(element.iterancestors(f"{WORD}tbl", f"{ODF_TABLE}table"), None)
            yield TableRow(tables.setdefault(table, len(tables)), tuple(_cells_of(element)))
        else:
            yield _text(element)


def _cells_of(row: Any) -> Iterator[tuple[str, int]]:
    """Yield the cells of a row, each with the columns that it spans; properties of a row are none."""
    for cell in row:
        if cell.tag == f"{WORD}tc":
            span = cell.find(f"{WORD}tcPr/{WORD}gridSpan")
            yield _text(cell), read_span(span.get(f"{WORD}val") if span is not None else None)
        elif cell.tag == f"{ODF_TABLE}covered-table-cell":
            yield "", read_span(cell.get(f"{ODF_TABLE}number-columns-repeated"))
        elif isinstance(cell.tag, str) and (cell_text := _text(cell)):
            yield cell_text, 1
        elif cell.tag == f"{ODF_TABLE}table-cell":
            yield "", read_span(cell.get(f"{ODF_TABLE}number-columns-repeated"))


def _text(element: Any) -> str:
    """Return the text of a paragraph or cell: raised and lowered digits as such, deleted text left out."""
    if element.tag.startswith("{urn:"):
        return "".join(_odf(element))
    pieces: list[str] = []
    for part in element.iter():
        if part.tag in (f"{WORD}t", f"{MATH}t"):
            pieces.append(_set(part, part.text or ""))
        elif part.tag == f"{WORD}noBreakHyphen":
            pieces.append("-")
        elif part.tag in BREAKS or (part.tag == f"{WORD}p" and pieces):
            pieces.append(" ")
    return "".join(pieces)


def _odf(element: Any) -> Iterator[str]:
    """Yield the text of an OpenDocument element; notes and changes that were deleted are not part of it."""
    yield element.text or ""
    for part in element:
        if part.tag in BREAKS:
            yield " "
        elif isinstance(part.tag, str) and not part.tag.endswith("}tracked-changes"):
            yield from _odf(part)
        yield part.tail or ""


def _set(part: Any, text: str) -> str:
    run = part.getparent()
    height = run.find(f"{WORD}rPr/{WORD}vertAlign")
    if height is not None:
        return text.translate(HEIGHTS.get(height.get(f"{WORD}val"), {}))
    above = run.getparent()
    return text.translate(RAISED) if above is not None and above.tag == f"{MATH}sup" else text
