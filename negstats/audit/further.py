"""More than p: effect sizes, b and its SE, intervals and percentages against the numbers that they stand beside.

Each judgement is graded, and one that finds something says what would have to be true for the print to be right. What
a usual design would explain is never an error: "fits only if" names that design.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from scipy import special

from negstats.audit.finding import HEAD, P_IS, SIGNED, Reported
from negstats.printed import Printed, printed

if TYPE_CHECKING:
    from negstats.audit.reading import Document

__all__ = ["FLAGGED_GRADES", "Grade", "Judgement", "further", "shares"]

Grade: TypeAlias = Literal[
    "fits", "fits only if", "differs", "changes the conclusion", "cannot be", "cannot be checked"
]
FLAGGED_GRADES: tuple[Grade, ...] = ("cannot be", "changes the conclusion", "differs")
Range: TypeAlias = tuple[float, float]

BEFORE = 100  # characters before a result that may hold its b and SE
MARGIN = 1.5  # p so many times off the level may be that of another method than the interval's
MOST_PEOPLE = 2000

NUMBERS = {
    "eta": r"(?:partial )?η ?[²2]?_?\(?(?:partial|p)?\)?_?[²2]?",
    "omega": r"(?:partial )?ω ?[²2]?_?\(?(?:partial|p)?\)?_?[²2]?",
    "d": r"d(?:_?(?:z|s|av|rm))?",
    "g": r"g(?:_?(?:z|s|av|rm))?",
    "r": r"r",
    "b": r"[bB]",
    "beta": r"β",
    "se": r"(?:SE|s\.e\.|S\.E\.)(?:_?[bBβ])?",
    "ratio": r"a?(?:OR|HR|RR)",
    "difference": r"M_?diff|ΔM",
}
NUMBER = re.compile(
    r"(?<![\w.])(?:"
    + "|".join(f"(?P<{name}>{symbol})" for name, symbol in NUMBERS.items())
    + rf") ?= ?(?P<value>{SIGNED})"
)
INTERVAL = re.compile(
    rf"(?P<level>\d{{2}}(?:\.\d)?) ?% ?(?:CIs?|[Cc]onfidence [Ii]ntervals?) ?[=:]? ?(?:of )?[\[(]? ?"
    rf"(?P<low>{SIGNED}) ?(?:,|;|to|-) ?(?P<high>{SIGNED})(?= ?[\]),;.]| |$)"
)
BREAK = re.compile(r"[.;] |\n")
NEXT = re.compile(r"; | and |\. |(?<![\w.])(?:[bBβ]|M_?diff|ΔM|a?(?:OR|HR|RR)) ?=")
SHARES = (
    re.compile(
        r"(?P<count>\d(?<![\d.,/].)\d{0,5})(?: of | out of |/| / )(?:the |all )?(?P<of>\d{1,6})(?![\d.,/])"
        r"[^.;()\[\]\d\n]{0,40}[(\[] ?(?P<share>\d{1,3}(?:\.\d{1,4})?) ?\\?%(?= ?[)\],;])"
    ),
    re.compile(
        r"(?P<share>\d(?<![\d.,].)\d{0,2}(?:\.\d{1,4})?) ?\\?% ?[(\[] ?(?P<count>\d{1,6})"
        r"(?: of | out of |/| / )(?:the |all )?(?P<of>\d{1,6})(?= ?[)\],;])"
    ),
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one printed number says of another.

    Attributes
    ----------
    grade : str
        "fits", "fits only if" (what a usual design would explain), "differs", "changes the conclusion", "cannot be"
        or "cannot be checked".
    what : str
        The numbers: "partial η² and F".
    why : str
        One sentence; of what does not fit, what would have to be true.
    raw, sentence, place
        As in `Reported`.
    """

    grade: Grade
    what: str
    why: str
    raw: str
    sentence: str
    place: int

    @property
    def flagged(self) -> bool:
        """Whether something is wrong."""
        return self.grade in FLAGGED_GRADES


@dataclass(frozen=True, slots=True)
class _Around:
    """The numbers beside a result, each once; those printed twice are nobody's."""

    values: dict[str, Printed]
    symbols: dict[str, str]
    interval: tuple[float, Printed, Printed] | None
    of: str  # what the interval is of


def further(said: Reported, alpha: float = 0.05) -> Iterator[Judgement]:
    """Yield what the numbers beside a result say of it.

    Examples
    --------
    >>> from negstats.audit.finding import find
    >>> from negstats.audit.reading import document
    >>> (said,) = find(document("F(1, 28) = 4.60, p = .041, partial η² = .25."))
    >>> for found in further(said):
    ...     print(f"{found.what}: {found.grade}: {found.why}")
    partial η² and F: differs: F(1, 28) = 4.60 gives .141, printed .25; F = 9.33 would give it
    """
    if said.unread:
        return
    around = _around(said)
    if not around.values and around.interval is None:
        return
    for grade, what, why in _judged(said, around, alpha):
        yield Judgement(grade, what, why, said.raw, said.sentence, said.place)


Said: TypeAlias = tuple[Grade, str, str]


def _judged(said: Reported, around: _Around, alpha: float) -> Iterator[Said]:
    if said.relation == "=":
        if said.kind == "f" and len(said.df) == 2:
            yield from _of_variance(said, around)
        if (said.kind == "t" and len(said.df) == 1) or _one_df(said):
            yield from _of_difference(said, around)
            yield from _of_r(said, around)
    if "se" in around.values and ("b" in around.values or "beta" in around.values):
        yield from _of_ratio(said, around, alpha)
    if around.interval is not None:
        yield from _of_interval(said, around)


def _one_df(said: Reported) -> bool:
    return said.kind == "f" and len(said.df) == 2 and float(said.df[0]) == 1


def _around(said: Reported) -> _Around:
    """Return the numbers beside a result: of its sentence, before it up to the result before, and behind it."""
    first = max(said.span[0] - BEFORE, 0)
    before = said.paragraph[first : said.span[0]]
    for stop in (*BREAK.finditer(before), *P_IS.finditer(before)):
        first = max(first, said.span[0] - len(before) + stop.end())
    text = said.paragraph[first : said.span[0]] + _own(said)
    values: dict[str, Printed] = {}
    symbols: dict[str, str] = {}
    twice = set()
    places = []
    for found in NUMBER.finditer(text):
        name = next(name for name in NUMBERS if found[name])
        if name == said.kind:
            continue
        twice |= {name} & values.keys()
        values[name], symbols[name] = _read(found["value"]), found[name]
        places.append((found.end(), name))
    intervals = list(INTERVAL.finditer(text))
    interval, of = None, ""
    if len(intervals) == 1:
        found = intervals[0]
        interval = float(found["level"]), _read(found["low"]), _read(found["high"])
        near = [name for end, name in places if end <= found.start() and name not in ("se", *twice)]
        of = near[-1] if near else ""
    for name in twice:
        values.pop(name, None)
    return _Around(values, symbols, interval, of)


def _own(said: Reported) -> str:
    """Return what stands from a result on, without what may belong to the next statistic or p of the sentence."""
    text = said.paragraph[said.span[0] : said.span[1]]
    ps = [found for _, found in zip(range(2), P_IS.finditer(text), strict=False)]
    if not ps or not (len(ps) > 1 or HEAD.match(said.paragraph, said.span[1])):
        return text
    cut = NEXT.search(text, ps[0].end())
    if cut:
        return text[: cut.start()]
    return text[: ps[0].end()] if len(ps) > 1 else text


def _read(text: str) -> Printed:
    text = text.replace(" ", "")
    return printed(text.replace(",", "." if re.fullmatch(r"[-+]?\d{0,3},\d{1,2}", text) else ""))


def _size(number: Printed) -> Range:
    """Return the least and the greatest size that a number is printed for."""
    low, high = number.low, number.high
    return (0.0, max(-low, high)) if low <= 0 <= high else (min(abs(low), abs(high)), max(abs(low), abs(high)))


def _within(number: Printed, ends: Range) -> bool:
    size = _size(number)
    slack = 1e-9 * (1 + abs(size[1]))
    return ends[0] <= size[1] + slack and ends[1] >= size[0] - slack


def _shown(ends: Range) -> str:
    low, high = (f"{end:.3f}".removeprefix("0") if end < 1 else f"{end:.2f}" for end in ends)
    return low if low == high else f"{low} to {high}"


def _number(value: Printed) -> str:
    return str(value).removeprefix("0") if abs(float(value)) < 1 else str(value)


def _of_variance(said: Reported, around: _Around) -> Iterator[Said]:
    """Judge η² and ω² of an F: partial η² is F df1 / (F df1 + df2), whatever the design (Cohen, 1973)."""
    (low, high), (df1, df2) = _size(said.statistic), map(float, said.df)
    people = df1 + df2 + 1
    partial = low * df1 / (low * df1 + df2), high * df1 / (high * df1 + df2)
    omega = tuple(max(df1 * (f - 1) / (df1 * (f - 1) + people), 0.0) for f in (low, high))
    epsilon = tuple(max(df1 * (f - 1) / (df1 * f + df2), 0.0) for f in (low, high))
    test = f"F({said.df[0]}, {said.df[1]}) = {said.statistic}"
    if eta := around.values.get("eta"):
        is_partial = "p" in around.symbols["eta"]
        what = f"{'partial ' * is_partial}η² and F"
        gives = f"{test} gives {_shown(partial)}, printed {_number(eta)}"
        cut = math.floor(partial[0] * 10**eta.decimals) / 10**eta.decimals
        would = float(eta) / (1 - float(eta)) * df2 / df1 if 0 < float(eta) < 1 else math.nan
        if not 0 <= float(eta) <= 1:
            yield "cannot be", what, f"η² is printed as {eta}, and it is between 0 and 1"
        elif _within(eta, partial):
            yield "fits", what, gives
        elif not is_partial and float(eta) < partial[1]:
            yield "cannot be checked", what, f"{gives}; η² of all variance needs the other sums of squares"
        elif math.isclose(cut, float(eta)):
            yield "fits only if", what, f"{gives}: it is cut off, not rounded"
        elif _within(eta, (omega[0], omega[1])) or _within(eta, (epsilon[0], epsilon[1])):
            name = "ω²" if _within(eta, (omega[0], omega[1])) else "ε²"
            yield "fits only if", what, f"{gives}: it is {name}"
        else:
            yield "differs", what, f"{gives}{f'; F = {would:.2f} would give it' if would == would else ''}"
    if value := around.values.get("omega"):
        gives = f"{test} gives {_shown((omega[0], omega[1]))} between {people:g} people, printed {_number(value)}"
        if _within(value, (omega[0], omega[1])):
            yield "fits", "ω² and F", gives
        elif float(value) > partial[1] + 10.0**-value.decimals:
            yield "differs", "ω² and F", f"{gives}; it is smaller than partial η², {_shown(partial)}"
        else:
            yield "cannot be checked", "ω² and F", f"{gives}; within people or with other factors it differs"


def _of_difference(said: Reported, around: _Around) -> Iterator[Said]:
    """Judge d and g by every usual design (Lakens, 2013, Frontiers in Psychology 4:863, equations 1 to 10)."""
    low, high = _size(said.statistic)
    if said.kind == "f":
        low, high = math.sqrt(low), math.sqrt(high)
    df = said.df[-1]
    for name in ("d", "g"):
        value = around.values.get(name)
        if value is None:
            continue
        what = f"{around.symbols[name]} and {'t' if said.kind == 't' else 'F'}"
        if df.decimals > 0:
            yield "cannot be checked", what, "df are corrected, so the groups' n are not known"
            continue
        yield (*_design(value, (low, high), float(df), what, hedges=name == "g"),)


def _design(value: Printed, t: Range, df: float, what: str, *, hedges: bool) -> Said:
    """Say which design gives a standardised difference its printed size."""
    n, m = df + 1, df + 2
    shrink = 1 - 3 / (4 * df - 1) if hedges and df > 1 else 1.0
    designs = {
        f"two groups of {m / 2:g}": 2 / math.sqrt(m),
        f"one sample or differences of {n:g} people": 1 / math.sqrt(n),
        "2 t / √df": 2 / math.sqrt(df),
        "t / √df": 1 / math.sqrt(df),
    }
    for name, factor in designs.items():
        if _within(value, (t[0] * factor * shrink, t[1] * factor * shrink)):
            return "fits", what, f"as of {name}"
    middle = (t[0] + t[1]) / 2 * shrink
    size = abs(float(value))
    if not middle:
        return "cannot be checked", what, "the statistic may be 0"
    # 1/n1 + 1/n2 = (d/t)² with n1 + n2 = N has a solution if n1 n2 = N / (d/t)² is one of two whole numbers
    product = m / (size / middle) ** 2 if size else math.inf
    root = m * m - 4 * product
    smaller = (m - math.sqrt(root)) / 2 if root >= 0 else math.nan
    equal = (
        f"{2 * middle / math.sqrt(m):.2f} in two groups of {m / 2:g}, {middle / math.sqrt(n):.2f} of {n:g} differences"
    )
    if smaller >= 2:
        return "fits only if", what, f"the groups are of about {smaller:.0f} and {m - smaller:.0f}; else {equal}"
    correlation = 1 - (size / middle) ** 2 * n / 2
    if -1 <= correlation <= 1:
        return (
            "fits only if",
            what,
            (
                f"it is of measures of the same people that correlate {correlation:.2f} (d_av), "
                f"or its SD is not the test's; else {equal}"
            ),
        )
    would = size * math.sqrt(m) / 2 / shrink
    return "differs", what, f"printed {value}, and it is {equal}; t = {would:.2f} would give it in two groups"


def _of_r(said: Reported, around: _Around) -> Iterator[Said]:
    """Judge an r that is the effect size of a t: √(t² / (t² + df))."""
    value = around.values.get("r")
    if value is None:
        return
    low, high = (size if said.kind == "t" else math.sqrt(size) for size in _size(said.statistic))
    df = float(said.df[-1])
    r = low / math.sqrt(low**2 + df), high / math.sqrt(high**2 + df)
    what = f"r and {'t' if said.kind == 't' else 'F'}"
    if _within(value, r):
        yield "fits", what, f"it gives {_shown(r)}, printed {_number(value)}"
    elif abs(float(value)) > 1:
        yield "cannot be", what, f"r is printed as {value}, and it is between −1 and 1"
    else:
        would = abs(float(value)) * math.sqrt(df / (1 - min(float(value) ** 2, 0.999999)))
        why = f"it is not this test's, which has {_shown(r)}, printed {_number(value)} (t = {would:.2f} would give it)"
        yield "fits only if", what, why


def _of_ratio(said: Reported, around: _Around, alpha: float) -> Iterator[Said]:
    """Judge b / SE against t, z or Wald's χ², or where none is printed against p."""
    name = "b" if "b" in around.values else "beta"
    b, se = around.values[name], around.values["se"]
    (least, most), (narrow, wide) = _size(b), (max(se.low, 0.0), se.high)
    if wide <= 0:
        yield "cannot be", "SE", f"SE is printed as {se}, and it is positive"
        return
    ratio = least / wide, most / narrow if narrow > 0 else math.inf
    symbol = "b" if name == "b" else "β"
    shown = f"{symbol} / SE = {_number(b)} / {_number(se)} is {_shown(ratio)}"
    one = said.kind in ("t", "z") or _one_df(said) or (said.kind == "chi2" and said.df and float(said.df[0]) == 1)
    if one and said.relation == "=":
        size = _size(said.statistic)
        if said.kind not in ("t", "z"):
            size = math.sqrt(size[0]), math.sqrt(size[1])
        what = f"{symbol} / SE and the test"
        if ratio[0] <= size[1] * (1 + 1e-9) and ratio[1] >= size[0] * (1 - 1e-9):
            turned = said.kind in ("t", "z") and float(b) * float(said.statistic) < 0
            if turned:
                yield (
                    "differs",
                    what,
                    f"{shown}, and the test has the other sign; one of the two signs would have to be lost",
                )
            else:
                yield "fits", what, shown
        elif name == "beta":
            yield (
                "cannot be checked",
                what,
                f"{shown}, printed {said.statistic}; the SE may be that of the unstandardised b",
            )
        else:
            would = abs(float(b)) / ((size[0] + size[1]) / 2) if size[1] else math.nan
            yield "differs", what, f"{shown}, printed {said.statistic}; SE = {would:.3g} would give it"
    elif said.kind == "p" and said.p is not None and said.p_relation == "=" and name == "b":
        yield _of_p(said, said.p, ratio, shown, alpha)


def _of_p(said: Reported, p: Printed, ratio: Range, shown: str, alpha: float) -> Said:
    what = "b / SE and p"
    low, high = (2 * float(special.ndtr(-end)) for end in (ratio[1], ratio[0]))
    if p.agrees(low, high):
        return "fits", what, f"{shown}, which gives p from {low:.3g} to {high:.3g} as z"
    if float(p) > high:
        fits = [
            df for df in range(1, MOST_PEOPLE) if p.agrees(*(2 * float(special.stdtr(df, -end)) for end in ratio[::-1]))
        ]
        if fits:
            return "fits only if", what, f"{shown}, and it is a t with {fits[0]} to {fits[-1]} df"
    if said.corrected or said.correction or said.one_sided or said.one_tail:
        return "cannot be checked", what, f"{shown}, and p is said to be corrected or of one tail"
    if p.agrees(low / 2, high / 2):
        return "fits only if", what, f"{shown}, and p is of one tail"
    crosses = (float(p) <= alpha < low) or (high <= alpha < float(p))
    why = f"{shown}, which gives p from {low:.3g} to {high:.3g} as z, printed {_number(p)}"
    return ("changes the conclusion" if crosses else "differs"), what, f"{why}; another b or SE would have to be meant"


def _of_interval(said: Reported, around: _Around) -> Iterator[Said]:
    """Judge an interval: its ends, its estimate, its SE, and whether it holds the null where p says so."""
    if around.interval is None or not around.of:
        return
    level, low, high = around.interval
    symbol = around.symbols.get(around.of, around.of)
    shown = f"{level:g}% CI [{low}, {high}]"
    what = f"the interval of {symbol}"
    if float(low) > float(high):
        yield "cannot be", what, f"{shown}: the lower end is above the upper; they would have to be turned"
        return
    value = around.values.get(around.of)
    if value is not None and not (low.low <= value.high and value.low <= high.high):
        if low.low <= -value.low and -value.high <= high.high:
            yield "fits only if", what, f"{shown} is of the difference turned round: {symbol} = {value} is outside it"
        else:
            yield (
                "differs",
                what,
                f"{symbol} = {value} is outside its {shown}; it would have to be that of another estimate",
            )
        return
    if around.of == "b" and value is not None and "se" in around.values:
        yield _width(said, around.values["se"], value, what, shown, (level, low, high))
    if around.of in ("b", "beta", "d", "g", "difference", "r", "ratio"):
        yield from _of_null(said, 1.0 if around.of == "ratio" else 0.0, shown, f"{what} and p", (level, low, high))


def _width(
    said: Reported, se: Printed, b: Printed, what: str, shown: str, interval: tuple[float, Printed, Printed]
) -> Said:
    """Judge an interval of b against its SE: b ± the critical t (or z) times SE."""
    level, low, high = interval
    half = max(high.low - low.high, 0) / 2, (high.high - low.low) / 2
    factors = half[0] / se.high if se.high > 0 else math.nan, half[1] / se.low if se.low > 0 else math.inf
    df = float(said.df[0]) if said.kind == "t" and said.df else math.inf

    def critical(percent: float, df: float) -> float:
        at = 0.5 + percent / 200
        return float(special.ndtri(at) if math.isinf(df) else special.stdtrit(df, at))

    what = f"{what} and SE"
    if any(
        factors[0] <= critical(level, each) * (1 + 1e-9) and factors[1] >= critical(level, each)
        for each in (df, math.inf)
    ):
        return "fits", what, f"{shown} is b ± {critical(level, df):.2f} SE"
    middle = (float(low) + float(high)) / 2
    if abs(middle - float(b)) > float(low.half + high.half + 2 * b.half):
        return "fits only if", what, f"{shown} is not symmetric about b = {b}: bootstrapped, or a profile's"
    other = next((x for x in (90, 95, 99) if x != level and factors[0] <= critical(x, df) <= factors[1]), None)
    if other:
        return "fits only if", what, f"{shown} is one of {other} %"
    if df == math.inf and factors[0] > critical(level, math.inf):
        return "fits only if", what, f"{shown} is that of a t with few df: b ± {_shown(factors)} SE"
    why = f"{shown} is b ± {_shown(factors)} SE, and {critical(level, df):.2f} were expected"
    return "differs", what, f"{why}; another SE, level or way to make the interval would have to be meant"


def _of_null(
    said: Reported, null: float, shown: str, what: str, interval: tuple[float, Printed, Printed]
) -> Iterator[Said]:
    """Judge whether an interval holds the null where p is above 1 − its level, and does not where p is below."""
    level, low, high = interval
    many = said.kind in ("f", "chi2", "g2", "q", "h") and not (said.df and float(said.df[0]) == 1)
    if many or said.p is None or said.kind in ("u", "tau"):
        return
    alpha = round(1 - level / 100, 6)
    p = float(said.p)
    excludes = low.low > null or high.high < null
    includes = low.high < null < high.low
    small = said.p_relation in ("=", "<", "≤") and said.p.high < alpha
    if said.p_relation in ("<", "≤"):
        small = p <= alpha
    large = (said.p_relation == "=" and said.p.low > alpha) or (said.p_relation in (">", "≥") and p >= alpha)
    if (excludes and small) or (includes and large):
        yield "fits", what, f"{shown} and p say the same"
        return
    if not ((excludes and large) or (includes and small)):
        return
    holds = "leaves out" if excludes else "holds"
    against = f"{shown} {holds} {null:g}, and p {said.p_relation} {_number(said.p)} is printed"
    if said.corrected or said.correction or said.one_sided or said.one_tail:
        yield "cannot be checked", what, f"{against}, which is said to be corrected or of one tail"
    elif said.p_relation == "=" and alpha / MARGIN < p < alpha * MARGIN:
        yield "fits only if", what, f"{against}: the interval was made in another way than p"
    else:
        yield "changes the conclusion", what, f"{against}; the interval would have to be of another estimate or level"


def shares(paper: Document) -> Iterator[Judgement]:
    """Yield of each count out of a number with its percentage whether they fit.

    Examples
    --------
    >>> from negstats.audit.reading import document
    >>> for found in shares(document("Of the games 12 of 48 (26%) ended early, and 9 of 36 dyads (25%) did not.")):
    ...     print(found.grade, "·", found.why)
    differs · 12 of 48 is 25.0 %, printed 26 %; 12 of 46 or 47 would give it
    fits · 9 of 36 is 25.0 %, printed 25 %
    """
    for pattern in SHARES if "%" in paper.text else ():
        for found in pattern.finditer(paper.text):
            count, people = int(found["count"]), int(found["of"])
            if not people > 0 or count > people:
                continue
            grade, why = _share(count, people, printed(found["share"]))
            first = max(paper.text.rfind("\n", 0, found.start()) + 1, found.start() - 100)
            end = paper.text.find("\n", found.end(), found.end() + 100)
            line = paper.text[first : found.end() + 100 if end < 0 else end]
            raw, sentence = (" ".join(said.split()) for said in (found[0], line))
            yield Judgement(grade, "a count and its percentage", why, raw, sentence, paper.place(found.start()))


def _share(count: int, people: int, share: Printed) -> tuple[Grade, str]:
    exact = 100 * count / people
    gives = f"{count} of {people} is {exact:.{max(share.decimals, 1)}f} %, printed {share} %"
    if share.agrees(exact):
        return "fits", gives
    if math.floor(exact * 10**share.decimals) / 10**share.decimals == float(share):
        return "fits only if", f"{gives}: it is cut off, not rounded"
    if share.agrees(100 - exact):
        return "fits only if", f"{gives}: it is the share of the others"
    bases = [n for n in range(max(count, 1), min(2 * people, 10 * MOST_PEOPLE)) if share.agrees(100 * count / n)]
    near = " or ".join(map(str, sorted(sorted(bases, key=lambda n: abs(n - people))[:2])))
    return "differs", f"{gives}{f'; {count} of {near} would give it' if near else ''}"
