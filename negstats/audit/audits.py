"""The audit of a text or a file: its results, each checked, what other numbers say of them, what it reports and omits.

How exact its p are, whether it calls results marginal, which tests stand without an effect size or interval, and
whether it names its data and a preregistration. Nothing is looked up: a link is a link that is printed.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from negstats.audit.beyond_p import Judgement, further, of_document
from negstats.audit.beyond_p.slips import PaperTests, find_exchanges, find_slips, name_slips
from negstats.audit.check_p import FLAGGED, Checked, check
from negstats.audit.common import ask_once, common_readings
from negstats.audit.context import Statement, context
from negstats.audit.distributions import NAMES
from negstats.audit.find_results import Reported, find
from negstats.audit.lost_signs import visible_results
from negstats.audit.reading import Cleaned, Document, clean, document, read
from negstats.audit.readings import Rules
from negstats.audit.words import places, words_of

if TYPE_CHECKING:
    import pandas as pd

WORDS = words_of("audits")
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
    has_effect = {
        sentence: bool(WORDS.effect.search(sentence)) for sentence in {result.sentence for result in tests if result.df}
    }
    without_effect = [result for result in tests if result.df and not has_effect[result.sentence]]
    marginal = _find_near(WORDS.marginal, text, *WORDS.table("weak"))
    data_links = _find_near(WORDS.data, text, *WORDS.table("places"))
    data_links = [match for match in data_links if not WORDS.request.search(text, match.start(), match.end() + 60)]
    registered = _find_near(WORDS.preregistered, text, *WORDS.table("registers"))
    registered = [
        match for match in registered if not WORDS.denied.search(text, max(match.start() - 40, 0), match.start())
    ]
    return (
        _build_fact_of_results("p that are not exact", inexact),
        _build_fact_of_words("results called marginal", marginal, paper, cleaned),
        _build_fact_of_results("tests without effect size or interval", without_effect),
        _build_fact_of_words("link to data", data_links, paper, cleaned),
        _build_fact_of_words("preregistration", registered, paper, cleaned),
    )


def _find_near(pattern: re.Pattern[str], text: str, *words: str) -> list[re.Match[str]]:
    """Return what a pattern finds near some words, in order."""
    matches: list[re.Match[str]] = []
    for position in sorted(places(text, *words)):
        last_end = matches[-1].end() if matches else 0
        if position >= last_end:
            window_start = max(position - AROUND, last_end)
            matches += pattern.finditer(text, window_start, max(min(position + AROUND, len(text)), window_start))
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


COLUMNS = ["file", "place", "type", "df1", "df2", "n", "relation", "value", "p_relation", "p"]
COLUMNS += ["p_low", "p_high", "verdict", "flagged", "why", "raw", "sentence"]
NUMBERS = ("df1", "df2", "n", "value", "p", "p_low", "p_high")
OF_JUDGEMENT = ("place", "what", "grade", "why", "raw", "sentence")


@dataclass(frozen=True, slots=True)
class Audit:
    """The results that a text reports, each checked.

    Attributes
    ----------
    source, unit : str
        The file, and what places count: "line" or "page".
    results : tuple of Checked
        In the order of the text.
    alpha : float
        The level that a decision error crosses.
    repairs : tuple of str
        Which signs the file has lost and what they are read as.
    further : tuple of Judgement
        What effect sizes, intervals, SE and percentages say, in the order of the text.
    facts : tuple of Fact
        What the text says of its own reporting: inexact p, results called marginal, links to data.
    unread : tuple of str
        What looks like a result and cannot be read, because its signs are lost and nothing shows what they were.
    """

    source: str
    unit: str
    results: tuple[Checked, ...]
    alpha: float
    repairs: tuple[str, ...] = ()
    further: tuple[Judgement, ...] = ()
    facts: tuple[Fact, ...] = ()
    unread: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.results)

    @property
    def flagged(self) -> tuple[Checked, ...]:
        """The results in which something is wrong."""
        return tuple(result for result in self.results if result.flagged)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of `to_frame`, without making a frame.

        Returns
        -------
        list[dict[str, Any]]
            One dictionary a result, with the columns as keys.
        """
        return [_row(self.source, result) for result in self.results]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a result.

        Columns: ``file``, ``place`` (a line, of a PDF a page), ``type`` ("p" for one that stands alone), ``df1``,
        ``df2`` (of F only), ``n``, ``relation`` and ``value`` of the statistic, ``p_relation`` and ``p`` as printed,
        ``p_low`` and ``p_high`` as recomputed, ``verdict``, ``flagged`` (False of a p that an earlier one asked about),
        ``why``, ``raw`` and ``sentence``.

        Returns
        -------
        DataFrame
            One row a result, in the order of the text.
        """
        import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=COLUMNS)
        frame = frame.astype(dict.fromkeys(NUMBERS, np.float64))
        frame.attrs["schema"] = "Audit/1"
        return frame

    def further_frame(self) -> pd.DataFrame:
        """Return one row a judgement: ``file``, ``place``, ``what``, ``grade``, ``why``, ``raw``, ``sentence``.

        Returns
        -------
        DataFrame
            One row a judgement, in the order of the text.
        """
        import pandas as pd

        frame = pd.DataFrame(self.further_rows(), columns=["file", *OF_JUDGEMENT])
        frame.attrs["schema"] = "Further/1"
        return frame

    def further_rows(self) -> list[dict[str, Any]]:
        """Return the rows of `further_frame`, without making a frame.

        Returns
        -------
        list[dict[str, Any]]
            One dictionary a judgement, with the columns as keys.
        """
        return [
            {"file": self.source, **{name: getattr(judgement, name) for name in OF_JUDGEMENT}}
            for judgement in self.further
        ]

    def fact_rows(self) -> list[dict[str, Any]]:
        """Return what the text says of its reporting, one row a fact.

        Returns
        -------
        list[dict[str, Any]]
            One dictionary a fact.
        """
        return [
            {"fact": fact.name, "count": fact.count, "places": list(fact.places), "quote": fact.quote}
            for fact in self.facts
        ]

    def text(self, *, flagged_only: bool = False) -> str:
        """Return each result (or each flagged one) with its sentence, and a last line that counts all verdicts.

        Parameters
        ----------
        flagged_only
            Whether only flagged results are listed.

        Returns
        -------
        str
            Several lines.
        """
        blocks = []
        for result in self.flagged if flagged_only else self.results:
            report = result.reported
            place_text = f"{self.source}, {self.unit} {report.place}"
            blocks.append(f"{place_text}: {report.raw}\n  {result.verdict}: {result.why}\n  “{report.sentence}”\n")
        for judgement in self.further:
            if judgement.flagged or (judgement.grade != "fits" and not flagged_only):
                place_text = f"{self.source}, {self.unit} {judgement.place}"
                blocks.append(
                    f"{place_text}: {judgement.raw}\n  {judgement.what}: {judgement.grade}: {judgement.why}\n  "
                    f"“{judgement.sentence}”\n"
                )
        return "\n".join([*blocks, self.summary()])

    def summary(self) -> str:
        """Return how many results have each verdict.

        Returns
        -------
        str
            One line.
        """
        unread = ""
        if self.unread:
            count, possessive = (
                ("1 result is", "its") if len(self.unread) == 1 else (f"{len(self.unread)} results are", "their")
            )
            unread = f"{count} visible and cannot be read, for {possessive} signs are lost (“{self.unread[0]}”)"
        if not self.results:
            return f"{self.source}: {unread or 'no reported results were found'}"
        counts = Counter(result.verdict for result in self.results)
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        repairs = "".join(f"; {note}" for note in (*self.repairs, unread) if note)
        n_further = sum(judgement.flagged for judgement in self.further)
        doubts = f"; {n_further} {'number' if n_further == 1 else 'numbers'} beside them in doubt" if n_further else ""
        return f"{self.source}: {len(self)} {'result' if len(self) == 1 else 'results'}: {verdicts}{doubts}{repairs}"


def audit_file(path: str | Path, *, alpha: float = 0.05) -> Audit:
    """Find the results that a paper reports and recompute each p.

    Parameters
    ----------
    path
        Text, Markdown, LaTeX, HTML or PDF.
    alpha
        The level that a decision error crosses.

    Returns
    -------
    Audit
        The results in the order of the text, each with its recomputed p.

    Raises
    ------
    LogError
        If the file cannot be read.
    DesignError
        If alpha is not between 0 and 1.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paper = Path(folder) / "paper.md"
    ...     _ = paper.write_text("They differed, *t*(49) = 4.12, *p* < .001.")
    ...     audit_file(paper).results[0].verdict
    'consistent'
    """
    return audit_document(read(path), Rules(alpha))


def audit_text(text: str, *, source: str = "text", alpha: float = 0.05) -> Audit:
    """Find the results that a text reports and recompute each p; as `audit_file`.

    Parameters
    ----------
    text
        What the paper says.
    source
        What the text is called in the report.
    alpha
        The level that a decision error crosses, as in `audit_file`.

    Returns
    -------
    Audit
        The results in the order of the text, each with its recomputed p.

    Examples
    --------
    >>> result = audit_text("Those who rejected it did not differ, χ²(1, N = 94) = 4.67, p = .198.")
    >>> print(result.text())
    text, line 1: χ²(1, N = 94) = 4.67, p = .198
      decision error: χ²(1) = 4.67 gives p = .031, not p = .198; df 3 would give it
      “Those who rejected it did not differ, χ²(1, N = 94) = 4.67, p = .198.”
    <BLANKLINE>
    text: 1 result: 1 decision error
    """
    return audit_document(document(text, source), Rules(alpha))


def audit_document(paper: Document, rules: Rules) -> Audit:
    """Find the results that a document reports and recompute each p, by these rules.

    Examples
    --------
    >>> paper = document("They differed, t(32) = 1.74, p = .046.")
    >>> [audit_document(paper, rules).results[0].verdict for rules in (Rules(), Rules(one_tailed=True))]
    ['decision error', 'consistent']
    """
    clean_text = clean(paper.text)
    statements = context(clean_text.text)
    reported_results = _share_tables(find(paper, statements, clean_text))
    checked_results = common_readings([check(result, rules) for result in reported_results])
    declaration = statements.anywhere("one tail", "direction")
    reports = [result.reported for result in checked_results]
    tests = PaperTests(reports)
    # What several results say of each other changes verdicts; questions about the whole text come once.
    results, questions = ask_once(_name_causes(checked_results, tests), declaration)
    judgements = [judgement for report in reports for judgement in further(report, rules.alpha, tests)]
    judged = sorted(
        [*questions, *judgements, *of_document(paper, clean_text, reports)], key=lambda judgement: judgement.place
    )
    facts = facts_of(paper, clean_text, reports)
    repairs = tuple(map(str, paper.repairs))
    unread = tuple(_find_unread(paper, results))
    return Audit(paper.source, paper.unit, results, rules.alpha, repairs, tuple(judged), facts, unread)


def _find_unread(paper: Document, results: Iterable[Checked]) -> Iterator[str]:
    """Yield what looks like a result, has signs that are not known, and is none of the results."""
    read_results = {(result.reported.place, "".join(result.reported.raw.split())) for result in results}
    for start, words in visible_results(paper.text):
        beginning = "".join(words[: words.index(")") + 1 if ")" in words else 6].split())
        if not any(place == paper.place(start) and raw.startswith(beginning) for place, raw in read_results):
            yield words


def _share_tables(results: Iterable[Reported]) -> list[Reported]:
    """Return results, those that a table prints again with what its caption or note says of its p."""
    all_results = list(results)
    correction_by_result: dict[Hashable, Statement] = {
        (result.kind, result.df, result.value): result.correction
        for result in all_results
        if result.value is not None and result.correction is not None and result.correction.table is not None
    }
    shared: list[Reported] = []
    for result in all_results:
        fact = correction_by_result.get((result.kind, result.df, result.value))
        other_facts = tuple(statement for statement in result.facts if statement.kind != "correction")
        shared.append(dataclasses.replace(result, facts=(fact, *other_facts)) if fact is not None else result)
    return shared


def _name_causes(results: Sequence[Checked], tests: PaperTests) -> list[Checked]:
    """Return results, those whose p does not fit with the single edits that would make their numbers agree."""
    named_results = list(results)
    for index, result in enumerate(results):
        if result.verdict not in FLAGGED or result.verdict == "impossible" or result.one_tail_alone:
            continue
        adjacent = [neighbour for neighbour in results[max(index - 1, 0) : index + 2] if neighbour is not result]
        neighbours = [neighbour.reported for neighbour in adjacent if neighbour.reported.place == result.reported.place]
        slips = [*find_slips(result.reported, tests), *find_exchanges(result.reported, neighbours)]
        slips.sort(key=lambda slip: slip.cost)
        if slips:
            reason = f"{result.why}; {name_slips(slips)}"
            named_results[index] = dataclasses.replace(result, why=reason, slips=tuple(slips))
    return named_results


def _row(source: str, result: Checked) -> dict[str, Any]:
    report = result.reported
    df = [float(value) for value in report.df] + [math.nan, math.nan]
    n = math.nan if report.n is None else float(report.n)
    p = math.nan if report.p is None else float(report.p)
    value = math.nan if report.value is None else float(report.value)
    prints = (report.relation, value, report.p_relation, p)
    computed_values = (result.p_low, result.p_high, result.verdict, result.flagged, result.why)
    origin, text = (source, report.place, NAMES[report.kind]), (report.raw, report.sentence)
    return dict(zip(COLUMNS, (*origin, *df[:2], n, *prints, *computed_values, *text), strict=True))
