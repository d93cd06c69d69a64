"""b, β and odds ratios against their SE, their test and p."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

import numpy as np
from scipy import special

from negstats.audit.beyond_p.around import Around, one_df
from negstats.audit.beyond_p.judgement import (
    Range,
    Said,
    apart,
    far,
    first_of,
    magnitude,
    number_text,
    range_text,
    z_of,
)
from negstats.audit.beyond_p.slips import edit_numbers, name_slips
from negstats.audit.distributions import NAMES
from negstats.audit.find_results import Reported
from negstats.printed_numbers import Printed

MOST_PEOPLE = 2000
RATIO_TEST = re.compile(r"likelihood|\bLRT?\b|model comparison|nested|ΔG|Δχ|deviance|type (?:II|III|2|3)\b", re.I)
RESAMPLED = re.compile(r"boot-?strap\w*|jack-?knife\w*|permut\w+|robust|sandwich|cluster(?:ed)? standard", re.I)


def of_ratio(result: Reported, around: Around, alpha: float) -> Iterator[Said]:
    """Judge b / SE against t, z or Wald's χ², or where none is printed against p."""
    name = "b" if "b" in around.values else "beta"
    b, se, symbol = around.values[name], around.values["se"], "b" if name == "b" else "β"
    if se.high <= 0:
        yield "cannot be", "SE", f"SE is printed as {se}, and it is positive"
        return
    ratio = _divide(b, se)
    ratio_text = f"{symbol} / SE = {number_text(b)} / {number_text(se)} is {range_text(ratio)}"
    has_one_df = one_df(result) or (result.kind == "chi2" and result.df and float(result.df[0]) == 1)
    if (result.kind in ("t", "z") or has_one_df) and result.relation == "=":
        yield _compare_test(result, {f"{symbol} =": b, "SE =": se}, ratio, ratio_text)
    elif result.kind == "p" and result.p is not None and result.p_relation == "=" and name == "b":
        yield _compare_p(result, result.p, ratio, ratio_text, alpha)


def _divide(b: Printed, se: Printed) -> Range:
    """Return the least and the greatest size of b / SE."""
    (least, most), narrow = magnitude(b), max(se.low, 0.0)
    return least / se.high, most / narrow if narrow > 0 else math.inf


def _root(kind: str, statistic: Printed) -> Range:
    """Return the sizes of a t or z, or of the root of an F or χ² of one df."""
    low, high = magnitude(statistic)
    return (low, high) if kind in ("t", "z") else (math.sqrt(low), math.sqrt(high))


def _compare_test(result: Reported, estimates: Mapping[str, Printed], ratio: Range, ratio_text: str) -> Said:
    """Judge b / SE against the test that is printed."""
    (symbol, b), is_signed = next(iter(estimates.items())), result.kind in ("t", "z")
    size = _root(result.kind, result.statistic)
    what = f"{symbol[0]} / SE and the test"
    if apart(ratio, size) <= 1e-9 * size[1]:
        if is_signed and float(b) * float(result.statistic) < 0:
            turned = "and the test has the other sign; one of the two signs would have to be lost"
            return "differs", what, f"{ratio_text}, {turned}"
        return "fits", what, ratio_text

    def fits(new: Mapping[str, Printed]) -> bool:
        value, spread, test = new.values()
        return spread.high > 0 and apart(_divide(value, spread), _root(result.kind, test)) == 0

    def name_slip() -> str:
        slips = name_slips(edit_numbers({**estimates, f"{NAMES[result.kind]} =": result.statistic}, fits))
        would = abs(float(b)) / ((size[0] + size[1]) / 2) if size[1] else math.nan
        return f"; {slips or f'SE = {would:.3g} would give it'}"

    resampling = RESAMPLED.search(result.sentence)
    evidence = resampling[0] if resampling else "the text says so" if result.fact("resampling") is not None else ""
    of_levels = not is_signed and (RATIO_TEST.search(result.sentence) or not far(ratio, size))
    return first_of(
        what,
        f"{ratio_text}, printed {result.statistic}",
        (symbol == "β =", "cannot be checked", "; the SE may be that of the unstandardised b"),
        (evidence, "cannot be checked", f"; one of them may be resampled (“{evidence}”)"),
        (of_levels, "fits only if", ": it is of a likelihood ratio, or of all levels"),
        (True, "differs", name_slip),
    )


def _compare_p(result: Reported, p: Printed, ratio: Range, ratio_text: str, alpha: float) -> Said:
    low, high = (2 * float(special.ndtr(-end)) for end in (ratio[1], ratio[0]))
    gives = f", which gives p from {low:.3g} to {high:.3g} as z"
    df = np.arange(1, MOST_PEOPLE) if float(p) > high else np.arange(0)
    of_t = df[(2 * special.stdtr(df, -ratio[1]) < p.high) & (2 * special.stdtr(df, -ratio[0]) > p.low)]
    crosses = (float(p) <= alpha < low) or (high <= alpha < float(p))
    differs = f"{gives}, printed {number_text(p)}; another b or SE must be meant"
    return first_of(
        "b / SE and p",
        ratio_text,
        (p.agrees(low, high), "fits", gives),
        (len(of_t), "fits only if", lambda: f", and it is a t with {of_t[0]} to {of_t[-1]} df"),
        (result.special_p, "cannot be checked", ", and p is said to be corrected or one-tailed"),
        (p.agrees(low / 2, high / 2), "fits only if", ", and p is one-tailed"),
        (crosses, "changes the conclusion", differs),
        (True, "differs", differs),
    )


def of_odds(result: Reported, around: Around) -> Iterator[Said]:
    """Judge an odds, hazard or risk ratio and an SE against z or p: the SE of its logarithm, or of the ratio itself.

    Programs print either (the ratio's own is the logarithm's times the ratio), so a print that fits one of them fits.
    """
    value, se, symbol = around.values["ratio"], around.values["se"], around.symbols["ratio"]
    if value.low <= 0 or se.high <= 0 or result.p is None:
        return
    if result.kind == "z" and result.relation == "=":
        z_range, what = magnitude(result.statistic), f"{symbol}, SE and z"
    elif result.kind == "p" and result.p_relation == "=":
        z_range, what = z_of(result.p), f"{symbol}, SE and p"
    else:
        return
    logs = sorted(abs(math.log(end)) for end in (value.low, value.high))
    logs[0] = 0.0 if value.low <= 1 <= value.high else logs[0]
    narrow = max(se.low, 1e-12)
    ways = {
        f"ln {symbol} / SE": (logs[0] / se.high, logs[1] / narrow),
        f"ln {symbol} / (SE / {symbol})": (logs[0] * value.low / se.high, logs[1] * value.high / narrow),
    }
    texts = {f"{name} is {range_text(way)}": way for name, way in ways.items()}
    fitting = next((text for text, way in texts.items() if apart(way, z_range) == 0), "")
    if fitting:
        yield "fits", what, fitting
        return
    z_text = range_text(z_range)
    yield first_of(
        what,
        "; ".join(texts),
        (result.special_p, "cannot be checked", ", and p is said to be corrected or one-tailed"),
        (
            all(far(way, z_range) for way in ways.values()),
            "differs",
            f", and {z_text} is printed as z or p; another SE must be meant",
        ),
        (True, "fits only if", f", and {z_text} comes of another test than Wald's"),
    )
