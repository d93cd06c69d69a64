"""Effect sizes against their test: partial η² and ω², d and g by every usual design, r."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from negstats.audit.beyond_p.around import Around
from negstats.audit.beyond_p.judgement import Range, Said, first_of, number_text, range_text, within
from negstats.audit.beyond_p.slips import (
    PaperTests,
    as_printed,
    effect_r,
    find_slips,
    name_slips,
    partial_eta,
    size_of_t,
)
from negstats.audit.find_results import Reported
from negstats.audit.readings import test_text
from negstats.printed_numbers import Printed, printed

LIKELY = -0.5  # correlation of two measures of the same people
SEVERAL_OUTCOMES = re.compile(r"Wilks|Pillai|Hotelling|Roy['’]s|MANCOVA|MANOVA|multivariate", re.I)


def of_variance(result: Reported, around: Around, tests: PaperTests | None = None) -> Iterator[Said]:
    """Judge η² and ω² of an F."""
    test = as_printed(result)
    (df1, df2), partial = test.df, partial_eta(test)
    omega, epsilon = (
        (max(df1 * (low - 1) / (df1 * low + df2 + more), 0.0), max(df1 * (high - 1) / (df1 * high + df2 + more), 0.0))
        for more, (low, high) in ((1, test.sizes), (0, test.sizes))
    )
    if eta := around.values.get("eta"):
        size, unit, is_partial = float(eta), 10.0**-eta.decimals, "p" in around.symbols["eta"]
        claim = f"{test_text(result)} gives {range_text(partial)}, printed {number_text(eta)}"

        would = f"F = {size / (1 - size) * df2 / df1:.2f} would give it" if 0 < size < 1 else ""

        def name_slip() -> str:
            return f"; {slips}" if (slips := name_slips(find_slips(result, tests, around)) or would) else ""

        what = f"{'partial ' * is_partial}η² and F"
        has_lost_point = eta.decimals == 0 and 10 <= size < 100 and within(printed(f"0.{eta}"), partial)
        of_several = SEVERAL_OUTCOMES.search(result.sentence)
        of_all = not is_partial and size < partial[1]
        is_cut_off = math.isclose(math.floor(partial[0] / unit) * unit, size)
        if not (has_lost_point or 0 <= size <= 1):
            yield "cannot be", what, f"η² is printed as {eta}, and it is between 0 and 1"
            return
        yield first_of(
            what,
            claim,
            (has_lost_point, "fits only if", ": its point is lost"),
            (within(eta, partial), "fits", ""),
            (of_several, "cannot be checked", "; that of several outcomes is computed in several ways"),
            (of_all, "cannot be checked", "; η² of all variance needs the other sums of squares"),
            (is_cut_off, "fits only if", ": it is cut off, not rounded"),
            (within(eta, omega), "fits only if", ": it is ω²"),
            (within(eta, epsilon), "fits only if", ": it is ε²"),
            (True, "differs", name_slip),
        )
    if value := around.values.get("omega"):
        people = f"between {df1 + df2 + 1:g} people"
        is_larger = float(value) > partial[1] + 10.0**-value.decimals
        if result.df[-1].decimals > 0 and not is_larger:
            yield "cannot be checked", "ω² and F", "df are corrected, so the number of people is not known"
            return
        yield first_of(
            "ω² and F",
            f"{test_text(result)} gives {range_text(omega)} {people}, printed {number_text(value)}",
            (within(value, omega), "fits", ""),
            (is_larger, "differs", f"; it is smaller than partial η², {range_text(partial)}"),
            (True, "cannot be checked", "; within people or with other factors it differs"),
        )


def of_difference(result: Reported, around: Around) -> Iterator[Said]:
    """Judge d and g by every usual design (Lakens, 2013, Frontiers in Psychology 4:863, equations 1 to 10)."""
    test = as_printed(result)
    for name in [one for one in ("d", "g") if one in around.values]:
        value, what = around.values[name], f"{around.symbols[name]} and {test_text(result)[0]}"
        if result.df[-1].decimals > 0:
            yield "cannot be checked", what, "df are corrected, so the groups' n are not known"
            continue
        claim = f"{around.symbols[name]} = {value} is printed; {test_text(result)} gives"
        yield _judge_design(value, size_of_t(test), test.df[-1], what, claim, hedges=name == "g")


def _judge_design(value: Printed, t: Range, df: float, what: str, claim: str, *, hedges: bool) -> Said:
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
        if within(value, (t[0] * factor * shrink, t[1] * factor * shrink)):
            return "fits", what, f"as of {name}"
    middle, size = (t[0] + t[1]) / 2 * shrink, abs(float(value))
    if not middle:
        return "cannot be checked", what, "the statistic may be 0"
    # 1/n1 + 1/n2 = (d/t)² with n1 + n2 = N has a solution if n1 n2 = N / (d/t)² is one of two whole numbers
    root = m * m - 4 * m / (size / middle) ** 2 if size else -1.0
    smaller = (m - math.sqrt(root)) / 2 if root >= 0 else 0.0
    correlation = 1 - (size / middle) ** 2 * n / 2
    equal = f" {2 * middle / math.sqrt(m):.2f} for two equal groups"
    both = f"{equal} and {middle / math.sqrt(n):.2f} for differences within {n:g} people"
    groups = f"{value} for groups of about {smaller:.0f} and {m - smaller:.0f} people"
    related = f"it fits two measures of the same people that correlate {correlation:.2f} (d_av)"
    would = f"t = {size * math.sqrt(m) / 2 / shrink:.2f} would give it in two equal groups"
    return first_of(
        what,
        claim,
        (smaller >= 2, "fits only if", f"{equal}, and {groups}"),
        (LIKELY <= correlation <= 1, "fits only if", f"{both}; {related}"),
        (-1 <= correlation <= 1, "fits only if", f"{both}; its SD is another"),
        (True, "differs", f"{both}; {would}"),
    )


def of_r(result: Reported, around: Around) -> Iterator[Said]:
    """Judge an r that is the effect size of a t."""
    if (value := around.values.get("r")) is None:
        return
    r, size, what = effect_r(as_printed(result)), abs(float(value)), f"r and {test_text(result)[0]}"
    would = size * math.sqrt(float(result.df[-1]) / (1 - min(size**2, 0.999999)))
    prints = f"{range_text(r)}, printed {number_text(value)}"
    if within(value, r):
        yield "fits", what, f"it gives {prints}"
    elif size > 1:
        yield "cannot be", what, f"r is printed as {value}, and it is between −1 and 1"
    else:
        yield "fits only if", what, f"it is not this test's, which has {prints} (t = {would:.2f} would give it)"
