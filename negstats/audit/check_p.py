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
from dataclasses import dataclass

import numpy as np

from negstats.audit.beyond_p.slips import Slip
from negstats.audit.distributions import NAMES, P_OF, SIGNED
from negstats.audit.find_results import Reported
from negstats.audit.readings import NEAR_EXACT, Rules, Verdict, judge, range_text, test_text
from negstats.audit.recomputing import agrees, fitting_df, p_range
from negstats.audit.words import words_of
from negstats.printed_numbers import printed

WORDS = words_of("check_p")
TELLING = (0.001, 0.99)  # a p beyond them is that of any very large or very small statistic
NAME_LENGTH = 40  # characters before a statistic in which the name of its test stands

FLAGGED: tuple[Verdict, ...] = ("consistent if one-tailed", "inconsistent", "decision error", "impossible")

UNCHECKED = {
    "u": "p of a rank sum needs the group sizes and ties; it can be checked where z is printed next to it",
    "tau": "p of Kendall's τ needs n and ties; it can be checked where z is printed next to it",
}


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
    one_tail_alone : bool
        Whether p agrees with one tail only, and nothing declares one.
    asked : bool
        Whether the paper is asked about it in one question with others (`questions`), and it has no flag of its own.
    slips : tuple of Slip
        The single edits that make the numbers of a flagged test agree, the likeliest first.
    """

    reported: Reported
    p_low: float
    p_high: float
    verdict: Verdict
    why: str
    one_tail_alone: bool = False
    asked: bool = False
    slips: tuple[Slip, ...] = ()

    @property
    def flagged(self) -> bool:
        """Whether something is wrong that was not asked before."""
        return self.verdict in FLAGGED and not self.asked


def check(result: Reported, rules: Rules) -> Checked:
    """Recompute the p of a reported result and compare it with what is printed."""
    if result.kind == "p":
        return Checked(result, np.nan, np.nan, "not checkable", "no test statistic is printed next to it")
    if result.unread:
        reason = f"p is printed as {result.unread!r}, which cannot be read; its exponent may have been lost"
        return Checked(result, np.nan, np.nan, "not checkable", reason)
    result = _decimal(_completed(result))
    # Without df, letters such as r = 5 may be no statistic at all: nothing is said of what cannot be.
    if missing := _missing(result):
        return Checked(result, np.nan, np.nan, "not checkable", missing)
    if fault := _impossible(result):
        exponent_note = _describe_lost_exponent(result)
        p_bounds = p_range(result) if exponent_note else (np.nan, np.nan)
        return Checked(result, *p_bounds, "not checkable" if exponent_note else "impossible", exponent_note or fault)
    low, high = p_range(result)
    if not result.p_relation:
        reason = f"{test_text(result)} gives {range_text((low, high))}, and no p is printed next to it"
        return Checked(result, low, high, "not checkable", reason)
    return Checked(result, low, high, *judge(result, (low, high), rules))


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
    if result.kind == "chi2" and not result.df and WORDS.wald.match(result.raw):  # that of one coefficient
        return dataclasses.replace(result, df=(printed(1),))
    return result


def _decimal(result: Reported) -> Reported:
    """Return a result with the 2,752 of its statistic as 2.752 where that one's p is as telling as the printed one."""
    comma_match = WORDS.decimals_or_thousands.search(result.raw)
    if comma_match is None or result.value is None or _missing(result):
        return result
    if result.p is not None and not TELLING[0] < float(result.p) < TELLING[1]:
        return result
    sign = "-" if float(result.value) < 0 else ""
    if str(result.value).lstrip("-") != comma_match[1].replace(",", "") or agrees(result, p_range(result)):
        return result
    with_decimals = dataclasses.replace(result, value=printed(sign + comma_match[1].replace(",", ".")))
    p = p_range(with_decimals)
    is_telling = (
        result.p is not None and result.p_relation == "=" and TELLING[0] / NEAR_EXACT < p[1] and p[0] < TELLING[1]
    )
    return with_decimals if is_telling or agrees(with_decimals, p) else result


def _impossible(result: Reported) -> str:
    """Return why a result cannot be, whatever the data; empty if it can."""
    value = float(result.statistic)
    p = 0.5 if result.p is None else float(result.p)
    rows = (
        (result.kind not in SIGNED and value < 0, "{name} is {value}, and it cannot be negative"),
        (
            result.kind in ("r", "rho", "tau") and abs(value) > 1,
            "{name} is {value}, and a correlation is between −1 and 1",
        ),
        (any(float(df) <= 0 for df in result.df), "df is {df}, and df are positive"),
        (not 0 <= p <= 1, "p is printed as {p}, and p is between 0 and 1"),
        (p == 0 and result.p_relation == "<", "p is printed as below 0"),
        (p == 1 and result.p_relation == ">", "p is printed as above 1"),
    )
    words = next((words for holds, words in rows if holds), "")
    df = ", ".join(map(str, result.df)) if words else ""
    return words.format(name=NAMES[result.kind], value=result.statistic, df=df, p=result.p)


def _missing(result: Reported) -> str:
    """Return what is missing to recompute p; empty if nothing is."""
    name = NAMES[result.kind]
    if result.kind not in P_OF:
        return UNCHECKED[result.kind]
    name_start = max(result.span[0] - NAME_LENGTH, 0)
    if result.kind == "z" and WORDS.smirnov.search(result.paragraph[name_start : result.span[0]]):
        return "Z of Kolmogorov and Smirnov’s test is not normal; p needs the sizes of the groups"
    n_df = P_OF[result.kind][0]
    if len(result.df) < n_df:
        fits = fitting_df(result)
        return f"df of {name} is not printed{fits and f'; {fits} would agree with the printed p'}"
    return ""
