"""Effect sizes, b, β and ratios against their test, SE and p; intervals against their estimate, its SE, and p."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping

import numpy as np
from scipy import special

from negstats.audit.beyond_p.judgement import (
    RIGHT_IF,
    Around,
    Interval,
    Range,
    Said,
    apart,
    far,
    first_of,
    number_text,
    one_df,
    range_text,
    within,
    z_of,
)
from negstats.audit.beyond_p.slips import (
    PaperTests,
    as_printed,
    edit_numbers,
    effect_r,
    find_slips,
    name_slips,
    p_of_interval,
    partial_eta,
    size_of_t,
)
from negstats.audit.distributions import NAMES, size_of
from negstats.audit.find_results import Reported
from negstats.audit.readings import test_text
from negstats.audit.recomputing import agrees
from negstats.audit.words import words_of
from negstats.printed_numbers import Printed, magnitude, printed

LIKELY = -0.5  # correlation of two measures of the same people
OTHER_SD = "the difference was divided by another SD than the pooled one, such as that of all people"
WORDS = words_of("effects")


def of_variance(result: Reported, around: Around, tests: PaperTests | None = None) -> Iterator[Said]:
    """Judge η² and ω² of an F."""
    test = as_printed(result)
    (df1, df2), partial = test.df, partial_eta(test)
    omega, epsilon = (
        (max(df1 * (low - 1) / (df1 * low + df2 + added), 0.0), max(df1 * (high - 1) / (df1 * high + df2 + added), 0.0))
        for added, (low, high) in ((1, test.sizes), (0, test.sizes))
    )
    if eta := around.values.get("eta"):
        judgement = _judge_eta(result, eta, around, tests, partial, omega, epsilon)
        yield judgement
        if judgement[0] == "cannot be":
            return
    if value := around.values.get("omega"):
        yield _judge_omega(result, value, partial, omega)


def _judge_eta(
    result: Reported,
    eta: Printed,
    around: Around,
    tests: PaperTests | None,
    partial: Range,
    omega: Range,
    epsilon: Range,
) -> Said:
    """Judge η² by the ranges that F gives of partial η², ω² and ε²."""
    size, unit, is_partial = float(eta), 10.0**-eta.decimals, "p" in around.symbols["eta"]
    subject = f"{'partial ' * is_partial}η²"
    claim = f"{test_text(result)} corresponds to {subject} = {range_text(partial)}, and {number_text(eta)} is printed"
    df1, df2 = as_printed(result).df
    would_text = f"F = {size / (1 - size) * df2 / df1:.2f} would give it" if 0 < size < 1 else ""

    def name_slip() -> str:
        return f"; {slips}" if (slips := name_slips(find_slips(result, tests, around)) or would_text) else ""

    has_lost_point = eta.decimals == 0 and 10 <= size < 100 and within(printed(f"0.{eta}"), partial)
    has_several_outcomes = WORDS.several_outcomes.search(result.sentence)
    is_of_all_variance = not is_partial and size < partial[1]
    is_cut_off = math.isclose(math.floor(partial[0] / unit) * unit, size)
    if not (has_lost_point or 0 <= size <= 1):
        return "cannot be", f"{subject} and F", f"{subject} = {eta} is printed, and η² lies between 0 and 1"
    return first_of(
        f"{subject} and F",
        claim,
        (has_lost_point, "fits only if", "the decimal point of η² is lost"),
        (within(eta, partial), "fits", ""),
        (has_several_outcomes, "cannot be checked", "; η² of several outcomes is computed in several ways"),
        (
            is_of_all_variance,
            "cannot be checked",
            "; to check η² of all variance, the other sums of squares are needed",
        ),
        (is_cut_off, "fits only if", "η² was cut off, not rounded"),
        (within(eta, omega), "fits only if", "ω² is meant"),
        (within(eta, epsilon), "fits only if", "ε² is meant"),
        (True, "differs", name_slip),
    )


def _judge_omega(result: Reported, value: Printed, partial: Range, omega: Range) -> Said:
    """Judge ω² by the ranges that F gives of it and of partial η²."""
    df1, df2 = as_printed(result).df
    people = f"between {df1 + df2 + 1:g} people, and {number_text(value)} is printed"
    is_larger = float(value) > partial[1] + 10.0**-value.decimals
    if result.df[-1].decimals > 0 and not is_larger:
        return (
            "cannot be checked",
            "ω² and F",
            "the df are corrected, so that they do not tell how many people there are",
        )
    return first_of(
        "ω² and F",
        f"{test_text(result)} corresponds to ω² = {range_text(omega)} {people}",
        (within(value, omega), "fits", ""),
        (is_larger, "differs", f"; ω² is smaller than partial η², which is {range_text(partial)} here"),
        (True, "cannot be checked", "; within people, or with other factors, ω² is another"),
    )


def of_difference(result: Reported, around: Around) -> Iterator[Said]:
    """Judge d and g by every usual design (Lakens, 2013, Frontiers in Psychology 4:863, equations 1 to 10)."""
    for name in [symbol_name for symbol_name in ("d", "g") if symbol_name in around.values]:
        value, subject = around.values[name], f"{around.symbols[name]} and {test_text(result)[0]}"
        if result.df[-1].decimals > 0:
            yield "cannot be checked", subject, "the df are corrected, so that they do not tell the sizes of the groups"
            continue
        yield _judge_design(result, value, subject, around.symbols[name])


def _judge_design(result: Reported, value: Printed, subject: str, symbol: str) -> Said:
    """Say which design gives a standardised difference its printed size."""
    test = as_printed(result)
    t, df = size_of_t(test), test.df[-1]
    n_one_sample, n_two_groups = df + 1, df + 2
    correction = 1 - 3 / (4 * df - 1) if symbol[0] == "g" and df > 1 else 1.0
    designs = {
        f"two groups of {n_two_groups / 2:g}": 2 / math.sqrt(n_two_groups),
        f"one sample or differences of {n_one_sample:g} people": 1 / math.sqrt(n_one_sample),
        "2 t / √df": 2 / math.sqrt(df),
        "t / √df": 1 / math.sqrt(df),
    }
    for name, factor in designs.items():
        if within(value, (t[0] * factor * correction, t[1] * factor * correction)):
            return "fits", subject, f"{test_text(result)} corresponds to {symbol} = {value} for {name}"
    mid_t, size = (t[0] + t[1]) / 2 * correction, abs(float(value))
    if not mid_t:
        return "cannot be checked", subject, "the statistic may be 0"
    # 1/n1 + 1/n2 = (d/t)² with n1 + n2 = N has a solution if n1 n2 = N / (d/t)² is one of two whole numbers
    discriminant = n_two_groups * n_two_groups - 4 * n_two_groups / (size / mid_t) ** 2 if size else -1.0
    smaller = (n_two_groups - math.sqrt(discriminant)) / 2 if discriminant >= 0 else 0.0
    correlation = 1 - (size / mid_t) ** 2 * n_one_sample / 2
    claim = f"{symbol} = {value} is printed, and {test_text(result)} corresponds to {symbol} = "
    claim += f"{2 * mid_t / math.sqrt(n_two_groups):.2f} if the two groups are equally large"
    people_claim = (
        f"{claim}, and to {mid_t / math.sqrt(n_one_sample):.2f} if it is of differences within {n_one_sample:g} people"
    )
    twice_measured = f"two measures of the same people correlate {correlation:.2f} and their average SD is meant (d_av)"
    return first_of(
        subject,
        claim if smaller >= 2 else people_claim,
        (smaller >= 2, "fits only if", f"they have about {smaller:.0f} and {n_two_groups - smaller:.0f} people"),
        (LIKELY <= correlation <= 1, "fits only if", twice_measured),
        (-1 <= correlation <= 1, "fits only if", OTHER_SD),
        (
            True,
            "differs",
            f"; t = {size * math.sqrt(n_two_groups) / 2 / correction:.2f} would give it in two equal groups",
        ),
    )


def of_r(result: Reported, around: Around) -> Iterator[Said]:
    """Judge an r that is the effect size of a t."""
    if (value := around.values.get("r")) is None:
        return
    r, size, subject = effect_r(as_printed(result)), abs(float(value)), f"r and {test_text(result)[0]}"
    would_be_t = size * math.sqrt(float(result.df[-1]) / (1 - min(size**2, 0.999999)))
    claim = f"{test_text(result)} corresponds to r = {range_text(r)}, and {number_text(value)} is printed"
    yield first_of(
        subject,
        claim,
        (within(value, r), "fits", ""),
        (size > 1, "cannot be", "; a correlation lies between −1 and 1"),
        (True, "fits only if", f"r is that of another test; t = {would_be_t:.2f} would give it"),
    )


MOST_PEOPLE = 2000


def of_ratio(result: Reported, around: Around, alpha: float) -> Iterator[Said]:
    """Judge b / SE against t, z or Wald's χ², or where none is printed against p."""
    name = "b" if "b" in around.values else "beta"
    b, se, symbol = around.values[name], around.values["se"], "b" if name == "b" else "β"
    if se.high <= 0:
        yield "cannot be", "SE", f"SE = {se} is printed, and an SE is positive"
        return
    ratio = _divide(b, se)
    ratio_text = f"{symbol} = {number_text(b)} and SE = {number_text(se)} correspond to a ratio of {range_text(ratio)}"
    has_one_df = one_df(result) or (result.kind == "chi2" and result.df and float(result.df[0]) == 1)
    if (result.kind in ("t", "z") or has_one_df) and result.relation == "=":
        yield _compare_test(result, {f"{symbol} =": b, "SE =": se}, ratio, ratio_text)
    elif result.kind == "p" and result.p is not None and result.p_relation == "=" and name == "b":
        yield _compare_p(result, result.p, ratio, ratio_text, alpha)


def _divide(b: Printed, se: Printed) -> Range:
    """Return the least and the greatest size of b / SE."""
    (smallest, largest), smallest_se = magnitude(b), max(se.low, 0.0)
    return smallest / se.high, largest / smallest_se if smallest_se > 0 else math.inf


def _compare_test(result: Reported, estimates: Mapping[str, Printed], ratio: Range, ratio_text: str) -> Said:
    """Judge b / SE against the test that is printed."""
    (symbol, b), is_signed = next(iter(estimates.items())), result.kind in ("t", "z")
    size = size_of_t(as_printed(result))
    subject = f"{symbol[0]} / SE and the test"
    if apart(ratio, size) <= 1e-9 * size[1]:
        if is_signed and float(b) * float(result.statistic) < 0:
            sign_text = "but b and the test have different signs; one of the two signs would have to be wrong"
            return "differs", subject, f"{ratio_text}, {sign_text}"
        return "fits", subject, ratio_text

    def fits(new: Mapping[str, Printed]) -> bool:
        value, new_se, test = new.values()
        new_size = size_of_t(as_printed(dataclasses.replace(result, value=test)))
        return new_se.high > 0 and apart(_divide(value, new_se), new_size) == 0

    def name_slip() -> str:
        slips = name_slips(edit_numbers({**estimates, f"{NAMES[result.kind]} =": result.statistic}, fits))
        would_be_se = abs(float(b)) / ((size[0] + size[1]) / 2) if size[1] else math.nan
        return f"; {slips or f'SE = {would_be_se:.3g} would give it'}"

    resampling = WORDS.resampled.search(result.sentence)
    evidence = resampling[0] if resampling else "the text says so" if result.fact("resampling") is not None else ""
    may_be_of_levels = not is_signed and (WORDS.ratio_test.search(result.sentence) or not far(ratio, size))
    return first_of(
        subject,
        f"{ratio_text}, and {NAMES[result.kind]} = {result.statistic} is printed",
        (symbol == "β =", "cannot be checked", "; the SE may be that of the unstandardised b"),
        (evidence, "cannot be checked", f"; one of the two may be resampled (“{evidence}”)"),
        (may_be_of_levels, "fits only if", "the test is one of a likelihood ratio, or of all levels"),
        (True, "differs", name_slip),
    )


def _compare_p(result: Reported, p: Printed, ratio: Range, ratio_text: str, alpha: float) -> Said:
    lowest_p, highest_p = (2 * float(special.ndtr(-bound)) for bound in (ratio[1], ratio[0]))
    df = np.arange(1, MOST_PEOPLE) if float(p) > highest_p else np.arange(0)
    fitting_df = df[(2 * special.stdtr(df, -ratio[1]) < p.high) & (2 * special.stdtr(df, -ratio[0]) > p.low)]
    is_crossing = (float(p) <= alpha < lowest_p) or (highest_p <= alpha < float(p))
    differs_text = "; another b or SE must be meant"
    return first_of(
        "b / SE and p",
        f"{ratio_text}, which as z has p = {lowest_p:.3g} to {highest_p:.3g}, and p = {number_text(p)} is printed",
        (p.agrees(lowest_p, highest_p), "fits", ""),
        (len(fitting_df), "fits only if", lambda: f"the ratio is a t with {fitting_df[0]} to {fitting_df[-1]} df"),
        (result.special_p, "cannot be checked", ", and p is said to be corrected or one-tailed"),
        (p.agrees(lowest_p / 2, highest_p / 2), "fits only if", "p is one-tailed"),
        (is_crossing, "changes the conclusion", differs_text),
        (True, "differs", differs_text),
    )


def of_odds(result: Reported, around: Around) -> Iterator[Said]:
    """Judge an odds, hazard or risk ratio and an SE against z or p: the SE of its logarithm, or of the ratio itself.

    Programs print either (the ratio's own is the logarithm's times the ratio), so a print that fits one of them fits.
    """
    value, se, symbol = around.values["ratio"], around.values["se"], around.symbols["ratio"]
    if value.low <= 0 or se.high <= 0 or result.p is None:
        return
    if result.kind == "z" and result.relation == "=":
        z_range, subject = magnitude(result.statistic), f"{symbol}, SE and z"
    elif result.kind == "p" and result.p_relation == "=":
        z_range, subject = z_of(result.p), f"{symbol}, SE and p"
    else:
        return
    # z is ln ratio over the SE of ln ratio; an SE of the ratio itself is that times the ratio.
    logs = sorted(abs(math.log(bound)) for bound in (value.low, value.high))
    logs[0] = 0.0 if value.low <= 1 <= value.high else logs[0]
    smallest_se = max(se.low, 1e-12)
    readings = {
        f"the SE is that of ln {symbol}": (logs[0] / se.high, logs[1] / smallest_se),
        f"it is that of {symbol} itself": (logs[0] * value.low / se.high, logs[1] * value.high / smallest_se),
    }
    zs = " and to ".join(f"z = {range_text(z_reading)} if {name}" for name, z_reading in readings.items())
    claim = f"{symbol} = {value} and SE = {se} correspond to {zs}"
    z_text = f"z = {result.statistic}" if result.kind == "z" else f"p = {number_text(result.p)}"
    yield first_of(
        subject,
        f"{claim}, and {z_text} is printed",
        (any(apart(z_reading, z_range) == 0 for z_reading in readings.values()), "fits", ""),
        (result.special_p, "cannot be checked", ", and p is said to be corrected or one-tailed"),
        (all(far(z_reading, z_range) for z_reading in readings.values()), "differs", "; another SE must be meant"),
        (True, "fits only if", "the test is another than Wald's"),
    )


MARGIN = 1.5  # p so many times off the level may be that of another method than the interval's
STANDARDISED = ("d", "g", "r", "eta", "omega", "beta")  # whose own interval is seldom printed
LINEAR = ("b", "beta", "difference", "ratio")  # estimates whose interval is symmetric, a ratio's in its logarithm
WITH_NULL = (*LINEAR, "d", "g", "r")  # estimates that are 0, of a ratio 1, where there is nothing
LEVELS = (90, 95, 99)  # per cent
FEW = range(3, 200)  # df of a t that an interval without a test can be of


def of_interval(result: Reported, around: Around) -> Iterator[Said]:
    """Judge an interval: its ends, its estimate, its SE, and whether it holds the null where p says so."""
    if around.interval is None or not around.of:
        return
    interval, estimate_name, value = around.interval, around.of, around.values.get(around.of)
    symbol = around.symbols.get(estimate_name, estimate_name)
    subject = f"the interval of {symbol}"
    is_turned = float(interval.low) > float(interval.high)
    is_negative = value is not None and (float(value) < 0 or (result.value is not None and float(result.value) < 0))
    size = abs(float(value or 0))
    if is_turned and is_negative and float(interval.high) > 0 and interval.high.low <= size <= interval.low.high:
        yield "fits only if", subject, f"{interval} is printed{RIGHT_IF}both minus signs are lost"
        return
    if is_turned:
        yield (
            "cannot be",
            subject,
            f"{interval} is printed, whose lower end is above the upper; they would have to be turned",
        )
        return
    if value is not None and not (interval.low.low <= value.high and value.low <= interval.high.high):
        yield _judge_estimate_outside(value, estimate_name, symbol, interval, subject)
        return
    if estimate_name == "b" and value is not None and "se" in around.values:
        yield _judge_width(result, around.values["se"], value, interval, f"{subject} and SE")
    # Whether the null is inside is compared with p first; the size of the estimate is a finer check of the same.
    if estimate_name in WITH_NULL:
        of_null = list(_judge_null(result, 1.0 if estimate_name == "ratio" else 0.0, interval, f"{subject} and p"))
        of_size: list[Said] = []
        if value is not None and estimate_name in LINEAR and all(grade == "fits" for grade, *_ in of_null):
            of_size = list(_judge_size(result, value, estimate_name, interval, f"{subject} and p"))
        yield from of_size or of_null


def _judge_estimate_outside(value: Printed, estimate_name: str, symbol: str, interval: Interval, subject: str) -> Said:
    """Judge an estimate that is outside its interval: by a sign, or because the interval is of something else."""
    estimate, is_turned = f"{symbol} = {value}", interval.low.low <= -value.low and -value.high <= interval.high.high
    if not (is_turned or estimate_name in STANDARDISED or _has_lost_sign(value, interval)):
        return (
            "differs",
            subject,
            f"{estimate} is outside its {interval}; the interval would have to be that of another estimate",
        )
    return first_of(
        subject,
        f"{estimate} is outside its {interval}",
        (is_turned, "fits only if", "the interval is that of the difference turned round"),
        (
            estimate_name in STANDARDISED,
            "fits only if",
            f"the interval is that of the difference of means, not of {symbol}",
        ),
        (True, "fits only if", "the interval or the estimate has lost a sign"),
    )


def _has_lost_sign(value: Printed, interval: Interval) -> bool:
    """Return whether an estimate lies within an interval, in its middle, if one of the three has lost its sign."""
    lower, upper = float(interval.low), float(interval.high)
    for new_lower, new_upper in ((-abs(lower), upper), (lower, -abs(upper))):
        half_width, centre = (new_upper - new_lower) / 2, (new_lower + new_upper) / 2
        for estimate in (float(value), -float(value)):
            if half_width > 0 and new_lower <= estimate <= new_upper and abs(centre - estimate) < 0.1 * half_width:
                return True
    return False


def _judge_width(result: Reported, se: Printed, b: Printed, interval: Interval, subject: str) -> Said:
    """Judge an interval of b against its SE: b ± the critical t (or z) times SE."""
    level, lower, upper = interval.level, interval.low, interval.high
    # The ends are rounded, so that the width in SE is known up to a range.
    half_widths = max(upper.low - lower.high, 0) / 2, (upper.high - lower.low) / 2
    factors = half_widths[0] / se.high if se.high > 0 else math.nan, half_widths[1] / se.low if se.low > 0 else math.inf
    df = float(result.df[0]) if result.kind == "t" and result.df else math.inf

    def is_level(percent: float, of_df: float) -> bool:
        critical = size_of("t", 1 - percent / 100, (of_df,))
        return factors[0] <= critical * (1 + 1e-9) and factors[1] >= critical

    other_level = next((percent for percent in LEVELS if percent != level and is_level(percent, df)), None)
    is_lopsided = abs((float(lower) + float(upper)) / 2 - float(b)) > float(lower.half + upper.half + 2 * b.half)
    of_few = df == math.inf and factors[0] > size_of("z", 1 - level / 100)
    expected = f"{size_of('t', 1 - level / 100, (df,)):.2f}"
    meant = "another SE, level or way to make the interval must be meant"
    return first_of(
        subject,
        f"{interval} is b ± {range_text(factors)} SE, where {expected} SE are expected",
        (is_level(level, df) or is_level(level, math.inf), "fits", ""),
        (is_lopsided, "fits only if", f"it is not symmetric about b = {b}, as one that is bootstrapped or a profile's"),
        (other_level, "fits only if", f"it is one of {other_level} %"),
        (of_few, "fits only if", "it is made with a t of few df"),
        (True, "differs", f"; {meant}"),
    )


def _judge_null(result: Reported, null: float, interval: Interval, subject: str) -> Iterator[Said]:
    """Judge whether an interval holds the null where p is above 1 − its level, and does not where p is below."""
    is_omnibus = result.kind in ("f", "chi2", "g2", "q", "h") and not (result.df and float(result.df[0]) == 1)
    if is_omnibus or result.p is None or result.kind in ("u", "tau"):
        return
    alpha, p, relation = round(1 - interval.level / 100, 6), float(result.p), result.p_relation
    excludes = interval.low.low > null or interval.high.high < null
    includes = interval.low.high < null < interval.high.low
    is_small = p <= alpha if relation in ("<", "≤") else relation == "=" and result.p.high < alpha
    is_large = p >= alpha if relation in (">", "≥") else relation == "=" and result.p.low > alpha
    is_other_way = WORDS.other_way.search(result.sentence) or (relation == "=" and alpha / MARGIN < p < alpha * MARGIN)
    if not ((excludes or includes) and (is_small or is_large)):
        return
    if is_small if excludes else is_large:
        yield "fits", subject, f"{interval} and p say the same"
        return
    relation_text = "leaves out" if excludes else "holds"
    yield first_of(
        subject,
        f"{interval} {relation_text} {null:g}, and p {relation} {number_text(result.p)} is printed",
        (result.special_p, "cannot be checked", ", which is said to be corrected or one-tailed"),
        (is_other_way, "fits only if", "the interval was made in another way than p"),
        (True, "changes the conclusion", "; the interval would have to be of another estimate or level"),
    )


def _judge_size(
    result: Reported, value: Printed, estimate_name: str, interval: Interval, subject: str
) -> Iterator[Said]:
    """Judge p against the size of an estimate in its interval: z = estimate / (half the interval / 1.96).

    Of a ratio both are logarithms. An interval that is not symmetric about its estimate (bootstrapped, exact, a
    profile's) says nothing of p, and one that is may come of another method, so that only a p far off differs.
    """
    ratio = _compute_distance(value, estimate_name, interval)
    is_of_one = result.kind in ("p", "t", "z") or one_df(result)
    if result.p is None or result.p_relation not in ("=", "<", "≤") or not is_of_one or ratio is None:
        return
    df = float(result.df[-1]) if result.kind in ("t", "f") and result.df else math.inf
    p = p_of_interval(ratio, interval.level, df)
    fits = _p_fits(result, p)
    # Where the df are not printed, those of a t under which interval and p agree.
    few_dfs = range(0) if fits or estimate_name == "ratio" or math.isfinite(df) else FEW
    fitting_dfs = [df_of_t for df_of_t in few_dfs if _p_fits(result, p_of_interval(ratio, interval.level, df_of_t))]
    z = ratio[0] * size_of("z", 1 - interval.level / 100), ratio[1] * size_of("z", 1 - interval.level / 100)
    z_range = z_of(result.p) if result.p_relation == "=" else (z_of(result.p)[0], math.inf)
    is_far = far(z, z_range) and not WORDS.other_way.search(result.sentence)
    printed_text = f"p {result.p_relation} {number_text(result.p)} is printed"
    yield first_of(
        subject,
        f"{interval} corresponds to p = {p[0]:.3g} to {p[1]:.3g}, and {printed_text}",
        (fits, "fits", ""),
        (fitting_dfs, "fits only if", lambda: f"the test is of a t with {fitting_dfs[0]} to {fitting_dfs[-1]} df"),
        (result.special_p, "cannot be checked", ", which is said to be corrected or one-tailed"),
        (_p_fits(result, (p[0] / 2, p[1] / 2)), "fits only if", "p is one-tailed"),
        (is_far, "differs", "; another interval, level or p must be meant"),
        (True, "fits only if", "interval and p come of two methods"),
    )


def _compute_distance(value: Printed, estimate_name: str, interval: Interval) -> Range | None:
    """Return how many halves of its interval an estimate is from nothing; None if it is not in the middle."""
    scale = math.log if estimate_name == "ratio" else float
    if estimate_name == "ratio" and min(interval.low.low, value.low) <= 0:
        return None
    lower_range, upper_range, estimate_range = (
        (scale(number.low), scale(number.high)) for number in (interval.low, interval.high, value)
    )
    smallest_half, largest_half = (upper_range[0] - lower_range[1]) / 2, (upper_range[1] - lower_range[0]) / 2
    if (
        (lower_range[0] + upper_range[0]) / 2 > estimate_range[1]
        or (lower_range[1] + upper_range[1]) / 2 < estimate_range[0]
        or smallest_half <= 0
    ):
        return None
    sizes = sorted((abs(estimate_range[0]), abs(estimate_range[1])))
    return 0.0 if estimate_range[0] <= 0 <= estimate_range[1] else sizes[0] / largest_half, sizes[1] / smallest_half


def _p_fits(result: Reported, p: Range) -> bool:
    return agrees(dataclasses.replace(result, kind="z"), p)
