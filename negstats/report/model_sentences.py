"""Sentences of tests that are fitted: estimating equations, times to an end, answers in order, several predictors.

And what the data say of a test's assumptions, and what a partner's level does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from negstats.report.labels import method_name
from negstats.report.measures import words_of_measure
from negstats.report.numerals import decimals_of
from negstats.report.prose import NO_BREAK, Prose, join, prose
from negstats.report.sentences import (
    POINTS,
    SMALL,
    Question,
    generic_sentences,
    group_means,
    listed,
    own_words,
    pair_means,
    term_of,
    two_means,
)

__all__ = ["FITTED", "assumption_sentences", "partner_sentences"]

# How a model's factor with two levels, or its number, is said: the ratio that the model gives.
FEW = 2.0  # units of a range under which one unit more is not said without it
RATIOS = {"odds_ratio": "the odds", "hazard_ratio": "the rate", "ratio_of_means": "the mean"}


def _percent(question: Question, path: str) -> Prose:
    """Return ``0.8 percentage points, 95% CI [−2.4, 4.0]``."""
    value = prose("{d} percentage points", d=question.number(f"{path}/value", "percent", 1))
    return join([value, question.ends(path, "percent", 1)], ", ")


def _x(question: Question, name: str) -> tuple[Prose, str]:
    """Return what a predictor is called, and its unit with a blank before it."""
    words = words_of_measure(question.entry, question.plan, name)
    return own_words(words.noun), f" {words.unit}" if words.unit and words.unit not in words.noun else ""


def _span(question: Question, name: str) -> Prose:
    """Return the observed range of a predictor of which one more is beyond what was observed."""
    place, one = next((place, one) for place, one in enumerate(question.entry["variables"]) if one["name"] == name)
    if one["high"] - one["low"] >= FEW:
        return Prose()
    words = words_of_measure(question.entry, question.plan, name)
    digits, kind = (2, "share") if words.kind == "share" else (decimals_of(one["sd"]), "measure")
    low, high = (question.number(f"/variables/{place}/{end}", kind, digits) for end in ("low", "high"))
    return prose(" (observed from {low} to {high} only)", low=low, high=high)


def _counts(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
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


def _equations(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield shares of related rows: counts, the difference in percentage points, the ratio, and the clusters."""
    cells, estimate = question.entry["cells"], test.get("estimate") or {}
    shares = bool(question.levels) and len(cells) <= SMALL and all("count" in cell for cell in cells)
    points = estimate.get("name") in POINTS or (test["method"] == "mixed" and estimate.get("name") == "difference")
    if not shares or not points or term_of(test):
        yield from _ratio(question, test)
        return
    each = [prose("{share} in {level}", share=question.share(place), level=question.levels[place])
            for place in range(len(cells))]  # fmt: skip
    yield prose("{listed} {event}.", listed=listed(each), event=own_words(question.words.event))
    if test["method"] == "mixed":
        yield prose("In a mixed model with an intercept for each of the {units}, the difference was {d}, {tested}.",
                    units=question.counted_units(), d=_percent(question, f"{question.test_at(test)}/estimate"),
                    tested=question.tested(test))  # fmt: skip
        return
    method = "estimating equations" if test["method"] == "gee" else f"the {method_name(test['method'])}"
    yield prose(
        "By {method}, which count the {units} as clusters, the difference was {d}, {tested}.",
        method=own_words(method),
        units=question.counted_units(),
        d=_percent(question, f"{question.test_at(test)}/estimate"),
        tested=question.tested(test),
    )


def _ends(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
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
        said = [prose("{m}{unit} in {level}", m=question.number(f"{at}/median_{place}"), level=question.levels[place],
                      unit=own_words(question.unit_after())) for place in medians]  # fmt: skip
        yield prose("The median time to agreement was {listed}.", listed=listed(said))


def _times(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a test of times: the difference up to a time that is named, then the test."""
    yield from _ends(question, test)
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
            until=until, d=_percent(question, path), one=one, two=two, name=own_words(name), tested=whole,
        )  # fmt: skip
        return
    size = join([prose("{d}{unit}", d=question.number(f"{path}/value"), unit=own_words(question.unit_after())),
                 question.ends(path)], ", ")  # fmt: skip
    yield prose(
        "Up to {until} the mean times of {one} and {two} differed by {d}, {name} {tested}.",
        until=until, d=size, one=one, two=two, name=own_words(name), tested=whole,
    )  # fmt: skip


def _ratio(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a term of a model that gives a ratio: of two levels, or of one more of a number."""
    effect, term = test.get("effect") or {}, term_of(test)
    if effect.get("name") not in RATIOS or effect.get("value") is None:
        yield from generic_sentences(question, test)
        return
    what = {"ordinal": "the odds of a higher answer", "cox": "the rate of agreement"}.get(
        test["method"], f"{RATIOS[effect['name']]} of {question.words.noun}"
    )
    value = question.number(f"{question.test_at(test)}/effect/value", "statistic")
    numbers = [one["name"] for one in question.entry.get("variables") or () if one["name"]]
    factor = next((one for one in question.factors if one["name"] == (term or one["name"])), None)
    if factor is not None and len(factor["levels"]) == 2 and term not in numbers:
        from negstats.report.result_tables import level_text

        one, two = (level_text(question.plan, factor["name"], level) for level in factor["levels"])
        claim = prose(
            "{what} in {one} was {ratio} times that in {two}", what=own_words(what), one=one, two=two, ratio=value
        )
        if what.startswith("the odds"):
            claim = prose("{what} in {one} were {ratio} times those in {two}", what=own_words(what), one=one, two=two,
                          ratio=value)  # fmt: skip
    elif (name := term or (numbers[0] if len(numbers) == 1 and not question.factors else "")) in numbers:
        x, unit = _x(question, name)
        verb = "were" if what.startswith("the odds") else "was"
        tenth = "tenth_value" in (test.get("details") or {})  # a share or the like: per 1 the ratio says nothing
        if tenth:
            value = question.number(f"{question.test_at(test)}/details/tenth_value", "statistic")
        claim = prose(
            "With an increase of {step}{unit} in {x}{span}, {what} {verb} {ratio} times as high",
            step=own_words("0.1" if tenth else "1"), unit=own_words(unit), x=x, span=_span(question, name),
            what=own_words(what), verb=own_words(verb), ratio=value,
        )  # fmt: skip
        if tenth:
            at = question.test_at(test)
            level = question.number(f"{at}/effect/level", "level")
            low, high = (question.number(f"{at}/details/tenth_{end}", "statistic") for end in ("low", "high"))
            ends = prose("{level}%" + NO_BREAK + "CI" + NO_BREAK + "[{low}, {high}]", level=level, low=low, high=high)
            yield prose("{claim} ({ends}), {tested}.", claim=claim, ends=ends,
                        tested=question.tested(test, effect=False))  # fmt: skip
            return
    else:
        yield from generic_sentences(question, test)
        return
    yield prose("{claim}, {tested}.", claim=claim, tested=question.tested(test))


def _cox(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    if test is question.answers[0]:
        yield from _ends(question, test)
    yield from _ratio(question, test)


def _regression(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
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


def _chance(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield Brunner and Munzel's test: with which chance a value of the one group is the higher."""
    effect = test.get("effect") or {}
    if len(question.levels) != 2 or effect.get("value") is None:
        yield from generic_sentences(question, test)
        return
    if pair_means(question):
        yield from two_means(question, test, n=True)
    one, two = question.levels
    path = f"{question.test_at(test)}/effect"
    value = "An answer" if question.entry["kind"] == "ordered" else "A value"
    yield prose(
        "{value} in {one} was higher than one in {two} with a probability of {p}, {ends} (ties count half), "
        "{name} {tested}.",
        value=own_words(value), one=one, two=two, p=question.number(f"{path}/value", "share"),
        ends=question.ends(path, "share"), name=own_words("Brunner–Munzel"),
        tested=question.tested(test, effect=False),
    )  # fmt: skip


FITTED: Mapping[str, Callable[[Question, Mapping[str, Any]], Iterator[Prose]]] = {
    "gee": _equations,
    "gray": _times,
    "logrank": _times,
    "cox": _cox,
    "ordinal": _ratio,
    "regression": _regression,
    "quasi_poisson": _counts,
    "brunner_munzel": _chance,
}


def partner_sentences(question: Question) -> Iterator[Prose]:
    """Yield what a person's own level does and what the partner's does, where both are known of a pair."""
    by_tag = {test["address"].partition("#")[2]: test for test in question.tests if test["role"] == "beside"}
    if not {"actor", "partner"} <= by_tag.keys() or len(question.levels) != 2:
        return
    one, two = question.levels
    own, other = (
        join([question.difference(test), question.statistic_of(test), question.p_of(test)], ", ")
        for test in (by_tag["actor"], by_tag["partner"])
    )
    n = question.number(f"{question.test_at(by_tag['actor'])}/n/0", "count")
    yield prose(
        "In the {n} pairs with both levels known, a person's own level went with a difference of {own} ({one} − {two}, "
        "the partner's level held constant), and the partner's level with one of {other}.",
        n=n, one=one, two=two, own=own, other=other,
    )  # fmt: skip
    if (inside := by_tag.get("mixed pairs")) is not None:
        yield prose(
            "Inside the {n} mixed pairs the difference was {d}, {tested}.",
            n=question.number(f"{question.test_at(inside)}/n/0", "count"), d=question.difference(inside),
            tested=join([question.statistic_of(inside), question.p_of(inside)], ", "),
        )  # fmt: skip


def assumption_sentences(question: Question) -> Iterator[Prose]:
    """Yield what was seen of the test's assumptions, and whether the test is known to be robust to it."""
    found = question.entry.get("assumptions") or ()
    robust = []
    for place, one in enumerate(found):
        at = f"/assumptions/{place}"
        value = question.number(f"{at}/value", "statistic")
        percent = question.number(f"{at}/value", "percent", 1)
        unit = own_words(question.units)
        robust.append(bool(one["robust"]))
        match one["kind"]:
            case "skew":
                yield prose("Residuals were skewed (skewness = {v}).", v=value)
            case "band":
                yield prose("Of the residuals {v}% lay outside the 95% band of a normal sample.", v=percent)
            case "bound":
                end = question.number(f"{at}/at", digits=0 if float(one["at"]).is_integer() else None)
                yield prose("Of the values {v}% were the {which} that occurred ({end}).", v=percent,
                            which=own_words(one["which"]), end=end)  # fmt: skip
            case "spread":
                yield prose("Standard deviations differed by a factor of {v}, and group sizes by {w}.", v=value,
                            w=question.number(f"{at}/sizes", "statistic"))  # fmt: skip
            case "influence":
                yield prose("Without one {unit} the difference moves by {v} of its standard error.", unit=unit, v=value)
            case _:
                yield prose("There were {v} of the rarer outcome for each predictor, fewer than ten.",
                            v=question.number(f"{at}/value", "statistic"))  # fmt: skip
    if not found:
        return
    smallest = min(range(len(found)), key=lambda place: found[place]["n"])
    n = prose("*n* = {n}", n=question.number(f"/assumptions/{smallest}/n", "count"))
    group = " in the smallest group" if len(question.entry["cells"]) > 1 else ""
    claim = "is known to be robust to this" if all(robust) else "is not known to be robust to this"
    yield prose("The test {claim} at this size ({n}{group}).", claim=own_words(claim), n=n, group=own_words(group))
