"""The paragraph of a question: what was found, in the plan's words, by the test that was planned.

The order is always the same: finding with mean and SD of each group, raw difference with its interval, test, effect
with its interval, verdict, checks, meaning. A template computes nothing but roundings: each number is a slot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from negstats.report.labels import NAME, SENTENCE
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.result_tables import level_text
from negstats.report.sentences.assumptions import assumption_sentences
from negstats.report.sentences.checks import (
    agreement_sentences,
    check_sentences,
    follow_up_sentences,
    partner_sentences,
    region_sentences,
    simple_effect_sentences,
)
from negstats.report.sentences.means import (
    equivalence_sentences,
    group_sentences,
    mixed_sentences,
    model_sentences,
    one_sample_sentences,
    paired_sentences,
    repeated_sentences,
    term_sentences,
    two_group_sentences,
)
from negstats.report.sentences.models import (
    chance_sentences,
    count_sentences,
    equation_sentences,
    ratio_sentences,
    slope_sentences,
)
from negstats.report.sentences.pieces import generic_sentences, listed
from negstats.report.sentences.question import Question, own_words
from negstats.report.sentences.relations import correlation_sentences, logistic_sentences, part_sentences
from negstats.report.sentences.shares import share_sentences
from negstats.report.sentences.times import rate_sentences, time_sentences
from negstats.report.sentences.verdicts import verdict_sentence
from negstats.sanitize import line

TEMPLATES: Mapping[str, Callable[[Question, Mapping[str, Any]], Iterator[Prose]]] = {
    "welch": two_group_sentences,
    "paired": paired_sentences,
    "equivalence": equivalence_sentences,
    "welch_anova": group_sentences,
    "kruskal_wallis": generic_sentences,
    "welch_james": term_sentences,
    "box": term_sentences,
    "mixed_anova": term_sentences,
    "repeated": repeated_sentences,
    "dyad": model_sentences,
    "mixed": mixed_sentences,
    "pearson": correlation_sentences,
    "spearman": correlation_sentences,
    "chi_squared": share_sentences,
    "fisher": share_sentences,
    "mcnemar": share_sentences,
    "cochran": share_sentences,
    "binomial": share_sentences,
    "share": share_sentences,
    "one_sample": one_sample_sentences,
    "mean": one_sample_sentences,
    "logistic": logistic_sentences,
    "logistic_firth": logistic_sentences,
    "gee": equation_sentences,
    "gray": time_sentences,
    "logrank": time_sentences,
    "cox": rate_sentences,
    "ordinal": ratio_sentences,
    "regression": slope_sentences,
    "quasi_poisson": count_sentences,
    "welch_james_ratios": count_sentences,
    "brunner_munzel": chance_sentences,
}


def paragraph(question: Question) -> Prose:
    """Return the paragraph of a question, its title in bold."""
    entry = question.entry
    title = question.words.title
    kind = ", equivalence" if any(test["method"] == "equivalence" for test in question.answers) else ""
    head = prose("**{title} ({id}{kind}).**", title=own_words(title), id=question.id, kind=own_words(kind))
    if str(entry.get("verdict") or "").startswith("not tested"):
        reason = line(entry["verdict"], SENTENCE).partition(": ")[2]
        return join([head, prose("{id} was not tested: {reason}.", id=question.id, reason=reason.rstrip("."))])
    opening = [prose("Not planned:")] if entry["explored"] else []
    parts = list(_parts(question))
    if opening and parts and parts[0].runs and not parts[0].runs[0].named:
        first = parts[0].runs[0]
        lower = (
            first.text[:1].lower() + first.text[1:]
            if first.text[1:2].islower() or first.text.startswith("A ")
            else first.text
        )
        parts[0] = Prose((Run(lower, first.style, first.slot, first.named), *parts[0].runs[1:]))
    return join([head, *opening, *parts])


def _restriction(question: Question) -> Iterator[Prose]:
    """Yield which levels of which factors a question is restricted to: "session Session_1 alone"."""
    planned = question.plan.questions.get(question.entry["id"])
    for name, levels in (planned.only if planned is not None else {}).items():
        texts = [prose("{level}", level=level_text(question.plan, name, level)) for level in levels]
        yield prose(
            "This question considers {factor} {levels} alone.",
            factor=line(name, NAME).replace("_", " "),
            levels=listed(texts),
        )


def _outcome(verdict: Mapping[str, Any]) -> tuple[object, ...]:
    """Return what one sentence can say of several terms, whichever kinds of effects they are."""
    return verdict["effect"], verdict["predicted"] is None, verdict["match"], verdict["depends"]


def _parts(question: Question) -> Iterator[Prose]:
    answers = question.answers
    if not answers:
        return
    has_several = len(answers) > 1
    yield from _restriction(question)
    verdicts = question.entry.get("verdicts") or ()
    has_sizes = any(one["size"] is not None for one in verdicts)
    alike = has_several and not has_sizes and len({_outcome(one) for one in verdicts}) == 1
    for test in answers:
        make = TEMPLATES.get(test["method"], generic_sentences)
        yield from (part.capitalised for part in make(question, test) if part)
        if has_several and not alike:
            yield from verdict_sentence(question, test, several=True)
    if alike or not has_several:
        yield from verdict_sentence(question, answers[0], several=has_several, named=False)
    yield from part_sentences(question)
    yield from simple_effect_sentences(question)
    yield from follow_up_sentences(question)
    yield from assumption_sentences(question)
    yield from check_sentences(question)
    yield from agreement_sentences(question)
    yield from region_sentences(question)
    yield from partner_sentences(question)
