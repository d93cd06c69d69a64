"""A report as a Results section: headings, paragraphs, tables and figures, the same for its page, Word and LaTeX.

Everything follows from ``results.json`` and the plan; nothing is computed here but roundings. A paragraph names its
tables and figures by key, and they are numbered in the order in which they are first named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from negstats.report.answers_section import results_section
from negstats.report.apa_table import Table
from negstats.report.blocks import Block, Figure, Figures, Heading, Paragraph, Summary, Words
from negstats.report.labels import NAME, SENTENCE
from negstats.report.method_section import method_section
from negstats.report.numerals import counts_in_words
from negstats.report.participants import is_of_seats
from negstats.report.prose import Prose, prose
from negstats.report.references import SOFTWARE, cited, references
from negstats.report.sentences import Question
from negstats.report.sentences.base_facts import REFERENCE
from negstats.report.supplement import supplement
from negstats.sanitize import capitalised, counted, line

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.report.figures import Shown

SUBTITLES = {"simulated": "A simulation study: no person took part", "agents": "A study of automated agents"}


def words_of(
    report: Report, figures: Figures | None = None, appended: tuple[Sequence[Shown], Sequence[str]] = ((), ())
) -> Words:
    """Return what a report says.

    Parameters
    ----------
    report
        The report.
    figures
        Those of each question that were drawn, and why others were not.
    appended
        The same of the appendix.
    """
    results, plan = report.results, report.plan
    questions = [Question(results, place, plan) for place in range(len(results["questions"]))]
    body: list[Block] = [*method_section(report, questions), *results_section(questions, figures or {})]
    works = cited(" ".join(str(block.text) for block in body if isinstance(block, Paragraph)))
    list_of_works: list[Block] = [Heading(prose("References"), 2, "references"), *references(works, results)]
    main = [block for block in (*body, *list_of_works) if not _empty(block)]
    blocks_of_supplement = [block for block in supplement(report, questions, *appended) if not _empty(block)]
    numbers = {**_numbers(main), **_numbers(blocks_of_supplement, "S")}
    return Words(
        title=line(plan.title, 500) or "Untitled study",
        subtitle=SUBTITLES.get(str(results["study"].get("participation")), ""),
        authors=", ".join(line(author, NAME) for author in plan.authors),
        state=_state(results),
        size=_size(results["study"]),
        source=_source(results["study"]),
        summary=tuple(_summary(question) for question in questions if not question.entry["explored"]),
        main=tuple(_resolved(block, numbers) for block in main),
        supplement=tuple(_resolved(block, numbers) for block in blocks_of_supplement),
        numbers=numbers,
        works=(*works, SOFTWARE),
    )


def _empty(block: Block) -> bool:
    return (isinstance(block, Paragraph) and not block.text) or (isinstance(block, Table) and not block.rows)


def _numbers(blocks: Sequence[Block], series: str = "") -> dict[str, str]:
    """Return the number of each table and figure in the order in which they are named; of the supplement S1, S2."""
    block_keys = [block.key for block in blocks if isinstance(block, (Table, Figure))]
    named_keys = [
        f"{kind}:{of}"
        for block in blocks
        if isinstance(block, Paragraph)
        for run in block.text.runs
        for kind, of, _ in REFERENCE.findall(run.text)
    ]
    counts: Counter[bool] = Counter()
    numbers: dict[str, str] = {}
    for key in dict.fromkeys((*(key for key in named_keys if key in block_keys), *block_keys)):
        counts[is_figure := key.startswith("figure:")] += 1
        numbers[key] = f"{series}{counts[is_figure]}"
    return numbers


def _resolved(block: Block, numbers: Mapping[str, str]) -> Block:
    if not isinstance(block, Paragraph):
        return block
    text = block.text if block.style else counts_in_words(block.text)

    def named(match: re.Match[str]) -> str:
        number = numbers.get(f"{match[1]}:{match[2]}", "–")
        return number if match[3] else f"{'Figure' if match[1] == 'figure' else 'Table'}\u00a0{number}"

    runs = [
        replace(run, text=REFERENCE.sub(named, run.text), named=True) if "\ue000" in run.text else run
        for run in text.runs
    ]
    return replace(block, text=Prose(tuple(runs)))


def _summary(question: Question) -> Summary:
    verdict = line(question.entry.get("verdict") or "described", SENTENCE)
    verdicts = question.verdicts
    return Summary(
        question.id,
        line(question.entry["asks"], SENTENCE),
        capitalised(verdict),
        bool(verdicts) and all(record["word"] in ("supported", "equivalent") for record in verdicts),
    )


def _state(results: Mapping[str, Any]) -> str:
    return f"Plan: {line(results['plan']['state'] or 'not registered', NAME)}"


def _size(study: Mapping[str, Any]) -> str:
    games = counted(int((study.get("loaded") or study)["games"]), "game")
    people = (study.get("loaded") or study).get("people")
    if (who := study.get("participation")) in ("simulated", "agents"):
        return f"{games} of {'simulated players' if who == 'simulated' else 'agents'}"
    if people and is_of_seats(study):
        return f"{games} with {counted(int(people), 'seat')}"
    return f"{games} of {counted(int(people), 'person')}" if people else f"{games}; participants not identified"


def _source(study: Mapping[str, Any]) -> str:
    sources = study.get("sources") or []
    format_ = f"{line(study.get('loader', ''), 80)} format"
    if len(sources) == 1:
        return f"Data: {line(sources[0]['name'], 80)} ({format_})"
    return f"Data: {counted(len(sources), 'file')} ({format_})" if sources else f"Data: {format_}"
