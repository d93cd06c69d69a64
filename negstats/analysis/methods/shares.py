"""Tests of yes and no, of kinds without an order, and of tables of several ways (rows 26 to 32 and 47)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, quantity
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.likelihood import fit_logistic
from negstats.analysis.methods.linked import model_rows
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import holm, pair_records
from negstats.analysis.methods.terms import terms_of
from negstats.errors import NotEstimable
from negstats.stats.effects.counts import odds_ratio
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import Alternative
from negstats.stats.summaries import Counts

LARGEST_FISHER = 10_000  # units of a 2 × 2 table whose exact test stands beside; of more χ² says the same
LARGEST_EXACT = 2000  # units of a table larger than 2 × 2 whose exact p is enumerated; of more it is drawn


def _select_named(counts: Counts, name: str) -> Counts:
    last = counts.factors[-1]
    return Counts(counts.n, (*counts.factors[:-1], replace(last, name=name)), counts.missing)


def counted(case: TestInput) -> Counts:
    """Return the table with the outcome's dimension under the measure's name."""
    counts = _select_named(case.counts(), case.question.measure)
    of_answers = () if case.question.equivalent is None else (counts.factors[-1],)  # shares of 0 and 1 can be alike
    for place, factor in enumerate(counts.factors):
        if factor in of_answers:
            continue
        axes = tuple(axis for axis in range(counts.n.ndim) if axis != place)
        empty = counts.n.sum(axis=axes) == 0
        if empty.any():
            level = factor.levels[int(empty.argmax())]
            raise NotEstimable(f"no unit has {factor.name} = {level!r}, so that nothing can be compared")
    return counts


def share(case: TestInput) -> TestRecord:
    """One share with Wilson's interval, and the exact test of a stated one (row 26)."""
    counts = case.value_counts(())
    yes, n = int(counts.values @ counts.n), int(counts.n.sum())
    proportion = stats.proportion(yes, n)
    size = quantity("share", proportion.estimate, proportion.confidence_interval(case.level))
    null_share = case.question.against
    if null_share is None:
        none = dict.fromkeys(("statistic", "p", "effect"), "nothing is tested; give against")
        text = f"{yes} of {n}, {shown_share(size)}"
        return TestRecord(
            proportion, "share", "z", math.nan, math.nan, n=(float(n),), estimate=size, text=text, why=none
        )
    if not 0 <= null_share <= 1:
        raise NotEstimable(f"against is {null_share:g}; a share lies between 0 and 1")
    test = proportion.test(null_share, alternative=case.alternative)
    p = float(np.asarray(test.p))
    way = "above" if yes > null_share * n else "below"
    return TestRecord.exact(
        test, "binomial", n, f"{yes} of {n}, {apa.p_value(p)}{case.side_note}, {shown_share(size)}",
        alternative=case.alternative, estimate=size, why={"effect": "the share itself is the effect"},
        says=f"the share is {apa.number(abs(float(np.asarray(proportion.estimate)) - null_share), 3)} {way} "
             f"{null_share:g}",
    )  # fmt: skip


def shown_share(size: Quantity) -> str:
    """Return a share or a difference of shares with its interval, as it is printed."""
    ends = f"{100 * size.confidence_level:g}% CI [{apa.bounded(size.low)}, {apa.bounded(size.high)}]"
    return f"{size.name.replace('_', ' ')} = {apa.bounded(size.value)}, {ends}"


def _difference(case: TestInput, counts: Counts) -> tuple[Quantity, str]:
    """Return the difference of two shares with Newcombe's interval, and which way it lies."""
    size = risk_difference(counts.n, case.level)
    first, second = case.levels
    way = "more" if size.value > 0 else "less"
    return size, f"{first} has {apa.number(100 * abs(size.value), 1)} percentage points {way} than {second}"


def risk_difference(n: npt.NDArray[np.float64], confidence_level: float) -> Quantity:
    """Return the share of the first column in the first of two rows minus that in the second."""
    difference = stats.proportion_difference(n[:, 0], n.sum(axis=1))
    return quantity("risk_difference", difference.difference, difference.confidence_interval(confidence_level))


def two_groups(case: TestInput) -> TestRecord:
    """Return Pearson's χ² of two shares (row 27)."""
    counts = counted(case)
    test = stats.chi_squared(counts)
    size, description = _difference(case, counts)
    p = float(np.asarray(test.p))
    z = math.copysign(math.sqrt(float(np.asarray(test.statistic))), size.value)
    ratio = case.effect(lambda: ratio_of_odds(counts), "odds ratio")
    answer = replace(
        chi2(test, "chi_squared"),
        p=case.p_on_side(z, math.inf, p),
        alternative=case.alternative,
        estimate=size,
        effect=ratio,
        says=description,
    )
    return replace(answer, text=f"{replace(answer, effect=None, estimate=None).apa()}, {shown_share(size)}")


def ratio_of_odds(counts: Counts) -> stats.Effect:
    """Return the odds ratio of a 2 × 2 table; NotEstimable where a cell is empty."""
    if (counts.n == 0).any():
        raise NotEstimable("one cell of the table is 0, so that the odds ratio has no finite estimate with an interval")
    return odds_ratio(counts)


def fisher_beside(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return Fisher's exact test of a table that is not large."""
    counts = counted(case)
    return [] if counts.n.sum() > LARGEST_FISHER else [_exact(case, counts).beside("exact")]


def chi_squared(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Pearson's χ² of the table."""
    return chi2(stats.chi_squared(counted(case)), "chi_squared").beside("chi2")


def chi2(test: stats.ChiSquared, method: str) -> TestRecord:
    """Return a test of independence."""
    kind = "g2" if test.method == "likelihood-ratio" else "chi2"
    return TestRecord.of(test, method, kind, n=(float(np.asarray(test.n)),))


def _exact(case: TestInput, counts: Counts) -> TestRecord:
    test = stats.fisher(counts, alternative=case.alternative)
    ends = case.optional("interval", "interval of the odds ratio",
                         lambda: stats.fisher(counts).confidence_interval(case.level), None)  # fmt: skip
    ratio = quantity("odds_ratio", test.odds_ratio, ends)
    n = float(np.asarray(test.n))
    text = f"{apa.p_value(test.p)}{case.side_note}, Fisher's exact test (N = {n:.0f})"
    return TestRecord.exact(test, "fisher", n, text, alternative=case.alternative, effect=ratio)


def fisher(case: TestInput) -> TestRecord:
    """Return Fisher's exact test of two shares (row 28)."""
    counts = counted(case)
    size, description = _difference(case, counts)
    answer = _exact(case, counts)
    return replace(answer, estimate=size, says=description, text=f"{answer.text}, {shown_share(size)}")


def fisher_mid_p(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Fisher's test with the mid-p."""
    counts = counted(case)
    test = stats.fisher(counts, alternative=case.alternative, method="mid-p")
    text = f"{apa.p_value(test.p)}, mid-p"
    record = TestRecord.exact(test, "fisher_mid_p", counts.n.sum(), text, alternative=case.alternative)
    return record.beside("midp")


def several(case: TestInput) -> TestRecord:
    """Return χ² of several shares or of kinds (rows 29 and 47)."""
    test = stats.chi_squared(counted(case))
    return replace(chi2(test, "chi_squared"), effect=case.effect(test.effect_size, "V"))


def row_pairs_and_residuals(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return each two of several groups, and how far each group lies from what is expected; Holm."""
    if len(case.levels) < 3:
        return []
    pairs = case.optional("follow-up", "comparisons of two groups", lambda: _row_pairs(counted(case), case.level), [])
    return [*pairs, *_residuals(records[0].result, first_column=True)]


def residuals(_case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return how far each count lies from what is expected; Holm."""
    return _residuals(records[0].result)


def likelihood_ratio(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return G² of the table."""
    return chi2(stats.chi_squared(counted(case), statistic="likelihood-ratio"), "chi_squared").beside("g2")


def exact_table(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the exact p of the table, drawn where it is large, where an expected count is below 5."""
    counts = counted(case)
    if float(np.asarray(stats.chi_squared(counts).smallest_expected)) >= 5:
        return []
    large = counts.n.sum() > LARGEST_EXACT or counts.n.size > 12
    drawn = case.plan.resamples
    test = stats.fisher(counts, rng=case.rng(), n_resamples=drawn) if large else stats.fisher(counts)
    text = f"{test.apa()}, {drawn:,} tables drawn" if large else test.apa()
    return [TestRecord.exact(test, "fisher_drawn" if large else "fisher", counts.n.sum(), text).beside("exact")]


def _row_pairs(counts: Counts, confidence_level: float) -> list[TestRecord]:
    """Return χ² of each two groups, with the difference of their shares where the outcome is yes or no."""
    test = stats.compare_rows(counts, adjust="holm")
    rows = itertools.combinations(counts.n, 2)  # in the order of the tests
    sizes = [risk_difference(np.stack(pair), confidence_level) if len(pair[0]) == 2 else None for pair in rows]
    records = pair_records(test, "chi_squared")
    return [
        replace(record, n=(float(n),), estimate=size) for record, n, size in zip(records, test.n, sizes, strict=True)
    ]


def _residuals(test: stats.ChiSquared, *, first_column: bool = False) -> list[TestRecord]:
    frame = test.residuals()
    rows, columns = (factor.name for factor in test.observed.factors)
    residual_rows = frame[frame[columns] == frame[columns].iloc[0]] if first_column else frame
    return [
        TestRecord(test, "adjusted_residual", "z", float(row["adjusted"]), float(row["p"]), n=(float(row["n"]),),
             tag=f"{row[rows]}, {row[columns]}", role="follow-up", p_adjusted=float(row["p_adjusted"]),
             correction="holm")
        for row in residual_rows.to_dict("records")
    ]  # fmt: skip


def mcnemar(case: TestInput) -> TestRecord:
    """Return McNemar's exact test of pairs (row 31)."""
    counts = case.changes()
    n = int(counts.n.sum())
    test = stats.mcnemar(counts, method="exact")
    difference = stats.paired_proportions(counts)
    size = quantity("risk_difference", difference.difference, difference.confidence_interval(case.level))
    b, c = counts.n[0, 1], counts.n[1, 0]
    p = float(exact_change(b, c, case.alternative))
    value = float(np.asarray(difference.difference))
    first, second = case.levels
    text = (
        f"exact McNemar test, {apa.p_value(p)}{case.side_note} (N = {n}, {b + c:.0f} discordant), {shown_share(size)}"
    )
    return TestRecord.exact(
        test, "mcnemar", n, text, "chi2", p=p, alternative=case.alternative, estimate=size,
        effect=case.effect(test.effect_size, "odds ratio"),
        says=f"{first} has {apa.number(100 * abs(value), 1)} percentage points {'more' if value > 0 else 'less'} than "
        f"{second}",
    )  # fmt: skip


def exact_change(b: npt.ArrayLike, c: npt.ArrayLike, side: Alternative) -> FloatArray:
    """Return the exact p of the units that change one way and the other, which a coin would share out.

    Examples
    --------
    >>> exact_change([6, 6], [0, 2], "two-sided"), exact_change(6, 0, "greater")
    (array([0.03125  , 0.2890625]), array(0.015625))
    """
    gains, losses = np.asarray(b, dtype=np.intp), np.asarray(c, dtype=np.intp)
    if side == "two-sided":
        return np.asarray(np.minimum(2 * bdtr(np.minimum(gains, losses), gains + losses, 0.5), 1.0))
    return np.asarray(bdtr(losses if side == "greater" else gains, gains + losses, 0.5))


def mcnemar_mid_p(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return McNemar's test with the mid-p."""
    counts = case.changes()
    test = stats.mcnemar(counts, method="mid-p")
    text = f"{apa.p_value(test.p)}, mid-p"
    return TestRecord.exact(test, "mcnemar_mid_p", counts.n.sum(), text, "chi2").beside("midp")


def within(case: TestInput) -> TestRecord:
    """Return Cochran's Q (row 32)."""
    test = stats.cochrans_q(case.moments())
    n = (float(np.asarray(test.n)),)
    return TestRecord.of(test, "cochran", "q", n=n)


def mcnemar_pairs(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return McNemar's test of each two levels; Holm."""
    pairs = itertools.combinations(case.levels, 2)
    return holm([replace(mcnemar(case.of_two(pair)), tag=" - ".join(pair), says="") for pair in pairs])


def ways(case: TestInput) -> list[TestRecord]:
    """Return Rao's X² of each term with the outcome, of a table of several ways (rows 30 and 47).

    Of 2 × 2 cells of 5 to 30 yes or no it rejects .03 to .07 of null studies, the likelihood ratio up to .09.
    """
    from negstats.stats.loglinear import partial_associations

    counts = counted(case)
    associations = partial_associations(counts)
    names = [factor.name for factor in counts.factors]
    outcome = names[-1]
    by_term = {frozenset(_parse_effect(test.effect, names)): test for test in associations.tests}
    terms = _join_terms(case)
    answer_terms = case.asked_terms(terms)
    records: list[TestRecord] = []
    n = (float(counts.n.sum()),)
    for term in terms:
        test = by_term[frozenset([*term.split(":"), outcome])]
        record = TestRecord.of(test, "loglinear", "chi2", statistic=test.score, p=test.p_score, n=n, term=term)
        record = replace(record, effect=_ratio(case, counts, term), why={} if _two(case, term) else {
            "effect": "odds ratios are given at each level"})  # fmt: skip
        records.append(record if term in answer_terms else replace(record, role="part"))
    return records


def levels(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the tables at the levels of the other factors, for the terms that answer; Holm."""
    counts = counted(case)
    return [level for answer in records if answer.role == "answer" for level in _levels(case, counts, answer.term)]


def _join_terms(case: TestInput) -> list[str]:
    """Return the factors and their interactions, the smaller ones first."""
    sizes = range(1, len(case.factors) + 1)
    return [":".join(part) for size in sizes for part in itertools.combinations(case.factors, size)]


def _parse_effect(effect: str, names: Sequence[str]) -> list[str]:
    """Return the names in a term of the notation of generating classes."""
    from negstats.stats.loglinear.fit import parse

    (places,) = parse(effect if effect.startswith("[") else f"[{effect}]", names)
    return [names[place] for place in places]


def _two(case: TestInput, term: str) -> bool:
    return ":" not in term and len(case.design.levels[term]) == 2 and case.asked.kind == "yes/no"


def _ratio(case: TestInput, counts: Counts, term: str) -> Quantity | None:
    """Return the odds ratio common to all strata (Mantel and Haenszel) of a factor of two levels."""
    if not _two(case, term) or len(case.factors) != 2:
        return None
    other = next(name for name in case.factors if name != term)
    strata = np.moveaxis(counts.n, case.factors.index(other), 2)
    a, b, c, d = strata[0, 0], strata[0, 1], strata[1, 0], strata[1, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        total = a + b + c + d
        value = float((a * d / total).sum() / (b * c / total).sum())
    return Quantity("odds_ratio", value, method="Mantel-Haenszel") if math.isfinite(value) else None


def _levels(case: TestInput, counts: Counts, term: str) -> list[TestRecord]:
    """Return the table of the term's factor and the outcome at each combination of the other factors; Holm."""
    names = term.split(":")
    factor = next(name for name in case.factors if name in names)
    place = case.factors.index(factor)
    others = [name for name in case.factors if name != factor]
    factor_counts: FloatArray = np.moveaxis(counts.n, place, -2)
    tables = factor_counts.reshape(-1, *factor_counts.shape[-2:])
    records = []
    for part, (_, at) in zip(tables, case.combinations(others), strict=True):
        if (part.sum(axis=0) == 0).any() or (part.sum(axis=1) == 0).any():
            continue
        two_way = Counts(part, (counts.factors[place], counts.factors[-1]))
        record = replace(chi2(stats.chi_squared(two_way), "chi_squared"), term=term, tag=f"{factor} at {at}")
        if part.shape == (2, 2):
            ratio = case.effect(partial(ratio_of_odds, two_way), "odds ratio", f"/{term}#{record.tag}")
            record = replace(record, estimate=risk_difference(part, case.level), effect=ratio)
        records.append(record)
    return holm(records)


def logistic_terms(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the terms that answer by logistic regression of the rows, of yes and no."""
    if case.asked.kind != "yes/no":
        return []
    frame, names, formula = model_rows(case, "logistic regression", complete=True)
    regression, method = fit_logistic(frame, formula)
    n = (float(regression.n),)
    return [
        TestRecord.of(regression.test(part.term), method, "chi2", n=n, term=part.name).beside("logistic")
        for part in terms_of(case, regression.terms, names) if part.role == "answer"
    ]  # fmt: skip
