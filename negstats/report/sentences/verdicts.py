"""The sentence of a verdict: what follows for the hypothesis, and what the interval leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from negstats.report.numerals import ends_of
from negstats.report.prose import Prose, prose
from negstats.report.sentences.pieces import term_of
from negstats.report.sentences.question import Question, own_words

# What is said of a hypothesis by the word of its verdict; words with a condition are read by `_claim`.
CLAIMS = {
    "supported": "was supported",
    "not supported": "was not supported",
    "not supported after correction": "was not supported after correction",
    "inconclusive": "remains inconclusive",
    "equivalent": "was supported",
    "not equivalent": "was not supported; the difference lies outside the bounds",
}
RELATIONS = ("r", "rho", "tau_b", "slope", "average_marginal_effect")
DIFFERENCES = ("difference", "adjusted_difference", "risk_difference")


def verdict_sentence(
    question: Question, test: Mapping[str, Any], *, several: bool, named: bool = True
) -> Iterator[Prose]:
    """Yield what follows for the hypothesis, with what the interval leaves open.

    Of several terms each has its verdict, unless all have the same; then the term is not `named`.
    """
    for place, verdict in enumerate(question.entry.get("verdicts") or ()):
        if verdict["address"] != test["address"]:
            continue
        name: Prose = prose("{id}", id=question.id)
        if several and named and term_of(test):
            name = prose("{id} ({term})", id=question.id, term=term_of(test))
        yield prose(
            "{name} {claim}{depends}{after}.",
            name=name,
            claim=own_words(_claim(verdict["word"], test)),
            depends=prose(" (depends on the method)") if verdict["depends"] else Prose(),
            after=_ending(question, test, place, several=several),
        )
        return


def _claim(word: str, test: Mapping[str, Any]) -> str:
    if word.startswith("not supported, and"):
        return "was not supported"
    if word.startswith("not supported;"):
        what = "relation" if (test.get("estimate") or {}).get("name") in RELATIONS else "difference"
        return f"was not supported; the {what} goes the other way"
    return CLAIMS.get(word, f"was {word}")


def _ending(question: Question, test: Mapping[str, Any], place: int, *, several: bool) -> Prose:
    """Return what the interval leaves open, or what the verdict goes by."""
    verdict = question.entry["verdicts"][place]
    word, smallest = verdict["word"], _smallest(question, test, place)
    if word == "supported" and smallest and _holds_smaller(test, verdict["smallest"]):
        return prose("; effects below {s} are not ruled out", s=smallest)
    if word == "not supported" and not several:
        return _compatible(question, test)
    if word == "not supported after correction":
        return prose("; the interval is not corrected")
    if word.startswith("not supported, and"):
        return prose(", and any effect is smaller than {s}", s=smallest)
    if word == "inconclusive" and smallest:
        return prose(": the interval holds both no difference and differences that would matter ({s})", s=smallest)
    if word == "equivalent" and question.levels:
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


def _smallest(question: Question, test: Mapping[str, Any], place: int) -> Prose:
    """Return the smallest effect that would matter, with its unit; empty where the plan names none."""
    if question.entry["verdicts"][place].get("smallest") is None:
        return Prose()
    kind, digits, unit = _scale(question, test)
    return prose("{s}{unit}", s=question.number(f"/verdicts/{place}/smallest", kind, digits), unit=own_words(unit))


def _holds_smaller(test: Mapping[str, Any], smallest: float) -> bool:
    """Whether the interval has an end nearer to no effect than the smallest one that would matter."""
    ends = [(test.get("estimate") or {}).get(key) for key in ("low", "high")]
    return None not in ends and any(abs(float(end)) < smallest for end in ends if end is not None)


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
