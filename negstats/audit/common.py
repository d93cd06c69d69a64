"""What several tests of a text say of each other: readings of p that one test alone does not show.

A p of .042 from .0015 may be × 28, and that of one p alone says nothing. Where one whole number gives most p that are
larger than their tests', it is the number of tests; and so is a number of independent tests, for corrections by the
joint distribution of the tests (Tukey's, a multivariate t). Where most F of a text have the p of df that are corrected
for sphericity, or most r the p of n − 2 df for the n in their brackets, the text prints them so.

And of p that agree with one tail only a paper is asked once, in place of a flag at each. Where the text declares one
tail for some tests, or hypotheses with a direction, the question is a note; where it declares nothing, the first such p
is flagged (the first whose decision it changes) and names the others. What is asked is a record of its own: the verdict
of each result stays what its numbers and the facts that reach it say.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from negstats.audit.beyond_p.judgement import Judgement
from negstats.audit.check_p import FLAGGED, Checked
from negstats.audit.context import Statement
from negstats.audit.corrections import WORDS as OF_CORRECTIONS
from negstats.audit.corrections import independent_tests, method_of
from negstats.audit.readings import WORDS as OF_READINGS
from negstats.audit.readings import Verdict, spherical, test_text
from negstats.audit.recomputing import agrees, range_with

MOST = 105  # pairs of fifteen groups
LEAST = 2  # p that must share a factor
LEAST_SHARE = 1.06
MANY = 3  # F whose p are corrected for sphericity; p of one tail that are one question, not an error each
SHOWN = 8  # p that a question names
NEARLY = 0.8  # of the F of several df that do not fit
SHARE = 0.6  # of the larger p of a statement; of the r of a text that do not fit their df
JOINT = ("tukey", "joint", "scheffe", "")  # methods by the joint distribution of the tests; or none is named
CORRECTED: Verdict = "consistent if corrected"
MOST_HALVES = 31  # tests of one tail
MANY_RANKS = 4  # p that a false discovery rate explains together
LARGE = 0.85  # tests that are not independent leave a p above it where it is
Shared = tuple[str, Sequence[bool]]  # what tests share, in words (none: nothing), and which of them do


def common_readings(results: Sequence[Checked]) -> list[Checked]:
    """Return results, those whose p are of the same correction, of corrected df or of pairs marked as such.

    Examples
    --------
    >>> from negstats.audit import audit_text
    >>> text = "After Bonferroni correction they were lower, t(106) = 3.26, p = .042, and t(103) = 3.70, p = .010."
    >>> [result.verdict for result in audit_text(text).results]
    ['consistent if corrected', 'consistent if corrected']
    >>> text = "Fun did not predict it, r(21) = -.240, p = .295, nor did reward, r(25) = .170, p = .417."
    >>> [result.verdict for result in audit_text(text).results]
    ['consistent', 'consistent']
    """
    judged_results = list(results)
    groups: defaultdict[Statement, list[int]] = defaultdict(list)
    for index, result in enumerate(results):
        if result.reported.correction is not None and result.verdict in (*FLAGGED, CORRECTED) and _is_larger(result):
            groups[result.reported.correction].append(index)
    # One factor for all p that a statement calls corrected says more than one for each.
    for statement, indices in groups.items():
        if len(indices) < LEAST:
            continue
        text, fits = _find_correction([results[index] for index in indices], statement, results)
        for index, is_fitting in zip(indices, fits, strict=False):
            if is_fitting and results[index].verdict in FLAGGED:
                judged_results[index] = _excuse(results[index], statement, text)
    for index, marked in _find_ties(judged_results):
        judged_results[index] = marked
    for index, marked in (*_find_sphericity(judged_results), *_find_pairs(judged_results)):
        judged_results[index] = marked
    return judged_results


def _find_correction(members: Sequence[Checked], statement: Statement, results: Sequence[Checked]) -> Shared:
    """Return which correction a statement's p share: the first of an ordered table that enough of them show."""
    equal = [member for member in members if member.reported.p is not None and member.reported.p_relation == "="]
    exact = [checked for checked in equal if checked.p_high < 0.5]
    small = [checked for checked in equal if float(checked.reported.p or 1) < LARGE]
    tests = (
        sorted({bound for checked in small for bound in _tests_of(checked)})
        if method_of(statement.text) in JOINT
        else []
    )
    tests = [k for k in tests if 1.2 < k <= MOST]
    halves = [k / 2 for k in range(3, MOST_HALVES, 2)]
    is_ranked = OF_CORRECTIONS.group("methods")["ranked"].search(statement.text) is not None
    of_ranks = [result for result in results if is_ranked and result.reported.correction == statement]
    # From the plainest to the rarest: a whole factor, one of one tail, ranks, independent tests.
    shared = _find_factor(members, exact, range(2, MOST + 1), LEAST, _is_times, "× {k}, as {count} p of the text")
    shared = shared or _find_factor(
        members, exact, halves, LEAST + 1, _is_times_one_tail, "× {twice} of one tail, as {count} p of the text"
    )
    shared = shared or (_find_ranks(members, of_ranks) if of_ranks else None)
    words = "as of {k:.2g} independent tests, which {count} p of the text share"
    return shared or _find_factor(members, small, tests, LEAST + 1, _is_joint, words) or ("", ())


def _find_factor(
    members: Sequence[Checked],
    telling: Sequence[Checked],
    factors: Iterable[float],
    minimum: int,
    fits: Callable[[Checked, float], bool],
    words: str,
) -> Shared | None:
    """Return the factor that makes most telling p of the recomputed ones, in words, and which p it makes."""
    counts = {k: sum(fits(checked, k) for checked in telling) for k in factors}
    largest_count = max(counts.values(), default=0)
    if largest_count < max(minimum, SHARE * len(telling)):
        return None
    common = [k for k, count in counts.items() if count == largest_count]
    k = common[len(common) // 2 if fits is _is_joint else 0]
    return words.format(k=k, twice=round(2 * k), count=largest_count), [fits(member, k) for member in members]


def _is_larger(result: Checked) -> bool:
    """Return whether a printed p is larger than its test's, or says that there is nothing where the test has it."""
    report = result.reported
    return report.p is None or (report.p_relation in ("=", ">", "≥") and report.p.high > result.p_low)


def _is_times(result: Checked, k: float) -> bool:
    """Return whether k times the recomputed p, or 1, is what is printed."""
    report = result.reported
    low, high = min(k * result.p_low, 1.0), min(k * result.p_high, 1.0)
    if report.p is None:
        return high > 0.05
    return report.p.agrees(low, high) if report.p_relation == "=" else high >= float(report.p)


def _is_times_one_tail(result: Checked, k: float) -> bool:
    """Return whether p is k times that of two tails, or that of the tail away from the effect, which is near 1."""
    p = result.reported.p
    return (p is not None and float(p) >= 0.99) or _is_times(result, k)


def _find_ranks(results: Sequence[Checked], of_all: Sequence[Checked]) -> Shared | None:
    """Return how many p false discovery rates would explain, in words, and which of them.

    A p is then tests / rank times its own, or that of a larger one; which tests are of one family no text says. So it
    counts only if all p that do not fit are larger, by no more than there are tests, and in the order of the tests.
    """
    are_equal = [result.reported.p is not None and result.reported.p_relation == "=" for result in results]
    larger = [
        (float(result.reported.p or 0), result.p_low, result.p_high)
        for result, is_equal in zip(results, are_equal, strict=True)
        if is_equal and result.p_high > 0
    ]
    members = {id(result) for result in results}
    # A correction makes no p smaller, and its factor is at most the number of tests.
    has_smaller = any(checked.verdict in FLAGGED and id(checked) not in members for checked in of_all)
    tests = sum(checked.reported.kind != "p" for checked in of_all)
    ratios = [2 * p / (low + high) for p, low, high in larger]
    if has_smaller or len(larger) < MANY_RANKS or max(ratios) > tests:
        return None
    # Corrected p keep the order of the uncorrected ones, where rounding leaves that known.
    in_order = [
        (later[1] - earlier[2]) * (later[0] - earlier[0]) >= 0
        for index, earlier in enumerate(larger)
        for later in larger[index + 1 :]
        if later[1] > earlier[2] or later[2] < earlier[1]
    ]
    if sum(in_order) < NEARLY * len(in_order):
        return None
    return f"× {min(ratios):.2g} to {max(ratios):.2g}, as tests / rank of {tests} tests may", are_equal


def _find_ties(results: Sequence[Checked]) -> Iterator[tuple[int, Checked]]:
    """Yield tests whose p is that of the test before them in a procedure by steps, with their places.

    No corrected p is below that of a test with a smaller p (Holm, Hochberg), or above that of one with a larger p
    (Benjamini and Hochberg): where a step would change the order, two tests have the same.
    """
    for index, result in enumerate(results):
        report, statement = result.reported, result.reported.correction
        if result.verdict not in FLAGGED or statement is None or not _is_larger(result):
            continue
        method = method_of(statement.text)
        for other in results if method in ("stepwise", "ranked") else ():
            is_before = other.p_high < result.p_low if method == "stepwise" else other.p_low > result.p_high
            same_p = (other.reported.p, other.reported.p_relation) == (report.p, "=")
            if is_before and same_p and other.verdict == CORRECTED and other.reported.correction == statement:
                yield index, _excuse(result, statement, f"the same p as {test_text(other.reported)}")
                break


def _tests_of(result: Checked) -> tuple[float, float]:
    """Return of how many independent tests a printed p would be."""
    p = result.reported.p
    return independent_tests(p, (result.p_low, result.p_high)) if p is not None else (0.0, 0.0)


def _is_joint(result: Checked, k: float) -> bool:
    """Return whether a printed p may be that of k independent tests."""
    report = result.reported
    if report.p is None or report.p_relation != "=":
        return True
    low, high = _tests_of(result)
    return 0.8 * low <= k <= 1.25 * high or (report.p.high > LARGE and low <= k)


def _find_sphericity(results: Sequence[Checked]) -> list[tuple[int, Checked]]:
    """Return F whose p are all corrected for sphericity, without the df being so, with their places."""
    indices = [
        index
        for index, result in enumerate(results)
        if result.verdict in (*FLAGGED, CORRECTED) and result.reported.kind == "f" and result.reported.p_relation == "="
        if len(result.reported.df) == 2 and float(result.reported.df[0]) >= 2
    ]
    # What takes long, the epsilon of each, is looked for only where it may count.
    if len(indices) < MANY or not any(
        OF_READINGS.repeated.search(text) for text in {checked.reported.paragraph for checked in results}
    ):
        return []
    shares = {index: spherical(results[index].reported) for index in indices}
    # The least epsilon, 1 / df1, gives the p of F(1, ...), and so does a wrong df.
    fitting = [index for index in indices if shares[index] * float(results[index].reported.df[0]) > LEAST_SHARE]
    if len(fitting) < max(MANY, NEARLY * len(indices)):
        return []
    words = f"df are printed without it, as {len(fitting)} F of the text do"
    return [
        (
            index,
            _mark(results[index], CORRECTED, f"a correction for sphericity (ε = {shares[index]:.2f}) whose {words}"),
        )
        for index in fitting
        if results[index].verdict != CORRECTED
    ]


def _mark(result: Checked, verdict: Verdict, words: str) -> Checked:
    claim = result.why.partition(", not ")[0].partition(";")[0]
    p_text = "n.s." if result.reported.p is None else f"p {result.reported.p_relation} {result.reported.p}"
    return dataclasses.replace(result, verdict=verdict, why=f"{claim}, and {p_text} fits {words}")


def _excuse(result: Checked, statement: Statement, text: str) -> Checked:
    return _mark(result, CORRECTED, f"a correction ({text}): the text says “{statement.text}”")


def _find_pairs(results: Sequence[Checked]) -> list[tuple[int, Checked]]:
    """Return r whose brackets hold how many pairs there are, not their df, with their places: r(17) of seventeen.

    One such r is an error of its df. Where the p of most r of a text that do not fit are those of n − 2 df, and more r
    say so than say that the brackets hold df, the text prints n there, and its p are right.
    """
    correlations = [(index, result) for index, result in enumerate(results) if _has_whole_df(result)]
    flagged = [(index, checked) for index, checked in correlations if checked.verdict in FLAGGED]
    of_pairs = [(index, checked) for index, checked in flagged if _fits_pairs(checked)]
    of_df = sum(checked.verdict == "consistent" and not _fits_pairs(checked) for _, checked in correlations)
    n_different = len({(str(checked.reported.value), checked.reported.df) for _, checked in of_pairs})
    if n_different < LEAST or len(of_pairs) < SHARE * len(flagged) or of_df >= n_different:
        return []
    words = f"df: the brackets of r hold how many pairs there are, as {n_different} r of the text show"
    return [
        (index, dataclasses.replace(checked, verdict="consistent", why=f"p = {report.p} is that of {df - 2:g} {words}"))
        for index, checked in of_pairs
        for report, df in [(checked.reported, float(checked.reported.df[0]))]
    ]


def _has_whole_df(result: Checked) -> bool:
    report = result.reported
    is_correlation = report.kind in ("r", "rho") and report.p_relation == "=" and len(report.df) == 1
    return is_correlation and report.df[0].decimals <= 0 and float(report.df[0]) > 2


def _fits_pairs(result: Checked) -> bool:
    """Return whether the printed p is that of two df fewer than are printed."""
    df = float(result.reported.df[0]) - 2
    return agrees(result.reported, range_with(result.reported, ((df, df),)))


def ask_once(
    results: Sequence[Checked], declared: Statement | None
) -> tuple[tuple[Checked, ...], tuple[Judgement, ...]]:
    """Return results whose p of one tail are asked about once, and the question where the text declares something.

    Parameters
    ----------
    results
        The results of a text, each checked.
    declared
        What the text says of one-tailed tests or of hypotheses with a direction; None if it says nothing.
    """
    indices = [index for index, result in enumerate(results) if result.one_tail_alone]
    if not indices or (declared is None and len(indices) < MANY):
        return tuple(results), ()
    crossing = [index for index in indices if results[index].verdict == "decision error"]
    first_result = results[(crossing or indices)[0]]
    raws = [results[index].reported.raw for index in indices]
    examples = "; ".join(raws[:SHOWN]) + (f"; and {len(raws) - SHOWN} more" if len(raws) > SHOWN else "")
    judged_results = list(results)
    question: tuple[Judgement, ...] = ()
    for index in indices:
        judged_results[index] = dataclasses.replace(results[index], asked=True)
    if declared is None:
        reason = (
            f"{first_result.why}; {len(indices)} p of this text do ({examples}): "
            "are these tests one-tailed? Nothing in the text declares it"
        )
        judged_results[(crossing or indices)[0]] = dataclasses.replace(first_result, why=reason)
    else:
        report = first_result.reported
        count = f"{len(indices)} p agree" if len(indices) > 1 else "one p agrees"
        reason = (
            f"{count} with one tail only ({examples}), and the text says “{declared.text}”; it would have to say that "
            "these tests are one-tailed"
        )
        question = (Judgement("fits only if", "p and one tail", reason, report.raw, report.sentence, report.place),)
        for index in crossing:  # what the text declares of its tests is a fact for one tail, if a weak one
            judged_results[index] = dataclasses.replace(judged_results[index], verdict="consistent if one-tailed")
    return tuple(judged_results), question
