"""b, β and odds ratios against their SE, their test and p."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from scipy import special

from negstats.audit.beyond_p.around import Around, one_df
from negstats.audit.beyond_p.judgement import Range, Said, magnitude, number_text, range_text
from negstats.audit.beyond_p.normal import apart, far, z_of
from negstats.audit.find_results import Reported
from negstats.printed_numbers import Printed

MOST_PEOPLE = 2000
RATIO_TEST = re.compile(r"likelihood|\bLRT?\b|model comparison|nested|ΔG|Δχ|deviance|type (?:II|III|2|3)\b", re.I)
RESAMPLED = re.compile(r"boot-?strap\w*|jack-?knife\w*|permut\w+|robust|sandwich|cluster(?:ed)? standard", re.I)


def of_ratio(result: Reported, around: Around, alpha: float) -> Iterator[Said]:
    """Judge b / SE against t, z or Wald's χ², or where none is printed against p."""
    name = "b" if "b" in around.values else "beta"
    b, se = around.values[name], around.values["se"]
    (least, most), (narrow, wide) = magnitude(b), (max(se.low, 0.0), se.high)
    if wide <= 0:
        yield "cannot be", "SE", f"SE is printed as {se}, and it is positive"
        return
    ratio = least / wide, most / narrow if narrow > 0 else math.inf
    symbol = "b" if name == "b" else "β"
    ratio_text = f"{symbol} / SE = {number_text(b)} / {number_text(se)} is {range_text(ratio)}"
    has_one_df = one_df(result) or (result.kind == "chi2" and result.df and float(result.df[0]) == 1)
    if (result.kind in ("t", "z") or has_one_df) and result.relation == "=":
        yield _compare_test(result, b, symbol, ratio, ratio_text)
    elif result.kind == "p" and result.p is not None and result.p_relation == "=" and name == "b":
        yield _compare_p(result, result.p, ratio, ratio_text, alpha)


def _compare_test(result: Reported, b: Printed, symbol: str, ratio: Range, ratio_text: str) -> Said:
    """Judge b / SE against the t or z that is printed, or the root of an F or χ² of one df."""
    what, is_signed = f"{symbol} / SE and the test", result.kind in ("t", "z")
    size = magnitude(result.statistic)
    if not is_signed:
        size = math.sqrt(size[0]), math.sqrt(size[1])
    if ratio[0] <= size[1] * (1 + 1e-9) and ratio[1] >= size[0] * (1 - 1e-9):
        if is_signed and float(b) * float(result.statistic) < 0:
            why = "and the test has the other sign; one of the two signs would have to be lost"
            return "differs", what, f"{ratio_text}, {why}"
        return "fits", what, ratio_text
    difference = f"{ratio_text}, printed {result.statistic}"
    if symbol == "β":
        return "cannot be checked", what, f"{difference}; the SE may be that of the unstandardised b"
    if (resampling_match := RESAMPLED.search(result.sentence)) or result.resampling is not None:
        evidence = resampling_match[0] if resampling_match else "the text says so"
        return "cannot be checked", what, f"{difference}; one of them may be resampled (“{evidence}”)"
    if not is_signed and (RATIO_TEST.search(result.sentence) or not far(ratio, size)):
        return "fits only if", what, f"{difference}: it is of a likelihood ratio, or of all levels"
    would = abs(float(b)) / ((size[0] + size[1]) / 2) if size[1] else math.nan
    return "differs", what, f"{difference}; SE = {would:.3g} would give it"


def _compare_p(result: Reported, p: Printed, ratio: Range, ratio_text: str, alpha: float) -> Said:
    what = "b / SE and p"
    low, high = (2 * float(special.ndtr(-end)) for end in (ratio[1], ratio[0]))
    if p.agrees(low, high):
        return "fits", what, f"{ratio_text}, which gives p from {low:.3g} to {high:.3g} as z"
    if float(p) > high:
        fits = [
            df for df in range(1, MOST_PEOPLE) if p.agrees(*(2 * float(special.stdtr(df, -end)) for end in ratio[::-1]))
        ]
        if fits:
            return "fits only if", what, f"{ratio_text}, and it is a t with {fits[0]} to {fits[-1]} df"
    if result.corrected or result.correction or result.one_sided or result.one_tail:
        return "cannot be checked", what, f"{ratio_text}, and p is said to be corrected or of one tail"
    if p.agrees(low / 2, high / 2):
        return "fits only if", what, f"{ratio_text}, and p is of one tail"
    crosses = (float(p) <= alpha < low) or (high <= alpha < float(p))
    why = f"{ratio_text}, which gives p from {low:.3g} to {high:.3g} as z, printed {number_text(p)}"
    return ("changes the conclusion" if crosses else "differs"), what, f"{why}; another b or SE must be meant"


def of_odds(result: Reported, around: Around) -> Iterator[Said]:
    """Judge an odds, hazard or risk ratio and an SE against z or p: the SE of its logarithm, or of the ratio itself.

    Programs print either (the ratio's own is the logarithm's times the ratio), so a print that fits one of them fits.
    """
    value, se = around.values["ratio"], around.values["se"]
    if value.low <= 0 or se.high <= 0 or result.p is None:
        return
    symbol = around.symbols["ratio"]
    logs = sorted(abs(math.log(end)) for end in (value.low, value.high))
    logs[0] = 0.0 if value.low <= 1 <= value.high else logs[0]
    ways = {
        f"ln {symbol} / SE": (logs[0] / se.high, logs[1] / max(se.low, 1e-12)),
        f"ln {symbol} / (SE / {symbol})": (logs[0] * value.low / se.high, logs[1] * value.high / max(se.low, 1e-12)),
    }
    if result.kind == "z" and result.relation == "=":
        z_range, what = magnitude(result.statistic), f"{symbol}, SE and z"
    elif result.kind == "p" and result.p_relation == "=":
        z_range, what = z_of(result.p), f"{symbol}, SE and p"
    else:
        return
    ratio_texts = "; ".join(f"{name} is {range_text(way)}" for name, way in ways.items())
    for name, way in ways.items():
        if apart(way, z_range) == 0:
            yield "fits", what, f"{name} is {range_text(way)}"
            return
    if result.corrected or result.correction or result.one_sided or result.one_tail:
        yield "cannot be checked", what, f"{ratio_texts}, and p is said to be corrected or of one tail"
    elif all(far(way, z_range) for way in ways.values()):
        yield (
            "differs",
            what,
            f"{ratio_texts}, and {range_text(z_range)} is printed as z or p; another SE must be meant",
        )
    else:
        yield "fits only if", what, f"{ratio_texts}, and {range_text(z_range)} comes of another test than Wald's"
