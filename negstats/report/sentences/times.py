"""Sentences of times to an end: how games ended, until when they are compared, and Cox regression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from negstats.report.prose import Prose, join, prose
from negstats.report.sentences.models import percentage_points, ratio_sentences
from negstats.report.sentences.pieces import SMALL, listed
from negstats.report.sentences.question import Question, own_words


def endings(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield how the games ended, and the median times where no end competes."""
    details, at = test.get("details") or {}, f"{question.test_at(test)}/details"
    if "agreement" not in details:
        return
    ways = (
        ("agreement", "{n} ended in agreement"),
        ("left", "{n} ended without one"),
        ("censored", "{n} were cut off"),
    )
    each = [prose(text, n=question.number(f"{at}/{key}", "count")) for key, text in ways if details.get(key)]
    yield prose(
        "Of {n} games {listed}.", n=question.number(f"{question.test_at(test)}/n/0", "count"), listed=listed(each)
    )
    if details.get("left"):
        yield prose("An end without agreement is counted as such, and not as time that is missing.")
    medians = [place for place in range(len(question.levels)) if details.get(f"median_{place}") is not None]
    if medians and len(medians) == len(question.levels) <= SMALL:
        median_texts = [prose("{m}{unit} {group}", m=question.number(f"{at}/median_{place}"),
                              group=question.groups[place], unit=own_words(question.unit_after()))
                        for place in medians]  # fmt: skip
        yield prose("The median time to agreement was {listed}.", listed=listed(median_texts))


def time_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a test of times: the difference up to a time that is named, then the test."""
    yield from endings(question, test)
    name = {"gray": "Gray's test", "logrank": "log-rank test"}[test["method"]]
    effect, path = test.get("effect") or {}, f"{question.test_at(test)}/effect"
    whole = join([question.statistic_of(test), question.p_of(test), *question.corrected(test)], ", ")
    if len(question.levels) != 2 or effect.get("value") is None or (test.get("details") or {}).get("until") is None:
        groups = own_words("The groups differed" if question.directed(test) else "The groups were not shown to differ")
        yield prose("{groups}, {name} {tested}.", groups=groups, name=own_words(name), tested=whole)
        return
    one, two = question.levels
    digits = 0 if float(test["details"]["until"]).is_integer() else None
    until = prose("{until}{unit}", until=question.number(f"{question.test_at(test)}/details/until", digits=digits),
                  unit=own_words(question.unit_after()))  # fmt: skip
    if effect["name"] == "difference_of_incidence":
        yield prose(
            "By {until} the share that had agreed differed by {d} between {one} and {two}, {name} {tested}.",
            until=until, d=percentage_points(question, path), one=one, two=two, name=own_words(name), tested=whole,
        )  # fmt: skip
        return
    size = join([prose("{d}{unit}", d=question.number(f"{path}/value"), unit=own_words(question.unit_after())),
                 question.ends(path)], ", ")  # fmt: skip
    yield prose(
        "Up to {until} the mean times of {one} and {two} differed by {d}, {name} {tested}.",
        until=until, d=size, one=one, two=two, name=own_words(name), tested=whole,
    )  # fmt: skip


def rate_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield how games ended and the ratio of rates of a Cox regression."""
    if test is question.answers[0]:
        yield from endings(question, test)
    yield from ratio_sentences(question, test)
