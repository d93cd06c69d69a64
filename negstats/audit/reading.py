"""From a file to its plain text (Markdown, LaTeX, HTML, JATS, TEI, Word, ODT, PDF), and where each part stands in it.

Nothing in a file is run: of HTML, JATS and TEI the tags are dropped (`markup`); of a PDF only the text is taken.
Cleaning (dashes, spaces, LaTeX and Markdown marks) is apart from reading.
"""

from __future__ import annotations

import bisect
import codecs
import heapq
import html
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from negstats.audit.columns import aligned_grids
from negstats.audit.grids import Grid, GridRow, Grids, text_grids
from negstats.audit.lost_signs import Repair, mend_cell, repaired
from negstats.audit.office import TableRow, is_html, is_office, is_xml, pages, paragraphs, walked
from negstats.audit.words import places, words_of
from negstats.errors import LogError


@dataclass(frozen=True, slots=True)
class Document:
    """A text and where its parts stand in the file.

    Attributes
    ----------
    source : str
        The file's name.
    text : str
        Its text as it was written.
    starts, numbers : tuple of int
        Where each line (or page) starts in `text`, and its number.
    unit : str
        "line", "page" or "paragraph".
    repairs : tuple of Repair
        Which signs the file has lost and what they are read as.
    grids : tuple of Grid
        Its tables, where the form of the file says what they are.
    """

    source: str
    text: str
    starts: tuple[int, ...]
    numbers: tuple[int, ...]
    unit: str = "line"
    repairs: tuple[Repair, ...] = ()
    grids: tuple[Grid, ...] = ()

    def place(self, offset: int) -> int:
        """Return the number of the line or page that holds the character at `offset`."""
        return self.numbers[max(bisect.bisect_right(self.starts, offset) - 1, 0)]


FORMS = "text, Markdown, LaTeX, HTML, JATS, TEI, Word, ODT or PDF"
WORDS = words_of("reading")


def document(text: str, source: str = "text") -> Document:
    r"""Return a text with its lines counted.

    Examples
    --------
    >>> document("one\ntwo").place(5)
    2
    """
    starts = (0, *(match.end() for match in re.finditer("\n", text)))
    text, repairs = repaired(text)
    text = WORDS.control.sub(" ", text)
    grids = text_grids(_blank_comments(text)) if "|" in text or r"\begin{" in text else ()
    grids = tuple(sorted((*grids, *aligned_grids(text)), key=lambda grid: grid.rows[0].start))
    return Document(source, text, starts, tuple(range(1, len(starts) + 1)), repairs=repairs, grids=grids)


def read(path: str | Path) -> Document:
    """Read a paper: text, Markdown, LaTeX, HTML, JATS, TEI, Word, ODT or PDF, known by its content.

    Raises
    ------
    LogError
        If there is no such file, it is empty, or it is none of these.

    Examples
    --------
    >>> read("README.md").unit
    'line'
    """
    path = Path(path)
    if not path.is_file():
        raise LogError(f"is not a file; name a {FORMS} file", file=path)
    data = path.read_bytes()
    if not data.strip():
        raise LogError(f"is empty; name a paper's {FORMS} file", file=path)
    if b"%PDF-" in data[:1024]:
        return of_pages(pages(path), str(path))
    if is_office(data):
        return _office(path, data)
    if data.startswith(b"PK\x03\x04"):
        raise LogError(
            "is not text but a zip file, cut or without that of Word or OpenDocument; give a whole one", file=path
        )
    text = _decoded(data, path)
    is_page = path.suffix.lower() in {".htm", ".html", ".xhtml"} or is_html(text)
    if is_page or is_xml(text):
        return _markup(text, str(path), xml=not is_page)
    return document(text, str(path))


def _decoded(data: bytes, path: Path) -> str:
    encodings = ["utf-8-sig", "cp1252", "latin-1"] if b"\x00" not in data else []
    for encoding in ["utf-16"] if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else encodings:
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    raise LogError(f"is not text; give a paper as {FORMS}", file=path)


def of_pages(page_texts: Sequence[str], source: str) -> Document:
    """Return the document of the texts of pages, with the signs that they have shown.

    Examples
    --------
    >>> of_pages(["one", "two"], "paper.pdf").place(5)
    2
    """
    starts = tuple(itertools.accumulate((len(page) + 1 for page in page_texts[:-1]), initial=0))
    text, repairs = repaired("\n".join(page_texts), starts)
    text = WORDS.control.sub(" ", text)
    numbers = tuple(range(1, len(page_texts) + 1))
    return Document(source, text, starts, numbers, "page", repairs, aligned_grids(text))


def _office(path: Path, data: bytes) -> Document:
    blocks = list(paragraphs(path, data))
    block_texts = [f"{' '.join(str(block).split())}\n\n" for block in blocks]
    starts = itertools.accumulate(map(len, block_texts), initial=0)
    grids, table = Grids(), -1
    for block, start in zip(blocks, starts, strict=False):
        if isinstance(block, TableRow):
            if block.table != table:
                grids.end()
                table = block.table
            grids.row(start)
            for text, columns in block.cells:
                grids.cell(WORDS.control.sub(" ", text), columns)
    grids.end()
    pieces = list(zip(block_texts, range(1, len(blocks) + 1), strict=True))
    return _join(str(path), pieces, "paragraph", grids.tables, "holds no text; give the whole manuscript")


def _markup(text: str, source: str, *, xml: bool) -> Document:
    pieces, grids = walked(text, xml=xml)
    return _join(source, pieces, "line", grids, "holds no text between its tags; give the whole page or article")


def _join(
    source: str, pieces: Sequence[tuple[str, int]], unit: str, grids: Iterable[Grid], empty_reason: str
) -> Document:
    """Return the document of pieces of text, each with its place, and its tables, with the signs that it has shown."""
    if not any(piece.strip() for piece, _ in pieces):
        raise LogError(empty_reason, file=source)
    starts = tuple(itertools.accumulate((len(piece) for piece, _ in pieces[:-1]), initial=0))
    text, repairs = repaired("".join(piece for piece, _ in pieces))
    mended_grids = tuple(
        Grid(tuple(GridRow(tuple(mend_cell(cell, repairs) for cell in row.cells), row.start) for row in grid.rows))
        for grid in grids
    )
    numbers = tuple(number for _, number in pieces)
    return Document(source, WORDS.control.sub(" ", text), starts, numbers, unit, repairs, mended_grids)


# One character for one: dashes, signs, and the mathematical alphabets that PDF and HTML set variables in.
LETTERS = "\U0001d400-\U0001d7ff"  # mathematical alphabets
ALIKE = str.maketrans(
    {
        **{
            chr(code): folded
            for code in range(0x1D400, 0x1D800)
            if len(folded := unicodedata.normalize("NFKC", chr(code))) == 1
        },
        **dict.fromkeys("−–‒﹣－‐‑", "-"),
        **{chr(0x2080 + digit): str(digit) for digit in range(10)},  # F₁,₅₇₇
        **dict(zip("⩽≦⩾≧Χꭓℎ∆＝＜˂˃＞⟨∼≅［］（₍）₎", "≤≤≥≥χχhΔ=<<>><~≈[](())", strict=True)),
    }
)
OTHERS_ALIKE = re.compile(f"[{''.join(chr(code) for code in ALIKE if code < 0x1D400)}{LETTERS}]")
PIECE = 256  # characters: a piece of so few is often ASCII alone, and none of ASCII is another's like


def _write_alike(text: str) -> str:
    """Return a text of the same length with one sign for those alike: looked for, as to translate takes long."""
    pieces = (text[start : start + PIECE] for start in range(0, len(text), PIECE))
    return "".join(
        [
            piece if piece.isascii() else OTHERS_ALIKE.sub(lambda sign: sign[0].translate(ALIKE), piece)
            for piece in pieces
        ]
    )


HEADING_END = "\x1e"  # for the one line break behind a heading, which ends a paragraph as two do elsewhere


def _blank(blank_text: str) -> str:
    return "\n" if blank_text.count("\n") > 1 or HEADING_END in blank_text else " "


LATEX_SIGNS = WORDS.table("latex_signs")


def _raise_square(formula: str) -> str:
    """Return χ² with its df behind the square for one that has them before it, as LaTeX sets it: χ₁²."""
    return f"χ2({re.findall(r'[0-9]+', formula)[0]})"


# What marks mean that stand for no text of their own: each is called with what is written.
CALLED: Mapping[str, Callable[[str], str]] = {
    "compatible": lambda ligature: unicodedata.normalize("NFKC", ligature),
    "square": _raise_square,
    "command": lambda command: str(LATEX_SIGNS[command[1:]]),
    "entity": lambda entity: html.unescape(entity).translate(ALIKE),
    "blank": _blank,
}
MARKS = WORDS.table("marks")
MEANT = {f"m{at}": CALLED.get(mark.get("call"), mark.get("meant", "")) for at, mark in enumerate(MARKS)}
MARK = re.compile("|".join(f"(?P<m{at}>{WORDS.spell(mark['form'])})" for at, mark in enumerate(MARKS)))


def find_marks(text: str) -> Iterator[re.Match[str]]:
    """Yield the marks of a text in order: looked for where a sign stands, with a space before it, or two blanks."""
    last_end = 0
    positions = [sign.start() for sign in WORDS.sign.finditer(text)]
    positions += [position - 1 for position in positions if text[position - 1 : position] == " "]
    positions += [blank.start() for blank in WORDS.blanks.finditer(text)]
    for begin in sorted(positions):
        if begin >= last_end and (mark_match := MARK.match(text, begin)):
            last_end = mark_match.end()
            yield mark_match


def _blank_comments(text: str) -> str:
    """Return a text of the same length with blanks for what LaTeX does not print."""
    latex = "\\" in text and (
        r"\documentclass" in text or (WORDS.latex.search(text) and not WORDS.markdown.search(text))
    )
    if not latex and not text.lstrip(" \t").startswith("%") and not WORDS.line_of_comment.search(text):
        return text
    return (WORDS.comment if latex else WORDS.comment_line).sub(lambda comment: " " * len(comment[0]), text)


LONGEST_FORMULA = 80  # characters
# What every scattered formula has, and few texts. A pattern that begins with one character is looked for much faster.
EMPTY = tuple(re.compile(rf"\{bracket}(?: ?[,.]){{0,2}} ?[)\]] ?[-.=<>]") for bracket in "([")


def _spell_p(text: str) -> str:
    """Return a text of the same length with p for what programs call it: looked for where one of their words is."""
    if next(places(text, *WORDS.table("calls")), None) is None:
        return text
    return WORDS.called_p.sub(lambda p_match: f"p{p_match['note'] or ''}".ljust(len(p_match[0])), text)


def _join_scattered(text: str) -> str:
    """Return a text of the same length in which scattered formulas are written as they were."""
    text = _spell_p(_formulas(text))
    if not any(f"{sign} ." in text for sign in "<=>"):
        return text
    return WORDS.scattered_p.sub(
        lambda p_match: f"p {p_match['sign']} .{p_match['digits']}".ljust(len(p_match[0])), text
    )


def _formulas(text: str) -> str:
    """Return a text with its scattered formulas written as they were: looked for around their empty brackets only."""
    fragments, last_end = [], 0
    for empty_bracket in heapq.merge(*(pattern.finditer(text) for pattern in EMPTY), key=re.Match.start):
        window_start = max(empty_bracket.start() - LONGEST_FORMULA, last_end)
        formula_match = WORDS.scattered.search(
            text, window_start, min(empty_bracket.end() + LONGEST_FORMULA, len(text))
        )
        if formula_match is not None and empty_bracket.start() >= last_end:
            fragments += [text[last_end : formula_match.start()], _formula(formula_match)]
            last_end = formula_match.end()
    return "".join([*fragments, text[last_end:]]) if fragments else text


def _formula(formula_match: re.Match[str]) -> str:
    numbers = formula_match["numbers"].split()
    bracket_signs, _, signs_behind = (
        formula_match["signs"].replace(" ", "").replace("[", "(").replace("]", ")").partition(")")
    )
    separators = bracket_signs.removeprefix("(")
    value = 2 if "." in signs_behind else 1
    relation = next((sign for sign in "=<>" if sign in signs_behind), "")
    if len(numbers) != len(separators) + 1 + value or not relation:
        return formula_match[0]
    df = numbers[0] + "".join(sign + number for sign, number in zip(separators, numbers[1:], strict=False))
    size = ".".join(numbers[-value:])
    formula_text = f"{formula_match['symbol'].replace(' ', '')}({df}) {relation} {'-' * ('-' in signs_behind)}{size}"
    return formula_text.ljust(len(formula_match[0])) if len(formula_text) <= len(formula_match[0]) else formula_match[0]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Text without marks: single spaces, a line break between paragraphs only; and where its parts come from."""

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, offset: int) -> int:
        """Return the place in the original text of a character of the clean one."""
        place = bisect.bisect_right(self.starts, offset) - 1
        return self.origins[place] + offset - self.starts[place]

    def place(self, origin: int) -> int:
        """Return the place in the clean text of a character of the original one, or of what follows it."""
        at = bisect.bisect_right(self.origins, origin) - 1
        return min(self.starts[at] + origin - self.origins[at], len(self.text))


def clean(text: str) -> Cleaned:
    r"""Return a text without LaTeX and Markdown marks, odd dashes, odd spaces and line breaks.

    Examples
    --------
    >>> clean("$\\chi^2(1,\nN = 1{,}234)$ = **4.1**, *p*\u00a0\u2264 .05").text
    'χ2(1, N = 1234) = 4.1, p ≤ .05'
    """
    plain_text = _join_scattered(_blank_comments(_write_alike(text)))
    if "#" in plain_text or "\\" in plain_text:  # a heading of Markdown or LaTeX is a paragraph of its own
        plain_text = WORDS.heading.sub(rf"\1{HEADING_END}", plain_text)
    if "Table" in plain_text or "TABLE" in plain_text:
        plain_text = WORDS.caption.sub(HEADING_END, plain_text)
    if "\nNote" in plain_text:
        plain_text = WORDS.note.sub(rf"{HEADING_END}\1{HEADING_END}", plain_text)
    fragments: list[str] = []
    starts, origins = [0], [0]
    length = last_end = 0
    for match in find_marks(plain_text):
        replacement = MEANT[str(match.lastgroup)]
        clean_piece = replacement if isinstance(replacement, str) else replacement(match.group())
        plain_piece = plain_text[last_end : match.start()]
        fragments += [plain_piece, clean_piece]
        length += len(plain_piece) + len(clean_piece)
        last_end = match.end()
        starts += [length - len(clean_piece), length]
        origins += [match.start(), last_end]
    fragments.append(plain_text[last_end:])
    return Cleaned("".join(fragments), tuple(starts), tuple(origins))
