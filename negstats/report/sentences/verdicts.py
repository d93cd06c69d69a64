"""The sentence of a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from negstats.report.numerals import ends_of
from negstats.report.prose import Prose, prose
from negstats.report.sentences.pieces import term_of
from negstats.report.sentences.question import Question, own_words


def verdict_sentence(
    question: Question, test: Mapping[str, Any], *, several: bool, named: bool = True
) -> Iterator[Prose]:
    """Yield what follows for the hypothesis, with what the interval leaves open.

    Of several terms each has its verdict, unless all have the same; then the term is not `named`.
    """
    match = next(
        (
            (place, one)
            for place, one in enumerate(question.entry.get("verdicts") or ())
            if one["address"] == test["address"]
        ),
        None,
    )
    if match is None:
        return
    place, one = match
    name: Prose = prose("{id}", id=question.id)
    if several and named and term_of(test):
        name = prose("{id} ({term})", id=question.id, term=term_of(test))
    depends = prose(" (depends on the method)") if one["depends"] else Prose()
    word = one["word"]
    smallest = Prose()
    if one.get("smallest") is not None:
        is_correlation = (test.get("estimate") or {}).get("name") == "r"
        percent = (test.get("estimate") or {}).get("name") == "risk_difference"
        kind, digits = (
            ("percent", 1) if percent else ("share", 2) if is_correlation else (question.words.kind, question.digits)
        )
        unit = " percentage points" if percent else "" if is_correlation else question.unit_after()
        smallest = prose(
            "{s}{unit}", s=question.number(f"/verdicts/{place}/smallest", kind, digits), unit=own_words(unit)
        )
    ending = Prose()
    low, high = ((test.get("estimate") or {}).get(key) for key in ("low", "high"))
    has_both_ends = None not in (low, high) and (test.get("estimate") or {}).get("name") in (
        "difference",
        "adjusted_difference",
        "risk_difference",
    )
    if word == "supported":
        claim = "was supported"
        if (
            smallest
            and low is not None
            and high is not None
            and (abs(low) < one["smallest"] or abs(high) < one["smallest"])
        ):
            ending = prose("; effects below {s} are not ruled out", s=smallest)
    elif word == "not supported":
        claim = "was not supported"
        if has_both_ends and not several:
            points = test["estimate"]["name"] == "risk_difference"
            kind, decimals = ("percent", 1) if points else (question.words.kind, question.digits)
            unit = " percentage points" if points else question.unit_after()
            first, last = ends_of(test["estimate"], kind, f"{question.at}{question.test_at(test)}/estimate", decimals)
            ending = prose(
                "; the data are compatible with differences from {low} to {high}{unit}",
                low=first,
                high=last,
                unit=own_words(unit),
            )
    elif word == "not supported after correction":
        claim = "was not supported after correction"
        ending = prose("; the interval is not corrected")
    elif word.startswith("not supported, and"):
        claim = "was not supported"
        ending = prose(", and any effect is smaller than {s}", s=smallest)
    elif word == "inconclusive":
        claim = "remains inconclusive"
        if smallest:
            ending = prose(
                ": the interval holds both no difference and differences that would matter ({s})", s=smallest
            )
    elif word.startswith("not supported;"):
        claim = "was not supported; the difference goes the other way"
    elif word == "equivalent":
        claim = "was supported"
        levels = " and ".join("{" + f"l{at}" + "}" for at in range(len(question.levels)))
        ending = prose(
            f"; {levels} were equivalent within these bounds" if levels else "",
            **{f"l{at}": level for at, level in enumerate(question.levels)},
        )
    elif word == "not equivalent":
        claim = "was not supported; the difference lies outside the bounds"
    else:
        claim = f"was {word}"
    yield prose("{name} {claim}{depends}{after}.", name=name, claim=own_words(claim), depends=depends, after=ending)
