"""Sentences of shares, and of shares of related rows by estimating equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from negstats.report.labels import method_name
from negstats.report.numerals import percent_digits
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.sentences.pieces import SMALL, generic_sentences, listed, reference
from negstats.report.sentences.question import Question, own_words
from negstats.sanitize import counted


def share_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield the counts of each group, the difference of two shares, and the test."""
    cells = question.entry["cells"]
    if not cells or any("count" not in cell for cell in cells) or len(question.factors) > 1:
        yield from generic_sentences(question, test)
        return
    if not question.levels:
        yield from _one_share(question, test)
        return
    if len(cells) <= SMALL:
        each = [
            prose("{share} {group}", share=question.share(place), group=question.groups[place])
            for place in range(len(cells))
        ]
        yield prose("{listed} {event}.", listed=listed(each), event=own_words(question.words.event))
    else:
        yield prose("{table} has the counts of each group.", table=reference("cells", question.id))
    if (test.get("estimate") or {}).get("name") == "risk_difference":
        path = f"{question.test_at(test)}/estimate"
        d = prose("The difference was {d} percentage points", d=question.number(f"{path}/value", "percent", 1))
        lead = join([d, question.ends(path, "percent", 1)], ", ")
    elif test.get("p") is not None:
        lead = own_words("The groups differed" if question.directed(test) else "The groups were not shown to differ")
    else:
        return
    tested = question.tested(test) if test.get("statistic") is not None else exact_text(question, test)
    yield prose("{lead}, {tested}.", lead=lead, tested=tested)


def _one_share(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield the share of one group with its interval, and its test against the planned value."""
    cell, path = question.entry["cells"][0], f"{question.test_at(test)}/estimate"
    rows = (question.entry.get("rows") or {}).get("row", "game")
    n, count = (question.number(f"/cells/0/{key}", "count") for key in ("n", "count"))
    yield prose(
        "Of {n} {noun} {count} ({share}%) {event}, {ends}.",
        n=n,
        noun=own_words(counted(2, rows).partition(" ")[2]),
        count=count,
        share=question.number("/cells/0/share", "percent", percent_digits(cell["share"] or 0.0, cell["n"])),
        event=own_words(question.words.event),
        ends=question.sided(test, question.ends(path, "percent", 1)),
    )
    if test.get("p") is not None:
        null_value = question.plan.questions[question.entry["id"]].against
        yield prose(
            "The share was tested against {stated}%: {tested}.",
            stated=Run(f"{100 * null_value:g}", named=True),
            tested=exact_text(question, test),
        )


def exact_text(question: Question, test: Mapping[str, Any]) -> Prose:
    """Return p of a test without a statistic by its name, with its effect."""
    return join(
        [
            prose("{name} {p}", name=own_words(method_name(test["method"])), p=question.p_of(test)),
            *question.corrected(test),
            question.effect_of(test),
        ],
        ", ",
    )
