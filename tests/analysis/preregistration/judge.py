"""Where a draft puts the question for which data were collected: first, drafted, offered, or nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from negstats.analysis.plan.model import Question

Verdict: TypeAlias = Literal["first", "drafted", "part", "offered", "missing"]
Asked: TypeAlias = tuple[str, frozenset[str], frozenset[str]]  # measure, factors, related numbers


def _short(name: str) -> str:
    """Return a measure without the table that holds it."""
    return name.rpartition(".")[2] if not name.startswith("labels.") else name


def asked_of(question: Question) -> Asked:
    """Return what a question of a plan is about."""
    return _short(question.measure), frozenset(question.by), frozenset(map(_short, question.with_))


def read_expected(text: str) -> set[Asked]:
    """Return the questions that would do, as `designs` writes them.

    Examples
    --------
    >>> sorted(read_expected("a|b ~ x * y"))[0][0]
    'a'
    """
    *others, last = [part.strip() for part in text.split("|")]
    _, _, right = last.partition("~")
    expected = set()
    for part in (*others, last):
        measure, _, own = part.partition("~")
        words = (own or (right if not others or "~" not in "".join(others) else "")).strip()
        related = words.startswith("with ")
        names = frozenset(name.strip() for name in words.removeprefix("with ").split("*") if name.strip())
        expected.add((_short(measure.strip()), frozenset() if related else names, names if related else frozenset()))
    return expected


def judge(questions: Sequence[str], drafted: Sequence[Asked], offered: Sequence[Asked] = ()) -> Verdict:
    """Return where the questions stand: all drafted and one of them first, all or some drafted, all offered."""
    expected = [read_expected(text) for text in questions]
    present = [bool(would_do & set(drafted)) for would_do in expected]
    if all(present):
        return "first" if drafted[0] in set().union(*expected) else "drafted"
    if any(present):
        return "part"
    return "offered" if all(would_do & {*drafted, *offered} for would_do in expected) else "missing"
