"""Tables whose columns are separated by blanks only: in plain text, in a program's output, and in rows from a PDF.

A line that is a header and nothing else (names of columns, a p and a statistic among them) starts one. A row below it
belongs to it if it ends in as many values as the header has columns; so blanks need not line up, which they seldom do
in the text of a PDF. Values count from the right, and what stands before them is the row's label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from negstats.audit.columns import ERROR, STATISTICS, role_of
from negstats.audit.grids import Grid, GridRow

LONGEST = 200  # characters of a line of a table
MOST_ROWS = 100
MISSES = 3  # lines in a row that are none of its rows, behind which a table has ended
# A p with blanks before it that no relation follows: in every header, and the one class at its start is fast to find.
GATE = re.compile(
    r"[pPS](?<=[ \t].)(?:(?<=[pP])(?:[-. ]?[vV]al(?:ues?|\.)?)?|(?<=S)ig\.|(?<=P)r ?\(>[^ \n]{1,6}\))"
    r"(?=[ \t]*(?:\n|\Z|[ \t][^\s<=>≤≥]))"
)
PHRASES = re.compile(  # headers of several words, and all others
    r"Pr ?\([>≥] ?\|?(?:[tzF]|Chi(?:sq)?)\|? ?\)|[tzF][ -](?:value|stat(?:istic)?|ratio)|p[ -]values?|"
    r"(?:Sum|Mean) (?:Sq|of [Ss]quares?|[Ss]quare)|Std\. (?:Error|Dev\.?)|[Ss]tandard [Ee]rror|\d\d(?:\.\d)? ?% ?CI|"
    r"(?:Num|Den) ?[Dd][Ff]|df ?[12]|(?:Wald )?χ ?[²2]|[Cc]hi[- ](?:square|squared|2)|(?:partial )?η ?p? ?[²2]|"
    r"Cohen['’]s d|Sig\.(?: ?\([12]-tailed\))?|[^\s]+"
)
OF_R = re.compile(r"\|[tz]\|")  # Pr(>|t|)
NO_HEADER = re.compile(r"[=≤≥≈]|(?<![(])[<>]|\d\.\d*[1-9]|[.:;,]$")
SIGNS = re.compile(r"(?<=[<>≤≥=]) (?=[.\d])|(?<=\d,) (?=\d)|(?<=\() | (?=\))")  # blanks inside of a value
STARS = re.compile(r"[ \t]+[*†.+]{1,4}[ \t]*$")
TOKEN = re.compile(
    r"[(\[]?[<>≤≥=]?[-+−–]?(?:\d[\d,]*)?\.?\d+(?:,\d+(?:\.\d+)?)?(?:[eE][-+−]?\d{1,3})?[)\]]?\*{0,4}|"
    r"<2\.?2?e-16|n\.?s\.?|[-–—]"
)


def aligned_grids(text: str) -> tuple[Grid, ...]:
    r"""Return the tables of a text whose columns only blanks part.

    Examples
    --------
    >>> text = "Table 1\nEffect  df  F  p\nreward  1, 28  4.60  .041\nOf others  1, 28  0.46  .503\n\nSo it was."
    >>> [row.cells for row in aligned_grids(text)[0].rows][1:]
    [('reward', '', '1,28', '4.60', '.041'), ('Of others', '', '1,28', '0.46', '.503')]
    """
    grids = []
    end = 0
    for mark in GATE.finditer(text):
        if mark.start() < end:
            continue
        first = text.rfind("\n", 0, mark.start()) + 1
        end = _line_end(text, mark.end())
        header = _header(text[first:end])
        if header:
            rows = [GridRow(("", *header), first), *_rows(text, end + 1, header)]
            if len(rows) > 1:
                grids.append(Grid(tuple(rows)))
    return tuple(grids)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _header(line: str) -> list[str]:
    """Return the columns that a line names; none if it is not a header."""
    if len(line) > LONGEST or "&" in line or "|" in OF_R.sub("", line) or NO_HEADER.search(line.strip()):
        return []
    names = PHRASES.findall(" ".join(line.split()))
    roles = [role_of(name) for name in names]
    if "p" not in roles or not any(role in STATISTICS for role in roles) or len(names) > 14:
        return []
    return names


def _rows(text: str, start: int, header: Sequence[str]) -> list[GridRow]:
    """Return the rows below a header: lines that all end in the same number of values.

    Headers before the first that is known ("Effect", "Source of variance") may name the label and not a column.
    """
    lines: list[tuple[int, str, list[str]]] = []
    misses = 0
    while start < len(text) and misses < MISSES and len(lines) < MOST_ROWS:
        end = _line_end(text, start)
        line = text[start:end]
        if (lines and not line.strip()) or _header(line):
            break
        label, values = _parted(line) if len(line) <= LONGEST else ("", [])
        misses = 0 if values else misses + 1
        if values:
            lines.append((start + len(line) - len(line.lstrip()), label, values))
        start = end + 1
    first_statistic = next(place for place, name in enumerate(header) if role_of(name))
    wide = max((len(values) for _, _, values in lines), default=0)
    if not len(header) - first_statistic <= wide <= len(header):
        return []
    empty_cells = [""] * (len(header) - wide)
    rows = []
    for place, label, values in lines:
        if len(values) == wide or ERROR.fullmatch(label):  # the row of the error has no F and no p
            rows.append(GridRow((label, *empty_cells, *values, *[""] * (wide - len(values))), place))
    return rows


def _parted(line: str) -> tuple[str, list[str]]:
    """Return the label of a line and the values that it ends in."""
    words = SIGNS.sub("", STARS.sub("", line.replace("\t", "  "))).split()
    values: list[str] = []
    while words and TOKEN.fullmatch(words[-1]):
        values.insert(0, words.pop())
    return " ".join(words), values
