"""The numbers that are printed with a result: effect sizes, b and its SE, intervals."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from negstats.audit.find_results import Reported
from negstats.audit.statistic_patterns import HEAD, P_IS, SIGNED
from negstats.printed_numbers import Printed, printed

FURTHER_BACK = 300  # characters before a result in which the p of another may stand
BEFORE = 100  # characters before a result that may hold its b and SE
RATIO = r"a?(?:OR|HR|I?RR|PR)|(?:[Oo]dds|[Hh]azard|[Rr]isk|[Rr]ate|[Pp]revalence) ratio|[Rr]elative risk"
NUMBERS = {
    "eta": r"(?:partial )?η ?[²2]?[_ ]?\(?(?:partial|p)?\)?_?[²2]?",
    "omega": r"(?:partial )?ω ?[²2]?[_ ]?\(?(?:partial|p)?\)?_?[²2]?",
    "d": r"d(?:_?(?:z|s|av|rm))?",
    "g": r"g(?:_?(?:z|s|av|rm))?",
    "r": r"r",
    "b": r"[bB]",
    "beta": r"β",
    "se": r"(?:SE|s\.e\.|S\.E\.)(?:_?[bBβ])?",
    "ratio": RATIO,
    "difference": r"M_?diff|ΔM",
}
NUMBER = re.compile(
    r"(?<![\w.])(?:"
    + "|".join(f"(?P<{name}>{symbol})" for name, symbol in NUMBERS.items())
    + rf")(?: ?= ?|(?<=R)(?: ?: ?| of | )(?=\d)|(?<=ratio)(?: ?: ?| of )|(?<=risk)(?: ?: ?| of ))(?P<value>{SIGNED})"
)
INTERVAL = re.compile(
    rf"(?P<level>\d{{2}}(?:\.\d)?) ?% ?(?:CIs?|[Cc]onfidence [Ii]ntervals?) ?[=:]? ?(?:of )?[\[(]? ?"
    rf"(?P<low>{SIGNED}) ?(?:,|;|to|-) ?(?P<high>{SIGNED})(?= ?[\]),;.]| |$)"
)
# Any number that is named, so that an interval is not taken for that of an estimate before it: R² = .12, AUC = .61.
ANY = re.compile(rf"(?P<name>[^\W\d_][\w²'’-]{{0,24}}) ?(?:=|of|was|is|:) ?{SIGNED}(?! ?%)")
NO_ESTIMATE = re.compile(r"(?:[pPnNtFzZQ]s?|df|SE|SD|SEM|MSE|[χX][²2]?|Wald|k|CIs?|CI_?\d*|s\.e|p[- _].*|interval)\Z")
EFFECT_SIZES = ("eta", "omega", "d", "g", "r")
WORD = re.compile(r"[A-Za-z]{3,}")
BREAK = re.compile(r"[.;] |\n")
NEXT = re.compile(r"; | and |\. |(?<![\w.])(?:[bBβ]|M_?diff|ΔM|a?(?:OR|HR|I?RR|PR)) ?=")


@dataclass(frozen=True, slots=True)
class Interval:
    """A printed interval: its level in per cent, and its ends."""

    level: float
    low: Printed
    high: Printed

    def __str__(self) -> str:
        return f"{self.level:g}% CI [{self.low}, {self.high}]"


@dataclass(frozen=True, slots=True)
class Around:
    """The numbers beside a result, each once; those printed twice are nobody's."""

    values: dict[str, Printed]
    symbols: dict[str, str]
    interval: Interval | None
    of: str  # what the interval is of


def around_of(result: Reported) -> Around:
    """Return the numbers beside a result: of its sentence, before it up to the result before, and behind it."""
    return _look_around(result.kind, result.paragraph, *result.span)


@functools.lru_cache(maxsize=1024)  # the other tests of a paper ask for them too
def _look_around(kind: str, paragraph: str, start: int, end: int) -> Around:
    first = max(start - BEFORE, 0)
    text_before = paragraph[first:start]
    for stop in (*_breaks(text_before), *P_IS.finditer(text_before)):
        first = max(first, start - len(text_before) + stop.end())
    text = paragraph[first:start] + _own(paragraph, start, end)
    result_start = start - first
    # An effect size behind another p, with words between it and this result, is of that one.
    is_behind_p = kind != "p" and P_IS.search(paragraph, max(start - FURTHER_BACK, 0), start)
    earlier = result_start if is_behind_p else 0
    values: dict[str, Printed] = {}
    symbols: dict[str, str] = {}
    twice = set()
    places = []
    for match in NUMBER.finditer(text):
        name = next(name for name in NUMBERS if match[name])
        if name == kind or (
            match.start() < earlier and name in EFFECT_SIZES and WORD.search(text, match.end(), result_start)
        ):
            continue
        twice |= {name} & values.keys()
        values[name], symbols[name] = number_in(match["value"]), match[name]
        places.append((match.end(), name))
    intervals = list(INTERVAL.finditer(text))
    interval, of = None, ""
    if len(intervals) == 1:
        match = intervals[0]
        interval = Interval(float(match["level"]), number_in(match["low"]), number_in(match["high"]))
        estimates_before = [(end, name) for end, name in places if end <= match.start() and name not in ("se", *twice)]
        last, of = estimates_before[-1] if estimates_before else (0, "")
        if any(not NO_ESTIMATE.match(other["name"]) for other in ANY.finditer(text, last, match.start())):
            of = ""
    for name in twice:
        values.pop(name, None)
    return Around(values, symbols, interval, of)


def _breaks(text: str) -> Iterator[re.Match[str]]:
    """Yield where a sentence or its part ends; a semicolon in brackets that are still open is not an end."""
    bracket_place = text.rfind("(")
    is_open = bracket_place > text.rfind(")")
    for break_match in BREAK.finditer(text):
        if not (is_open and break_match[0] == "; " and bracket_place < break_match.start()):
            yield break_match


def _own(paragraph: str, start: int, end: int) -> str:
    """Return what stands from a result on, without what may belong to the next statistic or p of the sentence."""
    text = paragraph[start:end]
    ps = [p_match for _, p_match in zip(range(2), P_IS.finditer(text), strict=False)]
    if not ps or not (len(ps) > 1 or HEAD.match(paragraph, end)):
        return text
    next_match = NEXT.search(text, ps[0].end())
    if next_match:
        return text[: next_match.start()]
    return text[: ps[0].end()] if len(ps) > 1 else text


def number_in(text: str) -> Printed:
    """Return a number as it is printed, with a decimal comma or point."""
    text = text.replace(" ", "")
    return printed(text.replace(",", "." if re.fullmatch(r"[-+]?\d{0,3},\d{1,2}", text) else ""))


def one_df(result: Reported) -> bool:
    """Return whether a result is an F of one df, and so the square of a t."""
    return result.kind == "f" and len(result.df) == 2 and float(result.df[0]) == 1
