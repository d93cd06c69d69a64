"""What sentences of several tests share: means of groups, terms, lists, and the sentence that every test has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from negstats.report.labels import SENTENCE, method_name
from negstats.report.prose import NO_BREAK, Prose, Run, Slot, join, prose
from negstats.report.sentences.question import POINTS, Question, own_words
from negstats.sanitize import line
from negstats.stats.results.apa import decimals_of

SMALL = 4  # cells whose means stand in the sentence; of more a table has them


def reference(kind: str, question: str) -> Run:
    """Return where a table or figure is named; its number is known when the report is put together."""
    return Run(f"\ue000{kind}:{question}\ue000")


SYMBOL = re.compile(r"(?<![\w])(d_z|r_s|t|F|p|z|r|M|SD|N|n|g|d|U|H|V|W|Q|OR|HR|RR|b)(?=\s?[=<>(])")


def symbols(text: str, address: str = "") -> Prose:
    """Return an APA line with its symbols in italics; its numbers are those of the address.

    Examples
    --------
    >>> [run.text for run in symbols("t(65) = 2.46, p = .017").runs if run.style == "i"]
    ['t', 'p']
    """
    slot = Slot(address, "text") if address else None
    runs, at = [], 0
    tied = re.sub(r" ([=<>]) ", rf"{NO_BREAK}\1{NO_BREAK}", text)
    for match in SYMBOL.finditer(tied):
        runs += [Run(tied[at : match.start()], slot=slot, named=True), Run(match[0], "i", named=True)]
        at = match.end()
    return Prose(tuple(run for run in [*runs, Run(tied[at:], slot=slot, named=True)] if run.text))


def term_of(test: Mapping[str, Any]) -> str:
    """Return the term that a test is of, empty where the question has one."""
    return str(test["address"].partition("#")[0].partition("/")[2])


def outcome(question: Question) -> Prose:
    """Return what the outcome is called inside a sentence."""
    return own_words(question.words.noun)


def two_means(question: Question, test: Mapping[str, Any], *, n: bool) -> Iterator[Prose]:
    """Yield the sentence of two means: higher and lower only where that is supported."""
    words = question.words
    one, two = question.groups
    sign = (test.get("estimate") or {}).get("value") or 0.0
    means = [question.mean(place, n=n, symbol=question.directed(test)) for place in range(2)]
    if question.directed(test):
        if words.verb:
            subject, verb, more, less = words.verb
            claim = f"{subject} {verb} {more if sign > 0 else less}"
        else:
            claim = f"{words.noun} {words.was} {'higher' if sign > 0 else 'lower'}"
        yield prose(
            "{lead}{claim} {one} {m1} than {two} {m2}.", lead=question.lead_of(test), claim=own_words(claim), one=one,
            two=two, m1=means[0], m2=means[1],
        )  # fmt: skip
    elif words.verb:
        subject, verb, *_ = words.verb
        unit = question.unit_after()
        first = prose(
            "{m}{unit}{rest}",
            m=question.number("/cells/0/mean"),
            unit=own_words(unit),
            rest=spread_of(question, 0, n=n),
        )
        yield prose(
            "{claim} {m1} {one} and {m2} {two}.",
            claim=own_words(f"{subject} {verb}"),
            one=one,
            two=two,
            m1=first,
            m2=means[1],
        )
    else:
        yield prose(
            "{y} {was} {m1} {one} and {m2} {two}.",
            y=outcome(question),
            was=own_words(words.was),
            one=one,
            two=two,
            m1=means[0],
            m2=means[1],
        )


def spread_of(question: Question, place: int, *, n: bool) -> Prose:
    """Return the SD of a group in parentheses, with its size where asked."""
    parts = []
    if question.value(f"/cells/{place}/sd") is not None:
        parts.append(prose("*SD* = {sd}", sd=question.number(f"/cells/{place}/sd")))
    if n:
        parts.append(prose("*n* = {n}", n=question.number(f"/cells/{place}/n", "count")))
    return prose(" ({all})", all=join(parts, ", ")) if parts else Prose()


def pair_means(question: Question) -> bool:
    """Whether the question compares two levels whose means are known."""
    return (
        len(question.levels) == 2
        and len(question.entry["cells"]) == 2
        and all(cell.get("mean") is not None for cell in question.entry["cells"])
    )


def group_means(question: Question) -> Prose:
    """Return the means of a few cells, or where the table has them."""
    cells = question.entry["cells"]
    if len(question.factors) == 1 and len(cells) <= SMALL and all(cell.get("mean") is not None for cell in cells):
        means = [question.mean(place, n=True) for place in range(len(cells))]
        claim = prose("{y} averaged", y=outcome(question))
        if question.words.verb:
            subject, verb, *_ = question.words.verb
            claim = own_words(f"{subject} {verb}")
        unit, rest = own_words(question.unit_after()), spread_of(question, 0, n=True)
        means[0] = prose("{m}{unit}{rest}", m=question.number("/cells/0/mean"), unit=unit, rest=rest)
        each = [prose("{m} {group}", m=m, group=group) for m, group in zip(means, question.groups, strict=True)]
        return prose("{claim} {all}.", claim=claim, all=listed(each))
    return prose("{table} has *M*, *SD* and *n* of each group.", table=reference("cells", question.id))


def listed(parts: Sequence[Prose]) -> Prose:
    """Return parts as a list in a sentence."""
    if len(parts) < 2:
        return join(parts)
    return join([join(parts[:-1], ", "), parts[-1]], " and " if len(parts) == 2 else ", and ")


def differed(question: Question, test: Mapping[str, Any]) -> str:
    """Return "differed", or that a difference was not shown, in the outcome's number."""
    return (
        "differed"
        if question.directed(test)
        else "was not shown to differ"
        if not question.words.plural
        else "were not shown to differ"
    )


def generic_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield what every test has: the estimate in the measure's unit, the test, and the effect."""
    term = term_of(test)
    estimate = test.get("estimate") or {}
    of = prose(" ({term})", term=term) if term and len(question.answers) > 1 else Prose()
    if (
        test is question.answers[0]
        and question.factors
        and all(cell.get("mean") is not None for cell in question.entry["cells"])
    ):
        yield group_means(question)
    test_text = question.tested(test) if test.get("p") is not None else Prose()
    if not test_text:
        yield symbols(line(test["apa"], SENTENCE), f"{question.at}{question.test_at(test)}/apa") + prose(".")
        return
    size = Prose()
    if estimate.get("value") is not None and estimate != test.get("effect"):
        path = f"{question.test_at(test)}/estimate"
        name = {
            "slope": "*b*",
            "difference_of_slopes": "difference of slopes",
            "adjusted_difference": "adjusted difference",
        }.get(estimate["name"], estimate["name"].replace("_", " "))
        if estimate["name"] in POINTS:
            size = join(
                [
                    prose("difference of {d} percentage points", d=question.number(f"{path}/value", "percent", 1)),
                    question.ends(path, "percent", 1),
                ],
                ", ",
            )
        elif estimate["name"] == "slope" or estimate["name"] == "difference_of_slopes":
            digits = decimals_of(abs(estimate["value"]) or None)
            size = join(
                [
                    prose(name + " = {d}", d=question.number(f"{path}/value", "measure", digits)),
                    question.ends(path, "measure", digits),
                ],
                ", ",
            )
        else:
            size = prose(name + " = {d}", d=question.difference(test))
    name = method_name(test["method"])
    lead = prose(
        "{name}{of}: {rest}.",
        name=Prose((Run(name[:1].upper() + name[1:], named=True),)),
        of=of,
        rest=join([size, test_text], ", "),
    )
    yield lead
