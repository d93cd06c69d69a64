"""One factor for several p: where a text speaks of a correction and does not say of how many tests.

A p of .042 from .0015 may be × 28, and that of one p alone says nothing. Where one whole number gives most p that are
larger than their tests', it is the number of tests; and so is a number of independent tests, for corrections by the
joint distribution of the tests (Tukey's, a multivariate t).
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence

from negstats.audit.check_p import FLAGGED, Checked
from negstats.audit.context import Statement
from negstats.audit.corrections import independent_tests, joint, ranked
from negstats.audit.readings import REPEATED, spherical

MOST = 105  # pairs of fifteen groups
LEAST = 2  # p that must share a factor
LEAST_SHARE = 1.06
MANY = 3  # F whose p are corrected for sphericity
NEARLY = 0.8  # of the F of several df that do not fit
SHARE = 0.6  # of the larger p of a statement
CORRECTED = "consistent if corrected"
MOST_HALVES = 31  # tests of one tail
MANY_RANKS = 4  # p that a false discovery rate explains together
LARGE = 0.85  # tests that are not independent leave a p above it where it is


def common_factors(results: Sequence[Checked]) -> list[Checked]:
    """Return results, those whose p are the same number of times what the tests give marked as corrected.

    Examples
    --------
    >>> from negstats.audit import audit_text
    >>> text = "After Bonferroni correction they were lower, t(106) = 3.26, p = .042, and t(103) = 3.70, p = .010."
    >>> [result.verdict for result in audit_text(text).results]
    ['consistent if corrected', 'consistent if corrected']
    """
    judged_results = list(results)
    groups: defaultdict[Statement, list[int]] = defaultdict(list)
    for place, result in enumerate(results):
        report = result.reported
        if report.correction is not None and (result.verdict in FLAGGED or result.verdict == CORRECTED):
            groups[report.correction].append(place)
    for statement, places in groups.items():
        larger = [place for place in places if _is_larger(results[place])]
        if len(larger) < LEAST:
            continue
        members = [results[place] for place in larger]
        text, fits = _find_whole_number(members)
        if not text and ranked(statement.text):
            text, fits = _find_ranks(members, [one for one in results if one.reported.correction == statement])
        if not text and joint(statement.text):
            text, fits = _find_independent(members)
        for place, fit in zip(larger, fits, strict=True):
            if fit and results[place].verdict in FLAGGED:
                judged_results[place] = _excused(results[place], statement, text)
    return _find_sphericity(judged_results)


def _find_sphericity(results: list[Checked]) -> list[Checked]:
    """Return results, F whose p are all corrected for sphericity, without the df being so, marked as corrected."""
    places = [
        place
        for place, result in enumerate(results)
        if result.verdict in (*FLAGGED, CORRECTED) and result.reported.kind == "f" and result.reported.p_relation == "="
        if len(result.reported.df) == 2 and float(result.reported.df[0]) >= 2
    ]
    # What takes long, the epsilon of each, is looked for only where it may count.
    if len(places) < MANY or not any(REPEATED.search(text) for text in {one.reported.paragraph for one in results}):
        return results
    wrong = [(place, spherical(results[place].reported)) for place in places]
    # The least epsilon, 1 / df1, gives the p of F(1, ...), and so does a wrong df.
    fits = [(place, share) for place, share in wrong if share * float(results[place].reported.df[0]) > LEAST_SHARE]
    if len(fits) < MANY or len(fits) < NEARLY * len(wrong):
        return results
    for place, share in fits:
        if results[place].verdict == CORRECTED:
            continue
        claim = results[place].why.partition(", not ")[0]
        why = (
            f"{claim}, and p = {results[place].reported.p} fits a correction for sphericity (ε = {share:.2f}) whose "
            f"df are printed without it, as {len(fits)} F of the text do"
        )
        results[place] = dataclasses.replace(results[place], verdict="consistent if corrected", why=why)
    return results


def _is_larger(result: Checked) -> bool:
    """Return whether a printed p is larger than its test's, or says that there is nothing where the test has it."""
    report = result.reported
    return report.p is None or (report.p_relation in ("=", ">", "≥") and report.p.high > result.p_low)


def _times(result: Checked, k: float) -> bool:
    """Return whether k times the recomputed p, or 1, is what is printed."""
    report = result.reported
    low, high = min(k * result.p_low, 1.0), min(k * result.p_high, 1.0)
    if report.p is None:
        return high > 0.05
    return report.p.agrees(low, high) if report.p_relation == "=" else high >= float(report.p)


def _find_whole_number(results: Sequence[Checked]) -> tuple[str, list[bool]]:
    """Return the whole number that makes most printed p of the recomputed ones, in words, and which it makes."""
    exact = [one for one in results if one.reported.p_relation == "=" and one.p_high < 0.5]
    counts = {k: sum(_times(one, k) for one in exact) for k in range(2, MOST + 1)}
    best = max(counts.values(), default=0)
    if best < LEAST or best < SHARE * len(exact):
        return _find_one_tail(results, exact)
    k = next(k for k, count in counts.items() if count == best)
    return f"× {k}, as {best} p of the text", [_times(one, k) for one in results]


def _find_one_tail(results: Sequence[Checked], exact: Sequence[Checked]) -> tuple[str, list[bool]]:
    """Return the odd number of halves that makes most printed p, in words, and which: p of one tail, multiplied.

    The tail away from the effect has a p near 1, whatever multiplies it.
    """
    counts = {k: sum(_times(one, k / 2) for one in exact) for k in range(3, MOST_HALVES, 2)}
    k, best = max(counts.items(), key=lambda count: count[1])
    if best <= LEAST or best < SHARE * len(exact):
        return "", [False] * len(results)
    ends = [one.reported.p is not None and float(one.reported.p) >= 0.99 for one in results]
    fits = [end or _times(one, k / 2) for one, end in zip(results, ends, strict=True)]
    return f"× {k} of one tail, as {best} p of the text", fits


def _find_ranks(results: Sequence[Checked], of_all: Sequence[Checked]) -> tuple[str, list[bool]]:
    """Return how many p false discovery rates would explain, in words, and which of them.

    A p is then tests / rank times its own, or that of a larger one; which tests are of one family no text says. So it
    counts only if all p that do not fit are larger, by no more than there are tests, and in the order of the tests.
    """
    members = {id(one) for one in results}
    smaller = any(one.verdict in FLAGGED and id(one) not in members for one in of_all)
    larger = [one for one in results if one.reported.p is not None and one.reported.p_relation == "="]
    larger = [one for one in larger if one.p_high > 0]
    tests = sum(one.reported.kind != "p" for one in of_all)
    ratios = [float(one.reported.p) / ((one.p_low + one.p_high) / 2) for one in larger if one.reported.p is not None]
    if smaller or len(larger) < MANY_RANKS or max(ratios) > tests:
        return "", [False] * len(results)
    pairs = [
        (second.p_low - first.p_high) * (float(second.reported.p or 0) - float(first.reported.p or 0))
        for place, first in enumerate(larger)
        for second in larger[place + 1 :]
        if second.p_low > first.p_high or second.p_high < first.p_low
    ]
    if sum(pair >= 0 for pair in pairs) < NEARLY * len(pairs):
        return "", [False] * len(results)
    text = f"× {min(ratios):.2g} to {max(ratios):.2g}, as tests / rank of {tests} tests may"
    return text, [one.reported.p is not None and one.reported.p_relation == "=" for one in results]


def _find_independent(results: Sequence[Checked]) -> tuple[str, list[bool]]:
    """Return of how many independent tests the printed p would be, in words, and which of them."""
    exact = [one for one in results if one.reported.p_relation == "=" and float(one.reported.p or 1) < LARGE]
    ranges = [independent_tests(one.reported.p, (one.p_low, one.p_high)) for one in exact if one.reported.p is not None]
    if len(ranges) <= LEAST:
        return "", [False] * len(results)
    ends = sorted(end for pair in ranges for end in pair)
    counts = {end: sum(0.8 * low <= end <= 1.25 * high for low, high in ranges) for end in ends if 1.2 < end <= MOST}
    best = max(counts.values(), default=0)
    if best <= LEAST or best < SHARE * len(ranges):
        return "", [False] * len(results)
    common_counts = [end for end, count in counts.items() if count == best]
    k = common_counts[len(common_counts) // 2]
    return f"as of {k:.2g} independent tests, which {best} p of the text share", [_is_joint(one, k) for one in results]


def _is_joint(result: Checked, k: float) -> bool:
    report = result.reported
    if report.p is None or report.p_relation != "=":
        return True
    low, high = independent_tests(report.p, (result.p_low, result.p_high))
    return 0.8 * low <= k <= 1.25 * high or (report.p.high > LARGE and low <= k)


def _excused(result: Checked, statement: Statement, text: str) -> Checked:
    claim = result.why.partition(", not ")[0].partition(";")[0]
    p_text = "n.s." if result.reported.p is None else f"p {result.reported.p_relation} {result.reported.p}"
    why = f"{claim}, and {p_text} fits a correction ({text}): the text says “{statement.text}”"
    return dataclasses.replace(result, verdict="consistent if corrected", why=why)
