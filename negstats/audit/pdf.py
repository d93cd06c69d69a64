"""The text of a PDF page by page: columns one after the other, without running heads."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from negstats.audit.words import words_of
from negstats.errors import LogError, one_line

SCANNED = "has no text (it may hold scanned pages); run text recognition over it first"
LOCKED = "is encrypted; save a copy that opens without a password"
ROWS = 5  # that must stand side by side for two columns
SAME_ROW = 5.0  # points that an index stands above or below its row
EDGE = 3.0  # points that starts of lines in one column differ by
PROSE = 20  # characters of a row of a column; cells of a table have fewer
HEADS = 2  # lines at the top and at the foot of a page that may be a running head
WORDS = words_of("pdf")

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
        page_texts = [_text(page) for page in reader.pages]
    except LogError:
        raise
    except (DependencyError, FileNotDecryptedError):
        raise LogError(LOCKED, file=path) from None
    except Exception as error:  # a broken PDF can fail in any way that its bytes can
        raise LogError(f"cannot be read as PDF: {one_line(error) or type(error).__name__}", file=path) from None
    if not "".join(page_texts).strip():
        raise LogError(SCANNED, file=path)
    return without_heads(page_texts)


def _text(page: Any) -> str:
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
    sides: tuple[list[tuple[float, str]], list[tuple[float, str]]] = ([], [])
    alternating, last = 0, (0, 0.0)  # the side and the height of the fragment before
    for x, y, text in fragments:
        side = int(x >= edge - EDGE)
        alternating += side == 1 and last[0] == 0 and abs(y - last[1]) < SAME_ROW
        column = sides[side]
        if column and abs(column[-1][0] - y) < SAME_ROW:
            column[-1] = (column[-1][0], column[-1][1] + text)
        else:
            column.append((y, text))
        last = (side, y)
    prose = [statistics.median(len(text) for _, text in column) >= PROSE for column in sides if column]
    if alternating < max(ROWS, 0.5 * len(sides[1])) or prose != [True, True]:
        return ""
    return "\n".join(text.strip() for column in sides for _, text in column)


def without_heads(pages: Sequence[str]) -> list[str]:
    r"""Return pages without the lines that recur, but for their numbers, at the top or the foot of several.

    Examples
    --------
    >>> without_heads(["Smith 1\nOne t(9)", "Smith 2\n= 2.4, p = .04.", "Smith 3\nThree."])
    ['One t(9)', '= 2.4, p = .04.', 'Three.']
    """
    lines = [page.strip("\n").split("\n") for page in pages]
    counts = Counter(head for page in lines for head in {_head(page[at]) for at in _edges(page)})
    recurring = {head for head, times in counts.items() if times >= max(3, len(pages) / 3)}
    page_bodies = []
    for page in lines:
        top, foot = 0, len(page)
        while top < min(HEADS, foot) and _head(page[top]) in recurring:
            top += 1
        while foot > max(top, len(page) - HEADS) and _head(page[foot - 1]) in recurring:
            foot -= 1
        page_bodies.append("\n".join(page[top:foot]))
    return page_bodies


def _edges(page: Sequence[str]) -> set[int]:
    return {*range(min(HEADS, len(page))), *range(max(len(page) - HEADS, 0), len(page))}


def _head(line: str) -> str:
    return WORDS.digits.sub("#", line).strip() or "\n"  # an empty line is not a head
