"""Sentences of numbers against each other: correlation, regression, and a logistic curve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from negstats.report.labels import NAME
from negstats.report.measures import words_of_measure
from negstats.report.numerals import DIGITS, interval
from negstats.report.prose import NO_BREAK, Prose, Run, join, prose
from negstats.report.sentences.models import equation_sentences
from negstats.report.sentences.pieces import outcome
from negstats.report.sentences.question import LETTERS, Question, own_words
from negstats.sanitize import counted, line
from negstats.stats.results.apa import decimals_of


def correlation_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield a correlation with its step in raw units, and its parts between and within units."""
    numbers = [one for one in question.entry.get("variables") or () if one["name"]]
    x = words_of_measure(question.entry, question.plan, numbers[0]["name"]) if numbers else None
    with_ = own_words(x.noun) if x else own_words("the other measure")
    way = "negatively" if (test["statistic"] or 0.0) < 0 else "positively"
    related = f"were {way} related" if question.directed(test) else "were not shown to be related"
    has_linked_rows = not test["df"] and test["n"]
    value = prose(
        LETTERS[test["kind"]] + "{df} = {r}",
        df=prose("({df})", df=question.number(f"{question.test_at(test)}/df/0", "df")) if test["df"] else Prose(),
        r=question.number(f"{question.test_at(test)}/statistic", "share"),
    )
    rows_phrase = Prose()
    if has_linked_rows:
        row = (question.entry.get("rows") or {}).get("row", "row")
        n = int(test["n"][0])
        rows_phrase = prose(
            " over {n} {rows} of {units}",
            n=question.number(f"{question.test_at(test)}/n/0", "count"),
            rows=own_words(counted(n, row).partition(" ")[2]),
            units=question.counted_units(),
        )
    rest = join(
        [
            question.sided(test, question.ends(f"{question.test_at(test)}/effect", "share")),
            question.p_of(test),
            *question.corrected(test),
        ],
        ", ",
    )
    yield prose(
        "{lead}{y} and {x} {related}{over}, {r}, {rest}.",
        lead=question.lead_of(test),
        y=outcome(question),
        x=with_,
        related=own_words(related),
        over=rows_phrase,
        r=value,
        rest=rest,
    )
    yield from _scale_sentences(question)
    yield from _step(question, test, numbers[0]["name"] if numbers else "", with_)


def _scale_sentences(question: Question) -> Iterator[Prose]:
    """Yield mean and SD of each ordered answer, with the ends of its scale."""
    for place, variable in enumerate(question.entry.get("variables") or ()):
        name = variable["name"] or question.entry["measure"]
        measure = question.plan.measures.get(name)
        if measure is None or not measure.scale or variable["mean"] is None or variable["sd"] is None:
            continue
        words = words_of_measure(question.entry, question.plan, variable["name"] or None)
        first, last = (line(measure.scale[at], NAME) for at in (0, -1))
        steps = Run(str(len(measure.scale)), named=True)
        yield prose(
            "{noun} averaged {m} (*SD* = {sd}) on a scale from {one} (“{first}”) to {steps} (“{last}”).",
            noun=own_words(words.noun),
            one=Run("1", named=True),
            first=first,
            last=last,
            steps=steps,
            m=question.number(f"/variables/{place}/mean", "measure", 2),
            sd=question.number(f"/variables/{place}/sd", "measure", 2),
        )


def part_sentences(question: Question) -> Iterator[Prose]:
    """Yield a relation between and within units; the closer one is named where their intervals do not overlap."""
    parts = {
        tag: one
        for one in question.tests
        if one["role"] == "beside" and (tag := one["address"].partition("#")[2]) in ("between", "within")
    }
    if len(parts) != 2:
        return
    test = question.answers[0]
    units = own_words({"person": "persons", "game": "games"}.get(question.units, f"{question.units}s"))
    between, within = (
        prose(
            "{r}, {ends}",
            r=question.statistic_of(one),
            ends=question.ends(f"{question.test_at(one)}/estimate", "share"),
        )
        for one in (parts["between"], parts["within"])
    )
    sizes = [abs((one.get("estimate") or {}).get("value") or 0.0) for one in (parts["between"], parts["within"])]
    if not _is_apart(parts["between"]["estimate"], parts["within"]["estimate"]):
        yield prose(
            "Between {units} it was {between}, and within {units} {within}.",
            units=units,
            between=between,
            within=within,
        )
        return
    closer, other = ("between", "within") if sizes[0] > sizes[1] else ("within", "between")
    each = {"between": between, "within": within}
    yield prose(
        "The relation was closer {closer} {units}, {first}, than {other}, {second}; as these intervals do not overlap, "
        "the pooled {r} is a mixture of both.",
        closer=own_words(closer),
        units=units,
        first=each[closer],
        other=own_words(other),
        second=each[other],
        r=question.number(f"{question.test_at(test)}/statistic", "share"),
    )


def _step(question: Question, test: Mapping[str, Any], name: str, x: Prose) -> Iterator[Prose]:
    """Yield what one standard deviation more of the predictor goes with, where the relation is shown."""
    details = test.get("details") or {}
    if details.get("step") is None or not question.directed(test):
        return
    words = words_of_measure(question.entry, question.plan, name)
    at = f"{question.test_at(test)}/details"
    digits, kind = (2, "share") if words.kind == "share" else (decimals_of(details["sd"]), "measure")
    yield prose(
        "A rise of one standard deviation in {x} ({sd}) went with a {way} of {step}{unit} in {y}.",
        x=x,
        sd=question.number(f"{at}/sd", kind, digits),
        step=question.size(f"{at}/step"),
        unit=own_words(question.unit_after()),
        way=own_words("rise" if details["step"] > 0 else "fall"),
        y=outcome(question),
    )


def _is_apart(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    ends = [float(end) for each in (one, two) for name in ("low", "high") if (end := each.get(name)) is not None]
    return len(ends) == 4 and (ends[1] < ends[2] or ends[3] < ends[0])


def logistic_sentences(question: Question, test: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield the fitted shares at both ends of the observed range, and the ratio of odds."""
    details = test.get("details") or {}
    numbers = [(place, one) for place, one in enumerate(question.entry.get("variables") or ()) if one["name"]]
    if "fitted_low" not in details or len(numbers) != 1:
        yield from equation_sentences(question, test)
        return
    place, x = numbers[0]
    words = words_of_measure(question.entry, question.plan, x["name"])
    digits, kind = (2, "share") if words.kind == "share" else (decimals_of(x["sd"]), "measure")
    at = f"{question.test_at(test)}/details"
    whole = all(float(x[key]).is_integer() for key in ("low", "high"))
    low, high = (question.number(f"/variables/{place}/{key}", kind, 0 if whole else digits) for key in ("low", "high"))
    sd = question.number(f"/variables/{place}/sd", kind, digits)
    p1, p2 = (question.number(f"{at}/fitted_{key}", "percent", 1) for key in ("low", "high"))
    yield prose(
        "Over the observed range of {x} ({low} to {high}{few}) fitted {y} goes from {p1}% to {p2}%.",
        x=own_words(words.noun),
        low=low,
        high=high,
        few=_few_values(question, details, f"{at}/distinct_values"),
        y=outcome(question),
        p1=p1,
        p2=p2,
    )
    ratio = standard_ratio(question, test)
    if ratio is not None:
        each = prose(
            "Per standard deviation ({sd}) *OR* = {ratio}, {ends}",
            sd=sd,
            ratio=ratio[0],
            ends=question.sided(test, ratio[1]),
        )
        yield prose("{each}, {tested}.", each=each, tested=question.tested(test, effect=False))
    else:
        yield prose("{tested}.", tested=question.tested(test))


def _few_values(question: Question, details: Mapping[str, Any], address: str) -> Prose:
    """Return ``, five values`` where a predictor has so few that its range alone would mislead; nothing otherwise."""
    distinct = int(details.get("distinct_values") or 0)
    if not 0 < distinct < len(DIGITS):
        return Prose()
    return prose(", {n} values", n=replace(question.number(address, "count"), text=DIGITS[distinct]))


def standard_ratio(question: Question, test: Mapping[str, Any]) -> tuple[Run, Prose] | None:
    """Return the ratio of odds for one standard deviation of the only predictor, and its interval; None without one."""
    details = test.get("details") or {}
    if details.get("ratio_value") is None:
        return None
    at = f"{question.test_at(test)}/details"
    ratio = {
        "value": details["ratio_value"],
        "low": details.get("ratio_low"),
        "high": details.get("ratio_high"),
        "level": (test.get("effect") or {}).get("level", 0.95),
    }
    ends = interval(ratio, "statistic", f"{question.at}{at}/ratio", level=False)
    runs = tuple(
        replace(run, slot=replace(run.slot, address=run.slot.address.replace("/ratio/", "/ratio_")))
        if run.slot
        else run
        for run in ends.runs
    )
    level = question.number(f"{question.test_at(test)}/effect/level", "level")
    head = prose("{level}%" + NO_BREAK + "CI" + NO_BREAK, level=level)
    return question.number(f"{at}/ratio_value", "statistic"), head + Prose(runs)
