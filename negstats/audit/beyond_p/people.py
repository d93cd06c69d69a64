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

from negstats.audit.beyond_p.judgement import Judgement, Said, first_of
from negstats.audit.find_results import Reported
from negstats.audit.reading import Document
from negstats.audit.statistic_patterns import NUMBER_WORDS
from negstats.audit.words import in_small_letters
from negstats.printed_numbers import Printed, printed

NUMBER = r"\d{1,3}(?:,\d{3})+(?![\d.,]\d)|\d{1,6}(?![\d.,]\d)"
PEOPLE = (
    r"(?:participants|students|undergraduates|adults|people|individuals|volunteers|respondents|workers|subjects|"
    r"children|patients|employees|users|players|women|men|adolescents)"
)
# At the beginning of a sentence a number is a word.
TENS = {
    word: 10 * tens
    for tens, word in enumerate(("Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety"), 2)
}
ONES = {"one": 1} | {word: n for word, n in NUMBER_WORDS.items() if n < 10}
IN_WORDS = re.compile(
    rf"(?P<tens>{'|'.join(TENS)})(?:-(?P<ones>{'|'.join(ONES)}))? (?:[a-z-]{{1,20}} ){{0,3}}{PEOPLE}\b"
)
# Each begins with one class or letter, which `re` looks for without trying the rest at each character.
SAID = (
    re.compile(
        r"(?P<people>\d(?<![\w.=,].)(?:\d{0,2}(?:,\d{3})+|\d{0,5})(?![\d.,]\d)) (?:[a-z-]{1,20} ){0,3}"
        rf"{PEOPLE}\b"
    ),
    re.compile(rf"N(?<![\w.=].) ?= ?(?P<people>{NUMBER})"),
    re.compile(rf"ample (?:size )?(?:of|was) (?P<people>{NUMBER})"),
    re.compile(rf"otal of (?P<people>{NUMBER})"),
)
WHOLE = re.compile(
    r"took part|participated|recruited|sample|total|completed|volunteered|enrolled|N ?=|were tested|played|answered",
    re.I,
)
OF_STATISTIC = re.compile(r"(?:(?<![A-Za-z])[A-Za-zχ]|[Cc]hi)[ ²2-]{0,3}(?:squared?)?\s?[(\[][^()\[\]]{0,40}\Z")
OF_PART = re.compile(r"\b(?:each|per|condition|group|excluded?|removed|dropped|of whom|who)\b", re.I)
SEVERAL = re.compile(
    r"\b(?=\w)(?:trials?|items|repeated|within|multi-?level|mixed|hierarchical|nested|observations|sessions|rounds|blocks|"
    r"dyads?|dyadic|pairs?|paired|couples|teams?|(?:each|per|every) (?:participant|person|subject|player|student)|"
    r"longitudinal|waves?|stimul\w+|imput\w+|pooled|clusters?|random (?:effects?|intercepts?|slopes?)|panel|days|weeks|"
    r"(?:study|studies|experiments?|samples?) (?:\d|one|two|i{1,3}\b)|pretest|pilot|meta-analy\w+|voxels?|ancova|"
    r"games|offers|utterances|negotiations|bootstrap\w*|simulat\w+)\b"
)


def people_said(text: str) -> int | None:
    """Return how many people a text says took part; None if it says several numbers, or none clearly.

    Examples
    --------
    >>> people_said("A total of 94 students took part. They differed, t(92) = 2.1, p = .038.")
    94
    >>> people_said("In all, 94 students took part, and 88 participants completed it.")
    """
    sample_sizes: set[int] = set()
    whole = False
    patterns = (IN_WORDS, *SAID)
    for size_match in itertools.chain.from_iterable(pattern.finditer(text) for pattern in patterns):
        text_before = text[max(size_match.start() - 60, 0) : size_match.start()]
        if OF_STATISTIC.search(text_before):
            continue
        number = _size_of(size_match)
        text_around = text[max(size_match.start() - 80, 0) : size_match.end() + 80]
        sample_sizes.add(number)
        whole |= bool(WHOLE.search(text_around)) and not OF_PART.search(text_around)
        if len(sample_sizes) > 1:
            return None
    return sample_sizes.pop() if sample_sizes and whole and max(sample_sizes) > 3 else None


def _size_of(match: re.Match[str]) -> int:
    """Return how many people a match says, in figures or in words."""
    if match.re is IN_WORDS:
        return TENS[match["tens"]] + ONES.get(match["ones"], 0)
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
    [('differs', 't(102) is of at least 103 people, and the text speaks of 94 alone; ...')]
    """
    results_with_need = [(one, need) for one in results if (need := _needs(one))]
    if not results_with_need or not (people := people_said(paper.text)):
        return []
    beyond = [(one, need) for one, need in results_with_need if need > people]
    if not beyond:
        return []
    several_rows = SEVERAL.search(in_small_letters(paper.text))
    if several_rows:
        (result, need), more = beyond[0], len(beyond) - 1
        also = f", as {more} {'result' if more == 1 else 'results'} more" if more else ""
        words = paper.text[several_rows.start() : several_rows.end()]
        why = f"{_why(result, need, people)}; each of them has several rows (the text says “{words}”){also}"
        return [Judgement("fits only if", "df and people", why, result.raw, result.sentence, result.place)]
    would = "more people, or several observations of each, must be meant"
    return [
        Judgement("differs", "df and people", f"{_why(one, need, people)}; {would}", one.raw, one.sentence, one.place)
        for one, need in beyond
    ]


def _why(result: Reported, need: int, people: int) -> str:
    df = ", ".join(map(str, result.df))
    name = {"f": "F", "rho": "ρ"}.get(result.kind, result.kind)
    return f"{name}({df}) is of at least {need} people, and the text speaks of {people} alone"


def _needs(result: Reported) -> int:
    """Return how many people the df of a result are of at least; 0 where they tell nothing."""
    if not result.df or any(df.decimals > 0 for df in result.df):
        return 0
    df = int(float(result.df[-1]))
    if result.kind == "t" or (result.kind == "f" and len(result.df) == 2 and float(result.df[0]) == 1):
        return df + 1
    return df + 2 if result.kind in ("r", "rho") else 0


SHARES = (
    re.compile(
        r"(?<![\d.,/])(?P<count>\d{1,6})(?: of | out of |/| / )(?:the |all )?(?P<of>\d{1,6})(?![\d.,/])"
        r"[^.;()\[\]\d\n]{0,40}[(\[] ?(?P<share>\d{1,3}(?:\.\d{1,4})?) ?\\?%(?= ?[)\],;])"
    ),
    re.compile(  # 12 (25%) of the 48
        r"(?<![\d.,/])(?P<count>\d{1,6})(?: [a-z]{1,20}){0,2} ?[(\[] ?(?P<share>\d{1,3}(?:\.\d{1,4})?) ?\\?% ?[)\]]"
        r" (?:out )?of (?:the |all |these )?(?P<of>\d{1,6})(?![\d.,]*\d| ?%)"
    ),
    re.compile(
        r"(?<![\d.,])(?P<share>\d{1,3}(?:\.\d{1,4})?) ?\\?% ?[(\[] ?(?P<count>\d{1,6})"
        r"(?: of | out of |/| / )(?:the |all )?(?P<of>\d{1,6})(?= ?[)\],;])"
    ),
)
PER_CENT = re.compile(r"% ?[()\[\],;]")
BEFORE, BEHIND = 100, 40  # characters around a sign of per cent in which its count stands
OF_BRAINS = re.compile(r"(?:BA|[Aa]reas?|Brodmann[A-Za-z’' ]{0,12}) ?\Z")  # BA 8/9 (75 %)
LARGEST = 20_000  # people among whom a count is looked for that would give a percentage


def shares(paper: Document) -> Iterator[Judgement]:
    """Yield of each count out of a number with its percentage whether they fit.

    Examples
    --------
    >>> from negstats.audit.reading import document
    >>> for result in shares(document("Of the games 12 of 48 (26%) ended early, and 9 of 36 dyads (25%) did not.")):
    ...     print(result.grade, "·", result.why)
    differs · 12 of 48 is 25.0 %, printed 26 %; 12 of 46 or 47 would give it
    fits · 9 of 36 is 25.0 %, printed 25 %
    """
    last_end = -1
    for mark in PER_CENT.finditer(paper.text):
        first, last = max(mark.start() - BEFORE, 0), mark.end() + BEHIND
        for pattern in SHARES:
            for share_match in pattern.finditer(paper.text, first, last):
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
        or OF_BRAINS.search(text[max(share_match.start() - 20, 0) : share_match.start()])
    ):
        return
    grade, what, why = _share(count, people, printed(share_match["share"]))
    first = max(text.rfind("\n", 0, share_match.start()) + 1, share_match.start() - 100)
    end = text.find("\n", share_match.end(), share_match.end() + 100)
    line = text[first : share_match.end() + 100 if end < 0 else end]
    raw, sentence = (" ".join(passage.split()) for passage in (share_match[0], line))
    yield Judgement(grade, what, why, raw, sentence, paper.place(share_match.start()))


def _share(count: int, people: int, share: Printed) -> Said:
    exact = 100 * count / people
    comparison = f"{count} of {people} is {exact:.{max(share.decimals, 1)}f} %, printed {share} %"

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
        (is_cut_off, "fits only if", ": it is cut off, not rounded"),
        (share.agrees(100 - exact), "fits only if", ": it is the share of the others"),
        (is_near, "fits only if", ": it is rounded so that all shares add up to 100"),
        (True, "differs", name_bases),
    )
