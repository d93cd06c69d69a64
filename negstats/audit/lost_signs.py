"""Signs that a PDF has lost: which glyph stands for =, <, > or − in it, by evidence of the document itself.

Fonts of mathematical signs often come without a table of what their glyphs mean. The text then says ``p , .05`` or
``p H11021 .05`` for p < .05, and ``t(23) 5 22.61`` or ``t(23) ¼ /C02.61`` for t(23) = −2.61. A glyph is read as a sign
only where the document shows that it is one:

* names of glyphs (``H11021``, ``/C0``) where they stand as their sign would;
* any other for ``=`` if it stands between a statistic with df and a number, three times and nearly always;
* for ``<`` or ``>`` if it stands behind p nearly always, and the p recomputed from the statistics agree with it;
* ``2`` for − if the printed p (or a correlation beyond 1) fit without the ``2`` and do not fit with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

LEAST = 3  # times that a glyph must stand as a sign
NEARLY = 0.8  # share of the places of a sign
FITTING = 0.75  # share of the p that must agree; some are printed wrongly
LOST = {  # what fonts of signs leave behind, each with one meaning
    "⫽": "=", "⬍": "<", "⬎": ">", "⫺": "-", "⫹": "+", "⫻": "×", "⫾": "±", "␣": "α", "␤": "β", "␩": "η",
    "␹": "χ", "␻": "ω",
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ft", "ﬆ": "st",
}  # fmt: skip
# Mathematical Pi has signs from H11001 on, and the Greek alphabet from H9251; TeX's font of symbols has C0 and others.
PI = {"H11001": "+", "H11002": "-", "H11003": "×", "H11005": "=", "H11006": "±", "H11021": "<", "H11022": ">"}
PI |= {"H11349": "≤", "H11350": "≥", "H9004": "Δ"} | {f"H{9251 + place}": chr(0x3B1 + place) for place in range(25)}
TEX = {"/C0": "-", "/C2": "×", "/C6": "±", "/C20": "≤", "/C21": "≥", "/C24": "~"}
NAMES = PI | TEX
STANDS = r"(?=\s?[-.\d/(H_²])"  # as a sign or a symbol would
LONGEST_FIRST = "|".join(sorted(map(re.escape, NAMES), key=len, reverse=True))
NAME = re.compile(rf"(?<![A-Z\d])(?:/(?=H))?(?P<name>{LONGEST_FIRST}){STANDS}")

DF = r"\(\s?\d{1,5}(?:\.\d{1,2})?(?:\s?[,–-]\s?(?:[Nn]\s?.\s?)?\d{1,6}(?:\.\d{1,2})?)?\s?\)"
SIGN = r"[^\w\s()\[\]{}]|[\x01-\x08\x0e-\x1f]|[¼45oZbN]"  # what may stand for one
STATISTIC = re.compile(
    rf"(?<!\w)(?P<kind>[tFrzQH]|[χw]\s?[²2])\s?(?P<df>{DF})\s?(?P<is>{SIGN})\s?"
    r"(?P<value>-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\.?\d[\d.]*))"
)
Z = re.compile(r"(?<!\w)(?P<kind>[zZ])(?P<df>)\s?(?P<is>=)\s?(?P<value>-?\d[\d.]*)")  # has no df
P = re.compile(rf"(?<!\w)[pP]\s?(?P<is>{SIGN})\s?(?P<value>0?\.\d{{1,6}})(?!\d)")
# What numbers in print are of: statistics with df in brackets or as an index, or without, and what stands beside them.
INDEX = r"\d{1,4}(?:\s?,\s?\d{1,4})?"
NAMED = (
    rf"[tFf]\s?{INDEX}(?=\s|[^\d.])|χ\s?[²2]\s?\[[^\[\]\n]{{1,20}}\]|Q[A-Za-z]{{0,8}}\s?{DF}|\*[tFrzUdnp]\*|"
    r"M|SD|SE|MSe|MSE|df|r_?s|[ηχ]\s?[²2]|[dnNFHQUWrtzTZ]"
)
R_ALONE = re.compile(r"(?<!\w)r\s?=\s?(?P<value>20?\.\d+)")  # no correlation is above 1
OVER = re.compile(r"\bn\.?s\b|\. [A-Z]")  # behind it, p is another's
NOT_SIGNIFICANT = re.compile(r"[,;]?\s?n\.?\s?s\b")
LEVEL = 0.05
NEAR = 60  # characters between a statistic and its p
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


def repaired(text: str) -> tuple[str, tuple[Repair, ...]]:
    """Return a text with the signs that its PDF has lost, and what was read as what.

    Examples
    --------
    >>> text, repairs = repaired("So, t(28) H11005 2.20, p H11021 .05.")
    >>> text
    'So, t(28) = 2.20, p < .05.'
    >>> text, repairs = repaired("t(9) 5 2.4, p , .05; t(9) 5 3.4, p , .01; F(1, 9) 5 1.2, p . .05; and 5 to 7, so.")
    >>> text
    't(9) = 2.4, p < .05; t(9) = 3.4, p < .01; F(1, 9) = 1.2, p > .05; and 5 to 7, so.'
    """
    text, repairs = _unnamed(text)
    all_repairs = [*repairs]
    for step in (_equals, _orders):
        text, repairs = step(text)
        all_repairs += repairs
    # Where other signs are lost, one result that fits only without its 2 is enough: else it would be an accusation.
    text, repairs = _minus(text, 1 if all_repairs else LEAST - 1)
    return text, (*all_repairs, *repairs)


def _unnamed(text: str) -> tuple[str, list[Repair]]:
    """Replace what has one meaning: odd characters, ligatures, and names of glyphs."""
    counts: Counter[str] = Counter()

    def find_sign(match: re.Match[str]) -> str:
        counts[match["name"]] += 1
        return NAMES[match["name"]]

    text = NAME.sub(find_sign, text)
    for glyph_text, sign in LOST.items():
        if glyph_text in text and not sign.isalpha():
            counts[glyph_text] = text.count(glyph_text)
        text = text.replace(glyph_text, sign)
    return text, [Repair(glyph, NAMES.get(glyph) or LOST[glyph], times, "its name") for glyph, times in counts.items()]


def _replaced(text: str, places: dict[int, str]) -> str:
    """Return a text with single characters replaced."""
    characters = list(text)
    for place, sign in places.items():
        characters[place] = sign
    return "".join(characters)


def _equals(text: str) -> tuple[str, list[Repair]]:
    """Find what stands for = between statistics with df and numbers."""
    matches = list(STATISTIC.finditer(text))
    counts = Counter(match["is"] for match in matches if match["is"] not in "<>≤≥,.;:")  # what ends a clause may follow
    glyph, times = counts.most_common(1)[0] if counts else ("=", 0)
    if glyph == "=" or times < LEAST or times < NEARLY * counts.total():
        return text, []
    places = {match.start("is"): "=" for match in matches if match["is"] == glyph}
    places |= {match.start("is"): "=" for match in P.finditer(text) if match["is"] == glyph}
    named_pattern = re.compile(rf"(?<!\w)(?:{NAMED})\s?(?P<is>{re.escape(glyph)})\s?(?=-?\.?\d)")
    places |= {match.start("is"): "=" for match in named_pattern.finditer(text)}
    why = f"behind {times} of {counts.total()} statistics with df"
    return _replaced(text, places), [Repair(glyph, "=", len(places), why)]


def _results(text: str, pattern: re.Pattern[str] = STATISTIC) -> Iterator[_Result]:
    matches = list(pattern.finditer(text))
    for place, match in enumerate(matches):
        stop = matches[place + 1].start() if place + 1 < len(matches) else len(text)
        end = OVER.search(text, match.end(), min(stop, match.end() + NEAR))
        p = P.search(text, match.end(), end.start() if end else min(stop, match.end() + NEAR))
        if p is not None:
            yield _Result(match, p)


def _orders(text: str) -> tuple[str, list[Repair]]:
    """Find what stands for < and > behind p: the p recomputed must lie on that side."""
    counts = Counter(match["is"] for match in P.finditer(text))
    if not counts or counts["<"] + counts["≤"] > (1 - NEARLY) * counts.total():
        return text, []
    counts_behind = Counter(match["is"] for match in STATISTIC.finditer(text))
    if 2 * counts_behind["="] < counts_behind.total():
        return text, []  # as long as = is not known, what stands behind p may be one
    places: dict[int, str] = {}
    repairs = []
    pairs = [(result.p["is"], _p_of(result.statistic), float(result.p["value"])) for result in _results(text)]
    for glyph in [glyph for glyph in counts if glyph not in "=<>≤≥"]:
        are_below = [p < bound for sign_of_pair, p, bound in pairs if sign_of_pair == glyph and p is not None]
        if not are_below or FITTING * len(are_below) > max(sum(are_below), len(are_below) - sum(are_below)):
            continue
        sign = "<" if 2 * sum(are_below) > len(are_below) else ">"
        mine = {match.start("is"): sign for match in P.finditer(text) if match["is"] == glyph}
        mine |= {
            match.start("is"): sign
            for match in STATISTIC.finditer(text)
            if glyph not in ",.;:" and match["is"] == glyph
        }
        fit = max(sum(are_below), len(are_below) - sum(are_below))
        repairs.append(Repair(glyph, sign, len(mine), f"{fit} of {len(are_below)} p recomputed agree"))
        places |= mine
    return (text, []) if len(places) + counts["="] < LEAST else (_replaced(text, places), repairs)


def _minus(text: str, least: int) -> tuple[str, list[Repair]]:
    """Find a 2 that stands for −: what is printed with it does not fit, and without it does."""
    signed = [result for result in _results(text) if result.statistic["kind"] in "tr"] + list(_results(text, Z))
    if any(result.statistic["value"].startswith("-") for result in signed):
        return text, []  # its minus signs are there
    doubtful = [result for result in signed if re.match(r"2\d?\.", result.statistic["value"])]
    favours = {result: _fits_without_two(result) for result in doubtful}
    lone_places = {match.start("value"): "-" for match in (*R_ALONE.finditer(text), *_silent(text))}
    n_without = len(lone_places) + sum(favoured is True for favoured in favours.values())
    clear = len(lone_places) + sum(favoured is not None for favoured in favours.values())
    if n_without < least:
        return text, []
    # A t of 2.61 keeps its 2 where p fits it; what fits both ways keeps it as well, unless it is twenty and more.
    misread_results = [
        result
        for result, favoured in favours.items()
        if favoured or (favoured is None and re.match(r"2\d\.", result.statistic["value"]))
    ]
    places = lone_places | {result.statistic.start("value"): "-" for result in misread_results}
    return _replaced(text, places), [Repair("2", "-", len(places), f"{n_without} of {clear} fit only without it")]


def _silent(text: str) -> Iterator[re.Match[str]]:
    """Yield each t or r with a leading 2 that is said to be n.s. and would be so only without it."""
    for match in STATISTIC.finditer(text):
        if match["kind"] in "tr" and re.match(r"2\d?\.", match["value"]) and NOT_SIGNIFICANT.match(text, match.end()):
            with_it, p_without = _p_of(match), _p_of(match, match["value"][1:])
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
    p = _p_of(result.statistic, value)
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


def _p_of(statistic: re.Match[str], value_text: str | None = None) -> float | None:
    """Return the p of a statistic with two tails; None if it cannot be computed."""
    from scipy import stats

    df = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", statistic["df"])]
    try:
        value = float((value_text or statistic["value"]).rstrip(".").replace(",", ""))
    except ValueError:
        return None
    kind = statistic["kind"][0]
    if kind == "F" and len(df) == 2:
        return float(stats.f.sf(value, *df))
    if kind == "t" and len(df) == 1:
        return float(2 * stats.t.sf(abs(value), df[0]))
    if kind == "r" and len(df) == 1 and abs(value) < 1:
        return float(2 * stats.t.sf(abs(value) * (df[0] / (1 - value**2)) ** 0.5, df[0]))
    if kind in "zZ":
        return float(2 * stats.norm.sf(abs(value)))
    if kind in "χwQH":
        return float(stats.chi2.sf(value, df[0]))
    return None
