"""A report as a Results section: headings, paragraphs, tables and figures, the same for its page, Word and LaTeX.

Everything follows from ``results.json`` and the plan; nothing is computed here but roundings. A paragraph names its
tables and figures by key, and they are numbered in the order in which they are first named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from negstats.report.answer_tables import sensitivity_table
from negstats.report.answers_section import REFERENCE, exploratory, hypotheses
from negstats.report.apa_table import Table
from negstats.report.appendix import ANCHOR, appendix
from negstats.report.blocks import Block, Figure, Figures, Heading, Paragraph, Summary, Words
from negstats.report.closing_sections import availability, deviations, quality, references
from negstats.report.coding import agreement_tables, coding_sentences
from negstats.report.data_tables import (
    correlations_table,
    descriptives_table,
    measures_table,
)
from negstats.report.labels import NAME, SENTENCE
from negstats.report.participants import participants
from negstats.report.prose import Prose, join, prose
from negstats.report.references import cited
from negstats.report.sentences import Question, reference
from negstats.report.traits import is_of_seats
from negstats.sanitize import counted, line

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.report.figures import Shown


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
    blocks = tuple(block for block in _blocks(report, questions, figures or {}, appended) if not _empty(block))
    numbers = _numbers(blocks)
    return Words(
        title=line(plan.title, 500) or "Untitled study",
        authors=", ".join(line(author, NAME) for author in plan.authors),
        state=_state(results),
        size=_size(results["study"]),
        source=_source(results["study"]),
        summary=tuple(_summary(one) for one in questions if not one.entry["explored"]),
        blocks=tuple(_resolved(block, numbers) for block in blocks),
        numbers=numbers,
        works=tuple(cited(results)),
    )


def _empty(block: Block) -> bool:
    return (isinstance(block, Paragraph) and not block.text) or (isinstance(block, Table) and not block.rows)


def _numbers(blocks: Sequence[Block]) -> dict[str, str]:
    """Return the number of each table and figure in the order in which they are first named; of the appendix A1, A2."""
    block_keys = [block.key for block in blocks if isinstance(block, (Table, Figure))]
    start = next(
        (at for at, one in enumerate(blocks) if isinstance(one, Heading) and one.anchor == ANCHOR), len(blocks)
    )
    appended_keys = {block.key for block in blocks[start:] if isinstance(block, (Table, Figure))}
    order: list[str] = []
    for block in blocks:
        keys = (
            [f"{kind}:{of}" for run in block.text.runs for kind, of in REFERENCE.findall(run.text)]
            if isinstance(block, Paragraph)
            else [block.key]
            if isinstance(block, (Table, Figure))
            else []
        )
        order += [key for key in keys if key in block_keys and key not in order]
    numbers: dict[str, str] = {}
    counts: Counter[tuple[bool, bool]] = Counter()
    for key in order:
        is_appended = key in appended_keys
        counts[series := (key.startswith("figure:"), is_appended)] += 1
        numbers[key] = f"{'A' if is_appended else ''}{counts[series]}"
    return numbers


def _resolved(block: Block, numbers: Mapping[str, str]) -> Block:
    if not isinstance(block, Paragraph):
        return block

    def named(match: re.Match[str]) -> str:
        key = f"{match[1]}:{match[2]}"
        return f"{'Figure' if match[1] == 'figure' else 'Table'}\u00a0{numbers.get(key, '–')}"

    runs = [
        replace(run, text=REFERENCE.sub(named, run.text), named=True) if "\ue000" in run.text else run
        for run in block.text.runs
    ]
    return replace(block, text=Prose(tuple(runs)))


def _blocks(
    report: Report, questions: Sequence[Question], figures: Figures, appended: tuple[Sequence[Shown], Sequence[str]]
) -> Iterator[Block]:
    results = report.results
    yield Heading(prose("Participants and data"), 2, "participants")
    yield from participants(report, questions)
    yield from _measures(results, questions)
    yield from _descriptives(results, questions)
    yield from hypotheses(results, [one for one in questions if not one.entry["explored"]], figures)
    yield from exploratory([one for one in questions if one.entry["explored"]], figures)
    table, sentence = sensitivity_table(questions)
    if table.rows:
        yield Heading(prose("Sensitivity"), 2, "sensitivity")
        yield Paragraph(sentence)
        yield table
    yield from deviations(results)
    yield from quality(results, questions)
    yield from availability(report)
    yield from references(results)
    yield from appendix(questions, *appended)


def _measures(results: Mapping[str, Any], questions: Sequence[Question]) -> Iterator[Block]:
    yield Heading(prose("Measures"), 2, "measures")
    definitions = prose("{table} defines the measures.", table=reference("measures", ""))
    yield Paragraph(join([definitions, *coding_sentences(results, questions)]))
    yield measures_table(questions)
    yield from agreement_tables(results)


def _descriptives(results: Mapping[str, Any], questions: Sequence[Question]) -> Iterator[Block]:
    descriptives, related = descriptives_table(questions), correlations_table(results, questions)
    if not descriptives.rows:
        return
    yield Heading(prose("Descriptive statistics"), 2, "descriptives")
    values = prose("{table} describes the values of the measures.", table=reference("descriptives", ""))
    correlations = prose("{table} has their correlations.", table=reference("correlations", ""))
    yield Paragraph(join([values, correlations] if related.rows else [values]))
    yield descriptives
    yield related


def _summary(question: Question) -> Summary:
    verdict = line(question.entry.get("verdict") or "described", SENTENCE)
    verdicts = question.entry.get("verdicts") or ()
    return Summary(
        question.id,
        line(question.entry["asks"], SENTENCE),
        verdict[:1].upper() + verdict[1:],
        bool(verdicts) and all(one["word"] in ("supported", "equivalent") for one in verdicts),
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
