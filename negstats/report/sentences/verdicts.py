"""The sentence of a verdict: what follows for the hypothesis, and whether the effect is large enough to matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from negstats.report.numerals import ends_of, interval
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.sentences.pieces import term_of
from negstats.report.sentences.question import Question, own_words

# What is said of a hypothesis, by whether an effect was found and whether it lies as predicted; {noun} is its kind.
CLAIMS: Mapping[tuple[str, str | None], str] = {
    ("found", "as predicted"): "{id} was supported",
    ("found", "opposite"): "{id} was not supported; the {noun} was significant in the opposite direction",
    ("not found", None): "{id} was not supported",
    ("not found after correction", None): "{id} was not supported after correction",
    ("equivalent", None): "{id} was supported",
    ("not equivalent", None): "{id} was not supported; the difference lies outside the bounds",
    ("not equivalent after correction", None): "{id} was not supported after correction",
    ("inconclusive", None): "{id} remains inconclusive",
}
# The same of a question that predicts no sign: it is answered, and not supported.
ANSWERS: Mapping[str, str] = {
    "found": "{article} {noun} was found for {id}{way}",
    "not found": "No {noun} was shown for {id}",
    "not found after correction": "No {noun} was shown for {id} after correction",
}
DIFFERENCES = ("difference", "adjusted_difference", "risk_difference")


def verdict_sentence(
    question: Question, test: Mapping[str, Any], *, several: bool, named: bool = True
) -> Iterator[Prose]:
    """Yield what follows for the hypothesis, and whether the effect is large enough to matter.

    Of several terms each has its verdict, unless all have the same; then the term is not `named`.
    """
    place, verdict = question.verdict_record(test)
    if verdict is None:
        return
    name: Prose = prose("{id}", id=question.id)
    if several and named and term_of(test):
        name = prose("{id} ({term})", id=question.id, term=term_of(test))
    yield prose(
        "{claim}{depends}{after}.",
        claim=_claim(question, verdict, name, is_named=named or not several),
        depends=prose(" (depends on the method)") if verdict["depends"] else Prose(),
        after=_ending(question, test, verdict, several=several),
    )
    yield from _size_sentence(question, test, place)


def _claim(question: Question, verdict: Mapping[str, Any], name: Prose, *, is_named: bool) -> Prose:
    """Return what follows from an effect and its prediction."""
    effect, kind, match = verdict["effect"], verdict["noun"], verdict["match"]
    if not is_named and len({one["noun"] for one in question.entry["verdicts"]}) > 1:
        kind = "effect"  # of all terms
    noun = own_words(kind)
    if verdict["predicted"] is None and effect in ANSWERS:
        article = own_words("An" if kind in ("interaction", "effect") else "A")
        way = _way(question, verdict) if is_named else Prose()
        return prose(
            ANSWERS[effect], article=article, noun=noun, id=name, way=prose(": {w}", w=way) if way else Prose()
        )
    if effect == "not found" and match == "opposite" and verdict["word"] != "not supported":  # a one-sided test
        return prose("{id} was not supported; the {noun} lies in the opposite direction", id=name, noun=noun)
    return prose(CLAIMS[effect, match if effect == "found" else None], id=name, noun=noun)


def _way(question: Question, verdict: Mapping[str, Any]) -> Prose:
    """Return which way an effect lies that nothing predicted: "more in CL", "positive"."""
    first, sign, second = (verdict["observed"] or "").partition(" > ")
    if not sign:
        return prose("{way}", way=Run(first)) if first else Prose()
    for factor in question.factors:
        if first in factor["levels"]:
            return prose("more {group}", group=question.groups_of(factor)[factor["levels"].index(first)])
    return prose("{first} larger than {second}", first=first, second=second)


def _ending(question: Question, test: Mapping[str, Any], verdict: Mapping[str, Any], *, several: bool) -> Prose:
    """Return what the interval leaves open, or what the verdict goes by."""
    effect = verdict["effect"]
    if effect == "not found" and verdict["size"] is None and not several:
        return _compatible(question, test)
    if effect == "not found after correction":
        return prose("; the interval is not corrected")
    if effect == "equivalent" and question.levels:
        levels = " and ".join(f"{{l{at}}}" for at in range(len(question.levels)))
        named_levels = {f"l{at}": level for at, level in enumerate(question.levels)}
        return prose(f"; {levels} were equivalent within these bounds", **named_levels)
    return Prose()


def _scale(question: Question, test: Mapping[str, Any]) -> tuple[str, int, str]:
    """Return how the estimate of a test is rounded: its kind, its decimals and its unit with a blank before it."""
    name = (test.get("estimate") or {}).get("name")
    if name == "risk_difference":
        return "percent", 1, " percentage points"
    return ("share", 2, "") if name == "r" else (question.words.kind, question.digits, question.unit_after())


def _size_sentence(question: Question, test: Mapping[str, Any], place: int) -> Iterator[Prose]:
    """Yield whether the effect is large enough to matter: a fact of its own, from the interval of that fact."""
    verdict = question.entry["verdicts"][place]
    size = verdict.get("size")
    if size is None:
        return
    kind, digits, unit = _scale(question, test)
    at = f"{question.at}/verdicts/{place}/size"
    smallest = prose("{s}{unit}", s=question.number(f"/verdicts/{place}/smallest", kind, digits), unit=own_words(unit))
    noun, is_found = verdict["noun"], verdict["effect"] == "found"
    parts = [interval(size, kind, at, digits)]
    if size["statistic"] is not None and size["answer"] == "ruled out":
        df = prose("({df})", df=question.number(f"/verdicts/{place}/size/df", "df")) if size["df"] else Prose()
        t = question.number(f"/verdicts/{place}/size/statistic", "statistic")
        parts.append(prose("*t*{df} = {t}", df=df, t=t))
        parts.append(question.p_at(f"/verdicts/{place}/size/p"))
    numbers = join(parts, ", ")
    article = own_words("an" if noun == "interaction" else "a")
    words = {"article": article, "noun": own_words(noun), "s": smallest, "numbers": numbers}
    if size["answer"] == "ruled out":
        lead = own_words("However, " if is_found and verdict["match"] != "opposite" else "")
        yield prose(
            "{lead}{article} {noun} of {s} or more can be ruled out, {numbers}.", lead=lead, **words
        ).capitalised
    elif size["answer"] == "reached":
        yield prose("{article} {noun} smaller than {s} can be ruled out, {numbers}.", **words).capitalised
    elif is_found:
        yield prose("The interval includes {noun}s smaller than {s} and {noun}s of {s} or more, {numbers}.", **words)
    elif verdict["effect"] == "not found":
        yield prose(
            "The result is inconclusive: the interval includes no {noun} and {noun}s of {s} or more.",
            noun=own_words(noun),
            s=smallest,
        )
    else:
        yield prose("{article} {noun} of {s} or more cannot be ruled out, {numbers}.", **words).capitalised


def _compatible(question: Question, test: Mapping[str, Any]) -> Prose:
    """Return the differences that the data allow; empty where the estimate is no difference with two ends."""
    estimate = test.get("estimate") or {}
    if estimate.get("name") not in DIFFERENCES or None in (estimate.get("low"), estimate.get("high")):
        return Prose()
    kind, digits, unit = _scale(question, test)
    first, last = ends_of(estimate, kind, f"{question.at}{question.test_at(test)}/estimate", digits)
    return prose(
        "; the data are compatible with differences from {low} to {high}{unit}",
        low=first,
        high=last,
        unit=own_words(unit),
    )


def verdict_cell(question: Question, verdict: Mapping[str, Any]) -> Prose:
    """Return a verdict as a table has it: the word, which way the effect lies, and whether it depends on the method."""
    word = str(verdict["word"])
    way = _way(question, verdict) if verdict["predicted"] is None and verdict["effect"] == "found" else Prose()
    text = Prose((Run(word[:1].upper() + word[1:]),))
    text = prose("{text}: {way}", text=text, way=way) if way else text
    return text + prose(" (depends on the method)") if verdict["depends"] else text
