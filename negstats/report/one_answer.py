"""One answer without the report around it: its sentences as text, and its figure."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from negstats.errors import DesignError
from negstats.report.apa_table import html_prose
from negstats.report.numerals import counts_in_words
from negstats.report.prose import Prose, join, listed, prose
from negstats.report.sentences import Question, paragraph
from negstats.report.sentences.base_facts import REFERENCE
from negstats.report.sentences.question import own_words
from negstats.report.supplement import assumption_text
from negstats.sanitize import line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from negstats.analysis.answers import Answer

MOST_CELLS = 6  # of two factors whose numbers a sentence has


def sentences(answer: Answer) -> str:
    """Return the sentences of the report on a question; tables and figures are named without numbers."""
    return line(str(_paragraph(answer)), 5000)


def to_html_sentences(answer: Answer) -> str:
    """Return the sentences of the report on a question as HTML, statistics in italics."""
    return str(html_prose(_paragraph(answer)))


def to_html(answer: Answer) -> str:
    """Return what a notebook shows: the question, the sentences of the report, and the table of its cells."""
    title = line(f"{answer.id}. {answer.question.asks}")
    digits = _question_of(answer).digits
    table = answer.table().to_html(border=0, float_format=f"{{:.{digits}f}}".format) if answer.entry["cells"] else ""
    return f"<p><b>{escape(title)}</b></p><p>{to_html_sentences(answer)}</p>{table}"


def _question_of(answer: Answer) -> Question:
    entries = answer.results["questions"]
    place = next(place for place, entry in enumerate(entries) if entry["id"] == answer.id)
    return Question(answer.results, place, answer.plan)


def _paragraph(answer: Answer) -> Prose:
    question = _question_of(answer)
    seen = assumption_text(question).capitalised  # which a report has in its supplement
    whole = counts_in_words(
        join([_cells(question), paragraph(question), prose("{seen}.", seen=seen) if seen else Prose()])
    )
    runs = [replace(run, text=REFERENCE.sub(_named, run.text)) for run in whole.runs]
    return Prose(tuple(runs))


def _cells(question: Question) -> Prose:
    """Return the means or shares of two crossed factors, which a report has in a table; empty of many or of others."""
    cells, factors = question.entry["cells"], question.factors
    shares = all("count" in cell for cell in cells)
    is_known = shares or all(cell.get("mean") is not None for cell in cells)
    if len(factors) != 2 or not question.answers or not is_known or len(cells) > MOST_CELLS:
        return Prose()
    name, parts = factors[1]["name"], list[Prose]()
    inner = question.groups_of(factors[1])
    for level, where in zip(factors[0]["levels"], question.groups_of(factors[0]), strict=True):
        values = [
            prose("{value} {group}", value=question.share(place) if shares else question.mean(place), group=group)
            for other, group in zip(factors[1]["levels"], inner, strict=True)
            for place, cell in enumerate(cells)
            if cell["levels"] == {factors[0]["name"]: level, name: other}
        ]
        words = "{where}, {all} {event}" if shares else "{where}, {outcome} averaged {all}"
        parts.append(prose(words if not parts else "{where}, {all}", where=where, all=listed(values),
                           event=own_words(question.words.event), outcome=own_words(question.words.noun)))  # fmt: skip
    return prose("{all}.", all=join(parts, "; ")).capitalised


def _named(match: re.Match[str]) -> str:
    return "the figure" if match[1] == "figure" else "the table"


def draw(answer: Answer) -> Axes:
    """Draw the figure of a question, its caption below.

    Raises
    ------
    DesignError
        If there is nothing to draw.
    """
    from negstats.plots.style import caption_below, captions_apart
    from negstats.report.figures import find_drawings  # it imports matplotlib, which a sentence does not need

    drawing = next(iter(find_drawings(answer, answer)), None)
    if drawing is None:
        raise DesignError("the figure draws every value, and these stay with the engine or could not be tested")
    _, _, compute = drawing
    with captions_apart():
        axes, _ = compute()
    caption_below(axes)
    return axes
