"""The p that belongs to a statistic: behind it or before it, and the number that is printed of it."""

from __future__ import annotations

import functools
import re
from decimal import Decimal

from negstats.audit.statistic_patterns import NUMBER, RELATION, WINDOW, Head, stops
from negstats.printed_numbers import Printed, printed

BEFORE = 60  # characters before a head in which a p may end
POWER = r"(?: ?[eE] ?[-+]?\d{1,3}|(?: ?[×x·*] ?10| 10(?=\^?[-⁻])) ?\^? ?(?:[-⁻]?[\d⁰¹²³⁴-⁹]{1,3}|\([-⁻]?\d{1,3}\)))"
LEAST = 300  # decimals of a p; one with more is below what a float holds, or has no digit more that says anything
TEN = r"10 ?\^? ?[-⁻] ?[\d⁰¹²³⁴-⁹]{1,3}"  # P < 10^-3
SPACED = r"0 \.\d{1,15}|0?\. \d{2,15}(?![\d.]\d)|0\.0 \d{2,4}(?![\d.])"  # 0 .05, 0. 05 and 0.0 01, as some PDFs give it
P_VALUE = (
    rf"{TEN}|{SPACED}|\d,\d{{1,3}}{POWER}|"
    rf"-? ?(?:0?,\d{{1,4}}(?!\d)|\d{{1,3}}(?:\.\d{{1,15}})?|\.\d{{1,15}})(?:{POWER})?"
)
P_TAG = (
    r"[-_ .]?(?:values?|val|adj|corr|holm|bonf|tukey|fdr|perm|unc|one|two|[12]-(?:tail|side))[-A-Za-z]{0,10}\.?|"
    r"_[A-Za-z]{1,12}|['’]?s"
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
    return printed(f"1e-{LEAST}" if isinstance(exponent, int) and -exponent > LEAST else text)


def unread(text: str, match: re.Match[str]) -> str:
    """Return what is printed of a p that has lost its exponent or the sign of it; empty if it can be read."""
    if match["bare"] or not match["value"] or match["percent"]:
        return ""
    if match["relation"] == "=" and p_number(match).decimals >= LEAST:
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
