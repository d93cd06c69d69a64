"""Reported results against their own p: recomputed over the rounding of the statistic, and what comes of it.

The rules are those of statcheck (Nuijten, Hartgerink, van Assen, Epskamp and Wicherts, 2016, Behavior Research Methods
48, 1205-1226) with these differences: a p that fits one tail only has a verdict of its own, and is an error where
that changes the decision and nothing declares it; decimals of df are rounded numbers too; p = .000 stands for p < .0005
and is no error; a p that its sentence, paragraph or document says to be corrected for several tests need only be what
such a correction gives; more forms are read.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from negstats.audit.context import Statement
from negstats.audit.finding import Reported
from negstats.audit.recomputing import NAMES, P_OF, SIGNED, SLACK, Range, agrees, both_tails, fitting_df, p_range, tails
from negstats.errors import DesignError
from negstats.printed import printed
from negstats.stats.results.apa import p_value

__all__ = ["FLAGGED", "Checked", "Rules", "Verdict", "check"]

MOST_TESTS = 20  # that p is held to be multiplied by

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
    "u": "p of a rank sum needs the group sizes and ties; it can be checked where z is printed beside it",
    "tau": "p of Kendall's τ needs n and ties; it can be checked where z is printed beside it",
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
    """

    reported: Reported
    p_low: float
    p_high: float
    verdict: Verdict
    why: str

    @property
    def flagged(self) -> bool:
        """Whether something is wrong."""
        return self.verdict in FLAGGED


def check(said: Reported, rules: Rules) -> Checked:
    """Recompute the p of a reported result and compare it with what is printed."""
    if said.kind == "p":
        return Checked(said, np.nan, np.nan, "not checkable", "no test statistic is printed beside it")
    if said.unread:
        why = f"p is printed as {said.unread!r}, which cannot be read; its exponent may have been lost"
        return Checked(said, np.nan, np.nan, "not checkable", why)
    said = _completed(said)
    # Without df, letters such as r = 5 may be no statistic at all: nothing is said of what cannot be.
    missing = _missing(said)
    if missing:
        return Checked(said, np.nan, np.nan, "not checkable", missing)
    fault = _impossible(said)
    if fault:
        return Checked(said, np.nan, np.nan, "impossible", fault)
    low, high = p_range(said)
    verdict, why = _judged(said, (low, high), rules)
    return Checked(said, low, high, verdict, why)


def _completed(said: Reported) -> Reported:
    """Return a correlation of n pairs with its n − 2 df; anything else as it is."""
    if said.kind in ("r", "rho") and not said.df and said.n is not None and said.n > 2:
        return dataclasses.replace(said, df=(printed(said.n - 2),))
    return said


def _impossible(said: Reported) -> str:
    """Return why a result cannot be, whatever the data; empty if it can."""
    value, name = float(said.statistic), NAMES[said.kind]
    if said.kind not in SIGNED and value < 0:
        return f"{name} is {said.statistic}, and it cannot be negative"
    if said.kind in ("r", "rho", "tau") and abs(value) > 1:
        return f"{name} is {said.statistic}, and a correlation is between −1 and 1"
    if any(df.value <= 0 for df in said.df):
        return f"df is {', '.join(map(str, said.df))}, and df are positive"
    if said.p is not None:
        p = float(said.p)
        if not 0 <= p <= 1:
            return f"p is printed as {said.p}, and p is between 0 and 1"
        if p == 0 and said.p_relation == "<":
            return "p is printed as below 0"
        if p == 1 and said.p_relation == ">":
            return "p is printed as above 1"
    return ""


def _missing(said: Reported) -> str:
    """Return what is missing to recompute p; empty if nothing is."""
    name = NAMES[said.kind]
    if said.kind not in P_OF:
        return UNCHECKED[said.kind]
    needed = P_OF[said.kind][0]
    if len(said.df) < needed:
        fits = fitting_df(said)
        return f"df of {name} is not printed{fits and f'; {fits} would agree with the printed p'}"
    return ""


def _judged(said: Reported, p: Range, rules: Rules) -> tuple[Verdict, str]:
    gives, prints = f"{_named(said)} gives {_shown(p)}", _printed_p(said)
    if rules.zero_is_error and said.p is not None and said.p_relation == "=" and not said.p.value:
        return "inconsistent", f"{gives}, and {prints} is printed: p is never 0"
    if agrees(said, p, rules.alpha):
        return "consistent", f"{gives}, and {prints} is printed"
    if said.corrected:
        at_least = said.p is not None and said.p_relation in ("=", ">", "≥") and said.p.high >= p[0] * (1 - SLACK)
        if at_least:
            return "consistent", f"{gives} before the correction, and {prints} is printed with it"
    elif not rules.two_tailed and any(agrees(said, tail, rules.alpha) for tail in tails(said, p)):
        return _of_one_tail(said, p, rules)
    elif said.correction is not None and (fit := _of_correction(said, p, said.correction)):
        return "consistent if corrected", f"{gives}, and {prints} fits {fit}: the text says “{said.correction.text}”"
    if any(agrees(said, both, rules.alpha) for both in both_tails(said, p)):
        return "consistent", f"{gives} with one tail, and {prints} is printed for two, as the sentence says"
    if said.kind == "rho":
        return "not checkable", f"{gives} by the t approximation, and {prints} may be exact"
    if resampled := RESAMPLED.search(said.sentence):
        return "not checkable", f"{gives}, and {prints} may be of the “{resampled[0]}” that its sentence speaks of"
    fits = fitting_df(said) if said.p_relation == "=" else ""
    why = f"{gives}, not {prints}{fits and f'; {fits} would give it'}"
    return ("decision error" if _crosses(said, p, rules) else "inconsistent"), why


def _of_one_tail(said: Reported, p: Range, rules: Rules) -> tuple[Verdict, str]:
    """Judge a p that agrees with one tail only: whether something declares it, and whether it changes the decision."""
    gives, prints = f"{_named(said)} gives {_shown(p)} with two tails", _printed_p(said)
    if said.one_sided:
        return "consistent", f"{gives}, and {prints} is printed for one, as the sentence says"
    if said.one_tail is not None:
        return "consistent", f"{gives}, and {prints} is printed for one: the text says “{said.one_tail.text}”"
    if rules.one_tailed:
        return "consistent", f"{gives}, and {prints} is printed for one, as all are taken to be"
    if _crosses(said, p, rules):
        return "decision error", f"{gives}; {prints} agrees with one tail only, which nothing in the text declares"
    return "consistent if one-tailed", f"{gives}; {prints} agrees with one tail only"


def _of_correction(said: Reported, p: Range, statement: Statement) -> str:
    """Return how a printed p is the recomputed one corrected, in words; empty if it is not.

    A correction makes no p smaller. Bonferroni's multiplies by a whole number, or ends at 1. Corrections are for
    comparisons: for a statistic of several df, its own sentence must name one, and a whole number must fit.
    """
    if said.p is None or said.p_relation not in ("=", ">", "≥") or said.p.high < p[0] * (1 - SLACK):
        return ""
    comparison = said.kind in ("t", "z", "r", "rho") or bool(said.df and float(said.df[0]) == 1)
    times = [k for k in range(2, MOST_TESTS + 1) if said.p.agrees(k * p[0], k * p[1])]
    if not comparison and not (times and (statement.text in said.sentence or said.sentence in statement.text)):
        return ""
    if said.p_relation == "=" and times:
        return f"a correction (× {times[0]})"
    exact = said.p_relation == "=" and not said.p.agrees(1.0)
    return "" if statement.integer and exact else "a correction"


def _crosses(said: Reported, p: Range, rules: Rules) -> bool:
    """Return whether the printed and the recomputed p lie on different sides of alpha."""
    alpha = rules.alpha
    at = alpha if said.p is None else float(said.p)
    below = at < alpha or (at == alpha and (rules.equal_is_significant or said.p_relation == "<"))
    significant = said.p is not None and said.p_relation in ("=", "<", "≤") and below
    not_significant = (
        said.p is None or (said.p_relation == "=" and not below) or (said.p_relation in (">", "≥") and at >= alpha)
    )
    return (significant and p[0] > alpha) or (not_significant and p[1] <= alpha)


def _named(said: Reported) -> str:
    df = ", ".join(str(value) for value in said.df[: P_OF[said.kind][0]])
    return f"{NAMES[said.kind]}{df and f'({df})'} {said.relation} {said.statistic}"


def _printed_p(said: Reported) -> str:
    if said.p is None:
        return "n.s."
    small = 0 < said.p.value < 0.00001
    return f"p {said.p_relation} {f'{float(said.p):.1e}' if small else str(said.p).removeprefix('0')}"


def _shown(p: Range) -> str:
    """Return a range of p as APA style prints it; small ones to two digits."""
    low, high = (p_value(end) if end >= 0.001 else f"p = {end:.1e}" for end in p)
    return low if low == high else f"{low} to {high.removeprefix('p = ')}"
