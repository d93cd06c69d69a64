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


def of_ratio(said: Reported, around: Around, alpha: float) -> Iterator[Said]:
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
    one = said.kind in ("t", "z") or one_df(said) or (said.kind == "chi2" and said.df and float(said.df[0]) == 1)
    if one and said.relation == "=":
        size = magnitude(said.statistic)
        if said.kind not in ("t", "z"):
            size = math.sqrt(size[0]), math.sqrt(size[1])
        what = f"{symbol} / SE and the test"
        if ratio[0] <= size[1] * (1 + 1e-9) and ratio[1] >= size[0] * (1 - 1e-9):
            has_other_sign = said.kind in ("t", "z") and float(b) * float(said.statistic) < 0
            if has_other_sign:
                yield (
                    "differs",
                    what,
                    f"{ratio_text}, and the test has the other sign; one of the two signs would have to be lost",
                )
            else:
                yield "fits", what, ratio_text
        elif name == "beta":
            yield (
                "cannot be checked",
                what,
                f"{ratio_text}, printed {said.statistic}; the SE may be that of the unstandardised b",
            )
        elif (resampling_match := RESAMPLED.search(said.sentence)) or said.resampling is not None:
            why = f"{ratio_text}, printed {said.statistic}; one of them may be resampled"
            yield (
                "cannot be checked",
                what,
                f"{why} (“{resampling_match[0] if resampling_match else 'the text says so'}”)",
            )
        elif said.kind not in ("t", "z") and (RATIO_TEST.search(said.sentence) or not far(ratio, size)):
            yield (
                "fits only if",
                what,
                f"{ratio_text}, printed {said.statistic}: it is of a likelihood ratio, or of all levels",
            )
        else:
            would = abs(float(b)) / ((size[0] + size[1]) / 2) if size[1] else math.nan
            yield "differs", what, f"{ratio_text}, printed {said.statistic}; SE = {would:.3g} would give it"
    elif said.kind == "p" and said.p is not None and said.p_relation == "=" and name == "b":
        yield _compare_p(said, said.p, ratio, ratio_text, alpha)


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
    return ("changes the conclusion" if crosses else "differs"), what, f"{why}; another b or SE would have to be meant"


def of_odds(said: Reported, around: Around) -> Iterator[Said]:
    """Judge an odds, hazard or risk ratio and an SE against z or p: the SE of its logarithm, or of the ratio itself.

    Programs print either (the ratio's own is the logarithm's times the ratio), so a print that fits one of them fits.
    """
    value, se = around.values["ratio"], around.values["se"]
    if value.low <= 0 or se.high <= 0 or said.p is None:
        return
    symbol = around.symbols["ratio"]
    logs = sorted(abs(math.log(end)) for end in (value.low, value.high))
    logs[0] = 0.0 if value.low <= 1 <= value.high else logs[0]
    ways = {
        f"ln {symbol} / SE": (logs[0] / se.high, logs[1] / max(se.low, 1e-12)),
        f"ln {symbol} / (SE / {symbol})": (logs[0] * value.low / se.high, logs[1] * value.high / max(se.low, 1e-12)),
    }
    if said.kind == "z" and said.relation == "=":
        z_range, what = magnitude(said.statistic), f"{symbol}, SE and z"
    elif said.kind == "p" and said.p_relation == "=":
        z_range, what = z_of(said.p), f"{symbol}, SE and p"
    else:
        return
    ratio_texts = "; ".join(f"{name} is {range_text(way)}" for name, way in ways.items())
    for name, way in ways.items():
        if apart(way, z_range) == 0:
            yield "fits", what, f"{name} is {range_text(way)}"
            return
    if said.corrected or said.correction or said.one_sided or said.one_tail:
        yield "cannot be checked", what, f"{ratio_texts}, and p is said to be corrected or of one tail"
    elif all(far(way, z_range) for way in ways.values()):
        yield (
            "differs",
            what,
            f"{ratio_texts}, and {range_text(z_range)} is printed as z or p; another SE would have to be meant",
        )
    else:
        yield "fits only if", what, f"{ratio_texts}, and {range_text(z_range)} comes of another test than Wald's"
