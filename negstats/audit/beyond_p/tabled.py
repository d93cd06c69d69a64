"""Tables of means: whether whole answers can have the mean and SD of a row (GRIM, GRIMMER), and 0s and 1s (DEBIT).

A table seldom says how many items a mean is of. So what one answer of each cannot give is a note; only where the row
or the column says that it is of one item, or of yes and no, is it flagged.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator, Sequence

from negstats.audit.beyond_p.answers import ONE_ITEM, judge_mean
from negstats.audit.beyond_p.judgement import Judgement
from negstats.audit.grids import Grid
from negstats.audit.reading import Document
from negstats.printed_numbers import printed

ROLES = (
    ("mean", re.compile(r"(?:M|[Mm]ean)(?:s|\.)?")),
    ("sd", re.compile(r"SD|S\.D\.|[Ss]td\.? ?[Dd]ev(?:iation|\.)?|[Ss]tandard deviation")),
    ("both", re.compile(r"(?:M|[Mm]ean) ?[(±] ?(?:SD|S\.D\.) ?\)?")),
    ("n", re.compile(r"[nN]")),
)
SIZE = re.compile(r"[nN] ?= ?(\d{1,4})(?!\d|[.,]\d)")
NUMBER = re.compile(r"\d{0,3}\.\d{1,3}")
BOTH = re.compile(r"(\d{0,3}\.\d{1,3}) ?[(±] ?(\d{0,3}\.\d{1,3}) ?\)?")
BINARY = re.compile(r"\bbinary|dichotom|yes ?/ ?no\b|\b0 ?[/,] ?1\b|\b0 ?= ?no\b", re.I)
MOST = 400  # rows that are looked at


def of_tables(paper: Document) -> Iterator[Judgement]:
    r"""Yield of each row with a mean, an SD and n whether whole answers can have them.

    Examples
    --------
    >>> from negstats.audit.reading import document
    >>> rows = "| fair (single item) | 18 | 3.44 | 2.47 |", "| kind | 18 | 3.44 | 2.48 |"
    >>> table = "\n".join(["| | n | M | SD |", "|---|---|---|---|", *rows])
    >>> [(result.grade, result.raw) for result in of_tables(document(table))]
    [('cannot be', 'M = 3.44, SD = 2.47, n = 18'), ('fits', 'M = 3.44, SD = 2.48, n = 18')]
    """
    notes: list[Judgement] = []  # of tables of scales there would be one a row
    rows = itertools.islice((row for grid in paper.grids for row in _rows(grid)), MOST)
    for start, label, (mean, sd, n) in rows:
        binary = bool(BINARY.search(label)) and printed(mean).value <= 1
        is_sure = binary or bool(ONE_ITEM.search(label))
        grade, why = judge_mean(printed(mean), printed(sd), n, is_sure=is_sure, binary=binary)
        raw, what = f"M = {mean}, SD = {sd}, n = {n}", "a row of a table of means"
        judgement = Judgement(grade, what, why, raw, f"{label}: {raw}" if label else raw, paper.place(start))
        if grade == "fits only if":
            notes.append(judgement)
        else:
            yield judgement
    if notes:
        more = f"; and so have {len(notes) - 1} more rows" if len(notes) > 1 else ""
        yield dataclasses.replace(notes[0], why=notes[0].why + more)


def _rows(grid: Grid) -> Iterator[tuple[int, str, tuple[str, str, int]]]:
    """Yield of each row with one mean where it starts, its label and its numbers."""
    roles: dict[str, int] = {}
    for row in grid.rows:
        cells = [" ".join(cell.split())[:200] for cell in row.cells]
        header = {role: place for place, cell in enumerate(cells) for role, pattern in ROLES if pattern.fullmatch(cell)}
        if len(header) > 1 or "both" in header:
            n_header_cells = sum(bool(pattern.fullmatch(cell)) for cell in cells for _, pattern in ROLES)
            roles = header if n_header_cells == len(header) else {}
        elif roles:
            numbers = _numbers(roles, cells)
            if numbers:
                yield row.start, next((cell for cell in cells if re.search(r"[^\W\d_]{3}", cell)), "")[:120], numbers


def _numbers(roles: dict[str, int], cells: Sequence[str]) -> tuple[str, str, int] | None:
    if max(roles.values()) >= len(cells):
        return None
    if "both" in roles:
        mean_and_sd = BOTH.fullmatch(cells[roles["both"]])
        mean, sd = (mean_and_sd[1], mean_and_sd[2]) if mean_and_sd else ("", "")
    else:
        mean, sd = (cells[roles[name]] if name in roles else "" for name in ("mean", "sd"))
    size = cells[roles["n"]] if "n" in roles else ""
    n = int(size) if size.isdecimal() and size.isascii() and len(size) < 5 else 0
    return (mean, sd, n) if NUMBER.fullmatch(mean) and NUMBER.fullmatch(sd) and n > 1 else None
