"""Sentences of models that are fitted: ratios, slopes, counts, and answers in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from negstats.report.labels import NAME, method_name
from negstats.report.measures import words_of_measure
from negstats.report.prose import NO_BREAK, Prose, join, prose
from negstats.report.sentences.pieces import (
    SMALL,
    generic_sentences,
    group_means,
    listed,
    pair_means,
    term_of,
    two_means,
)
from negstats.report.sentences.question import POINTS, Question, own_words
from negstats.sanitize import line
from negstats.stats.results.apa import decimals_of

FEW = 2.0  # units of a range under which one unit more is not said without it
# How a model's factor with two levels, or its number, is said: the ratio that the model gives.
PREDICTED = {"ordinal": "the odds of a higher answer", "cox": "the rate of agreement"}
RATIOS = {"odds_ratio": "the odds", "hazard_ratio": "the rate", "ratio_of_means": "the mean"}


def percentage_points(question: Question, path: str) -> Prose:
    """Return ``0.8 percentage points, 95% CI [−2.4, 4.0]``."""
    value = prose("{d} percentage points", d=question.number(f"{path}/value", "percent", 1))
    return join([value, question.ends(path, "percent", 1)], ", ")


def _x(question: Question, name: str) -> tuple[Prose, str]:
    """Return what a predictor is called, and its unit with a blank before it."""
    words = words_of_measure(question.entry, question.plan, name)
    unit = words.unit if words.unit and words.unit not in words.noun else ""
    return own_words(words.noun), f" {unit.removesuffix('s')}" if unit else ""  # "an increase of 1 point"


def _span(question: Question, name: str) -> Prose:
    """Return the observed range of a predictor of which one more is beyond what was observed."""
    place, one = next((place, one) for place, one in enumerate(question.entry["variables"]) if one["name"] == name)
    if one["high"] - one["low"] >= FEW:
        return Prose()
    words = words_of_measure(question.entry, question.plan, name)
    digits, kind = (2, "share") if words.kind == "share" else (decimals_of(one["sd"]), "measure")
    low, high = (question.number(f"/variables/{place}/{end}", kind, digits) for end in ("low", "high"))
    return prose(" (observed from {low} to {high} only)", low=low, high=high)


def count_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield counts in independent groups: their means, the ratio of two, and the test."""
    if term_of(test) or not question.levels or any(one.get("mean") is None for one in question.entry["cells"]):
        yield from generic_sentences(question, test)
        return
    effect = test.get("effect") or {}
    whole = join([question.statistic_of(test), question.p_of(test), *question.corrected(test)], ", ")
    name = own_words("quasi-Poisson" if test.get("statistic") is not None else "quasi-Poisson model, permutation")
    if pair_means(question) and effect.get("value") is not None:
        yield from two_means(question, test, n=True)
        path = f"{question.test_at(test)}/effect"
        value = Prose((question.number(f"{path}/value", "statistic"),))
        ratio = join([value, question.ends(path, "statistic")], ", ")
        yield prose("The ratio of means was {ratio}, {name} {whole}.", ratio=ratio, name=name, whole=whole)
        return
    yield group_means(question)
    lead = "differed" if question.directed(test) else "were not shown to differ"
    yield prose("Mean counts {lead} between the groups, {name} {whole}.", lead=own_words(lead), name=name, whole=whole)


def equation_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield shares of related rows: counts, the difference in percentage points, the ratio, and the clusters."""
    cells, estimate = question.entry["cells"], test.get("estimate") or {}
    shares = bool(question.levels) and len(cells) <= SMALL and all("count" in cell for cell in cells)
    points = estimate.get("name") in POINTS or (test["method"] == "mixed" and estimate.get("name") == "difference")
    if not shares or not points or term_of(test):
        yield from ratio_sentences(question, test)
        return
    each = [prose("{share} {group}", share=question.share(place), group=question.groups[place])
            for place in range(len(cells))]  # fmt: skip
    yield prose("{listed} {event}.", listed=listed(each), event=own_words(question.words.event))
    if test["method"] == "mixed":
        yield prose("In a mixed model with an intercept for each of the {units}, the difference was {d}, {tested}.",
                    units=question.counted_units(), d=percentage_points(question, f"{question.test_at(test)}/estimate"),
                    tested=question.tested(test))  # fmt: skip
        return
    method = "estimating equations" if test["method"] == "gee" else f"the {method_name(test['method'])}"
    yield prose(
        "By {method}, which count the {units} as clusters, the difference was {d}, {tested}.",
        method=own_words(method),
        units=question.counted_units(),
        d=percentage_points(question, f"{question.test_at(test)}/estimate"),
        tested=question.tested(test),
    )


def ratio_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a term of a model that gives a ratio: of two levels, or of one more of a number."""
    effect, term = test.get("effect") or {}, term_of(test)
    if test["kind"] == "chi2" and question.factors and test["method"] in PREDICTED and not effect.get("value"):
        yield from _factor_sentences(question, test)
        return
    if effect.get("name") not in RATIOS or effect.get("value") is None:
        yield from generic_sentences(question, test)
        return
    what = PREDICTED.get(test["method"], f"{RATIOS[effect['name']]} of {question.words.noun}")
    value = question.number(f"{question.test_at(test)}/effect/value", "statistic")
    numbers = [one["name"] for one in question.entry.get("variables") or () if one["name"]]
    factor = next((one for one in question.factors if one["name"] == (term or one["name"])), None)
    if factor is not None and len(factor["levels"]) == 2 and term not in numbers:
        one, two = question.groups_of(factor)
        claim = prose("{what} {one} was {ratio} times that {two}", what=own_words(what), one=one, two=two, ratio=value)
        if what.startswith("the odds"):
            claim = prose("{what} {one} were {ratio} times those {two}", what=own_words(what), one=one, two=two,
                          ratio=value)  # fmt: skip
    elif (name := term or (numbers[0] if len(numbers) == 1 and not question.factors else "")) in numbers:
        x, unit = _x(question, name)
        verb = "were" if what.startswith("the odds") else "was"
        step = (test.get("details") or {}).get("step")  # of a share or a large amount: per 1 the ratio says nothing
        if step is not None:
            value = question.number(f"{question.test_at(test)}/details/step_value", "statistic")
        claim = prose(
            "With an increase of {step}{unit} in {x}{span}, {what} {verb} {ratio} times as high",
            step=own_words(f"{step or 1:,g}"), unit=own_words(unit), x=x, span=_span(question, name),
            what=own_words(what), verb=own_words(verb), ratio=value,
        )  # fmt: skip
        if step is not None:
            ends = step_ends(question, question.test_at(test))
            yield prose("{claim} ({ends}), {tested}.", claim=claim, ends=ends,
                        tested=question.tested(test, effect=False))  # fmt: skip
            return
    else:
        yield from generic_sentences(question, test)
        return
    yield prose("{claim}, {tested}.", claim=claim, tested=question.tested(test))


def step_ends(question: Question, at: str) -> Prose:
    """Return the interval of a ratio for a step of a number."""
    whose = "effect" if question.value(f"{at}/effect/level") is not None else "estimate"
    level = question.number(f"{at}/{whose}/level", "level")
    low, high = (question.number(f"{at}/details/step_{end}", "statistic") for end in ("low", "high"))
    return prose("{level}%" + NO_BREAK + "CI" + NO_BREAK + "[{low}, {high}]", level=level, low=low, high=high)


def _factor_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a term of a model whose factor has several levels, or which is an interaction: no one ratio is of it."""
    if test is question.answers[0] and question.entry["kind"] != "time":
        yield group_means(question)
    what = PREDICTED[test["method"]]
    names = [line(name, NAME) for name in term_of(test).split(":") if name] or [
        line(one["name"], NAME) for one in question.factors
    ]
    was = "were" if what.startswith("the odds") else "was"
    verb_phrase = "differed" if question.directed(test) else f"{was} not shown to differ"
    if len(names) == 1:
        claim = prose("{what} {shown} by {name}", what=own_words(what), shown=own_words(verb_phrase), name=names[0])
    else:
        claim = prose(
            "The effect of {first} on {what} {shown} by {others}",
            first=names[0],
            what=own_words(what),
            shown=own_words(verb_phrase.replace("were", "was")),
            others=listed([prose("{name}", name=name) for name in names[1:]]),
        )
    yield prose("{claim}, {tested}.", claim=claim, tested=question.tested(test))


def slope_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a predictor of several: by how much the outcome rises, the others held constant."""
    numbers = [one["name"] for one in question.entry.get("variables") or () if one["name"]]
    term, estimate = term_of(test), test.get("estimate") or {}
    name = term or (numbers[0] if len(numbers) == 1 else "")
    if estimate.get("name") != "slope" or name not in numbers:
        yield from generic_sentences(question, test)
        return
    x, unit = _x(question, name)
    path = f"{question.test_at(test)}/estimate"
    digits = decimals_of(abs(estimate["value"]) or None)
    others = "With the other predictors held constant, an" if len(numbers) > 1 else "An"
    went = "went" if question.directed(test) else "was not shown to go"
    yield prose(
        "{others} increase of 1{unit} in {x}{span} {went} with a difference of {b}{y_unit} in {y}, {ends}, {tested}.",
        others=own_words(others), x=x, span=_span(question, name), unit=own_words(unit), went=own_words(went),
        b=question.number(f"{path}/value", "measure", digits), y_unit=own_words(question.unit_after()),
        y=own_words(question.words.noun), ends=question.ends(path, "measure", digits), tested=question.tested(test),
    )  # fmt: skip
    model = next((one for one in question.tests if one["address"].endswith("#model")), None)
    if model is not None and test is question.answers[-1]:
        yield prose("Together the predictors explained {r2}, {tested}.", r2=question.effect_of(model),
                    tested=question.tested(model, effect=False))  # fmt: skip


def chance_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield Brunner and Munzel's test: with which chance a value of the one group is the higher."""
    effect = test.get("effect") or {}
    if len(question.levels) != 2 or effect.get("value") is None:
        yield from generic_sentences(question, test)
        return
    if pair_means(question):
        yield from two_means(question, test, n=True)
    one, two = question.groups
    path = f"{question.test_at(test)}/effect"
    value = "An answer" if question.entry["kind"] == "ordered" else "A value"
    yield prose(
        "{value} {one} was higher than one {two} with a probability of {p}, {ends} (ties count half), "
        "{name} {tested}.",
        value=own_words(value), one=one, two=two, p=question.number(f"{path}/value", "share"),
        ends=question.ends(path, "share"), name=own_words("Brunner–Munzel"),
        tested=question.tested(test, effect=False),
    )  # fmt: skip
