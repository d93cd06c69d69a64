"""HTML, JATS and TEI to plain text: tags of blocks end a paragraph, all others leave no trace.

libxml2 parses (through lxml): its time is linear and it repairs what browsers would. Nothing is run, no entity of the
file's own is expanded and nothing is fetched.
"""

from __future__ import annotations

import re
from typing import Any

from negstats.audit.grids import Grid, Grids, read_span
from negstats.audit.office import RAISED
from negstats.audit.words import words_of

WORDS = words_of("markup")
BLOCKS = frozenset(WORDS.table("html_blocks") + WORDS.table("xml_blocks"))
BREAKS = frozenset(["br", "break", "lb"])
ROWS = frozenset(["tr", "row"])
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
        elif self._open and self._open[-1] and name in ROWS:
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
    line, silent = 1, 0

    def add(text: str | None, *, raised: bool = False) -> None:
        nonlocal line
        if text and not silent:
            tables.add(text, raised=raised)
            for part in text.splitlines(keepends=True):
                pieces.append((part, line))
                line += part.endswith(("\n", "\r"))

    for event, element in events:
        name = str(element.tag).rpartition("}")[2]
        if event == "start":
            line = element.sourceline or line
            if not silent:
                tables.start(name)
            silent += _is_silent(name, element)
            if name in BREAKS:  # one breaks a line, two make a paragraph
                _end(pieces, tables, line, silent, "\n\n" if pieces and pieces[-1][0].isspace() else " ")
            elif name in BLOCKS:
                _end(pieces, tables, line, silent)
            body = WORDS.body.search(element.text or "") if name == "tex-math" else None
            add(body[1] if body else element.text, raised=name == "sup")
        else:
            silent -= _is_silent(name, element)
            if not silent:
                tables.end(name, element)
            if name in BLOCKS:
                _end(pieces, tables, line, silent)
            add(element.tail)
    return pieces, tables.tables


def _is_silent(name: str, element: Any) -> bool:
    """Return whether an element is not shown; of a formula in two languages, LaTeX's is not."""
    parent = element.getparent() if name == "tex-math" else None
    twice = parent is not None and any(str(other.tag).rpartition("}")[2] == "math" for other in parent)
    return name in WORDS.table("silent") or twice


def _end(pieces: list[tuple[str, int]], tables: _Tables, line: int, silent: int, mark: str = "\n\n") -> None:
    if not silent:
        tables.add(mark)
        pieces.append((mark, line))
