"""Sentences of what follows a test: pairs of groups, effects at each level of another factor, checks beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from negstats.analysis.effect_sizes import RATIOS
from negstats.analysis.method import METHODS
from negstats.analysis.scales import WITH_POINTS
from negstats.report.labels import NAME, SENTENCE, deals_noun, end_words, level_text, method_phrase
from negstats.report.prose import Prose, Run, join, listed, prose
from negstats.report.sentences.base_facts import FEW, estimate_name, reference, tag_of, term_of
from negstats.report.sentences.facts import Facts
from negstats.report.sentences.question import POINTS, Question, own_words
from negstats.report.sentences.renderer import load_words
from negstats.sanitize import line, plural

RANKS = ("wilcoxon", "mann_whitney", "kruskal_wallis", "friedman")
# What a check is called by the tag of its address, where its method alone does not say it.
CHECKS = {
    "complete": "the analysis of complete {units}",
    "without": "the analysis without the covariate",
    "permutation": "a permutation test",
    "bootstrap": "a parametric bootstrap of the likelihood ratio",
    "anova": "the type III F test",
    "classical": "the F test that assumes equal variances",
    "between": "the relation between {units}",
    "within": "the relation within {units}",
    "mixed": "a mixed model",
    "actor": "the effect of a person's own level",
    "partner": "the effect of the partner's level",
    "mixed pairs": "the difference inside mixed pairs",
    "ranks": "",
    "g2": "the likelihood-ratio test",
}


ONE_SIDE = ("f", "chi2", "g2", "q", "h")  # statistics of tests that have no direction
ARTICLE = re.compile("^(an?|the) ")


def _words(name: str) -> str:
    return str(load_words()["follow_ups"][name])


def follow_up_sentences(question: Question) -> Iterator[Prose]:
    """Yield what differs after correction, where the main test found a difference."""
    follow = [test for test in question.tests if test["role"] == "follow-up" and test.get("p_adjusted") is not None]
    terms = [term_of(test) for test in question.answers if question.directed(test)]
    effects = [test for test in follow if " at " in test["address"]]
    if (two := _two_differences(effects)) and len(question.answers) == 1:
        yield from _say_two_differences(question, two)
        return
    is_open = not any(":" in term_of(test) for test in question.answers)  # whether the effect is the same at each level
    if any(":" in term for term in terms) or (terms and effects and len(question.factors) == 2 and is_open):
        yield from _levels(question, effects)
        return
    pairs = [test for test in follow if " - " in test["address"] and " at " not in test["address"]]
    if terms and pairs and len(question.factors) == 1:
        yield from _pairs(question, pairs)


def _pairs(question: Question, pairs: Sequence[Mapping[str, Any]]) -> Iterator[Prose]:
    """Yield the pairs of groups that differ, and that the others do not."""
    table = reference("pairs", question.id)
    significant = [test for test in pairs if test["p_adjusted"] < question.plan.alpha]
    if not significant:
        yield prose(_words("no_pair"), table=table)
        return
    is_estimated = any(not Facts(question, test).is_of_means for test in significant[:FEW]
                       if estimate_name(test) == "difference")  # fmt: skip
    sentences = []
    for test in significant[:FEW]:
        levels = _pair_of(test)
        of_points = estimate_name(test) in POINTS
        has_difference = of_points or estimate_name(test) == "difference"
        if has_difference and test["estimate"]["value"] < 0:
            levels.reverse()
        first, second = question.level_names(levels)
        if has_difference:
            path = f"{question.test_at(test)}/estimate"
            size = prose("{d}{unit}", d=question.size(f"{path}/value"), unit=own_words(question.unit_after()))
            if of_points:
                size = prose("{d} percentage points", d=question.number(f"{path}/value", "size of percent", 1))
            by = own_words("" if of_points or not is_estimated else "an estimated ")
            sentences.append(prose(_words("exceeded"), first=first, second=second, by=by, difference=size,
                              p=question.p_text(test)))  # fmt: skip
        else:
            ratio = _ratio_of(question, test)
            tested = join([ratio, question.statistic_of(test), question.p_text(test)], ", ")
            sentences.append(prose(_words(_way(test)), first=first, second=second, tested=tested))
    others = Prose()
    if len(significant) > FEW:
        others = prose(_words("more_pairs"), table=table)
    elif len(pairs) - len(significant) == 1:
        (test,) = (pair for pair in pairs if pair not in significant)
        first, second = question.level_names(_pair_of(test))
        others = prose(_words("other_pair"), one=first, two=second, p=question.p_text(test))
    elif len(pairs) > len(significant):
        others = prose(_words("other_pairs"))
    method = prose(_possessive(significant[0]["method"]))
    yield prose(_words("pairs"), method=method, pairs=join(sentences, "; "), others=others)


def _way(test: Mapping[str, Any]) -> str:
    """Return which words say how the first of two groups lies to the second, by a ratio or a statistic with a sign."""
    sizes = [test[key] for key in ("estimate", "effect") if test.get(key)]
    ratio = next((size["value"] for size in sizes if size["name"] in RATIOS), None)
    if ratio is None and test["kind"] not in ("t", "z"):
        return "differed"
    return "above" if (ratio - 1 if ratio is not None else test["statistic"]) > 0 else "below"


def _ratio_of(question: Question, test: Mapping[str, Any]) -> Prose:
    """Return a ratio of means, odds or rates; empty where there is none."""
    key = next((key for key in ("estimate", "effect") if (test.get(key) or {}).get("name") in RATIOS), None)
    return Prose() if key is None else question.effect_of(test, key)


def _pair_of(test: Mapping[str, Any]) -> list[str]:
    return tag_of(test).split(" - ")


def _possessive(method: str) -> str:
    """Return what a test is called before "comparisons", symbols between asterisks; those of a model are pairwise.

    Examples
    --------
    >>> _possessive("dunn"), _possessive("games_howell"), _possessive("paired"), _possessive("dyad")
    ("Dunn's", 'Games–Howell', 'paired *t*', 'pairwise')
    """
    record = METHODS.get(method)
    if record is not None and record.is_model:
        return "pairwise"
    return ARTICLE.sub("", method_phrase(method)).removesuffix(" test")


def _levels(question: Question, effects: Sequence[Mapping[str, Any]]) -> Iterator[Prose]:
    """Yield at which levels of another factor a factor has an effect."""
    groups: dict[tuple[str, tuple[str, ...]], dict[tuple[Prose, ...], Mapping[str, Any]]] = {}
    for test in effects:
        effect, _, place = tag_of(test).partition(" at ")
        places = levels_at(question, place)
        if places and effect in {other["name"] for other in question.factors}:
            groups.setdefault((effect, tuple(places)), {}).setdefault(tuple(places.values()), test)
    # Of each factor: at which levels p is below alpha, and the largest or smallest p of the others.
    for (effect, names), by_level in groups.items():
        alpha = question.plan.alpha
        shown = {level: test for level, test in by_level.items() if test["p_adjusted"] < alpha}
        hidden = [test for level, test in by_level.items() if level not in shown]
        factor = listed([question.factor_text(name) for name in names])
        factor = prose("combination of {factors}", factors=factor) if len(names) > 1 else factor
        words = {"outcome": own_words(question.words.noun), "effect": question.factor_text(effect), "factor": factor}
        ends = sorted(hidden or shown.values(), key=lambda record: float(record["p_adjusted"]))
        p = question.p_text(ends[0] if hidden else ends[-1])
        extreme = "all" if any(sign in str(p) for sign in "<>") else "smallest" if hidden else "largest"
        words |= {"p": p, "all": own_words(extreme)}
        if not hidden or not shown:
            yield prose(_words("no_level" if hidden else "all_levels"), **words)
            continue
        level_texts = {
            level: prose(_words("at_level"), level=join(level, ", "),
                         result=join([question.statistic_of(test), question.p_text(test)], ", "))
            for level, test in by_level.items()
        }  # fmt: skip
        where, others = (listed([level_texts[level] for level in by_level if (level in shown) is is_shown])
                         for is_shown in (True, False))  # fmt: skip
        template = _words("other_level" if len(hidden) == 1 else "some_levels")
        yield prose(template, where=where, **{**words, "hidden": others})


def levels_at(question: Question, place: str) -> dict[str, Prose]:
    """Return where an effect is by each other factor, as all sentences place a level; nothing of another text."""
    parts = [part.partition(" = ") for part in place.split(", ")]
    places = {
        factor["name"]: dict(zip(map(str, factor["levels"]), question.groups_of(factor), strict=True))
        for factor in question.factors
    }
    if not all(equals and level in places.get(name, ()) for name, equals, level in parts):
        return {}
    return {name: places[name][level] for name, _, level in parts}


def _two_differences(effects: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the two differences that an interaction compares; none of other designs."""
    paired = [
        effect
        for effect in effects
        if effect["method"] == "paired" and (effect.get("estimate") or {}).get("value") is not None
    ]
    return paired if len(paired) == 2 else []


def _say_two_differences(question: Question, effects: Sequence[Mapping[str, Any]]) -> Iterator[Prose]:
    """Yield the difference at each level of another factor, and that one p below alpha of two shows no interaction."""
    clauses = [
        prose("{d}, {p}, {at}", d=question.difference(test), p=question.p_text(test),
              at=join(levels_at(question, test["address"].partition(" at ")[2]).values(), ", "))
        for test in effects
    ]  # fmt: skip
    name = tag_of(effects[0]).split()[0]
    factor = next(other for other in question.factors if other["name"] == name)
    first, second = (level_text(question.plan, name, level) for level in factor["levels"])
    yield prose(_words("two_differences"), one=first, two=second, first=clauses[0], second=clauses[1])
    ps, alpha = [test["p_adjusted"] for test in effects], question.plan.alpha
    if not question.directed(question.answers[0]) and min(ps) < alpha <= max(ps):
        yield prose(_words("one_of_two"), alpha=Run(f"{alpha:g}"[1:], named=True))


def follow_up_text(question: Question, tag: str, sign: str = "−") -> str:
    """Return what a follow-up compares, its levels as the plan labels them: "CL − FC", "power with no audience"."""
    effect, at, place = tag.partition(" at ")
    first, dash, second = tag.partition(" - ")
    names = [factor["name"] for factor in question.factors]
    if dash and not at and len(names) == 1:
        return f"{level_text(question.plan, names[0], first)} {sign} {level_text(question.plan, names[0], second)}"
    level, comma, column = tag.rpartition(", ")
    if comma and len(names) == 1 and level in question.factors[0]["levels"]:  # a residual of a table
        return f"{level_text(question.plan, names[0], level)}, {line(column, NAME)}"
    if at and (levels := levels_at(question, place)):
        where = ", ".join(map(str, levels.values()))
        return line(f"{effect} ".replace(" - ", f" {sign} ").replace("_", " ") + where, NAME)
    return line(tag.replace(" - ", f" {sign} "), NAME)


# Checks --------------------------------------------------------------------------------------------------------------


def check_records(question: Question) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return each check of an answer with its test, without the parts of a relation that the text says itself."""
    by_address = {test["address"]: test for test in question.tests}
    has_parts = any(test["address"].endswith("#between") for test in question.tests)
    skip = ("between", "within") if has_parts else ()
    return [
        (check, by_address[check["address"]])
        for check in question.entry.get("checks") or ()
        if check["address"] in by_address and tag_of(check) not in skip
    ]


def check_sentences(question: Question, answer: Mapping[str, Any], *, agreeing: bool) -> Iterator[Prose]:
    """Yield a sentence of each check of an answer that leads elsewhere, and where asked a clause of the others."""
    words = load_words()["checks"]
    for check, test in check_records(question):
        if test["address"].partition("#")[0] != answer["address"]:
            continue
        name = check_name(question, test)
        if not check["agrees"]:
            why = own_words(line(check.get("why") or "", SENTENCE))
            yield prose(words["differs"], check=name, result=check_result(question, test), why=why)
        elif agreeing:
            yield prose(words["agrees"], check=name.capitalised, result=check_result(question, test))
    for place, test in enumerate(question.alternatives):
        if test["without"] is not None or test["agrees"] or test["of"] != answer["address"]:
            continue
        size = Prose()
        if len(test["n"]) == 1:
            size = prose(" (*n* = {n})", n=question.number(f"/alternatives/{place}/n/0", "count"))
        study = question.results["study"]
        ends = [own_words(end_words(study, end)[1]) for end in study.get("ends") or () if end not in WITH_POINTS]
        verb = own_words("are" if len(ends) > 1 else "is")
        yield prose(
            words["agreements"],
            deals=deals_noun(study),
            size=size,
            ends=listed(ends),
            verb=verb,
            result=check_result(question, test),
        )


def check_name(question: Question, test: Mapping[str, Any], *, article: bool = True, of_term: bool = True) -> Prose:
    """Return what a check is called inside a sentence: "a Wilcoxon signed-rank test"."""
    tag = tag_of(test)
    name = "" if test["method"] in RANKS else CHECKS.get(tag, "")
    text = name.format(units=plural(question.units)) if name else method_phrase(test["method"])
    named_text = prose(text if article else ARTICLE.sub("", text))
    term = term_of(test)
    if of_term and len(question.answers) > 1 and term:
        return prose("{name} ({term})", name=named_text, term=question.term_text(term))
    return named_text


def check_result(question: Question, test: Mapping[str, Any]) -> Prose:
    """Return what a check gave: its estimate, statistic and p, and the effect that has no interval."""
    facts, estimate = Facts(question, test), test.get("estimate") or {}
    parts = []
    if estimate.get("value") is not None and estimate["name"] in ("difference", "adjusted_difference"):
        parts = [prose("a difference of {d}", d=facts.difference), question.statistic_of(test)]
    elif estimate.get("name") == "slope":
        parts = [prose("*b* = {slope}", slope=facts.slope), question.statistic_of(test)]
    elif estimate.get("name") in ("r", "rho"):
        parts = [question.statistic_of(test), question.ends(f"{facts.at}/estimate", "share")]
    elif test.get("statistic") is not None:
        parts = [question.statistic_of(test)]
    if test.get("p") is not None:
        has_other_side = test["kind"] not in ONE_SIDE and any(
            answer["alternative"] != "two-sided" for answer in question.answers if answer["method"] != "equivalence"
        )
        side = "two-sided " if has_other_side and test["alternative"] == "two-sided" else ""
        parts.append(prose("{side}{p}", side=own_words(side), p=facts.p))
    text = join([*parts, facts.detail], ", ")
    gone = (test.get("why") or {}).get("levels")
    without = " (without {gone}, where there is a single value)"
    return text + prose(without, gone=line(gone, SENTENCE)) if gone else text
