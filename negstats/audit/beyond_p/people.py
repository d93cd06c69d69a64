"""Counts of people: against the percentages that are printed of them, and against df where a text says it once.

Only the upper bound is held: fewer df than people are missing answers or a part of them. More df than people have are
usual where each has several rows (trials, items, sessions) or is one of a pair; a text that speaks of any such thing is
not accused.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence

from negstats.audit.beyond_p.judgement import RIGHT_IF, Judgement, Said, first_of
from negstats.audit.find_results import Reported
from negstats.audit.reading import Document
from negstats.audit.words import in_small_letters, words_of
from negstats.printed_numbers import Printed, printed

WORDS = words_of("people")
TENS, ONES = (WORDS.text(name).split("|") for name in ("tens", "ones"))


def people_said(text: str) -> int | None:
    """Return how many people a text says took part; None if it says several numbers, or none clearly.

    Examples
    --------
    >>> people_said("A total of 94 students took part. They differed, t(92) = 2.1, p = .038.")
    94
    >>> people_said("In all, 94 students took part, and 88 participants completed it.")
    """
    sample_sizes: set[int] = set()
    is_whole_sample = False
    patterns = (WORDS.in_words, *WORDS.group("said").values())
    for size_match in itertools.chain.from_iterable(pattern.finditer(text) for pattern in patterns):
        text_before = text[max(size_match.start() - 60, 0) : size_match.start()]
        if WORDS.of_statistic.search(text_before):
            continue
        number = _size_of(size_match)
        text_around = text[max(size_match.start() - 80, 0) : size_match.end() + 80]
        sample_sizes.add(number)
        is_whole_sample |= bool(WORDS.whole.search(text_around)) and not WORDS.of_part.search(text_around)
        if len(sample_sizes) > 1:
            return None
    return sample_sizes.pop() if sample_sizes and is_whole_sample and max(sample_sizes) > 3 else None


def _size_of(match: re.Match[str]) -> int:
    """Return how many people a match says, in figures or in words."""
    if match.re is WORDS.in_words:
        return 10 * (TENS.index(match["tens"]) + 2) + (ONES.index(match["ones"]) + 1 if match["ones"] else 0)
    return int(match["people"].replace(",", ""))


def too_many_df(paper: Document, results: Sequence[Reported]) -> list[Judgement]:
    """Return the results whose df need more people than the text says there are.

    A t of two groups has n − 2 df and one of differences n − 1; a correlation n − 2; an F with one df before it at
    most n − 1.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> paper = document("A total of 94 students took part. They differed, t(102) = 2.10, p = .038.")
    >>> [(result.grade, result.why) for result in too_many_df(paper, list(find(paper)))]  # doctest: +ELLIPSIS
    [('differs', 't(102) needs at least 103 people, and the text speaks of 94 only; ...')]
    """
    results_with_need = [(candidate, need) for candidate in results if (need := _needs(candidate))]
    if not results_with_need or not (people := people_said(paper.text)):
        return []
    above_people = [(candidate, need) for candidate, need in results_with_need if need > people]
    if not above_people:
        return []
    several_rows = WORDS.several.search(in_small_letters(paper.text))
    if several_rows:
        (result, need), n_more = above_people[0], len(above_people) - 1
        also_text = f", as {n_more} {'result' if n_more == 1 else 'results'} more" if n_more else ""
        words = paper.text[several_rows.start() : several_rows.end()]
        reason = f"{_why(result, need, people)}{RIGHT_IF}each has several rows (the text says “{words}”){also_text}"
        return [Judgement("fits only if", "df and people", reason, result.raw, result.sentence, result.place)]
    would_text = "more people, or several observations of each, must be meant"
    return [
        Judgement(
            "differs",
            "df and people",
            f"{_why(candidate, need, people)}; {would_text}",
            candidate.raw,
            candidate.sentence,
            candidate.place,
        )
        for candidate, need in above_people
    ]


def _why(result: Reported, need: int, people: int) -> str:
    df = ", ".join(map(str, result.df))
    name = {"f": "F", "rho": "ρ"}.get(result.kind, result.kind)
    return f"{name}({df}) needs at least {need} people, and the text speaks of {people} only"


def _needs(result: Reported) -> int:
    """Return how many people the df of a result are of at least; 0 where they tell nothing."""
    if not result.df or any(df.decimals > 0 for df in result.df):
        return 0
    df = int(float(result.df[-1]))
    if result.kind == "t" or (result.kind == "f" and len(result.df) == 2 and float(result.df[0]) == 1):
        return df + 1
    return df + 2 if result.kind in ("r", "rho") else 0


BEFORE, BEHIND = 100, 40  # characters around a sign of per cent in which its count stands
LARGEST = 20_000  # people among whom a count is looked for that would give a percentage


def shares(paper: Document) -> Iterator[Judgement]:
    """Yield of each count out of a number with its percentage whether they fit.

    Examples
    --------
    >>> from negstats.audit.reading import document
    >>> for result in shares(document("Of the games 12 of 48 (26%) ended early, and 9 of 36 dyads (25%) did not.")):
    ...     print(result.grade, "·", result.why)
    differs · 12 of 48 is 25.0 %, and 26 % is printed; 12 of 46 or 47 would give it
    fits · 9 of 36 is 25.0 %, and 25 % is printed
    """
    last_end = -1
    for mark in WORDS.per_cent.finditer(paper.text):
        window_start, window_end = max(mark.start() - BEFORE, 0), mark.end() + BEHIND
        for pattern in WORDS.group("shares").values():
            for share_match in pattern.finditer(paper.text, window_start, window_end):
                if (
                    share_match.start() > last_end
                    and share_match.end("share") <= mark.start() <= share_match.end("share") + 2
                ):
                    last_end = share_match.end()
                    yield from _judged_share(share_match, paper)


def _judged_share(share_match: re.Match[str], paper: Document) -> Iterator[Judgement]:
    text, count, people = paper.text, int(share_match["count"]), int(share_match["of"])
    if (
        not people > 0
        or count > people
        or WORDS.of_brains.search(text[max(share_match.start() - 20, 0) : share_match.start()])
    ):
        return
    grade, subject, reason = _share(count, people, printed(share_match["share"]))
    line_start = max(text.rfind("\n", 0, share_match.start()) + 1, share_match.start() - 100)
    line_end = text.find("\n", share_match.end(), share_match.end() + 100)
    line = text[line_start : share_match.end() + 100 if line_end < 0 else line_end]
    raw, sentence = (" ".join(passage.split()) for passage in (share_match[0], line))
    yield Judgement(grade, subject, reason, raw, sentence, paper.place(share_match.start()))


def _share(count: int, people: int, share: Printed) -> Said:
    exact = 100 * count / people
    comparison = f"{count} of {people} is {exact:.{max(share.decimals, 1)}f} %, and {share} % is printed"

    def name_bases() -> str:
        bases = [n for n in range(max(count, 1), min(2 * people, LARGEST)) if share.agrees(100 * count / n)]
        nearest_bases = " or ".join(map(str, sorted(sorted(bases, key=lambda n: abs(n - people))[:2])))
        return f"; {count} of {nearest_bases} would give it" if nearest_bases else ""

    is_cut_off = math.floor(exact * 10**share.decimals) / 10**share.decimals == float(share)
    is_near = abs(exact - float(share)) < 10.0**-share.decimals
    return first_of(
        "a count and its percentage",
        comparison,
        (share.agrees(exact), "fits", ""),
        (is_cut_off, "fits only if", "it was cut off, not rounded"),
        (share.agrees(100 - exact), "fits only if", "it is the share of the others"),
        (is_near, "fits only if", "the shares were rounded so that they add up to 100"),
        (True, "differs", name_bases),
    )
