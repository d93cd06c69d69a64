"""Reported results in a text: where a test statistic with its p stands, in the forms that people write.

A result starts with the symbol of a statistic (the head), goes on with df in brackets (or as an index, or after the
value as ``df = 2``), a relation and a value, and ends with p, which may come after an effect size or before the head.
Every step looks at a bounded stretch, so the time is linear in the text.
"""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from negstats.audit.columns import said_in
from negstats.audit.context import NEAR, Context, Statement, context
from negstats.audit.grids import Grid
from negstats.audit.reading import Cleaned, Document, clean
from negstats.errors import DesignError
from negstats.printed import Printed, printed

__all__ = ["Reported", "find"]

WINDOW = 160  # characters after a value in which its p is looked for
BEFORE = 60  # characters before a head in which a p may end
SENTENCE = 600  # characters of a sentence on each side of a result

NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,15})?(?!\d|,\d)|\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})"
# A decimal comma; three digits behind a comma are thousands, unless nothing or a zero stands before it.
COMMA = r"(?:\d{0,6},\d{1,2}(?![\d%]| %)|0?,\d{3,6}(?!\d)|\d{1,6},\d{4,6}(?!\d))"
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")  # or, where p has a decimal comma, three decimals
SIGNED = rf"[-+]? ?(?:{COMMA}|{NUMBER})"
RELATION = r"(?:<<|<=|=<|>>|>=|=>|[=<>≤≥≈≪≫])"
RELATIONS = {"<<": "<", "≪": "<", "<=": "≤", "=<": "≤", ">>": ">", "≫": ">", ">=": "≥", "=>": "≥", "≈": "="}

CALLED = r"(?:[- ](?:values?|statistics?|ratio|score|test))?"

# Names at a statistic that leave its distribution as it is (Hartley's F_max is another).
NAMED = r"(?:_?(?:Welch|Student|BM|Pearson|Wald|LR|Yates|C?MH|GG|HF|KW|Kruskal-Wallis|Friedman|diff))?"

# The symbol of each kind of statistic.
SYMBOLS = {
    "g2": r"Δ?G ?[²2]|LR",
    # χ without its square, and the x or c that some PDFs make of it, only where df follow
    "chi2": rf"Δ?(?:χ|X|[Cc]hi)[ -]?(?:²|2|squared?|sq)(?:{NAMED}|_?F(?= ?[(\[]))|χ(?= ?[(\[])|[xc] ?[²2](?= ?[(\[]\d)",
    "q": r"Q_?(?:[MEBWmebw]|T(?= ?[(\[])|[Bb]etween|[Ww]ithin|[Tt]otal|[Ee]rror|[Mm]odel|[Rr]esidual)?",
    "h": r"H",
    "t": rf"ts?{NAMED}{CALLED}",
    # F1 by subjects, F2 by items, F change of a step in a regression
    "f": rf"F_?[12](?= ?[(\[])|F[ -]?change(?= ?[(\[])|Fs?{NAMED}{CALLED}|f(?=_?[(\[]?\d{{1,4}} ?, ?\d)",
    "rho": r"r_?s|ρ|rho",
    "r": r"r(?:_?pb)?",
    "tau": r"r?_?τ(?:_?[bc])?|[Tt]au(?:[- _][bc])?",
    "z": rf"[zZ](?:_?(?:Wilcoxon|[A-Z]{{2,4}}|U|W))?{CALLED}",
    "u": r"U|W|V|T\+?",
}
EFFECT_Z = re.compile(r"(?<!\w)[dg] \Z")  # Cohen's d_z with its index apart
# What a symbol may begin with. That one look settles nearly all characters, where each symbol would be tried in turn.
FIRST = "ΔGLχXCcxQHtFfrρτTzZUWV"
HEAD = re.compile(
    rf"(?=[{FIRST}])(?<![\w.])(?:"
    + "|".join(f"(?P<{kind}>{symbol})" for kind, symbol in SYMBOLS.items())
    + r")(?=_?\d|_? ?[(\[]| ?,? ?[=<>≤≥≈≪≫]| \d{1,4} ?, ?\d{1,4} ?[=<>≤≥≈≪≫])"
)
BRACKET = re.compile(r"_? ?[(\[] ?([^()\[\]\n]{1,60}?) ?[)\]]")
INDEX = re.compile(rf"_? ?({NUMBER}(?: ?, ?{NUMBER})?)(?= ?{RELATION})")
VALUE = re.compile(rf" ?,? ?({RELATION}) ?({SIGNED})")
N_IS = re.compile(r"(?<![A-Za-z])[Nn] ?= ?(\d{1,3}(?:,\d{3}){1,3}|\d{1,12})")
N_BEHIND = re.compile(r"[,;] ?" + N_IS.pattern)
DF_IS = re.compile(rf"(?<![A-Za-z])[Dd]\.?[Ff]\.?[12]?s? ?= ?({NUMBER}(?: ?, ?\d{{1,9}}(?![\d.]))?)")
POWER = r" ?(?:[eE] ?[-+]?\d{1,3}|[×x·] ?10 ?\^? ?[-⁻]?[\d⁰¹²³⁴-⁹]{1,3})"
LEAST = 300
TINY = re.compile(r"[eE]-(?:30[1-9]|3[1-9]\d|[4-9]\d\d)\Z")  # below what a float holds: P < 10^-324
TEN = r"10 ?\^? ?[-⁻] ?[\d⁰¹²³⁴-⁹]{1,3}"  # P < 10^-3
P_VALUE = rf"{TEN}|-? ?(?:0?,\d{{1,4}}(?!\d)|\d{{1,3}}(?:\.\d{{1,15}})?|\.\d{{1,15}})(?:{POWER})?"
P_TAG = r"[-_ ]?(?:values?|val|adj|corr|holm|bonf|tukey|fdr|perm|unc|one|two)[A-Za-z]{0,10}|_[A-Za-z]{1,12}|s"
# `re` looks for the one class that a pattern begins with, and tries the rest only where it is.
P_IS = re.compile(
    r"[pPn](?<!\w.)(?<![ηωε][²2] .)(?:"  # the p of "η2 p = .14" is its index
    rf"(?<=[pP])(?P<tag>(?i:{P_TAG}))? ?(?:[(\[](?P<note>[^()\[\]\n]{{1,30}})[)\]] ?)?"
    rf"(?:= (?=[<>≤≥]))?(?P<relation>{RELATION}) ?"
    rf"(?:(?P<value>{P_VALUE})(?P<percent> ?%)?|(?P<ns>n\.? ?s\.?(?![A-Za-z])))"
    r"|(?<=n)(?P<alone>\.s\.|s(?![A-Za-z])))"
)
BEFORE_P = re.compile(r"(?:[^\W\d_][\w.’'-]{0,30} ){1,3}$")  # "Holm-adjusted p"
OF_OTHERS = re.compile(rf"R ?[²2] ?= ?{NUMBER} ?[(\[]\Z")  # R² = .004 (p = .438): the p of the R²
NO_PER_CENT = re.compile(r" ?[A-Za-zχ][²2]? ?[(\[]")  # "% F(1, 28)" is what a comment says
LOST_POWER = re.compile(r" ?[8×xX·] ?10(?!\.?\d)(?: ?[-2]? ?\d{1,3}(?!\.?\d))?")  # "3 8 10 9" was 3 × 10⁻⁹
AFTER_P = re.compile(r"[,;]? ?[(\[]([^()\[\]\n]{1,40})[)\]]")
END = re.compile(r"[.!?\n](?:(?<=\n)|[\"”’)\]]? (?=[A-Z“\"(\[χ]|[tzrp] ?[(\[=<>]))")
ABBREVIATION = re.compile(r"(?:\b(?:vs|cf|al|Fig|Figs|Eq|Eqs|Tab|No|Dr|Prof|approx|resp|e\.g|i\.e|[A-Z])\.)$")
WORD = re.compile(r"[A-Za-z]{3,}")
DECIMAL_COMMA = re.compile(rf"[-+]?{COMMA}")
IN_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)")
DF_NUMBER = re.compile(NUMBER)
DF_HEAD = re.compile(r"^ ?[Dd]\.?[Ff]\.?[12]? ?= ?")
OF_F, OF_OTHER = re.compile("[,;/-]"), re.compile("[,;/]")  # F (2-90)
BETWEEN = re.compile(r" ?[,;:(\[]? ?[(\[]?")  # a p and the statistic that it leads
OPENING, CLOSING = re.compile(r"(?:\$|\\[a-z]{1,15}\{|[*_{])*\Z"), re.compile(r"[$*_}]*")  # marks around a result
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
WITH_N = ("chi2", "g2", "q", "h")  # statistics whose df may have n behind them
EFFECTS = ("r", "rho", "tau", "u")  # symbols that without df behind another statistic are its effect size
FILLER = frozenset(["mse", "sem", "eta", "omega", "and", "with", "two", "one", "tailed", "sided"])
CORRECTED = re.compile(
    r"adj|(?<!un)corrected|corr\b|fwe|tukey|holm|bonf|scheff|[sš]id[aá]k|benjamini|hochberg|hommel|simes|fdr|dunn|games|hsd|multiplicity|multiple",
    re.I,
)
SPHERICITY = re.compile(r"greenhouse|geisser|huynh|feldt|spheric", re.I)
ONE_SIDED = re.compile(r"(?:one|1)[- ]?(?:tail|side)|directional|equivalen(?:t at|ce)|TOST|inferiority", re.I)


@dataclass(frozen=True, slots=True)
class Reported:
    """A result as a text reports it.

    Attributes
    ----------
    kind : str
        "t", "f", "chi2", "g2", "q", "h", "r", "rho", "tau", "z" or "u"; "p" for a p without a statistic.
    df : tuple of Printed
        Degrees of freedom as printed; empty if they are not.
    n : int or None
        Observations, if printed beside the df.
    relation, value
        Of the statistic: "=", "<", ">", "≤" or "≥", and the number; "" and None without one.
    p_relation, p : str, Printed or None
        Of p; ``"ns"`` and None for "n.s.".
    corrected, one_sided : bool
        Whether p is said to be corrected for several tests; whether the sentence speaks of one-sided tests (or of
        equivalence, which is tested with them).
    raw, sentence : str
        What was written, and the sentence that it stands in.
    place : int
        The line or page.
    unread : str
        What is printed of p, where it has lost its exponent or the sign of it; else empty.
    correction, one_tail : Statement or None
        What the paragraph, or else the document, says of corrections for several tests and of one tail.
    paragraph : str
        The paragraph (of a long one the part around), cleaned.
    span : tuple of int
        Where the result starts in `paragraph`, and where what is said beside it ends: at the next statistic, or with
        the sentence.
    """

    kind: str
    df: tuple[Printed, ...]
    n: int | None
    relation: str
    value: Printed | None
    p_relation: str
    p: Printed | None
    corrected: bool
    one_sided: bool
    raw: str
    sentence: str
    place: int
    unread: str = ""
    correction: Statement | None = None
    one_tail: Statement | None = None
    paragraph: str = ""
    span: tuple[int, int] = (0, 0)

    @property
    def statistic(self) -> Printed:
        """The value of the statistic; DesignError for a p without one."""
        if self.value is None:
            raise DesignError(f"{self.raw!r} has no statistic; look at its kind first")
        return self.value


@dataclass(frozen=True, slots=True)
class _Head:
    """A statistic with its value; its p is still to be found."""

    kind: str
    start: int
    end: int
    df: tuple[Printed, ...]
    n: int | None
    relation: str
    value: Printed
    written: str


def find(paper: Document) -> Iterator[Reported]:
    """Yield the results that a text reports, in order; a statistic without any p is none.

    A p with decimals that belongs to no statistic is yielded as well: it stands for a result that cannot be checked.

    Examples
    --------
    >>> from negstats.audit.reading import document
    >>> text = "Customers differed, t(49) = 4.12, p < .001, and so did walk-aways (χ² [2, N = 289], = 7.63, p=.02)."
    >>> for result in find(document(text)):
    ...     print(result.kind, [str(df) for df in result.df], result.n, result.value, result.p_relation, result.p)
    t ['49'] None 4.12 < 0.001
    chi2 ['2'] 289 7.63 = 0.02
    """
    cleaned = clean(paper.text)
    said = context(cleaned.text)
    heads = list(_heads(cleaned.text))
    pairs: list[tuple[_Head | None, re.Match[str]]] = []
    taken = 0  # where the p of the last result ends
    for place, head in enumerate(heads):
        following = heads[place + 1].start if place + 1 < len(heads) else len(cleaned.text)
        found = _p_of(cleaned.text, head, following, taken)
        if found is not None:
            taken = max(found.end(), head.end)
            pairs.append((head, found))
    used = {found.start() for _, found in pairs}
    alone = (found for found in P_IS.finditer(cleaned.text) if found.start() not in used)
    pairs += [(None, found) for found in alone if found["ns"] or (found["value"] and 0 <= float(_p_number(found)) < 1)]
    tabled = deque(_tabled(paper, cleaned, said))
    for at, found in sorted(pairs, key=lambda pair: pair[1].start()):
        while tabled and tabled[0][0] <= found.start():
            yield tabled.popleft()[1]
        yield _reported(paper, cleaned, said, at, found)
    yield from (result for _, result in tabled)


def _tabled(paper: Document, cleaned: Cleaned, said: Context) -> list[tuple[int, Reported]]:
    """Return the results of rows of tables and where each row starts in the clean text."""
    return [(place, result) for grid in paper.grids for place, result in _of_grid(paper, grid, cleaned, said)]


def _of_grid(paper: Document, grid: Grid, cleaned: Cleaned, said: Context) -> Iterator[tuple[int, Reported]]:
    for start, label, line in said_in(grid):
        text = clean(line).text
        heads = [head for match in HEAD.finditer(text) if (head := _head(text, match)) is not None]
        heads = [head for head in heads if head.kind not in EFFECTS] or heads
        found = _p_after(text, heads[0], len(text)) if heads else P_IS.search(text)
        if found is None:
            continue
        own = Cleaned(text, (0,), (0,))
        result = _reported(Document("", text, (0,), (1,)), own, Context(text, ()), heads[0] if heads else None, found)
        place = cleaned.place(start)
        yield (
            place,
            dataclasses.replace(
                result,
                raw=line,
                sentence=f"{label}: {line}" if label else line,
                place=paper.place(start),
                correction=said.about(place, "correction"),
                one_tail=said.about(place, "one tail"),
                span=(0, len(text)),
            ),
        )


def _heads(text: str) -> Iterator[_Head]:
    """Yield the statistics of a text, but not an r or W that is the effect size of the one before it."""
    last: _Head | None = None
    for match in HEAD.finditer(text):
        head = _head(text, match)
        if head is None:
            continue
        if last is not None and head.kind in EFFECTS and not head.df and head.n is None and last.kind not in EFFECTS:
            gap = text[last.end : head.start]
            if len(gap) <= WINDOW and not P_IS.search(gap) and not any(_stops(text, last.end, head.start)):
                continue
        yield head
        last = head


def _stops(text: str, first: int, last: int) -> Iterator[re.Match[str]]:
    """Yield the ends of sentences between two places."""
    for stop in END.finditer(text, first, last):
        if not ABBREVIATION.search(text, max(stop.start() - 8, 0), stop.start() + 1):
            yield stop


@lru_cache(maxsize=4096)
def _number(text: str) -> Printed:
    text = text.replace(" ", "")
    decimal = DECIMAL_COMMA.fullmatch(text)
    return printed(text.replace(",", "." if decimal else ""))


def _head(text: str, match: re.Match[str]) -> _Head | None:
    """Read df, relation and value behind a symbol; None if it is no statistic after all."""
    kind, end = str(match.lastgroup), match.end()
    if kind == "z" and EFFECT_Z.search(text, max(match.start() - 3, 0), match.start()):
        return None
    df: tuple[Printed, ...] = ()
    n = None
    if bracket := BRACKET.match(text, end):
        inside = _inside(bracket[1], kind)
        if inside is None:
            return None
        (df, n), end = inside, bracket.end()
    elif (kind in ("t", "f", "chi2") or text.startswith("_", end)) and (index := INDEX.match(text, end)):
        inside = _inside(index[1], kind)
        if inside is None or any(float(value) == 0 for value in inside[0]):  # t0 is a time
            return None
        (df, n), end = inside, index.end()
    value = VALUE.match(text, end)
    if value is None:
        return None
    relation = RELATIONS.get(value[1], value[1])
    return _Head(kind, match.start(), value.end(), df, n, relation, _number(value[2]), value[2].replace(" ", ""))


def _inside(content: str, kind: str) -> tuple[tuple[Printed, ...], int | None] | None:
    """Return df and n of what stands in brackets; None if it is something else."""
    size = N_IS.search(content)
    rest = N_IS.sub("", content)
    parts = [DF_HEAD.sub("", part).strip() for part in (OF_F if kind == "f" else OF_OTHER).split(rest)]
    parts = [part for part in parts if part]
    wanted = 2 if kind == "f" else 1
    if size is None and len(parts) == 2 and kind in WITH_N and parts[1].isdecimal():  # χ²(1, 73)
        return (_number(parts[0]),), int(parts[1])
    if len(parts) == wanted + 1 and IN_THOUSANDS.search(rest):
        parts[-2:] = ["".join(parts[-2:])]
    if len(parts) > wanted or not all(DF_NUMBER.fullmatch(part) for part in parts):
        return None
    if kind == "f" and len(parts) == 1:
        return None if size is None else ((), int(size[1].replace(",", "")))  # F(1, N = 73) leaves the error's df out
    return tuple(map(_number, parts)), None if size is None else int(size[1].replace(",", ""))


def _p_of(text: str, head: _Head, following: int, taken: int) -> re.Match[str] | None:
    """Return the p of a statistic: the one behind it, but before it where that one leads the next statistic.

    In "p = .001, F(1, 23) = 14.51; Category, p = .007, F(1, 23) = 8.66" each p leads its own.
    """
    behind = _p_after(text, head, following)
    leads = behind is not None and BETWEEN.fullmatch(text, behind.end(), following)
    if behind is None or leads:
        return _p_before(text, head, taken) or behind
    return behind


def _p_after(text: str, head: _Head, following: int) -> re.Match[str] | None:
    """Return the p that belongs to a statistic: before the next one, the sentence's end, or more than a few words."""
    stop = min(head.end + WINDOW, following)
    found = P_IS.search(text, head.end, min(stop + 40, following))
    if found is None or found.start() > stop:
        return None
    gap = text[head.end : found.start()]
    if OF_OTHERS.search(gap):
        return None
    words = [word for word in WORD.findall(gap) if word.lower() not in FILLER]
    return None if len(words) > 6 or any(_stops(text, head.end, found.start())) else found


def _p_before(text: str, head: _Head, taken: int) -> re.Match[str] | None:
    """Return a p that is written before its statistic: p < .001, t(49) = 4.12."""
    for found in P_IS.finditer(text, max(taken, head.start - BEFORE), head.start):
        if BETWEEN.fullmatch(text, found.end(), head.start):
            return found
    return None


def _p_number(found: re.Match[str]) -> Printed:
    number = _p_said(found["value"])
    percent = found["percent"] and not NO_PER_CENT.match(found.string, found.end())
    return Printed(number.number / 100, number.decimals + 2) if percent else number


@lru_cache(maxsize=4096)
def _p_said(text: str) -> Printed:
    text = text.replace(" ", "").replace(",", ".").translate(RAISED)
    text = f"1×{text}" if re.match(TEN, text) else text
    return printed(TINY.sub(f"e-{LEAST}", re.sub(r"[×x·]10\^?", "e", text)))


def _value(head: _Head, found: re.Match[str]) -> Printed:
    """Return the value of a statistic; 1,234 has three decimals where p is printed with a decimal comma."""
    if "," in (found["value"] or "") and THOUSANDS.fullmatch(head.written):
        return printed(head.written.replace(",", "."))
    return head.value


def _unread(text: str, found: re.Match[str]) -> str:
    """Return what is printed of a p that has lost its exponent or the sign of it; empty if it can be read."""
    if not found["value"] or found["percent"]:
        return ""
    if found["relation"] == "=" and _p_number(found).decimals >= LEAST:
        return str(found["value"])
    lost = LOST_POWER.match(text, found.end())
    lost_sign = re.search(r"[eE×x·]", found["value"]) and float(_p_number(found)) > 1
    return text[found.start("value") : lost.end() if lost else found.end()] if lost or lost_sign else ""


def _reported(paper: Document, cleaned: Cleaned, said: Context, head: _Head | None, found: re.Match[str]) -> Reported:
    text = cleaned.text
    start, end = found.span()
    if head is not None:
        start, end = min(head.start, start), max(head.end, end)
    df, n = _beside(head, text[head.end : found.start()]) if head else ((), None)
    if n is None and (size := N_BEHIND.match(text, found.end())):
        n = int(size[1].replace(",", ""))
    after = AFTER_P.match(text, found.end())
    behind = head.end if head and head.end <= found.start() else 0
    before = BEFORE_P.search(text, max(behind, found.start() - BEFORE), found.start())
    note = " ".join(filter(None, [before and before[0], found["tag"], found["note"], after and after[1]]))
    sentence = _sentence(text, start, end)
    silent = bool(found["ns"] or found["alone"])
    first = max(text.rfind("\n", 0, start) + 1, start - NEAR)
    break_ = text.find("\n", end, end + NEAR)
    last = min(end + NEAR, len(text)) if break_ < 0 else break_
    return Reported(
        kind=head.kind if head else "p",
        df=df,
        n=n,
        relation=head.relation if head else "",
        value=_value(head, found) if head else None,
        p_relation="ns" if silent else RELATIONS.get(found["relation"], found["relation"]),
        p=None if silent else _p_number(found),
        corrected=bool(CORRECTED.search(note)) and not SPHERICITY.search(note),
        one_sided=bool(ONE_SIDED.search(sentence)),
        raw=_raw(paper.text, cleaned.origin(start), cleaned.origin(end - 1) + 1),
        sentence=sentence,
        place=paper.place(cleaned.origin(start)),
        unread=_unread(text, found),
        correction=said.about(start, "correction"),
        one_tail=said.about(start, "one tail"),
        paragraph=text[first:last],
        span=(start - first, _beside_end(text, end, last) - first),
    )


def _beside_end(text: str, end: int, last: int) -> int:
    """Return where what is said beside a result ends: at the next statistic with df, or with the sentence."""
    for stop in _stops(text, end, last):
        last = stop.start() + 1
        break
    for match in HEAD.finditer(text, end, last):
        head = _head(text, match)
        if head is not None and (head.df or head.kind not in EFFECTS):
            return head.start
    return last


def _beside(head: _Head, between: str) -> tuple[tuple[Printed, ...], int | None]:
    """Return df and n of a statistic, from its brackets or from what stands between its value and p."""
    df, n = head.df, head.n
    if not df and head.kind not in ("z", "u", "tau") and (said := DF_IS.search(between)):
        inside = _inside(said[1], head.kind)
        df = inside[0] if inside else ()
    if n is None and (size := N_IS.search(between)):
        n = int(size[1].replace(",", ""))
    return df, n


def _raw(text: str, start: int, end: int) -> str:
    """Return what was written from `start` to `end` and the marks around it, on one line."""
    before = OPENING.search(text[max(start - 20, 0) : start])
    after = CLOSING.match(text[end : end + 9])
    left, right = len(before[0]) if before else 0, len(after[0]) if after else 0
    return " ".join(text[start - left : end + right].split())


def _sentence(text: str, start: int, end: int) -> str:
    """Return the sentence around a result; a very long one is cut."""
    first, last = max(start - SENTENCE, 0), min(end + SENTENCE, len(text))
    for stop in _stops(text, first, start):
        first = stop.end()
    for stop in _stops(text, end, last):
        return text[first : stop.start() + 1].strip()
    return text[first:last].strip()
