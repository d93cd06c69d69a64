"""Tables as grids of cells: of HTML, JATS and TEI, of Word and OpenDocument, of Markdown's pipes and LaTeX's tabular.

A grid says what stands in which column, and nothing of what it means (see `columns`). Cells that span several columns
or rows take their room, so that a column stays one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from negstats.audit.words import words_of

WIDEST = 60  # columns that are looked at
LONGEST = 5000  # rows that one cell can span
OF_DELIMITER = frozenset("|:-+ \t")
WORDS = words_of("grids")


@dataclass(frozen=True, slots=True)
class GridRow:
    """The cells of a row, and where it starts in its document."""

    cells: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as its rows, headers among them."""

    rows: tuple[GridRow, ...]


def read_span(text: str | None) -> int:
    """Return how many columns or rows a file says that a cell spans; 1 where it says nothing that can be.

    Examples
    --------
    >>> [read_span(text) for text in ("3", None, "²", "99999")]
    [3, 1, 1, 1]
    """
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 5 else 1


class Grids:
    """Builds grids from cells as they come, each with the room that it takes.

    Examples
    --------
    >>> grids = Grids()
    >>> for cells in ([("a", 1, 2), ("b", 2, 1)], [("c", 1, 1), ("d", 1, 1)]):
    ...     grids.row(0)
    ...     for text, columns, rows in cells:
    ...         grids.cell(text, columns, rows)
    >>> grids.end()
    >>> [row.cells for row in grids.tables[0].rows]
    [('a', 'b', ''), ('a', 'c', 'd')]
    """

    def __init__(self) -> None:
        self.tables: list[Grid] = []
        self._rows: list[GridRow] = []
        self._cells: list[str] | None = None
        self._start = 0
        # Of a column: what a cell above says there, and for how many rows more; in this row and in the next.
        self._above: dict[int, tuple[str, int]] = {}
        self._below: dict[int, tuple[str, int]] = {}

    def row(self, start: int) -> None:
        """Start a row at a place of the document."""
        self._end_row()
        self._cells, self._start = [], start

    def cell(self, text: str, columns: int = 1, rows: int = 1) -> None:
        """Add a cell to the row."""
        if self._cells is None:
            return
        self._from_above()
        for column in range(min(max(columns, 1), WIDEST - len(self._cells))):
            self._add(text if column == 0 else "", min(rows, LONGEST) - 1)

    def _add(self, text: str, rows_below: int) -> None:
        if self._cells is None:
            return
        if rows_below > 0:
            self._below[len(self._cells)] = (text, rows_below)
        self._cells.append(text)

    def _from_above(self) -> None:
        while self._cells is not None and len(self._cells) in self._above:
            text, rows = self._above.pop(len(self._cells))
            self._add(text, rows - 1)

    def _end_row(self) -> None:
        if self._cells is not None:
            self._from_above()
            self._rows.append(GridRow(tuple(self._cells), self._start))
            self._cells = None
        self._above, self._below = self._below, {}

    def end(self) -> None:
        """End the table."""
        self._end_row()
        if len(self._rows) > 1:
            self.tables.append(Grid(tuple(self._rows)))
        self._rows, self._above = [], {}


def text_grids(text: str) -> tuple[Grid, ...]:
    r"""Return the tables of a text: Markdown's pipes and LaTeX's tabular.

    Examples
    --------
    >>> [row.cells for row in text_grids("| a | b |\n|---|---|\n| 1 | 2 |")[0].rows]
    [('a', 'b'), ('1', '2')]
    >>> [row.cells for row in text_grids(r"\begin{tabular}{lr} a & b \\ 1 & 2 \end{tabular}")[0].rows]
    [('a', 'b'), ('1', '2')]
    """
    all_grids: list[Grid] = []
    if "|" in text:
        all_grids += _piped(text)
    if r"\begin{" in text:
        all_grids += _tabular(text)
    return tuple(all_grids)


def _piped(text: str) -> list[Grid]:
    grids, in_table, start = Grids(), False, 0
    line_before: tuple[str, int] = ("", 0)
    for line in text.splitlines(keepends=True):
        if in_table and "|" in line:
            _pipe_row(grids, line, start)
        elif in_table:
            grids.end()
            in_table = False
        elif "|" in line_before[0] and "-" in line and "|" in line and OF_DELIMITER.issuperset(line.strip()):
            _pipe_row(grids, *line_before)
            in_table = True
        line_before = (line, start)
        start += len(line)
    grids.end()
    return grids.tables


def _pipe_row(grids: Grids, line: str, start: int) -> None:
    grids.row(start)
    for cell in WORDS.pipe.split(line.strip().removeprefix("|").removesuffix("|"), maxsplit=WIDEST):
        grids.cell(cell.replace(r"\|", "|").strip())


def _tabular(text: str) -> list[Grid]:
    grids, start = Grids(), None
    for mark in WORDS.tabular.finditer(text):
        if mark[1] == "begin":
            start = mark.end()
        elif start is not None:
            start = _find_rows_start(text, start)
            for row_start, row_end in _split_places(WORDS.row_end, text, start, mark.start()):
                _latex_row(grids, WORDS.rules.sub("", text[row_start:row_end]), row_end)
            grids.end()
            start = None
    return grids.tables


def _split_places(pattern: re.Pattern[str], text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text, start, stop):
        yield start, match.start()
        start = match.end()
    yield start, stop


def _find_rows_start(text: str, start: int) -> int:
    """Return where a tabular's rows start: behind the braces (of a width and) of its columns."""
    depth, end = 0, start
    for position in range(start, min(start + 500, len(text))):
        if text[position] in "{[":
            depth += 1
        elif text[position] in "}]":
            depth -= 1
            end = position + 1
        elif depth == 0 and not text[position].isspace():
            break
    return end


def _latex_row(grids: Grids, row_text: str, end: int) -> None:
    row_text = row_text.lstrip()  # rules and blanks stand before a row, not in it
    if not row_text:
        return
    grids.row(end - len(row_text))
    for cell in WORDS.ampersand.split(row_text, maxsplit=WIDEST):
        span = WORDS.span.match(cell)
        n_columns = int(span["by"]) if span and span["way"] == "column" else 1
        grids.cell((cell[span.end() :].rstrip().removesuffix("}") if span else cell).strip(), n_columns)
