"""Reported results against their own p: recomputed over the rounding of the statistic, and what comes of it.

The rules are those of statcheck (Nuijten, Hartgerink, van Assen, Epskamp and Wicherts, 2016, Behavior Research Methods
48, 1205-1226) with these differences: a p that fits one tail only has a verdict of its own, and is an error where
that changes the decision and nothing declares it; decimals of df are rounded numbers too; p = .000 stands for p < .0005
and is no error; a p that its sentence, paragraph or document says to be corrected for several tests need only be what
such a correction gives; more forms are read.
"""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from negstats.audit.causes import cause
from negstats.audit.corrections import PAIRS, Factor, allowed, factor_of, named_tests, near_factors
from negstats.audit.distributions import NAMES, P_OF, SIGNED
from negstats.audit.find_results import Reported
from negstats.audit.maps import map_of
from negstats.audit.recomputing import Range, agrees, both_tails, fitting_df, p_range, range_with, tails
from negstats.errors import DesignError
from negstats.printed_numbers import printed
from negstats.stats.results.apa import p_value

ONE_TAIL_ALONE = "agrees with one tail only"
NEAR_EXACT = 1.5
NEAR_P = 3.0  # p of a permutation or an exact test is not further from that of the distribution
ENDS_AT_1 = 0.99  # "p > .999": a product that is cut at 1
MOST_COVARIATES = 12
EPSILONS = tuple(round(0.99 - 0.01 * step, 2) for step in range(60))
REPEATED = re.compile(r"repeated[- ]measures?|within[- ](?:subjects?|participants?)|\brm-?ANOVA", re.I)
RANKS = re.compile(
    r"Wilcoxon|Mann[- ]Whitney|rank[- ]sums?|signed[- ]ranks?|sign tests?|Kruskal|\bU ?=|\bW ?=|\bV ?=|\bT ?=", re.I
)
WALD = re.compile(r"Wald(?: [Cc]hi)? ?=")
PARTIAL = re.compile(r"partial(?:ly| correlation|ing| r\b)|adjust\w+ for|controll\w+ for|covari\w+|nuisance", re.I)
OF_MAP = re.compile(r"FWE|cluster|voxel|small[- ]volume|SVC", re.I)
IMPUTED = re.compile(
    r"\bimput(?:ed|ations?)\b[^.;]{0,60}\b(?:means?|averaged?|pooled|range)\b|"
    r"\b(?:averaged?|pooled)\b[^.;]{0,60}\bimput(?:ed|ations?)\b",
    re.I,
)
FISHER = re.compile(r"Fisher['’]?s?\b(?! ?['’]?s? ?z)")
SMIRNOV = re.compile(r"(?:Kolmogorov|Smirnov|\bK-?S\b)[^.;,]*\Z")
TELLING = (0.001, 0.99)  # a p beyond them is that of any very large or very small statistic
LEAST_P = 1e-300  # below it a p is printed as smaller
NAME_LENGTH = 40  # characters before a statistic in which the name of its test stands
DECIMALS_OR_THOUSANDS = re.compile(r"= ?[-+−–]? ?([1-9]\d{0,2},\d{3})(?!\d|,\d)")

Verdict: TypeAlias = Literal[
    "consistent",
    "consistent if corrected",
    "consistent if one-tailed",
    "inconsistent",
    "decision error",
    "impossible",
    "not checkable",
]
FLAGGED: tuple[Verdict, ...] = ("consistent if one-tailed", "inconsistent", "decision error", "impossible")

UNCHECKED = {
    "u": "p of a rank sum needs the group sizes and ties; it can be checked where z is printed next to it",
    "tau": "p of Kendall's τ needs n and ties; it can be checked where z is printed next to it",
}
# p of these need not be that of the statistic's own distribution.
RESAMPLED = re.compile(
    r"\b(?:permutation(?:s|[- ](?:tests?|based|p\b|ANOVA))?|permuted|Monte[- ]Carlo|randomi[sz]ation tests?|"
    r"bootstrap(?:ped)? (?:p\b|tests?))",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Rules:
    """What counts as an error.

    Attributes
    ----------
    alpha : float
        The level that a decision error crosses.
    one_tailed : bool
        Whether a p of one tail is taken as declared, though nothing in the text says so.
    equal_is_significant : bool
        Whether a p equal to alpha is significant.
    two_tailed : bool
        Whether every p is held against two tails, though the text says one.
    zero_is_error : bool
        Whether p = .000 is an error, as no p is 0; else it stands for all that round to it.
    """

    alpha: float = 0.05
    one_tailed: bool = False
    equal_is_significant: bool = True
    two_tailed: bool = False
    zero_is_error: bool = False

    def __post_init__(self) -> None:
        if self.one_tailed and self.two_tailed:
            raise DesignError("one_tailed and two_tailed are both True; p are taken as of one tail or of two")
        if not 0 < self.alpha < 1:
            raise DesignError(f"alpha is {self.alpha!r}; give a number between 0 and 1 such as 0.05")


@dataclass(frozen=True, slots=True)
class Checked:
    """A reported result and what recomputing its p says.

    Attributes
    ----------
    reported : Reported
        The result as it was written.
    p_low, p_high : float
        The least and the greatest p that the rounding of the statistic and its df allows; NaN if not checkable.
    verdict : str
        "consistent", "consistent if corrected" (as the paragraph or the document says that p are), "consistent if
        one-tailed" (and nothing speaks of one tail), "inconsistent", "decision error" (inconsistent across alpha, or
        consistent with one tail only that nothing speaks of, across alpha), "impossible" or "not checkable".
    why : str
        One sentence.
    asked : bool
        Whether the same question was asked of an earlier result of the text (`tails`), so that this one is not
        flagged again.
    """

    reported: Reported
    p_low: float
    p_high: float
    verdict: Verdict
    why: str
    asked: bool = False

    @property
    def flagged(self) -> bool:
        """Whether something is wrong that was not asked before."""
        return self.verdict in FLAGGED and not self.asked

    @property
    def one_tail_alone(self) -> bool:
        """Whether p agrees with one tail only, and nothing near it declares one."""
        return self.verdict in FLAGGED and ONE_TAIL_ALONE in self.why


def check(result: Reported, rules: Rules) -> Checked:
    """Recompute the p of a reported result and compare it with what is printed."""
    if result.kind == "p":
        return Checked(result, np.nan, np.nan, "not checkable", "no test statistic is printed next to it")
    if result.unread:
        why = f"p is printed as {result.unread!r}, which cannot be read; its exponent may have been lost"
        return Checked(result, np.nan, np.nan, "not checkable", why)
    result = _decimal(_completed(result))
    # Without df, letters such as r = 5 may be no statistic at all: nothing is said of what cannot be.
    missing = _missing(result)
    if missing:
        return Checked(result, np.nan, np.nan, "not checkable", missing)
    fault = _impossible(result)
    if fault and (exponent_note := _describe_lost_exponent(result)):
        return Checked(result, *p_range(result), "not checkable", exponent_note)
    if fault:
        return Checked(result, np.nan, np.nan, "impossible", fault)
    low, high = p_range(result)
    verdict, why = _judged(result, (low, high), rules)
    return Checked(result, low, high, verdict, why)


def _describe_lost_exponent(result: Reported) -> str:
    """Return why a p above 1 may be one whose exponent is lost: its digits are those of the recomputed p."""
    if result.p is None or result.p_relation != "=" or not 1 <= float(result.p) < 10:
        return ""
    low, high = p_range(result)
    for tails_of in (1, 2):
        power = math.floor(math.log10(max(high / tails_of, 1e-300)))
        for exponent in (power, power - 1):
            if exponent < -2 and result.p.agrees(low / tails_of * 10.0**-exponent, high / tails_of * 10.0**-exponent):
                return (
                    f"p is printed as {result.p}; its exponent may have been lost: {result.p} × 10^{exponent} would fit"
                )
    return ""


def _completed(result: Reported) -> Reported:
    """Return a correlation of n pairs with its n − 2 df, and Wald's test of a coefficient with its 1; else as it is."""
    if result.kind in ("r", "rho") and not result.df and result.n is not None and result.n > 2:
        return dataclasses.replace(result, df=(printed(result.n - 2),))
    if result.kind == "chi2" and not result.df and WALD.match(result.raw):  # that of one coefficient
        return dataclasses.replace(result, df=(printed(1),))
    return result


def _decimal(result: Reported) -> Reported:
    """Return a result with the 2,752 of its statistic as 2.752 where p is near that one's and nowhere near 2752's."""
    comma_match = DECIMALS_OR_THOUSANDS.search(result.raw)
    if comma_match is None or result.value is None or result.p is None or _missing(result):
        return result
    if not TELLING[0] < float(result.p) < TELLING[1]:
        return result
    sign = "-" if float(result.value) < 0 else ""
    if str(result.value).lstrip("-") != comma_match[1].replace(",", "") or agrees(result, p_range(result)):
        return result
    with_decimals = dataclasses.replace(result, value=printed(sign + comma_match[1].replace(",", ".")))
    p = p_range(with_decimals)
    is_near = result.p_relation == "=" and p[0] / NEAR_EXACT <= float(result.p) <= p[1] * NEAR_EXACT
    return with_decimals if is_near or agrees(with_decimals, p) else result


def _impossible(result: Reported) -> str:
    """Return why a result cannot be, whatever the data; empty if it can."""
    value, name = float(result.statistic), NAMES[result.kind]
    if result.kind not in SIGNED and value < 0:
        return f"{name} is {result.statistic}, and it cannot be negative"
    if result.kind in ("r", "rho", "tau") and abs(value) > 1:
        return f"{name} is {result.statistic}, and a correlation is between −1 and 1"
    if any(df.value <= 0 for df in result.df):
        return f"df is {', '.join(map(str, result.df))}, and df are positive"
    if result.p is not None:
        p = float(result.p)
        if not 0 <= p <= 1:
            return f"p is printed as {result.p}, and p is between 0 and 1"
        if p == 0 and result.p_relation == "<":
            return "p is printed as below 0"
        if p == 1 and result.p_relation == ">":
            return "p is printed as above 1"
    return ""


def _missing(result: Reported) -> str:
    """Return what is missing to recompute p; empty if nothing is."""
    name = NAMES[result.kind]
    if result.kind not in P_OF:
        return UNCHECKED[result.kind]
    name_start = max(result.span[0] - NAME_LENGTH, 0)
    if result.kind == "z" and SMIRNOV.search(result.paragraph[name_start : result.span[0]]):
        return "Z of Kolmogorov and Smirnov’s test is not normal; p needs the sizes of the groups"
    n_df = P_OF[result.kind][0]
    if len(result.df) < n_df:
        fits = fitting_df(result)
        return f"df of {name} is not printed{fits and f'; {fits} would agree with the printed p'}"
    return ""


def _judged(result: Reported, p: Range, rules: Rules) -> tuple[Verdict, str]:
    recomputed, prints = f"{_test_text(result)} gives {_range_text(p)}", _p_text(result)
    if rules.zero_is_error and result.p is not None and result.p_relation == "=" and not result.p.value:
        return "inconsistent", f"{recomputed}, and {prints} is printed: p is never 0"
    if agrees(result, p, rules.alpha):
        return "consistent", f"{recomputed}, and {prints} is printed"
    if result.signless:
        return "not checkable", f"{recomputed}, and p {result.p} is printed without = or <, which may have been lost"
    own = result.corrected
    if own and (factor := _own_factor(result, p)):
        return "consistent", f"{recomputed} before the correction, and {prints} is printed with it ({factor.text})"
    of_map = OF_MAP.search(result.note) if own and result.p is not None and result.p.high >= p[0] else None
    words = map_of(result) or (of_map[0] if of_map else "")
    fits_tail = any(agrees(result, tail, rules.alpha) for tail in tails(result, p))
    if words and fits_tail and not rules.two_tailed:
        return (
            "consistent",
            f"{recomputed} with two tails, and {prints} is of one, as maps of the brain have (“{words}”)",
        )
    if words:
        return "not checkable", f"{recomputed}, and {prints} may be of a cluster, a volume or a threshold (“{words}”)"
    if fits_tail and not rules.two_tailed and not own:
        return _judge_one_tail(result, p, rules)
    if excuse := _excused(result, p, rules):
        return "consistent if corrected", f"{recomputed}, and {prints} {excuse}"
    if any(agrees(result, both, rules.alpha) for both in both_tails(result, p)):
        return "consistent", f"{recomputed} with one tail, and {prints} is printed for two, as the sentence says"
    if other := _other_distribution(result, p, rules):
        return "not checkable", f"{recomputed}, and {prints} {other}"
    why = f"{recomputed}, not {prints}"
    for more in (cause(result, p), _no_factor(result, p)):
        why += f"; {more}" if more else ""
    return ("decision error" if _crosses(result, p, rules) else "inconsistent"), why


def _own_factor(result: Reported, p: Range) -> Factor | None:
    """Return what makes of the recomputed p the one that is said at p itself to be corrected."""
    ks = allowed(result.note, result.tests, result.p, own=True)
    if result.p is None or result.p_relation in (">", "≥"):
        at = 0.05 if result.p is None else float(result.p)
        return next((Factor(f"× {k}", k) for k in ks if k * p[1] >= at), None)
    if result.p_relation != "=":
        return None
    factor = factor_of(result.p, p, result.note, ks, _error_df(result), own=True)
    return None if factor is not None and not factor.times and OF_MAP.search(result.note) else factor


def _error_df(result: Reported) -> float:
    return float(result.df[-1]) if result.df and result.kind in ("t", "f", "r", "rho") else math.inf


def _excused(result: Reported, p: Range, rules: Rules) -> str:
    """Return which correction that the text names makes the printed p of the recomputed one; empty if none does."""
    comparison = result.kind in ("t", "z", "r", "rho") or bool(result.df and float(result.df[0]) == 1)
    statement = result.correction
    if statement is not None and (comparison or statement.text in result.sentence or result.sentence in statement.text):
        ks = allowed(statement.text, result.tests, result.p, own=False, elsewhere=statement.tests_elsewhere)
        citation = f": the text says “{statement.text}”"
        if result.p is not None and result.p_relation == "=":
            tests = max(result.tests, *named_tests(statement.text), 0)
            factor = factor_of(result.p, p, statement.text, ks, _error_df(result), tests=tests)
            if factor is not None:
                return f"fits a correction ({factor.text}){citation}"
        elif result.p is None or result.p_relation in (">", "≥"):
            at = rules.alpha if result.p is None else float(result.p)
            most = PAIRS[-1] if at >= ENDS_AT_1 else max(result.tests, *named_tests(statement.text), 3)
            k = next((k for k in sorted({*ks, *PAIRS}) if k <= most and k * p[1] >= at), 0)
            if k:
                return f"fits a correction (× {k}){citation}"
    return _spherical(result, p, rules)


def _spherical(result: Reported, p: Range, rules: Rules) -> str:
    """Return which epsilon of a correction for sphericity gives the printed p, where the text has repeated measures.

    Such a correction multiplies both df. Often the p is printed with it and the df without it, or only one df with it.
    """
    if result.kind != "f" or result.p is None or result.p_relation != "=" or len(result.df) != 2:
        return ""
    df1, df2 = (float(df) for df in result.df)
    source = f": the text says “{result.sphericity.text}”" if result.sphericity is not None else ""
    if result.df[0].decimals > 0 and result.df[1].decimals <= 0:
        for whole in range(math.ceil(df1), math.ceil(df1) + 4):
            ends = result.df[0].low, result.df[0].high
            if agrees(result, range_with(result, (ends, (df2 * ends[0] / whole, df2 * ends[1] / whole)))):
                return (
                    f"fits with an error df of {df2 * df1 / whole:.1f}, corrected for sphericity "
                    f"as the first is{source}"
                )
    repeated_match = REPEATED.search(result.sentence)
    if df1 < 2 or result.df[0].decimals > 0 or not (source or (repeated_match and not _crosses(result, p, rules))):
        return ""
    if share := spherical(result):
        because = source or f": the sentence says “{repeated_match[0] if repeated_match else ''}”"
        return f"fits a correction for sphericity (ε = {share:.2f}) whose df are printed without it{because}"
    return ""


def spherical(result: Reported) -> float:
    """Return the epsilon that, multiplied to both df of an F, gives its printed p; 0 if none of at least .4 does."""
    df1, df2 = (float(df) for df in result.df)
    for share in EPSILONS:
        if share * df1 >= 1 and agrees(result, range_with(result, ((share * df1,) * 2, (share * df2,) * 2))):
            return share
    return 0.0


def _other_distribution(result: Reported, p: Range, rules: Rules) -> str:
    """Return why p may be of another distribution than the statistic's; empty if nothing says so."""
    is_near = result.p is not None and result.p_relation == "=" and p[0] / NEAR_P <= float(result.p) <= p[1] * NEAR_P
    if result.kind == "rho":
        return "may be exact: that of the t is an approximation"
    if word := RESAMPLED.search(result.sentence):
        return f"may be of the “{word[0]}” that its sentence speaks of"
    if result.resampling is not None and is_near:
        return f"may be resampled: the text says “{result.resampling.text}”"
    if is_near and (word := IMPUTED.search(result.sentence)):
        return f"may be averaged over several data sets (“{word[0]}”)"
    tail = (p[0] / 2, p[1] / 2) if result.one_sided else p
    exact = result.p is not None and result.p_relation == "=" and not _crosses(result, tail, rules)
    exact = exact and tail[0] / NEAR_EXACT <= float(result.p or 0) <= tail[1] * NEAR_EXACT
    if result.kind == "z" and exact and (word := RANKS.search(result.sentence)):
        return f"may be exact, or corrected for continuity (“{word[0]}”)"
    if result.kind == "z" and exact and result.ranks is not None:
        return f"may be exact, or corrected for continuity: the text says “{result.ranks.text}”"
    if result.kind in ("chi2", "g2") and exact and (word := FISHER.search(result.sentence)):
        return f"may be of the exact test that its sentence speaks of (“{word[0]}”)"
    if result.kind == "r" and result.n is not None and result.df and result.p is not None and result.p_relation == "=":
        word = PARTIAL.search(result.sentence) or PARTIAL.search(result.paragraph)
        for more in range(1, MOST_COVARIATES + 1) if word else ():
            df = float(result.n - 2 - more)
            if df > 0 and agrees(result, range_with(result, ((df, df),))):
                return f"is that of {df:g} df, of a correlation with {more} more variables held constant (“{word[0]}”)"  # type: ignore[index]
    return ""


def _no_factor(result: Reported, p: Range) -> str:
    """Return that no number of tests explains a larger p, where the text speaks of a correction."""
    if result.correction is None or result.p is None or result.p_relation != "=" or float(result.p) <= p[1]:
        return ""
    elsewhere = result.correction.tests_elsewhere
    return near_factors(
        result.p, p, allowed(result.correction.text, result.tests, result.p, own=False, elsewhere=elsewhere)
    )


def _judge_one_tail(result: Reported, p: Range, rules: Rules) -> tuple[Verdict, str]:
    """Judge a p that agrees with one tail only: whether something declares it, and whether it changes the decision."""
    recomputed, prints = f"{_test_text(result)} gives {_range_text(p)} with two tails", _p_text(result)
    if result.one_sided:
        return "consistent", f"{recomputed}, and {prints} is printed for one, as the sentence says"
    if result.one_tail is not None:
        return "consistent", f"{recomputed}, and {prints} is printed for one: the text says “{result.one_tail.text}”"
    if rules.one_tailed:
        return "consistent", f"{recomputed}, and {prints} is printed for one, as all are taken to be"
    if _crosses(result, p, rules):
        return "decision error", f"{recomputed}; {prints} {ONE_TAIL_ALONE}, which nothing in the text declares"
    return "consistent if one-tailed", f"{recomputed}; {prints} {ONE_TAIL_ALONE}"


def _crosses(result: Reported, p: Range, rules: Rules) -> bool:
    """Return whether the printed and the recomputed p lie on different sides of alpha."""
    alpha = rules.alpha
    at = alpha if result.p is None else float(result.p)
    is_below = at < alpha or (at == alpha and (rules.equal_is_significant or result.p_relation == "<"))
    significant = result.p is not None and result.p_relation in ("=", "<", "≤") and is_below
    not_significant = (
        result.p is None
        or (result.p_relation == "=" and not is_below)
        or (result.p_relation in (">", "≥") and at >= alpha)
    )
    return (significant and p[0] > alpha) or (not_significant and p[1] <= alpha)


def _test_text(result: Reported) -> str:
    df = ", ".join(str(value) for value in result.df[: P_OF[result.kind][0]])
    return f"{NAMES[result.kind]}{df and f'({df})'} {result.relation} {result.statistic}"


def _p_text(result: Reported) -> str:
    if result.p is None:
        return "n.s."
    small = 0 < result.p.value < 0.00001
    return f"p {result.p_relation} {f'{float(result.p):.1e}' if small else str(result.p).removeprefix('0')}"


def _range_text(p: Range) -> str:
    """Return a range of p as APA style prints it; small ones to two digits, and never one as 0."""
    if p[0] < LEAST_P:
        return f"p < {max(p[1], LEAST_P):.1e}"
    low, high = (p_value(end) if end >= 0.001 else f"p = {end:.1e}" for end in p)
    return low if low == high else f"{low} to {high.removeprefix('p = ')}"
