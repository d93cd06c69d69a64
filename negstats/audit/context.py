"""What a document says of its own p: corrected for several tests, or of one tail; and how far that holds.

A statement holds in its sentence, in its paragraph, or in the whole document. The wider it reaches, the more it must
say: of the method section it must name the tests or p that it is about, and one about the level alone ("an alpha
corrected to .0125") says nothing about p. The list of references is not looked at.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Context", "Statement", "context", "sentences"]

Kind: TypeAlias = Literal["correction", "one tail"]

NEAR = 1500  # characters of a paragraph on each side of a result; a PDF has no others
MOST = 50  # statements of a whole document that are looked through for each result
LONGEST = 1000  # characters of a sentence
METHODS = (
    r"bonferroni|holm|tukey|scheff[eé]|[sš]id[aá]k|hochberg|benjamini|hommel|dunnett|games[- ]howell|"
    r"false[- ]discovery|FDR\b|family-?wise|FWER?\b|multiple[- ](?:comparison|test|hypothes)"
)
CORRECTION = re.compile(METHODS, re.I)
BONFERRONI = re.compile("bonferroni", re.I)
NONE = re.compile(
    r"\b(?:no|not|without|none|never|instead of|rather than|neither)\b|uncorrected|unadjusted|n't\b", re.I
)
# A corrected level leaves p as they are.
LEVEL = re.compile(
    r"(?:alpha|α|level|threshold|criterion|cut-?off)[^.;]{0,60}(?:correct|adjust|bonferroni|=|of|to|at) ?0?\.0\d|"
    r"(?:correct|adjust)(?:ed|ing|ion)?[^.;]{0,40}(?:alpha|α|significance (?:level|threshold)|threshold|criterion)|"
    r"(?:alpha|α) ?(?:=|/|÷)",
    re.I,
)
OF_P = re.compile(r"\bp[- ]?(?:s\b|values?)|\bps?\b ?(?:were|are)", re.I)
APPLIED = re.compile(
    r"correct|adjust|post[- ]?hoc|comparison|contrast|pairwise|follow-?up|control|tests?\b|procedure|method", re.I
)
ONE_TAIL = re.compile(r"\b(?:one|1|single)[- ]?(?:tailed|sided|tail)", re.I)
TWO_TAILS = re.compile(r"\b(?:two|2)[- ]?(?:tailed|sided)", re.I)
OF_ALL = re.compile(
    r"\b(?:all|every|throughout|unless|otherwise)\b|\b(?:reported|these|our) (?:p|tests|statistic)|"
    r"(?:tests|p[- ]?values|ps|significance levels) (?:reported )?(?:(?:here|below|in this \w+) )?(?:are|were)\b",
    re.I,
)
RESULT = re.compile(r"\bp ?[<=>≤≥]", re.I)
PLANNED = re.compile(r"power|sample size|g\*?power|a priori analysis", re.I)  # such a test was planned, not reported
ENTRY = re.compile(r"[A-Z]\. \((?:19|20)\d\d[a-z]?\)\.|\bdoi\b")  # of a list of references
REFERENCES = re.compile(r"(?:\n|[.!?] )(?:References|REFERENCES|Bibliography|BIBLIOGRAPHY|Literature [Cc]ited)(?=\s)")
# The one class at its start is what `re` looks for without trying the rest at each character.
STOP = re.compile(
    r"[.!?\n](?:(?<=\n)|(?<! [A-Z][.!?])(?<![A-Z]\. \(\d{4}\)[.!?])(?<![A-Z]\. \(\d{4}[a-z]\)[.!?])"
    r"[\"”’)\]]? (?=[A-Z“\"(\[]))"
)
# One of these is in whatever CORRECTION or ONE_TAIL finds. To look for plain words takes a tenth of the time.
STEMS = (
    *("bonferroni", "holm", "tukey", "scheff", "sidak", "sidák", "šidak", "šidák", "hochberg", "benjamini", "hommel"),
    *("dunnett", "howell", "discovery", "fdr", "fwe", "family", "multiple", "tail", "sided"),
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that says what was done to p.

    Attributes
    ----------
    kind : str
        "correction" or "one tail".
    start, end : int
        Where it stands in the clean text.
    text : str
        The sentence.
    everywhere : bool
        Whether it holds for the whole document, not for its paragraph alone.
    """

    kind: Kind
    start: int
    end: int
    text: str
    everywhere: bool

    @property
    def integer(self) -> bool:
        """Whether it names a correction that multiplies p by a whole number and by nothing else."""
        return bool(BONFERRONI.search(self.text)) and {m.lower() for m in CORRECTION.findall(self.text)} <= SIMPLE


SIMPLE = {"bonferroni", "multiple comparison", "multiple test", "multiple-comparison", "multiple hypothes"}


@dataclass(frozen=True)
class Context:
    """The statements of a document, in its order.

    Examples
    --------
    >>> said = context("All tests are one-tailed. We found it, t(32) = 1.74, p = .046.")
    >>> said.about(40, "one tail").text
    'All tests are one-tailed.'
    >>> said.about(40, "correction") is None
    True
    """

    text: str
    statements: tuple[Statement, ...]

    def about(self, place: int, kind: Kind) -> Statement | None:
        """Return the nearest statement of a kind that holds at a place: of its paragraph, else of the document."""
        first = bisect.bisect_left(self.statements, place - NEAR - LONGEST, key=_start)
        last = bisect.bisect_right(self.statements, place + NEAR, key=_start)
        near = [said for said in self.statements[first:last] if said.kind == kind and self._same_paragraph(said, place)]
        return min(near or self._everywhere[kind], key=lambda said: abs(said.start - place), default=None)

    @functools.cached_property
    def _everywhere(self) -> Mapping[Kind, tuple[Statement, ...]]:
        """The first statements of each kind that hold for the whole document."""
        kinds: tuple[Kind, ...] = ("correction", "one tail")
        found = {kind: [said for said in self.statements if said.kind == kind and said.everywhere] for kind in kinds}
        return {kind: tuple(said[:MOST]) for kind, said in found.items()}

    def _same_paragraph(self, said: Statement, place: int) -> bool:
        return self.text.find("\n", min(said.start, place), max(said.end, place)) < 0


def _start(said: Statement) -> int:
    return said.start


def context(text: str) -> Context:
    """Return what a clean text says of its p."""
    references = [found.start() for found in REFERENCES.finditer(text) if found.start() > len(text) / 2]
    end = references[-1] if references else len(text)
    return Context(text, tuple(_statements(text, end)))


def sentences(text: str, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a text start and end; very long ones are cut."""
    first = 0
    for stop in (*(found.end() for found in STOP.finditer(text, 0, end)), end):
        for start in range(first, stop, LONGEST):
            yield start, min(start + LONGEST, stop)
        first = stop


def _statements(text: str, end: int) -> Iterator[Statement]:
    stems = _stems(text)
    for first, last in sentences(text, end) if stems else ():
        near = bisect.bisect_left(stems, first)
        if near == len(stems) or stems[near] >= last:
            continue
        said = text[first:last].strip()
        if ENTRY.search(said):
            continue
        if CORRECTION.search(said) and not NONE.search(said) and (OF_P.search(said) or not LEVEL.search(said)):
            yield Statement("correction", first, last, said, bool(APPLIED.search(said)))
        if ONE_TAIL.search(said) and not NONE.search(said) and not PLANNED.search(said):
            everywhere = bool(OF_ALL.search(said)) and not TWO_TAILS.search(said)
            own = RESULT.search(said)  # of one result in its own sentence
            if everywhere or not (own or TWO_TAILS.search(said)):
                yield Statement("one tail", first, last, said, everywhere)


def _stems(text: str) -> list[int]:
    """Return where in a text a word that may be of a statement starts."""
    # Where case is ignored, `re` takes these for an s and an i as well; `lower` does not.
    alike = text.replace("ſ", "s").replace("ı", "i").replace("İ", "i").lower()
    return sorted(place for stem in STEMS if stem in alike for place in _places(alike, stem))


def _places(text: str, stem: str) -> Iterator[int]:
    place = text.find(stem)
    while place >= 0:
        yield place
        place = text.find(stem, place + 1)
