"""Sentences of follow-ups, of checks beside the planned test, and of partners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from negstats.report.labels import NAME, SENTENCE, method_name
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.result_tables import level_text
from negstats.report.sentences.pieces import SMALL, reference, symbols, term_of
from negstats.report.sentences.question import EFFECTS, Question, own_words
from negstats.sanitize import line


def follow_up_sentences(question: Question) -> Iterator[Prose]:
    """Yield the pairs of levels that differ after correction, where the main test found a difference."""
    said_effects = _simple_effects(question)
    follow = [
        test
        for test in question.tests
        if test not in said_effects
        and test["role"] == "follow-up"
        and test.get("p_adjusted") is not None
        and test["method"] != "adjusted_residual"
    ]
    if not follow:
        return
    if not any(question.directed(test) for test in question.answers):
        differences = [test for test in follow if (test.get("estimate") or {}).get("name") == "risk_difference"]
        if differences and len(question.factors) == 1:
            yield _largest_difference(question, differences)
            return
        yield (
            prose(
                "Comparisons of two groups are not interpreted; {table} has them.",
                table=reference("tests", question.id),
            )
            if any(" - " in test["address"] for test in follow)
            else Prose()
        )
        return
    significant = [test for test in follow if test["p_adjusted"] < question.plan.alpha and test.get("p") is not None]
    if not significant:
        yield prose(
            "After correction no pair of levels differed at the level of the plan; {table} has all of them.",
            table=reference("tests", question.id),
        )
        return
    each = [_follow_up(question, test, is_first=not place) for place, test in enumerate(significant[:SMALL])]
    more = (
        prose("; {table} has the others", table=reference("tests", question.id)) if len(follow) > len(each) else Prose()
    )
    yield prose("{listed}{more}.", listed=join(each, "; "), more=more)


def simple_effect_sentences(question: Question) -> Iterator[Prose]:
    """Yield the difference at each level of another factor, and that one p below alpha of two shows no interaction."""
    effects = _simple_effects(question)
    if not effects:
        return
    each = [
        prose(
            "{d}, {p}, {at}",
            d=question.difference(test),
            p=join(question.corrected(test) or [question.p_of(test)]),
            at=_place_of(question, test),
        )
        for test in effects
    ]
    factor = next(one for one in question.factors if one["name"] == effects[0]["address"].partition("#")[2].split()[0])
    one, two = (level_text(question.plan, factor["name"], level) for level in factor["levels"])
    yield prose(
        "The difference between {one} and {two} was {first}, and {second}.", one=one, two=two, first=each[0],
        second=each[1],
    )  # fmt: skip
    ps = [test["p"] if test.get("p_adjusted") is None else test["p_adjusted"] for test in effects]
    alpha = question.plan.alpha
    if not question.directed(question.answers[0]) and min(ps) < alpha <= max(ps):
        yield prose("That only one of these differences has *p* < {alpha} does not show that they differ.",
                    alpha=Run(f"{alpha:g}"[1:], named=True))  # fmt: skip


def _simple_effects(question: Question) -> list[Mapping[str, Any]]:
    """Return the two differences that an interaction compares; none of other designs."""
    effects = [
        test
        for test in question.tests
        if test["role"] == "follow-up"
        and " at " in test["address"]
        and test["method"] == "paired"
        and (test.get("estimate") or {}).get("value") is not None
    ]
    return effects if len(effects) == 2 and len(question.answers) == 1 else []


def _place_of(question: Question, test: Mapping[str, Any]) -> Prose:
    """Return at which level of the other factor a simple effect is: "where role is buyer", "with CL first"."""
    name, _, level = test["address"].partition(" at ")[2].partition(" = ")
    if question.is_first_level(name):
        return prose("with {level}", level=level_text(question.plan, name, level))
    return prose("where {name} is {level}", name=line(name, NAME), level=level_text(question.plan, name, level))


def _follow_up(question: Question, test: Mapping[str, Any], *, is_first: bool) -> Prose:
    """Return a comparison that differs after correction, as part of a sentence."""
    p = join(question.corrected(test) or [question.p_of(test, "p_adjusted")])
    one, dash, two = test["address"].partition("#")[2].partition(" - ")
    kind = (test.get("estimate") or {}).get("name")
    has_difference = kind in ("difference", "risk_difference")
    if kind == "risk_difference":
        result = _percentage_points(question, test)
    else:
        result = question.difference(test) if has_difference else question.statistic_of(test)
    if not dash or len(question.factors) != 1:
        return prose("{name}, {result}, {p}", name=_follow_name(question, test), result=result, p=p)
    name = question.factors[0]["name"]
    levels = {"one": level_text(question.plan, name, one), "two": level_text(question.plan, name, two)}
    if has_difference:
        subject = "The difference" if is_first else "that"
        return prose("{subject} between {one} and {two} was {result}, {p}", subject=own_words(subject), result=result,
                     p=p, **levels)  # fmt: skip
    return prose("{one} and {two} differed, {result}, {p}", result=result, p=p, **levels)


def _largest_difference(question: Question, tests: Sequence[Mapping[str, Any]]) -> Prose:
    """Return the largest difference between the shares of two levels, which says what a null result leaves open."""
    largest = max(tests, key=lambda test: abs(test["estimate"]["value"]))
    name = question.factors[0]["name"]
    one, _, two = largest["address"].partition("#")[2].partition(" - ")
    return prose(
        "Of the differences between two levels the largest was {one} minus {two}, {d}; {table} has the others.",
        one=level_text(question.plan, name, one),
        two=level_text(question.plan, name, two),
        d=_percentage_points(question, largest),
        table=reference("tests", question.id),
    )


def _percentage_points(question: Question, test: Mapping[str, Any]) -> Prose:
    """Return a difference of two shares with its interval."""
    path = f"{question.test_at(test)}/estimate"
    d = prose("{d} percentage points", d=question.number(f"{path}/value", "percent", 1))
    return join([d, question.ends(path, "percent", 1)], ", ")


def _follow_name(question: Question, test: Mapping[str, Any]) -> Prose:
    return prose("{tag}", tag=follow_up_text(question, test["address"].partition("#")[2]))


def follow_up_text(question: Question, tag: str) -> str:
    """Return what a follow-up compares, its levels as the plan labels them: "CL − FC", "condition at order = CL"."""
    effect, at, place = tag.partition(" at ")
    one, dash, two = tag.partition(" - ")
    if dash and not at and len(question.factors) == 1:
        name = question.factors[0]["name"]
        return f"{level_text(question.plan, name, one)} − {level_text(question.plan, name, two)}"
    level, comma, column = tag.rpartition(", ")
    if comma and len(question.factors) == 1 and level in question.factors[0]["levels"]:  # a residual of a table
        return f"{level_text(question.plan, question.factors[0]['name'], level)}, {line(column, NAME)}"
    name, equals, level = place.partition(" = ")
    if at and equals and name in {factor["name"] for factor in question.factors}:
        return line(f"{effect} at {name} = {level_text(question.plan, name, level)}".replace(" - ", " − "), NAME)
    return line(tag.replace(" - ", " − "), NAME)


def check_sentences(question: Question) -> Iterator[Prose]:
    """Yield what the checks say; where one leads elsewhere that is said, with the reason."""
    by_address = {test["address"]: test for test in question.tests}
    checks = [
        (check, by_address[check["address"]])
        for check in question.entry.get("checks") or ()
        if check["address"] in by_address
    ]
    skip = ("between", "within") if any(test["address"].endswith("#between") for test in question.tests) else ()
    checks = [
        (check, test) for check, test in checks if check["address"].partition("#")[2] not in skip or not check["agrees"]
    ]
    disagreements = [(check, test) for check, test in checks if not check["agrees"]]
    has_several = len(question.answers) > 1
    if disagreements:
        each = [
            prose(
                "{name} gave {result} ({why})",
                name=_check_name(test, has_several=has_several),
                result=_check(question, test, of=""),
                why=own_words(check["why"]),
            )
            for check, test in disagreements
        ]
        yield prose("**The conclusion depends on the method:** {each}.", each=join(each, "; "))
    agreements = [test for check, test in checks if check["agrees"]]
    if has_several:
        return
    for test in agreements[:2]:
        yield prose(
            "{name} agreed, {result}.",
            name=_check_name(test, has_several=has_several).capitalised,
            result=_check(question, test),
        )


def agreement_sentences(question: Question) -> Iterator[Prose]:
    """Yield what follows among agreements only, where walking away has points and something else follows."""
    for place, test in enumerate(question.entry.get("alternatives") or ()):
        if test["without"] is not None or test["agrees"]:
            continue
        term = test["of"].partition("#")[0].partition("/")[2]
        of = prose(" for {term}", term=line(term, NAME)) if term and len(question.answers) > 1 else Prose()
        size = Prose()
        if len(test["n"]) == 1:
            size = prose(" (*n* = {n})", n=question.number(f"/alternatives/{place}/n/0", "count"))
        result = _check(question, test) if test.get("estimate") else question.tested(test)
        adjusted = question.corrected(test)
        yield prose(
            "**The conclusion{of} depends on how walking away is counted:** among agreements only{size}, {result}.",
            of=of, size=size, result=join([result, *adjusted], ", "),
        )  # fmt: skip


def _check_name(test: Mapping[str, Any], *, has_several: bool) -> Prose:
    name = CHECKS.get(test["address"].partition("#")[2]) or method_name(test["method"])
    if test["method"] in ("wilcoxon", "mann_whitney", "kruskal_wallis", "friedman"):
        name = method_name(test["method"])
    if not name.startswith(("the ", "a ", "least")) and name[:1].isupper():
        name = f"a {name}" if name.endswith("test") and "'s" not in name else name
    elif name.endswith("test") and not name.startswith(("the ", "a ")) and "'s" not in name:
        name = f"a {name}"
    term = term_of(test)
    name_text = Prose((Run(name, named="2" in name or "3" in name),))
    return prose("{name} ({term})", name=name_text, term=term) if has_several and term else name_text


CHECKS = {
    "cluster": "cluster-robust regression",
    "complete": "the analysis of complete units",
    "without": "the analysis without the covariate",
    "permutation": "a permutation test",
    "bootstrap": "a parametric bootstrap of the likelihood ratio",
    "anova": "the type III F test",
    "classical": "the F test that takes variances as equal",
    "between": "the relation between units",
    "within": "the relation within units",
    "gee": "a model by estimating equations",
    "mixed": "a mixed model",
}


def _check(question: Question, test: Mapping[str, Any], of: str = "a difference of ") -> Prose:
    estimate = test.get("estimate") or {}
    parts = []
    if estimate.get("value") is not None and estimate["name"] in ("difference", "adjusted_difference"):
        parts.append(own_words(of) + question.difference(test))
        parts += [] if test["method"] == "regression_cr2" else [question.statistic_of(test)]
    elif estimate.get("name") == "r":
        parts += [question.statistic_of(test), question.ends(f"{question.test_at(test)}/estimate", "share")]
    else:
        parts.append(question.statistic_of(test))
    if test.get("p") is not None:
        parts.append(question.p_of(test))
    parts += [detail] if (detail := detail_of(question, test)) else []
    levels = (test.get("why") or {}).get("levels")
    return join(parts, ", ") + (
        prose(" (without {gone}, where there is a single value)", gone=line(levels, SENTENCE)) if levels else Prose()
    )


def region_sentences(question: Question) -> Iterator[Prose]:
    """Yield the posterior probability of a region of practical equivalence, which has no test."""
    for test in question.tests:
        if test["method"] == "equivalence_region":
            text = symbols(line(test["apa"], SENTENCE), f"{question.at}{question.test_at(test)}/apa")
            yield prose("A Bayesian analysis gave {text}.", text=text)


def detail_of(question: Question, test: Mapping[str, Any]) -> Prose:
    """Return the effect of a check, which has no interval: ``rank-biserial r = .34``; empty where it has none."""
    for name in ("rank_biserial", "common_language", "rank_epsilon_squared", "epsilon_squared"):
        if (test.get("details") or {}).get(name) is not None:
            symbol, kind = EFFECTS[name]
            value = question.number(f"{question.test_at(test)}/details/{name}", kind)
            return prose(symbol + " = {value}", value=value)
    return Prose()


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
    if (pairs_test := by_tag.get("mixed pairs")) is not None:
        yield prose(
            "Inside the {n} mixed pairs the difference was {d}, {tested}.",
            n=question.number(f"{question.test_at(pairs_test)}/n/0", "count"), d=question.difference(pairs_test),
            tested=join([question.statistic_of(pairs_test), question.p_of(pairs_test)], ", "),
        )  # fmt: skip
