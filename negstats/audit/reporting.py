"""What a text reports and omits, for editors; none of it is an error.

How exact its p are, whether it calls results marginal, which tests stand without an effect size or interval, and
whether it names its data and a preregistration. Nothing is looked up: a link is a link that is printed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from negstats.audit.find_results import Reported
from negstats.audit.reading import Cleaned, Document
from negstats.audit.words import places, words_of

WORDS = words_of("reporting")
CONVENTIONAL = (0.001, 0.0001, 0.00001)  # p below one of these is printed so
SHOWN = 10
AROUND = 100  # characters around a word in which what is said with it stands


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a text says, or does not say, of its own reporting.

    Attributes
    ----------
    name : str
        "p that are not exact", "results called marginal", "tests without effect size or interval", "link to data" or
        "preregistration".
    count : int
        How often; 0 of a link or a preregistration is that there is none.
    places : tuple of int
        The first lines or pages.
    quote : str
        The first words, as they are printed.
    """

    name: str
    count: int
    places: tuple[int, ...] = ()
    quote: str = ""


def facts_of(paper: Document, cleaned: Cleaned, results: Sequence[Reported]) -> tuple[Fact, ...]:
    """Return the facts of a text.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import clean, document
    >>> paper = document("It was marginally significant, t(28) = 1.90, p < .07, d = 0.3. Data: https://osf.io/abcde.")
    >>> for fact in facts_of(paper, clean(paper.text), list(find(paper))):
    ...     print(fact.name, fact.count, fact.quote)
    p that are not exact 1 t(28) = 1.90, p < .07
    results called marginal 1 marginally significant
    tests without effect size or interval 0
    link to data 1 osf.io/abcde
    preregistration 0
    """
    text = cleaned.text
    tests = [result for result in results if result.kind != "p"]
    inexact = [result for result in tests if _is_inexact(result)]
    sized = {
        sentence: bool(WORDS.effect.search(sentence)) for sentence in {result.sentence for result in tests if result.df}
    }
    bare = [result for result in tests if result.df and not sized[result.sentence]]
    marginal = _find_near(WORDS.marginal, text, *WORDS.table("weak"))
    data = _find_near(WORDS.data, text, *WORDS.table("places"))
    data = [match for match in data if not WORDS.request.search(text, match.start(), match.end() + 60)]
    registered = _find_near(WORDS.preregistered, text, *WORDS.table("registers"))
    registered = [
        match for match in registered if not WORDS.denied.search(text, max(match.start() - 40, 0), match.start())
    ]
    return (
        _build_fact_of_results("p that are not exact", inexact),
        _build_fact_of_words("results called marginal", marginal, paper, cleaned),
        _build_fact_of_results("tests without effect size or interval", bare),
        _build_fact_of_words("link to data", data, paper, cleaned),
        _build_fact_of_words("preregistration", registered, paper, cleaned),
    )


def _find_near(pattern: re.Pattern[str], text: str, *words: str) -> list[re.Match[str]]:
    """Return what a pattern finds near some words, in order."""
    matches: list[re.Match[str]] = []
    for place in sorted(places(text, *words)):
        last_end = matches[-1].end() if matches else 0
        if place >= last_end:
            first = max(place - AROUND, last_end)
            matches += pattern.finditer(text, first, max(min(place + AROUND, len(text)), first))
    return matches


def _is_inexact(result: Reported) -> bool:
    """Return whether a p is printed as below or above something, where its own value could be printed."""
    if result.p is None:
        return result.p_relation == "ns" and result.relation == "="
    return result.p_relation != "=" and result.relation == "=" and float(result.p) not in CONVENTIONAL


def _build_fact_of_results(name: str, results: Sequence[Reported]) -> Fact:
    places = tuple(dict.fromkeys(result.place for result in results))[:SHOWN]
    return Fact(name, len(results), places, results[0].raw if results else "")


def _build_fact_of_words(name: str, matches: Sequence[re.Match[str]], paper: Document, clean_text: Cleaned) -> Fact:
    places = tuple(dict.fromkeys(paper.place(clean_text.origin(match.start())) for match in matches[:100]))[:SHOWN]
    return Fact(name, len(matches), places, matches[0][0] if matches else "")
