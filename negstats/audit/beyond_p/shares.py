"""Counts against the percentages that are printed of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from negstats.audit.beyond_p.judgement import Judgement, Said, first_of
from negstats.audit.reading import Document
from negstats.printed_numbers import Printed, printed

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
                    yield from _judged(share_match, paper)


def _judged(share_match: re.Match[str], paper: Document) -> Iterator[Judgement]:
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
