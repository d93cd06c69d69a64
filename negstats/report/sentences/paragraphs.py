"""The paragraph of a question: what was found, in the plan's words, by the test that was planned.

The order is always the same: direction in words with the means, difference with its interval, test, effect size,
verdict, follow-ups, and what leads elsewhere. Words come from ``words.toml``, and each number is a slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from negstats.report.labels import NAME, SENTENCE, level_text
from negstats.report.prose import Prose, join, listed, prose
from negstats.report.sentences.facts import Facts
from negstats.report.sentences.follow_ups import check_sentences, follow_up_sentences
from negstats.report.sentences.question import Question, own_words
from negstats.report.sentences.renderer import load_words, render, render_tables
from negstats.sanitize import line, plural

QUOTED = re.compile(r"(?<!\w)'([^']+)'(?!\w)")


def paragraph(question: Question, see: Prose | None = None, *, alone: bool = True) -> Prose:
    """Return the paragraph of a question.

    Parameters
    ----------
    question
        The question.
    see
        Where a table or figure shows it: " (see Figure 1)".
    alone
        Whether it is the only one, so that no section of its own says what other methods gave.
    """
    entry = question.entry
    if str(entry.get("verdict") or "").startswith("not tested"):
        reason = line(entry["verdict"], SENTENCE).partition(": ")[2].partition("; ")[0].rstrip(".")  # no advice
        reason = QUOTED.sub(r"“\1”", question.plain(reason))
        return prose("{id} was not tested: {reason}.", id=question.hypothesis, reason=reason)
    return join(part.capitalised for part in _parts(question, see or Prose(), alone=alone))


def _parts(question: Question, see: Prose, *, alone: bool) -> Iterator[Prose]:
    yield from _restriction(question)
    verdicts = question.verdicts
    is_alike = len(verdicts) > 1 and len({(verdict["effect"], verdict["match"]) for verdict in verdicts}) == 1
    is_one = is_alike and not any(verdict["size"] for verdict in verdicts)  # then the last test says it for all
    for place, test in enumerate(question.answers):
        facts = Facts(question, test, see if not place else Prose(), is_of_all=is_one)
        is_silent = question.entry["explored"] or (is_one and not facts.last)
        yield from render_tables(facts, test["method"], [] if is_silent else list(verdict_sentences(facts)))
        if len(question.answers) > 1 and not facts.masked:
            yield from check_sentences(question, test, agreeing=False)
    yield from follow_up_sentences(question)
    if len(question.answers) == 1:
        yield from check_sentences(question, question.answers[0], agreeing=alone)


def verdict_sentences(facts: Facts) -> Iterator[Prose]:
    """Yield what follows for the hypothesis, and whether the effect is large enough to matter."""
    words = load_words()["verdict"]
    if facts.question.verdict_record(facts.test)[1] is None or facts.masked:
        return
    yield from (render(facts, words[name]).capitalised for name in ("answer", "size"))


def _restriction(question: Question) -> Iterator[Prose]:
    """Yield which levels of other factors a question is restricted to."""
    planned = question.plan.questions.get(question.entry["id"])
    only: Mapping[str, Any] = planned.only if planned is not None else {}
    clauses = []
    for name, levels in only.items():
        if planned is not None and name in planned.by:  # the levels that are compared are said with the result
            continue
        texts = [prose("{level}", level=level_text(question.plan, name, level)) for level in levels]
        factor = own_words(line(name, NAME).replace("_", " "))
        clauses.append(prose("whose {factor} was {levels}", factor=factor, levels=listed(texts, "or")))
    if clauses:
        rows = own_words(plural(question.row))
        yield prose("This analysis was limited to {rows} {each}.", rows=rows, each=listed(clauses))
