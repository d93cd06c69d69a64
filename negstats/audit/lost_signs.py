"""Signs that a file has lost: which glyph replaces =, <, > or − in it, inferred from the results that it prints.

Fonts of mathematical signs often come without a table of what their glyphs mean. The text, and every file that is made
of it, then says ``p , .05``, ``p H11021 .05`` or ``pb.05`` for p < .05, ``t(23) ¼ À2.61`` for t(23) = −2.61, or
``F(1, 127) p 6.36, p ! .05`` for F(1, 127) = 6.36, p < .05. What such a glyph means follows from how results are built:

1. a glyph with one meaning (``H11021``, ``⫽``) is read where its sign would stand;
2. what stands between a statistic with df and a number is =, so is what stands there again and again, and the p that
   the statistic then gives agree with those that are printed;
3. what stands between p and a number is =, < or >: the one under which the printed numbers (.05, .01 and .001 are
   bounds, .013 is none) and the recomputed p are most likely;
4. what stands before the values of t, r and z alone is −; and so is a 2 without which the printed p fit, as they do not
   with it.

Evidence is weighed a page (or a stretch of a text) at a time, and over all pages that have lost their signs, because
one paper may be set in several fonts. A page whose own signs are there is left alone. No repair changes the length of a
text, so that each part of it keeps its place.
"""

from __future__ import annotations

import bisect
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from negstats.audit.distributions import P_OF
from negstats.audit.statistic_patterns import DECIMAL, result_windows
from negstats.audit.words import words_of

LEAST = 3  # times that a glyph must stand as a sign, where no p tells more
NEARLY = 0.8  # share of the places of a sign
STRETCH = 6000  # characters of a text without pages that are weighed together
# Mathematical Pi has signs from H11001 on, and the Greek alphabet from H9251; TeX's font of symbols has C0 and others.
PI = {"H11001": "+", "H11002": "-", "H11003": "×", "H11005": "=", "H11006": "±", "H11021": "<", "H11022": ">"}
PI |= {"H11349": "≤", "H11350": "≥", "H9004": "Δ"} | {f"H{9251 + place}": chr(0x3B1 + place) for place in range(25)}
TEX = {"/C0": "-", "/C2": "×", "/C6": "±", "/C20": "≤", "/C21": "≥", "/C24": "~"}
NAMES = PI | TEX
ODD = dict(zip("⫽⬍⬎⫺⫹⫻⫾␣␤␩␹␻", "=<>-+×±αβηχω", strict=True))
SIGN_OF = NAMES | ODD | {f"/{name}": sign for name, sign in PI.items()}
# The one class at its start is what `re` looks for without trying the rest at each character.
BEHIND = {
    first: "|".join(sorted((name[1:] for name in SIGN_OF if name[0] == first), key=len, reverse=True)) for first in "H/"
}
NAME = re.compile(
    rf"[H/{''.join(ODD)}](?:(?<![H/])|(?<![A-Z\d].)(?:(?<=H)(?:{BEHIND['H']})|(?<=/)(?:{BEHIND['/']}))"
    r"(?=\s?[-.\d/(H_²]))"
)
BEGINNINGS = frozenset(name[:3] for name in SIGN_OF)  # one of these is in each name
SIGNS = frozenset("=<>≤≥≈")

WORDS = words_of("lost_signs")
NO_SIGN = ",.;:"  # what ends a clause may follow df
LEVEL = 0.05
NEAR = 60  # characters between a statistic and its p
BOUNDS = frozenset([0.1, 0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001])
BOUND_SHARES = {"=": 0.1, "<": 0.93, ">": 0.5}  # of the numbers behind each sign; only their order of size counts
RIGHT = 0.95  # share of printed p that are those of their statistics
SURE, SURE_IN_LOST = math.log(20), math.log(5)  # a reading must be so many times as likely as the next
SHOWN = {char: f"\\x{ord(char):02x}" for char in map(chr, range(32))}


@dataclass(frozen=True, slots=True)
class Repair:
    """A glyph, the sign that it is read as, how often, and why."""

    glyph: str
    sign: str
    times: int
    why: str

    def __str__(self) -> str:
        return f"{SHOWN.get(self.glyph, self.glyph)} read as {self.sign} {self.times} times ({self.why})"


@dataclass(frozen=True, slots=True)
class _Result:
    """A statistic and the p behind it, with the places of their signs."""

    statistic: re.Match[str]
    p: re.Match[str]


@dataclass(frozen=True)
class _Slots:
    """Where a stretch of a text has statistics with a number, and p with one, whatever stands between."""

    text: str
    first: int
    last: int
    statistics: Sequence[re.Match[str]]
    ps: Sequence[re.Match[str]]

    def between(self, first: int, last: int) -> _Slots:
        """Return those of a part of the stretch."""
        statistics, ps = (
            [match for match in matches if first <= match.start() < last] for matches in (self.statistics, self.ps)
        )
        return _Slots(self.text, first, last, statistics, ps)

    @cached_property
    def _starts(self) -> list[int]:
        return [match.start() for match in self.ps]

    def results(self, statistics: Sequence[re.Match[str]] | None = None) -> Iterator[_Result]:
        """Yield each statistic with the p behind it: before the next statistic, in the same sentence and near."""
        statistics = self.statistics if statistics is None else statistics
        for index, match in enumerate(statistics):
            limit = statistics[index + 1].start() if index + 1 < len(statistics) else len(self.text)
            limit = min(limit, match.end() + NEAR)
            p_index = bisect.bisect_left(self._starts, match.end())
            if p_index == len(self.ps) or self._starts[p_index] >= limit:
                continue
            if WORDS.over.search(self.text, match.end(), self._starts[p_index]) is None:
                yield _Result(match, self.ps[p_index])

    @cached_property
    def signs(self) -> set[str]:
        """What stands where signs do."""
        return {match["is"] for match in (*self.statistics, *self.ps)}

    @cached_property
    def whole(self) -> bool:
        """Whether the signs are there: = behind statistics, and < behind p where anything but = is."""
        behind = {match["is"] for match in self.statistics} - SIGNS - {*NO_SIGN}
        of_p = Counter(match["is"] for match in self.ps if match["is"] != "=")
        return not behind and (of_p.keys() <= SIGNS or of_p["<"] + of_p["≤"] > (1 - NEARLY) * of_p.total())


@lru_cache(maxsize=2)  # a text is asked before its signs are back, and once they are
def _slots_of(text: str) -> _Slots:
    windows = result_windows(text, (DECIMAL,))  # every p has a decimal, whatever became of its sign
    every_p = [
        match for window_start, window_end in windows for match in WORDS.p.finditer(text, window_start, window_end)
    ]
    every_statistic = [match for window in windows for match in _find_statistics(text, *window)]
    every_statistic += (
        [match for window in windows for match in WORDS.indexed.finditer(text, *window)] if every_p else []
    )
    by_start = {match.start(): match for match in every_statistic}
    statistics = [by_start[start] for start in sorted(by_start)]
    signs = {match.start("is") for match in statistics}
    return _Slots(text, 0, len(text), statistics, [match for match in every_p if match.start() not in signs])


def _find_statistics(text: str, first: int, last: int) -> Iterator[re.Match[str]]:
    """Yield statistics with df in brackets: looked for at brackets, which is much faster than at letters."""
    for bracket in WORDS.bracket.finditer(text, first, last):
        match = WORDS.statistic.search(text, max(bracket.start() - 4, 0), bracket.start() + 80)
        if match is not None and match.start("df") == bracket.start():
            yield match


def repaired(text: str, starts: Sequence[int] = ()) -> tuple[str, tuple[Repair, ...]]:
    """Return a text of the same length with the signs that its file has lost, and what was read as what.

    Parameters
    ----------
    text
        The text of a whole file.
    starts
        Where its pages start; a text without any is weighed in stretches.

    Examples
    --------
    >>> repaired("So, t(28) ⫽ 2.20, p ⬍ .05.")[0]
    'So, t(28) = 2.20, p < .05.'
    >>> text, repairs = repaired("t(9) 5 2.4, p , .05; t(9) 5 3.4, p , .01; F(1, 9) 5 1.2, p . .05; and 5 to 7, so.")
    >>> text
    't(9) = 2.4, p < .05; t(9) = 3.4, p < .01; F(1, 9) = 1.2, p > .05; and 5 to 7, so.'
    >>> repaired("F(1, 127) p 6.36, p ! .05; M p 4.5; F(1, 127) p 0.85, p 1 .30; t(40) p 2.27, p p .029")[0]
    'F(1, 127) = 6.36, p < .05; M = 4.5; F(1, 127) = 0.85, p > .30; t(40) = 2.27, p = .029'
    """
    text, repairs = _replace_names(text)
    slots = _slots_of(text)
    if not slots.signs <= SIGNS:
        stretches = itertools.starmap(slots.between, itertools.pairwise((*_part_starts(text, starts), len(text))))
        lost_stretches = [stretch for stretch in stretches if not stretch.whole]
        # What one page cannot show by itself, all pages without their signs may show together.
        together = _read_glyphs(lost_stretches)
        lost_signs: dict[int, tuple[str, str, str]] = {}
        for stretch in lost_stretches:
            lost_signs |= _find_lost(stretch, together | _read_glyphs([stretch]))
        text = _put_back(text, lost_signs)
        counts = Counter(lost_signs.values())
        repairs += [Repair(glyph, sign, times, why) for (glyph, sign, why), times in counts.items()]
    # Where other signs are lost, one result that fits only without its 2 is enough: else it would be an accusation.
    return _restore_minus(text, 1 if repairs else LEAST - 1, repairs)


def _part_starts(text: str, starts: Sequence[int]) -> list[int]:
    """Return where the parts of a text start that are weighed apart: its pages, or stretches that end with a line."""
    if len(starts) > 1:
        return list(starts)
    starts_found = [0]
    pages = [match.end() for match in re.finditer("\f", text)]
    if pages:
        return [0, *pages]
    while len(text) - starts_found[-1] > 2 * STRETCH:
        line_end = text.find("\n", starts_found[-1] + STRETCH, starts_found[-1] + 2 * STRETCH)
        starts_found.append(line_end + 1 if line_end >= 0 else starts_found[-1] + 2 * STRETCH)
    return starts_found


def _replace_names(text: str) -> tuple[str, list[Repair]]:
    """Replace what has one meaning: odd characters, and names of glyphs, padded to their length."""
    counts: Counter[str] = Counter()

    def replace(match: re.Match[str]) -> str:
        counts[match[0] if match[0] in NAMES else match[0].removeprefix("/")] += 1
        return SIGN_OF[match[0]].ljust(len(match[0]))

    if any(beginning in text for beginning in BEGINNINGS):
        text = NAME.sub(replace, text)
    return text, [Repair(glyph, SIGN_OF[glyph], times, "its name") for glyph, times in counts.items()]


Readings = dict[
    tuple[str, str], tuple[str, str]
]  # of a slot ("statistic", "p", "minus") and a glyph: its sign, and why


def _read_glyphs(stretches: Sequence[_Slots]) -> Readings:
    """Return which glyph is which sign by what these stretches show together."""
    pairs = [pair for stretch in stretches for pair in stretch.results()]
    readings = _read_equals([match for stretch in stretches for match in stretch.statistics], pairs)
    equals = {glyph for _, glyph in readings}
    readings |= _read_orders([match for stretch in stretches for match in stretch.ps], pairs, equals)
    return readings | _read_negative(
        [match for stretch in stretches for match in stretch.statistics], lost=bool(readings)
    )


def _read_equals(statistics: Sequence[re.Match[str]], pairs: Sequence[_Result]) -> Readings:
    """Find what stands for = between statistics with df and numbers."""
    counts = Counter(match["is"] for match in statistics if match["is"] not in {*NO_SIGN, "<", ">", "≤", "≥"})
    glyph, n_times = counts.most_common(1)[0] if counts else ("=", 0)
    # A p that the statistic gives to its last digit, behind whatever sign, tells as much as two more statistics.
    pairs_of_glyph = [pair for pair in pairs if pair.statistic["is"] == glyph and len(pair.p["value"]) > 3]
    n_exact = sum("=" in _signs_that_fit(pair) for pair in pairs_of_glyph)
    if glyph in SIGNS or n_times + 2 * n_exact < LEAST or n_times < NEARLY * counts.total():
        return {}
    why = f"behind {n_times} of {counts.total()} statistics with df"
    return {("statistic", glyph): ("=", why), ("p", glyph): ("=", why)}


def _signs_that_fit(pair: _Result) -> str:
    """Return the signs under which a printed p is that of its statistic; none if it cannot be computed."""
    p = p_of(pair.statistic)
    if p is None:
        return ""
    bound, decimals = float(pair.p["value"]), len(pair.p["value"].partition(".")[2])
    rounds = abs(p - bound) <= 0.5 * 10.0**-decimals + 0.03 * bound
    return "=" * rounds + ("<" if p < bound else ">")


def _log_likelihood(sign: str, pair: _Result, fitting: str) -> float:
    """Return the logarithm of how likely a p that is printed behind this sign agrees with its statistic as it does."""
    if sign == "=":
        return math.log(RIGHT if "=" in fitting else 1 - RIGHT) + math.log(0.5)
    # A p below .01 rounds to it as often as not; one below .05 seldom does.
    chance = min(10.0 ** -len(pair.p["value"].partition(".")[2]) / max(float(pair.p["value"]), 1e-9), 0.9)
    of_rounding = math.log(chance if "=" in fitting else 1 - chance)
    return math.log(RIGHT if sign in fitting else 1 - RIGHT) + of_rounding


def _read_orders(ps: Sequence[re.Match[str]], pairs: Sequence[_Result], equals: set[str]) -> Readings:
    """Find what stands for =, < and > behind p: the sign under which its numbers and the recomputed p are likeliest."""
    counts = Counter(match["is"] for match in ps)
    # A stretch that has its own signs is left alone.
    if not counts or counts["<"] + counts["≤"] > (1 - NEARLY) * (counts.total() - counts["="]):
        return {}
    pairs_behind = [pair for pair in pairs if pair.statistic["is"] in equals | {"="}]
    threshold = SURE_IN_LOST if equals else SURE
    readings: Readings = {}
    for glyph in counts:
        if glyph in SIGNS or glyph in equals:
            continue
        fitting = [(pair, signs) for pair in pairs_behind if pair.p["is"] == glyph and (signs := _signs_that_fit(pair))]
        if not fitting:
            continue
        # Bounds such as .05 speak for <, other numbers for =; and so do the recomputed p.
        are_bounds = [float(match["value"]) in BOUNDS for match in ps if match["is"] == glyph]
        scores = {
            sign: sum(math.log(share if is_bound else 1 - share) for is_bound in are_bounds)
            + sum(_log_likelihood(sign, pair, signs) for pair, signs in fitting)
            for sign, share in BOUND_SHARES.items()
        }
        # The likeliest sign must be so by far, and fit most of the results.
        ranked = sorted(scores, key=lambda sign: -scores[sign])
        n_fits = sum(ranked[0] in signs for _, signs in fitting)
        if scores[ranked[0]] - scores[ranked[1]] >= threshold and 4 * n_fits >= 3 * len(fitting):
            why = f"{n_fits} of {len(fitting)} p recomputed agree"
            readings["p", glyph] = (ranked[0], why)
            if glyph not in NO_SIGN:
                readings["statistic", glyph] = (ranked[0], why)
    total = sum(counts[glyph] for slot, glyph in readings if slot == "p") + counts["="]
    total += sum(counts[glyph] for glyph in equals)
    return readings if total >= LEAST else {}


def _read_negative(statistics: Sequence[re.Match[str]], *, lost: bool) -> Readings:
    """Find what stands for − before values: before those of t, r and z alone."""
    counts = Counter(match["minus"] for match in statistics if match["minus"])
    for_signed = Counter(match["minus"] for match in statistics if match["minus"] and match["kind"] in "trz")
    readings: Readings = {}
    for glyph, times in counts.items():
        if glyph not in "-−–" and times == for_signed[glyph] and times + lost >= LEAST - 1:
            readings["minus", glyph] = ("-", f"before {times} values of t, r or z and no other")
    return readings


def _find_lost(slots: _Slots, readings: Readings) -> dict[int, tuple[str, str, str]]:
    """Return where a stretch has glyphs in place of signs: the glyph, its sign, and why."""
    signs_found: dict[int, tuple[str, str, str]] = {}
    for name, matches in (("statistic", slots.statistics), ("p", slots.ps)):
        for match in matches:
            if (name, match["is"]) in readings:
                signs_found[match.start("is")] = (match["is"], *readings[name, match["is"]])
            if name == "statistic" and ("minus", match["minus"]) in readings:
                signs_found[match.start("minus")] = (match["minus"], *readings["minus", match["minus"]])
    # What a glyph means behind results it means behind other names and numbers of the stretch, too.
    for (name, glyph), (sign, why) in readings.items():
        if name == "statistic" and sign == "=":
            named = re.compile(rf"(?<!\w)(?:{WORDS.text('named')})\s?(?P<is>{re.escape(glyph)})\s?(?=-?\s{{0,8}}\.?\d)")
            signs_found |= {
                match.start("is"): (glyph, sign, why) for match in named.finditer(slots.text, slots.first, slots.last)
            }
        elif name == "minus":
            before = re.compile(rf"(?<=\W){re.escape(glyph)}(?=\s?\.?\d)")
            signs_found |= {
                match.start(): (glyph, sign, why) for match in before.finditer(slots.text, slots.first, slots.last)
            }
    return signs_found


def _put_back(text: str, lost_signs: Mapping[int, tuple[str, str, str]]) -> str:
    """Return a text of the same length with signs in place of the glyphs that stand for them."""
    fragments, last_end = [], 0
    for position, (glyph, sign, _) in sorted(lost_signs.items()):
        fragments += [text[last_end:position], sign.ljust(len(glyph))]
        last_end = position + len(glyph)
    return "".join([*fragments, text[last_end:]]) if fragments else text


def mend_cell(cell: str, repairs: Iterable[Repair]) -> str:
    """Return a cell of a table with the sign before its p that the text of its file has shown.

    Examples
    --------
    >>> mend_cell("b.001", [Repair("b", "<", 9, "9 of 9 p recomputed agree")])
    '<.001'
    """
    for repair in repairs:
        if cell.startswith(repair.glyph) and re.match(r"\s?-?\d?\.\d", cell[len(repair.glyph) :]):
            return repair.sign + cell[len(repair.glyph) :]
    return cell


def visible_results(text: str) -> list[tuple[int, str]]:
    """Return where a statistic with df, a number and a p behind it stand with signs that are not known, and the words.

    Examples
    --------
    >>> visible_results("We saw F(1, 127) @ 6.36, p ~ .02, and t(28) = 2.20, p = .036.")
    [(7, 'F(1, 127) @ 6.36, p ~ .02')]
    """
    slots = _slots_of(text)
    return [
        (pair.statistic.start(), " ".join(text[pair.statistic.start() : pair.p.end()].split()))
        for pair in slots.results()
        if pair.statistic["is"] not in SIGNS or pair.p["is"] not in SIGNS
    ]


def _restore_minus(text: str, least: int, repairs: Sequence[Repair]) -> tuple[str, tuple[Repair, ...]]:
    """Return a text with − for a 2 with which what is printed does not fit, and without it does; and all repairs."""
    unchanged = text, tuple(repairs)
    if not WORDS.leading_two.search(text):
        return unchanged
    slots = _slots_of(text)
    signed = [result for result in slots.results() if result.statistic["kind"] in "tr"]
    signed += list(slots.results(list(WORDS.z.finditer(text))))
    if any(result.statistic["minus"] for result in signed):
        return unchanged  # its minus signs are there
    doubtful = [result for result in signed if re.match(r"2\d?\.", result.statistic["value"])]
    favours = {result: _fits_without_two(result) for result in doubtful}
    lone_places = {match.start("value") for match in (*WORDS.r_alone.finditer(text), *_find_silent(slots))}
    n_without = len(lone_places) + sum(favoured is True for favoured in favours.values())
    n_clear = len(lone_places) + sum(favoured is not None for favoured in favours.values())
    if n_without < least:
        return unchanged
    # A t of 2.61 keeps its 2 where p fits it; what fits both ways keeps it as well, unless it is twenty and more.
    misread_results = [
        result
        for result, favoured in favours.items()
        if favoured or (favoured is None and re.match(r"2\d\.", result.statistic["value"]))
    ]
    positions = lone_places | {result.statistic.start("value") for result in misread_results}
    why = f"{n_without} of {n_clear} fit only without it"
    return _put_back(text, dict.fromkeys(positions, ("2", "-", why))), (*repairs, Repair("2", "-", len(positions), why))


def _find_silent(slots: _Slots) -> Iterator[re.Match[str]]:
    """Yield each t or r with a leading 2 that is said to be n.s. and would be so only without it."""
    for match in slots.statistics:
        is_doubtful = match["kind"] in "tr" and re.match(r"2\d?\.", match["value"])
        if is_doubtful and WORDS.not_significant.match(slots.text, match.end()):
            with_it, p_without = p_of(match), p_of(match, match["value"][1:])
            if p_without is not None and p_without > LEVEL and (with_it is None or with_it < LEVEL):
                yield match


def _fits_without_two(result: _Result) -> bool | None:
    """Return whether a value fits its p only without its leading 2; None if both or neither do."""
    value = result.statistic["value"]
    if result.statistic["kind"] == "r" and float(value.rstrip(".").replace(",", "")) > 1:
        return True
    as_is, fits_without = _fits(result, value), _fits(result, value[1:])
    return None if as_is == fits_without else fits_without


def _fits(result: _Result, value: str) -> bool:
    """Return whether a value gives the p that is printed behind it."""
    p = p_of(result.statistic, value)
    if p is None:
        return False
    printed_p, relation = result.p["value"], result.p["is"]
    if relation == "<":
        return p < float(printed_p)
    if relation == ">":
        return p > float(printed_p)
    decimals = len(printed_p.partition(".")[2])
    tolerance = 0.5 * 10.0**-decimals + 0.1 * float(printed_p)
    return min(abs(p - float(printed_p)), abs(p / 2 - float(printed_p))) <= tolerance  # of two tails, or of one


def p_of(statistic: re.Match[str], value_text: str | None = None) -> float | None:
    """Return the p of a statistic with two tails; None if it cannot be computed."""
    kind = {"F": "f", "χ": "chi2", "w": "chi2", "Q": "q", "H": "h", "Z": "z"}.get(
        statistic["kind"][0], statistic["kind"][0]
    )
    df = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", statistic["df"])]
    try:
        value = abs(float((value_text or statistic["value"]).rstrip(".").replace(",", "")))
    except ValueError:
        return None
    n_df, p_of_size = P_OF[kind]
    if len(df) < n_df or (len(df) > n_df and kind != "chi2") or not all(df) or (kind == "r" and value >= 1):
        return None
    return float(p_of_size(value, *df[:n_df]))
