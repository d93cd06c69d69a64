"""One answer without the report around it: its sentences as text, and its figure."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from negstats.errors import DesignError
from negstats.report.apa_table import html_prose
from negstats.report.numerals import counts_in_words
from negstats.report.prose import Prose, join, prose
from negstats.report.sentences import Question, paragraph
from negstats.report.sentences.base_facts import REFERENCE
from negstats.report.supplement import assumption_text
from negstats.sanitize import line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from negstats.analysis.answers import Answer


def sentences(answer: Answer) -> str:
    """Return the sentences of the report on a question; tables and figures are named without numbers."""
    return line(str(_paragraph(answer)), 5000)


def to_html_sentences(answer: Answer) -> str:
    """Return the sentences of the report on a question as HTML, statistics in italics."""
    return str(html_prose(_paragraph(answer)))


def to_html(answer: Answer) -> str:
    """Return what a notebook shows: the question, the sentences of the report, and the table of its cells."""
    title = line(f"{answer.id}. {answer.question.asks}")
    table = answer.table().to_html(border=0, float_format="{:.4g}".format) if answer.entry["cells"] else ""
    return f"<p><b>{escape(title)}</b></p><p>{to_html_sentences(answer)}</p>{table}"


def _paragraph(answer: Answer) -> Prose:
    entries = answer.results["questions"]
    place = next(place for place, entry in enumerate(entries) if entry["id"] == answer.id)
    question = Question(answer.results, place, answer.plan)
    seen = assumption_text(question).capitalised  # which a report has in its supplement
    whole = counts_in_words(join([paragraph(question), prose("{seen}.", seen=seen) if seen else Prose()]))
    runs = [replace(run, text=REFERENCE.sub(_named, run.text)) for run in whole.runs]
    return Prose(tuple(runs))


def _named(found: re.Match[str]) -> str:
    return "the figure" if found[1] == "figure" else "the table"


def draw(answer: Answer) -> Axes:
    """Draw the figure of a question, its caption below.

    Raises
    ------
    DesignError
        If there is nothing to draw.
    """
    from negstats.report.figures import find_drawings  # it imports matplotlib, which a sentence does not need

    drawing = next(iter(find_drawings(answer, answer)), None)
    if drawing is None:
        raise DesignError("the figure draws every value, and these stay with the engine or could not be tested")
    _, _, compute = drawing
    axes, _ = compute()
    return axes
