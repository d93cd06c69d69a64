"""Tests of yes and no, and of kinds without an order, in independent units (rows 26 to 29, 31, 32 and 47)."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, effect_of, quantity
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.linked import one_sided
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import holm, if_estimable
from negstats.errors import NotEstimable
from negstats.stats.effects.counts import odds_ratio
from negstats.stats.results import apa
from negstats.stats.summaries import Counts

LARGEST_FISHER = 10_000  # units of a 2 × 2 table whose exact test stands beside; of more χ² says the same
LARGEST_EXACT = 2000  # units of a table larger than 2 × 2 whose exact p is enumerated; of more it is drawn


def _select_named(counts: Counts, name: str) -> Counts:
    last = counts.factors[-1]
    return Counts(counts.n, (*counts.factors[:-1], replace(last, name=name)), counts.missing)


def counted(case: TestInput) -> Counts:
    """Return the table with the outcome's dimension under the measure's name."""
    counts = _select_named(case.counts(), case.question.measure)
    for place, factor in enumerate(counts.factors):
        axes = tuple(axis for axis in range(counts.n.ndim) if axis != place)
        empty = counts.n.sum(axis=axes) == 0
        if empty.any():
            level = factor.levels[int(empty.argmax())]
            raise NotEstimable(f"no unit has {factor.name} = {level!r}, so that nothing can be compared")
    return counts


def share(case: TestInput) -> list[TestRecord]:
    """One share with Wilson's interval, and the exact test of a stated one (row 26)."""
    counts = case.value_counts(())
    yes, n = int(counts.values @ counts.n), int(counts.n.sum())
    proportion = stats.proportion(yes, n)
    size = quantity("share", proportion.estimate, proportion.confidence_interval(case.level))
    null_share = case.question.against
    if null_share is None:
        none = dict.fromkeys(("statistic", "p", "effect"), "nothing is tested; give against")
        text = f"{yes} of {n}, {shown_share(size)}"
        return [
            TestRecord(proportion, "share", "z", math.nan, math.nan, n=(float(n),), estimate=size, text=text, why=none)
        ]
    if not 0 <= null_share <= 1:
        raise NotEstimable(f"against is {null_share:g}; a share lies between 0 and 1")
    test = proportion.test(null_share, alternative=case.alternative)
    p = float(np.asarray(test.p))
    sided = " (one-sided)" if case.alternative != "two-sided" else ""
    way = "above" if yes > null_share * n else "below"
    return [TestRecord(
        test, "binomial", "z", math.nan, p, n=(float(n),), alternative=case.alternative, estimate=size,
        text=f"{yes} of {n}, {apa.p_value(p)}{sided}, {shown_share(size)}",
        why={"statistic": "the test is exact", "effect": "the share itself is the effect"},
        says=f"the share is {apa.number(abs(float(np.asarray(proportion.estimate)) - null_share), 3)} {way} "
             f"{null_share:g}",
    )]  # fmt: skip


def shown_share(size: Quantity) -> str:
    """Return a share or a difference of shares with its interval, as it is printed."""
    ends = f"{100 * size.confidence_level:g}% CI [{apa.bounded(size.low)}, {apa.bounded(size.high)}]"
    return f"{size.name.replace('_', ' ')} = {apa.bounded(size.value)}, {ends}"


def _difference(case: TestInput, counts: Counts) -> tuple[Quantity, str]:
    """Return the difference of two shares with Newcombe's interval, and which way it lies."""
    n = counts.n
    difference = stats.proportion_difference(n[:, 0], n.sum(axis=1))
    size = quantity("risk_difference", difference.difference, difference.confidence_interval(case.level))
    value = float(np.asarray(difference.difference))
    one, two = case.levels
    way = "more" if value > 0 else "less"
    return size, f"{one} has {apa.number(100 * abs(value), 1)} percentage points {way} than {two}"


def two_groups(case: TestInput) -> list[TestRecord]:
    """Pearson's χ² of two shares, Fisher's test beside (row 27)."""
    counts = counted(case)
    test = stats.chi_squared(counts)
    size, description = _difference(case, counts)
    p = float(np.asarray(test.p))
    z = math.copysign(math.sqrt(float(np.asarray(test.statistic))), size.value)
    ratio = effect_of(odds_ratio(counts), case.level)
    answer = chi2(test, "chi_squared")
    answer = replace(
        answer,
        p=one_sided(case, z, math.inf, p),
        alternative=case.alternative,
        estimate=size,
        effect=ratio,
        says=description,
    )
    answer = replace(answer, text=f"{replace(answer, effect=None, estimate=None).apa()}, {shown_share(size)}")
    if counts.n.sum() > LARGEST_FISHER:
        return [answer]
    return [answer, *if_estimable(lambda: _exact(case, counts).beside("exact"))]


def chi2(test: stats.ChiSquared, method: str) -> TestRecord:
    """Return a test of independence."""
    return TestRecord(
        test, method, "g2" if test.method == "likelihood-ratio" else "chi2", float(np.asarray(test.statistic)),
        float(np.asarray(test.p)), (float(np.asarray(test.df)),), (float(np.asarray(test.n)),),
    )  # fmt: skip


def _exact(case: TestInput, counts: Counts) -> TestRecord:
    test = stats.fisher(counts, alternative=case.alternative)
    sided = " (one-sided)" if case.alternative != "two-sided" else ""
    ends = stats.fisher(counts).confidence_interval(case.level)
    ratio = quantity("odds_ratio", test.odds_ratio, ends)
    n = float(np.asarray(test.n))
    text = f"{apa.p_value(test.p)}{sided}, Fisher's exact test (N = {n:.0f})"
    return TestRecord(
        test, "fisher", "z", math.nan, float(np.asarray(test.p)), n=(n,), alternative=case.alternative, effect=ratio,
        text=text, why={"statistic": "the test is exact"},
    )  # fmt: skip


def fisher(case: TestInput) -> list[TestRecord]:
    """Fisher's exact test of two shares, mid-p and χ² beside (row 28)."""
    counts = counted(case)
    size, description = _difference(case, counts)
    answer = _exact(case, counts)
    answer = replace(answer, estimate=size, says=description, text=f"{answer.text}, {shown_share(size)}")
    chi2_records = [chi2(stats.chi_squared(counts), "chi_squared").beside("chi2")]
    return [answer, *if_estimable(lambda: _mid_p(case, counts)), *chi2_records]


def _mid_p(case: TestInput, counts: Counts) -> TestRecord:
    test = stats.fisher(counts, alternative=case.alternative, method="mid-p")
    p = float(np.asarray(test.p))
    return TestRecord(
        test, "fisher_mid_p", "z", math.nan, p, n=(float(counts.n.sum()),), alternative=case.alternative,
        text=f"{apa.p_value(p)}, mid-p", why={"statistic": "the test is exact"},
    ).beside("midp")  # fmt: skip


def several(case: TestInput) -> list[TestRecord]:
    """χ² of several shares or of kinds, pairs of rows or residuals behind, an exact p or G² beside (rows 29, 47)."""
    counts = counted(case)
    nominal = case.asked.kind == "nominal"
    test = stats.chi_squared(counts)
    answer = replace(chi2(test, "chi_squared"), effect=effect_of(test.effect_size(), case.level))
    records = [answer]
    if nominal:
        records += _residuals(test)
        records.append(chi2(stats.chi_squared(counts, statistic="likelihood-ratio"), "chi_squared").beside("g2"))
    elif len(case.levels) > 2:
        records += _row_pairs(counts)
        records += _residuals(test, first_column=True)
    if float(np.asarray(test.smallest_expected)) < 5:
        records += if_estimable(lambda: _exact_table(case, counts))
    return records


def _exact_table(case: TestInput, counts: Counts) -> TestRecord:
    large = counts.n.sum() > LARGEST_EXACT or counts.n.size > 12
    test = stats.fisher(counts, rng=case.rng(), n_resamples=case.plan.resamples) if large else stats.fisher(counts)
    n = (float(counts.n.sum()),)
    return TestRecord(
        test, "fisher", "z", math.nan, float(np.asarray(test.p)), n=n, text=test.apa(),
        why={"statistic": "the test is exact"},
    ).beside("exact")  # fmt: skip


def _row_pairs(counts: Counts) -> list[TestRecord]:
    test = stats.compare_rows(counts, adjust="holm")
    return [
        TestRecord(test, "chi_squared", "chi2", float(x), float(p), (float(df),), (float(n),), tag=f"{a} - {b}",
             role="follow-up", p_adjusted=float(corrected_p), correction="holm")
        for a, b, x, df, p, corrected_p, n in zip(
            test.first, test.second, test.statistic, test.df, test.p, test.p_adjusted, test.n, strict=True)
    ]  # fmt: skip


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


def mcnemar(case: TestInput) -> list[TestRecord]:
    """McNemar's exact test of pairs, mid-p beside (row 31)."""
    counts = case.changes()
    n = int(counts.n.sum())
    test = stats.mcnemar(counts, method="exact")
    difference = stats.paired_proportions(counts)
    size = quantity("risk_difference", difference.difference, difference.confidence_interval(case.level))
    b, c = counts.n[0, 1], counts.n[1, 0]
    p = float(np.asarray(test.p))
    if case.alternative != "two-sided":
        from scipy.stats import binomtest

        p = float(binomtest(int(b), int(b + c), 0.5, alternative=case.alternative).pvalue) if b + c else 1.0
    value = float(np.asarray(difference.difference))
    one, two = case.levels
    sided = " (one-sided)" if case.alternative != "two-sided" else ""
    text = f"exact McNemar test, {apa.p_value(p)}{sided} (N = {n}, {b + c:.0f} discordant), {shown_share(size)}"
    answer = TestRecord(
        test, "mcnemar", "chi2", math.nan, p, n=(float(n),), alternative=case.alternative, estimate=size,
        effect=effect_of(test.effect_size(), case.level), text=text, why={"statistic": "the test is exact"},
        says=f"{one} has {apa.number(100 * abs(value), 1)} percentage points {'more' if value > 0 else 'less'} than "
        f"{two}",
    )  # fmt: skip
    return [answer, *if_estimable(lambda: _mcnemar_mid(counts, n))]


def _mcnemar_mid(counts: Counts, n: int) -> TestRecord:
    test = stats.mcnemar(counts, method="mid-p")
    p = float(np.asarray(test.p))
    return TestRecord(test, "mcnemar_mid_p", "chi2", math.nan, p, n=(float(n),), text=f"{apa.p_value(p)}, mid-p",
                why={"statistic": "the test is exact"}).beside("midp")  # fmt: skip


def within(case: TestInput) -> list[TestRecord]:
    """Cochran's Q, McNemar's pairs behind it (row 32)."""
    test = stats.cochrans_q(case.moments())
    n = (float(np.asarray(test.n)),)
    answer = TestRecord(test, "cochran", "q", float(np.asarray(test.statistic)), float(np.asarray(test.p)),
                  (float(np.asarray(test.df)),), n)  # fmt: skip
    follow = []
    for one, two in itertools.combinations(case.levels, 2):
        follow.append(replace(mcnemar(case.of_two((one, two)))[0], tag=f"{one} - {two}", says=""))
    return [answer, *holm(follow)]
