"""How a file is written, found by looking: its encoding, delimiter, header, decimal sign and groups of thousands."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError, UsageError, shown
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.delimited import layout as first_layout
from negstats.loaders.files.delimited import long_cells
from negstats.loaders.files.intake import sheet_rows
from negstats.loaders.files.tabular import Form, Table, cell_text, grouped_names, is_coded, joined
from negstats.loaders.files.transcripts import is_transcript
from negstats.loaders.reading.columns import number_of

_DELIMITERS = (";", "\t", ",", "|")
_TEXT = (".csv", ".tsv", ".tab", ".txt")
_SHEETS = (".xlsx", ".xlsm")
_BEGINNING = 1 << 20  # characters that are looked at
_LINES = 30  # that are looked at
_HIGHEST = 12  # row in which the names of the columns may stand
_FILLED = 0.7  # of the cells of a row of names
_LEAST_WORDED = 2  # columns of numbers whose first cell is a word
# 1.141,27 and 1,141.27; of more groups no number is exact: they are a list, such as the places of a cursor
_COMMA = r"[+-]?(\d+|\d{1,3}([. ']\d{3}){1,5})(,\d+)?( ?%)?"
_POINT = r"[+-]?(\d+|\d{1,3}([, ']\d{3}){1,5})(\.\d+)?( ?%)?"
_MOST_NUMBERS = 0.9  # of the cells that are numbers, in a column of these


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person says of the files, in place of a look: None where the file itself shall tell."""

    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """How a file seems to be written: the lines of a mapping that say so, each with what was seen.

    Attributes
    ----------
    form : Form
        For the reader.
    decimal, thousands : str, str or None
        Signs in numbers; no groups of thousands if None.
    lines : tuple of str
        For the mapping.
    names : str or None
        The column with the names in the objects whose elements are the rows.
    """

    form: Form = field(default_factory=Form)
    decimal: str = "."
    thousands: str | None = None
    lines: tuple[str, ...] = ()
    names: str | None = None
    has_members: bool = False  # the names are of who acted in each element of a list, be they the same in all


def look(data: bytes, file: Path, sheet: str | None, asked: Asked) -> Look:
    """Return how a file seems to be written.

    Raises
    ------
    LogError, UsageError
        If it is not written as `asked` says.
    """
    suffix = file.suffix.lower()
    if suffix in _SHEETS:
        lines = [[cell_text(cell) or "" for cell in row] for row in sheet_rows(data, file, sheet)[:_LINES]]
        return _with_wording(_headed(Look(Form(sheet=sheet)), lines), lines)
    if suffix not in _TEXT:
        return Look(Form(sheet=sheet))
    encoding, why = _encoding(data, file, asked.encoding)
    layout = Look(Form(encoding=encoding), lines=(f'encoding = "{encoding}"  # {why}',) if encoding != "utf-8" else ())
    if is_transcript(data, file):
        return layout
    codec = "utf-8-sig" if encoding == "utf-8" else encoding
    stream = io.TextIOWrapper(io.BytesIO(data), encoding=codec, errors="replace", newline="")  # in small pieces
    text = stream.read(_BEGINNING)
    stream.seek(0)
    if not re.match(r"sep=.\r?\n", text, re.IGNORECASE):
        layout = _delimited(layout, text, file, asked.delimiter, has_open_quote=data.count(b'"') % 2 == 1)
    delimiter = layout.form.delimiter or _most(text, file)
    try:
        with long_cells():
            lines = list(islice(csv.reader(stream, delimiter=delimiter), _LINES))
    except csv.Error:
        return layout
    return _with_wording(_headed(layout, lines), lines)


def _encoding(data: bytes, file: Path, encoding: str | None) -> tuple[str, str]:
    """Return the encoding of a text, and why it is taken for that."""
    if encoding is not None:
        try:
            codecs.lookup(encoding)
            data.decode(encoding)
        except LookupError:
            examples = "utf-8, cp1252, utf-16, mac_roman, ..."
            raise UsageError(f"encoding {shown(encoding)}: no encoding has this name; {examples}") from None
        except UnicodeDecodeError as error:
            reason = f"byte 0x{data[error.start]:02x} is not {encoding}; without --encoding it is found by looking"
            raise LogError(reason, file=file, row=data.count(b"\n", 0, error.start) + 1) from None
        return encoding, "as it was said"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", "the file begins with its mark"
    for name in ("utf-8", "cp1252", "latin-1"):
        try:
            data.decode(name)
        except UnicodeDecodeError:
            continue
        if name == "utf-8":
            return name, ""
        first = next(byte for byte in data if byte > 127)
        letter = bytes([first]).decode(name)
        return (
            name,
            f"the file is not UTF-8: byte 0x{first:02x} would be {letter}: QUESTION: do its letters look right?",
        )
    return "utf-8", ""


def _delimited(layout: Look, text: str, file: Path, delimiter: str | None, *, has_open_quote: bool) -> Look:
    """Return the look with the delimiter, where the header's own count does not tell it."""
    plain = _outside_quotes(text, has_open_quote=has_open_quote)
    if delimiter is not None:
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise UsageError(f"delimiter {shown(delimiter)}: it is one character, such as ; or a tab")
        if not any(delimiter in line for line in plain):
            other_sign = next((sign for sign in _DELIMITERS if plain and sign in plain[0]), None)
            hint = f"; {shown(other_sign)} does" if other_sign else ""
            raise LogError(f"{shown(delimiter)} is in none of its first lines{hint}", file=file, row=1)
        line = f"delimiter = {_quote(delimiter)}  # as it was said"
        return replace(layout, form=replace(layout.form, delimiter=delimiter), lines=(*layout.lines, line))
    header = _most(text, file)
    best = max(_DELIMITERS, key=lambda sign: _steady(plain, sign))
    if _steady(plain, best) <= _steady(plain, header) or file.suffix.lower() in (".tsv", ".tab"):
        return layout
    line = f"delimiter = {_quote(best)}  # as often in each of the first lines; {_quote(header)} is not"
    return replace(layout, form=replace(layout.form, delimiter=best), lines=(*layout.lines, line))


def _outside_quotes(text: str, *, has_open_quote: bool = False) -> list[str]:
    r"""Return the first lines without what stands in quotes; a quoted cell may reach over several lines.

    Examples
    --------
    >>> _outside_quotes('a,b\n1,"two\nlines; here"\n2,x')
    ['a,b', '1,', '2,x']
    """
    lines = text.splitlines() if has_open_quote else "".join(text.split('"')[::2]).splitlines()
    first_lines = [line for line in lines if line.strip()][:_LINES]
    return ["".join(line.split('"')[::2]) for line in first_lines] if has_open_quote else first_lines


def _quote(sign: str) -> str:
    return '"\\t"' if sign == "\t" else f'"{sign}"'


def _most(text: str, file: Path) -> str:
    """Return the delimiter as a reader takes it: the one that the first line has most of."""
    return "\t" if file.suffix.lower() in (".tsv", ".tab") else first_layout(text)[0]


def _steady(lines: Sequence[str], sign: str) -> tuple[float, int]:
    """Return in which share of the lines a sign stands equally often, and how often."""
    counts = Counter(line.count(sign) for line in lines)
    usual = max((count for count in counts if count), key=lambda count: counts[count], default=0)
    return (counts[usual] / len(lines), usual) if usual else (0.0, 0)


def _headed(layout: Look, lines: Sequence[Sequence[str]]) -> Look:
    """Return the look with the row of the names, where the first is none, and that of the groups above it."""
    cells = [[cell.strip() for cell in line] for line in lines]
    if not cells or _names(cells[0], max(map(len, cells)), twice=_are_mostly_different(cells[0])):
        return layout
    width = max(map(len, cells))
    for row, line in enumerate(cells[:_HIGHEST]):
        groups = cells[row - 1] if row else []
        has_groups = sum(map(bool, groups)) > 1 and not _are_mostly_numbers(groups)
        full_names = grouped_names(line, groups) if has_groups else line
        if row and _names(full_names, width, twice=False):
            form_lines = [f"header = {row + 1}  # the row with the names of the columns; above it are titles"]
            form = replace(layout.form, header=row + 1)
            if has_groups and (len(set(line)) < len(line) or not all(line)):
                form = replace(form, group_row=row)
                form_lines.append(
                    f"group_row = {row}  # names of groups of columns (merged cells): they begin the names"
                )
            return replace(layout, form=form, lines=(*layout.lines, *form_lines))
    return layout


def _with_wording(layout: Look, lines: Sequence[Sequence[str]]) -> Look:
    """Return the look with the rows below the names that belong to the header: what was asked, and imported by."""
    header = layout.form.header
    below = [[cell.strip() for cell in line] for line in lines[header:]]
    places = [place for place, line in enumerate(below[:2], 1) if any(line) and all(map(_is_import_id, line))]
    n_below = places[0] if places else int(_is_wording(below))
    return replace(layout, form=replace(layout.form, header_rows=header + n_below)) if n_below else layout


def _is_import_id(cell: str) -> bool:
    return not cell or '"ImportId"' in cell


def _is_wording(lines: Sequence[Sequence[str]]) -> bool:
    """Whether the first row holds different words alone, where in some columns all others have numbers.

    What stands for a missing number is one word, and does so in other rows too.
    """
    first, *others = lines or [[]]
    words = [cell for cell in first if cell]
    if any(number_of(cell) is not None for cell in words) or len(set(words)) < max(_FILLED * len(first), 2):
        return False
    columns = zip(first, itertools.zip_longest(*others, fillvalue=""), strict=False)
    filled = [[cell for cell in cells if cell] for word, cells in columns if word]
    n_numbers = sum(all(number_of(cell) is not None for cell in cells) for cells in filled if len(cells) > 1)
    return n_numbers >= min(_LEAST_WORDED, len(words) / 2)


def _are_mostly_different(cells: Sequence[str]) -> bool:
    """Whether hardly any name stands twice: two questions of a survey that are called the same."""
    words = [cell for cell in cells if cell]
    return len(set(words)) >= max(_FILLED * len(words), 2)


def _names(cells: Sequence[str], width: int, *, twice: bool) -> bool:
    """Whether cells may be names of columns: words, hardly any missing, none twice."""
    words = [cell for cell in cells if cell]
    enough = len(words) >= max(2 if width > 1 else 1, _FILLED * width)
    return enough and not _are_mostly_numbers(words) and (twice or len(set(words)) == len(words))


def _are_mostly_numbers(cells: Sequence[str]) -> bool:
    """Whether cells are data, and name neither columns nor groups of columns."""
    words = [cell for cell in cells if cell]
    return sum(bool(re.fullmatch(r"[+-]?[\d.,]+", cell)) for cell in words) > len(words) / 2


def plain_numbers(table: Table, look: Look, asked: Asked) -> tuple[Table, Look]:
    """Return a table whose numbers are written with a point and without groups, and how they are written.

    Raises
    ------
    LogError
        If no column has numbers with the decimal sign that was `asked` for.
    """
    columns = {name: table.words(name) for name in table.names if _has_sign(table, name, ",")}
    commas = {name: words for name, words in columns.items() if _are(words, _COMMA, ",")}
    point_columns = {name: words for name, words in columns.items() if name not in commas and _are(words, _POINT, ",")}
    if asked.decimal == "," and not commas:
        raise LogError("no column has numbers with a decimal comma, such as 3,5", file=table.file)
    if commas and (asked.decimal == "," or (asked.decimal is None and not _have_points(table, look, commas))):
        return _respelled(table, look, [*commas], ",", _group(commas, ".' "))
    number_columns = commas | point_columns
    if number_columns and (group := _group(number_columns, ",' ")):
        return _respelled(table, look, [*number_columns], ".", group)
    return table, look


def _have_points(table: Table, look: Look, commas: Mapping[str, Texts]) -> bool:
    """Whether numbers are written with points, so that commas part thousands, or the answers that somebody ticked."""
    n_points = sum(_are(table.words(name), _POINT, ".") for name in table.cells if _has_sign(table, name, "."))
    delimiter = look.form.delimiter or (table.file.suffix.lower() == ".csv" and ",")
    may_be_thousands = all(_in_threes(words) for words in commas.values())
    return (may_be_thousands and (delimiter == "," or n_points > 0)) or n_points > len(commas)


def _has_sign(table: Table, name: str, sign: str) -> bool:
    """Whether a sign stands in a column of text at all: most columns need no closer look."""
    cells = table.cells.get(name)
    cells = cells.dictionary if cells is not None and is_coded(cells) else cells
    is_text = cells is not None and (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type))
    return is_text and bool(pc.any(pc.match_substring(cells, sign)).as_py())


def _are(words: Texts, pattern: str, sign: str) -> bool:
    """Whether words are numbers of a pattern, some of them with a sign."""
    are_numbers = pc.match_substring_regex(words, f"^(?:{pattern})$")
    has_sign = pc.any(pc.and_(pc.match_substring(words, sign), are_numbers)).as_py()
    return bool(has_sign) and float(pc.mean(are_numbers).as_py()) >= _MOST_NUMBERS


def _in_threes(words: Texts) -> bool:
    """Whether commas may part thousands: exactly three digits come after each."""
    parted = words.filter(pc.match_substring(words, ","))
    return bool(pc.all(pc.match_substring_regex(parted, r"^[+-]?[1-9]\d{0,2}(,\d{3})+$")).as_py())


def _group(columns: Mapping[str, Texts], signs: str) -> str | None:
    """Return the sign that parts thousands; None if there is none."""
    counts = {
        sign: sum(pc.sum(pc.match_substring_regex(words, rf"\d[{sign}]\d{{3}}")).as_py() for words in columns.values())
        for sign in signs
    }
    best = max(counts, key=lambda sign: counts[sign])
    return best if counts[best] else None


def _respelled(
    table: Table, layout: Look, columns: Sequence[str], decimal: str, thousands: str | None
) -> tuple[Table, Look]:
    cells: dict[str, Texts] = dict(table.cells)
    for name in columns:
        spelled = pc.utf8_trim_whitespace(joined([table.cells[name]])).cast(pa.large_string())
        if thousands:
            spelled = pc.replace_substring(spelled, thousands, "")
        cells[name] = pc.replace_substring(spelled, decimal, ".")
    first = table.words(columns[0])
    example = first.filter(pc.match_substring_regex(first, f"[{decimal}{thousands or ''}]"))[0].as_py()
    lines = [f'decimal = ","  # as {example} in {columns[0]}'] if decimal == "," else []
    if thousands:
        lines.append(f'thousands = "{thousands}"  # as {example} in {columns[0]}: QUESTION: are these thousands?')
    plain_layout = replace(layout, decimal=decimal, thousands=thousands, lines=(*layout.lines, *lines))
    return replace(table, cells=cells), plain_layout
