"""One answer without the report around it: its sentences as text, and its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from negstats.errors import DesignError
from negstats.report.answers_section import REFERENCE
from negstats.report.figures import find_drawings
from negstats.report.sentences import Question, paragraph
from negstats.sanitize import line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from negstats.analysis.answers import Answer


def sentences(answer: Answer) -> str:
    """Return the sentences of the report on a question; what it calls a table or figure by number stands beside it."""
    entries = answer.results["questions"]
    place = next(place for place, entry in enumerate(entries) if entry["id"] == answer.id)
    whole = str(paragraph(Question(answer.results, place, answer.plan)))
    named = REFERENCE.sub(lambda found: "the figure" if found[1] == "figure" else "the table", whole)
    return line(named.replace(". the ", ". The "), 5000)


def draw(answer: Answer) -> Axes:
    """Draw the figure of a question, its caption below.

    Raises
    ------
    DesignError
        If there is nothing to draw.
    """
    drawing = next(iter(find_drawings(answer, answer)), None)
    if drawing is None:
        raise DesignError("the figure draws every value, and these stay with the engine or could not be tested")
    _, _, compute = drawing
    axes, _ = compute()
    return axes
