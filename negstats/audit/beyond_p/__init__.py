"""More than p: effect sizes, b and its SE, intervals and percentages, checked against the numbers printed with them.

Each judgement is graded, and one that finds something says what would have to be true for the print to be right. What
a usual design would explain is never an error: "fits only if" names that design.

Glossary
--------
grade : how grave a judgement is; *subject* : the numbers that it holds against each other; *beside* : of numbers in the
sentence of a result; *slip* : a small edit that makes the numbers of a test agree; *cost* : how rare such a slip is;
*relation* : a number that must follow from the test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from negstats.audit.beyond_p.answers import answers, of_tables
from negstats.audit.beyond_p.effects import of_difference, of_interval, of_odds, of_r, of_ratio, of_variance
from negstats.audit.beyond_p.groups import of_means
from negstats.audit.beyond_p.judgement import FLAGGED_GRADES, Around, Grade, Judgement, Said, around_of, one_df
from negstats.audit.beyond_p.people import shares, too_many_df
from negstats.audit.beyond_p.slips import PaperTests
from negstats.audit.find_results import Reported
from negstats.audit.reading import Cleaned, Document

__all__ = ["FLAGGED_GRADES", "Grade", "Judgement", "further", "of_document"]


def further(result: Reported, alpha: float = 0.05, tests: PaperTests | None = None) -> Iterator[Judgement]:
    """Yield what the numbers beside a result say of it; the other tests of its paper may show what they have lost.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> (result,) = find(document("F(1, 28) = 4.60, p = .041, partial η² = .25."))
    >>> for judgement in further(result):
    ...     print(f"{judgement.grade}: {judgement.why}")
    differs: F(1, 28) = 4.60 corresponds to partial η² = .141, and .25 is printed; F = 9.33 would give it
    """
    if result.unread or any(float(df) <= 0 for df in result.df):  # such a result is impossible, and gives nothing
        return
    numbers_around = around_of(result)
    for grade, subject, reason in (*_judged(result, numbers_around, alpha, tests), *of_means(result)):
        yield Judgement(grade, subject, reason, result.raw, result.sentence, result.place)


def of_document(paper: Document, clean_text: Cleaned, results: Sequence[Reported]) -> Iterator[Judgement]:
    """Yield what numbers say of each other that belong to no single result: shares, means, df and people.

    Examples
    --------
    >>> from negstats.audit.reading import clean, document
    >>> text = "12 of 48 games (26%) ended early."
    >>> [result.grade for result in of_document(document(text), clean(text), [])]
    ['differs']
    """
    yield from shares(paper)
    yield from answers(paper, clean_text)
    yield from too_many_df(paper, results)
    yield from of_tables(paper)


def _judged(result: Reported, numbers_around: Around, alpha: float, tests: PaperTests | None) -> Iterator[Said]:
    if not numbers_around.values and numbers_around.interval is None:
        return
    if result.relation == "=":
        if result.kind == "f" and len(result.df) == 2:
            yield from of_variance(result, numbers_around, tests)
        if (result.kind == "t" and len(result.df) == 1) or one_df(result):
            yield from of_difference(result, numbers_around)
            yield from of_r(result, numbers_around)
    if "se" in numbers_around.values and ("b" in numbers_around.values or "beta" in numbers_around.values):
        yield from of_ratio(result, numbers_around, alpha)
    elif "se" in numbers_around.values and "ratio" in numbers_around.values:
        yield from of_odds(result, numbers_around)
    if numbers_around.interval is not None:
        yield from of_interval(result, numbers_around)
