"""The sections of a report that answer its questions: hypotheses, and what was explored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from negstats.analysis.questions.linked import UNKNOWN_PEOPLE
from negstats.report.answer_tables import cells_table, hypotheses_table, tests_table
from negstats.report.apa_table import Table
from negstats.report.blocks import Block, Figure, Figures, Heading, Paragraph
from negstats.report.labels import CORRECTIONS, NAME, SENTENCE
from negstats.report.outcomes_table import outcomes_place, outcomes_table
from negstats.report.prose import Prose, join, prose
from negstats.report.sentences import Question, paragraph, reference
from negstats.report.sentences.question import own_words
from negstats.sanitize import line

REFERENCE = re.compile("\ue000(\\w+):([^\ue000]*)\ue000")


def hypotheses(results: Mapping[str, Any], planned: Sequence[Question], figures: Figures) -> Iterator[Block]:
    """Yield the table of hypotheses and a part for each."""
    yield Heading(prose("Hypotheses"), 2, "hypotheses")
    if not planned:
        yield Paragraph(prose("The plan has no hypotheses, only exploratory questions."))
        return
    listing = prose("{table} lists the hypotheses with their results.", table=reference("hypotheses", ""))
    yield Paragraph(join([listing, *_families(results, planned)]))
    yield hypotheses_table(planned)
    for one in planned:
        yield from _question(one, planned, figures)


def exploratory(explored: Sequence[Question], figures: Figures) -> Iterator[Block]:
    """Yield a part for each question that was not planned."""
    if not explored:
        return
    yield Heading(prose("Exploratory analyses"), 2, "exploratory")
    yield Paragraph(
        prose(
            "These questions were not planned. They have no verdict, and their *p* values are not corrected together "
            "with those of the hypotheses."
        )
    )
    for one in explored:
        yield from _question(one, explored, figures)


def _families(results: Mapping[str, Any], planned: Sequence[Question]) -> Iterator[Prose]:
    members: set[str] = set()
    for family in results.get("families") or ():
        ids = list(dict.fromkeys(re.split("[/#]", str(member))[0] for member in family["members"]))
        members |= set(ids)
        if family["correction"] == "none" or len(family["members"]) < 2:
            continue
        name = CORRECTIONS.get(family["correction"], line(family["correction"], NAME))
        names_text = _join_names([prose("{id}", id=line(one, NAME)) for one in ids])
        yield prose("{listed} were corrected together by {name}'s method.", listed=names_text, name=own_words(name))
    uncorrected = [one for one in planned if one.id not in members and one.answers]
    if uncorrected:
        if len(planned) == 1:
            yield prose("{id} is the only hypothesis, and its *p* is not corrected.", id=uncorrected[0].id)
            return
        names_text = _join_names([prose("{id}", id=one.id) for one in uncorrected])
        is_plural = len(uncorrected) > 1
        yield prose(
            "{listed} {are} not in a family and not corrected.",
            listed=names_text,
            are=own_words("are" if is_plural else "is"),
        )


def _means_table(question: Question, others: Sequence[Question]) -> tuple[Table, bool]:
    """Return the table of a question's means and whether it comes here: one of several questions comes at the first."""
    place = outcomes_place(question)
    if place is None:
        return cells_table(question), True
    is_first = question.entry["id"] == question.results["outcomes"][place]["rows"][0]["question"]
    return outcomes_table(others, place), is_first


def _question(question: Question, others: Sequence[Question], figures: Figures) -> Iterator[Block]:
    """Yield the paragraph of a question with its tables, figures and notes."""
    heading = prose("{id}. {asks}", id=question.id, asks=line(question.entry["asks"], SENTENCE))
    yield Heading(heading, 3, f"q-{question.id}")
    text = paragraph(question)
    means, is_here = _means_table(question, others)
    tables = [table for table in (means, tests_table(question)) if table.rows]  # tests: in the appendix
    drawings, problems = figures.get(question.id, ((), ()))
    figure_blocks = [Figure(f"figure:{one.name}", one) for one in drawings]
    closing = _name_contents(
        question, _keys_in(text), [*(one.key for one in tables), *(one.key for one in figure_blocks)]
    )
    yield Paragraph(join([text, closing]))
    yield from (table for table in tables if table is means and is_here)
    yield from figure_blocks
    for why in problems:
        not_drawn = prose("Figure for {id} was not drawn: {why}", id=question.id, why=line(why, SENTENCE))
        yield Paragraph(not_drawn, "note")
    yield from _notes(question)


def _keys_in(text: Prose) -> list[str]:
    """Return the keys of the tables and figures that a text names, in its order."""
    return [f"{kind}:{of}" for run in text.runs for kind, of in REFERENCE.findall(run.text)]


def _name_contents(question: Question, named_keys: Sequence[str], keys: Sequence[str]) -> Prose:
    """Return a sentence of what each table that the paragraph does not name has, and each figure shows."""
    has_counts = any("count" in cell for cell in question.entry.get("cells") or ())
    contents = {"cells": "has the counts" if has_counts else "has the means", "tests": "has all tests"}
    sentences = []
    for key in keys:
        kind, _, of = key.partition(":")
        if kind == "figure":
            content = "shows the difference" if of.endswith(".difference") else "shows the data"
        elif key in named_keys:
            continue
        else:
            content = contents[kind]
        sentences.append(prose("{table} {what}", table=reference(kind, of), what=own_words(content)))
    return prose("{listed}.", listed=_join_names(sentences)) if sentences else Prose()


def _notes(question: Question) -> Iterator[Paragraph]:
    """Yield what was excluded, and why intervals are missing."""
    flow = [f" excluded ({row['reason']})." for row in question.results.get("flow") or ()]
    for note in question.entry.get("notes") or ():
        if note != UNKNOWN_PEOPLE and not note.endswith(tuple(flow)):  # which the participants' section says once
            yield Paragraph(prose("{note}", note=_sentence(line(question.plain(note), SENTENCE))), "note")
    reasons = dict.fromkeys(
        why for cell in question.entry.get("cells") or () for why in (cell.get("why") or {}).values()
    )
    yield from (Paragraph(prose("No interval: {why}.", why=line(why, SENTENCE)), "note") for why in reasons)


def _sentence(note: str) -> str:
    """Return a note with its full stop, and a capital where it begins with a word of ours."""
    first = note.partition(" ")[0]
    whole = note[:1].upper() + note[1:] if first in ("people's", "no", "some", "a", "the") else note
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."


def _join_names(parts: Sequence[Prose]) -> Prose:
    return join(parts) if len(parts) < 2 else join([join(parts[:-1], ", "), parts[-1]], " and ")
