"""What a report says of its methods: each sentence is made from the tests that ran, and none is said of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from negstats.report.labels import method_name
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.sentences.question import own_words

# Methods by what is true of each: which variances it takes, and whether it is exact.
UNEQUAL_VARIANCES = ("welch", "welch_anova")
POOLED_VARIANCES = ("anova", "ancova")
ROBUST_ERRORS = {"anova_hc3": "HC3", "regression_cr2": "CR2"}
EXACT = ("fisher", "fisher_mid_p", "mcnemar", "mcnemar_mid_p", "binomial")


def method_sentences(results: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield how tests were chosen, and what is true of those that ran."""
    tests = [test for question in results["questions"] for test in question["tests"]]
    answers, checks = _methods(tests, "answer"), _methods(tests, "beside")
    if not answers:
        yield prose("No test was computed.")
        return
    yield own_words(
        "The test follows from the design and the kind of outcome, never from a test of assumptions on the same data."
    )
    yield prose("These tests answered the questions: {names}.", names=_listed(answers))
    follow_ups = [name for name in _methods(tests, "follow-up") if name not in answers]
    if follow_ups:
        yield prose("These tests followed an answer: {names}.", names=_listed(follow_ups))
    yield from _variance_sentences(answers, checks)
    if checks:
        yield prose("These tests served as robustness checks and did not decide: {names}.", names=_listed(checks))
    exact = [name for name in answers if name in EXACT]
    if exact:
        yield prose(
            "{names} {gives} an exact *p*.", names=_listed(exact), gives=_verb(exact, "gives", "give")
        ).capitalised


def _methods(tests: Sequence[Mapping[str, Any]], role: str) -> list[str]:
    """Return the methods of a role that gave a number, in the order in which they came."""
    return list(dict.fromkeys(test["method"] for test in tests if test["role"] == role))


def _variance_sentences(answers: Sequence[str], checks: Sequence[str]) -> Iterator[Prose]:
    """Yield which of the answering tests take variances of groups as equal, and which do not."""
    unequal = [name for name in answers if name in UNEQUAL_VARIANCES]
    pooled = [name for name in answers if name in POOLED_VARIANCES]
    if unequal:
        claim = prose("{names} {does} not take variances as equal.", names=_listed(unequal),
                      does=_verb(unequal, "does", "do"))  # fmt: skip
        yield claim.capitalised
    robust = [ROBUST_ERRORS[name] for name in checks if name in ROBUST_ERRORS]
    if pooled and robust:
        yield prose("{names} {takes} variances as equal and {was} repeated with {errors} standard errors.",
                    names=_listed(pooled), takes=_verb(pooled, "takes", "take"), was=_verb(pooled, "was", "were"),
                    errors=Prose((Run(" and ".join(robust), named=True),))).capitalised  # fmt: skip
    elif pooled:
        yield prose("{names} {takes} variances as equal.", names=_listed(pooled),
                    takes=_verb(pooled, "takes", "take")).capitalised  # fmt: skip


def _verb(names: Sequence[str], singular: str, plural: str) -> Prose:
    return own_words(singular if len(names) == 1 else plural)


def _listed(methods: Sequence[str]) -> Prose:
    """Return the names of methods as a list in a sentence."""
    parts = [Prose((Run(method_name(one), named=True),)) for one in dict.fromkeys(methods)]
    if len(parts) < 2:
        return join(parts)
    return join([join(parts[:-1], ", "), parts[-1]], " and ")
