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
from negstats.audit.words import places

MARGINAL = re.compile(
    r"[mM]arginal(?:ly)?[- ](?:significan|reliab|effect|difference|interaction|trend)\w*|"
    r"approach(?:ed|ing|es)? (?:statistical |conventional )?(?:levels? of )?significance|"
    r"trend(?:ed|ing|s)? (?:to|toward|towards) (?:statistical )?significance|trend[- ]level|"
    r"(?:almost|nearly|borderline|close to|verg\w+ on|border\w+ on) (?:statistical(?:ly)? )?significan\w*|"
    r"just (?:failed|short|missed|shy)[^.;\n]{0,25}significance"
)
DATA = re.compile(
    r"osf\.io/\w+|zenodo|figshare|[dD]ataverse|datadryad|\bDryad\b|OpenN[eE]uro|github\.com/|gitlab\.com/|ICPSR|"
    r"data\.mendeley|[dD]ata (?:sets? )?(?:and \w+ )?(?:are|is|were|have been|can be)"
    r"[^.\n]{0,60}(?:available|accessed|deposited)"
)
REQUEST = re.compile(r"(?:on|upon)(?: \w+){0,2} request", re.I)
PREREGISTERED = re.compile(
    r"[pP]re-?regist\w+|[aA]s[pP]redicted|ClinicalTrials\.gov|\bNCT\d{8}\b|PROSPERO|"
    r"\bCRD42\d+|[Rr]egistered [Rr]eports?"
)
NOT = re.compile(r"\b(?:not|no|neither|without)\b[^.;]{0,20}\Z|n['’]t\b[^.;]{0,20}\Z", re.I)
# An effect size, an estimate or an interval in the sentence of a test.
EFFECT = re.compile(
    r"(?<![\w.])(?:d|g|r|R|b|B|β|OR|HR|RR|IRR|BF|φ|V|ϕ|Δ|δ|η|ω|ε|f|M_?diff)(?:_?\w{1,4})? ?[²2]?"
    r"(?: ?_?\(?[pGp]\)?)? ?[²2]? ?=|"
    r"\d ?% ?(?:CI|HDI|CrI|[cC]onfidence)|[Oo]dds ratio|[Cc]ohen|[Hh]edges|partial eta"
)
CONVENTIONAL = (0.001, 0.0001, 0.00001)  # p below one of these is printed so
SHOWN = 10
AROUND = 100  # characters around a word in which what is said with it stands
PLACES = (
    *("osf.io", "zenodo", "figshare", "dataverse", "dryad", "openneuro", "github", "gitlab", "icpsr", "mendeley"),
    *("available", "accessed", "deposited"),
)
REGISTERS = ("regist", "aspredicted", "clinicaltrials", "nct0", "prospero", "crd42")
WEAK = ("marginal", "trend-", "trend level", "significan")


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
    sized = {sentence: bool(EFFECT.search(sentence)) for sentence in {result.sentence for result in tests if result.df}}
    bare = [result for result in tests if result.df and not sized[result.sentence]]
    marginal = _find_near(MARGINAL, text, *WEAK)
    data = _find_near(DATA, text, *PLACES)
    data = [match for match in data if not REQUEST.search(text, match.start(), match.end() + 60)]
    registered = _find_near(PREREGISTERED, text, *REGISTERS)
    registered = [match for match in registered if not NOT.search(text, max(match.start() - 40, 0), match.start())]
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
