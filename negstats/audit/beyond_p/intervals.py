"""Intervals against their estimate, its SE, and p."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator

from scipy import special

from negstats.audit.beyond_p.around import Around, one_df
from negstats.audit.beyond_p.judgement import Range, Said, number_text, range_text
from negstats.audit.beyond_p.normal import far, z_of
from negstats.audit.find_results import Reported
from negstats.audit.recomputing import agrees
from negstats.printed_numbers import Printed

MARGIN = 1.5  # p so many times off the level may be that of another method than the interval's
STANDARDISED = ("d", "g", "r", "eta", "omega", "beta")  # whose own interval is seldom printed
OTHER_WAY = re.compile(
    r"boot-?strap|bias[- ]corrected|\bBCa\b|percentile|credib|posterior|\bHDI\b|permut|profile|exact|Monte[- ]Carlo",
    re.I,
)
LINEAR = ("b", "beta", "difference", "ratio")  # estimates whose interval is symmetric, a ratio's in its logarithm
FEW = range(3, 200)  # df of a t that an interval without a test can be of


def of_interval(result: Reported, around: Around) -> Iterator[Said]:
    """Judge an interval: its ends, its estimate, its SE, and whether it holds the null where p says so."""
    if around.interval is None or not around.of:
        return
    level, low, high = around.interval
    symbol = around.symbols.get(around.of, around.of)
    interval_text = f"{level:g}% CI [{low}, {high}]"
    what = f"the interval of {symbol}"
    value = around.values.get(around.of)
    negative = value is not None and (float(value) < 0 or (result.value is not None and float(result.value) < 0))
    if negative and float(low) > float(high) > 0 and high.low <= abs(float(value or 0)) <= low.high:
        yield "fits only if", what, f"{interval_text} is printed without its minus signs"
        return
    if float(low) > float(high):
        yield "cannot be", what, f"{interval_text}: the lower end is above the upper; they would have to be turned"
        return
    if value is not None and not (low.low <= value.high and value.low <= high.high):
        yield _judge_estimate_outside(value, around, symbol, interval_text, what)
        return
    if around.of == "b" and value is not None and "se" in around.values:
        yield _width(result, around.values["se"], value, what, interval_text, (level, low, high))
    if around.of in ("b", "beta", "d", "g", "difference", "r", "ratio"):
        judgements = list(
            _judge_null(
                result, 1.0 if around.of == "ratio" else 0.0, interval_text, f"{what} and p", (level, low, high)
            )
        )
        if value is not None and around.of in LINEAR and all(grade == "fits" for grade, *_ in judgements):
            judgements = (
                list(_judge_size(result, value, around.of, interval_text, f"{what} and p", (level, low, high)))
                or judgements
            )
        yield from judgements


def _judge_estimate_outside(value: Printed, around: Around, symbol: str, interval_text: str, what: str) -> Said:
    """Judge an estimate that is outside its interval: by a sign, or because the interval is of something else."""
    assert around.interval is not None  # noqa: S101 - the caller has looked
    _, low, high = around.interval
    if low.low <= -value.low and -value.high <= high.high:
        why = f"{interval_text} is of the difference turned round: {symbol} = {value} is outside it"
        return "fits only if", what, why
    if around.of in STANDARDISED:
        return "fits only if", what, f"{interval_text} is of the difference of means, not of {symbol} = {value}"
    if _one_sign_lost(value, low, high):
        return "fits only if", what, f"{interval_text} has lost a sign: {symbol} = {value} is outside it"
    why = f"{symbol} = {value} is outside its {interval_text}; it would have to be that of another estimate"
    return "differs", what, why


def _one_sign_lost(value: Printed, low: Printed, high: Printed) -> bool:
    """Return whether an estimate lies within an interval, in its middle, if one of the three has lost its sign."""
    ends = ((-abs(float(low)), float(high)), (float(low), -abs(float(high))))
    for least, most in ends:
        for middle in (float(value), -float(value)):
            half = (most - least) / 2
            if least <= middle <= most and half > 0 and abs((least + most) / 2 - middle) < 0.1 * half:
                return True
    return False


def _width(
    result: Reported, se: Printed, b: Printed, what: str, interval_text: str, interval: tuple[float, Printed, Printed]
) -> Said:
    """Judge an interval of b against its SE: b ± the critical t (or z) times SE."""
    level, low, high = interval
    half = max(high.low - low.high, 0) / 2, (high.high - low.low) / 2
    factors = half[0] / se.high if se.high > 0 else math.nan, half[1] / se.low if se.low > 0 else math.inf
    df = float(result.df[0]) if result.kind == "t" and result.df else math.inf
    what = f"{what} and SE"
    if any(
        factors[0] <= _critical(level, each) * (1 + 1e-9) and factors[1] >= _critical(level, each)
        for each in (df, math.inf)
    ):
        return "fits", what, f"{interval_text} is b ± {_critical(level, df):.2f} SE"
    middle = (float(low) + float(high)) / 2
    if abs(middle - float(b)) > float(low.half + high.half + 2 * b.half):
        return "fits only if", what, f"{interval_text} is not symmetric about b = {b}: bootstrapped, or a profile's"
    other = next((x for x in (90, 95, 99) if x != level and factors[0] <= _critical(x, df) <= factors[1]), None)
    if other:
        return "fits only if", what, f"{interval_text} is one of {other} %"
    if df == math.inf and factors[0] > _critical(level, math.inf):
        return "fits only if", what, f"{interval_text} is that of a t with few df: b ± {range_text(factors)} SE"
    why = f"{interval_text} is b ± {range_text(factors)} SE, and {_critical(level, df):.2f} were expected"
    return "differs", what, f"{why}; another SE, level or way to make the interval must be meant"


def _critical(percent: float, df: float) -> float:
    at = 0.5 + percent / 200
    return float(special.ndtri(at) if math.isinf(df) else special.stdtrit(df, at))


def _judge_null(
    result: Reported, null: float, interval_text: str, what: str, interval: tuple[float, Printed, Printed]
) -> Iterator[Said]:
    """Judge whether an interval holds the null where p is above 1 − its level, and does not where p is below."""
    level, low, high = interval
    is_omnibus = result.kind in ("f", "chi2", "g2", "q", "h") and not (result.df and float(result.df[0]) == 1)
    if is_omnibus or result.p is None or result.kind in ("u", "tau"):
        return
    alpha = round(1 - level / 100, 6)
    p = float(result.p)
    excludes = low.low > null or high.high < null
    includes = low.high < null < high.low
    small = result.p_relation in ("=", "<", "≤") and result.p.high < alpha
    if result.p_relation in ("<", "≤"):
        small = p <= alpha
    large = (result.p_relation == "=" and result.p.low > alpha) or (result.p_relation in (">", "≥") and p >= alpha)
    if (excludes and small) or (includes and large):
        yield "fits", what, f"{interval_text} and p say the same"
        return
    if not ((excludes and large) or (includes and small)):
        return
    inclusion = "leaves out" if excludes else "holds"
    contradiction = (
        f"{interval_text} {inclusion} {null:g}, and p {result.p_relation} {number_text(result.p)} is printed"
    )
    if result.corrected or result.correction or result.one_sided or result.one_tail:
        yield "cannot be checked", what, f"{contradiction}, which is said to be corrected or of one tail"
    elif OTHER_WAY.search(result.sentence) or (result.p_relation == "=" and alpha / MARGIN < p < alpha * MARGIN):
        yield "fits only if", what, f"{contradiction}: the interval was made in another way than p"
    else:
        yield (
            "changes the conclusion",
            what,
            f"{contradiction}; the interval would have to be of another estimate or level",
        )


def _judge_size(
    result: Reported, value: Printed, of: str, interval_text: str, what: str, interval: tuple[float, Printed, Printed]
) -> Iterator[Said]:
    """Judge p against the size of an estimate in its interval: z = estimate / (half the interval / 1.96).

    Of a ratio both are logarithms. An interval that is not symmetric about its estimate (bootstrapped, exact, a
    profile's) says nothing of p, and one that is may come of another method, so that only a p far off differs.
    """
    if (
        result.p is None
        or result.p_relation not in ("=", "<", "≤")
        or not (result.kind in ("p", "t", "z") or one_df(result))
    ):
        return
    level, low, high = interval
    ratio = _compute_distance(value, of, low, high)
    if ratio is None:
        return
    df = float(result.df[-1]) if result.kind in ("t", "f") and result.df else math.inf
    p = _p_of(ratio, level, df)
    p_range_text = f"{interval_text} gives p from {p[0]:.3g} to {p[1]:.3g}"
    prints = f"p {result.p_relation} {number_text(result.p)} is printed"
    if _p_fits(result, p):
        yield "fits", what, f"{p_range_text}, and {prints}"
    elif (
        math.isinf(df)
        and of != "ratio"
        and (fits := [df_of_t for df_of_t in FEW if _p_fits(result, _p_of(ratio, level, df_of_t))])
    ):
        yield "fits only if", what, f"{p_range_text}, and {prints}: it is of a t with {fits[0]} to {fits[-1]} df"
    elif result.corrected or result.correction or result.one_sided or result.one_tail:
        yield "cannot be checked", what, f"{p_range_text}, and {prints}, which is said to be corrected or of one tail"
    elif _p_fits(result, (p[0] / 2, p[1] / 2)):
        yield "fits only if", what, f"{p_range_text}, and {prints}: it is of one tail"
    else:
        z = (ratio[0] * _critical(level, math.inf), ratio[1] * _critical(level, math.inf))
        z_range = z_of(result.p) if result.p_relation == "=" else (z_of(result.p)[0], math.inf)
        if far(z, z_range) and not OTHER_WAY.search(result.sentence):
            yield "differs", what, f"{p_range_text}, and {prints}; another interval, level or p must be meant"
        else:
            yield "fits only if", what, f"{p_range_text}, and {prints}: they come of two methods"


def _compute_distance(value: Printed, of: str, low: Printed, high: Printed) -> Range | None:
    """Return how many halves of its interval an estimate is from nothing; None if it is not in the middle."""
    scale = math.log if of == "ratio" else float
    if of == "ratio" and min(low.low, value.low) <= 0:
        return None
    lows, highs, middle = ((scale(one.low), scale(one.high)) for one in (low, high, value))
    if (lows[0] + highs[0]) / 2 > middle[1] or (lows[1] + highs[1]) / 2 < middle[0]:
        return None
    least, most = (highs[0] - lows[1]) / 2, (highs[1] - lows[0]) / 2
    if least <= 0:
        return None
    sizes = sorted((abs(middle[0]), abs(middle[1])))
    return 0.0 if middle[0] <= 0 <= middle[1] else sizes[0] / most, sizes[1] / least


def _p_of(ratio: Range, confidence_level: float, df: float) -> Range:
    """Return p of an estimate that is so many halves of its interval away from nothing."""
    ends = (ratio[1] * _critical(confidence_level, df), ratio[0] * _critical(confidence_level, df))
    low, high = (float(special.ndtr(-end) if math.isinf(df) else special.stdtr(df, -end)) for end in ends)
    return 2 * low, 2 * high


def _p_fits(result: Reported, p: Range) -> bool:
    return agrees(dataclasses.replace(result, kind="z"), p)
