"""What a printed p may be of its test: the readings in order, each with the facts that license it and its verdict.

A reading says how a p comes of the statistic: as it is, of one tail, multiplied by a correction, corrected for
sphericity, exact, resampled. Of those that give the printed p the first decides; one that needs a fact of the paper (a
declared tail, a correction) holds only where the fact reaches the test. No reading is left where p is wrong.

A z of a peak in a map of the brain is printed beside the p of its cluster as often as beside its own; nothing tells
which. So p that is the peak's own, of one tail as such maps have, is consistent, and any other cannot be checked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from negstats.audit.context import MOST_NAMED, Statement, named_tests
from negstats.audit.corrections import PAIRS, Correction, is_of_every_test, near_factors
from negstats.audit.distributions import NAMES, P_OF, SIGNED
from negstats.audit.find_results import Reported
from negstats.audit.recomputing import SLACK, Range, agrees, both_tails, range_with, tails
from negstats.audit.words import words_of
from negstats.errors import DesignError
from negstats.stats.results.apa import p_value

NEAR_EXACT = 1.5
MOST_RANKED = 100  # values whose ranks programs compare exactly
NEAR_P = 3.0  # p of a permutation or an exact test is not further from that of the distribution
ENDS_AT_1 = 0.99  # "p > .999": a product that is cut at 1
MOST_COVARIATES = 12
EPSILONS = np.round(0.99 - 0.01 * np.arange(85), 2)  # the least that there is, 1 / df1, of an F of seven levels
WORDS = words_of("readings")
TESTS_NAMED = (
    (re.compile(r"ANOVA|F[- ]tests?"), ("f", "t")),
    (re.compile(r"t[- ]?tests?"), ("t",)),
    (re.compile(r"correlation|regression"), ("r", "rho", "t", "z", "f")),
)
ONE_TAIL_ONLY = "agrees with one tail only"
LEAST_P = 1e-300  # below it a p is printed as smaller

Verdict: TypeAlias = Literal[
    "consistent",
    "consistent if corrected",
    "consistent if one-tailed",
    "inconsistent",
    "decision error",
    "impossible",
    "not checkable",
]
Reading: TypeAlias = tuple[Verdict, str]  # a verdict, and what is said of p


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


def judge(result: Reported, p: Range, rules: Rules) -> tuple[Verdict, str, bool]:
    """Return the verdict on a printed p, why, and whether it agrees with one tail only that nothing declares."""
    claim = f"{test_text(result)} gives {range_text(p)}"
    for verdict, words in _readings(result, p, rules):
        return verdict, f"{claim}{words}", ONE_TAIL_ONLY in words
    more_text = ""
    if result.correction and result.p is not None and result.p_relation == "=" and float(result.p) > p[1]:
        # No number of tests explains it.
        more_text = near_factors(result.p, p, _of_statement(result, result.correction).ks)
    return _wrong(result, p, rules), f"{claim}, not {_p_text(result)}{more_text and f'; {more_text}'}", False


def _readings(result: Reported, p: Range, rules: Rules) -> Iterator[Reading]:
    """Yield the readings that hold, in order: the first decides, and the later ones take longer and are not tried."""
    printed_text, is_equal = _p_text(result), result.p_relation == "="
    if rules.zero_is_error and result.p is not None and is_equal and not result.p.value:
        yield "inconsistent", f", and {printed_text} is printed: p is never 0"
    if agrees(result, p, rules.alpha):
        yield "consistent", f", and {printed_text} is printed"
    wrong_verdict = _wrong(result, p, rules)
    if result.signless:
        yield "not checkable", f", and p {result.p} is printed without = or <, which may have been lost"
    if result.corrected and (factor := _own_factor(result, p)):
        yield "consistent", f" before the correction, and {printed_text} is printed with it ({factor})"
    # Of voxels, edges or genes there may be any number of tests, and the text need not say how many.
    elif result.corrected and is_equal and float(result.p or 0) > MOST_NAMED * p[1]:
        yield "not checkable", f", and {printed_text} is said to be corrected for many tests"
    fits_one_tail = not rules.two_tailed and any(agrees(result, tail, rules.alpha) for tail in tails(result, p))
    yield from _of_map(result, p, fits_one_tail=fits_one_tail)
    if (word := WORDS.fractional_df.search(result.sentence)) and _fits_rounded_df(result):
        yield "consistent", f", and {printed_text} is that of df that are rounded for print (“{word[0]}”)"
    if fits_one_tail and not result.corrected:
        yield from _of_declared_tail(result, rules, wrong_verdict)
    if (word := WORDS.imputed.search(result.sentence)) and _is_near(result, p):
        yield "not checkable", f", and {printed_text} may be averaged over several data sets (“{word[0]}”)"
    if fits_one_tail and not result.corrected:
        verdict: Verdict = "decision error" if wrong_verdict == "decision error" else "consistent if one-tailed"
        undeclared = ", which nothing in the text declares" if verdict == wrong_verdict else ""
        yield verdict, f" with two tails; {printed_text} {ONE_TAIL_ONLY}{undeclared}"
    if excuse := _excused(result, p, rules) or _spherical(result, wrong_verdict):
        yield "consistent if corrected", f", and {printed_text} {excuse}"
    if any(agrees(result, two_tails, rules.alpha) for two_tails in both_tails(result, p)):
        yield "consistent", f" with one tail, and {printed_text} is printed for two, as the sentence says"
    if other_text := _other_distribution(result, p, rules):
        yield "not checkable", f", and {printed_text} {other_text}"


def _of_map(result: Reported, p: Range, *, fits_one_tail: bool) -> Iterator[Reading]:
    in_note = WORDS.of_map.search(result.note) if result.corrected and result.p and result.p.high >= p[0] else None
    peak_words, printed_text = _peak_of(result) or (in_note[0] if in_note else ""), _p_text(result)
    words = peak_words or _region_of(result)
    if peak_words and fits_one_tail:
        yield "consistent", f" with two tails, and {printed_text} is one-tailed, as maps of the brain have (“{words}”)"
    elif words and not fits_one_tail:  # the mean of a region is tested as any other is
        yield "not checkable", f", and {printed_text} may be of a cluster, a volume or a threshold (“{words}”)"


def _of_declared_tail(result: Reported, rules: Rules, wrong: Verdict) -> Iterator[Reading]:
    one_tail, two_tails = result.fact("one tail"), result.fact("one tail", against=True)
    printed_text = _p_text(result)
    for condition, source in (
        (result.one_sided, ", as the sentence says"),
        (one_tail, f": the text says “{one_tail.text if one_tail else ''}”"),
        (rules.one_tailed, ", as all are taken to be"),
    ):
        if condition:
            yield "consistent", f" with two tails, and {printed_text} is printed for one{source}"
    if two_tails is not None:
        yield wrong, f" with two tails; {printed_text} is one-tailed, and the text says “{two_tails.text}”"


def _fits_rounded_df(result: Reported) -> bool:
    if not result.df or result.df[-1].decimals > 0 or len(result.df) != P_OF[result.kind][0]:
        return False
    df_ranges = [*((float(df), float(df)) for df in result.df[:-1]), (max(result.df[-1].low, 0.5), result.df[-1].high)]
    return agrees(result, range_with(result, df_ranges))


def _is_near(result: Reported, p: Range) -> bool:
    """Return whether a printed p may be that of another computation than the distribution's."""
    return result.p is not None and result.p_relation == "=" and p[0] / NEAR_P <= float(result.p) <= p[1] * NEAR_P


def _peak_of(result: Reported) -> str:
    """Return the words that make a statistic one of a peak, a cluster or their threshold; empty if there are none.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> text = "Images were thresholded at Z > 2.3 and a cluster significance of p = .05."
    >>> [_peak_of(result) for result in find(document(text))]
    ['threshold']
    """
    if result.kind not in ("z", "t", "f") or (result.kind == "z" and result.df):
        return ""
    sentence = WORDS.summary.sub("", result.sentence)
    strong, threshold = WORDS.strong.search(sentence), WORDS.threshold.search(sentence)
    word_match = threshold if threshold and (strong or result.kind == "z" or not result.df) else strong
    return " ".join(word_match[0].split()) if word_match else ""


def _region_of(result: Reported) -> str:
    """Return the region of a brain that a z is of; empty if there is none."""
    region = WORDS.region.search(result.sentence) if result.kind == "z" and not result.df else None
    return " ".join(region[0].split()) if region else ""


def _own_factor(result: Reported, p: Range) -> str:
    """Return what makes of the recomputed p the one that is said at p itself to be corrected; empty if nothing does."""
    correction = Correction(result.note, result, own=True)
    if result.p is None or result.p_relation in (">", "≥"):
        at = 0.05 if result.p is None else float(result.p)
        return next((f"× {k}" for k in correction.ks if k * p[1] >= at), "")
    factor = correction.factor(p) if result.p_relation == "=" else ""
    return "" if WORDS.of_map.search(result.note) and not factor.removeprefix("× ").isdigit() else factor


def _of_statement(result: Reported, statement: Statement, *, own: bool = False) -> Correction:
    return Correction(statement.text, result, own, statement.tests_elsewhere)


def _excused(result: Reported, p: Range, rules: Rules) -> str:
    """Return which correction that the text names makes the printed p of the recomputed one; empty if none does."""
    statement = result.correction
    comparison = result.kind in ("t", "z", "r", "rho") or bool(result.df and float(result.df[0]) == 1)
    if statement is None or not (
        comparison
        or statement.table is not None
        or statement.text in result.sentence
        or result.sentence in statement.text
        or is_of_every_test(statement.text)
    ):
        return ""
    # No text counts the family of a table.
    correction = _of_statement(result, statement, own=statement.table is not None)
    citation = f": the text says “{statement.text}”"
    if result.p is not None and result.p_relation == "=":
        is_product = correction.method in ("bonferroni", "stepwise", "sidak")  # of one tail as of two
        one_tail = is_product and (result.one_sided or result.fact("one tail") is not None)
        for p_range, tail_text in ((p, ""), *((tail, " of one tail") for tail in tails(result, p) if one_tail)):
            is_last = (
                bool(tail_text) and correction.method == "stepwise" and agrees(result, p_range)
            )  # the last step multiplies by 1
            if factor := correction.factor(p_range) or is_last * "× 1":
                return f"fits a correction ({factor}{tail_text}){citation}"
    elif result.p is None or result.p_relation in (">", "≥"):
        printed_p = rules.alpha if result.p is None else float(result.p)
        largest_k = PAIRS[-1] if printed_p >= ENDS_AT_1 else max(result.tests, *named_tests(statement.text), 3)
        k = next((k for k in sorted({*correction.ks, *PAIRS}) if k <= largest_k and k * p[1] >= printed_p), 0)
        if k:
            return f"fits a correction (× {k}){citation}"
        if printed_p >= ENDS_AT_1 and result.kind in SIGNED and float(result.statistic) < 0:
            return f"fits a correction of the tail away from the effect{citation}"
    return ""


def _spherical(result: Reported, wrong: Verdict) -> str:
    """Return which epsilon of a correction for sphericity gives the printed p, where the text has repeated measures.

    Such a correction multiplies both df. Often the p is printed with it and the df without it, or only one df with it.
    """
    if result.kind != "f" or result.p is None or result.p_relation != "=" or len(result.df) != 2:
        return ""
    df1, df2 = (float(df) for df in result.df)
    sphericity = result.fact("sphericity")
    mark = WORDS.spherical.search(f"{result.note} {result.sentence}")
    source = f": the sentence says “{mark[0].strip()}”" if mark else ""
    source = f": the text says “{sphericity.text}”" if sphericity is not None else source
    if result.df[0].decimals > 0 and result.df[1].decimals <= 0:
        # The first df are corrected, the second are not: ε is their share of whole df.
        for whole_df in range(math.ceil(df1), math.ceil(df1) + 4):
            df_range = result.df[0].low, result.df[0].high
            if agrees(
                result, range_with(result, (df_range, (df2 * df_range[0] / whole_df, df2 * df_range[1] / whole_df)))
            ):
                return (
                    f"fits with an error df of {df2 * df1 / whole_df:.1f}, corrected for sphericity "
                    f"as the first is{source}"
                )
    repeated_match = WORDS.repeated.search(result.sentence)
    if df1 < 2 or result.df[0].decimals > 0 or not (source or (repeated_match and wrong != "decision error")):
        return ""
    # Both df are whole: some ε between its bounds gives the printed p.
    if share := spherical(result):
        reason = source or f": the sentence says “{repeated_match[0] if repeated_match else ''}”"
        return f"fits a correction for sphericity (ε = {share:.2f}) whose df are printed without it{reason}"
    return ""


def spherical(result: Reported) -> float:
    """Return the epsilon that, multiplied to both df of an F, gives its printed p; 0 if none of at least .4 does."""
    if result.kind != "f" or len(result.df) != 2 or result.p is None or float(result.df[0]) <= 1:
        return 0.0  # one df has no sphericity
    df1, df2 = (float(df) for df in result.df)
    shares = EPSILONS[EPSILONS * df1 >= 1]
    lowest_p, highest_p = (
        P_OF["f"][1](bound, shares * df1, shares * df2) for bound in (result.statistic.high, result.statistic.low)
    )
    fits = (lowest_p * (1 - SLACK) <= result.p.high) & (highest_p * (1 + SLACK) >= result.p.low)
    return float(shares[fits.argmax()]) if fits.any() else 0.0


def _other_distribution(result: Reported, p: Range, rules: Rules) -> str:
    """Return why p may be of another distribution than the statistic's; empty if nothing says so."""
    is_near, note, sentence = _is_near(result, p), result.note, result.sentence
    resampling, ranks = result.fact("resampling"), result.fact("ranks")
    tail = (p[0] / 2, p[1] / 2) if result.one_sided else p
    is_exact = result.p is not None and result.p_relation == "=" and not _crosses(result, tail, rules)
    is_exact = is_exact and tail[0] / NEAR_EXACT <= float(result.p or 0) <= tail[1] * NEAR_EXACT
    of_counts = result.kind in ("chi2", "g2")
    of_ranks = result.kind == "z" and is_exact and _may_be_of_ranks(result, tail)
    is_named = resampling is not None and is_near and _is_named(result, resampling.text)
    rows: tuple[tuple[object, str], ...] = (
        (result.kind == "rho", "may be exact: that of the t is an approximation"),
        (WORDS.no_p.search(note), "is no p of a test (“{}”)"),
        (WORDS.resampled.search(sentence), "may be of the “{}” that its sentence speaks of"),
        (is_near and WORDS.resampled_p.search(note), "may be resampled (“{}”)"),
        (resampling.text if resampling and is_named else "", "may be resampled: the text says “{}”"),
        (of_ranks and WORDS.ranks.search(sentence), "may be exact, or corrected for continuity (“{}”)"),
        (of_ranks and ranks and ranks.text, "may be exact, or corrected for continuity: the text says “{}”"),
        (
            of_counts and is_exact and WORDS.fisher.search(sentence),
            "may be of the exact test that its sentence speaks of (“{}”)",
        ),
        (of_counts and is_near and WORDS.exact_p.search(note), "may be of an exact test (“{}”)"),
    )
    # The first reading with evidence in the text decides.
    evidence, words = next((row for row in rows if row[0]), (None, ""))
    if words:
        return words.format(evidence[0] if isinstance(evidence, re.Match) else evidence)
    if result.kind == "r" and result.n is not None and result.df and result.p is not None and result.p_relation == "=":
        # Each variable held constant takes one df of a correlation.
        word = WORDS.partial.search(result.sentence) or WORDS.partial.search(result.paragraph)
        for n_covariates in range(1, MOST_COVARIATES + 1) if word else ():
            df = float(result.n - 2 - n_covariates)
            if df > 0 and agrees(result, range_with(result, ((df, df),))):
                held_constant = f"{n_covariates} more variables held constant (“{word[0]}”)"  # type: ignore[index]
                return f"is that of {df:g} df, of a correlation with {held_constant}"
    return ""


def _may_be_of_ranks(result: Reported, p: Range) -> bool:
    """Return whether a printed p beside the z of ranks may be exact, or corrected for continuity; p is the normal's.

    Both are larger than the normal's, but that beyond z = √3 the exact p falls below it, the more the fewer values are
    ranked: the first terms of Edgeworth's series, where both of Wilcoxon's statistics of n values have a kurtosis of
    −3.6 / n and steps of half their probability. From MOST_RANKED values on programs do not compute it.
    """
    if result.p is None or result.p.high >= p[0]:
        return True
    z = abs(float(result.statistic))
    hazard = math.exp(-z * z / 2) * math.sqrt(2 / math.pi) / P_OF["z"][1](z)
    correction = 3.6 / MOST_RANKED / 24 * (z**3 - 3 * z) - math.sqrt(12) / MOST_RANKED**1.5
    return z * z > 3 and float(result.p) <= p[1] * (1 - hazard * max(correction, 0.0))


def _is_named(result: Reported, text: str) -> bool:
    """Return whether a statement on resampling names tests of the result's kind, or none in particular."""
    kinds_named = [named_kinds for pattern, named_kinds in TESTS_NAMED if pattern.search(text)]
    has_one_df = result.kind == "f" and bool(result.df) and float(result.df[0]) == 1
    return not kinds_named or any(
        result.kind in named_kinds or (has_one_df and "t" in named_kinds) for named_kinds in kinds_named
    )


def _wrong(result: Reported, p: Range, rules: Rules) -> Verdict:
    """Return the verdict on a p that is not the printed one: whether its decision is another."""
    return "decision error" if _crosses(result, p, rules) else "inconsistent"


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


def test_text(result: Reported) -> str:
    """Return a test as APA style prints it: F(1, 28) = 4.60."""
    df = ", ".join(str(value) for value in result.df[: P_OF[result.kind][0]])
    return f"{NAMES[result.kind]}{df and f'({df})'} {result.relation} {result.statistic}"


def _p_text(result: Reported) -> str:
    if result.p is None:
        return "n.s."
    is_small = 0 < result.p.value < 0.00001
    return f"p {result.p_relation} {f'{float(result.p):.1e}' if is_small else str(result.p).removeprefix('0')}"


def range_text(p: Range) -> str:
    """Return a range of p as APA style prints it; small ones to two digits, and never one as 0."""
    if p[0] < LEAST_P:
        return f"p < {max(p[1], LEAST_P):.1e}"
    low, high = (p_value(bound) if bound >= 0.001 else f"p = {bound:.1e}" for bound in p)
    return low if low == high else f"{low} {'or more' if high[2] == '>' else 'to ' + high.removeprefix('p = ')}"
