"""Means and SDs in running text, where the scale and n are said: GRIM, GRIMMER and what a scale allows.

A mean of whole answers is a multiple of 1/n only if each person gave one (or a known number of them). So a mean that n
answers cannot have is an error only where the text says that it is of one item, or of so many; else several answers of
each explain it. What a scale allows holds for means of any number of items. And a paragraph with a scale may speak of
other things too, of age or points: a mean is of the scale for sure only behind it in one part of a sentence.

Tables of means are held alike. A table seldom says how many items a mean is of: what one answer of each cannot give is
a note, and flagged only where the row or the column says that it is of one item, or of yes and no (DEBIT).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from negstats.audit.beyond_p.judgement import RIGHT_IF, Grade, Judgement
from negstats.audit.grids import Grid
from negstats.audit.grim import grade_mean
from negstats.audit.reading import Cleaned, Document
from negstats.audit.statistic_patterns import NUMBER_WORDS
from negstats.audit.words import words_of
from negstats.errors import DesignError
from negstats.printed_numbers import Printed, printed

NEAR = 700  # characters on each side of a mean in which its scale is said
WORDS = words_of("answers")
LIMIT = 50_000  # candidates of GRIMMER


@dataclass(frozen=True, slots=True)
class _Scale:
    """The ends of a scale (its points alone where they are not said), and what is said of its items."""

    low: int | None
    high: int | None
    items: int | None  # None: not said
    place: int  # where the text speaks of it first
    end: int  # and where it has done so last


def answers(paper: Document, clean_text: Cleaned) -> Iterator[Judgement]:
    """Yield of each mean with its n, in a paragraph that says one scale, whether whole answers can have it.

    Examples
    --------
    >>> from negstats.audit.reading import clean, document
    >>> text = "They answered one question on a scale from 1 to 7 (M = 3.45, SD = 1.20, n = 23)."
    >>> for result in answers(document(text), clean(text)):
    ...     print(result.grade, "·", result.why)
    cannot be · 23 answers to one item have no mean of 3.45; the nearest are 3.4348 and 3.4783
    """
    text, judged_end = clean_text.text, 0
    if not any(gate.search(text) for gate in WORDS.group("gates").values()):
        return
    for mean_match in WORDS.mean.finditer(text):
        start = mean_match.start()
        if start < judged_end:
            continue
        # What stands before was judged with the mean before; this one may be of the same paragraph.
        last_end, paragraph_start = judged_end, max(text.rfind("\n", max(start - NEAR, 0), start) + 1, start - NEAR, 0)
        line_end = text.find("\n", start, start + NEAR)
        judged_end = min(start + NEAR, len(text)) if line_end < 0 else line_end
        paragraph = text[paragraph_start:judged_end]
        scale = _scale(paragraph)
        if scale is not None:
            for cell in WORDS.cell.finditer(paragraph, max(last_end - paragraph_start, 0)):
                yield from _judged(cell, scale, paragraph, paper.place(clean_text.origin(start)))


def _scale(text: str) -> _Scale | None:
    """Return the one scale of answers of a paragraph; None if it speaks of none, of several, or of points earned."""
    if WORDS.of_points.search(text):
        return None
    scale_matches = [match for pattern in (WORDS.from_to, WORDS.ends) for match in pattern.finditer(text)]
    point_matches = list(WORDS.points.finditer(text))
    scale_ends = {(int(match["low"]), int(match["high"])) for match in scale_matches}
    points = {_count(point_match["points"]) for point_match in point_matches}
    if len(scale_ends) > 1 or len(points) > 1 or not (scale_ends or points):
        return None
    # Ends and number of points have to agree.
    lowest, highest = scale_ends.pop() if scale_ends else (None, None)
    if (
        lowest is not None
        and highest is not None
        and (lowest >= highest or (points and points != {highest - lowest + 1}))
    ):
        return None
    items = {_count(match["items"]) for match in WORDS.of_items.finditer(text)}
    if WORDS.one_item.search(text):
        items.add(1)
    first_place, last_place = (
        min(match.start() for match in scale_matches + point_matches),
        max(match.end() for match in scale_matches + point_matches),
    )
    return _Scale(lowest, highest, items.pop() if len(items) == 1 else None, first_place, last_place)


def _count(text: str) -> int:
    return NUMBER_WORDS.get(text.lower(), 0) or int(text)


def _judged(cell: re.Match[str], scale: _Scale, text: str, place: int) -> Iterator[Judgement]:
    size_text = cell["behind"] or cell["before"]
    if not size_text or int(size_text) < 2 or cell.start() < scale.place or WORDS.unit.match(text, cell.end("mean")):
        return
    mean, n = printed(cell["mean"]), int(size_text)
    sd = printed(cell["sd"]) if cell["sd"] else None
    sentence_start = max(text.rfind(". ", 0, cell.start()) + 1, 0)
    sentence_end = text.find(". ", cell.end())
    sentence = text[sentence_start : sentence_end + 1 if sentence_end >= 0 else len(text)].strip()
    is_of_scale = not WORDS.apart.search(text, min(scale.end, cell.start()), cell.start())
    for grade, subject, reason in _graded(mean, sd, n, scale, text):
        if grade == "cannot be" and not is_of_scale:
            grade, reason = "fits only if", f"{reason}{RIGHT_IF}it is of something else, or on another scale"
        yield Judgement(grade, subject, reason, cell[0].strip(), sentence, place)


def _graded(mean: Printed, sd: Printed | None, n: int, scale: _Scale, text: str) -> Iterator[tuple[Grade, str, str]]:
    lowest, highest = scale.low, scale.high
    if lowest is not None and highest is not None and not WORDS.summed.search(text):
        if mean.high < lowest or mean.low > highest:
            yield "cannot be", "a mean and its scale", f"M = {mean} is outside the scale from {lowest} to {highest}"
            return
        largest_sd = _largest_sd(mean, n, lowest, highest)
        if sd is not None and sd.low > largest_sd + 1e-9:
            claim = (
                f"{n} answers from {lowest} to {highest} with a mean of {mean} have an SD of at most {largest_sd:.3f}"
            )
            yield "cannot be", "an SD and its scale", f"{claim}, and {sd} is printed"
            return
    # GRIM says something only where the mean is printed finer than answers can make it.
    items = scale.items or 1
    if n * items < 10**mean.decimals:
        is_sure = scale.items is not None and not (items == 1 and WORDS.several.search(text))
        grade, reason = judge_mean(mean, sd, n, items, is_sure=is_sure)
        if grade != "cannot be checked":
            yield grade, f"a mean of {n} answers", reason


def judge_mean(
    mean: Printed, sd: Printed | None, n: int, items: int = 1, *, is_sure: bool, binary: bool = False
) -> tuple[Grade, str]:
    """Judge whether whole answers can have a mean and an SD: an error only where it is sure how many answers there are.

    Examples
    --------
    >>> [judge_mean(printed("3.45"), None, 10, is_sure=is_sure)[0] for is_sure in (True, False)]
    ['cannot be', 'fits only if']
    """
    if not binary and n * items >= 10**mean.decimals:
        return "fits", "so many answers can have any mean"
    try:
        possible = grade_mean(mean, sd, n, items, binary=binary, limit=LIMIT)
    except DesignError as error:
        return "cannot be checked", str(error)
    if not possible.fault:
        return "fits", possible.why
    several = f"{possible.why}{RIGHT_IF}each gave several answers, or if n is another"
    return ("cannot be", possible.why) if is_sure else ("fits only if", several)


def _largest_sd(mean: Printed, n: int, lowest: int, highest: int) -> float:
    """Return the largest SD of n answers on a scale with such a mean (Bhatia & Davis, 2000)."""
    midpoint = (lowest + highest) / 2
    nearest = min(max(midpoint, mean.low), mean.high)
    nearest = min(max(nearest, lowest), highest)
    return math.sqrt((nearest - lowest) * (highest - nearest) * n / (n - 1))


MOST_ROWS = 400  # rows that are looked at


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
    rows = itertools.islice((row for grid in paper.grids for row in _rows(grid)), MOST_ROWS)
    for start, label, (mean, sd, n) in rows:
        is_binary = bool(WORDS.of_two.search(label)) and printed(mean).value <= 1
        is_sure = is_binary or bool(WORDS.one_item.search(label))
        grade, reason = judge_mean(printed(mean), printed(sd), n, is_sure=is_sure, binary=is_binary)
        raw, subject = f"M = {mean}, SD = {sd}, n = {n}", "a row of a table of means"
        judgement = Judgement(grade, subject, reason, raw, f"{label}: {raw}" if label else raw, paper.place(start))
        if grade == "fits only if":
            notes.append(judgement)
        else:
            yield judgement
    if notes:
        more_text = f"; and so have {len(notes) - 1} more rows" if len(notes) > 1 else ""
        yield dataclasses.replace(notes[0], why=notes[0].why + more_text)


def _rows(grid: Grid) -> Iterator[tuple[int, str, tuple[str, str, int]]]:
    """Yield of each row with one mean where it starts, its label and its numbers."""
    forms, roles = WORDS.group("roles"), dict[str, int]()
    for row in grid.rows:
        cells = [" ".join(cell.split())[:200] for cell in row.cells]
        header = {
            role: column
            for column, cell in enumerate(cells)
            for role, pattern in forms.items()
            if pattern.fullmatch(cell)
        }
        if len(header) > 1 or "both" in header:
            n_header_cells = sum(
                bool(pattern.fullmatch(cell)) for cell in cells for pattern in WORDS.group("roles").values()
            )
            roles = header if n_header_cells == len(header) else {}
        elif roles:
            numbers = _numbers_of(roles, cells)
            if numbers:
                yield row.start, next((cell for cell in cells if re.search(r"[^\W\d_]{3}", cell)), "")[:120], numbers


def _numbers_of(roles: dict[str, int], cells: Sequence[str]) -> tuple[str, str, int] | None:
    if max(roles.values()) >= len(cells):
        return None
    if "both" in roles:
        mean_and_sd = WORDS.both.fullmatch(cells[roles["both"]])
        mean, sd = (mean_and_sd[1], mean_and_sd[2]) if mean_and_sd else ("", "")
    else:
        mean, sd = (cells[roles[name]] if name in roles else "" for name in ("mean", "sd"))
    size = cells[roles["n"]] if "n" in roles else ""
    n = int(size) if size.isdecimal() and size.isascii() and len(size) < 5 else 0
    return (mean, sd, n) if WORDS.number_cell.fullmatch(mean) and WORDS.number_cell.fullmatch(sd) and n > 1 else None
