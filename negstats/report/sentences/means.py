"""Sentences of means: two groups, the same units twice, several groups, several factors, models of related rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from negstats.report.labels import NAME
from negstats.report.numerals import DIGITS
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.sentences.models import equation_sentences, slope_sentences
from negstats.report.sentences.pieces import (
    differed,
    generic_sentences,
    group_means,
    listed,
    outcome,
    pair_means,
    term_of,
    two_means,
)
from negstats.report.sentences.question import Question, own_words
from negstats.sanitize import counted, line
from negstats.stats.results import apa


def two_group_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield the means of two groups and Welch's test of their difference."""
    if not pair_means(question) or not test.get("estimate"):
        yield from generic_sentences(question, test)
        return
    yield from two_means(question, test, n=True)
    yield prose("The difference was {d}, {tested}.", d=question.difference(test), tested=question.tested(test))


def paired_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield the means of the same units twice, the mean difference, and for how many it has which sign."""
    if not pair_means(question) or not test.get("estimate"):
        yield from generic_sentences(question, test)
        return
    yield from two_means(question, test, n=False)
    where = {"person": "within persons", "game": "within games", "group": "within groups"}.get(
        question.units, "within units"
    )
    yield prose(
        "The mean difference {where} was {d}, {tested}.",
        where=own_words(where),
        d=question.difference(test),
        tested=question.tested(test),
    )
    if (test.get("details") or {}).get("first") is None:
        return
    at = f"{question.test_at(test)}/details"
    counts = (question.number(f"{at}/{key}", "count") for key in ("first", "second", "equal"))
    first, second, equal = (run if run.text != "0" else Run("none", slot=run.slot) for run in counts)
    one, two = question.groups
    yield prose(
        "Values were higher {one} for {a}{units}, higher {two} for {b}, and equal for {c}.",
        one=one,
        two=two,
        a=first,
        b=second,
        c=equal,
        units=own_words(
            f" {counted(n, question.units).partition(' ')[2]}" if (n := int(test["details"]["first"])) else ""
        ),
    )


def equivalence_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield two means, their difference beside the planned bounds, and the larger p of the two tests."""
    yield from two_means(question, test, n=False) if pair_means(question) else ()
    bounds = question.plan.questions[question.entry["id"]].equivalent
    low, high = (
        (-bounds, bounds)
        if isinstance(bounds, int | float)
        else (None, None)
        if isinstance(bounds, Mapping)
        else bounds
    )
    percent = (test.get("estimate") or {}).get("name") == "risk_difference"
    if percent:
        path = f"{question.test_at(test)}/estimate"
        difference = join(
            [
                prose("{d} percentage points", d=question.number(f"{path}/value", "percent", 1)),
                question.ends(path, "percent", 1),
            ],
            ", ",
        )
    else:
        difference = question.difference(test)
    if low is None or high is None:
        planned = own_words(f"±{bounds['sd']:g} standard deviations")
    else:
        scale, suffix = (100, " percentage points") if percent else (1, "")
        planned = own_words(
            f"±{scale * high:g}{suffix}"
            if -low == high
            else f"{apa.number(scale * low, 2)} to {scale * high:g}{suffix}"
        )
    planned = Prose(tuple(Run(run.text, named=True) for run in planned.runs))
    place = {"equivalent": "inside", "not equivalent": "outside"}.get(question.effect_found(test), "")
    if question.entry["explored"]:
        place = "inside" if test["p"] < question.plan.alpha else ""
    where = f"{place} the planned bounds of" if place else "which is not inside the planned bounds of"
    yield prose(
        "The difference was {d}, {where} {bounds}, larger {p} of the two one-sided tests, {rest}.",
        d=difference,
        where=own_words(where),
        bounds=planned,
        p=question.p_of(test),
        rest=join([question.statistic_of(test), *question.corrected(test)], ", "),
    )


def group_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield the means of several groups and the test of all of them."""
    yield group_means(question)
    k = len(question.levels)
    number = DIGITS[k] if k < len(DIGITS) else str(k)
    name = "Welch " if test["method"] == "welch_anova" else ""
    yield prose(
        "{y} {differed} between the {k} groups, {name}{tested}.",
        y=outcome(question),
        differed=own_words(differed(question, test)),
        k=Run(number, named=True),
        name=own_words(name),
        tested=question.tested(test),
    )


def repeated_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield how the means change over the levels that each unit has."""
    if term_of(test) or not question.levels:
        yield from term_sentences(question, test)
        return
    yield group_means(question)
    changed = "changed over" if question.directed(test) else "was not shown to change over"
    if question.words.plural and not question.directed(test):
        changed = "were not shown to change over"
    correction = (
        " (Greenhouse–Geisser)" if any(df is not None and not float(df).is_integer() for df in test["df"]) else ""
    )
    factor = line(question.factors[0]["name"], NAME)
    yield prose(
        "{y} {changed} {factor}, {tested}{corrected}.",
        y=outcome(question),
        changed=own_words(changed),
        factor=factor,
        tested=question.tested(test),
        corrected=own_words(correction),
    )


# The name before an F whose degrees of freedom come from variances that differ.
OWN_SPREADS = {"welch_james": "Welch–James ", "box": "Box-corrected "}


def term_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a term of several factors: the interaction says whether an effect differs by the other factor."""
    term = term_of(test)
    names = term.split(":") if term else [one["name"] for one in question.factors]
    numbers = [one["name"] for one in question.entry.get("variables") or () if one["name"]]
    estimate = test.get("estimate") or {}
    if test is question.answers[0] and question.factors:
        yield group_means(question)
    if term in numbers and estimate.get("name") == "slope":
        yield from slope_sentences(question, test)
        return
    if len(names) == 1:
        claim = prose(
            "{y} {differed} by {name}",
            y=outcome(question),
            differed=own_words(differed(question, test)),
            name=question.factor_text(names[0]),
        )
    else:
        within = [one["name"] for one in question.factors if one["lies"] == "within"]
        names.sort(key=lambda name: name not in within)  # the effect of what varies within units, by what does not
        others = listed([question.factor_text(name) for name in names[1:]])
        verb, preposition = ("depend", "on") if question.is_first_level(names[1]) else ("differ", "by")
        claimed = f"{verb}ed {preposition}" if question.directed(test) else f"was not shown to {verb} {preposition}"
        claim = prose(
            "The effect of {first} on {y} {differed} {others}",
            first=line(names[0], NAME),
            y=outcome(question),
            differed=own_words(claimed),
            others=others,
        )
    size = Prose()
    if estimate.get("value") is not None and test["kind"] == "t":
        of = "slopes of" if estimate["name"] == "difference_of_slopes" else "a difference of"
        size = prose(
            ", {of} {d}",
            of=own_words(of.replace("slopes of", "a difference of slopes of")),
            d=question.difference(test),
        )
    name = own_words(OWN_SPREADS.get(test["method"], ""))
    yield prose("{claim}{size}, {name}{tested}.", claim=claim, size=size, name=name, tested=question.tested(test))


def model_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a term of a model of related rows."""
    if (term_of(test) and len(question.answers) > 1) or test["kind"] == "f":
        yield from term_sentences(question, test)
        return
    estimate = test.get("estimate") or {}
    if estimate.get("name") == "slope" or not pair_means(question):
        yield from generic_sentences(question, test)
        return
    yield from two_means(question, test, n=True)
    model = "in the model of pairs" if test["method"] == "dyad" else "in the mixed model"
    whole = join([question.statistic_of(test), question.p_of(test), *question.corrected(test)], ", ")
    yield prose(
        "The difference {model} was {d}, {tested}.", model=own_words(model), d=question.difference(test), tested=whole
    )
    if test.get("effect"):
        path = f"{question.test_at(test)}/effect/value"
        name = (
            "The correlation of partners' residuals"
            if test["effect"]["name"] == "partner_r"
            else f"The correlation within a {question.units} (ICC)"
        )
        yield prose("{name} was {r}.", name=own_words(name), r=question.number(path, "share"))


def _interval_alone(question: Question, test: Mapping[str, Any]) -> Prose:
    path = f"{question.test_at(test)}/estimate"
    kind, digits = ("percent", 1) if test["estimate"]["name"] == "share" else ("", None)
    unit = " percent" if kind else question.unit_after()
    value = question.number(f"{path}/value", kind, digits)
    claim, average = own_words("The share was") if kind else prose("{y} averaged", y=outcome(question)), ""
    if question.words.verb and not kind:  # no "points averaged 12 points"
        subject, verb, *_ = question.words.verb
        claim, average = own_words(f"{subject} {verb}"), " on average"
    return prose(
        "{claim} {value}{unit}{average}, {ends}.",
        claim=claim,
        average=own_words(average),
        value=value,
        unit=own_words(unit),
        ends=question.ends(path, kind, digits),
    )


def _describe_against(question: Question, test: Mapping[str, Any], tested: Prose) -> Prose:
    null_value = question.plan.questions[question.entry["id"]].against
    path = f"{question.test_at(test)}/estimate"
    share = (test.get("estimate") or {}).get("name") == "share"
    ends = question.ends(path, "percent", 1) if share else question.interval_of(test)
    stated = (
        Run(f"{100 * null_value:g}%" if share else f"{null_value:g}", named=True)
        if null_value is not None
        else Run("the stated value")
    )
    noun = own_words("share" if share else "mean")
    between = prose(", {ends},", ends=ends) if ends else Prose()
    return prose(
        "The {noun}{between} was tested against {stated}, {tested}.",
        noun=noun,
        between=between,
        stated=stated,
        tested=tested,
    )


def one_sample_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield one mean or share, against a stated value where the plan has one."""
    yield (
        _interval_alone(question, test)
        if test.get("p") is None
        else prose("{y} averaged {m}.", y=outcome(question), m=question.mean(0, n=True))
    )
    if test.get("p") is not None:
        yield _describe_against(question, test, question.tested(test))


def mixed_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a mixed model: of yes or no and of counts by its ratio, as other models of related rows."""
    if (test.get("effect") or {}).get("name") in ("odds_ratio", "ratio_of_means"):
        yield from equation_sentences(question, test)
        return
    yield from model_sentences(question, test)
