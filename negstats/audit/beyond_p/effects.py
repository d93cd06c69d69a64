"""Effect sizes against their test: partial η² and ω², d and g by every usual design, r."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from negstats.audit.beyond_p.around import Around
from negstats.audit.beyond_p.judgement import Range, Said, magnitude, number_text, range_text, within
from negstats.audit.beyond_p.slips import find_slips, name_slips
from negstats.audit.find_results import Reported
from negstats.printed_numbers import Printed, printed

LIKELY = -0.5  # correlation of two measures of the same people
SEVERAL_OUTCOMES = re.compile(r"Wilks|Pillai|Hotelling|Roy['’]s|MANCOVA|MANOVA|multivariate", re.I)


def of_variance(result: Reported, around: Around, others: Sequence[Reported] = ()) -> Iterator[Said]:
    """Judge η² and ω² of an F: partial η² is F df1 / (F df1 + df2), whatever the design (Cohen, 1973)."""
    (low, high), (df1, df2) = magnitude(result.statistic), map(float, result.df)
    people = df1 + df2 + 1
    partial = low * df1 / (low * df1 + df2), high * df1 / (high * df1 + df2)
    omega = tuple(max(df1 * (f - 1) / (df1 * (f - 1) + people), 0.0) for f in (low, high))
    epsilon = tuple(max(df1 * (f - 1) / (df1 * f + df2), 0.0) for f in (low, high))
    test = f"F({result.df[0]}, {result.df[1]}) = {result.statistic}"
    if eta := around.values.get("eta"):
        is_partial = "p" in around.symbols["eta"]
        what = f"{'partial ' * is_partial}η² and F"
        comparison = f"{test} gives {range_text(partial)}, printed {number_text(eta)}"
        truncated_eta = math.floor(partial[0] * 10**eta.decimals) / 10**eta.decimals
        would = float(eta) / (1 - float(eta)) * df2 / df1 if 0 < float(eta) < 1 else math.nan
        if eta.decimals == 0 and 10 <= float(eta) < 100 and within(printed(f"0.{eta}"), partial):
            yield "fits only if", what, f"{comparison}: its point is lost"
        elif not 0 <= float(eta) <= 1:
            yield "cannot be", what, f"η² is printed as {eta}, and it is between 0 and 1"
        elif within(eta, partial):
            yield "fits", what, comparison
        elif SEVERAL_OUTCOMES.search(result.sentence):
            yield "cannot be checked", what, f"{comparison}; that of several outcomes is computed in several ways"
        elif not is_partial and float(eta) < partial[1]:
            yield "cannot be checked", what, f"{comparison}; η² of all variance needs the other sums of squares"
        elif math.isclose(truncated_eta, float(eta)):
            yield "fits only if", what, f"{comparison}: it is cut off, not rounded"
        elif within(eta, (omega[0], omega[1])) or within(eta, (epsilon[0], epsilon[1])):
            name = "ω²" if within(eta, (omega[0], omega[1])) else "ε²"
            yield "fits only if", what, f"{comparison}: it is {name}"
        else:
            slips = name_slips(find_slips(result, others, around))
            slips = slips or (f"F = {would:.2f} would give it" if would == would else "")
            yield "differs", what, f"{comparison}{slips and '; '}{slips}"
    if value := around.values.get("omega"):
        comparison = (
            f"{test} gives {range_text((omega[0], omega[1]))} between {people:g} people, printed {number_text(value)}"
        )
        if within(value, (omega[0], omega[1])):
            yield "fits", "ω² and F", comparison
        elif float(value) > partial[1] + 10.0**-value.decimals:
            yield "differs", "ω² and F", f"{comparison}; it is smaller than partial η², {range_text(partial)}"
        else:
            yield "cannot be checked", "ω² and F", f"{comparison}; within people or with other factors it differs"


def of_difference(result: Reported, around: Around) -> Iterator[Said]:
    """Judge d and g by every usual design (Lakens, 2013, Frontiers in Psychology 4:863, equations 1 to 10)."""
    low, high = magnitude(result.statistic)
    if result.kind == "f":
        low, high = math.sqrt(low), math.sqrt(high)
    df = result.df[-1]
    test = f"{'t' if result.kind == 't' else 'F'}({', '.join(map(str, result.df))}) = {result.statistic}"
    for name in ("d", "g"):
        value = around.values.get(name)
        if value is None:
            continue
        symbol = around.symbols[name]
        what = f"{symbol} and {test[0]}"
        if df.decimals > 0:
            yield "cannot be checked", what, "df are corrected, so the groups' n are not known"
            continue
        claim = f"{symbol} = {number_text(value)} is printed; {test} gives"
        yield (*_design(value, (low, high), float(df), what, claim, hedges=name == "g"),)


def _design(value: Printed, t: Range, df: float, what: str, claim: str, *, hedges: bool) -> Said:
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
    middle = (t[0] + t[1]) / 2 * shrink
    size = abs(float(value))
    if not middle:
        return "cannot be checked", what, "the statistic may be 0"
    # 1/n1 + 1/n2 = (d/t)² with n1 + n2 = N has a solution if n1 n2 = N / (d/t)² is one of two whole numbers
    product = m / (size / middle) ** 2 if size else math.inf
    root = m * m - 4 * product
    smaller = (m - math.sqrt(root)) / 2 if root >= 0 else math.nan
    equal = f"{claim} {2 * middle / math.sqrt(m):.2f} for two equal groups"
    if smaller >= 2:
        sizes = f"{smaller:.0f} and {m - smaller:.0f}"
        return "fits only if", what, f"{equal}, and {number_text(value)} for groups of about {sizes} people"
    correlation = 1 - (size / middle) ** 2 * n / 2
    equal += f" and {middle / math.sqrt(n):.2f} for differences within {n:g} people"
    if -1 <= correlation <= 1:
        related = f"it fits two measures of the same people that correlate {correlation:.2f} (d_av)"
        return "fits only if", what, f"{equal}; {related if correlation >= LIKELY else 'its SD is another'}"
    would = size * math.sqrt(m) / 2 / shrink
    return "differs", what, f"{equal}; t = {would:.2f} would give it in two equal groups"


def of_r(result: Reported, around: Around) -> Iterator[Said]:
    """Judge an r that is the effect size of a t: √(t² / (t² + df))."""
    value = around.values.get("r")
    if value is None:
        return
    low, high = (size if result.kind == "t" else math.sqrt(size) for size in magnitude(result.statistic))
    df = float(result.df[-1])
    r = low / math.sqrt(low**2 + df), high / math.sqrt(high**2 + df)
    what = f"r and {'t' if result.kind == 't' else 'F'}"
    if within(value, r):
        yield "fits", what, f"it gives {range_text(r)}, printed {number_text(value)}"
    elif abs(float(value)) > 1:
        yield "cannot be", what, f"r is printed as {value}, and it is between −1 and 1"
    else:
        would = abs(float(value)) * math.sqrt(df / (1 - min(float(value) ** 2, 0.999999)))
        why = f"it is not this test's, which has {range_text(r)}, printed {number_text(value)}"
        yield "fits only if", what, f"{why} (t = {would:.2f} would give it)"
