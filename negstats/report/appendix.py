"""The appendix of a report: all tests of each question, why each was chosen, and the residuals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from negstats.report.answer_tables import tests_table
from negstats.report.apa_table import DASH, Table, cell, head
from negstats.report.blocks import Block, Figure, Heading, Paragraph
from negstats.report.labels import NAME, SENTENCE, UNITS, method_name
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.sentences import Question, reference
from negstats.sanitize import counted, line

if TYPE_CHECKING:
    from negstats.report.figures import Shown

ANCHOR = "appendix"
PLACES = {"between": "varies between", "within": "varies within", "partly": "varies within some"}


def appendix(questions: Sequence[Question], figures: Sequence[Shown], problems: Sequence[str]) -> Iterator[Block]:
    """Yield the appendix; `figures` are those of the residuals, `problems` why others were not drawn."""
    if not questions:
        return
    yield Heading(prose("Appendix"), 2, ANCHOR)
    choice = _choice_table(questions)
    shown = [Prose((reference("figure", one.name),)) for one in figures]
    yield Paragraph(
        join(
            [
                prose("{table} says which test each question has, and why.", table=reference(*choice.key.split(":"))),
                prose(
                    "{figures} {show} the residuals.",
                    figures=join(shown, ", "),
                    show=Run("shows" if len(shown) == 1 else "show"),
                )
                if shown
                else Prose(),
            ]
        )
    )
    yield from (table for question in questions if (table := tests_table(question)).rows)
    yield choice
    yield from (Figure(f"figure:{one.name}", one) for one in figures)
    yield from (Paragraph(prose("{why}", why=line(why, SENTENCE)), "note") for why in problems)


def _choice_table(questions: Sequence[Question]) -> Table:
    """Return a row a question: its main test, why the rules chose it, and how the factors lie."""
    rows = []
    for question in questions:
        rule = question.entry.get("rule") or {}
        method = method_name(question.answers[0]["method"]) if question.answers else ""
        rows.append(
            (
                cell(question.id),
                cell(Prose((Run(method[:1].upper() + method[1:], named=True),)) if method else ""),
                cell(line(rule.get("sentence") or "", SENTENCE)),
                cell(_design(question)),
            )
        )
    columns = [head("Question"), head("Main test"), head("Reason"), head("Design")]
    places = [at for at in range(len(columns)) if at == 0 or any(str(row[at]) != DASH for row in rows)]
    return Table(
        "choice:",
        "Choice of Tests",
        tuple(columns[at] for at in places),
        tuple(tuple(row[at] for at in places) for row in rows),
    )


def _design(question: Question) -> Prose:
    """Return how each factor lies over the units."""
    design = question.entry.get("design") or {}
    if not design.get("units"):
        return Prose()
    units = counted(2, UNITS.get(design["units"], line(design["units"], NAME))).partition(" ")[2]
    return join(
        [
            prose(
                "{name} {place} {units}",
                name=line(factor["name"], NAME),
                place=Run(PLACES.get(factor["lies"], "varies over")),
                units=Run(units),
            )
            for factor in design.get("factors") or ()
        ],
        "; ",
    )
