"""The text of files that are no plain text: paragraphs of HTML, JATS, TEI, Word and ODT, and pages of a PDF.

Tags of blocks end a paragraph, all others leave no trace. libxml2 parses (through lxml): its time is linear and it
repairs what browsers would. Nothing is run, no entity of the file's own is expanded and nothing is fetched.

Word's .docx and OpenDocument's .odt are zip files of XML. Only the parts that hold text are opened, each bounded;
nothing in them is run, no entity is resolved and nothing outside the file is looked at. A cell of a table is a piece of
its row, as in a line of text.

Of a page of a PDF its columns come one after the other, without running heads.
"""

from __future__ import annotations

import io
import re
import statistics
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from negstats.audit.grids import Grid, Grids, read_span
from negstats.audit.words import words_of
from negstats.errors import LogError, one_line

WORDS = words_of("office")
BLOCKS = frozenset(WORDS.table("html_blocks") + WORDS.table("xml_blocks"))
LINE_BREAKS = frozenset(["br", "break", "lb"])
ROW_TAGS = frozenset(["tr", "row"])
SPANS = (("colspan", "cols"), ("rowspan", "rows"))  # what HTML and TEI call them
CELLS = frozenset(["td", "th", "cell"])


def is_html(text: str) -> bool:
    """Return whether a text starts as HTML does.

    Examples
    --------
    >>> is_html("<!DOCTYPE html><p>So.</p>"), is_html("<article dtd-version='1.3'>")
    (True, False)
    """
    return bool(WORDS.html_start.match(text))


def is_xml(text: str) -> bool:
    """Return whether a text starts as XML does, or as JATS or TEI without its first line.

    Examples
    --------
    >>> is_xml("<?xml version='1.0'?><article/>"), is_xml("<i>t</i>(49) = 4.12")
    (True, False)
    """
    return bool(WORDS.xml_start.match(text))


def walked(text: str, *, xml: bool) -> tuple[list[tuple[str, int]], list[Grid]]:
    r"""Return the text of a page in pieces, each with its line, and its tables, whose rows start where they do in it.

    Examples
    --------
    >>> [piece for piece in walked("<p>One\n<i>t</i>(4)</p>", xml=False)[0] if not piece[0].isspace()]
    [('One\n', 1), ('t', 2), ('(4)', 2)]
    """
    from lxml import etree

    safe: dict[str, Any] = {"recover": True, "remove_comments": True, "remove_pis": True, "huge_tree": True}
    data = re.sub(r"\A\s*<\?xml[^>]{0,200}\?>", "", text).translate({0: " "}).encode("utf-8", "replace")
    parser = (
        etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, encoding="utf-8", **safe)
        if xml
        else etree.HTMLParser(no_network=True, encoding="utf-8", **safe)
    )
    parser.feed(data)
    root = parser.close()
    return ([], []) if root is None else _walked(etree.iterwalk(root, events=("start", "end")))


class _Tables:
    """Follows the tables of a page. Of tables in tables the innermost count: the others are there for looks."""

    def __init__(self) -> None:
        self.grids = Grids()
        self.tables: list[Grid] = []
        self._open: list[bool] = []  # of each table around this place: whether it holds no other
        self._cell: list[str] | None = None
        self.length = 0

    def add(self, words: str, *, raised: bool = False) -> None:
        self.length += len(words)
        if self._cell is not None:
            text_before = "".join(self._cell[-2:])
            mark = (
                raised and text_before[-1:].isdecimal() and not text_before.endswith("10")
            )  # 4.12 with a note's number
            self._cell.append(words.translate(RAISED) if mark else words)

    def start(self, name: str) -> None:
        if name == "table":
            self._open = [False] * len(self._open) + [True]
            self.grids, self._cell = Grids(), None
        elif self._open and self._open[-1] and name in ROW_TAGS:
            self.grids.row(self.length)
        elif self._open and self._open[-1] and name in CELLS:
            self._cell = []

    def end(self, name: str, element: Any) -> None:
        if name == "table" and self._open:
            if self._open.pop():
                self.grids.end()
                self.tables += self.grids.tables
            self.grids = Grids()
        elif name in CELLS and self._cell is not None:
            columns, rows = (element.get(names[0]) or element.get(names[1]) for names in SPANS)
            self.grids.cell("".join(self._cell).strip(), read_span(columns), read_span(rows))
            self._cell = None


def _walked(events: Any) -> tuple[list[tuple[str, int]], list[Grid]]:
    pieces: list[tuple[str, int]] = []
    tables = _Tables()
    line, n_silent = 1, 0

    def add(text: str | None, *, raised: bool = False) -> None:
        nonlocal line
        if text and not n_silent:
            tables.add(text, raised=raised)
            for line_text in text.splitlines(keepends=True):
                pieces.append((line_text, line))
                line += line_text.endswith(("\n", "\r"))

    for event, element in events:
        name = str(element.tag).rpartition("}")[2]
        if event == "start":
            line = element.sourceline or line
            if not n_silent:
                tables.start(name)
            n_silent += _is_silent(name, element)
            if name in LINE_BREAKS:  # one breaks a line, two make a paragraph
                _end(pieces, tables, line, n_silent, "\n\n" if pieces and pieces[-1][0].isspace() else " ")
            elif name in BLOCKS:
                _end(pieces, tables, line, n_silent)
            body = WORDS.body.search(element.text or "") if name == "tex-math" else None
            add(body[1] if body else element.text, raised=name == "sup")
        else:
            n_silent -= _is_silent(name, element)
            if not n_silent:
                tables.end(name, element)
            if name in BLOCKS:
                _end(pieces, tables, line, n_silent)
            add(element.tail)
    return pieces, tables.tables


def _is_silent(name: str, element: Any) -> bool:
    """Return whether an element is not shown; of a formula in two languages, LaTeX's is not."""
    parent = element.getparent() if name == "tex-math" else None
    has_mathml = parent is not None and any(str(sibling.tag).rpartition("}")[2] == "math" for sibling in parent)
    return name in WORDS.table("silent") or has_mathml


def _end(pieces: list[tuple[str, int]], tables: _Tables, line: int, silent: int, mark: str = "\n\n") -> None:
    if not silent:
        tables.add(mark)
        pieces.append((mark, line))


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
    fragments: list[str] = []
    for node in element.iter():
        if node.tag in (f"{WORD}t", f"{MATH}t"):
            fragments.append(_set(node, node.text or ""))
        elif node.tag == f"{WORD}noBreakHyphen":
            fragments.append("-")
        elif node.tag in BREAKS or (node.tag == f"{WORD}p" and fragments):
            fragments.append(" ")
    return "".join(fragments)


def _odf(element: Any) -> Iterator[str]:
    """Yield the text of an OpenDocument element; notes and changes that were deleted are not part of it."""
    yield element.text or ""
    for child in element:
        if child.tag in BREAKS:
            yield " "
        elif isinstance(child.tag, str) and not child.tag.endswith("}tracked-changes"):
            yield from _odf(child)
        yield child.tail or ""


def _set(node: Any, text: str) -> str:
    run = node.getparent()
    height = run.find(f"{WORD}rPr/{WORD}vertAlign")
    if height is not None:
        return text.translate(HEIGHTS.get(height.get(f"{WORD}val"), {}))
    outer = run.getparent()
    return text.translate(RAISED) if outer is not None and outer.tag == f"{MATH}sup" else text


SCANNED = "has no text (it may hold scanned pages); run text recognition over it first"
LOCKED = "is encrypted; save a copy that opens without a password"
ROWS = 5  # that must stand side by side for two columns
SAME_ROW = 5.0  # points that an index stands above or below its row
EDGE = 3.0  # points that starts of lines in one column differ by
PROSE = 20  # characters of a row of a column; cells of a table have fewer
HEADS = 2  # lines at the top and at the foot of a page that may be a running head

Fragment: TypeAlias = tuple[float, float, str]


def pages(path: Path) -> list[str]:
    """Return the text of each page.

    Raises
    ------
    LogError
        If the file cannot be read, is encrypted or holds no text.
    """
    import logging

    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports every flaw of a file that it can live with
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise LogError(LOCKED, file=path)
        page_texts = [_page_text(page) for page in reader.pages]
    except LogError:
        raise
    except (DependencyError, FileNotDecryptedError):
        raise LogError(LOCKED, file=path) from None
    except Exception as error:  # a broken PDF can fail in any way that its bytes can
        raise LogError(f"cannot be read as PDF: {one_line(error) or type(error).__name__}", file=path) from None
    if not "".join(page_texts).strip():
        raise LogError(SCANNED, file=path)
    return without_heads(page_texts)


def _page_text(page: Any) -> str:
    """Return the text of a page; of rows that hold two columns side by side, first the left one."""
    fragments: list[Fragment] = []

    def visit(text: str, outer_matrix: Sequence[float], matrix: Sequence[float], *_: object) -> None:
        if text.strip():
            x = matrix[4] * outer_matrix[0] + matrix[5] * outer_matrix[2] + outer_matrix[4]
            y = matrix[4] * outer_matrix[1] + matrix[5] * outer_matrix[3] + outer_matrix[5]
            fragments.append((float(x), float(y), text.strip("\n")))

    plain = str(page.extract_text(visitor_text=visit))
    return _columns(fragments, float(page.mediabox.width)) or plain


def _columns(fragments: list[Fragment], width: float) -> str:
    """Return two columns one after the other; empty if rows do not alternate between two columns of prose."""
    starts = Counter(round(x) for x, _, _ in fragments if 0.4 * width < x < 0.65 * width)
    edge, rows = starts.most_common(1)[0] if starts else (0, 0)
    if rows < ROWS:
        return ""
    columns: tuple[list[tuple[float, str]], list[tuple[float, str]]] = ([], [])
    n_alternating, previous = 0, (0, 0.0)  # the side and the height of the fragment before
    for x, y, text in fragments:
        side = int(x >= edge - EDGE)
        n_alternating += side == 1 and previous[0] == 0 and abs(y - previous[1]) < SAME_ROW
        column = columns[side]
        if column and abs(column[-1][0] - y) < SAME_ROW:
            column[-1] = (column[-1][0], column[-1][1] + text)
        else:
            column.append((y, text))
        previous = (side, y)
    prose = [statistics.median(len(text) for _, text in column) >= PROSE for column in columns if column]
    if n_alternating < max(ROWS, 0.5 * len(columns[1])) or prose != [True, True]:
        return ""
    return "\n".join(text.strip() for column in columns for _, text in column)


def without_heads(pages: Sequence[str]) -> list[str]:
    r"""Return pages without the lines that recur, but for their numbers, at the top or the foot of several.

    Examples
    --------
    >>> without_heads(["Smith 1\nOne t(9)", "Smith 2\n= 2.4, p = .04.", "Smith 3\nThree."])
    ['One t(9)', '= 2.4, p = .04.', 'Three.']
    """
    lines = [page.strip("\n").split("\n") for page in pages]
    counts = Counter(head for page in lines for head in {_head(page[line_index]) for line_index in _edges(page)})
    recurring = {head for head, times in counts.items() if times >= max(3, len(pages) / 3)}
    page_bodies = []
    for page in lines:
        first_line, last_line = 0, len(page)
        while first_line < min(HEADS, last_line) and _head(page[first_line]) in recurring:
            first_line += 1
        while last_line > max(first_line, len(page) - HEADS) and _head(page[last_line - 1]) in recurring:
            last_line -= 1
        page_bodies.append("\n".join(page[first_line:last_line]))
    return page_bodies


def _edges(page: Sequence[str]) -> set[int]:
    return {*range(min(HEADS, len(page))), *range(max(len(page) - HEADS, 0), len(page))}


def _head(line: str) -> str:
    return WORDS.digits.sub("#", line).strip() or "\n"  # an empty line is not a head
