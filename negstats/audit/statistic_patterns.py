"""A test statistic in a text, in the forms that people write: its symbol, df, relation and value, and the p of it.

The p stands behind its statistic or before it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from negstats.printed_numbers import Printed, printed

NUMBER_WORDS = {  # of people's sentences: "for three comparisons", "a seven-point scale"
    word: number
    for number, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 2
    )
}
WINDOW = 160  # characters after a value in which its p is looked for
NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,15})?(?!\d|,\d)|\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})"
# A decimal comma; three digits behind a comma are thousands, unless nothing or a zero stands before it.
COMMA = r"(?:\d{0,6},\d{1,2}(?![\d%]| %)|0?,\d{3,6}(?!\d)|\d{1,6},\d{4,6}(?!\d))"
# Words for the sign of equality.
WORDED = r"(?: ?: ?| (?:was|is|were|of|equals|equal to|value of|=) )(?=[-+]? ?\d{0,4}\.\d)"
SIGNED = rf"[-+]? ?(?:{COMMA}|{NUMBER})"
RELATION = r"(?:<<|<=|=<|>>|>=|=>|[=<>≤≥≈≪≫])"
RELATIONS = {"<<": "<", "≪": "<", "<=": "≤", "=<": "≤", ">>": ">", "≫": ">", ">=": "≥", "=>": "≥", "≈": "="}
CALLED = r"(?:[- ](?:values?|statistics?|[Ss]tat|ratio|score|test))?"
# Names at a statistic that leave its distribution as it is (Hartley's F_max is another).
NAMED = (
    r"(?:[_ ]?(?:Welch|Student|BM|Pearson|Wald|LR|Yates|C?MH|GG|HF|KW|Kruskal-Wallis|Friedman|diff(?:erence)?|"
    r"obs|calc|Δ))?"
)
P_FOLLOWS = r"[pP] ?[=<>≤]"
# The symbol of each kind of statistic.
SYMBOLS = {
    "g2": r"Δ?G ?[²2]|LRT?",
    # χ without its square, and the x or c that some PDFs make of it, only where df follow
    "chi2": rf"Δ?(?:χ|X|(?i:chi))[ -]?(?:²|2|(?i:squared?)|sq)(?:{NAMED}{CALLED}| change|_?F(?= ?[(\[]))|χ(?= ?[(\[=])|"
    rf"[xc] ?[²2](?= ?[(\[] ?(?:df ?= ?)?\d|_?\d{{1,2}} ?=| ?= ?\d{{1,4}}[.,]\d{{1,4}}[,;]? ?\(?d\.?f)|"
    rf"X(?= ?[(\[]\d| ?= ?\d{{1,4}}\.\d{{1,4}}[,;)]? ?{P_FOLLOWS})|"
    r"Wald(?: [Cc]hi)?(?= ?[(\[]\d| ?= ?\d)",
    "q": r"Q_?(?:[MEBWmebw]|T(?= ?[(\[])|[Bb]etween|[Ww]ithin|[Tt]otal|[Ee]rror|[Mm]odel|[Rr]esidual)?",
    "h": r"H",
    # T of a rank sum has no two decimals and no sign
    "t": rf"t(?:['’]?s)?{NAMED}(?:{CALLED}|['’′](?= ?[(\[=]))|"
    rf"T(?= ?[(\[][^()\[\]]{{0,8}}\d ?[)\]] ?= ?-? ?\d{{1,3}}[.,]\d\d| ?= ?(?:- ?\d|\d{{1,3}}\.\d\d))",
    # F1 by subjects, F2 by items, F change of a step in a regression
    "f": rf"F_?[12](?= ?[(\[])|ΔF(?= ?[(\[])|F[ -]?(?:change|inc)(?= ?[(\[=])|"
    rf"F(?:['’]?s)?{NAMED}(?:{CALLED}|['’′](?= ?[(\[]))|"
    r"f(?=_?[(\[]?\d{1,4} ?, ?\d)",
    "rho": r"r[_ ]?[sS](?= ?[(\[=])|r_s|ρ|rho",
    "r": rf"r(?:_?pb|_part(?:ial)?)?|"
    rf"R(?= ?[(\[]\d{{1,5}} ?[)\]] ?[=<>] ?-? ?0?\.\d| ?= ?-?0?\.\d{{2,3}}[,;]? ?\(?{P_FOLLOWS})",
    "tau": r"r?_?τ(?:_?[bc])?|[Tt]au(?:[- _][bc])?",
    "z": rf"[zZ]s?(?:_?(?:Wilcoxon|[A-Z]{{2,4}}|U|W))?{CALLED}",
    "u": r"U|W|V|T\+?",
}
# A place in a brain is not a statistic: x = 2, y = 34, z = -10; x,y,z = 14,12,-2.
PLACE = re.compile(r"[xX] ?[=:]? ?-? ?\d{0,3}[^.()]{0,4}[yY] ?[=:]? ?-? ?\d{0,3} ?[,;/]? ?(?:and )?\Z")
OF_TIMES = re.compile(r"[A-Za-z\d][-–]\Z")  # Δa(t0-t3) = 1.04: its index is a time, no df
EFFECT_Z = re.compile(r"(?<!\w)[dg] \Z")  # Cohen's d_z with its index apart
# What a symbol may begin with. That one look settles nearly all characters, where each symbol would be tried in turn.
FIRST = "_ΔGLχXCcxQHtFfrRρτTzZUWV"
HEAD = re.compile(
    rf"(?=[{FIRST}])(?<![\w.])(?:"
    + "|".join(f"(?P<{kind}>{symbol})" for kind, symbol in SYMBOLS.items())
    + rf")(?=_?\d|_? ?[(\[]| ?,? ?[=<>≤≥≈≪≫]| \d{{1,4}}(?: ?, ?\d{{1,4}})? ?[=<>≤≥≈≪≫]|{WORDED})"
)
# Where a symbol may start: a letter of these that no other small letter follows than one of its names has. `re` looks
# for the one class at its start, and this settles nearly all words; what it lets through is tried.
SECOND = "τb|τc|to|tc|Fo|Fi|ts|td|Ta|ta|Fs|Fc|Fd|rh|rs|rp|Qb|Qw|Qt|Qe|Qr|Qm|Wa|zs|Zs|Xs|χs|ch|Ch|cH"
START = re.compile(rf"[{FIRST}](?<![\w.].)(?![a-z](?<!{SECOND}))(?!h(?<=[cC]h)(?!i[ ²2sS-]))")
# Each statistic and each p has a relation or a decimal behind its symbol, or is "n.s."; most sentences have neither.
# `re` looks for a pattern that begins with one character much faster than for a class of them.
BEFORE_SIGN, BEHIND_SIGN = 300, 100  # characters: twice what a symbol takes with its df, and a value with its power
SIGNS = tuple(  # with what stands behind each, where another sign would add nothing
    re.compile(rf"{sign}(?s:.{{0,{BEHIND_SIGN}}})")
    for sign in (r"\.(?=\d)", *"=<>≤≥≈≪≫", r"ns(?<!\w..)(?![A-Za-z])", r"n\.s", "NS")
)
DECIMAL = SIGNS[0]
BRACKET = re.compile(r"_? ?[(\[] ?([^()\[\]\n]{1,60}?) ?[)\]]")
INDEX = re.compile(rf"_? ?({NUMBER}(?: ?[,;/] ?{NUMBER})?)(?= ?{RELATION})")
R_INDEX = re.compile(r" ?\d{2,4} ?[=<>] ?-? ?0?[.,]\d")  # r28 = .40; r2 has lost the form of its square
VALUE = re.compile(rf" ?,? ?({RELATION}) ?([-+]? ?\d{{1,4}}\. \d{{2,3}}(?=[,;)] ?{P_FOLLOWS})|{SIGNED})(?!\.\d)")
# Behind df the sign may be left out: F(1, 28) 4.84; elsewhere only where p follows at once.
WORDED_VALUE = re.compile(rf"(?:{WORDED}| ?)([-+]? ?\d{{0,4}}\.\d{{1,4}})(?![\d.]| ?%)")
P_SOON = re.compile(r"[^.\n]{0,30}?(?<![\w.])[pP](?:[- ]values?)?(?: ?[=<>≤≥:]| (?:of|was|is) )")
N_IS = re.compile(r"(?<![A-Za-z])[Nn] ?= ?(\d{1,3}(?:,\d{3}){1,3}|\d{1,12})")
END = re.compile(r"[.!?\n](?:(?<=\n)|[\"”’)\]]? (?=[A-Z“\"(\[χ]|[tzrp] ?[(\[=<>]))")
ABBREVIATION = re.compile(r"(?:\b(?:vs|cf|al|Fig|Figs|Eq|Eqs|Tab|No|Dr|Prof|approx|resp|e\.g|i\.e|[A-Z])\.)$")
DECIMAL_COMMA = re.compile(rf"[-+]?{COMMA}")
IN_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)")
DF_NUMBER = re.compile(NUMBER)
DF_COMMA = re.compile(r"\d{1,4},\d{1,2}")
DF_POINT = re.compile(r"[1-9]\.[1-9]\d{1,3}")
DF_HEAD = re.compile(r"^ ?[Dd]\.?[Ff]\.?[12]?(?: ?[=:] ?| )|(?<=\d) ?[Dd]\.?[Ff]\.?$")
OF_F, OF_OTHER = re.compile("[,;/-]"), re.compile("[,;/]")  # F (2-90)
WITH_N = ("chi2", "g2", "q", "h")  # statistics whose df may have n behind them
EFFECTS = ("r", "rho", "tau", "u")  # symbols that without df behind another statistic are its effect size


@dataclass(frozen=True, slots=True)
class Head:
    """A statistic with its value; its p is still to be found."""

    kind: str
    start: int
    end: int
    df: tuple[Printed, ...]
    n: int | None
    relation: str
    value: Printed
    written: str


def symbols(text: str, first: int = 0, last: int | None = None) -> Iterator[re.Match[str]]:
    """Yield the symbols of statistics between two places, as `HEAD` finds them, in a third of the time."""
    last = len(text) if last is None else last
    last_end = first
    for start in START.finditer(text, first, last):
        if start.start() >= last_end and (head_match := HEAD.match(text, start.start(), last)):
            last_end = head_match.end()
            yield head_match


def result_windows(text: str, signs: Sequence[re.Pattern[str]] = SIGNS) -> list[tuple[int, int]]:
    """Return the parts of a text that may hold a result, in order: those around what every statistic and every p has.

    Examples
    --------
    >>> text = "Words go on. " * 100 + "They differed, t(28) = 2.20, p = .036." + " Words go on." * 100
    >>> [text[first:last].count("t(28) = 2.20, p = .036") for first, last in result_windows(text)]
    [1]
    """
    spans = sorted(sign.span() for pattern in signs for sign in pattern.finditer(text))
    windows: list[tuple[int, int]] = []
    for start, end in spans:
        first = max(start - BEFORE_SIGN, 0)
        if windows and first <= windows[-1][1]:
            first, last = windows.pop()
            end = max(end, last - BEHIND_SIGN)
        windows.append((first, min(end + BEHIND_SIGN, len(text))))
    return windows


def stops(text: str, first: int, last: int) -> Iterator[re.Match[str]]:
    """Yield the ends of sentences between two places."""
    for stop in END.finditer(text, first, last):
        if not ABBREVIATION.search(text, max(stop.start() - 8, 0), stop.start() + 1):
            yield stop


@functools.lru_cache(maxsize=4096)  # texts print the same numbers again and again
def _number(text: str) -> Printed:
    text = text.replace(" ", "")
    decimal = DECIMAL_COMMA.fullmatch(text)
    return printed(text.replace(",", "." if decimal else ""))


def head_at(text: str, match: re.Match[str]) -> Head | None:
    """Read df, relation and value behind a symbol; None if it is not a statistic after all."""
    kind, end = str(match.lastgroup), match.end()
    if kind == "z" and EFFECT_Z.search(text, max(match.start() - 3, 0), match.start()):
        return None
    if kind == "z" and PLACE.search(text, max(match.start() - 30, 0), match.start()):
        return None
    df: tuple[Printed, ...] = ()
    n = None
    if bracket := BRACKET.match(text, end):
        df_and_size = df_and_n(bracket[1], kind)
        if df_and_size is None:
            return None
        (df, n), end = df_and_size, bracket.end()
    elif (kind in ("t", "f", "chi2") or text.startswith("_", end) or (kind == "r" and R_INDEX.match(text, end))) and (
        index := INDEX.match(text, end)
    ):
        df_and_size = df_and_n(index[1], kind)
        if OF_TIMES.search(text, max(match.start() - 3, 0), match.start()):
            return None
        if df_and_size is None or any(float(value) == 0 for value in df_and_size[0]):  # t0 is a time
            return None
        (df, n), end = df_and_size, index.end()
    value = VALUE.match(text, end)
    if value is None:
        return _worded(text, kind, match.start(), end, df, n)
    relation = RELATIONS.get(value[1], value[1])
    return Head(kind, match.start(), value.end(), df, n, relation, _number(value[2]), value[2].replace(" ", ""))


def _worded(text: str, kind: str, start: int, end: int, df: tuple[Printed, ...], n: int | None) -> Head | None:
    """Read a value behind a colon, a word or, behind df, nothing: t(28): 2.20, z-score of 2.10, F(1, 28) 4.84."""
    value = WORDED_VALUE.match(text, end)
    if value is None or (not df and not P_SOON.match(text, value.end())):
        return None
    return Head(kind, start, value.end(), df, n, "=", _number(value[1]), value[1].replace(" ", ""))


@functools.lru_cache(maxsize=4096)
def df_and_n(content: str, kind: str) -> tuple[tuple[Printed, ...], int | None] | None:
    """Return df and n of what stands in brackets; None if it is something else."""
    size = N_IS.search(content)
    rest = N_IS.sub("", content)
    parts = [DF_HEAD.sub("", part).strip() for part in (OF_F if kind == "f" else OF_OTHER).split(rest)]
    parts = [part for part in parts if part]
    n_df = 2 if kind == "f" else 1
    are_numbers = all(DF_NUMBER.fullmatch(part) for part in parts)
    if are_numbers and size is None and len(parts) == 2 and kind in WITH_N and parts[1].isdecimal():  # χ²(1, 73)
        return (_number(parts[0]),), int(parts[1])
    if len(parts) == 2 and kind in ("t", "r", "rho", "z") and parts[0] == "1":
        parts = parts[1:]  # t(1, 67) is √F(1, 67)
    elif kind == "t" and " " not in rest and DF_COMMA.fullmatch(rest):
        parts = [rest.replace(",", ".")]  # t(27,34) with a decimal comma
    elif len(parts) == 2 and kind in ("t", "r", "rho") and re.fullmatch(r"\d{3}", parts[1]):
        parts = ["".join(parts)]  # t(6, 564)
    elif len(parts) == 1 and kind == "f" and DF_POINT.fullmatch(parts[0]):
        parts = parts[0].split(".")  # F(1.28), a comma that became a point
    if kind == "u" and len(parts) == 2 and all(part.isdecimal() for part in parts):
        return (), None  # U(15, 17): the sizes of two groups
    if len(parts) == n_df + 1 and IN_THOUSANDS.search(rest):
        parts[-2:] = ["".join(parts[-2:])]
    if len(parts) > n_df or not all(DF_NUMBER.fullmatch(part) for part in parts):
        return None
    if kind == "f" and len(parts) == 1:
        return None if size is None else ((), int(size[1].replace(",", "")))  # F(1, N = 73) leaves the error's df out
    return tuple(map(_number, parts)), None if size is None else int(size[1].replace(",", ""))


BEFORE = 60  # characters before a head in which a p may end
POWER = r"(?: ?[eE] ?[-+]?\d{1,3}|(?: ?[×x·*] ?10| 10(?=\^?[-⁻])) ?\^? ?(?:[-⁻]?[\d⁰¹²³⁴-⁹]{1,3}|\([-⁻]?\d{1,3}\)))"
MOST_DECIMALS = (
    300  # decimals of a p; one with more is below what a float holds, or has no digit more that says anything
)
TEN = r"10 ?\^? ?[-⁻] ?[\d⁰¹²³⁴-⁹]{1,3}"  # P < 10^-3
SPACED = r"0 \.\d{1,15}|0?\. \d{2,15}(?![\d.]\d)|0\.0 \d{2,4}(?![\d.])"  # 0 .05, 0. 05 and 0.0 01, as some PDFs give it
P_VALUE = (
    rf"{TEN}|{SPACED}|\d,\d{{1,3}}{POWER}|"
    rf"-? ?(?:0?,\d{{1,4}}(?!\d)|\d{{1,3}}(?:\.\d{{1,15}})?|\.\d{{1,15}})(?:{POWER})?"
)
P_TAG = (
    r"[-_ .]?(?:values?|val|adj|corr|holm|bonf|tukey|fdr|perm|unc|one|two|[12]-(?:tail|side)|gg\b|hf\b)"
    r"[-A-Za-z]{0,10}\.?|_[^\W\d_]{1,12}|['’]?s"
)
# `re` looks for the one class that a pattern begins with, and tries the rest only where it is.
P_IS = re.compile(
    r"[pPnN](?:(?<!\w.)|(?<=\.\d\d[pP]))(?<![ηωε][²2] .)(?:"  # the p of "η2 p = .14" is its index
    rf"(?<=[pP])(?P<tag>(?i:{P_TAG}))? ?(?:[(\[](?P<note>[^()\[\]\n]{{1,30}})[)\]] ?)?"
    rf"(?:= (?=[<>≤≥]))?(?P<relation>{RELATION}) ?"
    rf"(?:(?P<value>{P_VALUE})(?P<percent> ?%)?|(?P<ns>n\.? ?s\.?(?![A-Za-z])))"
    r"|(?<=[pP])(?:[- ]values?)? ?(?P<bare>0?\.\d{2,4})(?![\d%]|\.\d)"  # a PDF or a table has lost the sign of p
    r"|(?<=[pP])(?:[- ]values?)?(?: ?:| (?:of|was|is|equals|=)) ?(?P<worded>0?\.\d{2,4})(?![\d%]|\.\d)"
    r"|(?<=n)(?P<alone>\.s\.?(?![A-Za-z])|s(?![A-Za-z]))"
    r"|(?:(?<=[,;(] N)|(?<=[,;(]N))(?P<capitals>S(?![A-Za-z]|[^,;.)]{0,3}\d)))"
)
OF_OTHERS = re.compile(rf"R ?[²2] ?= ?{NUMBER} ?[(\[]\Z")  # R² = .004 (p = .438): the p of the R²
OF_NUMBER = re.compile(rf"{RELATION} ?[-+]?(?:{NUMBER}) ?[)\]]?[,;]? ?\Z")  # b = 0.3, p = .04: the p of the b
NO_PER_CENT = re.compile(r" ?[A-Za-zχ][²2]? ?[(\[]")  # "% F(1, 28)" is what a comment says
LOST_POWER = re.compile(r" ?[48×xX·] ?10(?!\.?\d)(?: ?[-2]? ?\d{1,3}(?!\.?\d))?")  # "3 8 10 9" was 3 × 10⁻⁹
WITHOUT_POINT = re.compile(r"0\d{1,14}|\d{2,15}")
WORD = re.compile(r"[A-Za-z]{3,}")
# What may stand between a p and the statistic that it leads.
BETWEEN = re.compile(
    r" ?(?:[,(] ?(?:one|two|1|2)[- ](?:tailed|sided)\)?)?[,;:(\[]? ?[(\[]?"
    r"(?:(?:Pearson|Welch|Student|Friedman|Wald)(?:['’]s)? )?"
)
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", "()")
FILLER = frozenset(["mse", "sem", "eta", "omega", "and", "with", "two", "one", "tailed", "sided"])


def p_of(text: str, head: Head, following: int, taken: int) -> re.Match[str] | None:
    """Return the p of a statistic: the one behind it, but before it where that one leads the next statistic.

    In "p = .001, F(1, 23) = 14.51; Category, p = .007, F(1, 23) = 8.66" each p leads its own.
    """
    match_behind = p_after(text, head, following)
    leads = match_behind is not None and BETWEEN.fullmatch(text, match_behind.end(), following)
    if match_behind is not None and not leads:
        return match_behind
    match_before = _p_before(text, head, taken)
    if match_before is None or (
        leads and OF_NUMBER.search(text, max(match_before.start() - 40, 0), match_before.start())
    ):
        return match_behind
    return match_before


def p_after(text: str, head: Head, following: int) -> re.Match[str] | None:
    """Return the p that belongs to a statistic: before the next one, the sentence's end, or more than a few words."""
    stop = min(head.end + WINDOW, following)
    p_match = P_IS.search(text, head.end, min(stop + 40, following))
    if p_match is None or p_match.start() > stop:
        return None
    gap = text[head.end : p_match.start()]
    if OF_OTHERS.search(gap):
        return None
    words = [word for word in WORD.findall(gap) if word.lower() not in FILLER]
    return None if len(words) > 6 or any(stops(text, head.end, p_match.start())) else p_match


def _p_before(text: str, head: Head, last_end: int) -> re.Match[str] | None:
    """Return a p that is written before its statistic: p < .001, t(49) = 4.12."""
    for p_match in P_IS.finditer(text, max(last_end, head.start - BEFORE), head.start):
        if BETWEEN.fullmatch(text, p_match.end(), head.start):
            return p_match
    return None


def p_number(match: re.Match[str]) -> Printed:
    """Return the number that is printed of a p."""
    number = _p_said(match["value"] or match["bare"] or match["worded"])
    percent = match["percent"] and not NO_PER_CENT.match(match.string, match.end())
    return Printed(number.number / 100, number.decimals + 2) if percent else number


@functools.lru_cache(maxsize=4096)
def _p_said(text: str) -> Printed:
    text = text.replace(" ", "").replace(",", ".").translate(RAISED)
    text = f"1×{text}" if re.match(TEN, text) else text
    text = re.sub(r"[×x·*]10\^?|10\^?(?=-)", "e", text).replace("−", "-")
    exponent = Decimal(text).as_tuple().exponent
    return printed(f"1e-{MOST_DECIMALS}" if isinstance(exponent, int) and -exponent > MOST_DECIMALS else text)


def unread(text: str, match: re.Match[str]) -> str:
    """Return what is printed of a p that has lost its exponent or the sign of it; empty if it can be read."""
    if match["bare"] or not match["value"] or match["percent"]:
        return ""
    if match["relation"] == "=" and p_number(match).decimals >= MOST_DECIMALS:
        return str(match["value"])
    if WITHOUT_POINT.fullmatch(match["value"]):
        return str(match["value"])  # p < 10, p = 696, p < 0001
    power_match = LOST_POWER.match(text, match.end())
    lost_sign = re.search(r"[eE×x·]", match["value"]) and float(p_number(match)) > 1
    return (
        text[match.start("value") : power_match.end() if power_match else match.end()]
        if power_match or lost_sign
        else ""
    )
