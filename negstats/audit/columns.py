"""Results in tables: df, statistic and p in columns, known by their headers, said again as a sentence says them.

Precision first: a row is a result only where its header names exactly one statistic beside a p; a header that is not
known, and stars without a p, give nothing. What a row says is then read and checked as any sentence (`finding`).

Tables whose columns only blanks part (in plain text, in a program's output, in rows from a PDF) are found here, too. A
line that is a header and nothing else starts one. A row below it belongs to it if it ends in as many values as the
header has columns; so blanks need not line up, which they seldom do in the text of a PDF. Values count from the right,
and what stands before them is the row's label.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from negstats.audit.grids import WIDEST, Grid, GridRow
from negstats.audit.words import words_of

STATISTICS = ("t", "F", "χ²", "G²", "z", "r", "ρ")
LONGEST = 60  # characters of a header or of a number's cell
BELOW = 40  # rows in which the error of an effect is looked for
WORDS = words_of("columns")


@dataclass(frozen=True, slots=True)
class _Column:
    """What the header of a column says: its role, df that stand in it, and for p what it says of a correction."""

    role: str
    df: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Group:
    """The columns of one result: the statistic (none where p is of an estimate), its p, and what else stands there."""

    statistic: int | None
    p: int
    others: Mapping[str, int]


def said_in(grid: Grid) -> Iterator[tuple[int, str, str]]:
    r"""Yield of each row that reports a result where it starts, its label, and the result as a sentence says it.

    Examples
    --------
    >>> from negstats.audit.grids import text_grids
    >>> text = "| | F | df | p |\n|---|---|---|---|\n| reward | 4.60 | 1, 28 | .041 |"
    >>> [(label, sentence) for _, label, sentence in said_in(text_grids(text)[0])]
    [('reward', 'F(1, 28) = 4.60, p = .041')]
    """
    rows = [[" ".join(cell.split()) for cell in _clean(row.cells)] for row in grid.rows]
    starts = [row.start for row in grid.rows]
    # A table whose columns are results has its headers in the first column: it is turned.
    if not any(_header(cells, ()) for cells in rows) and (transposed_rows := _transpose(rows)):
        rows, starts = transposed_rows, [starts[0]] * len(transposed_rows)
    header: Sequence[_Column | None] = ()
    groups: Sequence[_Group] = ()
    for row_index, cells in enumerate(rows):
        columns_of_header = _header(cells, rows[row_index - 1] if row_index else ())
        if columns_of_header:
            header, groups = columns_of_header, _groups(columns_of_header)
            continue
        for group in groups:
            if len(cells) != len(header):
                continue
            sentence = _build_sentence(group, header, cells, rows[row_index + 1 : row_index + 1 + BELOW])
            if sentence:
                yield starts[row_index], _label(cells), sentence


def _transpose(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return a table whose first column names what stands in its rows with that column as its header; else nothing."""
    n_columns = min(map(len, rows))
    if len(rows) > WIDEST or n_columns < 2 or not _header([cells[0] for cells in rows], ()):
        return []
    return [[cells[column] for cells in rows] for column in range(n_columns)]


def _clean(cells: Sequence[str]) -> Iterator[str]:
    from negstats.audit.reading import clean

    for cell in cells:
        yield cell if cell.isascii() and cell.isalnum() else clean(cell[:400]).text


def _header(cells: Sequence[str], upper_cells: Sequence[str]) -> Sequence[_Column | None]:
    """Return what the columns hold, if this row is a header: it names a statistic and a p, and no numbers."""
    columns = [_column(cell) for cell in cells]
    if not any(column is not None and column.role in ("p", *STATISTICS) for column in columns):
        return ()
    if any(WORDS.plain.fullmatch(cell) for cell in cells):
        return ()
    if len(upper_cells) == len(cells):  # a header in two rows: where the lower says nothing, the upper holds
        columns = [
            _column(upper_cell) if not lower_cell and upper_cell else lower_column
            for lower_cell, upper_cell, lower_column in zip(cells, upper_cells, columns, strict=True)
        ]
    if {"x", "y"} <= {cell.lower() for cell in (*cells, *upper_cells)}:  # places in a brain, and so is z
        columns = [None if column is not None and column.role == "z" else column for column in columns]
    roles = {column.role for column in columns if column is not None}
    return columns if "p" in roles and (roles & {*STATISTICS} or _estimates(roles)) else ()


def _estimates(roles: Collection[str]) -> bool:
    """Whether columns hold estimates that p can be held against: b with its SE, or a ratio with its interval."""
    interval = "CI" in roles or ("low" in roles and "high" in roles)
    return ("b" in roles and "SE" in roles) or (interval and any(name in roles for name in ("b", "OR", "HR")))


def _column(cell: str) -> _Column | None:
    if not cell or len(cell) > LONGEST:
        return None
    for role, pattern in WORDS.group("headers").items():
        if role_match := pattern.fullmatch(cell):
            groups_of_match = role_match.groupdict()
            note = " ".join(
                filter(None, (groups_of_match.get(name) for name in ("adjusted", "note", "sides", "level")))
            )
            return _Column(role, (groups_of_match.get("df") or "").strip(), note.strip("_. ()[]"))
    return None


@lru_cache(maxsize=1024)
def role_of(name: str) -> str:
    """Return what a column of this name holds ("p", "F", "df", ...); empty if the name is not known.

    Examples
    --------
    >>> role_of("Pr(>F)"), role_of("Mean")
    ('p', '')
    """
    column = _column(name)
    return column.role if column else ""


def _groups(header: Sequence[_Column | None]) -> list[_Group]:
    """Return the results of a row: each p with the one statistic since the p before it."""
    roles_by_column = [(index, column.role) for index, column in enumerate(header) if column is not None]
    p_columns = [index for index, role in roles_by_column if role == "p"]
    groups, first_column = [], 0
    for p_column in p_columns:
        last_column = p_column if len(p_columns) > 1 else len(header)
        # What stands behind the last p (an effect size, an interval) is still its row's.
        end_column = (
            len(header)
            if p_column == p_columns[-1]
            else next(
                (later_column for later_column, role in roles_by_column if later_column > p_column and role in _STARTS),
                p_column,
            )
        )
        group = [
            (index, role) for index, role in roles_by_column if first_column <= index < max(end_column, last_column)
        ]
        tests = [(index, role) for index, role in group if role in STATISTICS]
        tests = [test for test in tests if test[1] not in ("r", "ρ")] or tests
        roles = [role for _, role in group if role not in ("r", "ρ")]
        if len(roles) == len(set(roles)) and (len(tests) == 1 or (not tests and _estimates({*roles}))):
            groups.append(_Group(tests[0][0] if tests else None, p_column, {role: index for index, role in group}))
        first_column = p_column + 1 if end_column == p_column else end_column
    return groups


_STARTS = (*STATISTICS, "df", "df1", "n", "b", "p")  # what the columns of a next result may start with


def _build_sentence(
    group: _Group, header: Sequence[_Column | None], cells: Sequence[str], rows_below: Sequence[Sequence[str]]
) -> str:
    """Return a row's result as a sentence says it; empty if its cells are not numbers."""
    of_p, p = header[group.p], WORDS.p_cell.fullmatch(cells[group.p][:LONGEST])
    if of_p is None or not (p or WORDS.not_significant.fullmatch(cells[group.p][:LONGEST])):
        return ""
    note = f" ({of_p.note})" if of_p.note else ""
    said_p = f"p{note} {p['relation'] or '='} {p['value']}" if p else "n.s."
    text_before, text_behind = _text_before(group, cells), _text_behind(group, header, cells)
    if group.statistic is None:
        estimates = text_before + text_behind.removeprefix(", ")
        return f"{estimates.removesuffix(', ')}, {said_p}" if estimates else ""
    test, n = _test(group, group.statistic, header, cells, rows_below)
    return f"{text_before}{test}, {said_p}{n}{text_behind}" if test else ""


def _test(
    group: _Group,
    statistic: int,
    header: Sequence[_Column | None],
    cells: Sequence[str],
    rows_below: Sequence[Sequence[str]],
) -> tuple[str, str]:
    """Return the statistic of a row with its df, and the n that is said behind p; empty if its cell is not a number."""
    column, value = header[statistic], WORDS.value.fullmatch(cells[statistic][:LONGEST])
    if column is None or value is None:
        return "", ""
    role = column.role
    df = value["df"] or column.df or _df(group, cells)
    if role == "F" and df and len(re.findall(r"[\d.]+", df)) == 1:
        df = _add_error_df(df, group, rows_below)
    if role == "z":
        df = ""
    n = cells[group.others["n"]] if "n" in group.others else ""
    n = f"N = {n}" if re.fullmatch(r"\d{1,7}", n) else ""
    bracket_text = ", ".join(filter(None, (df.strip("()[] "), n if role in ("χ²", "G²") else "")))
    number = value["value"].replace(" ", "")
    test = f"{role}{f'({bracket_text})' if bracket_text else ''} {number if number[0] in '<>≤≥' else f'= {number}'}"
    return test, f", {n}" if n and role in ("r", "ρ") and not df else ""


def _df(group: _Group, cells: Sequence[str]) -> str:
    """Return the df that stand in columns of their own."""
    df_cells = [cells[group.others[name]] for name in ("df1", "df2") if name in group.others]
    if len(df_cells) == 2 and all(WORDS.df_cell.fullmatch(cell) for cell in df_cells):
        return ", ".join(df_cells)
    df_cell = cells[group.others["df"]] if "df" in group.others else ""
    return df_cell if WORDS.df_cell.fullmatch(df_cell) else ""


def _add_error_df(df: str, group: _Group, rows_below: Sequence[Sequence[str]]) -> str:
    """Return the df of an effect with those of the row of its error, the next below without an F; else none."""
    for cells in rows_below:
        if group.statistic is not None and len(cells) > group.statistic and WORDS.error.fullmatch(_label(cells)):
            error = cells[group.others["df"]] if "df" in group.others and not cells[group.statistic] else ""
            return f"{df}, {error}" if WORDS.plain.fullmatch(error) or re.fullmatch(r"\d{1,9}(?:\.\d+)?", error) else ""
    return ""


def _label(cells: Sequence[str]) -> str:
    return next((cell for cell in cells if re.search(r"[^\W\d_]", cell)), "")[:120]


def _text_before(group: _Group, cells: Sequence[str]) -> str:
    """Return b and its SE, which are said before the test."""
    if not {"b", "SE"} <= group.others.keys():
        estimate_cell = cells[group.others["b"]].rstrip("*") if group.statistic is None and "b" in group.others else ""
        return f"b = {estimate_cell}, " if WORDS.plain.fullmatch(estimate_cell) else ""
    cells_of_estimate = [cells[group.others[name]].rstrip("*") for name in ("b", "SE")]
    cells_of_estimate[1] = cells_of_estimate[1].strip("()")
    return (
        f"b = {cells_of_estimate[0]}, SE = {cells_of_estimate[1]}, "
        if all(WORDS.plain.fullmatch(cell) for cell in cells_of_estimate)
        else ""
    )


def _text_behind(group: _Group, header: Sequence[_Column | None], cells: Sequence[str]) -> str:
    """Return effect sizes and an interval, which are said behind p."""
    effects_text = ""
    for name in ("d", "g", "ηp²", "η²", "OR", "HR"):
        if name in group.others and WORDS.plain.fullmatch(cells[group.others[name]]):
            effects_text += f", {name} = {cells[group.others[name]]}"
    if "CI" in group.others and (bounds := WORDS.ends.fullmatch(cells[group.others["CI"]])):
        column = header[group.others["CI"]]
        effects_text += f", {column.note if column else 95}% CI [{bounds[1]}, {bounds[2]}]"
    elif {"low", "high"} <= group.others.keys():
        bound_cells = [cells[group.others[name]].strip("()[] ") for name in ("low", "high")]
        if all(WORDS.plain.fullmatch(bound) for bound in bound_cells):
            effects_text += f", 95% CI [{bound_cells[0]}, {bound_cells[1]}]"
    return effects_text


LONGEST_LINE = 200  # characters of a line of a table
MOST_ROWS = 100
MISSES = 3  # lines in a row that are none of its rows, behind which a table has ended


def aligned_grids(text: str) -> tuple[Grid, ...]:
    r"""Return the tables of a text whose columns only blanks part.

    Examples
    --------
    >>> text = "Table 1\nEffect  df  F  p\nreward  1, 28  4.60  .041\nOf others  1, 28  0.46  .503\n\nSo it was."
    >>> [row.cells for row in aligned_grids(text)[0].rows][1:]
    [('reward', '', '1,28', '4.60', '.041'), ('Of others', '', '1,28', '0.46', '.503')]
    """
    grids = []
    line_end = 0
    for mark in WORDS.gate.finditer(text):
        if mark.start() < line_end:
            continue
        line_start = text.rfind("\n", 0, mark.start()) + 1
        line_end = _line_end(text, mark.end())
        header = _header_in(text[line_start:line_end])
        if header:
            rows = [GridRow(("", *header), line_start), *_rows_below(text, line_end + 1, header)]
            if len(rows) > 1:
                grids.append(Grid(tuple(rows)))
    return tuple(grids)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _header_in(line: str) -> list[str]:
    """Return the columns that a line names; none if it is not a header."""
    if (
        len(line) > LONGEST_LINE
        or "&" in line
        or "|" in WORDS.of_r.sub("", line)
        or WORDS.no_header.search(line.strip())
    ):
        return []
    names = WORDS.phrases.findall(" ".join(line.split()))
    roles = [role_of(name) for name in names]
    if "p" not in roles or not any(role in STATISTICS for role in roles) or len(names) > 14:
        return []
    return names


def _rows_below(text: str, start: int, header: Sequence[str]) -> list[GridRow]:
    """Return the rows below a header: lines that all end in the same number of values.

    Headers before the first that is known ("Effect", "Source of variance") may name the label and not a column.
    """
    lines: list[tuple[int, str, list[str]]] = []
    misses = 0
    while start < len(text) and misses < MISSES and len(lines) < MOST_ROWS:
        end = _line_end(text, start)
        line = text[start:end]
        if (lines and not line.strip()) or _header_in(line):
            break
        label, values = _parted(line) if len(line) <= LONGEST_LINE else ("", [])
        misses = 0 if values else misses + 1
        if values:
            lines.append((start + len(line) - len(line.lstrip()), label, values))
        start = end + 1
    first_statistic = next(column for column, name in enumerate(header) if role_of(name))
    n_values = max((len(values) for _, _, values in lines), default=0)
    if not len(header) - first_statistic <= n_values <= len(header):
        return []
    empty_cells = [""] * (len(header) - n_values)
    rows = []
    for line_start, label, values in lines:
        if len(values) == n_values or WORDS.error.fullmatch(label):  # the row of the error has no F and no p
            rows.append(GridRow((label, *empty_cells, *values, *[""] * (n_values - len(values))), line_start))
    return rows


def _parted(line: str) -> tuple[str, list[str]]:
    """Return the label of a line and the values that it ends in."""
    words = WORDS.signs.sub("", WORDS.stars.sub("", line.replace("\t", "  "))).split()
    values: list[str] = []
    while words and WORDS.token.fullmatch(words[-1]):
        values.insert(0, words.pop())
    return " ".join(words), values
